/* SPDX-License-Identifier: MIT
 *
 * 64-bit floats: x y + z with a single rounding. The exact product and z meet in 128 bits.
 *
 * The product of the significands, neither of which is shifted, stands at bit PRODUCT_AT, z at bit ADDEND_AT. Whichever
 * has the lower place is shifted right until the bits of both have the same weights. What is shifted out lies below the
 * last bit of a result that cancellation can produce: where z loses bits, the product is far larger (or zero, which is
 * looked for), and where the product loses bits, z is, or the result is a denormal whose last bit is z's.
 */
#include "compiler/lower/lower_f64_parts.h"

#define PRODUCT_AT 14
#define ADDEND_AT  72

struct wide {
    struct ir_instr *w[4]; /* from the lowest */
};

static struct wide sel_wide(struct ir_builder *b, struct ir_instr *cond, struct wide x, struct wide y)
{
    struct wide out;
    for (uint32_t i = 0; i < 4; i++)
        out.w[i] = f64_sel(b, cond, x.w[i], y.w[i]);
    return out;
}

static struct wide product(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_instr *m[4], *n[4], *c[7];
    ir_f64_limbs(b, x, 0, m);
    ir_f64_limbs(b, y, 0, n);
    ir_f64_columns(b, m, n, c);
    struct wide out = {{
        f64_op(b, IR_OR, f64_opc(b, IR_SHL, c[0], 14), f64_opc(b, IR_SHL, c[1], 28)),
        f64_op(b, IR_OR, f64_opc(b, IR_SHR, c[1], 4), f64_opc(b, IR_SHL, c[2], 10)),
        f64_op(b, IR_OR, f64_opc(b, IR_SHR, c[3], 8), f64_opc(b, IR_SHL, c[4], 6)),
        f64_op(b, IR_OR, f64_opc(b, IR_SHR, c[5], 12), f64_opc(b, IR_SHL, c[6], 2)),
    }};
    out.w[1] = f64_op(b, IR_OR, out.w[1], f64_opc(b, IR_SHL, c[3], 24));
    out.w[2] = f64_op(b, IR_OR, out.w[2], f64_opc(b, IR_SHL, c[5], 20));
    return out;
}

/* By 0 to 127 bits. Lost bits leave a 1 in bit 0. */
static struct wide shift_right_jam(struct ir_builder *b, struct wide x, struct ir_instr *count)
{
    struct ir_instr *zero = ir_const(b, 0), *rest = ir_build1(b, IR_NOT, count);
    struct ir_instr *near = f64_opc(b, IR_ILT, count, 64);
    struct ir_instr *lost = f64_sel(b, near, zero, f64_op(b, IR_OR, x.w[0], x.w[1]));
    x = sel_wide(b, near, x, (struct wide){{x.w[2], x.w[3], zero, zero}});
    near = f64_opc(b, IR_IEQ, f64_opc(b, IR_AND, count, 32), 0);
    lost = f64_op(b, IR_OR, lost, f64_sel(b, near, zero, x.w[0]));
    x = sel_wide(b, near, x, (struct wide){{x.w[1], x.w[2], x.w[3], zero}});
    lost = f64_op(b, IR_OR, lost, f64_op(b, IR_SHL, f64_opc(b, IR_SHL, x.w[0], 1), rest));
    for (uint32_t i = 0; i < 4; i++) {
        struct ir_instr *moved = f64_op(b, IR_SHR, x.w[i], count);
        x.w[i] = i == 3 ? moved : f64_op(b, IR_OR, moved, f64_op(b, IR_SHL, f64_opc(b, IR_SHL, x.w[i + 1], 1), rest));
    }
    x.w[0] = f64_op(b, IR_OR, x.w[0], ir_f64_jam(b, lost));
    return x;
}

static struct ir_instr *one_if(struct ir_builder *b, struct ir_instr *cond)
{
    return f64_sel(b, cond, ir_const(b, 1), ir_const(b, 0));
}

