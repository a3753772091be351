/* SPDX-License-Identifier: MIT
 *
 * Extensions of what is rasterised: clip space with depths from -w to w (VK_EXT_depth_clip_control). The pictures are
 * lavapipe's.
 */
#include <string.h>
#include "vkt.h"
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
    bool restarts;
} scene;

static struct vkt open_device(struct vkt *t)
{
    const char *const extensions[] = {VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME,
                                      VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME};
    VkPhysicalDeviceDepthClipControlFeaturesEXT control = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT, .depthClipControl = VK_TRUE};
    return vkt_device_create_chain(t, extensions, VKT_COUNT(extensions), &control);
}

static void draw_scene(struct vkt *base, struct vkt_picture *out)
{
    struct vkt t = open_device(base);
    struct vkt_target target = vkt_target_create(&t, W, H, VK_FORMAT_R8G8B8A8_UNORM, DEPTH);
    const VkPipelineViewportDepthClipControlCreateInfoEXT control = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT,
        .negativeOneToOne = VK_TRUE};
    const VkPipelineRasterizationDepthClipStateCreateInfoEXT planes = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT,
        .depthClipEnable = !scene.ignores_planes};
    const VkViewport viewport = {0, 0, W, H, scene.min_depth, scene.max_depth};
    struct vkt_pipeline pipeline = vkt_pipeline_create(
        &t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(raster_vert),
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
    vkCmdDraw(cmd, COUNT, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&t, cmd);
    *out = vkt_read_target(&t, &target);
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
    struct scene_info info = {.symmetric = true, .min_depth = 0.125f, .max_depth = 1, .biases = true,
                              .topology = VKT_TRIANGLES};
    compare_converted("symmetric_biased", info);
    info.clamps = true;
    compare_converted("symmetric_biased_clamped", info);
    info.clamps = false;
    info.polygon_mode = VK_POLYGON_MODE_POINT;
    compare_converted("symmetric_biased_points", info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(depths_from_minus_w_to_w, vkt_check_messages),
        cmocka_unit_test_teardown(depths_of_biased_polygons, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
