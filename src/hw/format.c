/* SPDX-License-Identifier: MIT
 *
 * The table of texel formats, and the conversion of single texels to RGBA and back.
 *
 * Conversions follow the Vulkan specification, "Fixed-Point Data Conversions" and "Floating-Point Format Conversions":
 * round to nearest even, clamp, NaN becomes 0 in normalised formats. This is the reference for copies and tests; the
 * chip's own, coarser rounding lives in the model.
 */
#include <math.h>
#include <string.h>
#include "hw/format.h"

#define UN HW_KIND_UNORM
#define SN HW_KIND_SNORM
#define US HW_KIND_USCALED
#define SS HW_KIND_SSCALED
#define UI HW_KIND_UINT
#define SI HW_KIND_SINT
#define FL HW_KIND_FLOAT
#define UF HW_KIND_UFLOAT
#define SR HW_KIND_SRGB

#define SWZ(r, g, b, a) {HW_SWIZZLE_##r, HW_SWIZZLE_##g, HW_SWIZZLE_##b, HW_SWIZZLE_##a}

/* clang-format off */
#define ROW(fmt, bytes, n, swz, ...) \
    [HW_FORMAT_##fmt] = {.name = #fmt, .block_B = bytes, .block_w = 1, .block_h = 1, .channel = {__VA_ARGS__}, \
                         .swizzle = SWZ_##swz, .channels = n}

#define SWZ_R    SWZ(X, 0, 0, 1)
#define SWZ_A    SWZ(0, 0, 0, X)
#define SWZ_RG   SWZ(X, Y, 0, 1)
#define SWZ_RGB  SWZ(X, Y, Z, 1)
#define SWZ_RGBA SWZ(X, Y, Z, W)
#define SWZ_BGRA SWZ(Z, Y, X, W)
#define SWZ_BGR  SWZ(Z, Y, X, 1)
#define SWZ_ABGR SWZ(W, Z, Y, X)
#define SWZ_ARGB SWZ(Y, Z, W, X)
#define SWZ_ZS   SWZ(Y, X, 0, 1)

/* Channels of equal width, one after the other. `ka` is the kind of alpha: sRGB formats have linear alpha. */
#define ONE(fmt, k, b)      ROW(fmt, b / 8,     1, R,   {k, b, 0})
#define TWO(fmt, k, b)      ROW(fmt, 2 * b / 8, 2, RG,  {k, b, 0}, {k, b, b})
#define THREE(fmt, k, b)    ROW(fmt, 3 * b / 8, 3, RGB, {k, b, 0}, {k, b, b}, {k, b, 2 * b})
#define FOUR(fmt, s, k, ka, b) \
    ROW(fmt, 4 * b / 8, 4, s, {k, b, 0}, {k, b, b}, {k, b, 2 * b}, {ka, b, 3 * b})
#define RGB10A2(fmt, s, k)  ROW(fmt, 4, 4, s, {k, 10, 0}, {k, 10, 10}, {k, 10, 20}, {k, 2, 30})
#define ONE_W(fmt, k, b)    ROW(fmt##_WORD, 4, 1, R,  {k, b, 0})
#define TWO_W(fmt, k, b)    ROW(fmt##_WORD, 4, 2, RG, {k, b, 0}, {k, b, b})
#define FOUR4_B(fmt, bytes, s)   ROW(fmt, bytes, 4, s, {UN, 4, 0}, {UN, 4, 4}, {UN, 4, 8}, {UN, 4, 12})
#define A1_LOW_B(fmt, bytes, s)  ROW(fmt, bytes, 4, s, {UN, 1, 0}, {UN, 5, 1}, {UN, 5, 6}, {UN, 5, 11})
#define A1_HIGH_B(fmt, bytes, s) ROW(fmt, bytes, 4, s, {UN, 5, 0}, {UN, 5, 5}, {UN, 5, 10}, {UN, 1, 15})
#define FOUR4(fmt, s)       FOUR4_B(fmt, 2, s)
#define A1_LOW(fmt, s)      A1_LOW_B(fmt, 2, s)
#define A1_HIGH(fmt, s)     A1_HIGH_B(fmt, 2, s)

/* Blocks of w x h texels. Kind and bits describe a decoded channel; only the codec knows the layout of the block. */
#define BLOCKS_OF(w, h, fmt, bytes, s, n, k, ka, b) \
    [HW_FORMAT_##fmt] = {.name = #fmt, .block_B = bytes, .block_w = w, .block_h = h, \
                         .swizzle = SWZ_##s, .channels = n, \
                         .channel = {{k, b, 0}, {k, b, 0}, {k, b, 0}, {ka, b, 0}}}
#define BLOCKS(fmt, bytes, s, n, k, ka, b) BLOCKS_OF(4, 4, fmt, bytes, s, n, k, ka, b)
#define ASTC(w, h) \
    BLOCKS_OF(w, h, ASTC_##w##x##h##_UNORM, 16, RGBA, 4, UN, UN, 8), \
    BLOCKS_OF(w, h, ASTC_##w##x##h##_SRGB, 16, RGBA, 4, SR, UN, 8)

static const struct hw_format_info formats[HW_FORMAT_COUNT] = {
    [HW_FORMAT_NONE] = {.name = "NONE", .block_w = 1, .block_h = 1, .swizzle = SWZ(0, 0, 0, 1)},

    ONE(R8_UNORM, UN, 8), ONE(R8_SNORM, SN, 8), ONE(R8_USCALED, US, 8), ONE(R8_SSCALED, SS, 8), ONE(R8_UINT, UI, 8),
    ONE(R8_SINT, SI, 8), ONE(R8_SRGB, SR, 8),
    TWO(R8G8_UNORM, UN, 8), TWO(R8G8_SNORM, SN, 8), TWO(R8G8_USCALED, US, 8), TWO(R8G8_SSCALED, SS, 8),
    TWO(R8G8_UINT, UI, 8), TWO(R8G8_SINT, SI, 8), TWO(R8G8_SRGB, SR, 8),
    THREE(R8G8B8_UNORM, UN, 8), THREE(R8G8B8_SNORM, SN, 8), THREE(R8G8B8_USCALED, US, 8),
    THREE(R8G8B8_SSCALED, SS, 8), THREE(R8G8B8_UINT, UI, 8), THREE(R8G8B8_SINT, SI, 8), THREE(R8G8B8_SRGB, SR, 8),
    FOUR(R8G8B8A8_UNORM, RGBA, UN, UN, 8), FOUR(R8G8B8A8_SNORM, RGBA, SN, SN, 8),
    FOUR(R8G8B8A8_USCALED, RGBA, US, US, 8), FOUR(R8G8B8A8_SSCALED, RGBA, SS, SS, 8),
    FOUR(R8G8B8A8_UINT, RGBA, UI, UI, 8), FOUR(R8G8B8A8_SINT, RGBA, SI, SI, 8),
    FOUR(R8G8B8A8_SRGB, RGBA, SR, UN, 8),
    FOUR(B8G8R8A8_UNORM, BGRA, UN, UN, 8), FOUR(B8G8R8A8_SNORM, BGRA, SN, SN, 8),
    FOUR(B8G8R8A8_USCALED, BGRA, US, US, 8), FOUR(B8G8R8A8_SSCALED, BGRA, SS, SS, 8),
    FOUR(B8G8R8A8_UINT, BGRA, UI, UI, 8), FOUR(B8G8R8A8_SINT, BGRA, SI, SI, 8),
    FOUR(B8G8R8A8_SRGB, BGRA, SR, UN, 8),

    FOUR4(A4B4G4R4_UNORM, ABGR), FOUR4(A4R4G4B4_UNORM, ARGB),
    FOUR4(B4G4R4A4_UNORM, BGRA), FOUR4(R4G4B4A4_UNORM, RGBA),
    A1_LOW(A1B5G5R5_UNORM, ABGR), A1_LOW(A1R5G5B5_UNORM, ARGB),
    A1_HIGH(B5G5R5A1_UNORM, BGRA), A1_HIGH(R5G5B5A1_UNORM, RGBA),
    ROW(B5G6R5_UNORM, 2, 3, BGR, {UN, 5, 0}, {UN, 6, 5}, {UN, 5, 11}),
    ROW(R5G6B5_UNORM, 2, 3, RGB, {UN, 5, 0}, {UN, 6, 5}, {UN, 5, 11}),

    RGB10A2(R10G10B10A2_UNORM, RGBA, UN), RGB10A2(R10G10B10A2_SNORM, RGBA, SN),
    RGB10A2(R10G10B10A2_USCALED, RGBA, US), RGB10A2(R10G10B10A2_SSCALED, RGBA, SS),
    RGB10A2(R10G10B10A2_UINT, RGBA, UI), RGB10A2(R10G10B10A2_SINT, RGBA, SI),
    RGB10A2(B10G10R10A2_UNORM, BGRA, UN), RGB10A2(B10G10R10A2_SNORM, BGRA, SN),
    RGB10A2(B10G10R10A2_USCALED, BGRA, US), RGB10A2(B10G10R10A2_SSCALED, BGRA, SS),
    RGB10A2(B10G10R10A2_UINT, BGRA, UI), RGB10A2(B10G10R10A2_SINT, BGRA, SI),

    ONE(R16_UNORM, UN, 16), ONE(R16_SNORM, SN, 16), ONE(R16_USCALED, US, 16), ONE(R16_SSCALED, SS, 16),
    ONE(R16_UINT, UI, 16), ONE(R16_SINT, SI, 16), ONE(R16_FLOAT, FL, 16),
    TWO(R16G16_UNORM, UN, 16), TWO(R16G16_SNORM, SN, 16), TWO(R16G16_USCALED, US, 16), TWO(R16G16_SSCALED, SS, 16),
    TWO(R16G16_UINT, UI, 16), TWO(R16G16_SINT, SI, 16), TWO(R16G16_FLOAT, FL, 16),
    THREE(R16G16B16_UNORM, UN, 16), THREE(R16G16B16_SNORM, SN, 16), THREE(R16G16B16_USCALED, US, 16),
    THREE(R16G16B16_SSCALED, SS, 16), THREE(R16G16B16_UINT, UI, 16), THREE(R16G16B16_SINT, SI, 16),
    THREE(R16G16B16_FLOAT, FL, 16),
    FOUR(R16G16B16A16_UNORM, RGBA, UN, UN, 16), FOUR(R16G16B16A16_SNORM, RGBA, SN, SN, 16),
    FOUR(R16G16B16A16_USCALED, RGBA, US, US, 16), FOUR(R16G16B16A16_SSCALED, RGBA, SS, SS, 16),
    FOUR(R16G16B16A16_UINT, RGBA, UI, UI, 16), FOUR(R16G16B16A16_SINT, RGBA, SI, SI, 16),
    FOUR(R16G16B16A16_FLOAT, RGBA, FL, FL, 16),

    ONE(R32_UINT, UI, 32), ONE(R32_SINT, SI, 32), ONE(R32_FLOAT, FL, 32),
    TWO(R32G32_UINT, UI, 32), TWO(R32G32_SINT, SI, 32), TWO(R32G32_FLOAT, FL, 32),
    THREE(R32G32B32_UINT, UI, 32), THREE(R32G32B32_SINT, SI, 32), THREE(R32G32B32_FLOAT, FL, 32),
    FOUR(R32G32B32A32_UINT, RGBA, UI, UI, 32), FOUR(R32G32B32A32_SINT, RGBA, SI, SI, 32),
    FOUR(R32G32B32A32_FLOAT, RGBA, FL, FL, 32),

    ROW(R11G11B10_UFLOAT, 4, 3, RGB, {UF, 11, 0}, {UF, 11, 11}, {UF, 10, 22}),
    /* Three mantissas. The common exponent in bits 31:27 is not a channel. */
    ROW(R9G9B9E5_UFLOAT, 4, 3, RGB, {UF, 9, 0}, {UF, 9, 9}, {UF, 9, 18}),

    ROW(A8_UNORM, 1, 1, A, {UN, 8, 0}),

    ONE_W(R8_UNORM, UN, 8), ONE_W(R8_SNORM, SN, 8), ONE_W(R8_UINT, UI, 8), ONE_W(R8_SINT, SI, 8), ONE_W(R8_SRGB, SR, 8),
    TWO_W(R8G8_UNORM, UN, 8), TWO_W(R8G8_SNORM, SN, 8), TWO_W(R8G8_UINT, UI, 8), TWO_W(R8G8_SINT, SI, 8),
    TWO_W(R8G8_SRGB, SR, 8),
    FOUR4_B(A4B4G4R4_UNORM_WORD, 4, ABGR), FOUR4_B(A4R4G4B4_UNORM_WORD, 4, ARGB),
    FOUR4_B(B4G4R4A4_UNORM_WORD, 4, BGRA), FOUR4_B(R4G4B4A4_UNORM_WORD, 4, RGBA),
    A1_LOW_B(A1B5G5R5_UNORM_WORD, 4, ABGR), A1_LOW_B(A1R5G5B5_UNORM_WORD, 4, ARGB),
    A1_HIGH_B(B5G5R5A1_UNORM_WORD, 4, BGRA), A1_HIGH_B(R5G5B5A1_UNORM_WORD, 4, RGBA),
    ROW(B5G6R5_UNORM_WORD, 4, 3, BGR, {UN, 5, 0}, {UN, 6, 5}, {UN, 5, 11}),
    ROW(R5G6B5_UNORM_WORD, 4, 3, RGB, {UN, 5, 0}, {UN, 6, 5}, {UN, 5, 11}),
    ONE_W(R16_UNORM, UN, 16), ONE_W(R16_SNORM, SN, 16), ONE_W(R16_UINT, UI, 16), ONE_W(R16_SINT, SI, 16),
    ONE_W(R16_FLOAT, FL, 16),
    ROW(A8_UNORM_WORD, 4, 1, A, {UN, 8, 0}),

    /* Depth is read as R, stencil as G (an integer). */
    ROW(Z24S8, 4, 2, ZS, {UI, 8, 0}, {UN, 24, 8}),
    ROW(Z16_UNORM, 2, 1, R, {UN, 16, 0}),
    ROW(Z24X8_LOW, 4, 1, R, {UN, 24, 0}),
    ROW(Z32_FLOAT, 4, 1, R, {FL, 32, 0}),
    ROW(S8_UINT, 1, 1, R, {UI, 8, 0}),

    ROW(R10X6_UNORM, 2, 1, R, {UN, 10, 6}), ROW(R10X6G10X6_UNORM, 4, 2, RG, {UN, 10, 6}, {UN, 10, 22}),
    ROW(R12X4_UNORM, 2, 1, R, {UN, 12, 4}), ROW(R12X4G12X4_UNORM, 4, 2, RG, {UN, 12, 4}, {UN, 12, 20}),

    BLOCKS(ETC1, 8, RGB, 3, UN, UN, 8),
    BLOCKS(ETC2_R8G8B8_UNORM, 8, RGB, 3, UN, UN, 8), BLOCKS(ETC2_R8G8B8_SRGB, 8, RGB, 3, SR, UN, 8),
    BLOCKS(ETC2_R8G8B8A1_UNORM, 8, RGBA, 4, UN, UN, 8), BLOCKS(ETC2_R8G8B8A1_SRGB, 8, RGBA, 4, SR, UN, 8),
    BLOCKS(ETC2_R8G8B8A8_UNORM, 16, RGBA, 4, UN, UN, 8), BLOCKS(ETC2_R8G8B8A8_SRGB, 16, RGBA, 4, SR, UN, 8),
    BLOCKS(EAC_R11_UNORM, 8, R, 1, UN, UN, 11), BLOCKS(EAC_R11_SNORM, 8, R, 1, SN, SN, 11),
    BLOCKS(EAC_R11G11_UNORM, 16, RG, 2, UN, UN, 11), BLOCKS(EAC_R11G11_SNORM, 16, RG, 2, SN, SN, 11),
    BLOCKS(BC1_RGB_UNORM, 8, RGB, 3, UN, UN, 8), BLOCKS(BC1_RGB_SRGB, 8, RGB, 3, SR, UN, 8),
    BLOCKS(BC1_RGBA_UNORM, 8, RGBA, 4, UN, UN, 8), BLOCKS(BC1_RGBA_SRGB, 8, RGBA, 4, SR, UN, 8),
    BLOCKS(BC2_UNORM, 16, RGBA, 4, UN, UN, 8), BLOCKS(BC2_SRGB, 16, RGBA, 4, SR, UN, 8),
    BLOCKS(BC3_UNORM, 16, RGBA, 4, UN, UN, 8), BLOCKS(BC3_SRGB, 16, RGBA, 4, SR, UN, 8),
    BLOCKS(BC4_UNORM, 8, R, 1, UN, UN, 8), BLOCKS(BC4_SNORM, 8, R, 1, SN, SN, 8),
    BLOCKS(BC5_UNORM, 16, RG, 2, UN, UN, 8), BLOCKS(BC5_SNORM, 16, RG, 2, SN, SN, 8),
    BLOCKS(BC6H_UFLOAT, 16, RGB, 3, UF, UF, 16), BLOCKS(BC6H_SFLOAT, 16, RGB, 3, FL, FL, 16),
    BLOCKS(BC7_UNORM, 16, RGBA, 4, UN, UN, 8), BLOCKS(BC7_SRGB, 16, RGBA, 4, SR, UN, 8),
    ASTC(4, 4), ASTC(5, 4), ASTC(5, 5), ASTC(6, 5), ASTC(6, 6), ASTC(8, 5), ASTC(8, 6), ASTC(8, 8),
    ASTC(10, 5), ASTC(10, 6), ASTC(10, 8), ASTC(10, 10), ASTC(12, 10), ASTC(12, 12),
};
/* clang-format on */

const struct hw_format_info *hw_format_info(enum hw_format format)
{
    assert((unsigned)format < HW_FORMAT_COUNT);
    return &formats[format];
}

/* The kind of the channel that R, or else A reads. Alpha of an sRGB format and stencil of Z24S8 have kinds of their
 * own. */
enum hw_kind hw_format_kind(enum hw_format format)
{
    const struct hw_format_info *info = hw_format_info(format);
    const uint8_t channel = info->swizzle[0] <= HW_SWIZZLE_W ? info->swizzle[0] : info->swizzle[3];
    return channel <= HW_SWIZZLE_W ? (enum hw_kind)info->channel[channel].kind : HW_KIND_NONE;
}

bool hw_format_is_srgb(enum hw_format format)
{
    return hw_format_kind(format) == HW_KIND_SRGB;
}

bool hw_format_has_block_size_of(enum hw_format format, enum hw_format other)
{
    const struct hw_format_info *a = hw_format_info(format), *b = hw_format_info(other);
    return a->block_w == b->block_w && a->block_h == b->block_h;
}

enum hw_format hw_format_in_word(enum hw_format format)
{
    /* ORDER HW_FORMATS_IN_WORDS */
    static const enum hw_format small[] = {
        HW_FORMAT_R8_UNORM,       HW_FORMAT_R8_SNORM,       HW_FORMAT_R8_UINT,        HW_FORMAT_R8_SINT,
        HW_FORMAT_R8_SRGB,        HW_FORMAT_R8G8_UNORM,     HW_FORMAT_R8G8_SNORM,     HW_FORMAT_R8G8_UINT,
        HW_FORMAT_R8G8_SINT,      HW_FORMAT_R8G8_SRGB,      HW_FORMAT_A4B4G4R4_UNORM, HW_FORMAT_A4R4G4B4_UNORM,
        HW_FORMAT_B4G4R4A4_UNORM, HW_FORMAT_R4G4B4A4_UNORM, HW_FORMAT_A1B5G5R5_UNORM, HW_FORMAT_A1R5G5B5_UNORM,
        HW_FORMAT_B5G5R5A1_UNORM, HW_FORMAT_R5G5B5A1_UNORM, HW_FORMAT_B5G6R5_UNORM,   HW_FORMAT_R5G6B5_UNORM,
        HW_FORMAT_R16_UNORM,      HW_FORMAT_R16_SNORM,      HW_FORMAT_R16_UINT,       HW_FORMAT_R16_SINT,
        HW_FORMAT_R16_FLOAT,      HW_FORMAT_A8_UNORM,
    };
    for (uint32_t i = 0; i < ARRAY_SIZE(small); i++)
        if (small[i] == format)
            return (enum hw_format)(HW_FORMAT_R8_UNORM_WORD + i);
    return format;
}

/* -- small floats -- */

/* Floats with a 5-bit exponent of bias 15 and `mantissa_bits`, sign bit left out. Round to nearest even. */
static uint32_t pack_small_float(float f, unsigned mantissa_bits)
{
    const uint32_t inf = 31u << mantissa_bits;
    uint32_t abs = util_fui(f) & 0x7fffffffu;
    if (abs > 0x7f800000u)
        return inf | 1u << (mantissa_bits - 1);
    if (abs == 0x7f800000u)
        return inf;
    int exponent = (int)(abs >> 23) - 127 + 15;
    uint32_t value, shift = 23 - mantissa_bits;
    if (exponent >= 31)
        return inf;
    if (exponent > 0) {
        value = (uint32_t)exponent << 23 | (abs & 0x7fffffu);
    } else { /* a denormal or zero */
        value = (abs & 0x7fffffu) | 0x800000u;
        shift += (uint32_t)(1 - exponent);
        if (shift > 24)
            return 0;
    }
    uint32_t half = 1u << (shift - 1), rest = value & ((1u << shift) - 1);
    value >>= shift;
    if (rest > half || (rest == half && (value & 1)))
        value++; /* may carry into the exponent, up to infinity */
    return value;
}

static float unpack_small_float(uint32_t bits, unsigned mantissa_bits)
{
    uint32_t exponent = bits >> mantissa_bits & 31, mantissa = bits & ((1u << mantissa_bits) - 1);
    if (exponent == 31)
        return util_uif(0x7f800000u | mantissa << (23 - mantissa_bits));
    if (exponent == 0)
        return ldexpf((float)mantissa, -14 - (int)mantissa_bits);
    return util_uif((exponent - 15 + 127) << 23 | mantissa << (23 - mantissa_bits));
}

uint16_t hw_float_to_half(float f)
{
    return (uint16_t)((util_fui(f) >> 16 & 0x8000u) | pack_small_float(f, 10));
}

float hw_half_to_float(uint16_t h)
{
    return util_uif(util_fui(unpack_small_float(h & 0x7fffu, 10)) | (uint32_t)(h & 0x8000u) << 16);
}

/* Negative numbers become 0. Finite numbers that are too large become the largest finite one. */
static uint32_t pack_ufloat(float f, unsigned mantissa_bits)
{
    uint32_t bits = util_fui(f);
    if (bits >> 31 && (bits & 0x7fffffffu) <= 0x7f800000u)
        return 0;
    uint32_t packed = pack_small_float(f, mantissa_bits), inf = 31u << mantissa_bits;
    return packed == inf && bits != 0x7f800000u ? inf - 1 : packed;
}

/* -- shared exponent: mantissas of 9 bits without a hidden one, exponent bias 15 -- */

static uint32_t pack_shared_exponent(const float rgb[3])
{
    const float max = 65408.0f; /* (2^9 - 1) / 2^9 * 2^16 */
    float c[3], largest = 0;
    for (int i = 0; i < 3; i++) {
        c[i] = rgb[i] > 0 ? fminf(rgb[i], max) : 0; /* NaN is not > 0 */
        largest = fmaxf(largest, c[i]);
    }
    int exponent = largest > 0 ? MAX2(-16, ilogbf(largest)) + 16 : 0;
    if (rint(ldexp(largest, 24 - exponent)) > 511)
        exponent++;
    uint32_t word = (uint32_t)exponent << 27;
    for (int i = 0; i < 3; i++)
        word |= (uint32_t)rint(ldexp(c[i], 24 - exponent)) << 9 * i;
    return word;
}

static void unpack_shared_exponent(uint32_t word, float rgb[3])
{
    for (int i = 0; i < 3; i++)
        rgb[i] = ldexpf((float)(word >> 9 * i & 511), (int)(word >> 27) - 24);
}

/* -- sRGB -- */

float hw_srgb_to_linear(float s)
{
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

float hw_linear_to_srgb(float l)
{
    if (!(l > 0)) /* NaN too */
        return 0;
    if (l >= 1)
        return 1;
    return l <= 0.0031308f ? 12.92f * l : 1.055f * powf(l, 1.0f / 2.4f) - 0.055f;
}

/* -- one channel -- */

static uint32_t bits_mask(unsigned bits)
{
    return bits == 32 ? UINT32_MAX : (1u << bits) - 1;
}

static int32_t sign_extend(uint32_t value, unsigned bits)
{
    return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

/* A component as a 32-bit word: the bits of a float for the kinds that yield floats, else the integer. */
static uint32_t unpack_channel(const struct hw_channel *c, uint32_t raw)
{
    unsigned bits = c->bits;
    switch ((enum hw_kind)c->kind) {
    case HW_KIND_UNORM:
        return util_fui((float)(raw / (double)bits_mask(bits)));
    case HW_KIND_SNORM:
        return util_fui(fmaxf((float)(sign_extend(raw, bits) / (double)bits_mask(bits - 1)), -1.0f));
    case HW_KIND_USCALED:
        return util_fui((float)raw);
    case HW_KIND_SSCALED:
        return util_fui((float)sign_extend(raw, bits));
    case HW_KIND_UINT:
        return raw;
    case HW_KIND_SINT:
        return (uint32_t)sign_extend(raw, bits);
    case HW_KIND_FLOAT:
        return bits == 32 ? raw : util_fui(hw_half_to_float((uint16_t)raw));
    case HW_KIND_UFLOAT:
        return util_fui(unpack_small_float(raw, bits - 5));
    case HW_KIND_SRGB:
        return util_fui(hw_srgb_to_linear((float)raw / (float)bits_mask(bits)));
    case HW_KIND_NONE:
        break;
    }
    return 0;
}

/* Nearest integer in [low, high], ties to even; NaN becomes 0. */
static double round_clamped(double value, double low, double high)
{
    if (isnan(value))
        return 0;
    return rint(CLAMP(value, low, high));
}

static uint32_t pack_channel(const struct hw_channel *c, uint32_t word)
{
    unsigned bits = c->bits;
    double f = (double)util_uif(word), umax = (double)bits_mask(bits), smax = (double)bits_mask(bits - 1);
    switch ((enum hw_kind)c->kind) {
    case HW_KIND_UNORM:
        return (uint32_t)round_clamped(f * umax, 0, umax);
    case HW_KIND_SNORM:
        return (uint32_t)(int32_t)round_clamped(f * smax, -smax, smax) & bits_mask(bits);
    case HW_KIND_USCALED:
        return (uint32_t)round_clamped(f, 0, umax);
    case HW_KIND_SSCALED:
        return (uint32_t)(int32_t)round_clamped(f, -smax - 1, smax) & bits_mask(bits);
    case HW_KIND_UINT:
        return MIN2(word, bits_mask(bits));
    case HW_KIND_SINT: {
        int32_t high = (int32_t)bits_mask(bits - 1), low = -high - 1;
        return (uint32_t)CLAMP((int32_t)word, low, high) & bits_mask(bits);
    }
    case HW_KIND_FLOAT:
        return bits == 32 ? word : hw_float_to_half(util_uif(word));
    case HW_KIND_UFLOAT:
        return pack_ufloat(util_uif(word), bits - 5);
    case HW_KIND_SRGB:
        return (uint32_t)round_clamped((double)hw_linear_to_srgb(util_uif(word)) * umax, 0, umax);
    case HW_KIND_NONE:
        break;
    }
    return 0;
}

/* -- whole texels; a channel never straddles two 32-bit words -- */

void hw_format_unpack(enum hw_format format, const void *block, union hw_texel *out)
{
    const struct hw_format_info *info = hw_format_info(format);
    assert(info->block_w == 1 && "compressed formats are decoded by block");
    uint32_t words[4] = {0}, channel[4] = {0};
    memcpy(words, block, info->block_B);
    if (format == HW_FORMAT_R9G9B9E5_UFLOAT) {
        float rgb[3];
        unpack_shared_exponent(words[0], rgb);
        memcpy(channel, rgb, sizeof rgb);
    } else {
        for (unsigned i = 0; i < info->channels; i++) {
            const struct hw_channel *c = &info->channel[i];
            channel[i] = unpack_channel(c, words[c->shift / 32] >> c->shift % 32 & bits_mask(c->bits));
        }
    }
    enum hw_kind kind = hw_format_kind(format);
    uint32_t one = kind == HW_KIND_UINT || kind == HW_KIND_SINT ? 1 : util_fui(1.0f);
    for (unsigned i = 0; i < 4; i++) {
        uint8_t swizzle = info->swizzle[i];
        out->u[i] = swizzle <= HW_SWIZZLE_W ? channel[swizzle] : swizzle == HW_SWIZZLE_1 ? one : 0;
    }
}

void hw_format_pack(enum hw_format format, const union hw_texel *texel, void *block)
{
    const struct hw_format_info *info = hw_format_info(format);
    assert(info->block_w == 1 && "compressed formats are encoded by block");
    uint32_t words[4] = {0};
    if (format == HW_FORMAT_R9G9B9E5_UFLOAT) {
        words[0] = pack_shared_exponent(texel->f);
    } else {
        for (unsigned i = 0; i < 4; i++) {
            if (info->swizzle[i] > HW_SWIZZLE_W)
                continue;
            const struct hw_channel *c = &info->channel[info->swizzle[i]];
            words[c->shift / 32] |= pack_channel(c, texel->u[i]) << c->shift % 32;
        }
    }
    memcpy(block, words, info->block_B);
}
