/* SPDX-License-Identifier: MIT
 *
 * Sampling in code: wraps, filters, levels and comparisons that the texture unit cannot do [Vulkan, "Texel Input
 * Operations", "Texel Filtering"]. Texels are fetched one by one, from the unit (which then wraps) or by direct
 * lookups.
 */
#include <string.h>
#include "compiler/lower/lower_tex.h"

/* The filter of a level: it may differ between lanes. */
struct filter {
    bool linear;                /* in at least some lanes */
    struct ir_instr *is_linear; /* those lanes; NULL: all lanes use the same filter */
};

/* The one or two texels of an axis. */
struct taps {
    struct ir_instr *at[2];      /* through the unit: normalised coordinates; direct: integers */
    struct ir_instr *outside[2]; /* direct, border wrap: boolean */
    struct ir_instr *weight;     /* weight of the second */
};

static struct ir_instr *const_f(struct ir_tex_lookup *l, float x)
{
    return ir_const_f(l->b, x);
}

static struct ir_instr *fmin2(struct ir_tex_lookup *l, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(l->b, IR_FMIN, x, y);
}

static struct ir_instr *fmax2(struct ir_tex_lookup *l, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(l->b, IR_FMAX, x, y);
}

static struct ir_instr *lerp(struct ir_tex_lookup *l, struct ir_instr *x, struct ir_instr *y, struct ir_instr *weight)
{
    return ir_fadd(l->b, x, ir_fmul(l->b, weight, ir_fsub(l->b, y, x)));
}

/* What a filter makes of two texels, the second of which has a weight. */
static struct ir_instr *filter_two(struct ir_tex_lookup *l, struct ir_instr *x, struct ir_instr *y,
                                   struct ir_instr *weight)
{
    struct ir_builder *b = l->b;
    const uint32_t reduces = l->class->filters & (HW_FILTER_LEAST | HW_FILTER_GREATEST);
    if (!reduces)
        return lerp(l, x, y, weight);
    struct ir_instr *of_both = reduces & HW_FILTER_LEAST ? fmin2(l, x, y) : fmax2(l, x, y);
    return ir_sel(b, ir_build2(b, IR_FNE, weight, ir_const(b, 0)), of_both, x);
}

/* ---------------------------------------------------------------- cubes */

struct ir_tex_face ir_tex_cube_face(struct ir_builder *b, struct ir_instr *const dir[3])
{
    struct ir_instr *x = dir[0], *y = dir[1], *z = dir[2], *zero = ir_const(b, 0), *half = ir_const_f(b, 0.5f);
    struct ir_instr *abs_x = ir_build2(b, IR_FMAXABS, x, x), *abs_y = ir_build2(b, IR_FMAXABS, y, y);
    struct ir_instr *abs_z = ir_build2(b, IR_FMAXABS, z, z);
    struct ir_instr *is_z = ir_build2(b, IR_FGE, abs_z, ir_build2(b, IR_FMAXABS, x, y));
    struct ir_instr *not_z = ir_build1(b, IR_BNOT, is_z), *y_wins = ir_build2(b, IR_FGE, abs_y, abs_x);
    struct ir_tex_face f = {.is_y = ir_build2(b, IR_BAND, not_z, y_wins),
                            .is_x = ir_build2(b, IR_BAND, not_z, ir_build1(b, IR_BNOT, y_wins))};
    struct ir_instr *major = ir_sel(b, f.is_x, x, ir_sel(b, f.is_y, y, z));
    struct ir_instr *negative = ir_build2(b, IR_FLT, major, zero);
    f.sign = ir_sel(b, negative, ir_const_f(b, -1), ir_const_f(b, 1));
    struct ir_instr *s =
        ir_sel(b, f.is_x, ir_fsub(b, zero, ir_fmul(b, f.sign, z)), ir_sel(b, f.is_y, x, ir_fmul(b, f.sign, x)));
    struct ir_instr *t = ir_sel(b, f.is_y, ir_fmul(b, f.sign, z), ir_fsub(b, zero, y));
    f.s = ir_fadd(b, ir_fmul(b, s, half), half);
    f.t = ir_fadd(b, ir_fmul(b, t, half), half);
    struct ir_instr *axis = ir_sel(b, f.is_x, zero, ir_sel(b, f.is_y, ir_const(b, 2), ir_const(b, 4)));
    f.number = ir_build2(b, IR_IADD, axis, ir_sel(b, negative, ir_const(b, 1), zero));
    return f;
}

