#version 450
// push 0xffffffff 2 1 5
// out 1 1 -4 1
layout(push_constant) uniform P { uint a, b, c, d; };
layout(location = 0) out ivec4 o;
void main() { uint carry, borrow; uint s = uaddCarry(a, b, carry); uint t = usubBorrow(c, d, borrow); o = ivec4(int(s), int(carry), int(t), int(borrow)); }
