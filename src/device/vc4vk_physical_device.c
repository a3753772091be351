/* SPDX-License-Identifier: MIT
 *
 * Physical devices: identity, memory, queue families and the queries of Vulkan 1.0 with their "2" variants. The latter
 * fill the known structs of a pNext chain and leave all others unchanged.
 */
#include <stdio.h>
#include <string.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_physical_device.h"
#include "hw/qpu.h"
#include "util/build_id.h"
#include "util/environment.h"
#include "util/trace.h"

static void fill_properties(struct vc4vk_physical_device *physical)
{
    VkPhysicalDeviceProperties *p = &physical->properties;
    const struct kmd_info *info = &physical->kmd.info;
    p->apiVersion = vc4vk_api_version();
    p->driverVersion = VK_MAKE_API_VERSION(0, VC4VK_VERSION_MAJOR, VC4VK_VERSION_MINOR, VC4VK_VERSION_PATCH);
    p->vendorID = VC4VK_VENDOR_ID;
    p->deviceID = 0x21; /* V3D 2.1 */
    p->deviceType = info->is_model ? VK_PHYSICAL_DEVICE_TYPE_CPU : VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    snprintf(p->deviceName, sizeof p->deviceName, "VideoCore IV%s (vc4vk)", info->is_model ? " model" : "");
    util_build_id(p->pipelineCacheUUID);
    p->pipelineCacheUUID[0] ^= info->is_model;
    vc4vk_fill_limits(&p->limits);
    p->limits.sparseAddressSpaceSize = info->sparse_block_B ? VC4VK_MAX_SPARSE_B : 0;
}

