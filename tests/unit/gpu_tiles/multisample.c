/* SPDX-License-Identifier: MIT
 *
 * Frames with four samples: coverage, depth and colour of single samples, and the resolved image.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/gpu/gpu_shape.h"
#include "scene.h"

static void rectangle(struct scene *s, float x0, float y0, float x1, float y1, float z, float value)
{
    uint32_t first = s->vertex_count;
    scene_vertex(s, x0, y0, z, 1, value);
    scene_vertex(s, x1, y0, z, 1, value);
    scene_vertex(s, x0, y1, z, 1, value);
    scene_vertex(s, x1, y1, z, 1, value);
    scene_draw_array(s, CL_PRIM_TRIANGLE_STRIP, first, 4);
}

static struct scene *create(uint32_t width_px, uint32_t height_px, unsigned threads)
{
    struct scene *s = scene_create(width_px, height_px, threads);
    s->ms_4x = true;
    return s;
}

/* Whether sample n of pixel (x, y) is inside the bounds. The bounds are odd sixteenths, so no sample is on an edge. */
static bool is_inside(uint32_t x, uint32_t y, unsigned n, const int bounds_16[4])
{
    int sx = (int)x * 16 + 8 + gpu_sample_position[n].x_16, sy = (int)y * 16 + 8 + gpu_sample_position[n].y_16;
    return sx > bounds_16[0] && sy > bounds_16[1] && sx < bounds_16[2] && sy < bounds_16[3];
}

static uint32_t mean(const uint32_t word[4])
{
    uint32_t out = 0;
    for (unsigned byte = 0; byte < 32; byte += 8) {
        uint32_t sum = 2;
        for (unsigned n = 0; n < 4; n++)
            sum += word[n] >> byte & 0xff;
        out |= sum / 4 << byte;
    }
    return out;
}

/* Checks every sample of frames of several tiles, with edges at every odd sixteenth, and the mean of each pixel. */
static void samples_are_covered_by_their_place(void **state)
{
    for (int part = 1; part < 16; part += 2) {
        struct scene *s = create(70, 45, part & 2 ? 2 : 1);
        const int bounds_16[4] = {5 * 16 + part, 7 * 16 + part, 66 * 16 + part, 40 * 16 + part};
        scene_begin(s);
        rectangle(s, (float)bounds_16[0] / 16, (float)bounds_16[1] / 16, (float)bounds_16[2] / 16,
                  (float)bounds_16[3] / 16, 0.5f, 77);
        scene_run(s);
        for (uint32_t y = 0; y < 45; y++) {
            for (uint32_t x = 0; x < 70; x++) {
                uint32_t want[4];
                for (unsigned n = 0; n < 4; n++) {
                    want[n] = is_inside(x, y, n, bounds_16) ? 77 : SCENE_CLEAR_COLOR;
                    assert_int_equal(scene_sample(s, x, y, n), want[n]);
                }
                assert_int_equal(scene_pixel(s, x, y), mean(want));
            }
        }
        scene_destroy(s);
    }
}

/* Two triangles that share an edge leave no sample out. A rectangle too thin to cover pixel centres still covers
 * samples. */
static void shared_edges_are_drawn_once(void **state)
{
    struct scene *s = create(64, 64, 1);
    scene_begin(s);
    uint32_t first = s->vertex_count;
    scene_vertex(s, 3.3125f, 2.5625f, 0.5f, 1, 1);
    scene_vertex(s, 60.1875f, 9.0625f, 0.5f, 1, 1);
    scene_vertex(s, 11.4375f, 58.8125f, 0.5f, 1, 1);
    scene_vertex(s, 57.6875f, 61.3125f, 0.25f, 1, 1);
    scene_draw_array(s, CL_PRIM_TRIANGLE_STRIP, first, 4);
    scene_run(s);
    /* No sample of a pixel well inside has the clear colour. */
    for (uint32_t y = 12; y < 56; y++)
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(scene_sample(s, 34, y, n), 1);

    s->vertex_count = 0;
    scene_begin(s);
    rectangle(s, 10, 20.0625f, 50, 20.1875f, 0.5f, 5); /* sample 0 is at 2/16 of the row */
    scene_run(s);
    assert_int_equal(scene_sample(s, 30, 20, 0), 5);
    for (unsigned n = 1; n < 4; n++)
        assert_int_equal(scene_sample(s, 30, 20, n), SCENE_CLEAR_COLOR);
    scene_destroy(s);
}

