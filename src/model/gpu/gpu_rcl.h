/* SPDX-License-Identifier: MIT
 *
 * Render lists. The rendering thread's list is read once and split into tasks. A task leaves nothing but clear values
 * in the tile buffer, so worker threads can run tasks in any order.
 */
#ifndef GPU_RCL_H
#define GPU_RCL_H

#include "model/gpu/gpu_tile.h"

enum gpu_tile_op_kind {
    GPU_OP_LOAD_COLOR,
    GPU_OP_LOAD_ZS,
    GPU_OP_LOAD_ALL_COLOR, /* all samples */
    GPU_OP_LOAD_ALL_ZS,
    GPU_OP_LIST,        /* a tile list */
    GPU_OP_STORE_COLOR,
    GPU_OP_STORE_ZS,
    GPU_OP_STORE_ALL_COLOR,
    GPU_OP_STORE_ALL_ZS,
    GPU_OP_STORE_NONE,  /* only clears */
    GPU_OP_CLEAR_COLORS /* sets the clear registers */
};

struct gpu_tile_op {
    uint8_t kind; /* enum gpu_tile_op_kind */
    uint8_t column, row;
    bool clear_color, clear_zs; /* after a store */
    bool early_z_disabled;      /* GPU_OP_LIST */
    uint32_t list;              /* GPU_OP_LIST */
    uint32_t record;            /* address of the record that the op comes from */
    struct gpu_surface surface; /* loads and stores; for ALL_COLOR and ALL_ZS only the tile's address */
    struct gpu_tlb_clear clear; /* GPU_OP_CLEAR_COLORS */
};

/* A sequence of ops that runs on one worker. */
struct gpu_tile_task {
    uint32_t first, count;
    struct gpu_tlb_clear buffer; /* contents of the buffer at the start */
    struct gpu_tlb_clear clear;  /* clear registers at the start */
    bool ms_4x;
};

struct gpu_rcl {
    struct gpu_tile_op *ops;
    uint32_t op_count, op_capacity;
    struct gpu_tile_task *tasks;
    uint32_t task_count, task_capacity;
    bool tile_repeats; /* two tasks have the same tile: they must run in order */
    bool waits;        /* the list waits for the binning thread's semaphore */
};

/* Reads a render list. The arrays are reused from job to job; gpu_rcl_finish() frees them. */
enum gpu_status gpu_rcl_read(struct gpu_rcl *rcl, const struct gpu_memory *mem, const struct gpu_render_job *job,
                             const char **message_out);
void gpu_rcl_finish(struct gpu_rcl *rcl);

/* Runs a task on a worker. On failure, false and worker->status. */
bool gpu_rcl_run_task(const struct gpu_rcl *rcl, const struct gpu_tile_task *task, struct gpu_worker *worker);

#endif
