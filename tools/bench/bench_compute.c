/* SPDX-License-Identifier: MIT
 *
 * Lines of compute: one dispatch each (or many small ones), from submission to its fence, behind a first one that
 * nobody measures. The sizes suit devices that are CPUs.
 */
#include <stdio.h>
#include <string.h>
#include "bench.h"
#include "compute_atomic.comp.h"
#include "compute_copy.comp.h"
#include "compute_filter.comp.h"
#include "compute_rate.comp.h"
#include "compute_sum.comp.h"

#define WORDS    (256u << 10) /* of each buffer */
#define SIZE_PX  256u         /* of each image */
#define RUNS     8
#define FOREVER  UINT64_MAX
#define BUFFERS  2
#define IMAGES   2
#define BINDINGS (BUFFERS + IMAGES)

struct buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint32_t *map;
};

struct image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
};

struct compute {
    struct bench_device *d;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool descriptors;
    VkDescriptorSet set;
    VkPipeline pipeline;
    struct buffer buffers[BUFFERS];
    struct image images[IMAGES];
    VkCommandPool pool;
    VkCommandBuffer cmd;
    VkFence fence;
};

/* ---------------------------------------------------------------- memory */

static uint32_t find_type(const struct bench_device *d, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++)
        if (allowed >> i & 1 && (d->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return 0;
}

static bool allocate(struct bench_device *d, const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted,
                     VkDeviceMemory *out)
{
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = needs->size,
                                       .memoryTypeIndex = find_type(d, needs->memoryTypeBits, wanted)};
    return vkAllocateMemory(d->device, &info, NULL, out) == VK_SUCCESS;
}

static bool make_buffer(struct bench_device *d, struct buffer *b)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = WORDS * 4,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryRequirements needs;
    if (vkCreateBuffer(d->device, &info, NULL, &b->buffer) != VK_SUCCESS)
        return false;
    vkGetBufferMemoryRequirements(d->device, b->buffer, &needs);
    if (!allocate(d, &needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, &b->memory) ||
        vkBindBufferMemory(d->device, b->buffer, b->memory, 0) != VK_SUCCESS ||
        vkMapMemory(d->device, b->memory, 0, VK_WHOLE_SIZE, 0, (void **)&b->map) != VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < WORDS; i++)
        b->map[i] = i * 2654435761u >> 8;
    return true;
}

static bool make_image(struct bench_device *d, struct image *image)
{
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .extent = {SIZE_PX, SIZE_PX, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_STORAGE_BIT};
    VkMemoryRequirements needs;
    if (vkCreateImage(d->device, &info, NULL, &image->image) != VK_SUCCESS)
        return false;
    vkGetImageMemoryRequirements(d->device, image->image, &needs);
    if (!allocate(d, &needs, 0, &image->memory) ||
        vkBindImageMemory(d->device, image->image, image->memory, 0) != VK_SUCCESS)
        return false;
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = image->image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = info.format,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    return vkCreateImageView(d->device, &view, NULL, &image->view) == VK_SUCCESS;
}

/* ---------------------------------------------------------------- descriptors and pipeline */

static VkDescriptorType type_of(uint32_t binding)
{
    return binding < BUFFERS ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
}

static bool make_set(struct compute *c)
{
    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    for (uint32_t i = 0; i < BINDINGS; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = type_of(i),
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                    .bindingCount = BINDINGS,
                                                    .pBindings = bindings};
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, IMAGES}};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 2,
                                             .pPoolSizes = sizes};
    if (vkCreateDescriptorSetLayout(c->d->device, &layout, NULL, &c->set_layout) != VK_SUCCESS ||
        vkCreateDescriptorPool(c->d->device, &pool, NULL, &c->descriptors) != VK_SUCCESS)
        return false;
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = c->descriptors,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &c->set_layout};
    if (vkAllocateDescriptorSets(c->d->device, &info, &c->set) != VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < BINDINGS; i++) {
        const bool is_buffer = i < BUFFERS;
        const VkDescriptorBufferInfo buffer = {is_buffer ? c->buffers[i].buffer : VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};
        const VkDescriptorImageInfo image = {.imageView = is_buffer ? VK_NULL_HANDLE : c->images[i - BUFFERS].view,
                                             .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
        vkUpdateDescriptorSets(c->d->device, 1,
                               &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                       .dstSet = c->set,
                                                       .dstBinding = i,
                                                       .descriptorCount = 1,
                                                       .descriptorType = type_of(i),
                                                       .pBufferInfo = &buffer,
                                                       .pImageInfo = &image},
                               0, NULL);
    }
    return true;
}

static bool make_pipeline(struct compute *c, const uint32_t *words, size_t size_B)
{
    VkShaderModule module;
    const VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size_B, .pCode = words};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &c->set_layout};
    if (vkCreateShaderModule(c->d->device, &module_info, NULL, &module) != VK_SUCCESS)
        return false;
    bool good = vkCreatePipelineLayout(c->d->device, &layout, NULL, &c->layout) == VK_SUCCESS;
    const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                        .module = module,
                                                        .pName = "main"},
                                              .layout = c->layout};
    good = good && vkCreateComputePipelines(c->d->device, VK_NULL_HANDLE, 1, &info, NULL, &c->pipeline) == VK_SUCCESS;
    vkDestroyShaderModule(c->d->device, module, NULL);
    return good;
}

/* ---------------------------------------------------------------- running */

