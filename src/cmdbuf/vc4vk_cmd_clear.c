/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "cmdbuf/vc4vk_bands.h"
#include "cmdbuf/vc4vk_cmd_clear.h"
#include "cmdbuf/vc4vk_cmd_tiles.h"
#include "cmdbuf/vc4vk_image_io.h"
#include "device/vc4vk_entrypoints_gen.h"

/* ---------------------------------------------------------------- values */

static void pack_color(enum hw_format format, const VkClearColorValue *value, uint8_t texel_out[16])
{
    union hw_texel texel;
    memcpy(&texel, value, sizeof texel);
    memset(texel_out, 0, 16);
    hw_format_pack(format, &texel, texel_out);
}

uint32_t vc4vk_clear_color_word(enum hw_format format, uint32_t word, const VkClearColorValue *value)
{
    uint8_t texel[16];
    uint32_t out;
    pack_color(hw_format_in_word(format), value, texel);
    memcpy(&out, texel + 4 * word, sizeof out);
    return out;
}

uint32_t vc4vk_clear_depth_word(float depth)
{
    if (!(depth > 0.0f)) /* NaN too */
        return 0;
    return depth >= 1.0f ? 0xffffffu : (uint32_t)(depth * 16777216.0f);
}

/* ---------------------------------------------------------------- the operation */

/* Clears a depth or stencil aspect: bits of Z24S8 words, or texels of a plane of its own. */
static bool clear_aspect(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect,
                         const VkClearDepthStencilValue *value)
{
    enum hw_format storage = vc4vk_image_plane(place->image, place->aspect)->format;
    bool stencil = place->aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
    if (storage == HW_FORMAT_Z24S8)
        return vc4vk_image_fill_words(place, rect, stencil ? value->stencil : vc4vk_clear_depth_word(value->depth) << 8,
                                      stencil ? 0xffu : 0xffffff00u);
    uint8_t texel[16] = {(uint8_t)value->stencil};
    union hw_texel depth = {.f = {CLAMP(value->depth, 0.0f, 1.0f)}};
    if (!stencil)
        hw_format_pack(storage, &depth, texel);
    return vc4vk_image_fill(place, rect, texel);
}

struct clear_layer {
    const struct vc4vk_clear_image_rect *clear;
    struct vc4vk_image_place place; /* `aspect` is COLOR, also when depth and stencil are cleared */
};

static bool clear_color_rows(const struct clear_layer *layer, const struct hw_copy_rect *rect)
{
    uint8_t texel[16];
    pack_color(layer->clear->format, &layer->clear->value.color, texel);
    return vc4vk_image_fill(&layer->place, rect, texel);
}

/* Clears both aspects at once where memory holds them in one word. */
static bool clear_depth_rows(const struct clear_layer *layer, const struct hw_copy_rect *rect)
{
    const VkClearDepthStencilValue *value = &layer->clear->value.depthStencil;
    const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT,
                             aspects = layer->clear->aspects & both;
    struct vc4vk_image_place place = layer->place;
    if (aspects == both && vc4vk_image_plane(place.image, both)->format == HW_FORMAT_Z24S8) {
        const uint32_t word = vc4vk_clear_depth_word(value->depth) << 8 | (value->stencil & 0xff);
        return vc4vk_image_fill(&place, rect, &word);
    }
    bool done = true;
    for (place.aspect = VK_IMAGE_ASPECT_DEPTH_BIT; place.aspect <= VK_IMAGE_ASPECT_STENCIL_BIT; place.aspect <<= 1)
        if (aspects & place.aspect)
            done &= clear_aspect(&place, rect, value);
    return done;
}

static bool clear_rows(const void *data, uint32_t begin, uint32_t end)
{
    const struct clear_layer *layer = data;
    const VkRect2D *r = &layer->clear->rect;
    const struct hw_copy_rect rect = {(uint32_t)r->offset.x, begin, r->extent.width, end - begin};
    return layer->clear->aspects & VK_IMAGE_ASPECT_COLOR_BIT ? clear_color_rows(layer, &rect)
                                                             : clear_depth_rows(layer, &rect);
}

static VkResult run_clear(void *arguments)
{
    const struct vc4vk_clear_image_rect *c = arguments;
    const uint32_t samples = c->image->samples, first = (uint32_t)c->rect.offset.y;
    bool done = true;
    for (uint32_t i = 0; i < c->layers * samples; i++) {
        const struct clear_layer layer = {c, {c->image, VK_IMAGE_ASPECT_COLOR_BIT, c->level,
                                              c->first_layer + i / samples, i % samples}};
        const uint64_t row_B = UINT64_C(4) * c->image->plane_count * c->rect.extent.width;
        done &= vc4vk_run_bands(c->parallel, first, first + c->rect.extent.height, row_B, clear_rows, &layer);
    }
    return done ? VK_SUCCESS : vc4vk_errorf(c->image, VK_ERROR_MEMORY_MAP_FAILED, "clear: image memory is not mapped");
}

void vc4vk_cmd_clear_image_rect(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_clear_image_rect *clear)
{
    const struct hw_level *level =
        &vc4vk_image_plane(clear->image,
                           clear->aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? VK_IMAGE_ASPECT_STENCIL_BIT : clear->aspects)
             ->layout.level[clear->level];
    VkRect2D r = clear->rect;
    if (r.offset.x < 0 || r.offset.y < 0 || (uint32_t)r.offset.x >= level->width_el ||
        (uint32_t)r.offset.y >= level->height_el)
        return;
    r.extent.width = MIN2(r.extent.width, level->width_el - (uint32_t)r.offset.x);
    r.extent.height = MIN2(r.extent.height, level->height_el - (uint32_t)r.offset.y);
    struct vc4vk_clear_image_rect *copy = vc4vk_cmd_copy(cmd, clear, sizeof *clear);
    if (!copy || !r.extent.width || !r.extent.height)
        return;
    copy->rect = r;
    if (vc4vk_cmd_clear_by_tiles(cmd, copy))
        return;
    copy->parallel = &cmd->device->queue_device.parallel;
    const VkExtent3D extent = {r.extent.width, r.extent.height, 1};
    vc4vk_cmd_add_transfer(cmd, "clear image", run_clear, copy,
                           vc4vk_cmd_work_B(extent, clear->layers * clear->image->samples));
}

