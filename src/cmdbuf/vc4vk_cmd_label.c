/* SPDX-License-Identifier: MIT
 *
 * Labels of a command buffer, for VC4VK_TRACE: each job and CPU operation carries the innermost label that was open
 * when it was begun. Nothing is recorded while tracing is off.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "queue/vc4vk_label.h"
#include "util/trace.h"

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer cmd_h, const VkDebugUtilsLabelEXT *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (!util_trace_is_on())
        return;
    struct vc4vk_cmd_label *label = vc4vk_cmd_new(cmd, struct vc4vk_cmd_label);
    if (!label)
        return;
    label->outer = cmd->label;
    label->text = vc4vk_label_keep(&cmd->device->queue_device, info->pLabelName);
    cmd->label = label;
    if (cmd->pass.pass && cmd->job && !cmd->job->label) /* a held job has been begun before the label */
        cmd->job->label = label->text;
}

/* An end without a begin belongs to a label of another command buffer, and is ignored. */
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndDebugUtilsLabelEXT(VkCommandBuffer cmd_h)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (cmd->label)
        cmd->label = cmd->label->outer;
}

static void observe_nothing(void *arguments, uint64_t time_ns)
{
}

/* Recorded as a command of the host engine that does nothing. */
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdInsertDebugUtilsLabelEXT(VkCommandBuffer cmd_h, const VkDebugUtilsLabelEXT *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const char *text = vc4vk_label_keep(&cmd->device->queue_device, info->pLabelName);
    if (!text || cmd->continues_pass)
        return;
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    if (!op)
        return;
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_HOST, text, NULL, NULL);
    op->observe = observe_nothing;
    op->command.label = vc4vk_cmd_label(cmd);
    vc4vk_cmd_add(cmd, &op->command);
}
