/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include "harness.h"

static bool is_mapped(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B)
{
    return addr >= 0x1000 && addr < mem->size_B && size_B <= mem->size_B - addr;
}

int harness_setup(void **state)
{
    struct harness *h = calloc(1, sizeof *h);

    h->mem = (struct gpu_memory){calloc(1, HARNESS_MEMORY_B), HARNESS_MEMORY_B, is_mapped};
    h->tmu = gpu_tmu_create(&h->mem);
    *state = h;
    return 0;
}

int harness_teardown(void **state)
{
    struct harness *h = *state;

    gpu_tmu_destroy(h->tmu);
    free(h->mem.base);
    free(h);
    return 0;
}

void texture_init(struct texture *tex, enum hw_tex_type type, uint32_t cpp, uint32_t width, uint32_t height,
                  uint32_t levels, uint32_t faces)
{
    struct hw_layout_info info = {width, height, cpp, levels, faces, type != HW_TEX_RGBA32R};

    memset(tex, 0, sizeof *tex);
    if (!hw_layout_init(&tex->layout, &info))
        fail();
    tex->base = 0x100000 + tex->layout.level[0].offset_B;
    assert_int_equal(tex->base & 0xfff, 0);
    tex->p0 = tex->base | (faces == 6) << 9 | ((uint32_t)type & 15) << 4 | (levels - 1);
    tex->p1 = (uint32_t)type >> 4 << 31 | (height & 0x7ff) << 20 | (width & 0x7ff) << 8;
    if (faces == 6)
        tex->p2 = 1u << 30 | tex->layout.layer_stride_B;
}

void texture_sampler(struct texture *tex, unsigned mag_nearest, enum hw_tex_min min, enum hw_tex_wrap s,
                     enum hw_tex_wrap t)
{
    tex->p1 = (tex->p1 & ~0xffu) | mag_nearest << 7 | (uint32_t)min << 4 | (uint32_t)t << 2 | (uint32_t)s;
}

void texture_poke(struct harness *h, const struct texture *tex, uint32_t face, uint32_t level, uint32_t x, uint32_t y,
                  uint32_t raw)
{
    const struct hw_level *l = &tex->layout.level[level];
    uint32_t offset_B = l->offset_B + hw_element_offset_B(l->tiling, l->stride_B, tex->layout.cpp, x, y);

    memcpy(h->mem.base + tex->base - tex->layout.level[0].offset_B + face * tex->layout.layer_stride_B + offset_B, &raw,
           tex->layout.cpp);
}

bool texture_request(struct harness *h, const struct texture *tex, struct gpu_tmu_request *request,
                     union gpu_vec *result)
{
    struct gpu_fp_mode mode = gpu_fp_enter();

    request->config[0] = tex->p0;
    request->config[1] = tex->p1;
    request->config[2] = tex->p2;
    request->configs = tex->p2 ? 3 : 2;
    h->message = gpu_tmu_sample(h->tmu, request, result);
    gpu_fp_leave(mode);
    return !h->message;
}

uint32_t texture_at(struct harness *h, const struct texture *tex, float s, float t, uint32_t r, float b)
{
    struct gpu_tmu_request request;
    union gpu_vec result;

    gpu_vec_splat(&request.s, util_fui(s));
    gpu_vec_splat(&request.t, util_fui(t));
    gpu_vec_splat(&request.r, r);
    gpu_vec_splat(&request.b, util_fui(b));
    if (!texture_request(h, tex, &request, &result))
        fail_msg("%s", h->message);
    for (unsigned l = 1; l < QPU_LANES; l++)
        assert_int_equal(result.u[l], result.u[0]);
    return result.u[0];
}
