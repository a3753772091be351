/* SPDX-License-Identifier: MIT
 *
 * A render list's work on one worker: load, run tile lists, store, clear.
 */
#include "model/gpu/gpu_rcl.h"

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

bool gpu_rcl_run_task(const struct gpu_rcl *rcl, const struct gpu_tile_task *task, struct gpu_worker *w)
{
    w->clear = task->clear;
    w->tlb.ms_4x = task->ms_4x;
    gpu_tlb_defer_clear(&w->tlb, &task->buffer, true, true);
    for (uint32_t i = 0; i < task->count; i++) {
        const struct gpu_tile_op *op = &rcl->ops[task->first + i];
        const uint64_t begin_ns = gpu_part_begin(w->times);
        if (!run_op(op, w))
            return false;
        gpu_part_end(w->times, part_of((enum gpu_tile_op_kind)op->kind), begin_ns);
        bool last = i + 1 == task->count; /* the next task clears for itself */
        if (!last)
            gpu_tlb_defer_clear(&w->tlb, &w->clear, op->clear_color, op->clear_zs);
    }
    return true;
}
