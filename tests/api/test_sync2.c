/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_synchronization2: barriers with stages of their own, events, submissions, timestamps. Work of several engines
 * passes words on, and what nothing orders after a wait does not wait.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "vkt.h"
#include "slow.comp.h"

#define TURNS  3200u /* what one group of slow.comp adds to its count */
#define GROUPS 8u
#define WORDS  (1u << 18) /* copies of so many words run on a thread of their own */

static struct vkt device;
static struct {
    PFN_vkCmdPipelineBarrier2KHR PipelineBarrier;
    PFN_vkCmdSetEvent2KHR SetEvent;
    PFN_vkCmdResetEvent2KHR ResetEvent;
    PFN_vkCmdWaitEvents2KHR WaitEvents;
    PFN_vkCmdWriteTimestamp2KHR WriteTimestamp;
    PFN_vkQueueSubmit2KHR Submit;
    PFN_vkGetSemaphoreCounterValueKHR GetSemaphoreCounterValue;
} vk;

static int open_device(void **state)
{
    const char *const extensions[] = {VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME,
                                      VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME};
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    VkPhysicalDeviceSynchronization2Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES,
        .pNext = &timeline,
        .synchronization2 = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &features);
#define LOAD(member, name) assert_non_null(vk.member = (PFN_##name)vkGetDeviceProcAddr(device.device, #name))
    LOAD(PipelineBarrier, vkCmdPipelineBarrier2KHR);
    LOAD(SetEvent, vkCmdSetEvent2KHR);
    LOAD(ResetEvent, vkCmdResetEvent2KHR);
    LOAD(WaitEvents, vkCmdWaitEvents2KHR);
    LOAD(WriteTimestamp, vkCmdWriteTimestamp2KHR);
    LOAD(Submit, vkQueueSubmit2KHR);
    LOAD(GetSemaphoreCounterValue, vkGetSemaphoreCounterValueKHR);
#undef LOAD
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- helpers */

/* A dispatch that counts, and the buffer of its counts. */
struct counting {
    struct vkt_compute program;
    struct vkt_buffer counts;
    VkDescriptorSet set;
};

static struct counting counting_create(void)
{
    struct counting c = {
        .program = vkt_compute_create_simple(&device, VKT_SHADER(slow_comp), 1, 0, NULL),
        .counts = vkt_storage_buffer(&device, 2, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT),
    };
    c.set = vkt_compute_set(&device, &c.program, &c.counts, 1);
    return c;
}

static void counting_destroy(struct counting *c)
{
    vkt_compute_destroy(&device, &c->program);
    vkt_buffer_destroy(&device, &c->counts);
}

static void dispatch(VkCommandBuffer cmd, const struct counting *c, uint32_t groups)
{
    vkt_compute_bind(cmd, &c->program, &c->set);
    vkCmdDispatch(cmd, groups, 1, 1);
}

static VkMemoryBarrier2 memory_barrier(VkPipelineStageFlags2 from, VkAccessFlags2 from_access, VkPipelineStageFlags2 to,
                                       VkAccessFlags2 to_access)
{
    return (VkMemoryBarrier2){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                              .srcStageMask = from,
                              .srcAccessMask = from_access,
                              .dstStageMask = to,
                              .dstAccessMask = to_access};
}

static VkDependencyInfo dependency(const VkMemoryBarrier2 *barriers, uint32_t count)
{
    return (VkDependencyInfo){
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = count, .pMemoryBarriers = barriers};
}

static void barrier(VkCommandBuffer cmd, const VkMemoryBarrier2 one)
{
    const VkDependencyInfo info = dependency(&one, 1);
    vk.PipelineBarrier(cmd, &info);
}

#define COPY    VK_PIPELINE_STAGE_2_COPY_BIT
#define FILL    (VK_PIPELINE_STAGE_2_CLEAR_BIT | COPY) /* the validation layer takes fills for copies */
#define COMPUTE VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT
#define READ    VK_ACCESS_2_TRANSFER_READ_BIT
#define WRITE   VK_ACCESS_2_TRANSFER_WRITE_BIT
#define STORAGE (VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT)

