#version 450
// Puts each key after the keys of its digit in earlier blocks and those before it in its own block: the sort is stable.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Keys { uint keys[]; };
layout(binding = 1) readonly buffer Places { uint places[]; };
layout(binding = 2) writeonly buffer Sorted { uint sorted[]; };
layout(push_constant) uniform P { uint shift; };
shared uint masks[16][4];
void main()
{
    uint i = gl_LocalInvocationIndex, key = keys[gl_GlobalInvocationID.x], digit = (key >> shift) & 15;
    if (i < 64)
        masks[i >> 2][i & 3] = 0;
    barrier();
    atomicOr(masks[digit][i >> 5], 1u << (i & 31));
    barrier();
    uint rank = bitCount(masks[digit][i >> 5] & ((1u << (i & 31)) - 1));
    for (uint w = 0; w < (i >> 5); w++)
        rank += bitCount(masks[digit][w]);
    sorted[places[digit * gl_NumWorkGroups.x + gl_WorkGroupID.x] + rank] = key;
}
