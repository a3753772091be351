/* SPDX-License-Identifier: MIT
 *
 * Drawing lines: the time of frames of 800 x 600 pixels from recording to fence. The first second of frames is not
 * measured, because drivers compile shaders at the first draw or in the background. A table defines what each line
 * draws: layers of a grid of triangles, each the size of the target.
 */
#include <string.h>
#include "bench_objects.h"
#include "draw.vert.h"
#include "draw_heavy.frag.h"
#include "draw_plain.frag.h"
#include "draw_texture.frag.h"

#define WIDTH_PX   800u
#define HEIGHT_PX  600u
#define TEXTURE_PX 512u
#define LEVELS     10u /* of the texture, down to 1 x 1 */

#define WARM_NS    UINT64_C(1000000000) /* frames before the measurement */
#define MEASURE_NS UINT64_C(300000000)  /* measured frames */
#define MIN_FRAMES 3u

enum fragment { FRAGMENT_NONE, FRAGMENT_PLAIN, FRAGMENT_TEXTURE, FRAGMENT_HEAVY };

struct draw_info {
    const char *item;
    enum fragment fragment;
    uint16_t cells_x, cells_y; /* cells of the grid, 2 triangles each */
    uint16_t layers;           /* the first layer is nearest */
    bool blends, tests_depth, is_back_facing;
    uint8_t samples;
    bool is_linear, has_levels;
    float texture_scale; /* repetitions over the target */
};

struct push {
    float color[4], rows[2][4], depth, texture_scale;
};

struct drawing {
    const struct draw_info *info;
    struct image color, resolved, depth, texture;
    struct buffer vertices, indices;
    uint32_t index_count;
    VkFormat depth_format;
    VkSampler sampler;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool descriptors;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkShaderModule modules[2];
    VkPipeline pipeline;
    struct commands c;
};

/* ---------------------------------------------------------------- images */

static VkFormat find_depth_format(struct bench_device *d)
{
    VkFormatProperties has;
    vkGetPhysicalDeviceFormatProperties(d->physical, VK_FORMAT_X8_D24_UNORM_PACK32, &has);
    return has.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT ? VK_FORMAT_X8_D24_UNORM_PACK32
                                                                                      : VK_FORMAT_D32_SFLOAT;
}

