/* SPDX-License-Identifier: MIT
 *
 * Queries. Timestamps and resets are operations that retire in order and delay no other command. A timestamp inside a
 * render pass ends the job so far, because the chip has no timestamps within a job. For occlusion queries see
 * vc4vk_cmd_query.h.
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_staging.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "queue/vc4vk_performance.h"

/* Fails the recording when the pool does not have these queries. */
static bool check_queries(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool_h, uint32_t first, uint32_t count)
{
    VC4VK_FROM_HANDLE(vc4vk_query_pool, pool, pool_h);
    const bool has = vc4vk_query_pool_has(pool, first, count);
    if (!has && cmd->error == VK_SUCCESS)
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "query pool: queries %u+%u exceed the pool's %u", first, count,
                        pool ? pool->count : 0);
    return has;
}

/* An operation on `count` queries; NULL after a failure. */
static struct vc4vk_cpu_op *new_op(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool, uint32_t first, uint32_t count,
                                   struct vc4vk_query_range **range_out)
{
    if (!check_queries(cmd, pool, first, count))
        return NULL;
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    struct vc4vk_query_range *range = vc4vk_cmd_new(cmd, struct vc4vk_query_range);
    if (!op || !range)
        return NULL;
    *range = (struct vc4vk_query_range){vc4vk_query_pool_from_handle(pool), first, count};
    *range_out = range;
    return op;
}

/* ---------------------------------------------------------------- occlusion: draws */

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

