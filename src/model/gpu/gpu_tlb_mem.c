/* SPDX-License-Identifier: MIT
 *
 * Loads and stores of the tile buffer: copies between a tile and a surface in raster, T or LT order [guide p.46-47,
 * p.67-68, p.105-107]. The stride of a surface follows from the frame's width. Tiles that extend beyond the frame are
 * clipped to it.
 *
 * 565 stores drop the low bits and loads replicate the high ones, so a load after a store changes nothing. The chip's
 * rounding and its dither pattern are not documented (unverified); dithered stores are done like plain ones.
 *
 * With four samples per pixel, stores write one value per pixel, and loads set all samples to the pixel's value. The
 * mean of four samples is rounded to nearest (unverified).
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

/* A surface in memory, and the part of the tile that lies within the frame. */
struct access {
    uint8_t *base;
    uint32_t stride_B;
    struct hw_copy_rect rect;
};

static enum hw_tiling tiling(uint32_t layout)
{
    return layout == CL_LAYOUT_T ? HW_TILING_T : layout == CL_LAYOUT_LT ? HW_TILING_LT : HW_TILING_RASTER;
}

static bool locate_surface(struct access *a, const struct gpu_memory *mem, const struct gpu_surface *s, uint32_t cpp,
                           uint32_t tile_px, uint32_t column, uint32_t row)
{
    uint32_t x = column * tile_px, y = row * tile_px;
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
        a->rect.width_el = MIN2(s->width_px - x, tile_px);
        a->rect.height_el = MIN2(s->height_px - y, tile_px);
    }
    return true;
}

static bool is_empty(const struct access *a)
{
    return a->rect.width_el == 0;
}

/* -- pixels and samples -- */

static void replicate_samples(uint32_t *samples, const uint32_t *raster, const struct hw_copy_rect *rect)
{
    for (uint32_t y = 0; y < rect->height_el; y++)
        for (uint32_t x = 0; x < rect->width_el; x++)
            for (unsigned s = 0; s < 4; s++)
                samples[gpu_tlb_ms_index(x, y) + s * GPU_TLB_SAMPLE_STEP] = raster[y * GPU_TLB_MS_WIDTH_PX + x];
}

/* Mean of four samples per byte, two bytes at a time. */
static uint32_t mean(const uint32_t *at)
{
    uint32_t even = 0x00020002, odd = 0x00020002;
    for (unsigned s = 0; s < 4; s++) {
        even += at[s * GPU_TLB_SAMPLE_STEP] & 0x00ff00ff;
        odd += at[s * GPU_TLB_SAMPLE_STEP] >> 8 & 0x00ff00ff;
    }
    return (even >> 2 & 0x00ff00ff) | (odd >> 2 & 0x00ff00ff) << 8;
}

static void resolve_rows(uint32_t *raster, const uint32_t *samples, bool resolve, uint32_t rows)
{
    for (uint32_t y = 0; y < util_align(rows, 2); y += 2) {
        uint32_t *to = &raster[y * GPU_TLB_MS_WIDTH_PX];
        for (uint32_t x = 0; x < GPU_TLB_MS_WIDTH_PX; x += 2) {
            const uint32_t *quad = &samples[gpu_tlb_ms_index(x, y)];
            uint32_t value[4];
            for (unsigned i = 0; i < 4; i++)
                value[i] = resolve ? mean(&quad[i]) : quad[i];
            memcpy(&to[x], &value[0], 8);
            memcpy(&to[x + GPU_TLB_MS_WIDTH_PX], &value[2], 8);
        }
    }
}

/* Converts from quads to rows of pixels, half a quad at a time; from_rows() does the reverse. */
static void to_rows(uint32_t *raster, const uint32_t *samples, uint32_t rows)
{
    for (uint32_t y = 0; y < util_align(rows, 2); y += 2) {
        const uint32_t *from = &samples[y * GPU_TLB_WIDTH_PX];
        uint32_t *upper = &raster[y * GPU_TLB_WIDTH_PX], *lower = upper + GPU_TLB_WIDTH_PX;
        for (uint32_t x = 0; x < GPU_TLB_WIDTH_PX; x += 2, from += 4) {
            memcpy(&upper[x], &from[0], 8);
            memcpy(&lower[x], &from[2], 8);
        }
    }
}

