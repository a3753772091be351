/* SPDX-License-Identifier: MIT
 *
 * Lines of descriptors and uploads: sets allocated and written, draws with a new set each, and bytes that get to the device
 * by each of the ways that applications use.
 */
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "sets.frag.h"
#include "sets.vert.h"

#define FOREVER UINT64_MAX

static uint32_t find_type(const struct bench_device *d, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++)
        if (allowed >> i & 1 && (d->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return 0;
}

static VkDeviceMemory allocate(struct bench_device *d, const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted)
{
    VkDeviceMemory memory = VK_NULL_HANDLE;
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = needs->size,
                                       .memoryTypeIndex = find_type(d, needs->memoryTypeBits, wanted)};
    vkAllocateMemory(d->device, &info, NULL, &memory);
    return memory;
}

struct buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size_B;
};

static bool make_buffer(struct bench_device *d, VkDeviceSize size_B, VkBufferUsageFlags usage, struct buffer *b)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size_B, .usage = usage};
    VkMemoryRequirements needs;
    if (vkCreateBuffer(d->device, &info, NULL, &b->buffer) != VK_SUCCESS)
        return false;
    vkGetBufferMemoryRequirements(d->device, b->buffer, &needs);
    b->memory = allocate(d, &needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    b->size_B = size_B;
    return vkBindBufferMemory(d->device, b->buffer, b->memory, 0) == VK_SUCCESS;
}

struct image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
};

#define COLOR_RANGE ((VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1})

static bool make_image(struct bench_device *d, uint32_t size_px, VkImageUsageFlags usage, struct image *i)
{
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .extent = {size_px, size_px, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = usage,
    };
    VkMemoryRequirements needs;
    if (vkCreateImage(d->device, &info, NULL, &i->image) != VK_SUCCESS)
        return false;
    vkGetImageMemoryRequirements(d->device, i->image, &needs);
    i->memory = allocate(d, &needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = i->image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = VK_FORMAT_R8G8B8A8_UNORM,
                                        .subresourceRange = COLOR_RANGE};
    return vkBindImageMemory(d->device, i->image, i->memory, 0) == VK_SUCCESS &&
           vkCreateImageView(d->device, &view, NULL, &i->view) == VK_SUCCESS;
}

/* ---------------------------------------------------------------- commands */

struct commands {
    VkCommandPool pool;
    VkCommandBuffer cmd;
    VkFence fence;
};

static bool make_commands(struct bench_device *d, struct commands *c)
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

static void begin(const struct commands *c)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    vkBeginCommandBuffer(c->cmd, &info);
}

static bool submit_and_wait(struct bench_device *d, const struct commands *c)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c->cmd};
    bool good = vkEndCommandBuffer(c->cmd) == VK_SUCCESS &&
                vkQueueSubmit(d->queue, 1, &info, c->fence) == VK_SUCCESS &&
                vkWaitForFences(d->device, 1, &c->fence, VK_TRUE, FOREVER) == VK_SUCCESS;
    vkResetFences(d->device, 1, &c->fence);
    return good;
}

static void to_layout(const struct commands *c, VkImage image, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                          .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                                          .oldLayout = from,
                                          .newLayout = to,
                                          .image = image,
                                          .subresourceRange = COLOR_RANGE};
    vkCmdPipelineBarrier(c->cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
}

/* ---------------------------------------------------------------- sets */

#define SETS     1000
#define PLACE_B  256 /* of a set's uniform buffer, beside the next one's */

/* Sets of a uniform buffer and a picture, as a small scene has them. */
struct scene {
    struct buffer places;
    struct image picture;
    VkSampler sampler;
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    struct commands c;
};

static void fill_places(struct bench_device *d, const struct buffer *places)
{
    uint8_t *map;
    if (vkMapMemory(d->device, places->memory, 0, VK_WHOLE_SIZE, 0, (void **)&map) != VK_SUCCESS)
        return;
    for (uint32_t i = 0; i < SETS; i++) {
        const float place[4] = {(float)(i % 40) / 20 - 1, (float)(i / 40) / 13 - 1, 0.04f, 0.06f};
        memcpy(map + i * PLACE_B, place, sizeof place);
    }
    vkUnmapMemory(d->device, places->memory);
}

