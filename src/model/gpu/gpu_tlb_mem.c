/* SPDX-License-Identifier: MIT
 *
 * Loads and stores of the tile buffer: between a tile and a surface in raster, T or LT order [guide p.46-47, p.67-68,
 * p.105-107]. The stride of a surface follows from the frame's width. Tiles that hang over the frame are cut there.
 *
 * 565 stores drop the low bits, loads repeat the high ones, so a load after a store changes nothing. The chip's rounding
 * and its dither pattern are not documented (unverified); dithered stores are stored like plain ones.
 */
#include "hw/layout.h"
#include "model/gpu/gpu_mem.h"
#include "model/gpu/gpu_tlb.h"

uint32_t gpu_color_from_565(uint16_t p)
{
    uint32_t r = p >> 11, g = p >> 5 & 63, b = p & 31;
    return (r << 3 | r >> 2) | (g << 2 | g >> 4) << 8 | (b << 3 | b >> 2) << 16 | 0xff000000u;
}

uint16_t gpu_color_to_565(uint32_t rgba)
{
    uint32_t r = rgba & 0xff, g = rgba >> 8 & 0xff, b = rgba >> 16 & 0xff;
    return (uint16_t)(r >> 3 << 11 | g >> 2 << 5 | b >> 3);
}

/* A surface's place in memory, and the part of the tile that lies within the frame. */
struct access {
    uint8_t *base;
    uint32_t stride_B;
    struct hw_copy_rect rect;
};

static enum hw_tiling tiling(uint32_t layout)
{
    return layout == CL_LAYOUT_T ? HW_TILING_T : layout == CL_LAYOUT_LT ? HW_TILING_LT : HW_TILING_RASTER;
}

static bool find(struct access *a, const struct gpu_memory *mem, const struct gpu_surface *s, uint32_t cpp,
                 uint32_t column, uint32_t row)
{
    uint32_t x = column * GPU_TLB_WIDTH_PX, y = row * GPU_TLB_WIDTH_PX;
    uint32_t utile_w, utile_h;
    hw_utile_size(cpp, &utile_w, &utile_h);
    bool is_t = s->layout == CL_LAYOUT_T, is_raster = s->layout == CL_LAYOUT_RASTER;
    a->stride_B = util_align(s->width_px, is_t ? 8 * utile_w : utile_w) * cpp;
    uint32_t rows = is_raster ? s->height_px : util_align(s->height_px, is_t ? 8 * utile_h : utile_h);
    uint64_t size_B = (uint64_t)a->stride_B * rows;
    a->base = size_B <= UINT32_MAX ? gpu_mem_at(mem, s->address, (uint32_t)size_B) : NULL;
    if (!a->base)
        return false;
    a->rect = (struct hw_copy_rect){.x_el = x, .y_el = y};
    if (x < s->width_px && y < s->height_px) {
        a->rect.width_el = MIN2(s->width_px - x, GPU_TLB_WIDTH_PX);
        a->rect.height_el = MIN2(s->height_px - y, GPU_TLB_WIDTH_PX);
    }
    return true;
}

static bool is_empty(const struct access *a)
{
    return a->rect.width_el == 0;
}

static bool load_32(uint32_t *samples, const struct gpu_memory *mem, const struct gpu_surface *s, uint32_t column,
                    uint32_t row)
{
    struct access a;
    if (!find(&a, mem, s, 4, column, row))
        return false;
    if (!is_empty(&a))
        hw_copy_from_tiled(samples, GPU_TLB_WIDTH_PX * 4, a.base, tiling(s->layout), a.stride_B, 4, &a.rect);
    return true;
}

static bool store_32(const uint32_t *samples, const struct gpu_memory *mem, const struct gpu_surface *s,
                     uint32_t column, uint32_t row)
{
    struct access a;
    if (!find(&a, mem, s, 4, column, row))
        return false;
    if (!is_empty(&a))
        hw_copy_to_tiled(a.base, tiling(s->layout), a.stride_B, 4, samples, GPU_TLB_WIDTH_PX * 4, &a.rect);
    return true;
}

bool gpu_tlb_load_color(struct gpu_tlb *tlb, const struct gpu_memory *mem, const struct gpu_surface *s, uint32_t column,
                        uint32_t row)
{
    if (s->format == GPU_COLOR_RGBA8888)
        return load_32(tlb->color, mem, s, column, row);
    struct access a;
    uint16_t raster[GPU_TLB_SAMPLES];
    if (!find(&a, mem, s, 2, column, row))
        return false;
    if (is_empty(&a))
        return true;
    hw_copy_from_tiled(raster, GPU_TLB_WIDTH_PX * 2, a.base, tiling(s->layout), a.stride_B, 2, &a.rect);
    for (uint32_t y = 0; y < a.rect.height_el; y++)
        for (uint32_t x = 0; x < a.rect.width_el; x++)
            tlb->color[gpu_tlb_index(x, y)] = gpu_color_from_565(raster[gpu_tlb_index(x, y)]);
    return true;
}

bool gpu_tlb_store_color(const struct gpu_tlb *tlb, const struct gpu_memory *mem, const struct gpu_surface *s,
                         uint32_t column, uint32_t row)
{
    if (s->format == GPU_COLOR_RGBA8888)
        return store_32(tlb->color, mem, s, column, row);
    struct access a;
    uint16_t raster[GPU_TLB_SAMPLES];
    if (!find(&a, mem, s, 2, column, row))
        return false;
    if (is_empty(&a))
        return true;
    for (unsigned i = 0; i < GPU_TLB_SAMPLES; i++)
        raster[i] = gpu_color_to_565(tlb->color[i]);
    hw_copy_to_tiled(a.base, tiling(s->layout), a.stride_B, 2, raster, GPU_TLB_WIDTH_PX * 2, &a.rect);
    return true;
}

bool gpu_tlb_load_zs(struct gpu_tlb *tlb, const struct gpu_memory *mem, const struct gpu_surface *s, uint32_t column,
                     uint32_t row)
{
    if (!load_32(tlb->zs, mem, s, column, row))
        return false;
    /* The shadow of what was loaded is not known to be kept by the chip; nothing is culled early by it. */
    for (unsigned quad = 0; quad < GPU_TLB_QUADS; quad++)
        tlb->early_z[quad] = GPU_Z_MAX;
    return true;
}

bool gpu_tlb_store_zs(const struct gpu_tlb *tlb, const struct gpu_memory *mem, const struct gpu_surface *s,
                      uint32_t column, uint32_t row)
{
    return store_32(tlb->zs, mem, s, column, row);
}
