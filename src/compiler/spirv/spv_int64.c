/* SPDX-License-Identifier: MIT
 *
 * Comparisons of 64-bit integers, which are two words, low word first. Arithmetic on them is refused.
 */
#include "compiler/spirv/spv.h"

static struct ir_instr *are_equal(struct ir_builder *b, struct ir_instr *const *x, struct ir_instr *const *y)
{
    return ir_build2(b, IR_BAND, ir_build2(b, IR_IEQ, x[0], y[0]), ir_build2(b, IR_IEQ, x[1], y[1]));
}

/* `less`: the comparison of the high words. */
static struct ir_instr *is_less(struct ir_builder *b, enum ir_op less, struct ir_instr *const *x,
                                struct ir_instr *const *y)
{
    struct ir_instr *low = ir_build2(b, IR_BAND, ir_build2(b, IR_IEQ, x[1], y[1]), ir_build2(b, IR_ULT, x[0], y[0]));
    return ir_build2(b, IR_BOR, ir_build2(b, less, x[1], y[1]), low);
}

/* NULL: no comparison. */
static struct ir_instr *compared(struct ir_builder *b, uint16_t op, struct ir_instr *const *x,
                                 struct ir_instr *const *y)
{
    switch (op) {
    case SpvOpIEqual:
        return are_equal(b, x, y);
    case SpvOpINotEqual:
        return ir_build1(b, IR_BNOT, are_equal(b, x, y));
    case SpvOpULessThan:
        return is_less(b, IR_ULT, x, y);
    case SpvOpSLessThan:
        return is_less(b, IR_ILT, x, y);
    case SpvOpUGreaterThan:
        return is_less(b, IR_ULT, y, x);
    case SpvOpSGreaterThan:
        return is_less(b, IR_ILT, y, x);
    case SpvOpUGreaterThanEqual:
        return ir_build1(b, IR_BNOT, is_less(b, IR_ULT, x, y));
    case SpvOpSGreaterThanEqual:
        return ir_build1(b, IR_BNOT, is_less(b, IR_ILT, x, y));
    case SpvOpULessThanEqual:
        return ir_build1(b, IR_BNOT, is_less(b, IR_ULT, y, x));
    case SpvOpSLessThanEqual:
        return ir_build1(b, IR_BNOT, is_less(b, IR_ILT, y, x));
    default:
        return NULL;
    }
}

bool spv_translate_int64(struct spv *s, const struct spv_instr *in)
{
    if (in->op < SpvOpIEqual || in->op > SpvOpSLessThanEqual)
        return false;
    const struct spv_type *type = spv_type(s, in->words[1]);
    const struct spv_type *x_type = spv_type_of(s, in->words[3]), *y_type = spv_type_of(s, in->words[4]);
    if (spv_scalar_of(type)->kind != SPV_TYPE_BOOL || !spv_is_wide(spv_scalar_of(x_type)) ||
        !spv_is_wide(spv_scalar_of(y_type)) || x_type->scalars != 2 * type->scalars ||
        y_type->scalars != 2 * type->scalars)
        spv_invalid(s, "the operands and the result of a comparison have different numbers of components");
    struct ir_instr **x = spv_value(s, in->words[3]), **y = spv_value(s, in->words[4]);
    struct ir_instr **out = spv_define(s, in->words[2], type, NULL);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = compared(&s->b, in->op, x + 2 * i, y + 2 * i);
    return true;
}
