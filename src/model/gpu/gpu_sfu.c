/* SPDX-License-Identifier: MIT
 *
 * Special function unit: reciprocal, reciprocal square root, 2^x, log2 x. Each function is piecewise linear between
 * table points. gpu_sfu_tables.c has the points and says what is known of the chip.
 *
 * All arithmetic is on integer mantissas, so every host gives the same bits.
 */
#include "model/gpu/gpu_sfu.h"

#define SIGN     0x80000000u
#define INFINITE 0x7f800000u

/* Evaluates a function at `fraction` (0.23). `part`: use the second set of lines, for functions with two. */
static uint32_t interpolate(const struct gpu_sfu_lines *lines, bool part, uint32_t fraction)
{
    const uint32_t *points = lines->points + (part ? (1u << lines->log2_count) + 1 : 0);
    unsigned shift = 23 - lines->log2_count;
    uint32_t line = fraction >> shift, rest = fraction & ((1u << shift) - 1);
    int64_t from = points[line], to = points[line + 1];

    return (uint32_t)(from + (((to - from) * (int64_t)rest) >> shift));
}

/* Biased exponent. The functions take 255 as infinity (NaN, too) and 0 as zero (denormals, too). */
static uint32_t exponent_of(uint32_t word)
{
    return word >> 23 & 255;
}

/* 1 / (1.m * 2^e) = (2 / 1.m) * 2^(-e - 1), with 2 / 1.m in (1, 2]. */
static uint32_t recip(const struct gpu_sfu_tables *tables, uint32_t word)
{
    uint32_t sign = word & SIGN, fraction = word & 0x7fffffu;
    int32_t exponent = (int32_t)exponent_of(word);
    uint32_t value;

    if (exponent == 0)
        return sign | INFINITE;
    if (exponent == 255)
        return 0;
    value = interpolate(&tables->recip, false, fraction); /* 1 / 1.m in 0.31, (0.5, 1] */
    exponent = 253 - exponent;
    if (value >> 31) /* exactly 1 */
        return exponent + 1 <= 0 ? 0 : sign | (uint32_t)(exponent + 1) << 23;
    return exponent <= 0 ? 0 : sign | (uint32_t)exponent << 23 | (value >> 7 & 0x7fffffu);
}

/* 1 / sqrt(|x|). The exponent is made even, so the mantissa is 1.m or 2 * 1.m; there is a table for each. */
static uint32_t rsqrt(const struct gpu_sfu_tables *tables, uint32_t word)
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
    value = interpolate(&tables->rsqrt, odd, fraction); /* in (0.5, 1] */
    half = (exponent - odd) / 2;
    if (value >> 31)
        return (uint32_t)(127 - half) << 23;
    return (uint32_t)(126 - half) << 23 | (value >> 7 & 0x7fffffu);
}

/* 2^x = 2^floor(x) * 2^fraction. */
static uint32_t exp2_of(const struct gpu_sfu_tables *tables, uint32_t word)
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
    value = interpolate(&tables->exp2, false, (uint32_t)(fixed & 0x7fffff)); /* 2^fraction - 1 */
    if (whole >= 128)
        return INFINITE;
    if (whole < -126)
        return 0;
    return (uint32_t)(whole + 127) << 23 | (value >> 8);
}

/* log2 |x| = exponent + log2(1.m), computed in fixed point and then normalised. */
uint32_t gpu_sfu_log2(const struct gpu_sfu_tables *tables, uint32_t word)
{
    int32_t exponent = (int32_t)exponent_of(word) - 127;
    int64_t fixed; /* .31 */
    uint64_t magnitude;
    unsigned top;

    if (exponent == -127)
        return SIGN | INFINITE;
    if (exponent == 128)
        return INFINITE;
    fixed = (int64_t)exponent * (INT64_C(1) << 31) +
            (interpolate(&tables->log2, false, word & 0x7fffffu) & tables->log2_mask);
    if (exponent < 0)
        fixed += tables->log2_below_1;
    if (!fixed)
        return 0;
    magnitude = (uint64_t)(fixed < 0 ? -fixed : fixed);
    top = 63 - (unsigned)__builtin_clzll(magnitude);
    return (fixed < 0 ? SIGN : 0) | (127 + top - 31) << 23 |
           (uint32_t)((top >= 23 ? magnitude >> (top - 23) : magnitude << (23 - top)) & 0x7fffffu);
}

void gpu_sfu(unsigned waddr, const union gpu_vec *in, union gpu_vec *out)
{
    static uint32_t (*const functions[4])(const struct gpu_sfu_tables *, uint32_t) = {recip, rsqrt, exp2_of,
                                                                                      gpu_sfu_log2};
    uint32_t (*function)(const struct gpu_sfu_tables *, uint32_t) = functions[waddr - QPU_W_SFU_RECIP];
    const struct gpu_sfu_tables *tables = gpu_sfu_tables();

    for (unsigned l = 0; l < QPU_LANES; l++)
        out->u[l] = function(tables, in->u[l]);
}
