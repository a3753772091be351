/* SPDX-License-Identifier: MIT
 *
 * Whole jobs through model/gpu/gpu.h: frames with known pixels, tile lists in memory as the only link between binning
 * and rendering, exhausted bin memory, damaged lists, thread counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "scene.h"
#include "util/log.h"
#include "util/thread.h"

static uint32_t seed = 99;

static uint32_t rnd(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(seed >> 4) * below) >> 28);
}

static void rectangle(struct scene *s, float x0, float y0, float x1, float y1, float z, float value)
{
    uint32_t first = s->vertex_count;
    scene_vertex(s, x0, y0, z, 1, value);
    scene_vertex(s, x1, y0, z, 1, value);
    scene_vertex(s, x0, y1, z, 1, value);
    scene_vertex(s, x1, y1, z, 1, value);
    scene_draw_array(s, CL_PRIM_TRIANGLE_STRIP, first, 4);
}

static unsigned messages;

static void count_message(void *data, enum util_log_level level, const char *line)
{
    messages++;
}

static void nothing_but_clear(void **state)
{
    struct scene *s = scene_create(100, 70, 1);
    scene_begin(s);
    scene_run(s);
    assert_int_equal(scene_count(s, SCENE_CLEAR_COLOR), 100 * 70);
    scene_destroy(s);
}

static void rectangles_cover_their_pixels(void **state)
{
    struct scene *s = scene_create(200, 150, 2);
    scene_begin(s);
    rectangle(s, 10, 20, 150, 130, 0.5f, 7);
    rectangle(s, 50, 50, 70, 60, 0.25f, 8);   /* nearer */
    rectangle(s, 100, 100, 180, 140, 0.75f, 9); /* farther: visible only outside of the first */
    scene_run(s);
    assert_int_equal(scene_count(s, 8), 20 * 10);
    assert_int_equal(scene_count(s, 7), 140 * 110 - 20 * 10);
    assert_int_equal(scene_count(s, 9), 80 * 40 - 50 * 30);
    assert_int_equal(scene_pixel(s, 10, 20), 7);
    assert_int_equal(scene_pixel(s, 149, 129), 7);
    assert_int_equal(scene_pixel(s, 9, 20), SCENE_CLEAR_COLOR);
    assert_int_equal(scene_pixel(s, 10, 19), SCENE_CLEAR_COLOR);
    assert_int_equal(scene_pixel(s, 150, 129), 9);
    scene_destroy(s);
}

static void varyings_are_perspective_correct(void **state)
{
    struct scene *s = scene_create(128, 64, 1);
    scene_begin(s);
    /* A strip that recedes from W = 1 at the left to W = 4 at the right; the value goes from 0 to 1000. */
    uint32_t first = s->vertex_count;
    scene_vertex(s, 0, 0, 0.5f, 1, 0);
    scene_vertex(s, 128, 0, 0.5f, 4, 1000);
    scene_vertex(s, 0, 64, 0.5f, 1, 0);
    scene_vertex(s, 128, 64, 0.5f, 4, 1000);
    scene_draw_array(s, CL_PRIM_TRIANGLE_STRIP, first, 4);
    scene_run(s);
    for (uint32_t x = 0; x < 128; x++) {
        double t = (x + 0.5) / 128;
        double value = t / 4 * 1000 / ((1 - t) + t / 4);
        for (uint32_t y = 0; y < 64; y += 21) {
            int32_t got = (int32_t)scene_pixel(s, x, y);
            assert_true(got >= value - 1.1 && got <= value + 0.1);
        }
    }
    scene_destroy(s);
}

