/* SPDX-License-Identifier: MIT
 *
 * Several viewports and layers that vertex shaders select for each primitive (multiViewport,
 * VK_EXT_shader_viewport_index_layer). Each case draws the same triangles on lavapipe; order, depth, provoking
 * vertices, queries and side effects are compared with what the specification demands.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "viewports_0.vert.h"
#include "viewports_1.vert.h"
#include "viewports_2.vert.h"
#include "viewports_3.vert.h"
#include "viewports_7.vert.h"
#include "viewports_count.frag.h"
#include "viewports_read.frag.h"

enum { W = 64, H = 64, MAX_LAYERS = 5, MAX_VIEWPORTS = 16 };

enum how { STATIC, DYNAMIC, DYNAMIC_COUNTS, SECONDARY };

/* What a case draws. */
static struct scene_info {
    uint32_t layers, viewports;
    bool overlap;             /* of the viewports */
    bool samples, wide, cuts; /* four samples, resolved; 64 bits per texel; viewports that exceed the chip's range */
    bool depth, blends, strip;
    enum how how;
    uint32_t view_mask;
    VkPolygonMode polygon_mode;
} scene;

struct push {
    uint32_t layers, viewports;
    float size;
};

#define COLOR  (scene.wide ? VK_FORMAT_R16G16B16A16_SFLOAT : VK_FORMAT_R8G8B8A8_UNORM)
#define DEPTH  VK_FORMAT_D24_UNORM_S8_UINT
#define COUNT  90u /* vertices */
#define LAYERS (scene.view_mask ? 2u : scene.layers)

static const VkImageUsageFlags copies = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

/* ---------------------------------------------------------------- viewports */

static void find_viewports(VkViewport viewports[MAX_VIEWPORTS], VkRect2D scissors[MAX_VIEWPORTS])
{
    for (uint32_t i = 0; i < scene.viewports; i++) {
        const uint32_t x = i % 4 * (W / 4), y = i / 4 * (H / 4);
        viewports[i] = (VkViewport){(float)x, (float)y, W / 4, H / 4, i % 2 ? 0.25f : 0.0f, i % 3 ? 1.0f : 0.5f};
        scissors[i] = (VkRect2D){{(int32_t)(x + i % 3), (int32_t)y}, {W / 4 - i % 5, H / 4 - i % 4}};
        if (scene.overlap) {
            viewports[i] = (VkViewport){(float)i, H - (float)i, W - 2 * (float)i, -(float)H + 8, 0.0f, 1.0f};
            scissors[i] = (VkRect2D){{(int32_t)(2 * i), 0}, {W - 3 * i, H}};
        }
        if (scene.cuts && i)
            viewports[i].width = 4096;
    }
}

/* ---------------------------------------------------------------- a scene */

struct drawn {
    struct vkt t;
    struct vkt_image color, depth, resolved;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    struct vkt_pipeline pipeline, plain;
    VkViewport viewports[MAX_VIEWPORTS];
    VkRect2D scissors[MAX_VIEWPORTS];
};

static struct vkt_image target_create(struct vkt *t, VkFormat format, VkImageUsageFlags usage, bool samples)
{
    return vkt_image_create(t, &(struct vkt_image_info){.format = format,
                                                        .width = W,
                                                        .height = H,
                                                        .layers = LAYERS,
                                                        .array = true,
                                                        .usage = usage | copies,
                                                        .samples = samples ? VK_SAMPLE_COUNT_4_BIT : 0});
}

