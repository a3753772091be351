/* SPDX-License-Identifier: MIT
 *
 * Fills VkPhysicalDeviceLimits and VkPhysicalDeviceFeatures with what the driver supports today. Where a limit is below
 * the minimum of Vulkan 1.0, its comment says what is missing.
 */
#include <string.h>
#include "device/vc4vk_physical_device.h"

void vc4vk_fill_features(const struct kmd_info *info, VkPhysicalDeviceFeatures *features)
{
    const VkBool32 has_sparse = info->sparse_block_B != 0;
    memset(features, 0, sizeof *features);
    features->robustBufferAccess = VK_TRUE;
    features->fullDrawIndexUint32 = VK_TRUE;
    features->imageCubeArray = VK_TRUE;
    features->independentBlend = VK_TRUE;
    features->dualSrcBlend = VK_TRUE;
    features->logicOp = VK_TRUE;
    features->sampleRateShading = VK_TRUE;
    features->alphaToOne = VK_TRUE;
    features->occlusionQueryPrecise = VK_TRUE;
    features->pipelineStatisticsQuery = VK_TRUE;
    features->inheritedQueries = VK_TRUE;
    features->samplerAnisotropy = VK_TRUE;
    features->textureCompressionBC = VK_TRUE;
    features->textureCompressionETC2 = VK_TRUE;
    features->textureCompressionASTC_LDR = VK_TRUE;
    features->multiDrawIndirect = VK_TRUE;
    features->drawIndirectFirstInstance = VK_TRUE;
    features->depthClamp = VK_TRUE;
    features->multiViewport = VK_TRUE;
    features->geometryShader = VK_TRUE;
    features->shaderTessellationAndGeometryPointSize = VK_TRUE;
    features->tessellationShader = VK_TRUE;
    features->fillModeNonSolid = VK_TRUE;
    features->depthBiasClamp = VK_TRUE;
    features->wideLines = VK_TRUE;
    features->largePoints = VK_TRUE;
    features->vertexPipelineStoresAndAtomics = VK_TRUE;
    features->fragmentStoresAndAtomics = VK_TRUE;
    features->shaderImageGatherExtended = VK_TRUE;
    features->shaderClipDistance = VK_TRUE;
    features->shaderCullDistance = VK_TRUE;
    features->shaderFloat64 = VK_TRUE;
    features->shaderInt64 = VK_TRUE;
    features->shaderInt16 = VK_TRUE;
    features->shaderResourceMinLod = VK_TRUE;
    features->shaderUniformBufferArrayDynamicIndexing = VK_TRUE;
    features->shaderSampledImageArrayDynamicIndexing = VK_TRUE;
    features->shaderStorageBufferArrayDynamicIndexing = VK_TRUE;
    features->shaderStorageImageArrayDynamicIndexing = VK_TRUE;
    features->shaderStorageImageExtendedFormats = VK_TRUE;
    features->shaderStorageImageMultisample = VK_TRUE;
    features->shaderStorageImageReadWithoutFormat = VK_TRUE;
    features->shaderStorageImageWriteWithoutFormat = VK_TRUE;
    features->sparseBinding = has_sparse;
    features->sparseResidencyBuffer = has_sparse;
    features->sparseResidencyAliased = has_sparse;
}

static void fill_image_limits(VkPhysicalDeviceLimits *l)
{
    l->maxImageDimension1D = VC4VK_MAX_DIRECT_PX;
    l->maxImageDimension2D = VC4VK_MAX_DIRECT_PX;
    l->maxImageDimensionCube = VC4VK_MAX_DIRECT_PX;
    l->maxImageDimension3D = VC4VK_MAX_3D_PX;
    l->maxImageArrayLayers = VC4VK_MAX_LAYERS;
    l->maxTexelBufferElements = VC4VK_MAX_TEXELS;
    l->sampledImageColorSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    l->sampledImageIntegerSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    l->sampledImageDepthSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    l->sampledImageStencilSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    l->storageImageSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    l->maxSampleMaskWords = 1;
    l->maxSamplerLodBias = 16;
    l->maxSamplerAnisotropy = VC4VK_MAX_ANISOTROPY;
    l->minTexelOffset = -32; /* shader code adds offsets, so any range would work */
    l->maxTexelOffset = 31;
    l->minTexelGatherOffset = -32;
    l->maxTexelGatherOffset = 31;
    l->subTexelPrecisionBits = 8;
    l->mipmapPrecisionBits = 6;
}

