/* SPDX-License-Identifier: MIT
 *
 * Transfers of whole levels by the tile buffer: a job without draws loads and stores, or clears and stores. This avoids
 * the CPU's slow reads of device memory. Where the CPU reads it fast, or the transfer is not of whole levels with a
 * common stride, the CPU does it instead (vc4vk_transfer.h).
 *
 * A transfer takes a job for each plane of each layer. The caller provides the jobs and submits them.
 */
#ifndef TRANSFER_VC4VK_TILE_TRANSFER_H
#define TRANSFER_VC4VK_TILE_TRANSFER_H

#include "engine/vc4vk_job.h"
#include "transfer/vc4vk_transfer.h"

struct vc4vk_tile_transfer {
    const struct vc4vk_image *from;        /* NULL: a clear */
    const struct vc4vk_clear_image *clear; /* NULL: a copy */
    const struct vc4vk_image *to;
    uint32_t from_level, from_layer, to_level, to_layer; /* layers, or slices of 3D images */
    uint32_t width_px;                                   /* of the jobs of a copy */
    uint32_t job_count;
};

/* Describe a region of a copy, or a clear. False when the CPU must do it. `clear` must outlive *out. */
bool vc4vk_tile_copy(const struct vc4vk_device *device, const struct vc4vk_image *from, const struct vc4vk_image *to,
                     const VkImageCopy *region, struct vc4vk_tile_transfer *out);
bool vc4vk_tile_clear(const struct vc4vk_device *device, const struct vc4vk_clear_image *clear,
                      struct vc4vk_tile_transfer *out);

/* Fills in job `index`, which is zeroed. It refers to the images' BOs. */
void vc4vk_tile_transfer_job(const struct vc4vk_tile_transfer *transfer, uint32_t index, struct vc4vk_job *job);

#endif
