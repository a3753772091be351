/* SPDX-License-Identifier: MIT
 *
 * The table of texel formats: which bits of a texel hold which channel. It knows nothing of Vulkan. The device module
 * maps VkFormat to these rows; every other module that handles texels reads them.
 */
#ifndef HW_FORMAT_H
#define HW_FORMAT_H

#include "util/macros.h"

enum hw_kind {
    HW_KIND_NONE,
    HW_KIND_UNORM,
    HW_KIND_SNORM,
    HW_KIND_USCALED,
    HW_KIND_SSCALED,
    HW_KIND_UINT,
    HW_KIND_SINT,
    HW_KIND_FLOAT,
    HW_KIND_UFLOAT, /* unsigned small floats: 11/10 bits, shared exponent */
    HW_KIND_SRGB,
};

/* Which channel, or which constant, a component of the texel (R, G, B or A) reads. */
enum hw_swizzle { HW_SWIZZLE_X, HW_SWIZZLE_Y, HW_SWIZZLE_Z, HW_SWIZZLE_W, HW_SWIZZLE_0, HW_SWIZZLE_1 };

struct hw_channel {
    uint8_t kind;    /* enum hw_kind; HW_KIND_NONE: padding, or the format lacks this channel */
    uint8_t bits;
    uint8_t shift;   /* bit offset in the little-endian block */
};

/*
 * A name lists the components in memory order: R8G8B8A8 by bytes, packed words from the least significant bit up.
 * HW_FORMAT_B5G6R5_UNORM has B in bits 4:0; Vulkan calls it R5G6B5_UNORM_PACK16.
 * The rows are in hw/format.c; X(NAME) below only numbers them.
 */
#define HW_FORMATS_IN_WORDS(X) /* channels of a smaller texel in the low bits of a 32-bit word */                      \
    X(R8_UNORM_WORD) X(R8_SNORM_WORD) X(R8_UINT_WORD) X(R8_SINT_WORD) X(R8_SRGB_WORD)                                  \
    X(R8G8_UNORM_WORD) X(R8G8_SNORM_WORD) X(R8G8_UINT_WORD) X(R8G8_SINT_WORD) X(R8G8_SRGB_WORD)                        \
    X(A4B4G4R4_UNORM_WORD) X(A4R4G4B4_UNORM_WORD) X(B4G4R4A4_UNORM_WORD) X(R4G4B4A4_UNORM_WORD)                        \
    X(A1B5G5R5_UNORM_WORD) X(A1R5G5B5_UNORM_WORD) X(B5G5R5A1_UNORM_WORD) X(R5G5B5A1_UNORM_WORD)                        \
    X(B5G6R5_UNORM_WORD) X(R5G6B5_UNORM_WORD)                                                                          \
    X(R16_UNORM_WORD) X(R16_SNORM_WORD) X(R16_UINT_WORD) X(R16_SINT_WORD) X(R16_FLOAT_WORD)                            \
    X(A8_UNORM_WORD)

#define HW_FORMATS_ASTC(X) /* in Vulkan's order */                                                                     \
    X(ASTC_4x4_UNORM)                                                                                                  \
    X(ASTC_4x4_SRGB) X(ASTC_5x4_UNORM) X(ASTC_5x4_SRGB) X(ASTC_5x5_UNORM) X(ASTC_5x5_SRGB) X(ASTC_6x5_UNORM)           \
        X(ASTC_6x5_SRGB) X(ASTC_6x6_UNORM) X(ASTC_6x6_SRGB) X(ASTC_8x5_UNORM) X(ASTC_8x5_SRGB) X(ASTC_8x6_UNORM)       \
            X(ASTC_8x6_SRGB) X(ASTC_8x8_UNORM) X(ASTC_8x8_SRGB) X(ASTC_10x5_UNORM) X(ASTC_10x5_SRGB)                   \
                X(ASTC_10x6_UNORM) X(ASTC_10x6_SRGB) X(ASTC_10x8_UNORM) X(ASTC_10x8_SRGB) X(ASTC_10x10_UNORM)          \
                    X(ASTC_10x10_SRGB) X(ASTC_12x10_UNORM) X(ASTC_12x10_SRGB) X(ASTC_12x12_UNORM) X(ASTC_12x12_SRGB)