#define STAGES 9u /* whose descriptors fit into a set at the least: profiles ask for that many */

static void fill_descriptor_limits(VkPhysicalDeviceLimits *l)
{
    l->maxUniformBufferRange = 65536;
    l->maxStorageBufferRange = 1u << 27; /* vertex and fragment stages can read storage buffers as well */
    l->maxPushConstantsSize = VC4VK_MAX_PUSH_B;
    l->maxBoundDescriptorSets = VC4VK_MAX_SETS;
    l->maxPerStageDescriptorSamplers = VC4VK_MAX_STAGE_DESCRIPTORS;
    l->maxPerStageDescriptorUniformBuffers = VC4VK_MAX_STAGE_DESCRIPTORS;
    l->maxPerStageDescriptorStorageBuffers = VC4VK_MAX_STAGE_DESCRIPTORS;
    l->maxPerStageDescriptorSampledImages = VC4VK_MAX_STAGE_DESCRIPTORS;
    l->maxPerStageDescriptorStorageImages = VC4VK_MAX_STAGE_DESCRIPTORS; /* such programs run on the CPU engine */
    l->maxPerStageDescriptorInputAttachments = VC4VK_MAX_INPUTS;
    l->maxPerStageResources = VC4VK_MAX_STAGE_RESOURCES;
    l->maxDescriptorSetSamplers = STAGES * VC4VK_MAX_STAGE_DESCRIPTORS; /* sets can hold any number */
    l->maxDescriptorSetUniformBuffers = STAGES * VC4VK_MAX_STAGE_DESCRIPTORS;
    l->maxDescriptorSetUniformBuffersDynamic = 8;
    l->maxDescriptorSetStorageBuffers = STAGES * VC4VK_MAX_STAGE_DESCRIPTORS;
    l->maxDescriptorSetStorageBuffersDynamic = 8;
    l->maxDescriptorSetSampledImages = STAGES * VC4VK_MAX_STAGE_DESCRIPTORS;
    l->maxDescriptorSetStorageImages = STAGES * VC4VK_MAX_STAGE_DESCRIPTORS;
    l->maxDescriptorSetInputAttachments = VC4VK_MAX_SET_INPUTS;
}

static void fill_vertex_limits(VkPhysicalDeviceLimits *l)
{
    l->maxVertexInputAttributes =
        VC4VK_MAX_VERTEX_ATTRIBUTES; /* the chip has 8 arrays; if there are more, they are merged or packed at issue */
    l->maxVertexInputBindings = VC4VK_MAX_VERTEX_BINDINGS;
    l->maxVertexInputAttributeOffset = 2047;
    l->maxVertexInputBindingStride = 2048;
    l->maxVertexOutputComponents = 128; /* above 32 the CPU engine runs the draw */
    l->maxFragmentInputComponents = 128;
    l->maxClipDistances = 8; /* varyings: fragment programs discard where one is negative */
    l->maxCullDistances = 8; /* computed by vertex programs that see the whole primitive */
    l->maxCombinedClipAndCullDistances = 8;
    l->maxDrawIndexedIndexValue = UINT32_MAX; /* indices above 16 bits are rewritten when a job is issued */
    l->maxDrawIndirectCount = 65535;
    l->maxViewports = VC4VK_MAX_VIEWPORTS;
    l->maxViewportDimensions[0] = l->maxViewportDimensions[1] = VC4VK_MAX_TARGET_PX;
    l->viewportBoundsRange[0] =
        -2.0f * VC4VK_MAX_TARGET_PX; /* offsets beyond signed 12.4 [guide p.73] are re-centred in code */
    l->viewportBoundsRange[1] = 2.0f * VC4VK_MAX_TARGET_PX - 1;
    l->viewportSubPixelBits = 0;
    l->subPixelPrecisionBits = 4; /* 12.4 */
    l->pointSizeRange[0] = l->lineWidthRange[0] = 1;
    l->pointSizeRange[1] = 512;
    l->lineWidthRange[1] = 32;
    l->pointSizeGranularity = l->lineWidthGranularity = 0.125f;
    l->strictLines = VK_FALSE;
}

