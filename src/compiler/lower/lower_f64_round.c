/* SPDX-License-Identifier: MIT
 *
 * 64-bit floats: the way from numbers to significands and back (lower_f64_parts.h).
 */
#include <string.h>
#include "compiler/lower/lower_f64_parts.h"

/* ---------------------------------------------------------------- words */

struct ir_instr *ir_f64_plus_if(struct ir_builder *b, struct ir_instr *x, struct ir_instr *cond)
{
    return f64_sel(b, cond, f64_opc(b, IR_IADD, x, 1), x);
}

struct ir_instr *ir_f64_jam(struct ir_builder *b, struct ir_instr *x)
{
    return f64_opc(b, IR_SHR, f64_op(b, IR_OR, x, f64_op(b, IR_ISUB, ir_const(b, 0), x)), 31);
}

/* A shift by 32 - n is one by 1 and one by 31 - n = ~n (modulo 32), so that n may be 0. */
struct ir_f64 ir_f64_shift_right_jam(struct ir_builder *b, struct ir_f64 x, struct ir_instr *count)
{
    struct ir_instr *zero = ir_const(b, 0), *near = f64_opc(b, IR_ILT, count, 32), *rest = ir_build1(b, IR_NOT, count);
    struct ir_instr *lo = f64_sel(b, near, x.lo, x.hi), *hi = f64_sel(b, near, x.hi, zero);
    struct ir_instr *lost = f64_sel(b, near, zero, x.lo);
    lost = f64_op(b, IR_OR, lost, f64_op(b, IR_SHL, f64_opc(b, IR_SHL, lo, 1), rest));
    lo = f64_op(b, IR_OR, f64_op(b, IR_SHR, lo, count), f64_op(b, IR_SHL, f64_opc(b, IR_SHL, hi, 1), rest));
    return (struct ir_f64){f64_op(b, IR_OR, lo, ir_f64_jam(b, lost)), f64_op(b, IR_SHR, hi, count)};
}

/* ---------------------------------------------------------------- taking apart */

struct ir_instr *ir_f64_class(struct ir_builder *b, struct ir_f64 x)
{
    return f64_op(b, IR_OR, f64_opc(b, IR_AND, x.hi, ~F64_SIGN), ir_f64_jam(b, x.lo));
}

struct ir_f64 ir_f64_significand(struct ir_builder *b, struct ir_f64 x, struct ir_instr *field)
{
    struct ir_instr *leading = f64_opc(b, IR_SHL, f64_opc(b, IR_IMIN, field, 1), 20);
    return (struct ir_f64){x.lo, f64_op(b, IR_OR, f64_opc(b, IR_AND, x.hi, 0xfffff), leading)};
}

struct ir_f64 ir_f64_aligned(struct ir_builder *b, struct ir_f64 x, struct ir_instr *field, bool infinite,
                             struct ir_instr **exponent_out)
{
    struct ir_f64 significand = ir_f64_significand(b, x, field);
    struct ir_instr *count = ir_i64_clz(b, significand), *exponent = f64_opc(b, IR_IMAX, field, 1);
    if (infinite)
        exponent = f64_sel(b, f64_opc(b, IR_IEQ, field, 2047), ir_const(b, F64_INF_EXPONENT), exponent);
    *exponent_out = f64_op(b, IR_ISUB, f64_opc(b, IR_IADD, exponent, 11), count);
    return ir_i64_shl(b, significand, count);
}

/* ---------------------------------------------------------------- rounding */

struct ir_f64 ir_f64_pack(struct ir_builder *b, struct ir_f64 significand, struct ir_instr *below)
{
    struct ir_instr *rest = f64_opc(b, IR_AND, significand.lo, 0x7ff);
    struct ir_instr *lo =
        f64_op(b, IR_OR, f64_opc(b, IR_SHR, significand.lo, 11), f64_opc(b, IR_SHL, significand.hi, 21));
    struct ir_instr *hi = f64_op(b, IR_IADD, f64_opc(b, IR_SHR, significand.hi, 11), f64_opc(b, IR_SHL, below, 20));
    /* up if the rest is above half, or half and the last bit is 1 */
    struct ir_instr *up = f64_op(b, IR_IADD, rest, f64_opc(b, IR_AND, lo, 1));
    up = f64_opc(b, IR_SHR, f64_opc(b, IR_IADD, up, 0x3ff), 11);
    lo = f64_op(b, IR_IADD, lo, up);
    return (struct ir_f64){lo, ir_f64_plus_if(b, hi, f64_op(b, IR_ULT, lo, up))};
}

struct ir_f64 ir_f64_overflow(struct ir_builder *b, struct ir_f64 x, struct ir_instr *below)
{
    struct ir_instr *fits = f64_opc(b, IR_ILT, below, 2046);
    return (struct ir_f64){f64_sel(b, fits, x.lo, ir_const(b, 0)), f64_sel(b, fits, x.hi, ir_const(b, F64_INF))};
}

struct ir_f64 ir_f64_round(struct ir_builder *b, struct ir_instr *sign, struct ir_f64 significand,
                           struct ir_instr *below)
{
    struct ir_instr *count = f64_opc(b, IR_IMAX, f64_op(b, IR_ISUB, ir_const(b, 0), below), 0);
    significand = ir_f64_shift_right_jam(b, significand, f64_opc(b, IR_IMIN, count, 63));
    struct ir_f64 out = ir_f64_pack(b, significand, f64_opc(b, IR_IMAX, below, 0));
    out = ir_f64_overflow(b, out, below);
    out.hi = f64_op(b, IR_OR, out.hi, sign);
    return out;
}

struct ir_f64 ir_f64_const(struct ir_builder *b, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (struct ir_f64){ir_const(b, (uint32_t)bits), ir_const(b, (uint32_t)(bits >> 32))};
}