/* The derivative of c / |m|, where m is the longest component: (dc - c / |m| * d|m|) / |m|. */
static void project_steps(struct ir_tex_lookup *l, struct ir_instr *scale, struct ir_instr *steps[3])
{
    struct ir_builder *b = l->b;
    struct ir_tex_face f = ir_tex_cube_face(b, l->coord);
    struct ir_instr *major = ir_sel(b, f.is_x, steps[0], ir_sel(b, f.is_y, steps[1], steps[2]));
    major = ir_fmul(b, major, f.sign);
    for (uint32_t i = 0; i < 3; i++)
        steps[i] = ir_fmul(b, ir_fsub(b, steps[i], ir_fmul(b, l->coord[i], major)), scale);
}

/* Takes derivatives of the direction itself rather than of face coordinates, so they are right in quads that span an
 * edge of the cube. */
static void find_steps(struct ir_tex_lookup *l)
{
    for (uint32_t i = 0; i < 3; i++) {
        l->ddx[i] = ir_build1(l->b, IR_DDX, l->coord[i]);
        l->ddy[i] = ir_build1(l->b, IR_DDY, l->coord[i]);
    }
}

void ir_tex_project_on_cube(struct ir_tex_lookup *l)
{
    struct ir_builder *b = l->b;
    if (b->shader->has_quads && (l->sample->kind == IR_SAMPLE_IMPLICIT || l->sample->kind == IR_SAMPLE_QUERY_LOD))
        find_steps(l);
    struct ir_instr *major = ir_build2(b, IR_FMAXABS, ir_build2(b, IR_FMAXABS, l->coord[0], l->coord[1]), l->coord[2]);
    struct ir_instr *scale = ir_build1(b, IR_FRCP, major);
    scale->imm = 1;
    for (uint32_t i = 0; i < 3; i++)
        l->coord[i] = ir_fmul(b, l->coord[i], scale);
    if (l->ddx[0]) {
        project_steps(l, scale, l->ddx);
        project_steps(l, scale, l->ddy);
    }
}

/* The direction to a point of a face. Points beyond an edge are folded down onto the adjacent face. */
static void direction(struct ir_builder *b, const struct ir_tex_face *f, struct ir_instr *s, struct ir_instr *t,
                      struct ir_instr *out[3])
{
    struct ir_instr *zero = ir_const(b, 0), *one = ir_const_f(b, 1), *minus_one = ir_const_f(b, -1);
    struct ir_instr *sc = ir_fsub(b, ir_fadd(b, s, s), one), *tc = ir_fsub(b, ir_fadd(b, t, t), one);
    struct ir_instr *height = ir_fsub(b, ir_const_f(b, 2), ir_build2(b, IR_FMAXABS, sc, tc));
    struct ir_instr *major = ir_fmul(b, f->sign, ir_build2(b, IR_FMIN, height, one));
    sc = ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, sc, minus_one), one);
    tc = ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, tc, minus_one), one);
    struct ir_instr *signed_s = ir_fmul(b, f->sign, sc);
    out[0] = ir_sel(b, f->is_x, major, ir_sel(b, f->is_y, sc, signed_s));
    out[1] = ir_sel(b, f->is_y, major, ir_fsub(b, zero, tc));
    out[2] = ir_sel(b, f->is_x, ir_fsub(b, zero, signed_s), ir_sel(b, f->is_y, ir_fmul(b, f->sign, tc), major));
}

/* ---------------------------------------------------------------- texels of an axis */

static struct ir_instr *offset_f(struct ir_tex_lookup *l, uint32_t axis)
{
    struct ir_instr *offset = l->offset[axis];
    if (!offset)
        return NULL;
    return ir_is_const(offset) ? const_f(l, (float)(int32_t)offset->imm) : ir_build1(l->b, IR_ITOF, offset);
}

