/* SPDX-License-Identifier: MIT
 *
 * Evaluates one operation of enum hw_expr_op. Sums and products of floats are computed in integer arithmetic: the chip
 * truncates, so this is simple, and every host gets the same result. Infinities, NaN and denormals are handled as in
 * the model of the chip [guide p.35-36; measured by the VC4C project].
 */
#include "hw/expr.h"

#include <math.h>
#include "util/macros.h"

#define SIGN     0x80000000u
#define INFINITE 0x7f800000u
#define MANTISSA 0x007fffffu

/* ---------------------------------------------------------------- sums and products */

/* An operand as the float units read it: denormals and -0 become 0, NaN becomes infinity. */
static uint32_t float_operand(uint32_t word)
{
    uint32_t exponent = word & INFINITE;
    if (!exponent)
        return 0;
    return exponent == INFINITE ? word & (SIGN | INFINITE) : word;
}

static bool is_infinite(uint32_t word)
{
    return (word & INFINITE) == INFINITE;
}

/* mantissa * 2^(exponent - 127 - 23) as a float, truncated; `mantissa` is below 2^63. */
static uint32_t pack(uint32_t sign, uint64_t mantissa, int exponent)
{
    if (!mantissa)
        return 0;
    int shift = 40 - __builtin_clzll(mantissa); /* number of bits above 24 */
    mantissa = shift >= 0 ? mantissa >> shift : mantissa << -shift;
    exponent += shift;
    if (exponent <= 0)
        return 0;
    return exponent >= 255 ? sign | INFINITE : sign | (uint32_t)exponent << 23 | ((uint32_t)mantissa & MANTISSA);
}

static uint32_t add(uint32_t a, uint32_t b)
{
    a = float_operand(a), b = float_operand(b);
    if (is_infinite(b))
        return b; /* the second of two infinities wins */
    if (is_infinite(a) || !b)
        return a;
    if (!a)
        return b;
    if ((a & ~SIGN) < (b & ~SIGN)) {
        uint32_t t = a;
        a = b, b = t;
    }
    int exponent = (int)(a >> 23 & 255), distance = exponent - (int)(b >> 23 & 255);
    uint64_t x = (uint64_t)((a & MANTISSA) | 1u << 23) << 32, y = (uint64_t)((b & MANTISSA) | 1u << 23) << 32;
    /* Bits shifted out of y still make a difference smaller: borrow one, as the result is truncated. */
    bool lost = distance > 55 || (y & ((UINT64_C(1) << distance) - 1));
    y = distance > 55 ? 0 : y >> distance;
    uint64_t sum = (a ^ b) & SIGN ? x - y - lost : x + y;
    return pack(a & SIGN, sum, exponent - 32);
}

static bool is_inf_minus_inf(uint32_t a, uint32_t b)
{
    return is_infinite(a) && is_infinite(b) && (a ^ b) & SIGN;
}

static uint32_t multiply(uint32_t a, uint32_t b)
{
    a = float_operand(a), b = float_operand(b);
    uint32_t sign = (a ^ b) & SIGN;
    if (!a || !b)
        return 0; /* even if the other one is infinite */
    if (is_infinite(a) || is_infinite(b))
        return sign | INFINITE;
    uint64_t product = (uint64_t)((a & MANTISSA) | 1u << 23) * ((b & MANTISSA) | 1u << 23);
    return pack(sign, product, (int)(a >> 23 & 255) + (int)(b >> 23 & 255) - 127 - 23);
}

/* An integer that orders as the float does; both zeros are equal. */
static int32_t order_key(uint32_t word)
{
    int32_t magnitude = (int32_t)(word & ~SIGN);
    return word & SIGN ? -magnitude : magnitude;
}

/* ---------------------------------------------------------------- functions */

static double to_double(uint32_t word)
{
    return (double)util_uif(float_operand(word));
}

/* False for NaN, which is stored as 0. Denormals are flushed. */
static bool round_to_word(double value, uint32_t *out)
{
    float f = (float)value;
    *out = fpclassify(f) == FP_SUBNORMAL || isnan(f) ? 0 : util_fui(f);
    return !isnan(f);
}

