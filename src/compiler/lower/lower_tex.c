/* SPDX-License-Identifier: MIT
 *
 * Texture instructions to lookups of the texture unit and code around them, along the sampling class: the unit takes
 * normalised coordinates and gives four bytes; everything else is done here. [hardware.md 3]
 */
#include "compiler/lower/lower.h"
#include "spv_gen.h"

struct lookup {
    struct ir_builder *b;
    const struct ir_instr *instr;
    const struct ir_sample *sample;
    const struct hw_sampling_class *class;
    uint32_t texture;
    struct ir_instr *coord[3];     /* s, t, r of the unit */
    struct ir_instr *dref, *bias, *lod, *sample_index;
    struct ir_instr *ddx[3], *ddy[3];
    bool is_fetch;
};

static struct ir_instr *uniform(struct lookup *l, enum vc4c_uniform_kind kind, uint32_t data)
{
    return ir_uniform(l->b, kind, l->texture, data);
}

static bool has_flag(const struct lookup *l, uint32_t flag)
{
    return (l->class->flags & flag) != 0;
}

/* ---------------------------------------------------------------- sources */

static void take_sources(struct lookup *l)
{
    const struct ir_sample *s = l->sample;
    uint32_t at = 0, n = s->coord_count;
    struct ir_instr *projector = NULL;
    for (uint32_t i = 0; i < n; i++, at++)
        if (i < 3)
            l->coord[i] = l->instr->src[at].def;
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
    if (at < l->instr->src_count)
        l->sample_index = l->instr->src[at].def;
    if (projector) {
        struct ir_instr *scale = ir_build1(l->b, IR_FRCP, projector);
        for (uint32_t i = 0; i < n - s->is_array; i++)
            l->coord[i] = ir_fmul(l->b, l->coord[i], scale);
        l->dref = l->dref ? ir_fmul(l->b, l->dref, scale) : NULL;
    }
}

/* ---------------------------------------------------------------- level of detail */

static struct ir_instr *size_f(struct lookup *l, uint32_t axis)
{
    return uniform(l, axis ? VC4C_UNIFORM_TEX_HEIGHT_F : VC4C_UNIFORM_TEX_WIDTH_F, 0);
}

/* Length squared of a derivative in texels. On a cube the face coordinate is half the quotient of two components. */
static struct ir_instr *rho_squared(struct lookup *l, struct ir_instr *const d[3])
{
    struct ir_builder *b = l->b;
    struct ir_instr *sum = NULL;
    uint32_t dims = l->sample->dim == IR_DIM_CUBE ? 3 : l->sample->dim == IR_DIM_1D ? 1 : 2;
    for (uint32_t i = 0; i < dims; i++) {
        struct ir_instr *texels = ir_fmul(b, d[i], size_f(l, l->sample->dim == IR_DIM_CUBE ? 0 : i));
        struct ir_instr *square = ir_fmul(b, texels, texels);
        sum = sum ? ir_fadd(b, sum, square) : square;
    }
    return l->sample->dim == IR_DIM_CUBE ? ir_fmul(b, sum, ir_const_f(b, 0.25f)) : sum;
}

/* log2(rho) = log2(rho^2) / 2 */
static struct ir_instr *automatic_lod(struct lookup *l)
{
    struct ir_builder *b = l->b;
    struct ir_instr *dx[3] = {l->ddx[0], l->ddx[1], l->ddx[2]}, *dy[3] = {l->ddy[0], l->ddy[1], l->ddy[2]};
    for (uint32_t i = 0; i < 3 && !l->ddx[0]; i++) {
        if (!l->coord[i])
            continue;
        dx[i] = ir_build1(b, IR_DDX, l->coord[i]);
        dy[i] = ir_build1(b, IR_DDY, l->coord[i]);
    }
    struct ir_instr *rho2 = ir_build2(b, IR_FMAX, rho_squared(l, dx), rho_squared(l, dy));
    return ir_fmul(b, ir_build1(b, IR_SFU_LOG2, rho2), ir_const_f(b, 0.5f));
}

static struct ir_instr *clamp_lod(struct lookup *l, struct ir_instr *lod)
{
    struct ir_builder *b = l->b;
    lod = ir_fadd(b, lod, uniform(l, VC4C_UNIFORM_TEX_LOD_BIAS_F, 0));
    lod = ir_fadd(b, lod, uniform(l, VC4C_UNIFORM_TEX_BASE_LEVEL_F, 0));
    lod = ir_build2(b, IR_FMAX, lod, uniform(l, VC4C_UNIFORM_TEX_LOD_MIN_F, 0));
    return ir_build2(b, IR_FMIN, lod, uniform(l, VC4C_UNIFORM_TEX_LOD_MAX_F, 0));
}

