/* SPDX-License-Identifier: MIT
 *
 * Subgroup operations in whole and partial subgroups, with all lanes active and with some lanes inactive.
 */
#include "harness.h"
#include "util/thread.h"

enum { N = 40, W = 48, ROWS = 17 };

static uint32_t values[N];

/* Whether invocation i exists; `odd`: and has an odd value. */
static bool runs(uint32_t i, bool odd)
{
    return i < N && (!odd || values[i] % 2);
}

static uint32_t first_of(uint32_t i, bool odd)
{
    uint32_t k = i & ~15u;
    while (!runs(k, odd))
        k++;
    return k;
}

static uint32_t sum_of(uint32_t i, uint32_t end, bool odd)
{
    uint32_t sum = 0;
    for (uint32_t k = i & ~15u; k < end; k++)
        sum += runs(k, odd) ? values[k] : 0;
    return sum;
}

static uint32_t mask_of(uint32_t i, uint32_t above, uint32_t end)
{
    uint32_t mask = 0;
    for (uint32_t k = i & ~15u; k < end && k < N; k++)
        mask |= (uint32_t)(values[k] > above) << (k & 15);
    return mask;
}

static void check_whole(uint32_t (*w)[W], uint32_t i)
{
    uint32_t base = i & ~15u, l = i & 15, max = 0, low = UINT32_MAX, all = 1, any = 0, equal = 1;
    for (uint32_t k = base; k < i; k++)
        max = values[k] > max ? values[k] : max;
    for (uint32_t k = i & ~3u; k < (i & ~3u) + 4 && k < N; k++)
        low = values[k] < low ? values[k] : low;
    for (uint32_t k = base; k < base + 16 && k < N; k++) {
        all &= values[k] < 200;
        any |= values[k] == 7;
        equal &= values[k] == values[base];
    }
    assert_int_equal(w[0][i], sum_of(i, base + 16, false));
    assert_int_equal(w[1][i], sum_of(i, i + 1, false));
    assert_int_equal(w[2][i], max);
    assert_int_equal(w[3][i], mask_of(i, 50, base + 16));
    assert_int_equal(w[4][i], l == 0);
    assert_int_equal(w[5][i], values[base + 5] + values[base] * 1000);
    assert_int_equal(w[6][i], values[base + ((l * 3) & 7)]);
    if (l && base + (l ^ 5) < N)
        assert_int_equal(w[7][i], values[base + (l ^ 5)] + values[i - 1] * 1000);
    assert_int_equal(w[8][i], values[i ^ 3] + values[(i & ~3u) + 2] * 1000);
    assert_int_equal(w[9][i], low);
    assert_int_equal(w[10][i], all + 2 * any + 4 * equal);
    assert_int_equal(w[11][i], i / 16 * 100 + 30 + 16);
    assert_int_equal(w[12][i], __builtin_popcount(mask_of(i, 50, i)) + l * 100);
}

static void subgroups(void **state)
{
    struct harness *h = *state;
    uint32_t(*w)[W] = harness_alloc(h, 4 * W * ROWS), *in = harness_alloc(h, 4 * N);
    for (uint32_t i = 0; i < N; i++)
        in[i] = values[i] = i < 16 ? (i * 37 + 11) % 97 : i < 32 ? 21 : 7 + 30 * (i - 32);
    harness_bind(h, 0, 0, w, 4 * W * ROWS);
    harness_bind(h, 1, 0, in, 4 * N);
    harness_dispatch(h, "subgroups", NULL, 0, 1, 1, 1);
    for (uint32_t i = 0; i < N; i++) {
        check_whole(w, i);
        uint32_t first = first_of(i, true), last = first;
        for (uint32_t k = first; k < (i & ~15u) + 16; k++)
            last = runs(k, true) ? k : last;
        assert_int_equal(w[13][i], runs(i, true) ? sum_of(i, (i & ~15u) + 16, true) : 0);
        assert_int_equal(w[14][i], i == first);
        assert_int_equal(w[15][i], runs(i, true) ? values[first] + (last & 15) * 1000 : 0);
    }
    float product = 1;
    for (int l = 0; l < 16; l++)
        product *= 1.0f + (float)l / 16;
    assert_in_range(w[16][0], (uint32_t)(product * 64) - 8, (uint32_t)(product * 64) + 8);
    for (int r = 0; r < ROWS; r++)
        for (uint32_t i = N; i < W; i++)
            assert_int_equal(w[r][i], 0);
}

