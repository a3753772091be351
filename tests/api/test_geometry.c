/* SPDX-License-Identifier: MIT
 *
 * Geometry shaders: the vertices of all topologies with indices, restarts and instances; what they emit, where it goes,
 * and what they read. Each case draws the same scene on lavapipe.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "geometry.frag.h"
#include "geometry.vert.h"
#include "geometry_crowd.frag.h"
#include "geometry_crowd.geom.h"
#include "geometry_distances.geom.h"
#include "geometry_distances.vert.h"
#include "geometry_dots.geom.h"
#include "geometry_id.frag.h"
#include "geometry_id.geom.h"
#include "geometry_lines.geom.h"
#include "geometry_lines_adjacency.geom.h"
#include "geometry_many.frag.h"
#include "geometry_many.geom.h"
#include "geometry_outlines.geom.h"
#include "geometry_points.geom.h"
#include "geometry_resources.geom.h"
#include "geometry_stores.geom.h"
#include "geometry_targets.geom.h"
#include "geometry_triangles.geom.h"
#include "geometry_triangles_adjacency.geom.h"
#include "geometry_views.geom.h"
#include "geometry_wide.frag.h"
#include "geometry_wide.vert.h"

enum { W = 128, H = 96, VERTICES = 24, LAYERS = 3 };

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
static const struct vkt_tolerance edges = {2, 30};

/* What a case draws. */
static struct scene_info {
    struct vkt_shader vs, gs, fs;
    VkPrimitiveTopology topology;
    uint32_t index_B; /* 0: no indices */
    bool restart, indirect;
    uint32_t count, instances; /* vertices or indices */
    VkPolygonMode polygon_mode;
    bool instanced_color; /* colours step once per instance */
} scene;

static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* A band of vertices, alternately above and below, each with its own color. */
static void fill_band(struct vertex v[VERTICES])
{
    for (uint32_t i = 0; i < VERTICES; i++) {
        const uint32_t word = hash(i + 1);
        v[i] = (struct vertex){
            {(float)i / (VERTICES - 1) * 1.7f - 0.9f, (i % 2 ? 0.5f : -0.8f) * (i % 3 ? 1 : 0.7f), 0.5f, 1},
            {(float)(word & 255) / 255, (float)(word >> 8 & 255) / 255, (float)(word >> 16 & 255) / 255, 1}};
    }
}

static struct vkt_buffer index_buffer(struct vkt *t)
{
    struct vkt_buffer b = vkt_buffer_create(t, 4 * VERTICES, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, NULL);
    const uint32_t highest = scene.index_B == 4 ? UINT32_MAX : UINT16_MAX;
    for (uint32_t i = 0; i < VERTICES; i++) {
        const uint32_t index = scene.restart && (i == 7 || i == 15) ? highest : (i * 5) % 19;
        memcpy((char *)b.map + i * scene.index_B, &index, scene.index_B);
    }
    return b;
}

static struct vkt_buffer indirect_buffer(struct vkt *t)
{
    struct vkt_buffer b = vkt_buffer_create(t, 32, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, NULL);
    if (scene.index_B)
        memcpy(b.map, &(VkDrawIndexedIndirectCommand){scene.count, scene.instances, 1, 2, 0},
               sizeof(VkDrawIndexedIndirectCommand));
    else
        memcpy(b.map, &(VkDrawIndirectCommand){scene.count, scene.instances, 1, 0}, sizeof(VkDrawIndirectCommand));
    return b;
}

static struct vkt_pipeline pipeline_for(struct vkt *t, const struct vkt_target *target)
{
    VkVertexInputBindingDescription bindings[2] = {binding, binding};
    VkVertexInputAttributeDescription both[2] = {attributes[0], attributes[1]};
    bindings[1].binding = 1;
    bindings[1].inputRate = VK_VERTEX_INPUT_RATE_INSTANCE;
    both[1].binding = scene.instanced_color;
    return vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = scene.vs,
                                                              .gs = scene.gs,
                                                              .fs = scene.fs,
                                                              .pass = target->pass,
                                                              .bindings = bindings,
                                                              .binding_count = 1 + scene.instanced_color,
                                                              .attributes = both,
                                                              .attribute_count = 2,
                                                              .topology = scene.topology,
                                                              .primitive_restart = scene.restart,
                                                              .polygon_mode = scene.polygon_mode,
                                                              .width = W,
                                                              .height = H});
}

