#version 450
// push 0x12345678 8 -3 31
// out 878082048 -48 -2147483648 0
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(p.x << p.y, p.z << 4, 1 << p.w, p.x << 31);
}
