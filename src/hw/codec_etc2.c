/* SPDX-License-Identifier: MIT
 *
 * Decodes ETC2 and EAC [Khronos Data Format Specification, "ETC2 Compressed Texture Image Formats"]. A block is a
 * big-endian number of 64 bits; its texels are numbered down the columns. A colour block has one of five modes. When
 * the second base colour of a differential block overflows, the first channel that does selects one of the three modes
 * that ETC2 added: red T, green H, blue planar.
 */
#include "hw/codec_internal.h"

#define TRANSPARENT_INDEX 2u

static const uint8_t etc_modifiers[8][2] = {
    {2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183},
};
static const uint8_t th_distances[8] = {3, 6, 11, 16, 23, 32, 41, 64};
/* Magnitudes of the negative modifiers, indices 0 to 3. Indices 4 to 7 are positive, with magnitudes one less. */
static const uint8_t eac_modifiers[16][4] = {
    {3, 6, 9, 15}, {3, 7, 10, 13}, {2, 5, 8, 13}, {2, 4, 6, 13}, {3, 6, 8, 12}, {3, 7, 9, 11},
    {4, 7, 8, 11}, {3, 5, 8, 11},  {2, 6, 8, 10}, {2, 5, 8, 10}, {2, 4, 8, 10}, {2, 5, 7, 10},
    {3, 4, 7, 10}, {1, 2, 3, 10},  {4, 6, 8, 9},  {3, 5, 7, 9},
};

struct color {
    int c[3];
};

struct block {
    uint32_t high, low; /* high: colours and modes; low: two planes of index bits */
    bool is_opaque;     /* false: index 2 means transparent */
};

/* A field of the block's high half; `at` is its lowest bit. */
static uint32_t field(const struct block *b, unsigned at, unsigned bits)
{
    return b->high >> at & ((1u << bits) - 1);
}

static unsigned index_of(const struct block *b, unsigned x, unsigned y)
{
    unsigned i = x * 4 + y;
    return (b->low >> (16 + i) & 1) << 1 | (b->low >> i & 1);
}

static void put_color(uint8_t *rgba, const struct color *base, int delta)
{
    for (unsigned k = 0; k < 3; k++)
        rgba[k] = (uint8_t)hw_codec_clamp(base->c[k] + delta, 0, 255);
    rgba[3] = 255;
}

static void put_transparent(uint8_t *rgba)
{
    rgba[0] = rgba[1] = rgba[2] = rgba[3] = 0;
}

/* ---------------------------------------------------------------- the two modes of ETC1 */

static void decode_halves(const struct block *b, const struct color base[2], uint8_t (*rgba)[4])
{
    const bool is_flipped = field(b, 0, 1); /* the halves are above each other, not side by side */
    for (unsigned y = 0; y < 4; y++) {
        for (unsigned x = 0; x < 4; x++) {
            const unsigned half = (is_flipped ? y : x) / 2, index = index_of(b, x, y);
            const uint8_t *row = etc_modifiers[field(b, half ? 2 : 5, 3)];
            int delta = index & 1 ? row[1] : b->is_opaque ? row[0] : 0;
            if (!b->is_opaque && index == TRANSPARENT_INDEX)
                put_transparent(rgba[y * 4 + x]);
            else
                put_color(rgba[y * 4 + x], &base[half], index & 2 ? -delta : delta);
        }
    }
}

static void decode_individual(const struct block *b, uint8_t (*rgba)[4])
{
    struct color base[2];
    for (unsigned k = 0; k < 3; k++) {
        base[0].c[k] = hw_codec_to_8(field(b, 28 - 8 * k, 4), 4);
        base[1].c[k] = hw_codec_to_8(field(b, 24 - 8 * k, 4), 4);
    }
    decode_halves(b, base, rgba);
}

/* ---------------------------------------------------------------- T, H and planar */

static void decode_palette(const struct block *b, const struct color *const base[4], const int delta[4],
                           uint8_t (*rgba)[4])
{
    for (unsigned y = 0; y < 4; y++) {
        for (unsigned x = 0; x < 4; x++) {
            const unsigned index = index_of(b, x, y);
            if (!b->is_opaque && index == TRANSPARENT_INDEX)
                put_transparent(rgba[y * 4 + x]);
            else
                put_color(rgba[y * 4 + x], base[index], delta[index]);
        }
    }
}

static struct color color_of_444(uint32_t r, uint32_t g, uint32_t b)
{
    return (struct color){{hw_codec_to_8(r, 4), hw_codec_to_8(g, 4), hw_codec_to_8(b, 4)}};
}

static void decode_t(const struct block *b, uint8_t (*rgba)[4])
{
    const struct color first = color_of_444(field(b, 27, 2) << 2 | field(b, 24, 2), field(b, 20, 4), field(b, 16, 4));
    const struct color second = color_of_444(field(b, 12, 4), field(b, 8, 4), field(b, 4, 4));
    const int d = th_distances[field(b, 2, 2) << 1 | field(b, 0, 1)];
    decode_palette(b, (const struct color *const[4]){&first, &second, &second, &second}, (const int[4]){0, d, 0, -d},
                   rgba);
}