static void record(VkCommandBuffer cmd, const struct vkt_buffer *indices, const struct vkt_buffer *indirect)
{
    if (indirect && indices)
        vkCmdDrawIndexedIndirect(cmd, indirect->buffer, 0, 1, 0);
    else if (indirect)
        vkCmdDrawIndirect(cmd, indirect->buffer, 0, 1, 0);
    else if (indices)
        vkCmdDrawIndexed(cmd, scene.count, scene.instances, 0, 2, 0);
    else
        vkCmdDraw(cmd, scene.count, scene.instances, 0, 0);
}

static void draw(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D16_UNORM);
    struct vkt_buffer vertices =
        vkt_buffer_create(t, VERTICES * sizeof(struct vertex), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
    struct vkt_buffer indices = {0}, indirect = {0};
    struct vkt_pipeline pipeline = pipeline_for(t, &target);
    fill_band(vertices.map);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, grey, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 2, (VkBuffer[]){vertices.buffer, vertices.buffer}, (VkDeviceSize[]){0, 64});
    if (scene.index_B) {
        indices = index_buffer(t);
        vkCmdBindIndexBuffer(cmd, indices.buffer, 0, scene.index_B == 4 ? VK_INDEX_TYPE_UINT32 : VK_INDEX_TYPE_UINT16);
    }
    if (scene.indirect)
        indirect = indirect_buffer(t);
    record(cmd, scene.index_B ? &indices : NULL, scene.indirect ? &indirect : NULL);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_buffer_destroy(t, &vertices);
    vkt_buffer_destroy(t, &indices);
    vkt_buffer_destroy(t, &indirect);
    vkt_target_destroy(t, &target);
}

static void compare(const char *name, const struct scene_info *info)
{
    scene = *info;
    scene.vs = info->vs.words ? info->vs : VKT_SHADER(geometry_vert);
    scene.fs = info->fs.words ? info->fs : VKT_SHADER(geometry_frag);
    scene.count = info->count ? info->count : VERTICES;
    scene.instances = info->instances ? info->instances : 1;
    vkt_compare_with_reference(name, draw, edges);
}

/* ---------------------------------------------------------------- what comes in */

static const struct {
    const char *name;
    VkPrimitiveTopology topology;
    struct vkt_shader gs;
} topologies[] = {
    {"points", VK_PRIMITIVE_TOPOLOGY_POINT_LIST, VKT_SHADER(geometry_points_geom)},
    {"lines", VK_PRIMITIVE_TOPOLOGY_LINE_LIST, VKT_SHADER(geometry_lines_geom)},
    {"line strip", VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, VKT_SHADER(geometry_lines_geom)},
    {"triangles", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VKT_SHADER(geometry_triangles_geom)},
    {"triangle strip", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VKT_SHADER(geometry_triangles_geom)},
    {"triangle fan", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, VKT_SHADER(geometry_triangles_geom)},
    {"lines with adjacency", VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY, VKT_SHADER(geometry_lines_adjacency_geom)},
    {"line strip with adjacency", VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY,
     VKT_SHADER(geometry_lines_adjacency_geom)},
    {"triangles with adjacency", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY,
     VKT_SHADER(geometry_triangles_adjacency_geom)},
    {"triangle strip with adjacency", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY,
     VKT_SHADER(geometry_triangles_adjacency_geom)},
};

static bool is_strip(VkPrimitiveTopology topology)
{
    return topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP || topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP ||
           topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN ||
           topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY ||
           topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
}

static void primitives_have_their_vertices(void **state)
{
    for (uint32_t i = 0; i < VKT_COUNT(topologies); i++)
        for (uint32_t index_B = 0; index_B <= 4; index_B += 2) {
            const bool restart = index_B && is_strip(topologies[i].topology);
            char name[80];
            snprintf(name, sizeof name, "%s, indices of %u bytes", topologies[i].name, index_B);
            compare(name, &(struct scene_info){.gs = topologies[i].gs,
                                               .topology = topologies[i].topology,
                                               .index_B = index_B,
                                               .restart = restart,
                                               .count = index_B == 2 ? VERTICES : VERTICES - 1});
        }
}

