/* SPDX-License-Identifier: MIT
 *
 * Color attachments: every reported format, texels wider and narrower than a word, several attachments in a subpass,
 * and attachments that shaders read while they are drawn to. Texels are compared with the reference driver's.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "depth_read.frag.h"
#include "self_read.frag.h"
#include "targets.vert.h"
#include "targets_float.frag.h"
#include "targets_four.frag.h"
#include "targets_int.frag.h"
#include "targets_mixed.frag.h"
#include "targets_uint.frag.h"

#define W      64u
#define H      48u
#define COLORS 4u

enum kind { NORM, SIGNED_NORM, UNSIGNED, SIGNED, FLOATS, UNSIGNED_FLOATS };

struct format {
    VkFormat format;
    enum kind kind;
    uint32_t texel_B;
    uint8_t bits[4]; /* of the components, from the lowest bit up */
};

static const struct format formats[] = {
    {VK_FORMAT_R8_UNORM, NORM, 1, {8}},
    {VK_FORMAT_R8_SNORM, SIGNED_NORM, 1, {8}},
    {VK_FORMAT_R8_UINT, UNSIGNED, 1, {8}},
    {VK_FORMAT_R8_SINT, SIGNED, 1, {8}},
    {VK_FORMAT_R8_SRGB, NORM, 1, {8}},
    {VK_FORMAT_R8G8_UNORM, NORM, 2, {8, 8}},
    {VK_FORMAT_R8G8_SNORM, SIGNED_NORM, 2, {8, 8}},
    {VK_FORMAT_R8G8_UINT, UNSIGNED, 2, {8, 8}},
    {VK_FORMAT_R8G8_SINT, SIGNED, 2, {8, 8}},
    {VK_FORMAT_R8G8_SRGB, NORM, 2, {8, 8}},
    {VK_FORMAT_R8G8B8A8_UNORM, NORM, 4, {8, 8, 8, 8}},
    {VK_FORMAT_R8G8B8A8_SNORM, SIGNED_NORM, 4, {8, 8, 8, 8}},
    {VK_FORMAT_R8G8B8A8_UINT, UNSIGNED, 4, {8, 8, 8, 8}},
    {VK_FORMAT_R8G8B8A8_SINT, SIGNED, 4, {8, 8, 8, 8}},
    {VK_FORMAT_R8G8B8A8_SRGB, NORM, 4, {8, 8, 8, 8}},
    {VK_FORMAT_B8G8R8A8_UNORM, NORM, 4, {8, 8, 8, 8}},
    {VK_FORMAT_B8G8R8A8_SNORM, SIGNED_NORM, 4, {8, 8, 8, 8}},
    {VK_FORMAT_B8G8R8A8_UINT, UNSIGNED, 4, {8, 8, 8, 8}},
    {VK_FORMAT_B8G8R8A8_SINT, SIGNED, 4, {8, 8, 8, 8}},
    {VK_FORMAT_B8G8R8A8_SRGB, NORM, 4, {8, 8, 8, 8}},
    {VK_FORMAT_A8B8G8R8_UNORM_PACK32, NORM, 4, {8, 8, 8, 8}},
    {VK_FORMAT_A8B8G8R8_SNORM_PACK32, SIGNED_NORM, 4, {8, 8, 8, 8}},
    {VK_FORMAT_A8B8G8R8_UINT_PACK32, UNSIGNED, 4, {8, 8, 8, 8}},
    {VK_FORMAT_A8B8G8R8_SINT_PACK32, SIGNED, 4, {8, 8, 8, 8}},
    {VK_FORMAT_A8B8G8R8_SRGB_PACK32, NORM, 4, {8, 8, 8, 8}},
    {VK_FORMAT_R5G6B5_UNORM_PACK16, NORM, 2, {5, 6, 5}},
    {VK_FORMAT_B5G6R5_UNORM_PACK16, NORM, 2, {5, 6, 5}},
    {VK_FORMAT_A1R5G5B5_UNORM_PACK16, NORM, 2, {5, 5, 5, 1}},
    {VK_FORMAT_R5G5B5A1_UNORM_PACK16, NORM, 2, {1, 5, 5, 5}},
    {VK_FORMAT_B5G5R5A1_UNORM_PACK16, NORM, 2, {1, 5, 5, 5}},
    {VK_FORMAT_B4G4R4A4_UNORM_PACK16, NORM, 2, {4, 4, 4, 4}},
    {VK_FORMAT_R4G4B4A4_UNORM_PACK16, NORM, 2, {4, 4, 4, 4}},
    {VK_FORMAT_A4R4G4B4_UNORM_PACK16_EXT, NORM, 2, {4, 4, 4, 4}},
    {VK_FORMAT_A4B4G4R4_UNORM_PACK16_EXT, NORM, 2, {4, 4, 4, 4}},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, NORM, 4, {10, 10, 10, 2}},
    {VK_FORMAT_A2B10G10R10_SNORM_PACK32, SIGNED_NORM, 4, {10, 10, 10, 2}},
    {VK_FORMAT_A2B10G10R10_UINT_PACK32, UNSIGNED, 4, {10, 10, 10, 2}},
    {VK_FORMAT_A2B10G10R10_SINT_PACK32, SIGNED, 4, {10, 10, 10, 2}},
    {VK_FORMAT_A2R10G10B10_UNORM_PACK32, NORM, 4, {10, 10, 10, 2}},
    {VK_FORMAT_A2R10G10B10_SNORM_PACK32, SIGNED_NORM, 4, {10, 10, 10, 2}},
    {VK_FORMAT_A2R10G10B10_UINT_PACK32, UNSIGNED, 4, {10, 10, 10, 2}},
    {VK_FORMAT_A2R10G10B10_SINT_PACK32, SIGNED, 4, {10, 10, 10, 2}},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, UNSIGNED_FLOATS, 4, {11, 11, 10}},
    {VK_FORMAT_R16_UNORM, NORM, 2, {16}},
    {VK_FORMAT_R16_SNORM, SIGNED_NORM, 2, {16}},
    {VK_FORMAT_R16_UINT, UNSIGNED, 2, {16}},
    {VK_FORMAT_R16_SINT, SIGNED, 2, {16}},
    {VK_FORMAT_R16_SFLOAT, FLOATS, 2, {16}},
    {VK_FORMAT_R16G16_UNORM, NORM, 4, {16, 16}},
    {VK_FORMAT_R16G16_SNORM, SIGNED_NORM, 4, {16, 16}},
    {VK_FORMAT_R16G16_UINT, UNSIGNED, 4, {16, 16}},
    {VK_FORMAT_R16G16_SINT, SIGNED, 4, {16, 16}},
    {VK_FORMAT_R16G16_SFLOAT, FLOATS, 4, {16, 16}},
    {VK_FORMAT_R16G16B16A16_UNORM, NORM, 8, {16, 16, 16, 16}},
    {VK_FORMAT_R16G16B16A16_SNORM, SIGNED_NORM, 8, {16, 16, 16, 16}},
    {VK_FORMAT_R16G16B16A16_UINT, UNSIGNED, 8, {16, 16, 16, 16}},
    {VK_FORMAT_R16G16B16A16_SINT, SIGNED, 8, {16, 16, 16, 16}},
    {VK_FORMAT_R16G16B16A16_SFLOAT, FLOATS, 8, {16, 16, 16, 16}},
    {VK_FORMAT_R32_UINT, UNSIGNED, 4, {32}},
    {VK_FORMAT_R32_SINT, SIGNED, 4, {32}},
    {VK_FORMAT_R32_SFLOAT, FLOATS, 4, {32}},
    {VK_FORMAT_R32G32_UINT, UNSIGNED, 8, {32, 32}},
    {VK_FORMAT_R32G32_SINT, SIGNED, 8, {32, 32}},
    {VK_FORMAT_R32G32_SFLOAT, FLOATS, 8, {32, 32}},
    {VK_FORMAT_R32G32B32_UINT, UNSIGNED, 12, {32, 32, 32}},
    {VK_FORMAT_R32G32B32_SINT, SIGNED, 12, {32, 32, 32}},
    {VK_FORMAT_R32G32B32_SFLOAT, FLOATS, 12, {32, 32, 32}},
    {VK_FORMAT_R32G32B32A32_UINT, UNSIGNED, 16, {32, 32, 32, 32}},
    {VK_FORMAT_R32G32B32A32_SINT, SIGNED, 16, {32, 32, 32, 32}},
    {VK_FORMAT_R32G32B32A32_SFLOAT, FLOATS, 16, {32, 32, 32, 32}},
};

