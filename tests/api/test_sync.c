/* SPDX-License-Identifier: MIT
 *
 * Synchronisation through the API: timestamps, timeline semaphores, the transfer queue.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "vkt.h"

#define FOREVER UINT64_MAX
#define SIZE    (1u << 20)

/* The tests' own device, with a queue of each family and timeline semaphores. */
static struct {
    VkDevice device;
    VkQueue graphics, transfer;
    VkCommandPool graphics_pool, transfer_pool;
    PFN_vkWaitSemaphoresKHR WaitSemaphores;
    PFN_vkSignalSemaphoreKHR SignalSemaphore;
    PFN_vkGetSemaphoreCounterValueKHR GetSemaphoreCounterValue;
} d;

static struct vkt own; /* the same device as the harness's helpers take it */

static int set_up(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkQueueFamilyProperties families[2];
    uint32_t family_count = 2;
    vkGetPhysicalDeviceQueueFamilyProperties(t->physical, &family_count, families);
    assert_int_equal(family_count, 2);
    const float priorities[] = {1.0f};
    const VkDeviceQueueCreateInfo queues[] = {
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = 0,
         .queueCount = 1,
         .pQueuePriorities = priorities},
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = 1,
         .queueCount = 1,
         .pQueuePriorities = priorities},
    };
    const VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &timeline,
                                     .queueCreateInfoCount = 2,
                                     .pQueueCreateInfos = queues,
                                     .enabledExtensionCount = 1,
                                     .ppEnabledExtensionNames =
                                         (const char *[]){VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME}};
    vkt_ok(vkCreateDevice(t->physical, &info, NULL, &d.device));
    vkGetDeviceQueue(d.device, 0, 0, &d.graphics);
    vkGetDeviceQueue(d.device, 1, 0, &d.transfer);
    const VkCommandPoolCreateInfo pools[] = {
        {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = 0},
        {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = 1},
    };
    vkt_ok(vkCreateCommandPool(d.device, &pools[0], NULL, &d.graphics_pool));
    vkt_ok(vkCreateCommandPool(d.device, &pools[1], NULL, &d.transfer_pool));
    d.WaitSemaphores = (PFN_vkWaitSemaphoresKHR)vkGetDeviceProcAddr(d.device, "vkWaitSemaphoresKHR");
    d.SignalSemaphore = (PFN_vkSignalSemaphoreKHR)vkGetDeviceProcAddr(d.device, "vkSignalSemaphoreKHR");
    d.GetSemaphoreCounterValue =
        (PFN_vkGetSemaphoreCounterValueKHR)vkGetDeviceProcAddr(d.device, "vkGetSemaphoreCounterValueKHR");
    assert_true(d.WaitSemaphores && d.SignalSemaphore && d.GetSemaphoreCounterValue);
    own = *t;
    own.device = d.device;
    own.queue = d.graphics;
    own.pool = d.graphics_pool;
    return 0;
}

static int tear_down(void **state)
{
    vkDestroyCommandPool(d.device, d.graphics_pool, NULL);
    vkDestroyCommandPool(d.device, d.transfer_pool, NULL);
    vkDestroyDevice(d.device, NULL);
    return vkt_check_messages(state);
}

/* ---------------------------------------------------------------- helpers */

static VkCommandBuffer begin(VkCommandPool pool)
{
    VkCommandBuffer cmd;
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    vkt_ok(vkAllocateCommandBuffers(d.device, &allocate, &cmd));
    vkt_ok(vkBeginCommandBuffer(cmd, &info));
    return cmd;
}

static VkSemaphore make_semaphore(VkSemaphoreType kind)
{
    VkSemaphore semaphore;
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = kind};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    vkt_ok(vkCreateSemaphore(d.device, &info, NULL, &semaphore));
    return semaphore;
}

static void submit(VkQueue queue, VkCommandBuffer cmd, VkSemaphore wait, uint64_t wait_value, VkSemaphore signal,
                   uint64_t signal_value)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = wait != VK_NULL_HANDLE,
                                                  .pWaitSemaphoreValues = &wait_value,
                                                  .signalSemaphoreValueCount = signal != VK_NULL_HANDLE,
                                                  .pSignalSemaphoreValues = &signal_value};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                               .pWaitSemaphores = &wait,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = cmd != NULL,
                               .pCommandBuffers = &cmd,
                               .signalSemaphoreCount = signal != VK_NULL_HANDLE,
                               .pSignalSemaphores = &signal};
    vkt_ok(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
}

