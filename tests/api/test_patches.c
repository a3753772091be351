/* SPDX-License-Identifier: MIT
 *
 * Programs of the tessellation stages: inputs and outputs of all types, resources, views and layers, and the ways that
 * draws of patches are recorded. Pictures are compared with lavapipe's; shaders that check their own
 * inputs draw in green what is right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "geometry.frag.h"
#include "geometry_many.frag.h"
#include "patches.vert.h"
#include "patches_distances.vert.h"
#include "patches_layers.tese.h"
#include "patches_more.tesc.h"
#include "patches_more.tese.h"
#include "patches_resources.geom.h"
#include "patches_resources.tesc.h"
#include "patches_resources.tese.h"
#include "patches_resources.vert.h"
#include "patches_types.tese.h"
#include "patches_types_1.tesc.h"
#include "patches_types_20.tesc.h"
#include "patches_types_4.tesc.h"
#include "patches_values.tesc.h"
#include "patches_values.tese.h"
#include "patches_views.tesc.h"
#include "patches_views.tese.h"
#include "patches_wide.tese.h"
#include "tess_pass_4.tesc.h"
#include "tess_quads_equal_ccw.tese.h"

enum { W = 128, H = 96, VERTICES = 64, LAYERS = 3 };

static const float grey[4] = {0.2f, 0.2f, 0.2f, 1};
static const struct vkt_tolerance edges = {3, 30};

#define ALL_STAGES                                                                                                     \
    (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT |                                           \
     VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT | VK_SHADER_STAGE_GEOMETRY_BIT)

struct levels {
    float outer[4], inner[2];
};
static const struct levels some_levels = {{2, 3, 2, 3}, {3, 2}};

/* What a case draws. */
static struct scene_info {
    struct vkt_shader vs, tcs, tes, gs, fs; /* without words: patches_vert, none, none, none, geometry_frag */
    uint32_t patch_vertices; /* 0: 4 */
    bool restarts, is_secondary;
} scene;

static struct vkt_pipeline_info pipeline_info(void)
{
    static const VkPipelineTessellationStateCreateInfo patches[2] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO, .patchControlPoints = 4},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO, .patchControlPoints = 5}};
    return (struct vkt_pipeline_info){.vs = scene.vs.words ? scene.vs : VKT_SHADER(patches_vert),
                                      .tcs = scene.tcs,
                                      .tes = scene.tes,
                                      .gs = scene.gs,
                                      .fs = scene.fs.words ? scene.fs : VKT_SHADER(geometry_frag),
                                      .tessellation = &patches[scene.patch_vertices == 5],
                                      .topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
                                      .primitive_restart = scene.restarts,
                                      .push_size_B = sizeof(struct levels),
                                      .push_stages = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                      .width = W,
                                      .height = H};
}

/* Restarts come in the middle of patches, right behind one, and one after the other. */
static struct vkt_buffer index_buffer(struct vkt *t)
{
    struct vkt_buffer b = vkt_buffer_create(t, 2 * VERTICES, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, NULL);
    uint16_t *indices = b.map;
    for (uint32_t i = 0; i < VERTICES; i++) {
        const bool restarts = i == 6 || i == 11 || i == 28 || i == 29 || i == 53;
        indices[i] = restarts ? 0xffff : (uint16_t)(i < 7 ? i : i < 12 ? i + 1 : i + 4);
    }
    return b;
}

static void record(VkCommandBuffer cmd, const struct vkt_pipeline *pipeline, const struct vkt_buffer *indices)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->pipeline);
    vkCmdPushConstants(cmd, pipeline->layout,
                       VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT |
                           VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                       0, sizeof some_levels, &some_levels);
    if (scene.restarts) {
        vkCmdBindIndexBuffer(cmd, indices->buffer, 0, VK_INDEX_TYPE_UINT16);
        vkCmdDrawIndexed(cmd, VERTICES, 2, 0, 0, 0);
    } else {
        vkCmdDraw(cmd, VERTICES, 1, 0, 0);
    }
}

