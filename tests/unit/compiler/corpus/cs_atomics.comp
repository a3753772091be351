#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
void main()
{
    atomicAdd(w[0], 2u);
    atomicMax(w[1], gl_LocalInvocationIndex);
    atomicOr(w[2], 1u << gl_LocalInvocationIndex);
    atomicCompSwap(w[3], 0u, 7u);
    atomicExchange(w[4], 9u);
}
