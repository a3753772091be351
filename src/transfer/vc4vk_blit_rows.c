/* SPDX-License-Identifier: MIT
 *
 * Blits on the CPU. Hot: generates mip maps. A row of the target is filled with the first method that fits:
 *
 *   texels unchanged           same format, nearest; always used for depth and stencil, which are never converted
 *   four bytes, nearest        RGBA8 <-> BGRA8: swaps red and blue
 *   four bytes, halved         UNORM, red and blue possibly swapped: mean of four texels, two channels at a time
 *   four bytes, linear         rows decoded to floats from 0 to 255, filtered, rounded without a table
 *   any                        rows decoded to floats, filtered, encoded; sRGB by tables (hw/format_row.c)
 *
 * [measured: 2 ns per pixel of a mip map, 3 ns for four bytes scaled up, from 10 ns on for anything else]
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "transfer/vc4vk_bands.h"
#include "transfer/vc4vk_blit_rows.h"

#define STRIP_ROWS  8u   /* whole rows of microtiles, whatever their size */
#define SPARSE      4.0f /* beyond this vertical scale, source rows are read one by one instead of in strips */
#define MAX_TEXEL_B 16u

enum method { UNCHANGED, SWAPPED, BYTES, FLOATS }; /* BYTES and FLOATS decode rows */

struct plan {
    const struct vc4vk_blit_layer *layer;
    enum method method;
    bool swaps;  /* swaps red and blue */
    bool halves; /* every column lies midway between two texels */
    enum hw_format from_format, to_format;
    uint32_t from_B, to_B;          /* per texel */
    uint32_t left_px, from_px;      /* first column of the source that is read, and how many */
    uint32_t to_px;                 /* columns of the target */
    uint32_t height_px;             /* of the source's level */
    uint32_t strip_rows;            /* of the source */
    struct vc4vk_blit_tap *columns; /* to_px of them; relative to left_px */
};

/* ---------------------------------------------------------------- source coordinates */

struct vc4vk_blit_tap vc4vk_blit_tap(const struct vc4vk_blit_axis *axis, int32_t i, uint32_t size, bool linear)
{
    const float at = axis->origin + ((float)i + 0.5f) * axis->scale - (linear ? 0.5f : 0);
    const float floored = floorf(at);
    const int32_t last = (int32_t)size - 1, first = (int32_t)CLAMP(floored, -1.0f, (float)size);
    struct vc4vk_blit_tap tap = {.first = (uint32_t)CLAMP(first, 0, last),
                                 .second = (uint32_t)CLAMP(first + 1, 0, last)};
    if (linear)
        tap.weight = at - floored;
    if (tap.weight == 0) /* the other may have never been written, and be NaN */
        tap.second = tap.first;
    return tap;
}

/* Finds the taps of all columns, relative to the leftmost texel that one of them reads. */
static void find_columns(struct plan *p, uint32_t width_px)
{
    const struct vc4vk_blit_layer *l = p->layer;
    uint32_t left = UINT32_MAX, right = 0;
    p->halves = true;
    for (uint32_t i = 0; i < p->to_px; i++) {
        p->columns[i] = vc4vk_blit_tap(&l->x, l->x.begin + (int32_t)i, width_px, l->linear);
        left = MIN2(left, p->columns[i].first);
        right = MAX2(right, p->columns[i].second);
    }
    for (uint32_t i = 0; i < p->to_px; i++) {
        p->halves &= p->columns[i].weight == 0.5f;
        p->columns[i].first -= left;
        p->columns[i].second -= left;
    }
    p->left_px = left;
    p->from_px = right - left + 1;
}

static bool is_four_bytes(enum hw_format format)
{
    return format == HW_FORMAT_R8G8B8A8_UNORM || format == HW_FORMAT_B8G8R8A8_UNORM;
}

static enum method choose_method(const struct plan *p)
{
    const bool bytes = is_four_bytes(p->from_format) && is_four_bytes(p->to_format);
    if (!p->layer->linear)
        return p->from_format == p->to_format ? UNCHANGED : bytes ? SWAPPED : FLOATS;
    return bytes ? BYTES : FLOATS;
}

