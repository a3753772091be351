/* SPDX-License-Identifier: MIT
 *
 * Depth, stencil, blending, write masks, logic operations: every value of each state is compared with the reference
 * driver.
 */
#include <stdio.h>
#include "vkt.h"
#include "dual_source.frag.h"
#include "push.frag.h"
#include "push.vert.h"

#define W 64
#define H 64

struct rect_draw {
    float color[4];
    float rect[4];
    float depth;
};

static void draw_rect(VkCommandBuffer cmd, struct vkt_pipeline *p, const struct rect_draw *d)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 36, d);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

static struct vkt_pipeline_info rect_pipeline(const struct vkt_target *target)
{
    return (struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                      .fs = VKT_SHADER(push_frag),
                                      .pass = target->pass,
                                      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                      .width = target->width,
                                      .height = target->height,
                                      .push_size_B = 36};
}

/* ---------------------------------------------------------------- depth */

static VkFormat depth_format;

/* Eight columns, one per compare function, against a nearer, an equal and a farther rectangle. */
static void depth_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, depth_format);
    struct vkt_pipeline_info info = rect_pipeline(&target);
    info.depth_test = info.depth_write = true;
    info.depth_compare = VK_COMPARE_OP_ALWAYS;
    struct vkt_pipeline base = vkt_pipeline_create(t, &info), tested[8];
    for (int op = 0; op < 8; op++) {
        info.depth_compare = (VkCompareOp)op;
        tested[op] = vkt_pipeline_create(t, &info);
    }
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    const float depths[] = {0.25f, 0.5f, 0.75f};
    for (int row = 0; row < 3; row++) {
        float y = -1 + (float)row * 0.6f;
        draw_rect(cmd, &base, &(struct rect_draw){{0.5f, 0.5f, 0.5f, 1}, {-1, y, 1, y + 0.5f}, depths[row]});
        for (int op = 0; op < 8; op++) {
            float x = -1 + (float)op * 0.25f;
            draw_rect(cmd, &tested[op], &(struct rect_draw){{1, 0, 0, 1}, {x, y, x + 0.25f, y + 0.5f}, 0.5f});
            /* This rectangle shows which depth was written. */
            draw_rect(cmd, &tested[VK_COMPARE_OP_LESS],
                      &(struct rect_draw){{0, 0, 1, 1}, {x, y + 0.25f, x + 0.125f, y + 0.5f}, 0.4f});
        }
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &base);
    for (int op = 0; op < 8; op++)
        vkt_pipeline_destroy(t, &tested[op]);
    vkt_target_destroy(t, &target);
}

static void depth_functions(void **state)
{
    static const struct {
        VkFormat format;
        const char *name;
    } formats[] = {{VK_FORMAT_D16_UNORM, "depth_d16"},
                   {VK_FORMAT_D24_UNORM_S8_UINT, "depth_d24s8"},
                   {VK_FORMAT_D32_SFLOAT, "depth_d32"}};
    for (size_t i = 0; i < VKT_COUNT(formats); i++) {
        depth_format = formats[i].format;
        vkt_compare_with_reference(formats[i].name, depth_scene, (struct vkt_tolerance){0, 0});
    }
}

/* Copies a drawn depth buffer out and checks known values. */
static void depth_values_are_stored(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D32_SFLOAT);
    struct vkt_pipeline_info info = rect_pipeline(&target);
    info.depth_test = info.depth_write = true;
    info.depth_compare = VK_COMPARE_OP_LESS;
    struct vkt_pipeline p = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 0.75f, 0);
    draw_rect(cmd, &p, &(struct rect_draw){{1, 1, 1, 1}, {-1, -1, 0, 1}, 0.25f});
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    float depth[W * H];
    vkt_read_image(t, &target.depth, 0, 0, depth, sizeof depth);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float expected = x < W / 2 ? 0.25f : 0.75f, d = depth[y * W + x] - expected;
            if (d > 1e-6f || d < -1e-6f)
                fail_msg("depth at (%d,%d): expected %f, got %f", x, y, expected, depth[y * W + x]);
        }
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

/* A drawn depth equals the same cleared depth in each format, whether cleared by the pass or by
 * vkCmdClearAttachments. */
