/* SPDX-License-Identifier: MIT
 *
 * Resolves multisampled images piece by piece of each row: the mean of colours; sample 0, the minimum or the maximum of
 * depth and stencil, or the mean of depth.
 */
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_format.h"
#include "transfer/vc4vk_bands.h"
#include "transfer/vc4vk_image_io.h"
#include "transfer/vc4vk_transfer.h"

#define PIECE_PX 64u /* the part of a row that is resolved at a time */

/* ---------------------------------------------------------------- texels */

struct resolve_rect {
    struct vc4vk_image_place from, to;
    enum hw_format from_format, to_format; /* of texels in the layout of copies; texels have one size */
    struct hw_copy_rect rect;              /* of the source */
    uint32_t to_x, to_y;
    VkResolveModeFlagBits mode; /* of depth and stencil; 0: colours */
};

/* Texels of up to 16 bytes, for each sample. */
struct samples {
    uint8_t texels[HW_MS_SAMPLES][PIECE_PX * 16];
};

static bool are_equal(const struct samples *in, uint32_t row_B)
{
    bool equal = true;
    for (uint32_t s = 1; s < HW_MS_SAMPLES; s++)
        equal = equal && !memcmp(in->texels[s], in->texels[0], row_B);
    return equal;
}

/* Resolves as the tile buffer does, two bytes of each word at a time with 16 bits for their sums. */
static void resolve_bytes(const struct samples *in, uint32_t count, uint8_t *out)
{
    for (uint32_t i = 0; i < 4 * count; i += 4) {
        uint32_t even = 0x00020002, odd = 0x00020002, word;
        for (uint32_t s = 0; s < HW_MS_SAMPLES; s++) {
            memcpy(&word, &in->texels[s][i], sizeof word);
            even += word & 0x00ff00ff;
            odd += word >> 8 & 0x00ff00ff;
        }
        word = (even >> 2 & 0x00ff00ff) | (odd >> 2 & 0x00ff00ff) << 8;
        memcpy(&out[i], &word, sizeof word);
    }
}

static void resolve_mean(const struct resolve_rect *r, const struct samples *in, uint32_t count, uint8_t *out)
{
    union hw_texel sums[PIECE_PX], texels[PIECE_PX];
    for (uint32_t s = 0; s < HW_MS_SAMPLES; s++) {
        hw_format_unpack_row(r->from_format, in->texels[s], count, s ? texels : sums);
        for (uint32_t i = 0; i < count && s; i++)
            for (uint32_t c = 0; c < 4; c++)
                sums[i].f[c] += texels[i].f[c];
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < 4; c++)
            sums[i].f[c] *= 1.0f / HW_MS_SAMPLES;
    hw_format_pack_row(r->to_format, sums, count, out);
}

/* Resolves depth or stencil. The bits of non-negative floats compare like the numbers. */
static void resolve_ordered(const struct resolve_rect *r, const struct samples *in, uint32_t count, uint8_t *out)
{
    const uint32_t size_B = hw_format_info(r->from_format)->block_B;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t chosen = 0, value;
        for (uint32_t s = 0; s < (r->mode == VK_RESOLVE_MODE_SAMPLE_ZERO_BIT ? 1 : HW_MS_SAMPLES); s++) {
            value = 0;
            memcpy(&value, in->texels[s] + (size_t)i * size_B, size_B); /* little-endian */
            if (s == 0 || (r->mode == VK_RESOLVE_MODE_MIN_BIT ? value < chosen : value > chosen))
                chosen = value;
        }
        memcpy(out + (size_t)i * size_B, &chosen, size_B);
    }
}

/* Takes the mean; for integers sample 0, as the specification allows. In most pieces of rows all samples are equal,
 * which is a faster case. */
static void resolve_texels(const struct resolve_rect *r, const struct samples *in, uint32_t count, uint8_t *out)
{
    const enum hw_kind kind = hw_format_kind(r->from_format);
    const uint32_t row_B = count * hw_format_info(r->from_format)->block_B;
    if (r->mode && r->mode != VK_RESOLVE_MODE_AVERAGE_BIT)
        resolve_ordered(r, in, count, out);
    else if (vc4vk_resolves_by_bytes(r->from_format))
        resolve_bytes(in, count, out);
    else if (kind == HW_KIND_UINT || kind == HW_KIND_SINT || are_equal(in, row_B))
        memcpy(out, in->texels[0], row_B);
    else
        resolve_mean(r, in, count, out);
}

