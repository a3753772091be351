/* SPDX-License-Identifier: MIT
 *
 * Device memory, buffers and images. Memory is a kernel buffer object, or a part of one, that stays mapped for its
 * life; a buffer or an image is (BO, offset) once it is bound: there is no GPU address space.
 */
#ifndef DEVICE_VC4VK_MEMORY_H
#define DEVICE_VC4VK_MEMORY_H

#include "device/vc4vk_format.h"
#include "device/vc4vk_object.h"
#include "hw/layout.h"
#include "kmd/kmd.h"
#include "util/list.h"

struct vc4vk_device;

struct vc4vk_memory {
    struct vc4vk_object base;
    struct kmd_part part; /* owned; shared memory is a whole BO */
    VkDeviceSize size_B;  /* as asked for */
    void *map;            /* for life */
    uint32_t type_index;
};

struct vc4vk_buffer {
    struct vc4vk_object base;
    VkDeviceSize size_B;
    VkBufferUsageFlags usage;
    struct vc4vk_memory *memory; /* NULL until bound */
    struct kmd_bo *bo;           /* the memory's */
    uint64_t offset_B;           /* in the BO */
};

/* What a swapchain begins with: images made for it are bound to the memory of its own. */
struct vc4vk_swapchain_memory {
    struct vc4vk_object base;
    VkDeviceMemory (*of_image)(const struct vc4vk_swapchain_memory *swapchain, uint32_t index); /* or none */
    VkImageTiling tiling;
    struct util_list link; /* in vc4vk_device.swapchains, under its lock */
    uint32_t users;        /* the same */
};

/* From the first on its handle is known, until it is withdrawn: then nobody new can get it. */
void vc4vk_swapchain_memory_publish(struct vc4vk_device *device, struct vc4vk_swapchain_memory *swapchain);
/* NULL when the device does not have it any more; else it stays until it is put. NULL may be put. */
struct vc4vk_swapchain_memory *vc4vk_swapchain_memory_get(struct vc4vk_device *device, VkSwapchainKHR handle);
void vc4vk_swapchain_memory_put(struct vc4vk_device *device, struct vc4vk_swapchain_memory *swapchain);
/* NULL when the device does not have it. Those who have got it may still use it until the wait is over. */
struct vc4vk_swapchain_memory *vc4vk_swapchain_memory_withdraw(struct vc4vk_device *device, VkSwapchainKHR handle);
void vc4vk_swapchain_memory_wait_unused(struct vc4vk_device *device, struct vc4vk_swapchain_memory *swapchain);

/* VkMemoryDedicatedRequirements in the chain of VkMemoryRequirements2: any memory will do. */
void vc4vk_fill_dedicated_requirements(void *chain);

/* Whether `size_B` bytes at the offset lie in the memory: VK_ERROR_UNKNOWN when they do not, when the offset is no
 * multiple of `align_B`, or when there is no memory. Whatever is bound must not reach beyond it, also when the
 * application says so. */
VkResult vc4vk_memory_check_binding(struct vc4vk_device *device, const struct vc4vk_memory *memory,
                                    VkDeviceSize offset_B, uint64_t size_B, uint32_t align_B);

/* Alignment of buffers, and what their size is rounded up to. */
#define VC4VK_BUFFER_ALIGN_B 64u

/* Of images of optimal tiling, whatever their layout, and of their planes. */
#define VC4VK_IMAGE_ALIGN_B 4096u

struct vc4vk_image_plane {
    enum hw_format format; /* what a texel of memory holds: vc4vk_format_storage, R32_UINT for one of several planes */
    struct hw_layout layout; /* layers: array layers or cube faces or slices of a 3D image */
    uint64_t offset_B;       /* of this plane in the image's memory; multiple of 4096 */
};

#define VC4VK_MAX_PLANES 4u

