/* SPDX-License-Identifier: MIT
 *
 * Runs compute shaders that access storage images and texel buffers on the model's CPU engine.
 */
#include "harness.h"
#include "hw/format.h"

static void storage_images(void **state)
{
    struct harness *h = *state;
    enum { W = 13, H = 11 }; /* smaller than the 16 x 16 invocations */
    uint8_t *unorm = harness_alloc(h, 4 * W * H), *bytes = harness_alloc(h, W * H);
    float(*wide)[4] = harness_alloc(h, 16 * W * H);
    uint32_t *counts = harness_alloc(h, 4 * 4 * 2 * 3);
    uint16_t(*halves)[4] = harness_alloc(h, 8 * W * H * 2);
    int16_t(*texels)[2] = harness_alloc(h, 4 * 10);
    int32_t *out = harness_alloc(h, 4 * 9);
    for (int i = 0; i < W * H; i++) {
        wide[i][0] = (float)i / (W * H);
        wide[i][1] = 1.5f;
        wide[i][2] = -1.0f;
        wide[i][3] = 0.5f;
        bytes[i] = 3;
    }
    for (int i = 0; i < 10; i++) {
        texels[i][0] = (int16_t)(i - 5);
        texels[i][1] = (int16_t)(100 * i);
    }
    harness_bind_image(h, 0, 0, unorm, 4, W, H, 1);
    harness_bind_image(h, 1, 0, wide, 16, W, H, 1);
    harness_bind_image(h, 2, 0, counts, 4, 4, 2, 3);
    harness_bind_image(h, 3, 0, halves, 8, W, H, 2);
    harness_bind_image(h, 4, 0, texels, 4, 10, 1, 1);
    harness_bind_image(h, 5, 0, bytes, 1, W, H, 1);
    harness_bind(h, 6, 0, out, 36);
    harness_dispatch(h, "images", NULL, 0, 2, 2, 1);
    for (int i = 0; i < W * H; i++) {
        union hw_texel want = {.f = {wide[i][0], wide[i][1], wide[i][2], wide[i][3]}};
        uint8_t packed[4];
        hw_format_pack(HW_FORMAT_R8G8B8A8_UNORM, &want, packed);
        for (int c = 0; c < 4; c++) {
            assert_in_range(unorm[4 * i + c] + 1, packed[c], packed[c] + 2);
            float half = hw_half_to_float(halves[W * H + i][c]);
            assert_float_equal(half, 2.0f * (float)unorm[4 * i + c] / 255.0f, 0.002f);
            assert_int_equal(halves[i][c], 0);
        }
        assert_int_equal(bytes[i], (uint8_t)(3 + i % W + 16 * (i / W)));
    }
    for (int i = 0; i < 24; i++)
        assert_int_equal(counts[i], i / 8 == 1 ? 256 / 8 : 0);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(texels[i][0], 100 * i - 1);
        assert_int_equal(texels[i][1], 5 - i);
    }
    static const int32_t sizes[9] = {W, H, 0, 0, W, H, 2, 10, 0};
    for (int i = 0; i < 9; i++)
        assert_int_equal(out[i], sizes[i]);
}

/* corpus/cs_images_int64.comp: 16 lanes and rows of 16 texels. */
static void images_of_64_bits(void **state)
{
    enum { W = 16, H = 3 };
    struct harness *h = *state;
    uint64_t(*words)[W] = harness_alloc(h, 8 * W * H), *list = harness_alloc(h, 8 * W);
    for (uint32_t i = 0; i < W; i++) {
        words[0][i] = i + 1;
        words[2][i] = UINT64_C(0x100000005) * i;
        list[i] = i % 3 ? 3 : 4;
    }
    harness_bind_image(h, 0, 0, words, 8, W, H, 1);
    harness_bind_image(h, 1, 0, list, 8, W, 1, 1);
    harness_dispatch(h, "images_int64", NULL, 0, 1, 1, 1);
    uint64_t sums[4] = {1, 2, 3, 4};
    for (uint32_t i = 0; i < W; i++) {
        const uint64_t old = sums[i % 4];
        sums[i % 4] += (uint64_t)i << 40;
        assert_true(words[1][i] == old + words[2][i]);
        assert_true(list[i] == (i % 3 ? old : 4));
    }
    for (uint32_t i = 0; i < W; i++)
        assert_true(words[0][i] == (i < 4 ? sums[i] : i + 1));
}

/* Views whose texels have 32 bits, which is not valid: nothing is stored, least of all beyond the last texel. */
static void narrow_views_of_images_of_64_bits(void **state)
{
    enum { W = 16, H = 3 };
    const struct vc4c_stored_format given[] = {{0, 0, HW_FORMAT_R32_UINT}, {0, 1, HW_FORMAT_R32_SINT}};
    const struct vc4c_stored_format any[] = {{0, 0, VC4C_FORMAT_ANY}, {0, 1, VC4C_FORMAT_ANY}};
    struct harness *h = *state;
    uint32_t *words = harness_alloc(h, 8 * W * H), *list = harness_alloc(h, 8 * W);
    for (uint32_t i = 0; i < 2 * W * H; i++)
        words[i] = i + 1;
    for (uint32_t i = 0; i < 2 * W; i++)
        list[i] = i % 2 ? 0 : 3;
    harness_bind_image(h, 0, 0, words, 4, W, H, 1);
    harness_bind_image(h, 1, 0, list, 4, W, 1, 1);
    for (int round = 0; round < 2; round++) {
        h->stored_formats = round ? any : given;
        h->stored_format_count = 2;
        harness_dispatch(h, "images_int64", NULL, 0, 1, 1, 1);
        for (uint32_t i = 0; i < 2 * W * H; i++)
            assert_int_equal(words[i], i + 1);
        for (uint32_t i = 0; i < 2 * W; i++)
            assert_int_equal(list[i], i % 2 ? 0 : 3);
    }
}

static void sizes_of_levels(void **state)
{
    struct harness *h = *state;
    uint32_t *plain = harness_alloc(h, 4 * 7 * 5), *layered = harness_alloc(h, 4 * 4 * 2 * 3),
             *out = harness_alloc(h, 28);
    harness_bind_image(h, 0, 0, plain, 4, 7, 5, 1);
    harness_bind_image(h, 1, 0, layered, 4, 4, 2, 3);
    harness_bind(h, 2, 0, out, 28);
    harness_dispatch(h, "size_of_level", NULL, 0, 1, 1, 1);
    assert_int_equal(out[0], 7);
    assert_int_equal(out[1], 5);
    assert_int_equal(out[4], 4);
    assert_int_equal(out[5], 2);
    assert_int_equal(out[6], 3);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, harness_setup, harness_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {TEST(storage_images), TEST(images_of_64_bits),
                                       TEST(narrow_views_of_images_of_64_bits), TEST(sizes_of_levels)};
    harness_args = argv;
    harness_arg_count = argc;
    return cmocka_run_group_tests_name("compiler_engine_images", tests, NULL, NULL);
}
