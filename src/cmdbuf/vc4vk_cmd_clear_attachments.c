/* SPDX-License-Identifier: MIT
 *
 * Records clears of attachments within a pass: by the tile buffer before a subpass's first draw, otherwise in memory
 * between two jobs.
 */
#include "cmdbuf/vc4vk_cmd_clear.h"
#include "cmdbuf/vc4vk_cmd_surfaces.h"
#include "device/vc4vk_entrypoints_gen.h"

static bool covers_area(const struct vc4vk_cmd_pass *pass, const VkRect2D *rect)
{
    const VkRect2D *a = &pass->area;
    return rect->offset.x <= a->offset.x && rect->offset.y <= a->offset.y &&
           (int64_t)rect->offset.x + rect->extent.width >= (int64_t)a->offset.x + a->extent.width &&
           (int64_t)rect->offset.y + rect->extent.height >= (int64_t)a->offset.y + a->extent.height;
}

/* Whether the tile buffer can do the clear: before the first draw of a subpass, when it covers the whole area and has
 * no condition. It then clears the layer that is drawn to. */
static bool is_for_tiles(const struct vc4vk_cmd_buffer *cmd, uint32_t rect_count, const VkClearRect *rects)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    return !cmd->job && !cmd->condition && !pass->pairs && pass->covers_tiles && rect_count == 1 &&
           !rects[0].baseArrayLayer && covers_area(pass, &rects[0].rect);
}

static void clear_rects(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *s, const VkClearAttachment *a,
                        uint32_t rect_count, const VkClearRect *rects)
{
    for (uint32_t views = vc4vk_cmd_pass_views(&cmd->pass); views; views &= views - 1)
        for (uint32_t i = 0; i < rect_count; i++) {
            const uint32_t layer = util_lowest_bit(views) + rects[i].baseArrayLayer;
            if (layer < rects[i].baseArrayLayer || layer >= s->view->layers ||
                rects[i].layerCount > s->view->layers - layer)
                continue; /* the attachment has no such layers */
            vc4vk_cmd_clear_image_rect(cmd, &(struct vc4vk_clear_image){
                                                .image = s->view->image,
                                                .format = s->view->storage,
                                                .aspects = a->aspectMask & s->view->format->aspects,
                                                .level = s->view->base_level,
                                                .first_layer = s->view->base_layer + layer,
                                                .layers = rects[i].layerCount,
                                                .rect = rects[i].rect,
                                                .value = a->clearValue,
                                                .condition = cmd->condition,
                                            });
        }
}

/* Clears in memory, between two jobs. */
static void clear_memory(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *s, const VkClearAttachment *a,
                         uint32_t rect_count, const VkClearRect *rects)
{
    vc4vk_cmd_pass_split(cmd);
    vc4vk_cmd_surfaces_replicate(cmd);
    clear_rects(cmd, s, a, rect_count, rects);
}

/* Clears the layers after the one that the tile buffer clears: no job draws to them. */
static void clear_other_layers(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *s,
                               const VkClearAttachment *a, const VkClearRect *rect)
{
    VkClearRect others = *rect;
    others.baseArrayLayer = 1;
    others.layerCount = rect->layerCount - 1;
    if (rect->layerCount > 1)
        clear_rects(cmd, s, a, 1, &others);
}

static void clear_depth(struct vc4vk_cmd_buffer *cmd, const VkClearAttachment *clear, uint32_t rect_count,
                        const VkClearRect *rects)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const VkImageAspectFlags has = pass->depth.view ? pass->depth.view->format->aspects : 0,
                             cleared = clear->aspectMask & has & pass->pass->subpasses[pass->subpass].depth_aspects;
    if (!cleared)
        return;
    const VkClearAttachment attached = {cleared, clear->colorAttachment, clear->clearValue}, *a = &attached;
    bool keeps = cleared != has && pass->depth.begin == VC4VK_TILE_LOAD; /* keeps the other aspect */
    if (keeps || !is_for_tiles(cmd, rect_count, rects)) {
        clear_memory(cmd, &pass->depth, a, rect_count, rects);
        pass->depth.begin = VC4VK_TILE_LOAD;
        return;
    }
    pass->depth.begin = VC4VK_TILE_CLEAR;
    pass->depth.loads_pixels = false;
    clear_other_layers(cmd, &pass->depth, a, rects);
    if (cleared & VK_IMAGE_ASPECT_DEPTH_BIT)
        pass->clear_z = vc4vk_clear_depth_word(a->clearValue.depthStencil.depth);
    if (cleared & VK_IMAGE_ASPECT_STENCIL_BIT)
        pass->clear_s = (uint8_t)a->clearValue.depthStencil.stencil;
}

static void clear_color(struct vc4vk_cmd_buffer *cmd, const VkClearAttachment *a, uint32_t rect_count,
                        const VkClearRect *rects)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const struct vc4vk_subpass *subpass = &pass->pass->subpasses[pass->subpass];
    if (a->colorAttachment >= subpass->color_count ||
        subpass->colors[a->colorAttachment].attachment == VK_ATTACHMENT_UNUSED)
        return; /* by the specification: no effect */
    const bool in_tiles = is_for_tiles(cmd, rect_count, rects);
    for (uint32_t i = 0; i < pass->replay_count; i++) {
        struct vc4vk_cmd_surface *s = &pass->colors[i];
        if (!s->view || s->attachment != subpass->colors[a->colorAttachment].attachment)
            continue;
        if (!in_tiles && s->word == 0) /* clears all words */
            clear_memory(cmd, s, a, rect_count, rects);
        if (in_tiles && s->word == 0)
            clear_other_layers(cmd, s, a, rects);
        s->begin = in_tiles ? VC4VK_TILE_CLEAR : VC4VK_TILE_LOAD;
        s->loads_pixels = false;
        s->clear_word = vc4vk_clear_color_word(s->view->storage, s->word, &a->clearValue.color);
    }
}

/* A secondary does not know its attachments, so the clear is done when a primary executes the part. */
static void clear_later(struct vc4vk_cmd_buffer *cmd, uint32_t count, const VkClearAttachment *attachments,
                        uint32_t rect_count, const VkClearRect *rects)
{
    vc4vk_cmd_pass_split(cmd);
    struct vc4vk_cmd_part *part = vc4vk_cmd_new(cmd, struct vc4vk_cmd_part);
    if (!part)
        return;
    part->attachment_count = count;
    part->attachments = vc4vk_cmd_copy(cmd, attachments, count * sizeof *attachments);
    part->rect_count = rect_count;
    part->rects = vc4vk_cmd_copy(cmd, rects, rect_count * sizeof *rects);
    part->condition = cmd->condition;
    *cmd->parts_end = part;
    cmd->parts_end = &part->next;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdClearAttachments(VkCommandBuffer cmd_h, uint32_t count,
                                                     const VkClearAttachment *attachments, uint32_t rect_count,
                                                     const VkClearRect *rects)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (cmd->error != VK_SUCCESS || !cmd->pass.pass)
        return;
    if (cmd->continues_pass)
        clear_later(cmd, count, attachments, rect_count, rects);
    for (uint32_t i = 0; i < count && !cmd->continues_pass; i++) {
        if (attachments[i].aspectMask & VK_IMAGE_ASPECT_COLOR_BIT)
            clear_color(cmd, &attachments[i], rect_count, rects);
        else
            clear_depth(cmd, &attachments[i], rect_count, rects);
    }
}
