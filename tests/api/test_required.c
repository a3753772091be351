/* SPDX-License-Identifier: MIT
 *
 * What the specification demands of every implementation of Vulkan 1.3: features, limits and formats, as its chapters
 * "Feature Requirements", "Required Limits" and "Required Format Support" list them. Each case names everything that is
 * missing.
 */
#include <stdio.h>
#include <string.h>
#include "vkt.h"
#include "core_broadcast.comp.h"

static uint32_t missing;

static void expect(bool is_met, const char *what)
{
    if (is_met)
        return;
    printf("# missing: %s\n", what);
    missing++;
}

static void start(void)
{
    missing = 0;
}

static void finish(void)
{
    if (missing)
        fail_msg("%u requirements are not met", missing);
}

/* ---------------------------------------------------------------- features */

#define REQUIRED(s, feature) expect((s).feature == VK_TRUE, #feature)

static void features(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceVulkan13Features v13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            .pNext = &v13};
    VkPhysicalDeviceVulkan11Features v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                            .pNext = &v12};
    VkPhysicalDeviceFeatures2 core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &v11};
    vkGetPhysicalDeviceFeatures2(t->physical, &core);
    const VkPhysicalDeviceFeatures *f = &core.features;
    start();
    /* 1.0: one of the families of compressed formats */
    REQUIRED(*f, robustBufferAccess);
    expect(f->textureCompressionBC || f->textureCompressionETC2 || f->textureCompressionASTC_LDR,
           "textureCompression*");
    /* 1.1 */
    REQUIRED(v11, multiview);
    REQUIRED(v11, storageBuffer16BitAccess); /* with uniformAndStorageBuffer16BitAccess */
    /* 1.2 */
    REQUIRED(v12, imagelessFramebuffer);
    REQUIRED(v12, uniformBufferStandardLayout);
    REQUIRED(v12, shaderSubgroupExtendedTypes);
    REQUIRED(v12, separateDepthStencilLayouts);
    REQUIRED(v12, hostQueryReset);
    REQUIRED(v12, timelineSemaphore);
    REQUIRED(v12, subgroupBroadcastDynamicId);
    REQUIRED(v12, samplerMirrorClampToEdge); /* these with their extensions */
    REQUIRED(v12, drawIndirectCount);
    REQUIRED(v12, storageBuffer8BitAccess);
    /* 1.2, with descriptorIndexing */
    REQUIRED(v12, descriptorIndexing);
    REQUIRED(*f, shaderSampledImageArrayDynamicIndexing);
    REQUIRED(*f, shaderStorageBufferArrayDynamicIndexing);
    REQUIRED(v12, shaderUniformTexelBufferArrayDynamicIndexing);
    REQUIRED(v12, shaderStorageTexelBufferArrayDynamicIndexing);
    REQUIRED(v12, shaderSampledImageArrayNonUniformIndexing);
    REQUIRED(v12, shaderStorageBufferArrayNonUniformIndexing);
    REQUIRED(v12, shaderUniformTexelBufferArrayNonUniformIndexing);
    REQUIRED(v12, descriptorBindingSampledImageUpdateAfterBind);
    REQUIRED(v12, descriptorBindingStorageImageUpdateAfterBind);
    REQUIRED(v12, descriptorBindingStorageBufferUpdateAfterBind);
    REQUIRED(v12, descriptorBindingUniformTexelBufferUpdateAfterBind);
    REQUIRED(v12, descriptorBindingStorageTexelBufferUpdateAfterBind);
    REQUIRED(v12, descriptorBindingUpdateUnusedWhilePending);
    REQUIRED(v12, descriptorBindingPartiallyBound);
    REQUIRED(v12, runtimeDescriptorArray);
    /* 1.3 */
    REQUIRED(v12, vulkanMemoryModel);
    REQUIRED(v12, vulkanMemoryModelDeviceScope);
    REQUIRED(v12, bufferDeviceAddress);
    REQUIRED(v13, robustImageAccess);
    REQUIRED(v13, inlineUniformBlock);
    REQUIRED(v13, descriptorBindingInlineUniformBlockUpdateAfterBind);
    REQUIRED(v13, pipelineCreationCacheControl);
    REQUIRED(v13, privateData);
    REQUIRED(v13, shaderDemoteToHelperInvocation);
    REQUIRED(v13, shaderTerminateInvocation);
    REQUIRED(v13, subgroupSizeControl);
    REQUIRED(v13, computeFullSubgroups);
    REQUIRED(v13, synchronization2);
    REQUIRED(v13, shaderZeroInitializeWorkgroupMemory);
    REQUIRED(v13, dynamicRendering);
    REQUIRED(v13, shaderIntegerDotProduct);
    REQUIRED(v13, maintenance4);
    finish();
}

