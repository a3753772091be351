#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
shared uint s[16];
void main()
{
    uint i = gl_LocalInvocationIndex;
    s[i] = i + 1u;
    for (uint n = 8u; n > 0u; n >>= 1) {
        barrier();
        if (i < n)
            s[i] += s[i + n];
    }
    barrier();
    w[i] = s[0];
}
