/* SPDX-License-Identifier: MIT
 *
 * Tests the text form of QPU instructions (docs/qpu-text.md): every instruction prints to a line that parses to the
 * same instruction, hand-written lines parse to the intended fields, and contradictory lines are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "hw/qpu.h"

static void round_trip(uint64_t word)
{
    struct qpu_instr instr = qpu_decode(word), back;
    uint64_t held = qpu_encode(&instr);
    char text[256], again[256], error[128];
    int length = qpu_print(&instr, text, sizeof text);

    assert_true(length > 0 && length < (int)sizeof text);
    if (!qpu_parse(text, &back, error, sizeof error))
        fail_msg("0x%016llx prints as \"%s\": %s", (unsigned long long)word, text, error);
    if (qpu_encode(&back) != held) {
        qpu_print(&back, again, sizeof again);
        fail_msg("0x%016llx prints as \"%s\", which reads as 0x%016llx \"%s\"", (unsigned long long)word, text,
                 (unsigned long long)qpu_encode(&back), again);
    }
    assert_memory_equal(&back, &instr, sizeof back);
}

static void random_words(void **state)
{
    uint64_t seed = 0x2545f4914f6cdd1du;

    for (unsigned n = 0; n < 60000; n++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        round_trip(seed);
    }
}

/* Every pair of values of every two fields, within a few base instructions. */
static void every_field_value(void **state)
{
    static const uint64_t base_words[] = {
        UINT64_C(0x100009e7009e7000), /* nop */
        UINT64_C(0x1002006715827d80), /* a mov of a uniform */
        UINT64_C(0x1324808220115a7b), /* add and mul operation, both register files read and written */
        UINT64_C(0x1324908220115a7b), /* the same with ws */
    };
    static const struct {
        unsigned shift, bits;
    } fields[] = {{60, 4}, {57, 3}, {56, 1}, {52, 4}, {49, 3}, {46, 3}, {45, 1}, {44, 1}, {38, 6},
                  {32, 6}, {29, 3}, {24, 5}, {18, 6}, {12, 6}, {9, 3},  {6, 3},  {3, 3},  {0, 3}};

    for (unsigned a = 0; a < ARRAY_SIZE(base_words); a++) {
        for (unsigned f = 0; f < ARRAY_SIZE(fields); f++) {
            for (unsigned g = f; g < ARRAY_SIZE(fields); g++) {
                for (uint64_t v = 0; v < UINT64_C(1) << fields[f].bits; v++) {
                    for (uint64_t w = 0; w < UINT64_C(1) << fields[g].bits; w++) {
                        uint64_t word = base_words[a];
                        word &= ~(((UINT64_C(1) << fields[f].bits) - 1) << fields[f].shift);
                        word |= v << fields[f].shift;
                        word &= ~(((UINT64_C(1) << fields[g].bits) - 1) << fields[g].shift);
                        word |= w << fields[g].shift;
                        round_trip(word);
                    }
                }
            }
        }
    }
}

static struct qpu_instr parsed(const char *line)
{
    struct qpu_instr instr;
    char error[128];

    if (!qpu_parse(line, &instr, error, sizeof error))
        fail_msg("\"%s\": %s", line, error);
    return instr;
}

static void reads_what_people_write(void **state)
{
    struct qpu_instr i = parsed("  fadd.ifz.sf  ra3.8as,r0 , ra1.16a;fmul rb4, r1, 1/2 ");
    assert_int_equal(i.op_add, QPU_A_FADD);
    assert_int_equal(i.cond_add, QPU_COND_ZS);
    assert_int_equal(i.sf, 1);
    assert_int_equal(i.waddr_add, 3);
    assert_int_equal(i.pack, QPU_PACK_A_8A_SAT);
    assert_int_equal(i.unpack, QPU_UNPACK_16A);
    assert_int_equal(i.pm, 0);
    assert_int_equal(i.ws, 0);
    assert_int_equal(i.sig, QPU_SIG_SMALL_IMM);
    assert_int_equal(qpu_small_imm_value(i.raddr_b), util_fui(0.5f));
    assert_int_equal(i.cond_mul, QPU_COND_ALWAYS);

    i = parsed("fmul.rot3 rb1.m8a, r0, r1 ; pm.8b"); /* only the mul operation */
    assert_int_equal(i.op_add, QPU_A_NOP);
    assert_int_equal(i.cond_add, QPU_COND_NEVER);
    assert_int_equal(i.raddr_b, QPU_SMALL_IMM_ROTATE(3));
    assert_int_equal(i.sig, QPU_SIG_SMALL_IMM);
    assert_int_equal(i.pm, 1);
    assert_int_equal(i.pack, QPU_PACK_MUL_8A);
    assert_int_equal(i.unpack, QPU_UNPACK_8B);
    assert_int_equal(i.ws, 0);

    i = parsed("mov rb2, r1 ; mov ra2, vary ; load_tmu1");
    assert_int_equal(i.ws, 1);
    assert_int_equal(i.sig, QPU_SIG_LOAD_TMU1);
}

