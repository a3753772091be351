/* SPDX-License-Identifier: MIT
 *
 * Opens instances and devices through the loader, with the validation layer where it is installed.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"

static struct vkt devices[2];
static bool opened[2];
static uint32_t requested_version = VK_API_VERSION_1_0;

void vkt_request_version(uint32_t version)
{
    requested_version = version;
}

static const char *skipped, *skip_reason;

void vkt_skip_because(const char *name, const char *reason)
{
    skipped = name;
    skip_reason = reason;
}

/* Replaces cmocka's print_message with one difference: the TAP line of a skipped case begins with "ok" and gives the
 * reason. Some versions of cmocka print "not ok", which counts as a failure. The arguments of that line are the case's
 * number and, in some versions, its name. */
void print_message(const char *const format, ...)
{
    va_list va;
    va_start(va, format);
    if (strstr(format, "ok %u") && strstr(format, "# SKIP")) {
        const unsigned number = va_arg(va, unsigned);
        const char *name = strstr(format, "%s") ? va_arg(va, const char *) : skipped;
        printf("ok %u - %s # SKIP %s\n", number, name ? name : "", skip_reason ? skip_reason : "");
        skipped = skip_reason = NULL;
    } else {
        vprint_message(format, va);
    }
    va_end(va);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct vkt *t = user;
    const bool is_accepted =
        t->accepted_message && data->pMessageIdName && strstr(t->accepted_message, data->pMessageIdName);
    t->validation_messages += !is_accepted;
    printf("# validation%s: %s: ", is_accepted ? " (accepted)" : "", data->pMessageIdName ? data->pMessageIdName : "-");
    for (const char *c = data->pMessage; *c; c++) {
        putchar(*c);
        if (*c == '\n' && c[1])
            printf("#   "); /* TAP: each line must be a comment */
    }
    putchar('\n');
    return VK_FALSE;
}

static bool has_layer(const char *name)
{
    VkLayerProperties layers[64];
    uint32_t count = VKT_COUNT(layers);
    vkEnumerateInstanceLayerProperties(&count, layers);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(layers[i].layerName, name))
            return true;
    return false;
}

static void create_instance(struct vkt *t, bool validate)
{
    static const char *const layer = "VK_LAYER_KHRONOS_validation";
    const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                      VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME,
                                      VK_KHR_EXTERNAL_FENCE_CAPABILITIES_EXTENSION_NAME,
                                      VK_KHR_EXTERNAL_MEMORY_CAPABILITIES_EXTENSION_NAME,
                                      VK_KHR_EXTERNAL_SEMAPHORE_CAPABILITIES_EXTENSION_NAME,
                                      VK_KHR_DEVICE_GROUP_CREATION_EXTENSION_NAME};
    if (validate) {
        const char *without = getenv("VKT_NO_VALIDATION") ? "VKT_NO_VALIDATION is set"
                              : has_layer(layer)          ? NULL
                                                          : "not installed";
        printf(without ? "# no judge: validation layer: %s\n" : "# judge: validation layer\n", without);
        validate = !without;
    }
    VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = t,
    };
    /* Makes the layer pass the driver's handles through: test hooks bypass the layer and know only those. */
    static const VkValidationFeatureDisableEXT disable = VK_VALIDATION_FEATURE_DISABLE_UNIQUE_HANDLES_EXT;
    static const VkValidationFeatureEnableEXT enable = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    const VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = &enable,
        .disabledValidationFeatureCount = 1,
        .pDisabledValidationFeatures = &disable,
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = validate ? &features : NULL,
        .pApplicationInfo = &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                                 .apiVersion = requested_version},
        .enabledLayerCount = validate,
        .ppEnabledLayerNames = &layer,
        .enabledExtensionCount = requested_version < VK_API_VERSION_1_1 ? VKT_COUNT(extensions) : 1,
        .ppEnabledExtensionNames = extensions,
    };
    vkt_ok(vkCreateInstance(&info, NULL, &t->instance));
    if (validate) {
        PFN_vkCreateDebugUtilsMessengerEXT create =
            (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(t->instance, "vkCreateDebugUtilsMessengerEXT");
        vkt_ok(create(t->instance, &messenger, NULL, &t->messenger));
    }
}

