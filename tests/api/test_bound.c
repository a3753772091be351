/* SPDX-License-Identifier: MIT
 *
 * Every draw uses the state that is bound at that moment. Pipelines, sets, vertex and index buffers and scissors change
 * at random, alone or together, return to earlier values, and stay bound across passes. Every draw adds a small colour
 * to the column of its vertices, so the final image is the sum of all draws.
 */
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "color.vert.h"
#include "ubo.frag.h"

#define COLUMNS   8u
#define PIPELINES 6u
#define SETS      12u
#define DRAWS     120u /* per pass: few enough for sums to fit in a byte */

struct bound {
    struct vkt_target target;
    struct vkt_buffer corners, colors, indices;
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet sets[SETS];
    struct vkt_pipeline pipelines[PIPELINES];
    uint32_t random;
};

static uint32_t pick(struct bound *b, uint32_t count)
{
    b->random = b->random * 1664525u + 1013904223u;
    return (b->random >> 16) % count;
}

static uint8_t color_of(uint32_t set, uint32_t channel)
{
    return (uint8_t)(((set + 1) >> channel & 1) + (channel == set % 4));
}

/* A pipeline that adds the colour of the bound set to these channels of a strip. */
static struct vkt_pipeline adding_pipeline(struct vkt *t, const struct bound *b, VkDescriptorSetLayout set_layout,
                                           VkColorComponentFlags channels)
{
    const VkVertexInputBindingDescription binding = {0, 16, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                            {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0}};
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_SCISSOR};
    return vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(color_vert),
                                                              .fs = VKT_SHADER(ubo_frag),
                                                              .pass = b->target.pass,
                                                              .bindings = &binding,
                                                              .binding_count = 1,
                                                              .attributes = attributes,
                                                              .attribute_count = 2,
                                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                              .blend = {.blendEnable = VK_TRUE,
                                                                        .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                        .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                        .colorWriteMask = channels},
                                                              .width = COLUMNS,
                                                              .height = 2,
                                                              .dynamic = dynamic,
                                                              .dynamic_count = 1,
                                                              .set_layouts = {set_layout},
                                                              .set_layout_count = 1});
}