static void draw(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_buffer indices = index_buffer(t);
    struct vkt_pipeline_info info = pipeline_info();
    info.pass = target.pass;
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t), inner = VK_NULL_HANDLE;
    if (scene.is_secondary) {
        const VkClearValue clear = {.color = {.float32 = {0.2f, 0.2f, 0.2f, 1}}};
        inner = vkt_begin_secondary(t, target.pass, 0);
        record(inner, &pipeline, &indices);
        vkt_ok(vkEndCommandBuffer(inner));
        vkCmdBeginRenderPass(cmd,
                             &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                      .renderPass = target.pass,
                                                      .framebuffer = target.framebuffer,
                                                      .renderArea = {{0, 0}, {W, H}},
                                                      .clearValueCount = 1,
                                                      .pClearValues = &clear},
                             VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
        vkCmdExecuteCommands(cmd, 1, &inner);
    } else {
        vkt_begin_pass(cmd, &target, grey, 1, 0);
        record(cmd, &pipeline, &indices);
    }
    vkCmdEndRenderPass(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    for (uint32_t i = 0; i < (scene.is_secondary ? 2 : 1); i++) /* the second time draws the same */
        vkt_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    if (inner)
        vkFreeCommandBuffers(t->device, t->pool, 1, &inner);
    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_buffer_destroy(t, &indices);
    vkt_target_destroy(t, &target);
}

static void compare(const char *name, const struct scene_info *info)
{
    scene = *info;
    vkt_compare_with_reference(name, draw, edges);
}

/* ---------------------------------------------------------------- inputs and outputs */

/* The shaders have drawn something, and all of it is green. */
static void expect_green(const struct vkt *t, const struct vkt_picture *picture)
{
    uint32_t green = 0;
    for (uint32_t i = 0; i < W * H; i++) {
        const uint8_t *pixel = picture->rgba + 4 * i;
        if (pixel[0] > 60) /* neither grey nor green */
            fail_msg("%s: pixel %u, %u: wrong bit %u, low bits 0x%x", t->properties.deviceName, i % W, i / W,
                     (pixel[1] + 4) / 8, pixel[2]);
        green += pixel[1] == 255;
    }
    if (green < W * H / 10)
        fail_msg("%s: only %u green pixels", t->properties.deviceName, green);
}

/* Paints all that is drawn green. */
static void paint_green(struct vkt_picture *picture)
{
    for (uint32_t i = 0; i < W * H; i++) {
        uint8_t *pixel = picture->rgba + 4 * i;
        if (pixel[0] > 60) {
            pixel[0] = pixel[2] = 0;
            pixel[1] = 255;
        }
    }
}

/* The shaders judge the values of the tested device. Of the reference only shapes count: lavapipe 25.0 passes one of
 * the types wrongly. */
static void draw_green(struct vkt *t, struct vkt_picture *out)
{
    draw(t, out);
    if (t->physical == vkt_device(VKT_REFERENCE)->physical)
        paint_green(out);
    expect_green(t, out);
}

static void types_are_passed(void **state)
{
    const struct vkt_shader tcs[] = {VKT_SHADER(patches_types_1_tesc), VKT_SHADER(patches_types_4_tesc),
                                     VKT_SHADER(patches_types_20_tesc)};
    for (uint32_t i = 0; i < 2 * VKT_COUNT(tcs); i++) {
        scene = (struct scene_info){.vs = VKT_SHADER(patches_distances_vert),
                                    .tcs = tcs[i / 2],
                                    .tes = VKT_SHADER(patches_types_tese),
                                    .patch_vertices = i % 2 ? 5 : 4};
        vkt_compare_with_reference("types", draw_green, edges);
    }
}

static void all_components_are_evaluated(void **state)
{
    compare("wide", &(struct scene_info){.tcs = VKT_SHADER(tess_pass_4_tesc),
                                         .tes = VKT_SHADER(patches_wide_tese),
                                         .fs = VKT_SHADER(geometry_many_frag)});
}

/* 20 invocations belong to two subgroups. No initial value replaces what one of them has stored. lavapipe does not draw
 * such patches. */
static void initial_values_come_first(void **state)
{
    struct vkt_picture picture;
    scene = (struct scene_info){.tcs = VKT_SHADER(patches_values_tesc), .tes = VKT_SHADER(patches_values_tese)};
    draw_green(vkt_device(VKT_TESTED), &picture);
    vkt_picture_free(&picture);
}

/* Types that lavapipe does not have there. */
static void more_types_are_passed(void **state)
{
    static const char *const extensions[] = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};
    struct vkt own = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, 1);
    struct vkt_picture picture;
    scene = (struct scene_info){.vs = VKT_SHADER(patches_distances_vert),
                                .tcs = VKT_SHADER(patches_more_tesc),
                                .tes = VKT_SHADER(patches_more_tese)};
    draw_green(&own, &picture);
    vkt_picture_free(&picture);
    vkt_device_close(&own);
}

/* ---------------------------------------------------------------- resources */