/* ---------------------------------------------------------------- limits */

/* For limits that are a minimum, a maximum, or a set of bits. */
#define MIN(member, value)  expect((s).member >= (value), #member)
#define MAX(member, value)  expect((s).member <= (value), #member)
#define BITS(member, value) expect(((s).member & (value)) == (value), #member)
#define TWO_COUNTS          (VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT)

static void image_and_descriptor_limits(void **state)
{
    const VkPhysicalDeviceLimits s = vkt_device(VKT_TESTED)->properties.limits;
    start();
    MIN(maxImageDimension1D, 4096);
    MIN(maxImageDimension2D, 4096);
    MIN(maxImageDimension3D, 256);
    MIN(maxImageDimensionCube, 4096);
    MIN(maxImageArrayLayers, 256);
    MIN(maxTexelBufferElements, 65536);
    MIN(maxUniformBufferRange, 16384);
    MIN(maxStorageBufferRange, 1u << 27);
    MIN(maxPushConstantsSize, 128);
    MIN(maxMemoryAllocationCount, 4096);
    MIN(maxSamplerAllocationCount, 4000);
    MAX(bufferImageGranularity, 131072);
    MIN(maxBoundDescriptorSets, 4);
    MIN(maxPerStageDescriptorSamplers, 16);
    MIN(maxPerStageDescriptorUniformBuffers, 12);
    MIN(maxPerStageDescriptorStorageBuffers, 4);
    MIN(maxPerStageDescriptorSampledImages, 16);
    MIN(maxPerStageDescriptorStorageImages, 4);
    MIN(maxPerStageDescriptorInputAttachments, 4);
    /* The sum of its descriptors and of the colour attachments, or 128 */
    const uint32_t sum = s.maxPerStageDescriptorUniformBuffers + s.maxPerStageDescriptorStorageBuffers +
                         s.maxPerStageDescriptorSampledImages + s.maxPerStageDescriptorStorageImages +
                         s.maxPerStageDescriptorInputAttachments + s.maxColorAttachments;
    MIN(maxPerStageResources, sum < 128 ? sum : 128);
    MIN(maxDescriptorSetSamplers, 96);
    MIN(maxDescriptorSetUniformBuffers, 72);
    MIN(maxDescriptorSetUniformBuffersDynamic, 8);
    MIN(maxDescriptorSetStorageBuffers, 24);
    MIN(maxDescriptorSetStorageBuffersDynamic, 4);
    MIN(maxDescriptorSetSampledImages, 96);
    MIN(maxDescriptorSetStorageImages, 24);
    MIN(maxDescriptorSetInputAttachments, 4);
    BITS(sampledImageColorSampleCounts, TWO_COUNTS);
    BITS(sampledImageIntegerSampleCounts, VK_SAMPLE_COUNT_1_BIT);
    BITS(sampledImageDepthSampleCounts, TWO_COUNTS);
    BITS(sampledImageStencilSampleCounts, TWO_COUNTS);
    BITS(storageImageSampleCounts, TWO_COUNTS); /* with shaderStorageImageMultisample */
    MIN(maxSampleMaskWords, 1);
    MIN(maxSamplerLodBias, 2);
    MIN(maxSamplerAnisotropy, 16); /* with samplerAnisotropy */
    MAX(minTexelOffset, -8);
    MIN(maxTexelOffset, 7);
    MAX(minTexelGatherOffset, -8); /* these with shaderImageGatherExtended */
    MIN(maxTexelGatherOffset, 7);
    MIN(subTexelPrecisionBits, 4);
    MIN(mipmapPrecisionBits, 4);
    finish();
}