static bool submit_and_wait(struct compute *c)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c->cmd};
    vkResetFences(c->d->device, 1, &c->fence);
    return vkQueueSubmit(c->d->queue, 1, &info, c->fence) == VK_SUCCESS &&
           vkWaitForFences(c->d->device, 1, &c->fence, VK_TRUE, FOREVER) == VK_SUCCESS;
}

static void record(struct compute *c, const uint32_t groups[2], uint32_t dispatches)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    vkBeginCommandBuffer(c->cmd, &begin);
    for (uint32_t i = 0; i < IMAGES; i++) {
        const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                              .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                              .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                              .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                              .image = c->images[i].image,
                                              .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
        vkCmdPipelineBarrier(c->cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0,
                             NULL, 0, NULL, 1, &barrier);
    }
    vkCmdBindPipeline(c->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c->pipeline);
    vkCmdBindDescriptorSets(c->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c->layout, 0, 1, &c->set, 0, NULL);
    for (uint32_t i = 0; i < dispatches; i++)
        vkCmdDispatch(c->cmd, groups[0], groups[1], 1);
    vkEndCommandBuffer(c->cmd);
}

static bool make_commands(struct compute *c)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (vkCreateCommandPool(c->d->device, &pool, NULL, &c->pool) != VK_SUCCESS ||
        vkCreateFence(c->d->device, &fence, NULL, &c->fence) != VK_SUCCESS)
        return false;
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = c->pool, .commandBufferCount = 1};
    return vkAllocateCommandBuffers(c->d->device, &info, &c->cmd) == VK_SUCCESS;
}

static void finish(struct compute *c)
{
    VkDevice device = c->d->device;
    vkDestroyFence(device, c->fence, NULL);
    vkDestroyCommandPool(device, c->pool, NULL);
    vkDestroyPipeline(device, c->pipeline, NULL);
    vkDestroyPipelineLayout(device, c->layout, NULL);
    vkDestroyDescriptorPool(device, c->descriptors, NULL);
    vkDestroyDescriptorSetLayout(device, c->set_layout, NULL);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        vkDestroyBuffer(device, c->buffers[i].buffer, NULL);
        vkFreeMemory(device, c->buffers[i].memory, NULL);
    }
    for (uint32_t i = 0; i < IMAGES; i++) {
        vkDestroyImageView(device, c->images[i].view, NULL);
        vkDestroyImage(device, c->images[i].image, NULL);
        vkFreeMemory(device, c->images[i].memory, NULL);
    }
}

/* Time of a submission with so many dispatches of the same. */
static bool run_many(struct bench_device *d, const char *name, const uint32_t *words, size_t size_B,
                     const uint32_t groups[2], uint32_t dispatches)
{
    struct compute c = {.d = d};
    bool good = true;
    for (uint32_t i = 0; i < BUFFERS; i++)
        good = good && make_buffer(d, &c.buffers[i]);
    for (uint32_t i = 0; i < IMAGES; i++)
        good = good && make_image(d, &c.images[i]);
    good = good && make_set(&c) && make_pipeline(&c, words, size_B) && make_commands(&c);
    if (good) {
        record(&c, groups, dispatches);
        good = submit_and_wait(&c);
        uint64_t start_ns = bench_now_ns();
        for (int i = 0; i < RUNS && good; i++)
            good = submit_and_wait(&c);
        if (good)
            bench_item(name, (bench_now_ns() - start_ns) / RUNS);
    }
    if (!good)
        fprintf(stderr, "%s: the device cannot do it\n", name);
    finish(&c);
    return good;
}

static bool run(struct bench_device *d, const char *name, const uint32_t *words, size_t size_B, uint32_t groups_x,
                uint32_t groups_y)
{
    return run_many(d, name, words, size_B, (const uint32_t[]){groups_x, groups_y}, 1);
}

/* 2^14 invocations of 1,024 operations. */
static bool run_rate(struct bench_device *d)
{
    return run(d, "rate", compute_rate_comp, sizeof compute_rate_comp, 256, 1);
}

static bool run_copy(struct bench_device *d)
{
    return run(d, "copy", compute_copy_comp, sizeof compute_copy_comp, WORDS / 64, 1);
}

static bool run_sum(struct bench_device *d)
{
    return run(d, "sum", compute_sum_comp, sizeof compute_sum_comp, WORDS / 128, 1);
}

static bool run_atomic(struct bench_device *d)
{
    return run(d, "atomic", compute_atomic_comp, sizeof compute_atomic_comp, 1024, 1);
}

static bool run_filter(struct bench_device *d)
{
    return run(d, "filter", compute_filter_comp, sizeof compute_filter_comp, SIZE_PX / 8, SIZE_PX / 8);
}

static bool run_small(struct bench_device *d)
{
    return run_many(d, "small", compute_copy_comp, sizeof compute_copy_comp, (const uint32_t[]){4, 1}, 500);
}

const struct bench_line bench_compute[] = {
    {"compute-rate", "16,384 invocations of 1,024 float operations each", run_rate},
    {"compute-copy", "1 MiB from buffer to buffer, a word an invocation", run_copy},
    {"compute-sum", "sums of 2,048 blocks of 128 words in shared memory", run_sum},
    {"compute-atomic", "a histogram of 65,536 words in 256 bins", run_atomic},
    {"compute-filter", "mean of 3 x 3 texels of a storage image, 256 x 256", run_filter},
    {"compute-small", "500 dispatches of 256 invocations each", run_small},
    {0},
};