static const struct format *find_format(VkFormat format)
{
    for (size_t i = 0; i < VKT_COUNT(formats); i++)
        if (formats[i].format == format)
            return &formats[i];
    fail_msg("no row for format %d", format);
    return NULL;
}

/* ---------------------------------------------------------------- texels */

static uint32_t component(const uint8_t *texel, uint32_t shift, uint32_t bits)
{
    uint64_t word = 0;
    memcpy(&word, texel + shift / 32 * 4, 4);
    return (uint32_t)(word >> shift % 32 & ((UINT64_C(1) << bits) - 1));
}

static float half(uint32_t h)
{
    float f = ldexpf((float)(h & 0x3ff) + (h & 0x7c00 ? 1024 : 0), (int)(h >> 10 & 31 ? h >> 10 & 31 : 1) - 25);
    return h & 0x8000 ? -f : f;
}

/* The number of roundings by which results may differ: one per write or blend. */
static int32_t roundings = 1;

static bool is_close(const struct format *f, uint32_t a, uint32_t b, uint32_t bits)
{
    int32_t up = 32 - (int32_t)bits;
    switch (f->kind) {
    case NORM:
    case UNSIGNED_FLOATS: /* neighboring values have neighboring words */
        return abs((int32_t)a - (int32_t)b) <= roundings;
    case SIGNED_NORM:
        return abs((int32_t)(a << up) / (1 << up) - (int32_t)(b << up) / (1 << up)) <= roundings;
    case FLOATS: {
        float x, y;
        memcpy(&x, &a, 4);
        memcpy(&y, &b, 4);
        x = bits == 16 ? half(a) : x;
        y = bits == 16 ? half(b) : y;
        return fabsf(x - y) <= fabsf(y) * (float)roundings * (bits == 16 ? 0x1p-9f : 0x1p-17f);
    }
    default:
        return a == b;
    }
}

static void compare_texels(const struct format *f, const uint8_t *expected, const uint8_t *got)
{
    uint8_t pad_a[20] = {0}, pad_b[20] = {0};
    for (uint32_t at = 0; at < W * H; at++) {
        memcpy(pad_a, expected + at * f->texel_B, f->texel_B);
        memcpy(pad_b, got + at * f->texel_B, f->texel_B);
        for (uint32_t i = 0, shift = 0; i < 4 && f->bits[i]; shift += f->bits[i++]) {
            uint32_t a = component(pad_a, shift, f->bits[i]), b = component(pad_b, shift, f->bits[i]);
            if (!is_close(f, a, b, f->bits[i]))
                fail_msg("format %d, pixel (%u, %u), component %u: 0x%x instead of 0x%x", f->format, at % W, at / W, i,
                         b, a);
        }
    }
}

/* ---------------------------------------------------------------- passes */

/* Whether the colour attachments of the tested device have linear tiling. */
static bool in_rows;

static VkImageTiling tiling_of(const struct vkt *t)
{
    return in_rows && t == vkt_device(VKT_TESTED) ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL;
}

/* One or more color attachments and an optional depth attachment; the first color may also be an input attachment. */
struct targets {
    uint32_t count;
    struct vkt_image colors[COLORS], depth;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
};

static VkAttachmentDescription attachment(VkFormat format, VkImageLayout layout)
{
    return (VkAttachmentDescription){
        .format = format,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .finalLayout = layout,
    };
}

static VkRenderPass pass_create(struct vkt *t, const VkFormat *colors, uint32_t count, VkFormat depth, bool reads)
{
    const VkImageLayout layout = reads ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    VkAttachmentDescription attachments[COLORS + 1];
    VkAttachmentReference refs[COLORS], depth_ref = {count, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    for (uint32_t i = 0; i < count; i++) {
        attachments[i] = attachment(colors[i], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        refs[i] = (VkAttachmentReference){i, layout};
    }
    attachments[count] = attachment(depth, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    const VkSubpassDescription subpass = {
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .colorAttachmentCount = count,
        .pColorAttachments = refs,
        .pDepthStencilAttachment = depth ? &depth_ref : NULL,
        .inputAttachmentCount = reads ? 1 : 0,
        .pInputAttachments = refs,
    };
    const VkSubpassDependency dependencies[] = {
        {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
         VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT, 0},
        {0, 0, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
         VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_INPUT_ATTACHMENT_READ_BIT, VK_DEPENDENCY_BY_REGION_BIT},
    };
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .attachmentCount = count + (depth ? 1 : 0),
                                  .pAttachments = attachments,
                                  .subpassCount = 1,
                                  .pSubpasses = &subpass,
                                  .dependencyCount = reads ? 2 : 1,
                                  .pDependencies = dependencies,
                              },
                              NULL, &pass));
    return pass;
}

