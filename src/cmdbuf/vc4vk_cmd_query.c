/* SPDX-License-Identifier: MIT
 *
 * Queries. Timestamps and resets are operations that retire in order and delay no other command. A timestamp inside a
 * render pass ends the job so far, because the chip has no timestamps within a job. For occlusion queries see
 * vc4vk_cmd_query.h.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "queue/vc4vk_performance.h"
#include "transfer/vc4vk_transfer.h"

/* ---------------------------------------------------------------- begin and end */

struct vc4vk_cmd_part *vc4vk_cmd_part_new(struct vc4vk_cmd_buffer *cmd)
{
    vc4vk_cmd_pass_split(cmd);
    struct vc4vk_cmd_part *part = vc4vk_cmd_new(cmd, struct vc4vk_cmd_part);
    if (part) {
        *cmd->parts_end = part;
        cmd->parts_end = &part->next;
    }
    return part;
}

void vc4vk_cmd_add_between_jobs(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cpu_op *op)
{
    struct vc4vk_cmd_part *part = cmd->continues_pass ? vc4vk_cmd_part_new(cmd) : NULL;
    if (part)
        part->command = &op->command;
    if (cmd->continues_pass)
        return;
    vc4vk_cmd_pass_split(cmd);
    vc4vk_cmd_add(cmd, &op->command);
}

/* Begins or ends a performance query. It counts whole jobs, so each of the two operations begins a new job. */
static void add_performance(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool, uint32_t query,
                            void (*init)(struct vc4vk_cpu_op *op, struct vc4vk_query_range *range))
{
    struct vc4vk_query_range *range;
    struct vc4vk_cpu_op *op = vc4vk_cmd_query_op(cmd, pool, query, 1, &range);
    if (!op)
        return;
    init(op, range);
    vc4vk_cmd_add_between_jobs(cmd, op);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginQuery(VkCommandBuffer cmd_h, VkQueryPool pool, uint32_t query,
                                               VkQueryControlFlags flags)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (!vc4vk_cmd_query_check(cmd, pool, query, 1))
        return;
    vc4vk_cmd_pass_release(cmd, &cmd->pass);
    if (vc4vk_query_pool_from_handle(pool)->performance) {
        add_performance(cmd, pool, query, vc4vk_cpu_op_init_performance_begin);
        return;
    }
    if (vc4vk_query_pool_counts(vc4vk_query_pool_from_handle(pool))) {
        vc4vk_cmd_begin_counted(cmd, pool, query, 0);
        return;
    }
    cmd->query.pool = vc4vk_query_pool_from_handle(pool);
    cmd->query.index = query;
    cmd->query.count = NULL;
    cmd->state.dirty |= VC4VK_DIRTY_COUNT;
    struct vc4vk_cmd_part *part = cmd->continues_pass ? vc4vk_cmd_part_new(cmd) : NULL;
    if (part)
        part->begins = vc4vk_cmd_copy(cmd, &(struct vc4vk_query_range){cmd->query.pool, query, 1},
                                      sizeof(struct vc4vk_query_range));
}

uint32_t vc4vk_cmd_query_places(const struct vc4vk_cmd_buffer *cmd)
{
    return cmd->pass.pass && !cmd->continues_pass ? (uint32_t)__builtin_popcount(vc4vk_cmd_pass_views(&cmd->pass)) : 1;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndQuery(VkCommandBuffer cmd_h, VkQueryPool pool, uint32_t query)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (!vc4vk_cmd_query_check(cmd, pool, query, 1))
        return;
    vc4vk_cmd_pass_release(cmd, &cmd->pass);
    if (vc4vk_query_pool_from_handle(pool)->performance) {
        add_performance(cmd, pool, query, vc4vk_cpu_op_init_performance_end);
        return;
    }
    if (vc4vk_query_pool_counts(vc4vk_query_pool_from_handle(pool))) {
        vc4vk_cmd_end_counted(cmd, pool, query, 0);
        return;
    }
    struct vc4vk_cmd_count *count = cmd->query.count;
    cmd->query.pool = NULL;
    cmd->query.count = NULL;
    cmd->state.dirty |= VC4VK_DIRTY_COUNT;
    struct vc4vk_cmd_part *part = cmd->continues_pass ? vc4vk_cmd_part_new(cmd) : NULL;
    if (part)
        part->ends = vc4vk_cmd_copy(cmd, &(struct vc4vk_query_range){vc4vk_query_pool_from_handle(pool), query, 1},
                                    sizeof(struct vc4vk_query_range));
    else if (count && !count->is_summed)
        count->ends = true;
    else if (!cmd->continues_pass)
        vc4vk_cmd_query_available(cmd, &(struct vc4vk_query_range){vc4vk_query_pool_from_handle(pool), query, 1});
    const uint32_t others = vc4vk_cmd_query_places(cmd) - 1;
    if (others)
        vc4vk_cmd_query_available(cmd,
                                  &(struct vc4vk_query_range){vc4vk_query_pool_from_handle(pool), query + 1, others});
}

/* ---------------------------------------------------------------- resets and timestamps */

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdResetQueryPool(VkCommandBuffer cmd_h, VkQueryPool pool, uint32_t first,
                                                   uint32_t count)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_query_range *range;
    struct vc4vk_cpu_op *op = vc4vk_cmd_query_op(cmd, pool, first, count, &range);
    if (!op)
        return;
    vc4vk_cpu_op_init_query_reset(op, range);
    vc4vk_cmd_add(cmd, &op->command);
}

/* A timestamp waits for the engines of its stage. One of the top of the pipe, or of no stage, could be written at once;
 * it waits for everything, so that the next one tells how long the commands between the two took. */
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdWriteTimestamp2KHR(VkCommandBuffer cmd_h, VkPipelineStageFlags2 stage,
                                                       VkQueryPool pool, uint32_t query)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const uint32_t src = vc4vk_stages_to_src_engines(stage);
    struct vc4vk_query_range *range;
    struct vc4vk_cpu_op *op = vc4vk_cmd_query_op(cmd, pool, query, vc4vk_cmd_query_places(cmd), &range);
    if (!op)
        return;
    vc4vk_cpu_op_init_timestamp(op, range);
    if (!src || cmd->continues_pass) {
        vc4vk_cmd_add_between_jobs(cmd, op);
        return;
    }
    vc4vk_cmd_pass_split(cmd);
    vc4vk_cmd_add_after(cmd, &op->command, src);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdWriteTimestamp(VkCommandBuffer cmd, VkPipelineStageFlagBits stage, VkQueryPool pool,
                                                   uint32_t query)
{
    vc4vk_CmdWriteTimestamp2KHR(cmd, stage, pool, query);
}

/* ---------------------------------------------------------------- results */

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyQueryPoolResults(VkCommandBuffer cmd_h, VkQueryPool pool, uint32_t first,
                                                         uint32_t count, VkBuffer to, VkDeviceSize offset_B,
                                                         VkDeviceSize stride_B, VkQueryResultFlags flags)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_copy_query_results *copy =
        vc4vk_cmd_query_check(cmd, pool, first, count) ? vc4vk_cmd_new(cmd, struct vc4vk_copy_query_results) : NULL;
    if (!copy || !to)
        return;
    *copy = (struct vc4vk_copy_query_results){
        .range = {vc4vk_query_pool_from_handle(pool), first, count},
        .to = vc4vk_buffer_from_handle(to),
        .offset_B = offset_B,
        .stride_B = stride_B,
        .flags = flags,
    };
    vc4vk_cmd_add_op(cmd, "copy query results", vc4vk_run_copy_query_results, copy, count * sizeof(uint64_t));
}