static bool make_scene(struct bench_device *d, struct scene *s)
{
    const VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .maxLod = 1};
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
    };
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SETS},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, SETS}};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = SETS,
                                             .poolSizeCount = 2,
                                             .pPoolSizes = sizes};
    if (!make_buffer(d, SETS * PLACE_B, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, &s->places) ||
        !make_image(d, 64, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, &s->picture) ||
        vkCreateSampler(d->device, &sampler, NULL, &s->sampler) != VK_SUCCESS ||
        vkCreateDescriptorSetLayout(d->device, &layout, NULL, &s->layout) != VK_SUCCESS ||
        vkCreateDescriptorPool(d->device, &pool, NULL, &s->pool) != VK_SUCCESS || !make_commands(d, &s->c))
        return false;
    fill_places(d, &s->places);
    begin(&s->c);
    to_layout(&s->c, s->picture.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(s->c.cmd, s->picture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         &(VkClearColorValue){.float32 = {0, 1, 0, 1}}, 1, &COLOR_RANGE);
    to_layout(&s->c, s->picture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    return submit_and_wait(d, &s->c);
}

static void finish_scene(struct bench_device *d, struct scene *s)
{
    vkDestroyFence(d->device, s->c.fence, NULL);
    vkDestroyCommandPool(d->device, s->c.pool, NULL);
    vkDestroyDescriptorPool(d->device, s->pool, NULL);
    vkDestroyDescriptorSetLayout(d->device, s->layout, NULL);
    vkDestroySampler(d->device, s->sampler, NULL);
    vkDestroyImageView(d->device, s->picture.view, NULL);
    vkDestroyImage(d->device, s->picture.image, NULL);
    vkFreeMemory(d->device, s->picture.memory, NULL);
    vkDestroyBuffer(d->device, s->places.buffer, NULL);
    vkFreeMemory(d->device, s->places.memory, NULL);
}

/* A new set for place `i`. */
static VkDescriptorSet make_set(struct bench_device *d, const struct scene *s, uint32_t i)
{
    VkDescriptorSet set = VK_NULL_HANDLE;
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = s->pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &s->layout};
    if (vkAllocateDescriptorSets(d->device, &info, &set) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    const VkDescriptorBufferInfo place = {s->places.buffer, (VkDeviceSize)i * PLACE_B, 16};
    const VkDescriptorImageInfo picture = {s->sampler, s->picture.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    const VkWriteDescriptorSet writes[] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = set,
                                            .dstBinding = 0,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                            .pBufferInfo = &place},
                                           {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = set,
                                            .dstBinding = 1,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                            .pImageInfo = &picture}};
    vkUpdateDescriptorSets(d->device, 2, writes, 0, NULL);
    return set;
}

/* Time of a thousand sets, allocated, written and given back by a reset. */
static bool run_sets(struct bench_device *d)
{
    enum { ROUNDS = 200 };
    struct scene s = {0};
    bool good = make_scene(d, &s);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t round = 0; good && round < ROUNDS; round++) {
        for (uint32_t i = 0; i < SETS; i++)
            good = make_set(d, &s, i) != VK_NULL_HANDLE && good;
        vkResetDescriptorPool(d->device, s.pool, 0);
    }
    if (good)
        bench_item("1000-sets", (bench_now_ns() - start_ns) / ROUNDS);
    finish_scene(d, &s);
    return good;
}

/* ---------------------------------------------------------------- draws */

#define TARGET_PX 256

struct pipeline {
    VkShaderModule modules[2];
    VkPipelineLayout layout;
    VkRenderPass pass;
    VkPipeline pipeline;
    struct image target;
    VkFramebuffer framebuffer;
};

static VkRenderPass make_pass(struct bench_device *d)
{
    const VkAttachmentDescription attachment = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                .samples = VK_SAMPLE_COUNT_1_BIT,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &color};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1,
                                         .pAttachments = &attachment,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass};
    VkRenderPass pass = VK_NULL_HANDLE;
    vkCreateRenderPass(d->device, &info, NULL, &pass);
    return pass;
}

static VkShaderModule make_module(struct bench_device *d, const uint32_t *words, size_t size_B)
{
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size_B, .pCode = words};
    VkShaderModule module = VK_NULL_HANDLE;
    vkCreateShaderModule(d->device, &info, NULL, &module);
    return module;
}

