/* SPDX-License-Identifier: MIT
 *
 * Control lists by registers: whole frames, interrupts, the semaphore between the two threads, memory for the binner,
 * performance counters, lists that are broken, halted or never end, and resets at the worst moments.
 */
#include <string.h>
#include "bench.h"
#include "util/log.h"

static unsigned messages;

static void count_message(void *data, enum util_log_level level, const char *line)
{
    messages++;
}

/* -- frames -------------------------------------------------------------------------------------------------------- */

static void a_frame(void **state)
{
    struct bench *b = *state;
    bench_frame(b);
    assert_int_equal(rd(b, V3D_CT0CA), b->bin_end);
    assert_int_equal(rd(b, V3D_CT0CA + 4), b->render_end);
    assert_int_equal(rd(b, V3D_CT0CS), 0);
    assert_int_equal(rd(b, V3D_CT0CS + 4), 0); /* the semaphore is back at 0 */
    assert_int_equal(rd(b, V3D_BFC), 1);
    assert_int_equal(rd(b, V3D_RFC), 1);
    assert_int_equal(rd(b, V3D_CT0LC), 1 << 16);
    assert_int_equal(rd(b, V3D_CT0LC + 4), 6); /* 3 x 2 tile lists */
    assert_int_equal(rd(b, V3D_PCS), 0);
    assert_int_equal(rd(b, V3D_INTCTL), 0);
    assert_false(board_v3d_interrupt(b->v3d));
    assert_true(rd(b, V3D_BPCA) > SCENE_TILE_ALLOC);
    assert_int_equal(rd(b, V3D_BPCA) + rd(b, V3D_BPCS), SCENE_TILE_ALLOC + SCENE_TILE_ALLOC_B);
    for (unsigned n = 2; n < 5; n++) {
        bench_frame(b);
        assert_int_equal(rd(b, V3D_RFC), n);
    }
    wr(b, V3D_BFC, 1);
    wr(b, V3D_RFC, 1);
    wr(b, V3D_CT0LC, 1 << 16);
    wr(b, V3D_CT0LC + 4, 1 << 16); /* clears the flushes, of which there are none, and not the returns */
    assert_int_equal(rd(b, V3D_BFC) | rd(b, V3D_RFC) | rd(b, V3D_CT0LC), 0);
    assert_int_equal(rd(b, V3D_CT0LC + 4), 24);
    wr(b, V3D_CT0LC + 4, 1);
    assert_int_equal(rd(b, V3D_CT0LC + 4), 0);
}

static void disabled_interrupts_are_latched(void **state)
{
    struct bench *b = *state;
    bench_start(b, 0);
    bench_wait(b, V3D_INTCTL, INT_FLDONE, INT_FLDONE);
    assert_false(board_v3d_interrupt(b->v3d));
    assert_int_equal(b->changes, 0);
    wr(b, V3D_INTENA, INT_FLDONE);
    assert_true(board_v3d_interrupt(b->v3d));
    assert_int_equal(b->changes, 1);
    wr(b, V3D_INTDIS, INT_FLDONE);
    assert_false(board_v3d_interrupt(b->v3d));
    wr(b, V3D_INTCTL, INT_FLDONE);
    wr(b, V3D_INTENA, INT_FLDONE);
    assert_false(board_v3d_interrupt(b->v3d));
    assert_int_equal(b->changes, 2);
}

static void rendering_waits_for_binning(void **state)
{
    struct bench *b = *state;
    bench_start(b, 1);
    bench_wait(b, V3D_CT0CS + 4, CTCS_RUN | CTCS_SUB_MODE, CTCS_RUN | CTCS_SUB_MODE);
    assert_int_equal(rd(b, V3D_PCS), PCS_RENDER_ACTIVE);
    assert_int_equal(rd(b, V3D_CT0CA + 4), rd(b, V3D_CT0CA + 4)); /* it stands still */
    assert_int_equal(rd(b, V3D_RFC), 0);
    bench_start(b, 0);
    bench_wait(b, V3D_INTCTL, INT_FLDONE | INT_FRDONE, INT_FLDONE | INT_FRDONE);
    bench_wait(b, V3D_CT0CS + 4, CTCS_RUN, 0);
}