/* Makes l->lod explicit wherever the unit's own choice will not do; leaves it NULL where it will. */
static void choose_lod(struct lookup *l)
{
    struct ir_builder *b = l->b;
    bool is_fragment = b->shader->kind == VC4C_PROGRAM_FRAGMENT, clamps = has_flag(l, HW_SAMPLING_LOD_CLAMP);
    if (l->sample->kind == IR_SAMPLE_IMPLICIT) {
        if (is_fragment && !clamps)
            return;
        l->lod = is_fragment ? automatic_lod(l) : ir_const(b, 0);
        l->lod = l->bias ? ir_fadd(b, l->lod, l->bias) : l->lod;
        l->bias = NULL;
    } else if (l->sample->kind == IR_SAMPLE_GRAD) {
        l->lod = automatic_lod(l);
    }
    if (l->lod && clamps && l->sample->kind != IR_SAMPLE_FETCH)
        l->lod = clamp_lod(l, l->lod);
}

/* ---------------------------------------------------------------- coordinates */

static void cube_coordinates(struct lookup *l)
{
    struct ir_builder *b = l->b;
    struct ir_instr *major = ir_build2(b, IR_FMAXABS, ir_build2(b, IR_FMAXABS, l->coord[0], l->coord[1]), l->coord[2]);
    struct ir_instr *scale = ir_build1(b, IR_FRCP, major);
    scale->imm = 1;
    for (uint32_t i = 0; i < 3; i++)
        l->coord[i] = ir_fmul(b, l->coord[i], scale);
}

static void scale_to_unit(struct lookup *l, uint32_t axis)
{
    enum vc4c_uniform_kind kind = axis ? VC4C_UNIFORM_TEX_RCP_HEIGHT_F : VC4C_UNIFORM_TEX_RCP_WIDTH_F;
    l->coord[axis] = ir_fmul(l->b, l->coord[axis], uniform(l, kind, 0));
}

/* Size of a level along an axis, as an integer. */
static struct ir_instr *level_size(struct lookup *l, uint32_t axis, struct ir_instr *lod)
{
    struct ir_builder *b = l->b;
    struct ir_instr *size = uniform(l, axis ? VC4C_UNIFORM_TEX_HEIGHT_I : VC4C_UNIFORM_TEX_WIDTH_I, 0);
    if (!lod || (ir_is_const(lod) && lod->imm == 0))
        return size;
    return ir_build2(b, IR_IMAX, ir_build2(b, IR_SHR, size, lod), ir_const(b, 1));
}

/* texelFetch: the middle of the texel, in a level that is given. Where the view does not begin at the unit's level 0 every
 * fetch names its level. */
static void fetch_coordinates(struct lookup *l)
{
    struct ir_builder *b = l->b;
    bool is_base = !l->lod || (ir_is_const(l->lod) && l->lod->imm == 0);
    uint32_t dims = l->sample->dim == IR_DIM_1D ? 1 : 2;
    for (uint32_t i = 0; i < dims; i++) {
        struct ir_instr *texel = l->coord[i];
        if (l->sample->offset[i])
            texel = ir_build2(b, IR_IADD, texel, ir_const(b, (uint32_t)(int32_t)l->sample->offset[i]));
        l->coord[i] = ir_fadd(b, ir_build1(b, IR_ITOF, texel), ir_const_f(b, 0.5f));
        if (is_base)
            scale_to_unit(l, i);
        else
            l->coord[i] = ir_fmul(b, l->coord[i], ir_build1(b, IR_FRCP, ir_build1(b, IR_ITOF, level_size(l, i, l->lod))));
    }
    l->is_fetch = true;
    l->lod = is_base ? NULL : ir_build1(b, IR_ITOF, l->lod);
    if (has_flag(l, HW_SAMPLING_LOD_CLAMP)) {
        struct ir_instr *base = uniform(l, VC4C_UNIFORM_TEX_BASE_LEVEL_F, 0);
        l->lod = l->lod ? ir_fadd(b, l->lod, base) : base;
    }
}

/* An offset in texels of the base level; the unit cannot tell which level it will read. */
static void add_offsets(struct lookup *l)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (!l->sample->offset[i] || !l->coord[i])
            continue;
        enum vc4c_uniform_kind kind = i ? VC4C_UNIFORM_TEX_RCP_HEIGHT_F : VC4C_UNIFORM_TEX_RCP_WIDTH_F;
        struct ir_instr *step = ir_fmul(l->b, uniform(l, kind, 0), ir_const_f(l->b, l->sample->offset[i]));
        l->coord[i] = ir_fadd(l->b, l->coord[i], step);
    }
}

