/* SPDX-License-Identifier: MIT
 *
 * Pointers, loads and stores. Variables of the program (function, private, inputs, outputs) become words of IR
 * variables. An access with a variable index selects among all elements, because the chip has no indexable registers.
 * Tables of constants with such indices live in memory of the program (spv_table.c), other large arrays in scratch
 * memory (spv_scratch.c).
 */
#include "compiler/spirv/spv_engine.h"

#define MAX_VARIABLE_SCALARS 16384u
#define MAX_SELECTED          4096u /* limit on the words that one access with variable indices selects from */

/* ---------------------------------------------------------------- places */

/* The words and the booleans of a SPIR-V variable live in two separate IR variables. */
void spv_create_places(struct spv *s, struct spv_var *var)
{
    uint32_t count = var->type->scalars, used[2] = {0, 0}, variables[2];
    if (spv_create_table(s, var))
        return;
    if (count > MAX_VARIABLE_SCALARS)
        spv_unsupported(s, "a variable of %u scalars, the limit is %u", count, MAX_VARIABLE_SCALARS);
    if (spv_lives_in_scratch(s, var)) {
        spv_create_scratch(s, var);
        return;
    }
    var->places = util_arena_new_array(s->arena, struct spv_place, count);
    for (uint32_t i = 0; i < count; i++) {
        bool is_bool = spv_scalar_bits(spv_scalar_at(var->type, i)) == 1;
        var->places[i] = (struct spv_place){.variable = is_bool, .word = used[is_bool]++};
    }
    for (int i = 0; i < 2; i++)
        variables[i] = used[i] ? spv_new_ir_variable(s, used[i], i ? 1 : 32) : 0;
    for (uint32_t i = 0; i < count; i++)
        var->places[i].variable = variables[var->places[i].variable];
}

/* ---------------------------------------------------------------- pointers */

struct spv_pointer *spv_var_pointer(struct spv *s, struct spv_var *var, const struct spv_type *type)
{
    struct spv_pointer *p = util_arena_new(s->arena, struct spv_pointer);
    *p = (struct spv_pointer){.type = var->type, .storage = var->storage, .var = var, .pointer_type = type};
    return p;
}

/* Does the pointee lie in memory by the offsets and strides of its type? */
static bool has_layout(const struct spv *s, const struct spv_pointer *p)
{
    return spv_is_block_storage(p->storage) || spv_is_shared_block(s, p);
}

static void step_constant(struct spv *s, struct spv_pointer *p, uint32_t number)
{
    uint32_t first;
    const struct spv_type *member = spv_member(p->type, spv_clamped_index(p->type, number), &first);
    if (!member)
        spv_invalid(s, "index %u is out of range of the variable's type", number);
    p->scalar += first;
    p->type = member;
}

static void step_dynamic(struct spv *s, struct spv_pointer *p, struct ir_instr *index)
{
    uint32_t first;
    const struct spv_type *member = p->type->kind == SPV_TYPE_STRUCT ? NULL : spv_member(p->type, 0, &first);
    if (!member)
        spv_invalid(s, "a variable index into an object without elements");
    if (p->step_count == SPV_MAX_STEPS)
        spv_unsupported(s, "more than %u variable indices into one variable", SPV_MAX_STEPS);
    p->steps[p->step_count++] = (struct spv_step){.index = index, .count = p->type->count, .scalars = member->scalars};
    p->type = member;
}

void spv_follow_indices(struct spv *s, struct spv_pointer *p, const struct spv_instr *in, uint32_t first)
{
    for (uint32_t i = first; i < in->count; i++) {
        uint32_t id = in->words[i], number = 0;
        bool is_const = s->ids[id].kind == SPV_CONSTANT;
        if (is_const)
            number = spv_const_word(s, id);
        if (spv_is_descriptor_array(p)) {
            spv_choose_descriptor(s, p, spv_clamped_index(p->type, number), is_const ? NULL : spv_index(s, id));
        } else if (has_layout(s, p)) {
            spv_block_step(s, p, is_const ? NULL : spv_index(s, id), is_const, number);
        } else if (is_const) {
            step_constant(s, p, number);
        } else {
            step_dynamic(s, p, spv_index(s, id));
        }
    }
}

