/* SPDX-License-Identifier: MIT
 *
 * Queries of primitives and pipeline statistics. A job belongs to the queries that are active when it is opened, so the
 * begin and the end of a query begin new jobs. Such jobs run on the CPU engine, once.
 *
 * A secondary that continues a pass leaves both to the primary. The commands of other secondaries are copied when they
 * are executed inside a query: the copies belong to it.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_query.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "issue/vc4vk_dispatch.h"
#include "issue/vc4vk_issue.h"

/* ---------------------------------------------------------------- begin and end */

static struct vc4vk_query_range *place_of(struct vc4vk_counted *counted, const struct vc4vk_query_pool *pool,
                                          uint32_t stream)
{
    if (pool->statistics)
        return &counted->statistics;
    if (pool->type == VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT)
        return &counted->mesh_primitives;
    stream = MIN2(stream, VC4C_MAX_STREAMS - 1);
    return pool->type == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT ? &counted->generated[stream]
                                                                : &counted->captured[stream];
}

static bool counts_any(const struct vc4vk_counted *counted)
{
    bool any = counted->statistics.pool || counted->mesh_primitives.pool;
    for (uint32_t i = 0; i < VC4C_MAX_STREAMS; i++)
        any |= counted->captured[i].pool || counted->generated[i].pool;
    return any;
}

/* Replaces the query that counts what the pool's queries count. Without a pool in `range`: by none. */
static void set_counted(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_query_pool *pool, uint32_t stream,
                        const struct vc4vk_query_range *range)
{
    struct vc4vk_counted *counted = vc4vk_cmd_new(cmd, struct vc4vk_counted);
    if (!counted)
        return;
    if (cmd->counted)
        *counted = *cmd->counted;
    *place_of(counted, pool, stream) = *range;
    cmd->counted = counts_any(counted) ? counted : NULL;
}

void vc4vk_cmd_begin_counted(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool_h, uint32_t query, uint32_t stream)
{
    VC4VK_FROM_HANDLE(vc4vk_query_pool, pool, pool_h);
    const struct vc4vk_query_range range = {pool, query, 1};
    struct vc4vk_cmd_part *part = cmd->continues_pass ? vc4vk_cmd_part_new(cmd) : NULL;
    if (part) {
        part->begins = vc4vk_cmd_copy(cmd, &range, sizeof range);
        part->stream = stream;
    } else if (!cmd->continues_pass) {
        vc4vk_cmd_pass_split(cmd);
    }
    set_counted(cmd, pool, stream, &range);
}

/* In a multiview subpass the first query has the result of all views. */
static void add_available(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool, uint32_t query)
{
    struct vc4vk_query_range *range;
    struct vc4vk_cpu_op *op = vc4vk_cmd_query_op(cmd, pool, query, vc4vk_cmd_query_places(cmd), &range);
    if (!op)
        return;
    vc4vk_cpu_op_init_query_available(op, range);
    vc4vk_cmd_add_between_jobs(cmd, op);
}

void vc4vk_cmd_end_counted(struct vc4vk_cmd_buffer *cmd, VkQueryPool pool_h, uint32_t query, uint32_t stream)
{
    VC4VK_FROM_HANDLE(vc4vk_query_pool, pool, pool_h);
    const struct vc4vk_query_range range = {pool, query, 1}, none = {NULL};
    struct vc4vk_cmd_part *part = cmd->continues_pass ? vc4vk_cmd_part_new(cmd) : NULL;
    if (part) {
        part->ends = vc4vk_cmd_copy(cmd, &range, sizeof range);
        part->stream = stream;
    } else if (!cmd->continues_pass) {
        add_available(cmd, pool_h, query);
    }
    set_counted(cmd, pool, stream, &none);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginQueryIndexedEXT(VkCommandBuffer cmd_h, VkQueryPool pool, uint32_t query,
                                                         VkQueryControlFlags flags, uint32_t index)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (!vc4vk_cmd_query_check(cmd, pool, query, 1))
        return;
    if (!vc4vk_query_pool_counts(vc4vk_query_pool_from_handle(pool))) {
        vc4vk_CmdBeginQuery(cmd_h, pool, query, flags);
        return;
    }
    vc4vk_cmd_pass_release(cmd, &cmd->pass);
    vc4vk_cmd_begin_counted(cmd, pool, query, index);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndQueryIndexedEXT(VkCommandBuffer cmd_h, VkQueryPool pool, uint32_t query,
                                                       uint32_t index)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (!vc4vk_cmd_query_check(cmd, pool, query, 1))
        return;
    if (!vc4vk_query_pool_counts(vc4vk_query_pool_from_handle(pool))) {
        vc4vk_CmdEndQuery(cmd_h, pool, query);
        return;
    }
    vc4vk_cmd_pass_release(cmd, &cmd->pass);
    vc4vk_cmd_end_counted(cmd, pool, query, index);
}

/* ---------------------------------------------------------------- commands of secondaries */

static void *copy_dispatch(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_dispatch *from)
{
    struct vc4vk_dispatch *copy = vc4vk_cmd_copy(cmd, from, sizeof *from);
    if (copy && !copy->counted)
        copy->counted = cmd->counted;
    return copy;
}

static void *copy_replay(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_draw_replay *from)
{
    struct vc4vk_draw_replay *copy = vc4vk_cmd_copy(cmd, from, sizeof *from);
    if (!copy)
        return NULL;
    copy->base.data = copy;
    if (!copy->counted)
        copy->counted = cmd->counted;
    return &copy->base;
}

struct vc4vk_command *vc4vk_cmd_counted_command(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command)
{
    const struct vc4vk_cpu_op *op = container_of(command, struct vc4vk_cpu_op, command);
    if (command->engine != VC4VK_ENGINE_CPU)
        return command;
    void *arguments = op->arguments;
    if (op->run == vc4vk_issue_dispatch)
        arguments = copy_dispatch(cmd, arguments);
    else if (op->run == vc4vk_issue_engine_job)
        arguments = copy_replay(cmd, ((const struct vc4vk_job *)arguments)->data);
    struct vc4vk_cpu_op *copy = vc4vk_cmd_copy(cmd, op, sizeof *op);
    if (!copy || !arguments)
        return NULL;
    copy->arguments = arguments;
    return &copy->command;
}
