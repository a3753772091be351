/* SPDX-License-Identifier: MIT
 *
 * The SFU model is about as accurate as the chip: tests and measurements that hold on silicon hold here, too. With
 * VC4VK_DEBUG=worst-sfu its error is as large as the chip's notes allow, so that tests of programs that refine its
 * results cover the worst case. gpu_sfu_tables.c names the sources.
 */
#include <math.h>
#include "harness.h"
#include "model/gpu/gpu_sfu.h"
#include "util/debug.h"

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

/* Checks the range of the worst error: `best` to `most`, as measured, or with worst-sfu the numbers of good bits. */
static void check_worst_error(struct worst worst, double best, double most, double good_bits_min, double good_bits_max)
{
    if (util_debug(UTIL_DEBUG_WORST_SFU)) {
        best = exp2(-good_bits_max);
        most = exp2(-good_bits_min);
    }
    if (worst.error < best || worst.error > most)
        fail_msg("the worst error is %g (at %g), expected %g to %g", worst.error, worst.at, best, most);
}

static double exact_recip(double x)
{
    return 1 / x;
}

static double exact_rsqrt(double x)
{
    return 1 / sqrt(fabs(x));
}

static double exact_log2(double x)
{
    return log2(fabs(x));
}

static void recip(void **state)
{
    check_worst_error(worst_error(QPU_W_SFU_RECIP, exact_recip, 1, 2, true), 4.57e-5, 1e-4, 10, 12.1);
    check_worst_error(worst_error(QPU_W_SFU_RECIP, exact_recip, 1e-20, 1e20, true), 4.57e-5, 1e-4, 10, 12.1);
    assert_true(sfu(QPU_W_SFU_RECIP, 0.0f) == INFINITY);
    assert_true(sfu(QPU_W_SFU_RECIP, 1.0f) == 1.0f);
    assert_true(sfu(QPU_W_SFU_RECIP, -4.0f) == -0.25f);
    assert_true(sfu(QPU_W_SFU_RECIP, INFINITY) == 0.0f);
    assert_true(sfu(QPU_W_SFU_RECIP, 0x1.8p127f) == 0.0f); /* a denormal result */
}

static void rsqrt(void **state)
{
    check_worst_error(worst_error(QPU_W_SFU_RSQRT, exact_rsqrt, 1, 4, true), 4.57e-5, 1e-4, 11, 12.1);
    check_worst_error(worst_error(QPU_W_SFU_RSQRT, exact_rsqrt, 1e-3, 1, true), 4.57e-5, 1e-4, 11, 12.1);
    assert_true(sfu(QPU_W_SFU_RSQRT, 0.0f) == INFINITY);
    assert_true(sfu(QPU_W_SFU_RSQRT, -4.0f) == 0.5f); /* |x| */
    assert_true(sfu(QPU_W_SFU_RSQRT, INFINITY) == 0.0f);
    assert_true(sfu(QPU_W_SFU_RSQRT, 0.25f) == 2.0f);
}

static void exp_2(void **state)
{
    check_worst_error(worst_error(QPU_W_SFU_EXP, exp2, -10, 10, true), 3.5e-5, 1e-4, 11, 12.1);
    assert_float_equal(sfu(QPU_W_SFU_EXP, 1.0f), 2.00006, 0.00001);
    assert_true(sfu(QPU_W_SFU_EXP, 1000.0f) == INFINITY);
    assert_true(sfu(QPU_W_SFU_EXP, -1e5f) == 0.0f);
    assert_true(sfu(QPU_W_SFU_EXP, 128.0f) == INFINITY);
    assert_true(isfinite(sfu(QPU_W_SFU_EXP, 127.9f)));
}

static void log_2(void **state)
{
    check_worst_error(worst_error(QPU_W_SFU_LOG, log2, 0.001, 1000, false), 6.8e-5, 1e-4, 11, 12.6);
    check_worst_error(worst_error(QPU_W_SFU_LOG, log2, 1, 2, false), 6.8e-5, 1e-4, 11, 12.6);
    assert_true(sfu(QPU_W_SFU_LOG, 1.0f) == 0.0f);
    assert_true(sfu(QPU_W_SFU_LOG, 0.0f) == -INFINITY);
    assert_true(sfu(QPU_W_SFU_LOG, -8.0f) == 3.0f); /* |x| */
    assert_float_equal(sfu(QPU_W_SFU_LOG, 0.5f), -0.99998, 0.00001);
}

