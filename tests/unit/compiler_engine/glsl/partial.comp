#version 450
// 5 x 3 x 3 invocations, or as many as the pipeline specialises: the last subgroup is partial.
layout(local_size_x = 5, local_size_y = 3, local_size_z = 3) in;
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(set = 0, binding = 0) buffer Out { uint count; uvec4 ids[]; };
shared uint total;
void main()
{
    if (gl_LocalInvocationIndex == 0u)
        total = 0u;
    barrier();
    atomicAdd(total, 1u);
    atomicAdd(count, 1u);
    barrier();
    uint group = gl_WorkGroupID.x + gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z);
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize, g = gl_GlobalInvocationID;
    ids[g.x + size.x * (g.y + size.y * g.z)] = uvec4(gl_LocalInvocationID.x + 10u * gl_LocalInvocationID.y +
                                                     100u * gl_LocalInvocationID.z, gl_LocalInvocationIndex, total, group);
}
