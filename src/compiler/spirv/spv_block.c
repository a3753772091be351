/* SPDX-License-Identifier: MIT
 *
 * Layouts of uniform and storage buffers and of push constants: offsets, array and matrix strides, row- and
 * column-major matrices. Accesses are split into single words at byte offsets.
 */
#include "compiler/spirv/spv_engine.h"

#define MAX_BUFFER_B (1u << 29) /* more than the range of any descriptor */

static uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Whether loads beyond the end of the buffer must give zero. */
static bool is_robust(const struct spv *s, const struct spv_pointer *p)
{
    const uint32_t robustness = s->entry->robustness;
    if (p->storage == SpvStorageClassStorageBuffer)
        return robustness & VC4C_ROBUST_STORAGE_BUFFERS;
    if (p->storage != SpvStorageClassUniform || !p->var)
        return false;
    const struct spv_type *block = p->var->type->kind == SPV_TYPE_ARRAY ? p->var->type->elem : p->var->type;
    return robustness & (block->decor->buffer_block ? VC4C_ROBUST_STORAGE_BUFFERS : VC4C_ROBUST_UNIFORM_BUFFERS);
}

/* Where loads beyond the end of a buffer must give zero, an index must not wrap around to an offset inside of it. The
 * bound leads beyond the end of any buffer, and the sum of a few such offsets does not wrap either. */
static struct ir_instr *bounded_index(struct spv *s, const struct spv_pointer *p, struct ir_instr *index,
                                      uint32_t stride_B)
{
    if (!is_robust(s, p))
        return index;
    return ir_build2(&s->b, IR_UMIN, index, ir_const(&s->b, MAX_BUFFER_B / stride_B + 1));
}

/* Strides below this reach less than a buffer's largest range with 24-bit indices. */
#define MIN_STRIDE_24_B 32u

static void add_scaled(struct spv *s, struct spv_pointer *p, struct ir_instr *index, uint32_t stride_B)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *bytes;
    uint64_t max_B = p->dynamic_max_B + (uint64_t)stride_B * (MAX2(p->type->count, 1u) - 1);
    p->dynamic_max_B = (uint32_t)MIN2(max_B, UINT32_MAX);
    p->dynamic_step_B = gcd(p->dynamic_step_B, stride_B);
    index = bounded_index(s, p, index, stride_B);
    if (util_is_pow2(stride_B))
        bytes = ir_build2(b, IR_SHL, index, ir_const(b, util_log2(stride_B)));
    else if (is_robust(s, p) && stride_B < MIN_STRIDE_24_B)
        bytes = ir_build2(b, IR_IMUL, index, ir_const(b, stride_B));
    else /* an index of 2^24 or more is beyond the end of any buffer with such a stride */
        bytes = ir_build2(b, IR_MUL24, index, ir_const(b, stride_B));
    p->offset = p->offset ? ir_build2(b, IR_IADD, p->offset, bytes) : bytes;
}

/* Advances the pointer to member `number`, or to element `index` when the index is not constant. */
void spv_block_step(struct spv *s, struct spv_pointer *p, struct ir_instr *index, bool is_const, uint32_t number)
{
    const struct spv_type *t = p->type;
    uint32_t first, stride_B = spv_is_scalar(spv_scalar_of(t)) ? spv_scalar_of(t)->bits / 8u : 4;
    number = is_const ? spv_clamped_index(t, number) : 0;
    const struct spv_type *member = spv_member(t, number, &first);
    if (!member || (!is_const && t->kind == SPV_TYPE_STRUCT))
        spv_invalid(s, "an index into a block is out of range");
    switch ((enum spv_type_kind)t->kind) {
    case SPV_TYPE_STRUCT:
        if (t->layouts[number]->offset_B == SPV_NO_NUMBER)
            spv_invalid(s, "a member of a block has no offset");
        p->offset_B += t->layouts[number]->offset_B;
        p->matrix_stride_B = t->layouts[number]->matrix_stride_B;
        p->row_major = t->layouts[number]->row_major;
        p->type = member;
        return;
    case SPV_TYPE_ARRAY:
        stride_B = t->decor->array_stride_B;
        if (!stride_B)
            spv_invalid(s, "an array in a block has no stride");
        break;
    case SPV_TYPE_MATRIX:
        if (!p->matrix_stride_B)
            p->matrix_stride_B = spv_usual_matrix_stride_B(t, p->row_major);
        stride_B = p->row_major ? stride_B : p->matrix_stride_B;
        p->is_row_major_column = p->row_major;
        break;
    default:
        stride_B = p->is_row_major_column ? p->matrix_stride_B : stride_B;
        break;
    }
    if (!stride_B)
        spv_invalid(s, "a boolean in a block");
    if (is_const)
        p->offset_B += number * stride_B;
    else
        add_scaled(s, p, index, stride_B);
    p->type = member;
}

