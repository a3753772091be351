#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
void main()
{
    for (uint i = 0u; i < gl_LocalInvocationIndex; i++)
        w[(gl_LocalInvocationIndex + i) & 63u] = i;
}