void vc4vk_cmd_query_make_room(struct vc4vk_cmd_buffer *cmd, uint64_t primitives)
{
    const struct vc4vk_cmd_query *query = &cmd->query;
    const struct vc4vk_cmd_job *job = cmd->job;
    if (!query->pool || cmd->continues_pass || !job || !job->draw_count)
        return;
    const uint64_t so_far = job->last_count && job->last_count == query->count ? query->count->max : 0;
    /* The first counted draw begins a job, so that draws before it need not be replayed. */
    if (!job->counts || next_shift(query, job) + field_bits(so_far + primitives) > COUNTER_BITS)
        vc4vk_cmd_pass_split(cmd);
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

/* ---------------------------------------------------------------- occlusion: counters */

/* The counters of a job. */
struct vc4vk_cmd_sum {
    const struct vc4vk_cmd_staging *counters;
    VkRect2D area;
    struct vc4vk_cmd_count *counts;
    bool is_last; /* the last range of the job */
};

bool vc4vk_cmd_query_counters(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_surface *out)
{
    struct vc4vk_cmd_staging *counters = cmd->query.counters;
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
    struct vc4vk_cmd_sum *sum = vc4vk_cmd_new(cmd, struct vc4vk_cmd_sum);
    if (sum)
        *sum = (struct vc4vk_cmd_sum){cmd->query.counters + range, cmd->pass.ranges[range].area, job->counts, is_last};
    cmd->query.sum = sum;
}

/* Counters lie in rows of pixels, or with several samples in rows of blocks. The counters of a block outside of the
 * area are 0, since no draw reaches them. */
static uint64_t sum_of(const struct vc4vk_cmd_sum *sum, const uint32_t *words, const struct vc4vk_cmd_count *count)
{
    const bool has_blocks = sum->counters->samples > 1;
    const uint32_t unit_px = has_blocks ? HW_MS_TILE_PX : 1, unit_words = has_blocks ? HW_MS_TILE_B / sizeof *words : 1;
    const uint32_t left = (uint32_t)sum->area.offset.x, top = (uint32_t)sum->area.offset.y;
    const uint32_t begin = left / unit_px * unit_words,
                   end = util_div_round_up(left + sum->area.extent.width, unit_px) * unit_words;
    const uint32_t last_row = util_div_round_up(top + sum->area.extent.height, unit_px);
    const uint32_t mask = (uint32_t)(UINT32_MAX >> (COUNTER_BITS - field_bits(count->max)));
    uint64_t all = 0;
    for (uint32_t y = top / unit_px; y < last_row; y++) {
        const uint32_t *row = words + (size_t)y * (sum->counters->stride_B / sizeof *words);
        for (uint32_t i = begin; i < end; i++)
            all += row[i] >> count->shift & mask;
    }
    return all;
}

static VkResult run_sum(void *arguments)
{
    const struct vc4vk_cmd_sum *sum = arguments;
    const uint32_t *words = kmd_bo_map(sum->counters->bo);
    if (!words)
        return VK_ERROR_MEMORY_MAP_FAILED;
    for (const struct vc4vk_cmd_count *count = sum->counts; count; count = count->next)
        vc4vk_query_add(&count->query, sum_of(sum, words, count));
    return VK_SUCCESS;
}

static void add_available(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_query_range *query)
{
    struct vc4vk_query_range *range;
    struct vc4vk_cpu_op *op = new_op(cmd, vc4vk_query_pool_to_handle(query->pool), query->first, query->count, &range);
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
    vc4vk_cmd_add_op(cmd, "sum up occlusion counters", run_sum, sum,
                     UINT64_C(4) * sum->area.extent.width * sum->area.extent.height);
    for (struct vc4vk_cmd_count *count = sum->is_last ? sum->counts : NULL; count; count = count->next) {
        count->is_summed = true;
        if (count->ends)
            add_available(cmd, &count->query);
    }
}

/* ---------------------------------------------------------------- occlusion: entry points */

/* Adds a part to a secondary that continues a pass. The primary executes it between the draws. */
static struct vc4vk_cmd_part *new_part(struct vc4vk_cmd_buffer *cmd)
{
    vc4vk_cmd_pass_split(cmd);
    struct vc4vk_cmd_part *part = vc4vk_cmd_new(cmd, struct vc4vk_cmd_part);
    if (part) {
        *cmd->parts_end = part;
        cmd->parts_end = &part->next;
    }
    return part;
}

/* Records an operation between two jobs, also within a pass. */
static void add_between_jobs(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cpu_op *op)
{
    struct vc4vk_cmd_part *part = cmd->continues_pass ? new_part(cmd) : NULL;
    if (part)
        part->command = &op->command;
    if (cmd->continues_pass)
        return;
    if (cmd->pass.pass)
        vc4vk_cmd_pass_split(cmd);
    vc4vk_cmd_add(cmd, &op->command);
}

/* Begins or ends a performance query. It counts whole jobs, so each of the two operations begins a new job. */
static void add_performance(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool, uint32_t query,
                            void (*init)(struct vc4vk_cpu_op *op, struct vc4vk_query_range *range))
{
    struct vc4vk_query_range *range;
    struct vc4vk_cpu_op *op = new_op(cmd, pool, query, 1, &range);
    if (!op)
        return;
    init(op, range);
    add_between_jobs(cmd, op);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginQuery(VkCommandBuffer cmd_h, VkQueryPool pool, uint32_t query,
                                               VkQueryControlFlags flags)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (!check_queries(cmd, pool, query, 1))
        return;
    if (vc4vk_query_pool_from_handle(pool)->performance) {
        add_performance(cmd, pool, query, vc4vk_cpu_op_init_performance_begin);
        return;
    }
    cmd->query.pool = vc4vk_query_pool_from_handle(pool);
    cmd->query.index = query;
    cmd->query.count = NULL;
    cmd->state.dirty |= VC4VK_DIRTY_COUNT;
    struct vc4vk_cmd_part *part = cmd->continues_pass ? new_part(cmd) : NULL;
    if (part)
        part->begins = vc4vk_cmd_copy(cmd, &(struct vc4vk_query_range){cmd->query.pool, query, 1},
                                      sizeof(struct vc4vk_query_range));
}

/* A query in a multiview subpass uses one query per view; the first one gets the result of all views. */
static uint32_t query_places(const struct vc4vk_cmd_buffer *cmd)
{
    return cmd->pass.pass && !cmd->continues_pass ? (uint32_t)__builtin_popcount(vc4vk_cmd_pass_views(&cmd->pass)) : 1;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndQuery(VkCommandBuffer cmd_h, VkQueryPool pool, uint32_t query)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (!check_queries(cmd, pool, query, 1))
        return;
    if (vc4vk_query_pool_from_handle(pool)->performance) {
        add_performance(cmd, pool, query, vc4vk_cpu_op_init_performance_end);
        return;
    }
    struct vc4vk_cmd_count *count = cmd->query.count;
    cmd->query.pool = NULL;
    cmd->query.count = NULL;
    cmd->state.dirty |= VC4VK_DIRTY_COUNT;
    struct vc4vk_cmd_part *part = cmd->continues_pass ? new_part(cmd) : NULL;
    if (part)
        part->ends = vc4vk_cmd_copy(cmd, &(struct vc4vk_query_range){vc4vk_query_pool_from_handle(pool), query, 1},
                                    sizeof(struct vc4vk_query_range));
    else if (count && !count->is_summed)
        count->ends = true;
    else if (!cmd->continues_pass)
        add_available(cmd, &(struct vc4vk_query_range){vc4vk_query_pool_from_handle(pool), query, 1});
    const uint32_t others = query_places(cmd) - 1;
    if (others)
        add_available(cmd, &(struct vc4vk_query_range){vc4vk_query_pool_from_handle(pool), query + 1, others});
}

/* ---------------------------------------------------------------- resets and timestamps */

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdResetQueryPool(VkCommandBuffer cmd_h, VkQueryPool pool, uint32_t first,
                                                   uint32_t count)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_query_range *range;
    struct vc4vk_cpu_op *op = new_op(cmd, pool, first, count, &range);
    if (!op)
        return;
    vc4vk_cpu_op_init_query_reset(op, range);
    vc4vk_cmd_add(cmd, &op->command);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdWriteTimestamp(VkCommandBuffer cmd_h, VkPipelineStageFlagBits stage,
                                                   VkQueryPool pool, uint32_t query)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_query_range *range;
    struct vc4vk_cpu_op *op = new_op(cmd, pool, query, query_places(cmd), &range);
    if (!op)
        return;
    vc4vk_cpu_op_init_timestamp(op, range);
    add_between_jobs(cmd, op);
}

