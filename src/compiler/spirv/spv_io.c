/* SPDX-License-Identifier: MIT
 *
 * Inputs and outputs. Both are variables of the program: inputs are copied into their variables before the entry point
 * runs, outputs out of theirs after it. Dead code elimination removes the copies that are not used. Between stages, in
 * vertex attributes and colours, numbers of 16 bits are numbers of 32 bits of the same kind. The conversions of halves
 * are operations of the IR, so that the lowering leaves them out where the attribute or the colour is a half as well.
 */
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_small.h"

#define MAX_CLIP_DISTANCES 8u

struct interpolation {
    bool flat, noperspective, centroid, sample;
};

/* One scalar of an input or output variable. */
struct io_scalar {
    uint32_t index;              /* in the flattened variable */
    uint32_t location, component;
    uint32_t builtin;            /* SPV_NO_NUMBER for user-defined ones */
    const struct spv_decor *decor; /* of the variable or of the innermost member */
    struct interpolation interpolation; /* from the variable and all members that contain the scalar */
    const struct spv_type *type;
    struct ir_instr *const *offset; /* inputs: offset from the centre in x and y pixels; NULL: as declared */
    uint32_t vertex;         /* inputs of geometry shaders: of the primitive's vertices; SPV_NO_NUMBER: of none */
    struct ir_instr *number; /* outputs of geometry shaders: the emitted vertex */
    uint32_t capture_B;      /* outputs: where transform feedback stores it; SPV_NO_NUMBER: nowhere */
    uint32_t capture_buffer, stream;
};

static bool is_half(const struct spv_type *t)
{
    return t->kind == SPV_TYPE_FLOAT && t->bits == 16;
}

struct io_walk {
    struct spv *s;
    struct spv_var *var;
    const struct spv_decor *decor;
    struct interpolation interpolation;
    uint32_t index, location, component, builtin, builtin_component;
    struct ir_instr *const *offset;
    uint32_t vertex;
    struct ir_instr *number;
    uint32_t capture_B, capture_buffer, capture_stride_B, stream;
    uint32_t instance; /* of an array of blocks, each of which is captured in a buffer of its own */
    void (*visit)(struct spv *s, struct spv_var *var, const struct io_scalar *scalar);
};

/* The outputs of vc4c_pass_through() that no shader of the application has. */
static bool passes_stipple(const struct io_walk *w)
{
    return w->s->entry->stage == VC4C_STAGE_VERTEX && w->s->entry->stipples &&
           w->var->storage == SpvStorageClassOutput && w->location == VC4C_STIPPLE_LOCATION;
}

/* The locations that the variable may have. Attributes have more than an application can bind, for records. */
static uint32_t locations(const struct io_walk *w)
{
    const bool is_attribute = w->s->entry->stage == VC4C_STAGE_VERTEX && w->var->storage == SpvStorageClassInput;
    return is_attribute ? VC4C_MAX_ATTRIBUTES : IR_USER_LOCATIONS;
}

static void visit_word(struct io_walk *w, const struct spv_type *t, uint32_t component)
{
    if (w->index >= w->var->type->scalars)
        spv_invalid(w->s, "an input or output of a type that is made of no numbers");
    struct io_scalar scalar = {.index = w->index++,
                               .location = w->location,
                               .component = w->component + component,
                               .builtin = w->builtin,
                               .decor = w->decor,
                               .interpolation = w->interpolation,
                               .type = t,
                               .offset = w->offset,
                               .vertex = w->vertex,
                               .number = w->number,
                               .capture_B = w->capture_B,
                               .capture_buffer = w->capture_buffer + w->instance,
                               .stream = w->stream};
    if (w->capture_B != SPV_NO_NUMBER)
        w->capture_B += 4;
    if (w->builtin != SPV_NO_NUMBER)
        scalar.component = w->builtin_component++;
    else if ((scalar.location >= locations(w) && !passes_stipple(w)) || scalar.component > 3)
        spv_unsupported(w->s, "location %u, component %u, the limits are %u and 3", scalar.location, scalar.component,
                        locations(w) - 1);
    w->visit(w->s, w->var, &scalar);
}