static struct ir_instr *mirrored_once(struct ir_tex_lookup *l, struct ir_instr *x, uint32_t axis)
{
    return ir_tex_has_flag(l, HW_SAMPLING_MIRROR_S << axis) ? ir_build2(l->b, IR_FMAXABS, x, x) : x;
}

/* The coordinate in texels. */
static struct ir_instr *in_texels(struct ir_tex_lookup *l, struct ir_instr *u, uint32_t axis, struct ir_instr *level)
{
    struct ir_instr *offset = offset_f(l, axis);
    struct ir_instr *x =
        ir_tex_has_flag(l, HW_SAMPLING_UNNORMALIZED) ? u : ir_fmul(l->b, u, ir_tex_size_f(l, axis, level));
    return mirrored_once(l, offset ? ir_fadd(l->b, x, offset) : x, axis);
}

static struct ir_instr *select_filter(struct ir_tex_lookup *l, const struct filter *f, struct ir_instr *linear,
                                      struct ir_instr *nearest)
{
    return f->is_linear ? ir_sel(l->b, f->is_linear, linear, nearest) : linear;
}

/* The offset from a coordinate to the first texel of a pair. A gather selects its four texels from the coordinate
 * rounded to 1/256 texel (subTexelPrecisionBits). Programs gather at middles of texels and rely on getting that texel
 * and the next ones, while an interpolated coordinate may be slightly too small. Filters do not need this: a wrong
 * extra texel has weight 0. Neither do cubes: the division rarely yields the middle of a texel. */
static float half_texel(const struct ir_tex_lookup *l)
{
    return l->sample->kind == IR_SAMPLE_GATHER && l->sample->dim != IR_DIM_CUBE ? 0.5f - 1 / 512.0f : 0.5f;
}

/* Taps at middles of texels, as normalised coordinates. The unit wraps them; on a cube they may lie beyond the face. */
static void unit_taps(struct ir_tex_lookup *l, struct ir_instr *u, uint32_t axis, struct ir_instr *level,
                      const struct filter *f, struct taps *out)
{
    struct ir_builder *b = l->b;
    struct ir_instr *rcp = ir_tex_rcp_size(l, axis, level);
    if (!f->linear && !l->offset[axis]) { /* the unit rounds by itself */
        u = mirrored_once(l, u, axis);
        out->at[0] = ir_tex_has_flag(l, HW_SAMPLING_UNNORMALIZED) ? ir_fmul(b, u, rcp) : u;
        return;
    }
    struct ir_instr *x = in_texels(l, u, axis, level), *zero = ir_const(b, 0);
    if (f->linear)
        x = ir_fsub(b, x, select_filter(l, f, const_f(l, half_texel(l)), zero));
    struct ir_instr *first = ir_build1(b, IR_FFLOOR, x), *second = ir_fadd(b, first, const_f(l, 1));
    if (f->linear)
        out->weight = select_filter(l, f, ir_fsub(b, x, first), zero);
    out->at[0] = ir_fmul(b, ir_fadd(b, first, const_f(l, 0.5f)), rcp);
    out->at[1] = ir_fmul(b, ir_fadd(b, second, const_f(l, 0.5f)), rcp);
}

static enum hw_tex_wrap wrap_of(const struct ir_tex_lookup *l, uint32_t axis)
{
    return (enum hw_tex_wrap)(l->class->wraps >> 2 * axis & 3);
}

/* The coordinate in texels, wrapped to the range 0 to size, or one texel more at each end for border wrap.
 * *is_mirrored_out: the lanes in which a mirrored image runs backwards; NULL for other wraps. */
