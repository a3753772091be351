/* SPDX-License-Identifier: MIT
 *
 * Lists the formats that the texture unit samples natively, and the byte of its result that holds each component.
 *
 * The unit returns RGBA8888 in the bytes a, b, c, d of r4 [guide p.44 table 18]. Fields of the packed 16-bit types go
 * to the bytes from the top bits down: a gets bits 15 and below. R8 is sampled as ALPHA (byte d) and R8G8 as LUMALPHA
 * (L in a, A in d) [recorded jobs].
 */
#include <string.h>
#include "hw/tex.h"

struct tex_row {
    uint8_t type;       /* enum hw_tex_type */
    uint8_t swizzle[4]; /* enum hw_swizzle over the bytes of r4; all zero: the format is not sampled natively */
};

#define ROW(fmt, tex, r, g, b, a) \
    [HW_FORMAT_##fmt] = {HW_TEX_##tex, {HW_SWIZZLE_##r, HW_SWIZZLE_##g, HW_SWIZZLE_##b, HW_SWIZZLE_##a}}

/* sRGB formats with fewer than four channels are missing: programs treat byte d of the result as linear. */
/* clang-format off */
static const struct tex_row rows[HW_FORMAT_COUNT] = {
    ROW(R8G8B8A8_UNORM, RGBA8888,  X, Y, Z, W),
    ROW(R8G8B8A8_SRGB,  RGBA8888,  X, Y, Z, W),
    ROW(B8G8R8A8_UNORM, RGBA8888,  Z, Y, X, W),
    ROW(B8G8R8A8_SRGB,  RGBA8888,  Z, Y, X, W),
    ROW(R8_UNORM,       ALPHA,     W, 0, 0, 1),
    ROW(A8_UNORM,       ALPHA,     0, 0, 0, W),
    ROW(R8G8_UNORM,     LUMALPHA,  X, W, 0, 1),
    ROW(R8_UNORM_WORD,   RGBA8888, X, 0, 0, 1),
    ROW(R8G8_UNORM_WORD, RGBA8888, X, Y, 0, 1),
    ROW(A8_UNORM_WORD,   RGBA8888, 0, 0, 0, X),
    ROW(A4B4G4R4_UNORM, RGBA4444,  X, Y, Z, W),
    ROW(A4R4G4B4_UNORM, RGBA4444,  Z, Y, X, W),
    ROW(B4G4R4A4_UNORM, RGBA4444,  Y, Z, W, X),
    ROW(R4G4B4A4_UNORM, RGBA4444,  W, Z, Y, X),
    ROW(A1B5G5R5_UNORM, RGBA5551,  X, Y, Z, W),
    ROW(A1R5G5B5_UNORM, RGBA5551,  Z, Y, X, W),
    ROW(B5G6R5_UNORM,   RGB565,    X, Y, Z, 1),
    ROW(R5G6B5_UNORM,   RGB565,    Z, Y, X, 1),
    ROW(ETC1,           ETC1,      X, Y, Z, 1),
};
/* clang-format on */

int hw_tex_type_for_format(enum hw_format format, uint8_t swizzle_out[4])
{
    static const uint8_t not_native[4] = {0};
    const struct tex_row *row = &rows[format];
    if (!memcmp(row->swizzle, not_native, sizeof not_native))
        return -1;
    memcpy(swizzle_out, row->swizzle, sizeof row->swizzle);
    return row->type;
}
