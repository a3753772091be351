#version 450
// Reads back what it wrote, also through a second binding of the same buffer.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    a[i] = i + 1u;
    a[i] += a[i] * 2u;
    if ((i & 1u) == 1u)
        a[i] = a[i] + 1000u;
    b[64u + i] = a[i];
    for (uint k = 0u; k < i % 5u; k++)
        a[i] += k;
}
