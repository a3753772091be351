#version 450
// out@0 0.5
// out@3 -3.25
// out@6 -2.5
// out@9 2.75
// out@15 26.75
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(fma(x, y, 0.5), 0.0, 0.0, 0.0);
}
