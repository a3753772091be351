/* SPDX-License-Identifier: MIT
 *
 * Clears by the CPU: of images, and of what a render pass cannot clear in the tile buffer.
 */
#ifndef CMDBUF_VC4VK_CMD_CLEAR_H
#define CMDBUF_VC4VK_CMD_CLEAR_H

#include "cmdbuf/vc4vk_cmd_buffer.h"

struct vc4vk_clear_image_rect {
    const struct vc4vk_image *image;
    enum hw_format format;      /* of the texels written (a view's may differ from the image's) */
    VkImageAspectFlags aspects; /* COLOR, or DEPTH and STENCIL */
    uint32_t level, first_layer, layers;
    VkRect2D rect; /* clipped to the level */
    VkClearValue value;
    struct vc4vk_parallel *parallel; /* filled in when it is recorded */
};

/* Records the clear as a CPU operation. */
void vc4vk_cmd_clear_image_rect(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_clear_image_rect *clear);

/* Words of the tile buffer; `word`: of the texel. A depth is what the chip makes of it where it is drawn: times 2^24,
 * cut off; 1.0 saturates. */
uint32_t vc4vk_clear_color_word(enum hw_format format, uint32_t word, const VkClearColorValue *value);
uint32_t vc4vk_clear_depth_word(float depth);

#endif
