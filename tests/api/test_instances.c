/* SPDX-License-Identifier: MIT
 *
 * Draws with many instances of a small mesh, which the driver merges into fewer draws. However it merges them, the
 * result equals one draw per instance, except for the last bit of interpolated values: a triangle list starts its
 * triangles at other vertices than a strip.
 */
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "merged.frag.h"
#include "merged.vert.h"
#include "merged_numbers.vert.h"
#include "parameters.vert.h"

enum { W = 256, H = 192, COLUMNS = 40, ROWS = 30, MANY = 20000, FIRST_INSTANCE = 7, VERTICES = 80000 };

/* The tested device with the extensions that some of the tests need. */
static struct vkt device;

static int open_device(void **state)
{
    const char *const extensions[] = {VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME,
                                      VK_KHR_SHADER_DRAW_PARAMETERS_EXTENSION_NAME, VK_EXT_MULTI_DRAW_EXTENSION_NAME};
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* One test case: a mesh and how it is drawn. */
struct mesh {
    VkPrimitiveTopology topology;
    uint32_t first, count, instances;
    int32_t vertex_offset;
    VkIndexType index_type;
    bool indexed, restart, distant, numbers, flat;
    bool has_divisor;
    uint32_t divisor; /* instances per place; 0: all use the first one's */
};

static const float corners[][2] = {{9, 9}, {-1, -1},      {1, -1},       {-1, 1}, {1, 1},
                                   {0, 0}, {0.5f, 1.5f}, {-1.5f, 0.5f}, {3, 3}};
/* The strip has a primitive restart. As 16-bit list indices, the restart index is never used. */
static const uint32_t strip[] = {1, 2, 3, 0xffffffff, 2, 4, 3, 5}, list[] = {0, 1, 2, 2, 1, 3, 2, 3, 6};
static const uint32_t far_apart[] = {0, 70000, 70001};

struct scene {
    struct vkt_target target;
    struct vkt_pipeline pipeline;
    struct vkt_buffer vertices, places, indices;
};

static void fill_places(float places[MANY + FIRST_INSTANCE][4])
{
    for (uint32_t i = 0; i < MANY + FIRST_INSTANCE; i++) {
        const uint32_t x = i % COLUMNS, y = i / COLUMNS % ROWS;
        places[i][0] = ((float)x + 0.5f) * 2 / COLUMNS - 1;
        places[i][1] = ((float)y + 0.5f) * 2 / ROWS - 1;
        places[i][2] = 0.5f / COLUMNS * (float)(1 + i % 3);
        places[i][3] = 0.5f / ROWS * (float)(1 + i % 2);
    }
}

static struct vkt_buffer index_buffer(struct vkt *t, const struct mesh *m)
{
    const uint32_t *from = m->distant ? far_apart : m->restart ? strip : list;
    uint32_t words[16];
    uint16_t halves[16];
    for (uint32_t i = 0; i < m->first + m->count; i++) {
        words[i] = i < m->first ? 0 : from[i - m->first];
        halves[i] = (uint16_t)words[i];
    }
    return m->index_type == VK_INDEX_TYPE_UINT32
               ? vkt_buffer_create(t, sizeof words, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, words)
               : vkt_buffer_create(t, sizeof halves, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, halves);
}

static struct vkt_buffer vertex_buffer(struct vkt *t, const struct mesh *m)
{
    struct vkt_buffer b = vkt_buffer_create(t, VERTICES * sizeof corners[0], VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
    float(*out)[2] = b.map;
    memset(out, 0, b.size_B);
    memcpy(out, corners, sizeof corners);
    for (uint32_t i = 0; i < 3 && m->distant; i++)
        memcpy(out[far_apart[i] + (uint32_t)m->vertex_offset], corners[i + 1], sizeof corners[0]);
    return b;
}

static struct scene scene_create(struct vkt *t, const struct mesh *m)
{
    const VkVertexInputBindingDescription bindings[] = {
        {0, 8, VK_VERTEX_INPUT_RATE_VERTEX},
        {1, 16, VK_VERTEX_INPUT_RATE_INSTANCE},
    };
    const VkVertexInputAttributeDescription attributes[] = {
        {0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
        {1, 1, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
    };
    const VkVertexInputBindingDivisorDescriptionEXT divisor = {1, m->divisor};
    const VkPipelineVertexInputDivisorStateCreateInfoEXT divisors = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT,
        .vertexBindingDivisorCount = 1,
        .pVertexBindingDivisors = &divisor};
    const VkBool32 flat = m->flat;
    const VkSpecializationInfo spec = {1, &(VkSpecializationMapEntry){0, 0, sizeof flat}, sizeof flat, &flat};
    static float places[MANY + FIRST_INSTANCE][4];
    struct scene s = {.target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED)};
    fill_places(places);
    s.pipeline = vkt_pipeline_create(
        t, &(struct vkt_pipeline_info){.vs = m->numbers ? VKT_SHADER(merged_numbers_vert) : VKT_SHADER(merged_vert),
                                       .fs = VKT_SHADER(merged_frag),
                                       .fs_spec = &spec,
                                       .pass = s.target.pass,
                                       .bindings = bindings,
                                       .binding_count = 2,
                                       .attributes = attributes,
                                       .attribute_count = 2,
                                       .vertex_input_next = m->has_divisor ? &divisors : NULL,
                                       .topology = m->topology,
                                       .primitive_restart = m->restart,
                                       .width = W,
                                       .height = H});
    s.vertices = vertex_buffer(t, m);
    s.places = vkt_buffer_create(t, sizeof places, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, places);
    if (m->indexed)
        s.indices = index_buffer(t, m);
    return s;
}

static void scene_destroy(struct vkt *t, struct scene *s)
{
    vkt_buffer_destroy(t, &s->vertices);
    vkt_buffer_destroy(t, &s->places);
    if (s->indices.buffer)
        vkt_buffer_destroy(t, &s->indices);
    vkt_pipeline_destroy(t, &s->pipeline);
    vkt_target_destroy(t, &s->target);
}

static void draw(VkCommandBuffer cmd, const struct mesh *m, uint32_t instances, uint32_t first_instance)
{
    if (m->indexed)
        vkCmdDrawIndexed(cmd, m->count, instances, m->first, m->vertex_offset, first_instance);
    else
        vkCmdDraw(cmd, m->count, instances, m->first, first_instance);
}

static struct vkt_picture picture(struct vkt *t, const struct scene *s, const struct mesh *m, bool at_once)
{
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &s->target, (float[]){0.2f, 0.2f, 0.2f, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 2, (VkBuffer[]){s->vertices.buffer, s->places.buffer}, (VkDeviceSize[]){0, 0});
    if (m->indexed)
        vkCmdBindIndexBuffer(cmd, s->indices.buffer, 0, m->index_type);
    if (at_once)
        draw(cmd, m, m->instances, FIRST_INSTANCE);
    for (uint32_t i = 0; i < m->instances && !at_once; i++)
        draw(cmd, m, 1, FIRST_INSTANCE + i);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    return vkt_read_target(t, &s->target);
}

static void compare(const char *name, const struct mesh *m)
{
    struct vkt *t = &device;
    struct scene s = scene_create(t, m);
    struct vkt_picture one_by_one = picture(t, &s, m, false), at_once = picture(t, &s, m, true);
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < W * H; i++)
        drawn += one_by_one.rgba[4 * i + 1] != 51;
    if (drawn < 1000)
        fail_msg("%s: %u pixels are drawn", name, drawn);
    vkt_compare(name, &one_by_one, &at_once, (struct vkt_tolerance){1, 0});
    vkt_picture_free(&one_by_one);
    vkt_picture_free(&at_once);
    scene_destroy(t, &s);
}

/* Compares with and without gl_InstanceIndex (`numbers`), and with and without flat inputs, which come from the first
 * vertex of a primitive. */
static void compare_kinds(const char *name, struct mesh m)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        m.numbers = kind & 1;
        m.flat = kind & 2;
        compare(name, &m);
    }
}

