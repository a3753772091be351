/* SPDX-License-Identifier: MIT
 *
 * Determines the surfaces of a subpass: one for each word of its attachments, their common width and tiles, and whether
 * the first job loads or clears them.
 *
 * The tile buffer clears whole tiles: colour, or depth together with stencil. If a load operation clears less (part of
 * a tile, one aspect), the CPU clears memory before the first job, and the job loads it.
 */
#include "cmdbuf/vc4vk_cmd_surfaces.h"
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_clear.h"
#include "cmdbuf/vc4vk_cmd_resolve.h"
#include "cmdbuf/vc4vk_cmd_staging.h"
#include "device/vc4vk_format.h"
#include "transfer/vc4vk_job_surface.h"
#include "transfer/vc4vk_transfer.h"

/* ---------------------------------------------------------------- ranges and tiles */

static bool has_other_words(const struct vc4vk_cmd_surface *s)
{
    return s->pairs || vc4vk_image_view_plane(s->view)->layout.cpp != 4;
}

/* Whether jobs can use the surface directly, as far as its texels and its size are concerned. */
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

/* Adds ranges while there are fewer than `most`. */
static void add_ranges(struct vc4vk_cmd_pass *pass, uint32_t view, uint32_t most)
{
    for (uint32_t y = 0; y < pass->height_px; y += VC4VK_MAX_IMAGE_PX)
        for (uint32_t x = 0; x < pass->width_px && pass->range_count < most; x += VC4VK_MAX_IMAGE_PX) {
            struct vc4vk_cmd_range *r = &pass->ranges[pass->range_count++];
            r->view = view;
            r->x_px = x;
            r->y_px = y;
            r->width_px = MIN2(pass->width_px - x, VC4VK_MAX_IMAGE_PX);
            r->height_px = MIN2(pass->height_px - y, VC4VK_MAX_IMAGE_PX);
        }
}

/* Leaves the ranges' areas to vc4vk_cmd_surfaces_find_tiles. After a failure some ranges are missing. */
static void find_ranges(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    uint32_t most = util_div_round_up(pass->width_px, VC4VK_MAX_IMAGE_PX) *
                    util_div_round_up(pass->height_px, VC4VK_MAX_IMAGE_PX) *
                    (uint32_t)__builtin_popcount(vc4vk_cmd_pass_views(pass));
    struct vc4vk_cmd_range *many = NULL;
    if (most > ARRAY_SIZE(pass->few_ranges))
        many = vc4vk_cmd_alloc(cmd, most * sizeof *many);
    if (!many)
        most = ARRAY_SIZE(pass->few_ranges);
    pass->ranges = many ? many : pass->few_ranges;
    pass->range_count = 0;
    pass->is_cut = pass->width_px > VC4VK_MAX_IMAGE_PX || pass->height_px > VC4VK_MAX_IMAGE_PX;
    for (uint32_t views = vc4vk_cmd_pass_views(pass); views; views &= views - 1)
        add_ranges(pass, util_lowest_bit(views), most);
}

/* Stages the surfaces whose stride does not fit the common width, and with several replays those that programs read: a
 * replay must not see what an earlier one has drawn. */
static void stage_surfaces(struct vc4vk_cmd_buffer *cmd, uint32_t max)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const bool reads_own = pass->replay_count > 1 && vc4vk_cmd_pass_reads_own(pass);
    VC4VK_FOR_EACH_SURFACE(pass, s) {
        const struct vc4vk_level_widths widths = vc4vk_level_widths(s->level);
        const bool is_input = reads_own && s != &pass->depth;
        if (is_input || !suits_jobs(pass, s) || widths.max < max || widths.min > max)
            s->stage = vc4vk_cmd_staging_new(cmd, s);
        if (s->stage)
            pass->found_for = NULL;
    }
}

/* Chooses one width for all surfaces of a job. Surfaces that do not fit the width of earlier ones are staged, and so
 * are those whose texels are not words of the tile buffer. */
static void find_extent(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    uint32_t min = 1, max = UINT32_MAX;
    bool all_suit = true;
    pass->height_px = pass->framebuffer->height_px;
    VC4VK_FOR_EACH_SURFACE(pass, s) {
        const struct vc4vk_level_widths widths = vc4vk_level_widths(s->level);
        pass->height_px = MIN2(pass->height_px, s->level->height_el);
        if (!suits_jobs(pass, s) || widths.max < min || widths.min > max) {
            all_suit = false;
            continue;
        }
        min = MAX2(min, widths.min);
        max = MIN2(max, widths.max);
    }
    if (max == UINT32_MAX) /* no surfaces, or all are staged: any width will do */
        max = pass->framebuffer->width_px;
    pass->width_px = max;
    find_ranges(cmd);
    if (!all_suit || pass->replay_count > 1)
        stage_surfaces(cmd, max);
}

