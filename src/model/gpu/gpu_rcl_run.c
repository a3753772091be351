/* SPDX-License-Identifier: MIT
 *
 * Runs the tasks of a render list on a worker: load, run tile lists, store, clear.
 */
#include <string.h>
#include "model/gpu/gpu_rcl.h"
#include "model/gpu/gpu_stats.h"

static bool run_op(const struct gpu_tile_op *op, struct gpu_worker *w)
{
    const struct gpu_surface *s = &op->surface;
    switch ((enum gpu_tile_op_kind)op->kind) {
    case GPU_OP_LOAD_COLOR:
        return gpu_tlb_load_color(&w->tlb, w->mem, s, op->column, op->row) ||
               gpu_worker_fail(w, GPU_HANG, "colour load from outside of mapped memory");
    case GPU_OP_LOAD_ZS:
        return gpu_tlb_load_zs(&w->tlb, w->mem, s, op->column, op->row) ||
               gpu_worker_fail(w, GPU_HANG, "depth load from outside of mapped memory");
    case GPU_OP_STORE_COLOR:
        return gpu_tlb_store_color(&w->tlb, w->mem, s, op->column, op->row) ||
               gpu_worker_fail(w, GPU_HANG, "colour store outside of mapped memory");
    case GPU_OP_STORE_ZS:
        return gpu_tlb_store_zs(&w->tlb, w->mem, s, op->column, op->row) ||
               gpu_worker_fail(w, GPU_HANG, "depth store outside of mapped memory");
    case GPU_OP_LOAD_ALL_COLOR:
        return gpu_tlb_load_all_color(&w->tlb, w->mem, s->address) ||
               gpu_worker_fail(w, GPU_HANG, "colour samples loaded from outside of mapped memory");
    case GPU_OP_LOAD_ALL_ZS:
        return gpu_tlb_load_all_zs(&w->tlb, w->mem, s->address) ||
               gpu_worker_fail(w, GPU_HANG, "depth samples loaded from outside of mapped memory");
    case GPU_OP_STORE_ALL_COLOR:
        return gpu_tlb_store_all_color(&w->tlb, w->mem, s->address) ||
               gpu_worker_fail(w, GPU_HANG, "colour samples stored outside of mapped memory");
    case GPU_OP_STORE_ALL_ZS:
        return gpu_tlb_store_all_zs(&w->tlb, w->mem, s->address) ||
               gpu_worker_fail(w, GPU_HANG, "depth samples stored outside of mapped memory");
    case GPU_OP_LIST:
        w->fep.early_z_disabled = op->early_z_disabled;
        return gpu_tile_run_list(w, op->list, op->column, op->row);
    case GPU_OP_CLEAR_COLORS:
        w->clear = op->clear;
        return true;
    case GPU_OP_STORE_NONE:
        return true;
    }
    return true;
}

static enum gpu_part part_of(enum gpu_tile_op_kind kind)
{
    switch (kind) {
    case GPU_OP_LOAD_COLOR:
    case GPU_OP_LOAD_ZS:
    case GPU_OP_LOAD_ALL_COLOR:
    case GPU_OP_LOAD_ALL_ZS:
        return GPU_PART_LOADS;
    case GPU_OP_LIST:
        return GPU_PART_LISTS;
    default:
        return GPU_PART_STORES;
    }
}

/* -- counting ----------------------------------------------------------------------------------------------------- */

/* Bytes of the tile's pixels that lie within the frame, at `cpp` bytes each. */
static uint64_t tile_B(const struct gpu_tile_op *op, uint32_t tile_px, uint32_t cpp)
{
    const uint32_t x = op->column * tile_px, y = op->row * tile_px;
    const struct gpu_surface *s = &op->surface;
    return x >= s->width_px || y >= s->height_px
               ? 0
               : (uint64_t)MIN2(s->width_px - x, tile_px) * MIN2(s->height_px - y, tile_px) * cpp;
}

