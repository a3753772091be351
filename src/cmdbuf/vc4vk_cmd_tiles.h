/* SPDX-License-Identifier: MIT
 *
 * Transfers of whole levels by the tile buffer: a job without draws loads and stores, or clears and stores. This avoids
 * the CPU's slow reads of device memory. Where the CPU reads it fast, or the transfer is not of whole levels with a
 * common stride, the CPU does it instead.
 */
#ifndef CMDBUF_VC4VK_CMD_TILES_H
#define CMDBUF_VC4VK_CMD_TILES_H

#include "cmdbuf/vc4vk_cmd_clear.h"

/* Record the jobs. False: nothing was recorded, the CPU must do it. `layers` counts layers, or slices. */
bool vc4vk_cmd_copy_by_tiles(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_image *from, const struct vc4vk_image *to,
                             const VkImageCopy *region, uint32_t from_layer, uint32_t to_layer, uint32_t layers);
bool vc4vk_cmd_clear_by_tiles(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_clear_image_rect *clear);

#endif
