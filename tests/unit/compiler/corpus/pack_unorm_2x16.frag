#version 450
// push -1.0 0.2 1.0 2.0
// out 0x33330000 0xffffffff
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(packUnorm2x16(p.xy), packUnorm2x16(p.zw), 0u, 0u);
}
