/* SPDX-License-Identifier: MIT
 *
 * Which images can be made: one answer for the queries and for vkCreateImage.
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

/* VK_ERROR_FORMAT_NOT_SUPPORTED with zeroed limits and the reason when such images cannot be made. */
/* What the stencil aspect may be used for beside the image's usage (VK_EXT_separate_stencil_usage). */
VkImageUsageFlags vc4vk_stencil_usage(const void *chain);
VkResult vc4vk_image_limits(const struct vc4vk_image_query *query, VkImageFormatProperties *out, const char **why_out);

#endif
