/* SPDX-License-Identifier: MIT
 *
 * User programs by registers: the queue of requests and its counters, uniforms, the host interrupt, programs that wait
 * for a request that is still to come, and programs that never end.
 */
#include <string.h>
#include "bench.h"
#include "util/log.h"

#define END "\n nop ; end \n nop \n nop \n"

/* Stores the number of its QPU in lane 0 and up, to the address in its third uniform. */
#define STORE_QPU                                                                                                      \
    "mov vpm_wr_setup, unif \n mov r0, qpu_num \n shl r0, r0, 8 \n or vpm, r0, elem \n"                                \
    "mov vpm_wr_setup, unif \n mov vpm_st_addr, unif \n mov nop, vpm_st_wait" END

static uint32_t word(struct bench *b, uint32_t addr)
{
    uint32_t value;
    memcpy(&value, b->scene->mem.base + addr, sizeof value);
    return value;
}

static void request(struct bench *b, uint32_t code, uint32_t uniforms, uint32_t count)
{
    wr(b, V3D_SRQUA, uniforms);
    wr(b, V3D_SRQUL, count);
    wr(b, V3D_SRQPC, code);
}

static void wait_completed(struct bench *b, unsigned count)
{
    bench_wait(b, V3D_SRQCS, 0xffu << SRQCS_COMPLETED_SHIFT, count << SRQCS_COMPLETED_SHIFT);
}

static void programs_run(void **state)
{
    struct bench *b = *state;
    scene_code(b->scene, BENCH_CODE, STORE_QPU);
    for (unsigned n = 0; n < 20; n++) {
        const uint32_t uniforms[3] = {0x1a00 | n, 0x80904000u | n << 7, BENCH_OUT + 64 * n};
        memcpy(b->scene->mem.base + BENCH_CODE + 0x1000 + 12 * n, uniforms, sizeof uniforms);
    }
    for (unsigned n = 0; n < 20; n++) {
        request(b, BENCH_CODE, BENCH_CODE + 0x1000 + 12 * n, 3);
        bench_wait(b, V3D_SRQCS, 0x10, 0); /* the queue has room */
    }
    wait_completed(b, 20);
    assert_int_equal(rd(b, V3D_SRQCS), 20 << SRQCS_COMPLETED_SHIFT | 20 << SRQCS_REQUESTED_SHIFT);
    for (unsigned n = 0; n < 20; n++)
        for (unsigned lane = 0; lane < 16; lane++)
            assert_int_equal(word(b, BENCH_OUT + 64 * n + 4 * lane) & 0xff, lane);
    wr(b, V3D_SRQCS, 1 << SRQCS_REQUESTED_SHIFT);
    assert_int_equal(rd(b, V3D_SRQCS), 20 << SRQCS_COMPLETED_SHIFT);
    wr(b, V3D_SRQCS, 1 << SRQCS_COMPLETED_SHIFT);
    assert_int_equal(rd(b, V3D_SRQCS), 0);
    assert_int_equal(rd(b, V3D_SRQPC), 0);
}

/* Programs may be replaced while nothing runs. */
static void code_that_changes(void **state)
{
    struct bench *b = *state;
    for (unsigned n = 1; n < 10; n++) {
        char text[256];
        snprintf(text, sizeof text,
                 "ldi vpm_wr_setup, 0x1a00 \n ldi vpm, %u \n ldi vpm_wr_setup, 0x80904000 \n ldi vpm_st_addr, %u \n"
                 "mov nop, vpm_st_wait" END,
                 n * 11, BENCH_OUT);
        scene_code(b->scene, BENCH_CODE, text);
        request(b, BENCH_CODE, 0, 0);
        wait_completed(b, n);
        assert_int_equal(word(b, BENCH_OUT), n * 11);
    }
}

static void host_interrupts(void **state)
{
    struct bench *b = *state;
    const uint32_t one = 1;
    memcpy(b->scene->mem.base + BENCH_CODE + 0x1000, &one, sizeof one);
    scene_code(b->scene, BENCH_CODE, "mov host_int, unif" END);
    request(b, BENCH_CODE, BENCH_CODE + 0x1000, 1);
    wait_completed(b, 1);
    assert_int_equal(rd(b, V3D_DBQITC), 0); /* not enabled */
    assert_false(board_v3d_interrupt(b->v3d));
    wr(b, V3D_DBQITE, 0xffff);
    request(b, BENCH_CODE, BENCH_CODE + 0x1000, 1);
    wait_completed(b, 2);
    bench_wait(b, V3D_DBQITC, 0xffff, 1); /* of QPU 0 */
    assert_true(board_v3d_interrupt(b->v3d));
    wr(b, V3D_DBQITC, 0xfffe);
    assert_int_equal(rd(b, V3D_DBQITC), 1);
    wr(b, V3D_DBQITC, 1);
    assert_int_equal(rd(b, V3D_DBQITC), 0);
    assert_false(board_v3d_interrupt(b->v3d));
}

