/* SPDX-License-Identifier: MIT
 *
 * Records resolves, of images and of attachments, which run on the copy engine.
 */
#include "cmdbuf/vc4vk_cmd_regions.h"
#include "cmdbuf/vc4vk_cmd_resolve.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "transfer/vc4vk_transfer.h"

/* How many of the region's layers both images have. */
static uint32_t layers_of(const struct vc4vk_image *from, const struct vc4vk_image *to, const VkImageResolve *r)
{
    const uint32_t from_layers = MIN2(r->srcSubresource.layerCount, from->layers - r->srcSubresource.baseArrayLayer);
    return to->type == VK_IMAGE_TYPE_3D ? 1 : MIN2(from_layers, to->layers - r->dstSubresource.baseArrayLayer);
}

/* `regions` belong to the recording; NULL after a failure. Those that an image does not have are dropped. */
static void record_resolve(struct vc4vk_cmd_buffer *cmd, VkImage from, VkImage to, uint32_t count,
                           VkImageResolve *regions)
{
    struct vc4vk_resolve_image *c = vc4vk_cmd_new(cmd, struct vc4vk_resolve_image);
    if (!c || !regions)
        return;
    *c = (struct vc4vk_resolve_image){
        .parallel = &cmd->device->queue_device.parallel,
        .from = vc4vk_image_from_handle(from),
        .to = vc4vk_image_from_handle(to),
        .regions = regions,
    };
    if (!c->from || !c->to)
        return;
    c->from_format = c->from->format->hw;
    c->to_format = c->to->format->hw;
    uint64_t work_B = 0;
    for (uint32_t i = 0; i < count; i++) {
        VkImageResolve *r = &regions[c->count];
        *r = regions[i];
        if (r->srcSubresource.aspectMask != VK_IMAGE_ASPECT_COLOR_BIT ||
            r->dstSubresource.aspectMask != VK_IMAGE_ASPECT_COLOR_BIT || r->srcSubresource.mipLevel ||
            !vc4vk_image_has_region(c->from, &r->srcSubresource, 0, 1) ||
            !vc4vk_image_has_region(c->to, &r->dstSubresource, r->dstOffset.z, 1))
            continue;
        r->srcSubresource.layerCount = layers_of(c->from, c->to, r);
        work_B += vc4vk_cmd_work_B(r->extent, r->srcSubresource.layerCount) * HW_MS_SAMPLES;
        c->count++;
    }
    if (c->count)
        vc4vk_cmd_add_transfer(cmd, "resolve", vc4vk_run_resolve_image, c, work_B);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdResolveImage(VkCommandBuffer cmd_h, VkImage from, VkImageLayout from_layout,
                                                 VkImage to, VkImageLayout to_layout, uint32_t count,
                                                 const VkImageResolve *regions)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_resolve(cmd, from, to, count, vc4vk_cmd_copy(cmd, regions, count * sizeof *regions));
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdResolveImage2KHR(VkCommandBuffer cmd_h, const VkResolveImageInfo2 *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_resolve(cmd, info->srcImage, info->dstImage, info->regionCount,
                   vc4vk_cmd_image_resolves(cmd, info->regionCount, info->pRegions));
}

void vc4vk_cmd_resolve_attachment(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_attachment_resolve *r)
{
    struct vc4vk_resolve_image *c = vc4vk_cmd_new(cmd, struct vc4vk_resolve_image);
    VkImageResolve *region = vc4vk_cmd_new(cmd, VkImageResolve);
    if (!c || !region)
        return;
    const VkOffset3D offset = {r->area.offset.x, r->area.offset.y, 0};
    *region = (VkImageResolve){
        .srcSubresource = {r->aspect, 0, r->from->base_layer + r->first_layer, r->layers},
        .srcOffset = offset,
        .dstSubresource = {r->aspect, r->to->base_level, r->to->base_layer + r->first_layer, r->layers},
        .dstOffset = offset,
        .extent = {r->area.extent.width, r->area.extent.height, 1},
    };
    *c = (struct vc4vk_resolve_image){.parallel = &cmd->device->queue_device.parallel,
                                      .from = r->from->image,
                                      .to = r->to->image,
                                      .from_format = vc4vk_format_copy_layout(r->from->format, r->aspect),
                                      .to_format = vc4vk_format_copy_layout(r->to->format, r->aspect),
                                      .count = 1,
                                      .regions = region,
                                      .mode = r->mode};
    vc4vk_cmd_add_op(cmd, "resolve attachment", vc4vk_run_resolve_image, c,
                     vc4vk_cmd_work_B(region->extent, r->layers) * HW_MS_SAMPLES);
}