static void drawn_depth_equals_cleared_depth(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    static const VkFormat formats[] = {VK_FORMAT_D16_UNORM, VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_D32_SFLOAT};
    static const float depths[] = {0, 0.125f, 0.25f, 0.375f, 0.5f, 0.625f, 0.75f, 0.875f, 1};
    for (uint32_t f = 0; f < VKT_COUNT(formats); f++) {
        struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, formats[f]);
        struct vkt_pipeline_info info = rect_pipeline(&target);
        info.depth_test = true;
        info.depth_compare = VK_COMPARE_OP_EQUAL;
        struct vkt_pipeline p = vkt_pipeline_create(t, &info);
        for (uint32_t d = 0; d < 2 * VKT_COUNT(depths); d++) {
            const float depth = depths[d / 2];
            const bool as_attachment = d % 2;
            VkCommandBuffer cmd = vkt_begin(t);
            vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, as_attachment ? 0.3f : depth, 0);
            const VkClearAttachment clear = {.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT,
                                             .clearValue = {.depthStencil.depth = depth}};
            if (as_attachment) /* clears only part, by a draw */
                vkCmdClearAttachments(cmd, 1, &clear, 1, &(VkClearRect){{{4, 4}, {W - 8, H - 8}}, 0, 1});
            draw_rect(cmd, &p, &(struct rect_draw){{1, 1, 1, 1}, {-1, -1, 1, 1}, depth});
            vkCmdEndRenderPass(cmd);
            vkt_end_submit(t, cmd);
            struct vkt_picture picture = vkt_read_target(t, &target);
            const uint8_t *middle = &picture.rgba[(H / 2 * W + W / 2) * 4], *corner = picture.rgba;
            if (middle[0] != 255 || corner[0] != (as_attachment ? 0 : 255))
                fail_msg("format %d, depth %g%s: middle %d, corner %d", formats[f], depth,
                         as_attachment ? ", cleared as an attachment" : "", middle[0], corner[0]);
            vkt_picture_free(&picture);
        }
        vkt_pipeline_destroy(t, &p);
        vkt_target_destroy(t, &target);
    }
}

/* ---------------------------------------------------------------- stencil */

static VkFormat stencil_format;

static void stencil_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, stencil_format);
    struct vkt_pipeline ops[8], show[8];
    struct vkt_pipeline_info info = rect_pipeline(&target);
    info.stencil_test = true;
    for (uint32_t i = 0; i < 8; i++) {
        info.stencil = (VkStencilOpState){.passOp = (VkStencilOp)i,
                                          .compareOp = VK_COMPARE_OP_ALWAYS,
                                          .compareMask = 0xff,
                                          .writeMask = 0xff,
                                          .reference = 0x35};
        ops[i] = vkt_pipeline_create(t, &info);
        /* Each pipeline shows one bit of the stencil value as one bit of red and green. */
        info.stencil = (VkStencilOpState){
            .compareOp = VK_COMPARE_OP_EQUAL, .compareMask = 1u << i, .writeMask = 0, .reference = 0xff};
        info.blend = (VkPipelineColorBlendAttachmentState){.blendEnable = VK_TRUE,
                                                           .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                           .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                           .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                           .dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO};
        show[i] = vkt_pipeline_create(t, &info);
        info.blend = (VkPipelineColorBlendAttachmentState){0};
    }
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0xfe);
    for (uint32_t i = 0; i < 8; i++) {
        float x = -1 + 0.25f * (float)i;
        for (uint32_t times = 0; times < 3; times++) /* once, twice, three times from top to bottom */
            draw_rect(cmd, &ops[i],
                      &(struct rect_draw){{0, 0, 0, 1}, {x, -1 + 0.5f * (float)times, x + 0.25f, 1}, 0.5f});
    }
    for (uint32_t i = 0; i < 8; i++) {
        float v = (float)(1u << i) / 255.0f;
        draw_rect(cmd, &show[i], &(struct rect_draw){{v, v, 0, 1}, {-1, -1, 1, 1}, 0.5f});
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    for (uint32_t i = 0; i < 8; i++) {
        vkt_pipeline_destroy(t, &ops[i]);
        vkt_pipeline_destroy(t, &show[i]);
    }
    vkt_target_destroy(t, &target);
}

static void stencil_operations(void **state)
{
    stencil_format = VK_FORMAT_D24_UNORM_S8_UINT;
    vkt_compare_with_reference("stencil", stencil_scene, (struct vkt_tolerance){1, 0});
    stencil_format = VK_FORMAT_S8_UINT;
    vkt_compare_with_reference("stencil_alone", stencil_scene, (struct vkt_tolerance){1, 0});
}

