/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_provoking_vertex: pipelines whose flat inputs come from the last vertex of a primitive, next to pipelines of
 * the same pass that use the first. Covers every topology, with and without indices of each width, with restarts, with
 * many instances at once, and polygons as lines and points. All results are compared with the reference driver's.
 */
#include <stdio.h>
#include <string.h>
#include "vkt.h"
#include "flat.frag.h"
#include "flat.vert.h"

#define W        128
#define H        128
#define VERTICES 24u

struct vertex {
    float position[4];
    float color[4];
};

/* The case being drawn. */
static struct {
    VkPrimitiveTopology topology;
    VkPolygonMode polygon;
    uint32_t index_B;   /* 0: no indices */
    uint32_t instances; /* all the same */
} draw_case;

static struct vkt devices[2]; /* tested and reference, with the extensions */

static int open_devices(void **state)
{
    static const char *const extensions[] = {VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
                                             VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME};
    for (int which = 0; which < 2; which++)
        devices[which] = vkt_device_create_with(vkt_device(which), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_devices(void **state)
{
    for (int which = 0; which < 2; which++)
        vkt_device_close(&devices[which]);
    return vkt_teardown(state);
}

static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static bool is_strip(void)
{
    return draw_case.topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP ||
           draw_case.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP ||
           draw_case.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
}

/* A band of vertices around `y`, alternately above and below, each with its own color. */
static void fill_band(struct vertex *v, float y)
{
    for (uint32_t i = 0; i < VERTICES; i++) {
        const uint32_t word = hash(i + 1);
        v[i] = (struct vertex){
            {(float)i / (VERTICES - 1) * 1.8f - 0.9f, y + (i % 2 ? 0.4f : -0.4f) * (i % 3 ? 1 : 0.7f), 0, 1},
            {(float)(word & 255) / 255, (float)(word >> 8 & 255) / 255, (float)(word >> 16 & 255) / 255, 1}};
    }
    if (draw_case.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN)
        v[0].position[0] = 0, v[0].position[1] = y - 0.47f;
}

static struct vkt_buffer make_indices(struct vkt *t)
{
    uint8_t bytes[VERTICES * 4];
    for (uint32_t i = 0; i < VERTICES; i++) {
        const uint32_t index = i == 9 && is_strip() ? UINT32_MAX : (i * 5 + 1) % 12 + i / 12 * 12;
        memcpy(bytes + i * draw_case.index_B, &index, draw_case.index_B); /* little-endian */
    }
    return vkt_buffer_create(t, sizeof bytes, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, bytes);
}

static struct vkt_pipeline make_pipeline(struct vkt *t, const struct vkt_target *target, VkProvokingVertexModeEXT mode)
{
    static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                                   {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
    const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
        .provokingVertexMode = mode};
    return vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(flat_vert),
                                                              .fs = VKT_SHADER(flat_frag),
                                                              .pass = target->pass,
                                                              .bindings = &binding,
                                                              .binding_count = 1,
                                                              .attributes = attributes,
                                                              .attribute_count = 2,
                                                              .topology = draw_case.topology,
                                                              .primitive_restart = draw_case.index_B && is_strip(),
                                                              .polygon_mode = draw_case.polygon,
                                                              .rasterization_next = &provoking,
                                                              .width = W,
                                                              .height = H});
}

/* The last vertex provokes in the upper band, the first in the lower. */
static void scene(struct vkt *base, struct vkt_picture *out)
{
    static const VkIndexType types[] = {0, VK_INDEX_TYPE_UINT8_EXT, VK_INDEX_TYPE_UINT16, 0, VK_INDEX_TYPE_UINT32};
    static const VkProvokingVertexModeEXT modes[] = {VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT,
                                                     VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT};
    struct vkt *t = &devices[base == vkt_device(VKT_TESTED) ? VKT_TESTED : VKT_REFERENCE];
    struct vertex v[2 * VERTICES];
    for (uint32_t i = 0; i < 2; i++)
        fill_band(v + i * VERTICES, i ? 0.5f : -0.5f);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipelines[2];
    for (uint32_t i = 0; i < 2; i++)
        pipelines[i] = make_pipeline(t, &target, modes[i]);
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    struct vkt_buffer indices = make_indices(t);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.2f, 0.2f, 0.2f, 1}, 1, 0);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    if (draw_case.index_B)
        vkCmdBindIndexBuffer(cmd, indices.buffer, 0, types[draw_case.index_B]);
    for (uint32_t i = 0; i < 2; i++) {
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[i].pipeline);
        if (draw_case.index_B)
            vkCmdDrawIndexed(cmd, VERTICES, draw_case.instances, 0, (int32_t)(i * VERTICES), 0);
        else
            vkCmdDraw(cmd, VERTICES, draw_case.instances, i * VERTICES, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &vertices);
    vkt_buffer_destroy(t, &indices);
    for (uint32_t i = 0; i < 2; i++)
        vkt_pipeline_destroy(t, &pipelines[i]);
    vkt_target_destroy(t, &target);
}

