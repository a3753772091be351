/* SPDX-License-Identifier: MIT
 *
 * Composition: walks a display list, scales each plane to its size on the screen, blends it over what is there, and
 * applies colour matrix and gamma.
 *
 * The chip's scaler has a polyphase filter with coefficients from memory and a trapezoid filter. Here, planes that grow
 * are interpolated linearly, and those that shrink are averaged over the area of a pixel, from at most 16 samples in
 * each direction. A plane that is not scaled is exact. Chroma is repeated, not interpolated.
 *
 * A list is the guest's and may be anything: an entry of no size or beyond the memory ends it, one that makes no sense
 * is left out, and composing ends when it has cost much more than a driver's list can.
 */
#include <stdlib.h>
#include <string.h>
#include "board/board_display_private.h"

enum { MAX_TAPS = 16, LINES = 2 };

/* Samples that may be read for each pixel of the screen, all planes together: 18 planes, which the driver has, of
 * the size of the screen and each shrunk from twice its size take 144. */
#define SAMPLES_PER_PX 256u

/* Which samples make a pixel, along one axis; the weights sum up to 256. */
struct taps {
    uint32_t count;
    uint16_t at[MAX_TAPS], weight[MAX_TAPS];
};

struct display_composer {
    struct display_plane plane;
    struct display_line_buffer buffer;
    uint32_t line[LINES][PLANE_MAX_PX]; /* of the plane's source, that is in the cache */
    uint32_t line_y[LINES];
    unsigned oldest;
    struct taps column[BOARD_DISPLAY_MAX_PX];
    uint32_t sum[BOARD_DISPLAY_MAX_PX][4]; /* of a row of the plane on the screen, by component */
    uint32_t row[BOARD_DISPLAY_MAX_PX];    /* that row, ARGB8888 */
    int64_t samples_left;
};

struct display_composer *display_composer_create(void)
{
    return malloc(sizeof(struct display_composer));
}

void display_composer_destroy(struct display_composer *composer)
{
    free(composer);
}

/* -- scaling ------------------------------------------------------------------------------------------------------- */

static struct taps interpolate(uint32_t source, uint32_t size, uint32_t at)
{
    /* The pixel's centre in the source, in 1/512 of a sample from the first sample's centre. */
    const int64_t position = (int64_t)(2 * at + 1) * source * 256 / size - 256;
    const uint32_t from_first = (uint32_t)MAX2(position, 0);
    const uint32_t first = MIN2(from_first / 512, source - 1), fraction = from_first % 512 / 2;
    return (struct taps){
        .count = fraction ? 2 : 1,
        .at = {(uint16_t)first, (uint16_t)MIN2(first + 1, source - 1)},
        .weight = {(uint16_t)(256 - fraction), (uint16_t)fraction},
    };
}

static struct taps average(uint32_t source, uint32_t size, uint32_t at)
{
    struct taps taps = {.count = MIN2(util_div_round_up(source, size), (uint32_t)MAX_TAPS)};
    for (uint32_t i = 0; i < taps.count; i++) {
        const uint64_t position = (uint64_t)source * (2 * (at * taps.count + i) + 1) / (2ull * size * taps.count);
        taps.at[i] = (uint16_t)MIN2(position, source - 1);
        taps.weight[i] = (uint16_t)(256 * (i + 1) / taps.count - 256 * i / taps.count);
    }
    return taps;
}

/* The samples for pixel `at` of `size` pixels that are made of `source` samples. */
static struct taps get_taps(uint32_t source, uint32_t size, uint32_t at)
{
    if (source == size)
        return (struct taps){.count = 1, .at = {(uint16_t)at}, .weight = {256}};
    return source < size ? interpolate(source, size, at) : average(source, size, at);
}

/* A line of the source; valid until another is asked for twice. */
static const uint32_t *get_line(struct display_composer *c, const struct display_memory *mem, uint32_t y)
{
    for (unsigned i = 0; i < LINES; i++)
        if (c->line_y[i] == y)
            return c->line[i];
    const unsigned n = c->oldest;
    c->oldest = (c->oldest + 1) % LINES;
    c->line_y[n] = y;
    c->samples_left -= c->plane.source_width_px;
    display_plane_line(&c->plane, mem, y, &c->buffer, c->line[n]);
    return c->line[n];
}