static void short_strips_are_complete(void **state)
{
    for (uint32_t count = 5; count <= 9; count++)
        compare("few vertices", &(struct scene_info){.gs = VKT_SHADER(geometry_triangles_adjacency_geom),
                                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY,
                                                     .count = count});
}

static void instances_are_numbered(void **state)
{
    const struct scene_info plain = {.gs = VKT_SHADER(geometry_triangles_geom),
                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                     .instances = 3,
                                     .count = 9};
    struct scene_info other = plain;
    compare("instances", &plain);
    other.instanced_color = true;
    compare("attributes of instances", &other);
    other.indirect = true;
    compare("indirect", &other);
    other.index_B = 2;
    compare("indirect with indices", &other);
}

/* ---------------------------------------------------------------- what comes out */

static void lines_and_points_are_emitted(void **state)
{
    compare("outlines", &(struct scene_info){.gs = VKT_SHADER(geometry_outlines_geom),
                                             .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST});
    compare("dots", &(struct scene_info){.gs = VKT_SHADER(geometry_dots_geom),
                                         .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST});
}

static void polygons_are_drawn_as_lines_and_points(void **state)
{
    for (uint32_t mode = VK_POLYGON_MODE_LINE; mode <= VK_POLYGON_MODE_POINT; mode++)
        compare("polygon mode", &(struct scene_info){.gs = VKT_SHADER(geometry_triangles_geom),
                                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                                     .polygon_mode = (VkPolygonMode)mode});
}

static void distances_clip_and_cull(void **state)
{
    compare("distances", &(struct scene_info){.vs = VKT_SHADER(geometry_distances_vert),
                                              .gs = VKT_SHADER(geometry_distances_geom),
                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP});
}

static void all_components_arrive(void **state)
{
    compare("many components", &(struct scene_info){.gs = VKT_SHADER(geometry_many_geom),
                                                    .fs = VKT_SHADER(geometry_many_frag),
                                                    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST});
}

static void crowd_pixel(uint32_t x, uint32_t y, uint8_t rgba_out[4])
{
    const uint32_t number = y * W + x;
    memcpy(rgba_out, (uint8_t[]){(uint8_t)(number % 251), (uint8_t)(number % 241), (uint8_t)(number % 239), 255}, 4);
}

/* The largest outputs that the limits allow fill the picture. */
static void all_vertices_are_emitted(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    assert_int_equal(t->properties.limits.maxGeometryOutputVertices, 1024);
    assert_int_equal(t->properties.limits.maxGeometryTotalOutputComponents, 1024 * 16);
    scene = (struct scene_info){.vs = VKT_SHADER(geometry_vert),
                                .gs = VKT_SHADER(geometry_crowd_geom),
                                .fs = VKT_SHADER(geometry_crowd_frag),
                                .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                .count = W * H / (2 * 1024),
                                .instances = 1};
    struct vkt_picture got, expected = vkt_picture_compute(W, H, crowd_pixel);
    draw(t, &got);
    vkt_compare("crowd", &expected, &got, (struct vkt_tolerance){1, 0});
    vkt_picture_free(&expected);
    vkt_picture_free(&got);
}

static void outputs_that_are_not_read_are_dropped(void **state)
{
    /* The layer counts all members of gl_PerVertex. */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-RuntimeSpirv-Location-06272");
    vkt_accept_message(vkt_device(VKT_REFERENCE), "VUID-RuntimeSpirv-Location-06272");
    compare("wide", &(struct scene_info){.vs = VKT_SHADER(geometry_wide_vert),
                                         .fs = VKT_SHADER(geometry_wide_frag),
                                         .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP});
}

static void fragments_know_their_primitive(void **state)
{
    for (uint32_t i = 0; i < VKT_COUNT(topologies); i++)
        compare(topologies[i].name, &(struct scene_info){.fs = VKT_SHADER(geometry_id_frag),
                                                         .topology = topologies[i].topology,
                                                         .index_B = i % 2 ? 2 : 0,
                                                         .instances = 2});
    compare("numbered by the shader", &(struct scene_info){.gs = VKT_SHADER(geometry_id_geom),
                                                           .fs = VKT_SHADER(geometry_id_frag),
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST});
}

