/* SPDX-License-Identifier: MIT
 *
 * Device groups, which have one device each: the extensions' commands work with a mask of one bit, dispatches begin at
 * any base workgroup, and render areas of the group override the plain one.
 */
#include <string.h>
#include "vkt.h"
#include "compute_base.comp.h"

static struct vkt group; /* a device with the extension */

static PFN_vkVoidFunction function(const char *name)
{
    PFN_vkVoidFunction f = vkGetDeviceProcAddr(group.device, name);
    assert_non_null(f);
    return f;
}
#define FUNCTION(name) ((PFN_##name)function(#name))

static int open_group(void **state)
{
    const char *const extensions[] = {VK_KHR_DEVICE_GROUP_EXTENSION_NAME, VK_KHR_BIND_MEMORY_2_EXTENSION_NAME};
    group = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_group(void **state)
{
    vkt_device_close(&group);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- groups */

/* An instance without the validation layer, which wrongly takes the extension for Vulkan 1.1 and reports an error. */
static VkInstance create_instance(void)
{
    VkInstance instance;
    const char *const extensions[] = {VK_KHR_DEVICE_GROUP_CREATION_EXTENSION_NAME};
    vkt_ok(vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                    .enabledExtensionCount = 1,
                                                    .ppEnabledExtensionNames = extensions},
                            NULL, &instance));
    return instance;
}

static void groups_have_one_device(void **state)
{
    VkInstance instance = create_instance();
    PFN_vkEnumeratePhysicalDeviceGroupsKHR enumerate = (PFN_vkEnumeratePhysicalDeviceGroupsKHR)vkGetInstanceProcAddr(
        instance, "vkEnumeratePhysicalDeviceGroupsKHR");
    VkPhysicalDevice devices[8];
    VkPhysicalDeviceGroupProperties found[8];
    uint32_t count = 0, device_count = VKT_COUNT(devices);
    vkt_ok(vkEnumeratePhysicalDevices(instance, &device_count, devices));
    vkt_ok(enumerate(instance, &count, NULL));
    assert_int_equal(count, device_count);
    for (uint32_t i = 0; i < count; i++)
        found[i] = (VkPhysicalDeviceGroupProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES,
                                                     .physicalDeviceCount = 77};
    vkt_ok(enumerate(instance, &count, found));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(found[i].physicalDeviceCount, 1);
        assert_ptr_equal(found[i].physicalDevices[0], devices[i]);
    }
    vkDestroyInstance(instance, NULL);
}

static void devices_are_made_of_groups(void **state)
{
    VkDeviceGroupDeviceCreateInfo of = {.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO,
                                        .physicalDeviceCount = 1,
                                        .pPhysicalDevices = &group.physical};
    const char *const extensions[] = {VK_KHR_DEVICE_GROUP_EXTENSION_NAME};
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &of,
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = extensions,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &(VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                        .queueCount = 1,
                                                        .pQueuePriorities = &(float){1}},
    };
    VkDevice device;
    vkt_ok(vkCreateDevice(group.physical, &info, NULL, &device));
    vkDestroyDevice(device, NULL);
}

/* ---------------------------------------------------------------- dispatches */

struct words {
    uint32_t x_plus_1, y, counts, device;
};

static VkPipeline with_base(const struct vkt_compute *c)
{
    VkShaderModule module;
    VkPipeline pipeline;
    vkt_ok(vkCreateShaderModule(group.device,
                                &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                            .codeSize = sizeof compute_base_comp,
                                                            .pCode = compute_base_comp},
                                NULL, &module));
    vkt_ok(vkCreateComputePipelines(group.device, VK_NULL_HANDLE, 1,
                                    &(VkComputePipelineCreateInfo){
                                        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .flags = VK_PIPELINE_CREATE_DISPATCH_BASE,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = module,
                                                  .pName = "main"},
                                        .layout = c->layout,
                                    },
                                    NULL, &pipeline));
    vkDestroyShaderModule(group.device, module, NULL);
    return pipeline;
}

static bool is_inside(uint32_t i, uint32_t base, uint32_t count)
{
    return i >= base && i < base + count;
}

static void check_words(const struct words *words, const uint32_t base[3], const uint32_t count[3])
{
    for (uint32_t i = 0; i < 8 * 8 * 8 * 4; i++) {
        const uint32_t x = i / 4 % 8, y = i / 32 % 8, z = i / 256;
        struct words want = {0};
        if (is_inside(x, base[0], count[0]) && is_inside(y, base[1], count[1]) && is_inside(z, base[2], count[2]))
            want = (struct words){x * 4 + i % 4 + 1, y, count[0] * 100 + count[2], 0};
        if (memcmp(&want, &words[i], sizeof want))
            fail_msg("workgroup (%u, %u, %u): %u %u %u %u", x, y, z, words[i].x_plus_1, words[i].y, words[i].counts,
                     words[i].device);
    }
}

