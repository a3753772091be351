/* SPDX-License-Identifier: MIT
 *
 * The SFU is as bad as the chip, and not worse: worst relative error (absolute for log2) of each function within the
 * documented range, from both sides. A program that needs more must refine, here as there.
 */
#include <math.h>
#include "harness.h"
#include "model/gpu/gpu_sfu.h"

static float sfu(unsigned waddr, float x)
{
    union gpu_vec in, out;

    gpu_vec_splat(&in, util_fui(x));
    gpu_sfu(waddr, &in, &out);
    return out.f[5];
}

struct worst {
    double error, at;
};

static struct worst worst_error(unsigned waddr, double (*exact)(double), double from, double to, bool relative)
{
    struct worst worst = {0, 0};

    for (unsigned n = 0; n < 100000; n++) {
        float x = (float)(from + (to - from) * n / 100000);
        double want = exact(x), error = fabs(sfu(waddr, x) - want) / (relative ? fabs(want) : 1);
        if (error > worst.error)
            worst = (struct worst){error, x};
    }
    return worst;
}

static void within(struct worst worst, double good_bits_min, double good_bits_max)
{
    double bits = -log2(worst.error);

    if (bits < good_bits_min || bits > good_bits_max)
        fail_msg("%.2f good bits (worst at %g), not %g to %g", bits, worst.at, good_bits_min, good_bits_max);
}

static double exact_recip(double x)
{
    return 1 / x;
}

static double exact_rsqrt(double x)
{
    return 1 / sqrt(x);
}

static void recip(void **state)
{
    within(worst_error(QPU_W_SFU_RECIP, exact_recip, 1, 2, true), 10, 12.1);
    within(worst_error(QPU_W_SFU_RECIP, exact_recip, 1e-20, 1e20, true), 10, 12.1);
    assert_true(sfu(QPU_W_SFU_RECIP, 0.0f) == INFINITY);
    assert_true(sfu(QPU_W_SFU_RECIP, 1.0f) == 1.0f);
    assert_true(sfu(QPU_W_SFU_RECIP, -4.0f) == -0.25f);
    assert_true(sfu(QPU_W_SFU_RECIP, INFINITY) == 0.0f);
    assert_true(sfu(QPU_W_SFU_RECIP, 0x1.8p127f) == 0.0f); /* a denormal result */
}

static void rsqrt(void **state)
{
    within(worst_error(QPU_W_SFU_RSQRT, exact_rsqrt, 1, 4, true), 11, 12.1);
    within(worst_error(QPU_W_SFU_RSQRT, exact_rsqrt, 1e-3, 1, true), 11, 12.1);
    assert_true(sfu(QPU_W_SFU_RSQRT, 0.0f) == INFINITY);
    assert_true(sfu(QPU_W_SFU_RSQRT, -4.0f) == 0.5f); /* |x| */
    assert_true(sfu(QPU_W_SFU_RSQRT, INFINITY) == 0.0f);
    assert_true(sfu(QPU_W_SFU_RSQRT, 0.25f) == 2.0f);
}

static void exp_2(void **state)
{
    within(worst_error(QPU_W_SFU_EXP, exp2, -10, 10, true), 11, 12.1);
    assert_float_equal(sfu(QPU_W_SFU_EXP, 1.0f), 2.00006, 0.00001);
    assert_true(sfu(QPU_W_SFU_EXP, 1000.0f) == INFINITY);
    assert_true(sfu(QPU_W_SFU_EXP, -1e5f) == 0.0f);
    assert_true(sfu(QPU_W_SFU_EXP, 128.0f) == INFINITY);
    assert_true(isfinite(sfu(QPU_W_SFU_EXP, 127.9f)));
}

static void log_2(void **state)
{
    within(worst_error(QPU_W_SFU_LOG, log2, 0.001, 1000, false), 11, 12.6);
    within(worst_error(QPU_W_SFU_LOG, log2, 1, 2, false), 11, 12.6);
    assert_true(sfu(QPU_W_SFU_LOG, 1.0f) == 0.0f);
    assert_true(sfu(QPU_W_SFU_LOG, 0.0f) == -INFINITY);
    assert_true(sfu(QPU_W_SFU_LOG, -8.0f) == 3.0f); /* |x| */
    assert_float_equal(sfu(QPU_W_SFU_LOG, 0.5f), -0.99998, 0.00001);
}

/* Whole steps of the exponent come out exactly, so that W = 1 moves no vertex: the reciprocal and one step of Newton's
 * give 1. What does move them is that products are cut: 46/48 of 768 sixteenths falls one short (recorded jobs
 * texture_minify, texture_wrap). */
static void powers_of_two(void **state)
{
    for (int e = -120; e <= 120; e++) {
        assert_true(sfu(QPU_W_SFU_RECIP, ldexpf(1, e)) == ldexpf(1, -e));
        assert_true(sfu(QPU_W_SFU_RECIP, ldexpf(-1, e)) == ldexpf(-1, -e));
    }
    for (int e = -120; e <= 120; e += 2)
        assert_true(sfu(QPU_W_SFU_RSQRT, ldexpf(1, e)) == ldexpf(1, -e / 2));

    struct gpu_fp_mode mode = gpu_fp_enter();
    union gpu_vec a, b, product;
    gpu_vec_splat(&a, util_fui(46.0f / 48.0f));
    gpu_vec_splat(&b, util_fui(768.0f));
    gpu_mul_fn(QPU_M_FMUL)(&a, &b, &product);
    gpu_fp_leave(mode);
    assert_true(product.f[0] < 736.0f && (int)product.f[0] == 735);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recip), cmocka_unit_test(rsqrt),         cmocka_unit_test(exp_2),
        cmocka_unit_test(log_2), cmocka_unit_test(powers_of_two),
    };
    return cmocka_run_group_tests_name("gpu_qpu_sfu", tests, NULL, NULL);
}
