/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_mesh_shader. Random meshlets in buffers are drawn by mesh shaders, with and without task shaders, and by a
 * vertex shader that reads the same buffers, here and on lavapipe, which has no mesh shaders. All pictures must agree:
 * the two of the tested device in every pixel. Other cases compare what shaders store, what queries count, and survive
 * shaders that break the rules.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "mesh_distances.frag.h"
#include "mesh_distances.mesh.h"
#include "mesh_distances.vert.h"
#include "mesh_distances_flat.frag.h"
#include "mesh_full.frag.h"
#include "mesh_full.mesh.h"
#include "mesh_full.vert.h"
#include "mesh_full_flat.frag.h"
#include "mesh_lines.frag.h"
#include "mesh_lines.mesh.h"
#include "mesh_lines.vert.h"
#include "mesh_lines_flat.frag.h"
#include "mesh_plain.frag.h"
#include "mesh_plain.mesh.h"
#include "mesh_plain.vert.h"
#include "mesh_plain_flat.frag.h"
#include "mesh_points.frag.h"
#include "mesh_points.mesh.h"
#include "mesh_points.vert.h"
#include "mesh_points_flat.frag.h"
#include "mesh_split.frag.h"
#include "mesh_split.mesh.h"
#include "mesh_split.vert.h"
#include "mesh_split_flat.frag.h"
#include "mesh_targets.frag.h"
#include "mesh_targets.mesh.h"
#include "mesh_targets.vert.h"
#include "mesh_targets_flat.frag.h"
#include "mesh_tasks.frag.h"
#include "mesh_tasks.mesh.h"
#include "mesh_tasks.task.h"
#include "mesh_tasks.vert.h"
#include "mesh_tasks_flat.frag.h"
#include "mesh_values.mesh.h"
#include "mesh_values.task.h"
#include "mesh_views.frag.h"
#include "mesh_views.mesh.h"
#include "mesh_views.task.h"
#include "mesh_views.vert.h"
#include "mesh_views_flat.frag.h"
#include "mesh_wild.mesh.h"
#include "mesh_wild.task.h"
#include "mesh_wild_payload.mesh.h"

enum { W = 128, H = 96, LAYERS = 3, MAX_MESHLETS = 600, MAX = 256 };

static const struct vkt_tolerance same = {0, 0}, edges = {2, 40};

/* ---------------------------------------------------------------- the device */

static struct vkt meshes; /* the tested device again, with mesh shaders */
static PFN_vkCmdDrawMeshTasksEXT draw_tasks;
static PFN_vkCmdDrawMeshTasksIndirectEXT draw_indirect;
static PFN_vkCmdDrawMeshTasksIndirectCountEXT draw_count;

/* glslang declares shading rates for all shaders that write to primitives. The layer of 1.4.309 does
 * not count outputs that are PerPrimitiveEXT. */
#define ALWAYS_ACCEPTED                                                                                                \
    "VUID-VkShaderModuleCreateInfo-pCode-01091 VUID-VkShaderModuleCreateInfo-pCode-04147 "                             \
    "VUID-RuntimeSpirv-OpEntryPoint-08743 "

static struct vkt *mesh_device(void)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceMeshShaderFeaturesEXT features = {.sType =
                                                          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
                                                      .taskShader = true,
                                                      .meshShader = true,
                                                      .multiviewMeshShader = true,
                                                      .meshShaderQueries = true};
    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
        .pNext = &features,
        .graphicsPipelineLibrary = true};
    VkPhysicalDeviceLineRasterizationFeaturesEXT lines = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT,
        .pNext = &libraries,
        .bresenhamLines = true,
        .stippledBresenhamLines = true};
    vkt_accept_message(t, ALWAYS_ACCEPTED);
    if (meshes.device)
        return &meshes;
    static const char *const extensions[] = {VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                             VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
                                             VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME};
    meshes = vkt_device_create_chain(t, extensions, VKT_COUNT(extensions), &lines);
    draw_tasks = (PFN_vkCmdDrawMeshTasksEXT)vkGetDeviceProcAddr(meshes.device, "vkCmdDrawMeshTasksEXT");
    draw_indirect =
        (PFN_vkCmdDrawMeshTasksIndirectEXT)vkGetDeviceProcAddr(meshes.device, "vkCmdDrawMeshTasksIndirectEXT");
    draw_count = (PFN_vkCmdDrawMeshTasksIndirectCountEXT)vkGetDeviceProcAddr(meshes.device,
                                                                             "vkCmdDrawMeshTasksIndirectCountEXT");
    return &meshes;
}

static int teardown(void **state)
{
    if (meshes.device)
        vkt_device_close(&meshes);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- meshlets */

struct meshlet {
    uint32_t first_vertex, vertices, first_primitive, primitives;
};
struct vertex {
    float position[4], color[4];
};
struct primitive {
    uint32_t indices, first_vertex, color, flags;
};

enum manner { DIRECT, INDIRECT, COUNTED, LIBRARY, SECONDARY };

static struct scene {
    struct vkt_shader vs, ms, ts, fs, flat_fs; /* flat_fs: for devices without mesh shaders */
    uint32_t corners, meshlets, seed;
    bool is_full; /* each meshlet has as many vertices and primitives as there can be */
    uint32_t grid[3], per_task;
    bool has_targets, has_views, by_vertices;
    bool stipples; /* lines; not compared with the reference */
    enum manner manner;
    VkPolygonMode polygon_mode;
} scene;

static uint32_t seed;

static uint32_t rnd(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * below >> 24);
}

