#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_vote : require
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 40) in; /* the last subgroup is a part of one */
layout(set = 0, binding = 0, std430) buffer Out { uint words[][12]; };

void main()
{
    uint i = gl_LocalInvocationIndex, lane = gl_SubgroupInvocationID;
    words[i][0] = gl_SubgroupSize << 16 | gl_NumSubgroups << 8 | gl_SubgroupID;
    words[i][1] = lane;
    words[i][2] = subgroupAdd(i + 1);
    words[i][3] = subgroupExclusiveAdd(i + 1);
    words[i][4] = subgroupBallot((i & 1) == 1).x;
    words[i][5] = subgroupShuffleXor(i, 1);
    words[i][6] = subgroupBroadcastFirst(i);
    words[i][7] = subgroupClusteredMax(i, 4);
    words[i][8] = subgroupQuadSwapVertical(i);
    words[i][9] = uint(subgroupAll(i < 30)) | uint(subgroupAny(i == 33)) << 1 | uint(subgroupElect()) << 2;
    words[i][10] = 0;
    if ((i & 2) != 0) /* some lanes only */
        words[i][10] = subgroupBallotBitCount(subgroupBallot(true));
    words[i][11] = gl_SubgroupLtMask.x;
}
