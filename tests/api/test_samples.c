/* SPDX-License-Identifier: MIT
 *
 * Images with four samples: drawing, reads of single samples, copies, clears and resolves. Everything is compared with
 * the reference driver, which also uses Vulkan's standard sample locations.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "full.vert.h"
#include "samples.vert.h"
#include "samples_color.frag.h"
#include "samples_depth.frag.h"
#include "samples_id.frag.h"
#include "samples_input.frag.h"
#include "samples_interpolate.frag.h"
#include "samples_mask.frag.h"
#include "samples_mask_early.frag.h"
#include "samples_out_float.frag.h"
#include "samples_out_int.frag.h"
#include "samples_out_uint.frag.h"
#include "samples_shaded.frag.h"
#include "samples_store.comp.h"
#include "samples_swap.comp.h"
#include "samples_three.frag.h"
#include "samples_three_counted.frag.h"
#include "targets_float.frag.h"
#include "targets_int.frag.h"
#include "targets_uint.frag.h"

#define COLORS 3u
#define EDGES  12u /* permille of texels that may differ: vertices are rounded to 1/16 pixel */

/* Size of all targets: more than one tile, and not a multiple of the tile size. */
static uint32_t width = 40, height = 36;

enum kind { NORM, UNSIGNED, SIGNED, FLOATS };

struct format {
    VkFormat format;
    enum kind kind;
    uint32_t texel_B;
    uint8_t bits[4]; /* of the components, from the lowest bit up */
};

static const struct format formats[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, NORM, 4, {8, 8, 8, 8}},
    {VK_FORMAT_B8G8R8A8_UNORM, NORM, 4, {8, 8, 8, 8}},
    {VK_FORMAT_R8G8B8A8_SRGB, NORM, 4, {8, 8, 8, 8}},
    {VK_FORMAT_R8_UNORM, NORM, 1, {8}},
    {VK_FORMAT_R8G8_UNORM, NORM, 2, {8, 8}},
    {VK_FORMAT_R5G6B5_UNORM_PACK16, NORM, 2, {5, 6, 5}},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, NORM, 4, {10, 10, 10, 2}},
    {VK_FORMAT_R16G16_UNORM, NORM, 4, {16, 16}},
    {VK_FORMAT_R16G16B16A16_SFLOAT, FLOATS, 8, {16, 16, 16, 16}},
    {VK_FORMAT_R32_SFLOAT, FLOATS, 4, {32}},
    {VK_FORMAT_R32G32B32_SFLOAT, FLOATS, 12, {32, 32, 32}},
    {VK_FORMAT_R32G32B32A32_SFLOAT, FLOATS, 16, {32, 32, 32, 32}},
    {VK_FORMAT_R8G8B8A8_UINT, UNSIGNED, 4, {8, 8, 8, 8}},
    {VK_FORMAT_R16_UINT, UNSIGNED, 2, {16}},
    {VK_FORMAT_R32G32_UINT, UNSIGNED, 8, {32, 32}},
    {VK_FORMAT_R8G8B8A8_SINT, SIGNED, 4, {8, 8, 8, 8}},
    {VK_FORMAT_R32G32B32_SINT, SIGNED, 12, {32, 32, 32}},
    {VK_FORMAT_R32G32B32A32_SINT, SIGNED, 16, {32, 32, 32, 32}},
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

static bool is_close(const struct format *f, uint32_t a, uint32_t b, uint32_t bits)
{
    float x, y;
    switch (f->kind) {
    case NORM:
        return a == b || a + 1 == b || b + 1 == a;
    case FLOATS:
        memcpy(&x, &a, 4);
        memcpy(&y, &b, 4);
        x = bits == 16 ? half(a) : x;
        y = bits == 16 ? half(b) : y;
        return fabsf(x - y) <= fabsf(y) * (bits == 16 ? 0x1p-9f : 0x1p-16f);
    default:
        return a == b;
    }
}

static bool is_close_texel(const struct format *f, const uint8_t *expected, const uint8_t *got)
{
    uint8_t a[20] = {0}, b[20] = {0};
    memcpy(a, expected, f->texel_B);
    memcpy(b, got, f->texel_B);
    bool all_close = true;
    for (uint32_t i = 0, shift = 0; i < 4 && f->bits[i]; shift += f->bits[i++])
        all_close &= is_close(f, component(a, shift, f->bits[i]), component(b, shift, f->bits[i]), f->bits[i]);
    return all_close;
}

/* ---------------------------------------------------------------- the output of a scene */

/* The contents of the images that a scene has read back, one after the other. */
struct output {
    uint8_t *data;
    uint32_t count; /* number of images */
    struct {
        const struct format *format;
        uint32_t width_px, height_px, at_B;
    } pictures[8];
    uint32_t size_B;
};

static void add_image(struct vkt *t, struct output *out, const struct vkt_image *image, const struct format *format)
{
    const uint32_t size_B = image->width * image->height * format->texel_B, n = out->count++;
    assert_true(n < VKT_COUNT(out->pictures));
    out->data = realloc(out->data, out->size_B + size_B);
    assert_non_null(out->data);
    vkt_read_image(t, image, 0, 0, out->data + out->size_B, size_B);
    out->pictures[n].format = format;
    out->pictures[n].width_px = image->width;
    out->pictures[n].height_px = image->height;
    out->pictures[n].at_B = out->size_B;
    out->size_B += size_B;
}

typedef void (*scene_function)(struct vkt *t, struct output *out);

/* Compares the output with the reference's. Edges may pass through a sample, so `bad_permille` of the texels may
 * differ. */
static void compare(scene_function scene, uint32_t bad_permille)
{
    struct output expected = {0}, got = {0};
    scene(vkt_device(VKT_REFERENCE), &expected);
    scene(vkt_device(VKT_TESTED), &got);
    assert_int_equal(expected.count, got.count);
    for (uint32_t p = 0; p < got.count; p++) {
        const struct format *f = got.pictures[p].format;
        const uint32_t row = got.pictures[p].width_px, texels = row * got.pictures[p].height_px;
        uint32_t bad = 0, first = 0;
        for (uint32_t i = 0; i < texels; i++) {
            const uint32_t at_B = got.pictures[p].at_B + i * f->texel_B;
            if (!is_close_texel(f, expected.data + at_B, got.data + at_B) && !bad++)
                first = i;
        }
        if (bad * 1000 > texels * bad_permille) {
            const uint8_t *e = expected.data + got.pictures[p].at_B + first * f->texel_B,
                          *g = got.data + got.pictures[p].at_B + first * f->texel_B;
            fail_msg("image %u, format %d: %u of %u texels, first (%u, %u): %02x%02x%02x%02x not %02x%02x%02x%02x", p,
                     f->format, bad, texels, first % row, first / row, g[0], g[1 % f->texel_B], g[2 % f->texel_B],
                     g[3 % f->texel_B], e[0], e[1 % f->texel_B], e[2 % f->texel_B], e[3 % f->texel_B]);
        }
    }
    free(expected.data);
    free(got.data);
}

