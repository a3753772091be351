/* SPDX-License-Identifier: MIT
 *
 * Lowers texture instructions to lookups and surrounding code, according to the sampling class. This file takes the
 * sources of an instruction apart, selects the lowering, and contains the lowerings where the texture unit filters: the
 * unit takes normalised coordinates and returns four bytes. [hardware.md 3]
 */
#include "compiler/lower/lower_tex.h"

/* ---------------------------------------------------------------- sources */

static void take_offsets(struct ir_tex_lookup *l, uint32_t *at)
{
    uint32_t axes = ir_tex_axes(l);
    for (uint32_t i = 0; i < axes; i++) {
        if (l->sample->has_offset)
            l->offset[i] = l->instr->src[(*at)++].def;
        else if (l->sample->offset[i])
            l->offset[i] = ir_const(l->b, (uint32_t)(int32_t)l->sample->offset[i]);
    }
}

static void take_sources(struct ir_tex_lookup *l)
{
    const struct ir_sample *s = l->sample;
    uint32_t at = 0, n = s->coord_count;
    struct ir_instr *projector = NULL;
    for (uint32_t i = 0; i < n; i++, at++) {
        if (s->is_array && i == n - 1)
            l->layer = l->instr->src[at].def;
        else if (i < 3)
            l->coord[i] = l->instr->src[at].def;
    }
    if (s->projected)
        projector = l->instr->src[at++].def;
    if (s->shadow)
        l->dref = l->instr->src[at++].def;
    if (s->has_bias)
        l->bias = l->instr->src[at++].def;
    if (s->has_lod)
        l->lod = l->instr->src[at++].def;
    if (s->kind == IR_SAMPLE_GRAD) {
        uint32_t dims = n - s->is_array;
        for (uint32_t i = 0; i < dims; i++)
            l->ddx[i] = l->instr->src[at + i].def;
        for (uint32_t i = 0; i < dims; i++)
            l->ddy[i] = l->instr->src[at + dims + i].def;
        at += 2 * dims;
    }
    take_offsets(l, &at);
    if (s->has_min_lod)
        l->min_lod = l->instr->src[l->instr->src_count - 1].def;
    else if (at < l->instr->src_count)
        l->sample_index = l->instr->src[at].def;
    if (projector) {
        struct ir_instr *scale = ir_build1(l->b, IR_FRCP, projector);
        for (uint32_t i = 0; i < n - s->is_array; i++)
            l->coord[i] = ir_fmul(l->b, l->coord[i], scale);
        l->dref = l->dref ? ir_fmul(l->b, l->dref, scale) : NULL;
    }
}

static uint32_t used_components(const struct ir_instr *sample)
{
    uint32_t mask = 0;
    util_list_for_each(const struct ir_src, use, &sample->value.uses, link)
        mask |= BIT(use->user->imm);
    return mask;
}

/* ---------------------------------------------------------------- lookups that the unit filters */

/* The LOD that the unit has to be given, or NULL when the unit's automatic LOD is right. */
static struct ir_instr *explicit_lod(struct ir_tex_lookup *l)
{
    bool clamps = ir_tex_has_flag(l, HW_SAMPLING_LOD_CLAMP);
    if (l->sample->kind == IR_SAMPLE_IMPLICIT && l->b->shader->has_quads && !clamps && !l->min_lod)
        return NULL;
    struct ir_instr *lod = ir_tex_wanted_lod(l);
    return clamps ? ir_tex_clamp_lod(l, lod) : ir_tex_not_below_min_lod(l, lod);
}

/* Adds an offset in texels of the base level. With several levels it is unknown which one the unit reads, so such
 * lookups have another class. */
static void add_offset(struct ir_tex_lookup *l, uint32_t axis)
{
    struct ir_builder *b = l->b;
    struct ir_instr *offset = l->offset[axis];
    if (!offset || !l->coord[axis])
        return;
    offset = ir_is_const(offset) ? ir_const_f(b, (float)(int32_t)offset->imm) : ir_build1(b, IR_ITOF, offset);
    l->coord[axis] = ir_fadd(b, l->coord[axis], ir_fmul(b, ir_tex_rcp_size(l, axis, NULL), offset));
}

