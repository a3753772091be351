/* SPDX-License-Identifier: MIT
 *
 * The binner's clipper: clips triangles and lines at the near and far planes and at the guard band, using the clip
 * coordinates from the coordinate program.
 *
 * Depth is clipped to -WC <= ZC <= WC, OpenGL's volume (unverified, not documented). In X and Y a primitive is clipped
 * only where 12.4 coordinates end; the clip window does the rest. Triangles and lines entirely on the outer side of one
 * frustum plane are dropped. A point is classified by its centre alone and may lie outside the frustum in X or Y,
 * because its square may reach into it. Where the chip's guard band ends is not documented (unverified). Lines and
 * points [measured on a Raspberry Pi 3: dEQP-GLES2.functional.clipping: the tests of wide lines that lie outside the
 * viewport fail, all tests of points pass].
 */
#include <string.h>
#include "model/gpu/gpu_ptb.h"

#define GUARD_12P4 32767.0f

/* XC / WC (YC / WC) at the edge of the guard band; at least 1, the edge of the frustum. */
static float guard(float half_size_16)
{
    float size = half_size_16 < 0 ? -half_size_16 : half_size_16;
    return size > 0 ? MAX2(GUARD_12P4 / size, 1.0f) : 1e30f;
}

enum plane { NEAR, FAR, LEFT, RIGHT, BOTTOM, TOP, PLANES };

/* Signed distance to a plane; not negative on the inner side. */
static double distance(const struct gpu_ptb *ptb, const double p[4], enum plane plane)
{
    switch (plane) {
    case NEAR:
        return p[2] + p[3];
    case FAR:
        return p[3] - p[2];
    case LEFT:
        return p[0] + p[3] * guard(ptb->half_width_16);
    case RIGHT:
        return p[3] * guard(ptb->half_width_16) - p[0];
    case BOTTOM:
        return p[1] + p[3] * guard(ptb->half_height_16);
    default:
        return p[3] * guard(ptb->half_height_16) - p[1];
    }
}

/* A vertex with a NaN is outside every plane that uses it. */
static void outcodes(uint32_t (*clip)[QPU_LANES], float gx, float gy, uint32_t out[QPU_LANES])
{
    float p[4][QPU_LANES];
    memcpy(p, clip, sizeof p);
    for (unsigned i = 0; i < QPU_LANES; i++) {
        const float w = p[3][i];
        out[i] = (p[2][i] >= -w ? 0u : BIT(NEAR)) | (p[2][i] <= w ? 0u : BIT(FAR)) |
                 (p[0][i] >= -gx * w ? 0u : BIT(LEFT)) | (p[0][i] <= gx * w ? 0u : BIT(RIGHT)) |
                 (p[1][i] >= -gy * w ? 0u : BIT(BOTTOM)) | (p[1][i] <= gy * w ? 0u : BIT(TOP));
    }
}

void gpu_clip_outcodes(const struct gpu_ptb *ptb, uint32_t (*clip)[QPU_LANES], uint32_t frustum_out[QPU_LANES],
                       uint32_t guard_out[QPU_LANES])
{
    outcodes(clip, 1.0f, 1.0f, frustum_out);
    outcodes(clip, guard(ptb->half_width_16), guard(ptb->half_height_16), guard_out);
}

enum gpu_clip_result gpu_clip_classify(const struct gpu_ptb *ptb, const struct gpu_ptb_vertex *const *v, unsigned count)
{
    if (count == 1)
        return v[0]->outside_guard ? GPU_CLIP_OUTSIDE : GPU_CLIP_INSIDE;
    unsigned all_frustum = ~0u, any_guard = 0;
    for (unsigned i = 0; i < count; i++) {
        all_frustum &= v[i]->outside;
        any_guard |= v[i]->outside_guard;
    }
    if (all_frustum)
        return GPU_CLIP_OUTSIDE;
    return any_guard ? GPU_CLIP_NEEDED : GPU_CLIP_INSIDE;
}