static VkFramebuffer framebuffer_create(struct vkt *t, VkRenderPass pass, const VkImageView *views, uint32_t count)
{
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){
                                   .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = pass,
                                   .attachmentCount = count,
                                   .pAttachments = views,
                                   .width = W,
                                   .height = H,
                                   .layers = 1,
                               },
                               NULL, &framebuffer));
    return framebuffer;
}

static struct targets targets_create(struct vkt *t, const VkFormat *colors, uint32_t count, VkFormat depth, bool reads)
{
    struct targets out = {.count = count, .pass = pass_create(t, colors, count, depth, reads)};
    VkImageView views[COLORS + 1];
    for (uint32_t i = 0; i < count; i++) {
        out.colors[i] = vkt_image_create(
            t, &(struct vkt_image_info){.format = colors[i],
                                        .width = W,
                                        .height = H,
                                        .tiling = tiling_of(t),
                                        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                 (reads ? VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT : 0)});
        views[i] = out.colors[i].view;
    }
    if (depth) {
        out.depth = vkt_image_create(t, &(struct vkt_image_info){.format = depth,
                                                                 .width = W,
                                                                 .height = H,
                                                                 .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
        views[count] = out.depth.view;
    }
    out.framebuffer = framebuffer_create(t, out.pass, views, count + (depth ? 1 : 0));
    return out;
}

static void targets_destroy(struct vkt *t, struct targets *targets)
{
    vkDestroyFramebuffer(t->device, targets->framebuffer, NULL);
    vkDestroyRenderPass(t->device, targets->pass, NULL);
    for (uint32_t i = 0; i < targets->count; i++)
        vkt_image_destroy(t, &targets->colors[i]);
    if (targets->depth.image)
        vkt_image_destroy(t, &targets->depth);
}

static void begin_pass_for(VkCommandBuffer cmd, const struct targets *targets, VkSubpassContents contents)
{
    VkClearValue clears[COLORS + 1] = {0};
    clears[targets->count].depthStencil.depth = 1;
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){
                             .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                             .renderPass = targets->pass,
                             .framebuffer = targets->framebuffer,
                             .renderArea = {{0, 0}, {W, H}},
                             .clearValueCount = targets->count + 1,
                             .pClearValues = clears,
                         },
                         contents);
}

static void begin_pass(VkCommandBuffer cmd, const struct targets *targets)
{
    begin_pass_for(cmd, targets, VK_SUBPASS_CONTENTS_INLINE);
}

struct push {
    float scale[4], offset[4], rect[4], depth;
};

static void draw(VkCommandBuffer cmd, const struct vkt_pipeline *pipeline, const struct push *push)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->pipeline);
    vkCmdPushConstants(cmd, pipeline->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                       sizeof *push, push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

/* The contents of a scene's color attachments; freed by the caller. */
struct texels {
    uint8_t *at[COLORS];
};

static void read_targets(struct vkt *t, const struct targets *targets, struct texels *out)
{
    for (uint32_t i = 0; i < targets->count; i++) {
        uint32_t size_B = W * H * find_format(targets->colors[i].format)->texel_B;
        out->at[i] = malloc(size_B);
        assert_non_null(out->at[i]);
        vkt_read_image(t, &targets->colors[i], 0, 0, out->at[i], size_B);
    }
}

static void compare_scene(void (*scene)(struct vkt *t, struct texels *out), const VkFormat *colors, uint32_t count)
{
    struct texels expected = {0}, got = {0};
    scene(vkt_device(VKT_REFERENCE), &expected);
    scene(vkt_device(VKT_TESTED), &got);
    for (uint32_t i = 0; i < count; i++) {
        compare_texels(find_format(colors[i]), expected.at[i], got.at[i]);
        free(expected.at[i]);
        free(got.at[i]);
    }
}

/* ---------------------------------------------------------------- every format */

static const struct format *tested_format;
static VkPipelineColorBlendAttachmentState blend;

/* Push constants with values that the format can hold. The components vary over the pixels in different directions. */
static struct push push_for(enum kind kind)
{
    static const struct push pushes[] = {
        [NORM] = {{1 / 64.0f, 1 / 48.0f, 1 / 112.0f, 1 / 64.0f}, {0}},
        [SIGNED_NORM] = {{1 / 32.0f, 1 / 24.0f, 1 / 56.0f, 1 / 32.0f}, {-1, -1, -1, -1}},
        [UNSIGNED] = {{2, 3, 2, 0.03125f}, {1, 0, 1, 0}},
        [SIGNED] = {{2, 3, 1, 1}, {-64, -72, -56, -32}},
        [FLOATS] = {{0.75f, -1.5f, 3, 0.0009765625f}, {-20, 0.125f, 0, 1}},
        [UNSIGNED_FLOATS] = {{0.75f, -1.5f, 3, 0.0009765625f}, {-20, 60, 0, 1}},
    };
    struct push push = pushes[kind];
    memcpy(push.rect, (float[]){-1, -1, 1, 1}, sizeof push.rect);
    return push;
}

static void format_scene(struct vkt *t, struct texels *out)
{
    struct targets targets = targets_create(t, &tested_format->format, 1, VK_FORMAT_UNDEFINED, false);
    struct push push = push_for(tested_format->kind), second = push;
    struct vkt_pipeline_info info = {
        .vs = VKT_SHADER(targets_vert),
        .fs = tested_format->kind == UNSIGNED ? VKT_SHADER(targets_uint_frag)
              : tested_format->kind == SIGNED ? VKT_SHADER(targets_int_frag)
                                              : VKT_SHADER(targets_float_frag),
        .pass = targets.pass,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
        .width = W,
        .height = H,
        .push_size_B = sizeof(struct push),
    };
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &info);
    info.blend = blend;
    struct vkt_pipeline over = vkt_pipeline_create(t, &info);
    second.rect[2] = 0; /* the left half, over the first */
    for (uint32_t i = 0; i < 4; i++)
        second.scale[i] = push.scale[3 - i];
    VkCommandBuffer cmd = vkt_begin(t);
    begin_pass(cmd, &targets);
    draw(cmd, &pipeline, &push);
    draw(cmd, &over, &second);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    read_targets(t, &targets, out);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_pipeline_destroy(t, &over);
    targets_destroy(t, &targets);
}

