/* SPDX-License-Identifier: MIT
 *
 * Composite extraction, insertion, construction and shuffles. Values are flattened, so this only moves scalars around.
 */
#include <string.h>
#include "compiler/spirv/spv.h"

/* Follows literal indices. Returns the type of the part and its first scalar. */
static const struct spv_type *follow(struct spv *s, const struct spv_type *type, const uint32_t *indices,
                                     uint32_t count, uint32_t *first_out)
{
    const struct spv_type *whole = type;
    *first_out = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first;
        type = spv_member(type, indices[i], &first);
        if (!type)
            spv_invalid(s, "index %u is out of range of the composite", indices[i]);
        *first_out += first;
    }
    if (*first_out > whole->scalars || type->scalars > whole->scalars - *first_out)
        spv_invalid(s, "a part lies outside of its composite");
    return type;
}

static void composite_extract(struct spv *s, const struct spv_instr *in)
{
    uint32_t first;
    if (spv_extract_descriptor(s, in))
        return;
    const struct spv_type *type = follow(s, spv_type_of(s, in->words[3]), in->words + 4, in->count - 4u, &first);
    spv_define(s, in->words[2], type, spv_value(s, in->words[3]) + first);
}

static void composite_insert(struct spv *s, const struct spv_instr *in)
{
    uint32_t first;
    const struct spv_type *whole = spv_type_of(s, in->words[4]);
    const struct spv_type *part = follow(s, whole, in->words + 5, in->count - 5u, &first);
    if (spv_type_of(s, in->words[3])->scalars != part->scalars)
        spv_invalid(s, "the object has %u scalars, the indexed part has %u", spv_type_of(s, in->words[3])->scalars,
                    part->scalars);
    struct ir_instr **old = spv_value(s, in->words[4]), **value = spv_value(s, in->words[3]);
    struct ir_instr **out = spv_new_scalars(s, whole->scalars);
    memcpy(out, old, whole->scalars * sizeof *out);
    memcpy(out + first, value, part->scalars * sizeof *out);
    spv_define(s, in->words[2], whole, out);
}

static void composite_construct(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    uint32_t at = 0;
    for (uint32_t i = 3; i < in->count; i++) {
        uint32_t n = spv_type_of(s, in->words[i])->scalars;
        if (n > type->scalars - at)
            spv_invalid(s, "the constituents have more than the %u scalars of the type", type->scalars);
        memcpy(out + at, spv_value(s, in->words[i]), n * sizeof *out);
        at += n;
    }
    if (at != type->scalars)
        spv_invalid(s, "the constituents have %u scalars, the type has %u", at, type->scalars);
    spv_define(s, in->words[2], type, out);
}

/* SPV_EXT_replicated_composites: one value for all constituents. */
static void composite_replicate(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    const uint32_t n = spv_replicated_scalars(s, type, spv_type_of(s, in->words[3]));
    struct ir_instr **value = spv_value(s, in->words[3]), **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = value[i % n];
    spv_define(s, in->words[2], type, out);
}

uint32_t spv_replicated_scalars(struct spv *s, const struct spv_type *type, const struct spv_type *part)
{
    uint32_t first;
    const struct spv_type *constituent = spv_member(type, 0, &first);
    if (part->is_empty && type->is_empty)
        return 1;
    if (!constituent || !part->scalars || constituent->scalars != part->scalars || type->scalars % part->scalars)
        spv_invalid(s, "a value of %u scalars does not fill a composite of %u", part->scalars, type->scalars);
    return part->scalars;
}

static void vector_shuffle(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    const uint32_t words = spv_scalar_of(type)->scalars; /* of a component */
    uint32_t n = spv_type_of(s, in->words[3])->scalars, m = spv_type_of(s, in->words[4])->scalars;
    if (!words || type->scalars != words * (in->count - 5u) || n % words || m % words)
        spv_invalid(s, "%u components for a vector of %u", in->count - 5u, type->count);
    struct ir_instr **x = spv_value(s, in->words[3]), **y = spv_value(s, in->words[4]);
    struct ir_instr **undef = spv_undef(s, type), **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        const uint32_t component = in->words[5 + i / words], from = words * component + i % words;
        if (component != UINT32_MAX && component >= (n + m) / words)
            spv_invalid(s, "component %u is out of range, the vectors have %u", component, (n + m) / words);
        out[i] = component == UINT32_MAX ? undef[i] : from < n ? x[from] : y[from - n];
    }
    spv_define(s, in->words[2], type, out);
}

static void extract_dynamic(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *vector = spv_type_of(s, in->words[3]);
    if (vector->kind != SPV_TYPE_VECTOR)
        spv_invalid(s, "not a vector");
    const uint32_t words = vector->elem->scalars;
    struct ir_instr **x = spv_value(s, in->words[3]), *index = spv_index(s, in->words[4]);
    struct ir_instr **out = spv_new_scalars(s, words);
    for (uint32_t k = 0; k < words; k++)
        out[k] = x[k];
    for (uint32_t i = 1; i < vector->count; i++) {
        struct ir_instr *is_i = ir_build2(&s->b, IR_IEQ, index, ir_const(&s->b, i));
        for (uint32_t k = 0; k < words; k++)
            out[k] = ir_build3(&s->b, IR_SEL, is_i, x[words * i + k], out[k]);
    }
    spv_define(s, in->words[2], vector->elem, out);
}

static void insert_dynamic(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *vector = spv_type_of(s, in->words[3]);
    if (vector->kind != SPV_TYPE_VECTOR)
        spv_invalid(s, "not a vector");
    const uint32_t words = vector->elem->scalars;
    if (spv_type_of(s, in->words[4])->scalars != words)
        spv_invalid(s, "the component has another type than those of the vector");
    struct ir_instr **x = spv_value(s, in->words[3]), **value = spv_value(s, in->words[4]);
    struct ir_instr *index = spv_index(s, in->words[5]), **out = spv_new_scalars(s, vector->scalars);
    for (uint32_t i = 0; i < vector->count; i++) {
        struct ir_instr *is_i = ir_build2(&s->b, IR_IEQ, index, ir_const(&s->b, i));
        for (uint32_t k = 0; k < words; k++)
            out[words * i + k] = ir_build3(&s->b, IR_SEL, is_i, value[k], x[words * i + k]);
    }
    spv_define(s, in->words[2], vector, out);
}

bool spv_translate_composite(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpCompositeExtract:
        composite_extract(s, in);
        return true;
    case SpvOpCompositeInsert:
        composite_insert(s, in);
        return true;
    case SpvOpCompositeConstruct:
        composite_construct(s, in);
        return true;
    case SpvOpCompositeConstructReplicateEXT:
        composite_replicate(s, in);
        return true;
    case SpvOpVectorShuffle:
        vector_shuffle(s, in);
        return true;
    case SpvOpVectorExtractDynamic:
        extract_dynamic(s, in);
        return true;
    case SpvOpVectorInsertDynamic:
        insert_dynamic(s, in);
        return true;
    default:
        return spv_translate_matrix(s, in);
    }
}
