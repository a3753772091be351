/* SPDX-License-Identifier: MIT
 *
 * Compute shaders with operations on 64-bit integers, on the model's CPU engine: random and special operands, and the
 * host's results.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "harness.h"

enum { GROUPS = 60, N = 16 * GROUPS };

static uint64_t random_number(uint64_t *state)
{
    static const uint64_t special[] = {
        0, 1, 2, 7, 10, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x100000001, 0x7fffffff00000000, INT64_MAX,
        UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX << 32, 0x8000008000000000, 0x8000018000000000,
    };
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t x = *state ^ *state >> 31;
    switch (*state >> 61) {
    case 0:
    case 1:
        return special[(*state >> 40) % ARRAY_SIZE(special)];
    case 2:
        return x >> (*state >> 40 & 63);
    case 3:
        return 0 - (x >> (*state >> 40 & 63));
    default:
        return x;
    }
}

static void compare(const char *what, uint64_t a, uint64_t b, const uint64_t *got, const uint64_t *wanted,
                    uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (got[k] != wanted[k])
            fail_msg("%s, 0x%" PRIx64 ", 0x%" PRIx64 ", result %u: 0x%" PRIx64 ", wanted 0x%" PRIx64, what, a, b, k,
                     got[k], wanted[k]);
}

/* ---------------------------------------------------------------- the host's arithmetic */

