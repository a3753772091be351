// SPDX-License-Identifier: MIT
// Subgroup operations of every class in the stages before the rasteriser. STAGE: 0 control, 1 evaluation, 2 geometry.
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_vote : require
struct Stage { uint runs, wrong, most; };
layout(set = 0, binding = 0) buffer Out { Stage stages[3]; };

bool is_there(uvec4 all, uint lane)
{
    return lane < gl_SubgroupSize && subgroupBallotBitExtract(all, lane);
}

// A bit for each class of operations that is wrong. `id` is any number.
uint check(uint id, uvec4 all)
{
    uint lane = gl_SubgroupInvocationID, count = 0, sum = 0, before = 0, product = 1, high = 0, low = 0xffffffffu, bits = 0,
         shared_bits = 0xffffffffu, odd = 0, first = 99, last = 0, cluster = 0, wrong = 0;
    id = id % 8u + 1u;
    for (uint i = 0; i < gl_SubgroupSize; i++) {
        uint other = subgroupShuffle(id, i);
        if (!is_there(all, i))
            continue;
        if (subgroupShuffle(lane, i) != i)
            wrong |= 1u;
        count++;
        sum += other;
        product *= other;
        before += i < lane ? other : 0;
        high = max(high, other);
        low = min(low, other);
        bits |= other;
        shared_bits &= other;
        odd += other & 1u;
        first = min(first, i);
        last = i;
        cluster += i / 4u == lane / 4u ? other : 0;
    }
    if (gl_SubgroupSize != 16u || lane >= 16u || !is_there(all, lane) || subgroupElect() != (lane == first))
        wrong |= 2u;
    subgroupBarrier();
    subgroupMemoryBarrier();
    bool is_odd = (id & 1u) == 1u;
    if (subgroupAny(is_odd) != (odd > 0u) || subgroupAll(is_odd) != (odd == count) ||
        subgroupAllEqual(is_odd) != (odd == 0u || odd == count) || subgroupAllEqual(id) != (high == low))
        wrong |= 4u;
    if (subgroupAdd(id) != sum || subgroupMul(id) != product || subgroupMin(id) != low || subgroupMax(id) != high ||
        subgroupAnd(id) != shared_bits || subgroupOr(id) != bits || subgroupAdd(float(id)) != float(sum) ||
        subgroupInclusiveAdd(id) != before + id || subgroupExclusiveAdd(id) != before)
        wrong |= 8u;
    uvec4 odds = subgroupBallot(is_odd);
    if (subgroupBallotBitCount(all) != count || subgroupBallotBitCount(odds) != odd || subgroupInverseBallot(odds) != is_odd ||
        subgroupBallotFindLSB(all) != first || subgroupBallotFindMSB(all) != last ||
        subgroupBallotInclusiveBitCount(all) != bitCount(all.x & gl_SubgroupLeMask.x) ||
        subgroupBallotExclusiveBitCount(all) != bitCount(all.x & gl_SubgroupLtMask.x) || gl_SubgroupEqMask.x != 1u << lane ||
        gl_SubgroupGtMask.x != (0xffffu & ~gl_SubgroupLeMask.x) || gl_SubgroupGeMask.x != (0xffffu & ~gl_SubgroupLtMask.x) ||
        subgroupBroadcastFirst(lane) != first || (is_there(all, 2u) && subgroupBroadcast(lane, 2u) != 2u))
        wrong |= 16u;
    if (is_there(all, lane ^ 5u) && subgroupShuffleXor(lane, 5u) != (lane ^ 5u))
        wrong |= 1u;
    uint up = subgroupShuffleUp(lane, 1u), down = subgroupShuffleDown(lane, 3u);
    if ((is_there(all, lane - 1u) && up != lane - 1u) || (is_there(all, lane + 3u) && down != lane + 3u))
        wrong |= 32u;
    if (subgroupClusteredAdd(id, 4u) != cluster)
        wrong |= 64u;
    return wrong;
}

// All lanes, then some of them.
void check_stage(uint stage, uint id)
{
    uvec4 all = subgroupBallot(true);
    uint wrong = check(id, all);
    if (id % 3u != 1u)
        wrong |= check(id / 3u, subgroupBallot(true)) << 8;
    atomicAdd(stages[stage].runs, 1u);
    atomicOr(stages[stage].wrong, wrong);
    atomicMax(stages[stage].most, subgroupBallotBitCount(all));
}

#if STAGE == 0
layout(vertices = OUT) out;
void main()
{
    check_stage(0u, uint(gl_PrimitiveID * 11 + gl_InvocationID));
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID & 3].gl_Position;
    gl_TessLevelOuter = float[](3.0, 3.0, 3.0, 3.0);
    gl_TessLevelInner = float[](3.0, 3.0);
}
#elif STAGE == 1
layout(quads, equal_spacing, ccw) in;
void main()
{
    check_stage(1u, uint(gl_PrimitiveID + int(gl_TessCoord.x * 30.0 + gl_TessCoord.y * 7.0)));
    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x),
                      mix(gl_in[2].gl_Position, gl_in[3].gl_Position, gl_TessCoord.x), gl_TessCoord.y);
}
#else
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    check_stage(2u, uint(gl_PrimitiveIDIn * 5 + gl_InvocationID));
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        g_color = vec4(1.0);
        g_bits = 0u;
        EmitVertex();
    }
}
#endif
