/* SPDX-License-Identifier: MIT
 *
 * Blits row by row. The source is read in strips of whole rows of microtiles, and each row is decoded once. A table
 * gives the source columns of each target column. A strip of the target is written when it is full.
 */
#ifndef TRANSFER_VC4VK_BLIT_ROWS_H
#define TRANSFER_VC4VK_BLIT_ROWS_H

#include "transfer/vc4vk_image_io.h"
#include "engine/vc4vk_parallel.h"

/* One axis of a region: the target's interval, sorted and clipped to its level, and its mapping to the source. */
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

/* VK_ERROR_MEMORY_MAP_FAILED when memory cannot be mapped or allocated. */
VkResult vc4vk_blit_rows(struct vc4vk_parallel *parallel, const struct vc4vk_blit_layer *layer);

#endif
