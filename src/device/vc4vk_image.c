/* SPDX-License-Identifier: MIT
 *
 * Images: creation, memory requirements, binding and subresource layouts. hw/layout.h computes the layout: raster for
 * LINEAR tiling and for storage images, T and LT for all others. Multisampled images have the layout in which the tile
 * buffer dumps its samples. The chip has no stride field: it derives the stride from a level's padded width, so only
 * hw/layout.h may choose the padding; only rows of images with a DRM format modifier may be as far apart as another
 * driver wants (vc4vk_image_modifier.h). A compressed image whose blocks are visible to views
 * (BLOCK_TEXEL_VIEW_COMPATIBLE) stores the blocks of each level like the texels of an ordinary image.
 */
#include <inttypes.h>
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_ignored_bits.h"
#include "device/vc4vk_image.h"
#include "device/vc4vk_image_modifier.h"
#include "device/vc4vk_sparse.h"
#include "hw/codec.h"

static VkResult check_create_info(struct vc4vk_device *device, const VkImageCreateInfo *info)
{
    VkImageFormatProperties limits;
    const char *why;
    const struct vc4vk_image_query query = {info->format, info->imageType, info->tiling,
                                            info->usage,  info->flags,     device->features.sparseBinding};
    if (vc4vk_image_limits(&query, &limits, &why) != VK_SUCCESS)
        return vc4vk_errorf(device, VK_ERROR_FORMAT_NOT_SUPPORTED, "image of format %d: %s", info->format, why);
    if (!info->extent.width || !info->extent.height || !info->extent.depth || !info->mipLevels || !info->arrayLayers)
        why = "a dimension or count is 0";
    else if (!util_is_pow2(info->samples))
        why = "exactly one sample count must be given";
    else if (info->samples > 1 && info->mipLevels > 1)
        why = "multisampled images have only one level";
    if (why)
        return vc4vk_errorf(device, VK_ERROR_FORMAT_NOT_SUPPORTED,
                            "image of %ux%ux%u, %u levels, %u layers, %u samples: %s", info->extent.width,
                            info->extent.height, info->extent.depth, info->mipLevels, info->arrayLayers, info->samples,
                            why);
    if (info->extent.width > limits.maxExtent.width || info->extent.height > limits.maxExtent.height ||
        info->extent.depth > limits.maxExtent.depth || info->mipLevels > limits.maxMipLevels ||
        info->arrayLayers > limits.maxArrayLayers || !(info->samples & limits.sampleCounts))
        return vc4vk_errorf(device, VK_ERROR_FORMAT_NOT_SUPPORTED,
                            "image of %ux%ux%u, %u levels, %u layers, %u samples: such images are limited to %ux%ux%u, "
                            "%u levels, %u layers, sample counts 0x%x",
                            info->extent.width, info->extent.height, info->extent.depth, info->mipLevels,
                            info->arrayLayers, info->samples, limits.maxExtent.width, limits.maxExtent.height,
                            limits.maxExtent.depth, limits.maxMipLevels, limits.maxArrayLayers, limits.sampleCounts);
    return VK_SUCCESS;
}

/* True for images that the texture unit cannot sample: 3D, arrays and images above its size limit. Programs compute
 * their texel addresses, which is much cheaper in the LT layout. Cube-compatible images and images with one layer keep
 * the layout of the texture unit. */
static bool is_addressed_in_code(const struct vc4vk_image *image)
{
    return image->type == VK_IMAGE_TYPE_3D ||
           (image->layers > 1 && !(image->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT)) ||
           image->extent.width > VC4VK_MAX_IMAGE_PX || image->extent.height > VC4VK_MAX_IMAGE_PX;
}

static bool init_plane(struct vc4vk_image *image, uint32_t index, enum hw_format format)
{
    struct vc4vk_image_plane *plane = &image->planes[index];
    const struct hw_format_info *info = hw_format_info(format);
    const bool is_raster =
        image->tiling != VK_IMAGE_TILING_OPTIMAL ||
        (image->samples == 1 && !image->has_blocks && (image->usage & VK_IMAGE_USAGE_STORAGE_BIT));
    plane->format = format;
    const struct hw_layout_info layout_info = {
        .width_el = image->extent.width,
        .height_el = image->extent.height,
        .cpp = info->block_B,
        .levels = image->levels,
        .layers = image->type == VK_IMAGE_TYPE_3D ? image->extent.depth : image->layers,
        .tiled = !is_raster && info->block_w == 1,
        .lt_only = is_addressed_in_code(image),
        .block_w_px = info->block_w,
        .block_h_px = info->block_h,
        .multisampled = image->samples > 1,
        .raster_stride_B = image->raster_stride_B,
    };
    if (!hw_layout_init(&plane->layout, &layout_info))
        return false;
    uint32_t align_B = image->tiling == VK_IMAGE_TILING_OPTIMAL ? VC4VK_IMAGE_ALIGN_B : plane->layout.align_B;
    plane->offset_B = util_align64(image->size_B, align_B);
    image->size_B = plane->offset_B + plane->layout.size_B;
    image->align_B = MAX2(image->align_B, align_B);
    return true;
}