uint32_t spv_buffer_index(struct spv *s, const struct spv_pointer *p)
{
    const struct spv_decor *d = p->var->decor;
    const struct spv_type *block = p->var->type->kind == SPV_TYPE_ARRAY ? p->var->type->elem : p->var->type;
    if (d->set == SPV_NO_NUMBER || d->binding == SPV_NO_NUMBER)
        spv_invalid(s, "a buffer variable without DescriptorSet or Binding");
    struct vc4c_buffer_ref ref = {
        .set = (uint16_t)d->set, .binding = (uint16_t)d->binding, .index = (uint16_t)p->element};
    ref.storage = p->storage == SpvStorageClassStorageBuffer || block->decor->buffer_block;
    spv_use_binding(s, p->var);
    struct ir_shader *shader = s->shader;
    for (uint32_t i = 0; i < shader->buffer_count; i++) {
        const struct vc4c_buffer_ref *b = &shader->buffers[i];
        if (b->set == ref.set && b->binding == ref.binding && b->index == ref.index && b->storage == ref.storage)
            return i;
    }
    if (shader->buffer_count == VC4C_MAX_BUFFERS)
        spv_unsupported(s, "more than %u buffers", VC4C_MAX_BUFFERS);
    shader->buffers[shader->buffer_count] = ref;
    return shader->buffer_count++;
}

/* `at` is first_B plus a multiple of step_B, and at most max_B more. */
static struct ir_instr *load_push(struct spv *s, struct ir_instr *at, uint32_t first_B, uint32_t max_B,
                                  uint32_t step_B)
{
    struct ir_instr *load = ir_build1(&s->b, IR_LOAD_PUSH, at);
    if (max_B > 0xffff || step_B > 0xffff)
        spv_unsupported(s, "push constants indexed over %u bytes in steps of %u, the limit is 65535", max_B, step_B);
    load->imm = first_B;
    load->imm2 = max_B << 16 | step_B;
    return load;
}

/* Loads a number of 8 or 16 bits: the word that contains it, shifted right. The number may lie behind the buffer's last
 * whole word. */
static struct ir_instr *load_part(struct spv *s, const struct spv_pointer *p)
{
    struct ir_builder *b = &s->b;
    if (spv_is_addressed(s, p))
        return spv_load_part(s, spv_part_address(s, p, p->type->bits / 8), spv_may_change(s, p));
    struct ir_instr *at = ir_const(b, p->offset_B);
    if (p->offset)
        at = ir_build2(b, IR_IADD, p->offset, at);
    const bool is_push = p->storage == SpvStorageClassPushConstant;
    struct ir_instr *load, *word_at = ir_build2(b, IR_AND, at, ir_const(b, ~3u));
    if (is_push) {
        load = load_push(s, word_at, p->offset_B & ~3u, p->dynamic_max_B + (p->offset_B & 3), 4);
    } else {
        load = ir_build1(b, IR_LOAD_BUFFER, word_at);
        load->imm = spv_buffer_index(s, p);
    }
    struct ir_instr *part =
        ir_build2(b, IR_SHR, load, ir_build2(b, IR_SHL, ir_build2(b, IR_AND, at, ir_const(b, 3)), ir_const(b, 3)));
    if (!p->offset || is_push || !is_robust(s, p))
        return part;
    load->imm2 = IR_LOAD_OF_PART;
    struct ir_instr *size = ir_uniform(b, VC4C_UNIFORM_BUFFER_SIZE, (uint32_t)load->imm, 0);
    return ir_build3(b, IR_SEL, ir_build2(b, IR_ULT, at, size), part, ir_const(b, 0));
}