static void access_chain(struct spv *s, const struct spv_instr *in)
{
    struct spv_pointer *p = util_arena_new(s->arena, struct spv_pointer);
    *p = *spv_pointer(s, in->words[3]);
    spv_follow_indices(s, p, in, 4);
    p->pointer_type = spv_type(s, in->words[1]);
    spv_define_pointer(s, in->words[2], p);
}

/* ---------------------------------------------------------------- variables of the program */

static void check_selection(struct spv *s, const struct spv_pointer *p)
{
    uint64_t choices = p->type->scalars, end = (uint64_t)p->scalar + p->type->scalars;
    for (uint32_t i = 0; i < p->step_count; i++) {
        choices *= p->steps[i].count;
        end += p->steps[i].count ? (uint64_t)(p->steps[i].count - 1) * p->steps[i].scalars : 0;
    }
    if (choices > MAX_SELECTED)
        spv_unsupported(s, "a variable index that selects from %llu scalars, the limit is %u",
                        (unsigned long long)choices, MAX_SELECTED);
    if (!p->var->places)
        spv_unsupported(s, "a variable of storage class %u", p->storage);
    if (end > p->var->type->scalars)
        spv_invalid(s, "an access beyond the end of a variable of %u scalars", p->var->type->scalars);
}

/* Loads the pointee of `p` at `scalar`; the indices from `step` on are still to be resolved. */
static struct ir_instr **load_selected(struct spv *s, const struct spv_pointer *p, uint32_t scalar,
                                       const struct spv_step *step)
{
    uint32_t count = p->type->scalars;
    if (step == p->steps + p->step_count) {
        struct ir_instr **out = spv_new_scalars(s, count);
        for (uint32_t i = 0; i < count; i++)
            out[i] = spv_load_var(s, p->var->places[scalar + i].variable, p->var->places[scalar + i].word);
        return out;
    }
    struct ir_instr **out = load_selected(s, p, scalar, step + 1);
    for (uint32_t k = 1; k < step->count; k++) {
        struct ir_instr *is_k = ir_build2(&s->b, IR_IEQ, step->index, ir_const(&s->b, k));
        struct ir_instr **other = load_selected(s, p, scalar + k * step->scalars, step + 1);
        for (uint32_t i = 0; i < count; i++)
            out[i] = ir_build3(&s->b, IR_SEL, is_k, other[i], out[i]);
    }
    return out;
}

/* Stores where `cond` holds: the indices before `step` selected this element (NULL: always). */
static void store_selected(struct spv *s, const struct spv_pointer *p, uint32_t scalar, const struct spv_step *step,
                           struct ir_instr *cond, struct ir_instr *const *values)
{
    if (step < p->steps + p->step_count) {
        for (uint32_t k = 0; k < step->count; k++) {
            struct ir_instr *is_k = ir_build2(&s->b, IR_IEQ, step->index, ir_const(&s->b, k));
            is_k = cond ? ir_build2(&s->b, IR_BAND, cond, is_k) : is_k;
            store_selected(s, p, scalar + k * step->scalars, step + 1, is_k, values);
        }
        return;
    }
    for (uint32_t i = 0; i < p->type->scalars; i++) {
        const struct spv_place *place = &p->var->places[scalar + i];
        struct ir_instr *value = values[i];
        if (cond)
            value = ir_build3(&s->b, IR_SEL, cond, value, spv_load_var(s, place->variable, place->word));
        spv_store_var(s, place->variable, place->word, value);
    }
}

struct ir_instr **spv_load(struct spv *s, const struct spv_pointer *p)
{
    if (p->type->is_empty)
        return spv_new_scalars(s, 0);
    if (has_layout(s, p))
        return spv_block_load(s, p);
    if (spv_is_shared(p))
        return spv_shared_load(s, p);
    if (p->var->io_words)
        return spv_io_load(s, p);
    if (p->var->table_words)
        return spv_table_load(s, p);
    if (p->var->in_scratch)
        return spv_scratch_load(s, p);
    check_selection(s, p);
    return load_selected(s, p, p->scalar, p->steps);
}

