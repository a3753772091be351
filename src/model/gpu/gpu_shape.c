/* SPDX-License-Identifier: MIT
 *
 * Edge functions of primitives; gpu_shape.h states the rules.
 */
#include "model/gpu/gpu_shape.h"

/* Larger sizes are clamped. Points [measured on a Raspberry Pi 3: dEQP-GLES2.functional.rasterization.limits.points
 * passes although Mesa's driver, which advertises 512, writes the size unclamped]; line widths because fixed point must
 * be able to hold them. */
#define POINT_MAX_PX 512.0f
#define LINE_MAX_PX  8192.0f

const struct gpu_sample_position gpu_sample_position[GPU_SAMPLES] = {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}};

/* First pixel whose centre is at `x` or beyond. */
static int32_t centre_at_or_after(int32_t x_12p4)
{
    return (x_12p4 + 7) >> 4;
}

static void set_edge(struct gpu_edge *e, struct gpu_point_12p4 from, struct gpu_point_12p4 to)
{
    /* (a, b) points inside if the corners go round from x towards y. */
    int64_t a = from.y - to.y, b = to.x - from.x;
    bool left_or_top = a > 0 || (a == 0 && b > 0);
    e->c = a * (8 - from.x) + b * (8 - from.y) - (left_or_top ? 0 : 1);
    e->a = a * 16;
    e->b = b * 16;
}

int64_t gpu_shape_twice_area(const struct gpu_point_12p4 *p, unsigned count)
{
    int64_t sum = 0;
    for (unsigned i = 2; i < count; i++) {
        int64_t ax = p[i - 1].x - p[0].x, ay = p[i - 1].y - p[0].y;
        int64_t bx = p[i].x - p[0].x, by = p[i].y - p[0].y;
        sum += ax * by - bx * ay;
    }
    return sum;
}

/* Bounding box in 12.4; all bounds inclusive. */
static struct gpu_rect extent(const struct gpu_point_12p4 *corners, unsigned count)
{
    struct gpu_rect r = {corners[0].x, corners[0].y, corners[0].x, corners[0].y};
    for (unsigned i = 1; i < count; i++) {
        r.x0 = MIN2(r.x0, corners[i].x);
        r.x1 = MAX2(r.x1, corners[i].x);
        r.y0 = MIN2(r.y0, corners[i].y);
        r.y1 = MAX2(r.y1, corners[i].y);
    }
    return r;
}

static struct gpu_rect outline(const struct gpu_rect *extent_12p4)
{
    const struct gpu_rect *e = extent_12p4;
    return (struct gpu_rect){e->x0 >> 4, e->y0 >> 4, (e->x1 >> 4) + 1, (e->y1 >> 4) + 1};
}

struct gpu_rect gpu_shape_outline(const struct gpu_point_12p4 *corners, unsigned count)
{
    const struct gpu_rect e = extent(corners, count);
    return outline(&e);
}

bool gpu_shape_polygon(struct gpu_shape *shape, const struct gpu_point_12p4 *corners, unsigned count)
{
    assert(count >= 3 && count <= GPU_SHAPE_EDGES_MAX);
    int64_t area = gpu_shape_twice_area(corners, count);
    if (area == 0)
        return false;
    shape->multisampled = false;
    shape->counter_clockwise = area > 0;
    shape->edge_count = count;

    for (unsigned i = 0; i < count; i++) {
        unsigned next = i + 1 < count ? i + 1 : 0;
        set_edge(&shape->edge[i], corners[area > 0 ? i : next], corners[area > 0 ? next : i]);
    }
    const struct gpu_rect e = extent(corners, count);
    /* Centres on left and top edges are covered, those on right and bottom edges are not. */
    shape->bounds = (struct gpu_rect){centre_at_or_after(e.x0), centre_at_or_after(e.y0), centre_at_or_after(e.x1),
                                      centre_at_or_after(e.y1)};
    shape->outline = outline(&e);
    return true;
}

/* Converts a size to 12.4; 0 for NaN and negative sizes. */
static int32_t size_12p4(float size_px, float max_px)
{
    if (!(size_px > 0.0f))
        return 0;
    return (int32_t)(MIN2(size_px, max_px) * 16.0f);
}

bool gpu_shape_line(struct gpu_shape *shape, const struct gpu_point_12p4 ends[2], float width_px)
{
    int32_t width = size_12p4(width_px, LINE_MAX_PX), before = width / 2, after = width - before;
    int32_t dx = ends[1].x - ends[0].x, dy = ends[1].y - ends[0].y;
    bool x_major = (dx < 0 ? -dx : dx) >= (dy < 0 ? -dy : dy);
    int32_t sx = x_major ? 0 : 1, sy = x_major ? 1 : 0; /* direction of the width */
    const struct gpu_point_12p4 corners[4] = {
        {ends[0].x - sx * before, ends[0].y - sy * before},
        {ends[1].x - sx * before, ends[1].y - sy * before},
        {ends[1].x + sx * after, ends[1].y + sy * after},
        {ends[0].x + sx * after, ends[0].y + sy * after},
    };
    return gpu_shape_polygon(shape, corners, 4);
}

struct gpu_point_12p4 gpu_point_corner(struct gpu_point_12p4 centre, float size_px, int32_t *side_12p4_out)
{
    int32_t side = size_12p4(size_px, POINT_MAX_PX);
    *side_12p4_out = side;
    return (struct gpu_point_12p4){centre.x - side / 2, centre.y - side / 2};
}

bool gpu_shape_point(struct gpu_shape *shape, struct gpu_point_12p4 centre, float size_px)
{
    int32_t side;
    struct gpu_point_12p4 p = gpu_point_corner(centre, size_px, &side);
    const struct gpu_point_12p4 corners[4] = {
        {p.x, p.y}, {p.x + side, p.y}, {p.x + side, p.y + side}, {p.x, p.y + side}};
    return gpu_shape_polygon(shape, corners, 4);
}

/* The largest difference, of either sign, of an edge function between a sample and the centre: the sample positions are
 * symmetrical. */
static int64_t sample_reach(const struct gpu_shape *shape, const struct gpu_edge *e)
{
    int64_t reach = 0;
    for (unsigned s = 0; shape->multisampled && s < GPU_SAMPLES; s++)
        reach = MAX2(reach, gpu_edge_to_sample(e, s));
    return reach;
}

enum gpu_coverage gpu_shape_covers(const struct gpu_shape *shape, const struct gpu_rect *rect)
{
    enum gpu_coverage coverage = GPU_COVERS_ALL;
    for (unsigned i = 0; i < shape->edge_count; i++) {
        const struct gpu_edge *e = &shape->edge[i];
        int32_t x_high = e->a > 0 ? rect->x1 - 1 : rect->x0, x_low = e->a > 0 ? rect->x0 : rect->x1 - 1;
        int32_t y_high = e->b > 0 ? rect->y1 - 1 : rect->y0, y_low = e->b > 0 ? rect->y0 : rect->y1 - 1;
        int64_t reach = sample_reach(shape, e);
        if (gpu_edge_at(e, x_high, y_high) + reach < 0)
            return GPU_COVERS_NOTHING;
        if (gpu_edge_at(e, x_low, y_low) - reach < 0)
            coverage = GPU_COVERS_SOME;
    }
    return coverage;
}
