/* SPDX-License-Identifier: MIT
 *
 * The block decoders behind hw/codec.h. Each decodes one block of a format family: 4 x 4 texels unless it is told the
 * block's size.
 */
#ifndef HW_CODEC_INTERNAL_H
#define HW_CODEC_INTERNAL_H

#include "hw/codec.h"

#define HW_CODEC_TEXELS 16u /* of a block of 4 x 4 */

static inline int hw_codec_clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* Expands x from `from` bits to 8 by repeating its top bits below. */
static inline uint8_t hw_codec_to_8(uint32_t x, unsigned from)
{
    uint32_t shifted = x << (8 - from);
    return (uint8_t)(shifted | shifted >> from);
}

/* rgba: 16 texels of 4 bytes. punch_through: a bit of each block says whether it is opaque. */
void hw_etc2_rgb(const uint8_t block[8], bool punch_through, uint8_t (*rgba)[4]);
void hw_eac_alpha(const uint8_t block[8], uint8_t (*rgba)[4]);
/* out: 16-bit channels, UNORM or SNORM, `stride` elements apart. */
void hw_eac_11(const uint8_t block[8], bool is_signed, uint16_t *out, unsigned stride);

enum hw_bc1_alpha {
    HW_BC1_OPAQUE,    /* index 3 of a block of three colours is opaque black */
    HW_BC1_ALPHA,     /* index 3 of a block of three colours is transparent black */
    HW_BC1_FOUR_ONLY, /* BC2 and BC3: every block has four colours */
};
void hw_bc1(const uint8_t block[8], enum hw_bc1_alpha alpha, uint8_t (*rgba)[4]);
void hw_bc2_alpha(const uint8_t block[8], uint8_t (*rgba)[4]);
void hw_bc3_alpha(const uint8_t block[8], uint8_t (*rgba)[4]);
void hw_bc4(const uint8_t block[8], bool is_signed, uint16_t *out, unsigned stride);
void hw_bc6h(const uint8_t block[16], bool is_signed, uint16_t (*rgba)[4]);
void hw_bc7(const uint8_t block[16], uint8_t (*rgba)[4]);
/* w x h: a size that Vulkan has formats for. */
void hw_astc(const uint8_t block[16], unsigned w, unsigned h, bool is_srgb, uint8_t (*rgba)[4]);

/* Reads a block bit by bit, from bit 0 of byte 0 up. */
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

/* codec_bptc.c: shared by BC6H and BC7. */
/* The subset of texel i, 0 to subsets - 1, in partition `shape`. */
unsigned hw_bptc_subset(unsigned subsets, unsigned shape, unsigned i);
/* Whether texel i is its subset's anchor. An anchor's index is stored with one bit less. */
bool hw_bptc_is_anchor(unsigned subsets, unsigned shape, unsigned i);
/* Interpolates between a and b by an index of 2, 3 or 4 bits. */
int hw_bptc_lerp(int a, int b, unsigned index, unsigned index_bits);

#endif