/* Captured numbers of 64 bits, and structs with such numbers, begin and end at multiples of 8 bytes. */
static void align_capture(struct io_walk *w)
{
    if (w->capture_B != SPV_NO_NUMBER)
        w->capture_B = util_align(w->capture_B, 8);
}

static bool has_wide(const struct spv_type *t)
{
    bool wide = false;
    if (!t->scalars)
        return false;
    while (t->kind == SPV_TYPE_VECTOR || t->kind == SPV_TYPE_MATRIX || t->kind == SPV_TYPE_ARRAY)
        t = t->elem;
    for (uint32_t i = 0; t->kind == SPV_TYPE_STRUCT && i < t->count && !wide; i++)
        wide = has_wide(t->members[i]);
    return wide || (t->kind != SPV_TYPE_STRUCT && spv_is_wide(t));
}

/* Component `index` of a vector, or a scalar. Components of 64 bits take two each; those of a vector of three or four
 * continue in the next location. [Vulkan, "Location Assignment" and "Component Assignment"] */
static void visit_scalar(struct io_walk *w, const struct spv_type *t, uint32_t index)
{
    if (!spv_is_wide(t)) {
        visit_word(w, t, index);
        return;
    }
    if (index == 2) {
        w->location++;
        w->component = 0;
    }
    align_capture(w);
    for (uint32_t word = 0; word < 2; word++)
        visit_word(w, t, 2 * (index % 2) + word);
}

/* Adds a member's own decorations to those of the enclosing object. */
static struct interpolation interpolation_of(struct interpolation outer, const struct spv_decor *d)
{
    return (struct interpolation){.flat = outer.flat || d->flat || d->per_primitive,
                                  .noperspective = outer.noperspective || d->noperspective,
                                  .centroid = outer.centroid || d->centroid,
                                  .sample = outer.sample || d->sample};
}

/* Takes over what an output's own decorations say about transform feedback. Of blocks, only members with an offset are
 * captured; the numbers of a captured composite follow each other. */
static void begin_capture(struct io_walk *w, const struct spv_decor *d, bool is_whole)
{
    if (d->capture_buffer != SPV_NO_NUMBER)
        w->capture_buffer = d->capture_buffer;
    if (d->capture_stride_B != SPV_NO_NUMBER)
        w->capture_stride_B = d->capture_stride_B;
    if (d->stream != SPV_NO_NUMBER)
        w->stream = d->stream;
    const bool is_captured = w->capture_buffer != SPV_NO_NUMBER && d->offset_B != SPV_NO_NUMBER;
    if (is_captured || is_whole)
        w->capture_B = is_captured ? d->offset_B : SPV_NO_NUMBER;
}

/* A vector takes one location, or two if it is larger than 128 bits, a matrix as many for each column, an array or
 * struct the sum of its parts. */
static void walk_type(struct io_walk *w, const struct spv_type *t)
{
    const struct interpolation outer = w->interpolation;
    if (t->is_empty)
        return;
    switch ((enum spv_type_kind)t->kind) {
    case SPV_TYPE_VECTOR:
        for (uint32_t i = 0; i < t->count; i++)
            visit_scalar(w, t->elem, i);
        w->location++;
        return;
    case SPV_TYPE_MATRIX:
    case SPV_TYPE_ARRAY:
        for (uint32_t i = 0; i < t->count; i++) {
            walk_type(w, t->elem);
            w->instance += t->elem->kind == SPV_TYPE_STRUCT && t->elem->decor->block;
        }
        return;
    case SPV_TYPE_STRUCT: {
        const bool aligns = w->capture_B != SPV_NO_NUMBER && !t->decor->block && has_wide(t);
        if (aligns)
            align_capture(w);
        for (uint32_t i = 0; i < t->count; i++) {
            const struct spv_decor *d = t->layouts[i];
            if (d->location != SPV_NO_NUMBER)
                w->location = d->location;
            w->component = d->component != SPV_NO_NUMBER ? d->component : 0;
            w->builtin = d->builtin;
            w->builtin_component = 0;
            w->decor = d;
            w->interpolation = interpolation_of(outer, d);
            begin_capture(w, d, t->decor->block);
            walk_type(w, t->members[i]);
        }
        if (aligns)
            align_capture(w);
        w->interpolation = outer;
        return;
    }
    default:
        visit_scalar(w, t, 0);
        w->location++;
        return;
    }
}

