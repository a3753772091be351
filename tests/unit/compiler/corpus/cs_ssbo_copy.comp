#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
layout(set = 0, binding = 1, std430) readonly buffer B { uint b[64]; };
void main()
{
    for (int i = 0; i < 4; i++)
        w[gl_LocalInvocationIndex * 4u + uint(i)] = b[63u - gl_LocalInvocationIndex * 4u - uint(i)];
}