/* Fills the texture with noise. All levels are copied from the start of the same buffer. */
static bool fill_texture(struct bench_device *d, const struct drawing *w)
{
    struct buffer noise = {0};
    uint32_t *map, state = 1;
    if (!bench_make_buffer(d, TEXTURE_PX * TEXTURE_PX * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, &noise) ||
        vkMapMemory(d->device, noise.memory, 0, VK_WHOLE_SIZE, 0, (void **)&map) != VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < TEXTURE_PX * TEXTURE_PX; i++)
        map[i] = (state = state * 1664525u + 1013904223u) | 0xff000000u;
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    .image = w->texture.image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, LEVELS, 0, 1}};
    VkBufferImageCopy copies[LEVELS];
    for (uint32_t i = 0; i < LEVELS; i++)
        copies[i] = (VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, 1},
                                        .imageExtent = {TEXTURE_PX >> i, TEXTURE_PX >> i, 1}};
    bench_begin(&w->c);
    vkCmdPipelineBarrier(w->c.cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
    vkCmdCopyBufferToImage(w->c.cmd, noise.buffer, w->texture.image, barrier.newLayout, LEVELS, copies);
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT, barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    barrier.oldLayout = barrier.newLayout, barrier.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    vkCmdPipelineBarrier(w->c.cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
    bool good = bench_submit_and_wait(d, &w->c);
    bench_finish_buffer(d, &noise);
    return good;
}

static bool make_images(struct bench_device *d, struct drawing *w)
{
    w->depth_format = find_depth_format(d);
    const VkExtent2D size = {WIDTH_PX, HEIGHT_PX};
    const VkImageUsageFlags color_usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    const VkSampleCountFlagBits samples = (VkSampleCountFlagBits)w->info->samples;
    const struct image_info color = {VK_FORMAT_B8G8R8A8_UNORM, size, 1, samples, color_usage},
                            resolved = {VK_FORMAT_B8G8R8A8_UNORM, size, 1, VK_SAMPLE_COUNT_1_BIT, color_usage},
                            depth = {w->depth_format, size, 1, samples, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT},
                            texture = {VK_FORMAT_R8G8B8A8_UNORM,
                                       {TEXTURE_PX, TEXTURE_PX},
                                       LEVELS,
                                       VK_SAMPLE_COUNT_1_BIT,
                                       VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    return bench_make_image(d, &color, &w->color) && bench_make_image(d, &resolved, &w->resolved) &&
           bench_make_image(d, &depth, &w->depth) && bench_make_image(d, &texture, &w->texture) &&
           fill_texture(d, w);
}

/* ---------------------------------------------------------------- the grid */

static bool make_grid(struct bench_device *d, struct drawing *w)
{
    const uint32_t across = w->info->cells_x, down = w->info->cells_y;
    float *place;
    uint16_t *index;
    w->index_count = across * down * 6;
    if (!bench_make_buffer(d, (across + 1) * (down + 1) * 8, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, &w->vertices) ||
        !bench_make_buffer(d, w->index_count * 2, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, &w->indices) ||
        vkMapMemory(d->device, w->vertices.memory, 0, VK_WHOLE_SIZE, 0, (void **)&place) != VK_SUCCESS ||
        vkMapMemory(d->device, w->indices.memory, 0, VK_WHOLE_SIZE, 0, (void **)&index) != VK_SUCCESS)
        return false;
    for (uint32_t y = 0; y <= down; y++)
        for (uint32_t x = 0; x <= across; x++) {
            *place++ = 2 * (float)x / (float)across - 1;
            *place++ = 2 * (float)y / (float)down - 1;
        }
    for (uint32_t y = 0; y < down; y++)
        for (uint32_t x = 0; x < across; x++) {
            const uint32_t at = y * (across + 1) + x;
            const uint32_t corners[] = {at, at + across + 1, at + 1, at + 1, at + across + 1, at + across + 2};
            for (uint32_t i = 0; i < 6; i++)
                *index++ = (uint16_t)corners[i];
        }
    return true;
}

/* ---------------------------------------------------------------- objects */

static bool make_set(struct bench_device *d, struct drawing *w)
{
    const VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                         .magFilter = w->info->is_linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                         .minFilter = w->info->is_linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                         .mipmapMode = w->info->is_linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR
                                                                          : VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                         .maxLod = w->info->has_levels ? LEVELS : 0};
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                                                  VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    if (vkCreateSampler(d->device, &sampler, NULL, &w->sampler) != VK_SUCCESS ||
        vkCreateDescriptorSetLayout(d->device, &layout, NULL, &w->set_layout) != VK_SUCCESS ||
        vkCreateDescriptorPool(d->device, &pool, NULL, &w->descriptors) != VK_SUCCESS)
        return false;
    const VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = w->descriptors,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &w->set_layout};
    if (vkAllocateDescriptorSets(d->device, &set, &w->set) != VK_SUCCESS)
        return false;
    const VkDescriptorImageInfo picture = {w->sampler, w->texture.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = w->set,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                        .pImageInfo = &picture};
    vkUpdateDescriptorSets(d->device, 1, &write, 0, NULL);
    const VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(struct push)};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = 1,
                                             .pSetLayouts = &w->set_layout,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &push};
    return vkCreatePipelineLayout(d->device, &info, NULL, &w->layout) == VK_SUCCESS;
}