/* ---------------------------------------------------------------- passes */

struct pass_info {
    uint32_t count; /* number of color attachments */
    VkFormat colors[COLORS];
    VkFormat depth;
    bool resolves; /* resolves the colors into single-sample images */
    VkAttachmentLoadOp load;
    VkAttachmentStoreOp store;
};

struct targets {
    struct pass_info info;
    struct vkt_image colors[COLORS], resolved[COLORS], depth;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
};

static VkAttachmentDescription attachment(VkFormat format, uint32_t samples, const struct pass_info *info,
                                          VkImageLayout layout)
{
    return (VkAttachmentDescription){
        .format = format,
        .samples = samples,
        .loadOp = info->load,
        .storeOp = info->store,
        .stencilLoadOp = info->load,
        .stencilStoreOp = info->store,
        .initialLayout = info->load == VK_ATTACHMENT_LOAD_OP_LOAD ? layout : VK_IMAGE_LAYOUT_UNDEFINED,
        .finalLayout = layout,
    };
}

static VkRenderPass pass_create(struct vkt *t, const struct pass_info *info)
{
    VkAttachmentDescription attachments[2 * COLORS + 1];
    VkAttachmentReference colors[COLORS], resolves[COLORS], depth;
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->count; i++) {
        colors[i] = (VkAttachmentReference){count, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
        attachments[count++] = attachment(info->colors[i], 4, info, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    for (uint32_t i = 0; i < info->count && info->resolves; i++) {
        resolves[i] = (VkAttachmentReference){count, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
        attachments[count] = attachment(info->colors[i], 1, info, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        attachments[count++].storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    }
    depth = (VkAttachmentReference){count, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    if (info->depth)
        attachments[count++] = attachment(info->depth, 4, info, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    const VkSubpassDescription subpass = {
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .colorAttachmentCount = info->count,
        .pColorAttachments = colors,
        .pResolveAttachments = info->resolves ? resolves : NULL,
        .pDepthStencilAttachment = info->depth ? &depth : NULL,
    };
    const VkSubpassDependency dependencies[] = {
        {VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
         VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, 0},
        {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
         VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT, 0},
    };
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .attachmentCount = count,
                                  .pAttachments = attachments,
                                  .subpassCount = 1,
                                  .pSubpasses = &subpass,
                                  .dependencyCount = 2,
                                  .pDependencies = dependencies,
                              },
                              NULL, &pass));
    return pass;
}

static struct vkt_image image_create(struct vkt *t, VkFormat format, uint32_t samples, VkImageUsageFlags usage)
{
    return vkt_image_create(
        t, &(struct vkt_image_info){
               .format = format, .width = width, .height = height, .samples = samples, .usage = usage});
}

static struct targets targets_create(struct vkt *t, const struct pass_info *info)
{
    const VkImageUsageFlags usage =
        VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    struct targets out = {.info = *info, .pass = pass_create(t, info)};
    VkImageView views[2 * COLORS + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->count; i++) {
        out.colors[i] = image_create(t, info->colors[i], 4, usage | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
        views[count++] = out.colors[i].view;
    }
    for (uint32_t i = 0; i < info->count && info->resolves; i++) {
        out.resolved[i] = image_create(t, info->colors[i], 1, usage | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
        views[count++] = out.resolved[i].view;
    }
    if (info->depth) {
        out.depth = image_create(t, info->depth, 4, usage | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
        views[count++] = out.depth.view;
    }
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){
                                   .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = out.pass,
                                   .attachmentCount = count,
                                   .pAttachments = views,
                                   .width = width,
                                   .height = height,
                                   .layers = 1,
                               },
                               NULL, &out.framebuffer));
    return out;
}

static void targets_destroy(struct vkt *t, struct targets *targets)
{
    vkDestroyFramebuffer(t->device, targets->framebuffer, NULL);
    vkDestroyRenderPass(t->device, targets->pass, NULL);
    for (uint32_t i = 0; i < COLORS; i++) {
        vkt_image_destroy(t, &targets->colors[i]);
        vkt_image_destroy(t, &targets->resolved[i]);
    }
    vkt_image_destroy(t, &targets->depth);
}

static void begin_with(VkCommandBuffer cmd, const struct targets *targets, VkRenderPass pass, VkRect2D area,
                       VkSubpassContents contents)
{
    VkClearValue clears[2 * COLORS + 1] = {0};
    const uint32_t depth = targets->info.count * (targets->info.resolves ? 2 : 1);
    for (uint32_t i = 0; i < targets->info.count; i++) {
        const enum kind kind = find_format(targets->info.colors[i])->kind;
        for (uint32_t c = 0; c < 4; c++) {
            if (kind == UNSIGNED || kind == SIGNED)
                clears[i].color.uint32[c] = 3 + c;
            else
                clears[i].color.float32[c] = 0.25f * (float)c;
        }
    }
    clears[depth].depthStencil = (VkClearDepthStencilValue){0.75f, 3};
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){
                             .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                             .renderPass = pass,
                             .framebuffer = targets->framebuffer,
                             .renderArea = area,
                             .clearValueCount = depth + 1,
                             .pClearValues = clears,
                         },
                         contents);
}

static void begin_area(VkCommandBuffer cmd, const struct targets *targets, VkRenderPass pass, VkRect2D area)
{
    begin_with(cmd, targets, pass, area, VK_SUBPASS_CONTENTS_INLINE);
}

static void begin_pass(VkCommandBuffer cmd, const struct targets *targets)
{
    begin_area(cmd, targets, targets->pass, (VkRect2D){{0, 0}, {width, height}});
}

/* ---------------------------------------------------------------- draws */

struct push {
    float scale[4], offset[4], corners[6], depth;
};

static void draw(VkCommandBuffer cmd, const struct vkt_pipeline *pipeline, const struct push *push)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->pipeline);
    vkCmdPushConstants(cmd, pipeline->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                       sizeof *push, push);
    vkCmdDraw(cmd, 3, 1, 0, 0);
}

static const VkPipelineMultisampleStateCreateInfo four_samples = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT};

static struct vkt_pipeline_info pipeline_info(const struct targets *targets, struct vkt_shader fs)
{
    return (struct vkt_pipeline_info){
        .vs = VKT_SHADER(samples_vert),
        .fs = fs,
        .pass = targets->pass,
        .color_count = targets->info.count,
        .topology = VKT_TRIANGLES,
        .width = width,
        .height = height,
        .push_size_B = sizeof(struct push),
        .multisample = &four_samples,
    };
}

