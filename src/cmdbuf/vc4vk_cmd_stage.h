/* SPDX-License-Identifier: MIT
 *
 * Staging of attachments. All surfaces of a job have rows of one padded length, and a word for each pixel; any other is
 * copied to a temporary of the job's extent before each job that loads it, and back behind each that stores it. Ranges
 * of a framebuffer that is too large for one job take turns in the same memory.
 */
#ifndef CMDBUF_VC4VK_CMD_STAGE_H
#define CMDBUF_VC4VK_CMD_STAGE_H

#include "descriptor/vc4vk_view.h"

struct vc4vk_cmd_buffer;
struct vc4vk_cmd_surface;

struct vc4vk_cmd_stage {
    struct vc4vk_cmd_stage *next; /* of all of the command buffer, for clean-up */
    struct kmd_bo *bo;            /* raster, words; owned by the first of an array */
    uint32_t samples;             /* of the pass */
    uint32_t stride_B, rows;      /* of blocks of 32 x 32 pixels, where there are several samples */
    const struct vc4vk_image_view *view; /* NULL: of no attachment, nothing is copied */
    uint32_t word;                       /* of its texels, or with `pairs` a channel, beside alpha */
    bool pairs;
    uint32_t layer; /* of the view */
    uint32_t x_px, y_px, width_px, height_px; /* what is copied */
    struct vc4vk_parallel *parallel; /* the device's */
};

/* One for each range of the pass, an array. `surface` NULL: of no attachment. NULL after a failure, which is then
 * remembered. Belongs to the command buffer. */
struct vc4vk_cmd_stage *vc4vk_cmd_stage_new(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *surface);

/* Records that the rectangle is filled with a word, as a CPU operation. */
void vc4vk_cmd_stage_fill(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_stage *stage, const VkRect2D *rect,
                          uint32_t word);

/* Record the copies, as CPU operations. */
void vc4vk_cmd_stage_in(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_stage *stage);
void vc4vk_cmd_stage_out(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_stage *stage);

#endif
