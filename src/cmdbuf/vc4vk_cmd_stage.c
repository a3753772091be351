/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_stage.h"
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "util/log.h"

static struct vc4vk_cmd_stage stage_of(const struct vc4vk_cmd_surface *surface, const struct vc4vk_cmd_range *range,
                                       uint32_t samples)
{
    const struct vc4vk_image_view *view = surface ? surface->view : NULL;
    const bool has_blocks = samples > 1;
    return (struct vc4vk_cmd_stage){
        .samples = samples,
        .stride_B = has_blocks ? util_div_round_up(range->width_px, HW_MS_TILE_PX) * HW_MS_TILE_B
                               : util_align(range->width_px, 4) * 4, /* as the kernel pads raster surfaces */
        .rows = has_blocks ? util_div_round_up(range->height_px, HW_MS_TILE_PX) : range->height_px,
        .view = view,
        .word = view ? surface->word : 0,
        .x_px = range->x_px,
        .y_px = range->y_px,
        .width_px = view ? MIN2(range->width_px, view->width_px - range->x_px) : range->width_px,
        .height_px = view ? MIN2(range->height_px, view->height_px - range->y_px) : range->height_px,
    };
}

struct vc4vk_cmd_stage *vc4vk_cmd_stage_new(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *surface)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_cmd_stage *stages = vc4vk_cmd_alloc(cmd, pass->range_count * sizeof *stages);
    struct kmd_bo *bo;
    if (!stages)
        return NULL;
    for (uint32_t i = 0; i < pass->range_count; i++)
        stages[i] = stage_of(surface, &pass->ranges[i], pass->samples);
    const uint64_t size_B = (uint64_t)stages[0].stride_B * stages[0].rows; /* the first is the largest */
    if (kmd_bo_create(cmd->device->kmd, size_B, "staged attachment", &bo)) {
        vc4vk_cmd_failf(cmd, VK_ERROR_OUT_OF_DEVICE_MEMORY, "no memory to stage an attachment of %ux%u", pass->width_px,
                        pass->height_px);
        return NULL;
    }
    for (uint32_t i = 0; i < pass->range_count; i++)
        stages[i].bo = bo;
    stages->next = cmd->stages;
    cmd->stages = stages;
    if (stages->view)
        util_perf("an attachment of %ux%u is staged: its rows or texels are not the job's", stages->view->width_px,
                  stages->view->height_px);
    return stages;
}

/* Texels of less than a word are widened on the way in and cut on the way out. */
static void copy_small(const struct vc4vk_cmd_stage *stage, const struct hw_level *level, uint32_t texel_B, uint8_t *image,
                       uint32_t *words, bool in)
{
    uint8_t texels[VC4VK_MAX_DIRECT_PX * sizeof(uint16_t)];
    for (uint32_t y = 0; y < stage->height_px; y++, words += stage->stride_B / sizeof *words) {
        const struct hw_copy_rect row = {stage->x_px, stage->y_px + y, stage->width_px, 1};
        if (in)
            hw_copy_from_tiled(texels, 0, image, level->tiling, level->stride_B, texel_B, &row);
        for (uint32_t x = 0; x < stage->width_px; x++) {
            if (in)
                words[x] = 0;
            memcpy(in ? (void *)&words[x] : &texels[x * texel_B], in ? (void *)&texels[x * texel_B] : &words[x],
                   texel_B); /* little-endian */
        }
        if (!in)
            hw_copy_to_tiled(image, level->tiling, level->stride_B, texel_B, texels, 0, &row);
    }
}

/* Rows of blocks, of all samples. */
static void copy_samples(const struct vc4vk_cmd_stage *stage, const struct hw_level *level, uint8_t *image,
                         uint8_t *rows, bool in)
{
    const uint32_t image_stride_B = level->stride_B * HW_MS_TILE_PX;
    const uint32_t skipped_B = stage->x_px / HW_MS_TILE_PX * HW_MS_TILE_B, skipped = stage->y_px / HW_MS_TILE_PX;
    const uint32_t row_B = MIN2(image_stride_B - skipped_B, stage->stride_B);
    const uint32_t count = MIN2(stage->rows, level->padded_height_el / HW_MS_TILE_PX - skipped);
    image += skipped * (size_t)image_stride_B + skipped_B;
    for (uint32_t i = 0; i < count; i++, rows += stage->stride_B, image += image_stride_B)
        memcpy(in ? rows : image, in ? image : rows, row_B);
}

static VkResult run_copy(const struct vc4vk_cmd_stage *stage, bool in)
{
    const struct vc4vk_image_view *view = stage->view;
    const struct vc4vk_image_plane *plane = vc4vk_image_view_plane(view) + stage->word;
    const struct hw_level *level = &plane->layout.level[view->base_level];
    const struct hw_copy_rect rect = {stage->x_px, stage->y_px, stage->width_px, stage->height_px};
    uint8_t *rows = kmd_bo_map(stage->bo), *image = view->image->bo ? kmd_bo_map(view->image->bo) : NULL;
    if (!rows || !image)
        return vc4vk_errorf(view, VK_ERROR_MEMORY_MAP_FAILED, "staging: memory is not mapped");
    image += vc4vk_image_level_offset_B(view->image, plane, view->base_level, view->base_layer);
    if (level->tiling == HW_TILING_MS)
        copy_samples(stage, level, image, rows, in);
    else if (plane->layout.cpp < 4)
        copy_small(stage, level, plane->layout.cpp, image, (uint32_t *)(void *)rows, in);
    else if (in)
        hw_copy_from_tiled(rows, stage->stride_B, image, level->tiling, level->stride_B, 4, &rect);
    else
        hw_copy_to_tiled(image, level->tiling, level->stride_B, 4, rows, stage->stride_B, &rect);
    return VK_SUCCESS;
}

static VkResult run_in(void *arguments)
{
    return run_copy(arguments, true);
}

static VkResult run_out(void *arguments)
{
    return run_copy(arguments, false);
}

void vc4vk_cmd_stage_in(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_stage *stage)
{
    vc4vk_cmd_add_op(cmd, "stage attachment", run_in, stage);
}

void vc4vk_cmd_stage_out(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_stage *stage)
{
    vc4vk_cmd_add_op(cmd, "unstage attachment", run_out, stage);
}
