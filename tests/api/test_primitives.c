/* SPDX-License-Identifier: MIT
 *
 * Primitives: which vertex gives flat inputs their values, for every topology with and without indices; point sizes and
 * line widths; indirect draws, whose parameters are read when the work runs.
 */
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "flat.frag.h"
#include "flat.vert.h"
#include "sized.vert.h"

#define W 128
#define H 96

struct vertex {
    float position[4];
    float color[4];
};

static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription attributes[] = {
    {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
    {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16},
};
static const float grey[4] = {0.2f, 0.2f, 0.2f, 1};

static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static struct vkt_pipeline pipeline_for(struct vkt *t, const struct vkt_target *target, VkPrimitiveTopology topology,
                                        struct vkt_shader vs, struct vkt_shader fs, bool restart)
{
    return vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                      .vs = vs,
                                      .fs = fs,
                                      .pass = target->pass,
                                      .bindings = &binding,
                                      .binding_count = 1,
                                      .attributes = attributes,
                                      .attribute_count = 2,
                                      .topology = topology,
                                      .primitive_restart = restart,
                                      .dynamic = (VkDynamicState[]){VK_DYNAMIC_STATE_LINE_WIDTH},
                                      .dynamic_count = 1,
                                      .width = W,
                                      .height = H,
                                  });
}

/* ---------------------------------------------------------------- flat inputs */

static VkPrimitiveTopology topology;
static uint32_t index_B; /* 0: no indices */

#define VERTICES 24

/* A band of vertices, alternately above and below, so that every strip or list of them covers some pixels. Each vertex
 * has its own color. */
static void fill_band(struct vertex v[VERTICES])
{
    for (uint32_t i = 0; i < VERTICES; i++) {
        const uint32_t word = hash(i + 1);
        v[i] = (struct vertex){
            {(float)i / (VERTICES - 1) * 1.8f - 0.9f, (i % 2 ? 0.8f : -0.8f) * (i % 3 ? 1 : 0.7f), 0, 1},
            {(float)(word & 255) / 255, (float)(word >> 8 & 255) / 255, (float)(word >> 16 & 255) / 255, 1}};
    }
    if (topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN)
        v[0].position[0] = 0, v[0].position[1] = -0.95f;
}

