/* SPDX-License-Identifier: MIT
 *
 * Jobs of a render pass while they are recorded: adds draws to the sections that issue reads (issue/vc4vk_draw_job.h),
 * and keeps account of what they will take, so that the pass can be split in time.
 */
#ifndef CMDBUF_VC4VK_CMD_JOB_H
#define CMDBUF_VC4VK_CMD_JOB_H

#include "issue/vc4vk_draw_job.h"
#include "issue/vc4vk_job_limits.h"

struct vc4vk_cmd_job {
    struct vc4vk_draw_job draws;     /* what issue reads */
    struct vc4vk_draw_section *last; /* of `draws`; NULL before the first draw */
    uint32_t packets_B;              /* of all sections except the one being recorded */
    const struct vc4vk_job_limits *limits;
    const char *label;             /* the application's, or NULL */
    uint32_t draw_count;           /* in all sections */
    uint32_t chip_draws;           /* primitive packets that the draws become, every instance counted */
    uint64_t estimate_B;           /* estimated size of lists, records and uniforms at issue */
    enum vc4vk_job_class class;
    bool forces_engine; /* VC4VK_DEBUG=force-cpu-engine */
    const struct vc4vk_counted *counted; /* queries that count the draws, which must be issued exactly once; or NULL */
    bool may_be_counted;                 /* as in struct vc4vk_cmd_buffer */
    bool needs_idle;    /* vertex programs read what an earlier job renders */
    /* The queries that the job counts for, in order (vc4vk_cmd_query.h), and the number of draws to count. All draws of
     * such a job have counting programs; those of a job without queries may have them. */
    struct vc4vk_cmd_count *counts, *last_count;
    uint32_t counted_draws;
    bool has_counting_programs;
    uint64_t primitives;      /* upper bound; used when a secondary is executed inside a query */
    uint32_t written_replays; /* bit mask of the replays whose colour a draw may change */
    bool writes_depth;
    bool is_layered; /* vertex programs select layers: in a framebuffer with several the job is replayed for each */
    bool has_side_effects; /* programs store to memory: the job must run exactly once */
    uint8_t replay_count;  /* of its pipelines; 0: no draw so far */
    uint32_t pairs;        /* the same */
    bool stores_colors;    /* all pipelines have one replay, whose programs store the other colour words to memory */
    bool reads_all_words;  /* such programs read words of colour that they may not change */
};

/* Whether the job must run on the CPU engine. Valid once all draws are recorded. */
static inline bool vc4vk_cmd_job_is_for_engine(const struct vc4vk_cmd_job *job)
{
    return job->class == VC4VK_JOB_CPU || job->forces_engine || job->counted || job->may_be_counted;
}

/* What draws add to a job when they are issued. */
struct vc4vk_cmd_cost {
    uint32_t chip_draws;
    uint64_t estimate_B, binner_B;
};

/* Whether `more` would make the job exceed a limit. False for a job without draws. */
static inline bool vc4vk_cmd_job_is_full(const struct vc4vk_cmd_job *job, const struct vc4vk_cmd_cost *more)
{
    const struct vc4vk_job_limits *limits = job->limits;
    return job->draw_count && (job->chip_draws + more->chip_draws > limits->chip_draws ||
                               job->estimate_B + more->estimate_B > limits->bytes_B ||
                               job->draws.binner_B + more->binner_B > limits->binner_B);
}

/* Begins a section for draws that are appended to `lists`; their packets begin at `packets`. */
void vc4vk_cmd_job_begin_section(struct vc4vk_cmd_job *job, struct vc4vk_draw_section *section,
                                 const struct vc4vk_draw_lists *lists, struct util_stream_place packets);
/* Ends the section: it has all packets written so far. */
static inline void vc4vk_cmd_job_end_section(struct vc4vk_cmd_job *job)
{
    struct vc4vk_draw_section *last = job->last;
    if (!last || last->is_executed)
        return;
    last->packets_B = last->lists->packets.size_B - last->packets.in_stream_B;
    job->packets_B += last->packets_B;
}

/* Appends a draw to the last section. */
static inline void vc4vk_cmd_job_add_draw(struct vc4vk_cmd_job *job, struct vc4vk_draw_lists *lists,
                                          const struct vc4vk_draw *draw, const struct vc4vk_cmd_cost *cost)
{
    *(struct vc4vk_draw *)util_stream_reserve(&lists->draws, sizeof *draw) = *draw;
    job->last->draw_count++;
    job->draw_count++;
    job->chip_draws += cost->chip_draws;
    job->estimate_B += cost->estimate_B;
    job->draws.binner_B += cost->binner_B;
}

/* Updates the job's properties for draws with this pipeline and these variants of its stages. */
void vc4vk_cmd_job_note_pipeline(struct vc4vk_cmd_job *job, const struct vc4vk_pipeline *pipeline,
                                 const struct vc4vk_variant *vertex, const struct vc4vk_variant *fragment);

/* Appends a section that refers to all draws of a secondary's job. `count` is what its counting programs add,
 * `condition` as in struct vc4vk_draw_section. */
void vc4vk_cmd_job_execute(struct vc4vk_cmd_job *job, struct vc4vk_draw_section *section,
                           const struct vc4vk_cmd_job *from, uint32_t count, const struct vc4vk_condition *condition);

#endif
