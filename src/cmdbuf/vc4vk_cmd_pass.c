/* SPDX-License-Identifier: MIT
 *
 * From render passes to jobs: which surfaces a job loads, clears and stores.
 *
 * The tile buffer clears whole tiles, colour or depth with stencil. Where a load operation asks for less (part of a
 * tile, one aspect), the CPU clears memory before the first job, which then loads.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_clear.h"
#include "cmdbuf/vc4vk_cmd_stage.h"
#include "cmdbuf/vc4vk_issue.h"
#include "device/vc4vk_entrypoints_gen.h"

/* ---------------------------------------------------------------- surfaces */

static const struct hw_level *surface_level(const struct vc4vk_cmd_surface *surface)
{
    return &vc4vk_image_view_plane(surface->view)->layout.level[surface->view->base_level];
}

/* Widths from which the kernel infers this level's stride: it pads to microtiles, or to tiles of T layout
 * [hardware notes 9.7]. */
static void level_widths(const struct hw_level *level, uint32_t *least_out, uint32_t *most_out)
{
    uint32_t utile_w, utile_h;
    hw_utile_size(4, &utile_w, &utile_h);
    uint32_t step = level->tiling == HW_TILING_T ? 8 * utile_w : utile_w;
    *most_out = level->padded_width_el;
    *least_out = level->padded_width_el - MIN2(level->padded_width_el, step) + 1;
}

/* One width for all surfaces of a job; depth is staged when it does not go with the colour's. */
static void find_extent(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_cmd_surface *const surfaces[] = {&pass->color, &pass->depth};
    uint32_t least = 1, most = UINT32_MAX;
    pass->height_px = UINT32_MAX;
    for (uint32_t i = 0; i < ARRAY_SIZE(surfaces); i++) {
        if (!surfaces[i]->view)
            continue;
        uint32_t level_least, level_most;
        const struct hw_level *level = surface_level(surfaces[i]);
        level_widths(level, &level_least, &level_most);
        pass->height_px = MIN2(pass->height_px, level->height_el);
        if (level_most < least || level_least > most) {
            surfaces[i]->stage = vc4vk_cmd_stage_new(cmd, surfaces[i]->view, most, pass->height_px);
            continue;
        }
        least = MAX2(least, level_least);
        most = MIN2(most, level_most);
    }
    pass->width_px = most;
    if (most == UINT32_MAX) { /* no attachments: nothing is stored, the framebuffer's size will do */
        pass->width_px = pass->framebuffer->width_px;
        pass->height_px = pass->framebuffer->height_px;
    }
}

