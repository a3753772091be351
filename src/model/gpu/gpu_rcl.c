/* SPDX-License-Identifier: MIT
 *
 * Reads render lists [guide p.62-71, kernel vc4_render_cl.c]. Everything that depends on order is resolved here: clear
 * values that take effect with the next clearing store, loads that wait for tile coordinates, the frame's
 * configuration. The remaining work per tile is done by gpu_rcl_run.c.
 */
#include <stdlib.h>
#include "model/gpu/gpu_cle.h"
#include "model/gpu/gpu_mem.h"
#include "model/gpu/gpu_rcl.h"

/* Contents of the tile buffer and of the clear registers before the first clear. The chip would have leftovers of the
 * previous frame; the model has a pattern, so that reading it shows. */
static const struct gpu_tlb_clear uninitialised = {.color = 0x80ff00ffu, .zs = 0x55555555u};

/* State of the walk over the list. The result goes to `rcl`. */
struct reader {
    struct gpu_rcl *rcl;
    bool configured, ended;
    struct cl_tile_rendering_mode_config config;
    struct gpu_tlb_clear clear;  /* the clear registers */
    struct gpu_tlb_clear buffer; /* values that the buffer was last cleared to */
    bool color_is_clear, zs_is_clear;

    bool has_tile;
    uint8_t column, row;
    bool load_pending;
    struct gpu_tile_op load;

    struct gpu_tile_task task; /* the task being built */
    bool task_has_effect;      /* it accesses memory; a task that only clears is dropped */
    uint8_t seen[256][256 / 8]; /* one bit per tile: a task for it exists */
};

/* -- arrays -- */

static bool grow(void **array, uint32_t *capacity, uint32_t count, size_t size_B)
{
    if (count < *capacity)
        return true;
    uint32_t more = *capacity ? *capacity * 2 : 256;
    void *larger = realloc(*array, more * size_B);
    if (!larger)
        return false;
    *array = larger;
    *capacity = more;
    return true;
}

static enum gpu_cle_next out_of_memory(struct gpu_cle *cle)
{
    return gpu_cle_fail(cle, GPU_OUT_OF_HOST_MEMORY, "out of host memory for a render list");
}

static void begin_task(struct reader *r)
{
    r->task = (struct gpu_tile_task){.first = r->rcl->op_count, .buffer = r->buffer, .clear = r->clear};
    r->task_has_effect = false;
}

/* Ends the task if the buffer holds nothing but clear values. False: out of memory. */
static bool try_end_task(struct reader *r)
{
    struct gpu_rcl *rcl = r->rcl;
    r->task.count = rcl->op_count - r->task.first;
    if (!r->color_is_clear || !r->zs_is_clear)
        return true;
    if (!r->task_has_effect) {
        rcl->op_count = r->task.first;
        begin_task(r);
        return true;
    }
    if (!grow((void **)&rcl->tasks, &rcl->task_capacity, rcl->task_count, sizeof *rcl->tasks))
        return false;
    r->task.ms_4x = r->config.ms_4x;
    rcl->tasks[rcl->task_count++] = r->task;
    uint8_t *seen = &r->seen[r->row][r->column / 8];
    rcl->tile_repeats |= (*seen & BIT(r->column % 8)) != 0;
    *seen |= (uint8_t)BIT(r->column % 8);
    begin_task(r);
    return true;
}

static enum gpu_cle_next add_op(struct gpu_cle *cle, const struct gpu_tile_op *op)
{
    struct reader *r = cle->unit;
    struct gpu_rcl *rcl = r->rcl;
    if (!grow((void **)&rcl->ops, &rcl->op_capacity, rcl->op_count, sizeof *rcl->ops))
        return out_of_memory(cle);
    struct gpu_tile_op *to = &rcl->ops[rcl->op_count++];
    *to = *op;
    to->column = r->column;
    to->row = r->row;
    to->record = cle->record_addr;
    r->task_has_effect |= op->kind != GPU_OP_CLEAR_COLORS && op->kind != GPU_OP_STORE_NONE;
    return GPU_CLE_GO_ON;
}

