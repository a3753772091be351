/* SPDX-License-Identifier: MIT
 *
 * Depth conversions keep what a copy in and out must keep: 16 bits go through 24 unchanged, and 24-bit values go
 * through float unchanged. A compressed image keeps its blocks, which is what is copied out again, and beside them the
 * decoded texels, which is what the chip samples.
 */
#include <string.h>
#include "cmdbuf/vc4vk_image_io.h"
#include "hw/codec.h"
#include "kmd/kmd.h"

#define ROW_WORDS 256u /* converted at a time */

struct surface {
    uint8_t *map;
    const struct vc4vk_image_plane *plane;
    const struct hw_level *level;
};

static bool find_plane(const struct vc4vk_image_place *place, uint32_t plane, struct surface *out)
{
    uint8_t *map = place->image->bo ? kmd_bo_map(place->image->bo) : NULL;
    out->plane = &place->image->planes[plane];
    out->level = &out->plane->layout.level[place->level];
    if (map)
        map += vc4vk_image_level_offset_B(place->image, out->plane, place->level, place->layer) +
               (size_t)place->sample * HW_MS_SAMPLE_B;
    out->map = map;
    return map != NULL;
}

/* What copies see. */
static bool find_surface(const struct vc4vk_image_place *place, struct surface *out)
{
    return find_plane(place, place->image->has_blocks ? place->image->plane_count : 0, out);
}

const struct hw_level *vc4vk_image_io_level(const struct vc4vk_image_place *place)
{
    return vc4vk_image_copy_level(place->image, place->level);
}

/* ---------------------------------------------------------------- depth and stencil words */

uint32_t vc4vk_depth_to_24(float depth)
{
    if (!(depth > 0.0f)) /* NaN too */
        return 0;
    return depth >= 1.0f ? 0xffffffu : (uint32_t)((double)depth * 0xffffff + 0.5);
}

static uint32_t depth_from(enum hw_format format, const uint8_t *in)
{
    uint16_t z16;
    uint32_t z32;
    float f;
    switch (format) {
    case HW_FORMAT_Z16_UNORM:
        memcpy(&z16, in, sizeof z16);
        return (uint32_t)z16 << 8 | z16 >> 8;
    case HW_FORMAT_Z32_FLOAT:
        memcpy(&f, in, sizeof f);
        return vc4vk_depth_to_24(f);
    default: /* Z24X8_LOW */
        memcpy(&z32, in, sizeof z32);
        return z32 & 0xffffff;
    }
}

static void depth_to(enum hw_format format, uint32_t z24, uint8_t *out)
{
    uint16_t z16;
    float f;
    switch (format) {
    case HW_FORMAT_Z16_UNORM:
        z16 = (uint16_t)(((uint64_t)z24 * 0xffff + 0x7fffff) / 0xffffff);
        memcpy(out, &z16, sizeof z16);
        break;
    case HW_FORMAT_Z32_FLOAT:
        f = (float)((double)z24 / 0xffffff);
        memcpy(out, &f, sizeof f);
        break;
    default:
        memcpy(out, &z24, sizeof z24);
        break;
    }
}

static enum hw_format copy_layout(const struct vc4vk_image_place *place)
{
    return vc4vk_format_copy_layout(place->image->format, place->aspect);
}

/* Memory holds Z24S8 words where the copy wants something else. */
static bool is_lowered(const struct vc4vk_image_place *place, const struct surface *s)
{
    return s->plane->format == HW_FORMAT_Z24S8 && place->aspect != VK_IMAGE_ASPECT_COLOR_BIT;
}

/* ---------------------------------------------------------------- rows */

uint32_t vc4vk_image_io_element_B(const struct vc4vk_image_place *place)
{
    return hw_format_info(copy_layout(place))->block_B;
}

void vc4vk_image_io_block_px(const struct vc4vk_image_place *place, uint32_t *w_out, uint32_t *h_out)
{
    const struct hw_format_info *info = hw_format_info(copy_layout(place));
    *w_out = info->block_w;
    *h_out = info->block_h;
}

static void read_words(const struct surface *s, const struct hw_copy_rect *rect, uint32_t *words)
{
    hw_copy_from_tiled(words, rect->width_el * 4, s->map, s->level->tiling, s->level->stride_B, 4, rect);
}

static void write_words(const struct surface *s, const struct hw_copy_rect *rect, const uint32_t *words)
{
    hw_copy_to_tiled(s->map, s->level->tiling, s->level->stride_B, 4, words, rect->width_el * 4, rect);
}

