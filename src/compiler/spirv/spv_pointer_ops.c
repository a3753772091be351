/* SPDX-License-Identifier: MIT
 *
 * Instructions of pointers that are values (spv_pointer.c): steps over elements, comparisons, differences, conversions
 * between addresses and numbers.
 */
#include "compiler/spirv/spv_engine.h"

static struct ir_instr *add(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    return x ? ir_build2(b, IR_IADD, x, y) : y;
}

/* ---------------------------------------------------------------- arithmetic */

/* Comparing pointers takes no ArrayStride on their type, so the stride is that of an array with such elements. */
static uint32_t stride_of_elements(struct spv *s, const struct spv_type *elem)
{
    for (uint32_t id = 0; id < s->m->id_count; id++) {
        const struct spv_type *t = s->ids[id].kind == SPV_TYPE ? s->ids[id].type : NULL;
        if (t && t->kind == SPV_TYPE_ARRAY && t->elem == elem && t->decor->array_stride_B)
            return t->decor->array_stride_B;
    }
    return 0;
}

/* Bytes between elements that a pointer of this type can step over; 0: unknown. */
static uint32_t stride_of(struct spv *s, const struct spv_type *pointer)
{
    if (pointer->storage == SpvStorageClassWorkgroup && !s->has_shared_blocks)
        return 4 * pointer->elem->scalars;
    if (pointer->decor->array_stride_B)
        return pointer->decor->array_stride_B;
    spv_spend(s, s->m->id_count);
    return stride_of_elements(s, pointer->elem);
}

static struct ir_instr *scaled(struct ir_builder *b, struct ir_instr *x, uint32_t stride_B)
{
    if (util_is_pow2(stride_B))
        return ir_build2(b, IR_SHL, x, ir_const(b, util_log2(stride_B)));
    return ir_build2(b, IR_IMUL, x, ir_const(b, stride_B));
}

/* The low word of a number: no memory is larger than 4 GiB. */
static struct ir_instr *low_word(struct spv *s, uint32_t id)
{
    if (spv_type_of(s, id)->kind != SPV_TYPE_INT)
        spv_invalid(s, "an index that is not an integer");
    return spv_is_wide(spv_type_of(s, id)) ? spv_value(s, id)[0] : spv_index(s, id);
}

/* Moves the pointer by `element` elements; 0 is allowed where the stride is unknown. */
static void step_over(struct spv *s, struct spv_pointer *p, uint32_t element)
{
    const bool is_const = s->ids[element].kind == SPV_CONSTANT;
    struct ir_instr *number = low_word(s, element);
    if (is_const && !number->imm)
        return;
    const uint32_t stride_B = stride_of(s, spv_pointer_type(s, p));
    if (!stride_B)
        spv_invalid(s, "a step over elements of an array without ArrayStride");
    if (p->storage == SpvStorageClassWorkgroup) {
        const struct spv_type *type = spv_pointer_type(s, p);
        struct ir_instr *place = spv_shared_place(s, p);
        *p = (struct spv_pointer){.type = p->type, .storage = p->storage, .pointer_type = type};
        p->address = add(&s->b, place, scaled(&s->b, number, stride_B));
    } else if (is_const) {
        p->offset_B += number->imm * stride_B;
    } else {
        p->offset = add(&s->b, p->offset, scaled(&s->b, number, stride_B));
        p->dynamic_max_B = UINT32_MAX;
        p->dynamic_step_B = 1;
    }
}

static void pointer_access_chain(struct spv *s, const struct spv_instr *in)
{
    struct spv_pointer *p = util_arena_new(s->arena, struct spv_pointer);
    *p = *spv_pointer(s, in->words[3]);
    if (!spv_pointer_scalars(s, p->storage))
        spv_unsupported(s, "a step over elements of a pointer of storage class %u", p->storage);
    if (spv_is_descriptor_array(p))
        spv_unsupported(s, "a step over an array of descriptors");
    step_over(s, p, in->words[4]);
    spv_follow_indices(s, p, in, 5);
    p->pointer_type = spv_type(s, in->words[1]);
    spv_define_pointer(s, in->words[2], p);
}

/* The values of two pointers of one type. */
static const struct spv_type *pair(struct spv *s, const struct spv_instr *in, struct ir_instr **values_out[2])
{
    const struct spv_type *types[2];
    for (uint32_t i = 0; i < 2; i++) {
        types[i] = spv_type_of(s, in->words[3 + i]);
        if (types[i]->kind != SPV_TYPE_POINTER || !types[i]->scalars)
            spv_invalid(s, "an operand is not a pointer that can be a value");
        values_out[i] = spv_value(s, in->words[3 + i]);
    }
    if (types[0]->storage != types[1]->storage)
        spv_invalid(s, "the two pointers have different storage classes");
    return types[0];
}

static struct ir_instr *are_equal(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    struct ir_instr **values[2];
    const struct spv_type *type = pair(s, in, values);
    struct ir_instr *equal = ir_build2(b, IR_IEQ, values[0][0], values[1][0]);
    for (uint32_t i = 1; i < type->scalars; i++)
        equal = ir_build2(b, IR_BAND, equal, ir_build2(b, IR_IEQ, values[0][i], values[1][i]));
    return equal;
}

/* The number of elements between two pointers into one array. */
static void difference(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    struct ir_instr **values[2];
    const struct spv_type *pointer = pair(s, in, values), *type = spv_type(s, in->words[1]);
    const uint32_t stride_B = stride_of(s, pointer), word = pointer->storage == SpvStorageClassStorageBuffer;
    if (type->kind != SPV_TYPE_INT || !type->scalars || type->scalars > 2)
        spv_invalid(s, "a difference of pointers that is not an integer");
    if (!stride_B)
        spv_invalid(s, "a difference of pointers into an array without ArrayStride");
    struct ir_instr *elements = ir_build2(b, IR_ISUB, values[0][word], values[1][word]);
    if (util_is_pow2(stride_B))
        elements = ir_build2(b, IR_ASR, elements, ir_const(b, util_log2(stride_B)));
    else
        elements = ir_build2(b, IR_IDIV, elements, ir_const(b, stride_B));
    struct ir_instr **out = spv_define(s, in->words[2], type, NULL);
    out[0] = elements;
    if (type->scalars == 2)
        out[1] = ir_build2(b, IR_ASR, elements, ir_const(b, 31));
}

/* ---------------------------------------------------------------- addresses */

/* OpConvertPtrToU, OpConvertUToPtr: copies the words, adds zeros or drops the upper word. */
static void convert(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]), *from = spv_type_of(s, in->words[3]);
    const struct spv_type *pointer = in->op == SpvOpConvertUToPtr ? type : from;
    const struct spv_type *number = in->op == SpvOpConvertUToPtr ? from : type;
    if (pointer->kind != SPV_TYPE_POINTER || pointer->storage != SpvStorageClassPhysicalStorageBuffer ||
        number->kind != SPV_TYPE_INT)
        spv_invalid(s, "a conversion that is not between a number and an address");
    struct ir_instr **words = spv_value(s, in->words[3]), **out = spv_define(s, in->words[2], type, NULL);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = i < from->scalars ? words[i] : ir_const(&s->b, 0);
}

bool spv_translate_pointer(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        pointer_access_chain(s, in);
        return true;
    case SpvOpPtrEqual:
        spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), are_equal(s, in));
        return true;
    case SpvOpPtrNotEqual:
        spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), ir_build1(&s->b, IR_BNOT, are_equal(s, in)));
        return true;
    case SpvOpPtrDiff:
        difference(s, in);
        return true;
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
        convert(s, in);
        return true;
    default:
        return false;
    }
}
