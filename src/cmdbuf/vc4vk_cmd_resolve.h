/* SPDX-License-Identifier: MIT
 *
 * Resolves on the CPU: of images, and of attachments that the tile buffer's resolve (the mean of bytes) cannot handle.
 */
#ifndef CMDBUF_VC4VK_CMD_RESOLVE_H
#define CMDBUF_VC4VK_CMD_RESOLVE_H

#include "cmdbuf/vc4vk_cmd_buffer.h"

/* The resolve of an attachment at the end of a subpass, inside the render area; layers are those of the views. */
struct vc4vk_attachment_resolve {
    const struct vc4vk_image_view *from, *to;
    VkImageAspectFlags aspect;  /* one bit */
    VkResolveModeFlagBits mode; /* of depth and stencil: sample 0, minimum or maximum; none: colours */
    VkRect2D area;
    uint32_t first_layer, layers;
};
void vc4vk_cmd_resolve_attachment(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_attachment_resolve *resolve);

#endif
