/* SPDX-License-Identifier: MIT
 *
 * Special function unit. What is known of the chip [hardware notes 2.3.4]: about 10-12 good bits for the reciprocal, 12
 * for rsqrt and log2, 11 for exp2, which is not exact on whole numbers: exp2(1) = 2.00006, log2(0.5) = -0.99998, while
 * log2(1) = 0. How the bits are wrong is not known: here each function is a straight line between table points, with
 * as many points as give the documented error and no fewer, so that no program can rely on more than the chip grants
 * (tests/unit/gpu_qpu/sfu.c holds the error to the documented range from both sides).
 *
 * Everything is integer arithmetic on mantissas, so every host gives the same bits.
 */
#include "model/gpu/gpu_sfu.h"

#define SIGN     0x80000000u
#define INFINITE 0x7f800000u

/* A function on [0, 1) as a line through 2^log2_segments + 1 points of 0.31 fixed point, `fraction` in 0.23. */
struct line_table {
    unsigned log2_segments;
    const uint32_t *points;
};

static uint32_t interpolate(const struct line_table *table, uint32_t fraction)
{
    unsigned shift = 23 - table->log2_segments;
    uint32_t segment = fraction >> shift, part = fraction & ((1u << shift) - 1);
    int64_t from = table->points[segment], to = table->points[segment + 1];

    return (uint32_t)(from + (((to - from) * (int64_t)part) >> shift));
}

/* 1 / (1 + x): 32 segments, error up to 2^-12.2 */
static const uint32_t recip_points[] = {
    0x80000000, 0x7c1f07c1, 0x78787878, 0x75075075, 0x71c71c71, 0x6eb3e453, 0x6bca1af2, 0x69069069, 0x66666666,
    0x63e7063e, 0x61861861, 0x5f417d05, 0x5d1745d1, 0x5b05b05b, 0x590b2164, 0x572620ae, 0x55555555, 0x5397829c,
    0x51eb851e, 0x50505050, 0x4ec4ec4e, 0x4d4873ec, 0x4bda12f6, 0x4a7904a7, 0x49249249, 0x47dc11f7, 0x469ee584,
    0x456c797d, 0x44444444, 0x4325c53e, 0x42108421, 0x41041041, 0x40000000,
};
static const struct line_table recip_table = {5, recip_points};

/* 1 / sqrt(1 + x), and behind it 1 / sqrt(2 + 2x): 16 segments each, error up to 2^-11.4 */
#define RSQRT_POINTS 17
static const uint32_t rsqrt_points[2 * RSQRT_POINTS] = {
    0x80000000, 0x7c2da123, 0x78adf777, 0x7575faa4, 0x727c9716, 0x6fba415b, 0x6d28a4f0, 0x6ac266ba, 0x6882f5c0,
    0x66666666, 0x64695585, 0x6288d173, 0x60c2479a, 0x5f137598, 0x5d7a5d1a, 0x5bf539e4, 0x5a827999, 0x5a827999,
    0x57cea99c, 0x55555555, 0x530eafa4, 0x50f44d89, 0x4f00d943, 0x4d2fd8f4, 0x4b7d8317, 0x49e69d16, 0x48686147,
    0x47006a80, 0x45aca3d5, 0x446b3b95, 0x433a98c5, 0x4219528b, 0x41062920, 0x40000000,
};
static const struct line_table rsqrt_even_table = {4, rsqrt_points};
static const struct line_table rsqrt_odd_table = {4, rsqrt_points + RSQRT_POINTS};

/* 2^x * (1 + 2^-15) - 1: 16 segments, error up to 2^-11.8 */
static const uint32_t exp2_points[] = {
    0x00010000, 0x05abcebd, 0x0b96d90f, 0x11c4f6fb, 0x183920c1, 0x1ef6704a, 0x260022a7, 0x2d59999a, 0x35065d3d,
    0x3d0a1db0, 0x4568b4df, 0x4e26285e, 0x5746ab54, 0x60cea085, 0x6ac29c69, 0x75276760, 0x7fffffff,
};
static const struct line_table exp2_table = {4, exp2_points};

/* log2(1 + x): 32 segments, error up to 2^-12.5 */
static const uint32_t log2_points[] = {
    0x00000000, 0x05aeb4dd, 0x0b31fb7d, 0x108c588c, 0x15c01a39, 0x1acf5e2d, 0x1fbc16b9, 0x24880f56, 0x2934f097,
    0x2dc4439b, 0x32377512, 0x368fd7ee, 0x3acea7c0, 0x3ef50ad1, 0x43041403, 0x46fcc47a, 0x4ae00d1c, 0x4eaecfea,
    0x5269e12f, 0x5612089a, 0x59a80239, 0x5d2c7f59, 0x60a02756, 0x64039858, 0x675767f5, 0x6a9c23d6, 0x6dd2523d,
    0x70fa728b, 0x7414fdb4, 0x772266ac, 0x7a231acd, 0x7d17822f, 0x80000000,
};
static const struct line_table log2_table = {5, log2_points};