static float rnd_float(float from, float to)
{
    return from + (to - from) * (float)rnd(1u << 20) / (float)(1u << 20);
}

struct data {
    struct vkt_buffer meshlets, vertices, primitives;
    uint32_t vertex_count, primitive_count;
};

static void fill_vertices(struct vertex *v, uint32_t count, uint32_t number)
{
    const float x = rnd_float(-0.9f, 0.9f), y = rnd_float(-0.9f, 0.9f), size = scene.is_full ? 0.12f : 0.15f;
    for (uint32_t i = 0; i < count; i++)
        v[i] = (struct vertex){
            {x + rnd_float(-size, size), y + rnd_float(-size, size), (float)(number + 1) / (MAX_MESHLETS + 2), 1},
            {rnd_float(0, 1), rnd_float(0, 1), rnd_float(0, 1), rnd_float(0, 1)}};
}

/* Fragments of slivers have depths and colours that depend on how a job is cut into parts. */
static bool is_sliver(const struct vertex *v, const uint32_t corners[3])
{
    float edge[3][2], longest = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const float *from = v[corners[k]].position, *to = v[corners[(k + 1) % 3]].position;
        edge[k][0] = (to[0] - from[0]) * W / 2;
        edge[k][1] = (to[1] - from[1]) * H / 2;
        const float square = edge[k][0] * edge[k][0] + edge[k][1] * edge[k][1];
        longest = square > longest ? square : longest;
    }
    const float area = edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]; /* height * longest edge */
    return area * area <= 4 * longest;
}

static struct primitive random_primitive(const struct vertex *v, const struct meshlet *m)
{
    uint32_t corners[3], tries = 0;
    do
        for (uint32_t k = 0; k < 3; k++)
            corners[k] = rnd(m->vertices);
    while (scene.corners == 3 && is_sliver(v, corners) && ++tries < 100);
    return (struct primitive){corners[0] | corners[1] << 8 | corners[2] << 16, m->first_vertex,
                              rnd(1u << 24) | 0xff000000u,
                              (tries == 100 || rnd(6) == 0) | rnd(LAYERS) << 1 | rnd(4) << 3};
}

static struct data data_create(struct vkt *t)
{
    struct data d = {.vertex_count = 0};
    struct meshlet *m = calloc(scene.meshlets, sizeof *m);
    seed = scene.seed;
    for (uint32_t i = 0; i < scene.meshlets; i++) {
        m[i] = (struct meshlet){d.vertex_count, scene.is_full ? MAX : 3 + rnd(40), d.primitive_count,
                                scene.is_full ? MAX : rnd(30)};
        d.vertex_count += m[i].vertices;
        d.primitive_count += m[i].primitives;
    }
    struct vertex *v = calloc(d.vertex_count, sizeof *v);
    struct primitive *p = calloc(d.primitive_count + 1, sizeof *p);
    for (uint32_t i = 0; i < scene.meshlets; i++) {
        fill_vertices(v + m[i].first_vertex, m[i].vertices, i);
        for (uint32_t k = 0; k < m[i].primitives; k++)
            p[m[i].first_primitive + k] = random_primitive(v + m[i].first_vertex, &m[i]);
    }
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    d.meshlets = vkt_buffer_create(t, scene.meshlets * sizeof *m, usage, m);
    d.vertices = vkt_buffer_create(t, d.vertex_count * sizeof *v, usage, v);
    d.primitives = vkt_buffer_create(t, (d.primitive_count + 1) * sizeof *p, usage, p);
    free(m);
    free(v);
    free(p);
    return d;
}

static void data_destroy(struct vkt *t, struct data *d)
{
    vkt_buffer_destroy(t, &d->meshlets);
    vkt_buffer_destroy(t, &d->vertices);
    vkt_buffer_destroy(t, &d->primitives);
}

/* ---------------------------------------------------------------- targets */

struct target {
    struct vkt_image color, depth;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
};

static const VkFormat color_format = VK_FORMAT_R8G8B8A8_UNORM, depth_format = VK_FORMAT_D16_UNORM;

static VkRenderPass pass_create(struct vkt *t)
{
    VkRenderPass pass;
    const uint32_t mask = (1u << LAYERS) - 1;
    const VkRenderPassMultiviewCreateInfo views = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO, .subpassCount = 1, .pViewMasks = &mask};
    const VkAttachmentDescription attachments[] = {{.format = color_format,
                                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                                    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                    .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
                                                   {.format = depth_format,
                                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                                    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                    .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                                    .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL}};
    const VkSubpassDependency dependency = {.dstSubpass = VK_SUBPASS_EXTERNAL,
                                            .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                            .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                            .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                            .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    vkt_ok(vkCreateRenderPass(
        t->device,
        &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .pNext = scene.has_views ? &views : NULL,
                                  .attachmentCount = 2,
                                  .pAttachments = attachments,
                                  .subpassCount = 1,
                                  .pSubpasses = &(VkSubpassDescription){.colorAttachmentCount = 1,
                                                                        .pColorAttachments = &color,
                                                                        .pDepthStencilAttachment = &depth},
                                  .dependencyCount = 1,
                                  .pDependencies = &dependency},
        NULL, &pass));
    return pass;
}

static uint32_t layers(void)
{
    return scene.has_targets || scene.has_views ? LAYERS : 1;
}

