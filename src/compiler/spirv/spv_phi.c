/* SPDX-License-Identifier: MIT
 *
 * Phis. Each phi gets IR variables when its function is inlined: branches store to them, and the phi loads them. For a
 * phi of pointers that are no values (spv_pointer.c), the variables hold the parts of the pointer that are not constant.
 */
#include "compiler/spirv/spv.h"

/* Variable indices, byte offset, descriptor index, texel address. */
#define POINTER_PARTS (SPV_MAX_STEPS + 3u)

/* ---------------------------------------------------------------- collecting */

/* A pointer that is not a value: its sources have to have the same constant parts. */
static bool is_merged_pointer(const struct spv_type *t)
{
    return t->kind == SPV_TYPE_POINTER && !t->scalars;
}

static void collect_phi(struct spv *s, uint32_t label, const struct spv_instr *in)
{
    struct spv_phi *phi = util_arena_new(s->arena, struct spv_phi);
    s->offset = in->offset;
    *phi = (struct spv_phi){.next = s->phis[label], .in = *in, .type = spv_type(s, in->words[1])};
    if (phi->type->scalars > SPV_MAX_SCALARS)
        spv_unsupported(s, "a phi of %u scalars, the limit is %u", phi->type->scalars, SPV_MAX_SCALARS);
    phi->variables = s->shader->variable_count;
    const uint32_t parts = is_merged_pointer(phi->type) ? POINTER_PARTS : 0;
    for (uint32_t i = 0; i < phi->type->scalars + parts; i++)
        spv_new_ir_variable(s, 1, parts ? 32 : spv_scalar_bits(spv_scalar_at(phi->type, i)));
    s->phis[label] = phi;
}

void spv_collect_phis(struct spv *s, uint32_t offset)
{
    uint32_t label = 0;
    for (; offset < s->m->word_count; offset += spv_instr_at(s->m, offset).count) {
        struct spv_instr in = spv_instr_at(s->m, offset);
        spv_spend(s, 1);
        if (in.op == SpvOpFunctionEnd)
            return;
        if (in.op == SpvOpLabel) {
            label = in.words[1];
            s->phis[label] = NULL;
        }
        if (in.op == SpvOpPhi)
            collect_phi(s, label, &in);
    }
    spv_invalid(s, "a function without OpFunctionEnd");
}

uint32_t spv_phi_source(const struct spv_instr *in)
{
    uint32_t source = SPV_NO_NUMBER;
    for (uint32_t i = 3; i + 1 < in->count; i += 2) {
        if (in->words[i] == in->words[2])
            continue;
        if (source != SPV_NO_NUMBER && in->words[i] != source)
            return SPV_NO_NUMBER;
        source = in->words[i];
    }
    return source;
}

/* ---------------------------------------------------------------- pointers */

static void list_parts(struct spv_pointer *p, struct ir_instr **out[POINTER_PARTS])
{
    for (uint32_t k = 0; k < SPV_MAX_STEPS; k++)
        out[k] = &p->steps[k].index;
    out[SPV_MAX_STEPS] = &p->offset;
    out[SPV_MAX_STEPS + 1] = &p->element_index;
    out[SPV_MAX_STEPS + 2] = &p->address;
}

static bool have_same_constant_parts(const struct spv_pointer *a, const struct spv_pointer *b)
{
    for (uint32_t k = 0; k < a->step_count && a->step_count == b->step_count; k++)
        if (a->steps[k].count != b->steps[k].count || a->steps[k].scalars != b->steps[k].scalars)
            return false;
    return a->type == b->type && a->storage == b->storage && a->var == b->var && a->scalar == b->scalar &&
           a->step_count == b->step_count && a->offset_B == b->offset_B && !a->offset == !b->offset &&
           a->dynamic_max_B == b->dynamic_max_B && a->dynamic_step_B == b->dynamic_step_B &&
           a->matrix_stride_B == b->matrix_stride_B && a->row_major == b->row_major &&
           a->is_row_major_column == b->is_row_major_column && a->element == b->element &&
           !a->element_index == !b->element_index && a->element_count == b->element_count && !a->address == !b->address;
}

