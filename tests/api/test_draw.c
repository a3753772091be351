/* SPDX-License-Identifier: MIT
 *
 * Draws: triangles, 16-bit and 32-bit indices, strips, fans, instances and offsets. Compares with computed pictures
 * where the result is exact, and with the reference elsewhere.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "color.vert.h"
#include "full.vert.h"
#include "instance.vert.h"
#include "push.frag.h"
#include "push.vert.h"

#define W 128
#define H 96

struct vertex {
    float position[4];
    float color[4];
};

static const VkVertexInputBindingDescription vertex_binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription vertex_attributes[] = {
    {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
    {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16},
};
static const float grey[4] = {0.2f, 0.2f, 0.2f, 1};

/* One draw with color.vert and color.frag into a W x H target; `record` records the draw command. */
struct draw {
    VkPrimitiveTopology topology;
    const struct vertex *vertices;
    uint32_t vertex_count;
    const void *indices;
    uint32_t index_count, index_B;
    void (*record)(VkCommandBuffer cmd);
    bool tests_depth;
};

static void draw_colors(struct vkt *t, const struct draw *draw, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM,
                                                 draw->tests_depth ? VK_FORMAT_D16_UNORM : VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                              .depth_test = draw->tests_depth,
                                                              .depth_write = draw->tests_depth,
                                                              .depth_compare = VK_COMPARE_OP_LESS,
                                                              .vs = VKT_SHADER(color_vert),
                                                              .fs = VKT_SHADER(color_frag),
                                                              .pass = target.pass,
                                                              .bindings = &vertex_binding,
                                                              .binding_count = 1,
                                                              .attributes = vertex_attributes,
                                                              .attribute_count = 2,
                                                              .topology = draw->topology,
                                                              .width = W,
                                                              .height = H,
                                                          });
    struct vkt_buffer vertices = vkt_buffer_create(t, draw->vertex_count * sizeof(struct vertex),
                                                   VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, draw->vertices);
    struct vkt_buffer indices = {0};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, grey, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    if (draw->index_count) {
        indices =
            vkt_buffer_create(t, draw->index_count * draw->index_B, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, draw->indices);
        vkCmdBindIndexBuffer(cmd, indices.buffer, 0, draw->index_B == 2 ? VK_INDEX_TYPE_UINT16 : VK_INDEX_TYPE_UINT32);
    }
    draw->record(cmd);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &vertices);
    if (indices.buffer)
        vkt_buffer_destroy(t, &indices);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

static void record_3(VkCommandBuffer cmd)
{
    vkCmdDraw(cmd, 3, 1, 0, 0);
}

static const struct vertex triangle[] = {
    {{-0.8f, -0.7f, 0, 1}, {1, 0, 0, 1}},
    {{0.9f, -0.4f, 0, 1}, {0, 1, 0, 1}},
    {{-0.1f, 0.8f, 0, 1}, {0, 0, 1, 1}},
};

static void triangle_scene(struct vkt *t, struct vkt_picture *out)
{
    draw_colors(t, &(struct draw){VKT_TRIANGLES, triangle, 3, .record = record_3}, out);
}

static void a_triangle(void **state)
{
    vkt_compare_with_reference("triangle", triangle_scene, (struct vkt_tolerance){3, 8});
}

/* An axis-aligned rectangle on pixel borders: every pixel is known. */
static void rectangle_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    bool inside = x >= 16 && x < 80 && y >= 24 && y < 72;
    memcpy(rgba, inside ? (uint8_t[]){255, 0, 255, 255} : (uint8_t[]){51, 51, 51, 255}, 4);
}

#define X_NDC(px) ((px) * 2.0f / W - 1)
#define Y_NDC(px) ((px) * 2.0f / H - 1)

static const struct vertex rectangle[] = {
    {{X_NDC(16), Y_NDC(24), 0, 1}, {1, 0, 1, 1}},
    {{X_NDC(80), Y_NDC(24), 0, 1}, {1, 0, 1, 1}},
    {{X_NDC(16), Y_NDC(72), 0, 1}, {1, 0, 1, 1}},
    {{X_NDC(80), Y_NDC(72), 0, 1}, {1, 0, 1, 1}},
};