/* Intersects an edge with a plane. Always computed from the inner to the outer vertex, so that primitives that share
 * the edge get the same result. */
static void cut(struct gpu_clip_corner *out, const struct gpu_clip_corner *in, double d_in,
                const struct gpu_clip_corner *beyond, double d_beyond)
{
    double t = d_in / (d_in - d_beyond);
    for (unsigned i = 0; i < 4; i++)
        out->pos[i] = in->pos[i] + (beyond->pos[i] - in->pos[i]) * t;
    for (unsigned i = 0; i < 3; i++)
        out->weight[i] = in->weight[i] + (beyond->weight[i] - in->weight[i]) * t;
    out->vertex = -1;
}

/* One plane of the Sutherland-Hodgman algorithm. `open`: a line, without an edge from its last vertex to its first. */
static unsigned clip_to_plane(const struct gpu_ptb *ptb, enum plane plane, const struct gpu_clip_corner *in,
                              unsigned count, bool open, struct gpu_clip_corner *out)
{
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct gpu_clip_corner *from = &in[i], *to = &in[i + 1 < count ? i + 1 : 0];
        double d_from = distance(ptb, from->pos, plane), d_to = distance(ptb, to->pos, plane);
        if (d_from >= 0)
            out[n++] = *from;
        if (open && i + 1 == count)
            break;
        if (d_from >= 0 && d_to < 0)
            cut(&out[n++], from, d_from, to, d_to);
        else if (d_from < 0 && d_to >= 0)
            cut(&out[n++], to, d_to, from, d_from);
    }
    return n;
}

unsigned gpu_clip_polygon(const struct gpu_ptb *ptb, const struct gpu_ptb_vertex *const *v, unsigned count,
                          struct gpu_clip_corner out[GPU_CLIP_CORNERS_MAX])
{
    struct gpu_clip_corner other[GPU_CLIP_CORNERS_MAX], *from = out, *to = other;
    bool open = count == 2;
    for (unsigned i = 0; i < count; i++) {
        out[i] = (struct gpu_clip_corner){.vertex = (int)i};
        for (unsigned k = 0; k < 4; k++)
            out[i].pos[k] = v[i]->clip[k];
        out[i].weight[i] = 1.0;
    }
    for (enum plane plane = 0; plane < PLANES; plane++) {
        count = clip_to_plane(ptb, plane, from, count, open, to);
        struct gpu_clip_corner *swap = from;
        from = to;
        to = swap;
    }
    /* After an even number of planes the result is back in `out`. */
    static_assert(PLANES % 2 == 0, "clip result must end in the caller's array");
    return count >= (open ? 2u : 3u) ? count : 0;
}

static int16_t to_12p4(double x)
{
    return (int16_t)(x >= 32767.0 ? 32767 : x > -32768.0 ? (int)x : -32768);
}

void gpu_clip_project(const struct gpu_ptb *ptb, const struct gpu_clip_corner *corner,
                      const struct gpu_ptb_vertex *const *v, struct gpu_clip_record *out)
{
    if (corner->vertex >= 0) {
        const struct gpu_ptb_vertex *same = v[corner->vertex];
        *out = (struct gpu_clip_record){
            .xs_12p4 = (int16_t)same->screen.x, .ys_12p4 = (int16_t)same->screen.y, .zs = same->zs, .rw = same->rw};
        out->weight[corner->vertex] = 1.0f;
        return;
    }
    /* After clipping to near and far W is >= 0; it is 0 only where both planes meet. */
    double w = corner->pos[3] > 1e-30 ? corner->pos[3] : 1e-30;
    *out = (struct gpu_clip_record){
        .xs_12p4 = to_12p4(corner->pos[0] / w * ptb->half_width_16),
        .ys_12p4 = to_12p4(corner->pos[1] / w * ptb->half_height_16),
        .zs = (float)(corner->pos[2] / w * ptb->z_scale + ptb->z_offset),
        .rw = (float)(1.0 / w),
        .weight = {(float)corner->weight[0], (float)corner->weight[1], (float)corner->weight[2]},
    };
}
