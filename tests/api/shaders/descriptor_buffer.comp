#version 450
#extension GL_EXT_samplerless_texture_functions : require
// Reads a descriptor of each type and stores to some: resources in set 0, samplers in set 1, an embedded sampler in set
// 2, results in set 3.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform Uniforms { uvec4 u; };
layout(set = 0, binding = 1) buffer Storage { uint s[]; };
layout(set = 0, binding = 2) uniform usamplerBuffer texels;
layout(set = 0, binding = 3, r32ui) uniform uimageBuffer stored_texels;
layout(set = 0, binding = 4) uniform texture2D image;
layout(set = 0, binding = 6) uniform sampler2D combined[2];
layout(set = 0, binding = 7, rgba8) uniform image2D stored;
layout(set = 0, binding = 8) uniform Block { uvec4 block[2]; };
layout(set = 1, binding = 1) uniform sampler samplers[2];
layout(set = 2, binding = 0) uniform sampler embedded;
layout(set = 3, binding = 0) buffer Result { uvec4 result[16][8]; };

uvec4 bytes(vec4 color)
{
    return uvec4(round(color * 255.0));
}

void main()
{
    const uint i = gl_LocalInvocationID.x;
    result[i][0] = u;
    result[i][1] = uvec4(s[1], s.length(), textureSize(image, 0).x, textureSize(texels));
    atomicAdd(s[2], 1);
    result[i][2] = uvec4(texelFetch(texels, 1).x, imageLoad(stored_texels, 1).x, imageSize(stored_texels), imageSize(stored).x);
    imageStore(stored_texels, 2, uvec4(77, 0, 0, 0));
    result[i][3] = bytes(textureLod(sampler2D(image, samplers[i & 1]), vec2(1.25, 0.5), 0.0));
    result[i][4] = bytes(textureLod(sampler2D(image, embedded), vec2(1.25, 0.5), 0.0));
    result[i][5] = bytes(textureLod(combined[i & 1], vec2(0.75, 0.5), 0.0));
    result[i][6] = bytes(imageLoad(stored, ivec2(0, 0)));
    imageStore(stored, ivec2(1, 0), vec4(1.0, 0.0, 1.0, 0.0));
    result[i][7] = block[i & 1];
}
