/* SPDX-License-Identifier: MIT
 *
 * The operations of lower_i64.h beside those of the host.
 */
#include "f64_ops.h"

static struct ir_f64 word(struct ir_instr *x)
{
    return (struct ir_f64){x, NULL};
}

static struct ir_f64 boolean(struct ir_builder *b, struct ir_instr *x)
{
    return word(ir_build3(b, IR_SEL, x, ir_const(b, 1), ir_const(b, 0)));
}

/* ---------------------------------------------------------------- the host's arithmetic */

static uint64_t negative_if(bool is_negative, uint64_t x)
{
    return is_negative ? 0 - x : x;
}

static uint64_t size_of(uint64_t x)
{
    return negative_if(x >> 63, x);
}

/* Signed division of magnitudes, which knows no overflow. Division by 0 gives anything. */
static uint64_t sdiv(uint64_t x, uint64_t y)
{
    return y ? negative_if((x ^ y) >> 63, size_of(x) / size_of(y)) : F64_UNDEFINED;
}

static uint64_t srem(uint64_t x, uint64_t y)
{
    return y ? negative_if(x >> 63, size_of(x) % size_of(y)) : F64_UNDEFINED;
}

static uint64_t smod(uint64_t x, uint64_t y)
{
    const uint64_t rest = srem(x, y);
    return y && rest && (rest ^ y) >> 63 ? rest + y : rest;
}

/* Bit by bit. */
static uint64_t umulh(uint64_t x, uint64_t y)
{
    uint64_t high = 0, low = 0;
    for (int i = 63; i >= 0; i--) {
        high = high << 1 | low >> 63;
        low <<= 1;
        if (y >> i & 1) {
            low += x;
            high += low < x;
        }
    }
    return high;
}

static uint64_t smulh(uint64_t x, uint64_t y)
{
    return umulh(x, y) - (x >> 63 ? y : 0) - (y >> 63 ? x : 0);
}

static uint64_t shifted_right(uint64_t x, uint64_t count, bool is_signed)
{
    return is_signed && x >> 63 ? ~(~x >> count) : x >> count;
}

/* x without the bits below its 24 upper ones. */
static uint64_t truncated(uint64_t x)
{
    return x >> 24 ? x & ~UINT64_C(0) << (64 - 24 - __builtin_clzll(x)) : x;
}

static uint64_t single_of(uint64_t x, bool is_signed, bool toward_zero)
{
    const bool is_negative = is_signed && x >> 63;
    const uint64_t size = negative_if(is_negative, x);
    const float f = (float)(toward_zero ? truncated(size) : size);
    return util_fui(is_negative ? -f : f);
}

static uint64_t half_of(uint64_t x, bool is_signed, bool toward_zero)
{
    const bool is_negative = is_signed && x >> 63;
    const double size = (double)MIN2(negative_if(is_negative, x), UINT64_C(1) << 20);
    return f64_half_of(is_negative ? -size : size, toward_zero);
}

static uint64_t from_single(uint64_t bits, bool is_signed)
{
    const float f = util_uif((uint32_t)bits);
    if (is_signed)
        return f > -0x1p63f && f < 0x1p63f ? (uint64_t)(int64_t)f : F64_UNDEFINED;
    return f > -1 && f < 0x1p64f ? (uint64_t)f : F64_UNDEFINED;
}

/* ---------------------------------------------------------------- the table */

#define OPERATION(name, built, expression)                                                                             \
    static struct ir_f64 build_##name(struct ir_builder *b, const struct ir_f64 x[F64_MAX_OPERANDS])                   \
    {                                                                                                                  \
        return built;                                                                                                  \
    }                                                                                                                  \
    static uint64_t host_##name(const struct f64_values *v)                                                            \
    {                                                                                                                  \
        const uint64_t a = v->v[0], c = v->v[1];                                                                       \
        (void)c;                                                                                                       \
        return expression;                                                                                             \
    }
#define UNARY(name, expression)  OPERATION(name, ir_i64_##name(b, x[0]), expression)
#define BINARY(name, expression) OPERATION(name, ir_i64_##name(b, x[0], x[1]), expression)
#define SHIFT(name, expression)  OPERATION(name, ir_i64_##name(b, x[0], x[1].lo), expression)
#define COMPARE(name, expression) OPERATION(name, boolean(b, ir_i64_##name(b, x[0], x[1])), expression)

