#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
// Subgroup operations on 64-bit integers; the last subgroup is incomplete.
layout(local_size_x = 40) in;
layout(set = 0, binding = 0) buffer Out { uint64_t numbers[][48]; };
layout(set = 0, binding = 1) readonly buffer In { uint64_t values[]; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    uint64_t x = values[i];
    int64_t s = int64_t(x);
    u64vec2 two = subgroupExclusiveAdd(u64vec2(x, ~x));
    numbers[0][i] = subgroupAdd(x);
    numbers[1][i] = two.x;
    numbers[2][i] = two.y;
    numbers[3][i] = subgroupInclusiveMul(x | 1ul);
    numbers[4][i] = subgroupMin(x);
    numbers[5][i] = uint64_t(subgroupMin(s));
    numbers[6][i] = subgroupClusteredMax(x, 4u);
    numbers[7][i] = uint64_t(subgroupMax(s));
    numbers[8][i] = subgroupShuffleXor(x, 1u);
    numbers[9][i] = (subgroupAllEqual(x) ? 1ul : 0ul) + (subgroupAllEqual(u64vec2(x - x, 1ul << 40)) ? 2ul : 0ul);
    numbers[10][i] = subgroupInclusiveXor(x);
    numbers[11][i] = subgroupAnd(x | 0xff00000000000000ul);
    numbers[12][i] = subgroupOr(x & 0xff00000000000001ul);
}
