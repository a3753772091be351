#version 450
layout(local_size_x = 8, local_size_y = 2) in;
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
void main()
{
    w[gl_LocalInvocationIndex] = gl_WorkGroupID.y * 100u + gl_NumWorkGroups.x * 10u + gl_LocalInvocationID.y;
}
