/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_maintenance6: commands that bind and push for several stages, index buffers that are VK_NULL_HANDLE, the
 * results of single bindings of memory, and its properties.
 */
#include <string.h>
#include "vkt.h"
#include "push.frag.h"
#include "push.vert.h"
#include "push_sum.comp.h"

enum { W = 32, H = 32 };

#define COLOR       VK_FORMAT_R8G8B8A8_UNORM
#define ENTRY(name) ((PFN_##name)load(#name))

static struct vkt device;

static PFN_vkVoidFunction load(const char *name)
{
    PFN_vkVoidFunction function = vkGetDeviceProcAddr(device.device, name);
    if (!function)
        fail_msg("%s is missing", name);
    return function;
}

static int open_device(void **state)
{
    static const char *const extensions[] = {VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_KHR_MAINTENANCE_6_EXTENSION_NAME,
                                             VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
    VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR, .maintenance5 = VK_TRUE};
    VkPhysicalDeviceRobustness2FeaturesEXT robustness = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
        .pNext = &maintenance5,
        .nullDescriptor = VK_TRUE};
    VkPhysicalDeviceMaintenance6FeaturesKHR maintenance6 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES_KHR,
        .pNext = &robustness,
        .maintenance6 = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &maintenance6);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- binding and pushing */

enum how { BIND, PUSH, PUSH_WITH_TEMPLATE };

static VkDescriptorUpdateTemplate template_create(const struct vkt_compute *c)
{
    const VkDescriptorUpdateTemplateEntry entry = {.descriptorCount = 1,
                                                   .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    VkDescriptorUpdateTemplate template;
    vkt_ok(vkCreateDescriptorUpdateTemplate(device.device,
                                            &(VkDescriptorUpdateTemplateCreateInfo){
                                                .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                                                .descriptorUpdateEntryCount = 1,
                                                .pDescriptorUpdateEntries = &entry,
                                                .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
                                                .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
                                                .pipelineLayout = c->layout,
                                            },
                                            NULL, &template));
    return template;
}

/* Adds 7 to the words of a buffer. `stages`: those that the commands name. */
static void add_words(enum how how, VkShaderStageFlags stages)
{
    struct vkt_buffer words = vkt_storage_buffer(&device, 4, 0);
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                  VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
    VkDescriptorSetLayout layout;
    vkt_ok(vkCreateDescriptorSetLayout(
        device.device,
        &(VkDescriptorSetLayoutCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .flags = how == BIND ? 0u : VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
            .bindingCount = 1,
            .pBindings = &binding},
        NULL, &layout));
    struct vkt_compute c = vkt_compute_create(&device, VKT_SHADER(push_sum_comp), &layout, 1, 8, NULL);
    const VkDescriptorBufferInfo buffer = {words.buffer, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &buffer};
    VkDescriptorUpdateTemplate template = how == PUSH_WITH_TEMPLATE ? template_create(&c) : VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
    if (how == BIND) {
        set = vkt_set_alloc(&device, layout);
        vkt_set_buffer(&device, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, words.buffer, 0, VK_WHOLE_SIZE);
    }
    const uint32_t added = 7;
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c.pipeline);
    if (how == BIND)
        ENTRY(vkCmdBindDescriptorSets2KHR)
    (cmd, &(VkBindDescriptorSetsInfoKHR){.sType = VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO_KHR,
                                         .stageFlags = stages,
                                         .layout = c.layout,
                                         .descriptorSetCount = 1,
                                         .pDescriptorSets = &set});
    else if (how == PUSH) ENTRY(vkCmdPushDescriptorSet2KHR)(
        cmd, &(VkPushDescriptorSetInfoKHR){.sType = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO_KHR,
                                           .stageFlags = stages,
                                           .layout = c.layout,
                                           .descriptorWriteCount = 1,
                                           .pDescriptorWrites = &write});
    else ENTRY(vkCmdPushDescriptorSetWithTemplate2KHR)(
        cmd,
        &(VkPushDescriptorSetWithTemplateInfoKHR){.sType = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO_KHR,
                                                  .descriptorUpdateTemplate = template,
                                                  .layout = c.layout,
                                                  .pData = &buffer});
    ENTRY(vkCmdPushConstants2KHR)
    (cmd, &(VkPushConstantsInfoKHR){.sType = VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO_KHR,
                                    .layout = c.layout,
                                    .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                    .offset = 4,
                                    .size = 4,
                                    .pValues = &added});
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(&device, cmd);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(((const uint32_t *)words.map)[i], 7);
    if (template)
        vkDestroyDescriptorUpdateTemplate(device.device, template, NULL);
    vkt_compute_destroy(&device, &c);
    vkt_buffer_destroy(&device, &words);
}

