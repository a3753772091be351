/* SPDX-License-Identifier: MIT */
#include "cmdbuf/vc4vk_cmd_job.h"

static void append(struct vc4vk_cmd_job *job, struct vc4vk_draw_section *section)
{
    vc4vk_cmd_job_end_section(job);
    if (job->last)
        job->last->next = section;
    job->last = section;
}

void vc4vk_cmd_job_begin_section(struct vc4vk_cmd_job *job, struct vc4vk_draw_section *section,
                                 const struct vc4vk_draw_lists *lists, struct util_stream_place packets)
{
    append(job, section);
    *section = (struct vc4vk_draw_section){.lists = lists, .packets = packets, .draws = util_stream_end(&lists->draws)};
}

void vc4vk_cmd_job_note_pipeline(struct vc4vk_cmd_job *job, const struct vc4vk_pipeline *pipeline,
                                 const struct vc4vk_variant *vertex, const struct vc4vk_variant *fragment)
{
    job->written_replays |= pipeline->state.written_replays;
    job->draws.samples = pipeline->state.fragment.samples;
    job->replay_count = (uint8_t)pipeline->state.replay_count;
    job->pairs = pipeline->state.pairs;
    job->stores_colors = pipeline->fragment.stores_colors;
    job->reads_all_words |= pipeline->state.blends_apart;
    job->writes_depth |= pipeline->state.depth_write || pipeline->state.stencil_test;
    job->is_layered |= pipeline->vertex.interface->targets & VC4C_TARGET_LAYER;
    job->has_side_effects |=
        vc4vk_pipeline_stores_before_rasterizer(pipeline) || pipeline->fragment.interface->has_side_effects;
    /* Otherwise the chip would bin this job while it still renders the one before. */
    job->needs_idle |= pipeline->samples_in_vertex_stage;
    if (!vertex->is_native || !fragment->is_native || vertex->attributes.is_packed)
        job->class = MAX2(job->class, VC4VK_JOB_LOWERED);
    if (vertex->is_engine || fragment->is_engine)
        job->class = VC4VK_JOB_CPU;
    if (pipeline->expander) {
        job->needs_idle = true; /* its programs may read what the job before has written */
        /* the chip's jobs must change a surface, and run again when memory is short */
        job->class =
            MAX2(job->class, vc4vk_pipeline_stores_before_rasterizer(pipeline) ? VC4VK_JOB_CPU : VC4VK_JOB_LOWERED);
    }
    job->has_counting_programs = fragment->special && (job->has_counting_programs || !job->draw_count);
}

/* Merges the properties of a secondary's job into the job that executes its draws. */
static void merge_properties(struct vc4vk_cmd_job *job, const struct vc4vk_cmd_job *from)
{
    job->has_counting_programs = from->has_counting_programs && (job->has_counting_programs || !job->draw_count);
    job->packets_B += from->packets_B;
    job->draw_count += from->draw_count;
    job->chip_draws += from->chip_draws;
    job->estimate_B += from->estimate_B;
    job->draws.binner_B += from->draws.binner_B;
    job->written_replays |= from->written_replays;
    job->writes_depth |= from->writes_depth;
    job->is_layered |= from->is_layered;
    job->has_side_effects |= from->has_side_effects;
    job->draws.samples = from->draws.samples;
    job->replay_count = from->replay_count;
    job->draws.is_recentred |= from->draws.is_recentred;
    job->pairs = from->pairs;
    job->stores_colors |= from->stores_colors;
    job->reads_all_words |= from->reads_all_words;
    job->draws.may_take_parts |= from->draws.may_take_parts;
    job->class = MAX2(job->class, from->class);
    job->needs_idle |= from->needs_idle;
}

void vc4vk_cmd_job_execute(struct vc4vk_cmd_job *job, struct vc4vk_draw_section *section,
                           const struct vc4vk_cmd_job *from, uint32_t count, const struct vc4vk_condition *condition)
{
    assert(!from->draws.first.next && !from->draws.first.is_executed); /* secondaries do not execute others */
    append(job, section);
    *section = from->draws.first;
    section->is_executed = true;
    section->count = count;
    section->condition = condition;
    merge_properties(job, from);
    job->counted_draws = count ? job->draw_count : job->counted_draws;
}
