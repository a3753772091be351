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
    bool has_sparse; /* sparseBinding is supported, or for vkCreateImage enabled */
};

/* Additional usage of the stencil aspect (VK_EXT_separate_stencil_usage); 0 when the chain has none. */
VkImageUsageFlags vc4vk_stencil_usage(const void *chain);
/* Returns VK_ERROR_FORMAT_NOT_SUPPORTED, zeroed limits and the reason when such images are not supported. */
VkResult vc4vk_image_limits(const struct vc4vk_image_query *query, VkImageFormatProperties *out, const char **why_out);

#endif
