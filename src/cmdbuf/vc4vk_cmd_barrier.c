/* SPDX-License-Identifier: MIT
 *
 * Barriers and events. The commands of Vulkan 1.0 are those of VK_KHR_synchronization2 with one barrier.
 *
 * A barrier only changes which engines the next commands wait for (vc4vk_cmd_order.h); it records no command. Memory is
 * coherent for all CPUs. Transitions of image layouts do nothing, but Vulkan orders each after all before it, so they
 * make chains of barriers that have no stages in common. The chip renders one job after another in any case;
 * a job whose vertex programs read what an earlier job renders sets waits_for_ring. Inside a render pass the tile
 * buffer keeps the order of fragments, so a barrier ends a job only where programs read what the subpass writes. Only
 * transfers of ownership from and to other drivers may record operations (vc4vk_cmd_ownership.h).
 *
 * An event is set by a command of the host engine that waits for the engines of the first scope. Another command of the
 * host engine waits for the event, and the engines of the second scope wait for that command. The host engine runs its
 * commands in order, so an event that is set, reset and set again needs no further care.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_ownership.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "queue/vc4vk_sync.h"

/* ---------------------------------------------------------------- dependencies */

/* What the barriers of a command say, and their stages together. */
struct barriers {
    struct vc4vk_cmd_dependency dependency;
    VkPipelineStageFlags2 from, to;
};

static void add_barrier(struct barriers *b, VkPipelineStageFlags2 from, VkPipelineStageFlags2 to)
{
    vc4vk_cmd_dependency_add(&b->dependency, vc4vk_stages_to_src_engines(from), vc4vk_stages_to_dst_engines(to));
    b->from |= from;
    b->to |= to;
}

/* Where a barrier has no source, it follows earlier transitions alone, if the image keeps its contents. */
static void add_transition(struct barriers *b, VkPipelineStageFlags2 from, VkPipelineStageFlags2 to,
                           VkImageLayout old_layout, VkImageLayout new_layout)
{
    const uint32_t src = vc4vk_stages_to_src_engines(from);
    if (old_layout == new_layout)
        return;
    b->dependency.before_transition |= src;
    if (!src && old_layout != VK_IMAGE_LAYOUT_UNDEFINED)
        b->dependency.after_transitions |= vc4vk_stages_to_dst_engines(to);
}

static void add_info(struct barriers *b, const VkDependencyInfo *info)
{
    for (uint32_t i = 0; i < info->memoryBarrierCount; i++)
        add_barrier(b, info->pMemoryBarriers[i].srcStageMask, info->pMemoryBarriers[i].dstStageMask);
    for (uint32_t i = 0; i < info->bufferMemoryBarrierCount; i++)
        add_barrier(b, info->pBufferMemoryBarriers[i].srcStageMask, info->pBufferMemoryBarriers[i].dstStageMask);
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++) {
        const VkImageMemoryBarrier2 *image = &info->pImageMemoryBarriers[i];
        add_barrier(b, image->srcStageMask, image->dstStageMask);
        add_transition(b, image->srcStageMask, image->dstStageMask, image->oldLayout, image->newLayout);
    }
}

/* A mask of Vulkan 1.0, where an empty one is invalid unless VK_KHR_synchronization2 is enabled: it is taken for all
 * stages. */
static VkPipelineStageFlags2 stages_of(VkPipelineStageFlags stages)
{
    return stages ? stages : VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
}

/* ---------------------------------------------------------------- barriers */

static void record_barriers(struct vc4vk_cmd_buffer *cmd, const struct barriers *b)
{
    if (vc4vk_cmd_pass_hold_barrier(cmd, b->from, b->to))
        return;
    vc4vk_cmd_pass_barrier(cmd);
    vc4vk_cmd_order_depend(&cmd->order, &b->dependency);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdPipelineBarrier2KHR(VkCommandBuffer cmd, const VkDependencyInfo *info)
{
    struct barriers b = {0};
    add_info(&b, info);
    record_barriers(vc4vk_cmd_buffer_from_handle(cmd), &b);
    for (uint32_t i = 0; i < info->bufferMemoryBarrierCount; i++) {
        const VkBufferMemoryBarrier2 *buffer = &info->pBufferMemoryBarriers[i];
        vc4vk_cmd_transfer_buffer(vc4vk_cmd_buffer_from_handle(cmd), buffer->buffer, buffer->srcQueueFamilyIndex,
                                  buffer->dstQueueFamilyIndex);
    }
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++) {
        const VkImageMemoryBarrier2 *image = &info->pImageMemoryBarriers[i];
        vc4vk_cmd_transfer_image(vc4vk_cmd_buffer_from_handle(cmd), image->image, image->srcQueueFamilyIndex,
                                 image->dstQueueFamilyIndex);
    }
}

