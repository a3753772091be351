/* SPDX-License-Identifier: MIT
 *
 * Texture unit: takes what one QPU wrote to S, T, R, B and the configuration words that came with the writes, and
 * returns the 32-bit result of each lane. Depends on hw/tex.h and hw/layout.h; knows nothing of programs. Not modelled:
 * timing and caches. Callers must have called gpu_fp_enter().
 */
#ifndef GPU_TMU_H
#define GPU_TMU_H

#include "model/gpu/gpu.h"
#include "model/gpu/gpu_alu.h"

struct gpu_tmu;
struct gpu_stats;

struct gpu_tmu_request {
    union gpu_vec s, t, r, b; /* floats; 0 if not written */
    uint32_t config[4];       /* P0..P3 in the order of the writes */
    unsigned configs;         /* number of configuration words */
};

struct gpu_tmu *gpu_tmu_create(const struct gpu_memory *mem); /* NULL: out of memory */
void gpu_tmu_destroy(struct gpu_tmu *tmu);                    /* NULL is accepted */
void gpu_tmu_begin_job(struct gpu_tmu *tmu);                  /* drops textures: memory may have changed */
void gpu_tmu_set_stats(struct gpu_tmu *tmu, struct gpu_stats *stats); /* NULL: do not count texels */

/* What host code needs to look up texels itself (jit_tex_nearest.c). For the texel in column x and row y, the byte
 * offset is (X ^ flip) + add, in all layouts:
 * X = x << 2 & column[0] | x << 4 & column[1] | x << 6 & column[2] | x << 7 & column[3],
 * flip = y << 6 & the field `flip` | the field `flip_odd` in odd rows of tiles, which are those with bit 5 of y set,
 * add = (y << 4 & row[0] | y << 6 & row[1]) + n * row_B, where n is y >> row_shift, made even by adding n & `odd`. */
struct gpu_nearest {
    uint32_t p0, p1; /* the texture's configuration words */
    uint32_t usable; /* 0: host code cannot handle the texture */
    const uint8_t *texels;
    float size[2];
    uint32_t repeats[2];        /* all ones or 0 */
    uint32_t count[2];          /* the size as an integer */
    uint32_t beyond[2];         /* what an index equal to the size becomes */
    uint32_t column[4], row[2]; /* masks */
    uint32_t flip, flip_odd, row_shift, odd, row_B;
    uint32_t opaque; /* bits to set in all texels */
};

/* Describes the texture of a request with two parameters. Host code handles only nearest filtering of level 0, with
 * texels of 32 bits. */
void gpu_tmu_find_nearest(struct gpu_tmu *tmu, uint32_t p0, uint32_t p1, struct gpu_nearest *out);

/* Does a texture lookup with two or more parameters. Returns NULL, or a static message if the unit cannot do it. */
const char *gpu_tmu_sample(struct gpu_tmu *tmu, const struct gpu_tmu_request *request, union gpu_vec *result);

#endif
