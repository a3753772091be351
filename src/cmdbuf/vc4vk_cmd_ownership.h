/* SPDX-License-Identifier: MIT
 *
 * Transfers of ownership from and to other drivers, which barriers record (VK_QUEUE_FAMILY_EXTERNAL, _FOREIGN_EXT).
 * Only memory that is a dma-buf on the model needs work: the CPU accesses it, so its accesses begin and end as the
 * kernel demands. That waits for the fences of other drivers, too, as implicit synchronisation does for the chip.
 */
#ifndef CMDBUF_VC4VK_CMD_OWNERSHIP_H
#define CMDBUF_VC4VK_CMD_OWNERSHIP_H

#include "cmdbuf/vc4vk_cmd_buffer.h"

/* Call them after the barriers themselves have been recorded. `from` and `to` are indices of queue families. */
void vc4vk_cmd_transfer_buffer(struct vc4vk_cmd_buffer *cmd, VkBuffer buffer, uint32_t from, uint32_t to);
void vc4vk_cmd_transfer_image(struct vc4vk_cmd_buffer *cmd, VkImage image, uint32_t from, uint32_t to);

#endif