static struct wide add(struct ir_builder *b, struct wide x, struct wide y)
{
    struct wide out;
    struct ir_instr *carry = NULL;
    for (uint32_t i = 0; i < 4; i++) {
        struct ir_instr *sum = f64_op(b, IR_IADD, x.w[i], y.w[i]);
        out.w[i] = carry ? f64_op(b, IR_IADD, sum, carry) : sum;
        if (i == 3)
            break;
        struct ir_instr *first = one_if(b, f64_op(b, IR_ULT, sum, y.w[i]));
        /* at most one of the two additions carries */
        carry = carry ? f64_op(b, IR_OR, first, one_if(b, f64_op(b, IR_ULT, out.w[i], carry))) : first;
    }
    return out;
}

/* x or, if the word `mask` is ~0 instead of 0, -x: a word gets the carry if all words below it are 0. */
static struct wide negate(struct ir_builder *b, struct wide x, struct ir_instr *mask)
{
    struct wide out;
    struct ir_instr *below = NULL;
    for (uint32_t i = 0; i < 4; i++) {
        struct ir_instr *flipped = f64_op(b, IR_XOR, x.w[i], mask), *carried = f64_op(b, IR_ISUB, flipped, mask);
        out.w[i] = below ? f64_sel(b, f64_opc(b, IR_IEQ, below, 0), carried, flipped) : carried;
        below = below ? f64_op(b, IR_OR, below, x.w[i]) : x.w[i];
    }
    return out;
}

/* The leading 64 bits of x with the leading 1 at bit 63, and how far they were shifted; 128 for 0. */
static struct ir_f64 aligned(struct ir_builder *b, struct wide x, struct ir_instr **count_out)
{
    struct ir_instr *zero = ir_const(b, 0), *is_low, *count;
    is_low = f64_opc(b, IR_IEQ, f64_op(b, IR_OR, x.w[3], x.w[2]), 0);
    x = sel_wide(b, is_low, (struct wide){{zero, zero, x.w[0], x.w[1]}}, x);
    count = f64_sel(b, is_low, ir_const(b, 64), zero);
    is_low = f64_opc(b, IR_IEQ, x.w[3], 0);
    x = sel_wide(b, is_low, (struct wide){{zero, x.w[0], x.w[1], x.w[2]}}, x);
    count = f64_sel(b, is_low, f64_opc(b, IR_IADD, count, 32), count);
    struct ir_instr *near = ir_build1(b, IR_CLZ, x.w[3]), *rest;
    struct ir_f64 out = ir_i64_shl_near(b, (struct ir_f64){x.w[2], x.w[3]}, near);
    rest = f64_op(b, IR_SHR, f64_opc(b, IR_SHR, x.w[1], 1), ir_build1(b, IR_NOT, near));
    out.lo = f64_op(b, IR_OR, out.lo, rest);
    rest = f64_op(b, IR_OR, f64_op(b, IR_SHL, x.w[1], near), x.w[0]);
    out.lo = f64_op(b, IR_OR, out.lo, ir_f64_jam(b, rest));
    *count_out = f64_op(b, IR_IADD, count, near);
    return out;
}

/* Infinities and NaN. `sign` is the product's; `minus` is ~0 where the signs of product and addend differ. */
static struct ir_f64 special(struct ir_builder *b, struct ir_f64 out, struct ir_f64 z, struct ir_instr *const class[3],
                             struct ir_instr *sign, struct ir_instr *minus)
{
    struct ir_instr *top = f64_op(b, IR_IMAX, class[0], class[1]), *bottom = f64_op(b, IR_IMIN, class[0], class[1]);
    struct ir_instr *infinity = ir_const(b, F64_INF);
    struct ir_instr *is_zero = f64_opc(b, IR_SHR, f64_opc(b, IR_ISUB, bottom, 1), 31);
    struct ir_instr *test = f64_op(b, IR_IMAX, f64_op(b, IR_OR, top, is_zero), class[2]);
    /* inf - inf: both classes are at least that of infinity, and the signs differ */
    struct ir_instr *both = f64_opc(b, IR_SHR, f64_opc(b, IR_IADD, f64_op(b, IR_IMIN, top, class[2]), 0x100000), 31);
    test = f64_op(b, IR_OR, test, f64_op(b, IR_AND, both, minus));
    struct ir_f64 infinite = {ir_const(b, 0), f64_op(b, IR_OR, sign, infinity)};
    out = ir_f64_sel(b, f64_op(b, IR_IEQ, class[2], infinity), z, out);
    out = ir_f64_sel(b, f64_op(b, IR_IEQ, top, infinity), infinite, out);
    out.hi = f64_sel(b, f64_op(b, IR_ILT, infinity, test), ir_const(b, F64_NAN), out.hi);
    return out;
}

