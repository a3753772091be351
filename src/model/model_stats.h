/* SPDX-License-Identifier: MIT
 *
 * What a job cost, tile by tile and instruction by instruction. Part of the model's door.
 *
 * Counting is asked for job by job. A job that is counted is interpreted, on one thread, so the same job gives the same
 * numbers on every machine; a job that is not costs nothing more than before. Whatever is counted is work that the chip
 * would do as well. What it would wait for is not known here.
 */
#ifndef MODEL_STATS_H
#define MODEL_STATS_H

#include "util/macros.h"

/* Kinds of programs, by the unit that runs them. */
enum model_stage { MODEL_STAGE_COORDINATE, MODEL_STAGE_VERTEX, MODEL_STAGE_FRAGMENT, MODEL_STAGE_USER, MODEL_STAGES };

enum model_cost {
    /* QPU instructions of each stage, for 16 lanes each, and runs of programs */
    MODEL_COST_COORDINATE_INSTRS,
    MODEL_COST_VERTEX_INSTRS,
    MODEL_COST_FRAGMENT_INSTRS,
    MODEL_COST_USER_INSTRS,
    MODEL_COST_RUNS,
    /* what went into them */
    MODEL_COST_VERTICES,   /* of both vertex stages */
    MODEL_COST_PRIMITIVES, /* in each tile that they touch */
    MODEL_COST_QUADS,      /* given to fragment programs; covered or not, a quad costs four lanes */
    MODEL_COST_PIXELS,     /* covered ones of those: divided by a tile's pixels, the overdraw */
    MODEL_COST_EARLY_Z,    /* quads that early Z kept from it */
    MODEL_COST_Z_FAILED,   /* quads that failed the test of depth and stencil */
    /* the texture units, for 16 lanes each */
    MODEL_COST_TEXTURE_LOOKUPS,
    MODEL_COST_MEMORY_LOOKUPS, /* general ones, of words */
    /* traffic in bytes */
    MODEL_COST_TEXTURE_B,       /* texels, once for each time that one is looked at */
    MODEL_COST_TEXTURE_LINES_B, /* of them, lines that a cache of 32 KiB would have fetched */
    MODEL_COST_MEMORY_B,        /* of general lookups */
    MODEL_COST_UNIFORM_B,
    MODEL_COST_ATTRIBUTE_B,
    MODEL_COST_LIST_B, /* primitives of tile lists */
    MODEL_COST_DMA_LOAD_B,
    MODEL_COST_DMA_STORE_B,
    MODEL_COST_COLOR_LOAD_B,
    MODEL_COST_ZS_LOAD_B,
    MODEL_COST_COLOR_STORE_B,
    MODEL_COST_ZS_STORE_B,
    MODEL_COSTS
};

/* A word for tables: "fragment instructions", ... */
const char *model_cost_name(enum model_cost cost);

struct model_costs {
    uint64_t of[MODEL_COSTS];
};

struct model_program_stats {
    enum model_stage stage;
    uint32_t code_addr; /* bus address while the job ran */
    uint32_t count;     /* instructions */
    uint64_t *words;    /* its code */
    uint64_t *executed; /* how often each was */
    uint64_t runs;
};

#define MODEL_STATS_CHIP_COUNTS 30 /* sources of the chip's performance counters, by its numbers */

struct model_stats {
    uint32_t columns, rows, tile_px; /* of the frame; 0: nothing was rendered */
    struct model_costs *tiles;       /* row by row */
    struct model_costs elsewhere;    /* the binner's work; user programs */
    struct model_costs total;        /* counted beside the others, not summed up from them */
    struct model_program_stats *programs;
    uint32_t program_count;
    uint64_t chip_counts[MODEL_STATS_CHIP_COUNTS];
    uint64_t interpreted; /* instructions, as the interpreter itself counts them: the sum of those of all stages */
    uint64_t bin_begin_ns, bin_end_ns, render_begin_ns, render_end_ns; /* CLOCK_MONOTONIC; 0: there was none */
    bool failed; /* out of memory: what was counted is not all */
};

/* Zeroed memory is where a job begins to count; what several jobs share is summed up. */
void model_stats_finish(struct model_stats *stats);

#endif
