/* SPDX-License-Identifier: MIT
 *
 * Submission lines: how fast work gets to the device and back. With the default wall clock, a driver that busy-waits is
 * not penalised.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"

#define FOREVER UINT64_MAX

static VkFence make_fence(struct bench_device *d, bool signalled)
{
    VkFence fence = VK_NULL_HANDLE;
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                    .flags = signalled ? VK_FENCE_CREATE_SIGNALED_BIT : 0};
    vkCreateFence(d->device, &info, NULL, &fence);
    return fence;
}

static VkResult submit(VkQueue queue, uint32_t count, const VkCommandBuffer *commands, VkFence fence)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = count, .pCommandBuffers = commands};
    return vkQueueSubmit(queue, 1, &info, fence);
}

struct commands {
    VkCommandPool pool;
    VkCommandBuffer buffers[8];
};

static bool make_commands(VkDevice device, uint32_t family, struct commands *c)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = family};
    if (vkCreateCommandPool(device, &pool, NULL, &c->pool) != VK_SUCCESS)
        return false;
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = c->pool, .commandBufferCount = 8};
    return vkAllocateCommandBuffers(device, &info, c->buffers) == VK_SUCCESS;
}

static void begin(VkCommandBuffer cmd)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    vkBeginCommandBuffer(cmd, &info);
}

/* ---------------------------------------------------------------- empty submissions */

/* Measures the mean time of many empty submissions. Only the last one has a fence. */
static bool run_empty(struct bench_device *d)
{
    enum { COUNT = 20000 };
    VkFence fence = make_fence(d, false);
    uint64_t start_ns = bench_now_ns();
    for (int i = 0; i < COUNT; i++)
        submit(d->queue, 0, NULL, i == COUNT - 1 ? fence : VK_NULL_HANDLE);
    vkWaitForFences(d->device, 1, &fence, VK_TRUE, FOREVER);
    bench_item("empty", (bench_now_ns() - start_ns) / COUNT);
    vkDestroyFence(d->device, fence, NULL);
    return true;
}

/* ---------------------------------------------------------------- memory */

struct memory_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint8_t *map;
};

static uint32_t find_type(const struct bench_device *d, uint32_t allowed)
{
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++)
        if (allowed >> i & 1 && (d->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return 0;
}

static bool make_buffer(struct bench_device *d, VkDevice device, VkDeviceSize size_B, struct memory_buffer *b)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size_B,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;
    if (vkCreateBuffer(device, &info, NULL, &b->buffer) != VK_SUCCESS)
        return false;
    vkGetBufferMemoryRequirements(device, b->buffer, &needs);
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .allocationSize = needs.size,
                                           .memoryTypeIndex = find_type(d, needs.memoryTypeBits)};
    return vkAllocateMemory(device, &allocate, NULL, &b->memory) == VK_SUCCESS &&
           vkBindBufferMemory(device, b->buffer, b->memory, 0) == VK_SUCCESS &&
           vkMapMemory(device, b->memory, 0, VK_WHOLE_SIZE, 0, (void **)&b->map) == VK_SUCCESS;
}

static void free_buffer(VkDevice device, struct memory_buffer *b)
{
    vkDestroyBuffer(device, b->buffer, NULL);
    vkFreeMemory(device, b->memory, NULL);
}