static VkResult make_graphics_pipeline(struct bench_device *d, struct pipeline *p)
{
    const VkPipelineShaderStageCreateInfo stages[] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = p->modules[0],
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = p->modules[1],
         .pName = "main"},
    };
    const VkPipelineVertexInputStateCreateInfo vertices = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkViewport viewport = {0, 0, TARGET_PX, TARGET_PX, 0, 1};
    const VkRect2D scissor = {{0, 0}, {TARGET_PX, TARGET_PX}};
    const VkPipelineViewportStateCreateInfo viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                         .viewportCount = 1,
                                                         .pViewports = &viewport,
                                                         .scissorCount = 1,
                                                         .pScissors = &scissor};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineColorBlendAttachmentState blend = {.colorWriteMask = 0xf};
    const VkPipelineColorBlendStateCreateInfo blends = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1, .pAttachments = &blend};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .stageCount = 2,
                                               .pStages = stages,
                                               .pVertexInputState = &vertices,
                                               .pInputAssemblyState = &assembly,
                                               .pViewportState = &viewports,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .pColorBlendState = &blends,
                                               .layout = p->layout,
                                               .renderPass = p->pass};
    return vkCreateGraphicsPipelines(d->device, VK_NULL_HANDLE, 1, &info, NULL, &p->pipeline);
}

static bool make_pipeline(struct bench_device *d, const struct scene *s, struct pipeline *p)
{
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &s->layout};
    p->modules[0] = make_module(d, sets_vert, sizeof sets_vert);
    p->modules[1] = make_module(d, sets_frag, sizeof sets_frag);
    p->pass = make_pass(d);
    if (vkCreatePipelineLayout(d->device, &layout, NULL, &p->layout) != VK_SUCCESS ||
        make_graphics_pipeline(d, p) != VK_SUCCESS ||
        !make_image(d, TARGET_PX, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, &p->target))
        return false;
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = p->pass,
                                          .attachmentCount = 1,
                                          .pAttachments = &p->target.view,
                                          .width = TARGET_PX,
                                          .height = TARGET_PX,
                                          .layers = 1};
    return vkCreateFramebuffer(d->device, &info, NULL, &p->framebuffer) == VK_SUCCESS;
}

static void finish_pipeline(struct bench_device *d, struct pipeline *p)
{
    vkDestroyFramebuffer(d->device, p->framebuffer, NULL);
    vkDestroyImageView(d->device, p->target.view, NULL);
    vkDestroyImage(d->device, p->target.image, NULL);
    vkFreeMemory(d->device, p->target.memory, NULL);
    vkDestroyPipeline(d->device, p->pipeline, NULL);
    vkDestroyPipelineLayout(d->device, p->layout, NULL);
    vkDestroyRenderPass(d->device, p->pass, NULL);
    vkDestroyShaderModule(d->device, p->modules[0], NULL);
    vkDestroyShaderModule(d->device, p->modules[1], NULL);
}

