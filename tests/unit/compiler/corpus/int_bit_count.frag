#version 450
// push 0 -1 0x12345678 0x80000001
// out 0 32 13 2
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(bitCount(p.x), bitCount(p.y), bitCount(p.z), bitCount(p.w));
}
