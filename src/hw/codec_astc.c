/* SPDX-License-Identifier: MIT
 *
 * Decodes ASTC, low dynamic range, two-dimensional blocks of 4 x 4 to 12 x 12 texels [Khronos Data Format
 * Specification, "ASTC Compressed Texture Image Formats"; KHR_texture_compression_astc_hdr, section C.2]. A block has
 * 128 bits: a mode and the end points' modes from bit 0 up, the end points' values above them, and a grid of weights
 * from bit 127 down. Values and weights are sequences of integers of a range that is a power of two, or three or five
 * times one.
 *
 * Any 128 bits decode: what the specification calls an illegal block, and the texels of end points of high dynamic
 * range, become opaque magenta. The extents of void-extent blocks are checked but not used.
 */
#include <string.h>
#include "hw/codec_internal.h"
#include "util/macros.h"

#define MAX_WEIGHTS    64u /* stored in a block, of both planes */
#define MAX_COLORS     18u /* values of end points stored in a block */
#define MAX_PARTITIONS 4u
#define MAX_GRID_W     12u
#define FULL_WEIGHT    64u

/* ---------------------------------------------------------------- bits */

/* 128 bits, read from the lowest one up. Zeros follow. */
struct stream {
    uint64_t low, high;
};

static uint64_t load_64(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static uint64_t reverse_64(uint64_t x)
{
    x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
    x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
    x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
    uint64_t reversed = 0;
    for (unsigned i = 0; i < 8; i++)
        reversed = reversed << 8 | (x >> 8 * i & 0xff);
    return reversed;
}

/* count < 64 */
static uint32_t take(struct stream *s, unsigned count)
{
    const uint32_t value = (uint32_t)(s->low & ((UINT64_C(1) << count) - 1));
    s->low = s->low >> count | s->high << 1 << (63 - count);
    s->high >>= count;
    return value;
}

/* at < 128, count <= 16 */
static uint32_t bits_at(struct stream s, unsigned at, unsigned count)
{
    for (; at >= 32; at -= 32)
        take(&s, 32);
    take(&s, at);
    return take(&s, count);
}

/* The stream of `count` bits (at most 127) that begins at bit `at`. */
static struct stream part_of(struct stream s, unsigned at, unsigned count)
{
    for (; at >= 32; at -= 32)
        take(&s, 32);
    take(&s, at);
    if (count < 64)
        return (struct stream){s.low & ((UINT64_C(1) << count) - 1), 0};
    return (struct stream){s.low, s.high & ((UINT64_C(1) << (count - 64)) - 1)};
}

/* ---------------------------------------------------------------- integer sequences */

/* The range of a sequence's integers: `base` << bits of them. An integer is a digit of that base above plain bits. */
struct range {
    uint8_t base; /* 1, 3 (trits) or 5 (quints) */
    uint8_t bits;
};

/* In ascending order. Weights have one of the first 12, end points one from LEAST_COLOR_RANGE on. */
static const struct range ranges[] = {
    {1, 1}, {3, 0}, {1, 2}, {5, 0}, {3, 1}, {1, 3}, {5, 1}, {3, 2}, {1, 4}, {5, 2}, {3, 3},
    {1, 5}, {5, 3}, {3, 4}, {1, 6}, {5, 4}, {3, 5}, {1, 7}, {5, 5}, {3, 6}, {1, 8},
};
#define LEAST_COLOR_RANGE 4u

/* Five trits share eight bits, three quints share seven. */
static unsigned sequence_bits(struct range r, unsigned count)
{
    const unsigned plain = count * r.bits;
    return r.base == 3 ? plain + (8 * count + 4) / 5 : r.base == 5 ? plain + (7 * count + 2) / 3 : plain;
}

static void unpack_trits(unsigned packed, uint8_t out[5])
{
    unsigned three = packed & 31; /* the bits of the first three */
    const unsigned top = packed >> 5;
    if ((packed >> 2 & 7) == 7) {
        three = top << 2 | (packed & 3);
        out[3] = out[4] = 2;
    } else if ((top & 3) == 3) {
        out[3] = (uint8_t)(top >> 2);
        out[4] = 2;
    } else {
        out[3] = top & 3;
        out[4] = (uint8_t)(top >> 2);
    }
    const unsigned low = three & 3, middle = three >> 2 & 3, high = three >> 4;
    if (low == 3) {
        out[0] = (uint8_t)MIN2(middle, 2u);
        out[1] = (uint8_t)high;
        out[2] = 2;
    } else {
        out[0] = (uint8_t)low;
        out[1] = (uint8_t)MIN2(middle, 2u);
        out[2] = middle == 3 ? 2 : (uint8_t)high;
    }
}

static void unpack_quints(unsigned packed, uint8_t out[5])
{
    const unsigned middle = packed >> 3 & 3, top = packed >> 5;
    unsigned two = packed & 31; /* the bits of the first two */
    if ((packed >> 1 & 3) == 3) {
        if (top == 0) {
            out[0] = out[1] = 4;
            out[2] = packed & 1 ? 4 : (uint8_t)middle;
            return;
        }
        two = middle << 3 | (~top & 3) << 1 | (packed & 1);
        out[2] = 4;
    } else {
        out[2] = (uint8_t)top;
    }
    const unsigned low = two & 7;
    out[0] = (uint8_t)(low == 5 ? two >> 3 : low);
    out[1] = (uint8_t)(low == 5 ? 4 : two >> 3);
}

/* Each integer's plain bits are followed by some of the bits that its group's digits share. A group that the sequence
 * ends in is continued with zeros. */
static void take_sequence(struct stream s, struct range r, unsigned count, uint8_t *out)
{
    static const uint8_t trit_bits[5] = {2, 2, 1, 2, 1}, quint_bits[3] = {3, 2, 2}, no_bits[1] = {0};
    const unsigned group = r.base == 3 ? 5 : r.base == 5 ? 3 : 1;
    const uint8_t *shared = r.base == 3 ? trit_bits : r.base == 5 ? quint_bits : no_bits;
    for (unsigned i = 0; i < count; i += group) {
        uint8_t plain[5], digits[5] = {0};
        unsigned packed = 0, at = 0;
        for (unsigned k = 0; k < group; k++) {
            plain[k] = (uint8_t)take(&s, r.bits);
            packed |= take(&s, shared[k]) << at;
            at += shared[k];
        }
        if (r.base == 3)
            unpack_trits(packed, digits);
        else if (r.base == 5)
            unpack_quints(packed, digits);
        for (unsigned k = 0; k < group && i + k < count; k++)
            out[i + k] = (uint8_t)(digits[k] << r.bits | plain[k]);
    }
}

/* ---------------------------------------------------------------- values of a range */

/* Repeats the bits of x from the top down. */
static unsigned replicate(unsigned x, unsigned from, unsigned to)
{
    unsigned value = x << (to - from);
    for (unsigned have = from; have < to; have *= 2)
        value |= value >> have;
    return value;
}

/* How a digit and the plain bits above the lowest one spread over a value's range: digit * step + bits * spread >>
 * shift. The lowest bit mirrors the result. */
struct spread {
    uint16_t step, spread;
    uint8_t shift;
};

static unsigned spread_value(const struct spread *s, struct range r, unsigned value, unsigned result_bits)
{
    const unsigned digit = value >> r.bits, plain = value & ((1u << r.bits) - 1);
    const unsigned mirrored = value & 1 ? (4u << (result_bits - 1)) - 1 : 0;
    const unsigned sum = (digit * s->step + ((plain >> 1) * s->spread >> s->shift)) ^ mirrored;
    return sum >> 2 | (value & 1) << (result_bits - 1);
}

static uint8_t color_of(struct range r, unsigned value)
{
    static const struct spread trits[7] = {{0},           {204, 0, 0},   {93, 0x116, 0}, {44, 0x85, 0},
                                           {22, 0x41, 0}, {11, 0x81, 2}, {5, 0x101, 4}};
    static const struct spread quints[6] = {{0},           {113, 0, 0},  {54, 0x10c, 0}, {26, 0x105, 1},
                                            {13, 0x81, 1}, {6, 0x101, 3}};
    if (r.base == 1)
        return (uint8_t)replicate(value, r.bits, 8);
    return (uint8_t)spread_value(r.base == 3 ? &trits[r.bits] : &quints[r.bits], r, value, 8);
}

/* 0 to FULL_WEIGHT */
static uint8_t weight_of(struct range r, unsigned value)
{
    static const struct spread trits[4] = {{0}, {50, 0, 0}, {23, 0x45, 0}, {11, 0x21, 0}};
    static const struct spread quints[3] = {{0}, {28, 0, 0}, {13, 0x42, 0}};
    static const uint8_t lone_trits[3] = {0, 32, 63}, lone_quints[5] = {0, 16, 32, 47, 63};
    unsigned weight;
    if (r.base == 1)
        weight = replicate(value, r.bits, 6);
    else if (r.bits == 0)
        weight = r.base == 3 ? lone_trits[value] : lone_quints[value];
    else
        weight = spread_value(r.base == 3 ? &trits[r.bits] : &quints[r.bits], r, value, 6);
    return (uint8_t)(weight > 32 ? weight + 1 : weight);
}

/* ---------------------------------------------------------------- the grid of weights */

struct grid {
    uint8_t w, h, planes;
    struct range range;
};

/* Reads the block mode. False: reserved. */
static bool read_mode(uint32_t mode, struct grid *grid)
{
    const unsigned a = mode >> 5 & 3, b = mode >> 7 & 3;
    bool is_precise = mode >> 9 & 1, is_dual = mode >> 10 & 1;
    unsigned range = mode >> 4 & 1, w, h;
    if (mode & 3) {
        range |= (mode & 3) << 1;
        switch (mode >> 2 & 3) {
        case 0:
            w = b + 4;
            h = a + 2;
            break;
        case 1:
            w = b + 8;
            h = a + 2;
            break;
        case 2:
            w = a + 2;
            h = b + 8;
            break;
        default:
            w = b & 2 ? (b & 1) + 2 : a + 2;
            h = b & 2 ? a + 2 : b + 6;
            break;
        }
    } else {
        range |= (mode >> 2 & 3) << 1;
        if (b == 0) {
            w = 12;
            h = a + 2;
        } else if (b == 1) {
            w = a + 2;
            h = 12;
        } else if (b == 2) {
            w = a + 6;
            h = (mode >> 9 & 3) + 6;
            is_precise = is_dual = false;
        } else if (a < 2) {
            w = a ? 10 : 6;
            h = a ? 6 : 10;
        } else {
            return false;
        }
    }
    if (range < 2)
        return false;
    *grid = (struct grid){(uint8_t)w, (uint8_t)h, is_dual ? 2 : 1, ranges[range - 2 + (is_precise ? 6 : 0)]};
    return true;
}

static unsigned grid_count(const struct grid *grid)
{
    return (unsigned)grid->w * grid->h * grid->planes;
}

/* The bits of the weights, or 0 if this is not a legal grid for blocks of this size. */
static unsigned grid_bits(const struct grid *grid, unsigned w, unsigned h)
{
    if (grid->w > w || grid->h > h || grid_count(grid) > MAX_WEIGHTS)
        return 0;
    const unsigned bits = sequence_bits(grid->range, grid_count(grid));
    return bits >= 24 && bits <= 96 ? bits : 0;
}

/* Weights by plane and place. Texels at the right and at the lower edge read, with a factor of 0, up to a row and one
 * place further. */
struct weights {
    uint8_t at[2][MAX_WEIGHTS + MAX_GRID_W + 1];
};

static void read_weights(struct stream block, const struct grid *grid, unsigned bits, struct weights *out)
{
    const struct stream reversed = {reverse_64(block.high), reverse_64(block.low)};
    const unsigned count = grid_count(grid);
    uint8_t values[MAX_WEIGHTS];
    take_sequence(part_of(reversed, 0, bits), grid->range, count, values);
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < count; i++)
        out->at[i % grid->planes][i / grid->planes] = weight_of(grid->range, values[i]);
}

