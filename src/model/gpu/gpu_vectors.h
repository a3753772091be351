/* SPDX-License-Identifier: MIT
 *
 * SIMD vectors of the host's native width. Files that include this header are compiled once per vector extension, and
 * gpu_simd.c selects one at run time. A vector has SIMD_LANES lanes, 16, 8 or 4, which are whole quads. A mask is all
 * ones or zero in each lane.
 *
 * Only operations that C's vector arithmetic cannot express, or that compilers translate to slow code, are defined
 * here.
 */
#ifndef GPU_VECTORS_H
#define GPU_VECTORS_H

#include <string.h>
#include "model/gpu/gpu_alu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

#if defined(__AVX512BW__) && defined(__AVX512DQ__)
#define SIMD_LANES      16
#define SIMD_NAME(name) name##_avx512
#elif defined(__AVX2__)
#define SIMD_LANES      8
#define SIMD_NAME(name) name##_avx2
#else
#define SIMD_LANES      4
#define SIMD_NAME(name) name##_base
#endif

typedef float simd_f __attribute__((vector_size(4 * SIMD_LANES)));
typedef int32_t simd_i __attribute__((vector_size(4 * SIMD_LANES)));
typedef uint32_t simd_u __attribute__((vector_size(4 * SIMD_LANES)));
typedef uint16_t simd_h __attribute__((vector_size(4 * SIMD_LANES))); /* two per lane, low half first */

/* -- memory ------------------------------------------------------------------------------------------------------- */

static inline simd_f simd_load_f(const union gpu_vec *v, unsigned first)
{
    simd_f out;

    memcpy(&out, &v->f[first], sizeof out);
    return out;
}

static inline void simd_store(union gpu_vec *v, unsigned first, simd_u words)
{
    memcpy(&v->u[first], &words, sizeof words);
}

/* Loads the words at byte offsets from `base`; offsets must be below 2^31. */
static inline simd_u simd_gather(const uint8_t *base, simd_u offset)
{
#if SIMD_LANES == 16
    return (simd_u)_mm512_i32gather_epi32((__m512i)offset, base, 1);
#elif SIMD_LANES == 8
    return (simd_u)_mm256_i32gather_epi32((const int *)(const void *)base, (__m256i)offset, 1);
#else
    simd_u out;

    for (unsigned l = 0; l < SIMD_LANES; l++) {
        uint32_t word;
        memcpy(&word, base + offset[l], 4);
        out[l] = word;
    }
    return out;
#endif
}

/* -- lanes -------------------------------------------------------------------------------------------------------- */

static inline simd_u simd_splat(uint32_t word)
{
    return (simd_u){0} + word;
}

static inline simd_f simd_splat_f(float x)
{
    simd_f out;

    for (unsigned l = 0; l < SIMD_LANES; l++)
        out[l] = x;
    return out;
}

static inline simd_u simd_select(simd_i mask, simd_u yes, simd_u no)
{
    return ((simd_u)mask & yes) | (~(simd_u)mask & no);
}

static inline simd_f simd_select_f(simd_i mask, simd_f yes, simd_f no)
{
    return (simd_f)simd_select(mask, (simd_u)yes, (simd_u)no);
}

/* One bit per lane of a mask. */
static inline unsigned simd_bits(simd_i mask)
{
#if SIMD_LANES == 16
    return (unsigned)_mm512_movepi32_mask((__m512i)mask);
#elif SIMD_LANES == 8
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)mask);
#else
    unsigned bits = 0;

    for (unsigned l = 0; l < SIMD_LANES; l++)
        bits |= (unsigned)(mask[l] & 1) << l;
    return bits;
#endif
}

/* Replicates lane `n` of each quad over the quad. */
#if SIMD_LANES == 16
#define simd_quad(v, n) ((simd_f)_mm512_permute_ps((__m512)(v), 0x55 * (n)))
#elif SIMD_LANES == 8
#define simd_quad(v, n) ((simd_f)_mm256_permute_ps((__m256)(v), 0x55 * (n)))
#elif defined(__SSE2__)
#define simd_quad(v, n) ((simd_f)_mm_shuffle_ps((__m128)(v), (__m128)(v), 0x55 * (n)))
#else
#define simd_quad(v, n) simd_splat_f((v)[n])
#endif

/* Lane l gets the value of lane l ^ n; n is 1 or 2. */
static inline simd_f simd_neighbour(simd_f v, unsigned n)
{
    simd_f out;

    for (unsigned l = 0; l < SIMD_LANES; l++)
        out[l] = v[l ^ n];
    return out;
}

/* -- numbers ------------------------------------------------------------------------------------------------------ */

/* Maximum; gives the bound where x is NaN. simd_at_most() is the minimum. */
static inline simd_f simd_at_least(simd_f x, simd_f bound)
{
#if SIMD_LANES == 16
    return (simd_f)_mm512_max_ps((__m512)x, (__m512)bound);
#elif SIMD_LANES == 8
    return (simd_f)_mm256_max_ps((__m256)x, (__m256)bound);
#elif defined(__SSE2__)
    return (simd_f)_mm_max_ps((__m128)x, (__m128)bound);
#else
    return simd_select_f(x > bound, x, bound);
#endif
}

static inline simd_f simd_at_most(simd_f x, simd_f bound)
{
#if SIMD_LANES == 16
    return (simd_f)_mm512_min_ps((__m512)x, (__m512)bound);
#elif SIMD_LANES == 8
    return (simd_f)_mm256_min_ps((__m256)x, (__m256)bound);
#elif defined(__SSE2__)
    return (simd_f)_mm_min_ps((__m128)x, (__m128)bound);
#else
    return simd_select_f(x < bound, x, bound);
#endif
}

/* Clamps to 0..last. */
static inline simd_i simd_clamp_index(simd_i x, int32_t last)
{
    simd_i most = (simd_i)simd_splat((uint32_t)last);

#if SIMD_LANES == 16
    return (simd_i)_mm512_min_epi32(_mm512_max_epi32((__m512i)x, _mm512_setzero_si512()), (__m512i)most);
#elif SIMD_LANES == 8
    return (simd_i)_mm256_min_epi32(_mm256_max_epi32((__m256i)x, _mm256_setzero_si256()), (__m256i)most);
#else
    x &= ~(x < 0);
    return (simd_i)simd_select(x > most, (simd_u)most, (simd_u)x);
#endif
}

static inline simd_f simd_to_float(simd_i x)
{
    return __builtin_convertvector(x, simd_f);
}

/* Rounds toward zero; x must fit an int32_t. */
static inline simd_i simd_to_int(simd_f x)
{
    return __builtin_convertvector(x, simd_i);
}

static inline simd_i simd_floor(simd_f x)
{
    simd_i i = simd_to_int(x);

    return i + (x < simd_to_float(i));
}

/* Per lane: sum of the products of the signed 16-bit halves. */
static inline simd_u simd_pair_products(simd_u a, simd_u b)
{
#if SIMD_LANES == 16
    return (simd_u)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif SIMD_LANES == 8
    return (simd_u)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (simd_u)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    simd_i x = (simd_i)a, y = (simd_i)b;

    return (simd_u)((x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16));
#endif
}

#endif
