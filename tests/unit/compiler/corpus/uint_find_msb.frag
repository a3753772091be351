#version 450
// push 0 0xffffffff 0x00045600 1
// out -1 31 18 0
layout(push_constant) uniform P { uvec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(findMSB(p.x), findMSB(p.y), findMSB(p.z), findMSB(p.w));
}
