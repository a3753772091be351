/* SPDX-License-Identifier: MIT
 *
 * Vulkan 1.4: what the specification demands of it beyond 1.3, which decides the version that the device reports; its
 * structs, which repeat those of extensions member by member; its commands under their own names, and a picture drawn
 * with them.
 */
#include <stdio.h>
#include <string.h>
#include "vkt.h"
#include "local_read_0.frag.h"
#include "push.frag.h"
#include "push.vert.h"

enum { W = 64, H = 32 };

static bool has_1_4(void)
{
    return vkt_device(VKT_TESTED)->properties.apiVersion >= VK_API_VERSION_1_4;
}

/* ---------------------------------------------------------------- requirements */

static uint32_t missing;

static void expect(bool is_met, const char *what)
{
    if (is_met)
        return;
    printf("# missing: %s\n", what);
    missing++;
}

#define REQUIRED(s, feature)  expect((s).feature == VK_TRUE, #feature)
#define MIN(s, member, value) expect((s).member >= (value), #member)
#define MAX(s, member, value) expect((s).member <= (value), #member)

static void check_features(struct vkt *t)
{
    VkPhysicalDeviceVulkan14Features v14 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES};
    VkPhysicalDeviceVulkan12Features v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            .pNext = &v14};
    VkPhysicalDeviceVulkan11Features v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                            .pNext = &v12};
    VkPhysicalDeviceFeatures2 core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &v11};
    vkGetPhysicalDeviceFeatures2(t->physical, &core);
    const VkPhysicalDeviceFeatures *f = &core.features;
    REQUIRED(*f, fullDrawIndexUint32);
    REQUIRED(*f, imageCubeArray);
    REQUIRED(*f, independentBlend);
    REQUIRED(*f, sampleRateShading);
    REQUIRED(*f, drawIndirectFirstInstance);
    REQUIRED(*f, depthClamp);
    REQUIRED(*f, depthBiasClamp);
    REQUIRED(*f, samplerAnisotropy);
    REQUIRED(*f, fragmentStoresAndAtomics);
    REQUIRED(*f, shaderStorageImageExtendedFormats);
    REQUIRED(*f, shaderUniformBufferArrayDynamicIndexing);
    REQUIRED(*f, shaderSampledImageArrayDynamicIndexing);
    REQUIRED(*f, shaderStorageBufferArrayDynamicIndexing);
    REQUIRED(*f, shaderStorageImageArrayDynamicIndexing);
    REQUIRED(*f, shaderImageGatherExtended);
    REQUIRED(*f, shaderInt16);
    REQUIRED(*f, largePoints);
    REQUIRED(v11, samplerYcbcrConversion);
    REQUIRED(v11, storageBuffer16BitAccess);
    REQUIRED(v11, variablePointers);
    REQUIRED(v11, variablePointersStorageBuffer);
    REQUIRED(v12, samplerMirrorClampToEdge);
    REQUIRED(v12, scalarBlockLayout);
    REQUIRED(v12, shaderUniformTexelBufferArrayDynamicIndexing);
    REQUIRED(v12, shaderStorageTexelBufferArrayDynamicIndexing);
    REQUIRED(v12, shaderInt8);
    REQUIRED(v12, storageBuffer8BitAccess);
    REQUIRED(v14, globalPriorityQuery);
    REQUIRED(v14, shaderSubgroupRotate);
    REQUIRED(v14, shaderSubgroupRotateClustered);
    REQUIRED(v14, shaderFloatControls2);
    REQUIRED(v14, shaderExpectAssume);
    REQUIRED(v14, bresenhamLines);
    REQUIRED(v14, vertexAttributeInstanceRateDivisor);
    REQUIRED(v14, indexTypeUint8);
    REQUIRED(v14, dynamicRenderingLocalRead);
    REQUIRED(v14, maintenance5);
    REQUIRED(v14, maintenance6);
    REQUIRED(v14, pipelineRobustness);
    REQUIRED(v14, pushDescriptor);
}

