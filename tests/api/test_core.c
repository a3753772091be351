/* SPDX-License-Identifier: MIT
 *
 * Vulkan 1.2 and 1.3 without any extension: their commands under their own names, which applications of older versions
 * do not see; their feature and property structs, which repeat those of extensions member by member; how features are
 * enabled with them; and a picture drawn with commands of 1.3 alone.
 */
#include <stdio.h>
#include <string.h>
#include "vkt.h"
#include "push.frag.h"
#include "push.vert.h"

enum { W = 64, H = 32 };

/* ---------------------------------------------------------------- commands */

static const char *const device_1_2[] = {
    "vkCmdBeginRenderPass2",
    "vkCmdDrawIndexedIndirectCount",
    "vkCmdDrawIndirectCount",
    "vkCmdEndRenderPass2",
    "vkCmdNextSubpass2",
    "vkCreateRenderPass2",
    "vkGetBufferDeviceAddress",
    "vkGetBufferOpaqueCaptureAddress",
    "vkGetDeviceMemoryOpaqueCaptureAddress",
    "vkGetSemaphoreCounterValue",
    "vkResetQueryPool",
    "vkSignalSemaphore",
    "vkWaitSemaphores",
};

static const char *const device_1_3[] = {
    "vkCmdBeginRendering",
    "vkCmdBindVertexBuffers2",
    "vkCmdBlitImage2",
    "vkCmdCopyBuffer2",
    "vkCmdCopyBufferToImage2",
    "vkCmdCopyImage2",
    "vkCmdCopyImageToBuffer2",
    "vkCmdEndRendering",
    "vkCmdPipelineBarrier2",
    "vkCmdResetEvent2",
    "vkCmdResolveImage2",
    "vkCmdSetCullMode",
    "vkCmdSetDepthBiasEnable",
    "vkCmdSetDepthBoundsTestEnable",
    "vkCmdSetDepthCompareOp",
    "vkCmdSetDepthTestEnable",
    "vkCmdSetDepthWriteEnable",
    "vkCmdSetEvent2",
    "vkCmdSetFrontFace",
    "vkCmdSetPrimitiveRestartEnable",
    "vkCmdSetPrimitiveTopology",
    "vkCmdSetRasterizerDiscardEnable",
    "vkCmdSetScissorWithCount",
    "vkCmdSetStencilOp",
    "vkCmdSetStencilTestEnable",
    "vkCmdSetViewportWithCount",
    "vkCmdWaitEvents2",
    "vkCmdWriteTimestamp2",
    "vkCreatePrivateDataSlot",
    "vkDestroyPrivateDataSlot",
    "vkGetDeviceBufferMemoryRequirements",
    "vkGetDeviceImageMemoryRequirements",
    "vkGetDeviceImageSparseMemoryRequirements",
    "vkGetPrivateData",
    "vkQueueSubmit2",
    "vkSetPrivateData",
};

/* Of extensions that no test here enables. */
static const char *const of_extensions[] = {
    "vkWaitSemaphoresKHR", "vkResetQueryPoolEXT", "vkCmdBeginRenderingKHR",
    "vkQueueSubmit2KHR",   "vkCmdSetCullModeEXT", "vkGetBufferDeviceAddressEXT",
};

static void expect_functions(VkDevice device, const char *const *names, uint32_t count, bool expected)
{
    for (uint32_t i = 0; i < count; i++)
        if (!vkGetDeviceProcAddr(device, names[i]) == expected)
            fail_msg("%s: %s", names[i], expected ? "missing" : "visible");
}

static VkInstance create_instance(uint32_t version)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = version};
    VkInstance instance;
    vkt_ok(vkCreateInstance(
        &(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app}, NULL,
        &instance));
    return instance;
}

static VkPhysicalDevice first_device(VkInstance instance)
{
    VkPhysicalDevice physical;
    uint32_t count = 1;
    const VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical);
    assert_true(count == 1 && (result == VK_SUCCESS || result == VK_INCOMPLETE));
    return physical;
}

static VkResult create_device(VkPhysicalDevice physical, const void *chain, VkDevice *device_out)
{
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}};
    return vkCreateDevice(physical,
                          &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                                .pNext = chain,
                                                .queueCreateInfoCount = 1,
                                                .pQueueCreateInfos = &queue},
                          NULL, device_out);
}

static void versions(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    uint32_t instance = 0;
    vkt_ok(vkEnumerateInstanceVersion(&instance));
    assert_true(instance >= VK_API_VERSION_1_3);
    assert_int_equal(VK_API_VERSION_MAJOR(t->properties.apiVersion), 1);
    assert_true(VK_API_VERSION_MINOR(t->properties.apiVersion) >= 3);
}

static void commands_have_their_own_names(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    expect_functions(t->device, device_1_2, VKT_COUNT(device_1_2), true);
    expect_functions(t->device, device_1_3, VKT_COUNT(device_1_3), true);
    expect_functions(t->device, of_extensions, VKT_COUNT(of_extensions), false);
    assert_non_null(vkGetInstanceProcAddr(t->instance, "vkGetPhysicalDeviceToolProperties"));
    vkt_accept_message(t, "WARNING-vkGetDeviceProcAddr-device"); /* newer layers warn of what this asks for */
    assert_null(vkGetDeviceProcAddr(t->device, "vkGetPhysicalDeviceToolProperties"));
}

