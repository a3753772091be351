/* SPDX-License-Identifier: MIT
 *
 * Polygons that are drawn as lines and points: culling, facing, the vertex that provokes, topologies with and without
 * indices; depth bias of all that triangles are drawn as, with its clamp and in the units of each format; depth clamp;
 * and cull distances.
 */
#include <math.h>
#include <string.h>
#include "vkt.h"
#include "polygon.frag.h"
#include "polygon.vert.h"
#include "polygon_cull.vert.h"
#include "polygon_depth.frag.h"
#include "polygon_many.vert.h"
#include "polygon_plain.frag.h"

#define W 64
#define H 64

struct vertex {
    float position[4];
    float color[4];
};

static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription attributes[] = {
    {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
    {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16},
};

/* ---------------------------------------------------------------- what is drawn */

static struct way {
    VkPolygonMode mode;
    VkCullModeFlags cull;
    VkFrontFace front;
    VkPrimitiveTopology topology;
    uint32_t index_B; /* 0: no indices */
    struct vkt_shader fs;
    float size_px;
} way;

/* A zigzag of corners in pixels, turned one way and the other. */
#define CORNERS 12

static void fill_corners(struct vertex v[CORNERS])
{
    for (uint32_t i = 0; i < CORNERS; i++) {
        const float x = 4.5f + 5 * (float)i, y = i % 2 ? 50.5f - (float)i : 10.5f + 2 * (float)(i % 5);
        v[i] = (struct vertex){{x / (W / 2) - 1, y / (H / 2) - 1, 0.25f, 1},
                               {(float)(i + 1) / 16, (float)(i * 7 % CORNERS) / CORNERS, 0, 1}};
    }
    for (uint32_t i = 6; i + 2 < CORNERS; i += 3) { /* lists face both ways */
        const struct vertex swapped = v[i];
        v[i] = way.topology == VKT_TRIANGLES ? v[i + 1] : v[i];
        v[i + 1] = way.topology == VKT_TRIANGLES ? swapped : v[i + 1];
    }
}

static void way_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vertex v[CORNERS];
    const uint32_t wide[] = {0, 1, 2, 3, 4, UINT32_MAX, 5, 6, 7, 8, 9, 10, 11};
    uint16_t narrow[VKT_COUNT(wide)];
    const bool strip = way.topology != VKT_TRIANGLES;
    fill_corners(v);
    for (uint32_t i = 0; i < VKT_COUNT(wide); i++)
        narrow[i] = (uint16_t)wide[i];
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                       .vs = VKT_SHADER(polygon_vert),
                                                       .fs = way.fs,
                                                       .pass = target.pass,
                                                       .bindings = &binding,
                                                       .binding_count = 1,
                                                       .attributes = attributes,
                                                       .attribute_count = 2,
                                                       .topology = way.topology,
                                                       .primitive_restart = strip && way.index_B,
                                                       .cull = way.cull,
                                                       .front_face = way.front,
                                                       .polygon_mode = way.mode,
                                                       .push_size_B = 4,
                                                       .width = W,
                                                       .height = H,
                                                   });
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    const bool is_narrow = way.index_B == 2;
    struct vkt_buffer indices =
        vkt_buffer_create(t, is_narrow ? sizeof narrow : sizeof wide, VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
                          is_narrow ? (const void *)narrow : (const void *)wide);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 4, &way.size_px);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    if (way.index_B && !strip) {
        vkCmdBindIndexBuffer(cmd, indices.buffer, 6 * way.index_B,
                             way.index_B == 2 ? VK_INDEX_TYPE_UINT16 : VK_INDEX_TYPE_UINT32);
        vkCmdDrawIndexed(cmd, 6, 1, 0, 0, 0);
    } else if (way.index_B) {
        vkCmdBindIndexBuffer(cmd, indices.buffer, 0, way.index_B == 2 ? VK_INDEX_TYPE_UINT16 : VK_INDEX_TYPE_UINT32);
        vkCmdDrawIndexed(cmd, VKT_COUNT(wide), 1, 0, 0, 0);
    } else {
        vkCmdDraw(cmd, CORNERS, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &vertices);
    vkt_buffer_destroy(t, &indices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void draw_all_ways(VkPolygonMode mode, struct vkt_shader fs)
{
    static const VkPrimitiveTopology topologies[] = {
        VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN};
    static const VkCullModeFlags culls[] = {VK_CULL_MODE_NONE, VK_CULL_MODE_BACK_BIT, VK_CULL_MODE_FRONT_BIT,
                                            VK_CULL_MODE_FRONT_AND_BACK};
    for (uint32_t i = 0; i < 36; i++) {
        way = (struct way){.mode = mode,
                           .cull = culls[i % 4],
                           .front = i / 4 % 3 == 1 ? VK_FRONT_FACE_CLOCKWISE : VK_FRONT_FACE_COUNTER_CLOCKWISE,
                           .topology = topologies[i / 12],
                           .index_B = i / 4 % 3 * 2,
                           .fs = fs,
                           .size_px = 3};
        vkt_compare_with_reference(
            mode == VK_POLYGON_MODE_LINE ? "polygon_lines" : "polygon_points", way_scene,
            (struct vkt_tolerance){2, mode == VK_POLYGON_MODE_LINE ? 15 : 0}); /* pixels that lines choose */
    }
}

static void polygons_are_lines(void **state)
{
    draw_all_ways(VK_POLYGON_MODE_LINE, VKT_SHADER(polygon_frag));
    draw_all_ways(VK_POLYGON_MODE_LINE, VKT_SHADER(polygon_plain_frag));
}

static void polygons_are_points(void **state)
{
    draw_all_ways(VK_POLYGON_MODE_POINT, VKT_SHADER(polygon_frag));
    draw_all_ways(VK_POLYGON_MODE_POINT, VKT_SHADER(polygon_plain_frag));
}

/* ---------------------------------------------------------------- many attributes */

#define MANY_VERTICES 9
#define FIRST         3
#define INSTANCES     2

struct many {
    float position[4];
    float more[13][4];
};

static void many_corner(uint32_t vertex, uint32_t instance, int32_t at_px[2])
{
    at_px[0] = (int32_t)(6 + vertex * 6);
    at_px[1] = (int32_t)(10 + vertex % 3 * 7 + instance * 25);
}

static void many_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    memset(rgba, 0, 4);
    for (uint32_t instance = 0; instance < INSTANCES; instance++)
        for (uint32_t vertex = FIRST; vertex < MANY_VERTICES; vertex++) {
            int32_t at_px[2];
            many_corner(vertex, instance, at_px);
            if ((int32_t)x < at_px[0] - 2 || (int32_t)x > at_px[0] + 2 || (int32_t)y < at_px[1] - 2 ||
                (int32_t)y > at_px[1] + 2)
                continue;
            rgba[0] = (uint8_t)((float)(vertex / 3 * 3) / 16 * 255 + 0.5f);
            rgba[1] = (uint8_t)((float)vertex / 16 * 255 + 0.5f);
            rgba[2] = 64;
            rgba[3] = 255;
        }
}

static struct vkt_pipeline many_pipeline(struct vkt *t, const struct vkt_target *target)
{
    const VkVertexInputBindingDescription bindings[] = {{0, sizeof(struct many), VK_VERTEX_INPUT_RATE_VERTEX},
                                                        {1, 16, VK_VERTEX_INPUT_RATE_INSTANCE}};
    VkVertexInputAttributeDescription many_attributes[15];
    for (uint32_t i = 0; i < 15; i++)
        many_attributes[i] =
            (VkVertexInputAttributeDescription){i, i == 14, VK_FORMAT_R32G32B32A32_SFLOAT, i == 14 ? 0 : 16 * i};
    return vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                      .vs = VKT_SHADER(polygon_many_vert),
                                      .fs = VKT_SHADER(polygon_frag),
                                      .pass = target->pass,
                                      .bindings = bindings,
                                      .binding_count = 2,
                                      .attributes = many_attributes,
                                      .attribute_count = 15,
                                      .topology = VKT_TRIANGLES,
                                      .front_face = VK_FRONT_FACE_CLOCKWISE,
                                      .polygon_mode = VK_POLYGON_MODE_POINT,
                                      .width = W,
                                      .height = H,
                                  });
}