/* -- state -- */

static enum gpu_cle_next mode_config(struct gpu_cle *cle, const uint8_t *record)
{
    struct reader *r = cle->unit;
    cl_tile_rendering_mode_config_unpack(record, &r->config);
    const struct cl_tile_rendering_mode_config *c = &r->config;
    if (c->decimate > 1 || (c->decimate && !c->ms_4x))
        return gpu_cle_fail(cle, GPU_HANG, "decimated stores are modelled only as a 4x multisample resolve");
    if (c->color_64 || c->vg_mask || c->double_buffer || c->early_z_greater)
        return gpu_cle_fail(cle, GPU_HANG, "rendering mode that the kernel does not offer");
    r->configured = true;
    return GPU_CLE_GO_ON;
}

static enum gpu_cle_next clear_colors(struct gpu_cle *cle, const uint8_t *record)
{
    struct reader *r = cle->unit;
    struct cl_clear_colors c;
    cl_clear_colors_unpack(record, &c);
    r->clear = (struct gpu_tlb_clear){.color = c.color0, .zs = c.z << 8 | c.stencil};
    return add_op(cle, &(struct gpu_tile_op){.kind = GPU_OP_CLEAR_COLORS, .clear = r->clear});
}

static enum gpu_cle_next wait_on_semaphore(struct gpu_cle *cle, const uint8_t *record)
{
    struct reader *r = cle->unit;
    r->rcl->waits = true;
    return GPU_CLE_GO_ON;
}

/* -- tiles and loads -- */

static enum gpu_cle_next tile_coordinates(struct gpu_cle *cle, const uint8_t *record)
{
    struct reader *r = cle->unit;
    struct cl_tile_coordinates c;
    cl_tile_coordinates_unpack(record, &c);
    r->column = (uint8_t)c.column;
    r->row = (uint8_t)c.row;
    r->has_tile = true;
    if (!r->load_pending)
        return GPU_CLE_GO_ON;
    r->load_pending = false;
    if (r->load.kind == GPU_OP_LOAD_COLOR || r->load.kind == GPU_OP_LOAD_ALL_COLOR)
        r->color_is_clear = false;
    else
        r->zs_is_clear = false;
    return add_op(cle, &r->load);
}

static struct gpu_surface surface(const struct reader *r, uint32_t address, uint32_t layout, uint32_t format)
{
    return (struct gpu_surface){
        .address = address,
        .width_px = r->config.width_px,
        .height_px = r->config.height_px,
        .layout = layout,
        .format = format,
    };
}

/* Whether another load record is allowed: only one load may wait for tile coordinates. Fails the run if not. */
static bool may_load(struct gpu_cle *cle)
{
    const struct reader *r = cle->unit;
    if (!r->configured)
        gpu_cle_fail(cle, GPU_HANG, "tile load before the rendering mode");
    else if (r->load_pending)
        gpu_cle_fail(cle, GPU_HANG, "second tile load before tile coordinates");
    return r->configured && !r->load_pending;
}

static enum gpu_cle_next load_general(struct gpu_cle *cle, const uint8_t *record)
{
    struct reader *r = cle->unit;
    struct cl_load_general load;
    cl_load_general_unpack(record, &load);
    if (load.buffer == CL_BUFFER_NONE)
        return GPU_CLE_GO_ON;
    if (!may_load(cle))
        return GPU_CLE_STOP;
    if ((load.buffer != CL_BUFFER_COLOR && load.buffer != CL_BUFFER_ZS) || load.layout > CL_LAYOUT_LT ||
        load.format > GPU_COLOR_BGR565)
        return gpu_cle_fail(cle, GPU_HANG, "tile load of a buffer, layout or format that is not modelled");
    r->load = (struct gpu_tile_op){
        .kind = load.buffer == CL_BUFFER_COLOR ? GPU_OP_LOAD_COLOR : GPU_OP_LOAD_ZS,
        .surface = surface(r, load.address, load.layout, load.format),
    };
    r->load_pending = true;
    return GPU_CLE_GO_ON;
}

