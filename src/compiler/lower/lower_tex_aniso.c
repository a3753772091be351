/* SPDX-License-Identifier: MIT
 *
 * Anisotropic filtering, which the unit does not have [Vulkan, "Texel Anisotropic Filtering"]. The number of lookups is
 * the ratio of the longer to the shorter axis of the pixel's footprint. They are evenly spaced along the longer axis,
 * each reads the level that suits the shorter axis, and the result is their mean. Lanes that need fewer lookups than
 * others idle until all are done.
 */
#include "compiler/lower/lower_tex.h"

bool ir_tex_is_anisotropic(const struct ir_tex_lookup *l)
{
    bool has_steps =
        l->sample->kind == IR_SAMPLE_GRAD || (l->sample->kind == IR_SAMPLE_IMPLICIT && l->b->shader->has_quads);
    return l->class->anisotropy > 1 && has_steps && l->sample->dim == IR_DIM_2D;
}

/* The footprint of a pixel. */
struct extent {
    struct ir_instr *step[2];    /* of the coordinates, along the longer axis */
    struct ir_instr *log_longer; /* log2 of its length in texels */
    struct ir_instr *taps;       /* 1 or more, a whole number as a float */
};

static struct ir_instr *length_squared(struct ir_tex_lookup *l, struct ir_instr *const d[2])
{
    struct ir_builder *b = l->b;
    struct ir_instr *s = ir_fmul(b, d[0], ir_tex_size_f(l, 0, NULL)), *t = ir_fmul(b, d[1], ir_tex_size_f(l, 1, NULL));
    return ir_fadd(b, ir_fmul(b, s, s), ir_fmul(b, t, t));
}

static struct ir_instr *half_log2(struct ir_tex_lookup *l, struct ir_instr *x)
{
    return ir_fmul(l->b, ir_build1(l->b, IR_SFU_LOG2, x), ir_const_f(l->b, 0.5f));
}

static struct extent find_extent(struct ir_tex_lookup *l)
{
    const float min_length_squared = 1e-12f; /* texels, squared: avoids the logarithm of 0 */
    struct ir_builder *b = l->b;
    struct ir_instr *dx[2] = {l->ddx[0], l->ddx[1]}, *dy[2] = {l->ddy[0], l->ddy[1]};
    struct extent e;
    for (uint32_t i = 0; i < 2 && !l->ddx[0]; i++) {
        dx[i] = ir_build1(b, IR_DDX, l->coord[i]);
        dy[i] = ir_build1(b, IR_DDY, l->coord[i]);
    }
    struct ir_instr *x = length_squared(l, dx), *y = length_squared(l, dy), *is_x = ir_build2(b, IR_FGE, x, y);
    for (uint32_t i = 0; i < 2; i++)
        e.step[i] = ir_sel(b, is_x, dx[i], dy[i]);
    struct ir_instr *floor = ir_const_f(b, min_length_squared);
    e.log_longer = half_log2(l, ir_build2(b, IR_FMAX, ir_build2(b, IR_FMAX, x, y), floor));
    struct ir_instr *log_shorter = half_log2(l, ir_build2(b, IR_FMAX, ir_build2(b, IR_FMIN, x, y), floor));
    struct ir_instr *ratio = ir_build1(b, IR_SFU_EXP2, ir_fsub(b, e.log_longer, log_shorter));
    ratio = ir_build2(b, IR_FMIN, ratio, ir_const_f(b, l->class->anisotropy));
    /* Rounded up, unless the fraction is below 1/16: the SFU's logarithms and exponentials are not more precise. */
    struct ir_instr *whole = ir_build1(b, IR_FFLOOR, ir_fadd(b, ratio, ir_const_f(b, 15.0f / 16)));
    e.taps = ir_build2(b, IR_FMAX, whole, ir_const_f(b, 1));
    return e;
}

