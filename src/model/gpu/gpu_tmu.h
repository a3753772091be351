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

/* A texture lookup with two or more parameters. NULL, or a static message when the unit cannot do it. */
const char *gpu_tmu_sample(struct gpu_tmu *tmu, const struct gpu_tmu_request *request, union gpu_vec *result);

#endif