/* SNORM formats of 10 and 2 bits, for which lavapipe stores wrong values: -470/511 for -1 + 2/24 and -1 for -1/32.
 * Their expected texels are computed here. */
static bool is_computed(const struct format *f)
{
    return f->kind == SIGNED_NORM && f->bits[0] == 10;
}

static float blend_factor(VkBlendFactor factor, float src_alpha)
{
    switch (factor) {
    case VK_BLEND_FACTOR_ONE:
        return 1;
    case VK_BLEND_FACTOR_SRC_ALPHA:
        return src_alpha;
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA:
        return 1 - src_alpha;
    default: /* the tests use no other factor */
        assert_int_equal(factor, VK_BLEND_FACTOR_ZERO);
        return 0;
    }
}

/* Computes a draw of the scene over one pixel, as the fragment shader and blending do. `steps` are the stored
 * integers. */
static void compute_draw(const struct push *push, const VkPipelineColorBlendAttachmentState *how, uint32_t x,
                         uint32_t y, int32_t steps[4])
{
    static const float most[] = {511, 511, 511, 1};
    const float base[] = {(float)x, (float)y, (float)(x + y), 63 - (float)x};
    float src[4], dst[4];
    for (uint32_t i = 0; i < 4; i++) {
        src[i] = fmaxf(-1, fminf(1, base[i] * push->scale[i] + push->offset[i]));
        dst[i] = (float)steps[i] / most[i];
    }
    for (uint32_t i = 0; i < 4; i++) {
        const float by_src = blend_factor(i < 3 ? how->srcColorBlendFactor : how->srcAlphaBlendFactor, src[3]);
        const float by_dst = blend_factor(i < 3 ? how->dstColorBlendFactor : how->dstAlphaBlendFactor, src[3]);
        const float result = how->blendEnable ? src[i] * by_src + dst[i] * by_dst : src[i];
        if (!how->colorWriteMask || (how->colorWriteMask >> i & 1))
            steps[i] = (int32_t)lroundf(fmaxf(-1, fminf(1, result)) * most[i]);
    }
}

static void compute_scene(struct texels *out)
{
    const struct push first = push_for(tested_format->kind);
    const VkPipelineColorBlendAttachmentState plain = {0};
    const bool is_bgr = tested_format->format == VK_FORMAT_A2R10G10B10_SNORM_PACK32;
    struct push second = first;
    uint32_t *words = malloc(W * H * sizeof *words);
    assert_non_null(words);
    for (uint32_t i = 0; i < 4; i++)
        second.scale[i] = first.scale[3 - i];
    for (uint32_t at = 0; at < W * H; at++) {
        int32_t steps[4] = {0};
        compute_draw(&first, &plain, at % W, at / W, steps);
        if (at % W < W / 2)
            compute_draw(&second, &blend, at % W, at / W, steps);
        words[at] = ((uint32_t)steps[is_bgr ? 2 : 0] & 1023) | ((uint32_t)steps[1] & 1023) << 10 |
                    ((uint32_t)steps[is_bgr ? 0 : 2] & 1023) << 20 | (uint32_t)steps[3] << 30;
    }
    out->at[0] = (uint8_t *)words;
}

static void compare_computed(void)
{
    struct texels expected = {0}, got = {0};
    compute_scene(&expected);
    format_scene(vkt_device(VKT_TESTED), &got);
    compare_texels(tested_format, expected.at[0], got.at[0]);
    free(expected.at[0]);
    free(got.at[0]);
}

static bool has_feature(struct vkt *t, VkFormat format, VkFormatFeatureFlags feature)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(t->physical, format, &properties);
    return (tiling_of(t) == VK_IMAGE_TILING_LINEAR ? properties.linearTilingFeatures
                                                   : properties.optimalTilingFeatures) &
           feature;
}

static uint32_t least_bits; /* skips formats with fewer bits, whose rounding errors are large */

static uint32_t compare_formats(VkFormatFeatureFlags feature)
{
    uint32_t tested = 0;
    for (size_t i = 0; i < VKT_COUNT(formats); i++) {
        tested_format = &formats[i];
        if (tested_format->bits[0] < least_bits || (least_bits && is_computed(tested_format)) ||
            !has_feature(vkt_device(VKT_TESTED), tested_format->format, feature) ||
            !(is_computed(tested_format) || has_feature(vkt_device(VKT_REFERENCE), tested_format->format, feature)))
            continue;
        if (is_computed(tested_format))
            compare_computed();
        else
            compare_scene(format_scene, &tested_format->format, 1);
        tested++;
    }
    printf("# %u formats\n", tested);
    return tested;
}

/* Every reported format must be in the list above; otherwise it would not be tested. */
static void every_format_has_a_row(void **state)
{
    const struct vkt *t = vkt_device(VKT_TESTED);
    uint32_t reported = 0;
    for (uint32_t f = 1; f <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; f++) {
        VkFormatProperties properties;
        vkGetPhysicalDeviceFormatProperties(t->physical, (VkFormat)f, &properties);
        if (!((properties.optimalTilingFeatures | properties.linearTilingFeatures) &
              VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT))
            continue;
        find_format((VkFormat)f);
        reported++;
    }
    assert_int_equal(reported + 2, VKT_COUNT(formats)); /* two formats belong to an extension */
}

static void every_format_is_rendered(void **state)
{
    blend = (VkPipelineColorBlendAttachmentState){0};
    assert_true(compare_formats(VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) >= 58);
}

static void write_masks_keep_components(void **state)
{
    blend =
        (VkPipelineColorBlendAttachmentState){.colorWriteMask = VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_A_BIT};
    assert_true(compare_formats(VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) >= 58);
}

static void formats_are_blended(void **state)
{
    blend = (VkPipelineColorBlendAttachmentState){
        .blendEnable = VK_TRUE,
        .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO,
        .colorWriteMask = 0xf,
    };
    assert_true(compare_formats(VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) >= 18);
}