static struct vkt_shader color_shader(enum kind kind)
{
    return kind == UNSIGNED ? VKT_SHADER(targets_uint_frag)
           : kind == SIGNED ? VKT_SHADER(targets_int_frag)
                            : VKT_SHADER(targets_float_frag);
}

/* Push constants with values that the format can hold; the two triangles have edges of many slopes. */
static struct push push_for(enum kind kind, uint32_t triangle)
{
    static const struct push pushes[] = {
        [NORM] = {{1 / 64.0f, 1 / 48.0f, 1 / 112.0f, 1 / 64.0f}, {0}},
        [UNSIGNED] = {{2, 3, 2, 0.03125f}, {1, 0, 1, 0}},
        [SIGNED] = {{2, 3, 1, 1}, {-64, -72, -56, -32}},
        [FLOATS] = {{0.75f, -1.5f, 3, 0.0009765625f}, {-20, 0.125f, 0, 1}},
    };
    static const float corners[2][6] = {{-0.93f, -0.81f, 0.88f, -0.37f, -0.21f, 0.97f},
                                        {0.77f, 0.93f, -0.83f, 0.41f, 0.13f, -0.95f}};
    struct push push = pushes[kind];
    memcpy(push.corners, corners[triangle], sizeof push.corners);
    push.depth = triangle ? 0.25f : 0.5f;
    for (uint32_t i = 0; i < 4 && triangle; i++)
        push.scale[i] = pushes[kind].scale[3 - i];
    return push;
}

/* ---------------------------------------------------------------- reading samples */

/* Reads all samples of an image in layout SHADER_READ_ONLY as the pixels of a single-sample image. */
static void add_samples(struct vkt *t, struct output *out, VkImageView view, const struct format *format)
{
    VkImageView views[1];
    VkFramebuffer framebuffer;
    VkRenderPass pass;
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = format->format,
                                    .width = 2 * width,
                                    .height = 2 * height,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    const VkAttachmentDescription color = {
        .format = format->format,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
    };
    const VkAttachmentReference ref = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &ref};
    const VkSubpassDependency dependency = {0,
                                            VK_SUBPASS_EXTERNAL,
                                            VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
                                            VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                            VK_ACCESS_MEMORY_WRITE_BIT,
                                            VK_ACCESS_MEMORY_READ_BIT,
                                            0};
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .attachmentCount = 1,
                                  .pAttachments = &color,
                                  .subpassCount = 1,
                                  .pSubpasses = &subpass,
                                  .dependencyCount = 1,
                                  .pDependencies = &dependency,
                              },
                              NULL, &pass));
    views[0] = image.view;
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){
                                   .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = pass,
                                   .attachmentCount = 1,
                                   .pAttachments = views,
                                   .width = 2 * width,
                                   .height = 2 * height,
                                   .layers = 1,
                               },
                               NULL, &framebuffer));
    VkDescriptorSetLayout layout = vkt_set_layout_create(
        t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1}, 1);
    VkSampler sampler = vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                           VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_texture(t, set, 0, view, sampler);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                   .vs = VKT_SHADER(full_vert),
                                   .fs = format->kind == UNSIGNED ? VKT_SHADER(samples_out_uint_frag)
                                         : format->kind == SIGNED ? VKT_SHADER(samples_out_int_frag)
                                                                  : VKT_SHADER(samples_out_float_frag),
                                   .pass = pass,
                                   .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                   .width = 2 * width,
                                   .height = 2 * height,
                                   .set_layouts = {layout},
                                   .set_layout_count = 1,
                               });
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){
                             .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                             .renderPass = pass,
                             .framebuffer = framebuffer,
                             .renderArea = {{0, 0}, {2 * width, 2 * height}},
                         },
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    add_image(t, out, &image, format);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroySampler(t->device, sampler, NULL);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkDestroyFramebuffer(t->device, framebuffer, NULL);
    vkDestroyRenderPass(t->device, pass, NULL);
    vkt_image_destroy(t, &image);
}

/* ---------------------------------------------------------------- every format */

static const struct format *tested_format;
static VkPipelineColorBlendAttachmentState blend;
static bool shades_samples; /* the second draw does */