/* Fragments that would also fail the depth test fail the stencil test first, which must change the stencil. */
static void stencil_behind_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT);
    struct vkt_pipeline_info info = rect_pipeline(&target);
    info.depth_test = info.depth_write = true;
    info.depth_compare = VK_COMPARE_OP_LESS;
    struct vkt_pipeline base = vkt_pipeline_create(t, &info);
    info.stencil_test = true;
    info.stencil = (VkStencilOpState){.failOp = VK_STENCIL_OP_REPLACE,
                                      .compareOp = VK_COMPARE_OP_NEVER,
                                      .compareMask = 0xff,
                                      .writeMask = 0xff,
                                      .reference = 7};
    struct vkt_pipeline fails = vkt_pipeline_create(t, &info);
    info.stencil.failOp = VK_STENCIL_OP_KEEP;
    info.stencil.compareOp = VK_COMPARE_OP_EQUAL;
    info.depth_test = false;
    struct vkt_pipeline show = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    draw_rect(cmd, &base, &(struct rect_draw){{0, 0, 1, 1}, {-1, -1, 0, 1}, 0.25f});
    draw_rect(cmd, &fails, &(struct rect_draw){{1, 0, 0, 1}, {-0.5f, -0.5f, 0.5f, 0.5f}, 0.75f});
    draw_rect(cmd, &show, &(struct rect_draw){{0, 1, 0, 1}, {-1, -1, 1, 1}, 0.5f});
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &base);
    vkt_pipeline_destroy(t, &fails);
    vkt_pipeline_destroy(t, &show);
    vkt_target_destroy(t, &target);
}

static void stencil_fails_behind(void **state)
{
    vkt_compare_with_reference("stencil_behind", stencil_behind_scene, (struct vkt_tolerance){0, 0});
}

/* ---------------------------------------------------------------- blending */

static VkBlendFactor factor_src, factor_dst;
static VkBlendOp blend_op;
static VkFormat blend_format;

static void blend_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, blend_format, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline_info info = rect_pipeline(&target);
    struct vkt_pipeline base = vkt_pipeline_create(t, &info);
    info.blend = (VkPipelineColorBlendAttachmentState){.blendEnable = VK_TRUE,
                                                       .srcColorBlendFactor = factor_src,
                                                       .dstColorBlendFactor = factor_dst,
                                                       .colorBlendOp = blend_op,
                                                       .srcAlphaBlendFactor = factor_src,
                                                       .dstAlphaBlendFactor = factor_dst,
                                                       .alphaBlendOp = blend_op};
    info.blend_constants[0] = 0.3f;
    info.blend_constants[1] = 0.6f;
    info.blend_constants[2] = 0.9f;
    info.blend_constants[3] = 0.4f;
    struct vkt_pipeline blended = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.1f, 0.2f, 0.3f, 0.4f}, 1, 0);
    draw_rect(cmd, &base, &(struct rect_draw){{0.8f, 0.3f, 0.6f, 0.7f}, {0, -1, 1, 1}, 0.5f});
    draw_rect(cmd, &blended, &(struct rect_draw){{0.9f, 0.5f, 0.2f, 0.6f}, {-1, -0.9f, 1, -0.1f}, 0.5f});
    draw_rect(cmd, &blended, &(struct rect_draw){{0.2f, 0.7f, 1.0f, 0.3f}, {-0.5f, -0.5f, 0.5f, 0.9f}, 0.5f});
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &base);
    vkt_pipeline_destroy(t, &blended);
    vkt_target_destroy(t, &target);
}

static void blend_factors(void **state)
{
    blend_format = VK_FORMAT_R8G8B8A8_UNORM;
    blend_op = VK_BLEND_OP_ADD;
    for (int f = VK_BLEND_FACTOR_ZERO; f <= VK_BLEND_FACTOR_SRC_ALPHA_SATURATE; f++) {
        char name[32];
        snprintf(name, sizeof name, "blend_src_%d", f);
        factor_src = (VkBlendFactor)f;
        factor_dst = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
        vkt_compare_with_reference(name, blend_scene, (struct vkt_tolerance){2, 0});
        if (f == VK_BLEND_FACTOR_SRC_ALPHA_SATURATE)
            continue;
        snprintf(name, sizeof name, "blend_dst_%d", f);
        factor_src = VK_BLEND_FACTOR_SRC_ALPHA;
        factor_dst = (VkBlendFactor)f;
        vkt_compare_with_reference(name, blend_scene, (struct vkt_tolerance){2, 0});
    }
}

