/* SPDX-License-Identifier: MIT
 *
 * Adapts what a secondary has recorded to a dynamic pass that has other attachments than the secondary inherits: where
 * one of both has none, nothing is written. The replays of a job are those of the pass, so each draw needs an instance
 * of its pipeline for the attachments of the pass. The recording of the secondary stays as it is: its draws are copied,
 * while packets, vertex programs and bound resources remain shared.
 *
 * This is sound because only fragment programs depend on the attachments. Their inputs do not, and they read nothing
 * that those of the secondary do not read, so binding tables are made from those that the secondary has.
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_retarget.h"

/* A part that is being adapted. */
struct retarget {
    struct vc4vk_cmd_buffer *cmd;   /* which executes the secondary */
    const struct vc4vk_target *own; /* the attachments that the secondary inherits */
    const struct vc4vk_cmd_part *part;                  /* of the secondary */
    struct vc4vk_draw_lists *lists;                     /* the secondary's packets and the adapted draws */
    struct vc4vk_cmd_job *job;                          /* the draws so far; NULL before the first one */
    struct vc4vk_cmd_part **end;                        /* where the next part goes */
    const struct vc4vk_draw_state *last, *last_adapted; /* the state of the last draw, before and after */
};

/* ---------------------------------------------------------------- draws */

/* The pipeline that draws to the attachments of the pass. NULL after a failure. */
static struct vc4vk_pipeline *adapt_pipeline(const struct retarget *r, const struct vc4vk_pipeline *pipeline)
{
    struct vc4vk_choice choice = pipeline->state.choice;
    struct vc4vk_pipeline *out = NULL;
    vc4vk_choice_set_target(&choice, r->own, &r->cmd->pass.target);
    const VkResult result = vc4vk_pipeline_instance((struct vc4vk_pipeline *)pipeline, &choice, NULL, &out);
    if (result != VK_SUCCESS)
        vc4vk_cmd_fail(r->cmd, result);
    return out;
}

/* The record with the pipeline's variant for the same descriptors. NULL after a failure. */
static const struct vc4vk_record *adapt_record(const struct retarget *r, const struct vc4vk_record *record,
                                               struct vc4vk_pipeline *pipeline)
{
    const struct vc4vk_variant *variant = record->fragment;
    const struct vc4c_interface *interface = pipeline->fragment.interface;
    struct vc4vk_classes classes = {0};
    memcpy(classes.textures, variant->textures, interface->texture_count * sizeof classes.textures[0]);
    memcpy(classes.stored, variant->stored, interface->resource_count);
    const VkResult result = vc4vk_pipeline_stage_variant(r->cmd->device, &pipeline->fragment, pipeline->layout,
                                                         &classes, variant->special, &variant);
    if (result != VK_SUCCESS) {
        vc4vk_cmd_fail(r->cmd, result);
        return NULL;
    }
    if (r->last && r->last->record == record && r->last_adapted->record->fragment == variant)
        return r->last_adapted->record;
    struct vc4vk_record *copy = vc4vk_cmd_copy(r->cmd, record, vc4vk_record_size_B(record));
    if (copy)
        copy->fragment = variant;
    return copy;
}

/* NULL after a failure. */
static const struct vc4vk_draw_state *adapt_state(struct retarget *r, const struct vc4vk_draw_state *state)
{
    struct vc4vk_cmd_buffer *cmd = r->cmd;
    if (state == r->last)
        return r->last_adapted;
    struct vc4vk_pipeline *pipeline = adapt_pipeline(r, state->pipeline);
    const struct vc4vk_record *record = pipeline ? adapt_record(r, state->record, pipeline) : NULL;
    struct vc4vk_draw_state *out = record ? vc4vk_cmd_copy(cmd, state, sizeof *state) : NULL;
    if (!out)
        return NULL;
    out->pipeline = pipeline;
    out->record = record;
    const VkResult result =
        vc4vk_binding_table_rearrange(&cmd->tables, &state->fragment_table, state->record->fragment->slots,
                                      record->fragment->slots, record->fragment->slot_count, &out->fragment_table);
    if (result != VK_SUCCESS) {
        vc4vk_cmd_fail(cmd, result);
        return NULL;
    }
    r->last = state;
    r->last_adapted = out;
    return out;
}

/* ---------------------------------------------------------------- jobs */

static void append(struct retarget *r, struct vc4vk_cmd_part *part)
{
    part->next = NULL;
    *r->end = part;
    r->end = &part->next;
}

/* Begins a part for draws like this one. All packets of the secondary's job come before its first draw. */
static void begin_job(struct retarget *r)
{
    struct vc4vk_cmd_part *part = vc4vk_cmd_new(r->cmd, struct vc4vk_cmd_part);
    r->job = vc4vk_cmd_copy(r->cmd, r->part->job, sizeof *r->job);
    if (!part || !r->job)
        return;
    r->job->draws.first.lists = r->lists;
    r->job->draws.first.draws = util_stream_end(&r->lists->draws);
    r->job->draws.first.draw_count = r->job->draw_count = 0;
    r->job->written_replays = 0;
    r->job->writes_depth = false;
    part->job = r->job;
    part->condition = r->part->condition;
    append(r, part);
}

