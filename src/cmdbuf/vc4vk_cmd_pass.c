/* SPDX-License-Identifier: MIT
 *
 * From render passes to jobs: which surfaces a job loads, clears and stores.
 *
 * The tile buffer clears whole tiles, colour or depth with stencil. Where a load operation asks for less (part of a
 * tile, one aspect), the CPU clears memory before the first job, which then loads.
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_clear.h"
#include "cmdbuf/vc4vk_cmd_resolve.h"
#include "cmdbuf/vc4vk_cmd_stage.h"
#include "cmdbuf/vc4vk_image_io.h"
#include "device/vc4vk_entrypoints_gen.h"

/* ---------------------------------------------------------------- surfaces */

static struct vc4vk_cmd_surface surface_of(const struct vc4vk_image_view *view, uint32_t attachment, uint32_t word,
                                           bool pairs)
{
    /* the planes of wide texels follow each other; depth has one */
    const struct vc4vk_image_plane *plane = view ? vc4vk_image_view_plane(view) + (pairs ? 0 : word) : NULL;
    return (struct vc4vk_cmd_surface){.view = view,
                                      .level = view ? &plane->layout.level[view->base_level] : NULL,
                                      .attachment = attachment,
                                      .word = word,
                                      .pairs = pairs};
}

/* Calls for each surface of the subpass: colours in the order of replays, then depth. */
#define FOR_EACH_SURFACE(pass, s)                                                                                      \
    for (uint32_t s##_i = 0; s##_i <= (pass)->replay_count; s##_i++)                                                   \
        for (struct vc4vk_cmd_surface *s = s##_i < (pass)->replay_count ? &(pass)->colors[s##_i] : &(pass)->depth;     \
             s && s->view; s = NULL)

/* It pads to microtiles or tiles of T layout, and counts the blocks of a dump of all samples [hardware notes 9.7]. */
#define LT_STEP_PX 4u
#define T_STEP_PX  32u

struct vc4vk_level_widths vc4vk_level_widths(const struct hw_level *level)
{
    const uint32_t step = level->tiling == HW_TILING_MS  ? HW_MS_TILE_PX
                          : level->tiling == HW_TILING_T ? T_STEP_PX
                                                         : LT_STEP_PX;
    return (struct vc4vk_level_widths){.least = level->padded_width_el - MIN2(level->padded_width_el, step) + 1,
                                       .most = level->padded_width_el};
}

static bool has_other_words(const struct vc4vk_cmd_surface *s)
{
    return s->pairs || vc4vk_image_view_plane(s->view)->layout.cpp < 4;
}

/* Does its stride suit a job at all? */
static bool suits_jobs(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s)
{
    const struct vc4vk_framebuffer *f = pass->framebuffer;
    return !has_other_words(s) && s->level->padded_width_el <= VC4VK_MAX_IMAGE_PX &&
           f->width_px <= VC4VK_MAX_IMAGE_PX && f->height_px <= VC4VK_MAX_IMAGE_PX;
}

uint32_t vc4vk_cmd_pass_views(const struct vc4vk_cmd_pass *pass)
{
    const uint32_t mask = pass->pass->subpasses[pass->subpass].view_mask;
    return mask ? mask : 1;
}

static void add_ranges(struct vc4vk_cmd_pass *pass, uint32_t view)
{
    for (uint32_t y = 0; y < pass->height_px; y += VC4VK_MAX_IMAGE_PX)
        for (uint32_t x = 0; x < pass->width_px && pass->range_count < VC4VK_MAX_RANGES; x += VC4VK_MAX_IMAGE_PX) {
            struct vc4vk_cmd_range *r = &pass->ranges[pass->range_count++];
            r->view = view;
            r->x_px = x;
            r->y_px = y;
            r->width_px = MIN2(pass->width_px - x, VC4VK_MAX_IMAGE_PX);
            r->height_px = MIN2(pass->height_px - y, VC4VK_MAX_IMAGE_PX);
        }
}

/* Their areas are left for find_tiles. */
static void find_ranges(struct vc4vk_cmd_pass *pass)
{
    pass->range_count = 0;
    pass->is_cut = pass->width_px > VC4VK_MAX_IMAGE_PX || pass->height_px > VC4VK_MAX_IMAGE_PX;
    for (uint32_t views = vc4vk_cmd_pass_views(pass); views; views &= views - 1)
        add_ranges(pass, util_lowest_bit(views));
}

/* Those that do not go with the others' width, and those that programs read while an earlier replay has drawn them. */
static void stage_surfaces(struct vc4vk_cmd_buffer *cmd, uint32_t most)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const bool reads_own = pass->replay_count > 1 && vc4vk_cmd_pass_reads_own(pass);
    FOR_EACH_SURFACE(pass, s)
    {
        const struct vc4vk_level_widths widths = vc4vk_level_widths(s->level);
        const bool is_kept_apart = reads_own && s != &pass->depth;
        if (is_kept_apart || !suits_jobs(pass, s) || widths.most < most || widths.least > most)
            s->stage = vc4vk_cmd_stage_new(cmd, s);
        if (s->stage)
            pass->found_for = NULL;
    }
}

