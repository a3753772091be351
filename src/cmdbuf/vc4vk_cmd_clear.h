/* SPDX-License-Identifier: MIT
 *
 * Clears of images, and of attachments that a render pass cannot clear in the tile buffer. They run on the CPU unless
 * the tile buffer can clear a whole level (vc4vk_cmd_tiles.h).
 */
#ifndef CMDBUF_VC4VK_CMD_CLEAR_H
#define CMDBUF_VC4VK_CMD_CLEAR_H

#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "transfer/vc4vk_transfer.h"

/* Records the clear, of the part of the rectangle that lies inside of the level. */
void vc4vk_cmd_clear_image_rect(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_clear_image *clear);

#endif