/* Attachments: colour, depth and, with multisampling, the resolve target. */
static bool make_pass(struct bench_device *d, struct drawing *w)
{
    const bool resolves = w->info->samples > 1;
    const VkAttachmentDescription attachments[] = {
        {.format = VK_FORMAT_B8G8R8A8_UNORM,
         .samples = (VkSampleCountFlagBits)w->info->samples,
         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
         .storeOp = resolves ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE,
         .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
        {.format = w->depth_format,
         .samples = (VkSampleCountFlagBits)w->info->samples,
         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
         .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
        {.format = VK_FORMAT_B8G8R8A8_UNORM,
         .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
         .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
    };
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
                                resolved = {2, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.colorAttachmentCount = 1,
                                          .pColorAttachments = &color,
                                          .pResolveAttachments = resolves ? &resolved : NULL,
                                          .pDepthStencilAttachment = &depth};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = resolves ? 3 : 2,
                                         .pAttachments = attachments,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass};
    const VkImageView views[] = {w->color.view, w->depth.view, w->resolved.view};
    VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .attachmentCount = info.attachmentCount,
                                           .pAttachments = views,
                                           .width = WIDTH_PX,
                                           .height = HEIGHT_PX,
                                           .layers = 1};
    if (vkCreateRenderPass(d->device, &info, NULL, &w->pass) != VK_SUCCESS)
        return false;
    framebuffer.renderPass = w->pass;
    return vkCreateFramebuffer(d->device, &framebuffer, NULL, &w->framebuffer) == VK_SUCCESS;
}

static bool make_modules(struct bench_device *d, struct drawing *w)
{
    w->modules[0] = bench_make_module(d, draw_vert, sizeof draw_vert);
    switch (w->info->fragment) {
    case FRAGMENT_PLAIN:
        w->modules[1] = bench_make_module(d, draw_plain_frag, sizeof draw_plain_frag);
        break;
    case FRAGMENT_TEXTURE:
        w->modules[1] = bench_make_module(d, draw_texture_frag, sizeof draw_texture_frag);
        break;
    case FRAGMENT_HEAVY:
        w->modules[1] = bench_make_module(d, draw_heavy_frag, sizeof draw_heavy_frag);
        break;
    case FRAGMENT_NONE:
        return w->modules[0];
    }
    return w->modules[0] && w->modules[1];
}

static bool make_pipeline(struct bench_device *d, struct drawing *w)
{
    const VkPipelineShaderStageCreateInfo stages[] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = w->modules[0],
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = w->modules[1],
         .pName = "main"},
    };
    const VkVertexInputBindingDescription binding = {0, 8, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
    const VkPipelineVertexInputStateCreateInfo vertices = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = 1,
        .pVertexBindingDescriptions = &binding,
        .vertexAttributeDescriptionCount = 1,
        .pVertexAttributeDescriptions = &attribute};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkViewport viewport = {0, 0, WIDTH_PX, HEIGHT_PX, 0, 1};
    const VkRect2D scissor = {{0, 0}, {WIDTH_PX, HEIGHT_PX}};
    const VkPipelineViewportStateCreateInfo viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                         .viewportCount = 1,
                                                         .pViewports = &viewport,
                                                         .scissorCount = 1,
                                                         .pScissors = &scissor};
    /* The grid's triangles are counter-clockwise. */
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .cullMode = VK_CULL_MODE_BACK_BIT,
        .frontFace = w->info->is_back_facing ? VK_FRONT_FACE_CLOCKWISE : VK_FRONT_FACE_COUNTER_CLOCKWISE,
        .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = (VkSampleCountFlagBits)w->info->samples};
    const VkPipelineDepthStencilStateCreateInfo depth = {.sType =
                                                             VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                         .depthTestEnable = w->info->tests_depth,
                                                         .depthWriteEnable = w->info->tests_depth,
                                                         .depthCompareOp = VK_COMPARE_OP_LESS};
    const VkPipelineColorBlendAttachmentState blend = {.blendEnable = w->info->blends,
                                                       .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
                                                       .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                       .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                       .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                       .colorWriteMask = w->info->fragment == FRAGMENT_NONE ? 0 : 0xf};
    const VkPipelineColorBlendStateCreateInfo blends = {.sType =
                                                            VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                        .attachmentCount = 1,
                                                        .pAttachments = &blend};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .stageCount = w->modules[1] ? 2 : 1,
                                               .pStages = stages,
                                               .pVertexInputState = &vertices,
                                               .pInputAssemblyState = &assembly,
                                               .pViewportState = &viewports,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .pDepthStencilState = &depth,
                                               .pColorBlendState = &blends,
                                               .layout = w->layout,
                                               .renderPass = w->pass};
    return vkCreateGraphicsPipelines(d->device, VK_NULL_HANDLE, 1, &info, NULL, &w->pipeline) == VK_SUCCESS;
}

static void finish_drawing(struct bench_device *d, struct drawing *w)
{
    vkDestroyPipeline(d->device, w->pipeline, NULL);
    vkDestroyShaderModule(d->device, w->modules[0], NULL);
    vkDestroyShaderModule(d->device, w->modules[1], NULL);
    vkDestroyFramebuffer(d->device, w->framebuffer, NULL);
    vkDestroyRenderPass(d->device, w->pass, NULL);
    vkDestroyPipelineLayout(d->device, w->layout, NULL);
    vkDestroyDescriptorPool(d->device, w->descriptors, NULL);
    vkDestroyDescriptorSetLayout(d->device, w->set_layout, NULL);
    vkDestroySampler(d->device, w->sampler, NULL);
    bench_finish_buffer(d, &w->vertices);
    bench_finish_buffer(d, &w->indices);
    bench_finish_image(d, &w->color);
    bench_finish_image(d, &w->resolved);
    bench_finish_image(d, &w->depth);
    bench_finish_image(d, &w->texture);
    bench_finish_commands(d, &w->c);
}

/* ---------------------------------------------------------------- frames */

