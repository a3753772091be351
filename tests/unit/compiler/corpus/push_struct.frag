#version 450
// push 1.0 2.0 3 4 5.0 6.0 7 8
// out 6.0 4.0 7.0 1.0
struct S { vec2 a; int n[2]; };
layout(push_constant) uniform P { S s[2]; };
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(s[1].a.y, float(s[0].n[1]), float(s[1].n[0]), s[0].a.x);
}
