/* SPDX-License-Identifier: MIT
 *
 * 64-bit integers: sums, products, shifts and comparisons (lower_i64.h).
 */
#include "compiler/lower/lower_f64_parts.h"

static struct ir_instr *minus_if(struct ir_builder *b, struct ir_instr *x, struct ir_instr *cond)
{
    return f64_sel(b, cond, f64_opc(b, IR_ISUB, x, 1), x);
}

/* ---------------------------------------------------------------- sums */

struct ir_f64 ir_i64_add(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_instr *lo = f64_op(b, IR_IADD, x.lo, y.lo), *hi = f64_op(b, IR_IADD, x.hi, y.hi);
    return (struct ir_f64){lo, ir_f64_plus_if(b, hi, f64_op(b, IR_ULT, lo, y.lo))};
}

struct ir_f64 ir_i64_sub(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_instr *hi = f64_op(b, IR_ISUB, x.hi, y.hi);
    return (struct ir_f64){f64_op(b, IR_ISUB, x.lo, y.lo), minus_if(b, hi, f64_op(b, IR_ULT, x.lo, y.lo))};
}

struct ir_f64 ir_i64_negate_if(struct ir_builder *b, struct ir_f64 x, struct ir_instr *mask)
{
    struct ir_instr *hi = f64_op(b, IR_XOR, x.hi, mask);
    return (struct ir_f64){
        .lo = f64_op(b, IR_ISUB, f64_op(b, IR_XOR, x.lo, mask), mask),
        .hi = f64_sel(b, f64_opc(b, IR_IEQ, x.lo, 0), f64_op(b, IR_ISUB, hi, mask), hi),
    };
}

struct ir_f64 ir_i64_abs(struct ir_builder *b, struct ir_f64 x)
{
    return ir_i64_negate_if(b, x, f64_opc(b, IR_ASR, x.hi, 31));
}

struct ir_f64 ir_i64_sign(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *hi = f64_opc(b, IR_ASR, x.hi, 31);
    return (struct ir_f64){f64_op(b, IR_OR, hi, ir_f64_jam(b, f64_op(b, IR_OR, x.lo, x.hi))), hi};
}

/* ---------------------------------------------------------------- products */

/* From halves of 16 bits, whose products fit a word. */
struct ir_f64 ir_i64_mul_words(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    struct ir_instr *xl = f64_opc(b, IR_AND, x, 0xffff), *xh = f64_opc(b, IR_SHR, x, 16);
    struct ir_instr *yl = f64_opc(b, IR_AND, y, 0xffff), *yh = f64_opc(b, IR_SHR, y, 16);
    struct ir_instr *ll = f64_op(b, IR_MUL24, xl, yl), *lh = f64_op(b, IR_MUL24, xl, yh);
    struct ir_instr *hl = f64_op(b, IR_MUL24, xh, yl), *hh = f64_op(b, IR_MUL24, xh, yh);
    struct ir_instr *middle = f64_op(b, IR_IADD, f64_opc(b, IR_SHR, ll, 16), f64_opc(b, IR_AND, lh, 0xffff));
    middle = f64_op(b, IR_IADD, middle, f64_opc(b, IR_AND, hl, 0xffff));
    struct ir_instr *hi = f64_op(b, IR_IADD, hh, f64_opc(b, IR_SHR, middle, 16));
    hi = f64_op(b, IR_IADD, hi, f64_opc(b, IR_SHR, lh, 16));
    return (struct ir_f64){
        .lo = f64_op(b, IR_OR, f64_opc(b, IR_AND, ll, 0xffff), f64_opc(b, IR_SHL, middle, 16)),
        .hi = f64_op(b, IR_IADD, hi, f64_opc(b, IR_SHR, hl, 16)),
    };
}

struct ir_f64 ir_i64_mul(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_f64 out = ir_i64_mul_words(b, x.lo, y.lo);
    struct ir_instr *cross = f64_op(b, IR_IADD, f64_op(b, IR_IMUL, x.lo, y.hi), f64_op(b, IR_IMUL, x.hi, y.lo));
    out.hi = f64_op(b, IR_IADD, out.hi, cross);
    return out;
}

/* No sum overflows: (2^32 - 1)^2 + 2 (2^32 - 1) is below 2^64. */
struct ir_f64 ir_i64_umulh(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_instr *zero = ir_const(b, 0);
    struct ir_f64 low = ir_i64_mul_words(b, x.lo, y.lo), high = ir_i64_mul_words(b, x.hi, y.hi);
    struct ir_f64 lh = ir_i64_add(b, ir_i64_mul_words(b, x.lo, y.hi), (struct ir_f64){low.hi, zero});
    struct ir_f64 hl = ir_i64_add(b, ir_i64_mul_words(b, x.hi, y.lo), (struct ir_f64){lh.lo, zero});
    return ir_i64_add(b, ir_i64_add(b, high, (struct ir_f64){lh.hi, zero}), (struct ir_f64){hl.hi, zero});
}

