#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
void main()
{
    if ((gl_LocalInvocationIndex & 1u) == 0u)
        w[gl_LocalInvocationIndex] = 11u;
    else if (gl_LocalInvocationIndex > 8u)
        w[gl_LocalInvocationIndex] = 22u;
}