static void pass_create(struct drawn *d)
{
    const VkSampleCountFlagBits samples = scene.samples ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
    const VkAttachmentDescription color = {.format = COLOR,
                                           .samples = samples,
                                           .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                           .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                           .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    VkAttachmentDescription depth = color, resolved = color;
    depth.format = DEPTH;
    depth.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    resolved.samples = VK_SAMPLE_COUNT_1_BIT;
    resolved.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    const VkSubpassDescription subpass = {
        .colorAttachmentCount = 1,
        .pColorAttachments = &(VkAttachmentReference){0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
        .pDepthStencilAttachment = &(VkAttachmentReference){1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
        .pResolveAttachments =
            scene.samples ? &(VkAttachmentReference){2, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL} : NULL};
    const VkSubpassDependency after = {0,
                                       VK_SUBPASS_EXTERNAL,
                                       VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
                                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                       VK_ACCESS_MEMORY_WRITE_BIT,
                                       VK_ACCESS_MEMORY_READ_BIT,
                                       0};
    const VkRenderPassMultiviewCreateInfo views = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
                                                   .subpassCount = 1,
                                                   .pViewMasks = &scene.view_mask};
    vkt_ok(vkCreateRenderPass(
        d->t.device,
        &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .pNext = scene.view_mask ? &views : NULL,
                                  .attachmentCount = scene.samples ? 3 : 2,
                                  .pAttachments = (const VkAttachmentDescription[]){color, depth, resolved},
                                  .subpassCount = 1,
                                  .pSubpasses = &subpass,
                                  .dependencyCount = 1,
                                  .pDependencies = &after},
        NULL, &d->pass));
    vkt_ok(
        vkCreateFramebuffer(d->t.device,
                            &(VkFramebufferCreateInfo){
                                .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                .renderPass = d->pass,
                                .attachmentCount = scene.samples ? 3 : 2,
                                .pAttachments = (const VkImageView[]){d->color.view, d->depth.view, d->resolved.view},
                                .width = W,
                                .height = H,
                                .layers = scene.view_mask ? 1 : scene.layers},
                            NULL, &d->framebuffer));
}

static struct vkt_shader vertex_shader(void)
{
    return scene.layers > 1 && scene.viewports > 1 ? VKT_SHADER(viewports_3_vert)
           : scene.layers > 1                      ? VKT_SHADER(viewports_1_vert)
                                                   : VKT_SHADER(viewports_2_vert);
}

static struct vkt_pipeline pipeline_create(struct drawn *d, struct vkt_shader vs, struct vkt_shader fs)
{
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR},
                                counts[] = {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT_EXT,
                                            VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT_EXT};
    const VkPipelineMultisampleStateCreateInfo samples = {.sType =
                                                              VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                          .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT};
    return vkt_pipeline_create(&d->t,
                               &(struct vkt_pipeline_info){
                                   .vs = vs,
                                   .fs = fs,
                                   .pass = d->pass,
                                   .topology = scene.strip ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP : VKT_TRIANGLES,
                                   .polygon_mode = scene.polygon_mode,
                                   .push_size_B = sizeof(struct push),
                                   .width = W,
                                   .height = H,
                                   .viewport_count = scene.viewports,
                                   .viewports = d->viewports,
                                   .scissors = d->scissors,
                                   .counts_are_dynamic = scene.how == DYNAMIC_COUNTS,
                                   .dynamic = scene.how == DYNAMIC_COUNTS ? counts : dynamic,
                                   .dynamic_count = scene.how == STATIC ? 0 : 2,
                                   .depth_test = scene.depth,
                                   .depth_write = scene.depth,
                                   .depth_compare = VK_COMPARE_OP_LESS,
                                   .blend = {.blendEnable = scene.blends,
                                             .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
                                             .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                             .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE},
                                   .multisample = scene.samples ? &samples : NULL,
                               });
}

static void drawn_create(struct drawn *d, struct vkt *t)
{
    const char *const extensions[] = {VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME,
                                      VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME};
    VkPhysicalDeviceExtendedDynamicStateFeaturesEXT states = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT,
        .extendedDynamicState = VK_TRUE};
    *d = (struct drawn){.t = vkt_device_create_chain(t, extensions, VKT_COUNT(extensions), &states)};
    find_viewports(d->viewports, d->scissors);
    d->color = target_create(&d->t, COLOR, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, scene.samples);
    d->depth = target_create(&d->t, DEPTH, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, scene.samples);
    if (scene.samples)
        d->resolved = target_create(&d->t, COLOR, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, false);
    pass_create(d);
    /* with multiview shaders must not read the layer */
    const struct vkt_shader fs = scene.view_mask ? VKT_SHADER(color_frag) : VKT_SHADER(viewports_read_frag);
    d->pipeline = pipeline_create(d, vertex_shader(), fs);
    d->plain = pipeline_create(d, VKT_SHADER(viewports_0_vert), VKT_SHADER(color_frag));
}

static void drawn_destroy(struct drawn *d)
{
    vkt_pipeline_destroy(&d->t, &d->pipeline);
    vkt_pipeline_destroy(&d->t, &d->plain);
    vkDestroyFramebuffer(d->t.device, d->framebuffer, NULL);
    vkDestroyRenderPass(d->t.device, d->pass, NULL);
    vkt_image_destroy(&d->t, &d->color);
    vkt_image_destroy(&d->t, &d->depth);
    if (scene.samples)
        vkt_image_destroy(&d->t, &d->resolved);
    vkt_device_close(&d->t);
}