/* It is not documented how a record that moves both buffers uses its single address, so such records are refused. */
static enum gpu_cle_next load_full(struct gpu_cle *cle, const uint8_t *record)
{
    struct reader *r = cle->unit;
    struct cl_load_full load;
    cl_load_full_unpack(record, &load);
    if (load.disable_color && load.disable_zs)
        return GPU_CLE_GO_ON;
    if (!load.disable_color && !load.disable_zs)
        return gpu_cle_fail(cle, GPU_HANG, "load of all samples of both buffers");
    if (!may_load(cle))
        return GPU_CLE_STOP;
    r->load = (struct gpu_tile_op){
        .kind = load.disable_color ? GPU_OP_LOAD_ALL_ZS : GPU_OP_LOAD_ALL_COLOR,
        .surface.address = load.address,
    };
    r->load_pending = true;
    return GPU_CLE_GO_ON;
}

static enum gpu_cle_next branch_to_sub_list(struct gpu_cle *cle, const uint8_t *record)
{
    struct reader *r = cle->unit;
    struct cl_branch_to_sub_list branch;
    cl_branch_to_sub_list_unpack(record, &branch);
    if (!r->configured || !r->has_tile)
        return gpu_cle_fail(cle, GPU_HANG, "tile list before rendering mode and tile coordinates");
    r->color_is_clear = r->zs_is_clear = false;
    return add_op(cle, &(struct gpu_tile_op){
                           .kind = GPU_OP_LIST,
                           .list = branch.address,
                           .early_z_disabled = r->config.early_z_disable,
                       });
}

/* -- stores -- */

static enum gpu_cle_next add_store(struct gpu_cle *cle, const struct gpu_tile_op *op, bool end_of_frame)
{
    struct reader *r = cle->unit;
    if (!r->has_tile)
        return gpu_cle_fail(cle, GPU_HANG, "tile store before tile coordinates");
    if (add_op(cle, op) == GPU_CLE_STOP)
        return GPU_CLE_STOP;
    if (op->clear_color) {
        r->color_is_clear = true;
        r->buffer.color = r->clear.color;
    }
    if (op->clear_zs) {
        r->zs_is_clear = true;
        r->buffer.zs = r->clear.zs;
    }
    r->ended |= end_of_frame;
    return try_end_task(r) ? GPU_CLE_GO_ON : out_of_memory(cle);
}

static enum gpu_cle_next store_general(struct gpu_cle *cle, const uint8_t *record)
{
    struct reader *r = cle->unit;
    struct cl_store_general store;
    cl_store_general_unpack(record, &store);
    struct gpu_tile_op op = {
        .surface = surface(r, store.address, store.layout, store.format),
        .clear_color = !store.disable_color_clear,
        .clear_zs = !store.disable_zs_clear,
    };
    op.surface.resolve = store.mode == 1;
    switch (store.buffer) {
    case CL_BUFFER_NONE:
        op.kind = GPU_OP_STORE_NONE;
        break;
    case CL_BUFFER_COLOR:
        op.kind = GPU_OP_STORE_COLOR;
        break;
    case CL_BUFFER_ZS:
        op.kind = GPU_OP_STORE_ZS;
        break;
    default:
        return gpu_cle_fail(cle, GPU_HANG, "tile store of a buffer that is not modelled");
    }
    if (op.kind != GPU_OP_STORE_NONE &&
        (!r->configured || store.mode > r->config.ms_4x || store.layout > CL_LAYOUT_LT ||
         store.format > GPU_COLOR_BGR565))
        return gpu_cle_fail(cle, GPU_HANG, "tile store without rendering mode, or with a mode that is not modelled");
    return add_store(cle, &op, store.end_of_frame);
}

