#version 450
// out@0 6.0 1.0 2.0
// out@3 3.75 7.0 -2.5
// out@6 1.5 13.0 -2.5
// out@9 -0.75 19.0 2.0
// out@15 -5.25 31.0 24.5
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(cross(v.xyz, vec3(1.0, v.y, -2.0)), 0.0);
}
