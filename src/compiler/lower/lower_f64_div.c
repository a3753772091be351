/* SPDX-License-Identifier: MIT
 *
 * 64-bit floats: quotients, by 12 bits a round, and square roots, by one. Both loops run equally often in every lane.
 */
#include "compiler/lower/lower_f64_parts.h"
#include "compiler/lower/lower_rounds.h"

#define LIMB_MASK 0x3ffffu /* limbs of 18 bits */

/* ---------------------------------------------------------------- division */

/* Carries between limbs of 18 bits; the last one takes what is left, and may be negative on the way. */
static void carry_limbs(struct ir_builder *b, struct ir_instr *limbs[3])
{
    for (uint32_t i = 0; i < 2; i++) {
        limbs[i + 1] = f64_op(b, IR_IADD, limbs[i + 1], f64_opc(b, IR_ASR, limbs[i], 18));
        limbs[i] = f64_opc(b, IR_AND, limbs[i], LIMB_MASK);
    }
}

struct quotient {
    struct ir_f64 digits;
    struct ir_instr *rest[3];
};

/* floor(n 2^59 / d) or one less, and the rest, below 2 d; n and d are 53-bit integers with the leading bit set. Each
 * round estimates 12 more bits from the high limb of the rest, at most one too small: the estimate of 1 / d is below it
 * by less than 2^-14, and a digit is below 2^13. */
static struct quotient divide(struct ir_builder *b, struct ir_f64 n, struct ir_instr *const d[3])
{
    struct ir_instr *inverse = ir_build1(b, IR_FRCP, ir_build1(b, IR_ITOF, f64_opc(b, IR_IADD, d[2], 1)));
    inverse->imm = 1;
    inverse = f64_op(b, IR_FMUL, inverse, ir_const_f(b, 1 - 1 / 32768.0f));
    struct ir_instr *first[5] = {
        f64_opc(b, IR_AND, n.lo, LIMB_MASK),
        f64_opc(b, IR_AND, f64_op(b, IR_OR, f64_opc(b, IR_SHR, n.lo, 18), f64_opc(b, IR_SHL, n.hi, 14)), LIMB_MASK),
        f64_opc(b, IR_SHR, n.hi, 4),
        ir_const(b, 0),
        ir_const(b, 0),
    };
    struct ir_rounds r = ir_rounds_begin(b, first, 5, 5);
    struct ir_instr *digit = f64_op(b, IR_FMUL, ir_build1(b, IR_ITOF, r.states[2]), inverse);
    digit = ir_build1(b, IR_FTOI, digit);
    struct quotient q;
    for (uint32_t i = 0; i < 3; i++)
        q.rest[i] = f64_op(b, IR_ISUB, r.states[i], f64_op(b, IR_MUL24, digit, d[i]));
    carry_limbs(b, q.rest);
    struct ir_f64 shifted = {
        .lo = f64_opc(b, IR_SHL, r.states[3], 12),
        .hi = f64_op(b, IR_OR, f64_opc(b, IR_SHL, r.states[4], 12), f64_opc(b, IR_SHR, r.states[3], 20)),
    };
    q.digits = ir_i64_add(b, shifted, (struct ir_f64){digit, ir_const(b, 0)});
    ir_rounds_leave(b, &r);
    struct ir_instr *next[5] = {NULL, NULL, NULL, q.digits.lo, q.digits.hi};
    for (uint32_t i = 0; i < 3; i++)
        next[i] = f64_opc(b, IR_SHL, q.rest[i], 12);
    carry_limbs(b, next);
    ir_rounds_end(b, &r, next);
    return q;
}

