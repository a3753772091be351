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

/* A source coordinate on one axis: between texels `first` and `second`, both inside the level. */
struct vc4vk_blit_tap {
    uint32_t first, second;
    float weight; /* of `second` */
};

/* The texels that target texel `i` takes from a source of `size` texels. Without `linear` they are the same one. */
struct vc4vk_blit_tap vc4vk_blit_tap(const struct vc4vk_blit_axis *axis, int32_t i, uint32_t size, bool linear);

/* One aspect of one layer, or of one slice of a 3D image, which may lie between two slices of the source. */
struct vc4vk_blit_layer {
    struct vc4vk_image_place from, to;
    struct vc4vk_blit_axis x, y;
    bool linear;
    uint32_t second_slice; /* of the source, if slice_weight is not 0 */
    float slice_weight;    /* of second_slice; the rest is of from.layer */
};

/* VK_ERROR_MEMORY_MAP_FAILED when memory cannot be mapped or allocated. */
VkResult vc4vk_blit_rows(struct vc4vk_parallel *parallel, const struct vc4vk_blit_layer *layer);

#endif
