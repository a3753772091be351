/* SPDX-License-Identifier: MIT
 *
 * Records clears of images.
 */
#include "cmdbuf/vc4vk_cmd_clear.h"
#include "cmdbuf/vc4vk_cmd_tiles.h"
#include "device/vc4vk_entrypoints_gen.h"

void vc4vk_cmd_clear_image_rect(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_clear_image *clear)
{
    const struct hw_level *level =
        &vc4vk_image_plane(clear->image,
                           clear->aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? VK_IMAGE_ASPECT_STENCIL_BIT : clear->aspects)
             ->layout.level[clear->level];
    VkRect2D r = clear->rect;
    if (r.offset.x < 0 || r.offset.y < 0 || (uint32_t)r.offset.x >= level->width_el ||
        (uint32_t)r.offset.y >= level->height_el)
        return;
    r.extent.width = MIN2(r.extent.width, level->width_el - (uint32_t)r.offset.x);
    r.extent.height = MIN2(r.extent.height, level->height_el - (uint32_t)r.offset.y);
    struct vc4vk_clear_image *copy = vc4vk_cmd_copy(cmd, clear, sizeof *clear);
    if (!copy || !r.extent.width || !r.extent.height)
        return;
    copy->rect = r;
    if (vc4vk_cmd_clear_by_tiles(cmd, copy))
        return;
    copy->parallel = &cmd->device->queue_device.parallel;
    const VkExtent3D extent = {r.extent.width, r.extent.height, 1};
    vc4vk_cmd_add_transfer(cmd, "clear image", vc4vk_run_clear_image, copy,
                           vc4vk_cmd_work_B(extent, clear->layers * clear->image->samples));
}

/* ---------------------------------------------------------------- whole images */

/* `aspects`: those that the call can clear. */
static void clear_ranges(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_image *image, VkImageAspectFlags aspects,
                         const VkClearValue *value, uint32_t count, const VkImageSubresourceRange *ranges)
{
    const bool is_3d = image && image->type == VK_IMAGE_TYPE_3D;
    if (!image || image->format->planar || image->has_blocks || hw_format_info(image->format->hw)->block_w > 1)
        return; /* this image cannot be cleared */
    const enum hw_format format = vc4vk_image_storage(image, image->format);
    for (uint32_t i = 0; i < count; i++) {
        const VkImageSubresourceRange *r = &ranges[i];
        uint32_t layers =
            r->layerCount == VK_REMAINING_ARRAY_LAYERS ? image->layers - r->baseArrayLayer : r->layerCount;
        if (!vc4vk_image_has(image, r->aspectMask & aspects, r->baseMipLevel, is_3d ? 0 : r->baseArrayLayer,
                             is_3d ? 1 : layers))
            continue;
        const uint32_t levels = MIN2(r->levelCount, image->levels - r->baseMipLevel);
        for (uint32_t level = r->baseMipLevel; level < r->baseMipLevel + levels; level++)
            vc4vk_cmd_clear_image_rect(cmd, &(struct vc4vk_clear_image){
                                                .image = image,
                                                .format = format,
                                                .aspects = r->aspectMask & aspects & image->format->aspects,
                                                .level = level,
                                                .first_layer = is_3d ? 0 : r->baseArrayLayer,
                                                .layers = is_3d ? util_minify(image->extent.depth, level) : layers,
                                                .rect = {{0, 0}, {UINT32_MAX, UINT32_MAX}},
                                                .value = *value,
                                            });
    }
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdClearColorImage(VkCommandBuffer cmd_h, VkImage image_h, VkImageLayout layout,
                                                    const VkClearColorValue *color, uint32_t count,
                                                    const VkImageSubresourceRange *ranges)
{
    clear_ranges(vc4vk_cmd_buffer_from_handle(cmd_h), vc4vk_image_from_handle(image_h), VK_IMAGE_ASPECT_COLOR_BIT,
                 &(VkClearValue){.color = *color}, count, ranges);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdClearDepthStencilImage(VkCommandBuffer cmd_h, VkImage image_h, VkImageLayout layout,
                                                           const VkClearDepthStencilValue *value, uint32_t count,
                                                           const VkImageSubresourceRange *ranges)
{
    clear_ranges(vc4vk_cmd_buffer_from_handle(cmd_h), vc4vk_image_from_handle(image_h),
                 VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, &(VkClearValue){.depthStencil = *value},
                 count, ranges);
}