/* ---------------------------------------------------------------- layers and viewports */

static void find_viewports(VkViewport viewports[4], VkRect2D scissors[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        viewports[i] = (VkViewport){(float)(i % 2 * W / 2), (float)(i / 2 * H / 2), W / 2, H / 2, 0, 1};
        scissors[i] = (VkRect2D){{(int32_t)(i % 2 * W / 2 + i), (int32_t)(i / 2 * H / 2)}, {W / 2 - 2 * i, H / 2}};
    }
}

static bool shows_views; /* of multiview, instead of layers that the shader selects */

static VkRenderPass create_multiview_pass(struct vkt *t);

/* All layers, one below the other. */
static void draw_layers(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_image layers = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = W,
                                    .height = H,
                                    .layers = LAYERS,
                                    .array = true,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    struct vkt_buffer vertices =
        vkt_buffer_create(t, VERTICES * sizeof(struct vertex), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
    VkViewport viewports[4];
    VkRect2D scissors[4];
    VkFramebuffer framebuffer;
    fill_band(vertices.map);
    find_viewports(viewports, scissors);
    const VkRenderPass pass = shows_views ? create_multiview_pass(t) : target.pass;
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = pass,
                                                          .attachmentCount = 1,
                                                          .pAttachments = &layers.view,
                                                          .width = W,
                                                          .height = H,
                                                          .layers = shows_views ? 1 : LAYERS},
                               NULL, &framebuffer));
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(geometry_vert),
                                                           .gs = shows_views ? VKT_SHADER(geometry_views_geom)
                                                                             : VKT_SHADER(geometry_targets_geom),
                                                           .fs = VKT_SHADER(geometry_frag),
                                                           .pass = pass,
                                                           .bindings = &binding,
                                                           .binding_count = 1,
                                                           .attributes = attributes,
                                                           .attribute_count = 2,
                                                           .topology = VKT_TRIANGLES,
                                                           .width = W,
                                                           .height = H,
                                                           .viewport_count = shows_views ? 0 : 4,
                                                           .viewports = shows_views ? NULL : viewports,
                                                           .scissors = shows_views ? NULL : scissors});
    VkCommandBuffer cmd = vkt_begin(t);
    const VkClearValue clear = {.color = {.float32 = {0.2f, 0.2f, 0.2f, 1}}};
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = pass,
                                                  .framebuffer = framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}},
                                                  .clearValueCount = 1,
                                                  .pClearValues = &clear},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, VERTICES, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = (struct vkt_picture){W, H * LAYERS, malloc(W * H * LAYERS * 4)};
    for (uint32_t i = 0; i < LAYERS; i++)
        vkt_read_image(t, &layers, 0, i, out->rgba + i * W * H * 4, W * H * 4);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyFramebuffer(t->device, framebuffer, NULL);
    if (shows_views)
        vkDestroyRenderPass(t->device, pass, NULL);
    vkt_buffer_destroy(t, &vertices);
    vkt_image_destroy(t, &layers);
    vkt_target_destroy(t, &target);
}