/* The tiles under the area, and whether it covers every pixel of them that memory has. */
static void find_tiles(struct vc4vk_cmd_pass *pass)
{
    const VkRect2D *a = &pass->area;
    uint32_t right = (uint32_t)a->offset.x + a->extent.width, bottom = (uint32_t)a->offset.y + a->extent.height;
    pass->min_x_tl = (uint8_t)(a->offset.x / HW_TILE_PX);
    pass->min_y_tl = (uint8_t)(a->offset.y / HW_TILE_PX);
    pass->max_x_tl = (uint8_t)((MAX2(right, 1u) - 1) / HW_TILE_PX);
    pass->max_y_tl = (uint8_t)((MAX2(bottom, 1u) - 1) / HW_TILE_PX);
    pass->covers_tiles = a->offset.x % HW_TILE_PX == 0 && a->offset.y % HW_TILE_PX == 0;
    const struct vc4vk_cmd_surface *const surfaces[] = {&pass->color, &pass->depth};
    for (uint32_t i = 0; i < ARRAY_SIZE(surfaces); i++) {
        if (!surfaces[i]->view)
            continue;
        pass->covers_tiles &= right % HW_TILE_PX == 0 || right >= surfaces[i]->view->width_px;
        pass->covers_tiles &= bottom % HW_TILE_PX == 0 || bottom >= surfaces[i]->view->height_px;
    }
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

static void begin_color(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_cmd_surface *s = &pass->color;
    if (pass->pass->first_use[s->attachment] < pass->subpass) {
        s->begin = VC4VK_TILE_LOAD;
        return;
    }
    VkAttachmentLoadOp op = pass->pass->attachments[s->attachment].loadOp;
    VkClearValue value = clear_value(pass, s->attachment);
    s->begin = op == VK_ATTACHMENT_LOAD_OP_LOAD || !pass->covers_tiles ? VC4VK_TILE_LOAD : VC4VK_TILE_UNDEFINED;
    if (op != VK_ATTACHMENT_LOAD_OP_CLEAR)
        return;
    uint32_t in_tiles = pass->covers_tiles ? 1 : 0;
    cpu_clear(cmd, s, VK_IMAGE_ASPECT_COLOR_BIT, &value, in_tiles, MAX2(pass->framebuffer->layers, 1u) - in_tiles);
    if (in_tiles) {
        s->begin = VC4VK_TILE_CLEAR;
        pass->clear_color = vc4vk_clear_color_word(s->view->storage, &value.color);
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
    cpu_clear(cmd, s, cleared, &value, in_tiles ? 1 : 0, MAX2(pass->framebuffer->layers, 1u) - (in_tiles ? 1 : 0));
    if (in_tiles) {
        s->begin = VC4VK_TILE_CLEAR;
        pass->clear_z = vc4vk_clear_depth_word(value.depthStencil.depth);
        pass->clear_s = (uint8_t)value.depthStencil.stencil;
    }
}

/* ---------------------------------------------------------------- subpasses */

static const struct vc4vk_image_view *attachment_view(const struct vc4vk_cmd_pass *pass, uint32_t attachment)
{
    return attachment == VK_ATTACHMENT_UNUSED
               ? NULL
               : vc4vk_image_view_from_handle(pass->framebuffer->attachments[attachment]);
}

static void find_surfaces(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const struct vc4vk_subpass *subpass = &pass->pass->subpasses[pass->subpass];
    pass->color = pass->depth = (struct vc4vk_cmd_surface){.attachment = VK_ATTACHMENT_UNUSED};
    for (uint32_t i = 0; i < subpass->color_count; i++) {
        if (subpass->colors[i].attachment == VK_ATTACHMENT_UNUSED)
            continue;
        if (pass->color.view)
            vc4vk_cmd_failf(cmd, VK_ERROR_FEATURE_NOT_PRESENT,
                            "more than one colour attachment in a subpass is not supported yet");
        if (subpass->resolves && subpass->resolves[i].attachment != VK_ATTACHMENT_UNUSED)
            vc4vk_cmd_failf(cmd, VK_ERROR_FEATURE_NOT_PRESENT, "resolve attachments are not supported yet");
        pass->color.attachment = subpass->colors[i].attachment;
        pass->color.view = attachment_view(pass, pass->color.attachment);
    }
    pass->depth.attachment = subpass->depth_stencil.attachment;
    pass->depth.view = attachment_view(pass, pass->depth.attachment);
    for (uint32_t i = 0; i < subpass->input_count; i++)
        if (subpass->inputs[i].attachment != VK_ATTACHMENT_UNUSED &&
            (subpass->inputs[i].attachment == pass->color.attachment ||
             subpass->inputs[i].attachment == pass->depth.attachment))
            vc4vk_cmd_failf(cmd, VK_ERROR_FEATURE_NOT_PRESENT,
                            "reading an attachment in the subpass that writes it is not supported yet");
    const struct vc4vk_image_view *const views[] = {pass->color.view, pass->depth.view};
    for (uint32_t i = 0; i < ARRAY_SIZE(views); i++)
        if (views[i] && vc4vk_image_view_plane(views[i])->layout.cpp != 4)
            vc4vk_cmd_failf(cmd, VK_ERROR_FORMAT_NOT_SUPPORTED, "attachment of format %d: texels must be 32 bits",
                            views[i]->vk_format);
}

static void begin_subpass(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    find_surfaces(cmd);
    if (cmd->error != VK_SUCCESS)
        return;
    find_extent(cmd);
    find_tiles(pass);
    if (pass->color.view)
        begin_color(cmd);
    if (pass->depth.view)
        begin_depth(cmd);
    cmd->state.dirty |= VC4VK_DIRTY_JOB;
}

/* ---------------------------------------------------------------- jobs */

static struct kmd_surface surface_of(struct vc4vk_cmd_job *job, const struct vc4vk_cmd_surface *s, uint16_t bits)
{
    return (struct kmd_surface){
        .bo_index = vc4vk_bo_table_add(&job->base.bos, s->stage ? s->stage->bo : s->view->image->bo),
        .offset_B = s->stage ? 0 : (uint32_t)vc4vk_image_view_offset_B(s->view, 0),
        .bits = bits,
    };
}

static enum hw_tiling surface_tiling(const struct vc4vk_cmd_surface *s)
{
    return s->stage ? HW_TILING_RASTER : surface_level(s)->tiling;
}

/* Bits as the kernel has them [hardware notes 9.7]: the layout sits elsewhere in color_write than in the others. */
static uint16_t store_color_bits(enum hw_tiling tiling)
{
    return (uint16_t)(tiling << 6 | 1 << 2); /* RGBA8888: raw words */
}

static uint16_t general_bits(enum hw_tiling tiling, uint32_t buffer)
{
    return (uint16_t)(tiling << 4 | buffer);
}

static void open_job(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_cmd_job *job = vc4vk_cmd_job_new(cmd);
    if (!job)
        return;
    struct kmd_render *r = &job->base.render;
    r->width_px = (uint16_t)pass->width_px;
    r->height_px = (uint16_t)pass->height_px;
    r->min_x_tl = pass->min_x_tl;
    r->min_y_tl = pass->min_y_tl;
    r->max_x_tl = pass->max_x_tl;
    r->max_y_tl = pass->max_y_tl;
    cmd->job = job;
    cmd->state.dirty |= VC4VK_DIRTY_JOB;
}

/* Is what the job leaves in the tile buffer of use to anybody? */
static bool must_store(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s, bool is_written,
                       bool more_follows)
{
    if (!s->view || (s->begin != VC4VK_TILE_CLEAR && !is_written))
        return false;
    const VkAttachmentDescription *a = &pass->pass->attachments[s->attachment];
    bool has_stencil = s->view->format->aspects & VK_IMAGE_ASPECT_STENCIL_BIT;
    return more_follows || pass->pass->last_use[s->attachment] > pass->subpass ||
           a->storeOp == VK_ATTACHMENT_STORE_OP_STORE ||
           (has_stencil && a->stencilStoreOp == VK_ATTACHMENT_STORE_OP_STORE);
}

/* The CPU engine runs nothing beside the device: raster order counts from job to job. */
static void add_job(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job)
{
    struct vc4vk_cpu_op *op = &job->engine_op;
    if (!vc4vk_cmd_job_is_for_engine(job)) {
        vc4vk_cmd_add_unordered(cmd, &job->base.command);
        return;
    }
    vc4vk_cpu_op_init(op, job->base.name, vc4vk_issue_engine_job, job);
    op->command.label = job->base.command.label;
    op->is_engine_job = true;
    op->work_B = UINT64_MAX; /* never on the dispatcher's thread */
    vc4vk_cmd_add(cmd, &op->command);
}

/* The job between the copies of what is staged: all of it comes in, for all of it goes out. */
static void add_staged(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job, bool store_color, bool store_depth)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_cmd_stage *const stages[] = {pass->color.stage, pass->depth.stage};
    const bool stores[] = {store_color, store_depth};
    for (uint32_t i = 0; i < ARRAY_SIZE(stages); i++)
        if (stages[i]) {
            vc4vk_cmd_stage_in(cmd, stages[i]);
            job->base.class = MAX2(job->base.class, VC4VK_JOB_LOWERED);
        }
    add_job(cmd, job);
    for (uint32_t i = 0; i < ARRAY_SIZE(stages); i++)
        if (stages[i] && stores[i])
            vc4vk_cmd_stage_out(cmd, stages[i]);
}

static void add_loads(const struct vc4vk_cmd_pass *pass, struct vc4vk_cmd_job *job, struct kmd_render *r)
{
    if (pass->color.view && pass->color.begin == VC4VK_TILE_LOAD)
        r->color_read = surface_of(job, &pass->color, general_bits(surface_tiling(&pass->color), CL_BUFFER_COLOR));
    if (pass->depth.view && pass->depth.begin == VC4VK_TILE_LOAD)
        r->zs_read = surface_of(job, &pass->depth, general_bits(surface_tiling(&pass->depth), CL_BUFFER_ZS));
}

static void close_job(struct vc4vk_cmd_buffer *cmd, bool more_follows)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_cmd_job *job = cmd->job;
    cmd->job = NULL;
    if (!job)
        return;
    struct kmd_render *r = &job->base.render;
    bool store_color = must_store(pass, &pass->color, job->writes_color, more_follows);
    bool store_depth = must_store(pass, &pass->depth, job->writes_depth, more_follows);
    r->color_write.bits = store_color_bits(HW_TILING_RASTER);
    if (store_color)
        r->color_write = surface_of(job, &pass->color, store_color_bits(surface_tiling(&pass->color)));
    if (store_depth)
        r->zs_write = surface_of(job, &pass->depth, general_bits(surface_tiling(&pass->depth), CL_BUFFER_ZS));
    add_loads(pass, job, r);
    if (pass->color.begin == VC4VK_TILE_CLEAR || pass->depth.begin == VC4VK_TILE_CLEAR) {
        r->flags |= KMD_RENDER_USE_CLEAR_COLOR;
        r->clear_color[0] = r->clear_color[1] = pass->clear_color;
        r->clear_z = pass->clear_z;
        r->clear_s = pass->clear_s;
    }
    /* A job that stores nothing changes nothing. */
    if (store_color || store_depth)
        add_staged(cmd, job, store_color, store_depth);
    if (store_color)
        pass->color.begin = VC4VK_TILE_LOAD;
    if (store_depth)
        pass->depth.begin = VC4VK_TILE_LOAD;
    job->later_part = *r;
    job->later_part.flags &= ~(uint32_t)KMD_RENDER_USE_CLEAR_COLOR;
    add_loads(pass, job, &job->later_part);
}