bool vkt_has_extension(const struct vkt *t, const char *name)
{
    VkExtensionProperties has[256];
    uint32_t count = VKT_COUNT(has);
    vkEnumerateDeviceExtensionProperties(t->physical, NULL, &count, has);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(has[i].extensionName, name))
            return true;
    return false;
}

static void create_device(struct vkt *t, const char *const *more, uint32_t more_count, void *more_chain,
                          bool with_sparse)
{
    uint32_t count = 1;
    VkResult res = vkEnumeratePhysicalDevices(t->instance, &count, &t->physical);
    assert_true(res == VK_SUCCESS || res == VK_INCOMPLETE);
    assert_int_equal(count, 1);
    vkGetPhysicalDeviceProperties(t->physical, &t->properties);
    vkGetPhysicalDeviceMemoryProperties(t->physical, &t->memory);
    VkPhysicalDeviceFeatures has;
    vkGetPhysicalDeviceFeatures(t->physical, &has);
    t->makes_sparse &= has.sparseBinding;
    with_sparse |= t->makes_sparse;
    const VkPhysicalDeviceFeatures wanted = {
        .fullDrawIndexUint32 = has.fullDrawIndexUint32,
        .imageCubeArray = has.imageCubeArray,
        .multiDrawIndirect = has.multiDrawIndirect,
        .pipelineStatisticsQuery = has.pipelineStatisticsQuery,
        .drawIndirectFirstInstance = has.drawIndirectFirstInstance,
        .fillModeNonSolid = has.fillModeNonSolid,
        .depthBiasClamp = has.depthBiasClamp,
        .depthClamp = has.depthClamp,
        .multiViewport = has.multiViewport,
        .geometryShader = has.geometryShader,
        .tessellationShader = has.tessellationShader,
        .shaderTessellationAndGeometryPointSize = has.shaderTessellationAndGeometryPointSize,
        .shaderCullDistance = has.shaderCullDistance,
        .shaderFloat64 = has.shaderFloat64,
        .shaderInt64 = has.shaderInt64,
        .shaderInt16 = has.shaderInt16,
        .shaderResourceMinLod = has.shaderResourceMinLod,
        .wideLines = has.wideLines,
        .largePoints = has.largePoints,
        .samplerAnisotropy = has.samplerAnisotropy,
        .textureCompressionBC = has.textureCompressionBC,
        .textureCompressionETC2 = has.textureCompressionETC2,
        .textureCompressionASTC_LDR = has.textureCompressionASTC_LDR,
        .sampleRateShading = has.sampleRateShading,
        .shaderStorageImageMultisample = has.shaderStorageImageMultisample,
        .alphaToOne = has.alphaToOne,
        .independentBlend = has.independentBlend,
        .dualSrcBlend = has.dualSrcBlend,
        .logicOp = has.logicOp,
        .vertexPipelineStoresAndAtomics = has.vertexPipelineStoresAndAtomics,
        .fragmentStoresAndAtomics = has.fragmentStoresAndAtomics,
        .shaderImageGatherExtended = has.shaderImageGatherExtended,
        .shaderClipDistance = has.shaderClipDistance,
        .shaderUniformBufferArrayDynamicIndexing = has.shaderUniformBufferArrayDynamicIndexing,
        .shaderStorageBufferArrayDynamicIndexing = has.shaderStorageBufferArrayDynamicIndexing,
        .shaderSampledImageArrayDynamicIndexing = has.shaderSampledImageArrayDynamicIndexing,
        .shaderStorageImageArrayDynamicIndexing = has.shaderStorageImageArrayDynamicIndexing,
        .shaderStorageImageReadWithoutFormat = has.shaderStorageImageReadWithoutFormat,
        .shaderStorageImageWriteWithoutFormat = has.shaderStorageImageWriteWithoutFormat,
        .shaderStorageImageExtendedFormats = has.shaderStorageImageExtendedFormats,
        .robustBufferAccess = has.robustBufferAccess,
        .occlusionQueryPrecise = has.occlusionQueryPrecise,
        .inheritedQueries = has.inheritedQueries,
        .sparseBinding = with_sparse && has.sparseBinding,
        .sparseResidencyBuffer = with_sparse && has.sparseResidencyBuffer,
        .sparseResidencyAliased = with_sparse && has.sparseResidencyAliased,
    };
    const char *extensions[24] = {VK_KHR_MAINTENANCE1_EXTENSION_NAME,
                                  VK_KHR_MAINTENANCE2_EXTENSION_NAME,
                                  VK_KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE_EXTENSION_NAME,
                                  VK_KHR_UNIFORM_BUFFER_STANDARD_LAYOUT_EXTENSION_NAME,
                                  VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME,
                                  VK_KHR_STORAGE_BUFFER_STORAGE_CLASS_EXTENSION_NAME,
                                  VK_KHR_8BIT_STORAGE_EXTENSION_NAME,
                                  VK_KHR_16BIT_STORAGE_EXTENSION_NAME,
                                  VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME,
                                  VK_KHR_MULTIVIEW_EXTENSION_NAME,
                                  VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
                                  VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME,
                                  VK_KHR_IMAGELESS_FRAMEBUFFER_EXTENSION_NAME};
    const uint32_t own_count = requested_version < VK_API_VERSION_1_1 ? 13 : 0;
    const bool has_4444 = own_count && vkt_has_extension(t, VK_EXT_4444_FORMATS_EXTENSION_NAME);
    assert_true(own_count + more_count + has_4444 <= VKT_COUNT(extensions));
    for (uint32_t i = 0; i < more_count; i++)
        extensions[own_count + i] = more[i];
    if (has_4444)
        extensions[own_count + more_count] = VK_EXT_4444_FORMATS_EXTENSION_NAME;
    VkPhysicalDevice4444FormatsFeaturesEXT formats_4444 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_4444_FORMATS_FEATURES_EXT,
        .formatA4R4G4B4 = VK_TRUE,
        .formatA4B4G4R4 = VK_TRUE};
    VkPhysicalDeviceUniformBufferStandardLayoutFeatures standard = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES,
        .uniformBufferStandardLayout = VK_TRUE};
    VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures demote = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES,
        .pNext = &standard,
        .shaderDemoteToHelperInvocation = VK_TRUE};
    VkPhysicalDevice8BitStorageFeatures bytes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
        .pNext = &demote,
        .storageBuffer8BitAccess = VK_TRUE,
        .uniformAndStorageBuffer8BitAccess = VK_TRUE};
    VkPhysicalDevice16BitStorageFeatures halves = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
        .pNext = own_count ? &bytes : NULL,
        .storageBuffer16BitAccess = VK_TRUE,
        .uniformAndStorageBuffer16BitAccess = VK_TRUE};
    VkPhysicalDeviceShaderFloat16Int8Features small = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
        .shaderFloat16 = VK_TRUE,
        .shaderInt8 = VK_TRUE};
    for (uint32_t i = 0; i < more_count; i++)
        if (!strcmp(more[i], VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME)) /* and with it all other features of small numbers */
            halves.storagePushConstant16 = halves.storageInputOutput16 = bytes.storagePushConstant8 = VK_TRUE;
    VkPhysicalDeviceMultiviewFeatures views = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES,
                                               .pNext = &halves,
                                               .multiview = VK_TRUE,
                                               .multiviewGeometryShader = has.geometryShader,
                                               .multiviewTessellationShader = has.tessellationShader};
    VkPhysicalDeviceImagelessFramebufferFeatures imageless = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES,
        .pNext = &views,
        .imagelessFramebuffer = VK_TRUE};
    formats_4444.pNext = &imageless;
    VkPhysicalDeviceScalarBlockLayoutFeatures scalar = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,
        .pNext = has_4444 ? (void *)&formats_4444 : &imageless,
        .scalarBlockLayout = VK_TRUE};
    VkPhysicalDeviceSamplerYcbcrConversionFeatures ycbcr = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES,
        .pNext = own_count ? NULL : &views,
        .samplerYcbcrConversion = VK_TRUE};
    VkPhysicalDeviceIndexTypeUint8FeaturesEXT index_bytes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT, .indexTypeUint8 = VK_TRUE};
    VkPhysicalDeviceSeparateDepthStencilLayoutsFeatures separate = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES,
        .separateDepthStencilLayouts = VK_TRUE};
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pipelineExecutableInfo = VK_TRUE};
    VkPhysicalDevicePerformanceQueryFeaturesKHR counters = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR,
        .performanceCounterQueryPools = VK_TRUE,
        .performanceCounterMultipleQueryPools = VK_TRUE};
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
        .vulkanMemoryModel = VK_TRUE,
        .vulkanMemoryModelDeviceScope = VK_TRUE};
    VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisors = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT,
        .vertexAttributeInstanceRateDivisor = VK_TRUE,
        .vertexAttributeInstanceRateZeroDivisor = VK_TRUE};
    VkPhysicalDeviceDepthClipEnableFeaturesEXT depth_clip = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT, .depthClipEnable = VK_TRUE};
    VkPhysicalDeviceProvokingVertexFeaturesEXT provoking = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT, .provokingVertexLast = VK_TRUE};
    for (uint32_t i = 0; i < more_count; i++)
        provoking.transformFeedbackPreservesProvokingVertex |=
            !strcmp(more[i], VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME);
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
        .bufferDeviceAddress = VK_TRUE,
        .bufferDeviceAddressCaptureReplay = VK_TRUE};
    VkPhysicalDeviceVariablePointersFeatures pointers = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES,
        .variablePointersStorageBuffer = VK_TRUE,
        .variablePointers = VK_TRUE};
    VkPhysicalDeviceShaderClockFeaturesKHR clocks = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,
        .shaderSubgroupClock = VK_TRUE,
        .shaderDeviceClock = VK_TRUE};
    VkPhysicalDeviceSubgroupSizeControlFeaturesEXT subgroup_sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT,
        .subgroupSizeControl = VK_TRUE,
        .computeFullSubgroups = VK_TRUE};
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR uniform_flow = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
        .shaderSubgroupUniformControlFlow = VK_TRUE};
    VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures subgroup_types = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES,
        .shaderSubgroupExtendedTypes = VK_TRUE};
    VkPhysicalDeviceShaderAtomicInt64Features atomics = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
        .shaderBufferInt64Atomics = VK_TRUE,
        .shaderSharedInt64Atomics = VK_TRUE};
    VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT image_atomics = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT,
        .shaderImageInt64Atomics = VK_TRUE};
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot_products = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
        .shaderIntegerDotProduct = VK_TRUE};
    VkPhysicalDeviceShaderTerminateInvocationFeatures terminate = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES,
        .shaderTerminateInvocation = VK_TRUE};
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR shared_blocks = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
        .workgroupMemoryExplicitLayout = VK_TRUE,
        .workgroupMemoryExplicitLayoutScalarBlockLayout = VK_TRUE,
        .workgroupMemoryExplicitLayout8BitAccess = VK_TRUE,
        .workgroupMemoryExplicitLayout16BitAccess = VK_TRUE};
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zeroed = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES,
        .shaderZeroInitializeWorkgroupMemory = VK_TRUE};
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT float_atomics = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
        .shaderBufferFloat32Atomics = VK_TRUE,
        .shaderBufferFloat32AtomicAdd = VK_TRUE,
        .shaderSharedFloat32Atomics = VK_TRUE,
        .shaderSharedFloat32AtomicAdd = VK_TRUE,
        .shaderImageFloat32Atomics = VK_TRUE,
        .shaderImageFloat32AtomicAdd = VK_TRUE};
    VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT float_limits = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
        .shaderBufferFloat32AtomicMinMax = VK_TRUE,
        .shaderSharedFloat32AtomicMinMax = VK_TRUE,
        .shaderImageFloat32AtomicMinMax = VK_TRUE};
    VkPhysicalDeviceMultiDrawFeaturesEXT multi_draw = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT, .multiDraw = VK_TRUE};
    VkPhysicalDeviceMaintenance4Features maintenance4 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, .maintenance4 = VK_TRUE};
    VkPhysicalDevicePipelineCreationCacheControlFeatures cache_control = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
        .pipelineCreationCacheControl = VK_TRUE};
    VkPhysicalDeviceTexelBufferAlignmentFeaturesEXT texel_buffers = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT,
        .texelBufferAlignment = VK_TRUE};
    VkPhysicalDevicePrivateDataFeatures private_data = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES, .privateData = VK_TRUE};
    const struct {
        const char *extension;
        void *features;
    } optional[] = {{VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME, &addresses},
                    {VK_KHR_VARIABLE_POINTERS_EXTENSION_NAME, &pointers},
                    {VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME, &demote}, /* asked for with 1.1 only */
                    {VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME, &atomics},
                    {VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME, &image_atomics},
                    {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, &small},
                    {VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME, &dot_products},
                    {VK_KHR_SHADER_TERMINATE_INVOCATION_EXTENSION_NAME, &terminate},
                    {VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME, &shared_blocks},
                    {VK_KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY_EXTENSION_NAME, &zeroed},
                    {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, &float_atomics},
                    {VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME, &float_limits},
                    {VK_KHR_SHADER_CLOCK_EXTENSION_NAME, &clocks},
                    {VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, &subgroup_sizes},
                    {VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME, &subgroup_types},
                    {VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME, &uniform_flow},
                    {VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME, &provoking},
                    {VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME, &depth_clip},
                    {VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME, &ycbcr},
                    {VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME, &index_bytes},
                    {VK_KHR_SEPARATE_DEPTH_STENCIL_LAYOUTS_EXTENSION_NAME, &separate},
                    {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, &executables},
                    {VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME, &counters},
                    {VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME, &memory_model},
                    {VK_EXT_MULTI_DRAW_EXTENSION_NAME, &multi_draw},
                    {VK_KHR_MAINTENANCE_4_EXTENSION_NAME, &maintenance4},
                    {VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME, &cache_control},
                    {VK_EXT_TEXEL_BUFFER_ALIGNMENT_EXTENSION_NAME, &texel_buffers},
                    {VK_EXT_PRIVATE_DATA_EXTENSION_NAME, &private_data},
                    {VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME, &divisors}};
    VkPhysicalDeviceVulkan13Features core_1_3 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features core_1_2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                 .pNext = &core_1_3};
    VkPhysicalDeviceVulkan11Features core_1_1 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                 .pNext = &core_1_2};
    VkBaseOutStructure *chain = own_count ? (void *)&scalar : &ycbcr;
