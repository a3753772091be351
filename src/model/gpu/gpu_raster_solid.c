/* SPDX-License-Identifier: MIT
 *
 * Primitives of one colour (gpu_solid.h) that only write colour to the tile buffer: filled block by block, or as a
 * deferred clear if they cover the whole tile. Performance counters count what the program would have done. Hot, like
 * gpu_raster.c; compiled once per vector extension, see gpu_lanes.h.
 */
#include "model/gpu/gpu_lanes.h"
#include "model/gpu/gpu_raster_host.h"

/* Number of pixels from which it pays to run the program once to find the colour. */
#define WORTH_PX 256

void GPU_HOST_NAME(gpu_fep_check_solid)(struct gpu_fep *fep, struct gpu_setup *s, const struct gpu_rect *area)
{
    struct gpu_solid_color *known = &fep->solid_color;
    const unsigned count = fep->varying_count;
    s->is_solid = false;
    if (!fep->solid.is_solid || s->varying_count != count || !gpu_solid_is_flat(s->varying, count))
        return;
    gpu_solid_set_varyings(known, s->varying, count);
    if (!known->is_known) {
        known->requested_px += (uint32_t)((area->x1 - area->x0) * (area->y1 - area->y0));
        if (known->requested_px < WORTH_PX)
            return;
        gpu_solid_run(fep->core, fep->program, fep->uniforms_addr, fep->limit, known);
    }
    s->is_solid = known->is_solid;
    s->color = known->color;
}

static void count_quads(struct gpu_fep *fep, struct gpu_setup *s, unsigned quads)
{
    fep->counts[GPU_COUNT_QUADS] += quads;
    fep->counts[GPU_COUNT_QUADS_WRITTEN] += fep->solid.stores_color ? quads : 0;
    fep->counts[GPU_COUNT_PRIMS_WITHOUT_PIXELS] -= quads && !s->has_pixels;
    s->has_pixels |= quads != 0;
}

/* A row of quads has the same layout in the tile buffer and in a vector. */
GPU_INLINE void fill_row(uint32_t *to, uint32_t lanes, gpu_i32x16 color)
{
    if (lanes == 0xffff) {
        gpu_lanes_store(to, color);
    } else if (lanes) {
        const gpu_i32x16 mask = gpu_lanes_mask(lanes);
        gpu_lanes_store(to, (gpu_lanes_load(to) & ~mask) | (color & mask));
    }
}

void GPU_HOST_NAME(gpu_fep_fill_block)(struct gpu_fep *fep, struct gpu_setup *s, int32_t x, int32_t y, uint64_t lanes)
{
    const gpu_i32x16 color = gpu_lanes_all((int32_t)s->color);
    uint32_t *to = &fep->tlb->color[gpu_tlb_quad((uint32_t)x, (uint32_t)y) * 4];
    uint64_t quads = lanes | lanes >> 1;
    quads = (quads | quads >> 2) & 0x1111111111111111;
    count_quads(fep, s, (unsigned)__builtin_popcountll(quads));
    if (!fep->solid.stores_color)
        return;
    for (unsigned row = 0; row < 4; row++)
        fill_row(to + (size_t)row * GPU_TLB_WIDTH_PX * 2, lanes >> 16 * row & 0xffff, color);
}

void GPU_HOST_NAME(gpu_fep_fill_tile)(struct gpu_fep *fep, struct gpu_setup *s)
{
    const struct gpu_tlb_clear clear = {.color = s->color};
    count_quads(fep, s, GPU_TLB_QUADS);
    if (fep->solid.stores_color)
        gpu_tlb_defer_clear(fep->tlb, &clear, true, false);
}
