/* SPDX-License-Identifier: MIT
 *
 * VkFormat: one table says which texel layout (hw/format.h) each format has and what can be done with it. Features are
 * computed from what the chip and the compiler do with that layout, and published only as far as tests prove them.
 */
#ifndef DEVICE_VC4VK_FORMAT_H
#define DEVICE_VC4VK_FORMAT_H

#include <vulkan/vulkan.h>
#include "hw/format.h"

/* Images of brightness and of colour differences, each in a plane that is an image of its own: first G, then B and R
 * in one, or B, then R. */
struct vc4vk_planar {
    uint8_t plane_count;
    uint8_t log2_x, log2_y; /* how much smaller the second and the third are */
    uint8_t bits;           /* of a channel */
    VkFormat planes[3];
};

struct vc4vk_format {
    VkFormat vk;
    enum hw_format hw; /* texel (or block) as Vulkan defines it in buffers and in copies; for formats with depth
                        * the depth aspect (stencil is always S8_UINT) */
    VkImageAspectFlags aspects; /* 0: vertex format only */
    const char *name;           /* without VK_FORMAT_ */
    const struct vc4vk_planar *planar; /* NULL: no such image */
};

/* NULL: a format that this driver does not know at all. */
const struct vc4vk_format *vc4vk_format(VkFormat format);
/* HW_FORMAT_NONE for unknown formats. */
enum hw_format vc4vk_format_hw(VkFormat format);

/* The layout of the texels that the chip sees in an image's memory. Depth-stencil usage lowers to Z24S8 words, colour
 * attachments that are no storage images have texels of at least a word, and compressed formats are decoded; any other
 * usage keeps the format's own texels. HW_FORMAT_NONE: cannot be stored. */
enum hw_format vc4vk_format_storage(const struct vc4vk_format *format, VkImageUsageFlags usage);

/* Bytes of one texel of `aspect` in a buffer, as vkCmdCopyBufferToImage sees it (D24 depth: 4, stencil: 1). */
uint32_t vc4vk_format_copy_B(const struct vc4vk_format *format, VkImageAspectFlags aspect);
/* The layout of that texel (Z16_UNORM, Z24X8_LOW, Z32_FLOAT, S8_UINT or the colour format). */
enum hw_format vc4vk_format_copy_layout(const struct vc4vk_format *format, VkImageAspectFlags aspect);

VkFormatFeatureFlags vc4vk_format_optimal_features(const struct vc4vk_format *format);
VkFormatFeatureFlags vc4vk_format_linear_features(const struct vc4vk_format *format);
VkFormatFeatureFlags vc4vk_format_buffer_features(const struct vc4vk_format *format);

/* Every row, for tests and tools. */
const struct vc4vk_format *vc4vk_format_table(uint32_t *count_out);

#endif
