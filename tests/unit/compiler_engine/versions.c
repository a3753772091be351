/* SPDX-License-Identifier: MIT
 *
 * Compute shaders that use what SPIR-V 1.1 to 1.6 and its extensions add, on the model's CPU engine.
 */
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "harness.h"

static uint32_t random_word(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state ^ *state >> 15;
}

/* ---------------------------------------------------------------- shared memory */

static void zeroed_of(struct harness *h, uint32_t size, uint32_t many)
{
    enum { GROUPS = 5 };
    const struct vc4c_spec_constant specs[] = {{.id = 0, .size_B = 4, .data = &size},
                                               {.id = 1, .size_B = 4, .data = &many}};
    uint32_t *sums = harness_alloc(h, 4 * GROUPS);
    harness_bind(h, 0, 0, sums, 4 * GROUPS);
    harness_dispatch(h, "zeroed", specs, 2, GROUPS, 1, 1);
    for (uint32_t i = 0; i < GROUPS; i++)
        if (sums[i] != size)
            fail_msg("%u invocations, %u words, workgroup %u: %u", size, many, i, sums[i]);
}

static void zeroed_memory(void **state)
{
    static const uint32_t sizes[] = {1, 16, 20, 256}, counts[] = {1, 5, 300, 4000};
    for (uint32_t i = 0; i < ARRAY_SIZE(sizes); i++)
        for (uint32_t k = 0; k < ARRAY_SIZE(counts); k++)
            zeroed_of(*state, sizes[i], counts[k]);
}

/* What the shader's layouts put into the 128 bytes that all of its blocks share. */
static void expect_blocks(const float numbers[8], uint32_t words[32])
{
    uint8_t *bytes = (uint8_t *)words;
    memset(words, 0xa0, 128);
    words[0] += 15 * 16 / 2;
    memcpy(bytes + 8, numbers, 4);
    for (uint32_t row = 0; row < 3; row++)
        for (uint32_t column = 0; column < 2; column++)
            memcpy(bytes + 16 + 8 * row + 4 * column, numbers + 1 + 3 * column + row, 4);
    for (uint32_t i = 0; i < 6; i++) {
        const uint16_t half = (uint16_t)(i * 0x1111);
        memcpy(bytes + 64 + 2 * i, &half, 2);
    }
    for (uint32_t i = 0; i < 16; i++)
        bytes[80 + i] = (uint8_t)(17 * (15 - i));
    memcpy(bytes + 112 + 4, numbers + 7, 4);
}

static void shared_blocks(void **state)
{
    enum { GROUPS = 3 };
    struct harness *h = *state;
    float *numbers = harness_alloc(h, 32);
    uint32_t *out = harness_alloc(h, GROUPS * 256), words[32];
    for (uint32_t i = 0; i < 8; i++)
        numbers[i] = (float)i + 0.5f;
    harness_bind(h, 0, 0, numbers, 32);
    harness_bind(h, 1, 0, out, GROUPS * 256);
    harness_dispatch(h, "shared_blocks", NULL, 0, GROUPS, 1, 1);
    expect_blocks(numbers, words);
    assert_int_equal(h->program.shared_B, 128);
    for (uint32_t group = 0; group < GROUPS; group++) {
        const uint32_t *result = out + 64 * group;
        assert_memory_equal(result, words, 128);
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(result[32 + i], 17 * (15 - i));
        for (uint32_t i = 0; i < 6; i++)
            assert_int_equal(result[48 + i], 0x1111 * i);
        for (uint32_t i = 6; i < 16; i++)
            assert_memory_equal(result + 48 + i, numbers + 1 + 3 * (i & 1) + i % 3, 4);
    }
}

/* ---------------------------------------------------------------- integers */

static uint32_t byte(uint32_t word, uint32_t i)
{
    return word >> 8 * i & 0xff;
}

static int64_t bytes_product(uint32_t a, uint32_t b, bool a_is_signed, bool b_is_signed)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < 4; i++)
        sum += (int64_t)(a_is_signed ? (int8_t)byte(a, i) : (int)byte(a, i)) *
               (b_is_signed ? (int8_t)byte(b, i) : (int)byte(b, i));
    return sum;
}

static uint32_t saturated(int64_t sum, uint32_t more, bool is_signed)
{
    if (!is_signed)
        return (uint32_t)MIN2(sum + more, UINT32_MAX);
    return (uint32_t)CLAMP(sum + (int32_t)more, INT32_MIN, INT32_MAX);
}

