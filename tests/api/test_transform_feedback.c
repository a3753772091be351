/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_transform_feedback: what is captured of all topologies, in buffers that are large enough or not, with
 * counters, queries, and draws of what was captured. The bytes must be those of lavapipe. With VK_EXT_provoking_vertex
 * the first or the last vertex of each captured primitive is the one that provokes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "feedback_blocks.vert.h"
#include "feedback_capture.geom.h"
#include "feedback_capture.vert.h"
#include "flat.frag.h"
#include "flat.vert.h"

enum { W = 64, H = 48, VERTICES = 14, BUFFER_B = 8192, STRIDE_0 = 28, STRIDE_1 = 16 };

struct vertex {
    float position[4];
    float color[4];
};

static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription attributes[] = {
    {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
    {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16},
};

/* What a case captures. */
static struct scene_info {
    VkPrimitiveTopology topology;
    bool emits, indexed, discards, resumes, draws, has_blocks;
    bool has_mode, last_provokes; /* VK_EXT_provoking_vertex */
    uint32_t instances, size_B; /* of each buffer; 0: BUFFER_B */
} scene;

struct captured {
    uint8_t bytes[2][BUFFER_B];
    uint32_t counters[2];
    uint64_t primitives[2];
    uint8_t picture[W * H * 4];
};

static void fill(struct vertex v[VERTICES])
{
    for (uint32_t i = 0; i < VERTICES; i++)
        v[i] = (struct vertex){{(float)(i * 5 % 8) / 4 - 1, (float)(i * 3 % 16) / 8 - 1, 0.5f, 1},
                               {(float)i / 16, (float)(i % 4) / 4, (float)(i % 3) / 4, 1}};
}

struct commands {
    PFN_vkCmdBindTransformFeedbackBuffersEXT bind;
    PFN_vkCmdBeginTransformFeedbackEXT begin;
    PFN_vkCmdEndTransformFeedbackEXT end;
    PFN_vkCmdDrawIndirectByteCountEXT draw;
};

static struct commands find_commands(struct vkt *t)
{
    return (struct commands){
        (PFN_vkCmdBindTransformFeedbackBuffersEXT)vkGetDeviceProcAddr(t->device,
                                                                      "vkCmdBindTransformFeedbackBuffersEXT"),
        (PFN_vkCmdBeginTransformFeedbackEXT)vkGetDeviceProcAddr(t->device, "vkCmdBeginTransformFeedbackEXT"),
        (PFN_vkCmdEndTransformFeedbackEXT)vkGetDeviceProcAddr(t->device, "vkCmdEndTransformFeedbackEXT"),
        (PFN_vkCmdDrawIndirectByteCountEXT)vkGetDeviceProcAddr(t->device, "vkCmdDrawIndirectByteCountEXT")};
}

static void barrier(VkCommandBuffer cmd)
{
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0,
                         NULL, 0, NULL);
}

struct objects {
    struct vkt t;
    struct vkt_target target;
    struct vkt_buffer vertices, indices, captured[2], counters;
    struct vkt_pipeline capture, plain;
    VkQueryPool pool;
};