/* One width for all surfaces of a job; those that do not go with the first are staged, and those whose texels are not
 * the tile buffer's words. */
static void find_extent(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    uint32_t least = 1, most = UINT32_MAX;
    bool all_suit = true;
    pass->height_px = pass->framebuffer->height_px;
    FOR_EACH_SURFACE (pass, s) {
        const struct vc4vk_level_widths widths = vc4vk_level_widths(s->level);
        pass->height_px = MIN2(pass->height_px, s->level->height_el);
        if (!suits_jobs(pass, s) || widths.most < least || widths.least > most) {
            all_suit = false;
            continue;
        }
        least = MAX2(least, widths.least);
        most = MIN2(most, widths.most);
    }
    if (most == UINT32_MAX) /* nothing is stored, or all is staged: the framebuffer's size will do */
        most = pass->framebuffer->width_px;
    pass->width_px = most;
    find_ranges(pass);
    if (!all_suit || pass->replay_count > 1)
        stage_surfaces(cmd, most);
}

/* The part of the area that lies in a range: all of it where there is one range for each view. */
static void find_range_area(const struct vc4vk_cmd_pass *pass, struct vc4vk_cmd_range *r)
{
    const VkRect2D *area = &pass->area;
    const uint32_t left = (uint32_t)area->offset.x, top = (uint32_t)area->offset.y;
    const uint32_t x = CLAMP(left, r->x_px, r->x_px + r->width_px), y = CLAMP(top, r->y_px, r->y_px + r->height_px);
    const uint32_t right = CLAMP(left + area->extent.width, r->x_px, r->x_px + r->width_px),
                   bottom = CLAMP(top + area->extent.height, r->y_px, r->y_px + r->height_px);
    r->area = (VkRect2D){{(int32_t)(x - r->x_px), (int32_t)(y - r->y_px)}, {right - x, bottom - y}};
    r->min_x_tl = vc4vk_tile_at(x - r->x_px, pass->samples);
    r->min_y_tl = vc4vk_tile_at(y - r->y_px, pass->samples);
    r->max_x_tl = vc4vk_tile_at(MAX2(right - r->x_px, 1u) - 1, pass->samples);
    r->max_y_tl = vc4vk_tile_at(MAX2(bottom - r->y_px, 1u) - 1, pass->samples);
}

static void find_range_areas(struct vc4vk_cmd_pass *pass)
{
    for (uint32_t i = 0; i < pass->range_count; i++) {
        struct vc4vk_cmd_range *r = &pass->ranges[i];
        if (pass->is_cut) {
            find_range_area(pass, r);
            continue;
        }
        r->area = pass->area;
        r->min_x_tl = pass->min_x_tl;
        r->min_y_tl = pass->min_y_tl;
        r->max_x_tl = pass->max_x_tl;
        r->max_y_tl = pass->max_y_tl;
    }
}

/* The tiles under the area, and whether it covers every pixel of them that memory has. */
static void find_tiles(struct vc4vk_cmd_pass *pass)
{
    const VkRect2D *a = &pass->area;
    const uint32_t left = (uint32_t)a->offset.x, top = (uint32_t)a->offset.y;
    const uint32_t right = left + a->extent.width, bottom = top + a->extent.height;
    const uint32_t in_tile = vc4vk_tile_px(pass->samples) - 1; /* tiles are powers of two */
    pass->min_x_tl = vc4vk_tile_at(left, pass->samples);
    pass->min_y_tl = vc4vk_tile_at(top, pass->samples);
    pass->max_x_tl = vc4vk_tile_at(MAX2(right, 1u) - 1, pass->samples);
    pass->max_y_tl = vc4vk_tile_at(MAX2(bottom, 1u) - 1, pass->samples);
    find_range_areas(pass);
    pass->covers_tiles = !(left & in_tile) && !(top & in_tile);
    if (!(right & in_tile) && !(bottom & in_tile))
        return;
    FOR_EACH_SURFACE (pass, s) {
        pass->covers_tiles &= !(right & in_tile) || right >= s->view->width_px;
        pass->covers_tiles &= !(bottom & in_tile) || bottom >= s->view->height_px;
    }
}

