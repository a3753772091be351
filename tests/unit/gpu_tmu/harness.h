/* SPDX-License-Identifier: MIT
 *
 * Harness of the TMU tests: textures in a small memory, laid out by hw/layout.h, and lookups.
 */
#ifndef TEST_GPU_TMU_HARNESS_H
#define TEST_GPU_TMU_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "hw/layout.h"
#include "model/gpu/gpu_tmu_state.h"

#define HARNESS_MEMORY_B (16u << 20)

struct harness {
    struct gpu_memory mem;
    struct gpu_tmu *tmu;
    const char *message; /* why the last lookup was refused */
};

/* A texture under test. */
struct texture {
    struct hw_layout layout;
    uint32_t base;       /* address of level 0 */
    uint32_t p0, p1, p2; /* configuration words; p2 is not sent if it is 0 */
};

int harness_setup(void **state);
int harness_teardown(void **state);

/* Lays out a texture at 1 MiB. Filters and wrap modes are 0 (linear, linear, repeat). */
void texture_init(struct texture *tex, enum hw_tex_type type, uint32_t cpp, uint32_t width, uint32_t height,
                  uint32_t levels, uint32_t faces);
void texture_sampler(struct texture *tex, unsigned mag_nearest, enum hw_tex_min min, enum hw_tex_wrap s,
                     enum hw_tex_wrap t);

/* Writes one texel through hw/layout.h. */
void texture_poke(struct harness *h, const struct texture *tex, uint32_t face, uint32_t level, uint32_t x, uint32_t y,
                  uint32_t raw);

/* Looks up one coordinate with all lanes, so the automatic LOD selects magnification. */
uint32_t texture_at(struct harness *h, const struct texture *tex, float s, float t, uint32_t r, float b);

/* Sends the request with the texture's configuration words. False: the TMU refused it, `message` says why. */
bool texture_request(struct harness *h, const struct texture *tex, struct gpu_tmu_request *request,
                     union gpu_vec *result);

#endif
