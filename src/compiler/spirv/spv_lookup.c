/* SPDX-License-Identifier: MIT
 *
 * Lookups of images and samplers that only the addresses of their descriptors tell, because one of them is in an array
 * in memory of the set, or because indices select from more pairs of both than a program can list. What code such a
 * lookup needs is not known when the program is compiled, so the CPU engine performs it (hw/descriptor.h): the program
 * stores arguments in slots of its scratch memory and loads the results from others. All lookups of a program use the
 * same slots. Loads and stores of scratch memory stay in their order.
 */
#include "compiler/spirv/spv_engine.h"
#include "hw/qpu.h"

#define SLOT_B     (4u * QPU_LANES)
#define ALL_LANES  1u /* imm of IR_SCRATCH_LOAD and IR_SCRATCH_STORE */
#define IDLE_ARE_0 2u

struct arguments {
    struct spv *s;
    struct ir_instr *address; /* of the lane's word in the first slot */
};

static bool is_in_memory(const struct spv *s, const struct spv_pointer *p)
{
    return p && spv_descriptor_stride_B(s, p->var);
}

bool spv_is_looked_up_by_address(const struct spv *s, const struct spv_texture *t)
{
    return is_in_memory(s, t->pointer) || (t->has_sampler && is_in_memory(s, t->sampler_pointer));
}

/* ---------------------------------------------------------------- slots */

static struct arguments begin(struct spv *s)
{
    struct ir_builder *b = &s->b;
    if (!s->lookup_slots) {
        s->lookup_slots = s->shader->spill_slots + 1;
        s->shader->spill_slots += HW_LOOKUP_SLOTS;
    }
    struct ir_instr *own =
        ir_build2(b, IR_MUL24, ir_build0(b, IR_QPU_NUMBER), ir_uniform(b, VC4C_UNIFORM_ENGINE_SCRATCH_B, 0, 0));
    own = ir_build2(b, IR_IADD, own, ir_build2(b, IR_SHL, ir_build0(b, IR_ELEMENT), ir_const(b, 2)));
    struct ir_instr *first = ir_uniform(b, VC4C_UNIFORM_ENGINE_SCRATCH, 0, SLOT_B * (s->lookup_slots - 1));
    return (struct arguments){s, ir_build2(b, IR_IADD, first, own)};
}

static struct ir_instr *slot(const struct arguments *a, uint32_t number)
{
    struct ir_builder *b = &a->s->b;
    return number ? ir_build2(b, IR_IADD, a->address, ir_const(b, SLOT_B * number)) : a->address;
}

static void put(const struct arguments *a, uint32_t number, struct ir_instr *word)
{
    ir_build2(&a->s->b, IR_SCRATCH_STORE, slot(a, number), word)->imm = ALL_LANES;
}

static struct ir_instr *get(const struct arguments *a, uint32_t number)
{
    struct ir_instr *load = ir_build1(&a->s->b, IR_SCRATCH_LOAD, slot(a, number));
    load->imm = ALL_LANES;
    return load;
}

static void run(const struct arguments *a)
{
    struct ir_builder *b = &a->s->b;
    struct ir_instr *lane = ir_build2(b, IR_SHL, ir_build0(b, IR_ELEMENT), ir_const(b, 2));
    ir_build2(b, IR_SCRATCH_STORE, ir_build2(b, IR_IADD, lane, ir_const(b, HW_LOOKUP_ADDR)), a->address)->imm =
        IDLE_ARE_0;
}

/* ---------------------------------------------------------------- descriptors */

/* The other half of a lookup may be an ordinary binding. Its descriptors are then wanted in the binding table. */
static struct ir_instr *descriptor(struct spv *s, const struct spv_pointer *p)
{
    struct ir_instr *address = spv_descriptor_address(s, p->var, p->element, p->element_index);
    struct vc4c_resource *r = &s->shader->resources[spv_use_binding(s, p->var)];
    if (r->access == VC4C_ACCESS_USUAL)
        r->access = VC4C_ACCESS_TABLE;
    return address;
}