/* Walks the variable, or one element of an array that has an element for each vertex. */
static void walk_whole(struct io_walk *w, const struct spv_type *type)
{
    const struct spv_decor *d = w->var->decor;
    w->decor = d;
    w->builtin = d->builtin;
    w->builtin_component = 0;
    w->interpolation = interpolation_of((struct interpolation){.flat = false}, d);
    w->location = d->location != SPV_NO_NUMBER ? d->location : 0;
    w->component = d->component != SPV_NO_NUMBER ? d->component : 0;
    w->capture_buffer = w->capture_stride_B = SPV_NO_NUMBER;
    w->stream = w->instance = 0;
    begin_capture(w, d, true);
    walk_type(w, type);
}

static void walk_var_at(struct spv *s, struct spv_var *var, struct ir_instr *const *offset,
                        void (*visit)(struct spv *s, struct spv_var *var, const struct io_scalar *scalar))
{
    struct io_walk w = {.s = s, .var = var, .offset = offset, .vertex = SPV_NO_NUMBER, .visit = visit};
    const bool is_per_vertex = s->entry->stage == VC4C_STAGE_GEOMETRY && var->storage == SpvStorageClassInput &&
                               var->type->kind == SPV_TYPE_ARRAY;
    if (!is_per_vertex) {
        walk_whole(&w, var->type);
        return;
    }
    for (w.vertex = 0; w.vertex < var->type->count; w.vertex++)
        walk_whole(&w, var->type->elem);
}

static void walk_var(struct spv *s, struct spv_var *var,
                     void (*visit)(struct spv *s, struct spv_var *var, const struct io_scalar *scalar))
{
    walk_var_at(s, var, NULL, visit);
}

/* Stages whose outputs are those of vertices that are drawn. */
static bool shades_vertices(const struct spv *s)
{
    return s->entry->stage == VC4C_STAGE_VERTEX || s->entry->stage == VC4C_STAGE_TESS_EVALUATION;
}

/* ---------------------------------------------------------------- clip distances */

/* The chip clips only against the view volume. Clip distances are therefore varyings, and the fragment program clears
 * the coverage where one of them is negative. Cull distances are handled by vertex programs that read the whole
 * primitive. */
static bool is_distance(struct spv *s, const struct io_scalar *io, bool is_of_stage)
{
    if ((io->builtin != SpvBuiltInClipDistance && io->builtin != SpvBuiltInCullDistance) || !is_of_stage)
        return false;
    if (io->component >= MAX_CLIP_DISTANCES)
        spv_unsupported(s, "more than %u clip or cull distances", MAX_CLIP_DISTANCES);
    return true;
}

static uint32_t distance_location(const struct io_scalar *io)
{
    return (io->builtin == SpvBuiltInClipDistance ? IR_CLIP_LOCATION : IR_CULL_LOCATION) + io->component / 4;
}

static struct ir_instr *load_distance(struct spv *s, uint32_t location, uint32_t component)
{
    struct ir_instr *load = ir_build0(&s->b, IR_LOAD_INPUT);
    load->imm = location;
    load->imm2 = component;
    return load;
}

/* Stores the clip distances to a built-in that fragment programs do not have. The lowering of outputs turns it into
 * coverage. */
static void store_clip_coverage(struct spv *s)
{
    for (uint32_t i = 0; i < MAX_CLIP_DISTANCES; i++) {
        if (s->entry->stage != VC4C_STAGE_FRAGMENT || !(s->entry->clip_distances & BIT(i)))
            continue;
        struct ir_instr *store =
            ir_build1(&s->b, IR_STORE_BUILTIN, load_distance(s, IR_CLIP_LOCATION + i / 4, i % 4));
        store->imm = SpvBuiltInClipDistance;
        store->imm2 = i;
    }
}

