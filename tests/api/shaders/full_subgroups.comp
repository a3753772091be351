#version 450
#extension GL_KHR_shader_subgroup_ballot : require
/* SPDX-License-Identifier: MIT
 *
 * How many subgroups the workgroup has, whether all lanes run, and the number of the lane in the workgroup. */
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(set = 0, binding = 0, std430) buffer Out { uint words[][3]; };

void main()
{
    uint i = gl_LocalInvocationIndex;
    words[i][0] = gl_NumSubgroups << 16 | gl_SubgroupSize;
    words[i][1] = subgroupBallot(true).x;
    words[i][2] = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
}
