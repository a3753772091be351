/* SPDX-License-Identifier: MIT
 *
 * Cost statistics of jobs: the sums over tiles and over instructions equal the totals, known frames have the expected
 * cost, and counting does not change a frame.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include "model/model_stats.h"
#include "scene.h"

static void rectangle(struct scene *s, float x0, float y0, float x1, float y1, float z, float value)
{
    uint16_t first = scene_vertex(s, x0, y0, z, 1, value);
    scene_vertex(s, x1, y0, z, 1, value);
    scene_vertex(s, x0, y1, z, 1, value);
    scene_vertex(s, x1, y1, z, 1, value);
    scene_draw_array(s, CL_PRIM_TRIANGLE_STRIP, first, 4);
}

static uint64_t sum_of_tiles(const struct model_stats *stats, enum model_cost cost)
{
    uint64_t sum = stats->elsewhere.of[cost];
    for (uint32_t i = 0; i < stats->columns * stats->rows; i++)
        sum += stats->tiles[i].of[cost];
    return sum;
}

static void check_sums(const struct model_stats *stats)
{
    uint64_t lines[MODEL_STAGES] = {0}, instrs = 0;
    assert_false(stats->failed);
    for (unsigned cost = 0; cost < MODEL_COSTS; cost++)
        assert_int_equal(sum_of_tiles(stats, cost), stats->total.of[cost]);
    for (uint32_t i = 0; i < stats->program_count; i++)
        for (uint32_t n = 0; n < stats->programs[i].count; n++)
            lines[stats->programs[i].stage] += stats->programs[i].executed[n];
    for (unsigned stage = 0; stage < MODEL_STAGES; stage++) {
        assert_int_equal(lines[stage], stats->total.of[MODEL_COST_COORDINATE_INSTRS + stage]);
        instrs += lines[stage];
    }
    assert_int_equal(instrs, stats->interpreted);
    assert_int_equal(stats->total.of[MODEL_COST_QUADS], stats->chip_counts[GPU_COUNT_QUADS]);
    assert_int_equal(stats->total.of[MODEL_COST_PRIMITIVES], stats->chip_counts[GPU_COUNT_PRIMS]);
    assert_int_equal(stats->total.of[MODEL_COST_EARLY_Z], stats->chip_counts[GPU_COUNT_QUADS_CLIPPED]);
}

static struct scene *draw(struct model_stats *stats, unsigned threads, bool ms_4x)
{
    struct scene *s = scene_create(200, 150, threads);
    s->stats = stats;
    s->ms_4x = ms_4x;
    scene_begin(s);
    rectangle(s, 0, 0, 200, 150, 0.5f, 7);
    rectangle(s, 64, 64, 128, 128, 0.25f, 9);
    scene_run(s);
    return s;
}

static void sums_are_totals(void **state)
{
    struct model_stats stats = {0};
    struct scene *s = draw(&stats, 2, false);
    check_sums(&stats);
    assert_int_equal(stats.columns, 4);
    assert_int_equal(stats.rows, 3);
    assert_int_equal(stats.tile_px, 64);
    assert_int_equal(stats.program_count, 3);
    assert_int_equal(stats.total.of[MODEL_COST_PIXELS], 200 * 150 + 64 * 64);
    assert_int_equal(stats.tiles[1 * 4 + 1].of[MODEL_COST_PIXELS], 2 * 64 * 64);
    assert_int_equal(stats.tiles[0].of[MODEL_COST_PIXELS], 64 * 64);
    assert_int_equal(stats.total.of[MODEL_COST_COLOR_STORE_B], 200 * 150 * 4);
    assert_true(stats.elsewhere.of[MODEL_COST_COORDINATE_INSTRS] > 0);
    assert_int_equal(stats.elsewhere.of[MODEL_COST_FRAGMENT_INSTRS], 0);
    assert_int_equal(stats.elsewhere.of[MODEL_COST_VERTEX_INSTRS], 0);
    assert_true(stats.tiles[0].of[MODEL_COST_VERTEX_INSTRS] > 0);
    assert_int_equal(stats.tiles[0].of[MODEL_COST_COORDINATE_INSTRS], 0);
    assert_true(stats.bin_end_ns >= stats.bin_begin_ns && stats.bin_begin_ns);
    assert_true(stats.render_end_ns >= stats.render_begin_ns && stats.render_begin_ns >= stats.bin_end_ns);
    scene_destroy(s);
    model_stats_finish(&stats);
}

static void four_samples_have_small_tiles(void **state)
{
    struct model_stats stats = {0};
    struct scene *s = draw(&stats, 1, true);
    check_sums(&stats);
    assert_int_equal(stats.tile_px, 32);
    assert_int_equal(stats.columns, 7);
    assert_int_equal(stats.rows, 5);
    scene_destroy(s);
    model_stats_finish(&stats);
}

/* Neither counting nor the number of threads changes the frame. */
static void counting_changes_nothing(void **state)
{
    struct model_stats one = {0}, four = {0};
    struct scene *plain = draw(NULL, 1, false), *s = draw(&one, 1, false), *t = draw(&four, 4, false);
    assert_int_equal(scene_hash(s), scene_hash(plain));
    assert_int_equal(scene_hash(t), scene_hash(plain));
    assert_memory_equal(&one.total, &four.total, sizeof one.total);
    assert_memory_equal(one.tiles, four.tiles, one.columns * one.rows * sizeof *one.tiles);
    scene_destroy(plain);
    scene_destroy(s);
    scene_destroy(t);
    model_stats_finish(&one);
    model_stats_finish(&four);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_totals),
        cmocka_unit_test(four_samples_have_small_tiles),
        cmocka_unit_test(counting_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