/* The tile buffer resolves where its mean of bytes is the texel's, rows have the job's length, and nothing outside of
 * the area is stored. */
static bool resolves_in_tiles(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s)
{
    const struct vc4vk_image_view *to = s->resolve;
    const struct vc4vk_image_plane *plane = vc4vk_image_view_plane(to);
    const struct vc4vk_level_widths widths = vc4vk_level_widths(&plane->layout.level[to->base_level]);
    return !pass->is_cut && pass->covers_tiles && pass->width_px >= widths.least && pass->width_px <= widths.most &&
           plane->layout.cpp == 4 && pass->height_px <= plane->layout.level[to->base_level].height_el &&
           to->storage == s->view->storage && vc4vk_resolves_by_bytes(to->storage);
}

static void find_resolves(struct vc4vk_cmd_pass *pass)
{
    const bool resolves = pass->pass->subpasses[pass->subpass].resolves != NULL;
    for (uint32_t i = 0; resolves && i < pass->replay_count; i++)
        if (pass->colors[i].resolve)
            pass->colors[i].resolves_in_tiles = resolves_in_tiles(pass, &pass->colors[i]);
}

void vc4vk_cmd_pass_set_samples(struct vc4vk_cmd_buffer *cmd, uint32_t samples)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    if (cmd->continues_pass || pass->depth.view || pass->samples == samples)
        return;
    for (uint32_t i = 0; i < pass->replay_count; i++)
        if (pass->colors[i].view)
            return;
    vc4vk_cmd_pass_split(cmd);
    pass->samples = samples;
    find_tiles(pass);
}

/* ---------------------------------------------------------------- load operations */

static void cpu_clear(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *surface, VkImageAspectFlags aspects,
                      const VkClearValue *value, uint32_t first_layer, uint32_t layers)
{
    const struct vc4vk_image_view *view = surface->view;
    if (!layers)
        return;
    vc4vk_cmd_clear_image_rect(cmd, &(struct vc4vk_clear_image_rect){
                                        .image = view->image,
                                        .format = view->storage,
                                        .aspects = aspects,
                                        .level = view->base_level,
                                        .first_layer = view->base_layer + first_layer,
                                        .layers = layers,
                                        .rect = cmd->pass.area,
                                        .value = *value,
                                    });
}

static VkClearValue clear_value(const struct vc4vk_cmd_pass *pass, uint32_t attachment)
{
    return attachment < pass->clear_count ? pass->clears[attachment] : (VkClearValue){0};
}

/* The layers that the load operation clears, without those that the tiles of this subpass do. Of several views: those
 * of all subpasses that the attachment is used in, though it is only here that it is used first. */
static void clear_layers(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *s, VkImageAspectFlags aspects,
                         const VkClearValue *value, bool in_tiles)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    uint32_t views = 0, layers = MAX2(pass->framebuffer->layers, 1u);
    if (!pass->pass->view_mask) {
        cpu_clear(cmd, s, aspects, value, in_tiles, layers - in_tiles);
        return;
    }
    for (uint32_t i = pass->subpass; i <= pass->pass->last_use[s->attachment]; i++)
        views |= pass->pass->subpasses[i].view_mask;
    if (in_tiles)
        views &= ~vc4vk_cmd_pass_views(pass);
    for (; views; views &= views - 1)
        cpu_clear(cmd, s, aspects, value, util_lowest_bit(views), 1);
}

/* Then tiles clear all that there is. */
static bool is_one_layer_in_tiles(const struct vc4vk_cmd_pass *pass)
{
    return pass->covers_tiles && !pass->pass->view_mask && pass->framebuffer->layers <= 1;
}

static uint32_t clear_word(struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s,
                           const VkClearColorValue *value)
{
    const enum hw_format format = s->view->storage;
    if (pass->last_clear.format != format || pass->last_clear.word != s->word ||
        memcmp(&pass->last_clear.value, value, sizeof *value)) {
        pass->last_clear.format = format;
        pass->last_clear.word = s->word;
        pass->last_clear.value = *value;
        pass->last_clear.clear_word = vc4vk_clear_color_word(format, s->word, value);
    }
    return pass->last_clear.clear_word;
}