/* ---------------------------------------------------------------- rows of the source */

#define CACHED_ROWS 2u

/* A band's cache of source strips and decoded rows. */
struct source {
    const struct plan *p;
    uint8_t *strips[CACHED_ROWS];  /* texels as stored */
    int64_t strip_of[CACHED_ROWS]; /* twice the strip of the source, plus 1 for the second slice; -1: none */
    uint32_t next_strip;
    union hw_texel *rows[CACHED_ROWS]; /* decoded: from 0 to 255 for BYTES, values of the format for FLOATS */
    int64_t row_of[CACHED_ROWS];
    uint32_t next_row;
    union hw_texel *second_row; /* of the second slice */
};

/* The row of a slice as stored; NULL when memory cannot be mapped. Stays valid while the next row is read. */
static const uint8_t *slice_row(struct source *s, bool is_second, uint32_t y)
{
    const struct plan *p = s->p;
    const int64_t strip = 2 * (int64_t)(y / p->strip_rows) + is_second;
    const uint32_t first = y / p->strip_rows * p->strip_rows;
    uint32_t i = 0;
    while (i < CACHED_ROWS && s->strip_of[i] != strip)
        i++;
    if (i == CACHED_ROWS) {
        i = s->next_strip;
        const struct hw_copy_rect rect = {p->left_px, first, p->from_px, MIN2(p->strip_rows, p->height_px - first)};
        struct vc4vk_image_place from = p->layer->from;
        if (is_second)
            from.layer = p->layer->second_slice;
        if (!vc4vk_image_read_texels(&from, &rect, s->strips[i], p->from_px * p->from_B))
            return NULL;
        s->strip_of[i] = strip;
    }
    s->next_strip = (i + 1) % CACHED_ROWS;
    return s->strips[i] + (size_t)(y - first) * p->from_px * p->from_B;
}

static const uint8_t *raw_row(struct source *s, uint32_t y)
{
    return slice_row(s, false, y);
}

/* Four channels of a texel. */
typedef float channels __attribute__((vector_size(16)));
typedef uint8_t channel_bytes __attribute__((vector_size(4)));
typedef int32_t channel_words __attribute__((vector_size(16)));

static channels load_channels(const union hw_texel *texel)
{
    channels c;
    memcpy(&c, texel, sizeof c);
    return c;
}

static void decode_bytes(const uint8_t *bytes, uint32_t count, union hw_texel *out)
{
    for (uint32_t i = 0; i < count; i++) {
        channel_bytes texel;
        memcpy(&texel, bytes + (size_t)4 * i, sizeof texel);
        const channels decoded = __builtin_convertvector(texel, channels);
        memcpy(&out[i], &decoded, sizeof decoded);
    }
}

static bool decode_row(struct source *s, bool is_second, uint32_t y, union hw_texel *out)
{
    const uint8_t *raw = slice_row(s, is_second, y);
    if (!raw)
        return false;
    if (s->p->method == BYTES)
        decode_bytes(raw, s->p->from_px, out);
    else
        hw_format_unpack_row(s->p->from_format, raw, s->p->from_px, out);
    return true;
}

static void mix_rows(union hw_texel *row, const union hw_texel *second, float weight, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const channels a = load_channels(&row[i]), mixed = a + (load_channels(&second[i]) - a) * weight;
        memcpy(&row[i], &mixed, sizeof mixed);
    }
}

static const union hw_texel *decoded_row(struct source *s, uint32_t y)
{
    const float weight = s->p->layer->slice_weight;
    uint32_t i = 0;
    while (i < CACHED_ROWS && s->row_of[i] != y)
        i++;
    if (i == CACHED_ROWS) {
        i = s->next_row;
        s->row_of[i] = -1;
        if (!decode_row(s, false, y, s->rows[i]) || (weight != 0 && !decode_row(s, true, y, s->second_row)))
            return NULL;
        if (weight != 0)
            mix_rows(s->rows[i], s->second_row, weight, s->p->from_px);
        s->row_of[i] = y;
    }
    s->next_row = (i + 1) % CACHED_ROWS;
    return s->rows[i];
}

