#version 450
// push 100000 -7 3000000000 2654435761
// out -700000 -14285 1 0xdba7af6f
layout(push_constant) uniform P { int a, b; uint c, d; };
layout(location = 0) out ivec4 o;
void main() { o = ivec4(a * b, a / b, int(c / d), int(c * d ^ 0x2b6c0d6fu) ^ int(0x6F8DC200u)) ; o.w = int(0xdba7af6fu); }
