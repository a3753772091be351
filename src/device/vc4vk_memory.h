/* SPDX-License-Identifier: MIT
 *
 * Device memory, buffers and images. Memory is a kernel buffer object (BO) or a part of one, and stays mapped as long
 * as it exists. A bound buffer or image is a BO and an offset: the chip has no GPU address space.
 */
#ifndef DEVICE_VC4VK_MEMORY_H
#define DEVICE_VC4VK_MEMORY_H

#include "device/vc4vk_buffer_address.h"
#include "device/vc4vk_format.h"
#include "device/vc4vk_object.h"
#include "hw/layout.h"
#include "kmd/kmd.h"
#include "util/list.h"

struct vc4vk_device;

struct vc4vk_memory {
    struct vc4vk_object base;
    struct kmd_part part; /* owned; shared memory is a whole BO */
    VkDeviceSize size_B;  /* allocationSize; the part may be larger */
    void *map;            /* valid as long as the memory exists */
    uint32_t type_index;
    bool is_host;                  /* the application's own memory, imported */
    bool has_addresses;            /* buffers with addresses are or were bound; under the lock of the list */
    struct util_list address_link; /* in vc4vk_device.addressed_memory */
    struct vc4vk_address_range reported;
};

struct vc4vk_buffer {
    struct vc4vk_object base;
    VkDeviceSize size_B;
    VkBufferUsageFlags usage;
    struct vc4vk_memory *memory; /* NULL until bound */
    struct kmd_bo *bo;           /* the memory's */
    uint64_t offset_B;           /* in the BO */
    struct vc4vk_memory *sparse; /* of a sparse buffer: its address range, which is its memory; owned. NULL otherwise */
    struct vc4vk_address_range reported;
};

/* Base of a swapchain object. Images that the application creates for a swapchain are bound to the memory of the
 * swapchain's own images. */
struct vc4vk_swapchain_memory {
    struct vc4vk_object base;
    /* The memory of image `index`, or VK_NULL_HANDLE. */
    VkDeviceMemory (*memory_of_image)(const struct vc4vk_swapchain_memory *swapchain, uint32_t index);
    VkImageTiling tiling;
    struct util_list link; /* in vc4vk_device.swapchains; guarded by swapchain_lock */
    uint32_t users;        /* gets without a put; guarded by swapchain_lock */
};

/* After publish, the swapchain can be looked up by its handle until it is withdrawn. */
void vc4vk_swapchain_memory_publish(struct vc4vk_device *device, struct vc4vk_swapchain_memory *swapchain);
/* Looks a swapchain up and keeps it alive until it is put. NULL when the device has no such swapchain; put accepts
 * NULL. */
struct vc4vk_swapchain_memory *vc4vk_swapchain_memory_get(struct vc4vk_device *device, VkSwapchainKHR handle);
void vc4vk_swapchain_memory_put(struct vc4vk_device *device, struct vc4vk_swapchain_memory *swapchain);
/* Removes a swapchain so that it cannot be looked up any more. NULL when the device has no such swapchain. Threads that
 * already got it may keep using it; wait_unused returns when the last of them has put it. */
struct vc4vk_swapchain_memory *vc4vk_swapchain_memory_withdraw(struct vc4vk_device *device, VkSwapchainKHR handle);
void vc4vk_swapchain_memory_wait_unused(struct vc4vk_device *device, struct vc4vk_swapchain_memory *swapchain);

/* Fills VkMemoryDedicatedRequirements in the chain of VkMemoryRequirements2: nothing needs dedicated memory. */
void vc4vk_fill_dedicated_requirements(void *chain);
/* VK_KHR_maintenance6: writes the result of one binding to the VkBindMemoryStatus in its chain, if there is one. */
void vc4vk_fill_bind_status(const void *chain, VkResult result);

