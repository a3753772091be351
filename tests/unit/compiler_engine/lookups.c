/* SPDX-License-Identifier: MIT
 *
 * Lookups that the model's CPU engine performs by the addresses of descriptors.
 */
#include "harness.h"
#include "hw/format.h"

#define W        4u
#define H        2u
#define ELEMENTS 5u

/* An element of the array of combined image samplers. */
struct element {
    struct hw_view_descriptor view;
    struct hw_sampler_descriptor sampler;
};

struct lookups {
    struct element *array;
    uint8_t (*images[2])[W][4]; /* H rows */
    uint32_t *index;
    float (*out)[6][4];
};

static void prepare(struct harness *h, struct lookups *l)
{
    static const struct vc4c_array_size sizes[] = {{0, 0, 1, 0}, {0, 1, 1000, sizeof(struct element)}, {0, 2, 1, 0}};
    l->out = harness_alloc(h, 16 * sizeof *l->out);
    l->array = harness_alloc(h, ELEMENTS * sizeof *l->array);
    l->index = harness_alloc(h, 64);
    harness_bind(h, 0, 0, l->out, 16 * sizeof *l->out);
    harness_bind(h, 1, 0, l->array, ELEMENTS * sizeof *l->array);
    h->states[MAX_ELEMENTS].width = ELEMENTS;
    harness_bind(h, 2, 0, l->index, 64);
    h->array_sizes = sizes;
    h->array_size_count = ARRAY_SIZE(sizes);
    for (uint32_t n = 0; n < 2; n++) {
        l->images[n] = harness_alloc(h, W * H * 4);
        for (uint32_t y = 0; y < H; y++)
            for (uint32_t x = 0; x < W; x++)
                memcpy(l->images[n][y][x], (uint8_t[4]){(uint8_t)(50 * x), (uint8_t)(100 * y), (uint8_t)(7 * n), 255},
                       4);
    }
}

static struct element element(const struct harness *h, const void *texels)
{
    return (struct element){.view = {.address = harness_addr(h, texels),
                                     .limit_B = W * H * 4 - 4,
                                     .width_px = W,
                                     .height_px = H,
                                     .depth_px = 1,
                                     .slices = 1,
                                     .levels = 1,
                                     .samples = 1,
                                     .format = HW_FORMAT_R8G8B8A8_UNORM,
                                     .layout = HW_DIRECT_RASTER,
                                     .swizzle = {HW_SWIZZLE_X, HW_SWIZZLE_Y, HW_SWIZZLE_Z, HW_SWIZZLE_W},
                                     .cpp = 4,
                                     .level_stride_dw = {W}}};
}

static void assert_texel(const float got[4], uint32_t x, uint32_t y, uint32_t n)
{
    assert_float_equal(got[0] * 255, 50 * x, 1e-3);
    assert_float_equal(got[1] * 255, 100 * y, 1e-3);
    assert_float_equal(got[2] * 255, 7 * n, 1e-3);
    assert_float_equal(got[3], 1, 0);
}

/* Elements 1 and 3 have images, the others are null. Two lanes index beyond the array. */
static void lookups(void **state)
{
    struct harness *h = *state;
    struct lookups l;
    prepare(h, &l);
    l.array[1] = element(h, l.images[0]);
    l.array[3] = element(h, l.images[1]);
    for (uint32_t i = 0; i < 16; i++)
        l.index[i] = i == 14 ? ELEMENTS : i == 15 ? 0x80000001u : i % ELEMENTS;
    harness_dispatch(h, "lookups", NULL, 0, 1, 1, 1);
    assert_true(h->program.uses_set_memory);
    for (uint32_t i = 0; i < 16; i++) {
        const float(*out)[4] = l.out[i];
        const uint32_t n = l.index[i] == 3;
        if (l.index[i] != 1 && l.index[i] != 3) {
            const float zero[4] = {0}, size[4] = {0, 0, 0, 1};
            for (uint32_t k = 0; k < 6; k++)
                assert_memory_equal(out[k], k == 3 ? size : zero, sizeof zero);
            continue;
        }
        assert_texel(out[0], i & 3, 0, n);
        assert_texel(out[1], i & 3, 1, n);
        const float green = 100.0f / 255.0f, gathered[4] = {green, green, 0, 0}, size[4] = {W, H, 1, 1};
        for (uint32_t c = 0; c < 4; c++)
            assert_float_equal(out[2][c], gathered[c], 1e-6);
        assert_memory_equal(out[3], size, sizeof size);
        assert_texel(out[4], i & 3, 0, n);
        if (i & 1)
            assert_float_equal(out[5][3], 0, 0);
        else
            assert_texel(out[5], i & 3, 0, n);
    }
}

static uint32_t random_word(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16 | *seed << 16;
}

/* Descriptors of garbage lead nowhere outside of the memory of the job, and to no endless work. */
static void garbage(void **state)
{
    struct harness *h = *state;
    struct lookups l;
    uint32_t seed = 1;
    prepare(h, &l);
    h->may_stray = true;
    for (uint32_t round = 0; round < 200; round++) {
        for (uint32_t e = 0; e < ELEMENTS; e++) {
            uint8_t *bytes = (uint8_t *)&l.array[e];
            l.array[e] = element(h, l.images[0]);
            for (uint32_t k = 0; k < 1 + random_word(&seed) % 12; k++)
                bytes[random_word(&seed) % sizeof l.array[e]] =
                    (uint8_t)(random_word(&seed) & (round & 1 ? 0xff : 0x1f));
        }
        for (uint32_t i = 0; i < 16; i++)
            l.index[i] = i % ELEMENTS;
        harness_dispatch(h, "lookups", NULL, 0, 1, 1, 1);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, harness_setup, harness_teardown)
int main(int argc, char **argv)
{
    harness_args = argv;
    harness_arg_count = argc;
    const struct CMUnitTest tests[] = {TEST(lookups), TEST(garbage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
