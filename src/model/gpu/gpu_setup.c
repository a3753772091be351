/* SPDX-License-Identifier: MIT
 *
 * Primitive setup [guide p.51-52]. VARYING delivers a * dx + b * dy and the program computes VARYING * W + C. This is
 * perspective interpolation if C is the value at the first vertex, and a and b are the gradients of sum(lambda_i * (v_i
 * - C) / W_i).
 */
#include "model/gpu/gpu_setup.h"

/* Depth is ZS with 24 fraction bits; 1.0 saturates [measured: piglit's fbo-depthstencil clear fails on a board, so
 * drawing 0.75 does not give 0xbfffff, which is what clearing to 0.75 gives]. */
#define Z_SCALE 16777216.0

/* Varyings that the setup adds: the coordinates of points and lines. */
static unsigned added_varyings(enum cl_list_type type)
{
    return type == CL_LIST_POINTS ? 2 : type == CL_LIST_LINES ? 1 : 0;
}

/* A damaged record may name more varyings than vertices have words. */
unsigned gpu_setup_varyings(enum cl_list_type type, const struct gpu_shader *shader)
{
    const unsigned words = GPU_OUTPUT_ROWS - GPU_VERTEX_WORDS - (shader->rec.point_size ? 1 : 0);
    return MIN2(added_varyings(type) + MIN2(shader->rec.fs_varyings, words), GPU_SETUP_VARYINGS_MAX);
}

/* Gradients per pixel of a value, from d1 and d2, the differences of vertices 1 and 2 to vertex 0. */
struct gradients {
    double x1, x2, y1, y2; /* d/dx = d1 * x1 + d2 * x2, d/dy = d1 * y1 + d2 * y2 */
};

static bool make_gradients(struct gradients *g, const struct gpu_setup_in *in)
{
    const struct gpu_corner *c = in->corner;
    double ex1 = (c[1].screen.x - c[0].screen.x) / 16.0, ey1 = (c[1].screen.y - c[0].screen.y) / 16.0;
    *g = (struct gradients){0};
    if (in->type == CL_LIST_TRIANGLES) {
        double ex2 = (c[2].screen.x - c[0].screen.x) / 16.0, ey2 = (c[2].screen.y - c[0].screen.y) / 16.0;
        double det = ex1 * ey2 - ex2 * ey1;
        if (det == 0)
            return false;
        *g = (struct gradients){.x1 = ey2 / det, .x2 = -ey1 / det, .y1 = -ex2 / det, .y2 = ex1 / det};
    } else if (in->type == CL_LIST_LINES) {
        /* Along the major axis; constant across. */
        if (ex1 * ex1 >= ey1 * ey1)
            g->x1 = ex1 != 0 ? 1 / ex1 : 0;
        else
            g->y1 = 1 / ey1;
    }
    return true;
}

static struct gpu_plane make_plane(const struct gradients *g, double v0, double v1, double v2)
{
    double d1 = v1 - v0, d2 = v2 - v0;
    return (struct gpu_plane){v0, d1 * g->x1 + d2 * g->x2, d1 * g->y1 + d2 * g->y2};
}

/* -- depth -- */

/* factor * steepest slope + units, where a unit is the smallest step of 24-bit depth (its size on the chip is
 * unverified). For triangles only, as in OpenGL and Vulkan. */
static double depth_offset(const struct gpu_setup_in *in, const struct gpu_plane *z)
{
    if (!in->state->config.enable_depth_offset || in->type != CL_LIST_TRIANGLES)
        return 0;
    double dx = z->dx < 0 ? -z->dx : z->dx, dy = z->dy < 0 ? -z->dy : z->dy;
    return in->state->depth_offset.factor * MAX2(dx, dy) + in->state->depth_offset.units;
}

/* -- varyings -- */

/* Value of the varying in output word `word` at corner i. */
static float corner_value(const struct gpu_setup_in *in, unsigned count, unsigned i, unsigned word)
{
    if (!(in->clip_flags & BIT(i)))
        return util_uif(in->vertex[i][word]);
    float sum = 0;
    for (unsigned k = 0; k < count; k++)
        sum += in->weight[i][k] * util_uif(in->vertex[k][word]);
    return sum;
}