static uint32_t from_integer(uint32_t magnitude, uint32_t sign)
{
    return pack(sign, magnitude, 127 + 23);
}

/* Like the chip's ftoi, which continues beyond 2^31 as if unsigned. */
static uint32_t to_int(double f)
{
    return f > -4294967296.0 && f < 4294967296.0 ? (uint32_t)(int64_t)f : 0;
}

static uint32_t to_uint(double f)
{
    return f > -1.0 && f < 4294967296.0 ? (uint32_t)f : 0;
}

static bool float_op(enum hw_expr_op op, uint32_t a, uint32_t b, uint32_t *out)
{
    double x = to_double(a), y = to_double(b);
    switch (op) {
    case HW_EXPR_FADD: *out = add(a, b); return !is_inf_minus_inf(a, b);
    case HW_EXPR_FSUB: *out = add(a, b ^ SIGN); return !is_inf_minus_inf(a, b ^ SIGN);
    case HW_EXPR_FMUL: *out = multiply(a, b); return true;
    case HW_EXPR_FMIN: *out = order_key(a) > order_key(b) ? b : a; return true;
    case HW_EXPR_FMAX: *out = order_key(a) > order_key(b) ? a : b; return true;
    case HW_EXPR_FMINABS: *out = MIN2(a & ~SIGN, b & ~SIGN); return true;
    case HW_EXPR_FMAXABS: *out = MAX2(a & ~SIGN, b & ~SIGN); return true;
    case HW_EXPR_FTOI: *out = to_int(x); return true;
    case HW_EXPR_FTOU: *out = to_uint(x); return true;
    case HW_EXPR_FNEG: *out = add(0, float_operand(a) ^ SIGN); return true;
    case HW_EXPR_FABS: *out = a & ~SIGN; return true;
    case HW_EXPR_FSAT: return round_to_word(CLAMP(x, 0.0, 1.0), out);
    case HW_EXPR_FRCP: return round_to_word(1 / x, out);
    case HW_EXPR_FRSQ: return round_to_word(1 / sqrt(x), out);
    case HW_EXPR_FSQRT: return round_to_word(sqrt(x), out);
    case HW_EXPR_FEXP2: return round_to_word(exp2(x), out);
    case HW_EXPR_FLOG2: return round_to_word(log2(x), out);
    case HW_EXPR_FDIV: return round_to_word(x / y, out);
    case HW_EXPR_FPOW: return round_to_word(pow(x, y), out) && x >= 0;
    case HW_EXPR_FSIN: return round_to_word(sin(x), out);
    case HW_EXPR_FCOS: return round_to_word(cos(x), out);
    case HW_EXPR_FFLOOR: return round_to_word(floor(x), out);
    case HW_EXPR_FCEIL: return round_to_word(ceil(x), out);
    case HW_EXPR_FTRUNC: return round_to_word(trunc(x), out);
    case HW_EXPR_FROUND: return round_to_word(isinf(x) ? x : x - remainder(x, 1), out);
    case HW_EXPR_FFRACT: return round_to_word(x - floor(x), out);
    case HW_EXPR_FMOD: return round_to_word(x - y * floor(x / y), out);
    /* FEQ and FNE compare flushed operands. FLT and FGE are made from the flags of fmax, which does not flush. */
    case HW_EXPR_FEQ: *out = float_operand(a) == float_operand(b); return true;
    case HW_EXPR_FNE: *out = float_operand(a) != float_operand(b); return true;
    case HW_EXPR_FLT: *out = order_key(a) < order_key(b); return true;
    case HW_EXPR_FGE: *out = order_key(a) >= order_key(b); return true;
    default: return false;
    }
}

/* ---------------------------------------------------------------- integers */

static uint32_t reverse_bits(uint32_t x)
{
    uint32_t out = 0;
    for (int i = 0; i < 32; i++)
        out |= (x >> i & 1) << (31 - i);
    return out;
}

static uint32_t saturate_bytes(uint32_t a, uint32_t b, bool subtract)
{
    uint32_t out = 0;
    for (int i = 0; i < 32; i += 8) {
        int x = (int)(a >> i & 0xff), y = (int)(b >> i & 0xff), r = subtract ? x - y : x + y;
        out |= (uint32_t)CLAMP(r, 0, 255) << i;
    }
    return out;
}