/* Adds 1 where the rest is not below d, and a 1 in bit 0 of the shifted quotient where a rest is left. */
static struct ir_f64 finish_quotient(struct ir_builder *b, struct quotient q, struct ir_instr *const d[3],
                                     struct ir_instr **shift_out)
{
    struct ir_instr *less[3], *rest = f64_op(b, IR_OR, f64_op(b, IR_OR, q.rest[0], q.rest[1]), q.rest[2]);
    for (uint32_t i = 0; i < 3; i++)
        less[i] = f64_op(b, IR_ISUB, q.rest[i], d[i]);
    carry_limbs(b, less);
    struct ir_instr *is_below = f64_opc(b, IR_ILT, less[2], 0);
    struct ir_instr *one = f64_sel(b, is_below, ir_const(b, 0), ir_const(b, 1));
    rest = f64_sel(b, is_below, rest, f64_op(b, IR_OR, f64_op(b, IR_OR, less[0], less[1]), less[2]));
    struct ir_f64 digits = ir_i64_add(b, q.digits, (struct ir_f64){one, ir_const(b, 0)});
    *shift_out = ir_build1(b, IR_CLZ, digits.hi); /* 4 or 5 */
    digits = ir_i64_shl_near(b, digits, *shift_out);
    digits.lo = f64_op(b, IR_OR, digits.lo, ir_f64_jam(b, rest));
    return digits;
}

struct ir_f64 ir_f64_div(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_instr *sign = f64_opc(b, IR_AND, f64_op(b, IR_XOR, x.hi, y.hi), F64_SIGN);
    struct ir_instr *x_class = ir_f64_class(b, x), *y_class = ir_f64_class(b, y), *x_exponent, *y_exponent, *shift;
    struct ir_f64 n = ir_f64_aligned(b, x, f64_opc(b, IR_SHR, x_class, 20), true, &x_exponent);
    struct ir_f64 d = ir_f64_aligned(b, y, f64_opc(b, IR_SHR, y_class, 20), true, &y_exponent);
    struct ir_instr *limbs[3] = {
        f64_opc(b, IR_AND, f64_opc(b, IR_SHR, d.lo, 11), LIMB_MASK),
        f64_opc(b, IR_AND, f64_op(b, IR_OR, f64_opc(b, IR_SHR, d.lo, 29), f64_opc(b, IR_SHL, d.hi, 3)), LIMB_MASK),
        f64_opc(b, IR_SHR, d.hi, 15),
    };
    struct ir_f64 q = finish_quotient(b, divide(b, n, limbs), limbs, &shift);
    /* With the exponents that stand for zero and infinity, 0 / y, x / inf, x / 0 and inf / y come out by themselves. */
    struct ir_instr *below = f64_opc(b, IR_IADD, f64_op(b, IR_ISUB, x_exponent, y_exponent), F64_BIAS + 3);
    struct ir_f64 out = ir_f64_round(b, sign, q, f64_op(b, IR_ISUB, below, shift));
    /* NaN: an operand is one, both are infinite, or both are 0 */
    struct ir_instr *top = f64_op(b, IR_IMAX, x_class, y_class), *bottom = f64_op(b, IR_IMIN, x_class, y_class);
    struct ir_instr *both_infinite = f64_opc(b, IR_SHR, f64_opc(b, IR_IADD, bottom, 0x100000), 31);
    struct ir_instr *both_zero = f64_opc(b, IR_ASR, f64_opc(b, IR_ISUB, top, 1), 31);
    struct ir_instr *test = f64_op(b, IR_OR, f64_op(b, IR_OR, top, both_infinite), both_zero);
    out.hi = f64_sel(b, f64_op(b, IR_ULT, ir_const(b, F64_INF), test), ir_const(b, F64_NAN), out.hi);
    return out;
}

/* ---------------------------------------------------------------- square root */

struct root {
    struct ir_f64 twice, rest; /* of the root; x - root^2, scaled by 2^rounds */
};

#define POINT       60 /* bit of the value 1 */
#define ROOT_ROUNDS 54

/* The root of a number in [1, 4), one bit a round: with r bits known and the rest scaled by 2^r, the next bit is set if
 * 2 rest >= 2 root + bit. */