static void set_places(struct drawn *d, VkCommandBuffer cmd)
{
    PFN_vkCmdSetViewportWithCountEXT set_viewports =
        (PFN_vkCmdSetViewportWithCountEXT)vkGetDeviceProcAddr(d->t.device, "vkCmdSetViewportWithCountEXT");
    PFN_vkCmdSetScissorWithCountEXT set_scissors =
        (PFN_vkCmdSetScissorWithCountEXT)vkGetDeviceProcAddr(d->t.device, "vkCmdSetScissorWithCountEXT");
    if (scene.how == DYNAMIC_COUNTS) {
        set_viewports(cmd, scene.viewports, d->viewports);
        set_scissors(cmd, scene.viewports, d->scissors);
    } else if (scene.how != STATIC) { /* in two pieces each, the second one first */
        const uint32_t half = scene.viewports / 2;
        vkCmdSetViewport(cmd, half, scene.viewports - half, d->viewports + half);
        vkCmdSetScissor(cmd, half, scene.viewports - half, d->scissors + half);
        if (half)
            vkCmdSetViewport(cmd, 0, half, d->viewports);
        if (half)
            vkCmdSetScissor(cmd, 0, half, d->scissors);
    }
}

/* Draws with the first `count` of the same viewports. `binds`: the pipeline after them, else it stays bound. */
static void draw_with_count(struct drawn *d, VkCommandBuffer cmd, uint32_t count, bool binds)
{
    const struct push push = {scene.layers, count, 0.75f};
    ((PFN_vkCmdSetViewportWithCountEXT)vkGetDeviceProcAddr(d->t.device, "vkCmdSetViewportWithCountEXT"))(cmd, count,
                                                                                                         d->viewports);
    ((PFN_vkCmdSetScissorWithCountEXT)vkGetDeviceProcAddr(d->t.device, "vkCmdSetScissorWithCountEXT"))(cmd, count,
                                                                                                       d->scissors);
    if (binds) {
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d->plain.pipeline);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipeline.pipeline);
    }
    vkCmdPushConstants(cmd, d->pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                       sizeof push, &push);
    vkCmdDraw(cmd, COUNT, 1, 5 * COUNT + 6 + count, 0);
}

/* Draws that select targets, one that does not, and again one that does. */
static void record_draws(struct drawn *d, VkCommandBuffer cmd)
{
    const struct push push = {scene.layers, scene.viewports, 1.0f};
    const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipeline.pipeline);
    set_places(d, cmd);
    vkCmdPushConstants(cmd, d->pipeline.layout, stages, 0, sizeof push, &push);
    vkCmdDraw(cmd, COUNT, 1, 0, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d->plain.pipeline);
    vkCmdDraw(cmd, 6, 1, COUNT, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipeline.pipeline);
    vkCmdDraw(cmd, COUNT, 2, COUNT + 6, 0);
    if (scene.how != DYNAMIC_COUNTS)
        return;
    draw_with_count(d, cmd, 1, true);
    draw_with_count(d, cmd, scene.viewports, false); /* only the count changes */
}

static void record_pass(struct drawn *d, VkCommandBuffer cmd)
{
    const VkClearValue clears[] = {{.color = {.float32 = {0.25f, 1, 1, 1}}}, {.depthStencil = {1, 0}}, {{{0}}}};
    VkCommandBuffer secondary = VK_NULL_HANDLE;
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = d->pass,
                                                  .framebuffer = d->framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}},
                                                  .clearValueCount = scene.samples ? 3 : 2,
                                                  .pClearValues = clears},
                         scene.how == SECONDARY ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS
                                                : VK_SUBPASS_CONTENTS_INLINE);
    if (scene.how == SECONDARY) {
        secondary = vkt_begin_secondary(&d->t, d->pass, 0);
        record_draws(d, secondary);
        vkt_ok(vkEndCommandBuffer(secondary));
        vkCmdExecuteCommands(cmd, 1, &secondary);
    } else {
        record_draws(d, cmd);
    }
    vkCmdEndRenderPass(cmd);
}

/* A half in 0 ... 1 as a byte. */
static uint8_t byte_of(uint16_t half)
{
    const uint32_t exponent = half >> 10 & 31, mantissa = half & 0x3ff;
    const float value = ldexpf((float)(exponent ? mantissa + 0x400 : mantissa), (int)(exponent ? exponent : 1) - 25);
    return (uint8_t)(value * 255 + 0.5f);
}

