#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
/* SPDX-License-Identifier: MIT
 *
 * 1 in a channel: what it is about is right. All of a batch sees the same ballots, whatever it covers. */
layout(location = 0) out vec4 color;

void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint count = subgroupAdd(1u), mine = gl_SubgroupEqMask.x;
    uvec4 all = subgroupBallot(true);
    bool is_counted = subgroupBallotBitCount(all) == count && (all.x & mine) != 0 && count <= gl_SubgroupSize;
    bool is_quad = subgroupQuadSwapHorizontal(at.x) == (at.x ^ 1u) && subgroupQuadSwapVertical(at.y) == (at.y ^ 1u) &&
                   subgroupQuadBroadcast(at.x, 0) == (at.x & ~1u);
    uint first = subgroupBallotFindLSB(all);
    bool is_first = subgroupBroadcastFirst(gl_SubgroupInvocationID) == first &&
                    subgroupElect() == (gl_SubgroupInvocationID == first) && gl_SubgroupInvocationID < 16;
    bool odd = (at.x + at.y) % 3u == 0u;
    uint others = subgroupAdd(odd ? 1u : 0u);
    bool is_vote = subgroupAny(odd) == (others > 0u) && subgroupAll(odd) == (others == count) &&
                   subgroupAllEqual(odd) == (others == 0u || others == count);
    if (odd) { /* some lanes only */
        is_counted = is_counted && subgroupAdd(1u) == others;
        is_vote = is_vote && subgroupMax(gl_SubgroupInvocationID) ==
                                 subgroupBallotFindMSB(subgroupBallot(true));
    }
    color = vec4(is_counted, is_quad, is_first, is_vote);
}
