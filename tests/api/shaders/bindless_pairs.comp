#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Two indices select from 24 * 12 pairs of ordinary descriptors, more than a program lists.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform texture2D images[24];
layout(set = 0, binding = 1) uniform sampler samplers[12];
layout(set = 0, binding = 2) buffer Result { vec4 result[24 * 12][2]; };

void main()
{
    const uint i = gl_GlobalInvocationID.x, image = i % 24, with = i / 24;
    if (i >= 24 * 12)
        return;
    result[i][0] = textureLod(sampler2D(images[nonuniformEXT(image)], samplers[nonuniformEXT(with)]), vec2(1.25, 0.5), 0.0);
    result[i][1] = textureLod(sampler2D(images[nonuniformEXT(23 - image)], samplers[3]), vec2(0.75, 0.5), 0.0);
}