/* ---------------------------------------------------------------- tests */

static void arrays_are_merged(void **state)
{
    struct mesh m = {.first = 1, .count = 4, .instances = 1000, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP};
    compare_kinds("strips", m);
    m.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
    compare_kinds("fans", m);
    m.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    m.count = 7; /* two triangles and one vertex too many */
    compare_kinds("lists", m);
    m.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    compare_kinds("line strips", m);
    m.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    compare_kinds("lines", m);
    m.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    compare_kinds("points", m);
    m.count = 4;
    m.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    m.instances = 100;
    compare_kinds("few", m);
}

static void indices_are_merged(void **state)
{
    struct mesh m = {.first = 2,
                     .count = 9,
                     .instances = COLUMNS * ROWS,
                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                     .indexed = true,
                     .vertex_offset = 1,
                     .index_type = VK_INDEX_TYPE_UINT16};
    compare_kinds("16 bits", m);
    m.index_type = VK_INDEX_TYPE_UINT32;
    compare_kinds("32 bits", m);
    m.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    m.restart = true;
    m.count = 8;
    m.vertex_offset = 0;
    compare_kinds("restarted 32", m);
    m.index_type = VK_INDEX_TYPE_UINT16;
    compare_kinds("restarted 16", m);
}

/* The vertices are too far apart for 16-bit indices. */
static void distant_indices_are_merged(void **state)
{
    compare_kinds("distant", (struct mesh){.count = 3,
                                           .instances = 1000,
                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                           .indexed = true,
                                           .distant = true,
                                           .vertex_offset = 1,
                                           .index_type = VK_INDEX_TYPE_UINT32});
}

