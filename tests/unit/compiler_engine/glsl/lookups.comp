#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Lookups of images whose descriptors are in memory of the set. Lanes choose different ones.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Out { vec4 texels[16][6]; };
layout(set = 0, binding = 1) uniform sampler2D images[];
layout(set = 0, binding = 2) buffer In { uint index[16]; };
void main()
{
    const uint i = gl_LocalInvocationIndex, e = index[i];
    const vec2 at = vec2(float(i) * 0.25 + 0.125, 0.25);
    texels[i][0] = textureLod(images[nonuniformEXT(e)], at, 0.0);
    texels[i][1] = texelFetch(images[nonuniformEXT(e)], ivec2(i & 3, 1), 0);
    texels[i][2] = textureGather(images[nonuniformEXT(e)], vec2(0.5), 1);
    texels[i][3] = vec4(textureSize(images[nonuniformEXT(e)], 0), textureQueryLevels(images[nonuniformEXT(e)]), 1.0);
    texels[i][4] = textureGrad(images[nonuniformEXT(e)], at, vec2(0.01), vec2(0.02));
    if ((i & 1) == 0)
        texels[i][5] = textureLod(images[nonuniformEXT(e)], at, 0.0);
}
