#version 450
// push 0xffffffff 0xfffffffe 0x12345678 0x9abcdef0
// out 0xfffffffd 2 0x0b00ea4e 0x242d2080
layout(push_constant) uniform P { uvec4 p; };
layout(location = 0) out uvec4 o;
void main()
{
    uint high, low;
    umulExtended(p.x, p.y, high, low);
    uint h2, l2;
    umulExtended(p.z, p.w, h2, l2);
    o = uvec4(high, low, h2, l2);
}