static void make_coordinates(struct lookup *l)
{
    if (l->sample->kind == IR_SAMPLE_FETCH) {
        fetch_coordinates(l);
    } else {
        if (l->sample->dim == IR_DIM_CUBE)
            cube_coordinates(l);
        for (uint32_t i = 0; i < 2 && has_flag(l, HW_SAMPLING_UNNORMALIZED); i++)
            if (l->coord[i])
                scale_to_unit(l, i);
        add_offsets(l);
        choose_lod(l);
    }
    if (l->sample->dim == IR_DIM_1D)
        l->coord[1] = ir_const_f(l->b, 0.5f);
}

/* ---------------------------------------------------------------- the lookup itself */

/* One request. The unit pops P0, P1, ... in the order of the writes: [r], t, [b], s. */
static struct ir_instr *build_tex(struct lookup *l)
{
    bool is_cube = l->sample->dim == IR_DIM_CUBE, has_border = has_flag(l, HW_SAMPLING_BORDER) && !is_cube;
    struct ir_instr *srcs[4] = {l->coord[0], l->coord[1]}, *b_param = l->lod ? l->lod : l->bias;
    uint32_t count = 2;
    struct ir_tex tex = {.texture = (uint8_t)l->texture, .has_r = is_cube || has_border, .has_b = b_param != NULL};
    if (tex.has_r)
        srcs[count++] = is_cube ? l->coord[2] : uniform(l, VC4C_UNIFORM_TEX_BORDER, 0);
    if (tex.has_b)
        srcs[count++] = b_param;
    tex.param_count = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++)
        tex.p[i] = (struct vc4c_uniform){.kind = VC4C_UNIFORM_TEX_ZERO, .ref = (uint8_t)l->texture};
    tex.p[0].kind = VC4C_UNIFORM_TEX_P0;
    tex.p[1].kind = VC4C_UNIFORM_TEX_P1;
    tex.p[1].data = l->is_fetch ? 1 + 2 * (l->lod != NULL) : 0;
    if (count > 2 && (is_cube || l->lod)) {
        tex.p[2].kind = VC4C_UNIFORM_TEX_P2_LOD;
        tex.p[2].data = l->lod != NULL;
    }
    struct ir_instr *instr = ir_build(l->b, IR_TEX, 32, count, srcs);
    instr->tex = tex;
    return instr;
}

/* ---------------------------------------------------------------- results */

static struct ir_instr *swizzled(struct lookup *l, uint32_t swizzle, struct ir_instr *const x[4])
{
    if (swizzle == HW_SWIZZLE_0)
        return ir_const(l->b, 0);
    if (swizzle == HW_SWIZZLE_1)
        return l->sample->integer ? ir_const(l->b, 1) : ir_const_f(l->b, 1);
    return x[swizzle];
}

static bool is_used(const struct ir_instr *sample, uint32_t component)
{
    util_list_for_each(const struct ir_src, use, &sample->value.uses, link)
        if (use->user->imm == component)
            return true;
    return false;
}

static void native_results(struct lookup *l, struct ir_instr *word, struct ir_instr *out[4])
{
    bool is_srgb = hw_format_is_srgb(l->class->format);
    for (uint32_t i = 0; i < 4; i++) {
        if (!is_used(l->instr, i))
            continue;
        uint32_t from = l->class->swizzle[i];
        if (from >= HW_SWIZZLE_0) {
            out[i] = swizzled(l, from, NULL);
            continue;
        }
        out[i] = ir_unpack_part_f(l->b, word, 2 + from);
        if (is_srgb && from < 3) /* the fourth byte is alpha */
            out[i] = ir_srgb_to_linear(l->b, out[i]);
    }
}

/* A raw word is what the unit reads as RGBA8888 with nearest filters. */
static void raw_results(struct lookup *l, struct ir_instr *word, struct ir_instr *out[4])
{
    struct ir_instr *texel[4];
    struct ir_builder *b = l->b;
    if (l->class->format == HW_FORMAT_Z24S8) {
        struct ir_instr *depth = ir_build1(b, IR_ITOF, ir_build2(b, IR_SHR, word, ir_const(b, 8)));
        texel[0] = ir_fmul(b, depth, ir_const_f(b, 1 / 16777215.0f));
        if (l->sample->integer) /* the stencil aspect */
            texel[0] = ir_build2(b, IR_AND, word, ir_const(b, 0xff));
        texel[1] = texel[2] = ir_const(b, 0);
        texel[3] = l->sample->integer ? ir_const(b, 1) : ir_const_f(b, 1);
    } else {
        ir_unpack_format(b, l->class->format, (struct ir_instr *const[4]){word}, texel);
    }
    for (uint32_t i = 0; i < 4; i++)
        out[i] = swizzled(l, l->class->swizzle[i], texel);
}

