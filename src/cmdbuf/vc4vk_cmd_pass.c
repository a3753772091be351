/* SPDX-License-Identifier: MIT
 *
 * Render passes: begins and ends subpasses, and cuts them into jobs.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_resolve.h"
#include "cmdbuf/vc4vk_cmd_surfaces.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "transfer/vc4vk_transfer.h"

/* ---------------------------------------------------------------- subpasses */

static void flush(struct vc4vk_cmd_buffer *cmd, bool more_follows);

/* Which input attachments programs read from the tile buffer, as a bit mask. None in secondaries: they may be executed
 * in any compatible pass, whose input attachments may differ. */
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

void vc4vk_cmd_pass_stop_tile_inputs(struct vc4vk_cmd_buffer *cmd)
{
    if (!cmd->pass.tile_inputs)
        return;
    set_tile_inputs(cmd, 0);
    flush(cmd, true);
}

void vc4vk_cmd_pass_change_inputs(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    if (cmd->error != VK_SUCCESS)
        return;
    set_tile_inputs(cmd, find_tile_inputs(cmd, pass->subpass, pass->contents));
    if (vc4vk_cmd_pass_reads_own(pass))
        flush(cmd, true);
}

/* `is_found`: the pass has the subpass's surfaces already. `resumes`: its attachments have been drawn to. */
static void begin_subpass(struct vc4vk_cmd_buffer *cmd, bool is_found, bool resumes)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    set_tile_inputs(cmd, find_tile_inputs(cmd, pass->subpass, pass->contents));
    if (!is_found)
        vc4vk_cmd_surfaces_find(cmd);
    if (cmd->error != VK_SUCCESS)
        return;
    if (resumes)
        vc4vk_cmd_surfaces_resume(pass);
    else
        vc4vk_cmd_surfaces_begin(cmd);
    cmd->state.dirty |= VC4VK_DIRTY_JOB;
    if (vc4vk_cmd_pass_reads_own(pass)) /* programs read the clear values from memory */
        flush(cmd, true);
}

/* ---------------------------------------------------------------- jobs */

/* Ends a part of a secondary. The primary that executes it knows the surfaces. */
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

/* Resolves on the CPU all layers that the tile buffer does not resolve. */
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

/* Whether a job is needed without draws, for clears and resolves. */
static bool needs_job(struct vc4vk_cmd_pass *pass, bool more_follows)
{
    bool needs = false;
    VC4VK_FOR_EACH_SURFACE(pass, s)
        needs |= s->begin == VC4VK_TILE_CLEAR || (s->resolves_in_tiles && !more_follows);
    return needs;
}

/* What is yet to be loaded has not been drawn to, and the samples have not the attachment's contents. */
static bool is_resolved(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s)
{
    return !s->loads_pixels && vc4vk_cmd_surface_is_resolved(pass, s);
}

static void resolve_all(struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    for (uint32_t i = 0; i < pass->replay_count; i++) {
        const struct vc4vk_cmd_surface *s = &pass->colors[i];
        if (s->word == 0 && is_resolved(pass, s)) /* resolves all words */
            resolve(cmd, s);
    }
    if (is_resolved(pass, &pass->depth))
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
    vc4vk_cmd_pass_release(cmd, &cmd->pass);
    /* a secondary does not know whether its attachments are sampled */
    if (cmd->error != VK_SUCCESS || !cmd->pass.pass || !(cmd->continues_pass || vc4vk_cmd_pass_reads_own(&cmd->pass)))
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
    vc4vk_cmd_surfaces_find_tiles(pass);
}

bool vc4vk_cmd_pass_check_pipeline(struct vc4vk_cmd_buffer *cmd, uint32_t replay_count, uint32_t samples)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    const bool is_first = !cmd->job || !cmd->job->draw_count;
    if (cmd->error != VK_SUCCESS)
        return false;
    if (cmd->continues_pass ? is_first || (cmd->job->replay_count == replay_count && cmd->job->draws.samples == samples)
                            : pass->replay_count == replay_count && pass->samples == samples)
        return true;
    vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN,
                    "draw: the pipeline (%u colour words, %u samples) was created for another subpass", replay_count,
                    samples);
    return false;
}

/* The flush stores all attachments, and the next job loads them as other surfaces. */
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
    vc4vk_cmd_surfaces_find_pairs(cmd, pairs);
    cmd->state.dirty |= VC4VK_DIRTY_JOB;
}

/* ---------------------------------------------------------------- passes */

const VkRect2D *vc4vk_cmd_device_area(const void *chain, const VkRect2D *area)
{
    const VkDeviceGroupRenderPassBeginInfo *group =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO);
    return group && group->deviceRenderAreaCount ? &group->pDeviceRenderAreas[0] : area;
}

VkRect2D vc4vk_cmd_clip_area(const VkRect2D *area, const struct vc4vk_framebuffer *framebuffer)
{
    const uint32_t x = MIN2((uint32_t)MAX2(area->offset.x, 0), framebuffer->width_px),
                   y = MIN2((uint32_t)MAX2(area->offset.y, 0), framebuffer->height_px);
    return (VkRect2D){.offset = {(int32_t)x, (int32_t)y},
                      .extent = {MIN2(area->extent.width, framebuffer->width_px - x),
                                 MIN2(area->extent.height, framebuffer->height_px - y)}};
}

