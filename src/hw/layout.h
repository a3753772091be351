/* SPDX-License-Identifier: MIT
 *
 * Memory layouts of images: raster, LT and T [guide p.105-107], with mip levels and cube faces where the texture unit
 * expects them. layout.c lists the rules that differ from the guide; recorded jobs and tests confirm them.
 */
#ifndef HW_LAYOUT_H
#define HW_LAYOUT_H

#include "util/macros.h"

/* The first three are the codes that control lists use. MS is one sample of a full-resolution dump of four samples;
 * sample s starts s * HW_MS_SAMPLE_B bytes after sample 0. */
enum hw_tiling { HW_TILING_RASTER, HW_TILING_T, HW_TILING_LT, HW_TILING_MS };

#define HW_MAX_LEVELS  15 /* of 16384 texels */
#define HW_TILE_PX    64 /* side of a tile of the tile buffer, single-sampled */
#define HW_TILE_UT    8u /* microtiles along a side of a 4 KiB tile */
#define HW_MS_TILE_PX 32u /* side of a tile in a full-resolution dump of four samples */
#define HW_MS_TILE_B  16384u
#define HW_MS_SAMPLE_B 16u
#define HW_MS_SAMPLES  4u

/* The side of a tile of the tile buffer in pixels, half as long with four samples. */
static inline uint32_t hw_tile_px(uint32_t samples)
{
    return samples > 1 ? HW_MS_TILE_PX : HW_TILE_PX;
}

/* Size of a 64-byte microtile in elements (pixels, or blocks of a compressed format). cpp is the size of an element in
 * bytes: 1, 2, 4 or 8; an element of 16 is stored like two adjacent ones of 8. */
void hw_utile_size(uint32_t cpp, uint32_t *w_el_out, uint32_t *h_el_out);

/* Tiled layout that the texture unit expects for a level of this size: LT when either side is at most 4 microtiles. */
enum hw_tiling hw_level_tiling(uint32_t width_el, uint32_t height_el, uint32_t cpp);

struct hw_level {
    uint32_t offset_B;   /* from the start of the image (of the face) */
    uint32_t stride_B;   /* bytes of one row of elements, all samples included: padded width * cpp */
    uint32_t width_el, height_el;               /* real size */
    uint32_t padded_width_el, padded_height_el; /* size in memory */
    uint32_t size_B;
    enum hw_tiling tiling;
};

struct hw_layout {
    struct hw_level level[HW_MAX_LEVELS];
    uint32_t levels;
    uint32_t cpp;
    uint32_t layers;
    uint32_t layer_stride_B; /* multiple of 4096 when layers > 1 or tiled */
    uint64_t size_B;
    uint32_t align_B;        /* 4096 for tiled images, else 64 */
};

struct hw_layout_info {
    uint32_t width_el, height_el; /* level 0 */
    uint32_t cpp;
    uint32_t levels, layers;      /* layers: array layers, cube faces, slices of 3D images */
    bool tiled;
    bool lt_only;                 /* tiled, but no level is T: for images whose texels programs address in code */
    /* > 1, not tiled: width_el and height_el are in texels, and an element is a block of this many. */
    uint32_t block_w_px, block_h_px;
    bool multisampled;            /* a full-resolution dump of four samples of one word each: one level */
    uint32_t raster_stride_B;     /* not tiled, one level: distance of rows, if it is not 0; see hw_raster_step_B() */
};

/* Rows of raster surfaces may be any multiple of this apart: a microtile's row, from which the chip derives the stride,
 * and whole words. */
uint32_t hw_raster_step_B(uint32_t cpp);

/* Computes the layout: smallest level first, level 0 on a 4096-byte boundary, levels >= 1 padded to powers of two.
 * Array entries of levels that do not exist are left unchanged. False when a layer would exceed 2 GiB. */
bool hw_layout_init(struct hw_layout *layout, const struct hw_layout_info *info) UTIL_MUST_CHECK;

/* Whether the texture unit can sample levels `first` to `last`: each has the tiling that the unit expects. */
bool hw_layout_fits_tmu(const struct hw_layout *layout, uint32_t first, uint32_t last);

/* Byte offset of element (x, y) in a surface whose rows are stride_B apart (padded). */
uint32_t hw_element_offset_B(enum hw_tiling tiling, uint32_t stride_B, uint32_t cpp, uint32_t x_el, uint32_t y_el);

struct hw_copy_rect {
    uint32_t x_el, y_el, width_el, height_el;
};

/* Copies a rectangle between a level of any tiling and raster memory. Runs of whole microtiles have a fast path. */
void hw_copy_from_tiled(void *raster, uint32_t raster_stride_B, const void *surface, enum hw_tiling tiling,
                        uint32_t stride_B, uint32_t cpp, const struct hw_copy_rect *rect);
void hw_copy_to_tiled(void *surface, enum hw_tiling tiling, uint32_t stride_B, uint32_t cpp, const void *raster,
                      uint32_t raster_stride_B, const struct hw_copy_rect *rect);

/* Byte offset of a sample in a full-resolution 4x dump of a surface `width_px` wide. */
uint32_t hw_ms_offset_B(uint32_t width_px, uint32_t x_px, uint32_t y_px, uint32_t sample);

#endif
