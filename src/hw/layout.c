/* SPDX-License-Identifier: MIT
 *
 * Computes image layouts: the size, tiling and offset of each mip level, and the offset of texel (x, y) in a level.
 * layout_copy.c copies texels in and out.
 *
 * Tiled memory consists of 64-byte microtiles, raster inside. LT stores them in raster order. T groups 4 x 4 of them
 * into sub-tiles of 1 KiB and 2 x 2 of those into tiles of 4 KiB; rows of tiles run alternately right and left
 * [guide p.105-107].
 *
 * Two rules differ from the guide. A level is LT when it is at most *one sub-tile* (4 microtiles) wide or high, not one
 * tile [kernel vc4_validate.c; recorded jobs]. Levels from 1 on are padded to powers of two, and the padded size
 * decides between T and LT [recorded jobs].
 */
#include "hw/layout_utile.h"

#define SUBTILE_B      1024u
#define TILE_B         4096u
#define MAX_LAYER_B    (UINT64_C(1) << 31)
#define RASTER_ALIGN_B 64u

void hw_utile_size(uint32_t cpp, uint32_t *w_el_out, uint32_t *h_el_out)
{
    switch (cpp) {
    case 1:
        *w_el_out = 8;
        *h_el_out = 8;
        return;
    case 2:
        *w_el_out = 8;
        *h_el_out = 4;
        return;
    case 4:
        *w_el_out = 4;
        *h_el_out = 4;
        return;
    case 8:
        *w_el_out = 2;
        *h_el_out = 4;
        return;
    case 16:
        *w_el_out = 1;
        *h_el_out = 4;
        return;
    default: /* 3, 6, 12 bytes: raster only */
        *w_el_out = 1;
        *h_el_out = 1;
        return;
    }
}

uint32_t hw_raster_step_B(uint32_t cpp)
{
    uint32_t uw, uh;
    hw_utile_size(cpp, &uw, &uh);
    return util_is_pow2(cpp) ? uw * cpp : 4;
}

enum hw_tiling hw_level_tiling(uint32_t width_el, uint32_t height_el, uint32_t cpp)
{
    uint32_t uw, uh;
    hw_utile_size(cpp, &uw, &uh);
    return width_el <= 4 * uw || height_el <= 4 * uh ? HW_TILING_LT : HW_TILING_T;
}

/* Sets the size and tiling of level `i`, not its offset. False when the level exceeds MAX_LAYER_B. */
static bool level_init(struct hw_level *level, const struct hw_layout_info *info, uint32_t i)
{
    uint32_t uw, uh;
    hw_utile_size(info->cpp, &uw, &uh);
    level->width_el = util_div_round_up(util_minify(info->width_el, i), MAX2(info->block_w_px, 1u));
    level->height_el = util_div_round_up(util_minify(info->height_el, i), MAX2(info->block_h_px, 1u));
    const bool is_padded = i && info->block_w_px <= 1;
    uint32_t w = is_padded ? util_minify(util_next_pow2(info->width_el), i) : level->width_el;
    uint32_t h = is_padded ? util_minify(util_next_pow2(info->height_el), i) : level->height_el;

    level->tiling = info->multisampled ? HW_TILING_MS
                    : !info->tiled     ? HW_TILING_RASTER
                    : info->lt_only    ? HW_TILING_LT
                                       : hw_level_tiling(w, h, info->cpp);
    switch (level->tiling) {
    case HW_TILING_MS:
        level->padded_width_el = util_align(w, HW_MS_TILE_PX);
        level->padded_height_el = util_align(h, HW_MS_TILE_PX);
        break;
    case HW_TILING_RASTER:
        level->padded_width_el = util_align(w, uw);
        level->padded_height_el = h;
        break;
    case HW_TILING_LT:
        level->padded_width_el = util_align(w, uw);
        level->padded_height_el = util_align(h, uh);
        break;
    case HW_TILING_T:
        level->padded_width_el = util_align(w, HW_TILE_UT * uw);
        level->padded_height_el = util_align(h, HW_TILE_UT * uh);
        break;
    }
    uint64_t stride_B = (uint64_t)level->padded_width_el * info->cpp * (info->multisampled ? HW_MS_SAMPLES : 1);
    if (level->tiling == HW_TILING_RASTER)
        stride_B = util_align64(stride_B, 4);
    if (info->raster_stride_B) {
        stride_B = info->raster_stride_B;
        level->padded_width_el = info->raster_stride_B / info->cpp;
    }
    uint64_t size_B = stride_B * level->padded_height_el;
    if (stride_B >= MAX_LAYER_B || size_B > MAX_LAYER_B)
        return false;
    level->stride_B = (uint32_t)stride_B;
    level->size_B = (uint32_t)size_B;
    return true;
}

