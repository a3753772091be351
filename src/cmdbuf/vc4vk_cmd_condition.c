/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_conditional_rendering. Draws, dispatches and clears of attachments that are recorded while a condition is
 * active refer to it, and do nothing if it does not hold when they run.
 *
 * A secondary that may inherit a condition is recorded with one that stands for it. Where it is executed while a
 * condition is active, its draws within the pass get it by their section, and its other commands are copied.
 */
#include <inttypes.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "issue/vc4vk_dispatch.h"
#include "issue/vc4vk_issue.h"
#include "transfer/vc4vk_transfer.h"

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
    struct vc4vk_cmd_buffer *buffer = vc4vk_cmd_buffer_from_handle(cmd);
    set_condition(buffer, buffer->inherited_condition);
}

/* ---------------------------------------------------------------- secondaries */

void vc4vk_cmd_inherit_condition(struct vc4vk_cmd_buffer *cmd)
{
    static const struct vc4vk_condition inherited = {.bo = NULL};
    cmd->inherited_condition = &inherited;
    set_condition(cmd, &inherited);
}

/* A job of a pass within the secondary. */
static struct vc4vk_job *copy_job(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_job *job)
{
    struct vc4vk_draw_replay *copy = vc4vk_cmd_copy(cmd, job->data, sizeof *copy);
    if (!copy)
        return NULL;
    copy->base.data = copy;
    if (!copy->condition)
        copy->condition = cmd->condition;
    return &copy->base;
}

static void *copy_dispatch(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_dispatch *from)
{
    struct vc4vk_dispatch *copy = vc4vk_cmd_copy(cmd, from, sizeof *from);
    if (copy && vc4vk_condition_is_inherited(copy->condition))
        copy->condition = cmd->condition;
    return copy;
}

static void *copy_clear(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_clear_image *from)
{
    struct vc4vk_clear_image *copy = vc4vk_cmd_copy(cmd, from, sizeof *from);
    if (copy)
        copy->condition = cmd->condition;
    return copy;
}

/* The operation with other arguments. NULL after a failure. */
static struct vc4vk_command *copy_op(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cpu_op *op,
                                     VkResult (*run)(void *arguments), void *arguments)
{
    struct vc4vk_cpu_op *copy = arguments ? vc4vk_cmd_copy(cmd, op, sizeof *op) : NULL;
    if (!copy)
        return NULL;
    copy->run = run;
    copy->arguments = arguments;
    return &copy->command;
}

struct vc4vk_command *vc4vk_cmd_conditional_command(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command)
{
    if (command->engine == VC4VK_ENGINE_CHIP) {
        const struct vc4vk_job *job = container_of(command, struct vc4vk_job, command);
        struct vc4vk_job *copy = job->build == vc4vk_issue_build ? copy_job(cmd, job) : NULL;
        return job->build != vc4vk_issue_build ? command : copy ? &copy->command : NULL;
    }
    if (command->engine != VC4VK_ENGINE_CPU && command->engine != VC4VK_ENGINE_COPY)
        return command;
    const struct vc4vk_cpu_op *op = container_of(command, struct vc4vk_cpu_op, command);
    const struct vc4vk_clear_image *clear = vc4vk_cmd_transfer_arguments(op, vc4vk_run_clear_image);
    if (clear && vc4vk_condition_is_inherited(clear->condition))
        return copy_op(cmd, op, vc4vk_run_clear_image, copy_clear(cmd, clear));
    if (op->run == vc4vk_issue_dispatch)
        return copy_op(cmd, op, op->run, copy_dispatch(cmd, op->arguments));
    if (op->run == vc4vk_issue_engine_job)
        return copy_op(cmd, op, op->run, copy_job(cmd, op->arguments));
    return command;
}