/* The device's version is the same for all applications; what they see is limited by the version they ask for. */
static void older_applications_see_their_version(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t minor = 0; minor <= 3; minor++) {
        VkInstance instance = create_instance(VK_MAKE_API_VERSION(0, 1, minor, 0));
        VkPhysicalDevice physical = first_device(instance);
        VkPhysicalDeviceProperties properties;
        VkDevice device;
        vkGetPhysicalDeviceProperties(physical, &properties);
        assert_int_equal(properties.apiVersion, t->properties.apiVersion);
        vkt_ok(create_device(physical, NULL, &device));
        assert_non_null(vkGetDeviceProcAddr(device, "vkCmdDraw"));
        expect_functions(device, (const char *const[]){"vkTrimCommandPool"}, 1, minor >= 1);
        expect_functions(device, device_1_2, VKT_COUNT(device_1_2), minor >= 2);
        expect_functions(device, device_1_3, VKT_COUNT(device_1_3), minor >= 3);
        expect_functions(device, of_extensions, VKT_COUNT(of_extensions), false);
        vkDestroyDevice(device, NULL);
        vkDestroyInstance(instance, NULL);
    }
}

/* ---------------------------------------------------------------- features */

static void get_features(struct vkt *t, void *chain)
{
    vkGetPhysicalDeviceFeatures2(
        t->physical,
        &(VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = chain});
}

static void expect_feature(const char *name, VkBool32 of_version, VkBool32 of_extension)
{
    if (of_version != of_extension || of_version > VK_TRUE)
        fail_msg("%s: %u in the version's struct, %u in the extension's", name, of_version, of_extension);
}

/* A query of a struct whose memory holds a pattern. `id` is the end of the name of its type. */
#define POISON 0x4d
#define QUERY(get, t, kind, var, id)                                                                                   \
    kind var;                                                                                                          \
    memset(&(var), POISON, sizeof(var));                                                                               \
    (var).sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##id;                                                              \
    (var).pNext = NULL;                                                                                                \
    get(t, &(var))
#define FEATURES(kind, var, id) QUERY(get_features, t, kind, var, id##_FEATURES)
#define SAME(var, member)       expect_feature(#member, v.member, (var).member)

static void features_1_1_are_those_of_extensions(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    FEATURES(VkPhysicalDeviceVulkan11Features, v, VULKAN_1_1);
    FEATURES(VkPhysicalDevice16BitStorageFeatures, halves, 16BIT_STORAGE);
    SAME(halves, storageBuffer16BitAccess);
    SAME(halves, uniformAndStorageBuffer16BitAccess);
    SAME(halves, storagePushConstant16);
    SAME(halves, storageInputOutput16);
    FEATURES(VkPhysicalDeviceMultiviewFeatures, views, MULTIVIEW);
    SAME(views, multiview);
    SAME(views, multiviewGeometryShader);
    SAME(views, multiviewTessellationShader);
    FEATURES(VkPhysicalDeviceVariablePointersFeatures, pointers, VARIABLE_POINTERS);
    SAME(pointers, variablePointersStorageBuffer);
    SAME(pointers, variablePointers);
    FEATURES(VkPhysicalDeviceProtectedMemoryFeatures, memory, PROTECTED_MEMORY);
    SAME(memory, protectedMemory);
    FEATURES(VkPhysicalDeviceSamplerYcbcrConversionFeatures, ycbcr, SAMPLER_YCBCR_CONVERSION);
    SAME(ycbcr, samplerYcbcrConversion);
    FEATURES(VkPhysicalDeviceShaderDrawParametersFeatures, draws, SHADER_DRAW_PARAMETERS);
    SAME(draws, shaderDrawParameters);
}

