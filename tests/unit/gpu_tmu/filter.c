/* SPDX-License-Identifier: MIT
 *
 * Texture filters, levels of detail, wrap modes, borders, cube faces.
 */
#include <math.h>
#include "harness.h"

#define NEAREST_ONLY 1, HW_MIN_NEAREST
#define LINEAR_ONLY  0, HW_MIN_LINEAR

/* 4 x 4 texels; R of texel (x, y) is 16 x + 64 y, G 7, B 255 - 16 x, A 255. */
static void gradient(struct harness *h, struct texture *tex)
{
    texture_init(tex, HW_TEX_RGBX8888, 4, 4, 4, 1, 1);
    for (uint32_t p = 0; p < 16; p++) {
        uint32_t x = p % 4, y = p / 4;
        texture_poke(h, tex, 0, 0, x, y, (16 * x + 64 * y) | 7 << 8 | (255 - 16 * x) << 16);
    }
    gpu_tmu_begin_job(h->tmu);
}

static void nearest_texels(void **state)
{
    struct harness *h = *state;
    struct texture tex;

    gradient(h, &tex);
    texture_sampler(&tex, NEAREST_ONLY, HW_WRAP_REPEAT, HW_WRAP_REPEAT);
    assert_int_equal(texture_at(h, &tex, 0.0f, 0.0f, 0, 0) & 0xff, 0);
    assert_int_equal(texture_at(h, &tex, 0.2499f, 0.0f, 0, 0) & 0xff, 0);
    assert_int_equal(texture_at(h, &tex, 0.25f, 0.0f, 0, 0) & 0xff, 16);
    assert_int_equal(texture_at(h, &tex, 0.999f, 0.999f, 0, 0) & 0xff, 48 + 192);
    assert_int_equal(texture_at(h, &tex, 0.3f, 0.6f, 0, 0), 0xff000700u | (16 + 128) | 239 << 16);
}

static void wraps(void **state)
{
    struct harness *h = *state;
    struct texture tex;

    gradient(h, &tex);
    texture_sampler(&tex, NEAREST_ONLY, HW_WRAP_REPEAT, HW_WRAP_CLAMP);
    assert_int_equal(texture_at(h, &tex, 1.3f, 0, 0, 0) & 0xff, 16);
    assert_int_equal(texture_at(h, &tex, -0.1f, 0, 0, 0) & 0xff, 48);
    assert_int_equal(texture_at(h, &tex, -1e-9f, 0, 0, 0) & 0xff, 48);
    assert_int_equal(texture_at(h, &tex, 0, 1.3f, 0, 0) & 0xff, 192);
    assert_int_equal(texture_at(h, &tex, 0, -5.0f, 0, 0) & 0xff, 0);
    texture_sampler(&tex, NEAREST_ONLY, HW_WRAP_MIRROR, HW_WRAP_MIRROR);
    assert_int_equal(texture_at(h, &tex, 1.1f, 0, 0, 0) & 0xff, 48);
    assert_int_equal(texture_at(h, &tex, 1.9f, 0, 0, 0) & 0xff, 0);
    assert_int_equal(texture_at(h, &tex, -0.3f, 0, 0, 0) & 0xff, 16);
    assert_int_equal(texture_at(h, &tex, 2.3f, 0, 0, 0) & 0xff, 16);
    assert_int_equal(texture_at(h, &tex, 0, 1.1f, 0, 0) & 0xff, 192);
    texture_sampler(&tex, NEAREST_ONLY, HW_WRAP_BORDER, HW_WRAP_BORDER);
    assert_int_equal(texture_at(h, &tex, 1.1f, 0, 0x12345678, 0), 0x12345678);
    assert_int_equal(texture_at(h, &tex, 0, -0.1f, 0x12345678, 0), 0x12345678);
    assert_int_equal(texture_at(h, &tex, 0.9f, 0, 0x12345678, 0) & 0xff, 48);
    /* extreme coordinates never read outside the texture */
    for (unsigned wrap = 0; wrap < 4; wrap++) {
        texture_sampler(&tex, LINEAR_ONLY, wrap, wrap);
        texture_at(h, &tex, INFINITY, -INFINITY, 0, 0);
        texture_at(h, &tex, NAN, 3e38f, 0, 0);
    }
}