static struct ir_instr *wrapped_texels(struct ir_tex_lookup *l, struct ir_instr *u, uint32_t axis,
                                       struct ir_instr *level, struct ir_instr **is_mirrored_out)
{
    struct ir_builder *b = l->b;
    struct ir_instr *size = ir_tex_size_f(l, axis, level), *offset = offset_f(l, axis), *x;
    enum hw_tex_wrap wrap = wrap_of(l, axis);
    *is_mirrored_out = NULL;
    if (wrap == HW_WRAP_CLAMP || wrap == HW_WRAP_BORDER) {
        float beyond = wrap == HW_WRAP_BORDER ? 1 : 0;
        x = fmax2(l, in_texels(l, u, axis, level), const_f(l, -beyond));
        return fmin2(l, x, beyond > 0 ? ir_fadd(b, size, const_f(l, 1)) : size);
    }
    if (offset)
        u = ir_fadd(b, u, ir_fmul(b, offset, ir_tex_rcp_size(l, axis, level)));
    if (wrap == HW_WRAP_REPEAT) {
        u = ir_build1(b, IR_FFRACT, u);
    } else { /* HW_WRAP_MIRROR */
        struct ir_instr *part = ir_build1(b, IR_FFRACT, ir_fmul(b, u, const_f(l, 0.5f)));
        part = ir_fadd(b, part, part);
        *is_mirrored_out = ir_build2(b, IR_FLT, const_f(l, 1), part);
        u = fmin2(l, part, ir_fsub(b, const_f(l, 2), part));
    }
    return ir_fmul(b, u, size);
}

/* Wraps tap `i`, which is at most one texel outside, or marks it as outside for border wrap. */
static void wrap_tap(struct ir_tex_lookup *l, uint32_t axis, struct ir_instr *level, struct taps *taps, uint32_t i)
{
    struct ir_builder *b = l->b;
    struct ir_instr *size = ir_tex_size_i(l, axis, level), *zero = ir_const(b, 0), *n = taps->at[i];
    struct ir_instr *last = ir_build2(b, IR_ISUB, size, ir_const(b, 1));
    switch (wrap_of(l, axis)) {
    case HW_WRAP_REPEAT:
        n = i ? ir_sel(b, ir_build2(b, IR_IGE, n, size), zero, n)
              : ir_build2(b, IR_IMIN, ir_sel(b, ir_build2(b, IR_ILT, n, zero), last, n), last);
        break;
    case HW_WRAP_BORDER:
        taps->outside[i] = ir_build2(b, IR_UGE, n, size);
        break;
    default:
        n = ir_build2(b, IR_IMIN, i ? n : ir_build2(b, IR_IMAX, n, zero), last);
        break;
    }
    taps->at[i] = n;
}

/* All coordinates are -1 or more, so 1 is added before truncation to make it round down. */
static void direct_taps(struct ir_tex_lookup *l, struct ir_instr *u, uint32_t axis, struct ir_instr *level,
                        const struct filter *f, struct taps *out)
{
    struct ir_builder *b = l->b;
    bool has_border = wrap_of(l, axis) == HW_WRAP_BORDER;
    float lift = has_border ? 1 : 0;
    struct ir_instr *is_mirrored, *x = wrapped_texels(l, u, axis, level, &is_mirrored);
    if (!f->linear) {
        struct ir_instr *number = ir_build1(b, IR_FTOI, has_border ? ir_fadd(b, x, const_f(l, 1)) : x);
        out->at[0] = has_border ? ir_build2(b, IR_ISUB, number, ir_const(b, 1)) : number;
        wrap_tap(l, axis, level, out, 0);
        return;
    }
    x = ir_fadd(b, x, select_filter(l, f, const_f(l, lift + 1 - half_texel(l)), const_f(l, lift + 1)));
    struct ir_instr *second = ir_build1(b, IR_FTOI, x);
    out->weight = select_filter(l, f, ir_fsub(b, x, ir_build1(b, IR_ITOF, second)), ir_const(b, 0));
    if (has_border)
        second = ir_build2(b, IR_ISUB, second, ir_const(b, 1));
    out->at[0] = ir_build2(b, IR_ISUB, second, ir_const(b, 1));
    out->at[1] = second;
    wrap_tap(l, axis, level, out, 0);
    wrap_tap(l, axis, level, out, 1);
    if (is_mirrored && l->sample->kind == IR_SAMPLE_GATHER) { /* only a gather depends on the order of the two */
        struct ir_instr *first = out->at[0];
        out->at[0] = ir_sel(b, is_mirrored, out->at[1], first);
        out->at[1] = ir_sel(b, is_mirrored, first, out->at[1]);
    }
}

/* ---------------------------------------------------------------- one level */