/* Vulkan: the result is dref OP depth; functions in Vulkan's order, 1 = never. */
static struct ir_instr *compare(struct lookup *l, struct ir_instr *depth)
{
    struct ir_builder *b = l->b;
    struct ir_instr *d = ir_build1(b, IR_FSAT, l->dref), *holds;
    switch (l->class->compare) {
    case 2:
        holds = ir_build2(b, IR_FLT, d, depth);
        break;
    case 3:
        holds = ir_build2(b, IR_FEQ, d, depth);
        break;
    case 4:
        holds = ir_build2(b, IR_FGE, depth, d);
        break;
    case 5:
        holds = ir_build2(b, IR_FLT, depth, d);
        break;
    case 6:
        holds = ir_build2(b, IR_FNE, d, depth);
        break;
    case 7:
        holds = ir_build2(b, IR_FGE, d, depth);
        break;
    case 8:
        holds = ir_const_bool(b, true);
        break;
    default:
        holds = ir_const_bool(b, false);
        break;
    }
    return ir_sel(b, holds, ir_const_f(b, 1), ir_const(b, 0));
}

static enum vc4c_result sample(struct lookup *l, struct ir_instr *out[4], struct vc4c_error *error)
{
    const struct ir_sample *s = l->sample;
    if (s->dim == IR_DIM_3D || s->dim == IR_DIM_BUFFER || s->dim == IR_DIM_SUBPASS || s->is_array || s->multisampled)
        return ir_lower_error(error, VC4C_UNSUPPORTED, l->instr,
                              "sampling 3D, array, multisampled and buffer images and input attachments");
    if (l->class->method != HW_SAMPLE_NATIVE && l->class->method != HW_SAMPLE_RAW32)
        return ir_lower_error(error, VC4C_UNSUPPORTED, l->instr, "sampling images of format %s this way",
                              hw_format_info(l->class->format)->name);
    if (s->kind == IR_SAMPLE_GATHER)
        return ir_lower_error(error, VC4C_UNSUPPORTED, l->instr, "textureGather");
    make_coordinates(l);
    struct ir_instr *word = build_tex(l);
    if (l->class->method == HW_SAMPLE_NATIVE)
        native_results(l, word, out);
    else
        raw_results(l, word, out);
    if (s->shadow && out[0])
        out[0] = compare(l, out[0]);
    return VC4C_OK;
}

/* ---------------------------------------------------------------- queries */

static void query_size(struct lookup *l, struct ir_instr *out[4])
{
    uint32_t n = l->sample->dim == IR_DIM_1D ? 1 : 2;
    for (uint32_t i = 0; i < n; i++)
        out[i] = level_size(l, i, l->lod);
    if (l->sample->dim == IR_DIM_3D) {
        struct ir_instr *depth = uniform(l, VC4C_UNIFORM_TEX_DEPTH_I, 0);
        if (l->lod)
            depth = ir_build2(l->b, IR_IMAX, ir_build2(l->b, IR_SHR, depth, l->lod), ir_const(l->b, 1));
        out[n++] = depth;
    }
    if (l->sample->is_array)
        out[n] = uniform(l, VC4C_UNIFORM_TEX_DEPTH_I, 0);
}

static void query_lod(struct lookup *l, struct ir_instr *out[4])
{
    if (l->sample->dim == IR_DIM_CUBE)
        cube_coordinates(l);
    out[1] = automatic_lod(l);
    out[0] = clamp_lod(l, out[1]);
}

/* ---------------------------------------------------------------- the pass */

static enum vc4c_result lower_one(struct ir_builder *b, struct ir_instr *instr, const struct vc4c_key *key,
                                  struct vc4c_error *error)
{
    struct ir_instr *out[4] = {NULL};
    struct lookup l = {.b = b, .instr = instr, .sample = &instr->sample, .texture = instr->sample.texture};
    enum vc4c_result result = VC4C_OK;
    if (l.texture >= key->class_count)
        return ir_lower_error(error, VC4C_INVALID, instr, "the key has no sampling class for texture %u", l.texture);
    l.class = &key->classes[l.texture];
    take_sources(&l);
    switch ((enum ir_sample_kind)instr->sample.kind) {
    case IR_SAMPLE_QUERY_SIZE:
        query_size(&l, out);
        break;
    case IR_SAMPLE_QUERY_LEVELS:
        out[0] = uniform(&l, VC4C_UNIFORM_TEX_LEVELS_I, 0);
        break;
    case IR_SAMPLE_QUERY_LOD:
        query_lod(&l, out);
        break;
    default:
        result = sample(&l, out, error);
        break;
    }
    if (result)
        return result;
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
    /* Results go with their lookup, so the walk starts anew behind each one. */
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