static void features_1_2_are_those_of_extensions(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    FEATURES(VkPhysicalDeviceVulkan12Features, v, VULKAN_1_2);
    expect_feature("samplerMirrorClampToEdge", v.samplerMirrorClampToEdge,
                   vkt_has_extension(t, VK_KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE_EXTENSION_NAME));
    expect_feature("drawIndirectCount", v.drawIndirectCount,
                   vkt_has_extension(t, VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME));
    expect_feature("descriptorIndexing", v.descriptorIndexing,
                   vkt_has_extension(t, VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME));
    expect_feature("samplerFilterMinmax", v.samplerFilterMinmax,
                   vkt_has_extension(t, VK_EXT_SAMPLER_FILTER_MINMAX_EXTENSION_NAME));
    expect_feature("shaderOutputViewportIndex", v.shaderOutputViewportIndex,
                   vkt_has_extension(t, VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME));
    expect_feature("shaderOutputLayer", v.shaderOutputLayer,
                   vkt_has_extension(t, VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME));
    expect_feature("subgroupBroadcastDynamicId", v.subgroupBroadcastDynamicId, VK_TRUE);
    FEATURES(VkPhysicalDevice8BitStorageFeatures, bytes, 8BIT_STORAGE);
    SAME(bytes, storageBuffer8BitAccess);
    SAME(bytes, uniformAndStorageBuffer8BitAccess);
    SAME(bytes, storagePushConstant8);
    FEATURES(VkPhysicalDeviceShaderAtomicInt64Features, atomics, SHADER_ATOMIC_INT64);
    SAME(atomics, shaderBufferInt64Atomics);
    SAME(atomics, shaderSharedInt64Atomics);
    FEATURES(VkPhysicalDeviceShaderFloat16Int8Features, small, SHADER_FLOAT16_INT8);
    SAME(small, shaderFloat16);
    SAME(small, shaderInt8);
    FEATURES(VkPhysicalDeviceDescriptorIndexingFeatures, indexing, DESCRIPTOR_INDEXING);
    SAME(indexing, shaderInputAttachmentArrayDynamicIndexing);
    SAME(indexing, shaderUniformTexelBufferArrayDynamicIndexing);
    SAME(indexing, shaderStorageTexelBufferArrayDynamicIndexing);
    SAME(indexing, shaderUniformBufferArrayNonUniformIndexing);
    SAME(indexing, shaderSampledImageArrayNonUniformIndexing);
    SAME(indexing, shaderStorageBufferArrayNonUniformIndexing);
    SAME(indexing, shaderStorageImageArrayNonUniformIndexing);
    SAME(indexing, shaderInputAttachmentArrayNonUniformIndexing);
    SAME(indexing, shaderUniformTexelBufferArrayNonUniformIndexing);
    SAME(indexing, shaderStorageTexelBufferArrayNonUniformIndexing);
    SAME(indexing, descriptorBindingUniformBufferUpdateAfterBind);
    SAME(indexing, descriptorBindingSampledImageUpdateAfterBind);
    SAME(indexing, descriptorBindingStorageImageUpdateAfterBind);
    SAME(indexing, descriptorBindingStorageBufferUpdateAfterBind);
    SAME(indexing, descriptorBindingUniformTexelBufferUpdateAfterBind);
    SAME(indexing, descriptorBindingStorageTexelBufferUpdateAfterBind);
    SAME(indexing, descriptorBindingUpdateUnusedWhilePending);
    SAME(indexing, descriptorBindingPartiallyBound);
    SAME(indexing, descriptorBindingVariableDescriptorCount);
    SAME(indexing, runtimeDescriptorArray);
    FEATURES(VkPhysicalDeviceScalarBlockLayoutFeatures, scalar, SCALAR_BLOCK_LAYOUT);
    SAME(scalar, scalarBlockLayout);
    FEATURES(VkPhysicalDeviceImagelessFramebufferFeatures, imageless, IMAGELESS_FRAMEBUFFER);
    SAME(imageless, imagelessFramebuffer);
    FEATURES(VkPhysicalDeviceUniformBufferStandardLayoutFeatures, standard, UNIFORM_BUFFER_STANDARD_LAYOUT);
    SAME(standard, uniformBufferStandardLayout);
    FEATURES(VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures, types, SHADER_SUBGROUP_EXTENDED_TYPES);
    SAME(types, shaderSubgroupExtendedTypes);
    FEATURES(VkPhysicalDeviceSeparateDepthStencilLayoutsFeatures, separate, SEPARATE_DEPTH_STENCIL_LAYOUTS);
    SAME(separate, separateDepthStencilLayouts);
    FEATURES(VkPhysicalDeviceHostQueryResetFeatures, reset, HOST_QUERY_RESET);
    SAME(reset, hostQueryReset);
    FEATURES(VkPhysicalDeviceTimelineSemaphoreFeatures, timeline, TIMELINE_SEMAPHORE);
    SAME(timeline, timelineSemaphore);
    FEATURES(VkPhysicalDeviceBufferDeviceAddressFeatures, addresses, BUFFER_DEVICE_ADDRESS);
    SAME(addresses, bufferDeviceAddress);
    SAME(addresses, bufferDeviceAddressCaptureReplay);
    SAME(addresses, bufferDeviceAddressMultiDevice);
    FEATURES(VkPhysicalDeviceVulkanMemoryModelFeatures, model, VULKAN_MEMORY_MODEL);
    SAME(model, vulkanMemoryModel);
    SAME(model, vulkanMemoryModelDeviceScope);
    SAME(model, vulkanMemoryModelAvailabilityVisibilityChains);
}

