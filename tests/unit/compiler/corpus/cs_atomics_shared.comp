#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
shared uint n;
void main()
{
    if (gl_LocalInvocationIndex == 0u)
        n = 0u;
    barrier();
    uint old = atomicAdd(n, 1u);
    barrier();
    w[old & 15u] = n;
}
