/* SPDX-License-Identifier: MIT */
#include "bench_objects.h"

#define FOREVER UINT64_MAX

/* -- memory ------------------------------------------------------------------------------------------------------- */

static uint32_t find_type(const struct bench_device *d, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++)
        if (allowed >> i & 1 && (d->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return 0;
}

VkDeviceMemory bench_allocate(struct bench_device *d, const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted)
{
    VkDeviceMemory memory = VK_NULL_HANDLE;
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = needs->size,
                                       .memoryTypeIndex = find_type(d, needs->memoryTypeBits, wanted)};
    vkAllocateMemory(d->device, &info, NULL, &memory);
    return memory;
}

bool bench_make_buffer(struct bench_device *d, VkDeviceSize size_B, VkBufferUsageFlags usage, struct buffer *b)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size_B, .usage = usage};
    VkMemoryRequirements needs;
    if (vkCreateBuffer(d->device, &info, NULL, &b->buffer) != VK_SUCCESS)
        return false;
    vkGetBufferMemoryRequirements(d->device, b->buffer, &needs);
    b->memory = bench_allocate(d, &needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    b->size_B = size_B;
    return vkBindBufferMemory(d->device, b->buffer, b->memory, 0) == VK_SUCCESS;
}

void bench_finish_buffer(struct bench_device *d, struct buffer *b)
{
    vkDestroyBuffer(d->device, b->buffer, NULL);
    vkFreeMemory(d->device, b->memory, NULL);
}

bool bench_make_image(struct bench_device *d, const struct image_info *info, struct image *i)
{
    const VkImageCreateInfo image = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = info->format,
                                     .extent = {info->size.width, info->size.height, 1},
                                     .mipLevels = info->levels,
                                     .arrayLayers = 1,
                                     .samples = info->samples,
                                     .usage = info->usage};
    VkMemoryRequirements needs;
    if (vkCreateImage(d->device, &image, NULL, &i->image) != VK_SUCCESS)
        return false;
    vkGetImageMemoryRequirements(d->device, i->image, &needs);
    i->memory = bench_allocate(d, &needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    const bool is_depth = info->usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = i->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = info->format,
        .subresourceRange = {is_depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, 0, info->levels, 0, 1}};
    return vkBindImageMemory(d->device, i->image, i->memory, 0) == VK_SUCCESS &&
           vkCreateImageView(d->device, &view, NULL, &i->view) == VK_SUCCESS;
}

bool bench_make_plain_image(struct bench_device *d, uint32_t size_px, VkImageUsageFlags usage, struct image *i)
{
    return bench_make_image(
        d, &(struct image_info){VK_FORMAT_R8G8B8A8_UNORM, {size_px, size_px}, 1, VK_SAMPLE_COUNT_1_BIT, usage}, i);
}

void bench_finish_image(struct bench_device *d, struct image *i)
{
    vkDestroyImageView(d->device, i->view, NULL);
    vkDestroyImage(d->device, i->image, NULL);
    vkFreeMemory(d->device, i->memory, NULL);
}

/* -- commands ----------------------------------------------------------------------------------------------------- */

bool bench_make_commands(struct bench_device *d, struct commands *c)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (vkCreateCommandPool(d->device, &pool, NULL, &c->pool) != VK_SUCCESS)
        return false;
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = c->pool, .commandBufferCount = 1};
    return vkAllocateCommandBuffers(d->device, &info, &c->cmd) == VK_SUCCESS &&
           vkCreateFence(d->device, &fence, NULL, &c->fence) == VK_SUCCESS;
}

void bench_begin(const struct commands *c)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    vkBeginCommandBuffer(c->cmd, &info);
}

bool bench_submit_again(struct bench_device *d, const struct commands *c)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c->cmd};
    const bool good = vkQueueSubmit(d->queue, 1, &info, c->fence) == VK_SUCCESS &&
                      vkWaitForFences(d->device, 1, &c->fence, VK_TRUE, FOREVER) == VK_SUCCESS;
    vkResetFences(d->device, 1, &c->fence);
    return good;
}

bool bench_submit_and_wait(struct bench_device *d, const struct commands *c)
{
    return vkEndCommandBuffer(c->cmd) == VK_SUCCESS && bench_submit_again(d, c);
}

void bench_finish_commands(struct bench_device *d, struct commands *c)
{
    vkDestroyFence(d->device, c->fence, NULL);
    vkDestroyCommandPool(d->device, c->pool, NULL);
}

void bench_to_layout(const struct commands *c, VkImage image, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                          .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                                           VK_ACCESS_TRANSFER_WRITE_BIT,
                                          .oldLayout = from,
                                          .newLayout = to,
                                          .image = image,
                                          .subresourceRange = BENCH_COLOR_RANGE};
    vkCmdPipelineBarrier(c->cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
}

/* -- programs ----------------------------------------------------------------------------------------------------- */

VkShaderModule bench_make_module(struct bench_device *d, const uint32_t *words, size_t size_B)
{
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size_B, .pCode = words};
    VkShaderModule module = VK_NULL_HANDLE;
    vkCreateShaderModule(d->device, &info, NULL, &module);
    return module;
}