static void check_limits(const VkPhysicalDeviceLimits *l)
{
    MIN(*l, maxImageDimension1D, 8192);
    MIN(*l, maxImageDimension2D, 8192);
    MIN(*l, maxImageDimension3D, 512);
    MIN(*l, maxImageDimensionCube, 8192);
    MIN(*l, maxImageArrayLayers, 2048);
    MIN(*l, maxUniformBufferRange, 65536);
    MIN(*l, maxPushConstantsSize, 256);
    MAX(*l, bufferImageGranularity, 4096);
    MIN(*l, maxBoundDescriptorSets, 7);
    MIN(*l, maxPerStageDescriptorUniformBuffers, 15);
    MIN(*l, maxPerStageResources, 200);
    MIN(*l, maxDescriptorSetUniformBuffers, 90);
    MIN(*l, maxDescriptorSetStorageBuffers, 96);
    MIN(*l, maxDescriptorSetStorageImages, 144);
    MIN(*l, maxFragmentCombinedOutputResources, 16);
    MIN(*l, maxComputeWorkGroupInvocations, 256);
    MIN(*l, maxComputeWorkGroupSize[0], 256);
    MIN(*l, maxComputeWorkGroupSize[1], 256);
    MIN(*l, maxComputeWorkGroupSize[2], 64);
    MIN(*l, subTexelPrecisionBits, 8);
    MIN(*l, mipmapPrecisionBits, 6);
    MIN(*l, maxSamplerLodBias, 14);
    MIN(*l, maxViewportDimensions[0], 7680);
    MIN(*l, maxViewportDimensions[1], 7680);
    MAX(*l, viewportBoundsRange[0], -15360);
    MIN(*l, viewportBoundsRange[1], 15359);
    MIN(*l, maxFramebufferWidth, 7680);
    MIN(*l, maxFramebufferHeight, 7680);
    MIN(*l, maxColorAttachments, 8);
    MIN(*l, timestampComputeAndGraphics, VK_TRUE);
    MIN(*l, pointSizeRange[1], 256 - l->pointSizeGranularity);
    MAX(*l, pointSizeGranularity, 0.125f);
    MAX(*l, lineWidthGranularity, 0.5f);
    MIN(*l, standardSampleLocations, VK_TRUE);
}

static void check_properties(struct vkt *t)
{
    VkPhysicalDeviceVulkan12Properties v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
    VkPhysicalDeviceVulkan11Properties v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                              .pNext = &v12};
    VkPhysicalDeviceProperties2 core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &v11};
    const VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    const VkSubgroupFeatureFlags operations =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
        VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
        VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT | VK_SUBGROUP_FEATURE_ROTATE_BIT |
        VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT;
    vkGetPhysicalDeviceProperties2(t->physical, &core);
    check_limits(&core.properties.limits);
    expect((v11.subgroupSupportedStages & stages) == stages, "subgroupSupportedStages");
    expect((v11.subgroupSupportedOperations & operations) == operations, "subgroupSupportedOperations");
    REQUIRED(v12, shaderSignedZeroInfNanPreserveFloat16);
    REQUIRED(v12, shaderSignedZeroInfNanPreserveFloat32);
}

/* A way to move data while another queue renders: hostImageCopy, or a queue for transfers. */
static void check_queues(struct vkt *t)
{
    VkQueueFamilyProperties families[8];
    uint32_t count = VKT_COUNT(families), queues = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(t->physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        const bool computes = families[i].queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT),
                   copies = families[i].queueFlags & VK_QUEUE_TRANSFER_BIT;
        expect(!computes || copies, "transfers on every queue");
        queues += copies ? families[i].queueCount : 0;
    }
    expect(queues > 1, "another queue for transfers");
}

/* The version is 1.4 exactly if nothing is missing. */
static void version_is_what_is_there(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    uint32_t instance = 0;
    missing = 0;
    check_features(t);
    check_properties(t);
    check_queues(t);
    vkt_ok(vkEnumerateInstanceVersion(&instance));
    if (has_1_4() && missing)
        fail_msg("%u requirements are not met", missing);
    if (!has_1_4() && !missing)
        fail_msg("all requirements are met, but the version is %u.%u", VK_API_VERSION_MAJOR(t->properties.apiVersion),
                 VK_API_VERSION_MINOR(t->properties.apiVersion));
}

/* ---------------------------------------------------------------- commands */

static const char *const commands[] = {
    "vkCmdBindDescriptorSets2",
    "vkCmdBindIndexBuffer2",
    "vkCmdPushConstants2",
    "vkCmdPushDescriptorSet",
    "vkCmdPushDescriptorSet2",
    "vkCmdPushDescriptorSetWithTemplate",
    "vkCmdPushDescriptorSetWithTemplate2",
    "vkCmdSetLineStipple",
    "vkCmdSetRenderingAttachmentLocations",
    "vkCmdSetRenderingInputAttachmentIndices",
    "vkCopyImageToImage",
    "vkCopyImageToMemory",
    "vkCopyMemoryToImage",
    "vkGetDeviceImageSubresourceLayout",
    "vkGetImageSubresourceLayout2",
    "vkGetRenderingAreaGranularity",
    "vkMapMemory2",
    "vkTransitionImageLayout",
    "vkUnmapMemory2",
};

