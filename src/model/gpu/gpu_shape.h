/* SPDX-License-Identifier: MIT
 *
 * The shape of a primitive: a convex polygon of up to four edges in 12.4 fixed point, as exact integer edge functions.
 * The binner asks which tiles it touches and the rasteriser which pixels it covers, both from the same numbers.
 *
 * A pixel is covered if its centre is inside. A centre exactly on an edge belongs to the polygon if the edge is a left
 * or a top one with row 0 of memory at the top, so that neighbours share no pixel and leave none out. The chip's rule
 * is not documented (unverified). Its successor V3D has this one: conformant drivers of it draw rows of memory from the
 * top and pass cases of Vulkan's conformance suite that need it (spirv1p4.entrypoint.geom_ssbo_entry_point).
 */
#ifndef GPU_SHAPE_H
#define GPU_SHAPE_H

#include "util/macros.h"

#define GPU_SHAPE_EDGES_MAX 4

/* a * x_px + b * y_px + c >= 0 for the centres of covered pixels. a and b are multiples of 16. */
struct gpu_edge {
    int64_t a, b, c;
};

/* A rectangle of pixels; upper bounds are exclusive. */
struct gpu_rect {
    int32_t x0, y0, x1, y1;
};

struct gpu_point_12p4 {
    int32_t x, y; /* relative to the corner of pixel (0, 0); magnitude below 2^20 */
};

struct gpu_shape {
    unsigned edge_count;
    struct gpu_edge edge[GPU_SHAPE_EDGES_MAX];
    struct gpu_rect bounds;  /* no pixel outside is covered; may be empty */
    struct gpu_rect outline; /* pixels that the polygon touches at all */
    bool multisampled; /* gpu_shape_covers() tests the four samples instead of the centres; initially false */
    bool counter_clockwise;  /* seen with row 0 of memory at the bottom, as the chip determines facing */
};

/* False if the polygon has no area. */
bool gpu_shape_polygon(struct gpu_shape *shape, const struct gpu_point_12p4 *corners, unsigned count) UTIL_MUST_CHECK;

/* Twice the area, positive if the corners go round from x towards y; and the rectangle of pixels that the polygon
 * touches. */
int64_t gpu_shape_twice_area(const struct gpu_point_12p4 *corners, unsigned count);
struct gpu_rect gpu_shape_outline(const struct gpu_point_12p4 *corners, unsigned count);

/* A line is a parallelogram whose ends are parallel to an axis, as for non-antialiased lines in OpenGL; a point is an
 * axis-aligned square. The chip's own rules are not documented (unverified). */
bool gpu_shape_line(struct gpu_shape *shape, const struct gpu_point_12p4 ends[2], float width_px) UTIL_MUST_CHECK;
bool gpu_shape_point(struct gpu_shape *shape, struct gpu_point_12p4 centre, float size_px) UTIL_MUST_CHECK;

/* The corner with the smallest coordinates of a point's square, and its side. */
struct gpu_point_12p4 gpu_point_corner(struct gpu_point_12p4 centre, float size_px, int32_t *side_12p4_out);

static inline bool gpu_rect_is_empty(const struct gpu_rect *r)
{
    return r->x0 >= r->x1 || r->y0 >= r->y1;
}

static inline struct gpu_rect gpu_rect_intersect(const struct gpu_rect *a, const struct gpu_rect *b)
{
    return (struct gpu_rect){MAX2(a->x0, b->x0), MAX2(a->y0, b->y0), MIN2(a->x1, b->x1), MIN2(a->y1, b->y1)};
}

/* Edge function at the centre of pixel (x, y). */
static inline int64_t gpu_edge_at(const struct gpu_edge *e, int32_t x_px, int32_t y_px)
{
    return e->a * x_px + e->b * y_px + e->c;
}

/* Positions of the four samples of a pixel, in 1/16 px from its centre. The chip's positions are not documented
 * (unverified); decided here, once: Vulkan's standard sample positions. */
#define GPU_SAMPLES 4
struct gpu_sample_position {
    int8_t x_16, y_16;
};
extern const struct gpu_sample_position gpu_sample_position[GPU_SAMPLES];

/* Edge function at a sample, relative to the pixel's centre. */
static inline int64_t gpu_edge_to_sample(const struct gpu_edge *e, unsigned sample)
{
    return e->a / 16 * gpu_sample_position[sample].x_16 + e->b / 16 * gpu_sample_position[sample].y_16;
}

enum gpu_coverage { GPU_COVERS_NOTHING, GPU_COVERS_SOME, GPU_COVERS_ALL };

/* Coverage of the pixels of a non-empty rectangle, by their centres or their samples. NOTHING and ALL are exact; SOME
 * may mean none. */
enum gpu_coverage gpu_shape_covers(const struct gpu_shape *shape, const struct gpu_rect *rect);

#endif
