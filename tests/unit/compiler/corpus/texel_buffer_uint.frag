#version 450
layout(location = 3) in vec2 uv;
layout(set = 0, binding = 4) uniform usamplerBuffer t;
layout(location = 0) out uvec4 o;
void main()
{
    o = texelFetch(t, int(uv.x * 16.0)) & 0xffu;
}
