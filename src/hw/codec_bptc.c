/* SPDX-License-Identifier: MIT
 *
 * Decodes BC6H and BC7 [Khronos Data Format Specification, "BPTC Compressed Texture Image Formats"]. A block has 128
 * bits. Its texels are partitioned into up to three subsets, each with its own two end points.
 */
#include <string.h>
#include "hw/codec_internal.h"
#include "util/macros.h"

/* ---------------------------------------------------------------- subsets */

/* Bit i is the subset of texel i. */
static const uint16_t shapes_of_two[64] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8,
    0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110,
    0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696,
    0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720,
    0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
};
/* Bits 2i + 1 and 2i are the subset of texel i. */
static const uint32_t shapes_of_three[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
};
/* The anchors of the second and third subset. The first subset's anchor is always texel 0. */
static const uint8_t anchors_of_two[64] = {
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2,  8, 2,  2, 8,
    8,  15, 2,  8,  2,  2,  8,  8,  2,  2,  15, 15, 6,  8,  2,  8,  15, 15, 2, 8,  2, 2,
    2,  15, 15, 6,  6,  2,  6,  8,  15, 15, 2,  2,  15, 15, 15, 15, 15, 2,  2, 15,
};
static const uint8_t anchors_of_three[64][2] = {
    {3, 15},  {3, 8},  {15, 8},  {15, 3}, {8, 15},  {3, 15}, {15, 3},  {15, 8}, {8, 15},  {8, 15}, {6, 15},
    {6, 15},  {6, 15}, {5, 15},  {3, 15}, {3, 8},   {3, 15}, {3, 8},   {8, 15}, {15, 3},  {3, 15}, {3, 8},
    {6, 15},  {10, 8}, {5, 3},   {8, 15}, {8, 6},   {6, 10}, {8, 15},  {5, 15}, {15, 10}, {15, 8}, {8, 15},
    {15, 3},  {3, 15}, {5, 10},  {6, 10}, {10, 8},  {8, 9},  {15, 10}, {15, 6}, {3, 15},  {15, 8}, {5, 15},
    {15, 3},  {15, 6}, {15, 6},  {15, 8}, {3, 15},  {15, 3}, {5, 15},  {5, 15}, {5, 15},  {8, 15}, {5, 15},
    {10, 15}, {5, 15}, {10, 15}, {8, 15}, {13, 15}, {15, 3}, {12, 15}, {3, 15}, {3, 8},
};

unsigned hw_bptc_subset(unsigned subsets, unsigned shape, unsigned i)
{
    if (subsets == 2)
        return shapes_of_two[shape] >> i & 1;
    return subsets == 3 ? shapes_of_three[shape] >> 2 * i & 3 : 0;
}

bool hw_bptc_is_anchor(unsigned subsets, unsigned shape, unsigned i)
{
    if (i == 0)
        return true;
    if (subsets == 2)
        return i == anchors_of_two[shape];
    return subsets == 3 && (i == anchors_of_three[shape][0] || i == anchors_of_three[shape][1]);
}

