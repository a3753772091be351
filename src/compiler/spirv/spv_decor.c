/* SPDX-License-Identifier: MIT
 *
 * Decorations of IDs and of members of structs.
 */
#include "compiler/spirv/spv.h"

const struct spv_decor spv_no_decor = {.location = SPV_NO_NUMBER,
                                       .component = SPV_NO_NUMBER,
                                       .builtin = SPV_NO_NUMBER,
                                       .binding = SPV_NO_NUMBER,
                                       .set = SPV_NO_NUMBER,
                                       .spec_id = SPV_NO_NUMBER,
                                       .offset_B = SPV_NO_NUMBER,
                                       .input_index = SPV_NO_NUMBER,
                                       .capture_buffer = SPV_NO_NUMBER,
                                       .capture_stride_B = SPV_NO_NUMBER,
                                       .stream = SPV_NO_NUMBER};

static struct spv_decor *new_decor(struct spv *s)
{
    struct spv_decor *d = util_arena_new(s->arena, struct spv_decor);
    *d = spv_no_decor;
    return d;
}

static struct spv_decor *decor_of_id(struct spv *s, uint32_t id)
{
    if (!s->decors[id])
        s->decors[id] = new_decor(s);
    return s->decors[id];
}

static struct spv_decor *decor_of_member(struct spv *s, uint32_t id, uint32_t member)
{
    struct spv_decor *of = decor_of_id(s, id);
    if (member >= SPV_MAX_MEMBERS)
        spv_invalid(s, "decorated struct member %u, the limit is %u members", member, SPV_MAX_MEMBERS - 1);
    if (member >= of->member_count) {
        uint32_t count = MAX2(MAX2(2 * of->member_count, 8u), member + 1);
        struct spv_decor **members = util_arena_new_array(s->arena, struct spv_decor *, count);
        for (uint32_t i = 0; i < of->member_count; i++)
            members[i] = of->members[i];
        of->members = members;
        of->member_count = count;
    }
    if (!of->members[member])
        of->members[member] = new_decor(s);
    return of->members[member];
}

const struct spv_decor *spv_decor(struct spv *s, uint32_t id)
{
    return s->decors[id] ? s->decors[id] : &spv_no_decor;
}

/* `words` begins with the decoration. The reader has checked that its operands are present. */
static void decorate(struct spv_decor *d, const uint32_t *words)
{
    switch (words[0]) {
    case SpvDecorationLocation:
        d->location = words[1];
        break;
    case SpvDecorationComponent:
        d->component = words[1];
        break;
    case SpvDecorationIndex:
        d->is_dual_source = words[1] == 1;
        break;
    case SpvDecorationBuiltIn:
        d->builtin = words[1];
        break;
    case SpvDecorationBinding:
        d->binding = words[1];
        break;
    case SpvDecorationDescriptorSet:
        d->set = words[1];
        break;
    case SpvDecorationInputAttachmentIndex:
        d->input_index = words[1];
        break;
    case SpvDecorationSpecId:
        d->spec_id = words[1];
        break;
    case SpvDecorationArrayStride:
        d->array_stride_B = words[1];
        break;
    case SpvDecorationMatrixStride:
        d->matrix_stride_B = words[1];
        break;
    case SpvDecorationOffset:
        d->offset_B = words[1];
        break;
    case SpvDecorationXfbBuffer:
        d->capture_buffer = words[1];
        break;
    case SpvDecorationXfbStride:
        d->capture_stride_B = words[1];
        break;
    case SpvDecorationStream:
        d->stream = words[1];
        break;
    case SpvDecorationRowMajor:
        d->row_major = true;
        break;
    case SpvDecorationFlat:
        d->flat = true;
        break;
    case SpvDecorationNoPerspective:
        d->noperspective = true;
        break;
    case SpvDecorationCentroid:
        d->centroid = true;
        break;
    case SpvDecorationPatch:
        d->patch = true;
        break;
    case SpvDecorationPerPrimitiveEXT:
        d->per_primitive = true;
        break;
    case SpvDecorationSample:
        d->sample = true;
        break;
    case SpvDecorationRelaxedPrecision:
        d->relaxed = true;
        break;
    case SpvDecorationNoContraction:
        d->exact = true;
        break;
    case SpvDecorationFPFastMathMode:
        d->has_fast_math = true;
        d->fast_math = words[1];
        break;
    case SpvDecorationBlock:
        d->block = true;
        break;
    case SpvDecorationBufferBlock:
        d->buffer_block = true;
        break;
    case SpvDecorationFPRoundingMode:
        d->rounds_to_zero = words[1] == SpvFPRoundingModeRTZ;
        break;
    case SpvDecorationNonWritable:
        d->non_writable = true;
        break;
    case SpvDecorationVolatile:
        d->is_volatile = true;
        break;
    default: /* names, aliasing and coherence do not matter here; the rest needs capabilities that are refused */
        break;
    }
}

static void merge_number(uint32_t *to, uint32_t from)
{
    if (from != SPV_NO_NUMBER)
        *to = from;
}

/* Adds the decorations of a group, which come before its uses. */
static void add_decor(struct spv_decor *to, const struct spv_decor *group)
{
    merge_number(&to->location, group->location);
    merge_number(&to->component, group->component);
    merge_number(&to->builtin, group->builtin);
    merge_number(&to->binding, group->binding);
    merge_number(&to->set, group->set);
    merge_number(&to->spec_id, group->spec_id);
    merge_number(&to->input_index, group->input_index);
    merge_number(&to->offset_B, group->offset_B);
    merge_number(&to->capture_buffer, group->capture_buffer);
    merge_number(&to->capture_stride_B, group->capture_stride_B);
    merge_number(&to->stream, group->stream);
    to->array_stride_B = group->array_stride_B ? group->array_stride_B : to->array_stride_B;
    to->matrix_stride_B = group->matrix_stride_B ? group->matrix_stride_B : to->matrix_stride_B;
    to->is_dual_source |= group->is_dual_source;
    to->flat |= group->flat;
    to->noperspective |= group->noperspective;
    to->centroid |= group->centroid;
    to->sample |= group->sample;
    to->patch |= group->patch;
    to->per_primitive |= group->per_primitive;
    to->relaxed |= group->relaxed;
    to->exact |= group->exact;
    to->rounds_to_zero |= group->rounds_to_zero;
    to->has_fast_math |= group->has_fast_math;
    to->fast_math = group->has_fast_math ? group->fast_math : to->fast_math;
    to->block |= group->block;
    to->buffer_block |= group->buffer_block;
    to->row_major |= group->row_major;
    to->non_writable |= group->non_writable;
    to->is_volatile |= group->is_volatile;
}

void spv_read_decoration(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpDecorate:
        decorate(decor_of_id(s, in->words[1]), in->words + 2);
        break;
    case SpvOpMemberDecorate:
        decorate(decor_of_member(s, in->words[1], in->words[2]), in->words + 3);
        break;
    case SpvOpGroupDecorate:
        for (uint32_t i = 2; i < in->count; i++)
            add_decor(decor_of_id(s, in->words[i]), spv_decor(s, in->words[1]));
        break;
    case SpvOpGroupMemberDecorate:
        for (uint32_t i = 2; i + 1 < in->count; i += 2)
            add_decor(decor_of_member(s, in->words[i], in->words[i + 1]), spv_decor(s, in->words[1]));
        break;
    default:
        break;
    }
}