/* The place of a texel along one axis of the grid, in sixteenths. */
static unsigned grid_place(unsigned texel, unsigned block_size, unsigned grid_size)
{
    const unsigned scale = (1024 + block_size / 2) / (block_size - 1);
    return (scale * texel * (grid_size - 1) + 32) >> 6;
}

/* Interpolates between the four places of the grid around (x, y), which are sixteenths. */
static unsigned weight_at(const uint8_t *weights, unsigned grid_w, unsigned x, unsigned y)
{
    const uint8_t *at = weights + (y >> 4) * grid_w + (x >> 4);
    const unsigned right = x & 15, down = y & 15, both = (right * down + 8) >> 4;
    return (at[0] * (16 - right - down + both) + at[1] * (right - both) + at[grid_w] * (down - both) +
            at[grid_w + 1] * both + 8) >>
           4;
}

/* ---------------------------------------------------------------- partitions */

static uint32_t hash(uint32_t x)
{
    x ^= x >> 15;
    x *= 0xeede0891u; /* the specification's shifts by 17, 7 and 4, multiplied out */
    x ^= x >> 5;
    x += x << 16;
    x ^= x >> 7;
    x ^= x >> 3;
    x ^= x << 6;
    x ^= x >> 17;
    return x;
}

/* A partition's texels are those where its plane, a linear function of the place modulo 64, is above the others'. */
struct planes {
    unsigned count, scale;
    uint8_t dx[MAX_PARTITIONS], dy[MAX_PARTITIONS], start[MAX_PARTITIONS];
};

