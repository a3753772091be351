/* SPDX-License-Identifier: MIT */
#include "transfer/vc4vk_job_surface.h"

/* The kernel computes a surface's stride from the job's width. It pads the width to microtiles or to tiles of the T
 * layout, and for multisampled surfaces counts the blocks of samples [hardware notes 9.7]. */
#define LT_STEP_PX 4u
#define T_STEP_PX  32u

struct vc4vk_level_widths vc4vk_level_widths(const struct hw_level *level)
{
    const uint32_t step = level->tiling == HW_TILING_MS  ? HW_MS_TILE_PX
                          : level->tiling == HW_TILING_T ? T_STEP_PX
                                                         : LT_STEP_PX;
    return (struct vc4vk_level_widths){.min = level->padded_width_el - MIN2(level->padded_width_el, step) + 1,
                                       .max = level->padded_width_el};
}
