/* SPDX-License-Identifier: MIT
 *
 * What is rasterised: clip space with depths from -w to w (VK_EXT_depth_clip_control), lists that an index restarts
 * (VK_EXT_primitive_topology_list_restart), and edges through the centres of pixels. The pictures are lavapipe's, or
 * those of what it stands for.
 */
#include <string.h>
#include "vkt.h"
#include "engine_white.frag.h"
#include "full.vert.h"
#include "raster.frag.h"
#include "raster.vert.h"

enum { W = 64, H = 64, COUNT = 60 };

#define DEPTH VK_FORMAT_D24_UNORM_S8_UINT

/* What a case draws. */
static struct scene_info {
    bool symmetric, converts, clamps, ignores_planes, biases;
    float min_depth, max_depth;
    VkPolygonMode polygon_mode;
    VkPrimitiveTopology topology;
    bool is_indexed, restarts;
    VkIndexType index_type;
} scene;

static struct vkt open_device(struct vkt *t)
{
    const char *const extensions[] = {VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME, VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME,
                                      VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME};
    VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT restart = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT,
        .primitiveTopologyListRestart = VK_TRUE};
    VkPhysicalDeviceDepthClipControlFeaturesEXT control = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT,
        .pNext = &restart,
        .depthClipControl = VK_TRUE};
    return vkt_device_create_chain(t, extensions, VKT_COUNT(extensions), &control);
}

/* Removes the restarts and what they leave incomplete. Returns the number of indices that are left. */
static uint32_t expand(uint32_t words[COUNT])
{
    const uint32_t vertices = scene.topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST  ? 1
                              : scene.topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST ? 2
                                                                                  : 3;
    uint32_t count = 0, begun = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        if (words[i] == UINT32_MAX) {
            begun = 0;
            continue;
        }
        words[count + begun] = words[i];
        if (++begun == vertices) {
            count += vertices;
            begun = 0;
        }
    }
    return count;
}

