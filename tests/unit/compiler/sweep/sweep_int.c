/* SPDX-License-Identifier: MIT
 *
 * Integer functions, conversions and packing of the sweep: exact, except for the rounding of floats to bit fields.
 */
#include <math.h>
#include "sweep.h"

/* The words of the row's own component. */
#define X (a->words[a->component])
#define Y (a->words[4 + a->component])
#define Z (a->words[8 + a->component])
#define SX ((int32_t)X)
#define SY ((int32_t)Y)

#define JUDGE(name) static struct sweep_verdict name(const struct sweep_args *a, uint32_t got)
#define EXACT(name, want)                                                                                              \
    JUDGE(name)                                                                                                        \
    {                                                                                                                  \
        return sweep_exact(got, (uint32_t)(want));                                                                     \
    }

static bool divides(int32_t x, int32_t y)
{
    return y != 0 && !(x == INT32_MIN && y == -1);
}

static int32_t modulo(int32_t x, int32_t y)
{
    int32_t rest = x % y;
    return rest && (rest < 0) != (y < 0) ? rest + y : rest;
}

static uint32_t reversed(uint32_t x)
{
    uint32_t out = 0;
    for (int i = 0; i < 32; i++)
        out |= (x >> i & 1) << (31 - i);
    return out;
}

static uint32_t top_bit(uint32_t x)
{
    return x ? 31 - (uint32_t)__builtin_clz(x) : UINT32_MAX;
}

/* ---------------------------------------------------------------- arithmetic */

EXACT(judge_idiv, divides(SX, SY) ? (uint32_t)(SX / SY) : got)
/* GLSL's % on negative numbers is undefined; glslang translates it to OpSMod. */
EXACT(judge_irem, divides(SX, SY) ? (uint32_t)modulo(SX, SY) : got)
EXACT(judge_imul, X *Y)
EXACT(judge_ineg, -X)
EXACT(judge_udiv, Y ? X / Y : got)
EXACT(judge_umod, Y ? X % Y : got)
EXACT(judge_shr, X >> (Y & 31))
EXACT(judge_shl, X << (Y & 31))
EXACT(judge_imin, MIN2(SX, SY))
EXACT(judge_imax, MAX2(SX, SY))
EXACT(judge_iabs, SX < 0 ? -X : X)
EXACT(judge_isign, (SX > 0) - (SX < 0))
EXACT(judge_umin, MIN2(X, Y))
EXACT(judge_umax, MAX2(X, Y))
EXACT(judge_uclamp, MIN2(MAX2(X, MIN2(Y, ~Y)), MAX2(Y, ~Y)))
EXACT(judge_ult, X < Y)
/* The operands are in y and z. */
EXACT(judge_smod, divides(SY, (int32_t)Z) ? (uint32_t)modulo(SY, (int32_t)Z) : got)

JUDGE(judge_umul_extended)
{
    uint64_t product = (uint64_t)X * Y;
    return sweep_exact(got, (uint32_t)(product >> 32) ^ (uint32_t)product);
}

JUDGE(judge_imul_extended)
{
    uint64_t product = (uint64_t)((int64_t)SX * SY);
    return sweep_exact(got, (uint32_t)(product >> 32) ^ (uint32_t)product);
}

EXACT(judge_carry, (X + Y) ^ (uint32_t)(X + Y < X) << 7)
EXACT(judge_borrow, (X - Y) ^ (uint32_t)(X < Y) << 7)

/* ---------------------------------------------------------------- bits */

EXACT(judge_lsb, X ? (uint32_t)__builtin_ctz(X) : UINT32_MAX)
EXACT(judge_smsb, top_bit(SX < 0 ? ~X : X))
EXACT(judge_umsb, top_bit(X))
EXACT(judge_bit_count, __builtin_popcount(X))
EXACT(judge_reverse, reversed(X))
EXACT(judge_asr, SX >> (Y & 31))

static uint32_t field_offset(const struct sweep_args *a)
{
    return Z & 31;
}