static VkEvent create_event(VkEventCreateFlags flags)
{
    VkEvent event;
    vkt_ok(vkCreateEvent(device.device,
                         &(VkEventCreateInfo){.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, .flags = flags}, NULL,
                         &event));
    return event;
}

static VkSemaphore create_semaphore(VkSemaphoreType type)
{
    VkSemaphore semaphore;
    const VkSemaphoreTypeCreateInfo kind = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = type};
    vkt_ok(vkCreateSemaphore(device.device,
                             &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &kind},
                             NULL, &semaphore));
    return semaphore;
}

/* Waits for another thread of the driver to store the word; false after ten seconds. */
static bool wait_for_word(const volatile uint32_t *word, uint32_t value)
{
    for (int i = 0; i < 10000 && *word != value; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return *word == value;
}

/* ---------------------------------------------------------------- barriers */

/* A word goes from a fill through a copy and a dispatch to another copy; each barrier names only the stages of its two
 * neighbours. */
static void each_barrier_names_its_stages(void **state)
{
    struct counting c = counting_create();
    struct vkt_buffer from = vkt_buffer_create(
        &device, WORDS * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    struct vkt_buffer to = vkt_buffer_create(&device, 8, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdFillBuffer(cmd, from.buffer, 0, WORDS * 4, 1);
    barrier(cmd, memory_barrier(FILL, WRITE, COPY, READ));
    vkCmdCopyBuffer(cmd, from.buffer, c.counts.buffer, 1, &(VkBufferCopy){WORDS * 4 - 4, 0, 4});
    barrier(cmd, memory_barrier(COPY, WRITE, COMPUTE, STORAGE));
    dispatch(cmd, &c, GROUPS);
    barrier(cmd, memory_barrier(COMPUTE, STORAGE, COPY, READ));
    vkCmdCopyBuffer(cmd, c.counts.buffer, to.buffer, 1, &(VkBufferCopy){0, 0, 8});
    vkt_ok(vkEndCommandBuffer(cmd));
    for (uint32_t round = 1; round <= 3; round++) {
        memset(from.map, 0, WORDS * 4);
        memset(to.map, 0, 8);
        vkt_submit(&device, cmd);
        assert_int_equal(((uint32_t *)to.map)[0], 1);
        assert_int_equal(((uint32_t *)to.map)[1], round * GROUPS * TURNS);
    }
    vkt_buffer_destroy(&device, &from);
    vkt_buffer_destroy(&device, &to);
    counting_destroy(&c);
}

/* Barriers of buffers and of images order as barriers of memory do, in the layouts that the extension adds. */
static void barriers_of_buffers_and_images(void **state)
{
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {256, 256, 1}};
    struct vkt_buffer from =
        vkt_buffer_create(&device, 1 << 18, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    struct vkt_buffer to = vkt_buffer_create(&device, 1 << 18, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    struct vkt_image image = vkt_image_create(
        &device, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .width = 256,
                                          .height = 256,
                                          .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                   VK_IMAGE_USAGE_SAMPLED_BIT});
    VkBufferMemoryBarrier2 filled = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                                     .srcStageMask = FILL,
                                     .srcAccessMask = WRITE,
                                     .dstStageMask = COPY,
                                     .dstAccessMask = READ,
                                     .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .buffer = from.buffer,
                                     .size = VK_WHOLE_SIZE};
    VkImageMemoryBarrier2 layout = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                    .dstStageMask = COPY,
                                    .dstAccessMask = WRITE,
                                    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image.image,
                                    .subresourceRange = all};
    const VkDependencyInfo both = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                   .bufferMemoryBarrierCount = 1,
                                   .pBufferMemoryBarriers = &filled,
                                   .imageMemoryBarrierCount = 1,
                                   .pImageMemoryBarriers = &layout};
    const VkDependencyInfo only_image = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &layout};
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdFillBuffer(cmd, from.buffer, 0, VK_WHOLE_SIZE, 0x01020304);
    vk.PipelineBarrier(cmd, &both);
    vkCmdCopyBufferToImage(cmd, from.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    layout.srcStageMask = COPY;
    layout.srcAccessMask = WRITE;
    layout.dstStageMask = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
    layout.dstAccessMask = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
    layout.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    layout.newLayout = VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
    vk.PipelineBarrier(cmd, &only_image);
    layout.srcStageMask = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT; /* a chain: nothing was drawn between the two */
    layout.srcAccessMask = 0;
    layout.dstStageMask = COPY;
    layout.dstAccessMask = READ;
    layout.oldLayout = VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
    layout.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    vk.PipelineBarrier(cmd, &only_image);
    vkCmdCopyImageToBuffer(cmd, image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.buffer, 1, &region);
    vkt_end_submit(&device, cmd);
    for (uint32_t i = 0; i < 1 << 16; i++)
        if (((uint32_t *)to.map)[i] != 0x01020304)
            fail_msg("texel %u: 0x%x", i, ((uint32_t *)to.map)[i]);
    vkt_image_destroy(&device, &image);
    vkt_buffer_destroy(&device, &from);
    vkt_buffer_destroy(&device, &to);
}

