/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_line_rasterization. Bresenham lines are held to the diamond-exit rule, with what the specification lets
 * implementations do: each line has a cell of the picture for itself. Lines as rectangles are held to the rectangle,
 * smooth ones to the part of each pixel that it covers, and what they interpolate to the reference. Stippled ones are
 * held to the pattern. Also polygons as such lines, topologies, indices, clipping, wide lines, four samples, flipped
 * viewports, large targets, pipeline libraries, and the mode and the stipple as dynamic state.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "lines.frag.h"
#include "lines.vert.h"

enum { CELL = 32, CELLS = 12, SIZE = CELL * CELLS, LINES = CELLS * CELLS };

#define FORMAT VK_FORMAT_R8G8B8A8_UNORM

static struct vkt devices[2]; /* tested and reference */
static PFN_vkCmdBeginRenderingKHR begin_rendering[2];
static PFN_vkCmdEndRenderingKHR end_rendering[2];
static PFN_vkCmdSetLineRasterizationModeEXT set_line_mode;
static PFN_vkCmdSetLineStippleEXT set_line_stipple[2];

static int open_devices(void **state)
{
    static const char *const extensions[] = {
        VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,      VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
        VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,       VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
        VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
        VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME};
    for (int which = 0; which < 2; which++) {
        VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
            .graphicsPipelineLibrary = VK_TRUE};
        VkPhysicalDeviceDynamicRenderingFeatures rendering = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
            .pNext = &libraries,
            .dynamicRendering = VK_TRUE};
        VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
            .pNext = &rendering,
            .extendedDynamicState3LineRasterizationMode = VK_TRUE};
        VkPhysicalDeviceLineRasterizationFeaturesEXT lines = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT,
            .pNext = &dynamic,
            .rectangularLines = VK_TRUE,
            .bresenhamLines = VK_TRUE,
            .smoothLines = VK_TRUE,
            .stippledRectangularLines = VK_TRUE,
            .stippledBresenhamLines = VK_TRUE,
            .stippledSmoothLines = VK_TRUE};
        devices[which] =
            vkt_device_create_chain(vkt_device((enum vkt_which)which), extensions, VKT_COUNT(extensions), &lines);
        VkDevice device = devices[which].device;
        begin_rendering[which] = (PFN_vkCmdBeginRenderingKHR)vkGetDeviceProcAddr(device, "vkCmdBeginRenderingKHR");
        set_line_stipple[which] = (PFN_vkCmdSetLineStippleEXT)vkGetDeviceProcAddr(device, "vkCmdSetLineStippleEXT");
        end_rendering[which] = (PFN_vkCmdEndRenderingKHR)vkGetDeviceProcAddr(device, "vkCmdEndRenderingKHR");
    }
    set_line_mode = (PFN_vkCmdSetLineRasterizationModeEXT)vkGetDeviceProcAddr(devices[VKT_TESTED].device,
                                                                             "vkCmdSetLineRasterizationModeEXT");
    return 0;
}

static int close_devices(void **state)
{
    for (int which = 0; which < 2; which++)
        vkt_device_close(&devices[which]);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- drawing */

struct vertex {
    float position[4], color[4];
};

static struct line_case {
    VkLineRasterizationModeEXT mode;
    VkPrimitiveTopology topology;
    VkPolygonMode polygon;
    VkCullModeFlags cull;
    VkProvokingVertexModeEXT provoking;
    VkSampleCountFlagBits samples;
    float width_px;
    uint32_t stipple_factor; /* 0: no stipple */
    uint16_t stipple_pattern;
    bool dynamic_stipple;
    uint32_t size_px;
    bool flips, dynamic_mode, dynamic_width, has_library, depth_clamp, blends;
    const struct vertex *vertices;
    uint32_t count;
    const uint16_t *indices; /* 0xffff restarts */
    uint32_t index_count, instances;
} line_case;

static VkPipeline make_part(struct vkt *t, const VkGraphicsPipelineCreateInfo *info,
                            VkGraphicsPipelineLibraryFlagsEXT parts)
{
    VkPipeline out;
    const bool is_fragment = parts & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
    VkPipelineRenderingCreateInfo rendering;
    memcpy(&rendering, info->pNext, sizeof rendering);
    const VkGraphicsPipelineLibraryCreateInfoEXT library = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
        .pNext = is_fragment ? &rendering : NULL,
        .flags = parts};
    VkGraphicsPipelineCreateInfo part = *info;
    part.pNext = &library;
    part.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    part.stageCount = 1;
    part.pStages += is_fragment;
    if (is_fragment) {
        part.pVertexInputState = NULL;
        part.pInputAssemblyState = NULL;
        part.pViewportState = NULL;
        part.pRasterizationState = NULL;
    } else {
        part.pMultisampleState = NULL;
        part.pDepthStencilState = NULL;
        part.pColorBlendState = NULL;
    }
    vkt_ok(vkCreateGraphicsPipelines(t->device, VK_NULL_HANDLE, 1, &part, NULL, &out));
    return out;
}

/* From one library with the vertex and rasterization state, and one with the rest. */
static VkPipeline link_parts(struct vkt *t, const VkGraphicsPipelineCreateInfo *info)
{
    VkPipeline out;
    const VkPipeline parts[] = {
        make_part(t, info,
                  VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
                      VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT),
        make_part(t, info,
                  VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT |
                      VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT)};
    const VkPipelineLibraryCreateInfoKHR libraries = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = 2, .pLibraries = parts};
    vkt_ok(vkCreateGraphicsPipelines(t->device, VK_NULL_HANDLE, 1,
                                     &(VkGraphicsPipelineCreateInfo){
                                         .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .pNext = &libraries,
                                         .layout = info->layout},
                                     NULL, &out));
    for (uint32_t i = 0; i < 2; i++)
        vkDestroyPipeline(t->device, parts[i], NULL);
    return out;
}

