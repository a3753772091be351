/* SPDX-License-Identifier: MIT
 *
 * Arithmetic on numbers of 8 and 16 bits on the model's CPU engine: every operation, compared with the host's on
 * numbers at the ends of the ranges and on random ones.
 */
#include <math.h>
#include "harness.h"

static uint32_t random_word(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state ^ *state >> 15;
}

enum { GROUP = 64 };

static double value(uint16_t h)
{
    const int exponent = h >> 10 & 31, sign = h & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return h & 0x3ff ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1024 + (h & 0x3ff), exponent - 25) : ldexp(h & 0x3ff, -24));
}

#define LEAST_NORMAL 0x1p-14

/* Denormals are flushed by arithmetic. */
static double flushed(double x)
{
    return fabs(x) < LEAST_NORMAL ? 0 : x;
}

static double in_11_bits(double x)
{
    int exponent;
    const double m = frexp(x, &exponent);
    return isfinite(x) ? ldexp(nearbyint(ldexp(m, 11)), exponent - 11) : x;
}

/* Rounds to nearest even. */
static uint16_t half(double x)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x))
        return 0x7e00;
    x = fabs(x);
    if (x >= 65520)
        return sign | 0x7c00;
    if (x == 0)
        return sign;
    int exponent;
    frexp(x, &exponent);
    exponent = exponent < -13 ? -13 : exponent; /* denormals have the step of the least normal half */
    const double steps = nearbyint(ldexp(x, 11 - exponent));
    return (uint16_t)(sign | (uint16_t)(steps + 1024 * (exponent + 13)));
}

/* ---------------------------------------------------------------- integers */

enum { INT_ROWS = 40, INT_GROUPS = 40, INTS = GROUP * INT_GROUPS };

struct int_type {
    const char *shader;
    uint32_t bits;
    bool is_signed;
};

/* The number that the low bits are. */
static int32_t cut(const struct int_type *t, int32_t x)
{
    const uint32_t up = 32 - t->bits;
    return t->is_signed ? (int32_t)((uint32_t)x << up) >> up : (int32_t)((uint32_t)x << up >> up);
}

static int32_t quotient(const struct int_type *t, int32_t x, int32_t y)
{
    return cut(t, x / y);
}

static int32_t looped(const struct int_type *t, int32_t x)
{
    for (int32_t k = 0; k < 5; k++)
        x = cut(t, x * 3 + k);
    return x;
}

static int32_t from_list(const struct int_type *t, int32_t x, int32_t y, int32_t sum, uint32_t n)
{
    int32_t list[5] = {x, y, sum, 1, 2};
    list[n % 5] = cut(t, list[n % 5] + 100);
    return cut(t, list[0] + list[1] + list[2]);
}

