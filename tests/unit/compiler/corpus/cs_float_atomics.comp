#version 450
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
/* Atomics of floats in a buffer, in shared memory and in an image. */
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out {
    float count, low, high, winner;
    float totals[16];    /* one for each workgroup */
    float rounded[512];  /* one for each invocation */
    float order[512];
    float data[16], sums[16], least[16], largest[16]; /* numbers, infinities and NaNs */
} result;
layout(set = 0, binding = 1, r32f) uniform image2D image;
shared float total;
void main()
{
    uint i = gl_GlobalInvocationID.x;
    float x = float(i);
    result.order[uint(atomicAdd(result.count, 1.0))] = x;
    atomicMin(result.low, 5.5 - 0.25 * x);
    atomicMax(result.high, 0.25 * x - 5.5);
    if (i % 3u == 0u)
        atomicExchange(result.winner, x);
    atomicAdd(result.rounded[i], 8.940696716308594e-8);
    if (gl_LocalInvocationID.x == 0u)
        total = 0.0;
    barrier();
    atomicAdd(total, 0.5);
    barrier();
    if (gl_LocalInvocationID.x == 0u)
        result.totals[gl_WorkGroupID.x] = total;
    if (i < 16u) {
        atomicAdd(result.sums[i], result.data[i]);
        atomicMin(result.least[i], result.data[i]);
        atomicMax(result.largest[i], result.data[i]);
    }
    imageAtomicAdd(image, ivec2(i & 3u, 0), 0.25);
    imageAtomicMin(image, ivec2(0, 1), -x);
    imageAtomicMax(image, ivec2(1, 1), x);
    if (imageAtomicExchange(image, ivec2(2, 1), 7.0) == 6.0)
        imageStore(image, ivec2(3, 1), vec4(9.0));
}
