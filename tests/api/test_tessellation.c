/* SPDX-License-Identifier: MIT
 *
 * Tessellation shaders: patches, what the control and the evaluation stage read and write, the tessellator's modes, and
 * what comes behind them. Each case draws the same scene on lavapipe, whose triangles may lie differently in a patch:
 * patches are flat and colours linear where that would show.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "geometry.frag.h"
#include "geometry.vert.h"
#include "geometry_id.frag.h"
#include "tess_bulge.tese.h"
#include "tess_isolines_equal_ccw.tese.h"
#include "tess_isolines_fractional_even_ccw.tese.h"
#include "tess_isolines_fractional_odd_ccw.tese.h"
#include "tess_isolines_points.tese.h"
#include "tess_pass_20.tesc.h"
#include "tess_pass_3.tesc.h"
#include "tess_pass_32.tesc.h"
#include "tess_pass_4.tesc.h"
#include "tess_quads_equal_ccw.tese.h"
#include "tess_quads_equal_cw.tese.h"
#include "tess_quads_fractional_even_ccw.tese.h"
#include "tess_quads_fractional_odd_ccw.tese.h"
#include "tess_quads_points.tese.h"
#include "tess_share_1.tesc.h"
#include "tess_share_1.tese.h"
#include "tess_share_20.tesc.h"
#include "tess_share_20.tese.h"
#include "tess_share_3.tesc.h"
#include "tess_share_3.tese.h"
#include "tess_share_32.tesc.h"
#include "tess_share_32.tese.h"
#include "tess_share_4.tesc.h"
#include "tess_share_4.tese.h"
#include "tess_triangles_equal_ccw.tese.h"
#include "tess_triangles_equal_cw.tese.h"
#include "tess_triangles_fractional_even_ccw.tese.h"
#include "tess_triangles_fractional_odd_ccw.tese.h"
#include "tess_triangles_points.tese.h"
#include "tessellation_capture.tese.h"
#include "tessellation_decorated.tese.h"
#include "tessellation_distances.tese.h"
#include "tessellation_outlines.geom.h"
#include "tessellation_stores.tesc.h"
#include "tessellation_stores.tese.h"

enum { W = 128, H = 96, VERTICES = 96 };

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
static const struct vkt_tolerance edges = {3, 30};

struct levels {
    float outer[4], inner[2];
};

/* What a case draws. */
static struct scene_info {
    struct vkt_shader tcs, tes, gs, fs;
    uint32_t patch_vertices;
    struct levels levels;
    uint32_t index_B; /* 0: no indices */
    bool indirect, lower_left, dynamic_vertices, dynamic_origin, linked;
    uint32_t count, instances; /* vertices or indices */
    VkCullModeFlags cull;
    VkPolygonMode polygon_mode;
} scene;

static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Patches side by side, eight in a row. The vertices of a patch: first its corners, then more between them. */
static void fill_patches(struct vertex v[VERTICES], uint32_t patch_vertices)
{
    static const float corners[4][2] = {{0.05f, 0.1f}, {0.9f, 0.05f}, {0.1f, 0.85f}, {0.95f, 0.8f}};
    for (uint32_t i = 0; i < VERTICES; i++) {
        const uint32_t word = hash(i + 1), patch = i / patch_vertices, k = i % patch_vertices;
        const float x = k < 4 ? corners[k][0] : 0.2f + 0.02f * (float)k, y = k < 4 ? corners[k][1] : 0.5f;
        v[i] = (struct vertex){
            {((float)(patch % 8) + x) / 4 - 1, ((float)(patch / 8) + y) / 2 - 0.9f, 0.5f, 1},
            {(float)(word & 255) / 255, (float)(word >> 8 & 255) / 255, (float)(word >> 16 & 255) / 255, 1}};
    }
}

static struct vkt_buffer index_buffer(struct vkt *t)
{
    struct vkt_buffer b = vkt_buffer_create(t, 4 * VERTICES, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, NULL);
    for (uint32_t i = 0; i < VERTICES; i++) {
        const uint32_t index = i ^ 4;
        memcpy((char *)b.map + i * scene.index_B, &index, scene.index_B);
    }
    return b;
}

