/* SPDX-License-Identifier: MIT
 *
 * The `bits` of a job's surfaces as the kernel defines them [hardware notes 9.7]. The tiling has another position in
 * color_write than in the other surfaces.
 */
#ifndef CMDBUF_VC4VK_SURFACE_BITS_H
#define CMDBUF_VC4VK_SURFACE_BITS_H

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

#endif