/* ---------------------------------------------------------------- results */

struct copy_results {
    struct vc4vk_query_range range;
    const struct vc4vk_buffer *to;
    VkDeviceSize offset_B, stride_B;
    VkQueryResultFlags flags;
};

static VkResult run_copy(void *arguments)
{
    const struct copy_results *copy = arguments;
    uint8_t *map = copy->to->bo ? kmd_bo_map(copy->to->bo) : NULL;
    if (!map || copy->offset_B >= copy->to->size_B)
        return VK_SUCCESS;
    /* Everything before this has retired, so queries that are not available now were never begun. */
    VkResult result = vc4vk_query_pool_results(
        copy->range.pool->device, vc4vk_query_pool_to_handle(copy->range.pool), copy->range.first, copy->range.count,
        (size_t)(copy->to->size_B - copy->offset_B), map + copy->to->offset_B + copy->offset_B, copy->stride_B,
        copy->flags & ~(uint32_t)VK_QUERY_RESULT_WAIT_BIT);
    return result == VK_NOT_READY ? VK_SUCCESS : result;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyQueryPoolResults(VkCommandBuffer cmd_h, VkQueryPool pool, uint32_t first,
                                                         uint32_t count, VkBuffer to, VkDeviceSize offset_B,
                                                         VkDeviceSize stride_B, VkQueryResultFlags flags)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct copy_results *copy = check_queries(cmd, pool, first, count) ? vc4vk_cmd_new(cmd, struct copy_results) : NULL;
    if (!copy || !to)
        return;
    *copy = (struct copy_results){
        .range = {vc4vk_query_pool_from_handle(pool), first, count},
        .to = vc4vk_buffer_from_handle(to),
        .offset_B = offset_B,
        .stride_B = stride_B,
        .flags = flags,
    };
    vc4vk_cmd_add_op(cmd, "copy query results", run_copy, copy, count * sizeof(uint64_t));
}
