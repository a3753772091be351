/* SPDX-License-Identifier: MIT */
#include "cmdbuf/vc4vk_cmd_staging.h"
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "util/log.h"

static struct vc4vk_staging stage_of(const struct vc4vk_cmd_surface *surface, const struct vc4vk_cmd_range *range,
                                     uint32_t samples)
{
    const struct vc4vk_image_view *view = surface ? surface->view : NULL;
    const bool has_blocks = samples > 1;
    return (struct vc4vk_staging){
        .samples = samples,
        .stride_B = has_blocks ? util_div_round_up(range->width_px, HW_MS_TILE_PX) * HW_MS_TILE_B
                               : util_align(range->width_px, 4) * 4, /* as the kernel pads raster surfaces */
        .rows = has_blocks ? util_div_round_up(range->height_px, HW_MS_TILE_PX) : range->height_px,
        .view = view,
        .word = view ? surface->word : 0,
        .pairs = view && surface->pairs,
        .layer = range->view,
        .x_px = range->x_px,
        .y_px = range->y_px,
        .width_px = view ? MIN2(range->width_px, view->width_px - range->x_px) : range->width_px,
        .height_px = view ? MIN2(range->height_px, view->height_px - range->y_px) : range->height_px,
    };
}

struct vc4vk_staging *vc4vk_cmd_staging_new(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *surface)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_staging *stages = vc4vk_cmd_alloc(cmd, pass->range_count * sizeof *stages);
    struct kmd_bo *bo;
    if (!stages)
        return NULL;
    for (uint32_t i = 0; i < pass->range_count; i++) {
        stages[i] = stage_of(surface, &pass->ranges[i], pass->samples);
        stages[i].parallel = &cmd->device->queue_device.parallel;
    }
    const uint64_t size_B = (uint64_t)stages[0].stride_B * stages[0].rows; /* the first is the largest */
    if (kmd_bo_create(cmd->device->kmd, size_B, "staged attachment", &bo)) {
        vc4vk_cmd_failf(cmd, VK_ERROR_OUT_OF_DEVICE_MEMORY, "staging copy of a %ux%u attachment: out of device memory",
                        pass->width_px, pass->height_px);
        return NULL;
    }
    for (uint32_t i = 0; i < pass->range_count; i++)
        stages[i].bo = bo;
    stages->next = cmd->stages;
    cmd->stages = stages;
    if (stages->view)
        util_perf("a %ux%u attachment uses staging copies: its row length or texels do not fit the job",
                  stages->view->width_px, stages->view->height_px);
    return stages;
}

static uint64_t work_B(const struct vc4vk_staging *stage)
{
    return UINT64_C(4) * stage->width_px * stage->height_px * stage->samples;
}

void vc4vk_cmd_staging_copy_in(struct vc4vk_cmd_buffer *cmd, struct vc4vk_staging *stage)
{
    vc4vk_cmd_add_op(cmd, "stage attachment", vc4vk_run_stage, stage, work_B(stage));
}

void vc4vk_cmd_staging_copy_out(struct vc4vk_cmd_buffer *cmd, struct vc4vk_staging *stage)
{
    vc4vk_cmd_add_op(cmd, "unstage attachment", vc4vk_run_unstage, stage, work_B(stage));
}

void vc4vk_cmd_staging_fill(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_staging *stage, const VkRect2D *rect,
                            uint32_t word)
{
    struct vc4vk_fill_staging *fill = vc4vk_cmd_new(cmd, struct vc4vk_fill_staging);
    if (!fill)
        return;
    *fill = (struct vc4vk_fill_staging){stage, *rect, word};
    vc4vk_cmd_add_op(cmd, "fill staged attachment", vc4vk_run_fill_staging, fill,
                     UINT64_C(4) * rect->extent.width * rect->extent.height);
}