static void linear_weights(void **state)
{
    struct harness *h = *state;
    struct texture tex;

    gradient(h, &tex);
    texture_sampler(&tex, LINEAR_ONLY, HW_WRAP_CLAMP, HW_WRAP_CLAMP);
    assert_int_equal(texture_at(h, &tex, 0.375f, 0.125f, 0, 0) & 0xff, 16); /* a texel's centre */
    assert_int_equal(texture_at(h, &tex, 0.5f, 0.125f, 0, 0) & 0xff, 24);
    assert_int_equal(texture_at(h, &tex, 0.5f, 0.5f, 0, 0) & 0xff, 24 + 96);
    assert_int_equal(texture_at(h, &tex, 0.4375f, 0.5f, 0, 0), 0xff000700u | (20 + 96) | 235 << 16);
    assert_int_equal(texture_at(h, &tex, 0.0f, 0.0f, 0, 0) & 0xff, 0);
    assert_int_equal(texture_at(h, &tex, 1.0f, 1.0f, 0, 0) & 0xff, 240);
    texture_sampler(&tex, LINEAR_ONLY, HW_WRAP_REPEAT, HW_WRAP_CLAMP);
    assert_int_equal(texture_at(h, &tex, 0.0f, 0.0f, 0, 0) & 0xff, 24); /* half of 48 and half of 0 */
    assert_int_equal(texture_at(h, &tex, 1.0f, 0.0f, 0, 0) & 0xff, 24);
    texture_sampler(&tex, LINEAR_ONLY, HW_WRAP_BORDER, HW_WRAP_CLAMP);
    assert_int_equal(texture_at(h, &tex, 0.0f, 0.0f, 0xffffffff, 0) & 0xff, 128); /* half border */
    texture_sampler(&tex, LINEAR_ONLY, HW_WRAP_MIRROR, HW_WRAP_CLAMP);
    assert_int_equal(texture_at(h, &tex, 0.0f, 0.0f, 0, 0) & 0xff, 0);
}

/* Interpolated coordinates are slightly inexact: close to a texel's centre, the filter must return that texel. */
static void linear_rounds_to_the_middle(void **state)
{
    struct harness *h = *state;
    struct texture tex;

    texture_init(&tex, HW_TEX_RGBA8888, 4, 500, 1, 1, 1);
    for (uint32_t p = 0; p < 500; p++)
        texture_poke(h, &tex, 0, 0, p, 0, p & 1 ? 0xffffffff : 0);
    gpu_tmu_begin_job(h->tmu);
    texture_sampler(&tex, LINEAR_ONLY, HW_WRAP_CLAMP, HW_WRAP_CLAMP);
    for (uint32_t p = 0; p < 500; p++) {
        const uint32_t texel = p & 1 ? 0xffffffff : 0, near = p & 1 ? 0xfefefefe : 0x01010101;
        const float s = ((float)p + 0.5f) / 500;
        assert_int_equal(texture_at(h, &tex, s - 1e-6f, 0, 0, 0), texel); /* 1/2000 texel */
        assert_int_equal(texture_at(h, &tex, s + 1e-6f, 0, 0, 0), texel);
        if (p > 0)
            assert_int_equal(texture_at(h, &tex, s - 6e-6f, 0, 0, 0), near); /* 1/333 texel, rounded to 1/256 */
    }
}

static void sizes_that_are_no_powers_of_two(void **state)
{
    struct harness *h = *state;
    struct texture tex;

    texture_init(&tex, HW_TEX_RGBA8888, 4, 5, 3, 1, 1);
    for (uint32_t p = 0; p < 15; p++)
        texture_poke(h, &tex, 0, 0, p % 5, p / 5, p);
    gpu_tmu_begin_job(h->tmu);
    texture_sampler(&tex, NEAREST_ONLY, HW_WRAP_REPEAT, HW_WRAP_REPEAT);
    for (uint32_t p = 0; p < 15; p++) {
        float s = ((float)(p % 5) + 0.5f) / 5, t = ((float)(p / 5) + 0.5f) / 3;
        assert_int_equal(texture_at(h, &tex, s, t, 0, 0), p);
        assert_int_equal(texture_at(h, &tex, s + 2, t - 3, 0, 0), p);
    }
}