/* Texels of 8 and 16 bytes are split into planes of one word each, which the texture unit and the tile buffer handle
 * one at a time. */
static uint32_t plane_count(const VkImageCreateInfo *info)
{
    if (vc4vk_format(info->format)->planar)
        return 1; /* each part is an image with planes of its own */
    const struct vc4vk_image image = {.usage = info->usage, .samples = info->samples};
    const struct hw_format_info *storage = hw_format_info(vc4vk_image_storage(&image, vc4vk_format(info->format)));
    if (storage->block_B <= 4 || info->tiling != VK_IMAGE_TILING_OPTIMAL)
        return 1;
    return storage->block_B / 4;
}

static bool init_planes(struct vc4vk_image *image)
{
    enum hw_format storage = vc4vk_image_storage(image, image->format);
    for (uint32_t i = 0; i < image->plane_count; i++)
        if (!init_plane(image, i, image->plane_count > 1 ? HW_FORMAT_R32_UINT : storage))
            return false;
    const bool has_block_plane = image->has_blocks && !(image->flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT);
    return !has_block_plane || init_plane(image, image->plane_count, image->format->hw);
}

/* The swapchain that the image is created for, or NULL. The caller must put it. */
static struct vc4vk_swapchain_memory *swapchain_of(struct vc4vk_device *device, const VkImageCreateInfo *info)
{
    const VkImageSwapchainCreateInfoKHR *of =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
    return of ? vc4vk_swapchain_memory_get(device, of->swapchain) : NULL;
}

static void destroy_image(struct vc4vk_image *image, const VkAllocationCallbacks *alloc)
{
    for (uint32_t level = 0; image && image->blocks && level < image->levels; level++)
        destroy_image(image->blocks[level], alloc);
    for (uint32_t i = 0; image && i < image->part_count; i++)
        destroy_image(image->parts[i], alloc);
    if (image)
        vc4vk_free(alloc, image->blocks);
    vc4vk_free(alloc, image);
}

/* Allocates an image without planes. `at_B`: offset of its memory within that of an enclosing image. NULL: out of
 * memory. */
static struct vc4vk_image *new_image(const VkImageCreateInfo *info, const VkAllocationCallbacks *alloc, uint64_t at_B)
{
    const uint32_t planes = plane_count(info);
    const bool has_blocks = hw_codec_decoded(vc4vk_format_hw(info->format));
    struct vc4vk_image *image = vc4vk_zalloc(alloc, sizeof *image + (planes + has_blocks) * sizeof image->planes[0],
                                             VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!image)
        return NULL;
    vc4vk_object_init(&image->base, VK_OBJECT_TYPE_IMAGE);
    image->type = info->imageType;
    image->vk_format = info->format;
    image->format = vc4vk_format(info->format);
    image->flags = info->flags;
    image->usage = info->usage;
    image->tiling = info->tiling;
    image->extent = info->extent;
    image->levels = info->mipLevels;
    image->layers = info->arrayLayers;
    image->samples = info->samples;
    image->plane_count = planes;
    image->has_blocks = has_blocks;
    image->size_B = at_B;
    return image;
}

/* Describes the image whose texels are the compressed blocks of a level. */
static VkImageCreateInfo blocks_info(const struct vc4vk_image *image, uint32_t level)
{
    const struct hw_format_info *format = hw_format_info(image->format->hw);
    return (VkImageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = image->type,
        .format = format->block_B == 8 ? VK_FORMAT_R32G32_UINT : VK_FORMAT_R32G32B32A32_UINT,
        .extent = {util_div_round_up(util_minify(image->extent.width, level), format->block_w),
                   util_div_round_up(util_minify(image->extent.height, level), format->block_h),
                   util_minify(image->extent.depth, level)},
        .mipLevels = 1,
        .arrayLayers = image->layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = image->usage,
    };
}