/* A floor that is clipped at the near plane keeps the varying values of its plane. */
static void clipped_triangles_keep_their_varyings(void **state)
{
    struct scene *s = scene_create(128, 128, 1);
    scene_begin(s);
    /* Runs from behind the eye (w = -1) far ahead (w = 9); the value is 100 + w. */
    static const float clip[4][4] = {{-4, 2, -1.2f, -1}, {4, 2, -1.2f, -1}, {-4, 2, 8.8f, 9}, {4, 2, 8.8f, 9}};
    uint32_t first = s->vertex_count;
    for (unsigned i = 0; i < 4; i++)
        scene_clip_vertex(s, clip[i], 100 + clip[i][3] * 10);
    scene_draw_array(s, CL_PRIM_TRIANGLE_STRIP, first, 4);
    scene_run(s);
    unsigned seen = 0;
    for (uint32_t y = 0; y < 128; y++) {
        uint32_t color = scene_pixel(s, 64, y);
        if (color == SCENE_CLEAR_COLOR)
            continue;
        seen++;
        /* y / w = (y_px - 64) / 64 with y = 2 */
        double w = 2 * 64 / (y + 0.5 - 64), value = 100 + 10 * w;
        assert_true(color >= value - 2 && color <= value + 2);
    }
    assert_true(seen > 40);
    scene_destroy(s);
}

static void clip_windows(void **state)
{
    static const struct {
        uint32_t left, bottom, width, height;
        unsigned count;
    } cases[] = {
        {3, 5, 70, 20, 70 * 20}, {0, 0, 1, 1, 1},  {0, 0, 0, 0, 100 * 70}, {7, 0, 0, 70, 0},
        {0, 9, 100, 0, 0},       {90, 60, 99, 99, 10 * 10},
    };
    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        struct scene *s = scene_create(100, 70, 1);
        scene_begin(s);
        cl_emit(&s->bin, CLIP_WINDOW, clip_window, p) {
            p.left_px = cases[n].left;
            p.bottom_px = cases[n].bottom;
            p.width_px = cases[n].width;
            p.height_px = cases[n].height;
        }
        rectangle(s, 0, 0, 100, 70, 0.5f, 7);
        scene_run(s);
        assert_int_equal(scene_count(s, 7), cases[n].count);
        scene_destroy(s);
    }
}

/* The program writes rb15, the depth, as the colour. */
static void depth_has_24_fraction_bits(void **state)
{
    static const struct {
        float zs;
        uint32_t z;
    } cases[] = {{0, 0}, {0.25f, 0x400000}, {0.75f, 0xc00000}, {0.99999994f, 0xffffff}, {1, 0xffffff}};
    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        struct scene *s = scene_create(64, 64, 1);
        scene_fragment_text(s, "nop ; fmul r0, vary_b, ra15\n"
                               "mov r0, rb15\n"
                               "mov tlb_z, rb15\n"
                               "nop\n"
                               "mov tlb_c, r0\n"
                               "nop ; nop ; end\n"
                               "nop\n"
                               "nop ; nop ; unlock_sb\n");
        scene_begin(s);
        cl_emit(&s->bin, CONFIGURATION_BITS, configuration_bits, p) {
            p.enable_front = p.enable_back = true;
            p.depth_function = CL_COMPARE_ALWAYS;
        }
        rectangle(s, 0, 0, 64, 64, cases[n].zs, 0);
        scene_run(s);
        assert_int_equal(scene_count(s, cases[n].z), 64 * 64);
        scene_destroy(s);
    }
}

/* Fragments of the maximum depth pass less-or-equal against the cleared depth and against each other, also with early
 * Z. */
static void the_greatest_depth_equals_itself(void **state)
{
    struct scene *s = scene_create(64, 64, 1);
    scene_begin(s);
    cl_emit(&s->bin, CONFIGURATION_BITS, configuration_bits, p) {
        p.enable_front = p.enable_back = true;
        p.depth_function = CL_COMPARE_LEQUAL;
        p.z_update = p.early_z = p.early_z_update = true;
    }
    rectangle(s, 0, 0, 64, 64, 1, 0);
    rectangle(s, 0, 0, 64, 64, 1, 0);
    scene_run(s);
    assert_int_equal(s->counts[GPU_COUNT_QUADS_PASSING], 2 * (32 * 32 + 32)); /* the diagonal in both triangles */
    scene_destroy(s);
}

