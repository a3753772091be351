/* SPDX-License-Identifier: MIT
 *
 * The objects that every random program starts with, which fit together, and commands that use them. Now and then a
 * command is left out or gets a mismatched object: a pipeline of another pass, a set of another layout.
 */
#include <string.h>
#include "misuse.h"

#define SIDE_PX        64u
#define BUFFER_B       65536u
#define TARGETS        3u
#define KINDS_OF_DRAWS 5u

static struct {
    struct vkt t;
    struct vkt_target targets[TARGETS];
    struct vkt_pipeline pipelines[TARGETS][KINDS_OF_DRAWS], dynamic[TARGETS];
    VkDescriptorSet sets[KINDS_OF_DRAWS], compute_set;
    struct vkt_compute compute;
    struct vkt_buffer buffer, counts;
    struct vkt_image texture;
} kit;

static void keep_image(const struct vkt_image *image)
{
    if (!image->image)
        return;
    misuse_keep(IMAGE, VK_SUCCESS, &image->image);
    misuse_keep(MEMORY, VK_SUCCESS, &image->memory);
    misuse_keep(VIEW, VK_SUCCESS, &image->view);
}

static void open_kit(void)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = 2};
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 32},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 32},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 32}};
    const VkDescriptorPoolCreateInfo descriptors = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                    .maxSets = 32,
                                                    .poolSizeCount = VKT_COUNT(sizes),
                                                    .pPoolSizes = sizes};
    memset(&kit, 0, sizeof kit);
    kit.t.instance = misuse.instance;
    kit.t.physical = misuse.physical;
    kit.t.device = misuse.device;
    kit.t.queue = misuse.queues[0];
    vkGetPhysicalDeviceMemoryProperties(misuse.physical, &kit.t.memory);
    vkt_ok(vkCreateCommandPool(misuse.device, &pool, NULL, &kit.t.pool));
    misuse_keep(COMMAND_POOL, VK_SUCCESS, &kit.t.pool);
    vkt_ok(vkCreateDescriptorPool(misuse.device, &descriptors, NULL, &kit.t.descriptors));
    misuse_keep(SET_POOL, VK_SUCCESS, &kit.t.descriptors);
}

/* The parameters of indirect draws and dispatches. The buffer is not in the list of objects, so nothing writes to it: a
 * draw of four thousand million instances is valid, but would look like a hang. */
static void make_counts(void)
{
    kit.counts = vkt_buffer_create(&kit.t, BUFFER_B, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, NULL);
    for (uint32_t i = 0; i < BUFFER_B / 4; i++)
        ((uint32_t *)kit.counts.map)[i] = below(5);
}

static void make_resources(void)
{
    static const VkFormat formats[TARGETS][2] = {{VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED},
                                                 {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT},
                                                 {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_D16_UNORM}};
    for (uint32_t i = 0; i < TARGETS; i++) {
        kit.targets[i] = vkt_target_create(&kit.t, SIDE_PX, SIDE_PX, formats[i][0], formats[i][1]);
        keep_image(&kit.targets[i].color);
        keep_image(&kit.targets[i].depth);
        misuse_keep(PASS, VK_SUCCESS, &kit.targets[i].pass);
        misuse_keep(PASS, VK_SUCCESS, &kit.targets[i].pass_load);
        misuse_keep(FRAMEBUFFER, VK_SUCCESS, &kit.targets[i].framebuffer);
    }
    const VkBufferUsageFlags all = 0x1ff;
    kit.buffer = vkt_buffer_create(&kit.t, BUFFER_B, all, NULL);
    misuse_keep(BUFFER, VK_SUCCESS, &kit.buffer.buffer);
    misuse_keep(MEMORY, VK_SUCCESS, &kit.buffer.memory);
    make_counts();
    const struct vkt_image_info info = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                        .width = SIDE_PX,
                                        .height = SIDE_PX,
                                        .levels = 3,
                                        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                 VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    kit.texture = vkt_image_create(&kit.t, &info);
    keep_image(&kit.texture);
}

