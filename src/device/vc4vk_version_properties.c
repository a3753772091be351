/* SPDX-License-Identifier: MIT
 *
 * Property structs of core versions. They repeat the members of other structs, so those are queried and copied. What no
 * other struct has is written here.
 */
#include <string.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_physical_device.h"

struct part {
    VkStructureType type;
    uint32_t from_B, to_B, size_B; /* offsets in the part and in the version's struct, and the size of the range */
};

union any_part {
    VkBaseOutStructure base;
    VkPhysicalDeviceIDProperties id;
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkPhysicalDevicePointClippingProperties clipping;
    VkPhysicalDeviceMultiviewProperties multiview;
    VkPhysicalDeviceProtectedMemoryProperties protected_memory;
    VkPhysicalDeviceMaintenance3Properties maintenance3;
    VkPhysicalDeviceDriverProperties driver;
    VkPhysicalDeviceFloatControlsProperties float_controls;
    VkPhysicalDeviceDescriptorIndexingProperties indexing;
    VkPhysicalDeviceDepthStencilResolveProperties resolve;
    VkPhysicalDeviceSamplerFilterMinmaxProperties minmax;
    VkPhysicalDeviceTimelineSemaphoreProperties timeline;
    VkPhysicalDeviceSubgroupSizeControlProperties subgroup_size;
    VkPhysicalDeviceInlineUniformBlockProperties inline_blocks;
    VkPhysicalDeviceShaderIntegerDotProductProperties dot_products;
    VkPhysicalDeviceTexelBufferAlignmentProperties texel_buffers;
    VkPhysicalDeviceMaintenance4Properties maintenance4;
#ifdef VK_VERSION_1_4
    VkPhysicalDeviceLineRasterizationProperties lines;
    VkPhysicalDeviceVertexAttributeDivisorProperties divisors;
    VkPhysicalDevicePushDescriptorProperties push_descriptors;
    VkPhysicalDeviceMaintenance5Properties maintenance5;
    VkPhysicalDeviceMaintenance6Properties maintenance6;
    VkPhysicalDevicePipelineRobustnessProperties robustness;
#endif
};

#define END_OF(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

/* The members of `part` from `first` to `last`, which the version's struct calls `to` and, for the last, `to_last`. The
 * sum is 0: it divides by 0 at compile time if the two ranges differ in size. */
#define RANGE(version, to, to_last, value, part, first, last)                                                          \
    {                                                                                                                  \
        value, offsetof(part, first), offsetof(version, to),                                                           \
            END_OF(part, last) - offsetof(part, first) +                                                               \
                0 / (END_OF(part, last) - offsetof(part, first) == END_OF(version, to_last) - offsetof(version, to))   \
    }
#define PART(version, value, part, first, last) RANGE(version, first, last, value, part, first, last)

#define V11 VkPhysicalDeviceVulkan11Properties
#define V12 VkPhysicalDeviceVulkan12Properties
#define V13 VkPhysicalDeviceVulkan13Properties

static const struct part parts_1_1[] = {
    PART(V11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, VkPhysicalDeviceIDProperties, deviceUUID,
         deviceLUIDValid),
    RANGE(V11, subgroupSize, subgroupQuadOperationsInAllStages, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
          VkPhysicalDeviceSubgroupProperties, subgroupSize, quadOperationsInAllStages),
    PART(V11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_POINT_CLIPPING_PROPERTIES, VkPhysicalDevicePointClippingProperties,
         pointClippingBehavior, pointClippingBehavior),
    PART(V11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES, VkPhysicalDeviceMultiviewProperties,
         maxMultiviewViewCount, maxMultiviewInstanceIndex),
    PART(V11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_PROPERTIES, VkPhysicalDeviceProtectedMemoryProperties,
         protectedNoFault, protectedNoFault),
    /* In two ranges: the padding between them differs. */
    PART(V11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, VkPhysicalDeviceMaintenance3Properties,
         maxPerSetDescriptors, maxPerSetDescriptors),
    PART(V11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, VkPhysicalDeviceMaintenance3Properties,
         maxMemoryAllocationSize, maxMemoryAllocationSize),
};

static const struct part parts_1_2[] = {
    PART(V12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, VkPhysicalDeviceDriverProperties, driverID,
         conformanceVersion),
    PART(V12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES, VkPhysicalDeviceFloatControlsProperties,
         denormBehaviorIndependence, shaderRoundingModeRTZFloat64),
    PART(V12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES,
         VkPhysicalDeviceDescriptorIndexingProperties, maxUpdateAfterBindDescriptorsInAllPools,
         maxDescriptorSetUpdateAfterBindInputAttachments),
    PART(V12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_STENCIL_RESOLVE_PROPERTIES,
         VkPhysicalDeviceDepthStencilResolveProperties, supportedDepthResolveModes, independentResolve),
    PART(V12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_FILTER_MINMAX_PROPERTIES,
         VkPhysicalDeviceSamplerFilterMinmaxProperties, filterMinmaxSingleComponentFormats,
         filterMinmaxImageComponentMapping),
    PART(V12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_PROPERTIES,
         VkPhysicalDeviceTimelineSemaphoreProperties, maxTimelineSemaphoreValueDifference,
         maxTimelineSemaphoreValueDifference),
};

