#version 450
// push 1.0 2.0 0.5 0.0 -1.0 3.0 2.0 1.0 0.25 0.0 2.0 -2.0 4.0 1.0 0.0 1.0
// out@0 0.0 -2.0 1.0
// out@3 3.0 -1.25 1.0
// out@6 6.0 -0.5 1.0
// out@9 9.0 0.25 1.0
// out@15 15.0 1.75 1.0
layout(push_constant) uniform P { mat4 m; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    mat3 a = mat3(m);
    o = vec4(inverse(a) * (a * v.xyz), 0.0);
}
