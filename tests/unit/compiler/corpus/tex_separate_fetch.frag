#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 13) uniform texture2D t;
layout(location = 0) out vec4 o;
void main()
{
    o = texelFetch(t, ivec2(uv * 8.0), 0) + vec4(textureSize(t, 0), 0, 0) * 0.0078125;
}