#ifdef VK_VERSION_1_4
    VkPhysicalDeviceVulkan14Features core_1_4 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES};
    if (requested_version >= VK_API_VERSION_1_4 && t->properties.apiVersion >= VK_API_VERSION_1_4)
        core_1_3.pNext = &core_1_4;
#endif
    if (requested_version >= VK_API_VERSION_1_3) {
        vkGetPhysicalDeviceFeatures2(
            t->physical,
            &(VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &core_1_1});
        chain = (void *)&core_1_1;
    }
    for (uint32_t i = 0; i < more_count; i++)
        for (uint32_t k = 0; k < VKT_COUNT(optional); k++)
            if (!strcmp(more[i], optional[k].extension)) {
                ((VkBaseOutStructure *)optional[k].features)->pNext = chain;
                chain = optional[k].features;
            }
    if (more_chain) {
        VkBaseOutStructure *last = more_chain;
        while (last->pNext)
            last = last->pNext;
        last->pNext = chain;
        chain = more_chain;
    }
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = chain,
        .enabledExtensionCount = own_count + more_count + has_4444,
        .ppEnabledExtensionNames = extensions,
        .pEnabledFeatures = &wanted,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &(VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                        .queueCount = 1,
                                                        .pQueuePriorities = &(float){1}},
    };
    vkt_ok(vkCreateDevice(t->physical, &info, NULL, &t->device));
    vkGetDeviceQueue(t->device, 0, 0, &t->queue);
    vkt_ok(vkCreateCommandPool(t->device,
                               &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT},
                               NULL, &t->pool));
    const VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 256}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 256},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 64},  {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 64},
        {VK_DESCRIPTOR_TYPE_SAMPLER, 64},                 {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 128},
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 256},         {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 64},
        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 256},          {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 128},
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 64},
    };
    vkt_ok(vkCreateDescriptorPool(t->device,
                                  &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                                .maxSets = 256,
                                                                .poolSizeCount = VKT_COUNT(sizes),
                                                                .pPoolSizes = sizes},
                                  NULL, &t->descriptors));
}