static struct ir_instr *sampler(struct spv *s, const struct spv_pointer *p)
{
    struct ir_instr *address = descriptor(s, p);
    if (spv_descriptor_stride_B(s, p->var) <= HW_SAMPLER_OFFSET_B)
        return address;
    return ir_build2(&s->b, IR_IADD, address, ir_const(&s->b, HW_SAMPLER_OFFSET_B));
}

/* ---------------------------------------------------------------- arguments */

static enum hw_lookup_kind kind_of(enum ir_sample_kind kind)
{
    switch (kind) {
    case IR_SAMPLE_FETCH:
        return HW_LOOKUP_FETCH;
    case IR_SAMPLE_GATHER:
        return HW_LOOKUP_GATHER;
    case IR_SAMPLE_QUERY_SIZE:
        return HW_LOOKUP_QUERY_SIZE;
    case IR_SAMPLE_QUERY_LEVELS:
        return HW_LOOKUP_QUERY_LEVELS;
    case IR_SAMPLE_QUERY_SAMPLES:
        return HW_LOOKUP_QUERY_SAMPLES;
    case IR_SAMPLE_QUERY_LOD:
        return HW_LOOKUP_QUERY_LOD;
    case IR_SAMPLE_IMPLICIT:
    case IR_SAMPLE_EXPLICIT_LOD:
    case IR_SAMPLE_GRAD:
        break;
    }
    return HW_LOOKUP_FILTERED;
}

static enum hw_lookup_dim dim_of(struct spv *s, enum ir_sample_dim dim)
{
    switch (dim) {
    case IR_DIM_1D:
        return HW_LOOKUP_1D;
    case IR_DIM_2D:
        return HW_LOOKUP_2D;
    case IR_DIM_3D:
        return HW_LOOKUP_3D;
    case IR_DIM_CUBE:
        return HW_LOOKUP_CUBE;
    case IR_DIM_BUFFER:
        return HW_LOOKUP_BUFFER;
    case IR_DIM_SUBPASS:
        break;
    }
    spv_unsupported(s, "an input attachment in an array in memory of the set");
}

/* The sources of the instruction, taken apart. */
struct sources {
    struct ir_instr *coord[3], *layer, *reference, *lod, *dx[3], *dy[3], *offset[3], *sample;
    uint32_t axes;
};

static void take(const struct sources *o, struct ir_instr *const *srcs, uint32_t *at, struct ir_instr **to)
{
    for (uint32_t i = 0; i < o->axes; i++)
        to[i] = srcs[(*at)++];
}

/* Derivatives are of coordinates after the projection. */
static void derive(struct ir_builder *b, struct sources *o)
{
    for (uint32_t i = 0; i < o->axes; i++) {
        o->dx[i] = ir_build1(b, IR_DDX, o->coord[i]);
        o->dy[i] = ir_build1(b, IR_DDY, o->coord[i]);
    }
}

static void project(struct ir_builder *b, struct sources *o, struct ir_instr *projector)
{
    struct ir_instr *scale = ir_build1(b, IR_FRCP, projector);
    for (uint32_t i = 0; i < o->axes; i++)
        o->coord[i] = ir_build2(b, IR_FMUL, o->coord[i], scale);
    if (o->reference)
        o->reference = ir_build2(b, IR_FMUL, o->reference, scale);
}

