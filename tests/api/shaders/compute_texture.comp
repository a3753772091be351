#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(std430, set = 0, binding = 1) writeonly buffer Out { uint words[]; };

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    vec4 texel = texelFetch(image, ivec2(at), 0), sampled = textureLod(image, (vec2(at) + 0.5) / 16.0, 0.0);
    uint i = 2u * (at.y * 16u + at.x);
    words[i] = packUnorm4x8(texel);
    words[i + 1u] = packUnorm4x8(sampled);
}