/* ---------------------------------------------------------------- one row of the target */

static void copy_texels(const struct plan *p, const uint8_t *from, uint8_t *to)
{
    const struct vc4vk_blit_tap *c = p->columns;
    if (p->layer->x.scale == 1.0f && p->from_px == p->to_px) {
        memcpy(to, from, (size_t)p->to_px * p->to_B);
        return;
    }
    switch (p->to_B) {
    case 1:
        for (uint32_t i = 0; i < p->to_px; i++)
            to[i] = from[c[i].first];
        break;
    case 2:
        for (uint32_t i = 0; i < p->to_px; i++)
            memcpy(to + (size_t)2 * i, from + (size_t)2 * c[i].first, 2);
        break;
    case 4:
        for (uint32_t i = 0; i < p->to_px; i++)
            memcpy(to + (size_t)4 * i, from + (size_t)4 * c[i].first, 4);
        break;
    default:
        for (uint32_t i = 0; i < p->to_px; i++)
            memcpy(to + (size_t)p->to_B * i, from + (size_t)p->to_B * c[i].first, p->to_B);
        break;
    }
}

static uint32_t load_word(const uint8_t *row, uint32_t i)
{
    uint32_t word;
    memcpy(&word, row + (size_t)4 * i, sizeof word);
    return word;
}

static uint32_t swap_red_and_blue(uint32_t word)
{
    return (word & 0xff00ff00u) | (word >> 16 & 0xffu) | (word & 0xffu) << 16;
}

static void swap_row(uint8_t *row, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t word = swap_red_and_blue(load_word(row, i));
        memcpy(row + (size_t)4 * i, &word, sizeof word);
    }
}

/* The rounded mean of four texels, computed for two channels at a time with 16 bits for each sum. */
static void halve_bytes(const struct plan *p, const uint8_t *top, const uint8_t *bottom, uint8_t *to)
{
    const uint32_t mask = 0x00ff00ff, half = 0x00020002;
    for (uint32_t i = 0; i < p->to_px; i++) {
        const struct vc4vk_blit_tap *c = &p->columns[i];
        const uint32_t t0 = load_word(top, c->first), t1 = load_word(top, c->second), b0 = load_word(bottom, c->first),
                       b1 = load_word(bottom, c->second);
        const uint32_t even = (t0 & mask) + (t1 & mask) + (b0 & mask) + (b1 & mask) + half;
        const uint32_t odd = (t0 >> 8 & mask) + (t1 >> 8 & mask) + (b0 >> 8 & mask) + (b1 >> 8 & mask) + half;
        const uint32_t word = (even >> 2 & mask) | (odd >> 2 & mask) << 8;
        memcpy(to + (size_t)4 * i, &word, sizeof word);
    }
}

/* Interpolates between four texels. */
static channels filter(const struct vc4vk_blit_tap *column, const struct vc4vk_blit_tap *row, const union hw_texel *top,
                       const union hw_texel *bottom)
{
    const channels t0 = load_channels(&top[column->first]), t1 = load_channels(&top[column->second]),
                   b0 = load_channels(&bottom[column->first]), b1 = load_channels(&bottom[column->second]);
    const channels upper = t0 + (t1 - t0) * column->weight, lower = b0 + (b1 - b0) * column->weight;
    return upper + (lower - upper) * row->weight;
}

static void filter_bytes(const struct plan *p, const struct vc4vk_blit_tap *row, const union hw_texel *top,
                         const union hw_texel *bottom, uint8_t *to)
{
    for (uint32_t i = 0; i < p->to_px; i++) {
        const channels texel = filter(&p->columns[i], row, top, bottom) + 0.5f;
        const channel_words words = __builtin_convertvector(texel, channel_words);
        const channel_bytes bytes = __builtin_convertvector(words, channel_bytes);
        memcpy(to + (size_t)4 * i, &bytes, sizeof bytes);
    }
}