static void resolve_image(VkCommandBuffer cmd, const struct vkt_image *from, const struct vkt_image *to)
{
    vkt_image_barrier(cmd, from, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_image_barrier(cmd, to, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkImageResolve region = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                   .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                   .extent = {width, height, 1}};
    vkCmdResolveImage(cmd, from->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to->image,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    vkt_image_barrier(cmd, from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkt_image_barrier(cmd, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

static void format_scene(struct vkt *t, struct output *out)
{
    struct targets targets = targets_create(
        t, &(struct pass_info){
               .count = 1, .colors = {tested_format->format}, .resolves = true, .load = VK_ATTACHMENT_LOAD_OP_CLEAR});
    struct push push = push_for(tested_format->kind, 0), second = push_for(tested_format->kind, 1);
    struct vkt_pipeline_info info = pipeline_info(&targets, color_shader(tested_format->kind));
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &info);
    VkPipelineMultisampleStateCreateInfo multisampling = four_samples;
    multisampling.sampleShadingEnable = shades_samples;
    multisampling.minSampleShading = 1;
    info.multisample = &multisampling;
    info.blend = blend;
    struct vkt_pipeline over = vkt_pipeline_create(t, &info);
    struct vkt_image again =
        image_create(t, tested_format->format, 1, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    VkCommandBuffer cmd = vkt_begin(t);
    begin_pass(cmd, &targets);
    draw(cmd, &pipeline, &push);
    draw(cmd, &over, &second);
    vkCmdEndRenderPass(cmd);
    resolve_image(cmd, &targets.colors[0], &again);
    vkt_end_submit(t, cmd);
    if (2 * width <= 4096 && 2 * height <= 4096)
        add_samples(t, out, targets.colors[0].view, tested_format);
    add_image(t, out, &targets.resolved[0], tested_format);
    add_image(t, out, &again, tested_format);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_pipeline_destroy(t, &over);
    vkt_image_destroy(t, &again);
    targets_destroy(t, &targets);
}

static void compare_formats(bool only_blended)
{
    for (size_t i = 0; i < VKT_COUNT(formats); i++) {
        VkFormatProperties properties;
        tested_format = &formats[i];
        vkGetPhysicalDeviceFormatProperties(vkt_device(VKT_TESTED)->physical, tested_format->format, &properties);
        if (only_blended && !(properties.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT))
            continue;
        compare(format_scene, EDGES);
    }
}

static void every_format_has_samples(void **state)
{
    blend = (VkPipelineColorBlendAttachmentState){0};
    compare_formats(false);
}

static void samples_are_blended(void **state)
{
    blend = (VkPipelineColorBlendAttachmentState){
        .blendEnable = VK_TRUE,
        .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO,
        .colorWriteMask = 0xf,
    };
    compare_formats(true);
}

static void samples_are_blended_by_their_alpha(void **state)
{
    blend = (VkPipelineColorBlendAttachmentState){
        .blendEnable = VK_TRUE,
        .srcColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA,
        .dstColorBlendFactor = VK_BLEND_FACTOR_DST_ALPHA,
        .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .colorWriteMask = 0xf,
    };
    compare_formats(true);
    shades_samples = true;
    compare_formats(true);
    shades_samples = false;
}

static void write_masks_keep_samples(void **state)
{
    blend =
        (VkPipelineColorBlendAttachmentState){.colorWriteMask = VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_A_BIT};
    compare_formats(false);
}

/* ---------------------------------------------------------------- several targets, depth and stencil */

static const VkFormat mixed[COLORS] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT,
                                       VK_FORMAT_R5G6B5_UNORM_PACK16};

static void draw_both(VkCommandBuffer cmd, const struct vkt_pipeline *pipeline, enum kind kind)
{
    const struct push push = push_for(kind, 0), second = push_for(kind, 1);
    draw(cmd, pipeline, &push);
    draw(cmd, pipeline, &second);
}

static bool counts_invocations;

/* The nearer triangle is drawn first; the stencil counts where both cover a sample. */
static void targets_scene(struct vkt *t, struct output *out)
{
    uint32_t invocations = 0;
    struct vkt_buffer counts =
        vkt_buffer_create(t, sizeof invocations, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &invocations);
    VkDescriptorSetLayout layout = vkt_set_layout_create(
        t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 1}, 1);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counts.buffer, 0, VK_WHOLE_SIZE);
    struct targets targets = targets_create(t, &(struct pass_info){.count = COLORS,
                                                                   .colors = {mixed[0], mixed[1], mixed[2]},
                                                                   .depth = VK_FORMAT_D32_SFLOAT_S8_UINT,
                                                                   .resolves = true,
                                                                   .load = VK_ATTACHMENT_LOAD_OP_CLEAR});
    struct vkt_pipeline_info info = pipeline_info(&targets, counts_invocations ? VKT_SHADER(samples_three_counted_frag)
                                                                               : VKT_SHADER(samples_three_frag));
    info.set_layouts[0] = layout;
    info.set_layout_count = 1;
    info.depth_test = info.depth_write = info.stencil_test = true;
    info.depth_compare = VK_COMPARE_OP_LESS;
    info.stencil = (VkStencilOpState){VK_STENCIL_OP_KEEP,
                                      VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                      VK_STENCIL_OP_INVERT,
                                      VK_COMPARE_OP_ALWAYS,
                                      0xff,
                                      0xff,
                                      0};
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &info);
    VkImageView aspects[2];
    for (uint32_t i = 0; i < 2; i++)
        vkt_ok(vkCreateImageView(
            t->device,
            &(VkImageViewCreateInfo){
                .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                .image = targets.depth.image,
                .viewType = VK_IMAGE_VIEW_TYPE_2D,
                .format = targets.depth.format,
                .subresourceRange = {i ? VK_IMAGE_ASPECT_STENCIL_BIT : VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1},
            },
            NULL, &aspects[i]));
    VkCommandBuffer cmd = vkt_begin(t);
    begin_pass(cmd, &targets);
    const struct push near = push_for(NORM, 1), far = push_for(NORM, 0);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    draw(cmd, &pipeline, &near);
    draw(cmd, &pipeline, &far);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    memcpy(&invocations, counts.map, sizeof invocations);
    assert_int_equal(invocations > 0, counts_invocations);
    assert_true(invocations < width * height); /* two triangles that cover a third each, once */
    for (uint32_t i = 0; i < COLORS; i++) {
        add_samples(t, out, targets.colors[i].view, find_format(mixed[i]));
        add_image(t, out, &targets.resolved[i], find_format(mixed[i]));
    }
    add_samples(t, out, aspects[0], find_format(VK_FORMAT_R16G16_UNORM));
    add_samples(t, out, aspects[1], find_format(VK_FORMAT_R8G8B8A8_UINT));
    vkDestroyImageView(t->device, aspects[0], NULL);
    vkDestroyImageView(t->device, aspects[1], NULL);
    vkt_pipeline_destroy(t, &pipeline);
    targets_destroy(t, &targets);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkt_buffer_destroy(t, &counts);
}

static void several_targets_with_depth(void **state)
{
    compare(targets_scene, EDGES);
}

static void programs_with_side_effects_have_several_targets(void **state)
{
    counts_invocations = true;
    compare(targets_scene, EDGES);
    counts_invocations = false;
}

/* ---------------------------------------------------------------- coverage */

static VkPipelineMultisampleStateCreateInfo multisample;
static struct vkt_shader fragment_shader;

static void state_scene(struct vkt *t, struct output *out)
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    struct targets targets = targets_create(t, &(struct pass_info){.count = 1,
                                                                   .colors = {format},
                                                                   .depth = VK_FORMAT_D32_SFLOAT,
                                                                   .resolves = true,
                                                                   .load = VK_ATTACHMENT_LOAD_OP_CLEAR});
    struct vkt_pipeline_info info = pipeline_info(&targets, fragment_shader);
    info.multisample = &multisample;
    info.depth_test = info.depth_write = true;
    info.depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL;
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    begin_pass(cmd, &targets);
    for (uint32_t i = 0; i < 2; i++) {
        struct push push = push_for(NORM, i);
        memcpy(push.offset, (float[]){1, i ? 0.25f : 0.75f, 0.5f, 1}, sizeof push.offset);
        draw(cmd, &pipeline, &push);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    add_samples(t, out, targets.colors[0].view, find_format(format));
    add_samples(t, out, targets.depth.view, find_format(VK_FORMAT_R16G16_UNORM));
    add_image(t, out, &targets.resolved[0], find_format(format));
    vkt_pipeline_destroy(t, &pipeline);
    targets_destroy(t, &targets);
}

static void compare_state(struct vkt_shader shader, VkPipelineMultisampleStateCreateInfo state, uint32_t bad_permille)
{
    multisample = state;
    multisample.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
    multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
    fragment_shader = shader;
    compare(state_scene, bad_permille);
}

static void sample_masks(void **state)
{
    const VkSampleMask masks[] = {0xa, 0, 1};
    for (uint32_t i = 0; i < VKT_COUNT(masks); i++)
        compare_state(VKT_SHADER(samples_color_frag), (VkPipelineMultisampleStateCreateInfo){.pSampleMask = &masks[i]},
                      EDGES);
}

static void alpha_becomes_coverage(void **state)
{
    compare_state(VKT_SHADER(samples_color_frag),
                  (VkPipelineMultisampleStateCreateInfo){.alphaToCoverageEnable = VK_TRUE},
                  1000); /* only the number of covered samples is defined */
}

static void shaders_read_and_write_coverage(void **state)
{
    const VkSampleMask mask = 7;
    compare_state(VKT_SHADER(samples_mask_frag), (VkPipelineMultisampleStateCreateInfo){0}, EDGES);
    compare_state(VKT_SHADER(samples_mask_frag), (VkPipelineMultisampleStateCreateInfo){.pSampleMask = &mask}, EDGES);
}

/* Early fragment tests see the pipeline's sample mask, but neither the shader's mask nor its alpha. */
static void early_tests_precede_the_shaders_coverage(void **state)
{
    const VkSampleMask mask = 7;
    compare_state(VKT_SHADER(samples_mask_early_frag), (VkPipelineMultisampleStateCreateInfo){0}, EDGES);
    compare_state(VKT_SHADER(samples_mask_early_frag), (VkPipelineMultisampleStateCreateInfo){.pSampleMask = &mask},
                  EDGES);
}

static void shaders_write_depth(void **state)
{
    compare_state(VKT_SHADER(samples_depth_frag), (VkPipelineMultisampleStateCreateInfo){0}, EDGES);
}

/* ---------------------------------------------------------------- sample shading */

/* The expected values are computed here, because lavapipe evaluates per-sample inputs at other positions. One triangle
 * covers the whole target, in perspective. */

struct sample_info {
    uint32_t x, y, sample;
    float at_x, at_y; /* position in pixels */
};

static const float sample_positions[4][2] = {{0.375f, 0.125f}, {0.875f, 0.375f}, {0.125f, 0.625f}, {0.625f, 0.875f}};

/* The inputs of samples.vert at a position. */
struct inputs {
    float alpha, linear, array[2];
};

static struct inputs inputs_at(float x, float y)
{
    const float b = x / (2 * width), c = y / (2 * height), weights[3] = {1 - b - c, b, c};
    struct inputs in = {.linear = 0.75f * weights[0] + 0.125f * (weights[1] + weights[2])};
    const float one_over_w = weights[0] + weights[1] / 2 + weights[2] / 3;
    in.alpha = (weights[1] / 2 * 0.5f + weights[2] / 3) / one_over_w;
    in.array[0] = weights[1] / 2 * 0.875f / one_over_w;
    in.array[1] = 1 - in.alpha;
    return in;
}

static void shading_scene(struct vkt *t, struct output *out)
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    struct targets targets =
        targets_create(t, &(struct pass_info){.count = 1, .colors = {format}, .load = VK_ATTACHMENT_LOAD_OP_CLEAR});
    struct vkt_pipeline_info info = pipeline_info(&targets, fragment_shader);
    info.multisample = &multisample;
    info.blend = blend;
    memcpy(info.blend_constants, (float[]){0.5f, 0.5f, 0.5f, 0.5f}, sizeof info.blend_constants);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &info);
    struct push push = {.offset = {0.25f, 0.375f, 0.5f, 1}, .corners = {-1, -1, 3, -1, -1, 3}, .depth = 0.5f};
    VkCommandBuffer secondary = vkt_begin_secondary(t, targets.pass, 0), cmd = vkt_begin(t);
    draw(secondary, &pipeline, &push);
    vkt_ok(vkEndCommandBuffer(secondary));
    begin_with(cmd, &targets, targets.pass, (VkRect2D){{0, 0}, {width, height}},
               VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkFreeCommandBuffers(t->device, t->pool, 1, &secondary);
    add_samples(t, out, targets.colors[0].view, find_format(format));
    vkt_pipeline_destroy(t, &pipeline);
    targets_destroy(t, &targets);
}

