/* SPDX-License-Identifier: MIT
 *
 * Binning of one primitive: clip it, cull it by facing, find the tiles that it touches, add it to their lists.
 */
#include <string.h>
#include "model/gpu/gpu_ptb.h"

/* Edges are computed only when they are needed to find the tiles that a primitive touches. */
static void ensure_edges(struct gpu_ptb_primitive *prim)
{
    if (!prim->has_edges)
        prim->has_edges = gpu_shape_polygon(&prim->shape, prim->corner, 3);
}

/* Primitives that touch a tile without covering a pixel's centre are binned, too: the chip counts them when rasterising
 * (performance counter 0), so its binner seems not to detect them. */
static bool bin(struct gpu_ptb *ptb, struct gpu_ptb_primitive *prim)
{
    struct gpu_rect area = gpu_rect_intersect(&prim->shape.outline, &ptb->drawable);
    if (gpu_rect_is_empty(&area))
        return true;
    const int32_t px = (int32_t)ptb->tile_px;
    const uint32_t shift = ptb->log2_tile_px;
    int32_t tx0 = area.x0 >> shift, tx1 = (area.x1 - 1) >> shift;
    int32_t ty0 = area.y0 >> shift, ty1 = (area.y1 - 1) >> shift;
    if (tx0 == tx1 && ty0 == ty1)
        return gpu_ptb_list_add(ptb, (uint32_t)ty0 * ptb->config.width_tl + (uint32_t)tx0, prim);
    ensure_edges(prim);
    prim->shape.multisampled = ptb->config.ms_4x && ptb->state.config.oversample;
    for (int32_t ty = ty0; ty <= ty1; ty++) {
        for (int32_t tx = tx0; tx <= tx1; tx++) {
            struct gpu_rect tile = {tx * px, ty * px, (tx + 1) * px, (ty + 1) * px};
            tile = gpu_rect_intersect(&tile, &area);
            if (gpu_shape_covers(&prim->shape, &tile) == GPU_COVERS_NOTHING)
                continue;
            if (!gpu_ptb_list_add(ptb, (uint32_t)ty * ptb->config.width_tl + (uint32_t)tx, prim))
                return false;
        }
    }
    return true;
}

/* Whether triangles of this winding are drawn. Bit 2 of the configuration makes clockwise triangles front-facing; the
 * winding is seen with row 0 of memory at the bottom [guide p.105; recorded jobs]. */
static bool is_drawn(const struct gpu_ptb *ptb, const struct gpu_shape *shape)
{
    const struct cl_configuration_bits *c = &ptb->state.config;
    bool front = shape->counter_clockwise != c->clockwise;
    return front ? c->enable_front : c->enable_back;
}

static struct gpu_point_12p4 to_window(const struct gpu_ptb *ptb, int32_t xs, int32_t ys)
{
    return (struct gpu_point_12p4){xs + ptb->state.centre_x_12p4, ys + ptb->state.centre_y_12p4};
}

/* Computes the shape of the primitive with vertices at `p`. False if there is nothing to draw. */
static bool make_shape(const struct gpu_ptb *ptb, struct gpu_ptb_primitive *prim, const struct gpu_point_12p4 *p,
                       float point_size_px)
{
    prim->has_edges = prim->type != CL_LIST_TRIANGLES;
    if (prim->type == CL_LIST_POINTS)
        return gpu_shape_point(&prim->shape, p[0], point_size_px);
    if (prim->type == CL_LIST_LINES)
        return gpu_shape_line(&prim->shape, p, ptb->state.line_width_px);

    const int64_t area = gpu_shape_twice_area(p, 3);
    if (area == 0)
        return false;
    prim->shape.counter_clockwise = area > 0;
    prim->is_reversed = !is_drawn(ptb, &prim->shape);
    if (prim->is_reversed)
        return false;
    memcpy(prim->corner, p, sizeof prim->corner);
    prim->shape.outline = gpu_shape_outline(p, 3);
    return true;
}

/* Bins one piece of a clipped primitive. Each corner that is not vertex number i of the primitive becomes a clip
 * record. */
static bool bin_piece(struct gpu_ptb *ptb, struct gpu_ptb_primitive *prim, const struct gpu_ptb_vertex *const *v,
                      const struct gpu_clip_corner *const *corner, unsigned count)
{
    struct gpu_clip_record records[3];
    struct gpu_point_12p4 p[3];
    prim->clip_flags = 0;
    prim->clip_count = 0;
    prim->clip_addr = 0;
    prim->clip_records = (const uint8_t *)records;
    for (unsigned i = 0; i < count; i++) {
        if (corner[i]->vertex == (int)i) {
            p[i] = to_window(ptb, v[i]->screen.x, v[i]->screen.y);
        } else {
            struct gpu_clip_record *record = &records[prim->clip_count++];
            gpu_clip_project(ptb, corner[i], v, record);
            prim->clip_flags |= BIT(i);
            p[i] = to_window(ptb, record->xs_12p4, record->ys_12p4);
        }
    }
    return !make_shape(ptb, prim, p, 0) || bin(ptb, prim);
}