/* Without variable pointers a phi of pointers is not valid SPIR-V, but spirv-opt's loop passes produce them, and all
 * drivers accept them. Their sources point to the same place, or differ only in variable indices; other phis of
 * pointers are refused. */
static void store_pointer(struct spv *s, struct spv_phi *phi, const struct spv_pointer *from)
{
    struct spv_pointer p = *from;
    struct ir_instr **parts[POINTER_PARTS];
    if (!phi->pointer) {
        phi->pointer = util_arena_new(s->arena, struct spv_pointer);
        *phi->pointer = p;
    }
    if (!have_same_constant_parts(&p, phi->pointer))
        spv_unsupported(s, "a phi of pointers to different places");
    list_parts(&p, parts);
    for (uint32_t k = 0; k < POINTER_PARTS; k++)
        if (*parts[k])
            spv_store_var(s, phi->variables + k, 0, *parts[k]);
}

static void load_pointer(struct spv *s, const struct spv_phi *phi)
{
    struct ir_instr **parts[POINTER_PARTS];
    struct spv_pointer *p = util_arena_new(s->arena, struct spv_pointer);
    *p = *phi->pointer;
    list_parts(p, parts);
    for (uint32_t k = 0; k < POINTER_PARTS; k++)
        if (*parts[k])
            *parts[k] = spv_load_var(s, phi->variables + k, 0);
    spv_define_pointer(s, phi->in.words[2], p);
}

/* ---------------------------------------------------------------- storing and loading */

static void store_phi(struct spv *s, struct spv_phi *phi, uint32_t from)
{
    spv_spend(s, 1 + phi->in.count / 2u);
    for (uint32_t i = 3; i + 1 < phi->in.count; i += 2) {
        const uint32_t source = phi->in.words[i];
        if (phi->in.words[i + 1] != from)
            continue;
        if (is_merged_pointer(phi->type)) {
            store_pointer(s, phi, spv_pointer(s, source));
            return;
        }
        if (!spv_has_values(phi->type)) /* an image or a sampler: spv_load_phi() uses its single source directly */
            return;
        if (spv_type_of(s, source)->scalars != phi->type->scalars)
            spv_invalid(s, "a source of a phi has another type than the phi");
        struct ir_instr **values = spv_value(s, source);
        for (uint32_t k = 0; k < phi->type->scalars; k++)
            spv_store_var(s, phi->variables + k, 0, values[k]);
        return;
    }
}

void spv_store_phis(struct spv *s, uint32_t from, uint32_t to)
{
    for (struct spv_phi *phi = s->phis[to]; phi; phi = phi->next)
        store_phi(s, phi, from);
}

static void rename_texture(struct spv *s, const struct spv_instr *in)
{
    const uint32_t source = spv_phi_source(in);
    if (source == SPV_NO_NUMBER || s->ids[source].kind != SPV_TEXTURE)
        spv_unsupported(s, "a phi of different images or samplers");
    s->ids[in->words[2]] = s->ids[source];
}

void spv_load_phi(struct spv *s, uint32_t label, const struct spv_instr *in)
{
    const struct spv_phi *phi = s->phis[label];
    for (; phi && phi->in.offset != in->offset; phi = phi->next)
        spv_spend(s, 1);
    if (!phi)
        spv_invalid(s, "a phi outside of any block");
    if (phi->pointer) {
        load_pointer(s, phi);
        return;
    }
    if (!spv_has_values(phi->type)) {
        rename_texture(s, in);
        return;
    }
    struct ir_instr **out = spv_define(s, in->words[2], phi->type, NULL);
    for (uint32_t k = 0; k < phi->type->scalars; k++)
        out[k] = spv_load_var(s, phi->variables + k, 0);
}
