/* SPDX-License-Identifier: MIT
 *
 * Polygons that are drawn as lines and points: culling, facing, the provoking vertex, topologies with and without
 * indices. Also a stencil state for each face; depth bias for every polygon mode, with its clamp and in the units of
 * each format; depth clamp and depth clip, separately, together and neither; and cull distances.
 */
#include <math.h>
#include <stdlib.h>
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

#define STAGES (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT)

/* Creates a pipeline that reads struct vertex and covers the whole target. The push constant is the point size. */
static struct vkt_pipeline pipeline_for(struct vkt *t, const struct vkt_target *target,
                                        const struct vkt_pipeline_info *more)
{
    struct vkt_pipeline_info info = *more;
    info.pass = target->pass;
    info.bindings = &binding;
    info.binding_count = 1;
    info.attributes = attributes;
    info.attribute_count = VKT_COUNT(attributes);
    info.push_size_B = sizeof(float);
    info.width = W;
    info.height = H;
    return vkt_pipeline_create(t, &info);
}

/* Begins a pass with the pipeline and the vertices bound. */
static VkCommandBuffer begin_drawing(struct vkt *t, const struct vkt_target *target, const struct vkt_pipeline *p,
                                     const struct vkt_buffer *vertices, float point_px, uint32_t clear_stencil)
{
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, target, (float[]){0, 0, 0, 0}, 1, clear_stencil);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdPushConstants(cmd, p->layout, STAGES, 0, sizeof point_px, &point_px);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices->buffer, &(VkDeviceSize){0});
    return cmd;
}

static void end_drawing(struct vkt *t, VkCommandBuffer cmd)
{
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
}

/* ---------------------------------------------------------------- lines and points */

static struct draw_case {
    VkPolygonMode mode;
    VkCullModeFlags cull;
    VkFrontFace front;
    VkPrimitiveTopology topology;
    uint32_t index_B; /* 0: no indices */
    struct vkt_shader fs;
    float size_px;
} draw_case;

/* A zigzag of vertices in pixels, whose triangles face both ways. */
#define VERTICES 12

static void fill_vertices(struct vertex v[VERTICES])
{
    for (uint32_t i = 0; i < VERTICES; i++) {
        const float x = 4.5f + 5 * (float)i, y = i % 2 ? 50.5f - (float)i : 10.5f + 2 * (float)(i % 5);
        v[i] = (struct vertex){{x / (W / 2) - 1, y / (H / 2) - 1, 0.25f, 1},
                               {(float)(i + 1) / 16, (float)(i * 7 % VERTICES) / VERTICES, 0, 1}};
    }
    for (uint32_t i = 6; i + 2 < VERTICES; i += 3) { /* lists face both ways */
        const struct vertex swapped = v[i];
        v[i] = draw_case.topology == VKT_TRIANGLES ? v[i + 1] : v[i];
        v[i + 1] = draw_case.topology == VKT_TRIANGLES ? swapped : v[i + 1];
    }
}