static void expect_rectangle(const char *name, const struct draw *draw)
{
    struct vkt_picture got, expected = vkt_picture_compute(W, H, rectangle_pixel);
    draw_colors(vkt_device(VKT_TESTED), draw, &got);
    vkt_compare(name, &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
}

static void record_4(VkCommandBuffer cmd)
{
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

static void strip_and_fan_cover_exactly(void **state)
{
    expect_rectangle("strip",
                     &(struct draw){VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, rectangle, 4, .record = record_4});
    const struct vertex fan[] = {rectangle[0], rectangle[1], rectangle[3], rectangle[2]};
    expect_rectangle("fan", &(struct draw){VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, fan, 4, .record = record_4});
}

static void record_indexed_6(VkCommandBuffer cmd)
{
    vkCmdDrawIndexed(cmd, 6, 1, 0, 0, 0);
}

static void record_indexed_12(VkCommandBuffer cmd)
{
    vkCmdDrawIndexed(cmd, 12, 1, 0, 0, 0);
}

static void record_indexed_offset(VkCommandBuffer cmd)
{
    vkCmdDrawIndexed(cmd, 6, 1, 2, 100, 0);
}

static void indexed_draws(void **state)
{
    const uint16_t u16[] = {0, 1, 2, 2, 1, 3};
    const uint32_t u32[] = {0, 1, 2, 2, 1, 3};
    expect_rectangle("indexed16", &(struct draw){VKT_TRIANGLES, rectangle, 4, u16, 6, 2, record_indexed_6});
    expect_rectangle("indexed32", &(struct draw){VKT_TRIANGLES, rectangle, 4, u32, 6, 4, record_indexed_6});

    /* First index and vertex offset. */
    struct vertex far_away[104] = {0};
    memcpy(far_away + 100, rectangle, sizeof rectangle);
    const uint16_t shifted[] = {7, 7, 0, 1, 2, 2, 1, 3};
    expect_rectangle("vertex_offset",
                     &(struct draw){VKT_TRIANGLES, far_away, 104, shifted, 8, 2, record_indexed_offset});
}

static void large_indices(void **state)
{
    /* Indices that do not fit in 16 bits. */
    enum { FIRST = 70000 };
    struct vertex *many = calloc(FIRST + 4, sizeof *many);
    assert_non_null(many);
    memcpy(many + FIRST, rectangle, sizeof rectangle);
    const uint32_t u32[] = {FIRST, FIRST + 1, FIRST + 2, FIRST + 2, FIRST + 1, FIRST + 3};
    expect_rectangle("indices_past_64k", &(struct draw){VKT_TRIANGLES, many, FIRST + 4, u32, 6, 4, record_indexed_6});
    free(many);
}

static void record_half_back(VkCommandBuffer cmd)
{
    vkCmdDrawIndexed(cmd, 6, 1, 0, INT32_MIN, 0);
}

/* fullDrawIndexUint32: bit 31 of an index counts, and without primitive restart 0xffffffff is an ordinary index. */
static void indices_of_32_bits(void **state)
{
    const uint32_t half = UINT32_C(1) << 31;
    const uint32_t halfway[] = {half, half + 1, half + 2, half + 2, half + 1, half + 3};
    expect_rectangle("indices_past_2G", &(struct draw){VKT_TRIANGLES, rectangle, 4, halfway, 6, 4, record_half_back});

    /* The second half of the indices is outside the buffer. Each of its triangles uses one index twice, so it has no
     * area whatever is read. */
    const uint32_t far[] = {0, 1, 2, 2, 1, 3, UINT32_MAX, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX, 0, UINT32_MAX};
    expect_rectangle("highest_index", &(struct draw){VKT_TRIANGLES, rectangle, 4, far, 12, 4, record_indexed_12});
}

static void record_first_vertex(VkCommandBuffer cmd)
{
    vkCmdDraw(cmd, 4, 1, 5, 0);
}

static void first_vertex(void **state)
{
    struct vertex shifted[9] = {0};
    memcpy(shifted + 5, rectangle, sizeof rectangle);
    expect_rectangle("first_vertex",
                     &(struct draw){VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, shifted, 9, .record = record_first_vertex});
}

/* No vertex buffers: full.vert computes the positions from gl_VertexIndex. */
static void full_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    memcpy(rgba, (uint8_t[]){0, 255, 0, 255}, 4);
}

static void vertex_index_without_buffers(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                           .fs = VKT_SHADER(push_frag),
                                                           .pass = target.pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = W,
                                                           .height = H,
                                                           .push_size_B = 16});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, grey, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdPushConstants(cmd, pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16,
                       (float[]){0, 1, 0, 1});
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target), expected = vkt_picture_compute(W, H, full_pixel);
    vkt_compare("vertex_index", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

static void instances_scene(struct vkt *t, struct vkt_picture *out)
{
    const VkVertexInputBindingDescription bindings[] = {
        {0, 8, VK_VERTEX_INPUT_RATE_VERTEX},
        {1, 8, VK_VERTEX_INPUT_RATE_INSTANCE},
    };
    const VkVertexInputAttributeDescription attributes[] = {
        {0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
        {1, 1, VK_FORMAT_R32G32_SFLOAT, 0},
    };
    const float corners[] = {-1, -1, 1, -1, -1, 1, 1, 1};
    float offsets[10][2];
    for (int i = 0; i < 10; i++) {
        offsets[i][0] = -0.75f + 0.5f * (float)(i % 4);
        offsets[i][1] = -0.75f + 0.5f * (float)(i / 4);
    }
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(instance_vert),
                                                           .fs = VKT_SHADER(color_frag),
                                                           .pass = target.pass,
                                                           .bindings = bindings,
                                                           .binding_count = 2,
                                                           .attributes = attributes,
                                                           .attribute_count = 2,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = W,
                                                           .height = H});
    struct vkt_buffer corner_buffer = vkt_buffer_create(t, sizeof corners, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners);
    struct vkt_buffer offset_buffer = vkt_buffer_create(t, sizeof offsets, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, offsets);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, grey, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 2, (VkBuffer[]){corner_buffer.buffer, offset_buffer.buffer}, (VkDeviceSize[]){0, 0});
    vkCmdDraw(cmd, 4, 8, 0, 2); /* instances 2..9 */
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &corner_buffer);
    vkt_buffer_destroy(t, &offset_buffer);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