static bool draw_frame(struct bench_device *d, const struct scene *s, const struct pipeline *p)
{
    const VkClearValue clear = {0};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = p->pass,
                                        .framebuffer = p->framebuffer,
                                        .renderArea = {{0, 0}, {TARGET_PX, TARGET_PX}},
                                        .clearValueCount = 1,
                                        .pClearValues = &clear};
    begin(&s->c);
    vkCmdBeginRenderPass(s->c.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    for (uint32_t i = 0; i < SETS; i++) {
        VkDescriptorSet set = make_set(d, s, i);
        if (!set)
            return false;
        vkCmdBindDescriptorSets(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &set, 0, NULL);
        vkCmdDraw(s->c.cmd, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(s->c.cmd);
    bool good = submit_and_wait(d, &s->c);
    vkResetDescriptorPool(d->device, s->pool, 0);
    return good;
}

/* Time of a frame of a thousand draws with a new set each, to the end of its rendering. */
static bool run_draws(struct bench_device *d)
{
    enum { FRAMES = 40 };
    struct scene s = {0};
    struct pipeline p = {0};
    bool good = make_scene(d, &s) && make_pipeline(d, &s, &p) && draw_frame(d, &s, &p);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t frame = 0; good && frame < FRAMES; frame++)
        good = draw_frame(d, &s, &p);
    if (good)
        bench_item("1000-draws", (bench_now_ns() - start_ns) / FRAMES);
    finish_pipeline(d, &p);
    finish_scene(d, &s);
    return good;
}

/* A thousand draws by two pipelines in turn, all with the same set: nothing but the pipeline changes. */
static bool alternating_frame(struct bench_device *d, const struct scene *s, const struct pipeline p[2],
                              VkDescriptorSet set)
{
    const VkClearValue clear = {0};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = p->pass,
                                        .framebuffer = p->framebuffer,
                                        .renderArea = {{0, 0}, {TARGET_PX, TARGET_PX}},
                                        .clearValueCount = 1,
                                        .pClearValues = &clear};
    begin(&s->c);
    vkCmdBeginRenderPass(s->c.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindDescriptorSets(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &set, 0, NULL);
    for (uint32_t i = 0; i < SETS; i++) {
        vkCmdBindPipeline(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p[i % 2].pipeline);
        vkCmdDraw(s->c.cmd, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(s->c.cmd);
    return submit_and_wait(d, &s->c);
}

static bool run_alternating(struct bench_device *d)
{
    enum { FRAMES = 40 };
    struct scene s = {0};
    struct pipeline p[2];
    memset(p, 0, sizeof p);
    bool good = make_scene(d, &s) && make_pipeline(d, &s, &p[0]) && make_pipeline(d, &s, &p[1]);
    VkDescriptorSet set = good ? make_set(d, &s, 0) : VK_NULL_HANDLE;
    good = set && alternating_frame(d, &s, p, set);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t frame = 0; good && frame < FRAMES; frame++)
        good = alternating_frame(d, &s, p, set);
    if (good)
        bench_item("1000-draws", (bench_now_ns() - start_ns) / FRAMES);
    finish_pipeline(d, &p[0]);
    finish_pipeline(d, &p[1]);
    finish_scene(d, &s);
    return good;
}

/* A hundred passes of ten draws each, with 32-bit indices: a small job each, with memory of its own where the driver
 * rewrites indices. */
static bool indexed_frame(struct bench_device *d, const struct scene *s, const struct pipeline *p, VkDescriptorSet set,
                          VkBuffer indices)
{
    const VkClearValue clear = {0};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = p->pass,
                                        .framebuffer = p->framebuffer,
                                        .renderArea = {{0, 0}, {TARGET_PX, TARGET_PX}},
                                        .clearValueCount = 1,
                                        .pClearValues = &clear};
    begin(&s->c);
    vkCmdBindPipeline(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBindDescriptorSets(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &set, 0, NULL);
    vkCmdBindIndexBuffer(s->c.cmd, indices, 0, VK_INDEX_TYPE_UINT32);
    for (uint32_t i = 0; i < 100; i++) {
        vkCmdBeginRenderPass(s->c.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
        for (uint32_t k = 0; k < 10; k++)
            vkCmdDrawIndexed(s->c.cmd, 3, 1, k * 3, 0, 0);
        vkCmdEndRenderPass(s->c.cmd);
    }
    return submit_and_wait(d, &s->c);
}

static bool run_indices(struct bench_device *d)
{
    enum { FRAMES = 10, INDICES = 1000 };
    struct scene s = {0};
    struct pipeline p = {0};
    struct buffer indices = {0};
    uint32_t *map;
    bool good = make_scene(d, &s) && make_pipeline(d, &s, &p) &&
                make_buffer(d, INDICES * sizeof *map, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, &indices) &&
                vkMapMemory(d->device, indices.memory, 0, VK_WHOLE_SIZE, 0, (void **)&map) == VK_SUCCESS;
    for (uint32_t i = 0; good && i < INDICES; i++)
        map[i] = i % 3;
    VkDescriptorSet set = good ? make_set(d, &s, 0) : VK_NULL_HANDLE;
    good = set && indexed_frame(d, &s, &p, set, indices.buffer);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t frame = 0; good && frame < FRAMES; frame++)
        good = indexed_frame(d, &s, &p, set, indices.buffer);
    if (good)
        bench_item("100-passes", (bench_now_ns() - start_ns) / FRAMES);
    vkDestroyBuffer(d->device, indices.buffer, NULL);
    vkFreeMemory(d->device, indices.memory, NULL);
    finish_pipeline(d, &p);
    finish_scene(d, &s);
    return good;
}

/* ---------------------------------------------------------------- uploads */

/* Time of a MiB by vkCmdUpdateBuffer, in pieces of `piece_B`. */
static bool update_buffer(struct bench_device *d, const char *name, uint32_t piece_B)
{
    enum { ROUNDS = 100, SIZE_B = 1 << 20 };
    static uint8_t data[65536];
    struct buffer to = {0};
    struct commands c = {0};
    bool good = make_buffer(d, SIZE_B, VK_BUFFER_USAGE_TRANSFER_DST_BIT, &to) && make_commands(d, &c);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t round = 0; good && round < ROUNDS; round++) {
        begin(&c);
        for (uint32_t at_B = 0; at_B < SIZE_B; at_B += piece_B)
            vkCmdUpdateBuffer(c.cmd, to.buffer, at_B, piece_B, data);
        good = submit_and_wait(d, &c);
    }
    if (good)
        bench_item(name, (bench_now_ns() - start_ns) / ROUNDS);
    vkDestroyFence(d->device, c.fence, NULL);
    vkDestroyCommandPool(d->device, c.pool, NULL);
    vkDestroyBuffer(d->device, to.buffer, NULL);
    vkFreeMemory(d->device, to.memory, NULL);
    return good;
}

static bool run_update(struct bench_device *d)
{
    return update_buffer(d, "1-MiB-by-64-KiB", 65536);
}

static bool run_update_small(struct bench_device *d)
{
    return update_buffer(d, "1-MiB-by-256-B", 256);
}

/* Memory that nobody has written yet is one page of zeros on most systems. */
static void fill(struct bench_device *d, const struct buffer *b)
{
    void *map;
    if (vkMapMemory(d->device, b->memory, 0, VK_WHOLE_SIZE, 0, &map) != VK_SUCCESS)
        return;
    memset(map, 0x55, (size_t)b->size_B);
    vkUnmapMemory(d->device, b->memory);
}

/* Time of a picture of 4 MiB, from a buffer into an image of optimal tiling. */
static bool run_to_image(struct bench_device *d)
{
    enum { ROUNDS = 40, SIZE_PX = 1024 };
    struct buffer from = {0};
    struct image to = {0};
    struct commands c = {0};
    bool good = make_buffer(d, 4 * SIZE_PX * SIZE_PX, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, &from) &&
                make_image(d, SIZE_PX, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, &to) &&
                make_commands(d, &c);
    if (good)
        fill(d, &from);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t round = 0; good && round < ROUNDS; round++) {
        const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                          .imageExtent = {SIZE_PX, SIZE_PX, 1}};
        begin(&c);
        to_layout(&c, to.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdCopyBufferToImage(c.cmd, from.buffer, to.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        to_layout(&c, to.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        good = submit_and_wait(d, &c);
    }
    if (good)
        bench_item("4-MiB", (bench_now_ns() - start_ns) / ROUNDS);
    vkDestroyFence(d->device, c.fence, NULL);
    vkDestroyCommandPool(d->device, c.pool, NULL);
    vkDestroyImageView(d->device, to.view, NULL);
    vkDestroyImage(d->device, to.image, NULL);
    vkFreeMemory(d->device, to.memory, NULL);
    vkDestroyBuffer(d->device, from.buffer, NULL);
    vkFreeMemory(d->device, from.memory, NULL);
    return good;
}

/* Time of 16 MiB written by the CPU to memory that it maps and unmaps. */
static bool run_mapped(struct bench_device *d)
{
    enum { ROUNDS = 40, SIZE_B = 16 << 20 };
    struct buffer to = {0};
    uint8_t *data = malloc(SIZE_B), *map;
    bool good = data && make_buffer(d, SIZE_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, &to);
    if (data)
        memset(data, 1, SIZE_B);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t round = 0; good && round < ROUNDS; round++) {
        good = vkMapMemory(d->device, to.memory, 0, VK_WHOLE_SIZE, 0, (void **)&map) == VK_SUCCESS;
        if (!good)
            break;
        memcpy(map, data, SIZE_B);
        vkUnmapMemory(d->device, to.memory);
    }
    if (good)
        bench_item("16-MiB", (bench_now_ns() - start_ns) / ROUNDS);
    vkDestroyBuffer(d->device, to.buffer, NULL);
    vkFreeMemory(d->device, to.memory, NULL);
    free(data);
    return good;
}

const struct bench_line bench_descriptors[] = {
    {"sets", "1000 descriptor sets allocated and written", run_sets},
    {"draws-sets", "1000 draws with a new descriptor set each", run_draws},
    {"draws-turns", "1000 draws by two pipelines in turn, with one set", run_alternating},
    {"indices", "100 small passes of draws with 32-bit indices", run_indices},
    {"update", "vkCmdUpdateBuffer, 1 MiB in large pieces", run_update},
    {"update-small", "vkCmdUpdateBuffer, 1 MiB in small pieces", run_update_small},
    {"to-image", "4 MiB from a buffer to an image", run_to_image},
    {"mapped", "16 MiB written to mapped memory", run_mapped},
    {NULL, NULL, NULL},
};