static struct target target_create(struct vkt *t)
{
    struct target o;
    struct vkt_image_info info = {.format = color_format,
                                  .width = W,
                                  .height = H,
                                  .layers = layers(),
                                  .array = true,
                                  .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    o.color = vkt_image_create(t, &info);
    info.format = depth_format;
    info.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    o.depth = vkt_image_create(t, &info);
    o.pass = pass_create(t);
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = o.pass,
                                                          .attachmentCount = 2,
                                                          .pAttachments = (VkImageView[]){o.color.view, o.depth.view},
                                                          .width = W,
                                                          .height = H,
                                                          .layers = scene.has_views ? 1 : layers()},
                               NULL, &o.framebuffer));
    return o;
}

static void target_destroy(struct vkt *t, struct target *o)
{
    vkDestroyFramebuffer(t->device, o->framebuffer, NULL);
    vkDestroyRenderPass(t->device, o->pass, NULL);
    vkt_image_destroy(t, &o->color);
    vkt_image_destroy(t, &o->depth);
}

static void begin(VkCommandBuffer cmd, const struct target *o, VkSubpassContents contents)
{
    const VkClearValue clear[2] = {{.color = {.float32 = {0.2f, 0.2f, 0.2f, 1}}}, {.depthStencil = {1, 0}}};
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = o->pass,
                                                  .framebuffer = o->framebuffer,
                                                  .renderArea = {.extent = {W, H}},
                                                  .clearValueCount = 2,
                                                  .pClearValues = clear},
                         contents);
}

/* ---------------------------------------------------------------- pipelines */

static const VkShaderStageFlags mesh_stages = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;

static VkDescriptorSetLayout set_layout(struct vkt *t, bool has_meshes, uint32_t count)
{
    const struct vkt_binding b = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  has_meshes ? mesh_stages : VK_SHADER_STAGE_VERTEX_BIT};
    return vkt_set_layout_create(t, (struct vkt_binding[]){b, b, b}, count);
}

static void find_viewports(VkViewport viewports[4], VkRect2D scissors[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        viewports[i] = (VkViewport){(float)(i % 2 * W / 2), (float)(i / 2 * H / 2), W / 2, H / 2, 0, 1};
        scissors[i] = (VkRect2D){{(int32_t)(i % 2 * W / 2 + i), (int32_t)(i / 2 * H / 2)}, {W / 2 - 2 * i, H / 2}};
    }
}

static struct vkt_pipeline pipeline_create(struct vkt *t, bool has_meshes, VkRenderPass pass,
                                           VkDescriptorSetLayout layout)
{
    static const VkPrimitiveTopology topologies[] = {VK_PRIMITIVE_TOPOLOGY_POINT_LIST, VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                     VK_PRIMITIVE_TOPOLOGY_LINE_LIST, VKT_TRIANGLES};
    VkViewport viewports[4];
    VkRect2D scissors[4];
    find_viewports(viewports, scissors);
    const VkPipelineRasterizationLineStateCreateInfoEXT lines = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
        .lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT,
        .stippledLineEnable = true,
        .lineStippleFactor = 2,
        .lineStipplePattern = 0x0f33};
    struct vkt_pipeline_info info = {.fs = has_meshes ? scene.fs : scene.flat_fs,
                                     .pass = pass,
                                     .topology = topologies[scene.corners],
                                     .depth_test = true,
                                     .depth_write = true,
                                     .depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL,
                                     .polygon_mode = scene.polygon_mode,
                                     .rasterization_next = scene.stipples ? &lines : NULL,
                                     .width = W,
                                     .height = H,
                                     .viewport_count = scene.has_targets ? 4 : 0,
                                     .viewports = scene.has_targets ? viewports : NULL,
                                     .scissors = scene.has_targets ? scissors : NULL,
                                     .set_layouts = {layout},
                                     .set_layout_count = 1,
                                     .push_size_B = 8,
                                     .push_stages = has_meshes ? mesh_stages : 0};
    if (has_meshes) {
        info.ms = scene.ms;
        info.ts = scene.ts;
    } else {
        info.vs = scene.vs;
    }
    return vkt_pipeline_create(t, &info);
}

struct library_stages {
    VkPipelineShaderStageCreateInfo at[2];
    uint32_t count;
};

static VkPipeline part_create(struct vkt *t, VkGraphicsPipelineLibraryFlagsEXT part, VkRenderPass pass,
                              VkPipelineLayout layout, const struct library_stages *stages)
{
    VkPipeline out;
    const VkPipelineColorBlendAttachmentState all = {.colorWriteMask = 0xf};
    const VkGraphicsPipelineLibraryCreateInfoEXT library = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, .flags = part};
    vkt_ok(vkCreateGraphicsPipelines(
        t->device, VK_NULL_HANDLE, 1,
        &(VkGraphicsPipelineCreateInfo){
            .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
            .pNext = &library,
            .flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR,
            .stageCount = stages->count,
            .pStages = stages->at,
            .pViewportState =
                &(VkPipelineViewportStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                     .viewportCount = 1,
                                                     .pViewports = &(VkViewport){0, 0, W, H, 0, 1},
                                                     .scissorCount = 1,
                                                     .pScissors = &(VkRect2D){.extent = {W, H}}},
            .pRasterizationState =
                &(VkPipelineRasterizationStateCreateInfo){
                    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1},
            .pMultisampleState = &(
                VkPipelineMultisampleStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                      .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT},
            .pDepthStencilState =
                &(VkPipelineDepthStencilStateCreateInfo){.sType =
                                                             VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                         .depthTestEnable = true,
                                                         .depthWriteEnable = true,
                                                         .depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL},
            .pColorBlendState = &(
                VkPipelineColorBlendStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                     .attachmentCount = 1,
                                                     .pAttachments = &all},
            .layout = layout,
            .renderPass = pass},
        NULL, &out));
    return out;
}

