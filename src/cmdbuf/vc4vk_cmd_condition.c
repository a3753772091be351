/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_conditional_rendering. Draws, dispatches and clears of attachments that are recorded while a condition is
 * active refer to it, and do nothing if it does not hold when they run.
 */
#include <inttypes.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"

static void set_condition(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_condition *condition)
{
    cmd->condition = condition;
    cmd->state.dirty |= VC4VK_DIRTY_CONDITION;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginConditionalRenderingEXT(VkCommandBuffer cmd_h,
                                                                 const VkConditionalRenderingBeginInfoEXT *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const struct vc4vk_buffer *buffer = vc4vk_buffer_from_handle(info->buffer);
    if (!buffer || !buffer->bo || info->offset % 4 || buffer->size_B < 4 || info->offset > buffer->size_B - 4) {
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN,
                        "conditional rendering: the buffer has no value at offset %" PRIu64
                        ", which must be a multiple of 4",
                        info->offset);
        return;
    }
    struct vc4vk_condition *condition = vc4vk_cmd_new(cmd, struct vc4vk_condition);
    if (!condition)
        return;
    condition->bo = buffer->bo;
    condition->offset_B = buffer->offset_B + info->offset;
    condition->is_inverted = info->flags & VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT;
    set_condition(cmd, condition);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndConditionalRenderingEXT(VkCommandBuffer cmd)
{
    set_condition(vc4vk_cmd_buffer_from_handle(cmd), NULL);
}