static void draw_and_compute_limits(void **state)
{
    const VkPhysicalDeviceLimits s = vkt_device(VKT_TESTED)->properties.limits;
    start();
    MIN(maxVertexInputAttributes, 16);
    MIN(maxVertexInputBindings, 16);
    MIN(maxVertexInputAttributeOffset, 2047);
    MIN(maxVertexInputBindingStride, 2048);
    MIN(maxVertexOutputComponents, 64);
    MIN(maxFragmentInputComponents, 64);
    MIN(maxFragmentOutputAttachments, 4);
    MIN(maxFragmentDualSrcAttachments, 1); /* with dualSrcBlend */
    MIN(maxFragmentCombinedOutputResources, 4);
    MIN(maxComputeSharedMemorySize, 16384);
    for (uint32_t i = 0; i < 3; i++) {
        MIN(maxComputeWorkGroupCount[i], 65535);
        MIN(maxComputeWorkGroupSize[i], i < 2 ? 128 : 64);
    }
    MIN(maxComputeWorkGroupInvocations, 128);
    MIN(subPixelPrecisionBits, 4);
    MIN(maxDrawIndexedIndexValue, UINT32_MAX); /* with fullDrawIndexUint32 */
    MIN(maxDrawIndirectCount, 65535);          /* with multiDrawIndirect */
    MIN(maxViewports, 1);
    MIN(maxViewportDimensions[0], 4096);
    MIN(maxViewportDimensions[1], 4096);
    MAX(viewportBoundsRange[0], -8192);
    MIN(viewportBoundsRange[1], 8191);
    MIN(minMemoryMapAlignment, 64);
    MAX(minTexelBufferOffsetAlignment, 256);
    MAX(minUniformBufferOffsetAlignment, 256);
    MAX(minStorageBufferOffsetAlignment, 256);
    MAX(minInterpolationOffset, -0.5f); /* these with sampleRateShading */
    MIN(maxInterpolationOffset, 0.5f - 1.0f / (1 << s.subPixelInterpolationOffsetBits));
    MIN(subPixelInterpolationOffsetBits, 4);
    MIN(maxFramebufferWidth, 4096);
    MIN(maxFramebufferHeight, 4096);
    MIN(maxFramebufferLayers, 256);
    BITS(framebufferColorSampleCounts, TWO_COUNTS);
    BITS(framebufferDepthSampleCounts, TWO_COUNTS);
    BITS(framebufferStencilSampleCounts, TWO_COUNTS);
    BITS(framebufferNoAttachmentsSampleCounts, TWO_COUNTS);
    MIN(maxColorAttachments, 4);
    MIN(maxClipDistances, 8); /* with shaderClipDistance, shaderCullDistance */
    MIN(maxCullDistances, 8);
    MIN(maxCombinedClipAndCullDistances, 8);
    MIN(discreteQueuePriorities, 2);
    MAX(pointSizeRange[0], 1); /* with largePoints */
    MIN(pointSizeRange[1], 64 - s.pointSizeGranularity);
    MAX(pointSizeGranularity, 1);
    MAX(lineWidthRange[0], 1); /* with wideLines */
    MIN(lineWidthRange[1], 8 - s.lineWidthGranularity);
    MAX(lineWidthGranularity, 1);
    MAX(nonCoherentAtomSize, 256);
    finish();
}

static void limits_of_1_1_to_1_3(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceVulkan13Properties v13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceVulkan12Properties v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
                                              .pNext = &v13};
    VkPhysicalDeviceVulkan11Properties v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                              .pNext = &v12};
    VkPhysicalDeviceProperties2 core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &v11};
    vkGetPhysicalDeviceProperties2(t->physical, &core);
    start();
#define s v11
    MIN(subgroupSize, 1);
    BITS(subgroupSupportedStages, VK_SHADER_STAGE_COMPUTE_BIT);
    BITS(subgroupSupportedOperations, VK_SUBGROUP_FEATURE_BASIC_BIT);
    MIN(maxMultiviewViewCount, 6);
    MIN(maxMultiviewInstanceIndex, (1u << 27) - 1);
    MIN(maxPerSetDescriptors, 1024);
    MIN(maxMemoryAllocationSize, 1u << 30);
#undef s
#define s v12
    BITS(framebufferIntegerColorSampleCounts, VK_SAMPLE_COUNT_1_BIT);
    MIN(maxTimelineSemaphoreValueDifference, (1u << 31) - 1);
    BITS(supportedDepthResolveModes, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT);
    BITS(supportedStencilResolveModes, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT);
    MIN(maxUpdateAfterBindDescriptorsInAllPools, 500000);
    MIN(maxPerStageDescriptorUpdateAfterBindSamplers, 500000);
    MIN(maxPerStageDescriptorUpdateAfterBindUniformBuffers, 12);
    MIN(maxPerStageDescriptorUpdateAfterBindStorageBuffers, 500000);
    MIN(maxPerStageDescriptorUpdateAfterBindSampledImages, 500000);
    MIN(maxPerStageDescriptorUpdateAfterBindStorageImages, 500000);
    MIN(maxPerStageDescriptorUpdateAfterBindInputAttachments, 4);
    MIN(maxPerStageUpdateAfterBindResources, 500000);
    MIN(maxDescriptorSetUpdateAfterBindSamplers, 500000);
    MIN(maxDescriptorSetUpdateAfterBindUniformBuffers, 72);
    MIN(maxDescriptorSetUpdateAfterBindUniformBuffersDynamic, 8);
    MIN(maxDescriptorSetUpdateAfterBindStorageBuffers, 500000);
    MIN(maxDescriptorSetUpdateAfterBindStorageBuffersDynamic, 4);
    MIN(maxDescriptorSetUpdateAfterBindSampledImages, 500000);
    MIN(maxDescriptorSetUpdateAfterBindStorageImages, 500000);
    MIN(maxDescriptorSetUpdateAfterBindInputAttachments, 4);