struct ir_f64 ir_f64_fma(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y, struct ir_f64 z)
{
    struct ir_instr *class[3] = {ir_f64_class(b, x), ir_f64_class(b, y), ir_f64_class(b, z)};
    struct ir_instr *field[3], *exponent[3];
    for (uint32_t i = 0; i < 3; i++) {
        field[i] = f64_opc(b, IR_SHR, class[i], 20);
        exponent[i] = f64_opc(b, IR_IMAX, field[i], 1);
    }
    struct ir_instr *sign = f64_op(b, IR_XOR, x.hi, y.hi),
                    *minus = f64_opc(b, IR_ASR, f64_op(b, IR_XOR, sign, z.hi), 31);
    struct wide p = product(b, ir_f64_significand(b, x, field[0]), ir_f64_significand(b, y, field[1]));
    struct ir_f64 s = ir_f64_significand(b, z, field[2]);
    struct wide a = {
        {ir_const(b, 0), ir_const(b, 0), f64_opc(b, IR_SHL, s.lo, ADDEND_AT - 64),
         f64_op(b, IR_OR, f64_opc(b, IR_SHL, s.hi, ADDEND_AT - 64), f64_opc(b, IR_SHR, s.lo, 96 - ADDEND_AT))}};

    /* weights of bit 0: 2^low of the product, 2^high of the addend */
    struct ir_instr *low = f64_opc(b, IR_ISUB, f64_op(b, IR_IADD, exponent[0], exponent[1]),
                                   2 * (F64_BIAS + 52) + PRODUCT_AT);
    struct ir_instr *high = f64_opc(b, IR_ISUB, exponent[2], F64_BIAS + 52 + ADDEND_AT);
    struct ir_instr *is_zero = f64_opc(b, IR_IEQ, f64_op(b, IR_IMIN, class[0], class[1]), 0);
    low = f64_sel(b, is_zero, high, low);
    struct ir_instr *shift = f64_op(b, IR_ISUB, low, high);
    struct ir_instr *moves_addend = f64_opc(b, IR_IGE, shift, 0);
    struct wide moved = sel_wide(b, moves_addend, a, p), kept = sel_wide(b, moves_addend, p, a);
    shift = f64_op(b, IR_IMAX, shift, f64_op(b, IR_ISUB, ir_const(b, 0), shift));
    moved = shift_right_jam(b, moved, f64_opc(b, IR_IMIN, shift, 127));
    for (uint32_t i = 0; i < 4; i++)
        moved.w[i] = f64_op(b, IR_XOR, moved.w[i], minus);
    kept.w[0] = f64_op(b, IR_ISUB, kept.w[0], minus); /* -n = ~n + 1; bit 0 of what is kept is 0 */
    struct wide sum = add(b, kept, moved);
    struct ir_instr *negative = f64_opc(b, IR_ASR, sum.w[3], 31), *count;
    struct ir_f64 digits = aligned(b, negate(b, sum, negative), &count);

    struct ir_instr *below = f64_op(b, IR_IMAX, low, high);
    below = f64_op(b, IR_ISUB, f64_opc(b, IR_IADD, below, 127 + F64_BIAS - 1), count);
    struct ir_instr *none = f64_opc(b, IR_IEQ, f64_op(b, IR_OR, digits.lo, digits.hi), 0);
    below = f64_sel(b, none, ir_const(b, 0), below);
    /* the sign of what was kept, flipped if the other was larger; +0 if they cancelled */
    struct ir_instr *out_sign = f64_op(b, IR_XOR, f64_sel(b, moves_addend, sign, z.hi), negative);
    out_sign = f64_sel(b, none, f64_op(b, IR_AND, sign, z.hi), out_sign);
    out_sign = f64_opc(b, IR_AND, out_sign, F64_SIGN);
    struct ir_f64 out = ir_f64_round(b, out_sign, digits, below);
    return special(b, out, z, class, f64_opc(b, IR_AND, sign, F64_SIGN), minus);
}
