/* SPDX-License-Identifier: MIT
 *
 * Transfers of whole levels by the tile buffer: a job without draws, which loads and stores, or clears and stores. What
 * is in the device's memory stays there, which a CPU reads slowly: where it does not, or nothing fits, the CPU does it.
 */
#ifndef CMDBUF_VC4VK_CMD_TILES_H
#define CMDBUF_VC4VK_CMD_TILES_H

#include "cmdbuf/vc4vk_cmd_clear.h"

/* Record the jobs. False: it is the CPU's. `layers`: layers, or slices, from these on. */
bool vc4vk_cmd_copy_by_tiles(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_image *from, const struct vc4vk_image *to,
                             const VkImageCopy *region, uint32_t from_layer, uint32_t to_layer, uint32_t layers);
bool vc4vk_cmd_clear_by_tiles(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_clear_image_rect *clear);

#endif
