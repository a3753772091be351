/* SPDX-License-Identifier: MIT
 *
 * A program that never ends, drawn or dispatched, loses its device and nothing else: two other devices of the process
 * keep working, and every entry point of the lost device returns VK_ERROR_DEVICE_LOST. VC4VK_HANG_MS lowers the limit
 * for this test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "cover.vert.h"
#include "endless.comp.h"
#include "endless.frag.h"
#include "slow.comp.h"

#define DEVICES 3
#define LOST    1
#define SIZE_PX 64

static bool is_slow;

struct side {
    struct vkt t; /* a copy with the device of this side, for the helpers */
    struct vkt_target target;
    struct vkt_pipeline pipeline;
    struct vkt_compute compute;
    struct vkt_buffer counts;
    VkCommandBuffer commands[3]; /* a draw that ends, an endless draw, an endless or very long dispatch */
    VkFence fence;
};

static void record(struct side *s, int which)
{
    VkCommandBuffer cmd = vkt_begin(&s->t);
    const uint32_t go_on = (uint32_t)which;
    vkt_begin_pass(cmd, &s->target, (const float[]){1, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->pipeline.pipeline);
    vkCmdPushConstants(cmd, s->pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 4,
                       &go_on);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    s->commands[which] = cmd;
}

static void record_dispatch(struct side *s, bool ends)
{
    s->compute = ends ? vkt_compute_create_simple(&s->t, VKT_SHADER(slow_comp), 1, 0, NULL)
                      : vkt_compute_create_simple(&s->t, VKT_SHADER(endless_comp), 1, 0, NULL);
    s->counts = vkt_storage_buffer(&s->t, 2, 0);
    *(uint32_t *)s->counts.map = 1;
    VkDescriptorSet set = vkt_compute_set(&s->t, &s->compute, &s->counts, 1);
    VkCommandBuffer cmd = vkt_begin(&s->t);
    vkt_compute_bind(cmd, &s->compute, &set);
    if (ends)
        vkCmdDispatch(cmd, 65535, 65535, 1);
    else
        vkCmdDispatch(cmd, 3, 1, 1);
    vkt_ok(vkEndCommandBuffer(cmd));
    s->commands[2] = cmd;
}

static void open_side(struct side *s, bool ends)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}};
    static const char *const extension = VK_EXT_DEVICE_FAULT_EXTENSION_NAME;
    VkPhysicalDeviceFaultFeaturesEXT faults = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT,
                                               .deviceFault = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &faults,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = 1,
                                     .ppEnabledExtensionNames = &extension};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    *s = (struct side){.t = *t};
    vkt_ok(vkCreateDevice(t->physical, &info, NULL, &s->t.device));
    vkGetDeviceQueue(s->t.device, 0, 0, &s->t.queue);
    vkt_ok(vkCreateCommandPool(s->t.device, &pool, NULL, &s->t.pool));
    vkt_ok(vkCreateDescriptorPool(s->t.device,
                                  &(VkDescriptorPoolCreateInfo){
                                      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                      .maxSets = 1,
                                      .poolSizeCount = 1,
                                      .pPoolSizes = &(VkDescriptorPoolSize){VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}},
                                  NULL, &s->t.descriptors));
    vkt_ok(vkCreateFence(s->t.device, &fence, NULL, &s->fence));
    s->target = vkt_target_create(&s->t, SIZE_PX, SIZE_PX, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    s->pipeline = vkt_pipeline_create(&s->t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(cover_vert),
                                                                          .fs = VKT_SHADER(endless_frag),
                                                                          .pass = s->target.pass,
                                                                          .topology = VKT_TRIANGLES,
                                                                          .width = SIZE_PX,
                                                                          .height = SIZE_PX,
                                                                          .push_size_B = 4});
    record(s, 0);
    record(s, 1);
    record_dispatch(s, ends);
}

static void close_side(struct side *s)
{
    vkt_compute_destroy(&s->t, &s->compute);
    vkt_buffer_destroy(&s->t, &s->counts);
    vkDestroyDescriptorPool(s->t.device, s->t.descriptors, NULL);
    vkt_pipeline_destroy(&s->t, &s->pipeline);
    vkt_target_destroy(&s->t, &s->target);
    vkDestroyFence(s->t.device, s->fence, NULL);
    vkDestroyCommandPool(s->t.device, s->t.pool, NULL);
    vkDestroyDevice(s->t.device, NULL);
}

static VkResult submit(struct side *s, int which, VkFence fence)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &s->commands[which]};
    return vkQueueSubmit(s->t.queue, 1, &info, fence);
}

static void draws_green(struct side *s)
{
    vkt_submit(&s->t, s->commands[0]);
    struct vkt_picture got = vkt_read_target(&s->t, &s->target);
    for (uint32_t i = 0; i < SIZE_PX * SIZE_PX; i++)
        assert_true(got.rgba[4 * i] == 0 && got.rgba[4 * i + 1] == 255);
    vkt_picture_free(&got);
}

