/* SPDX-License-Identifier: MIT
 *
 * Maps ids to values. Checks the kind of every operand, because the reader (spv_read.c) checks ids but not what they
 * are.
 */
#include "compiler/spirv/spv.h"
#include "compiler/spirv/spv_small.h"

struct ir_instr **spv_undef(struct spv *s, const struct spv_type *type)
{
    struct ir_instr **scalars = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        const struct spv_type *t = spv_scalar_at(type, i);
        scalars[i] = t->kind == SPV_TYPE_POINTER ? ir_const(&s->b, 0)
                                                 : ir_build(&s->b, IR_UNDEF, spv_scalar_bits(t), 0, NULL);
    }
    return scalars;
}

static struct ir_instr **from_words(struct spv *s, const struct spv_type *type, const uint32_t *words)
{
    struct ir_instr **scalars = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        uint32_t word = words ? words[i] : 0;
        scalars[i] = spv_scalar_bits(spv_scalar_at(type, i)) == 1 ? ir_const_bool(&s->b, word) : ir_const(&s->b, word);
    }
    return scalars;
}

struct ir_instr **spv_zero(struct spv *s, const struct spv_type *type)
{
    return from_words(s, type, NULL);
}

struct ir_instr **spv_value(struct spv *s, uint32_t id)
{
    const struct spv_id *v = &s->ids[id];
    switch ((enum spv_kind)v->kind) {
    case SPV_VALUE:
        return v->scalars;
    case SPV_CONSTANT:
        return from_words(s, v->type, v->words);
    case SPV_UNDEF:
        return spv_undef(s, v->type);
    case SPV_POINTER:
        return spv_pointer_value(s, v->pointer);
    case SPV_TEXTURE:
        spv_unsupported(s, "an image or sampler used as a value");
    default:
        spv_invalid(s, "an operand is not a value, or is used before its definition");
    }
}

struct ir_instr *spv_scalar(struct spv *s, uint32_t id)
{
    if (spv_type_of(s, id)->scalars != 1)
        spv_invalid(s, "an operand must be a scalar");
    return spv_value(s, id)[0];
}

struct ir_instr *spv_index(struct spv *s, uint32_t id)
{
    const struct spv_type *type = spv_type_of(s, id);
    struct ir_builder *b = &s->b;
    if (spv_is_small(type) && s->ids[id].kind == SPV_CONSTANT)
        return ir_const(b, spv_const_word(s, id));
    if (spv_is_small(type))
        return spv_widened(b, type, spv_scalar(s, id));
    if (!spv_is_wide(type))
        return spv_scalar(s, id);
    struct ir_instr **x = spv_value(s, id);
    return ir_build3(b, IR_SEL, ir_build2(b, IR_IEQ, x[1], ir_const(b, 0)), x[0], ir_const(b, UINT32_MAX));
}

const struct spv_type *spv_type_of(struct spv *s, uint32_t id)
{
    const struct spv_id *v = &s->ids[id];
    if (v->kind == SPV_POINTER)
        return spv_pointer_type(s, v->pointer);
    if (v->kind != SPV_VALUE && v->kind != SPV_CONSTANT && v->kind != SPV_UNDEF)
        spv_invalid(s, "an operand is not a value, or is used before its definition");
    if (v->type->kind == SPV_TYPE_ARRAY && !v->type->count)
        spv_invalid(s, "a run-time array used as a value");
    return v->type;
}

struct ir_instr **spv_define(struct spv *s, uint32_t id, const struct spv_type *type, struct ir_instr **scalars)
{
    if (!scalars)
        scalars = spv_new_scalars(s, type->scalars);
    s->ids[id] = (struct spv_id){.kind = SPV_VALUE, .type = type, .scalars = scalars};
    return scalars;
}

void spv_define_scalar(struct spv *s, uint32_t id, const struct spv_type *type, struct ir_instr *scalar)
{
    if (!spv_is_scalar(type) || type->scalars != 1 || spv_scalar_bits(type) != scalar->value.bits)
        spv_invalid(s, "the result type does not match the value");
    spv_define(s, id, type, NULL)[0] = scalar;
}

struct spv_pointer *spv_pointer(struct spv *s, uint32_t id)
{
    const struct spv_id *v = &s->ids[id];
    if (v->kind == SPV_POINTER)
        return v->pointer;
    if ((v->kind != SPV_VALUE && v->kind != SPV_CONSTANT && v->kind != SPV_UNDEF) ||
        v->type->kind != SPV_TYPE_POINTER || !v->type->scalars)
        spv_invalid(s, "an operand is not a pointer");
    return spv_pointer_from_value(s, v->type, spv_value(s, id));
}

struct spv_texture *spv_texture(struct spv *s, uint32_t id)
{
    if (s->ids[id].kind != SPV_TEXTURE)
        spv_invalid(s, "an operand is not an image or a sampler");
    return s->ids[id].texture;
}

void spv_define_pointer(struct spv *s, uint32_t id, struct spv_pointer *pointer)
{
    s->ids[id] = (struct spv_id){.kind = SPV_POINTER, .type = pointer->type, .pointer = pointer};
}
