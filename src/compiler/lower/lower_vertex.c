/* SPDX-License-Identifier: MIT
 *
 * Lowers the inputs of vertex programs (attributes, built-ins) and their outputs, which have a fixed format.
 *
 * Attributes arrive as raw bytes in the VPM, each location at its own word offset, in ascending order. The chip does
 * not know the vertex number, so it is an attribute, too, behind the locations: the ramp, an array of the numbers 0, 1,
 * 2, ... Locations in the key's trailing_mask come last. Attributes that do not fit are spilled: the program reads them
 * from memory. The vertex's 16-bit index into its arrays is another attribute (ARRAY_INDEX). It addresses the spilled
 * attributes, and it distinguishes lanes with a vertex from the dead lanes of a batch. [hardware.md 6.6]
 */
#include "compiler/lower/lower_polygon.h"
#include "spv_gen.h"

#define MAX_ATTRIBUTE_B 252

/* ---------------------------------------------------------------- finding and placing what is read */

struct uses {
    uint8_t components[VC4C_MAX_LOCATIONS]; /* mask per location */
    bool ramps[3];                          /* of this, the next and the previous vertex of the triangle */
    bool place;
    bool corner;
    bool instance;
};

/* Which locations are spilled. */
struct spilled {
    bool at[VC4C_MAX_LOCATIONS];
    bool by_index; /* some of them differ from vertex to vertex */
};

static const uint8_t ramps[] = {VC4C_ATTRIBUTE_VERTEX_RAMP, VC4C_ATTRIBUTE_NEXT_RAMP, VC4C_ATTRIBUTE_PREVIOUS_RAMP};

/* True for the query that the SPIR-V reader adds for subgroup operations: does the lane have no vertex? */
static bool is_dead_query(const struct ir_instr *instr)
{
    return instr->op == IR_LOAD_BUILTIN && instr->imm == SpvBuiltInHelperInvocation && instr->imm2 == 1;
}

static enum vc4c_result find_uses(struct ir_shader *shader, struct uses *u, struct vc4c_error *error)
{
    *u = (struct uses){.place = ir_needs_dead_lanes_masked(shader)};
    ir_for_each_block(block, shader) {
        ir_for_each_instr(instr, block) {
            if (instr->op == IR_LOAD_BUILTIN && instr->imm == SpvBuiltInVertexIndex)
                u->ramps[instr->imm2] = true;
            u->place |= instr->op == IR_ATTRIBUTE && instr->imm2 == VC4C_ATTRIBUTE_ARRAY_INDEX;
            u->place |= is_dead_query(instr);
            u->corner |= instr->op == IR_ATTRIBUTE && instr->imm2 == VC4C_ATTRIBUTE_TRIANGLE_VERTEX;
            u->instance |= instr->op == IR_LOAD_BUILTIN && instr->imm == SpvBuiltInInstanceIndex;
            if (instr->op != IR_LOAD_INPUT)
                continue;
            if (instr->imm >= (shader->needs_triangle ? VC4C_MAX_LOCATIONS : VC4C_MAX_ATTRIBUTES))
                return ir_lower_error(error, VC4C_UNSUPPORTED, instr,
                                      "vertex attribute at location %u is not supported", instr->imm);
            u->components[instr->imm] |= (uint8_t)BIT(instr->imm2);
        }
    }
    return VC4C_OK;
}

/* The leading bytes of a format that hold these components. */
static uint32_t needed_B(enum hw_format format, uint32_t components)
{
    const struct hw_format_info *info = hw_format_info(format);
    uint32_t end = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t from = info->swizzle[i];
        if ((components & BIT(i)) && from < HW_SWIZZLE_0)
            end = MAX2(end, util_div_round_up(info->channel[from].shift + info->channel[from].bits, 8));
    }
    return end;
}

static uint32_t location_B(const struct vc4c_vertex_key *key, const struct uses *u, uint32_t location)
{
    const enum hw_format format = key->formats[location % VC4C_MAX_ATTRIBUTES];
    return u->components[location] && format != HW_FORMAT_NONE ? needed_B(format, u->components[location]) : 0;
}