static void draw_case_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vertex v[VERTICES];
    const uint32_t indices_32[] = {0, 1, 2, 3, 4, UINT32_MAX, 5, 6, 7, 8, 9, 10, 11};
    uint16_t indices_16[VKT_COUNT(indices_32)];
    const bool strip = draw_case.topology != VKT_TRIANGLES;
    fill_vertices(v);
    for (uint32_t i = 0; i < VKT_COUNT(indices_32); i++)
        indices_16[i] = (uint16_t)indices_32[i];
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = pipeline_for(t, &target,
                                         &(struct vkt_pipeline_info){.vs = VKT_SHADER(polygon_vert),
                                                                     .fs = draw_case.fs,
                                                                     .topology = draw_case.topology,
                                                                     .primitive_restart = strip && draw_case.index_B,
                                                                     .cull = draw_case.cull,
                                                                     .front_face = draw_case.front,
                                                                     .polygon_mode = draw_case.mode});
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    const bool is_16_bit = draw_case.index_B == 2;
    struct vkt_buffer indices =
        vkt_buffer_create(t, is_16_bit ? sizeof indices_16 : sizeof indices_32, VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
                          is_16_bit ? (const void *)indices_16 : (const void *)indices_32);
    VkCommandBuffer cmd = begin_drawing(t, &target, &p, &vertices, draw_case.size_px, 0);
    if (draw_case.index_B && !strip) {
        vkCmdBindIndexBuffer(cmd, indices.buffer, 6 * draw_case.index_B,
                             draw_case.index_B == 2 ? VK_INDEX_TYPE_UINT16 : VK_INDEX_TYPE_UINT32);
        vkCmdDrawIndexed(cmd, 6, 1, 0, 0, 0);
    } else if (draw_case.index_B) {
        vkCmdBindIndexBuffer(cmd, indices.buffer, 0,
                             draw_case.index_B == 2 ? VK_INDEX_TYPE_UINT16 : VK_INDEX_TYPE_UINT32);
        vkCmdDrawIndexed(cmd, VKT_COUNT(indices_32), 1, 0, 0, 0);
    } else {
        vkCmdDraw(cmd, VERTICES, 1, 0, 0);
    }
    end_drawing(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &vertices);
    vkt_buffer_destroy(t, &indices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void draw_all_cases(VkPolygonMode mode, struct vkt_shader fs)
{
    static const VkPrimitiveTopology topologies[] = {
        VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN};
    static const VkCullModeFlags culls[] = {VK_CULL_MODE_NONE, VK_CULL_MODE_BACK_BIT, VK_CULL_MODE_FRONT_BIT,
                                            VK_CULL_MODE_FRONT_AND_BACK};
    for (uint32_t i = 0; i < 36; i++) {
        draw_case =
            (struct draw_case){.mode = mode,
                               .cull = culls[i % 4],
                               .front = i / 4 % 3 == 1 ? VK_FRONT_FACE_CLOCKWISE : VK_FRONT_FACE_COUNTER_CLOCKWISE,
                               .topology = topologies[i / 12],
                               .index_B = i / 4 % 3 * 2,
                               .fs = fs,
                               .size_px = 3};
        vkt_compare_with_reference(
            mode == VK_POLYGON_MODE_LINE ? "polygon_lines" : "polygon_points", draw_case_scene,
            (struct vkt_tolerance){2, mode == VK_POLYGON_MODE_LINE ? 15 : 0}); /* implementations may choose the pixels
                                                                                * of lines */
    }
}

static void polygons_are_lines(void **state)
{
    draw_all_cases(VK_POLYGON_MODE_LINE, VKT_SHADER(polygon_frag));
    draw_all_cases(VK_POLYGON_MODE_LINE, VKT_SHADER(polygon_plain_frag));
}

static void polygons_are_points(void **state)
{
    draw_all_cases(VK_POLYGON_MODE_POINT, VKT_SHADER(polygon_frag));
    draw_all_cases(VK_POLYGON_MODE_POINT, VKT_SHADER(polygon_plain_frag));
}

/* ---------------------------------------------------------------- stencil */

#define STENCIL_TRIANGLES 40

static const VkStencilOpState front_stencil = {VK_STENCIL_OP_INCREMENT_AND_WRAP,
                                               VK_STENCIL_OP_REPLACE,
                                               VK_STENCIL_OP_DECREMENT_AND_CLAMP,
                                               VK_COMPARE_OP_GREATER_OR_EQUAL,
                                               0x3f,
                                               0xff,
                                               0x19},
                              back_stencil = {VK_STENCIL_OP_ZERO,
                                              VK_STENCIL_OP_INVERT,
                                              VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                              VK_COMPARE_OP_NOT_EQUAL,
                                              0x1c,
                                              0x0f,
                                              0x14};

/* Variations of the stencil state: other write masks, dynamic state, front face, fragment shader. */
static struct stencil_case {
    bool odd_masks, dynamic;
    VkFrontFace front;
    struct vkt_shader fs;
} stencil_case;

struct position_px {
    int32_t x_px, y_px;
};

static void fill_positions_px(struct position_px c[3 * STENCIL_TRIANGLES])
{
    for (uint32_t i = 0; i < 3 * STENCIL_TRIANGLES; i++)
        c[i] = (struct position_px){(int32_t)(3 + i * 23 % 29 * 2), (int32_t)(3 + i * i * 7 % 31)};
}

static bool is_front(const struct position_px c[3])
{
    const int32_t area =
        (c[1].x_px - c[0].x_px) * (c[2].y_px - c[0].y_px) - (c[2].x_px - c[0].x_px) * (c[1].y_px - c[0].y_px);
    return stencil_case.front == VK_FRONT_FACE_CLOCKWISE ? area > 0 : area < 0; /* y points down */
}

static uint32_t triangle_depth_16(uint32_t triangle)
{
    return 2 + triangle * 5 % 12;
}

static VkStencilOpState stencil_of(bool front)
{
    VkStencilOpState s = front ? front_stencil : back_stencil;
    if (stencil_case.odd_masks)
        s.writeMask = front ? 0xa7 : 0x5a;
    return s;
}

static bool stencil_compares(VkCompareOp op, uint32_t a, uint32_t b)
{
    return op == VK_COMPARE_OP_NOT_EQUAL ? a != b : a >= b;
}

static uint8_t stencil_after(VkStencilOp op, uint8_t value, uint32_t reference)
{
    switch (op) {
    case VK_STENCIL_OP_ZERO:
        return 0;
    case VK_STENCIL_OP_REPLACE:
        return (uint8_t)reference;
    case VK_STENCIL_OP_INVERT:
        return (uint8_t)~value;
    case VK_STENCIL_OP_INCREMENT_AND_WRAP:
        return (uint8_t)(value + 1);
    case VK_STENCIL_OP_INCREMENT_AND_CLAMP:
        return value == 255 ? value : (uint8_t)(value + 1);
    default:
        return value ? (uint8_t)(value - 1) : value; /* decrement and clamp */
    }
}

struct stencil_pixel {
    uint8_t stencil;
    uint32_t depth_16;
    uint8_t rgba[4];
};

/* Applies a fragment of the point or line at the triangle's vertex. */
static void test_pixel(struct stencil_pixel *p, uint32_t triangle, uint32_t vertex_index, bool front)
{
    const VkStencilOpState s = stencil_of(front);
    const bool passes = stencil_compares(s.compareOp, s.reference & s.compareMask, p->stencil & s.compareMask);
    const bool is_near = triangle_depth_16(triangle) < p->depth_16;
    const uint8_t after = stencil_after(!passes   ? s.failOp
                                        : is_near ? s.passOp
                                                  : s.depthFailOp,
                                        p->stencil, s.reference);
    p->stencil = (uint8_t)((p->stencil & ~s.writeMask) | (after & s.writeMask));
    if (!passes || !is_near)
        return;
    p->depth_16 = triangle_depth_16(triangle);
    const bool shows_facing = stencil_case.fs.words == polygon_frag;
    p->rgba[0] = shows_facing ? (uint8_t)(triangle * 6) : 255;
    p->rgba[1] = (uint8_t)(triangle * 6 + vertex_index);
    p->rgba[2] = shows_facing ? front ? 255 : 64 : 0;
    p->rgba[3] = 255;
}

static void clear_stencils(struct stencil_pixel *pixels)
{
    for (uint32_t i = 0; i < W * H; i++)
        pixels[i] = (struct stencil_pixel){.stencil = 0x11, .depth_16 = 16};
}

static void compute_stencil_points(struct stencil_pixel *pixels)
{
    struct position_px c[3 * STENCIL_TRIANGLES];
    fill_positions_px(c);
    clear_stencils(pixels);
    for (uint32_t i = 0; i < VKT_COUNT(c); i++)
        for (int32_t y = c[i].y_px - 2; y <= c[i].y_px + 2; y++)
            for (int32_t x = c[i].x_px - 2; x <= c[i].x_px + 2; x++)
                test_pixel(&pixels[y * W + x], i / 3, i % 3, is_front(&c[i / 3 * 3]));
}

static void set_stencils(VkCommandBuffer cmd)
{
    for (uint32_t i = 0; i < 2; i++) {
        const VkStencilOpState s = stencil_of(i == 0);
        const VkStencilFaceFlags face = i ? VK_STENCIL_FACE_BACK_BIT : VK_STENCIL_FACE_FRONT_BIT;
        vkCmdSetStencilCompareMask(cmd, face, s.compareMask);
        vkCmdSetStencilWriteMask(cmd, face, s.writeMask);
        vkCmdSetStencilReference(cmd, face, s.reference);
    }
}

static const VkDynamicState stencil_states[] = {
    VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK, VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, VK_DYNAMIC_STATE_STENCIL_REFERENCE};

static struct vkt_pipeline stencil_pipeline(struct vkt *t, const struct vkt_target *target, VkPolygonMode mode)
{
    const VkStencilOpState back = stencil_of(false);
    return pipeline_for(
        t, target,
        &(struct vkt_pipeline_info){.vs = VKT_SHADER(polygon_vert),
                                    .fs = stencil_case.fs,
                                    .topology = VKT_TRIANGLES,
                                    .polygon_mode = mode,
                                    .front_face = stencil_case.front,
                                    .depth_test = true,
                                    .depth_write = true,
                                    .depth_compare = VK_COMPARE_OP_LESS,
                                    .stencil_test = true,
                                    .stencil = stencil_of(true),
                                    .stencil_back = &back,
                                    .dynamic = stencil_states,
                                    .dynamic_count = stencil_case.dynamic ? VKT_COUNT(stencil_states) : 0});
}

static void fill_stencil_vertices(struct vertex v[3 * STENCIL_TRIANGLES])
{
    struct position_px c[3 * STENCIL_TRIANGLES];
    fill_positions_px(c);
    for (uint32_t i = 0; i < VKT_COUNT(c); i++)
        v[i] = (struct vertex){{((float)c[i].x_px + 0.5f) / (W / 2) - 1, ((float)c[i].y_px + 0.5f) / (H / 2) - 1,
                                (float)triangle_depth_16(i / 3) / 16, 1},
                               {(float)(i / 3 * 6) / 255, (float)(i / 3 * 6 + i % 3) / 255, 0, 1}};
}

static void draw_stencils(struct vkt *t, VkPolygonMode mode, struct vkt_picture *color_out, uint8_t *stencil_out)
{
    struct vertex v[3 * STENCIL_TRIANGLES];
    fill_stencil_vertices(v);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT);
    struct vkt_pipeline p = stencil_pipeline(t, &target, mode);
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    VkCommandBuffer cmd = begin_drawing(t, &target, &p, &vertices, 5, 0x11);
    if (stencil_case.dynamic)
        set_stencils(cmd);
    vkCmdDraw(cmd, VKT_COUNT(v), 1, 0, 0);
    end_drawing(t, cmd);
    *color_out = vkt_read_target(t, &target);
    struct vkt_image image = target.depth;
    image.aspect = VK_IMAGE_ASPECT_STENCIL_BIT;
    vkt_read_image(t, &image, 0, 0, stencil_out, W * H);
    vkt_buffer_destroy(t, &vertices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

/* Implementations may choose the pixels of a line, so every edge is drawn alone, without tests, and the pixels that it
 * covers are the ones that are tested. */
static void compute_stencil_lines(struct vkt *t, struct stencil_pixel *pixels)
{
    struct position_px c[3 * STENCIL_TRIANGLES];
    struct vertex v[VKT_COUNT(c)];
    fill_positions_px(c);
    fill_stencil_vertices(v);
    clear_stencils(pixels);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = pipeline_for(t, &target,
                                         &(struct vkt_pipeline_info){.vs = VKT_SHADER(polygon_vert),
                                                                     .fs = VKT_SHADER(polygon_plain_frag),
                                                                     .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST});
    for (uint32_t i = 0; i < VKT_COUNT(c); i++) {
        const struct vertex edge[2] = {v[i], v[i % 3 == 2 ? i - 2 : i + 1]};
        struct vkt_buffer vertices = vkt_buffer_create(t, sizeof edge, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, edge);
        VkCommandBuffer cmd = begin_drawing(t, &target, &p, &vertices, 1, 0);
        vkCmdDraw(cmd, 2, 1, 0, 0);
        end_drawing(t, cmd);
        struct vkt_picture got = vkt_read_target(t, &target);
        for (uint32_t k = 0; k < W * H; k++)
            if (got.rgba[4 * k + 3])
                test_pixel(&pixels[k], i / 3, i % 3, is_front(&c[i / 3 * 3]));
        vkt_picture_free(&got);
        vkt_buffer_destroy(t, &vertices);
    }
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void check_stencils(struct vkt *t, VkPolygonMode mode, const struct stencil_pixel *pixels)
{
    uint8_t stencils[W * H];
    struct vkt_picture got;
    draw_stencils(t, mode, &got, stencils);
    for (uint32_t i = 0; i < W * H; i++) {
        if (stencils[i] != pixels[i].stencil)
            fail_msg("stencil 0x%02x at %u, %u, instead of 0x%02x", stencils[i], i % W, i / W, pixels[i].stencil);
        for (uint32_t k = 0; k < 4; k++) /* green is interpolated along lines */
            if (abs(got.rgba[4 * i + k] - pixels[i].rgba[k]) > (k == 1 && mode == VK_POLYGON_MODE_LINE ? 2 : 1))
                fail_msg("channel %u is %u at %u, %u, instead of %u", k, got.rgba[4 * i + k], i % W, i / W,
                         pixels[i].rgba[k]);
    }
    vkt_picture_free(&got);
}

/* Draws overlapping triangles that face both ways, in order. */
static void faces_have_stencils_of_their_own(void **state)
{
    static struct stencil_pixel pixels[W * H];
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t i = 0; i < 8; i++) {
        stencil_case = (struct stencil_case){.odd_masks = i & 1,
                                             .dynamic = i & 2,
                                             .front = i & 4 ? VK_FRONT_FACE_CLOCKWISE : VK_FRONT_FACE_COUNTER_CLOCKWISE,
                                             .fs = i % 3 ? VKT_SHADER(polygon_frag) : VKT_SHADER(polygon_plain_frag)};
        compute_stencil_points(pixels);
        check_stencils(t, VK_POLYGON_MODE_POINT, pixels);
        if (i % 3 == 0) { /* lines: these cases suffice for the stencil state */
            compute_stencil_lines(t, pixels);
            check_stencils(t, VK_POLYGON_MODE_LINE, pixels);
        }
    }
}

/* ---------------------------------------------------------------- many attributes */

#define MANY_VERTICES 9
#define FIRST         3
#define INSTANCES     2

struct many {
    float position[4];
    float more[13][4];
};

static void many_position_px(uint32_t vertex, uint32_t instance, int32_t at_px[2])
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
            many_position_px(vertex, instance, at_px);
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

/* More attributes than the chip has vertex arrays, and more than fit in the VPM when three vertices are read at
 * once. */
static void corners_have_many_attributes(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct many v[MANY_VERTICES] = {0};
    float instances[INSTANCES][4] = {0};
    for (uint32_t i = 0; i < MANY_VERTICES; i++) {
        int32_t at_px[2];
        many_position_px(i, 0, at_px);
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
    end_drawing(t, cmd);
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
    float per_x, per_y; /* depth per pixel */
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

static const float bias_vertices[3][3] = {{8.5f, 8.5f, 1}, {56.5f, 8.5f, 2}, {8.5f, 56.5f, 0.75f}}; /* x, y, w */

/* The depth that a constant bias of 1 adds. For float formats it is one step at the triangle's greatest depth. */
static double unit_of(const struct bias_case *c)
{
    double greatest = 0;
    int exponent;
    if (c->format != VK_FORMAT_D32_SFLOAT)
        return c->format == VK_FORMAT_D16_UNORM ? 1 / 65536.0 : 1 / 16777216.0;
    for (uint32_t i = 0; i < 3; i++)
        greatest = fmax(greatest, plane_at(c, (double)bias_vertices[i][0], (double)bias_vertices[i][1]));
    frexp(greatest, &exponent);
    return ldexp(1, exponent - 24);
}

static double bias_of(const struct bias_case *c)
{
    const double unit = unit_of(c);
    const double m = fmax(fabs((double)c->per_x), fabs((double)c->per_y));
    const double bias = m * (double)c->slope + (double)c->constant * unit;
    return c->clamp > 0 ? fmin(bias, (double)c->clamp) : c->clamp < 0 ? fmax(bias, (double)c->clamp) : bias;
}

static void draw_biased(struct vkt *t, const struct bias_case *c, const struct vertex v[3], bool dynamic, void *texels,
                        uint32_t texel_B)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, c->format);
    struct vkt_pipeline_info info = {.vs = VKT_SHADER(polygon_vert),
                                     .fs = VKT_SHADER(polygon_plain_frag),
                                     .topology = VKT_TRIANGLES,
                                     .polygon_mode = c->mode,
                                     .depth_test = true,
                                     .depth_write = true,
                                     .depth_compare = VK_COMPARE_OP_ALWAYS,
                                     .depth_bias_enable = true,
                                     .dynamic = (VkDynamicState[]){VK_DYNAMIC_STATE_DEPTH_BIAS},
                                     .dynamic_count = dynamic};
    if (!dynamic) {
        info.depth_bias.constant = c->constant;
        info.depth_bias.clamp = c->clamp;
        info.depth_bias.slope = c->slope;
    }
    struct vkt_pipeline p = pipeline_for(t, &target, &info);
    struct vkt_buffer vertices = vkt_buffer_create(t, 3 * sizeof *v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    VkCommandBuffer cmd = begin_drawing(t, &target, &p, &vertices, 5, 0);
    if (dynamic) { /* another bias first: the last draw wins */
        vkCmdSetDepthBias(cmd, 100 - c->constant, -0.25f, 3 - c->slope);
        vkCmdDraw(cmd, 3, 1, 0, 0);
        vkCmdSetDepthBias(cmd, c->constant, c->clamp, c->slope);
    }
    vkCmdDraw(cmd, 3, 1, 0, 0);
    end_drawing(t, cmd);
    vkt_read_image(t, &target.depth, 0, 0, texels, W * H * texel_B);
    vkt_buffer_destroy(t, &vertices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void check_bias(struct vkt *t, const struct bias_case *c, bool dynamic)
{
    uint32_t texels[W * H], count = 0;
    struct vertex v[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        const float x = bias_vertices[i][0], y = bias_vertices[i][1], w = bias_vertices[i][2];
        memcpy(v[i].position, (float[]){(x / (W / 2) - 1) * w, (y / (H / 2) - 1) * w, (float)plane_at(c, x, y) * w, w},
               sizeof v[i].position);
    }
    draw_biased(t, c, v, dynamic, texels, c->format == VK_FORMAT_D16_UNORM ? 2 : 4);
    /* Pixels of lines and points have the depth of their center, which lies off the plane. The packet's floats have 7
     * bits of mantissa. */
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
                                       {0, 0.004f, -10}, {8, 0.5f, 3},
                                       {1e4f, 0, 0},      {2e4f, 0, -2},     {-1e4f, 0, 0}};
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

/* For float formats the unit comes from the greatest depth between the near and the far plane: vertices behind the eye
 * or beyond the far plane do not contribute their own depth. */
static void clipped_corners_do_not_widen_float_steps(void **state)
{
    static const struct {
        float corners[3][4]; /* in clip space */
        float unit;
    } cases[] = {
        {{{-1, 1, 0.36f, 1}, {1, 1, 0.36f, 1}, {0, -0.5f, -0.06f, -0.05f}}, 0x1p-25f}, /* greatest depth 0.36; one
                                                                                        * vertex behind the eye */
        {{{-1, 1, 0.3f, 1}, {1, 1, 0.3f, 1}, {0, -1, 3, 1}}, 0x1p-23f},                /* 0.3 to the far plane; one
                                                                                        * vertex beyond it */
    };
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t i = 0; i < VKT_COUNT(cases); i++) {
        struct bias_case c = {.format = VK_FORMAT_D32_SFLOAT, .mode = VK_POLYGON_MODE_FILL};
        uint32_t plain[W * H], biased[W * H], count = 0;
        struct vertex v[3] = {0};
        for (uint32_t k = 0; k < 3; k++)
            memcpy(v[k].position, cases[i].corners[k], sizeof v[k].position);
        draw_biased(t, &c, v, false, plain, 4);
        c.constant = 1e5f;
        draw_biased(t, &c, v, false, biased, 4);
        for (uint32_t k = W * (H - 4); k < W * H; k++) { /* rows near the vertices that are not clipped */
            const double was = depth_at(c.format, plain, k), is = depth_at(c.format, biased, k);
            if (was > 0.9) /* not drawn */
                continue;
            const double bias = is - was, expected = (double)(c.constant * cases[i].unit);
            if (fabs(bias - expected) > expected / 4)
                fail_msg("triangle %u: a bias of %g at %u, %u, instead of %g", i, bias, k % W, k / W, expected);
            count++;
        }
        assert_true(count > 100);
    }
}

/* ---------------------------------------------------------------- depth clamp */

struct clamp_case {
    VkPolygonMode mode;
    float near, far; /* of the viewport */
    float bias;
    bool clamps, clips;
    bool is_between; /* all of the triangle lies between the planes */
};

/* From before the near plane to beyond the far plane. */
static double clip_depth_at(double x, double y)
{
    return -0.5 + x / 32 + y / 96;
}

static double depth_between_at(double x, double y)
{
    return 0.0625 + x / 99 + y / 301;
}

/* VK_EXT_depth_clip_enable makes clipping independent of clamping. */
static void draw_clamped(struct vkt *t, const struct clamp_case *c, uint32_t *texels, struct vkt_picture *out)
{
    static const float corners[3][3] = {{2.5f, 2.5f, 1}, {60.5f, 6.5f, 2}, {8.5f, 60.5f, 0.75f}}; /* x, y, w */
    struct vertex v[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        const float x = corners[i][0], y = corners[i][1], w = corners[i][2];
        const float z = (float)(c->is_between ? depth_between_at(x, y) : clip_depth_at(x, y));
        memcpy(v[i].position, (float[]){(x / (W / 2) - 1) * w, (y / (H / 2) - 1) * w, z * w, w},
               sizeof v[i].position);
    }
    const VkPipelineRasterizationDepthClipStateCreateInfoEXT clip = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT,
        .depthClipEnable = c->clips};
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32);
    struct vkt_pipeline p =
        pipeline_for(t, &target,
                     &(struct vkt_pipeline_info){.vs = VKT_SHADER(polygon_vert),
                                                 .fs = VKT_SHADER(polygon_depth_frag),
                                                 .topology = VKT_TRIANGLES,
                                                 .polygon_mode = c->mode,
                                                 .depth_clamp_enable = c->clamps,
                                                 .rasterization_next = c->clamps == c->clips ? &clip : NULL,
                                                 .depth_test = true,
                                                 .depth_write = true,
                                                 .depth_compare = VK_COMPARE_OP_ALWAYS,
                                                 .depth_bias_enable = c->bias != 0,
                                                 .depth_bias = {c->bias * 16777216, 0, 0},
                                                 .dynamic = (VkDynamicState[]){VK_DYNAMIC_STATE_VIEWPORT},
                                                 .dynamic_count = 1});
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    VkCommandBuffer cmd = begin_drawing(t, &target, &p, &vertices, 5, 0);
    vkCmdSetViewport(cmd, 0, 1, &(VkViewport){0, 0, W, H, c->near, c->far});
    vkCmdDraw(cmd, 3, 1, 0, 0);
    end_drawing(t, cmd);
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
    const double least = c->clamps ? fmin((double)c->near, (double)c->far) : 0;
    const double most = c->clamps ? fmax((double)c->near, (double)c->far) : 1;
    const double filled_px = c->clips ? 0.1 : 0.01; /* vertices that clipping adds are rounded to 1/16 pixel, too */
    const double beside_px = c->mode == VK_POLYGON_MODE_FILL ? filled_px : c->mode == VK_POLYGON_MODE_LINE ? 1.1 : 5;
    const double beside = beside_px / 24;
    for (uint32_t i = 0; i < W * H; i++) {
        if (!got.rgba[4 * i + 3])
            continue;
        const double clip_z = clip_depth_at(i % W + 0.5, i / W + 0.5);
        const double z = clip_z * (double)(c->far - c->near) + (double)c->near + (double)c->bias;
        const double depth = depth_at(VK_FORMAT_X8_D24_UNORM_PACK32, texels, i), seen = got.rgba[4 * i] / 255.0;
        if (c->clips && (clip_z < -beside - 1e-6 || clip_z > 1 + beside + 1e-6))
            fail_msg("mode %d: drawn at %u, %u, where depth is %g in clip space", c->mode, i % W, i / W, clip_z);
        if (fabs(depth - fmin(fmax(z, least), most)) > beside + 1e-6 ||
            fabs(seen - fmin(fmax(z * 0.5 + 0.25, 0), 1)) > beside + 0.005)
            fail_msg("mode %d, depth %g to %g, bias %g: %g, seen as %g, at %u, %u, where it is %g", c->mode,
                     (double)c->near, (double)c->far, (double)c->bias, depth, seen, i % W, i / W, z);
        count++;
    }
    vkt_picture_free(&got);
    const uint32_t all = c->mode == VK_POLYGON_MODE_FILL ? 1400 : c->mode == VK_POLYGON_MODE_LINE ? 150 : 70;
    assert_true(c->clips ? count >= all / 5 && count < all : count >= all);
}

static void depth_is_clamped_or_clipped(void **state)
{
    static const float ends[][2] = {{0, 1}, {0.25f, 0.75f}, {0.9f, 0.2f}};
    static const bool ways[][2] = {{true, false}, {true, true}, {false, false}}; /* clamps, clips */
    static const char *const extensions[] = {VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME};
    struct vkt t = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, 1);
    for (uint32_t i = 0; i < VKT_COUNT(ends); i++)
        for (uint32_t mode = 0; mode < 3; mode++)
            for (uint32_t k = 0; k < 2 * VKT_COUNT(ways); k++)
                check_clamped(&t, &(struct clamp_case){(VkPolygonMode)mode, ends[i][0], ends[i][1], k % 2 ? 0.0625f : 0,
                                                       ways[k / 2][0], ways[k / 2][1]});
    vkt_device_close(&t);
}

/* Depths that need no clamping are the same with it, to the last bit. */
static void clamping_changes_nothing_between_the_planes(void **state)
{
    static const float ends[][2] = {{0, 1}, {0.25f, 0.75f}, {0.9f, 0.2f}};
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t i = 0; i < 3 * VKT_COUNT(ends); i++) {
        const float *e = ends[i / 3];
        uint32_t clipped[W * H], clamped[W * H], drawn = 0;
        struct vkt_picture pictures[2];
        draw_clamped(t, &(struct clamp_case){(VkPolygonMode)(i % 3), e[0], e[1], .clips = true, .is_between = true},
                     clipped, &pictures[0]);
        draw_clamped(t, &(struct clamp_case){(VkPolygonMode)(i % 3), e[0], e[1], .clamps = true, .is_between = true},
                     clamped, &pictures[1]);
        for (uint32_t k = 0; k < W * H; k++)
            drawn += pictures[0].rgba[4 * k + 3] != 0;
        assert_true(drawn >= 70);
        assert_memory_equal(clamped, clipped, sizeof clamped);
        vkt_picture_free(&pictures[0]);
        vkt_picture_free(&pictures[1]);
    }
}