/* Indices with restarts within primitives, between them, and next to each other. */
static struct vkt_buffer index_buffer(struct vkt *t, uint32_t *count_out)
{
    uint32_t words[COUNT];
    uint16_t halves[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        words[i] = i % 11 == 7 || i % 17 == 12 || i == 30 || i == 31 ? UINT32_MAX : i * 7 % 50;
    *count_out = scene.restarts ? COUNT : expand(words);
    for (uint32_t i = 0; i < COUNT; i++)
        halves[i] = (uint16_t)words[i];
    return scene.index_type == VK_INDEX_TYPE_UINT32
               ? vkt_buffer_create(t, sizeof words, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, words)
               : vkt_buffer_create(t, sizeof halves, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, halves);
}

static void draw_scene(struct vkt *base, struct vkt_picture *out)
{
    struct vkt t = open_device(base);
    struct vkt_target target = vkt_target_create(&t, W, H, VK_FORMAT_R8G8B8A8_UNORM, DEPTH);
    const VkPipelineViewportDepthClipControlCreateInfoEXT control = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT, .negativeOneToOne = VK_TRUE};
    const VkPipelineRasterizationDepthClipStateCreateInfoEXT planes = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT,
        .depthClipEnable = !scene.ignores_planes};
    const VkViewport viewport = {0, 0, W, H, scene.min_depth, scene.max_depth};
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(&t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(raster_vert),
                                                            .fs = VKT_SHADER(raster_frag),
                                                            .pass = target.pass,
                                                            .topology = scene.topology,
                                                            .primitive_restart = scene.restarts,
                                                            .polygon_mode = scene.polygon_mode,
                                                            .push_size_B = sizeof(uint32_t),
                                                            .viewports = &viewport,
                                                            .viewport_next = scene.symmetric ? &control : NULL,
                                                            .rasterization_next = &planes,
                                                            .depth_clamp_enable = scene.clamps,
                                                            .depth_bias_enable = scene.biases,
                                                            .depth_bias = {.constant = 1 << 20, .slope = 0.25f},
                                                            .depth_test = true,
                                                            .depth_write = true,
                                                            .depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL,
                                                            .width = W,
                                                            .height = H});
    VkCommandBuffer cmd = vkt_begin(&t);
    vkt_begin_pass(cmd, &target, (const float[]){0, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdPushConstants(cmd, pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                       sizeof(uint32_t), &(uint32_t){scene.converts});
    uint32_t index_count;
    struct vkt_buffer indices = index_buffer(&t, &index_count);
    if (scene.is_indexed) {
        vkCmdBindIndexBuffer(cmd, indices.buffer, 0, scene.index_type);
        vkCmdDrawIndexed(cmd, index_count, 1, 0, 0, 0);
    } else {
        vkCmdDraw(cmd, COUNT, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&t, cmd);
    *out = vkt_read_target(&t, &target);
    vkt_buffer_destroy(&t, &indices);
    vkt_pipeline_destroy(&t, &pipeline);
    vkt_target_destroy(&t, &target);
    vkt_device_close(&t);
}

static void compare(const char *name, struct scene_info info)
{
    scene = info;
    vkt_compare_with_reference(name, draw_scene, (struct vkt_tolerance){2, 12});
}

/* ---------------------------------------------------------------- VK_EXT_depth_clip_control */

static void depths_from_minus_w_to_w(void **state)
{
    const struct scene_info info = {.symmetric = true, .max_depth = 1, .topology = VKT_TRIANGLES};
    struct scene_info one = info;
    compare("symmetric", info);
    one.symmetric = false;
    compare("not_symmetric", one);
    one = info;
    one.min_depth = 0.75f;
    one.max_depth = 0.25f;
    compare("symmetric_reversed", one);
    one.clamps = true;
    compare("symmetric_clamped", one);
    one = info;
    one.clamps = one.ignores_planes = true;
    compare("symmetric_clamped_not_clipped", one);
}

/* Compares with the picture that a vertex shader draws that converts the depths itself. */
static void compare_converted(const char *name, struct scene_info info)
{
    struct vkt_picture expected, got;
    scene = info;
    draw_scene(vkt_device(VKT_TESTED), &got);
    scene.symmetric = false;
    scene.converts = true;
    draw_scene(vkt_device(VKT_TESTED), &expected);
    vkt_compare(name, &expected, &got, (struct vkt_tolerance){1, 5});
    vkt_picture_free(&expected);
    vkt_picture_free(&got);
}

/* Where vertex programs see the whole triangle. */
static void depths_of_biased_polygons(void **state)
{
    struct scene_info info = {
        .symmetric = true, .min_depth = 0.125f, .max_depth = 1, .biases = true, .topology = VKT_TRIANGLES};
    compare_converted("symmetric_biased", info);
    info.clamps = true;
    compare_converted("symmetric_biased_clamped", info);
    info.clamps = false;
    info.polygon_mode = VK_POLYGON_MODE_POINT;
    compare_converted("symmetric_biased_points", info);
}

/* ---------------------------------------------------------------- VK_EXT_primitive_topology_list_restart */

static void lists_restart(void **state)
{
    static const VkPrimitiveTopology lists[] = {VKT_TRIANGLES, VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
                                                VK_PRIMITIVE_TOPOLOGY_POINT_LIST};
    static const VkIndexType types[] = {VK_INDEX_TYPE_UINT16, VK_INDEX_TYPE_UINT32};
    static const char *const names[] = {"triangles_restart", "lines_restart", "points_restart"};
    for (uint32_t i = 0; i < VKT_COUNT(lists); i++)
        for (uint32_t k = 0; k < VKT_COUNT(types); k++) {
            struct vkt_picture expected, got;
            scene = (struct scene_info){.max_depth = 1,
                                        .clamps = true,
                                        .ignores_planes = true,
                                        .topology = lists[i],
                                        .is_indexed = true,
                                        .index_type = types[k]};
            draw_scene(vkt_device(VKT_TESTED), &expected);
            scene.restarts = true;
            draw_scene(vkt_device(VKT_TESTED), &got);
            vkt_compare(names[i], &expected, &got, (struct vkt_tolerance){0, 0});
            vkt_picture_free(&expected);
            vkt_picture_free(&got);
            if (!i)
                compare(names[i], scene);
        }
}

/* ---------------------------------------------------------------- edges through the centres of pixels */

/* Draws a quad over a viewport. */
static struct vkt_picture draw_quad(struct vkt *t, const VkViewport *viewport)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                           .fs = VKT_SHADER(engine_white_frag),
                                                           .pass = target.pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .viewports = viewport,
                                                           .width = W,
                                                           .height = H});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (const float[]){0, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture picture = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
    return picture;
}

/* Pixels whose centres are on the left or top edge are covered, those on the right or bottom edge are not. Programs
 * rely on it, although Vulkan only asks that one of two neighbours covers such a pixel. */
static void left_and_top_edges_are_covered(void **state)
{
    static const VkViewport viewports[] = {{8.5f, 4.5f, 32, 20, 0, 1}, {8.5f, 24.5f, 32, -20, 0, 1}};
    for (uint32_t i = 0; i < VKT_COUNT(viewports); i++) {
        struct vkt_picture picture = draw_quad(vkt_device(VKT_TESTED), &viewports[i]);
        for (uint32_t y = 0; y < H; y++)
            for (uint32_t x = 0; x < W; x++)
                assert_int_equal(picture.rgba[(y * W + x) * 4], x >= 8 && x < 40 && y >= 4 && y < 24 ? 255 : 0);
        vkt_picture_free(&picture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(depths_from_minus_w_to_w, vkt_check_messages),
        cmocka_unit_test_teardown(depths_of_biased_polygons, vkt_check_messages),
        cmocka_unit_test_teardown(lists_restart, vkt_check_messages),
        cmocka_unit_test_teardown(left_and_top_edges_are_covered, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