static uint32_t numbers_B(const struct uses *u)
{
    return 4u * (u->ramps[0] + u->ramps[1] + u->ramps[2] + u->corner + u->place);
}

/* The locations that do not fit into the VPM. Trailing locations are spilled last. Spilling any other location needs
 * the ARRAY_INDEX attribute, which itself takes a word. */
static struct spilled find_spilled(const struct vc4c_vertex_key *key, const struct uses *u)
{
    struct spilled spilled = {.by_index = false};
    uint32_t total_B = numbers_B(u) + (u->instance && key->merge_instances ? 4 : 0);
    for (uint32_t i = 0; i < VC4C_MAX_LOCATIONS; i++)
        total_B += util_align(location_B(key, u, i), 4);
    for (uint32_t behind = 0; behind < 2; behind++)
        for (uint32_t i = VC4C_MAX_LOCATIONS; i-- > 0 && total_B > MAX_ATTRIBUTE_B;) {
            const uint32_t size_B = util_align(location_B(key, u, i), 4);
            if (!size_B || ir_is_trailing(key, i) != behind)
                continue;
            total_B += spilled.by_index || behind || u->place ? 0 : 4;
            total_B -= size_B;
            spilled.at[i] = true;
            spilled.by_index |= !behind;
        }
    return spilled;
}

static void add_attribute(struct ir_shader *shader, uint32_t location, uint32_t size_B, bool spilled)
{
    uint32_t *at_B = spilled ? &shader->spill_stride_B : &shader->attribute_size_B;
    shader->attributes[shader->attribute_count++] = (struct vc4c_attribute){
        .location = (uint8_t)location, .vpm_B = (uint16_t)*at_B, .size_B = (uint8_t)size_B, .is_spilled = spilled};
    *at_B += util_align(size_B, 4);
}

/* Adds the locations in the VPM that are trailing ones, or those that are not. */
static void add_locations(struct ir_shader *shader, const struct vc4c_vertex_key *key, const struct uses *u,
                          const struct spilled *spilled, bool trailing)
{
    for (uint32_t i = 0; i < VC4C_MAX_LOCATIONS; i++)
        if (!spilled->at[i] && ir_is_trailing(key, i) == trailing && location_B(key, u, i))
            add_attribute(shader, i, location_B(key, u, i), false);
}

/* The chip requires at least one array; a program that reads none gets the ramp. ORDER: the instance index comes last,
 * so that all other offsets are the same as without it. */
static void place_attributes(struct ir_shader *shader, const struct vc4c_vertex_key *key, const struct uses *u)
{
    const struct spilled spilled = find_spilled(key, u);
    add_locations(shader, key, u, &spilled, false);
    for (uint32_t i = 0; i < ARRAY_SIZE(ramps); i++)
        if (u->ramps[i])
            add_attribute(shader, ramps[i], 4, false);
    if (u->corner)
        add_attribute(shader, VC4C_ATTRIBUTE_TRIANGLE_VERTEX, 4, false);
    if (u->place || spilled.by_index)
        add_attribute(shader, VC4C_ATTRIBUTE_ARRAY_INDEX, 4, false);
    add_locations(shader, key, u, &spilled, true);
    if (!shader->attribute_count)
        add_attribute(shader, VC4C_ATTRIBUTE_VERTEX_RAMP, 4, false);
    if (u->instance && key->merge_instances)
        add_attribute(shader, VC4C_ATTRIBUTE_INSTANCE, 4, false);
    for (uint32_t i = 0; i < VC4C_MAX_LOCATIONS; i++)
        if (spilled.at[i])
            add_attribute(shader, i, location_B(key, u, i), true);
}

/* ---------------------------------------------------------------- reading */

static struct ir_instr *raw_word(struct ir_builder *b, uint32_t location, uint32_t word)
{
    struct ir_instr *raw = ir_build0(b, IR_ATTRIBUTE);
    raw->imm = word;
    raw->imm2 = location;
    return raw;
}