static const VkPipelineColorBlendAttachmentState by_own_alpha = {
    .blendEnable = VK_TRUE,
    .srcColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA,
    .dstColorBlendFactor = VK_BLEND_FACTOR_DST_ALPHA,
    .srcAlphaBlendFactor = VK_BLEND_FACTOR_CONSTANT_ALPHA,
    .dstAlphaBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
    .colorWriteMask = 0xf,
};

static void formats_are_blended_by_their_alpha(void **state)
{
    blend = by_own_alpha;
    roundings = 2;
    least_bits = 8;
    assert_true(compare_formats(VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) >= 15);
    blend.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_B_BIT;
    assert_true(compare_formats(VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) >= 15);
    roundings = 1;
    least_bits = 0;
}

/* ---------------------------------------------------------------- blending that changes within a pass */

enum { PLAIN, BY_SOURCE, BY_OWN, BLENDINGS };

static bool in_secondaries;

/* Overlapping quads, with and without blending by the target's alpha, before and after a partial clear. */
static void draw_changing(VkCommandBuffer cmd, const struct vkt_pipeline pipelines[BLENDINGS])
{
    static const struct {
        int blending;
        float rect[4], depth;
    } quads[] = {
        {PLAIN, {-1, -1, 1, 0.5f}, 0.9f},           {BY_OWN, {-0.5f, -1, 0.5f, 1}, 0.8f},
        {BY_OWN, {-0.75f, -0.75f, 0.75f, 0}, 0.7f}, {BY_SOURCE, {0, -1, 1, 1}, 0.85f},
        {BY_OWN, {-1, 0, 1, 0.25f}, 0.5f},          {BY_OWN, {-1, -1, 1, 1}, 0.75f},
        {BY_SOURCE, {-0.25f, -0.25f, 1, 1}, 0.4f},  {BY_OWN, {-1, -0.5f, 0.25f, 1}, 0.3f},
    };
    const VkClearAttachment clears[] = {
        {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {0.25f, 0.5f, 0.75f, 0.375f}}}},
        {VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil = {0.6f, 0}}},
    };
    for (uint32_t i = 0; i < VKT_COUNT(quads); i++) {
        struct push push = push_for(NORM);
        memcpy(push.rect, quads[i].rect, sizeof push.rect);
        push.depth = quads[i].depth;
        if (i == 4)
            vkCmdClearAttachments(cmd, 2, clears, 1, &(VkClearRect){{{5, 7}, {30, 20}}, 0, 1});
        draw(cmd, &pipelines[quads[i].blending], &push);
    }
}

static void changing_scene(struct vkt *t, struct texels *out)
{
    const VkFormat colors[] = {tested_format->format, VK_FORMAT_R8G8B8A8_UNORM};
    struct targets targets = targets_create(t, colors, 1, VK_FORMAT_D16_UNORM, false);
    struct vkt_pipeline pipelines[BLENDINGS];
    struct vkt_pipeline_info info = {
        .vs = VKT_SHADER(targets_vert),
        .fs = VKT_SHADER(targets_float_frag),
        .pass = targets.pass,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
        .depth_test = true,
        .depth_write = true,
        .depth_compare = VK_COMPARE_OP_LESS,
        .blend_constants = {0.25f, 0.5f, 0.75f, 0.625f},
        .width = W,
        .height = H,
        .push_size_B = sizeof(struct push),
    };
    for (int i = 0; i < BLENDINGS; i++) {
        info.blend = i == PLAIN ? (VkPipelineColorBlendAttachmentState){0} : by_own_alpha;
        if (i == BY_SOURCE) {
            info.blend.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
            info.blend.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
        }
        pipelines[i] = vkt_pipeline_create(t, &info);
    }
    VkCommandBuffer cmd = vkt_begin(t), secondary = VK_NULL_HANDLE;
    if (in_secondaries)
        secondary = vkt_begin_secondary(t, targets.pass, 0);
    if (secondary) {
        draw_changing(secondary, pipelines);
        vkt_ok(vkEndCommandBuffer(secondary));
    }
    begin_pass_for(cmd, &targets,
                   secondary ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE);
    if (secondary)
        vkCmdExecuteCommands(cmd, 1, &secondary);
    else
        draw_changing(cmd, pipelines);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    if (secondary)
        vkFreeCommandBuffers(t->device, t->pool, 1, &secondary);
    read_targets(t, &targets, out);
    for (int i = 0; i < BLENDINGS; i++)
        vkt_pipeline_destroy(t, &pipelines[i]);
    targets_destroy(t, &targets);
}

static void blending_changes_within_a_pass(void **state)
{
    static const VkFormat blended_formats[] = {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R16G16B16A16_UNORM,
                                               VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_SFLOAT};
    roundings = 4;
    for (uint32_t i = 0; i < 2 * VKT_COUNT(blended_formats); i++) {
        tested_format = find_format(blended_formats[i / 2]);
        in_secondaries = i % 2;
        if (has_feature(vkt_device(VKT_REFERENCE), tested_format->format, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT))
            compare_scene(changing_scene, &tested_format->format, 1);
    }
    roundings = 1;
}

/* ---------------------------------------------------------------- several color attachments */

static const VkFormat mixed[COLORS] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32_UINT, VK_FORMAT_R16G16B16A16_SFLOAT,
                                       VK_FORMAT_R8_SINT};