struct vkt vkt_device_create(const struct vkt *t)
{
    return vkt_device_create_with(t, NULL, 0);
}

struct vkt vkt_device_create_with(const struct vkt *t, const char *const *extensions, uint32_t count)
{
    struct vkt again = *t;
    create_device(&again, extensions, count, NULL, false);
    return again;
}

struct vkt vkt_device_create_sparse(const struct vkt *t, const char *const *extensions, uint32_t count)
{
    struct vkt again = *t;
    create_device(&again, extensions, count, NULL, true);
    return again;
}

struct vkt vkt_device_create_chain(const struct vkt *t, const char *const *extensions, uint32_t count, void *chain)
{
    struct vkt again = *t;
    create_device(&again, extensions, count, chain, false);
    return again;
}

void vkt_device_close(struct vkt *again)
{
    vkDeviceWaitIdle(again->device);
    vkDestroyDescriptorPool(again->device, again->descriptors, NULL);
    vkDestroyCommandPool(again->device, again->pool, NULL);
    vkDestroyDevice(again->device, NULL);
}

/* The loader reads the manifest's path from the environment when an instance is created. */
static void select_icd(enum vkt_which which)
{
    const char *icd = getenv(which == VKT_TESTED ? "VKT_TESTED_ICD" : "VKT_REFERENCE_ICD");
    glob_t found = {0};
    if (which == VKT_REFERENCE && !icd && !glob("/usr/share/vulkan/icd.d/lvp_icd*.json", 0, NULL, &found))
        icd = found.gl_pathv[0];
    if (which == VKT_REFERENCE && !icd) {
        printf("# no judge: lavapipe: not installed\n");
        vkt_skip("lavapipe is not installed, and VKT_REFERENCE_ICD names no other reference");
    }
    if (icd)
        setenv("VK_ICD_FILENAMES", icd, 1);
    globfree(&found);
}

