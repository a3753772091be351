/* SPDX-License-Identifier: MIT
 *
 * Depth conversions keep what a copy in and out must keep: 16 bits go through 24 unchanged, and 24-bit values go
 * through float unchanged. A compressed image keeps its blocks, which is what is copied out again, and beside them the
 * decoded texels, which is what the chip samples.
 */
#include <string.h>
#include <wchar.h>
#include "cmdbuf/vc4vk_image_io.h"
#include "hw/codec.h"
#include "kmd/kmd.h"

/* Converted at a time: whole microtiles. */
#define PIECE_COLUMNS 64u
#define PIECE_ROWS    8u
#define PIECE_WORDS   (PIECE_COLUMNS * PIECE_ROWS)
#define ROW_TEXELS    256u /* filled at a time */

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

/* Words of a rectangle to rows of elements of another kind and back, a piece at a time: whole rows of microtiles, of
 * which memory is read in long runs. */
typedef void (*unwrap_fn)(const struct vc4vk_image_place *place, const uint32_t *words, uint32_t count, uint8_t *out);
typedef void (*wrap_fn)(const struct vc4vk_image_place *place, const uint8_t *in, uint32_t count, uint32_t *words);

#define FOR_EACH_PIECE(rect, piece) FOR_EACH_PIECE_OF(rect, PIECE_COLUMNS, piece)
#define FOR_EACH_PIECE_OF(rect, columns, piece)                                                                        \
    for (struct hw_copy_rect piece = first_piece(rect, columns); piece.height_el; next_piece(rect, columns, &piece))

static void fit_piece(const struct hw_copy_rect *rect, uint32_t columns, struct hw_copy_rect *piece)
{
    piece->width_el = MIN2(rect->x_el + rect->width_el - piece->x_el, columns - piece->x_el % columns);
    piece->height_el = MIN2(rect->y_el + rect->height_el - piece->y_el, PIECE_ROWS - piece->y_el % PIECE_ROWS);
}

static struct hw_copy_rect first_piece(const struct hw_copy_rect *rect, uint32_t columns)
{
    struct hw_copy_rect piece = {rect->x_el, rect->y_el, 0, 0};
    if (rect->width_el && rect->height_el)
        fit_piece(rect, columns, &piece);
    return piece;
}

/* Nothing is left when it has no rows. */
static void next_piece(const struct hw_copy_rect *rect, uint32_t columns, struct hw_copy_rect *piece)
{
    piece->x_el += piece->width_el;
    if (piece->x_el == rect->x_el + rect->width_el) {
        piece->x_el = rect->x_el;
        piece->y_el += piece->height_el;
    }
    fit_piece(rect, columns, piece);
}

/* Where a row of the piece stands in rows of elements. */
static size_t row_B(const struct hw_copy_rect *rect, const struct hw_copy_rect *piece, uint32_t row,
                    uint32_t stride_B, uint32_t element_B)
{
    return (size_t)(piece->y_el - rect->y_el + row) * stride_B + (size_t)(piece->x_el - rect->x_el) * element_B;
}

static void read_unwrapped(const struct vc4vk_image_place *place, const struct surface *s,
                           const struct hw_copy_rect *rect, uint32_t element_B, unwrap_fn unwrap, uint8_t *rows,
                           uint32_t stride_B)
{
    uint32_t words[PIECE_WORDS];
    FOR_EACH_PIECE (rect, piece) {
        read_words(s, &piece, words);
        for (uint32_t i = 0; i < piece.height_el; i++)
            unwrap(place, words + (size_t)i * piece.width_el, piece.width_el,
                   rows + row_B(rect, &piece, i, stride_B, element_B));
    }
}

/* `keeps`: bits of the words stay as they are. */
static void write_wrapped(const struct vc4vk_image_place *place, const struct surface *s,
                          const struct hw_copy_rect *rect, uint32_t element_B, wrap_fn wrap, bool keeps,
                          const uint8_t *rows, uint32_t stride_B)
{
    uint32_t words[PIECE_WORDS];
    FOR_EACH_PIECE (rect, piece) {
        if (keeps)
            read_words(s, &piece, words);
        for (uint32_t i = 0; i < piece.height_el; i++)
            wrap(place, rows + row_B(rect, &piece, i, stride_B, element_B), piece.width_el,
                 words + (size_t)i * piece.width_el);
        write_words(s, &piece, words);
    }
}