/* ---------------------------------------------------------------- latency */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Measures the time from submission to the end of the wait, for a command buffer that writes one word. */
static void measure_latency(struct bench_device *d, uint64_t *median_ns, uint64_t *worst_ns)
{
    enum { COUNT = 2000 };
    static uint64_t times_ns[COUNT];
    struct commands c;
    struct memory_buffer word;
    VkFence fence = make_fence(d, false);
    *median_ns = *worst_ns = 0;
    if (!make_commands(d->device, 0, &c) || !make_buffer(d, d->device, 4096, &word))
        return;
    begin(c.buffers[0]);
    vkCmdFillBuffer(c.buffers[0], word.buffer, 0, 4, 1);
    vkEndCommandBuffer(c.buffers[0]);
    for (int i = 0; i < COUNT; i++) {
        uint64_t start_ns = bench_now_ns();
        submit(d->queue, 1, c.buffers, fence);
        vkWaitForFences(d->device, 1, &fence, VK_TRUE, FOREVER);
        times_ns[i] = bench_now_ns() - start_ns;
        vkResetFences(d->device, 1, &fence);
    }
    qsort(times_ns, COUNT, sizeof times_ns[0], by_value);
    *median_ns = times_ns[COUNT / 2];
    *worst_ns = times_ns[COUNT * 99 / 100];
    free_buffer(d->device, &word);
    vkDestroyCommandPool(d->device, c.pool, NULL);
    vkDestroyFence(d->device, fence, NULL);
}

static bool run_latency(struct bench_device *d)
{
    uint64_t median_ns, worst_ns;
    measure_latency(d, &median_ns, &worst_ns);
    bench_item("median", median_ns);
    return median_ns != 0;
}

static bool run_latency_p99(struct bench_device *d)
{
    uint64_t median_ns, worst_ns;
    measure_latency(d, &median_ns, &worst_ns);
    bench_item("p99", worst_ns);
    return worst_ns != 0;
}

/* ---------------------------------------------------------------- frames in flight */

/* Simulates an application's CPU work for a frame. */
static uint32_t burn_cpu(uint32_t x, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

/* Measures a frame whose CPU part takes about as long as its device part, with `in_flight` frames in flight. */
static bool run_frames(struct bench_device *d, uint32_t in_flight)
{
    enum { FRAMES = 200, SIZE_B = 4 << 20, STEPS = 600000 };
    struct commands c;
    struct memory_buffer from, to;
    VkFence fences[3];
    uint32_t seed = 1;
    if (!make_commands(d->device, 0, &c) || !make_buffer(d, d->device, SIZE_B, &from) ||
        !make_buffer(d, d->device, SIZE_B, &to))
        return false;
    memset(from.map, 1, SIZE_B);
    for (uint32_t i = 0; i < in_flight; i++)
        fences[i] = make_fence(d, true);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        uint32_t slot = frame % in_flight;
        vkWaitForFences(d->device, 1, &fences[slot], VK_TRUE, FOREVER);
        vkResetFences(d->device, 1, &fences[slot]);
        seed = burn_cpu(seed, STEPS);
        begin(c.buffers[slot]);
        const VkBufferCopy region = {.size = SIZE_B};
        vkCmdCopyBuffer(c.buffers[slot], from.buffer, to.buffer, 1, &region);
        const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                         .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                         .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT};
        vkCmdPipelineBarrier(c.buffers[slot], VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
                             &barrier, 0, NULL, 0, NULL);
        vkEndCommandBuffer(c.buffers[slot]);
        submit(d->queue, 1, &c.buffers[slot], fences[slot]);
    }
    vkDeviceWaitIdle(d->device);
    bench_item(seed ? "frame" : "never", (bench_now_ns() - start_ns) / FRAMES);
    for (uint32_t i = 0; i < in_flight; i++)
        vkDestroyFence(d->device, fences[i], NULL);
    free_buffer(d->device, &from);
    free_buffer(d->device, &to);
    vkDestroyCommandPool(d->device, c.pool, NULL);
    return true;
}

static bool run_frames_1(struct bench_device *d)
{
    return run_frames(d, 1);
}

static bool run_frames_2(struct bench_device *d)
{
    return run_frames(d, 2);
}

static bool run_frames_3(struct bench_device *d)
{
    return run_frames(d, 3);
}

/* ---------------------------------------------------------------- an upload in parallel with frames */

/* Returns a queue family for transfers without graphics, or family 0. */
static uint32_t transfer_family(const struct bench_device *d)
{
    VkQueueFamilyProperties families[8];
    uint32_t count = 8;
    vkGetPhysicalDeviceQueueFamilyProperties(d->physical, &count, families);
    for (uint32_t i = 0; i < count; i++)
        if ((families[i].queueFlags & VK_QUEUE_TRANSFER_BIT) && !(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT))
            return i;
    return 0;
}