static uint32_t field_bits(const struct sweep_args *a)
{
    return MIN2(Z >> 8 & 63, 32 - field_offset(a));
}

static uint32_t field_mask(const struct sweep_args *a)
{
    return (uint32_t)((UINT64_C(1) << field_bits(a)) - 1);
}

JUDGE(judge_insert)
{
    uint32_t mask = (uint32_t)((uint64_t)field_mask(a) << field_offset(a));
    return sweep_exact(got, (X & ~mask) | (Y << field_offset(a) & mask));
}

JUDGE(judge_extract)
{
    uint32_t bits = field_bits(a), field = X >> field_offset(a) & field_mask(a);
    if (bits && field >> (bits - 1) & 1)
        field |= ~field_mask(a);
    return sweep_exact(got, field);
}

EXACT(judge_uextract, X >> field_offset(a) & field_mask(a))

/* ---------------------------------------------------------------- conversions */

static double value(uint32_t word)
{
    return util_uif(word);
}

EXACT(judge_to_int, (int32_t)value(X))
EXACT(judge_to_uint, (uint32_t)value(X))
EXACT(judge_bits, X)

JUDGE(judge_from_int)
{
    return sweep_float(got, SX, fabs((double)SX) < 0x1000000 ? 0 : sweep_ulp(SX));
}

JUDGE(judge_from_uint)
{
    return sweep_float(got, X, X < 0x1000000 ? 0 : sweep_ulp(X));
}

static double half_value(uint32_t h)
{
    uint32_t exponent = h >> 10 & 31, mantissa = h & 0x3ff;
    double size = exponent == 31 ? mantissa ? NAN : INFINITY
                  : !exponent    ? ldexp(mantissa, -24)
                                 : ldexp(mantissa + 1024, (int)exponent - 25);
    return h & 0x8000 ? -size : size;
}

/* Either rounding is allowed. Values too small for a normal half may be 0; too large values give infinity or the
 * largest half. */
static bool is_half_of(double got, double x)
{
    double size = fabs(x), step = ldexp(1, MAX2(size > 0 ? ilogb(size) : -14, -14) - 10);
    if (size < ldexp(1, -14) && got == 0)
        return true;
    if (size > 65504)
        return (isinf(got) || (size < 65536 && fabs(got) == 65504)) && (got < 0) == (x < 0);
    return fabs(got - x) < step || (isinf(got) && size >= 65504);
}

JUDGE(judge_pack_half)
{
    bool ok = is_half_of(half_value(got & 0xffff), value(X)) && is_half_of(half_value(got >> 16), value(Y));
    return sweep_exact(got, ok ? got : ~got);
}

JUDGE(judge_quantize)
{
    return sweep_exact(got, is_half_of(value(got), value(X)) ? got : ~got);
}

JUDGE(judge_unpack_half)
{
    double want = half_value(X >> 16);
    if (isnan(want) || isinf(want))
        return sweep_exact(got, got);
    return fabs(want) < ldexp(1, -14) && fabs(value(got)) < ldexp(1, -126) ? sweep_exact(got, got)
                                                                           : sweep_float(got, want, 0);
}

/* ---------------------------------------------------------------- packing */

/* Is `field` x scaled and rounded? Near a tie either rounding is allowed. */
static bool is_field(double x, double low, double scale, uint32_t bits, uint32_t field)
{
    double scaled = fmin(fmax(x, low), 1) * scale;
    int32_t got = low < 0 ? (int32_t)(field << (32 - bits)) >> (32 - bits) : (int32_t)field;
    return fabs(got - scaled) <= 0.5 + scale * 1e-7;
}

/* Fields of `bits` bits from x, y, z, x. */
static struct sweep_verdict fields(const struct sweep_args *a, uint32_t got, double low, uint32_t bits)
{
    const uint32_t in[4] = {X, Y, Z, X};
    double scale = low < 0 ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    bool ok = true;
    for (uint32_t i = 0; i < 32 / bits; i++)
        ok &= is_field(value(in[i]), low, scale, bits, got >> (bits * i) & ((1u << bits) - 1));
    return sweep_exact(got, ok ? got : ~got);
}

