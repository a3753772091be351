/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_stage.h"
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "util/log.h"

struct vc4vk_cmd_stage *vc4vk_cmd_stage_new(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *surface,
                                            uint32_t width_px, uint32_t height_px)
{
    const struct vc4vk_image_view *view = surface ? surface->view : NULL;
    struct vc4vk_cmd_stage *stage = vc4vk_cmd_new(cmd, struct vc4vk_cmd_stage);
    if (!stage)
        return NULL;
    *stage = (struct vc4vk_cmd_stage){
        .stride_B = util_align(width_px, 4) * 4, /* as the kernel pads raster surfaces */
        .rows = height_px,
        .samples = cmd->pass.samples,
        .view = view,
        .word = view ? surface->word : 0,
        .width_px = view ? MIN2(width_px, view->width_px) : width_px,
        .height_px = view ? MIN2(height_px, view->height_px) : height_px,
    };
    if (stage->samples > 1) {
        stage->stride_B = util_div_round_up(width_px, HW_MS_TILE_PX) * HW_MS_TILE_B;
        stage->rows = util_div_round_up(height_px, HW_MS_TILE_PX);
    }
    if (kmd_bo_create(cmd->device->kmd, (uint64_t)stage->stride_B * stage->rows, "staged attachment", &stage->bo)) {
        vc4vk_cmd_failf(cmd, VK_ERROR_OUT_OF_DEVICE_MEMORY, "no memory to stage an attachment of %ux%u", width_px,
                        height_px);
        return NULL;
    }
    stage->next = cmd->stages;
    cmd->stages = stage;
    if (view)
        util_perf("an attachment of %ux%u is staged: its rows or texels are not the job's", view->width_px,
                  view->height_px);
    return stage;
}

/* Texels of less than a word are widened on the way in and cut on the way out. */
static void copy_small(const struct vc4vk_cmd_stage *stage, const struct hw_level *level, uint32_t texel_B, uint8_t *image,
                       uint32_t *words, bool in)
{
    uint8_t texels[VC4VK_MAX_DIRECT_PX * sizeof(uint16_t)];
    for (uint32_t y = 0; y < stage->height_px; y++, words += stage->stride_B / sizeof *words) {
        const struct hw_copy_rect row = {0, y, stage->width_px, 1};
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
    const uint32_t row_B = MIN2(image_stride_B, stage->stride_B);
    const uint32_t count = MIN2(stage->rows, level->padded_height_el / HW_MS_TILE_PX);
    for (uint32_t i = 0; i < count; i++, rows += stage->stride_B, image += image_stride_B)
        memcpy(in ? rows : image, in ? image : rows, row_B);
}

static VkResult run_copy(const struct vc4vk_cmd_stage *stage, bool in)
{
    const struct vc4vk_image_view *view = stage->view;
    const struct vc4vk_image_plane *plane = vc4vk_image_view_plane(view) + stage->word;
    const struct hw_level *level = &plane->layout.level[view->base_level];
    const struct hw_copy_rect rect = {0, 0, stage->width_px, stage->height_px};
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
