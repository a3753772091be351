/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_dynamic_rendering_unused_attachments: dynamic passes, pipelines and the inheritance of secondary command
 * buffers that have different attachments. What is missing in one of them is not written; the others are as if all had
 * it. All combinations are drawn and compared with computed pictures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "push.vert.h"
#include "unused.frag.h"
#include "unused_counts.frag.h"

enum { W = 32, H = 8, COLORS = 3 };

/* Attachments: a bit for each colour, and one for depth. */
enum { FIRST = 1, SECOND = 2, THIRD = 4, DEPTH = 8, ALL = 15, MASKS = 16 };

#define NONE  VK_FORMAT_UNDEFINED
#define D32   VK_FORMAT_D32_SFLOAT
#define D24S8 VK_FORMAT_D24_UNORM_S8_UINT

static const VkFormat formats[COLORS] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT,
                                         VK_FORMAT_B8G8R8A8_UNORM};

struct push {
    float color[4], rect[4], depth;
};

/* Near on the left, far everywhere. The texture and the uniform make blue 1. */
static const struct push near = {{1, 0, 0, 1}, {-1, -1, 0, 1}, 0.25f}, far = {{0, 1, 0, 1}, {-1, -1, 1, 1}, 0.5f};

enum kind { PLAIN, BLENDS, DYNAMIC, LINKED, KINDS };

struct scene {
    struct vkt t;
    VkFormat depth_format;
    struct vkt_image colors[COLORS], depth, texture;
    VkSampler sampler;
    struct vkt_buffer uniform, counter;
    VkDescriptorSetLayout layout;
    VkDescriptorSet set;
    struct vkt_pipeline pipelines[KINDS][MASKS]; /* created on first use */
    struct {
        VkPipeline parts[MASKS];
        VkPipeline shaders;
    } libraries;
    PFN_vkCmdSetDepthTestEnableEXT set_depth_test;
};

/* ---------------------------------------------------------------- scenes */

static struct vkt open_device(void)
{
    static const char *const extensions[] = {
        VK_EXT_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
        VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME, VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME,
        VK_EXT_SHADER_OBJECT_EXTENSION_NAME};
    VkPhysicalDeviceShaderObjectFeaturesEXT shaders = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT, .shaderObject = VK_TRUE};
    VkPhysicalDeviceNestedCommandBufferFeaturesEXT nested = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT,
        .pNext = &shaders,
        .nestedCommandBuffer = VK_TRUE,
        .nestedCommandBufferRendering = VK_TRUE,
        .nestedCommandBufferSimultaneousUse = VK_TRUE};
    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
        .pNext = &nested,
        .graphicsPipelineLibrary = VK_TRUE};
    VkPhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT unused = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS_FEATURES_EXT,
        .pNext = &libraries,
        .dynamicRenderingUnusedAttachments = VK_TRUE};
    return vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &unused);
}

