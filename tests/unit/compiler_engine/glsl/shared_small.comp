#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Small numbers in shared memory, more than would fit with a word each. Neighbours are stored by different invocations.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer Out { uvec4 sums[]; };
shared uint8_t bytes[20000];
shared float16_t halves[3000];
shared i16vec3 vectors[200];
shared uint words[100];

void main()
{
    uint l = gl_LocalInvocationIndex, first = gl_WorkGroupID.x;
    for (uint i = l; i < 20000u; i += 64u)
        bytes[i] = uint8_t(i * 7u + first);
    for (uint i = l; i < 3000u; i += 64u)
        halves[i] = float16_t(i & 1023u);
    for (uint i = l; i < 200u; i += 64u)
        vectors[i] = i16vec3(i, -int(i), first);
    words[l] = l;
    barrier();
    uvec4 sum = uvec4(words[63u - l] == 63u - l ? 1u : 0u);
    for (uint i = 63u - l; i < 20000u; i += 64u)
        sum.y += uint(bytes[i]);
    for (uint i = 63u - l; i < 3000u; i += 64u)
        sum.z += uint(halves[i]);
    for (uint i = 63u - l; i < 200u; i += 64u)
        sum.w += uint(vectors[i].x) * 3u + uint(-int(vectors[i].y)) + uint(vectors[i][l & 0u | 2u]);
    sums[gl_GlobalInvocationID.x] = sum;
}
