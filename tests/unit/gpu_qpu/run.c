/* SPDX-License-Identifier: MIT
 *
 * Whole programs: conditions, flags, rotations, immediates, branches, uniforms, latencies, and programs that never end
 * or are refused.
 */
#include <stdlib.h>
#include "harness.h"

#define POISON 0xdeadbeefu

#define LANES(text, expression)                                                                                        \
    do {                                                                                                               \
        const uint32_t *got_ = harness_r0(*state, text);                                                               \
        for (unsigned lane = 0; lane < QPU_LANES; lane++) {                                                            \
            if (got_[lane] != (uint32_t)(expression))                                                                  \
                fail_msg("lane %u is 0x%08x, not 0x%08x", lane, got_[lane], (uint32_t)(expression));                   \
        }                                                                                                              \
    } while (0)

static void moves_and_immediates(void **state)
{
    LANES("mov r0, elem", lane);
    LANES("mov r0, -16", -16);
    LANES("mov r0, 1/4", 0x3e800000);
    LANES("ldi r0, 0x12345678", 0x12345678);
    LANES("ldi ra1, 0x12345678 ; ldi rb2 \n nop \n sub r0, ra1, rb2", 0);
    LANES("ldi2s r0, 0x0ff000ff", (lane < 4 ? 1 : lane < 8 ? -1 : lane < 12 ? -2 : 0));
    LANES("ldi2u r0, 0x0ff000ff", (lane < 4 ? 1 : lane < 8 ? 3 : lane < 12 ? 2 : 0));
    LANES("mov r1, elem \n mov r0, r1 ; mov r2, r1 \n add r0, r0, r2", 2 * lane);
    LANES("mov r0, qpu_num", 0);
}

static void conditions(void **state)
{
    LANES("ldi r0, 7 \n sub.sf nop, elem, 5 \n mov.ifz r0, 1 ", (lane == 5 ? 1 : 7));
    LANES("ldi r0, 7 \n sub.sf nop, elem, 5 \n mov.ifnz r0, 1 ", (lane != 5 ? 1 : 7));
    LANES("ldi r0, 7 \n sub.sf nop, elem, 5 \n mov.ifn r0, 1 ", (lane < 5 ? 1 : 7));
    LANES("ldi r0, 7 \n sub.sf nop, elem, 5 \n mov.ifnn r0, 1 ", (lane >= 5 ? 1 : 7));
    LANES("ldi r0, 7 \n sub.sf nop, elem, 5 \n mov.ifc r0, 1 ", (lane < 5 ? 1 : 7));
    LANES("ldi r0, 7 \n sub.sf nop, elem, 5 \n mov.ifnc r0, 1 ", (lane >= 5 ? 1 : 7));
    LANES("ldi r0, 7 \n mov.never r0, 1 ", 7);
    LANES("ldi r0, 7 \n sub.sf nop, elem, 5 \n ldi.ifz r0, 9", (lane == 5 ? 9 : 7));
    /* A condition and sf in one instruction: the conditions of both halves see the previous flags. */
    LANES("mov r1, elem \n mov.sf nop, r1 \n mov.ifz.sf r2, 1 ; mov.ifnz r3, r1 \n ldi r0, 7 \n mov.ifz r0, 3", 7);
    LANES("mov r1, elem \n mov.sf nop, r1 \n ldi r0, 5 \n mov.ifz.sf nop, 1 ; mov.ifz r0, r1", lane ? 5 : 0);
}

static void flags_come_from_the_add_half_unless_it_is_nop(void **state)
{
    LANES("mov r1, elem \n ldi r0, 7 \n mov.sf r2, 0 ; mov r3, r1 \n mov.ifz r0, 1", 1);
    LANES("mov r1, elem \n ldi r0, 7 \n nop ; mov.sf r3, r1 \n mov.ifz r0, 1", (lane == 0 ? 1 : 7));
    /* the add condition is never, but the operation is not a nop: it still owns the flags, and leaves them unchanged */
    LANES("mov r1, elem \n ldi r0, 7 \n mov.sf nop, r1 \n mov.never.sf r2, 1 ; mov r3, r3 \n mov.ifz r0, 1",
          (lane == 0 ? 1 : 7));
    LANES("ldi.sf r1, 0 \n ldi r0, 7 \n mov.ifz r0, 1", 1);
}