/* The part of the render area that lies in the range. */
static void find_range_area(const struct vc4vk_cmd_pass *pass, struct vc4vk_cmd_range *r)
{
    const VkRect2D *area = &pass->area;
    const uint32_t left = (uint32_t)area->offset.x, top = (uint32_t)area->offset.y;
    const uint32_t x = CLAMP(left, r->x_px, r->x_px + r->width_px), y = CLAMP(top, r->y_px, r->y_px + r->height_px);
    const uint32_t right = CLAMP(left + area->extent.width, r->x_px, r->x_px + r->width_px),
                   bottom = CLAMP(top + area->extent.height, r->y_px, r->y_px + r->height_px);
    r->area = (VkRect2D){{(int32_t)(x - r->x_px), (int32_t)(y - r->y_px)}, {right - x, bottom - y}};
    r->max_x_tl = (uint8_t)vc4vk_tile_at(MAX2(right - r->x_px, 1u) - 1, pass->samples);
    r->max_y_tl = (uint8_t)vc4vk_tile_at(MAX2(bottom - r->y_px, 1u) - 1, pass->samples);
    r->min_x_tl = MIN2((uint8_t)vc4vk_tile_at(x - r->x_px, pass->samples), r->max_x_tl); /* the part may be empty */
    r->min_y_tl = MIN2((uint8_t)vc4vk_tile_at(y - r->y_px, pass->samples), r->max_y_tl);
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
        r->min_x_tl = (uint8_t)pass->min_x_tl;
        r->min_y_tl = (uint8_t)pass->min_y_tl;
        r->max_x_tl = (uint8_t)pass->max_x_tl;
        r->max_y_tl = (uint8_t)pass->max_y_tl;
    }
}

/* Also finds whether the area covers every pixel of these tiles that exists in memory (covers_tiles). */
void vc4vk_cmd_surfaces_find_tiles(struct vc4vk_cmd_pass *pass)
{
    const VkRect2D *a = &pass->area;
    const uint32_t left = (uint32_t)a->offset.x, top = (uint32_t)a->offset.y;
    const uint32_t right = left + a->extent.width, bottom = top + a->extent.height;
    const uint32_t in_tile = hw_tile_px(pass->samples) - 1; /* tiles are powers of two */
    pass->max_x_tl = vc4vk_tile_at(MAX2(right, 1u) - 1, pass->samples);
    pass->max_y_tl = vc4vk_tile_at(MAX2(bottom, 1u) - 1, pass->samples);
    /* an empty area, which is not allowed, may begin at a tile after that; jobs have at least a tile */
    pass->min_x_tl = MIN2(vc4vk_tile_at(left, pass->samples), pass->max_x_tl);
    pass->min_y_tl = MIN2(vc4vk_tile_at(top, pass->samples), pass->max_y_tl);
    find_range_areas(pass);
    pass->covers_tiles = left < right && top < bottom && !(left & in_tile) && !(top & in_tile);
    if (!(right & in_tile) && !(bottom & in_tile))
        return;
    VC4VK_FOR_EACH_SURFACE(pass, s) {
        pass->covers_tiles &= !(right & in_tile) || right >= s->view->width_px;
        pass->covers_tiles &= !(bottom & in_tile) || bottom >= s->view->height_px;
    }
}

/* Whether jobs can access the target of the resolve directly: its words are those of the samples, and its stride fits.
 */
static bool is_resolve_in_reach(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s)
{
    const struct vc4vk_image_view *to = s->resolve;
    const struct vc4vk_image_plane *plane = vc4vk_image_view_plane(to);
    const struct vc4vk_level_widths widths = vc4vk_level_widths(&plane->layout.level[to->base_level]);
    const bool has_layers = !pass->pass->view_mask && pass->framebuffer->layers > 1; /* not all are drawn */
    return !has_layers && !pass->is_cut && pass->width_px >= widths.min && pass->width_px <= widths.max &&
           plane->layout.cpp == 4 && pass->height_px <= plane->layout.level[to->base_level].height_el &&
           to->storage == s->view->storage;
}

/* The tile buffer can resolve if the mean of bytes is correct for the format, and nothing outside of the area is
 * stored. */
