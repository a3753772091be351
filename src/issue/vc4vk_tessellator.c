/* SPDX-License-Identifier: MIT */
#include <math.h>
#include "issue/vc4vk_tessellator.h"
#include "util/macros.h"

#define ONE  (1u << 24) /* coordinates are integers until they are stored */
#define HALF (ONE / 2)

/* A subdivided edge: places[0] is 0, places[segments] is ONE. */
struct division {
    uint32_t segments;
    uint32_t places[VC4VK_MAX_TESS_LEVEL + 1];
};

struct tessellator {
    const struct vc4vk_tess_modes *modes;
    struct vc4vk_tess_output *out;
};

/* ---------------------------------------------------------------- divisions */

static float clamped(float level, float least, float most)
{
    return level > least ? (level < most ? level : most) : least; /* NaN becomes `least` */
}

/* The number of segments; *level_out is the level after clamping. */
static uint32_t segments_of(uint8_t spacing, float level, float *level_out)
{
    switch (spacing) {
    case VC4C_SPACING_EVEN:
        *level_out = clamped(level, 2, VC4VK_MAX_TESS_LEVEL);
        return 2 * (uint32_t)ceilf(*level_out / 2);
    case VC4C_SPACING_ODD:
        *level_out = clamped(level, 1, VC4VK_MAX_TESS_LEVEL - 1);
        return 2 * (uint32_t)ceilf((*level_out - 1) / 2) + 1;
    default:
        *level_out = clamped(level, 1, VC4VK_MAX_TESS_LEVEL);
        return (uint32_t)ceilf(*level_out);
    }
}

/* With n segments of level f, n - 2 have the length 1 / f, and the first and the last one have what is left. If the
 * spacing is equal, f is n. */
static void divide(uint32_t segments, float level, struct division *out)
{
    const double first = 0.5 - (segments - 2.0) / 2 / (double)level;
    out->segments = segments;
    for (uint32_t k = 0; 2 * k < segments; k++) {
        const double at = k ? first + (k - 1) / (double)level : 0;
        out->places[k] = (uint32_t)lrint(at * ONE);
        out->places[segments - k] = ONE - out->places[k];
    }
    if (segments % 2 == 0)
        out->places[segments / 2] = HALF;
}

static void divide_by_level(uint8_t spacing, float level, struct division *out)
{
    const uint32_t segments = segments_of(spacing, level, &level);
    divide(segments, spacing == VC4C_SPACING_EVEN || spacing == VC4C_SPACING_ODD ? level : (float)segments, out);
}

/* An inner level of 1 is a little more than 1 if another level is more. */
static void raise(uint8_t spacing, struct division *inner)
{
    if (inner->segments > 1)
        return;
    if (spacing == VC4C_SPACING_ODD)
        divide(3, 1, inner);
    else
        divide(2, 2, inner);
}

/* ---------------------------------------------------------------- output */

static uint16_t add_vertex(struct tessellator *t, uint32_t u, uint32_t v, uint32_t w)
{
    float *coord = t->out->coords[t->out->vertex_count];
    coord[0] = (float)u / ONE;
    coord[1] = (float)v / ONE;
    coord[2] = (float)w / ONE;
    return (uint16_t)t->out->vertex_count++;
}

static void add_line(struct tessellator *t, uint16_t a, uint16_t b)
{
    uint16_t *index = t->out->indices + t->out->index_count;
    index[0] = a;
    index[1] = b;
    t->out->index_count += 2;
}

/* The area of the triangle is positive. */
static void add_triangle(struct tessellator *t, uint16_t a, uint16_t b, uint16_t c)
{
    uint16_t *index = t->out->indices + t->out->index_count;
    index[0] = a;
    index[1] = t->modes->is_positive ? b : c;
    index[2] = t->modes->is_positive ? c : b;
    t->out->index_count += 3;
}

/* Vertices along an edge, and their places on it. */
struct row {
    uint32_t segments;
    uint16_t vertices[VC4VK_MAX_TESS_LEVEL + 1];
    const uint32_t *places;
};

static uint32_t next_middle(const struct row *row, uint32_t at)
{
    return row->places[at] + row->places[at + 1];
}

/* The middles of segments are twice as large as places. Of equal ones the outer comes first before the middle of the
 * edge, so that the strip is symmetric. */
static bool is_before(uint32_t outer, uint32_t inner)
{
    return outer < inner || (outer == inner && outer <= ONE);
}

/* Fills the strip between two rows that go the same way, the inner one on the left. */
static void stitch(struct tessellator *t, const struct row *outer, const struct row *inner)
{
    uint32_t o = 0, i = 0;
    while (o < outer->segments || i < inner->segments) {
        if (i == inner->segments || (o < outer->segments && is_before(next_middle(outer, o), next_middle(inner, i)))) {
            add_triangle(t, outer->vertices[o], outer->vertices[o + 1], inner->vertices[i]);
            o++;
        } else {
            add_triangle(t, outer->vertices[o], inner->vertices[i + 1], inner->vertices[i]);
            i++;
        }
    }
}

/* ---------------------------------------------------------------- triangles */

