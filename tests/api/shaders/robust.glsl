#version 450
#extension GL_EXT_shader_16bit_storage : require
// Reads inside and outside of all kinds of descriptors, each with an index that is the same for all invocations. STAGE 0
// is a fragment shader, whose column says what it shows; STAGE 1 a compute shader, whose invocation does.
layout(set = 0, binding = 0) uniform U { uvec4 numbers[64]; }; // what is bound may be shorter
layout(set = 0, binding = 1) readonly buffer S { uint words[]; };
layout(set = 0, binding = 1) readonly buffer V { uvec4 wide[]; };
layout(set = 0, binding = 1) readonly buffer H { uint16_t halves[]; };
layout(set = 0, binding = 2) uniform usamplerBuffer texels;
layout(set = 0, binding = 3) uniform usampler2D picture;
layout(set = 0, binding = 4) uniform usampler2DArray pictures;
layout(set = 0, binding = 5) uniform usampler3D volume;
layout(set = 0, binding = 9) uniform usamplerBuffer bytes;
layout(set = 0, binding = 10) uniform usamplerCube cube; // the samplers of these two have a white border
layout(set = 0, binding = 11) uniform usampler2D bordered;
layout(push_constant) uniform P { int index; int level; };

uint look(int what)
{
    uvec4 all;
    switch (what) {
    case 0: return numbers[index][1];
    case 1: return numbers[index + 1][0];
    case 2: return words[index];
    case 3: return texelFetch(texels, index).x;
    case 4: return texelFetch(picture, ivec2(index, 1), level).x;
    case 5: return texelFetch(picture, ivec2(0, index), level).x;
    case 6: return texelFetch(pictures, ivec3(0, 1, index), level).x;
    case 7: return texelFetch(pictures, ivec3(index, 0, 1), level).x;
    case 8: return texelFetch(volume, ivec3(1, 0, index), 0).x;
    case 9: return uint(textureSize(picture, level).x);
    case 10: return uint(textureSize(pictures, 0).z);
    case 11: return uint(textureSize(texels));
    case 12: return uint(textureQueryLevels(picture));
    case 13: return uint(words.length());
    case 14: return uint(textureSize(volume, 0).z);
    case 15: all = numbers[index]; return all.x + all.z;
    case 16: all = wide[index]; return all.y + all.w;
    case 17: return uint(halves[index]);
    case 18: return texelFetch(bytes, index).x;
    case 19: return textureLod(cube, vec3(0.25, 0.25, -1.0), 0.0).x;
    default: return textureLod(bordered, vec2(-1.0, 0.5), 0.0).x;
    }
}

#if STAGE == 0
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(float(look(int(gl_FragCoord.x))) / 255.0);
}
#else
layout(local_size_x = 23) in;
layout(set = 0, binding = 6) writeonly buffer O { uint seen[23]; };
layout(set = 0, binding = 7) buffer W { uint written[]; };
layout(set = 0, binding = 8, r32ui) uniform uimage2D stored;
layout(set = 0, binding = 12, r32ui) uniform readonly uimage2DMS sampled;
void main()
{
    int lane = int(gl_LocalInvocationIndex);
    uint result = 0;
    for (int i = 0; i < 21; i++) // what is read is the same for all lanes
        result = i == lane ? look(i) : result;
    if (lane == 21)
        result = imageLoad(stored, ivec2(index, 1)).x;
    if (lane == 22)
        result = uint(imageSamples(sampled));
    seen[lane] = result;
    if (lane == 0) {
        written[index] = 77;
        imageStore(stored, ivec2(0, index), uvec4(99));
    }
}
#endif
