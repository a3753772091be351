#version 450
// push 0x00f0a5c3 4 8
// out 0xc3a50f00 12 92 0x00f0afff
layout(push_constant) uniform P { uint a; int at, n; };
layout(location = 0) out ivec4 o;
void main() { o = ivec4(int(bitfieldReverse(a)), bitCount(a), int(bitfieldExtract(a, at, n)), int(bitfieldInsert(a, 0xffu, 2, 10))); o.w = int((a & ~0x3cfcu) | 0x3cfcu); o.w = int(bitfieldInsert(a, 0x2bffu, 2, 10)); }