struct ir_instr *ir_tex_layer(struct ir_tex_lookup *l)
{
    struct ir_builder *b = l->b;
    if (!l->layer)
        return NULL;
    if (l->sample->kind == IR_SAMPLE_FETCH)
        return l->layer;
    struct ir_instr *layer = ir_build1(b, IR_FTOI, ir_build1(b, IR_FROUND, fmax2(l, l->layer, ir_const(b, 0))));
    struct ir_instr *last = ir_build2(b, IR_ISUB, ir_tex_uniform(l, VC4C_UNIFORM_TEX_DEPTH_I, 0), ir_const(b, 1));
    return ir_build2(b, IR_IMIN, layer, last);
}

/* The texels around a coordinate on one level. */
struct footprint {
    struct taps axis[3];
    uint32_t axes;
    struct ir_tex_face face; /* cubes */
    bool folds;              /* cubes: texels beyond an edge of the face are those of the adjacent one */
    struct ir_instr *slice;  /* layer */
    struct ir_instr *level;
};

static struct ir_instr *cube_slice(struct ir_builder *b, const struct footprint *p, struct ir_instr *face)
{
    return p->slice ? ir_build2(b, IR_IADD, ir_build2(b, IR_MUL24, p->slice, ir_const(b, 6)), face) : face;
}

static void find_footprint(struct ir_tex_lookup *l, struct ir_instr *level, const struct filter *f,
                           struct footprint *out)
{
    struct ir_builder *b = l->b;
    bool by_unit = ir_tex_by_unit(l), is_cube = l->sample->dim == IR_DIM_CUBE;
    struct ir_instr *coord[3] = {l->coord[0], l->coord[1], l->coord[2]};
    *out = (struct footprint){.level = level,
                              .slice = by_unit ? NULL : ir_tex_layer(l),
                              .folds = is_cube && (by_unit || !(l->class->wraps & HW_WRAPS_PER_FACE))};
    out->axes = by_unit ? MIN2(ir_tex_axes(l), 2u) : ir_tex_axes(l);
    if (is_cube) {
        out->face = ir_tex_cube_face(b, coord);
        coord[0] = out->face.s;
        coord[1] = out->face.t;
    }
    for (uint32_t i = 0; i < out->axes; i++)
        (by_unit || out->folds ? unit_taps : direct_taps)(l, coord[i], i, level, f, &out->axis[i]);
    if (is_cube && !out->folds)
        out->slice = cube_slice(b, out, out->face.number);
}

static struct ir_instr *or_bool(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    return x && y ? ir_build2(b, IR_BOR, x, y) : x ? x : y;
}

static struct ir_instr *number_of(struct ir_tex_lookup *l, const struct footprint *p, uint32_t axis,
                                  struct ir_instr *coord)
{
    struct ir_builder *b = l->b;
    struct ir_instr *last = ir_build2(b, IR_ISUB, ir_tex_size_i(l, axis, p->level), ir_const(b, 1));
    struct ir_instr *number = ir_build1(b, IR_FTOI, ir_fmul(b, coord, ir_tex_size_f(l, axis, p->level)));
    return ir_build2(b, IR_IMIN, number, last);
}

/* Locates a point on a cube face. With several taps it may lie beyond the edges. */
static void locate_on_cube(struct ir_tex_lookup *l, const struct footprint *p, struct ir_tex_texel *texel)
{
    struct ir_builder *b = l->b;
    struct ir_tex_face face = p->face;
    struct ir_instr *dir[3], *s = texel->s, *t = texel->t;
    bool is_single = !p->axis[0].weight && !p->axis[1].weight;
    if (!is_single || ir_tex_by_unit(l))
        direction(b, &p->face, s, t, dir);
    if (ir_tex_by_unit(l)) {
        texel->s = dir[0];
        texel->t = dir[1];
        texel->r = dir[2];
        return;
    }
    if (!is_single) {
        face = ir_tex_cube_face(b, dir);
        s = face.s;
        t = face.t;
    }
    texel->x = number_of(l, p, 0, s);
    texel->y = number_of(l, p, 1, t);
    texel->slice = cube_slice(b, p, face.number);
}