static VkResult make_blocks(struct vc4vk_device *device, struct vc4vk_image *image, const VkAllocationCallbacks *alloc)
{
    if (!image->has_blocks || !(image->flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT))
        return VK_SUCCESS;
    image->blocks =
        vc4vk_zalloc(alloc, image->levels * sizeof image->blocks[0], VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!image->blocks)
        return vc4vk_oom(device);
    for (uint32_t level = 0; level < image->levels; level++) {
        const VkImageCreateInfo info = blocks_info(image, level);
        struct vc4vk_image *blocks = image->blocks[level] = new_image(&info, alloc, image->size_B);
        if (!blocks)
            return vc4vk_oom(device);
        if (!init_planes(blocks))
            return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "image: the blocks of level %u are too large",
                                level);
        blocks->blocks_of = image;
        blocks->blocks_level = level;
        image->size_B = blocks->size_B;
        image->align_B = MAX2(image->align_B, blocks->align_B);
    }
    return VK_SUCCESS;
}

/* Planes of planar formats are images of their own, consecutive in memory unless `rows` says where they are. */
static VkResult make_parts(struct vc4vk_device *device, struct vc4vk_image *image, const VkImageCreateInfo *info,
                           const struct vc4vk_image_rows *rows, const VkAllocationCallbacks *alloc)
{
    const struct vc4vk_planar *planar = image->format->planar;
    const bool is_disjoint = info->flags & VK_IMAGE_CREATE_DISJOINT_BIT;
    VkImageCreateInfo of_part = *info;
    for (uint32_t i = 0; i < planar->plane_count; i++) {
        of_part.format = planar->planes[i];
        of_part.extent.width = i ? util_div_round_up(info->extent.width, 1u << planar->log2_x) : info->extent.width;
        of_part.extent.height = i ? util_div_round_up(info->extent.height, 1u << planar->log2_y) : info->extent.height;
        struct vc4vk_image *part = image->parts[i] = new_image(&of_part, alloc, is_disjoint ? rows->offset_B[i] : 0);
        if (!part)
            return vc4vk_oom(device);
        image->part_count++;
        part->raster_stride_B = rows->stride_B[i];
        if (!init_planes(part))
            return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "image: plane %u is too large", i);
        part->at_B = rows->is_explicit && !is_disjoint ? rows->offset_B[i] : util_align64(image->size_B, part->align_B);
        image->size_B = MAX2(image->size_B, part->at_B + part->size_B);
        image->align_B = MAX2(image->align_B, part->align_B);
    }
    return VK_SUCCESS;
}

/* Binds memory to the image, its planes and its blocks. */
static void bind(struct vc4vk_image *image, struct vc4vk_memory *memory, VkDeviceSize offset_B)
{
    image->memory = memory;
    image->bo = memory->part.bo;
    image->offset_B = memory->part.offset_B + offset_B;
    for (uint32_t level = 0; image->blocks && level < image->levels; level++)
        bind(image->blocks[level], memory, offset_B);
    for (uint32_t i = 0; i < image->part_count; i++)
        bind(image->parts[i], memory, offset_B + image->parts[i]->at_B);
}

