/* SPDX-License-Identifier: MIT
 *
 * Creating, resetting and destroying command buffers, for command pools.
 */
#ifndef CMDBUF_VC4VK_CMD_LIFETIME_H
#define CMDBUF_VC4VK_CMD_LIFETIME_H

#include "cmdbuf/vc4vk_cmd_buffer.h"

VkResult vc4vk_cmd_buffer_create(struct vc4vk_cmd_pool *pool, VkCommandBufferLevel level,
                                 struct vc4vk_cmd_buffer **out);
void vc4vk_cmd_buffer_destroy(struct vc4vk_cmd_buffer *cmd); /* NULL is accepted */
/* Waits until the last submission has retired, then drops the recording. */
VkResult vc4vk_cmd_buffer_reset(struct vc4vk_cmd_buffer *cmd);

#endif