/* ---------------------------------------------------------------- events */

/* An event passes counts on, is reset by the device, and passes on the next ones: twice in one command buffer. */
static void events_order_what_they_name(void **state)
{
    struct counting c = counting_create();
    struct vkt_buffer to = vkt_buffer_create(&device, 8, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkEvent event = create_event(VK_EVENT_CREATE_DEVICE_ONLY_BIT);
    const VkMemoryBarrier2 counted = memory_barrier(COMPUTE, STORAGE, COPY | COMPUTE, READ | STORAGE);
    const VkDependencyInfo info = dependency(&counted, 1);
    ((uint32_t *)c.counts.map)[0] = 1;
    VkCommandBuffer cmd = vkt_begin(&device);
    for (uint32_t i = 0; i < 2; i++) {
        dispatch(cmd, &c, GROUPS);
        vk.SetEvent(cmd, event, &info);
        vk.WaitEvents(cmd, 1, &event, &info);
        vkCmdCopyBuffer(cmd, c.counts.buffer, to.buffer, 1, &(VkBufferCopy){4, i * 4, 4});
        barrier(cmd, memory_barrier(COPY, READ, COMPUTE | COPY, STORAGE | WRITE));
        vk.ResetEvent(cmd, event, COPY);
        barrier(cmd, memory_barrier(VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0));
    }
    vkt_end_submit(&device, cmd);
    assert_int_equal(((uint32_t *)to.map)[0], GROUPS * TURNS);
    assert_int_equal(((uint32_t *)to.map)[1], 2 * GROUPS * TURNS);
    vkDestroyEvent(device.device, event, NULL);
    vkt_buffer_destroy(&device, &to);
    counting_destroy(&c);
}

/* Compute waits for an event that the host sets only when it has seen a fill behind that wait: the fill is not of the
 * second scope, so it must not wait. The copy behind it waits for the dispatch alone. */
static void events_hold_up_only_what_they_name(void **state)
{
    struct counting c = counting_create();
    struct vkt_buffer filled = vkt_buffer_create(&device, 64, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    struct vkt_buffer to = vkt_buffer_create(&device, 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkEvent event = create_event(0);
    const VkMemoryBarrier2 by_host =
        memory_barrier(VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_WRITE_BIT, COMPUTE, STORAGE);
    const VkDependencyInfo info = dependency(&by_host, 1);
    memset(filled.map, 0, 64);
    memset(to.map, 0, 4);
    VkCommandBuffer cmd = vkt_begin(&device);
    vk.WaitEvents(cmd, 1, &event, &info);
    dispatch(cmd, &c, 1);
    vkCmdFillBuffer(cmd, filled.buffer, 0, 64, 7);
    barrier(cmd, memory_barrier(COMPUTE, STORAGE, COPY, READ));
    vkCmdCopyBuffer(cmd, c.counts.buffer, to.buffer, 1, &(VkBufferCopy){4, 0, 4});
    vkt_ok(vkEndCommandBuffer(cmd));
    const VkCommandBufferSubmitInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                              .commandBuffer = cmd};
    vkt_ok(vk.Submit(device.queue, 1,
                     &(VkSubmitInfo2){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                      .commandBufferInfoCount = 1,
                                      .pCommandBufferInfos = &buffer},
                     VK_NULL_HANDLE));
    const bool was_filled = wait_for_word(filled.map, 7);
    ((uint32_t *)c.counts.map)[0] = 1; /* the dispatch has not begun: it sees this */
    assert_int_equal(((const volatile uint32_t *)c.counts.map)[1], 0);
    assert_int_equal(((const volatile uint32_t *)to.map)[0], 0);
    /* Vulkan 1.0 allowed this, newer versions do not; applications may still do it. */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-vkSetEvent-event-09543");
    vkt_ok(vkSetEvent(device.device, event));
    vkt_ok(vkQueueWaitIdle(device.queue));
    assert_true(was_filled);
    assert_int_equal(((uint32_t *)to.map)[0], TURNS);
    vkDestroyEvent(device.device, event, NULL);
    vkt_buffer_destroy(&device, &filled);
    vkt_buffer_destroy(&device, &to);
    counting_destroy(&c);
}

/* ---------------------------------------------------------------- submissions */

static VkSemaphoreSubmitInfo semaphore_info(VkSemaphore semaphore, uint64_t value, VkPipelineStageFlags2 stages)
{
    return (VkSemaphoreSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = semaphore, .value = value, .stageMask = stages};
}

/* Three batches of one call: binary and timeline semaphores side by side, values in the structs of the semaphores. */
static void batches_wait_and_signal(void **state)
{
    struct counting c = counting_create();
    struct vkt_buffer to = vkt_buffer_create(&device, 16, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkSemaphore binary = create_semaphore(VK_SEMAPHORE_TYPE_BINARY),
                timeline = create_semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
    VkCommandBuffer work[3];
    ((uint32_t *)c.counts.map)[0] = 1;
    memset(to.map, 0, 16);
    work[0] = vkt_begin(&device);
    dispatch(work[0], &c, GROUPS);
    vkt_ok(vkEndCommandBuffer(work[0]));
    for (uint32_t i = 1; i < 3; i++) {
        work[i] = vkt_begin(&device);
        vkCmdCopyBuffer(work[i], c.counts.buffer, to.buffer, 1, &(VkBufferCopy){4, i * 4, 4});
        vkt_ok(vkEndCommandBuffer(work[i]));
    }
    VkCommandBufferSubmitInfo buffers[3];
    for (uint32_t i = 0; i < 3; i++)
        buffers[i] = (VkCommandBufferSubmitInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                                 .commandBuffer = work[i]};
    const VkSemaphoreSubmitInfo signals[] = {semaphore_info(binary, 0, COMPUTE), semaphore_info(timeline, 5, COMPUTE)};
    const VkSemaphoreSubmitInfo first = semaphore_info(binary, 0, COPY), second = semaphore_info(timeline, 5, COPY),
                                last = semaphore_info(timeline, 9, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
    const VkSubmitInfo2 batches[] = {
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
         .commandBufferInfoCount = 1,
         .pCommandBufferInfos = &buffers[0],
         .signalSemaphoreInfoCount = 2,
         .pSignalSemaphoreInfos = signals},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
         .waitSemaphoreInfoCount = 1,
         .pWaitSemaphoreInfos = &first,
         .commandBufferInfoCount = 1,
         .pCommandBufferInfos = &buffers[1]},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
         .waitSemaphoreInfoCount = 1,
         .pWaitSemaphoreInfos = &second,
         .commandBufferInfoCount = 1,
         .pCommandBufferInfos = &buffers[2],
         .signalSemaphoreInfoCount = 1,
         .pSignalSemaphoreInfos = &last},
    };
    VkFence fence;
    vkt_ok(
        vkCreateFence(device.device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
    vkt_ok(vk.Submit(device.queue, VKT_COUNT(batches), batches, fence));
    vkt_ok(vkWaitForFences(device.device, 1, &fence, VK_TRUE, UINT64_MAX));
    uint64_t value;
    vkt_ok(vk.GetSemaphoreCounterValue(device.device, timeline, &value));
    assert_int_equal(value, 9);
    assert_int_equal(((uint32_t *)to.map)[1], GROUPS * TURNS);
    assert_int_equal(((uint32_t *)to.map)[2], GROUPS * TURNS);
    vkDestroyFence(device.device, fence, NULL);
    vkDestroySemaphore(device.device, binary, NULL);
    vkDestroySemaphore(device.device, timeline, NULL);
    vkt_buffer_destroy(&device, &to);
    counting_destroy(&c);
}

#define MANY 24u

/* A call of vkQueueSubmit with many batches, semaphores and command buffers: each batch copies a word one place on and
 * waits for the batch before it. */
static void many_batches_of_the_old_kind(void **state)
{
    struct vkt_buffer words = vkt_buffer_create(
        &device, (MANY + 1) * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkSemaphore semaphores[MANY];
    VkCommandBuffer work[MANY];
    VkSubmitInfo batches[MANY];
    static const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_TRANSFER_BIT;
    memset(words.map, 0, (MANY + 1) * 4);
    *(uint32_t *)words.map = 77;
    for (uint32_t i = 0; i < MANY; i++) {
        semaphores[i] = create_semaphore(VK_SEMAPHORE_TYPE_BINARY);
        work[i] = vkt_begin(&device);
        vkCmdCopyBuffer(work[i], words.buffer, words.buffer, 1, &(VkBufferCopy){i * 4, i * 4 + 4, 4});
        vkt_ok(vkEndCommandBuffer(work[i]));
        batches[i] = (VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                    .waitSemaphoreCount = i > 0,
                                    .pWaitSemaphores = i ? &semaphores[i - 1] : NULL,
                                    .pWaitDstStageMask = &stages,
                                    .commandBufferCount = 1,
                                    .pCommandBuffers = &work[i],
                                    .signalSemaphoreCount = 1,
                                    .pSignalSemaphores = &semaphores[i]};
    }
    batches[MANY - 1].signalSemaphoreCount = 0;
    vkt_ok(vkQueueSubmit(device.queue, MANY, batches, VK_NULL_HANDLE));
    vkt_ok(vkQueueWaitIdle(device.queue));
    for (uint32_t i = 0; i <= MANY; i++)
        assert_int_equal(((uint32_t *)words.map)[i], 77);
    for (uint32_t i = 0; i < MANY; i++)
        vkDestroySemaphore(device.device, semaphores[i], NULL);
    vkt_buffer_destroy(&device, &words);
}

/* ---------------------------------------------------------------- timestamps */

/* Times grow, and that of the compute stage does not come before its dispatch has ended. */
static void timestamps_follow_their_stage(void **state)
{
    struct counting c = counting_create();
    VkQueryPool pool;
    vkt_ok(vkCreateQueryPool(device.device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                                      .queryCount = 3},
                             NULL, &pool));
    ((uint32_t *)c.counts.map)[0] = 1;
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdResetQueryPool(cmd, pool, 0, 3);
    vk.WriteTimestamp(cmd, VK_PIPELINE_STAGE_2_NONE, pool, 0);
    dispatch(cmd, &c, GROUPS);
    vk.WriteTimestamp(cmd, COMPUTE, pool, 1);
    vk.WriteTimestamp(cmd, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool, 2);
    vkt_end_submit(&device, cmd);
    uint64_t times[3];
    vkt_ok(vkGetQueryPoolResults(device.device, pool, 0, 3, sizeof times, times, 8, VK_QUERY_RESULT_64_BIT));
    assert_true(times[0] < times[1] && times[1] <= times[2]);
    assert_true(times[1] - times[0] > 10000); /* so many instructions take more than 10 us */
    vkDestroyQueryPool(device.device, pool, NULL);
    counting_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_barrier_names_its_stages, vkt_check_messages),
        cmocka_unit_test_teardown(barriers_of_buffers_and_images, vkt_check_messages),
        cmocka_unit_test_teardown(events_order_what_they_name, vkt_check_messages),
        cmocka_unit_test_teardown(events_hold_up_only_what_they_name, vkt_check_messages),
        cmocka_unit_test_teardown(batches_wait_and_signal, vkt_check_messages),
        cmocka_unit_test_teardown(many_batches_of_the_old_kind, vkt_check_messages),
        cmocka_unit_test_teardown(timestamps_follow_their_stage, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_sync2", tests, open_device, close_device);
}