static void binning_ahead_counts_the_semaphore(void **state)
{
    struct bench *b = *state;
    for (unsigned n = 1; n <= 9; n++) {
        bench_start(b, 0);
        bench_wait(b, V3D_BFC, 0xff, n);
        assert_int_equal(rd(b, V3D_CT0CS + 4) >> CTCS_SEMA_SHIFT & 7, n < 7 ? n : 7);
    }
    wr(b, V3D_CT0CS + 4, CTCS_RESET);
    assert_int_equal(rd(b, V3D_CT0CS + 4), 0);
}

static void performance_counters(void **state)
{
    struct bench *b = *state;
    struct scene *s = b->scene;
    memset(s->counts, 0, sizeof s->counts);
    for (uint32_t n = 0; n < PCTR_COUNTERS; n++)
        wr(b, V3D_PCTR0 + 8 * n + 4, n);
    wr(b, V3D_PCTRE, 0xffff); /* without bit 31 nothing counts */
    bench_frame(b);
    for (uint32_t n = 0; n < PCTR_COUNTERS; n++)
        assert_int_equal(rd(b, V3D_PCTR0 + 8 * n), 0);
    memset(s->counts, 0, sizeof s->counts);
    wr(b, V3D_PCTRE, PCTRE_ON | 0x7fff);
    bench_frame(b);
    assert_true(s->counts[GPU_COUNT_QUADS] > 100 && s->counts[GPU_COUNT_PRIMS] > 0);
    for (uint32_t n = 0; n < PCTR_COUNTERS; n++)
        assert_int_equal(rd(b, V3D_PCTR0 + 8 * n), n < 15 ? s->counts[n] : 0);
}

/* -- memory for the binner ----------------------------------------------------------------------------------------- */

/* Leaves so little memory that the lists do not fit. */
static void shrink_pool(struct bench *b)
{
    uint8_t *record = b->scene->mem.base + SCENE_BIN_LIST;
    struct cl_tile_binning_mode_config config;
    cl_tile_binning_mode_config_unpack(record, &config);
    config.tile_alloc_size_B = 256;
    cl_tile_binning_mode_config_pack(record, &config);
}

static void the_binner_waits_for_memory(void **state)
{
    struct bench *b = *state;
    shrink_pool(b);
    wr(b, V3D_INTENA, INT_OUTOMEM);
    bench_start(b, 0);
    bench_wait_interrupt(b, INT_OUTOMEM);
    assert_int_equal(rd(b, V3D_INTCTL), INT_OUTOMEM); /* could not be cleared */
    assert_int_equal(rd(b, V3D_PCS), PCS_BIN_ACTIVE | PCS_OUT_OF_MEMORY);
    assert_int_equal(rd(b, V3D_CT0CS) & (CTCS_RUN | CTCS_ERROR), CTCS_RUN);
    const uint32_t ca = rd(b, V3D_CT0CA);
    for (unsigned n = 0; n < 10; n++)
        assert_int_equal(rd(b, V3D_CT0CA), ca);
    wr(b, V3D_BPOS, 0); /* still nothing */
    assert_int_equal(rd(b, V3D_PCS), PCS_BIN_ACTIVE | PCS_OUT_OF_MEMORY);
    wr(b, V3D_BPOA, SCENE_SPILL);
    wr(b, V3D_BPOS, SCENE_SLOT_B);
    bench_wait(b, V3D_INTCTL, INT_FLDONE | INT_SPILLUSE, INT_FLDONE | INT_SPILLUSE);
    assert_int_equal(rd(b, V3D_BPOS), 0);
    assert_int_equal(rd(b, V3D_BPOA), SCENE_SPILL);
    assert_in_range(rd(b, V3D_BPCA), SCENE_SPILL + 32, SCENE_SPILL + SCENE_SLOT_B);
    assert_int_equal(rd(b, V3D_PCS), 0);
    wr(b, V3D_INTCTL, 0xf);
    assert_int_equal(rd(b, V3D_INTCTL), 0);
}

static void memory_that_is_there_already(void **state)
{
    struct bench *b = *state;
    shrink_pool(b);
    wr(b, V3D_BPOA, SCENE_SPILL);
    wr(b, V3D_BPOS, SCENE_SLOT_B);
    bench_start(b, 0);
    bench_wait(b, V3D_INTCTL, 0xf, INT_FLDONE | INT_SPILLUSE);
    assert_int_equal(rd(b, V3D_BPOS), 0);
}

