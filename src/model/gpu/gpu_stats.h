/* SPDX-License-Identifier: MIT
 *
 * Where the units of the chip count a job's cost (model_stats.h). There is one for each job that is counted, used by
 * one thread at a time; units of any other job have NULL and ask for nothing but that.
 */
#ifndef GPU_STATS_H
#define GPU_STATS_H

#include "hw/qpu.h"
#include "model/gpu/gpu_alu.h"
#include "model/gpu/gpu.h"
#include "model/model_stats.h"

/* Of the second-level cache that texture units share: 32 KiB in lines of 64 bytes, as others have measured it [hardware
 * notes 1.2]. That a line has one place only is a simplification. */
#define GPU_STATS_LINE_B 64u
#define GPU_STATS_LINES  512u

struct gpu_stats {
    struct model_stats *out;
    struct model_costs *now; /* of the tile, or elsewhere */
    enum model_stage vertices; /* which stage programs of vertices are */
    struct model_program_stats *program; /* that was run last, or NULL */
    uint32_t line[GPU_STATS_LINES];      /* tag + 1; 0: empty */
};

void gpu_stats_begin(struct gpu_stats *stats, struct model_stats *out, enum model_stage vertices);

static inline void gpu_stats_add(struct gpu_stats *stats, enum model_cost cost, uint64_t amount)
{
    stats->now->of[cost] += amount;
    stats->out->total.of[cost] += amount;
}

/* Makes room for a frame's tiles; out->failed when there is no memory, all is then counted as elsewhere. */
void gpu_stats_set_tiles(struct gpu_stats *stats, uint32_t columns, uint32_t rows, uint32_t tile_px);
void gpu_stats_enter_tile(struct gpu_stats *stats, uint32_t column, uint32_t row);
void gpu_stats_leave_tile(struct gpu_stats *stats);

/* The counts of a program's instructions, `count` of them, whose code is copied when it is new; NULL when there is no
 * memory. Valid until the next one is asked for. */
struct model_program_stats *gpu_stats_program(struct gpu_stats *stats, enum model_stage stage, uint32_t code_addr,
                                              uint32_t count, const struct gpu_memory *mem);

/* Texels of 16 lanes, of `size_B` each. */
void gpu_stats_texels(struct gpu_stats *stats, const union gpu_vec *addr, uint32_t size_B);

#endif
