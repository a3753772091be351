/* SPDX-License-Identifier: MIT
 *
 * Numbers of 8 and 16 bits as operands and results of 32-bit operations (spv_small.h). Conversions of halves around
 * arithmetic flush denormals, make NaN infinite and -0 0, unless the arithmetic preserves such values (spv_special.h).
 */
#include "compiler/spirv/spv_small.h"
#include "compiler/lower/lower.h"
#include "hw/format.h"

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

struct ir_instr *spv_half_operand(struct ir_builder *b, struct ir_instr *x)
{
    if (x->op == IR_CONST && x->imm & 0x7c00)
        return ir_const_f(b, hw_half_to_float((uint16_t)x->imm));
    return ir_build1(b, b->float_op ? IR_HALF_TO_FLOAT : IR_UNPACK_F, x);
}

/* The chip rounds away from zero, which changes nothing in numbers that are rounded already. */
struct ir_instr *spv_half_result(struct ir_builder *b, struct ir_instr *x)
{
    if (b->float_op)
        return ir_build1(b, IR_FLOAT_TO_HALF, x);
    struct ir_instr *odd = op(b, IR_AND, op(b, IR_SHR, x, 13), 1);
    struct ir_instr *up = ir_build2(b, IR_IADD, op(b, IR_IADD, x, 0xfff), odd);
    return ir_build2(b, IR_PACK_HALF, op(b, IR_AND, up, ~0x1fffu), ir_const(b, 0));
}

struct ir_instr *spv_widened(struct ir_builder *b, const struct spv_type *scalar, struct ir_instr *x)
{
    if (!spv_is_small(scalar))
        return x;
    return scalar->kind == SPV_TYPE_FLOAT ? ir_half_to_float(b, x)
                                          : spv_extended(b, x, scalar->bits, scalar->is_signed);
}