bool vc4vk_cmd_is_same_area(const VkRect2D *a, const VkRect2D *b)
{
    return a->offset.x == b->offset.x && a->offset.y == b->offset.y && a->extent.width == b->extent.width &&
           a->extent.height == b->extent.height;
}

void vc4vk_cmd_pass_begin(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_pass_begin *begin)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const VkRect2D area = vc4vk_cmd_clip_area(&begin->area, begin->framebuffer);
    const bool is_found = pass->found_for == begin->pass && pass->framebuffer == begin->framebuffer &&
                          vc4vk_cmd_is_same_area(&pass->area, &area);
    const bool is_single = begin->pass->subpass_count == 1;
    pass->pass = begin->pass;
    pass->framebuffer = begin->framebuffer;
    pass->attachments = begin->attachments;
    pass->subpass = 0;
    pass->contents = begin->contents;
    pass->area = area;
    pass->clears =
        is_single ? begin->clears : vc4vk_cmd_copy(cmd, begin->clears, begin->clear_count * sizeof *begin->clears);
    pass->clear_count = begin->clear_count;
    pass->clear_z = pass->clear_s = 0;
    pass->has_jobs = pass->was_on_engine = false;
    if (pass->pass->waits)
        vc4vk_cmd_order_full_barrier(&cmd->order);
    if (cmd->error == VK_SUCCESS)
        begin_subpass(cmd, is_found, begin->resumes);
    if (is_single) /* `clears` is the caller's memory */
        pass->clear_count = 0;
}

/* Decodes attachments whose texels are blocks of compressed images: programs sample the decoded texels. */
static void decode_attachments(struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    for (uint32_t i = 0; i < pass->pass->attachment_count; i++) {
        const struct vc4vk_image_view *view = vc4vk_cmd_pass_view(pass, i);
        struct vc4vk_decode_image *decode =
            view && view->image->blocks_of ? vc4vk_cmd_new(cmd, struct vc4vk_decode_image) : NULL;
        if (!decode)
            continue;
        *decode = (struct vc4vk_decode_image){view->image, view->base_layer, view->layers};
        vc4vk_cmd_add_op(cmd, "decode attachment", vc4vk_run_decode_image, decode,
                         vc4vk_cmd_work_B(view->image->extent, view->layers));
    }
}

/* Stages in which only attachments are accessed: the tile buffer keeps their order. */
#define ATTACHMENT_STAGES                                                                                              \
    (VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |                      \
     VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT)

/* It may have been one that changes layouts. */
static void attachment_barrier(struct vc4vk_cmd_order *order)
{
    struct vc4vk_cmd_dependency dependency = {.before_transition = vc4vk_stages_to_src_engines(ATTACHMENT_STAGES)};
    vc4vk_cmd_dependency_add(&dependency, dependency.before_transition, vc4vk_stages_to_dst_engines(ATTACHMENT_STAGES));
    vc4vk_cmd_order_depend(order, &dependency);
}

/* Records the last job and what follows it. `more_follows`: the pass goes on in another command buffer. */
static void finish(struct vc4vk_cmd_buffer *cmd, bool more_follows)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    if (cmd->error == VK_SUCCESS && pass->pass) {
        flush(cmd, more_follows);
        if (more_follows)
            vc4vk_cmd_surfaces_replicate(cmd);
        if (cmd->query.sum)
            vc4vk_cmd_query_flush(cmd);
        if (!more_follows)
            decode_attachments(cmd);
        if (pass->pass->waited_for)
            vc4vk_cmd_order_full_barrier(&cmd->order);
        if (pass->held_barrier)
            attachment_barrier(&cmd->order);
    }
    pass->pass = NULL;
    pass->held_barrier = false;
}

void vc4vk_cmd_pass_end(struct vc4vk_cmd_buffer *cmd)
{
    finish(cmd, false);
}

static void end_held(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    pass->pass = pass->held;
    pass->held = NULL;
    pass->end_held = NULL;
    finish(cmd, pass->held_suspends);
}

void vc4vk_cmd_pass_hold(struct vc4vk_cmd_buffer *cmd, bool suspends)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    pass->held = pass->pass;
    pass->end_held = end_held;
    pass->held_suspends = suspends;
    pass->held_dirty_job = cmd->state.dirty & VC4VK_DIRTY_JOB;
    pass->pass = NULL;
    cmd->state.dirty |= VC4VK_DIRTY_JOB; /* nothing is drawn outside of a pass */
}

void vc4vk_cmd_pass_continue(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_pass_begin *begin)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    if (pass->found_for == pass->held)
        pass->found_for = begin->pass;
    if (pass->held_barrier) /* for earlier commands; finish() orders the job before later ones */
        attachment_barrier(&cmd->order);
    if (!pass->held_dirty_job)
        cmd->state.dirty &= ~(uint32_t)VC4VK_DIRTY_JOB;
    pass->held = NULL;
    pass->end_held = NULL;
    pass->pass = begin->pass;
    pass->framebuffer = begin->framebuffer;
    pass->attachments = begin->attachments;
    pass->contents = begin->contents;
}