static uint8_t slope(uint32_t random, unsigned at, unsigned shift)
{
    const unsigned nibble = random >> at & 15;
    return (uint8_t)(nibble * nibble >> shift);
}

static struct planes init_planes(unsigned index, unsigned count, bool is_small_block)
{
    static const uint8_t starts[MAX_PARTITIONS] = {14, 10, 6, 2};
    struct planes p = {.count = count, .scale = is_small_block ? 2 : 1};
    const uint32_t random = hash(index + (count - 1) * 1024);
    const unsigned by_index = index & 2 ? 4 : 5, by_count = count == 3 ? 6 : 5;
    const unsigned shift_x = index & 1 ? by_index : by_count, shift_y = index & 1 ? by_count : by_index;
    for (unsigned i = 0; i < count; i++) {
        p.dx[i] = slope(random, 8 * i, shift_x);
        p.dy[i] = slope(random, 8 * i + 4, shift_y);
        p.start[i] = random >> starts[i] & 63;
    }
    return p;
}

static unsigned partition_at(const struct planes *p, unsigned x, unsigned y)
{
    unsigned best = 0, highest = 0;
    for (unsigned i = 0; i < p->count; i++) {
        const unsigned height = (p->dx[i] * x * p->scale + p->dy[i] * y * p->scale + p->start[i]) & 63;
        if (i == 0 || height > highest) {
            best = i;
            highest = height;
        }
    }
    return best;
}

