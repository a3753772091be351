/* SPDX-License-Identifier: MIT
 *
 * Texel fetch: decoding of every type, addresses of every layout compared with hw/layout.h, unmapped memory.
 */
#include "harness.h"

static uint32_t texel_value(uint32_t x, uint32_t y, uint32_t level)
{
    return x * 0x9e3779b1u ^ y * 0x85ebca6bu ^ level * 0x27d4eb2fu;
}

/* All texels of all levels are at the addresses that hw/layout.h gives. */
static void layouts(void **state)
{
    static const struct {
        enum hw_tex_type type;
        uint32_t cpp, width, height, levels;
    } cases[] = {
        {HW_TEX_RGBA8888, 4, 8, 8, 1},    {HW_TEX_RGBA8888, 4, 64, 64, 7}, {HW_TEX_RGBA8888, 4, 100, 75, 7},
        {HW_TEX_RGBA8888, 4, 17, 17, 5},  {HW_TEX_S16, 2, 130, 66, 8},     {HW_TEX_S8, 1, 200, 90, 8},
        {HW_TEX_RGBA8888, 4, 1, 1, 1},    {HW_TEX_RGBA32R, 4, 64, 10, 1},  {HW_TEX_S8, 1, 300, 20, 1},
        {HW_TEX_RGBA8888, 4, 256, 96, 9},
    };
    struct harness *h = *state;

    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        struct texture tex;
        struct gpu_tmu_request request;
        uint32_t mask = cases[n].cpp == 4 ? ~0u : (1u << 8 * cases[n].cpp) - 1;
        texture_init(&tex, cases[n].type, cases[n].cpp, cases[n].width, cases[n].height, cases[n].levels, 1);
        texture_sampler(&tex, 1, HW_MIN_NEAR_MIP_NEAR, HW_WRAP_CLAMP, HW_WRAP_CLAMP);
        tex.p2 = 1u << 30 | 1; /* B is the LOD */
        for (uint32_t level = 0; level < cases[n].levels; level++) {
            const struct hw_level *l = &tex.layout.level[level];
            for (uint32_t y = 0; y < l->height_el; y++) {
                for (uint32_t x = 0; x < l->width_el; x++)
                    texture_poke(h, &tex, 0, level, x, y, texel_value(x, y, level));
            }
        }
        gpu_tmu_begin_job(h->tmu);
        for (uint32_t level = 0; level < cases[n].levels; level++) {
            const struct hw_level *l = &tex.layout.level[level];
            for (uint32_t p = 0; p < l->width_el * l->height_el; p += QPU_LANES) {
                union gpu_vec result;
                for (uint32_t i = 0; i < QPU_LANES; i++) {
                    uint32_t q = MIN2(p + i, l->width_el * l->height_el - 1);
                    request.s.f[i] = ((float)(q % l->width_el) + 0.5f) / (float)l->width_el;
                    request.t.f[i] = ((float)(q / l->width_el) + 0.5f) / (float)l->height_el;
                    request.b.f[i] = (float)level;
                    request.r.u[i] = 0;
                }
                assert_true(texture_request(h, &tex, &request, &result));
                for (uint32_t i = 0; i < QPU_LANES; i++) {
                    uint32_t q = MIN2(p + i, l->width_el * l->height_el - 1);
                    uint32_t want = texel_value(q % l->width_el, q / l->width_el, level) & mask;
                    if (result.u[i] != want)
                        fail_msg("case %u level %u texel %u,%u: 0x%08x, expected 0x%08x", n, level, q % l->width_el,
                                 q / l->width_el, result.u[i], want);
                }
            }
        }
    }
}

static void types(void **state)
{
    static const struct {
        enum hw_tex_type type;
        uint32_t cpp, raw, result;
    } cases[] = {
        {HW_TEX_RGBA8888, 4, 0x44332211, 0x44332211},
        {HW_TEX_RGBX8888, 4, 0x44332211, 0xff332211},
        {HW_TEX_RGBA4444, 2, 0x1234, 0x44332211},
        {HW_TEX_RGBA5551, 2, 0x8001, 0xff000084},
        {HW_TEX_RGBA5551, 2, 0x07c0, 0x0000ff00},
        {HW_TEX_RGBA5551, 2, 0x003e, 0x00ff0000},
        {HW_TEX_RGB565, 2, 0xf800, 0xff0000ff},
        {HW_TEX_RGB565, 2, 0x07e0, 0xff00ff00},
        {HW_TEX_RGB565, 2, 0x0010, 0xff840000},
        {HW_TEX_LUMINANCE, 1, 0x42, 0xff424242},
        {HW_TEX_ALPHA, 1, 0x42, 0x42000000},
        {HW_TEX_LUMALPHA, 2, 0x8842, 0x88424242},
        {HW_TEX_S16F, 2, 0x3c00, 0x3c00},
        {HW_TEX_S8, 1, 0x42, 0x42},
        {HW_TEX_S16, 2, 0x8001, 0x8001},
        {HW_TEX_RGBA32R, 4, 0x44332211, 0x44332211},
    };
    struct harness *h = *state;

    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        struct texture tex;
        texture_init(&tex, cases[n].type, cases[n].cpp, 4, 4, 1, 1);
        for (unsigned nearest = 0; nearest < 2; nearest++) {
            texture_sampler(&tex, nearest, nearest ? HW_MIN_NEAREST : HW_MIN_LINEAR, HW_WRAP_CLAMP, HW_WRAP_CLAMP);
            for (uint32_t p = 0; p < 16; p++)
                texture_poke(h, &tex, 0, 0, p % 4, p / 4, cases[n].raw);
            gpu_tmu_begin_job(h->tmu);
            uint32_t got = texture_at(h, &tex, 0.4f, 0.6f, 0, 0);
            if (got != cases[n].result)
                fail_msg("type %u texel 0x%x: 0x%08x, expected 0x%08x", cases[n].type, cases[n].raw, got,
                         cases[n].result);
        }
    }
}