/* More than the chip's arrays, and than the VPM has room for, of three corners each. */
static void corners_have_many_attributes(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct many v[MANY_VERTICES] = {0};
    float instances[INSTANCES][4] = {0};
    for (uint32_t i = 0; i < MANY_VERTICES; i++) {
        int32_t at_px[2];
        many_corner(i, 0, at_px);
        v[i].position[2] = 0.5f;
        for (uint32_t k = 0; k < 13; k++) {
            v[i].more[k][0] = k == i ? ((float)at_px[0] + 0.5f) / (W / 2) - 1 : 0;
            v[i].more[k][1] = k == 12 - i ? ((float)at_px[1] + 0.5f) / (H / 2) - 1 : 0;
            v[i].more[k][2] = k == 4 ? (float)i / 16 : 0;
        }
    }
    instances[1][1] = 25.0f / (H / 2);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = many_pipeline(t, &target);
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    struct vkt_buffer offsets = vkt_buffer_create(t, sizeof instances, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, instances);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 2, (VkBuffer[]){vertices.buffer, offsets.buffer}, (VkDeviceSize[]){0, 0});
    vkCmdDraw(cmd, MANY_VERTICES - FIRST, INSTANCES, FIRST, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target), expected = vkt_picture_compute(W, H, many_pixel);
    vkt_compare("polygon_many", &expected, &got, (struct vkt_tolerance){1, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
    vkt_buffer_destroy(t, &vertices);
    vkt_buffer_destroy(t, &offsets);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

/* ---------------------------------------------------------------- depth bias */

struct bias_case {
    VkFormat format;
    VkPolygonMode mode;
    float constant, clamp, slope;
    float per_x, per_y; /* depth a pixel */
};

static double depth_at(VkFormat format, const void *texels, uint32_t i)
{
    switch (format) {
    case VK_FORMAT_D16_UNORM:
        return ((const uint16_t *)texels)[i] / 65535.0;
    case VK_FORMAT_D32_SFLOAT:
        return (double)((const float *)texels)[i];
    default:
        return (((const uint32_t *)texels)[i] & 0xffffff) / 16777215.0;
    }
}

static double plane_at(const struct bias_case *c, double x, double y)
{
    return 0.25 + (double)c->per_x * x + (double)c->per_y * y;
}

static double bias_of(const struct bias_case *c)
{
    const double unit = c->format == VK_FORMAT_D16_UNORM ? 1 / 65536.0 : 1 / 16777216.0;
    const double m = fmax(fabs((double)c->per_x), fabs((double)c->per_y));
    const double bias = m * (double)c->slope + (double)c->constant * unit;
    return c->clamp > 0 ? fmin(bias, (double)c->clamp) : c->clamp < 0 ? fmax(bias, (double)c->clamp) : bias;
}

static void draw_biased(struct vkt *t, const struct bias_case *c, bool dynamic, void *texels, uint32_t texel_B)
{
    static const float corners[3][3] = {{8.5f, 8.5f, 1}, {56.5f, 8.5f, 2}, {8.5f, 56.5f, 0.75f}}; /* x, y, w */
    struct vertex v[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        const float x = corners[i][0], y = corners[i][1], w = corners[i][2];
        memcpy(v[i].position, (float[]){(x / (W / 2) - 1) * w, (y / (H / 2) - 1) * w, (float)plane_at(c, x, y) * w, w},
               sizeof v[i].position);
    }
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, c->format);
    struct vkt_pipeline_info info = {.vs = VKT_SHADER(polygon_vert),
                                     .fs = VKT_SHADER(polygon_plain_frag),
                                     .pass = target.pass,
                                     .bindings = &binding,
                                     .binding_count = 1,
                                     .attributes = attributes,
                                     .attribute_count = 2,
                                     .topology = VKT_TRIANGLES,
                                     .polygon_mode = c->mode,
                                     .depth_test = true,
                                     .depth_write = true,
                                     .depth_compare = VK_COMPARE_OP_ALWAYS,
                                     .depth_bias_enable = true,
                                     .dynamic = (VkDynamicState[]){VK_DYNAMIC_STATE_DEPTH_BIAS},
                                     .dynamic_count = dynamic,
                                     .push_size_B = 4,
                                     .width = W,
                                     .height = H};
    if (!dynamic) {
        info.depth_bias.constant = c->constant;
        info.depth_bias.clamp = c->clamp;
        info.depth_bias.slope = c->slope;
    }
    struct vkt_pipeline p = vkt_pipeline_create(t, &info);
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 4, &(float){5});
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    if (dynamic)
        vkCmdSetDepthBias(cmd, c->constant, c->clamp, c->slope);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &target.depth, 0, 0, texels, W * H * texel_B);
    vkt_buffer_destroy(t, &vertices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void check_bias(struct vkt *t, const struct bias_case *c, bool dynamic)
{
    uint32_t texels[W * H], count = 0;
    draw_biased(t, c, dynamic, texels, c->format == VK_FORMAT_D16_UNORM ? 2 : 4);
    /* Lines and points lie beside the plane by as much as they leave their middle; the packet's floats have 7 bits. */
    const double beside_px = c->mode == VK_POLYGON_MODE_FILL ? 0.1 : c->mode == VK_POLYGON_MODE_LINE ? 1.1 : 5;
    const double tolerance = beside_px * (fabs((double)c->per_x) + fabs((double)c->per_y)) + fabs(bias_of(c)) / 64 +
                             (c->format == VK_FORMAT_D16_UNORM ? 1.1 / 65536 : 4.0 / 16777216);
    for (uint32_t i = 0; i < W * H; i++) {
        const double got = depth_at(c->format, texels, i);
        if (got > 0.9999)
            continue;
        const double expected = plane_at(c, i % W + 0.5, i / W + 0.5) + bias_of(c);
        if (fabs(got - expected) > tolerance)
            fail_msg("format %d, mode %d, bias %g %g %g: depth %g at %u, %u, instead of %g", c->format, c->mode,
                     (double)c->constant, (double)c->clamp, (double)c->slope, got, i % W, i / W, expected);
        count++;
    }
    assert_true(count >= (c->mode == VK_POLYGON_MODE_FILL ? 1000 : c->mode == VK_POLYGON_MODE_LINE ? 130 : 70));
}

static void depth_is_biased(void **state)
{
    static const VkFormat formats[] = {VK_FORMAT_D16_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_D32_SFLOAT};
    static const float factors[][3] = {{0, 0, 0},        {40, 0, 0},         {-40, 0, 2},     {0, 0, -6},
                                       {4000, 1e-4f, 0}, {-4000, -1e-4f, 0}, {0, 0.004f, 10}, {0, -0.004f, -10},
                                       {0, 0.004f, -10}, {8, 0.5f, 3}};
    static const float slopes[][2] = {{0, 0}, {0.002f, 0}, {-0.001f, 0.003f}};
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++)
        for (uint32_t k = 0; k < VKT_COUNT(factors); k++)
            for (uint32_t m = 0; m < 3; m++) {
                const uint32_t s = (k + m + i) % VKT_COUNT(slopes);
                check_bias(t,
                           &(struct bias_case){formats[i], (VkPolygonMode)m, factors[k][0], factors[k][1],
                                               factors[k][2], slopes[s][0], slopes[s][1]},
                           (k + i) % 2);
            }
}

