/* SPDX-License-Identifier: MIT
 *
 * The vector implementations of texture requests that this host supports: for random textures, samplers and coordinates
 * they must give the same bits as the plain code of gpu_tmu_filter.c. VKT_FUZZ=full runs many more; VKT_SEED sets the
 * first seed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "harness.h"
#include "model/gpu/gpu_simd.h"
#include "util/thread.h"

static const char *const host_names[GPU_SIMD_HOSTS] = {"base", "avx2", "avx512"};

static uint32_t random_word(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)((uint64_t)random_word(state) * limit >> 32);
}

static float unit(uint64_t *state)
{
    return (float)random_word(state) * 0x1p-32f;
}

static const struct {
    enum hw_tex_type type;
    uint32_t cpp;
} types[] = {
    {HW_TEX_RGBA8888, 4}, {HW_TEX_RGBX8888, 4},  {HW_TEX_RGBA4444, 2}, {HW_TEX_RGBA5551, 2}, {HW_TEX_RGB565, 2},
    {HW_TEX_LUMINANCE, 1}, {HW_TEX_ALPHA, 1}, {HW_TEX_LUMALPHA, 2},  {HW_TEX_S8, 1},  {HW_TEX_RGBA32R, 4},
};

static uint32_t random_size(uint64_t *r)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 8, 15, 16, 31, 32, 64, 100, 128, 200, 256};

    return sizes[below(r, ARRAY_SIZE(sizes))];
}

static void random_texture(uint64_t *r, struct texture *tex)
{
    unsigned t = below(r, ARRAY_SIZE(types));
    bool raster = types[t].type == HW_TEX_RGBA32R, cube = !raster && !below(r, 5);
    uint32_t width = random_size(r), height = cube ? width : random_size(r), most = util_log2(MAX2(width, height)) + 1;

    if (raster)
        width = util_next_pow2(width);
    texture_init(tex, types[t].type, types[t].cpp, width, height, raster ? 1 : 1 + below(r, MIN2(most, 12u)),
                 cube ? 6 : 1);
    texture_sampler(tex, below(r, 2), below(r, 6), below(r, 3), below(r, 3));
    if (below(r, 2)) /* the same filter for magnification and minification */
        tex->p1 = (tex->p1 & ~0xf0u) | (below(r, 2) ? 0x90u : 0);
    if (!below(r, 4))
        tex->p0 ^= 1u << 8;
    if (!below(r, 4))
        tex->p2 |= 1u << 30 | 1;
}

static float special_float(uint64_t *r)
{
    static const uint32_t words[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x80000000, 0x3f800000, 0xbf800000,
                                     0x00000001, 0x7f7fffff, 0xb3000000, 0x3f7fffff, 0x40000000, 0x49800000};

    return util_uif(below(r, 4) ? words[below(r, ARRAY_SIZE(words))] : random_word(r));
}

/* Coordinates of quads with steps of many lengths, and some special values. */
static void random_coordinates(uint64_t *r, union gpu_vec *out)
{
    for (unsigned l = 0; l < QPU_LANES; l += 4) {
        float step = util_uif((127 - below(r, 14)) << 23), at = unit(r) * 3.0f - 1.0f;
        for (unsigned n = 0; n < 4; n++)
            out->f[l + n] = below(r, 60) ? at + step * (unit(r) - 0.5f) : special_float(r);
    }
}

static void random_direction(uint64_t *r, struct gpu_tmu_request *request)
{
    for (unsigned l = 0; l < QPU_LANES; l++) {
        unsigned major = below(r, 3);
        float sign = below(r, 2) ? 1.0f : -1.0f;
        *(major == 0 ? &request->s.f[l] : major == 1 ? &request->t.f[l] : &request->r.f[l]) = sign;
    }
}

static void random_request(uint64_t *r, const struct texture *tex, struct gpu_tmu_request *request)
{
    union gpu_vec *const each[4] = {&request->s, &request->t, &request->r, &request->b};

    for (unsigned n = 0; n < 4; n++)
        random_coordinates(r, each[n]);
    for (unsigned l = 0; l < QPU_LANES; l++)
        request->b.f[l] *= below(r, 2) ? 6.0f : 0;
    if (tex->p0 >> 9 & 1 && below(r, 2))
        random_direction(r, request);
}

static void one_texture(struct harness *h, uint64_t seed)
{
    uint64_t r = seed;
    struct texture tex;
    struct gpu_tmu_request request;

    random_texture(&r, &tex);
    gpu_tmu_begin_job(h->tmu);
    for (unsigned n = 0; n < 20; n++) {
        union gpu_vec want, got;
        random_request(&r, &tex, &request);
        h->tmu->wide = NULL;
        assert_true(texture_request(h, &tex, &request, &want));
        for (unsigned host = 0; host < GPU_SIMD_HOSTS; host++) {
            h->tmu->wide = gpu_simd_for(host);
            if (!h->tmu->wide)
                continue;
            assert_true(texture_request(h, &tex, &request, &got));
            if (memcmp(&want, &got, sizeof want))
                fail_msg("%s, seed %" PRIu64 ": P0 %08" PRIx32 " P1 %08" PRIx32, host_names[host], seed, tex.p0,
                         tex.p1);
        }
    }
}