static void features_1_3_are_those_of_extensions(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    FEATURES(VkPhysicalDeviceVulkan13Features, v, VULKAN_1_3);
    FEATURES(VkPhysicalDeviceImageRobustnessFeatures, robustness, IMAGE_ROBUSTNESS);
    SAME(robustness, robustImageAccess);
    FEATURES(VkPhysicalDeviceInlineUniformBlockFeatures, blocks, INLINE_UNIFORM_BLOCK);
    SAME(blocks, inlineUniformBlock);
    SAME(blocks, descriptorBindingInlineUniformBlockUpdateAfterBind);
    FEATURES(VkPhysicalDevicePipelineCreationCacheControlFeatures, control, PIPELINE_CREATION_CACHE_CONTROL);
    SAME(control, pipelineCreationCacheControl);
    FEATURES(VkPhysicalDevicePrivateDataFeatures, data, PRIVATE_DATA);
    SAME(data, privateData);
    FEATURES(VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures, demote, SHADER_DEMOTE_TO_HELPER_INVOCATION);
    SAME(demote, shaderDemoteToHelperInvocation);
    FEATURES(VkPhysicalDeviceShaderTerminateInvocationFeatures, terminate, SHADER_TERMINATE_INVOCATION);
    SAME(terminate, shaderTerminateInvocation);
    FEATURES(VkPhysicalDeviceSubgroupSizeControlFeatures, sizes, SUBGROUP_SIZE_CONTROL);
    SAME(sizes, subgroupSizeControl);
    SAME(sizes, computeFullSubgroups);
    FEATURES(VkPhysicalDeviceSynchronization2Features, sync2, SYNCHRONIZATION_2);
    SAME(sync2, synchronization2);
    FEATURES(VkPhysicalDeviceTextureCompressionASTCHDRFeatures, astc, TEXTURE_COMPRESSION_ASTC_HDR);
    SAME(astc, textureCompressionASTC_HDR);
    FEATURES(VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures, zeros, ZERO_INITIALIZE_WORKGROUP_MEMORY);
    SAME(zeros, shaderZeroInitializeWorkgroupMemory);
    FEATURES(VkPhysicalDeviceDynamicRenderingFeatures, rendering, DYNAMIC_RENDERING);
    SAME(rendering, dynamicRendering);
    FEATURES(VkPhysicalDeviceShaderIntegerDotProductFeatures, dots, SHADER_INTEGER_DOT_PRODUCT);
    SAME(dots, shaderIntegerDotProduct);
    FEATURES(VkPhysicalDeviceMaintenance4Features, maintenance4, MAINTENANCE_4);
    SAME(maintenance4, maintenance4);
}

/* Whatever is reported can be enabled, and nothing else. */
static void features_are_enabled_one_by_one(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    FEATURES(VkPhysicalDeviceVulkan11Features, has_1_1, VULKAN_1_1);
    FEATURES(VkPhysicalDeviceVulkan12Features, has_1_2, VULKAN_1_2);
    FEATURES(VkPhysicalDeviceVulkan13Features, has_1_3, VULKAN_1_3);
    const struct {
        VkStructureType type;
        const VkBool32 *has;
        uint32_t count;
    } structs[] = {
        {has_1_1.sType, &has_1_1.storageBuffer16BitAccess, 12},
        {has_1_2.sType, &has_1_2.samplerMirrorClampToEdge, 47},
        {has_1_3.sType, &has_1_3.robustImageAccess, 15},
    };
    /* The layer is not asked: it would refuse the wrong requests itself. */
    VkInstance instance = create_instance(VK_API_VERSION_1_3);
    VkPhysicalDevice physical = first_device(instance);
    for (uint32_t s = 0; s < VKT_COUNT(structs); s++)
        for (uint32_t i = 0; i < structs[s].count; i++) {
            struct {
                VkBaseOutStructure base;
                VkBool32 members[48];
            } wanted = {.base.sType = structs[s].type};
            VkDevice device = VK_NULL_HANDLE;
            wanted.members[i] = VK_TRUE;
            const VkResult result = create_device(physical, &wanted, &device);
            if (result != (structs[s].has[i] ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT))
                fail_msg("struct %d, member %u, reported as %u: %d", (int)structs[s].type, i, structs[s].has[i],
                         result);
            vkDestroyDevice(device, NULL);
        }
    vkDestroyInstance(instance, NULL);
}

/* The specification forbids both structs in one chain; devices are created from such chains all the same. */
static void both_kinds_of_structs_are_accepted(void **state)
{
    vkt_device(VKT_TESTED);
    VkInstance instance = create_instance(VK_API_VERSION_1_3);
    VkDevice device;
    VkPhysicalDeviceDynamicRenderingFeatures rendering = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, .dynamicRendering = VK_TRUE};
    VkPhysicalDeviceVulkan13Features core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                             .pNext = &rendering,
                                             .synchronization2 = VK_TRUE};
    vkt_ok(create_device(first_device(instance), &core, &device));
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
}

/* ---------------------------------------------------------------- properties */

static void get_properties(struct vkt *t, void *chain)
{
    vkGetPhysicalDeviceProperties2(
        t->physical,
        &(VkPhysicalDeviceProperties2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = chain});
}

static void expect_property(const char *name, const void *of_version, const void *of_extension, size_t size_B)
{
    static const uint8_t pattern[4] = {POISON, POISON, POISON, POISON};
    if (memcmp(of_version, of_extension, size_B) || !memcmp(of_version, pattern, 4 < size_B ? 4 : size_B))
        fail_msg("%s: the version's struct has another value than the extension's", name);
}

#define PROPERTIES(kind, var, id)   QUERY(get_properties, t, kind, var, id##_PROPERTIES)
#define SAME_AS(member, var, other) expect_property(#member, &v.member, &(var).other, sizeof v.member)
#define SAME_VALUE(var, member)     SAME_AS(member, var, member)
/* Strings end before the end of their array, and what follows is not defined. */
#define SAME_TEXT(var, member) assert_string_equal(v.member, (var).member)