static struct library_stages stages_of(struct vkt *t, bool of_fragments)
{
    struct library_stages s = {.count = 0};
    const struct vkt_shader shaders[2] = {of_fragments ? scene.fs : scene.ms,
                                          of_fragments ? (struct vkt_shader){0} : scene.ts};
    const VkShaderStageFlagBits kinds[2] = {of_fragments ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_MESH_BIT_EXT,
                                            VK_SHADER_STAGE_TASK_BIT_EXT};
    for (uint32_t i = 0; i < 2; i++)
        if (shaders[i].words)
            s.at[s.count++] =
                (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = kinds[i],
                                                  .module = vkt_module_create(t, shaders[i]),
                                                  .pName = "main"};
    return s;
}

/* The same pipeline, linked from libraries, which must live as long as it. There is none of the vertex input. */
static VkPipeline link_pipeline(struct vkt *t, VkRenderPass pass, VkPipelineLayout layout, VkPipeline parts[3])
{
    VkPipeline out;
    vkt_accept_message(vkt_device(VKT_TESTED), /* the layer of 1.3.239 does not know mesh stages in libraries */
                       ALWAYS_ACCEPTED "VUID-VkGraphicsPipelineCreateInfo-pStages-06896 "
                                       "VUID-VkGraphicsPipelineCreateInfo-stage-02096 "
                                       "VUID-vkCmdDrawMeshTasksEXT-MeshEXT-07087");
    const VkGraphicsPipelineLibraryFlagsEXT kinds[3] = {VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
                                                        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
                                                        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT};
    for (uint32_t i = 0; i < 3; i++) {
        struct library_stages stages = {.count = 0};
        if (i < 2)
            stages = stages_of(t, i == 1);
        parts[i] = part_create(t, kinds[i], pass, layout, &stages);
        for (uint32_t k = 0; k < stages.count; k++)
            vkDestroyShaderModule(t->device, stages.at[k].module, NULL);
    }
    const VkPipelineLibraryCreateInfoKHR all = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = 3, .pLibraries = parts};
    vkt_ok(vkCreateGraphicsPipelines(
        t->device, VK_NULL_HANDLE, 1,
        &(VkGraphicsPipelineCreateInfo){
            .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &all, .layout = layout},
        NULL, &out));
    return out;
}

/* ---------------------------------------------------------------- drawing */

/* Four commands, of which the second is the draw. */
static struct vkt_buffer indirect_buffer(struct vkt *t)
{
    const uint32_t words[] = {1, 2, 0, 0, scene.grid[0], scene.grid[1], scene.grid[2], 0, 0, 1, 1, 0, 1, 1, 1, 3};
    return vkt_buffer_create(t, sizeof words, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, words);
}

static void record_draw(VkCommandBuffer cmd, const struct data *d, bool has_meshes, const struct vkt_buffer *indirect)
{
    const VkDeviceSize last = 15 * 4;
    if (!has_meshes)
        vkCmdDraw(cmd, scene.corners * d->primitive_count, 1, 0, 0);
    else if (scene.manner == INDIRECT)
        draw_indirect(cmd, indirect->buffer, 0, 3, 16);
    else if (scene.manner == COUNTED) /* three of four */
        draw_count(cmd, indirect->buffer, 0, indirect->buffer, last, 4, 16);
    else
        draw_tasks(cmd, scene.grid[0], scene.grid[1], scene.grid[2]);
}

