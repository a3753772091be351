/* SPDX-License-Identifier: MIT
 *
 * The host's vectors, as wide as they are: files that include this are compiled once for each kind of host, and
 * gpu_simd.c says at run time which of them serves. A vector has WIDE lanes, 16, 8 or 4, whole quads; masks are all
 * ones or zero in a lane.
 *
 * Only what C's vector arithmetic cannot say, or compilers make slow code of, is here.
 */
#ifndef GPU_VECTORS_H
#define GPU_VECTORS_H

#include <string.h>
#include "model/gpu/gpu_alu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

#if defined(__AVX512BW__) && defined(__AVX512DQ__)
#define WIDE          16
#define WIDE_IS(name) name##_avx512
#elif defined(__AVX2__)
#define WIDE          8
#define WIDE_IS(name) name##_avx2
#else
#define WIDE          4
#define WIDE_IS(name) name##_base
#endif

typedef float wide_f __attribute__((vector_size(4 * WIDE)));
typedef int32_t wide_i __attribute__((vector_size(4 * WIDE)));
typedef uint32_t wide_u __attribute__((vector_size(4 * WIDE)));
typedef uint16_t wide_h __attribute__((vector_size(4 * WIDE))); /* two of a lane: low half first */

/* -- memory ------------------------------------------------------------------------------------------------------- */

static inline wide_f wide_load_f(const union gpu_vec *v, unsigned first)
{
    wide_f out;

    memcpy(&out, &v->f[first], sizeof out);
    return out;
}

static inline void wide_store(union gpu_vec *v, unsigned first, wide_u words)
{
    memcpy(&v->u[first], &words, sizeof words);
}

/* The words at byte offsets below 2^31. */
static inline wide_u wide_gather(const uint8_t *base, wide_u offset)
{
#if WIDE == 16
    return (wide_u)_mm512_i32gather_epi32((__m512i)offset, base, 1);
#elif WIDE == 8
    return (wide_u)_mm256_i32gather_epi32((const int *)(const void *)base, (__m256i)offset, 1);
#else
    wide_u out;

    for (unsigned l = 0; l < WIDE; l++) {
        uint32_t word;
        memcpy(&word, base + offset[l], 4);
        out[l] = word;
    }
    return out;
#endif
}

/* -- lanes -------------------------------------------------------------------------------------------------------- */

static inline wide_u wide_splat(uint32_t word)
{
    return (wide_u){0} + word;
}

static inline wide_f wide_splat_f(float x)
{
    wide_f out;

    for (unsigned l = 0; l < WIDE; l++)
        out[l] = x;
    return out;
}

static inline wide_u wide_select(wide_i mask, wide_u yes, wide_u no)
{
    return ((wide_u)mask & yes) | (~(wide_u)mask & no);
}

static inline wide_f wide_select_f(wide_i mask, wide_f yes, wide_f no)
{
    return (wide_f)wide_select(mask, (wide_u)yes, (wide_u)no);
}

/* A bit for each lane of a mask. */
static inline unsigned wide_bits(wide_i mask)
{
#if WIDE == 16
    return (unsigned)_mm512_movepi32_mask((__m512i)mask);
#elif WIDE == 8
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)mask);
#else
    unsigned bits = 0;

    for (unsigned l = 0; l < WIDE; l++)
        bits |= (unsigned)(mask[l] & 1) << l;
    return bits;
#endif
}

/* Lane `n` of each quad in all four. */
#if WIDE == 16
#define wide_quad(v, n) ((wide_f)_mm512_permute_ps((__m512)(v), 0x55 * (n)))
#elif WIDE == 8
#define wide_quad(v, n) ((wide_f)_mm256_permute_ps((__m256)(v), 0x55 * (n)))
#elif defined(__SSE2__)
#define wide_quad(v, n) ((wide_f)_mm_shuffle_ps((__m128)(v), (__m128)(v), 0x55 * (n)))
#else
#define wide_quad(v, n) wide_splat_f((v)[n])
#endif

/* Lane l ^ n, n being 1 or 2. */
static inline wide_f wide_neighbour(wide_f v, unsigned n)
{
    wide_f out;

    for (unsigned l = 0; l < WIDE; l++)
        out[l] = v[l ^ n];
    return out;
}

/* -- numbers ------------------------------------------------------------------------------------------------------ */

/* The greater one; the bound where x is no number. */
static inline wide_f wide_at_least(wide_f x, wide_f bound)
{
#if WIDE == 16
    return (wide_f)_mm512_max_ps((__m512)x, (__m512)bound);
#elif WIDE == 8
    return (wide_f)_mm256_max_ps((__m256)x, (__m256)bound);
#elif defined(__SSE2__)
    return (wide_f)_mm_max_ps((__m128)x, (__m128)bound);
#else
    return wide_select_f(x > bound, x, bound);
#endif
}

static inline wide_f wide_at_most(wide_f x, wide_f bound)
{
#if WIDE == 16
    return (wide_f)_mm512_min_ps((__m512)x, (__m512)bound);
#elif WIDE == 8
    return (wide_f)_mm256_min_ps((__m256)x, (__m256)bound);
#elif defined(__SSE2__)
    return (wide_f)_mm_min_ps((__m128)x, (__m128)bound);
#else
    return wide_select_f(x < bound, x, bound);
#endif
}

/* Between 0 and `last`. */
static inline wide_i wide_clamp_index(wide_i x, int32_t last)
{
    wide_i most = (wide_i)wide_splat((uint32_t)last);

#if WIDE == 16
    return (wide_i)_mm512_min_epi32(_mm512_max_epi32((__m512i)x, _mm512_setzero_si512()), (__m512i)most);
#elif WIDE == 8
    return (wide_i)_mm256_min_epi32(_mm256_max_epi32((__m256i)x, _mm256_setzero_si256()), (__m256i)most);
#else
    x &= ~(x < 0);
    return (wide_i)wide_select(x > most, (wide_u)most, (wide_u)x);
#endif
}

static inline wide_f wide_to_float(wide_i x)
{
    return __builtin_convertvector(x, wide_f);
}

/* Toward zero; numbers that fit. */
static inline wide_i wide_to_int(wide_f x)
{
    return __builtin_convertvector(x, wide_i);
}

static inline wide_i wide_floor(wide_f x)
{
    wide_i i = wide_to_int(x);

    return i + (x < wide_to_float(i));
}

/* Sum of the products of both signed halves of each lane. */
static inline wide_u wide_pair_products(wide_u a, wide_u b)
{
#if WIDE == 16
    return (wide_u)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif WIDE == 8
    return (wide_u)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (wide_u)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    wide_i x = (wide_i)a, y = (wide_i)b;

    return (wide_u)((x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16));
#endif
}

#endif