struct vc4vk_image {
    struct vc4vk_object base;
    VkImageType type;
    VkFormat vk_format;
    const struct vc4vk_format *format;
    VkImageCreateFlags flags;
    VkImageUsageFlags usage;
    VkImageTiling tiling;
    VkExtent3D extent;
    uint32_t levels, layers, samples;
    uint32_t plane_count; /* 1, or 2 and 4 for texels of 64 and 128 bits: plane i holds word i of each */
    bool has_blocks;      /* compressed: the planes hold decoded texels, one more the blocks as they were copied in */
    uint64_t size_B; /* of the memory needed */
    uint32_t align_B;
    struct vc4vk_memory *memory; /* NULL until bound */
    struct kmd_bo *bo;
    uint64_t offset_B;   /* in the BO */
    bool is_presentable; /* of a swapchain: read by the presentation engine */
    /* Compressed, and views of other formats may see its blocks: then those lie as the texels of an image of their own
     * for each level, in this one's memory, instead of the plane behind the others. Owned; NULL: none. */
    struct vc4vk_image **blocks;
    const struct vc4vk_image *blocks_of; /* such an image: whose blocks, and of which level; else NULL */
    uint32_t blocks_level;
    struct vc4vk_image *parts[3]; /* planar formats: an image for each plane, in this one's memory unless they are bound
                                   * one by one; owned */
    uint32_t part_count; /* 0: not planar */
    uint64_t at_B;       /* of such a part: where it lies in the memory of the whole */
    struct vc4vk_image_plane planes[]; /* plane_count of them, then that of the blocks unless `blocks` has them */
};

VC4VK_DEFINE_HANDLE(vc4vk_memory, VkDeviceMemory, VK_OBJECT_TYPE_DEVICE_MEMORY)
VC4VK_DEFINE_HANDLE(vc4vk_buffer, VkBuffer, VK_OBJECT_TYPE_BUFFER)
VC4VK_DEFINE_HANDLE(vc4vk_image, VkImage, VK_OBJECT_TYPE_IMAGE)

static inline VkDeviceSize vc4vk_buffer_range(const struct vc4vk_buffer *buffer, VkDeviceSize offset,
                                              VkDeviceSize range)
{
    return range == VK_WHOLE_SIZE ? buffer->size_B - MIN2(offset, buffer->size_B) : range;
}

/* The image that an aspect names, and the aspect of it: a plane of a planar image is an image of its own. */
static inline struct vc4vk_image *vc4vk_image_of_aspect(const struct vc4vk_image *image, VkImageAspectFlags *aspect)
{
    const VkImageAspectFlags planes =
        VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_PLANE_2_BIT;
    if (!image->part_count || !(*aspect & planes))
        return (struct vc4vk_image *)image;
    const uint32_t index = *aspect & VK_IMAGE_ASPECT_PLANE_0_BIT ? 0 : *aspect & VK_IMAGE_ASPECT_PLANE_1_BIT ? 1 : 2;
    *aspect = VK_IMAGE_ASPECT_COLOR_BIT;
    return image->parts[MIN2(index, image->part_count - 1)];
}

/* The (first) plane that holds an aspect (a single COLOR, DEPTH or STENCIL bit). */
static inline const struct vc4vk_image_plane *vc4vk_image_plane(const struct vc4vk_image *image,
                                                                VkImageAspectFlags aspect)
{
    return &image->planes[0];
}

/* What copies see of a level, in elements of the format: blocks where the image is compressed. */
static inline const struct hw_level *vc4vk_image_copy_level(const struct vc4vk_image *image, uint32_t level)
{
    if (image->blocks)
        return &image->blocks[level]->planes[0].layout.level[0];
    return &image->planes[image->has_blocks ? image->plane_count : 0].layout.level[level];
}

/* The layout that the image's memory has for texels of this format: of its own, or of a view. Samples are words of the
 * tile buffer, whatever the image is used for. */
static inline enum hw_format vc4vk_image_storage(const struct vc4vk_image *image, const struct vc4vk_format *format)
{
    const VkImageUsageFlags attachment =
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    return vc4vk_format_storage(format, image->samples > 1 ? attachment : image->usage);
}

/* Byte offset in the BO where a level of a layer (or a slice of a 3D image) begins. */
static inline uint64_t vc4vk_image_level_offset_B(const struct vc4vk_image *image,
                                                  const struct vc4vk_image_plane *plane, uint32_t level, uint32_t layer)
{
    return image->offset_B + plane->offset_B + (uint64_t)layer * plane->layout.layer_stride_B +
           plane->layout.level[level].offset_B;
}

/* Width in pixels that a job must be given so that the stride the kernel infers is the level's own (hardware notes 4.4,
 * 9.7): the level's padded width. */
static inline uint32_t vc4vk_image_job_width_px(const struct vc4vk_image_plane *plane, uint32_t level)
{
    return plane->layout.level[level].padded_width_el;
}

#endif