/* A part of a secondary: its surfaces are the primary's affair. */
static void close_part(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_part *part = cmd->job && cmd->job->draw_count ? vc4vk_cmd_new(cmd, struct vc4vk_cmd_part) : NULL;
    if (part) {
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
        open_job(cmd);
    return cmd->job;
}

/* A clear without draws has no job yet. */
static void flush(struct vc4vk_cmd_buffer *cmd, bool more_follows)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    if (!cmd->job && (pass->color.begin == VC4VK_TILE_CLEAR || pass->depth.begin == VC4VK_TILE_CLEAR))
        vc4vk_cmd_pass_job(cmd);
    close_job(cmd, more_follows);
}

void vc4vk_cmd_pass_split(struct vc4vk_cmd_buffer *cmd)
{
    if (cmd->continues_pass)
        close_part(cmd);
    else if (cmd->pass.pass && cmd->error == VK_SUCCESS)
        flush(cmd, true);
}

/* ---------------------------------------------------------------- entry points */

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginRenderPass(VkCommandBuffer cmd_h, const VkRenderPassBeginInfo *info,
                                                    VkSubpassContents contents)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const struct vc4vk_framebuffer *framebuffer = vc4vk_framebuffer_from_handle(info->framebuffer);
    *pass = (struct vc4vk_cmd_pass){
        .pass = vc4vk_render_pass_from_handle(info->renderPass),
        .framebuffer = framebuffer,
        .contents = contents,
        .clears = vc4vk_cmd_copy(cmd, info->pClearValues, info->clearValueCount * sizeof *info->pClearValues),
        .clear_count = info->clearValueCount,
    };
    uint32_t x = (uint32_t)MAX2(info->renderArea.offset.x, 0), y = (uint32_t)MAX2(info->renderArea.offset.y, 0);
    x = MIN2(x, framebuffer->width_px);
    y = MIN2(y, framebuffer->height_px);
    pass->area = (VkRect2D){
        .offset = {(int32_t)x, (int32_t)y},
        .extent = {MIN2(info->renderArea.extent.width, framebuffer->width_px - x),
                   MIN2(info->renderArea.extent.height, framebuffer->height_px - y)},
    };
    cmd->at_barrier |= pass->pass->waits;
    if (cmd->error == VK_SUCCESS)
        begin_subpass(cmd);
}

