/* SPDX-License-Identifier: MIT
 *
 * The arithmetic of both ALUs, checked against tables of operands and the chip's results and carries.
 */
#include <stdio.h>
#include "harness.h"

struct row {
    uint8_t op;
    uint32_t a, b, result;
    int carry;
};

#define F(x)       0x##x##u
#define ONE        0x3f800000u
#define TWO        0x40000000u
#define MINUS_ONE  0xbf800000u
#define INF        0x7f800000u
#define MINUS_INF  0xff800000u
#define NAN_WORD   0x7fc00000u
#define MINUS_NAN  0xffc00000u
#define LARGEST    0x7f7fffffu
#define SMALLEST   0x00800000u
#define DENORMAL   0x00000001u
#define MINUS_ZERO 0x80000000u

static const struct row add_rows[] = {
    {QPU_A_FADD, ONE, ONE, TWO, 1},
    {QPU_A_FADD, ONE, MINUS_ONE, 0, 0},
    {QPU_A_FADD, MINUS_ZERO, MINUS_ZERO, 0, 0},
    {QPU_A_FADD, ONE, 0x33ffffff, ONE, 1},             /* 1 + nearly 2^-23: rounds toward zero */
    {QPU_A_FADD, MINUS_ONE, 0xb3ffffff, MINUS_ONE, 0}, /* the negative counterpart */
    {QPU_A_FADD, DENORMAL, ONE, ONE, 1},
    {QPU_A_FADD, 0x007fffff, 0x007fffff, 0, 0}, /* denormal operands are treated as zero */
    {QPU_A_FADD, 0x00800001, 0x80800000, 0, 0}, /* denormal results are flushed to zero */
    {QPU_A_FADD, LARGEST, LARGEST, INF, 1},
    {QPU_A_FADD, LARGEST, 0x73000000, LARGEST, 1}, /* just below 2^128 */
    {QPU_A_FADD, LARGEST, 0x73800000, INF, 1},     /* exactly 2^128 */
    {QPU_A_FADD, 0xff7fffff, 0xff7fffff, MINUS_INF, 0},
    {QPU_A_FADD, INF, ONE, INF, 1},
    {QPU_A_FADD, NAN_WORD, ONE, INF, 1},
    {QPU_A_FADD, MINUS_NAN, ONE, MINUS_INF, 0},
    {QPU_A_FADD, NAN_WORD, MINUS_NAN, MINUS_INF, 0}, /* two NaNs: the sign of the second */
    {QPU_A_FSUB, NAN_WORD, NAN_WORD, MINUS_INF, 0},  /* the subtraction inverts the second NaN's sign */
    {QPU_A_FSUB, TWO, ONE, ONE, 1},
    {QPU_A_FSUB, ONE, TWO, MINUS_ONE, 0},
    {QPU_A_FSUB, 0, 0, 0, 0},
    {QPU_A_FSUB, ONE, INF, MINUS_INF, 0},
    {QPU_A_FMIN, ONE, TWO, ONE, 0},
    {QPU_A_FMIN, TWO, MINUS_ONE, MINUS_ONE, 1},
    {QPU_A_FMIN, MINUS_NAN, MINUS_INF, MINUS_NAN, 0},
    {QPU_A_FMIN, NAN_WORD, INF, INF, 1},
    {QPU_A_FMIN, 2, DENORMAL, DENORMAL, 1}, /* compared by magnitude, result unchanged */
    {QPU_A_FMAX, ONE, TWO, TWO, 0},
    {QPU_A_FMAX, NAN_WORD, INF, NAN_WORD, 1},
    {QPU_A_FMAX, 0, MINUS_ZERO, MINUS_ZERO, 0}, /* two zeros: the second */
    {QPU_A_FMAX, MINUS_ZERO, 0, 0, 0},
    {QPU_A_FMINABS, 0xc0000000, ONE, ONE, 1},
    {QPU_A_FMAXABS, 0xc0000000, ONE, TWO, 1},
    {QPU_A_FMAXABS, ONE, MINUS_ONE, ONE, 0},
    {QPU_A_FTOI, 0x40600000, 0, 3, 0}, /* 3.5 */
    {QPU_A_FTOI, 0xc0600000, 0, (uint32_t)-3, 0},
    {QPU_A_FTOI, 0x4effffff, 0, 2147483520, 0}, /* the largest float below 2^31 */
    {QPU_A_FTOI, 0x4f000000, 0, 0x80000000, 0},
    {QPU_A_FTOI, 0x4f7ffffe, 0, 0xfffffe00, 0}, /* 2^31 to 2^32: converted as if unsigned */
    {QPU_A_FTOI, 0xcf000000, 0, 0x80000000, 0},
    {QPU_A_FTOI, 0xcf7ffffe, 0, 0x200, 0},
    {QPU_A_FTOI, 0x4f800000, 0, 0, 0}, /* 2^32 */
    {QPU_A_FTOI, 0x70000000, 0, 0, 0},
    {QPU_A_FTOI, INF, 0, 0, 0},
    {QPU_A_FTOI, MINUS_NAN, 0, 0, 0},
    {QPU_A_FTOI, DENORMAL, 0, 0, 0},
    {QPU_A_ITOF, 3, 0, 0x40400000, 1},
    {QPU_A_ITOF, (uint32_t)-3, 0, 0xc0400000, 0},
    {QPU_A_ITOF, 0x7fffffff, 0, 0x4effffff, 1}, /* rounds toward zero */
    {QPU_A_ITOF, 0x80000001, 0, 0xceffffff, 0},
    {QPU_A_ITOF, 0x80000000, 0, 0xcf000000, 0},
    {QPU_A_ITOF, 0, 0, 0, 0},
    {QPU_A_ADD, 1, 2, 3, 0},
    {QPU_A_ADD, 0xffffffff, 1, 0, 1},
    {QPU_A_ADD, 0x7fffffff, 1, 0x80000000, 0},
    {QPU_A_SUB, 1, 2, 0xffffffff, 1},
    {QPU_A_SUB, 2, 1, 1, 0},
    {QPU_A_SUB, 2, 2, 0, 0},
    {QPU_A_SHR, 0x80000003, 1, 0x40000001, 1},
    {QPU_A_SHR, 0x80000003, 33, 0x40000001, 1}, /* only five bits of the shift are used */
    {QPU_A_SHR, 5, 0, 5, 0},
    {QPU_A_SHR, 0x80000000, 31, 1, 0},
    {QPU_A_ASR, 0x80000000, 31, 0xffffffff, 0},
    {QPU_A_ASR, 0x80000006, 2, 0xe0000001, 1},
    {QPU_A_ROR, 0x00000001, 1, 0x80000000, 0},
    {QPU_A_ROR, 0x12345678, 32, 0x12345678, 0},
    {QPU_A_ROR, 0x12345678, 8, 0x78123456, 0},
    {QPU_A_SHL, 0x80000001, 1, 2, 1},
    {QPU_A_SHL, 1, 31, 0x80000000, 0},
    {QPU_A_MIN, (uint32_t)-1, 1, (uint32_t)-1, 0},
    {QPU_A_MIN, 1, (uint32_t)-1, (uint32_t)-1, 1},
    {QPU_A_MAX, (uint32_t)-1, 1, 1, 0},
    {QPU_A_AND, 0xff00ff00, 0x0ff00ff0, 0x0f000f00, 0},
    {QPU_A_OR, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0, 0},
    {QPU_A_XOR, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0, 0},
    {QPU_A_NOT, 0x0000ffff, 0, 0xffff0000, 0},
    {QPU_A_CLZ, 1, 0, 31, 0},
    {QPU_A_CLZ, 0, 0, 32, 0},
    {QPU_A_CLZ, 0x80000000, 0, 0, 0},
    {QPU_A_V8ADDS, 0xff80fe01, 0x01800201, 0xffffff02, 0},
    {QPU_A_V8SUBS, 0x10800001, 0x20400001, 0x00400000, 0},
};

