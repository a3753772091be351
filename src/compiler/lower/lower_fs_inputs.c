/* SPDX-License-Identifier: MIT
 *
 * Lowers the inputs of fragment programs: varyings, and built-ins that come from the payload registers of the thread.
 */
#include <string.h>
#include "compiler/lower/lower_samples.h"
#include "spv_gen.h"

/* ---------------------------------------------------------------- varyings */

static int find_slot(const struct ir_shader *shader, uint32_t location, uint32_t component)
{
    for (uint32_t i = 0; i < shader->input_count; i++)
        if (shader->inputs[i].location == location && shader->inputs[i].component == component)
            return (int)i;
    return -1;
}

static void add_input(struct ir_shader *shader, uint32_t location, uint32_t component)
{
    if (shader->input_count == VC4C_MAX_SLOTS)
        return;
    shader->inputs[shader->input_count++] = (struct vc4c_varying){
        .location = (uint8_t)location, .component = (uint8_t)component,
        .flat = shader->interpolation[location][component].flat,
        .noperspective = shader->interpolation[location][component].noperspective};
}

/* Moves flat inputs to the end of the list. The chip has flat-shading flags for its own slots only; with more inputs,
 * one number says where the flat ones begin. */
static void put_flat_last(struct ir_shader *shader)
{
    struct vc4c_varying flat[VC4C_MAX_SLOTS];
    uint32_t count = 0, flat_count = 0;
    for (uint32_t i = 0; i < shader->input_count; i++) {
        if (shader->inputs[i].flat)
            flat[flat_count++] = shader->inputs[i];
        else
            shader->inputs[count++] = shader->inputs[i];
    }
    memcpy(shader->inputs + count, flat, flat_count * sizeof *flat);
}

void ir_collect_inputs(struct ir_shader *shader)
{
    uint8_t used[IR_MAX_LOCATIONS] = {0};
    ir_for_each_block(block, shader)
        ir_for_each_instr(instr, block)
            if (instr->op == IR_LOAD_INPUT || instr->op == IR_LOAD_INPUT_AT)
                used[instr->imm] |= (uint8_t)BIT(instr->imm2);
    used[VC4C_DEPTH_LOCATION] |= shader->depth_is_input;
    used[VC4C_FACING_LOCATION] |= shader->two_stencils;
    used[VC4C_TARGET_LOCATION] |= shader->targets;
    used[VC4C_LINE_LOCATION] |= shader->is_smooth ? BIT(VC4C_LINE_WORDS) - 1 : 0;
    used[VC4C_STIPPLE_LOCATION] |= shader->stipples ? BIT(VC4C_STIPPLE_WORDS) - 1 : 0;
    for (uint32_t c = 0; c < VC4C_LINE_WORDS; c++)
        shader->interpolation[VC4C_LINE_LOCATION][c].noperspective = true;
    for (uint32_t c = 0; c < VC4C_STIPPLE_WORDS; c++)
        shader->interpolation[VC4C_STIPPLE_LOCATION][c].flat = true;
    shader->interpolation[VC4C_TARGET_LOCATION][0].flat = shader->interpolation[VC4C_TARGET_LOCATION][1].flat = true;
    shader->interpolation[VC4C_FACING_LOCATION][0].flat |= shader->two_stencils;
    shader->input_count = 0;
    for (uint32_t location = 0; location < IR_MAX_LOCATIONS; location++)
        for (uint32_t c = 0; c < 4; c++)
            if (used[location] & BIT(c))
                add_input(shader, location, c);
    if (shader->input_count > VC4C_CHIP_SLOTS)
        put_flat_last(shader);
}

static struct ir_instr *with_imm(struct ir_instr *instr, uint32_t imm)
{
    instr->imm = imm;
    return instr;
}

