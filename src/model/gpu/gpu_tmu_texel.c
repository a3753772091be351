/* SPDX-License-Identifier: MIT
 *
 * Texels: computes their addresses and decodes their bits. Addresses use shifts only. hw/layout.h has the slow, simple
 * form of the same; tests/unit/gpu_tmu compares the two.
 */
#include <string.h>
#include "model/gpu/gpu_tmu_state.h"

/* Byte offsets in the level [guide p.105-107]. The 1 KiB sub-tiles of a tile, read row by row, lie in the order 0 3 1 2
 * (2 1 3 0 in odd rows of tiles): bit 1 is right ^ odd, bit 0 is right ^ lower. Odd rows of tiles run backwards. */
static void texel_offsets(const struct gpu_texture *tex, const struct gpu_tmu_level *level, const union gpu_vec *x,
                          const union gpu_vec *y, union gpu_vec *out)
{
    uint32_t log2_w = tex->log2_utile_w, log2_h = tex->log2_utile_h, log2_cpp = tex->log2_cpp;
    uint32_t mask_w = (1u << log2_w) - 1, mask_h = (1u << log2_h) - 1, row_ut = level->row_ut, row_tl = row_ut >> 3;

    if (level->tiling == HW_TILING_RASTER) {
        for (unsigned l = 0; l < QPU_LANES; l++)
            out->u[l] = y->u[l] * level->stride_B + (x->u[l] << log2_cpp);
        return;
    }
    for (unsigned l = 0; l < QPU_LANES; l++)
        out->u[l] = (((y->u[l] & mask_h) << log2_w) + (x->u[l] & mask_w)) << log2_cpp;
    if (level->tiling == HW_TILING_LT) {
        for (unsigned l = 0; l < QPU_LANES; l++)
            out->u[l] += ((y->u[l] >> log2_h) * row_ut + (x->u[l] >> log2_w)) << 6;
        return;
    }
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t ux = x->u[l] >> log2_w, uy = y->u[l] >> log2_h, tx = ux >> 3, ty = uy >> 3;
        uint32_t odd = ty & 1, lower = uy >> 2 & 1, right = ux >> 2 & 1;
        uint32_t column = odd ? row_tl - 1 - tx : tx;
        uint32_t order = (right ^ odd) << 1 | (right ^ lower);
        out->u[l] += (ty * row_tl + column) << 12 | order << 10 | (uy & 3) << 8 | (ux & 3) << 6;
    }
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

/* [guide p.44 table 18]. Where S8, S16 and S16F place their bits is not documented. Here it is the low end, where r4's
 * unpack modes 8a and 16a would read them. UNVERIFIED, decided here. */
#define DECODE(expression)                                                                                             \
    for (unsigned l = 0; l < QPU_LANES; l++) {                                                                         \
        uint32_t raw = texels->u[l];                                                                                   \
        texels->u[l] = (expression);                                                                                   \
    }

static void decode(unsigned type, union gpu_vec *texels)
{
    switch (type) {
    case HW_TEX_RGBX8888:
        DECODE(raw | 0xff000000u)
        break;
    case HW_TEX_RGBA4444:
        DECODE(rgba(widen4(raw >> 12), widen4(raw >> 8), widen4(raw >> 4), widen4(raw)))
        break;
    case HW_TEX_RGBA5551:
        DECODE(rgba(widen5(raw >> 11), widen5(raw >> 6), widen5(raw >> 1), (raw & 1) * 255))
        break;
    case HW_TEX_RGB565:
        DECODE(rgba(widen5(raw >> 11), widen6(raw >> 5), widen5(raw), 255))
        break;
    case HW_TEX_LUMINANCE:
        DECODE(raw * 0x010101u | 0xff000000u)
        break;
    case HW_TEX_ALPHA:
        DECODE(raw << 24)
        break;
    case HW_TEX_LUMALPHA:
        DECODE((raw & 0xff) * 0x010101u | raw >> 8 << 24)
        break;
    default: /* RGBA8888, RGBA32R, S8, S16, S16F: unchanged */
        break;
    }
}

/* For textures that are not entirely mapped: checks every texel. */
static void load_checked(const struct gpu_memory *mem, unsigned size_B, const union gpu_vec *addr, union gpu_vec *out)
{
    for (unsigned l = 0; l < QPU_LANES; l++) {
        out->u[l] = 0;
        if (addr->u[l] <= mem->size_B - size_B && mem->is_mapped(mem, addr->u[l], size_B))
            memcpy(&out->u[l], mem->base + addr->u[l], size_B);
    }
}

static void load(const struct gpu_memory *mem, unsigned size_B, const union gpu_vec *addr, union gpu_vec *out)
{
    switch (size_B) {
    case 4:
        for (unsigned l = 0; l < QPU_LANES; l++)
            memcpy(&out->u[l], mem->base + addr->u[l], 4);
        break;
    case 2:
        for (unsigned l = 0; l < QPU_LANES; l++) {
            uint16_t half;
            memcpy(&half, mem->base + addr->u[l], 2);
            out->u[l] = half;
        }
        break;
    default:
        for (unsigned l = 0; l < QPU_LANES; l++)
            out->u[l] = mem->base[addr->u[l]];
    }
}

/* Rows within a block run in the opposite direction to those of the image unless ETCFLIP is set [guide p.43; recorded
 * job texture_etc1]. */
static void etc1_texels(const struct gpu_tmu *tmu, const struct gpu_texture *tex, const struct gpu_tmu_level *level,
                        const union gpu_vec *face_B, const union gpu_vec *x, const union gpu_vec *y, union gpu_vec *out)
{
    union gpu_vec block_x, block_y, addr;
    unsigned upside_down = tex->etc_upright ? 0 : 3;

    for (unsigned l = 0; l < QPU_LANES; l++) {
        block_x.u[l] = x->u[l] >> 2;
        block_y.u[l] = y->u[l] >> 2;
    }
    texel_offsets(tex, level, &block_x, &block_y, &addr);
    for (unsigned l = 0; l < QPU_LANES; l++)
        addr.u[l] += level->addr + face_B->u[l];
    if (UTIL_UNLIKELY(tmu->stats))
        gpu_stats_texels(tmu->stats, &addr, 8);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t at = addr.u[l];
        uint8_t block[8] = {0};
        if (tex->mapped || (at <= tmu->mem->size_B - sizeof block && tmu->mem->is_mapped(tmu->mem, at, sizeof block)))
            memcpy(block, tmu->mem->base + at, sizeof block);
        out->u[l] = gpu_etc1_texel(block, x->u[l] & 3, (y->u[l] & 3) ^ upside_down);
    }
}

void gpu_texels(const struct gpu_tmu *tmu, const struct gpu_texture *tex, const struct gpu_tmu_level *level,
                const union gpu_vec *face_B, const union gpu_vec *x, const union gpu_vec *y, union gpu_vec *out)
{
    union gpu_vec addr;

    if (tex->type == HW_TEX_ETC1) {
        etc1_texels(tmu, tex, level, face_B, x, y, out);
        return;
    }
    texel_offsets(tex, level, x, y, &addr);
    for (unsigned l = 0; l < QPU_LANES; l++)
        addr.u[l] += level->addr + face_B->u[l];
    if (UTIL_UNLIKELY(tmu->stats))
        gpu_stats_texels(tmu->stats, &addr, 1u << tex->log2_cpp);
    if (UTIL_LIKELY(tex->mapped))
        load(tmu->mem, 1u << tex->log2_cpp, &addr, out);
    else
        load_checked(tmu->mem, 1u << tex->log2_cpp, &addr, out);
    decode(tex->type, out);
}