struct push {
    float scale[4];
    int32_t step;
};

static void draw_resources(struct vkt *t, struct vkt_picture *out)
{
    enum { NUMBERS = 7 };
    static const int32_t constants[] = {3, 3};
    static const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
    const VkSpecializationInfo spec = {VKT_COUNT(entries), entries, sizeof constants, constants};
    const struct push push = {{0.02f, -0.03f, 0, 0.5f}, 3};
    const uint8_t colors[4][4] = {{255, 0, 0, 255}, {0, 255, 0, 255}, {128, 64, 255, 255}, {20, 200, 100, 255}};
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, ALL_STAGES, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, ALL_STAGES, 1},
                                           {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, ALL_STAGES, 1}};
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_buffer offsets = vkt_buffer_create(t, 16 * 16, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, NULL);
    struct vkt_buffer numbers = vkt_storage_buffer(t, NUMBERS, 0);
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = 2,
                                    .height = 2,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    vkt_image_upload(t, &image, 0, 0, colors, sizeof colors);
    const VkSampler sampler =
        vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    for (uint32_t i = 0; i < 64; i++)
        ((float *)offsets.map)[i] = (float)(i * 7 % 16) / 16 - 0.5f;
    for (uint32_t i = 0; i < NUMBERS; i++)
        ((float *)numbers.map)[i] = (float)i / 10;
    const VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, VKT_COUNT(bindings));
    const VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, offsets.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(t, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, numbers.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_texture(t, set, 2, image.view, sampler);
    struct vkt_pipeline_info info = pipeline_info();
    info.pass = target.pass;
    info.set_layouts[0] = layout;
    info.set_layout_count = 1;
    info.push_size_B = sizeof push;
    info.push_stages = ALL_STAGES;
    info.spec = &spec;
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, grey, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, pipeline.layout, ALL_STAGES | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push, &push);
    vkCmdDraw(cmd, VERTICES, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkDestroySampler(t->device, sampler, NULL);
    vkt_image_destroy(t, &image);
    vkt_buffer_destroy(t, &numbers);
    vkt_buffer_destroy(t, &offsets);
    vkt_target_destroy(t, &target);
}

static void resources_are_read(void **state)
{
    scene = (struct scene_info){.vs = VKT_SHADER(patches_resources_vert),
                                .tcs = VKT_SHADER(patches_resources_tesc),
                                .tes = VKT_SHADER(patches_resources_tese),
                                .gs = VKT_SHADER(patches_resources_geom)};
    vkt_compare_with_reference("resources", draw_resources, edges);
}

/* ---------------------------------------------------------------- views and layers */

/* `views`: the view mask, or 0. */
static VkRenderPass layered_pass(struct vkt *t, uint32_t views)
{
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(
        t->device,
        &(VkRenderPassCreateInfo){
            .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
            .pNext =
                views ? &(VkRenderPassMultiviewCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
                                                           .subpassCount = 1,
                                                           .pViewMasks = &views}
                      : NULL,
            .attachmentCount = 1,
            .pAttachments = &(VkAttachmentDescription){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                       .samples = VK_SAMPLE_COUNT_1_BIT,
                                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                       .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
            .subpassCount = 1,
            .pSubpasses =
                &(VkSubpassDescription){.colorAttachmentCount = 1,
                                        .pColorAttachments =
                                            &(VkAttachmentReference){0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}}},
        NULL, &pass));
    return pass;
}

static void draw_to_layers(struct vkt *t, const struct vkt_image *layers, uint32_t views)
{
    const VkViewport viewports[4] = {
        {0, 0, W, H, 0, 1}, {8, 4, W, H, 0, 1}, {0, 0, W / 2, H / 2, 0, 1}, {W / 4, H / 4, W, H, 0, 1}};
    const VkRect2D scissors[4] = {
        {{0, 0}, {W, H}}, {{0, 0}, {W, H / 2}}, {{0, 0}, {W, H}}, {{W / 4, H / 4}, {W / 2, H / 2}}};
    const VkRenderPass pass = layered_pass(t, views);
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = pass,
                                                          .attachmentCount = 1,
                                                          .pAttachments = &layers->view,
                                                          .width = W,
                                                          .height = H,
                                                          .layers = views ? 1 : LAYERS},
                               NULL, &framebuffer));
    struct vkt_pipeline_info info = pipeline_info();
    info.pass = pass;
    if (!views) {
        info.viewport_count = 4;
        info.viewports = viewports;
        info.scissors = scissors;
    }
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    const VkClearValue clear = {.color = {.float32 = {0.2f, 0.2f, 0.2f, 1}}};
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = pass,
                                                  .framebuffer = framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}},
                                                  .clearValueCount = 1,
                                                  .pClearValues = &clear},
                         VK_SUBPASS_CONTENTS_INLINE);
    record(cmd, &pipeline, NULL);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyFramebuffer(t->device, framebuffer, NULL);
    vkDestroyRenderPass(t->device, pass, NULL);
}

