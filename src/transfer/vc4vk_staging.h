/* SPDX-License-Identifier: MIT
 *
 * Staging copies of attachments: words in raster order (with several samples: in the blocks of the tile buffer), which
 * jobs use instead of an attachment whose rows or texels do not suit them. Run by the copy engine.
 */
#ifndef TRANSFER_VC4VK_STAGING_H
#define TRANSFER_VC4VK_STAGING_H

#include "descriptor/vc4vk_view.h"
#include "engine/vc4vk_parallel.h"

struct vc4vk_staging {
    struct vc4vk_staging *next;          /* for the owner's list */
    struct kmd_bo *bo;                   /* the words; the owner's reference */
    uint32_t samples;                    /* of the pass */
    uint32_t stride_B, rows;             /* with several samples: of blocks of 32 x 32 pixels */
    const struct vc4vk_image_view *view; /* NULL: not for an attachment, nothing is copied */
    uint32_t word;                       /* of its texels, or with `pairs` a channel that is combined with alpha */
    bool pairs;
    uint32_t layer;                           /* of the view */
    uint32_t x_px, y_px, width_px, height_px; /* what is copied */
    struct vc4vk_parallel *parallel;          /* the device's */
};

/* Copy the attachment to the staging BO, and back. `arguments`: a struct vc4vk_staging with a view.
 * VK_ERROR_MEMORY_MAP_FAILED when memory cannot be mapped. */
VkResult vc4vk_run_stage(void *arguments);
VkResult vc4vk_run_unstage(void *arguments);

/* Fills the rectangle with a word. `arguments`: this struct. Fails as above. */
struct vc4vk_fill_staging {
    const struct vc4vk_staging *stage;
    VkRect2D rect; /* relative to the staged part, clipped to it */
    uint32_t word;
};
VkResult vc4vk_run_fill_staging(void *arguments);

#endif
