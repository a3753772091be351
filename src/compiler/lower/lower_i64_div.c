/* SPDX-License-Identifier: MIT
 *
 * 64-bit integers: quotients and remainders. Each of four rounds estimates the quotient of what is left from the
 * upper 24 bits of the rest and of the divisor, and subtracts the estimate times the divisor.
 */
#include "compiler/lower/lower_f64_parts.h"
#include "compiler/lower/lower_rounds.h"

#define ROUNDS 4

struct quotient {
    struct ir_f64 q, rest;
};

struct divisor {
    struct ir_f64 d;
    struct ir_instr *zeros;   /* leading */
    struct ir_instr *inverse; /* 2^23 / (24 bits from the leading 1 on), as a float, or slightly less */
};

/* The 24 bits of x from its leading 1 on, as a float. */
static struct ir_instr *top_bits(struct ir_builder *b, struct ir_f64 x, struct ir_instr *zeros)
{
    return ir_build1(b, IR_ITOF, f64_opc(b, IR_SHR, ir_i64_shl(b, x, zeros).hi, 8));
}

/* The reciprocal is exact to 2^-20, and the divisor's lower bits change it by less than 2^-23. */
static struct divisor make_divisor(struct ir_builder *b, struct ir_f64 d)
{
    struct divisor out = {.d = d, .zeros = ir_i64_clz(b, d)};
    struct ir_instr *inverse = ir_build1(b, IR_FRCP, top_bits(b, d, out.zeros));
    out.inverse = f64_op(b, IR_FMUL, inverse, ir_const_f(b, 8388608 * (1 - 1 / 524288.0f)));
    return out;
}

/* The estimate is m 2^e. It is not above rest / d, and below it by less than rest / d 2^-18 + 1. */
static struct quotient one_round(struct ir_builder *b, const struct divisor *d, struct quotient q)
{
    struct ir_instr *zero = ir_const(b, 0), *zeros = ir_i64_clz(b, q.rest);
    struct ir_instr *m = ir_build1(b, IR_FTOI, f64_op(b, IR_FMUL, top_bits(b, q.rest, zeros), d->inverse));
    struct ir_instr *e = f64_opc(b, IR_ISUB, f64_op(b, IR_ISUB, d->zeros, zeros), 23);
    struct ir_instr *up = f64_opc(b, IR_IMAX, e, 0), *down = f64_opc(b, IR_IMAX, f64_op(b, IR_ISUB, zero, e), 0);
    m = f64_op(b, IR_SHR, m, f64_opc(b, IR_IMIN, down, 31));
    struct ir_f64 product = ir_i64_mul_words(b, m, d->d.lo);
    product.hi = f64_op(b, IR_IADD, product.hi, f64_op(b, IR_IMUL, m, d->d.hi));
    return (struct quotient){
        .q = ir_i64_add(b, q.q, ir_i64_shl(b, (struct ir_f64){m, zero}, up)),
        .rest = ir_i64_sub(b, q.rest, ir_i64_shl(b, product, up)),
    };
}

/* After n rounds the rest is at most (2^(64 - 18 n) + 2) d, after the last one below 2 d. */
static struct quotient divide(struct ir_builder *b, struct ir_f64 n, struct ir_f64 by)
{
    const bool relaxed = b->relaxed;
    b->relaxed = false;
    const struct divisor d = make_divisor(b, by);
    struct ir_instr *zero = ir_const(b, 0);
    struct ir_rounds r = ir_rounds_begin(b, (struct ir_instr *const[]){zero, zero, n.lo, n.hi}, 4, ROUNDS);
    struct quotient out = {{r.states[0], r.states[1]}, {r.states[2], r.states[3]}};
    out = one_round(b, &d, out);
    ir_rounds_leave(b, &r);
    ir_rounds_end(b, &r, (struct ir_instr *const[]){out.q.lo, out.q.hi, out.rest.lo, out.rest.hi});
    struct ir_instr *is_below = ir_i64_ult(b, out.rest, by);
    struct ir_f64 more = ir_i64_add(b, out.q, (struct ir_f64){ir_const(b, 1), zero});
    out.q = ir_f64_sel(b, is_below, out.q, more);
    out.rest = ir_f64_sel(b, is_below, out.rest, ir_i64_sub(b, out.rest, by));
    b->relaxed = relaxed;
    return out;
}

struct ir_f64 ir_i64_udiv(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    return divide(b, x, y).q;
}

struct ir_f64 ir_i64_umod(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    return divide(b, x, y).rest;
}

struct ir_f64 ir_i64_sdiv(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_f64 q = divide(b, ir_i64_abs(b, x), ir_i64_abs(b, y)).q;
    return ir_i64_negate_if(b, q, f64_opc(b, IR_ASR, f64_op(b, IR_XOR, x.hi, y.hi), 31));
}

struct ir_f64 ir_i64_srem(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_f64 rest = divide(b, ir_i64_abs(b, x), ir_i64_abs(b, y)).rest;
    return ir_i64_negate_if(b, rest, f64_opc(b, IR_ASR, x.hi, 31));
}

/* Adds the divisor where the remainder has the other sign. */
struct ir_f64 ir_i64_smod(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_f64 rest = ir_i64_srem(b, x, y);
    struct ir_instr *other = f64_opc(b, IR_ILT, f64_op(b, IR_XOR, rest.hi, y.hi), 0);
    struct ir_instr *is_not_zero = f64_opc(b, IR_INE, f64_op(b, IR_OR, rest.lo, rest.hi), 0);
    return ir_f64_sel(b, f64_op(b, IR_BAND, other, is_not_zero), ir_i64_add(b, rest, y), rest);
}
