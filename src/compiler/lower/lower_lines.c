/* SPDX-License-Identifier: MIT
 *
 * Lines as rectangles of two triangles. Each of their vertices is a copy of one end of the line, and moves by half of
 * the line's width to one side of it, so that what the shader outputs is the same on both sides and is interpolated
 * along the line. The other end is the other vertex of the line, or the next or previous vertex of the triangle whose
 * edges are drawn (lower_polygon.h).
 *
 * Directions only mean something in front of the eye, so the program clips the line at the near and the far plane
 * first, and interpolates the outputs at the ends that it moves. Both ends compute the same differences but for their
 * sign, which leaves no gaps between the triangles. In the window they are counter-clockwise, with row 0 of memory at
 * the bottom.
 */
#include "compiler/lower/lower_polygon.h"
#include "spv_gen.h"

/* Without clipping at the near plane, lines end where w is this part of the w of the end in front of the eye. */
#define LEAST_W (1.0f / 4096)

/* Smooth lines reach pixels of which they cover a part: their rectangles are larger on each side. */
#define SMOOTH_PX 0.5f

struct end {
    struct ir_instr *p[4];    /* clip space */
    struct ir_instr *from[2]; /* distances from the planes; negative outside */
    struct ir_instr *t;       /* how far the end moves towards the other one */
};

static struct ir_instr *or_zero(struct ir_builder *b, struct ir_instr *value)
{
    return value && value->op != IR_UNDEF ? value : ir_const(b, 0);
}

static struct ir_instr *reciprocal(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *r = ir_build1(b, IR_FRCP, x);
    r->imm = 1;
    return r;
}

static struct ir_instr *mix(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y, struct ir_instr *t)
{
    return ir_fadd(b, x, ir_fmul(b, ir_fsub(b, y, x), t));
}

static struct ir_instr *word(struct ir_builder *b, enum vc4c_polygon_word which)
{
    return ir_uniform(b, VC4C_UNIFORM_POLYGON, 0, which);
}

/* A field of the number that issue gives each vertex. */
static struct ir_instr *is_set(struct ir_builder *b, uint32_t bit)
{
    struct ir_instr *number = ir_build0(b, IR_ATTRIBUTE);
    number->imm2 = VC4C_ATTRIBUTE_TRIANGLE_VERTEX;
    return ir_build2(b, IR_INE, ir_build2(b, IR_AND, number, ir_const(b, bit)), ir_const(b, 0));
}

/* What the other end of the line has. */
static struct ir_instr *of_other(struct ir_builder *b, const struct vc4c_vertex_key *key, struct ir_instr *is_end,
                                 struct ir_instr *next, struct ir_instr *previous)
{
    next = or_zero(b, next);
    return key->rectangles == VC4C_RECTANGLES_OF_LINES ? next : ir_sel(b, is_end, or_zero(b, previous), next);
}

/* ---------------------------------------------------------------- clipping */

static uint32_t measure(struct ir_builder *b, const struct vc4c_vertex_key *key, struct end *e,
                        struct ir_instr *greatest_w)
{
    if (key->ignores_depth_planes) {
        e->from[0] = ir_fsub(b, e->p[3], ir_fmul(b, greatest_w, ir_const_f(b, LEAST_W)));
        return 1;
    }
    e->from[0] = key->symmetric_depth ? ir_fadd(b, e->p[2], e->p[3]) : e->p[2];
    e->from[1] = ir_fsub(b, e->p[3], e->p[2]);
    return 2;
}

static void find_t(struct ir_builder *b, struct end *e, const struct end *other, uint32_t planes)
{
    e->t = ir_const(b, 0);
    for (uint32_t i = 0; i < planes; i++) {
        struct ir_instr *t = ir_fmul(b, e->from[i], reciprocal(b, ir_fsub(b, e->from[i], other->from[i])));
        struct ir_instr *is_out = ir_build2(b, IR_FLT, e->from[i], ir_const(b, 0));
        e->t = ir_build2(b, IR_FMAX, e->t, ir_sel(b, is_out, t, ir_const(b, 0)));
    }
}

/* Finds how far both ends move. Returns whether nothing of the line is left. */
static struct ir_instr *clip(struct ir_builder *b, const struct vc4c_vertex_key *key, struct end *own,
                             struct end *other)
{
    struct ir_instr *w = ir_build2(b, IR_FMAX, own->p[3], other->p[3]);
    const uint32_t planes = measure(b, key, own, w);
    measure(b, key, other, w);
    find_t(b, own, other, planes);
    find_t(b, other, own, planes);
    struct ir_instr *is_gone = ir_build2(b, IR_FLT, ir_const_f(b, 1), ir_fadd(b, own->t, other->t));
    for (uint32_t i = 0; i < planes; i++)
        is_gone = ir_build2(b, IR_BOR, is_gone,
                            ir_build2(b, IR_FLT, ir_build2(b, IR_FMAX, own->from[i], other->from[i]), ir_const(b, 0)));
    return is_gone;
}

