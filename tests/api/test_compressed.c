/* SPDX-License-Identifier: MIT
 *
 * Compressed images: copies keep the blocks unchanged, and shaders and blits read them decoded.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "blocks.comp.h"
#include "blocks.frag.h"
#include "fetch.frag.h"
#include "full.vert.h"
#include "hw/codec.h"

enum { W = 50, H = 30, LEVELS = 5, TARGET_PX = 64 };

#define BOTH(vk_name)                                                                                                  \
    {VK_FORMAT_##vk_name##_UNORM_BLOCK, HW_FORMAT_##vk_name##_UNORM},                                                  \
    {                                                                                                                  \
        VK_FORMAT_##vk_name##_SRGB_BLOCK, HW_FORMAT_##vk_name##_SRGB                                                   \
    }
#define ONE(name)                                                                                                      \
    {                                                                                                                  \
        VK_FORMAT_##name##_BLOCK, HW_FORMAT_##name                                                                     \
    }

static const struct {
    VkFormat vk;
    enum hw_format hw;
} formats[] = {
    BOTH(ETC2_R8G8B8),
    BOTH(ETC2_R8G8B8A1),
    BOTH(ETC2_R8G8B8A8),
    ONE(EAC_R11_UNORM),
    ONE(EAC_R11_SNORM),
    ONE(EAC_R11G11_UNORM),
    ONE(EAC_R11G11_SNORM),
    BOTH(BC1_RGB),
    BOTH(BC1_RGBA),
    BOTH(BC2),
    BOTH(BC3),
    ONE(BC4_UNORM),
    ONE(BC4_SNORM),
    ONE(BC5_UNORM),
    ONE(BC5_SNORM),
    ONE(BC6H_UFLOAT),
    ONE(BC6H_SFLOAT),
    BOTH(BC7),
    BOTH(ASTC_4x4),
    BOTH(ASTC_5x4),
    BOTH(ASTC_5x5),
    BOTH(ASTC_6x5),
    BOTH(ASTC_6x6),
    BOTH(ASTC_8x5),
    BOTH(ASTC_8x6),
    BOTH(ASTC_8x8),
    BOTH(ASTC_10x5),
    BOTH(ASTC_10x6),
    BOTH(ASTC_10x8),
    BOTH(ASTC_10x10),
    BOTH(ASTC_12x10),
    BOTH(ASTC_12x12),
};

struct level {
    uint32_t width_px, height_px, blocks_x, blocks_y, size_B;
    uint8_t blocks[((W + 3) / 4) * ((H + 3) / 4) * 16]; /* no format has smaller blocks */
};

static bool is_astc(enum hw_format format)
{
    return format >= HW_FORMAT_ASTC_4x4_UNORM && format <= HW_FORMAT_ASTC_12x12_SRGB;
}

/* Gives a random block a grid of 4 x 4 weights. Without, most blocks of ASTC are illegal and decode to one colour. */
static void set_astc_grid(uint8_t *block)
{
    block[0] = (uint8_t)((block[0] & 0x13) | 0x41);
    block[1] &= 0xfe;
}

/* Random blocks. BC6H blocks cannot encode infinities or NaNs. */
static struct level random_level(enum hw_format format, uint32_t index)
{
    struct level level = {.width_px = W >> index, .height_px = H >> index};
    const struct hw_format_info *info = hw_format_info(format);
    level.blocks_x = (level.width_px + info->block_w - 1) / info->block_w;
    level.blocks_y = (level.height_px + info->block_h - 1) / info->block_h;
    level.size_B = level.blocks_x * level.blocks_y * info->block_B;
    uint32_t x = (uint32_t)format * 8 + index + 1;
    for (uint32_t i = 0; i < level.size_B; i++) {
        x = x * 1664525u + 1013904223u;
        level.blocks[i] = (uint8_t)(x >> 24);
    }
    for (uint32_t i = 0; i < level.size_B && is_astc(format); i += 16)
        if (i % 64) /* three blocks of four */
            set_astc_grid(level.blocks + i);
    return level;
}

static union hw_texel expected_texel(enum hw_format format, const struct level *level, uint32_t x, uint32_t y)
{
    uint8_t texels[HW_CODEC_MAX_TEXELS * 8];
    const enum hw_format decoded = hw_codec_decoded(format);
    const struct hw_format_info *info = hw_format_info(format);
    const uint32_t block = y / info->block_h * level->blocks_x + x / info->block_w;
    const uint32_t in_block = y % info->block_h * info->block_w + x % info->block_w;
    union hw_texel texel;
    hw_codec_decode(format, level->blocks + (size_t)block * info->block_B, texels);
    hw_format_unpack(decoded, texels + (size_t)in_block * hw_format_info(decoded)->block_B, &texel);
    return texel;
}

