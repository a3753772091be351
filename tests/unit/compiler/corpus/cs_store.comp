#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
void main()
{
    w[gl_GlobalInvocationID.x & 63u] = gl_GlobalInvocationID.x * 3u;
}
