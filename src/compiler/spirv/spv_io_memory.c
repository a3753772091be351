/* SPDX-License-Identifier: MIT
 *
 * Inputs and outputs that live in memory: those of patches, and the outputs of mesh shaders. Invocations access
 * elements of other invocations, with variable indices, so there are no copies in variables of the program. Each scalar
 * of a vertex or primitive is a word of its record, each scalar of a whole patch one of the patch's words.
 */
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_small.h"
#include "hw/qpu.h"

#define ROW_B (4u * QPU_LANES)

bool spv_io_is_in_memory(const struct spv *s, const struct spv_var *var)
{
    return spv_is_of_patch(s, var) || spv_is_of_mesh(s, var);
}

uint32_t spv_record_word(uint32_t builtin, uint32_t location, uint32_t component)
{
    switch (builtin) {
    case SPV_NO_NUMBER:
        return VC4C_RECORD_USER + 4 * location + component;
    case SpvBuiltInPosition:
        return VC4C_RECORD_POSITION + MIN2(component, 3u);
    case SpvBuiltInPointSize:
        return VC4C_RECORD_POINT_SIZE;
    case SpvBuiltInClipDistance:
        return component < 8 ? VC4C_RECORD_CLIP + component : VC4C_RECORD_WORDS;
    case SpvBuiltInCullDistance:
        return component < 8 ? VC4C_RECORD_CULL + component : VC4C_RECORD_WORDS;
    case SpvBuiltInLayer:
        return VC4C_RECORD_LAYER;
    case SpvBuiltInViewportIndex:
        return VC4C_RECORD_VIEWPORT;
    case SpvBuiltInPrimitiveId:
        return VC4C_RECORD_PRIMITIVE;
    default:
        return VC4C_RECORD_WORDS;
    }
}

uint32_t spv_io_word(const struct spv *s, const struct spv_var *var, uint32_t number, uint32_t location,
                     uint32_t component)
{
    return spv_is_of_primitives(s, var) ? spv_mesh_primitive_word(number, location, component)
           : var->of_vertices           ? spv_record_word(number, location, component)
                                        : spv_patch_word(number, location, component);
}

struct ir_instr *spv_record_address(struct spv *s, struct ir_instr *first, struct ir_instr *stride,
                                    struct ir_instr *index, uint32_t count)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *block = first, *in_block = index;
    if (count > QPU_LANES) {
        struct ir_instr *number = ir_build2(b, IR_SHR, index, ir_const(b, 4));
        block = ir_build2(b, IR_IADD, block, ir_build2(b, IR_MUL24, number, stride));
        in_block = ir_build2(b, IR_AND, index, ir_const(b, QPU_LANES - 1));
    }
    return ir_build2(b, IR_IADD, block, ir_build2(b, IR_SHL, in_block, ir_const(b, 2)));
}

/* ---------------------------------------------------------------- places */

/* Where a scalar is. */
struct place {
    struct ir_instr *vertex; /* index, or NULL */
    uint32_t vertex_number;  /* if the index is constant */
    uint32_t word;           /* of the record or the patch; the number of words: the scalar is nowhere */
    struct ir_instr *offset; /* bytes to be added, or NULL */
};

static uint32_t unit_B(const struct spv_var *var)
{
    return var->of_vertices ? ROW_B : 4;
}

static uint32_t word_count(const struct spv_var *var)
{
    return var->of_vertices ? VC4C_RECORD_WORDS : VC4C_PATCH_WORDS;
}

static uint32_t word_at(struct spv *s, const struct spv_var *var, uint32_t scalar)
{
    const uint32_t scalars = var->of_vertices ? var->type->elem->scalars : var->type->scalars;
    if (scalar >= scalars)
        spv_invalid(s, "an access beyond the end of a variable of %u scalars", scalars);
    return var->io_words[scalar];
}

/* Adds a variable index, of elements of which the first one's scalar is `scalar`. Elements are equally far apart: each
 * takes as many words as the other. */
static void add_index(struct spv *s, const struct spv_var *var, struct place *place, uint32_t scalar,
                      const struct spv_step *step)
{
    struct ir_builder *b = &s->b;
    const uint32_t next = word_at(s, var, scalar + step->scalars);
    word_at(s, var, scalar + (step->count - 1) * step->scalars);
    if (place->word >= word_count(var) || next >= word_count(var)) {
        place->word = word_count(var);
        return;
    }
    struct ir_instr *index = ir_build2(b, IR_UMIN, step->index, ir_const(b, step->count - 1));
    struct ir_instr *offset = ir_build2(b, IR_MUL24, index, ir_const(b, (next - place->word) * unit_B(var)));
    place->offset = place->offset ? ir_build2(b, IR_IADD, place->offset, offset) : offset;
}

