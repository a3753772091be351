/* SPDX-License-Identifier: MIT
 *
 * Transfers and draws that overlap inside one command buffer: random copies, blits, clears, fills, resolves and passes
 * on a few images and a buffer. A barrier separates operations that touch the same image or buffer. The result is
 * compared with the same operations computed texel by texel. Clear and draw colors have only channels of 0 or 1, so
 * every result is exact. The seed is printed; VKT_SEED selects another one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "push.frag.h"
#include "push.vert.h"

enum { IMAGES = 6, LEVELS = 3, LAYERS = 2, MAX_PX = 150, OPERATIONS = 60, ROUNDS = 10, BUFFER_B = 1 << 18, MAX_B = 8 };

static const struct kind {
    VkFormat format;
    uint32_t texel_B;
} kinds[IMAGES] = {
    {VK_FORMAT_R8G8B8A8_UNORM, 4}, {VK_FORMAT_R8G8B8A8_UNORM, 4},      {VK_FORMAT_B8G8R8A8_UNORM, 4},
    {VK_FORMAT_R8_UNORM, 1},       {VK_FORMAT_R16G16B16A16_UNORM, 8}, {VK_FORMAT_R8G8B8A8_UNORM, 4},
};

/* An image and its expected contents. */
struct image {
    struct vkt_image vk;
    const struct kind *kind;
    uint8_t *texels[LEVELS][LAYERS];
};

struct world {
    struct vkt *t;
    uint32_t seed;
    struct image images[IMAGES], samples; /* `samples` has four samples; its contents are not tracked */
    struct vkt_buffer buffer;
    uint8_t *bytes;                 /* expected contents of the buffer */
    VkRenderPass passes[IMAGES][2]; /* load, clear */
    struct vkt_pipeline pipelines[IMAGES];
    VkCommandBuffer cmd;
    uint32_t touched; /* images used since the last barrier, a bit each; then BUFFER_BIT and SAMPLES_BIT */
    VkImageView views[OPERATIONS];
    VkFramebuffer framebuffers[OPERATIONS];
    uint32_t framebuffer_count;
};

#define BUFFER_BIT  (1u << IMAGES)
#define SAMPLES_BIT (2u << IMAGES)

static uint32_t below(struct world *w, uint32_t end)
{
    w->seed = w->seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(w->seed >> 4) * end >> 28);
}

static uint32_t level_px(uint32_t px, uint32_t level)
{
    return px >> level ? px >> level : 1;
}

static uint8_t *texel_at(const struct image *i, uint32_t level, uint32_t layer, uint32_t x, uint32_t y)
{
    return i->texels[level][layer] + ((size_t)y * level_px(i->vk.width, level) + x) * i->kind->texel_B;
}

/* A level of a layer, and its size. */
struct subresource {
    struct image *image;
    uint32_t number, level, layer, width, height;
};

static struct subresource subresource_of(struct world *w, uint32_t number)
{
    struct subresource p = {&w->images[number], number, below(w, LEVELS), below(w, LAYERS), 0, 0};
    p.width = level_px(p.image->vk.width, p.level);
    p.height = level_px(p.image->vk.height, p.level);
    return p;
}

static struct subresource any_subresource(struct world *w)
{
    return subresource_of(w, below(w, IMAGES));
}

static VkImageSubresourceLayers layers_of(const struct subresource *p)
{
    return (VkImageSubresourceLayers){VK_IMAGE_ASPECT_COLOR_BIT, p->level, p->layer, 1};
}

/* Selects a part of a length, often all of it. */
static void any_span(struct world *w, uint32_t length, uint32_t *begin, uint32_t *count)
{
    *begin = below(w, 3) ? below(w, length) : 0;
    *count = below(w, 3) ? 1 + below(w, length - *begin) : length - *begin;
}

/* Declares what the next command reads and writes; records a barrier if something of it was used since the last one. */
static void touch(struct world *w, uint32_t bits)
{
    if (w->touched & bits) {
        vkt_barrier_all(w->cmd);
        w->touched = 0;
    }
    w->touched |= bits;
}

/* ---------------------------------------------------------------- colours */

struct color {
    bool on[4];
};

static struct color any_color(struct world *w)
{
    struct color c;
    for (uint32_t i = 0; i < 4; i++)
        c.on[i] = below(w, 2);
    return c;
}

