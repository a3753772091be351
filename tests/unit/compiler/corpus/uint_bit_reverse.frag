#version 450
// push 1 0x80000000 0x12345678 0xffff0000
// out 2147483648 1 510274632 65535
layout(push_constant) uniform P { uvec4 p; };
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(bitfieldReverse(p.x), bitfieldReverse(p.y), bitfieldReverse(p.z), bitfieldReverse(p.w));
}
