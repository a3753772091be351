/* SPDX-License-Identifier: MIT
 *
 * The format table: every row matches its Vulkan name, the reported features are as expected, and image creation agrees
 * with the format queries.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "device/vc4vk_format.h"
#include "device/vc4vk_image.h"
#include "harness.h"

/* Bits of the component `letter` in a name like A2B10G10R10_UNORM_PACK32; 0 when it has none. */
static uint32_t bits_in_name(const char *name, char letter)
{
    for (; *name && *name != '_'; name++)
        if (*name == letter && isdigit((unsigned char)name[1]))
            return (uint32_t)strtoul(name + 1, NULL, 10);
    return 0;
}

static enum hw_kind kind_in_name(const char *name)
{
    static const struct {
        const char *word;
        enum hw_kind kind;
    } kinds[] = {{"_UNORM", HW_KIND_UNORM},     {"_SNORM", HW_KIND_SNORM},  {"_USCALED", HW_KIND_USCALED},
                 {"_SSCALED", HW_KIND_SSCALED}, {"_UINT", HW_KIND_UINT},    {"_SINT", HW_KIND_SINT},
                 {"_UFLOAT", HW_KIND_UFLOAT},   {"_SFLOAT", HW_KIND_FLOAT}, {"_SRGB", HW_KIND_SRGB}};
    for (uint32_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strstr(name, kinds[i].word))
            return kinds[i].kind;
    return HW_KIND_NONE;
}

/* The bit offset of a component. Packed names list the components from the top bit down, others from the first byte
 * up; of two packed units, each has one component and the padding below it. */
static uint32_t expected_shift(const char *name, char letter)
{
    bool packed = strstr(name, "_PACK") != NULL;
    uint32_t below = 0, above = 0;
    bool passed = false;
    for (const char *c = name; *c && *c != '_'; c++) {
        if (!isalpha((unsigned char)*c))
            continue;
        if (*c == letter)
            passed = true;
        else if (passed)
            above += bits_in_name(name, *c);
        else
            below += bits_in_name(name, *c);
    }
    if (strstr(name, "_2PACK16"))
        return below + bits_in_name(name, 'X');
    return packed ? above : below;
}

static void colors_match_their_names(void **state)
{
    uint32_t count, rows = 0;
    const struct vc4vk_format *table = vc4vk_format_table(&count);
    for (uint32_t i = 0; i < count; i++) {
        const struct vc4vk_format *f = &table[i];
        if (!f->name || !(f->aspects & VK_IMAGE_ASPECT_COLOR_BIT))
            continue;
        rows++;
        if (i <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK)
            assert_int_equal(f->vk, i);
        assert_ptr_equal(vc4vk_format(f->vk), f);
        const struct hw_format_info *info = hw_format_info(f->hw);
        assert_int_equal(hw_format_kind(f->hw), kind_in_name(f->name));
        if (f->vk == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32)
            continue; /* the shared exponent is not a channel */
        if (f->vk == VK_FORMAT_R64_UINT || f->vk == VK_FORMAT_R64_SINT)
            continue; /* two channels stand for the one */
        if (info->block_w > 1)
            continue; /* compressed blocks have no channels */
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t bits = bits_in_name(f->name, "RGBA"[c]);
            if (!bits) {
                assert_true(info->swizzle[c] == HW_SWIZZLE_0 || info->swizzle[c] == HW_SWIZZLE_1);
                continue;
            }
            assert_in_range(info->swizzle[c], HW_SWIZZLE_X, HW_SWIZZLE_W);
            const struct hw_channel *channel = &info->channel[info->swizzle[c]];
            if (channel->bits != bits || channel->shift != expected_shift(f->name, "RGBA"[c]))
                fail_msg("%s: %c has %u bits at bit %u", f->name, "RGBA"[c], channel -> bits, channel -> shift);
        }
    }
    assert_true(rows > 80);
}

