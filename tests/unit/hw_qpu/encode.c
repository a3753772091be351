/* SPDX-License-Identifier: MIT
 *
 * Tests qpu_encode and qpu_decode: every instruction word survives a round trip. Known words come from programs of
 * Mesa's driver, disassembled by hand with [guide p.26].
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "hw/qpu.h"

static uint64_t random_word(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* The bits that some field holds: all but 59:56 of a branch. */
static uint64_t held_bits(uint64_t word)
{
    return word >> 60 == QPU_SIG_BRANCH ? ~(UINT64_C(15) << 56) : ~UINT64_C(0);
}

static void every_word_survives(void **state)
{
    uint64_t seed = 0x9e3779b97f4a7c15u;

    for (unsigned n = 0; n < 200000; n++) {
        uint64_t word = random_word(&seed);
        struct qpu_instr instr = qpu_decode(word);
        assert_true(qpu_encode(&instr) == (word & held_bits(word)));
    }
    for (unsigned sig = 0; sig < 16; sig++) {
        for (unsigned bit = 0; bit < 60; bit++) {
            uint64_t word = (uint64_t)sig << 60 | UINT64_C(1) << bit;
            struct qpu_instr instr = qpu_decode(word);
            assert_true(qpu_encode(&instr) == (word & held_bits(word)));
        }
    }
}

static void fields_lie_where_the_guide_says(void **state)
{
    struct qpu_instr i = qpu_nop();
    assert_true(qpu_encode(&i) == UINT64_C(0x100009e7009e7000));

    i = qpu_decode(UINT64_C(0x300009e7009e7000));
    assert_int_equal(i.sig, QPU_SIG_PROGRAM_END);

    /* or ra1, unif, unif with a mul nop */
    i = qpu_nop();
    i.op_add = QPU_A_OR;
    i.cond_add = QPU_COND_ALWAYS;
    i.waddr_add = 1;
    i.raddr_a = QPU_R_UNIFORM;
    i.add_a = i.add_b = QPU_MUX_A;
    assert_true(qpu_encode(&i) == UINT64_C(0x1002006715827d80));

    i = (struct qpu_instr){.sig = QPU_SIG_LOAD_IMM,
                           .cond_add = QPU_COND_ALWAYS,
                           .waddr_add = QPU_W_ACC0,
                           .waddr_mul = QPU_W_NOP,
                           .imm = 0x00001a00};
    assert_true(qpu_encode(&i) == UINT64_C(0xe002082700001a00));

    i = (struct qpu_instr){.sig = QPU_SIG_BRANCH,
                           .pack = QPU_BRANCH_ANY_NC,
                           .branch_rel = 1,
                           .waddr_add = QPU_W_NOP,
                           .waddr_mul = QPU_W_NOP,
                           .imm = (uint32_t)-64};
    assert_true(qpu_encode(&i) == UINT64_C(0xf07809e7ffffffc0));
}

static void small_immediates(void **state)
{
    assert_int_equal(qpu_small_imm_value(15), 15);
    assert_int_equal((int32_t)qpu_small_imm_value(16), -16);
    assert_int_equal((int32_t)qpu_small_imm_value(31), -1);
    assert_true(util_uif(qpu_small_imm_value(32)) == 1.0f);
    assert_true(util_uif(qpu_small_imm_value(39)) == 128.0f);
    assert_true(util_uif(qpu_small_imm_value(40)) == 1.0f / 256);
    assert_true(util_uif(qpu_small_imm_value(47)) == 0.5f);
    assert_int_equal((int32_t)qpu_small_imm_value(48), -16);
    assert_int_equal((int32_t)qpu_small_imm_value(63), -1);
    for (unsigned code = 0; code < 48; code++)
        assert_int_equal(qpu_small_imm_code(qpu_small_imm_value(code)), code);
    assert_int_equal(qpu_small_imm_code(16), -1);
    assert_int_equal(qpu_small_imm_code(util_fui(3.0f)), -1);
}

static void operations(void **state)
{
    unsigned named = 0;
    for (unsigned op = 0; op < 32; op++)
        named += qpu_add_op_name(op) != NULL;
    assert_int_equal(named, 32 - 8); /* 9-11 and 25-29 are reserved */
    assert_null(qpu_add_op_name(9));
    assert_null(qpu_add_op_name(32));
    assert_null(qpu_mul_op_name(8));
    assert_int_equal(qpu_add_op_args(QPU_A_FTOI), 1);
    assert_int_equal(qpu_add_op_args(QPU_A_SUB), 2);
    assert_int_equal(qpu_mul_op_args(QPU_M_NOP), 0);
    assert_true(qpu_add_op_is_float(QPU_A_FTOI));
    assert_false(qpu_add_op_is_float(QPU_A_ITOF));
    assert_true(qpu_mul_op_is_float(QPU_M_FMUL));
    assert_false(qpu_mul_op_is_float(QPU_M_MUL24));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_survives),
        cmocka_unit_test(fields_lie_where_the_guide_says),
        cmocka_unit_test(small_immediates),
        cmocka_unit_test(operations),
    };
    return cmocka_run_group_tests_name("hw_qpu_encode", tests, NULL, NULL);
}
