/* SPDX-License-Identifier: MIT
 *
 * See vc4vk_image_modifier.h. The chip computes the distance of rows from the width of a job, so it must be whole
 * microtiles; programs that sample the rows take any number of words, in 16 bits.
 */
#include <drm_fourcc.h>
#include <inttypes.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_image_modifier.h"

/* What other devices want of rows: displays 64 bytes, AMD's 256. */
#define OWN_STRIDE_B 256u
#define MAX_STRIDE_B (4u * UINT16_MAX)
#define ALIGN_B      64u /* of planes: that of raster layouts (hw/layout.h) */

static uint32_t plane_count(const struct vc4vk_format *format)
{
    return format->planar ? format->planar->plane_count : 1;
}

/* Bytes of a texel and texels of a row of a plane. */
static uint32_t plane_row(const VkImageCreateInfo *info, uint32_t plane, uint32_t *width_out)
{
    const struct vc4vk_planar *planar = vc4vk_format(info->format)->planar;
    *width_out = plane ? util_div_round_up(info->extent.width, 1u << planar->log2_x) : info->extent.width;
    return hw_format_info(vc4vk_format_hw(planar ? planar->planes[plane] : info->format))->block_B;
}

static VkResult wrong_rows(struct vc4vk_device *device, uint32_t plane, const VkSubresourceLayout *layout,
                           const char *why, uint64_t limit)
{
    return vc4vk_errorf(device, VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT,
                        "image with a DRM format modifier: plane %u at offset %" PRIu64 " with rows of %" PRIu64
                        " B: %s %" PRIu64,
                        plane, layout->offset, layout->rowPitch, why, limit);
}

static VkResult read_plane(struct vc4vk_device *device, const VkImageCreateInfo *info, uint32_t plane,
                           const VkSubresourceLayout *layout, struct vc4vk_image_rows *out)
{
    uint32_t width;
    const uint32_t texel_B = plane_row(info, plane, &width);
    if (layout->rowPitch < (uint64_t)width * texel_B)
        return wrong_rows(device, plane, layout, "a row has", (uint64_t)width * texel_B);
    if (layout->rowPitch > MAX_STRIDE_B)
        return wrong_rows(device, plane, layout, "rows have at most", MAX_STRIDE_B);
    if (layout->rowPitch % hw_raster_step_B(texel_B))
        return wrong_rows(device, plane, layout, "rows must be a multiple of", hw_raster_step_B(texel_B));
    if (layout->offset % ALIGN_B)
        return wrong_rows(device, plane, layout, "the offset must be a multiple of", ALIGN_B);
    if (layout->offset > VC4VK_MAX_IMAGE_B)
        return wrong_rows(device, plane, layout, "the offset must be at most", VC4VK_MAX_IMAGE_B);
    out->offset_B[plane] = layout->offset;
    out->stride_B[plane] = (uint32_t)layout->rowPitch;
    return VK_SUCCESS;
}

static VkResult read_explicit(struct vc4vk_device *device, const VkImageCreateInfo *info,
                              const VkImageDrmFormatModifierExplicitCreateInfoEXT *given, struct vc4vk_image_rows *out)
{
    const uint32_t planes = plane_count(vc4vk_format(info->format));
    VkResult result = VK_SUCCESS;
    if (given->drmFormatModifierPlaneCount != planes)
        return vc4vk_errorf(device, VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT,
                            "image with a DRM format modifier: %u planes, this format has %u",
                            given->drmFormatModifierPlaneCount, planes);
    for (uint32_t i = 0; i < planes && result == VK_SUCCESS; i++)
        result = read_plane(device, info, i, &given->pPlaneLayouts[i], out);
    out->is_explicit = true;
    return result;
}

/* Rows that suit other devices, unless they would be too long. */
static void choose_rows(const VkImageCreateInfo *info, struct vc4vk_image_rows *out)
{
    for (uint32_t i = 0; i < plane_count(vc4vk_format(info->format)); i++) {
        uint32_t width;
        const uint32_t texel_B = plane_row(info, i, &width);
        const uint64_t stride_B = util_align64((uint64_t)width * texel_B, OWN_STRIDE_B);
        out->stride_B[i] = stride_B <= MAX_STRIDE_B ? (uint32_t)stride_B : 0;
    }
}

