#version 450
// push 1.0 2.0 0.5 0.0 -1.0 3.0 2.0 1.0 0.25 0.0 2.0 -2.0 4.0 1.0 0.0 1.0
// out@0 2.0 3.0 0.0 1.0
// out@3 5.0 6.0 3.0 4.0
// out@6 8.0 9.0 6.0 7.0
// out@9 11.0 12.0 9.0 10.0
// out@15 17.0 18.0 15.0 16.0
layout(push_constant) uniform P { mat4 m; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    mat4x2 a = mat4x2(m);
    mat2x4 b = transpose(a);
    o = b[1] + vec4(v.x);
}
