#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(constant_id = 3) const uint factor = 1u;
layout(std430, set = 0, binding = 0) writeonly buffer Out { uint words[]; };

void main()
{
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize, id = gl_GlobalInvocationID;
    uint at = (id.z * size.y + id.y) * size.x + id.x;
    words[at] = at * factor + gl_LocalInvocationIndex * 65536u;
}