static struct ir_instr *load_word(struct spv *s, const struct spv_pointer *p)
{
    struct ir_builder *b = &s->b;
    if (p->type->bits < 32)
        return load_part(s, p);
    if (spv_is_addressed(s, p))
        return spv_load_word(s, spv_address(s, p, 0), spv_may_change(s, p));
    struct ir_instr *at = ir_const(b, p->offset_B);
    if (p->offset)
        at = p->offset_B ? ir_build2(b, IR_IADD, p->offset, at) : p->offset;
    if (p->storage == SpvStorageClassPushConstant)
        return load_push(s, at, p->offset_B, p->dynamic_max_B, p->dynamic_step_B);
    struct ir_instr *load = ir_build1(b, IR_LOAD_BUFFER, at);
    load->imm = spv_buffer_index(s, p);
    load->imm2 = p->offset_B; /* replaced by mark_one_access or mark_separate_accesses */
    return load;
}

/* The upper word of a 64-bit address in a block. */
static struct spv_pointer high_word(struct spv *s, const struct spv_pointer *p)
{
    struct spv_pointer high = *p;
    if (p->type->storage != SpvStorageClassPhysicalStorageBuffer)
        spv_invalid(s, "a pointer of storage class %u in a block", p->type->storage);
    high.offset_B += 4;
    return high;
}

/* Loads all scalars of p's type, in order; returns the next free entry of `out`. */
static struct ir_instr **load_type(struct spv *s, const struct spv_pointer *p, struct ir_instr **out)
{
    if (spv_is_scalar(p->type)) {
        if (p->type->kind == SPV_TYPE_BOOL)
            spv_invalid(s, "a boolean in a block");
        *out++ = load_word(s, p);
        if (p->type->bits == 64) {
            struct spv_pointer high = *p;
            high.offset_B += 4;
            *out++ = load_word(s, &high);
        }
        return out;
    }
    if (p->type->kind == SPV_TYPE_POINTER) {
        struct spv_pointer high = high_word(s, p);
        out[0] = load_word(s, p);
        out[1] = load_word(s, &high);
        return out + 2;
    }
    for (uint32_t i = 0; p->type->scalars && i < p->type->count; i++) {
        struct spv_pointer member = *p;
        spv_block_step(s, &member, NULL, true, i);
        out = load_type(s, &member, out);
    }
    return out;
}

/* ---------------------------------------------------------------- arrays of descriptors */

/* Emits `load` for every element that the pointer may select. Returns the results of the selected one in `out`. */
static void for_each_element(struct spv *s, const struct spv_pointer *p, uint32_t count, struct ir_instr **out,
                             void (*load)(struct spv *s, const struct spv_pointer *p, struct ir_instr **out))
{
    if (!p->element_index || spv_is_addressed(s, p)) {
        load(s, p, out);
        return;
    }
    uint32_t variable = spv_new_ir_variable(s, count, 32);
    for (uint32_t i = 0; i < count; i++)
        spv_store_var(s, variable, i, ir_const(&s->b, 0));
    for (uint32_t element = 0; element < p->element_count; element++) {
        struct spv_pointer one = *p;
        one.element = element;
        one.element_index = NULL;
        struct ir_if *nif = spv_begin_element(s, p->element_index, element);
        load(s, &one, out);
        for (uint32_t i = 0; i < count; i++)
            spv_store_var(s, variable, i, out[i]);
        spv_end_element(s, nif);
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] = spv_load_var(s, variable, i);
}