static bool draws_lines(void)
{
    return draw_case.polygon == VK_POLYGON_MODE_LINE || draw_case.topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST ||
           draw_case.topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
}

/* Implementations may choose some of the pixels of a line, so only pixels that both drivers have covered count. Few of
 * them show another line; a wrong provoking vertex makes nearly all of them differ. */
static void compare_lines(const char *name)
{
    struct vkt_picture pictures[2];
    uint32_t both = 0, differ = 0;
    for (int which = 0; which < 2; which++)
        scene(vkt_device(which), &pictures[which]);
    for (uint32_t i = 0; i < W * H; i++) {
        const uint8_t *a = pictures[0].rgba + 4 * i, *b = pictures[1].rgba + 4 * i;
        const bool covered = memcmp(a, (uint8_t[]){51, 51, 51, 255}, 4) && memcmp(b, (uint8_t[]){51, 51, 51, 255}, 4);
        both += covered;
        differ += covered && memcmp(a, b, 4);
    }
    for (int which = 0; which < 2; which++)
        vkt_picture_free(&pictures[which]);
    if (both < 300 || differ > both / 5)
        fail_msg("%s: %u of %u covered pixels differ", name, differ, both);
}

static void compare(const char *name)
{
    if (draws_lines())
        compare_lines(name);
    else
        vkt_compare_with_reference(name, scene, (struct vkt_tolerance){0, 15}); /* edges */
}

static const char *const topologies[] = {"points", "lines", "line_strip", "triangles", "strip", "fan"};

static void draw_all(uint32_t instances)
{
    for (uint32_t i = 0; i < VKT_COUNT(topologies); i++)
        for (uint32_t index_B = 0; index_B <= 4; index_B = index_B ? 2 * index_B : 1) {
            char name[64];
            draw_case.topology = (VkPrimitiveTopology)i;
            draw_case.polygon = VK_POLYGON_MODE_FILL;
            draw_case.index_B = index_B;
            draw_case.instances = instances;
            snprintf(name, sizeof name, "provoking_%s_%u_of_%u", topologies[i], index_B, instances);
            compare(name);
        }
}

static void each_pipeline_has_its_mode(void **state)
{
    draw_all(1);
}

static void merged_instances(void **state)
{
    draw_all(9);
}

static void polygons_as_lines_and_points(void **state)
{
    for (uint32_t i = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST; i <= VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN; i++)
        for (VkPolygonMode polygon = VK_POLYGON_MODE_LINE; polygon <= VK_POLYGON_MODE_POINT; polygon++)
            for (uint32_t index_B = 0; index_B <= 2; index_B += 2) {
                char name[64];
                draw_case.topology = (VkPrimitiveTopology)i;
                draw_case.polygon = polygon;
                draw_case.index_B = index_B;
                draw_case.instances = 1;
                snprintf(name, sizeof name, "provoking_%s_%u_as_%d", topologies[i], index_B, (int)polygon);
                compare(name);
            }
}

static void what_is_reported(void **state)
{
    VkPhysicalDeviceProvokingVertexFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT,
        .transformFeedbackPreservesProvokingVertex = 77};
    VkPhysicalDeviceProvokingVertexPropertiesEXT properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_PROPERTIES_EXT,
        .transformFeedbackPreservesTriangleFanProvokingVertex = 77};
    VkPhysicalDeviceFeatures2 features2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features};
    VkPhysicalDeviceProperties2 properties2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                               .pNext = &properties};
    VkInstance instance = devices[VKT_TESTED].instance;
    ((PFN_vkGetPhysicalDeviceFeatures2)vkGetInstanceProcAddr(instance, "vkGetPhysicalDeviceFeatures2KHR"))(
        devices[VKT_TESTED].physical, &features2);
    ((PFN_vkGetPhysicalDeviceProperties2)vkGetInstanceProcAddr(instance, "vkGetPhysicalDeviceProperties2KHR"))(
        devices[VKT_TESTED].physical, &properties2);
    assert_true(features.provokingVertexLast);
    assert_true(properties.provokingVertexModePerPipeline);
    /* test_transform_feedback.c shows in which order vertices are captured */
    assert_int_equal(features.transformFeedbackPreservesProvokingVertex, VK_TRUE);
    assert_int_equal(properties.transformFeedbackPreservesTriangleFanProvokingVertex, VK_TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_reported, vkt_check_messages),
        cmocka_unit_test_teardown(each_pipeline_has_its_mode, vkt_check_messages),
        cmocka_unit_test_teardown(merged_instances, vkt_check_messages),
        cmocka_unit_test_teardown(polygons_as_lines_and_points, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("provoking", tests, open_devices, close_devices);
}
