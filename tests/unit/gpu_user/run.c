/* SPDX-License-Identifier: MIT
 *
 * User programs that run concurrently: requests and QPUs, semaphores, mutex, uniforms, host interrupt, and programs
 * that never end.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include "harness.h"
#include "util/debug.h"
#include "util/thread.h"

#define STORE_ROW_0 0x80904000u /* one row of 16 words */
#define LOAD_ROW_0  0x83011000u

/* -- requests ----------------------------------------------------------------------------------------------------- */

/* Twenty programs with three uniforms each (setup of the VPM write, setup of the store, address) write the number of
 * their QPU, each to its own slice. The first twelve run on QPUs 0 to 11. */
static void every_program_writes_its_slice(void **state)
{
    struct harness *h = *state;

    harness_clear(h);
    for (unsigned n = 0; n < 20; n++) {
        uint32_t uniforms[3] = {0x1a00 | n, 0x80904000u | n << 7, OUT + 64 * n};
        memcpy(h->mem.base + UNIFORMS + 12 * n, uniforms, sizeof uniforms);
    }
    harness_code(h, CODE,
                 "mov vpm_wr_setup, unif \n mov r0, qpu_num \n shl r0, r0, 8 \n or vpm, r0, elem \n"
                 "mov vpm_wr_setup, unif \n mov vpm_st_addr, unif \n mov nop, vpm_st_wait" END);
    harness_run_copies(h, 20, 3);
    for (unsigned n = 0; n < 20; n++) {
        for (unsigned l = 0; l < 16; l++) {
            uint32_t got = harness_words(h, OUT + 64 * n)[l];
            assert_int_equal(got & 0xff, l);
            assert_true(n < 12 ? got >> 8 == n : got >> 8 < 12);
        }
    }
    assert_int_equal(h->result.interrupts, 0);
}

static void host_interrupt(void **state)
{
    struct harness *h = *state;
    const uint32_t flags[4] = {0, 1, 0, 7};

    memcpy(h->mem.base + UNIFORMS, flags, sizeof flags);
    harness_code(h, CODE, "mov host_int, unif" END);
    harness_run_copies(h, 4, 1);
    assert_int_equal(h->result.interrupts, 1 << 1 | 1 << 3);
}

/* -- synchronisation ---------------------------------------------------------------------------------------------- */

/* Two programs take turns on a VPM row, synchronised by semaphores. Each shifts the value and adds its own number. */
static void semaphores_play_ping_pong(void **state)
{
    struct harness *h = *state;
    struct gpu_user_request requests[2] = {{CODE, 0, 0}, {CODE + 0x1000, 0, 0}};
    uint32_t expected = 1;

    harness_clear(h);
    harness_code(
        h, CODE,
        "ldi vpm_wr_setup, 0x1a00 \n mov vpm, 1 \n ldi ra0, 9 \n nop \n"
        /* loop */
        "ldi vpm_rd_setup, 0x101a00 \n ldi vpm_wr_setup, 0x1a00 \n mov r0, vpm \n add r0, r0, r0 \n add vpm, r0, 1 \n"
        "sem nop, 3 \n sem nop, 20 \n"
        "sub.sf ra0, ra0, 1 \n br.allnz pc + -96 \n nop \n nop \n nop \n"
        "ldi vpm_wr_setup, 0x80904000 \n ldi vpm_st_addr, 0x40000" END);
    harness_code(h, CODE + 0x1000,
                 "ldi ra0, 9 \n nop \n"
                 /* loop */
                 "sem nop, 19 \n"
                 "ldi vpm_rd_setup, 0x101a00 \n ldi vpm_wr_setup, 0x1a00 \n mov r0, vpm \n add r0, r0, r0 \n"
                 "add r0, r0, r0 \n add vpm, r0, 3 \n sem nop, 4 \n"
                 "sub.sf ra0, ra0, 1 \n br.allnz pc + -104 \n nop \n nop \n nop" END);
    if (harness_run(h, requests, 2) != GPU_OK)
        fail_msg("%s", h->message);
    for (unsigned n = 0; n < 9; n++)
        expected = (expected * 2 + 1) * 4 + 3;
    for (unsigned l = 0; l < 16; l++)
        assert_int_equal(harness_words(h, OUT)[l], expected);
}