/* ---------------------------------------------------------------- inputs */

/* A scalar of one of the primitive's vertices. Elements that the primitive does not have, and built-ins that no record
 * has, are zero. */
static struct ir_instr *load_of_vertex(struct spv *s, const struct io_scalar *io)
{
    const uint32_t word = spv_record_word(io->builtin, io->location, io->component);
    if (word == VC4C_RECORD_WORDS || io->vertex >= s->shader->geometry.input_vertices)
        return ir_const(&s->b, 0);
    struct ir_instr *load = ir_build0(&s->b, IR_LOAD_RECORD);
    load->imm = word;
    load->imm2 = io->vertex;
    return load;
}

static void load_scalar(struct spv *s, struct spv_var *var, const struct io_scalar *io)
{
    struct ir_instr *load;
    if (io->vertex != SPV_NO_NUMBER) {
        load = load_of_vertex(s, io);
    } else if (is_distance(s, io, s->entry->stage == VC4C_STAGE_FRAGMENT)) {
        load = load_distance(s, distance_location(io), io->component % 4);
    } else if (io->builtin == SpvBuiltInFrontFacing && s->entry->facing_is_input) {
        load = ir_build0(&s->b, IR_LOAD_INPUT);
        load->imm = VC4C_FACING_LOCATION;
        s->shader->interpolation[VC4C_FACING_LOCATION][0].flat = true;
        load = ir_build2(&s->b, IR_INE, load, ir_const(&s->b, 0));
    } else if (io->builtin == SpvBuiltInPrimitiveId && s->entry->stage == VC4C_STAGE_FRAGMENT) {
        load = ir_build0(&s->b, IR_LOAD_INPUT);
        load->imm = VC4C_TARGET_LOCATION;
        load->imm2 = VC4C_TARGET_PRIMITIVE;
        s->shader->interpolation[VC4C_TARGET_LOCATION][VC4C_TARGET_PRIMITIVE].flat = true;
    } else if (io->builtin != SPV_NO_NUMBER && ((load = spv_patch_builtin(s, io->builtin, io->component)) ||
                                                (load = spv_group_builtin(s, io->builtin, io->component)))) {
        /* it is loaded */
    } else if (io->builtin == SpvBuiltInDeviceIndex) {
        load = ir_const(&s->b, 0); /* device groups have one device */
    } else if (io->builtin != SPV_NO_NUMBER) {
        load = ir_build(&s->b, IR_LOAD_BUILTIN, spv_scalar_bits(io->type), 0, NULL);
        load->imm = io->builtin;
        load->imm2 = io->component;
    } else {
        load = io->offset ? ir_build2(&s->b, IR_LOAD_INPUT_AT, io->offset[0], io->offset[1])
                          : ir_build0(&s->b, IR_LOAD_INPUT);
        load->imm = io->location;
        load->imm2 = io->component;
        const struct interpolation *how = &io->interpolation;
        s->shader->interpolation[io->location][io->component].flat = how->flat;
        s->shader->interpolation[io->location][io->component].noperspective = how->noperspective;
        s->shader->interpolation[io->location][io->component].centroid = how->centroid;
        s->shader->interpolation[io->location][io->component].sample = how->sample;
    }
    if (is_half(io->type))
        load = ir_build1(&s->b, IR_FLOAT_TO_HALF, load);
    spv_store_var(s, var->places[io->index].variable, var->places[io->index].word, load);
}

void spv_load_inputs(struct spv *s)
{
    for (uint32_t i = 0; i < s->var_count; i++)
        if (s->vars[i]->storage == SpvStorageClassInput && s->vars[i]->places)
            walk_var(s, s->vars[i], load_scalar);
    bool is_shared = false;
    for (uint32_t i = 0; i < s->var_count; i++) {
        struct spv_var *var = s->vars[i];
        if (!(var->places || var->in_scratch || var->table_words || var->io_words) || var->initializer == SPV_NO_NUMBER)
            continue;
        spv_store_id(s, spv_var_pointer(s, var, NULL), var->initializer);
        is_shared |= var->io_words != NULL;
    }
    if (is_shared) /* every invocation has stored them: none may replace what another subgroup stores */
        ir_build0(&s->b, IR_BARRIER);
}

