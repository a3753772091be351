/* SPDX-License-Identifier: MIT
 *
 * Resolves by the CPU: of images, and of what the tile buffer's own resolve (the mean of bytes) does not fit.
 */
#ifndef CMDBUF_VC4VK_CMD_RESOLVE_H
#define CMDBUF_VC4VK_CMD_RESOLVE_H

#include "cmdbuf/vc4vk_cmd_buffer.h"

/* The resolve of an attachment at the end of a subpass, inside the render area; layers are those of the views. */
struct vc4vk_attachment_resolve {
    const struct vc4vk_image_view *from, *to;
    VkImageAspectFlags aspect;  /* one bit */
    VkResolveModeFlagBits mode; /* of depth and stencil: the first sample, the least, the most */
    VkRect2D area;
    uint32_t first_layer, layers;
};
void vc4vk_cmd_resolve_attachment(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_attachment_resolve *resolve);

/* Does the mean of the bytes of four words give the resolved word? */
bool vc4vk_resolves_by_bytes(enum hw_format format);

#endif
