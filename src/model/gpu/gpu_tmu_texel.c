/* SPDX-License-Identifier: MIT
 *
 * Texels: where they lie and what their bits become. Addresses use shifts alone; hw/layout.h is the slow, plain form of
 * the same, and tests/unit/gpu_tmu compares the two.
 */
#include <string.h>
#include "model/gpu/gpu_tmu_state.h"

/* Byte offset in the level [guide p.105-107]. */
static uint32_t texel_offset_B(const struct gpu_texture *tex, const struct gpu_tmu_level *level, uint32_t x, uint32_t y)
{
    /* 1 KiB sub-tiles in memory order by (odd tile row, lower half, right half). */
    static const uint8_t subtile[8] = {0, 3, 1, 2, 2, 1, 3, 0};
    uint32_t ux = x >> tex->log2_utile_w, uy = y >> tex->log2_utile_h;
    uint32_t in_x = x & ((1u << tex->log2_utile_w) - 1), in_y = y & ((1u << tex->log2_utile_h) - 1);
    uint32_t intra_B = ((in_y << tex->log2_utile_w) + in_x) << tex->log2_cpp;

    if (level->tiling == HW_TILING_T) {
        uint32_t tx = ux >> 3, ty = uy >> 3, row_tl = level->row_ut >> 3;
        uint32_t column = ty & 1 ? row_tl - 1 - tx : tx; /* tile rows snake */
        uint32_t order = subtile[(uy >> 2 & 3) << 1 | (ux >> 2 & 1)];
        return (ty * row_tl + column) << 12 | order << 10 | (uy & 3) << 8 | (ux & 3) << 6 | intra_B;
    }
    if (level->tiling == HW_TILING_LT)
        return (uy * level->row_ut + ux) << 6 | intra_B;
    return y * level->stride_B + (x << tex->log2_cpp);
}

static uint32_t rgba(uint32_t r, uint32_t g, uint32_t b, uint32_t a)
{
    return r | g << 8 | b << 16 | a << 24;
}

static uint32_t widen4(uint32_t v)
{
    v &= 15;
    return v << 4 | v;
}

static uint32_t widen5(uint32_t v)
{
    v &= 31;
    return v << 3 | v >> 2;
}

static uint32_t widen6(uint32_t v)
{
    v &= 63;
    return v << 2 | v >> 4;
}

/* [guide p.44 table 18]. Where S8, S16 and S16F put their bits is not written: the low end, as r4's unpack 8a and 16a
 * would take them. UNVERIFIED, decided here. */
static uint32_t decode(unsigned type, uint32_t raw)
{
    switch (type) {
    case HW_TEX_RGBX8888:
        return raw | 0xff000000u;
    case HW_TEX_RGBA4444:
        return rgba(widen4(raw >> 12), widen4(raw >> 8), widen4(raw >> 4), widen4(raw));
    case HW_TEX_RGBA5551:
        return rgba(widen5(raw >> 11), widen5(raw >> 6), widen5(raw >> 1), raw & 1 ? 255 : 0);
    case HW_TEX_RGB565:
        return rgba(widen5(raw >> 11), widen6(raw >> 5), widen5(raw), 255);
    case HW_TEX_LUMINANCE:
        return raw * 0x010101u | 0xff000000u;
    case HW_TEX_ALPHA:
        return raw << 24;
    case HW_TEX_LUMALPHA:
        return (raw & 0xff) * 0x010101u | raw >> 8 << 24;
    default: /* RGBA8888, RGBA32R, S8, S16, S16F */
        return raw;
    }
}

uint32_t gpu_texel(const struct gpu_tmu *tmu, const struct gpu_texture *tex, const struct gpu_tmu_level *level,
                   uint32_t face_B, uint32_t x, uint32_t y)
{
    uint32_t addr = level->addr + face_B + texel_offset_B(tex, level, x, y), raw = 0;
    uint32_t size_B = 1u << tex->log2_cpp;

    if (UTIL_UNLIKELY(!tex->mapped) &&
        (addr > tmu->mem->size_B - size_B || !tmu->mem->is_mapped(tmu->mem, addr, size_B)))
        return 0;
    switch (tex->log2_cpp) {
    case 2:
        memcpy(&raw, tmu->mem->base + addr, 4);
        break;
    case 1:
        memcpy(&raw, tmu->mem->base + addr, 2);
        break;
    default:
        raw = tmu->mem->base[addr];
    }
    return decode(tex->type, raw);
}

/* [Mesa passes the word per type so: A8B8G8R8 for 4444 and 5551, B8G8R8A8 for 565, channels in place for the others.]
 * What the chip itself does is UNVERIFIED. */
uint32_t gpu_texel_border(unsigned type, uint32_t word)
{
    switch (type) {
    case HW_TEX_RGBA4444:
    case HW_TEX_RGBA5551:
        return __builtin_bswap32(word);
    case HW_TEX_RGB565:
        return (word & 0xff00ff00u) | (word & 0xff) << 16 | (word >> 16 & 0xff);
    case HW_TEX_LUMINANCE:
        return (word & 0xff) * 0x010101u | 0xff000000u;
    case HW_TEX_LUMALPHA:
        return (word & 0xff) * 0x010101u | (word & 0xff000000u);
    case HW_TEX_ALPHA:
        return word & 0xff000000u;
    case HW_TEX_S8:
        return word & 0xff;
    case HW_TEX_S16:
    case HW_TEX_S16F:
        return word & 0xffff;
    default:
        return word;
    }
}