static VkClearColorValue clear_value(struct color c)
{
    return (VkClearColorValue){{c.on[0], c.on[1], c.on[2], c.on[3]}};
}

static void pack(const struct kind *kind, struct color c, uint8_t out[MAX_B])
{
    const bool swaps = kind->format == VK_FORMAT_B8G8R8A8_UNORM;
    const uint32_t channels = kind->texel_B == 1 ? 1 : 4, channel_B = kind->texel_B / channels;
    for (uint32_t i = 0; i < channels; i++)
        memset(out + (size_t)i * channel_B, c.on[swaps && i < 3 ? 2 - i : i] ? 0xff : 0, channel_B);
}

static void fill_rect(const struct subresource *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                      struct color c)
{
    uint8_t texel[MAX_B];
    pack(p->image->kind, c, texel);
    for (uint32_t j = 0; j < height; j++)
        for (uint32_t i = 0; i < width; i++)
            memcpy(texel_at(p->image, p->level, p->layer, x + i, y + j), texel, p->image->kind->texel_B);
}

/* ---------------------------------------------------------------- operations */

static void clear_image(struct world *w)
{
    struct subresource p = any_subresource(w);
    const struct color c = any_color(w);
    const VkClearColorValue value = clear_value(c);
    const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, p.level, 1, p.layer, 1};
    touch(w, 1u << p.number);
    vkCmdClearColorImage(w->cmd, p.image->vk.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &range);
    fill_rect(&p, 0, 0, p.width, p.height, c);
}

static void copy_image(struct world *w)
{
    struct subresource from = any_subresource(w), to = any_subresource(w);
    if (below(w, 3) == 0) { /* the same level, so that a whole level may be copied */
        to.level = from.level;
        to.width = level_px(to.image->vk.width, to.level);
        to.height = level_px(to.image->vk.height, to.level);
    }
    if (from.image->kind->texel_B != to.image->kind->texel_B ||
        (from.image == to.image && from.level == to.level && from.layer == to.layer))
        return;
    uint32_t x, y, width, height, to_x, to_y;
    any_span(w, from.width, &x, &width);
    any_span(w, from.height, &y, &height);
    width = width < to.width ? width : to.width;
    height = height < to.height ? height : to.height;
    to_x = below(w, to.width - width + 1);
    to_y = below(w, to.height - height + 1);
    touch(w, 1u << from.number | 1u << to.number);
    vkCmdCopyImage(w->cmd, from.image->vk.image, VK_IMAGE_LAYOUT_GENERAL, to.image->vk.image, VK_IMAGE_LAYOUT_GENERAL,
                   1,
                   &(VkImageCopy){layers_of(&from),
                                  {(int32_t)x, (int32_t)y, 0},
                                  layers_of(&to),
                                  {(int32_t)to_x, (int32_t)to_y, 0},
                                  {width, height, 1}});
    for (uint32_t j = 0; j < height; j++)
        memcpy(texel_at(to.image, to.level, to.layer, to_x, to_y + j),
               texel_at(from.image, from.level, from.layer, x, y + j), (size_t)width * to.image->kind->texel_B);
}

/* Selects source and target lengths with ratios 1:1, 1:2, 1:3 or 3:1, so that no sample point lies between two
 * texels. */
static void any_scale(struct world *w, uint32_t from, uint32_t to, uint32_t *from_count, uint32_t *to_count)
{
    static const uint32_t ratios[][2] = {{1, 1}, {1, 2}, {1, 3}, {3, 1}};
    const uint32_t *ratio = ratios[below(w, 4)];
    const uint32_t most_from = from / ratio[0], most_to = to / ratio[1],
                   most = most_from < most_to ? most_from : most_to;
    const uint32_t n = most ? (below(w, 2) ? most : 1 + below(w, most)) : 0;
    *from_count = n * ratio[0];
    *to_count = n * ratio[1];
}

static void convert(const struct kind *from, const uint8_t *in, const struct kind *to, uint8_t *out)
{
    memcpy(out, in, to->texel_B);
    if (from->format == to->format)
        return;
    out[0] = in[2];
    out[2] = in[0];
}

