/* SPDX-License-Identifier: MIT
 *
 * 64-bit integers: conversions to and from other integers and floats of at most 32 bits (spv_double.c has those of
 * 64-bit floats), and OpBitcast of 64-bit numbers to and from vectors of 8- and 16-bit ones.
 */
#include "compiler/lower/lower_i64.h"
#include "compiler/spirv/spv_int64.h"

/* ---------------------------------------------------------------- integers */

static struct ir_instr *op(struct ir_builder *b, enum ir_op o, struct ir_instr *x, uint32_t word)
{
    return ir_build2(b, o, x, ir_const(b, word));
}

/* Integers of less than 32 bits are the low bits of a word whose other bits mean nothing. */
static struct ir_f64 widened(struct ir_builder *b, struct ir_instr *x, uint32_t bits, bool is_signed)
{
    if (bits < 32)
        x = op(b, is_signed ? IR_ASR : IR_SHR, op(b, IR_SHL, x, 32 - bits), 32 - bits);
    return (struct ir_f64){x, is_signed ? op(b, IR_ASR, x, 31) : ir_const(b, 0)};
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

/* ---------------------------------------------------------------- OpBitcast */

/* The `n` words of a value from parts of less than 32 bits, or the other way. */
static void join(struct ir_builder *b, struct ir_instr *const *parts, uint32_t bits, uint32_t n,
                 struct ir_instr **words)
{
    for (uint32_t i = 0; i < n * (32 / bits); i++) {
        const uint32_t at = i % (32 / bits) * bits;
        struct ir_instr *part = op(b, IR_SHL, op(b, IR_AND, parts[i], (1u << bits) - 1), at);
        words[i / (32 / bits)] = at ? ir_build2(b, IR_OR, words[i / (32 / bits)], part) : part;
    }
}

static void split(struct ir_builder *b, struct ir_instr *const *words, uint32_t bits, uint32_t n,
                  struct ir_instr **parts)
{
    for (uint32_t i = 0; i < n * (32 / bits); i++)
        parts[i] = op(b, IR_SHR, words[i / (32 / bits)], i % (32 / bits) * bits);
}

bool spv_bitcast_wide(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]), *was = spv_type_of(s, in->words[3]);
    const struct spv_type *to = spv_scalar_of(type), *from = spv_scalar_of(was);
    const bool joins = spv_is_wide(to) && is_number(was) && from->bits && from->bits < 32;
    const bool splits = spv_is_wide(from) && is_number(type) && to->bits && to->bits < 32;
    if (!joins && !splits)
        return false;
    const uint32_t bits = joins ? from->bits : to->bits, words = joins ? type->scalars : was->scalars;
    if (!is_number(type) || !is_number(was) || spv_scalar_of(joins ? was : type)->kind == SPV_TYPE_BOOL ||
        (joins ? was : type)->scalars != words * (32 / bits))
        spv_invalid(s, "OpBitcast between values of different sizes");
    struct ir_instr **x = spv_value(s, in->words[3]), **out = spv_new_scalars(s, type->scalars);
    if (joins)
        join(&s->b, x, bits, words, out);
    else
        split(&s->b, x, bits, words, out);
    spv_define(s, in->words[2], type, out);
    return true;
}
