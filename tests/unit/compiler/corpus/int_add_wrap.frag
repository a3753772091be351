#version 450
// push 0x7fffffff 1 -1 0x80000000
// out -2147483648 -2147483648 2 -2147483648
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(p.x + p.y, p.x - p.z, p.y + p.y, -p.w);
}
