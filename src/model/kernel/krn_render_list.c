/* SPDX-License-Identifier: MIT
 *
 * Generates the render list of a job, with the same records in the same order as the kernel [kernel vc4_render_cl.c,
 * notes 7.8]. Call krn_validate_surfaces() first.
 */
#include <errno.h>
#include "hw/cl.h"
#include "model/kernel/krn_lists.h"

#define CHUNK_B 4096

/* A tile with all its samples, in full-resolution loads and stores [notes 4.5]. */
#define FULL_TILE_PX 32u
#define FULL_TILE_B  16384u

struct list {
    struct util_stream cl;
    const struct krn_lists *lists;
};

static void emit_coordinates(struct list *l, uint32_t x, uint32_t y)
{
    cl_emit(&l->cl, TILE_COORDINATES, tile_coordinates, p) {
        p.column = x;
        p.row = y;
    }
}

/* The bits of a surface are the low 16 bits of packets 28 and 29. */
static void emit_load(struct list *l, const struct drm_vc4_submit_rcl_surface *surf, const struct krn_buffer *bo)
{
    cl_emit(&l->cl, LOAD_GENERAL, load_general, p) {
        p.buffer = surf->bits & 7;
        p.layout = surf->bits >> 4 & 3;
        p.format = surf->bits >> 8 & 3;
        p.address = bo->addr + surf->offset;
    }
}

/* A store of no buffer. One is required between two loads of a tile. */
static void emit_store_nothing(struct list *l, bool keep)
{
    cl_emit(&l->cl, STORE_GENERAL, store_general, p) {
        p.disable_color_clear = keep;
        p.disable_zs_clear = keep;
        p.disable_vg_mask_clear = keep;
    }
}

/* The tile buffer is cleared after each store. So a store of nothing comes first, to clear it with the new values. */
static void emit_clear_values(struct list *l)
{
    const struct drm_vc4_submit_cl *args = &l->lists->args;
    cl_emit(&l->cl, CLEAR_COLORS, clear_colors, p) {
        p.color0 = args->clear_color[0];
        p.color1 = args->clear_color[1];
        p.z = args->clear_z & 0xffffff;
        p.stencil = args->clear_s;
    }
    emit_coordinates(l, 0, 0);
    emit_store_nothing(l, false);
}

static void emit_config(struct list *l)
{
    const struct drm_vc4_submit_cl *args = &l->lists->args;
    const struct krn_buffer *bo = l->lists->surface[KRN_COLOR_WRITE];
    cl_emit(&l->cl, TILE_RENDERING_MODE_CONFIG, tile_rendering_mode_config, p) {
        p.address = bo ? bo->addr + args->color_write.offset : 0;
        p.width_px = args->width;
        p.height_px = args->height;
        p.ms_4x = args->color_write.bits & 1;
        p.format = args->color_write.bits >> 2 & 3;
        p.decimate = args->color_write.bits >> 4 & 3;
        p.layout = args->color_write.bits >> 6 & 3;
    }
}

static uint32_t full_address(const struct list *l, const struct drm_vc4_submit_rcl_surface *surf,
                             const struct krn_buffer *bo, uint32_t x, uint32_t y)
{
    uint32_t row_tl = util_div_round_up(l->lists->args.width, FULL_TILE_PX);
    return bo->addr + surf->offset + FULL_TILE_B * (row_tl * y + x);
}

/* [kernel] The low bits of the offset are not validated, and act as flags in this record. */
static void emit_full_load(struct list *l, uint32_t address, bool color)
{
    cl_emit(&l->cl, LOAD_FULL, load_full, p) {
        p.disable_color = !color || address & 1;
        p.disable_zs = color || address & 2;
        p.address = address & ~15u;
    }
}

static void emit_tile_load(struct list *l, enum krn_surface which, uint32_t x, uint32_t y)
{
    bool color = which == KRN_COLOR_READ;
    const struct drm_vc4_submit_rcl_surface *surf = color ? &l->lists->args.color_read : &l->lists->args.zs_read;
    const struct krn_buffer *bo = l->lists->surface[which];
    if (surf->flags & VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES)
        emit_full_load(l, full_address(l, surf, bo, x, y), color);
    else
        emit_load(l, surf, bo);
}

static void emit_tile_loads(struct list *l, uint32_t x, uint32_t y)
{
    const struct krn_lists *lists = l->lists;
    if (lists->surface[KRN_COLOR_READ])
        emit_tile_load(l, KRN_COLOR_READ, x, y);
    if (lists->surface[KRN_ZS_READ]) {
        if (lists->surface[KRN_COLOR_READ]) {
            emit_coordinates(l, x, y);
            emit_store_nothing(l, true);
        }
        emit_tile_load(l, KRN_ZS_READ, x, y);
    }
}