static void check_shading(struct vkt_shader shader, VkPipelineMultisampleStateCreateInfo state,
                          void (*expect)(const struct sample_info *at, float rgba[4]))
{
    struct output got = {0};
    multisample = state;
    multisample.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
    multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
    fragment_shader = shader;
    shading_scene(vkt_device(VKT_TESTED), &got);
    for (uint32_t i = 0; i < 4 * width * height; i++) {
        const uint32_t column = i % (2 * width), row = i / (2 * width);
        struct sample_info at = {column % width, row % height, column / width + 2 * (row / height), 0, 0};
        float rgba[4];
        at.at_x = (float)at.x + sample_positions[at.sample][0];
        at.at_y = (float)at.y + sample_positions[at.sample][1];
        expect(&at, rgba);
        for (uint32_t c = 0; c < 4; c++)
            if (fabsf(rgba[c] * 255 - (float)got.data[4 * i + c]) > 1.5f)
                fail_msg("pixel (%u, %u), sample %u, component %u: %u instead of %f", at.x, at.y, at.sample, c,
                         got.data[4 * i + c], (double)rgba[c] * 255);
    }
    free(got.data);
}

static void expect_ids(const struct sample_info *at, float rgba[4])
{
    rgba[0] = (float)at->sample / 4;
    rgba[1] = sample_positions[at->sample][0];
    rgba[2] = sample_positions[at->sample][1];
    rgba[3] = (float)(1u << at->sample) / 15;
}

static void expect_shaded(const struct sample_info *at, float rgba[4])
{
    const struct inputs in = inputs_at(at->at_x, at->at_y);
    rgba[0] = at->x & 1 ? sample_positions[at->sample][0] : 0.5f * in.alpha;
    rgba[1] = sample_positions[at->sample][1];
    rgba[2] = in.alpha;
    rgba[3] = in.linear;
}

static void expect_alpha(const struct sample_info *at, float rgba[4])
{
    const float color[4] = {0.25f, 0.375f, 0.5f, inputs_at(at->at_x, at->at_y).alpha};
    memcpy(rgba, color, sizeof color);
}

static void expect_interpolated(const struct sample_info *at, float rgba[4])
{
    const uint32_t number = at->x & 3;
    const float x = (float)at->x, y = (float)at->y;
    const struct inputs off = inputs_at(x + 0.5f + (float)number / 8 - 0.25f, y + 0.5f + 0.375f - 0.25f);
    rgba[0] = inputs_at(x + sample_positions[number][0], y + sample_positions[number][1]).alpha;
    rgba[1] = off.linear;
    rgba[2] = off.array[number & 1];
    rgba[3] =
        at->y & 1 ? 1 : inputs_at(x + sample_positions[3 - number][0], y + sample_positions[3 - number][1]).array[1];
}