#undef s
#define s v13
    expect(v13.minSubgroupSize >= 1 && v13.minSubgroupSize <= v11.subgroupSize, "minSubgroupSize");
    MIN(maxSubgroupSize, v11.subgroupSize);
    MIN(maxComputeWorkgroupSubgroups, 1);
    MIN(maxInlineUniformBlockSize, 256);
    MIN(maxPerStageDescriptorInlineUniformBlocks, 4);
    MIN(maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks, 4);
    MIN(maxDescriptorSetInlineUniformBlocks, 4);
    MIN(maxDescriptorSetUpdateAfterBindInlineUniformBlocks, 4);
    MIN(maxInlineUniformTotalSize, 256);
    MIN(maxBufferSize, 1u << 30);
    expect(v13.storageTexelBufferOffsetAlignmentBytes <= core.properties.limits.minTexelBufferOffsetAlignment,
           "storageTexelBufferOffsetAlignmentBytes");
    expect(v13.uniformTexelBufferOffsetAlignmentBytes <= core.properties.limits.minTexelBufferOffsetAlignment,
           "uniformTexelBufferOffsetAlignmentBytes");
#undef s
    finish();
}

/* ---------------------------------------------------------------- formats */

struct required_format {
    VkFormat format;
    const char *features; /* letters of the table below */
};

static const struct {
    char letter;
    bool in_buffers;
    VkFormatFeatureFlagBits2 bit;
    const char *name;
} letters[] = {
    {'S', false, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT, "sampled"},
    {'B', false, VK_FORMAT_FEATURE_2_BLIT_SRC_BIT, "source of blits"},
    {'L', false, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT, "linear filter"},
    {'T', false, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT, "storage image"}, /* some: extended formats */
    {'A', false, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT, "atomics of images"},
    {'C', false, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT, "colour attachment"},
    {'D', false, VK_FORMAT_FEATURE_2_BLIT_DST_BIT, "destination of blits"},
    {'N', false, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT, "blending"},
    {'V', true, VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT, "vertex buffer"},
    {'U', true, VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT, "uniform texel buffer"},
    {'X', true, VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT, "storage texel buffer"},
    {'Y', true, VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT, "atomics of texel buffers"},
};