/* Each row of the rectangle in pieces of at most ROW_WORDS; x and y say where the piece lies in the rectangle. */
#define FOR_EACH_PIECE(rect, piece)                                                                                    \
    for (uint32_t y = 0; y < (rect)->height_el; y++)                                                                   \
        for (uint32_t x = 0; x < (rect)->width_el; x += ROW_WORDS)                                                     \
            for (struct hw_copy_rect piece = {(rect)->x_el + x, (rect)->y_el + y,                                      \
                                              MIN2((rect)->width_el - x, ROW_WORDS), 1};                               \
                 piece.height_el; piece.height_el = 0)

static void read_lowered(const struct vc4vk_image_place *place, const struct surface *s,
                         const struct hw_copy_rect *rect, uint8_t *rows, uint32_t stride_B)
{
    const enum hw_format layout = copy_layout(place);
    const uint32_t element_B = hw_format_info(layout)->block_B;
    uint32_t words[ROW_WORDS];
    FOR_EACH_PIECE(rect, piece)
    {
        uint8_t *out = rows + (size_t)y * stride_B + (size_t)x * element_B;
        read_words(s, &piece, words);
        for (uint32_t i = 0; i < piece.width_el; i++, out += element_B) {
            if (place->aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
                *out = (uint8_t)words[i];
            else
                depth_to(layout, words[i] >> 8, out);
        }
    }
}

static void write_lowered(const struct vc4vk_image_place *place, const struct surface *s,
                          const struct hw_copy_rect *rect, const uint8_t *rows, uint32_t stride_B)
{
    const enum hw_format layout = copy_layout(place);
    const uint32_t element_B = hw_format_info(layout)->block_B;
    uint32_t words[ROW_WORDS];
    FOR_EACH_PIECE(rect, piece)
    {
        const uint8_t *in = rows + (size_t)y * stride_B + (size_t)x * element_B;
        read_words(s, &piece, words);
        for (uint32_t i = 0; i < piece.width_el; i++, in += element_B) {
            if (place->aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
                words[i] = (words[i] & ~0xffu) | *in;
            else
                words[i] = (words[i] & 0xffu) | depth_from(layout, in) << 8;
        }
        write_words(s, &piece, words);
    }
}

/* Memory holds a word for each smaller texel: its low bits. */
static bool is_widened(const struct vc4vk_image_place *place, const struct surface *s)
{
    return place->aspect == VK_IMAGE_ASPECT_COLOR_BIT && s->plane->layout.cpp == 4 &&
           hw_format_info(copy_layout(place))->block_B < 4;
}

static void read_widened(const struct vc4vk_image_place *place, const struct surface *s,
                         const struct hw_copy_rect *rect, uint8_t *rows, uint32_t stride_B)
{
    const uint32_t element_B = vc4vk_image_io_element_B(place);
    uint32_t words[ROW_WORDS];
    FOR_EACH_PIECE(rect, piece)
    {
        uint8_t *out = rows + (size_t)y * stride_B + (size_t)x * element_B;
        read_words(s, &piece, words);
        for (uint32_t i = 0; i < piece.width_el; i++, out += element_B)
            for (uint32_t b = 0; b < element_B; b++)
                out[b] = (uint8_t)(words[i] >> 8 * b);
    }
}

static void write_widened(const struct vc4vk_image_place *place, const struct surface *s,
                          const struct hw_copy_rect *rect, const uint8_t *rows, uint32_t stride_B)
{
    const uint32_t element_B = vc4vk_image_io_element_B(place);
    uint32_t words[ROW_WORDS];
    FOR_EACH_PIECE(rect, piece)
    {
        const uint8_t *in = rows + (size_t)y * stride_B + (size_t)x * element_B;
        for (uint32_t i = 0; i < piece.width_el; i++, in += element_B) {
            words[i] = 0;
            for (uint32_t b = 0; b < element_B; b++)
                words[i] |= (uint32_t)in[b] << 8 * b;
        }
        write_words(s, &piece, words);
    }
}

/* One word of each texel between its plane and rows of whole texels. */
static void read_plane(const struct surface *s, const struct hw_copy_rect *rect, uint32_t texel_B, uint8_t *rows,
                       uint32_t stride_B)
{
    uint32_t words[ROW_WORDS];
    FOR_EACH_PIECE(rect, piece)
    {
        uint8_t *out = rows + (size_t)y * stride_B + (size_t)x * texel_B;
        read_words(s, &piece, words);
        for (uint32_t i = 0; i < piece.width_el; i++)
            memcpy(out + (size_t)i * texel_B, &words[i], 4);
    }
}

static void write_plane(const struct surface *s, const struct hw_copy_rect *rect, uint32_t texel_B, const uint8_t *rows,
                        uint32_t stride_B)
{
    uint32_t words[ROW_WORDS];
    FOR_EACH_PIECE(rect, piece)
    {
        const uint8_t *in = rows + (size_t)y * stride_B + (size_t)x * texel_B;
        for (uint32_t i = 0; i < piece.width_el; i++)
            memcpy(&words[i], in + (size_t)i * texel_B, 4);
        write_words(s, &piece, words);
    }
}

/* ---------------------------------------------------------------- blocks */

#define BLOCK_PX      4u
#define ROW_BLOCKS    64u /* decoded at a time */
#define MAX_DECODED_B 8u

static void write_decoded(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, const uint8_t *texels,
                          uint32_t stride_B)
{
    struct surface s;
    const uint32_t planes = place->image->plane_count;
    for (uint32_t i = 0; i < planes && find_plane(place, i, &s); i++) {
        if (planes > 1)
            write_plane(&s, rect, 4 * planes, texels + (size_t)4 * i, stride_B);
        else
            hw_copy_to_tiled(s.map, s.level->tiling, s.level->stride_B, s.plane->layout.cpp, texels, stride_B, rect);
    }
}

/* The texels of up to ROW_BLOCKS blocks side by side, the first of them block (x, y), into the chip's planes. */
static void decode_row(const struct vc4vk_image_place *place, uint32_t x, uint32_t y, const uint8_t *blocks,
                       uint32_t count)
{
    const enum hw_format format = place->image->format->hw;
    const uint32_t block_B = hw_format_info(format)->block_B;
    const uint32_t texel_B = hw_format_info(hw_codec_decoded(format))->block_B;
    const struct hw_level *level = &place->image->planes[0].layout.level[place->level];
    const struct hw_copy_rect rect = {
        x * BLOCK_PX, y * BLOCK_PX, MIN2(count * BLOCK_PX, level->width_el - x * BLOCK_PX),
        MIN2(BLOCK_PX, level->height_el - y * BLOCK_PX)};
    const uint32_t stride_B = count * BLOCK_PX * texel_B;
    uint8_t texels[HW_CODEC_TEXELS * MAX_DECODED_B], rows[BLOCK_PX * ROW_BLOCKS * BLOCK_PX * MAX_DECODED_B];
    for (uint32_t i = 0; i < count; i++) {
        hw_codec_decode(format, blocks + (size_t)i * block_B, texels);
        for (uint32_t row = 0; row < BLOCK_PX; row++)
            memcpy(rows + (size_t)row * stride_B + (size_t)i * BLOCK_PX * texel_B,
                   texels + (size_t)row * BLOCK_PX * texel_B, (size_t)BLOCK_PX * texel_B);
    }
    write_decoded(place, &rect, rows, stride_B);
}

static void decode_blocks(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, const uint8_t *blocks,
                          uint32_t stride_B)
{
    const uint32_t block_B = hw_format_info(place->image->format->hw)->block_B;
    for (uint32_t y = 0; y < rect->height_el; y++)
        for (uint32_t x = 0; x < rect->width_el; x += ROW_BLOCKS)
            decode_row(place, rect->x_el + x, rect->y_el + y, blocks + (size_t)y * stride_B + (size_t)x * block_B,
                       MIN2(rect->width_el - x, ROW_BLOCKS));
}

/* Blocks that lie as texels of an image of their own. */
static struct vc4vk_image_place blocks_place(const struct vc4vk_image_place *place)
{
    return (struct vc4vk_image_place){place->image->blocks[place->level], VK_IMAGE_ASPECT_COLOR_BIT, 0, place->layer, 0};
}

static bool decode_layer(const struct vc4vk_image_place *place)
{
    const struct vc4vk_image_place from = blocks_place(place);
    const struct hw_level *level = vc4vk_image_io_level(place);
    uint8_t row[ROW_BLOCKS * 16];
    bool done = true;
    for (uint32_t y = 0; y < level->height_el && done; y++)
        for (uint32_t x = 0; x < level->width_el && done; x += ROW_BLOCKS) {
            const struct hw_copy_rect rect = {x, y, MIN2(level->width_el - x, ROW_BLOCKS), 1};
            done = vc4vk_image_read(&from, &rect, row, 0);
            if (done)
                decode_row(place, x, y, row, rect.width_el);
        }
    return done;
}

bool vc4vk_image_decode(const struct vc4vk_image *blocks, uint32_t first_layer, uint32_t layers)
{
    bool done = true;
    for (uint32_t i = 0; i < layers; i++)
        done &= decode_layer(&(struct vc4vk_image_place){blocks->blocks_of, VK_IMAGE_ASPECT_COLOR_BIT,
                                                         blocks->blocks_level, first_layer + i, 0});
    return done;
}

/* ---------------------------------------------------------------- whole texels */

enum hw_format vc4vk_image_io_texel_format(const struct vc4vk_image_place *place)
{
    return place->image->has_blocks ? hw_codec_decoded(place->image->format->hw) : copy_layout(place);
}

bool vc4vk_image_read_texel(const struct vc4vk_image_place *place, uint32_t x_px, uint32_t y_px, void *texel)
{
    const struct hw_copy_rect rect = {x_px, y_px, 1, 1};
    const uint32_t planes = place->image->plane_count;
    struct surface s;
    if (!place->image->has_blocks)
        return vc4vk_image_read(place, &rect, texel, 0);
    for (uint32_t i = 0; i < planes; i++) {
        if (!find_plane(place, i, &s))
            return false;
        hw_copy_from_tiled((uint8_t *)texel + (size_t)4 * i, 0, s.map, s.level->tiling, s.level->stride_B,
                           s.plane->layout.cpp, &rect);
    }
    return true;
}

bool vc4vk_image_read(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, void *rows,
                      uint32_t stride_B)
{
    struct surface s;
    if (place->image->blocks) {
        const struct vc4vk_image_place blocks = blocks_place(place);
        return vc4vk_image_read(&blocks, rect, rows, stride_B);
    }
    if (!find_surface(place, &s))
        return false;
    if (is_lowered(place, &s))
        read_lowered(place, &s, rect, rows, stride_B);
    else if (is_widened(place, &s))
        read_widened(place, &s, rect, rows, stride_B);
    else if (place->image->plane_count > 1 && !place->image->has_blocks)
        for (uint32_t i = 0; i < place->image->plane_count && find_plane(place, i, &s); i++)
            read_plane(&s, rect, 4 * place->image->plane_count, (uint8_t *)rows + (size_t)4 * i, stride_B);
    else
        hw_copy_from_tiled(rows, stride_B, s.map, s.level->tiling, s.level->stride_B, s.plane->layout.cpp, rect);
    return true;
}

bool vc4vk_image_write(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, const void *rows,
                       uint32_t stride_B)
{
    struct surface s;
    if (place->image->blocks) {
        const struct vc4vk_image_place blocks = blocks_place(place);
        if (!vc4vk_image_write(&blocks, rect, rows, stride_B))
            return false;
        decode_blocks(place, rect, rows, stride_B);
        return true;
    }
    if (!find_surface(place, &s))
        return false;
    if (is_lowered(place, &s))
        write_lowered(place, &s, rect, rows, stride_B);
    else if (is_widened(place, &s))
        write_widened(place, &s, rect, rows, stride_B);
    else if (place->image->plane_count > 1 && !place->image->has_blocks)
        for (uint32_t i = 0; i < place->image->plane_count && find_plane(place, i, &s); i++)
            write_plane(&s, rect, 4 * place->image->plane_count, (const uint8_t *)rows + (size_t)4 * i, stride_B);
    else
        hw_copy_to_tiled(s.map, s.level->tiling, s.level->stride_B, s.plane->layout.cpp, rows, stride_B, rect);
    if (place->image->has_blocks)
        decode_blocks(place, rect, rows, stride_B);
    return true;
}

/* ---------------------------------------------------------------- fills */

bool vc4vk_image_fill_words(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, uint32_t word,
                            uint32_t mask)
{
    struct surface s;
    uint32_t words[ROW_WORDS];
    if (!find_surface(place, &s))
        return false;
    if (mask == UINT32_MAX)
        return vc4vk_image_fill(place, rect, &word);
    FOR_EACH_PIECE(rect, piece)
    {
        read_words(&s, &piece, words);
        for (uint32_t i = 0; i < piece.width_el; i++)
            words[i] = (words[i] & ~mask) | (word & mask);
        write_words(&s, &piece, words);
    }
    return true;
}

static void fill_surface(const struct surface *s, const struct hw_copy_rect *rect, const void *texel)
{
    uint8_t row[ROW_WORDS * 16];
    const uint32_t cpp = s->plane->layout.cpp;
    for (uint32_t i = 0; i < MIN2(rect->width_el, ROW_WORDS); i++)
        memcpy(row + (size_t)i * cpp, texel, cpp);
    for (uint32_t x = 0; x < rect->width_el; x += ROW_WORDS) { /* a stride of 0: every row is the same */
        struct hw_copy_rect column = {rect->x_el + x, rect->y_el, MIN2(rect->width_el - x, ROW_WORDS), rect->height_el};
        hw_copy_to_tiled(s->map, s->level->tiling, s->level->stride_B, cpp, row, 0, &column);
    }
}

bool vc4vk_image_fill(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, const void *texel)
{
    struct surface s;
    for (uint32_t i = 0; i < place->image->plane_count; i++) {
        if (!find_plane(place, i, &s))
            return false;
        fill_surface(&s, rect, (const uint8_t *)texel + (size_t)4 * i);
    }
    return true;
}