static struct vkt_image upload(struct vkt *t, VkFormat vk, enum hw_format hw, VkImageUsageFlags usage)
{
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = vk,
                                    .width = W,
                                    .height = H,
                                    .levels = LEVELS,
                                    .usage = usage | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
    for (uint32_t i = 0; i < LEVELS; i++) {
        struct level level = random_level(hw, i);
        vkt_image_upload(t, &image, i, 0, level.blocks, level.size_B);
    }
    return image;
}

/* ---------------------------------------------------------------- copies */

/* Copies through another image of the same format, in two parts that meet at a block boundary. */
static void blocks_are_kept(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    for (size_t f = 0; f < VKT_COUNT(formats); f++) {
        struct vkt_image from = upload(t, formats[f].vk, formats[f].hw, VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
        struct vkt_image to = vkt_image_create(
            t, &(struct vkt_image_info){.format = formats[f].vk,
                                        .width = W,
                                        .height = H,
                                        .levels = LEVELS,
                                        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_image_barrier(cmd, &from, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        vkt_image_barrier(cmd, &to, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        for (uint32_t i = 0; i < LEVELS; i++) {
            const uint32_t w = W >> i, h = H >> i, block_w = hw_format_info(formats[f].hw)->block_w;
            const uint32_t middle = 2 * block_w < w ? 2 * block_w : w;
            /* Synchronisation validation (1.3.239) mistakes the levels of compressed images for each other. */
            vkt_image_barrier(cmd, &to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
            const VkImageSubresourceLayers sub = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, 1};
            const VkImageCopy parts[] = {
                {sub, {0, 0, 0}, sub, {0, 0, 0}, {middle, h, 1}},
                {sub, {(int32_t)middle, 0, 0}, sub, {(int32_t)middle, 0, 0}, {w - middle, h, 1}},
            };
            vkCmdCopyImage(cmd, from.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, middle < w ? 2 : 1, parts);
        }
        vkt_image_barrier(cmd, &to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        vkt_end_submit(t, cmd);
        for (uint32_t i = 0; i < LEVELS; i++) {
            struct level expected = random_level(formats[f].hw, i);
            uint8_t got[sizeof expected.blocks];
            vkt_read_image(t, &to, i, 0, got, expected.size_B);
            if (memcmp(got, expected.blocks, expected.size_B))
                fail_msg("format %d, level %u: the blocks have changed", formats[f].vk, i);
        }
        vkt_image_destroy(t, &to);
        vkt_image_destroy(t, &from);
    }
}

static void copy_words_to_blocks(VkFormat vk, enum hw_format hw)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct level level = random_level(hw, 0);
    struct vkt_image words = vkt_image_create(t, &(struct vkt_image_info){.format = VK_FORMAT_R32G32B32A32_UINT,
                                                                          .width = level.blocks_x,
                                                                          .height = level.blocks_y,
                                                                          .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                                                   VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                                                   VK_IMAGE_USAGE_SAMPLED_BIT});
    struct vkt_image blocks = vkt_image_create(
        t, &(struct vkt_image_info){.format = vk,
                                    .width = level.blocks_x * hw_format_info(hw)->block_w,
                                    .height = level.blocks_y * hw_format_info(hw)->block_h,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    uint8_t got[sizeof level.blocks];
    vkt_image_upload(t, &words, 0, 0, level.blocks, level.size_B);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &words, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_image_barrier(cmd, &blocks, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyImage(cmd, words.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, blocks.image,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                   &(VkImageCopy){.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  .extent = {level.blocks_x, level.blocks_y, 1}});
    vkt_image_barrier(cmd, &blocks, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &blocks, 0, 0, got, level.size_B);
    assert_memory_equal(got, level.blocks, level.size_B);
    vkt_image_destroy(t, &blocks);
    vkt_image_destroy(t, &words);
}

/* Copies an uncompressed image into a compressed one whose blocks have the size of its texels. */
static void words_become_blocks(void **state)
{
    copy_words_to_blocks(VK_FORMAT_BC3_UNORM_BLOCK, HW_FORMAT_BC3_UNORM);
    copy_words_to_blocks(VK_FORMAT_ASTC_8x5_UNORM_BLOCK, HW_FORMAT_ASTC_8x5_UNORM);
    copy_words_to_blocks(VK_FORMAT_ASTC_12x10_SRGB_BLOCK, HW_FORMAT_ASTC_12x10_SRGB);
}

/* ---------------------------------------------------------------- decoding */

static void blits_decode(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    static float got[W * H * 4];
    for (size_t f = 0; f < VKT_COUNT(formats); f++) {
        struct vkt_image from = upload(t, formats[f].vk, formats[f].hw, VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
        struct vkt_image to = vkt_image_create(
            t, &(struct vkt_image_info){.format = VK_FORMAT_R32G32B32A32_SFLOAT,
                                        .width = W,
                                        .height = H,
                                        .levels = LEVELS,
                                        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_image_barrier(cmd, &from, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        vkt_image_barrier(cmd, &to, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        for (uint32_t i = 0; i < LEVELS; i++) {
            const VkImageSubresourceLayers sub = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, 1};
            const VkOffset3D end = {W >> i, H >> i, 1};
            vkCmdBlitImage(cmd, from.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                           &(VkImageBlit){sub, {{0, 0, 0}, end}, sub, {{0, 0, 0}, end}}, VK_FILTER_NEAREST);
        }
        vkt_image_barrier(cmd, &to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        vkt_end_submit(t, cmd);
        for (uint32_t i = 0; i < LEVELS; i++) {
            const struct level level = random_level(formats[f].hw, i);
            vkt_read_image(t, &to, i, 0, got, level.width_px * level.height_px * 16);
            for (uint32_t p = 0; p < level.width_px * level.height_px; p++) {
                union hw_texel expected = expected_texel(formats[f].hw, &level, p % level.width_px, p / level.width_px);
                if (memcmp(&got[4 * p], expected.f, 16))
                    fail_msg("format %d, level %u, texel %u: wrong value", formats[f].vk, i, p);
            }
        }
        vkt_image_destroy(t, &to);
        vkt_image_destroy(t, &from);
    }
}

static void programs_fetch_decoded(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    for (size_t f = 0; f < VKT_COUNT(formats); f++) {
        struct vkt_image image = upload(t, formats[f].vk, formats[f].hw, 0);
        struct vkt_target target =
            vkt_target_create(t, TARGET_PX, TARGET_PX, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
        VkSampler sampler =
            vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
        struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
        VkDescriptorSetLayout set_layout = vkt_set_layout_create(t, &binding, 1);
        VkDescriptorSet set = vkt_set_alloc(t, set_layout);
        vkt_set_texture(t, set, 0, image.view, sampler);
        struct vkt_pipeline pipeline =
            vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                               .fs = VKT_SHADER(fetch_frag),
                                                               .pass = target.pass,
                                                               .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                               .width = TARGET_PX,
                                                               .height = TARGET_PX,
                                                               .set_layouts = {set_layout},
                                                               .set_layout_count = 1});
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
        vkCmdDraw(cmd, 4, 1, 0, 0);
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(t, cmd);
        struct vkt_picture got = vkt_read_target(t, &target);
        const struct level level = random_level(formats[f].hw, 0);
        for (uint32_t y = 0; y < TARGET_PX; y++)
            for (uint32_t x = 0; x < TARGET_PX; x++) {
                union hw_texel expected = expected_texel(formats[f].hw, &level, x % W, y % H);
                for (unsigned k = 0; k < 4; k++) {
                    float byte = fminf(fmaxf(expected.f[k], 0), 1) * 255;
                    uint8_t is = got.rgba[4 * (y * TARGET_PX + x) + k];
                    if (fabsf(byte - is) > 1.01f)
                        fail_msg("format %d, pixel (%u, %u), channel %u: %u instead of %.2f", formats[f].vk, x, y, k,
                                 is, (double)byte);
                }
            }
        vkt_picture_free(&got);
        vkt_pipeline_destroy(t, &pipeline);
        vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
        vkt_target_destroy(t, &target);
        vkDestroySampler(t->device, sampler, NULL);
        vkt_image_destroy(t, &image);
    }
}

/* ---------------------------------------------------------------- uncompressed views */

/* Shaders read the blocks of one compressed image as integers, through an uncompressed view, and write them to another
 * one: as a storage image or as a colour attachment. */
enum { VIEW_LAYERS = 2, VIEW_LEVEL = 1, VIEW_LAYER = 1 };

struct transcode {
    VkFormat vk, view_format;
    enum hw_format hw;
    bool by_drawing;
    struct vkt_image from, to;
    VkImageView from_view, to_view;
    struct level level; /* contents of VIEW_LEVEL of VIEW_LAYER */
};

static struct vkt_image blocks_image(struct vkt *t, const struct transcode *c, VkImageUsageFlags usage)
{
    return vkt_image_create(
        t, &(struct vkt_image_info){.format = c->vk,
                                    .width = W,
                                    .height = H,
                                    .levels = LEVELS,
                                    .layers = VIEW_LAYERS,
                                    .array = true,
                                    .usage = usage | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                             VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                    .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT |
                                             VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT,
                                    .view_usage = VK_IMAGE_USAGE_SAMPLED_BIT});
}

static VkImageView blocks_view(struct vkt *t, const struct transcode *c, const struct vkt_image *image)
{
    VkImageView view;
    vkt_ok(vkCreateImageView(t->device,
                             &(VkImageViewCreateInfo){
                                 .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                 .image = image->image,
                                 .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                 .format = c->view_format,
                                 .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, VIEW_LEVEL, 1, VIEW_LAYER, 1},
                             },
                             NULL, &view));
    return view;
}

static void upload_all(struct vkt *t, struct transcode *c)
{
    for (uint32_t layer = 0; layer < VIEW_LAYERS; layer++)
        for (uint32_t i = 0; i < LEVELS; i++) {
            struct level level = random_level(c->hw, i);
            for (uint32_t b = 0; b < level.size_B; b++)
                level.blocks[b] ^= (uint8_t)(layer * 0x5a);
            vkt_image_upload(t, &c->from, i, layer, level.blocks, level.size_B);
            if (i == VIEW_LEVEL && layer == VIEW_LAYER)
                c->level = level;
        }
}

static void store_blocks(struct vkt *t, VkCommandBuffer cmd, const struct transcode *c)
{
    const struct vkt_binding bindings[] = {
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_SHADER_STAGE_COMPUTE_BIT, 1},
    };
    const VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, VKT_COUNT(bindings));
    struct vkt_compute compute = vkt_compute_create(t, VKT_SHADER(blocks_comp), &layout, 1, 0, NULL);
    const VkDescriptorSet set = vkt_set_alloc(t, layout);
    VkSampler sampler =
        vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    vkt_set_texture(t, set, 0, c->from_view, sampler);
    vkt_set_image(t, set, 1, 0, c->to_view);
    vkt_compute_bind(cmd, &compute, &set);
    vkCmdDispatch(cmd, (c->level.blocks_x + 3) / 4, (c->level.blocks_y + 3) / 4, 1);
    vkt_end_submit(t, cmd);
    vkt_compute_destroy(t, &compute);
    vkDestroySampler(t->device, sampler, NULL);
}

static VkRenderPass blocks_pass(struct vkt *t, VkFormat format)
{
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_GENERAL};
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(
        t->device,
        &(VkRenderPassCreateInfo){
            .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
            .attachmentCount = 1,
            .pAttachments = &(VkAttachmentDescription){.format = format,
                                                       .samples = VK_SAMPLE_COUNT_1_BIT,
                                                       .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                       .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                       .finalLayout = VK_IMAGE_LAYOUT_GENERAL},
            .subpassCount = 1,
            .pSubpasses = &(VkSubpassDescription){.colorAttachmentCount = 1, .pColorAttachments = &color},
        },
        NULL, &pass));
    return pass;
}

static void draw_blocks(struct vkt *t, VkCommandBuffer cmd, const struct transcode *c)
{
    const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    const VkDescriptorSetLayout layout = vkt_set_layout_create(t, &binding, 1);
    const VkDescriptorSet set = vkt_set_alloc(t, layout);
    const VkRenderPass pass = blocks_pass(t, c->view_format);
    const VkExtent2D size = {c->level.blocks_x, c->level.blocks_y};
    VkFramebuffer framebuffer;
    VkSampler sampler =
        vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    vkt_set_texture(t, set, 0, c->from_view, sampler);
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){
                                   .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = pass,
                                   .attachmentCount = 1,
                                   .pAttachments = &c->to_view,
                                   .width = size.width,
                                   .height = size.height,
                                   .layers = 1,
                               },
                               NULL, &framebuffer));
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                           .fs = VKT_SHADER(blocks_frag),
                                                           .pass = pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = size.width,
                                                           .height = size.height,
                                                           .set_layouts = {layout},
                                                           .set_layout_count = 1});
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = pass,
                                                  .framebuffer = framebuffer,
                                                  .renderArea = {{0, 0}, size}},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyFramebuffer(t->device, framebuffer, NULL);
    vkDestroyRenderPass(t->device, pass, NULL);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkDestroySampler(t->device, sampler, NULL);
}

/* Checks the blocks with a copy, and the texels with a blit. */
static void expect_blocks(struct vkt *t, struct transcode *c)
{
    static uint8_t blocks[sizeof c->level.blocks];
    static float texels[W * H * 4];
    struct vkt_image seen = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R32G32B32A32_SFLOAT,
                                    .width = c->level.width_px,
                                    .height = c->level.height_px,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    const VkOffset3D end = {(int32_t)c->level.width_px, (int32_t)c->level.height_px, 1};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &c->to, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_image_barrier(cmd, &seen, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdBlitImage(cmd, c->to.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, seen.image,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                   &(VkImageBlit){{VK_IMAGE_ASPECT_COLOR_BIT, VIEW_LEVEL, VIEW_LAYER, 1},
                                  {{0, 0, 0}, end},
                                  {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  {{0, 0, 0}, end}},
                   VK_FILTER_NEAREST);
    vkt_image_barrier(cmd, &seen, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &c->to, VIEW_LEVEL, VIEW_LAYER, blocks, c->level.size_B);
    for (uint32_t i = 0; i < c->level.size_B; i++)
        if (blocks[i] != c->level.blocks[i])
            fail_msg("format %d: byte %u of the blocks is %x instead of %x", c->vk, i, blocks[i], c->level.blocks[i]);
    vkt_read_image(t, &seen, 0, 0, texels, c->level.width_px * c->level.height_px * 16);
    for (uint32_t p = 0; p < c->level.width_px * c->level.height_px; p++) {
        union hw_texel expected = expected_texel(c->hw, &c->level, p % c->level.width_px, p / c->level.width_px);
        if (memcmp(&texels[4 * p], expected.f, 16))
            fail_msg("format %d: texel %u differs from its decoded block", c->vk, p);
    }
    vkt_image_destroy(t, &seen);
}

static void transcode(struct transcode c)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    c.from = blocks_image(t, &c, 0);
    c.to = blocks_image(t, &c, c.by_drawing ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : VK_IMAGE_USAGE_STORAGE_BIT);
    c.from_view = blocks_view(t, &c, &c.from);
    c.to_view = blocks_view(t, &c, &c.to);
    upload_all(t, &c);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &c.to, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    if (c.by_drawing)
        draw_blocks(t, cmd, &c);
    else
        store_blocks(t, cmd, &c);
    expect_blocks(t, &c);
    vkDestroyImageView(t->device, c.from_view, NULL);
    vkDestroyImageView(t->device, c.to_view, NULL);
    vkt_image_destroy(t, &c.from);
    vkt_image_destroy(t, &c.to);
}

static const struct transcode transcodes[] = {
    {.vk = VK_FORMAT_BC3_UNORM_BLOCK, .hw = HW_FORMAT_BC3_UNORM, .view_format = VK_FORMAT_R32G32B32A32_UINT},
    {.vk = VK_FORMAT_BC4_SNORM_BLOCK, .hw = HW_FORMAT_BC4_SNORM, .view_format = VK_FORMAT_R32G32_UINT},
    {.vk = VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK,
     .hw = HW_FORMAT_ETC2_R8G8B8_UNORM,
     .view_format = VK_FORMAT_R16G16B16A16_UINT},
    {.vk = VK_FORMAT_EAC_R11G11_UNORM_BLOCK,
     .hw = HW_FORMAT_EAC_R11G11_UNORM,
     .view_format = VK_FORMAT_R32G32B32A32_UINT},
    {.vk = VK_FORMAT_ASTC_6x5_UNORM_BLOCK, .hw = HW_FORMAT_ASTC_6x5_UNORM, .view_format = VK_FORMAT_R32G32B32A32_UINT},
    {.vk = VK_FORMAT_ASTC_10x8_SRGB_BLOCK, .hw = HW_FORMAT_ASTC_10x8_SRGB, .view_format = VK_FORMAT_R32G32B32A32_UINT},
};

static void blocks_are_stored(void **state)
{
    for (size_t i = 0; i < VKT_COUNT(transcodes); i++)
        transcode(transcodes[i]);
}

static void blocks_are_drawn(void **state)
{
    for (size_t i = 0; i < VKT_COUNT(transcodes); i++) {
        struct transcode c = transcodes[i];
        c.by_drawing = true;
        transcode(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(blocks_are_kept, vkt_check_messages),
        cmocka_unit_test_teardown(words_become_blocks, vkt_check_messages),
        cmocka_unit_test_teardown(blits_decode, vkt_check_messages),
        cmocka_unit_test_teardown(programs_fetch_decoded, vkt_check_messages),
        cmocka_unit_test_teardown(blocks_are_stored, vkt_check_messages),
        cmocka_unit_test_teardown(blocks_are_drawn, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