/* clang-format off */
static const struct required_format formats[] = {
    {VK_FORMAT_B4G4R4A4_UNORM_PACK16, "SBL"},
    {VK_FORMAT_R5G6B5_UNORM_PACK16, "SBLCDN"},
    {VK_FORMAT_A1R5G5B5_UNORM_PACK16, "SBLCDN"},
    {VK_FORMAT_A4R4G4B4_UNORM_PACK16, "SBL"},
    {VK_FORMAT_A4B4G4R4_UNORM_PACK16, "SBL"},
    {VK_FORMAT_R8_UNORM, "SBLTCDNVU"},
    {VK_FORMAT_R8_SNORM, "SBLTVU"},
    {VK_FORMAT_R8_UINT, "SBTCDVU"},
    {VK_FORMAT_R8_SINT, "SBTCDVU"},
    {VK_FORMAT_R8G8_UNORM, "SBLTCDNVU"},
    {VK_FORMAT_R8G8_SNORM, "SBLTVU"},
    {VK_FORMAT_R8G8_UINT, "SBTCDVU"},
    {VK_FORMAT_R8G8_SINT, "SBTCDVU"},
    {VK_FORMAT_R8G8B8A8_UNORM, "SBLTCDNVUX"},
    {VK_FORMAT_R8G8B8A8_SNORM, "SBLTVUX"},
    {VK_FORMAT_R8G8B8A8_UINT, "SBTCDVUX"},
    {VK_FORMAT_R8G8B8A8_SINT, "SBTCDVUX"},
    {VK_FORMAT_R8G8B8A8_SRGB, "SBLCDN"},
    {VK_FORMAT_B8G8R8A8_UNORM, "SBLCDNVU"},
    {VK_FORMAT_B8G8R8A8_SRGB, "SBLCDN"},
    {VK_FORMAT_A8B8G8R8_UNORM_PACK32, "SBLCDNVUX"},
    {VK_FORMAT_A8B8G8R8_SNORM_PACK32, "SBLVUX"},
    {VK_FORMAT_A8B8G8R8_UINT_PACK32, "SBCDVUX"},
    {VK_FORMAT_A8B8G8R8_SINT_PACK32, "SBCDVUX"},
    {VK_FORMAT_A8B8G8R8_SRGB_PACK32, "SBLCDN"},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, "SBLTCDNVU"},
    {VK_FORMAT_A2B10G10R10_UINT_PACK32, "SBTCDU"},
    {VK_FORMAT_R16_UNORM, "TV"},
    {VK_FORMAT_R16_SNORM, "TV"},
    {VK_FORMAT_R16_UINT, "SBTCDVU"},
    {VK_FORMAT_R16_SINT, "SBTCDVU"},
    {VK_FORMAT_R16_SFLOAT, "SBLTCDNVU"},
    {VK_FORMAT_R16G16_UNORM, "TV"},
    {VK_FORMAT_R16G16_SNORM, "TV"},
    {VK_FORMAT_R16G16_UINT, "SBTCDVU"},
    {VK_FORMAT_R16G16_SINT, "SBTCDVU"},
    {VK_FORMAT_R16G16_SFLOAT, "SBLTCDNVU"},
    {VK_FORMAT_R16G16B16A16_UNORM, "TV"},
    {VK_FORMAT_R16G16B16A16_SNORM, "TV"},
    {VK_FORMAT_R16G16B16A16_UINT, "SBTCDVUX"},
    {VK_FORMAT_R16G16B16A16_SINT, "SBTCDVUX"},
    {VK_FORMAT_R16G16B16A16_SFLOAT, "SBLTCDNVUX"},
    {VK_FORMAT_R32_UINT, "SBTACDVUXY"},
    {VK_FORMAT_R32_SINT, "SBTACDVUXY"},
    {VK_FORMAT_R32_SFLOAT, "SBTACDVUX"},
    {VK_FORMAT_R32G32_UINT, "SBTCDVUX"},
    {VK_FORMAT_R32G32_SINT, "SBTCDVUX"},
    {VK_FORMAT_R32G32_SFLOAT, "SBTCDVUX"},
    {VK_FORMAT_R32G32B32_UINT, "V"},
    {VK_FORMAT_R32G32B32_SINT, "V"},
    {VK_FORMAT_R32G32B32_SFLOAT, "V"},
    {VK_FORMAT_R32G32B32A32_UINT, "SBTCDVUX"},
    {VK_FORMAT_R32G32B32A32_SINT, "SBTCDVUX"},
    {VK_FORMAT_R32G32B32A32_SFLOAT, "SBTCDVUX"},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, "SBLTU"},
    {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, "SBL"},
};
/* clang-format on */

static const VkFormat bc_formats[] = {
    VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_FORMAT_BC1_RGB_SRGB_BLOCK, VK_FORMAT_BC1_RGBA_UNORM_BLOCK,
    VK_FORMAT_BC1_RGBA_SRGB_BLOCK, VK_FORMAT_BC2_UNORM_BLOCK,    VK_FORMAT_BC2_SRGB_BLOCK,
    VK_FORMAT_BC3_UNORM_BLOCK,     VK_FORMAT_BC3_SRGB_BLOCK,     VK_FORMAT_BC4_UNORM_BLOCK,
    VK_FORMAT_BC4_SNORM_BLOCK,     VK_FORMAT_BC5_UNORM_BLOCK,    VK_FORMAT_BC5_SNORM_BLOCK,
    VK_FORMAT_BC6H_UFLOAT_BLOCK,   VK_FORMAT_BC6H_SFLOAT_BLOCK,  VK_FORMAT_BC7_UNORM_BLOCK,
    VK_FORMAT_BC7_SRGB_BLOCK,
};

static const VkFormat etc2_formats[] = {
    VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK,  VK_FORMAT_ETC2_R8G8B8_SRGB_BLOCK,    VK_FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK,
    VK_FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK, VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, VK_FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK,
    VK_FORMAT_EAC_R11_UNORM_BLOCK,      VK_FORMAT_EAC_R11_SNORM_BLOCK,       VK_FORMAT_EAC_R11G11_UNORM_BLOCK,
    VK_FORMAT_EAC_R11G11_SNORM_BLOCK,
};