void spv_store(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars)
{
    if (p->type->is_empty)
        return;
    if (has_layout(s, p)) {
        spv_block_store(s, p, scalars);
        return;
    }
    if (spv_is_shared(p)) {
        spv_shared_store(s, p, scalars);
        return;
    }
    if (p->var->io_words) {
        spv_io_store(s, p, scalars);
        return;
    }
    if (p->var->table_words) /* the program stores nothing else */
        return;
    if (p->var->in_scratch) {
        spv_scratch_store(s, p, scalars);
        return;
    }
    check_selection(s, p);
    store_selected(s, p, p->scalar, p->steps, NULL, scalars);
}

void spv_store_id(struct spv *s, const struct spv_pointer *p, uint32_t id)
{
    if (spv_type_of(s, id)->scalars != p->type->scalars)
        spv_invalid(s, "the value does not fit what the pointer points to");
    if (p->var && p->var->table_words)
        return;
    spv_store(s, p, spv_value(s, id));
}

/* ---------------------------------------------------------------- instructions */

struct spv_var *spv_create_var(struct spv *s, uint32_t id, const struct spv_type *type, uint32_t storage)
{
    struct spv_var *var = util_arena_new(s->arena, struct spv_var);
    *var = (struct spv_var){.type = type, .storage = storage, .decor = spv_decor(s, id), .id = id,
                            .initializer = SPV_NO_NUMBER};
    spv_create_places(s, var);
    return var;
}

/* Initialises the variable with undefined values, so that no phi carries values of an earlier iteration around a
 * loop. */
static void function_variable(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (type->kind != SPV_TYPE_POINTER || in->words[3] != SpvStorageClassFunction)
        spv_invalid(s, "a variable in a function must have storage class Function");
    /* Some compilers leave variables of type void behind, which nothing can load or store. */
    if (!spv_has_values(type->elem) && type->elem->kind != SPV_TYPE_VOID)
        spv_unsupported(s, "a variable of a type without values");
    struct spv_pointer *p = spv_var_pointer(s, spv_create_var(s, in->words[2], type->elem, in->words[3]), type);
    spv_define_pointer(s, in->words[2], p);
    if (in->count > 4)
        spv_store_id(s, p, in->words[4]);
    else if (type->elem->scalars <= SPV_MAX_SCALARS)
        spv_store(s, p, spv_undef(s, type->elem));
}

static void load_texture(struct spv *s, uint32_t id, struct spv_pointer *p)
{
    const struct spv_type *t = p->type;
    if (spv_is_descriptor_array(p)) {
        spv_define_pointer(s, id, p); /* spv_extract_descriptor() follows it */
        return;
    }
    if (t->kind != SPV_TYPE_IMAGE && t->kind != SPV_TYPE_SAMPLER && t->kind != SPV_TYPE_SAMPLED_IMAGE)
        spv_invalid(s, "a UniformConstant variable that is neither an image nor a sampler");
    if (p->var->decor->binding == SPV_NO_NUMBER || p->var->decor->set == SPV_NO_NUMBER)
        spv_invalid(s, "a descriptor variable without DescriptorSet or Binding");
    spv_use_binding(s, p->var);
    struct spv_texture *tex = util_arena_new(s->arena, struct spv_texture);
    tex->pointer = p;
    uint16_t set = (uint16_t)p->var->decor->set, binding = (uint16_t)p->var->decor->binding;
    if (t->kind != SPV_TYPE_SAMPLER) {
        tex->image = t->kind == SPV_TYPE_SAMPLED_IMAGE ? t->elem : t;
        tex->image_set = set;
        tex->image_binding = binding;
        tex->image_index = (uint16_t)p->element;
        tex->input_index = p->var->decor->input_index;
        tex->image_choice = p->element_index;
        tex->image_count = p->element_count;
    }
    if (t->kind != SPV_TYPE_IMAGE) {
        tex->has_sampler = true;
        tex->sampler_pointer = p;
        tex->sampler_set = set;
        tex->sampler_binding = binding;
        tex->sampler_index = (uint16_t)p->element;
        tex->sampler_choice = p->element_index;
        tex->sampler_count = p->element_count;
    }
    s->ids[id] = (struct spv_id){.kind = SPV_TEXTURE, .type = t, .texture = tex};
}