/* Outputs that are flat are the same at both ends. Those without perspective are linear after a multiplication by w. */
static void move_values(struct ir_builder *b, const struct vc4c_vertex_key *key, const struct end *own,
                        const struct end *other, struct ir_instr *is_end, const struct ir_other_vertex others[2],
                        struct ir_instr *w, struct ir_instr *values[IR_MAX_LOCATIONS][4])
{
    for (uint32_t i = 0; i < key->output_count; i++) {
        const struct vc4c_varying *v = &key->outputs[i];
        if (v->flat || v->location == VC4C_DEPTH_LOCATION || v->location == VC4C_LINE_LOCATION)
            continue;
        struct ir_instr **value = &values[v->location][v->component];
        struct ir_instr *x = or_zero(b, *value);
        struct ir_instr *y = of_other(b, key, is_end, others[0].values[v->location][v->component],
                                      others[1].values[v->location][v->component]);
        if (v->noperspective)
            *value = ir_fmul(b, mix(b, ir_fmul(b, x, own->p[3]), ir_fmul(b, y, other->p[3]), own->t), reciprocal(b, w));
        else
            *value = mix(b, x, y, own->t);
    }
}

/* ---------------------------------------------------------------- rectangles */

/* The ends after clipping, in 1/16 pixels from the viewport's centre. */
static struct ir_instr *in_window(struct ir_builder *b, struct ir_instr *const p[4], struct ir_instr *rcp_w,
                                  uint32_t axis)
{
    return ir_fmul(b, ir_fmul(b, p[axis], word(b, VC4C_POLYGON_LINE_X + axis)), rcp_w);
}

/* Moves a vertex to its corner of the rectangle. `p` is where the line ends, and `q` the other end. */
static void move_to_corner(struct ir_builder *b, const struct vc4c_vertex_key *key, struct ir_instr *p[4],
                           struct ir_instr *const q[4], struct ir_instr *line[VC4C_LINE_WORDS])
{
    struct ir_instr *rcp_p = reciprocal(b, p[3]), *rcp_q = reciprocal(b, q[3]), *d[2], *to[2];
    for (uint32_t i = 0; i < 2; i++)
        d[i] = ir_fsub(b, in_window(b, q, rcp_q, i), in_window(b, p, rcp_p, i));
    struct ir_instr *length_2 = ir_fadd(b, ir_fmul(b, d[0], d[0]), ir_fmul(b, d[1], d[1]));
    struct ir_instr *over_length = ir_build1(b, IR_FRSQ, length_2), *is_plus = is_set(b, VC4C_RECTANGLE_PLUS);
    for (uint32_t i = 0; i < 2; i++)
        d[i] = ir_fmul(b, d[i], over_length);
    to[0] = ir_sel(b, is_plus, ir_fsub(b, ir_const(b, 0), d[1]), d[1]);
    to[1] = ir_sel(b, is_plus, d[0], ir_fsub(b, ir_const(b, 0), d[0]));
    for (uint32_t i = 0; i < 2; i++) {
        struct ir_instr *by = ir_fmul(b, to[i], word(b, VC4C_POLYGON_LINE_HALF_X + i));
        if (key->is_smooth) {
            struct ir_instr *out = ir_fmul(b, ir_fsub(b, to[i], d[i]), ir_const_f(b, SMOOTH_PX));
            by = ir_fadd(b, by, ir_fmul(b, out, word(b, VC4C_POLYGON_LINE_PX_X + i)));
        }
        p[i] = ir_fadd(b, p[i], ir_fmul(b, by, p[3]));
    }
    if (key->is_smooth) {
        struct ir_instr *length = ir_fmul(b, ir_fmul(b, length_2, over_length), ir_const_f(b, 1.0f / 16));
        line[0] = ir_fadd(b, word(b, VC4C_POLYGON_LINE_HALF), ir_const_f(b, SMOOTH_PX));
        line[1] = ir_const_f(b, -SMOOTH_PX);
        line[2] = ir_fadd(b, length, ir_const_f(b, SMOOTH_PX));
    }
}

/* How far the corner is from the line, with a sign for the side, and from its ends. */
static void set_line_outputs(struct ir_builder *b, struct ir_instr *is_end,
                             struct ir_instr *const line[VC4C_LINE_WORDS], struct ir_instr *out[VC4C_LINE_WORDS])
{
    /* as seen from the second end, the sides are exchanged */
    struct ir_instr *is_left = ir_build2(b, IR_BXOR, is_end, is_set(b, VC4C_RECTANGLE_PLUS));
    out[0] = ir_sel(b, is_left, line[0], ir_fsub(b, ir_const(b, 0), line[0]));
    out[1] = ir_sel(b, is_end, line[2], line[1]);
    out[2] = ir_sel(b, is_end, line[1], line[2]);
}

struct ir_instr *ir_lower_line(struct ir_builder *b, const struct vc4c_vertex_key *key,
                               const struct ir_other_vertex others[2], struct ir_instr *position[4],
                               struct ir_instr *values[IR_MAX_LOCATIONS][4])
{
    struct end own, other;
    struct ir_instr *is_end = is_set(b, VC4C_RECTANGLE_END), *q[4], *line[VC4C_LINE_WORDS];
    for (uint32_t i = 0; i < 4; i++) {
        own.p[i] = position[i];
        other.p[i] = of_other(b, key, is_end, others[0].position[i], others[1].position[i]);
    }
    struct ir_instr *is_gone = clip(b, key, &own, &other);
    for (uint32_t i = 0; i < 4; i++) {
        position[i] = mix(b, own.p[i], other.p[i], own.t);
        q[i] = mix(b, other.p[i], own.p[i], other.t);
    }
    move_values(b, key, &own, &other, is_end, others, position[3], values);
    move_to_corner(b, key, position, q, line);
    if (key->is_smooth)
        set_line_outputs(b, is_end, line, values[VC4C_LINE_LOCATION]);
    return is_gone;
}
