/* SPDX-License-Identifier: MIT
 *
 * 64-bit floats: conversions from and to integers and narrower floats.
 */
#include "compiler/lower/lower_f64_parts.h"

/* ---------------------------------------------------------------- from integers */

struct ir_f64 ir_f64_from_u64(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *count = ir_i64_clz(b, x);
    struct ir_instr *below = f64_op(b, IR_ISUB, ir_const(b, F64_BIAS + 62), count);
    return ir_f64_pack(b, ir_i64_shl(b, x, count), f64_opc(b, IR_IMAX, below, 0));
}

struct ir_f64 ir_f64_from_i64(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_f64 out = ir_f64_from_u64(b, ir_i64_negate_if(b, x, f64_opc(b, IR_ASR, x.hi, 31)));
    out.hi = f64_op(b, IR_OR, out.hi, f64_opc(b, IR_AND, x.hi, F64_SIGN));
    return out;
}

/* Exact: 32 bits fit. */
struct ir_f64 ir_f64_from_u32(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *count = ir_build1(b, IR_CLZ, x), *bits = f64_op(b, IR_SHL, x, count);
    struct ir_instr *exponent = f64_op(b, IR_ISUB, ir_const(b, F64_BIAS + 30), count);
    struct ir_instr *hi = f64_op(b, IR_IADD, f64_opc(b, IR_SHR, bits, 11), f64_opc(b, IR_SHL, exponent, 20));
    return (struct ir_f64){
        .lo = f64_opc(b, IR_SHL, bits, 21),
        .hi = f64_sel(b, f64_opc(b, IR_IEQ, x, 0), x, hi),
    };
}

struct ir_f64 ir_f64_from_i32(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *mask = f64_opc(b, IR_ASR, x, 31);
    struct ir_f64 out = ir_f64_from_u32(b, f64_op(b, IR_ISUB, f64_op(b, IR_XOR, x, mask), mask));
    out.hi = f64_op(b, IR_OR, out.hi, f64_opc(b, IR_AND, x, F64_SIGN));
    return out;
}

/* ---------------------------------------------------------------- to integers */

static struct ir_instr *field_of(struct ir_builder *b, struct ir_f64 x)
{
    return f64_opc(b, IR_AND, f64_opc(b, IR_SHR, x.hi, 20), 0x7ff);
}

/* The highest 32 bits of the significand, with the leading 1 at bit 31 whatever the exponent. */
static struct ir_instr *top_word(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *word = f64_op(b, IR_OR, f64_opc(b, IR_SHL, x.hi, 11), f64_opc(b, IR_SHR, x.lo, 21));
    return f64_opc(b, IR_OR, word, 0x80000000);
}

struct ir_instr *ir_f64_to_u32(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *count = f64_op(b, IR_ISUB, ir_const(b, F64_BIAS + 31), field_of(b, x));
    return f64_sel(b, f64_opc(b, IR_ILT, count, 32), f64_op(b, IR_SHR, top_word(b, x), count), ir_const(b, 0));
}

struct ir_instr *ir_f64_to_i32(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *mask = f64_opc(b, IR_ASR, x.hi, 31);
    return f64_op(b, IR_ISUB, f64_op(b, IR_XOR, ir_f64_to_u32(b, x), mask), mask);
}

struct ir_f64 ir_f64_to_u64(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *count = f64_op(b, IR_ISUB, ir_const(b, F64_BIAS + 63), field_of(b, x)), *zero = ir_const(b, 0);
    struct ir_instr *top = top_word(b, x), *rest = ir_build1(b, IR_NOT, count);
    struct ir_instr *bottom = f64_opc(b, IR_SHL, x.lo, 11), *near = f64_opc(b, IR_ILT, count, 32);
    struct ir_instr *hi = f64_sel(b, near, top, zero), *lo = f64_sel(b, near, bottom, top);
    lo = f64_op(b, IR_OR, f64_op(b, IR_SHR, lo, count), f64_op(b, IR_SHL, f64_opc(b, IR_SHL, hi, 1), rest));
    return (struct ir_f64){
        .lo = f64_sel(b, f64_opc(b, IR_ILT, count, 64), lo, zero),
        .hi = f64_op(b, IR_SHR, hi, count),
    };
}

struct ir_f64 ir_f64_to_i64(struct ir_builder *b, struct ir_f64 x)
{
    return ir_i64_negate_if(b, ir_f64_to_u64(b, x), f64_opc(b, IR_ASR, x.hi, 31));
}

/* ---------------------------------------------------------------- narrower floats */

/* A narrower format. Its exponent field of all ones is `top`. */
struct narrow {
    uint32_t digits; /* of the significand, without the leading 1 */
    uint32_t bias, top;
};

static const struct narrow single = {23, 127, 255}, half = {10, 15, 31};

/* `magnitude` has its exponent field from bit 23 on, whatever the format, and no sign. A denormal becomes a number by
 * conversion from integer to float, which is exact. */