static struct vkt_image attachment_create(struct vkt *t, VkFormat format, VkImageUsageFlags usage)
{
    return vkt_image_create(
        t, &(struct vkt_image_info){
               .format = format, .width = W, .height = H, .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
}

static void make_resources(struct scene *s)
{
    static const uint8_t scale[4] = {255, 255, 0, 255};
    static const float add[4] = {0, 0, 1, 0};
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 1}};
    s->texture = vkt_image_create(
        &s->t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                        .width = 1,
                                        .height = 1,
                                        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    vkt_image_upload(&s->t, &s->texture, 0, 0, scale, sizeof scale);
    s->sampler =
        vkt_sampler_create(&s->t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    s->uniform = vkt_buffer_create(&s->t, sizeof add, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, add);
    s->counter = vkt_storage_buffer(&s->t, 1, 0);
    s->layout = vkt_set_layout_create(&s->t, bindings, VKT_COUNT(bindings));
    s->set = vkt_set_alloc(&s->t, s->layout);
    vkt_set_texture(&s->t, s->set, 0, s->texture.view, s->sampler);
    vkt_set_buffer(&s->t, s->set, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, s->uniform.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(&s->t, s->set, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, s->counter.buffer, 0, VK_WHOLE_SIZE);
}

/* Rules that the test breaks and the driver tolerates: a pipeline writes to an attachment that it lacks and whose view
 * is there; a secondary inherits other attachments than the pass has. And pipelines of the test's library have shaders
 * that they do not need. */
#define ACCEPTED                                                                                                       \
    "VUID-vkCmdDraw-pColorAttachments-08963 VUID-vkCmdDraw-pDepthAttachment-08964 "                                    \
    "Undefined-Value-ShaderOutputNotConsumed-DynamicRendering VUID-VkGraphicsPipelineCreateInfo-stageCount-09587 "     \
    "VUID-vkCmdExecuteCommands-colorAttachmentCount-06027 VUID-vkCmdExecuteCommands-imageView-06028 "                  \
    "VUID-vkCmdExecuteCommands-pDepthAttachment-06029 VUID-vkCmdExecuteCommands-pStencilAttachment-06030 "             \
    "VUID-vkCmdExecuteCommands-imageView-07606 VUID-vkCmdExecuteCommands-pDepthAttachment-06774 "                      \
    "VUID-vkCmdExecuteCommands-pStencilAttachment-06775"

static struct scene scene_open(VkFormat depth_format)
{
    struct scene s = {.t = open_device(), .depth_format = depth_format};
    vkt_accept_message(vkt_device(VKT_TESTED), ACCEPTED);
    for (uint32_t i = 0; i < COLORS; i++)
        s.colors[i] = attachment_create(&s.t, formats[i], VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    s.depth = attachment_create(&s.t, depth_format, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
    make_resources(&s);
    s.set_depth_test = (PFN_vkCmdSetDepthTestEnableEXT)vkGetDeviceProcAddr(s.t.device, "vkCmdSetDepthTestEnable");
    return s;
}

static void scene_close(struct scene *s)
{
    for (uint32_t i = 0; i < KINDS * MASKS; i++)
        vkt_pipeline_destroy(&s->t, &s->pipelines[i / MASKS][i % MASKS]);
    for (uint32_t i = 0; i < MASKS; i++)
        vkDestroyPipeline(s->t.device, s->libraries.parts[i], NULL);
    vkDestroyPipeline(s->t.device, s->libraries.shaders, NULL);
    for (uint32_t i = 0; i < COLORS; i++)
        vkt_image_destroy(&s->t, &s->colors[i]);
    vkt_image_destroy(&s->t, &s->depth);
    vkt_image_destroy(&s->t, &s->texture);
    vkDestroySampler(s->t.device, s->sampler, NULL);
    vkt_buffer_destroy(&s->t, &s->uniform);
    vkt_buffer_destroy(&s->t, &s->counter);
    vkDestroyDescriptorSetLayout(s->t.device, s->layout, NULL);
    vkt_device_close(&s->t);
}

/* ---------------------------------------------------------------- pipelines */

/* The list ends with the last colour that is used, or has all. */
static uint32_t color_count(uint32_t mask, bool is_short)
{
    return !is_short ? COLORS : mask & THIRD ? 3 : mask & SECOND ? 2 : mask & FIRST;
}

static VkPipelineRenderingCreateInfo rendering_of(const struct scene *s, uint32_t mask, bool is_short,
                                                  VkFormat colors_out[COLORS])
{
    const bool has_depth = mask & DEPTH;
    for (uint32_t i = 0; i < COLORS; i++)
        colors_out[i] = mask >> i & 1 ? formats[i] : NONE;
    return (VkPipelineRenderingCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                           .colorAttachmentCount = color_count(mask, is_short),
                                           .pColorAttachmentFormats = colors_out,
                                           .depthAttachmentFormat = has_depth ? s->depth_format : NONE,
                                           .stencilAttachmentFormat =
                                               has_depth && s->depth_format == D24S8 ? s->depth_format : NONE};
}

/* Adds the colour times the alpha that is there, which for 64 bits is in another word. */
static const VkPipelineColorBlendAttachmentState blending = {.blendEnable = VK_TRUE,
                                                             .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                             .dstColorBlendFactor = VK_BLEND_FACTOR_DST_ALPHA,
                                                             .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                             .dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO,
                                                             .colorWriteMask = 0xf};

static struct vkt_pipeline_info pipeline_info(struct scene *s, const VkPipelineRenderingCreateInfo *rendering)
{
    return (struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                      .fs = VKT_SHADER(unused_frag),
                                      .next = rendering,
                                      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                      .push_size_B = sizeof(struct push),
                                      .set_layouts = {s->layout},
                                      .set_layout_count = 1,
                                      .no_color = !rendering->colorAttachmentCount,
                                      .color_count = rendering->colorAttachmentCount,
                                      .depth_test = true,
                                      .depth_write = true,
                                      .depth_compare = VK_COMPARE_OP_LESS,
                                      .width = W,
                                      .height = H};
}

/* The formats are those of the output interface, of which there is one for each mask. */
static struct vkt_pipeline link_pipeline(struct scene *s, uint32_t mask)
{
    const VkGraphicsPipelineLibraryFlagsEXT output = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
    VkFormat colors[COLORS];
    VkPipelineRenderingCreateInfo rendering = rendering_of(s, mask, false, colors);
    VkGraphicsPipelineLibraryCreateInfoEXT part = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, .pNext = &rendering, .flags = output};
    struct vkt_pipeline_info info = pipeline_info(s, &rendering);
    info.next = &part;
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    struct vkt_pipeline p = vkt_pipeline_create(&s->t, &info), out;
    s->libraries.parts[mask] = p.pipeline;
    vkDestroyPipelineLayout(s->t.device, p.layout, NULL);
    part.flags = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
                 VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
                 VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
    part.pNext = NULL;
    out = vkt_pipeline_create(&s->t, &info); /* for its layout */
    if (s->libraries.shaders)
        vkDestroyPipeline(s->t.device, out.pipeline, NULL);
    else
        s->libraries.shaders = out.pipeline;
    const VkPipeline parts[] = {s->libraries.shaders, s->libraries.parts[mask]};
    const VkPipelineLibraryCreateInfoKHR libraries = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
                                                      .libraryCount = VKT_COUNT(parts),
                                                      .pLibraries = parts};
    vkt_ok(vkCreateGraphicsPipelines(
        s->t.device, VK_NULL_HANDLE, 1,
        &(VkGraphicsPipelineCreateInfo){
            .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &libraries, .layout = out.layout},
        NULL, &out.pipeline));
    return out;
}

static const struct vkt_pipeline *pipeline_of(struct scene *s, enum kind kind, uint32_t mask)
{
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE};
    struct vkt_pipeline *p = &s->pipelines[kind][mask];
    VkFormat colors[COLORS];
    const VkPipelineRenderingCreateInfo rendering = rendering_of(s, mask, kind != PLAIN, colors);
    struct vkt_pipeline_info info = pipeline_info(s, &rendering);
    if (p->pipeline)
        return p;
    if (kind == BLENDS)
        info.blend = blending;
    if (kind == DYNAMIC) {
        info.dynamic = dynamic;
        info.dynamic_count = VKT_COUNT(dynamic);
    }
    *p = kind == LINKED ? link_pipeline(s, mask) : vkt_pipeline_create(&s->t, &info);
    return p;
}

/* ---------------------------------------------------------------- drawing */

static VkRenderingAttachmentInfo attachment(const struct vkt_image *image)
{
    VkRenderingAttachmentInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                      .imageView = image ? image->view : VK_NULL_HANDLE,
                                      .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                      .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    if (image && image->aspect != VK_IMAGE_ASPECT_COLOR_BIT)
        info.clearValue.depthStencil.depth = 1;
    return info;
}

/* Colours are cleared to zero, depth to one. */
static void begin_pass(struct scene *s, VkCommandBuffer cmd, uint32_t mask, bool is_short, VkRenderingFlags flags)
{
    const VkRenderingAttachmentInfo depth = attachment(&s->depth);
    VkRenderingAttachmentInfo colors[COLORS];
    for (uint32_t i = 0; i < COLORS; i++) {
        colors[i] = attachment(mask >> i & 1 ? &s->colors[i] : NULL);
        vkt_image_barrier(cmd, &s->colors[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    }
    vkt_image_barrier(cmd, &s->depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdBeginRendering(
        cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                .flags = flags,
                                .renderArea = {{0, 0}, {W, H}},
                                .layerCount = 1,
                                .colorAttachmentCount = color_count(mask, is_short),
                                .pColorAttachments = colors,
                                .pDepthAttachment = mask & DEPTH ? &depth : NULL,
                                .pStencilAttachment = mask & DEPTH && s->depth_format == D24S8 ? &depth : NULL});
}

static void end_pass(struct scene *s, VkCommandBuffer cmd)
{
    vkCmdEndRendering(cmd);
    for (uint32_t i = 0; i < COLORS; i++)
        vkt_image_barrier(cmd, &s->colors[i], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_image_barrier(cmd, &s->depth, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

static void draw(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const struct push *push)
{
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &s->set, 0, NULL);
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof *push,
                       push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

static void draw_both(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p)
{
    s->set_depth_test(cmd, VK_TRUE); /* a pipeline without this dynamic state forbids it later */
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    draw(s, cmd, p, &near);
    draw(s, cmd, p, &far);
}

/* A secondary command buffer that continues a pass with these attachments. */
static VkCommandBuffer begin_secondary(struct scene *s, uint32_t mask, bool is_short)
{
    VkFormat colors[COLORS];
    const VkPipelineRenderingCreateInfo from = rendering_of(s, mask, is_short, colors);
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = from.colorAttachmentCount,
        .pColorAttachmentFormats = colors,
        .depthAttachmentFormat = from.depthAttachmentFormat,
        .stencilAttachmentFormat = from.stencilAttachmentFormat,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                     .pNext = &rendering};
    VkCommandBuffer cmd;
    vkt_ok(
        vkAllocateCommandBuffers(s->t.device,
                                 &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                                .commandPool = s->t.pool,
                                                                .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                                                .commandBufferCount = 1},
                                 &cmd));
    vkt_ok(vkBeginCommandBuffer(cmd,
                                &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                            .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT |
                                                                     VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                                            .pInheritanceInfo = &inherits}));
    return cmd;
}

/* A pass that executes the secondary command buffer. */
static void submit_executing(struct scene *s, VkCommandBuffer secondary, uint32_t pass, bool is_short)
{
    VkCommandBuffer cmd = vkt_begin(&s->t);
    begin_pass(s, cmd, pass, is_short, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    end_pass(s, cmd);
    vkt_end_submit(&s->t, cmd);
}

/* ---------------------------------------------------------------- pictures */

/* A component of a colour in units of one, from the order in which the output has the components. */
static float component(const float value[4], uint32_t output, uint32_t c)
{
    static const uint8_t order[COLORS][4] = {{0, 1, 2, 3}, {2, 0, 1, 3}, {1, 2, 0, 3}};
    return value[order[output][c]];
}

/* The left half, or the right one, of a colour that both draws have written. */
static void expected_value(bool is_left, bool tests_depth, bool blends, float out[4])
{
    static const float near_value[4] = {1, 0, 1, 1}, far_value[4] = {0, 1, 1, 1};
    for (uint32_t c = 0; c < 4; c++) {
        const bool adds = is_left && blends && !tests_depth && c < 3;
        out[c] = is_left && tests_depth ? near_value[c] : far_value[c] + (adds ? near_value[c] : 0);
    }
}

static void check_texel(const uint8_t *texel, uint32_t output, const float value[4], const char *what)
{
    for (uint32_t c = 0; c < 4; c++) {
        const float v = component(value, output, c);
        uint16_t half;
        memcpy(&half, texel + (formats[output] == VK_FORMAT_R16G16B16A16_SFLOAT ? c * 2 : 0), sizeof half);
        const uint32_t at = formats[output] == VK_FORMAT_B8G8R8A8_UNORM && c < 3 ? 2 - c : c;
        if (formats[output] == VK_FORMAT_R16G16B16A16_SFLOAT ? half != (v == 0   ? 0
                                                                        : v == 1 ? 0x3c00
                                                                                 : 0x4000)
                                                             : texel[at] != (v > 0 ? 255 : 0))
            fail_msg("%s: component %u of colour %u", what, c, output);
    }
}

static void check_color(struct scene *s, uint32_t output, bool is_written, bool tests_depth, bool blends,
                        const char *what)
{
    static uint8_t got[W * H * 8];
    const uint32_t texel_B = formats[output] == VK_FORMAT_R16G16B16A16_SFLOAT ? 8 : 4;
    vkt_read_image(&s->t, &s->colors[output], 0, 0, got, W * H * texel_B);
    for (uint32_t i = 0; i < W * H; i++) {
        float value[4] = {0};
        if (is_written)
            expected_value(i % W < W / 2, tests_depth, blends, value);
        check_texel(got + i * texel_B, output, value, what);
    }
}

static void check_depth(struct scene *s, bool is_written, const char *what)
{
    static float got[W * H];
    vkt_read_image(&s->t, &s->depth, 0, 0, got, sizeof got);
    for (uint32_t i = 0; i < W * H; i++) {
        const float expected = !is_written ? 1 : i % W < W / 2 ? 0.25f : 0.5f;
        if (got[i] < expected - 1e-6f || got[i] > expected + 1e-6f)
            fail_msg("%s: depth %f instead of %f", what, got[i], expected);
    }
}

/* `drawn`: the attachments that the pipeline, and the inheritance if there is one, have. */
static void check(struct scene *s, uint32_t pass, uint32_t drawn, bool blends, const char *what)
{
    const bool tests_depth = pass & drawn & DEPTH;
    for (uint32_t i = 0; i < COLORS; i++)
        if (pass >> i & 1)
            check_color(s, i, drawn >> i & 1, tests_depth, blends, what);
    if (pass & DEPTH)
        check_depth(s, tests_depth, what);
}

/* ---------------------------------------------------------------- cases */

/* Every pipeline in every pass, with two kinds each. */
static void pipelines_and_passes(void **state)
{
    struct scene s = scene_open(D32);
    for (uint32_t i = 0; i < 2 * MASKS * MASKS; i++) {
        const uint32_t mask = i / MASKS % MASKS, pass = i % MASKS;
        const enum kind kind = (i / (MASKS * MASKS) * 2 + mask + pass) % KINDS;
        char what[64];
        snprintf(what, sizeof what, "pipeline %x of kind %u in pass %x", mask, kind, pass);
        VkCommandBuffer cmd = vkt_begin(&s.t);
        begin_pass(&s, cmd, pass, i & 1, 0);
        draw_both(&s, cmd, pipeline_of(&s, kind, mask));
        end_pass(&s, cmd);
        vkt_end_submit(&s.t, cmd);
        check(&s, pass, mask, kind == BLENDS, what);
    }
    scene_close(&s);
}

/* Two pipelines with different attachments in one pass: what one of them lacks the other one still writes. */
static void pipelines_share_a_pass(void **state)
{
    struct scene s = scene_open(D32);
    for (uint32_t i = 0; i < MASKS; i++) {
        const uint32_t other = i ^ (FIRST | SECOND | THIRD); /* both have the depth, or none */
        const struct vkt_pipeline *one = pipeline_of(&s, PLAIN, i), *two = pipeline_of(&s, DYNAMIC, other);
        VkCommandBuffer cmd = vkt_begin(&s.t);
        begin_pass(&s, cmd, ALL & ~DEPTH, false, 0);
        draw_both(&s, cmd, one);
        draw_both(&s, cmd, two);
        end_pass(&s, cmd);
        vkt_end_submit(&s.t, cmd);
        check(&s, ALL & ~DEPTH, ALL & ~DEPTH, false, "two pipelines");
    }
    scene_close(&s);
}

/* One recording of a secondary is executed in passes with all combinations of attachments. */
static void secondaries(void **state)
{
    struct scene s = scene_open(D32);
    for (uint32_t i = 0; i < 2 * MASKS; i++) {
        const uint32_t inherits = i % MASKS, mask = i < MASKS ? ALL : (i * 7 + 3) % MASKS;
        const enum kind kind = (i + i / 4) % KINDS;
        VkCommandBuffer secondary = begin_secondary(&s, inherits, i & 2);
        draw_both(&s, secondary, pipeline_of(&s, kind, mask));
        vkt_ok(vkEndCommandBuffer(secondary));
        for (uint32_t pass = 0; pass < MASKS; pass++) {
            char what[64];
            snprintf(what, sizeof what, "pipeline %x of kind %u, inheriting %x in pass %x", mask, kind, inherits, pass);
            submit_executing(&s, secondary, pass, i & 1);
            check(&s, pass, mask & inherits, kind == BLENDS, what);
        }
        vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    }
    scene_close(&s);
}

/* A secondary executes another one; each inherits other attachments. */
static void nested_secondaries(void **state)
{
    struct scene s = scene_open(D32);
    for (uint32_t i = 0; i < MASKS; i++) {
        const uint32_t outer = (i * 5 + 6) % MASKS, inner = (i * 11 + 13) % MASKS;
        VkCommandBuffer secondaries[] = {begin_secondary(&s, outer, false), begin_secondary(&s, inner, false)};
        draw_both(&s, secondaries[1], pipeline_of(&s, PLAIN, ALL));
        vkt_ok(vkEndCommandBuffer(secondaries[1]));
        vkCmdExecuteCommands(secondaries[0], 1, &secondaries[1]);
        vkt_ok(vkEndCommandBuffer(secondaries[0]));
        for (uint32_t pass = 0; pass < MASKS; pass++) {
            submit_executing(&s, secondaries[0], pass, false);
            check(&s, pass, inner & outer, false, "nested");
        }
        vkFreeCommandBuffers(s.t.device, s.t.pool, 2, secondaries);
    }
    scene_close(&s);
}

/* Clears of a secondary reach what it inherits and the pass has. */
static void clears_of_secondaries(void **state)
{
    struct scene s = scene_open(D32);
    for (uint32_t i = 0; i < MASKS; i++) {
        VkClearAttachment clears[COLORS + 1] = {
            [COLORS] = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil = {0.25f, 0}}}};
        for (uint32_t c = 0; c < COLORS; c++) { /* what is drawn on the left */
            clears[c] = (VkClearAttachment){VK_IMAGE_ASPECT_COLOR_BIT, c, {.color.float32 = {0}}};
            for (uint32_t k = 0; k < 4; k++)
                clears[c].clearValue.color.float32[k] = component((const float[]){1, 0, 1, 1}, c, k);
        }
        VkCommandBuffer secondary = begin_secondary(&s, i, false);
        vkCmdClearAttachments(secondary, COLORS + 1, clears, 1, &(VkClearRect){{{0, 0}, {W / 2, H}}, 0, 1});
        vkCmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_of(&s, PLAIN, ALL)->pipeline);
        draw(&s, secondary, pipeline_of(&s, PLAIN, ALL), &far);
        vkt_ok(vkEndCommandBuffer(secondary));
        for (uint32_t pass = 0; pass < MASKS; pass++) {
            submit_executing(&s, secondary, pass, false);
            check(&s, pass, i, false, "cleared");
        }
        vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    }
    scene_close(&s);
}

/* A fragment stage that stores to memory runs once for each fragment, however many colours the pass has. Its draw and
 * the one after it need different jobs only if there are several words. */
static void side_effects(void **state)
{
    struct scene s = scene_open(D32);
    VkFormat colors[COLORS];
    const VkPipelineRenderingCreateInfo rendering = rendering_of(&s, ALL, false, colors);
    struct vkt_pipeline_info info = pipeline_info(&s, &rendering);
    info.fs = VKT_SHADER(unused_counts_frag);
    struct vkt_pipeline counts = vkt_pipeline_create(&s.t, &info);
    for (uint32_t inherits = 0; inherits < MASKS; inherits++) {
        VkCommandBuffer secondary = begin_secondary(&s, inherits, false);
        vkCmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_GRAPHICS, counts.pipeline);
        draw(&s, secondary, &counts, &near);
        vkCmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_of(&s, PLAIN, ALL)->pipeline);
        draw(&s, secondary, &counts, &far);
        vkt_ok(vkEndCommandBuffer(secondary));
        for (uint32_t pass = 0; pass < MASKS; pass++) {
            *(uint32_t *)s.counter.map = 0;
            submit_executing(&s, secondary, pass, false);
            check(&s, pass, inherits, false, "with side effects");
            assert_int_equal(*(uint32_t *)s.counter.map, W / 2 * H);
        }
        vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    }
    vkt_pipeline_destroy(&s.t, &counts);
    scene_close(&s);
}

