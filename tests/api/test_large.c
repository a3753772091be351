/* SPDX-License-Identifier: MIT
 *
 * Framebuffers larger than the chip's largest job, and viewports that the chip cannot express.
 */
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "color.vert.h"
#include "large.frag.h"
#include "sized.vert.h"

struct vertex {
    float position[4];
    float color[4];
};

static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription attributes[] = {
    {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
    {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16},
};

/* A rectangle that leaves a border, and two intersecting triangles that reach across all jobs and beyond the target. */
static const struct vertex vertices[] = {
    {{-0.96f, -0.94f, 0.9f, 1}, {0, 0, 0, 1}},   {{0.98f, -0.94f, 0.9f, 1}, {0, 0, 1, 1}},
    {{-0.96f, 0.92f, 0.9f, 1}, {0, 0, 1, 1}},    {{0.98f, -0.94f, 0.9f, 1}, {0, 0, 1, 1}},
    {{0.98f, 0.92f, 0.9f, 1}, {0, 0, 0, 1}},     {{-0.96f, 0.92f, 0.9f, 1}, {0, 0, 1, 1}},
    {{-0.5f, -2.0f, 0.2f, 1.2f}, {0, 0, 1, 1}},  {{1.0f, 0.3f, 0.9f, 1}, {0, 0, 0.5f, 1}},
    {{-0.7f, 0.8f, 0.4f, 1}, {0, 0, 0.2f, 1}},   {{-1.5f, 0.1f, 0.8f, 1.5f}, {0, 0, 0.1f, 1}},
    {{0.9f, -0.8f, 0.1f, 1}, {0, 0, 0.9f, 1}},   {{0.8f, 0.8f, 0.6f, 1}, {0, 0, 0.4f, 1}},
};

static struct scene {
    const char *name;
    uint32_t width, height;
    VkFormat color, depth;
    VkViewport viewport; /* width 0: the whole target */
    VkRect2D scissor;    /* width 0: the whole target */
    bool two_passes;     /* the second pass loads what the first stored */
} scenes[] = {
    {.name = "wide",
     .width = 2304,
     .height = 128,
     .color = VK_FORMAT_R8G8B8A8_UNORM,
     .depth = VK_FORMAT_D24_UNORM_S8_UINT},
    {.name = "high", .width = 128, .height = 2304, .color = VK_FORMAT_R8G8B8A8_UNORM, .two_passes = true},
    {.name = "both",
     .width = 2112,
     .height = 2176,
     .color = VK_FORMAT_R8G8B8A8_UNORM,
     .depth = VK_FORMAT_D16_UNORM,
     .viewport = {-300, 50, 3000, 2000, 0.1f, 0.9f},
     .scissor = {{40, 30}, {2050, 2100}},
     .two_passes = true},
    {.name = "widest",
     .width = 16384,
     .height = 72,
     .color = VK_FORMAT_R8G8B8A8_UNORM,
     .depth = VK_FORMAT_D24_UNORM_S8_UINT,
     .two_passes = true},
    {.name = "highest", .width = 64, .height = 16384, .color = VK_FORMAT_R8G8B8A8_UNORM},
    {.name = "part_of_the_widest",
     .width = 16384,
     .height = 48,
     .color = VK_FORMAT_R8G8B8A8_UNORM,
     .viewport = {-4000, -9000, 16384, 16384, 0, 1},
     .scissor = {{4000, 10}, {9000, 30}}},
    {.name = "large", .width = 5000, .height = 5000, .color = VK_FORMAT_R8G8B8A8_UNORM},
    {.name = "small_in_large_viewport",
     .width = 128,
     .height = 96,
     .color = VK_FORMAT_R8G8B8A8_UNORM,
     .depth = VK_FORMAT_D24_UNORM_S8_UINT,
     .viewport = {-1000, -3000, 4096, 4096, 0, 1},
     .scissor = {{0, 0}, {128, 96}}},
    {.name = "small_far_viewport",
     .width = 128,
     .height = 96,
     .color = VK_FORMAT_R8G8B8A8_UNORM,
     .viewport = {-3900, -20, 4000, 100, 0, 1},
     .scissor = {{0, 0}, {128, 96}}},
};

static const struct scene *current;

static void draw(VkCommandBuffer cmd, const struct vkt_target *target, uint32_t first, uint32_t count)
{
    VkViewport viewport = current->viewport;
    VkRect2D scissor = current->scissor;
    if (viewport.width == 0)
        viewport = (VkViewport){0, 0, (float)target->width, (float)target->height, 0, 1};
    if (!scissor.extent.width)
        scissor.extent = (VkExtent2D){target->width, target->height};
    vkCmdSetViewport(cmd, 0, 1, &viewport);
    vkCmdSetScissor(cmd, 0, 1, &scissor);
    vkCmdDraw(cmd, count, 1, first, 0);
}

static void scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, current->width, current->height, current->color, current->depth);
    struct vkt_pipeline pipeline = vkt_pipeline_create(
        t, &(struct vkt_pipeline_info){
               .vs = VKT_SHADER(color_vert),
               .fs = VKT_SHADER(large_frag),
               .pass = target.pass,
               .bindings = &binding,
               .binding_count = 1,
               .attributes = attributes,
               .attribute_count = 2,
               .topology = VKT_TRIANGLES,
               .depth_test = current->depth != VK_FORMAT_UNDEFINED,
               .depth_write = true,
               .depth_compare = VK_COMPARE_OP_LESS,
               .width = current->width,
               .height = current->height,
               .dynamic = (VkDynamicState[]){VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR},
               .dynamic_count = 2,
           });
    struct vkt_buffer buffer = vkt_buffer_create(t, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.2f, 0.4f, 0.6f, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    draw(cmd, &target, 0, current->two_passes ? 9 : 12);
    if (current->two_passes) {
        vkCmdEndRenderPass(cmd);
        vkCmdBeginRenderPass(cmd,
                             &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                      .renderPass = target.pass_load,
                                                      .framebuffer = target.framebuffer,
                                                      .renderArea = {{0, 0}, {target.width, target.height}}},
                             VK_SUBPASS_CONTENTS_INLINE);
        draw(cmd, &target, 9, 3);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &buffer);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

