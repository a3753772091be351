#version 450
// push 0xfffffc18 3 0xfffffffd 31
// out 536870787 268435455 1 1
layout(push_constant) uniform P { uvec4 p; };
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(p.x >> p.y, p.z >> 4, p.x >> p.w, p.z >> 31u);
}