/* Draws with what the command buffer happens to know of its state, also nothing. */
static void make_dynamic_pipeline(uint32_t target, struct vkt_pipeline_info info)
{
    static const VkDynamicState states[] = {VK_DYNAMIC_STATE_CULL_MODE,
                                            VK_DYNAMIC_STATE_FRONT_FACE,
                                            VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
                                            VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
                                            VK_DYNAMIC_STATE_STENCIL_OP,
                                            VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
                                            VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
                                            VK_DYNAMIC_STATE_LOGIC_OP_EXT,
                                            VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT,
                                            VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE,
                                            VK_DYNAMIC_STATE_POLYGON_MODE_EXT,
                                            VK_DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT,
                                            VK_DYNAMIC_STATE_LINE_STIPPLE_EXT,
                                            VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT,
                                            VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT,
                                            VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
                                            VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
                                            VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
                                            VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
                                            VK_DYNAMIC_STATE_VERTEX_INPUT_EXT,
                                            VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT};
    info.dynamic = states;
    info.dynamic_count = VKT_COUNT(states) - below(3);
    kit.dynamic[target] = vkt_pipeline_create(&kit.t, &info);
    misuse_keep(PIPELINE, VK_SUCCESS, &kit.dynamic[target].pipeline);
    misuse_keep(LAYOUT, VK_SUCCESS, &kit.dynamic[target].layout);
}

/* One pipeline for each source of data: none, vertex buffers, a uniform buffer, a texture, push constants. */
static void make_pipelines(void)
{
    const VkVertexInputBindingDescription binding = {0, 32, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                            {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
    const struct vkt_binding ubo = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_SHADER_STAGE_ALL, 1},
                             image = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_ALL, 1};
    VkDescriptorSetLayout layouts[2] = {vkt_set_layout_create(&kit.t, &ubo, 1),
                                        vkt_set_layout_create(&kit.t, &image, 1)};
    VkSampler sampler =
        vkt_sampler_create(&kit.t, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT, 3);
    misuse_keep(SET_LAYOUT, VK_SUCCESS, &layouts[0]);
    misuse_keep(SET_LAYOUT, VK_SUCCESS, &layouts[1]);
    misuse_keep(SAMPLER, VK_SUCCESS, &sampler);
    for (uint32_t i = 0; i < TARGETS; i++) {
        const struct vkt_pipeline_info base = {.pass = kit.targets[i].pass,
                                               .topology = VKT_TRIANGLES,
                                               .depth_test = i > 0,
                                               .depth_write = i > 0,
                                               .depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL,
                                               .width = SIDE_PX,
                                               .height = SIDE_PX,
                                               .push_size_B = 16};
        struct vkt_pipeline_info infos[KINDS_OF_DRAWS] = {base, base, base, base, base};
        infos[0].vs = misuse_shader(MISUSE_FULL), infos[0].fs = misuse_shader(MISUSE_WHITE);
        infos[1].vs = misuse_shader(MISUSE_COLOR_VERTICES), infos[1].fs = misuse_shader(MISUSE_COLOR);
        infos[1].bindings = &binding, infos[1].binding_count = 1;
        infos[1].attributes = attributes, infos[1].attribute_count = 2;
        infos[2].vs = misuse_shader(MISUSE_PULL), infos[2].fs = misuse_shader(MISUSE_COLOR);
        infos[2].set_layouts[0] = layouts[0], infos[2].set_layout_count = 1;
        infos[3].vs = misuse_shader(MISUSE_FULL), infos[3].fs = misuse_shader(MISUSE_TEXTURE);
        infos[3].set_layouts[0] = layouts[1], infos[3].set_layout_count = 1;
        infos[4].vs = misuse_shader(MISUSE_FULL), infos[4].fs = misuse_shader(MISUSE_PUSH);
        make_dynamic_pipeline(i, infos[1]);
        for (uint32_t k = 0; k < KINDS_OF_DRAWS; k++) {
            kit.pipelines[i][k] = vkt_pipeline_create(&kit.t, &infos[k]);
            misuse_keep(PIPELINE, VK_SUCCESS, &kit.pipelines[i][k].pipeline);
            misuse_keep(LAYOUT, VK_SUCCESS, &kit.pipelines[i][k].layout);
        }
    }
    kit.sets[2] = vkt_set_alloc(&kit.t, layouts[0]);
    vkt_set_buffer(&kit.t, kit.sets[2], 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kit.buffer.buffer, 0, 4096);
    kit.sets[3] = vkt_set_alloc(&kit.t, layouts[1]);
    vkt_set_texture(&kit.t, kit.sets[3], 0, kit.texture.view, sampler);
}

static void make_compute_kit(void)
{
    kit.compute = vkt_compute_create_simple(&kit.t, misuse_shader(MISUSE_SUM), 3, 0, NULL);
    misuse_keep(COMPUTE, VK_SUCCESS, &kit.compute.pipeline);
    misuse_keep(LAYOUT, VK_SUCCESS, &kit.compute.layout);
    misuse_keep(SET_LAYOUT, VK_SUCCESS, &kit.compute.set_layouts[0]);
    kit.compute_set = vkt_set_alloc(&kit.t, kit.compute.set_layouts[0]);
    for (uint32_t i = 0; i < 3; i++)
        vkt_set_buffer(&kit.t, kit.compute_set, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kit.buffer.buffer, 4096 * i,
                       4096);
}