static void shaders_run_for_samples(void **state)
{
    blend = (VkPipelineColorBlendAttachmentState){0};
    check_shading(VKT_SHADER(samples_id_frag), (VkPipelineMultisampleStateCreateInfo){0}, expect_ids);
    check_shading(VKT_SHADER(samples_shaded_frag), (VkPipelineMultisampleStateCreateInfo){0}, expect_shaded);
}

/* Blended over the clear color (0, 0.25, 0.5, 0.75). */
static void expect_blended(const struct sample_info *at, float rgba[4])
{
    expect_alpha(at, rgba);
    for (uint32_t c = 0; c < 4; c++)
        rgba[c] = (rgba[c] + 0.25f * (float)c) * 0.5f;
}

static void pipelines_shade_samples(void **state)
{
    check_shading(VKT_SHADER(samples_color_frag),
                  (VkPipelineMultisampleStateCreateInfo){.sampleShadingEnable = VK_TRUE, .minSampleShading = 1},
                  expect_alpha);
    blend = (VkPipelineColorBlendAttachmentState){
        .blendEnable = VK_TRUE,
        .srcColorBlendFactor = VK_BLEND_FACTOR_CONSTANT_COLOR,
        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR,
        .srcAlphaBlendFactor = VK_BLEND_FACTOR_CONSTANT_ALPHA,
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_CONSTANT_ALPHA,
        .colorWriteMask = 0xf,
    };
    check_shading(VKT_SHADER(samples_color_frag),
                  (VkPipelineMultisampleStateCreateInfo){.sampleShadingEnable = VK_TRUE, .minSampleShading = 1},
                  expect_blended);
    blend = (VkPipelineColorBlendAttachmentState){0};
    const VkSampleMask mask = 6; /* coverage is the same as lavapipe's */
    compare_state(VKT_SHADER(samples_id_frag), (VkPipelineMultisampleStateCreateInfo){.pSampleMask = &mask}, EDGES);
}

/* The position of the centroid is implementation-defined where it is not the center. */
static void inputs_are_interpolated_elsewhere(void **state)
{
    blend = (VkPipelineColorBlendAttachmentState){0};
    check_shading(VKT_SHADER(samples_interpolate_frag), (VkPipelineMultisampleStateCreateInfo){0}, expect_interpolated);
}

static void alpha_becomes_one(void **state)
{
    compare_state(VKT_SHADER(samples_color_frag), (VkPipelineMultisampleStateCreateInfo){.alphaToOneEnable = VK_TRUE},
                  EDGES);
}

/* ---------------------------------------------------------------- clears and copies */

/* Clears inside and outside of passes, of all and of part, before and after draws; a pass over a part that loads; then
 * a copy of a part into another image. */