static void sample_by_unit(struct ir_tex_lookup *l, struct ir_instr *out[4])
{
    struct ir_builder *b = l->b;
    bool is_cube = l->sample->dim == IR_DIM_CUBE;
    for (uint32_t i = 0; i < 2 && ir_tex_has_flag(l, HW_SAMPLING_UNNORMALIZED); i++)
        if (l->coord[i])
            l->coord[i] = ir_fmul(b, l->coord[i], ir_tex_rcp_size(l, i, NULL));
    for (uint32_t i = 0; i < 2; i++) {
        add_offset(l, i);
        if (l->coord[i] && ir_tex_has_flag(l, HW_SAMPLING_MIRROR_S << i))
            l->coord[i] = ir_build2(b, IR_FMAXABS, l->coord[i], l->coord[i]);
    }
    struct ir_instr *lod = explicit_lod(l);
    struct ir_tex_request request = {.s = l->coord[0],
                                     .t = l->coord[1],
                                     .r = is_cube ? l->coord[2] : NULL,
                                     .b = lod ? lod : l->bias,
                                     .b_is_lod = lod != NULL};
    if (l->sample->dim == IR_DIM_1D)
        request.t = ir_const_f(b, 0.5f);
    ir_tex_request_decoded(l, request, out);
    if (l->sample->shadow)
        out[0] = ir_tex_compare(l, out[0]);
}

/* ---------------------------------------------------------------- fetches */

static struct ir_instr *texel_coord(struct ir_tex_lookup *l, uint32_t axis)
{
    return l->offset[axis] ? ir_build2(l->b, IR_IADD, l->coord[axis], l->offset[axis]) : l->coord[axis];
}

/* Fetches through the unit read at the middle of the texel. When the view does not begin at the unit's level 0, every
 * fetch has an explicit level. */
static void fetch(struct ir_tex_lookup *l, struct ir_instr *out[4])
{
    struct ir_builder *b = l->b;
    struct ir_tex_texel texel = {.level = l->lod, .sample = l->sample_index, .slice = ir_tex_layer(l)};
    uint32_t axes = ir_tex_axes(l);
    if (l->lod && ir_is_const(l->lod) && l->lod->imm == 0)
        texel.level = NULL;
    if (ir_tex_by_unit(l)) {
        struct ir_instr *middle[2] = {NULL, ir_const_f(b, 0.5f)};
        for (uint32_t i = 0; i < MIN2(axes, 2u); i++)
            middle[i] = ir_fmul(b, ir_fadd(b, ir_build1(b, IR_ITOF, texel_coord(l, i)), ir_const_f(b, 0.5f)),
                                ir_tex_rcp_size(l, i, texel.level));
        texel.s = middle[0];
        texel.t = middle[1];
    } else {
        texel.x = texel_coord(l, 0);
        texel.y = axes > 1 ? texel_coord(l, 1) : NULL;
        texel.slice = axes > 2 ? texel_coord(l, 2) : texel.slice;
    }
    ir_tex_fetch(l, &texel, out);
}