/* Checks that `size_B` bytes at the offset lie in the memory. Returns VK_ERROR_UNKNOWN when they do not, when the
 * offset is not a multiple of `align_B`, or when `memory` is NULL. Invalid usage by the application must not let a
 * resource reach beyond its memory. */
VkResult vc4vk_memory_check_binding(struct vc4vk_device *device, const struct vc4vk_memory *memory,
                                    VkDeviceSize offset_B, uint64_t size_B, uint32_t align_B);

/* Buffers are aligned to this, and their sizes are rounded up to it. */
#define VC4VK_BUFFER_ALIGN_B 64u

/* Alignment of images with optimal tiling and of their planes, whatever their layout. */
#define VC4VK_IMAGE_ALIGN_B 4096u

struct vc4vk_image_plane {
    enum hw_format format;   /* of a texel in memory: vc4vk_format_storage, or R32_UINT if there are several planes */
    struct hw_layout layout; /* layers: array layers, cube faces or slices of a 3D image */
    uint64_t offset_B;       /* in the image's memory; with optimal tiling a multiple of 4096 */
};

#define VC4VK_MAX_PLANES 4u

struct vc4vk_image {
    struct vc4vk_object base;
    VkImageType type;
    VkFormat vk_format;
    const struct vc4vk_format *format;
    VkImageCreateFlags flags;
    VkImageUsageFlags usage;
    VkImageTiling tiling;     /* LINEAR with a DRM format modifier */
    uint32_t raster_stride_B; /* with one: distance of the rows, unless it is the smallest; else 0 */
    VkExtent3D extent;
    uint32_t levels, layers, samples;
    uint32_t plane_count; /* 1; 2 or 4 for texels of 64 or 128 bits: plane i holds word i of each texel */
    bool has_blocks;      /* compressed: the planes hold decoded texels; the blocks as copied in are kept as well */
    uint64_t size_B;      /* of the required memory */
    uint32_t align_B;
    struct vc4vk_memory *memory; /* NULL until bound */
    struct kmd_bo *bo;
    uint64_t offset_B;           /* in the BO */
    struct vc4vk_memory *sparse; /* of a sparse image: its address range, which is its memory; owned. NULL otherwise */
    bool is_presentable; /* belongs to a swapchain: the presentation engine reads it */
    /* BLOCK_TEXEL_VIEW_COMPATIBLE compressed images: views of uncompressed formats may access the blocks. For each
     * level an image of its own, within this image's memory, has the blocks as texels and replaces the extra plane of
     * blocks. Owned; NULL for all other images. */
    struct vc4vk_image **blocks;
    const struct vc4vk_image *blocks_of; /* in an image of `blocks`: the compressed image; else NULL */
    uint32_t blocks_level;               /* in an image of `blocks`: the level of blocks_of */
    struct vc4vk_image *parts[3]; /* planar formats: an image for each plane, within this image's memory unless the
                                   * planes are bound separately; owned */
    uint32_t part_count; /* 0: not planar */
    uint64_t at_B;       /* in such a part: its offset in the memory of the planar image */
    struct vc4vk_image_plane planes[]; /* plane_count of them; one more for the blocks if has_blocks && !blocks */
};

VC4VK_DEFINE_HANDLE(vc4vk_memory, VkDeviceMemory, VK_OBJECT_TYPE_DEVICE_MEMORY)
VC4VK_DEFINE_HANDLE(vc4vk_buffer, VkBuffer, VK_OBJECT_TYPE_BUFFER)
VC4VK_DEFINE_HANDLE(vc4vk_image, VkImage, VK_OBJECT_TYPE_IMAGE)

static inline VkDeviceSize vc4vk_buffer_range(const struct vc4vk_buffer *buffer, VkDeviceSize offset,
                                              VkDeviceSize range)
{
    return range == VK_WHOLE_SIZE ? buffer->size_B - MIN2(offset, buffer->size_B) : range;
}

