/* SPDX-License-Identifier: MIT
 *
 * Occlusion queries while they are recorded. The chip counts nothing: a job whose draws a query counts is replayed once
 * more, before its other replays, into a surface of counters, one word a pixel, with programs that add to them. An
 * operation of the CPU sums them up. Everything is exact.
 *
 * Queries of a command buffer never overlap, so a job may count for several: each has a field of the words, as wide as
 * the primitives of its draws may need. A job that runs out of bits is split.
 */
#ifndef CMDBUF_VC4VK_CMD_QUERY_H
#define CMDBUF_VC4VK_CMD_QUERY_H

#include "queue/vc4vk_query.h"

struct vc4vk_cmd_buffer;
struct vc4vk_cmd_job;
struct vc4vk_cmd_surface;

/* A query that a job counts for. */
struct vc4vk_cmd_count {
    struct vc4vk_cmd_count *next; /* of the same job, in order */
    const struct vc4vk_cmd_job *job;
    struct vc4vk_query_range query;
    uint32_t shift; /* where its field begins in a counter */
    uint64_t most;  /* no counter holds more of it */
    bool ends;      /* the query is available when this is summed up */
    bool is_summed; /* the operation that sums it up is recorded */
};

struct vc4vk_cmd_sum;

/* The query that is active, and what is left to do for those before it. */
struct vc4vk_cmd_query {
    struct vc4vk_query_pool *pool; /* NULL: no query is active */
    uint32_t index;
    bool is_inherited;                /* a secondary that may be executed inside a query */
    struct vc4vk_cmd_count *count;    /* the newest of the active query, or NULL */
    struct vc4vk_cmd_sum *sum;        /* counters that a job has filled and nobody has summed up yet, or NULL */
    struct vc4vk_cmd_stage *counters; /* the newest surface of them, or NULL; by range of a pass of this extent: */
    uint32_t counters_width_px, counters_height_px, counters_range_count;
};

/* Before draws with that many primitives are recorded: splits the pass where the job cannot count them. */
void vc4vk_cmd_query_make_room(struct vc4vk_cmd_buffer *cmd, uint64_t primitives);
/* Such draws go into the job next: what their programs have to add to counters. 0: no query is active. */
uint32_t vc4vk_cmd_query_count(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job, uint64_t primitives);

/* The surface that the counting replay of a job fills, from 0 on, in each of the pass's ranges; false after a failure.
 */
bool vc4vk_cmd_query_counters(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_surface *out);
/* That replay has been recorded for a range; `is_last`: of those of the job. */
void vc4vk_cmd_query_counted(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_job *job, uint32_t range,
                             bool is_last);
/* Records what is left to do for queries: at the end of a pass. */
void vc4vk_cmd_query_flush(struct vc4vk_cmd_buffer *cmd);

#endif