/* ---------------------------------------------------------------- depth clamp */

struct clamp_case {
    VkPolygonMode mode;
    float near, far; /* of the viewport */
    float bias;
};

/* From in front of the near plane to behind the far one. */
static double clip_depth_at(double x, double y)
{
    return -0.5 + x / 32 + y / 96;
}

static void draw_clamped(struct vkt *t, const struct clamp_case *c, uint32_t *texels, struct vkt_picture *out)
{
    static const float corners[3][3] = {{2.5f, 2.5f, 1}, {60.5f, 6.5f, 2}, {8.5f, 60.5f, 0.75f}}; /* x, y, w */
    struct vertex v[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        const float x = corners[i][0], y = corners[i][1], w = corners[i][2];
        memcpy(v[i].position,
               (float[]){(x / (W / 2) - 1) * w, (y / (H / 2) - 1) * w, (float)clip_depth_at(x, y) * w, w},
               sizeof v[i].position);
    }
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32);
    struct vkt_pipeline p = vkt_pipeline_create(
        t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(polygon_vert),
                                       .fs = VKT_SHADER(polygon_depth_frag),
                                       .pass = target.pass,
                                       .bindings = &binding,
                                       .binding_count = 1,
                                       .attributes = attributes,
                                       .attribute_count = 2,
                                       .topology = VKT_TRIANGLES,
                                       .polygon_mode = c->mode,
                                       .depth_clamp_enable = true,
                                       .depth_test = true,
                                       .depth_write = true,
                                       .depth_compare = VK_COMPARE_OP_ALWAYS,
                                       .depth_bias_enable = c->bias != 0,
                                       .depth_bias = {c->bias * 16777216, 0, 0},
                                       .dynamic = (VkDynamicState[]){VK_DYNAMIC_STATE_VIEWPORT},
                                       .dynamic_count = 1,
                                       .push_size_B = 4,
                                       .width = W,
                                       .height = H});
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdSetViewport(cmd, 0, 1, &(VkViewport){0, 0, W, H, c->near, c->far});
    vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 4, &(float){5});
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &target.depth, 0, 0, texels, W * H * 4);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &vertices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void check_clamped(struct vkt *t, const struct clamp_case *c)
{
    uint32_t texels[W * H], count = 0;
    struct vkt_picture got;
    draw_clamped(t, c, texels, &got);
    const double least = fmin((double)c->near, (double)c->far), most = fmax((double)c->near, (double)c->far);
    const double beside = (c->mode == VK_POLYGON_MODE_FILL ? 0.01 : c->mode == VK_POLYGON_MODE_LINE ? 1.1 : 5) / 24;
    for (uint32_t i = 0; i < W * H; i++) {
        if (!got.rgba[4 * i + 3])
            continue;
        const double z = clip_depth_at(i % W + 0.5, i / W + 0.5) * (double)(c->far - c->near) + (double)c->near +
                         (double)c->bias;
        const double depth = depth_at(VK_FORMAT_X8_D24_UNORM_PACK32, texels, i), seen = got.rgba[4 * i] / 255.0;
        if (fabs(depth - fmin(fmax(z, least), most)) > beside + 1e-6 ||
            fabs(seen - fmin(fmax(z * 0.5 + 0.25, 0), 1)) > beside + 0.005)
            fail_msg("mode %d, depth %g to %g, bias %g: %g, seen as %g, at %u, %u, where it is %g", c->mode,
                     (double)c->near, (double)c->far, (double)c->bias, depth, seen, i % W, i / W, z);
        count++;
    }
    vkt_picture_free(&got);
    assert_true(count >= (c->mode == VK_POLYGON_MODE_FILL ? 1400 : c->mode == VK_POLYGON_MODE_LINE ? 150 : 70));
}