static void find_resolves(struct vc4vk_cmd_pass *pass)
{
    for (uint32_t i = 0; i < pass->replay_count; i++) {
        struct vc4vk_cmd_surface *s = &pass->colors[i];
        s->resolves_in_tiles = vc4vk_cmd_surface_is_resolved(pass, s) && is_resolve_in_reach(pass, s) &&
                               pass->covers_tiles && vc4vk_resolves_by_bytes(s->resolve->storage);
    }
}

bool vc4vk_cmd_surface_is_resolved(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s)
{
    if (!s->is_implicit)
        return s->resolve != NULL;
    const VkAttachmentDescription *a = &pass->pass->attachments[s->attachment];
    const bool has_stencil = s->view->format->aspects & VK_IMAGE_ASPECT_STENCIL_BIT;
    return pass->pass->last_use[s->attachment] > pass->subpass || a->storeOp == VK_ATTACHMENT_STORE_OP_STORE ||
           (has_stencil && a->stencilStoreOp == VK_ATTACHMENT_STORE_OP_STORE);
}

/* ---------------------------------------------------------------- attachments */

const struct vc4vk_image_view *vc4vk_cmd_pass_view(const struct vc4vk_cmd_pass *pass, uint32_t attachment)
{
    return attachment == VK_ATTACHMENT_UNUSED ? NULL : vc4vk_image_view_from_handle(pass->attachments[attachment]);
}

static struct vc4vk_cmd_surface surface_of(const struct vc4vk_image_view *view, uint32_t attachment, uint32_t word,
                                           bool pairs)
{
    const struct vc4vk_image_plane *plane = view ? vc4vk_image_view_word_plane(view, pairs ? 0 : word) : NULL;
    return (struct vc4vk_cmd_surface){.view = view,
                                      .level = view ? &plane->layout.level[view->base_level] : NULL,
                                      .attachment = attachment,
                                      .word = word,
                                      .pairs = pairs};
}

/* Replaces an attachment of one sample by its samples, if the subpass draws to those. */
static void use_samples(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_surface *s)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_image_view *view = s->view ? vc4vk_image_view_from_handle(pass->attachments[s->attachment]) : NULL;
    const struct vc4vk_image_view *samples;
    if (!view || pass->pass->subpasses[pass->subpass].implicit_samples <= 1 || view->image->samples > 1)
        return;
    const VkResult result = vc4vk_image_view_samples(cmd->device, view, &samples);
    if (result != VK_SUCCESS) {
        vc4vk_cmd_fail(cmd, result);
        return;
    }
    const uint32_t attachment = s->attachment, word = s->word;
    *s = surface_of(samples, attachment, word, s->pairs);
    s->is_implicit = true;
    s->resolve = view;
}

/* A surface for every word of every colour attachment, in the order of the pipelines' replays. */
static void find_colors(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_subpass *subpass)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    pass->replay_count = 0;
    for (uint32_t i = 0; i < subpass->color_count; i++) {
        uint32_t attachment = subpass->colors[i].attachment;
        const struct vc4vk_image_view *view = vc4vk_cmd_pass_view(pass, attachment);
        if (!view)
            continue;
        const struct vc4vk_image_view *resolve = subpass->resolves && view->image->samples > 1
                                                     ? vc4vk_cmd_pass_view(pass, subpass->resolves[i].attachment)
                                                     : NULL;
        const bool pairs = pass->pairs & BIT(i);
        const uint32_t words = pairs ? 3 : vc4vk_image_view_words(view);
        for (uint32_t word = 0; word < words && pass->replay_count < VC4VK_MAX_REPLAYS; word++) {
            pass->colors[pass->replay_count] = surface_of(view, attachment, word, pairs);
            pass->colors[pass->replay_count].resolve = resolve;
            use_samples(cmd, &pass->colors[pass->replay_count++]);
        }
    }
    if (!pass->replay_count)
        pass->colors[pass->replay_count++] = surface_of(NULL, VK_ATTACHMENT_UNUSED, 0, false);
}

/* Whether programs may sample an attachment: one for feedback loops. */
static bool samples_own(const struct vc4vk_cmd_pass *pass)
{
    bool samples =
        pass->depth.view && (pass->depth.view->image->usage & VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT);
    for (uint32_t i = 0; i < pass->replay_count; i++)
        samples |= pass->colors[i].view &&
                   (pass->colors[i].view->image->usage & VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT);
    return samples;
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
    return reads || samples_own(pass);
}