static void add_line(struct display_composer *c, const uint32_t *line, uint32_t weight, uint32_t width_px)
{
    for (uint32_t x = 0; x < width_px; x++) {
        const struct taps *taps = &c->column[x];
        for (uint32_t i = 0; i < taps->count; i++) {
            const uint32_t pixel = line[taps->at[i]], w = weight * taps->weight[i];
            c->sum[x][0] += (pixel >> 24) * w;
            c->sum[x][1] += (pixel >> 16 & 0xff) * w;
            c->sum[x][2] += (pixel >> 8 & 0xff) * w;
            c->sum[x][3] += (pixel & 0xff) * w;
        }
    }
    c->samples_left -= (int64_t)c->column[0].count * width_px;
}

static uint32_t rounded(uint32_t sum)
{
    return (sum + 0x8000) >> 16; /* the weights sum up to 2^16 */
}

/* Row `y` of the plane on the screen, its first `width_px` pixels. */
static const uint32_t *scaled_row(struct display_composer *c, const struct display_memory *mem, uint32_t y,
                                  uint32_t width_px)
{
    const struct taps taps = get_taps(c->plane.source_height_px, c->plane.height_px, y);
    if (taps.count == 1 && c->plane.source_width_px == c->plane.width_px)
        return get_line(c, mem, taps.at[0]);
    memset(c->sum, 0, width_px * sizeof c->sum[0]);
    for (uint32_t i = 0; i < taps.count; i++)
        add_line(c, get_line(c, mem, taps.at[i]), taps.weight[i], width_px);
    for (uint32_t x = 0; x < width_px; x++)
        c->row[x] = rounded(c->sum[x][0]) << 24 | rounded(c->sum[x][1]) << 16 | rounded(c->sum[x][2]) << 8 |
                    rounded(c->sum[x][3]);
    return c->row;
}

/* -- blending ------------------------------------------------------------------------------------------------------ */

static uint32_t times(uint32_t a, uint32_t b)
{
    return (a * b + 127) / 255;
}

/* How much of the plane's colour, and how much of what is below, makes a pixel: 0 to 255. */
struct blend {
    uint32_t source, below;
};

static struct blend get_blend(const struct display_plane *plane, uint32_t alpha)
{
    const uint32_t fixed = plane->fixed_alpha;
    uint32_t coverage = 0;
    switch (plane->alpha) {
    case PLANE_ALPHA_PIPELINE:
        coverage = plane->mixes_alpha ? times(alpha, fixed) : alpha;
        if (plane->is_premultiplied)
            return (struct blend){plane->mixes_alpha ? fixed : 255, 255 - coverage};
        break;
    case PLANE_ALPHA_FIXED:
        coverage = fixed;
        break;
    case PLANE_ALPHA_FIXED_NONZERO:
        coverage = alpha ? fixed : 0;
        break;
    case PLANE_ALPHA_FIXED_OVER_7:
        coverage = alpha > 7 ? fixed : 0;
        break;
    }
    return (struct blend){coverage, 255 - coverage};
}

static uint32_t blended(uint32_t source, uint32_t below, struct blend blend)
{
    uint32_t pixel = 0;
    for (unsigned shift = 0; shift < 24; shift += 8) {
        const uint32_t sum = (source >> shift & 0xff) * blend.source + (below >> shift & 0xff) * blend.below;
        pixel |= MIN2((sum + 127) / 255, 255) << shift; /* premultiplied colours can exceed their alpha */
    }
    return pixel;
}

static void blend_row(const struct display_plane *plane, const uint32_t *row, uint32_t *out, uint32_t width_px)
{
    const bool is_opaque = plane->alpha == PLANE_ALPHA_FIXED && plane->fixed_alpha == 255;
    for (uint32_t x = 0; x < width_px; x++) {
        const struct blend blend = is_opaque ? (struct blend){255, 0} : get_blend(plane, row[x] >> 24);
        out[x] = blend.source == 255 && !blend.below ? row[x] & 0xffffff : blended(row[x], out[x], blend);
    }
}

