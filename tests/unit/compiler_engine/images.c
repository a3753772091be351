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

#define TEST(f) cmocka_unit_test_setup_teardown(f, harness_setup, harness_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {TEST(storage_images)};
    harness_args = argv;
    harness_arg_count = argc;
    return cmocka_run_group_tests_name("compiler_engine_images", tests, NULL, NULL);
}