static void blit_image(struct world *w)
{
    struct subresource from = any_subresource(w), to = any_subresource(w);
    const struct kind *a = from.image->kind, *b = to.image->kind;
    if ((a->format != b->format && (a->texel_B != 4 || b->texel_B != 4)) ||
        (from.image == to.image && from.level == to.level && from.layer == to.layer))
        return;
    uint32_t from_w, from_h, to_w, to_h;
    any_scale(w, from.width, to.width, &from_w, &to_w);
    any_scale(w, from.height, to.height, &from_h, &to_h);
    if (!from_w || !from_h)
        return;
    const bool mirrors[] = {below(w, 2), below(w, 2)};
    const uint32_t x = below(w, from.width - from_w + 1), y = below(w, from.height - from_h + 1),
                   to_x = below(w, to.width - to_w + 1), to_y = below(w, to.height - to_h + 1);
    VkImageBlit region = {layers_of(&from),
                          {{(int32_t)x, (int32_t)y, 0}, {(int32_t)(x + from_w), (int32_t)(y + from_h), 1}},
                          layers_of(&to),
                          {{(int32_t)to_x, (int32_t)to_y, 0}, {(int32_t)(to_x + to_w), (int32_t)(to_y + to_h), 1}}};
    if (mirrors[0]) {
        region.srcOffsets[0].x = (int32_t)(x + from_w);
        region.srcOffsets[1].x = (int32_t)x;
    }
    if (mirrors[1]) {
        region.dstOffsets[0].y = (int32_t)(to_y + to_h);
        region.dstOffsets[1].y = (int32_t)to_y;
    }
    touch(w, 1u << from.number | 1u << to.number);
    vkCmdBlitImage(w->cmd, from.image->vk.image, VK_IMAGE_LAYOUT_GENERAL, to.image->vk.image, VK_IMAGE_LAYOUT_GENERAL,
                   1, &region, VK_FILTER_NEAREST);
    for (uint32_t j = 0; j < to_h; j++)
        for (uint32_t i = 0; i < to_w; i++) {
            uint32_t u = (2 * i + 1) * from_w / (2 * to_w), v = (2 * j + 1) * from_h / (2 * to_h);
            u = mirrors[0] ? from_w - 1 - u : u;
            v = mirrors[1] ? from_h - 1 - v : v;
            convert(a, texel_at(from.image, from.level, from.layer, x + u, y + v), b,
                    texel_at(to.image, to.level, to.layer, to_x + i, to_y + j));
        }
}