/* Scalar number `i` of the pointee. */
static struct place place_of(struct spv *s, const struct spv_pointer *p, uint32_t i)
{
    const struct spv_var *var = p->var;
    struct place place = {.vertex = NULL};
    uint32_t scalar = p->scalar + i;
    const uint32_t of_vertex = var->of_vertices ? var->type->elem->scalars : UINT32_MAX;
    place.vertex_number = scalar / of_vertex;
    scalar %= of_vertex;
    place.word = word_at(s, var, scalar);
    for (uint32_t k = 0; k < p->step_count; k++) {
        const struct spv_step *step = &p->steps[k];
        if (step->count <= 1)
            continue;
        if (step->scalars == of_vertex)
            place.vertex = step->index;
        else
            add_index(s, var, &place, scalar, step);
    }
    return place;
}

/* ---------------------------------------------------------------- addresses */

static struct ir_instr *address_of(struct spv *s, const struct spv_var *var, const struct place *place)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *index = place->vertex ? place->vertex : ir_const(b, place->vertex_number);
    struct ir_instr *base = !var->of_vertices        ? s->patch_own
                            : spv_is_of_mesh(s, var) ? spv_mesh_record(s, var, index)
                                                     : spv_patch_record(s, var, index);
    const uint32_t fixed_B = place->word * unit_B(var);
    struct ir_instr *address = fixed_B ? ir_build2(b, IR_IADD, base, ir_const(b, fixed_B)) : base;
    return place->offset ? ir_build2(b, IR_IADD, address, place->offset) : address;
}

/* ---------------------------------------------------------------- loads and stores */

static bool is_half(const struct spv_type *t)
{
    return t->kind == SPV_TYPE_FLOAT && t->bits == 16;
}

struct ir_instr **spv_io_load(struct spv *s, const struct spv_pointer *p)
{
    struct ir_builder *b = &s->b;
    struct ir_instr **out = spv_new_scalars(s, p->type->scalars);
    const bool may_change = p->var->storage == SpvStorageClassOutput;
    spv_spend(s, p->type->scalars);
    for (uint32_t i = 0; i < p->type->scalars; i++) {
        const struct spv_type *t = spv_scalar_at(p->type, i);
        const struct place place = place_of(s, p, i);
        out[i] = ir_const(b, 0);
        if (place.word < word_count(p->var))
            out[i] = spv_load_word(s, address_of(s, p->var, &place), may_change);
        if (spv_scalar_bits(t) == 1)
            out[i] = ir_build2(b, IR_INE, out[i], ir_const(b, 0));
        else if (is_half(t))
            out[i] = ir_build1(b, IR_FLOAT_TO_HALF, out[i]);
    }
    return out;
}

static struct ir_instr *stored_word(struct spv *s, const struct spv_type *t, struct ir_instr *value)
{
    if (spv_scalar_bits(t) == 1)
        return ir_build3(&s->b, IR_SEL, value, ir_const(&s->b, 1), ir_const(&s->b, 0));
    return is_half(t) ? ir_build1(&s->b, IR_HALF_TO_FLOAT, value) : spv_widened(&s->b, t, value);
}

/* Of a store with a variable index, any word of the variable may be meant. */
static void note_store(struct spv *s, const struct spv_var *var, const struct place *place)
{
    if (!spv_is_of_mesh(s, var))
        return;
    if (!place->offset)
        spv_note_mesh_word(s, var, place->word);
    for (uint32_t i = 0; place->offset && i < var->type->elem->scalars; i++)
        spv_note_mesh_word(s, var, var->io_words[i]);
}

void spv_io_store(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars)
{
    if (p->var->storage != SpvStorageClassOutput)
        spv_invalid(s, "a store to an input");
    spv_spend(s, p->type->scalars);
    for (uint32_t i = 0; i < p->type->scalars; i++) {
        const struct place place = place_of(s, p, i);
        note_store(s, p->var, &place);
        if (place.word >= word_count(p->var))
            continue;
        struct ir_instr *word = stored_word(s, spv_scalar_at(p->type, i), scalars[i]);
        ir_build2(&s->b, IR_STORE_RECORD, address_of(s, p->var, &place), word)->imm = IR_RECORD_ADDRESS;
    }
}