static void culling_goes_by_winding(void **state)
{
    for (unsigned bits = 0; bits < 8; bits++) {
        struct scene *s = scene_create(64, 64, 1);
        scene_begin(s);
        cl_emit(&s->bin, CONFIGURATION_BITS, configuration_bits, p) {
            p.enable_front = bits & 1;
            p.enable_back = bits >> 1 & 1;
            p.clockwise = bits >> 2;
            p.depth_function = CL_COMPARE_ALWAYS;
        }
        /* From row 0 at the bottom: right, then up. Counter-clockwise. */
        uint32_t first = s->vertex_count;
        scene_vertex(s, 0, 0, 0.5f, 1, 3);
        scene_vertex(s, 64, 0, 0.5f, 1, 3);
        scene_vertex(s, 64, 64, 0.5f, 1, 3);
        scene_draw_array(s, CL_PRIM_TRIANGLES, first, 3);
        scene_run(s);
        bool front = !(bits >> 2);
        assert_int_equal(scene_count(s, 3) > 0, front ? bits & 1 : bits >> 1 & 1);
        scene_destroy(s);
    }
}

static void all_modes_draw(void **state)
{
    /* Six vertices on a hexagon. `drawn` has the number of pixels per mode; overlaps of triangles count once. */
    static const float at[6][2] = {{20, 10}, {44, 10}, {57, 32}, {44, 54}, {20, 54}, {7, 32}};
    static const unsigned drawn[7] = {6, 68, 136, 114, 528, 806, 1628};
    for (enum cl_primitive mode = CL_PRIM_POINTS; mode <= CL_PRIM_TRIANGLE_FAN; mode++) {
        struct scene *s = scene_create(64, 64, 1);
        scene_fragment_program(s, mode == CL_PRIM_POINTS ? 2 : mode <= CL_PRIM_LINE_STRIP ? 1 : 0);
        scene_begin(s);
        for (unsigned i = 0; i < 6; i++)
            scene_vertex(s, at[i][0], at[i][1], 0.5f, 1, 5);
        scene_draw_array(s, mode, 0, 6);
        scene_run(s);
        assert_int_equal(scene_count(s, 5), drawn[mode]);
        scene_destroy(s);
    }
}

/* Tile lists are the only link between binning and rendering: flipping a bit in them must change the result. */
static void tile_lists_are_what_is_drawn(void **state)
{
    struct scene *s = scene_create(64, 64, 1);
    uint64_t long_ns = s->timeout_ns;
    scene_begin(s);
    rectangle(s, 0, 0, 40, 40, 0.5f, 7);
    rectangle(s, 30, 30, 64, 64, 0.25f, 8);
    scene_run(s);
    uint32_t intact = scene_hash(s);

    /* The tile's first block holds the first state records, the next one the rest and the primitives. */
    util_log_set_sink(count_message, NULL);
    messages = 0;
    unsigned changed = 0, hung = 0;
    for (uint32_t bit = 0; bit < 60 * 8; bit++) {
        uint8_t *byte = s->mem.base + SCENE_TILE_ALLOC + 256 + bit / 8;
        assert_int_equal(scene_bin_again(s), GPU_OK);
        *byte ^= (uint8_t)(1u << bit % 8);
        s->timeout_ns = 50000000;
        enum gpu_status status = scene_render(s);
        s->timeout_ns = long_ns;
        assert_true(status == GPU_OK || s->message);
        changed += status != GPU_OK || scene_hash(s) != intact;
        hung += status != GPU_OK;
    }
    util_log_set_sink(NULL, NULL);
    assert_true(changed > 100);
    assert_true(messages > 20); /* unreadable data is reported, and everything before it is drawn */
    assert_true(hung < 10);     /* hangs only when the damage makes other programs run */
    scene_destroy(s);
}