static void begin_color(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_surface *s)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    if (pass->pass->first_use[s->attachment] < pass->subpass) {
        s->begin = VC4VK_TILE_LOAD;
        return;
    }
    VkAttachmentLoadOp op = pass->pass->attachments[s->attachment].loadOp;
    VkClearValue value = clear_value(pass, s->attachment);
    s->begin = op == VK_ATTACHMENT_LOAD_OP_LOAD || !pass->covers_tiles ? VC4VK_TILE_LOAD : VC4VK_TILE_UNDEFINED;
    if (op != VK_ATTACHMENT_LOAD_OP_CLEAR)
        return;
    if (s->word == 0 && !is_one_layer_in_tiles(pass)) /* all words at once */
        clear_layers(cmd, s, VK_IMAGE_ASPECT_COLOR_BIT, &value, pass->covers_tiles);
    if (pass->covers_tiles) {
        s->begin = VC4VK_TILE_CLEAR;
        s->clear_word = clear_word(pass, s, &value.color);
    }
}

static void begin_depth(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_cmd_surface *s = &pass->depth;
    const VkAttachmentDescription *a = &pass->pass->attachments[s->attachment];
    const VkImageAspectFlags has = s->view->format->aspects;
    if (pass->pass->first_use[s->attachment] < pass->subpass) {
        s->begin = VC4VK_TILE_LOAD;
        return;
    }
    VkImageAspectFlags cleared = 0, loaded = 0;
    if (has & VK_IMAGE_ASPECT_DEPTH_BIT) {
        cleared |= a->loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR ? VK_IMAGE_ASPECT_DEPTH_BIT : 0u;
        loaded |= a->loadOp == VK_ATTACHMENT_LOAD_OP_LOAD ? VK_IMAGE_ASPECT_DEPTH_BIT : 0u;
    }
    if (has & VK_IMAGE_ASPECT_STENCIL_BIT) {
        cleared |= a->stencilLoadOp == VK_ATTACHMENT_LOAD_OP_CLEAR ? VK_IMAGE_ASPECT_STENCIL_BIT : 0u;
        loaded |= a->stencilLoadOp == VK_ATTACHMENT_LOAD_OP_LOAD ? VK_IMAGE_ASPECT_STENCIL_BIT : 0u;
    }
    VkClearValue value = clear_value(pass, s->attachment);
    bool in_tiles = pass->covers_tiles && !loaded;
    s->begin = in_tiles ? VC4VK_TILE_UNDEFINED : VC4VK_TILE_LOAD;
    if (!cleared)
        return;
    clear_layers(cmd, s, cleared, &value, in_tiles);
    if (in_tiles) {
        s->begin = VC4VK_TILE_CLEAR;
        pass->clear_z = vc4vk_clear_depth_word(value.depthStencil.depth);
        pass->clear_s = (uint8_t)value.depthStencil.stencil;
    }
}

/* Of what depth and stencil are resolved to, an aspect that is not may still be cleared. */
static void begin_depth_resolve(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const struct vc4vk_subpass *subpass = &pass->pass->subpasses[pass->subpass];
    const struct vc4vk_cmd_surface s = {.view = pass->depth.resolve, .attachment = subpass->depth_resolve.attachment};
    if (!s.view || pass->pass->first_use[s.attachment] < pass->subpass)
        return;
    const VkAttachmentDescription *a = &pass->pass->attachments[s.attachment];
    const VkClearValue value = clear_value(pass, s.attachment);
    VkImageAspectFlags cleared = 0;
    if (!subpass->depth_mode && a->loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR)
        cleared |= VK_IMAGE_ASPECT_DEPTH_BIT;
    if (!subpass->stencil_mode && a->stencilLoadOp == VK_ATTACHMENT_LOAD_OP_CLEAR)
        cleared |= VK_IMAGE_ASPECT_STENCIL_BIT;
    if (cleared & s.view->format->aspects)
        clear_layers(cmd, &s, cleared & s.view->format->aspects, &value, false);
}

/* ---------------------------------------------------------------- subpasses */

static const struct vc4vk_image_view *attachment_view(const struct vc4vk_cmd_pass *pass, uint32_t attachment)
{
    return attachment == VK_ATTACHMENT_UNUSED ? NULL : vc4vk_image_view_from_handle(pass->attachments[attachment]);
}

