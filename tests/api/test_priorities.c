/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_global_priority: the priorities of families, and queues with work of which one goes first.
 */
#include <string.h>
#include "vkt.h"

static struct vkt device;

#define FUNCTION(name) ((PFN_##name)load(#name))

static PFN_vkVoidFunction load(const char *name)
{
    PFN_vkVoidFunction function = strstr(name, "PhysicalDevice") ? vkGetInstanceProcAddr(device.instance, name)
                                                                 : vkGetDeviceProcAddr(device.device, name);
    if (!function)
        fail_msg("%s is missing", name);
    return function;
}

static int open_device(void **state)
{
    const char *const extension = VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME;
    device = vkt_device_create_with(vkt_device(VKT_TESTED), &extension, 1);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

#define LOW_SUBMISSIONS 8u
#define FILLED_B        65536u /* short enough for the scheduler to fill it */

/* A device with a queue of each family, the first family's of one global priority and the second's of another. */
static VkResult open_prioritised(VkQueueGlobalPriorityKHR first, VkQueueGlobalPriorityKHR second, VkDevice *out)
{
    const char *const extensions[] = {VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME,
                                      VK_EXT_HOST_QUERY_RESET_EXTENSION_NAME,
                                      VK_KHR_MAINTENANCE1_EXTENSION_NAME}; /* fills by the second family */
    VkPhysicalDeviceHostQueryResetFeatures resets = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, .hostQueryReset = VK_TRUE};
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .pNext = &resets,
        .timelineSemaphore = VK_TRUE};
    const VkDeviceQueueGlobalPriorityCreateInfoKHR levels[] = {
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR, .globalPriority = first},
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR, .globalPriority = second}};
    const VkDeviceQueueCreateInfo queues[] = {{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                               .pNext = &levels[0],
                                               .queueFamilyIndex = 0,
                                               .queueCount = 1,
                                               .pQueuePriorities = &(float){1}},
                                              {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                               .pNext = &levels[1],
                                               .queueFamilyIndex = 1,
                                               .queueCount = 1,
                                               .pQueuePriorities = &(float){0}}};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &timeline,
                                     .queueCreateInfoCount = 2,
                                     .pQueueCreateInfos = queues,
                                     .enabledExtensionCount = VKT_COUNT(extensions),
                                     .ppEnabledExtensionNames = extensions};
    return vkCreateDevice(device.physical, &info, NULL, out);
}

static void families_tell_their_priorities(void **state)
{
    VkQueueFamilyGlobalPriorityPropertiesKHR priorities[2];
    VkQueueFamilyProperties2 families[2];
    uint32_t count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        priorities[i] = (VkQueueFamilyGlobalPriorityPropertiesKHR){
            .sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES_KHR};
        families[i] =
            (VkQueueFamilyProperties2){.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, .pNext = &priorities[i]};
    }
    FUNCTION(vkGetPhysicalDeviceQueueFamilyProperties2KHR)(device.physical, &count, families);
    assert_int_equal(count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(priorities[i].priorityCount, 3);
        assert_int_equal(priorities[i].priorities[0], VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR);
        assert_int_equal(priorities[i].priorities[1], VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR);
        assert_int_equal(priorities[i].priorities[2], VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR);
    }
    VkDevice none = VK_NULL_HANDLE;
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkDeviceQueueCreateInfo-globalPriority");
    assert_int_equal(open_prioritised(VK_QUEUE_GLOBAL_PRIORITY_REALTIME_KHR, VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR, &none),
                     VK_ERROR_NOT_PERMITTED_KHR);
}