int hw_bptc_lerp(int a, int b, unsigned index, unsigned index_bits)
{
    static const uint8_t weights[3][16] = {
        {0, 21, 43, 64},
        {0, 9, 18, 27, 37, 46, 55, 64},
        {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
    };
    const int w = weights[index_bits - 2][index];
    return (a * (64 - w) + b * w + 32) >> 6;
}

/* ---------------------------------------------------------------- BC7 */

struct bc7_mode {
    uint8_t subsets, shape_bits, rotation_bits, has_index_choice, color_bits, alpha_bits, own_p_bits, shared_p_bits,
        index_bits, index2_bits;
};

static const struct bc7_mode bc7_modes[8] = {
    {3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
    {2, 6, 0, 0, 7, 0, 1, 0, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
    {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
};

/* Reads the end points: ends[subset][which][channel], expanded to 8 bits. */
static void bc7_ends(const struct bc7_mode *m, struct hw_bits *s, uint8_t ends[3][2][4])
{
    uint32_t raw[3][2][4];
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < m->subsets; i++)
            for (unsigned e = 0; e < 2; e++)
                raw[i][e][k] = hw_bits_take(s, k < 3 ? m->color_bits : m->alpha_bits);
    const bool has_p = m->own_p_bits || m->shared_p_bits;
    for (unsigned i = 0; i < m->subsets; i++) {
        uint32_t p = 0;
        for (unsigned e = 0; e < 2; e++) {
            if (has_p && (e == 0 || m->own_p_bits))
                p = hw_bits_take(s, 1);
            for (unsigned k = 0; k < 4; k++) {
                const unsigned bits = (k < 3 ? m->color_bits : m->alpha_bits) + has_p;
                const uint32_t value = has_p ? raw[i][e][k] << 1 | p : raw[i][e][k];
                ends[i][e][k] = k == 3 && !m->alpha_bits ? 255 : hw_codec_to_8(value, bits);
            }
        }
    }
}

static void bc7_indices(struct hw_bits *s, const struct bc7_mode *m, unsigned shape, unsigned bits, uint8_t out[16])
{
    for (unsigned i = 0; i < HW_CODEC_TEXELS; i++)
        out[i] = (uint8_t)hw_bits_take(s, bits - hw_bptc_is_anchor(m->subsets, shape, i));
}

void hw_bc7(const uint8_t block[16], uint8_t (*rgba)[4])
{
    struct hw_bits s = {block, 0};
    unsigned mode = 0;
    while (mode < 8 && !hw_bits_take(&s, 1))
        mode++;
    if (mode == 8) { /* reserved: all zero */
        memset(rgba, 0, HW_CODEC_TEXELS * 4);
        return;
    }
    const struct bc7_mode *m = &bc7_modes[mode];
    const unsigned shape = hw_bits_take(&s, m->shape_bits), rotation = hw_bits_take(&s, m->rotation_bits);
    const bool swaps_indices = hw_bits_take(&s, m->has_index_choice);
    uint8_t ends[3][2][4], index[2][16];
    bc7_ends(m, &s, ends);
    bc7_indices(&s, m, shape, m->index_bits, index[0]);
    if (m->index2_bits)
        bc7_indices(&s, m, shape, m->index2_bits, index[1]);
    for (unsigned i = 0; i < HW_CODEC_TEXELS; i++) {
        const unsigned subset = hw_bptc_subset(m->subsets, shape, i);
        for (unsigned k = 0; k < 4; k++) {
            const bool second = m->index2_bits && (k == 3) != swaps_indices;
            rgba[i][k] = (uint8_t)hw_bptc_lerp(ends[subset][0][k], ends[subset][1][k], index[second][i],
                                               second ? m->index2_bits : m->index_bits);
        }
        if (rotation) {
            const uint8_t alpha = rgba[i][3];
            rgba[i][3] = rgba[i][rotation - 1];
            rgba[i][rotation - 1] = alpha;
        }
    }
}

/* ---------------------------------------------------------------- BC6H */

struct bc6h_mode {
    uint8_t subsets, is_delta, end_bits, delta_bits[3];
    /* The layout of the bits after the mode bits, lowest first. "r0:0-9" means bits 0 to 9, in this order, of the red
     * channel of end point 0; end points are numbered 0 to 3, bits are hexadecimal digits and may count down. */
    const char *fields;
};

static const struct bc6h_mode bc6h_modes[32] = {
    [0x00] = {2,
              1,
              10,
              {5, 5, 5},
              "g2:4 b2:4 b3:4 r0:0-9 g0:0-9 b0:0-9 r1:0-4 g3:4 g2:0-3 g1:0-4 b3:0 g3:0-3 b1:0-4 b3:1 b2:0-3 r2:0-4 "
              "b3:2 r3:0-4 b3:3"},
    [0x01] = {2,
              1,
              7,
              {6, 6, 6},
              "g2:5 g3:4 g3:5 r0:0-6 b3:0 b3:1 b2:4 g0:0-6 b2:5 b3:2 g2:4 b0:0-6 b3:3 b3:5 b3:4 r1:0-5 g2:0-3 g1:0-5 "
              "g3:0-3 b1:0-5 b2:0-3 r2:0-5 r3:0-5"},
    [0x02] = {2,
              1,
              11,
              {5, 4, 4},
              "r0:0-9 g0:0-9 b0:0-9 r1:0-4 r0:a g2:0-3 g1:0-3 g0:a b3:0 g3:0-3 b1:0-3 b0:a b3:1 b2:0-3 r2:0-4 b3:2 "
              "r3:0-4 b3:3"},
    [0x06] = {2,
              1,
              11,
              {4, 5, 4},
              "r0:0-9 g0:0-9 b0:0-9 r1:0-3 r0:a g3:4 g2:0-3 g1:0-4 g0:a g3:0-3 b1:0-3 b0:a b3:1 b2:0-3 r2:0-3 b3:0 "
              "b3:2 r3:0-3 g2:4 b3:3"},
    [0x0a] = {2,
              1,
              11,
              {4, 4, 5},
              "r0:0-9 g0:0-9 b0:0-9 r1:0-3 r0:a b2:4 g2:0-3 g1:0-3 g0:a b3:0 g3:0-3 b1:0-4 b0:a b2:0-3 r2:0-3 b3:1 "
              "b3:2 r3:0-3 b3:4 b3:3"},
    [0x0e] = {2,
              1,
              9,
              {5, 5, 5},
              "r0:0-8 b2:4 g0:0-8 g2:4 b0:0-8 b3:4 r1:0-4 g3:4 g2:0-3 g1:0-4 b3:0 g3:0-3 b1:0-4 b3:1 b2:0-3 r2:0-4 "
              "b3:2 r3:0-4 b3:3"},
    [0x12] = {2,
              1,
              8,
              {6, 5, 5},
              "r0:0-7 g3:4 b2:4 g0:0-7 b3:2 g2:4 b0:0-7 b3:3 b3:4 r1:0-5 g2:0-3 g1:0-4 b3:0 g3:0-3 b1:0-4 b3:1 b2:0-3 "
              "r2:0-5 r3:0-5"},
    [0x16] = {2,
              1,
              8,
              {5, 6, 5},
              "r0:0-7 b3:0 b2:4 g0:0-7 g2:5 g2:4 b0:0-7 g3:5 b3:4 r1:0-4 g3:4 g2:0-3 g1:0-5 g3:0-3 b1:0-4 b3:1 b2:0-3 "
              "r2:0-4 b3:2 r3:0-4 b3:3"},
    [0x1a] = {2,
              1,
              8,
              {5, 5, 6},
              "r0:0-7 b3:1 b2:4 g0:0-7 b2:5 g2:4 b0:0-7 b3:5 b3:4 r1:0-4 g3:4 g2:0-3 g1:0-4 b3:0 g3:0-3 b1:0-5 b2:0-3 "
              "r2:0-4 b3:2 r3:0-4 b3:3"},
    [0x1e] = {2,
              0,
              6,
              {6, 6, 6},
              "r0:0-5 g3:4 b3:0 b3:1 b2:4 g0:0-5 g2:5 b2:5 b3:2 g2:4 b0:0-5 g3:5 b3:3 b3:5 b3:4 r1:0-5 g2:0-3 g1:0-5 "
              "g3:0-3 b1:0-5 b2:0-3 r2:0-5 r3:0-5"},
    [0x03] = {1, 0, 10, {10, 10, 10}, "r0:0-9 g0:0-9 b0:0-9 r1:0-9 g1:0-9 b1:0-9"},
    [0x07] = {1, 1, 11, {9, 9, 9}, "r0:0-9 g0:0-9 b0:0-9 r1:0-8 r0:a g1:0-8 g0:a b1:0-8 b0:a"},
    [0x0b] = {1, 1, 12, {8, 8, 8}, "r0:0-9 g0:0-9 b0:0-9 r1:0-7 r0:b-a g1:0-7 g0:b-a b1:0-7 b0:b-a"},
    [0x0f] = {1, 1, 16, {4, 4, 4}, "r0:0-9 g0:0-9 b0:0-9 r1:0-3 r0:f-a g1:0-3 g0:f-a b1:0-3 b0:f-a"},
};

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Reads the end points as stored, before sign extension and deltas: ends[0..3][channel]. */
static void bc6h_fields(const char *f, struct hw_bits *s, int ends[4][3])
{
    memset(ends, 0, 4 * sizeof ends[0]);
    while (*f) {
        const int channel = *f == 'r' ? 0 : *f == 'g' ? 1 : 2, which = f[1] - '0', first = digit(f[3]);
        int last = first;
        f += 4;
        if (*f == '-') {
            last = digit(f[1]);
            f += 2;
        }
        for (int bit = first;; bit += last > first ? 1 : -1) {
            ends[which][channel] |= (int)hw_bits_take(s, 1) << bit;
            if (bit == last)
                break;
        }
        f += *f == ' ';
    }
}

static int sign_extend(int value, unsigned bits)
{
    const int sign = 1 << (bits - 1);
    return (value ^ sign) - sign;
}

static int unquantize(int x, unsigned bits, bool is_signed)
{
    if (!is_signed) {
        if (bits >= 15 || x == 0)
            return x;
        return x == (1 << bits) - 1 ? 0xffff : ((x << 16) + 0x8000) >> bits;
    }
    if (bits >= 16 || x == 0)
        return x;
    const int magnitude = x < 0 ? -x : x;
    const int scaled = magnitude >= (1 << (bits - 1)) - 1 ? 0x7fff : ((magnitude << 15) + 0x4000) >> (bits - 1);
    return x < 0 ? -scaled : scaled;
}

/* Scales an interpolated value and returns the bits of a half float. */
static uint16_t finish_unquantize(int x, bool is_signed)
{
    if (!is_signed)
        return (uint16_t)(x * 31 >> 6);
    return (uint16_t)(x < 0 ? 0x8000 | (-x * 31 >> 5) : x * 31 >> 5);
}

static void bc6h_ends(const struct bc6h_mode *m, struct hw_bits *s, bool is_signed, int ends[4][3])
{
    bc6h_fields(m->fields, s, ends);
    for (unsigned k = 0; k < 3; k++) {
        if (is_signed)
            ends[0][k] = sign_extend(ends[0][k], m->end_bits);
        for (unsigned i = 1; i < 2u * m->subsets; i++) {
            if (m->is_delta || is_signed)
                ends[i][k] = sign_extend(ends[i][k], m->delta_bits[k]);
            if (m->is_delta) {
                ends[i][k] = (ends[0][k] + ends[i][k]) & ((1 << m->end_bits) - 1);
                if (is_signed)
                    ends[i][k] = sign_extend(ends[i][k], m->end_bits);
            }
        }
        for (unsigned i = 0; i < 2u * m->subsets; i++)
            ends[i][k] = unquantize(ends[i][k], m->end_bits, is_signed);
    }
}

void hw_bc6h(const uint8_t block[16], bool is_signed, uint16_t (*rgba)[4])
{
    static const uint16_t one = 0x3c00;
    struct hw_bits s = {block, 0};
    unsigned number = hw_bits_take(&s, 2);
    if (number >= 2)
        number |= hw_bits_take(&s, 3) << 2;
    const struct bc6h_mode *m = &bc6h_modes[number];
    int ends[4][3];
    if (m->subsets)
        bc6h_ends(m, &s, is_signed, ends);
    const unsigned shape = m->subsets == 2 ? hw_bits_take(&s, 5) : 0;
    const unsigned index_bits = m->subsets == 2 ? 3 : 4;
    for (unsigned i = 0; i < HW_CODEC_TEXELS; i++) {
        memset(rgba[i], 0, sizeof rgba[i]);
        rgba[i][3] = one;
        if (!m->subsets) /* reserved */
            continue;
        const unsigned index = hw_bits_take(&s, index_bits - hw_bptc_is_anchor(m->subsets, shape, i));
        const int(*e)[3] = (const int(*)[3])ends + 2 * (size_t)hw_bptc_subset(m->subsets, shape, i);
        for (unsigned k = 0; k < 3; k++)
            rgba[i][k] = finish_unquantize(hw_bptc_lerp(e[0][k], e[1][k], index, index_bits), is_signed);
    }
}