/* A surface for every word of every colour attachment, in the order of the pipelines' replays. */
static void find_colors(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_subpass *subpass)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    pass->replay_count = 0;
    for (uint32_t i = 0; i < subpass->color_count; i++) {
        uint32_t attachment = subpass->colors[i].attachment;
        const struct vc4vk_image_view *view = attachment_view(pass, attachment);
        if (!view)
            continue;
        const struct vc4vk_image_view *resolve = subpass->resolves && view->image->samples > 1
                                                     ? attachment_view(pass, subpass->resolves[i].attachment)
                                                     : NULL;
        const bool pairs = pass->pairs & BIT(i);
        const uint32_t words = pairs ? 3 : view->image->plane_count;
        for (uint32_t word = 0; word < words && pass->replay_count < VC4VK_MAX_REPLAYS; word++) {
            pass->colors[pass->replay_count] = surface_of(view, attachment, word, pairs);
            pass->colors[pass->replay_count++].resolve = resolve;
        }
    }
    if (!pass->replay_count)
        pass->colors[pass->replay_count++] = surface_of(NULL, VK_ATTACHMENT_UNUSED, 0, false);
}

bool vc4vk_cmd_pass_reads_own(const struct vc4vk_cmd_pass *pass)
{
    const struct vc4vk_subpass *subpass = &pass->pass->subpasses[pass->subpass];
    bool reads = false;
    for (uint32_t i = 0; i < subpass->input_count; i++) {
        uint32_t input = subpass->inputs[i].attachment;
        bool is_written = input == subpass->depth_stencil.attachment;
        for (uint32_t c = 0; c < subpass->color_count; c++)
            is_written |= input == subpass->colors[c].attachment;
        if (i < VC4VK_MAX_TILE_INPUTS && (pass->tile_inputs & BIT(i)))
            continue;
        reads |= is_written && input != VK_ATTACHMENT_UNUSED;
    }
    return reads;
}

static void find_surfaces(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const struct vc4vk_subpass *subpass = &pass->pass->subpasses[pass->subpass];
    pass->pairs = 0;
    find_colors(cmd, subpass);
    pass->depth = surface_of(attachment_view(pass, subpass->depth_stencil.attachment),
                             subpass->depth_stencil.attachment, 0, false);
    if (pass->depth.view && pass->depth.view->image->samples > 1)
        pass->depth.resolve = attachment_view(pass, subpass->depth_resolve.attachment);
    pass->samples = 0;
    FOR_EACH_SURFACE(pass, s)
    pass->samples = s->view->image->samples;
}

static void flush(struct vc4vk_cmd_buffer *cmd, bool more_follows);

/* Secondaries may be executed in any compatible pass, whose input attachments may be others. */
static uint32_t find_tile_inputs(const struct vc4vk_cmd_buffer *cmd, uint32_t subpass, VkSubpassContents contents)
{
    return cmd->pass.pass->subpasses[subpass].input_count && contents == VK_SUBPASS_CONTENTS_INLINE &&
                   !vc4vk_cmd_query_wants_counts(cmd)
               ? vc4vk_render_pass_tile_inputs(cmd->pass.pass, subpass)
               : 0;
}

static void set_tile_inputs(struct vc4vk_cmd_buffer *cmd, uint32_t inputs)
{
    if (cmd->pass.tile_inputs != inputs)
        cmd->state.dirty |= VC4VK_DIRTY_DESCRIPTORS; /* programs have other sampling classes */
    cmd->pass.tile_inputs = inputs;
}

void vc4vk_cmd_pass_leave_tiles(struct vc4vk_cmd_buffer *cmd)
{
    if (!cmd->pass.tile_inputs)
        return;
    set_tile_inputs(cmd, 0);
    flush(cmd, true);
}

/* Other passes with the same framebuffer find the same, but for staging: that is each job's own. */
static void find_subpass(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    find_surfaces(cmd);
    const bool has_samples = pass->samples; /* else a pipeline says how many there are */
    pass->found_for = pass->subpass || !has_samples || pass->framebuffer->is_imageless ? NULL : pass->pass;
    find_extent(cmd);
    find_tiles(pass);
    find_resolves(pass);
}

/* `is_found`: all that it draws into. */
static void begin_subpass(struct vc4vk_cmd_buffer *cmd, bool is_found)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    set_tile_inputs(cmd, find_tile_inputs(cmd, pass->subpass, pass->contents));
    if (!is_found)
        find_subpass(cmd);
    if (cmd->error != VK_SUCCESS)
        return;
    for (uint32_t i = 0; i < pass->replay_count; i++)
        if (pass->colors[i].view)
            begin_color(cmd, &pass->colors[i]);
    if (pass->depth.view)
        begin_depth(cmd);
    if (pass->depth.resolve)
        begin_depth_resolve(cmd);
    cmd->state.dirty |= VC4VK_DIRTY_JOB;
    if (pass->pass->subpasses[pass->subpass].input_count &&
        vc4vk_cmd_pass_reads_own(pass)) /* what it was cleared to is read from memory */
        flush(cmd, true);
}