static void properties_1_1_are_those_of_extensions(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    PROPERTIES(VkPhysicalDeviceVulkan11Properties, v, VULKAN_1_1);
    PROPERTIES(VkPhysicalDeviceIDProperties, id, ID);
    SAME_VALUE(id, deviceUUID);
    SAME_VALUE(id, driverUUID);
    SAME_VALUE(id, deviceNodeMask);
    SAME_VALUE(id, deviceLUIDValid);
    PROPERTIES(VkPhysicalDeviceSubgroupProperties, subgroup, SUBGROUP);
    SAME_VALUE(subgroup, subgroupSize);
    SAME_AS(subgroupSupportedStages, subgroup, supportedStages);
    SAME_AS(subgroupSupportedOperations, subgroup, supportedOperations);
    SAME_AS(subgroupQuadOperationsInAllStages, subgroup, quadOperationsInAllStages);
    PROPERTIES(VkPhysicalDevicePointClippingProperties, clipping, POINT_CLIPPING);
    SAME_VALUE(clipping, pointClippingBehavior);
    PROPERTIES(VkPhysicalDeviceMultiviewProperties, views, MULTIVIEW);
    SAME_VALUE(views, maxMultiviewViewCount);
    SAME_VALUE(views, maxMultiviewInstanceIndex);
    PROPERTIES(VkPhysicalDeviceProtectedMemoryProperties, memory, PROTECTED_MEMORY);
    SAME_VALUE(memory, protectedNoFault);
    PROPERTIES(VkPhysicalDeviceMaintenance3Properties, maintenance3, MAINTENANCE_3);
    SAME_VALUE(maintenance3, maxPerSetDescriptors);
    SAME_VALUE(maintenance3, maxMemoryAllocationSize);
}

static void properties_1_2_are_those_of_extensions(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    PROPERTIES(VkPhysicalDeviceVulkan12Properties, v, VULKAN_1_2);
    PROPERTIES(VkPhysicalDeviceDriverProperties, driver, DRIVER);
    SAME_VALUE(driver, driverID);
    SAME_TEXT(driver, driverName);
    SAME_TEXT(driver, driverInfo);
    SAME_VALUE(driver, conformanceVersion);
    PROPERTIES(VkPhysicalDeviceFloatControlsProperties, floats, FLOAT_CONTROLS);
    SAME_VALUE(floats, denormBehaviorIndependence);
    SAME_VALUE(floats, roundingModeIndependence);
    SAME_VALUE(floats, shaderSignedZeroInfNanPreserveFloat16);
    SAME_VALUE(floats, shaderSignedZeroInfNanPreserveFloat32);
    SAME_VALUE(floats, shaderSignedZeroInfNanPreserveFloat64);
    SAME_VALUE(floats, shaderDenormPreserveFloat16);
    SAME_VALUE(floats, shaderDenormPreserveFloat32);
    SAME_VALUE(floats, shaderDenormPreserveFloat64);
    SAME_VALUE(floats, shaderDenormFlushToZeroFloat16);
    SAME_VALUE(floats, shaderDenormFlushToZeroFloat32);
    SAME_VALUE(floats, shaderDenormFlushToZeroFloat64);
    SAME_VALUE(floats, shaderRoundingModeRTEFloat16);
    SAME_VALUE(floats, shaderRoundingModeRTEFloat32);
    SAME_VALUE(floats, shaderRoundingModeRTEFloat64);
    SAME_VALUE(floats, shaderRoundingModeRTZFloat16);
    SAME_VALUE(floats, shaderRoundingModeRTZFloat32);
    SAME_VALUE(floats, shaderRoundingModeRTZFloat64);
    PROPERTIES(VkPhysicalDeviceDescriptorIndexingProperties, indexing, DESCRIPTOR_INDEXING);
    SAME_VALUE(indexing, maxUpdateAfterBindDescriptorsInAllPools);
    SAME_VALUE(indexing, shaderUniformBufferArrayNonUniformIndexingNative);
    SAME_VALUE(indexing, shaderSampledImageArrayNonUniformIndexingNative);
    SAME_VALUE(indexing, shaderStorageBufferArrayNonUniformIndexingNative);
    SAME_VALUE(indexing, shaderStorageImageArrayNonUniformIndexingNative);
    SAME_VALUE(indexing, shaderInputAttachmentArrayNonUniformIndexingNative);
    SAME_VALUE(indexing, robustBufferAccessUpdateAfterBind);
    SAME_VALUE(indexing, quadDivergentImplicitLod);
    SAME_VALUE(indexing, maxPerStageDescriptorUpdateAfterBindSamplers);
    SAME_VALUE(indexing, maxPerStageDescriptorUpdateAfterBindUniformBuffers);
    SAME_VALUE(indexing, maxPerStageDescriptorUpdateAfterBindStorageBuffers);
    SAME_VALUE(indexing, maxPerStageDescriptorUpdateAfterBindSampledImages);
    SAME_VALUE(indexing, maxPerStageDescriptorUpdateAfterBindStorageImages);
    SAME_VALUE(indexing, maxPerStageDescriptorUpdateAfterBindInputAttachments);
    SAME_VALUE(indexing, maxPerStageUpdateAfterBindResources);
    SAME_VALUE(indexing, maxDescriptorSetUpdateAfterBindSamplers);
    SAME_VALUE(indexing, maxDescriptorSetUpdateAfterBindUniformBuffers);
    SAME_VALUE(indexing, maxDescriptorSetUpdateAfterBindUniformBuffersDynamic);
    SAME_VALUE(indexing, maxDescriptorSetUpdateAfterBindStorageBuffers);
    SAME_VALUE(indexing, maxDescriptorSetUpdateAfterBindStorageBuffersDynamic);
    SAME_VALUE(indexing, maxDescriptorSetUpdateAfterBindSampledImages);
    SAME_VALUE(indexing, maxDescriptorSetUpdateAfterBindStorageImages);
    SAME_VALUE(indexing, maxDescriptorSetUpdateAfterBindInputAttachments);
    PROPERTIES(VkPhysicalDeviceDepthStencilResolveProperties, resolve, DEPTH_STENCIL_RESOLVE);
    SAME_VALUE(resolve, supportedDepthResolveModes);
    SAME_VALUE(resolve, supportedStencilResolveModes);
    SAME_VALUE(resolve, independentResolveNone);
    SAME_VALUE(resolve, independentResolve);
    PROPERTIES(VkPhysicalDeviceSamplerFilterMinmaxProperties, minmax, SAMPLER_FILTER_MINMAX);
    SAME_VALUE(minmax, filterMinmaxSingleComponentFormats);
    SAME_VALUE(minmax, filterMinmaxImageComponentMapping);
    PROPERTIES(VkPhysicalDeviceTimelineSemaphoreProperties, timeline, TIMELINE_SEMAPHORE);
    SAME_VALUE(timeline, maxTimelineSemaphoreValueDifference);
}

