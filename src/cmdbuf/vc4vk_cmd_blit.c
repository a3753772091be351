/* SPDX-License-Identifier: MIT
 *
 * vkCmdBlitImage, executed by the CPU: each texel of the target is sampled from the source, nearest or linear, and
 * converted (vc4vk_blit_rows.c).
 */
#include <stdlib.h>
#include "cmdbuf/vc4vk_blit_rows.h"
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"

struct blit {
    struct vc4vk_parallel *parallel;
    const struct vc4vk_image *from, *to;
    bool linear;
    uint32_t count;
    const VkImageBlit *regions;
};

static struct vc4vk_blit_axis blit_axis(int32_t from0, int32_t from1, int32_t to0, int32_t to1, uint32_t size)
{
    const int64_t from = (int64_t)from1 - from0, to = (int64_t)to1 - to0;
    struct vc4vk_blit_axis a = {.scale = (float)from / (float)(to ? to : 1)};
    a.origin = (float)from0 - (float)to0 * a.scale;
    a.begin = MAX2(MIN2(to0, to1), 0);
    a.end = MIN2(MAX2(to0, to1), (int32_t)size);
    return a;
}

static VkResult blit_layer(const struct blit *b, const VkImageBlit *r, const struct vc4vk_image_place *from,
                           const struct vc4vk_image_place *to)
{
    const struct hw_level *level = &vc4vk_image_plane(b->to, to->aspect)->layout.level[to->level];
    return vc4vk_blit_rows(
        b->parallel, &(struct vc4vk_blit_layer){
                         .from = *from,
                         .to = *to,
                         .x = blit_axis(r->srcOffsets[0].x, r->srcOffsets[1].x, r->dstOffsets[0].x, r->dstOffsets[1].x,
                                        level->width_el),
                         .y = blit_axis(r->srcOffsets[0].y, r->srcOffsets[1].y, r->dstOffsets[0].y, r->dstOffsets[1].y,
                                        level->height_el),
                         .linear = b->linear,
                     });
}

static VkResult blit_region(const struct blit *b, const VkImageBlit *r)
{
    bool from_3d = b->from->type == VK_IMAGE_TYPE_3D, to_3d = b->to->type == VK_IMAGE_TYPE_3D;
    struct vc4vk_blit_axis z = {0, (int32_t)r->dstSubresource.layerCount, 1, (float)r->srcSubresource.baseArrayLayer};
    if (to_3d)
        z = blit_axis(r->srcOffsets[0].z, r->srcOffsets[1].z, r->dstOffsets[0].z, r->dstOffsets[1].z,
                      util_minify(b->to->extent.depth, r->dstSubresource.mipLevel));
    VkResult result = VK_SUCCESS;
    for (VkImageAspectFlags a = VK_IMAGE_ASPECT_COLOR_BIT; a <= VK_IMAGE_ASPECT_STENCIL_BIT; a <<= 1)
        for (int32_t i = z.begin; i < z.end && result == VK_SUCCESS; i++) {
            if (!(r->srcSubresource.aspectMask & a))
                continue;
            const float at = z.origin + ((float)i + 0.5f) * z.scale;
            uint32_t slice = at >= 0 && at < VC4VK_MAX_3D_PX ? (uint32_t)at : UINT32_MAX;
            if (from_3d && !to_3d)
                slice = (uint32_t)r->srcOffsets[0].z;
            if (!vc4vk_image_has(b->from, a, r->srcSubresource.mipLevel, slice, 1) ||
                !vc4vk_image_has(b->to, a, r->dstSubresource.mipLevel,
                                 (uint32_t)i + (to_3d ? 0 : r->dstSubresource.baseArrayLayer), 1))
                continue; /* the source or the target has no such slice or layer */
            struct vc4vk_image_place from = {b->from, a, r->srcSubresource.mipLevel, slice, 0};
            struct vc4vk_image_place to = {b->to, a, r->dstSubresource.mipLevel,
                                           (uint32_t)i + (to_3d ? 0 : r->dstSubresource.baseArrayLayer), 0};
            result = blit_layer(b, r, &from, &to);
        }
    return result;
}

static VkResult run_blit(void *arguments)
{
    const struct blit *b = arguments;
    for (uint32_t i = 0; i < b->count; i++) {
        VkResult result = blit_region(b, &b->regions[i]);
        if (result != VK_SUCCESS)
            return vc4vk_errorf(b->from, result, "blit: memory cannot be allocated or mapped");
    }
    return VK_SUCCESS;
}

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

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBlitImage(VkCommandBuffer cmd_h, VkImage from, VkImageLayout from_layout,
                                              VkImage to, VkImageLayout to_layout, uint32_t count,
                                              const VkImageBlit *regions, VkFilter filter)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct blit *b = vc4vk_cmd_new(cmd, struct blit);
    VkImageBlit *own = vc4vk_cmd_copy(cmd, regions, count * sizeof *regions);
    if (!b || !own)
        return;
    *b = (struct blit){&cmd->device->queue_device.parallel,
                       vc4vk_image_from_handle(from),
                       vc4vk_image_from_handle(to),
                       filter == VK_FILTER_LINEAR,
                       count,
                       own};
    if (!can_blit(b->from, b->to))
        return;
    const enum hw_format format = b->from->format->hw;
    const bool integer = hw_format_kind(format) == HW_KIND_UINT || hw_format_kind(format) == HW_KIND_SINT;
    b->linear = b->linear && !integer;
    uint64_t work_B = 0;
    for (uint32_t i = 0; i < count; i++) {
        const VkOffset3D *to_px = own[i].dstOffsets;
        const VkExtent3D extent = {distance(to_px[1].x, to_px[0].x), distance(to_px[1].y, to_px[0].y),
                                   distance(to_px[1].z, to_px[0].z)};
        work_B += 4 * vc4vk_cmd_work_B(extent, own[i].dstSubresource.layerCount); /* a blit costs several copies */
    }
    vc4vk_cmd_add_transfer(cmd, "blit", run_blit, b, work_B);
}