/* Random bytes in the tile lists must not crash the model, and every run must end by its time limit. */
static void damaged_lists_do_no_harm(void **state)
{
    struct scene *s = scene_create(128, 128, 2);
    uint64_t long_ns = s->timeout_ns;
    scene_begin(s);
    for (unsigned i = 0; i < 200; i++)
        rectangle(s, (float)rnd(120), (float)rnd(120), (float)rnd(128), (float)rnd(128), 0.5f, (float)i);
    assert_int_equal(scene_bin(s), GPU_OK);
    util_log_set_sink(count_message, NULL);
    for (unsigned round = 0; round < 150; round++) {
        for (unsigned i = 0; i < 20; i++)
            s->mem.base[SCENE_TILE_ALLOC + rnd(0x4000)] = (uint8_t)rnd(256);
        s->timeout_ns = 20000000;
        (void)scene_render(s);
        s->timeout_ns = long_ns;
        assert_int_equal(scene_bin_again(s), GPU_OK);
    }
    util_log_set_sink(NULL, NULL);
    scene_destroy(s);
}

/* The same for damage that the kernel's validation would refuse: control lists, shader records, vertices. */
static void damaged_jobs_do_no_harm(void **state)
{
    static const struct {
        uint32_t address, size_B;
    } areas[] = {{SCENE_BIN_LIST, 160}, {SCENE_RECORD, 52}, {SCENE_VERTICES, 800}};
    struct scene *s = scene_create(128, 128, 2);
    scene_begin(s);
    for (unsigned i = 0; i < 5; i++)
        rectangle(s, (float)rnd(120), (float)rnd(120), (float)rnd(128), (float)rnd(128), 0.5f, (float)i);
    assert_int_equal(scene_bin(s), GPU_OK);
    assert_int_equal(scene_render(s), GPU_OK);
    uint8_t *intact = malloc(SCENE_TILE_STATE), *vertices = malloc(4096);
    memcpy(intact, s->mem.base, SCENE_TILE_STATE);
    memcpy(vertices, s->mem.base + SCENE_VERTICES, 4096);
    util_log_set_sink(count_message, NULL);
    for (unsigned round = 0; round < 400; round++) {
        memcpy(s->mem.base, intact, SCENE_TILE_STATE);
        memcpy(s->mem.base + SCENE_VERTICES, vertices, 4096);
        unsigned area = rnd(ARRAY_SIZE(areas));
        for (unsigned i = 0; i < 1 + round % 4; i++)
            s->mem.base[areas[area].address + rnd(areas[area].size_B)] ^= (uint8_t)(1u << rnd(8));
        s->timeout_ns = 20000000;
        if (scene_bin_again(s) == GPU_OK)
            (void)scene_render(s);
    }
    util_log_set_sink(NULL, NULL);
    free(vertices);
    free(intact);
    scene_destroy(s);
}

static void thread_count_changes_nothing(void **state)
{
    uint32_t hash[3];
    uint64_t counts[3][GPU_COUNTS];
    for (unsigned i = 0; i < 3; i++) {
        struct scene *s = scene_create(500, 300, 1 + i * 2);
        seed = 4711;
        scene_begin(s);
        for (unsigned k = 0; k < 3 * 300; k++)
            scene_vertex(s, (float)rnd(8000) / 16, (float)rnd(4800) / 16, (float)rnd(1000) / 1000,
                         1 + (float)rnd(50) / 10, (float)rnd(10000));
        scene_draw_array(s, CL_PRIM_TRIANGLES, 0, 3 * 300);
        scene_run(s);
        hash[i] = scene_hash(s);
        memcpy(counts[i], s->counts, sizeof counts[i]);
        scene_destroy(s);
    }
    assert_int_equal(hash[0], hash[1]);
    assert_int_equal(hash[0], hash[2]);
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    assert_memory_equal(counts[0], counts[2], sizeof counts[0]);
    assert_true(counts[0][GPU_COUNT_QUADS_CLIPPED] > 0 && counts[0][GPU_COUNT_QUADS_FAILING] > 0);
}