JUDGE(judge_pack_unorm16)
{
    return fields(a, got, 0, 16);
}

JUDGE(judge_pack_snorm16)
{
    return fields(a, got, -1, 16);
}

JUDGE(judge_pack_unorm8)
{
    return fields(a, got, 0, 8);
}

JUDGE(judge_pack_snorm8)
{
    return fields(a, got, -1, 8);
}

static struct sweep_verdict quotient(uint32_t got, double x, double y)
{
    return sweep_float(got, fmax(x / y, -1), 2.5 * sweep_ulp(x / y));
}

JUDGE(judge_unpack_unorm16)
{
    return quotient(got, X >> 16, 65535);
}

JUDGE(judge_unpack_snorm16)
{
    return quotient(got, (int16_t)X, 32767);
}

JUDGE(judge_unpack_unorm8)
{
    return quotient(got, X >> 16 & 0xff, 255);
}

JUDGE(judge_unpack_snorm8)
{
    return quotient(got, (int8_t)(X >> 24), 127);
}

/* ---------------------------------------------------------------- parts of floats */

JUDGE(judge_modf)
{
    return sweep_float(got, value(X) - trunc(value(X)), 0);
}

JUDGE(judge_modf_whole)
{
    return sweep_float(got, trunc(value(X)), 0);
}

JUDGE(judge_frexp)
{
    int exponent;
    double mantissa = frexp(value(X), &exponent), want = mantissa + 4 * exponent;
    return sweep_float(got, want, sweep_ulp(want));
}

JUDGE(judge_ldexp)
{
    double want = ldexp(value(X), (int)value(Y));
    return sweep_float(got, want, sweep_ulp(want));
}

JUDGE(judge_is_nan)
{
    return sweep_float(got, isnan(value(X)) ? 1 : 0, 0);
}

JUDGE(judge_is_inf)
{
    return sweep_float(got, isinf(value(X)) ? 1 : 0, 0);
}

/* ---------------------------------------------------------------- rows */

#define WORDS            {SWEEP_WORDS, 0, 0}
#define RANGE(low, high) {SWEEP_BETWEEN, low, high}
#define TWO_WORDS        {WORDS, WORDS, WORDS}

