#version 450
// out@0 0.0 -2.0 0.0 0.0
// out@3 3.0 -1.25 1.0 1.0
// out@6 -0.5 -0.5 0.0 0.0
// out@9 0.25 9.0 1.0 1.0
// out@15 1.75 15.0 1.0 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = mix(v, v.yxwz, greaterThan(v, vec4(3.0, 0.0, 0.5, 0.5)));
}