static struct ir_instr *spilled_word(struct ir_builder *b, const struct vc4c_vertex_key *key,
                                     const struct vc4c_attribute *a, uint32_t word)
{
    struct ir_instr *offset = ir_const(b, a->vpm_B + 4 * word);
    if (!ir_is_trailing(key, a->location)) {
        struct ir_instr *step = ir_const(b, b->shader->spill_stride_B);
        offset =
            ir_build2(b, IR_IADD, ir_build2(b, IR_IMUL, raw_word(b, VC4C_ATTRIBUTE_ARRAY_INDEX, 0), step), offset);
    }
    struct ir_instr *load = ir_build1(b, IR_LOAD_BUFFER, offset);
    load->imm = VC4C_BUFFER_SPILL;
    return load;
}

static const struct vc4c_attribute *find_attribute(const struct ir_shader *shader, uint32_t location)
{
    for (uint32_t i = 0; i < shader->attribute_count; i++)
        if (shader->attributes[i].location == location)
            return &shader->attributes[i];
    return NULL;
}

/* The words of a location; NULL: not loaded. */
static void load_location(struct ir_builder *b, const struct vc4c_vertex_key *key, uint32_t location,
                          struct ir_instr *words[4])
{
    const struct vc4c_attribute *a = find_attribute(b->shader, location);
    for (uint32_t i = 0; i < 4; i++) {
        const bool is_loaded = a && 4 * i < a->size_B;
        words[i] = !is_loaded ? NULL : a->is_spilled ? spilled_word(b, key, a, i) : raw_word(b, location, i);
    }
}

/* Unpacks a location, once, at the start of the program. Components that are not read are dead code. */
static void unpack_location(struct ir_builder *b, const struct vc4c_vertex_key *key, uint32_t location,
                            struct ir_instr *out[4])
{
    struct ir_instr *words[4];
    load_location(b, key, location, words);
    ir_unpack_format(b, key->formats[location % VC4C_MAX_ATTRIBUTES], words, out);
}

/* Halves that are read from attributes of halves need no conversion, so they keep denormals and NaN. */
static void take_halves(struct ir_shader *shader, const struct vc4c_vertex_key *key)
{
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            const struct ir_instr *load = instr->src_count ? instr->src[0].def : NULL;
            if (instr->op != IR_FLOAT_TO_HALF || load->op != IR_LOAD_INPUT)
                continue;
            struct ir_builder b = ir_before(shader, instr);
            struct ir_instr *words[4];
            load_location(&b, key, load->imm, words);
            struct ir_instr *half =
                ir_unpack_half(&b, key->formats[load->imm % VC4C_MAX_ATTRIBUTES], words, load->imm2);
            if (!half)
                continue;
            ir_replace_uses(instr, half);
            ir_remove(instr);
        }
    }
}

static struct ir_instr *builtin(struct ir_builder *b, const struct vc4c_vertex_key *key, uint32_t which,
                                uint32_t component)
{
    switch (which) {
    case SpvBuiltInVertexIndex:
        return ir_build2(b, IR_IADD, raw_word(b, ramps[component], 0), ir_uniform(b, VC4C_UNIFORM_BASE_VERTEX, 0, 0));
    case SpvBuiltInInstanceIndex:
        return key->merge_instances ? raw_word(b, VC4C_ATTRIBUTE_INSTANCE, 0)
               : key->instance_index_is_zero
                   ? ir_const(b, 0)
                   : ir_uniform(b, VC4C_UNIFORM_INSTANCE_INDEX, 0, 0);
    case SpvBuiltInBaseVertex:
        return ir_uniform(b, VC4C_UNIFORM_DRAW, 0, 0);
    case SpvBuiltInBaseInstance:
        return ir_uniform(b, VC4C_UNIFORM_DRAW, 0, 1);
    case SpvBuiltInDrawIndex:
        return ir_uniform(b, VC4C_UNIFORM_DRAW, 0, 2);
    case SpvBuiltInViewIndex:
        return ir_uniform(b, VC4C_UNIFORM_VIEW_INDEX, 0, 0);
    case SpvBuiltInHelperInvocation: /* indices have 16 bits; the VPM holds no valid one for a dead lane */
        return component == 1 ? ir_build2(b, IR_UGE, raw_word(b, VC4C_ATTRIBUTE_ARRAY_INDEX, 0), ir_const(b, 0x10000))
                              : NULL;
    default:
        return NULL;
    }
}