/* The checks of py-videocore's tests, which the chip passes: numbers between 0 and 1, and between -1 and 0 for the root
 * and the logarithm, which use the magnitude. numpy.allclose(want, got, rtol) allows rtol * |got| + 1e-8. Logarithms
 * close to 0 have no significant digits, so the numbers go up to 0.995 only. */
static void py_videocore(void **state)
{
    static const struct {
        const char *name;
        unsigned waddr;
        double (*exact)(double);
        double from, to, tolerance;
    } rows[] = {
        {"test_sfu: recip", QPU_W_SFU_RECIP, exact_recip, 1e-6, 1, 1e-4},
        {"test_sfu: recipsqrt", QPU_W_SFU_RSQRT, exact_rsqrt, 1e-6, 1, 1e-4},
        {"test_sfu: exp2", QPU_W_SFU_EXP, exp2, 0, 1, 1e-4},
        {"test_sfu: log2", QPU_W_SFU_LOG, exact_log2, 1e-6, 0.995, 1e-2},
        {"test_sqrt_of_negative", QPU_W_SFU_RSQRT, exact_rsqrt, -1, -1e-6, 1e-4},
        {"test_log_of_negative", QPU_W_SFU_LOG, exact_log2, -0.995, -1e-6, 1e-2},
    };

    for (unsigned r = 0; r < ARRAY_SIZE(rows); r++)
        for (unsigned n = 0; n < 1000000; n++) {
            float x = (float)(rows[r].from + (rows[r].to - rows[r].from) * n / 1000000);
            double want = rows[r].exact(x), got = sfu(rows[r].waddr, x);
            if (fabs(want - got) > rows[r].tolerance * fabs(got) + 1e-8)
                fail_msg("%s: %.9g of %.9g, not %.9g", rows[r].name, got, x, want);
        }
}

/* Values measured on a Raspberry Pi [VC4C, accuracy.txt], to seven digits. The chip's tables are unknown. The chip and
 * the model are both within 1e-4 of the exact function, so they differ by at most 2e-4. */
static void measured_values(void **state)
{
    static const float x[] = {0,     1,    2,    3.141593f, 2.718282f, 100, 1e3f,  1e5f,
                              0.5f, 0.25f, 0.125f, -1,       -2,        -0.5f, -1e5f, -3.141593f};
    static const double exponential[] = {1.000031, 2.000061, 4.000122, 8.825195,  6.581055,  1.267689e30, INFINITY, INFINITY,
                                         1.414246, 1.189240, 1.090546, 0.4999847, 0.2499924, 0.7071075,   0,        0.1133175};
    static const double logarithm[] = {-INFINITY,  0,         1,         1.651428, 1.442627, 6.643829,   9.965729,    16.60959,
                                       -0.9999847, -1.999985, -2.999985, 0,        1,        -0.9999847, 16.60959, 1.651428};

    for (unsigned n = 0; n < ARRAY_SIZE(x); n++) {
        double e = sfu(QPU_W_SFU_EXP, x[n]), l = sfu(QPU_W_SFU_LOG, x[n]);
        if (!(e == exponential[n] || fabs(e - exponential[n]) <= 2e-4 * exponential[n]))
            fail_msg("2^%g is %.9g, on the chip %.9g", (double)x[n], e, exponential[n]);
        if (!(l == logarithm[n] || fabs(l - logarithm[n]) <= 2e-4))
            fail_msg("log2 of %g is %.9g, on the chip %.9g", (double)x[n], l, logarithm[n]);
    }
}

/* Powers of two give exact results, so that W = 1 does not move a vertex: the reciprocal and one Newton step give 1.
 * Truncated products do move vertices: 46/48 of 768 sixteenths is one too small (recorded jobs texture_minify,
 * texture_wrap). */
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
        cmocka_unit_test(recip),         cmocka_unit_test(rsqrt),        cmocka_unit_test(exp_2),
        cmocka_unit_test(log_2),         cmocka_unit_test(powers_of_two), /* the next two: the chip's accuracy */
        cmocka_unit_test(py_videocore), cmocka_unit_test(measured_values),
    };
    const size_t count = ARRAY_SIZE(tests) - (util_debug(UTIL_DEBUG_WORST_SFU) ? 2 : 0);

    return _cmocka_run_group_tests("gpu_qpu_sfu", tests, count, NULL, NULL);
}
