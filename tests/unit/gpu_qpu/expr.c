/* SPDX-License-Identifier: MIT
 *
 * hw/expr.h must give the same results as the model's ALUs, bit for bit: for all pairs of special values, for random
 * words, and for floats with close exponents.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "hw/expr.h"
#include "hw/qpu.h"
#include "model/gpu/gpu_alu.h"

static const struct {
    uint8_t op, add, mul;
} pairs[] = {
    {HW_EXPR_FADD, QPU_A_FADD, 0},       {HW_EXPR_FSUB, QPU_A_FSUB, 0},       {HW_EXPR_FMUL, 0, QPU_M_FMUL},
    {HW_EXPR_FMIN, QPU_A_FMIN, 0},       {HW_EXPR_FMAX, QPU_A_FMAX, 0},       {HW_EXPR_FMINABS, QPU_A_FMINABS, 0},
    {HW_EXPR_FMAXABS, QPU_A_FMAXABS, 0}, {HW_EXPR_FTOI, QPU_A_FTOI, 0},       {HW_EXPR_ITOF, QPU_A_ITOF, 0},
    {HW_EXPR_IADD, QPU_A_ADD, 0},        {HW_EXPR_ISUB, QPU_A_SUB, 0},        {HW_EXPR_SHR, QPU_A_SHR, 0},
    {HW_EXPR_ASR, QPU_A_ASR, 0},         {HW_EXPR_ROR, QPU_A_ROR, 0},         {HW_EXPR_SHL, QPU_A_SHL, 0},
    {HW_EXPR_IMIN, QPU_A_MIN, 0},        {HW_EXPR_IMAX, QPU_A_MAX, 0},        {HW_EXPR_AND, QPU_A_AND, 0},
    {HW_EXPR_OR, QPU_A_OR, 0},           {HW_EXPR_XOR, QPU_A_XOR, 0},         {HW_EXPR_NOT, QPU_A_NOT, 0},
    {HW_EXPR_CLZ, QPU_A_CLZ, 0},         {HW_EXPR_MUL24, 0, QPU_M_MUL24},     {HW_EXPR_V8ADDS, QPU_A_V8ADDS, 0},
    {HW_EXPR_V8SUBS, QPU_A_V8SUBS, 0},
};

static void compare(const union gpu_vec *a, const union gpu_vec *b)
{
    struct gpu_fp_mode mode = gpu_fp_enter();
    union gpu_vec results[ARRAY_SIZE(pairs)];
    for (unsigned k = 0; k < ARRAY_SIZE(pairs); k++) {
        gpu_alu_fn fn = pairs[k].add ? gpu_add_fn(pairs[k].add) : gpu_mul_fn(pairs[k].mul);
        fn(a, b, &results[k]);
    }
    gpu_fp_leave(mode);
    for (unsigned k = 0; k < ARRAY_SIZE(pairs); k++) {
        for (unsigned l = 0; l < QPU_LANES; l++) {
            uint32_t word;
            hw_expr(pairs[k].op, a->u[l], b->u[l], 0, &word);
            if (word != results[k].u[l])
                fail_msg("operation %u of %08x %08x: %08x, the model %08x", pairs[k].op, a->u[l], b->u[l], word,
                         results[k].u[l]);
        }
    }
}

static const uint32_t special[] = {
    0,          0x80000000, 1,          0x007fffff, 0x80400000, 0x00800000, 0x80800000, 0x00800001,
    0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x33800000, 0xb3800000, 0x33000001, 0x40490fdb,
    0x4b800000, 0x4b7fffff, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f7fffff, 0x4f800000, 0x7f7fffff,
    0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fffffff, 0xffffffff, 0x5f000000,
};

static void corners_meet(void **state)
{
    (void)state;
    union gpu_vec a, b;
    for (unsigned i = 0; i < ARRAY_SIZE(special); i++) {
        for (unsigned j = 0; j < ARRAY_SIZE(special); j += QPU_LANES) {
            for (unsigned l = 0; l < QPU_LANES; l++) {
                a.u[l] = special[i];
                b.u[l] = special[j + l];
            }
            compare(&a, &b);
        }
    }
}

static void random_words(void **state)
{
    (void)state;
    uint64_t seed = 12345;
    union gpu_vec a, b;
    for (unsigned round = 0; round < 20000; round++) {
        for (unsigned l = 0; l < QPU_LANES; l++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            a.u[l] = (uint32_t)(seed >> 32);
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            b.u[l] = (uint32_t)(seed >> 32);
            if (round & 1) /* exponents up to 31 apart */
                b.u[l] = (b.u[l] & 0x807fffff) | ((a.u[l] + (b.u[l] >> 3 & 0x0f800000)) & 0x7f800000);
        }
        compare(&a, &b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_meet),
        cmocka_unit_test(random_words),
    };
    return cmocka_run_group_tests_name("gpu_qpu_expr", tests, NULL, NULL);
}
