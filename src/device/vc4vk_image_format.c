/* SPDX-License-Identifier: MIT
 *
 * Format queries: which features a format has and which images can be created with it. vc4vk_format.c computes the
 * features.
 */
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_external_memory.h"
#include "device/vc4vk_format.h"
#include "device/vc4vk_image.h"
#include "device/vc4vk_image_modifier.h"
#include "device/vc4vk_sparse.h"
#include "util/macros.h"

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceFormatProperties(VkPhysicalDevice physicalDevice, VkFormat format,
                                                                   VkFormatProperties *pFormatProperties)
{
    const struct vc4vk_format *f = vc4vk_format(format);
    *pFormatProperties = (VkFormatProperties){0};
    if (!f)
        return;
    pFormatProperties->linearTilingFeatures = vc4vk_format_linear_features(f);
    pFormatProperties->optimalTilingFeatures = vc4vk_format_optimal_features(f);
    pFormatProperties->bufferFeatures = vc4vk_format_buffer_features(f);
}

/* The features of VK_KHR_format_feature_flags2: the 32-bit ones, and what they imply here. Programs read the format of
 * storage images and texel buffers from the descriptor, and compare depth after the lookup. */
static VkFormatFeatureFlags2 features2_of(VkFormatFeatureFlags features, VkImageAspectFlags aspects)
{
    const VkFormatFeatureFlags stored =
        VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
    VkFormatFeatureFlags2 features2 = features;
    if (features & stored)
        features2 |=
            VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT | VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT;
    if ((features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) && (aspects & VK_IMAGE_ASPECT_DEPTH_BIT))
        features2 |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT;
#ifdef VK_EXT_host_image_copy /* the CPU makes all copies; where it makes them is the same to it */
    if (features & VK_FORMAT_FEATURE_TRANSFER_DST_BIT)
        features2 |= VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT;
#endif
    return features2;
}

static void fill_modifiers2(VkFormat format, VkFormatFeatureFlags linear, VkDrmFormatModifierPropertiesList2EXT *list)
{
    const struct vc4vk_format *f = vc4vk_format(format);
    vc4vk_fill_modifiers2(format, features2_of(linear, f ? f->aspects : 0), list);
}

static void fill_features2(VkFormat format, const VkFormatProperties *features, VkFormatProperties3 *out)
{
    const struct vc4vk_format *f = vc4vk_format(format);
    const VkImageAspectFlags aspects = f ? f->aspects : 0;
    out->linearTilingFeatures = features2_of(features->linearTilingFeatures, aspects);
    out->optimalTilingFeatures = features2_of(features->optimalTilingFeatures, aspects);
    out->bufferFeatures = features2_of(features->bufferFeatures, aspects);
}

