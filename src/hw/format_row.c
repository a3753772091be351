/* SPDX-License-Identifier: MIT
 *
 * Converts rows of texels to RGBA and back. Formats with 8-bit channels and half floats, the most common ones, have
 * fast paths that use tables and do not look up the format per channel. Results equal those of format.c bit for bit.
 */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include "hw/format.h"

/* Linear to sRGB starts from a guess, one per 1/4096 of the linear range, that is at most a few codes too low. */
#define GUESSES 4096u

static struct tables {
    float unorm[256], srgb[256];
    float first[256]; /* the smallest linear value that converts to this sRGB code */
    uint8_t guess[GUESSES + 1];
} tables; /* constant once make_tables has run */
static pthread_once_t tables_made = PTHREAD_ONCE_INIT;

static uint32_t srgb_code(float linear)
{
    return (uint32_t)rint((double)hw_linear_to_srgb(linear) * 255);
}

/* Binary search over the bits of floats: non-negative floats order like their bits. */
static float first_of_code(uint32_t code)
{
    uint32_t low = 0, high = util_fui(1.0f);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (srgb_code(util_uif(middle)) >= code)
            high = middle;
        else
            low = middle + 1;
    }
    return util_uif(low);
}

static void make_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        tables.unorm[i] = (float)(i / 255.0);
        tables.srgb[i] = hw_srgb_to_linear((float)i / 255.0f);
        tables.first[i] = first_of_code(i);
    }
    for (uint32_t i = 0, code = 0; i <= GUESSES; i++) {
        while (code < 255 && (float)i / GUESSES >= tables.first[code + 1])
            code++;
        tables.guess[i] = (uint8_t)code;
    }
}

static const struct tables *get_tables(void)
{
    pthread_once(&tables_made, make_tables);
    return &tables;
}

/* ---------------------------------------------------------------- four bytes */

/* Whether the format has four 8-bit channels, each UNORM or sRGB. */
static bool has_bytes(const struct hw_format_info *info)
{
    bool bytes = info->block_B == 4 && info->block_w == 1 && info->channels == 4;
    for (uint32_t i = 0; i < info->channels && bytes; i++)
        bytes = info->channel[i].bits == 8 && info->swizzle[i] <= HW_SWIZZLE_W &&
                (info->channel[i].kind == HW_KIND_UNORM || info->channel[i].kind == HW_KIND_SRGB);
    return bytes;
}

static void unpack_bytes(const struct hw_format_info *info, const uint8_t *bytes, uint32_t count, union hw_texel *out)
{
    const struct tables *t = get_tables();
    uint32_t at[4];
    const float *table[4];
    for (uint32_t c = 0; c < 4; c++) {
        const struct hw_channel *channel = &info->channel[info->swizzle[c]];
        at[c] = channel->shift / 8;
        table[c] = channel->kind == HW_KIND_SRGB ? t->srgb : t->unorm;
    }
    for (uint32_t i = 0; i < count; i++, bytes += 4)
        for (uint32_t c = 0; c < 4; c++)
            out[i].f[c] = table[c][bytes[at[c]]];
}

/* The nearest code, ties to even; NaN becomes 0. */
static uint8_t unorm_code(float f)
{
    const double rounding_bias = 6755399441055744.0; /* 1.5 * 2^52: a sum with it is rounded to an integer */
    if (!(f > 0))
        return 0;
    if (f >= 1)
        return 255;
    double sum = (double)f * 255 + rounding_bias;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return (uint8_t)bits;
}

static uint8_t srgb_code_by_table(const struct tables *t, float f)
{
    if (!(f > 0))
        return 0;
    if (f >= 1)
        return 255;
    uint32_t code = t->guess[(uint32_t)(f * GUESSES)];
    while (code < 255 && f >= t->first[code + 1])
        code++;
    return (uint8_t)code;
}

static void pack_bytes(const struct hw_format_info *info, const union hw_texel *texels, uint32_t count, uint8_t *bytes)
{
    const struct tables *t = get_tables();
    for (uint32_t c = 0; c < 4; c++) {
        const struct hw_channel *channel = &info->channel[info->swizzle[c]];
        uint8_t *out = bytes + channel->shift / 8;
        if (channel->kind == HW_KIND_SRGB)
            for (uint32_t i = 0; i < count; i++)
                out[(size_t)4 * i] = srgb_code_by_table(t, texels[i].f[c]);
        else
            for (uint32_t i = 0; i < count; i++)
                out[(size_t)4 * i] = unorm_code(texels[i].f[c]);
    }
}

/* ---------------------------------------------------------------- half floats */

/* Rounds to nearest even. Normal halves are rounded by integer arithmetic, denormal ones by adding 0.5f, whose ulp is
 * the spacing of denormal halves (2^-24). */
static uint16_t to_half(float f)
{
    const uint32_t bits = util_fui(f), abs = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    if (abs >= 0x477ff000u) /* too large, infinite or NaN */
        return hw_float_to_half(f);
    if (abs < 0x38800000u)
        return (uint16_t)(sign | (util_fui(util_uif(abs) + 0.5f) - util_fui(0.5f)));
    return (uint16_t)(sign | (abs - 0x38000000u + 0xfffu + (abs >> 13 & 1)) >> 13);
}

static float from_half(uint16_t h)
{
    const uint32_t abs = h & 0x7fffu, sign = (uint32_t)(h & 0x8000u) << 16;
    if (abs >= 0x7c00u)
        return hw_half_to_float(h);
    const float f = abs < 0x0400u ? (float)abs * 0x1p-24f : util_uif((abs << 13) + 0x38000000u);
    return util_uif(util_fui(f) | sign);
}

/* ---------------------------------------------------------------- any format */

void hw_format_unpack_row(enum hw_format format, const void *blocks, uint32_t count, union hw_texel *out)
{
    const struct hw_format_info *info = hw_format_info(format);
    const uint8_t *at = blocks;
    uint16_t halfs[4];
    if (has_bytes(info)) {
        unpack_bytes(info, at, count, out);
    } else if (format == HW_FORMAT_R16G16B16A16_FLOAT) {
        for (uint32_t i = 0; i < count; i++, at += sizeof halfs) {
            memcpy(halfs, at, sizeof halfs);
            for (uint32_t c = 0; c < 4; c++)
                out[i].f[c] = from_half(halfs[c]);
        }
    } else if (format == HW_FORMAT_R32G32B32A32_FLOAT) {
        memcpy(out, at, count * sizeof *out);
    } else {
        for (uint32_t i = 0; i < count; i++)
            hw_format_unpack(format, at + (size_t)i * info->block_B, &out[i]);
    }
}

void hw_format_pack_row(enum hw_format format, const union hw_texel *texels, uint32_t count, void *blocks)
{
    const struct hw_format_info *info = hw_format_info(format);
    uint8_t *at = blocks;
    uint16_t halfs[4];
    if (has_bytes(info)) {
        pack_bytes(info, texels, count, at);
    } else if (format == HW_FORMAT_R16G16B16A16_FLOAT) {
        for (uint32_t i = 0; i < count; i++, at += sizeof halfs) {
            for (uint32_t c = 0; c < 4; c++)
                halfs[c] = to_half(texels[i].f[c]);
            memcpy(at, halfs, sizeof halfs);
        }
    } else if (format == HW_FORMAT_R32G32B32A32_FLOAT) {
        memcpy(at, texels, count * sizeof *texels);
    } else {
        for (uint32_t i = 0; i < count; i++)
            hw_format_pack(format, &texels[i], at + (size_t)i * info->block_B);
    }
}
