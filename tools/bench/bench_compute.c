/* SPDX-License-Identifier: MIT
 *
 * Compute lines: the time of one dispatch (or many small ones) from submission to fence. A first submission is not
 * measured. The sizes are chosen for devices that are CPUs.
 */
#include <stdio.h>
#include <string.h>
#include "bench_objects.h"
#include "compute_atomic.comp.h"
#include "compute_copy.comp.h"
#include "compute_filter.comp.h"
#include "compute_rate.comp.h"
#include "compute_sum.comp.h"

#define WORDS    (256u << 10) /* of each buffer */
#define SIZE_PX  256u         /* of each image */
#define RUNS     8
#define BUFFERS  2
#define IMAGES   2
#define BINDINGS (BUFFERS + IMAGES)

struct compute {
    struct bench_device *d;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool descriptors;
    VkDescriptorSet set;
    VkPipeline pipeline;
    struct buffer buffers[BUFFERS];
    struct image images[IMAGES];
    struct commands c;
};

/* ---------------------------------------------------------------- memory */

static bool make_filled_buffer(struct bench_device *d, struct buffer *b)
{
    uint32_t *map;
    if (!bench_make_buffer(d, WORDS * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, b) ||
        vkMapMemory(d->device, b->memory, 0, VK_WHOLE_SIZE, 0, (void **)&map) != VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < WORDS; i++)
        map[i] = i * 2654435761u >> 8;
    return true;
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
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &c->set_layout};
    VkShaderModule module = bench_make_module(c->d, words, size_B);
    bool good = module && vkCreatePipelineLayout(c->d->device, &layout, NULL, &c->layout) == VK_SUCCESS;
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

static void record(struct compute *c, const uint32_t groups[2], uint32_t dispatches)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    vkBeginCommandBuffer(c->c.cmd, &begin);
    for (uint32_t i = 0; i < IMAGES; i++)
        bench_to_layout(&c->c, c->images[i].image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdBindPipeline(c->c.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c->pipeline);
    vkCmdBindDescriptorSets(c->c.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c->layout, 0, 1, &c->set, 0, NULL);
    for (uint32_t i = 0; i < dispatches; i++)
        vkCmdDispatch(c->c.cmd, groups[0], groups[1], 1);
    vkEndCommandBuffer(c->c.cmd);
}

static void finish(struct compute *c)
{
    VkDevice device = c->d->device;
    bench_finish_commands(c->d, &c->c);
    vkDestroyPipeline(device, c->pipeline, NULL);
    vkDestroyPipelineLayout(device, c->layout, NULL);
    vkDestroyDescriptorPool(device, c->descriptors, NULL);
    vkDestroyDescriptorSetLayout(device, c->set_layout, NULL);
    for (uint32_t i = 0; i < BUFFERS; i++)
        bench_finish_buffer(c->d, &c->buffers[i]);
    for (uint32_t i = 0; i < IMAGES; i++)
        bench_finish_image(c->d, &c->images[i]);
}

/* Measures a submission with a number of identical dispatches. */
static bool run_dispatches(struct bench_device *d, const char *name, const uint32_t *words, size_t size_B,
                           const uint32_t groups[2], uint32_t dispatches)
{
    struct compute c = {.d = d};
    bool good = true;
    for (uint32_t i = 0; i < BUFFERS; i++)
        good = good && make_filled_buffer(d, &c.buffers[i]);
    for (uint32_t i = 0; i < IMAGES; i++)
        good = good && bench_make_plain_image(d, SIZE_PX, VK_IMAGE_USAGE_STORAGE_BIT, &c.images[i]);
    good = good && make_set(&c) && make_pipeline(&c, words, size_B) && bench_make_commands(d, &c.c);
    if (good) {
        record(&c, groups, dispatches);
        good = bench_submit_again(d, &c.c);
        uint64_t start_ns = bench_now_ns();
        for (int i = 0; i < RUNS && good; i++)
            good = bench_submit_again(d, &c.c);
        if (good)
            bench_item(name, (bench_now_ns() - start_ns) / RUNS);
    }
    if (!good)
        fprintf(stderr, "%s: the objects cannot be created, or a submission failed\n", name);
    finish(&c);
    return good;
}

static bool run(struct bench_device *d, const char *name, const uint32_t *words, size_t size_B, uint32_t groups_x,
                uint32_t groups_y)
{
    return run_dispatches(d, name, words, size_B, (const uint32_t[]){groups_x, groups_y}, 1);
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
    return run_dispatches(d, "small", compute_copy_comp, sizeof compute_copy_comp, (const uint32_t[]){4, 1}, 500);
}

const struct bench_line bench_compute[] = {
    {"compute-rate", "16,384 invocations of 1,024 float operations each", run_rate},
    {"compute-copy", "1 MiB from buffer to buffer, one word per invocation", run_copy},
    {"compute-sum", "sums of 2,048 blocks of 128 words in shared memory", run_sum},
    {"compute-atomic", "a histogram of 65,536 words in 256 bins", run_atomic},
    {"compute-filter", "mean of 3 x 3 texels of a storage image, 256 x 256", run_filter},
    {"compute-small", "500 dispatches of 256 invocations each", run_small},
    {0},
};
