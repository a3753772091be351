/* SPDX-License-Identifier: MIT
 *
 * Which images are supported: the format queries and vkCreateImage share these functions.
 */
#ifndef DEVICE_VC4VK_IMAGE_H
#define DEVICE_VC4VK_IMAGE_H

#include "device/vc4vk_memory.h"

struct vc4vk_image_query {
    VkFormat format;
    VkImageType type;
    VkImageTiling tiling;
    VkImageUsageFlags usage;
    VkImageCreateFlags flags;
};

/* Additional usage of the stencil aspect (VK_EXT_separate_stencil_usage); 0 when the chain has none. */
VkImageUsageFlags vc4vk_stencil_usage(const void *chain);
/* Returns VK_ERROR_FORMAT_NOT_SUPPORTED, zeroed limits and the reason when such images are not supported. */
VkResult vc4vk_image_limits(const struct vc4vk_image_query *query, VkImageFormatProperties *out, const char **why_out);

/* Copies of whole levels between images and host memory in a layout of the driver's choice. Raw: the bytes of the
 * planes one after the other; else rows of elements without padding. `aspect`: one bit. */
bool vc4vk_image_memcpy_is_raw(const struct vc4vk_image *image, VkImageAspectFlags aspect);
/* The size of one layer, or of one slice of a 3D image. */
uint64_t vc4vk_image_memcpy_slice_B(const struct vc4vk_image *image, VkImageAspectFlags aspect, uint32_t level);

#endif