/* Whether draws of the pipeline can be in one job with those before it. */
static bool fits(const struct vc4vk_cmd_job *job, const struct vc4vk_pipeline *pipeline)
{
    return job && job->stores_colors == pipeline->fragment.stores_colors && job->pairs == pipeline->state.pairs;
}

/* The costs remain those of the secondary's job, but for the words that programs read more. */
static void note_draw(struct vc4vk_cmd_job *job, const struct vc4vk_draw_state *before,
                      const struct vc4vk_draw_state *state)
{
    const struct vc4vk_record *record = state->record;
    const uint32_t words_before = before->record->fragment->stream_words, words = record->fragment->stream_words;
    if (words > words_before)
        job->estimate_B += (uint64_t)job->chip_draws * (words - words_before) * sizeof(uint32_t);
    vc4vk_cmd_job_note_pipeline(job, state->pipeline, record->vertex, record->fragment);
}

static void adapt_draw(struct retarget *r, const struct vc4vk_draw *recorded)
{
    struct vc4vk_draw draw = *recorded;
    const bool is_other = recorded->state != r->last;
    draw.state = adapt_state(r, recorded->state);
    if (draw.state && !fits(r->job, draw.state->pipeline))
        begin_job(r);
    if (r->cmd->error != VK_SUCCESS)
        return;
    if (is_other || !r->job->draw_count)
        note_draw(r->job, recorded->state, draw.state);
    *(struct vc4vk_draw *)util_stream_reserve(&r->lists->draws, sizeof draw) = draw;
    r->job->draws.first.draw_count++;
    r->job->draw_count++;
}

static void adapt_draws(struct retarget *r, const struct vc4vk_cmd_part *part)
{
    struct vc4vk_cmd_buffer *cmd = r->cmd;
    const struct vc4vk_draw_section *section = &part->job->draws.first;
    struct vc4vk_draw *draws = vc4vk_cmd_alloc_raw(cmd, (size_t)section->draw_count * sizeof *draws);
    r->lists = vc4vk_cmd_new(cmd, struct vc4vk_draw_lists);
    if (!draws || !r->lists)
        return;
    r->part = part;
    r->job = NULL;
    r->lists->packets = section->lists->packets;
    util_stream_init(&r->lists->draws, cmd->limits->chunk_B, &cmd->chunks);
    util_stream_gather_from(&section->lists->draws, section->draws, section->draw_count * (uint32_t)sizeof *draws,
                            draws);
    for (uint32_t i = 0; i < section->draw_count && cmd->error == VK_SUCCESS; i++)
        adapt_draw(r, &draws[i]);
    if (r->lists->draws.failed)
        vc4vk_cmd_fail(cmd, vc4vk_oom(cmd));
}

/* ---------------------------------------------------------------- other parts */

/* The aspects of an attachment that the secondary inherits; only these are cleared. */
static VkImageAspectFlags inherited_aspects(const struct vc4vk_target *own, const VkClearAttachment *clear)
{
    VkImageAspectFlags aspects = 0;
    if (clear->colorAttachment < VC4VK_MAX_COLOR_ATTACHMENTS && own->colors[clear->colorAttachment] != HW_FORMAT_NONE)
        aspects |= VK_IMAGE_ASPECT_COLOR_BIT;
    if (own->depth & VC4VK_TARGET_DEPTH)
        aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
    if (own->depth & VC4VK_TARGET_STENCIL)
        aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
    return clear->aspectMask & aspects;
}

static void adapt_other(struct retarget *r, const struct vc4vk_cmd_part *from)
{
    struct vc4vk_cmd_part *part = vc4vk_cmd_copy(r->cmd, from, sizeof *from);
    VkClearAttachment *clears =
        part ? vc4vk_cmd_copy(r->cmd, from->attachments, from->attachment_count * sizeof *clears) : NULL;
    if (!clears)
        return;
    part->attachments = clears;
    part->attachment_count = 0;
    for (uint32_t i = 0; i < from->attachment_count; i++) {
        clears[part->attachment_count] = from->attachments[i];
        clears[part->attachment_count].aspectMask = inherited_aspects(r->own, &from->attachments[i]);
        part->attachment_count += clears[part->attachment_count].aspectMask != 0;
    }
    append(r, part);
}

static bool has_same_attachments(const struct vc4vk_target *a, const struct vc4vk_target *b)
{
    return !memcmp(a->colors, b->colors, sizeof a->colors) && a->depth == b->depth;
}

const struct vc4vk_cmd_part *vc4vk_cmd_parts_for_pass(struct vc4vk_cmd_buffer *cmd,
                                                      const struct vc4vk_cmd_buffer *secondary)
{
    struct vc4vk_cmd_part *parts = NULL;
    struct retarget r = {.cmd = cmd, .own = &secondary->pass.target, .end = &parts};
    if (!cmd->pass.has_target || !secondary->pass.has_target || has_same_attachments(r.own, &cmd->pass.target))
        return secondary->parts;
    for (const struct vc4vk_cmd_part *part = secondary->parts; part && cmd->error == VK_SUCCESS; part = part->next)
        if (part->job)
            adapt_draws(&r, part);
        else
            adapt_other(&r, part);
    return parts;
}
