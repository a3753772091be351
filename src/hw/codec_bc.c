/* SPDX-License-Identifier: MIT
 *
 * Decodes BC1 to BC5 [Khronos Data Format Specification, "S3TC" and "RGTC Compressed Texture Image Formats"]. A block
 * is little-endian and holds two end points and one index per texel.
 */
#include "hw/codec_internal.h"

static uint32_t little_endian(const uint8_t *bytes, unsigned count)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

void hw_bc1(const uint8_t block[8], enum hw_bc1_alpha alpha, uint8_t (*rgba)[4])
{
    const uint32_t ends[2] = {little_endian(block, 2), little_endian(block + 2, 2)};
    const uint32_t indices = little_endian(block + 4, 4);
    const bool has_four = ends[0] > ends[1] || alpha == HW_BC1_FOUR_ONLY;
    uint8_t palette[4][4];
    for (unsigned i = 0; i < 2; i++) {
        palette[i][0] = hw_codec_to_8(ends[i] >> 11, 5);
        palette[i][1] = hw_codec_to_8(ends[i] >> 5 & 63, 6);
        palette[i][2] = hw_codec_to_8(ends[i] & 31, 5);
    }
    for (unsigned k = 0; k < 3; k++) {
        const unsigned a = palette[0][k], b = palette[1][k];
        palette[2][k] = (uint8_t)(has_four ? (2 * a + b + 1) / 3 : (a + b + 1) / 2);
        palette[3][k] = (uint8_t)(has_four ? (a + 2 * b + 1) / 3 : 0);
    }
    for (unsigned i = 0; i < 4; i++)
        palette[i][3] = i == 3 && !has_four && alpha == HW_BC1_ALPHA ? 0 : 255;
    for (unsigned i = 0; i < HW_CODEC_TEXELS; i++)
        for (unsigned k = 0; k < 4; k++)
            rgba[i][k] = palette[indices >> 2 * i & 3][k];
}

void hw_bc2_alpha(const uint8_t block[8], uint8_t (*rgba)[4])
{
    for (unsigned i = 0; i < HW_CODEC_TEXELS; i++)
        rgba[i][3] = hw_codec_to_8(block[i / 2] >> i % 2 * 4 & 15, 4);
}

/* ---------------------------------------------------------------- single channels */

/* The eight values that a block can select, as fractions: interpolated between the two end points in sevenths or in
 * fifths. With fifths, the last two values are the ends of the range. */
struct ramp {
    int numerator[8], denominator[8];
};

static struct ramp ramp_between(int a, int b, int low, int high)
{
    struct ramp r;
    const int steps = a > b ? 7 : 5;
    for (int i = 0; i < 8; i++) {
        r.denominator[i] = steps;
        r.numerator[i] = i == 0 ? a * steps : i == 1 ? b * steps : (steps + 1 - i) * a + (i - 1) * b;
    }
    if (steps == 5) {
        r.numerator[6] = low * 5;
        r.numerator[7] = high * 5;
    }
    return r;
}

static unsigned index_of(const uint8_t block[8], unsigned i)
{
    struct hw_bits s = {block + 2, 3 * i};
    return hw_bits_take(&s, 3);
}

void hw_bc3_alpha(const uint8_t block[8], uint8_t (*rgba)[4])
{
    const struct ramp r = ramp_between(block[0], block[1], 0, 255);
    for (unsigned i = 0; i < HW_CODEC_TEXELS; i++) {
        const unsigned index = index_of(block, i);
        rgba[i][3] = (uint8_t)((2 * r.numerator[index] + r.denominator[index]) / (2 * r.denominator[index]));
    }
}

void hw_bc4(const uint8_t block[8], bool is_signed, uint16_t *out, unsigned stride)
{
    const int from = is_signed ? 127 : 255, to = is_signed ? 32767 : 65535;
    int ends[2] = {block[0], block[1]};
    /* -128 counts as -127, also where the order of the end points selects sevenths or fifths. */
    for (unsigned i = 0; i < 2 && is_signed; i++)
        ends[i] = MAX2((int8_t)block[i], -127);
    const struct ramp r = ramp_between(ends[0], ends[1], is_signed ? -127 : 0, from);
    for (unsigned i = 0; i < HW_CODEC_TEXELS; i++) {
        const unsigned index = index_of(block, i);
        const int n = r.numerator[index], whole = r.denominator[index] * from;
        const int rounded = (2 * (n < 0 ? -n : n) * to + whole) / (2 * whole);
        out[i * stride] = (uint16_t)(n < 0 ? -rounded : rounded);
    }
}