void misuse_make_kit(void)
{
    open_kit();
    misuse_make_modules();
    make_resources();
    make_pipelines();
    make_compute_kit();
    misuse.sets[misuse.set_count++] = kit.sets[2];
    misuse.sets[misuse.set_count++] = kit.sets[3];
    misuse.sets[misuse.set_count++] = kit.compute_set;
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = kit.t.pool, .commandBufferCount = 2};
    vkt_ok(vkAllocateCommandBuffers(misuse.device, &info, misuse.commands));
    misuse.command_count = info.commandBufferCount;
}

VkRenderPassBeginInfo misuse_begin_pass(uint32_t target)
{
    static const VkClearValue clears[2];
    return (VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = kit.targets[target].pass,
                                   .framebuffer = kit.targets[target].framebuffer,
                                   .renderArea = {{0, 0}, {SIDE_PX, SIDE_PX}},
                                   .clearValueCount = VKT_COUNT(clears),
                                   .pClearValues = clears};
}

VkPipeline misuse_pipeline(uint32_t target)
{
    return kit.pipelines[target][0].pipeline;
}

VkPipeline misuse_dynamic_pipeline(uint32_t target)
{
    return kit.dynamic[target].pipeline;
}

VkImageView misuse_color(uint32_t target)
{
    return kit.targets[target].color.view;
}

VkImageView misuse_depth(uint32_t target)
{
    return kit.targets[target].depth.view;
}

VkCommandBuffer misuse_new_secondary(void)
{
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = kit.t.pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                              .commandBufferCount = 1};
    VkCommandBuffer cmd;
    return vkAllocateCommandBuffers(misuse.device, &info, &cmd) == VK_SUCCESS ? cmd : NULL;
}

VkBuffer misuse_buffer(void)
{
    return kit.buffer.buffer;
}

VkBuffer misuse_counts(void)
{
    return kit.counts.buffer;
}

void misuse_destroy_kit(void)
{
    vkt_buffer_destroy(&kit.t, &kit.counts);
}

VkImage misuse_texture(void)
{
    return kit.texture.image;
}

/* -- commands ------------------------------------------------------------------------------------------------------ */

static VkDescriptorSet set_of(VkDescriptorSet right)
{
    return rarely() ? misuse.sets[below(misuse.set_count)] : right;
}

static void draw(VkCommandBuffer cmd, uint32_t target, uint32_t kind)
{
    const struct vkt_pipeline *p = &kit.pipelines[rarely() ? below(TARGETS) : target][kind];
    const VkDescriptorSet set = kit.sets[kind] ? set_of(kit.sets[kind]) : VK_NULL_HANDLE;
    const VkDeviceSize offset_B = u64(256);
    const float color[4] = {number(0), number(1), number(0.5f), number(1)};
    if (!rarely())
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, rarely() ? SOME(VkPipeline, PIPELINE) : p->pipeline);
    if (set && !rarely())
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, u32(0), 1, &set, 0, NULL);
    if (!rarely())
        vkCmdBindVertexBuffers(cmd, 0, 1, rarely() ? &(VkBuffer){SOME(VkBuffer, BUFFER)} : &kit.buffer.buffer,
                               &offset_B);
    if (!rarely())
        vkCmdBindIndexBuffer(cmd, kit.buffer.buffer, u64(0), (VkIndexType)ONE_OF(0, 1, 1000265000));
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof color,
                       color);
    switch (below(5)) {
    case 0:
        vkCmdDraw(cmd, u32(6) & 0x1ff, 1 + below(3), u32(0), u32(0));
        break;
    case 1:
        vkCmdDrawIndexed(cmd, u32(6) & 0x1ff, 1 + below(3), u32(0), (int32_t)u32(0), u32(0));
        break;
    case 2:
        vkCmdDrawIndirect(cmd, kit.counts.buffer, u64(1024), below(4), u32(16));
        break;
    case 3:
        vkCmdDrawIndexedIndirect(cmd, kit.counts.buffer, u64(1024), below(4), u32(20));
        break;
    case 4:
        vkCmdDraw(cmd, 4, 1, 0, 0);
        break;
    }
}

