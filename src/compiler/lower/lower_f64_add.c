/* SPDX-License-Identifier: MIT
 *
 * 64-bit floats: sums, differences, negation.
 */
#include "compiler/lower/lower_f64_parts.h"

struct ir_f64 ir_f64_neg(struct ir_builder *b, struct ir_f64 x)
{
    return (struct ir_f64){x.lo, f64_opc(b, IR_XOR, x.hi, F64_SIGN)};
}

struct ir_f64 ir_f64_abs(struct ir_builder *b, struct ir_f64 x)
{
    return (struct ir_f64){x.lo, f64_opc(b, IR_AND, x.hi, ~F64_SIGN)};
}

/* The significand with its leading 1 at bit 62, which leaves 10 bits for what the smaller number loses when it is
 * shifted, and one for the carry. */
static struct ir_f64 addend(struct ir_builder *b, struct ir_f64 x, struct ir_instr *field)
{
    struct ir_f64 s = ir_f64_significand(b, x, field);
    return (struct ir_f64){
        .lo = f64_opc(b, IR_SHL, s.lo, 10),
        .hi = f64_op(b, IR_OR, f64_opc(b, IR_SHL, s.hi, 10), f64_opc(b, IR_SHR, s.lo, 22)),
    };
}

static struct ir_instr *field_of(struct ir_builder *b, struct ir_f64 x)
{
    return f64_opc(b, IR_AND, f64_opc(b, IR_SHR, x.hi, 20), 0x7ff);
}

/* Orders the operands by magnitude, aligns the smaller one, adds or subtracts, shifts the leading 1 back to bit 63 and
 * rounds. A result below the normal numbers is exact: there the shift ends at the exponent of denormals. */
struct ir_f64 ir_f64_add(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_instr *x_hi = f64_opc(b, IR_AND, x.hi, ~F64_SIGN), *y_hi = f64_opc(b, IR_AND, y.hi, ~F64_SIGN);
    struct ir_instr *limit = ir_f64_plus_if(b, y_hi, f64_op(b, IR_ULT, x.lo, y.lo));
    struct ir_instr *is_less = f64_op(b, IR_ULT, x_hi, limit);
    struct ir_f64 large = ir_f64_sel(b, is_less, y, x), small = ir_f64_sel(b, is_less, x, y);
    struct ir_instr *field = field_of(b, large), *small_field = field_of(b, small);
    struct ir_instr *exponent = f64_opc(b, IR_IMAX, field, 1);
    struct ir_instr *shift = f64_op(b, IR_ISUB, exponent, f64_opc(b, IR_IMAX, small_field, 1));
    struct ir_instr *minus = f64_opc(b, IR_ASR, f64_op(b, IR_XOR, x.hi, y.hi), 31); /* ~0: the signs differ */

    struct ir_f64 s = addend(b, large, field);
    struct ir_f64 t = ir_f64_shift_right_jam(b, addend(b, small, small_field), f64_opc(b, IR_IMIN, shift, 63));
    /* -t = ~t + 1; the 1 fits into the empty low bits of s */
    s.lo = f64_op(b, IR_ISUB, s.lo, minus);
    s = ir_i64_add(b, s, (struct ir_f64){f64_op(b, IR_XOR, t.lo, minus), f64_op(b, IR_XOR, t.hi, minus)});

    struct ir_instr *count = f64_op(b, IR_IMIN, ir_i64_clz(b, s), exponent);
    struct ir_instr *below = f64_op(b, IR_ISUB, exponent, count), *sign = f64_opc(b, IR_AND, large.hi, F64_SIGN);
    struct ir_f64 out = ir_f64_overflow(b, ir_f64_pack(b, ir_i64_shl(b, s, count), below), below);
    /* equal magnitudes with different signs: +0 */
    struct ir_instr *is_zero = f64_opc(b, IR_IEQ, f64_op(b, IR_OR, s.lo, s.hi), 0);
    sign = f64_sel(b, is_zero, f64_op(b, IR_AND, sign, ir_build1(b, IR_NOT, minus)), sign);
    out.hi = f64_op(b, IR_OR, out.hi, sign);

    /* An infinity or NaN is the larger operand and the result, but for the difference of two infinities. */
    struct ir_instr *nan = f64_opc(b, IR_SHL, f64_opc(b, IR_IADD, small_field, 1), 8); /* bit 19 if the field is 2047 */
    nan = f64_op(b, IR_AND, f64_opc(b, IR_AND, nan, F64_NAN ^ F64_INF), minus);
    struct ir_f64 special = {large.lo, f64_op(b, IR_OR, large.hi, nan)};
    return ir_f64_sel(b, f64_opc(b, IR_IEQ, field, 2047), special, out);
}

struct ir_f64 ir_f64_sub(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    return ir_f64_add(b, x, ir_f64_neg(b, y));
}