/* Zero where a fetch is outside of the image, in the components that the format has. */
static void zero_outside(struct ir_tex_lookup *l, struct ir_instr *out[4])
{
    struct ir_builder *b = l->b;
    const uint32_t axes = l->sample->dim == IR_DIM_BUFFER ? 1 : ir_tex_axes(l);
    struct ir_instr *inside = NULL, *bounds[6][2] = {{NULL}};
    uint32_t count = 0;
    for (uint32_t i = 0; i < axes; i++, count++) {
        bounds[count][0] = l->sample->dim == IR_DIM_BUFFER ? l->coord[i] : texel_coord(l, i);
        bounds[count][1] = ir_tex_size_i(l, i, l->lod);
    }
    if (l->sample->is_array) {
        bounds[count][0] = l->layer;
        bounds[count++][1] = ir_tex_uniform(l, VC4C_UNIFORM_TEX_DEPTH_I, 0);
    }
    if (l->lod) {
        bounds[count][0] = l->lod;
        bounds[count++][1] = ir_tex_uniform(l, VC4C_UNIFORM_TEX_LEVELS_I, 0);
    }
    if (l->sample_index) {
        bounds[count][0] = l->sample_index;
        bounds[count++][1] = ir_tex_uniform(l, VC4C_UNIFORM_TEX_SAMPLES_I, 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct ir_instr *is_below = ir_build2(b, IR_ULT, bounds[i][0], bounds[i][1]);
        inside = inside ? ir_build2(b, IR_BAND, inside, is_below) : is_below;
    }
    for (uint32_t i = 0; i < 4; i++)
        if (out[i] && !ir_is_const(out[i]))
            out[i] = ir_sel(b, inside, out[i], ir_const(b, 0));
}

/* Clamps the index so that an index past the end reads the whole last texel. The lookup clamps each word separately,
 * so it could return words of different texels. */
static void fetch_buffer(struct ir_tex_lookup *l, struct ir_instr *out[4])
{
    struct ir_builder *b = l->b;
    struct ir_instr *words[4] = {NULL}, *index = l->coord[0];
    if (hw_format_info(l->class->format)->block_B > 4) {
        struct ir_instr *last = ir_build2(b, IR_ISUB, ir_tex_uniform(l, VC4C_UNIFORM_TEX_WIDTH_I, 0), ir_const(b, 1));
        index = ir_build2(b, IR_IMIN, ir_build2(b, IR_IMAX, index, ir_const(b, 0)), last);
    }
    ir_direct_words(l, ir_direct_buffer_offset(l, index), words);
    ir_tex_decode(l, words, 0, out);
}

/* Adds the fragment's position to the coordinates: input attachments are read at the fragment. */
static void locate_fragment(struct ir_tex_lookup *l)
{
    struct ir_builder *b = l->b;
    if (l->class->method == HW_SAMPLE_DIRECT) /* multiview: the view may have several layers */
        l->layer = ir_uniform(b, VC4C_UNIFORM_VIEW_INDEX, 0, 1);
    for (uint32_t i = 0; i < 2; i++) {
        struct ir_instr *origin = ir_uniform(b, VC4C_UNIFORM_FRAG_COORD_OFFSET, 0, 2 + i);
        struct ir_instr *pixel = ir_build2(b, IR_IADD, ir_build0(b, i ? IR_FRAG_Y : IR_FRAG_X), origin);
        l->coord[i] = ir_build2(b, IR_IADD, l->coord[i], pixel);
    }
}

/* ---------------------------------------------------------------- queries */

static bool may_be_null(const struct ir_tex_lookup *l)
{
    return l->b->shader->robustness & VC4C_ROBUST_NULLS;
}

/* Every level of a null image has the size zero. */
static void query_size(struct ir_tex_lookup *l, struct ir_instr *out[4])
{
    uint32_t n = l->sample->dim == IR_DIM_BUFFER ? 1 : ir_tex_axes(l);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = ir_tex_size_i(l, i, l->lod);
        if (l->lod && may_be_null(l))
            out[i] = ir_build2(l->b, IR_IMIN, out[i], ir_tex_size_i(l, i, NULL));
    }
    if (l->sample->is_array)
        out[n] = ir_tex_uniform(l, VC4C_UNIFORM_TEX_DEPTH_I, 0);
}

static void query_lod(struct ir_tex_lookup *l, struct ir_instr *out[4])
{
    struct ir_builder *b = l->b;
    if (l->sample->dim == IR_DIM_CUBE)
        ir_tex_project_on_cube(l);
    out[1] = ir_tex_automatic_lod(l);
    struct ir_instr *lod = ir_fsub(b, ir_tex_clamp_lod(l, out[1]), ir_tex_uniform(l, VC4C_UNIFORM_TEX_BASE_LEVEL_F, 0));
    lod = ir_build2(b, IR_FMAX, lod, ir_const(b, 0));
    lod = ir_build2(b, IR_FMIN, lod, ir_tex_uniform(l, VC4C_UNIFORM_TEX_LAST_LEVEL_F, 0));
    struct ir_instr *nearest = ir_build1(b, IR_FTOI, ir_fadd(b, lod, ir_const_f(b, 0.5f)));
    struct ir_instr *takes_two =
        ir_build2(b, IR_INE, ir_tex_uniform(l, VC4C_UNIFORM_TEX_MIP_LINEAR_I, 0), ir_const(b, 0));
    out[0] = ir_sel(b, takes_two, lod, ir_build1(b, IR_ITOF, nearest));
    if (!may_be_null(l))
        return;
    struct ir_instr *is_bound = ir_build2(b, IR_INE, ir_tex_uniform(l, VC4C_UNIFORM_TEX_WIDTH_I, 0), ir_const(b, 0));
    for (uint32_t i = 0; i < 2; i++)
        out[i] = ir_sel(b, is_bound, out[i], ir_const(b, 0));
}