/* The three rows of a ring, from w to u, from u to v, from v to w. */
struct ring {
    struct row rows[3];
};

/* A vertex of row `row`: `from` belongs to the corner that the row begins at, `to` to that of its end. */
static uint16_t add_ring_vertex(struct tessellator *t, uint32_t row, uint32_t from, uint32_t to, uint32_t other)
{
    switch (row) {
    case 0:
        return add_vertex(t, to, other, from);
    case 1:
        return add_vertex(t, from, to, other);
    default:
        return add_vertex(t, other, from, to);
    }
}

static void close_ring(struct ring *ring)
{
    for (uint32_t row = 0; row < 3; row++)
        ring->rows[row].vertices[ring->rows[row].segments] = ring->rows[(row + 1) % 3].vertices[0];
}

static void outer_ring(struct tessellator *t, const struct division edges[3], struct ring *ring)
{
    for (uint32_t row = 0; row < 3; row++) {
        const struct division *edge = &edges[(row + 1) % 3]; /* row 0 has v = 0, which is edge 1 */
        ring->rows[row] = (struct row){.segments = edge->segments, .places = edge->places};
        for (uint32_t k = 0; k < edge->segments; k++)
            ring->rows[row].vertices[k] = add_ring_vertex(t, row, ONE - edge->places[k], edge->places[k], 0);
    }
    close_ring(ring);
}

/* Ring `number` inside of a triangle. Perpendiculars from the division's places meet its rows: in an equilateral
 * triangle with sides of length 1, a point at x from a corner on the bisector has the barycentric coordinate 2/3 x for
 * either of the other corners. */
static void inner_ring(struct tessellator *t, const struct division *inner, uint32_t number, struct ring *ring)
{
    const uint32_t segments = inner->segments - 2 * number, third = (inner->places[number] + 1) / 3;
    for (uint32_t row = 0; row < 3; row++) {
        struct row *r = &ring->rows[row];
        *r = (struct row){.segments = segments, .places = inner->places + number};
        if (!segments) { /* the middle */
            r->vertices[0] = row ? ring->rows[0].vertices[0] : add_vertex(t, ONE / 3, ONE / 3, ONE / 3);
            continue;
        }
        r->vertices[0] = add_ring_vertex(t, row, ONE - 4 * third, 2 * third, 2 * third);
        for (uint32_t k = 1; k < segments; k++) {
            const uint32_t place = inner->places[number + k];
            r->vertices[k] = add_ring_vertex(t, row, ONE - place - third, place - third, 2 * third);
        }
    }
    close_ring(ring);
}

static void tessellate_triangle(struct tessellator *t, const struct vc4vk_tess_levels *levels)
{
    struct division edges[3], inner;
    struct ring rings[2];
    bool is_divided = false;
    for (uint32_t i = 0; i < 3; i++) {
        divide_by_level(t->modes->spacing, levels->outer[i], &edges[i]);
        is_divided |= edges[i].segments > 1;
    }
    divide_by_level(t->modes->spacing, levels->inner[0], &inner);
    if (is_divided)
        raise(t->modes->spacing, &inner);
    outer_ring(t, edges, &rings[0]);
    uint32_t number = 0;
    while (inner.segments - 2 * number > 1) {
        const struct ring *outside = &rings[number % 2];
        struct ring *inside = &rings[++number % 2];
        inner_ring(t, &inner, number, inside);
        for (uint32_t row = 0; row < 3; row++)
            stitch(t, &outside->rows[row], &inside->rows[row]);
    }
    const struct ring *last = &rings[number % 2];
    if (inner.segments - 2 * number == 1)
        add_triangle(t, last->rows[0].vertices[0], last->rows[1].vertices[0], last->rows[2].vertices[0]);
}

/* ---------------------------------------------------------------- quads */

/* The outer edges are walked around: v = 0, u = 1, v = 1, u = 0. */
static void outer_rows(struct tessellator *t, const struct division edges[4], struct row rows[4])
{
    for (uint32_t row = 0; row < 4; row++) {
        const struct division *edge = &edges[(row + 1) % 4];
        rows[row] = (struct row){.segments = edge->segments, .places = edge->places};
        for (uint32_t k = 0; k < edge->segments; k++) {
            const uint32_t at = edge->places[k], back = ONE - at;
            rows[row].vertices[k] = add_vertex(t,
                                               row == 0   ? at
                                               : row == 1 ? ONE
                                               : row == 2 ? back
                                                          : 0,
                                               row == 0   ? 0
                                               : row == 1 ? at
                                               : row == 2 ? ONE
                                                          : back,
                                               0);
        }
    }
    for (uint32_t row = 0; row < 4; row++)
        rows[row].vertices[rows[row].segments] = rows[(row + 1) % 4].vertices[0];
}

/* The grid of inner vertices, lines of u one after the other from `first` on. */
struct grid {
    const struct division *u, *v;
    uint32_t first;
};

static uint16_t grid_vertex(const struct grid *g, uint32_t i, uint32_t j)
{
    return (uint16_t)(g->first + (j - 1) * (g->u->segments - 1) + i - 1);
}

/* Diagonals lead to the middle, so that rings around it have the same corners everywhere, as with other tessellators.
 */
