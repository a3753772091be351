/* SPDX-License-Identifier: MIT
 *
 * Barriers and events.
 *
 * A barrier only changes which engines the next commands wait for (vc4vk_cmd_order.h); it records no command. The chip
 * renders one job after another in any case; a job whose vertex programs read what an earlier job renders sets
 * waits_for_ring. Image layouts need no transitions, and memory is coherent for all CPUs. Inside a render pass the tile
 * buffer keeps the order of fragments, so a barrier ends a job only where programs read what the subpass writes.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "queue/vc4vk_sync.h"

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdPipelineBarrier(VkCommandBuffer cmd_h, VkPipelineStageFlags from,
                                                    VkPipelineStageFlags to, VkDependencyFlags flags, uint32_t count,
                                                    const VkMemoryBarrier *barriers, uint32_t buffer_count,
                                                    const VkBufferMemoryBarrier *buffers, uint32_t image_count,
                                                    const VkImageMemoryBarrier *images)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (vc4vk_cmd_pass_hold_barrier(cmd, from, to))
        return;
    vc4vk_cmd_pass_barrier(cmd);
    vc4vk_cmd_order_barrier(&cmd->order, vc4vk_stages_to_src_engines(from), vc4vk_stages_to_dst_engines(to));
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetEvent(VkCommandBuffer cmd_h, VkEvent event, VkPipelineStageFlags stages)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    if (!op)
        return;
    vc4vk_cpu_op_init_event_set(op, vc4vk_event_from_handle(event));
    vc4vk_cmd_add(cmd, &op->command);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdResetEvent(VkCommandBuffer cmd_h, VkEvent event, VkPipelineStageFlags stages)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    if (!op)
        return;
    vc4vk_cpu_op_init_event_reset(op, vc4vk_event_from_handle(event));
    vc4vk_cmd_add(cmd, &op->command);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdWaitEvents(VkCommandBuffer cmd_h, uint32_t count, const VkEvent *events,
                                               VkPipelineStageFlags from, VkPipelineStageFlags to,
                                               uint32_t memory_count, const VkMemoryBarrier *memory,
                                               uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                               uint32_t image_count, const VkImageMemoryBarrier *images)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    vc4vk_cmd_pass_split(cmd); /* the later draws of a pass wait as well */
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    struct vc4vk_event_list *list = vc4vk_cmd_new(cmd, struct vc4vk_event_list);
    struct vc4vk_event **own = vc4vk_cmd_alloc(cmd, count * sizeof *own);
    if (!op || !list || !own)
        return;
    for (uint32_t i = 0; i < count; i++)
        own[i] = vc4vk_event_from_handle(events[i]);
    *list = (struct vc4vk_event_list){count, own};
    vc4vk_cpu_op_init_events_wait(op, list);
    vc4vk_cmd_add(cmd, &op->command);
}

/* A device group has one device, so every valid mask selects it. */
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDeviceMaskKHR(VkCommandBuffer cmd, uint32_t mask)
{
}