static void rotations(void **state)
{
    LANES("mov r1, elem \n nop \n mov.never r3, r3 ; mov.rot3 r0, r1", (lane + 13) & 15);
    LANES("mov r1, elem \n nop \n nop ; mov.rot15 r0, r1", (lane + 1) & 15);
    LANES("ldi r5_all, 18 \n mov r1, elem \n nop \n nop ; mov.rot_r5 r0, r1", (lane + 14) & 15);
    /* operands other than r0-r3 rotate within each quad */
    LANES("mov ra1, elem \n nop \n nop ; mov.rot1 r0, ra1", (lane & ~3u) | ((lane + 3) & 3));
    LANES("mov ra1, elem \n nop \n nop ; mov.rot6 r0, ra1", (lane & ~3u) | ((lane + 2) & 3));
}

static void r5(void **state)
{
    LANES("mov r5_quad, elem \n mov r0, r5", lane & ~3u);
    LANES("mov r5_all, elem \n mov r0, r5", 0);
}

static void packing(void **state)
{
    LANES("ldi ra1, 0x11223344 \n nop \n ldi r1, 0x1ff \n mov ra1.8b, r1 \n nop \n mov r0, ra1", 0x1122ff44);
    LANES("ldi ra1, 0x11223344 \n nop \n mov ra1.16b, 7 \n nop \n mov r0, ra1", 0x00073344);
    LANES("ldi r0, 0x11223344 \n nop ; mov r0.m8c, 1.0", 0x11ff3344);
    LANES("ldi r1, 0x3f000000 \n ldi rb1, 0x11223344 \n nop \n nop ; fmul rb1.m8d, r1, r1 \n nop \n mov r0, rb1",
          0x40223344);
    LANES("ldi r1, 0x7fffffff \n add ra1.32s, r1, 1 \n nop \n mov r0, ra1", 0x7fffffff);
    LANES("ldi ra1, 0xff800100 \n nop \n mov r0, ra1.8d", 0xff);
    LANES("ldi ra1, 0xff800100 \n ldi r1, 0 \n fadd r0, ra1.8d, r1", 0x3f800000);
    /* if one of the two operations is a float operation, unpacked operands of both are converted to float */
    LANES("ldi ra1, 0xff800100 \n ldi r1, 0x3f800000 \n mov r0, ra1.8d ; fmul r2, ra1.8d, r1", 0x3f800000);
    LANES("ldi ra1, 0xff800100 \n ldi r1, 0x3f800000 \n mov r0, ra1.8d ; fmul r2, r1, r1", 0xff);
    LANES("ldi recip, 0x3f800000 \n nop \n nop \n mov r0, r4.16b", 0x3ff00000); /* the half 0x3f80 */
}

static void file_reads_come_one_instruction_later(void **state)
{
    LANES("mov ra1, 1 \n nop \n mov ra1, 5 \n mov r0, ra1", POISON);
    LANES("mov ra1, 5 \n nop \n mov r0, ra1", 5);
    LANES("mov rb1, 5 \n mov r0, ra1", POISON); /* never written */
    LANES("mov ra1, 3 \n mov rb1, 5 \n mov r0, ra1", 3);
}

static void sfu_results_come_three_instructions_later(void **state)
{
    LANES("ldi recip, 0x40000000 \n nop \n nop \n mov r0, r4", 0x3f000000);
    LANES("ldi recip, 0x40000000 \n nop \n mov r0, r4", POISON);
    LANES("ldi rsqrt, 0x40800000 \n nop \n nop \n mov r0, r4", 0x3f000000);
    LANES("ldi log, 0x3f800000 \n nop \n nop \n mov r0, r4", 0);
    LANES("ldi exp, 0x40000000 \n nop \n nop \n mov r0, r4", 0x40800100);
}

static void uniforms(void **state)
{
    static const uint32_t words[] = {10, 20, 30, 40};
    harness_uniforms(*state, words, 4);
    LANES("mov r0, unif \n mov r0, unif", 20);
    LANES("add r0, unif, unif_b \n add r0, r0, unif", 40); /* reading both ports takes one word */
    LANES("nop ; read unif \n mov r0, unif", 20);
    LANES("ldi unif_addr, 0x8008 \n nop \n nop \n mov r0, unif", 30);
    LANES("ldi unif_addr, 0x20000 \n nop \n nop \n mov r0, unif", 0); /* not mapped */
}