static struct vkt_buffer indirect_buffer(struct vkt *t)
{
    struct vkt_buffer b = vkt_buffer_create(t, 32, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, NULL);
    if (scene.index_B)
        memcpy(b.map, &(VkDrawIndexedIndirectCommand){scene.count, scene.instances, 0, 0, 0},
               sizeof(VkDrawIndexedIndirectCommand));
    else
        memcpy(b.map, &(VkDrawIndirectCommand){scene.count, scene.instances, 0, 0}, sizeof(VkDrawIndirectCommand));
    return b;
}

static struct vkt_pipeline pipeline_for(struct vkt *t, const struct vkt_target *target)
{
    const VkPipelineTessellationDomainOriginStateCreateInfo origin = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO,
        .domainOrigin = VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT};
    const VkPipelineTessellationStateCreateInfo tessellation = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
        .pNext = scene.lower_left && !scene.dynamic_origin ? &origin : NULL,
        .patchControlPoints = scene.dynamic_vertices ? 1 : scene.patch_vertices};
    const VkDynamicState dynamic[] = {scene.dynamic_origin ? VK_DYNAMIC_STATE_TESSELLATION_DOMAIN_ORIGIN_EXT
                                                           : VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT,
                                      VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT};
    const uint32_t dynamic_count = (uint32_t)scene.dynamic_origin + scene.dynamic_vertices;
    const VkGraphicsPipelineLibraryCreateInfoEXT parts = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
        .flags = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
                 VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
                 VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT |
                 VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT};
    return vkt_pipeline_create(
        t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(geometry_vert),
                                       .tcs = scene.tcs,
                                       .tes = scene.tes,
                                       .gs = scene.gs,
                                       .fs = scene.fs,
                                       .tessellation = &tessellation,
                                       .pass = target->pass,
                                       .bindings = &binding,
                                       .binding_count = 1,
                                       .attributes = attributes,
                                       .attribute_count = 2,
                                       .next = scene.linked ? &parts : NULL,
                                       .flags = scene.linked ? VK_PIPELINE_CREATE_LIBRARY_BIT_KHR : 0u,
                                       .topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
                                       .polygon_mode = scene.polygon_mode,
                                       .cull = scene.cull,
                                       .dynamic = dynamic,
                                       .dynamic_count = dynamic_count,
                                       .push_size_B = sizeof(struct levels),
                                       .push_stages = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                       .width = W,
                                       .height = H});
}

/* Replaces a library by the pipeline that it is linked to. */
static void link_library(struct vkt *t, struct vkt_pipeline *p)
{
    const VkPipelineLibraryCreateInfoKHR libraries = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = 1, .pLibraries = &p->pipeline};
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &libraries, .layout = p->layout};
    VkPipeline pipeline;
    vkt_ok(vkCreateGraphicsPipelines(t->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    vkDestroyPipeline(t->device, p->pipeline, NULL);
    p->pipeline = pipeline;
}

static void set_dynamic(struct vkt *t, VkCommandBuffer cmd)
{
    if (scene.dynamic_vertices) {
        PFN_vkCmdSetPatchControlPointsEXT set =
            (PFN_vkCmdSetPatchControlPointsEXT)vkGetDeviceProcAddr(t->device, "vkCmdSetPatchControlPointsEXT");
        set(cmd, scene.patch_vertices);
    }
    if (scene.dynamic_origin) {
        PFN_vkCmdSetTessellationDomainOriginEXT set = (PFN_vkCmdSetTessellationDomainOriginEXT)vkGetDeviceProcAddr(
            t->device, "vkCmdSetTessellationDomainOriginEXT");
        set(cmd,
            scene.lower_left ? VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT : VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT);
    }
}

static void record(VkCommandBuffer cmd, const struct vkt_buffer *indices, const struct vkt_buffer *indirect)
{
    if (indirect && indices)
        vkCmdDrawIndexedIndirect(cmd, indirect->buffer, 0, 1, 0);
    else if (indirect)
        vkCmdDrawIndirect(cmd, indirect->buffer, 0, 1, 0);
    else if (indices)
        vkCmdDrawIndexed(cmd, scene.count, scene.instances, 0, 0, 0);
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
    if (scene.linked)
        link_library(t, &pipeline);
    fill_patches(vertices.map, scene.patch_vertices);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, grey, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    vkCmdPushConstants(cmd, pipeline.layout,
                       VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT |
                           VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                       0, sizeof(struct levels), &scene.levels);
    set_dynamic(t, cmd);
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

/* The same with a device that has dynamic state. */
static void draw_dynamic(struct vkt *t, struct vkt_picture *out)
{
    static const char *const extensions[] = {VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME,
                                             VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME};
    VkPhysicalDeviceExtendedDynamicState2FeaturesEXT second = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT,
        .extendedDynamicState2PatchControlPoints = VK_TRUE};
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT third = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
        .pNext = &second,
        .extendedDynamicState3TessellationDomainOrigin = VK_TRUE};
    struct vkt own = vkt_device_create_chain(t, extensions, VKT_COUNT(extensions), &third);
    draw(&own, out);
    vkt_device_close(&own);
}