static void flat_scene(struct vkt *t, struct vkt_picture *out)
{
    const bool strip = topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP ||
                       topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP ||
                       topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
    struct vertex v[VERTICES];
    uint16_t indices_16[2 * VERTICES] = {0};
    uint32_t indices_32[VERTICES];
    fill_band(v);
    for (uint32_t i = 0; i < VERTICES; i++) {
        indices_32[i] = i == 9 && strip ? UINT32_MAX : (i * 5 + 1) % 12 + i / 12 * 12;
        indices_16[i] = (uint16_t)indices_32[i];
    }
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p =
        pipeline_for(t, &target, topology, VKT_SHADER(flat_vert), VKT_SHADER(flat_frag), index_B && strip);
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    struct vkt_buffer indices = vkt_buffer_create(t, sizeof indices_32, VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
                                                  index_B == 2 ? (const void *)indices_16 : (const void *)indices_32);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, grey, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdSetLineWidth(cmd, 1);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    if (index_B) {
        vkCmdBindIndexBuffer(cmd, indices.buffer, 0, index_B == 2 ? VK_INDEX_TYPE_UINT16 : VK_INDEX_TYPE_UINT32);
        vkCmdDrawIndexed(cmd, VERTICES, 1, 0, 0, 0);
    } else {
        vkCmdDraw(cmd, VERTICES, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &vertices);
    vkt_buffer_destroy(t, &indices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void the_first_vertex_provokes(void **state)
{
    static const char *const names[] = {"flat_points", "flat_lines", "flat_line_strip", "flat_triangles", "flat_strip",
                                        "flat_fan"};
    for (uint32_t i = 0; i < VKT_COUNT(names); i++)
        for (index_B = 0; index_B <= 4; index_B += 2) {
            topology = (VkPrimitiveTopology)i;
            vkt_compare_with_reference(names[i], flat_scene, (struct vkt_tolerance){0, 15}); /* edges, and lines */
        }
}

/* ---------------------------------------------------------------- sizes */

static const struct vertex dots[] = {
    {{-0.7f, -0.6f, 1, 1}, {1, 0, 0, 1}},  {{-0.2f, -0.5f, 4, 1}, {0, 1, 0, 1}},
    {{0.4f, -0.5f, 15, 1}, {0, 0, 1, 1}},  {{0.3f, 0.4f, 40, 1}, {1, 1, 0, 1}},
    {{-0.95f, 0.5f, 30, 1}, {0, 1, 1, 1}}, {{1.1f, 0.5f, 30, 1}, {1, 0, 1, 1}},
    {{-0.4f, -1.2f, 90, 1}, {1, 1, 1, 1}}, {{-0.5f, 0.99f, 20, 1}, {0.5f, 0, 0, 1}},
};

static void points_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = pipeline_for(t, &target, VK_PRIMITIVE_TOPOLOGY_POINT_LIST, VKT_SHADER(sized_vert),
                                         VKT_SHADER(color_frag), false);
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof dots, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, dots);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, grey, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdSetLineWidth(cmd, 1);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, VKT_COUNT(dots), 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &vertices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

/* Points whose center lies outside the view are not drawn. lavapipe draws them, so the expected image is computed
 * here. */
static void dots_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    memcpy(rgba, (uint8_t[]){51, 51, 51, 255}, 4);
    for (uint32_t i = 0; i < VKT_COUNT(dots); i++) {
        const struct vertex *d = &dots[i];
        const float cx = (d->position[0] + 1) * W / 2, cy = (d->position[1] + 1) * H / 2, half = d->position[2] / 2;
        const float px = (float)x + 0.5f, py = (float)y + 0.5f;
        const bool is_in = d->position[0] <= 1 && d->position[0] >= -1 && d->position[1] <= 1 && d->position[1] >= -1;
        if (is_in && px > cx - half && px < cx + half && py > cy - half && py < cy + half)
            for (uint32_t c = 0; c < 3; c++)
                rgba[c] = (uint8_t)(d->color[c] * 255 + 0.5f);
    }
}

static void points_have_sizes(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_picture got, expected = vkt_picture_compute(W, H, dots_pixel);
    assert_true(t->properties.limits.pointSizeRange[1] >= 64);
    points_scene(t, &got);
    vkt_compare("point_sizes", &expected, &got, (struct vkt_tolerance){1, 12}); /* half a pixel at the edges */
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
}

static const float line_widths[] = {1, 3, 7, 5};

/* Horizontal and vertical lines, each with its own width. */
static void lines_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    const float px = (float)x + 0.5f, py = (float)y + 0.5f;
    bool is_in = false;
    for (uint32_t i = 0; i < 4; i++) {
        const float along = i < 2 ? px : py, across = i < 2 ? py : px;
        const float middle = i < 2 ? 12.5f + 20 * (float)i : 100.5f + 15 * (float)(i - 2);
        is_in |=
            along > 10 && along < 60 && across > middle - line_widths[i] / 2 && across < middle + line_widths[i] / 2;
    }
    memcpy(rgba, is_in ? (uint8_t[]){255, 255, 255, 255} : (uint8_t[]){51, 51, 51, 255}, 4);
}