static void branches(void **state)
{
    LANES("ldi r0, 1 \n br pc + 8 \n ldi r1, 2 \n nop \n nop \n ldi r0, 5 \n nop", 1);
    LANES("ldi r0, 1 \n br pc + 0 \n ldi r1, 2 \n nop \n ldi r0, 3 \n add r0, r0, r1", 5); /* delay slots run */
    LANES("sub.sf nop, elem, 3 \n ldi r0, 1 \n br.allz pc + 8 \n nop \n nop \n nop \n ldi r0, 2", 2);
    LANES("sub.sf nop, elem, 3 \n ldi r0, 1 \n br.anyz pc + 8 \n nop \n nop \n nop \n ldi r0, 2", 1);
    LANES("sub.sf nop, elem, 3 \n ldi r0, 1 \n br.allnz pc + 8 \n nop \n nop \n nop \n ldi r0, 2", 2);
    LANES("sub.sf nop, elem, 3 \n ldi r0, 1 \n br.anynz pc + 8 \n nop \n nop \n nop \n ldi r0, 2", 1);
    LANES("mov.sf nop, elem \n ldi r0, 1 \n br.alln pc + 8 \n nop \n nop \n nop \n ldi r0, 2", 2);
    LANES("mov.sf nop, elem \n ldi r0, 1 \n br.allnn pc + 8 \n nop \n nop \n nop \n ldi r0, 2", 1);
    LANES("sub.sf nop, elem, 3 \n ldi r0, 1 \n br.anyc pc + 8 \n nop \n nop \n nop \n ldi r0, 2", 1);
    LANES("sub.sf nop, elem, 3 \n ldi r0, 1 \n br.allc pc + 8 \n nop \n nop \n nop \n ldi r0, 2", 2);
    /* a loop: r0 = 0 + 1 + ... + 9 */
    LANES("ldi r0, 0 \n ldi r1, 0 \n add r0, r0, r1 \n add r1, r1, 1 \n sub.sf nop, r1, 10 \n br.anynz pc + -56 \n nop "
          "\n nop \n nop",
          45);
    /* an absolute branch by register takes the address of lane 15: the ninth instruction */
    LANES("ldi r0, 1 \n ldi r1, 0x1039 \n add ra2, r1, elem \n nop \n br ra2 + 0 \n nop \n nop \n nop \n ldi r0, 5 \n "
          "ldi r3, 0",
          1);
    LANES("nop \n br pc + 0 ; link ra3, nop \n nop \n nop \n nop \n mov r0, ra3", 0x1000 + 8 + 32);
    LANES("ldi ra3, 7 \n mov.sf nop, 0 \n br.allnz pc + 0 ; link ra3, nop \n nop \n nop \n nop \n mov r0, ra3", 7);
}

static void refused(void **state, const char *text, const char *why)
{
    struct harness *h = *state;

    harness_code(h, text);
    if (harness_run_vertex(h) != GPU_HANG)
        fail_msg("\"%s\" ran, but must fail with \"%s\"", text, why);
    assert_non_null(h->message);
    if (!strstr(h->message, why))
        fail_msg("\"%s\" failed with \"%s\", expected \"%s\"", text, h->message, why);
}
#define END "\n nop ; end \n nop \n nop"