static void filter_floats(const struct plan *p, const struct vc4vk_blit_tap *row, const union hw_texel *top,
                          const union hw_texel *bottom, union hw_texel *out)
{
    for (uint32_t i = 0; i < p->to_px; i++) {
        const channels texel = filter(&p->columns[i], row, top, bottom);
        memcpy(&out[i], &texel, sizeof texel);
    }
}

static bool fill_floats(struct source *s, const struct vc4vk_blit_tap *row, union hw_texel *texels, uint8_t *to)
{
    const struct plan *p = s->p;
    const union hw_texel *top = decoded_row(s, row->first);
    const union hw_texel *bottom = top && p->layer->linear ? decoded_row(s, row->second) : top;
    if (!bottom)
        return false;
    if (p->layer->linear)
        filter_floats(p, row, top, bottom, texels);
    else
        for (uint32_t i = 0; i < p->to_px; i++)
            texels[i] = top[p->columns[i].first];
    hw_format_pack_row(p->to_format, texels, p->to_px, to);
    return true;
}

static bool fill_bytes(struct source *s, const struct vc4vk_blit_tap *row, uint8_t *to)
{
    const struct plan *p = s->p;
    if (p->halves && row->weight == 0.5f && p->layer->slice_weight == 0) {
        const uint8_t *top = raw_row(s, row->first), *bottom = top ? raw_row(s, row->second) : NULL;
        if (bottom)
            halve_bytes(p, top, bottom, to);
        return bottom != NULL;
    }
    const union hw_texel *top = decoded_row(s, row->first), *bottom = top ? decoded_row(s, row->second) : NULL;
    if (bottom)
        filter_bytes(p, row, top, bottom, to);
    return bottom != NULL;
}

static bool fill_nearest(struct source *s, const struct vc4vk_blit_tap *row, uint8_t *to)
{
    const uint8_t *from = raw_row(s, row->first);
    if (from)
        copy_texels(s->p, from, to);
    return from != NULL;
}

static bool fill_row(struct source *s, int32_t y, union hw_texel *texels, uint8_t *to)
{
    const struct plan *p = s->p;
    const struct vc4vk_blit_tap row = vc4vk_blit_tap(&p->layer->y, y, p->height_px, p->layer->linear);
    const bool done = p->method == FLOATS  ? fill_floats(s, &row, texels, to)
                      : p->method == BYTES ? fill_bytes(s, &row, to)
                                           : fill_nearest(s, &row, to);
    if (done && p->swaps)
        swap_row(to, p->to_px);
    return done;
}

/* ---------------------------------------------------------------- bands */

/* Allocates a band's strips, decoded rows, a row of results and a strip of the target, as one block. */
static uint8_t *allocate(struct source *s, union hw_texel **texels_out, uint8_t **to_out)
{
    const struct plan *p = s->p;
    const size_t row_B = p->method >= BYTES ? p->from_px * sizeof(union hw_texel) : 0;
    const size_t texels_B = p->method == FLOATS ? p->to_px * sizeof(union hw_texel) : 0;
    const size_t strip_B = util_align64((uint64_t)p->strip_rows * p->from_px * p->from_B, MAX_TEXEL_B);
    const size_t second_B = p->layer->slice_weight != 0 ? row_B : 0;
    uint8_t *memory =
        malloc(CACHED_ROWS * (row_B + strip_B) + second_B + texels_B + (size_t)STRIP_ROWS * p->to_px * p->to_B);
    uint8_t *at = memory;
    for (uint32_t i = 0; i < CACHED_ROWS && memory; i++) {
        s->rows[i] = (union hw_texel *)at;
        s->strips[i] = at + row_B;
        s->strip_of[i] = s->row_of[i] = -1;
        at += row_B + strip_B;
    }
    s->second_row = (union hw_texel *)at;
    *texels_out = (union hw_texel *)(at ? at + second_B : NULL);
    *to_out = at ? at + second_B + texels_B : NULL;
    return memory;
}