/* Two quads, the first one in front; a partial clear of two of the targets; and a third quad over it. */
static void mixed_scene(struct vkt *t, struct texels *out)
{
    struct targets targets = targets_create(t, mixed, COLORS, VK_FORMAT_D16_UNORM, false);
    struct vkt_pipeline_info info = {
        .vs = VKT_SHADER(targets_vert),
        .fs = VKT_SHADER(targets_mixed_frag),
        .pass = targets.pass,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
        .depth_test = true,
        .depth_write = true,
        .depth_compare = VK_COMPARE_OP_LESS,
        .width = W,
        .height = H,
        .color_count = COLORS,
        .push_size_B = sizeof(struct push),
    };
    const struct push pushes[] = {
        {.offset = {0.25f, 1, 2, 3}, .rect = {-1, -1, 0.5f, 0.5f}, .depth = 0.25f},
        {.offset = {0.5f, 7, -20, 1}, .rect = {-0.5f, -0.5f, 1, 1}, .depth = 0.5f},
        {.offset = {1, 9, 30, -4}, .rect = {-0.75f, 0, 0.75f, 0.75f}, .depth = 0.375f},
    };
    const VkClearRect rect = {{{5, 7}, {30, 20}}, 0, 1};
    const VkClearAttachment clears[] = {
        {VK_IMAGE_ASPECT_COLOR_BIT, 1, {.color = {.uint32 = {123456, 654321}}}},
        {VK_IMAGE_ASPECT_COLOR_BIT, 2, {.color = {.float32 = {0.5f, 1.5f, -2, 8}}}},
    };
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    begin_pass(cmd, &targets);
    draw(cmd, &pipeline, &pushes[0]);
    draw(cmd, &pipeline, &pushes[1]);
    vkCmdClearAttachments(cmd, VKT_COUNT(clears), clears, 1, &rect);
    draw(cmd, &pipeline, &pushes[2]);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    read_targets(t, &targets, out);
    vkt_pipeline_destroy(t, &pipeline);
    targets_destroy(t, &targets);
}

/* Four targets of one shader, each with its own blending and write mask. */
static const VkFormat own_blendings[][COLORS] = {
    {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R16G16B16A16_UNORM, VK_FORMAT_B8G8R8A8_UNORM},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_SFLOAT},
    {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_R32_SFLOAT},
};
static const VkFormat *own_formats;

static void own_blendings_scene(struct vkt *t, struct texels *out)
{
    struct targets targets = targets_create(t, own_formats, COLORS, VK_FORMAT_UNDEFINED, false);
    VkPipelineColorBlendAttachmentState blends[COLORS] = {
        by_own_alpha, by_own_alpha, {.colorWriteMask = 0xf}, by_own_alpha};
    blends[0].colorBlendOp = VK_BLEND_OP_MAX;
    blends[1].colorWriteMask = 0x9;
    blends[3].srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
    blends[3].dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    struct vkt_pipeline_info info = {
        .vs = VKT_SHADER(targets_vert),
        .fs = VKT_SHADER(targets_four_frag),
        .pass = targets.pass,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
        .blends = blends,
        .blend_constants = {0.25f, 0.5f, 0.75f, 0.625f},
        .width = W,
        .height = H,
        .color_count = COLORS,
        .push_size_B = sizeof(struct push),
    };
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    begin_pass(cmd, &targets);
    for (int i = 0; i < 3; i++) {
        struct push push = push_for(NORM);
        push.rect[0] = -1 + 0.25f * (float)i;
        push.rect[3] = 1 - 0.5f * (float)i;
        for (int c = 0; c < 4; c++)
            push.scale[c] *= 0.75f;
        draw(cmd, &pipeline, &push);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    read_targets(t, &targets, out);
    vkt_pipeline_destroy(t, &pipeline);
    targets_destroy(t, &targets);
}

static void targets_are_blended_each_in_its_own_way(void **state)
{
    roundings = 3;
    for (uint32_t i = 0; i < VKT_COUNT(own_blendings); i++) {
        own_formats = own_blendings[i];
        compare_scene(own_blendings_scene, own_formats, COLORS);
    }
    roundings = 1;
}

static void several_targets_of_several_kinds(void **state)
{
    compare_scene(mixed_scene, mixed, COLORS);
}

/* ---------------------------------------------------------------- pixels that are read and written */

static VkPipelineLayout own_layout(struct vkt *t, VkDescriptorSetLayout set_layout)
{
    VkPipelineLayout layout;
    vkt_ok(vkCreatePipelineLayout(
        t->device,
        &(VkPipelineLayoutCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
            .setLayoutCount = 1,
            .pSetLayouts = &set_layout,
            .pushConstantRangeCount = 1,
            .pPushConstantRanges = &(VkPushConstantRange){VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                                                          sizeof(struct push)},
        },
        NULL, &layout));
    return layout;
}

/* Each pixel is read and written three times. The components are permuted, so no word may be written before all are
 * read. */
static void pixels_are_read_and_written(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const VkFormat format = VK_FORMAT_R32G32B32A32_UINT;
    static const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    struct targets targets = targets_create(t, &format, 1, VK_FORMAT_UNDEFINED, true);
    VkDescriptorSetLayout set_layout = vkt_set_layout_create(t, &binding, 1);
    VkPipelineLayout layout = own_layout(t, set_layout);
    VkDescriptorSet set = vkt_set_alloc(t, set_layout);
    vkUpdateDescriptorSets(t->device, 1,
                           &(VkWriteDescriptorSet){
                               .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                               .dstSet = set,
                               .descriptorCount = 1,
                               .descriptorType = binding.type,
                               .pImageInfo = &(VkDescriptorImageInfo){.imageView = targets.colors[0].view,
                                                                      .imageLayout = VK_IMAGE_LAYOUT_GENERAL},
                           },
                           0, NULL);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                              .vs = VKT_SHADER(targets_vert),
                                                              .fs = VKT_SHADER(self_read_frag),
                                                              .pass = targets.pass,
                                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                              .width = W,
                                                              .height = H,
                                                              .push_size_B = sizeof(struct push),
                                                              .set_layouts = {set_layout},
                                                              .set_layout_count = 1,
                                                          });
    VkCommandBuffer cmd = vkt_begin(t);
    begin_pass(cmd, &targets);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        draw(cmd, &pipeline, &(struct push){.rect = {-1, -1, 1, 1}});
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                             VK_DEPENDENCY_BY_REGION_BIT, 1,
                             &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                                .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                                .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT},
                             0, NULL, 0, NULL);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);

    static uint32_t got[W * H][4];
    uint32_t expected[4] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t old[4] = {expected[3], expected[0], expected[1], expected[2]}; /* wxyz */
        for (uint32_t c = 0; c < 4; c++)
            expected[c] = old[c] + c + 1;
    }
    vkt_read_image(t, &targets.colors[0], 0, 0, got, sizeof got);
    for (uint32_t i = 0; i < W * H; i++)
        assert_memory_equal(got[i], expected, sizeof expected);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyPipelineLayout(t->device, layout, NULL);
    vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
    targets_destroy(t, &targets);
}

/* ---------------------------------------------------------------- depth that is tested and read */

