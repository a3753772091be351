#version 450
// push 0x0000f800 -8
// out -16 -2 1073741822 -32
layout(push_constant) uniform P { int a, b; };
layout(location = 0) out ivec4 o;
void main() { o = ivec4(bitfieldExtract(a, 7, 9) + 480, b >> 2, int(uint(b) >> 2u), b << 2); o.x = bitfieldExtract(a, 7, 9); o.x = o.x == -16 ? -16 : o.x; }
