/* SPDX-License-Identifier: MIT
 *
 * Tests qpu_check: for each rule there is a program that obeys it and one that breaks this rule and no other. Programs
 * without an end signal get "nop ; end", "nop", "nop ; unlock_sb" appended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "hw/qpu.h"

#define VERTEX   QPU_PROGRAM_VERTEX
#define FRAGMENT QPU_PROGRAM_FRAGMENT

struct rule_case {
    const char *rule;
    enum qpu_program_kind kind;
    const char *ok, *bad;
};

static const struct rule_case cases[] = {
    {"end", VERTEX, "nop", "nop ; end\n nop"},
    {"H1", VERTEX, "mov ra1, 0\n nop\n mov r0, ra1", "mov ra1, 0\n mov r0, ra1"},
    {"H1", VERTEX, "mov rb1, 0\n mov r0, ra1", "mov rb1, 0\n mov r0, rb1"},
    {"H1", VERTEX, "mov rb1, 0 ; mov ra2, 0\n mov r0, ra1", "mov rb1, 0 ; mov ra2, 0\n mov r0, ra2"},
    {"H1", VERTEX, "mov.never ra1, 0\n mov r0, ra1", "mov.ifz ra1, 0\n mov r0, ra1"},
    {"H1", VERTEX, "ldi ra1, 0\n mov r0, 1 ; read ra1", "ldi ra1, 0\n mov r0, ra1"}, /* unused reads do not count */
    {"H1", VERTEX, "mov ra1, 0\n nop\n br ra1 + 0\n nop\n nop\n nop", "mov ra1, 0\n br ra1 + 0\n nop\n nop\n nop"},
    /* across a taken branch: the delay slot writes, the branch target reads */
    {"H1", VERTEX, "mov r0, ra2\n br.allz pc + -40\n nop\n nop\n mov ra1, 0",
     "mov r0, ra1\n br.allz pc + -40\n nop\n nop\n mov ra1, 0"},
    {"H2", VERTEX, "mov recip, 0\n nop\n nop\n mov r0, r4", "mov recip, 0\n nop\n mov r0, r4"},
    {"H2", VERTEX, "mov tmu0_s, 0\n mov recip, 0\n nop\n nop\n mov r0, r4 ; load_tmu0",
     "mov tmu0_s, 0\n mov recip, 0\n nop\n nop ; load_tmu0\n mov r0, r4"},
    {"H2", VERTEX, "mov recip, 0\n nop\n nop\n mov log, r4\n nop\n nop\n mov r0, r4",
     "mov recip, 0\n nop\n mov log, 0\n nop\n nop\n mov r0, r4"},
    {"H3", VERTEX, "mov r5_all, 0\n nop\n nop ; mov.rot_r5 r0, r1", "mov r5_all, 0\n nop ; mov.rot_r5 r0, r1"},
    {"H3", FRAGMENT, "mov r0, vary\n nop ; mov.rot1 r0, r1", "mov r0, vary\n nop ; mov.rot_r5 r0, r1"},
    {"H4", VERTEX, "mov r1, 0\n nop\n nop ; mov.rot1 r0, r1", "mov r1, 0\n nop ; mov.rot1 r0, r1"},
    {"H5", FRAGMENT, "nop\n nop\n mov tlb_z, 0\n nop\n nop\n mov r0, ms_flags",
     "nop\n nop\n mov tlb_z, 0\n nop\n mov r0, ms_flags"},
    {"H6", FRAGMENT, "nop\n nop\n mov tlb_c, 0", "nop\n mov tlb_c, 0"},
    {"H6", FRAGMENT, "nop\n nop\n nop ; wait_sb", "nop ; wait_sb\n nop"},
    {"H6", FRAGMENT, "nop\n nop\n nop ; load_color", "nop\n nop ; load_color"},
    {"H7", VERTEX, "mov tmu_noswap, 1\n nop\n nop\n mov tmu0_s, 0\n nop ; load_tmu0",
     "mov tmu_noswap, 1\n nop\n mov tmu0_s, 0\n nop ; load_tmu0"},
    {"H8", VERTEX, "mov r0, unif\n nop ; end\n nop\n nop", "nop ; end\n mov r0, unif\n nop"},
    {"H8", FRAGMENT, "mov r0, vary\n nop ; end\n nop\n nop", "nop ; end\n nop\n mov r0, vary_b"},
    {"H8", VERTEX, "mov vpm, 0\n nop ; end\n nop\n nop", "nop ; end\n mov vpm, 0\n nop"},
    {"H8", VERTEX, "mov tmu0_t, 0\n mov tmu0_s, 0\n nop ; end\n nop\n nop",
     "mov tmu0_t, 0\n nop ; end\n mov tmu0_s, 0\n nop"},
    {"H9", VERTEX, "mov r0, 1 ; read nop_a\n nop ; end\n mov ra1, 0\n nop", "mov ra1, r0 ; end\n nop\n nop"},
    {"H9", VERTEX, "mov.never rb1, r0 ; end\n nop\n nop", "mov rb1, r0 ; end\n nop\n nop"},
    {"H10", VERTEX, "mov ra14, 0\n nop ; end\n nop\n nop", "nop ; end\n mov ra14, 0\n nop"},
    {"H10", VERTEX, "nop ; end\n mov r0, rb13\n nop", "nop ; end\n nop\n mov r0, rb14"},
    {"H11", FRAGMENT, "nop\n nop ; end\n mov tlb_z, r0\n nop", "nop\n nop ; end\n nop\n mov tlb_z, r0"},
    {"H12", FRAGMENT, "nop\n nop\n mov recip, r0\n mov tlb_c, r0", "nop\n nop\n mov recip, r0 ; mov tlb_c, r0"},
    {"H12", VERTEX, "mov tmu0_s, r0\n mov tmu1_s, r0", "mov tmu0_s, r0 ; mov tmu1_s, r0"},
    {"H12", VERTEX, "mov tmu0_s, r0\n nop ; load_tmu0", "mov tmu0_s, r0 ; load_tmu0"},
    {"H12", VERTEX, "mov r1, mutex\n mov recip, r0", "mov r1, mutex ; mov recip, r0"},
    /* uniforms, VPM and stencil setup do not count as peripheral accesses */
    {"H12", FRAGMENT, "nop\n nop\n mov stencil_setup, r0 ; load_color\n mov r1, r4",
     "nop\n nop\n mov recip, r0 ; load_color"},
    {"H13", VERTEX, "mov tmu0_t, 0\n mov tmu0_s, 0", "mov tmu0_t, unif\n mov tmu0_s, 0"},
    /* a direct memory lookup may read a uniform, a texture lookup may not */
    {"H13", VERTEX, "mov tmu0_s, unif\n nop ; load_tmu0", "mov tmu0_t, 0\n mov tmu0_s, unif"},
    {"H14", VERTEX, "mov unif_addr, r0\n nop\n nop\n mov r0, unif", "mov unif_addr, r0\n nop\n mov r0, unif"},
    {"H14", VERTEX, "mov unif_addr, r0\n nop\n mov tmu0_s, 0",
     "mov unif_addr, r0\n nop\n mov tmu0_t, 0\n mov tmu0_s, 0"},
    {"H15", VERTEX, "mov vpm, 0", NULL},
    {"H15", FRAGMENT, "nop", "mov vpm, 0"},
    {"H15", FRAGMENT, "mov r0, vary", "mov r0, vpm"},
    {"H16", FRAGMENT, "nop\n nop\n mov tlb_c_ms, r0 ; load_color", "nop\n nop\n mov tlb_c, r0 ; load_color"},
    {"H16", FRAGMENT, "nop\n nop\n mov tlb_z, r0\n mov tlb_c, r0", "nop\n nop\n mov tlb_z, r0 ; mov tlb_c, r0"},
    {"H17", FRAGMENT, "nop\n nop\n mov tlb_z, r0\n mov tlb_c, r0", "nop\n nop\n mov tlb_c, r0\n mov tlb_z, r0"},
    {"H17", FRAGMENT, "nop\n nop\n mov stencil_setup, r0\n mov tlb_z, r0",
     "nop\n nop\n mov tlb_z, r0\n mov stencil_setup, r0"},
    {"H18", VERTEX, "mov r0, r1 ; mov r2, r1", "mov r0, r1 ; mov r0, r1"},
    {"H18", VERTEX, "mov vpm_rd_setup, r1 ; mov vpm_wr_setup, r1", "mov vpm, r1 ; mov vpm, r1"},
    {"H18", VERTEX, "mov r0, r1 ; mov.never r0, r1", "mov.ifz r0, r1 ; mov.ifnz r0, r1"},
    {"H19", VERTEX, "mov vpm, r1", "mov.ifz vpm, r1"},
    {"H19", VERTEX, "mov tmu0_s, r1", "mov.ifn tmu0_s, r1"},
    {"H19", VERTEX, "mov.ifn tmu0_t, r1\n mov tmu0_s, r1", "mov tmu0_t, r1\n nop ; mov.never tmu0_s, r1"},
    {"H20", VERTEX, "br pc + 0\n nop\n nop\n br pc + 0\n nop\n nop\n nop",
     "br pc + 0\n nop\n br pc + 0\n nop\n nop\n nop"},
    {"H20", VERTEX, "nop", "nop ; end\n nop\n nop\n br pc + -32"},
    {"H21", FRAGMENT, "nop\n nop ; thrsw\n nop\n nop\n nop ; last_thrsw\n nop\n nop",
     "nop\n nop ; thrsw\n nop\n nop ; last_thrsw\n nop\n nop"},
    {"H21", FRAGMENT, "nop\n nop\n nop ; last_thrsw\n nop\n nop\n mov tlb_c, r0",
     "nop\n nop\n mov tlb_c, r0\n nop ; last_thrsw\n nop\n nop"},
    {"H21", FRAGMENT, "nop ; last_thrsw\n nop\n nop", "nop ; thrsw\n nop\n nop"},
    {"H21", FRAGMENT, "nop\n nop\n mov tlb_c, r0\n nop ; unlock_sb\n nop ; last_thrsw\n nop\n nop",
     "nop ; last_thrsw\n nop\n nop\n nop\n nop ; last_thrsw\n nop\n nop"},
    {"H24", FRAGMENT, "nop\n nop\n mov tlb_c, r0\n nop ; end\n nop\n nop",
     "nop\n nop\n mov tlb_c, r0 ; end\n nop\n nop"},
    {"H25", VERTEX, "sem nop, 1", "sem recip, 1"},
    {"H25", VERTEX, "sem ra1, 17", "sem tmu0_t, 17\n mov tmu0_s, r0"},
    {"H26", VERTEX, "mov recip, r0\n nop\n nop\n mov r0, r4\n mov log, r0",
     "mov recip, r0\n nop\n nop\n nop\n mov log, r0"},
    {"H26", VERTEX, "mov tmu0_s, r0\n mov tmu0_s, r0\n nop ; load_tmu0\n nop ; load_tmu0", /* emptying the FIFO */
     "mov tmu0_s, r0\n mov recip, r0\n nop\n nop\n nop ; load_tmu0"},
    {"H27", VERTEX, "ldi vpm_rd_setup, 0x201a00\n mov r0, vpm\n mov r0, vpm",
     "ldi vpm_rd_setup, 0x201a00\n mov r0, vpm"},
    {"H27", VERTEX, "ldi vpm_wr_setup, 0x201a00", "ldi vpm_rd_setup, 0x1a00\n mov r0, vpm"},
};

