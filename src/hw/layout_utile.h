/* SPDX-License-Identifier: MIT
 *
 * Rows of microtiles, between the files of the layouts.
 */
#ifndef HW_LAYOUT_UTILE_H
#define HW_LAYOUT_UTILE_H

#include "hw/layout.h"

#define HW_UTILE_B 64u

/* Where the microtiles of one row of a tiled surface lie: in groups of HW_TILE_UT that are `step_B` apart, each of two
 * halves whose microtiles follow each other. */
struct hw_utile_row {
    uint32_t begin_B;
    int32_t step_B;
    uint32_t half_B[2];
};

/* Row `uy` of a surface whose rows of elements are stride_B apart; a microtile has `uh_el` rows of `row_B` bytes. */
struct hw_utile_row hw_utile_row(enum hw_tiling tiling, uint32_t stride_B, uint32_t uh_el, uint32_t row_B, uint32_t uy);

static inline uint32_t hw_utile_offset_B(const struct hw_utile_row *row, uint32_t ux)
{
    return row->begin_B + (uint32_t)row->step_B * (ux / HW_TILE_UT) + row->half_B[ux / (HW_TILE_UT / 2) % 2] +
           ux % (HW_TILE_UT / 2) * HW_UTILE_B;
}

#endif