/* Whether the tile buffer's store resolves attachments of the format; else the CPU does. */
static bool is_resolved_in_tiles(VkFormat format)
{
    const struct vc4vk_format *f = vc4vk_format(format);
    return f && (vc4vk_format_optimal_features(f) & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) &&
           vc4vk_resolves_by_bytes(vc4vk_format_storage(f, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT));
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceFormatProperties2KHR(VkPhysicalDevice physicalDevice, VkFormat format,
                                                                       VkFormatProperties2 *pFormatProperties)
{
    vc4vk_GetPhysicalDeviceFormatProperties(physicalDevice, format, &pFormatProperties->formatProperties);
    vc4vk_for_each_in_chain(s, pFormatProperties->pNext)
    {
        if (s->sType == VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3)
            fill_features2(format, &pFormatProperties->formatProperties, (VkFormatProperties3 *)s);
        if (s->sType == VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT)
            vc4vk_fill_modifiers(format, (VkDrmFormatModifierPropertiesListEXT *)s);
        if (s->sType == VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_2_EXT)
            fill_modifiers2(format, pFormatProperties->formatProperties.linearTilingFeatures,
                            (VkDrmFormatModifierPropertiesList2EXT *)s);
        if (s->sType == VK_STRUCTURE_TYPE_SUBPASS_RESOLVE_PERFORMANCE_QUERY_EXT)
            ((VkSubpassResolvePerformanceQueryEXT *)s)->optimal = is_resolved_in_tiles(format);
    }
}

/* -- images ------------------------------------------------------------------------------------------------------- */

/* The format features that a usage requires. */
static VkFormatFeatureFlags usage_features(VkImageUsageFlags usage)
{
    static const struct {
        VkImageUsageFlags usage;
        VkFormatFeatureFlags feature;
    } needs[] = {
        {VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_TRANSFER_SRC_BIT},
        {VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_TRANSFER_DST_BIT},
#ifdef VK_EXT_host_image_copy
        {VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT, VK_FORMAT_FEATURE_TRANSFER_DST_BIT},
#endif
        {VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT},
        {VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT},
        {VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT},
        {VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT},
    };
    VkFormatFeatureFlags features = 0;
    for (uint32_t i = 0; i < ARRAY_SIZE(needs); i++)
        features |= usage & needs[i].usage ? needs[i].feature : 0;
    return features;
}

/* Flags that ask for unsupported features. Unknown flags and usages are ignored (vc4vk_ignored_bits.h). ALIAS needs no
 * work: images created with the same parameters have the same layout. Texels that lie together in an image do not do so
 * in memory, so no block of an image can be bound alone (SPARSE_RESIDENCY). */
static const VkImageCreateFlags refused_flags = VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_PROTECTED_BIT;

static VkFormatFeatureFlags features_of(const struct vc4vk_format *format, VkImageTiling tiling)
{
    return tiling == VK_IMAGE_TILING_OPTIMAL ? vc4vk_format_optimal_features(format)
                                             : vc4vk_format_linear_features(format);
}

/* The union of features over all formats that a view of the image may have: formats of the same texel size that are
 * compressed, to blocks of the same size, exactly when the image is. With `of_blocks`, uncompressed views of compressed
 * blocks count as well. */
static VkFormatFeatureFlags features_of_views(const struct vc4vk_format *format, VkImageTiling tiling, bool of_blocks)
{
    uint32_t count;
    const struct vc4vk_format *table = vc4vk_format_table(&count);
    VkFormatFeatureFlags features = 0;
    for (uint32_t i = 0; i < count; i++)
        if (table[i].name && table[i].aspects == format->aspects &&
            hw_format_info(table[i].hw)->block_B == hw_format_info(format->hw)->block_B &&
            (of_blocks || hw_format_has_block_size_of(table[i].hw, format->hw)))
            features |= features_of(&table[i], tiling);
    return features;
}

/* The same for views of single planes of a planar image: what a view of any plane can be used for, the image can. */
static VkFormatFeatureFlags features_of_plane_views(const struct vc4vk_planar *planar, VkImageTiling tiling)
{
    VkFormatFeatureFlags features = 0;
    for (uint32_t i = 0; i < planar->plane_count; i++)
        features |= features_of_views(vc4vk_format(planar->planes[i]), tiling, false);
    return features;
}

/* NULL when such planar images are supported, else the reason. */
static const char *check_planar(const struct vc4vk_image_query *q)
{
    if (q->type != VK_IMAGE_TYPE_2D)
        return "1D and 3D images of planar formats are not supported";
    if (q->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT)
        return "cube images of planar formats are not supported";
    return NULL;
}

#define RENDERED (VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)

/* NULL when such images are supported, else the reason. */
static const char *check_image(const struct vc4vk_image_query *q, const struct vc4vk_format *format)
{
    if (!format)
        return "unknown format";
    VkFormatFeatureFlags features = features_of(format, q->tiling);
    if ((uint32_t)q->type > VK_IMAGE_TYPE_3D)
        return "unknown type";
    if (q->tiling != VK_IMAGE_TILING_OPTIMAL && q->tiling != VK_IMAGE_TILING_LINEAR)
        return "unknown tiling";
    if (!features)
        return "the format has no features in this tiling";
    if (q->flags & refused_flags)
        return "neither images with sparse residency nor protected images are supported";
    if ((q->flags & VC4VK_SPARSE_IMAGE_FLAGS) && !q->has_sparse)
        return "sparse images need the feature sparseBinding";
    if ((q->flags & VC4VK_SPARSE_IMAGE_FLAGS) && (q->flags & VK_IMAGE_CREATE_DISJOINT_BIT))
        return "sparse images cannot be bound plane by plane (DISJOINT)";
    /* A single-plane image may be created with DISJOINT when it aliases a plane of a planar image. */
    if ((q->flags & VK_IMAGE_CREATE_DISJOINT_BIT) && !format->planar && !(q->flags & VK_IMAGE_CREATE_ALIAS_BIT))
        return "only planar formats can be bound plane by plane (DISJOINT)";
    if ((q->flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT) && (q->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) &&
        format->aspects == VK_IMAGE_ASPECT_COLOR_BIT)
        features |= format->planar ? features_of_plane_views(format->planar, q->tiling)
                                   : features_of_views(format, q->tiling,
                                                       q->flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT);
    if ((usage_features(q->usage) & features) != usage_features(q->usage))
        return "the format does not support this usage";
    if ((q->flags & VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT) &&
        !(q->type == VK_IMAGE_TYPE_2D && (features & RENDERED)))
        return "only 2D images of formats for attachments can be drawn to with several samples";
    if (format->planar)
        return check_planar(q);
    if ((q->flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) && hw_format_info(format->hw)->block_w == 1)
        return "views of compressed blocks need a compressed format";
    if (q->type == VK_IMAGE_TYPE_3D && (format->aspects & ~VK_IMAGE_ASPECT_COLOR_BIT))
        return "3D images of depth formats are not supported";
    if (q->type == VK_IMAGE_TYPE_1D && hw_format_info(format->hw)->block_w > 1)
        return "1D images of compressed formats are not supported";
    return NULL;
}

/* Multisampling happens in the tile buffer, so only 2D images that can be attachments may have four samples. */
static VkSampleCountFlags sample_counts(const struct vc4vk_image_query *q, const struct vc4vk_format *format)
{
    const bool is_rendered = q->tiling == VK_IMAGE_TILING_OPTIMAL && q->type == VK_IMAGE_TYPE_2D &&
                             (features_of(format, q->tiling) & RENDERED) &&
                             !(q->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) && !format->planar;
    return VK_SAMPLE_COUNT_1_BIT | (is_rendered ? VK_SAMPLE_COUNT_4_BIT : 0u);
}

VkImageUsageFlags vc4vk_stencil_usage(const void *chain)
{
    const VkImageStencilUsageCreateInfo *stencil =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO);
    return stencil ? stencil->stencilUsage : 0;
}