static void copy_buffer_and_image(struct world *w, bool to_image)
{
    struct subresource p = any_subresource(w);
    uint32_t x, y, width, height;
    any_span(w, p.width, &x, &width);
    any_span(w, p.height, &y, &height);
    const uint32_t texel_B = p.image->kind->texel_B, row = width + below(w, 5);
    const uint32_t size_B = row * height * texel_B, at_B = below(w, (BUFFER_B - size_B) / 8) * 8;
    const VkBufferImageCopy region = {
        at_B, row, 0, layers_of(&p), {(int32_t)x, (int32_t)y, 0}, {width, height, 1}};
    touch(w, 1u << p.number | BUFFER_BIT);
    if (to_image)
        vkCmdCopyBufferToImage(w->cmd, w->buffer.buffer, p.image->vk.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    else
        vkCmdCopyImageToBuffer(w->cmd, p.image->vk.image, VK_IMAGE_LAYOUT_GENERAL, w->buffer.buffer, 1, &region);
    for (uint32_t j = 0; j < height; j++) {
        uint8_t *texels = texel_at(p.image, p.level, p.layer, x, y + j),
                *bytes = w->bytes + at_B + (size_t)j * row * texel_B;
        memcpy(to_image ? texels : bytes, to_image ? bytes : texels, (size_t)width * texel_B);
    }
}

static void change_buffer(struct world *w)
{
    const uint32_t size_B = 4 * (1 + below(w, below(w, 2) ? 64 : BUFFER_B / 8)),
                   at_B = 4 * below(w, (BUFFER_B - size_B) / 4);
    touch(w, BUFFER_BIT);
    if (below(w, 2)) {
        const uint32_t word = below(w, 1u << 24) * 0x101u;
        vkCmdFillBuffer(w->cmd, w->buffer.buffer, at_B, size_B, word);
        for (uint32_t i = 0; i < size_B; i += 4)
            memcpy(w->bytes + at_B + i, &word, 4);
    } else if (below(w, 2)) {
        uint8_t data[256];
        const uint32_t update_B = size_B < sizeof data ? size_B : sizeof data;
        for (uint32_t i = 0; i < sizeof data; i++)
            data[i] = (uint8_t)below(w, 256);
        vkCmdUpdateBuffer(w->cmd, w->buffer.buffer, at_B, update_B, data);
        memcpy(w->bytes + at_B, data, update_B);
    } else {
        const uint32_t half = BUFFER_B / 2, count_B = size_B < half ? size_B : half;
        const uint32_t from_B = below(w, half - count_B + 1), to_B = half + below(w, half - count_B + 1);
        vkCmdCopyBuffer(w->cmd, w->buffer.buffer, w->buffer.buffer, 1, &(VkBufferCopy){from_B, to_B, count_B});
        memcpy(w->bytes + to_B, w->bytes + from_B, count_B);
    }
}

/* Resolves one color from the multisampled image. */
static void resolve_image(struct world *w)
{
    struct subresource p = subresource_of(w, 5 * below(w, 2)); /* RGBA8 */
    const struct color c = any_color(w);
    const VkClearColorValue value = clear_value(c);
    uint32_t x, y, width, height;
    any_span(w, p.width, &x, &width);
    any_span(w, p.height, &y, &height);
    touch(w, 1u << p.number | SAMPLES_BIT);
    vkCmdClearColorImage(w->cmd, w->samples.vk.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1,
                         &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
    touch(w, 1u << p.number | SAMPLES_BIT);
    vkCmdResolveImage(
        w->cmd, w->samples.vk.image, VK_IMAGE_LAYOUT_GENERAL, p.image->vk.image, VK_IMAGE_LAYOUT_GENERAL, 1,
        &(VkImageResolve){{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                          {(int32_t)below(w, MAX_PX - width + 1), (int32_t)below(w, MAX_PX - height + 1), 0},
                          layers_of(&p),
                          {(int32_t)x, (int32_t)y, 0},
                          {width, height, 1}});
    fill_rect(&p, x, y, width, height, c);
}

/* ---------------------------------------------------------------- passes */

static VkFramebuffer framebuffer_of(struct world *w, const struct subresource *p, VkRenderPass pass)
{
    VkImageView *view = &w->views[w->framebuffer_count];
    VkFramebuffer *framebuffer = &w->framebuffers[w->framebuffer_count++];
    vkt_ok(vkCreateImageView(w->t->device,
                             &(VkImageViewCreateInfo){
                                 .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                 .image = p->image->vk.image,
                                 .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                 .format = p->image->kind->format,
                                 .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, p->level, 1, p->layer, 1},
                             },
                             NULL, view));
    vkt_ok(vkCreateFramebuffer(w->t->device,
                               &(VkFramebufferCreateInfo){
                                   .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = pass,
                                   .attachmentCount = 1,
                                   .pAttachments = view,
                                   .width = p->width,
                                   .height = p->height,
                                   .layers = 1,
                               },
                               NULL, framebuffer));
    return *framebuffer;
}

/* Selects a part of the area, in pixels of the framebuffer. */
static VkRect2D any_part(struct world *w, const VkRect2D *area)
{
    uint32_t x, y, width, height;
    any_span(w, area->extent.width, &x, &width);
    any_span(w, area->extent.height, &y, &height);
    return (VkRect2D){{area->offset.x + (int32_t)x, area->offset.y + (int32_t)y}, {width, height}};
}

static void fill_part(const struct subresource *p, const VkRect2D *r, struct color c)
{
    fill_rect(p, (uint32_t)r->offset.x, (uint32_t)r->offset.y, r->extent.width, r->extent.height, c);
}

static void draw_quad(struct world *w, const struct subresource *p, const VkRect2D *part, struct color c)
{
    const struct vkt_pipeline *pipeline = &w->pipelines[p->number];
    struct {
        float color[4], rect[4], depth;
    } push = {{c.on[0], c.on[1], c.on[2], c.on[3]}, {-1, -1, 1, 1}, 0};
    vkCmdBindPipeline(w->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->pipeline);
    vkCmdSetViewport(w->cmd, 0, 1, &(VkViewport){0, 0, (float)p->width, (float)p->height, 0, 1});
    vkCmdSetScissor(w->cmd, 0, 1, part);
    vkCmdPushConstants(w->cmd, pipeline->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                       sizeof push, &push);
    vkCmdDraw(w->cmd, 4, 1, 0, 0);
}

static void run_pass(struct world *w)
{
    struct subresource p = any_subresource(w);
    const bool clears = below(w, 2);
    const struct color c = any_color(w);
    const VkRect2D whole = {{0, 0}, {p.width, p.height}}, area = any_part(w, &whole);
    touch(w, 1u << p.number);
    vkCmdBeginRenderPass(w->cmd,
                         &(VkRenderPassBeginInfo){
                             .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                             .renderPass = w->passes[p.number][clears],
                             .framebuffer = framebuffer_of(w, &p, w->passes[p.number][clears]),
                             .renderArea = area,
                             .clearValueCount = 1,
                             .pClearValues = &(VkClearValue){.color = clear_value(c)},
                         },
                         VK_SUBPASS_CONTENTS_INLINE);
    if (clears)
        fill_part(&p, &area, c);
    for (uint32_t i = below(w, 4); i; i--) {
        const VkRect2D part = any_part(w, &area);
        const struct color drawn = any_color(w);
        if (below(w, 3))
            draw_quad(w, &p, &part, drawn);
        else
            vkCmdClearAttachments(w->cmd, 1,
                                  &(VkClearAttachment){VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = clear_value(drawn)}}, 1,
                                  &(VkClearRect){part, 0, 1});
        fill_part(&p, &part, drawn);
    }
    vkCmdEndRenderPass(w->cmd);
}

/* ---------------------------------------------------------------- set-up and checks */

static VkRenderPass pass_create(struct vkt *t, VkFormat format, bool clears)
{
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_GENERAL};
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(
        t->device,
        &(VkRenderPassCreateInfo){
            .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
            .attachmentCount = 1,
            .pAttachments =
                &(VkAttachmentDescription){.format = format,
                                           .samples = VK_SAMPLE_COUNT_1_BIT,
                                           .loadOp = clears ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
                                           .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                           .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                                           .finalLayout = VK_IMAGE_LAYOUT_GENERAL},
            .subpassCount = 1,
            .pSubpasses = &(VkSubpassDescription){.colorAttachmentCount = 1, .pColorAttachments = &color},
        },
        NULL, &pass));
    return pass;
}