static struct gpu_varying make_varying(const struct gpu_setup_in *in, const struct gradients *g, unsigned n)
{
    unsigned count = (unsigned)in->type + 1;
    unsigned word = GPU_VERTEX_WORDS + (in->shader->rec.point_size ? 1 : 0) + n;
    const bool is_flat = n < 32 ? in->state->flat_flags >> n & 1 : in->flat_from && n >= in->flat_from;
    if (is_flat) /* the last vertex provokes [recorded job flat_shade] */
        return (struct gpu_varying){.c = util_uif(in->vertex[count - 1][word])};
    float v0 = corner_value(in, count, 0, word), v1 = v0, v2 = v0;
    if (count > 1)
        v1 = corner_value(in, count, 1, word);
    if (count > 2)
        v2 = corner_value(in, count, 2, word);
    double d1 = ((double)v1 - v0) * in->corner[1].rw, d2 = count > 2 ? ((double)v2 - v0) * in->corner[2].rw : 0;
    return (struct gpu_varying){
        .a = (float)(d1 * g->x1 + d2 * g->x2),
        .b = (float)(d1 * g->y1 + d2 * g->y2),
        .c = v0,
    };
}

/* Point coordinates run from 0 to 1 with x and from 1 to 0 with y: the chip has row 0 of memory at the bottom, and the
 * origin of point coordinates is the upper left corner [recorded job points]. The program multiplies them by W like all
 * varyings, so they are divided by W here. */
static void point_coordinates(struct gpu_setup *setup, const struct gpu_setup_in *in, float size_px)
{
    int32_t side;
    struct gpu_point_12p4 corner = gpu_point_corner(in->corner[0].screen, size_px, &side);
    double per_px = side ? 16.0 / side * in->corner[0].rw : 0;
    float at_x = side ? (float)(in->corner[0].screen.x - corner.x) / (float)side : 0;
    float at_y = side ? (float)(in->corner[0].screen.y - corner.y) / (float)side : 0;
    setup->varying[0] = (struct gpu_varying){.a = (float)per_px, .c = at_x};
    setup->varying[1] = (struct gpu_varying){.b = (float)-per_px, .c = 1.0f - at_y};
}

/* The line coordinate runs from 0 to 1 across the line (unverified: no job uses its value). */
static void line_coordinate(struct gpu_setup *setup, const struct gpu_setup_in *in, float width_px)
{
    const struct gpu_point_12p4 *p0 = &in->corner[0].screen, *p1 = &in->corner[1].screen;
    double dx = p1->x - p0->x, dy = p1->y - p0->y;
    double per_px = width_px > 0 ? in->corner[0].rw / width_px : 0;
    struct gpu_varying v = {.c = 0.5f};
    if (dx * dx >= dy * dy) {
        v.b = (float)per_px;
        v.a = dx != 0 ? (float)(-dy / dx * per_px) : 0;
    } else {
        v.a = (float)per_px;
        v.b = (float)(-dx / dy * per_px);
    }
    setup->varying[0] = v;
}

static float point_size(const struct gpu_setup_in *in)
{
    return in->shader->rec.point_size ? util_uif(in->vertex[0][GPU_VERTEX_WORDS]) : in->state->point_size_px;
}

bool gpu_setup_shape(struct gpu_setup *setup, const struct gpu_setup_in *in)
{
    const struct gpu_corner *c = in->corner;
    struct gpu_point_12p4 p[3] = {c[0].screen, c[1].screen, c[2].screen};
    switch (in->type) {
    case CL_LIST_POINTS:
        return gpu_shape_point(&setup->shape, p[0], point_size(in));
    case CL_LIST_LINES:
        return gpu_shape_line(&setup->shape, p, in->state->line_width_px);
    default:
        return gpu_shape_polygon(&setup->shape, p, 3);
    }
}

bool gpu_setup_planes(struct gpu_setup *setup, const struct gpu_setup_in *in)
{
    const struct gpu_corner *c = in->corner;
    const struct gpu_state *state = in->state;
    struct gradients g;
    if (!make_gradients(&g, in))
        return false;

    setup->reference_x_px = (float)c[0].screen.x / 16.0f;
    setup->reference_y_px = (float)c[0].screen.y / 16.0f;
    setup->z = make_plane(&g, c[0].zs * Z_SCALE, c[1].zs * Z_SCALE, c[2].zs * Z_SCALE);
    setup->z.value += depth_offset(in, &setup->z);
    setup->rw = make_plane(&g, c[0].rw, c[1].rw, c[2].rw);
    setup->rev_flag =
        in->type == CL_LIST_TRIANGLES && setup->shape.counter_clockwise == state->config.clockwise;

    setup->varying_count = gpu_setup_varyings(in->type, in->shader);
    const unsigned extra = added_varyings(in->type);
    if (in->type == CL_LIST_POINTS)
        point_coordinates(setup, in, point_size(in));
    else if (in->type == CL_LIST_LINES)
        line_coordinate(setup, in, state->line_width_px);
    for (unsigned n = extra; n < setup->varying_count; n++)
        setup->varying[n] = make_varying(in, &g, n - extra);
    return true;
}

bool gpu_setup_primitive(struct gpu_setup *setup, const struct gpu_setup_in *in)
{
    return gpu_setup_shape(setup, in) && gpu_setup_planes(setup, in);
}