static void votes(void **state)
{
    struct harness *h = *state;
    uint32_t(*w)[W] = harness_alloc(h, 4 * W), *in = harness_alloc(h, 4 * N);
    for (uint32_t i = 0; i < N; i++) /* all values are equal only in the second subgroup */
        in[i] = i < 16 ? i : i < 32 ? 21 : 3 * i;
    harness_bind(h, 0, 0, w, 4 * W);
    harness_bind(h, 1, 0, in, 4 * N);
    harness_dispatch(h, "votes", NULL, 0, 1, 1, 1);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(w[0][i], 1 | 4 | (i / 16 == 1 ? 8 : 0) | (i % 16 == 0 ? 32 : 0));
}

static bool above(uint32_t i)
{
    return i < N && values[i] > 50;
}

/* Multiples of 2^-40 whose sums are exact in any order. */
static void doubles(void **state)
{
    struct harness *h = *state;
    enum { DOUBLE_ROWS = 8 };
    double(*w)[W] = harness_alloc(h, sizeof(double) * W * DOUBLE_ROWS), *in = harness_alloc(h, sizeof(double) * N);
    for (uint32_t i = 0; i < N; i++)
        in[i] = i < 16 ? -2.0 - 1 / 1099511627776.0 : (i * 37 % 41) + i / 1099511627776.0;
    harness_bind(h, 0, 0, w, sizeof(double) * W * DOUBLE_ROWS);
    harness_bind(h, 1, 0, in, sizeof(double) * N);
    harness_dispatch(h, "subgroup_doubles", NULL, 0, 1, 1, 1);
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t base = i & ~15u;
        double sum = 0, before = 0, product = 1, low = in[base], high = in[i & ~3u];
        for (uint32_t k = base; k < base + 16 && k < N; k++) {
            sum += in[k];
            before += k < i ? in[k] : 0;
            product *= k <= i ? 1 + (k & 1) : 1;
            low = in[k] < low ? in[k] : low;
            high = k / 4 == i / 4 && in[k] > high ? in[k] : high;
        }
        const double want[DOUBLE_ROWS] = {sum, before, -before, product, low, high, in[i ^ 1], base ? 2 : 3};
        for (uint32_t row = 0; row < DOUBLE_ROWS; row++)
            if (w[row][i] != want[row])
                fail_msg("row %u, invocation %u: %a, expected %a", row, i, w[row][i], want[row]);
    }
}

static void operations_of_extensions(void **state)
{
    struct harness *h = *state;
    enum { KHR_ROWS = 10 };
    uint32_t(*w)[W] = harness_alloc(h, 4 * W * KHR_ROWS), *in = harness_alloc(h, 4 * N);
    for (uint32_t i = 0; i < N; i++)
        in[i] = values[i] = i < 4    ? 11 + 2 * i
                            : i < 8  ? 48 + 2 * i
                            : i < 16 ? (i * 37 + 11) % 97
                            : i < 32 ? 60 + i
                                     : 7 + 30 * (i - 32);
    harness_bind(h, 0, 0, w, 4 * W * KHR_ROWS);
    harness_bind(h, 1, 0, in, 4 * N);
    harness_dispatch(h, "subgroup_khr", NULL, 0, 1, 1, 1);
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t base = i & ~15u, mask = mask_of(i, 50, base + 16);
        uint32_t all = 1, any = 0, equal = 1;
        for (uint32_t k = base; k < base + 16 && k < N; k++) {
            all &= values[k] < 200;
            any |= values[k] == 7;
            equal &= above(k) == above(base);
        }
        assert_int_equal(w[0][i], mask);
        assert_int_equal(w[1][i], values[base]);
        assert_int_equal(w[2][i], values[base + 5]);
        assert_int_equal(w[3][i], all | any << 1 | equal << 2);
        const uint32_t three_on = base + ((i + 3) & 15), inside = (i & ~7u) + ((i + (mask & 7)) & 7);
        if (three_on < N) /* else the lane is inactive */
            assert_int_equal(w[4][i], values[three_on]);
        assert_int_equal(w[5][i], values[inside]);
        assert_int_equal(w[6][i], above((i & ~3u) + ((i + 1) & 3)));
        assert_int_equal(w[7][i], values[base + (mask & 7)]);
        const uint32_t quad = i & ~3u, odd = (values[quad] & 1) + (values[quad + 1] & 1) + (values[quad + 2] & 1) +
                                             (values[quad + 3] & 1);
        assert_int_equal(w[8][i], (odd == 4) | (odd != 0) << 1);
        assert_int_equal(w[9][i], 0xffffu & ~((1u << (i & 15)) - 1));
    }
}

