#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Lookups of which only the image or only the sampler is in an array in memory of the set.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform texture2D images[];
layout(set = 0, binding = 1) uniform sampler samplers[];
layout(set = 0, binding = 2) uniform sampler fixed_samplers[2];
layout(set = 1, binding = 0) uniform texture2D plain_images[2];
layout(set = 1, binding = 1) uniform sampler plain_sampler;
layout(set = 2, binding = 0) buffer Index { uint index[16]; };
layout(set = 2, binding = 1) buffer Result { vec4 result[16][4]; };

void main()
{
    const uint i = gl_LocalInvocationID.x, e = index[i];
    const vec2 at = vec2(1.25, 0.5);
    result[i][0] = textureLod(sampler2D(images[nonuniformEXT(e)], plain_sampler), at, 0.0);
    result[i][1] = textureLod(sampler2D(plain_images[nonuniformEXT(e & 1)], samplers[nonuniformEXT(e)]), at, 0.0);
    result[i][2] = textureLod(sampler2D(images[nonuniformEXT(e)], fixed_samplers[nonuniformEXT(i & 1)]), at, 0.0);
    result[i][3] = textureLod(sampler2D(plain_images[1], plain_sampler), at, 0.0);
}