/* The words of one load must be in range together or not at all [Vulkan: robustBufferAccess], so imm2 tells each of
 * them its position in the access. Words that are too far apart for 16 bits are checked separately. */
static void mark_one_access(const struct spv_pointer *p, struct ir_instr *const *words, uint32_t count)
{
    uint32_t first_B = UINT32_MAX, last_B = 0;
    for (uint32_t i = 0; i < count; i++) {
        first_B = MIN2(first_B, words[i]->imm2);
        last_B = MAX2(last_B, words[i]->imm2);
    }
    bool fits = p->offset && last_B - first_B <= 0xffff;
    for (uint32_t i = 0; i < count; i++)
        words[i]->imm2 = fits ? (last_B - first_B) << 16 | (words[i]->imm2 - first_B) : 0;
}

static void mark_separate_accesses(struct ir_instr *const *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (words[i]->op == IR_LOAD_BUFFER)
            words[i]->imm2 = 0;
}

static void load_all(struct spv *s, const struct spv_pointer *p, struct ir_instr **out)
{
    load_type(s, p, out);
    if (spv_is_addressed(s, p) || p->storage == SpvStorageClassPushConstant)
        return;
    if (spv_has_small_types(p->type) || is_robust(s, p)) /* words overlap, or each is in range or not by itself */
        mark_separate_accesses(out, p->type->scalars);
    else
        mark_one_access(p, out, p->type->scalars);
}

struct ir_instr **spv_block_load(struct spv *s, const struct spv_pointer *p)
{
    struct ir_instr **scalars = spv_new_scalars(s, p->type->scalars);
    for_each_element(s, p, p->type->scalars, scalars, load_all);
    return scalars;
}

static void load_size(struct spv *s, const struct spv_pointer *p, struct ir_instr **out)
{
    if (spv_is_addressed(s, p))
        *out = spv_addressed_size(s, p);
    else
        *out = ir_uniform(&s->b, VC4C_UNIFORM_BUFFER_SIZE, spv_buffer_index(s, p), 0);
}

struct ir_instr *spv_buffer_size(struct spv *s, const struct spv_pointer *p)
{
    struct ir_instr *size;
    for_each_element(s, p, 1, &size, load_size);
    return size;
}

/* Stores all scalars of p's type; returns the first one not stored. */
static struct ir_instr *const *store_type(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars)
{
    if (spv_is_scalar(p->type)) {
        if (p->type->kind == SPV_TYPE_BOOL)
            spv_invalid(s, "a boolean in a block");
        if (p->type->bits < 32)
            spv_store_part(s, spv_part_address(s, p, p->type->bits / 8), *scalars, p->type->bits / 8u);
        else
            spv_store_word(s, spv_address(s, p, 0), *scalars);
        if (p->type->bits == 64)
            spv_store_word(s, spv_address(s, p, 4), scalars[1]);
        return scalars + p->type->scalars;
    }
    if (p->type->kind == SPV_TYPE_POINTER) {
        struct spv_pointer high = high_word(s, p);
        spv_store_word(s, spv_address(s, p, 0), scalars[0]);
        spv_store_word(s, spv_address(s, &high, 0), scalars[1]);
        return scalars + 2;
    }
    for (uint32_t i = 0; p->type->scalars && i < p->type->count; i++) {
        struct spv_pointer member = *p;
        spv_block_step(s, &member, NULL, true, i);
        scalars = store_type(s, &member, scalars);
    }
    return scalars;
}

void spv_block_store(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars)
{
    if (!spv_may_change(s, p))
        spv_invalid(s, "a store to read-only memory");
    store_type(s, p, scalars);
}