/* ---------------------------------------------------------------- whole images */

/* `aspects`: those that the call can clear. */
static void clear_ranges(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_image *image, VkImageAspectFlags aspects,
                         const VkClearValue *value, uint32_t count, const VkImageSubresourceRange *ranges)
{
    const bool is_3d = image && image->type == VK_IMAGE_TYPE_3D;
    if (!image || image->format->planar || image->has_blocks || hw_format_info(image->format->hw)->block_w > 1)
        return; /* this image cannot be cleared */
    const enum hw_format format = vc4vk_image_storage(image, image->format);
    for (uint32_t i = 0; i < count; i++) {
        const VkImageSubresourceRange *r = &ranges[i];
        uint32_t layers =
            r->layerCount == VK_REMAINING_ARRAY_LAYERS ? image->layers - r->baseArrayLayer : r->layerCount;
        if (!vc4vk_image_has(image, r->aspectMask & aspects, r->baseMipLevel, is_3d ? 0 : r->baseArrayLayer,
                             is_3d ? 1 : layers))
            continue;
        const uint32_t levels = MIN2(r->levelCount, image->levels - r->baseMipLevel);
        for (uint32_t level = r->baseMipLevel; level < r->baseMipLevel + levels; level++)
            vc4vk_cmd_clear_image_rect(cmd, &(struct vc4vk_clear_image_rect){
                                                .image = image,
                                                .format = format,
                                                .aspects = r->aspectMask & aspects & image->format->aspects,
                                                .level = level,
                                                .first_layer = is_3d ? 0 : r->baseArrayLayer,
                                                .layers = is_3d ? util_minify(image->extent.depth, level) : layers,
                                                .rect = {{0, 0}, {UINT32_MAX, UINT32_MAX}},
                                                .value = *value,
                                            });
    }
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdClearColorImage(VkCommandBuffer cmd_h, VkImage image_h, VkImageLayout layout,
                                                    const VkClearColorValue *color, uint32_t count,
                                                    const VkImageSubresourceRange *ranges)
{
    clear_ranges(vc4vk_cmd_buffer_from_handle(cmd_h), vc4vk_image_from_handle(image_h), VK_IMAGE_ASPECT_COLOR_BIT,
                 &(VkClearValue){.color = *color}, count, ranges);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdClearDepthStencilImage(VkCommandBuffer cmd_h, VkImage image_h, VkImageLayout layout,
                                                           const VkClearDepthStencilValue *value, uint32_t count,
                                                           const VkImageSubresourceRange *ranges)
{
    clear_ranges(vc4vk_cmd_buffer_from_handle(cmd_h), vc4vk_image_from_handle(image_h),
                 VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, &(VkClearValue){.depthStencil = *value},
                 count, ranges);
}

/* ---------------------------------------------------------------- attachments */

static bool covers_area(const struct vc4vk_cmd_pass *pass, const VkRect2D *rect)
{
    const VkRect2D *a = &pass->area;
    return rect->offset.x <= a->offset.x && rect->offset.y <= a->offset.y &&
           (int64_t)rect->offset.x + rect->extent.width >= (int64_t)a->offset.x + a->extent.width &&
           (int64_t)rect->offset.y + rect->extent.height >= (int64_t)a->offset.y + a->extent.height;
}

/* Whether the tile buffer can do the clear: before the first draw of a subpass, when it covers the whole area. It then
 * clears the layer that is drawn to. */
static bool is_for_tiles(const struct vc4vk_cmd_buffer *cmd, uint32_t rect_count, const VkClearRect *rects)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    return !cmd->job && !pass->pairs && pass->covers_tiles && rect_count == 1 && !rects[0].baseArrayLayer &&
           covers_area(pass, &rects[0].rect);
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
            vc4vk_cmd_clear_image_rect(cmd, &(struct vc4vk_clear_image_rect){
                                                .image = s->view->image,
                                                .format = s->view->storage,
                                                .aspects = a->aspectMask & s->view->format->aspects,
                                                .level = s->view->base_level,
                                                .first_layer = s->view->base_layer + layer,
                                                .layers = rects[i].layerCount,
                                                .rect = rects[i].rect,
                                                .value = a->clearValue,
                                            });
        }
}

/* Clears in memory, between two jobs. */
static void clear_memory(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *s, const VkClearAttachment *a,
                         uint32_t rect_count, const VkClearRect *rects)
{
    vc4vk_cmd_pass_split(cmd);
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

static void clear_depth(struct vc4vk_cmd_buffer *cmd, const VkClearAttachment *a, uint32_t rect_count,
                        const VkClearRect *rects)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    if (!pass->depth.view || !(a->aspectMask & pass->depth.view->format->aspects))
        return;
    const VkImageAspectFlags has = pass->depth.view->format->aspects, cleared = a->aspectMask & has;
    bool keeps = cleared != has && pass->depth.begin == VC4VK_TILE_LOAD; /* keeps the other aspect */
    if (keeps || !is_for_tiles(cmd, rect_count, rects)) {
        clear_memory(cmd, &pass->depth, a, rect_count, rects);
        pass->depth.begin = VC4VK_TILE_LOAD;
        return;
    }
    pass->depth.begin = VC4VK_TILE_CLEAR;
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
