#version 450
// push 0xfffffffb 3 0xfffffffb 0x7fffffff
// out 0 1 0 0
layout(push_constant) uniform P { uvec4 p; };
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(uint(p.x < p.y), uint(p.x <= p.z), uint(p.w > p.x), uint(p.y >= p.w));
}