const struct sweep_row sweep_int_rows[] = {
    {"int_division", 0, "x / y, signed", judge_idiv, TWO_WORDS},
    {"int_division", 1, "x % y, signed", judge_irem, TWO_WORDS},
    {"int_division", 2, "x * y", judge_imul, TWO_WORDS},
    {"int_division", 3, "-x", judge_ineg, TWO_WORDS},
    {"uint_division", 0, "x / y, unsigned", judge_udiv, TWO_WORDS},
    {"uint_division", 1, "x % y, unsigned", judge_umod, TWO_WORDS},
    {"uint_division", 2, "x >> y", judge_shr, TWO_WORDS},
    {"uint_division", 3, "x << y", judge_shl, TWO_WORDS},
    {"int_choices", 0, "min, signed", judge_imin, TWO_WORDS},
    {"int_choices", 1, "max, signed", judge_imax, TWO_WORDS},
    {"int_choices", 2, "abs, signed", judge_iabs, TWO_WORDS},
    {"int_choices", 3, "sign, signed", judge_isign, TWO_WORDS},
    {"uint_choices", 0, "min, unsigned", judge_umin, TWO_WORDS},
    {"uint_choices", 1, "max, unsigned", judge_umax, TWO_WORDS},
    {"uint_choices", 2, "clamp, unsigned", judge_uclamp, TWO_WORDS},
    {"uint_choices", 3, "x < y, unsigned", judge_ult, TWO_WORDS},
    {"bits", 0, "findLSB", judge_lsb, TWO_WORDS},
    {"bits", 1, "findMSB, signed", judge_smsb, TWO_WORDS},
    {"bits", 2, "bitCount", judge_bit_count, TWO_WORDS},
    {"bits", 3, "bitfieldReverse", judge_reverse, TWO_WORDS},
    {"bits_unsigned", 0, "findLSB, unsigned", judge_lsb, TWO_WORDS},
    {"bits_unsigned", 1, "findMSB, unsigned", judge_umsb, TWO_WORDS},
    {"bits_unsigned", 2, "bitCount, unsigned", judge_bit_count, TWO_WORDS},
    {"bits_unsigned", 3, "bitfieldReverse, unsigned", judge_reverse, TWO_WORDS},
    {"to_int", 0, "int(float)", judge_to_int, {RANGE(-2147483000.0, 2147483000.0)}},
    {"to_int", 1, "uint(float)", judge_to_uint, {RANGE(0, 4294967000.0)}},
    {"to_int", 2, "packHalf2x16", judge_pack_half, {RANGE(-70000, 70000), RANGE(-0.001, 0.001)}},
    {"to_int", 3, "floatBitsToInt", judge_bits, {WORDS}},
    {"from_int", 0, "float(int)", judge_from_int, TWO_WORDS},
    {"from_int", 1, "float(uint)", judge_from_uint, TWO_WORDS},
    {"from_int", 2, "intBitsToFloat", judge_bits, TWO_WORDS},
    {"from_int", 3, "unpackHalf2x16", judge_unpack_half, TWO_WORDS},
    {"pack", 0, "packUnorm2x16", judge_pack_unorm16, {RANGE(-0.5, 1.5), RANGE(0, 1)}},
    {"pack", 1, "packSnorm2x16", judge_pack_snorm16, {RANGE(-2, 2), RANGE(-1, 1)}},
    {"pack", 2, "packUnorm4x8", judge_pack_unorm8, {RANGE(-0.5, 1.5), RANGE(0, 1), RANGE(0, 1)}},
    {"pack", 3, "packSnorm4x8", judge_pack_snorm8, {RANGE(-2, 2), RANGE(-1, 1), RANGE(-1, 1)}},
    {"unpack", 0, "unpackUnorm2x16", judge_unpack_unorm16, TWO_WORDS},
    {"unpack", 1, "unpackSnorm2x16", judge_unpack_snorm16, TWO_WORDS},
    {"unpack", 2, "unpackUnorm4x8", judge_unpack_unorm8, TWO_WORDS},
    {"unpack", 3, "unpackSnorm4x8", judge_unpack_snorm8, TWO_WORDS},
    {"extended", 0, "umulExtended", judge_umul_extended, TWO_WORDS},
    {"extended", 1, "imulExtended", judge_imul_extended, TWO_WORDS},
    {"extended", 2, "uaddCarry", judge_carry, TWO_WORDS},
    {"extended", 3, "usubBorrow", judge_borrow, TWO_WORDS},
    {"fields", 0, "bitfieldInsert", judge_insert, TWO_WORDS},
    {"fields", 1, "bitfieldExtract", judge_extract, TWO_WORDS},
    {"fields", 2, "bitfieldExtract, unsigned", judge_uextract, TWO_WORDS},
    {"fields", 3, "x >> y, signed", judge_asr, TWO_WORDS},
    {"parts", 0, "modf", judge_modf, {RANGE(-1000, 1000)}},
    {"parts", 1, "frexp", judge_frexp, {{SWEEP_FLOATS, 0, 0}}},
    {"parts", 2, "ldexp", judge_ldexp, {RANGE(-100, 100), RANGE(-160, 160)}},
    {"parts", 3, "modf, whole part", judge_modf_whole, {RANGE(-1000, 1000)}},
    {"spirv_more", 0, "OpQuantizeToF16", judge_quantize, {RANGE(-70000, 70000)}},
    {"spirv_more", 1, "OpSMod", judge_smod, TWO_WORDS},
    {"spirv_more", 2, "isnan", judge_is_nan, {WORDS}},
    {"spirv_more", 3, "isinf", judge_is_inf, {WORDS}},
    {.file = NULL},
};