BINARY(add, a + c)
BINARY(sub, a - c)
BINARY(mul, a * c)
BINARY(umulh, umulh(a, c))
BINARY(smulh, smulh(a, c))
BINARY(udiv, c ? a / c : F64_UNDEFINED)
BINARY(umod, c ? a % c : F64_UNDEFINED)
BINARY(sdiv, sdiv(a, c))
BINARY(srem, srem(a, c))
BINARY(smod, smod(a, c))
UNARY(abs, size_of(a))
UNARY(sign, a >> 63 ? UINT64_MAX : a != 0)
OPERATION(negate, ir_i64_negate_if(b, x[0], ir_const(b, UINT32_MAX)), 0 - a)
SHIFT(shl, a << c)
SHIFT(shr, shifted_right(a, c, false))
SHIFT(asr, shifted_right(a, c, true))
COMPARE(eq, a == c)
COMPARE(ult, a < c)
COMPARE(slt, (int64_t)a < (int64_t)c)
OPERATION(u64_to_f32, word(ir_u64_to_f32(b, x[0], false)), single_of(a, false, false))
OPERATION(u64_to_f32_down, word(ir_u64_to_f32(b, x[0], true)), single_of(a, false, true))
OPERATION(i64_to_f32, word(ir_i64_to_f32(b, x[0], false)), single_of(a, true, false))
OPERATION(i64_to_f32_down, word(ir_i64_to_f32(b, x[0], true)), single_of(a, true, true))
OPERATION(u64_to_f16, word(ir_u64_to_f16(b, x[0], false)), half_of(a, false, false))
OPERATION(u64_to_f16_down, word(ir_u64_to_f16(b, x[0], true)), half_of(a, false, true))
OPERATION(i64_to_f16, word(ir_i64_to_f16(b, x[0], false)), half_of(a, true, false))
OPERATION(i64_to_f16_down, word(ir_i64_to_f16(b, x[0], true)), half_of(a, true, true))
OPERATION(u64_from_f32, ir_u64_from_f32(b, x[0].lo), from_single(a, false))
OPERATION(i64_from_f32, ir_i64_from_f32(b, x[0].lo), from_single(a, true))

#define ROW(name, operands, operand, second, result)                                                                   \
    {#name, operands, operand, second, result, build_##name, host_##name}

const struct f64_operation i64_operations[] = {
    ROW(add, 2, F64_LONG, F64_LONG, F64_LONG),
    ROW(sub, 2, F64_LONG, F64_LONG, F64_LONG),
    ROW(mul, 2, F64_LONG, F64_LONG, F64_LONG),
    ROW(umulh, 2, F64_LONG, F64_LONG, F64_LONG),
    ROW(smulh, 2, F64_LONG, F64_LONG, F64_LONG),
    ROW(udiv, 2, F64_LONG, F64_LONG, F64_LONG),
    ROW(umod, 2, F64_LONG, F64_LONG, F64_LONG),
    ROW(sdiv, 2, F64_LONG, F64_LONG, F64_LONG),
    ROW(srem, 2, F64_LONG, F64_LONG, F64_LONG),
    ROW(smod, 2, F64_LONG, F64_LONG, F64_LONG),
    ROW(abs, 1, F64_LONG, F64_LONG, F64_LONG),
    ROW(sign, 1, F64_LONG, F64_LONG, F64_LONG),
    ROW(negate, 1, F64_LONG, F64_LONG, F64_LONG),
    ROW(shl, 2, F64_LONG, F64_COUNT, F64_LONG),
    ROW(shr, 2, F64_LONG, F64_COUNT, F64_LONG),
    ROW(asr, 2, F64_LONG, F64_COUNT, F64_LONG),
    ROW(eq, 2, F64_LONG, F64_LONG, F64_BOOL),
    ROW(ult, 2, F64_LONG, F64_LONG, F64_BOOL),
    ROW(slt, 2, F64_LONG, F64_LONG, F64_BOOL),
    ROW(u64_to_f32, 1, F64_LONG, F64_LONG, F64_SINGLE),
    ROW(u64_to_f32_down, 1, F64_LONG, F64_LONG, F64_SINGLE),
    ROW(i64_to_f32, 1, F64_LONG, F64_LONG, F64_SINGLE),
    ROW(i64_to_f32_down, 1, F64_LONG, F64_LONG, F64_SINGLE),
    ROW(u64_to_f16, 1, F64_LONG, F64_LONG, F64_HALF),
    ROW(u64_to_f16_down, 1, F64_LONG, F64_LONG, F64_HALF),
    ROW(i64_to_f16, 1, F64_LONG, F64_LONG, F64_HALF),
    ROW(i64_to_f16_down, 1, F64_LONG, F64_LONG, F64_HALF),
    ROW(u64_from_f32, 1, F64_SINGLE, F64_LONG, F64_LONG),
    ROW(i64_from_f32, 1, F64_SINGLE, F64_LONG, F64_LONG),
};

const uint32_t i64_operation_count = ARRAY_SIZE(i64_operations);