static void expect_dots(uint32_t a, uint32_t b, uint32_t c, uint32_t out[9])
{
    const int64_t sa = (int32_t)a >> 20, sb = (int32_t)b >> 20, ua = a >> 18, ub = b >> 18;
    const int64_t products[] = {bytes_product(a, b, true, true), bytes_product(a, b, false, false),
                                bytes_product(a, b, true, false)};
    for (uint32_t i = 0; i < 3; i++) {
        out[i] = (uint32_t)products[i];
        out[3 + i] = saturated(products[i], c, i != 1);
    }
    out[6] = a * b + b * c;
    out[7] = saturated(2 * sa * sb, c, true);
    out[8] = saturated(ua * ua + ub * ub, c, false);
}

static void dot_products(void **state)
{
    enum { N = 16 * 40 };
    static const uint32_t special[] = {0, UINT32_MAX, 0x80808080, 0x7f7f7f7f, INT32_MAX, 0x80000000, 0x017f80ff};
    struct harness *h = *state;
    uint32_t *in = harness_alloc(h, 4 * 3 * N), *out = harness_alloc(h, 4 * 9 * N), seed = 1;
    for (uint32_t i = 0; i < 3 * N; i++)
        in[i] = i < 3 * 343 ? special[(i / 3 / (i % 3 == 0 ? 1 : i % 3 == 1 ? 7 : 49)) % 7] : random_word(&seed);
    harness_bind(h, 0, 0, in, 4 * 3 * N);
    harness_bind(h, 1, 0, out, 4 * 9 * N);
    harness_dispatch(h, "dot", NULL, 0, N / 16, 1, 1);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t wanted[9];
        expect_dots(in[3 * i], in[3 * i + 1], in[3 * i + 2], wanted);
        for (uint32_t k = 0; k < 9; k++)
            if (out[9 * i + k] != wanted[k])
                fail_msg("0x%x, 0x%x, 0x%x, result %u: 0x%x, wanted 0x%x", in[3 * i], in[3 * i + 1], in[3 * i + 2], k,
                         out[9 * i + k], wanted[k]);
    }
}

/* Sums that wrap where they do not fit 64 bits; saturation looks at the wrapped sum and the accumulator. */
static void expect_wide_dots(const uint32_t x[3], uint64_t out[6])
{
    uint64_t sums[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t a = x[i], b = x[(i + 1) % 3];
        sums[0] += (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
        sums[1] += (uint64_t)a * b;
        sums[2] += (uint64_t)((int64_t)(int32_t)a * b);
    }
    const uint64_t more = (uint64_t)x[0] << 32 | x[2];
    for (uint32_t i = 0; i < 3; i++) {
        const uint64_t sum = sums[i] + more, top = INT64_MAX;
        out[i] = sums[i];
        if (i == 1)
            out[3 + i] = sum < more ? UINT64_MAX : sum;
        else /* it overflows if both have the sign that the sum has not */
            out[3 + i] = (sum ^ more) & (sum ^ sums[i]) & ~top ? top + (more >> 63) : sum;
    }
}

static void wide_dot_products(void **state)
{
    enum { N = 16 * 40 };
    static const uint32_t special[] = {0, 1, UINT32_MAX, INT32_MAX, 0x80000000, 0xb504f334, 0x10000};
    struct harness *h = *state;
    uint32_t *in = harness_alloc(h, 4 * 3 * N), seed = 1;
    uint64_t *out = harness_alloc(h, 8 * 6 * N), wanted[6];
    for (uint32_t i = 0; i < 3 * N; i++)
        in[i] = i < 3 * 343 ? special[(i / 3 / (i % 3 == 0 ? 1 : i % 3 == 1 ? 7 : 49)) % 7] : random_word(&seed);
    harness_bind(h, 0, 0, in, 4 * 3 * N);
    harness_bind(h, 1, 0, out, 8 * 6 * N);
    harness_dispatch(h, "dot_wide", NULL, 0, N / 16, 1, 1);
    for (uint32_t i = 0; i < N; i++) {
        expect_wide_dots(in + 3 * i, wanted);
        for (uint32_t k = 0; k < 6; k++)
            if (out[6 * i + k] != wanted[k])
                fail_msg("0x%x, 0x%x, 0x%x, result %u: 0x%" PRIx64 ", wanted 0x%" PRIx64, in[3 * i], in[3 * i + 1],
                         in[3 * i + 2], k, out[6 * i + k], wanted[k]);
    }
}

static uint32_t expect_comparisons(uint64_t a, uint64_t b)
{
    const int64_t sa = (int64_t)a, sb = (int64_t)b;
    const bool results[] = {a == b, a != b, a > b, sa > sb, a >= b, sa >= sb, a < b, sa < sb, a <= b, sa <= sb, a == b};
    uint32_t mask = 0;
    for (uint32_t i = 0; i < ARRAY_SIZE(results); i++)
        mask |= (uint32_t)results[i] << i;
    return mask;
}

static void wide_comparisons(void **state)
{
    enum { N = 16 * 40 };
    static const uint32_t special[] = {0, 1, UINT32_MAX, INT32_MAX, 0x80000000};
    struct harness *h = *state;
    uint32_t *in = harness_alloc(h, 16 * N), *out = harness_alloc(h, 4 * N), seed = 1;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0, n = i; k < 4; k++, n /= 5)
            in[4 * i + k] = i < 625 ? special[n % 5] : random_word(&seed);
    harness_bind(h, 0, 0, in, 16 * N);
    harness_bind(h, 1, 0, out, 4 * N);
    harness_dispatch(h, "compare_wide", NULL, 0, N / 16, 1, 1);
    for (uint32_t i = 0; i < N; i++) {
        const uint64_t a = (uint64_t)in[4 * i + 1] << 32 | in[4 * i], b = (uint64_t)in[4 * i + 3] << 32 | in[4 * i + 2];
        if (out[i] != expect_comparisons(a, b))
            fail_msg("0x%" PRIx64 ", 0x%" PRIx64 ": 0x%x, wanted 0x%x", a, b, out[i], expect_comparisons(a, b));
    }
}

