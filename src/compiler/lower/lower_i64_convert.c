/* SPDX-License-Identifier: MIT
 *
 * 64-bit integers: conversions from and to floats of 32 and 16 bits. lower_f64_convert.c has those of 64 bits.
 */
#include "compiler/lower/lower_f64_parts.h"

#define F32_BIAS   127
#define F32_DIGITS 23u

/* ---------------------------------------------------------------- to floats */

/* The bits from the leading 1 on are rounded to 24; a carry out of them makes the exponent one larger by itself. */
struct ir_instr *ir_u64_to_f32(struct ir_builder *b, struct ir_f64 x, bool toward_zero)
{
    struct ir_instr *zeros = ir_i64_clz(b, x);
    struct ir_f64 up = ir_i64_shl(b, x, zeros);
    struct ir_instr *below = f64_op(b, IR_ISUB, ir_const(b, F32_BIAS + 62), zeros); /* the leading 1 adds 1 */
    struct ir_instr *out =
        f64_op(b, IR_IADD, f64_opc(b, IR_SHR, up.hi, 8), f64_opc(b, IR_SHL, below, F32_DIGITS));
    if (!toward_zero) {
        struct ir_instr *rest = f64_opc(b, IR_AND, f64_op(b, IR_OR, up.hi, ir_f64_jam(b, up.lo)), 0xff);
        rest = f64_op(b, IR_IADD, rest, f64_opc(b, IR_AND, out, 1));
        out = f64_op(b, IR_IADD, out, f64_opc(b, IR_SHR, f64_opc(b, IR_IADD, rest, 0x7f), 8));
    }
    struct ir_instr *is_zero = f64_opc(b, IR_IEQ, f64_op(b, IR_OR, x.lo, x.hi), 0);
    return f64_sel(b, is_zero, ir_const(b, 0), out);
}

struct ir_instr *ir_i64_to_f32(struct ir_builder *b, struct ir_f64 x, bool toward_zero)
{
    struct ir_instr *size = ir_u64_to_f32(b, ir_i64_abs(b, x), toward_zero);
    return f64_op(b, IR_OR, size, f64_opc(b, IR_AND, x.hi, F64_SIGN));
}

/* Integers of 17 bits and more are too large for the format, so the largest of 17 bits stands for all of them. */
struct ir_instr *ir_u64_to_f16(struct ir_builder *b, struct ir_f64 x, bool toward_zero)
{
    struct ir_instr *large = ir_const(b, 0x1ffff);
    struct ir_instr *word = f64_sel(b, f64_op(b, IR_ULT, x.lo, large), x.lo, large);
    word = f64_sel(b, f64_opc(b, IR_IEQ, x.hi, 0), word, large);
    return ir_f64_to_f16(b, ir_f64_from_u32(b, word), toward_zero);
}

struct ir_instr *ir_i64_to_f16(struct ir_builder *b, struct ir_f64 x, bool toward_zero)
{
    struct ir_instr *size = ir_u64_to_f16(b, ir_i64_abs(b, x), toward_zero);
    return f64_op(b, IR_OR, size, f64_opc(b, IR_AND, f64_opc(b, IR_SHR, x.hi, 16), 0x8000));
}

/* ---------------------------------------------------------------- from floats */

struct ir_f64 ir_u64_from_f32(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *zero = ir_const(b, 0);
    struct ir_instr *field = f64_opc(b, IR_AND, f64_opc(b, IR_SHR, x, F32_DIGITS), 0xff);
    struct ir_instr *up = f64_opc(b, IR_ISUB, field, F32_BIAS + F32_DIGITS);
    struct ir_instr *down = f64_opc(b, IR_IMAX, f64_op(b, IR_ISUB, zero, up), 0);
    struct ir_instr *digits = f64_opc(b, IR_OR, f64_opc(b, IR_AND, x, (1u << F32_DIGITS) - 1), 1u << F32_DIGITS);
    digits = f64_op(b, IR_SHR, digits, f64_opc(b, IR_IMIN, down, 31));
    return ir_i64_shl(b, (struct ir_f64){digits, zero}, f64_opc(b, IR_IMAX, up, 0));
}

struct ir_f64 ir_i64_from_f32(struct ir_builder *b, struct ir_instr *x)
{
    return ir_i64_negate_if(b, ir_u64_from_f32(b, x), f64_opc(b, IR_ASR, x, 31));
}