static uint64_t size_of(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* Of magnitudes, because INT64_MIN / -1 overflows. */
static int64_t quotient(int64_t a, int64_t b)
{
    const uint64_t q = size_of(a) / size_of(b);
    return (int64_t)((a < 0) != (b < 0) ? 0 - q : q);
}

static int64_t remainder_like_dividend(int64_t a, int64_t b)
{
    const uint64_t r = size_of(a) % size_of(b);
    return (int64_t)(a < 0 ? 0 - r : r);
}

static int64_t remainder_like_divisor(int64_t a, int64_t b)
{
    const int64_t r = remainder_like_dividend(a, b);
    return r && (r < 0) != (b < 0) ? r + b : r;
}

static int64_t shifted(int64_t x, uint32_t n)
{
    return x < 0 ? ~(~x >> n) : x >> n;
}

static uint64_t high_product(uint64_t x, uint64_t y)
{
    const uint64_t xl = (uint32_t)x, xh = x >> 32, yl = (uint32_t)y, yh = y >> 32;
    const uint64_t middle = xh * yl + (xl * yl >> 32), other = xl * yh + (uint32_t)middle;
    return xh * yh + (middle >> 32) + (other >> 32);
}

static uint32_t bits_of(float f)
{
    return util_fui(f);
}

/* ---------------------------------------------------------------- what GLSL says */

struct operands {
    uint64_t a, b;
    float f;
    uint32_t n;
};

enum { RESULTS = 36 };

static void expect_glsl(const struct operands *x, uint64_t together, uint64_t out[RESULTS])
{
    const uint64_t a = x->a, b = x->b, sum = a + b, top = MAX2(b, 1000);
    const int64_t sa = (int64_t)a, sb = (int64_t)b, high = MAX2(sb, -1000);
    const uint32_t n = x->n & 63;
    const uint64_t results[RESULTS] = {
        sum, a - b, a * b, a / b, a % b, (uint64_t)quotient(sa, sb), (uint64_t)remainder_like_divisor(sa, sb), 0 - a,
        a & b, a | b, a ^ b, ~a, a << n, a >> n, (uint64_t)shifted(sa, n), b << (a & 63), size_of(sa),
        sa < 0 ? UINT64_MAX : sa > 0, MIN2(a, b), MAX2(a, b), (uint64_t)MIN2(sa, sb), (uint64_t)MAX2(sa, sb),
        MIN2(MAX2(a, 1000), top), (uint64_t)MIN2(MAX2(sa, -1000), high), (uint64_t)x->f, 0 - (uint64_t)x->f,
        bits_of((float)a) | (uint64_t)bits_of((float)sa) << 32, (uint64_t)(int64_t)(int32_t)a + (uint32_t)b,
        (uint64_t)(int64_t)(int32_t)a ^ (a < b) ^ (uint64_t)(sa < sb) << 1 ^ (uint64_t)(a >= b) << 2,
        (a / b) ^ (b / (a | 1)), sum / 10, (uint64_t)remainder_like_divisor(sa, -10),
        (uint64_t)remainder_like_divisor(sb, 1000003), a * a, b * 0x100000001b3, together + b,
    };
    memcpy(out, results, sizeof results);
}

static void operations_of_glsl(void **state)
{
    struct harness *h = *state;
    struct operands *in = harness_alloc(h, N * sizeof *in);
    uint64_t (*out)[RESULTS] = harness_alloc(h, N * sizeof *out), wanted[RESULTS], seed = 1;
    for (uint32_t i = 0; i < N; i++) {
        in[i].a = random_number(&seed);
        in[i].b = random_number(&seed);
        in[i].b += !in[i].b;
        in[i].f = ldexpf((float)(random_number(&seed) >> 40) + 1, (int)(i % 64) - 25); /* below 2^63 */
        in[i].n = (uint32_t)random_number(&seed);
    }
    harness_bind(h, 0, 0, in, N * sizeof *in);
    harness_bind(h, 1, 0, out, N * sizeof *out);
    harness_dispatch(h, "int64", NULL, 0, GROUPS, 1, 1);
    for (uint32_t i = 0; i < N; i++) {
        expect_glsl(&in[i], in[i ^ 15].a, wanted);
        compare("GLSL", in[i].a, in[i].b, out[i], wanted, RESULTS);
    }
}

/* ---------------------------------------------------------------- the rest of SPIR-V */

struct more_operands {
    uint64_t a, b;
    uint16_t by16, x16;
    uint8_t by8, x8;
    uint16_t half;
    uint64_t key;
};

enum { MORE_RESULTS = 40 };

/* The bits of the 32-bit float of the nearest half; x is a whole number. */
static uint64_t through_half(int64_t x)
{
    const uint64_t size = size_of(x), large = 65520;
    int e;
    frexp((double)MIN2(size, large), &e);
    const double unit = e > 11 ? ldexp(1, e - 11) : 1, rounded = nearbyint((double)size / unit) * unit;
    const float f = size >= large ? INFINITY : (float)rounded;
    return bits_of(x < 0 ? -f : f);
}

static uint64_t swapped(uint64_t x)
{
    return x << 48 | (x << 16 & 0xffff00000000) | (x >> 16 & 0xffff0000) | x >> 48;
}

static void expect_more(const struct more_operands *x, uint64_t out[MORE_RESULTS])
{
    const uint64_t a = x->a, b = x->b, high = high_product(a, b);
    const int64_t sa = (int64_t)a, sb = (int64_t)b;
    const uint32_t n = b & 7, low = (uint32_t)a;
    const uint64_t key_a = UINT64_C(1) << 32 | 2, key_b = UINT64_C(2) << 32 | 1;
    const uint32_t at = a & 7, field = (1u << n) - 1, sign = field & ~(field >> 1);
    const uint32_t half = (uint32_t)through_half((int64_t)MIN2(a, (uint64_t)INT64_MAX));
    const uint64_t results[MORE_RESULTS] = {
        (uint64_t)remainder_like_dividend(sa, sb), (uint64_t)remainder_like_divisor(sa, sb), a + b, a + b < a, a - b,
        a < b, a * b, high, a * b, high - (sa < 0 ? b : 0) - (sb < 0 ? a : 0), a << x->by8,
        (uint64_t)shifted(sa, x->by16), low << n, low >> n, (uint32_t)shifted((int32_t)low, n),
        (uint16_t)(x->x16 << n), x->x16 >> n, (uint16_t)shifted((int16_t)x->x16, n), (uint8_t)(x->x8 << n), x->x8 >> n,
        (uint8_t)shifted((int8_t)x->x8, n), x->x16, (uint64_t)(int16_t)x->x16, x->x8, (uint64_t)(int8_t)x->x8,
        (uint8_t)a, (uint64_t)(int16_t)a, swapped(a), a << 32 | a >> 32,
        half, through_half(shifted(sa, 40)),
        (uint64_t)(x->half & 0x8000 ? -24 : 24), x->half & 0x8000 ? 0 : 24,
        (uint64_t)remainder_like_dividend(sa, (int64_t)(0 - b)),
        (uint64_t)remainder_like_dividend(sb, (int64_t)(a | 1)), a < 0 - b ? a : 0 - b,
        low >> at & field, low >> at & field & sign ? low >> at | ~field : low >> at & field,
        (half & ~(field << at)) | (low & field) << at, x->key == key_a ? a : x->key == key_b ? b : x->key,
    };
    memcpy(out, results, sizeof results);
}

static void operations_of_spirv(void **state)
{
    static const uint64_t keys[] = {0x100000002, 0x200000001, 0x200000002, 0x100000001, 2, 1, UINT64_MAX};
    struct harness *h = *state;
    struct more_operands *in = harness_alloc(h, N * sizeof *in);
    uint64_t (*out)[MORE_RESULTS] = harness_alloc(h, N * sizeof *out), wanted[MORE_RESULTS], seed = 3;
    for (uint32_t i = 0; i < N; i++) {
        const uint64_t x = random_number(&seed);
        in[i] = (struct more_operands){random_number(&seed), random_number(&seed), i % 64, (uint16_t)x, 63 - i % 64,
                                       (uint8_t)(x >> 16), i & 1 ? 0xce20 : 0x4e20, keys[i % ARRAY_SIZE(keys)]};
        in[i].b += !in[i].b;
    }
    harness_bind(h, 0, 0, in, N * sizeof *in);
    harness_bind(h, 1, 0, out, N * sizeof *out);
    harness_dispatch(h, "int64_more", NULL, 0, GROUPS, 1, 1);
    for (uint32_t i = 0; i < N; i++) {
        expect_more(&in[i], wanted);
        if (in[i].half & 0x8000)
            out[i][32] = 0; /* a negative number as an unsigned one */
        compare("SPIR-V", in[i].a, in[i].b, out[i], wanted, MORE_RESULTS);
    }
}

/* ---------------------------------------------------------------- subgroups */

enum { LANES = 40, ROWS = 13, STRIDE = 48 };

static void expect_subgroup(const uint64_t in[LANES], uint32_t i, uint64_t out[ROWS])
{
    const uint32_t base = i & ~15u;
    uint64_t sum = 0, before = 0, before_inverse = 0, product = 1, low = in[base], highest = 0, parity = 0;
    uint64_t all = UINT64_MAX, any = 0, equal = 1;
    int64_t slow = INT64_MAX, shigh = INT64_MIN;
    for (uint32_t k = base; k < base + 16 && k < LANES; k++) {
        sum += in[k];
        before += k < i ? in[k] : 0;
        before_inverse += k < i ? ~in[k] : 0;
        product *= k <= i ? in[k] | 1 : 1;
        low = MIN2(low, in[k]);
        slow = MIN2(slow, (int64_t)in[k]);
        highest = k / 4 == i / 4 ? MAX2(highest, in[k]) : highest;
        shigh = MAX2(shigh, (int64_t)in[k]);
        parity ^= k <= i ? in[k] : 0;
        all &= in[k] | 0xff00000000000000;
        any |= in[k] & 0xff00000000000001;
        equal &= in[k] == in[base];
    }
    const uint64_t results[ROWS] = {sum, before, before_inverse, product, low, (uint64_t)slow, highest,
                                    (uint64_t)shigh, in[i ^ 1], equal + 2, parity, all, any};
    memcpy(out, results, sizeof results);
}

static void operations_over_subgroups(void **state)
{
    struct harness *h = *state;
    uint64_t (*out)[STRIDE] = harness_alloc(h, ROWS * sizeof *out), *in = harness_alloc(h, LANES * sizeof *in);
    uint64_t seed = 5, wanted[ROWS];
    for (uint32_t i = 0; i < LANES; i++) /* all values are equal only in the second subgroup */
        in[i] = i / 16 == 1 ? 0x8000000000000001 : random_number(&seed) ^ i;
    in[35] = in[32] ^ UINT64_C(1) << 63; /* differs in the upper word only */
    harness_bind(h, 0, 0, out, ROWS * sizeof *out);
    harness_bind(h, 1, 0, in, LANES * sizeof *in);
    harness_dispatch(h, "subgroup_int64", NULL, 0, 1, 1, 1);
    for (uint32_t i = 0; i < LANES; i++) {
        expect_subgroup(in, i, wanted);
        for (uint32_t row = 0; row < ROWS; row++)
            if (out[row][i] != wanted[row])
                fail_msg("row %u, invocation %u: 0x%" PRIx64 ", expected 0x%" PRIx64, row, i, out[row][i], wanted[row]);
    }
}

/* ---------------------------------------------------------------- atomics */

enum { ATOMIC_GROUPS = 7, INVOCATIONS = 40 * ATOMIC_GROUPS };

struct all {
    uint64_t sum, top, bits;
    int64_t least, greatest;
    uint64_t tickets, seldom, pairs[3];
};

struct own {
    uint64_t x;
    int64_t s;
    uint64_t old[10];
};

static uint64_t operand_of(uint32_t i)
{
    return (i + UINT64_C(1)) * 0x9e3779b97f4a7c15;
}

static struct all expect_all(void)
{
    struct all all = {.least = INT64_MAX, .greatest = INT64_MIN, .tickets = (uint64_t)INVOCATIONS << 31};
    for (uint32_t i = 0; i < INVOCATIONS; i++) {
        const uint64_t a = operand_of(i);
        all.sum += a;
        all.top = MAX2(all.top, a);
        all.bits ^= a;
        all.least = MIN2(all.least, (int64_t)a);
        all.greatest = MAX2(all.greatest, (int64_t)a);
        all.seldom += i % 3 == 1 ? 0xffffffff : 0;
        all.pairs[i % 3] += a;
    }
    return all;
}

static struct own expect_own(uint32_t i, uint64_t x, int64_t s, uint64_t ticket)
{
    const uint64_t a = operand_of(i), swapped = i & 1 ? a : a ^ 5, even = swapped & ~UINT64_C(1);
    const uint64_t large = even | UINT64_C(1) << 63, limit = 0x8100000000000000, last = MIN2(large, limit);
    const int64_t low = MIN2(s, (int64_t)a);
    uint64_t shared = 3;
    for (uint32_t k = i / 40 * 40; k < i / 40 * 40 + 40; k++)
        shared += (k & 1) == (i & 1) ? operand_of(k) : 0;
    return (struct own){
        last, MAX2(low, -1), {ticket, x, a, swapped, even, large, (uint64_t)s, (uint64_t)low, last, shared}};
}

static void check_tickets(const struct own *own)
{
    bool has[INVOCATIONS] = {false};
    for (uint32_t i = 0; i < INVOCATIONS; i++) {
        const uint64_t number = own[i].old[0] >> 31;
        assert_true(number < INVOCATIONS && !has[number] && own[i].old[0] == number << 31);
        has[number] = true;
    }
}

static void atomic_operations(void **state)
{
    struct harness *h = *state;
    struct all *all = harness_alloc(h, sizeof *all);
    struct own *own = harness_alloc(h, INVOCATIONS * sizeof *own), before[INVOCATIONS];
    uint64_t seed = 9;
    *all = (struct all){.least = INT64_MAX, .greatest = INT64_MIN};
    for (uint32_t i = 0; i < INVOCATIONS; i++) {
        own[i].x = random_number(&seed);
        own[i].s = (int64_t)random_number(&seed);
    }
    memcpy(before, own, sizeof before);
    harness_bind(h, 0, 0, all, sizeof *all);
    harness_bind(h, 1, 0, own, INVOCATIONS * sizeof *own);
    harness_dispatch(h, "atomics_int64", NULL, 0, ATOMIC_GROUPS, 1, 1);
    const struct all wanted = expect_all();
    compare("all", 0, 0, (const uint64_t *)all, (const uint64_t *)&wanted, sizeof wanted / 8);
    check_tickets(own);
    for (uint32_t i = 0; i < INVOCATIONS; i++) {
        const struct own one = expect_own(i, before[i].x, before[i].s, own[i].old[0]);
        compare("own", i, before[i].x, (const uint64_t *)&own[i], (const uint64_t *)&one, sizeof one / 8);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, harness_setup, harness_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {TEST(operations_of_glsl), TEST(operations_of_spirv),
                                       TEST(operations_over_subgroups), TEST(atomic_operations)};
    harness_args = argv;
    harness_arg_count = argc;
    return cmocka_run_group_tests_name("compiler_engine_int64", tests, NULL, NULL);
}
