#version 450
// out@0 -0.96 -2.0 -0.28
// out@3 -0.12 -1.25 -3.16
// out@6 0.72 -0.5 -6.04
// out@9 1.56 0.25 -8.92
// out@15 3.24 1.75 -14.68
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(reflect(v.xyz, vec3(0.6, 0.0, 0.8)), 0.0);
}
