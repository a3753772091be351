/* SPDX-License-Identifier: MIT
 *
 * Occlusion queries while they are recorded. The chip cannot count samples. A job whose draws a query counts is
 * therefore replayed once more, before its other replays, into a surface of counters with one word per pixel: the
 * programs of this replay add to the counters. A CPU operation sums them up. Results are exact.
 *
 * Queries of a command buffer never overlap, so a job may count for several. Each has a bit field of the counters, wide
 * enough for the number of primitives that its draws may have. A job that runs out of bits is split.
 */
#ifndef CMDBUF_VC4VK_CMD_QUERY_H
#define CMDBUF_VC4VK_CMD_QUERY_H

#include "queue/vc4vk_query.h"

struct vc4vk_cmd_buffer;
struct vc4vk_cmd_part;
struct vc4vk_command;
struct vc4vk_cmd_job;
struct vc4vk_cmd_surface;

/* A query that a job counts for. */
struct vc4vk_cmd_count {
    struct vc4vk_cmd_count *next; /* of the same job, in order */
    const struct vc4vk_cmd_job *job;
    struct vc4vk_query_range query;
    uint32_t shift; /* where its field begins in a counter */
    uint64_t max;   /* upper bound of a counter's value */
    bool ends;      /* the query becomes available when the counters have been summed up */
    bool is_summed; /* the operation that sums them up has been recorded */
};

struct vc4vk_cmd_sum;

/* The active query, and the pending work for earlier ones. */
struct vc4vk_cmd_query {
    struct vc4vk_query_pool *pool; /* NULL: no query is active */
    uint32_t index;
    bool is_inherited;                /* a secondary that may be executed inside a query */
    struct vc4vk_cmd_count *count;    /* the newest of the active query, or NULL */
    struct vc4vk_cmd_sum *sum;        /* counters of a job that have not been summed up, or NULL */
    struct vc4vk_staging *counters;   /* the newest counter surface, by range, or NULL; for a pass of this extent: */
    uint32_t counters_width_px, counters_height_px, counters_range_count;
};

/* Whether the open job can count draws with so many primitives. If not, the pass must be split before them. */
bool vc4vk_cmd_query_has_room(const struct vc4vk_cmd_buffer *cmd, uint64_t primitives);
/* Accounts for such draws in the job. Returns what their programs add to counters; 0: no query is active. */
uint32_t vc4vk_cmd_query_count(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job, uint64_t primitives);

/* The surface of counters that a job's counting replay clears and fills in each range of the pass. False after a
 * failure. */
bool vc4vk_cmd_query_counters(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_surface *out);
/* To be called when the counting replay has been recorded for a range; `is_last`: the last range of the job. */
void vc4vk_cmd_query_counted(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_job *job, uint32_t range,
                             bool is_last);
/* Records the pending work for queries, at the end of a pass. */
void vc4vk_cmd_query_flush(struct vc4vk_cmd_buffer *cmd);

/* Fails the recording when the pool does not have these queries. */
bool vc4vk_cmd_query_check(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool, uint32_t first, uint32_t count);
/* A new operation on `count` queries; NULL after a failure. */
struct vc4vk_cpu_op *vc4vk_cmd_query_op(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool, uint32_t first, uint32_t count,
                                        struct vc4vk_query_range **range_out);
/* Records an operation that runs between two jobs, also within a pass, after everything before it. */
void vc4vk_cmd_add_between_jobs(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cpu_op *op);
/* Queries that jobs and dispatches add to (vc4vk_cmd_counted.c). The pool has the query; `stream` is for queries of
 * primitives. */
void vc4vk_cmd_begin_counted(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool, uint32_t query, uint32_t stream);
void vc4vk_cmd_end_counted(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool, uint32_t query, uint32_t stream);
/* A secondary's command as it is executed while such queries are active; NULL after a failure. */
struct vc4vk_command *vc4vk_cmd_counted_command(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command);
/* Adds a part to a secondary that continues a pass. The primary executes it between the draws. */
struct vc4vk_cmd_part *vc4vk_cmd_part_new(struct vc4vk_cmd_buffer *cmd);
/* A query in a multiview subpass uses one query per view; the first one gets the result of all views. */
uint32_t vc4vk_cmd_query_places(const struct vc4vk_cmd_buffer *cmd);
/* Records that the queries become available. */
void vc4vk_cmd_query_available(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_query_range *query);

#endif