static struct ir_instr *lower_input(struct ir_interpolator *in, struct ir_builder *b, const struct ir_instr *load)
{
    int slot = find_slot(b->shader, load->imm, load->imm2);
    const struct vc4c_fragment_key *key = in->key;
    if (slot < 0)
        return NULL;
    if (load->op == IR_LOAD_INPUT_AT)
        return ir_input_at(in, b, (uint32_t)slot, load->src[0].def, load->src[1].def);
    if (key->sample_shading)
        return ir_input_at(in, b, (uint32_t)slot, ir_shaded_offset(b, key, 0), ir_shaded_offset(b, key, 1));
    if (key->samples > 1 && b->shader->interpolation[load->imm][load->imm2].centroid)
        return ir_input_at(in, b, (uint32_t)slot, ir_centroid_offset(in, 0), ir_centroid_offset(in, 1));
    struct ir_instr *value = with_imm(ir_build0(b, IR_VARYING), (uint32_t)slot);
    if (!b->shader->inputs[slot].noperspective)
        return value;
    return ir_fmul(b, value, ir_build1(b, IR_FRCP, ir_build0(b, IR_FRAG_W)));
}

struct ir_instr *ir_depth_from_input(struct ir_builder *b)
{
    const int slot = find_slot(b->shader, VC4C_DEPTH_LOCATION, 0);
    assert(slot >= 0);
    struct ir_instr *z = with_imm(ir_build0(b, IR_VARYING), (uint32_t)slot);
    z = ir_fmul(b, z, ir_build1(b, IR_FRCP, ir_build0(b, IR_FRAG_W)));
    z = ir_fsub(b, ir_fadd(b, z, z), ir_const_f(b, 1));
    return ir_fadd(b, ir_fmul(b, z, ir_uniform(b, VC4C_UNIFORM_VIEWPORT_SCALE_Z, 0, 0)),
                   ir_uniform(b, VC4C_UNIFORM_VIEWPORT_OFFSET_Z, 0, 0));
}

struct ir_instr *ir_facing_from_input(struct ir_builder *b)
{
    const int slot = find_slot(b->shader, VC4C_FACING_LOCATION, 0);
    assert(slot >= 0);
    return ir_build2(b, IR_INE, with_imm(ir_build0(b, IR_VARYING), (uint32_t)slot), ir_const(b, 0));
}

/* The area of the pixel that the rectangle covers, as if the rectangle's sides were parallel to the pixel's. */
struct ir_instr *ir_line_coverage(struct ir_builder *b)
{
    struct ir_instr *px[VC4C_LINE_WORDS], *rcp_w = ir_build1(b, IR_FRCP, ir_build0(b, IR_FRAG_W));
    for (uint32_t i = 0; i < VC4C_LINE_WORDS; i++) {
        const int slot = find_slot(b->shader, VC4C_LINE_LOCATION, i);
        assert(slot >= 0);
        px[i] = ir_fmul(b, with_imm(ir_build0(b, IR_VARYING), (uint32_t)slot), rcp_w);
    }
    struct ir_instr *half = ir_uniform(b, VC4C_UNIFORM_POLYGON, 0, VC4C_POLYGON_LINE_HALF), *inside[2];
    inside[0] = ir_fsub(b, half, ir_build2(b, IR_FMAXABS, px[0], px[0]));
    inside[1] = ir_build2(b, IR_FMIN, px[1], px[2]);
    for (uint32_t i = 0; i < 2; i++)
        inside[i] = ir_build1(b, IR_FSAT, ir_fadd(b, inside[i], ir_const_f(b, 0.5f)));
    inside[0] = ir_build2(b, IR_FMIN, inside[0], ir_fadd(b, half, half)); /* a thin line covers no more than it has */
    return ir_fmul(b, inside[0], inside[1]);
}

void ir_select_target(struct ir_builder *b)
{
    static const struct {
        uint8_t uniform, data;
    } drawn[] = {{VC4C_UNIFORM_VIEW_INDEX, 1}, {VC4C_UNIFORM_VIEWPORT_INDEX, 0}};
    for (uint32_t i = 0; i < ARRAY_SIZE(drawn); i++) {
        if (!(b->shader->targets & BIT(i)))
            continue;
        const int slot = find_slot(b->shader, VC4C_TARGET_LOCATION, i);
        assert(slot >= 0);
        struct ir_instr *wanted = with_imm(ir_build0(b, IR_VARYING), (uint32_t)slot);
        struct ir_instr *is_drawn = ir_build2(b, IR_IEQ, wanted, ir_uniform(b, drawn[i].uniform, 0, drawn[i].data));
        ir_build1(b, IR_MS_FLAGS_AND, ir_sel(b, is_drawn, ir_const(b, 15), ir_const(b, 0)));
    }
}

/* ---------------------------------------------------------------- built-ins */

