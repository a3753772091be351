/* SPDX-License-Identifier: MIT
 *
 * One worker of the renderer: its own QPU core, vertex pipe and tile buffer, and the walk over a tile's list that fills
 * the buffer.
 */
#ifndef GPU_TILE_H
#define GPU_TILE_H

#include "model/gpu/gpu_raster.h"
#include "model/gpu/gpu_times.h"
#include "model/gpu/gpu_vertex_cache.h"

/* Primitives of a tile list that wait for their vertices. */
#define GPU_TILE_QUEUE 256

struct gpu_tile_primitive {
    uint16_t index[3];
    uint8_t type;      /* enum cl_list_type */
    uint8_t clip_flags;
    uint32_t clip_addr;
    const uint32_t *vertex[3]; /* shaded ones, when the queue is run */
};

struct gpu_worker {
    const struct gpu_memory *mem;
    struct gpu_vertex_cache *cache; /* shared */
    struct util_arena arena;        /* what this worker put into the cache; emptied after the job */
    struct util_work_limit limit; /* of the tile that is rendered */
    uint64_t
        tile_limit_ns; /* of a tile: a job that goes on from tile to tile does not hang [kernel vc4_gem.c: progress] */

    struct gpu_vertex_pipe pipe;
    struct gpu_tlb tlb;
    struct gpu_tlb_clear clear; /* clear registers: what the next clearing store fills the buffer with */
    struct gpu_fep fep;

    /* the tile list */
    struct gpu_state state;
    uint32_t list_type; /* in effect: with the shader record that followed it */
    struct gpu_cached_shader *shader;
    bool fep_is_current; /* the rasteriser has the state's program and tests */
    uint32_t loop_mark, loop_left, loop_length; /* see gpu_tile.c, "loops" */
    uint32_t block; /* where the list has started or branched to */
    struct gpu_tile_primitive queue[GPU_TILE_QUEUE];
    unsigned queue_count;

    enum gpu_status status;
    const char *message;
    /* The first damaged list of the job, NULL none: its tile was drawn up to the damage. */
    const char *damage;
    uint32_t damage_column, damage_row;

    struct gpu_times *times; /* NULL: nobody wants to know */
    struct gpu_stats *stats; /* NULL: nothing is counted */
};

struct gpu_worker *gpu_worker_create(const struct gpu_memory *mem,
                                     struct gpu_vertex_cache *cache); /* NULL: no memory */
void gpu_worker_destroy(struct gpu_worker *worker);
void gpu_worker_begin_job(struct gpu_worker *worker, uint64_t tile_limit_ns);
/* From now on; NULL: nothing is counted. */
void gpu_worker_take_stats(struct gpu_worker *worker, struct gpu_stats *stats);
void gpu_worker_end_job(struct gpu_worker *worker);

/* Sets status and message; returns false. */
bool gpu_worker_fail(struct gpu_worker *worker, enum gpu_status status, const char *message);

/* Runs the list at `address` into the tile buffer of tile (column, row). False with worker->status. */
bool gpu_tile_run_list(struct gpu_worker *worker, uint32_t address, uint32_t column, uint32_t row);

#endif
