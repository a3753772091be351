/* SPDX-License-Identifier: MIT
 *
 * Blits between images: finds the layers or slices, and the mapping of each axis, of a region. vc4vk_blit_rows.c
 * samples and converts the texels.
 */
#include "device/vc4vk_device.h"
#include "transfer/vc4vk_blit_rows.h"
#include "transfer/vc4vk_transfer.h"

static struct vc4vk_blit_axis blit_axis(int32_t from0, int32_t from1, int32_t to0, int32_t to1, uint32_t size)
{
    const int64_t from = (int64_t)from1 - from0, to = (int64_t)to1 - to0;
    struct vc4vk_blit_axis a = {.scale = (float)from / (float)(to ? to : 1)};
    a.origin = (float)from0 - (float)to0 * a.scale;
    a.begin = MAX2(MIN2(to0, to1), 0);
    a.end = MIN2(MAX2(to0, to1), (int32_t)size);
    return a;
}

/* `slices`: of the source, if it is filtered between slices; else both are from->layer. */
static VkResult blit_layer(const struct vc4vk_blit_image *b, const VkImageBlit *r, const struct vc4vk_image_place *from,
                           const struct vc4vk_blit_tap *slices, const struct vc4vk_image_place *to)
{
    const struct hw_level *level = &vc4vk_image_plane(b->to, to->aspect)->layout.level[to->level];
    return vc4vk_blit_rows(b->parallel, &(struct vc4vk_blit_layer){
                                            .from = *from,
                                            .to = *to,
                                            .x = blit_axis(r->srcOffsets[0].x, r->srcOffsets[1].x, r->dstOffsets[0].x,
                                                           r->dstOffsets[1].x, level->width_el),
                                            .y = blit_axis(r->srcOffsets[0].y, r->srcOffsets[1].y, r->dstOffsets[0].y,
                                                           r->dstOffsets[1].y, level->height_el),
                                            .linear = b->linear,
                                            .second_slice = slices->second,
                                            .slice_weight = slices->weight,
                                        });
}

/* Numbers and counts of layers beyond all images name none, as larger ones do. */
static int32_t layer_number(uint32_t number)
{
    return (int32_t)MIN2(number, VC4VK_MAX_LAYERS);
}

/* Maps the slices or layers of the target to those of the source. Between a 3D image and one that has layers
 * (VK_KHR_maintenance8), the layers are an axis as the slices are. */
static struct vc4vk_blit_axis slice_axis(const struct vc4vk_blit_image *b, const VkImageBlit *r)
{
    const bool from_3d = b->from->type == VK_IMAGE_TYPE_3D, to_3d = b->to->type == VK_IMAGE_TYPE_3D;
    const int32_t from_first = layer_number(r->srcSubresource.baseArrayLayer);
    const int32_t to_first = layer_number(r->dstSubresource.baseArrayLayer);
    const int32_t from_layers = layer_number(r->srcSubresource.layerCount);
    const int32_t to_layers = layer_number(r->dstSubresource.layerCount);
    const uint32_t to_depth = util_minify(b->to->extent.depth, r->dstSubresource.mipLevel);
    if (from_3d && to_3d)
        return blit_axis(r->srcOffsets[0].z, r->srcOffsets[1].z, r->dstOffsets[0].z, r->dstOffsets[1].z, to_depth);
    if (from_3d)
        return blit_axis(r->srcOffsets[0].z, r->srcOffsets[1].z, to_first, to_first + to_layers, b->to->layers);
    if (to_3d)
        return blit_axis(from_first, from_first + from_layers, r->dstOffsets[0].z, r->dstOffsets[1].z, to_depth);
    return blit_axis(from_first, from_first + to_layers, to_first, to_first + to_layers, b->to->layers);
}

static VkResult blit_region(const struct vc4vk_blit_image *b, const VkImageBlit *r)
{
    const bool from_3d = b->from->type == VK_IMAGE_TYPE_3D;
    const struct vc4vk_blit_axis z = slice_axis(b, r);
    const uint32_t from_depth = util_minify(b->from->extent.depth, r->srcSubresource.mipLevel);
    VkResult result = VK_SUCCESS;
    for (VkImageAspectFlags a = VK_IMAGE_ASPECT_COLOR_BIT; a <= VK_IMAGE_ASPECT_STENCIL_BIT; a <<= 1)
        for (int32_t i = z.begin; i < z.end && result == VK_SUCCESS; i++) {
            if (!(r->srcSubresource.aspectMask & a))
                continue;
            const float at = z.origin + ((float)i + 0.5f) * z.scale;
            const uint32_t slice = at >= 0 && at < VC4VK_MAX_3D_PX ? (uint32_t)at : UINT32_MAX;
            if (!vc4vk_image_has(b->from, a, r->srcSubresource.mipLevel, slice, 1) ||
                !vc4vk_image_has(b->to, a, r->dstSubresource.mipLevel, (uint32_t)i, 1))
                continue; /* the source or the target has no such slice or layer */
            struct vc4vk_blit_tap slices = {slice, slice, 0};
            if (from_3d && b->linear)
                slices = vc4vk_blit_tap(&z, i, from_depth, true);
            struct vc4vk_image_place from = {b->from, a, r->srcSubresource.mipLevel, slices.first, 0};
            struct vc4vk_image_place to = {b->to, a, r->dstSubresource.mipLevel, (uint32_t)i, 0};
            result = blit_layer(b, r, &from, &slices, &to);
        }
    return result;
}

VkResult vc4vk_run_blit_image(void *arguments)
{
    const struct vc4vk_blit_image *b = arguments;
    for (uint32_t i = 0; i < b->count; i++) {
        VkResult result = blit_region(b, &b->regions[i]);
        if (result != VK_SUCCESS)
            return vc4vk_errorf(b->from, result, "blit: memory cannot be allocated or mapped");
    }
    return VK_SUCCESS;
}