static void lines_have_widths(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vertex v[8];
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t line = i / 2;
        const float along = i % 2 ? 60 : 10,
                    across = line < 2 ? 12.5f + 20 * (float)line : 100.5f + 15 * (float)(line - 2);
        const float x = line < 2 ? along : across, y = line < 2 ? across : along;
        v[i] = (struct vertex){{x * 2 / W - 1, y * 2 / H - 1, 0, 1}, {1, 1, 1, 1}};
    }
    assert_true(t->properties.limits.lineWidthRange[1] >= 8);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = pipeline_for(t, &target, VK_PRIMITIVE_TOPOLOGY_LINE_LIST, VKT_SHADER(flat_vert),
                                         VKT_SHADER(flat_frag), false);
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, grey, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    for (uint32_t i = 0; i < 4; i++) {
        vkCmdSetLineWidth(cmd, line_widths[i]);
        vkCmdDraw(cmd, 2, 1, 2 * i, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target), expected = vkt_picture_compute(W, H, lines_pixel);
    vkt_compare("line_widths", &expected, &got, (struct vkt_tolerance){0, 4});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
    vkt_buffer_destroy(t, &vertices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

/* ---------------------------------------------------------------- indirect draws */

#define SQUARES 16 /* 4 x 4 of them */

struct indirect {
    struct vkt t;
    struct vkt_target target;
    struct vkt_pipeline pipeline;
    struct vkt_buffer vertices, indices, parameters, count;
    PFN_vkCmdDrawIndirectCountKHR draw_count;
    PFN_vkCmdDrawIndexedIndirectCountKHR draw_indexed_count;
};

static void indirect_open(struct indirect *s)
{
    static const char *const extensions[] = {VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME};
    static struct vertex v[SQUARES * 6];
    uint16_t indices[SQUARES * 6];
    s->t = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, 1);
    for (uint32_t i = 0; i < SQUARES * 6; i++) {
        const uint32_t square = i / 6, corner = i % 6, x = square % 4 + (corner == 1 || corner == 2 || corner == 4),
                       y = square / 4 + (corner == 2 || corner == 4 || corner == 5);
        v[i] = (struct vertex){{(float)x / 2 - 1, (float)y / 2 - 1, 0, 1}, {1, 1, 1, 1}};
        indices[i] = (uint16_t)i;
    }
    s->target = vkt_target_create(&s->t, 64, 64, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    s->pipeline = vkt_pipeline_create(&s->t, &(struct vkt_pipeline_info){
                                                 .vs = VKT_SHADER(flat_vert),
                                                 .fs = VKT_SHADER(flat_frag),
                                                 .pass = s->target.pass,
                                                 .bindings = &binding,
                                                 .binding_count = 1,
                                                 .attributes = attributes,
                                                 .attribute_count = 2,
                                                 .topology = VKT_TRIANGLES,
                                                 .width = 64,
                                                 .height = 64,
                                             });
    s->vertices = vkt_buffer_create(&s->t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    s->indices = vkt_buffer_create(&s->t, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    s->parameters =
        vkt_buffer_create(&s->t, 1024, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    s->count =
        vkt_buffer_create(&s->t, 64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    memset(s->parameters.map, 0, 1024);
    memset(s->count.map, 0, 64);
    s->draw_count =
        (PFN_vkCmdDrawIndirectCountKHR)(void (*)(void))vkGetDeviceProcAddr(s->t.device, "vkCmdDrawIndirectCountKHR");
    s->draw_indexed_count = (PFN_vkCmdDrawIndexedIndirectCountKHR)(void (*)(void))vkGetDeviceProcAddr(
        s->t.device, "vkCmdDrawIndexedIndirectCountKHR");
    assert_true(s->draw_count && s->draw_indexed_count);
}

static void indirect_close(struct indirect *s)
{
    vkt_buffer_destroy(&s->t, &s->vertices);
    vkt_buffer_destroy(&s->t, &s->indices);
    vkt_buffer_destroy(&s->t, &s->parameters);
    vkt_buffer_destroy(&s->t, &s->count);
    vkt_pipeline_destroy(&s->t, &s->pipeline);
    vkt_target_destroy(&s->t, &s->target);
    vkt_device_close(&s->t);
}

static void begin_draws(struct indirect *s, VkCommandBuffer cmd)
{
    vkt_begin_pass(cmd, &s->target, (float[]){0, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &s->vertices.buffer, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(cmd, s->indices.buffer, 0, VK_INDEX_TYPE_UINT16);
}

static uint32_t white_squares(struct indirect *s)
{
    struct vkt_picture p = vkt_read_target(&s->t, &s->target);
    uint32_t mask = 0;
    for (uint32_t i = 0; i < SQUARES; i++) {
        const uint32_t x = i % 4 * 16, y = i / 4 * 16;
        const uint8_t *a = p.rgba + 4 * ((y + 2) * p.width + x + 12), *b = p.rgba + 4 * ((y + 12) * p.width + x + 2);
        mask |= (a[0] == 255 && b[0] == 255 ? 1u : 0u) << i;
    }
    vkt_picture_free(&p);
    return mask;
}

static void barrier_to_indirect(VkCommandBuffer cmd)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_INDIRECT_COMMAND_READ_BIT};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
}

/* The draws use what the buffers contain when the work runs. It changes between two submissions of one command buffer,
 * by writes to the mapping and by the command buffer itself. */
static void indirect_numbers_change(void **state)
{
    struct indirect s;
    indirect_open(&s);
    VkDrawIndirectCommand *arrays = s.parameters.map;
    VkDrawIndexedIndirectCommand *indexed = (void *)((char *)s.parameters.map + 512);
    uint32_t *counts = s.count.map;
    const VkDrawIndirectCommand by_command = {6, 1, 6 * 5, 0}; /* square 5, of arrays[2] */
    const uint32_t count_by_command = 1;
    VkCommandBuffer cmd = vkt_begin(&s.t);
    vkCmdUpdateBuffer(cmd, s.parameters.buffer, 2 * sizeof *arrays, sizeof by_command, &by_command);
    vkCmdUpdateBuffer(cmd, s.count.buffer, 4, 4, &count_by_command); /* count of the indexed draws */
    barrier_to_indirect(cmd);
    begin_draws(&s, cmd);
    s.draw_count(cmd, s.parameters.buffer, 0, s.count.buffer, 0, 4, sizeof *arrays);
    s.draw_indexed_count(cmd, s.parameters.buffer, 512, s.count.buffer, 4, 2, sizeof *indexed);
    vkCmdEndRenderPass(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));

    for (uint32_t i = 0; i < 4; i++) /* squares 0, 1, by command, 3 */
        arrays[i] = (VkDrawIndirectCommand){6, 1, 6 * i, 0};
    indexed[0] = (VkDrawIndexedIndirectCommand){12, 1, 6 * 8, 0, 0}; /* squares 8, 9 */
    indexed[1] = (VkDrawIndexedIndirectCommand){6, 1, 6 * 15, 0, 0}; /* one too many */
    counts[0] = 3;
    vkt_submit(&s.t, cmd);
    assert_int_equal(white_squares(&s), 1u << 0 | 1u << 1 | 1u << 5 | 1u << 8 | 1u << 9);

    arrays[0].firstVertex = 6 * 12;
    arrays[1].instanceCount = 0;
    arrays[2].firstVertex = 0; /* overwritten by the command buffer */
    indexed[0] = (VkDrawIndexedIndirectCommand){6, 1, 0, 6 * 10, 0};
    counts[0] = 4;
    counts[1] = 2; /* overwritten, too */
    vkt_submit(&s.t, cmd);
    assert_int_equal(white_squares(&s), 1u << 12 | 1u << 5 | 1u << 3 | 1u << 10);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &cmd);
    indirect_close(&s);
}

/* Several indirect draws between other draws of a pass, one of them with a count of 0. */
static void many_indirect_draws(void **state)
{
    struct indirect s;
    indirect_open(&s);
    VkDrawIndirectCommand *arrays = s.parameters.map;
    for (uint32_t i = 0; i < 20; i++)
        arrays[i] = (VkDrawIndirectCommand){i % 3 ? 6 : 0, 1, 6 * (i % SQUARES), 0};
    VkCommandBuffer cmd = vkt_begin(&s.t);
    begin_draws(&s, cmd);
    vkCmdDraw(cmd, 6, 1, 0, 0);
    vkCmdDrawIndirect(cmd, s.parameters.buffer, 0, 8, sizeof *arrays); /* 1 2 4 5 7 */
    vkCmdDraw(cmd, 6, 1, 6 * 15, 0);
    vkCmdDrawIndirect(cmd, s.parameters.buffer, 10 * sizeof *arrays, 2, 2 * sizeof *arrays); /* 10, not 12 */
    s.draw_count(cmd, s.parameters.buffer, 0, s.count.buffer, 0, 20, sizeof *arrays);        /* the count is 0 */
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&s.t, cmd);
    assert_int_equal(white_squares(&s),
                     1u << 0 | 1u << 1 | 1u << 2 | 1u << 4 | 1u << 5 | 1u << 7 | 1u << 15 | 1u << 10);
    indirect_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_first_vertex_provokes, vkt_check_messages),
        cmocka_unit_test_teardown(points_have_sizes, vkt_check_messages),
        cmocka_unit_test_teardown(lines_have_widths, vkt_check_messages),
        cmocka_unit_test_teardown(indirect_numbers_change, vkt_check_messages),
        cmocka_unit_test_teardown(many_indirect_draws, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("primitives", tests, NULL, vkt_teardown);
}
