/* SPDX-License-Identifier: MIT
 *
 * Pictures: the surface that a job has stored, scaled down if it is large, as PNG.
 */
#include <stdlib.h>
#include <string.h>
#include "hw/format.h"
#include "hw/layout.h"
#include "inspect/inspect_state.h"
#include "util/png.h"

#define PICTURE_MAX_PX 800u /* along a side */

/* -- PNG ---------------------------------------------------------------------------------------------------------- */

static void put_to_text(void *data, const void *bytes, size_t size_B)
{
    inspect_put_bytes(data, bytes, size_B);
}

void inspect_put_png(struct inspect_text *out, const uint32_t *pixels, uint32_t width_px, uint32_t height_px)
{
    const size_t count = (size_t)width_px * height_px;
    uint8_t *rgb = malloc(3 * count);
    for (size_t i = 0; rgb && i < count; i++)
        for (unsigned c = 0; c < 3; c++)
            rgb[3 * i + c] = (uint8_t)(pixels[i] >> 8 * c);
    const struct util_png_image image = {rgb, width_px, height_px};
    out->failed |= !rgb || !util_png_encode(&image, NULL, put_to_text, out);
    free(rgb);
}

/* -- surfaces ----------------------------------------------------------------------------------------------------- */

/* A stored surface in mapped memory. */
struct source {
    const uint8_t *data;
    uint32_t size_B, stride_B;
    uint32_t width_px, height_px;
    enum hw_tiling tiling; /* HW_TILING_MS: all samples */
};

/* The chip derives the stride from the job's width. */
static uint32_t stride_of(enum hw_tiling tiling, uint32_t width_px)
{
    uint32_t utile_w, utile_h;
    hw_utile_size(4, &utile_w, &utile_h);
    return util_align(width_px, tiling == HW_TILING_T ? 8 * utile_w : utile_w) * 4;
}

static bool find_source(const struct inspect_work *work, bool depth, struct source *out)
{
    const struct kmd_render *r = &work->render;
    const struct kmd_surface *all = depth ? &r->msaa_zs_write : &r->msaa_color_write;
    const struct kmd_surface *one = depth ? &r->zs_write : &r->color_write;
    const bool is_ms = all->bo_index != KMD_NO_BO;
    const struct kmd_surface *s = is_ms ? all : one;
    struct kmd_bo *bo = depth ? work->zs_bo : work->color_bo;
    const uint8_t *data = bo ? kmd_bo_map(bo) : NULL;
    if (!data || s->bo_index == KMD_NO_BO || s->offset_B >= bo->size_B)
        return false;
    out->tiling = is_ms ? HW_TILING_MS : (enum hw_tiling)(s->bits >> (depth ? 4 : 6) & 3);
    out->width_px = r->width_px;
    out->height_px = r->height_px;
    out->stride_B = stride_of(out->tiling, r->width_px);
    out->data = data + s->offset_B;
    out->size_B = bo->size_B - s->offset_B;
    return out->width_px && out->height_px;
}

static uint32_t word_at(const struct source *s, uint32_t offset_B)
{
    uint32_t word = 0;
    if (offset_B <= s->size_B - 4 && s->size_B >= 4)
        memcpy(&word, s->data + offset_B, 4);
    return word;
}

/* The mean of four samples, byte by byte. */
static uint32_t mean_at(const struct source *s, uint32_t x, uint32_t y)
{
    uint32_t sum[4] = {0};
    for (uint32_t sample = 0; sample < HW_MS_SAMPLES; sample++) {
        const uint32_t word = word_at(s, hw_ms_offset_B(s->width_px, x, y, sample));
        for (unsigned c = 0; c < 4; c++)
            sum[c] += word >> 8 * c & 0xff;
    }
    return sum[0] / 4 | sum[1] / 4 << 8 | sum[2] / 4 << 16 | sum[3] / 4 << 24;
}

static uint32_t pixel_at(const struct source *s, bool depth, uint32_t x, uint32_t y)
{
    if (s->tiling != HW_TILING_MS)
        return word_at(s, hw_element_offset_B(s->tiling, s->stride_B, 4, x, y));
    return depth ? word_at(s, hw_ms_offset_B(s->width_px, x, y, 0)) : mean_at(s, x, y);
}

/* Converts a word of `format` to bytes R, G, B, A. Of integers, the low bytes are shown. */
static uint32_t to_rgba8(enum hw_format format, uint32_t word)
{
    if (format == HW_FORMAT_NONE || hw_format_info(format)->block_B != 4)
        return word;
    const enum hw_kind kind = hw_format_kind(format);
    const bool is_integer = kind == HW_KIND_UINT || kind == HW_KIND_SINT;
    union hw_texel texel;
    uint32_t pixel = 0;
    hw_format_unpack(format, &word, &texel);
    for (unsigned c = 0; c < 4; c++) {
        const float f = hw_format_is_srgb(format) && c < 3 ? hw_linear_to_srgb(texel.f[c]) : texel.f[c];
        const uint32_t byte = is_integer ? texel.u[c] & 0xff : f > 0 ? (uint32_t)(MIN2(f, 1.0f) * 255 + 0.5f) : 0;
        pixel |= byte << 8 * c;
    }
    return pixel;
}

/* Scales depth to grey: the nearest value of the surface is white, the farthest black. */
static void depth_to_grey(uint32_t *pixels, size_t count)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = MIN2(least, pixels[i] >> 8);
        most = MAX2(most, pixels[i] >> 8);
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t behind = (pixels[i] >> 8) - least;
        const uint32_t grey = most > least ? 255 - (uint32_t)(behind * 255 / (most - least)) : 128;
        pixels[i] = grey * 0x010101u;
    }
}

void inspect_take_picture(struct inspect_work *work)
{
    struct source source;
    bool depth = false;
    if (!find_source(work, false, &source)) {
        depth = true;
        if (!find_source(work, true, &source))
            return;
    }
    const uint32_t step = util_div_round_up(MAX2(source.width_px, source.height_px), PICTURE_MAX_PX);
    const uint32_t width = util_div_round_up(source.width_px, step), height = util_div_round_up(source.height_px, step);
    uint32_t *pixels = malloc((size_t)width * height * sizeof *pixels);
    if (!pixels)
        return;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t pixel = pixel_at(&source, depth, x * step, y * step);
            pixels[(size_t)y * width + x] = depth ? pixel : to_rgba8(work->notes.color_storage, pixel);
        }
    if (depth)
        depth_to_grey(pixels, (size_t)width * height);
    inspect_put_png(&work->picture.png, pixels, width, height);
    work->picture.width_px = source.width_px;
    work->picture.height_px = source.height_px;
    work->picture.of = depth ? "depth" : "colour";
    free(pixels);
}