/* An 8 x 8 texture whose levels have one value each: 40, 80, 120, 160. */
static void make_levels(struct harness *h, struct texture *tex)
{
    texture_init(tex, HW_TEX_RGBA8888, 4, 8, 8, 4, 1);
    for (uint32_t level = 0; level < 4; level++) {
        for (uint32_t p = 0; p < 64u >> 2 * level; p++)
            texture_poke(h, tex, 0, level, p % (8 >> level), p / (8 >> level), 40 * (level + 1));
    }
    gpu_tmu_begin_job(h->tmu);
}

static void given_lod(void **state)
{
    struct harness *h = *state;
    struct texture tex;

    make_levels(h, &tex);
    tex.p2 = 1u << 30 | 1;
    texture_sampler(&tex, 1, HW_MIN_NEAR_MIP_NEAR, HW_WRAP_REPEAT, HW_WRAP_REPEAT);
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, -3.0f), 40);
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, 0.4f), 40);
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, 0.6f), 80);
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, 2.0f), 120);
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, 99.0f), 160);
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, NAN), 40);
    texture_sampler(&tex, 1, HW_MIN_LIN_MIP_NEAR, HW_WRAP_REPEAT, HW_WRAP_REPEAT);
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, 1.4f), 80);
    texture_sampler(&tex, 1, HW_MIN_NEAR_MIP_LIN, HW_WRAP_REPEAT, HW_WRAP_REPEAT);
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, 0.5f), 60);
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, 2.25f), 130);
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, 3.0f), 160);
    texture_sampler(&tex, 1, HW_MIN_LIN_MIP_LIN, HW_WRAP_REPEAT, HW_WRAP_REPEAT);
    assert_int_equal(texture_at(h, &tex, 0.3f, 0.7f, 0, 1.75f), 110);
    texture_sampler(&tex, 1, HW_MIN_LINEAR, HW_WRAP_REPEAT, HW_WRAP_REPEAT);
    assert_int_equal(texture_at(h, &tex, 0, 0, 0, 2.0f), 40); /* a filter without mip levels */
}

static void lod_of_a_quad(void **state)
{
    struct harness *h = *state;
    struct texture tex;
    struct gpu_tmu_request r;
    union gpu_vec result;

    make_levels(h, &tex);
    texture_sampler(&tex, 0, HW_MIN_NEAR_MIP_LIN, HW_WRAP_REPEAT, HW_WRAP_REPEAT);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        /* texels per pixel: quad 0: 1 in x, quad 1: 2 in x, quad 2: 4 in y, quad 3: 2 in x and 1 in y */
        static const float dx[4] = {1, 2, 1, 2}, dy[4] = {0, 1, 4, 1};
        r.s.f[l] = (float)(l & 1) * dx[l >> 2] / 8;
        r.t.f[l] = (float)(l >> 1 & 1) * dy[l >> 2] / 8;
        r.r.u[l] = 0;
        r.b.f[l] = 0;
    }
    assert_true(texture_request(h, &tex, &r, &result));
    assert_int_equal(result.u[0], 40);
    assert_int_equal(result.u[4], 80);
    assert_int_equal(result.u[8], 120);
    assert_int_equal(result.u[15], 80);
    for (unsigned l = 0; l < QPU_LANES; l++)
        r.b.f[l] = 1.0f; /* a bias */
    assert_true(texture_request(h, &tex, &r, &result));
    assert_int_equal(result.u[0], 80);
    assert_int_equal(result.u[4], 120);
    assert_int_equal(result.u[8], 160);
}