static VkRenderPass depth_reading_pass(struct vkt *t, VkFormat color, VkFormat depth)
{
    const VkImageLayout read_only = VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL;
    VkAttachmentDescription attachments[] = {attachment(color, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
                                             attachment(depth, read_only)};
    const VkAttachmentReference color_ref = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference write_ref = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
                                read_ref = {1, read_only};
    const VkSubpassDescription subpasses[] = {
        {.pDepthStencilAttachment = &write_ref},
        {.colorAttachmentCount = 1,
         .pColorAttachments = &color_ref,
         .inputAttachmentCount = 1,
         .pInputAttachments = &read_ref,
         .pDepthStencilAttachment = &read_ref},
    };
    const VkSubpassDependency dependencies[] = {
        /* The second subpass reads and tests the depth, and its store operation runs at the end of that subpass. */
        {0, 1, VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
         VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
             VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
         VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
         VK_ACCESS_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
             VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
         0},
        {1, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
         VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT, 0},
    };
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .attachmentCount = 2,
                                  .pAttachments = attachments,
                                  .subpassCount = 2,
                                  .pSubpasses = subpasses,
                                  .dependencyCount = 2,
                                  .pDependencies = dependencies,
                              },
                              NULL, &pass));
    return pass;
}

static const VkFormat shown = VK_FORMAT_R8G8B8A8_UNORM;

/* The first subpass draws two depths. The second shows them wherever a quad between them passes the depth test. */
static void depth_scene(struct vkt *t, struct texels *out)
{
    const VkFormat depth = VK_FORMAT_D16_UNORM;
    static const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    struct targets targets = {.count = 1, .pass = depth_reading_pass(t, shown, depth)};
    targets.colors[0] = vkt_image_create(
        t, &(struct vkt_image_info){.format = shown,
                                    .width = W,
                                    .height = H,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    targets.depth = vkt_image_create(t, &(struct vkt_image_info){.format = depth,
                                                                 .width = W,
                                                                 .height = H,
                                                                 .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                                                          VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT});
    targets.framebuffer =
        framebuffer_create(t, targets.pass, (VkImageView[]){targets.colors[0].view, targets.depth.view}, 2);
    VkDescriptorSetLayout set_layout = vkt_set_layout_create(t, &binding, 1);
    VkDescriptorSet set = vkt_set_alloc(t, set_layout);
    vkUpdateDescriptorSets(
        t->device, 1,
        &(VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .descriptorCount = 1,
            .descriptorType = binding.type,
            .pImageInfo =
                &(VkDescriptorImageInfo){.imageView = targets.depth.view,
                                         .imageLayout = VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL},
        },
        0, NULL);
    struct vkt_pipeline_info info = {
        .vs = VKT_SHADER(targets_vert),
        .pass = targets.pass,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
        .depth_test = true,
        .depth_write = true,
        .depth_compare = VK_COMPARE_OP_LESS,
        .width = W,
        .height = H,
        .push_size_B = sizeof(struct push),
    };
    struct vkt_pipeline writing = vkt_pipeline_create(t, &info);
    info.fs = VKT_SHADER(depth_read_frag);
    info.subpass = 1;
    info.depth_write = false;
    info.set_layouts[0] = set_layout;
    info.set_layout_count = 1;
    struct vkt_pipeline reading = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    begin_pass(cmd, &targets);
    draw(cmd, &writing, &(struct push){.rect = {-1, -1, 0, 1}, .depth = 0.75f});
    draw(cmd, &writing, &(struct push){.rect = {-0.5f, -0.5f, 0.5f, 0.5f}, .depth = 0.25f});
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, reading.layout, 0, 1, &set, 0, NULL);
    draw(cmd, &reading, &(struct push){.rect = {-1, -1, 1, 1}, .depth = 0.5f});
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    read_targets(t, &targets, out);
    vkt_pipeline_destroy(t, &writing);
    vkt_pipeline_destroy(t, &reading);
    vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
    targets_destroy(t, &targets);
}

static void depth_is_tested_and_read(void **state)
{
    compare_scene(depth_scene, &shown, 1);
}

/* ---------------------------------------------------------------- slices, usages of views */

/* An image that is written as UNORM storage image and sampled as sRGB, which does not support storage. */
static void usages_of_views_count(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const VkFormat format = VK_FORMAT_R8G8B8A8_SRGB;
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    VkImageFormatProperties p;
    assert_int_equal(vkGetPhysicalDeviceImageFormatProperties(t->physical, format, VK_IMAGE_TYPE_2D,
                                                              VK_IMAGE_TILING_OPTIMAL, usage,
                                                              VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, &p),
                     VK_ERROR_FORMAT_NOT_SUPPORTED);
    vkt_ok(vkGetPhysicalDeviceImageFormatProperties(
        t->physical, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, usage,
        VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT, &p));
}

/* A slice of a 3D image is a color attachment. */
static void slices_are_rendered_to(void **state)
{
    enum { DEPTH = 5, SLICE = 3 };
    struct vkt *t = vkt_device(VKT_TESTED);
    const VkFormat format = VK_FORMAT_R32_UINT;
    struct targets targets = {.count = 1, .pass = pass_create(t, &format, 1, VK_FORMAT_UNDEFINED, false)};
    targets.colors[0] = vkt_image_create(t, &(struct vkt_image_info){.format = format,
                                                                     .width = W,
                                                                     .height = H,
                                                                     .depth = DEPTH,
                                                                     .tiling = tiling_of(t),
                                                                     .flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT,
                                                                     .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                              VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                                              VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    VkImageView slice;
    vkt_ok(vkCreateImageView(t->device,
                             &(VkImageViewCreateInfo){
                                 .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                 .image = targets.colors[0].image,
                                 .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                 .format = format,
                                 .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, SLICE, 1},
                             },
                             NULL, &slice));
    targets.framebuffer = framebuffer_create(t, targets.pass, &slice, 1);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                              .vs = VKT_SHADER(targets_vert),
                                                              .fs = VKT_SHADER(targets_uint_frag),
                                                              .pass = targets.pass,
                                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                              .width = W,
                                                              .height = H,
                                                              .push_size_B = sizeof(struct push),
                                                          });
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &targets.colors[0], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(cmd, targets.colors[0].image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         &(VkClearColorValue){.uint32 = {77}}, 1,
                         &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
    vkt_image_barrier(cmd, &targets.colors[0], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    begin_pass(cmd, &targets);
    draw(cmd, &pipeline, &(struct push){.scale = {2, 0, 0, 0}, .offset = {5, 0, 0, 0}, .rect = {-1, -1, 1, 1}});
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    static uint32_t got[DEPTH][W * H];
    vkt_read_image(t, &targets.colors[0], 0, 0, got, sizeof got);
    for (uint32_t z = 0; z < DEPTH; z++)
        for (uint32_t i = 0; i < W * H; i++)
            assert_int_equal(got[z][i], z == SLICE ? 2 * (i % W) + 5 : 77);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyImageView(t->device, slice, NULL);
    targets_destroy(t, &targets);
}

/* ---------------------------------------------------------------- linear tiling */

/* What optimal tiling can do, in images whose texels are in rows: no word of a texel has a plane of its own, and small
 * texels are not widened. */
static void formats_in_rows_are_rendered(void **state)
{
    in_rows = true;
    every_format_is_rendered(state);
    write_masks_keep_components(state);
    formats_are_blended(state);
    formats_are_blended_by_their_alpha(state);
    in_rows = false;
}

static void rows_are_rendered_with_others(void **state)
{
    in_rows = true;
    several_targets_of_several_kinds(state);
    targets_are_blended_each_in_its_own_way(state);
    blending_changes_within_a_pass(state);
    pixels_are_read_and_written(state);
    slices_are_rendered_to(state);
    in_rows = false;
}

/* Draws to a level and a layer of an image in rows; all other texels keep what they are cleared to. */
static void draw_to_level(VkFormat format, uint32_t components, uint32_t component_B)
{
    enum { LEVELS = 3, LAYERS = 3, LEVEL = 1, LAYER = 2 };
    struct vkt *t = vkt_device(VKT_TESTED);
    struct targets targets = {.count = 1, .pass = pass_create(t, &format, 1, VK_FORMAT_UNDEFINED, false)};
    targets.colors[0] = vkt_image_create(t, &(struct vkt_image_info){.format = format,
                                                                     .width = W << LEVEL,
                                                                     .height = H << LEVEL,
                                                                     .levels = LEVELS,
                                                                     .layers = LAYERS,
                                                                     .array = true,
                                                                     .tiling = VK_IMAGE_TILING_LINEAR,
                                                                     .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                              VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                                              VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    const VkImageViewCreateInfo view_info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = targets.colors[0].image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, LEVEL, 1, LAYER, 1},
    };
    VkImageView view;
    vkt_ok(vkCreateImageView(t->device, &view_info, NULL, &view));
    targets.framebuffer = framebuffer_create(t, targets.pass, &view, 1);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                              .vs = VKT_SHADER(targets_vert),
                                                              .fs = VKT_SHADER(targets_uint_frag),
                                                              .pass = targets.pass,
                                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                              .width = W,
                                                              .height = H,
                                                              .push_size_B = sizeof(struct push),
                                                          });
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &targets.colors[0], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(cmd, targets.colors[0].image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         &(VkClearColorValue){.uint32 = {77, 78, 79, 80}}, 1,
                         &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, LEVELS, 0, LAYERS});
    vkt_image_barrier(cmd, &targets.colors[0], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    begin_pass(cmd, &targets);
    draw(cmd, &pipeline,
         &(struct push){.scale = {2, 0, 1, 0}, .offset = {5, 6, 7, 8}, .rect = {-1, -1, 1, 1}}); /* x, y, x + y, ... */
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    static uint8_t got[(W << LEVEL) * (H << LEVEL) * 16];
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint32_t layer = 0; layer < LAYERS; layer++) {
            const uint32_t width = W << LEVEL >> level, texels = width * (H << LEVEL >> level);
            vkt_read_image(t, &targets.colors[0], level, layer, got, texels * components * component_B);
            for (uint32_t i = 0; i < texels * components; i++) {
                const uint32_t at = i / components, c = i % components, x = at % width, y = at / width;
                const uint32_t drawn[] = {2 * x + 5, 6, x + y + 7, 8};
                uint32_t value = 0;
                memcpy(&value, got + i * component_B, component_B);
                if (value != (level == LEVEL && layer == LAYER ? drawn[c] : 77 + c))
                    fail_msg("format %d, level %u, layer %u, pixel (%u, %u), component %u: %u", format, level, layer, x,
                             y, c, value);
            }
        }
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyImageView(t->device, view, NULL);
    targets_destroy(t, &targets);
}