static VkResult make_sparse(struct vc4vk_device *device, struct vc4vk_image *image, const VkAllocationCallbacks *alloc)
{
    if (!(image->flags & VC4VK_SPARSE_IMAGE_FLAGS))
        return VK_SUCCESS;
    VkResult result =
        vc4vk_sparse_create(device, &(struct vc4vk_sparse_info){.size_B = image->size_B}, alloc, &image->sparse);
    if (result == VK_SUCCESS)
        bind(image, image->sparse, 0);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateImage(VkDevice _device, const VkImageCreateInfo *pCreateInfo,
                                                 const VkAllocationCallbacks *pAllocator, VkImage *pImage)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(device->alloc, pAllocator);
    VkImageCreateInfo info = *pCreateInfo;
    info.flags = vc4vk_drop_unknown_bits(device, VC4VK_BITS_IMAGE_FLAGS, info.flags);
    info.usage =
        vc4vk_drop_unknown_bits(device, VC4VK_BITS_IMAGE_USAGE, info.usage | vc4vk_stencil_usage(pCreateInfo->pNext));
    struct vc4vk_swapchain_memory *swapchain = swapchain_of(device, pCreateInfo);
    if (swapchain)
        info.tiling = swapchain->tiling; /* the same as the swapchain's own images */
    vc4vk_swapchain_memory_put(device, swapchain);
    struct vc4vk_image_rows rows;
    VkResult result = vc4vk_image_read_rows(device, &info, &rows);
    if (result == VK_SUCCESS)
        result = check_create_info(device, &info);
    if (result != VK_SUCCESS)
        return result;
    const bool is_planar = vc4vk_format(info.format)->planar;
    struct vc4vk_image *image = new_image(&info, alloc, is_planar ? 0 : rows.offset_B[0]);
    if (!image)
        return vc4vk_oom(device);
    image->is_presentable = swapchain != NULL;
    image->raster_stride_B = is_planar ? 0 : rows.stride_B[0];
    if (is_planar)
        result = make_parts(device, image, &info, &rows, alloc);
    else if (!init_planes(image))
        result = vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "image of %ux%u, %u layers: too large",
                              pCreateInfo->extent.width, pCreateInfo->extent.height, pCreateInfo->arrayLayers);
    if (result == VK_SUCCESS)
        result = make_blocks(device, image, alloc);
    if (result == VK_SUCCESS)
        result = make_sparse(device, image, alloc);
    if (result != VK_SUCCESS) {
        destroy_image(image, alloc);
        return result;
    }
    *pImage = vc4vk_image_to_handle(image);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyImage(VkDevice _device, VkImage _image, const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_image, image, _image);
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(device->alloc, pAllocator);
    if (image) {
        vc4vk_private_data_forget(device, &image->base.private_number);
        vc4vk_sparse_destroy(device, image->sparse, alloc);
    }
    destroy_image(image, alloc);
}

