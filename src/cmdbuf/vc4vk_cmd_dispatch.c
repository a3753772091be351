/* SPDX-License-Identifier: MIT
 *
 * Dispatches. A recorded dispatch holds a binding table and a copy of the push constants. It runs on the CPU engine and
 * is ordered by the application's barriers.
 */
#include <inttypes.h>
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "issue/vc4vk_dispatch.h"
#include "device/vc4vk_entrypoints_gen.h"

static bool prepare(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_compute_state *state = &cmd->state.compute;
    if (!state->is_dirty)
        return true;
    vc4vk_cmd_sets_note_changes(&state->sets);
    if (!vc4vk_cmd_state_prepare_stage(cmd, state->pipeline, &state->pipeline->compute, &state->sets, false,
                                       &state->variant, &state->table))
        return false;
    state->is_dirty = false;
    return true;
}

struct extent {
    uint32_t base[3], workgroups[3];
};

static void record(VkCommandBuffer cmd_h, const struct extent *extent, const struct vc4vk_buffer *indirect,
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
        .sets = vc4vk_cmd_sets_for_issue(cmd, state->pipeline->layout, &state->sets),
        .indirect = indirect,
        .indirect_offset_B = indirect_offset_B,
        .condition = cmd->condition,
        .counted = cmd->counted,
    };
    memcpy(dispatch->base, extent->base, sizeof dispatch->base);
    memcpy(dispatch->workgroups, extent->workgroups, sizeof dispatch->workgroups);
    memcpy(dispatch->push, cmd->state.push, sizeof dispatch->push);
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_CPU, "dispatch", vc4vk_issue_dispatch, dispatch);
    vc4vk_cmd_add_unordered(cmd, &op->command);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDispatch(VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
{
    record(cmd, &(struct extent){{0}, {x, y, z}}, NULL, 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDispatchIndirect(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset_B)
{
    if (offset_B % 4)
        vc4vk_cmd_failf(vc4vk_cmd_buffer_from_handle(cmd), VK_ERROR_UNKNOWN,
                        "vkCmdDispatchIndirect: offset %" PRIu64 " is not a multiple of 4", offset_B);
    record(cmd, &(struct extent){0}, vc4vk_buffer_from_handle(buffer), offset_B);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDispatchBaseKHR(VkCommandBuffer cmd, uint32_t base_x, uint32_t base_y,
                                                    uint32_t base_z, uint32_t x, uint32_t y, uint32_t z)
{
    record(cmd, &(struct extent){{base_x, base_y, base_z}, {x, y, z}}, NULL, 0);
}