static const struct row mul_rows[] = {
    {QPU_M_FMUL, TWO, TWO, 0x40800000, 0},
    {QPU_M_FMUL, 0, INF, 0, 0},
    {QPU_M_FMUL, NAN_WORD, 0, 0, 0},
    {QPU_M_FMUL, DENORMAL, INF, 0, 0},
    {QPU_M_FMUL, MINUS_ZERO, ONE, 0, 0},
    {QPU_M_FMUL, MINUS_ONE, 0, 0, 0},
    {QPU_M_FMUL, MINUS_NAN, TWO, MINUS_INF, 0},
    {QPU_M_FMUL, MINUS_NAN, 0xc0000000, INF, 0},
    {QPU_M_FMUL, 0x3f800001, 0x3f800001, 0x3f800002, 0}, /* rounds toward zero */
    {QPU_M_FMUL, 0x3fffffff, 0x3fffffff, 0x407ffffe, 0},
    {QPU_M_FMUL, SMALLEST, 0x3f000000, 0, 0},
    {QPU_M_FMUL, LARGEST, TWO, INF, 0},
    {QPU_M_FMUL, LARGEST, 0xc0000000, MINUS_INF, 0},
    {QPU_M_FMUL, LARGEST, ONE, LARGEST, 0},
    {QPU_M_MUL24, 0x01000003, 5, 15, 0}, /* bits 31:24 are ignored */
    {QPU_M_MUL24, 0xffffff, 0xffffff, 0xfe000001, 1},
    {QPU_M_MUL24, 0x10000, 0x10000, 0, 1},
    {QPU_M_V8MULD, 0xff80ff00, 0xffff80ff, 0xff808000, 0},
    {QPU_M_V8MULD, 0x01010202, 0x7f80407f, 0x00010101, 0},
    {QPU_M_V8MIN, 0x01ff8000, 0x02fe7f00, 0x01fe7f00, 0},
    {QPU_M_V8MAX, 0x01ff8000, 0x02fe7f00, 0x02ff8000, 0},
    {QPU_M_V8ADDS, 0xff80fe01, 0x01800201, 0xffffff02, 0},
    {QPU_M_V8SUBS, 0x10800001, 0x20400001, 0x00400000, 0},
};