static void what_never_ends(void **state)
{
    refused(state, "br pc + -32 \n nop \n nop \n nop" END, "time limit");
    refused(state, "br pc + 4096 \n nop \n nop \n nop" END, "mapped"); /* the program has no end */
    refused(state, "br -8 \n nop \n nop \n nop" END, "leaves");
    refused(state, "br 0x1004 \n nop \n nop \n nop" END, "leaves");
    refused(state, "br pc + 0 \n br pc + 0 \n nop \n nop \n nop" END, "delay slots");
    refused(state, "br.cond13 pc + 0 \n nop \n nop \n nop" END, "reserved");
    refused(state, "mov r0, vpm" END, "without read setup");
    refused(state, "ldi vpm_rd_setup, 0x101a00 \n mov r0, vpm \n mov r0, vpm" END, "without read setup");
    refused(state, "mov vpm, 0" END, "without write setup");
    refused(state, "nop ; load_tmu0" END, "nobody asked");
    refused(state, "mov r0, vary" END, "no fragment program");
    refused(state, "mov tlb_z, 0" END, "no fragment program");
    refused(state, "nop ; load_color" END, "no fragment program");
    refused(state, "sem nop, 0" END, "semaphores");
    refused(state, "ldi_mode5 r0, 0" END, "not documented");
    refused(state, "mov r0, mutex" END, "mutex");
    refused(state, "mov mutex_release, 0" END, "mutex");
    refused(state, "mov vpm_st_addr, 0" END, "DMA");
    refused(state, "ldi vpm_wr_setup, 0x80000000" END, "DMA");
    refused(state, "mov host_int, 1" END, "interrupts");
    refused(state, "mov unif_addr_rel, 0" END, "relative");
    refused(state, "nop ; breakpoint" END, "breakpoint");
    refused(state, "nop ; load_coverage" END, "coverage");
    refused(state, "mov r0, ra33" END, "nothing is");
    refused(state, "mov quad_x, 0" END, "nothing is");
}

static void thread_switch_loses_accumulators(void **state)
{
    LANES("ldi r0, 5 \n ldi ra1, 6 \n nop ; thrsw \n nop \n mov r1, r0 \n mov r2, 0", POISON);
    LANES("ldi r0, 5 \n mov ra1, r0 ; thrsw \n nop \n nop \n mov r0, ra1", 5);
    LANES("ldi r0, 5 \n nop ; last_thrsw \n add ra1, r0, 1 \n add ra2, r0, 2 \n add r0, ra1, 0 ", 6);
}

static void direct_lookups(void **state)
{
    struct harness *h = *state;
    for (uint32_t n = 0; n < 16; n++)
        memcpy(h->mem.base + HARNESS_DATA + 4 * n, &(uint32_t){n * 3}, 4);
    LANES("ldi r1, 0x10000 \n mov r2, elem \n shl r2, r2, 2 \n add tmu0_s, r1, r2 \n nop ; load_tmu0 \n mov r0, r4",
          lane * 3);
    LANES("ldi tmu1_s, 0x10007 \n ldi tmu1_s, 0x20000 \n nop ; load_tmu1 \n mov r1, r4 ; load_tmu1 \n add r0, r1, r4",
          3);
    refused(state,
            "mov tmu0_s, 0 \n mov tmu0_s, 0 \n mov tmu0_s, 0 \n mov tmu0_s, 0 \n mov tmu0_s, 0 \n mov tmu0_s, 0 \n"
            "mov tmu0_s, 0 \n mov tmu0_s, 0 \n mov tmu0_s, 0" END,
            "FIFO");
}

static void programs_are_decoded_again_in_the_next_job(void **state)
{
    LANES("ldi r0, 1", 1);
    LANES("ldi r0, 2", 2);
}

static void strict_runs_refuse_what_holds_nothing(void **state)
{
    struct harness *h = *state;
    static const struct {
        const char *bad, *ok, *why;
    } cases[] = {
        {"mov r0, ra1", "mov ra1, 0 \n nop \n mov r0, ra1", "file register that nothing"},
        {"mov r0, rb1", "mov rb1, 0 \n nop \n mov r0, rb1", "file register that nothing"},
        {"mov ra1, 0 \n mov r0, ra1", "mov ra1, 0 \n mov r0, 1 ; read ra1", "instruction after"},
        {"mov r0, r1", "mov r1, 0 \n mov r0, r1", "accumulator"},
        {"mov r0, r5", "mov r5_all, 0 \n mov r0, r5", "accumulator"},
        {"mov recip, 0 \n nop \n mov r0, r4", "mov recip, 0 \n nop \n nop \n mov r0, r4", "accumulator"},
        {"mov r1, 0 \n nop ; mov.rot_r5 r0, r1", "mov r1, 0 \n mov r5_all, r1 \n nop \n nop ; mov.rot_r5 r0, r1", "r5"},
        {"mov.ifz r0, 0", "mov.sf r0, 0 \n mov.ifz r0, 0", "condition"},
        {"br.allz pc + 0 \n nop \n nop \n nop", "br pc + 0 \n nop \n nop \n nop", "branch"},
        {"br ra1 + 0 \n nop \n nop \n nop", "ldi ra1, 0x1030 \n nop \n br ra1 + 0 \n nop \n nop \n nop",
         "file register"},
        {"mov r0, 0 \n nop ; thrsw \n nop \n nop \n mov r1, r0",
         "mov ra1, 0 \n nop ; thrsw \n nop \n nop \n mov r1, ra1", "accumulator"},
        {"mov.sf r0, 0 \n nop ; thrsw \n nop \n nop \n mov.ifz r1, 0", "mov.sf r0, 0 \n mov.ifz r1, 0", "condition"},
    };
    char text[512];

    h->strict = true;
    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        snprintf(text, sizeof text, "%s" END, cases[n].bad);
        refused(state, text, cases[n].why);
        snprintf(text, sizeof text, "%s" END, cases[n].ok);
        harness_code(h, text);
        if (harness_run_vertex(h) != GPU_OK)
            fail_msg("\"%s\": %s", text, h->message);
    }
    h->strict = false;
}

