#version 450
// push 0xfffffff0 0x20 3 5
// out 0x10 1 0xfffffffe 1
layout(push_constant) uniform P { uvec4 p; };
layout(location = 0) out uvec4 o;
void main()
{
    uint c, b;
    uint s = uaddCarry(p.x, p.y, c);
    uint d = usubBorrow(p.z, p.w, b);
    o = uvec4(s, c, d, b);
}
