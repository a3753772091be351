/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_maintenance4: memory requirements without objects, layouts that are destroyed early, the largest buffer.
 */
#include "vkt.h"
#include "compute_add.comp.h"

static struct vkt device;

#define FUNCTION(name) ((PFN_##name)load(#name))

static PFN_vkVoidFunction load(const char *name)
{
    PFN_vkVoidFunction function = vkGetDeviceProcAddr(device.device, name);
    if (!function)
        fail_msg("%s is missing", name);
    return function;
}

static int open_device(void **state)
{
    const char *const extensions[] = {VK_KHR_MAINTENANCE_4_EXTENSION_NAME, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

static void check_same(const VkMemoryRequirements *of_object, const VkMemoryRequirements *without)
{
    assert_true(of_object->size > 0);
    assert_true(of_object->size == without->size);
    assert_true(of_object->alignment == without->alignment);
    assert_int_equal(of_object->memoryTypeBits, without->memoryTypeBits);
}

static void buffers_need_what_they_would(void **state)
{
    VkMemoryRequirements needs;
    VkMemoryRequirements2 without = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    for (VkDeviceSize size_B = 1; size_B < 1 << 20; size_B = size_B * 5 + 1) {
        VkBuffer buffer;
        const VkBufferCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size_B, .usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT};
        const VkDeviceBufferMemoryRequirements asked = {.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS,
                                                        .pCreateInfo = &info};
        FUNCTION(vkGetDeviceBufferMemoryRequirementsKHR)(device.device, &asked, &without);
        vkt_ok(vkCreateBuffer(device.device, &info, NULL, &buffer));
        vkGetBufferMemoryRequirements(device.device, buffer, &needs);
        check_same(&needs, &without.memoryRequirements);
        vkDestroyBuffer(device.device, buffer, NULL);
    }
    VkPhysicalDeviceMaintenance4Properties limit = {.sType =
                                                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &limit};
    vkGetPhysicalDeviceProperties2(device.physical, &properties);
    assert_true(limit.maxBufferSize >= 1u << 30);
    /* The least that 1.3 allows may be more than a board has. */
    assert_true(limit.maxBufferSize == 1u << 30 || limit.maxBufferSize <= device.memory.memoryHeaps[0].size);
}

static void check_image(const VkImageCreateInfo *info, VkImageAspectFlagBits plane)
{
    VkImage image;
    const VkDeviceImageMemoryRequirements asked = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, .pCreateInfo = info, .planeAspect = plane};
    VkMemoryRequirements2 without = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2}, needs = without;
    uint32_t sparse = 7;
    FUNCTION(vkGetDeviceImageMemoryRequirementsKHR)(device.device, &asked, &without);
    FUNCTION(vkGetDeviceImageSparseMemoryRequirementsKHR)(device.device, &asked, &sparse, NULL);
    assert_int_equal(sparse, 0);
    vkt_ok(vkCreateImage(device.device, info, NULL, &image));
    const VkImagePlaneMemoryRequirementsInfo of_plane = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO, .planeAspect = plane};
    const VkImageMemoryRequirementsInfo2 of_object = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, .pNext = plane ? &of_plane : NULL, .image = image};
    vkGetImageMemoryRequirements2(device.device, &of_object, &needs);
    check_same(&needs.memoryRequirements, &without.memoryRequirements);
    vkDestroyImage(device.device, image, NULL);
}

static void images_need_what_they_would(void **state)
{
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = VK_FORMAT_R8G8B8A8_UNORM,
                              .extent = {300, 200, 1},
                              .mipLevels = 5,
                              .arrayLayers = 3,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    check_image(&info, 0);
    info.format = VK_FORMAT_R16G16B16A16_SFLOAT;
    check_image(&info, 0);
    info.tiling = VK_IMAGE_TILING_LINEAR;
    info.mipLevels = info.arrayLayers = 1;
    check_image(&info, 0);
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.format = VK_FORMAT_D24_UNORM_S8_UINT;
    info.samples = VK_SAMPLE_COUNT_4_BIT;
    info.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    check_image(&info, 0);
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
    info.format = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM;
    check_image(&info, 0);
    info.flags = VK_IMAGE_CREATE_DISJOINT_BIT;
    check_image(&info, VK_IMAGE_ASPECT_PLANE_0_BIT);
    check_image(&info, VK_IMAGE_ASPECT_PLANE_1_BIT);
}