#define HW_FORMATS_PADDED(X) /* each channel in the upper bits of 16; X: how many bits below it mean nothing */        \
    X(R10X6_UNORM) X(R10X6G10X6_UNORM) X(R12X4_UNORM) X(R12X4G12X4_UNORM)

#define HW_FORMATS(X)                                                                                                  \
    X(NONE)                                                                                                            \
    X(R8_UNORM)                                                                                                        \
    X(R8_SNORM)                                                                                                        \
    X(R8_USCALED)                                                                                                      \
    X(R8_SSCALED) X(R8_UINT) X(R8_SINT) X(R8_SRGB) X(R8G8_UNORM) X(R8G8_SNORM) X(R8G8_USCALED) X(R8G8_SSCALED) X(      \
        R8G8_UINT) X(R8G8_SINT) X(R8G8_SRGB) X(R8G8B8_UNORM) X(R8G8B8_SNORM) X(R8G8B8_USCALED) X(R8G8B8_SSCALED)       \
        X(R8G8B8_UINT) X(R8G8B8_SINT) X(R8G8B8_SRGB) X(R8G8B8A8_UNORM) X(R8G8B8A8_SNORM) X(R8G8B8A8_USCALED) X(        \
            R8G8B8A8_SSCALED) X(R8G8B8A8_UINT) X(R8G8B8A8_SINT) X(R8G8B8A8_SRGB) X(B8G8R8A8_UNORM) X(B8G8R8A8_SNORM)   \
            X(B8G8R8A8_USCALED) X(B8G8R8A8_SSCALED) X(B8G8R8A8_UINT) X(B8G8R8A8_SINT) X(B8G8R8A8_SRGB)                 \
                X(A4B4G4R4_UNORM) X(A4R4G4B4_UNORM) X(B4G4R4A4_UNORM) X(R4G4B4A4_UNORM) X(A1B5G5R5_UNORM) X(           \
                    A1R5G5B5_UNORM) X(B5G5R5A1_UNORM) X(R5G5B5A1_UNORM) X(B5G6R5_UNORM) X(R5G6B5_UNORM)                \
                    X(R10G10B10A2_UNORM) X(R10G10B10A2_SNORM) X(R10G10B10A2_USCALED) X(R10G10B10A2_SSCALED) X(         \
                        R10G10B10A2_UINT) X(R10G10B10A2_SINT) X(B10G10R10A2_UNORM) X(B10G10R10A2_SNORM)                \
                        X(B10G10R10A2_USCALED) X(B10G10R10A2_SSCALED) X(B10G10R10A2_UINT) X(B10G10R10A2_SINT) X(       \
                            R16_UNORM) X(R16_SNORM) X(R16_USCALED) X(R16_SSCALED) X(R16_UINT) X(R16_SINT) X(R16_FLOAT) \
                            X(R16G16_UNORM) X(R16G16_SNORM) X(R16G16_USCALED) X(R16G16_SSCALED) X(R16G16_UINT)         \
                                X(R16G16_SINT) X(R16G16_FLOAT) X(R16G16B16_UNORM) X(R16G16B16_SNORM)                   \
                                    X(R16G16B16_USCALED) X(R16G16B16_SSCALED) X(R16G16B16_UINT) X(R16G16B16_SINT) X(   \
                                        R16G16B16_FLOAT) X(R16G16B16A16_UNORM)                                         \
                                        X(R16G16B16A16_SNORM) X(R16G16B16A16_USCALED) X(R16G16B16A16_SSCALED) X(       \
                                            R16G16B16A16_UINT) X(R16G16B16A16_SINT)                                    \
                                            X(R16G16B16A16_FLOAT) X(R32_UINT) X(R32_SINT) X(R32_FLOAT) X(R32G32_UINT)  \
                                                X(R32G32_SINT) X(R32G32_FLOAT) X(R32G32B32_UINT) X(R32G32B32_SINT)     \
                                                    X(R32G32B32_FLOAT) X(R32G32B32A32_UINT)                            \
                                                        X(R32G32B32A32_SINT) X(R32G32B32A32_FLOAT) X(R11G11B10_UFLOAT) \
                                                            X(R9G9B9E5_UFLOAT) X(A8_UNORM) HW_FORMATS_IN_WORDS(X)      \
                                                                X(Z24S8) /* stencil in bits 7:0, depth in 31:8: the    \
                                                                            tile buffer's own word */                  \
        X(Z16_UNORM) X(Z24X8_LOW) /* depth in bits 23:0 */ X(Z32_FLOAT) X(S8_UINT)                                     \
            X(ETC1) /* sampled by the chip; the CPU decodes the formats below (hw/codec.h) */                          \
        X(ETC2_R8G8B8_UNORM) X(ETC2_R8G8B8_SRGB) X(ETC2_R8G8B8A1_UNORM) X(ETC2_R8G8B8A1_SRGB) X(ETC2_R8G8B8A8_UNORM)   \
            X(ETC2_R8G8B8A8_SRGB) X(EAC_R11_UNORM) X(EAC_R11_SNORM) X(EAC_R11G11_UNORM) X(EAC_R11G11_SNORM)            \
                X(BC1_RGB_UNORM) X(BC1_RGB_SRGB) X(BC1_RGBA_UNORM) X(BC1_RGBA_SRGB) X(BC2_UNORM) X(BC2_SRGB)           \
                    X(BC3_UNORM) X(BC3_SRGB) X(BC4_UNORM) X(BC4_SNORM) X(BC5_UNORM) X(BC5_SNORM) X(BC6H_UFLOAT)        \
                        X(BC6H_SFLOAT) X(BC7_UNORM) X(BC7_SRGB) HW_FORMATS_ASTC(X) HW_FORMATS_PADDED(X)

