/* SPDX-License-Identifier: MIT
 *
 * Reads and writes rows of texels. A copy in and out again must not change depth: 16-bit values survive the conversion
 * to 24 bits, and 24-bit values survive the conversion to float. A compressed image keeps its blocks, which copies
 * read, and in addition the decoded texels, which the chip samples.
 */
#include <string.h>
#include "device/vc4vk_device.h"
#include "hw/codec.h"
#include "transfer/vc4vk_image_surface.h"
#include "transfer/vc4vk_transfer.h"

const struct hw_level *vc4vk_image_io_level(const struct vc4vk_image_place *place)
{
    return vc4vk_image_copy_level(place->image, place->level);
}

/* ---------------------------------------------------------------- regions */

bool vc4vk_image_has(const struct vc4vk_image *image, VkImageAspectFlags aspects, uint32_t level, uint32_t first_layer,
                     uint32_t layers)
{
    if (!image || !image->bo || image->part_count || level >= image->levels || !(aspects & image->format->aspects))
        return false;
    const uint32_t all = image->type == VK_IMAGE_TYPE_3D ? util_minify(image->extent.depth, level) : image->layers;
    return layers && first_layer < all && layers <= all - first_layer;
}

bool vc4vk_image_has_region(const struct vc4vk_image *image, VkImageSubresourceLayers *sub, int32_t z, uint32_t depth)
{
    VkImageAspectFlags aspects = sub->aspectMask;
    const struct vc4vk_image *part = image ? vc4vk_image_of_aspect(image, &aspects) : NULL;
    if (!part)
        return false;
    if (part == image)
        sub->aspectMask = aspects &= image->format->aspects;
    if (image->type == VK_IMAGE_TYPE_3D)
        return z >= 0 && vc4vk_image_has(part, aspects, sub->mipLevel, (uint32_t)z, depth);
    const bool is_rest = sub->layerCount == VK_REMAINING_ARRAY_LAYERS && sub->baseArrayLayer < part->layers;
    return vc4vk_image_has(part, aspects, sub->mipLevel, sub->baseArrayLayer,
                           is_rest ? part->layers - sub->baseArrayLayer : sub->layerCount);
}

void vc4vk_region_layers(const struct vc4vk_image *image, const VkImageSubresourceLayers *sub, int32_t z,
                         uint32_t depth, uint32_t *first_out, uint32_t *count_out)
{
    bool is_3d = image->type == VK_IMAGE_TYPE_3D;
    *first_out = is_3d ? (uint32_t)z : sub->baseArrayLayer;
    *count_out = is_3d ? depth : sub->layerCount;
    if (!is_3d && sub->layerCount == VK_REMAINING_ARRAY_LAYERS)
        *count_out = image->layers - sub->baseArrayLayer;
}

/* ---------------------------------------------------------------- depth and stencil words */

/* The chip's 24 bits are a depth's first fraction bits, and all bits set mean 1. Of the floats that have these bits it
 * gives the one that applications mean most often: the least one, so that 0.5 and all other fractions of 24 bits are
 * kept exactly, or a multiple of 1/255. From 0.5 on floats have no more than 24 fraction bits. */