static struct ir_f64 widen(struct ir_builder *b, const struct narrow *f, struct ir_instr *magnitude,
                           struct ir_instr *sign)
{
    struct ir_instr *is_denormal = f64_opc(b, IR_ILT, magnitude, 1u << 23);
    struct ir_instr *is_finite = f64_opc(b, IR_ILT, magnitude, f->top << 23);
    struct ir_instr *offset = f64_sel(b, is_finite, ir_const(b, (F64_BIAS - f->bias) << 20),
                                      ir_const(b, (2047 - f->top) << 20));
    /* the float that holds the integer has the bias 127, and the integer's unit is 2^(1 - bias - 23) */
    offset = f64_sel(b, is_denormal, ir_const(b, (F64_BIAS - 127 + 1 - f->bias - 23) << 20), offset);
    struct ir_instr *bits = f64_sel(b, is_denormal, ir_build1(b, IR_ITOF, magnitude), magnitude);
    struct ir_instr *hi = f64_op(b, IR_IADD, f64_opc(b, IR_SHR, bits, 3), offset);
    hi = f64_sel(b, f64_opc(b, IR_IEQ, magnitude, 0), magnitude, hi);
    return (struct ir_f64){f64_opc(b, IR_SHL, bits, 29), f64_op(b, IR_OR, hi, sign)};
}

struct ir_f64 ir_f64_from_f32(struct ir_builder *b, struct ir_instr *x)
{
    return widen(b, &single, f64_opc(b, IR_AND, x, ~F64_SIGN), f64_opc(b, IR_AND, x, F64_SIGN));
}

struct ir_f64 ir_f64_from_f16(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *magnitude = f64_opc(b, IR_SHL, f64_opc(b, IR_AND, x, 0x7fff), 13);
    return widen(b, &half, magnitude, f64_opc(b, IR_SHL, f64_opc(b, IR_AND, x, 0x8000), 16));
}

/* The significand in one word, bit 0 set if anything below it is, and shifted further for a denormal result. */
static struct ir_instr *narrow_significand(struct ir_builder *b, struct ir_f64 x, struct ir_instr *below)
{
    struct ir_instr *word = f64_op(b, IR_OR, top_word(b, x), ir_f64_jam(b, f64_opc(b, IR_SHL, x.lo, 11)));
    struct ir_instr *count = f64_opc(b, IR_IMAX, f64_op(b, IR_ISUB, ir_const(b, 0), below), 0);
    count = f64_opc(b, IR_IMIN, count, 31);
    struct ir_instr *lost = f64_op(b, IR_SHL, f64_opc(b, IR_SHL, word, 1), ir_build1(b, IR_NOT, count));
    return f64_op(b, IR_OR, f64_op(b, IR_SHR, word, count), ir_f64_jam(b, lost));
}

/* Without the sign. */
static struct ir_instr *narrow(struct ir_builder *b, const struct narrow *f, struct ir_f64 x, bool toward_zero)
{
    const uint32_t drop = 31 - f->digits, infinity = f->top << f->digits;
    struct ir_instr *class = ir_f64_class(b, x), *field = f64_opc(b, IR_SHR, class, 20);
    struct ir_instr *below = f64_opc(b, IR_ISUB, field, F64_BIAS - f->bias + 1);
    struct ir_instr *word = narrow_significand(b, x, below);
    struct ir_instr *out = f64_op(b, IR_IADD, f64_opc(b, IR_SHL, f64_opc(b, IR_IMAX, below, 0), f->digits),
                                  f64_opc(b, IR_SHR, word, drop));
    if (!toward_zero) {
        struct ir_instr *up =
            f64_op(b, IR_IADD, f64_opc(b, IR_AND, word, (1u << drop) - 1), f64_opc(b, IR_AND, out, 1));
        out = f64_op(b, IR_IADD, out, f64_opc(b, IR_SHR, f64_opc(b, IR_IADD, up, (1u << (drop - 1)) - 1), drop));
    }
    struct ir_instr *large = ir_const(b, infinity);
    if (toward_zero)
        large = f64_sel(b, f64_opc(b, IR_ILT, class, F64_INF), ir_const(b, infinity - 1), large);
    out = f64_sel(b, f64_opc(b, IR_ILT, below, f->top - 1), out, large);
    struct ir_instr *is_nan = f64_op(b, IR_ILT, ir_const(b, F64_INF), class);
    return f64_sel(b, is_nan, ir_const(b, infinity | 1u << (f->digits - 1)), out);
}

struct ir_instr *ir_f64_to_f32(struct ir_builder *b, struct ir_f64 x, bool toward_zero)
{
    return f64_op(b, IR_OR, narrow(b, &single, x, toward_zero), f64_opc(b, IR_AND, x.hi, F64_SIGN));
}

struct ir_instr *ir_f64_to_f16(struct ir_builder *b, struct ir_f64 x, bool toward_zero)
{
    struct ir_instr *sign = f64_opc(b, IR_AND, f64_opc(b, IR_SHR, x.hi, 16), 0x8000);
    return f64_op(b, IR_OR, narrow(b, &half, x, toward_zero), sign);
}