/* Applications of older versions do not see them. */
static void commands_have_their_own_names(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t minor = 3; minor <= 4; minor++) {
        const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                       .apiVersion = VK_MAKE_API_VERSION(0, 1, minor, 0)};
        const VkDeviceQueueCreateInfo queue = {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}};
        VkInstance instance;
        VkPhysicalDevice physical;
        VkDevice device;
        uint32_t count = 1;
        vkt_ok(vkCreateInstance(
            &(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app}, NULL,
            &instance));
        vkEnumeratePhysicalDevices(instance, &count, &physical);
        assert_int_equal(count, 1);
        vkt_ok(vkCreateDevice(physical,
                              &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                                    .queueCreateInfoCount = 1,
                                                    .pQueueCreateInfos = &queue},
                              NULL, &device));
        for (uint32_t i = 0; i < VKT_COUNT(commands); i++)
            if (!vkGetDeviceProcAddr(device, commands[i]) == (has_1_4() && minor == 4))
                fail_msg("%s: %s with Vulkan 1.%u", commands[i],
                         vkGetDeviceProcAddr(device, commands[i]) ? "visible" : "missing", minor);
        vkDestroyDevice(device, NULL);
        vkDestroyInstance(instance, NULL);
    }
    assert_int_equal(t->validation_messages, 0);
}

/* ---------------------------------------------------------------- structs */

static void get_features(struct vkt *t, void *chain)
{
    vkGetPhysicalDeviceFeatures2(
        t->physical,
        &(VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = chain});
}

static void get_properties(struct vkt *t, void *chain)
{
    vkGetPhysicalDeviceProperties2(
        t->physical,
        &(VkPhysicalDeviceProperties2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = chain});
}

#define POISON 0x4d
#define QUERY(get, t, kind, var, id)                                                                                   \
    kind var;                                                                                                          \
    memset(&(var), POISON, sizeof(var));                                                                               \
    (var).sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##id;                                                              \
    (var).pNext = NULL;                                                                                                \
    get(t, &(var))