static VkRenderPass create_multiview_pass(struct vkt *t)
{
    VkRenderPass pass;
    const uint32_t mask = (1u << LAYERS) - 1;
    vkt_ok(vkCreateRenderPass(
        t->device,
        &(VkRenderPassCreateInfo){
            .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
            .pNext = &(VkRenderPassMultiviewCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
                                                        .subpassCount = 1,
                                                        .pViewMasks = &mask},
            .attachmentCount = 1,
            .pAttachments = &(VkAttachmentDescription){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                       .samples = VK_SAMPLE_COUNT_1_BIT,
                                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                       .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
            .subpassCount = 1,
            .pSubpasses =
                &(VkSubpassDescription){.colorAttachmentCount = 1,
                                        .pColorAttachments =
                                            &(VkAttachmentReference){0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}},
            .dependencyCount = 1,
            .pDependencies = &(VkSubpassDependency){.srcSubpass = 0,
                                                    .dstSubpass = VK_SUBPASS_EXTERNAL,
                                                    .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                                    .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                    .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                                    .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT},
        },
        NULL, &pass));
    return pass;
}

static void views_are_expanded(void **state)
{
    shows_views = true;
    vkt_compare_with_reference("views", draw_layers, edges);
    shows_views = false;
}

static void primitives_go_to_layers_and_viewports(void **state)
{
    vkt_compare_with_reference("layers and viewports", draw_layers, edges);
}

/* ---------------------------------------------------------------- what shaders read, and queries */

#define DOTS 3000u /* several pieces */

struct push {
    float shift[2];
    int32_t squares;
};

static VkDescriptorSetLayout resources_create(struct vkt *t, struct vkt_buffer *offsets, struct vkt_buffer *sizes,
                                              struct vkt_image *colors, VkSampler *sampler, VkDescriptorSet *set)
{
    static const uint8_t texels[] = {255, 0,  0,   255, 0,  255, 0, 255, 90,  90, 255, 255, 255, 255, 0, 255,
                                     0,   99, 255, 255, 99, 0,   0, 255, 200, 9,  255, 255, 0,   0,   0, 255};
    const VkShaderStageFlags stage = VK_SHADER_STAGE_GEOMETRY_BIT;
    const VkDescriptorSetLayout layout =
        vkt_set_layout_create(t,
                              (const struct vkt_binding[]){{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, stage, 1},
                                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, stage, 1},
                                                           {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, stage, 1}},
                              3);
    *set = vkt_set_alloc(t, layout);
    *offsets = vkt_buffer_create(t, 64, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, NULL);
    *sizes = vkt_buffer_create(t, 12, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL);
    for (uint32_t i = 0; i < 16; i++)
        ((float *)offsets->map)[i] = i % 4 < 2 ? 0.01f * (float)i : 0;
    memcpy(sizes->map, (const float[]){0.05f, 0.1f, 0.07f}, 12);
    *colors = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = 4,
                                    .height = 2,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    vkt_image_upload(t, colors, 0, 0, texels, sizeof texels);
    *sampler = vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                  VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    vkt_set_buffer(t, *set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, offsets->buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(t, *set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sizes->buffer, 0, VK_WHOLE_SIZE);
    vkt_set_texture(t, *set, 2, colors->view, *sampler);
    return layout;
}

static uint64_t counted[2]; /* samples of the tested device and of the reference */

/* Thousands of squares in a secondary command buffer, whose samples a query counts. */
static void draw_dots(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_buffer vertices =
        vkt_buffer_create(t, DOTS * sizeof(struct vertex), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
    struct vkt_buffer offsets, sizes;
    struct vkt_image colors;
    VkSampler sampler;
    VkDescriptorSet set;
    VkQueryPool pool;
    const VkDescriptorSetLayout layout = resources_create(t, &offsets, &sizes, &colors, &sampler, &set);
    for (uint32_t i = 0; i < DOTS; i++)
        ((struct vertex *)vertices.map)[i] = (struct vertex){
            {(float)(hash(i) % 1000) / 500 - 1, (float)(hash(i + 1) % 1000) / 500 - 1, 0.5f, 1}, {1, 1, 1, 1}};
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(geometry_vert),
                                                           .gs = VKT_SHADER(geometry_resources_geom),
                                                           .fs = VKT_SHADER(geometry_frag),
                                                           .pass = target.pass,
                                                           .bindings = &binding,
                                                           .binding_count = 1,
                                                           .attributes = attributes,
                                                           .attribute_count = 2,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                           .push_size_B = sizeof(struct push),
                                                           .push_stages = VK_SHADER_STAGE_GEOMETRY_BIT,
                                                           .set_layouts = {layout},
                                                           .set_layout_count = 1,
                                                           .width = W,
                                                           .height = H});
    vkt_ok(vkCreateQueryPool(t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = 1},
                             NULL, &pool));
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    vkt_begin_pass(cmd, &target, grey, 1, 0);
    vkCmdBeginQuery(cmd, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, pipeline.layout,
                       VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_GEOMETRY_BIT, 0,
                       sizeof(struct push), &(struct push){{-0.02f, 0.01f}, 2});
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, DOTS, 1, 0, 0);
    vkCmdEndQuery(cmd, pool, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkt_ok(vkGetQueryPoolResults(t->device, pool, 0, 1, 8, &counted[t == vkt_device(VKT_REFERENCE)], 8,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    *out = vkt_read_target(t, &target);
    vkDestroyQueryPool(t->device, pool, NULL);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkDestroySampler(t->device, sampler, NULL);
    vkt_image_destroy(t, &colors);
    vkt_buffer_destroy(t, &sizes);
    vkt_buffer_destroy(t, &offsets);
    vkt_buffer_destroy(t, &vertices);
    vkt_target_destroy(t, &target);
}

static void thousands_of_primitives_read_resources(void **state)
{
    vkt_compare_with_reference("resources", draw_dots, edges);
    if (counted[1]) /* the reference has drawn as well */
        assert_in_range(counted[0], counted[1] - counted[1] / 50, counted[1] + counted[1] / 50); /* edges differ */
}

/* Each invocation stores once, however often the draw is replayed. */
static void invocations_store_once(void **state)
{
    const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT};
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct vkt_binding stored = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_GEOMETRY_BIT, 1};
    for (uint32_t f = 0; f < VKT_COUNT(formats); f++) {
        struct vkt_target target = vkt_target_create(t, W, H, formats[f], VK_FORMAT_UNDEFINED);
        struct vkt_buffer vertices =
            vkt_buffer_create(t, VERTICES * sizeof(struct vertex), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
        struct vkt_buffer counts = vkt_storage_buffer(t, 1 + 2 * VERTICES, 0);
        const VkDescriptorSetLayout layout = vkt_set_layout_create(t, &stored, 1);
        const VkDescriptorSet set = vkt_set_alloc(t, layout);
        vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counts.buffer, 0, VK_WHOLE_SIZE);
        struct vkt_pipeline pipeline =
            vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(geometry_vert),
                                                               .gs = VKT_SHADER(geometry_stores_geom),
                                                               .fs = VKT_SHADER(geometry_frag),
                                                               .pass = target.pass,
                                                               .bindings = &binding,
                                                               .binding_count = 1,
                                                               .attributes = attributes,
                                                               .attribute_count = 2,
                                                               .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                               .set_layouts = {layout},
                                                               .set_layout_count = 1,
                                                               .width = W,
                                                               .height = H});
        fill_band(vertices.map);
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_begin_pass(cmd, &target, grey, 1, 0);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
        vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
        vkCmdDraw(cmd, VERTICES, 1, 0, 0);
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(t, cmd);
        const uint32_t *words = counts.map, invocations = 2 * (VERTICES - 2);
        assert_int_equal(words[0], invocations);
        for (uint32_t i = 0; i < invocations; i++)
            assert_int_equal(words[1 + i], 1);
        vkt_pipeline_destroy(t, &pipeline);
        vkDestroyDescriptorSetLayout(t->device, layout, NULL);
        vkt_buffer_destroy(t, &counts);
        vkt_buffer_destroy(t, &vertices);
        vkt_target_destroy(t, &target);
    }
}