/* Stores colour as configured in the rendering mode, and clears both buffers. */
static enum gpu_cle_next store_resolved(struct gpu_cle *cle, const uint8_t *record)
{
    static const uint8_t formats[3] = {GPU_COLOR_BGR565_DITHERED, GPU_COLOR_RGBA8888, GPU_COLOR_BGR565};
    struct reader *r = cle->unit;
    if (!r->configured || r->config.format > 2 || r->config.layout > CL_LAYOUT_LT)
        return gpu_cle_fail(cle, GPU_HANG, "colour store without rendering mode, or in an unknown format");
    struct gpu_tile_op op = {
        .kind = GPU_OP_STORE_COLOR,
        .surface = surface(r, r->config.address, r->config.layout, formats[r->config.format]),
        .clear_color = true,
        .clear_zs = true,
    };
    op.surface.resolve = r->config.decimate == 1;
    return add_store(cle, &op, record[0] == CL_STORE_MS_RESOLVED_END_ID);
}

static enum gpu_cle_next store_full(struct gpu_cle *cle, const uint8_t *record)
{
    struct reader *r = cle->unit;
    struct cl_store_full store;
    cl_store_full_unpack(record, &store);
    struct gpu_tile_op op = {
        .kind = store.disable_color && store.disable_zs ? GPU_OP_STORE_NONE
                : store.disable_color                   ? GPU_OP_STORE_ALL_ZS
                                                        : GPU_OP_STORE_ALL_COLOR,
        .surface.address = store.address,
        .clear_color = !store.disable_clear,
        .clear_zs = !store.disable_clear,
    };
    if (!r->configured)
        return gpu_cle_fail(cle, GPU_HANG, "store of all samples without rendering mode");
    if (!store.disable_color && !store.disable_zs)
        return gpu_cle_fail(cle, GPU_HANG, "store of all samples of both buffers");
    return add_store(cle, &op, store.end_of_frame);
}

static gpu_cle_fn *const table[256] = {
    [CL_HALT_ID] = gpu_cle_halt,
    [CL_NOP_ID] = gpu_cle_nop,
    [CL_WAIT_ON_SEMAPHORE_ID] = wait_on_semaphore,
    [CL_BRANCH_ID] = gpu_cle_branch,
    [CL_BRANCH_TO_SUB_LIST_ID] = branch_to_sub_list,
    [CL_STORE_MS_RESOLVED_ID] = store_resolved,
    [CL_STORE_MS_RESOLVED_END_ID] = store_resolved,
    [CL_STORE_FULL_ID] = store_full,
    [CL_LOAD_FULL_ID] = load_full,
    [CL_STORE_GENERAL_ID] = store_general,
    [CL_LOAD_GENERAL_ID] = load_general,
    [CL_TILE_RENDERING_MODE_CONFIG_ID] = mode_config,
    [CL_CLEAR_COLORS_ID] = clear_colors,
    [CL_TILE_COORDINATES_ID] = tile_coordinates,
};

enum gpu_status gpu_rcl_read(struct gpu_rcl *rcl, const struct gpu_memory *mem, const struct gpu_render_job *job,
                             const char **message_out)
{
    rcl->op_count = rcl->task_count = 0;
    rcl->tile_repeats = rcl->waits = false;
    struct reader reader = {
        .rcl = rcl,
        .clear = uninitialised,
        .buffer = uninitialised,
        .color_is_clear = true,
        .zs_is_clear = true,
    };
    begin_task(&reader);
    struct util_work_limit limit;
    util_work_limit_begin(&limit, job->limit_ns);
    limit.cancelled = job->monitor ? &job->monitor->cancelled : NULL;
    struct gpu_cle cle = {
        .mem = mem,
        .table = table,
        .unit = &reader,
        .ca = job->ct1ca,
        .ea = job->ct1ea,
        .limit = &limit,
    };
    enum gpu_status status = gpu_cle_run(&cle);
    *message_out = cle.message;
    if (job->monitor)
        atomic_store(&job->monitor->ca, status == GPU_OK ? job->ct1ca : cle.record_addr);
    if (status == GPU_OK && !reader.ended) {
        *message_out = "render list without end of frame";
        status = GPU_HANG;
    }
    return status;
}

void gpu_rcl_finish(struct gpu_rcl *rcl)
{
    free(rcl->ops);
    free(rcl->tasks);
}
