/* SPDX-License-Identifier: MIT
 *
 * Counters for a job's cost (model_stats.h), used by the units of the chip. There is one per counted job, used by one
 * thread at a time. For jobs that are not counted the units have NULL, and their only overhead is the check for NULL.
 */
#ifndef GPU_STATS_H
#define GPU_STATS_H

#include "hw/qpu.h"
#include "model/gpu/gpu_alu.h"
#include "model/gpu/gpu.h"
#include "model/model_stats.h"

/* The second-level cache that the texture units share: 32 KiB in lines of 64 bytes, as others have measured [hardware
 * notes 1.2]. A direct-mapped cache is a simplification. */
#define GPU_STATS_LINE_B 64u
#define GPU_STATS_LINES  512u

struct gpu_stats {
    struct model_stats *out;
    struct model_costs *current; /* costs of the current tile, or out->elsewhere */
    enum model_stage vertices; /* the stage that vertex programs count as */
    struct model_program_stats *program; /* the last one that ran, or NULL */
    uint32_t line[GPU_STATS_LINES];      /* tag + 1; 0: empty */
};

void gpu_stats_begin(struct gpu_stats *stats, struct model_stats *out, enum model_stage vertices);

static inline void gpu_stats_add(struct gpu_stats *stats, enum model_cost cost, uint64_t amount)
{
    stats->current->of[cost] += amount;
    stats->out->total.of[cost] += amount;
}

/* Allocates the counters of a frame's tiles. Sets out->failed if memory is short or the tiles differ from earlier ones.
 */
void gpu_stats_set_tiles(struct gpu_stats *stats, uint32_t columns, uint32_t rows, uint32_t tile_px);
void gpu_stats_enter_tile(struct gpu_stats *stats, uint32_t column, uint32_t row);
void gpu_stats_leave_tile(struct gpu_stats *stats);

/* The counters of a program of `count` instructions. The code of a new program is copied. NULL if memory is short.
 * Valid until the next call. */
struct model_program_stats *gpu_stats_program(struct gpu_stats *stats, enum model_stage stage, uint32_t code_addr,
                                              uint32_t count, const struct gpu_memory *mem);

/* Counts a texel of `size_B` for each of the 16 lanes. */
void gpu_stats_texels(struct gpu_stats *stats, const union gpu_vec *addr, uint32_t size_B);

#endif