static void depth_is_clamped(void **state)
{
    static const float ends[][2] = {{0, 1}, {0.25f, 0.75f}, {0.9f, 0.2f}};
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t i = 0; i < VKT_COUNT(ends); i++)
        for (uint32_t mode = 0; mode < 3; mode++)
            for (uint32_t bias = 0; bias < 2; bias++)
                check_clamped(t, &(struct clamp_case){(VkPolygonMode)mode, ends[i][0], ends[i][1],
                                                      bias ? 0.0625f : 0});
}

/* ---------------------------------------------------------------- cull distances */

/* Corners of which some are beyond one distance, some beyond the other. */
static void cull_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vertex v[CORNERS];
    fill_corners(v);
    for (uint32_t i = 0; i < CORNERS; i++) {
        v[i].color[0] = i / 3 % 2 ? 0.25f : i % 3 ? 0.375f : 0.75f;
        v[i].color[1] = i < 9 ? 0.875f : i % 2 ? 0.125f : 0.25f;
    }
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                       .vs = VKT_SHADER(polygon_cull_vert),
                                                       .fs = way.fs,
                                                       .pass = target.pass,
                                                       .bindings = &binding,
                                                       .binding_count = 1,
                                                       .attributes = attributes,
                                                       .attribute_count = 2,
                                                       .topology = way.topology,
                                                       .polygon_mode = way.mode,
                                                       .width = W,
                                                       .height = H,
                                                   });
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, CORNERS, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &vertices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void cull_distances_drop_primitives(void **state)
{
    for (uint32_t topology = 0; topology <= VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN; topology++)
        for (uint32_t mode = 0; mode < (topology < VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST ? 1u : 3u); mode++) {
            way = (struct way){.mode = (VkPolygonMode)mode,
                               .topology = (VkPrimitiveTopology)topology,
                               .fs = mode ? VKT_SHADER(polygon_frag) : VKT_SHADER(polygon_plain_frag)};
            vkt_compare_with_reference("polygon_cull", cull_scene,
                                       (struct vkt_tolerance){2, 20}); /* edges, and pixels that lines choose */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(polygons_are_lines, vkt_check_messages),
        cmocka_unit_test_teardown(polygons_are_points, vkt_check_messages),
        cmocka_unit_test_teardown(corners_have_many_attributes, vkt_check_messages),
        cmocka_unit_test_teardown(depth_is_biased, vkt_check_messages),
        cmocka_unit_test_teardown(depth_is_clamped, vkt_check_messages),
        cmocka_unit_test_teardown(cull_distances_drop_primitives, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("polygons", tests, NULL, vkt_teardown);
}