/* Fetches tap i of the first axis, j of the second, k of the third. Shadow lookups return the comparison's result. */
static void fetch_tap(struct ir_tex_lookup *l, const struct footprint *p, uint32_t i, uint32_t j, uint32_t k,
                      struct ir_instr *out[4])
{
    struct ir_builder *b = l->b;
    struct ir_tex_texel texel = {.level = p->level};
    const struct taps *x = &p->axis[0], *y = &p->axis[1], *z = &p->axis[2];
    if (ir_tex_by_unit(l) || p->folds) {
        texel.s = x->at[i];
        texel.t = p->axes > 1 ? y->at[j] : const_f(l, 0.5f);
    } else {
        texel.x = x->at[i];
        texel.y = p->axes > 1 ? y->at[j] : NULL;
        texel.slice = p->axes > 2 ? z->at[k] : p->slice;
        texel.outside = or_bool(b, or_bool(b, x->outside[i], p->axes > 1 ? y->outside[j] : NULL),
                                p->axes > 2 ? z->outside[k] : NULL);
    }
    if (p->folds)
        locate_on_cube(l, p, &texel);
    ir_tex_fetch(l, &texel, out);
    if (l->sample->shadow)
        out[0] = ir_tex_compare(l, out[0]);
}

/* Begins code that is skipped when its weight is 0 in all lanes. It has blocks of its own, so its register pressure
 * does not add to that of the code before it. */
static struct ir_if *begin_weighted(struct ir_tex_lookup *l, struct ir_instr *weight)
{
    struct ir_builder *b = l->b;
    struct ir_instr *any = ir_build1(b, IR_ANY, ir_build2(b, IR_FNE, weight, ir_const(b, 0)));
    ir_split_block(b);
    return ir_push_if(b, any);
}

static void end_weighted(struct ir_tex_lookup *l, struct ir_if *nif, struct ir_instr *const with[4],
                         struct ir_instr *out[4])
{
    struct ir_builder *b = l->b;
    ir_push_else(b, nif);
    ir_pop_if(b, nif);
    for (uint32_t c = 0; c < 4; c++)
        if (out[c])
            out[c] = ir_build(b, IR_PHI, 32, 2, (struct ir_instr *const[2]){with[c], out[c]});
    ir_join_after(b, &nif->node);
}

/* Blends the taps of axes 0 to `axis`; at[] selects the taps of the other axes. */
static void blend(struct ir_tex_lookup *l, const struct footprint *p, uint32_t axis, uint32_t at[3],
                  struct ir_instr *out[4]);

static void blend_tap(struct ir_tex_lookup *l, const struct footprint *p, uint32_t axis, uint32_t at[3], uint32_t i,
                      struct ir_instr *out[4])
{
    at[axis] = i;
    if (axis)
        blend(l, p, axis - 1, at, out);
    else
        fetch_tap(l, p, at[0], at[1], at[2], out);
}

static void blend(struct ir_tex_lookup *l, const struct footprint *p, uint32_t axis, uint32_t at[3],
                  struct ir_instr *out[4])
{
    struct ir_instr *other[4] = {NULL}, *weight = axis < p->axes ? p->axis[axis].weight : NULL;
    blend_tap(l, p, axis, at, 0, out);
    if (!weight)
        return;
    /* locating the texels of cubes takes the most code, so the second row is skipped when it has no weight */
    bool is_skippable = axis == 1 && p->folds && !ir_tex_by_unit(l);
    struct ir_if *nif = is_skippable ? begin_weighted(l, weight) : NULL;
    blend_tap(l, p, axis, at, 1, other);
    for (uint32_t c = 0; c < 4; c++)
        other[c] = other[c] ? filter_two(l, out[c], other[c], weight) : NULL;
    if (nif)
        end_weighted(l, nif, other, out);
    else
        memcpy(out, other, sizeof other);
}

static void filter_level(struct ir_tex_lookup *l, struct ir_instr *level, const struct filter *f,
                         struct ir_instr *out[4])
{
    struct footprint p;
    uint32_t at[3] = {0};
    find_footprint(l, level, f, &p);
    blend(l, &p, 2, at, out);
}

/* ---------------------------------------------------------------- levels */

