#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out {
    uint count, low, high, bits, all, flip;
    int ilow, ihigh;
    uint winner, first;
    uint order[2048];
};
void main()
{
    uint i = gl_GlobalInvocationID.x + 160u * (gl_WorkGroupID.y + 4u * gl_WorkGroupID.z);
    uint k = atomicAdd(count, 1u);
    order[k] = i;
    atomicMin(low, 5u * i + 7u);
    atomicMax(high, 0x80000000u + i);
    atomicOr(bits, 1u << (i & 31u));
    atomicAnd(all, ~(1u << (i % 7u)));
    atomicXor(flip, i);
    atomicMin(ilow, 10 - int(i));
    atomicMax(ihigh, int(i) - 10);
    if (i % 3u == 0u)
        atomicExchange(winner, i);
    if (atomicCompSwap(first, 0xffffffffu, i) == 0xffffffffu)
        order[2047] = i;
}