static void properties_1_3_are_those_of_extensions(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    PROPERTIES(VkPhysicalDeviceVulkan13Properties, v, VULKAN_1_3);
    PROPERTIES(VkPhysicalDeviceSubgroupSizeControlProperties, sizes, SUBGROUP_SIZE_CONTROL);
    SAME_VALUE(sizes, minSubgroupSize);
    SAME_VALUE(sizes, maxSubgroupSize);
    SAME_VALUE(sizes, maxComputeWorkgroupSubgroups);
    SAME_VALUE(sizes, requiredSubgroupSizeStages);
    PROPERTIES(VkPhysicalDeviceInlineUniformBlockProperties, blocks, INLINE_UNIFORM_BLOCK);
    SAME_VALUE(blocks, maxInlineUniformBlockSize);
    SAME_VALUE(blocks, maxPerStageDescriptorInlineUniformBlocks);
    SAME_VALUE(blocks, maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks);
    SAME_VALUE(blocks, maxDescriptorSetInlineUniformBlocks);
    SAME_VALUE(blocks, maxDescriptorSetUpdateAfterBindInlineUniformBlocks);
    PROPERTIES(VkPhysicalDeviceShaderIntegerDotProductProperties, dots, SHADER_INTEGER_DOT_PRODUCT);
    SAME_VALUE(dots, integerDotProduct8BitUnsignedAccelerated);
    SAME_VALUE(dots, integerDotProduct8BitSignedAccelerated);
    SAME_VALUE(dots, integerDotProduct8BitMixedSignednessAccelerated);
    SAME_VALUE(dots, integerDotProduct4x8BitPackedUnsignedAccelerated);
    SAME_VALUE(dots, integerDotProduct4x8BitPackedSignedAccelerated);
    SAME_VALUE(dots, integerDotProduct4x8BitPackedMixedSignednessAccelerated);
    SAME_VALUE(dots, integerDotProduct16BitUnsignedAccelerated);
    SAME_VALUE(dots, integerDotProduct16BitSignedAccelerated);
    SAME_VALUE(dots, integerDotProduct16BitMixedSignednessAccelerated);
    SAME_VALUE(dots, integerDotProduct32BitUnsignedAccelerated);
    SAME_VALUE(dots, integerDotProduct32BitSignedAccelerated);
    SAME_VALUE(dots, integerDotProduct32BitMixedSignednessAccelerated);
    SAME_VALUE(dots, integerDotProduct64BitUnsignedAccelerated);
    SAME_VALUE(dots, integerDotProduct64BitSignedAccelerated);
    SAME_VALUE(dots, integerDotProduct64BitMixedSignednessAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating8BitUnsignedAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating8BitSignedAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating8BitMixedSignednessAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating4x8BitPackedUnsignedAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating4x8BitPackedSignedAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating4x8BitPackedMixedSignednessAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating16BitUnsignedAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating16BitSignedAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating16BitMixedSignednessAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating32BitUnsignedAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating32BitSignedAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating32BitMixedSignednessAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating64BitUnsignedAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating64BitSignedAccelerated);
    SAME_VALUE(dots, integerDotProductAccumulatingSaturating64BitMixedSignednessAccelerated);
    PROPERTIES(VkPhysicalDeviceTexelBufferAlignmentProperties, texels, TEXEL_BUFFER_ALIGNMENT);
    SAME_VALUE(texels, storageTexelBufferOffsetAlignmentBytes);
    SAME_VALUE(texels, storageTexelBufferOffsetSingleTexelAlignment);
    SAME_VALUE(texels, uniformTexelBufferOffsetAlignmentBytes);
    SAME_VALUE(texels, uniformTexelBufferOffsetSingleTexelAlignment);
    PROPERTIES(VkPhysicalDeviceMaintenance4Properties, maintenance4, MAINTENANCE_4);
    SAME_VALUE(maintenance4, maxBufferSize);
}

/* ---------------------------------------------------------------- use */