static void levels_in_rows_are_rendered_to(void **state)
{
    draw_to_level(VK_FORMAT_R8_UINT, 1, 1);
    draw_to_level(VK_FORMAT_R8G8_UINT, 2, 1);
    draw_to_level(VK_FORMAT_R16_UINT, 1, 2);
    draw_to_level(VK_FORMAT_R8G8B8A8_UINT, 4, 1);
    draw_to_level(VK_FORMAT_R16G16B16A16_UINT, 4, 2);
    draw_to_level(VK_FORMAT_R32G32B32A32_UINT, 4, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_format_has_a_row, vkt_check_messages),
        cmocka_unit_test_teardown(every_format_is_rendered, vkt_check_messages),
        cmocka_unit_test_teardown(write_masks_keep_components, vkt_check_messages),
        cmocka_unit_test_teardown(formats_are_blended, vkt_check_messages),
        cmocka_unit_test_teardown(formats_are_blended_by_their_alpha, vkt_check_messages),
        cmocka_unit_test_teardown(blending_changes_within_a_pass, vkt_check_messages),
        cmocka_unit_test_teardown(several_targets_of_several_kinds, vkt_check_messages),
        cmocka_unit_test_teardown(targets_are_blended_each_in_its_own_way, vkt_check_messages),
        cmocka_unit_test_teardown(pixels_are_read_and_written, vkt_check_messages),
        cmocka_unit_test_teardown(depth_is_tested_and_read, vkt_check_messages),
        cmocka_unit_test_teardown(slices_are_rendered_to, vkt_check_messages),
        cmocka_unit_test_teardown(usages_of_views_count, vkt_check_messages),
        cmocka_unit_test_teardown(formats_in_rows_are_rendered, vkt_check_messages),
        cmocka_unit_test_teardown(rows_are_rendered_with_others, vkt_check_messages),
        cmocka_unit_test_teardown(levels_in_rows_are_rendered_to, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("targets", tests, NULL, vkt_teardown);
}