/* ---------------------------------------------------------------- float controls */

static float flushed(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static float random_float(uint32_t *seed)
{
    const uint32_t exponent = 60 + random_word(seed) % 130; /* products reach denormals, sums lose bits */
    const uint32_t word = (random_word(seed) & 0x807fffff) | exponent << 23;
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

/* The host computes in double precision, which is exact for the product; the sum is rounded to zero twice. */
static float to_zero(double x)
{
    volatile double source = x;
    return flushed((float)source);
}

static void compare_floats(const float *in, const float *got, const float *wanted)
{
    for (uint32_t k = 0; k < 4; k++)
        if (got[k] != wanted[k])
            fail_msg("%a, %a, result %u: %a, wanted %a", (double)in[0], (double)in[1], k, (double)got[k],
                     (double)wanted[k]);
}

static void float_modes(void **state)
{
    enum { N = 16 * 200 };
    static const float special[] = {0x1p-126f, 0x1.fffffep-126f, -0x1.8p-126f,   0x1p-149f, -0x0.fffffep-126f,
                                    1.0f,      0x1.fffffep+0f,   -0x1.000002p+0f};
    struct harness *h = *state;
    float *in = harness_alloc(h, 4 * 2 * N), *out = harness_alloc(h, 4 * 4 * N), *moved = harness_alloc(h, 4 * 4 * N);
    uint32_t seed = 7;
    for (uint32_t i = 0; i < 2 * N; i++)
        in[i] = i < 128 ? special[i % 2 ? i / 16 : i / 2 % 8] : random_float(&seed);
    harness_bind(h, 0, 0, in, 4 * 2 * N);
    harness_bind(h, 1, 0, out, 4 * 4 * N);
    harness_bind(h, 2, 0, moved, 4 * 4 * N);
    harness_dispatch(h, "float_modes", NULL, 0, N / 16, 1, 1);
    const int mode = fegetround();
    fesetround(FE_TOWARDZERO);
    for (uint32_t i = 0; i < N; i++) {
        const float fx = flushed(in[2 * i]), fy = flushed(in[2 * i + 1]);
        const volatile double x = fx, y = fy;
        compare_floats(in + 2 * i, out + 4 * i,
                       (const float[]){to_zero(x + y), to_zero(x - y), to_zero(x * y), to_zero(x * 0.75)});
        assert_int_equal(!signbit(moved[4 * i]), !!signbit(fx));
        compare_floats(in + 2 * i, moved + 4 * i,
                       (const float[]){-fx, fabsf(fx), fminf(fx, fy), fminf(fmaxf(fx, -fy), fabsf(fy))});
    }
    fesetround(mode);
}

/* Denormal operands count as zero, results need not. The bits of NaN mean nothing. */
static void compare_nearest(const float *in, const float *got, const float *wanted)
{
    for (uint32_t k = 0; k < 4; k++)
        if (memcmp(&got[k], &wanted[k], sizeof *got) && !(isnan(got[k]) && isnan(wanted[k])))
            fail_msg("%a, %a, result %u: %a, wanted %a", (double)in[0], (double)in[1], k, (double)got[k],
                     (double)wanted[k]);
}

static void nearest(void **state)
{
    enum { N = 16 * 400 };
    static const float special[] = {0.0f,        -0.0f,          INFINITY,        -INFINITY,      NAN,
                                    0x1p-149f,   0x1p-126f,      0x1.fffffep127f, 1.0f,           0x1p-24f,
                                    0x1.8p-24f,  -0x1p-24f,      0x1.000002p0f,   0x1.fffffep-1f, 0x1p24f,
                                    -0x1.8p-63f, 0x1.000001p-63f};
    struct harness *h = *state;
    float *in = harness_alloc(h, 4 * 2 * N), *out = harness_alloc(h, 4 * 4 * N), *more = harness_alloc(h, 4 * 4 * N);
    uint32_t seed = 11;
    for (uint32_t i = 0; i < N; i++) {
        const bool is_special = i < ARRAY_SIZE(special) * ARRAY_SIZE(special);
        in[2 * i] = is_special ? special[i / ARRAY_SIZE(special)] : random_float(&seed);
        in[2 * i + 1] = is_special ? special[i % ARRAY_SIZE(special)] : random_float(&seed);
        if (!is_special && i % 2) /* sums that lose few bits */
            in[2 * i + 1] = in[2 * i] * (1 + (float)(i % 61)) * 0x1p-20f;
    }
    harness_bind(h, 0, 0, in, 4 * 2 * N);
    harness_bind(h, 1, 0, out, 4 * 4 * N);
    harness_bind(h, 2, 0, more, 4 * 4 * N);
    harness_dispatch(h, "nearest", NULL, 0, N / 16, 1, 1);
    for (uint32_t i = 0; i < N; i++) {
        const volatile float x = flushed(in[2 * i]), y = flushed(in[2 * i + 1]);
        uint32_t bits;
        memcpy(&bits, &in[2 * i], sizeof bits);
        const volatile float sum = x + y, difference = x - y, product = x * y, flushed_product = flushed(product);
        const volatile float both = flushed_product + x, turned = flushed_product + flushed_product, scaled = x * 0.3f;
        compare_nearest(in + 2 * i, out + 4 * i, (const float[]){sum, difference, product, both});
        compare_nearest(in + 2 * i, more + 4 * i, (const float[]){(float)(int32_t)bits, (float)bits, turned, scaled});
    }
}

/* ---------------------------------------------------------------- all others */

static void newer_instructions(void **state)
{
    struct harness *h = *state;
    const uint32_t size = 5, first = 11, list[] = {21, 22, 23};
    const struct vc4c_spec_constant spec = {.id = 3, .size_B = 4, .data = &size};
    uint32_t *in = harness_alloc(h, 112), *out = harness_alloc(h, 96 + 32 * 2 * size);
    memset(out, 0xee, 96 + 32 * 2 * size);
    in[2] = first;
    for (uint32_t i = 0; i < 3; i++)
        in[12 + 4 * i] = list[i];
    memcpy(in + 24, (const float[]){100, 200, 300, 400}, 16);
    harness_bind(h, 0, 0, in, 112);
    harness_bind(h, 1, 0, out, 96 + 32 * 2 * size);
    harness_bind(h, 2, 0, in, 112);
    harness_dispatch(h, "spirv_1_6", &spec, 1, 2, 1, 1);
    assert_int_equal(h->program.local_size[0], size);
    assert_int_equal(out[2], first);
    assert_int_equal(out[3], 0xeeeeeeee);
    for (uint32_t i = 0; i < 2 * size; i++) {
        const uint32_t *record = out + 24 + 8 * i;
        assert_int_equal(record[0], i % 2 ? i : first);
        assert_int_equal(record[1], 0xeeeeeeee);
        assert_int_equal(record[4], list[0]);
        assert_int_equal(record[5], list[1]);
        assert_int_equal(record[6], 7 + 4 + 1 + size + i + (i % 2 ? 400 : 300));
    }
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(out[12 + 4 * i], list[i]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, harness_setup, harness_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {TEST(zeroed_memory),     TEST(shared_blocks),     TEST(dot_products),
                                       TEST(wide_dot_products), TEST(wide_comparisons),  TEST(float_modes),
                                       TEST(nearest),           TEST(newer_instructions)};
    harness_args = argv;
    harness_arg_count = argc;
    return cmocka_run_group_tests_name("compiler_engine_versions", tests, NULL, NULL);
}