enum vc4c_result ir_lower_attributes(struct ir_shader *shader, const struct vc4c_vertex_key *key,
                                     struct vc4c_error *error)
{
    struct uses u;
    struct ir_instr *values[VC4C_MAX_LOCATIONS][4] = {{NULL}};
    enum vc4c_result result = find_uses(shader, &u, error);
    if (result)
        return result;
    place_attributes(shader, key, &u);
    take_halves(shader, key);
    struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
    for (uint32_t i = 0; i < VC4C_MAX_LOCATIONS; i++)
        if (u.components[i])
            unpack_location(&start, key, i, values[i]);
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            struct ir_instr *by;
            struct ir_builder b = ir_before(shader, instr);
            if (instr->op == IR_LOAD_INPUT)
                by = values[instr->imm][instr->imm2];
            else if (instr->op == IR_LOAD_BUILTIN)
                by = builtin(&b, key, instr->imm, instr->imm2);
            else
                continue;
            if (!by && instr->op == IR_LOAD_BUILTIN)
                by = ir_subgroup_builtin(&b, instr);
            if (!by)
                return ir_lower_error(error, VC4C_UNSUPPORTED, instr, "built-in %u is not supported as a vertex input",
                                      instr->imm);
            ir_replace_uses(instr, by);
            ir_remove(instr);
        }
    }
    return VC4C_OK;
}

/* ---------------------------------------------------------------- outputs */

struct outputs {
    struct ir_instr *position[4], *point_size;
    struct ir_instr *values[IR_MAX_LOCATIONS][4];
};

/* Removes the stores and records their values. All are in the last block, behind the end of the shader proper. */
static enum vc4c_result take_outputs(struct ir_shader *shader, struct outputs *o, struct vc4c_error *error)
{
    *o = (struct outputs){{NULL}};
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (instr->op != IR_STORE_OUTPUT && instr->op != IR_STORE_BUILTIN)
                continue;
            struct ir_instr *value = instr->src[0].def;
            if (instr->op == IR_STORE_OUTPUT)
                o->values[instr->imm][instr->imm2] = value;
            else if (instr->imm == SpvBuiltInPosition)
                o->position[instr->imm2] = value;
            else if (instr->imm == SpvBuiltInPointSize)
                o->point_size = value;
            else if (value->op != IR_UNDEF)
                return ir_lower_error(error, VC4C_UNSUPPORTED, instr, "built-in %u is not supported as a vertex output",
                                      instr->imm);
            ir_remove(instr);
        }
    }
    return VC4C_OK;
}

static struct ir_instr *or_zero(struct ir_builder *b, struct ir_instr *value)
{
    return value && value->op != IR_UNDEF ? value : ir_const(b, 0);
}

static void store(struct ir_builder *b, struct ir_instr *value)
{
    ir_build1(b, IR_VPM_STORE, value);
}

/* Rounds to the nearest integer where only the low 16 bits matter: ftoi truncates, and adding 2^16 makes the sum
 * positive without changing those bits. */
static struct ir_instr *nearest_16(struct ir_builder *b, struct ir_instr *x)
{
    return ir_build1(b, IR_FTOI, ir_fadd(b, x, ir_const_f(b, 65536.5f)));
}

