/* SPDX-License-Identifier: MIT
 *
 * ETC1: blocks of 4 x 4 texels in 64 bits, most significant byte first [OES_compressed_ETC1_RGB8_texture]. A block has
 * two halves with a base colour each, and two bits per texel that select how much lighter or darker it is.
 *
 * A differential block whose second colour is out of range is undefined in ETC1; here the sum wraps (unverified).
 */
#include "model/gpu/gpu_tmu_state.h"

static uint32_t big_endian(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* One channel of a half's base colour; `at` is the lowest bit of the channel's byte. */
static int32_t base_channel(uint32_t head, unsigned at, bool second)
{
    bool differential = head >> 1 & 1;
    if (!differential)
        return (int32_t)(head >> (second ? at : at + 4) & 15) * 17;
    uint32_t v = head >> (at + 3) & 31, delta = head >> at & 7;
    if (second)
        v = (v + delta + (delta & 4 ? 24 : 0)) & 31; /* delta is signed: 4 to 7 mean -4 to -1 */
    return (int32_t)(v << 3 | v >> 2);
}

uint32_t gpu_etc1_texel(const uint8_t block[8], unsigned x, unsigned y)
{
    static const uint8_t steps[8][2] = {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}};
    uint32_t head = big_endian(block), bits = big_endian(block + 4);
    bool over_and_under = head & 1, second = (over_and_under ? y : x) >= 2;
    unsigned n = x * 4 + y;
    int32_t step = steps[head >> (second ? 2 : 5) & 7][bits >> n & 1];
    uint32_t texel = 0xff000000u;

    if (bits >> (16 + n) & 1)
        step = -step;
    for (unsigned channel = 0; channel < 3; channel++) {
        int32_t v = base_channel(head, 24 - 8 * channel, second) + step;
        texel |= (uint32_t)CLAMP(v, 0, 255) << 8 * channel;
    }
    return texel;
}