static void image_create(struct world *w, uint32_t number)
{
    struct image *i = &w->images[number];
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    i->kind = &kinds[number];
    i->vk = vkt_image_create(w->t, &(struct vkt_image_info){.format = i->kind->format,
                                                            .width = number == 5 ? 128 : 4 + below(w, MAX_PX - 3),
                                                            .height = number == 5 ? 64 : 4 + below(w, MAX_PX - 3),
                                                            .levels = LEVELS,
                                                            .layers = LAYERS,
                                                            .array = true,
                                                            .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                     VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                                     VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint32_t layer = 0; layer < LAYERS; layer++) {
            i->texels[level][layer] =
                calloc((size_t)level_px(i->vk.width, level) * level_px(i->vk.height, level), MAX_B);
            assert_non_null(i->texels[level][layer]);
        }
    for (uint32_t clears = 0; clears < 2; clears++)
        w->passes[number][clears] = pass_create(w->t, i->kind->format, clears);
    w->pipelines[number] = vkt_pipeline_create(w->t, &(struct vkt_pipeline_info){
                                                         .vs = VKT_SHADER(push_vert),
                                                         .fs = VKT_SHADER(push_frag),
                                                         .pass = w->passes[number][0],
                                                         .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                         .width = 1,
                                                         .height = 1,
                                                         .dynamic = dynamic,
                                                         .dynamic_count = VKT_COUNT(dynamic),
                                                         .push_size_B = 9 * sizeof(float),
                                                     });
}

static void image_destroy(struct world *w, uint32_t number)
{
    struct image *i = &w->images[number];
    for (uint32_t s = 0; s < LEVELS * LAYERS; s++)
        free(i->texels[s / LAYERS][s % LAYERS]);
    for (uint32_t clears = 0; clears < 2; clears++)
        vkDestroyRenderPass(w->t->device, w->passes[number][clears], NULL);
    vkt_pipeline_destroy(w->t, &w->pipelines[number]);
    vkt_image_destroy(w->t, &i->vk);
}

/* All images begin black: one command buffer clears them. */
static void world_create(struct world *w)
{
    for (uint32_t i = 0; i < IMAGES; i++)
        image_create(w, i);
    w->samples.vk = vkt_image_create(
        w->t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                       .width = MAX_PX,
                                       .height = MAX_PX,
                                       .samples = VK_SAMPLE_COUNT_4_BIT,
                                       .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    w->bytes = malloc(BUFFER_B);
    assert_non_null(w->bytes);
    for (uint32_t i = 0; i < BUFFER_B; i++)
        w->bytes[i] = (uint8_t)below(w, 256);
    w->buffer = vkt_buffer_create(w->t, BUFFER_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                  w->bytes);
    VkCommandBuffer cmd = vkt_begin(w->t);
    for (uint32_t i = 0; i <= IMAGES; i++) {
        const struct vkt_image *image = i < IMAGES ? &w->images[i].vk : &w->samples.vk;
        vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        vkCmdClearColorImage(cmd, image->image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){{0}}, 1,
                             &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                                        VK_REMAINING_ARRAY_LAYERS});
    }
    vkt_end_submit(w->t, cmd);
}