/* Too many vertices for one draw of the chip. */
static void long_draws_are_cut(void **state)
{
    compare("long", &(struct mesh){.first = 1,
                                   .count = 4,
                                   .instances = MANY,
                                   .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                   .numbers = true});
}

/* ---------------------------------------------------------------- divisors */

/* Compares with a draw without a divisor, whose places are repeated in memory. */
static void compare_divisor(const char *name, struct mesh m, uint32_t divisor)
{
    struct vkt *t = &device;
    struct mesh plain = m;
    m.has_divisor = true;
    m.divisor = divisor;
    struct scene divided = scene_create(t, &m), repeated = scene_create(t, &plain);
    const float(*from)[4] = divided.places.map;
    float(*to)[4] = repeated.places.map;
    for (uint32_t i = 0; i < m.instances; i++)
        memcpy(to[FIRST_INSTANCE + i], from[FIRST_INSTANCE + (divisor ? i / divisor : 0)], sizeof to[0]);
    struct vkt_picture expected = picture(t, &repeated, &plain, true), got = picture(t, &divided, &m, true);
    vkt_compare(name, &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&expected);
    vkt_picture_free(&got);
    scene_destroy(t, &divided);
    scene_destroy(t, &repeated);
}

/* Covers merged draws and draws whose instances are drawn one by one. */
static void divisors_repeat_attributes(void **state)
{
    static const uint32_t divisors[] = {0, 1, 2, 5, 1000, UINT32_MAX};
    struct mesh m = {.first = 1, .instances = 300, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    for (size_t i = 0; i < VKT_COUNT(divisors); i++) {
        m.count = 6;
        m.numbers = false;
        compare_divisor("divided, merged", m, divisors[i]);
        m.numbers = true;
        compare_divisor("divided, merged, numbered", m, divisors[i]);
        m.count = 60;
        compare_divisor("divided", m, divisors[i]);
    }
    m.count = 6; /* cut into several jobs */
    m.instances = MANY;
    compare_divisor("divided, many", m, 3);
}

/* ---------------------------------------------------------------- parameters of draws */

enum { CELL_PX = 16 };

/* Draw i has painted the cell i of the first row with its BaseVertex, BaseInstance and DrawIndex. */
static void expect_cells(struct vkt *t, const struct vkt_target *target, const uint8_t (*expected)[3], uint32_t count)
{
    struct vkt_picture got = vkt_read_target(t, target);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < 3; c++) {
            const uint32_t x = i * CELL_PX + CELL_PX / 2, y = CELL_PX / 2;
            const uint8_t value = got.rgba[4 * (y * W + x) + c];
            if (value != expected[i][c])
                fail_msg("draw %u: word %u is %u instead of %u", i, c, value, expected[i][c]);
        }
    vkt_picture_free(&got);
}