static void clear_scene(struct vkt *t, struct output *out)
{
    struct pass_info info = {
        .count = 1, .colors = {tested_format->format}, .load = VK_ATTACHMENT_LOAD_OP_LOAD, .resolves = true};
    struct targets targets = targets_create(t, &info);
    info.load = VK_ATTACHMENT_LOAD_OP_CLEAR;
    VkRenderPass clearing = pass_create(t, &info);
    const struct vkt_pipeline_info described = pipeline_info(&targets, color_shader(tested_format->kind));
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &described);
    struct vkt_image copy = image_create(t, tested_format->format, 4,
                                         VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                             VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    VkClearColorValue value = {.float32 = {1, 0.5f, 0.25f, 1}};
    if (tested_format->kind == UNSIGNED || tested_format->kind == SIGNED)
        value = (VkClearColorValue){.uint32 = {9, 8, 7, 6}};
    const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &targets.colors[0], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkt_image_barrier(cmd, &copy, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkt_image_barrier(cmd, &targets.resolved[0], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(cmd, targets.colors[0].image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &value, 1, &whole);
    vkCmdClearColorImage(cmd, targets.resolved[0].image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &value, 1, &whole);
    vkCmdClearColorImage(cmd, copy.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &value, 1, &whole);
    vkt_image_barrier(cmd, &targets.colors[0], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkt_image_barrier(cmd, &targets.resolved[0], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    begin_area(cmd, &targets, targets.pass, (VkRect2D){{5, 3}, {30, 29}});
    draw_both(cmd, &pipeline, tested_format->kind);
    const VkClearAttachment clear = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = value}};
    vkCmdClearAttachments(cmd, 1, &clear, 1, &(VkClearRect){{{7, 9}, {13, 11}}, 0, 1});
    const struct push push = push_for(tested_format->kind, 1);
    draw(cmd, &pipeline, &push);
    vkCmdEndRenderPass(cmd);
    vkt_image_barrier(cmd, &targets.colors[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_image_barrier(cmd, &copy, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyImage(cmd, targets.colors[0].image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, copy.image,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                   &(VkImageCopy){{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  {3, 1, 0},
                                  {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  {6, 4, 0},
                                  {31, 30, 1}});
    vkt_image_barrier(cmd, &copy, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkt_end_submit(t, cmd);
    add_samples(t, out, copy.view, tested_format);
    add_image(t, out, &targets.resolved[0], tested_format);

    cmd = vkt_begin(t); /* a clear without any draw is resolved, too */
    begin_area(cmd, &targets, clearing, (VkRect2D){{0, 0}, {width, height}});
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    add_samples(t, out, targets.colors[0].view, tested_format);
    add_image(t, out, &targets.resolved[0], tested_format);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyRenderPass(t->device, clearing, NULL);
    vkt_image_destroy(t, &copy);
    targets_destroy(t, &targets);
}

static void clears_and_copies(void **state)
{
    const VkFormat some[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8_UNORM, VK_FORMAT_R32G32_UINT,
                             VK_FORMAT_R16G16B16A16_SFLOAT};
    for (size_t i = 0; i < VKT_COUNT(some); i++) {
        tested_format = find_format(some[i]);
        compare(clear_scene, EDGES);
    }
}

/* ---------------------------------------------------------------- subpasses, layers, other sizes */

/* The attachments are: the second layer of a multisampled image that is larger than the framebuffer, its resolve
 * target, a depth buffer of another size, and an image that the second subpass computes from the samples. */
static VkRenderPass two_subpasses(struct vkt *t, VkFormat format)
{
    VkAttachmentDescription attachments[4];
    for (uint32_t i = 0; i < VKT_COUNT(attachments); i++)
        attachments[i] = (VkAttachmentDescription){
            .format = i == 2 ? VK_FORMAT_D32_SFLOAT : format,
            .samples = i == 0 || i == 2 ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT,
            .loadOp = i == 1 || i == 3 ? VK_ATTACHMENT_LOAD_OP_DONT_CARE : VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = i == 2 ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .finalLayout = i == 0   ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL
                           : i == 2 ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
                                    : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        };
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                resolve = {1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                depth = {2, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
                                out = {3, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                input = {0, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    const VkSubpassDescription subpasses[] = {
        {.colorAttachmentCount = 1,
         .pColorAttachments = &color,
         .pResolveAttachments = &resolve,
         .pDepthStencilAttachment = &depth},
        {.colorAttachmentCount = 1, .pColorAttachments = &out, .inputAttachmentCount = 1, .pInputAttachments = &input},
    };
    const VkSubpassDependency dependencies[] = {
        /* The second subpass reads the attachment, and its store operation runs at the end of that subpass. */
        {0, 1, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
         VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
         VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
         VK_ACCESS_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_DEPENDENCY_BY_REGION_BIT},
        {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
         VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT, 0},
        {1, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
         VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT, 0},
    };
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .attachmentCount = VKT_COUNT(attachments),
                                  .pAttachments = attachments,
                                  .subpassCount = VKT_COUNT(subpasses),
                                  .pSubpasses = subpasses,
                                  .dependencyCount = VKT_COUNT(dependencies),
                                  .pDependencies = dependencies,
                              },
                              NULL, &pass));
    return pass;
}

static VkImageView layer_view(struct vkt *t, const struct vkt_image *image, uint32_t layer)
{
    VkImageView view;
    vkt_ok(vkCreateImageView(t->device,
                             &(VkImageViewCreateInfo){
                                 .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                 .image = image->image,
                                 .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                 .format = image->format,
                                 .subresourceRange = {image->aspect, 0, 1, layer, 1},
                             },
                             NULL, &view));
    return view;
}

static void subpass_scene(struct vkt *t, struct output *out)
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    const uint32_t layer = t == vkt_device(VKT_TESTED); /* lavapipe resolves layer 0 whatever the view says */
    VkRenderPass pass = two_subpasses(t, format);
    struct vkt_image color =
        vkt_image_create(t, &(struct vkt_image_info){.format = format,
                                                     .width = width + 30,
                                                     .height = height + 20,
                                                     .layers = 2,
                                                     .array = true,
                                                     .samples = VK_SAMPLE_COUNT_4_BIT,
                                                     .usage = usage | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT});
    struct vkt_image depth =
        vkt_image_create(t, &(struct vkt_image_info){.format = VK_FORMAT_D32_SFLOAT,
                                                     .width = width + 100,
                                                     .height = height,
                                                     .samples = VK_SAMPLE_COUNT_4_BIT,
                                                     .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
    struct vkt_image resolved = image_create(t, format, 1, usage), picture = image_create(t, format, 1, usage);
    const VkImageView views[] = {layer_view(t, &color, layer), resolved.view, depth.view, picture.view};
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){
                                   .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = pass,
                                   .attachmentCount = VKT_COUNT(views),
                                   .pAttachments = views,
                                   .width = width,
                                   .height = height,
                                   .layers = 1,
                               },
                               NULL, &framebuffer));
    VkDescriptorSetLayout layout = vkt_set_layout_create(
        t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_SHADER_STAGE_FRAGMENT_BIT, 1}, 1);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkUpdateDescriptorSets(
        t->device, 1,
        &(VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
            .pImageInfo = &(VkDescriptorImageInfo){VK_NULL_HANDLE, views[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
        },
        0, NULL);
    struct vkt_pipeline_info info = {
        .vs = VKT_SHADER(samples_vert),
        .fs = VKT_SHADER(targets_float_frag),
        .pass = pass,
        .depth_test = true,
        .depth_write = true,
        .depth_compare = VK_COMPARE_OP_LESS,
        .topology = VKT_TRIANGLES,
        .width = width,
        .height = height,
        .push_size_B = sizeof(struct push),
        .multisample = &four_samples,
    };
    struct vkt_pipeline first = vkt_pipeline_create(t, &info);
    struct vkt_pipeline second =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                           .fs = VKT_SHADER(samples_input_frag),
                                                           .pass = pass,
                                                           .subpass = 1,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = width,
                                                           .height = height,
                                                           .set_layouts = {layout},
                                                           .set_layout_count = 1});
    const VkClearValue clears[3] = {{.color = {.float32 = {0, 0.25f, 0.5f, 0.75f}}}, {{{0}}}, {.depthStencil = {1, 0}}};
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){
                             .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                             .renderPass = pass,
                             .framebuffer = framebuffer,
                             .renderArea = {{0, 0}, {width, height}},
                             .clearValueCount = VKT_COUNT(clears),
                             .pClearValues = clears,
                         },
                         VK_SUBPASS_CONTENTS_INLINE);
    const struct push near = push_for(NORM, 1), far = push_for(NORM, 0);
    draw(cmd, &first, &near);
    draw(cmd, &first, &far);
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, second.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, second.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    add_image(t, out, &resolved, find_format(format));
    add_image(t, out, &picture, find_format(format));
    vkt_pipeline_destroy(t, &first);
    vkt_pipeline_destroy(t, &second);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkDestroyFramebuffer(t->device, framebuffer, NULL);
    vkDestroyRenderPass(t->device, pass, NULL);
    vkDestroyImageView(t->device, views[0], NULL);
    vkt_image_destroy(t, &color);
    vkt_image_destroy(t, &depth);
    vkt_image_destroy(t, &resolved);
    vkt_image_destroy(t, &picture);
}

static void subpasses_read_samples(void **state)
{
    compare(subpass_scene, EDGES);
}

/* ---------------------------------------------------------------- sizes */

/* Larger than one job, whole tiles, and slightly more and less than a tile. */
static void sizes(void **state)
{
    static const uint32_t some[][2] = {{2200, 40}, {33, 2100}, {32, 64}, {31, 65}};
    tested_format = find_format(VK_FORMAT_R8G8B8A8_UNORM);
    blend = (VkPipelineColorBlendAttachmentState){0};
    for (size_t i = 0; i < VKT_COUNT(some); i++) {
        width = some[i][0];
        height = some[i][1];
        compare(format_scene, EDGES);
    }
    width = 40;
    height = 36;
}

/* ---------------------------------------------------------------- storage images */

static void dispatch(struct vkt *t, struct vkt_shader shader, const struct vkt_image *image, VkImageLayout from,
                     VkImageLayout to)
{
    VkDescriptorSetLayout layout = vkt_set_layout_create(
        t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_SHADER_STAGE_COMPUTE_BIT, 1}, 1);
    struct vkt_compute compute = vkt_compute_create(t, shader, &layout, 1, 0, NULL);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_image(t, set, 0, 0, image->view);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, image, from, VK_IMAGE_LAYOUT_GENERAL);
    vkt_compute_bind(cmd, &compute, &set);
    vkCmdDispatch(cmd, width / 4 + 1, height / 4 + 1, 1);
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_GENERAL, to);
    vkt_end_submit(t, cmd);
    vkt_compute_destroy(t, &compute);
}

static void storage_scene(struct vkt *t, struct output *out)
{
    const VkImageLayout read = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    struct vkt_image image =
        image_create(t, tested_format->format, 4, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
    dispatch(t, VKT_SHADER(samples_store_comp), &image, VK_IMAGE_LAYOUT_UNDEFINED, read);
    add_samples(t, out, image.view, tested_format);
    if (tested_format->format == VK_FORMAT_R8G8B8A8_UNORM) {
        dispatch(t, VKT_SHADER(samples_swap_comp), &image, read, read);
        add_samples(t, out, image.view, tested_format);
    }
    vkt_image_destroy(t, &image);
}

static void programs_store_samples(void **state)
{
    const VkFormat some[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT,
                             VK_FORMAT_R32G32B32A32_SFLOAT};
    for (size_t i = 0; i < VKT_COUNT(some); i++) {
        tested_format = find_format(some[i]);
        compare(storage_scene, 0);
    }
}

/* ---------------------------------------------------------------- queries */

/* Counts the samples that pass. A triangle over everything counts all samples in the mask, and a triangle with edges
 * the samples that are drawn. A subpass without attachments has the pipeline's sample count. */
static uint64_t count_samples(struct vkt *t, bool has_color, VkSampleMask mask, const float corners[6])
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    struct targets targets = targets_create(t, &(struct pass_info){.count = has_color,
                                                                   .colors = {format},
                                                                   .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                                   .store = VK_ATTACHMENT_STORE_OP_DONT_CARE});
    VkPipelineMultisampleStateCreateInfo masked = four_samples;
    masked.pSampleMask = &mask;
    masked.sampleShadingEnable = mask != 0xf;
    masked.minSampleShading = 1;
    struct vkt_pipeline_info info =
        pipeline_info(&targets, has_color ? VKT_SHADER(samples_color_frag) : (struct vkt_shader){0});
    info.multisample = &masked;
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &info);
    struct push push = {.depth = 0.5f};
    memcpy(push.corners, corners, sizeof push.corners);
    VkQueryPool pool;
    vkt_ok(vkCreateQueryPool(t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = 1},
                             NULL, &pool));
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    begin_pass(cmd, &targets);
    vkCmdBeginQuery(cmd, pool, 0, 0);
    draw(cmd, &pipeline, &push);
    vkCmdEndQuery(cmd, pool, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    uint64_t samples = 0;
    vkt_ok(vkGetQueryPoolResults(t->device, pool, 0, 1, sizeof samples, &samples, sizeof samples,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    vkDestroyQueryPool(t->device, pool, NULL);
    vkt_pipeline_destroy(t, &pipeline);
    targets_destroy(t, &targets);
    return samples;
}

static void queries_count_samples(void **state)
{
    static const float everything[6] = {-1, -1, 3, -1, -1, 3};
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct push part = push_for(NORM, 0);
    for (uint32_t has_color = 0; has_color < 2; has_color++) {
        assert_int_equal(count_samples(t, has_color, 0xf, everything), 4 * width * height);
        assert_int_equal(count_samples(t, has_color, 0x5, everything), 2 * width * height);
    }
    const uint64_t expected = count_samples(vkt_device(VKT_REFERENCE), true, 0xf, part.corners);
    assert_in_range(count_samples(t, true, 0xf, part.corners), expected - expected / 100, expected + expected / 100);
}

/* ---------------------------------------------------------------- limits */

static void limits_and_formats(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const VkSampleCountFlags both = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    const VkPhysicalDeviceLimits *l = &t->properties.limits;
    const VkSampleCountFlags counts[] = {l->framebufferColorSampleCounts,   l->framebufferDepthSampleCounts,
                                         l->framebufferStencilSampleCounts, l->framebufferNoAttachmentsSampleCounts,
                                         l->sampledImageColorSampleCounts,  l->sampledImageIntegerSampleCounts,
                                         l->sampledImageDepthSampleCounts,  l->sampledImageStencilSampleCounts};
    for (size_t i = 0; i < VKT_COUNT(counts); i++)
        assert_int_equal(counts[i], both);
    assert_true(l->standardSampleLocations);
    for (size_t i = 0; i < VKT_COUNT(formats); i++) {
        VkImageFormatProperties p;
        vkt_ok(vkGetPhysicalDeviceImageFormatProperties(t->physical, formats[i].format, VK_IMAGE_TYPE_2D,
                                                        VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT, 0, &p));
        assert_int_equal(p.sampleCounts, both);
        vkt_ok(vkGetPhysicalDeviceImageFormatProperties(t->physical, formats[i].format, VK_IMAGE_TYPE_2D,
                                                        VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT,
                                                        VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT, &p));
        assert_int_equal(p.sampleCounts, VK_SAMPLE_COUNT_1_BIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(limits_and_formats, vkt_check_messages),
        cmocka_unit_test_teardown(every_format_has_samples, vkt_check_messages),
        cmocka_unit_test_teardown(samples_are_blended, vkt_check_messages),
        cmocka_unit_test_teardown(samples_are_blended_by_their_alpha, vkt_check_messages),
        cmocka_unit_test_teardown(write_masks_keep_samples, vkt_check_messages),
        cmocka_unit_test_teardown(several_targets_with_depth, vkt_check_messages),
        cmocka_unit_test_teardown(programs_with_side_effects_have_several_targets, vkt_check_messages),
        cmocka_unit_test_teardown(sample_masks, vkt_check_messages),
        cmocka_unit_test_teardown(alpha_becomes_coverage, vkt_check_messages),
        cmocka_unit_test_teardown(shaders_read_and_write_coverage, vkt_check_messages),
        cmocka_unit_test_teardown(early_tests_precede_the_shaders_coverage, vkt_check_messages),
        cmocka_unit_test_teardown(shaders_write_depth, vkt_check_messages),
        cmocka_unit_test_teardown(shaders_run_for_samples, vkt_check_messages),
        cmocka_unit_test_teardown(pipelines_shade_samples, vkt_check_messages),
        cmocka_unit_test_teardown(inputs_are_interpolated_elsewhere, vkt_check_messages),
        cmocka_unit_test_teardown(alpha_becomes_one, vkt_check_messages),
        cmocka_unit_test_teardown(clears_and_copies, vkt_check_messages),
        cmocka_unit_test_teardown(subpasses_read_samples, vkt_check_messages),
        cmocka_unit_test_teardown(sizes, vkt_check_messages),
        cmocka_unit_test_teardown(programs_store_samples, vkt_check_messages),
        cmocka_unit_test_teardown(queries_count_samples, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
