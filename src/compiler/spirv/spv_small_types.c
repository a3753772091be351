/* SPDX-License-Identifier: MIT
 *
 * Conversions between numbers of 8, 16 and 32 bits that a program asks for.
 */
#include "compiler/lower/lower.h"
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_small.h"

static struct ir_instr *convert(struct spv *s, const struct spv_instr *in, const struct spv_type *from,
                                const struct spv_type *to, struct ir_instr *x)
{
    struct ir_builder *b = &s->b;
    if (in->op == SpvOpFConvert)
        return from->bits == to->bits ? x
               : to->bits == 16       ? ir_float_to_half(b, x, spv_decor(s, in->words[2])->rounds_to_zero)
                                      : ir_half_to_float(b, x);
    if (from->bits >= to->bits)
        return x;
    return spv_extended(b, x, from->bits, in->op == SpvOpSConvert);
}

bool spv_translate_small_types(struct spv *s, const struct spv_instr *in)
{
    if (in->op != SpvOpUConvert && in->op != SpvOpSConvert && in->op != SpvOpFConvert)
        return false;
    const struct spv_type *type = spv_type(s, in->words[1]), *from = spv_type_of(s, in->words[3]);
    if (!type->scalars || from->scalars != type->scalars)
        spv_invalid(s, "operand and result have different sizes");
    struct ir_instr **x = spv_value(s, in->words[3]), **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        const struct spv_type *to = spv_scalar_at(type, i), *was = spv_scalar_at(from, i);
        bool is_float = in->op == SpvOpFConvert;
        if (to->kind != (is_float ? SPV_TYPE_FLOAT : SPV_TYPE_INT) || was->kind != to->kind)
            spv_invalid(s, "the operand or result of a conversion is not of the kind that the instruction converts");
        out[i] = convert(s, in, was, to, x[i]);
    }
    spv_define(s, in->words[2], type, out);
    return true;
}

bool spv_has_small_types(const struct spv_type *t)
{
    if (!t->scalars)
        return false;
    if (t->kind != SPV_TYPE_STRUCT)
        return spv_is_scalar(spv_scalar_of(t)) ? spv_scalar_of(t)->bits < 32
               : spv_scalar_of(t)->kind == SPV_TYPE_STRUCT && spv_has_small_types(spv_scalar_of(t));
    for (uint32_t i = 0; i < t->count; i++)
        if (spv_has_small_types(t->members[i]))
            return true;
    return false;
}
