#version 450
layout(location = 0) in vec4 a;
struct S { vec3 x; mat2 y; };
layout(location = 1) out S c;
void main()
{
    gl_Position = vec4(a.xy * 0.0625, 0.5, 1.0);
    c.x = a.xyz;
    c.y = mat2(a);
}
