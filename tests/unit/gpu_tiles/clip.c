/* SPDX-License-Identifier: MIT
 *
 * The clipper of model/gpu/gpu_ptb.h: classification, corners of clipped polygons and their weights, and equal corners
 * for neighbouring triangles.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/gpu/gpu_ptb.h"

static struct gpu_ptb *ptb;

static int setup(void **state)
{
    ptb = calloc(1, sizeof *ptb);
    if (!ptb)
        return 1;
    ptb->half_width_16 = 64 * 16;
    ptb->half_height_16 = 48 * 16;
    ptb->z_scale = 0.5f;
    ptb->z_offset = 0.5f;
    return 0;
}

static int teardown(void **state)
{
    free(ptb);
    return 0;
}

/* Classifies a triangle (`count` 3) or a point (1). Like the binner, computes the outcodes of 16 vertices at a time. */
static enum gpu_clip_result classify_some(const float p[][4], unsigned count)
{
    struct gpu_ptb_vertex v[3];
    const struct gpu_ptb_vertex *at[3] = {&v[0], &v[1], &v[2]};
    uint32_t clip[4][QPU_LANES] = {{0}}, outside[QPU_LANES], outside_guard[QPU_LANES];
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < 4; k++)
            memcpy(&clip[k][i], &p[i][k], 4);
    gpu_clip_outcodes(ptb, clip, outside, outside_guard);
    for (unsigned i = 0; i < count; i++) {
        v[i].outside = (uint8_t)outside[i];
        v[i].outside_guard = (uint8_t)outside_guard[i];
    }
    return gpu_clip_classify(ptb, at, count);
}

static enum gpu_clip_result classify(const float p[3][4])
{
    return classify_some(p, 3);
}

static unsigned clip(const float p[][4], unsigned count, struct gpu_clip_corner out[GPU_CLIP_CORNERS_MAX])
{
    struct gpu_ptb_vertex v[3];
    const struct gpu_ptb_vertex *at[3] = {&v[0], &v[1], &v[2]};
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < 4; k++)
            v[i].clip[k] = p[i][k];
    return gpu_clip_polygon(ptb, at, count, out);
}

static void classes(void **state)
{
    assert_int_equal(classify((const float[3][4]){{0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}}), GPU_CLIP_INSIDE);
    /* Partly outside the frustum, but within the guard band: not clipped. */
    assert_int_equal(classify((const float[3][4]){{0, 0, 0, 1}, {20, 0, 0, 1}, {0, 1, 0, 1}}), GPU_CLIP_INSIDE);
    /* Outside the range of 12.4 coordinates: 32767 / 1024 = 31.99 half widths. */
    assert_int_equal(classify((const float[3][4]){{0, 0, 0, 1}, {33, 0, 0, 1}, {0, 1, 0, 1}}), GPU_CLIP_NEEDED);
    assert_int_equal(classify((const float[3][4]){{2, 0, 0, 1}, {3, 0, 0, 1}, {2, 1, 0, 1}}), GPU_CLIP_OUTSIDE);
    assert_int_equal(classify((const float[3][4]){{0, 0, -2, 1}, {0, 1, 0, 1}, {1, 0, 0, 1}}), GPU_CLIP_NEEDED);
    assert_int_equal(classify((const float[3][4]){{0, 0, 2, 1}, {0, 1, 0, 1}, {1, 0, 0, 1}}), GPU_CLIP_NEEDED);
    /* Entirely behind the eye. */
    assert_int_equal(classify((const float[3][4]){{0, 0, 0, -1}, {0, 1, 0, -1}, {1, 0, 0, -1}}), GPU_CLIP_OUTSIDE);
    assert_int_equal(classify((const float[3][4]){{NAN, 0, 0, 1}, {0, 1, 0, 1}, {1, 0, 0, 1}}), GPU_CLIP_NEEDED);
}

/* A point's centre may be outside the side planes of the frustum, but not outside the near and far planes. */
static void points_are_drawn_whole_or_not(void **state)
{
    static const struct {
        float clip[4];
        enum gpu_clip_result result;
    } rows[] = {
        {{0, 0, 0, 1}, GPU_CLIP_INSIDE},      {{1.01f, 0, 0, 1}, GPU_CLIP_INSIDE}, {{0, -1.3f, 0, 1}, GPU_CLIP_INSIDE},
        {{0, 0, 1.01f, 1}, GPU_CLIP_OUTSIDE}, {{0, 0, -2, 1}, GPU_CLIP_OUTSIDE},   {{0, 0, 0, -1}, GPU_CLIP_OUTSIDE},
        {{33, 0, 0, 1}, GPU_CLIP_OUTSIDE},    {{0, NAN, 0, 1}, GPU_CLIP_OUTSIDE},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        assert_int_equal(classify_some(&rows[i].clip, 1), rows[i].result);
    }
}

