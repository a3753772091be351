/* SPDX-License-Identifier: MIT
 *
 * Memory lines: how fast buffers, images and device memory are created and destroyed.
 */
#include <stdio.h>
#include "bench.h"

static uint32_t find_type(const struct bench_device *d)
{
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++)
        if ((d->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return 0;
}

static bool allocate(const struct bench_device *d, VkDeviceSize size_B, VkDeviceMemory *out)
{
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = size_B,
                                       .memoryTypeIndex = find_type(d)};
    return vkAllocateMemory(d->device, &info, NULL, out) == VK_SUCCESS;
}

/* ---------------------------------------------------------------- objects */

enum { BATCH = 256, BATCHES = 200 };

/* Creates buffers, queries their memory requirements, binds them to parts of one allocation and destroys them. */
static bool run_buffers(struct bench_device *d)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = 4096,
                                     .usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer buffers[BATCH];
    VkMemoryRequirements req;
    VkDeviceMemory memory;
    if (!allocate(d, BATCH * 4096, &memory))
        return false;
    uint64_t start_ns = bench_now_ns();
    for (uint32_t batch = 0; batch < BATCHES; batch++) {
        for (uint32_t i = 0; i < BATCH; i++) {
            if (vkCreateBuffer(d->device, &info, NULL, &buffers[i]) != VK_SUCCESS)
                return false;
            vkGetBufferMemoryRequirements(d->device, buffers[i], &req);
            if (vkBindBufferMemory(d->device, buffers[i], memory, i * 4096) != VK_SUCCESS)
                return false;
        }
        for (uint32_t i = 0; i < BATCH; i++)
            vkDestroyBuffer(d->device, buffers[i], NULL);
    }
    bench_item("51200-buffers", bench_now_ns() - start_ns);
    vkFreeMemory(d->device, memory, NULL);
    return true;
}

/* The same with images with all mip levels. */
static bool run_images(struct bench_device *d)
{
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .extent = {64, 64, 1},
                                    .mipLevels = 7,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .tiling = VK_IMAGE_TILING_OPTIMAL,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    VkImage images[BATCH];
    VkMemoryRequirements req;
    VkDeviceMemory memory;
    if (vkCreateImage(d->device, &info, NULL, &images[0]) != VK_SUCCESS)
        return false;
    vkGetImageMemoryRequirements(d->device, images[0], &req);
    vkDestroyImage(d->device, images[0], NULL);
    const VkDeviceSize stride_B = (req.size + req.alignment - 1) / req.alignment * req.alignment;
    if (!allocate(d, BATCH * stride_B, &memory))
        return false;
    uint64_t start_ns = bench_now_ns();
    for (uint32_t batch = 0; batch < BATCHES; batch++) {
        for (uint32_t i = 0; i < BATCH; i++) {
            if (vkCreateImage(d->device, &info, NULL, &images[i]) != VK_SUCCESS)
                return false;
            vkGetImageMemoryRequirements(d->device, images[i], &req);
            if (vkBindImageMemory(d->device, images[i], memory, i * stride_B) != VK_SUCCESS)
                return false;
        }
        for (uint32_t i = 0; i < BATCH; i++)
            vkDestroyImage(d->device, images[i], NULL);
    }
    bench_item("51200-images", bench_now_ns() - start_ns);
    vkFreeMemory(d->device, memory, NULL);
    return true;
}

/* ---------------------------------------------------------------- memory */

/* Allocates and frees small, medium and large memory, 64 allocations at a time. The driver may cache freed memory. */
static bool run_allocate(struct bench_device *d)
{
    static const struct {
        const char *name;
        VkDeviceSize size_B;
    } sizes[] = {{"6400-of-1-KiB", 1024}, {"6400-of-64-KiB", 65536}, {"6400-of-1-MiB", 1 << 20}};
    enum { ALIVE = 64, ROUNDS = 100 };
    for (uint32_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        VkDeviceMemory memory[ALIVE];
        uint64_t start_ns = bench_now_ns();
        for (uint32_t round = 0; round < ROUNDS; round++) {
            for (uint32_t i = 0; i < ALIVE; i++)
                if (!allocate(d, sizes[s].size_B, &memory[i]))
                    return false;
            for (uint32_t i = 0; i < ALIVE; i++)
                vkFreeMemory(d->device, memory[i], NULL);
        }
        bench_item(sizes[s].name, bench_now_ns() - start_ns);
    }
    return true;
}

const struct bench_line bench_memory[] = {
    {"buffers", "51,200 buffers made, bound and destroyed", run_buffers},
    {"images", "51,200 images made, bound and destroyed", run_images},
    {"allocate", "device memory allocated and freed, 6,400 times of three sizes each", run_allocate},
    {0},
};