static struct vkt_image create_layers(struct vkt *t)
{
    return vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = W,
                                    .height = H,
                                    .layers = LAYERS,
                                    .array = true,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
}

/* All layers, one below the other. */
static struct vkt_picture read_layers(struct vkt *t, const struct vkt_image *layers)
{
    const struct vkt_picture out = {W, H * LAYERS, malloc(W * H * LAYERS * 4)};
    for (uint32_t i = 0; i < LAYERS; i++)
        vkt_read_image(t, layers, 0, i, out.rgba + i * W * H * 4, W * H * 4);
    return out;
}

/* lavapipe draws patches of one view to the layer of another, so it draws each view in a pass of its own. */
static void draw_views(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_image layers = create_layers(t);
    if (t == vkt_device(VKT_TESTED))
        draw_to_layers(t, &layers, (1u << LAYERS) - 1);
    for (uint32_t i = 0; i < LAYERS && t != vkt_device(VKT_TESTED); i++)
        draw_to_layers(t, &layers, 1u << i);
    *out = read_layers(t, &layers);
    vkt_image_destroy(t, &layers);
}

static void draw_layers(struct vkt *t, struct vkt_picture *out)
{
    static const char *const extensions[] = {VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME};
    struct vkt own = vkt_device_create_with(t, extensions, 1);
    struct vkt_image layers = create_layers(&own);
    draw_to_layers(&own, &layers, 0);
    *out = read_layers(&own, &layers);
    vkt_image_destroy(&own, &layers);
    vkt_device_close(&own);
}

static void views_are_tessellated(void **state)
{
    scene = (struct scene_info){.tcs = VKT_SHADER(patches_views_tesc), .tes = VKT_SHADER(patches_views_tese)};
    vkt_compare_with_reference("views", draw_views, edges);
}

static void evaluation_selects_layers(void **state)
{
    scene = (struct scene_info){.tcs = VKT_SHADER(tess_pass_4_tesc), .tes = VKT_SHADER(patches_layers_tese)};
    vkt_compare_with_reference("layers", draw_layers, edges);
}

/* ---------------------------------------------------------------- draws */

static void secondaries_draw_patches(void **state)
{
    compare("secondary", &(struct scene_info){.tcs = VKT_SHADER(tess_pass_4_tesc),
                                              .tes = VKT_SHADER(tess_quads_equal_ccw_tese),
                                              .is_secondary = true});
}

static void draw_restarts(struct vkt *t, struct vkt_picture *out)
{
    static const char *const extensions[] = {VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME};
    VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT,
        .primitiveTopologyListRestart = VK_TRUE,
        .primitiveTopologyPatchListRestart = VK_TRUE};
    struct vkt own = vkt_device_create_chain(t, extensions, 1, &features);
    draw_green(&own, out);
    vkt_device_close(&own);
}

/* Restarts have no effect on the numbers of primitives. On lavapipe they have, but the picture does not show them. */
static void patch_lists_restart(void **state)
{
    scene = (struct scene_info){.vs = VKT_SHADER(patches_distances_vert),
                                .tcs = VKT_SHADER(patches_types_4_tesc),
                                .tes = VKT_SHADER(patches_types_tese),
                                .restarts = true};
    vkt_compare_with_reference("restarts", draw_restarts, edges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(types_are_passed, vkt_check_messages),
        cmocka_unit_test_teardown(all_components_are_evaluated, vkt_check_messages),
        cmocka_unit_test_teardown(initial_values_come_first, vkt_check_messages),
        cmocka_unit_test_teardown(more_types_are_passed, vkt_check_messages),
        cmocka_unit_test_teardown(resources_are_read, vkt_check_messages),
        cmocka_unit_test_teardown(views_are_tessellated, vkt_check_messages),
        cmocka_unit_test_teardown(evaluation_selects_layers, vkt_check_messages),
        cmocka_unit_test_teardown(secondaries_draw_patches, vkt_check_messages),
        cmocka_unit_test_teardown(patch_lists_restart, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