/* The LOD with the sampler's clamps, in levels of the view. */
static struct ir_instr *view_lod(struct ir_tex_lookup *l)
{
    struct ir_instr *lod = ir_tex_wanted_lod(l);
    if (!ir_tex_has_flag(l, HW_SAMPLING_LOD_CLAMP))
        return ir_tex_not_below_min_lod(l, lod);
    lod = ir_tex_clamp_lod(l, lod);
    return ir_tex_by_unit(l) ? ir_fsub(l->b, lod, ir_tex_uniform(l, VC4C_UNIFORM_TEX_BASE_LEVEL_F, 0)) : lod;
}

/* Blends two levels. */
static void filter_between(struct ir_tex_lookup *l, struct ir_instr *lod, const struct filter *f,
                           struct ir_instr *out[4])
{
    struct ir_builder *b = l->b;
    struct ir_instr *level = ir_build1(b, IR_FTOI, lod), *next[4] = {NULL};
    struct ir_instr *weight = ir_fsub(b, lod, ir_build1(b, IR_ITOF, level));
    filter_level(l, level, f, out);
    struct ir_if *nif = begin_weighted(l, weight);
    struct ir_instr *last = ir_build2(b, IR_ISUB, ir_tex_uniform(l, VC4C_UNIFORM_TEX_LEVELS_I, 0), ir_const(b, 1));
    filter_level(l, ir_build2(b, IR_IMIN, ir_build2(b, IR_IADD, level, ir_const(b, 1)), last), f, next);
    for (uint32_t c = 0; c < 4; c++)
        next[c] = out[c] ? filter_two(l, out[c], next[c], weight) : NULL;
    end_weighted(l, nif, next, out);
}

void ir_tex_sample_in_code(struct ir_tex_lookup *l, struct ir_instr *out[4])
{
    struct ir_builder *b = l->b;
    uint32_t filters = l->sample->integer ? 0 : l->class->filters;
    bool mag = filters & HW_FILTER_MAG_LINEAR, min = filters & HW_FILTER_MIN_LINEAR;
    bool has_levels = l->class->levels > 1;
    struct filter f = {.linear = mag || min};
    if (!has_levels && mag == min) {
        filter_level(l, NULL, &f, out);
        return;
    }
    struct ir_instr *lod = view_lod(l);
    if (ir_is_const(lod) && util_uif(lod->imm) <= 0) {
        filter_level(l, NULL, &(struct filter){.linear = mag}, out);
        return;
    }
    if (mag != min) {
        f.is_linear = ir_build2(b, IR_FGE, ir_const(b, 0), lod);
        if (min)
            f.is_linear = ir_build1(b, IR_BNOT, f.is_linear);
    }
    if (!has_levels) {
        filter_level(l, NULL, &f, out);
        return;
    }
    lod = fmin2(l, fmax2(l, lod, ir_const(b, 0)), ir_tex_uniform(l, VC4C_UNIFORM_TEX_LAST_LEVEL_F, 0));
    if (!(filters & HW_FILTER_MIP_LINEAR)) {
        filter_level(l, ir_build1(b, IR_FTOI, ir_fadd(b, lod, const_f(l, 0.5f))), &f, out);
        return;
    }
    filter_between(l, lod, &f, out);
}

/* ---------------------------------------------------------------- gathers and comparisons */

/* Returns one component of the four texels that a linear filter reads from the base level, in Vulkan's order. */
void ir_tex_gather(struct ir_tex_lookup *l, struct ir_instr *out[4])
{
    static const uint8_t place[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    const struct filter f = {.linear = true};
    uint32_t wanted = l->needed, component = l->sample->shadow ? 0 : l->sample->gather_component;
    struct footprint p;
    find_footprint(l, NULL, &f, &p);
    l->needed = BIT(component);
    for (uint32_t i = 0; i < 4; i++) {
        struct ir_instr *texel[4] = {NULL};
        if (!(wanted & BIT(i)))
            continue;
        fetch_tap(l, &p, place[i][0], place[i][1], 0, texel);
        out[i] = texel[component];
    }
}

/* Compare functions are in Vulkan's order, 1 = never. */
struct ir_instr *ir_tex_compare(struct ir_tex_lookup *l, struct ir_instr *depth)
{
    struct ir_builder *b = l->b;
    const bool is_float = l->class->flags & HW_SAMPLING_FLOAT_DEPTH;
    struct ir_instr *d = is_float ? l->dref : ir_build1(b, IR_FSAT, l->dref), *holds;
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