/* Semaphores keep their values between runs, and a 16th increment waits. */
static void semaphores_count_to_15(void **state)
{
    struct harness *h = *state;
    struct gpu_user_request requests[2] = {{CODE, 0, 0}, {CODE + 0x1000, 0, 0}};
    char up[512] = "", down[512] = "";

    for (unsigned n = 0; n < 15; n++) {
        strcat(up, "sem nop, 9 \n");
        strcat(down, "sem nop, 25 \n");
    }
    strcat(up, END);
    strcat(down, END);
    harness_code(h, CODE, up);
    harness_code(h, CODE + 0x1000, down);
    for (unsigned n = 0; n < 2; n++) { /* up, then down in a separate run */
        assert_int_equal(harness_run(h, &requests[0], 1), GPU_OK);
        assert_int_equal(harness_run(h, &requests[1], 1), GPU_OK);
    }
    assert_int_equal(harness_run(h, &requests[1], 1), GPU_HANG);
    assert_int_equal(harness_run(h, &requests[0], 1), GPU_OK);
    assert_int_equal(harness_run(h, &requests[0], 1), GPU_HANG); /* the 16th increment; resets the counters to 0 */
    assert_int_equal(harness_run(h, &requests[1], 1), GPU_HANG);
}

/* One program takes a semaphore 11 times at once, after each of 11 others has given it, and lets them go on at once. */
static void semaphores_are_taken_several_times_at_once(void **state)
{
    struct harness *h = *state;
    struct gpu_user_request requests[12] = {{CODE, 0, 0}};

    for (unsigned n = 1; n < 12; n++)
        requests[n] = (struct gpu_user_request){CODE + 0x1000, 0, 0};
    harness_code(h, CODE, "sem nop, 0xa15 \n sem nop, 0xa06" END);
    harness_code(h, CODE + 0x1000, "sem nop, 5 \n sem nop, 22" END);
    assert_int_equal(harness_run(h, requests, 12), GPU_OK);
    assert_int_equal(harness_run(h, requests, 11), GPU_HANG); /* one is missing */
}

/* The chip ignores the number of times. */
static void chip_takes_semaphores_once(void **state)
{
    struct harness *h = *state;
    struct gpu_user_request request = {CODE, 0, 0};

    harness_code(h, CODE, "sem nop, 0xe05 \n sem nop, 0xa15" END); /* up, down */
    assert_int_equal(harness_run(h, &request, 1), GPU_OK);
    harness_code(h, CODE, "sem nop, 0xe05 \n sem nop, 21 \n sem nop, 21" END);
    assert_int_equal(harness_run(h, &request, 1), GPU_HANG);
}

/* Twelve programs increment a counter in memory a hundred times each, between the instructions `lock` and `unlock`. */
static uint32_t count_together(struct harness *h, const char *lock, const char *unlock)
{
    char text[1024];

    harness_clear(h);
    snprintf(text, sizeof text,
             "ldi ra0, 100 \n nop \n"
             "%s \n ldi vpm_rd_setup, 0x%x \n ldi vpm_ld_addr, 0x%x \n mov nop, vpm_ld_wait \n"
             "ldi vpm_rd_setup, 0x101a00 \n ldi vpm_wr_setup, 0x1a00 \n mov r0, vpm \n add vpm, r0, 1 \n"
             "ldi vpm_wr_setup, 0x%x \n ldi vpm_st_addr, 0x%x \n mov nop, vpm_st_wait \n %s \n"
             "sub.sf ra0, ra0, 1 \n br.allnz pc + -136 \n nop \n nop \n nop" END,
             lock, LOAD_ROW_0, OUT, STORE_ROW_0, OUT, unlock);
    harness_code(h, CODE, text);
    harness_run_copies(h, 12, 0);
    return harness_words(h, OUT)[5];
}

static void mutex(void **state)
{
    struct harness *h = *state;

    assert_int_equal(count_together(h, "mov nop, mutex", "mov mutex_release, r0"), 1200);
    if (!util_debug(UTIL_DEBUG_JIT_NOW))                             /* host code yields at other points */
        assert_int_not_equal(count_together(h, "nop", "nop"), 1200); /* turns end between load and store */
}

/* -- uniforms, SFU ------------------------------------------------------------------------------------------------ */