#define FEATURES(kind, var, id)   QUERY(get_features, t, kind, var, id##_FEATURES)
#define PROPERTIES(kind, var, id) QUERY(get_properties, t, kind, var, id##_PROPERTIES)
/* A struct of an extension that is missing is left as it is, and the version's has zeros. */
#define SAME(var, member)                                                                                              \
    do {                                                                                                               \
        const uint32_t poison = 0x4d4d4d4d, own = (uint32_t)(var).member;                                              \
        if ((uint32_t)v.member != (own == poison ? 0 : own))                                                           \
            fail_msg("%s: %u in the version's struct, %u in the extension's", #member, (uint32_t)v.member, own);       \
    } while (0)

static void features_are_those_of_extensions(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    FEATURES(VkPhysicalDeviceVulkan14Features, v, VULKAN_1_4);
    FEATURES(VkPhysicalDeviceGlobalPriorityQueryFeatures, priorities, GLOBAL_PRIORITY_QUERY);
    SAME(priorities, globalPriorityQuery);
    FEATURES(VkPhysicalDeviceShaderSubgroupRotateFeatures, rotate, SHADER_SUBGROUP_ROTATE);
    SAME(rotate, shaderSubgroupRotate);
    SAME(rotate, shaderSubgroupRotateClustered);
    FEATURES(VkPhysicalDeviceShaderFloatControls2Features, floats, SHADER_FLOAT_CONTROLS_2);
    SAME(floats, shaderFloatControls2);
    FEATURES(VkPhysicalDeviceShaderExpectAssumeFeatures, assume, SHADER_EXPECT_ASSUME);
    SAME(assume, shaderExpectAssume);
    FEATURES(VkPhysicalDeviceLineRasterizationFeatures, lines, LINE_RASTERIZATION);
    SAME(lines, rectangularLines);
    SAME(lines, bresenhamLines);
    SAME(lines, smoothLines);
    SAME(lines, stippledRectangularLines);
    SAME(lines, stippledBresenhamLines);
    SAME(lines, stippledSmoothLines);
    FEATURES(VkPhysicalDeviceVertexAttributeDivisorFeatures, divisors, VERTEX_ATTRIBUTE_DIVISOR);
    SAME(divisors, vertexAttributeInstanceRateDivisor);
    SAME(divisors, vertexAttributeInstanceRateZeroDivisor);
    FEATURES(VkPhysicalDeviceIndexTypeUint8Features, bytes, INDEX_TYPE_UINT8);
    SAME(bytes, indexTypeUint8);
    FEATURES(VkPhysicalDeviceDynamicRenderingLocalReadFeatures, reads, DYNAMIC_RENDERING_LOCAL_READ);
    SAME(reads, dynamicRenderingLocalRead);
    FEATURES(VkPhysicalDeviceMaintenance5Features, maintenance5, MAINTENANCE_5);
    SAME(maintenance5, maintenance5);
    FEATURES(VkPhysicalDeviceMaintenance6Features, maintenance6, MAINTENANCE_6);
    SAME(maintenance6, maintenance6);
    FEATURES(VkPhysicalDevicePipelineProtectedAccessFeatures, access, PIPELINE_PROTECTED_ACCESS);
    SAME(access, pipelineProtectedAccess);
    FEATURES(VkPhysicalDevicePipelineRobustnessFeatures, robustness, PIPELINE_ROBUSTNESS);
    SAME(robustness, pipelineRobustness);
    FEATURES(VkPhysicalDeviceHostImageCopyFeatures, copies, HOST_IMAGE_COPY);
    SAME(copies, hostImageCopy);
    assert_int_equal(v.pushDescriptor, vkt_has_extension(t, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME));
}

static void properties_are_those_of_extensions(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceVulkan14Properties v;
    memset(&v, POISON, sizeof v);
    v.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES;
    v.pNext = NULL;
    v.pCopySrcLayouts = v.pCopyDstLayouts = NULL;
    get_properties(t, &v);
    PROPERTIES(VkPhysicalDeviceLineRasterizationProperties, lines, LINE_RASTERIZATION);
    SAME(lines, lineSubPixelPrecisionBits);
    PROPERTIES(VkPhysicalDeviceVertexAttributeDivisorProperties, divisors, VERTEX_ATTRIBUTE_DIVISOR);
    SAME(divisors, maxVertexAttribDivisor);
    SAME(divisors, supportsNonZeroFirstInstance);
    PROPERTIES(VkPhysicalDevicePushDescriptorProperties, push, PUSH_DESCRIPTOR);
    SAME(push, maxPushDescriptors);
    PROPERTIES(VkPhysicalDeviceMaintenance5Properties, maintenance5, MAINTENANCE_5);
    SAME(maintenance5, earlyFragmentMultisampleCoverageAfterSampleCounting);
    SAME(maintenance5, earlyFragmentSampleMaskTestBeforeSampleCounting);
    SAME(maintenance5, depthStencilSwizzleOneSupport);
    SAME(maintenance5, polygonModePointSize);
    SAME(maintenance5, nonStrictSinglePixelWideLinesUseParallelogram);
    SAME(maintenance5, nonStrictWideLinesUseParallelogram);
    PROPERTIES(VkPhysicalDeviceMaintenance6Properties, maintenance6, MAINTENANCE_6);
    SAME(maintenance6, blockTexelViewCompatibleMultipleLayers);
    SAME(maintenance6, maxCombinedImageSamplerDescriptorCount);
    SAME(maintenance6, fragmentShadingRateClampCombinerInputs);
    PROPERTIES(VkPhysicalDevicePipelineRobustnessProperties, robustness, PIPELINE_ROBUSTNESS);
    SAME(robustness, defaultRobustnessStorageBuffers);
    SAME(robustness, defaultRobustnessUniformBuffers);
    SAME(robustness, defaultRobustnessVertexInputs);
    SAME(robustness, defaultRobustnessImages);
    assert_true(v.maxPushDescriptors >= 32);
    assert_true(v.dynamicRenderingLocalReadDepthStencilAttachments <= VK_TRUE);
    assert_true(v.dynamicRenderingLocalReadMultisampledAttachments <= VK_TRUE);
    VkImageLayout layouts[2][64];
    VkPhysicalDeviceHostImageCopyProperties copies = {.sType =
                                                          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES};
    get_properties(t, &copies);
    SAME(copies, copySrcLayoutCount);
    SAME(copies, copyDstLayoutCount);
    SAME(copies, identicalMemoryTypeRequirements);
    assert_memory_equal(copies.optimalTilingLayoutUUID, v.optimalTilingLayoutUUID, VK_UUID_SIZE);
    assert_true(v.copySrcLayoutCount <= VKT_COUNT(layouts[0]));
    copies.pCopySrcLayouts = layouts[0];
    v.pCopySrcLayouts = layouts[1];
    get_properties(t, &copies);
    get_properties(t, &v);
    assert_memory_equal(layouts[0], layouts[1], v.copySrcLayoutCount * sizeof layouts[0][0]);
}

/* ---------------------------------------------------------------- a picture */

#define ENTRY(name) ((PFN_##name)vkGetDeviceProcAddr(t->device, #name))

/* Draws left, reads it and draws everywhere, in one dynamic pass, with commands of Vulkan 1.4 wherever there are any.
 */
static void commands_draw(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    if (!has_1_4())
        vkt_skip("the device reports Vulkan 1.3");
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1,
                                                  VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
    const struct {
        float color[4], rect[4], depth;
    } left = {{0.2f, 0.4f, 0.8f, 1}, {-1, -1, 0, 1}, 0}, all = {{0.5f, 0, 0, 0}, {-1, -1, 1, 1}, 0};
    const uint16_t corners[] = {9, 0, 1, 2, 3};
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = 1,
                                                     .pColorAttachmentFormats = &format};
    struct vkt_image image = vkt_image_create(t, &(struct vkt_image_info){.format = format,
                                                                          .width = W,
                                                                          .height = H,
                                                                          .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                                   VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
                                                                                   VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    struct vkt_buffer indices = vkt_buffer_create(t, sizeof corners, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, corners);
    VkDescriptorSetLayout layout;
    vkt_ok(vkCreateDescriptorSetLayout(
        t->device,
        &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT,
                                           .bindingCount = 1,
                                           .pBindings = &binding},
        NULL, &layout));
    struct vkt_pipeline p[2];
    for (uint32_t i = 0; i < 2; i++)
        p[i] = vkt_pipeline_create(
            t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                           .fs = i ? VKT_SHADER(local_read_0_frag) : VKT_SHADER(push_frag),
                                           .next = &rendering,
                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                           .push_size_B = sizeof left,
                                           .set_layouts = {layout},
                                           .set_layout_count = 1,
                                           .width = W,
                                           .height = H});
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = image.view,
                                             .imageLayout = VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    const VkDescriptorImageInfo input = {.imageView = image.view, .imageLayout = VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                                        .pImageInfo = &input};
    const VkMemoryBarrier2 barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                      .srcStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                      .srcAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                                      .dstStageMask = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                      .dstAccessMask = VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ);
    vkCmdBeginRendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                .renderArea = {{0, 0}, {W, H}},
                                                .layerCount = 1,
                                                .colorAttachmentCount = 1,
                                                .pColorAttachments = &color});
    ENTRY(vkCmdBindIndexBuffer2)(cmd, indices.buffer, 2, 8, VK_INDEX_TYPE_UINT16);
    for (uint32_t i = 0; i < 2; i++) {
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p[i].pipeline);
        ENTRY(vkCmdPushDescriptorSet2)
        (cmd, &(VkPushDescriptorSetInfo){.sType = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO,
                                         .stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT,
                                         .layout = p[i].layout,
                                         .descriptorWriteCount = 1,
                                         .pDescriptorWrites = &write});
        ENTRY(vkCmdPushConstants2)
        (cmd, &(VkPushConstantsInfo){.sType = VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO,
                                     .layout = p[i].layout,
                                     .stageFlags = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
                                     .size = sizeof left,
                                     .pValues = i ? &all : &left});
        vkCmdDrawIndexed(cmd, 4, 1, 0, 0, 0);
        if (!i)
            vkCmdPipelineBarrier2(cmd, &(VkDependencyInfo){.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                                           .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT,
                                                           .memoryBarrierCount = 1,
                                                           .pMemoryBarriers = &barrier});
    }
    vkCmdEndRendering(cmd);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    uint8_t got[H][W][4];
    vkt_read_image(t, &image, 0, 0, got, sizeof got);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) { /* half of y, z, x plus the pushed colour */
            assert_in_range(got[y][x][0], x < W / 2 ? 178 : 127, x < W / 2 ? 179 : 128);
            assert_in_range(got[y][x][1], x < W / 2 ? 101 : 0, x < W / 2 ? 103 : 0);
        }
    for (uint32_t i = 0; i < 2; i++)
        vkt_pipeline_destroy(t, &p[i]);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkt_buffer_destroy(t, &indices);
    vkt_image_destroy(t, &image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(version_is_what_is_there, vkt_check_messages),
        cmocka_unit_test_teardown(commands_have_their_own_names, vkt_check_messages),
        cmocka_unit_test_teardown(features_are_those_of_extensions, vkt_check_messages),
        cmocka_unit_test_teardown(properties_are_those_of_extensions, vkt_check_messages),
        cmocka_unit_test_teardown(commands_draw, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_4);
    return cmocka_run_group_tests_name("api_version_1_4", tests, NULL, vkt_teardown);
}