/* The nearer rectangle wins at each sample, in either drawing order. */
static void depth_is_kept_by_sample(void **state)
{
    const int nearer_16[4] = {7 * 16 + 9, 0, 64 * 16, 64 * 16};
    for (unsigned order = 0; order < 2; order++) {
        struct scene *s = create(64, 64, 1);
        scene_begin(s);
        for (unsigned i = 0; i < 2; i++) {
            if (i == order)
                rectangle(s, 0, 0, 64, 64, 0.75f, 1);
            else
                rectangle(s, (float)nearer_16[0] / 16, 0, 64, 64, 0.25f, 2);
        }
        scene_run(s);
        for (unsigned n = 0; n < 4; n++) {
            assert_int_equal(scene_sample(s, 6, 30, n), 1);
            assert_int_equal(scene_sample(s, 7, 30, n), is_inside(7, 30, n, nearer_16) ? 2 : 1);
            assert_int_equal(scene_sample(s, 8, 30, n), 2);
        }
        scene_destroy(s);
    }
}

/* Without oversampling in the configuration bits, the pixel centre decides for all samples. */
static void centres_decide_without_oversampling(void **state)
{
    struct scene *s = create(64, 64, 1);
    scene_begin(s);
    cl_emit(&s->bin, CONFIGURATION_BITS, configuration_bits, p) {
        p.enable_front = p.enable_back = true;
        p.depth_function = CL_COMPARE_ALWAYS;
    }
    rectangle(s, 10.4375f, 0, 20.4375f, 64, 0.5f, 3);
    scene_run(s);
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(scene_sample(s, 9, 5, n), SCENE_CLEAR_COLOR);
        assert_int_equal(scene_sample(s, 10, 5, n), 3);
        assert_int_equal(scene_sample(s, 19, 5, n), 3);
        assert_int_equal(scene_sample(s, 20, 5, n), SCENE_CLEAR_COLOR);
    }
    scene_destroy(s);
}

/* Four loads and stores access the samples in order: each sample gets its old value plus its number, counted from 1. */
static void samples_are_loaded_and_stored_in_order(void **state)
{
    struct scene *s = create(64, 64, 1);
    scene_fragment_text(s, "nop ; fmul r0, vary_b, ra15\n"
                           "fadd r0, r0, r5\n"
                           "mov tlb_z, rb15\n"
                           "nop ; nop ; load_color\n"
                           "mov r1, r4\n"
                           "add tlb_c_ms, r1, 1\n"
                           "nop ; nop ; load_color\n"
                           "mov r1, r4\n"
                           "add tlb_c_ms, r1, 2\n"
                           "nop ; nop ; load_color\n"
                           "mov r1, r4\n"
                           "add tlb_c_ms, r1, 3\n"
                           "nop ; nop ; load_color\n"
                           "mov r1, r4\n"
                           "add tlb_c_ms, r1, 4\n"
                           "nop ; nop ; end\n"
                           "nop\n"
                           "nop ; nop ; unlock_sb\n");
    scene_begin(s);
    rectangle(s, 0, 0, 64, 64, 0.75f, 0);
    rectangle(s, 20, 20, 40, 40, 0.5f, 0);
    scene_run(s);
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(scene_sample(s, 10, 10, n), SCENE_CLEAR_COLOR + n + 1);
        assert_int_equal(scene_sample(s, 30, 30, n), SCENE_CLEAR_COLOR + 2 * (n + 1));
    }
    scene_destroy(s);
}

/* Samples that the program masks off get no colour if a Z test follows. */
static void masked_samples(void **state)
{
    for (unsigned tested = 0; tested < 2; tested++) {
        struct scene *s = create(64, 64, 1);
        char text[512];
        snprintf(text, sizeof text,
                 "nop ; fmul r0, vary_b, ra15\n"
                 "fadd r0, r0, r5\n"
                 "ftoi r0, r0\n"
                 "and ms_flags, ms_flags, 6\n"
                 "nop\n"
                 "mov %s, rb15\n"
                 "nop\n"
                 "mov tlb_c, r0\n"
                 "nop ; nop ; end\n"
                 "nop\n"
                 "nop ; nop ; unlock_sb\n",
                 tested ? "tlb_z" : "r1");
        scene_fragment_text(s, text);
        scene_begin(s);
        rectangle(s, 0, 0, 64, 64, 0.5f, 7);
        scene_run(s);
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(scene_sample(s, 10, 10, n), tested && !(6 >> n & 1) ? SCENE_CLEAR_COLOR : 7);
        scene_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_covered_by_their_place),
        cmocka_unit_test(shared_edges_are_drawn_once),
        cmocka_unit_test(depth_is_kept_by_sample),
        cmocka_unit_test(centres_decide_without_oversampling),
        cmocka_unit_test(samples_are_loaded_and_stored_in_order),
        cmocka_unit_test(masked_samples),
    };
    return cmocka_run_group_tests_name("multisample", tests, NULL, NULL);
}
