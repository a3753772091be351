#version 450
// out@0 0.0 0.0
// out@3 0.75 0.125
// out@6 0.5 0.25
// out@9 0.25 0.375
// out@15 0.75 0.625
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(fract(y), fract(x * 0.375), 0.0, 0.0);
}
