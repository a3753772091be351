/* SPDX-License-Identifier: MIT
 *
 * The table of VkFormats and the features of each. hw/format.h names components from the lowest bit up, Vulkan's packed
 * formats from the highest bit down, so VK_FORMAT_R5G6B5_UNORM_PACK16 is HW_FORMAT_B5G6R5_UNORM.
 *
 * A few predicates (is_sampled_natively, is_rendered, ...) decide which features are reported. The comment above each
 * says which formats it excludes and why.
 */
#include <stdatomic.h>
#include "device/vc4vk_format.h"
#include "hw/codec.h"
#include "hw/tex.h"

#define COLOR   VK_IMAGE_ASPECT_COLOR_BIT
#define DEPTH   VK_IMAGE_ASPECT_DEPTH_BIT
#define STENCIL VK_IMAGE_ASPECT_STENCIL_BIT

/* Formats of VK_KHR_maintenance5, for headers that do not know them. */
#ifndef VK_KHR_maintenance5
#define VK_FORMAT_A1B5G5R5_UNORM_PACK16_KHR ((VkFormat)1000470000)
#define VK_FORMAT_A8_UNORM_KHR              ((VkFormat)1000470001)
#endif

/* clang-format off */
#define ROW(vk_name, hw_name, aspect_bits) \
    [VK_FORMAT_##vk_name] = {VK_FORMAT_##vk_name, HW_FORMAT_##hw_name, aspect_bits, #vk_name}
#define SAME(name)              ROW(name, name, COLOR)
#define PACKED(vk_name, hw_name) ROW(vk_name, hw_name, COLOR)
#define ATTRIBUTE(vk_name, words) ROW(vk_name, words##_UINT, 0)
#define BLOCKS(name)            ROW(name##_BLOCK, name, COLOR)
#define ASTC(size)              BLOCKS(ASTC_##size##_UNORM), BLOCKS(ASTC_##size##_SRGB)
#define KINDS(name, map, ...)   /* rows that exist as UNORM, SNORM, USCALED, SSCALED, UINT and SINT */ \
    ROW(name##_UNORM##__VA_ARGS__, map##_UNORM, COLOR), ROW(name##_SNORM##__VA_ARGS__, map##_SNORM, COLOR), \
    ROW(name##_USCALED##__VA_ARGS__, map##_USCALED, COLOR), ROW(name##_SSCALED##__VA_ARGS__, map##_SSCALED, COLOR), \
    ROW(name##_UINT##__VA_ARGS__, map##_UINT, COLOR), ROW(name##_SINT##__VA_ARGS__, map##_SINT, COLOR)

/* Formats of Vulkan 1.0 are indexed by their VkFormat value; formats of extensions follow them. */
#define FIRST_LATER (VK_FORMAT_ASTC_12x12_SRGB_BLOCK + 1)
#define LATER(place, vk_name, suffix, hw_name) \
    [FIRST_LATER + (place)] = {VK_FORMAT_##vk_name##suffix, HW_FORMAT_##hw_name, COLOR, #vk_name}

static const struct vc4vk_format formats[] = {
    PACKED(R4G4B4A4_UNORM_PACK16, A4B4G4R4_UNORM),
    PACKED(B4G4R4A4_UNORM_PACK16, A4R4G4B4_UNORM),
    PACKED(R5G6B5_UNORM_PACK16, B5G6R5_UNORM),
    PACKED(B5G6R5_UNORM_PACK16, R5G6B5_UNORM),
    PACKED(R5G5B5A1_UNORM_PACK16, A1B5G5R5_UNORM),
    PACKED(B5G5R5A1_UNORM_PACK16, A1R5G5B5_UNORM),
    PACKED(A1R5G5B5_UNORM_PACK16, B5G5R5A1_UNORM),
    KINDS(R8, R8), SAME(R8_SRGB),
    KINDS(R8G8, R8G8), SAME(R8G8_SRGB),
    KINDS(R8G8B8, R8G8B8), SAME(R8G8B8_SRGB),
    KINDS(R8G8B8A8, R8G8B8A8), SAME(R8G8B8A8_SRGB),
    KINDS(B8G8R8A8, B8G8R8A8), SAME(B8G8R8A8_SRGB),
    KINDS(A8B8G8R8, R8G8B8A8, _PACK32), PACKED(A8B8G8R8_SRGB_PACK32, R8G8B8A8_SRGB),
    KINDS(A2R10G10B10, B10G10R10A2, _PACK32),
    KINDS(A2B10G10R10, R10G10B10A2, _PACK32),
    KINDS(R16, R16), ROW(R16_SFLOAT, R16_FLOAT, COLOR),
    KINDS(R16G16, R16G16), ROW(R16G16_SFLOAT, R16G16_FLOAT, COLOR),
    KINDS(R16G16B16, R16G16B16), ROW(R16G16B16_SFLOAT, R16G16B16_FLOAT, COLOR),
    KINDS(R16G16B16A16, R16G16B16A16), ROW(R16G16B16A16_SFLOAT, R16G16B16A16_FLOAT, COLOR),
    SAME(R32_UINT), SAME(R32_SINT), ROW(R32_SFLOAT, R32_FLOAT, COLOR),
    SAME(R32G32_UINT), SAME(R32G32_SINT), ROW(R32G32_SFLOAT, R32G32_FLOAT, COLOR),
    SAME(R32G32B32_UINT), SAME(R32G32B32_SINT), ROW(R32G32B32_SFLOAT, R32G32B32_FLOAT, COLOR),
    SAME(R32G32B32A32_UINT), SAME(R32G32B32A32_SINT), ROW(R32G32B32A32_SFLOAT, R32G32B32A32_FLOAT, COLOR),
    ROW(R64_UINT, R32G32_UINT, COLOR), ROW(R64_SINT, R32G32_SINT, COLOR), ATTRIBUTE(R64_SFLOAT, R32G32),
    ATTRIBUTE(R64G64_UINT, R32G32B32A32), ATTRIBUTE(R64G64_SINT, R32G32B32A32), ATTRIBUTE(R64G64_SFLOAT, R32G32B32A32),
    ATTRIBUTE(R64G64B64_UINT, R32G32B32A32), ATTRIBUTE(R64G64B64_SINT, R32G32B32A32),
    ATTRIBUTE(R64G64B64_SFLOAT, R32G32B32A32), ATTRIBUTE(R64G64B64A64_UINT, R32G32B32A32),
    ATTRIBUTE(R64G64B64A64_SINT, R32G32B32A32), ATTRIBUTE(R64G64B64A64_SFLOAT, R32G32B32A32),
    PACKED(B10G11R11_UFLOAT_PACK32, R11G11B10_UFLOAT),
    PACKED(E5B9G9R9_UFLOAT_PACK32, R9G9B9E5_UFLOAT),
    BLOCKS(ETC2_R8G8B8_UNORM), BLOCKS(ETC2_R8G8B8_SRGB), BLOCKS(ETC2_R8G8B8A1_UNORM), BLOCKS(ETC2_R8G8B8A1_SRGB),
    BLOCKS(ETC2_R8G8B8A8_UNORM), BLOCKS(ETC2_R8G8B8A8_SRGB),
    BLOCKS(EAC_R11_UNORM), BLOCKS(EAC_R11_SNORM), BLOCKS(EAC_R11G11_UNORM), BLOCKS(EAC_R11G11_SNORM),
    BLOCKS(BC1_RGB_UNORM), BLOCKS(BC1_RGB_SRGB), BLOCKS(BC1_RGBA_UNORM), BLOCKS(BC1_RGBA_SRGB),
    BLOCKS(BC2_UNORM), BLOCKS(BC2_SRGB), BLOCKS(BC3_UNORM), BLOCKS(BC3_SRGB), BLOCKS(BC4_UNORM), BLOCKS(BC4_SNORM),
    BLOCKS(BC5_UNORM), BLOCKS(BC5_SNORM), BLOCKS(BC6H_UFLOAT), BLOCKS(BC6H_SFLOAT), BLOCKS(BC7_UNORM), BLOCKS(BC7_SRGB),
    ASTC(4x4), ASTC(5x4), ASTC(5x5), ASTC(6x5), ASTC(6x6), ASTC(8x5), ASTC(8x6), ASTC(8x8), ASTC(10x5), ASTC(10x6),
    ASTC(10x8), ASTC(10x10), ASTC(12x10), ASTC(12x12),
    ROW(D16_UNORM, Z16_UNORM, DEPTH),
    ROW(X8_D24_UNORM_PACK32, Z24X8_LOW, DEPTH),
    ROW(D32_SFLOAT, Z32_FLOAT, DEPTH),
    ROW(S8_UINT, S8_UINT, STENCIL),
    ROW(D24_UNORM_S8_UINT, Z24X8_LOW, DEPTH | STENCIL),
    ROW(D32_SFLOAT_S8_UINT, Z32_FLOAT, DEPTH | STENCIL),
    LATER(0, A4R4G4B4_UNORM_PACK16, _EXT, B4G4R4A4_UNORM),
    LATER(1, A4B4G4R4_UNORM_PACK16, _EXT, R4G4B4A4_UNORM),
    LATER(2, A1B5G5R5_UNORM_PACK16, _KHR, R5G5B5A1_UNORM),
    LATER(3, A8_UNORM, _KHR, A8_UNORM),
    LATER(4, R10X6_UNORM_PACK16, , R10X6_UNORM),
    LATER(5, R10X6G10X6_UNORM_2PACK16, , R10X6G10X6_UNORM),
    LATER(6, R12X4_UNORM_PACK16, , R12X4_UNORM),
    LATER(7, R12X4G12X4_UNORM_2PACK16, , R12X4G12X4_UNORM),
};
/* clang-format on */

/* Planar formats of Vulkan 1.1. Channels of 10 and 12 bits are in the upper bits of 16. */
#define PLANAR(name, bit_count, count, sub_x, sub_y, ...)                                                              \
    {VK_FORMAT_##name, HW_FORMAT_NONE, COLOR, #name,                                                                   \
     &(const struct vc4vk_planar){count, sub_x, sub_y, bit_count, {__VA_ARGS__}}}
#define R8  VK_FORMAT_R8_UNORM
#define R16 VK_FORMAT_R16_UNORM
#define R10 VK_FORMAT_R10X6_UNORM_PACK16
#define R12 VK_FORMAT_R12X4_UNORM_PACK16

#define PADDED_PLANAR(bits, x, r, rg)                                                                                  \
    PLANAR(G##bits##X##x##_B##bits##X##x##_R##bits##X##x##_3PLANE_420_UNORM_3PACK16, bits, 3, 1, 1, r, r, r),          \
        PLANAR(G##bits##X##x##_B##bits##X##x##R##bits##X##x##_2PLANE_420_UNORM_3PACK16, bits, 2, 1, 1, r, rg),         \
        PLANAR(G##bits##X##x##_B##bits##X##x##_R##bits##X##x##_3PLANE_422_UNORM_3PACK16, bits, 3, 1, 0, r, r, r),      \
        PLANAR(G##bits##X##x##_B##bits##X##x##R##bits##X##x##_2PLANE_422_UNORM_3PACK16, bits, 2, 1, 0, r, rg),         \
        PLANAR(G##bits##X##x##_B##bits##X##x##_R##bits##X##x##_3PLANE_444_UNORM_3PACK16, bits, 3, 0, 0, r, r, r),      \
        PLANAR(G##bits##X##x##_B##bits##X##x##R##bits##X##x##_2PLANE_444_UNORM_3PACK16, bits, 2, 0, 0, r, rg)

static const struct vc4vk_format planar_formats[] = {
    PLANAR(G8_B8_R8_3PLANE_420_UNORM, 8, 3, 1, 1, R8, R8, R8),
    PLANAR(G8_B8R8_2PLANE_420_UNORM, 8, 2, 1, 1, R8, VK_FORMAT_R8G8_UNORM),
    PLANAR(G8_B8_R8_3PLANE_422_UNORM, 8, 3, 1, 0, R8, R8, R8),
    PLANAR(G8_B8R8_2PLANE_422_UNORM, 8, 2, 1, 0, R8, VK_FORMAT_R8G8_UNORM),
    PLANAR(G8_B8_R8_3PLANE_444_UNORM, 8, 3, 0, 0, R8, R8, R8),
    PLANAR(G16_B16_R16_3PLANE_420_UNORM, 16, 3, 1, 1, R16, R16, R16),
    PLANAR(G16_B16R16_2PLANE_420_UNORM, 16, 2, 1, 1, R16, VK_FORMAT_R16G16_UNORM),
    PLANAR(G16_B16_R16_3PLANE_422_UNORM, 16, 3, 1, 0, R16, R16, R16),
    PLANAR(G16_B16R16_2PLANE_422_UNORM, 16, 2, 1, 0, R16, VK_FORMAT_R16G16_UNORM),
    PLANAR(G16_B16_R16_3PLANE_444_UNORM, 16, 3, 0, 0, R16, R16, R16),
    PLANAR(G8_B8R8_2PLANE_444_UNORM, 8, 2, 0, 0, R8, VK_FORMAT_R8G8_UNORM),
    PLANAR(G16_B16R16_2PLANE_444_UNORM, 16, 2, 0, 0, R16, VK_FORMAT_R16G16_UNORM),
    PADDED_PLANAR(10, 6, R10, VK_FORMAT_R10X6G10X6_UNORM_2PACK16),
    PADDED_PLANAR(12, 4, R12, VK_FORMAT_R12X4G12X4_UNORM_2PACK16),
};

static const struct vc4vk_format *find_later_format(VkFormat format)
{
    for (uint32_t i = FIRST_LATER; i < ARRAY_SIZE(formats); i++)
        if (formats[i].vk == format)
            return &formats[i];
    for (uint32_t i = 0; i < ARRAY_SIZE(planar_formats); i++)
        if (planar_formats[i].vk == format)
            return &planar_formats[i];
    return NULL;
}

const struct vc4vk_format *vc4vk_format_table(uint32_t *count_out)
{
    *count_out = ARRAY_SIZE(formats);
    return formats;
}

const struct vc4vk_format *vc4vk_format(VkFormat format)
{
    if ((uint32_t)format >= FIRST_LATER)
        return find_later_format(format);
    if (!formats[format].name)
        return NULL;
    return &formats[format];
}

enum hw_format vc4vk_format_hw(VkFormat format)
{
    const struct vc4vk_format *f = vc4vk_format(format);
    return f && f->aspects ? f->hw : HW_FORMAT_NONE;
}

/* Components of 64 bits that the second location of an attribute has, which are behind the first 16 bytes. */
static enum hw_format second_location(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_R64G64B64_UINT:
    case VK_FORMAT_R64G64B64_SINT:
    case VK_FORMAT_R64G64B64_SFLOAT:
        return HW_FORMAT_R32G32_UINT;
    case VK_FORMAT_R64G64B64A64_UINT:
    case VK_FORMAT_R64G64B64A64_SINT:
    case VK_FORMAT_R64G64B64A64_SFLOAT:
        return HW_FORMAT_R32G32B32A32_UINT;
    default:
        return HW_FORMAT_NONE;
    }
}

struct vc4vk_attribute_format vc4vk_format_attribute(VkFormat format)
{
    const struct vc4vk_format *f = vc4vk_format(format);
    struct vc4vk_attribute_format out = {.hw = {f ? f->hw : HW_FORMAT_NONE, second_location(format)}};
    for (uint32_t i = 0; i < ARRAY_SIZE(out.hw) && out.hw[i] != HW_FORMAT_NONE; i++)
        out.size_B += hw_format_info(out.hw[i])->block_B;
    return out;
}

/* -- layouts ------------------------------------------------------------------------------------------------------ */

enum hw_format vc4vk_format_storage(const struct vc4vk_format *format, VkImageUsageFlags usage)
{
    if (hw_codec_decoded(format->hw))
        return hw_codec_decoded(format->hw);
    if (format->aspects & COLOR) { /* the tile buffer holds whole words; storage images keep the format's own texels */
        bool in_words = usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT && !(usage & VK_IMAGE_USAGE_STORAGE_BIT);
        return in_words ? hw_format_in_word(format->hw) : format->hw;
    }
    /* Depth of up to 24 bits fits Z24S8 words without loss, so it is always stored that way. Float depth becomes Z24S8
     * only when the tile buffer must load and store it, or when there is stencil. */
    if (format->hw != HW_FORMAT_Z32_FLOAT || (format->aspects & STENCIL) ||
        (usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT))
        return HW_FORMAT_Z24S8;
    return HW_FORMAT_Z32_FLOAT;
}

enum hw_format vc4vk_format_copy_layout(const struct vc4vk_format *format, VkImageAspectFlags aspect)
{
    return aspect == STENCIL ? HW_FORMAT_S8_UINT : format->hw;
}

uint32_t vc4vk_format_copy_B(const struct vc4vk_format *format, VkImageAspectFlags aspect)
{
    return hw_format_info(vc4vk_format_copy_layout(format, aspect))->block_B;
}

/* -- features ----------------------------------------------------------------------------------------------------- */

/* The texture unit decodes the format itself and returns the texel as four 8-bit channels. */
static bool is_sampled_natively(enum hw_format format)
{
    uint8_t swizzle[4];
    int type = hw_tex_type_for_format(format, swizzle);
    return type >= 0 && type <= HW_TEX_LUMALPHA;
}

/* Texels of three words, which images of optimal tiling keep in planes of words. No other layout has such a size. */
static bool is_of_three_words(enum hw_format format)
{
    return hw_format_info(format)->block_B == 12;
}

/* Shader code fetches and decodes the texels. Their size must be a power of two; scaled integers are left out. */
static bool is_sampled_in_code(enum hw_format format)
{
    enum hw_kind kind = hw_format_kind(format);
    const struct hw_format_info *info = hw_format_info(format);
    return util_is_pow2(info->block_B) && info->block_w == 1 && kind != HW_KIND_USCALED && kind != HW_KIND_SSCALED;
}

/* Some bits of the texel belong to no channel. Such texels, of planes of videos, are sampled, copied and blitted. */
static bool is_padded(enum hw_format format)
{
    const struct hw_format_info *info = hw_format_info(format);
    return info->channels && info->channel[0].shift;
}

static bool is_integer(enum hw_format format)
{
    return hw_format_kind(format) == HW_KIND_UINT || hw_format_kind(format) == HW_KIND_SINT;
}

/* Fragment programs can pack the format into words of the tile buffer. Padded formats, scaled integers and shared
 * exponents can only be sampled or fetched. */
static bool is_rendered(enum hw_format format)
{
    const struct hw_format_info *info = hw_format_info(hw_format_in_word(format));
    if (is_padded(format))
        return false;
    switch (hw_format_kind(format)) {
    case HW_KIND_UNORM:
    case HW_KIND_SNORM:
    case HW_KIND_SRGB:
    case HW_KIND_UINT:
    case HW_KIND_SINT:
    case HW_KIND_FLOAT:
        return info->block_w == 1 && info->block_B >= 4 && (util_is_pow2(info->block_B) || is_of_three_words(format));
    case HW_KIND_UFLOAT: /* with an exponent per channel; R9G9B9E5 shares one */
        return format == HW_FORMAT_R11G11B10_UFLOAT;
    default:
        return false;
    }
}

static bool is_blended(enum hw_format format)
{
    return is_rendered(format) && !is_integer(format);
}

/* Vertex programs unpack raw words. Packed 16-bit formats, padded ones, shared exponents and A8 are left out because no
 * test covers them. */
static bool is_fetched(enum hw_format format)
{
    enum hw_kind kind = hw_format_kind(format);
    const struct hw_channel *first = &hw_format_info(format)->channel[0];
    return kind != HW_KIND_SRGB && first->bits >= 8 && !is_padded(format) && format != HW_FORMAT_A8_UNORM &&
           format != HW_FORMAT_R9G9B9E5_UFLOAT;
}

/* Texel buffers have no layout, so texels of three words are read as well. Of padded ones no test reads any. */
static bool is_in_texel_buffers(enum hw_format format)
{
    return (is_sampled_in_code(format) && !is_padded(format)) || is_of_three_words(format);
}

/* Memory layouts exist only for texels whose size in bytes is a power of two. */
static bool is_stored(enum hw_format format)
{
    return util_is_pow2(hw_format_info(format)->block_B);
}

static bool is_bgra8(enum hw_format format)
{
    return format == HW_FORMAT_B8G8R8A8_UNORM || format == HW_FORMAT_B8G8R8A8_SNORM ||
           format == HW_FORMAT_B8G8R8A8_UINT || format == HW_FORMAT_B8G8R8A8_SINT;
}

/* Programs can pack the format for storage images (spv_storage_format.c): every format with a SPIR-V name, and BGRA,
 * which swapchains use. */
static bool is_written(enum hw_format format)
{
    const struct hw_format_info *info = hw_format_info(format);
    enum hw_kind kind = hw_format_kind(format);
    bool is_even = info->channel[0].bits >= 8 && info->channel[0].bits * info->channels == 8 * info->block_B;
    if (format == HW_FORMAT_R10G10B10A2_UNORM || format == HW_FORMAT_R10G10B10A2_UINT ||
        format == HW_FORMAT_R11G11B10_UFLOAT || is_bgra8(format))
        return true;
    return is_even && is_stored(format) && info->swizzle[0] == HW_SWIZZLE_X && kind != HW_KIND_USCALED &&
           kind != HW_KIND_SSCALED && kind != HW_KIND_SRGB;
}

/* Scaled integers are vertex formats only: Vulkan leaves their clears and blits undefined, and no other driver supports
 * images of them. */
static bool is_scaled(enum hw_format format)
{
    return hw_format_kind(format) == HW_KIND_USCALED || hw_format_kind(format) == HW_KIND_SSCALED;
}

static bool is_atomic(enum hw_format format)
{
    return format == HW_FORMAT_R32_UINT || format == HW_FORMAT_R32_SINT || format == HW_FORMAT_R32_FLOAT;
}

/* One channel of 64 bits, which everything but programs takes for two channels of 32 bits. */
static bool is_wide(const struct vc4vk_format *format)
{
    return format->vk == VK_FORMAT_R64_UINT || format->vk == VK_FORMAT_R64_SINT;
}

/* Programs on the CPU engine load, store and change such texels; there is no use for them elsewhere. */
#define WIDE_FEATURES                                                                                                  \
    (VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT |   \
     VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT)

static VkFormatFeatureFlags color_features(enum hw_format format)
{
    VkFormatFeatureFlags features = 0;
    if (is_stored(format) && !is_scaled(format)) /* copies move any texel */
        features |= VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
    /* R9G9B9E5 encodes one value in several ways, so it is a blit source only. */
    if (is_stored(format) && hw_format_info(format)->block_w == 1 && !is_scaled(format))
        features |= VK_FORMAT_FEATURE_BLIT_SRC_BIT |
                    (format == HW_FORMAT_R9G9B9E5_UFLOAT ? 0u : VK_FORMAT_FEATURE_BLIT_DST_BIT);
    if (is_written(format))
        features |= VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
    if (is_atomic(format))
        features |= VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT;
    if (is_rendered(format))
        features |= VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT |
                    (is_blended(format) ? VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT : 0u);
    return features;
}

static VkFormatFeatureFlags find_optimal_features(const struct vc4vk_format *format)
{
    if (!format->aspects)
        return 0;
    if (hw_codec_decoded(format->hw)) /* compressed: the decoded texels are sampled */
        return VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT |
               VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT |
               VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    if (!(format->aspects & COLOR))
        return VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT |
               (format->aspects & DEPTH ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT : 0u) |
               VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT |
               VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
    if (is_wide(format))
        return WIDE_FEATURES;
    VkFormatFeatureFlags features = color_features(format->hw);
    if (is_of_three_words(format->hw))
        features |= VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
    if (is_sampled_natively(format->hw)) /* tests cover blits from sampled to rendered formats */
        features |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT |
                    VK_FORMAT_FEATURE_BLIT_SRC_BIT;
    else if (is_sampled_in_code(format->hw) || is_of_three_words(format->hw))
        features |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT |
                    (is_integer(format->hw) ? 0 : VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
    if (is_rendered(format->hw) && !is_of_three_words(format->hw))
        features |= VK_FORMAT_FEATURE_BLIT_DST_BIT;
    return features;
}

/* Programs can filter so wherever they filter at all. Formats that blits cannot write, such as those of blocks, are
 * left out: no test covers them. */
static VkFormatFeatureFlags minmax_feature(VkFormatFeatureFlags features)
{
    const VkFormatFeatureFlags needed =
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT;
    return (features & needed) == needed ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_MINMAX_BIT : 0;
}

/* Planar images are copied plane by plane and sampled through a conversion, which has one filter for all planes. */
#define PLANAR_FEATURES                                                                                                \
    (VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT |   \
     VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT | VK_FORMAT_FEATURE_MIDPOINT_CHROMA_SAMPLES_BIT |               \
     VK_FORMAT_FEATURE_COSITED_CHROMA_SAMPLES_BIT |                                                                    \
     VK_FORMAT_FEATURE_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT | VK_FORMAT_FEATURE_DISJOINT_BIT)

/* Cached: every image creation calls this. */
VkFormatFeatureFlags vc4vk_format_optimal_features(const struct vc4vk_format *format)
{
    if (format->planar)
        return PLANAR_FEATURES;
    enum { KNOWN = 1 << 30 }; /* marks a computed entry; this bit is no feature */
    static _Atomic uint32_t found[ARRAY_SIZE(formats)];
    uint32_t features = atomic_load_explicit(&found[format - formats], memory_order_relaxed);
    if (!(features & KNOWN)) {
        features = find_optimal_features(format) | KNOWN;
        features |= minmax_feature(features);
        atomic_store_explicit(&found[format - formats], features, memory_order_relaxed);
    }
    return features & ~(uint32_t)KNOWN;
}

/* Programs sample raster images by computing the addresses themselves: the texture unit's raster type 16 computes wrong
 * addresses unless the width is a power of two [guide p.109 HW-2898]. */
VkFormatFeatureFlags vc4vk_format_linear_features(const struct vc4vk_format *format)
{
    if (format->planar)
        return PLANAR_FEATURES;
    if (!(format->aspects & COLOR) || hw_codec_decoded(format->hw))
        return 0;
    if (is_of_three_words(format->hw))
        return 0;
    if (is_wide(format))
        return WIDE_FEATURES;
    VkFormatFeatureFlags features = color_features(format->hw);
    if (is_sampled_in_code(format->hw))
        features |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT |
                    (is_integer(format->hw) ? 0u : VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
    return features;
}

VkFormatFeatureFlags vc4vk_format_buffer_features(const struct vc4vk_format *format)
{
    VkFormatFeatureFlags features = 0;
    if (!format->aspects)
        return VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT;
    if (!(format->aspects & COLOR) || hw_codec_decoded(format->hw) || format->planar)
        return 0;
    if (is_wide(format))
        return VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT | VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT |
               VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT;
    if (is_fetched(format->hw))
        features |= VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT;
    if (is_in_texel_buffers(format->hw))
        features |= VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
    if (is_written(format->hw))
        features |= VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
    if (is_atomic(format->hw))
        features |= VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT;
    return features;
}

bool vc4vk_resolves_by_bytes(enum hw_format format)
{
    const struct hw_format_info *info = hw_format_info(format);
    bool bytes = hw_format_kind(format) == HW_KIND_UNORM && info->block_B == 4 && info->block_w == 1;
    for (uint32_t i = 0; i < info->channels; i++)
        bytes &= info->channel[i].bits == 8;
    return bytes;
}
