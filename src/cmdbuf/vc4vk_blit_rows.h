/* SPDX-License-Identifier: MIT
 *
 * Blits row by row: the source is read in strips of whole rows of microtiles, decoded once, and looked up by tables of
 * columns; a strip of the target is written when it is full.
 */
#ifndef CMDBUF_VC4VK_BLIT_ROWS_H
#define CMDBUF_VC4VK_BLIT_ROWS_H

#include "cmdbuf/vc4vk_image_io.h"
#include "engine/vc4vk_parallel.h"

/* A region of one dimension: of the target, sorted and cut to its level, and how its texels map to the source. */
struct vc4vk_blit_axis {
    int32_t begin, end;  /* of the target */
    float scale, origin; /* source coordinate of the centre of target texel i: origin + (i + 0.5) * scale */
};

/* One aspect of one layer. */
struct vc4vk_blit_layer {
    struct vc4vk_image_place from, to;
    struct vc4vk_blit_axis x, y;
    bool linear;
};

/* VK_ERROR_MEMORY_MAP_FAILED: some memory is not there. */
VkResult vc4vk_blit_rows(struct vc4vk_parallel *parallel, const struct vc4vk_blit_layer *layer);

#endif