static void blend_operations(void **state)
{
    static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB};
    factor_src = VK_BLEND_FACTOR_SRC_ALPHA;
    factor_dst = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    for (size_t i = 0; i < VKT_COUNT(formats); i++)
        for (int op = VK_BLEND_OP_ADD; op <= VK_BLEND_OP_MAX; op++) {
            char name[32];
            snprintf(name, sizeof name, "blend_op_%d_%zu", op, i);
            blend_format = formats[i];
            blend_op = (VkBlendOp)op;
            vkt_compare_with_reference(name, blend_scene, (struct vkt_tolerance){2, 0});
        }
}

/* Each factor of the second source, as source factor and as destination factor. */
static void dual_source_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, blend_format, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline_info info = rect_pipeline(&target);
    struct vkt_pipeline base = vkt_pipeline_create(t, &info), blended[8];
    info.fs = VKT_SHADER(dual_source_frag);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.1f, 0.2f, 0.3f, 0.4f}, 1, 0);
    draw_rect(cmd, &base, &(struct rect_draw){{0.8f, 0.3f, 0.6f, 0.7f}, {-1, 0, 1, 1}, 0.5f});
    for (int i = 0; i < 8; i++) {
        const VkBlendFactor factor = VK_BLEND_FACTOR_SRC1_COLOR + i % 4;
        info.blend = (VkPipelineColorBlendAttachmentState){
            .blendEnable = VK_TRUE,
            .srcColorBlendFactor = i < 4 ? factor : VK_BLEND_FACTOR_SRC_ALPHA,
            .dstColorBlendFactor = i < 4 ? VK_BLEND_FACTOR_ONE : factor,
            .srcAlphaBlendFactor = i < 4 ? VK_BLEND_FACTOR_ONE : factor,
            .dstAlphaBlendFactor = i < 4 ? factor : VK_BLEND_FACTOR_ZERO,
        };
        blended[i] = vkt_pipeline_create(t, &info);
        float x = -1 + 0.25f * (float)i;
        draw_rect(cmd, &blended[i], &(struct rect_draw){{0.9f, 0.5f, 0.2f, 0.6f}, {x, -0.75f, x + 0.25f, 0.75f}, 0.5f});
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    for (int i = 0; i < 8; i++)
        vkt_pipeline_destroy(t, &blended[i]);
    vkt_pipeline_destroy(t, &base);
    vkt_target_destroy(t, &target);
}

static void second_sources_blend(void **state)
{
    blend_format = VK_FORMAT_R8G8B8A8_UNORM;
    vkt_compare_with_reference("dual_source", dual_source_scene, (struct vkt_tolerance){2, 0});
    blend_format = VK_FORMAT_B8G8R8A8_SRGB;
    vkt_compare_with_reference("dual_source_srgb", dual_source_scene, (struct vkt_tolerance){2, 0});
}

/* One column for each operation, over the clear color and over a drawn color. */
static void logic_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, blend_format, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline_info info = rect_pipeline(&target);
    struct vkt_pipeline base = vkt_pipeline_create(t, &info), ops[16];
    info.logic_op_enable = true;
    info.blend.colorWriteMask = 0xb; /* not blue */
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.2f, 0.4f, 0.6f, 0.8f}, 1, 0);
    draw_rect(cmd, &base, &(struct rect_draw){{0.8f, 0.4f, 1.0f, 0.2f}, {-1, 0, 1, 1}, 0.5f});
    for (int op = 0; op < 16; op++) {
        info.logic_op = (VkLogicOp)op;
        ops[op] = vkt_pipeline_create(t, &info);
        float x = -1 + 0.125f * (float)op;
        draw_rect(cmd, &ops[op], &(struct rect_draw){{0.6f, 0.2f, 0.8f, 0.4f}, {x, -0.75f, x + 0.125f, 0.75f}, 0.5f});
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    for (int op = 0; op < 16; op++)
        vkt_pipeline_destroy(t, &ops[op]);
    vkt_pipeline_destroy(t, &base);
    vkt_target_destroy(t, &target);
}

/* Logic operations do not apply to sRGB targets: there the color is written unchanged. */
static void logic_operations(void **state)
{
    blend_format = VK_FORMAT_R8G8B8A8_UNORM;
    vkt_compare_with_reference("logic", logic_scene, (struct vkt_tolerance){0, 0});
    blend_format = VK_FORMAT_B8G8R8A8_SRGB;
    vkt_compare_with_reference("logic_srgb", logic_scene, (struct vkt_tolerance){1, 0});
}