struct tap_loop {
    struct ir_loop *loop;
    struct ir_instr *at;   /* position of the tap along the step, from -1/2 to 1/2 */
    struct ir_instr *left; /* remaining taps, including this one */
    struct ir_instr *sum[4];
};

static struct ir_instr *loop_value(struct ir_tex_lookup *l, struct ir_instr *first)
{
    struct ir_instr *phi = ir_build(l->b, IR_PHI, 32, 2, NULL);
    ir_src_set(&phi->src[0], first);
    return phi;
}

static void begin_loop(struct ir_tex_lookup *l, const struct extent *e, struct ir_instr *distance, struct tap_loop *out)
{
    struct ir_builder *b = l->b;
    struct ir_instr *first = ir_fmul(b, ir_fsub(b, distance, ir_const_f(b, 1)), ir_const_f(b, 0.5f));
    struct ir_instr *zero = ir_const(b, 0);
    ir_split_block(b);
    out->loop = ir_push_loop(b);
    out->at = loop_value(l, first);
    out->left = loop_value(l, e->taps);
    for (uint32_t c = 0; c < 4; c++)
        out->sum[c] = l->needed & BIT(c) ? loop_value(l, zero) : NULL;
}

/* Adds the tap in lanes that still need it. The loop repeats while any lane has taps left. */
static void end_loop(struct ir_tex_lookup *l, const struct tap_loop *tap_loop, struct ir_instr *distance,
                     struct ir_instr *const tap[4], struct ir_instr *sums[4])
{
    struct ir_builder *b = l->b;
    struct ir_instr *one = ir_const_f(b, 1), *left = ir_fsub(b, tap_loop->left, one);
    struct ir_instr *counts = ir_build2(b, IR_FGE, tap_loop->left, one);
    for (uint32_t c = 0; c < 4; c++) {
        sums[c] = NULL;
        if (!tap_loop->sum[c])
            continue;
        sums[c] = ir_fadd(b, tap_loop->sum[c], ir_sel(b, counts, tap[c] ? tap[c] : ir_const(b, 0), ir_const(b, 0)));
        ir_src_set(&tap_loop->sum[c]->src[1], sums[c]);
    }
    ir_src_set(&tap_loop->at->src[1], ir_fadd(b, tap_loop->at, distance));
    ir_src_set(&tap_loop->left->src[1], left);
    struct ir_instr *goes_on = ir_build1(b, IR_ANY, ir_build2(b, IR_FGE, left, one));
    struct ir_if *leave = ir_push_if(b, ir_build1(b, IR_BNOT, goes_on));
    ir_build0(b, IR_BREAK);
    ir_pop_if(b, leave);
    ir_pop_loop(b, tap_loop->loop);
    ir_join_after(b, &tap_loop->loop->node);
}

void ir_tex_sample_anisotropic(struct ir_tex_lookup *l, struct ir_instr *out[4],
                               void (*sample)(struct ir_tex_lookup *l, struct ir_instr *out[4]))
{
    struct ir_builder *b = l->b;
    const struct extent e = find_extent(l);
    struct ir_instr *distance = ir_build1(b, IR_SFU_RECIP, e.taps), *texel[4] = {NULL};
    struct ir_sample explicit = *l->sample;
    struct ir_tex_lookup tap = *l;
    struct tap_loop tap_loop;
    explicit.kind = IR_SAMPLE_EXPLICIT_LOD;
    tap.sample = &explicit;
    tap.lod = ir_fsub(b, e.log_longer, ir_build1(b, IR_SFU_LOG2, e.taps));
    begin_loop(l, &e, distance, &tap_loop);
    for (uint32_t i = 0; i < 2; i++)
        tap.coord[i] = ir_fadd(b, l->coord[i], ir_fmul(b, e.step[i], tap_loop.at));
    sample(&tap, texel);
    end_loop(l, &tap_loop, distance, texel, out);
    for (uint32_t c = 0; c < 4; c++)
        out[c] = out[c] ? ir_fmul(b, out[c], distance) : NULL;
}
