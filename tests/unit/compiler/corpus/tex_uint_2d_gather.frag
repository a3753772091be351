#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 10) uniform usampler2D t;
layout(location = 0) out uvec4 o;
void main()
{
    o = textureGather(t, uv + 0.03125, 1);
}