static int32_t within(int32_t x, int32_t low, int32_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* The rows that have both kinds of results. `other`: the sum of the invocation on the other side of the workgroup. */
static void expect_ints(const struct int_type *t, int32_t x, int32_t y, int32_t other, int32_t r[INT_ROWS])
{
    const int32_t y1 = y ? y : 1, sum = cut(t, x + y), n = y & 7;
    const int32_t low = x < y ? x : y, high = x < y ? y : x;
    memset(r, 0, 4 * INT_ROWS);
    r[0] = sum;
    r[1] = cut(t, x - y);
    r[2] = cut(t, (int32_t)((uint32_t)x * (uint32_t)y));
    r[3] = quotient(t, x, y1);
    r[4] = t->is_signed ? (x & 127) % ((y1 & 63) + 1) : x % y1;
    r[5] = cut(t, -x);
    r[6] = cut(t, ~x);
    r[7] = cut(t, x & y);
    r[8] = cut(t, x | y);
    r[9] = cut(t, x ^ y);
    r[10] = cut(t, (int32_t)((uint32_t)sum << n));
    r[11] = sum >> n;
    r[12] = sum < x;
    r[13] = sum > y;
    r[14] = sum <= x;
    r[15] = sum >= y;
    r[16] = sum == cut(t, x - 3);
    r[17] = sum != y;
    r[18] = sum < x ? sum : x;
    r[19] = sum > x ? sum : x;
    r[20] = within(sum, low, high);
    if (t->is_signed) {
        r[21] = cut(t, abs(sum));
        r[22] = (sum > 0) - (sum < 0);
    }
    r[23] = sum;
    r[24] = (int32_t)value(half(sum / 16));
    r[25] = (int8_t)sum;
    r[26] = (uint8_t)sum;
    r[27] = (int16_t)sum;
    r[28] = (uint16_t)sum;
    r[29] = x / 2;
    r[30] = other;
    r[31] = sum == x ? 7 : cut(t, sum - x);
    r[32] = from_list(t, x, y, sum, (uint32_t)n);
    r[33] = looped(t, x);
    r[34] = x > y ? sum : x;
    r[35] = 1;
    r[36] = cut(t, y - x);
    r[37] = cut(t, sum + x);
    r[38] = (sum & 3) == 2;
    r[39] = quotient(t, cut(t, x - y), y1);
}

static int32_t operand(const struct int_type *t, uint32_t i, uint32_t *seed)
{
    const int32_t top = (int32_t)(1u << (t->bits - 1));
    const int32_t ends[] = {0, 1, 2, 3, -1, -2, top, top - 1, top + 1, 100, -100, 7};
    return cut(t, i < ARRAY_SIZE(ends) ? ends[i] : (int32_t)random_word(seed));
}

static void put(const struct int_type *t, void *list, uint32_t i, int32_t x)
{
    if (t->bits == 8)
        ((uint8_t *)list)[i] = (uint8_t)x;
    else
        ((uint16_t *)list)[i] = (uint16_t)x;
}

static void integers_of(struct harness *h, const struct int_type *t)
{
    enum { ENDS = 12 };
    const uint32_t size_B = INTS * t->bits / 8;
    void *x_list = harness_alloc(h, size_B), *y_list = harness_alloc(h, size_B);
    int32_t(*out)[INT_ROWS] = harness_alloc(h, INTS * 4 * INT_ROWS), *x = calloc(INTS, 4), *y = calloc(INTS, 4);
    uint32_t seed = t->bits + t->is_signed;
    for (uint32_t i = 0; i < INTS; i++) {
        x[i] = operand(t, i < ENDS * ENDS ? i % ENDS : i, &seed);
        y[i] = operand(t, i < ENDS * ENDS ? i / ENDS : i, &seed);
        if (t->is_signed && x[i] == -(1 << (t->bits - 1)) && y[i] == -1)
            x[i] = 5; /* a quotient that does not fit */
        put(t, x_list, i, x[i]);
        put(t, y_list, i, y[i]);
    }
    harness_bind(h, 0, 0, x_list, size_B);
    harness_bind(h, 1, 0, y_list, size_B);
    harness_bind(h, 2, 0, out, INTS * 4 * INT_ROWS);
    harness_dispatch(h, t->shader, NULL, 0, INT_GROUPS, 1, 1);
    for (uint32_t i = 0; i < INTS; i++) {
        const uint32_t opposite = i - i % GROUP + GROUP - 1 - i % GROUP;
        int32_t want[INT_ROWS];
        expect_ints(t, x[i], y[i], cut(t, x[opposite] + y[opposite]), want);
        for (uint32_t r = 0; r < INT_ROWS; r++)
            if (out[i][r] != want[r])
                fail_msg("%s, row %u of %d and %d: %d instead of %d", t->shader, r, x[i], y[i], out[i][r], want[r]);
    }
    free(x);
    free(y);
}

static void integers(void **state)
{
    static const struct int_type types[] = {
        {"small_int8", 8, true}, {"small_uint8", 8, false}, {"small_int16", 16, true}, {"small_uint16", 16, false}};
    for (uint32_t i = 0; i < ARRAY_SIZE(types); i++)
        integers_of(*state, &types[i]);
}

/* ---------------------------------------------------------------- halves */

enum { HALF_ROWS = 32, HALF_GROUPS = 48, HALVES = GROUP * HALF_GROUPS };

/* Steps between halves by which a result may be off. */
static const uint8_t tolerance[HALF_ROWS] = {[5] = 1, [21] = 1, [22] = 1, [28] = 1, [29] = 1};

static bool preserves; /* a mode asks for all denormals */

/* Rows that keep denormals: negation, absolute value, conversion, minimum, maximum, selection. */
static bool keeps_denormals(uint32_t row)
{
    return preserves || (row >= 3 && row <= 5) || row == 18 || row == 19 || row == 30;
}

/* NAN: not looked at. Functions that look at the bits of their operand may keep denormals or not. */
static void expect_arithmetic(double x, double y, double r[HALF_ROWS])
{
    if (!isnan(x) && !isnan(y)) {
        r[0] = x + y;
        r[1] = x - y;
        r[2] = x * y;
        r[22] = sqrt(fabs(x));
    }
    if (isfinite(x)) {
        r[14] = floor(x);
        r[15] = ceil(x);
        r[16] = trunc(x);
        r[17] = nearbyint(x);
        r[20] = (x > 0) - (x < 0);
        r[31] = x - floor(x);
    }
    if (isfinite(x) && isfinite(y)) {
        r[21] = y != 0 ? x / y : (double)NAN;
        r[28] = y * 0.5 + x * 0.25;
        r[29] = x * 0.5 + y * 0.5 + 0.25;
    }
}

static void expect_halves(uint32_t i, uint16_t x_bits, uint16_t y_bits, double r[HALF_ROWS])
{
    const double x = value(x_bits), y = value(y_bits);
    for (uint32_t k = 0; k < HALF_ROWS; k++)
        r[k] = NAN;
    expect_arithmetic(preserves ? x : flushed(x), preserves ? y : flushed(y), r);
    if (!preserves && x != flushed(x))
        r[14] = r[15] = r[20] = r[31] = NAN;
    if (!isnan(x) && !isnan(y)) {
        r[18] = x < y ? x : y;
        r[19] = x > y ? x : y;
    }
    r[3] = -x;
    r[4] = fabs(x);
    r[5] = isfinite(x) ? x * (double)0.37f : (double)NAN;
    r[24] = (int32_t)(i * 1103515245u) >> (i & 31);
    r[25] = (i * 1103515245u) >> (i & 31);
    r[26] = (int16_t)(i * 40503u);
    r[27] = (uint8_t)(i * 177u);
    r[30] = x < y ? x : y;
}

/* Rows of truth values and of integers, -1: not looked at. */
static int32_t expect_word(uint32_t row, double x, double y)
{
    switch (row) {
    case 6:
        return x < y;
    case 7:
        return x <= y;
    case 8:
        return x > y;
    case 9:
        return x >= y;
    case 10:
        return x == y;
    case 11:
        return x != y;
    case 12:
        return isnan(x);
    case 13:
        return isinf(x) != 0;
    case 23:
        return isfinite(x) ? (uint16_t)(int32_t)x : -1;
    default:
        return -1;
    }
}

static bool is_word(uint32_t row)
{
    return (row >= 6 && row <= 13) || row == 23;
}

static bool is_close(uint32_t row, uint16_t got, double want_value)
{
    const uint16_t want = half(keeps_denormals(row) ? want_value : flushed(in_11_bits(want_value)));
    if (!(got & 0x7fff) && !(want & 0x7fff))
        return true; /* zeros of either sign */
    return (got & 0x8000) == (want & 0x8000) && abs((got & 0x7fff) - (want & 0x7fff)) <= tolerance[row];
}

static void compare_halves(struct harness *h, const char *shader)
{
    static const uint16_t ends[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x83ff, 0x3c00,
                                    0xbc00, 0x3c01, 0x3bff, 0x4248, 0x6800, 0x6801, 0xe7ff, 0x7bff,
                                    0xfbff, 0x7c00, 0xfc00, 0x7e01, 0xfd55, 0x2e66, 0x7b53, 0x1400};
    uint16_t *x = harness_alloc(h, 2 * HALVES), *y = harness_alloc(h, 2 * HALVES);
    uint16_t(*out)[HALF_ROWS] = harness_alloc(h, 2 * HALVES * HALF_ROWS);
    uint32_t seed = 1;
    for (uint32_t i = 0; i < HALVES; i++) {
        const bool is_pair = i < ARRAY_SIZE(ends) * ARRAY_SIZE(ends);
        x[i] = is_pair ? ends[i % ARRAY_SIZE(ends)] : (uint16_t)random_word(&seed);
        y[i] = is_pair ? ends[i / ARRAY_SIZE(ends)] : (uint16_t)random_word(&seed);
        if (!is_pair && i % 2) /* of about the same size */
            y[i] = (uint16_t)((y[i] & 0x83ff) | (x[i] & 0x7c00));
    }
    harness_bind(h, 0, 0, x, 2 * HALVES);
    harness_bind(h, 1, 0, y, 2 * HALVES);
    harness_bind(h, 2, 0, out, 2 * HALVES * HALF_ROWS);
    harness_dispatch(h, shader, NULL, 0, HALF_GROUPS, 1, 1);
    for (uint32_t i = 0; i < HALVES; i++) {
        double want[HALF_ROWS];
        expect_halves(i, x[i], y[i], want);
        for (uint32_t r = 0; r < HALF_ROWS; r++) {
            const int32_t word = expect_word(r, value(x[i]), value(y[i]));
            if (r < 2 && isnan(value(x[i]) + value(y[i])) && !isinf(value(x[i])))
                assert_true(isnan(value(out[i][r]))); /* sums know NaN, though not that of two infinities */
            if (is_word(r) ? word >= 0 && out[i][r] != word : !isnan(want[r]) && !is_close(r, out[i][r], want[r]))
                fail_msg("row %u of 0x%04x and 0x%04x: 0x%04x instead of 0x%04x", r, x[i], y[i], out[i][r],
                         is_word(r) ? (uint32_t)word : half(want[r]));
        }
    }
}

static void halves_equal_the_host(void **state)
{
    compare_halves(*state, "halves");
}

static void modes_preserve_denormal_halves(void **state)
{
    preserves = true;
    compare_halves(*state, "halves_preserved");
    preserves = false;
}

/* The infinities in the inverse of a singular matrix have the signs that IEEE 754 gives them. */
static void inverses_have_signs(void **state)
{
    enum { VALUES = 6, MATRICES = VALUES * VALUES * VALUES * VALUES, GROUPS = (MATRICES + GROUP - 1) / GROUP };
    static const double values[VALUES] = {0, -0.0, 2, -4, 5, -1};
    struct harness *h = *state;
    uint16_t(*in)[4] = harness_alloc(h, 8 * GROUP * GROUPS), (*out)[4] = harness_alloc(h, 8 * GROUP * GROUPS);
    double m[MATRICES][4];
    for (uint32_t i = 0; i < MATRICES; i++) {
        const uint32_t digits[4] = {i % VALUES, i / VALUES % VALUES, i / VALUES / VALUES % VALUES,
                                    i / VALUES / VALUES / VALUES};
        for (uint32_t k = 0; k < 4; k++) {
            m[i][k] = values[digits[k]];
            in[i][k] = half(m[i][k]);
        }
    }
    harness_bind(h, 0, 0, in, 8 * GROUP * GROUPS);
    harness_bind(h, 1, 0, out, 8 * GROUP * GROUPS);
    harness_dispatch(h, "half_inverse", NULL, 0, GROUPS, 1, 1);
    for (uint32_t i = 0; i < MATRICES; i++) {
        const double a = m[i][0], b = m[i][1], c = m[i][2], d = m[i][3], determinant = a * d - c * b;
        const double want[4] = {d / determinant, -b / determinant, -c / determinant, a / determinant};
        for (uint32_t k = 0; k < 4; k++) {
            const double got = value(out[i][k]);
            if (isinf(want[k]) ? got != want[k] : !isnan(want[k]) && !(fabs(got - want[k]) <= fabs(want[k]) / 1000))
                fail_msg("element %u of the inverse of %g %g, %g %g: %g instead of %g", k, a, b, c, d, got, want[k]);
        }
    }
}

/* ---------------------------------------------------------------- shared memory */

static void shared_memory_is_packed(void **state)
{
    enum { GROUPS = 3, BYTES = 20000, HALVES_SHARED = 3000, VECTORS = 200 };
    struct harness *h = *state;
    uint32_t(*sums)[4] = harness_alloc(h, 16 * GROUP * GROUPS);
    harness_bind(h, 0, 0, sums, 16 * GROUP * GROUPS);
    harness_dispatch(h, "shared_small", NULL, 0, GROUPS, 1, 1);
    assert_int_equal(h->program.shared_B, BYTES + 2 * HALVES_SHARED + 6 * VECTORS + 400);
    for (uint32_t k = 0; k < GROUP * GROUPS; k++) {
        const uint32_t group = k / GROUP, first = GROUP - 1 - k % GROUP;
        uint32_t want[4] = {1, 1, 1, 1};
        for (uint32_t i = first; i < BYTES; i += GROUP)
            want[1] += (uint8_t)(i * 7 + group);
        for (uint32_t i = first; i < HALVES_SHARED; i += GROUP)
            want[2] += i & 1023;
        for (uint32_t i = first; i < VECTORS; i += GROUP)
            want[3] += 4 * i + group;
        assert_memory_equal(sums[k], want, sizeof want);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(integers, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(halves_equal_the_host, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(modes_preserve_denormal_halves, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(inverses_have_signs, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(shared_memory_is_packed, harness_setup, harness_teardown),
    };
    harness_args = argv;
    harness_arg_count = argc;
    return cmocka_run_group_tests_name("compiler_engine_small", tests, NULL, NULL);
}