/* ---------------------------------------------------------------- the pass */

static bool unit_can_filter(const struct ir_tex_lookup *l)
{
    return ir_tex_by_unit(l) && !ir_tex_has_flag(l, HW_SAMPLING_IN_CODE);
}

static void sample_once(struct ir_tex_lookup *l, struct ir_instr *out[4])
{
    if (unit_can_filter(l))
        sample_by_unit(l, out);
    else
        ir_tex_sample_in_code(l, out);
}

static void lower_lookup(struct ir_tex_lookup *l, struct ir_instr *out[4])
{
    if (l->sample->dim == IR_DIM_SUBPASS && l->class->method != HW_SAMPLE_TILE)
        locate_fragment(l);
    switch ((enum ir_sample_kind)l->sample->kind) {
    case IR_SAMPLE_QUERY_SIZE:
        query_size(l, out);
        break;
    case IR_SAMPLE_QUERY_LEVELS:
        out[0] = ir_tex_uniform(l, VC4C_UNIFORM_TEX_LEVELS_I, 0);
        break;
    case IR_SAMPLE_QUERY_SAMPLES:
        out[0] = ir_tex_uniform(l, VC4C_UNIFORM_TEX_SAMPLES_I, 0);
        break;
    case IR_SAMPLE_QUERY_LOD:
        query_lod(l, out);
        break;
    case IR_SAMPLE_GATHER:
        if (l->sample->dim == IR_DIM_CUBE)
            ir_tex_project_on_cube(l);
        ir_tex_gather(l, out);
        break;
    case IR_SAMPLE_FETCH:
        if (l->class->method == HW_SAMPLE_TILE)
            ir_tex_fetch(l, NULL, out);
        else if (l->sample->dim == IR_DIM_BUFFER)
            fetch_buffer(l, out);
        else
            fetch(l, out);
        if (l->sample->dim != IR_DIM_SUBPASS &&
            (l->b->shader->robustness &
             (l->sample->dim == IR_DIM_BUFFER ? VC4C_ROBUST_UNIFORM_BUFFERS : VC4C_ROBUST_IMAGES)))
            zero_outside(l, out);
        break;
    default:
        if (l->sample->shadow)
            l->needed = 1;
        if (l->sample->dim == IR_DIM_CUBE)
            ir_tex_project_on_cube(l);
        if (ir_tex_is_anisotropic(l))
            ir_tex_sample_anisotropic(l, out, sample_once);
        else
            sample_once(l, out);
        break;
    }
}

static enum vc4c_result lower_one(struct ir_builder *b, struct ir_instr *instr, const struct vc4c_key *key,
                                  struct vc4c_error *error)
{
    struct ir_instr *out[4] = {NULL};
    struct ir_tex_lookup l = {.b = b,
                              .instr = instr,
                              .sample = &instr->sample,
                              .texture = instr->sample.texture,
                              .needed = used_components(instr)};
    if (l.texture >= key->class_count)
        return ir_lower_error(error, VC4C_INVALID, instr, "the key has no sampling class for texture %u", l.texture);
    l.class = &key->classes[l.texture];
    take_sources(&l);
    if (l.needed)
        lower_lookup(&l, out);
    util_list_for_each_safe(struct ir_src, use, &instr->value.uses, link) {
        struct ir_instr *component = use->user, *by = out[component->imm];
        ir_replace_uses(component, by ? by : ir_const(b, 0));
        ir_remove(component);
    }
    ir_remove(instr);
    return VC4C_OK;
}

enum vc4c_result ir_lower_tex(struct ir_shader *shader, const struct vc4c_key *key, struct vc4c_error *error)
{
    /* lower_one() also removes the users of the lookup, so the walk restarts after each one. */
    for (bool found = true; found;) {
        found = false;
        ir_for_each_block(block, shader) {
            ir_for_each_instr(instr, block) {
                if (instr->op != IR_SAMPLE)
                    continue;
                struct ir_builder b = ir_before(shader, instr);
                enum vc4c_result result = lower_one(&b, instr, key, error);
                if (result)
                    return result;
                found = true;
                break;
            }
            if (found)
                break;
        }
    }
    return VC4C_OK;
}
