#version 450
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_quad : require
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) readonly buffer Ids { uint count, ids[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { uint words[]; };

/* The lane whose value is broadcast is read from memory. */
void main()
{
    uint own = gl_SubgroupInvocationID * 100;
    for (uint i = 0; i < count; i++) {
        words[(2 * i) * 16 + gl_SubgroupInvocationID] = subgroupBroadcast(own, ids[i]);
        words[(2 * i + 1) * 16 + gl_SubgroupInvocationID] = subgroupQuadBroadcast(own, ids[i] & 3);
    }
}