static void find_surfaces(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const struct vc4vk_subpass *subpass = &pass->pass->subpasses[pass->subpass];
    pass->pairs = 0;
    find_colors(cmd, subpass);
    pass->depth = surface_of(vc4vk_cmd_pass_view(pass, subpass->depth_stencil.attachment),
                             subpass->depth_stencil.attachment, 0, false);
    if (pass->depth.view && pass->depth.view->image->samples > 1)
        pass->depth.resolve = vc4vk_cmd_pass_view(pass, subpass->depth_resolve.attachment);
    use_samples(cmd, &pass->depth);
    pass->samples = 0;
    VC4VK_FOR_EACH_SURFACE(pass, s)
        pass->samples = s->view->image->samples;
}

static void find_places(struct vc4vk_cmd_buffer *cmd)
{
    find_extent(cmd);
    vc4vk_cmd_surfaces_find_tiles(&cmd->pass);
    find_resolves(&cmd->pass);
}

/* NULL when jobs can draw into the view, else the reason why not. */
static const char *check_view(const struct vc4vk_cmd_pass *pass, const struct vc4vk_image_view *view,
                              VkImageAspectFlags aspects, uint32_t samples)
{
    const struct vc4vk_framebuffer *f = pass->framebuffer;
    const uint32_t views = pass->pass->subpasses[pass->subpass].view_mask;
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    if (!view->image->bo)
        return "it has no memory";
    if (!(view->format->aspects & aspects) || !(view->image->format->aspects & aspects) ||
        !(view->image->usage & usage) || view->format->planar)
        return "its format or usage does not fit this kind of attachment";
    if (view->image->samples != samples)
        return "its sample count differs from that of the others";
    if (view->width_px < f->width_px || view->height_px < f->height_px || view->layers < f->layers ||
        (views && util_log2(views) >= view->layers))
        return "it is smaller than the framebuffer";
    return NULL;
}

static const char *check_surface(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s,
                                 VkImageAspectFlags aspects)
{
    const char *why = s->view ? check_view(pass, s->view, aspects, pass->samples) : NULL;
    return why || !s->view || !s->resolve ? why : check_view(pass, s->resolve, aspects, 1);
}

/* Fails the recording and returns false when the subpass cannot draw into an attachment. */
static bool check_surfaces(struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    const char *why = check_surface(pass, &pass->depth, VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT);
    for (uint32_t i = 0; i < pass->replay_count && !why; i++)
        why = check_surface(pass, &pass->colors[i], VK_IMAGE_ASPECT_COLOR_BIT);
    if (why)
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "subpass %u: an attachment cannot be drawn into: %s", pass->subpass,
                        why);
    return !why;
}

/* A later pass with the same framebuffer can reuse the surfaces (found_for) unless some are staged. */
void vc4vk_cmd_surfaces_find(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    find_surfaces(cmd);
    if (!check_surfaces(cmd)) {
        pass->found_for = NULL;
        return;
    }
    const bool has_samples = pass->samples; /* else a pipeline will set the sample count */
    pass->found_for = pass->subpass || !has_samples || pass->framebuffer->is_imageless ? NULL : pass->pass;
    find_places(cmd);
}

void vc4vk_cmd_surfaces_find_pairs(struct vc4vk_cmd_buffer *cmd, uint32_t pairs)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    vc4vk_cmd_surfaces_replicate(cmd);
    pass->pairs = pairs;
    pass->found_for = NULL;
    pass->depth.stage = NULL;
    find_colors(cmd, &pass->pass->subpasses[pass->subpass]);
    find_places(cmd);
    VC4VK_FOR_EACH_SURFACE(pass, s)
        s->begin = VC4VK_TILE_LOAD;
}

/* ---------------------------------------------------------------- samples of attachments that have one */

/* Copies the pixels of these layers of the attachment to all their samples, on the CPU. */
static void replicate_layers(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *s, uint32_t first,
                             uint32_t count)
{
    struct vc4vk_replicate_image *r = vc4vk_cmd_new(cmd, struct vc4vk_replicate_image);
    if (!r)
        return;
    *r = (struct vc4vk_replicate_image){.parallel = &cmd->device->queue_device.parallel,
                                        .from = s->resolve->image,
                                        .to = s->view->image,
                                        .aspects = s->view->format->aspects,
                                        .from_level = s->resolve->base_level,
                                        .from_layer = s->resolve->base_layer + first,
                                        .to_layer = s->view->base_layer + first,
                                        .layers = count,
                                        .rect = cmd->pass.area};
    vc4vk_cmd_add_op(cmd, "replicate attachment", vc4vk_run_replicate_image, r,
                     vc4vk_cmd_work_B((VkExtent3D){r->rect.extent.width, r->rect.extent.height, 1}, count) *
                         HW_MS_SAMPLES);
}