static void draw_plane(struct display_composer *c, const struct display_memory *mem, const struct display_surface *out)
{
    const struct display_plane *plane = &c->plane;
    if (plane->x_px >= out->width_px || plane->y_px >= out->height_px)
        return;
    const uint32_t width_px = MIN2(plane->width_px, out->width_px - plane->x_px);
    const uint32_t height_px = MIN2(plane->height_px, out->height_px - plane->y_px);
    for (unsigned i = 0; i < LINES; i++)
        c->line_y[i] = UINT32_MAX;
    c->oldest = 0;
    for (uint32_t x = 0; x < width_px; x++)
        c->column[x] = get_taps(plane->source_width_px, plane->width_px, x);
    for (uint32_t y = 0; y < height_px && c->samples_left > 0; y++) {
        uint32_t *row = out->pixels + (size_t)(plane->y_px + y) * out->stride_px + plane->x_px;
        blend_row(plane, scaled_row(c, mem, y, width_px), row, width_px);
        c->samples_left -= width_px;
    }
}

/* -- the picture --------------------------------------------------------------------------------------------------- */

static void draw_list(struct display_composer *c, const struct display_picture *picture,
                      const struct display_memory *mem, const struct display_surface *out)
{
    for (uint32_t at = picture->first, size; at < HVS_LIST_WORDS; at += size) {
        const uint32_t control = picture->list[at];
        size = control >> PLANE_SIZE_SHIFT & PLANE_SIZE_MASK;
        if ((control & PLANE_END) || !size || size > HVS_LIST_WORDS - at || c->samples_left <= 0)
            break;
        if ((control & PLANE_VALID) && display_plane_decode(picture->list + at, size, &c->plane))
            draw_plane(c, mem, out);
        c->samples_left--;
    }
}

static void fill(const struct display_surface *out, uint32_t rgb)
{
    for (uint32_t y = 0; y < out->height_px; y++)
        for (uint32_t x = 0; x < out->width_px; x++)
            out->pixels[(size_t)y * out->stride_px + x] = rgb;
}

static uint32_t transformed(const struct display_picture *picture, uint32_t pixel)
{
    const int from[3] = {pixel >> 16 & 0xff, pixel >> 8 & 0xff, pixel & 0xff};
    uint32_t out = 0;
    for (unsigned to = 0; to < 3; to++) {
        int value = from[to];
        if (picture->has_matrix) {
            const int *row = picture->matrix[to];
            const int sum = row[0] * from[0] + row[1] * from[1] + row[2] * from[2];
            /* The largest coefficient is 511/512, and stands for 1. */
            value = (sum + (sum >= 0 ? 256 : -256)) / 512 + picture->offset[to];
            value = CLAMP(value, 0, 255);
        }
        out = out << 8 | (picture->has_gamma ? picture->gamma[to][value] : (uint32_t)value);
    }
    return out;
}

static void transform(const struct display_picture *picture, const struct display_surface *out)
{
    for (uint32_t y = 0; y < out->height_px; y++) {
        uint32_t *row = out->pixels + (size_t)y * out->stride_px;
        for (uint32_t x = 0; x < out->width_px; x++)
            row[x] = transformed(picture, row[x]);
    }
}

static bool gamma_changes_something(const struct display_picture *picture)
{
    for (unsigned c = 0; c < 3; c++)
        for (unsigned i = 0; i < HVS_GAMMA_COMPONENT; i++)
            if (picture->gamma[c][i] != i)
                return true;
    return false;
}

void display_compose(struct display_composer *composer, const struct display_picture *picture,
                     const struct display_memory *mem, const struct display_surface *out)
{
    if (!picture->has_list)
        return;
    const struct display_surface channel = {
        .pixels = out->pixels,
        .width_px = MIN2(out->width_px, picture->channel_width_px),
        .height_px = MIN2(out->height_px, picture->channel_height_px),
        .stride_px = out->stride_px,
    };
    composer->samples_left = (int64_t)SAMPLES_PER_PX * MAX2(channel.width_px * channel.height_px, 4096u);
    fill(&channel, picture->background);
    draw_list(composer, picture, mem, &channel);
    if (picture->has_matrix || (picture->has_gamma && gamma_changes_something(picture)))
        transform(picture, &channel);
}