static void instances(void **state)
{
    vkt_compare_with_reference("instances", instances_scene, (struct vkt_tolerance){1, 10});
}

static void record_9(VkCommandBuffer cmd)
{
    vkCmdDraw(cmd, 9, 1, 0, 0);
}

/* Vertices far outside the viewport, behind the eye, and beyond the guard band. */
static void clipping_scene(struct vkt *t, struct vkt_picture *out)
{
    static const struct vertex wild[] = {
        {{-40, -1, 0.5f, 1}, {1, 0, 0, 1}},      {{40, -30, 0.5f, 1}, {0, 1, 0, 1}},
        {{0, 20, 0.5f, 1}, {0, 0, 1, 1}},        {{-1, 0.5f, 0.2f, -0.5f}, {1, 1, 0, 1}},
        {{1, 0.5f, 0.2f, 2}, {0, 1, 1, 1}},      {{0, -1, 0.9f, 1.5f}, {1, 0, 1, 1}},
        {{-0.9f, 0.9f, -0.5f, 1}, {1, 1, 1, 1}}, {{0.9f, 0.9f, 1.5f, 1}, {0, 0, 0, 1}},
        {{0, 0.2f, 0.5f, 1}, {1, 0, 0, 1}},
    };
    draw_colors(t, &(struct draw){VKT_TRIANGLES, wild, 9, .record = record_9}, out);
}

static void clipping(void **state)
{
    vkt_compare_with_reference("clipping", clipping_scene, (struct vkt_tolerance){8, 20});
}

static void record_none(VkCommandBuffer cmd)
{
}

static void clear_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    memcpy(rgba, (uint8_t[]){51, 51, 51, 255}, 4);
}