static const VkFormat astc_formats[] = {
    VK_FORMAT_ASTC_4x4_UNORM_BLOCK,   VK_FORMAT_ASTC_4x4_SRGB_BLOCK,    VK_FORMAT_ASTC_5x4_UNORM_BLOCK,
    VK_FORMAT_ASTC_5x4_SRGB_BLOCK,    VK_FORMAT_ASTC_5x5_UNORM_BLOCK,   VK_FORMAT_ASTC_5x5_SRGB_BLOCK,
    VK_FORMAT_ASTC_6x5_UNORM_BLOCK,   VK_FORMAT_ASTC_6x5_SRGB_BLOCK,    VK_FORMAT_ASTC_6x6_UNORM_BLOCK,
    VK_FORMAT_ASTC_6x6_SRGB_BLOCK,    VK_FORMAT_ASTC_8x5_UNORM_BLOCK,   VK_FORMAT_ASTC_8x5_SRGB_BLOCK,
    VK_FORMAT_ASTC_8x6_UNORM_BLOCK,   VK_FORMAT_ASTC_8x6_SRGB_BLOCK,    VK_FORMAT_ASTC_8x8_UNORM_BLOCK,
    VK_FORMAT_ASTC_8x8_SRGB_BLOCK,    VK_FORMAT_ASTC_10x5_UNORM_BLOCK,  VK_FORMAT_ASTC_10x5_SRGB_BLOCK,
    VK_FORMAT_ASTC_10x6_UNORM_BLOCK,  VK_FORMAT_ASTC_10x6_SRGB_BLOCK,   VK_FORMAT_ASTC_10x8_UNORM_BLOCK,
    VK_FORMAT_ASTC_10x8_SRGB_BLOCK,   VK_FORMAT_ASTC_10x10_UNORM_BLOCK, VK_FORMAT_ASTC_10x10_SRGB_BLOCK,
    VK_FORMAT_ASTC_12x10_UNORM_BLOCK, VK_FORMAT_ASTC_12x10_SRGB_BLOCK,  VK_FORMAT_ASTC_12x12_UNORM_BLOCK,
    VK_FORMAT_ASTC_12x12_SRGB_BLOCK,
};

static const VkFormat without_format[] = {
    /* formats of storage images whose format shaders need not name */
    VK_FORMAT_R8G8B8A8_UNORM,
    VK_FORMAT_R8G8B8A8_SNORM,
    VK_FORMAT_R8G8B8A8_UINT,
    VK_FORMAT_R8G8B8A8_SINT,
    VK_FORMAT_R32_UINT,
    VK_FORMAT_R32_SINT,
    VK_FORMAT_R32_SFLOAT,
    VK_FORMAT_R32G32_UINT,
    VK_FORMAT_R32G32_SINT,
    VK_FORMAT_R32G32_SFLOAT,
    VK_FORMAT_R32G32B32A32_UINT,
    VK_FORMAT_R32G32B32A32_SINT,
    VK_FORMAT_R32G32B32A32_SFLOAT,
    VK_FORMAT_R16G16B16A16_UINT,
    VK_FORMAT_R16G16B16A16_SINT,
    VK_FORMAT_R16G16B16A16_SFLOAT,
    VK_FORMAT_R16G16_SFLOAT,
    VK_FORMAT_B10G11R11_UFLOAT_PACK32,
    VK_FORMAT_R16_SFLOAT,
    VK_FORMAT_R16G16B16A16_UNORM,
    VK_FORMAT_A2B10G10R10_UNORM_PACK32,
    VK_FORMAT_R16G16_UNORM,
    VK_FORMAT_R8G8_UNORM,
    VK_FORMAT_R16_UNORM,
    VK_FORMAT_R8_UNORM,
    VK_FORMAT_R16G16B16A16_SNORM,
    VK_FORMAT_R16G16_SNORM,
    VK_FORMAT_R8G8_SNORM,
    VK_FORMAT_R16_SNORM,
    VK_FORMAT_R8_SNORM,
    VK_FORMAT_R16G16_SINT,
    VK_FORMAT_R8G8_SINT,
    VK_FORMAT_R16_SINT,
    VK_FORMAT_R8_SINT,
    VK_FORMAT_A2B10G10R10_UINT_PACK32,
    VK_FORMAT_R16G16_UINT,
    VK_FORMAT_R8G8_UINT,
    VK_FORMAT_R16_UINT,
    VK_FORMAT_R8_UINT,
};

/* The older struct of the same query has the same bits, up to those that were added later. */
static VkFormatProperties3 properties_of(struct vkt *t, VkFormat format)
{
    const VkFormatFeatureFlags2 old_bits = VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT - 1;
    VkFormatProperties3 p = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
    VkFormatProperties2 p2 = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &p};
    vkGetPhysicalDeviceFormatProperties2(t->physical, format, &p2);
    const VkFormatProperties *old = &p2.formatProperties;
    if (old->optimalTilingFeatures != (p.optimalTilingFeatures & old_bits) ||
        old->linearTilingFeatures != (p.linearTilingFeatures & old_bits) ||
        old->bufferFeatures != (p.bufferFeatures & old_bits))
        fail_msg("format %d: the features of VkFormatProperties3 differ", format);
    return p;
}