/* ---------------------------------------------------------------- jobs */

/* A part of a secondary: its surfaces are the primary's affair. */
static void close_part(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_part *part = cmd->job && cmd->job->draw_count ? vc4vk_cmd_new(cmd, struct vc4vk_cmd_part) : NULL;
    if (part) {
        vc4vk_cmd_job_end_section(cmd->job);
        part->job = cmd->job;
        *cmd->parts_end = part;
        cmd->parts_end = &part->next;
    }
    cmd->job = NULL;
}

struct vc4vk_cmd_job *vc4vk_cmd_pass_job(struct vc4vk_cmd_buffer *cmd)
{
    if (cmd->error != VK_SUCCESS || !cmd->pass.pass)
        return NULL;
    if (!cmd->job)
        vc4vk_cmd_open_job(cmd);
    return cmd->job;
}

static void resolve_layers(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *s, uint32_t first,
                           uint32_t count)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    const struct vc4vk_subpass *subpass = &pass->pass->subpasses[pass->subpass];
    struct vc4vk_attachment_resolve r = {s->view, s->resolve, VK_IMAGE_ASPECT_COLOR_BIT, VK_RESOLVE_MODE_NONE,
                                         pass->area, first, count};
    if (s != &pass->depth) {
        vc4vk_cmd_resolve_attachment(cmd, &r);
        return;
    }
    for (r.aspect = VK_IMAGE_ASPECT_DEPTH_BIT; r.aspect <= VK_IMAGE_ASPECT_STENCIL_BIT; r.aspect <<= 1) {
        r.mode = r.aspect == VK_IMAGE_ASPECT_DEPTH_BIT ? subpass->depth_mode : subpass->stencil_mode;
        if (r.mode && (s->view->format->aspects & s->resolve->format->aspects & r.aspect))
            vc4vk_cmd_resolve_attachment(cmd, &r);
    }
}

/* By the CPU: all layers that the subpass resolves, without those that tiles do. */
static void resolve(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *s)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    const uint32_t layers = MAX2(pass->framebuffer->layers, 1u), done = s->resolves_in_tiles;
    uint32_t views = pass->pass->view_mask && !done ? vc4vk_cmd_pass_views(pass) : 0;
    if (!pass->pass->view_mask && layers > done)
        resolve_layers(cmd, s, done, layers - done);
    for (; views; views &= views - 1)
        resolve_layers(cmd, s, util_lowest_bit(views), 1);
}

/* Clears and resolves without draws have no job yet. */
static bool needs_job(struct vc4vk_cmd_pass *pass, bool more_follows)
{
    bool needs = false;
    FOR_EACH_SURFACE (pass, s)
    needs |= s->begin == VC4VK_TILE_CLEAR || (s->resolves_in_tiles && !more_follows);
    return needs;
}

static void resolve_all(struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    const bool has_resolves = pass->pass->subpasses[pass->subpass].resolves != NULL;
    for (uint32_t i = 0; has_resolves && i < pass->replay_count; i++) {
        const struct vc4vk_cmd_surface *s = &pass->colors[i];
        if (s->resolve && s->word == 0) /* all words at once */
            resolve(cmd, s);
    }
    if (pass->depth.resolve)
        resolve(cmd, &pass->depth);
}

static void flush(struct vc4vk_cmd_buffer *cmd, bool more_follows)
{
    if (!cmd->job && needs_job(&cmd->pass, more_follows))
        vc4vk_cmd_pass_job(cmd);
    vc4vk_cmd_replay_job(cmd, more_follows);
    if (!more_follows)
        resolve_all(cmd);
}

void vc4vk_cmd_pass_barrier(struct vc4vk_cmd_buffer *cmd)
{
    if (cmd->error != VK_SUCCESS || !cmd->pass.pass || !vc4vk_cmd_pass_reads_own(&cmd->pass))
        return;
    vc4vk_cmd_pass_split(cmd);
    struct vc4vk_cmd_part *part = cmd->continues_pass ? vc4vk_cmd_new(cmd, struct vc4vk_cmd_part) : NULL;
    if (part) {
        part->is_barrier = true;
        *cmd->parts_end = part;
        cmd->parts_end = &part->next;
    }
}

