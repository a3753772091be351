/* SPDX-License-Identifier: MIT
 *
 * Clears of images, and of attachments that a render pass cannot clear in the tile buffer. They run on the CPU unless
 * the tile buffer can clear a whole level (vc4vk_cmd_tiles.h).
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
    struct vc4vk_parallel *parallel; /* set by vc4vk_cmd_clear_image_rect */
};

/* Records the clear. */
void vc4vk_cmd_clear_image_rect(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_clear_image_rect *clear);

/* Clear values as words of the tile buffer; `word` selects a word of the texel. Depth is converted as the chip converts
 * the depth of fragments: times 2^24, truncated; 1.0 saturates. */
uint32_t vc4vk_clear_color_word(enum hw_format format, uint32_t word, const VkClearColorValue *value);
uint32_t vc4vk_clear_depth_word(float depth);

#endif
