/* SPDX-License-Identifier: MIT
 *
 * Numbers of 8 and 16 bits as operands and results of 32-bit operations (spv_small.h). Conversions of halves keep
 * denormals and NaN, which the chip would flush and make infinite; those around arithmetic do not.
 */
#include "compiler/spirv/spv_small.h"
#include "compiler/lower/lower.h"
#include "hw/format.h"

#define HALF_BIAS 112u /* exponent bias of floats minus that of halves */

static struct ir_instr *op(struct ir_builder *b, enum ir_op o, struct ir_instr *x, uint32_t word)
{
    return ir_build2(b, o, x, ir_const(b, word));
}

bool spv_is_small(const struct spv_type *scalar)
{
    return (scalar->kind == SPV_TYPE_INT || scalar->kind == SPV_TYPE_FLOAT) && scalar->bits < 32;
}

struct ir_instr *spv_extended(struct ir_builder *b, struct ir_instr *x, uint32_t bits, bool is_signed)
{
    if (bits >= 32)
        return x;
    return is_signed ? op(b, IR_ASR, op(b, IR_SHL, x, 32 - bits), 32 - bits) : op(b, IR_AND, x, (1u << bits) - 1);
}

struct ir_instr *spv_half_to_float(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *size = op(b, IR_AND, x, 0x7fff), *up = op(b, IR_SHL, size, 13);
    struct ir_instr *small = ir_fmul(b, ir_build1(b, IR_ITOF, size), ir_const_f(b, 0x1p-24f));
    struct ir_instr *out = ir_sel(b, op(b, IR_ULT, size, 0x400), small, op(b, IR_IADD, up, HALF_BIAS << 23));
    out = ir_sel(b, op(b, IR_ULT, size, 0x7c00), out, op(b, IR_OR, up, 0x7f800000)); /* infinity or NaN */
    return ir_build2(b, IR_OR, out, op(b, IR_SHL, op(b, IR_AND, x, 0x8000), 16));
}

struct ir_instr *spv_float_to_half(struct ir_builder *b, struct ir_instr *x, bool to_zero)
{
    struct ir_instr *size = op(b, IR_AND, x, 0x7fffffff), *rounded = size;
    struct ir_instr *steps = ir_fmul(b, size, ir_const_f(b, 0x1p24f)); /* the number as a multiple of the smallest
                                                                        * half */
    if (!to_zero) {
        struct ir_instr *odd = op(b, IR_AND, op(b, IR_SHR, size, 13), 1);
        rounded = ir_build2(b, IR_IADD, op(b, IR_IADD, size, 0xfff), odd);
        steps = ir_build1(b, IR_FROUND, steps);
    }
    struct ir_instr *out = op(b, IR_SHR, op(b, IR_ISUB, rounded, HALF_BIAS << 23), 13);
    out = ir_sel(b, op(b, IR_ULT, size, (HALF_BIAS + 1) << 23), ir_build1(b, IR_FTOI, steps), out);
    struct ir_instr *large = ir_const(b, to_zero ? 0x7bff : 0x7c00);
    large = ir_sel(b, op(b, IR_ULT, size, 0x7f800000), large, ir_const(b, 0x7c00));
    large = ir_sel(b, op(b, IR_UGE, size, 0x7f800001), ir_const(b, 0x7e00), large);
    out = ir_sel(b, op(b, IR_ULT, rounded, (HALF_BIAS + 31) << 23), out, large);
    return ir_build2(b, IR_OR, out, op(b, IR_AND, op(b, IR_SHR, x, 16), 0x8000));
}

struct ir_instr *spv_half_operand(struct ir_builder *b, struct ir_instr *x)
{
    if (x->op == IR_CONST && x->imm & 0x7c00)
        return ir_const_f(b, hw_half_to_float((uint16_t)x->imm));
    return ir_build1(b, IR_UNPACK_F, x);
}

/* The chip rounds away from zero, which changes nothing in numbers that are rounded already. */
struct ir_instr *spv_half_result(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *odd = op(b, IR_AND, op(b, IR_SHR, x, 13), 1);
    struct ir_instr *up = ir_build2(b, IR_IADD, op(b, IR_IADD, x, 0xfff), odd);
    return ir_build2(b, IR_PACK_HALF, op(b, IR_AND, up, ~0x1fffu), ir_const(b, 0));
}

struct ir_instr *spv_widened(struct ir_builder *b, const struct spv_type *scalar, struct ir_instr *x)
{
    if (!spv_is_small(scalar))
        return x;
    return scalar->kind == SPV_TYPE_FLOAT ? spv_half_to_float(b, x)
                                          : spv_extended(b, x, scalar->bits, scalar->is_signed);
}

struct ir_instr *spv_narrowed(struct ir_builder *b, const struct spv_type *scalar, struct ir_instr *x)
{
    return spv_is_small(scalar) && scalar->kind == SPV_TYPE_FLOAT ? spv_float_to_half(b, x, false) : x;
}