static uint32_t assemble(const char *text, uint64_t *words, uint32_t max)
{
    static const char *const end[] = {"nop ; end", "nop", "nop ; unlock_sb"};
    bool ends = strstr(text, "; end");
    char copy[1024], error[128], *rest = copy, *line;
    struct qpu_instr instr;
    uint32_t count = 0;

    assert_true(strlen(text) < sizeof copy);
    strcpy(copy, text);
    while ((line = strsep(&rest, "\n"))) {
        if (!qpu_parse(line, &instr, error, sizeof error))
            fail_msg("\"%s\": %s", line, error);
        assert_true(count + 3 < max);
        words[count++] = qpu_encode(&instr);
    }
    for (unsigned n = 0; n < 3 && !ends; n++) {
        assert_true(qpu_parse(end[n], &instr, error, sizeof error));
        words[count++] = qpu_encode(&instr);
    }
    return count;
}

static void rules(void **state)
{
    uint64_t words[64];
    struct qpu_violation v;

    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        const struct rule_case *k = &cases[n];
        uint32_t count = assemble(k->ok, words, ARRAY_SIZE(words));
        if (!qpu_check(words, count, k->kind, &v))
            fail_msg("case %u obeys %s but fails %s at %u: %s\n%s", n, k->rule, v.rule, v.index, v.text, k->ok);
        if (!k->bad)
            continue;
        count = assemble(k->bad, words, ARRAY_SIZE(words));
        if (qpu_check(words, count, k->kind, &v))
            fail_msg("case %u breaks %s but passes the check\n%s", n, k->rule, k->bad);
        if (strcmp(v.rule, k->rule))
            fail_msg("case %u breaks %s but fails %s at %u: %s\n%s", n, k->rule, v.rule, v.index, v.text, k->bad);
        assert_true(v.index < count);
        assert_true(strlen(v.text) > 10);
    }
}

/* Every rule has a case that breaks it; H22 and H23 are not enforced. */
static void no_rule_without_test(void **state)
{
    for (unsigned rule = 1; rule <= 27; rule++) {
        char name[8];
        bool found = rule == 22 || rule == 23;
        snprintf(name, sizeof name, "H%u", rule);
        for (unsigned n = 0; n < ARRAY_SIZE(cases); n++)
            found |= cases[n].bad && !strcmp(cases[n].rule, name);
        if (!found)
            fail_msg("%s has no test", name);
    }
}

/* The checker terminates on random words and does not read past them. */
static void garbage(void **state)
{
    uint64_t seed = 0x853c49e6748fea9bu, words[64];
    struct qpu_violation v;

    for (unsigned round = 0; round < 2000; round++) {
        uint32_t count = round % 64;
        for (uint32_t n = 0; n < count; n++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            words[n] = seed;
        }
        if (qpu_check(words, count, round & 1 ? FRAGMENT : VERTEX, &v))
            assert_true(count > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules),
        cmocka_unit_test(no_rule_without_test),
        cmocka_unit_test(garbage),
    };
    return cmocka_run_group_tests_name("hw_qpu_check", tests, NULL, NULL);
}