/* All barriers of the command have the same stages. */
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdPipelineBarrier(VkCommandBuffer cmd, VkPipelineStageFlags from,
                                                    VkPipelineStageFlags to, VkDependencyFlags flags, uint32_t count,
                                                    const VkMemoryBarrier *barriers, uint32_t buffer_count,
                                                    const VkBufferMemoryBarrier *buffers, uint32_t image_count,
                                                    const VkImageMemoryBarrier *images)
{
    struct barriers b = {0};
    add_barrier(&b, stages_of(from), stages_of(to));
    for (uint32_t i = 0; i < image_count; i++)
        add_transition(&b, stages_of(from), stages_of(to), images[i].oldLayout, images[i].newLayout);
    record_barriers(vc4vk_cmd_buffer_from_handle(cmd), &b);
    for (uint32_t i = 0; i < buffer_count; i++)
        vc4vk_cmd_transfer_buffer(vc4vk_cmd_buffer_from_handle(cmd), buffers[i].buffer, buffers[i].srcQueueFamilyIndex,
                                  buffers[i].dstQueueFamilyIndex);
    for (uint32_t i = 0; i < image_count; i++)
        vc4vk_cmd_transfer_image(vc4vk_cmd_buffer_from_handle(cmd), images[i].image, images[i].srcQueueFamilyIndex,
                                 images[i].dstQueueFamilyIndex);
}

/* ---------------------------------------------------------------- events */

/* Sets or resets an event when all commands so far of the engines `src` have finished. */
static void change_event(struct vc4vk_cmd_buffer *cmd, VkEvent event, uint32_t src,
                         void (*init)(struct vc4vk_cpu_op *op, struct vc4vk_event *event))
{
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    if (!op)
        return;
    init(op, vc4vk_event_from_handle(event));
    vc4vk_cmd_add_after(cmd, &op->command, src);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetEvent2KHR(VkCommandBuffer cmd, VkEvent event, const VkDependencyInfo *info)
{
    struct barriers b = {0};
    add_info(&b, info);
    change_event(vc4vk_cmd_buffer_from_handle(cmd), event, b.dependency.src, vc4vk_cpu_op_init_event_set);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetEvent(VkCommandBuffer cmd, VkEvent event, VkPipelineStageFlags stages)
{
    change_event(vc4vk_cmd_buffer_from_handle(cmd), event, vc4vk_stages_to_src_engines(stages_of(stages)),
                 vc4vk_cpu_op_init_event_set);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdResetEvent2KHR(VkCommandBuffer cmd, VkEvent event, VkPipelineStageFlags2 stages)
{
    change_event(vc4vk_cmd_buffer_from_handle(cmd), event, vc4vk_stages_to_src_engines(stages),
                 vc4vk_cpu_op_init_event_reset);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdResetEvent(VkCommandBuffer cmd, VkEvent event, VkPipelineStageFlags stages)
{
    vc4vk_CmdResetEvent2KHR(cmd, event, stages_of(stages));
}

/* Later commands of the engines `dst` wait until all events are set. */
static void wait_events(struct vc4vk_cmd_buffer *cmd, uint32_t count, const VkEvent *events, uint32_t dst)
{
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    struct vc4vk_event_list *list = vc4vk_cmd_new(cmd, struct vc4vk_event_list);
    struct vc4vk_event **own = vc4vk_cmd_alloc(cmd, count * sizeof *own);
    if (!op || !list || !own)
        return;
    for (uint32_t i = 0; i < count; i++)
        own[i] = vc4vk_event_from_handle(events[i]);
    *list = (struct vc4vk_event_list){count, own};
    vc4vk_cpu_op_init_events_wait(op, list);
    if (cmd->pass.pass || cmd->continues_pass) /* the later draws of a pass wait as well */
        vc4vk_cmd_add_between_jobs(cmd, op);
    else
        vc4vk_cmd_add_wait(cmd, &op->command, dst);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdWaitEvents2KHR(VkCommandBuffer cmd, uint32_t count, const VkEvent *events,
                                                   const VkDependencyInfo *infos)
{
    struct barriers b = {0};
    for (uint32_t i = 0; i < count; i++)
        add_info(&b, &infos[i]);
    wait_events(vc4vk_cmd_buffer_from_handle(cmd), count, events, b.dependency.dst);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdWaitEvents(VkCommandBuffer cmd, uint32_t count, const VkEvent *events,
                                               VkPipelineStageFlags from, VkPipelineStageFlags to,
                                               uint32_t memory_count, const VkMemoryBarrier *memory,
                                               uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                               uint32_t image_count, const VkImageMemoryBarrier *images)
{
    wait_events(vc4vk_cmd_buffer_from_handle(cmd), count, events, vc4vk_stages_to_dst_engines(stages_of(to)));
}

/* ---------------------------------------------------------------- device groups */

/* A device group has one device, so every valid mask selects it. */
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDeviceMaskKHR(VkCommandBuffer cmd, uint32_t mask)
{
}