static uint64_t first_seed(void)
{
    const char *given = getenv("VKT_SEED");

    return given ? strtoull(given, NULL, 0) : util_now_ns();
}

static void fill_memory(struct harness *h)
{
    uint64_t r = 1;

    for (uint32_t at = 0; at < HARNESS_MEMORY_B; at += 4) {
        uint32_t word = random_word(&r);
        memcpy(h->mem.base + at, &word, 4);
    }
}

static void same_as_plain(void **state)
{
    const char *fuzz = getenv("VKT_FUZZ");
    uint64_t first = first_seed(), count = fuzz && !strcmp(fuzz, "full") ? 200000 : 2000;

    print_message("# seeds from %" PRIu64 "\n", first);
    fill_memory(*state);
    for (uint64_t n = 0; n < count; n++)
        one_texture(*state, first + n);
}

/* Loads words at addresses inside and around a window of memory. */
static void loads(void **state)
{
    struct harness *h = *state;
    uint64_t r = 3;

    fill_memory(h);
    for (unsigned n = 0; n < 2000; n++) {
        const uint32_t window = 0x2000 + 4 * below(&r, 100), size_B = below(&r, 3) ? 4096 : below(&r, 9);
        union gpu_vec addr, got;
        bool inside = true;
        for (unsigned l = 0; l < QPU_LANES; l++) {
            addr.u[l] = window + (below(&r, 200) ? below(&r, 4096) : random_word(&r));
            inside &= (uint64_t)((addr.u[l] & ~3u) - window) + 4 <= size_B;
        }
        for (unsigned host = 0; host < GPU_SIMD_HOSTS; host++) {
            const struct gpu_simd *wide = gpu_simd_for(host);
            if (!wide)
                continue;
            assert_int_equal(wide->load(h->mem.base + window, window, size_B, &addr, &got), inside);
            for (unsigned l = 0; l < QPU_LANES && inside; l++)
                assert_memory_equal(&got.u[l], h->mem.base + (addr.u[l] & ~3u), 4);
        }
    }
}

static double thread_time_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Prints the time of a request in each implementation; runs only with VKT_TIME=1 and never fails. */
static void times(void **state)
{
    static const struct {
        const char *name;
        unsigned mag_nearest, min, levels;
    } cases[] = {{"nearest", 1, HW_MIN_NEAREST, 1},
                 {"linear", 0, HW_MIN_LINEAR, 1},
                 {"mip-mapped", 0, HW_MIN_LIN_MIP_LIN, 9}};
    struct harness *h = *state;
    struct gpu_tmu_request request;
    union gpu_vec result;
    struct texture tex;

    for (unsigned c = 0; c < ARRAY_SIZE(cases); c++) {
        texture_init(&tex, HW_TEX_RGBA8888, 4, 256, 256, cases[c].levels, 1);
        texture_sampler(&tex, cases[c].mag_nearest, cases[c].min, HW_WRAP_REPEAT, HW_WRAP_REPEAT);
        gpu_tmu_begin_job(h->tmu);
        for (unsigned l = 0; l < QPU_LANES; l++) {
            request.s.f[l] = 0.3f + (float)((l >> 2 & 1) * 2 + (l & 1)) * 0.011f;
            request.t.f[l] = 0.7f + (float)((l >> 3) * 2 + (l >> 1 & 1)) * 0.011f;
            request.r.f[l] = request.b.f[l] = 0;
        }
        texture_request(h, &tex, &request, &result);
        for (int host = -1; host < GPU_SIMD_HOSTS; host++) {
            h->tmu->wide = host < 0 ? NULL : gpu_simd_for((enum gpu_simd_host)host);
            if (host >= 0 && !h->tmu->wide)
                continue;
            struct gpu_fp_mode mode = gpu_fp_enter();
            double start_ns = thread_time_ns();
            for (unsigned n = 0; n < 100000; n++)
                gpu_tmu_sample(h->tmu, &request, &result);
            gpu_fp_leave(mode);
            print_message("# %s, %s: %.0f ns\n", cases[c].name, host < 0 ? "plain" : host_names[host],
                          (thread_time_ns() - start_ns) / 100000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_as_plain, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(loads, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(times, harness_setup, harness_teardown), /* last: optional */
    };
    const size_t count = ARRAY_SIZE(tests) - !getenv("VKT_TIME");

    return _cmocka_run_group_tests("gpu_tmu_wide", tests, count, NULL, NULL);
}
