/* SPDX-License-Identifier: MIT
 *
 * Solid programs on whole frames: random rectangles and triangles, flat and not, must give the same pixels and counters
 * as when the program runs for each pixel. Jobs whose cost is counted always run it for each pixel.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>
#include "model/model_stats.h"
#include "scene.h"

#define COLOR_ALONE                                                                                                    \
    "nop ; fmul r0, vary_b, ra15\nfadd r0, r0, r5\nftoi r0, r0\nmov tlb_c, r0\nnop ; nop ; end\nnop\n"                 \
    "nop ; nop ; unlock_sb\n"
#define COLOR_AND_DEPTH                                                                                                \
    "nop ; fmul r0, vary_b, ra15\nfadd r0, r0, r5\nftoi r0, r0\nmov tlb_z, rb15\nmov tlb_c, r0\nnop ; nop ; end\n"     \
    "nop\nnop ; nop ; unlock_sb\n"
#define DEPTH_ALONE "mov r0, vary\nmov tlb_z, rb15\nnop ; nop ; end\nnop\nnop ; nop ; unlock_sb\n"

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void configure(struct scene *s, bool early_z, bool z_update)
{
    cl_emit(&s->bin, CONFIGURATION_BITS, configuration_bits, p) {
        p.enable_front = p.enable_back = true;
        p.depth_function = CL_COMPARE_LESS;
        p.z_update = z_update;
        p.early_z_update = true;
        p.early_z = early_z && !s->ms_4x;
        p.oversample = s->ms_4x;
    }
}

static void window(struct scene *s, uint32_t *random)
{
    cl_emit(&s->bin, CLIP_WINDOW, clip_window, p) {
        p.left_px = next_random(random) % 100;
        p.bottom_px = next_random(random) % 100;
        p.width_px = 1 + next_random(random) % s->width_px;
        p.height_px = 1 + next_random(random) % s->height_px;
    }
}

static uint16_t vertex(struct scene *s, uint32_t *random, float x, float y, float value)
{
    const bool is_flat = next_random(random) % 4;
    const float w = next_random(random) % 4 ? 1 : 2;
    return scene_vertex(s, x, y, (float)(next_random(random) % 64) / 64, w,
                        is_flat ? value : value + (float)(next_random(random) % 9));
}

static void shape(struct scene *s, uint32_t *random)
{
    const float size = next_random(random) % 2 ? 300 : 20;
    const float x = (float)(next_random(random) % 500) / 2 - 20, y = (float)(next_random(random) % 400) / 2 - 20;
    const float value = (float)(next_random(random) % 3 * 7);
    const uint16_t first = vertex(s, random, x, y, value);
    vertex(s, random, x + size, y, value);
    vertex(s, random, x, y + size, value);
    if (next_random(random) % 2)
        vertex(s, random, x + size, y + size, value);
    scene_draw_array(s, CL_PRIM_TRIANGLE_STRIP, first, (uint32_t)(s->vertex_count - first));
}

static struct scene *draw(uint32_t seed, const char *program, bool ms_4x, struct model_stats *stats)
{
    struct scene *s = scene_create(200, 150, 1);
    s->stats = stats;
    s->ms_4x = ms_4x;
    scene_fragment_text(s, program);
    scene_begin(s);
    configure(s, seed % 2, seed % 4 > 1);
    for (unsigned n = 0; n < 30; n++) {
        if (next_random(&seed) % 8 == 0)
            configure(s, seed >> 12 & 1, seed >> 13 & 1);
        if (next_random(&seed) % 8 == 0)
            window(s, &seed);
        shape(s, &seed);
    }
    scene_run(s);
    return s;
}

static void check(const char *program, bool ms_4x)
{
    for (uint32_t seed = 0; seed < 4; seed++) {
        struct model_stats stats = {0};
        struct scene *s = draw(seed, program, ms_4x, NULL), *expected = draw(seed, program, ms_4x, &stats);
        if (scene_hash(s) != scene_hash(expected))
            fail_msg("seed %u: the frames differ", seed);
        for (unsigned n = 0; n < GPU_COUNTS; n++)
            if (s->counts[n] != expected->counts[n])
                fail_msg("seed %u: counter %u is %llu, expected %llu", seed, n, (unsigned long long)s->counts[n],
                         (unsigned long long)expected->counts[n]);
        scene_destroy(s);
        scene_destroy(expected);
        model_stats_finish(&stats);
    }
}

static void color_alone(void **state)
{
    check(COLOR_ALONE, false);
}

static void color_and_depth(void **state)
{
    check(COLOR_AND_DEPTH, false);
}

static void depth_alone(void **state)
{
    check(DEPTH_ALONE, false);
}

static void four_samples(void **state)
{
    check(COLOR_ALONE, true);
    check(COLOR_AND_DEPTH, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(color_alone),
        cmocka_unit_test(color_and_depth),
        cmocka_unit_test(depth_alone),
        cmocka_unit_test(four_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