static void mask_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline_info info = rect_pipeline(&target);
    struct vkt_pipeline masked[16];
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.2f, 0.4f, 0.6f, 0.8f}, 1, 0);
    for (uint32_t mask = 1; mask < 16; mask++) {
        info.blend = (VkPipelineColorBlendAttachmentState){.blendEnable = mask & 1,
                                                           .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                           .dstColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
                                                           .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                           .colorWriteMask = mask};
        masked[mask] = vkt_pipeline_create(t, &info);
        float x = -1 + 0.125f * (float)mask;
        draw_rect(cmd, &masked[mask], &(struct rect_draw){{0.5f, 0.3f, 0.1f, 0.5f}, {x, -1, x + 0.125f, 1}, 0.5f});
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    for (uint32_t mask = 1; mask < 16; mask++)
        vkt_pipeline_destroy(t, &masked[mask]);
    vkt_target_destroy(t, &target);
}

static void write_masks(void **state)
{
    vkt_compare_with_reference("write_masks", mask_scene, (struct vkt_tolerance){1, 0});
}

/* ---------------------------------------------------------------- load and store */

/* Two passes on one target: the second loads what the first stored. With 72 rows no edge runs through pixel centers,
 * where drivers may differ. */
static void load_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, 100, 72, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT);
    struct vkt_pipeline_info info = rect_pipeline(&target);
    info.depth_test = info.depth_write = true;
    info.depth_compare = VK_COMPARE_OP_LESS;
    struct vkt_pipeline p = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.25f, 0.25f, 0.25f, 1}, 1, 0);
    draw_rect(cmd, &p, &(struct rect_draw){{1, 0, 0, 1}, {-0.5f, -0.5f, 0.5f, 0.5f}, 0.5f});
    vkCmdEndRenderPass(cmd);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = target.pass_load,
                                                  .framebuffer = target.framebuffer,
                                                  .renderArea = {{0, 0}, {100, 72}}},
                         VK_SUBPASS_CONTENTS_INLINE);
    draw_rect(cmd, &p, &(struct rect_draw){{0, 1, 0, 1}, {-0.8f, -0.8f, 0, 0.8f}, 0.7f});
    draw_rect(cmd, &p, &(struct rect_draw){{0, 0, 1, 1}, {0, -0.8f, 0.8f, 0.8f}, 0.3f});
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void a_second_pass_loads(void **state)
{
    vkt_compare_with_reference("load_store", load_scene, (struct vkt_tolerance){1, 0});
}

static void clear_attachments_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D16_UNORM);
    struct vkt_pipeline_info info = rect_pipeline(&target);
    info.depth_test = true;
    info.depth_compare = VK_COMPARE_OP_LESS;
    struct vkt_pipeline p = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.25f, 0.25f, 0.25f, 1}, 0, 0);
    VkClearAttachment clears[] = {
        {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color.float32 = {0.5f, 0.75f, 1, 1}}},
        {VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil.depth = 1}},
    };
    VkClearRect rects[] = {{{{3, 5}, {40, 30}}, 0, 1}, {{{50, 50}, {10, 14}}, 0, 1}};
    vkCmdClearAttachments(cmd, 2, clears, 2, rects);
    draw_rect(cmd, &p, &(struct rect_draw){{1, 0, 0, 1}, {-1, -1, 0, 1}, 0.5f});
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void clear_attachments(void **state)
{
    vkt_compare_with_reference("clear_attachments", clear_attachments_scene, (struct vkt_tolerance){1, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(depth_functions, vkt_check_messages),
        cmocka_unit_test_teardown(depth_values_are_stored, vkt_check_messages),
        cmocka_unit_test_teardown(drawn_depth_equals_cleared_depth, vkt_check_messages),
        cmocka_unit_test_teardown(stencil_operations, vkt_check_messages),
        cmocka_unit_test_teardown(stencil_fails_behind, vkt_check_messages),
        cmocka_unit_test_teardown(blend_factors, vkt_check_messages),
        cmocka_unit_test_teardown(blend_operations, vkt_check_messages),
        cmocka_unit_test_teardown(second_sources_blend, vkt_check_messages),
        cmocka_unit_test_teardown(logic_operations, vkt_check_messages),
        cmocka_unit_test_teardown(write_masks, vkt_check_messages),
        cmocka_unit_test_teardown(a_second_pass_loads, vkt_check_messages),
        cmocka_unit_test_teardown(clear_attachments, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("state", tests, NULL, vkt_teardown);
}
