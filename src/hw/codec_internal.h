/* SPDX-License-Identifier: MIT
 *
 * One function a family: how a block becomes 16 texels.
 */
#ifndef HW_CODEC_INTERNAL_H
#define HW_CODEC_INTERNAL_H

#include "hw/codec.h"

static inline int hw_codec_clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* x of `from` bits as 8 bits: the top bits once more below. */
static inline uint8_t hw_codec_to_8(uint32_t x, unsigned from)
{
    uint32_t wide = x << (8 - from);
    return (uint8_t)(wide | wide >> from);
}

/* rgba: 16 texels of 4 bytes. Punch-through: a block says whether it is opaque. */
void hw_etc2_rgb(const uint8_t block[8], bool punch_through, uint8_t (*rgba)[4]);
void hw_eac_alpha(const uint8_t block[8], uint8_t (*rgba)[4]);
/* 16-bit channels, `stride` apart: UNORM, or SNORM. */
void hw_eac_11(const uint8_t block[8], bool is_signed, uint16_t *out, unsigned stride);

enum hw_bc1_alpha {
    HW_BC1_OPAQUE,    /* the fourth colour of three is opaque black */
    HW_BC1_ALPHA,     /* it is transparent */
    HW_BC1_FOUR_ONLY, /* of BC2 and BC3: there are always four */
};
void hw_bc1(const uint8_t block[8], enum hw_bc1_alpha alpha, uint8_t (*rgba)[4]);
void hw_bc2_alpha(const uint8_t block[8], uint8_t (*rgba)[4]);
void hw_bc3_alpha(const uint8_t block[8], uint8_t (*rgba)[4]);
void hw_bc4(const uint8_t block[8], bool is_signed, uint16_t *out, unsigned stride);
void hw_bc6h(const uint8_t block[16], bool is_signed, uint16_t (*rgba)[4]);
void hw_bc7(const uint8_t block[16], uint8_t (*rgba)[4]);

/* Bit string of a block of 128 bits, from bit 0 of byte 0 up. */
struct hw_bits {
    const uint8_t *bytes;
    unsigned at;
};

static inline uint32_t hw_bits_take(struct hw_bits *s, unsigned count)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++, s->at++)
        value |= (uint32_t)(s->bytes[s->at / 8] >> s->at % 8 & 1) << i;
    return value;
}

/* codec_bptc.c: what BC6H and BC7 share. */
/* 0, 1 or 2: the subset of texel i in partition `shape` of two or three. */
unsigned hw_bptc_subset(unsigned subsets, unsigned shape, unsigned i);
/* Whether texel i is its subset's anchor, whose index has a bit less. */
bool hw_bptc_is_anchor(unsigned subsets, unsigned shape, unsigned i);
/* Between a and b by an index of 2, 3 or 4 bits. */
int hw_bptc_lerp(int a, int b, unsigned index, unsigned index_bits);

#endif