static void from_rows(uint32_t *samples, const uint32_t *raster, const struct hw_copy_rect *rect)
{
    for (uint32_t y = 0; y < rect->height_el; y++) {
        const uint32_t *from = &raster[y * GPU_TLB_WIDTH_PX];
        uint32_t *to = &samples[gpu_tlb_index(0, y)], x = 0;
        for (; x + 1 < rect->width_el; x += 2)
            memcpy(&to[2 * x], &from[x], 8);
        if (x < rect->width_el)
            to[2 * x] = from[x];
    }
}

/* A tile as rows of pixels, the format in which tiles are copied from and to surfaces. */
struct rows {
    uint32_t pixel[GPU_TLB_SAMPLES];
};

static void read_rows(const struct gpu_tlb *tlb, struct rows *to, const uint32_t *samples, bool resolve, uint32_t rows)
{
    if (tlb->ms_4x)
        resolve_rows(to->pixel, samples, resolve, rows);
    else
        to_rows(to->pixel, samples, rows);
}

static void write_rows(const struct gpu_tlb *tlb, uint32_t *samples, const struct rows *from,
                       const struct hw_copy_rect *rect)
{
    if (tlb->ms_4x)
        replicate_samples(samples, from->pixel, rect);
    else
        from_rows(samples, from->pixel, rect);
}

/* -- 32 bits a pixel -- */

static bool load_32(const struct gpu_tlb *tlb, uint32_t *samples, const struct gpu_memory *mem,
                    const struct gpu_surface *s, uint32_t column, uint32_t row)
{
    uint32_t tile_px = gpu_tlb_tile_px(tlb);
    struct rows rows;
    struct access a;
    if (!locate_surface(&a, mem, s, 4, tile_px, column, row))
        return false;
    if (is_empty(&a))
        return true;
    hw_copy_from_tiled(rows.pixel, tile_px * 4, a.base, tiling(s->layout), a.stride_B, 4, &a.rect);
    write_rows(tlb, samples, &rows, &a.rect);
    return true;
}

/* Stores a tile in which all pixels have one value. */
static void store_value(const struct access *a, enum hw_tiling order, uint32_t value)
{
    struct rows rows; /* only one row is filled; it is reused for all rows (source stride 0) */
    for (uint32_t x = 0; x < a->rect.width_el; x++)
        rows.pixel[x] = value;
    if (order != HW_TILING_RASTER) {
        hw_copy_to_tiled(a->base, order, a->stride_B, 4, rows.pixel, 0, &a->rect);
        return;
    }
    uint8_t *to = a->base + (size_t)a->rect.y_el * a->stride_B + (size_t)a->rect.x_el * 4;
    for (uint32_t y = 0; y < a->rect.height_el; y++, to += a->stride_B)
        memcpy(to, rows.pixel, (size_t)a->rect.width_el * 4);
}

/* Halves of two quads. */
typedef uint64_t halves __attribute__((vector_size(16)));

/* Stores a row of quads to two rows of memory. */
static void store_quads(uint8_t *upper, uint8_t *lower, const uint32_t *quads, uint32_t width_px)
{
    uint32_t x = 0;
    for (; x + 3 < width_px; x += 4, quads += 8) {
        halves quad[2];
        memcpy(quad, quads, sizeof quad);
        const halves high = {quad[0][0], quad[1][0]}, low = {quad[0][1], quad[1][1]};
        memcpy(upper + 4 * x, &high, sizeof high);
        memcpy(lower + 4 * x, &low, sizeof low);
    }
    for (; x + 1 < width_px; x += 2, quads += 4) {
        memcpy(upper + 4 * x, &quads[0], 8);
        memcpy(lower + 4 * x, &quads[2], 8);
    }
    if (x < width_px) {
        memcpy(upper + 4 * x, &quads[0], 4);
        memcpy(lower + 4 * x, &quads[2], 4);
    }
}