/* A triangle that covers the whole frame of 128 x 64, or lies outside of it, depending on x_px. */
static void covering_triangle(struct scene *s, float x_px, float z, bool clockwise)
{
    uint32_t first = s->vertex_count;
    scene_vertex(s, x_px, 0, z, 1, 1);
    scene_vertex(s, clockwise ? x_px : x_px + 256, clockwise ? 128 : 0, z, 1, 1);
    scene_vertex(s, clockwise ? x_px + 256 : x_px, clockwise ? 0 : 128, z, 1, 1);
    scene_draw_array(s, CL_PRIM_TRIANGLES, first, 3);
}

static void counts_are_right(void **state)
{
    enum { TILES = 2, QUADS = 128 * 64 / 4 };
    struct scene *s = scene_create(128, 64, 2);
    scene_begin(s);
    covering_triangle(s, 0, 0.5f, false);
    covering_triangle(s, 0, 0.75f, false);    /* behind the first: early Z rejects it */
    covering_triangle(s, -1000, 0.5f, false); /* outside the frame */
    cl_emit(&s->bin, CONFIGURATION_BITS, configuration_bits, p) {
        p.enable_front = true; /* one of the next two is back-facing */
        p.depth_function = 1;  /* less, without early Z */
        p.z_update = true;
    }
    covering_triangle(s, 0, 0.9f, false);
    covering_triangle(s, 0, 0.9f, true);
    scene_run(s);
    assert_int_equal(s->counts[GPU_COUNT_PRIMS_OUTSIDE], 1);
    assert_int_equal(s->counts[GPU_COUNT_PRIMS_TO_CLIP], 0);
    assert_int_equal(s->counts[GPU_COUNT_PRIMS_REVERSED], 1);
    assert_int_equal(s->counts[GPU_COUNT_PRIMS], 3 * TILES);
    assert_int_equal(s->counts[GPU_COUNT_PRIMS_WITHOUT_PIXELS], 1 * TILES);
    assert_int_equal(s->counts[GPU_COUNT_QUADS], 2 * QUADS);
    assert_int_equal(s->counts[GPU_COUNT_QUADS_CLIPPED], QUADS);
    assert_int_equal(s->counts[GPU_COUNT_QUADS_PASSING], QUADS);
    assert_int_equal(s->counts[GPU_COUNT_QUADS_FAILING], QUADS);
    assert_int_equal(s->counts[GPU_COUNT_QUADS_WRITTEN], QUADS);
    scene_destroy(s);
}

/* Triangles of 3000 random vertices, the same in every call. */
static void draw_many(struct scene *s, unsigned triangles)
{
    uint16_t index[3000];
    seed = 1;
    s->vertex_count = 0;
    scene_begin(s);
    for (unsigned i = 0; i < 3000; i++) {
        scene_vertex(s, (float)rnd(200), (float)rnd(200), (float)rnd(1000) / 1000, 1, (float)i);
        index[i] = (uint16_t)rnd(3000);
    }
    for (unsigned i = 0; i < triangles / 1000; i++)
        scene_draw_indexed(s, CL_PRIM_TRIANGLES, index, 3000);
}

static void overspill_is_taken_and_missed(void **state)
{
    struct scene *s = scene_create(200, 200, 2);
    draw_many(s, 20000);
    scene_run(s);
    uint32_t hash = scene_hash(s);
    unsigned used_before = s->spill_slots_used;

    /* With a small tile allocation the same job takes more spill slots and gives the same frame. */
    s->tile_alloc_B = 4096 + 512;
    draw_many(s, 20000);
    scene_run(s);
    assert_true(s->spill_slots_used > used_before);
    assert_int_equal(scene_hash(s), hash);

    s->spill_slots = 0;
    draw_many(s, 20000);
    assert_int_equal(scene_bin(s), GPU_NO_BIN_MEMORY);
    assert_non_null(s->message);
    scene_destroy(s);
}

static void state_counters_end_at_7920_draws(void **state)
{
    struct scene *s = scene_create(64, 64, 1);
    for (unsigned draws = 7920; draws <= 7921; draws++) {
        scene_begin(s);
        if (s->vertex_count == 0)
            for (unsigned i = 0; i < 3; i++)
                scene_vertex(s, (float)(i * 10), (float)(i * i * 10), 0.5f, 1, 1);
        for (unsigned i = 0; i < draws; i++)
            scene_draw_array(s, CL_PRIM_TRIANGLES, 0, 3);
        assert_int_equal(scene_bin(s), draws == 7920 ? GPU_OK : GPU_HANG);
    }
    assert_non_null(strstr(s->message, "7920"));
    scene_destroy(s);
}

