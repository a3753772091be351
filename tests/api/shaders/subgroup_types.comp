// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_vote : require
/* Operations of subgroups on numbers of type T. HALF: T is a float, so there are no operations on bits. */
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { int64_t x[64]; };
layout(std430, binding = 1) writeonly buffer Out { int64_t rows[24][64]; };

#ifdef HALF
#define TO_T(x) T(int(x))
#define FROM_T(v) int64_t(int(v))
#else
#define TO_T(x) T(x)
#define FROM_T(v) int64_t(v)
#endif
#define ROW(n, v) rows[n][i] = FROM_T(v)

void main()
{
    uint i = gl_LocalInvocationIndex, lane = gl_SubgroupInvocationID;
    T v = TO_T(x[i]);
    ROW(0, subgroupBroadcast(v, 3));
    ROW(1, subgroupBroadcastFirst(v));
    ROW(2, subgroupShuffle(v, (lane * 7 + 2) & 15));
    ROW(3, subgroupShuffleXor(v, 5));
    ROW(4, subgroupShuffleUp(v, 2));
    ROW(5, subgroupShuffleDown(v, 3));
    ROW(6, subgroupAdd(v));
    ROW(7, subgroupMin(v));
    ROW(8, subgroupMax(v));
    ROW(9, subgroupInclusiveAdd(v));
    ROW(10, subgroupExclusiveAdd(v));
    ROW(11, subgroupInclusiveMin(v));
    ROW(12, subgroupInclusiveMax(v));
    ROW(13, subgroupClusteredMax(v, 4));
    ROW(14, subgroupClusteredAdd(v, 8));
    ROW(15, subgroupQuadBroadcast(v, 2));
    ROW(16, subgroupQuadSwapDiagonal(v));
    rows[17][i] = (subgroupAllEqual(v) ? 1 : 0) + (subgroupAllEqual(T(lane & 16)) ? 2 : 0);
    if (lane % 3 != 0)
        ROW(18, subgroupAdd(v));
#ifndef HALF
    ROW(19, subgroupAnd(v));
    ROW(20, subgroupOr(v));
    ROW(21, subgroupInclusiveXor(v));
    ROW(22, subgroupMul(v));
    ROW(23, subgroupExclusiveMin(v));
#endif
}