static void dispatches_have_a_base(void **state)
{
    const uint32_t bases[][3] = {{0, 0, 0}, {3, 2, 5}, {7, 0, 1}}, counts[][3] = {{2, 3, 4}, {4, 5, 3}, {1, 8, 2}};
    struct vkt_buffer out = vkt_storage_buffer(&group, 8 * 8 * 8 * 16, 0);
    struct vkt_compute c = vkt_compute_create_simple(&group, VKT_SHADER(compute_base_comp), 1, 0, NULL);
    VkPipeline pipeline = with_base(&c);
    VkDescriptorSet set = vkt_compute_set(&group, &c, &out, 1);
    for (uint32_t i = 0; i < VKT_COUNT(bases); i++) {
        const uint32_t *at = bases[i], *n = counts[i];
        memset(out.map, 0, out.size_B);
        VkCommandBuffer cmd = vkt_begin(&group);
        FUNCTION(vkCmdSetDeviceMaskKHR)(cmd, 1);
        vkt_compute_bind(cmd, &c, &set);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        FUNCTION(vkCmdDispatchBaseKHR)(cmd, at[0], at[1], at[2], n[0], n[1], n[2]);
        vkt_end_submit(&group, cmd);
        check_words(out.map, at, n);
    }
    vkDestroyPipeline(group.device, pipeline, NULL);
    vkt_compute_destroy(&group, &c);
    vkt_buffer_destroy(&group, &out);
}

/* ---------------------------------------------------------------- passes */

static void submit_with_masks(VkCommandBuffer cmd)
{
    const uint32_t mask = 1;
    const VkDeviceGroupSubmitInfo masks = {.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO,
                                           .commandBufferCount = 1,
                                           .pCommandBufferDeviceMasks = &mask};
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &masks, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    vkt_ok(vkEndCommandBuffer(cmd));
    vkt_ok(vkQueueSubmit(group.queue, 1, &submit, VK_NULL_HANDLE));
    vkt_ok(vkQueueWaitIdle(group.queue));
    vkFreeCommandBuffers(group.device, group.pool, 1, &cmd);
}

static VkCommandBuffer begin_with_mask(void)
{
    VkCommandBuffer cmd;
    const VkDeviceGroupCommandBufferBeginInfo mask = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_COMMAND_BUFFER_BEGIN_INFO, .deviceMask = 1};
    vkt_ok(vkAllocateCommandBuffers(group.device,
                                    &(VkCommandBufferAllocateInfo){
                                        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = group.pool,
                                        .commandBufferCount = 1},
                                    &cmd));
    vkt_ok(vkBeginCommandBuffer(cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                                 .pNext = &mask}));
    return cmd;
}

static void begin_pass(VkCommandBuffer cmd, const struct vkt_target *target, float red, const VkRect2D *area)
{
    const VkDeviceGroupRenderPassBeginInfo of_group = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO,
        .deviceMask = 1,
        .deviceRenderAreaCount = area ? 1 : 0,
        .pDeviceRenderAreas = area,
    };
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){
                             .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                             .pNext = &of_group,
                             .renderPass = target->pass,
                             .framebuffer = target->framebuffer,
                             .renderArea = {{0, 0}, {target->width, target->height}},
                             .clearValueCount = 1,
                             .pClearValues = &(VkClearValue){.color = {.float32 = {red, 0, 0, 1}}},
                         },
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdEndRenderPass(cmd);
}

static void areas_of_the_group_win(void **state)
{
    const VkRect2D area = {{8, 16}, {32, 24}};
    struct vkt_target target = vkt_target_create(&group, 96, 64, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    VkCommandBuffer cmd = begin_with_mask();
    begin_pass(cmd, &target, 1, NULL);
    vkt_barrier_all(cmd);
    begin_pass(cmd, &target, 0, &area);
    submit_with_masks(cmd);
    struct vkt_picture got = vkt_read_target(&group, &target);
    for (uint32_t y = 0; y < 64; y++)
        for (uint32_t x = 0; x < 96; x++) {
            const bool inside = is_inside(x, 8, 32) && is_inside(y, 16, 24);
            assert_int_equal(got.rgba[4 * (y * 96 + x)], inside ? 0 : 255);
        }
    vkt_picture_free(&got);
    vkt_target_destroy(&group, &target);
}

/* ---------------------------------------------------------------- memory */

static void memory_is_bound_by_index(void **state)
{
    const uint32_t index = 0;
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT,
                                             .deviceMask = 1};
    const VkBindBufferMemoryDeviceGroupInfo indices = {.sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_DEVICE_GROUP_INFO,
                                                       .deviceIndexCount = 1,
                                                       .pDeviceIndices = &index};
    struct vkt_buffer b = {.size_B = 4096};
    vkt_ok(vkCreateBuffer(group.device,
                          &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                                .size = b.size_B,
                                                .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT},
                          NULL, &b.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(group.device, b.buffer, &needs);
    vkt_ok(vkAllocateMemory(group.device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .pNext = &flags,
                                                    .allocationSize = needs.size},
                            NULL, &b.memory));
    const VkBindBufferMemoryInfo bind = {.sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO,
                                         .pNext = &indices,
                                         .buffer = b.buffer,
                                         .memory = b.memory};
    vkt_ok(FUNCTION(vkBindBufferMemory2KHR)(group.device, 1, &bind));
    VkCommandBuffer cmd = vkt_begin(&group);
    vkCmdFillBuffer(cmd, b.buffer, 0, VK_WHOLE_SIZE, 0x12345678);
    vkt_end_submit(&group, cmd);
    vkt_ok(vkMapMemory(group.device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.map));
    assert_int_equal(((uint32_t *)b.map)[1023], 0x12345678);
    vkt_buffer_destroy(&group, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(groups_have_one_device, vkt_check_messages),
        cmocka_unit_test_teardown(devices_are_made_of_groups, vkt_check_messages),
        cmocka_unit_test_teardown(dispatches_have_a_base, vkt_check_messages),
        cmocka_unit_test_teardown(areas_of_the_group_win, vkt_check_messages),
        cmocka_unit_test_teardown(memory_is_bound_by_index, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, open_group, close_group);
}
