/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_host_image_copy: copies between images and memory of the application, and between images, at once on the
 * thread of the caller. The application has waited for the device, so nothing is ordered here. The CPU maps all images,
 * and layouts mean nothing to the chip: any image can be copied from and to in any layout, and transitions do nothing.
 *
 * With VK_HOST_IMAGE_COPY_MEMCPY the layout of the memory is the driver's choice (vc4vk_image_memcpy_slice_B): the bytes of
 * the planes as they are, or rows of texels where the planes hold more than the aspect that is copied, or decoded
 * texels as well as blocks.
 */
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "transfer/vc4vk_image_surface.h"
#include "transfer/vc4vk_transfer.h"

#ifdef VK_EXT_host_image_copy

static VkResult not_mapped(struct vc4vk_device *device)
{
    return vc4vk_errorf(device, VK_ERROR_MEMORY_MAP_FAILED, "host copy: the image's memory cannot be mapped");
}

/* ---------------------------------------------------------------- images and memory */

/* Copies the planes of one level of one layer or slice. False when they cannot be mapped. */
static bool copy_planes(const struct vc4vk_image_place *place, uint8_t *memory, bool to_image)
{
    struct vc4vk_image_surface s[VC4VK_MAX_PLANES];
    if (!vc4vk_image_surfaces(place, s))
        return false;
    for (uint32_t i = 0; i < place->image->plane_count; i++) {
        memcpy(to_image ? s[i].map : memory, to_image ? memory : s[i].map, s[i].level->size_B);
        memory += s[i].level->size_B;
    }
    return true;
}

/* Copies whole levels in the layout of vc4vk_image_memcpy_slice_B. */
static bool copy_levels(const struct vc4vk_memory_image *c, const VkBufferImageCopy *r)
{
    uint32_t first, count;
    VkImageAspectFlags aspect = r->imageSubresource.aspectMask;
    const struct vc4vk_image *image = vc4vk_image_of_aspect(c->image, &aspect);
    const uint32_t level = r->imageSubresource.mipLevel;
    vc4vk_region_layers(image, &r->imageSubresource, r->imageOffset.z, r->imageExtent.depth, &first, &count);
    const uint64_t slice_B = vc4vk_image_memcpy_slice_B(image, aspect, level);
    for (uint32_t i = 0; i < count; i++)
        if (!copy_planes(&(struct vc4vk_image_place){image, aspect, level, first + i, 0}, c->memory + i * slice_B,
                         c->to_image))
            return false;
    return true;
}

/* Regions that the image does not have are left out, as those of commands are. */
static VkResult copy_region(VkDevice _device, VkImage _image, bool to_image, VkHostImageCopyFlagsEXT flags,
                            void *memory, VkBufferImageCopy r)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const struct vc4vk_memory_image c = {&device->queue_device.parallel, memory, UINT64_MAX,
                                         vc4vk_image_from_handle(_image), to_image};
    if (!memory || !vc4vk_image_has_region(c.image, &r.imageSubresource, r.imageOffset.z, r.imageExtent.depth) ||
        !util_is_pow2(r.imageSubresource.aspectMask) || c.image->samples > 1)
        return VK_SUCCESS;
    const bool in_planes =
        (flags & VK_HOST_IMAGE_COPY_MEMCPY_EXT) && vc4vk_image_memcpy_is_raw(c.image, r.imageSubresource.aspectMask);
    return (in_planes ? copy_levels(&c, &r) : vc4vk_copy_memory_image(&c, &r)) ? VK_SUCCESS : not_mapped(device);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CopyMemoryToImageEXT(VkDevice device, const VkCopyMemoryToImageInfoEXT *info)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < info->regionCount && result == VK_SUCCESS; i++) {
        const VkMemoryToImageCopyEXT *r = &info->pRegions[i];
        const VkBufferImageCopy region = {
            0, r->memoryRowLength, r->memoryImageHeight, r->imageSubresource, r->imageOffset, r->imageExtent};
        result = copy_region(device, info->dstImage, true, info->flags, (void *)r->pHostPointer, region);
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CopyImageToMemoryEXT(VkDevice device, const VkCopyImageToMemoryInfoEXT *info)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < info->regionCount && result == VK_SUCCESS; i++) {
        const VkImageToMemoryCopyEXT *r = &info->pRegions[i];
        const VkBufferImageCopy region = {
            0, r->memoryRowLength, r->memoryImageHeight, r->imageSubresource, r->imageOffset, r->imageExtent};
        result = copy_region(device, info->srcImage, false, info->flags, r->pHostPointer, region);
    }
    return result;
}

/* ---------------------------------------------------------------- images and images */

/* The memcpy flag promises that both images are alike; copies look at that themselves. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CopyImageToImageEXT(VkDevice _device, const VkCopyImageToImageInfoEXT *info)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < info->regionCount && result == VK_SUCCESS; i++) {
        const VkImageCopy2 *r = &info->pRegions[i];
        VkImageCopy region = {r->srcSubresource, r->srcOffset, r->dstSubresource, r->dstOffset, r->extent};
        struct vc4vk_copy_image c = {&device->queue_device.parallel, vc4vk_image_from_handle(info->srcImage),
                                     vc4vk_image_from_handle(info->dstImage), 1, &region};
        if (vc4vk_image_has_region(c.from, &region.srcSubresource, region.srcOffset.z, region.extent.depth) &&
            vc4vk_image_has_region(c.to, &region.dstSubresource, region.dstOffset.z, region.extent.depth))
            result = vc4vk_run_copy_image(&c);
    }
    return result;
}

/* ---------------------------------------------------------------- layouts */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_TransitionImageLayoutEXT(VkDevice device, uint32_t transitionCount,
                                                              const VkHostImageLayoutTransitionInfoEXT *pTransitions)
{
    return VK_SUCCESS;
}

#endif
