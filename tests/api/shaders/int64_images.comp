// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_image_int64 : require
/* Atomics on texels of 64 bits: column k of `words` is changed by operation k, each row by every fourth invocation. Loads
 * and stores between `words` of another row and a texel buffer. */
layout(local_size_x = 64) in;
layout(binding = 0, r64ui) uniform u64image2D words;
layout(binding = 1, r64i) uniform i64image2D numbers;
layout(binding = 2, r64ui) uniform u64imageBuffer list;
layout(binding = 3, std430) buffer Counts { uint swaps[4]; };

void main()
{
    uint i = gl_GlobalInvocationID.x, row = i & 3;
    uint64_t x = uint64_t(i) << 33 | uint64_t(3u - row) << 20 | uint64_t(i + 1);
    int64_t n = int64_t(x) * (int64_t(i & 1) * 2 - 1);
    imageAtomicAdd(words, ivec2(0, row), x);
    imageAtomicMin(words, ivec2(1, row), x);
    imageAtomicMax(words, ivec2(2, row), x);
    imageAtomicAnd(words, ivec2(3, row), ~x);
    imageAtomicOr(words, ivec2(4, row), x);
    imageAtomicXor(words, ivec2(5, row), x);
    if (imageAtomicCompSwap(words, ivec2(6, row), uint64_t(5), x) == uint64_t(5))
        atomicAdd(swaps[row], 1);
    imageAtomicExchange(words, ivec2(7, row), x);
    imageAtomicMin(numbers, ivec2(0, row), n);
    imageAtomicMax(numbers, ivec2(1, row), n);
    imageAtomicAdd(numbers, ivec2(100, row), n); /* beyond the image */
    imageAtomicAdd(list, int(i & 7), x);
    imageStore(list, int(8 + i), u64vec4(imageLoad(words, ivec2(i & 3, 4)).x + imageLoad(list, 1000).y + x));
}