static void fill_requirements(VkDevice device, const struct vc4vk_image *image, VkMemoryRequirements *out)
{
    *out = (VkMemoryRequirements){
        .size = util_align64(image->size_B, image->align_B),
        .alignment = image->align_B,
        .memoryTypeBits = vc4vk_memory_type_bits(vc4vk_device_from_handle(device)),
    };
    if (image->sparse)
        vc4vk_sparse_round_requirements(vc4vk_device_from_handle(device), out);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetImageMemoryRequirements(VkDevice device, VkImage image,
                                                            VkMemoryRequirements *pMemoryRequirements)
{
    fill_requirements(device, vc4vk_image_from_handle(image), pMemoryRequirements);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetImageMemoryRequirements2KHR(VkDevice device,
                                                                const VkImageMemoryRequirementsInfo2 *pInfo,
                                                                VkMemoryRequirements2 *pMemoryRequirements)
{
    const VkImagePlaneMemoryRequirementsInfo *plane =
        vc4vk_find_in_chain(pInfo->pNext, VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO);
    VkImageAspectFlags aspect = plane ? plane->planeAspect : VK_IMAGE_ASPECT_COLOR_BIT;
    fill_requirements(device, vc4vk_image_of_aspect(vc4vk_image_from_handle(pInfo->image), &aspect),
                      &pMemoryRequirements->memoryRequirements);
    vc4vk_fill_dedicated_requirements(pMemoryRequirements->pNext);
}

/* Larger images can be created and queried for their requirements, but not bound: everything that accesses memory uses
 * 32-bit offsets. */
static VkResult check_size(VkDevice device, const struct vc4vk_image *image)
{
    return image->size_B <= VC4VK_MAX_IMAGE_B
               ? VK_SUCCESS
               : vc4vk_errorf(vc4vk_device_from_handle(device), VK_ERROR_OUT_OF_DEVICE_MEMORY,
                              "an image of %" PRIu64 " B: more than 2 GiB cannot be bound", image->size_B);
}

static VkResult check_binding(VkDevice device, const struct vc4vk_image *image, VkDeviceMemory memory,
                              VkDeviceSize offset_B)
{
    if (image->sparse)
        return vc4vk_errorf(vc4vk_device_from_handle(device), VK_ERROR_UNKNOWN,
                            "bind: memory is bound to sparse images by vkQueueBindSparse");
    VkResult result = check_size(device, image);
    return result != VK_SUCCESS
               ? result
               : vc4vk_memory_check_binding(vc4vk_device_from_handle(device), vc4vk_memory_from_handle(memory),
                                            offset_B, image->size_B, image->align_B);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_BindImageMemory(VkDevice device, VkImage image, VkDeviceMemory memory,
                                                     VkDeviceSize memoryOffset)
{
    VkResult result = check_binding(device, vc4vk_image_from_handle(image), memory, memoryOffset);
    if (result == VK_SUCCESS)
        bind(vc4vk_image_from_handle(image), vc4vk_memory_from_handle(memory), memoryOffset);
    return result;
}

static VkResult bind_to_swapchain(VkDevice _device, VkImage image, const VkBindImageMemorySwapchainInfoKHR *from)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct vc4vk_swapchain_memory *swapchain = vc4vk_swapchain_memory_get(device, from->swapchain);
    VkResult result = vc4vk_BindImageMemory(
        _device, image, swapchain ? swapchain->memory_of_image(swapchain, from->imageIndex) : VK_NULL_HANDLE, 0);
    vc4vk_swapchain_memory_put(device, swapchain);
    return result;
}

static VkResult bind_one(VkDevice device, const VkBindImageMemoryInfo *info)
{
    const VkBindImageMemorySwapchainInfoKHR *from =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
    const VkBindImagePlaneMemoryInfo *plane =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
    VkImageAspectFlags aspect = plane ? plane->planeAspect : VK_IMAGE_ASPECT_COLOR_BIT;
    if (from && from->swapchain)
        return bind_to_swapchain(device, info->image, from);
    if (!plane)
        return vc4vk_BindImageMemory(device, info->image, info->memory, info->memoryOffset);
    struct vc4vk_image *image = vc4vk_image_of_aspect(vc4vk_image_from_handle(info->image), &aspect);
    VkResult result = check_binding(device, image, info->memory, info->memoryOffset);
    if (result == VK_SUCCESS)
        bind(image, vc4vk_memory_from_handle(info->memory), info->memoryOffset);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_BindImageMemory2KHR(VkDevice device, uint32_t bindInfoCount,
                                                         const VkBindImageMemoryInfo *pBindInfos)
{
    VkResult first = VK_SUCCESS;
    for (uint32_t i = 0; i < bindInfoCount; i++) { /* a failure does not affect the other images */
        const VkResult result = bind_one(device, &pBindInfos[i]);
        vc4vk_fill_bind_status(pBindInfos[i].pNext, result);
        first = first == VK_SUCCESS ? result : first;
    }
    return first;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetImageSubresourceLayout(VkDevice device, VkImage _image,
                                                           const VkImageSubresource *pSubresource,
                                                           VkSubresourceLayout *pLayout)
{
    VkImageAspectFlags aspect = pSubresource->aspectMask;
    struct vc4vk_image *whole = vc4vk_image_from_handle(_image);
    const struct vc4vk_image *image = vc4vk_image_of_aspect(whole, &aspect);
    const struct vc4vk_image_plane *plane = vc4vk_image_plane(image, aspect);
    /* Offsets count from where memory is bound: to the whole image, or to the plane of a disjoint one. */
    const uint64_t first_B = image != whole && !(whole->flags & VK_IMAGE_CREATE_DISJOINT_BIT) ? image->at_B : 0;
    if (pSubresource->mipLevel >= image->levels) {
        *pLayout = (VkSubresourceLayout){0};
        return;
    }
    const struct hw_level *level = &plane->layout.level[pSubresource->mipLevel];
    const uint32_t slices =
        image->type == VK_IMAGE_TYPE_3D ? util_minify(image->extent.depth, pSubresource->mipLevel) : 1;
    *pLayout = (VkSubresourceLayout){
        .offset = first_B + plane->offset_B + (uint64_t)pSubresource->arrayLayer * plane->layout.layer_stride_B +
                  level->offset_B,
        .size = (slices - 1) * (uint64_t)plane->layout.layer_stride_B + level->size_B,
        .rowPitch = level->stride_B,
        .arrayPitch = plane->layout.layer_stride_B,
        .depthPitch = plane->layout.layer_stride_B,
    };
}

/* -- samples of attachments that have one ------------------------------------------------------------------------- */

VkResult vc4vk_image_create_samples(struct vc4vk_device *device, VkFormat format, VkExtent2D extent, uint32_t layers,
                                    struct vc4vk_image **out)
{
    const bool is_color = vc4vk_format(format)->aspects & VK_IMAGE_ASPECT_COLOR_BIT;
    const VkImageCreateInfo info = {
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {extent.width, extent.height, 1},
        .mipLevels = 1,
        .arrayLayers = layers,
        .samples = VK_SAMPLE_COUNT_4_BIT,
        .usage = is_color ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
    };
    struct vc4vk_image *image = new_image(&info, VC4VK_ALLOC_INTERNAL, 0);
    if (!image)
        return vc4vk_oom(device);
    if (!init_planes(image) || image->size_B > VC4VK_MAX_IMAGE_B ||
        kmd_bo_create(device->kmd, image->size_B, "samples", &image->bo)) {
        destroy_image(image, VC4VK_ALLOC_INTERNAL);
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                            "samples of a %ux%u attachment, %u layers: out of device memory", extent.width,
                            extent.height, layers);
    }
    *out = image;
    return VK_SUCCESS;
}

void vc4vk_image_destroy_samples(struct vc4vk_image *image)
{
    kmd_bo_unref(image->bo);
    destroy_image(image, VC4VK_ALLOC_INTERNAL);
}

/* -- copies by the host ------------------------------------------------------------------------------------------- */

bool vc4vk_image_memcpy_is_raw(const struct vc4vk_image *image, VkImageAspectFlags aspect)
{
    const struct vc4vk_image *part = vc4vk_image_of_aspect(image, &aspect);
    return !part->has_blocks && part->samples == 1 && util_is_pow2(part->format->aspects);
}

uint64_t vc4vk_image_memcpy_slice_B(const struct vc4vk_image *image, VkImageAspectFlags aspect, uint32_t level)
{
    const bool is_raw = vc4vk_image_memcpy_is_raw(image, aspect);
    const struct vc4vk_image *part = vc4vk_image_of_aspect(image, &aspect);
    const struct hw_level *copied = vc4vk_image_copy_level(part, level);
    if (!is_raw)
        return (uint64_t)copied->width_el * copied->height_el * vc4vk_format_copy_B(part->format, aspect);
    uint64_t size_B = 0;
    for (uint32_t i = 0; i < part->plane_count; i++)
        size_B += part->planes[i].layout.level[level].size_B;
    return size_B;
}

#ifdef VK_EXT_host_image_copy
static VkDeviceSize memcpy_B(const struct vc4vk_image *image, const VkImageSubresource *of)
{
    if (of->mipLevel >= image->levels || !util_is_pow2(of->aspectMask))
        return 0;
    const bool is_3d = image->type == VK_IMAGE_TYPE_3D;
    return vc4vk_image_memcpy_slice_B(image, of->aspectMask, of->mipLevel) *
           (is_3d ? util_minify(image->extent.depth, of->mipLevel) : 1);
}
#endif

void vc4vk_fill_compression(VkImageCompressionPropertiesEXT *p)
{
    p->imageCompressionFlags = VK_IMAGE_COMPRESSION_DISABLED_EXT;
    p->imageCompressionFixedRateFlags = VK_IMAGE_COMPRESSION_FIXED_RATE_NONE_EXT;
}

#ifndef VK_KHR_maintenance5
#define vc4vk_GetImageSubresourceLayout2KHR vc4vk_GetImageSubresourceLayout2EXT
#define VkImageSubresource2KHR              VkImageSubresource2EXT
#define VkSubresourceLayout2KHR             VkSubresourceLayout2EXT
#endif

VKAPI_ATTR void VKAPI_CALL vc4vk_GetImageSubresourceLayout2KHR(VkDevice device, VkImage image,
                                                               const VkImageSubresource2KHR *pSubresource,
                                                               VkSubresourceLayout2KHR *pLayout)
{
    vc4vk_GetImageSubresourceLayout(device, image, &pSubresource->imageSubresource, &pLayout->subresourceLayout);
    vc4vk_for_each_in_chain(s, pLayout->pNext)
    {
        if (s->sType == VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT)
            vc4vk_fill_compression((VkImageCompressionPropertiesEXT *)s);
#ifdef VK_EXT_host_image_copy
        if (s->sType == VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE_EXT)
            ((VkSubresourceHostMemcpySizeEXT *)s)->size =
                memcpy_B(vc4vk_image_from_handle(image), &pSubresource->imageSubresource);
#endif
    }
}

/* -- requirements of images with sparse residency: there are none -------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL
vc4vk_GetImageSparseMemoryRequirements(VkDevice device, VkImage image, uint32_t *pSparseMemoryRequirementCount,
                                       VkSparseImageMemoryRequirements *pSparseMemoryRequirements)
{
    *pSparseMemoryRequirementCount = 0;
}

VKAPI_ATTR void VKAPI_CALL
vc4vk_GetImageSparseMemoryRequirements2KHR(VkDevice device, const VkImageSparseMemoryRequirementsInfo2 *pInfo,
                                           uint32_t *pSparseMemoryRequirementCount,
                                           VkSparseImageMemoryRequirements2 *pSparseMemoryRequirements)
{
    *pSparseMemoryRequirementCount = 0;
}