static struct root square_root(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *zero = ir_const(b, 0);
    struct ir_instr *first[6] = {zero, ir_const(b, 2u << (POINT - 32)), x.lo,
                                 f64_opc(b, IR_ISUB, x.hi, 1u << (POINT - 32)), zero,
                                 ir_const(b, 1u << (POINT - 33))};
    struct ir_rounds r = ir_rounds_begin(b, first, 6, ROOT_ROUNDS);
    struct ir_f64 twice = {r.states[0], r.states[1]}, rest = {r.states[2], r.states[3]};
    struct ir_f64 bit = {r.states[4], r.states[5]}, one = {ir_const(b, 1), ir_const(b, 1)};
    rest = ir_i64_shl_near(b, rest, one.lo);
    struct ir_f64 test = {f64_op(b, IR_OR, twice.lo, bit.lo), f64_op(b, IR_OR, twice.hi, bit.hi)};
    struct ir_instr *borrowed = f64_op(b, IR_ISUB, rest.hi, test.hi);
    struct ir_f64 less = {
        .lo = f64_op(b, IR_ISUB, rest.lo, test.lo),
        .hi = f64_sel(b, f64_op(b, IR_ULT, rest.lo, test.lo), f64_opc(b, IR_ISUB, borrowed, 1), borrowed),
    };
    struct ir_instr *is_above = f64_opc(b, IR_IGE, less.hi, 0);
    struct ir_f64 twice_bit = ir_i64_shl_near(b, bit, one.lo);
    struct root out = {.rest = ir_f64_sel(b, is_above, less, rest)};
    out.twice.lo = f64_sel(b, is_above, f64_op(b, IR_OR, twice.lo, twice_bit.lo), twice.lo);
    out.twice.hi = f64_sel(b, is_above, f64_op(b, IR_OR, twice.hi, twice_bit.hi), twice.hi);
    ir_rounds_leave(b, &r);
    struct ir_instr *bit_lo = f64_op(b, IR_OR, f64_opc(b, IR_SHR, bit.lo, 1), f64_opc(b, IR_SHL, bit.hi, 31));
    ir_rounds_end(b, &r, (struct ir_instr *const[]){out.twice.lo, out.twice.hi, out.rest.lo, out.rest.hi, bit_lo,
                                                    f64_opc(b, IR_SHR, bit.hi, 1)});
    return out;
}

struct ir_f64 ir_f64_sqrt(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *class = ir_f64_class(b, x), *exponent;
    struct ir_f64 s = ir_f64_aligned(b, x, f64_opc(b, IR_SHR, class, 20), false, &exponent);
    /* [1, 2) if the exponent is even, [2, 4) if not; the bias is odd */
    struct ir_instr *is_odd = f64_opc(b, IR_AND, f64_opc(b, IR_IADD, exponent, 1), 1);
    struct ir_f64 scaled = {
        .lo = f64_op(b, IR_OR, f64_opc(b, IR_SHR, s.lo, 3), f64_opc(b, IR_SHL, s.hi, 29)),
        .hi = f64_opc(b, IR_SHR, s.hi, 3),
    };
    struct root r = square_root(b, ir_i64_shl_near(b, scaled, is_odd));
    /* twice the root has its leading 1 at POINT + 1 = 61 */
    r.twice = ir_i64_shl_near(b, r.twice, ir_const(b, 2));
    r.twice.lo = f64_op(b, IR_OR, r.twice.lo, ir_f64_jam(b, f64_op(b, IR_OR, r.rest.lo, r.rest.hi)));
    struct ir_instr *below = f64_opc(b, IR_ASR, f64_opc(b, IR_ISUB, exponent, F64_BIAS), 1);
    struct ir_f64 out = ir_f64_pack(b, r.twice, f64_opc(b, IR_IADD, below, F64_BIAS - 1));
    /* Zeros, infinity and NaN are their own roots; other negative numbers have none. */
    struct ir_instr *is_number = f64_op(b, IR_ULT, f64_opc(b, IR_ISUB, class, 1), ir_const(b, F64_INF - 1));
    out = ir_f64_sel(b, is_number, out, x);
    struct ir_instr *is_negative =
        f64_op(b, IR_ULT, ir_const(b, F64_SIGN), f64_op(b, IR_OR, x.hi, ir_f64_jam(b, x.lo)));
    out.hi = f64_sel(b, is_negative, ir_const(b, F64_NAN), out.hi);
    return out;
}
