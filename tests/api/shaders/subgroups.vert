#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
/* SPDX-License-Identifier: MIT
 *
 * A point for each vertex, in a row. Red: how many vertices the subgroup has. Green and blue are full where all is
 * right. Where the position's program and the colour's disagree, a point lies elsewhere. */
layout(location = 0) out vec4 v_color;

void main()
{
    uint count = subgroupAdd(1u), id = uint(gl_VertexIndex);
    uvec4 all = subgroupBallot(true);
    uint first = subgroupBallotFindLSB(all);
    bool is_counted = subgroupBallotBitCount(all) == count && (all.x & gl_SubgroupEqMask.x) != 0 &&
                      count <= gl_SubgroupSize && subgroupAll(id < 40u) && !subgroupAny(id >= 40u);
    bool is_first = subgroupBroadcastFirst(gl_SubgroupInvocationID) == first &&
                    subgroupElect() == (gl_SubgroupInvocationID == first) && subgroupMin(id) <= id && subgroupMax(id) < 40u;
    if (id % 3u == 0u) /* some lanes only */
        is_counted = is_counted && subgroupAll(id % 3u == 0u) && subgroupAdd(1u) <= count;
    v_color = vec4(float(count) / 255.0, is_counted, is_first, 1.0);
    gl_Position = vec4((float(id) + 0.5) / 20.0 - 1.0, is_counted && is_first ? 0.0 : 4.0, 0.5, 1.0);
    gl_PointSize = 1.0;
}
