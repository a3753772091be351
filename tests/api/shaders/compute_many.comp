#version 450
layout(local_size_x = 32) in;
layout(push_constant) uniform Push { uint offset; uint step; uint which; } push;
layout(set = 0, binding = 0) uniform Numbers { uvec4 numbers[4]; };
layout(std430, set = 0, binding = 1) readonly buffer In { uint words[]; } inputs[2];
layout(std430, set = 1, binding = 0) buffer Out { uint words[]; } outputs;
layout(std430, set = 1, binding = 2) coherent buffer Counts { uint sum, largest, least, bits, claims, elements; } counts;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint x = inputs[push.which].words[i] + inputs[0].words[i] * push.step;
    x += numbers[i & 3u][(i >> 2) & 3u] + push.offset;
    outputs.words[i] += x;
    atomicAdd(counts.sum, i);
    atomicMax(counts.largest, i);
    atomicMin(counts.least, i);
    atomicOr(counts.bits, 1u << (i & 31u));
    if (atomicCompSwap(counts.claims, 7u, 8u) == 7u)
        counts.elements = uint(inputs[1].words.length());
}
