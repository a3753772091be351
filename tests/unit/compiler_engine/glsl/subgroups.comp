#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
// 40 invocations: two subgroups and a half. Row r of the results has 48 words.
layout(local_size_x = 40) in;
layout(set = 0, binding = 0) buffer Out { uint words[][48]; };
layout(set = 0, binding = 1) readonly buffer In { uint values[]; };
void main()
{
    uint i = gl_LocalInvocationIndex, v = values[i], l = gl_SubgroupInvocationID;
    words[0][i] = subgroupAdd(v);
    words[1][i] = subgroupInclusiveAdd(v);
    words[2][i] = subgroupExclusiveMax(v);
    words[3][i] = subgroupBallot(v > 50u).x;
    words[4][i] = subgroupElect() ? 1u : 0u;
    words[5][i] = subgroupBroadcast(v, 5u) + subgroupBroadcastFirst(v) * 1000u;
    words[6][i] = subgroupShuffle(v, (l * 3u) & 7u);
    words[7][i] = subgroupShuffleXor(v, 5u) + subgroupShuffleUp(v, 1u) * 1000u;
    words[8][i] = subgroupQuadSwapDiagonal(v) + subgroupQuadBroadcast(v, 2u) * 1000u;
    words[9][i] = subgroupClusteredMin(v, 4u);
    words[10][i] = (subgroupAll(v < 200u) ? 1u : 0u) + (subgroupAny(v == 7u) ? 2u : 0u) + (subgroupAllEqual(v) ? 4u : 0u);
    words[11][i] = gl_SubgroupID * 100u + gl_NumSubgroups * 10u + gl_SubgroupSize;
    words[12][i] = subgroupBallotExclusiveBitCount(subgroupBallot(v > 50u)) + bitCount(gl_SubgroupLtMask.x) * 100u;
    if ((v & 1u) == 1u) { // some lanes only
        words[13][i] = subgroupAdd(v);
        words[14][i] = subgroupElect() ? 1u : 0u;
        words[15][i] = subgroupBroadcastFirst(v) + subgroupBallotFindMSB(subgroupBallot(true)) * 1000u;
    }
    float f = subgroupMul(1.0 + float(l) / 16.0);
    words[16][i] = uint(f * 64.0);
}
