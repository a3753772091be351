/* SPDX-License-Identifier: MIT
 *
 * See vc4vk_cmd_ownership.h. Each transfer is an operation that waits for all earlier commands and that all later ones
 * wait for: such barriers come once a frame.
 */
#include "cmdbuf/vc4vk_cmd_ownership.h"
#include "device/vc4vk_memory.h"

/* Beginning an access may sleep, so a thread of the engine does it, as it does long copies, and not the scheduler. */
#define LONG_WORK_B (UINT64_C(1) << 20)

static VkResult begin_access(void *bo)
{
    kmd_bo_begin_cpu_access(bo);
    return VK_SUCCESS;
}

static VkResult end_access(void *bo)
{
    kmd_bo_end_cpu_access(bo);
    return VK_SUCCESS;
}

static bool is_of_others(uint32_t family)
{
    return family == VK_QUEUE_FAMILY_EXTERNAL || family == VK_QUEUE_FAMILY_FOREIGN_EXT;
}

static void transfer(struct vc4vk_cmd_buffer *cmd, struct kmd_bo *bo, uint32_t from, uint32_t to)
{
    const bool is_in_pass = cmd->pass.pass || cmd->continues_pass; /* not allowed there */
    if (is_of_others(from) == is_of_others(to) || !bo || !kmd_bo_has_cpu_access(bo) || is_in_pass)
        return;
    if (is_of_others(from))
        vc4vk_cmd_add_op(cmd, "take from another driver", begin_access, bo, LONG_WORK_B);
    else
        vc4vk_cmd_add_op(cmd, "give to another driver", end_access, bo, LONG_WORK_B);
}

void vc4vk_cmd_transfer_buffer(struct vc4vk_cmd_buffer *cmd, VkBuffer _buffer, uint32_t from, uint32_t to)
{
    const struct vc4vk_buffer *buffer = vc4vk_buffer_from_handle(_buffer);
    if (buffer)
        transfer(cmd, buffer->bo, from, to);
}

/* Planes of a disjoint image may lie in different dma-bufs. */
void vc4vk_cmd_transfer_image(struct vc4vk_cmd_buffer *cmd, VkImage _image, uint32_t from, uint32_t to)
{
    const struct vc4vk_image *image = vc4vk_image_from_handle(_image);
    if (!image)
        return;
    transfer(cmd, image->bo, from, to);
    for (uint32_t i = 0; i < image->part_count; i++)
        if (image->parts[i]->bo != (i ? image->parts[i - 1]->bo : image->bo))
            transfer(cmd, image->parts[i]->bo, from, to);
}