static float float_from_24(uint32_t z24)
{
    if (z24 == 0xffffff)
        return 1.0f;
    return z24 < 0x800000 && z24 % (0xffffff / 255) == 0 ? (float)((double)z24 / 0xffffff) : (float)z24 / 16777216.0f;
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
        return vc4vk_clear_depth_word(f);
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
        f = float_from_24(z24);
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

/* Whether depth or stencil is stored in Z24S8 words and has to be converted. */
static bool is_lowered(const struct vc4vk_image_place *place, const struct vc4vk_image_surface *s)
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

/* Convert stored words to elements and back, one row of a piece at a time. */
typedef void (*unwrap_fn)(const struct vc4vk_image_place *place, const uint32_t *words, uint32_t count, uint8_t *out);
typedef void (*wrap_fn)(const struct vc4vk_image_place *place, const uint8_t *in, uint32_t count, uint32_t *words);

/* The offset of a row of the piece in the rows of elements of the whole rectangle. */
static size_t row_B(const struct hw_copy_rect *rect, const struct hw_copy_rect *piece, uint32_t row, uint32_t stride_B,
                    uint32_t element_B)
{
    return (size_t)(piece->y_el - rect->y_el + row) * stride_B + (size_t)(piece->x_el - rect->x_el) * element_B;
}

static void read_unwrapped(const struct vc4vk_image_place *place, const struct vc4vk_image_surface *s,
                           const struct hw_copy_rect *rect, uint32_t element_B, unwrap_fn unwrap, uint8_t *rows,
                           uint32_t stride_B)
{
    uint32_t words[VC4VK_PIECE_WORDS];
    VC4VK_FOR_EACH_PIECE(rect, piece)
    {
        vc4vk_surface_read_words(s, &piece, words);
        for (uint32_t i = 0; i < piece.height_el; i++)
            unwrap(place, words + (size_t)i * piece.width_el, piece.width_el,
                   rows + row_B(rect, &piece, i, stride_B, element_B));
    }
}

/* `keeps`: the conversion keeps some bits of the stored words, which are read first. */
static void write_wrapped(const struct vc4vk_image_place *place, const struct vc4vk_image_surface *s,
                          const struct hw_copy_rect *rect, uint32_t element_B, wrap_fn wrap, bool keeps,
                          const uint8_t *rows, uint32_t stride_B)
{
    uint32_t words[VC4VK_PIECE_WORDS];
    VC4VK_FOR_EACH_PIECE(rect, piece)
    {
        if (keeps)
            vc4vk_surface_read_words(s, &piece, words);
        for (uint32_t i = 0; i < piece.height_el; i++)
            wrap(place, rows + row_B(rect, &piece, i, stride_B, element_B), piece.width_el,
                 words + (size_t)i * piece.width_el);
        vc4vk_surface_write_words(s, &piece, words);
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

/* Whether texels smaller than a word are stored in the low bits of one word each. */
static bool is_widened(const struct vc4vk_image_place *place, const struct vc4vk_image_surface *s)
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

/* Joins the words of planes to whole texels; split_words does the reverse. */
static void join_words(const uint32_t *const words[VC4VK_MAX_PLANES], uint32_t planes, uint32_t count, uint8_t *out)
{
    for (uint32_t i = 0; i < count && planes == 2; i++) {
        const uint32_t texel[] = {words[0][i], words[1][i]};
        memcpy(out + (size_t)8 * i, texel, sizeof texel);
    }
    for (uint32_t i = 0; i < count && planes == 3; i++) {
        const uint32_t texel[] = {words[0][i], words[1][i], words[2][i]};
        memcpy(out + (size_t)12 * i, texel, sizeof texel);
    }
    for (uint32_t i = 0; i < count && planes == 4; i++) {
        const uint32_t texel[] = {words[0][i], words[1][i], words[2][i], words[3][i]};
        memcpy(out + (size_t)16 * i, texel, sizeof texel);
    }
}

static void split_words(const uint8_t *in, uint32_t planes, uint32_t count, uint32_t *const words[VC4VK_MAX_PLANES])
{
    uint32_t texel[VC4VK_MAX_PLANES];
    for (uint32_t i = 0; i < count && planes == 2; i++) {
        memcpy(texel, in + (size_t)8 * i, 8);
        words[0][i] = texel[0];
        words[1][i] = texel[1];
    }
    for (uint32_t i = 0; i < count && planes == 3; i++) {
        memcpy(texel, in + (size_t)12 * i, 12);
        for (uint32_t p = 0; p < 3; p++)
            words[p][i] = texel[p];
    }
    for (uint32_t i = 0; i < count && planes == 4; i++) {
        memcpy(texel, in + (size_t)16 * i, 16);
        for (uint32_t p = 0; p < 4; p++)
            words[p][i] = texel[p];
    }
}

static bool read_planes(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, uint8_t *rows,
                        uint32_t stride_B)
{
    const uint32_t planes = place->image->plane_count;
    struct vc4vk_image_surface s[VC4VK_MAX_PLANES];
    uint32_t words[VC4VK_MAX_PLANES * VC4VK_PIECE_WORDS];
    if (!vc4vk_image_surfaces(place, s))
        return false;
    VC4VK_FOR_EACH_PIECE(rect, piece)
    {
        for (uint32_t p = 0; p < planes; p++)
            vc4vk_surface_read_words(&s[p], &piece, words + (size_t)p * VC4VK_PIECE_WORDS);
        for (uint32_t i = 0; i < piece.height_el; i++) {
            const uint32_t *row = words + (size_t)i * piece.width_el;
            const uint32_t *const parts[] = {row, row + VC4VK_PIECE_WORDS, row + 2 * VC4VK_PIECE_WORDS,
                                             row + 3 * VC4VK_PIECE_WORDS};
            join_words(parts, planes, piece.width_el, rows + row_B(rect, &piece, i, stride_B, 4 * planes));
        }
    }
    return true;
}

static bool write_planes(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, const uint8_t *rows,
                         uint32_t stride_B)
{
    const uint32_t planes = place->image->plane_count;
    struct vc4vk_image_surface s[VC4VK_MAX_PLANES];
    uint32_t words[VC4VK_MAX_PLANES * VC4VK_PIECE_WORDS];
    if (!vc4vk_image_surfaces(place, s))
        return false;
    VC4VK_FOR_EACH_PIECE(rect, piece)
    {
        for (uint32_t i = 0; i < piece.height_el; i++) {
            uint32_t *row = words + (size_t)i * piece.width_el;
            uint32_t *const parts[] = {row, row + VC4VK_PIECE_WORDS, row + 2 * VC4VK_PIECE_WORDS,
                                       row + 3 * VC4VK_PIECE_WORDS};
            split_words(rows + row_B(rect, &piece, i, stride_B, 4 * planes), planes, piece.width_el, parts);
        }
        for (uint32_t p = 0; p < planes; p++)
            vc4vk_surface_write_words(&s[p], &piece, words + (size_t)p * VC4VK_PIECE_WORDS);
    }
    return true;
}

/* ---------------------------------------------------------------- blocks */

/* Blocks are decoded a piece of a row at a time: at most MAX_PIECE_BLOCKS of them, and MAX_PIECE_B of texels. */
#define MAX_PIECE_BLOCKS 128u
#define MAX_PIECE_B      12288u
#define MAX_BLOCK_B      16u
#define MAX_DECODED_B    8u

static uint32_t piece_blocks(enum hw_format format)
{
    const struct hw_format_info *info = hw_format_info(format);
    const uint32_t texel_B = hw_format_info(hw_codec_decoded(format))->block_B;
    return MIN2(MAX_PIECE_B / (info->block_w * info->block_h * texel_B), MAX_PIECE_BLOCKS);
}

static void write_decoded(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, const uint8_t *texels,
                          uint32_t stride_B)
{
    struct vc4vk_image_surface s;
    if (place->image->plane_count > 1)
        write_planes(place, rect, texels, stride_B);
    else if (vc4vk_image_surface(place, 0, &s))
        hw_copy_to_tiled(s.map, s.level->tiling, s.level->stride_B, s.plane->layout.cpp, texels, stride_B, rect);
}

/* Decodes a piece of a row, beginning with block (x, y), into the planes that the chip samples. */
static void decode_piece(const struct vc4vk_image_place *place, uint32_t x, uint32_t y, const uint8_t *blocks,
                         uint32_t count)
{
    const enum hw_format format = place->image->format->hw;
    const struct hw_format_info *info = hw_format_info(format);
    const uint32_t w = info->block_w, h = info->block_h;
    const uint32_t block_row_B = w * hw_format_info(hw_codec_decoded(format))->block_B, stride_B = count * block_row_B;
    const struct hw_level *level = &place->image->planes[0].layout.level[place->level];
    const struct hw_copy_rect rect = {x * w, y * h, MIN2(count * w, level->width_el - x * w),
                                      MIN2(h, level->height_el - y * h)};
    uint8_t texels[HW_CODEC_MAX_TEXELS * MAX_DECODED_B], rows[MAX_PIECE_B];
    assert(stride_B * h <= sizeof rows);
    for (uint32_t i = 0; i < count; i++) {
        hw_codec_decode(format, blocks + (size_t)i * info->block_B, texels);
        for (uint32_t row = 0; row < h; row++)
            memcpy(rows + (size_t)row * stride_B + (size_t)i * block_row_B, texels + (size_t)row * block_row_B,
                   block_row_B);
    }
    write_decoded(place, &rect, rows, stride_B);
}

static void decode_blocks(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, const uint8_t *blocks,
                          uint32_t stride_B)
{
    const enum hw_format format = place->image->format->hw;
    const uint32_t block_B = hw_format_info(format)->block_B;
    const uint32_t at_once = piece_blocks(format);
    for (uint32_t y = 0; y < rect->height_el; y++)
        for (uint32_t x = 0; x < rect->width_el; x += at_once)
            decode_piece(place, rect->x_el + x, rect->y_el + y, blocks + (size_t)y * stride_B + (size_t)x * block_B,
                         MIN2(rect->width_el - x, at_once));
}

/* For a compressed image whose blocks are the texels of a separate image: the place in that image. */
static struct vc4vk_image_place blocks_place(const struct vc4vk_image_place *place)
{
    const struct vc4vk_image *blocks = place->image->blocks[place->level];
    return (struct vc4vk_image_place){blocks, VK_IMAGE_ASPECT_COLOR_BIT, 0, place->layer, 0};
}

static bool decode_layer(const struct vc4vk_image_place *place)
{
    const struct vc4vk_image_place from = blocks_place(place);
    const struct hw_level *level = vc4vk_image_io_level(place);
    const uint32_t at_once = piece_blocks(place->image->format->hw);
    uint8_t blocks[MAX_PIECE_BLOCKS * MAX_BLOCK_B];
    bool done = true;
    for (uint32_t y = 0; y < level->height_el && done; y++)
        for (uint32_t x = 0; x < level->width_el && done; x += at_once) {
            const struct hw_copy_rect rect = {x, y, MIN2(level->width_el - x, at_once), 1};
            done = vc4vk_image_read(&from, &rect, blocks, 0);
            if (done)
                decode_piece(place, x, y, blocks, rect.width_el);
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

VkResult vc4vk_run_decode_image(void *arguments)
{
    const struct vc4vk_decode_image *d = arguments;
    return vc4vk_image_decode(d->blocks, d->first_layer, d->layers)
               ? VK_SUCCESS
               : vc4vk_errorf(d->blocks, VK_ERROR_MEMORY_MAP_FAILED, "decode: image memory is not mapped");
}

enum hw_format vc4vk_image_io_texel_format(const struct vc4vk_image_place *place)
{
    return place->image->has_blocks ? hw_codec_decoded(place->image->format->hw) : copy_layout(place);
}

bool vc4vk_image_read_texels(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, void *rows,
                             uint32_t stride_B)
{
    struct vc4vk_image_surface s;
    if (!place->image->has_blocks)
        return vc4vk_image_read(place, rect, rows, stride_B);
    if (place->image->plane_count > 1)
        return read_planes(place, rect, rows, stride_B);
    if (!vc4vk_image_surface(place, 0, &s))
        return false;
    hw_copy_from_tiled(rows, stride_B, s.map, s.level->tiling, s.level->stride_B, s.plane->layout.cpp, rect);
    return true;
}

bool vc4vk_image_read(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, void *rows,
                      uint32_t stride_B)
{
    struct vc4vk_image_surface s;
    if (place->image->blocks) {
        const struct vc4vk_image_place blocks = blocks_place(place);
        return vc4vk_image_read(&blocks, rect, rows, stride_B);
    }
    if (!vc4vk_image_copied_surface(place, &s))
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
    struct vc4vk_image_surface s;
    if (place->image->blocks) {
        const struct vc4vk_image_place blocks = blocks_place(place);
        if (!vc4vk_image_write(&blocks, rect, rows, stride_B))
            return false;
        decode_blocks(place, rect, rows, stride_B);
        return true;
    }
    if (!vc4vk_image_copied_surface(place, &s))
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