static void create(struct objects *o, enum vkt_which kind)
{
    static const char *const extensions[] = {VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
                                             VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME};
    VkPhysicalDeviceTransformFeedbackFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, .transformFeedback = VK_TRUE};
    const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT mode = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
        .provokingVertexMode =
            scene.last_provokes ? VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT : VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT};
    o->t = vkt_device_create_chain(vkt_device(kind), extensions, scene.has_mode ? 2 : 1, &features);
    struct vkt *t = &o->t;
    const uint16_t indices[VERTICES] = {0, 3, 1, 5, 4, 2, 7, 6, 9, 8, 11, 10, 13, 12};
    o->target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    o->vertices = vkt_buffer_create(t, VERTICES * sizeof(struct vertex), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
    fill(o->vertices.map);
    o->indices = vkt_buffer_create(t, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    for (uint32_t i = 0; i < 2; i++) {
        o->captured[i] = vkt_buffer_create(
            t, BUFFER_B, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
        memset(o->captured[i].map, 0xcc, BUFFER_B);
    }
    o->counters = vkt_buffer_create(
        t, 64, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, NULL);
    memset(o->counters.map, 0, 64);
    struct vkt_pipeline_info info = {.vs = VKT_SHADER(feedback_capture_vert),
                                     .fs = VKT_SHADER(flat_frag),
                                     .pass = o->target.pass,
                                     .bindings = &binding,
                                     .binding_count = 1,
                                     .attributes = attributes,
                                     .attribute_count = 2,
                                     .topology = scene.topology,
                                     .rasterizer_discard = scene.discards,
                                     .rasterization_next = scene.has_mode ? &mode : NULL,
                                     .width = W,
                                     .height = H};
    if (scene.has_blocks)
        info.vs = VKT_SHADER(feedback_blocks_vert);
    if (scene.emits)
        info.gs = VKT_SHADER(feedback_capture_geom);
    if (scene.discards)
        info.fs = (struct vkt_shader){0};
    o->capture = vkt_pipeline_create(t, &info);
    /* draws the captured positions and colours */
    const VkVertexInputBindingDescription both[] = {{0, STRIDE_1, VK_VERTEX_INPUT_RATE_VERTEX},
                                                    {1, STRIDE_0, VK_VERTEX_INPUT_RATE_VERTEX}};
    const VkVertexInputAttributeDescription again[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                       {1, 1, VK_FORMAT_R32G32B32A32_SFLOAT, 4}};
    o->plain = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(flat_vert),
                                                                  .fs = VKT_SHADER(flat_frag),
                                                                  .pass = o->target.pass,
                                                                  .bindings = both,
                                                                  .binding_count = 2,
                                                                  .attributes = again,
                                                                  .attribute_count = 2,
                                                                  .topology = VKT_TRIANGLES,
                                                                  .width = W,
                                                                  .height = H});
    vkt_ok(vkCreateQueryPool(t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT,
                                                      .queryCount = 1},
                             NULL, &o->pool));
}

static void destroy(struct objects *o)
{
    struct vkt *t = &o->t;
    vkDestroyQueryPool(t->device, o->pool, NULL);
    vkt_pipeline_destroy(t, &o->plain);
    vkt_pipeline_destroy(t, &o->capture);
    for (uint32_t i = 0; i < 2; i++)
        vkt_buffer_destroy(t, &o->captured[i]);
    vkt_buffer_destroy(t, &o->counters);
    vkt_buffer_destroy(t, &o->indices);
    vkt_buffer_destroy(t, &o->vertices);
    vkt_target_destroy(t, &o->target);
    vkt_device_close(t);
}

static void draw(struct objects *o, VkCommandBuffer cmd)
{
    const uint32_t instances = scene.instances ? scene.instances : 1;
    vkCmdBindVertexBuffers(cmd, 0, 1, &o->vertices.buffer, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(cmd, o->indices.buffer, 0, VK_INDEX_TYPE_UINT16);
    if (scene.indexed)
        vkCmdDrawIndexed(cmd, VERTICES, instances, 0, 0, 0);
    else
        vkCmdDraw(cmd, VERTICES, instances, 0, 0);
}

/* Pass `again`: the counters say where the first one has ended. */
static void capture_pass(struct objects *o, VkCommandBuffer cmd, bool again)
{
    const struct commands c = find_commands(&o->t);
    const VkBuffer buffers[] = {o->captured[0].buffer, o->captured[1].buffer},
                   counters[] = {o->counters.buffer, o->counters.buffer};
    const VkDeviceSize size_B = scene.size_B ? scene.size_B : BUFFER_B - 64, offsets[] = {64, 0}, places[] = {8, 4};
    vkt_begin_pass(cmd, &o->target, (float[]){0.2f, 0.2f, 0.2f, 1}, 1, 0);
    c.bind(cmd, 0, 2, buffers, offsets, (const VkDeviceSize[]){size_B, size_B});
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, o->capture.pipeline);
    if (!again)
        vkCmdBeginQuery(cmd, o->pool, 0, 0);
    c.begin(cmd, 0, again ? 2 : 0, again ? counters : NULL, again ? places : NULL);
    draw(o, cmd);
    c.end(cmd, 0, 2, counters, places);
    if (!again)
        vkCmdEndQuery(cmd, o->pool, 0);
    vkCmdEndRenderPass(cmd);
    barrier(cmd);
}

