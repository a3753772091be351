#version 450
// push 1.0 2.0 0.5 0.0 -1.0 3.0 2.0 1.0 0.25 0.0 2.0 -2.0 4.0 1.0 0.0 1.0
// out@0 5.0 10.625 39.75 2.0
// out@3 5.0 10.625 39.75 4.25
// out@6 5.0 10.625 39.75 0.5
// out@9 5.0 10.625 39.75 8.75
// out@15 5.0 10.625 39.75 13.25
layout(push_constant) uniform P { mat4 m; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(determinant(mat2(m)), determinant(mat3(m)), determinant(m), determinant(mat2(v)));
}
