#version 450
#extension GL_EXT_device_group : enable
layout(local_size_x = 4) in;
layout(std430, set = 0, binding = 0) writeonly buffer Out { uvec4 words[]; };

/* Workgroups of 8 x 8 x 8 at most, each at its own place. */
void main()
{
    uvec3 w = gl_WorkGroupID;
    words[((w.z * 8u + w.y) * 8u + w.x) * 4u + gl_LocalInvocationID.x] =
        uvec4(gl_GlobalInvocationID.x + 1u, gl_GlobalInvocationID.y, gl_NumWorkGroups.x * 100u + gl_NumWorkGroups.z,
              gl_DeviceIndex);
}