/* ---------------------------------------------------------------- main */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(primitives_have_their_vertices, vkt_check_messages),
        cmocka_unit_test_teardown(short_strips_are_complete, vkt_check_messages),
        cmocka_unit_test_teardown(instances_are_numbered, vkt_check_messages),
        cmocka_unit_test_teardown(lines_and_points_are_emitted, vkt_check_messages),
        cmocka_unit_test_teardown(polygons_are_drawn_as_lines_and_points, vkt_check_messages),
        cmocka_unit_test_teardown(distances_clip_and_cull, vkt_check_messages),
        cmocka_unit_test_teardown(all_components_arrive, vkt_check_messages),
        cmocka_unit_test_teardown(all_vertices_are_emitted, vkt_check_messages),
        cmocka_unit_test_teardown(outputs_that_are_not_read_are_dropped, vkt_check_messages),
        cmocka_unit_test_teardown(fragments_know_their_primitive, vkt_check_messages),
        cmocka_unit_test_teardown(primitives_go_to_layers_and_viewports, vkt_check_messages),
        cmocka_unit_test_teardown(views_are_expanded, vkt_check_messages),
        cmocka_unit_test_teardown(thousands_of_primitives_read_resources, vkt_check_messages),
        cmocka_unit_test_teardown(invocations_store_once, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