static void the_near_plane_cuts_a_corner(void **state)
{
    struct gpu_clip_corner out[GPU_CLIP_CORNERS_MAX];
    /* Corner 2 is behind the near plane: the edges from z = 1, w = 1 to z = -3, w = 1 cross z = -w in the middle. */
    unsigned n = clip((const float[3][4]){{-1, 0, 1, 1}, {1, 0, 1, 1}, {0, 0, -3, 1}}, 3, out);
    assert_int_equal(n, 4);
    unsigned made = 0;
    for (unsigned i = 0; i < n; i++) {
        double sum = out[i].weight[0] + out[i].weight[1] + out[i].weight[2];
        assert_true(fabs(sum - 1) < 1e-12);
        assert_true(out[i].pos[2] >= -out[i].pos[3] - 1e-12);
        if (out[i].vertex >= 0) {
            assert_true(out[i].weight[out[i].vertex] == 1.0);
            continue;
        }
        made++;
        assert_true(fabs(out[i].weight[2] - 0.5) < 1e-12);
        assert_true(fabs(fabs(out[i].pos[0]) - 0.5) < 1e-12);
    }
    assert_int_equal(made, 2);

    struct gpu_clip_record record;
    const struct gpu_clip_corner corner = {.pos = {1, -0.5, 0, 2}, .weight = {0.25, 0.75, 0}, .vertex = -1};
    gpu_clip_project(ptb, &corner, NULL, &record);
    assert_int_equal(record.xs_12p4, 512);
    assert_int_equal(record.ys_12p4, -192);
    assert_true(record.zs == 0.5f && record.rw == 0.5f && record.weight[1] == 0.75f);
}

/* A clipped piece refers to an unchanged vertex through a clip record if the vertex has another position in the piece
 * than in the primitive. The record must keep the coordinates that the coordinate program rounded. Otherwise a seam
 * opens towards a neighbour that refers to the vertex itself. */
static void untouched_vertices_keep_their_place(void **state)
{
    const struct gpu_ptb_vertex vertex = {.clip = {1, 1, 0, 2}, .screen = {511, 383}, .zs = 0.25f, .rw = 0.499f};
    const struct gpu_ptb_vertex *const v[3] = {NULL, &vertex, NULL};
    const struct gpu_clip_corner corner = {.pos = {1, 1, 0, 2}, .weight = {0, 1, 0}, .vertex = 1};
    struct gpu_clip_record record;
    gpu_clip_project(ptb, &corner, v, &record);
    assert_int_equal(record.xs_12p4, 511);
    assert_int_equal(record.ys_12p4, 383);
    assert_true(record.zs == 0.25f && record.rw == 0.499f);
    assert_true(record.weight[0] == 0 && record.weight[1] == 1 && record.weight[2] == 0);
}

static void lines_and_nothing(void **state)
{
    struct gpu_clip_corner out[GPU_CLIP_CORNERS_MAX];
    assert_int_equal(clip((const float[2][4]){{0, 0, -3, 1}, {0, 0, 3, 1}}, 2, out), 2);
    assert_true(fabs(out[0].pos[2] + 1) < 1e-12 && fabs(out[1].pos[2] - 1) < 1e-12);
    assert_int_equal(clip((const float[2][4]){{0, 0, -3, 1}, {0, 0, -2, 1}}, 2, out), 0);
    assert_int_equal(clip((const float[3][4]){{0, 0, -3, 1}, {1, 0, -2, 1}, {0, 1, -9, 1}}, 3, out), 0);
    /* The maximum number of corners. */
    unsigned n = clip((const float[3][4]){{-90, -90, -3, 1}, {90, -80, 3, 1}, {0, 95, 0, 1}}, 3, out);
    assert_true(n >= 3 && n <= GPU_CLIP_CORNERS_MAX);
}

/* Clips two triangles that share an edge, which they list in opposite directions. */
static void neighbours_are_cut_at_the_same_point(void **state)
{
    struct gpu_clip_corner a[GPU_CLIP_CORNERS_MAX], b[GPU_CLIP_CORNERS_MAX];
    uint32_t seed = 5;
    for (unsigned round = 0; round < 2000; round++) {
        float p[4][4];
        for (unsigned i = 0; i < 4; i++) {
            for (unsigned k = 0; k < 4; k++) {
                seed = seed * 1664525u + 1013904223u;
                p[i][k] = (float)(int32_t)seed / 1e9f;
            }
        }
        unsigned na = clip((const float[3][4]){{p[0][0], p[0][1], p[0][2], p[0][3]},
                                               {p[1][0], p[1][1], p[1][2], p[1][3]},
                                               {p[2][0], p[2][1], p[2][2], p[2][3]}},
                           3, a);
        unsigned nb = clip((const float[3][4]){{p[1][0], p[1][1], p[1][2], p[1][3]},
                                               {p[0][0], p[0][1], p[0][2], p[0][3]},
                                               {p[3][0], p[3][1], p[3][2], p[3][3]}},
                           3, b);
        /* Corners on the shared edge have a weight of 0 for the third vertex. */
        for (unsigned i = 0; i < na; i++) {
            if (a[i].weight[2] != 0)
                continue;
            bool found = false;
            for (unsigned j = 0; j < nb; j++)
                found |= b[j].pos[0] == a[i].pos[0] && b[j].pos[1] == a[i].pos[1] && b[j].pos[3] == a[i].pos[3];
            assert_true(found);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(classes, setup, teardown),
        cmocka_unit_test_setup_teardown(points_are_drawn_whole_or_not, setup, teardown),
        cmocka_unit_test_setup_teardown(the_near_plane_cuts_a_corner, setup, teardown),
        cmocka_unit_test_setup_teardown(untouched_vertices_keep_their_place, setup, teardown),
        cmocka_unit_test_setup_teardown(lines_and_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(neighbours_are_cut_at_the_same_point, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
