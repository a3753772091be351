/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "bench_scene.h"
#include "sets.frag.h"
#include "sets.vert.h"

/* ---------------------------------------------------------------- sets */

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

bool bench_make_scene(struct bench_device *d, struct scene *s)
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
    if (!bench_make_buffer(d, SETS * PLACE_B, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, &s->places) ||
        !bench_make_plain_image(d, 64, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, &s->picture) ||
        vkCreateSampler(d->device, &sampler, NULL, &s->sampler) != VK_SUCCESS ||
        vkCreateDescriptorSetLayout(d->device, &layout, NULL, &s->layout) != VK_SUCCESS ||
        vkCreateDescriptorPool(d->device, &pool, NULL, &s->pool) != VK_SUCCESS || !bench_make_commands(d, &s->c))
        return false;
    fill_places(d, &s->places);
    bench_begin(&s->c);
    bench_to_layout(&s->c, s->picture.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(s->c.cmd, s->picture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         &(VkClearColorValue){.float32 = {0, 1, 0, 1}}, 1, &BENCH_COLOR_RANGE);
    bench_to_layout(&s->c, s->picture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                    VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    return bench_submit_and_wait(d, &s->c);
}

void bench_finish_scene(struct bench_device *d, struct scene *s)
{
    bench_finish_commands(d, &s->c);
    vkDestroyDescriptorPool(d->device, s->pool, NULL);
    vkDestroyDescriptorSetLayout(d->device, s->layout, NULL);
    vkDestroySampler(d->device, s->sampler, NULL);
    bench_finish_image(d, &s->picture);
    bench_finish_buffer(d, &s->places);
}

VkDescriptorSet bench_make_set(struct bench_device *d, const struct scene *s, uint32_t i)
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

/* ---------------------------------------------------------------- draws */

VkRenderPass bench_make_pass(struct bench_device *d, VkFormat format, VkImageLayout last)
{
    const VkAttachmentDescription attachment = {.format = format,
                                                .samples = VK_SAMPLE_COUNT_1_BIT,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                .finalLayout = last};
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

static VkResult make_graphics_pipeline(struct bench_device *d, struct pipeline *p, bool has_vertices)
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
    const VkVertexInputBindingDescription binding = {0, 8, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
    const VkPipelineVertexInputStateCreateInfo vertices = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = has_vertices,
        .pVertexBindingDescriptions = &binding,
        .vertexAttributeDescriptionCount = has_vertices,
        .pVertexAttributeDescriptions = &attribute};
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
    const VkPipelineColorBlendStateCreateInfo blends = {.sType =
                                                            VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                        .attachmentCount = 1,
                                                        .pAttachments = &blend};
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

bool bench_make_programs(struct bench_device *d, const uint32_t *vs, size_t vs_B, struct pipeline *p)
{
    p->modules[0] = vs ? bench_make_module(d, vs, vs_B) : bench_make_module(d, sets_vert, sizeof sets_vert);
    p->modules[1] = bench_make_module(d, sets_frag, sizeof sets_frag);
    return make_graphics_pipeline(d, p, vs != NULL) == VK_SUCCESS;
}

bool bench_make_pipeline(struct bench_device *d, const struct scene *s, const uint32_t *vs, size_t vs_B,
                         struct pipeline *p)
{
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &s->layout};
    p->pass = bench_make_pass(d, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    if (vkCreatePipelineLayout(d->device, &layout, NULL, &p->layout) != VK_SUCCESS ||
        !bench_make_programs(d, vs, vs_B, p) ||
        !bench_make_plain_image(d, TARGET_PX, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                &p->target))
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

void bench_finish_pipeline(struct bench_device *d, struct pipeline *p)
{
    vkDestroyFramebuffer(d->device, p->framebuffer, NULL);
    bench_finish_image(d, &p->target);
    vkDestroyPipeline(d->device, p->pipeline, NULL);
    vkDestroyPipelineLayout(d->device, p->layout, NULL);
    vkDestroyRenderPass(d->device, p->pass, NULL);
    vkDestroyShaderModule(d->device, p->modules[0], NULL);
    vkDestroyShaderModule(d->device, p->modules[1], NULL);
}
