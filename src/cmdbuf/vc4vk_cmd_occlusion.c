/* SPDX-License-Identifier: MIT
 *
 * Counts samples for occlusion queries (vc4vk_cmd_query.h): the bits that a query has in a job's counters, the surface
 * of counters, and the operations that sum it up.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_staging.h"
#include "transfer/vc4vk_transfer.h"

/* ---------------------------------------------------------------- operations */

bool vc4vk_cmd_query_check(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool_h, uint32_t first, uint32_t count)
{
    VC4VK_FROM_HANDLE(vc4vk_query_pool, pool, pool_h);
    const bool has = vc4vk_query_pool_has(pool, first, count);
    if (!has && cmd->error == VK_SUCCESS)
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "query pool: queries %u+%u exceed the pool's %u", first, count,
                        pool ? pool->count : 0);
    return has;
}

struct vc4vk_cpu_op *vc4vk_cmd_query_op(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool, uint32_t first, uint32_t count,
                                        struct vc4vk_query_range **range_out)
{
    if (!vc4vk_cmd_query_check(cmd, pool, first, count))
        return NULL;
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    struct vc4vk_query_range *range = vc4vk_cmd_new(cmd, struct vc4vk_query_range);
    if (!op || !range)
        return NULL;
    *range = (struct vc4vk_query_range){vc4vk_query_pool_from_handle(pool), first, count};
    *range_out = range;
    return op;
}

/* ---------------------------------------------------------------- draws */

#define COUNTER_BITS 32u

/* The bits that values up to `max` need; at most COUNTER_BITS, since the bound for indirect draws may be beyond
 * them. */
static uint32_t field_bits(uint64_t max)
{
    uint32_t bits = 0;
    while (bits < COUNTER_BITS && max >> bits)
        bits++;
    return bits;
}

/* The lowest bit of the active query's field in the job's counters. */
static uint32_t next_shift(const struct vc4vk_cmd_query *query, const struct vc4vk_cmd_job *job)
{
    const struct vc4vk_cmd_count *last = job->last_count;
    if (!last)
        return 0;
    return last == query->count ? last->shift : last->shift + field_bits(last->max);
}

bool vc4vk_cmd_query_has_room(const struct vc4vk_cmd_buffer *cmd, uint64_t primitives)
{
    const struct vc4vk_cmd_query *query = &cmd->query;
    const struct vc4vk_cmd_job *job = cmd->job;
    if (!query->pool || cmd->continues_pass || !job || !job->draw_count)
        return true;
    const uint64_t so_far = job->last_count && job->last_count == query->count ? query->count->max : 0;
    /* The first counted draw begins a job, so that draws before it need not be replayed. */
    return job->counts && next_shift(query, job) + field_bits(so_far + primitives) <= COUNTER_BITS;
}

uint32_t vc4vk_cmd_query_count(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job, uint64_t primitives)
{
    struct vc4vk_cmd_query *query = &cmd->query;
    job->primitives += primitives;
    if (!query->pool || cmd->continues_pass) /* the primary knows what a secondary's programs add */
        return 0;
    if (!query->count || query->count->job != job) {
        struct vc4vk_cmd_count *count = vc4vk_cmd_new(cmd, struct vc4vk_cmd_count);
        if (!count)
            return 0;
        *count = (struct vc4vk_cmd_count){
            .job = job, .query = {query->pool, query->index, 1}, .shift = next_shift(query, job)};
        *(job->last_count ? &job->last_count->next : &job->counts) = count;
        job->last_count = query->count = count;
    }
    query->count->max += primitives;
    return BIT(query->count->shift);
}

/* ---------------------------------------------------------------- counters */

/* The counters of a job in one range. */
struct vc4vk_cmd_sum {
    struct vc4vk_sum_counters sum;
    struct vc4vk_cmd_count *counts;
    bool is_last; /* the last range of the job */
};

bool vc4vk_cmd_query_counters(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_surface *out)
{
    struct vc4vk_staging *counters = cmd->query.counters;
    const uint32_t width_px = cmd->pass.width_px, height_px = cmd->pass.height_px;
    vc4vk_cmd_query_flush(cmd); /* before the surface is reused */
    if (!counters || cmd->query.counters_width_px != width_px || cmd->query.counters_height_px != height_px ||
        cmd->query.counters_range_count < cmd->pass.range_count || counters->samples != cmd->pass.samples) {
        counters = cmd->query.counters = vc4vk_cmd_staging_new(cmd, NULL);
        cmd->query.counters_width_px = width_px;
        cmd->query.counters_height_px = height_px;
        cmd->query.counters_range_count = cmd->pass.range_count;
    }
    *out = (struct vc4vk_cmd_surface){.stage = counters, .attachment = VK_ATTACHMENT_UNUSED, .begin = VC4VK_TILE_CLEAR};
    return counters != NULL;
}

void vc4vk_cmd_query_counted(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_job *job, uint32_t range,
                             bool is_last)
{
    const struct vc4vk_staging *stage = cmd->query.counters + range;
    uint32_t count = 0;
    for (const struct vc4vk_cmd_count *c = job->counts; c; c = c->next)
        count++;
    struct vc4vk_cmd_sum *sum = vc4vk_cmd_new(cmd, struct vc4vk_cmd_sum);
    struct vc4vk_counter *counters = vc4vk_cmd_alloc(cmd, count * sizeof *counters);
    cmd->query.sum = counters ? sum : NULL;
    if (!sum || !counters)
        return;
    count = 0;
    for (const struct vc4vk_cmd_count *c = job->counts; c; c = c->next)
        counters[count++] = (struct vc4vk_counter){c->query, c->shift, field_bits(c->max)};
    *sum = (struct vc4vk_cmd_sum){
        {stage->bo, stage->stride_B, stage->samples, cmd->pass.ranges[range].area, count, counters},
        job->counts,
        is_last};
}

void vc4vk_cmd_query_available(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_query_range *query)
{
    struct vc4vk_query_range *range;
    struct vc4vk_cpu_op *op =
        vc4vk_cmd_query_op(cmd, vc4vk_query_pool_to_handle(query->pool), query->first, query->count, &range);
    if (!op)
        return;
    vc4vk_cpu_op_init_query_available(op, range);
    vc4vk_cmd_add(cmd, &op->command);
}

void vc4vk_cmd_query_flush(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_sum *sum = cmd->query.sum;
    cmd->query.sum = NULL;
    if (!sum)
        return;
    vc4vk_cmd_add_op(cmd, "sum up occlusion counters", vc4vk_run_sum_counters, &sum->sum,
                     UINT64_C(4) * sum->sum.area.extent.width * sum->sum.area.extent.height);
    for (struct vc4vk_cmd_count *count = sum->is_last ? sum->counts : NULL; count; count = count->next) {
        count->is_summed = true;
        if (count->ends)
            vc4vk_cmd_query_available(cmd, &count->query);
    }
}
