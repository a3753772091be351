/* SPDX-License-Identifier: MIT
 *
 * Addresses of the microtiles in a row of a tiled surface. Private to layout.c and layout_copy.c.
 */
#ifndef HW_LAYOUT_UTILE_H
#define HW_LAYOUT_UTILE_H

#include "hw/layout.h"

#define HW_UTILE_B 64u

/* Addresses of one row of microtiles. The row consists of groups of HW_TILE_UT microtiles, `step_B` apart. A group has
 * two halves, each of consecutive microtiles. */
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