struct vkt *vkt_device(enum vkt_which which)
{
    struct vkt *t = &devices[which];
    if (!opened[which]) {
        select_icd(which);
        vkt_check_leaks_at_exit();
        create_instance(t, which == VKT_TESTED);
        t->makes_sparse = which == VKT_TESTED && getenv("VKT_SPARSE");
        create_device(t, NULL, 0, NULL, false);
        vkt_keep_libraries();
        opened[which] = true;
        printf("# %s: %s\n", which == VKT_TESTED ? "tested" : "reference", t->properties.deviceName);
        if (which == VKT_REFERENCE) {
            assert_null(strstr(t->properties.deviceName, "vc4vk")); /* the driver must not be its own reference */
            if (strstr(t->properties.deviceName, "llvmpipe"))
                printf("# judge: lavapipe\n");
        }
    }
    return t;
}

void vkt_forget_devices(void)
{
    memset(devices, 0, sizeof devices);
    memset(opened, 0, sizeof opened);
}

/* Leaves the reference open, so that leaks of its library are not mistaken for ours. */
int vkt_teardown(void **state)
{
    struct vkt *t = &devices[VKT_TESTED];
    if (!opened[VKT_TESTED])
        return 0;
    vkDeviceWaitIdle(t->device);
    vkDestroyDescriptorPool(t->device, t->descriptors, NULL);
    vkDestroyCommandPool(t->device, t->pool, NULL);
    vkDestroyDevice(t->device, NULL);
    if (t->messenger)
        ((PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(t->instance, "vkDestroyDebugUtilsMessengerEXT"))(
            t->instance, t->messenger, NULL);
    vkDestroyInstance(t->instance, NULL);
    opened[VKT_TESTED] = false;
    if (t->validation_messages)
        printf("# %u validation messages at the end\n", t->validation_messages);
    return t->validation_messages ? -1 : 0;
}

int vkt_check_messages(void **state)
{
    struct vkt *t = &devices[VKT_TESTED];
    if (!opened[VKT_TESTED])
        return 0;
    vkResetDescriptorPool(t->device, t->descriptors, 0);
    unsigned messages = t->validation_messages;
    t->validation_messages = 0;
    t->accepted_message = NULL;
    return messages ? -1 : 0;
}

void vkt_accept_message(struct vkt *t, const char *id)
{
    t->accepted_message = id;
}

PFN_vkVoidFunction vkt_hook(struct vkt *t, const char *name)
{
    PFN_vkVoidFunction hook = vkGetDeviceProcAddr(t->device, name + strlen("vc4"));
    if (!hook)
        fail_msg("no test hook '%s' (VC4VK_DEBUG=test-hooks?)", name);
    return hook;
}
