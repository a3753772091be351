#version 450
// out@0 3.7621957
// out@3 1.8884239
// out@6 1.127626
// out@9 1.0314131
// out@15 2.9641883
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float y = v.y;
    o = vec4(cosh(y), 0.0, 0.0, 0.0);
}