static void refused_types(void **state)
{
    static const struct {
        unsigned type;
        const char *why;
    } cases[] = {{HW_TEX_BW1, "type"},    {HW_TEX_A4, "type"},       {HW_TEX_A1, "type"},
                 {HW_TEX_RGBA64, "type"}, {HW_TEX_YUYV422R, "type"}, {30, "type"}};
    struct harness *h = *state;
    struct gpu_tmu_request request = {0};
    union gpu_vec result;
    struct texture tex;

    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        texture_init(&tex, cases[n].type, 4, 4, 4, 1, 1);
        assert_false(texture_request(h, &tex, &request, &result));
        assert_non_null(strstr(h->message, cases[n].why));
    }
    texture_init(&tex, HW_TEX_RGBA8888, 4, 4, 4, 1, 1);
    tex.p1 |= 6u << 4;
    assert_false(texture_request(h, &tex, &request, &result));
    assert_non_null(strstr(h->message, "filter"));
}

static void etc1_blocks(void **state)
{
    static const struct {
        uint8_t block[8], x, y;
        uint32_t texel;
    } cases[] = {
        /* Two sub-blocks side by side, modifiers 2 and 47; the last texel of the first row is lowered by 183. */
        {{0xf0, 0x0f, 0x88, 0x1c, 0x10, 0, 0x10, 0}, 0, 0, 0xff8a02ff},
        {{0xf0, 0x0f, 0x88, 0x1c, 0x10, 0, 0x10, 0}, 1, 3, 0xff8a02ff},
        {{0xf0, 0x0f, 0x88, 0x1c, 0x10, 0, 0x10, 0}, 2, 0, 0xffb7ff2f},
        {{0xf0, 0x0f, 0x88, 0x1c, 0x10, 0, 0x10, 0}, 3, 0, 0xff004800},
        /* Sub-blocks one above the other: base 10, 31, 0 and differences -3, 0, 3; modifiers 5 and 9. */
        {{0x55, 0xf8, 0x03, 0x2b, 0, 0, 0, 0}, 3, 1, 0xff05ff57},
        {{0x55, 0xf8, 0x03, 0x2b, 0, 0, 0, 0}, 0, 2, 0xff21ff42},
    };
    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        uint32_t got = gpu_etc1_texel(cases[n].block, cases[n].x, cases[n].y);
        if (got != cases[n].texel)
            fail_msg("case %u: 0x%08x, expected 0x%08x", n, got, cases[n].texel);
    }
}

/* Blocks are laid out like 8-byte texels on every level; sizes need not be multiples of the block size. */
static void etc1_levels(void **state)
{
    struct harness *h = *state;
    static const uint32_t sizes[][2] = {{64, 64}, {14, 10}, {100, 30}, {3, 3}};
    for (unsigned n = 0; n < ARRAY_SIZE(sizes); n++) {
        uint32_t width = sizes[n][0], height = sizes[n][1];
        struct texture tex;
        texture_init(&tex, HW_TEX_ETC1, 8, util_div_round_up(width, 4), util_div_round_up(height, 4), 2, 1);
        tex.p1 = height << 20 | 1u << 19 | width << 8;
        tex.p2 = 1u << 30 | 1;
        texture_sampler(&tex, 1, HW_MIN_NEAR_MIP_NEAR, HW_WRAP_CLAMP, HW_WRAP_CLAMP);
        for (uint32_t level = 0; level < 2; level++) {
            const struct hw_level *l = &tex.layout.level[level];
            /* The level's size in blocks follows from its size in texels and may be one more than half the blocks. */
            uint32_t columns = util_div_round_up(util_minify(width, level), 4);
            uint32_t rows = util_div_round_up(util_minify(height, level), 4);
            for (uint32_t y = 0; y < rows; y++) {
                for (uint32_t x = 0; x < columns; x++) {
                    uint8_t block[8] = {0x88, (uint8_t)(x % 16 * 17), (uint8_t)((y + level * 9) % 16 * 17), 0};
                    uint32_t offset_B = l->offset_B + hw_element_offset_B(l->tiling, l->stride_B, 8, x, y);
                    memcpy(h->mem.base + tex.base - tex.layout.level[0].offset_B + offset_B, block, 8);
                }
            }
        }
        gpu_tmu_begin_job(h->tmu);
        for (uint32_t level = 0; level < 2; level++) {
            uint32_t w = util_minify(width, level), e = util_minify(height, level);
            for (uint32_t y = 0; y < e; y++) {
                for (uint32_t x = 0; x < w; x++) {
                    uint32_t got = texture_at(h, &tex, ((float)x + 0.5f) / (float)w, ((float)y + 0.5f) / (float)e, 0,
                                              (float)level);
                    uint32_t green = x / 4 % 16 * 17 + 2, blue = (y / 4 + level * 9) % 16 * 17 + 2;
                    assert_int_equal(got, 0xff00008a | MIN2(green, 255) << 8 | MIN2(blue, 255) << 16);
                }
            }
        }
    }
}