static void depth_is_lowered(void **state)
{
    const VkImageUsageFlags attachment = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    static const VkFormat formats[] = {VK_FORMAT_D16_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_D32_SFLOAT,
                                       VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_D32_SFLOAT_S8_UINT};
    for (uint32_t i = 0; i < ARRAY_SIZE(formats); i++)
        assert_int_equal(vc4vk_format_storage(vc4vk_format(formats[i]), attachment), HW_FORMAT_Z24S8);
    assert_int_equal(vc4vk_format_storage(vc4vk_format(VK_FORMAT_D32_SFLOAT), VK_IMAGE_USAGE_TRANSFER_DST_BIT),
                     HW_FORMAT_Z32_FLOAT);
    const struct vc4vk_format *r8 = vc4vk_format(VK_FORMAT_R8_UNORM);
    assert_int_equal(vc4vk_format_storage(r8, VK_IMAGE_USAGE_SAMPLED_BIT), HW_FORMAT_R8_UNORM);
    assert_int_equal(vc4vk_format_storage(r8, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT), HW_FORMAT_R8_UNORM_WORD);
    assert_int_equal(
        vc4vk_format_storage(r8, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_STORAGE_BIT), HW_FORMAT_R8_UNORM);
    const struct vc4vk_format *d24s8 = vc4vk_format(VK_FORMAT_D24_UNORM_S8_UINT);
    assert_int_equal(vc4vk_format_copy_B(d24s8, VK_IMAGE_ASPECT_DEPTH_BIT), 4);
    assert_int_equal(vc4vk_format_copy_B(d24s8, VK_IMAGE_ASPECT_STENCIL_BIT), 1);
    assert_int_equal(vc4vk_format_copy_B(vc4vk_format(VK_FORMAT_D16_UNORM), VK_IMAGE_ASPECT_DEPTH_BIT), 2);
}

/* The features that vkcube and the demo need, and no features for formats that the driver does not support. */
static void features(void **state)
{
    const struct harness *h = *state;
    VkFormatProperties p;
    const VkFormatFeatureFlags sampled =
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    const VkFormatFeatureFlags target =
        VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT;
    vc4vk_GetPhysicalDeviceFormatProperties(h->physical, VK_FORMAT_B8G8R8A8_SRGB, &p);
    assert_int_equal(p.optimalTilingFeatures & (sampled | target), sampled | target);
    assert_int_equal(p.linearTilingFeatures & sampled, sampled); /* swapchain images are linear */
    vc4vk_GetPhysicalDeviceFormatProperties(h->physical, VK_FORMAT_R8_UNORM, &p);
    assert_int_equal(p.optimalTilingFeatures & (sampled | target), sampled | target);
    assert_int_equal(p.linearTilingFeatures & target, target); /* drawn through staging copies of whole words */
    vc4vk_GetPhysicalDeviceFormatProperties(h->physical, VK_FORMAT_R16G16B16A16_SFLOAT, &p);
    assert_int_equal(p.optimalTilingFeatures & target, target);
    vc4vk_GetPhysicalDeviceFormatProperties(h->physical, VK_FORMAT_R32G32B32A32_SFLOAT, &p);
    assert_int_equal(p.optimalTilingFeatures & target, target);
    vc4vk_GetPhysicalDeviceFormatProperties(h->physical, VK_FORMAT_D16_UNORM, &p);
    assert_true(p.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT);
    assert_int_equal(p.linearTilingFeatures, 0);
    vc4vk_GetPhysicalDeviceFormatProperties(h->physical, VK_FORMAT_R32G32B32_SFLOAT, &p);
    assert_int_equal(p.optimalTilingFeatures & (sampled | target), sampled | target); /* planes of words */
    assert_int_equal(p.linearTilingFeatures, 0);
    assert_int_equal(p.bufferFeatures,
                     VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT | VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT);
    for (VkFormat format = VK_FORMAT_R64_SFLOAT; format <= VK_FORMAT_R64G64B64A64_SFLOAT; format++) {
        vc4vk_GetPhysicalDeviceFormatProperties(h->physical, format, &p);
        assert_int_equal(p.optimalTilingFeatures | p.linearTilingFeatures, 0);
        assert_int_equal(p.bufferFeatures, VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT);
        assert_int_equal(vc4vk_format_hw(format), HW_FORMAT_NONE); /* of texels */
    }
    static const VkFormat unknown[] = {VK_FORMAT_UNDEFINED, VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK_EXT,
                                       VK_FORMAT_G8B8G8R8_422_UNORM, (VkFormat)0x7ffffffe, (VkFormat)-1};
    for (uint32_t i = 0; i < ARRAY_SIZE(unknown); i++) {
        vc4vk_GetPhysicalDeviceFormatProperties(h->physical, unknown[i], &p);
        assert_int_equal(p.optimalTilingFeatures | p.linearTilingFeatures | p.bufferFeatures, 0);
    }
}