/* A 32 x 64 texture: for the LOD, steps along s are limited to the image's width, steps along t are not limited. */
static void steps_end_with_the_image(void **state)
{
    struct harness *h = *state;
    struct texture tex;
    struct gpu_tmu_request r;
    union gpu_vec result;

    texture_init(&tex, HW_TEX_RGBA8888, 4, 32, 64, 7, 1);
    for (uint32_t level = 0; level < 7; level++) {
        uint32_t width = util_minify(32, level);
        for (uint32_t p = 0; p < width * (64 >> level); p++)
            texture_poke(h, &tex, 0, level, p % width, p / width, 40 * level);
    }
    gpu_tmu_begin_job(h->tmu);
    texture_sampler(&tex, 0, HW_MIN_NEAR_MIP_LIN, HW_WRAP_REPEAT, HW_WRAP_REPEAT);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        static const float dx[4] = {16, 32, 40, -40}, dy[4] = {0, 0, 14, 45.254834f}; /* texels */
        r.s.f[l] = (float)(l & 1) * dx[l >> 2] / 32;
        r.t.f[l] = (float)(l >> 1 & 1) * dy[l >> 2] / 64;
        r.r.u[l] = 0;
        r.b.f[l] = 0;
    }
    assert_true(texture_request(h, &tex, &r, &result));
    assert_int_equal(result.u[0], 160);
    assert_int_equal(result.u[4], 200);
    assert_int_equal(result.u[8], 200);
    assert_in_range(result.u[12], 219, 220);
}

/* A quad that crosses from one cube face to the next: the lanes on a face must get the LOD of the same step within the
 * face. */
static void lod_over_a_cube_edge(void **state)
{
    struct harness *h = *state;
    struct texture tex;
    struct gpu_tmu_request r;
    union gpu_vec result;

    texture_init(&tex, HW_TEX_RGBA8888, 4, 8, 8, 4, 6);
    for (uint32_t face = 0; face < 6; face++) {
        for (uint32_t level = 0; level < 4; level++)
            for (uint32_t p = 0; p < 64u >> 2 * level; p++)
                texture_poke(h, &tex, face, level, p % (8 >> level), p / (8 >> level), 40 * (level + 1));
    }
    gpu_tmu_begin_job(h->tmu);
    texture_sampler(&tex, 0, HW_MIN_NEAR_MIP_LIN, HW_WRAP_CLAMP, HW_WRAP_CLAMP);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        /* (1, 0, z) in steps of 1/2, which are 2 texels: quad 0 is on a face, the others cross an edge and are divided
         * by z. Odd lanes are off the face in quads 1 and 2, even ones in quad 3. */
        static const float first[4] = {0.25f, 0.75f, 0.9375f, -1.4375f};
        float x = 1, z = first[l >> 2] + (float)(l & 1) * 0.5f, largest = MAX2(x, fabsf(z));
        r.s.f[l] = x / largest;
        r.t.f[l] = 0;
        r.r.f[l] = z / largest;
        r.b.f[l] = 0;
    }
    assert_true(texture_request(h, &tex, &r, &result));
    for (unsigned l = 0; l < QPU_LANES; l++)
        if (l < 4 || (l & 1) == (l >= 12))
            assert_in_range(result.u[l], 79, 80);
}

static void magnification_has_its_own_filter(void **state)
{
    struct harness *h = *state;
    struct texture tex;

    gradient(h, &tex);
    tex.p2 = 1u << 30 | 1;
    texture_sampler(&tex, 1, HW_MIN_LINEAR, HW_WRAP_CLAMP, HW_WRAP_CLAMP);
    assert_int_equal(texture_at(h, &tex, 0.5f, 0.125f, 0, -1) & 0xff, 32);
    assert_int_equal(texture_at(h, &tex, 0.5f, 0.125f, 0, 1) & 0xff, 24);
}