/* ---------------------------------------------------------------- cull distances */

/* Some vertices are beyond one distance, some beyond the other. */
static void cull_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vertex v[VERTICES];
    fill_vertices(v);
    for (uint32_t i = 0; i < VERTICES; i++) {
        v[i].color[0] = i / 3 % 2 ? 0.25f : i % 3 ? 0.375f : 0.75f;
        v[i].color[1] = i < 9 ? 0.875f : i % 2 ? 0.125f : 0.25f;
    }
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = pipeline_for(t, &target,
                                         &(struct vkt_pipeline_info){.vs = VKT_SHADER(polygon_cull_vert),
                                                                     .fs = draw_case.fs,
                                                                     .topology = draw_case.topology,
                                                                     .polygon_mode = draw_case.mode});
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    VkCommandBuffer cmd = begin_drawing(t, &target, &p, &vertices, 1, 0);
    vkCmdDraw(cmd, VERTICES, 1, 0, 0);
    end_drawing(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &vertices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void cull_distances_drop_primitives(void **state)
{
    for (uint32_t topology = 0; topology <= VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN; topology++)
        for (uint32_t mode = 0; mode < (topology < VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST ? 1u : 3u); mode++) {
            draw_case = (struct draw_case){.mode = (VkPolygonMode)mode,
                                           .topology = (VkPrimitiveTopology)topology,
                                           .fs = mode ? VKT_SHADER(polygon_frag) : VKT_SHADER(polygon_plain_frag)};
            vkt_compare_with_reference("polygon_cull", cull_scene,
                                       (struct vkt_tolerance){2, 20}); /* edges, and the pixels of lines */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(polygons_are_lines, vkt_check_messages),
        cmocka_unit_test_teardown(polygons_are_points, vkt_check_messages),
        cmocka_unit_test_teardown(faces_have_stencils_of_their_own, vkt_check_messages),
        cmocka_unit_test_teardown(corners_have_many_attributes, vkt_check_messages),
        cmocka_unit_test_teardown(depth_is_biased, vkt_check_messages),
        cmocka_unit_test_teardown(clipped_corners_do_not_widen_float_steps, vkt_check_messages),
        cmocka_unit_test_teardown(depth_is_clamped_or_clipped, vkt_check_messages),
        cmocka_unit_test_teardown(clamping_changes_nothing_between_the_planes, vkt_check_messages),
        cmocka_unit_test_teardown(cull_distances_drop_primitives, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("polygons", tests, NULL, vkt_teardown);
}