static void broken_lists_hang_with_a_reason(void **state)
{
    struct scene *s = scene_create(64, 64, 1);
    /* A render job without a binning job. */
    assert_int_equal(scene_render(s), GPU_HANG);
    assert_non_null(strstr(s->message, "semaphore"));

    scene_begin(s);
    cl_emit(&s->bin, HALT, halt, p) {}
    assert_int_equal(scene_bin(s), GPU_HANG);
    assert_non_null(strstr(s->message, "halted"));

    scene_begin(s);
    *(uint8_t *)util_stream_reserve(&s->bin, 1) = 250; /* reserved */
    assert_int_equal(scene_bin(s), GPU_HANG);

    scene_begin(s);
    cl_emit(&s->bin, BRANCH, branch, p) {
        p.address = SCENE_BIN_LIST; /* configures and starts binning again */
    }
    assert_int_equal(scene_bin(s), GPU_HANG);

    /* A list that branches to itself ends at the time limit. */
    cl_branch_pack(s->mem.base + SCENE_BIN_LIST, &(struct cl_branch){.address = SCENE_BIN_LIST});
    struct gpu_bin_job job = {
        .ct0ca = SCENE_BIN_LIST,
        .ct0ea = SCENE_BIN_LIST + 100,
        .limit_ns = 20000000,
    };
    assert_int_equal(gpu_run_bin(s->gpu, &job, &s->message), GPU_HANG);
    assert_non_null(strstr(s->message, "time limit"));

    /* Rendering of a tile list with a cycle of branches ends at the cycle. */
    s->vertex_count = 0;
    scene_begin(s);
    rectangle(s, 0, 0, 64, 64, 0.5f, 7);
    assert_int_equal(scene_bin(s), GPU_OK);
    cl_branch_pack(s->mem.base + SCENE_TILE_ALLOC, &(struct cl_branch){.address = SCENE_TILE_ALLOC + 8});
    cl_branch_pack(s->mem.base + SCENE_TILE_ALLOC + 8, &(struct cl_branch){.address = SCENE_TILE_ALLOC});
    messages = 0;
    util_log_set_sink(count_message, NULL);
    assert_int_equal(scene_render(s), GPU_OK);
    util_log_set_sink(NULL, NULL);
    assert_int_equal(messages, 1);
    assert_int_equal(scene_count(s, SCENE_CLEAR_COLOR), 64 * 64);

    /* The chip still works. */
    s->vertex_count = 0;
    scene_begin(s);
    rectangle(s, 0, 0, 64, 64, 0.5f, 7);
    scene_run(s);
    assert_int_equal(scene_count(s, 7), 64 * 64);
    scene_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_but_clear),
        cmocka_unit_test(rectangles_cover_their_pixels),
        cmocka_unit_test(varyings_are_perspective_correct),
        cmocka_unit_test(clipped_triangles_keep_their_varyings),
        cmocka_unit_test(clip_windows),
        cmocka_unit_test(depth_has_24_fraction_bits),
        cmocka_unit_test(the_greatest_depth_equals_itself),
        cmocka_unit_test(culling_goes_by_winding),
        cmocka_unit_test(all_modes_draw),
        cmocka_unit_test(tile_lists_are_what_is_drawn),
        cmocka_unit_test(damaged_lists_do_no_harm),
        cmocka_unit_test(damaged_jobs_do_no_harm),
        cmocka_unit_test(thread_count_changes_nothing),
        cmocka_unit_test(counts_are_right),
        cmocka_unit_test(overspill_is_taken_and_missed),
        cmocka_unit_test(state_counters_end_at_7920_draws),
        cmocka_unit_test(broken_lists_hang_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