static void later_requests_release_those_that_wait(void **state)
{
    struct bench *b = *state;
    scene_code(b->scene, BENCH_CODE, "sem nop, 19" END);        /* decrements semaphore 3 */
    scene_code(b->scene, BENCH_CODE + 0x100, "sem nop, 3" END); /* increments it */
    for (unsigned n = 0; n < 3; n++)
        request(b, BENCH_CODE, 0, 0);
    bench_wait(b, V3D_SRQCS, SRQCS_LENGTH_MASK, 0); /* all have started */
    assert_int_equal(rd(b, V3D_SRQCS) >> SRQCS_COMPLETED_SHIFT, 0);
    for (unsigned n = 1; n <= 3; n++) {
        request(b, BENCH_CODE + 0x100, 0, 0);
        wait_completed(b, 2 * n);
    }
    request(b, BENCH_CODE + 0x100, 0, 0); /* the semaphore keeps its value */
    wait_completed(b, 7);
    request(b, BENCH_CODE, 0, 0);
    wait_completed(b, 8);
}

/* Twelve programs wait, sixteen more fit the queue. */
static void the_queue_overflows(void **state)
{
    struct bench *b = *state;
    scene_code(b->scene, BENCH_CODE, "sem nop, 19" END);
    for (unsigned n = 0; n < 12; n++)
        request(b, BENCH_CODE, 0, 0);
    bench_wait(b, V3D_SRQCS, SRQCS_LENGTH_MASK, 0);
    for (unsigned n = 0; n < 16; n++)
        request(b, BENCH_CODE, 0, 0);
    assert_int_equal(rd(b, V3D_SRQCS), 28 << SRQCS_REQUESTED_SHIFT | 16);
    request(b, BENCH_CODE, 0, 0);
    request(b, BENCH_CODE, 0, 0);
    assert_int_equal(rd(b, V3D_SRQCS), 30 << SRQCS_REQUESTED_SHIFT | SRQCS_ERROR | 16);
    wr(b, V3D_SRQCS, SRQCS_CLEAR_QUEUE);
    assert_int_equal(rd(b, V3D_SRQCS) & (SRQCS_ERROR | SRQCS_LENGTH_MASK), SRQCS_ERROR);
    request(b, BENCH_CODE, 0, 0); /* ignored: the error is still there */
    wr(b, V3D_SRQCS, SRQCS_ERROR);
    assert_int_equal(rd(b, V3D_SRQCS), 31 << SRQCS_REQUESTED_SHIFT);
    request(b, BENCH_CODE, 0, 0);
    assert_int_equal(rd(b, V3D_SRQCS), 32 << SRQCS_REQUESTED_SHIFT | 1);
    board_v3d_reset(b->v3d);
    assert_int_equal(rd(b, V3D_SRQCS), 0);
    bench_frame(b);
}

static void a_program_that_never_ends(void **state)
{
    struct bench *b = bench_create(50, false);
    util_log_set_sink(NULL, NULL);
    scene_code(b->scene, BENCH_CODE, "br.always pc + -32 \n nop \n nop \n nop \n");
    scene_code(b->scene, BENCH_CODE + 0x100, "nop" END);
    for (unsigned n = 0; n < 2; n++) {
        request(b, BENCH_CODE, 0, 0);
        if (n) /* with the first, a reset comes before the limit, or not */
            bench_wait(b, V3D_SRQCS, SRQCS_LENGTH_MASK, 0);
        board_v3d_reset(b->v3d);
        request(b, BENCH_CODE + 0x100, 0, 0);
        wait_completed(b, 1);
    }
    bench_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(programs_run, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(code_that_changes, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(host_interrupts, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(later_requests_release_those_that_wait, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(the_queue_overflows, bench_setup, bench_teardown),
        cmocka_unit_test(a_program_that_never_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