/* All layers, one below the other. */
static void draw_scene(struct vkt *t, struct vkt_picture *out)
{
    struct drawn d;
    drawn_create(&d, t);
    VkCommandBuffer cmd = vkt_begin(&d.t);
    record_pass(&d, cmd);
    vkt_end_submit(&d.t, cmd);
    const uint32_t layer_B = W * H * 4;
    static uint16_t halves[W * H * 4];
    *out = (struct vkt_picture){W, H * LAYERS, malloc((size_t)layer_B * LAYERS)};
    assert_non_null(out->rgba);
    for (uint32_t i = 0; i < LAYERS; i++) {
        uint8_t *layer = out->rgba + (size_t)i * layer_B;
        if (!scene.wide) {
            vkt_read_image(&d.t, scene.samples ? &d.resolved : &d.color, 0, i, layer, layer_B);
            continue;
        }
        vkt_read_image(&d.t, &d.color, 0, i, halves, sizeof halves);
        for (uint32_t k = 0; k < layer_B; k++)
            layer[k] = byte_of(halves[k]);
    }
    drawn_destroy(&d);
}

static void compare(const char *name, struct scene_info info)
{
    scene = info;
    vkt_compare_with_reference(name, draw_scene, (struct vkt_tolerance){2, info.samples ? 25 : 12});
}

/* ---------------------------------------------------------------- cases */

static void viewports_have_places_scissors_and_depths(void **state)
{
    compare("viewports", (struct scene_info){.layers = 1, .viewports = 16, .depth = true});
    compare("viewports_dynamic", (struct scene_info){.layers = 1, .viewports = 7, .depth = true, .how = DYNAMIC});
    compare("viewports_counted", (struct scene_info){.layers = 1, .viewports = 5, .how = DYNAMIC_COUNTS});
    compare("viewports_one", (struct scene_info){.layers = 1, .viewports = 1, .how = DYNAMIC_COUNTS});
    compare("viewports_secondary", (struct scene_info){.layers = 1, .viewports = 9, .depth = true, .how = SECONDARY});
}

static void overlapping_viewports_keep_the_order(void **state)
{
    compare("overlap_blend", (struct scene_info){.layers = 1, .viewports = 4, .overlap = true, .blends = true});
    compare("overlap_depth",
            (struct scene_info){.layers = 1, .viewports = 3, .overlap = true, .depth = true, .how = DYNAMIC});
    compare("overlap_wide",
            (struct scene_info){.layers = 1, .viewports = 3, .overlap = true, .blends = true, .wide = true});
}

static void layers_are_drawn(void **state)
{
    compare("layers", (struct scene_info){.layers = 5, .viewports = 1});
    compare("layers_depth", (struct scene_info){.layers = 3, .viewports = 1, .depth = true});
    compare("layers_blend_wide", (struct scene_info){.layers = 3, .viewports = 1, .blends = true, .wide = true});
    compare("layers_secondary", (struct scene_info){.layers = 4, .viewports = 1, .depth = true, .how = SECONDARY});
    compare("layers_and_viewports", (struct scene_info){.layers = 4, .viewports = 6, .depth = true});
    compare("layers_overlap", (struct scene_info){.layers = 2, .viewports = 3, .overlap = true, .blends = true});
}

static void layers_are_resolved(void **state)
{
    compare("layers_samples", (struct scene_info){.layers = 3, .viewports = 1, .depth = true, .samples = true});
    compare("viewports_samples", (struct scene_info){.layers = 1, .viewports = 16, .samples = true});
}

static void views_have_viewports(void **state)
{
    compare("views", (struct scene_info){.layers = 1, .viewports = 8, .depth = true, .view_mask = 3});
}

static void distant_viewports_are_recentred(void **state)
{
    compare("viewports_cut", (struct scene_info){.layers = 1, .viewports = 6, .depth = true, .cuts = true});
}

static void polygons_have_targets(void **state)
{
    compare("points", (struct scene_info){.layers = 2, .viewports = 16, .polygon_mode = VK_POLYGON_MODE_POINT});
}

/* -- the first vertex provokes ------------------------------------------------------------------------------------- */

static uint32_t hash(uint32_t x)
{
    x = x * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28) + 4u)) ^ x) * 277803737u;
    return (x >> 22) ^ x;
}

