/* SPDX-License-Identifier: MIT
 *
 * Records transfers of whole levels by the tile buffer (transfer/vc4vk_tile_transfer.h).
 */
#ifndef CMDBUF_VC4VK_CMD_TILES_H
#define CMDBUF_VC4VK_CMD_TILES_H

#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "transfer/vc4vk_transfer.h"

/* Record the jobs. False: nothing was recorded, the CPU must do it. */
bool vc4vk_cmd_copy_by_tiles(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_image *from, const struct vc4vk_image *to,
                             const VkImageCopy *region);
bool vc4vk_cmd_clear_by_tiles(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_clear_image *clear);

#endif