/* ---------------------------------------------------------------- end points */

enum ends_mode { /* all others are of high dynamic range */
                 LUMINANCE = 0,
                 LUMINANCE_DELTA = 1,
                 LUMINANCE_ALPHA = 4,
                 LUMINANCE_ALPHA_DELTA = 5,
                 RGB_SCALE = 6,
                 RGB = 8,
                 RGB_DELTA = 9,
                 RGB_SCALE_ALPHA = 10,
                 RGBA = 12,
                 RGBA_DELTA = 13,
};

struct ends {
    int at[2][4];
    bool is_hdr;
};

/* The values of an end point mode come in pairs. */
static unsigned value_count(unsigned mode)
{
    return 2 * (mode / 4 + 1);
}

/* A base with seven bits of its own, and a difference of six bits and a sign; the base's top bit is stored with it. */
static void set_delta(struct ends *e, unsigned channel, const uint8_t pair[2])
{
    const int base = pair[0] >> 1 | (pair[1] & 0x80), low = pair[1] >> 1 & 0x3f;
    e->at[0][channel] = base;
    e->at[1][channel] = base + (low >= 32 ? low - 64 : low);
}

static void set_pair(struct ends *e, unsigned channel, const uint8_t pair[2])
{
    e->at[0][channel] = pair[0];
    e->at[1][channel] = pair[1];
}

static void copy_red(struct ends *e)
{
    for (unsigned i = 0; i < 2; i++)
        e->at[i][1] = e->at[i][2] = e->at[i][0];
}

/* The brighter end comes second. The other order tells that red and green are stored as differences from blue. */
static void order_ends(struct ends *e)
{
    const int first = e->at[0][0] + e->at[0][1] + e->at[0][2], second = e->at[1][0] + e->at[1][1] + e->at[1][2];
    if (second >= first)
        return;
    for (unsigned k = 0; k < 4; k++) {
        const int swapped = e->at[0][k];
        e->at[0][k] = e->at[1][k];
        e->at[1][k] = swapped;
    }
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 2; k++)
            e->at[i][k] = (e->at[i][k] + e->at[i][2]) >> 1;
}

static void set_scaled(struct ends *e, const uint8_t *values)
{
    for (unsigned k = 0; k < 3; k++) {
        e->at[0][k] = values[k] * values[3] >> 8;
        e->at[1][k] = values[k];
    }
}

