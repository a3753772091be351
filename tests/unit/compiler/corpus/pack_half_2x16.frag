#version 450
// push 1.0 -2.0 0.5 65504.0
// out 0xc0003c00 0x7bff3800
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(packHalf2x16(p.xy), packHalf2x16(p.zw), 0u, 0u);
}