static void unwrap_lowered(const struct vc4vk_image_place *place, const uint32_t *words, uint32_t count, uint8_t *out)
{
    const enum hw_format layout = copy_layout(place);
    const uint32_t element_B = hw_format_info(layout)->block_B;
    for (uint32_t i = 0; i < count; i++, out += element_B) {
        if (place->aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
            *out = (uint8_t)words[i];
        else
            depth_to(layout, words[i] >> 8, out);
    }
}

static void wrap_lowered(const struct vc4vk_image_place *place, const uint8_t *in, uint32_t count, uint32_t *words)
{
    const enum hw_format layout = copy_layout(place);
    const uint32_t element_B = hw_format_info(layout)->block_B;
    for (uint32_t i = 0; i < count; i++, in += element_B) {
        if (place->aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
            words[i] = (words[i] & ~0xffu) | *in;
        else
            words[i] = (words[i] & 0xffu) | depth_from(layout, in) << 8;
    }
}

/* Memory holds a word for each smaller texel: its low bits. */
static bool is_widened(const struct vc4vk_image_place *place, const struct surface *s)
{
    return place->aspect == VK_IMAGE_ASPECT_COLOR_BIT && s->plane->layout.cpp == 4 &&
           hw_format_info(copy_layout(place))->block_B < 4;
}

static void unwrap_widened(const struct vc4vk_image_place *place, const uint32_t *words, uint32_t count, uint8_t *out)
{
    const uint32_t element_B = vc4vk_image_io_element_B(place);
    for (uint32_t i = 0; i < count && element_B == 1; i++)
        out[i] = (uint8_t)words[i];
    for (uint32_t i = 0; i < count && element_B > 1; i++, out += element_B)
        for (uint32_t b = 0; b < element_B; b++)
            out[b] = (uint8_t)(words[i] >> 8 * b);
}

static void wrap_widened(const struct vc4vk_image_place *place, const uint8_t *in, uint32_t count, uint32_t *words)
{
    const uint32_t element_B = vc4vk_image_io_element_B(place);
    for (uint32_t i = 0; i < count && element_B == 1; i++)
        words[i] = in[i];
    for (uint32_t i = 0; i < count && element_B > 1; i++, in += element_B) {
        words[i] = 0;
        for (uint32_t b = 0; b < element_B; b++)
            words[i] |= (uint32_t)in[b] << 8 * b;
    }
}

/* Words that lie in planes, between these and whole texels. */
static void join_words(const uint32_t *const words[VC4VK_MAX_PLANES], uint32_t planes, uint32_t count, uint8_t *out)
{
    for (uint32_t i = 0; i < count && planes == 2; i++) {
        const uint32_t texel[] = {words[0][i], words[1][i]};
        memcpy(out + (size_t)8 * i, texel, sizeof texel);
    }
    for (uint32_t i = 0; i < count && planes == 4; i++) {
        const uint32_t texel[] = {words[0][i], words[1][i], words[2][i], words[3][i]};
        memcpy(out + (size_t)16 * i, texel, sizeof texel);
    }
}

static void part_words(const uint8_t *in, uint32_t planes, uint32_t count, uint32_t *const words[VC4VK_MAX_PLANES])
{
    uint32_t texel[VC4VK_MAX_PLANES];
    for (uint32_t i = 0; i < count && planes == 2; i++) {
        memcpy(texel, in + (size_t)8 * i, 8);
        words[0][i] = texel[0];
        words[1][i] = texel[1];
    }
    for (uint32_t i = 0; i < count && planes == 4; i++) {
        memcpy(texel, in + (size_t)16 * i, 16);
        for (uint32_t p = 0; p < 4; p++)
            words[p][i] = texel[p];
    }
}

static bool find_planes(const struct vc4vk_image_place *place, struct surface out[VC4VK_MAX_PLANES])
{
    bool found = true;
    for (uint32_t i = 0; i < place->image->plane_count; i++)
        found &= find_plane(place, i, &out[i]);
    return found;
}

static bool read_planes(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, uint8_t *rows,
                        uint32_t stride_B)
{
    const uint32_t planes = place->image->plane_count;
    struct surface s[VC4VK_MAX_PLANES];
    uint32_t words[VC4VK_MAX_PLANES * PIECE_WORDS];
    if (!find_planes(place, s))
        return false;
    FOR_EACH_PIECE (rect, piece) {
        for (uint32_t p = 0; p < planes; p++)
            read_words(&s[p], &piece, words + (size_t)p * PIECE_WORDS);
        for (uint32_t i = 0; i < piece.height_el; i++) {
            const uint32_t *row = words + (size_t)i * piece.width_el;
            const uint32_t *const parts[] = {row, row + PIECE_WORDS, row + 2 * PIECE_WORDS, row + 3 * PIECE_WORDS};
            join_words(parts, planes, piece.width_el, rows + row_B(rect, &piece, i, stride_B, 4 * planes));
        }
    }
    return true;
}

static bool write_planes(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, const uint8_t *rows,
                         uint32_t stride_B)
{
    const uint32_t planes = place->image->plane_count;
    struct surface s[VC4VK_MAX_PLANES];
    uint32_t words[VC4VK_MAX_PLANES * PIECE_WORDS];
    if (!find_planes(place, s))
        return false;
    FOR_EACH_PIECE (rect, piece) {
        for (uint32_t i = 0; i < piece.height_el; i++) {
            uint32_t *row = words + (size_t)i * piece.width_el;
            uint32_t *const parts[] = {row, row + PIECE_WORDS, row + 2 * PIECE_WORDS, row + 3 * PIECE_WORDS};
            part_words(rows + row_B(rect, &piece, i, stride_B, 4 * planes), planes, piece.width_el, parts);
        }
        for (uint32_t p = 0; p < planes; p++)
            write_words(&s[p], &piece, words + (size_t)p * PIECE_WORDS);
    }
    return true;
}

/* ---------------------------------------------------------------- blocks */

#define BLOCK_PX      4u
#define ROW_BLOCKS    64u /* decoded at a time */
#define MAX_DECODED_B 8u

static void write_decoded(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, const uint8_t *texels,
                          uint32_t stride_B)
{
    struct surface s;
    if (place->image->plane_count > 1)
        write_planes(place, rect, texels, stride_B);
    else if (find_plane(place, 0, &s))
        hw_copy_to_tiled(s.map, s.level->tiling, s.level->stride_B, s.plane->layout.cpp, texels, stride_B, rect);
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
    const struct vc4vk_image *blocks = place->image->blocks[place->level];
    return (struct vc4vk_image_place){blocks, VK_IMAGE_ASPECT_COLOR_BIT, 0, place->layer, 0};
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

bool vc4vk_image_read_texels(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, void *rows,
                             uint32_t stride_B)
{
    struct surface s;
    if (!place->image->has_blocks)
        return vc4vk_image_read(place, rect, rows, stride_B);
    if (place->image->plane_count > 1)
        return read_planes(place, rect, rows, stride_B);
    if (!find_plane(place, 0, &s))
        return false;
    hw_copy_from_tiled(rows, stride_B, s.map, s.level->tiling, s.level->stride_B, s.plane->layout.cpp, rect);
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
    const uint32_t element_B = vc4vk_image_io_element_B(place);
    if (is_lowered(place, &s))
        read_unwrapped(place, &s, rect, element_B, unwrap_lowered, rows, stride_B);
    else if (is_widened(place, &s))
        read_unwrapped(place, &s, rect, element_B, unwrap_widened, rows, stride_B);
    else if (place->image->plane_count > 1 && !place->image->has_blocks)
        return read_planes(place, rect, rows, stride_B);
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
    const uint32_t element_B = vc4vk_image_io_element_B(place);
    if (is_lowered(place, &s))
        write_wrapped(place, &s, rect, element_B, wrap_lowered, true, rows, stride_B);
    else if (is_widened(place, &s))
        write_wrapped(place, &s, rect, element_B, wrap_widened, false, rows, stride_B);
    else if (place->image->plane_count > 1 && !place->image->has_blocks)
        return write_planes(place, rect, rows, stride_B);
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
    uint32_t words[PIECE_WORDS];
    if (!find_surface(place, &s))
        return false;
    if (mask == UINT32_MAX)
        return vc4vk_image_fill(place, rect, &word);
    FOR_EACH_PIECE (rect, piece) {
        read_words(&s, &piece, words);
        for (uint32_t i = 0; i < piece.width_el * piece.height_el; i++)
            words[i] = (words[i] & ~mask) | (word & mask);
        write_words(&s, &piece, words);
    }
    return true;
}

/* Whole rows of tiles, padding and all, are one run of memory. The bytes of the rectangle's rows then; else 0. */
static size_t run_B(const struct hw_level *level, uint32_t cpp, const struct hw_copy_rect *rect)
{
    const uint32_t end = rect->y_el + rect->height_el;
    uint32_t utile_w, utile_h = 1;
    if (level->tiling == HW_TILING_MS || rect->x_el || rect->width_el != level->width_el ||
        (level->tiling == HW_TILING_RASTER && level->padded_width_el != level->width_el))
        return 0;
    if (level->tiling != HW_TILING_RASTER)
        hw_utile_size(cpp, &utile_w, &utile_h);
    const uint32_t unit = level->tiling == HW_TILING_T ? 8 * utile_h : utile_h;
    if (rect->y_el % unit || (end % unit && end != level->height_el))
        return 0;
    return (size_t)(util_div_round_up(end, unit) * unit - rect->y_el) * level->stride_B;
}

/* The C library fills memory with wide characters as fast as with bytes. */
_Static_assert(sizeof(wchar_t) == 4, "words are filled as wide characters");

void vc4vk_fill_words(void *to, size_t count, uint32_t word)
{
    wmemset(to, (wchar_t)word, count);
}

static void fill_run(uint8_t *to, size_t size_B, const uint8_t *pattern, uint32_t cpp)
{
    uint32_t word;
    memcpy(&word, pattern, sizeof word);
    if (cpp <= 4)
        vc4vk_fill_words(to, size_B / 4, word);
    else
        for (size_t at = 0; at < size_B; at += (size_t)ROW_TEXELS * cpp)
            memcpy(to + at, pattern, MIN2(size_B - at, (size_t)ROW_TEXELS * cpp));
}

static void fill_surface(const struct surface *s, const struct hw_copy_rect *rect, const void *texel)
{
    uint8_t row[ROW_TEXELS * 16];
    const uint32_t cpp = s->plane->layout.cpp;
    const size_t size_B = run_B(s->level, cpp, rect);
    for (uint32_t i = 0; i < (size_B ? ROW_TEXELS : MIN2(rect->width_el, ROW_TEXELS)); i++)
        memcpy(row + (size_t)i * cpp, texel, cpp);
    if (size_B) {
        fill_run(s->map + (size_t)rect->y_el * s->level->stride_B, size_B, row, cpp);
        return;
    }
    for (uint32_t x = 0; x < rect->width_el; x += ROW_TEXELS) { /* a stride of 0: every row is the same */
        struct hw_copy_rect column = {rect->x_el + x, rect->y_el, MIN2(rect->width_el - x, ROW_TEXELS),
                                      rect->height_el};
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

/* ---------------------------------------------------------------- as it is */

bool vc4vk_image_hold_the_same(const struct vc4vk_image_place *from, const struct vc4vk_image_place *to,
                               VkImageAspectFlags aspects)
{
    const struct vc4vk_image *a = from->image, *b = to->image;
    if (a->has_blocks || b->has_blocks || a->plane_count != b->plane_count ||
        a->planes[0].layout.cpp != b->planes[0].layout.cpp)
        return false;
    if (aspects & VK_IMAGE_ASPECT_COLOR_BIT) /* small texels in words are those of copies elsewhere */
        return vc4vk_image_io_element_B(from) == vc4vk_image_io_element_B(to);
    return a->vk_format == b->vk_format && a->planes[0].format == b->planes[0].format && aspects == a->format->aspects;
}

static void copy_surface(const struct surface *from, const struct hw_copy_rect *from_rect, const struct surface *to,
                         const struct hw_copy_rect *to_rect)
{
    const uint32_t cpp = from->plane->layout.cpp;
    const size_t size_B = run_B(from->level, cpp, from_rect);
    uint8_t piece[PIECE_WORDS * 16];
    if (size_B && size_B == run_B(to->level, cpp, to_rect) && from->level->tiling == to->level->tiling &&
        from->level->stride_B == to->level->stride_B && from_rect->y_el == to_rect->y_el) {
        memcpy(to->map + (size_t)to_rect->y_el * to->level->stride_B,
               from->map + (size_t)from_rect->y_el * from->level->stride_B, size_B);
        return;
    }
    FOR_EACH_PIECE_OF (to_rect, PIECE_COLUMNS * 16 / cpp, part) {
        const struct hw_copy_rect source = {from_rect->x_el + (part.x_el - to_rect->x_el),
                                            from_rect->y_el + (part.y_el - to_rect->y_el), part.width_el,
                                            part.height_el};
        hw_copy_from_tiled(piece, part.width_el * cpp, from->map, from->level->tiling, from->level->stride_B, cpp,
                           &source);
        hw_copy_to_tiled(to->map, to->level->tiling, to->level->stride_B, cpp, piece, part.width_el * cpp, &part);
    }
}

bool vc4vk_image_copy(const struct vc4vk_image_place *from, const struct hw_copy_rect *from_rect,
                      const struct vc4vk_image_place *to, const struct hw_copy_rect *to_rect,
                      VkImageAspectFlags aspects, bool *fits_out)
{
    struct surface sources[VC4VK_MAX_PLANES], targets[VC4VK_MAX_PLANES];
    *fits_out = vc4vk_image_hold_the_same(from, to, aspects);
    if (!*fits_out)
        return true;
    if (!find_planes(from, sources) || !find_planes(to, targets))
        return false;
    for (uint32_t i = 0; i < from->image->plane_count; i++)
        copy_surface(&sources[i], from_rect, &targets[i], to_rect);
    return true;
}
