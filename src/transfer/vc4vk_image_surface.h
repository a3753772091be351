/* SPDX-License-Identifier: MIT
 *
 * A level of an image in mapped memory, for the code that reads, fills and copies images: access to the words of a
 * rectangle, and iteration over the pieces of a rectangle.
 */
#ifndef TRANSFER_VC4VK_IMAGE_SURFACE_H
#define TRANSFER_VC4VK_IMAGE_SURFACE_H

#include "transfer/vc4vk_image_io.h"
#include "kmd/kmd.h"

struct vc4vk_image_surface {
    uint8_t *map;
    const struct vc4vk_image_plane *plane;
    const struct hw_level *level;
};

/* Maps one plane. False when memory cannot be mapped. */
static inline bool vc4vk_image_surface(const struct vc4vk_image_place *place, uint32_t plane,
                                       struct vc4vk_image_surface *out)
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

/* Maps what copies read and write: the blocks of a compressed image, else plane 0. */
static inline bool vc4vk_image_copied_surface(const struct vc4vk_image_place *place, struct vc4vk_image_surface *out)
{
    return vc4vk_image_surface(place, place->image->has_blocks ? place->image->plane_count : 0, out);
}

static inline bool vc4vk_image_surfaces(const struct vc4vk_image_place *place,
                                        struct vc4vk_image_surface out[VC4VK_MAX_PLANES])
{
    bool found = true;
    for (uint32_t i = 0; i < place->image->plane_count; i++)
        found &= vc4vk_image_surface(place, i, &out[i]);
    return found;
}

static inline void vc4vk_surface_read_words(const struct vc4vk_image_surface *s, const struct hw_copy_rect *rect,
                                            uint32_t *words)
{
    hw_copy_from_tiled(words, rect->width_el * 4, s->map, s->level->tiling, s->level->stride_B, 4, rect);
}

static inline void vc4vk_surface_write_words(const struct vc4vk_image_surface *s, const struct hw_copy_rect *rect,
                                             const uint32_t *words)
{
    hw_copy_to_tiled(s->map, s->level->tiling, s->level->stride_B, 4, words, rect->width_el * 4, rect);
}

/* ---------------------------------------------------------------- pieces */

/* The size of a piece: whole microtiles, so that memory is accessed in long runs. */
#define VC4VK_PIECE_COLUMNS 64u
#define VC4VK_PIECE_ROWS    8u
#define VC4VK_PIECE_WORDS   (VC4VK_PIECE_COLUMNS * VC4VK_PIECE_ROWS)

static inline void vc4vk_fit_piece(const struct hw_copy_rect *rect, uint32_t columns, struct hw_copy_rect *piece)
{
    piece->width_el = MIN2(rect->x_el + rect->width_el - piece->x_el, columns - piece->x_el % columns);
    piece->height_el =
        MIN2(rect->y_el + rect->height_el - piece->y_el, VC4VK_PIECE_ROWS - piece->y_el % VC4VK_PIECE_ROWS);
}

static inline struct hw_copy_rect vc4vk_first_piece(const struct hw_copy_rect *rect, uint32_t columns)
{
    struct hw_copy_rect piece = {rect->x_el, rect->y_el, 0, 0};
    if (rect->width_el && rect->height_el)
        vc4vk_fit_piece(rect, columns, &piece);
    return piece;
}

/* After the last piece the result has no rows. */
static inline void vc4vk_next_piece(const struct hw_copy_rect *rect, uint32_t columns, struct hw_copy_rect *piece)
{
    piece->x_el += piece->width_el;
    if (piece->x_el == rect->x_el + rect->width_el) {
        piece->x_el = rect->x_el;
        piece->y_el += piece->height_el;
    }
    vc4vk_fit_piece(rect, columns, piece);
}

#define VC4VK_FOR_EACH_PIECE(rect, piece) VC4VK_FOR_EACH_PIECE_OF(rect, VC4VK_PIECE_COLUMNS, piece)
#define VC4VK_FOR_EACH_PIECE_OF(rect, columns, piece)                                                                  \
    for (struct hw_copy_rect piece = vc4vk_first_piece(rect, columns); piece.height_el;                                \
         vc4vk_next_piece(rect, columns, &piece))

#endif