/* Structs of a version between others, and twice: each is filled. */
static void structs_in_chains(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceVulkan13Properties last = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceMultiviewProperties views = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES,
                                                 .pNext = &last};
    VkPhysicalDeviceVulkan11Properties first = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                                .pNext = &views};
    get_properties(t, &first);
    assert_ptr_equal(first.pNext, &views);
    assert_ptr_equal(views.pNext, &last);
    assert_null(last.pNext);
    assert_true(first.maxMultiviewViewCount && first.maxMultiviewViewCount == views.maxMultiviewViewCount);
    assert_true(last.minSubgroupSize && last.maxBufferSize);
}

static void barrier(VkCommandBuffer cmd, VkImage image, VkImageLayout from, VkImageLayout to,
                    VkPipelineStageFlags2 before, VkAccessFlags2 wrote, VkPipelineStageFlags2 after,
                    VkAccessFlags2 reads)
{
    const VkImageMemoryBarrier2 b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                     .srcStageMask = before,
                                     .srcAccessMask = wrote,
                                     .dstStageMask = after,
                                     .dstAccessMask = reads,
                                     .oldLayout = from,
                                     .newLayout = to,
                                     .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .image = image,
                                     .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier2(cmd, &(VkDependencyInfo){.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                                   .imageMemoryBarrierCount = 1,
                                                   .pImageMemoryBarriers = &b});
}

static struct vkt_pipeline create_pipeline(struct vkt *t)
{
    static const VkDynamicState dynamic[] = {
        VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
        VK_DYNAMIC_STATE_CULL_MODE,           VK_DYNAMIC_STATE_FRONT_FACE,
        VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,  VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
    };
    static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    static const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                            .colorAttachmentCount = 1,
                                                            .pColorAttachmentFormats = &format};
    return vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                      .vs = VKT_SHADER(push_vert),
                                      .fs = VKT_SHADER(push_frag),
                                      .next = &rendering,
                                      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                      .push_size_B = 36,
                                      .width = W,
                                      .height = H,
                                      .dynamic = dynamic,
                                      .dynamic_count = VKT_COUNT(dynamic),
                                      .counts_are_dynamic = true,
                                  });
}

static void draw(VkCommandBuffer cmd, const struct vkt_pipeline *p, const float color_and_rect[9])
{
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 36,
                       color_and_rect);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

/* A pass of dynamic rendering with dynamic state: the strip's front is drawn and its back is culled, discarded draws
 * leave nothing, and vkQueueSubmit2 signals a timeline that vkWaitSemaphores awaits. */
static void commands_of_1_3_draw(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = W,
                                    .height = H,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    struct vkt_buffer out = vkt_buffer_create(t, W * H * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    struct vkt_pipeline p = create_pipeline(t);
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphore timeline;
    vkt_ok(vkCreateSemaphore(t->device,
                             &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type},
                             NULL, &timeline));
    VkCommandBuffer cmd = vkt_begin(t);
    barrier(cmd, image.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL, VK_PIPELINE_STAGE_2_NONE,
            0, VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT);
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = image.view,
                                             .imageLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    vkCmdBeginRendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                .renderArea = {{0, 0}, {W, H}},
                                                .layerCount = 1,
                                                .colorAttachmentCount = 1,
                                                .pColorAttachments = &color});
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdSetViewportWithCount(cmd, 1, &(VkViewport){0, 0, W, H, 0, 1});
    vkCmdSetScissorWithCount(cmd, 1, &(VkRect2D){{0, 0}, {W, H}});
    vkCmdSetPrimitiveTopology(cmd, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
    vkCmdSetRasterizerDiscardEnable(cmd, VK_FALSE);
    vkCmdSetFrontFace(cmd, VK_FRONT_FACE_CLOCKWISE);
    vkCmdSetCullMode(cmd, VK_CULL_MODE_NONE);
    draw(cmd, &p, (const float[9]){1, 0, 0, 1, -1, -1, 0, 1, 0.5f}); /* red: left */
    vkCmdSetCullMode(cmd, VK_CULL_MODE_FRONT_AND_BACK);
    draw(cmd, &p, (const float[9]){0, 1, 0, 1, -1, -1, 1, 1, 0.5f}); /* culled */
    vkCmdSetCullMode(cmd, VK_CULL_MODE_NONE);
    vkCmdSetRasterizerDiscardEnable(cmd, VK_TRUE);
    draw(cmd, &p, (const float[9]){0, 1, 0, 1, -1, -1, 1, 1, 0.5f}); /* discarded */
    vkCmdSetRasterizerDiscardEnable(cmd, VK_FALSE);
    draw(cmd, &p, (const float[9]){0, 0, 1, 1, 0, -1, 1, 0, 0.5f}); /* blue: right, top */
    vkCmdEndRendering(cmd);
    barrier(cmd, image.image, VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
            VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
            VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT);
    const VkBufferImageCopy2 region = {.sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
                                       .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                       .imageExtent = {W, H, 1}};
    vkCmdCopyImageToBuffer2(cmd, &(VkCopyImageToBufferInfo2){.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2,
                                                             .srcImage = image.image,
                                                             .srcImageLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                                             .dstBuffer = out.buffer,
                                                             .regionCount = 1,
                                                             .pRegions = &region});
    vkt_ok(vkEndCommandBuffer(cmd));
    const VkCommandBufferSubmitInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                              .commandBuffer = cmd};
    const VkSemaphoreSubmitInfo signal = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                          .semaphore = timeline,
                                          .value = 7,
                                          .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    const VkSubmitInfo2 submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                  .commandBufferInfoCount = 1,
                                  .pCommandBufferInfos = &buffer,
                                  .signalSemaphoreInfoCount = 1,
                                  .pSignalSemaphoreInfos = &signal};
    vkt_ok(vkQueueSubmit2(t->queue, 1, &submit, VK_NULL_HANDLE));
    vkt_ok(vkWaitSemaphores(t->device,
                            &(VkSemaphoreWaitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                                   .semaphoreCount = 1,
                                                   .pSemaphores = &timeline,
                                                   .pValues = &(uint64_t){7}},
                            UINT64_MAX));
    const uint8_t *px = out.map;
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++, px += 4) {
            const uint8_t expected[4] = {x < W / 2 ? 255 : 0, 0, x >= W / 2 && y < H / 2 ? 255 : 0,
                                         x < W / 2 || y < H / 2 ? 255 : 0};
            if (memcmp(px, expected, 4))
                fail_msg("pixel %u, %u: %u %u %u %u", x, y, px[0], px[1], px[2], px[3]);
        }
    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);
    vkDestroySemaphore(t->device, timeline, NULL);
    vkt_pipeline_destroy(t, &p);
    vkt_buffer_destroy(t, &out);
    vkt_image_destroy(t, &image);
}