static void run(enum vkt_which kind, struct captured *out)
{
    struct objects o;
    create(&o, kind);
    struct vkt *t = &o.t;
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdResetQueryPool(cmd, o.pool, 0, 1);
    capture_pass(&o, cmd, false);
    if (scene.resumes)
        capture_pass(&o, cmd, true);
    if (scene.draws) {
        vkt_begin_pass(cmd, &o.target, (float[]){0.2f, 0.2f, 0.2f, 1}, 1, 0);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, o.plain.pipeline);
        vkCmdBindVertexBuffers(cmd, 0, 2, (const VkBuffer[]){o.captured[1].buffer, o.captured[0].buffer},
                               (const VkDeviceSize[]){0, 64});
        find_commands(t).draw(cmd, 1, 0, o.counters.buffer, 4, 0, STRIDE_1);
        vkCmdEndRenderPass(cmd);
    }
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < 2; i++)
        memcpy(out->bytes[i], o.captured[i].map, BUFFER_B);
    out->counters[0] = ((const uint32_t *)o.counters.map)[2];
    out->counters[1] = ((const uint32_t *)o.counters.map)[1];
    vkt_ok(vkGetQueryPoolResults(t->device, o.pool, 0, 1, sizeof out->primitives, out->primitives,
                                 sizeof out->primitives, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    struct vkt_picture picture = vkt_read_target(t, &o.target);
    memcpy(out->picture, picture.rgba, sizeof out->picture);
    vkt_picture_free(&picture);
    destroy(&o);
}

/* Runs on both devices and compares. */
static void compare(const char *name, const struct scene_info *info)
{
    static struct captured expected, got;
    scene = *info;
    run(VKT_TESTED, &got);
    run(VKT_REFERENCE, &expected);
    printf("# %s: %u and %u bytes, %u of %u primitives\n", name, got.counters[0], got.counters[1],
           (unsigned)got.primitives[0], (unsigned)got.primitives[1]);
    assert_int_equal(got.counters[0], expected.counters[0]);
    assert_int_equal(got.counters[1], expected.counters[1]);
    assert_int_equal(got.primitives[0], expected.primitives[0]);
    assert_int_equal(got.primitives[1], expected.primitives[1]);
    for (uint32_t i = 0; i < 2; i++)
        assert_memory_equal(got.bytes[i], expected.bytes[i], BUFFER_B);
    if (scene.draws)
        vkt_compare(name, &(struct vkt_picture){W, H, expected.picture}, &(struct vkt_picture){W, H, got.picture},
                    (struct vkt_tolerance){2, 40});
}

static const struct {
    const char *name;
    VkPrimitiveTopology topology;
} topologies[] = {
    {"points", VK_PRIMITIVE_TOPOLOGY_POINT_LIST},
    {"lines", VK_PRIMITIVE_TOPOLOGY_LINE_LIST},
    {"line strip", VK_PRIMITIVE_TOPOLOGY_LINE_STRIP},
    {"triangles", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
    {"triangle strip", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP},
};

static void topologies_become_lists(void **state)
{
    for (uint32_t i = 0; i < VKT_COUNT(topologies); i++) {
        compare(topologies[i].name, &(struct scene_info){.topology = topologies[i].topology, .discards = true});
        compare(topologies[i].name,
                &(struct scene_info){.topology = topologies[i].topology, .indexed = true, .instances = 2});
    }
}

static void full_buffers_take_no_more(void **state)
{
    compare("full", &(struct scene_info){.topology = VKT_TRIANGLES, .size_B = 7 * STRIDE_0});
}

static void blocks_have_buffers(void **state)
{
    compare("blocks", &(struct scene_info){.topology = VKT_TRIANGLES, .has_blocks = true, .discards = true});
}

static void counters_resume(void **state)
{
    compare("resumed", &(struct scene_info){.topology = VKT_TRIANGLES, .resumes = true, .discards = true});
}

static void captured_vertices_are_drawn(void **state)
{
    compare("drawn", &(struct scene_info){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .draws = true});
}

static void emitted_strips_are_captured(void **state)
{
    /* The vertex shader is that of the other cases, which captures where it is the last stage. */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkGraphicsPipelineCreateInfo-pStages-02318");
    vkt_accept_message(vkt_device(VKT_REFERENCE), "VUID-VkGraphicsPipelineCreateInfo-pStages-02318");
    compare("emitted", &(struct scene_info){.topology = VKT_TRIANGLES, .emits = true, .discards = true});
}

/* ---------------------------------------------------------------- provoking vertices */

/* Primitive `i` of a draw, in Vulkan's order for the first vertex: it provokes. */
struct primitive {
    uint32_t count, at[3];
};

static struct primitive triangle(bool is_odd, uint32_t a, uint32_t b, uint32_t c)
{
    return (struct primitive){3, {a, is_odd ? c : b, is_odd ? b : c}};
}

static struct primitive primitive_of(VkPrimitiveTopology topology, uint32_t i)
{
    switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
        return (struct primitive){2, {2 * i, 2 * i + 1}};
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
        return (struct primitive){2, {i, i + 1}};
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
        return (struct primitive){2, {4 * i + 1, 4 * i + 2}};
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
        return (struct primitive){2, {i + 1, i + 2}};
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST:
        return triangle(false, 3 * i, 3 * i + 1, 3 * i + 2);
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
        return triangle(i & 1, i, i + 1, i + 2);
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
        return triangle(false, i + 1, i + 2, 0);
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY:
        return triangle(false, 6 * i, 6 * i + 2, 6 * i + 4);
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
        return triangle(i & 1, 2 * i, 2 * i + 2, 2 * i + 4);
    default:
        return (struct primitive){1, {i}};
    }
}

/* The vertex that provokes if the last one does, by Vulkan's list of primitive topologies. */
static uint32_t last_of(VkPrimitiveTopology topology, uint32_t i)
{
    switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
        return i + 2;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
        return 2 * i + 4;
    default:
        return primitive_of(topology, i).at[primitive_of(topology, i).count - 1];
    }
}

