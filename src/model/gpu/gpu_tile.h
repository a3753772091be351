/* SPDX-License-Identifier: MIT
 *
 * One worker of the renderer: a QPU core, vertex pipe and tile buffer of its own, and the walk over a tile's list that
 * draws into the buffer.
 */
#ifndef GPU_TILE_H
#define GPU_TILE_H

#include "model/gpu/gpu_raster.h"
#include "model/gpu/gpu_times.h"
#include "model/gpu/gpu_vertex_cache.h"

/* Primitives of a tile list that are queued so that their vertices can be shaded in batches. */
#define GPU_TILE_QUEUE 256

struct gpu_tile_primitive {
    uint16_t index[3];
    uint8_t type;      /* enum cl_list_type */
    uint8_t clip_flags;
    uint32_t clip_addr;
    const uint32_t *vertex[3]; /* shaded vertices; set when the queue is run */
};

struct gpu_worker {
    const struct gpu_memory *mem;
    struct gpu_vertex_cache *cache; /* shared */
    struct util_arena arena;        /* what this worker added to the cache; emptied after the job */
    struct util_work_limit limit; /* for the current tile */
    uint64_t
        tile_limit_ns; /* per tile: a job that advances from tile to tile does not hang [kernel vc4_gem.c: progress] */
    struct gpu_monitor *monitor; /* of the job; NULL: nobody watches */

    struct gpu_vertex_pipe pipe;
    struct gpu_tlb tlb;
    struct gpu_tlb_clear clear; /* clear registers: values that the next clearing store fills the buffer with */
    struct gpu_fep fep;

    /* the tile list */
    struct gpu_state state;
    uint32_t list_type; /* in effect; set by the list format when a shader record follows it */
    struct gpu_cached_shader *shader;
    bool fep_is_current; /* the rasteriser has the current program and test state */
    uint32_t loop_mark, loop_left, loop_length; /* see gpu_tile.c, "loops" */
    uint32_t block; /* where the list started, or the last branch target */
    struct gpu_tile_primitive queue[GPU_TILE_QUEUE];
    unsigned queue_count;

    enum gpu_status status;
    const char *message;
    /* The job's first damaged list: message, or NULL, and tile. The tile was drawn up to the damage. */
    const char *damage;
    uint32_t damage_column, damage_row;

    struct gpu_times *times; /* NULL: not measured */
    struct gpu_stats *stats; /* NULL: not counted */
};

struct gpu_worker *gpu_worker_create(const struct gpu_memory *mem,
                                     struct gpu_vertex_cache *cache); /* NULL: out of memory */
void gpu_worker_destroy(struct gpu_worker *worker);
void gpu_worker_begin_job(struct gpu_worker *worker, uint64_t tile_limit_ns, struct gpu_monitor *monitor);
/* Counts the worker's cost from now on. NULL: stop counting. */
void gpu_worker_set_stats(struct gpu_worker *worker, struct gpu_stats *stats);
void gpu_worker_end_job(struct gpu_worker *worker);

/* Sets status and message; returns false. */
bool gpu_worker_fail(struct gpu_worker *worker, enum gpu_status status, const char *message);

/* Draws the list at `address` into the tile buffer, for tile (column, row). On failure, false and worker->status. */
bool gpu_tile_run_list(struct gpu_worker *worker, uint32_t address, uint32_t column, uint32_t row);

#endif