#define LOG2_NEGATIVE_ERROR (INT64_C(1) << (31 - 16)) /* 1.5e-5 */

/* NaN counts as infinity, denormals as zero. */
static uint32_t exponent_of(uint32_t word)
{
    return word >> 23 & 255;
}

/* 1 / (1.m * 2^e) = (2 / 1.m) * 2^(-e - 1), the bracket lying in (1, 2]. */
static uint32_t recip(uint32_t word)
{
    uint32_t sign = word & SIGN, fraction = word & 0x7fffffu;
    int32_t exponent = (int32_t)exponent_of(word);
    uint32_t value;

    if (exponent == 0)
        return sign | INFINITE;
    if (exponent == 255)
        return 0;
    value = interpolate(&recip_table, fraction); /* 1 / 1.m in 0.31, (0.5, 1] */
    exponent = 253 - exponent;
    if (value >> 31) /* exactly 1 */
        return exponent + 1 <= 0 ? 0 : sign | (uint32_t)(exponent + 1) << 23;
    return exponent <= 0 ? 0 : sign | (uint32_t)exponent << 23 | (value >> 7 & 0x7fffffu);
}

/* 1 / sqrt(|x|): the mantissa with an even exponent is 1.m or 2 * 1.m, a table for each. */
static uint32_t rsqrt(uint32_t word)
{
    uint32_t fraction = word & 0x7fffffu;
    int32_t exponent = (int32_t)exponent_of(word) - 127;
    bool odd = exponent & 1;
    uint32_t value;
    int32_t half;

    if (exponent == -127)
        return INFINITE;
    if (exponent == 128)
        return 0;
    value = interpolate(odd ? &rsqrt_odd_table : &rsqrt_even_table, fraction); /* in (0.5, 1] */
    half = (exponent - odd) / 2;
    if (value >> 31)
        return (uint32_t)(127 - half) << 23;
    return (uint32_t)(126 - half) << 23 | (value >> 7 & 0x7fffffu);
}

/* 2^x = 2^floor(x) * 2^fraction. */
static uint32_t exp2_of(uint32_t word)
{
    int32_t exponent = (int32_t)exponent_of(word) - 127;
    uint64_t mantissa = (word & 0x7fffffu) | 0x800000u;
    int64_t fixed; /* x in .23 */
    int32_t whole;
    uint32_t value;

    if (exponent >= 8) /* |x| >= 256 */
        return word & SIGN ? 0 : INFINITE;
    if (exponent == -127)
        fixed = 0;
    else
        fixed = (int64_t)(exponent >= 0 ? mantissa << exponent : exponent > -24 ? mantissa >> -exponent : 0);
    if (word & SIGN)
        fixed = -fixed;
    whole = (int32_t)(fixed >> 23);
    value = interpolate(&exp2_table, (uint32_t)(fixed & 0x7fffff)); /* 2^fraction - 1 */
    if (whole >= 128)
        return INFINITE;
    if (whole < -126)
        return 0;
    return (uint32_t)(whole + 127) << 23 | (value >> 8);
}

/* log2 |x| = exponent + log2(1.m), as a fixed-point number that is then normalised. */
uint32_t gpu_sfu_log2(uint32_t word)
{
    int32_t exponent = (int32_t)exponent_of(word) - 127;
    int64_t fixed; /* .31 */
    uint64_t magnitude;
    unsigned top;

    if (exponent == -127)
        return SIGN | INFINITE;
    if (exponent == 128)
        return INFINITE;
    fixed = (int64_t)exponent * (INT64_C(1) << 31) + interpolate(&log2_table, word & 0x7fffffu);
    if (exponent < 0) /* log2(0.5) = -0.99998 */
        fixed += LOG2_NEGATIVE_ERROR;
    if (!fixed)
        return 0;
    magnitude = (uint64_t)(fixed < 0 ? -fixed : fixed);
    top = 63 - (unsigned)__builtin_clzll(magnitude);
    return (fixed < 0 ? SIGN : 0) | (127 + top - 31) << 23 |
           (uint32_t)((top >= 23 ? magnitude >> (top - 23) : magnitude << (23 - top)) & 0x7fffffu);
}

void gpu_sfu(unsigned waddr, const union gpu_vec *in, union gpu_vec *out)
{
    static uint32_t (*const functions[4])(uint32_t) = {recip, rsqrt, exp2_of, gpu_sfu_log2};
    uint32_t (*function)(uint32_t) = functions[waddr - QPU_W_SFU_RECIP];

    for (unsigned l = 0; l < QPU_LANES; l++)
        out->u[l] = function(in->u[l]);
}

const struct gpu_sfu_tables gpu_sfu_tables = {recip_points, rsqrt_points, exp2_points, log2_points,
                                              (uint32_t)LOG2_NEGATIVE_ERROR};