/* Commands that take and return values: requirements, private data, addresses, tools, resets of queries. */
static void other_commands_of_core(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = 1000,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                              VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vkGetDeviceBufferMemoryRequirements(
        t->device,
        &(VkDeviceBufferMemoryRequirements){.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS,
                                            .pCreateInfo = &info},
        &needs);
    assert_true(needs.memoryRequirements.size >= 1000);
    VkBuffer buffer;
    VkDeviceMemory memory;
    vkt_ok(vkCreateBuffer(t->device, &info, NULL, &buffer));
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    vkt_ok(vkAllocateMemory(t->device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .pNext = &flags,
                                                    .allocationSize = needs.memoryRequirements.size},
                            NULL, &memory));
    vkt_ok(vkBindBufferMemory(t->device, buffer, memory, 0));
    const VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer};
    assert_true(vkGetBufferDeviceAddress(t->device, &address));
    VkPrivateDataSlot slot;
    uint64_t value = 0;
    vkt_ok(vkCreatePrivateDataSlot(
        t->device, &(VkPrivateDataSlotCreateInfo){.sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO}, NULL,
        &slot));
    vkt_ok(vkSetPrivateData(t->device, VK_OBJECT_TYPE_QUEUE, (uint64_t)(uintptr_t)t->queue, slot, 0x1234));
    vkGetPrivateData(t->device, VK_OBJECT_TYPE_QUEUE, (uint64_t)(uintptr_t)t->queue, slot, &value);
    assert_int_equal(value, 0x1234);
    vkDestroyPrivateDataSlot(t->device, slot, NULL);
    uint32_t tools = 0;
    vkt_ok(vkGetPhysicalDeviceToolProperties(t->physical, &tools, NULL));
    VkQueryPool queries;
    vkt_ok(vkCreateQueryPool(t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                                      .queryCount = 1},
                             NULL, &queries));
    vkResetQueryPool(t->device, queries, 0, 1);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdWriteTimestamp2(cmd, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries, 0);
    vkt_end_submit(t, cmd);
    uint64_t time = 0;
    vkt_ok(vkGetQueryPoolResults(t->device, queries, 0, 1, sizeof time, &time, sizeof time, VK_QUERY_RESULT_64_BIT));
    assert_true(time);
    vkDestroyQueryPool(t->device, queries, NULL);
    vkDestroyBuffer(t->device, buffer, NULL);
    vkFreeMemory(t->device, memory, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(versions, vkt_check_messages),
        cmocka_unit_test_teardown(commands_have_their_own_names, vkt_check_messages),
        cmocka_unit_test_teardown(older_applications_see_their_version, vkt_check_messages),
        cmocka_unit_test_teardown(features_1_1_are_those_of_extensions, vkt_check_messages),
        cmocka_unit_test_teardown(features_1_2_are_those_of_extensions, vkt_check_messages),
        cmocka_unit_test_teardown(features_1_3_are_those_of_extensions, vkt_check_messages),
        cmocka_unit_test_teardown(features_are_enabled_one_by_one, vkt_check_messages),
        cmocka_unit_test_teardown(both_kinds_of_structs_are_accepted, vkt_check_messages),
        cmocka_unit_test_teardown(properties_1_1_are_those_of_extensions, vkt_check_messages),
        cmocka_unit_test_teardown(properties_1_2_are_those_of_extensions, vkt_check_messages),
        cmocka_unit_test_teardown(properties_1_3_are_those_of_extensions, vkt_check_messages),
        cmocka_unit_test_teardown(structs_in_chains, vkt_check_messages),
        cmocka_unit_test_teardown(commands_of_1_3_draw, vkt_check_messages),
        cmocka_unit_test_teardown(other_commands_of_core, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