enum hw_format {
#define X(name) HW_FORMAT_##name,
    HW_FORMATS(X)
#undef X
    HW_FORMAT_COUNT
};

struct hw_format_info {
    const char *name;
    uint8_t block_B;                 /* bytes of a block */
    uint8_t block_w, block_h;        /* 1 x 1 unless compressed */
    struct hw_channel channel[4];    /* x, y, z, w in memory order, lowest bits first */
    uint8_t swizzle[4];              /* enum hw_swizzle for R, G, B, A; missing colours read 0, missing alpha 1 */
    uint8_t channels;                /* number of channels, padding not counted */
};

const struct hw_format_info *hw_format_info(enum hw_format format);

/* The kind of the channel that R reads; of A8_UNORM, which has no R, that of A. */
enum hw_kind hw_format_kind(enum hw_format format);
bool hw_format_is_srgb(enum hw_format format);
/* Whether the blocks of both have the same width and height in texels. */
bool hw_format_has_block_size_of(enum hw_format format, enum hw_format other);
/* The format that holds the channels of a smaller texel in the low bits of a 32-bit word, as the tile buffer does.
 * Returns `format` itself when there is none. */
enum hw_format hw_format_in_word(enum hw_format format);

/* One texel to RGBA and back. Components are floats for the norm, scaled, float and sRGB (linear) kinds, integers for
 * UINT and SINT. Clamps and rounds to nearest even as Vulkan requires. */
union hw_texel {
    float f[4];
    uint32_t u[4];
    int32_t i[4];
};
void hw_format_unpack(enum hw_format format, const void *block, union hw_texel *out);
void hw_format_pack(enum hw_format format, const union hw_texel *texel, void *block);
/* The same for rows of texels, faster. */
void hw_format_unpack_row(enum hw_format format, const void *blocks, uint32_t count, union hw_texel *out);
void hw_format_pack_row(enum hw_format format, const union hw_texel *texels, uint32_t count, void *blocks);

float hw_srgb_to_linear(float s);
float hw_linear_to_srgb(float l);
uint16_t hw_float_to_half(float f);
float hw_half_to_float(uint16_t h);

#endif