VkResult vc4vk_image_limits(const struct vc4vk_image_query *query, VkImageFormatProperties *out, const char **why_out)
{
    const struct vc4vk_format *format = vc4vk_format(query->format);
    const char *why = check_image(query, format);
    *out = (VkImageFormatProperties){0};
    *why_out = why;
    if (why)
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    bool linear = query->tiling == VK_IMAGE_TILING_LINEAR, is_3d = query->type == VK_IMAGE_TYPE_3D;
    uint32_t most_px = is_3d ? VC4VK_MAX_3D_PX : VC4VK_MAX_DIRECT_PX;
    if (linear && !is_3d && hw_format_info(format->hw)->block_B > 8)
        most_px /= 2; /* hw_view_descriptor counts the words of a row in 16 bits */
    out->maxExtent = (VkExtent3D){most_px, query->type == VK_IMAGE_TYPE_1D ? 1 : most_px, is_3d ? most_px : 1};
    out->maxMipLevels = format->planar ? 1 : util_log2(most_px) + 1;
    out->maxArrayLayers = is_3d ? 1 : VC4VK_MAX_LAYERS;
    out->sampleCounts = sample_counts(query, format);
    out->maxResourceSize = VC4VK_MAX_IMAGE_B;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceImageFormatProperties(
    VkPhysicalDevice physicalDevice, VkFormat format, VkImageType type, VkImageTiling tiling, VkImageUsageFlags usage,
    VkImageCreateFlags flags, VkImageFormatProperties *pImageFormatProperties)
{
    const char *why;
    const bool has_sparse = vc4vk_physical_device_from_handle(physicalDevice)->features.sparseBinding;
    return vc4vk_image_limits(&(struct vc4vk_image_query){format, type, tiling, usage, flags, has_sparse},
                              pImageFormatProperties, &why);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceImageFormatProperties2KHR(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceImageFormatInfo2 *pImageFormatInfo,
    VkImageFormatProperties2 *pImageFormatProperties)
{
    const VkPhysicalDeviceExternalImageFormatInfo *external =
        vc4vk_find_in_chain(pImageFormatInfo->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);
    const VkImageTiling tiling = vc4vk_tiling_of_query(pImageFormatInfo);
    VkExternalMemoryProperties sharing = {0};
    if (external && external->handleType) {
        vc4vk_external_memory_properties(vc4vk_physical_device_from_handle(physicalDevice), external->handleType,
                                         &sharing);
        /* The importer of a dma-buf expects rows; it does not know this driver's tiled layouts. */
        if (external->handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT && tiling != VK_IMAGE_TILING_LINEAR)
            sharing = (VkExternalMemoryProperties){0};
        if (external->handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT &&
            (pImageFormatInfo->flags & VC4VK_SPARSE_IMAGE_FLAGS))
            sharing = (VkExternalMemoryProperties){0};
        if (!sharing.externalMemoryFeatures) {
            pImageFormatProperties->imageFormatProperties = (VkImageFormatProperties){0};
            return VK_ERROR_FORMAT_NOT_SUPPORTED;
        }
    }
    vc4vk_for_each_in_chain(s, pImageFormatProperties->pNext)
    {
#ifdef VK_EXT_host_image_copy /* the usage changes no layout */
        if (s->sType == VK_STRUCTURE_TYPE_HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY_EXT) {
            ((VkHostImageCopyDevicePerformanceQueryEXT *)s)->optimalDeviceAccess = VK_TRUE;
            ((VkHostImageCopyDevicePerformanceQueryEXT *)s)->identicalMemoryLayout = VK_TRUE;
        }
#endif
        if (s->sType == VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT)
            vc4vk_fill_compression((VkImageCompressionPropertiesEXT *)s);
        if (s->sType == VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES)
            ((VkExternalImageFormatProperties *)s)->externalMemoryProperties = sharing;
        if (s->sType == VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES)
            ((VkSamplerYcbcrConversionImageFormatProperties *)s)->combinedImageSamplerDescriptorCount =
                VC4VK_YCBCR_DESCRIPTORS;
    }
    VkImageFormatProperties *const limits = &pImageFormatProperties->imageFormatProperties;
    const bool has_modifier = pImageFormatInfo->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    if (has_modifier && pImageFormatInfo->type != VK_IMAGE_TYPE_2D) {
        *limits = (VkImageFormatProperties){0};
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    }
    const VkResult result = vc4vk_GetPhysicalDeviceImageFormatProperties(
        physicalDevice, pImageFormatInfo->format, pImageFormatInfo->type, tiling,
        pImageFormatInfo->usage | vc4vk_stencil_usage(pImageFormatInfo->pNext), pImageFormatInfo->flags, limits);
    if (has_modifier && result == VK_SUCCESS)
        limits->maxMipLevels = limits->maxArrayLayers = 1; /* others would have to know the offset of each */
    return result;
}

/* -- images with sparse residency: there are none ----------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceSparseImageFormatProperties(
    VkPhysicalDevice physicalDevice, VkFormat format, VkImageType type, VkSampleCountFlagBits samples,
    VkImageUsageFlags usage, VkImageTiling tiling, uint32_t *pPropertyCount, VkSparseImageFormatProperties *pProperties)
{
    *pPropertyCount = 0;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceSparseImageFormatProperties2KHR(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceSparseImageFormatInfo2 *pFormatInfo,
    uint32_t *pPropertyCount, VkSparseImageFormatProperties2 *pProperties)
{
    *pPropertyCount = 0;
}