static void check(const struct row *row, bool mul)
{
    union gpu_vec a, b, out, carry;
    struct gpu_fp_mode mode = gpu_fp_enter();

    gpu_vec_splat(&a, row->a);
    gpu_vec_splat(&b, row->b);
    (mul ? gpu_mul_fn(row->op) : gpu_add_fn(row->op))(&a, &b, &out);
    if (mul)
        gpu_mul_carry(row->op, &a, &b, &carry);
    else
        gpu_add_carry(row->op, &a, &b, &out, &carry);
    gpu_fp_leave(mode);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        if (out.u[l] != row->result || (carry.u[l] & 1) != (uint32_t)row->carry)
            fail_msg("%s 0x%08x, 0x%08x: 0x%08x carry %u, not 0x%08x carry %d",
                     mul ? qpu_mul_op_name(row->op) : qpu_add_op_name(row->op), row->a, row->b, out.u[l],
                     carry.u[l] & 1, row->result, row->carry);
    }
}

static void add_unit(void **state)
{
    for (unsigned n = 0; n < ARRAY_SIZE(add_rows); n++)
        check(&add_rows[n], false);
}

static void mul_unit(void **state)
{
    for (unsigned n = 0; n < ARRAY_SIZE(mul_rows); n++)
        check(&mul_rows[n], true);
}

/* (x * y + 127) / 255 for all bytes. */
static void v8muld_everywhere(void **state)
{
    union gpu_vec a, b, out;

    for (unsigned x = 0; x < 256; x++) {
        for (unsigned y = 0; y < 256; y += 64) {
            for (unsigned n = 0; n < 64; n++) {
                a.byte[n] = (uint8_t)x;
                b.byte[n] = (uint8_t)(y + n);
            }
            gpu_mul_fn(QPU_M_V8MULD)(&a, &b, &out);
            for (unsigned n = 0; n < 64; n++)
                assert_int_equal(out.byte[n], (x * (y + n) + 127) / 255);
        }
    }
}

/* Sums and products must be the exact results, which fit in a double, rounded toward zero. */
static void random_floats(void **state)
{
    uint64_t seed = 88172645463325252u;
    union gpu_vec a, b, sum, product;

    for (unsigned round = 0; round < 20000; round++) {
        for (unsigned l = 0; l < QPU_LANES; l++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            a.u[l] = (uint32_t)seed & 0x87ffffff; /* exponents near one */
            a.u[l] |= 0x38000000;
            b.u[l] = ((uint32_t)(seed >> 32) & 0x87ffffff) | 0x38000000;
        }
        struct gpu_fp_mode mode = gpu_fp_enter();
        gpu_add_fn(QPU_A_FADD)(&a, &b, &sum);
        gpu_mul_fn(QPU_M_FMUL)(&a, &b, &product);
        gpu_fp_leave(mode);
        for (unsigned l = 0; l < QPU_LANES; l++) {
            double exact[2] = {(double)a.f[l] + b.f[l], (double)a.f[l] * b.f[l]}; /* both fit 53 bits */
            uint32_t got[2] = {sum.u[l], product.u[l]};
            for (unsigned k = 0; k < 2; k++) {
                double here = util_uif(got[k]), next = util_uif(got[k] + 1);
                if (got[k] == 0) {
                    assert_true(exact[k] == 0);
                    continue;
                }
                assert_true(exact[k] > 0 ? here <= exact[k] && exact[k] < next : here >= exact[k] && exact[k] > next);
            }
        }
    }
}

static void the_mode_is_given_back(void **state)
{
    volatile float one = 1.0f, tiny = 0x1.8p-24f, sum;

    struct gpu_fp_mode mode = gpu_fp_enter();
    sum = one + tiny;
    assert_true(sum == 1.0f);
    gpu_fp_leave(mode);
    sum = one + tiny;
    assert_true(sum > 1.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_unit),
        cmocka_unit_test(mul_unit),
        cmocka_unit_test(v8muld_everywhere),
        cmocka_unit_test(random_floats),
        cmocka_unit_test(the_mode_is_given_back),
    };
    return cmocka_run_group_tests_name("gpu_qpu_alu", tests, NULL, NULL);
}