bool vc4vk_cmd_pass_hold_barrier(struct vc4vk_cmd_buffer *cmd, VkPipelineStageFlags2 from, VkPipelineStageFlags2 to)
{
    const bool holds = cmd->pass.held && from && to && !((from | to) & ~(VkPipelineStageFlags2)ATTACHMENT_STAGES);
    cmd->pass.held_barrier |= holds;
    return holds;
}

/* ---------------------------------------------------------------- entry points */

/* NULL when the pass can begin, else the reason why not. */
static const char *check_begin(const struct vc4vk_cmd_buffer *cmd, const VkRenderPassBeginInfo *info,
                               const VkRenderPassAttachmentBeginInfo *attachments)
{
    const struct vc4vk_render_pass *pass = vc4vk_render_pass_from_handle(info->renderPass);
    const struct vc4vk_framebuffer *framebuffer = vc4vk_framebuffer_from_handle(info->framebuffer);
    if (cmd->phase != VC4VK_CMD_RECORDING || cmd->level != VK_COMMAND_BUFFER_LEVEL_PRIMARY)
        return "not a primary command buffer that is recording";
    if (cmd->pass.pass)
        return "the previous one has not ended";
    if (!pass || !framebuffer)
        return "the render pass or the framebuffer is VK_NULL_HANDLE";
    if ((framebuffer->is_imageless && attachments ? attachments->attachmentCount : framebuffer->attachment_count) <
        pass->attachment_count)
        return "the framebuffer has fewer attachments than the pass";
    return NULL;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginRenderPass(VkCommandBuffer cmd_h, const VkRenderPassBeginInfo *info,
                                                    VkSubpassContents contents)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const struct vc4vk_framebuffer *framebuffer = vc4vk_framebuffer_from_handle(info->framebuffer);
    const VkRenderPassAttachmentBeginInfo *attachments =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
    const char *why = check_begin(cmd, info, attachments);
    if (why) {
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "a render pass cannot begin: %s", why);
        return;
    }
    const VkImageView *views = framebuffer->attachments;
    if (framebuffer->is_imageless && attachments)
        views = vc4vk_cmd_copy(cmd, attachments->pAttachments,
                               attachments->attachmentCount * sizeof *attachments->pAttachments);
    vc4vk_cmd_pass_release(cmd, &cmd->pass);
    cmd->pass.has_target = false;
    vc4vk_cmd_state_note_target(cmd);
    vc4vk_cmd_pass_begin(cmd, &(struct vc4vk_cmd_pass_begin){
                                  .pass = vc4vk_render_pass_from_handle(info->renderPass),
                                  .framebuffer = framebuffer,
                                  .attachments = views,
                                  .area = *vc4vk_cmd_device_area(info->pNext, &info->renderArea),
                                  .contents = contents,
                                  .clears = info->pClearValues,
                                  .clear_count = info->clearValueCount,
                              });
}

/* Whether the next subpass reads from memory what this job may have written. */
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

/* Whether the next subpass can continue in the same job: it has the same attachments and reads none of them from
 * memory. */
static bool continues(const struct vc4vk_cmd_pass *pass, uint32_t tile_inputs)
{
    const struct vc4vk_subpass *next = &pass->pass->subpasses[pass->subpass + 1];
    uint32_t at = 0;
    const struct vc4vk_subpass *subpass = &pass->pass->subpasses[pass->subpass];
    if (next->view_mask != subpass->view_mask || next->implicit_samples != subpass->implicit_samples ||
        vc4vk_cmd_pass_reads_own(pass))
        return false;
    for (uint32_t i = 0; i < next->color_count; i++) {
        if (next->colors[i].attachment == VK_ATTACHMENT_UNUSED)
            continue;
        if (at == pass->replay_count || next->colors[i].attachment != pass->colors[at].attachment)
            return false;
        if (pass->colors[at].resolve || (next->resolves && next->resolves[i].attachment != VK_ATTACHMENT_UNUSED))
            return false;
        at += vc4vk_image_view_words(pass->colors[at].view);
    }
    bool has_all_colors = at == pass->replay_count || !pass->colors[at].view;
    if (pass->depth.resolve || next->depth_resolve.attachment != VK_ATTACHMENT_UNUSED)
        return false;
    return !pass->pairs && has_all_colors && next->depth_stencil.attachment == pass->depth.attachment &&
           !reads_written(pass, next, tile_inputs);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdNextSubpass(VkCommandBuffer cmd_h, VkSubpassContents contents)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    if (cmd->error != VK_SUCCESS || cmd->continues_pass || !pass->pass ||
        pass->subpass + 1 >= pass->pass->subpass_count)
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
        begin_subpass(cmd, false, false);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndRenderPass(VkCommandBuffer cmd_h)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (!cmd->continues_pass) /* else the primary ends the pass */
        vc4vk_cmd_pass_end(cmd);
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
