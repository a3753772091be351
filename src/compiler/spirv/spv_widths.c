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

bool spv_uses(struct spv *s, const struct spv_instr *in, enum spv_type_kind kind, uint32_t bits)
{
    const char *operands = spv_op_info(in->op)->operands;
    uint32_t at = 1;
    if (operands[0] == 't') {
        if (is_type_of(&s->ids[in->words[1]], kind, bits))
            return true;
        at += operands[1] == 'r' ? 2 : 1;
        operands += at - 1;
    }
    if (in->op == SpvOpExtInst) { /* after the set and the number of the instruction */
        at = 5;
        operands = "*i";
    }
    for (; *operands && at < in->count; at++) {
        const bool repeats = *operands == '*', is_optional = *operands == '?';
        if (operands[repeats || is_optional] != 'i')
            return false; /* instructions that compute have their values first */
        if (is_type_of(&s->ids[in->words[at]], kind, bits))
            return true;
        operands += repeats ? 0 : 1 + is_optional;
    }
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

bool spv_translate_widths(struct spv *s, const struct spv_instr *in)
{
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