bool hw_layout_init(struct hw_layout *layout, const struct hw_layout_info *info)
{
    assert(info->levels >= 1 && info->levels <= HW_MAX_LEVELS && info->layers >= 1 && info->cpp >= 1);
    assert(!info->tiled || (util_is_pow2(info->cpp) && info->cpp <= 16 && info->block_w_px <= 1));
    assert(!info->multisampled || (info->tiled && info->cpp == 4 && info->levels == 1));
    assert(!info->raster_stride_B ||
           (!info->tiled && info->levels == 1 && info->raster_stride_B % hw_raster_step_B(info->cpp) == 0));
    layout->layer_stride_B = 0;
    layout->size_B = 0;
    if (!info->width_el || !info->height_el || info->width_el > MAX_LAYER_B / 2 || info->height_el > MAX_LAYER_B / 2)
        return false;
    layout->levels = info->levels;
    layout->cpp = info->cpp;
    layout->layers = info->layers;
    layout->align_B = info->tiled ? TILE_B : RASTER_ALIGN_B;

    uint64_t below_B = 0; /* size of all levels from 1 on */
    for (uint32_t i = MIN2(info->levels, HW_MAX_LEVELS); i-- > 0;) {
        if (!level_init(&layout->level[i], info, i))
            return false;
        if (i)
            below_B += layout->level[i].size_B;
    }
    uint64_t layer_B = util_align64(below_B, TILE_B) + layout->level[0].size_B;
    uint64_t layer_stride_B = info->tiled || info->layers > 1 ? util_align64(layer_B, TILE_B) : layer_B;
    if (layer_stride_B > MAX_LAYER_B)
        return false;

    uint32_t offset_B = (uint32_t)(util_align64(below_B, TILE_B) - below_B);
    for (uint32_t i = info->levels; i-- > 0;) {
        layout->level[i].offset_B = offset_B;
        offset_B += layout->level[i].size_B;
    }
    layout->layer_stride_B = (uint32_t)layer_stride_B;
    layout->size_B = layer_stride_B * (info->layers - 1) + layer_B;
    return true;
}

/* Padding never changes the choice between LT and T, so the padded size can be tested. */
bool hw_layout_fits_tmu(const struct hw_layout *layout, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        const struct hw_level *level = &layout->level[i];
        if (level->tiling != hw_level_tiling(level->padded_width_el, level->padded_height_el, layout->cpp))
            return false;
    }
    return true;
}

struct hw_utile_row hw_utile_row(enum hw_tiling tiling, uint32_t stride_B, uint32_t uh_el, uint32_t row_B, uint32_t uy)
{
    if (tiling == HW_TILING_LT)
        return (struct hw_utile_row){uy * uh_el * stride_B, HW_TILE_UT * HW_UTILE_B, {0, HW_TILE_UT / 2 * HW_UTILE_B}};
    /* Position in memory of each sub-tile of a tile, by row and column. The second set is for odd rows of tiles. */
    static const uint8_t subtile_order[2][2][2] = {{{0, 3}, {1, 2}}, {{2, 1}, {3, 0}}};
    const uint32_t tiles_per_row = stride_B / (HW_TILE_UT * row_B), ty = uy / HW_TILE_UT;
    const bool odd = ty & 1;
    const uint8_t *order = subtile_order[odd][uy / 4 % 2];
    return (struct hw_utile_row){
        .begin_B = TILE_B * (ty * tiles_per_row + (odd ? tiles_per_row - 1 : 0)) + uy % 4 * 4 * HW_UTILE_B,
        .step_B = odd ? -(int32_t)TILE_B : (int32_t)TILE_B,
        .half_B = {SUBTILE_B * order[0], SUBTILE_B * order[1]},
    };
}

uint32_t hw_element_offset_B(enum hw_tiling tiling, uint32_t stride_B, uint32_t cpp, uint32_t x_el, uint32_t y_el)
{
    if (tiling == HW_TILING_RASTER)
        return y_el * stride_B + x_el * cpp;
    if (tiling == HW_TILING_MS)
        return hw_ms_offset_B(stride_B / (HW_MS_SAMPLES * cpp), x_el, y_el, 0);
    uint32_t uw, uh;
    hw_utile_size(cpp, &uw, &uh);
    const struct hw_utile_row row = hw_utile_row(tiling, stride_B, uh, uw * cpp, y_el / uh);
    return hw_utile_offset_B(&row, x_el / uw) + y_el % uh * uw * cpp + x_el % uw * cpp;
}

/* A full-resolution dump consists of tiles of 32 x 32 pixels in raster order. A tile consists of blocks of 2 x 2
 * pixels, a block of four samples, each with its four pixels [recorded jobs: Mesa addresses the samples so]. */
uint32_t hw_ms_offset_B(uint32_t width_px, uint32_t x_px, uint32_t y_px, uint32_t sample)
{
    uint32_t tile = y_px / HW_MS_TILE_PX * util_div_round_up(width_px, HW_MS_TILE_PX) + x_px / HW_MS_TILE_PX;
    uint32_t x = x_px % HW_MS_TILE_PX, y = y_px % HW_MS_TILE_PX;
    return tile * HW_MS_TILE_B + (y / 2 * 16 + x / 2) * 64 + sample * HW_MS_SAMPLE_B + y % 2 * 8 + x % 2 * 4;
}