static void reads_what_it_should_not(void **state)
{
    struct qpu_instr i;
    char error[8];
    assert_false(qpu_parse("mov r0, nothing_that_exists", &i, error, sizeof error));
    assert_int_equal(strlen(error), 7); /* truncated, but terminated */
    assert_false(qpu_parse("mov r0, nothing", &i, NULL, 0));
}

static void prints_as_documented(void **state)
{
    static const struct {
        uint64_t word;
        const char *text;
    } lines[] = {
        {UINT64_C(0x100009e7009e7000), "nop"},
        {UINT64_C(0x300009e7009e7000), "nop ; end"},
        {UINT64_C(0x1002006715827d80), "mov ra1, unif"},
        {UINT64_C(0xe002082700001a00), "ldi r0, 0x1a00"},
        {UINT64_C(0xf07809e7ffffffc0), "br.anynn pc + -64"},
    };
    for (unsigned n = 0; n < ARRAY_SIZE(lines); n++) {
        struct qpu_instr instr = qpu_decode(lines[n].word);
        char text[256];
        qpu_print(&instr, text, sizeof text);
        assert_string_equal(text, lines[n].text);
    }
}

static void refused(const char *line, const char *why)
{
    struct qpu_instr instr;
    char error[128];

    if (qpu_parse(line, &instr, error, sizeof error))
        fail_msg("\"%s\" was accepted", line);
    if (!strstr(error, why))
        fail_msg("\"%s\" was refused with \"%s\"", line, error);
}

static void refuses_contradictions(void **state)
{
    refused("", "empty");
    refused("nop ;; nop", "empty");
    refused("frob r0, r1", "unknown word");
    refused("fadd r0, r1", "2 operands");
    refused("fadd r0, ra1, ra2", "one read port");
    refused("fadd r0, rb1, rb2", "one read port");
    refused("fadd r0, rb1, 3", "one read port");
    refused("fadd r0, rb3, 3", "one read port");
    refused("mov r0, 1 ; load_tmu0", "two signals");
    refused("mov r0, 16", "no small immediate");
    refused("mov ra1, r0 ; mov ra2, r1", "same file");
    refused("mov r0, rb1.8a", "cannot be unpacked");
    refused("mov r0, r1.8a", "only file A and r4");
    refused("fadd r0, ra1.8a, r4.8a", "exclude");
    refused("mov rb1.8a, r0 ; mov rb2, r0", "same file");
    refused("fadd r0.m8a, r1, r2", "belongs to the mul result");
    refused("ldi r0, 5 ; read ra1", "reads no register");
    refused("ldi r0, 0x100000000", "32-bit");
    refused("ldi r0, 5 ; load_tmu0", "two signals");
    refused("br.sometimes 0", "condition");
    refused("br ra1", "number of bytes");
    refused("br rb1 + 0", "cannot be part");
    refused("br 0 ; thrsw", "does not belong");
    refused("mov r4, r1", "no register to write");
    refused("mov ra32, r1", "cannot be written by number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_words),
        cmocka_unit_test(every_field_value),
        cmocka_unit_test(reads_what_people_write),
        cmocka_unit_test(reads_what_it_should_not),
        cmocka_unit_test(prints_as_documented),
        cmocka_unit_test(refuses_contradictions),
    };
    return cmocka_run_group_tests_name("hw_qpu_text", tests, NULL, NULL);
}