static void rotate(struct primitive *p)
{
    const uint32_t first = p->at[0];
    memmove(p->at, p->at + 1, (p->count - 1) * sizeof first);
    p->at[p->count - 1] = first;
}

static void provoking_vertices_are_preserved(void **state)
{
    static const uint32_t primitives[] = {14, 7, 13, 4, 12, 12, 3, 11, 2, 5}; /* by topology */
    static struct captured got;
    VkPhysicalDeviceProvokingVertexPropertiesEXT properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &properties};
    vkGetPhysicalDeviceProperties2(vkt_device(VKT_TESTED)->physical, &all);
    assert_true(properties.transformFeedbackPreservesTriangleFanProvokingVertex);
    for (uint32_t i = 0; i < 2 * VKT_COUNT(primitives); i++) {
        const VkPrimitiveTopology topology = (VkPrimitiveTopology)(i / 2);
        const uint8_t *at = got.bytes[0] + 64 + 20; /* v_ids */
        scene = (struct scene_info){.topology = topology, .discards = true, .has_mode = true, .last_provokes = i & 1};
        run(VKT_TESTED, &got);
        assert_int_equal(got.primitives[0], primitives[topology]);
        for (uint32_t n = 0; n < primitives[topology]; n++) {
            struct primitive expected = primitive_of(topology, n);
            while (scene.last_provokes && expected.count == 3 && expected.at[2] != last_of(topology, n))
                rotate(&expected);
            for (uint32_t k = 0; k < expected.count; k++, at += STRIDE_0) {
                uint32_t vertex;
                memcpy(&vertex, at, sizeof vertex);
                if (vertex != expected.at[k])
                    fail_msg("topology %u, %s vertex: primitive %u has vertex %u instead of %u", topology,
                             i & 1 ? "last" : "first", n, vertex, expected.at[k]);
            }
        }
    }
}

/* lavapipe, if it has the feature, captures the same. */
static void last_vertices_are_those_of_lavapipe(void **state)
{
    VkPhysicalDeviceProvokingVertexFeaturesEXT provoking = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &provoking};
    vkGetPhysicalDeviceFeatures2(vkt_device(VKT_REFERENCE)->physical, &all);
    if (!provoking.transformFeedbackPreservesProvokingVertex)
        vkt_skip("the reference does not preserve provoking vertices");
    for (uint32_t i = 0; i < VKT_COUNT(topologies); i++)
        compare(topologies[i].name,
                &(struct scene_info){
                    .topology = topologies[i].topology, .discards = true, .has_mode = true, .last_provokes = true});
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkGraphicsPipelineCreateInfo-pStages-02318");
    vkt_accept_message(vkt_device(VKT_REFERENCE), "VUID-VkGraphicsPipelineCreateInfo-pStages-02318");
    compare("emitted",
            &(struct scene_info){
                .topology = VKT_TRIANGLES, .emits = true, .discards = true, .has_mode = true, .last_provokes = true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(topologies_become_lists, vkt_check_messages),
        cmocka_unit_test_teardown(full_buffers_take_no_more, vkt_check_messages),
        cmocka_unit_test_teardown(blocks_have_buffers, vkt_check_messages),
        cmocka_unit_test_teardown(counters_resume, vkt_check_messages),
        cmocka_unit_test_teardown(captured_vertices_are_drawn, vkt_check_messages),
        cmocka_unit_test_teardown(emitted_strips_are_captured, vkt_check_messages),
        cmocka_unit_test_teardown(provoking_vertices_are_preserved, vkt_check_messages),
        cmocka_unit_test_teardown(last_vertices_are_those_of_lavapipe, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
