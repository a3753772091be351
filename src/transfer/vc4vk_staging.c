/* SPDX-License-Identifier: MIT */
#include "transfer/vc4vk_staging.h"
#include <string.h>
#include "device/vc4vk_device.h"
#include "kmd/kmd.h"
#include "transfer/vc4vk_bands.h"

/* ---------------------------------------------------------------- small texels */

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

/* ---------------------------------------------------------------- words of a row */

/* One of the words of an image's texels, which are in a plane of their own or, with larger texels in raster order, next
 * to each other. */
struct image_word {
    const struct hw_level *level;
    uint8_t *map; /* of the level */
    uint32_t texel_B;
    uint32_t first_B; /* of the word in a texel of several words, else 0 */
};

static void read_row(const struct image_word *w, const struct hw_copy_rect *row, uint32_t *words)
{
    const uint8_t *texel =
        w->map + (size_t)row->y_el * w->level->stride_B + (size_t)row->x_el * w->texel_B + w->first_B;
    if (w->texel_B == sizeof *words) {
        hw_copy_from_tiled(words, 0, w->map, w->level->tiling, w->level->stride_B, sizeof *words, row);
        return;
    }
    for (uint32_t i = 0; i < row->width_el; i++, texel += w->texel_B)
        memcpy(&words[i], texel, sizeof *words);
}

static void write_row(const struct image_word *w, const struct hw_copy_rect *row, const uint32_t *words)
{
    uint8_t *texel = w->map + (size_t)row->y_el * w->level->stride_B + (size_t)row->x_el * w->texel_B + w->first_B;
    if (w->texel_B == sizeof *words) {
        hw_copy_to_tiled(w->map, w->level->tiling, w->level->stride_B, sizeof *words, words, 0, row);
        return;
    }
    for (uint32_t i = 0; i < row->width_el; i++, texel += w->texel_B)
        memcpy(texel, &words[i], sizeof *words);
}

/* Maps a word of the texels of the layer that is staged. False when memory cannot be mapped. */
static bool map_word(const struct vc4vk_staging *stage, uint32_t word, struct image_word *out)
{
    const struct vc4vk_image_view *view = stage->view;
    const struct vc4vk_image_plane *plane = vc4vk_image_view_word_plane(view, word);
    uint8_t *image = view->image->bo ? kmd_bo_map(view->image->bo) : NULL;
    if (!image)
        return false;
    *out = (struct image_word){
        .level = &plane->layout.level[view->base_level],
        .map =
            image + vc4vk_image_level_offset_B(view->image, plane, view->base_level, view->base_layer + stage->layer),
        .texel_B = plane->layout.cpp,
        .first_B = view->image->plane_count > 1 ? 0 : word * (uint32_t)sizeof(uint32_t),
    };
    return true;
}

/* ---------------------------------------------------------------- samples */

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

/* ---------------------------------------------------------------- pairs of a 16-bit channel and alpha */

/* Each of them is half of a word of the image. In: combines the channel and alpha into words. Out: puts both back. */
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