static void commands_name_stages(void **state)
{
    add_words(BIND, VK_SHADER_STAGE_COMPUTE_BIT);
    add_words(BIND, VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
    add_words(PUSH, VK_SHADER_STAGE_COMPUTE_BIT);
    add_words(PUSH, VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT);
    add_words(PUSH_WITH_TEMPLATE, VK_SHADER_STAGE_COMPUTE_BIT);
}

/* ---------------------------------------------------------------- index buffers */

struct push {
    float color[4], rect[4], depth;
};

/* A point for each index: with no buffer all of them are vertex 0, at the top left. */
static void missing_indices_are_zero(void **state)
{
    struct vkt_target target = vkt_target_create(&device, W, H, COLOR, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                                                     .fs = VKT_SHADER(push_frag),
                                                                                     .pass = target.pass,
                                                                                     .push_size_B = sizeof(struct push),
                                                                                     .width = W,
                                                                                     .height = H});
    const uint16_t data[] = {3, 3, 3, 3};
    struct vkt_buffer indices = vkt_buffer_create(&device, sizeof data, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, data);
    const struct push values = {{1, 1, 1, 1}, {-0.5f, -0.5f, 0.5f, 0.5f}, 0};
    for (uint32_t round = 0; round < 3; round++) {
        VkCommandBuffer cmd = vkt_begin(&device);
        vkt_begin_pass(cmd, &target, (const float[4]){0}, 1, 0);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
        vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof values,
                           &values);
        if (round > 0) { /* before and after a draw with a buffer */
            vkCmdBindIndexBuffer(cmd, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
            vkCmdDrawIndexed(cmd, 4, 1, 0, 0, 0);
        }
        if (round < 2) {
            vkCmdBindIndexBuffer(cmd, VK_NULL_HANDLE, 0, round ? VK_INDEX_TYPE_UINT16 : VK_INDEX_TYPE_UINT32);
            vkCmdDrawIndexed(cmd, 3, 1, 0, 0, 0);
        }
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(&device, cmd);
        struct vkt_picture picture = vkt_read_target(&device, &target);
        uint32_t counts[2][2] = {{0}}; /* by quarter of the picture */
        for (uint32_t y = 0; y < H; y++)
            for (uint32_t x = 0; x < W; x++)
                counts[y >= H / 2][x >= W / 2] += picture.rgba[4 * (y * W + x)] == 255;
        assert_int_equal(counts[0][0], round < 2);
        assert_int_equal(counts[1][1], round > 0);
        assert_int_equal(counts[0][1] + counts[1][0], 0);
        vkt_picture_free(&picture);
    }
    vkt_buffer_destroy(&device, &indices);
    vkt_pipeline_destroy(&device, &p);
    vkt_target_destroy(&device, &target);
}

/* ---------------------------------------------------------------- bindings of memory */

/* Of three bindings the second cannot succeed: its memory is too small. */
static void bindings_have_results(void **state)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 65536, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    const VkImageCreateInfo image_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                          .imageType = VK_IMAGE_TYPE_2D,
                                          .format = COLOR,
                                          .extent = {128, 128, 1},
                                          .mipLevels = 1,
                                          .arrayLayers = 1,
                                          .samples = VK_SAMPLE_COUNT_1_BIT,
                                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    VkBuffer buffers[3];
    VkImage images[3];
    VkDeviceMemory memory[2];
    VkResult of_buffers[3], of_images[3];
    VkBindMemoryStatusKHR statuses[6];
    VkBindBufferMemoryInfo buffer_binds[3];
    VkBindImageMemoryInfo image_binds[3];
    for (uint32_t i = 0; i < 2; i++)
        vkt_ok(vkAllocateMemory(device.device,
                                &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                        .allocationSize = i ? 8192 : 1 << 20},
                                NULL, &memory[i]));
    for (uint32_t i = 0; i < 3; i++) {
        vkt_ok(vkCreateBuffer(device.device, &info, NULL, &buffers[i]));
        vkt_ok(vkCreateImage(device.device, &image_info, NULL, &images[i]));
        of_buffers[i] = of_images[i] = VK_EVENT_SET;
        statuses[i] =
            (VkBindMemoryStatusKHR){.sType = VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR, .pResult = &of_buffers[i]};
        statuses[3 + i] =
            (VkBindMemoryStatusKHR){.sType = VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR, .pResult = &of_images[i]};
        buffer_binds[i] = (VkBindBufferMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO,
                                                   .pNext = &statuses[i],
                                                   .buffer = buffers[i],
                                                   .memory = memory[i == 1],
                                                   .memoryOffset = i == 1 ? 0 : i * 131072};
        image_binds[i] = (VkBindImageMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
                                                 .pNext = &statuses[3 + i],
                                                 .image = images[i],
                                                 .memory = memory[i == 1],
                                                 .memoryOffset = i == 1 ? 0 : 524288 + i * 131072};
    }
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkBindBufferMemoryInfo-size-01037");
    assert_true(vkBindBufferMemory2(device.device, 3, buffer_binds) < 0);
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkBindImageMemoryInfo-pNext-01617");
    assert_true(vkBindImageMemory2(device.device, 3, image_binds) < 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(of_buffers[i] == VK_SUCCESS, i != 1);
        assert_int_equal(of_images[i] == VK_SUCCESS, i != 1);
        assert_true(of_buffers[i] <= 0 && of_images[i] <= 0);
        vkDestroyBuffer(device.device, buffers[i], NULL);
        vkDestroyImage(device.device, images[i], NULL);
    }
    for (uint32_t i = 0; i < 2; i++)
        vkFreeMemory(device.device, memory[i], NULL);
}

