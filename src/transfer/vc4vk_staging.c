/* SPDX-License-Identifier: MIT */
#include "transfer/vc4vk_staging.h"
#include <string.h>
#include "device/vc4vk_device.h"
#include "kmd/kmd.h"
#include "transfer/vc4vk_bands.h"

/* Texels smaller than a word are widened to words on the way in and truncated on the way out. */
static void copy_small(const struct vc4vk_staging *stage, const struct hw_level *level, uint32_t texel_B,
                       uint8_t *image, uint32_t *words, bool in)
{
    uint8_t texels[VC4VK_MAX_IMAGE_PX * sizeof(uint16_t)];
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

/* Rows of blocks of samples: their number, how much of each is copied, and where the first begins in the image. */
struct blocks {
    uint32_t count, row_B, image_stride_B;
    size_t first_B;
};

static struct blocks blocks_of(const struct vc4vk_staging *stage, const struct hw_level *level)
{
    const uint32_t image_stride_B = level->stride_B * HW_MS_TILE_PX;
    const uint32_t skipped_B = stage->x_px / HW_MS_TILE_PX * HW_MS_TILE_B, skipped = stage->y_px / HW_MS_TILE_PX;
    return (struct blocks){
        .count = MIN2(stage->rows, level->padded_height_el / HW_MS_TILE_PX - skipped),
        .row_B = MIN2(image_stride_B - skipped_B, stage->stride_B),
        .image_stride_B = image_stride_B,
        .first_B = skipped * (size_t)image_stride_B + skipped_B,
    };
}

static void copy_samples(const struct vc4vk_staging *stage, const struct hw_level *level, uint8_t *image,
                         uint8_t *rows, bool in)
{
    const struct blocks blocks = blocks_of(stage, level);
    image += blocks.first_B;
    for (uint32_t i = 0; i < blocks.count; i++, rows += stage->stride_B, image += blocks.image_stride_B)
        memcpy(in ? rows : image, in ? image : rows, blocks.row_B);
}

/* -- pairs of a 16-bit channel and alpha, from planes that hold two channels each ---------------------------------- */

/* In: combines the channel and alpha into words. Out: puts both back. */
static void exchange(uint32_t *words, uint32_t *color, uint32_t *alpha, uint32_t count, uint32_t shift, bool in)
{
    for (uint32_t i = 0; i < count; i++) {
        if (in) {
            words[i] = (color[i] >> shift & 0xffff) | (alpha[i] & 0xffff0000);
        } else {
            color[i] = (color[i] & ~(0xffffu << shift)) | (words[i] & 0xffff) << shift;
            alpha[i] = (alpha[i] & 0xffff) | (words[i] & 0xffff0000);
        }
    }
}

static void copy_pairs(const struct vc4vk_staging *stage, const struct hw_level *level, uint8_t *color,
                       uint8_t *alpha, uint8_t *rows, bool in)
{
    const uint32_t shift = 16 * (stage->word % 2);
    uint32_t color_row[VC4VK_MAX_IMAGE_PX], alpha_row[VC4VK_MAX_IMAGE_PX];
    uint32_t *const own_alpha = color == alpha ? color_row : alpha_row;
    for (uint32_t y = 0; y < stage->height_px; y++, rows += stage->stride_B) {
        const struct hw_copy_rect row = {stage->x_px, stage->y_px + y, stage->width_px, 1};
        hw_copy_from_tiled(alpha_row, 0, alpha, level->tiling, level->stride_B, 4, &row);
        hw_copy_from_tiled(color_row, 0, color, level->tiling, level->stride_B, 4, &row);
        exchange((uint32_t *)(void *)rows, color_row, own_alpha, stage->width_px, shift, in);
        if (in)
            continue;
        hw_copy_to_tiled(color, level->tiling, level->stride_B, 4, color_row, 0, &row);
        hw_copy_to_tiled(alpha, level->tiling, level->stride_B, 4, own_alpha, 0, &row);
    }
}

static void copy_pairs_of_samples(const struct vc4vk_staging *stage, const struct hw_level *level, uint8_t *color,
                                  uint8_t *alpha, uint8_t *rows, bool in)
{
    const struct blocks blocks = blocks_of(stage, level);
    for (uint32_t i = 0; i < blocks.count; i++, rows += stage->stride_B) {
        const size_t at_B = blocks.first_B + (size_t)i * blocks.image_stride_B;
        exchange((uint32_t *)(void *)rows, (uint32_t *)(void *)(color + at_B), (uint32_t *)(void *)(alpha + at_B),
                 blocks.row_B / 4, 16 * (stage->word % 2), in);
    }
}

static VkResult run_pairs(const struct vc4vk_staging *stage, bool in)
{
    const struct vc4vk_image_view *view = stage->view;
    const struct vc4vk_image_plane *planes = vc4vk_image_view_plane(view);
    const struct hw_level *level = &planes->layout.level[view->base_level];
    uint8_t *rows = kmd_bo_map(stage->bo), *image = view->image->bo ? kmd_bo_map(view->image->bo) : NULL;
    if (!rows || !image)
        return vc4vk_errorf(view, VK_ERROR_MEMORY_MAP_FAILED, "staging: memory is not mapped");
    uint8_t *at[2];
    for (uint32_t i = 0; i < 2; i++)
        at[i] = image +
                vc4vk_image_level_offset_B(view->image, &planes[i], view->base_level, view->base_layer + stage->layer);
    if (level->tiling == HW_TILING_MS)
        copy_pairs_of_samples(stage, level, at[stage->word / 2], at[1], rows, in);
    else
        copy_pairs(stage, level, at[stage->word / 2], at[1], rows, in);
    return VK_SUCCESS;
}

/* -- whole words, and smaller texels ------------------------------------------------------------------------------- */

struct words {
    const struct vc4vk_staging *stage;
    const struct hw_level *level;
    uint8_t *image, *rows;
    bool in;
};

/* Copies rows of the image. */
static bool copy_words(const void *data, uint32_t begin, uint32_t end)
{
    const struct words *w = data;
    const struct vc4vk_staging *stage = w->stage;
    const struct hw_copy_rect rect = {stage->x_px, begin, stage->width_px, end - begin};
    uint8_t *rows = w->rows + (size_t)(begin - stage->y_px) * stage->stride_B;
    if (w->in)
        hw_copy_from_tiled(rows, stage->stride_B, w->image, w->level->tiling, w->level->stride_B, 4, &rect);
    else
        hw_copy_to_tiled(w->image, w->level->tiling, w->level->stride_B, 4, rows, stage->stride_B, &rect);
    return true;
}

static VkResult run_copy(const struct vc4vk_staging *stage, bool in)
{
    const struct vc4vk_image_view *view = stage->view;
    const struct vc4vk_image_plane *plane = vc4vk_image_view_plane(view) + stage->word;
    const struct hw_level *level = &plane->layout.level[view->base_level];
    uint8_t *rows = kmd_bo_map(stage->bo), *image = view->image->bo ? kmd_bo_map(view->image->bo) : NULL;
    if (!rows || !image)
        return vc4vk_errorf(view, VK_ERROR_MEMORY_MAP_FAILED, "staging: memory is not mapped");
    image += vc4vk_image_level_offset_B(view->image, plane, view->base_level, view->base_layer + stage->layer);
    if (level->tiling == HW_TILING_MS)
        copy_samples(stage, level, image, rows, in);
    else if (plane->layout.cpp < 4)
        copy_small(stage, level, plane->layout.cpp, image, (uint32_t *)(void *)rows, in);
    else
        (void)vc4vk_run_bands(stage->parallel, stage->y_px, stage->y_px + stage->height_px, 8 * stage->width_px,
                              copy_words, &(struct words){stage, level, image, rows, in});
    return VK_SUCCESS;
}

VkResult vc4vk_run_stage(void *arguments)
{
    const struct vc4vk_staging *stage = arguments;
    return stage->pairs ? run_pairs(stage, true) : run_copy(stage, true);
}

VkResult vc4vk_run_unstage(void *arguments)
{
    const struct vc4vk_staging *stage = arguments;
    return stage->pairs ? run_pairs(stage, false) : run_copy(stage, false);
}

VkResult vc4vk_run_fill_staging(void *arguments)
{
    const struct vc4vk_fill_staging *f = arguments;
    uint32_t *words = kmd_bo_map(f->stage->bo);
    if (!words)
        return vc4vk_errorf(f->stage->view, VK_ERROR_MEMORY_MAP_FAILED, "staging: memory is not mapped");
    const uint32_t x = (uint32_t)f->rect.offset.x, y = (uint32_t)f->rect.offset.y;
    const uint32_t right = MIN2(x + f->rect.extent.width, f->stage->width_px);
    const uint32_t bottom = MIN2(y + f->rect.extent.height, f->stage->height_px);
    for (uint32_t row = y; row < bottom; row++)
        for (uint32_t i = x; i < right; i++)
            words[row * (f->stage->stride_B / sizeof *words) + i] = f->word;
    return VK_SUCCESS;
}