static void decode_h(const struct block *b, uint8_t (*rgba)[4])
{
    const uint32_t rgb[2] = {
        field(b, 27, 4) << 8 | field(b, 24, 3) << 5 | field(b, 20, 1) << 4 | field(b, 19, 1) << 3 | field(b, 15, 3),
        field(b, 11, 4) << 8 | field(b, 7, 4) << 4 | field(b, 3, 4),
    };
    struct color base[2];
    for (unsigned i = 0; i < 2; i++)
        base[i] = color_of_444(rgb[i] >> 8, rgb[i] >> 4 & 15, rgb[i] & 15);
    /* The order of the two colours encodes the lowest bit of the distance's index. */
    const int d = th_distances[field(b, 2, 1) << 2 | field(b, 0, 1) << 1 | (rgb[0] >= rgb[1])];
    decode_palette(b, (const struct color *const[4]){&base[0], &base[0], &base[1], &base[1]},
                   (const int[4]){d, -d, d, -d}, rgba);
}

static void decode_planar(const struct block *b, uint8_t (*rgba)[4])
{
    const uint32_t l = b->low;
    const int origin[3] = {
        hw_codec_to_8(field(b, 25, 6), 6),
        hw_codec_to_8(field(b, 24, 1) << 6 | field(b, 17, 6), 7),
        hw_codec_to_8(field(b, 16, 1) << 5 | field(b, 11, 2) << 3 | field(b, 7, 3), 6),
    };
    const int right[3] = {
        hw_codec_to_8(field(b, 2, 5) << 1 | field(b, 0, 1), 6),
        hw_codec_to_8(l >> 25, 7),
        hw_codec_to_8(l >> 19 & 63, 6),
    };
    const int below[3] = {
        hw_codec_to_8(l >> 13 & 63, 6),
        hw_codec_to_8(l >> 6 & 127, 7),
        hw_codec_to_8(l & 63, 6),
    };
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 4; x++) {
            uint8_t *out = rgba[y * 4 + x];
            for (unsigned k = 0; k < 3; k++) {
                int sum = x * (right[k] - origin[k]) + y * (below[k] - origin[k]) + 4 * origin[k] + 2;
                out[k] = (uint8_t)hw_codec_clamp(sum >> 2, 0, 255);
            }
            out[3] = 255;
        }
    }
}

/* ---------------------------------------------------------------- colour blocks */

static void decode_differential(struct block *b, uint8_t (*rgba)[4])
{
    static void (*const modes[3])(const struct block *, uint8_t(*)[4]) = {decode_t, decode_h, decode_planar};
    struct color base[2];
    for (unsigned k = 0; k < 3; k++) {
        int first = (int)field(b, 27 - 8 * k, 5), difference = (int)field(b, 24 - 8 * k, 3);
        int second = first + (difference >= 4 ? difference - 8 : difference);
        if (second < 0 || second > 31) {
            modes[k](b, rgba);
            return;
        }
        base[0].c[k] = hw_codec_to_8((uint32_t)first, 5);
        base[1].c[k] = hw_codec_to_8((uint32_t)second, 5);
    }
    decode_halves(b, base, rgba);
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void hw_etc2_rgb(const uint8_t block[8], bool punch_through, uint8_t (*rgba)[4])
{
    struct block b = {big_endian(block), big_endian(block + 4), true};
    const bool bit = field(&b, 1, 1);
    if (punch_through)
        b.is_opaque = bit;
    if (punch_through || bit)
        decode_differential(&b, rgba);
    else
        decode_individual(&b, rgba);
}

/* ---------------------------------------------------------------- EAC */

struct eac {
    int base, multiplier;
    const uint8_t *modifiers;
    uint64_t indices;
};

static struct eac eac_open(const uint8_t block[8])
{
    struct eac e = {block[0], block[1] >> 4, eac_modifiers[block[1] & 15], 0};
    for (unsigned i = 2; i < 8; i++)
        e.indices = e.indices << 8 | block[i];
    return e;
}

static int eac_modifier(const struct eac *e, unsigned x, unsigned y)
{
    unsigned index = (unsigned)(e->indices >> (45 - 3 * (x * 4 + y))) & 7;
    return index < 4 ? -e->modifiers[index] : e->modifiers[index - 4] - 1;
}

void hw_eac_alpha(const uint8_t block[8], uint8_t (*rgba)[4])
{
    const struct eac e = eac_open(block);
    for (unsigned y = 0; y < 4; y++)
        for (unsigned x = 0; x < 4; x++)
            rgba[y * 4 + x][3] = (uint8_t)hw_codec_clamp(e.base + eac_modifier(&e, x, y) * e.multiplier, 0, 255);
}

/* value * to / from, rounded to nearest. */
static uint16_t scale(int value, int from, int to)
{
    int rounded = (2 * (value < 0 ? -value : value) * to + from) / (2 * from);
    return (uint16_t)(value < 0 ? -rounded : rounded);
}

void hw_eac_11(const uint8_t block[8], bool is_signed, uint16_t *out, unsigned stride)
{
    struct eac e = eac_open(block);
    const int step = e.multiplier ? e.multiplier * 8 : 1;
    if (is_signed)
        e.base = MAX2((int8_t)block[0], -127) * 8;
    else
        e.base = e.base * 8 + 4;
    for (unsigned y = 0; y < 4; y++) {
        for (unsigned x = 0; x < 4; x++) {
            int value = e.base + eac_modifier(&e, x, y) * step;
            out[(y * 4 + x) * stride] = is_signed ? scale(hw_codec_clamp(value, -1023, 1023), 1023, 32767)
                                                  : scale(hw_codec_clamp(value, 0, 2047), 2047, 65535);
        }
    }
}