/* Measures 60 small frames that are submitted during an upload of 256 MiB. They are fast if the driver runs the upload
 * on a queue and a thread of its own. */
static bool run_upload(struct bench_device *d)
{
    enum { FRAMES = 60, SIZE_B = 256 << 20, SMALL_B = 64 << 10 };
    uint32_t family = transfer_family(d);
    const float one = 1;
    const VkDeviceQueueCreateInfo queues[] = {
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &one},
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = family,
         .queueCount = 1,
         .pQueuePriorities = &one}};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = family ? 2 : 1,
                                     .pQueueCreateInfos = queues};
    VkDevice device;
    VkQueue graphics, transfer;
    struct commands up, frames;
    struct memory_buffer from, to, small, small_to;
    if (vkCreateDevice(d->physical, &info, NULL, &device) != VK_SUCCESS)
        return false;
    vkGetDeviceQueue(device, 0, 0, &graphics);
    vkGetDeviceQueue(device, family, 0, &transfer);
    if (!make_commands(device, family, &up) || !make_commands(device, 0, &frames) ||
        !make_buffer(d, device, SIZE_B, &from) || !make_buffer(d, device, SIZE_B, &to) ||
        !make_buffer(d, device, SMALL_B, &small) || !make_buffer(d, device, SMALL_B, &small_to))
        return false;
    memset(from.map, 1, SIZE_B);
    memset(to.map, 2, SIZE_B);
    begin(up.buffers[0]);
    for (VkDeviceSize at_B = 0; at_B < SIZE_B; at_B += 16 << 20) {
        const VkBufferCopy region = {.srcOffset = at_B, .dstOffset = at_B, .size = 16 << 20};
        vkCmdCopyBuffer(up.buffers[0], from.buffer, to.buffer, 1, &region);
    }
    vkEndCommandBuffer(up.buffers[0]);
    begin(frames.buffers[0]);
    vkCmdCopyBuffer(frames.buffers[0], small.buffer, small_to.buffer, 1, &(VkBufferCopy){.size = SMALL_B});
    vkEndCommandBuffer(frames.buffers[0]);
    const VkFenceCreateInfo plain = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    vkCreateFence(device, &plain, NULL, &fence);
    uint64_t start_ns = bench_now_ns();
    submit(transfer, 1, up.buffers, VK_NULL_HANDLE);
    for (int i = 0; i < FRAMES; i++) {
        submit(graphics, 1, frames.buffers, fence);
        vkWaitForFences(device, 1, &fence, VK_TRUE, FOREVER);
        vkResetFences(device, 1, &fence);
    }
    bench_item("frames", bench_now_ns() - start_ns);
    vkDeviceWaitIdle(device);
    bench_item("all", bench_now_ns() - start_ns);
    vkDestroyFence(device, fence, NULL);
    free_buffer(device, &from);
    free_buffer(device, &to);
    free_buffer(device, &small);
    free_buffer(device, &small_to);
    vkDestroyCommandPool(device, up.pool, NULL);
    vkDestroyCommandPool(device, frames.pool, NULL);
    vkDestroyDevice(device, NULL);
    return true;
}

const struct bench_line bench_submit[] = {
    {"empty", "an empty submission", run_empty},
    {"latency", "submission to signal, median", run_latency},
    {"latency-p99", "submission to signal, 99th percentile", run_latency_p99},
    {"frames-1", "a CPU-heavy frame, 1 in flight", run_frames_1},
    {"frames-2", "a CPU-heavy frame, 2 in flight", run_frames_2},
    {"frames-3", "a CPU-heavy frame, 3 in flight", run_frames_3},
    {"upload", "frames during an upload of 256 MiB", run_upload},
    {NULL, NULL, NULL},
};
