/* SPDX-License-Identifier: MIT
 *
 * Finds the instructions on numbers of other widths than the chip's 32 bits, and sends them to their families.
 */
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_int64.h"
#include "compiler/spirv/spv_small.h"

static bool is_type_of(const struct spv_id *id, enum spv_type_kind kind, uint32_t bits)
{
    const bool is_value = id->kind == SPV_VALUE || id->kind == SPV_CONSTANT || id->kind == SPV_UNDEF;
    const struct spv_type *t = is_value || id->kind == SPV_TYPE ? spv_scalar_of(id->type) : NULL;
    return t && t->kind == kind && t->bits == bits;
}

uint32_t spv_value_operands(const struct spv_instr *in, uint32_t *first_out)
{
    const char *operands = spv_op_info(in->op)->operands;
    uint32_t at = 1;
    if (operands[0] == 't') {
        at += operands[1] == 'r' ? 2 : 1;
        operands += at - 1;
    }
    if (in->op == SpvOpExtInst) { /* after the set and the number of the instruction */
        at = 5;
        operands = "*i";
    }
    *first_out = at;
    for (; *operands && at < in->count; at++) {
        const bool repeats = *operands == '*', is_optional = *operands == '?';
        if (operands[repeats || is_optional] != 'i')
            break;
        operands += repeats ? 0 : 1 + is_optional;
    }
    return at;
}

bool spv_uses(struct spv *s, const struct spv_instr *in, enum spv_type_kind kind, uint32_t bits)
{
    const bool has_type = spv_op_info(in->op)->operands[0] == 't';
    if (has_type && is_type_of(&s->ids[in->words[1]], kind, bits))
        return true;
    uint32_t first;
    const uint32_t end = spv_value_operands(in, &first);
    for (uint32_t at = first; at < end; at++)
        if (is_type_of(&s->ids[in->words[at]], kind, bits))
            return true;
    return false;
}

bool spv_is_move(const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpSelect:
    case SpvOpBitcast: /* of at least 32 bits; spv_small_ints.c has the others */
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpExpectKHR:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeConstructReplicateEXT:
    case SpvOpVectorShuffle:
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
    case SpvOpTranspose:
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformBroadcastFirst:
    case SpvOpGroupNonUniformShuffle:
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpGroupNonUniformShuffleDown:
    case SpvOpGroupNonUniformQuadBroadcast:
    case SpvOpGroupNonUniformQuadSwap:
    case SpvOpGroupNonUniformRotateKHR:
    case SpvOpSubgroupFirstInvocationKHR:
    case SpvOpSubgroupReadInvocationKHR:
        return true;
    default:
        return false;
    }
}

/* Texels may have 64 bits (spv_storage_image.c), their coordinates not. */
static bool is_texel_access(const struct spv *s, const struct spv_instr *in)
{
    const uint32_t coordinates = in->op == SpvOpImageRead ? 4 : in->op == SpvOpImageWrite ? 2 : 0;
    return coordinates && !is_type_of(&s->ids[in->words[coordinates]], SPV_TYPE_INT, 64);
}

/* ---------------------------------------------------------------- exponents */

/* The exponents of Ldexp as 32-bit integers. Those of 64 bits that are out of range become the least or the greatest,
 * which are beyond every float's range as well. */
static struct ir_instr **exponents(struct spv *s, uint32_t id, uint32_t bits, uint32_t count)
{
    struct ir_builder *b = &s->b;
    struct ir_instr **x = spv_value(s, id), **out = spv_new_scalars(s, count);
    for (uint32_t i = 0; i < count; i++) {
        if (bits < 32) {
            out[i] = spv_extended(b, x[i], bits, true);
            continue;
        }
        struct ir_instr *low = x[2 * i], *high = x[2 * i + 1], *thirty_one = ir_const(b, 31);
        struct ir_instr *fits = ir_build2(b, IR_IEQ, high, ir_build2(b, IR_ASR, low, thirty_one));
        struct ir_instr *end = ir_build2(b, IR_XOR, ir_build2(b, IR_ASR, high, thirty_one), ir_const(b, INT32_MAX));
        out[i] = ir_build3(b, IR_SEL, fits, low, end);
    }
    return out;
}

/* The exponents of Ldexp may have any width, whatever the numbers have. True if `in` is an Ldexp whose exponents have
 * another one than 32 bits; it is then translated. */
static bool translate_exponents(struct spv *s, const struct spv_instr *in)
{
    if (in->op != SpvOpExtInst || in->count != 7 || in->words[4] != GLSLstd450Ldexp ||
        s->ids[in->words[3]].kind != SPV_GLSL_SET)
        return false;
    struct spv_id *exponent = &s->ids[in->words[6]];
    const uint32_t bits = is_type_of(exponent, SPV_TYPE_INT, 64)   ? 64
                          : is_type_of(exponent, SPV_TYPE_INT, 16) ? 16
                          : is_type_of(exponent, SPV_TYPE_INT, 8)  ? 8
                                                                   : 32;
    if (bits == 32 || (!spv_is_scalar(exponent->type) && exponent->type->kind != SPV_TYPE_VECTOR))
        return false;
    const uint32_t count = exponent->type->scalars / (bits == 64 ? 2 : 1);
    struct spv_type *scalar = util_arena_new(s->arena, struct spv_type),
                    *vector = util_arena_new(s->arena, struct spv_type);
    *scalar = *spv_scalar_of(exponent->type);
    scalar->bits = 32;
    scalar->scalars = 1;
    *vector = *exponent->type;
    vector->elem = scalar;
    vector->scalars = count;
    const struct spv_id was = *exponent;
    struct ir_instr **scalars = exponents(s, in->words[6], bits, count);
    *exponent =
        (struct spv_id){.kind = SPV_VALUE, .type = spv_is_scalar(was.type) ? scalar : vector, .scalars = scalars};
    if (!spv_translate_widths(s, in))
        spv_translate_glsl(s, in);
    *exponent = was;
    return true;
}

/* ---------------------------------------------------------------- dispatch */

bool spv_translate_widths(struct spv *s, const struct spv_instr *in)
{
    if (translate_exponents(s, in))
        return true;
    if (!spv_is_move(in) && s->has_64_bit_floats && spv_uses(s, in, SPV_TYPE_FLOAT, 64)) {
        if (!spv_translate_double(s, in))
            spv_unsupported(s, "this instruction on 64-bit floats");
        return true;
    }
    if (!spv_is_move(in) && !is_texel_access(s, in) && s->has_64_bit_ints && spv_uses(s, in, SPV_TYPE_INT, 64)) {
        if (!spv_translate_int64(s, in))
            spv_unsupported(s, "this instruction on 64-bit integers");
        return true;
    }
    if (spv_translate_small_types(s, in))
        return true;
    return (s->has_8_bits || s->has_16_bits) && spv_translate_small(s, in);
}
