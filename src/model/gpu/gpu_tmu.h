/* SPDX-License-Identifier: MIT
 *
 * Texture unit: takes what one QPU wrote to S, T, R, B together with the configuration words that came with the writes,
 * and gives the 32-bit result of each lane. Relies on hw/tex.h and hw/layout.h; knows nothing of programs.
 * Left out: timing, and everything that caches would show. Runs in the mode of gpu_fp_enter().
 */
#ifndef GPU_TMU_H
#define GPU_TMU_H

#include "model/gpu/gpu.h"
#include "model/gpu/gpu_alu.h"

struct gpu_tmu;
struct gpu_stats;

struct gpu_tmu_request {
    union gpu_vec s, t, r, b; /* floats; parameters that were not written are 0 */
    uint32_t config[4];       /* P0..P3 in the order of the writes */
    unsigned configs;         /* how many writes there were */
};

struct gpu_tmu *gpu_tmu_create(const struct gpu_memory *mem); /* NULL: out of memory */
void gpu_tmu_destroy(struct gpu_tmu *tmu);                    /* NULL is accepted */
void gpu_tmu_begin_job(struct gpu_tmu *tmu);                  /* memory may have changed */
void gpu_tmu_take_stats(struct gpu_tmu *tmu, struct gpu_stats *stats); /* texels are counted; NULL: they are not */

/* What host code needs to look up texels by itself (jit_tex_nearest.c). Coordinates become a column x and a row y; their texel
 * lies at (X ^ flip) + add, in all layouts:
 * X = x << 2 & column[0] | x << 4 & column[1] | x << 6 & column[2] | x << 7 & column[3],
 * flip = y << 6 & the field | the field of that name for odd rows of tiles, those with bit 5,
 * add = (y << 4 & row[0] | y << 6 & row[1]) + n * row_B, n being y >> row_shift, made even by its `odd`. */
struct gpu_nearest {
    uint32_t p0, p1; /* the texture's words */
    uint32_t usable; /* 0: it is not for host code */
    const uint8_t *texels;
    float size[2];
    uint32_t repeats[2];        /* all ones or 0 */
    uint32_t count[2];          /* the size */
    uint32_t beyond[2];         /* what a number that is the size becomes */
    uint32_t column[4], row[2]; /* masks */
    uint32_t flip, flip_odd, row_shift, odd, row_B;
    uint32_t opaque; /* bits that all texels have */
};

/* Of a request with two parameters: only the nearest texels of level 0 of plain words are for host code. */
void gpu_tmu_find_near(struct gpu_tmu *tmu, uint32_t p0, uint32_t p1, struct gpu_nearest *out);

/* A texture lookup with two or more parameters. NULL, or a static message when the unit cannot do it. */
const char *gpu_tmu_sample(struct gpu_tmu *tmu, const struct gpu_tmu_request *request, union gpu_vec *result);

#endif