static void expect_format(bool is_met, VkFormat format, const char *what)
{
    char text[80];
    snprintf(text, sizeof text, "format %d: %s", format, what);
    expect(is_met, text);
}

static void color_formats(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    start();
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++) {
        const VkFormatProperties3 has = properties_of(t, formats[i].format);
        const VkFormatFeatureFlags2 copies =
            VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
        for (uint32_t k = 0; k < VKT_COUNT(letters); k++)
            if (strchr(formats[i].features, letters[k].letter))
                expect_format((letters[k].in_buffers ? has.bufferFeatures : has.optimalTilingFeatures) & letters[k].bit,
                              formats[i].format, letters[k].name);
        if (strchr(formats[i].features, 'S'))
            expect_format((has.optimalTilingFeatures & copies) == copies, formats[i].format, "copies");
    }
    finish();
}

/* Features of a format hold for images of all types. */
static void images_of_all_types(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    start();
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++)
        for (VkImageType type = VK_IMAGE_TYPE_1D; type <= VK_IMAGE_TYPE_3D; type++) {
            const char *f = formats[i].features;
            const VkImageUsageFlags usage =
                (strchr(f, 'S')
                     ? VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT
                     : 0) |
                (strchr(f, 'T') ? VK_IMAGE_USAGE_STORAGE_BIT : 0) |
                (strchr(f, 'C') ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : 0);
            VkImageFormatProperties p;
            if (usage)
                expect_format(vkGetPhysicalDeviceImageFormatProperties(t->physical, formats[i].format, type,
                                                                       VK_IMAGE_TILING_OPTIMAL, usage, 0,
                                                                       &p) == VK_SUCCESS,
                              formats[i].format,
                              type == VK_IMAGE_TYPE_1D   ? "1D image"
                              : type == VK_IMAGE_TYPE_2D ? "2D image"
                                                         : "3D image");
        }
    finish();
}

static bool is_attachment(struct vkt *t, VkFormat format)
{
    return properties_of(t, format).optimalTilingFeatures & VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT;
}

static void depth_formats(void **state)
{
    static const VkFormat sampled[] = {VK_FORMAT_D16_UNORM, VK_FORMAT_D32_SFLOAT};
    static const VkFormat with_depth[] = {VK_FORMAT_D16_UNORM,         VK_FORMAT_X8_D24_UNORM_PACK32,
                                          VK_FORMAT_D32_SFLOAT,        VK_FORMAT_D16_UNORM_S8_UINT,
                                          VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_D32_SFLOAT_S8_UINT};
    const VkFormatFeatureFlags2 reads = VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_BLIT_SRC_BIT |
                                        VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
    struct vkt *t = vkt_device(VKT_TESTED);
    start();
    for (uint32_t i = 0; i < VKT_COUNT(sampled); i++)
        expect_format((properties_of(t, sampled[i]).optimalTilingFeatures & reads) == reads, sampled[i], "sampled");
    expect_format(is_attachment(t, VK_FORMAT_D16_UNORM), VK_FORMAT_D16_UNORM, "depth attachment");
    expect(is_attachment(t, VK_FORMAT_X8_D24_UNORM_PACK32) || is_attachment(t, VK_FORMAT_D32_SFLOAT),
           "depth attachment");
    expect(is_attachment(t, VK_FORMAT_D24_UNORM_S8_UINT) || is_attachment(t, VK_FORMAT_D32_SFLOAT_S8_UINT),
           "depth and stencil attachment");
    for (uint32_t i = 0; i < VKT_COUNT(with_depth); i++) {
        const VkFormatProperties3 has = properties_of(t, with_depth[i]);
        expect_format(!has.bufferFeatures, with_depth[i], "no features of buffers");
        expect_format(!(has.optimalTilingFeatures & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT) ||
                          (has.optimalTilingFeatures & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT),
                      with_depth[i], "comparison");
    }
    finish();
}

static bool has_all(struct vkt *t, const VkFormat *list, uint32_t count)
{
    const VkFormatFeatureFlags2 needed = VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_BLIT_SRC_BIT |
                                         VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT |
                                         VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
    uint32_t has = 0;
    for (uint32_t i = 0; i < count; i++)
        has += (properties_of(t, list[i]).optimalTilingFeatures & needed) == needed;
    return has == count;
}

static void compressed_formats(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceFeatures f;
    vkGetPhysicalDeviceFeatures(t->physical, &f);
    start();
    expect(!f.textureCompressionBC || has_all(t, bc_formats, VKT_COUNT(bc_formats)), "BC formats");
    expect(!f.textureCompressionETC2 || has_all(t, etc2_formats, VKT_COUNT(etc2_formats)), "ETC2 formats");
    expect(!f.textureCompressionASTC_LDR || has_all(t, astc_formats, VKT_COUNT(astc_formats)), "ASTC formats");
    finish();
}

