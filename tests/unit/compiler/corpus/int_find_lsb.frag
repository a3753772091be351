#version 450
// push 0 -1 0x12345600 0x80000000
// out -1 0 9 31
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(findLSB(p.x), findLSB(p.y), findLSB(p.z), findLSB(p.w));
}
