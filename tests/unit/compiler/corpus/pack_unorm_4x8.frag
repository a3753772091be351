#version 450
// push -1.0 0.4 1.0 2.0
// out 0xffff6600
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(packUnorm4x8(p), 0u, 0u, 0u);
}