static VkResult wait_value(VkSemaphore semaphore, uint64_t value, uint64_t timeout_ns)
{
    const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &semaphore,
                                      .pValues = &value};
    return d.WaitSemaphores(d.device, &info, timeout_ns);
}

static uint64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---------------------------------------------------------------- timestamps */

enum { BEFORE, AFTER, NEVER, QUERIES };

static void record_timed_clear(VkCommandBuffer cmd, VkQueryPool pool, const struct vkt_target *target)
{
    vkCmdResetQueryPool(cmd, pool, 0, QUERIES);
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, BEFORE);
    vkt_begin_pass(cmd, target, (const float[]){1, 0, 0, 1}, 1, 0);
    vkCmdEndRenderPass(cmd);
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, AFTER);
}

/* Submits the same command buffer twice. The times are those of the execution, between the submission and the end of
 * the wait. */
static void timestamps_tell_when_work_ran(void **state)
{
    VkQueryPool pool;
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = QUERIES};
    vkt_ok(vkCreateQueryPool(d.device, &info, NULL, &pool));
    struct vkt_target target = vkt_target_create(&own, 512, 512, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_buffer copy = vkt_buffer_create(&own, 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkCommandBuffer cmd = begin(d.graphics_pool);
    record_timed_clear(cmd, pool, &target);
    vkCmdCopyQueryPoolResults(cmd, pool, 0, QUERIES, copy.buffer, 64, 16,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    vkt_ok(vkEndCommandBuffer(cmd));
    uint64_t last = now_ns();
    for (int round = 0; round < 2; round++) {
        uint64_t times[2], with_flags[QUERIES][2] = {{0}}, copied[QUERIES][2];
        vkt_submit(&own, cmd);
        vkt_ok(vkGetQueryPoolResults(d.device, pool, 0, 2, sizeof times, times, 8,
                                     VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
        assert_true(last < times[BEFORE]);
        assert_true(times[BEFORE] < times[AFTER]);
        last = now_ns();
        assert_true(times[AFTER] < last);
        assert_int_equal(vkGetQueryPoolResults(d.device, pool, 0, QUERIES, sizeof with_flags, with_flags, 16,
                                               VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
                         VK_NOT_READY);
        assert_true(with_flags[AFTER][0] == times[AFTER] && with_flags[AFTER][1] == 1 && with_flags[NEVER][1] == 0);
        memcpy(copied, (const uint8_t *)copy.map + 64, sizeof copied);
        assert_true(copied[BEFORE][0] == times[BEFORE] && copied[AFTER][0] == times[AFTER]);
        assert_true(copied[AFTER][1] == 1 && copied[NEVER][1] == 0);
        uint32_t low;
        vkt_ok(vkGetQueryPoolResults(d.device, pool, AFTER, 1, 4, &low, 4, 0));
        assert_int_equal(low, (uint32_t)times[AFTER]);
    }
    vkt_buffer_destroy(&own, &copy);
    vkt_target_destroy(&own, &target);
    vkDestroyQueryPool(d.device, pool, NULL);
}

static void timestamps_inside_a_pass(void **state)
{
    VkQueryPool pool;
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 3};
    vkt_ok(vkCreateQueryPool(d.device, &info, NULL, &pool));
    struct vkt_target target = vkt_target_create(&own, 256, 256, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    VkCommandBuffer cmd = begin(d.graphics_pool);
    vkCmdResetQueryPool(cmd, pool, 0, 3);
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
    vkt_begin_pass(cmd, &target, (const float[]){0, 1, 0, 1}, 1, 0);
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
    vkCmdEndRenderPass(cmd);
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 2);
    vkt_end_submit(&own, cmd);
    uint64_t times[3];
    vkt_ok(vkGetQueryPoolResults(d.device, pool, 0, 3, sizeof times, times, 8, VK_QUERY_RESULT_64_BIT));
    assert_true(times[0] <= times[1] && times[1] <= times[2] && times[0] < times[2]);
    struct vkt_picture got = vkt_read_target(&own, &target);
    assert_int_equal(got.rgba[1], 255);
    vkt_picture_free(&got);
    vkt_target_destroy(&own, &target);
    vkDestroyQueryPool(d.device, pool, NULL);
}

/* ---------------------------------------------------------------- timeline semaphores */

static void a_timeline_orders_queues_before_it_is_signalled(void **state)
{
    VkSemaphore timeline = make_semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
    struct vkt_buffer buffer = vkt_buffer_create(&own, 64, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    const uint32_t ones[16] = {[0] = 1, [15] = 1};
    VkCommandBuffer first = begin(d.transfer_pool), second = begin(d.graphics_pool);
    vkCmdUpdateBuffer(first, buffer.buffer, 0, 64, ones);
    vkt_ok(vkEndCommandBuffer(first));
    vkCmdFillBuffer(second, buffer.buffer, 0, 32, 2);
    vkt_ok(vkEndCommandBuffer(second));
    memset(buffer.map, 0, 64);
    submit(d.graphics, second, timeline, 2, timeline, 3); /* waits for the submission below */
    assert_int_equal(wait_value(timeline, 3, 20000000), VK_TIMEOUT);
    submit(d.transfer, first, timeline, 1, timeline, 2);
    assert_int_equal(wait_value(timeline, 2, 20000000), VK_TIMEOUT);
    assert_int_equal(*(const uint32_t *)buffer.map, 0);
    const VkSemaphoreSignalInfo signal = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = timeline, .value = 1};
    vkt_ok(d.SignalSemaphore(d.device, &signal));
    vkt_ok(wait_value(timeline, 3, FOREVER));
    uint64_t value;
    vkt_ok(d.GetSemaphoreCounterValue(d.device, timeline, &value));
    assert_int_equal(value, 3);
    assert_int_equal(((const uint32_t *)buffer.map)[0], 2);
    assert_int_equal(((const uint32_t *)buffer.map)[15], 1);
    vkt_ok(vkDeviceWaitIdle(d.device));
    vkt_buffer_destroy(&own, &buffer);
    vkDestroySemaphore(d.device, timeline, NULL);
}

/* ---------------------------------------------------------------- the transfer queue */

/* Uploads on the transfer queue and passes the image to the graphics queue by an ownership transfer. */
static void uploads_go_through_the_transfer_queue(void **state)
{
    VkSemaphore done = make_semaphore(VK_SEMAPHORE_TYPE_BINARY);
    uint8_t *bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (uint32_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 7 + (i >> 10));
    struct vkt_buffer from = vkt_buffer_create(&own, SIZE, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, bytes);
    struct vkt_buffer back =
        vkt_buffer_create(&own, SIZE, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    struct vkt_image image = vkt_image_create(&own, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                                             .width = 512,
                                                                             .height = 512,
                                                                             .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                                                      VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {512, 512, 1}};
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image.image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkCommandBuffer up = begin(d.transfer_pool), use = begin(d.graphics_pool);
    vkCmdPipelineBarrier(up, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1,
                         &barrier);
    vkCmdCopyBufferToImage(up, from.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = 0;
    barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    barrier.srcQueueFamilyIndex = 1;
    barrier.dstQueueFamilyIndex = 0;
    vkCmdPipelineBarrier(up, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 0, NULL,
                         1, &barrier);
    vkt_ok(vkEndCommandBuffer(up));
    barrier.srcAccessMask = 0;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    vkCmdPipelineBarrier(use, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1,
                         &barrier);
    vkCmdCopyImageToBuffer(use, image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, back.buffer, 1, &region);
    vkt_ok(vkEndCommandBuffer(use));
    submit(d.transfer, up, VK_NULL_HANDLE, 0, done, 0);
    submit(d.graphics, use, done, 0, VK_NULL_HANDLE, 0);
    vkt_ok(vkQueueWaitIdle(d.graphics));
    assert_memory_equal(back.map, bytes, SIZE);
    vkt_ok(vkDeviceWaitIdle(d.device));
    vkt_image_destroy(&own, &image);
    vkt_buffer_destroy(&own, &from);
    vkt_buffer_destroy(&own, &back);
    vkDestroySemaphore(d.device, done, NULL);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(timestamps_tell_when_work_ran, set_up, tear_down),
        cmocka_unit_test_setup_teardown(timestamps_inside_a_pass, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_timeline_orders_queues_before_it_is_signalled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(uploads_go_through_the_transfer_queue, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("api_sync", tests, NULL, vkt_teardown);
}