static bool resolve_piece(const struct resolve_rect *r, const struct hw_copy_rect *from)
{
    struct samples in;
    uint8_t out[PIECE_PX * 16] = {0};
    for (uint32_t s = 0; s < HW_MS_SAMPLES; s++) {
        struct vc4vk_image_place place = r->from;
        place.sample = s;
        if (!vc4vk_image_read(&place, from, in.texels[s], 0))
            return false;
    }
    resolve_texels(r, &in, from->width_el, out);
    const struct hw_copy_rect to = {r->to_x + from->x_el - r->rect.x_el, r->to_y + from->y_el - r->rect.y_el,
                                    from->width_el, 1};
    return vc4vk_image_write(&r->to, &to, out, 0);
}

/* Clips to both levels, so that invalid usage cannot access memory outside of them. False: nothing to resolve. */
static bool clip(struct resolve_rect *r)
{
    const struct hw_level *from = &r->from.image->planes[0].layout.level[r->from.level];
    const struct hw_level *to = &r->to.image->planes[0].layout.level[r->to.level];
    if (r->rect.x_el >= from->width_el || r->rect.y_el >= from->height_el || r->to_x >= to->width_el ||
        r->to_y >= to->height_el || r->from.image->samples != HW_MS_SAMPLES ||
        hw_format_info(r->from_format)->block_B != hw_format_info(r->to_format)->block_B)
        return false;
    r->rect.width_el = MIN2(r->rect.width_el, MIN2(from->width_el - r->rect.x_el, to->width_el - r->to_x));
    r->rect.height_el = MIN2(r->rect.height_el, MIN2(from->height_el - r->rect.y_el, to->height_el - r->to_y));
    return true;
}

/* Resolves rows of the target. */
static bool resolve_rows(const void *data, uint32_t begin, uint32_t end)
{
    const struct resolve_rect *r = data;
    for (uint32_t y = begin; y < end; y++)
        for (uint32_t x = 0; x < r->rect.width_el; x += PIECE_PX) {
            const struct hw_copy_rect piece = {r->rect.x_el + x, r->rect.y_el + y - r->to_y,
                                               MIN2(r->rect.width_el - x, PIECE_PX), 1};
            if (!resolve_piece(r, &piece))
                return false;
        }
    return true;
}

static bool resolve_layer(struct vc4vk_parallel *parallel, struct resolve_rect r)
{
    if (!clip(&r))
        return true;
    const uint64_t row_B = (uint64_t)r.rect.width_el * HW_MS_SAMPLES * hw_format_info(r.from_format)->block_B;
    return vc4vk_run_bands(parallel, r.to_y, r.to_y + r.rect.height_el, row_B, resolve_rows, &r);
}

VkResult vc4vk_run_resolve_image(void *arguments)
{
    const struct vc4vk_resolve_image *c = arguments;
    bool done = true;
    for (uint32_t i = 0; i < c->count; i++) {
        const VkImageResolve *r = &c->regions[i];
        for (uint32_t layer = 0; layer < r->srcSubresource.layerCount; layer++)
            done &= resolve_layer(c->parallel, (struct resolve_rect){
                .from = {c->from, r->srcSubresource.aspectMask, 0, r->srcSubresource.baseArrayLayer + layer, 0},
                .to = {c->to, r->dstSubresource.aspectMask, r->dstSubresource.mipLevel,
                       r->dstSubresource.baseArrayLayer + layer, 0},
                .from_format = c->from_format,
                .to_format = c->to_format,
                .rect = {(uint32_t)r->srcOffset.x, (uint32_t)r->srcOffset.y, r->extent.width, r->extent.height},
                .to_x = (uint32_t)r->dstOffset.x,
                .to_y = (uint32_t)r->dstOffset.y,
                .mode = c->mode,
            });
    }
    return done ? VK_SUCCESS : vc4vk_errorf(c->from, VK_ERROR_MEMORY_MAP_FAILED, "resolve: memory is not mapped");
}
