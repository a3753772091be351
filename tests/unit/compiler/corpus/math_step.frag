#version 450
// out@0 0.0 1.0
// out@3 0.0 1.0
// out@6 0.0 1.0
// out@9 1.0 1.0
// out@15 1.0 0.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(step(7.0, x), step(y, 0.5), 0.0, 0.0);
}
