/* SPDX-License-Identifier: MIT */
#include "cmdbuf/vc4vk_cmd_tiles.h"
#include "transfer/vc4vk_tile_transfer.h"

static void add_jobs(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_tile_transfer *transfer)
{
    for (uint32_t i = 0; i < transfer->job_count; i++) {
        struct vc4vk_job *job = vc4vk_cmd_new(cmd, struct vc4vk_job);
        if (!job)
            return;
        vc4vk_tile_transfer_job(transfer, i, job);
        job->command.label = vc4vk_cmd_label(cmd);
        vc4vk_cmd_add_unordered(cmd, &job->command);
    }
}

bool vc4vk_cmd_copy_by_tiles(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_image *from, const struct vc4vk_image *to,
                             const VkImageCopy *region)
{
    struct vc4vk_tile_transfer transfer;
    if (!vc4vk_tile_copy(cmd->device, from, to, region, &transfer))
        return false;
    add_jobs(cmd, &transfer);
    return true;
}

bool vc4vk_cmd_clear_by_tiles(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_clear_image *clear)
{
    struct vc4vk_tile_transfer transfer;
    if (cmd->pass.pass || !vc4vk_tile_clear(cmd->device, clear, &transfer))
        return false;
    add_jobs(cmd, &transfer);
    return true;
}