static void fill_memory(struct vc4vk_physical_device *physical)
{
    VkPhysicalDeviceMemoryProperties *m = &physical->memory;
    m->memoryHeapCount = 1;
    m->memoryHeaps[0] = (VkMemoryHeap){physical->kmd.info.memory_B, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    m->memoryTypeCount = 1;
    m->memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    if (!physical->kmd.info.is_model)
        return; /* the kernel always maps the chip's memory write-combined [kernel vc4_bo.c] */
    m->memoryTypes[m->memoryTypeCount] = m->memoryTypes[0];
    m->memoryTypes[m->memoryTypeCount++].propertyFlags |= VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
}

VkResult vc4vk_physical_device_create(struct vc4vk_instance *instance, const struct kmd_physical *kmd,
                                      struct vc4vk_physical_device **out)
{
    struct vc4vk_physical_device *physical =
        vc4vk_new(VC4VK_ALLOC_INTERNAL, struct vc4vk_physical_device, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    if (!physical)
        return vc4vk_oom(instance);
    vc4vk_object_init(&physical->base, VK_OBJECT_TYPE_PHYSICAL_DEVICE);
    if (pthread_mutex_init(&physical->lock, NULL)) {
        vc4vk_free(VC4VK_ALLOC_INTERNAL, physical);
        return vc4vk_oom(instance);
    }
    util_list_init(&physical->devices);
    physical->instance = instance;
    physical->kmd = *kmd;
    fill_properties(physical);
    fill_memory(physical);
    vc4vk_fill_features(&physical->kmd.info, &physical->features);
    *out = physical;
    return VK_SUCCESS;
}

void vc4vk_physical_device_destroy(struct vc4vk_physical_device *physical)
{
    if (!physical)
        return;
    if (physical->wsi_state)
        physical->wsi_destroy(physical, physical->wsi_state);
    pthread_mutex_destroy(&physical->lock);
    vc4vk_free(VC4VK_ALLOC_INTERNAL, physical);
}

/* -- properties --------------------------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceProperties(VkPhysicalDevice physicalDevice,
                                                             VkPhysicalDeviceProperties *pProperties)
{
    *pProperties = vc4vk_physical_device_from_handle(physicalDevice)->properties;
}

static void fill_id(const struct vc4vk_physical_device *physical, VkPhysicalDeviceIDProperties *id)
{
    util_build_id(id->driverUUID);
    memcpy(id->deviceUUID, physical->kmd.info.device_uuid, VK_UUID_SIZE);
    id->deviceLUIDValid = VK_FALSE;
    id->deviceNodeMask = 0;
}

/* 0.0.0.0, because the driver is not conformant, or what the user wants programs to be told that hide such drivers. */
static VkConformanceVersion conformance_version(void)
{
    const char *told = util_environment("VC4VK_CONFORMANCE");
    uint8_t n[4];
    char rest;
    if (!told || sscanf(told, "%hhu.%hhu.%hhu.%hhu%c", &n[0], &n[1], &n[2], &n[3], &rest) != 4)
        return (VkConformanceVersion){0, 0, 0, 0};
    return (VkConformanceVersion){n[0], n[1], n[2], n[3]};
}

static void fill_driver(VkPhysicalDeviceDriverProperties *driver)
{
    driver->driverID = 0; /* Khronos has not assigned one to this driver */
    snprintf(driver->driverName, sizeof driver->driverName, "vc4vk");
    snprintf(driver->driverInfo, sizeof driver->driverInfo, VC4VK_VERSION " (non-conformant)");
    driver->conformanceVersion = conformance_version();
}

static void fill_depth_resolve(VkPhysicalDeviceDepthStencilResolveProperties *out)
{
    out->supportedStencilResolveModes =
        VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT;
    out->supportedDepthResolveModes = out->supportedStencilResolveModes | VK_RESOLVE_MODE_AVERAGE_BIT;
    out->independentResolveNone = out->independentResolve = VK_TRUE;
}

/* Vulkan requires at least 2^30 B. With a smaller heap, allocations and buffers of the reported size fail. */
static VkDeviceSize largest_allocation_B(const struct vc4vk_physical_device *physical)
{
    return CLAMP(physical->memory.memoryHeaps[0].size, 1u << 30, VC4VK_MAX_ALLOCATION_B);
}

static void fill_maintenance3(const struct vc4vk_physical_device *physical, VkPhysicalDeviceMaintenance3Properties *m)
{
    m->maxPerSetDescriptors = VC4VK_MAX_SET_DESCRIPTORS;
    m->maxMemoryAllocationSize = largest_allocation_B(physical);
}

#ifdef VK_KHR_maintenance5
static void fill_maintenance5(VkPhysicalDeviceMaintenance5PropertiesKHR *m)
{
    m->earlyFragmentMultisampleCoverageAfterSampleCounting = VK_TRUE;
    m->earlyFragmentSampleMaskTestBeforeSampleCounting = VK_TRUE;
    m->depthStencilSwizzleOneSupport = VK_TRUE;
    m->polygonModePointSize = VK_TRUE;
    m->nonStrictSinglePixelWideLinesUseParallelogram = VK_TRUE;
    m->nonStrictWideLinesUseParallelogram = VK_TRUE;
}
#endif

#ifdef VK_KHR_maintenance6
static void fill_maintenance6(VkPhysicalDeviceMaintenance6PropertiesKHR *m)
{
    m->blockTexelViewCompatibleMultipleLayers = VK_TRUE;
    m->maxCombinedImageSamplerDescriptorCount = VC4VK_YCBCR_DESCRIPTORS;
    m->fragmentShadingRateClampCombinerInputs = VK_FALSE; /* there are no shading rates */
}
#endif

#ifdef VK_KHR_maintenance7
/* Limits of a pipeline layout are not larger for sets that are updated after they are bound. */
static void fill_maintenance7(const VkPhysicalDeviceLimits *l, VkPhysicalDeviceMaintenance7PropertiesKHR *m)
{
    m->robustFragmentShadingRateAttachmentAccess = VK_FALSE; /* there are no shading rates */
    m->separateDepthStencilAttachmentAccess = VK_FALSE;      /* both are in one word, which jobs load and store */
    m->maxDescriptorSetTotalUniformBuffersDynamic = l->maxDescriptorSetUniformBuffersDynamic;
    m->maxDescriptorSetTotalStorageBuffersDynamic = l->maxDescriptorSetStorageBuffersDynamic;
    m->maxDescriptorSetTotalBuffersDynamic =
        l->maxDescriptorSetUniformBuffersDynamic + l->maxDescriptorSetStorageBuffersDynamic;
    m->maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic = m->maxDescriptorSetTotalUniformBuffersDynamic;
    m->maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic = m->maxDescriptorSetTotalStorageBuffersDynamic;
    m->maxDescriptorSetUpdateAfterBindTotalBuffersDynamic = m->maxDescriptorSetTotalBuffersDynamic;
}
#endif

#define SUBGROUP_STAGES                                                                                                \
    (VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT |                       \
     VK_SHADER_STAGE_MESH_BIT_EXT)

/* A subgroup is the set of lanes of one QPU thread. */
static void fill_subgroup(VkPhysicalDeviceSubgroupProperties *s)
{
    s->subgroupSize = QPU_LANES;
    s->supportedStages = SUBGROUP_STAGES;
    s->supportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
                             VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
                             VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
                             VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT;
#ifdef VK_KHR_shader_subgroup_rotate
    s->supportedOperations |= VK_SUBGROUP_FEATURE_ROTATE_BIT_KHR | VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT_KHR;
#endif
    s->quadOperationsInAllStages = VK_FALSE;
}

static void fill_subgroup_sizes(VkPhysicalDeviceSubgroupSizeControlProperties *s)
{
    s->minSubgroupSize = s->maxSubgroupSize = QPU_LANES;
    s->maxComputeWorkgroupSubgroups = VC4VK_MAX_INVOCATIONS / QPU_LANES;
    s->requiredSubgroupSizeStages = SUBGROUP_STAGES;
}

/* What arithmetic does without being asked, and that it preserves NaN where it is. Modes that it does not obey are
 * refused by the compiler (spv_modes.c). */
static void fill_float_controls(VkPhysicalDeviceFloatControlsProperties *f)
{
    f->denormBehaviorIndependence = f->roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
    f->shaderSignedZeroInfNanPreserveFloat16 = f->shaderSignedZeroInfNanPreserveFloat32 = VK_TRUE;
    f->shaderSignedZeroInfNanPreserveFloat64 = VK_TRUE;
    f->shaderDenormPreserveFloat32 = VK_FALSE;
    f->shaderDenormPreserveFloat16 = f->shaderDenormPreserveFloat64 = VK_TRUE;
    f->shaderDenormFlushToZeroFloat16 = f->shaderDenormFlushToZeroFloat64 = VK_FALSE;
    f->shaderDenormFlushToZeroFloat32 = VK_TRUE;
    f->shaderRoundingModeRTEFloat16 = f->shaderRoundingModeRTEFloat32 = VK_TRUE;
    f->shaderRoundingModeRTEFloat64 = VK_TRUE;
    f->shaderRoundingModeRTZFloat16 = f->shaderRoundingModeRTZFloat64 = VK_FALSE;
    f->shaderRoundingModeRTZFloat32 = VK_TRUE;
}

/* Bytes are unpacked for free, and a 24-bit multiplication is enough for them. */
static void fill_dot_products(VkPhysicalDeviceShaderIntegerDotProductProperties *d)
{
    const VkBaseOutStructure header = {.sType = d->sType, .pNext = (void *)d->pNext};
    memset(d, 0, sizeof *d);
    d->sType = header.sType;
    d->pNext = header.pNext;
    d->integerDotProduct4x8BitPackedUnsignedAccelerated = VK_TRUE;
    d->integerDotProduct4x8BitPackedSignedAccelerated = VK_TRUE;
    d->integerDotProduct4x8BitPackedMixedSignednessAccelerated = VK_TRUE;
}

#define PAYLOAD_B     16384u
#define SHARED_B      32768u
#define MESH_OUTPUT_B (2 * 256 * 128 * 4u) /* all numbers of all vertices and primitives */

static void fill_meshes(VkPhysicalDeviceMeshShaderPropertiesEXT *p)
{
    p->maxTaskWorkGroupTotalCount = p->maxMeshWorkGroupTotalCount = VC4VK_MAX_MESH_GROUPS;
    for (uint32_t i = 0; i < 3; i++) {
        p->maxTaskWorkGroupCount[i] = p->maxMeshWorkGroupCount[i] = VC4VK_MAX_GROUP_COUNT;
        p->maxTaskWorkGroupSize[i] = p->maxMeshWorkGroupSize[i] = VC4VK_MAX_INVOCATIONS;
    }
    p->maxTaskWorkGroupInvocations = p->maxMeshWorkGroupInvocations = VC4VK_MAX_INVOCATIONS;
    p->maxTaskPayloadSize = PAYLOAD_B;
    p->maxTaskSharedMemorySize = p->maxMeshSharedMemorySize = SHARED_B;
    p->maxTaskPayloadAndSharedMemorySize = p->maxMeshPayloadAndSharedMemorySize = PAYLOAD_B + SHARED_B;
    p->maxMeshOutputMemorySize = MESH_OUTPUT_B;
    p->maxMeshPayloadAndOutputMemorySize = PAYLOAD_B + MESH_OUTPUT_B;
    p->maxMeshOutputComponents = 128;
    p->maxMeshOutputVertices = p->maxMeshOutputPrimitives = 256;
    p->maxMeshOutputLayers = VC4VK_MAX_LAYERS;
    p->maxMeshMultiviewViewCount = VC4VK_MAX_VIEWS;
    p->meshOutputPerVertexGranularity = p->meshOutputPerPrimitiveGranularity = QPU_LANES;
    p->maxPreferredTaskWorkGroupInvocations = p->maxPreferredMeshWorkGroupInvocations = 128;
    p->prefersLocalInvocationVertexOutput = p->prefersLocalInvocationPrimitiveOutput =
        VK_TRUE; /* stores of whole rows */
    p->prefersCompactVertexOutput = p->prefersCompactPrimitiveOutput = VK_FALSE;
}

static void fill_transform_feedback(VkPhysicalDeviceTransformFeedbackPropertiesEXT *p)
{
    p->maxTransformFeedbackStreams = 4;
    p->maxTransformFeedbackBuffers = 4;
    p->maxTransformFeedbackBufferSize = UINT32_MAX;
    p->maxTransformFeedbackStreamDataSize = 512;
    p->maxTransformFeedbackBufferDataSize = 512;
    p->maxTransformFeedbackBufferDataStride = 2048;
    p->transformFeedbackQueries = VK_TRUE;
    p->transformFeedbackStreamsLinesTriangles = VK_TRUE;
    p->transformFeedbackRasterizationStreamSelect = VK_TRUE;
    p->transformFeedbackDraw = VK_TRUE;
}

#ifdef VK_EXT_host_image_copy
/* All layouts, because they mean nothing to the chip. Fills an array of the application as vkEnumerate* functions do:
 * without an array, only the count. */
static void fill_layouts(uint32_t *count, VkImageLayout *out)
{
    static const VkImageLayout layouts[] = {
        VK_IMAGE_LAYOUT_GENERAL,
        VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
        VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
        VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
        VK_IMAGE_LAYOUT_PREINITIALIZED,
        VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL,
        VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL,
        VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
        VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL,
        VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL,
        VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL,
        VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL,
        VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL,
        VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
        VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
#ifdef VK_KHR_dynamic_rendering_local_read
        VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR,
#endif
    };
    *count = out ? MIN2(*count, ARRAY_SIZE(layouts)) : ARRAY_SIZE(layouts);
    for (uint32_t i = 0; out && i < *count; i++)
        out[i] = layouts[i];
}

static void fill_host_image_copy(VkPhysicalDeviceHostImageCopyPropertiesEXT *p)
{
    fill_layouts(&p->copySrcLayoutCount, p->pCopySrcLayouts);
    fill_layouts(&p->copyDstLayoutCount, p->pCopyDstLayouts);
    util_build_id(p->optimalTilingLayoutUUID); /* of images: the same on the chip and on the model */
    p->identicalMemoryTypeRequirements = VK_TRUE;
}
#endif

#ifdef VK_VERSION_1_4
/* Whether everything is supported that Vulkan 1.4 requires, and that depends on features or limits which may be
 * missing. What it requires besides is supported by every device (tests/api/test_required.c). */
static bool meets_1_4(void)
{
    VkPhysicalDeviceVulkan14Features f = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES};
    VkPhysicalDeviceSubgroupProperties subgroups;
    VkPhysicalDeviceFloatControlsProperties floats;
    VkPhysicalDeviceLimits limits;
    vc4vk_fill_feature_struct((VkBaseOutStructure *)&f);
    fill_subgroup(&subgroups);
    fill_float_controls(&floats);
    vc4vk_fill_limits(&limits);
    const VkSubgroupFeatureFlags rotate = VK_SUBGROUP_FEATURE_ROTATE_BIT | VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT;
    const bool has_features = f.globalPriorityQuery && f.shaderSubgroupRotate && f.shaderSubgroupRotateClustered &&
                              f.shaderFloatControls2 && f.shaderExpectAssume && f.bresenhamLines &&
                              f.vertexAttributeInstanceRateDivisor && f.indexTypeUint8 && f.dynamicRenderingLocalRead &&
                              f.maintenance5 && f.maintenance6 && f.pipelineRobustness && f.pushDescriptor;
    return has_features && (subgroups.supportedOperations & rotate) == rotate &&
           floats.shaderSignedZeroInfNanPreserveFloat16 && floats.shaderSignedZeroInfNanPreserveFloat32 &&
           limits.maxImageDimension2D >= 8192 && limits.maxImageArrayLayers >= 2048 &&
           limits.maxFramebufferWidth >= 7680 && limits.maxFramebufferHeight >= 7680;
}
#endif

uint32_t vc4vk_api_version(void)
{
#ifdef VK_VERSION_1_4
    if (meets_1_4())
        return VK_MAKE_API_VERSION(0, 1, 4, VK_HEADER_VERSION);
#endif
    return VK_MAKE_API_VERSION(0, 1, 3, VK_HEADER_VERSION);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceProperties2KHR(VkPhysicalDevice physicalDevice,
                                                                 VkPhysicalDeviceProperties2 *pProperties)
{
    VC4VK_FROM_HANDLE(vc4vk_physical_device, physical, physicalDevice);
    pProperties->properties = physical->properties;
    vc4vk_for_each_in_chain(s, pProperties->pNext)
    {
        switch (s->sType) {
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES:
            fill_id(physical, (VkPhysicalDeviceIDProperties *)s);
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES:
            fill_driver((VkPhysicalDeviceDriverProperties *)s);
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_PROPERTIES:
            ((VkPhysicalDeviceTimelineSemaphoreProperties *)s)->maxTimelineSemaphoreValueDifference = UINT64_MAX;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_POINT_CLIPPING_PROPERTIES:
            ((VkPhysicalDevicePointClippingProperties *)s)->pointClippingBehavior =
                VK_POINT_CLIPPING_BEHAVIOR_ALL_CLIP_PLANES;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES:
            fill_subgroup((VkPhysicalDeviceSubgroupProperties *)s);
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT:
            fill_subgroup_sizes((VkPhysicalDeviceSubgroupSizeControlProperties *)s);
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES:
            fill_dot_products((VkPhysicalDeviceShaderIntegerDotProductProperties *)s);
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES:
            fill_float_controls((VkPhysicalDeviceFloatControlsProperties *)s);
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_PROPERTIES:
            ((VkPhysicalDeviceProtectedMemoryProperties *)s)->protectedNoFault = VK_FALSE;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES_EXT:
            ((VkPhysicalDeviceVertexAttributeDivisorPropertiesEXT *)s)->maxVertexAttribDivisor = UINT32_MAX;
            break;
#ifdef VK_KHR_vertex_attribute_divisor
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES_KHR:
            ((VkPhysicalDeviceVertexAttributeDivisorPropertiesKHR *)s)->maxVertexAttribDivisor = UINT32_MAX;
            ((VkPhysicalDeviceVertexAttributeDivisorPropertiesKHR *)s)->supportsNonZeroFirstInstance = VK_TRUE;
            break;
#endif
#ifdef VK_KHR_compute_shader_derivatives
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_PROPERTIES_KHR:
            ((VkPhysicalDeviceComputeShaderDerivativesPropertiesKHR *)s)->meshAndTaskShaderDerivatives = VK_TRUE;
            break;
#endif
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_STENCIL_RESOLVE_PROPERTIES:
            fill_depth_resolve((VkPhysicalDeviceDepthStencilResolveProperties *)s);
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_PROPERTIES_EXT:
            ((VkPhysicalDeviceExtendedDynamicState3PropertiesEXT *)s)->dynamicPrimitiveTopologyUnrestricted = VK_TRUE;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_PROPERTIES_EXT: /* linking compiles */
            ((VkPhysicalDeviceGraphicsPipelineLibraryPropertiesEXT *)s)->graphicsPipelineLibraryFastLinking = VK_FALSE;
            ((VkPhysicalDeviceGraphicsPipelineLibraryPropertiesEXT *)s)
                ->graphicsPipelineLibraryIndependentInterpolationDecoration = VK_TRUE;
            break;
#ifdef VK_EXT_legacy_vertex_attributes
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LEGACY_VERTEX_ATTRIBUTES_PROPERTIES_EXT: /* not measured on the chip */
            ((VkPhysicalDeviceLegacyVertexAttributesPropertiesEXT *)s)->nativeUnalignedPerformance =
                physical->kmd.info.is_model;
            break;
#endif
#ifdef VK_EXT_nested_command_buffer
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_PROPERTIES_EXT: /* one list, however deep */
            ((VkPhysicalDeviceNestedCommandBufferPropertiesEXT *)s)->maxCommandBufferNestingLevel = UINT32_MAX;
            break;
#endif
#ifdef VK_EXT_shader_object
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT: /* binaries are for one build */
            memcpy(((VkPhysicalDeviceShaderObjectPropertiesEXT *)s)->shaderBinaryUUID,
                   physical->properties.pipelineCacheUUID, VK_UUID_SIZE);
            ((VkPhysicalDeviceShaderObjectPropertiesEXT *)s)->shaderBinaryVersion = 1;
            break;
#endif
#ifdef VK_EXT_host_image_copy
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES_EXT:
            fill_host_image_copy((VkPhysicalDeviceHostImageCopyPropertiesEXT *)s);
            break;
#endif
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_PROPERTIES_KHR:
            ((VkPhysicalDevicePerformanceQueryPropertiesKHR *)s)->allowCommandBufferQueryCopies = VK_TRUE;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_PROPERTIES_EXT:
            ((VkPhysicalDeviceLineRasterizationPropertiesEXT *)s)->lineSubPixelPrecisionBits =
                physical->properties.limits.subPixelPrecisionBits;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES:
            ((VkPhysicalDeviceMultiviewProperties *)s)->maxMultiviewViewCount = VC4VK_MAX_VIEWS;
            ((VkPhysicalDeviceMultiviewProperties *)s)->maxMultiviewInstanceIndex = UINT32_MAX;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_PROPERTIES_EXT:
            ((VkPhysicalDeviceMultiDrawPropertiesEXT *)s)->maxMultiDrawCount = VC4VK_MAX_MULTI_DRAWS;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES:
            fill_maintenance3(physical, (VkPhysicalDeviceMaintenance3Properties *)s);
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES:
            ((VkPhysicalDeviceMaintenance4Properties *)s)->maxBufferSize = largest_allocation_B(physical);
            break;
#ifdef VK_KHR_maintenance5
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_PROPERTIES_KHR:
            fill_maintenance5((VkPhysicalDeviceMaintenance5PropertiesKHR *)s);
            break;
#endif
#ifdef VK_KHR_maintenance6
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_PROPERTIES_KHR:
            fill_maintenance6((VkPhysicalDeviceMaintenance6PropertiesKHR *)s);
            break;
#endif
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT:
            ((VkPhysicalDeviceExternalMemoryHostPropertiesEXT *)s)->minImportedHostPointerAlignment =
                MAX2(physical->kmd.info.host_align_B, 1);
            break;
#ifdef VK_KHR_maintenance7
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_PROPERTIES_KHR:
            fill_maintenance7(&physical->properties.limits, (VkPhysicalDeviceMaintenance7PropertiesKHR *)s);
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_API_PROPERTIES_LIST_KHR: /* no other API is below this driver */
            ((VkPhysicalDeviceLayeredApiPropertiesListKHR *)s)->layeredApiCount = 0;
            break;
#endif
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR:
            ((VkPhysicalDevicePushDescriptorPropertiesKHR *)s)->maxPushDescriptors = VC4VK_MAX_PUSH_DESCRIPTORS;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_PROPERTIES_EXT:
            ((VkPhysicalDeviceCustomBorderColorPropertiesEXT *)s)->maxCustomBorderColorSamplers = VC4VK_MAX_SAMPLERS;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_PROPERTIES_EXT:
            ((VkPhysicalDeviceProvokingVertexPropertiesEXT *)s)->provokingVertexModePerPipeline = VK_TRUE;
            ((VkPhysicalDeviceProvokingVertexPropertiesEXT *)s)->transformFeedbackPreservesTriangleFanProvokingVertex =
                VK_TRUE;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT:
            fill_meshes((VkPhysicalDeviceMeshShaderPropertiesEXT *)s);
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT:
            fill_transform_feedback((VkPhysicalDeviceTransformFeedbackPropertiesEXT *)s);
            break;
        default:
            vc4vk_fill_descriptor_properties(s);
            vc4vk_fill_version_properties(physicalDevice, s);
            break;
        }
    }
}

/* -- features ----------------------------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceFeatures(VkPhysicalDevice physicalDevice,
                                                           VkPhysicalDeviceFeatures *pFeatures)
{
    *pFeatures = vc4vk_physical_device_from_handle(physicalDevice)->features;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceFeatures2KHR(VkPhysicalDevice physicalDevice,
                                                               VkPhysicalDeviceFeatures2 *pFeatures)
{
    vc4vk_GetPhysicalDeviceFeatures(physicalDevice, &pFeatures->features);
    vc4vk_for_each_in_chain(s, pFeatures->pNext)
    {
        vc4vk_fill_feature_struct(s);
    }
}

/* -- memory ------------------------------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice physicalDevice,
                                                                   VkPhysicalDeviceMemoryProperties *pMemoryProperties)
{
    *pMemoryProperties = vc4vk_physical_device_from_handle(physicalDevice)->memory;
}

/* Usage is what all devices of this process hold; the budget adds what the system has free. */
static void fill_budget(struct vc4vk_physical_device *physical, VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget)
{
    const VkDeviceSize heap_B = physical->memory.memoryHeaps[0].size;
    VkDeviceSize used_B = 0;
    pthread_mutex_lock(&physical->lock);
    util_list_for_each(struct vc4vk_device, device, &physical->devices, physical_link)
        used_B += kmd_memory_used_B(device->kmd);
    pthread_mutex_unlock(&physical->lock);
    memset(budget->heapUsage, 0, sizeof budget->heapUsage);
    memset(budget->heapBudget, 0, sizeof budget->heapBudget);
    budget->heapUsage[0] = used_B;
    budget->heapBudget[0] = CLAMP(used_B + kmd_memory_free_B(&physical->kmd.info), 1, heap_B);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceMemoryProperties2KHR(
    VkPhysicalDevice physicalDevice, VkPhysicalDeviceMemoryProperties2 *pMemoryProperties)
{
    vc4vk_GetPhysicalDeviceMemoryProperties(physicalDevice, &pMemoryProperties->memoryProperties);
    vc4vk_for_each_in_chain(s, pMemoryProperties->pNext)
    {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT)
            fill_budget(vc4vk_physical_device_from_handle(physicalDevice),
                        (VkPhysicalDeviceMemoryBudgetPropertiesEXT *)s);
    }
}

/* -- queue families ----------------------------------------------------------------------------------------------- */

static const VkQueueFamilyProperties queue_families[VC4VK_QUEUE_FAMILY_COUNT] = {
    {
        .queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
        .queueCount = VC4VK_QUEUES_PER_FAMILY,
        .timestampValidBits = 64,
        .minImageTransferGranularity = {1, 1, 1},
    },
    {
        .queueFlags = VK_QUEUE_TRANSFER_BIT,
        .queueCount = VC4VK_QUEUES_PER_FAMILY,
        .timestampValidBits = 64,
        .minImageTransferGranularity = {1, 1, 1},
    },
};

/* Every queue binds sparse memory, if there is any. */
static VkQueueFamilyProperties queue_family(VkPhysicalDevice _physical, uint32_t index)
{
    VC4VK_FROM_HANDLE(vc4vk_physical_device, physical, _physical);
    VkQueueFamilyProperties family = queue_families[index];
    family.queueFlags |= physical->features.sparseBinding ? VK_QUEUE_SPARSE_BINDING_BIT : 0u;
    return family;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physicalDevice,
                                                                        uint32_t *pQueueFamilyPropertyCount,
                                                                        VkQueueFamilyProperties *pQueueFamilyProperties)
{
    if (pQueueFamilyProperties)
        *pQueueFamilyPropertyCount = MIN2(*pQueueFamilyPropertyCount, VC4VK_QUEUE_FAMILY_COUNT);
    else
        *pQueueFamilyPropertyCount = VC4VK_QUEUE_FAMILY_COUNT;
    for (uint32_t i = 0; pQueueFamilyProperties && i < *pQueueFamilyPropertyCount; i++)
        pQueueFamilyProperties[i] = queue_family(physicalDevice, i);
}

static void fill_priorities(VkQueueFamilyGlobalPriorityPropertiesKHR *out)
{
    out->priorityCount = 3;
    out->priorities[0] = VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR;
    out->priorities[1] = VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR;
    out->priorities[2] = VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR;
}

VKAPI_ATTR void VKAPI_CALL
vc4vk_GetPhysicalDeviceQueueFamilyProperties2KHR(VkPhysicalDevice physicalDevice, uint32_t *pQueueFamilyPropertyCount,
                                                 VkQueueFamilyProperties2 *pQueueFamilyProperties)
{
    if (pQueueFamilyProperties)
        *pQueueFamilyPropertyCount = MIN2(*pQueueFamilyPropertyCount, VC4VK_QUEUE_FAMILY_COUNT);
    else
        *pQueueFamilyPropertyCount = VC4VK_QUEUE_FAMILY_COUNT;
    for (uint32_t i = 0; pQueueFamilyProperties && i < *pQueueFamilyPropertyCount; i++) {
        pQueueFamilyProperties[i].queueFamilyProperties = queue_family(physicalDevice, i);
        vc4vk_for_each_in_chain(s, pQueueFamilyProperties[i].pNext)
        {
            if (s->sType == VK_STRUCTURE_TYPE_QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES_KHR)
                fill_priorities((VkQueueFamilyGlobalPriorityPropertiesKHR *)s);
        }
    }
}

/* -- tools -------------------------------------------------------------------------------------------------------- */

/* With VC4VK_TRACE set, the driver reports itself as a tracing tool. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceToolPropertiesEXT(VkPhysicalDevice physicalDevice,
                                                                        uint32_t *pToolCount,
                                                                        VkPhysicalDeviceToolProperties *pToolProperties)
{
    const uint32_t count = util_trace_is_on();
    if (!pToolProperties || !count) {
        *pToolCount = count;
        return VK_SUCCESS;
    }
    if (!*pToolCount)
        return VK_INCOMPLETE;
    *pToolCount = 1;
    VkPhysicalDeviceToolProperties *tool = &pToolProperties[0];
    snprintf(tool->name, sizeof tool->name, "vc4vk trace");
    snprintf(tool->version, sizeof tool->version, "%s", VC4VK_VERSION);
    tool->purposes = VK_TOOL_PURPOSE_TRACING_BIT | VK_TOOL_PURPOSE_PROFILING_BIT;
    snprintf(tool->description, sizeof tool->description, "writes the times of jobs and presents to $VC4VK_TRACE");
    tool->layer[0] = 0;
    return VK_SUCCESS;
}