/* Creates a full-height strip per column, pipelines that each add to some channels, and sets with a colour each. */
static void open_bound(struct vkt *t, struct bound *b)
{
    float corners[COLUMNS][4][4], colors[SETS][64] = {{0}};
    uint16_t indices[2][4];
    for (uint32_t i = 0; i < COLUMNS * 4; i++) {
        const float x = (float)(i / 4 + i % 2) * 2 / COLUMNS - 1;
        memcpy(corners[i / 4][i % 4], (float[]){x, i % 4 / 2 ? 1 : -1, 0.5f, 1}, sizeof corners[0][0]);
    }
    for (uint32_t i = 0; i < 8; i++)
        indices[i / 4][i % 4] = (uint16_t)i; /* indices[1] draws the next column */
    for (uint32_t i = 0; i < SETS * 4; i++)
        colors[i / 4][i % 4] = (float)color_of(i / 4, i % 4) / 255;
    b->target = vkt_target_create(t, COLUMNS, 2, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    b->corners = vkt_buffer_create(t, sizeof corners, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners);
    b->colors = vkt_buffer_create(t, sizeof colors, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, colors);
    b->indices = vkt_buffer_create(t, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    b->set_layout = vkt_set_layout_create(
        t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 1}, 1);
    for (uint32_t i = 0; i < SETS; i++) {
        b->sets[i] = vkt_set_alloc(t, b->set_layout);
        vkt_set_buffer(t, b->sets[i], 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, b->colors.buffer, i * sizeof colors[0], 16);
    }
    for (uint32_t i = 0; i < PIPELINES; i++)
        b->pipelines[i] = adding_pipeline(t, b, b->set_layout, 3 + 2 * i);
}

static void close_bound(struct vkt *t, struct bound *b)
{
    for (uint32_t i = 0; i < PIPELINES; i++)
        vkt_pipeline_destroy(t, &b->pipelines[i]);
    vkDestroyDescriptorSetLayout(t->device, b->set_layout, NULL);
    vkt_buffer_destroy(t, &b->corners);
    vkt_buffer_destroy(t, &b->colors);
    vkt_buffer_destroy(t, &b->indices);
    vkt_target_destroy(t, &b->target);
}

/* The state bound last, which passes inherit. draw_bound() changes it, draws, and adds the result to `sums`. */
struct bound_state {
    uint32_t pipeline, set, column, next, rows; /* rows: 0 both, 1 the upper, 2 the lower */
};

static void draw_bound(struct bound *b, VkCommandBuffer cmd, struct bound_state *s, uint8_t (*sums)[COLUMNS][4])
{
    static const VkRect2D scissors[3] = {{{0, 0}, {COLUMNS, 2}}, {{0, 0}, {COLUMNS, 1}}, {{0, 1}, {COLUMNS, 1}}};
    const uint32_t change = pick(b, 16), indexed = pick(b, 4) == 0;
    if (change < 6)
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS,
                          b->pipelines[s->pipeline = pick(b, PIPELINES)].pipeline);
    if (change > 3 && change < 10)
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, b->pipelines[0].layout, 0, 1,
                                &b->sets[s->set = pick(b, SETS)], 0, NULL);
    if (change > 7 && change < 14)
        vkCmdBindVertexBuffers(cmd, 0, 1, &b->corners.buffer, &(VkDeviceSize){64 * (s->column = pick(b, COLUMNS - 1))});
    if (change == 14)
        vkCmdSetScissor(cmd, 0, 1, &scissors[s->rows = pick(b, 3)]);
    if (change == 15)
        vkCmdBindIndexBuffer(cmd, b->indices.buffer, 8 * (s->next = pick(b, 2)), VK_INDEX_TYPE_UINT16);
    if (indexed)
        vkCmdDrawIndexed(cmd, 4, 1, 0, 0, 0);
    else
        vkCmdDraw(cmd, 4, 1, 0, 0);
    for (uint32_t row = s->rows == 2; row < (s->rows == 1 ? 1 : 2); row++)
        for (uint32_t c = 0; c < 4; c++)
            if ((3 + 2 * s->pipeline) >> c & 1)
                sums[row][s->column + (indexed ? s->next : 0)][c] += color_of(s->set, c);
}

static void draws_take_what_is_bound(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct bound b = {.random = 1};
    open_bound(t, &b);
    for (uint32_t round = 0; round < 4; round++) {
        uint8_t sums[2][COLUMNS][4];
        struct bound_state s = {0};
        VkCommandBuffer cmd = vkt_begin(t);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, b.pipelines[0].pipeline);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, b.pipelines[0].layout, 0, 1, &b.sets[0], 0, NULL);
        vkCmdBindVertexBuffers(cmd, 0, 1, &b.corners.buffer, &(VkDeviceSize){0});
        vkCmdBindIndexBuffer(cmd, b.indices.buffer, 0, VK_INDEX_TYPE_UINT16);
        vkCmdSetScissor(cmd, 0, 1, &(VkRect2D){{0, 0}, {COLUMNS, 2}});
        for (uint32_t pass = 0; pass <= round; pass++) {
            memset(sums, 0, sizeof sums);
            vkt_begin_pass(cmd, &b.target, (float[]){0, 0, 0, 0}, 1, 0);
            for (uint32_t i = 0; i < (pass == round ? DRAWS : 2 * pass); i++)
                draw_bound(&b, cmd, &s, sums);
            vkCmdEndRenderPass(cmd);
        }
        vkt_end_submit(t, cmd);
        struct vkt_picture got = vkt_read_target(t, &b.target);
        assert_memory_equal(got.rgba, sums, sizeof sums);
        vkt_picture_free(&got);
    }
    close_bound(t, &b);
}

/* No state changes between the passes, but the first one renders to a part of the framebuffer and the second to all of
 * it. */