/* Stores XS, YS in 1/16 pixels from the viewport's centre, ZS, 1/W. `zc`: 2z - w. `bias` may be NULL. */
static void store_screen(struct ir_builder *b, struct ir_instr *const p[4], struct ir_instr *zc, struct ir_instr *bias)
{
    struct ir_instr *rcp_w = ir_build1(b, IR_FRCP, p[3]), *xy[2];
    rcp_w->imm = 1;
    for (uint32_t i = 0; i < 2; i++) {
        struct ir_instr *scale =
            ir_uniform(b, i ? VC4C_UNIFORM_VIEWPORT_SCALE_Y_16 : VC4C_UNIFORM_VIEWPORT_SCALE_X_16, 0, 0);
        xy[i] = nearest_16(b, ir_fmul(b, ir_fmul(b, p[i], scale), rcp_w));
    }
    store(b, ir_build2(b, IR_PACK_I16, xy[0], xy[1]));
    struct ir_instr *z = ir_fmul(b, ir_fmul(b, zc, ir_uniform(b, VC4C_UNIFORM_VIEWPORT_SCALE_Z, 0, 0)), rcp_w);
    z = ir_fadd(b, z, ir_uniform(b, VC4C_UNIFORM_VIEWPORT_OFFSET_Z, 0, 0));
    store(b, bias ? ir_fadd(b, z, bias) : z);
    store(b, rcp_w);
}

/* Varyings without perspective are multiplied by w here and by 1/w in the fragment program. */
static void store_varyings(struct ir_builder *b, const struct vc4c_vertex_key *key, const struct outputs *o,
                           struct ir_instr *w)
{
    for (uint32_t i = 0; i < key->output_count; i++) {
        const struct vc4c_varying *v = &key->outputs[i];
        struct ir_instr *value = NULL;
        if (v->location < IR_MAX_LOCATIONS && v->component < 4)
            value = o->values[v->location][v->component];
        value = or_zero(b, value);
        store(b, v->noperspective ? ir_fmul(b, value, w) : value);
    }
}

/* Points whose centre is outside the view in x or y are not drawn. The chip itself clips points by depth only. */
static struct ir_instr *is_outside_view(struct ir_builder *b, struct ir_instr *const p[4])
{
    return ir_build2(b, IR_FLT, p[3], ir_build2(b, IR_FMAXABS, p[0], p[1]));
}

/* Cull distances of a point, which has one vertex: culled when any of them is negative. NULL: never. */
static struct ir_instr *is_culled_point(struct ir_builder *b, const struct vc4c_vertex_key *key,
                                        const struct outputs *o)
{
    struct ir_instr *least = NULL;
    for (uint32_t i = 0; i < 8; i++) {
        if (!(key->cull_distances & BIT(i)))
            continue;
        struct ir_instr *distance = or_zero(b, o->values[IR_CULL_LOCATION + i / 4][i % 4]);
        least = least ? ir_build2(b, IR_FMIN, least, distance) : distance;
    }
    return least ? ir_build2(b, IR_FLT, least, ir_const(b, 0)) : NULL;
}

/* The z that the chip clips to -w ... w at the near and far plane: 2z - w [hardware.md 6.3], or z as it is. */
static struct ir_instr *between_planes(struct ir_builder *b, const struct vc4c_vertex_key *key,
                                       struct ir_instr *const p[4])
{
    return key->symmetric_depth ? p[2] : ir_fsub(b, ir_fadd(b, p[2], p[2]), p[3]);
}

/* The z that the clipper gets. With ignores_depth_planes it is always inside; vertices with `is_out` are moved beyond
 * the far plane in either case. */
static struct ir_instr *clip_z(struct ir_builder *b, const struct vc4c_vertex_key *key, struct ir_instr *const p[4],
                               struct ir_instr *is_out)
{
    struct ir_instr *zc = key->ignores_depth_planes ? ir_const(b, 0) : between_planes(b, key, p);
    return is_out ? ir_sel(b, is_out, ir_fadd(b, p[3], p[3]), zc) : zc;
}

/* Depth as an output: clip-space z from 0 to w, plus the bias converted to it. */
static struct ir_instr *depth_output(struct ir_builder *b, const struct vc4c_vertex_key *key,
                                     struct ir_instr *const p[4], struct ir_instr *bias)
{
    struct ir_instr *z = key->symmetric_depth ? ir_fmul(b, ir_fadd(b, p[2], p[3]), ir_const_f(b, 0.5f)) : p[2];
    if (!bias)
        return z;
    bias = ir_fmul(b, bias, ir_uniform(b, VC4C_UNIFORM_POLYGON, 0, VC4C_POLYGON_PER_DEPTH));
    return ir_fadd(b, z, ir_fmul(b, bias, p[3]));
}