static void compare(const char *name, const struct scene_info *info)
{
    scene = *info;
    scene.tcs = info->tcs.words ? info->tcs : VKT_SHADER(tess_pass_4_tesc);
    scene.fs = info->fs.words ? info->fs : VKT_SHADER(geometry_frag);
    scene.patch_vertices = info->patch_vertices ? info->patch_vertices : 4;
    scene.count = info->count ? info->count : VERTICES;
    scene.instances = info->instances ? info->instances : 1;
    vkt_compare_with_reference(name, scene.dynamic_vertices || scene.dynamic_origin ? draw_dynamic : draw, edges);
}

/* ---------------------------------------------------------------- the tessellator */

static const struct {
    const char *name;
    struct vkt_shader tes;
    bool is_triangles;
} modes[] = {
    {"triangles", VKT_SHADER(tess_triangles_equal_ccw_tese), true},
    {"triangles, even", VKT_SHADER(tess_triangles_fractional_even_ccw_tese), true},
    {"triangles, odd", VKT_SHADER(tess_triangles_fractional_odd_ccw_tese), true},
    {"quads", VKT_SHADER(tess_quads_equal_ccw_tese), false},
    {"quads, even", VKT_SHADER(tess_quads_fractional_even_ccw_tese), false},
    {"quads, odd", VKT_SHADER(tess_quads_fractional_odd_ccw_tese), false},
    {"isolines", VKT_SHADER(tess_isolines_equal_ccw_tese), false},
    {"isolines, even", VKT_SHADER(tess_isolines_fractional_even_ccw_tese), false},
    {"isolines, odd", VKT_SHADER(tess_isolines_fractional_odd_ccw_tese), false},
};

static const struct levels some_levels[] = {
    {{1, 1, 1, 1}, {1, 1}},
    {{3, 2, 4, 5}, {1, 1}},
    {{1, 2.5f, 7.3f, 3}, {4.2f, 2}},
    {{5, 64, 1, 90}, {3, 9}},
};

static void domains_are_divided(void **state)
{
    for (uint32_t i = 0; i < VKT_COUNT(modes); i++)
        for (uint32_t k = i % 2; k < VKT_COUNT(some_levels); k += 2)
            compare(modes[i].name, &(struct scene_info){.tes = modes[i].tes,
                                                        .tcs = modes[i].is_triangles ? VKT_SHADER(tess_pass_3_tesc)
                                                                                     : VKT_SHADER(tess_pass_4_tesc),
                                                        .patch_vertices = modes[i].is_triangles ? 3 : 4,
                                                        .count = k == 3 ? 24 : VERTICES,
                                                        .levels = some_levels[k]});
}

static void points_are_drawn(void **state)
{
    const struct vkt_shader tes[] = {VKT_SHADER(tess_triangles_points_tese), VKT_SHADER(tess_quads_points_tese),
                                     VKT_SHADER(tess_isolines_points_tese)};
    for (uint32_t i = 0; i < VKT_COUNT(tes); i++)
        for (uint32_t k = 0; k < 2; k++)
            compare("points", &(struct scene_info){.tes = tes[i], .levels = {{4, 5, 3, 2}, {4.0f + (float)k, 4}}});
}

static void patches_without_level_are_not_drawn(void **state)
{
    const float bad[] = {0, -2, NAN, -INFINITY};
    for (uint32_t i = 0; i < 4; i++) {
        struct levels levels = {{2, 2, 2, 2}, {2, 2}};
        levels.outer[i] = bad[i];
        compare("no quads", &(struct scene_info){.tes = VKT_SHADER(tess_quads_equal_ccw_tese), .levels = levels});
        compare("no triangles",
                &(struct scene_info){.tes = VKT_SHADER(tess_triangles_equal_ccw_tese), .levels = levels});
    }
}

