#version 450
// push 0x00f0a5c0 -100 0
// out 6 23 6 -1
layout(push_constant) uniform P { uint a; int b; uint z; };
layout(location = 0) out ivec4 o;
void main() { o = ivec4(findLSB(a), findMSB(a), findMSB(b), findLSB(z)); }