static void replicate(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_surface *s)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    s->loads_pixels = false;
    if (s->word) /* the first replicates all words */
        return;
    if (!pass->pass->view_mask)
        replicate_layers(cmd, s, 0, MAX2(pass->framebuffer->layers, 1u));
    for (uint32_t views = pass->pass->view_mask ? vc4vk_cmd_pass_views(pass) : 0; views; views &= views - 1)
        replicate_layers(cmd, s, util_lowest_bit(views), 1);
}

/* For a surface that begins with the contents of memory: where the attachment has one sample, the first job loads it if
 * it can. `in_memory`: the CPU changes the samples before. */
static void load_pixels(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_surface *s, bool in_memory)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    const bool is_only = s == &pass->depth || pass->replay_count == 1;
    if (!s->is_implicit)
        return;
    s->loads_pixels = is_only && !in_memory && !s->stage && !pass->pass->view_mask && is_resolve_in_reach(pass, s);
    if (!s->loads_pixels)
        replicate(cmd, s);
}

void vc4vk_cmd_surfaces_replicate(struct vc4vk_cmd_buffer *cmd)
{
    VC4VK_FOR_EACH_SURFACE(&cmd->pass, s)
        if (s->loads_pixels)
            replicate(cmd, s);
}

/* ---------------------------------------------------------------- load operations */

static void cpu_clear(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *surface, VkImageAspectFlags aspects,
                      const VkClearValue *value, uint32_t first_layer, uint32_t layers)
{
    const struct vc4vk_image_view *view = surface->view;
    if (!layers)
        return;
    vc4vk_cmd_clear_image_rect(cmd, &(struct vc4vk_clear_image){
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

/* Clears in memory the layers that the load operation clears, except those that this subpass clears in the tile buffer.
 * With multiview these are the views of all subpasses that use the attachment: this is the first of them. */
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

/* Whether the tile buffer clears the whole attachment, so that the CPU has nothing to clear. */
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
    s->was_stored = s->loads_pixels = false;
    if (pass->pass->first_use[s->attachment] < pass->subpass) {
        s->begin = VC4VK_TILE_LOAD;
        load_pixels(cmd, s, false);
        return;
    }
    VkAttachmentLoadOp op = pass->pass->attachments[s->attachment].loadOp;
    VkClearValue value = clear_value(pass, s->attachment);
    s->begin = op == VK_ATTACHMENT_LOAD_OP_LOAD || !pass->covers_tiles ? VC4VK_TILE_LOAD : VC4VK_TILE_UNDEFINED;
    if (op == VK_ATTACHMENT_LOAD_OP_LOAD)
        load_pixels(cmd, s, false);
    if (op != VK_ATTACHMENT_LOAD_OP_CLEAR)
        return;
    if (s->word == 0 && !is_one_layer_in_tiles(pass)) /* clears all words */
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
    s->was_stored = s->loads_pixels = false;
    if (pass->pass->first_use[s->attachment] < pass->subpass) {
        s->begin = VC4VK_TILE_LOAD;
        load_pixels(cmd, s, false);
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
    if (loaded)
        load_pixels(cmd, s, cleared);
    if (!cleared)
        return;
    clear_layers(cmd, s, cleared, &value, in_tiles);
    if (in_tiles) {
        s->begin = VC4VK_TILE_CLEAR;
        pass->clear_z = vc4vk_clear_depth_word(value.depthStencil.depth);
        pass->clear_s = (uint8_t)value.depthStencil.stencil;
    }
}

/* Clears those aspects of the depth resolve attachment that are not resolved but have a clear load operation. */
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

void vc4vk_cmd_surfaces_begin(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    for (uint32_t i = 0; i < pass->replay_count; i++)
        if (pass->colors[i].view)
            begin_color(cmd, &pass->colors[i]);
    if (pass->depth.view)
        begin_depth(cmd);
    if (pass->depth.resolve && !pass->depth.is_implicit)
        begin_depth_resolve(cmd);
}

void vc4vk_cmd_surfaces_resume(struct vc4vk_cmd_pass *pass)
{
    VC4VK_FOR_EACH_SURFACE(pass, s) {
        s->begin = VC4VK_TILE_LOAD;
        s->was_stored = true;
        s->loads_pixels = false;
    }
}
