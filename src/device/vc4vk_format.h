/* SPDX-License-Identifier: MIT
 *
 * VkFormat: one table maps each format to its texel layout (hw/format.h). Format features are computed from what the
 * chip and the compiler can do with that layout, and reported only where tests cover them.
 */
#ifndef DEVICE_VC4VK_FORMAT_H
#define DEVICE_VC4VK_FORMAT_H

#include <vulkan/vulkan.h>
#include "hw/format.h"

/* A planar (luma and chroma) format. Each plane is an image of its own: first G, then either BR or B and R. */
struct vc4vk_planar {
    uint8_t plane_count;
    uint8_t log2_x, log2_y; /* subsampling of the second and third plane */
    uint8_t bits;           /* per channel */
    VkFormat planes[3];
};

struct vc4vk_format {
    VkFormat vk;
    enum hw_format hw; /* texel (or block) as Vulkan defines it in buffers and in copies; for formats with depth
                        * the depth aspect (stencil is always S8_UINT) */
    VkImageAspectFlags aspects; /* 0: vertex format only, see vc4vk_format_attribute() */
    const char *name;           /* without VK_FORMAT_ */
    const struct vc4vk_planar *planar; /* NULL: not a planar format */
};

/* NULL for unknown formats. */
const struct vc4vk_format *vc4vk_format(VkFormat format);
/* HW_FORMAT_NONE for unknown formats, and for those that only vertex attributes can have. */
enum hw_format vc4vk_format_hw(VkFormat format);

/* A vertex attribute in memory. Components of 64 bits are two words each, the low one first; three or four of them take
 * two locations. */
struct vc4vk_attribute_format {
    enum hw_format hw[2]; /* of each location, one behind the other; HW_FORMAT_NONE: it takes no such location */
    uint32_t size_B;      /* of the whole attribute; 0: unknown format */
};

struct vc4vk_attribute_format vc4vk_format_attribute(VkFormat format);

/* The layout of an image's texels in memory, as the chip sees them. Depth-stencil formats become Z24S8 words (except
 * D32_SFLOAT that is no attachment), colour attachments without storage usage have texels of at least one word, and
 * compressed formats are decoded. Any other usage keeps the format's own texels. HW_FORMAT_NONE: cannot be stored. */
enum hw_format vc4vk_format_storage(const struct vc4vk_format *format, VkImageUsageFlags usage);

/* Bytes of one texel of `aspect` in a buffer of vkCmdCopyBufferToImage (D24 depth: 4, stencil: 1). */
uint32_t vc4vk_format_copy_B(const struct vc4vk_format *format, VkImageAspectFlags aspect);
/* The layout of that texel (Z16_UNORM, Z24X8_LOW, Z32_FLOAT, S8_UINT or the colour format). */
enum hw_format vc4vk_format_copy_layout(const struct vc4vk_format *format, VkImageAspectFlags aspect);

VkFormatFeatureFlags vc4vk_format_optimal_features(const struct vc4vk_format *format);
VkFormatFeatureFlags vc4vk_format_linear_features(const struct vc4vk_format *format);
VkFormatFeatureFlags vc4vk_format_buffer_features(const struct vc4vk_format *format);

/* Whether the mean of each byte of four words is the resolved word, as the tile buffer computes it. */
bool vc4vk_resolves_by_bytes(enum hw_format format);

/* Every row, for tests and tools. */
const struct vc4vk_format *vc4vk_format_table(uint32_t *count_out);

#endif
