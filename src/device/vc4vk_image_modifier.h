/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_image_drm_format_modifier: images that are shared with other drivers, which know their layout.
 *
 * DRM_FORMAT_MOD_LINEAR is the only modifier: such images are linear ones whose rows may be further apart. The T tiles
 * of the chip have a modifier as well, but on the model no other driver of the machine knows it, and between processes
 * of this driver it saves nothing, because the model draws to rows as fast. On the chip the compositor's choice of it
 * is a matter of the swapchain (wsi), which nobody has tried on a board yet.
 */
#ifndef DEVICE_VC4VK_IMAGE_MODIFIER_H
#define DEVICE_VC4VK_IMAGE_MODIFIER_H

#include "device/vc4vk_memory.h"

#define VC4VK_MAX_MEMORY_PLANES 3u

/* Where the planes of an image lie in its memory. */
struct vc4vk_image_rows {
    bool is_explicit;                           /* offset_B is valid */
    uint64_t offset_B[VC4VK_MAX_MEMORY_PLANES]; /* in the memory that the image or, if it is disjoint, the plane is
                                                 * bound to */
    uint32_t stride_B[VC4VK_MAX_MEMORY_PLANES]; /* 0: the smallest */
};

/* Reads what the chain of an image says about its modifier. Other tilings: zeroes `out`. Otherwise changes info's
 * tiling to LINEAR. Errors: VK_ERROR_FORMAT_NOT_SUPPORTED for other modifiers,
 * VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT for rows that the driver cannot use. */
VkResult vc4vk_image_read_rows(struct vc4vk_device *device, VkImageCreateInfo *info, struct vc4vk_image_rows *out);

/* The tiling of images that a query is about: LINEAR for the modifier in its chain; VK_IMAGE_TILING_MAX_ENUM, which no
 * image has, for other modifiers. */
VkImageTiling vc4vk_tiling_of_query(const VkPhysicalDeviceImageFormatInfo2 *info);

/* Fill lists in the chain of VkFormatProperties2. */
void vc4vk_fill_modifiers(VkFormat format, VkDrmFormatModifierPropertiesListEXT *list);
void vc4vk_fill_modifiers2(VkFormat format, VkFormatFeatureFlags2 features,
                           VkDrmFormatModifierPropertiesList2EXT *list);

#endif
