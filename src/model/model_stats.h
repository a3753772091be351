/* SPDX-License-Identifier: MIT
 *
 * Costs of a job, per tile and per instruction. Part of the model's public interface.
 *
 * Counting is requested per job (model_file_count_next_job()). A counted job is interpreted, on one thread, so the same
 * job gives the same numbers on every machine. Other jobs have no overhead. All counts are of work that the chip would
 * do as well; stalls are not modelled.
 */
#ifndef MODEL_STATS_H
#define MODEL_STATS_H

#include "util/macros.h"

/* Kinds of programs. */
enum model_stage { MODEL_STAGE_COORDINATE, MODEL_STAGE_VERTEX, MODEL_STAGE_FRAGMENT, MODEL_STAGE_USER, MODEL_STAGES };

enum model_cost {
    /* QPU instructions per stage, each for 16 lanes, and runs of programs */
    MODEL_COST_COORDINATE_INSTRS,
    MODEL_COST_VERTEX_INSTRS,
    MODEL_COST_FRAGMENT_INSTRS,
    MODEL_COST_USER_INSTRS,
    MODEL_COST_RUNS,
    /* their inputs */
    MODEL_COST_VERTICES,   /* of both vertex stages */
    MODEL_COST_PRIMITIVES, /* once in each tile that they touch */
    MODEL_COST_QUADS,      /* passed to fragment programs: each costs four lanes however many pixels it covers */
    MODEL_COST_PIXELS,     /* covered pixels of these quads: divided by a tile's pixels, the overdraw */
    MODEL_COST_EARLY_Z,    /* quads rejected by early Z */
    MODEL_COST_Z_FAILED,   /* quads that failed the depth or stencil test */
    /* texture units, each count for 16 lanes */
    MODEL_COST_TEXTURE_LOOKUPS,
    MODEL_COST_MEMORY_LOOKUPS, /* direct lookups of words */
    /* traffic in bytes */
    MODEL_COST_TEXTURE_B,       /* texels, each time one is read */
    MODEL_COST_TEXTURE_LINES_B, /* cache lines of these that a cache of 32 KiB would have fetched */
    MODEL_COST_MEMORY_B,        /* by direct lookups */
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

/* A name for tables: "fragment instructions", ... */
const char *model_cost_name(enum model_cost cost);

struct model_costs {
    uint64_t of[MODEL_COSTS];
};

struct model_program_stats {
    enum model_stage stage;
    uint32_t code_addr; /* bus address while the job ran */
    uint32_t count;     /* instructions */
    uint64_t *words;    /* its code */
    uint64_t *executed; /* execution count of each instruction */
    uint64_t runs;
};

#define MODEL_STATS_CHIP_COUNTS 30 /* the chip's performance events, by their numbers */

struct model_stats {
    uint32_t columns, rows, tile_px; /* of the frame; 0: nothing was rendered */
    struct model_costs *tiles;       /* row by row */
    struct model_costs elsewhere;    /* outside of tiles: binning and user programs */
    struct model_costs total;        /* counted independently, not summed up from the others */
    struct model_program_stats *programs;
    uint32_t program_count;
    uint64_t chip_counts[MODEL_STATS_CHIP_COUNTS];
    uint64_t interpreted; /* instructions, counted by the interpreter itself: equals the sum over all stages */
    uint64_t bin_begin_ns, bin_end_ns, render_begin_ns, render_end_ns; /* CLOCK_MONOTONIC; 0: no such stage */
    bool failed;                                                       /* out of memory: the counts are incomplete */
};

/* What the draws of a job of the CPU engine have done, for those whose shader records ask for it: `clipped` if
 * cs_uniforms is not 0, `fragments` if vs_uniforms is not 0. Unlike the above, this costs next to nothing. */
struct model_counts {
    uint64_t clipped;   /* primitives, and parts of them, that clipping has left */
    uint64_t fragments; /* covered pixels for which fragment programs have run */
};

/* Frees what counting has allocated. Start counting with a zeroed struct. If several jobs use one, their costs add
 * up. */
void model_stats_finish(struct model_stats *stats);

#endif