static void copy_pairs(const struct vc4vk_staging *stage, const struct image_word *color,
                       const struct image_word *alpha, uint8_t *rows, bool in)
{
    const uint32_t shift = 16 * (stage->word % 2);
    uint32_t color_row[VC4VK_MAX_IMAGE_PX], alpha_row[VC4VK_MAX_IMAGE_PX];
    const bool is_same = stage->word / 2 == 1;
    uint32_t *const own_alpha = is_same ? color_row : alpha_row;
    for (uint32_t y = 0; y < stage->height_px; y++, rows += stage->stride_B) {
        const struct hw_copy_rect row = {stage->x_px, stage->y_px + y, stage->width_px, 1};
        read_row(color, &row, color_row);
        if (!is_same)
            read_row(alpha, &row, alpha_row);
        exchange((uint32_t *)(void *)rows, color_row, own_alpha, stage->width_px, shift, in);
        if (in)
            continue;
        write_row(color, &row, color_row);
        if (!is_same)
            write_row(alpha, &row, alpha_row);
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
    struct image_word color, alpha;
    uint8_t *rows = kmd_bo_map(stage->bo);
    if (!rows || !map_word(stage, stage->word / 2, &color) || !map_word(stage, 1, &alpha))
        return vc4vk_errorf(stage->view, VK_ERROR_MEMORY_MAP_FAILED, "staging: memory is not mapped");
    if (color.level->tiling == HW_TILING_MS)
        copy_pairs_of_samples(stage, color.level, color.map, alpha.map, rows, in);
    else
        copy_pairs(stage, &color, &alpha, rows, in);
    return VK_SUCCESS;
}

/* ---------------------------------------------------------------- whole words */

struct words {
    const struct vc4vk_staging *stage;
    const struct image_word *word;
    uint8_t *rows;
    bool in;
};

/* Copies rows of the image whose planes hold one word of each texel. */
static bool copy_words(const void *data, uint32_t begin, uint32_t end)
{
    const struct words *w = data;
    const struct vc4vk_staging *stage = w->stage;
    const struct hw_level *level = w->word->level;
    const struct hw_copy_rect rect = {stage->x_px, begin, stage->width_px, end - begin};
    uint8_t *rows = w->rows + (size_t)(begin - stage->y_px) * stage->stride_B;
    if (w->in)
        hw_copy_from_tiled(rows, stage->stride_B, w->word->map, level->tiling, level->stride_B, 4, &rect);
    else
        hw_copy_to_tiled(w->word->map, level->tiling, level->stride_B, 4, rows, stage->stride_B, &rect);
    return true;
}

/* The same where the plane holds all words. */
static bool copy_parts(const void *data, uint32_t begin, uint32_t end)
{
    const struct words *w = data;
    const struct vc4vk_staging *stage = w->stage;
    uint8_t *rows = w->rows + (size_t)(begin - stage->y_px) * stage->stride_B;
    for (uint32_t y = begin; y < end; y++, rows += stage->stride_B) {
        const struct hw_copy_rect row = {stage->x_px, y, stage->width_px, 1};
        if (w->in)
            read_row(w->word, &row, (uint32_t *)(void *)rows);
        else
            write_row(w->word, &row, (const uint32_t *)(const void *)rows);
    }
    return true;
}

static VkResult run_copy(const struct vc4vk_staging *stage, bool in)
{
    struct image_word word;
    uint8_t *rows = kmd_bo_map(stage->bo);
    if (!rows || !map_word(stage, stage->word, &word))
        return vc4vk_errorf(stage->view, VK_ERROR_MEMORY_MAP_FAILED, "staging: memory is not mapped");
    if (word.level->tiling == HW_TILING_MS)
        copy_samples(stage, word.level, word.map, rows, in);
    else if (word.texel_B < 4)
        copy_small(stage, word.level, word.texel_B, word.map, (uint32_t *)(void *)rows, in);
    else
        (void)vc4vk_run_bands(stage->parallel, stage->y_px, stage->y_px + stage->height_px, 8 * stage->width_px,
                              word.texel_B == 4 ? copy_words : copy_parts, &(struct words){stage, &word, rows, in});
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
    const bool has_blocks = f->stage->samples > 1;
    const uint32_t width_px = f->stage->stride_B / HW_MS_TILE_B * HW_MS_TILE_PX; /* of blocks */
    for (uint32_t row = y; row < bottom; row++)
        for (uint32_t i = x; i < right; i++)
            for (uint32_t s = 0; s < f->stage->samples; s++)
                words[has_blocks ? hw_ms_offset_B(width_px, i, row, s) / sizeof *words
                                 : row * (f->stage->stride_B / sizeof *words) + i] = f->word;
    return VK_SUCCESS;
}
