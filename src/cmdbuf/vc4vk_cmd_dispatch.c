/* SPDX-License-Identifier: MIT
 *
 * Dispatches: fixed by a binding table and a copy of the push constants, and run as CPU operations, which only the
 * application's barriers put in order.
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_issue_dispatch.h"
#include "device/vc4vk_entrypoints_gen.h"

static bool prepare(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_compute_state *state = &cmd->state.compute;
    if (!state->is_dirty)
        return true;
    if (!vc4vk_cmd_state_prepare_stage(cmd, state->pipeline, &state->pipeline->compute, &state->sets, &state->variant,
                                       &state->table))
        return false;
    state->sets.changed = 0;
    state->is_dirty = false;
    return true;
}

static void record(VkCommandBuffer cmd_h, const uint32_t workgroups[3], const struct vc4vk_buffer *indirect,
                   VkDeviceSize indirect_offset_B)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const struct vc4vk_compute_state *state = &cmd->state.compute;
    if (cmd->error != VK_SUCCESS || !state->pipeline || !prepare(cmd))
        return;
    struct vc4vk_dispatch *dispatch = vc4vk_cmd_new(cmd, struct vc4vk_dispatch);
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    if (!dispatch || !op)
        return;
    *dispatch = (struct vc4vk_dispatch){
        .device = cmd->device,
        .pool = cmd->tables.pool,
        .variant = state->variant,
        .table = state->table,
        .workgroups = {workgroups[0], workgroups[1], workgroups[2]},
        .indirect = indirect,
        .indirect_offset_B = indirect_offset_B,
    };
    memcpy(dispatch->push, cmd->state.push, sizeof dispatch->push);
    vc4vk_cpu_op_init(op, "dispatch", vc4vk_issue_dispatch, dispatch);
    op->is_engine_job = true;
    op->work_B = UINT64_MAX; /* never on the dispatcher's thread */
    vc4vk_cmd_add_unordered(cmd, &op->command);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDispatch(VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
{
    record(cmd, (const uint32_t[]){x, y, z}, NULL, 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDispatchIndirect(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset_B)
{
    record(cmd, (const uint32_t[]){0, 0, 0}, vc4vk_buffer_from_handle(buffer), offset_B);
}
