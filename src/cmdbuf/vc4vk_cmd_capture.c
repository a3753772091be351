/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_transform_feedback. Beginning and ending it are operations between two jobs, which read and write the
 * counters. What draws capture in between is stored when they are issued (vc4vk_issue_capture.h).
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_query.h"
#include "device/vc4vk_entrypoints_gen.h"

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindTransformFeedbackBuffersEXT(VkCommandBuffer cmd_h, uint32_t first,
                                                                    uint32_t count, const VkBuffer *buffers,
                                                                    const VkDeviceSize *offsets,
                                                                    const VkDeviceSize *sizes)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    for (uint32_t i = 0; i < count && first + i < VC4C_MAX_CAPTURE_BUFFERS; i++) {
        const struct vc4vk_buffer *buffer = vc4vk_buffer_from_handle(buffers[i]);
        const uint64_t left_B = buffer ? buffer->size_B - MIN2(offsets[i], buffer->size_B) : 0;
        cmd->capture.bound.buffers[first + i].at.bo = buffer ? buffer->bo : NULL;
        cmd->capture.bound.buffers[first + i].at.offset_B = buffer ? buffer->offset_B + offsets[i] : 0;
        cmd->capture.bound.buffers[first + i].size_B =
            sizes && sizes[i] != VK_WHOLE_SIZE ? MIN2(sizes[i], left_B) : left_B;
    }
}

/* Records an operation with the counters. False after a failure. */
static bool add_counters(struct vc4vk_cmd_buffer *cmd, const char *name, VkResult (*run)(void *arguments),
                         uint32_t first, uint32_t count, const VkBuffer *buffers, const VkDeviceSize *offsets)
{
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    struct vc4vk_capture_counters *counters = vc4vk_cmd_new(cmd, struct vc4vk_capture_counters);
    if (!op || !counters)
        return false;
    counters->capture = cmd->capture.active;
    for (uint32_t i = 0; buffers && i < count && first + i < VC4C_MAX_CAPTURE_BUFFERS; i++) {
        const struct vc4vk_buffer *buffer = vc4vk_buffer_from_handle(buffers[i]);
        if (buffer)
            counters->counters[first + i] =
                (struct vc4vk_capture_place){buffer->bo, buffer->offset_B + (offsets ? offsets[i] : 0)};
    }
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_HOST, name, run, counters);
    vc4vk_cmd_add_between_jobs(cmd, op);
    return true;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginTransformFeedbackEXT(VkCommandBuffer cmd_h, uint32_t first, uint32_t count,
                                                              const VkBuffer *buffers, const VkDeviceSize *offsets)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    cmd->capture.active = vc4vk_cmd_copy(cmd, &cmd->capture.bound, sizeof cmd->capture.bound);
    cmd->state.dirty |= VC4VK_DIRTY_CONDITION;
    if (cmd->capture.active)
        add_counters(cmd, "begin transform feedback", vc4vk_run_begin_capture, first, count, buffers, offsets);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndTransformFeedbackEXT(VkCommandBuffer cmd_h, uint32_t first, uint32_t count,
                                                            const VkBuffer *buffers, const VkDeviceSize *offsets)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (cmd->capture.active)
        add_counters(cmd, "end transform feedback", vc4vk_run_end_capture, first, count, buffers, offsets);
    cmd->capture.active = NULL;
    cmd->state.dirty |= VC4VK_DIRTY_CONDITION;
}