/* Occlusion queries around secondaries. */
static void queries(void **state)
{
    struct scene s = scene_open(D32);
    VkQueryPool pool;
    vkt_ok(vkCreateQueryPool(s.t.device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = 1},
                             NULL, &pool));
    for (uint32_t i = 0; i < MASKS * MASKS; i += 3) {
        const uint32_t inherits = i / MASKS, pass = i % MASKS;
        const bool tests_depth = inherits & pass & DEPTH;
        uint64_t samples = 0;
        VkCommandBuffer secondary = begin_secondary(&s, inherits, false), cmd = vkt_begin(&s.t);
        vkCmdBeginQuery(secondary, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
        draw_both(&s, secondary, pipeline_of(&s, PLAIN, ALL));
        vkCmdEndQuery(secondary, pool, 0);
        vkt_ok(vkEndCommandBuffer(secondary));
        vkCmdResetQueryPool(cmd, pool, 0, 1);
        begin_pass(&s, cmd, pass, false, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
        vkCmdExecuteCommands(cmd, 1, &secondary);
        end_pass(&s, cmd);
        vkt_end_submit(&s.t, cmd);
        check(&s, pass, inherits, false, "in a query");
        vkt_ok(vkGetQueryPoolResults(s.t.device, pool, 0, 1, sizeof samples, &samples, sizeof samples,
                                     VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
        assert_int_equal(samples, tests_depth ? W * H : W * H + W / 2 * H);
        vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    }
    vkDestroyQueryPool(s.t.device, pool, NULL);
    scene_close(&s);
}

/* Triangles drawn as lines, whose programs select one of two stencil states, in a pass without stencil. */
static void two_stencil_states(void **state)
{
    static uint8_t expected[W * H * 4], got[W * H * 4];
    struct scene s = scene_open(D24S8);
    VkFormat colors[COLORS];
    const VkPipelineRenderingCreateInfo rendering = rendering_of(&s, ALL, false, colors);
    const VkStencilOpState back = {
        .failOp = VK_STENCIL_OP_INVERT, .compareOp = VK_COMPARE_OP_NEVER, .compareMask = 0xff, .writeMask = 0xff};
    struct vkt_pipeline_info info = pipeline_info(&s, &rendering);
    info.polygon_mode = VK_POLYGON_MODE_LINE;
    info.front_face = VK_FRONT_FACE_CLOCKWISE; /* all are front-facing */
    info.stencil_test = true;
    info.stencil = (VkStencilOpState){.compareOp = VK_COMPARE_OP_ALWAYS, .compareMask = 0xff, .writeMask = 0xff};
    info.stencil_back = &back;
    struct vkt_pipeline p = vkt_pipeline_create(&s.t, &info);
    VkCommandBuffer secondary = begin_secondary(&s, ALL, false);
    draw_both(&s, secondary, &p);
    vkt_ok(vkEndCommandBuffer(secondary));
    for (uint32_t pass = FIRST; pass < MASKS; pass += 2) {
        uint32_t differing = 0, drawn = 0;
        VkCommandBuffer cmd = vkt_begin(&s.t);
        begin_pass(&s, cmd, pass, false, 0);
        draw_both(&s, cmd, &p);
        end_pass(&s, cmd);
        vkt_end_submit(&s.t, cmd);
        vkt_read_image(&s.t, &s.colors[0], 0, 0, expected, sizeof expected);
        submit_executing(&s, secondary, pass, false);
        vkt_read_image(&s.t, &s.colors[0], 0, 0, got, sizeof got);
        for (uint32_t i = 0; i < sizeof got; i++) {
            differing += got[i] != expected[i];
            drawn += expected[i] != 0;
        }
        assert_int_equal(differing, 0);
        assert_true(drawn > 0);
    }
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    vkt_pipeline_destroy(&s.t, &p);
    scene_close(&s);
}

/* ---------------------------------------------------------------- shader objects */

#define COMMANDS(X)                                                                                                    \
    X(vkCmdBindShadersEXT)                                                                                             \
    X(vkCmdSetPolygonModeEXT)                                                                                          \
    X(vkCmdSetRasterizationSamplesEXT)                                                                                 \
    X(vkCmdSetSampleMaskEXT)                                                                                           \
    X(vkCmdSetDepthClampEnableEXT)                                                                                     \
    X(vkCmdSetAlphaToCoverageEnableEXT)                                                                                \
    X(vkCmdSetAlphaToOneEnableEXT)                                                                                     \
    X(vkCmdSetLogicOpEnableEXT)                                                                                        \
    X(vkCmdSetColorBlendEnableEXT)                                                                                     \
    X(vkCmdSetColorBlendEquationEXT)                                                                                   \
    X(vkCmdSetColorWriteMaskEXT)                                                                                       \
    X(vkCmdSetVertexInputEXT)

struct shader_objects {
    VkShaderEXT shaders[2];
    struct vkt_pipeline layout; /* without a pipeline */
#define X(name) PFN_##name name;
    COMMANDS(X)
#undef X
};

static struct shader_objects shader_objects_create(struct scene *s)
{
    const PFN_vkCreateShadersEXT create =
        (PFN_vkCreateShadersEXT)vkGetDeviceProcAddr(s->t.device, "vkCreateShadersEXT");
    const VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof near};
    const struct vkt_shader code[] = {VKT_SHADER(push_vert), VKT_SHADER(unused_frag)};
    VkShaderCreateInfoEXT infos[2];
    struct shader_objects o;
    for (uint32_t i = 0; i < 2; i++)
        infos[i] = (VkShaderCreateInfoEXT){.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                           .stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT,
                                           .nextStage = i ? 0 : VK_SHADER_STAGE_FRAGMENT_BIT,
                                           .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                           .codeSize = code[i].size_B,
                                           .pCode = code[i].words,
                                           .pName = "main",
                                           .setLayoutCount = 1,
                                           .pSetLayouts = &s->layout,
                                           .pushConstantRangeCount = 1,
                                           .pPushConstantRanges = &push};
    vkt_ok(create(s->t.device, 2, infos, NULL, o.shaders));
    o.layout.pipeline = VK_NULL_HANDLE;
    vkt_ok(vkCreatePipelineLayout(s->t.device,
                                  &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                                .setLayoutCount = 1,
                                                                .pSetLayouts = &s->layout,
                                                                .pushConstantRangeCount = 1,
                                                                .pPushConstantRanges = &push},
                                  NULL, &o.layout.layout));
#define X(name) o.name = (PFN_##name)vkGetDeviceProcAddr(s->t.device, #name);
    COMMANDS(X)
#undef X
    return o;
}

static void shader_objects_destroy(struct scene *s, struct shader_objects *o)
{
    const PFN_vkDestroyShaderEXT destroy =
        (PFN_vkDestroyShaderEXT)vkGetDeviceProcAddr(s->t.device, "vkDestroyShaderEXT");
    for (uint32_t i = 0; i < 2; i++)
        destroy(s->t.device, o->shaders[i], NULL);
    vkt_pipeline_destroy(&s->t, &o->layout);
}

static void bind_objects(const struct shader_objects *o, VkCommandBuffer cmd)
{
    static const VkShaderStageFlagBits stages[] = {
        VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT, VK_SHADER_STAGE_GEOMETRY_BIT,
        VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT};
    const VkShaderEXT shaders[VKT_COUNT(stages)] = {o->shaders[0], o->shaders[1]};
    const VkBool32 blends[COLORS] = {VK_TRUE, VK_TRUE, VK_TRUE};
    const VkColorComponentFlags masks[COLORS] = {0xf, 0xf, 0xf};
    const VkColorBlendEquationEXT equation = {
        blending.srcColorBlendFactor, blending.dstColorBlendFactor, VK_BLEND_OP_ADD,
        blending.srcAlphaBlendFactor, blending.dstAlphaBlendFactor, VK_BLEND_OP_ADD};
    const VkColorBlendEquationEXT equations[COLORS] = {equation, equation, equation};
    o->vkCmdBindShadersEXT(cmd, VKT_COUNT(stages), stages, shaders);
    vkCmdSetViewportWithCount(cmd, 1, &(VkViewport){0, 0, W, H, 0, 1});
    vkCmdSetScissorWithCount(cmd, 1, &(VkRect2D){{0, 0}, {W, H}});
    o->vkCmdSetVertexInputEXT(cmd, 0, NULL, 0, NULL);
    vkCmdSetPrimitiveTopology(cmd, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
    vkCmdSetPrimitiveRestartEnable(cmd, VK_FALSE);
    vkCmdSetRasterizerDiscardEnable(cmd, VK_FALSE);
    o->vkCmdSetPolygonModeEXT(cmd, VK_POLYGON_MODE_FILL);
    vkCmdSetCullMode(cmd, VK_CULL_MODE_NONE);
    vkCmdSetFrontFace(cmd, VK_FRONT_FACE_CLOCKWISE);
    vkCmdSetDepthBiasEnable(cmd, VK_FALSE);
    o->vkCmdSetRasterizationSamplesEXT(cmd, VK_SAMPLE_COUNT_1_BIT);
    o->vkCmdSetSampleMaskEXT(cmd, VK_SAMPLE_COUNT_1_BIT, &(VkSampleMask){UINT32_MAX});
    o->vkCmdSetDepthClampEnableEXT(cmd, VK_FALSE);
    o->vkCmdSetAlphaToCoverageEnableEXT(cmd, VK_FALSE);
    o->vkCmdSetAlphaToOneEnableEXT(cmd, VK_FALSE);
    o->vkCmdSetLogicOpEnableEXT(cmd, VK_FALSE);
    vkCmdSetDepthTestEnable(cmd, VK_TRUE);
    vkCmdSetDepthWriteEnable(cmd, VK_TRUE);
    vkCmdSetDepthCompareOp(cmd, VK_COMPARE_OP_LESS);
    vkCmdSetDepthBoundsTestEnable(cmd, VK_FALSE);
    vkCmdSetStencilTestEnable(cmd, VK_FALSE);
    o->vkCmdSetColorBlendEnableEXT(cmd, 0, COLORS, blends);
    o->vkCmdSetColorBlendEquationEXT(cmd, 0, COLORS, equations);
    o->vkCmdSetColorWriteMaskEXT(cmd, 0, COLORS, masks);
}

/* Shader objects know no formats: they write to whatever pass and inheritance have. */
static void shader_objects(void **state)
{
    struct scene s = scene_open(D32);
    struct shader_objects o = shader_objects_create(&s);
    for (uint32_t inherits = 0; inherits < MASKS; inherits++) {
        VkCommandBuffer secondary = begin_secondary(&s, inherits, false), cmd = vkt_begin(&s.t);
        bind_objects(&o, secondary);
        draw(&s, secondary, &o.layout, &near);
        draw(&s, secondary, &o.layout, &far);
        vkt_ok(vkEndCommandBuffer(secondary));
        for (uint32_t pass = 0; pass < MASKS; pass++) {
            submit_executing(&s, secondary, pass, false);
            check(&s, pass, inherits, true, "objects in a secondary");
        }
        begin_pass(&s, cmd, inherits, true, 0);
        bind_objects(&o, cmd);
        draw(&s, cmd, &o.layout, &near);
        draw(&s, cmd, &o.layout, &far);
        end_pass(&s, cmd);
        vkt_end_submit(&s.t, cmd);
        check(&s, inherits, ALL, true, "objects");
        vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    }
    shader_objects_destroy(&s, &o);
    scene_close(&s);
}

/* Layers that do not know the extension report what it allows. */
static bool layer_knows_extension(void)
{
    VkLayerProperties layers[32];
    uint32_t count = VKT_COUNT(layers);
    bool knows = false;
    if (vkEnumerateInstanceLayerProperties(&count, layers) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        knows |= !strcmp(layers[i].layerName, "VK_LAYER_KHRONOS_validation") &&
                 layers[i].specVersion >= VK_MAKE_API_VERSION(0, 1, 3, 251);
    return knows;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(pipelines_and_passes, vkt_check_messages),
        cmocka_unit_test_teardown(pipelines_share_a_pass, vkt_check_messages),
        cmocka_unit_test_teardown(secondaries, vkt_check_messages),
        cmocka_unit_test_teardown(nested_secondaries, vkt_check_messages),
        cmocka_unit_test_teardown(clears_of_secondaries, vkt_check_messages),
        cmocka_unit_test_teardown(side_effects, vkt_check_messages),
        cmocka_unit_test_teardown(queries, vkt_check_messages),
        cmocka_unit_test_teardown(two_stencil_states, vkt_check_messages),
        cmocka_unit_test_teardown(shader_objects, vkt_check_messages),
    };
    if (!layer_knows_extension())
        setenv("VKT_NO_VALIDATION", "1", 1);
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
