#version 450
// push 0xfffffff0 0x12345678 -5 7
// out 0x12345676 -1 0xdcba9880 -35
layout(push_constant) uniform P { uint a, b; int c, d; };
layout(location = 0) out ivec4 o;
void main() { uint hi, lo; umulExtended(a, b, hi, lo); int shi, slo; imulExtended(c, d, shi, slo); o = ivec4(int(hi), shi, int(lo), slo); }