/* Which ballots of glsl/reconverge.comp the invocation takes part in. */
static void follow(uint32_t v, bool takes_part[20])
{
    for (uint32_t round = 0; round < 5; round++) {
        if (v >> round & 1) {
            takes_part[round] = true;
            if (v % 3 == round)
                continue;
        } else if (v % 5 == round) {
            break;
        }
        takes_part[5 + round] = true;
    }
    takes_part[10] = true;
    takes_part[11 + (v & 3)] = true;
    takes_part[15] = true;
    for (uint32_t n = v; n > 20; n -= 20)
        if (n % 7 == 3)
            return;
    takes_part[16] = true;
}

/* MaximallyReconvergesKHR: lanes that have parted run together again where their paths meet, in each round of a loop
 * and behind it, behind a switch, and behind a function from which some have returned in a loop. */
static void reconvergence(void **state)
{
    struct harness *h = *state;
    enum { BALLOTS = 17 };
    static bool takes_part[N][20];
    uint32_t(*w)[W] = harness_alloc(h, 4 * W * BALLOTS), *in = harness_alloc(h, 4 * N);
    for (uint32_t i = 0; i < N; i++) {
        in[i] = (i * 37 + 11) % 97;
        memset(takes_part[i], 0, sizeof takes_part[i]);
        follow(in[i], takes_part[i]);
    }
    harness_bind(h, 0, 0, w, 4 * W * BALLOTS);
    harness_bind(h, 1, 0, in, 4 * N);
    harness_dispatch(h, "reconverge", NULL, 0, 1, 1, 1);
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t ballot = 0; ballot < BALLOTS; ballot++) {
            uint32_t mask = 0;
            for (uint32_t k = i & ~15u; k < (i & ~15u) + 16 && k < N; k++)
                mask |= (uint32_t)takes_part[k][ballot] << (k & 15);
            if (w[ballot][i] != (takes_part[i][ballot] ? mask : 0))
                fail_msg("ballot %u, invocation %u: 0x%x, expected 0x%x", ballot, i, w[ballot][i], mask);
        }
    }
}

static void clocks(void **state)
{
    struct harness *h = *state;
    uint64_t(*times)[3] = harness_alloc(h, 8 * 3 * N);
    harness_bind(h, 0, 0, times, 8 * 3 * N);
    const uint64_t before = util_now_ns();
    harness_dispatch(h, "clock", NULL, 0, 1, 1, 1);
    const uint64_t after = util_now_ns();
    for (uint32_t i = 0; i < N; i++) {
        assert_true(times[i][0] >= before && times[i][2] <= after && times[i][0] < times[i][2]);
        assert_int_equal(times[i][0], times[i & ~15u][0]); /* a subgroup reads the time once */
        if (i % 3 == 1)
            assert_true(times[i][0] < times[i][1] && times[i][1] < times[i][2]);
        else
            assert_int_equal(times[i][1], 0);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, harness_setup, harness_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {TEST(subgroups),     TEST(votes), TEST(doubles), TEST(operations_of_extensions),
                                       TEST(reconvergence), TEST(clocks)};
    harness_args = argv;
    harness_arg_count = argc;
    return cmocka_run_group_tests_name("compiler_engine_subgroups", tests, NULL, NULL);
}