/* Stores all samples of a buffer. `more`: another store of the tile follows, so the tile buffer is not cleared. */
static void emit_full_store(struct list *l, uint32_t address, bool color, bool more, bool last_tile)
{
    cl_emit(&l->cl, STORE_FULL, store_full, p) {
        p.disable_color = !color;
        p.disable_zs = color;
        p.disable_clear = more;
        p.end_of_frame = last_tile && !more;
        p.address = address;
    }
}

/* For a tile of which no surface is stored (krn_lists.may_store_nothing). */
static void emit_no_store(struct list *l, bool last_tile)
{
    cl_emit(&l->cl, STORE_GENERAL, store_general, p) {
        p.end_of_frame = last_tile;
    }
}

/* Each store after the tile's first needs the tile coordinates again. */
static void emit_tile_stores(struct list *l, uint32_t x, uint32_t y, bool last_tile)
{
    const struct krn_lists *lists = l->lists;
    const struct drm_vc4_submit_cl *args = &lists->args;
    const struct drm_vc4_submit_rcl_surface *zs = &args->zs_write;
    bool has_color = lists->surface[KRN_COLOR_WRITE], has_zs = lists->surface[KRN_ZS_WRITE];
    const struct krn_buffer *msaa_color = lists->surface[KRN_MSAA_COLOR_WRITE];
    const struct krn_buffer *msaa_zs = lists->surface[KRN_MSAA_ZS_WRITE];
    if (!has_color && !has_zs && !msaa_color && !msaa_zs)
        emit_no_store(l, last_tile);
    if (msaa_color) {
        emit_full_store(l, full_address(l, &args->msaa_color_write, msaa_color, x, y), true,
                        msaa_zs || has_zs || has_color, last_tile);
        if (msaa_zs || has_zs || has_color)
            emit_coordinates(l, x, y);
    }
    if (msaa_zs) {
        emit_full_store(l, full_address(l, &args->msaa_zs_write, msaa_zs, x, y), false, has_zs || has_color, last_tile);
        if (has_zs || has_color)
            emit_coordinates(l, x, y);
    }
    if (has_zs) {
        cl_emit(&l->cl, STORE_GENERAL, store_general, p) {
            p.buffer = zs->bits & 7;
            p.layout = zs->bits >> 4 & 3;
            p.format = zs->bits >> 8 & 3;
            p.disable_color_clear = has_color;
            p.end_of_frame = last_tile && !has_color;
            p.address = lists->surface[KRN_ZS_WRITE]->addr + zs->offset;
        }
        if (has_color)
            emit_coordinates(l, x, y);
    }
    if (has_color && last_tile)
        cl_emit(&l->cl, STORE_MS_RESOLVED_END, store_ms_resolved_end, p) {}
    else if (has_color)
        cl_emit(&l->cl, STORE_MS_RESOLVED, store_ms_resolved, p) {}
}

static void emit_tile(struct list *l, uint32_t x, uint32_t y, bool first, bool last)
{
    const struct krn_lists *lists = l->lists;
    emit_tile_loads(l, x, y);
    emit_coordinates(l, x, y);
    if (lists->args.bin_cl_size) {
        if (first)
            cl_emit(&l->cl, WAIT_ON_SEMAPHORE, wait_on_semaphore, p) {}
        cl_emit(&l->cl, BRANCH_TO_SUB_LIST, branch_to_sub_list, p) {
            p.address = lists->tile_alloc_addr + (y * lists->bin_width_tl + x) * 32;
        }
    }
    emit_tile_stores(l, x, y, last);
}

static void emit_tiles(struct list *l)
{
    const struct drm_vc4_submit_cl *args = &l->lists->args;
    bool fixed = args->flags & VC4_SUBMIT_CL_FIXED_RCL_ORDER;
    bool up_x = !fixed || args->flags & VC4_SUBMIT_CL_RCL_ORDER_INCREASING_X;
    bool up_y = !fixed || args->flags & VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y;
    uint32_t columns = args->max_x_tile - args->min_x_tile + 1u, rows = args->max_y_tile - args->min_y_tile + 1u;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t column = 0; column < columns; column++) {
            uint32_t x = up_x ? args->min_x_tile + column : args->max_x_tile - column;
            uint32_t y = up_y ? args->min_y_tile + row : args->max_y_tile - row;
            emit_tile(l, x, y, !row && !column, row == rows - 1 && column == columns - 1);
        }
    }
}

int krn_render_list_create(struct krn_lists *lists)
{
    struct list l = {.lists = lists};
    util_stream_init(&l.cl, CHUNK_B, NULL);
    if (lists->args.flags & VC4_SUBMIT_CL_USE_CLEAR_COLOR)
        emit_clear_values(&l);
    emit_config(&l);
    emit_tiles(&l);
    struct krn_list_memory memory;
    int err = l.cl.failed ? -ENOMEM : lists->ops->alloc(lists, l.cl.size_B, &memory);
    if (!err) {
        util_stream_gather(&l.cl, memory.data);
        lists->ct1ca = memory.addr;
        lists->ct1ea = memory.addr + l.cl.size_B;
    }
    util_stream_finish(&l.cl);
    return err;
}
