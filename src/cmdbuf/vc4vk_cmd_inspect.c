/* SPDX-License-Identifier: MIT
 *
 * Describes jobs to the frame inspector: says in words what vc4vk_cmd_pass.c and vc4vk_cmd_replay.c have decided.
 */
#include <inttypes.h>
#include <stdio.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_inspect.h"

static const VkAttachmentDescription *description(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s)
{
    return s->view && s->attachment != VK_ATTACHMENT_UNUSED ? &pass->pass->attachments[s->attachment] : NULL;
}

static const char *why_load(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s)
{
    const VkAttachmentDescription *a = description(pass, s);
    if (!a)
        return s->stage ? "counters of the query so far" : NULL;
    if (s->was_stored)
        return "an earlier job of this subpass stored it: the pass was split";
    if (pass->pass->first_use[s->attachment] < pass->subpass)
        return "an earlier subpass drew to it";
    if (a->loadOp == VK_ATTACHMENT_LOAD_OP_LOAD)
        return s->stage ? "load operation LOAD; copied to staging memory, whose row length fits the job"
                        : "load operation LOAD";
    if (a->stencilLoadOp == VK_ATTACHMENT_LOAD_OP_LOAD)
        return "stencil load operation LOAD: depth and stencil share a word";
    return a->loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR
               ? "the CPU has cleared it: the render area covers tiles only in part, or one aspect alone is cleared"
               : "pixels outside of the render area must keep their contents";
}

static const char *why_store(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s,
                             const struct vc4vk_cmd_inspect_info *noted)
{
    const VkAttachmentDescription *a = description(pass, s);
    if (!a)
        return s->stage ? "counters of the query" : NULL;
    if (noted->more_follows)
        return "the subpass continues in another job: a limit, a barrier or a query ended this one";
    if (pass->pass->last_use[s->attachment] > pass->subpass)
        return "a later subpass needs it";
    if (a->storeOp == VK_ATTACHMENT_STORE_OP_STORE)
        return s->stage ? "store operation STORE; copied from staging memory to the image" : "store operation STORE";
    if (s->resolve && !s->resolves_in_tiles)
        return "the CPU resolves it afterwards";
    if (a->stencilStoreOp == VK_ATTACHMENT_STORE_OP_STORE)
        return "stencil store operation STORE: depth and stencil share a word";
    return "the counts of indirect draws are unknown: the job may be split into parts";
}

static unsigned bits_below(uint32_t mask, uint32_t index)
{
    return (unsigned)__builtin_popcount(mask & (BIT(index) - 1));
}

static void say_what(const struct vc4vk_cmd_buffer *cmd, const struct vc4vk_draw_replay *job,
                     const struct vc4vk_cmd_inspect_info *noted, struct inspect_job_info *notes)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    const unsigned runs = (unsigned)__builtin_popcount(noted->runs);
    size_t used_B = (size_t)snprintf(notes->what, sizeof notes->what, "subpass %" PRIu32, pass->subpass);
    if (noted->counts)
        used_B += (size_t)snprintf(notes->what + used_B, sizeof notes->what - used_B, ", counts samples");
    else if (runs > 1)
        used_B += (size_t)snprintf(notes->what + used_B, sizeof notes->what - used_B,
                                   ", replay %u of %u: word %" PRIu32 " of attachment %" PRIu32,
                                   bits_below(noted->runs, noted->index) + 1, runs, noted->color->word,
                                   noted->color->attachment);
    if (pass->is_cut && used_B < sizeof notes->what)
        used_B += (size_t)snprintf(notes->what + used_B, sizeof notes->what - used_B,
                                   ", from (%" PRIu32 ", %" PRIu32 ") on", job->x_px, job->y_px);
    if (vc4vk_cmd_pass_views(pass) > 1 && used_B < sizeof notes->what)
        snprintf(notes->what + used_B, sizeof notes->what - used_B, ", view %" PRIu32, job->view);
}

void vc4vk_cmd_inspect_job(struct vc4vk_cmd_buffer *cmd, struct vc4vk_draw_replay *job,
                           const struct vc4vk_cmd_inspect_info *noted)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct inspect_job_info *notes =
        cmd->device->queue_device.scheduler.inspect ? vc4vk_cmd_new(cmd, struct inspect_job_info) : NULL;
    if (!notes)
        return;
    notes->why_color_load = why_load(pass, noted->color);
    notes->why_zs_load = noted->has_scratch ? "the result of an earlier part" : why_load(pass, &pass->depth);
    notes->why_color_store = why_store(pass, noted->color, noted);
    notes->why_zs_store = noted->has_scratch ? "for the next part: later replays start from the attachment in memory"
                                             : why_store(pass, &pass->depth, noted);
    if (noted->color->resolve && noted->color->resolves_in_tiles)
        notes->why_resolve = "resolve attachment: the tile buffer stores the mean of its samples";
    if (noted->color->view && !noted->color->pairs) {
        notes->color_format = noted->color->view->format->name;
        notes->color_storage = noted->color->view->storage;
    }
    say_what(cmd, job, noted, notes);
    job->base.notes = notes;
}
