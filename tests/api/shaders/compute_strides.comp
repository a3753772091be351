#version 450
/* Words in a row, apart from each other, backwards, and one for all lanes. */
layout(local_size_x = 16) in;
layout(push_constant) uniform Push { int step; uint first; } push;
layout(std430, binding = 0) buffer A { uint a[256]; };
layout(std430, binding = 1) buffer B { uint b[256]; };
layout(std430, binding = 2) buffer C { uint c[256]; };

void main()
{
    uint lane = gl_LocalInvocationID.x, i = (uint(int(lane) * push.step) + push.first) & 255u;
    a[i] = a[i] + 3u;
    atomicAdd(b[i], lane + 1u);
    uint old = atomicMax(b[(i + 64u) & 255u], 1000u + lane);
    c[lane] = old + a[(i + 1u) & 255u];
    c[128u + lane] = atomicCompSwap(b[(i + 128u) & 255u], 128u + i, 5000u + lane);
}
