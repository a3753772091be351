/* SPDX-License-Identifier: MIT
 *
 * One texture instruction while it is lowered: what the files lower_tex*.c and lower_direct.c share.
 *
 *   lower_tex.c         sources, queries, which way; lookups that the unit does in one request
 *   lower_tex_lod.c     level of detail
 *   lower_tex_filter.c  coordinates to texels and their weights, filters, comparisons, gathers
 *   lower_tex_aniso.c   several samples along the longer axis of a pixel
 *   lower_tex_texel.c   one texel: request of the unit or direct lookups, decoding
 *   lower_direct.c      where a texel lies in memory
 */
#ifndef LOWER_TEX_H
#define LOWER_TEX_H

#include "compiler/lower/lower.h"

struct ir_tex_lookup {
    struct ir_builder *b;
    const struct ir_instr *instr;
    const struct ir_sample *sample;
    const struct hw_sampling_class *class;
    uint32_t texture;
    struct ir_instr *coord[3], *layer; /* s, t, r of the shader */
    struct ir_instr *dref, *bias, *lod, *sample_index;
    struct ir_instr *ddx[3], *ddy[3];
    struct ir_instr *offset[3]; /* texels, integers; NULL: 0 */
    uint32_t needed;            /* mask of the components that are read */
};

static inline struct ir_instr *ir_tex_uniform(const struct ir_tex_lookup *l, enum vc4c_uniform_kind kind, uint32_t data)
{
    return ir_uniform(l->b, kind, l->texture, data);
}

static inline bool ir_tex_has_flag(const struct ir_tex_lookup *l, uint32_t flag)
{
    return (l->class->flags & flag) != 0;
}

/* Axes that are filtered: without the layer. */
static inline uint32_t ir_tex_axes(const struct ir_tex_lookup *l)
{
    return l->sample->dim == IR_DIM_1D ? 1 : l->sample->dim == IR_DIM_3D ? 3 : 2;
}

/* Does the unit address the texels? */
static inline bool ir_tex_by_unit(const struct ir_tex_lookup *l)
{
    return l->class->method == HW_SAMPLE_NATIVE || l->class->method == HW_SAMPLE_RAW;
}

/* ---------------------------------------------------------------- sizes: of a level of the view (NULL: the base level)
 */

struct ir_instr *ir_tex_size_i(struct ir_tex_lookup *l, uint32_t axis, struct ir_instr *level);
struct ir_instr *ir_tex_size_f(struct ir_tex_lookup *l, uint32_t axis, struct ir_instr *level);
struct ir_instr *ir_tex_rcp_size(struct ir_tex_lookup *l, uint32_t axis, struct ir_instr *level);

/* ---------------------------------------------------------------- level of detail, as floats */

/* From derivatives, those given or those of the coordinates. */
struct ir_instr *ir_tex_automatic_lod(struct ir_tex_lookup *l);
/* With the sampler's bias and clamps, counted from the level that the unit calls 0. */
struct ir_instr *ir_tex_clamp_lod(struct ir_tex_lookup *l, struct ir_instr *lod);
/* What the lookup asks for, with its own bias; vertex programs have no derivatives. */
struct ir_instr *ir_tex_wanted_lod(struct ir_tex_lookup *l);

/* ---------------------------------------------------------------- single texels */

/* A texel by number; by_unit: by coordinates of the unit, normalised, or a direction into a cube. */
struct ir_tex_texel {
    struct ir_instr *s, *t, *r;     /* by unit */
    struct ir_instr *x, *y, *slice; /* direct; slice: layer, face or depth, NULL: 0 */
    struct ir_instr *sample;        /* direct, images of several samples */
    struct ir_instr *outside;       /* direct: the border's texel instead; NULL: never */
    struct ir_instr *level;         /* of the view, integer; NULL: the base level */
};

/* The components as the shader sees them; only those that are needed. */
void ir_tex_fetch(struct ir_tex_lookup *l, const struct ir_tex_texel *texel, struct ir_instr *out[4]);

/* One request of the unit: coordinates, level or bias (or NULL); `word` of the texel. */
struct ir_tex_request {
    struct ir_instr *s, *t, *r;
    struct ir_instr *b;
    bool b_is_lod, is_fetch;
    uint8_t word;
};
struct ir_instr *ir_tex_request(struct ir_tex_lookup *l, const struct ir_tex_request *request);
/* The same for all words of the texel that are needed, decoded. */
void ir_tex_request_decoded(struct ir_tex_lookup *l, struct ir_tex_request request, struct ir_instr *out[4]);

/* The words of a texel that the needed components lie in, as a mask. */
uint32_t ir_tex_needed_words(const struct ir_tex_lookup *l);
/* Words to components. `first_bit`: where the texel begins in its (first) word. */
void ir_tex_decode(struct ir_tex_lookup *l, struct ir_instr *const words[4], uint32_t first_bit,
                   struct ir_instr *out[4]);

/* ---------------------------------------------------------------- direct lookups (lower_direct.c) */

/* Byte offset from the base of the first word of a texel, of the view's images. */
struct ir_instr *ir_direct_offset(struct ir_tex_lookup *l, const struct ir_tex_texel *texel);
/* Byte offset of an element of a texel buffer. */
struct ir_instr *ir_direct_buffer_offset(struct ir_tex_lookup *l, struct ir_instr *index);
/* The words at such an offset that the needed components lie in; first_bit 0 for ir_tex_decode. */
void ir_direct_words(struct ir_tex_lookup *l, struct ir_instr *offset, struct ir_instr *words[4]);

/* ---------------------------------------------------------------- filters (lower_tex_filter.c) */

/* Divides the direction into a cube, and the gradients that are given with it, by its longest component. */
void ir_tex_project_on_cube(struct ir_tex_lookup *l);

/* Face and coordinates on it, in [0,1], of a direction whose longest component is 1 or -1. */
struct ir_tex_face {
    struct ir_instr *number;      /* 0..5: +x -x +y -y +z -z */
    struct ir_instr *is_x, *is_y; /* the major axis */
    struct ir_instr *sign;        /* 1 or -1 along it */
    struct ir_instr *s, *t;
};
struct ir_tex_face ir_tex_cube_face(struct ir_builder *b, struct ir_instr *const dir[3]);

/* Whether the lookup takes several samples along the longer axis of what a pixel covers; and does so, each by `sample`
 * with an explicit level. */
bool ir_tex_is_anisotropic(const struct ir_tex_lookup *l);
void ir_tex_sample_anisotropic(struct ir_tex_lookup *l, struct ir_instr *out[4],
                               void (*sample)(struct ir_tex_lookup *l, struct ir_instr *out[4]));

/* Level, wraps, filters and comparison in code. */
void ir_tex_sample_in_code(struct ir_tex_lookup *l, struct ir_instr *out[4]);
void ir_tex_gather(struct ir_tex_lookup *l, struct ir_instr *out[4]);
/* dref OP depth as 1 or 0. */
struct ir_instr *ir_tex_compare(struct ir_tex_lookup *l, struct ir_instr *depth);
/* The layer of an array view, as an integer within it; NULL when the view has one. */
struct ir_instr *ir_tex_layer(struct ir_tex_lookup *l);

#endif