static void a_reset_ends_the_wait_for_memory(void **state)
{
    struct bench *b = *state;
    shrink_pool(b);
    bench_start(b, 0);
    bench_wait(b, V3D_INTCTL, INT_OUTOMEM, INT_OUTOMEM);
    board_v3d_reset(b->v3d);
    assert_int_equal(rd(b, V3D_INTCTL) | rd(b, V3D_PCS) | rd(b, V3D_CT0CS) | rd(b, V3D_CT0CA), 0);
}

/* -- lists that do not end well ------------------------------------------------------------------------------------ */

static void broken_lists_stop_with_an_error(void **state)
{
    struct bench *b = *state;
    uint8_t *memory = b->scene->mem.base;
    util_log_set_sink(count_message, NULL);
    messages = 0;
    for (unsigned n = 0; n < 2; n++) {
        const uint32_t list = n ? SCENE_RENDER_LIST : SCENE_BIN_LIST;
        const uint8_t id = memory[list];
        memory[list] = 0xff; /* there is no such record */
        bench_start(b, n);
        bench_wait(b, ct(V3D_CT0CS, n), CTCS_RUN | CTCS_ERROR, CTCS_ERROR);
        assert_int_equal(rd(b, ct(V3D_CT0CA, n)), list);
        memory[list] = id;
    }
    wr(b, V3D_CT0CA, 0xfffff000); /* outside of memory */
    wr(b, V3D_CT0EA, 0xfffff100);
    bench_wait(b, V3D_CT0CS, CTCS_RUN | CTCS_ERROR, CTCS_ERROR);
    assert_int_equal(rd(b, V3D_CT0CA), 0xfffff000);
    assert_int_equal(messages, 3);
    assert_int_equal(rd(b, V3D_INTCTL), 0);
    bench_frame(b);
    assert_int_equal((rd(b, V3D_CT0CS) | rd(b, V3D_CT0CS + 4)) & CTCS_ERROR, 0);
    util_log_set_sink(NULL, NULL);
}

/* A fragment program that never ends. */
static void spoil_program(struct bench *b)
{
    scene_fragment_text(b->scene, "nop\n"
                                  "br.always pc + -32\n"
                                  "nop\n"
                                  "nop\n"
                                  "nop\n");
}

static void start_endless_frame(struct bench *b)
{
    spoil_program(b);
    bench_start(b, 0);
    bench_wait(b, V3D_BFC, 0xff, 1);
    bench_start(b, 1);
    bench_wait(b, V3D_CT0CS + 4, 3u << CTCS_DEPTH_SHIFT, 1u << CTCS_DEPTH_SHIFT); /* in a tile list */
}

/* A driver takes a current address that does not change for a hang. */
static void slow_lists_show_progress_until_a_reset(void **state)
{
    struct bench *b = *state;
    start_endless_frame(b);
    for (unsigned n = 0; n < 100; n++) {
        const uint32_t ca = rd(b, V3D_CT0CA + 4);
        assert_int_not_equal(rd(b, V3D_CT0CA + 4), ca);
    }
    assert_in_range(rd(b, V3D_CT0RA0 + 4), SCENE_RENDER_LIST, b->render_end);
    assert_int_equal(rd(b, V3D_PCS), PCS_RENDER_ACTIVE | PCS_RENDER_BUSY);
    assert_int_equal(rd(b, V3D_ERRSTAT), 0);
    wr(b, V3D_CT0CA + 4, 0x1234); /* not while it runs */
    assert_int_not_equal(rd(b, V3D_CT0CA + 4), 0x1234);
    wr(b, V3D_VPMBASE, 3);
    assert_int_equal(rd(b, V3D_VPMBASE), 0);
    board_v3d_reset(b->v3d);
    assert_int_equal(rd(b, V3D_CT0CS + 4) | rd(b, V3D_CT0CA + 4) | rd(b, V3D_PCS) | rd(b, V3D_INTCTL), 0);
    scene_fragment_program(b->scene, 0);
    bench_frame(b);
}