static void a_pass_without_draws_clears(void **state)
{
    struct vkt_picture got, expected = vkt_picture_compute(W, H, clear_pixel);
    draw_colors(vkt_device(VKT_TESTED), &(struct draw){VKT_TRIANGLES, triangle, 3, .record = record_none}, &got);
    vkt_compare("clear", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
}

enum { HIDDEN = 200 }; /* triangles */

static void record_hidden(VkCommandBuffer cmd)
{
    vkCmdDraw(cmd, 9 + 3 * HIDDEN, 1, 0, 0);
}

static void place(struct vertex *v, float x_px, float y_px, float z, float red)
{
    *v = (struct vertex){{x_px * 2 / W - 1, y_px * 2 / H - 1, z, 1}, {red, 1 - red, 0.5f, 1}};
}

/* All of the target, a small triangle before it, and many triangles behind it. */
static void hidden_scene(struct vkt *t, struct vkt_picture *out)
{
    static const float corners[6][2] = {{0, 0}, {W, 0}, {0, H}, {W, 0}, {W, H}, {0, H}};
    static struct vertex v[9 + 3 * HIDDEN];
    for (uint32_t i = 0; i < 6; i++)
        place(&v[i], corners[i][0], corners[i][1], 0.2f, 0.1f * (float)i);
    for (uint32_t i = 0; i < 3; i++)
        place(&v[6 + i], 10 + (i == 1 ? 4.25f : 0), 10 + (i == 2 ? 4.25f : 0), 0.1f, 1 - 0.2f * (float)i);
    for (uint32_t i = 0; i < 3 * HIDDEN; i++)
        place(&v[9 + i], (float)(5 + i % 7 * 6), (float)(5 + i % 5 * 9), 0.5f, (float)(i % 11) / 11);
    draw_colors(t,
                &(struct draw){.topology = VKT_TRIANGLES,
                               .vertices = v,
                               .vertex_count = 9 + 3 * HIDDEN,
                               .tests_depth = true,
                               .record = record_hidden},
                out);
}

/* The last fragments of the small triangle wait for others to be shaded with, which never come. */
static void hidden_triangles_change_nothing(void **state)
{
    vkt_compare_with_reference("hidden", hidden_scene, (struct vkt_tolerance){3, 0});
}

static void viewport_scissor_scene(struct vkt *t, struct vkt_picture *out)
{
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                              .vs = VKT_SHADER(push_vert),
                                                              .fs = VKT_SHADER(push_frag),
                                                              .pass = target.pass,
                                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                              .dynamic = dynamic,
                                                              .dynamic_count = 2,
                                                              .push_size_B = 36,
                                                          });
    static const struct {
        VkViewport viewport;
        VkRect2D scissor;
        float color[4];
    } draws[] = {
        {{-20, -10, 60, 50, 0, 1}, {{0, 0}, {W, H}}, {1, 0, 0, 1}},
        {{60, 10, 100, 40, 0, 1}, {{70, 0}, {30, 30}}, {0, 1, 0, 1}},
        {{10, 50, 200, 100, 0, 1}, {{20, 60}, {1000, 1000}}, {0, 0, 1, 1}},
        {{0, 0, W, H, 0, 1}, {{5, 5}, {0, 50}}, {1, 1, 1, 1}},
        {{0, 0, W, H, 0, 1}, {{100, 40}, {7, 3}}, {1, 1, 0, 1}},
    };
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, grey, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    for (size_t i = 0; i < VKT_COUNT(draws); i++) {
        float push[9] = {draws[i].color[0], draws[i].color[1], draws[i].color[2], 1, -1, -1, 1, 1, 0.5f};
        vkCmdSetViewport(cmd, 0, 1, &draws[i].viewport);
        vkCmdSetScissor(cmd, 0, 1, &draws[i].scissor);
        vkCmdPushConstants(cmd, pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                           sizeof push, push);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

static void viewports_and_scissors(void **state)
{
    vkt_compare_with_reference("viewport_scissor", viewport_scissor_scene, (struct vkt_tolerance){0, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_pass_without_draws_clears, vkt_check_messages),
        cmocka_unit_test_teardown(a_triangle, vkt_check_messages),
        cmocka_unit_test_teardown(strip_and_fan_cover_exactly, vkt_check_messages),
        cmocka_unit_test_teardown(indexed_draws, vkt_check_messages),
        cmocka_unit_test_teardown(large_indices, vkt_check_messages),
        cmocka_unit_test_teardown(indices_of_32_bits, vkt_check_messages),
        cmocka_unit_test_teardown(first_vertex, vkt_check_messages),
        cmocka_unit_test_teardown(vertex_index_without_buffers, vkt_check_messages),
        cmocka_unit_test_teardown(instances, vkt_check_messages),
        cmocka_unit_test_teardown(clipping, vkt_check_messages),
        cmocka_unit_test_teardown(hidden_triangles_change_nothing, vkt_check_messages),
        cmocka_unit_test_teardown(viewports_and_scissors, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("draw", tests, NULL, vkt_teardown);
}