static void draw(struct vkt *on, struct vkt_picture *out)
{
    const bool has_meshes = on == vkt_device(VKT_TESTED) && !scene.by_vertices;
    struct vkt *t = on == vkt_device(VKT_TESTED) ? mesh_device() : on;
    struct data d = data_create(t);
    struct target target = target_create(t);
    const VkDescriptorSetLayout layout = set_layout(t, has_meshes, 3);
    const VkDescriptorSet set = vkt_set_alloc(t, layout);
    const struct vkt_buffer *const buffers[] = {&d.meshlets, &d.vertices, &d.primitives};
    for (uint32_t i = 0; i < 3; i++)
        vkt_set_buffer(t, set, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[i]->buffer, 0, VK_WHOLE_SIZE);
    struct vkt_pipeline p = pipeline_create(t, has_meshes, target.pass, layout);
    struct vkt_buffer indirect = indirect_buffer(t);
    const bool in_secondary = has_meshes && scene.manner == SECONDARY;
    VkPipeline linked = VK_NULL_HANDLE, libraries[3] = {VK_NULL_HANDLE};
    if (has_meshes && scene.manner == LIBRARY)
        linked = link_pipeline(t, target.pass, p.layout, libraries);
    VkCommandBuffer cmd = vkt_begin(t), in = in_secondary ? vkt_begin_secondary(t, target.pass, 0) : cmd;
    begin(cmd, &target, in_secondary ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(in, VK_PIPELINE_BIND_POINT_GRAPHICS, linked ? linked : p.pipeline);
    vkCmdBindDescriptorSets(in, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(in, p.layout,
                       VK_SHADER_STAGE_FRAGMENT_BIT | (has_meshes ? mesh_stages : VK_SHADER_STAGE_VERTEX_BIT), 0, 8,
                       (uint32_t[]){scene.meshlets, scene.per_task});
    record_draw(in, &d, has_meshes, &indirect);
    if (in_secondary) {
        vkt_ok(vkEndCommandBuffer(in));
        vkCmdExecuteCommands(cmd, 1, &in);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = (struct vkt_picture){W, H * layers(), malloc((size_t)W * H * layers() * 4)};
    for (uint32_t i = 0; i < layers(); i++)
        vkt_read_image(t, &target.color, 0, i, out->rgba + (size_t)i * W * H * 4, W * H * 4);
    if (in_secondary)
        vkFreeCommandBuffers(t->device, t->pool, 1, &in);
    vkDestroyPipeline(t->device, linked, NULL);
    for (uint32_t i = 0; i < 3; i++)
        vkDestroyPipeline(t->device, libraries[i], NULL);
    vkt_buffer_destroy(t, &indirect);
    vkt_pipeline_destroy(t, &p);
    vkResetDescriptorPool(t->device, t->descriptors, 0);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    target_destroy(t, &target);
    data_destroy(t, &d);
}

/* Both pictures of the tested device, and that of the reference. */
static void compare(const char *name, const struct scene *s)
{
    struct vkt_picture by_meshes, by_vertices;
    scene = *s;
    scene.corners = s->corners ? s->corners : 3;
    if (!scene.grid[0]) {
        const uint32_t per_task = scene.per_task ? scene.per_task : 1;
        scene.grid[0] = (scene.meshlets + per_task - 1) / per_task;
        scene.grid[1] = scene.grid[2] = 1;
    }
    draw(vkt_device(VKT_TESTED), &by_meshes);
    scene.by_vertices = true;
    draw(vkt_device(VKT_TESTED), &by_vertices);
    vkt_compare(name, &by_vertices, &by_meshes, same);
    vkt_picture_free(&by_meshes);
    vkt_picture_free(&by_vertices);
    scene.by_vertices = false;
    if (!scene.stipples)
        vkt_compare_with_reference(name, draw, edges);
}

#define SHADERS(name)                                                                                                  \
    .vs = VKT_SHADER(mesh_##name##_vert), .ms = VKT_SHADER(mesh_##name##_mesh), .fs = VKT_SHADER(mesh_##name##_frag),  \
    .flat_fs = VKT_SHADER(mesh_##name##_flat_frag)
#define TASKS(name) .ts = VKT_SHADER(mesh_##name##_task)

/* ---------------------------------------------------------------- pictures */

static void meshes_are_drawn(void **state)
{
    compare("plain", &(struct scene){SHADERS(plain), .meshlets = 20, .seed = 1});
    compare("plain, a grid", &(struct scene){SHADERS(plain), .meshlets = 23, .seed = 2, .grid = {3, 2, 4}});
    compare("of primitives", &(struct scene){SHADERS(split), .meshlets = 20, .seed = 3});
}

static void lines_and_points_are_drawn(void **state)
{
    compare("lines", &(struct scene){SHADERS(lines), .corners = 2, .meshlets = 12, .seed = 4});
    compare("points", &(struct scene){SHADERS(points), .corners = 1, .meshlets = 12, .seed = 5});
    compare("outlines",
            &(struct scene){SHADERS(plain), .meshlets = 6, .seed = 6, .polygon_mode = VK_POLYGON_MODE_LINE});
}

static void lines_are_stippled(void **state)
{
    compare("stippled", &(struct scene){SHADERS(lines), .corners = 2, .meshlets = 12, .seed = 40, .stipples = true});
    compare("stippled outlines", &(struct scene){SHADERS(plain), .meshlets = 6, .seed = 41,
                                                 .polygon_mode = VK_POLYGON_MODE_LINE, .stipples = true});
    compare("stippled, but filled",
            &(struct scene){SHADERS(plain), .meshlets = 6, .seed = 42, .stipples = true});
}

static void tasks_choose_meshes(void **state)
{
    compare("tasks", &(struct scene){SHADERS(tasks), TASKS(tasks), .meshlets = 37, .seed = 7, .per_task = 4});
    compare("tasks of seven",
            &(struct scene){SHADERS(tasks), TASKS(tasks), .meshlets = 52, .seed = 8, .per_task = 7, .grid = {3, 4, 1}});
}

/* Many times the memory of a piece, and of the vertices that a part of a job may have. */
static void large_meshes_are_cut(void **state)
{
    compare("full", &(struct scene){SHADERS(full), .meshlets = 90, .seed = 9, .is_full = true});
    compare("full tasks", &(struct scene){SHADERS(tasks), TASKS(tasks), .meshlets = 100, .seed = 10, .is_full = true,
                                          .per_task = 31});
}

static void many_groups_are_cut(void **state)
{
    compare("many", &(struct scene){SHADERS(tasks), TASKS(tasks), .meshlets = MAX_MESHLETS, .seed = 11, .per_task = 2});
}

static void primitives_go_to_layers_and_viewports(void **state)
{
    compare("targets", &(struct scene){SHADERS(targets), .meshlets = 16, .seed = 12, .has_targets = true});
}

static void distances_clip_and_cull(void **state)
{
    compare("distances", &(struct scene){SHADERS(distances), .meshlets = 16, .seed = 13});
}

static void views_are_drawn(void **state)
{
    compare("views", &(struct scene){SHADERS(views), TASKS(views), .meshlets = 12, .seed = 14, .per_task = 3,
                                     .has_views = true});
}

static void draws_are_recorded_in_all_ways(void **state)
{
    static const char *const names[] = {"direct", "indirect", "counted", "library", "secondary"};
    for (uint32_t i = DIRECT; i <= SECONDARY; i++)
        compare(names[i], &(struct scene){SHADERS(tasks), TASKS(tasks), .meshlets = 15, .seed = 20 + i, .per_task = 4,
                                          .manner = (enum manner)i});
}

static void random_meshes_agree(void **state)
{
    for (uint32_t i = 0; i < 12; i++) {
        seed = 100 + i;
        struct scene s = {SHADERS(split), .meshlets = 1 + rnd(40)};
        if (i % 3 == 0)
            s = (struct scene){SHADERS(tasks), TASKS(tasks), .meshlets = 1 + rnd(60), .per_task = 1 + rnd(31)};
        s.seed = rnd(1u << 24);
        compare("random", &s);
    }
}

/* ---------------------------------------------------------------- values */

struct seen {
    uint32_t group[3], draw, count[3], total, global[3], sum, local[3], subgroup;
};

static const VkSpecializationMapEntry spec_entries[] = {{0, 0, 4}, {1, 4, 4}};

/* Every invocation stores what it sees; each place in the grids occurs as often as the workgroup has invocations. */
static void check_seen(const uint32_t *words, uint32_t runs, const uint32_t size[2], const uint32_t draws)
{
    const uint32_t invocations = size[0] * size[1], total = invocations * (invocations + 1) / 2;
    const struct seen *seen = (const void *)(words + 4);
    uint32_t of_draw[4] = {0};
    assert_int_equal(words[0], runs);
    for (uint32_t i = 0; i < runs; i++) {
        const struct seen *s = &seen[i];
        const uint32_t index = s->local[0] + size[0] * s->local[1];
        assert_in_range(s->draw, 0, draws - 1);
        of_draw[s->draw]++;
        for (uint32_t k = 0; k < 3; k++) {
            assert_in_range(s->group[k] + 1, 1, s->count[k]);
            assert_int_equal(s->global[k], s->group[k] * (k < 2 ? size[k] : 1) + s->local[k]);
        }
        assert_int_equal(s->total, total);
        assert_int_equal(s->subgroup, index / 16);
        assert_int_equal(s->sum, invocations - index / 16 * 16 < 16 ? invocations % 16 : 16);
    }
    for (uint32_t i = 0; i < draws; i++)
        assert_int_equal(of_draw[i], runs / draws);
}

/* What a mesh workgroup adds up of the payload of task x, y, z. */
static uint32_t payload_sum(uint32_t x, uint32_t y, uint32_t z, uint32_t invocations)
{
    uint32_t sum = x + 10 * y + 100 * z;
    for (uint32_t k = 0; k < 4; k++)
        sum += (250 + 2 * k) % 256 + (65000 + k) + (3 + k % 3) + (k + 1) + (k & 1) * 1000;
    return sum + invocations * (invocations - 1) / 2;
}

static void shaders_know_their_place(void **state)
{
    static const uint32_t sizes[][2] = {{4, 1}, {8, 3}, {16, 4}, {33, 2}, {128, 1}};
    const uint32_t x = 3, y = 2, z = 2, draws = 2;
    struct vkt *t = mesh_device();
    /* Behind tasks DrawIndex is undefined in mesh shaders. Here it is the draw's number. */
    vkt_accept_message(vkt_device(VKT_TESTED), ALWAYS_ACCEPTED "VUID-VkGraphicsPipelineCreateInfo-pStages-09631");
    for (uint32_t i = 0; i < VKT_COUNT(sizes); i++) {
        const uint32_t invocations = sizes[i][0] * sizes[i][1];
        const VkSpecializationInfo spec = {2, spec_entries, 8, sizes[i]};
        const VkDescriptorSetLayout layout = set_layout(t, true, 2);
        const VkDescriptorSet set = vkt_set_alloc(t, layout);
        uint32_t mesh_groups = 0, sum = 0;
        for (uint32_t a = 0; a < x; a++)
            for (uint32_t b = 0; b < y; b++)
                for (uint32_t c = 0; c < z; c++) {
                    const uint32_t n = (1 + a) * 2 * (1 + b);
                    mesh_groups += n;
                    sum += n * payload_sum(a, b, c, invocations);
                }
        const uint32_t task_runs = draws * x * y * z * invocations, mesh_runs = draws * mesh_groups * invocations;
        struct vkt_buffer tasks = vkt_storage_buffer(t, 4 + 16 * task_runs, 0);
        struct vkt_buffer of_meshes = vkt_storage_buffer(t, 4 + 16 * mesh_runs, 0);
        const uint32_t words[] = {x, y, z, x, y, z};
        struct vkt_buffer indirect = vkt_buffer_create(t, sizeof words, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, words);
        vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, tasks.buffer, 0, VK_WHOLE_SIZE);
        vkt_set_buffer(t, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, of_meshes.buffer, 0, VK_WHOLE_SIZE);
        const VkFormat format = color_format;
        struct vkt_image image = vkt_image_create(
            t, &(struct vkt_image_info){
                   .format = format, .width = W, .height = H, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
        struct vkt_pipeline p = vkt_pipeline_create(
            t, &(struct vkt_pipeline_info){
                   .ms = VKT_SHADER(mesh_values_mesh),
                   .ts = VKT_SHADER(mesh_values_task),
                   .spec = &spec,
                   .set_layouts = {layout},
                   .set_layout_count = 1,
                   .width = W,
                   .height = H,
                   .rasterizer_discard = i % 2,
                   .next = &(VkPipelineRenderingCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                            .colorAttachmentCount = 1,
                                                            .pColorAttachmentFormats = &format}});
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
        vkCmdBeginRendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                    .renderArea = {.extent = {W, H}},
                                                    .layerCount = 1,
                                                    .colorAttachmentCount = 1,
                                                    .pColorAttachments = &(VkRenderingAttachmentInfo){
                                                        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                                        .imageView = image.view,
                                                        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                                        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                        .storeOp = VK_ATTACHMENT_STORE_OP_STORE}});
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &set, 0, NULL);
        draw_indirect(cmd, indirect.buffer, 0, draws, 12);
        vkCmdEndRendering(cmd);
        vkt_end_submit(t, cmd);
        check_seen(tasks.map, task_runs, sizes[i], draws);
        check_seen(of_meshes.map, mesh_runs, sizes[i], draws);
        assert_int_equal(((const uint32_t *)of_meshes.map)[1], draws * sum);
        vkt_pipeline_destroy(t, &p);
        vkt_image_destroy(t, &image);
        vkt_buffer_destroy(t, &indirect);
        vkt_buffer_destroy(t, &tasks);
        vkt_buffer_destroy(t, &of_meshes);
        vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    }
}

/* ---------------------------------------------------------------- queries */

static VkQueryPool query_pool(struct vkt *t, VkQueryType type, VkQueryPipelineStatisticFlags statistics)
{
    VkQueryPool pool;
    vkt_ok(vkCreateQueryPool(t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = type,
                                                      .queryCount = 1,
                                                      .pipelineStatistics = statistics},
                             NULL, &pool));
    return pool;
}

static uint32_t drawn_primitives(const struct data *d)
{
    const struct primitive *p = d->primitives.map;
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->primitive_count; i++)
        count += !(p[i].flags & 1);
    return count;
}

static void work_is_counted(void **state)
{
    struct vkt *t = mesh_device();
    scene = (struct scene){SHADERS(tasks), TASKS(tasks),  .corners = 3,     .meshlets = 41,
                           .seed = 30,     .per_task = 5, .grid = {9, 1, 1}};
    struct data d = data_create(t);
    struct target target = target_create(t);
    const VkDescriptorSetLayout layout = set_layout(t, true, 3);
    const VkDescriptorSet set = vkt_set_alloc(t, layout);
    const struct vkt_buffer *const buffers[] = {&d.meshlets, &d.vertices, &d.primitives};
    for (uint32_t i = 0; i < 3; i++)
        vkt_set_buffer(t, set, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[i]->buffer, 0, VK_WHOLE_SIZE);
    struct vkt_pipeline p = pipeline_create(t, true, target.pass, layout);
    const VkQueryPool statistics = query_pool(t, VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                              VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT |
                                                  VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |
                                                  VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT |
                                                  VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT);
    const VkQueryPool primitives = query_pool(t, VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT, 0);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdResetQueryPool(cmd, statistics, 0, 1);
    vkCmdResetQueryPool(cmd, primitives, 0, 1);
    begin(cmd, &target, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_FRAGMENT_BIT | mesh_stages, 0, 8,
                       (uint32_t[]){scene.meshlets, scene.per_task});
    draw_tasks(cmd, 9, 1, 1);
    vkCmdBeginQuery(cmd, statistics, 0, 0);
    vkCmdBeginQuery(cmd, primitives, 0, 0);
    draw_tasks(cmd, 9, 1, 1);
    draw_tasks(cmd, 0, 1, 1);
    vkCmdEndQuery(cmd, primitives, 0);
    vkCmdEndQuery(cmd, statistics, 0);
    draw_tasks(cmd, 9, 1, 1);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    uint64_t counts[4], generated;
    vkt_ok(vkGetQueryPoolResults(t->device, statistics, 0, 1, sizeof counts, counts, sizeof counts,
                                 VK_QUERY_RESULT_64_BIT));
    vkt_ok(vkGetQueryPoolResults(t->device, primitives, 0, 1, sizeof generated, &generated, sizeof generated,
                                 VK_QUERY_RESULT_64_BIT));
    assert_int_equal(counts[0], 0);
    assert_int_equal(counts[1], drawn_primitives(&d));
    assert_int_equal(counts[2], 9 * 32);
    assert_int_equal(counts[3], 41 * 128);
    assert_int_equal(generated, d.primitive_count);
    vkDestroyQueryPool(t->device, statistics, NULL);
    vkDestroyQueryPool(t->device, primitives, NULL);
    vkt_pipeline_destroy(t, &p);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    target_destroy(t, &target);
    data_destroy(t, &d);
}

/* ---------------------------------------------------------------- broken rules */

static void draw_wild(uint32_t wrong, bool has_tasks, uint32_t groups)
{
    struct vkt *t = mesh_device();
    vkt_accept_message(vkt_device(VKT_TESTED), ALWAYS_ACCEPTED
                       "VUID-vkCmdDrawMeshTasksEXT-TaskEXT-07322 VUID-vkCmdDrawMeshTasksEXT-TaskEXT-07326 "
                       "VUID-vkCmdDrawMeshTasksEXT-TaskEXT-07325 VUID-RuntimeSpirv-TaskEXT-07299 "
                       "VUID-RuntimeSpirv-TaskEXT-07300 VUID-RuntimeSpirv-TaskEXT-07301 "
                       "VUID-RuntimeSpirv-TaskEXT-07302");
    scene = (struct scene){.meshlets = 1};
    struct target target = target_create(t);
    struct vkt_pipeline p = vkt_pipeline_create(
        t,
        &(struct vkt_pipeline_info){.ms = has_tasks ? VKT_SHADER(mesh_wild_payload_mesh) : VKT_SHADER(mesh_wild_mesh),
                                    .ts = has_tasks ? VKT_SHADER(mesh_wild_task) : (struct vkt_shader){0},
                                    .fs = VKT_SHADER(mesh_plain_frag),
                                    .pass = target.pass,
                                    .width = W,
                                    .height = H,
                                    .push_size_B = 4,
                                    .push_stages = mesh_stages});
    VkCommandBuffer cmd = vkt_begin(t);
    begin(cmd, &target, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_FRAGMENT_BIT | mesh_stages, 0, 4, &wrong);
    draw_tasks(cmd, groups, 1, 1);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    uint8_t texels[W * H * 4];
    vkt_read_image(t, &target.color, 0, 0, texels, sizeof texels);
    if (wrong == 1 && groups <= 5) { /* the upper left half of the picture */
        assert_memory_equal(texels, ((const uint8_t[4]){0, 255, 0, 255}), 4);
        assert_memory_equal(texels + sizeof texels - 4, ((const uint8_t[4]){51, 51, 51, 255}), 4);
    }
    vkt_pipeline_destroy(t, &p);
    target_destroy(t, &target);
}

static void broken_rules_are_survived(void **state)
{
    static const uint32_t wrongs[] = {1, 2, 5, 1000, 0x7fffffff, UINT32_MAX};
    for (uint32_t i = 0; i < VKT_COUNT(wrongs); i++) {
        draw_wild(wrongs[i], false, 3);
        draw_wild(wrongs[i], true, 5);
    }
    draw_wild(1, false, 70000);
    draw_wild(1, true, UINT32_MAX);
}

static void limits_are_those_of_the_specification(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceMeshShaderPropertiesEXT p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT};
    vkGetPhysicalDeviceProperties2(
        t->physical,
        &(VkPhysicalDeviceProperties2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p});
    const uint32_t at_least[][2] = {{p.maxTaskWorkGroupTotalCount, 1u << 22},
                                    {p.maxMeshWorkGroupTotalCount, 1u << 22},
                                    {p.maxTaskWorkGroupInvocations, 128},
                                    {p.maxMeshWorkGroupInvocations, 128},
                                    {p.maxTaskPayloadSize, 16384},
                                    {p.maxTaskSharedMemorySize, 32768},
                                    {p.maxTaskPayloadAndSharedMemorySize, 32768},
                                    {p.maxMeshSharedMemorySize, 28672},
                                    {p.maxMeshPayloadAndSharedMemorySize, 28672},
                                    {p.maxMeshOutputMemorySize, 32768},
                                    {p.maxMeshPayloadAndOutputMemorySize, 48128},
                                    {p.maxMeshOutputComponents, 128},
                                    {p.maxMeshOutputVertices, 256},
                                    {p.maxMeshOutputPrimitives, 256},
                                    {p.maxMeshOutputLayers, 8},
                                    {p.maxMeshMultiviewViewCount, 1}};
    for (uint32_t i = 0; i < VKT_COUNT(at_least); i++)
        assert_in_range(at_least[i][0], at_least[i][1], UINT32_MAX);
    for (uint32_t i = 0; i < 3; i++) {
        assert_in_range(p.maxTaskWorkGroupCount[i], 65535, UINT32_MAX);
        assert_in_range(p.maxMeshWorkGroupCount[i], 65535, UINT32_MAX);
        assert_in_range(p.maxTaskWorkGroupSize[i], 128, UINT32_MAX);
        assert_in_range(p.maxMeshWorkGroupSize[i], 128, UINT32_MAX);
    }
    assert_in_range(p.meshOutputPerVertexGranularity, 1, 32);
    assert_in_range(p.meshOutputPerPrimitiveGranularity, 1, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(limits_are_those_of_the_specification, vkt_check_messages),
        cmocka_unit_test_teardown(meshes_are_drawn, vkt_check_messages),
        cmocka_unit_test_teardown(lines_and_points_are_drawn, vkt_check_messages),
        cmocka_unit_test_teardown(lines_are_stippled, vkt_check_messages),
        cmocka_unit_test_teardown(tasks_choose_meshes, vkt_check_messages),
        cmocka_unit_test_teardown(large_meshes_are_cut, vkt_check_messages),
        cmocka_unit_test_teardown(many_groups_are_cut, vkt_check_messages),
        cmocka_unit_test_teardown(primitives_go_to_layers_and_viewports, vkt_check_messages),
        cmocka_unit_test_teardown(distances_clip_and_cull, vkt_check_messages),
        cmocka_unit_test_teardown(views_are_drawn, vkt_check_messages),
        cmocka_unit_test_teardown(draws_are_recorded_in_all_ways, vkt_check_messages),
        cmocka_unit_test_teardown(random_meshes_agree, vkt_check_messages),
        cmocka_unit_test_teardown(shaders_know_their_place, vkt_check_messages),
        cmocka_unit_test_teardown(work_is_counted, vkt_check_messages),
        cmocka_unit_test_teardown(broken_rules_are_survived, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests(tests, NULL, teardown);
}