static void endless_lists_reach_their_limit(void **state)
{
    struct bench *b = bench_create(50, false);
    util_log_set_sink(count_message, NULL);
    start_endless_frame(b);
    bench_wait(b, V3D_CT0CS + 4, CTCS_RUN | CTCS_ERROR, CTCS_ERROR);
    const uint32_t ca = rd(b, V3D_CT0CA + 4);
    assert_int_equal(rd(b, V3D_CT0CA + 4), ca);
    assert_int_equal(rd(b, V3D_INTCTL) & INT_FRDONE, 0);
    util_log_set_sink(NULL, NULL);
    bench_destroy(b);
}

static void threads_stop_and_reset_one_by_one(void **state)
{
    struct bench *b = *state;
    start_endless_frame(b);
    wr(b, V3D_SCRATCH, 77);
    wr(b, V3D_CT0CS + 4, CTCS_RUN);
    assert_int_equal(rd(b, V3D_CT0CS + 4) & (CTCS_RUN | CTCS_SUB_MODE), CTCS_SUB_MODE);
    assert_int_equal(rd(b, V3D_PCS), 0);
    wr(b, V3D_CT0EA + 4, b->render_end); /* starts only what is stopped at its end */
    assert_int_equal(rd(b, V3D_CT0CS + 4) & CTCS_RUN, 0);
    wr(b, V3D_CT0CS + 4, CTCS_RESET);
    assert_int_equal(rd(b, V3D_CT0CS + 4), 0);
    assert_int_equal(rd(b, V3D_SCRATCH), 77); /* the rest of the block is as it was */
    scene_fragment_program(b->scene, 0);
    bench_frame(b);
}

static void halted_lists_go_on(void **state)
{
    struct bench *b = *state;
    uint8_t *memory = b->scene->mem.base;
    const uint32_t list = BENCH_CODE;
    memory[list] = CL_NOP_ID;
    memory[list + 1] = CL_HALT_ID;
    memcpy(memory + list + 2, memory + SCENE_BIN_LIST, b->bin_end - SCENE_BIN_LIST);
    wr(b, V3D_CT0CA, list);
    wr(b, V3D_CT0EA, list + 2 + b->bin_end - SCENE_BIN_LIST);
    bench_wait(b, V3D_CT0CS, CTCS_RUN | CTCS_SUB_MODE | CTCS_ERROR, CTCS_SUB_MODE);
    assert_int_equal(rd(b, V3D_CT0CA), list + 2);
    assert_int_equal(rd(b, V3D_BFC), 0);
    wr(b, V3D_CT0CS, CTCS_SUB_MODE);
    bench_wait(b, V3D_BFC, 0xff, 1);
    bench_wait(b, V3D_CT0CS, CTCS_RUN | CTCS_SUB_MODE | CTCS_ERROR, 0);
}

static void vpmbase_resets_where_the_machine_says_so(void **state)
{
    struct bench *b = bench_create(60000, true);
    start_endless_frame(b);
    wr(b, V3D_INTENA, 7);
    wr(b, V3D_SCRATCH, 77);
    wr(b, V3D_VPMBASE, 0);
    assert_int_equal(rd(b, V3D_CT0CS + 4) | rd(b, V3D_PCS) | rd(b, V3D_INTENA) | rd(b, V3D_SCRATCH), 0);
    scene_fragment_program(b->scene, 0);
    bench_frame(b);
    bench_destroy(b);
}

static void destruction_while_a_list_runs(void **state)
{
    struct bench *b = bench_create(60000, false);
    start_endless_frame(b);
    bench_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_frame, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(disabled_interrupts_are_latched, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(rendering_waits_for_binning, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(binning_ahead_counts_the_semaphore, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(performance_counters, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(the_binner_waits_for_memory, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(memory_that_is_there_already, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(a_reset_ends_the_wait_for_memory, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(broken_lists_stop_with_an_error, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(slow_lists_show_progress_until_a_reset, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(threads_stop_and_reset_one_by_one, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(halted_lists_go_on, bench_setup, bench_teardown),
        cmocka_unit_test(endless_lists_reach_their_limit),
        cmocka_unit_test(vpmbase_resets_where_the_machine_says_so),
        cmocka_unit_test(destruction_while_a_list_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