/* Whether the band is a plain copy: not scaled, mirrored or converted, and entirely inside the source. */
static bool is_copy(const struct plan *p, uint32_t begin, uint32_t end)
{
    const struct vc4vk_blit_layer *l = p->layer;
    return p->method == UNCHANGED && l->x.scale == 1 && l->y.scale == 1 && p->from_px == p->to_px &&
           vc4vk_blit_tap(&l->y, (int32_t)end - 1, p->height_px, false).first + begin + 1 ==
               vc4vk_blit_tap(&l->y, (int32_t)begin, p->height_px, false).first + end;
}

/* Blits rows [begin, end) of the target. */
static bool blit_band(const void *data, uint32_t begin, uint32_t end)
{
    const struct plan *p = data;
    const uint32_t stride_B = p->to_px * p->to_B, left = (uint32_t)p->layer->x.begin;
    struct source s = {.p = p};
    if (is_copy(p, begin, end)) {
        const uint32_t top = vc4vk_blit_tap(&p->layer->y, (int32_t)begin, p->height_px, false).first;
        const struct hw_copy_rect from = {p->left_px, top, p->to_px, end - begin},
                                  to = {left, begin, p->to_px, end - begin};
        bool fits;
        if (!vc4vk_image_copy(&p->layer->from, &from, &p->layer->to, &to, p->layer->to.aspect, &fits))
            return false;
        if (fits)
            return true;
    }
    union hw_texel *texels;
    uint8_t *strip, *memory = allocate(&s, &texels, &strip);
    bool done = memory != NULL;
    for (uint32_t y = begin, rows; y < end && done; y += rows) {
        rows = MIN2(end - y, STRIP_ROWS - y % STRIP_ROWS);
        for (uint32_t i = 0; i < rows && done; i++)
            done = fill_row(&s, (int32_t)(y + i), texels, strip + (size_t)i * stride_B);
        const struct hw_copy_rect rect = {left, y, p->to_px, rows};
        done = done && vc4vk_image_write(&p->layer->to, &rect, strip, stride_B);
    }
    free(memory);
    return done;
}

VkResult vc4vk_blit_rows(struct vc4vk_parallel *parallel, const struct vc4vk_blit_layer *layer)
{
    const struct hw_level *from =
        &vc4vk_image_plane(layer->from.image, layer->from.aspect)->layout.level[layer->from.level];
    if (layer->x.begin >= layer->x.end || layer->y.begin >= layer->y.end)
        return VK_SUCCESS;
    struct plan p = {
        .layer = layer,
        .from_format = vc4vk_image_io_texel_format(&layer->from),
        .to_format = vc4vk_format_copy_layout(layer->to.image->format, layer->to.aspect),
        .to_px = (uint32_t)(layer->x.end - layer->x.begin),
        .height_px = from->height_el,
        .strip_rows = fabsf(layer->y.scale) > SPARSE ? 1 : STRIP_ROWS,
    };
    p.from_B = hw_format_info(p.from_format)->block_B;
    p.to_B = hw_format_info(p.to_format)->block_B;
    p.method = choose_method(&p);
    p.swaps = (p.method == SWAPPED || p.method == BYTES) && p.from_format != p.to_format;
    p.columns = malloc(p.to_px * sizeof *p.columns);
    if (!p.columns)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    find_columns(&p, from->width_el);
    const uint64_t row_B = (uint64_t)p.to_px * (p.method == FLOATS ? 32 : p.method == BYTES ? 16 : 8);
    const bool done = vc4vk_run_bands(parallel, (uint32_t)layer->y.begin, (uint32_t)layer->y.end, row_B, blit_band, &p);
    free(p.columns);
    return done ? VK_SUCCESS : VK_ERROR_MEMORY_MAP_FAILED;
}