/* y where x is negative, else 0 */
static struct ir_f64 if_negative(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_instr *mask = f64_opc(b, IR_ASR, x.hi, 31);
    return (struct ir_f64){f64_op(b, IR_AND, y.lo, mask), f64_op(b, IR_AND, y.hi, mask)};
}

struct ir_f64 ir_i64_smulh(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_f64 out = ir_i64_sub(b, ir_i64_umulh(b, x, y), if_negative(b, x, y));
    return ir_i64_sub(b, out, if_negative(b, y, x));
}

/* ---------------------------------------------------------------- bits */

/* In the shifts, a shift by 32 - n becomes one by 1 and one by 31 - n = ~n (modulo 32), so that n may be 0. */

struct ir_f64 ir_i64_shl_near(struct ir_builder *b, struct ir_f64 x, struct ir_instr *count)
{
    struct ir_instr *over = f64_op(b, IR_SHR, f64_opc(b, IR_SHR, x.lo, 1), ir_build1(b, IR_NOT, count));
    return (struct ir_f64){
        .lo = f64_op(b, IR_SHL, x.lo, count),
        .hi = f64_op(b, IR_OR, f64_op(b, IR_SHL, x.hi, count), over),
    };
}

struct ir_f64 ir_i64_shl(struct ir_builder *b, struct ir_f64 x, struct ir_instr *count)
{
    struct ir_instr *near = f64_opc(b, IR_ILT, count, 32);
    struct ir_f64 words = {f64_sel(b, near, x.lo, ir_const(b, 0)), f64_sel(b, near, x.hi, x.lo)};
    return ir_i64_shl_near(b, words, count);
}

/* `fill`: the word above x. */
static struct ir_f64 shift_right(struct ir_builder *b, enum ir_op op, struct ir_f64 x, struct ir_instr *fill,
                                 struct ir_instr *count)
{
    struct ir_instr *near = f64_opc(b, IR_ILT, count, 32), *rest = ir_build1(b, IR_NOT, count);
    struct ir_instr *lo = f64_sel(b, near, x.lo, x.hi), *hi = f64_sel(b, near, x.hi, fill);
    struct ir_instr *over = f64_op(b, IR_SHL, f64_opc(b, IR_SHL, hi, 1), rest);
    return (struct ir_f64){f64_op(b, IR_OR, f64_op(b, IR_SHR, lo, count), over), f64_op(b, op, hi, count)};
}

struct ir_f64 ir_i64_shr(struct ir_builder *b, struct ir_f64 x, struct ir_instr *count)
{
    return shift_right(b, IR_SHR, x, ir_const(b, 0), count);
}

struct ir_f64 ir_i64_asr(struct ir_builder *b, struct ir_f64 x, struct ir_instr *count)
{
    return shift_right(b, IR_ASR, x, f64_opc(b, IR_ASR, x.hi, 31), count);
}

struct ir_instr *ir_i64_clz(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *hi = ir_build1(b, IR_CLZ, x.hi), *lo = ir_build1(b, IR_CLZ, x.lo);
    /* bit 5 of the low word's count tells that it is 0, too */
    struct ir_instr *large = f64_opc(b, IR_SHL, f64_opc(b, IR_SHR, lo, 5), 12);
    lo = f64_op(b, IR_IADD, f64_opc(b, IR_IADD, lo, 32), large);
    return f64_sel(b, f64_opc(b, IR_IEQ, x.hi, 0), lo, hi);
}

/* ---------------------------------------------------------------- comparisons */

struct ir_instr *ir_i64_eq(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    return f64_op(b, IR_BAND, f64_op(b, IR_IEQ, x.lo, y.lo), f64_op(b, IR_IEQ, x.hi, y.hi));
}

/* `less`: the comparison of the high words. */
static struct ir_instr *is_less(struct ir_builder *b, enum ir_op less, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_instr *low = f64_op(b, IR_BAND, f64_op(b, IR_IEQ, x.hi, y.hi), f64_op(b, IR_ULT, x.lo, y.lo));
    return f64_op(b, IR_BOR, f64_op(b, less, x.hi, y.hi), low);
}

struct ir_instr *ir_i64_ult(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    return is_less(b, IR_ULT, x, y);
}

struct ir_instr *ir_i64_slt(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    return is_less(b, IR_ILT, x, y);
}