static void world_destroy(struct world *w)
{
    for (uint32_t i = 0; i < IMAGES; i++)
        image_destroy(w, i);
    vkt_image_destroy(w->t, &w->samples.vk);
    vkt_buffer_destroy(w->t, &w->buffer);
    free(w->bytes);
}

static void check_image(struct world *w, uint32_t number)
{
    const struct image *i = &w->images[number];
    static uint8_t got[MAX_PX * MAX_PX * MAX_B];
    for (uint32_t s = 0; s < LEVELS * LAYERS; s++) {
        const uint32_t level = s / LAYERS, layer = s % LAYERS, width = level_px(i->vk.width, level);
        const uint32_t count = width * level_px(i->vk.height, level), texel_B = i->kind->texel_B;
        vkt_read_image(w->t, &i->vk, level, layer, got, count * texel_B);
        for (uint32_t k = 0; k < count; k++)
            if (memcmp(got + (size_t)k * texel_B, i->texels[level][layer] + (size_t)k * texel_B, texel_B))
                fail_msg("image %u (format %d, %u x %u), level %u, layer %u: texel (%u, %u) is wrong", number,
                         i->kind->format, i->vk.width, i->vk.height, level, layer, k % width, k / width);
    }
}

static void run_operation(struct world *w)
{
    switch (below(w, 9)) {
    case 0:
        clear_image(w);
        break;
    case 1:
    case 2:
        copy_image(w);
        break;
    case 3:
        blit_image(w);
        break;
    case 4:
        copy_buffer_and_image(w, true);
        break;
    case 5:
        copy_buffer_and_image(w, false);
        break;
    case 6:
        change_buffer(w);
        break;
    case 7:
        resolve_image(w);
        break;
    default:
        run_pass(w);
        break;
    }
}

static void transition(struct world *w, VkImageLayout from, VkImageLayout to)
{
    VkCommandBuffer cmd = vkt_begin(w->t);
    for (uint32_t i = 0; i < IMAGES; i++)
        vkt_image_barrier(cmd, &w->images[i].vk, from, to);
    vkt_end_submit(w->t, cmd);
}

static void run_round(uint32_t seed)
{
    struct world w = {.t = vkt_device(VKT_TESTED), .seed = seed};
    world_create(&w);
    w.cmd = vkt_begin(w.t);
    for (uint32_t i = 0; i < OPERATIONS; i++)
        run_operation(&w);
    vkt_barrier_all(w.cmd);
    vkt_end_submit(w.t, w.cmd);
    transition(&w, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    for (uint32_t i = 0; i < IMAGES; i++)
        check_image(&w, i);
    assert_memory_equal(w.buffer.map, w.bytes, BUFFER_B);
    for (uint32_t i = 0; i < w.framebuffer_count; i++) {
        vkDestroyFramebuffer(w.t->device, w.framebuffers[i], NULL);
        vkDestroyImageView(w.t->device, w.views[i], NULL);
    }
    world_destroy(&w);
}

static void random_operations_do_as_one_by_one(void **state)
{
    const char *given = getenv("VKT_SEED");
    const uint32_t first = given ? (uint32_t)strtoul(given, NULL, 0) : 1;
    for (uint32_t i = 0; i < (given ? 1u : (uint32_t)ROUNDS); i++) {
        printf("# seed %u\n", first + i);
        fflush(stdout);
        run_round(first + i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(random_operations_do_as_one_by_one, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