bool spv_extract_descriptor(struct spv *s, const struct spv_instr *in)
{
    const struct spv_id *array = &s->ids[in->words[3]];
    if (array->kind != SPV_POINTER || array->pointer->storage != SpvStorageClassUniformConstant)
        return false;
    struct spv_pointer *p = util_arena_new(s->arena, struct spv_pointer);
    *p = *array->pointer;
    for (uint32_t i = 4; i < in->count; i++) {
        if (!spv_is_descriptor_array(p))
            spv_invalid(s, "an index into a descriptor");
        spv_choose_descriptor(s, p, spv_clamped_index(p->type, in->words[i]), NULL);
    }
    load_texture(s, in->words[2], p);
    return true;
}

/* A volatile load of HelperInvocation tells the current state. [SPIR-V 1.6 "HelperInvocation"] */
static bool is_volatile_helper(const struct spv_pointer *p, const struct spv_instr *in)
{
    if (p->storage != SpvStorageClassInput || p->var->decor->builtin != SpvBuiltInHelperInvocation)
        return false;
    return p->var->decor->is_volatile || (in->count > 4 && (in->words[4] & SpvMemoryAccessVolatileMask));
}

static void translate_load(struct spv *s, const struct spv_instr *in)
{
    struct spv_pointer *p = spv_pointer(s, in->words[3]);
    if (p->storage == SpvStorageClassUniformConstant) {
        load_texture(s, in->words[2], p);
        return;
    }
    if (!spv_has_values(p->type) || spv_type(s, in->words[1])->scalars != p->type->scalars)
        spv_unsupported(s, "a load of this type");
    if (is_volatile_helper(p, in)) {
        spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), spv_is_helper(s));
        return;
    }
    spv_define(s, in->words[2], spv_type(s, in->words[1]), spv_load(s, p));
}

static void translate_store(struct spv *s, const struct spv_instr *in)
{
    spv_store_id(s, spv_pointer(s, in->words[1]), in->words[2]);
}

static void copy_memory(struct spv *s, const struct spv_instr *in)
{
    const struct spv_pointer *to = spv_pointer(s, in->words[1]), *from = spv_pointer(s, in->words[2]);
    if (to->type->scalars != from->type->scalars)
        spv_invalid(s, "the two pointers point to different types");
    spv_store(s, to, spv_load(s, from));
}

/* OpArrayLength: the length of the run-time array that is the last member of a storage buffer. */
static void array_length(struct spv *s, const struct spv_instr *in)
{
    const struct spv_pointer *p = spv_pointer(s, in->words[3]);
    uint32_t member = in->words[4];
    if ((!p->var && !p->descriptor) || p->type->kind != SPV_TYPE_STRUCT || member >= p->type->count ||
        p->type->members[member]->kind != SPV_TYPE_ARRAY || !p->type->members[member]->decor->array_stride_B ||
        p->type->layouts[member]->offset_B == SPV_NO_NUMBER)
        spv_invalid(s, "the operand is not a run-time array of a buffer");
    struct ir_builder *b = &s->b;
    struct ir_instr *size = spv_buffer_size(s, p);
    struct ir_instr *bytes = ir_build2(b, IR_ISUB, size, ir_const(b, p->type->layouts[member]->offset_B));
    if (s->entry->robustness & VC4C_ROBUST_NULLS)
        bytes = ir_build3(b, IR_SEL, ir_build2(b, IR_INE, size, ir_const(b, 0)), bytes, ir_const(b, 0));
    struct ir_instr *stride = ir_const(b, p->type->members[member]->decor->array_stride_B);
    spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), ir_build2(b, IR_UDIV, bytes, stride));
}

bool spv_translate_memory(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpVariable:
        function_variable(s, in);
        return true;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        access_chain(s, in);
        return true;
    case SpvOpLoad:
        translate_load(s, in);
        return true;
    case SpvOpStore:
        translate_store(s, in);
        return true;
    case SpvOpCopyMemory:
        copy_memory(s, in);
        return true;
    case SpvOpArrayLength:
        array_length(s, in);
        return true;
    default:
        return false;
    }
}