static void triangles_face_as_ordered(void **state)
{
    const struct vkt_shader tes[] = {VKT_SHADER(tess_quads_equal_ccw_tese), VKT_SHADER(tess_quads_equal_cw_tese),
                                     VKT_SHADER(tess_triangles_equal_ccw_tese),
                                     VKT_SHADER(tess_triangles_equal_cw_tese)};
    for (uint32_t i = 0; i < VKT_COUNT(tes); i++)
        for (uint32_t lower_left = 0; lower_left < 2; lower_left++)
            compare("faces", &(struct scene_info){.tes = tes[i],
                                                  .levels = {{3, 2, 3, 2}, {3, 2}},
                                                  .lower_left = lower_left,
                                                  .cull = VK_CULL_MODE_BACK_BIT});
}

/* The triangles of both differ, but they are small. */
static void curved_patches_are_smooth(void **state)
{
    scene = (struct scene_info){.tcs = VKT_SHADER(tess_pass_4_tesc),
                                .tes = VKT_SHADER(tess_bulge_tese),
                                .fs = VKT_SHADER(geometry_frag),
                                .patch_vertices = 4,
                                .count = 32,
                                .instances = 1,
                                .levels = {{32, 32, 32, 32}, {32, 32}}};
    vkt_compare_with_reference("bulge", draw, (struct vkt_tolerance){6, 30});
}

static void polygons_are_drawn_as_points(void **state)
{
    compare("points", &(struct scene_info){.tes = VKT_SHADER(tess_quads_equal_ccw_tese),
                                           .levels = {{1, 1, 1, 1}, {1, 1}},
                                           .polygon_mode = VK_POLYGON_MODE_POINT});
}

/* ---------------------------------------------------------------- patches */

static void patches_have_up_to_32_vertices(void **state)
{
    static const struct {
        uint32_t in;
        struct vkt_shader tcs, tes;
    } rows[] = {
        {4, VKT_SHADER(tess_share_1_tesc), VKT_SHADER(tess_share_1_tese)},
        {7, VKT_SHADER(tess_share_3_tesc), VKT_SHADER(tess_share_3_tese)},
        {1, VKT_SHADER(tess_share_4_tesc), VKT_SHADER(tess_share_4_tese)},
        {20, VKT_SHADER(tess_share_20_tesc), VKT_SHADER(tess_share_20_tese)},
        {5, VKT_SHADER(tess_share_32_tesc), VKT_SHADER(tess_share_32_tese)},
        {32, VKT_SHADER(tess_share_32_tesc), VKT_SHADER(tess_share_32_tese)},
        {32, VKT_SHADER(tess_pass_20_tesc), VKT_SHADER(tess_quads_equal_ccw_tese)},
        {32, VKT_SHADER(tess_pass_32_tesc), VKT_SHADER(tess_quads_equal_ccw_tese)},
    };
    for (uint32_t i = 0; i < VKT_COUNT(rows); i++) {
        char name[40];
        snprintf(name, sizeof name, "row %u, %u vertices", i, rows[i].in);
        compare(name, &(struct scene_info){.tcs = rows[i].tcs,
                                           .tes = rows[i].tes,
                                           .patch_vertices = rows[i].in,
                                           .levels = {{3, 3, 3, 3}, {3, 3}}});
    }
}

static void draws_are_of_all_kinds(void **state)
{
    for (uint32_t i = 0; i < 6; i++)
        compare("draw", &(struct scene_info){.tes = VKT_SHADER(tess_quads_equal_ccw_tese),
                                             .index_B = i % 3 * 2,
                                             .indirect = i / 3,
                                             .instances = 1 + i % 2 * 2,
                                             .count = VERTICES - 3,
                                             .levels = {{3, 3, 3, 3}, {3, 3}}});
}

static void state_is_dynamic(void **state)
{
    for (uint32_t i = 1; i < 4; i++)
        compare("dynamic", &(struct scene_info){.tes = VKT_SHADER(tess_quads_equal_ccw_tese),
                                                .dynamic_vertices = i & 1,
                                                .dynamic_origin = i & 2,
                                                .lower_left = i & 2,
                                                .cull = VK_CULL_MODE_BACK_BIT,
                                                .levels = {{3, 3, 3, 3}, {3, 3}}});
}

