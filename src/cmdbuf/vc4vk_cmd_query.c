/* SPDX-License-Identifier: MIT
 *
 * Queries. Timestamps and resets are operations that retire in order and hold up nothing. A timestamp inside a render
 * pass ends the job so far, because the chip tells no time within a job. Occlusion queries are not supported yet: no pool
 * of them can be made.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "queue/vc4vk_query.h"

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginQuery(VkCommandBuffer cmd, VkQueryPool pool, uint32_t query,
                                               VkQueryControlFlags flags)
{
    vc4vk_cmd_failf(vc4vk_cmd_buffer_from_handle(cmd), VK_ERROR_FEATURE_NOT_PRESENT,
                    "occlusion queries are not supported yet");
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndQuery(VkCommandBuffer cmd, VkQueryPool pool, uint32_t query)
{
}

/* An operation on `count` queries; NULL after a failure. */
static struct vc4vk_cpu_op *new_op(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool, uint32_t first, uint32_t count,
                                   struct vc4vk_query_range **range_out)
{
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    struct vc4vk_query_range *range = vc4vk_cmd_new(cmd, struct vc4vk_query_range);
    if (!op || !range)
        return NULL;
    *range = (struct vc4vk_query_range){vc4vk_query_pool_from_handle(pool), first, count};
    *range_out = range;
    return op;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdResetQueryPool(VkCommandBuffer cmd_h, VkQueryPool pool, uint32_t first,
                                                   uint32_t count)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_query_range *range;
    struct vc4vk_cpu_op *op = new_op(cmd, pool, first, count, &range);
    if (!op)
        return;
    vc4vk_cpu_op_init_query_reset(op, range);
    vc4vk_cmd_add_unordered(cmd, &op->command);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdWriteTimestamp(VkCommandBuffer cmd_h, VkPipelineStageFlagBits stage,
                                                   VkQueryPool pool, uint32_t query)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_query_range *range;
    struct vc4vk_cpu_op *op = new_op(cmd, pool, query, 1, &range);
    if (!op)
        return;
    vc4vk_cpu_op_init_timestamp(op, range);
    if (cmd->pass.pass)
        vc4vk_cmd_pass_split(cmd);
    vc4vk_cmd_add_unordered(cmd, &op->command);
}

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
    /* Everything before it has retired: what is not available now was never asked for. */
    VkResult result = vc4vk_query_pool_results(copy->range.pool->device, vc4vk_query_pool_to_handle(copy->range.pool),
                                               copy->range.first, copy->range.count,
                                               (size_t)(copy->to->size_B - copy->offset_B), map + copy->to->offset_B + copy->offset_B,
                                               copy->stride_B, copy->flags & ~(uint32_t)VK_QUERY_RESULT_WAIT_BIT);
    return result == VK_NOT_READY ? VK_SUCCESS : result;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyQueryPoolResults(VkCommandBuffer cmd_h, VkQueryPool pool, uint32_t first,
                                                         uint32_t count, VkBuffer to, VkDeviceSize offset_B,
                                                         VkDeviceSize stride_B, VkQueryResultFlags flags)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct copy_results *copy = vc4vk_cmd_new(cmd, struct copy_results);
    if (!copy)
        return;
    *copy = (struct copy_results){
        .range = {vc4vk_query_pool_from_handle(pool), first, count},
        .to = vc4vk_buffer_from_handle(to),
        .offset_B = offset_B,
        .stride_B = stride_B,
        .flags = flags,
    };
    vc4vk_cmd_add_op(cmd, "copy query results", run_copy, copy);
}