static bool has_linear(const VkImageDrmFormatModifierListCreateInfoEXT *list)
{
    for (uint32_t i = 0; i < list->drmFormatModifierCount; i++)
        if (list->pDrmFormatModifiers[i] == DRM_FORMAT_MOD_LINEAR)
            return true;
    return false;
}

VkResult vc4vk_image_read_rows(struct vc4vk_device *device, VkImageCreateInfo *info, struct vc4vk_image_rows *out)
{
    const VkImageDrmFormatModifierExplicitCreateInfoEXT *given =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT);
    const VkImageDrmFormatModifierListCreateInfoEXT *list =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT);
    *out = (struct vc4vk_image_rows){0};
    if (info->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
        return VK_SUCCESS;
    info->tiling = VK_IMAGE_TILING_LINEAR;
    if (!(given ? given->drmFormatModifier == DRM_FORMAT_MOD_LINEAR : list && has_linear(list)))
        return vc4vk_errorf(device, VK_ERROR_FORMAT_NOT_SUPPORTED,
                            "image with a DRM format modifier: this device supports DRM_FORMAT_MOD_LINEAR alone");
    if (info->imageType != VK_IMAGE_TYPE_2D || info->mipLevels != 1 || info->arrayLayers != 1)
        return vc4vk_errorf(device, VK_ERROR_FORMAT_NOT_SUPPORTED,
                            "image with a DRM format modifier: it has two dimensions, one level and one layer");
    if (!vc4vk_format(info->format))
        return VK_SUCCESS; /* what all linear images need is checked with them */
    if (given)
        return read_explicit(device, info, given, out);
    choose_rows(info, out);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetImageDrmFormatModifierPropertiesEXT(
    VkDevice device, VkImage image, VkImageDrmFormatModifierPropertiesEXT *pProperties)
{
    pProperties->drmFormatModifier = DRM_FORMAT_MOD_LINEAR;
    return VK_SUCCESS;
}

/* -- queries ------------------------------------------------------------------------------------------------------ */

VkImageTiling vc4vk_tiling_of_query(const VkPhysicalDeviceImageFormatInfo2 *info)
{
    const VkPhysicalDeviceImageDrmFormatModifierInfoEXT *wanted =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT);
    if (info->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
        return info->tiling;
    return wanted && wanted->drmFormatModifier == DRM_FORMAT_MOD_LINEAR ? VK_IMAGE_TILING_LINEAR
                                                                        : VK_IMAGE_TILING_MAX_ENUM;
}

void vc4vk_fill_modifiers(VkFormat format, VkDrmFormatModifierPropertiesListEXT *list)
{
    const struct vc4vk_format *f = vc4vk_format(format);
    const VkFormatFeatureFlags features = f ? vc4vk_format_linear_features(f) : 0;
    const uint32_t count = features != 0;
    if (!list->pDrmFormatModifierProperties) {
        list->drmFormatModifierCount = count;
        return;
    }
    list->drmFormatModifierCount = MIN2(list->drmFormatModifierCount, count);
    if (list->drmFormatModifierCount)
        list->pDrmFormatModifierProperties[0] =
            (VkDrmFormatModifierPropertiesEXT){DRM_FORMAT_MOD_LINEAR, plane_count(f), features};
}

void vc4vk_fill_modifiers2(VkFormat format, VkFormatFeatureFlags2 features, VkDrmFormatModifierPropertiesList2EXT *list)
{
    const uint32_t count = features != 0;
    if (!list->pDrmFormatModifierProperties) {
        list->drmFormatModifierCount = count;
        return;
    }
    list->drmFormatModifierCount = MIN2(list->drmFormatModifierCount, count);
    if (list->drmFormatModifierCount)
        list->pDrmFormatModifierProperties[0] =
            (VkDrmFormatModifierProperties2EXT){DRM_FORMAT_MOD_LINEAR, plane_count(vc4vk_format(format)), features};
}
