/* SPDX-License-Identifier: MIT
 *
 * Constants: one word per scalar, two for a number of 64 bits; booleans are 0 or 1. Specialisation replaces the words of
 * constants that have a SpecId.
 *
 * OpSpecConstantOp is translated like any other instruction, but at the start of the shader, and the constant folder
 * then computes its value. spv_const64.c has what works on 64-bit integers.
 */
#include <string.h>
#include "compiler/ir/ir_pass.h"
#include "compiler/spirv/spv_int64.h"

#define MAX_CONSTANT_SCALARS 65536u

static uint32_t *add(struct spv *s, uint32_t id, const struct spv_type *type)
{
    if (!spv_has_values(type) || type->scalars > MAX_CONSTANT_SCALARS)
        spv_unsupported(s, "a constant of %u scalars, the limit is %u", type->scalars, MAX_CONSTANT_SCALARS);
    uint32_t *words = util_arena_new_array(s->arena, uint32_t, type->scalars);
    s->ids[id] = (struct spv_id){.kind = SPV_CONSTANT, .type = type, .words = words};
    return words;
}

/* ---------------------------------------------------------------- specialisation */

static const struct vc4c_spec_constant *find_spec(struct spv *s, uint32_t id)
{
    uint32_t spec_id = spv_decor(s, id)->spec_id;
    if (spec_id == SPV_NO_NUMBER || !s->entry)
        return NULL;
    for (uint32_t i = 0; i < s->entry->spec_count; i++)
        if (s->entry->specs[i].id == spec_id)
            return &s->entry->specs[i];
    return NULL;
}

/* Replaces the `count` words of a constant by the value that its specialisation gives. */
static void specialise(struct spv *s, uint32_t id, uint32_t *words, uint32_t count)
{
    const struct vc4c_spec_constant *spec = find_spec(s, id);
    if (!spec)
        return;
    if (spec->size_B != 4 * count && (count != 1 || (spec->size_B != 2 && spec->size_B != 1)))
        spv_invalid(s, "specialisation constant %u has %u bytes, its type has %u", spec->id, spec->size_B, 4 * count);
    memset(words, 0, count * sizeof *words);
    memcpy(words, spec->data, spec->size_B);
}

/* ---------------------------------------------------------------- kinds of constants */

static void constant_bool(struct spv *s, const struct spv_instr *in, bool value)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (type->kind != SPV_TYPE_BOOL)
        spv_invalid(s, "a boolean constant of another type");
    uint32_t *word = add(s, in->words[2], type);
    *word = value;
    specialise(s, in->words[2], word, 1);
    *word = *word != 0;
}

static void constant_number(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (type->kind != SPV_TYPE_INT && type->kind != SPV_TYPE_FLOAT)
        spv_invalid(s, "a numeric constant of a type that is not numeric");
    if (in->count < 3 + type->scalars)
        spv_invalid(s, "a %u-bit constant of %u words", type->bits, in->count - 3u);
    uint32_t *words = add(s, in->words[2], type);
    memcpy(words, in->words + 3, type->scalars * sizeof *words);
    specialise(s, in->words[2], words, type->scalars);
}

static void constant_composite(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    uint32_t *words = add(s, in->words[2], type), at = 0;
    for (uint32_t i = 3; i < in->count; i++) {
        const struct spv_id *part = &s->ids[in->words[i]];
        if (part->kind != SPV_CONSTANT && part->kind != SPV_UNDEF)
            spv_invalid(s, "a constituent of a constant is not a constant");
        if (part->type->scalars > type->scalars - at)
            spv_invalid(s, "the constituents of a constant have more than the %u scalars of its type", type->scalars);
        for (uint32_t k = 0; k < part->type->scalars; k++)
            words[at++] = part->kind == SPV_CONSTANT ? part->words[k] : 0;
    }
    if (at != type->scalars)
        spv_invalid(s, "the constituents of a constant have %u scalars, its type has %u", at, type->scalars);
}

static void constant_replicate(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    const struct spv_id *value = &s->ids[in->words[3]];
    if (value->kind != SPV_CONSTANT && value->kind != SPV_UNDEF)
        spv_invalid(s, "the value of a replicated constant is not a constant");
    const uint32_t n = spv_replicated_scalars(s, type, value->type);
    uint32_t *words = add(s, in->words[2], type);
    for (uint32_t i = 0; i < type->scalars; i++)
        words[i] = value->kind == SPV_CONSTANT ? value->words[i % n] : 0;
}

/* Converts a float to a half as the chip does, and back: rounds away from zero, too small gives 0, too large
 * infinity. */