static void coordinates_may_be_decorated(void **state)
{
    compare("decorated", &(struct scene_info){.tes = VKT_SHADER(tessellation_decorated_tese),
                                              .count = 4,
                                              .levels = {{3, 3, 3, 3}, {3, 3}}});
}

/* The validation layer 1.3.239 never returns from a draw with patches whose pipeline has been linked from libraries. */
static void libraries_keep_patches(void **state)
{
    if (!getenv("VKT_BARE"))
        vkt_skip("the validation layer does not survive it; api_tessellation_bare does it without the layer");
    static const char *const extensions[] = {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                             VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME};
    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
        .graphicsPipelineLibrary = VK_TRUE};
    struct vkt own = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &features);
    struct vkt_picture pictures[2];
    for (uint32_t i = 0; i < 2; i++) {
        scene = (struct scene_info){.tcs = VKT_SHADER(tess_pass_4_tesc),
                                    .tes = VKT_SHADER(tess_quads_equal_cw_tese),
                                    .gs = VKT_SHADER(tessellation_outlines_geom),
                                    .fs = VKT_SHADER(geometry_frag),
                                    .patch_vertices = 4,
                                    .count = VERTICES,
                                    .instances = 1,
                                    .lower_left = true,
                                    .linked = i,
                                    .levels = {{2, 3, 2, 3}, {3, 3}}};
        draw(&own, &pictures[i]);
    }
    vkt_compare("linked", &pictures[0], &pictures[1], (struct vkt_tolerance){0, 0});
    vkt_picture_free(&pictures[0]);
    vkt_picture_free(&pictures[1]);
    vkt_device_close(&own);
}

static void programs_have_names_of_their_own(void **state)
{
    static const char *const extensions[] = {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME};
    struct vkt own = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, 1, NULL);
    struct vkt_target target = vkt_target_create(&own, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D16_UNORM);
    PFN_vkGetPipelineExecutablePropertiesKHR get = (PFN_vkGetPipelineExecutablePropertiesKHR)vkGetDeviceProcAddr(
        own.device, "vkGetPipelineExecutablePropertiesKHR");
    scene = (struct scene_info){.tcs = VKT_SHADER(tess_pass_4_tesc),
                                .tes = VKT_SHADER(tess_quads_equal_cw_tese),
                                .gs = VKT_SHADER(tessellation_outlines_geom),
                                .fs = VKT_SHADER(geometry_frag),
                                .patch_vertices = 4};
    struct vkt_pipeline pipeline = pipeline_for(&own, &target);
    VkPipelineExecutablePropertiesKHR programs[7];
    uint32_t count = VKT_COUNT(programs);
    for (uint32_t i = 0; i < count; i++)
        programs[i] =
            (VkPipelineExecutablePropertiesKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    vkt_ok(get(own.device,
               &(VkPipelineInfoKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline.pipeline},
               &count, programs));
    assert_int_equal(count, 7); /* of five stages, one of which also draws records, with two programs */
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(programs[i].name, programs[k].name);
    vkt_pipeline_destroy(&own, &pipeline);
    vkt_target_destroy(&own, &target);
    vkt_device_close(&own);
}

/* ---------------------------------------------------------------- behind the tessellator */

/* All primitives of a patch have its number. Not so on lavapipe. */
static void fragments_know_their_patch(void **state)
{
    struct vkt_picture picture;
    scene = (struct scene_info){.tcs = VKT_SHADER(tess_pass_4_tesc),
                                .tes = VKT_SHADER(tess_quads_equal_ccw_tese),
                                .fs = VKT_SHADER(geometry_id_frag),
                                .patch_vertices = 4,
                                .count = VERTICES,
                                .instances = 1,
                                .levels = {{3, 3, 3, 3}, {3, 3}}};
    draw(vkt_device(VKT_TESTED), &picture);
    for (uint32_t patch = 0; patch < VERTICES / 4; patch++) {
        const float x = ((float)(patch % 8) + 0.5f) / 4 - 1, y = ((float)(patch / 8) + 0.45f) / 2 - 0.9f;
        const uint32_t at = (uint32_t)((y + 1) * H / 2) * W + (uint32_t)((x + 1) * W / 2);
        const uint8_t *pixel = picture.rgba + 4 * at;
        assert_in_range(pixel[0], patch % 4 * 64 - (patch % 4 != 0), patch % 4 * 64 + 1);
        assert_in_range(pixel[1], patch / 4 * 32 - (patch / 4 != 0), patch / 4 * 32 + 1);
    }
    vkt_picture_free(&picture);
}