static void cube_faces(void **state)
{
    static const float axes[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    /* A direction and its texel on an 8 x 8 face: s runs right, t down the face [OpenGL's table of faces]. */
    static const struct {
        float dir[3];
        unsigned face, x, y;
    } places[] = {
        {{1, 0.9f, 0.9f}, 0, 0, 0}, {{1, -0.9f, 0.9f}, 0, 0, 7}, {{-1, 0.9f, 0.9f}, 1, 7, 0},
        {{0.9f, 1, 0.9f}, 2, 7, 7}, {{0.9f, 1, -0.9f}, 2, 7, 0}, {{0.9f, -1, 0.9f}, 3, 7, 0},
        {{0.9f, 0.9f, 1}, 4, 7, 0}, {{0.9f, 0.9f, -1}, 5, 0, 0}, {{-0.9f, -0.9f, -1}, 5, 7, 7},
    };
    struct harness *h = *state;
    struct texture tex;

    texture_init(&tex, HW_TEX_RGBA8888, 4, 8, 8, 4, 6);
    for (uint32_t face = 0; face < 6; face++) {
        for (uint32_t p = 0; p < 64; p++)
            texture_poke(h, &tex, face, 0, p % 8, p / 8, face << 16 | p % 8 << 8 | p / 8);
    }
    gpu_tmu_begin_job(h->tmu);
    texture_sampler(&tex, NEAREST_ONLY, HW_WRAP_CLAMP, HW_WRAP_CLAMP);
    for (unsigned f = 0; f < 6; f++)
        assert_int_equal(texture_at(h, &tex, axes[f][0], axes[f][1], util_fui(axes[f][2]), 0) >> 16, f);
    for (unsigned n = 0; n < ARRAY_SIZE(places); n++) {
        const float *d = places[n].dir;
        assert_int_equal(texture_at(h, &tex, d[0], d[1], util_fui(d[2]), 0),
                         places[n].face << 16 | places[n].x << 8 | places[n].y);
    }
}

static void flip(void **state)
{
    struct harness *h = *state;
    struct texture tex;

    gradient(h, &tex);
    texture_sampler(&tex, NEAREST_ONLY, HW_WRAP_CLAMP, HW_WRAP_CLAMP);
    tex.p0 |= 1u << 8;
    assert_int_equal(texture_at(h, &tex, 0.1f, 0.1f, 0, 0) & 0xff, 192);
}

static void half_floats_and_integers(void **state)
{
    struct harness *h = *state;
    struct texture tex;

    texture_init(&tex, HW_TEX_S16F, 2, 2, 1, 1, 1);
    texture_poke(h, &tex, 0, 0, 0, 0, 0x3c00); /* 1 */
    texture_poke(h, &tex, 0, 0, 1, 0, 0x4200); /* 3 */
    gpu_tmu_begin_job(h->tmu);
    texture_sampler(&tex, LINEAR_ONLY, HW_WRAP_CLAMP, HW_WRAP_CLAMP);
    assert_int_equal(texture_at(h, &tex, 0.5f, 0.5f, 0, 0), 0x4000);
    texture_init(&tex, HW_TEX_S16, 2, 2, 1, 1, 1);
    texture_sampler(&tex, LINEAR_ONLY, HW_WRAP_CLAMP, HW_WRAP_CLAMP); /* integers cannot be filtered: nearest */
    assert_int_equal(texture_at(h, &tex, 0.49f, 0.5f, 0, 0), 0x3c00);
}

static void borders_by_type(void **state)
{
    static const struct {
        enum hw_tex_type type;
        uint32_t cpp, word;
    } cases[] = {
        {HW_TEX_RGBA8888, 4, 0x44332211}, {HW_TEX_RGBA4444, 2, 0x44332211}, {HW_TEX_RGBA5551, 2, 0xff332211},
        {HW_TEX_RGB565, 2, 0xff332211},   {HW_TEX_ALPHA, 1, 0x44000000},    {HW_TEX_LUMALPHA, 2, 0x44111111},
    };
    struct harness *h = *state;
    struct texture tex;

    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        texture_init(&tex, cases[n].type, cases[n].cpp, 4, 4, 1, 1);
        texture_sampler(&tex, NEAREST_ONLY, HW_WRAP_BORDER, HW_WRAP_CLAMP);
        assert_int_equal(texture_at(h, &tex, -1, 0, cases[n].word, 0), cases[n].word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_texels),
        cmocka_unit_test(wraps),
        cmocka_unit_test(linear_weights),
        cmocka_unit_test(linear_rounds_to_the_middle),
        cmocka_unit_test(sizes_that_are_no_powers_of_two),
        cmocka_unit_test(given_lod),
        cmocka_unit_test(lod_of_a_quad),
        cmocka_unit_test(steps_end_with_the_image),
        cmocka_unit_test(lod_over_a_cube_edge),
        cmocka_unit_test(magnification_has_its_own_filter),
        cmocka_unit_test(cube_faces),
        cmocka_unit_test(flip),
        cmocka_unit_test(half_floats_and_integers),
        cmocka_unit_test(borders_by_type),
    };
    return cmocka_run_group_tests_name("gpu_tmu_filter", tests, harness_setup, harness_teardown);
}