/* Stores samples to a raster surface directly, without an intermediate copy. */
static void store_raster(const struct access *a, const uint32_t *samples)
{
    uint8_t *to = a->base + (size_t)a->rect.y_el * a->stride_B + (size_t)a->rect.x_el * 4;
    uint32_t y = 0;
    for (; y + 1 < a->rect.height_el; y += 2, to += 2 * (size_t)a->stride_B)
        store_quads(to, to + a->stride_B, &samples[y * GPU_TLB_WIDTH_PX], a->rect.width_el);
    for (uint32_t x = 0; y < a->rect.height_el && x < a->rect.width_el; x++)
        memcpy(to + 4 * x, &samples[gpu_tlb_index(x, y)], 4);
}

/* Stores `samples`, or if `pending` is not NULL, this value for all pixels. */
static bool store_32(const struct gpu_tlb *tlb, const uint32_t *samples, const uint32_t *pending,
                     const struct gpu_memory *mem, const struct gpu_surface *s, bool resolve, uint32_t column,
                     uint32_t row)
{
    uint32_t tile_px = gpu_tlb_tile_px(tlb);
    struct rows rows;
    struct access a;
    if (!locate_surface(&a, mem, s, 4, tile_px, column, row))
        return false;
    if (is_empty(&a))
        return true;
    if (pending) {
        store_value(&a, tiling(s->layout), *pending);
        return true;
    }
    if (!tlb->ms_4x && tiling(s->layout) == HW_TILING_RASTER) {
        store_raster(&a, samples);
        return true;
    }
    read_rows(tlb, &rows, samples, resolve, a.rect.height_el);
    hw_copy_to_tiled(a.base, tiling(s->layout), a.stride_B, 4, rows.pixel, tile_px * 4, &a.rect);
    return true;
}

/* -- colour -- */

bool gpu_tlb_load_color(struct gpu_tlb *tlb, const struct gpu_memory *mem, const struct gpu_surface *s, uint32_t column,
                        uint32_t row)
{
    gpu_tlb_apply_color_clear(tlb);
    if (s->format == GPU_COLOR_RGBA8888)
        return load_32(tlb, tlb->color, mem, s, column, row);
    uint32_t tile_px = gpu_tlb_tile_px(tlb);
    struct access a;
    struct rows rows;
    uint16_t raster[GPU_TLB_SAMPLES];
    if (!locate_surface(&a, mem, s, 2, tile_px, column, row))
        return false;
    if (is_empty(&a))
        return true;
    hw_copy_from_tiled(raster, tile_px * 2, a.base, tiling(s->layout), a.stride_B, 2, &a.rect);
    for (uint32_t y = 0; y < a.rect.height_el; y++)
        for (uint32_t i = y * tile_px; i < y * tile_px + a.rect.width_el; i++)
            rows.pixel[i] = gpu_color_from_565(raster[i]);
    write_rows(tlb, tlb->color, &rows, &a.rect);
    return true;
}

bool gpu_tlb_store_color(struct gpu_tlb *tlb, const struct gpu_memory *mem, const struct gpu_surface *s,
                         uint32_t column, uint32_t row)
{
    if (s->format == GPU_COLOR_RGBA8888) /* a deferred clear stays deferred; the store uses its value */
        return store_32(tlb, tlb->color, tlb->color_pending ? &tlb->pending.color : NULL, mem, s, s->resolve, column,
                        row);
    gpu_tlb_apply_color_clear(tlb);
    uint32_t tile_px = gpu_tlb_tile_px(tlb);
    struct access a;
    struct rows rows;
    uint16_t raster[GPU_TLB_SAMPLES];
    if (!locate_surface(&a, mem, s, 2, tile_px, column, row))
        return false;
    if (is_empty(&a))
        return true;
    read_rows(tlb, &rows, tlb->color, s->resolve, a.rect.height_el);
    for (unsigned i = 0; i < tile_px * a.rect.height_el; i++)
        raster[i] = gpu_color_to_565(rows.pixel[i]);
    hw_copy_to_tiled(a.base, tiling(s->layout), a.stride_B, 2, raster, tile_px * 2, &a.rect);
    return true;
}