static void geometry_shaders_get_triangles(void **state)
{
    for (uint32_t i = 1; i <= 2; i++) /* with these levels there is only one way to divide a triangle */
        compare("outlines", &(struct scene_info){.tes = VKT_SHADER(tess_triangles_equal_ccw_tese),
                                                 .gs = VKT_SHADER(tessellation_outlines_geom),
                                                 .levels = {{(float)i, (float)i, (float)i, 1}, {(float)i, 1}}});
}

static void distances_clip_and_cull(void **state)
{
    compare("distances",
            &(struct scene_info){.tes = VKT_SHADER(tessellation_distances_tese), .levels = {{3, 4, 3, 4}, {4, 3}}});
}

/* Each control invocation stores once. So do evaluation invocations, at least for each vertex. The last pass has no
 * attachment, and nothing is drawn in it. */
static void invocations_store_once(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct vkt_binding stored = {
        VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, 1};
    const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_UNDEFINED};
    for (uint32_t f = 0; f < VKT_COUNT(formats); f++) {
        struct vkt_target target = vkt_target_create(t, W, H, formats[f], VK_FORMAT_UNDEFINED);
        struct vkt_buffer vertices =
            vkt_buffer_create(t, VERTICES * sizeof(struct vertex), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
        struct vkt_buffer counts = vkt_storage_buffer(t, 4 + VERTICES, 0);
        const VkDescriptorSetLayout layout = vkt_set_layout_create(t, &stored, 1);
        const VkDescriptorSet set = vkt_set_alloc(t, layout);
        vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counts.buffer, 0, VK_WHOLE_SIZE);
        struct vkt_pipeline pipeline = vkt_pipeline_create(
            t, &(struct vkt_pipeline_info){
                   .vs = VKT_SHADER(geometry_vert),
                   .tcs = VKT_SHADER(tessellation_stores_tesc),
                   .tes = VKT_SHADER(tessellation_stores_tese),
                   .fs = formats[f] ? VKT_SHADER(geometry_frag) : (struct vkt_shader){0},
                   .rasterizer_discard = !formats[f],
                   .no_color = !formats[f],
                   .tessellation =
                       &(VkPipelineTessellationStateCreateInfo){
                           .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO, .patchControlPoints = 3},
                   .pass = target.pass,
                   .bindings = &binding,
                   .binding_count = 1,
                   .attributes = attributes,
                   .attribute_count = 2,
                   .topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
                   .set_layouts = {layout},
                   .set_layout_count = 1,
                   .width = W,
                   .height = H});
        fill_patches(vertices.map, 3);
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_begin_pass(cmd, &target, grey, 1, 0);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
        vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
        vkCmdDraw(cmd, VERTICES, 1, 0, 0);
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(t, cmd);
        const uint32_t *words = counts.map, patches = VERTICES / 3;
        assert_int_equal(words[1], VERTICES);
        assert_in_range(words[2], 12 * patches, 13 * 3 * patches); /* 12 vertices in 13 triangles */
        assert_int_equal(words[3], 0xff);
        for (uint32_t i = 0; i < VERTICES; i++)
            assert_int_equal(words[4 + i], 1);
        vkt_pipeline_destroy(t, &pipeline);
        vkDestroyDescriptorSetLayout(t->device, layout, NULL);
        vkt_buffer_destroy(t, &counts);
        vkt_buffer_destroy(t, &vertices);
        vkt_target_destroy(t, &target);
    }
}

/* ---------------------------------------------------------------- transform feedback */

struct captured {
    float coord[2];
    uint32_t patch, points;
};

