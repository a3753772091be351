/* SPDX-License-Identifier: MIT
 *
 * Conversions between numbers of 8, 16 and 32 bits that a program asks for. Those of halves keep denormals, which the
 * chip would flush; those around arithmetic (spv_small_numbers.c) do not.
 */
#include "compiler/lower/lower.h"
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_small.h"

#define HALF_BIAS 112u /* exponent bias of floats minus that of halves */

static struct ir_instr *op(struct ir_builder *b, enum ir_op o, struct ir_instr *x, uint32_t word)
{
    return ir_build2(b, o, x, ir_const(b, word));
}

static struct ir_instr *half_to_float(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *size = op(b, IR_AND, x, 0x7fff), *up = op(b, IR_SHL, size, 13);
    struct ir_instr *small = ir_fmul(b, ir_build1(b, IR_ITOF, size), ir_const_f(b, 0x1p-24f));
    struct ir_instr *out = ir_sel(b, op(b, IR_ULT, size, 0x400), small, op(b, IR_IADD, up, HALF_BIAS << 23));
    out = ir_sel(b, op(b, IR_ULT, size, 0x7c00), out, op(b, IR_OR, up, 0x7f800000)); /* infinity or NaN */
    return ir_build2(b, IR_OR, out, op(b, IR_SHL, op(b, IR_AND, x, 0x8000), 16));
}

/* Rounds to nearest even, or to zero. */
static struct ir_instr *float_to_half(struct ir_builder *b, struct ir_instr *x, bool to_zero)
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

static struct ir_instr *convert(struct spv *s, const struct spv_instr *in, const struct spv_type *from,
                                const struct spv_type *to, struct ir_instr *x)
{
    struct ir_builder *b = &s->b;
    if (in->op == SpvOpFConvert)
        return from->bits == to->bits ? x
               : to->bits == 16       ? float_to_half(b, x, spv_decor(s, in->words[2])->rounds_to_zero)
                                      : half_to_float(b, x);
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
    if (t->kind != SPV_TYPE_STRUCT)
        return spv_is_scalar(spv_scalar_of(t)) ? spv_scalar_of(t)->bits < 32
               : spv_scalar_of(t)->kind == SPV_TYPE_STRUCT && spv_has_small_types(spv_scalar_of(t));
    for (uint32_t i = 0; i < t->count; i++)
        if (spv_has_small_types(t->members[i]))
            return true;
    return false;
}