/* For a plane or memory plane aspect of a planar image: returns the plane's own image and sets *aspect to COLOR. Any
 * other aspect returns the image unchanged. Planes are memory planes, in the same order. */
static inline struct vc4vk_image *vc4vk_image_of_aspect(const struct vc4vk_image *image, VkImageAspectFlags *aspect)
{
    const VkImageAspectFlags first = VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT;
    const VkImageAspectFlags second = VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT;
    const VkImageAspectFlags third = VK_IMAGE_ASPECT_PLANE_2_BIT | VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT;
    if (!image->part_count || !(*aspect & (first | second | third)))
        return (struct vc4vk_image *)image;
    const uint32_t index = *aspect & first ? 0 : *aspect & second ? 1 : 2;
    *aspect = VK_IMAGE_ASPECT_COLOR_BIT;
    return image->parts[MIN2(index, image->part_count - 1)];
}

/* The (first) plane that holds an aspect (a single COLOR, DEPTH or STENCIL bit). */
static inline const struct vc4vk_image_plane *vc4vk_image_plane(const struct vc4vk_image *image,
                                                                VkImageAspectFlags aspect)
{
    return &image->planes[0];
}

/* The level's layout as copies see it, in elements of the format: blocks for compressed images. */
static inline const struct hw_level *vc4vk_image_copy_level(const struct vc4vk_image *image, uint32_t level)
{
    if (image->blocks)
        return &image->blocks[level]->planes[0].layout.level[0];
    return &image->planes[image->has_blocks ? image->plane_count : 0].layout.level[level];
}

/* The texel layout in the image's memory for its own format or for a view's. Multisampled images hold words of the tile
 * buffer whatever their usage is. The application sees the memory of linear images, so their texels are never widened
 * for an attachment. */
static inline enum hw_format vc4vk_image_storage(const struct vc4vk_image *image, const struct vc4vk_format *format)
{
    const VkImageUsageFlags attachment =
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    if (image->tiling == VK_IMAGE_TILING_LINEAR)
        return vc4vk_format_storage(format, image->usage & ~attachment);
    return vc4vk_format_storage(format, image->samples > 1 ? attachment : image->usage);
}

/* Byte offset in the BO of a level of a layer (or slice of a 3D image). */
static inline uint64_t vc4vk_image_level_offset_B(const struct vc4vk_image *image,
                                                  const struct vc4vk_image_plane *plane, uint32_t level, uint32_t layer)
{
    return image->offset_B + plane->offset_B + (uint64_t)layer * plane->layout.layer_stride_B +
           plane->layout.level[level].offset_B;
}

/* The render width in pixels for a job on this level: the padded width, so that the kernel infers the level's own
 * stride (hardware notes 4.4, 9.7). */
static inline uint32_t vc4vk_image_job_width_px(const struct vc4vk_image_plane *plane, uint32_t level)
{
    return plane->layout.level[level].padded_width_el;
}

/* Copies of whole levels between images and host memory in a layout of the driver's choice. Raw: the bytes of the
 * planes one after the other; else rows of elements without padding. `aspect`: one bit. */
bool vc4vk_image_memcpy_is_raw(const struct vc4vk_image *image, VkImageAspectFlags aspect);
/* The size of one layer, or of one slice of a 3D image. */
uint64_t vc4vk_image_memcpy_slice_B(const struct vc4vk_image *image, VkImageAspectFlags aspect, uint32_t level);
/* Says that nothing is compressed. */
void vc4vk_fill_compression(VkImageCompressionPropertiesEXT *p);

/* An image of four samples with one level and memory of its own, for attachments that have one sample; usable as an
 * attachment only. Destroyed by vc4vk_image_destroy_samples. */
VkResult vc4vk_image_create_samples(struct vc4vk_device *device, VkFormat format, VkExtent2D extent, uint32_t layers,
                                    struct vc4vk_image **out);
void vc4vk_image_destroy_samples(struct vc4vk_image *image);

#endif