/* Makes a copy of the variable that is interpolated at the offset. Dead code elimination removes the scalars that are
 * not used. */
struct ir_instr **spv_load_input_at(struct spv *s, const struct spv_pointer *p, struct ir_instr *const offset[2])
{
    if (p->storage != SpvStorageClassInput || !p->var->places || s->entry->stage != VC4C_STAGE_FRAGMENT)
        spv_invalid(s, "the interpolant is not an input of a fragment shader");
    struct spv_var *var = util_arena_new(s->arena, struct spv_var);
    struct spv_pointer pointer = *p;
    *var = *p->var;
    spv_create_places(s, var);
    walk_var_at(s, var, offset, load_scalar);
    pointer.var = var;
    return spv_load(s, &pointer);
}

/* ---------------------------------------------------------------- outputs */

/* Layer and viewport that a vertex shader writes are flat outputs: a primitive's fragments compare them with the layer
 * and the viewport that are drawn. So is the primitive's number, which vertex programs pass on that draw what a
 * geometry stage has emitted. */
static bool is_target(const struct spv *s, const struct io_scalar *io)
{
    return shades_vertices(s) && (io->builtin == SpvBuiltInLayer || io->builtin == SpvBuiltInViewportIndex ||
                                  io->builtin == SpvBuiltInPrimitiveId);
}

static uint32_t target_component(const struct io_scalar *io)
{
    return io->builtin == SpvBuiltInLayer ? 0 : io->builtin == SpvBuiltInViewportIndex ? 1 : VC4C_TARGET_PRIMITIVE;
}

static struct ir_instr *output_value(struct spv *s, const struct spv_var *var, const struct io_scalar *io)
{
    struct ir_instr *value = spv_load_var(s, var->places[io->index].variable, var->places[io->index].word);
    return is_half(io->type) ? ir_build1(&s->b, IR_HALF_TO_FLOAT, value) : spv_widened(&s->b, io->type, value);
}

static void store_to_record(struct spv *s, struct spv_var *var, const struct io_scalar *io)
{
    const uint32_t word = spv_record_word(io->builtin, io->location, io->component);
    if (word == VC4C_RECORD_WORDS)
        return;
    ir_build2(&s->b, IR_STORE_RECORD, io->number, output_value(s, var, io))->imm = word;
}

void spv_store_record(struct spv *s, struct ir_instr *number)
{
    struct io_walk w = {.s = s, .vertex = SPV_NO_NUMBER, .number = number, .visit = store_to_record};
    for (uint32_t i = 0; i < s->var_count; i++) {
        w.var = s->vars[i];
        w.index = 0;
        if (w.var->storage != SpvStorageClassOutput || !w.var->places)
            continue;
        spv_spend(s, w.var->type->scalars / 2 + 1);
        walk_whole(&w, w.var->type);
    }
}

static void note_io_word(struct spv *s, struct spv_var *var, const struct io_scalar *io)
{
    var->io_words[io->index] = (uint8_t)spv_io_word(s, var, io->builtin, io->location, io->component);
}

static void find_io_words(struct spv *s, struct spv_var *var)
{
    struct io_walk w = {.s = s, .var = var, .vertex = SPV_NO_NUMBER, .visit = note_io_word};
    walk_whole(&w, var->of_vertices ? var->type->elem : var->type);
}

void spv_create_io_words(struct spv *s, struct spv_var *var)
{
    var->of_vertices = spv_is_of_mesh(s, var) || !spv_is_of_whole_patch(var);
    if (var->of_vertices && var->type->kind != SPV_TYPE_ARRAY)
        spv_invalid(s, "an input or output of vertices or primitives that is not an array");
    const struct spv_type *type = var->of_vertices ? var->type->elem : var->type;
    if (!spv_has_values(type))
        spv_invalid(s, "an input or output of a type that is made of no numbers");
    if (type->scalars > SPV_MAX_SCALARS)
        spv_unsupported(s, "an input or output of %u scalars, the limit is %u", type->scalars, SPV_MAX_SCALARS);
    var->io_words = util_arena_new_array(s->arena, uint8_t, type->scalars);
    find_io_words(s, var);
}