static void draws_know_their_parameters(void **state)
{
    struct vkt *t = &device;
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(parameters_vert),
                                                           .fs = VKT_SHADER(color_frag),
                                                           .pass = target.pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = W,
                                                           .height = H,
                                                           .push_size_B = 4});
    const uint16_t indices[] = {9, 9, 0, 1, 2, 3, 2, 3, 4, 5};
    const VkDrawIndirectCommand arrays[] = {{4, 1, 8, 0}, {4, 1, 12, 5}, {4, 2, 16, 9}};
    const VkDrawIndexedIndirectCommand indexed[] = {{4, 1, 2, 20, 1}, {4, 1, 6, 22, 0}};
    struct vkt_buffer index_buffer =
        vkt_buffer_create(t, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    struct vkt_buffer array_buffer =
        vkt_buffer_create(t, sizeof arrays, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, arrays);
    struct vkt_buffer indexed_buffer =
        vkt_buffer_create(t, sizeof indexed, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, indexed);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){1, 1, 1, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindIndexBuffer(cmd, index_buffer.buffer, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdDraw(cmd, 4, 1, 4, 3);
    vkCmdDrawIndirect(cmd, array_buffer.buffer, 0, VKT_COUNT(arrays), sizeof arrays[0]);
    vkCmdDrawIndexed(cmd, 4, 1, 2, 20, 0);  /* vertices from 20 on */
    vkCmdDrawIndexed(cmd, 4, 1, 6, 22, 7);  /* from 24 on */
    vkCmdDrawIndexed(cmd, 4, 3, 2, 28, 40); /* merged */
    vkCmdDrawIndexedIndirect(cmd, indexed_buffer.buffer, 0, VKT_COUNT(indexed), sizeof indexed[0]);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    static const uint8_t expected[][3] = {{0, 0, 0},   {4, 3, 0},  {8, 0, 0},   {12, 5, 1}, {16, 9, 2},
                                          {20, 1, 0}, {22, 0, 1}, {28, 40, 0}};
    expect_cells(t, &target, expected, VKT_COUNT(expected));
    vkt_buffer_destroy(t, &index_buffer);
    vkt_buffer_destroy(t, &array_buffer);
    vkt_buffer_destroy(t, &indexed_buffer);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

/* The numbers of the draws of vkCmdDrawMultiEXT, whose parameters lie at a distance; an offset for all of them. */
static void draws_of_one_command_are_numbered(void **state)
{
    struct vkt *t = &device;
    PFN_vkCmdDrawMultiEXT draw_arrays = (PFN_vkCmdDrawMultiEXT)vkGetDeviceProcAddr(t->device, "vkCmdDrawMultiEXT");
    PFN_vkCmdDrawMultiIndexedEXT draw_indexed =
        (PFN_vkCmdDrawMultiIndexedEXT)vkGetDeviceProcAddr(t->device, "vkCmdDrawMultiIndexedEXT");
    assert_true(draw_arrays && draw_indexed);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(parameters_vert),
                                                           .fs = VKT_SHADER(color_frag),
                                                           .pass = target.pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = W,
                                                           .height = H,
                                                           .push_size_B = 4});
    const uint16_t indices[] = {9, 9, 0, 1, 2, 3, 2, 3, 4, 5};
    const struct {
        VkMultiDrawInfoEXT draw;
        uint32_t other;
    } arrays[] = {{{0, 4}, 99}, {{4, 4}, 99}, {{8, 4}, 99}};
    const VkMultiDrawIndexedInfoEXT indexed[] = {{2, 4, 12}, {6, 4, 14}}, moved[] = {{2, 4, 99}, {2, 0, 99}};
    const int32_t offset = 20;
    struct vkt_buffer index_buffer = vkt_buffer_create(t, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){1, 1, 1, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindIndexBuffer(cmd, index_buffer.buffer, 0, VK_INDEX_TYPE_UINT16);
    draw_arrays(cmd, VKT_COUNT(arrays), &arrays[0].draw, 2, 3, sizeof arrays[0]);
    draw_indexed(cmd, VKT_COUNT(indexed), indexed, 1, 5, sizeof indexed[0], NULL);
    draw_indexed(cmd, VKT_COUNT(moved), moved, 1, 7, sizeof moved[0], &offset);
    draw_arrays(cmd, 0, NULL, 1, 0, sizeof arrays[0]);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    static const uint8_t expected[][3] = {{0, 3, 0}, {4, 3, 1}, {8, 3, 2}, {12, 5, 0}, {14, 5, 1}, {20, 7, 0}};
    expect_cells(t, &target, expected, VKT_COUNT(expected));
    vkt_buffer_destroy(t, &index_buffer);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(arrays_are_merged, vkt_check_messages),
        cmocka_unit_test_teardown(indices_are_merged, vkt_check_messages),
        cmocka_unit_test_teardown(distant_indices_are_merged, vkt_check_messages),
        cmocka_unit_test_teardown(long_draws_are_cut, vkt_check_messages),
        cmocka_unit_test_teardown(divisors_repeat_attributes, vkt_check_messages),
        cmocka_unit_test_teardown(draws_know_their_parameters, vkt_check_messages),
        cmocka_unit_test_teardown(draws_of_one_command_are_numbered, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