/* Stays in the tile buffer when the next subpass has the same attachments and reads none of them. */
static bool continues(const struct vc4vk_cmd_pass *pass)
{
    const struct vc4vk_subpass *next = &pass->pass->subpasses[pass->subpass + 1];
    uint32_t color = VK_ATTACHMENT_UNUSED;
    for (uint32_t i = 0; i < next->color_count; i++)
        if (next->colors[i].attachment != VK_ATTACHMENT_UNUSED)
            color = next->colors[i].attachment;
    return !next->input_count && color == pass->color.attachment &&
           next->depth_stencil.attachment == pass->depth.attachment;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdNextSubpass(VkCommandBuffer cmd_h, VkSubpassContents contents)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    if (cmd->error != VK_SUCCESS || !pass->pass || pass->subpass + 1 >= pass->pass->subpass_count)
        return;
    bool same = continues(pass);
    if (!same)
        flush(cmd, false);
    pass->subpass++;
    pass->contents = contents;
    if (!same)
        begin_subpass(cmd);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndRenderPass(VkCommandBuffer cmd_h)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (cmd->error == VK_SUCCESS && cmd->pass.pass) {
        flush(cmd, false);
        cmd->at_barrier |= cmd->pass.pass->waited_for;
    }
    cmd->pass.pass = NULL;
}
