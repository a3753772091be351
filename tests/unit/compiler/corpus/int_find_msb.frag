#version 450
// push 0 -1 0x12345600 -129
// out -1 -1 28 7
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(findMSB(p.x), findMSB(p.y), findMSB(p.z), findMSB(p.w));
}