/* VK_EXT_device_fault names the command that failed, on the queue that it was submitted to. */
static void check_fault(const struct side *s, bool is_dispatch)
{
    PFN_vkGetDeviceFaultInfoEXT get =
        (PFN_vkGetDeviceFaultInfoEXT)vkGetDeviceProcAddr(s->t.device, "vkGetDeviceFaultInfoEXT");
    VkDeviceFaultCountsEXT counts = {.sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT};
    assert_non_null(get);
    vkt_ok(get(s->t.device, &counts, NULL));
    assert_int_equal(counts.addressInfoCount, 0);
    assert_int_equal(counts.vendorInfoCount, 1);
    assert_true(counts.vendorBinarySize == 0);
    VkDeviceFaultVendorInfoEXT vendor;
    VkDeviceFaultInfoEXT fault = {.sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT, .pVendorInfos = &vendor};
    vkt_ok(get(s->t.device, &counts, &fault));
    print_message("# %s\n# %s\n", fault.description, vendor.description);
    assert_non_null(strstr(fault.description, "of queue 0.0 on"));
    assert_non_null(strstr(fault.description, "time limit"));
    assert_non_null(strstr(fault.description, "named by the test"));
    if (is_dispatch)
        assert_non_null(strstr(fault.description, "the CPU engine"));
    assert_true(vendor.vendorFaultCode && vendor.vendorFaultData);
    counts.vendorInfoCount = 0;
    assert_int_equal(get(s->t.device, &counts, &fault), VK_INCOMPLETE);
}

/* A device that is not lost has none. */
static void check_no_fault(const struct side *s)
{
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-vkGetDeviceFaultInfoEXT-device-07336"); /* the question is wrong */
    PFN_vkGetDeviceFaultInfoEXT get =
        (PFN_vkGetDeviceFaultInfoEXT)vkGetDeviceProcAddr(s->t.device, "vkGetDeviceFaultInfoEXT");
    VkDeviceFaultCountsEXT counts = {.sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT, .vendorInfoCount = 5};
    VkDeviceFaultInfoEXT fault = {.sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT};
    vkt_ok(get(s->t.device, &counts, &fault));
    assert_int_equal(counts.vendorInfoCount, 0);
    assert_string_equal(fault.description, "the device is not lost");
}

static void name_command_buffer(const struct side *s, int which)
{
    PFN_vkSetDebugUtilsObjectNameEXT set_name =
        (PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(s->t.instance, "vkSetDebugUtilsObjectNameEXT");
    vkt_ok(set_name(s->t.device,
                    &(VkDebugUtilsObjectNameInfoEXT){.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                                     .objectType = VK_OBJECT_TYPE_COMMAND_BUFFER,
                                                     .objectHandle = (uint64_t)(uintptr_t)s->commands[which],
                                                     .pObjectName = "named by the test"}));
}

static void one_of_three_devices_hangs(int which, bool ends)
{
    struct side sides[DEVICES];
    for (int i = 0; i < DEVICES; i++)
        open_side(&sides[i], ends);
    struct side *lost = &sides[LOST];
    draws_green(lost);
    name_command_buffer(lost, which);
    vkt_ok(submit(lost, which, lost->fence));
    for (int i = 0; i < DEVICES; i++)
        if (i != LOST)
            draws_green(&sides[i]); /* while the other device hangs */
    assert_int_equal(vkWaitForFences(lost->t.device, 1, &lost->fence, VK_TRUE, UINT64_MAX), VK_ERROR_DEVICE_LOST);
    assert_int_equal(vkGetFenceStatus(lost->t.device, lost->fence), VK_ERROR_DEVICE_LOST);
    assert_int_equal(submit(lost, 0, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
    assert_int_equal(vkQueueWaitIdle(lost->t.queue), VK_ERROR_DEVICE_LOST);
    assert_int_equal(vkDeviceWaitIdle(lost->t.device), VK_ERROR_DEVICE_LOST);
    check_fault(lost, which == 2);
    check_no_fault(&sides[!LOST]);
    for (int i = 0; i < DEVICES; i++)
        if (i != LOST)
            draws_green(&sides[i]); /* after the device is lost */
    struct vkt *t = vkt_device(VKT_TESTED);
    unsigned messages = t->validation_messages;
    for (int i = 0; i < DEVICES; i++)
        close_side(&sides[i]);
    t->validation_messages = messages; /* the layer believes that work of the lost device is pending */
}

static void a_draw_hangs(void **state)
{
    one_of_three_devices_hangs(1, false);
}

static void a_dispatch_hangs(void **state)
{
    one_of_three_devices_hangs(2, false);
}

/* Each workgroup ends soon, but there are four thousand million of them. */
static void a_dispatch_of_many_workgroups_hangs(void **state)
{
    char before[32];
    snprintf(before, sizeof before, "%s", getenv("VC4VK_HANG_MS"));
    setenv("VC4VK_HANG_MS", is_slow ? "2000" : "200", 1); /* the CPU engine's limit is twelve times this */
    one_of_three_devices_hangs(2, true);
    setenv("VC4VK_HANG_MS", before, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(a_draw_hangs, vkt_check_messages),
                                       cmocka_unit_test_teardown(a_dispatch_hangs, vkt_check_messages),
                                       cmocka_unit_test_teardown(a_dispatch_of_many_workgroups_hangs,
                                                                 vkt_check_messages)};
    /* Slow test setups set the variable. It is replaced even then, because the test waits for each hang to time out. */
    is_slow = getenv("VC4VK_HANG_MS");
    setenv("VC4VK_HANG_MS", is_slow ? "5000" : "1500", 1);
    return cmocka_run_group_tests_name("api_hang", tests, NULL, vkt_teardown);
}
