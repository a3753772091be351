/* SPDX-License-Identifier: MIT
 *
 * model/gpu/gpu_shape.h: neighbouring shapes cover every pixel exactly once, and covered tiles are never rejected.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "model/gpu/gpu_shape.h"

#define SIZE_PX 48

static uint32_t seed = 12345;

static uint32_t rnd(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(seed >> 4) * below) >> 28);
}

static bool covers(const struct gpu_shape *s, int32_t x, int32_t y)
{
    if (x < s->bounds.x0 || x >= s->bounds.x1 || y < s->bounds.y0 || y >= s->bounds.y1)
        return false;
    for (unsigned i = 0; i < s->edge_count; i++)
        if (gpu_edge_at(&s->edge[i], x, y) < 0)
            return false;
    return true;
}

static void count(uint8_t counts[SIZE_PX][SIZE_PX], const struct gpu_shape *s)
{
    for (int32_t y = 0; y < SIZE_PX; y++)
        for (int32_t x = 0; x < SIZE_PX; x++)
            counts[y][x] += covers(s, x, y);
}

/* A closed fan of triangles covers the pixels inside its outline once, because two triangles share every inner edge.
 * Vertices on pixel centres are the hard case, so they are frequent. */
static void shared_edges_are_drawn_once(void **state)
{
    for (unsigned round = 0; round < 3000; round++) {
        static const int32_t dir[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
        unsigned snap = rnd(3); /* vertices at sixteenths, half pixels, pixel centres */
        struct gpu_point_12p4 c = {16 * 24 + 8 + (int32_t)rnd(8), 16 * 24 + 8 + (int32_t)rnd(8)}, rim[8];
        for (unsigned i = 0; i < 8; i++) {
            int32_t length = 20 + (int32_t)rnd(300);
            rim[i].x = c.x + dir[i][0] * length;
            rim[i].y = c.y + dir[i][1] * length;
        }
        if (snap) {
            int32_t grid = snap == 1 ? 8 : 16;
            c.x = c.x / grid * grid + 8, c.y = c.y / grid * grid + 8;
            for (unsigned i = 0; i < 8; i++)
                rim[i].x = rim[i].x / grid * grid + 8, rim[i].y = rim[i].y / grid * grid + 8;
        }
        uint8_t counts[SIZE_PX][SIZE_PX] = {0};
        struct gpu_shape s;
        for (unsigned i = 0; i < 8; i++) {
            struct gpu_point_12p4 t[3] = {c, rim[i], rim[(i + 1) % 8]};
            if (rnd(2)) { /* the winding must not matter */
                t[1] = rim[(i + 1) % 8];
                t[2] = rim[i];
            }
            if (gpu_shape_polygon(&s, t, 3))
                count(counts, &s);
        }
        for (int32_t y = 0; y < SIZE_PX; y++)
            for (int32_t x = 0; x < SIZE_PX; x++)
                assert_true(counts[y][x] <= 1);
        /* The pixel next to the centre of the fan is inside. */
        int32_t middle_x = (c.x + 7) >> 4, middle_y = (c.y + 7) >> 4;
        assert_int_equal(counts[middle_y][middle_x], 1);
    }
}

static void a_split_rectangle_is_whole(void **state)
{
    for (unsigned round = 0; round < 2000; round++) {
        int32_t x0 = (int32_t)rnd(300), x1 = x0 + 1 + (int32_t)rnd(400), y0 = (int32_t)rnd(300),
                y1 = y0 + 1 + (int32_t)rnd(400);
        struct gpu_point_12p4 a = {x0, y0}, b = {x1, y0}, c = {x1, y1}, d = {x0, y1};
        struct gpu_point_12p4 first[3] = {a, b, c}, second[3] = {a, c, d};
        uint8_t counts[SIZE_PX][SIZE_PX] = {0};
        struct gpu_shape s;
        assert_true(gpu_shape_polygon(&s, first, 3));
        count(counts, &s);
        assert_true(gpu_shape_polygon(&s, second, 3));
        count(counts, &s);
        for (int32_t y = 0; y < SIZE_PX; y++) {
            for (int32_t x = 0; x < SIZE_PX; x++) {
                int32_t cx = 16 * x + 8, cy = 16 * y + 8;
                assert_int_equal(counts[y][x], cx >= x0 && cx < x1 && cy >= y0 && cy < y1);
            }
        }
    }
}

static void rectangles_are_judged_without_mistake(void **state)
{
    for (unsigned round = 0; round < 20000; round++) {
        struct gpu_point_12p4 t[3];
        for (unsigned i = 0; i < 3; i++)
            t[i] = (struct gpu_point_12p4){(int32_t)rnd(2000) - 600, (int32_t)rnd(2000) - 600};
        struct gpu_shape s;
        if (!gpu_shape_polygon(&s, t, 3))
            continue;
        int32_t x0 = (int32_t)rnd(40), y0 = (int32_t)rnd(40);
        struct gpu_rect r = {x0, y0, x0 + 1 + (int32_t)rnd(8), y0 + 1 + (int32_t)rnd(8)};
        unsigned inside = 0, all = (unsigned)((r.x1 - r.x0) * (r.y1 - r.y0));
        for (int32_t y = r.y0; y < r.y1; y++)
            for (int32_t x = r.x0; x < r.x1; x++)
                inside += covers(&s, x, y);
        enum gpu_coverage coverage = gpu_shape_covers(&s, &r);
        if (coverage == GPU_COVERS_NOTHING)
            assert_int_equal(inside, 0);
        if (coverage == GPU_COVERS_ALL)
            assert_int_equal(inside, all);
        if (inside == all)
            assert_int_equal(coverage, GPU_COVERS_ALL);
    }
}

static void winding_is_judged_from_below(void **state)
{
    /* With row 0 at the bottom: right, then up, then back is counter-clockwise. */
    const struct gpu_point_12p4 t[3] = {{0, 0}, {160, 0}, {160, 160}};
    const struct gpu_point_12p4 r[3] = {{0, 0}, {160, 160}, {160, 0}};
    struct gpu_shape s;
    assert_true(gpu_shape_polygon(&s, t, 3));
    assert_true(s.counter_clockwise);
    assert_true(gpu_shape_polygon(&s, r, 3));
    assert_false(s.counter_clockwise);
    const struct gpu_point_12p4 flat[3] = {{0, 0}, {160, 160}, {320, 320}};
    assert_false(gpu_shape_polygon(&s, flat, 3));
}

static void thin_lines_have_one_pixel_per_column(void **state)
{
    for (unsigned round = 0; round < 500; round++) {
        int32_t dx = 16 * (4 + (int32_t)rnd(30)), dy = (int32_t)rnd((uint32_t)dx);
        struct gpu_point_12p4 ends[2] = {{16 * 4 + (int32_t)rnd(16), 16 * 4 + (int32_t)rnd(16)}};
        ends[1] = (struct gpu_point_12p4){ends[0].x + dx, ends[0].y + dy};
        struct gpu_shape s;
        assert_true(gpu_shape_line(&s, ends, 1.0f));
        for (int32_t x = 0; x < SIZE_PX; x++) {
            unsigned n = 0;
            for (int32_t y = 0; y < SIZE_PX; y++)
                n += covers(&s, x, y);
            assert_int_equal(n, 16 * x + 8 >= ends[0].x && 16 * x + 8 < ends[1].x);
        }
    }
}

static void points_are_squares(void **state)
{
    struct gpu_shape s;
    assert_true(gpu_shape_point(&s, (struct gpu_point_12p4){16 * 10 + 8, 16 * 20 + 8}, 1.0f));
    uint8_t counts[SIZE_PX][SIZE_PX] = {0};
    count(counts, &s);
    unsigned n = 0;
    for (int32_t y = 0; y < SIZE_PX; y++)
        for (int32_t x = 0; x < SIZE_PX; x++)
            n += counts[y][x];
    assert_int_equal(n, 1);
    assert_int_equal(counts[20][10], 1);
    assert_false(gpu_shape_point(&s, (struct gpu_point_12p4){0, 0}, 0.0f));
    assert_false(gpu_shape_point(&s, (struct gpu_point_12p4){0, 0}, -3.0f));
    assert_true(gpu_shape_point(&s, (struct gpu_point_12p4){0, 0}, 1e30f)); /* limited to 512 */
    assert_int_equal(s.bounds.x0, -256);
    assert_int_equal(s.bounds.x1, 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_edges_are_drawn_once),
        cmocka_unit_test(a_split_rectangle_is_whole),
        cmocka_unit_test(rectangles_are_judged_without_mistake),
        cmocka_unit_test(winding_is_judged_from_below),
        cmocka_unit_test(thin_lines_have_one_pixel_per_column),
        cmocka_unit_test(points_are_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