void vc4vk_cmd_pass_split(struct vc4vk_cmd_buffer *cmd)
{
    if (cmd->continues_pass)
        close_part(cmd);
    else if (cmd->pass.pass && cmd->error == VK_SUCCESS)
        flush(cmd, true);
}

/* Everything is in memory then: whatever comes next loads it. */
void vc4vk_cmd_pass_set_pairs(struct vc4vk_cmd_buffer *cmd, uint32_t pairs)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    if (cmd->continues_pass) {
        if (cmd->job && cmd->job->draw_count && cmd->job->pairs != pairs)
            close_part(cmd);
        return;
    }
    if (!pass->pass || pass->pairs == pairs || cmd->error != VK_SUCCESS)
        return;
    flush(cmd, true);
    pass->pairs = pairs;
    pass->found_for = NULL;
    pass->depth.stage = NULL;
    find_colors(cmd, &pass->pass->subpasses[pass->subpass]);
    find_extent(cmd);
    find_tiles(pass);
    find_resolves(pass);
    FOR_EACH_SURFACE(pass, s)
    s->begin = VC4VK_TILE_LOAD;
    cmd->state.dirty |= VC4VK_DIRTY_JOB;
}

/* ---------------------------------------------------------------- entry points */

/* Each device of a group may have an area of its own. */
static const VkRect2D *render_area(const VkRenderPassBeginInfo *info)
{
    const VkDeviceGroupRenderPassBeginInfo *group =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO);
    return group && group->deviceRenderAreaCount ? &group->pDeviceRenderAreas[0] : &info->renderArea;
}

/* Of the area, what lies in the framebuffer. */
static VkRect2D clip_area(const VkRect2D *area, const struct vc4vk_framebuffer *framebuffer)
{
    const uint32_t x = MIN2((uint32_t)MAX2(area->offset.x, 0), framebuffer->width_px),
                   y = MIN2((uint32_t)MAX2(area->offset.y, 0), framebuffer->height_px);
    return (VkRect2D){.offset = {(int32_t)x, (int32_t)y},
                      .extent = {MIN2(area->extent.width, framebuffer->width_px - x),
                                 MIN2(area->extent.height, framebuffer->height_px - y)}};
}

static bool is_same_rect(const VkRect2D *a, const VkRect2D *b)
{
    return a->offset.x == b->offset.x && a->offset.y == b->offset.y && a->extent.width == b->extent.width &&
           a->extent.height == b->extent.height;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginRenderPass(VkCommandBuffer cmd_h, const VkRenderPassBeginInfo *info,
                                                    VkSubpassContents contents)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const struct vc4vk_framebuffer *framebuffer = vc4vk_framebuffer_from_handle(info->framebuffer);
    const VkRenderPassAttachmentBeginInfo *attachments =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
    const VkRect2D area = clip_area(render_area(info), framebuffer);
    pass->pass = vc4vk_render_pass_from_handle(info->renderPass);
    const bool is_found =
        pass->found_for == pass->pass && pass->framebuffer == framebuffer && is_same_rect(&pass->area, &area);
    const bool is_single = pass->pass->subpass_count == 1;
    pass->framebuffer = framebuffer;
    pass->attachments = framebuffer->attachments;
    pass->subpass = 0;
    pass->contents = contents;
    pass->area = area;
    pass->clears = is_single
                       ? info->pClearValues
                       : vc4vk_cmd_copy(cmd, info->pClearValues, info->clearValueCount * sizeof *info->pClearValues);
    pass->clear_count = info->clearValueCount;
    pass->clear_z = pass->clear_s = 0;
    pass->has_jobs = pass->was_on_engine = false;
    if (framebuffer->is_imageless && attachments)
        pass->attachments = vc4vk_cmd_copy(cmd, attachments->pAttachments,
                                           attachments->attachmentCount * sizeof *attachments->pAttachments);
    cmd->at_barrier |= pass->pass->waits;
    if (cmd->error == VK_SUCCESS)
        begin_subpass(cmd, is_found);
    if (is_single) /* they were the call's */
        pass->clear_count = 0;
}