static void targets_and_viewports(void **state)
{
    const VkPhysicalDeviceLimits *limits = &vkt_device(VKT_TESTED)->properties.limits;
    assert_true(limits->maxFramebufferWidth >= 16384 && limits->maxFramebufferHeight >= 16384);
    for (size_t i = 0; i < VKT_COUNT(scenes); i++) {
        current = &scenes[i];
        vkt_compare_with_reference(current->name, scene, (struct vkt_tolerance){2, 3});
    }
}

/* ---------------------------------------------------------------- points and lines across jobs */

enum { WIDE = 16384, LOW = 64, CUT = 2048, POINT_Y = 16, POINT_PX = 10 };

#define X(px) ((float)(px) / WIDE * 2 - 1)
#define Y(px) ((float)(px) / LOW * 2 - 1)

/* Points on every border between two jobs, and a line through all jobs. */
static void crossing_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    const float px = (float)x + 0.5f, py = (float)y + 0.5f;
    const float cut = (float)((x + CUT / 2) / CUT * CUT) + 0.25f;
    const bool in_point = cut > CUT / 2 && cut < WIDE - CUT / 2 && px > cut - POINT_PX / 2 && px < cut + POINT_PX / 2 &&
                          py > POINT_Y - POINT_PX / 2 && py < POINT_Y + POINT_PX / 2;
    const bool in_line = px > 100.25f && px < 16300.25f && py > 39 && py < 42;
    memcpy(rgba, (const uint8_t[4]){in_point ? 255 : 0, in_line ? 255 : 0, 0, 255}, 4);
}

static void draw_list(struct vkt *t, VkCommandBuffer cmd, const struct vkt_target *target, struct vkt_shader vs,
                      VkPrimitiveTopology topology, const struct vertex *list, uint32_t count, struct vkt_pipeline *p,
                      struct vkt_buffer *buffer)
{
    *p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                    .vs = vs,
                                    .fs = VKT_SHADER(color_frag),
                                    .pass = target->pass,
                                    .bindings = &binding,
                                    .binding_count = 1,
                                    .attributes = attributes,
                                    .attribute_count = 2,
                                    .topology = topology,
                                    .width = WIDE,
                                    .height = LOW,
                                    .dynamic = (VkDynamicState[]){VK_DYNAMIC_STATE_LINE_WIDTH},
                                    .dynamic_count = 1,
                                });
    *buffer = vkt_buffer_create(t, count * sizeof *list, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, list);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &buffer->buffer, &(VkDeviceSize){0});
    vkCmdSetLineWidth(cmd, 3);
    vkCmdDraw(cmd, count, 1, 0, 0);
}

static void points_and_lines_cross_jobs(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_target target = vkt_target_create(t, WIDE, LOW, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vertex points[WIDE / CUT - 1];
    const struct vertex line[2] = {{{X(100.25f), Y(40.5f), 0.5f, 1}, {0, 1, 0, 1}},
                                   {{X(16300.25f), Y(40.5f), 0.5f, 1}, {0, 1, 0, 1}}};
    struct vkt_pipeline pipelines[2];
    struct vkt_buffer buffers[2];
    for (uint32_t i = 0; i < VKT_COUNT(points); i++)
        points[i] = (struct vertex){{X((i + 1) * CUT + 0.25f), Y(POINT_Y), POINT_PX, 1}, {1, 0, 0, 1}};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    draw_list(t, cmd, &target, VKT_SHADER(sized_vert), VK_PRIMITIVE_TOPOLOGY_POINT_LIST, points, VKT_COUNT(points),
              &pipelines[0], &buffers[0]);
    draw_list(t, cmd, &target, VKT_SHADER(color_vert), VK_PRIMITIVE_TOPOLOGY_LINE_LIST, line, 2, &pipelines[1],
              &buffers[1]);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target), expected = vkt_picture_compute(WIDE, LOW, crossing_pixel);
    vkt_compare("large_points_and_lines", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
    for (uint32_t i = 0; i < 2; i++) {
        vkt_pipeline_destroy(t, &pipelines[i]);
        vkt_buffer_destroy(t, &buffers[i]);
    }
    vkt_target_destroy(t, &target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(targets_and_viewports, vkt_check_messages),
        cmocka_unit_test_teardown(points_and_lines_cross_jobs, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("large", tests, NULL, vkt_teardown);
}
