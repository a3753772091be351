#version 450
// push 1.0 2.0 0.5 0.0 -1.0 3.0 2.0 1.0 0.25 0.0 2.0 -2.0 4.0 1.0 0.0 1.0
// out@0 -1.25 -3.5 -0.125 1.0
// out@3 -8.0 -1.25 1.0 -1.25
// out@6 0.4375 1.0 -3.5 5.5
// out@9 3.25 -5.75 -3.5 -1.25
// out@15 -8.0 -1.25 1.0 -1.25
layout(push_constant) uniform P { mat4 m; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    mat4 a = m * 2.0 + m / 4.0 - 1.0;
    a = -a;
    o = a[int(v.x) & 3];
}