/* A command buffer of the family that fills the buffer and writes the time of its end. */
static VkCommandBuffer record_fill(VkDevice of, VkCommandPool pool, VkBuffer buffer, VkQueryPool times, uint32_t number)
{
    VkCommandBuffer cmd;
    vkt_ok(vkAllocateCommandBuffers(
        of,
        &(VkCommandBufferAllocateInfo){
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1},
        &cmd));
    vkt_ok(
        vkBeginCommandBuffer(cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
    vkCmdFillBuffer(cmd, buffer, 0, FILLED_B, number);
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times, number);
    vkt_ok(vkEndCommandBuffer(cmd));
    return cmd;
}

/* Submits the command buffers one by one; they wait for the semaphore's value 1. */
static void submit_gated(VkQueue queue, const VkCommandBuffer *cmds, uint32_t count, VkSemaphore gate)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = 1,
                                                  .pWaitSemaphoreValues = &(uint64_t){1}};
    for (uint32_t i = 0; i < count; i++)
        vkt_ok(vkQueueSubmit(queue, 1,
                             &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                             .pNext = &values,
                                             .waitSemaphoreCount = 1,
                                             .pWaitSemaphores = &gate,
                                             .pWaitDstStageMask = &stage,
                                             .commandBufferCount = 1,
                                             .pCommandBuffers = &cmds[i]},
                             VK_NULL_HANDLE));
}

/* Of two queues with work, the one of the higher global priority goes first, although its own priority is lower. Fewer
 * submissions wait than the scheduler lets pass before it serves a lower queue. */
static void higher_queues_go_first(void **state)
{
    VkDevice two;
    VkQueue low, high;
    VkQueryPool times;
    VkSemaphore gate;
    VkCommandBuffer cmds[LOW_SUBMISSIONS + 1];
    uint64_t ends_ns[LOW_SUBMISSIONS + 1];
    vkt_ok(open_prioritised(VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR, VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR, &two));
    vkGetDeviceQueue(two, 0, 0, &low);
    vkGetDeviceQueue(two, 1, 0, &high);
    struct vkt on = device;
    on.device = two;
    struct vkt_buffer buffers[LOW_SUBMISSIONS + 1]; /* nothing orders the fills of the two queues */
    VkCommandPool pools[2];
    for (uint32_t i = 0; i <= LOW_SUBMISSIONS; i++)
        buffers[i] = vkt_buffer_create(&on, FILLED_B, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        vkt_ok(vkCreateCommandPool(
            two, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = i},
            NULL, &pools[i]));
    }
    vkt_ok(vkCreateQueryPool(two,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                                      .queryCount = LOW_SUBMISSIONS + 1},
                             NULL, &times));
    ((PFN_vkResetQueryPoolEXT)vkGetDeviceProcAddr(two, "vkResetQueryPoolEXT"))(two, times, 0, LOW_SUBMISSIONS + 1);
    vkt_ok(vkCreateSemaphore(
        two,
        &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                 .pNext =
                                     &(VkSemaphoreTypeCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                                                  .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE}},
        NULL, &gate));
    for (uint32_t i = 0; i < LOW_SUBMISSIONS; i++)
        cmds[i] = record_fill(two, pools[0], buffers[i].buffer, times, i);
    cmds[LOW_SUBMISSIONS] = record_fill(two, pools[1], buffers[LOW_SUBMISSIONS].buffer, times, LOW_SUBMISSIONS);
    submit_gated(low, cmds, LOW_SUBMISSIONS, gate);
    submit_gated(high, &cmds[LOW_SUBMISSIONS], 1, gate);
    vkt_ok(((PFN_vkSignalSemaphoreKHR)vkGetDeviceProcAddr(two, "vkSignalSemaphoreKHR"))(
        two,
        &(VkSemaphoreSignalInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = gate, .value = 1}));
    vkt_ok(vkDeviceWaitIdle(two));
    vkt_ok(
        vkGetQueryPoolResults(two, times, 0, LOW_SUBMISSIONS + 1, sizeof ends_ns, ends_ns, 8, VK_QUERY_RESULT_64_BIT));
    for (uint32_t i = 1; i < LOW_SUBMISSIONS; i++) /* the first may have begun */
        assert_true(ends_ns[LOW_SUBMISSIONS] <= ends_ns[i]);
    for (uint32_t i = 0; i <= LOW_SUBMISSIONS; i++)
        vkt_buffer_destroy(&on, &buffers[i]);
    for (uint32_t i = 0; i < 2; i++)
        vkDestroyCommandPool(two, pools[i], NULL);
    vkDestroyQueryPool(two, times, NULL);
    vkDestroySemaphore(two, gate, NULL);
    vkDestroyDevice(two, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(families_tell_their_priorities, vkt_check_messages),
        cmocka_unit_test_teardown(higher_queues_go_first, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_priorities", tests, open_device, close_device);
}