/* Passes the results from the coordinate program to the vertex program: position, size, varyings, depth bias and
 * culling. */
static void share_results(struct ir_builder *b, const struct vc4c_vertex_key *key, struct outputs *o,
                          struct ir_polygon *polygon)
{
    struct ir_instr **values[7 + VC4C_MAX_SLOTS], *culled = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; i++)
        values[count++] = &o->position[i];
    values[count++] = &o->point_size;
    for (uint32_t i = 0; i < key->output_count; i++) {
        const struct vc4c_varying *v = &key->outputs[i];
        if (v->location < IR_MAX_LOCATIONS && v->component < 4)
            values[count++] = &o->values[v->location][v->component];
    }
    if (polygon->bias)
        values[count++] = &polygon->bias;
    if (polygon->is_culled) {
        culled = ir_sel(b, polygon->is_culled, ir_const(b, 1), ir_const(b, 0));
        values[count++] = &culled;
    }
    ir_share_vertex_results(b, values, count);
    if (culled)
        polygon->is_culled = ir_build2(b, IR_INE, culled, ir_const(b, 0));
}

static void find_position(struct ir_builder *b, const struct outputs *o, struct ir_instr *p[4])
{
    for (uint32_t i = 0; i < 4; i++)
        p[i] = or_zero(b, o->position[i]);
}

enum vc4c_result ir_lower_vs_outputs(struct ir_shader *shader, const struct vc4c_vertex_key *key, bool shares_results,
                                     struct vc4c_error *error)
{
    struct outputs o;
    struct ir_other_vertex others[2];
    shader->needs_triangle = key->needs_triangle;
    if (key->needs_triangle)
        ir_add_other_vertices(shader, key, others);
    enum vc4c_result result = take_outputs(shader, &o, error);
    if (result)
        return result;
    struct ir_builder b = ir_at_end(shader, ir_list_last(&shader->body));
    struct ir_polygon polygon = {NULL};
    struct ir_instr *p[4];
    find_position(&b, &o, p);
    if (key->needs_triangle)
        ir_lower_polygon(&b, key, others, p, o.values, &polygon);
    else
        polygon.is_culled = is_culled_point(&b, key, &o);
    if (key->rectangles) {
        struct ir_instr *is_gone = ir_lower_line(&b, key, others, p, o.values);
        polygon.is_culled = polygon.is_culled ? ir_build2(&b, IR_BOR, polygon.is_culled, is_gone) : is_gone;
        for (uint32_t i = 0; i < 4; i++)
            o.position[i] = p[i];
    }
    if (shares_results) {
        share_results(&b, key, &o, &polygon);
        find_position(&b, &o, p);
    }
    o.values[VC4C_DEPTH_LOCATION][0] = depth_output(&b, key, p, polygon.bias);
    struct ir_instr *is_out = polygon.is_culled;
    if (key->emit_point_size)
        is_out = is_out ? ir_build2(&b, IR_BOR, is_out, is_outside_view(&b, p)) : is_outside_view(&b, p);
    struct ir_instr *zc = clip_z(&b, key, p, is_out);
    for (uint32_t i = 0; i < 2 && key->recentre; i++)
        p[i] = ir_fadd(&b, ir_fmul(&b, p[i], ir_uniform(&b, VC4C_UNIFORM_RECENTRE_SCALE, 0, i)),
                       ir_fmul(&b, p[3], ir_uniform(&b, VC4C_UNIFORM_RECENTRE_OFFSET, 0, i)));
    if (shader->kind == VC4C_PROGRAM_COORDINATE) {
        store(&b, p[0]);
        store(&b, p[1]);
        store(&b, zc);
        store(&b, p[3]);
    }
    store_screen(&b, p, key->ignores_depth_planes ? between_planes(&b, key, p) : zc, polygon.bias);
    if (key->emit_point_size)
        store(&b, o.point_size && o.point_size->op != IR_UNDEF ? o.point_size : ir_const_f(&b, 1));
    if (shader->kind == VC4C_PROGRAM_VERTEX)
        store_varyings(&b, key, &o, p[3]);
    return VC4C_OK;
}
