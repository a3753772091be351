/* SPDX-License-Identifier: MIT
 *
 * Levels of images as the surfaces of a job: their `bits` as the kernel defines them, and the job widths that fit their
 * stride [hardware notes 9.7]. The tiling has another position in color_write than in the other surfaces.
 */
#ifndef TRANSFER_VC4VK_JOB_SURFACE_H
#define TRANSFER_VC4VK_JOB_SURFACE_H

#include "hw/cl.h"
#include "hw/layout.h"

/* The format is always RGBA8888, which stores words unchanged. */
static inline uint16_t vc4vk_store_color_bits(enum hw_tiling tiling)
{
    return (uint16_t)(tiling << 6 | 1 << 2);
}

/* In color_write: tiles with four samples, whose mean is stored. Also needed when color_write stores nothing. */
#define VC4VK_STORE_COLOR_MS (1u << 0 | 1u << 4)

/* `buffer`: CL_BUFFER_COLOR or CL_BUFFER_ZS. */
static inline uint16_t vc4vk_general_bits(enum hw_tiling tiling, uint32_t buffer)
{
    return (uint16_t)(tiling << 4 | buffer);
}

/* The range of job widths, in pixels, from which the kernel infers the level's stride. */
struct vc4vk_level_widths {
    uint32_t min, max;
};
struct vc4vk_level_widths vc4vk_level_widths(const struct hw_level *level);

#endif