/* -- depth and stencil -- */

/* Whether the chip has an early-Z shadow for loaded depth is not known; here early Z drops nothing after a load. */
static void reset_early_z(struct gpu_tlb *tlb)
{
    for (unsigned quad = 0; quad < GPU_TLB_QUADS; quad++)
        tlb->early_z[quad] = GPU_Z_MAX;
}

bool gpu_tlb_load_zs(struct gpu_tlb *tlb, const struct gpu_memory *mem, const struct gpu_surface *s, uint32_t column,
                     uint32_t row)
{
    gpu_tlb_apply_zs_clear(tlb);
    if (!load_32(tlb, tlb->zs, mem, s, column, row))
        return false;
    reset_early_z(tlb);
    return true;
}

bool gpu_tlb_store_zs(struct gpu_tlb *tlb, const struct gpu_memory *mem, const struct gpu_surface *s,
                      uint32_t column, uint32_t row)
{
    return store_32(tlb, tlb->zs, tlb->zs_pending ? &tlb->pending.zs : NULL, mem, s, false, column, row);
}

/* -- all samples -- */

static bool load_all(const struct gpu_tlb *tlb, uint32_t samples[GPU_TLB_SAMPLES], const struct gpu_memory *mem,
                     uint32_t address)
{
    static const struct hw_copy_rect tile = {.width_el = GPU_TLB_WIDTH_PX, .height_el = GPU_TLB_WIDTH_PX};
    const uint8_t *at = gpu_mem_at(mem, address, GPU_TLB_DUMP_B);
    struct rows rows;
    if (!at)
        return false;
    memcpy(tlb->ms_4x ? samples : rows.pixel, at, GPU_TLB_DUMP_B);
    if (!tlb->ms_4x)
        from_rows(samples, rows.pixel, &tile);
    return true;
}

static bool store_all(const struct gpu_tlb *tlb, const uint32_t samples[GPU_TLB_SAMPLES], const struct gpu_memory *mem,
                      uint32_t address)
{
    uint8_t *at = gpu_mem_at(mem, address, GPU_TLB_DUMP_B);
    struct rows rows;
    if (!at)
        return false;
    if (!tlb->ms_4x)
        to_rows(rows.pixel, samples, GPU_TLB_WIDTH_PX);
    memcpy(at, tlb->ms_4x ? samples : rows.pixel, GPU_TLB_DUMP_B);
    return true;
}

bool gpu_tlb_load_all_color(struct gpu_tlb *tlb, const struct gpu_memory *mem, uint32_t address)
{
    gpu_tlb_apply_color_clear(tlb);
    return load_all(tlb, tlb->color, mem, address);
}

bool gpu_tlb_load_all_zs(struct gpu_tlb *tlb, const struct gpu_memory *mem, uint32_t address)
{
    gpu_tlb_apply_zs_clear(tlb);
    reset_early_z(tlb);
    return load_all(tlb, tlb->zs, mem, address);
}

bool gpu_tlb_store_all_color(struct gpu_tlb *tlb, const struct gpu_memory *mem, uint32_t address)
{
    gpu_tlb_apply_color_clear(tlb);
    return store_all(tlb, tlb->color, mem, address);
}

bool gpu_tlb_store_all_zs(struct gpu_tlb *tlb, const struct gpu_memory *mem, uint32_t address)
{
    gpu_tlb_apply_zs_clear(tlb);
    return store_all(tlb, tlb->zs, mem, address);
}