static bool divide(enum hw_expr_op op, uint32_t a, uint32_t b, uint32_t *out)
{
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    bool is_signed = op == HW_EXPR_IDIV || op == HW_EXPR_IREM || op == HW_EXPR_IMOD;
    *out = 0;
    if (!b || (is_signed && a == SIGN && b == UINT32_MAX))
        return false;
    switch (op) {
    case HW_EXPR_UDIV: *out = a / b; return true;
    case HW_EXPR_UMOD: *out = a % b; return true;
    case HW_EXPR_IDIV: *out = (uint32_t)(sa / sb); return true;
    default: *out = (uint32_t)(sa % sb); break;
    }
    if (op == HW_EXPR_IMOD && *out && (*out ^ b) >> 31)
        *out += b;
    return true;
}

static bool int_op(enum hw_expr_op op, uint32_t a, uint32_t b, uint32_t c, uint32_t *out)
{
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    switch (op) {
    case HW_EXPR_IADD: *out = a + b; return true;
    case HW_EXPR_ISUB: *out = a - b; return true;
    case HW_EXPR_SHR: *out = a >> (b & 31); return true;
    case HW_EXPR_ASR: *out = (uint32_t)(sa >> (b & 31)); return true;
    case HW_EXPR_ROR: *out = a >> (b & 31) | a << (-b & 31); return true;
    case HW_EXPR_SHL: *out = a << (b & 31); return true;
    case HW_EXPR_IMIN: *out = sa < sb ? a : b; return true;
    case HW_EXPR_IMAX: *out = sa > sb ? a : b; return true;
    case HW_EXPR_UMIN: *out = MIN2(a, b); return true;
    case HW_EXPR_UMAX: *out = MAX2(a, b); return true;
    case HW_EXPR_AND: *out = a & b; return true;
    case HW_EXPR_OR: *out = a | b; return true;
    case HW_EXPR_XOR: *out = a ^ b; return true;
    case HW_EXPR_NOT: *out = ~a; return true;
    case HW_EXPR_CLZ: *out = a ? (uint32_t)__builtin_clz(a) : 32; return true;
    case HW_EXPR_MUL24: *out = (a & 0xffffff) * (b & 0xffffff); return true;
    case HW_EXPR_IMUL: *out = a * b; return true;
    case HW_EXPR_UMULH: *out = (uint32_t)((uint64_t)a * b >> 32); return true;
    case HW_EXPR_IMULH: *out = (uint32_t)((int64_t)sa * sb >> 32); return true;
    case HW_EXPR_IDIV:
    case HW_EXPR_UDIV:
    case HW_EXPR_IREM:
    case HW_EXPR_IMOD:
    case HW_EXPR_UMOD: return divide(op, a, b, out);
    case HW_EXPR_BITCOUNT: *out = (uint32_t)__builtin_popcount(a); return true;
    case HW_EXPR_BITREV: *out = reverse_bits(a); return true;
    case HW_EXPR_V8ADDS: *out = saturate_bytes(a, b, false); return true;
    case HW_EXPR_V8SUBS: *out = saturate_bytes(a, b, true); return true;
    case HW_EXPR_ITOF: *out = from_integer(sa < 0 ? 0u - a : a, a & SIGN); return true;
    case HW_EXPR_UTOF: *out = from_integer(a, 0); return true;
    case HW_EXPR_IEQ: *out = a == b; return true;
    case HW_EXPR_INE: *out = a != b; return true;
    case HW_EXPR_ILT: *out = sa < sb; return true;
    case HW_EXPR_IGE: *out = sa >= sb; return true;
    case HW_EXPR_ULT: *out = a < b; return true;
    case HW_EXPR_UGE: *out = a >= b; return true;
    case HW_EXPR_BNOT: *out = !a; return true;
    case HW_EXPR_SEL: *out = a ? b : c; return true;
    default: return false;
    }
}

bool hw_expr(enum hw_expr_op op, uint32_t a, uint32_t b, uint32_t c, uint32_t *out)
{
    *out = 0;
    return float_op(op, a, b, out) || int_op(op, a, b, c, out);
}