static const struct part parts_1_3[] = {
    PART(V13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
         VkPhysicalDeviceSubgroupSizeControlProperties, minSubgroupSize, requiredSubgroupSizeStages),
    PART(V13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES,
         VkPhysicalDeviceInlineUniformBlockProperties, maxInlineUniformBlockSize,
         maxDescriptorSetUpdateAfterBindInlineUniformBlocks),
    PART(V13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES,
         VkPhysicalDeviceShaderIntegerDotProductProperties, integerDotProduct8BitUnsignedAccelerated,
         integerDotProductAccumulatingSaturating64BitMixedSignednessAccelerated),
    PART(V13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES,
         VkPhysicalDeviceTexelBufferAlignmentProperties, storageTexelBufferOffsetAlignmentBytes,
         uniformTexelBufferOffsetSingleTexelAlignment),
    PART(V13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, VkPhysicalDeviceMaintenance4Properties,
         maxBufferSize, maxBufferSize),
};

#ifdef VK_VERSION_1_4
#define V14 VkPhysicalDeviceVulkan14Properties
static const struct part parts_1_4[] = {
    PART(V14, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_PROPERTIES,
         VkPhysicalDeviceLineRasterizationProperties, lineSubPixelPrecisionBits, lineSubPixelPrecisionBits),
    PART(V14, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES,
         VkPhysicalDeviceVertexAttributeDivisorProperties, maxVertexAttribDivisor, supportsNonZeroFirstInstance),
    PART(V14, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES, VkPhysicalDevicePushDescriptorProperties,
         maxPushDescriptors, maxPushDescriptors),
    PART(V14, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_PROPERTIES, VkPhysicalDeviceMaintenance5Properties,
         earlyFragmentMultisampleCoverageAfterSampleCounting, nonStrictWideLinesUseParallelogram),
    PART(V14, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_PROPERTIES, VkPhysicalDeviceMaintenance6Properties,
         blockTexelViewCompatibleMultipleLayers, fragmentShadingRateClampCombinerInputs),
    PART(V14, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_PROPERTIES,
         VkPhysicalDevicePipelineRobustnessProperties, defaultRobustnessStorageBuffers, defaultRobustnessImages),
};

/* The layouts are written to arrays of the application, so the struct of the extension names the same arrays. */
static void fill_host_copies(VkPhysicalDevice physical, V14 *to)
{
    VkPhysicalDeviceHostImageCopyFeatures supported = {.sType =
                                                           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES};
    vc4vk_fill_feature_struct((VkBaseOutStructure *)&supported);
    if (!supported.hostImageCopy)
        to->copySrcLayoutCount = to->copyDstLayoutCount = 0;
    VkPhysicalDeviceHostImageCopyProperties from = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES,
        .copySrcLayoutCount = to->copySrcLayoutCount,
        .pCopySrcLayouts = to->pCopySrcLayouts,
        .copyDstLayoutCount = to->copyDstLayoutCount,
        .pCopyDstLayouts = to->pCopyDstLayouts,
    };
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &from};
    vc4vk_GetPhysicalDeviceProperties2KHR(physical, &properties);
    to->copySrcLayoutCount = from.copySrcLayoutCount;
    to->copyDstLayoutCount = from.copyDstLayoutCount;
    memcpy(to->optimalTilingLayoutUUID, from.optimalTilingLayoutUUID, VK_UUID_SIZE);
    to->identicalMemoryTypeRequirements = from.identicalMemoryTypeRequirements;
}
#endif

static void copy_parts(VkPhysicalDevice physical, const struct part *parts, uint32_t count, VkBaseOutStructure *to)
{
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
        union any_part from;
        memset(&from, 0, sizeof from);
        from.base.sType = parts[i].type;
        properties.pNext = &from;
        vc4vk_GetPhysicalDeviceProperties2KHR(physical, &properties);
        memcpy((char *)to + parts[i].to_B, (const char *)&from + parts[i].from_B, parts[i].size_B);
    }
}

void vc4vk_fill_version_properties(VkPhysicalDevice physical, VkBaseOutStructure *s)
{
    switch (s->sType) {
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES:
        copy_parts(physical, parts_1_1, ARRAY_SIZE(parts_1_1), s);
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES:
        copy_parts(physical, parts_1_2, ARRAY_SIZE(parts_1_2), s);
        ((VkPhysicalDeviceVulkan12Properties *)s)->framebufferIntegerColorSampleCounts =
            vc4vk_physical_device_from_handle(physical)->properties.limits.framebufferColorSampleCounts;
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES:
        copy_parts(physical, parts_1_3, ARRAY_SIZE(parts_1_3), s);
        ((VkPhysicalDeviceVulkan13Properties *)s)->maxInlineUniformTotalSize =
            VC4VK_MAX_INLINE_B * VC4VK_MAX_INLINE_BLOCKS;
        break;
#ifdef VK_VERSION_1_4
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES:
        copy_parts(physical, parts_1_4, ARRAY_SIZE(parts_1_4), s);
        ((V14 *)s)->dynamicRenderingLocalReadDepthStencilAttachments = VK_TRUE;
        ((V14 *)s)->dynamicRenderingLocalReadMultisampledAttachments = VK_TRUE;
        fill_host_copies(physical, (V14 *)s);
        break;
#endif
    default:
        break;
    }
}
