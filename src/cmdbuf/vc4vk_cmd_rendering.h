/* SPDX-License-Identifier: MIT
 *
 * Passes of VK_KHR_dynamic_rendering. What vkCmdBeginRendering names becomes a render pass of one subpass and a
 * framebuffer, in memory of the recording; everything else treats them like those of the application.
 *
 * Passes that follow each other with the same attachments become one job of the tile buffer where the later one loads
 * (or does not care about) what the earlier one has drawn: the earlier one's last job is held open until something else
 * is recorded. Suspended passes are held likewise; one that goes on in another command buffer is stored and loaded.
 */
#ifndef CMDBUF_VC4VK_CMD_RENDERING_H
#define CMDBUF_VC4VK_CMD_RENDERING_H

#include "cmdbuf/vc4vk_cmd_buffer.h"

/* The pass that a secondary command buffer continues. It knows the formats, but neither views nor a framebuffer. NULL
 * after a failure. */
const struct vc4vk_render_pass *vc4vk_cmd_inherited_rendering(struct vc4vk_cmd_buffer *cmd,
                                                              const VkCommandBufferInheritanceRenderingInfo *info,
                                                              const void *chain);

#endif
