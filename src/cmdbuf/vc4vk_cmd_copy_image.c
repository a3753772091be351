/* SPDX-License-Identifier: MIT
 *
 * Records copies between images, and between images and buffers. They run on the copy engine; the tile buffer copies
 * whole levels where that is faster (vc4vk_cmd_tiles.h).
 */
#include "cmdbuf/vc4vk_cmd_regions.h"
#include "cmdbuf/vc4vk_cmd_tiles.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "transfer/vc4vk_transfer.h"

/* Estimates the bytes that a copy of the region touches (vc4vk_cmd_add_transfer). */
static uint64_t region_work_B(const struct vc4vk_image *image, const VkImageSubresourceLayers *sub, VkExtent3D extent)
{
    const bool all = sub->layerCount == VK_REMAINING_ARRAY_LAYERS;
    return vc4vk_cmd_work_B(extent, all ? image->layers - sub->baseArrayLayer : sub->layerCount) * image->samples;
}

/* ---------------------------------------------------------------- buffers and images */

/* `regions` belong to the recording; NULL after a failure. Those that the image does not have are dropped. */
static void record_buffer_image(struct vc4vk_cmd_buffer *cmd, VkBuffer buffer, VkImage image, bool to_image,
                                uint32_t count, VkBufferImageCopy *regions)
{
    struct vc4vk_copy_buffer_image *c = vc4vk_cmd_new(cmd, struct vc4vk_copy_buffer_image);
    if (!c || !regions)
        return;
    *c = (struct vc4vk_copy_buffer_image){&cmd->device->queue_device.parallel,
                                          vc4vk_buffer_from_handle(buffer),
                                          vc4vk_image_from_handle(image),
                                          to_image,
                                          0,
                                          regions};
    uint64_t work_B = 0;
    for (uint32_t i = 0; i < count && c->buffer; i++) {
        VkBufferImageCopy *r = &regions[c->count];
        *r = regions[i];
        if (!vc4vk_image_has_region(c->image, &r->imageSubresource, r->imageOffset.z, r->imageExtent.depth) ||
            !util_is_pow2(r->imageSubresource.aspectMask))
            continue;
        work_B += region_work_B(c->image, &r->imageSubresource, r->imageExtent);
        c->count++;
    }
    if (c->count)
        vc4vk_cmd_add_transfer(cmd, to_image ? "copy buffer to image" : "copy image to buffer",
                               vc4vk_run_copy_buffer_image, c, work_B);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyBufferToImage(VkCommandBuffer cmd_h, VkBuffer from, VkImage to,
                                                      VkImageLayout layout, uint32_t count,
                                                      const VkBufferImageCopy *regions)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_buffer_image(cmd, from, to, true, count, vc4vk_cmd_copy(cmd, regions, count * sizeof *regions));
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyBufferToImage2KHR(VkCommandBuffer cmd_h, const VkCopyBufferToImageInfo2 *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_buffer_image(cmd, info->srcBuffer, info->dstImage, true, info->regionCount,
                        vc4vk_cmd_buffer_image_copies(cmd, info->regionCount, info->pRegions));
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyImageToBuffer(VkCommandBuffer cmd_h, VkImage from, VkImageLayout layout,
                                                      VkBuffer to, uint32_t count, const VkBufferImageCopy *regions)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_buffer_image(cmd, to, from, false, count, vc4vk_cmd_copy(cmd, regions, count * sizeof *regions));
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyImageToBuffer2KHR(VkCommandBuffer cmd_h, const VkCopyImageToBufferInfo2 *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_buffer_image(cmd, info->dstBuffer, info->srcImage, false, info->regionCount,
                        vc4vk_cmd_buffer_image_copies(cmd, info->regionCount, info->pRegions));
}

/* ---------------------------------------------------------------- images and images */

static bool has_region(const struct vc4vk_copy_image *c, VkImageCopy *r)
{
    return vc4vk_image_has_region(c->from, &r->srcSubresource, r->srcOffset.z, r->extent.depth) &&
           vc4vk_image_has_region(c->to, &r->dstSubresource, r->dstOffset.z, r->extent.depth);
}

/* `regions` belong to the recording; NULL after a failure. Those that an image does not have, and those that the tile
 * buffer copies, are dropped. */
static void record_copy(struct vc4vk_cmd_buffer *cmd, VkImage from, VkImage to, uint32_t count, VkImageCopy *regions)
{
    struct vc4vk_copy_image *c = vc4vk_cmd_new(cmd, struct vc4vk_copy_image);
    if (!c || !regions)
        return;
    *c = (struct vc4vk_copy_image){&cmd->device->queue_device.parallel, vc4vk_image_from_handle(from),
                                   vc4vk_image_from_handle(to), 0, regions};
    uint64_t work_B = 0;
    for (uint32_t i = 0; i < count; i++) {
        VkImageCopy *r = &regions[c->count];
        *r = regions[i];
        if (!has_region(c, r) || vc4vk_cmd_copy_by_tiles(cmd, c->from, c->to, r))
            continue;
        c->count++;
        work_B += region_work_B(c->from, &r->srcSubresource, r->extent);
    }
    if (c->count)
        vc4vk_cmd_add_transfer(cmd, "copy image", vc4vk_run_copy_image, c, work_B);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyImage(VkCommandBuffer cmd_h, VkImage from, VkImageLayout from_layout,
                                              VkImage to, VkImageLayout to_layout, uint32_t count,
                                              const VkImageCopy *regions)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_copy(cmd, from, to, count, vc4vk_cmd_copy(cmd, regions, count * sizeof *regions));
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyImage2KHR(VkCommandBuffer cmd_h, const VkCopyImageInfo2 *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_copy(cmd, info->srcImage, info->dstImage, info->regionCount,
                vc4vk_cmd_image_copies(cmd, info->regionCount, info->pRegions));
}