static void record_dispatch(VkCommandBuffer cmd)
{
    const VkDescriptorSet set = set_of(kit.compute_set);
    if (!rarely())
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, kit.compute.pipeline);
    if (!rarely())
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, kit.compute.layout, u32(0), 1, &set, 0, NULL);
    if (below(2))
        vkCmdDispatch(cmd, 1 + below(2), 1, 1);
    else
        vkCmdDispatchIndirect(cmd, kit.counts.buffer, u64(2048));
}

static VkCommandBuffer record_secondary(uint32_t target)
{
    const VkCommandBufferInheritanceInfo inherits = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
        .renderPass = rarely() ? SOME(VkRenderPass, PASS) : kit.targets[target].pass,
        .subpass = u32(0),
        .framebuffer = below(2) ? kit.targets[target].framebuffer : VK_NULL_HANDLE,
        .occlusionQueryEnable = below(2)};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = rarely() ? 0u : VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                            .pInheritanceInfo = &inherits};
    VkCommandBuffer cmd = misuse_new_secondary();
    if (!cmd)
        return NULL;
    if (!rarely())
        vkBeginCommandBuffer(cmd, &begin);
    for (uint32_t i = below(4); i > 0; i--)
        draw(cmd, rarely() ? below(TARGETS) : target, below(KINDS_OF_DRAWS));
    if (rarely())
        record_dispatch(cmd);
    if (rarely())
        vkCmdEndRenderPass(cmd);
    if (!rarely())
        vkEndCommandBuffer(cmd);
    return cmd;
}

static void record_draws(VkCommandBuffer cmd, uint32_t target, VkSubpassContents contents)
{
    const VkCommandBuffer secondary =
        contents == VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS ? record_secondary(target) : NULL;
    if (secondary)
        vkCmdExecuteCommands(cmd, 1, &secondary);
    else
        for (uint32_t i = 1 + below(4); i > 0; i--)
            draw(cmd, target, below(KINDS_OF_DRAWS));
}

static void record_pass(VkCommandBuffer cmd)
{
    const uint32_t target = below(TARGETS);
    const VkClearValue clears[2] = {{.color = {.float32 = {number(0), 0, 0, 1}}}, {.depthStencil = {number(1), odd()}}};
    const VkRenderPassBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = rarely()   ? SOME(VkRenderPass, PASS)
                      : below(2) ? kit.targets[target].pass
                                 : kit.targets[target].pass_load,
        .framebuffer = rarely() ? SOME(VkFramebuffer, FRAMEBUFFER) : kit.targets[target].framebuffer,
        .renderArea = {{(int32_t)u32(0), (int32_t)u32(0)}, {u32(SIDE_PX), u32(SIDE_PX)}},
        .clearValueCount = 2,
        .pClearValues = clears};
    const VkSubpassContents contents =
        below(4) ? VK_SUBPASS_CONTENTS_INLINE : VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS;
    const VkQueryPool queries = SOME(VkQueryPool, QUERIES);
    const bool counts = queries && below(3) == 0;
    if (counts && !rarely())
        vkCmdResetQueryPool(cmd, queries, 0, 1);
    if (!rarely())
        vkCmdBeginRenderPass(cmd, &begin, contents);
    if (counts && !rarely())
        vkCmdBeginQuery(cmd, queries, u32(0), 0);
    record_draws(cmd, target, contents);
    if (counts && !rarely())
        vkCmdEndQuery(cmd, queries, u32(0));
    if (!rarely())
        vkCmdEndRenderPass(cmd);
}

static void record_upload(VkCommandBuffer cmd)
{
    const VkBufferImageCopy copy = {.bufferOffset = u64(0),
                                    .bufferRowLength = u32(0),
                                    .imageSubresource = {u32(VK_IMAGE_ASPECT_COLOR_BIT), u32(below(3)), u32(0), u32(1)},
                                    .imageOffset = {(int32_t)u32(0), (int32_t)u32(0), (int32_t)u32(0)},
                                    .imageExtent = {u32(16), u32(16), u32(1)}};
    if (below(2))
        vkCmdCopyBufferToImage(cmd, kit.buffer.buffer, kit.texture.image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
    else
        vkCmdCopyImageToBuffer(cmd, kit.texture.image, VK_IMAGE_LAYOUT_GENERAL, kit.buffer.buffer, 1, &copy);
}

void misuse_record_kit(VkCommandBuffer cmd)
{
    switch (below(4)) {
    case 0:
        record_dispatch(cmd);
        break;
    case 1:
        record_upload(cmd);
        break;
    default:
        record_pass(cmd);
        break;
    }
}