static void count_op(struct gpu_stats *stats, const struct gpu_tile_op *op, uint32_t tile_px)
{
    const uint32_t cpp = op->surface.format == GPU_COLOR_RGBA8888 ? 4 : 2;
    switch ((enum gpu_tile_op_kind)op->kind) {
    case GPU_OP_LOAD_COLOR:
        gpu_stats_add(stats, MODEL_COST_COLOR_LOAD_B, tile_B(op, tile_px, cpp));
        break;
    case GPU_OP_LOAD_ZS:
        gpu_stats_add(stats, MODEL_COST_ZS_LOAD_B, tile_B(op, tile_px, 4));
        break;
    case GPU_OP_STORE_COLOR:
        gpu_stats_add(stats, MODEL_COST_COLOR_STORE_B, tile_B(op, tile_px, cpp));
        break;
    case GPU_OP_STORE_ZS:
        gpu_stats_add(stats, MODEL_COST_ZS_STORE_B, tile_B(op, tile_px, 4));
        break;
    case GPU_OP_LOAD_ALL_COLOR:
        gpu_stats_add(stats, MODEL_COST_COLOR_LOAD_B, GPU_TLB_DUMP_B);
        break;
    case GPU_OP_LOAD_ALL_ZS:
        gpu_stats_add(stats, MODEL_COST_ZS_LOAD_B, GPU_TLB_DUMP_B);
        break;
    case GPU_OP_STORE_ALL_COLOR:
        gpu_stats_add(stats, MODEL_COST_COLOR_STORE_B, GPU_TLB_DUMP_B);
        break;
    case GPU_OP_STORE_ALL_ZS:
        gpu_stats_add(stats, MODEL_COST_ZS_STORE_B, GPU_TLB_DUMP_B);
        break;
    case GPU_OP_LIST:
    case GPU_OP_STORE_NONE:
    case GPU_OP_CLEAR_COLORS:
        break;
    }
}

/* Adds what the front end's performance counters have counted since `before`. */
static void count_front_end(struct gpu_stats *stats, const struct gpu_fep *fep, const uint64_t before[GPU_COUNTS])
{
    gpu_stats_add(stats, MODEL_COST_PRIMITIVES, fep->counts[GPU_COUNT_PRIMS] - before[GPU_COUNT_PRIMS]);
    gpu_stats_add(stats, MODEL_COST_QUADS, fep->counts[GPU_COUNT_QUADS] - before[GPU_COUNT_QUADS]);
    gpu_stats_add(stats, MODEL_COST_EARLY_Z,
                  fep->counts[GPU_COUNT_QUADS_CLIPPED] - before[GPU_COUNT_QUADS_CLIPPED]);
    gpu_stats_add(stats, MODEL_COST_Z_FAILED,
                  fep->counts[GPU_COUNT_QUADS_FAILING] - before[GPU_COUNT_QUADS_FAILING]);
}

static bool run_counted(const struct gpu_tile_op *op, struct gpu_worker *w)
{
    uint64_t before[GPU_COUNTS];
    memcpy(before, w->fep.counts, sizeof before);
    gpu_stats_enter_tile(w->stats, op->column, op->row);
    count_op(w->stats, op, gpu_tlb_tile_px(&w->tlb));
    const bool ok = run_op(op, w);
    count_front_end(w->stats, &w->fep, before);
    gpu_stats_leave_tile(w->stats);
    return ok;
}

/* Shows where the worker is. The workers write in turns, so that the address of one of them is read. */
static bool begin_op(const struct gpu_tile_op *op, struct gpu_worker *w)
{
    struct gpu_monitor *monitor = w->monitor;
    const bool is_list = op->kind == GPU_OP_LIST;
    if (!monitor)
        return true;
    if (atomic_load_explicit(&monitor->cancelled, memory_order_relaxed))
        return gpu_worker_fail(w, GPU_HANG, "cancelled");
    atomic_store_explicit(&monitor->ca, is_list ? op->list : op->record, memory_order_relaxed);
    atomic_store_explicit(&monitor->ra, is_list ? op->record + CL_BRANCH_TO_SUB_LIST_SIZE_B : 0, memory_order_relaxed);
    return true;
}

static void end_op(const struct gpu_tile_op *op, struct gpu_worker *w)
{
    if (w->monitor && op->kind == GPU_OP_LIST)
        atomic_fetch_add_explicit(&w->monitor->returns, 1, memory_order_relaxed);
}

bool gpu_rcl_run_task(const struct gpu_rcl *rcl, const struct gpu_tile_task *task, struct gpu_worker *w)
{
    w->clear = task->clear;
    w->tlb.ms_4x = task->ms_4x;
    gpu_tlb_defer_clear(&w->tlb, &task->buffer, true, true);
    for (uint32_t i = 0; i < task->count; i++) {
        const struct gpu_tile_op *op = &rcl->ops[task->first + i];
        const uint64_t begin_ns = gpu_part_begin(w->times);
        if (!begin_op(op, w) || !(w->stats ? run_counted(op, w) : run_op(op, w)))
            return false;
        end_op(op, w);
        gpu_part_end(w->times, part_of((enum gpu_tile_op_kind)op->kind), begin_ns);
        bool last = i + 1 == task->count; /* the next task does its own clear */
        if (!last)
            gpu_tlb_defer_clear(&w->tlb, &w->clear, op->clear_color, op->clear_zs);
    }
    return true;
}
