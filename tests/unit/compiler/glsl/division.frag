#version 450
// push -17 5 4294967295 65537
// out -3 -2 3 65535
layout(push_constant) uniform P { int a, b; uint c, d; };
layout(location = 0) out ivec4 o;
void main() { int m = a % b; o = ivec4(a / b, a - (a / b) * b, (m < 0 ? m + b : m), int(c / d)); }