static struct ends read_ends(unsigned mode, const uint8_t *values)
{
    struct ends e = {.at = {[0][3] = 255, [1][3] = 255}};
    switch (mode) {
    case LUMINANCE:
    case LUMINANCE_ALPHA:
        set_pair(&e, 0, values);
        copy_red(&e);
        if (mode == LUMINANCE_ALPHA)
            set_pair(&e, 3, values + 2);
        break;
    case LUMINANCE_DELTA:
        e.at[0][0] = values[0] >> 2 | (values[1] & 0xc0);
        e.at[1][0] = e.at[0][0] + (values[1] & 0x3f);
        copy_red(&e);
        break;
    case LUMINANCE_ALPHA_DELTA:
        set_delta(&e, 0, values);
        set_delta(&e, 3, values + 2);
        copy_red(&e);
        break;
    case RGB_SCALE:
    case RGB_SCALE_ALPHA:
        set_scaled(&e, values);
        if (mode == RGB_SCALE_ALPHA)
            set_pair(&e, 3, values + 4);
        break;
    case RGB:
    case RGBA:
        for (unsigned k = 0; k < value_count(mode) / 2; k++)
            set_pair(&e, k, values + 2 * (size_t)k);
        order_ends(&e);
        break;
    case RGB_DELTA:
    case RGBA_DELTA:
        for (unsigned k = 0; k < value_count(mode) / 2; k++)
            set_delta(&e, k, values + 2 * (size_t)k);
        order_ends(&e);
        break;
    default:
        e.is_hdr = true;
        break;
    }
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < 2; i++)
            e.at[i][k] = hw_codec_clamp(e.at[i][k], 0, 255);
    return e;
}

/* ---------------------------------------------------------------- texels */

/* A colour of 16 bits stands for the half float next to c / 65536 towards zero (65535: 1), of which this is the
 * nearest UNORM of 8 bits. */
static uint8_t to_unorm8(uint32_t c)
{
    if (c == 0xffff)
        return 255;
    const unsigned dropped = c >> 11 ? util_log2(c) - 10 : 0;
    return (uint8_t)(((c >> dropped << dropped) * 255 + 0x8000) >> 16);
}

/* `is_srgb`: red, green or blue of an sRGB format, of which the top eight bits count. */
static uint8_t texel_channel(const struct ends *e, unsigned channel, unsigned weight, bool is_srgb)
{
    const unsigned first = (unsigned)e->at[0][channel], second = (unsigned)e->at[1][channel];
    const unsigned mixed = first * (FULL_WEIGHT - weight) + second * weight;
    if (is_srgb)
        return (uint8_t)((mixed * 256 + FULL_WEIGHT * 0x80 + 32) >> 14);
    return to_unorm8((mixed * 257 + 32) >> 6);
}

static void fill(uint8_t (*rgba)[4], unsigned count, const uint8_t color[4])
{
    for (unsigned i = 0; i < count; i++)
        memcpy(rgba[i], color, 4);
}

static const uint8_t error_color[4] = {255, 0, 255, 255};

static bool is_void_extent(struct stream block)
{
    return (block.low & 0x1ff) == 0x1fc;
}

/* A block of one colour. Its extents are all ones, or each is smaller than its end. */
static bool decode_void_extent(struct stream block, bool is_srgb, uint8_t color[4])
{
    const bool is_hdr = block.low >> 9 & 1, is_reserved = (block.low >> 10 & 3) != 3;
    const uint32_t s0 = bits_at(block, 12, 13), s1 = bits_at(block, 25, 13);
    const uint32_t t0 = bits_at(block, 38, 13), t1 = bits_at(block, 51, 13);
    const bool is_unbounded = (s0 & s1 & t0 & t1) == 0x1fff;
    if (is_hdr || is_reserved || (!is_unbounded && (s0 >= s1 || t0 >= t1)))
        return false;
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t c = bits_at(block, 64 + 16 * k, 16);
        color[k] = is_srgb && k < 3 ? (uint8_t)(c >> 8) : to_unorm8(c);
    }
    return true;
}

/* What a block holds besides its weights. */
struct colors {
    unsigned partitions, partition_index;
    unsigned second_plane_channel; /* 4: there is no second plane */
    struct ends ends[MAX_PARTITIONS];
};