static void formats_without_format(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceFeatures f;
    vkGetPhysicalDeviceFeatures(t->physical, &f);
    start();
    for (uint32_t i = 0; i < VKT_COUNT(without_format); i++) {
        const VkFormatFeatureFlags2 has = properties_of(t, without_format[i]).optimalTilingFeatures;
        if (!(has & VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT))
            continue;
        expect_format(!f.shaderStorageImageReadWithoutFormat ||
                          (has & VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT),
                      without_format[i], "read without format");
        expect_format(!f.shaderStorageImageWriteWithoutFormat ||
                          (has & VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT),
                      without_format[i], "write without format");
    }
    finish();
}

/* With samplerYcbcrConversion. */
static void planar_formats(void **state)
{
    static const VkFormat planar[] = {VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM};
    const VkFormatFeatureFlags2 needed = VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT |
                                         VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
    const VkFormatFeatureFlags2 places =
        VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT | VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT;
    struct vkt *t = vkt_device(VKT_TESTED);
    start();
    for (uint32_t i = 0; i < VKT_COUNT(planar); i++) {
        const VkFormatFeatureFlags2 has = properties_of(t, planar[i]).optimalTilingFeatures;
        expect_format((has & needed) == needed && (has & places), planar[i], "Y'CbCr");
    }
    finish();
}

/* ---------------------------------------------------------------- memory, queues, extensions */

static void memory_and_queues(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkQueueFamilyProperties families[8];
    uint32_t count = VKT_COUNT(families);
    bool has_visible = false, has_local = false, has_compute = false;
    vkGetPhysicalDeviceQueueFamilyProperties(t->physical, &count, families);
    start();
    for (uint32_t i = 0; i < t->memory.memoryTypeCount; i++) {
        has_visible |= (t->memory.memoryTypes[i].propertyFlags & visible) == visible;
        has_local |= t->memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    }
    for (uint32_t i = 0; i < count; i++)
        has_compute |=
            (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) && (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT);
    expect(has_visible, "host-visible and coherent memory");
    expect(has_local, "device-local memory");
    expect(has_compute, "a queue family with graphics and compute");
    finish();
}

/* ---------------------------------------------------------------- subgroupBroadcastDynamicId */

/* The module is of SPIR-V 1.6, which 1.3 accepts. */
static void broadcasts_of_lanes_from_memory(void **state)
{
    static const uint32_t ids[] = {0, 5, 15, 10, 7, 1};
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_buffer buffers[2] = {vkt_storage_buffer(t, 16, 0), vkt_storage_buffer(t, 2 * VKT_COUNT(ids) * 16, 0)};
    uint32_t *in = buffers[0].map;
    const uint32_t *out = buffers[1].map;
    in[0] = VKT_COUNT(ids);
    memcpy(in + 1, ids, sizeof ids);
    struct vkt_compute c = vkt_compute_create_simple(t, VKT_SHADER(core_broadcast_comp), 2, 0, NULL);
    VkDescriptorSet set = vkt_compute_set(t, &c, buffers, 2);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < VKT_COUNT(ids); i++)
        for (uint32_t lane = 0; lane < 16; lane++) {
            assert_int_equal(out[2 * i * 16 + lane], ids[i] * 100);
            assert_int_equal(out[(2 * i + 1) * 16 + lane], ((lane & ~3u) | (ids[i] & 3)) * 100);
        }
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &buffers[0]);
    vkt_buffer_destroy(t, &buffers[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(features, vkt_check_messages),
        cmocka_unit_test_teardown(image_and_descriptor_limits, vkt_check_messages),
        cmocka_unit_test_teardown(draw_and_compute_limits, vkt_check_messages),
        cmocka_unit_test_teardown(limits_of_1_1_to_1_3, vkt_check_messages),
        cmocka_unit_test_teardown(color_formats, vkt_check_messages),
        cmocka_unit_test_teardown(images_of_all_types, vkt_check_messages),
        cmocka_unit_test_teardown(depth_formats, vkt_check_messages),
        cmocka_unit_test_teardown(compressed_formats, vkt_check_messages),
        cmocka_unit_test_teardown(formats_without_format, vkt_check_messages),
        cmocka_unit_test_teardown(planar_formats, vkt_check_messages),
        cmocka_unit_test_teardown(memory_and_queues, vkt_check_messages),
        cmocka_unit_test_teardown(broadcasts_of_lanes_from_memory, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