/* The primitives of patches follow each other, and their triangles cover the domain once. */
static void vertices_are_captured(void **state)
{
    enum { PATCHES = 5, LEVEL = 3, TRIANGLES = 2 * LEVEL * LEVEL, CAPTURED = PATCHES * TRIANGLES * 3 };
    static const char *const extensions[] = {VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME};
    VkPhysicalDeviceTransformFeedbackFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, .transformFeedback = VK_TRUE};
    struct vkt own = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, 1, &features), *t = &own;
    PFN_vkCmdBindTransformFeedbackBuffersEXT bind = (PFN_vkCmdBindTransformFeedbackBuffersEXT)vkGetDeviceProcAddr(
        t->device, "vkCmdBindTransformFeedbackBuffersEXT");
    PFN_vkCmdBeginTransformFeedbackEXT begin =
        (PFN_vkCmdBeginTransformFeedbackEXT)vkGetDeviceProcAddr(t->device, "vkCmdBeginTransformFeedbackEXT");
    PFN_vkCmdEndTransformFeedbackEXT end =
        (PFN_vkCmdEndTransformFeedbackEXT)vkGetDeviceProcAddr(t->device, "vkCmdEndTransformFeedbackEXT");
    const VkDeviceSize size_B = (CAPTURED + 1) * sizeof(struct captured);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D16_UNORM);
    struct vkt_buffer vertices =
        vkt_buffer_create(t, VERTICES * sizeof(struct vertex), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
    struct vkt_buffer captured = vkt_buffer_create(t, size_B, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT, NULL);
    scene = (struct scene_info){.tcs = VKT_SHADER(tess_pass_4_tesc),
                                .tes = VKT_SHADER(tessellation_capture_tese),
                                .fs = VKT_SHADER(geometry_id_frag),
                                .patch_vertices = 4,
                                .levels = {{LEVEL, LEVEL, LEVEL, LEVEL}, {LEVEL, LEVEL}}};
    struct vkt_pipeline pipeline = pipeline_for(t, &target);
    fill_patches(vertices.map, 4);
    memset(captured.map, 0xcc, size_B);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, grey, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    vkCmdPushConstants(cmd, pipeline.layout,
                       VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT |
                           VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                       0, sizeof(struct levels), &scene.levels);
    bind(cmd, 0, 1, &captured.buffer, &(VkDeviceSize){0}, &size_B);
    begin(cmd, 0, 0, NULL, NULL);
    vkCmdDraw(cmd, 4 * PATCHES, 1, 0, 0);
    end(cmd, 0, 0, NULL, NULL);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    const struct captured *c = captured.map;
    float area = 0;
    for (uint32_t i = 0; i < CAPTURED; i += 3) {
        const float *p[3] = {c[i].coord, c[i + 1].coord, c[i + 2].coord};
        area += (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
        for (uint32_t k = 0; k < 3; k++) {
            assert_int_equal(c[i + k].patch, i / (3 * TRIANGLES));
            assert_int_equal(c[i + k].points, 4);
        }
    }
    assert_true(fabsf(fabsf(area) - 2 * PATCHES) < 1e-4f);
    assert_int_equal(c[CAPTURED].points, 0xcccccccc);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_buffer_destroy(t, &captured);
    vkt_buffer_destroy(t, &vertices);
    vkt_target_destroy(t, &target);
    vkt_device_close(&own);
}

/* ---------------------------------------------------------------- main */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(domains_are_divided, vkt_check_messages),
        cmocka_unit_test_teardown(points_are_drawn, vkt_check_messages),
        cmocka_unit_test_teardown(patches_without_level_are_not_drawn, vkt_check_messages),
        cmocka_unit_test_teardown(triangles_face_as_ordered, vkt_check_messages),
        cmocka_unit_test_teardown(curved_patches_are_smooth, vkt_check_messages),
        cmocka_unit_test_teardown(polygons_are_drawn_as_points, vkt_check_messages),
        cmocka_unit_test_teardown(patches_have_up_to_32_vertices, vkt_check_messages),
        cmocka_unit_test_teardown(draws_are_of_all_kinds, vkt_check_messages),
        cmocka_unit_test_teardown(state_is_dynamic, vkt_check_messages),
        cmocka_unit_test_teardown(coordinates_may_be_decorated, vkt_check_messages),
        cmocka_unit_test_teardown(libraries_keep_patches, vkt_check_messages),
        cmocka_unit_test_teardown(programs_have_names_of_their_own, vkt_check_messages),
        cmocka_unit_test_teardown(fragments_know_their_patch, vkt_check_messages),
        cmocka_unit_test_teardown(geometry_shaders_get_triangles, vkt_check_messages),
        cmocka_unit_test_teardown(distances_clip_and_cull, vkt_check_messages),
        cmocka_unit_test_teardown(invocations_store_once, vkt_check_messages),
        cmocka_unit_test_teardown(vertices_are_captured, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