/* ---------------------------------------------------------------- properties */

static void properties_are_true(void **state)
{
    VkPhysicalDeviceMaintenance6PropertiesKHR own = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &own};
    vkGetPhysicalDeviceProperties2(device.physical, &all);
    VkSamplerYcbcrConversionImageFormatProperties ycbcr = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES};
    VkImageFormatProperties2 image = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &ycbcr};
    vkt_ok(vkGetPhysicalDeviceImageFormatProperties2(
        device.physical,
        &(VkPhysicalDeviceImageFormatInfo2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                            .format = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM,
                                            .type = VK_IMAGE_TYPE_2D,
                                            .tiling = VK_IMAGE_TILING_OPTIMAL,
                                            .usage = VK_IMAGE_USAGE_SAMPLED_BIT},
        &image));
    assert_int_equal(own.maxCombinedImageSamplerDescriptorCount, ycbcr.combinedImageSamplerDescriptorCount);
}

/* Views of the blocks of a compressed image with several layers, read by a copy of the blocks. */
static void blocks_of_several_layers_have_views(void **state)
{
    VkPhysicalDeviceMaintenance6PropertiesKHR own = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &own};
    vkGetPhysicalDeviceProperties2(device.physical, &all);
    VkImage image;
    VkImageView view;
    VkDeviceMemory memory;
    VkMemoryRequirements needs;
    vkt_ok(vkCreateImage(device.device,
                         &(VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                              .flags = VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT |
                                                       VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT |
                                                       VK_IMAGE_CREATE_EXTENDED_USAGE_BIT,
                                              .imageType = VK_IMAGE_TYPE_2D,
                                              .format = VK_FORMAT_BC3_UNORM_BLOCK,
                                              .extent = {32, 32, 1},
                                              .mipLevels = 1,
                                              .arrayLayers = 3,
                                              .samples = VK_SAMPLE_COUNT_1_BIT,
                                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT},
                         NULL, &image));
    vkGetImageMemoryRequirements(device.device, image, &needs);
    vkt_ok(vkAllocateMemory(
        device.device,
        &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size}, NULL,
        &memory));
    vkt_ok(vkBindImageMemory(device.device, image, memory, 0));
    const VkResult result =
        vkCreateImageView(device.device,
                          &(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                                   .image = image,
                                                   .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                                                   .format = VK_FORMAT_R32G32B32A32_UINT,
                                                   .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 3}},
                          NULL, &view);
    assert_int_equal(result == VK_SUCCESS, own.blockTexelViewCompatibleMultipleLayers);
    if (result == VK_SUCCESS)
        vkDestroyImageView(device.device, view, NULL);
    vkDestroyImage(device.device, image, NULL);
    vkFreeMemory(device.device, memory, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(commands_name_stages, vkt_check_messages),
        cmocka_unit_test_teardown(missing_indices_are_zero, vkt_check_messages),
        cmocka_unit_test_teardown(bindings_have_results, vkt_check_messages),
        cmocka_unit_test_teardown(properties_are_true, vkt_check_messages),
        cmocka_unit_test_teardown(blocks_of_several_layers_have_views, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests_name("api_maintenance6", tests, open_device, close_device);
}
