/* SPDX-License-Identifier: MIT
 *
 * Vectors of 16 lanes for the hot code of the fragment side. A vector holds four quads side by side; lane 4 * q + i is
 * pixel (2 * q + (i & 1), i >> 1). Files that include this header are compiled once per vector extension of the host,
 * see gpu_simd.h. The compiler splits a vector into host vectors as needed.
 */
#ifndef GPU_LANES_H
#define GPU_LANES_H

#include <string.h>
#include "util/macros.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define GPU_INLINE static inline __attribute__((always_inline))

typedef int32_t gpu_i32x16 __attribute__((vector_size(64)));
typedef float gpu_f32x16 __attribute__((vector_size(64)));
typedef float gpu_f32x4 __attribute__((vector_size(16)));
typedef float gpu_f32x8 __attribute__((vector_size(32)));
typedef double gpu_f64x4 __attribute__((vector_size(32)));
typedef double gpu_f64x8 __attribute__((vector_size(64)));
typedef int64_t gpu_i64x8 __attribute__((vector_size(64)));
typedef int32_t gpu_i32x8 __attribute__((vector_size(32)));
typedef int32_t gpu_i32x4 __attribute__((vector_size(16)));

#define GPU_LANES_16(f)                                                                                                \
    {f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)}
#define GPU_LANE_X(n)   ((n) / 4 * 2 + ((n) & 1))
#define GPU_LANE_Y(n)   ((n) >> 1 & 1)
#define GPU_LANE_BIT(n) (1 << (n))

static const gpu_i32x16 gpu_lane_x = GPU_LANES_16(GPU_LANE_X), gpu_lane_y = GPU_LANES_16(GPU_LANE_Y);

/* Load and store 16 words, aligned or not. */
GPU_INLINE gpu_i32x16 gpu_lanes_load(const void *from)
{
    gpu_i32x16 v;
    memcpy(&v, from, sizeof v);
    return v;
}

GPU_INLINE void gpu_lanes_store(void *to, gpu_i32x16 v)
{
    memcpy(to, &v, sizeof v);
}

GPU_INLINE gpu_i32x16 gpu_lanes_all(int32_t word)
{
    return word - (gpu_i32x16){0};
}

/* Join vectors. With AVX-512 this avoids a round trip through memory, where a load stalls on stores of its parts;
 * compilers implement widening shuffles that way. */
GPU_INLINE gpu_i32x16 gpu_lanes_join(gpu_i32x8 low, gpu_i32x8 high)
{
#if defined(__AVX512F__)
    return (gpu_i32x16)_mm512_inserti64x4(_mm512_castsi256_si512((__m256i)low), (__m256i)high, 1);
#else
    gpu_i32x16 both;
    memcpy(&both, &low, sizeof low);
    memcpy((char *)&both + sizeof low, &high, sizeof high);
    return both;
#endif
}

GPU_INLINE gpu_i32x16 gpu_lanes_join_quads(gpu_i32x4 a, gpu_i32x4 b, gpu_i32x4 c, gpu_i32x4 d)
{
#if defined(__AVX512F__)
    return gpu_lanes_join((gpu_i32x8)_mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)a), (__m128i)b, 1),
                          (gpu_i32x8)_mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)c), (__m128i)d, 1));
#else
    gpu_i32x16 all;
    memcpy(&all, &a, sizeof a);
    memcpy((char *)&all + sizeof a, &b, sizeof b);
    memcpy((char *)&all + 2 * sizeof a, &c, sizeof c);
    memcpy((char *)&all + 3 * sizeof a, &d, sizeof d);
    return all;
#endif
}

/* Transposes pixel order (first pixels of the four quads, then the second ones, ...) to lane order. */
GPU_INLINE gpu_i32x16 gpu_lanes_of_pixels(gpu_i32x16 v)
{
#if defined(__AVX512F__)
    return __builtin_shufflevector(v, v, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
#else
    gpu_i32x4 p[4];
    memcpy(p, &v, sizeof p);
    const gpu_i32x4 a = __builtin_shufflevector(p[0], p[1], 0, 4, 1, 5);
    const gpu_i32x4 b = __builtin_shufflevector(p[2], p[3], 0, 4, 1, 5);
    const gpu_i32x4 c = __builtin_shufflevector(p[0], p[1], 2, 6, 3, 7);
    const gpu_i32x4 d = __builtin_shufflevector(p[2], p[3], 2, 6, 3, 7);
    return gpu_lanes_join_quads(__builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
                                __builtin_shufflevector(c, d, 0, 1, 4, 5), __builtin_shufflevector(c, d, 2, 3, 6, 7));
#endif
}

/* Repeats each of four words over the lanes of its quad. */
GPU_INLINE gpu_i32x16 gpu_lanes_repeat(gpu_i32x4 words)
{
#if defined(__AVX512F__)
    const __m512i lane_quad = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    return (gpu_i32x16)_mm512_permutexvar_epi32(lane_quad, _mm512_castsi128_si512((__m128i)words));
#else
    return gpu_lanes_join_quads(
        __builtin_shufflevector(words, words, 0, 0, 0, 0), __builtin_shufflevector(words, words, 1, 1, 1, 1),
        __builtin_shufflevector(words, words, 2, 2, 2, 2), __builtin_shufflevector(words, words, 3, 3, 3, 3));
#endif
}

/* One bit per lane: its sign bit. */
GPU_INLINE uint32_t gpu_lanes_negative(gpu_i32x16 v)
{
#if defined(__AVX512DQ__)
    return _mm512_movepi32_mask((__m512i)v);
#elif defined(__AVX2__)
    __m256 half[2];
    memcpy(half, &v, sizeof half);
    return (uint32_t)_mm256_movemask_ps(half[0]) | (uint32_t)_mm256_movemask_ps(half[1]) << 8;
#elif defined(__SSE2__)
    __m128 part[4];
    memcpy(part, &v, sizeof part);
    return (uint32_t)(_mm_movemask_ps(part[0]) | _mm_movemask_ps(part[1]) << 4 | _mm_movemask_ps(part[2]) << 8 |
                      _mm_movemask_ps(part[3]) << 12);
#else
    const gpu_i32x16 bit = GPU_LANES_16(GPU_LANE_BIT);
    gpu_i32x16 found = (v < 0) & bit;
    uint32_t lanes = 0;
    for (unsigned i = 0; i < 16; i++)
        lanes |= (uint32_t)found[i];
    return lanes;
#endif
}

/* All ones in each lane whose bit is set, else 0. */
GPU_INLINE gpu_i32x16 gpu_lanes_mask(uint32_t lanes)
{
#if defined(__AVX512DQ__)
    return (gpu_i32x16)_mm512_movm_epi32((__mmask16)lanes);
#else
    const gpu_i32x16 bit = GPU_LANES_16(GPU_LANE_BIT);
    return (gpu_lanes_all((int32_t)lanes) & bit) != 0;
#endif
}

/* Bit 4 * q is set for each quad q that has a lane in the mask. gpu_lanes_quad_count() counts these quads. */
GPU_INLINE uint32_t gpu_lanes_quads(uint32_t lanes)
{
    lanes |= lanes >> 1;
    return (lanes | lanes >> 2) & 0x1111;
}

GPU_INLINE unsigned gpu_lanes_quad_count(uint32_t lanes)
{
    return (gpu_lanes_quads(lanes) * 0x1111u >> 12) & 7;
}

#endif