static uint32_t through_half(uint32_t word)
{
    uint32_t sign = word & 0x80000000, rounded = ((word & 0x7fffffff) + 0x1fff) & 0xffffe000;
    if ((word & 0x7fffffff) < (127 - 14) << 23)
        return sign;
    return sign | (rounded < (127 + 16) << 23 ? rounded : 0x7f800000);
}

/* The value of an instruction whose sources are constants, recursively. Such expressions are short. */
static uint32_t evaluate(struct spv *s, struct ir_instr *instr)
{
    uint32_t srcs[4] = {0}, word = 0;
    if (instr->op == IR_CONST)
        return instr->imm;
    if (instr->op == IR_UNPACK_F && instr->src[0].def->op == IR_PACK_HALF && !instr->imm)
        return through_half(evaluate(s, instr->src[0].def->src[0].def));
    if (instr->src_count > 4)
        spv_unsupported(s, "this operation on specialisation constants");
    for (uint32_t i = 0; i < instr->src_count; i++)
        srcs[i] = evaluate(s, instr->src[i].def);
    if (instr->op != IR_UNDEF && !ir_fold(instr, srcs, &word))
        spv_unsupported(s, "this operation on specialisation constants");
    return word;
}

static void constant_op(struct spv *s, const struct spv_instr *in)
{
    uint32_t words[64], count = in->count - 1u, id = in->words[2];
    if (count > ARRAY_SIZE(words))
        spv_unsupported(s, "OpSpecConstantOp of %u words, the limit is %zu", in->count, ARRAY_SIZE(words) + 1);
    words[0] = count << 16 | in->words[3];
    words[1] = in->words[1];
    words[2] = id;
    memcpy(words + 3, in->words + 4, (count - 3) * sizeof *words);
    struct spv_instr inner = {
        .words = words, .offset = in->offset, .op = (uint16_t)in->words[3], .count = (uint16_t)count};
    /* Shader allows no float arithmetic here, and evaluate() cannot follow the loops that 64-bit floats need. */
    if (inner.op != SpvOpFConvert && !spv_is_move(&inner) && spv_uses(s, &inner, SPV_TYPE_FLOAT, 64))
        spv_unsupported(s, "OpSpecConstantOp %s on 64-bit floats", spv_op_info(inner.op)->name);
    const uint32_t *folded = spv_fold_int64(s, &inner);
    if (folded) {
        const struct spv_type *result = spv_type(s, inner.words[1]);
        memcpy(add(s, id, result), folded, result->scalars * sizeof *folded);
        return;
    }
    if (s->has_64_bit_ints && !spv_is_move(&inner) && spv_uses(s, &inner, SPV_TYPE_INT, 64))
        spv_unsupported(s, "OpSpecConstantOp %s on 64-bit integers", spv_op_info(inner.op)->name);
    if (!spv_translate_widths(s, &inner) && !spv_translate_alu(s, &inner) && !spv_translate_composite(s, &inner))
        spv_unsupported(s, "OpSpecConstantOp %s", spv_op_info(inner.op)->name);
    const struct spv_type *type = s->ids[id].type;
    struct ir_instr **scalars = s->ids[id].scalars;
    if (s->ids[id].kind != SPV_VALUE)
        spv_invalid(s, "OpSpecConstantOp %s does not give a value", spv_op_info(inner.op)->name);
    uint32_t *out = add(s, id, type);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = evaluate(s, scalars[i]);
}

bool spv_translate_constant(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpConstantTrue:
    case SpvOpSpecConstantTrue:
        constant_bool(s, in, true);
        return true;
    case SpvOpConstantFalse:
    case SpvOpSpecConstantFalse:
        constant_bool(s, in, false);
        return true;
    case SpvOpConstant:
    case SpvOpSpecConstant:
        constant_number(s, in);
        return true;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        constant_composite(s, in);
        return true;
    case SpvOpConstantCompositeReplicateEXT:
    case SpvOpSpecConstantCompositeReplicateEXT:
        constant_replicate(s, in);
        return true;
    case SpvOpConstantNull:
        add(s, in->words[2], spv_type(s, in->words[1]));
        return true;
    case SpvOpSpecConstantOp:
        constant_op(s, in);
        return true;
    case SpvOpUndef:
        s->ids[in->words[2]] = (struct spv_id){.kind = SPV_UNDEF, .type = spv_type(s, in->words[1])};
        return true;
    case SpvOpConstantSampler:
        spv_unsupported(s, "OpConstantSampler");
    default:
        return false;
    }
}