static struct ir_instr *frag_coord(struct ir_builder *b, const struct vc4c_fragment_key *key, uint32_t component)
{
    switch (component) {
    case 0:
    case 1: {
        struct ir_instr *pixel = ir_build1(b, IR_ITOF, ir_build0(b, component ? IR_FRAG_Y : IR_FRAG_X));
        struct ir_instr *origin = ir_uniform(b, VC4C_UNIFORM_FRAG_COORD_OFFSET, 0, component);
        pixel = ir_fadd(b, ir_fadd(b, pixel, ir_const_f(b, 0.5f)), origin);
        return key->sample_shading ? ir_fadd(b, pixel, ir_shaded_offset(b, key, component)) : pixel;
    }
    case 2:
        if (b->shader->depth_is_input)
            return ir_depth_from_input(b);
        return ir_fmul(b, ir_build1(b, IR_ITOF, ir_build0(b, IR_FRAG_Z)), ir_const_f(b, 1 / 16777215.0f));
    default:
        return ir_build1(b, IR_FRCP, ir_build0(b, IR_FRAG_W));
    }
}

/* Whether the pattern has a one `steps` from its beginning. */
static struct ir_instr *has_stipple(struct ir_builder *b, struct ir_instr *steps)
{
    struct ir_instr *rate = ir_uniform(b, VC4C_UNIFORM_POLYGON, 0, VC4C_POLYGON_STIPPLE_RATE);
    struct ir_instr *bit = ir_build2(b, IR_AND, ir_build1(b, IR_FTOI, ir_fmul(b, steps, rate)), ir_const(b, 15));
    struct ir_instr *pattern = ir_uniform(b, VC4C_UNIFORM_POLYGON, 0, VC4C_POLYGON_STIPPLE_PATTERN);
    return ir_build2(b, IR_INE, ir_build2(b, IR_AND, ir_build2(b, IR_SHR, pattern, bit), ir_const(b, 1)),
                     ir_const(b, 0));
}

void ir_stipple_line(struct ir_builder *b, const struct vc4c_fragment_key *key)
{
    struct ir_instr *word[VC4C_STIPPLE_WORDS], *flags = NULL;
    for (uint32_t i = 0; i < VC4C_STIPPLE_WORDS; i++) {
        const int slot = find_slot(b->shader, VC4C_STIPPLE_LOCATION, i);
        assert(slot >= 0);
        word[i] = with_imm(ir_build0(b, IR_VARYING), (uint32_t)slot);
    }
    struct ir_instr *steps = word[2];
    for (uint32_t axis = 0; axis < 2; axis++)
        steps = ir_fadd(b, steps, ir_fmul(b, word[axis], frag_coord(b, key, axis)));
    const bool each = b->shader->stipples == VC4C_STIPPLE_SAMPLES && key->samples > 1 && !key->sample_shading;
    for (uint32_t i = 0; i < (each ? key->samples : 1u); i++) {
        struct ir_instr *at = steps;
        for (uint32_t axis = 0; axis < 2 && each; axis++)
            at = ir_fadd(b, at, ir_fmul(b, word[axis], ir_const_f(b, vc4c_sample_offset(i, axis))));
        struct ir_instr *bits = ir_sel(b, has_stipple(b, at), ir_const(b, each ? BIT(i) : 15), ir_const(b, 0));
        flags = flags ? ir_build2(b, IR_OR, flags, bits) : bits;
    }
    ir_build1(b, IR_MS_FLAGS_AND, flags);
}

/* The chip counts rows from the bottom, so y decreases with each row in memory [recorded jobs]; in Vulkan it
 * increases. */
static struct ir_instr *point_coord(struct ir_builder *b, uint32_t component)
{
    if (b->shader->primitive != VC4C_PRIMITIVE_POINTS)
        return ir_const(b, 0); /* undefined for other primitives */
    struct ir_instr *coord = with_imm(ir_build0(b, IR_POINT_COORD), component);
    return component ? ir_fsub(b, ir_const_f(b, 1), coord) : coord;
}

/* gl_SampleMaskIn has one bit for a single sample, while the chip sets all four flags. */
static struct ir_instr *sample_mask(struct ir_builder *b, const struct vc4c_fragment_key *key)
{
    struct ir_instr *mask = ir_coverage(b, key);
    return key->samples == 1 ? ir_build2(b, IR_AND, mask, ir_const(b, 1)) : mask;
}