static void user_programs_are_refused(void **state)
{
    struct harness *h = *state;
    struct gpu_qpu_run run = {.kind = QPU_PROGRAM_USER};
    const char *message;
    assert_int_equal(gpu_qpu_run(h->core, &run, &message), GPU_HANG);
    assert_string_equal(message, "user programs run in slices only");
}

static void a_nop_writes_nothing(void **state)
{
    assert_int_equal(harness_r0(*state, "mov r0, 5 \n nop.always r0, r1, r1")[3], 5);
    assert_int_equal(harness_r0(*state, "mov r0, 5 ; nop.always r0, r1, r1 \n nop.always r0, r0, r0")[3], 5);
}

/* The chip does not limit the length of a program. Programs of the CPU engine are long because they spill. */
static void long_programs_run(void **state)
{
    struct harness h = {.vpm_out = {{0}}};
    const uint32_t nops = 300000, size_B = HARNESS_CODE + 8 * (nops + 16);
    struct harness *small = *state;
    h.mem = (struct gpu_memory){calloc(1, size_B), size_B, small->mem.is_mapped};
    assert_non_null(h.mem.base);
    assert_int_equal(gpu_qpu_core_create(&h.mem, &h.core), 0);
    harness_code(&h, "nop");
    for (uint32_t i = 1; i < nops; i++)
        memcpy(h.mem.base + HARNESS_CODE + 8 * i, h.mem.base + HARNESS_CODE, 8);
    static const char *const last[] = {"ldi r0, 7", "ldi vpm_wr_setup, 0x1a00", "mov vpm, r0", "nop ; end", "nop", "nop"};
    for (uint32_t i = 0; i < ARRAY_SIZE(last); i++) {
        struct qpu_instr instr;
        char error[128];
        assert_true(qpu_parse(last[i], &instr, error, sizeof error));
        const uint64_t word = qpu_encode(&instr);
        memcpy(h.mem.base + HARNESS_CODE + 8 * (nops + i), &word, 8);
    }
    const enum gpu_status status = harness_run_vertex(&h);
    if (status != GPU_OK)
        fail_msg("%s", h.message);
    assert_int_equal(h.vpm_out[0][3], 7);
    gpu_qpu_core_destroy(h.core);
    free(h.mem.base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nop_writes_nothing),
        cmocka_unit_test(moves_and_immediates),
        cmocka_unit_test(conditions),
        cmocka_unit_test(flags_come_from_the_add_half_unless_it_is_nop),
        cmocka_unit_test(rotations),
        cmocka_unit_test(r5),
        cmocka_unit_test(packing),
        cmocka_unit_test(file_reads_come_one_instruction_later),
        cmocka_unit_test(sfu_results_come_three_instructions_later),
        cmocka_unit_test(uniforms),
        cmocka_unit_test(branches),
        cmocka_unit_test(what_never_ends),
        cmocka_unit_test(thread_switch_loses_accumulators),
        cmocka_unit_test(direct_lookups),
        cmocka_unit_test(programs_are_decoded_again_in_the_next_job),
        cmocka_unit_test(strict_runs_refuse_what_holds_nothing),
        cmocka_unit_test(user_programs_are_refused),
        cmocka_unit_test(long_programs_run),
    };
    return cmocka_run_group_tests_name("gpu_qpu_run", tests, harness_setup, harness_teardown);
}
