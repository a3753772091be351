/* SPDX-License-Identifier: MIT
 *
 * The state of one texture instruction during lowering, and what the files lower_tex*.c and lower_direct.c share.
 *
 *   lower_tex.c         sources, queries, selection of the lowering; lookups that the unit filters in one request
 *   lower_tex_lod.c     level of detail
 *   lower_tex_filter.c  from coordinates to texels and weights; filters, comparisons, gathers
 *   lower_tex_aniso.c   anisotropic filtering: several samples along the longer axis of the pixel's footprint
 *   lower_tex_texel.c   one texel: a request to the unit or direct lookups; decoding
 *   lower_direct.c      the memory address of a texel
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
    struct ir_instr *coord[3], *layer; /* the shader's s, t, r and array layer */
    struct ir_instr *dref, *bias, *lod, *sample_index;
    struct ir_instr *min_lod; /* the least LOD, relative to the view's base level; NULL: any */
    struct ir_instr *ddx[3], *ddy[3];
    struct ir_instr *offset[3]; /* texels, integers; NULL: 0 */
    uint32_t needed;            /* mask of the components that the shader uses */
};

static inline struct ir_instr *ir_tex_uniform(const struct ir_tex_lookup *l, enum vc4c_uniform_kind kind, uint32_t data)
{
    return ir_uniform(l->b, kind, l->texture, data);
}

static inline bool ir_tex_has_flag(const struct ir_tex_lookup *l, uint32_t flag)
{
    return (l->class->flags & flag) != 0;
}

/* The number of axes that are filtered; the layer is not one of them. */
static inline uint32_t ir_tex_axes(const struct ir_tex_lookup *l)
{
    return l->sample->dim == IR_DIM_1D ? 1 : l->sample->dim == IR_DIM_3D ? 3 : 2;
}

/* True when the unit computes texel addresses; false for direct lookups. */
static inline bool ir_tex_by_unit(const struct ir_tex_lookup *l)
{
    return l->class->method == HW_SAMPLE_NATIVE || l->class->method == HW_SAMPLE_RAW;
}

/* ---------------------------------------------------------------- sizes of a level (NULL: the view's base level) */

struct ir_instr *ir_tex_size_i(struct ir_tex_lookup *l, uint32_t axis, struct ir_instr *level);
struct ir_instr *ir_tex_size_f(struct ir_tex_lookup *l, uint32_t axis, struct ir_instr *level);
struct ir_instr *ir_tex_rcp_size(struct ir_tex_lookup *l, uint32_t axis, struct ir_instr *level);

/* ---------------------------------------------------------------- level of detail, as floats */

/* From the derivatives that the instruction has, or those of its coordinates. */
struct ir_instr *ir_tex_automatic_lod(struct ir_tex_lookup *l);
/* Applies the operand MinLod, to an LOD that has all its biases. */
struct ir_instr *ir_tex_not_below_min_lod(struct ir_tex_lookup *l, struct ir_instr *lod);
/* Applies the sampler's bias and clamps, and MinLod. The result counts from the unit's level 0. */
struct ir_instr *ir_tex_clamp_lod(struct ir_tex_lookup *l, struct ir_instr *lod);
/* The LOD of the instruction, with its own bias. Without derivatives (vertex programs) it is 0. */
struct ir_instr *ir_tex_wanted_lod(struct ir_tex_lookup *l);

/* ---------------------------------------------------------------- single texels */

/* A texel. Through the unit it is given by normalised coordinates or a direction into a cube, for direct lookups by
 * integer coordinates. */
struct ir_tex_texel {
    struct ir_instr *s, *t, *r;     /* through the unit */
    struct ir_instr *x, *y, *slice; /* direct; slice: layer, face or depth, NULL: 0 */
    struct ir_instr *sample;        /* direct: sample number, for multisampled images */
    struct ir_instr *outside;       /* direct: lanes that get the border texel instead; NULL: none */
    struct ir_instr *level;         /* of the view, integer; NULL: the base level */
};

/* Returns the components as the shader sees them; only the needed ones are set. */
void ir_tex_fetch(struct ir_tex_lookup *l, const struct ir_tex_texel *texel, struct ir_instr *out[4]);

/* One request to the unit: coordinates, level or bias `b` (or NULL), and which word of the texel to read. */
struct ir_tex_request {
    struct ir_instr *s, *t, *r;
    struct ir_instr *b;
    bool b_is_lod, is_fetch;
    uint8_t word;
};
struct ir_instr *ir_tex_request(struct ir_tex_lookup *l, const struct ir_tex_request *request);
/* Requests all words of the texel that are needed and decodes them. */
void ir_tex_request_decoded(struct ir_tex_lookup *l, struct ir_tex_request request, struct ir_instr *out[4]);

/* Mask of the texel's words that hold the needed components. */
uint32_t ir_tex_needed_words(const struct ir_tex_lookup *l);
/* Decodes words to components. The texel begins at bit `first_bit` of its (first) word. */
void ir_tex_decode(struct ir_tex_lookup *l, struct ir_instr *const words[4], uint32_t first_bit,
                   struct ir_instr *out[4]);

/* ---------------------------------------------------------------- direct lookups (lower_direct.c) */

/* Byte offset of the first word of an image texel from the view's base. */
struct ir_instr *ir_direct_offset(struct ir_tex_lookup *l, const struct ir_tex_texel *texel);
/* Byte offset of an element of a texel buffer. */
struct ir_instr *ir_direct_buffer_offset(struct ir_tex_lookup *l, struct ir_instr *index);
/* Loads the needed words of the texel at such an offset. For ir_tex_decode, first_bit is 0. */
void ir_direct_words(struct ir_tex_lookup *l, struct ir_instr *offset, struct ir_instr *words[4]);

/* ---------------------------------------------------------------- filters (lower_tex_filter.c) */

/* Divides the direction into a cube by its longest component, and converts the gradients accordingly. */
void ir_tex_project_on_cube(struct ir_tex_lookup *l);

/* The face that a direction hits and the coordinates on it, in [0,1]. Its longest component must be 1 or -1. */
struct ir_tex_face {
    struct ir_instr *number;      /* 0..5: +x -x +y -y +z -z */
    struct ir_instr *is_x, *is_y; /* the major axis */
    struct ir_instr *sign;        /* 1 or -1 along it */
    struct ir_instr *s, *t;
};
struct ir_tex_face ir_tex_cube_face(struct ir_builder *b, struct ir_instr *const dir[3]);

/* Anisotropic filtering: takes several samples along the longer axis of the pixel's footprint, each by calling `sample`
 * with an explicit level. */
bool ir_tex_is_anisotropic(const struct ir_tex_lookup *l);
void ir_tex_sample_anisotropic(struct ir_tex_lookup *l, struct ir_instr *out[4],
                               void (*sample)(struct ir_tex_lookup *l, struct ir_instr *out[4]));

/* Selects the level, wraps, filters and compares in code. */
void ir_tex_sample_in_code(struct ir_tex_lookup *l, struct ir_instr *out[4]);
void ir_tex_gather(struct ir_tex_lookup *l, struct ir_instr *out[4]);
/* Returns dref OP depth as 1.0 or 0. */
struct ir_instr *ir_tex_compare(struct ir_tex_lookup *l, struct ir_instr *depth);
/* The layer of an array view as an integer, clamped to its layers; NULL for views that are not arrays. */
struct ir_instr *ir_tex_layer(struct ir_tex_lookup *l);

#endif
