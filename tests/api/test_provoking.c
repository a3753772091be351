/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_provoking_vertex: the last vertex of a primitive gives flat inputs their values where a pipeline asks for it,
 * beside pipelines of the same pass that leave it to the first: every topology, with and without indices of each width,
 * with restarts, many instances at once, polygons as lines and points. Everything is drawn by the reference, too.
 */
#include <stdio.h>
#include <string.h>
#include "vkt.h"
#include "flat.frag.h"
#include "flat.vert.h"

#define W       128
#define H       128
#define CORNERS 24u

struct vertex {
    float position[4];
    float color[4];
};

static struct {
    VkPrimitiveTopology topology;
    VkPolygonMode polygon;
    uint32_t index_B;   /* 0: no indices */
    uint32_t instances; /* all alike */
} now;

static struct vkt devices[2]; /* the tested one and the reference, with the extension */

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
    return now.topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP || now.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP ||
           now.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
}

/* A band of corners around height `y`, up and down in turns; each has a colour. */
static void fill_band(struct vertex *v, float y)
{
    for (uint32_t i = 0; i < CORNERS; i++) {
        const uint32_t word = hash(i + 1);
        v[i] = (struct vertex){
            {(float)i / (CORNERS - 1) * 1.8f - 0.9f, y + (i % 2 ? 0.4f : -0.4f) * (i % 3 ? 1 : 0.7f), 0, 1},
            {(float)(word & 255) / 255, (float)(word >> 8 & 255) / 255, (float)(word >> 16 & 255) / 255, 1}};
    }
    if (now.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN)
        v[0].position[0] = 0, v[0].position[1] = y - 0.47f;
}

static struct vkt_buffer make_indices(struct vkt *t)
{
    uint8_t bytes[CORNERS * 4];
    for (uint32_t i = 0; i < CORNERS; i++) {
        const uint32_t index = i == 9 && is_strip() ? UINT32_MAX : (i * 5 + 1) % 12 + i / 12 * 12;
        memcpy(bytes + i * now.index_B, &index, now.index_B); /* little-endian */
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
                                                              .topology = now.topology,
                                                              .primitive_restart = now.index_B && is_strip(),
                                                              .polygon_mode = now.polygon,
                                                              .rasterization_next = &provoking,
                                                              .width = W,
                                                              .height = H});
}

/* Above: the last vertex provokes; below: the first. */
static void scene(struct vkt *base, struct vkt_picture *out)
{
    static const VkIndexType types[] = {0, VK_INDEX_TYPE_UINT8_EXT, VK_INDEX_TYPE_UINT16, 0, VK_INDEX_TYPE_UINT32};
    static const VkProvokingVertexModeEXT modes[] = {VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT,
                                                     VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT};
    struct vkt *t = &devices[base == vkt_device(VKT_TESTED) ? VKT_TESTED : VKT_REFERENCE];
    struct vertex v[2 * CORNERS];
    for (uint32_t i = 0; i < 2; i++)
        fill_band(v + i * CORNERS, i ? 0.5f : -0.5f);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipelines[2];
    for (uint32_t i = 0; i < 2; i++)
        pipelines[i] = make_pipeline(t, &target, modes[i]);
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    struct vkt_buffer indices = make_indices(t);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.2f, 0.2f, 0.2f, 1}, 1, 0);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    if (now.index_B)
        vkCmdBindIndexBuffer(cmd, indices.buffer, 0, types[now.index_B]);
    for (uint32_t i = 0; i < 2; i++) {
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[i].pipeline);
        if (now.index_B)
            vkCmdDrawIndexed(cmd, CORNERS, now.instances, 0, (int32_t)(i * CORNERS), 0);
        else
            vkCmdDraw(cmd, CORNERS, now.instances, i * CORNERS, 0);
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
    return now.polygon == VK_POLYGON_MODE_LINE || now.topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST ||
           now.topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
}

/* Which pixels a line covers is left open in part, so only those count that both have covered. Few of them are of
 * another line; a wrong vertex makes nearly all of them differ. */
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
            now.topology = (VkPrimitiveTopology)i;
            now.polygon = VK_POLYGON_MODE_FILL;
            now.index_B = index_B;
            now.instances = instances;
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
                now.topology = (VkPrimitiveTopology)i;
                now.polygon = polygon;
                now.index_B = index_B;
                now.instances = 1;
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
    /* There is no transform feedback. */
    assert_int_equal(features.transformFeedbackPreservesProvokingVertex, VK_FALSE);
    assert_int_equal(properties.transformFeedbackPreservesTriangleFanProvokingVertex, VK_FALSE);
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