static void find_sources(struct spv *s, const struct ir_sample *sample, struct ir_instr *const *srcs, struct sources *o)
{
    struct ir_builder *b = &s->b;
    const bool is_query = sample->kind == IR_SAMPLE_QUERY_SIZE || sample->kind == IR_SAMPLE_QUERY_LEVELS ||
                          sample->kind == IR_SAMPLE_QUERY_SAMPLES;
    const bool is_automatic = sample->kind == IR_SAMPLE_IMPLICIT || sample->kind == IR_SAMPLE_QUERY_LOD;
    struct ir_instr *projector = NULL;
    uint32_t at = 0;
    *o = (struct sources){.axes = is_query ? 0 : MIN2((uint32_t)(sample->coord_count - sample->is_array), 3u)};
    take(o, srcs, &at, o->coord);
    if (sample->is_array && !is_query)
        o->layer = srcs[at++];
    if (sample->projected)
        projector = srcs[at++];
    if (sample->shadow)
        o->reference = srcs[at++];
    if (sample->has_bias || sample->has_lod)
        o->lod = srcs[at++];
    if (sample->kind == IR_SAMPLE_GRAD) {
        take(o, srcs, &at, o->dx);
        take(o, srcs, &at, o->dy);
    }
    for (uint32_t i = 0; i < o->axes; i++) {
        if (sample->has_offset)
            o->offset[i] = srcs[at++];
        else if (sample->offset[i])
            o->offset[i] = ir_const(b, (uint32_t)(int32_t)sample->offset[i]);
    }
    if (sample->multisampled && sample->kind == IR_SAMPLE_FETCH)
        o->sample = srcs[at];
    if (projector)
        project(b, o, projector);
    if (is_automatic && s->shader->has_quads)
        derive(b, o);
}

static bool any(struct ir_instr *const words[3])
{
    return words[0] || words[1] || words[2];
}

static void put_three(const struct arguments *a, uint32_t first, struct ir_instr *const words[3])
{
    for (uint32_t i = 0; i < 3 && any(words); i++)
        put(a, first + i, words[i] ? words[i] : ir_const(&a->s->b, 0));
}

static void put_if(const struct arguments *a, uint32_t number, struct ir_instr *word)
{
    if (word)
        put(a, number, word);
}

static uint32_t what_of(struct spv *s, const struct ir_sample *sample, const struct sources *o)
{
    return kind_of((enum ir_sample_kind)sample->kind) | (uint32_t)dim_of(s, (enum ir_sample_dim)sample->dim) << 3 |
           (sample->is_array ? HW_LOOKUP_IS_ARRAY : 0) | (sample->shadow ? HW_LOOKUP_COMPARES : 0) |
           (sample->integer ? HW_LOOKUP_IS_INTEGER : 0) | (o->lod ? HW_LOOKUP_HAS_LOD : 0) |
           (any(o->dx) ? HW_LOOKUP_HAS_STEPS : 0) | (any(o->offset) ? HW_LOOKUP_HAS_OFFSET : 0) |
           (o->sample ? HW_LOOKUP_HAS_SAMPLE : 0) | (uint32_t)(sample->gather_component & 3) << 13;
}

void spv_look_up_by_address(struct spv *s, const struct ir_sample *sample, struct ir_instr *const *srcs,
                            const struct spv_texture *texture, struct ir_instr **out, uint32_t count)
{
    struct sources o;
    find_sources(s, sample, srcs, &o);
    struct ir_instr *view = descriptor(s, texture->pointer);
    struct ir_instr *with = texture->has_sampler ? sampler(s, texture->sampler_pointer) : NULL;
    const struct arguments a = begin(s);
    put(&a, HW_LOOKUP_WHAT, ir_const(&s->b, what_of(s, sample, &o)));
    put(&a, HW_LOOKUP_VIEW, view);
    put(&a, HW_LOOKUP_SAMPLER, with ? with : ir_const(&s->b, 0));
    put_three(&a, HW_LOOKUP_S, o.coord);
    put_if(&a, HW_LOOKUP_LAYER, o.layer);
    put_if(&a, HW_LOOKUP_REFERENCE, o.reference);
    put_if(&a, HW_LOOKUP_LOD, o.lod);
    put_three(&a, HW_LOOKUP_DX, o.dx);
    put_three(&a, HW_LOOKUP_DY, o.dy);
    put_three(&a, HW_LOOKUP_OFFSET, o.offset);
    put_if(&a, HW_LOOKUP_SAMPLE, o.sample);
    run(&a);
    for (uint32_t i = 0; i < count; i++)
        out[i] = get(&a, HW_LOOKUP_RESULT + i);
}
