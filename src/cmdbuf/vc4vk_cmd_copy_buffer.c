/* SPDX-License-Identifier: MIT
 *
 * Records transfers to buffers: copies between buffers, fills and updates. They run on the copy engine.
 */
#include <inttypes.h>
#include "cmdbuf/vc4vk_cmd_regions.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "transfer/vc4vk_transfer.h"

/* `regions` belong to the recording; NULL after a failure. */
static void record_copy(struct vc4vk_cmd_buffer *cmd, VkBuffer from, VkBuffer to, uint32_t count,
                        const VkBufferCopy *regions)
{
    struct vc4vk_copy_buffer *c = vc4vk_cmd_new(cmd, struct vc4vk_copy_buffer);
    if (!c || !regions || !from || !to)
        return;
    *c = (struct vc4vk_copy_buffer){&cmd->device->queue_device.parallel, vc4vk_buffer_from_handle(from),
                                    vc4vk_buffer_from_handle(to), count, regions};
    uint64_t work_B = 0;
    for (uint32_t i = 0; i < count; i++)
        work_B += regions[i].size;
    vc4vk_cmd_add_transfer(cmd, "copy buffer", vc4vk_run_copy_buffer, c, work_B);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyBuffer(VkCommandBuffer cmd_h, VkBuffer from, VkBuffer to, uint32_t count,
                                               const VkBufferCopy *regions)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_copy(cmd, from, to, count, vc4vk_cmd_copy(cmd, regions, count * sizeof *regions));
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyBuffer2KHR(VkCommandBuffer cmd_h, const VkCopyBufferInfo2 *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_copy(cmd, info->srcBuffer, info->dstBuffer, info->regionCount,
                vc4vk_cmd_buffer_copies(cmd, info->regionCount, info->pRegions));
}

#define MAX_UPDATE_B 65536u /* limit of vkCmdUpdateBuffer */

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdFillBuffer(VkCommandBuffer cmd_h, VkBuffer to_h, VkDeviceSize offset_B,
                                               VkDeviceSize size_B, uint32_t word)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const struct vc4vk_buffer *to = vc4vk_buffer_from_handle(to_h);
    struct vc4vk_fill_buffer *f = vc4vk_cmd_new(cmd, struct vc4vk_fill_buffer);
    if (!f || !to || offset_B % 4)
        return;
    *f = (struct vc4vk_fill_buffer){.parallel = &cmd->device->queue_device.parallel,
                                    .to = to,
                                    .offset_B = offset_B,
                                    .size_B = vc4vk_buffer_range(to, offset_B, size_B),
                                    .word = word};
    vc4vk_cmd_add_transfer(cmd, "fill buffer", vc4vk_run_fill_buffer, f, f->size_B);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdUpdateBuffer(VkCommandBuffer cmd_h, VkBuffer to, VkDeviceSize offset_B,
                                                 VkDeviceSize size_B, const void *data)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_fill_buffer *f = vc4vk_cmd_new(cmd, struct vc4vk_fill_buffer);
    if (size_B > MAX_UPDATE_B)
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "vkCmdUpdateBuffer: %" PRIu64 " B, the limit is %u B", size_B,
                        MAX_UPDATE_B);
    void *own = vc4vk_cmd_copy(cmd, data, (size_t)size_B);
    if (!f || !own || !to)
        return;
    *f = (struct vc4vk_fill_buffer){
        .to = vc4vk_buffer_from_handle(to), .offset_B = offset_B, .size_B = size_B, .data = own};
    vc4vk_cmd_add_transfer(cmd, "update buffer", vc4vk_run_fill_buffer, f, size_B);
}