/* Does it read what this job may have written, from memory? */
static bool reads_written(const struct vc4vk_cmd_pass *pass, const struct vc4vk_subpass *next, uint32_t tile_inputs)
{
    for (uint32_t i = 0; i < next->input_count; i++) {
        const uint32_t input = next->inputs[i].attachment;
        if (input == VK_ATTACHMENT_UNUSED || (i < VC4VK_MAX_TILE_INPUTS && (tile_inputs & BIT(i))))
            continue;
        if (input == pass->depth.attachment ||
            (pass->pass->attachments[input].flags & VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT))
            return true;
        for (uint32_t c = 0; c < pass->replay_count; c++)
            if (input == pass->colors[c].attachment)
                return true;
    }
    return false;
}

/* Stays in the tile buffer when the next subpass has the same attachments and reads none of them elsewhere. */
static bool continues(const struct vc4vk_cmd_pass *pass, uint32_t tile_inputs)
{
    const struct vc4vk_subpass *next = &pass->pass->subpasses[pass->subpass + 1];
    uint32_t at = 0;
    if (next->view_mask != pass->pass->subpasses[pass->subpass].view_mask)
        return false;
    for (uint32_t i = 0; i < next->color_count; i++) {
        if (next->colors[i].attachment == VK_ATTACHMENT_UNUSED)
            continue;
        if (at == pass->replay_count || next->colors[i].attachment != pass->colors[at].attachment)
            return false;
        if (pass->colors[at].resolve || (next->resolves && next->resolves[i].attachment != VK_ATTACHMENT_UNUSED))
            return false;
        at += pass->colors[at].view->image->plane_count;
    }
    bool all = at == pass->replay_count || !pass->colors[at].view;
    if (pass->depth.resolve || next->depth_resolve.attachment != VK_ATTACHMENT_UNUSED)
        return false;
    return !pass->pairs && all && next->depth_stencil.attachment == pass->depth.attachment &&
           !reads_written(pass, next, tile_inputs);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdNextSubpass(VkCommandBuffer cmd_h, VkSubpassContents contents)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    if (cmd->error != VK_SUCCESS || !pass->pass || pass->subpass + 1 >= pass->pass->subpass_count)
        return;
    const uint32_t tile_inputs = find_tile_inputs(cmd, pass->subpass + 1, contents);
    const bool same = continues(pass, tile_inputs);
    if (!same)
        flush(cmd, false);
    pass->subpass++;
    pass->contents = contents;
    if (same)
        set_tile_inputs(cmd, tile_inputs);
    else
        begin_subpass(cmd, false);
}

struct decode {
    const struct vc4vk_image *blocks;
    uint32_t first_layer, layers;
};

static VkResult run_decode(void *arguments)
{
    const struct decode *d = arguments;
    return vc4vk_image_decode(d->blocks, d->first_layer, d->layers)
               ? VK_SUCCESS
               : vc4vk_errorf(d->blocks, VK_ERROR_MEMORY_MAP_FAILED, "decode: image memory is not mapped");
}

/* Attachments whose texels are blocks of compressed images, which programs sample as what they are decoded to. */
static void decode_attachments(struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    for (uint32_t i = 0; i < pass->pass->attachment_count; i++) {
        const struct vc4vk_image_view *view = attachment_view(pass, i);
        struct decode *decode = view->image->blocks_of ? vc4vk_cmd_new(cmd, struct decode) : NULL;
        if (!decode)
            continue;
        *decode = (struct decode){view->image, view->base_layer, view->layers};
        vc4vk_cmd_add_op(cmd, "decode attachment", run_decode, decode);
    }
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndRenderPass(VkCommandBuffer cmd_h)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (cmd->error == VK_SUCCESS && cmd->pass.pass) {
        flush(cmd, false);
        if (cmd->query.sum)
            vc4vk_cmd_query_flush(cmd);
        decode_attachments(cmd);
        cmd->at_barrier |= cmd->pass.pass->waited_for;
    }
    cmd->pass.pass = NULL;
}

/* -- VK_KHR_create_renderpass2 ------------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginRenderPass2KHR(VkCommandBuffer cmd, const VkRenderPassBeginInfo *info,
                                                        const VkSubpassBeginInfo *begin)
{
    vc4vk_CmdBeginRenderPass(cmd, info, begin->contents);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdNextSubpass2KHR(VkCommandBuffer cmd, const VkSubpassBeginInfo *begin,
                                                    const VkSubpassEndInfo *end)
{
    vc4vk_CmdNextSubpass(cmd, begin->contents);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndRenderPass2KHR(VkCommandBuffer cmd, const VkSubpassEndInfo *end)
{
    vc4vk_CmdEndRenderPass(cmd);
}
