/* SPDX-License-Identifier: MIT
 *
 * RoundingModeRTE of 32-bit floats: sums, differences, products and conversions of integers that round to nearest even.
 * The chip rounds toward zero, so what the translation builds of them goes through spv_round_to_nearest (the builder's
 * `float_op`), which computes with 64 bits and rounds the result again. Rounding twice gives the nearest number,
 * because 53 bits are more than twice 24 and two. NaN, infinities and signs of zero are IEEE 754's; denormal operands
 * count as zero, as in the chip's arithmetic.
 */
#include "compiler/lower/lower_f64.h"
#include "compiler/spirv/spv_special.h"

static struct ir_f64 widened(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *exponent = ir_build2(b, IR_AND, x, ir_const(b, 0x7f800000));
    struct ir_instr *zero = ir_build2(b, IR_AND, x, ir_const(b, 0x80000000));
    x = ir_build3(b, IR_SEL, ir_build2(b, IR_IEQ, exponent, ir_const(b, 0)), zero, x);
    return ir_f64_from_f32(b, x);
}

struct ir_instr *spv_round_to_nearest(struct ir_builder *b, enum ir_op op, uint32_t count, struct ir_instr *const *x)
{
    switch (op) {
    case IR_FADD:
        return ir_f64_to_f32(b, ir_f64_add(b, widened(b, x[0]), widened(b, x[1])), false);
    case IR_FSUB:
        return ir_f64_to_f32(b, ir_f64_sub(b, widened(b, x[0]), widened(b, x[1])), false);
    case IR_FMUL:
        return ir_f64_to_f32(b, ir_f64_mul(b, widened(b, x[0]), widened(b, x[1])), false);
    case IR_ITOF:
        return ir_f64_to_f32(b, ir_f64_from_i32(b, x[0]), false);
    case IR_UTOF:
        return ir_f64_to_f32(b, ir_f64_from_u32(b, x[0]), false);
    default:
        return ir_build(b, op, 0, count, x);
    }
}

static bool is_rounded(const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpDot:
    case SpvOpVectorTimesScalar:
    case SpvOpMatrixTimesScalar:
    case SpvOpVectorTimesMatrix:
    case SpvOpMatrixTimesVector:
    case SpvOpMatrixTimesMatrix:
    case SpvOpOuterProduct:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
        return true;
    case SpvOpExtInst: /* the bounds of the other functions are wider than either rounding */
        return in->words[4] == GLSLstd450Fma;
    default:
        return false;
    }
}

bool spv_rounds_to_nearest(struct spv *s, const struct spv_instr *in)
{
    if (!s->rounds_32_to_nearest || !is_rounded(in))
        return false;
    const struct spv_type *type = spv_type(s, in->words[1]);
    const struct spv_type *scalar = type->scalars ? spv_scalar_at(type, 0) : type;
    return scalar->kind == SPV_TYPE_FLOAT && scalar->bits == 32;
}
