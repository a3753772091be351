#version 450
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_basic : require
// Many votes in one block: each reads the value of the first active lane by rotations under its own conditions.
layout(local_size_x = 40) in;
layout(set = 0, binding = 0) buffer Out { uint words[][48]; };
layout(set = 0, binding = 1) readonly buffer In { uint values[]; };
void main()
{
    uint i = gl_LocalInvocationIndex, l = gl_SubgroupInvocationID, votes = 0u;
    int own = int(1.25 * float(int(values[i])) + 5.0), lane = int(l);
    votes |= subgroupAllEqual(1) ? 1u : 0u;
    votes |= subgroupAllEqual(int(l)) ? 2u : 0u;
    votes |= subgroupAllEqual(int(values[0])) ? 4u : 0u;
    votes |= subgroupAllEqual(own) ? 8u : 0u;
    votes |= subgroupAllEqual(lane) ? 16u : 0u;
    if (subgroupElect())
        votes |= 32u;
    words[0][i] = votes;
}
