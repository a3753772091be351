/* SPDX-License-Identifier: MIT
 *
 * 64-bit floats: comparisons and what follows from them.
 */
#include "compiler/lower/lower_f64_parts.h"

struct ir_instr *ir_f64_is_nan(struct ir_builder *b, struct ir_f64 x)
{
    return f64_op(b, IR_ILT, ir_const(b, F64_INF), ir_f64_class(b, x));
}

struct ir_instr *ir_f64_is_inf(struct ir_builder *b, struct ir_f64 x)
{
    return f64_opc(b, IR_IEQ, ir_f64_class(b, x), F64_INF);
}

struct ir_instr *ir_f64_is_unordered(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    return f64_op(b, IR_ILT, ir_const(b, F64_INF), f64_op(b, IR_IMAX, ir_f64_class(b, x), ir_f64_class(b, y)));
}

struct ir_f64 ir_f64_sel(struct ir_builder *b, struct ir_instr *cond, struct ir_f64 x, struct ir_f64 y)
{
    return (struct ir_f64){f64_sel(b, cond, x.lo, y.lo), f64_sel(b, cond, x.hi, y.hi)};
}

/* Equal bits, or two zeros, and no NaN. */
struct ir_instr *ir_f64_eq(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_instr *difference = f64_op(b, IR_OR, f64_op(b, IR_XOR, x.lo, y.lo), f64_op(b, IR_XOR, x.hi, y.hi));
    struct ir_instr *either = f64_op(b, IR_OR, f64_opc(b, IR_SHL, f64_op(b, IR_OR, x.hi, y.hi), 1),
                                     f64_op(b, IR_OR, x.lo, y.lo));
    difference = f64_sel(b, ir_f64_is_nan(b, x), ir_const(b, 1), difference);
    return f64_opc(b, IR_IEQ, f64_sel(b, f64_opc(b, IR_IEQ, either, 0), ir_const(b, 0), difference), 0);
}

/* The number as a 64-bit integer in two's complement that is ordered like it; both zeros are 0. */
static struct ir_f64 ordered(struct ir_builder *b, struct ir_f64 x)
{
    return ir_i64_negate_if(b, ir_f64_abs(b, x), f64_opc(b, IR_ASR, x.hi, 31));
}

/* The high word of x is below this word exactly if x < y as 64-bit integers. */
static struct ir_instr *limit_for(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    return ir_f64_plus_if(b, y.hi, f64_op(b, IR_ULT, x.lo, y.lo));
}

/* The same, but -0 comes before 0, which takes no negation. */
static struct ir_f64 ranked(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *negative = f64_opc(b, IR_ASR, x.hi, 31);
    struct ir_instr *size_bits = f64_opc(b, IR_AND, negative, ~F64_SIGN);
    return (struct ir_f64){f64_op(b, IR_XOR, x.lo, negative), f64_op(b, IR_XOR, x.hi, size_bits)};
}

/* x < y, where both are given by integers of their order as well; false with a NaN. */
static struct ir_instr *is_below(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y, struct ir_f64 from,
                                 struct ir_f64 to)
{
    struct ir_instr *limit = limit_for(b, from, to);
    /* nothing is below the least number */
    limit = f64_sel(b, ir_f64_is_unordered(b, x, y), ir_const(b, F64_SIGN), limit);
    return f64_op(b, IR_ILT, from.hi, limit);
}

struct ir_instr *ir_f64_lt(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_f64 from = ordered(b, x), to = ordered(b, y);
    return is_below(b, x, y, from, to);
}

static struct ir_instr *ranks_below(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_f64 from = ranked(b, x), to = ranked(b, y);
    return is_below(b, x, y, from, to);
}

struct ir_instr *ir_f64_le(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_f64 from = ordered(b, y), to = ordered(b, x);
    struct ir_instr *is_ordered = ir_build1(b, IR_BNOT, ir_f64_is_unordered(b, x, y));
    /* with a NaN the limit may overflow */
    return f64_op(b, IR_BAND, f64_op(b, IR_IGE, from.hi, limit_for(b, from, to)), is_ordered);
}

struct ir_f64 ir_f64_min(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    return ir_f64_sel(b, ranks_below(b, y, x), y, x);
}

struct ir_f64 ir_f64_max(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    return ir_f64_sel(b, ranks_below(b, x, y), y, x);
}

struct ir_f64 ir_f64_nmin(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    return ir_f64_sel(b, ir_f64_is_nan(b, x), y, ir_f64_min(b, x, y));
}

struct ir_f64 ir_f64_nmax(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    return ir_f64_sel(b, ir_f64_is_nan(b, x), y, ir_f64_max(b, x, y));
}

struct ir_f64 ir_f64_sign(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *one = f64_opc(b, IR_OR, f64_opc(b, IR_AND, x.hi, F64_SIGN), F64_BIAS << 20);
    struct ir_instr *is_zero = f64_opc(b, IR_IEQ, f64_op(b, IR_OR, f64_opc(b, IR_SHL, x.hi, 1), x.lo), 0);
    return (struct ir_f64){ir_const(b, 0), f64_sel(b, is_zero, x.hi, one)};
}
