/* SPDX-License-Identifier: MIT
 *
 * 64-bit integers: conversions to and from other integers and floats of at most 32 bits. spv_double.c has those of
 * 64-bit floats.
 */
#include "compiler/lower/lower_i64.h"
#include "compiler/spirv/spv_int64.h"
#include "compiler/spirv/spv_small.h"

/* ---------------------------------------------------------------- integers */

static struct ir_f64 widened(struct ir_builder *b, struct ir_instr *x, uint32_t bits, bool is_signed)
{
    x = spv_extended(b, x, bits, is_signed);
    return (struct ir_f64){x, is_signed ? ir_build2(b, IR_ASR, x, ir_const(b, 31)) : ir_const(b, 0)};
}

static struct ir_f64 resize(struct ir_builder *b, struct ir_f64 x, const struct spv_type *from,
                            const struct spv_type *to, bool is_signed)
{
    if (from->bits != 64)
        x = widened(b, x.lo, from->bits, is_signed);
    return (struct ir_f64){x.lo, to->bits == 64 ? x.hi : NULL};
}

/* ---------------------------------------------------------------- floats */

static struct ir_f64 from_float(struct ir_builder *b, struct ir_instr *x, uint32_t bits, bool is_signed)
{
    if (bits == 32)
        return is_signed ? ir_i64_from_f32(b, x) : ir_u64_from_f32(b, x);
    struct ir_f64 wide = ir_f64_from_f16(b, x);
    return is_signed ? ir_f64_to_i64(b, wide) : ir_f64_to_u64(b, wide);
}

static struct ir_instr *to_float(struct ir_builder *b, struct ir_f64 x, uint32_t bits, bool is_signed,
                                 bool toward_zero)
{
    if (bits == 32)
        return is_signed ? ir_i64_to_f32(b, x, toward_zero) : ir_u64_to_f32(b, x, toward_zero);
    return is_signed ? ir_i64_to_f16(b, x, toward_zero) : ir_u64_to_f16(b, x, toward_zero);
}

/* ---------------------------------------------------------------- conversions */

static struct ir_f64 convert(struct spv *s, const struct spv_instr *in, struct ir_f64 x, const struct spv_type *from,
                             const struct spv_type *to)
{
    struct ir_builder *b = &s->b;
    switch (in->op) {
    case SpvOpUConvert:
    case SpvOpSConvert:
        return resize(b, x, from, to, in->op == SpvOpSConvert);
    case SpvOpConvertFToS:
    case SpvOpConvertFToU:
        return from_float(b, x.lo, from->bits, in->op == SpvOpConvertFToS);
    default: {
        const bool toward_zero = spv_decor(s, in->words[2])->rounds_to_zero || (to->bits == 32 && s->rounds_32_to_zero);
        return (struct ir_f64){to_float(b, x, to->bits, in->op == SpvOpConvertSToF, toward_zero), NULL};
    }
    }
}

static bool is_conversion(uint16_t opcode)
{
    return opcode == SpvOpUConvert || opcode == SpvOpSConvert || opcode == SpvOpConvertFToS ||
           opcode == SpvOpConvertFToU || opcode == SpvOpConvertSToF || opcode == SpvOpConvertUToF;
}

static bool is_number(const struct spv_type *t)
{
    return t->kind == SPV_TYPE_INT || t->kind == SPV_TYPE_FLOAT || t->kind == SPV_TYPE_VECTOR;
}

bool spv_convert_int64(struct spv *s, const struct spv_instr *in)
{
    if (!is_conversion(in->op))
        return false;
    const struct spv_type *type = spv_type(s, in->words[1]), *to = spv_scalar_of(type);
    const struct spv_type *from = spv_scalar_of(spv_type_of(s, in->words[3]));
    const bool from_float = in->op == SpvOpConvertFToS || in->op == SpvOpConvertFToU;
    const bool to_float = in->op == SpvOpConvertSToF || in->op == SpvOpConvertUToF;
    if (!is_number(type) || from->kind != (from_float ? SPV_TYPE_FLOAT : SPV_TYPE_INT) ||
        to->kind != (to_float ? SPV_TYPE_FLOAT : SPV_TYPE_INT))
        spv_invalid(s, "the operand or result of a conversion is not of the kind that the instruction converts");
    struct spv_doubles x = spv_double_numbers(s, in->words[3]);
    for (uint32_t i = 0; i < x.n; i++)
        x.x[i] = convert(s, in, x.x[i], from, to);
    spv_define_double_results(s, in, x);
    return true;
}