static void uniforms_address(void **state)
{
    struct harness *h = *state;
    uint32_t *uniforms = harness_words(h, UNIFORMS);

    harness_clear(h);
    uniforms[0] = UNIFORMS + 0x100;
    uniforms[64] = 0x1a00;
    uniforms[65] = 77;
    uniforms[66] = STORE_ROW_0;
    uniforms[67] = OUT;
    harness_code(h, CODE,
                 "mov unif_addr, unif \n nop \n nop \n mov vpm_wr_setup, unif \n mov vpm, unif \n"
                 "mov vpm_wr_setup, unif \n mov vpm_st_addr, unif" END);
    harness_run_copies(h, 1, 1);
    assert_int_equal(harness_words(h, OUT)[15], 77);
}

static void too_many_uniforms(void **state)
{
    struct harness *h = *state;
    struct gpu_user_request request = {CODE, UNIFORMS, 2};

    harness_code(h, CODE, "mov r0, unif \n mov r0, unif" END);
    assert_int_equal(harness_run(h, &request, 1), GPU_OK);
    harness_code(h, CODE, "mov r0, unif \n mov r0, unif \n mov r0, unif" END);
    assert_int_equal(harness_run(h, &request, 1), GPU_HANG);
    assert_non_null(strstr(h->message, "uniforms"));
    request.uniforms_count = 1024; /* 1024: no limit */
    assert_int_equal(harness_run(h, &request, 1), GPU_OK);
}

static void sfu_over_a_vector(void **state)
{
    struct harness *h = *state;
    float *in = (float *)(void *)(h->mem.base + DATA), *out = (float *)(void *)(h->mem.base + OUT);

    harness_clear(h);
    for (unsigned l = 0; l < 16; l++)
        in[l] = 0.25f + (float)l;
    harness_code(h, CODE,
                 "ldi vpm_rd_setup, 0x83011000 \n ldi vpm_ld_addr, 0x20000 \n mov nop, vpm_ld_wait \n"
                 "ldi vpm_rd_setup, 0x101a00 \n ldi vpm_wr_setup, 0x1a00 \n mov ra0, vpm \n nop \n"
                 "mov recip, ra0 \n nop \n nop \n mov vpm, r4 \n mov rsqrt, ra0 \n nop \n nop \n mov vpm, r4 \n"
                 "mov exp, ra0 \n nop \n nop \n mov vpm, r4 \n mov log, ra0 \n nop \n nop \n mov vpm, r4 \n"
                 "ldi vpm_wr_setup, 0x82104000 \n ldi vpm_st_addr, 0x40000" END);
    harness_run_copies(h, 1, 0);
    for (unsigned l = 0; l < 16; l++) {
        assert_float_equal(out[l] * in[l], 1, 1e-3);
        assert_float_equal(out[16 + l] * sqrtf(in[l]), 1, 1e-3);
        assert_float_equal(out[32 + l] / exp2f(in[l]), 1, 1e-3);
        assert_float_equal(out[48 + l], log2f(in[l]), 2e-3);
    }
}

/* -- code --------------------------------------------------------------------------------------------------------- */

/* A subroutine after the program's end, on another page, and a program that crosses a page boundary. */
static void code_lies_anywhere(void **state)
{
    struct harness *h = *state;
    struct gpu_user_request request = {CODE + 0x1000 - 24, 0, 0};

    harness_clear(h);
    harness_code(
        h, CODE + 0x1000 - 24,
        "ldi vpm_wr_setup, 0x1a00 \n ldi ra1, 0x15000 \n nop \n br.always ra1 + 0 ; link ra2, nop \n"
        "mov r0, 3 \n nop \n nop \n mov vpm, r0 \n ldi vpm_wr_setup, 0x80904000 \n ldi vpm_st_addr, 0x40000" END);
    harness_code(h, 0x15000, "br.always ra2 + 0 \n add r0, r0, 4 \n nop \n nop \n");
    if (harness_run(h, &request, 1) != GPU_OK)
        fail_msg("%s", h->message);
    assert_int_equal(harness_words(h, OUT)[0], 7);
}