static VkShaderModule module_of(struct vkt *t, struct vkt_shader shader)
{
    VkShaderModule module;
    vkt_ok(vkCreateShaderModule(t->device,
                                &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                            .codeSize = shader.size_B,
                                                            .pCode = shader.words},
                                NULL, &module));
    return module;
}

/* Where the state is dynamic, the pipeline's own is another. */
static VkPipeline make_pipeline(struct vkt *t, VkPipelineLayout layout)
{
    static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                                   {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
    static const VkFormat format = FORMAT;
    const struct line_case *c = &line_case;
    const float size = (float)c->size_px;
    const VkPipelineColorBlendAttachmentState blend = {.blendEnable = c->blends,
                                                       .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
                                                       .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                       .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                       .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                       .colorWriteMask = 0xf};
    const VkPipelineShaderStageCreateInfo stages[] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = module_of(t, VKT_SHADER(lines_vert)),
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = module_of(t, VKT_SHADER(lines_frag)),
         .pName = "main"}};
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = 1,
                                                     .pColorAttachmentFormats = &format};
    const VkPipelineRasterizationLineStateCreateInfoEXT lines = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
        .lineRasterizationMode = c->dynamic_mode ? VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT : c->mode,
        .stippledLineEnable = c->stipple_factor != 0,
        .lineStippleFactor = c->stipple_factor && !c->dynamic_stipple ? c->stipple_factor : 1,
        .lineStipplePattern = c->dynamic_stipple ? 0 : c->stipple_pattern};
    const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
        .pNext = &lines,
        .provokingVertexMode = c->provoking};
    VkDynamicState dynamic[3];
    uint32_t dynamic_count = 0;
    if (c->dynamic_mode)
        dynamic[dynamic_count++] = VK_DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT;
    if (c->dynamic_width)
        dynamic[dynamic_count++] = VK_DYNAMIC_STATE_LINE_WIDTH;
    if (c->dynamic_stipple)
        dynamic[dynamic_count++] = VK_DYNAMIC_STATE_LINE_STIPPLE_EXT;
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = &rendering,
        .stageCount = 2,
        .pStages = stages,
        .pVertexInputState =
            &(VkPipelineVertexInputStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                    .vertexBindingDescriptionCount = 1,
                                                    .pVertexBindingDescriptions = &binding,
                                                    .vertexAttributeDescriptionCount = 2,
                                                    .pVertexAttributeDescriptions = attributes},
        .pInputAssemblyState =
            &(VkPipelineInputAssemblyStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                .topology = c->topology,
                .primitiveRestartEnable = c->indices && c->topology != VK_PRIMITIVE_TOPOLOGY_LINE_LIST &&
                                          c->topology != VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
        .pViewportState =
            &(VkPipelineViewportStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                .viewportCount = 1,
                .pViewports = &(VkViewport){0, c->flips ? size : 0, size, c->flips ? -size : size, 0, 1},
                .scissorCount = 1,
                .pScissors = &(VkRect2D){{0, 0}, {c->size_px, c->size_px}}},
        .pRasterizationState =
            &(VkPipelineRasterizationStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                .pNext = &provoking,
                .depthClampEnable = c->depth_clamp,
                .polygonMode = c->polygon,
                .cullMode = c->cull,
                .lineWidth = c->dynamic_width ? 7 : c->width_px},
        .pMultisampleState =
            &(VkPipelineMultisampleStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                    .rasterizationSamples = c->samples},
        .pDepthStencilState =
            &(VkPipelineDepthStencilStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO},
        .pColorBlendState =
            &(VkPipelineColorBlendStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                   .attachmentCount = 1,
                                                   .pAttachments = &blend},
        .pDynamicState =
            &(VkPipelineDynamicStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                .dynamicStateCount = dynamic_count,
                                                .pDynamicStates = dynamic},
        .layout = layout,
    };
    VkPipeline pipeline;
    if (c->has_library)
        pipeline = link_parts(t, &info);
    else
        vkt_ok(vkCreateGraphicsPipelines(t->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    for (uint32_t i = 0; i < 2; i++)
        vkDestroyShaderModule(t->device, stages[i].module, NULL);
    return pipeline;
}

static struct vkt_image make_image(struct vkt *t, VkSampleCountFlagBits samples)
{
    return vkt_image_create(t, &(struct vkt_image_info){.format = FORMAT,
                                                        .width = line_case.size_px,
                                                        .height = line_case.size_px,
                                                        .samples = samples,
                                                        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                 VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
}

static void draw_on(int which, struct vkt_picture *out)
{
    struct vkt *t = &devices[which];
    const struct line_case *c = &line_case;
    const bool is_resolved = c->samples > 1;
    VkPipelineLayout layout;
    vkt_ok(vkCreatePipelineLayout(
        t->device, &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO}, NULL, &layout));
    VkPipeline pipeline = make_pipeline(t, layout);
    struct vkt_image color = make_image(t, c->samples), resolved = {0};
    if (is_resolved)
        resolved = make_image(t, VK_SAMPLE_COUNT_1_BIT);
    struct vkt_buffer vertices =
        vkt_buffer_create(t, c->count * sizeof *c->vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, c->vertices);
    struct vkt_buffer indices = vkt_buffer_create(t, c->indices ? c->index_count * sizeof *c->indices : 2,
                                                  VK_BUFFER_USAGE_INDEX_BUFFER_BIT, c->indices);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &color, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    if (is_resolved)
        vkt_image_barrier(cmd, &resolved, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    const VkRenderingAttachmentInfo attachment = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = color.view,
        .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .resolveMode = is_resolved ? VK_RESOLVE_MODE_AVERAGE_BIT : VK_RESOLVE_MODE_NONE,
        .resolveImageView = resolved.view,
        .resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    begin_rendering[which](cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                   .renderArea = {{0, 0}, {c->size_px, c->size_px}},
                                                   .layerCount = 1,
                                                   .colorAttachmentCount = 1,
                                                   .pColorAttachments = &attachment});
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    if (c->dynamic_mode)
        set_line_mode(cmd, c->mode);
    if (c->dynamic_width)
        vkCmdSetLineWidth(cmd, c->width_px);
    if (c->dynamic_stipple)
        set_line_stipple[which](cmd, c->stipple_factor, c->stipple_pattern);
    const uint32_t instances = c->instances ? c->instances : 1;
    if (c->indices) {
        vkCmdBindIndexBuffer(cmd, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
        vkCmdDrawIndexed(cmd, c->index_count, instances, 0, 0, 0);
    } else {
        vkCmdDraw(cmd, c->count, instances, 0, 0);
    }
    end_rendering[which](cmd);
    const struct vkt_image *image = is_resolved ? &resolved : &color;
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    const uint32_t size_B = c->size_px * c->size_px * 4;
    *out = (struct vkt_picture){c->size_px, c->size_px, malloc(size_B)};
    assert_non_null(out->rgba);
    vkt_read_image(t, image, 0, 0, out->rgba, size_B);
    vkt_buffer_destroy(t, &vertices);
    vkt_buffer_destroy(t, &indices);
    vkt_image_destroy(t, &color);
    if (is_resolved)
        vkt_image_destroy(t, &resolved);
    vkDestroyPipeline(t->device, pipeline, NULL);
    vkDestroyPipelineLayout(t->device, layout, NULL);
}

static void scene(struct vkt *base, struct vkt_picture *out)
{
    draw_on(base == vkt_device(VKT_TESTED) ? VKT_TESTED : VKT_REFERENCE, out);
}

/* ---------------------------------------------------------------- lines in cells */

struct point {
    double x, y; /* in pixels, multiples of 1/16 */
};

struct line {
    struct point p[2]; /* in its cell */
};

static unsigned next_random(unsigned *seed, unsigned count)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % count;
}

static struct point random_point(unsigned *seed, unsigned step)
{
    const unsigned places = (CELL - 12) * 16 / step;
    return (struct point){6 + next_random(seed, places) * step / 16.0, 6 + next_random(seed, places) * step / 16.0};
}

/* One line for each cell. `step`: ends lie at multiples of so many 1/16 pixels. */
static void make_lines(unsigned seed, unsigned step, struct line lines[LINES], struct vertex vertices[2 * LINES])
{
    for (unsigned i = 0; i < LINES; i++) {
        for (unsigned k = 0; k < 2; k++)
            lines[i].p[k] = random_point(&seed, step);
        if (i % 8 == 0)
            lines[i].p[1].x = lines[i].p[0].x;
        if (i % 8 == 1)
            lines[i].p[1].y = lines[i].p[0].y;
        for (unsigned k = 0; k < 2; k++) {
            const double x = lines[i].p[k].x + i % CELLS * CELL, y = lines[i].p[k].y + i / CELLS * CELL;
            vertices[2 * i + k] = (struct vertex){
                {(float)(x * 2 / SIZE - 1), (float)(y * 2 / SIZE - 1), 0.5f, 1}, {1, 1, 1, 1}};
        }
    }
}

static bool is_drawn(const struct vkt_picture *picture, unsigned line, int x, int y)
{
    const size_t at = ((size_t)(line / CELLS * CELL) + (size_t)y) * SIZE + line % CELLS * CELL + (size_t)x;
    return picture->rgba[4 * at] > 0;
}

static bool is_x_major(const struct line *l)
{
    return fabs(l->p[1].x - l->p[0].x) >= fabs(l->p[1].y - l->p[0].y);
}

/* The distance of a point from the centre of a pixel, as diamonds have it. */
static double diamond(struct point p, int x, int y)
{
    return fabs(p.x - x - 0.5) + fabs(p.y - y - 0.5);
}

/* Whether the line goes through the pixel's diamond and does not end in it. The distance is convex along the line, and
 * has its minimum at an end or where the line crosses one of the diamond's axes. The line is moved by `off_px`, so that
 * it never touches a corner. */
static bool exits(const struct line *at_rest, double off_px, int x, int y)
{
    struct line moved = *at_rest;
    const struct line *l = &moved;
    for (unsigned i = 0; i < 2; i++) {
        moved.p[i].x += off_px;
        moved.p[i].y += off_px * 0.7;
    }
    const double dx = l->p[1].x - l->p[0].x, dy = l->p[1].y - l->p[0].y;
    const double at[] = {0, dx != 0 ? (x + 0.5 - l->p[0].x) / dx : 0, dy != 0 ? (y + 0.5 - l->p[0].y) / dy : 0};
    bool is_inside = false;
    for (unsigned i = 0; i < VKT_COUNT(at); i++) {
        const double t = at[i] < 0 ? 0 : at[i] > 1 ? 1 : at[i];
        is_inside |= diamond((struct point){l->p[0].x + t * dx, l->p[0].y + t * dy}, x, y) < 0.5;
    }
    return is_inside && diamond(l->p[1], x, y) >= 0.5;
}

/* What the specification lets differ from the rule: the number of fragments by one, their places by one pixel. */
static void check_bresenham(const struct vkt_picture *picture, unsigned number, const struct line *l, int width)
{
    static bool expected[CELL][CELL];
    const bool x_major = is_x_major(l);
    int wanted[2] = {0}, got = 0;
    for (int y = 0; y < CELL; y++)
        for (int x = 0; x < CELL; x++) {
            const bool low = exits(l, -1e-4, x, y), high = exits(l, 1e-4, x, y);
            wanted[0] += low;
            wanted[1] += high;
            expected[y][x] = low || high;
        }
    for (int major = 0; major < CELL; major++) {
        int first = -1, count = 0;
        for (int minor = 0; minor < CELL; minor++) {
            if (!is_drawn(picture, number, x_major ? major : minor, x_major ? minor : major))
                continue;
            first = first < 0 ? minor : first;
            assert_int_equal(minor, first + count); /* one run in each column */
            count++;
        }
        if (!count)
            continue;
        assert_int_equal(count, width);
        got++;
        bool is_near = !wanted[0] && !wanted[1]; /* the rule may have no fragment of a very short line */
        for (int a = major - 1; a <= major + 1; a++)
            for (int b = first - 1; b <= first + width; b++) {
                /* a wide line is moved by half of what it is wider */
                const int x = x_major ? a : b, y = x_major ? b : a;
                is_near |= x >= 0 && y >= 0 && x < CELL && y < CELL && expected[y][x];
            }
        assert_true(is_near);
    }
    if (abs(got - wanted[0]) > 1 && abs(got - wanted[1]) > 1)
        fail_msg("line %u (%g,%g)-(%g,%g): %d fragments, the rule has %d", number, l->p[0].x, l->p[0].y, l->p[1].x,
                 l->p[1].y, got, wanted[1]);
}

static void bresenham_lines_follow_the_rule(void **state)
{
    static struct line lines[LINES];
    static struct vertex vertices[2 * LINES];
    static const struct {
        float width_px;
        int expected;
    } widths[] = {{1, 1}, {3, 3}, {4.25f, 4}, {1.375f, 1}};
    for (unsigned i = 0; i < 8; i++) {
        make_lines(i + 1, i & 1 ? 8 : 1, lines, vertices);
        line_case = (struct line_case){.mode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT,
                                       .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
                                       .samples = i & 4 ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT,
                                       .width_px = widths[i / 2].width_px,
                                       .dynamic_width = i & 1,
                                       .size_px = SIZE,
                                       .vertices = vertices,
                                       .count = VKT_COUNT(vertices)};
        struct vkt_picture picture;
        draw_on(VKT_TESTED, &picture);
        for (unsigned k = 0; k < SIZE * SIZE; k++) /* all samples of a pixel, or none */
            assert_true(picture.rgba[4 * k] == 0 || picture.rgba[4 * k] == 255);
        for (unsigned k = 0; k < LINES; k++)
            check_bresenham(&picture, k, &lines[k], widths[i / 2].expected);
        vkt_picture_free(&picture);
    }
}

/* The parts of a line in one direction share no fragment, and leave none out. */
static void bresenham_strips_have_no_gaps(void **state)
{
    enum { PARTS = 5 };
    static struct vertex vertices[LINES * (PARTS + 1)];
    static uint16_t indices[LINES * (PARTS + 2)];
    unsigned seed = 11, n = 0;
    for (unsigned i = 0; i < LINES; i++) {
        const bool x_major = next_random(&seed, 2), is_backward = next_random(&seed, 2);
        double major = 2.5 + next_random(&seed, 16) / 16.0, minor = 16;
        for (unsigned k = 0; k <= PARTS; k++) {
            const double at = is_backward ? CELL - major : major;
            const double x = (x_major ? at : minor) + i % CELLS * CELL, y = (x_major ? minor : at) + i / CELLS * CELL;
            vertices[i * (PARTS + 1) + k] = (struct vertex){
                {(float)(x * 2 / SIZE - 1), (float)(y * 2 / SIZE - 1), 0.5f, 1}, {1, 1, 1, 1}};
            indices[n++] = (uint16_t)(i * (PARTS + 1) + k);
            const double step = 1 + next_random(&seed, 60) / 16.0;
            major += step;
            minor += step * (next_random(&seed, 33) / 16.0 - 1) * 0.9;
        }
        indices[n++] = 0xffff;
    }
    line_case = (struct line_case){.mode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT,
                                   .topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                   .width_px = 1,
                                   .size_px = SIZE,
                                   .vertices = vertices,
                                   .count = VKT_COUNT(vertices),
                                   .indices = indices,
                                   .index_count = n};
    struct vkt_picture picture;
    draw_on(VKT_TESTED, &picture);
    for (unsigned i = 0; i < LINES; i++) {
        int per_column[2][CELL] = {{0}}, runs[2] = {0};
        for (int y = 0; y < CELL; y++)
            for (int x = 0; x < CELL; x++) {
                per_column[0][x] += is_drawn(&picture, i, x, y);
                per_column[1][y] += is_drawn(&picture, i, x, y);
            }
        bool is_whole[2] = {true, true}; /* with either axis as the major one */
        for (unsigned axis = 0; axis < 2; axis++)
            for (int k = 0; k < CELL; k++) {
                is_whole[axis] &= per_column[axis][k] < 2;
                runs[axis] += per_column[axis][k] && (!k || !per_column[axis][k - 1]);
            }
        assert_true((is_whole[0] && runs[0] == 1) || (is_whole[1] && runs[1] == 1));
    }
    vkt_picture_free(&picture);
}

/* How far a point is outside of the line's rectangle; negative inside. */
static double outside_rectangle(const struct line *l, double width_px, double x, double y)
{
    const double dx = l->p[1].x - l->p[0].x, dy = l->p[1].y - l->p[0].y, length = hypot(dx, dy);
    const double along = ((x - l->p[0].x) * dx + (y - l->p[0].y) * dy) / length;
    const double across = fabs((x - l->p[0].x) * dy - (y - l->p[0].y) * dx) / length - width_px / 2;
    return fmax(across, fmax(-along, along - length));
}

#define CLOSE_PX 0.125 /* corners are rounded to 1/16 pixel */

static void check_rectangle(const struct vkt_picture *picture, unsigned number, const struct line *l, double width_px,
                            VkSampleCountFlagBits samples)
{
    static const struct point four[] = {{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}};
    static const struct point one[] = {{0.5, 0.5}};
    const struct point *at = samples > 1 ? four : one;
    for (int y = 0; y < CELL; y++)
        for (int x = 0; x < CELL; x++) {
            int least = 0, most = 0;
            for (unsigned s = 0; s < (unsigned)samples; s++) {
                const double out = outside_rectangle(l, width_px, x + at[s].x, y + at[s].y);
                least += out < -CLOSE_PX;
                most += out < CLOSE_PX;
            }
            const size_t place =
                ((size_t)(number / CELLS * CELL) + (size_t)y) * SIZE + number % CELLS * CELL + (size_t)x;
            const int got = (picture->rgba[4 * place] * samples + 127) / 255;
            if (got < least || got > most)
                fail_msg("line %u (%g,%g)-(%g,%g): %d samples of pixel %d,%d instead of %d to %d", number, l->p[0].x,
                         l->p[0].y, l->p[1].x, l->p[1].y, got, x, y, least, most);
        }
}

static void rectangles_are_rectangles(void **state)
{
    static struct line lines[LINES];
    static struct vertex vertices[2 * LINES];
    static const float widths_px[] = {1, 2.5f, 5};
    for (unsigned i = 0; i < 6; i++) {
        make_lines(i + 21, 1, lines, vertices);
        line_case = (struct line_case){.mode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT,
                                       .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
                                       .samples = i & 1 ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT,
                                       .width_px = widths_px[i / 2],
                                       .dynamic_width = i & 1,
                                       .size_px = SIZE,
                                       .vertices = vertices,
                                       .count = VKT_COUNT(vertices)};
        struct vkt_picture picture;
        draw_on(VKT_TESTED, &picture);
        for (unsigned k = 0; k < LINES; k++)
            check_rectangle(&picture, k, &lines[k], widths_px[i / 2], line_case.samples);
        vkt_picture_free(&picture);
    }
}

/* The part of a pixel that the line's rectangle covers. */
static double covered_part(const struct line *l, double width_px, int x, int y)
{
    int count = 0;
    for (int i = 0; i < 64; i++)
        count += outside_rectangle(l, width_px, x + (i % 8 + 0.5) / 8, y + (i / 8 + 0.5) / 8) < 0;
    return count / 64.0;
}

/* The driver measures distances from the sides, which differs from the area of slanted lines by up to 0.09. */
static void smooth_lines_cover_parts_of_pixels(void **state)
{
    static struct line lines[LINES];
    static struct vertex vertices[2 * LINES];
    static const float widths_px[] = {1, 2.5f, 5};
    for (unsigned i = 0; i < 6; i++) {
        make_lines(i + 31, 1, lines, vertices);
        line_case = (struct line_case){.mode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT,
                                       .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
                                       .samples = i & 1 ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT,
                                       .width_px = widths_px[i / 2],
                                       .dynamic_width = i & 1,
                                       .size_px = SIZE,
                                       .vertices = vertices,
                                       .count = VKT_COUNT(vertices)};
        struct vkt_picture picture;
        draw_on(VKT_TESTED, &picture);
        for (unsigned k = 0; k < LINES; k++) {
            const struct line *l = &lines[k];
            if (hypot(l->p[1].x - l->p[0].x, l->p[1].y - l->p[0].y) < 1.5)
                continue;
            for (int y = 0; y < CELL; y++)
                for (int x = 0; x < CELL; x++) {
                    const size_t at =
                        ((size_t)(k / CELLS * CELL) + (size_t)y) * SIZE + k % CELLS * CELL + (size_t)x;
                    const double got = picture.rgba[4 * at + 3] / 255.0,
                                 expected = covered_part(l, widths_px[i / 2], x, y);
                    if (fabs(got - expected) > 0.16)
                        fail_msg("line %u (%g,%g)-(%g,%g), pixel %d,%d: alpha %g instead of %g", k, l->p[0].x,
                                 l->p[0].y, l->p[1].x, l->p[1].y, x, y, got, expected);
                }
        }
        vkt_picture_free(&picture);
    }
}

/* ---------------------------------------------------------------- against the reference */

#define VERTICES 24

/* A zigzag of colours. With `perspective`, vertices have several depths, and some are behind the eye. */
static void fill_zigzag(struct vertex v[VERTICES], bool perspective)
{
    for (uint32_t i = 0; i < VERTICES; i++) {
        const float w = perspective ? (i % 5 == 3 ? -0.4f : 0.5f + (float)(i % 4)) : 1;
        const float x = (float)i / (VERTICES - 1) * 1.8f - 0.9f, y = (i % 2 ? 0.7f : -0.7f) * (i % 3 ? 1 : 0.6f);
        const float z = perspective ? (i % 5 == 3 ? -0.2f : i % 7 == 6 ? w * 1.5f : 0.3f * w) : 0.5f;
        v[i] = (struct vertex){{x * fabsf(w), y * fabsf(w), z, w},
                               {(float)(i * 7 % 11) / 11, (float)(i * 5 % 7) / 7, (float)(i + 1) / (VERTICES + 1), 1}};
    }
}

static void rectangles_are_those_of_the_reference(void **state)
{
    static const VkPrimitiveTopology topologies[] = {
        VK_PRIMITIVE_TOPOLOGY_LINE_LIST, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
        VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN};
    static const uint16_t indices[] = {0, 1, 2, 3, 5, 4, 0xffff, 6, 8, 7, 9, 10, 11, 0xffff, 12, 23, 20, 21, 17, 14};
    static const uint16_t list[] = {3, 2, 1, 0, 9, 7, 12, 15, 22, 20, 8, 5};
    struct vertex v[VERTICES];
    for (uint32_t i = 0; i < 40; i++) {
        const VkPrimitiveTopology topology = topologies[i % 5];
        const bool is_list = topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST ||
                             topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                   is_indexed = i / 5 & 1;
        fill_zigzag(v, i / 20);
        line_case = (struct line_case){
            .mode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT,
            .topology = topology,
            .polygon = VK_POLYGON_MODE_LINE,
            .cull = i / 10 & 1 ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE,
            .provoking = i / 5 & 1 ? VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT : VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .width_px = i % 3 ? 3.5f : 1,
            .size_px = 96,
            .flips = i / 10 & 1,
            .vertices = v,
            .count = VERTICES,
            .indices = !is_indexed ? NULL : is_list ? list : indices,
            .index_count = is_list ? VKT_COUNT(list) : VKT_COUNT(indices),
            .instances = i % 4 == 1 ? 3 : 1};
        char name[64];
        snprintf(name, sizeof name, "lines_rectangles_%u", i);
        /* where edges of a triangle overlap, the reference draws them in another order */
        const bool is_polygon = topology > VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
        vkt_compare_with_reference(name, scene, (struct vkt_tolerance){8, is_polygon ? 25 : 12});
    }
}

static void smooth_lines_are_those_of_the_reference(void **state)
{
    static const VkPrimitiveTopology topologies[] = {VK_PRIMITIVE_TOPOLOGY_LINE_LIST, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
                                                     VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    struct vertex v[VERTICES];
    for (uint32_t i = 0; i < 6; i++) {
        fill_zigzag(v, false);
        line_case = (struct line_case){.mode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT,
                                       .topology = topologies[i % 3],
                                       .polygon = VK_POLYGON_MODE_LINE,
                                       .cull = VK_CULL_MODE_BACK_BIT, /* the reference does not know facing here */
                                       .samples = VK_SAMPLE_COUNT_1_BIT,
                                       .width_px = i / 3 ? 4.5f : 1,
                                       .size_px = 96,
                                       .blends = true,
                                       .vertices = v,
                                       .count = VERTICES};
        vkt_compare_with_reference("lines_smooth", scene, (struct vkt_tolerance){50, 15});
    }
}

/* A target that no job can draw whole, and a depth clamp, which lets lines begin in front of the near plane. */
static void rectangles_of_large_targets(void **state)
{
    struct vertex v[VERTICES];
    for (uint32_t i = 0; i < 2; i++) {
        fill_zigzag(v, i);
        line_case = (struct line_case){.mode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT,
                                       .topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
                                       .samples = VK_SAMPLE_COUNT_1_BIT,
                                       .width_px = 9,
                                       .size_px = i ? 128 : 2200,
                                       .depth_clamp = i,
                                       .vertices = v,
                                       .count = i ? 3 : VERTICES};
        vkt_compare_with_reference(i ? "lines_clamped" : "lines_large", scene, (struct vkt_tolerance){6, i ? 12 : 2});
    }
}

/* ---------------------------------------------------------------- stipples */

enum { STAIR_POINTS = 14, STAIRS = 3, STAIR_PX = 96 };

struct stair {
    int x[STAIR_POINTS], y[STAIR_POINTS]; /* whole pixels; ends are a quarter of a pixel further right and down */
};

/* Horizontal and vertical lines in turn, in all directions, that do not cross. */
static void make_stairs(struct stair stairs[STAIRS], struct vertex v[STAIRS * STAIR_POINTS])
{
    static const int steps[STAIR_POINTS] = {0, 21, 7, 9, 5, -13, 6, 30, 11, 12, 9, -37, 4, 17};
    for (int i = 0; i < STAIRS; i++) {
        struct stair *s = &stairs[i];
        int x = 4 + 3 * i, y = 4 + 30 * i;
        for (int k = 0; k < STAIR_POINTS; k++) {
            if (k & 1)
                x += steps[k];
            else
                y += k ? steps[k] / 2 : 0;
            s->x[k] = x;
            s->y[k] = y;
            v[i * STAIR_POINTS + k] = (struct vertex){
                {((float)x + 0.25f) * 2 / STAIR_PX - 1, ((float)y + 0.25f) * 2 / STAIR_PX - 1, 0.5f, 1}, {1, 1, 1, 1}};
        }
    }
}

/* Draws one line of pixels; `s` counts its fragments. */
static void draw_stippled(const struct stair *stair, int from, unsigned *s, bool out[STAIR_PX][STAIR_PX])
{
    int x = stair->x[from], y = stair->y[from];
    const int to_x = stair->x[from + 1], to_y = stair->y[from + 1];
    while (x != to_x || y != to_y) {
        const int left = x > to_x, up = y > to_y; /* pixels whose centres lie between the ends */
        if (line_case.stipple_pattern >> (*s / line_case.stipple_factor % 16) & 1)
            out[y - up][x - left] = true;
        x += (to_x > x) - left;
        y += (to_y > y) - up;
        ++*s;
    }
}

static void check_stairs(const struct stair stairs[STAIRS], bool strip)
{
    static bool expected[STAIR_PX][STAIR_PX];
    struct vkt_picture picture;
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < STAIRS; i++) {
        unsigned s = 0;
        for (int k = 0; k + 1 < STAIR_POINTS; k += strip ? 1 : 2) {
            s = strip ? s : 0;
            draw_stippled(&stairs[i], k, &s, expected);
        }
    }
    draw_on(VKT_TESTED, &picture);
    for (unsigned i = 0; i < STAIR_PX * STAIR_PX; i++)
        if (picture.rgba[4 * i] != (expected[i / STAIR_PX][i % STAIR_PX] ? 255 : 0))
            fail_msg("mode %d, factor %u, %s: pixel %u,%u has %u", line_case.mode, line_case.stipple_factor,
                     strip ? "strip" : "list", i % STAIR_PX, i / STAIR_PX, picture.rgba[4 * i]);
    vkt_picture_free(&picture);
}

/* Lists begin anew with each line, strips go on. */
static void stipples_follow_the_pattern(void **state)
{
    static const uint32_t factors[] = {1, 2, 5};
    struct stair stairs[STAIRS];
    struct vertex v[STAIRS * STAIR_POINTS];
    uint16_t strips[STAIRS * (STAIR_POINTS + 1)];
    uint32_t count = 0;
    make_stairs(stairs, v);
    for (uint32_t i = 0; i < STAIRS; i++) {
        for (uint32_t k = 0; k < STAIR_POINTS; k++)
            strips[count++] = (uint16_t)(i * STAIR_POINTS + k);
        strips[count++] = 0xffff;
    }
    for (uint32_t i = 0; i < 24; i++) {
        const bool strip = i & 1;
        line_case = (struct line_case){
            .mode = i & 2 ? VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT : VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT,
            .topology = strip ? VK_PRIMITIVE_TOPOLOGY_LINE_STRIP : VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
            .provoking = i & 8 ? VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT : VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT,
            /* the four samples of a rectangle do not lie where the middle of the pixel does */
            .samples = (i & 6) == 6 ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT,
            .width_px = 1,
            .stipple_factor = factors[i / 4 % 3],
            .stipple_pattern = i & 16 ? 0xa5c7 : 0x3b11,
            .dynamic_stipple = i & 4,
            .instances = i % 5 == 0 ? 2 : 1,
            .size_px = STAIR_PX,
            .vertices = v,
            .count = VKT_COUNT(v),
            .indices = strip ? strips : NULL,
            .index_count = count};
        check_stairs(stairs, strip);
    }
}

/* The edges of a polygon follow each other. */
static void stipples_go_around_polygons(void **state)
{
    static const struct stair triangles[] = {{{4, 44, 44, 4}, {4, 4, 44, 4}}, {{90, 50, 50, 90}, {90, 90, 50, 90}}};
    struct vertex v[6];
    bool expected[STAIR_PX][STAIR_PX] = {{false}};
    struct vkt_picture picture;
    for (uint32_t i = 0; i < 6; i++)
        v[i] = (struct vertex){{((float)triangles[i / 3].x[i % 3] + 0.25f) * 2 / STAIR_PX - 1,
                                ((float)triangles[i / 3].y[i % 3] + 0.25f) * 2 / STAIR_PX - 1, 0.5f, 1},
                               {1, 1, 1, 1}};
    line_case = (struct line_case){.mode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT,
                                   .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                   .polygon = VK_POLYGON_MODE_LINE,
                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                   .width_px = 1,
                                   .stipple_factor = 3,
                                   .stipple_pattern = 0x6b1d,
                                   .size_px = STAIR_PX,
                                   .vertices = v,
                                   .count = VKT_COUNT(v)};
    for (uint32_t i = 0; i < 2; i++) {
        unsigned s = 0;
        for (int k = 0; k < 3; k++)
            draw_stippled(&triangles[i], k, &s, expected);
    }
    draw_on(VKT_TESTED, &picture);
    for (unsigned i = 0; i < STAIR_PX * STAIR_PX; i++)
        if (picture.rgba[4 * i] != (expected[i / STAIR_PX][i % STAIR_PX] ? 255 : 0))
            fail_msg("pixel %u,%u has %u", i % STAIR_PX, i / STAIR_PX, picture.rgba[4 * i]);
    vkt_picture_free(&picture);
}

/* Only of lists: in strips the reference forgets the part of a step that a line ends with. */
static void stipples_are_those_of_the_reference(void **state)
{
    struct vertex v[VERTICES];
    for (uint32_t i = 0; i < 6; i++) {
        const bool is_smooth = i % 3 == 2;
        fill_zigzag(v, false);
        line_case = (struct line_case){.mode = is_smooth ? VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT
                                               : i % 3   ? VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT
                                                         : VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT,
                                       .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
                                       .samples = VK_SAMPLE_COUNT_1_BIT,
                                       .width_px = i / 3 && !is_smooth ? 4 : 1,
                                       .stipple_factor = i / 3 ? 3 : 4,
                                       .stipple_pattern = i / 3 ? 0x0f33 : 0x5555,
                                       .size_px = 192,
                                       .blends = is_smooth,
                                       .vertices = v,
                                       .count = VERTICES};
        char name[64];
        snprintf(name, sizeof name, "lines_stippled_%u", i);
        vkt_compare_with_reference(name, scene, (struct vkt_tolerance){is_smooth ? 90 : 8, 12});
    }
}

static void stipples_of_samples(void **state)
{
    static struct line lines[LINES];
    static struct vertex vertices[2 * LINES];
    static const struct point four[] = {{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}};
    struct vkt_picture picture;
    make_lines(5, 1, lines, vertices);
    line_case = (struct line_case){.mode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT,
                                   .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
                                   .samples = VK_SAMPLE_COUNT_4_BIT,
                                   .width_px = 5,
                                   .stipple_factor = 4,
                                   .stipple_pattern = 0x5555,
                                   .size_px = SIZE,
                                   .vertices = vertices,
                                   .count = VKT_COUNT(vertices)};
    draw_on(VKT_TESTED, &picture);
    for (unsigned k = 0; k < LINES; k++) {
        const struct line *l = &lines[k];
        const double dx = l->p[1].x - l->p[0].x, dy = l->p[1].y - l->p[0].y, length = hypot(dx, dy);
        for (int y = 0; y < CELL && length > 1; y++)
            for (int x = 0; x < CELL; x++) {
                int least = 0, most = 0;
                for (unsigned s = 0; s < 4; s++) {
                    const double at_x = x + four[s].x, at_y = y + four[s].y;
                    const double along = ((at_x - l->p[0].x) * dx + (at_y - l->p[0].y) * dy) / length;
                    const double place = fmod(along + 8, 8); /* ones for four pixels, zeros for four */
                    const double out = fmax(outside_rectangle(l, 5, at_x, at_y), fabs(place - 2) - 2);
                    least += out < -CLOSE_PX;
                    most += out < CLOSE_PX || place > 8 - CLOSE_PX;
                }
                const size_t at = ((size_t)(k / CELLS * CELL) + (size_t)y) * SIZE + k % CELLS * CELL + (size_t)x;
                const int got = (picture.rgba[4 * at] * 4 + 127) / 255;
                if (got < least || got > most)
                    fail_msg("line %u (%g,%g)-(%g,%g): %d samples of pixel %d,%d instead of %d to %d", k, l->p[0].x,
                             l->p[0].y, l->p[1].x, l->p[1].y, got, x, y, least, most);
            }
    }
    vkt_picture_free(&picture);
}

/* ---------------------------------------------------------------- state */

static const VkLineRasterizationModeEXT modes[] = {
    VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT, VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT,
    VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT, VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT};

static void draw_mode(uint32_t i, bool is_dynamic, bool has_library, struct vkt_picture *out)
{
    struct vertex v[VERTICES];
    fill_zigzag(v, false);
    line_case = (struct line_case){.mode = modes[i],
                                   .topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                   .width_px = 3.75f,
                                   .size_px = 96,
                                   .dynamic_mode = is_dynamic,
                                   .dynamic_width = is_dynamic,
                                   .has_library = has_library,
                                   .vertices = v,
                                   .count = VERTICES};
    draw_on(VKT_TESTED, out);
}

static void modes_are_dynamic_state(void **state)
{
    struct vkt_picture of_mode[VKT_COUNT(modes)], again;
    for (uint32_t i = 0; i < VKT_COUNT(modes); i++) {
        draw_mode(i, false, false, &of_mode[i]);
        draw_mode(i, true, false, &again);
        vkt_compare("lines_dynamic", &of_mode[i], &again, (struct vkt_tolerance){0, 0});
        vkt_picture_free(&again);
    }
    for (uint32_t i = 0; i < VKT_COUNT(modes); i++)
        for (uint32_t k = 0; k < i; k++) /* the modes differ */
            assert_memory_not_equal(of_mode[i].rgba, of_mode[k].rgba, 96 * 96 * 4);
    for (uint32_t i = 0; i < VKT_COUNT(modes); i++)
        vkt_picture_free(&of_mode[i]);
}

static void libraries_keep_the_mode(void **state)
{
    if (devices[VKT_TESTED].messenger || vkt_device(VKT_TESTED)->messenger)
        vkt_skip("Debian 12's layer (1.3.239) crashes on libraries without a render pass; covered by the run without it");
    for (uint32_t i = 0; i < VKT_COUNT(modes); i++) {
        struct vkt_picture whole, linked;
        draw_mode(i, false, false, &whole);
        draw_mode(i, false, true, &linked);
        vkt_compare("lines_library", &whole, &linked, (struct vkt_tolerance){0, 0});
        vkt_picture_free(&whole);
        vkt_picture_free(&linked);
    }
}

static void reports_what_it_draws(void **state)
{
    VkPhysicalDeviceLineRasterizationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT};
    VkPhysicalDeviceLineRasterizationPropertiesEXT properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_PROPERTIES_EXT};
    const struct vkt *t = &devices[VKT_TESTED];
    PFN_vkGetPhysicalDeviceFeatures2KHR get_features =
        (PFN_vkGetPhysicalDeviceFeatures2KHR)vkGetInstanceProcAddr(t->instance, "vkGetPhysicalDeviceFeatures2KHR");
    PFN_vkGetPhysicalDeviceProperties2KHR get_properties = (PFN_vkGetPhysicalDeviceProperties2KHR)vkGetInstanceProcAddr(
        t->instance, "vkGetPhysicalDeviceProperties2KHR");
    get_features(t->physical, &(VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                                          .pNext = &features});
    get_properties(t->physical, &(VkPhysicalDeviceProperties2){
                                    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &properties});
    assert_true(features.rectangularLines && features.bresenhamLines && features.smoothLines);
    assert_true(features.stippledRectangularLines && features.stippledBresenhamLines && features.stippledSmoothLines);
    assert_int_equal(properties.lineSubPixelPrecisionBits, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reports_what_it_draws, vkt_check_messages),
        cmocka_unit_test_teardown(bresenham_lines_follow_the_rule, vkt_check_messages),
        cmocka_unit_test_teardown(bresenham_strips_have_no_gaps, vkt_check_messages),
        cmocka_unit_test_teardown(rectangles_are_rectangles, vkt_check_messages),
        cmocka_unit_test_teardown(smooth_lines_cover_parts_of_pixels, vkt_check_messages),
        cmocka_unit_test_teardown(rectangles_are_those_of_the_reference, vkt_check_messages),
        cmocka_unit_test_teardown(smooth_lines_are_those_of_the_reference, vkt_check_messages),
        cmocka_unit_test_teardown(rectangles_of_large_targets, vkt_check_messages),
        cmocka_unit_test_teardown(stipples_follow_the_pattern, vkt_check_messages),
        cmocka_unit_test_teardown(stipples_go_around_polygons, vkt_check_messages),
        cmocka_unit_test_teardown(stipples_of_samples, vkt_check_messages),
        cmocka_unit_test_teardown(stipples_are_those_of_the_reference, vkt_check_messages),
        cmocka_unit_test_teardown(modes_are_dynamic_state, vkt_check_messages),
        cmocka_unit_test_teardown(libraries_keep_the_mode, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("lines", tests, open_devices, close_devices);
}