static bool bin_clipped(struct gpu_ptb *ptb, struct gpu_ptb_primitive *prim, const struct gpu_ptb_vertex *const *v,
                        unsigned count)
{
    struct gpu_clip_corner corner[GPU_CLIP_CORNERS_MAX];
    unsigned corners = gpu_clip_polygon(ptb, v, count, corner);
    ptb->clipped += ptb->shader.rec.cs_uniforms && corners >= count ? 1 + corners - count : 0;
    if (count == 2) {
        const struct gpu_clip_corner *line[2] = {&corner[0], &corner[1]};
        return corners == 0 || bin_piece(ptb, prim, v, line, 2);
    }
    for (unsigned i = 2; i < corners; i++) {
        const struct gpu_clip_corner *triangle[3] = {&corner[0], &corner[i - 1], &corner[i]};
        if (!bin_piece(ptb, prim, v, triangle, 3))
            return false;
    }
    return true;
}

static bool clip_and_bin(struct gpu_ptb *ptb, struct gpu_ptb_primitive *prim, const uint16_t index[3])
{
    const struct gpu_ptb_vertex *v[3];
    struct gpu_point_12p4 p[3];
    unsigned count = (unsigned)prim->type + 1;
    for (unsigned i = 0; i < count; i++) {
        prim->index[i] = index[i];
        v[i] = &ptb->vertex[index[i]];
        p[i] = to_window(ptb, v[i]->screen.x, v[i]->screen.y);
    }
    if (ptb->shader.rec.clipping) {
        switch (gpu_clip_classify(ptb, v, count)) {
        case GPU_CLIP_OUTSIDE:
            ptb->counts[GPU_COUNT_PRIMS_OUTSIDE]++;
            return true;
        case GPU_CLIP_NEEDED:
            ptb->counts[GPU_COUNT_PRIMS_TO_CLIP]++;
            return bin_clipped(ptb, prim, v, count);
        case GPU_CLIP_INSIDE:
            break;
        }
    }
    ptb->clipped += ptb->shader.rec.cs_uniforms != 0;
    float size_px = ptb->shader.rec.point_size ? v[0]->point_size_px : ptb->state.point_size_px;
    return !make_shape(ptb, prim, p, size_px) || bin(ptb, prim);
}

/* Early test for triangles: drops most of those that are not drawn, using only the three vertices. Gives the same
 * results as clip_and_bin(), but without initialising a struct gpu_ptb_primitive. */
static bool is_dropped(struct gpu_ptb *ptb, const uint16_t index[3])
{
    const struct gpu_ptb_vertex *const v[3] = {&ptb->vertex[index[0]], &ptb->vertex[index[1]],
                                               &ptb->vertex[index[2]]};
    if (ptb->shader.rec.clipping) {
        if (v[0]->outside & v[1]->outside & v[2]->outside) {
            ptb->counts[GPU_COUNT_PRIMS_OUTSIDE]++;
            return true;
        }
        if (v[0]->outside_guard | v[1]->outside_guard | v[2]->outside_guard)
            return false;
    }
    const int64_t ax = v[1]->screen.x - v[0]->screen.x, ay = v[1]->screen.y - v[0]->screen.y;
    const int64_t bx = v[2]->screen.x - v[0]->screen.x, by = v[2]->screen.y - v[0]->screen.y;
    const int64_t area = ax * by - bx * ay;
    const struct cl_configuration_bits *c = &ptb->state.config;
    if (area != 0 && ((area > 0) != c->clockwise ? c->enable_front : c->enable_back))
        return false;
    ptb->counts[GPU_COUNT_PRIMS_REVERSED] += area != 0;
    ptb->clipped += ptb->shader.rec.cs_uniforms != 0;
    return true;
}

bool gpu_ptb_primitive(struct gpu_ptb *ptb, enum cl_list_type type, const uint16_t index[3])
{
    if (type == CL_LIST_TRIANGLES && is_dropped(ptb, index))
        return true;
    struct gpu_ptb_primitive prim; /* large; most primitives use only part of it, so it is not zeroed */
    prim.type = type;
    prim.is_reversed = false;
    prim.clip_flags = 0;
    memset(prim.index, 0, sizeof prim.index);
    bool ok = clip_and_bin(ptb, &prim, index);
    ptb->counts[GPU_COUNT_PRIMS_REVERSED] += prim.is_reversed;
    return ok;
}
