/* SPDX-License-Identifier: MIT
 *
 * Exact conversions between 16-bit and 32-bit floats as integer operations. The chip's own conversion is free, but it
 * flushes denormals and makes NaN infinite.
 */
#include "compiler/lower/lower.h"
#include "hw/format.h"

#define BIAS 112u /* exponent bias of 32-bit floats minus that of halves */

static struct ir_instr *op(struct ir_builder *b, enum ir_op o, struct ir_instr *x, uint32_t word)
{
    return ir_build2(b, o, x, ir_const(b, word));
}

struct ir_instr *ir_half_to_float(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *size = op(b, IR_AND, x, 0x7fff), *up = op(b, IR_SHL, size, 13);
    struct ir_instr *small = ir_fmul(b, ir_build1(b, IR_ITOF, size), ir_const_f(b, 0x1p-24f));
    struct ir_instr *out = ir_sel(b, op(b, IR_ULT, size, 0x400), small, op(b, IR_IADD, up, BIAS << 23));
    out = ir_sel(b, op(b, IR_ULT, size, 0x7c00), out, op(b, IR_OR, up, 0x7f800000)); /* infinity or NaN */
    return ir_build2(b, IR_OR, out, op(b, IR_SHL, op(b, IR_AND, x, 0x8000), 16));
}

struct ir_instr *ir_float_to_half(struct ir_builder *b, struct ir_instr *x, bool to_zero)
{
    struct ir_instr *size = op(b, IR_AND, x, 0x7fffffff), *rounded = size;
    struct ir_instr *steps = ir_fmul(b, size, ir_const_f(b, 0x1p24f)); /* the number as a multiple of the smallest
                                                                        * half */
    if (!to_zero) {
        struct ir_instr *odd = op(b, IR_AND, op(b, IR_SHR, size, 13), 1);
        rounded = ir_build2(b, IR_IADD, op(b, IR_IADD, size, 0xfff), odd);
        steps = ir_build1(b, IR_FROUND, steps);
    }
    struct ir_instr *out = op(b, IR_SHR, op(b, IR_ISUB, rounded, BIAS << 23), 13);
    out = ir_sel(b, op(b, IR_ULT, size, (BIAS + 1) << 23), ir_build1(b, IR_FTOI, steps), out);
    struct ir_instr *large = ir_const(b, to_zero ? 0x7bff : 0x7c00);
    large = ir_sel(b, op(b, IR_ULT, size, 0x7f800000), large, ir_const(b, 0x7c00));
    large = ir_sel(b, op(b, IR_UGE, size, 0x7f800001), ir_const(b, 0x7e00), large);
    out = ir_sel(b, op(b, IR_ULT, rounded, (BIAS + 31) << 23), out, large);
    return ir_build2(b, IR_OR, out, op(b, IR_AND, op(b, IR_SHR, x, 16), 0x8000));
}

struct ir_instr *ir_exact_half(struct ir_builder *b, struct ir_instr *x)
{
    if (x->op == IR_HALF_TO_FLOAT)
        return x->src[0].def;
    if (x->op != IR_CONST)
        return NULL;
    const uint16_t half = hw_float_to_half(util_uif(x->imm));
    return util_fui(hw_half_to_float(half)) == x->imm ? ir_const(b, half) : NULL;
}