static void fill_geometry_limits(VkPhysicalDeviceLimits *l)
{
    l->maxGeometryShaderInvocations = 32;
    l->maxGeometryInputComponents = 128;
    l->maxGeometryOutputComponents = 128; /* a record has all locations */
    l->maxGeometryOutputVertices = 1024;
    l->maxGeometryTotalOutputComponents = 1024 * 16; /* memory would do for all components of all vertices */
}

/* Records have all locations. */
static void fill_tessellation_limits(VkPhysicalDeviceLimits *l)
{
    l->maxTessellationGenerationLevel = 64;
    l->maxTessellationPatchSize = 32;
    l->maxTessellationControlPerVertexInputComponents = 128;
    l->maxTessellationControlPerVertexOutputComponents = 128;
    l->maxTessellationControlPerPatchOutputComponents = 120;
    l->maxTessellationControlTotalOutputComponents = 32 * 128 + 120;
    l->maxTessellationEvaluationInputComponents = 128;
    l->maxTessellationEvaluationOutputComponents = 128;
}

static void fill_fragment_limits(VkPhysicalDeviceLimits *l)
{
    l->maxFragmentOutputAttachments = VC4VK_MAX_COLOR_ATTACHMENTS; /* each attachment needs replays of its own */
    l->maxFragmentDualSrcAttachments = 1;
    l->maxFragmentCombinedOutputResources = VC4VK_MAX_COLOR_ATTACHMENTS + 2 * VC4VK_MAX_STAGE_DESCRIPTORS;
    l->maxColorAttachments = VC4VK_MAX_COLOR_ATTACHMENTS;
    l->maxFramebufferWidth = VC4VK_MAX_TARGET_PX; /* above a job's limit, the framebuffer is drawn in ranges */
    l->maxFramebufferHeight = VC4VK_MAX_TARGET_PX;
    l->maxFramebufferLayers = VC4VK_MAX_LAYERS;
    l->framebufferColorSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    l->framebufferDepthSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    l->framebufferStencilSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    l->framebufferNoAttachmentsSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    l->standardSampleLocations = VK_TRUE;
    l->minInterpolationOffset = -0.5f;
    l->maxInterpolationOffset = 0.4375f; /* half a pixel minus one step of 1/16 */
    l->subPixelInterpolationOffsetBits = 4;
}

/* The CPU engine runs compute: subgroups of 16 invocations, up to 64 of them in a workgroup. */
static void fill_compute_limits(VkPhysicalDeviceLimits *l)
{
    l->maxComputeSharedMemorySize = 32768;
    l->maxComputeWorkGroupInvocations = VC4VK_MAX_INVOCATIONS;
    for (int i = 0; i < 3; i++)
        l->maxComputeWorkGroupCount[i] = 65535;
    l->maxComputeWorkGroupSize[0] = l->maxComputeWorkGroupSize[1] = VC4VK_MAX_INVOCATIONS;
    l->maxComputeWorkGroupSize[2] = 64;
}

static void fill_memory_limits(VkPhysicalDeviceLimits *l)
{
    l->maxMemoryAllocationCount = VC4VK_MAX_ALLOCATIONS;
    l->maxSamplerAllocationCount = VC4VK_MAX_SAMPLERS;
    l->bufferImageGranularity = 1; /* images occupy whole pages */
    l->minMemoryMapAlignment = 4096;
    l->minTexelBufferOffsetAlignment = 16;
    l->minUniformBufferOffsetAlignment = 16;
    l->minStorageBufferOffsetAlignment = 16;
    l->optimalBufferCopyOffsetAlignment = 4;
    l->optimalBufferCopyRowPitchAlignment = 4;
    l->nonCoherentAtomSize = 64; /* all memory is coherent */
    l->discreteQueuePriorities = 2;
    l->timestampComputeAndGraphics = VK_TRUE;
    l->timestampPeriod = 1;
}

void vc4vk_fill_limits(VkPhysicalDeviceLimits *limits)
{
    memset(limits, 0, sizeof *limits); /* what is not supported has limits of 0 */
    fill_image_limits(limits);
    fill_descriptor_limits(limits);
    fill_vertex_limits(limits);
    fill_tessellation_limits(limits);
    fill_geometry_limits(limits);
    fill_fragment_limits(limits);
    fill_compute_limits(limits);
    fill_memory_limits(limits);
}
