/* SPDX-License-Identifier: MIT
 *
 * Records blits, which run on the copy engine.
 */
#include "cmdbuf/vc4vk_cmd_regions.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "transfer/vc4vk_transfer.h"

static uint32_t distance(int32_t a, int32_t b)
{
    return a > b ? (uint32_t)a - (uint32_t)b : (uint32_t)b - (uint32_t)a;
}

/* The source may be compressed only if its texels have been decoded (has_blocks); the target must not be compressed. */
static bool can_blit(const struct vc4vk_image *from, const struct vc4vk_image *to)
{
    return from && to && !from->format->planar && !to->format->planar && from->samples == 1 && to->samples == 1 &&
           !to->has_blocks && hw_format_info(to->format->hw)->block_w == 1 &&
           (from->has_blocks || hw_format_info(from->format->hw)->block_w == 1);
}

static uint32_t layer_count(const struct vc4vk_image *image, const VkImageSubresourceLayers *sub)
{
    return sub->layerCount == VK_REMAINING_ARRAY_LAYERS ? image->layers - MIN2(sub->baseArrayLayer, image->layers)
                                                        : sub->layerCount;
}

/* `regions` belong to the recording; NULL after a failure. */
static void record_blit(struct vc4vk_cmd_buffer *cmd, VkImage from, VkImage to, uint32_t count, VkImageBlit *regions,
                        VkFilter filter)
{
    struct vc4vk_blit_image *b = vc4vk_cmd_new(cmd, struct vc4vk_blit_image);
    if (!b || !regions)
        return;
    *b = (struct vc4vk_blit_image){&cmd->device->queue_device.parallel,
                                   vc4vk_image_from_handle(from),
                                   vc4vk_image_from_handle(to),
                                   filter == VK_FILTER_LINEAR,
                                   count,
                                   regions};
    if (!can_blit(b->from, b->to))
        return;
    const enum hw_format format = b->from->format->hw;
    const bool integer = hw_format_kind(format) == HW_KIND_UINT || hw_format_kind(format) == HW_KIND_SINT;
    b->linear = b->linear && !integer;
    uint64_t work_B = 0;
    for (uint32_t i = 0; i < count; i++) {
        const VkOffset3D *to_px = regions[i].dstOffsets;
        const VkExtent3D extent = {distance(to_px[1].x, to_px[0].x), distance(to_px[1].y, to_px[0].y),
                                   distance(to_px[1].z, to_px[0].z)};
        regions[i].srcSubresource.layerCount = layer_count(b->from, &regions[i].srcSubresource);
        regions[i].dstSubresource.layerCount = layer_count(b->to, &regions[i].dstSubresource);
        work_B += 4 * vc4vk_cmd_work_B(extent, regions[i].dstSubresource.layerCount); /* costs several copies */
    }
    vc4vk_cmd_add_transfer(cmd, "blit", vc4vk_run_blit_image, b, work_B);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBlitImage(VkCommandBuffer cmd_h, VkImage from, VkImageLayout from_layout,
                                              VkImage to, VkImageLayout to_layout, uint32_t count,
                                              const VkImageBlit *regions, VkFilter filter)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_blit(cmd, from, to, count, vc4vk_cmd_copy(cmd, regions, count * sizeof *regions), filter);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBlitImage2KHR(VkCommandBuffer cmd_h, const VkBlitImageInfo2 *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_blit(cmd, info->srcImage, info->dstImage, info->regionCount,
                vc4vk_cmd_image_blits(cmd, info->regionCount, info->pRegions), info->filter);
}