static void passes_have_their_own_areas(void **state)
{
    enum { LAST = COLUMNS - 1 };
    struct vkt *t = vkt_device(VKT_TESTED);
    struct bound b = {.random = 1};
    open_bound(t, &b);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = b.target.pass,
                                                  .framebuffer = b.target.framebuffer,
                                                  .renderArea = {{0, 0}, {2, 1}},
                                                  .clearValueCount = 1,
                                                  .pClearValues = &(VkClearValue){.color.float32 = {0}}},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, b.pipelines[0].pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, b.pipelines[0].layout, 0, 1, &b.sets[0], 0, NULL);
    vkCmdSetScissor(cmd, 0, 1, &(VkRect2D){{0, 0}, {COLUMNS, 2}});
    vkCmdBindVertexBuffers(cmd, 0, 1, &b.corners.buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_begin_pass(cmd, &b.target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindVertexBuffers(cmd, 0, 1, &b.corners.buffer, &(VkDeviceSize){64 * LAST});
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &b.target);
    for (uint32_t i = 0; i < 2 * COLUMNS; i++)
        assert_int_equal(got.rgba[4 * i], i % COLUMNS == LAST ? color_of(0, 0) : 0);
    vkt_picture_free(&got);
    close_bound(t, &b);
}

/* ---------------------------------------------------------------- one set, other contents */

/* Changes what a shader reads from a set without binding another set: by a dynamic offset, or by pushed descriptors. */
struct updated_set {
    VkDescriptorSetLayout layout;
    VkDescriptorSet set; /* VK_NULL_HANDLE if descriptors are pushed */
    struct vkt_pipeline pipeline;
    PFN_vkCmdPushDescriptorSetKHR push;
};

static struct updated_set open_updated_set(struct vkt *t, const struct bound *b, bool is_pushed)
{
    struct updated_set s = {
        .push = (PFN_vkCmdPushDescriptorSetKHR)vkGetDeviceProcAddr(t->device, "vkCmdPushDescriptorSetKHR")};
    const VkDescriptorSetLayoutBinding binding = {
        0, is_pushed ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1,
        VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags = is_pushed ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0,
        .bindingCount = 1,
        .pBindings = &binding};
    vkt_ok(vkCreateDescriptorSetLayout(t->device, &info, NULL, &s.layout));
    s.pipeline = adding_pipeline(t, b, s.layout, 15);
    if (is_pushed)
        return s;
    s.set = vkt_set_alloc(t, s.layout);
    vkt_set_buffer(t, s.set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, b->colors.buffer, 0, 16);
    return s;
}

static void bind_color(VkCommandBuffer cmd, const struct bound *b, const struct updated_set *s, uint32_t color)
{
    const uint32_t offset_B = color * (uint32_t)(b->colors.size_B / SETS);
    if (s->set)
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->pipeline.layout, 0, 1, &s->set, 1, &offset_B);
    else
        s->push(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->pipeline.layout, 0, 1,
                &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                        .pBufferInfo =
                                            &(VkDescriptorBufferInfo){b->colors.buffer, offset_B, 16}});
}

static void sets_that_stay_say_something_else(void **state)
{
    static const char *const extensions[] = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
    struct vkt t = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, 1);
    struct bound b = {.random = 7};
    open_bound(&t, &b);
    for (uint32_t is_pushed = 0; is_pushed < 2; is_pushed++) {
        struct updated_set s = open_updated_set(&t, &b, is_pushed);
        uint8_t sums[2][COLUMNS][4] = {0};
        VkCommandBuffer cmd = vkt_begin(&t);
        vkt_begin_pass(cmd, &b.target, (float[]){0, 0, 0, 0}, 1, 0);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s.pipeline.pipeline);
        vkCmdSetScissor(cmd, 0, 1, &(VkRect2D){{0, 0}, {COLUMNS, 2}});
        for (uint32_t i = 0; i < DRAWS; i++) {
            const uint32_t color = pick(&b, SETS), column = i / (DRAWS / COLUMNS);
            bind_color(cmd, &b, &s, color);
            if (i % (DRAWS / COLUMNS) == 0)
                vkCmdBindVertexBuffers(cmd, 0, 1, &b.corners.buffer, &(VkDeviceSize){64 * column});
            vkCmdDraw(cmd, 4, 1, 0, 0);
            for (uint32_t k = 0; k < 8; k++)
                sums[k / 4][column][k % 4] += color_of(color, k % 4);
        }
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(&t, cmd);
        struct vkt_picture got = vkt_read_target(&t, &b.target);
        assert_memory_equal(got.rgba, sums, sizeof sums);
        vkt_picture_free(&got);
        vkt_pipeline_destroy(&t, &s.pipeline);
        vkDestroyDescriptorSetLayout(t.device, s.layout, NULL);
    }
    close_bound(&t, &b);
    vkt_device_close(&t);
}