/* Reads the modes of all end points. Returns the number of bits directly below the weights that belong to them. */
static unsigned read_ends_modes(struct stream block, unsigned partitions, unsigned weight_bits,
                                uint8_t modes[MAX_PARTITIONS])
{
    if (partitions == 1) {
        modes[0] = (uint8_t)bits_at(block, 13, 4);
        return 0;
    }
    const unsigned selector = bits_at(block, 23, 2);
    unsigned packed = bits_at(block, 25, 4);
    if (selector == 0) {
        memset(modes, (int)packed, partitions);
        return 0;
    }
    /* One bit for each partition's class, then two for each partition's mode in its class. */
    const unsigned more = 3 * partitions - 4;
    packed |= bits_at(block, 128 - weight_bits - more, more) << 4;
    for (unsigned i = 0; i < partitions; i++)
        modes[i] = (uint8_t)((selector - 1 + (packed >> i & 1)) << 2 | (packed >> (partitions + 2 * i) & 3));
    return more;
}

/* Finds the largest range that `bits` can hold `count` values of. False: not even the least one. */
static bool find_color_range(unsigned count, int bits, struct range *out)
{
    for (unsigned i = ARRAY_SIZE(ranges); i-- > LEAST_COLOR_RANGE;)
        if ((int)sequence_bits(ranges[i], count) <= bits) {
            *out = ranges[i];
            return true;
        }
    return false;
}

static bool read_colors(struct stream block, const struct grid *grid, unsigned weight_bits, struct colors *out)
{
    uint8_t modes[MAX_PARTITIONS], values[MAX_COLORS];
    const unsigned partitions = bits_at(block, 11, 2) + 1, first_bit = partitions > 1 ? 29 : 17;
    if (partitions == MAX_PARTITIONS && grid->planes == 2)
        return false;
    unsigned below = 128 - weight_bits - read_ends_modes(block, partitions, weight_bits, modes), count = 0;
    *out =
        (struct colors){.partitions = partitions, .partition_index = bits_at(block, 13, 10), .second_plane_channel = 4};
    if (grid->planes == 2) {
        below -= 2;
        out->second_plane_channel = bits_at(block, below, 2);
    }
    for (unsigned i = 0; i < partitions; i++)
        count += value_count(modes[i]);
    struct range range;
    if (count > MAX_COLORS || !find_color_range(count, (int)below - (int)first_bit, &range))
        return false;
    take_sequence(part_of(block, first_bit, sequence_bits(range, count)), range, count, values);
    for (unsigned i = 0; i < count; i++)
        values[i] = color_of(range, values[i]);
    const uint8_t *of_partition = values;
    for (unsigned i = 0; i < partitions; i++) {
        out->ends[i] = read_ends(modes[i], of_partition);
        of_partition += value_count(modes[i]);
    }
    return true;
}

void hw_astc(const uint8_t block[16], unsigned w, unsigned h, bool is_srgb, uint8_t (*rgba)[4])
{
    const struct stream s = {load_64(block), load_64(block + 8)};
    struct grid grid;
    struct colors colors;
    struct weights weights;
    if (is_void_extent(s)) {
        uint8_t color[4];
        fill(rgba, w * h, decode_void_extent(s, is_srgb, color) ? color : error_color);
        return;
    }
    const unsigned weight_bits = read_mode(bits_at(s, 0, 11), &grid) ? grid_bits(&grid, w, h) : 0;
    if (!weight_bits || !read_colors(s, &grid, weight_bits, &colors)) {
        fill(rgba, w * h, error_color);
        return;
    }
    read_weights(s, &grid, weight_bits, &weights);
    const struct planes planes = init_planes(colors.partition_index, colors.partitions, w * h < 31);
    for (unsigned i = 0; i < w * h; i++) {
        const unsigned x = grid_place(i % w, w, grid.w), y = grid_place(i / w, h, grid.h);
        const struct ends *e = &colors.ends[partition_at(&planes, i % w, i / w)];
        unsigned weight[2] = {weight_at(weights.at[0], grid.w, x, y)};
        if (grid.planes == 2)
            weight[1] = weight_at(weights.at[1], grid.w, x, y);
        for (unsigned k = 0; k < 4; k++)
            rgba[i][k] = texel_channel(e, k, weight[k == colors.second_plane_channel], is_srgb && k < 3);
        if (e->is_hdr)
            memcpy(rgba[i], error_color, 4);
    }
}