/* Begins a pass that clears to white, with the pipeline and the scene's targets. */
static VkCommandBuffer begin_white(struct drawn *d, const struct vkt_pipeline *pipeline)
{
    const VkClearValue clears[] = {{.color = {.float32 = {1, 1, 1, 1}}}, {.depthStencil = {1, 0}}};
    VkCommandBuffer cmd = vkt_begin(&d->t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = d->pass,
                                                  .framebuffer = d->framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}},
                                                  .clearValueCount = 2,
                                                  .pClearValues = clears},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->pipeline);
    vkCmdPushConstants(cmd, pipeline->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                       sizeof(struct push), &(struct push){scene.layers, scene.viewports, 1.0f});
    return cmd;
}

/* Each primitive of a strip appears where its first vertex says. */
static void first_vertices_select(void **state)
{
    static uint8_t got[W * H * 4];
    scene = (struct scene_info){.layers = 3, .viewports = 4, .strip = true, .depth = false};
    struct drawn d;
    drawn_create(&d, vkt_device(VKT_TESTED));
    struct vkt_pipeline pipeline = pipeline_create(&d, VKT_SHADER(viewports_7_vert), VKT_SHADER(viewports_read_frag));
    for (uint32_t first = 0; first < 40; first++) {
        VkCommandBuffer cmd = begin_white(&d, &pipeline);
        vkCmdDraw(cmd, 4, 1, first, 0); /* two triangles */
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(&d.t, cmd);
        uint32_t expected = 0; /* bit: layer * 4 + viewport */
        for (uint32_t i = first; i < first + 2; i++)
            expected |= 1u << (hash(i) % scene.layers * 4 + (hash(i) >> 8) % scene.viewports);
        for (uint32_t layer = 0; layer < scene.layers; layer++) {
            vkt_read_image(&d.t, &d.color, 0, layer, got, sizeof got);
            for (uint32_t p = 0; p < W * H; p++) {
                const uint8_t *texel = got + 4 * p;
                const uint32_t viewport = p % W / (W / 4) + p / W / (H / 4) * 4;
                if (texel[1] == 255) /* cleared */
                    continue;
                if (viewport > 3 || !(expected >> (layer * 4 + viewport) & 1) || texel[1] != (layer * 255 + 8) / 16 ||
                    texel[2] != (viewport * 255 + 8) / 16)
                    fail_msg("strip from vertex %u: layer %u, viewport %u has a pixel of %u, %u; expected 0x%x", first,
                             layer, viewport, texel[1], texel[2], expected);
            }
        }
    }
    vkt_pipeline_destroy(&d.t, &pipeline);
    drawn_destroy(&d);
}

/* Where the vertex shader selects nothing, the fragment shader reads zeros. */
static void without_selection_both_are_zero(void **state)
{
    static uint8_t got[W * H * 4];
    scene = (struct scene_info){.layers = 2, .viewports = 4};
    struct drawn d;
    drawn_create(&d, vkt_device(VKT_TESTED));
    struct vkt_pipeline pipeline = pipeline_create(&d, VKT_SHADER(viewports_0_vert), VKT_SHADER(viewports_read_frag));
    VkCommandBuffer cmd = begin_white(&d, &pipeline);
    vkCmdDraw(cmd, COUNT, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&d.t, cmd);
    for (uint32_t layer = 0; layer < scene.layers; layer++) {
        uint32_t covered = 0;
        vkt_read_image(&d.t, &d.color, 0, layer, got, sizeof got);
        for (uint32_t p = 0; p < W * H; p++) {
            const bool is_cleared = got[4 * p + 1] == 255;
            if (!is_cleared && (got[4 * p + 1] || got[4 * p + 2] || p % W >= W / 4 || p / W >= H / 4))
                fail_msg("layer %u, pixel (%u,%u) has %u, %u", layer, p % W, p / W, got[4 * p + 1], got[4 * p + 2]);
            covered += !is_cleared;
        }
        assert_int_equal(covered > 0, layer == 0);
    }
    vkt_pipeline_destroy(&d.t, &pipeline);
    drawn_destroy(&d);
}

/* -- queries and side effects -------------------------------------------------------------------------------------- */

