#version 450
// push -1.0 0.25 1.0 2.0
// out 0x20008001 0x7fff7fff
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(packSnorm2x16(p.xy), packSnorm2x16(p.zw), 0u, 0u);
}