/* ---------------------------------------------------------------- missing bindings */

/* Invalid usage that must not crash: the draws without an index buffer are skipped, the others are drawn. */
static void indexed_draws_without_indices_are_left_out(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const unsigned messages = t->validation_messages;
    struct bound b = {.random = 1};
    open_bound(t, &b);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &b.target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, b.pipelines[0].pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, b.pipelines[0].layout, 0, 1, &b.sets[0], 0, NULL);
    vkCmdBindVertexBuffers(cmd, 0, 1, &b.corners.buffer, &(VkDeviceSize){0});
    vkCmdSetScissor(cmd, 0, 1, &(VkRect2D){{0, 0}, {COLUMNS, 2}});
    for (uint32_t i = 0; i < 2; i++) {
        vkCmdDraw(cmd, 4, 1, 0, 0);
        vkCmdDrawIndexed(cmd, 4, 1, 0, 0, 0);
        vkCmdDrawIndexed(cmd, 4, 3, 0, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &b.target);
    for (uint32_t c = 0; c < 2; c++)
        assert_int_equal(got.rgba[c], 2 * color_of(0, c));
    vkt_picture_free(&got);
    close_bound(t, &b);
    t->validation_messages = messages;
}

/* ---------------------------------------------------------------- state unused by a pipeline */

#define LINES_PX 16u

static struct vkt_picture draw_wide_line(struct vkt *t, bool behind_triangles)
{
    static const float vertices[2][8] = {{-1, 0, 0.5f, 1, 1, 1, 1, 1}, {1, 0, 0.5f, 1, 1, 1, 1, 1}};
    struct vkt_target target = vkt_target_create(t, LINES_PX, LINES_PX, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_buffer buffer = vkt_buffer_create(t, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
    const VkVertexInputBindingDescription binding = {0, 32, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                            {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_LINE_WIDTH};
    struct vkt_pipeline pipelines[2];
    for (uint32_t i = 0; i < 2; i++)
        pipelines[i] =
            vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(color_vert),
                                                               .fs = VKT_SHADER(color_frag),
                                                               .pass = target.pass,
                                                               .bindings = &binding,
                                                               .binding_count = 1,
                                                               .attributes = attributes,
                                                               .attribute_count = 2,
                                                               .topology = i ? VK_PRIMITIVE_TOPOLOGY_LINE_LIST
                                                                             : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                                               .width = LINES_PX,
                                                               .height = LINES_PX,
                                                               .dynamic = dynamic,
                                                               .dynamic_count = 1});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindVertexBuffers(cmd, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    vkCmdSetLineWidth(cmd, 5);
    if (behind_triangles) {
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[0].pipeline);
        vkCmdDraw(cmd, 2, 1, 0, 0);
    }
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[1].pipeline);
    vkCmdDraw(cmd, 2, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target);
    for (uint32_t i = 0; i < 2; i++)
        vkt_pipeline_destroy(t, &pipelines[i]);
    vkt_buffer_destroy(t, &buffer);
    vkt_target_destroy(t, &target);
    return got;
}

/* Sets a line width, draws triangles, which ignore it, and then lines, which must have it. */
static void lines_behind_triangles_keep_their_width(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_picture alone = draw_wide_line(t, false), behind = draw_wide_line(t, true);
    uint32_t rows = 0;
    for (uint32_t y = 0; y < LINES_PX; y++)
        rows += alone.rgba[4 * (y * LINES_PX + LINES_PX / 2)] == 255;
    assert_int_equal(rows, 5);
    assert_memory_equal(behind.rgba, alone.rgba, 4 * LINES_PX * LINES_PX);
    vkt_picture_free(&alone);
    vkt_picture_free(&behind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(draws_take_what_is_bound, vkt_check_messages),
        cmocka_unit_test_teardown(passes_have_their_own_areas, vkt_check_messages),
        cmocka_unit_test_teardown(sets_that_stay_say_something_else, vkt_check_messages),
        cmocka_unit_test_teardown(indexed_draws_without_indices_are_left_out, vkt_check_messages),
        cmocka_unit_test_teardown(lines_behind_triangles_keep_their_width, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("bound", tests, NULL, vkt_teardown);
}