static void record_frame(const struct drawing *w)
{
    const VkClearValue clears[] = {{.color = {.float32 = {0.1f, 0.2f, 0.3f, 1}}}, {.depthStencil = {1, 0}}, {{{0}}}};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = w->pass,
                                        .framebuffer = w->framebuffer,
                                        .renderArea = {{0, 0}, {WIDTH_PX, HEIGHT_PX}},
                                        .clearValueCount = 3,
                                        .pClearValues = clears};
    const VkCommandBuffer cmd = w->c.cmd;
    bench_begin(&w->c);
    vkCmdBeginRenderPass(cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, w->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, w->layout, 0, 1, &w->set, 0, NULL);
    vkCmdBindVertexBuffers(cmd, 0, 1, &w->vertices.buffer, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(cmd, w->indices.buffer, 0, VK_INDEX_TYPE_UINT16);
    for (uint32_t i = 0; i < w->info->layers; i++) {
        const float part = (float)(i + 1) / (float)(w->info->layers + 1);
        const struct push push = {.color = {part, 1 - part, 0.5f, 0.5f},
                                  .rows = {{1, 0, 0, 0}, {0, 1, 0, 0}},
                                  .depth = part,
                                  .texture_scale = w->info->texture_scale};
        vkCmdPushConstants(cmd, w->layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof push, &push);
        vkCmdDrawIndexed(cmd, w->index_count, 1, 0, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
}

static bool run_frames(struct bench_device *d, const struct drawing *w, uint64_t time_ns, uint64_t *frame_ns_out)
{
    const uint64_t from_ns = bench_now_ns();
    uint64_t now_ns;
    uint32_t frames = 0;
    do {
        record_frame(w);
        if (!bench_submit_and_wait(d, &w->c))
            return false;
        now_ns = bench_now_ns();
        frames++;
    } while (frames < MIN_FRAMES || now_ns - from_ns < time_ns);
    *frame_ns_out = (now_ns - from_ns) / frames;
    return true;
}

static bool run_drawing(struct bench_device *d, const struct draw_info *info)
{
    struct drawing w = {.info = info};
    uint64_t frame_ns = 0;
    bool good = bench_make_commands(d, &w.c) && make_images(d, &w) && make_grid(d, &w) && make_set(d, &w) &&
                make_pass(d, &w) && make_modules(d, &w) && make_pipeline(d, &w) &&
                run_frames(d, &w, WARM_NS, &frame_ns) && run_frames(d, &w, MEASURE_NS, &frame_ns);
    if (good)
        bench_item(info->item, frame_ns);
    finish_drawing(d, &w);
    return good;
}

/* ---------------------------------------------------------------- lines */

/* X(function, line, help, members of struct draw_info) */
#define LINES(X)                                                                                                       \
    X(fill, "draw-fill", "8 layers of 800 x 600 pixels of one colour", .fragment = FRAGMENT_PLAIN, .layers = 8)        \
    X(blended, "draw-blended", "8 blended layers", .fragment = FRAGMENT_PLAIN, .layers = 8, .blends = true)            \
    X(nearest, "draw-nearest", "4 textured layers, unfiltered", .fragment = FRAGMENT_TEXTURE, .layers = 4)             \
    X(linear, "draw-linear", "4 textured layers, filtered", .fragment = FRAGMENT_TEXTURE, .layers = 4,                 \
      .is_linear = true)                                                                                               \
    X(levels, "draw-levels", "4 textured layers, filtered within and between levels", .fragment = FRAGMENT_TEXTURE,    \
      .layers = 4, .is_linear = true, .has_levels = true, .texture_scale = 2.3f)                                       \
    X(depth, "draw-depth", "8 layers drawn to the depth buffer only", .layers = 8, .tests_depth = true)                \
    X(overdraw, "draw-overdraw", "32 layers, all but the nearest hidden", .fragment = FRAGMENT_PLAIN, .layers = 32,    \
      .tests_depth = true)                                                                                             \
    X(vertices, "draw-vertices", "50,000 vertices of culled triangles", .fragment = FRAGMENT_PLAIN, .layers = 1,       \
      .cells_x = 250, .cells_y = 199, .is_back_facing = true)                                                          \
    X(small, "draw-triangles", "60,000 triangles of 8 pixels", .fragment = FRAGMENT_PLAIN, .layers = 1,                \
      .cells_x = 200, .cells_y = 150, .tests_depth = true)                                                             \
    X(heavy, "draw-shader", "one layer, 8 lights per pixel", .fragment = FRAGMENT_HEAVY, .layers = 1)                  \
    X(samples, "draw-samples", "5,000 triangles with 4 samples, resolved", .fragment = FRAGMENT_PLAIN, .layers = 2,    \
      .cells_x = 50, .cells_y = 25, .tests_depth = true, .samples = 4)

#define X(name, line, help, ...)                                                                                       \
    static bool run_##name(struct bench_device *d)                                                                     \
    {                                                                                                                  \
        struct draw_info info = {.item = "frame", __VA_ARGS__};                                                        \
        info.cells_x += !info.cells_x;                                                                                 \
        info.cells_y += !info.cells_y;                                                                                 \
        info.samples += !info.samples;                                                                                 \
        info.texture_scale += info.texture_scale == 0;                                                                 \
        return run_drawing(d, &info);                                                                                  \
    }
LINES(X)
#undef X

const struct bench_line bench_draw[] = {
#define X(name, line, help, ...) {line, help, run_##name},
    LINES(X)
#undef X
        {NULL, NULL, NULL},
};