/* Without ETCFLIP the rows of a block are in reverse order. */
static void etc1_rows(void **state)
{
    static const uint8_t block[8] = {0xf0, 0, 0, 0x01, 0, 0, 0, 0}; /* red above black */
    struct harness *h = *state;
    struct texture tex;
    texture_init(&tex, HW_TEX_ETC1, 8, 1, 1, 1, 1);
    memcpy(h->mem.base + tex.base, block, 8);
    for (uint32_t flip = 0; flip < 2; flip++) {
        tex.p1 = 4 << 20 | flip << 19 | 4 << 8;
        texture_sampler(&tex, 1, HW_MIN_NEAREST, HW_WRAP_CLAMP, HW_WRAP_CLAMP);
        assert_int_equal(texture_at(h, &tex, 0.5f, 0.1f, 0, 0), flip ? 0xff0202ff : 0xff020202);
        assert_int_equal(texture_at(h, &tex, 0.5f, 0.9f, 0, 0), flip ? 0xff020202 : 0xff0202ff);
    }
}

/* A child image, a part of an image, is sampled like a whole one, including wrap modes. Texels outside the parent image
 * are clamped to its edge. */
static void child_images(void **state)
{
    struct harness *h = *state;
    struct gpu_tmu_request request = {0};
    union gpu_vec result;
    struct texture tex;
    texture_init(&tex, HW_TEX_RGBA8888, 4, 64, 64, 1, 1);
    texture_sampler(&tex, 1, HW_MIN_NEAREST, HW_WRAP_REPEAT, HW_WRAP_REPEAT);
    for (uint32_t p = 0; p < 64 * 64; p++)
        texture_poke(h, &tex, 0, 0, p % 64, p / 64, p);
    gpu_tmu_begin_job(h->tmu);
    for (unsigned order = 0; order < 2; order++) {
        request.configs = 4;
        request.config[0] = tex.p0;
        request.config[1] = tex.p1;
        request.config[2 + order] = 2u << 30 | 8 << 12 | 10; /* 10 x 8 */
        request.config[3 - order] = 3u << 30 | 5 << 12 | 58; /* at (58, 5) */
        for (unsigned l = 0; l < QPU_LANES; l++) {
            request.s.f[l] = ((float)l + 0.5f) / 10;
            request.t.f[l] = 2.5f / 8;
        }
        assert_null(gpu_tmu_sample(h->tmu, &request, &result));
        for (unsigned l = 0; l < QPU_LANES; l++)
            assert_int_equal(result.u[l], (5 + 2) * 64 + MIN2(58 + l % 10, 63));
    }
}

/* Unmapped memory reads as 0, whether the whole texture or only its end is unmapped. */
static void not_mapped(void **state)
{
    struct harness *h = *state;
    struct texture tex;

    texture_init(&tex, HW_TEX_RGBX8888, 4, 64, 64, 1, 1);
    texture_sampler(&tex, 1, HW_MIN_NEAREST, HW_WRAP_CLAMP, HW_WRAP_CLAMP);
    tex.p0 = (tex.p0 & 0xfff) | 0xfffff000u;
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, 0), 0xff000000);
    tex.p0 = (tex.p0 & 0xfff) | (HARNESS_MEMORY_B - 4096);
    memcpy(h->mem.base + HARNESS_MEMORY_B - 4096, &(uint32_t){0x112233}, 4);
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, 0), 0xff112233); /* the mapped page */
    assert_int_equal(texture_at(h, &tex, 0.9f, 0.9f, 0, 0), 0xff000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),    cmocka_unit_test(types),          cmocka_unit_test(refused_types),
        cmocka_unit_test(etc1_blocks), cmocka_unit_test(etc1_levels),   cmocka_unit_test(etc1_rows),
        cmocka_unit_test(child_images),
        cmocka_unit_test(not_mapped),
    };
    return cmocka_run_group_tests_name("gpu_tmu_texel", tests, harness_setup, harness_teardown);
}
