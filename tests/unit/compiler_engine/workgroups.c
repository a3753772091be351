/* SPDX-License-Identifier: MIT
 *
 * Workgroups on the CPU engine: atomics, shared memory, barriers, workgroup sizes.
 */
#include <math.h>
#include "harness.h"

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void atomics(void **state)
{
    struct harness *h = *state;
    struct out {
        uint32_t count, low, high, bits, all, flip;
        int32_t ilow, ihigh;
        uint32_t winner, first, order[2048];
    } *out = harness_alloc(h, sizeof *out);
    enum { N = 32 * 60 };
    *out = (struct out){.low = UINT32_MAX, .all = UINT32_MAX, .winner = 1, .first = UINT32_MAX};
    harness_bind(h, 0, 0, out, sizeof *out);
    harness_dispatch(h, "atomics", NULL, 0, 5, 4, 3);
    assert_int_equal(out->count, N);
    assert_int_equal(out->low, 7);
    assert_int_equal(out->high, 0x80000000u + N - 1);
    assert_int_equal(out->bits, UINT32_MAX);
    assert_int_equal(out->all, UINT32_MAX & ~0x7fu);
    uint32_t flip = 0;
    for (uint32_t i = 0; i < N; i++)
        flip ^= i;
    assert_int_equal(out->flip, flip);
    assert_int_equal(out->ilow, 10 - (N - 1));
    assert_int_equal(out->ihigh, N - 1 - 10);
    assert_int_equal(out->winner % 3, 0);
    assert_int_equal(out->order[2047], out->first);
    assert_true(out->first < N);
    qsort(out->order, N, 4, compare);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(out->order[i], i);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static bool same_float(float a, float b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* All sums but `rounded` are exact, in any order. */
static void float_atomics(void **state)
{
    struct harness *h = *state;
    enum { GROUPS = 15, N = 32 * GROUPS };
    static const float specials[4] = {-2.5f, INFINITY, NAN, -INFINITY};
    struct out {
        float count, low, high, winner, totals[16], rounded[512], order[512], data[16], sums[16], least[16],
            largest[16];
    } *out = harness_alloc(h, sizeof *out);
    float(*image)[4] = harness_alloc(h, 4 * 4 * 2);
    *out = (struct out){.low = 1000, .high = -1000, .winner = 1};
    for (uint32_t i = 0; i < 512; i++)
        out->rounded[i] = 1;
    image[1][2] = 6;
    for (uint32_t i = 0; i < 16; i++) {
        out->data[i] = specials[i / 4];
        out->sums[i] = out->least[i] = out->largest[i] = specials[i % 4];
    }
    harness_bind(h, 0, 0, out, sizeof *out);
    harness_bind_image(h, 1, 0, image, 4, 4, 2, 1);
    harness_dispatch(h, "float_atomics", NULL, 0, GROUPS, 1, 1);
    assert_true(out->count == N);
    assert_true(out->low == 5.5f - 0.25f * (N - 1));
    assert_true(out->high == 0.25f * (N - 1) - 5.5f);
    assert_int_equal((int)out->winner % 3, 0);
    for (uint32_t i = 0; i < 16; i++)
        assert_true(out->totals[i] == (i < GROUPS ? 16 : 0));
    for (uint32_t i = 0; i < N; i++)
        assert_true(out->rounded[i] == 1); /* toward zero, by three quarters of a unit */
    qsort(out->order, N, 4, compare_floats);
    for (uint32_t i = 0; i < N; i++)
        assert_true(out->order[i] == (float)i);
    for (uint32_t x = 0; x < 4; x++)
        assert_true(image[0][x] == 0.25f * (N / 4));
    for (uint32_t i = 0; i < 16; i++) {
        const float old = specials[i % 4], data = specials[i / 4];
        if (isinf(old) && isinf(data) && old != data)
            continue; /* the chip's sum is not NaN but one of the infinities */
        assert_true(same_float(out->sums[i], old + data));
        assert_true(same_float(out->least[i], fminf(old, data)));
        assert_true(same_float(out->largest[i], fmaxf(old, data)));
    }
    assert_true(image[1][0] == 1 - N);
    assert_true(image[1][1] == N - 1);
    assert_true(image[1][2] == 7);
    assert_true(image[1][3] == 9);
}

static void sums_of(struct harness *h, uint32_t size)
{
    struct vc4c_spec_constant spec = {.id = 0, .size_B = 4, .data = &size};
    uint32_t *in = harness_alloc(h, 4 * 3 * size), *out = harness_alloc(h, 4 * 3), sums[3] = {0};
    for (uint32_t i = 0; i < 3 * size; i++)
        sums[i / size] += in[i] = i * i + 1;
    harness_bind(h, 0, 0, in, 4 * 3 * size);
    harness_bind(h, 1, 0, out, 4 * 3);
    harness_dispatch(h, "reduce", &spec, 1, 3, 1, 1);
    assert_int_equal(h->program.local_size[0], size);
    assert_int_equal(h->program.subgroups, (size + 15) / 16);
    assert_int_equal(h->program.shared_B, 4 * size);
    for (int k = 0; k < 3; k++)
        assert_int_equal(out[k], sums[k]);
}

static void reductions(void **state)
{
    for (uint32_t size = 1; size <= VC4C_MAX_INVOCATIONS; size *= 2) /* one to 64 subgroups */
        sums_of(*state, size);
}

static void prefix_sums(void **state)
{
    struct harness *h = *state;
    uint32_t *data = harness_alloc(h, 4 * 256), *transposed = harness_alloc(h, 8 * 256);
    for (uint32_t i = 0; i < 256; i++)
        data[i] = 3 * i + 1;
    harness_bind(h, 0, 0, data, 4 * 256);
    harness_bind(h, 1, 0, transposed, 8 * 256);
    harness_dispatch(h, "scan", NULL, 0, 2, 1, 1);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 256; i++) {
        sum = (i % 128 ? sum : 0) + 3 * i + 1;
        assert_int_equal(data[i], sum);
        uint32_t l = i % 128, from = (l & 7) * 16 + (l >> 3);
        assert_int_equal(transposed[2 * i], from);
        assert_int_equal(transposed[2 * i + 1], from & 1);
    }
}

static void partial_of_size(struct harness *h, const uint32_t size[3])
{
    enum { X = 2, Y = 3, Z = 2, MOST = VC4C_MAX_INVOCATIONS * X * Y * Z };
    const uint32_t each = size[0] * size[1] * size[2], n = each * X * Y * Z;
    struct vc4c_spec_constant specs[3];
    struct {
        uint32_t count, pad[3], ids[MOST + 1][4];
    } *out = harness_alloc(h, sizeof *out);
    for (uint32_t k = 0; k < 3; k++)
        specs[k] = (struct vc4c_spec_constant){.id = k, .size_B = 4, .data = &size[k]};
    harness_bind(h, 0, 0, out, sizeof *out);
    harness_dispatch(h, "partial", specs, 3, X, Y, Z);
    assert_int_equal(h->program.subgroups, (each + 15) / 16);
    assert_int_equal(out->count, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = i % (size[0] * X), y = i / (size[0] * X) % (size[1] * Y), z = i / (size[0] * size[1] * X * Y);
        uint32_t local[] = {x % size[0], y % size[1], z % size[2]};
        assert_int_equal(out->ids[i][0], local[0] + 10 * local[1] + 100 * local[2]);
        assert_int_equal(out->ids[i][1], local[0] + size[0] * (local[1] + size[1] * local[2]));
        assert_int_equal(out->ids[i][2], each);
        assert_int_equal(out->ids[i][3], x / size[0] + X * (y / size[1]) + X * Y * (z / size[2]));
    }
    for (int k = 0; k < 4; k++)
        assert_int_equal(out->ids[n][k], 0);
}

static void partial_subgroups(void **state)
{
    /* The last ones have barriers that are loops: of 17 subgroups, the fewest, and of 40, 63 and 64. */
    static const uint32_t sizes[][3] = {{5, 3, 3}, {17, 3, 5}, {7, 36, 1},   {9, 29, 1},
                                        {7, 13, 7}, {3, 1, 333}, {1023, 1, 1}, {31, 3, 11}};
    for (uint32_t i = 0; i < ARRAY_SIZE(sizes); i++)
        partial_of_size(*state, sizes[i]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, harness_setup, harness_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {TEST(atomics), TEST(float_atomics), TEST(reductions), TEST(prefix_sums), TEST(partial_subgroups)};
    harness_args = argv;
    harness_arg_count = argc;
    return cmocka_run_group_tests_name("compiler_engine_workgroups", tests, NULL, NULL);
}
