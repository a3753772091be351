/* SPDX-License-Identifier: MIT
 *
 * Vertex programs: attributes and built-ins in, the fixed output formats out.
 *
 * Attributes arrive as raw bytes in the VPM, each location at a word offset of its own, in ascending order; the vertex
 * number, which the chip does not know, is an attribute of its own at the end (the ramp). [hardware.md 6.6]
 */
#include "compiler/lower/lower.h"
#include "spv_gen.h"

#define MAX_ARRAYS      8
#define MAX_ATTRIBUTE_B 252

/* ---------------------------------------------------------------- what is read */

struct uses {
    uint8_t components[VC4C_MAX_ATTRIBUTES]; /* mask per location */
    bool ramp;
};

static enum vc4c_result find_uses(struct ir_shader *shader, struct uses *u, struct vc4c_error *error)
{
    *u = (struct uses){.ramp = ir_needs_dead_lanes_masked(shader) || ir_has_side_effects(shader)};
    ir_for_each_block(block, shader) {
        ir_for_each_instr(instr, block) {
            if (instr->op == IR_LOAD_BUILTIN && instr->imm == SpvBuiltInVertexIndex)
                u->ramp = true;
            if (instr->op != IR_LOAD_INPUT)
                continue;
            if (instr->imm >= VC4C_MAX_ATTRIBUTES)
                return ir_lower_error(error, VC4C_UNSUPPORTED, instr, "vertex attribute at location %u", instr->imm);
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

static bool add_attribute(struct ir_shader *shader, uint32_t location, uint32_t size_B)
{
    if (shader->attribute_count == MAX_ARRAYS || shader->attribute_size_B + util_align(size_B, 4) > MAX_ATTRIBUTE_B)
        return false;
    shader->attributes[shader->attribute_count++] = (struct vc4c_attribute){
        .location = (uint8_t)location, .vpm_B = (uint8_t)shader->attribute_size_B, .size_B = (uint8_t)size_B};
    shader->attribute_size_B += util_align(size_B, 4);
    return true;
}

/* The chip wants at least one array; a program that reads none gets the ramp. */
static enum vc4c_result place_attributes(struct ir_shader *shader, const struct vc4c_vertex_key *key, const struct uses *u,
                                         struct vc4c_error *error)
{
    bool fits = true;
    for (uint32_t i = 0; i < VC4C_MAX_ATTRIBUTES; i++) {
        uint32_t size_B = u->components[i] && key->formats[i] != HW_FORMAT_NONE
                              ? needed_B(key->formats[i], u->components[i]) : 0;
        if (size_B)
            fits &= add_attribute(shader, i, size_B);
    }
    if (u->ramp || !shader->attribute_count)
        fits &= add_attribute(shader, VC4C_ATTRIBUTE_VERTEX_RAMP, 4);
    if (!fits)
        return ir_lower_error(error, VC4C_DOES_NOT_FIT, NULL, "more than %u vertex attributes or %u bytes", MAX_ARRAYS,
                              MAX_ATTRIBUTE_B);
    return VC4C_OK;
}

/* ---------------------------------------------------------------- reading */

static struct ir_instr *raw_word(struct ir_builder *b, uint32_t location, uint32_t word)
{
    struct ir_instr *raw = ir_build0(b, IR_ATTRIBUTE);
    raw->imm = word;
    raw->imm2 = location;
    return raw;
}

/* A location is unpacked once, at the start of the program; what nobody reads is dead code. */
static void unpack_location(struct ir_builder *b, enum hw_format format, uint32_t location, uint32_t components,
                            struct ir_instr *out[4])
{
    struct ir_instr *words[4] = {NULL};
    uint32_t size_B = format == HW_FORMAT_NONE ? 0 : needed_B(format, components);
    for (uint32_t i = 0; i < util_div_round_up(size_B, 4); i++)
        words[i] = raw_word(b, location, i);
    ir_unpack_format(b, format, words, out);
}

static struct ir_instr *builtin(struct ir_builder *b, const struct vc4c_vertex_key *key, uint32_t which)
{
    switch (which) {
    case SpvBuiltInVertexIndex:
        return ir_build2(b, IR_IADD, raw_word(b, VC4C_ATTRIBUTE_VERTEX_RAMP, 0),
                         ir_uniform(b, VC4C_UNIFORM_BASE_VERTEX, 0, 0));
    case SpvBuiltInInstanceIndex:
        return key->instance_index_is_zero ? ir_const(b, 0) : ir_uniform(b, VC4C_UNIFORM_INSTANCE_INDEX, 0, 0);
    default:
        return NULL;
    }
}

enum vc4c_result ir_lower_attributes(struct ir_shader *shader, const struct vc4c_vertex_key *key,
                                     struct vc4c_error *error)
{
    struct uses u;
    struct ir_instr *values[VC4C_MAX_ATTRIBUTES][4] = {{NULL}};
    enum vc4c_result result = find_uses(shader, &u, error);
    if (!result)
        result = place_attributes(shader, key, &u, error);
    if (result)
        return result;
    struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
    for (uint32_t i = 0; i < VC4C_MAX_ATTRIBUTES; i++)
        if (u.components[i])
            unpack_location(&start, key->formats[i], i, u.components[i], values[i]);
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            struct ir_instr *by;
            struct ir_builder b = ir_before(shader, instr);
            if (instr->op == IR_LOAD_INPUT)
                by = values[instr->imm][instr->imm2];
            else if (instr->op == IR_LOAD_BUILTIN)
                by = builtin(&b, key, instr->imm);
            else
                continue;
            if (!by)
                return ir_lower_error(error, VC4C_UNSUPPORTED, instr, "built-in %u as a vertex input", instr->imm);
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

/* Takes the stores out. All stand in the last block, in front of which the shader has ended. */
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
                return ir_lower_error(error, VC4C_UNSUPPORTED, instr, "built-in %u as a vertex output", instr->imm);
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

/* Rounds to the nearest integer where the low 16 bits are all that counts: ftoi truncates, and 2^16 makes the sum positive
 * without a trace in those bits. */
static struct ir_instr *nearest_16(struct ir_builder *b, struct ir_instr *x)
{
    return ir_build1(b, IR_FTOI, ir_fadd(b, x, ir_const_f(b, 65536.5f)));
}

/* XS, YS in 1/16 pixels around the viewport's centre, ZS, 1/W. `zc`: 2z - w. */
static void store_screen(struct ir_builder *b, struct ir_instr *const p[4], struct ir_instr *zc)
{
    struct ir_instr *rcp_w = ir_build1(b, IR_FRCP, p[3]), *xy[2];
    rcp_w->imm = 1;
    for (uint32_t i = 0; i < 2; i++) {
        struct ir_instr *scale = ir_uniform(b, i ? VC4C_UNIFORM_VIEWPORT_SCALE_Y_16 : VC4C_UNIFORM_VIEWPORT_SCALE_X_16, 0, 0);
        xy[i] = nearest_16(b, ir_fmul(b, ir_fmul(b, p[i], scale), rcp_w));
    }
    store(b, ir_build2(b, IR_PACK_I16, xy[0], xy[1]));
    struct ir_instr *z = ir_fmul(b, ir_fmul(b, zc, ir_uniform(b, VC4C_UNIFORM_VIEWPORT_SCALE_Z, 0, 0)), rcp_w);
    store(b, ir_fadd(b, z, ir_uniform(b, VC4C_UNIFORM_VIEWPORT_OFFSET_Z, 0, 0)));
    store(b, rcp_w);
}

/* What is interpolated without perspective is multiplied by w here and by 1/w in the fragment program. */
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

enum vc4c_result ir_lower_vs_outputs(struct ir_shader *shader, const struct vc4c_vertex_key *key,
                                     struct vc4c_error *error)
{
    struct outputs o;
    enum vc4c_result result = take_outputs(shader, &o, error);
    if (result)
        return result;
    struct ir_builder b = ir_at_end(shader, ir_list_last(&shader->body));
    struct ir_instr *p[4];
    for (uint32_t i = 0; i < 4; i++)
        p[i] = or_zero(&b, o.position[i]);
    /* The chip clips z against -w and w: ZC = 2z - w. [hardware.md 6.3] */
    struct ir_instr *zc = ir_fsub(&b, ir_fadd(&b, p[2], p[2]), p[3]);
    if (shader->kind == VC4C_PROGRAM_COORDINATE) {
        store(&b, p[0]);
        store(&b, p[1]);
        store(&b, zc);
        store(&b, p[3]);
    }
    store_screen(&b, p, zc);
    if (key->emit_point_size)
        store(&b, o.point_size && o.point_size->op != IR_UNDEF ? o.point_size : ir_const_f(&b, 1));
    if (shader->kind == VC4C_PROGRAM_VERTEX)
        store_varyings(&b, key, &o, p[3]);
    return VC4C_OK;
}
