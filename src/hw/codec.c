/* SPDX-License-Identifier: MIT
 *
 * Decodes blocks of compressed formats. A table names the decoder and the uncompressed format of each; the decoders are
 * in hw/codec_etc2.c, hw/codec_bc.c, hw/codec_bptc.c and hw/codec_astc.c.
 */
#include <string.h>
#include "hw/codec.h"
#include "hw/codec_internal.h"

typedef uint8_t (*bytes4)[4];

static void etc2_rgb(const uint8_t *block, void *texels)
{
    hw_etc2_rgb(block, false, (bytes4)texels);
}

static void etc2_rgb_a1(const uint8_t *block, void *texels)
{
    hw_etc2_rgb(block, true, (bytes4)texels);
}

static void etc2_rgba(const uint8_t *block, void *texels)
{
    hw_etc2_rgb(block + 8, false, (bytes4)texels);
    hw_eac_alpha(block, (bytes4)texels);
}

static void eac_r(const uint8_t *block, void *texels)
{
    hw_eac_11(block, false, texels, 1);
}

static void eac_r_signed(const uint8_t *block, void *texels)
{
    hw_eac_11(block, true, texels, 1);
}

static void eac_rg(const uint8_t *block, void *texels)
{
    hw_eac_11(block, false, texels, 2);
    hw_eac_11(block + 8, false, (uint16_t *)texels + 1, 2);
}

static void eac_rg_signed(const uint8_t *block, void *texels)
{
    hw_eac_11(block, true, texels, 2);
    hw_eac_11(block + 8, true, (uint16_t *)texels + 1, 2);
}

static void bc1_rgb(const uint8_t *block, void *texels)
{
    hw_bc1(block, HW_BC1_OPAQUE, (bytes4)texels);
}

static void bc1_rgba(const uint8_t *block, void *texels)
{
    hw_bc1(block, HW_BC1_ALPHA, (bytes4)texels);
}

static void bc2(const uint8_t *block, void *texels)
{
    hw_bc1(block + 8, HW_BC1_FOUR_ONLY, (bytes4)texels);
    hw_bc2_alpha(block, (bytes4)texels);
}

static void bc3(const uint8_t *block, void *texels)
{
    hw_bc1(block + 8, HW_BC1_FOUR_ONLY, (bytes4)texels);
    hw_bc3_alpha(block, (bytes4)texels);
}

static void bc4(const uint8_t *block, void *texels)
{
    hw_bc4(block, false, texels, 1);
}

static void bc4_signed(const uint8_t *block, void *texels)
{
    hw_bc4(block, true, texels, 1);
}

static void bc5(const uint8_t *block, void *texels)
{
    hw_bc4(block, false, texels, 2);
    hw_bc4(block + 8, false, (uint16_t *)texels + 1, 2);
}

static void bc5_signed(const uint8_t *block, void *texels)
{
    hw_bc4(block, true, texels, 2);
    hw_bc4(block + 8, true, (uint16_t *)texels + 1, 2);
}

static void bc6h(const uint8_t *block, void *texels)
{
    hw_bc6h(block, false, (uint16_t(*)[4])texels);
}

static void bc6h_signed(const uint8_t *block, void *texels)
{
    hw_bc6h(block, true, (uint16_t(*)[4])texels);
}

static void bc7(const uint8_t *block, void *texels)
{
    hw_bc7(block, (bytes4)texels);
}

struct codec {
    uint16_t decoded;                                   /* enum hw_format */
    void (*decode)(const uint8_t *block, void *texels); /* NULL: ASTC, whose blocks have several sizes */
};

#define UNORM_AND_SRGB(format, function)                                                                               \
    [HW_FORMAT_##format##_UNORM] = {HW_FORMAT_R8G8B8A8_UNORM, function},                                               \
    [HW_FORMAT_##format##_SRGB] = {HW_FORMAT_R8G8B8A8_SRGB, function}
#define ASTC(size) UNORM_AND_SRGB(ASTC_##size, NULL)

static const struct codec codecs[HW_FORMAT_COUNT] = {
    UNORM_AND_SRGB(ETC2_R8G8B8, etc2_rgb),
    UNORM_AND_SRGB(ETC2_R8G8B8A1, etc2_rgb_a1),
    UNORM_AND_SRGB(ETC2_R8G8B8A8, etc2_rgba),
    [HW_FORMAT_EAC_R11_UNORM] = {HW_FORMAT_R16_UNORM, eac_r},
    [HW_FORMAT_EAC_R11_SNORM] = {HW_FORMAT_R16_SNORM, eac_r_signed},
    [HW_FORMAT_EAC_R11G11_UNORM] = {HW_FORMAT_R16G16_UNORM, eac_rg},
    [HW_FORMAT_EAC_R11G11_SNORM] = {HW_FORMAT_R16G16_SNORM, eac_rg_signed},
    UNORM_AND_SRGB(BC1_RGB, bc1_rgb),
    UNORM_AND_SRGB(BC1_RGBA, bc1_rgba),
    UNORM_AND_SRGB(BC2, bc2),
    UNORM_AND_SRGB(BC3, bc3),
    [HW_FORMAT_BC4_UNORM] = {HW_FORMAT_R16_UNORM, bc4},
    [HW_FORMAT_BC4_SNORM] = {HW_FORMAT_R16_SNORM, bc4_signed},
    [HW_FORMAT_BC5_UNORM] = {HW_FORMAT_R16G16_UNORM, bc5},
    [HW_FORMAT_BC5_SNORM] = {HW_FORMAT_R16G16_SNORM, bc5_signed},
    [HW_FORMAT_BC6H_UFLOAT] = {HW_FORMAT_R16G16B16A16_FLOAT, bc6h},
    [HW_FORMAT_BC6H_SFLOAT] = {HW_FORMAT_R16G16B16A16_FLOAT, bc6h_signed},
    UNORM_AND_SRGB(BC7, bc7),
    ASTC(4x4),
    ASTC(5x4),
    ASTC(5x5),
    ASTC(6x5),
    ASTC(6x6),
    ASTC(8x5),
    ASTC(8x6),
    ASTC(8x8),
    ASTC(10x5),
    ASTC(10x6),
    ASTC(10x8),
    ASTC(10x10),
    ASTC(12x10),
    ASTC(12x12),
};

enum hw_format hw_codec_decoded(enum hw_format format)
{
    return (enum hw_format)codecs[format].decoded;
}

void hw_codec_decode(enum hw_format format, const void *block, void *texels)
{
    assert(codecs[format].decoded && "not a compressed format");
    const struct hw_format_info *info = hw_format_info(format);
    if (codecs[format].decode)
        codecs[format].decode(block, texels);
    else
        hw_astc(block, info->block_w, info->block_h, hw_format_is_srgb(format), (bytes4)texels);
}