static void capture_scalar(struct spv *s, struct spv_var *var, const struct io_scalar *io)
{
    struct vc4c_capture *c = &s->shader->capture;
    const uint32_t word = spv_record_word(io->builtin, io->location, io->component);
    if (io->capture_B == SPV_NO_NUMBER || word == VC4C_RECORD_WORDS)
        return;
    if (io->capture_buffer >= VC4C_MAX_CAPTURE_BUFFERS || io->stream >= VC4C_MAX_STREAMS || io->capture_B % 4 ||
        io->capture_B >= VC4C_MAX_CAPTURE_STRIDE_B || c->count == VC4C_MAX_CAPTURED)
        spv_unsupported(s, "transform feedback of buffer %u, offset %u, stream %u, or of more than %u numbers",
                        io->capture_buffer, io->capture_B, io->stream, VC4C_MAX_CAPTURED);
    c->words[c->count++] = (struct vc4c_captured_word){.offset_B = (uint16_t)io->capture_B,
                                                       .word = (uint8_t)word,
                                                       .buffer = (uint8_t)io->capture_buffer,
                                                       .stream = (uint8_t)io->stream};
}

void spv_collect_captured(struct spv *s)
{
    struct io_walk w = {.s = s, .vertex = SPV_NO_NUMBER, .visit = capture_scalar};
    if (!s->shader->captures)
        return;
    for (uint32_t i = 0; i < s->var_count; i++) {
        w.var = s->vars[i];
        w.index = 0;
        if (w.var->storage != SpvStorageClassOutput || !w.var->places)
            continue;
        w.capture_stride_B = SPV_NO_NUMBER;
        walk_whole(&w, w.var->type);
        if (w.capture_buffer < VC4C_MAX_CAPTURE_BUFFERS && w.capture_stride_B != SPV_NO_NUMBER) {
            if (w.capture_stride_B % 4 || w.capture_stride_B > VC4C_MAX_CAPTURE_STRIDE_B)
                spv_unsupported(s, "transform feedback with a stride of %u bytes", w.capture_stride_B);
            for (uint32_t k = 0; k < MAX2(w.instance, 1u) && w.capture_buffer + k < VC4C_MAX_CAPTURE_BUFFERS; k++)
                s->shader->capture.strides_B[w.capture_buffer + k] = w.capture_stride_B;
        }
    }
}

static void store_scalar(struct spv *s, struct spv_var *var, const struct io_scalar *io)
{
    struct ir_instr *value = output_value(s, var, io);
    const bool is_clip = is_distance(s, io, shades_vertices(s)), selects = is_target(s, io);
    const bool is_builtin = io->builtin != SPV_NO_NUMBER && !is_clip && !selects;
    struct ir_instr *store = ir_build1(&s->b, is_builtin ? IR_STORE_BUILTIN : IR_STORE_OUTPUT, value);
    store->imm = is_clip      ? distance_location(io)
                 : selects    ? VC4C_TARGET_LOCATION
                 : is_builtin ? io->builtin
                              : io->location;
    store->imm2 = is_clip ? io->component % 4 : selects ? target_component(io) : io->component;
    if (io->decor->is_dual_source && s->entry->stage == VC4C_STAGE_FRAGMENT) {
        if (io->location)
            spv_unsupported(s, "location %u with index 1, which only location 0 supports", io->location);
        store->imm = IR_DUAL_SOURCE_LOCATION;
    }
}

void spv_store_outputs(struct spv *s)
{
    if (s->entry->stage == VC4C_STAGE_GEOMETRY) { /* all vertices have been emitted */
        spv_end_emitting(s);
        return;
    }
    store_clip_coverage(s);
    for (uint32_t i = 0; i < s->var_count; i++)
        if (s->vars[i]->storage == SpvStorageClassOutput && s->vars[i]->places)
            walk_var(s, s->vars[i], store_scalar);
}
