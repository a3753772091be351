#version 450
// out@0 0.0 0.0
// out@3 0.028 0.0
// out@6 0.352 0.15625
// out@9 0.784 0.6835938
// out@15 1.0 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(smoothstep(2.0, 12.0, x), smoothstep(-1.0, 1.0, y), 0.0, 0.0);
}
