/* SPDX-License-Identifier: MIT
 *
 * The operations of lower_f64.h beside those of the host, and operands for them.
 */
#include <fenv.h>
#include <math.h>
#include <string.h>
#include "f64_ops.h"

static double d(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t u(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float f(uint32_t bits)
{
    return util_uif(bits);
}

/* ---------------------------------------------------------------- 16-bit floats */

static double half_to_double(uint32_t h)
{
    uint32_t e = h >> 10 & 31, m = h & 1023;
    double x = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, (int)e - 25) : ldexp(m, -24);
    return h >> 15 & 1 ? -x : x;
}

/* The nearest of all numbers of the format, by counting units of the last place. */
uint32_t f64_half_of(double x, bool toward_zero)
{
    uint32_t sign = signbit(x) ? 0x8000 : 0;
    double a = fabs(x);
    if (isnan(x))
        return 0x7e00;
    int e = a == 0 ? -14 : ilogb(a);
    e = e < -14 ? -14 : e;
    double units = e > 16 ? 1e9 : ldexp(a, 10 - e);
    units = toward_zero ? floor(units) : nearbyint(units);
    double rounded = ldexp(units, e - 10);
    if (rounded > 65504)
        return sign | (toward_zero && !isinf(x) ? 0x7bff : 0x7c00);
    return sign | (((uint32_t)(e + 14) << 10) + (uint32_t)units); /* the leading 1 adds to the exponent */
}

static uint32_t double_to_single(double x, bool toward_zero)
{
    if (toward_zero)
        fesetround(FE_TOWARDZERO);
    volatile double from = x;
    volatile float to = (float)from;
    fesetround(FE_TONEAREST);
    return util_fui(to);
}

/* ---------------------------------------------------------------- the table */

/* x < y, where -0 is below 0. */
static bool is_below(double x, double y)
{
    return x < y || (x == 0 && y == 0 && signbit(x) && !signbit(y));
}

#define UNARY(name, expression)                                                                                        \
    static struct ir_f64 build_##name(struct ir_builder *b, const struct ir_f64 x[F64_MAX_OPERANDS])                   \
    {                                                                                                                  \
        return ir_f64_##name(b, x[0]);                                                                                 \
    }                                                                                                                  \
    static uint64_t host_##name(const struct f64_values *v)                                                            \
    {                                                                                                                  \
        const double x = d(v->v[0]);                                                                                   \
        return u(expression);                                                                                          \
    }

#define BINARY(name, expression)                                                                                       \
    static struct ir_f64 build_##name(struct ir_builder *b, const struct ir_f64 x[F64_MAX_OPERANDS])                   \
    {                                                                                                                  \
        return ir_f64_##name(b, x[0], x[1]);                                                                           \
    }                                                                                                                  \
    static uint64_t host_##name(const struct f64_values *v)                                                            \
    {                                                                                                                  \
        const double x = d(v->v[0]), y = d(v->v[1]);                                                                   \
        return u(expression);                                                                                          \
    }

/* A result or operand of one word, and anything that is not a double. */
#define OTHER(name, built, expression)                                                                                 \
    static struct ir_f64 build_##name(struct ir_builder *b, const struct ir_f64 x[F64_MAX_OPERANDS])                   \
    {                                                                                                                  \
        return built;                                                                                                  \
    }                                                                                                                  \
    static uint64_t host_##name(const struct f64_values *v)                                                            \
    {                                                                                                                  \
        const uint64_t a = v->v[0], c = v->v[1];                                                                       \
        const double x = d(a), y = d(c);                                                                               \
        (void)x, (void)y, (void)c;                                                                                     \
        return expression;                                                                                             \
    }

static struct ir_f64 word(struct ir_instr *x)
{
    return (struct ir_f64){x, NULL};
}

static struct ir_f64 boolean(struct ir_builder *b, struct ir_instr *x)
{
    return word(ir_build3(b, IR_SEL, x, ir_const(b, 1), ir_const(b, 0)));
}

static struct ir_f64 frexp_exponent(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *exponent;
    ir_f64_frexp(b, x, &exponent);
    return word(exponent);
}

static struct ir_f64 frexp_fraction(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *exponent;
    return ir_f64_frexp(b, x, &exponent);
}

static uint64_t parts_of(double x, bool wants_exponent)
{
    int exponent = 0;
    double fraction = isfinite(x) ? frexp(x, &exponent) : x;
    return wants_exponent ? (uint32_t)exponent : u(fraction);
}

/* In range of the result: from x > low to x < high. */
static uint64_t in_range(double x, double low, double high, uint64_t result)
{
    return x > low && x < high ? result : F64_UNDEFINED;
}

BINARY(add, x + y)
BINARY(sub, x - y)
BINARY(mul, x * y)
BINARY(div, x / y)
UNARY(sqrt, sqrt(x))
UNARY(neg, -x)
UNARY(abs, fabs(x))
UNARY(trunc, trunc(x))
UNARY(floor, floor(x))
UNARY(ceil, ceil(x))
UNARY(round_even, nearbyint(x))
UNARY(sign, isnan(x) ? copysign(1, x) : x > 0 ? 1 : x < 0 ? -1 : x)
BINARY(min, is_below(y, x) ? y : x)
BINARY(max, is_below(x, y) ? y : x)
BINARY(nmin, isnan(x) || is_below(y, x) ? y : x)
BINARY(nmax, isnan(x) || is_below(x, y) ? y : x)
OTHER(fma, ir_f64_fma(b, x[0], x[1], x[2]), u(fma(x, y, d(v->v[2]))))
OTHER(eq, boolean(b, ir_f64_eq(b, x[0], x[1])), x == y)
OTHER(lt, boolean(b, ir_f64_lt(b, x[0], x[1])), x < y)
OTHER(le, boolean(b, ir_f64_le(b, x[0], x[1])), x <= y)
OTHER(is_unordered, boolean(b, ir_f64_is_unordered(b, x[0], x[1])), isunordered(x, y))
OTHER(is_nan, boolean(b, ir_f64_is_nan(b, x[0])), isnan(x) != 0)
OTHER(is_inf, boolean(b, ir_f64_is_inf(b, x[0])), isinf(x) != 0)
OTHER(frexp, frexp_fraction(b, x[0]), parts_of(x, false))
OTHER(frexp_exponent, frexp_exponent(b, x[0]), parts_of(x, true))
OTHER(ldexp, ir_f64_ldexp(b, x[0], x[1].lo), u(ldexp(x, (int32_t)c)))
OTHER(from_i32, ir_f64_from_i32(b, x[0].lo), u((int32_t)a))
OTHER(from_u32, ir_f64_from_u32(b, x[0].lo), u((uint32_t)a))
OTHER(from_i64, ir_f64_from_i64(b, x[0]), u((double)(int64_t)a))
OTHER(from_u64, ir_f64_from_u64(b, x[0]), u((double)a))
OTHER(from_f32, ir_f64_from_f32(b, x[0].lo), u(f((uint32_t)a)))
OTHER(from_f16, ir_f64_from_f16(b, x[0].lo), u(half_to_double((uint32_t)a & 0xffff)))
OTHER(to_i32, word(ir_f64_to_i32(b, x[0])), in_range(x, -2147483649.0, 2147483648.0, (uint32_t)(int32_t)x))
OTHER(to_u32, word(ir_f64_to_u32(b, x[0])), in_range(x, -1, 4294967296.0, (uint32_t)x))
OTHER(to_i64, ir_f64_to_i64(b, x[0]), in_range(x, -9223372036854777856.0, 9223372036854775808.0, (uint64_t)(int64_t)x))
OTHER(to_u64, ir_f64_to_u64(b, x[0]), in_range(x, -1, 18446744073709551616.0, (uint64_t)x))
OTHER(to_f32, word(ir_f64_to_f32(b, x[0], false)), double_to_single(x, false))
OTHER(to_f32_down, word(ir_f64_to_f32(b, x[0], true)), double_to_single(x, true))
OTHER(to_f16, word(ir_f64_to_f16(b, x[0], false)), f64_half_of(x, false))
OTHER(to_f16_down, word(ir_f64_to_f16(b, x[0], true)), f64_half_of(x, true))

#define ROW(name, operands, operand, second, result)                                                                   \
    {#name, operands, operand, second, result, build_##name, host_##name}
#define DOUBLES(name, operands) ROW(name, operands, F64_DOUBLE, F64_DOUBLE, F64_DOUBLE)

const struct f64_operation f64_operations[] = {
    DOUBLES(add, 2),
    DOUBLES(sub, 2),
    DOUBLES(mul, 2),
    DOUBLES(div, 2),
    DOUBLES(sqrt, 1),
    DOUBLES(fma, 3),
    DOUBLES(neg, 1),
    DOUBLES(abs, 1),
    DOUBLES(trunc, 1),
    DOUBLES(floor, 1),
    DOUBLES(ceil, 1),
    DOUBLES(round_even, 1),
    DOUBLES(sign, 1),
    DOUBLES(min, 2),
    DOUBLES(max, 2),
    DOUBLES(nmin, 2),
    DOUBLES(nmax, 2),
    ROW(eq, 2, F64_DOUBLE, F64_DOUBLE, F64_BOOL),
    ROW(lt, 2, F64_DOUBLE, F64_DOUBLE, F64_BOOL),
    ROW(le, 2, F64_DOUBLE, F64_DOUBLE, F64_BOOL),
    ROW(is_unordered, 2, F64_DOUBLE, F64_DOUBLE, F64_BOOL),
    ROW(is_nan, 1, F64_DOUBLE, F64_DOUBLE, F64_BOOL),
    ROW(is_inf, 1, F64_DOUBLE, F64_DOUBLE, F64_BOOL),
    DOUBLES(frexp, 1),
    ROW(frexp_exponent, 1, F64_DOUBLE, F64_DOUBLE, F64_INT),
    ROW(ldexp, 2, F64_DOUBLE, F64_INT, F64_DOUBLE),
    ROW(from_i32, 1, F64_INT, F64_DOUBLE, F64_DOUBLE),
    ROW(from_u32, 1, F64_INT, F64_DOUBLE, F64_DOUBLE),
    ROW(from_i64, 1, F64_LONG, F64_DOUBLE, F64_DOUBLE),
    ROW(from_u64, 1, F64_LONG, F64_DOUBLE, F64_DOUBLE),
    ROW(from_f32, 1, F64_SINGLE, F64_DOUBLE, F64_DOUBLE),
    ROW(from_f16, 1, F64_HALF, F64_DOUBLE, F64_DOUBLE),
    ROW(to_i32, 1, F64_DOUBLE, F64_DOUBLE, F64_INT),
    ROW(to_u32, 1, F64_DOUBLE, F64_DOUBLE, F64_INT),
    ROW(to_i64, 1, F64_DOUBLE, F64_DOUBLE, F64_LONG),
    ROW(to_u64, 1, F64_DOUBLE, F64_DOUBLE, F64_LONG),
    ROW(to_f32, 1, F64_DOUBLE, F64_DOUBLE, F64_SINGLE),
    ROW(to_f32_down, 1, F64_DOUBLE, F64_DOUBLE, F64_SINGLE),
    ROW(to_f16, 1, F64_DOUBLE, F64_DOUBLE, F64_HALF),
    ROW(to_f16_down, 1, F64_DOUBLE, F64_DOUBLE, F64_HALF),
};

const uint32_t f64_operation_count = ARRAY_SIZE(f64_operations);

bool f64_kind_is_wide(uint8_t kind)
{
    return kind == F64_DOUBLE || kind == F64_LONG;
}

static bool is_nan(uint8_t kind, uint64_t x)
{
    switch ((enum f64_kind)kind) {
    case F64_DOUBLE: return isnan(d(x));
    case F64_SINGLE: return isnan(f((uint32_t)x));
    case F64_HALF: return (x & 0x7fff) > 0x7c00;
    default: return false;
    }
}

bool f64_same(uint8_t kind, uint64_t x, uint64_t y)
{
    return x == y || (is_nan(kind, x) && is_nan(kind, y));
}

/* ---------------------------------------------------------------- operands */

uint64_t f64_random_bits(struct f64_random *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    uint64_t x = r->state;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t below(struct f64_random *r, uint64_t limit)
{
    return f64_random_bits(r) % limit;
}

/* A significand with long runs of equal bits, so that sums and products end in halfway cases. */
static uint64_t plain_bits(struct f64_random *r, uint32_t width)
{
    uint64_t x = 0;
    for (uint32_t i = 0, runs = (uint32_t)below(r, 4); i < runs; i++)
        x ^= (UINT64_C(1) << below(r, width)) - 1;
    return (x ^ (below(r, 2) ? UINT64_C(1) << below(r, width) : 0)) & ((UINT64_C(1) << width) - 1);
}

static uint64_t special(struct f64_random *r)
{
    static const uint64_t values[] = {
        0, 1, 2, 3, 0x000fffffffffffff, 0x0010000000000000, 0x0010000000000001, 0x001fffffffffffff, 0x0020000000000000,
        0x3fe0000000000000, 0x3fdfffffffffffff, 0x3fe0000000000001, 0x3ff0000000000000, 0x3fefffffffffffff,
        0x3ff0000000000001, 0x3ff8000000000000, 0x4000000000000000, 0x4008000000000000, 0x4330000000000000,
        0x4340000000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0x41efffffffe00000, 0x43dfffffffffffff,
        0x43e0000000000000, 0x7fe0000000000000, 0x7fefffffffffffff, 0x7fd0000000000000, 0x7ff0000000000000,
        0x7ff0000000000001, 0x7ff8000000000000, 0x7fffffffffffffff, 0x7ff00000ffffffff, 0x1ff0000000000000,
        0x2000000000000000, 0x5fe0000000000000, 0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000,
        0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x380fffffc0000000, 0x380fffffe0000000,
        0x40effc0000000000, 0x40effdffffffffff, 0x40effe0000000000, 0x3e60000000000000, 0x3e60000000000001,
    };
    return values[below(r, ARRAY_SIZE(values))] | (below(r, 2) ? UINT64_C(1) << 63 : 0);
}

static uint64_t one_double(struct f64_random *r, uint64_t near)
{
    uint64_t sign = below(r, 2) << 63, exponent;
    switch (below(r, 8)) {
    case 0:
        return special(r);
    case 1:
        return f64_random_bits(r);
    case 2: /* close to the other operand */
        return (near ^ sign) + below(r, 5) - 2;
    case 3: /* of a similar size */
        exponent = ((near >> 52) + below(r, 120) - 60) & 0x7ff;
        break;
    case 4: /* the product or quotient lies around a limit of the format */
        exponent =
            (below(r, 2) ? 3 * 1023 - (near >> 52 & 0x7ff) : 1023 - 54 - (near >> 52 & 0x7ff)) + below(r, 112) - 56;
        exponent &= 0x7ff;
        break;
    case 5: /* denormals and what is close to them */
        exponent = below(r, 3);
        break;
    case 6: /* around integers */
        exponent = 1020 + below(r, 70);
        break;
    default:
        exponent = below(r, 2048);
        break;
    }
    uint64_t digits = below(r, 2) ? plain_bits(r, 52) : f64_random_bits(r) >> 12;
    return sign | exponent << 52 | digits;
}

static uint64_t one_integer(struct f64_random *r, uint32_t width)
{
    uint64_t mask = width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
    switch (below(r, 4)) {
    case 0:
        return f64_random_bits(r) & mask;
    case 1:
        return (f64_random_bits(r) >> below(r, width)) & mask;
    case 2:
        return (below(r, 2) ? 0 - below(r, 4) : below(r, 4)) & mask;
    default:
        return ((width == 64 ? plain_bits(r, 63) << below(r, 2) : plain_bits(r, width)) + below(r, 3) - 1) & mask;
    }
}

static uint64_t one(struct f64_random *r, uint8_t kind, uint64_t near)
{
    switch ((enum f64_kind)kind) {
    case F64_DOUBLE:
        return one_double(r, near);
    case F64_LONG:
        return one_integer(r, 64);
    case F64_INT:
        return one_integer(r, 32);
    case F64_COUNT:
        return below(r, 64);
    case F64_SINGLE:
        return below(r, 4) ? f64_random_bits(r) & 0xffffffff
                           : (plain_bits(r, 23) | below(r, 2) << 23 | below(r, 2) << 31);
    default:
        return f64_random_bits(r) & 0xffffffff;
    }
}

/* The third operand of a product that is close to it cancels most of it. */
static uint64_t cancelling(struct f64_random *r, const struct f64_values *v)
{
    uint64_t product = u(-(d(v->v[0]) * d(v->v[1])));
    return product + below(r, 5) - 2 + (below(r, 8) ? 0 : (below(r, 120) - 60) << 52);
}

/* Integers that are close, or whose quotient is close to an integer. */
static void relate(struct f64_random *r, uint64_t *x, uint64_t *y)
{
    switch (below(r, 6)) {
    case 0:
        *y = *x + below(r, 5) - 2;
        break;
    case 1:
        *y = *x ^ one_integer(r, 32); /* the same upper word */
        break;
    case 2:
        *x = *y * (f64_random_bits(r) >> below(r, 64)) + below(r, 3) - 1;
        break;
    default:
        break;
    }
}

void f64_random_operands(struct f64_random *r, const struct f64_operation *op, struct f64_values *out)
{
    out->v[0] = one(r, op->operand, f64_random_bits(r));
    out->v[1] = one(r, op->second, out->v[0]);
    if (op->second == F64_INT && below(r, 2)) /* exponents for ldexp */
        out->v[1] = (below(r, 2400) + ((out->v[0] >> 52 & 0x7ff) < 1200 ? 0 : -UINT64_C(2400))) & 0xffffffff;
    if (op->operand == F64_LONG && op->second == F64_LONG)
        relate(r, &out->v[0], &out->v[1]);
    if (op->operand == F64_DOUBLE && op->second == F64_DOUBLE && !below(r, 64)) { /* equal but for the sign */
        const uint64_t sign = UINT64_C(1) << 63;
        out->v[0] &= below(r, 2) ? sign : UINT64_MAX; /* zeros, every other time */
        out->v[1] = out->v[0] ^ sign;
    }
    out->v[2] = below(r, 2) ? cancelling(r, out) : one(r, F64_DOUBLE, out->v[0]);
}

/* ---------------------------------------------------------------- shaders */

void f64_build(struct ir_shader *shader, const struct f64_operation *op,
               struct ir_instr *(*read)(struct ir_builder *b, uint32_t word),
               void (*write)(struct ir_builder *b, uint32_t word, struct ir_instr *value))
{
    struct ir_builder b = ir_at_end(shader, ir_first_block(shader));
    struct ir_f64 x[F64_MAX_OPERANDS];
    for (uint32_t i = 0; i < op->operands; i++)
        x[i] = (struct ir_f64){read(&b, 2 * i), read(&b, 2 * i + 1)};
    struct ir_f64 out = op->build(&b, x);
    write(&b, 0, out.lo);
    if (f64_kind_is_wide(op->result))
        write(&b, 1, out.hi);
}