static struct ir_instr *lower_builtin(struct ir_builder *b, const struct vc4c_fragment_key *key,
                                      const struct ir_instr *load)
{
    switch (load->imm) {
    case SpvBuiltInFragCoord:
        return frag_coord(b, key, load->imm2);
    case SpvBuiltInFrontFacing:
        return ir_build1(b, IR_BNOT, ir_build0(b, IR_BACK_FACING));
    case SpvBuiltInPointCoord:
        return point_coord(b, load->imm2);
    case SpvBuiltInSampleMask:
        return load->imm2 ? ir_const(b, 0) : sample_mask(b, key);
    case SpvBuiltInHelperInvocation:
        return ir_build2(b, IR_IEQ, ir_coverage(b, key), ir_const(b, 0));
    case SpvBuiltInSampleId:
        return key->sample_shading ? ir_uniform(b, VC4C_UNIFORM_SAMPLE_ID, 0, 0) : ir_const(b, 0);
    case SpvBuiltInSamplePosition:
        return ir_fadd(b, ir_const_f(b, 0.5f), ir_shaded_offset(b, key, load->imm2 & 1));
    case SpvBuiltInViewIndex:
        return ir_uniform(b, VC4C_UNIFORM_VIEW_INDEX, 0, 0);
    case SpvBuiltInLayer:
        return ir_uniform(b, VC4C_UNIFORM_VIEW_INDEX, 0, 1);
    case SpvBuiltInViewportIndex:
        return ir_uniform(b, VC4C_UNIFORM_VIEWPORT_INDEX, 0, 0);
    default:
        return ir_subgroup_builtin(b, load);
    }
}

static struct ir_instr *lowered(struct ir_interpolator *in, struct ir_builder *b, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_LOAD_INPUT:
    case IR_LOAD_INPUT_AT:
        return lower_input(in, b, instr);
    case IR_CENTROID_OFFSET:
        return ir_centroid_offset(in, instr->imm);
    case IR_SAMPLE_OFFSET:
        return ir_sample_offset(b, in->key, instr->src[0].def, instr->imm);
    default:
        return lower_builtin(b, in->key, instr);
    }
}

static bool is_input_op(const struct ir_instr *instr)
{
    if (instr->op == IR_LOAD_BUILTIN) /* ir_lower_fs_outputs lowers helper invocation queries */
        return !(instr->imm == SpvBuiltInHelperInvocation && instr->imm2);
    return instr->op == IR_LOAD_INPUT || instr->op == IR_LOAD_INPUT_AT || instr->op == IR_CENTROID_OFFSET ||
           instr->op == IR_SAMPLE_OFFSET;
}

enum vc4c_result ir_lower_fs_inputs(struct ir_shader *shader, const struct vc4c_fragment_key *key,
                                    struct vc4c_error *error)
{
    struct ir_interpolator in;
    ir_interpolator_begin(&in, shader, key);
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (!is_input_op(instr))
                continue;
            struct ir_builder b = ir_before(shader, instr);
            struct ir_instr *by = lowered(&in, &b, instr);
            if (!by)
                return ir_lower_error(error, VC4C_UNSUPPORTED, instr, "%s %u is not supported as a fragment input",
                                      instr->op == IR_LOAD_BUILTIN ? "built-in" : "location", instr->imm);
            ir_replace_uses(instr, by);
            ir_remove(instr);
        }
    }
    ir_interpolator_end(&in);
    return VC4C_OK;
}

/* ---------------------------------------------------------------- more varyings than the chip has */

bool ir_pop_varyings(struct ir_shader *shader)
{
    if (!shader->is_engine || shader->kind != VC4C_PROGRAM_FRAGMENT || shader->input_count <= VC4C_CHIP_SLOTS)
        return false;
    struct ir_instr *pops[VC4C_MAX_SLOTS];
    struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
    for (uint32_t i = 0; i < shader->input_count; i++)
        pops[i] = with_imm(ir_build0(&start, IR_POP_VARYING), i);
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (instr->op != IR_VARYING)
                continue;
            ir_replace_uses(instr, pops[instr->imm]);
            ir_remove(instr);
        }
    }
    shader->pops_varyings = true;
    return true;
}