static void code_that_is_not_there(void **state)
{
    struct harness *h = *state;
    struct gpu_user_request request = {HOLE, 0, 0};

    assert_int_equal(harness_run(h, &request, 1), GPU_HANG);
    request.code_addr = CODE + 4;
    assert_int_equal(harness_run(h, &request, 1), GPU_HANG);
    request.code_addr = HOLE - 8;
    harness_code(h, HOLE - 8, "nop \n");
    assert_int_equal(harness_run(h, &request, 1), GPU_HANG);
    assert_non_null(strstr(h->message, "mapped"));
    harness_code(h, CODE, "mov tlb_z, 1" END);
    request.code_addr = CODE;
    assert_int_equal(harness_run(h, &request, 1), GPU_HANG);
}

/* -- runs that never end ------------------------------------------------------------------------------------------ */

static void deadlocks(void **state)
{
    struct harness *h = *state;
    struct gpu_user_request requests[3] = {{CODE, 0, 0}, {CODE, 0, 0}, {CODE + 0x1000, 0, 0}};

    harness_code(h, CODE, "mov nop, mutex \n sem nop, 16" END); /* the first holds the mutex and waits forever */
    harness_code(h, CODE + 0x1000, "nop" END);
    assert_int_equal(harness_run(h, requests, 3), GPU_HANG);
    assert_non_null(strstr(h->message, "wait"));
    assert_int_equal(h->result.completed, 1);
    harness_code(h, CODE, "mov nop, mutex \n mov mutex_release, r0" END); /* the chip was reset */
    assert_int_equal(harness_run(h, requests, 3), GPU_OK);
}

static void the_deadline_ends_loops(void **state)
{
    struct harness *h = *state;
    struct gpu_user_request requests[2] = {{CODE, 0, 0}, {CODE + 0x1000, 0, 0}};

    harness_code(h, CODE, "br.always pc + -32 \n nop \n nop \n nop \n");
    harness_code(h, CODE + 0x1000, "sem nop, 16" END);
    h->timeout_ns = 20000000;
    assert_int_equal(harness_run(h, requests, 2), GPU_HANG);
    assert_non_null(strstr(h->message, "time limit"));
    h->timeout_ns = 5000000000u;
}

static _Atomic bool stop_others;

static void *spin(void *unused)
{
    while (!atomic_load(&stop_others))
        ;
    return NULL;
}

/* The time limit counts the model's own processor time: with four other threads on the only processor, the program
 * still gets its whole limit. */
static void time_of_others_does_not_count(void **state)
{
    struct harness *h = *state;
    struct gpu_user_request request = {CODE, 0, 0};
    cpu_set_t before, one;
    pthread_t others[4];

    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (int cpu = 0; !CPU_COUNT(&one); cpu++) {
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    atomic_store(&stop_others, false);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(pthread_create(&others[n], NULL, spin, NULL), 0);

    harness_code(h, CODE, "br.always pc + -32 \n nop \n nop \n nop \n");
    h->timeout_ns = 100000000;
    const uint64_t begin_ns = util_thread_time_ns();
    assert_int_equal(harness_run(h, &request, 1), GPU_HANG);
    const uint64_t work_ns = util_thread_time_ns() - begin_ns;
    h->timeout_ns = 5000000000u;

    atomic_store(&stop_others, true);
    for (unsigned n = 0; n < 4; n++)
        pthread_join(others[n], NULL);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_true(work_ns >= 100000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_program_writes_its_slice),
        cmocka_unit_test(host_interrupt),
        cmocka_unit_test(semaphores_play_ping_pong),
        cmocka_unit_test(semaphores_count_to_15),
        cmocka_unit_test_setup_teardown(semaphores_are_taken_several_times_at_once, harness_setup_engine,
                                        harness_teardown),
        cmocka_unit_test(chip_takes_semaphores_once),
        cmocka_unit_test(mutex),
        cmocka_unit_test(uniforms_address),
        cmocka_unit_test(too_many_uniforms),
        cmocka_unit_test(sfu_over_a_vector),
        cmocka_unit_test(code_lies_anywhere),
        cmocka_unit_test(code_that_is_not_there),
        cmocka_unit_test(deadlocks),
        cmocka_unit_test(the_deadline_ends_loops),
        cmocka_unit_test(time_of_others_does_not_count),
    };
    return cmocka_run_group_tests_name("gpu_user_run", tests, harness_setup, harness_teardown);
}