#define STORAGE VK_DESCRIPTOR_TYPE_STORAGE_BUFFER

/* A pipeline layout with one set of storage buffers, whose descriptors are pushed. */
static VkPipelineLayout create_push_layout(uint32_t bindings)
{
    VkDescriptorSetLayoutBinding storage[4] = {0};
    VkDescriptorSetLayout set;
    VkPipelineLayout layout;
    for (uint32_t i = 0; i < bindings; i++)
        storage[i] = (VkDescriptorSetLayoutBinding){i, STORAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    vkt_ok(vkCreateDescriptorSetLayout(
        device.device,
        &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
                                           .bindingCount = bindings,
                                           .pBindings = storage},
        NULL, &set));
    vkt_ok(vkCreatePipelineLayout(device.device,
                                  &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                                .setLayoutCount = 1,
                                                                .pSetLayouts = &set},
                                  NULL, &layout));
    vkDestroyDescriptorSetLayout(device.device, set, NULL);
    return layout;
}

/* Pushes the buffers through a new layout, which the caller destroys. */
static VkPipelineLayout push_buffers(VkCommandBuffer cmd, const struct vkt_buffer *buffers, uint32_t count)
{
    VkDescriptorBufferInfo infos[4];
    VkWriteDescriptorSet writes[4];
    for (uint32_t i = 0; i < count; i++) {
        infos[i] = (VkDescriptorBufferInfo){buffers[i].buffer, 0, VK_WHOLE_SIZE};
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstBinding = i,
                                           .descriptorCount = 1,
                                           .descriptorType = STORAGE,
                                           .pBufferInfo = &infos[i]};
    }
    VkPipelineLayout layout = create_push_layout(count);
    FUNCTION(vkCmdPushDescriptorSetKHR)(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, count, writes);
    return layout;
}

/* The pipeline outlives its layout, and the command buffer the layouts through which descriptors were pushed. */
static void layouts_may_go_early(void **state)
{
    VkShaderModule module;
    VkPipeline pipeline;
    VkPipelineLayout pushed[16];
    struct vkt_buffer buffers[4];
    float *numbers[4];
    for (uint32_t i = 0; i < 4; i++) {
        buffers[i] = vkt_storage_buffer(&device, 32, 0);
        numbers[i] = buffers[i].map;
        for (uint32_t k = 0; k < 32; k++)
            numbers[i][k] = (float)(i * 100 + k);
    }
    /* the layer wants set layouts to live as long as descriptors are pushed, the specification does not */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkWriteDescriptorSet-dstSet-00320");
    vkt_ok(vkCreateShaderModule(device.device,
                                &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                            .codeSize = sizeof compute_add_comp,
                                                            .pCode = compute_add_comp},
                                NULL, &module));
    VkPipelineLayout layout = create_push_layout(3);
    vkt_ok(vkCreateComputePipelines(
        device.device, VK_NULL_HANDLE, 1,
        &(VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                       .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                 .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                 .module = module,
                                                 .pName = "main"},
                                       .layout = layout},
        NULL, &pipeline));
    vkDestroyShaderModule(device.device, module, NULL);
    vkDestroyPipelineLayout(device.device, layout, NULL);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    for (uint32_t i = 0; i < 16; i += 2) {
        pushed[i] = push_buffers(cmd, buffers, 1 + i / 2 % 4);
        pushed[i + 1] = push_buffers(cmd, buffers, 3);
        vkCmdDispatch(cmd, 1, 1, 1);
        vkt_barrier_all(cmd);
    }
    vkt_ok(vkEndCommandBuffer(cmd));
    for (uint32_t i = 0; i < 16; i++)
        vkDestroyPipelineLayout(device.device, pushed[i], NULL);
    vkt_submit(&device, cmd);
    for (uint32_t k = 0; k < 32; k++)
        assert_true(numbers[2][k] == (float)(100 + 2 * k));
    for (uint32_t i = 0; i < 4; i++)
        vkt_buffer_destroy(&device, &buffers[i]);
    vkDestroyPipeline(device.device, pipeline, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(buffers_need_what_they_would, vkt_check_messages),
        cmocka_unit_test_teardown(images_need_what_they_would, vkt_check_messages),
        cmocka_unit_test_teardown(layouts_may_go_early, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_1); /* which the extension requires */
    return cmocka_run_group_tests_name("api_maintenance4", tests, open_device, close_device);
}