static uint64_t count_samples(struct vkt *t)
{
    struct drawn d;
    VkQueryPool queries;
    uint64_t samples = 0;
    drawn_create(&d, t);
    vkt_ok(vkCreateQueryPool(d.t.device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = 1},
                             NULL, &queries));
    VkCommandBuffer cmd = vkt_begin(&d.t);
    vkCmdResetQueryPool(cmd, queries, 0, 1);
    vkCmdBeginQuery(cmd, queries, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    record_pass(&d, cmd);
    vkCmdEndQuery(cmd, queries, 0);
    vkt_end_submit(&d.t, cmd);
    vkt_ok(vkGetQueryPoolResults(d.t.device, queries, 0, 1, sizeof samples, &samples, sizeof samples,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    vkDestroyQueryPool(d.t.device, queries, NULL);
    drawn_destroy(&d);
    return samples;
}

static void queries_count_all_targets(void **state)
{
    scene = (struct scene_info){.layers = 3, .viewports = 16};
    const uint64_t expected = count_samples(vkt_device(VKT_REFERENCE)), got = count_samples(vkt_device(VKT_TESTED));
    assert_true(expected > 1000);
    assert_in_range(got, expected - expected / 25, expected + expected / 25); /* edges differ */
}

/* Each fragment of each layer and viewport has its side effects once. */
static void fragments_run_once(void **state)
{
    static uint8_t got[W * H * 4];
    scene = (struct scene_info){.layers = 3, .viewports = 6};
    struct drawn d;
    drawn_create(&d, vkt_device(VKT_TESTED));
    const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    VkDescriptorSetLayout layout = vkt_set_layout_create(&d.t, &binding, 1);
    VkDescriptorSet set = vkt_set_alloc(&d.t, layout);
    struct vkt_buffer counts = vkt_storage_buffer(&d.t, W * H, 0);
    vkt_set_buffer(&d.t, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counts.buffer, 0, VK_WHOLE_SIZE);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(&d.t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(viewports_3_vert),
                                                              .fs = VKT_SHADER(viewports_count_frag),
                                                              .pass = d.pass,
                                                              .topology = VKT_TRIANGLES,
                                                              .push_size_B = sizeof(struct push),
                                                              .viewport_count = scene.viewports,
                                                              .viewports = d.viewports,
                                                              .scissors = d.scissors,
                                                              .set_layouts = {layout},
                                                              .set_layout_count = 1});
    const VkClearValue clears[] = {{.color = {.float32 = {0, 0, 0, 0}}}, {.depthStencil = {1, 0}}};
    uint32_t drawn = 0, counted = 0;
    VkCommandBuffer cmd = vkt_begin(&d.t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = d.pass,
                                                  .framebuffer = d.framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}},
                                                  .clearValueCount = 2,
                                                  .pClearValues = clears},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                       sizeof(struct push), &(struct push){scene.layers, scene.viewports, 1.0f});
    vkCmdDraw(cmd, 3, 1, 0, 0); /* one triangle, so a pixel has one fragment at most */
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&d.t, cmd);
    for (uint32_t layer = 0; layer < scene.layers; layer++) {
        vkt_read_image(&d.t, &d.color, 0, layer, got, sizeof got);
        for (uint32_t p = 0; p < W * H; p++)
            drawn += got[4 * p + 3] != 0;
    }
    for (uint32_t p = 0; p < W * H; p++)
        counted += ((const uint32_t *)counts.map)[p];
    assert_true(drawn > 10);
    assert_int_equal(drawn, counted);
    vkt_pipeline_destroy(&d.t, &pipeline);
    vkt_buffer_destroy(&d.t, &counts);
    vkDestroyDescriptorSetLayout(d.t.device, layout, NULL);
    drawn_destroy(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(viewports_have_places_scissors_and_depths, vkt_check_messages),
        cmocka_unit_test_teardown(overlapping_viewports_keep_the_order, vkt_check_messages),
        cmocka_unit_test_teardown(layers_are_drawn, vkt_check_messages),
        cmocka_unit_test_teardown(layers_are_resolved, vkt_check_messages),
        cmocka_unit_test_teardown(views_have_viewports, vkt_check_messages),
        cmocka_unit_test_teardown(distant_viewports_are_recentred, vkt_check_messages),
        cmocka_unit_test_teardown(polygons_have_targets, vkt_check_messages),
        cmocka_unit_test_teardown(first_vertices_select, vkt_check_messages),
        cmocka_unit_test_teardown(without_selection_both_are_zero, vkt_check_messages),
        cmocka_unit_test_teardown(queries_count_all_targets, vkt_check_messages),
        cmocka_unit_test_teardown(fragments_run_once, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