static void add_cell(struct tessellator *t, const struct grid *g, uint32_t i, uint32_t j)
{
    const uint16_t a = grid_vertex(g, i, j), b = grid_vertex(g, i + 1, j), c = grid_vertex(g, i + 1, j + 1),
                   d = grid_vertex(g, i, j + 1);
    const bool is_left = 2 * i + 1 < g->u->segments, is_low = 2 * j + 1 < g->v->segments;
    add_triangle(t, a, b, is_left == is_low ? c : d);
    add_triangle(t, is_left == is_low ? a : b, c, d);
}

static void add_grid(struct tessellator *t, const struct grid *g)
{
    for (uint32_t j = 1; j < g->v->segments; j++)
        for (uint32_t i = 1; i < g->u->segments; i++)
            add_vertex(t, g->u->places[i], g->v->places[j], 0);
    for (uint32_t j = 1; j + 1 < g->v->segments; j++)
        for (uint32_t i = 1; i + 1 < g->u->segments; i++)
            add_cell(t, g, i, j);
}

/* The outermost row of the grid that lies along an outer edge. */
static void inner_row(const struct grid *g, uint32_t row, struct row *out)
{
    const struct division *along = row % 2 ? g->v : g->u;
    const uint32_t right = g->u->segments - 1, top = g->v->segments - 1;
    *out = (struct row){.segments = along->segments - 2, .places = along->places + 1};
    for (uint32_t k = 0; k <= out->segments; k++)
        out->vertices[k] = row == 0   ? grid_vertex(g, 1 + k, 1)
                           : row == 1 ? grid_vertex(g, right, 1 + k)
                           : row == 2 ? grid_vertex(g, right - k, top)
                                      : grid_vertex(g, 1, top - k);
}

static void tessellate_quad(struct tessellator *t, const struct vc4vk_tess_levels *levels)
{
    struct division edges[4], inner[2];
    struct row rows[4], inside;
    bool is_divided = false;
    for (uint32_t i = 0; i < 4; i++) {
        divide_by_level(t->modes->spacing, levels->outer[i], &edges[i]);
        is_divided |= edges[i].segments > 1;
    }
    for (uint32_t i = 0; i < 2; i++) {
        divide_by_level(t->modes->spacing, levels->inner[i], &inner[i]);
        is_divided |= inner[i].segments > 1;
    }
    outer_rows(t, edges, rows);
    if (!is_divided) {
        add_triangle(t, rows[0].vertices[0], rows[1].vertices[0], rows[2].vertices[0]);
        add_triangle(t, rows[0].vertices[0], rows[2].vertices[0], rows[3].vertices[0]);
        return;
    }
    for (uint32_t i = 0; i < 2; i++)
        raise(t->modes->spacing, &inner[i]);
    const struct grid grid = {&inner[0], &inner[1], t->out->vertex_count};
    add_grid(t, &grid);
    for (uint32_t row = 0; row < 4; row++) {
        inner_row(&grid, row, &inside);
        stitch(t, &rows[row], &inside);
    }
}

/* ---------------------------------------------------------------- isolines */

/* There is no line at v = 1. */
static void tessellate_isolines(struct tessellator *t, const struct vc4vk_tess_levels *levels)
{
    struct division lines, along;
    divide_by_level(VC4C_SPACING_EQUAL, levels->outer[0], &lines);
    divide_by_level(t->modes->spacing, levels->outer[1], &along);
    for (uint32_t j = 0; j < lines.segments; j++) {
        for (uint32_t i = 0; i <= along.segments; i++) {
            const uint16_t vertex = add_vertex(t, along.places[i], lines.places[j], 0);
            if (i)
                add_line(t, vertex - 1u, vertex);
        }
    }
}

/* ---------------------------------------------------------------- a patch */

/* Is there an outer level that is not positive? */
static bool is_discarded(uint8_t domain, const float outer[4])
{
    const uint32_t count = domain == VC4C_DOMAIN_QUADS ? 4 : domain == VC4C_DOMAIN_ISOLINES ? 2 : 3;
    bool is = false;
    for (uint32_t i = 0; i < count; i++)
        is |= !(outer[i] > 0); /* or NaN */
    return is;
}

void vc4vk_tessellate(const struct vc4vk_tess_modes *modes, const struct vc4vk_tess_levels *levels,
                      struct vc4vk_tess_output *out)
{
    struct tessellator t = {modes, out};
    out->vertex_count = out->index_count = 0;
    out->per_primitive = modes->point_mode ? 1 : modes->domain == VC4C_DOMAIN_ISOLINES ? 2 : 3;
    if (is_discarded(modes->domain, levels->outer))
        return;
    if (modes->domain == VC4C_DOMAIN_QUADS)
        tessellate_quad(&t, levels);
    else if (modes->domain == VC4C_DOMAIN_ISOLINES)
        tessellate_isolines(&t, levels);
    else
        tessellate_triangle(&t, levels);
    if (!modes->point_mode)
        return;
    for (out->index_count = 0; out->index_count < out->vertex_count; out->index_count++)
        out->indices[out->index_count] = (uint16_t)out->index_count;
}