/* Attributes are as large as their names say; components of 64 bits beyond two take the next location. */
static void attributes_match_their_names(void **state)
{
    uint32_t count;
    const struct vc4vk_format *table = vc4vk_format_table(&count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits = 0, widest = 0;
        if (!table[i].name || !(vc4vk_format_buffer_features(&table[i]) & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT))
            continue;
        for (uint32_t c = 0; c < 4; c++) {
            bits += bits_in_name(table[i].name, "RGBA"[c]);
            widest = MAX2(widest, bits_in_name(table[i].name, "RGBA"[c]));
        }
        const struct vc4vk_attribute_format a = vc4vk_format_attribute(table[i].vk);
        assert_int_equal(a.size_B * 8, bits);
        assert_int_equal(a.hw[1] != HW_FORMAT_NONE, widest == 64 && bits > 128);
        if (widest == 64)
            assert_int_equal(hw_format_info(a.hw[0])->block_B, MIN2(a.size_B, 16));
    }
    assert_int_equal(vc4vk_format_attribute((VkFormat)-1).size_B, 0);
}

/* vkGetPhysicalDeviceImageFormatProperties and vkCreateImage agree, over all formats, usages, types and tilings. */
static void images_follow_the_queries(void **state)
{
    const struct harness *h = *state;
    uint32_t yes = 0, no = 0;
    for (uint32_t format = 0; format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; format++)
        for (uint32_t tiling = 0; tiling < 2; tiling++)
            for (uint32_t type = 0; type < 3; type++)
                for (uint32_t usage = 1; usage < 256; usage++) {
                    VkImageFormatProperties p;
                    VkResult result = vc4vk_GetPhysicalDeviceImageFormatProperties(
                        h->physical, (VkFormat)format, (VkImageType)type, (VkImageTiling)tiling, usage, 0, &p);
                    if (result != VK_SUCCESS) {
                        assert_int_equal(result, VK_ERROR_FORMAT_NOT_SUPPORTED);
                        assert_int_equal(p.maxMipLevels, 0);
                        no++;
                        continue;
                    }
                    yes++;
                    const VkImageCreateInfo info = {
                        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                        .imageType = (VkImageType)type,
                        .format = (VkFormat)format,
                        .extent = {p.maxExtent.width, MIN2(p.maxExtent.height, 33), 1},
                        .mipLevels = p.maxMipLevels,
                        .arrayLayers = MIN2(p.maxArrayLayers, 32),
                        .samples = VK_SAMPLE_COUNT_1_BIT,
                        .tiling = (VkImageTiling)tiling,
                        .usage = usage,
                    };
                    VkImage image;
                    VkMemoryRequirements needs;
                    assert_int_equal(vc4vk_CreateImage(h->device, &info, NULL, &image), VK_SUCCESS);
                    vc4vk_GetImageMemoryRequirements(h->device, image, &needs);
                    assert_true(needs.size <= p.maxResourceSize && needs.size % needs.alignment == 0);
                    vc4vk_DestroyImage(h->device, image, NULL);
                }
    assert_true(yes > 100 && no > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colors_match_their_names),
        cmocka_unit_test(depth_is_lowered),
        cmocka_unit_test(features),
        cmocka_unit_test(attributes_match_their_names),
        cmocka_unit_test(images_follow_the_queries),
    };
    return cmocka_run_group_tests_name("formats", tests, harness_set_up, harness_tear_down);
}
