/* SPDX-License-Identifier: MIT
 *
 * Fills images, and copies between images whose texels are stored alike: words of memory without conversion.
 */
#include <string.h>
#include <wchar.h>
#include "transfer/vc4vk_image_surface.h"

#define ROW_TEXELS 256u /* texels filled at a time */

/* ---------------------------------------------------------------- fills */

bool vc4vk_image_fill_words(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, uint32_t word,
                            uint32_t mask)
{
    struct vc4vk_image_surface s;
    uint32_t words[VC4VK_PIECE_WORDS];
    if (!vc4vk_image_copied_surface(place, &s))
        return false;
    if (mask == UINT32_MAX)
        return vc4vk_image_fill(place, rect, &word);
    VC4VK_FOR_EACH_PIECE(rect, piece)
    {
        vc4vk_surface_read_words(&s, &piece, words);
        for (uint32_t i = 0; i < piece.width_el * piece.height_el; i++)
            words[i] = (words[i] & ~mask) | (word & mask);
        vc4vk_surface_write_words(&s, &piece, words);
    }
    return true;
}

/* Whole rows of tiles including their padding are contiguous in memory. Returns the size of the rectangle if it
 * consists of such rows, else 0. */
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

/* wmemset of the C library is as fast as memset. */
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

static void fill_surface(const struct vc4vk_image_surface *s, const struct hw_copy_rect *rect, const void *texel)
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
    for (uint32_t x = 0; x < rect->width_el; x += ROW_TEXELS) { /* a stride of 0 repeats the row */
        struct hw_copy_rect column = {rect->x_el + x, rect->y_el, MIN2(rect->width_el - x, ROW_TEXELS),
                                      rect->height_el};
        hw_copy_to_tiled(s->map, s->level->tiling, s->level->stride_B, cpp, row, 0, &column);
    }
}

bool vc4vk_image_fill(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, const void *texel)
{
    struct vc4vk_image_surface s;
    for (uint32_t i = 0; i < place->image->plane_count; i++) {
        if (!vc4vk_image_surface(place, i, &s))
            return false;
        fill_surface(&s, rect, (const uint8_t *)texel + (size_t)4 * i);
    }
    return true;
}

/* ---------------------------------------------------------------- copies without conversion */

bool vc4vk_image_storage_matches(const struct vc4vk_image_place *from, const struct vc4vk_image_place *to,
                                 VkImageAspectFlags aspects)
{
    const struct vc4vk_image *a = from->image, *b = to->image;
    if (from->aspect != to->aspect || a->has_blocks || b->has_blocks || a->plane_count != b->plane_count ||
        a->planes[0].layout.cpp != b->planes[0].layout.cpp)
        return false;
    if (aspects & VK_IMAGE_ASPECT_COLOR_BIT) /* both may store one word for a smaller texel */
        return vc4vk_image_io_element_B(from) == vc4vk_image_io_element_B(to);
    return a->vk_format == b->vk_format && a->planes[0].format == b->planes[0].format && aspects == a->format->aspects;
}

static void copy_surface(const struct vc4vk_image_surface *from, const struct hw_copy_rect *from_rect,
                         const struct vc4vk_image_surface *to, const struct hw_copy_rect *to_rect)
{
    const uint32_t cpp = from->plane->layout.cpp;
    const size_t size_B = run_B(from->level, cpp, from_rect);
    uint8_t piece[VC4VK_PIECE_WORDS * 16];
    if (size_B && size_B == run_B(to->level, cpp, to_rect) && from->level->tiling == to->level->tiling &&
        from->level->stride_B == to->level->stride_B && from_rect->y_el == to_rect->y_el) {
        memcpy(to->map + (size_t)to_rect->y_el * to->level->stride_B,
               from->map + (size_t)from_rect->y_el * from->level->stride_B, size_B);
        return;
    }
    VC4VK_FOR_EACH_PIECE_OF(to_rect, VC4VK_PIECE_COLUMNS * 16 / cpp, part)
    {
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
    struct vc4vk_image_surface sources[VC4VK_MAX_PLANES], targets[VC4VK_MAX_PLANES];
    *fits_out = vc4vk_image_storage_matches(from, to, aspects);
    if (!*fits_out)
        return true;
    if (!vc4vk_image_surfaces(from, sources) || !vc4vk_image_surfaces(to, targets))
        return false;
    for (uint32_t i = 0; i < from->image->plane_count; i++)
        copy_surface(&sources[i], from_rect, &targets[i], to_rect);
    return true;
}
