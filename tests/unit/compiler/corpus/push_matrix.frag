#version 450
// push 1.0 2.0 3.0 0 4.0 5.0 6.0 0 7.0 8.0 9.0 0 1.0 0.5 2.0
// out 8.0 18.5 29.0 8.0
layout(push_constant) uniform P { layout(row_major) mat3 m; vec3 x; };
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(m * x, m[1][2]);
}
