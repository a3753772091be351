/* SPDX-License-Identifier: MIT
 *
 * Sampling that the texture unit cannot do by itself: 3D and array images, wide and integer texels, filtering of raw
 * texels in the shader, comparisons, gathers. All results are compared with the reference driver's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "full.vert.h"
#include "sample_1d.frag.h"
#include "sample_1d_array.frag.h"
#include "sample_2d.frag.h"
#include "sample_2d_array.frag.h"
#include "sample_2d_array_int.frag.h"
#include "sample_2d_array_shadow.frag.h"
#include "sample_2d_int.frag.h"
#include "sample_2d_shadow.frag.h"
#include "sample_2d_uint.frag.h"
#include "sample_3d.frag.h"
#include "sample_3d_uint.frag.h"
#include "sample_cube.frag.h"
#include "sample_cube_array.frag.h"
#include "sample_cube_array_shadow.frag.h"
#include "sample_cube_shadow.frag.h"

#define W 64
#define H 64

enum mode { TEXTURE, TEXTURE_LOD, TEXTURE_GRAD, FETCH, OFFSET, GATHER = 6, BIAS };

struct scene {
    struct vkt_image_info image;
    uint32_t texel_B;
    VkSamplerCreateInfo sampler;
    struct vkt_shader fs;
    enum mode mode;
    float push[8];  /* uv: scale, offset; w: scale, offset; LOD; reference */
    bool is_linear; /* linear tiling on the tested device */
};

static struct scene current_scene; /* the case being drawn */

static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Random bits are mostly very large or small floats: sets exponents for values from 0 to 1. */
static void fill(VkFormat format, uint32_t *words, size_t count, uint32_t seed)
{
    static const struct {
        VkFormat format;
        uint32_t mantissas, exponents;
    } floats[] = {
        {VK_FORMAT_R16_SFLOAT, 0x03ff03ff, 0x38003400},
        {VK_FORMAT_R16G16_SFLOAT, 0x03ff03ff, 0x38003400},
        {VK_FORMAT_R16G16B16A16_SFLOAT, 0x03ff03ff, 0x38003400},
        {VK_FORMAT_R32_SFLOAT, 0x007fffff, 0x3f000000},
        {VK_FORMAT_R32G32_SFLOAT, 0x007fffff, 0x3f000000},
        {VK_FORMAT_R32G32B32_SFLOAT, 0x007fffff, 0x3f000000},
        {VK_FORMAT_R32G32B32A32_SFLOAT, 0x007fffff, 0x3f000000},
        {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 0x07c1f83f, 14u << 27 | 14u << 17 | 14u << 6},
        {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 0x07ffffff, 15u << 27},
        {VK_FORMAT_D32_SFLOAT, 0x007fffff, 0x3f000000},
    };
    for (size_t i = 0; i < count; i++) {
        words[i] = hash((uint32_t)i + seed * 7919u);
        for (size_t f = 0; f < VKT_COUNT(floats); f++)
            if (floats[f].format == format)
                words[i] = (words[i] & floats[f].mantissas) | floats[f].exponents;
    }
}

/* Every level of every layer has its own texels. */
static struct vkt_image make_image(struct vkt *t)
{
    struct vkt_image_info info = current_scene.image;
    info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (current_scene.is_linear && t == vkt_device(VKT_TESTED))
        info.tiling = VK_IMAGE_TILING_LINEAR;
    struct vkt_image image = vkt_image_create(t, &info);
    size_t size_B = (size_t)image.width * image.height * image.depth * current_scene.texel_B;
    uint32_t *words = malloc(size_B + 4);
    assert_non_null(words);
    for (uint32_t level = 0; level < image.levels; level++)
        for (uint32_t layer = 0; layer < image.layers; layer++) {
            uint32_t w = image.width >> level, h = image.height >> level, d = image.depth >> level;
            fill(info.format, words, size_B / 4 + 1, 100 * level + layer);
            vkt_image_upload(t, &image, level, layer, words,
                             (w ? w : 1) * (h ? h : 1) * (d ? d : 1) * current_scene.texel_B);
        }
    free(words);
    return image;
}

static void draw(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_image image = make_image(t);
    VkSampler sampler;
    VkSamplerCreateInfo sampler_info = current_scene.sampler;
    sampler_info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
    vkt_ok(vkCreateSampler(t->device, &sampler_info, NULL, &sampler));
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    VkDescriptorSetLayout set_layout = vkt_set_layout_create(t, &binding, 1);
    VkDescriptorSet set = vkt_set_alloc(t, set_layout);
    vkt_set_texture(t, set, 0, image.view, sampler);
    int32_t mode = (int32_t)current_scene.mode;
    const VkSpecializationMapEntry entry = {0, 0, 4};
    const VkSpecializationInfo spec = {1, &entry, 4, &mode};
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                           .fs = current_scene.fs,
                                                           .fs_spec = &spec,
                                                           .pass = target.pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = W,
                                                           .height = H,
                                                           .set_layouts = {set_layout},
                                                           .set_layout_count = 1,
                                                           .push_size_B = 32});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 32,
                       current_scene.push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
    vkt_target_destroy(t, &target);
    vkDestroySampler(t->device, sampler, NULL);
    vkt_image_destroy(t, &image);
}

static VkSamplerCreateInfo sampler(VkFilter filter, VkSamplerAddressMode wrap, float max_lod)
{
    return (VkSamplerCreateInfo){.magFilter = filter,
                                 .minFilter = filter,
                                 .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                 .addressModeU = wrap,
                                 .addressModeV = wrap,
                                 .addressModeW = wrap,
                                 .maxLod = max_lod,
                                 .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE};
}

static bool reports(struct vkt *t, VkFormat format, VkFormatFeatureFlags feature)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(t->physical, format, &properties);
    return (properties.optimalTilingFeatures & feature) == feature;
}

/* ---------------------------------------------------------------- kinds of images */

static const struct kind {
    const char *name;
    struct vkt_image_info image;
    float w_scale, w_offset; /* third coordinate, or layer */
    const uint32_t *spv;
    size_t spv_B;
} kinds[] = {
#define KIND(text, shader, scale, offset, ...)                                                                         \
    {                                                                                                                  \
        text, {.format = VK_FORMAT_R8G8B8A8_UNORM, __VA_ARGS__}, scale, offset, shader, sizeof shader                  \
    }
    KIND("1d", sample_1d_frag, 0, 0, .width = 24, .height = 1, .line = true, .levels = 5),
    KIND("1d_array", sample_1d_array_frag, 3.9f, -0.4f, .width = 24, .height = 1, .line = true, .array = true,
         .layers = 5, .levels = 5),
    KIND("2d_array", sample_2d_array_frag, 3.9f, -0.4f, .width = 40, .height = 20, .array = true, .layers = 5,
         .levels = 6),
    KIND("3d", sample_3d_frag, 0.7f, 0.1f, .width = 20, .height = 12, .depth = 10, .levels = 5),
    KIND("cube", sample_cube_frag, 0, 0, .width = 32, .height = 32, .cube = true, .levels = 6),
    KIND("cube_array", sample_cube_array_frag, 2.4f, -0.4f, .width = 32, .height = 32, .cube = true, .layers = 18,
         .levels = 6),
};

static const struct {
    const char *name;
    enum mode mode;
    VkFilter filter;
    VkSamplerMipmapMode mip;
    unsigned channel, bad_permille;
} ways[] = {
    {"nearest", TEXTURE, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, 1, 40},
    {"linear", TEXTURE, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 6, 40},
    {"lod", TEXTURE_LOD, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 6, 40},
    {"lod_linear", TEXTURE_LOD, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, 8, 40},
    {"grad", TEXTURE_GRAD, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, 1, 60},
    {"fetch", FETCH, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, 1, 20},
    {"offset", OFFSET, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 6, 40},
    {"gather", GATHER, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 1, 40},
    {"bias", BIAS, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, 1, 60},
};

static bool supports_mode(const struct kind *kind, enum mode mode)
{
    if (kind->image.cube)
        return mode != FETCH && mode != OFFSET;
    if (kind->image.line || kind->image.depth)
        return mode != GATHER;
    return true;
}

static bool can_make(struct vkt *t, const struct kind *kind)
{
    VkPhysicalDeviceFeatures features;
    vkGetPhysicalDeviceFeatures(t->physical, &features);
    return !kind->image.cube || !kind->image.layers || features.imageCubeArray;
}

/* Compares all ways to sample all kinds; `in_rows`: with linear tiling on the tested device. */
static void sample_kinds(bool in_rows)
{
    for (size_t k = 0; k < VKT_COUNT(kinds); k++)
        for (size_t i = 0; i < VKT_COUNT(ways); i++) {
            char name[64];
            const struct kind *kind = &kinds[k];
            if (!supports_mode(kind, ways[i].mode) || !can_make(vkt_device(VKT_TESTED), kind))
                continue;
            bool one_level = ways[i].mode == OFFSET;
            current_scene = (struct scene){.image = kind->image,
                                           .texel_B = 4,
                                           .fs = {kind->spv, kind->spv_B},
                                           .mode = ways[i].mode,
                                           .push = {1.31f, 1.57f, -0.21f, -0.13f, kind->w_scale, kind->w_offset},
                                           .is_linear = in_rows};
            current_scene.sampler = sampler(ways[i].filter, VK_SAMPLER_ADDRESS_MODE_REPEAT, one_level ? 0 : 16);
            current_scene.sampler.mipmapMode = ways[i].mip;
            current_scene.push[6] = ways[i].mode == FETCH || ways[i].mode == BIAS ? 1 : 0.3f;
            if (one_level)
                current_scene.image.levels = 1;
            snprintf(name, sizeof name, "%s_%s_%s", in_rows ? "rows" : "direct", kind->name, ways[i].name);
            /* cubes: levels come from the direction's derivatives, which the specification leaves open; edges have
             * seams */
            unsigned bad_permille = ways[i].bad_permille * (kind->image.cube ? 6 : 1);
            vkt_compare_with_reference(name, draw, (struct vkt_tolerance){ways[i].channel, bad_permille});
        }
}

static void all_kinds(void **state)
{
    sample_kinds(false);
}

static void all_kinds_in_rows(void **state)
{
    sample_kinds(true);
}

static void wraps_and_borders(void **state)
{
    (void)state;
    static const struct {
        VkSamplerAddressMode mode;
        const char *name;
    } modes[] = {{VK_SAMPLER_ADDRESS_MODE_REPEAT, "repeat"},
                 {VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, "mirror"},
                 {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, "clamp"},
                 {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, "border"},
                 {VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE, "mirror_once"}};
    for (size_t m = 0; m < VKT_COUNT(modes); m++)
        for (int filter = 0; filter < 2; filter++)
            for (size_t k = 2; k < 4; k++) { /* 2D arrays, 3D */
                char name[64];
                current_scene = (struct scene){.image = kinds[k].image,
                                               .texel_B = 4,
                                               .fs = {kinds[k].spv, kinds[k].spv_B},
                                               .push = {3.01f, 2.53f, -1.13f, -0.87f, 2.2f, -1.1f}};
                current_scene.image.levels = 1;
                current_scene.sampler = sampler(filter ? VK_FILTER_LINEAR : VK_FILTER_NEAREST, modes[m].mode, 0);
                snprintf(name, sizeof name, "direct_%s_%s_%d", kinds[k].name, modes[m].name, filter);
                vkt_compare_with_reference(name, draw, (struct vkt_tolerance){filter ? 6 : 1, 25});
            }
}

/* In the mirrored half of an image, the left texel of a gather is the right one of its footprint. */
static void gathers_of_mirrored_images(void **state)
{
    (void)state;
    current_scene = (struct scene){.image = kinds[2].image,
                                   .texel_B = 4,
                                   .fs = {kinds[2].spv, kinds[2].spv_B},
                                   .mode = GATHER,
                                   .push = {3.01f, 2.53f, -1.13f, -0.87f, 2.2f, -1.1f}};
    current_scene.image.levels = 1;
    current_scene.sampler = sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, 0);
    vkt_compare_with_reference("direct_mirrored_gather", draw, (struct vkt_tolerance){1, 40});
}

/* ---------------------------------------------------------------- formats */

#define FORMAT(name, bytes)                                                                                            \
    {                                                                                                                  \
        VK_FORMAT_##name, bytes, #name                                                                                 \
    }
struct format {
    VkFormat format;
    uint32_t texel_B;
    const char *name;
};

static const struct format numbers[] = {
    FORMAT(R8_UNORM, 1),
    FORMAT(R8_SNORM, 1),
    FORMAT(R8G8_UNORM, 2),
    FORMAT(R8G8_SNORM, 2),
    FORMAT(R8_SRGB, 1),
    FORMAT(R8G8_SRGB, 2),
    FORMAT(R8G8B8A8_UNORM, 4),
    FORMAT(R8G8B8A8_SNORM, 4),
    FORMAT(R8G8B8A8_SRGB, 4),
    FORMAT(B8G8R8A8_UNORM, 4),
    FORMAT(B8G8R8A8_SNORM, 4),
    FORMAT(A8B8G8R8_SNORM_PACK32, 4),
    FORMAT(R5G6B5_UNORM_PACK16, 2),
    FORMAT(B5G6R5_UNORM_PACK16, 2),
    FORMAT(B4G4R4A4_UNORM_PACK16, 2),
    FORMAT(R4G4B4A4_UNORM_PACK16, 2),
    FORMAT(A4R4G4B4_UNORM_PACK16_EXT, 2),
    FORMAT(A4B4G4R4_UNORM_PACK16_EXT, 2),
    FORMAT(A1R5G5B5_UNORM_PACK16, 2),
    FORMAT(R5G5B5A1_UNORM_PACK16, 2),
    FORMAT(B5G5R5A1_UNORM_PACK16, 2),
    FORMAT(A2B10G10R10_UNORM_PACK32, 4),
    FORMAT(A2R10G10B10_UNORM_PACK32, 4),
    FORMAT(A2B10G10R10_SNORM_PACK32, 4),
    FORMAT(A2R10G10B10_SNORM_PACK32, 4),
    FORMAT(R16_UNORM, 2),
    FORMAT(R16_SNORM, 2),
    FORMAT(R16_SFLOAT, 2),
    FORMAT(R16G16_UNORM, 4),
    FORMAT(R16G16_SNORM, 4),
    FORMAT(R16G16_SFLOAT, 4),
    FORMAT(R16G16B16A16_UNORM, 8),
    FORMAT(R16G16B16A16_SNORM, 8),
    FORMAT(R16G16B16A16_SFLOAT, 8),
    FORMAT(R32_SFLOAT, 4),
    FORMAT(R32G32_SFLOAT, 8),
    FORMAT(R32G32B32_SFLOAT, 12),
    FORMAT(R32G32B32A32_SFLOAT, 16),
    FORMAT(B10G11R11_UFLOAT_PACK32, 4),
    FORMAT(E5B9G9R9_UFLOAT_PACK32, 4),
    FORMAT(D16_UNORM, 2),
    FORMAT(X8_D24_UNORM_PACK32, 4),
    FORMAT(D32_SFLOAT, 4),
    FORMAT(R10X6_UNORM_PACK16, 2),
    FORMAT(R10X6G10X6_UNORM_2PACK16, 4),
    FORMAT(R12X4_UNORM_PACK16, 2),
    FORMAT(R12X4G12X4_UNORM_2PACK16, 4),
};

static const struct format integers[] = {
    FORMAT(R8_UINT, 1),
    FORMAT(R8G8_UINT, 2),
    FORMAT(R8G8B8A8_UINT, 4),
    FORMAT(B8G8R8A8_UINT, 4),
    FORMAT(A8B8G8R8_UINT_PACK32, 4),
    FORMAT(A2R10G10B10_UINT_PACK32, 4),
    FORMAT(A2B10G10R10_UINT_PACK32, 4),
    FORMAT(R16_UINT, 2),
    FORMAT(R16G16_UINT, 4),
    FORMAT(R16G16B16A16_UINT, 8),
    FORMAT(R32_UINT, 4),
    FORMAT(R32G32_UINT, 8),
    FORMAT(R32G32B32_UINT, 12),
    FORMAT(R32G32B32A32_UINT, 16),
    FORMAT(R8_SINT, 1),
    FORMAT(R8G8_SINT, 2),
    FORMAT(R8G8B8A8_SINT, 4),
    FORMAT(B8G8R8A8_SINT, 4),
    FORMAT(A8B8G8R8_SINT_PACK32, 4),
    FORMAT(A2B10G10R10_SINT_PACK32, 4),
    FORMAT(A2R10G10B10_SINT_PACK32, 4),
    FORMAT(R16_SINT, 2),
    FORMAT(R16G16_SINT, 4),
    FORMAT(R16G16B16A16_SINT, 8),
    FORMAT(R32_SINT, 4),
    FORMAT(R32G32_SINT, 8),
    FORMAT(R32G32B32_SINT, 12),
    FORMAT(R32G32B32A32_SINT, 16),
};

static void number_formats(void **state)
{
    (void)state;
    /* Formats of 10 and 12 bits came with VK_KHR_sampler_ycbcr_conversion, which this device does not enable. */
    vkt_accept_message(vkt_device(VKT_TESTED),
                       "VUID-VkImageCreateInfo-format-parameter VUID-VkImageViewCreateInfo-format-parameter");
    unsigned tested = 0;
    for (size_t i = 0; i < VKT_COUNT(numbers); i++)
        for (int array = 0; array < 2; array++)
            for (int linear = 0; linear < 2; linear++) {
                VkFormatFeatureFlags feature =
                    linear ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT : VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
                char name[64];
                if (!reports(vkt_device(VKT_TESTED), numbers[i].format, feature) ||
                    !reports(vkt_device(VKT_REFERENCE), numbers[i].format, feature))
                    continue;
                if (numbers[i].format == VK_FORMAT_R8G8B8A8_SRGB && linear && !array)
                    continue; /* the texture unit filters before the shader decodes: inexact on random texels */
                current_scene =
                    (struct scene){.image = {.format = numbers[i].format,
                                             .width = 20,
                                             .height = 20,
                                             .array = array,
                                             .layers = array ? 3 : 1},
                                   .texel_B = numbers[i].texel_B,
                                   .fs = array ? VKT_SHADER(sample_2d_array_frag) : VKT_SHADER(sample_2d_frag),
                                   .push = {1.31f, 1.57f, -0.21f, -0.13f, 1.9f, -0.4f}};
                current_scene.sampler =
                    sampler(linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
                snprintf(name, sizeof name, "%s_%s_%s", numbers[i].name, array ? "array" : "2d",
                         linear ? "linear" : "nearest");
                vkt_compare_with_reference(name, draw, (struct vkt_tolerance){linear ? 6 : 1, 25});
                tested++;
            }
    printf("# %u combinations\n", tested);
    assert_true(tested >= 100);
}

static void integer_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < VKT_COUNT(integers); i++) {
        static const enum mode modes[] = {TEXTURE, FETCH, GATHER};
        bool is_signed = strstr(integers[i].name, "SINT") != NULL;
        for (size_t m = 0; m < VKT_COUNT(modes); m++) {
            char name[64];
            assert_true(reports(vkt_device(VKT_TESTED), integers[i].format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT));
            if (!reports(vkt_device(VKT_REFERENCE), integers[i].format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT))
                continue;
            current_scene =
                (struct scene){.image = {.format = integers[i].format, .width = 20, .height = 20, .levels = 3},
                               .texel_B = integers[i].texel_B,
                               .fs = is_signed ? VKT_SHADER(sample_2d_int_frag) : VKT_SHADER(sample_2d_uint_frag),
                               .mode = modes[m],
                               .push = {1.31f, 1.57f, -0.21f, -0.13f, 0, 0, 1}};
            current_scene.sampler = sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 16);
            snprintf(name, sizeof name, "%s_%d", integers[i].name, (int)modes[m]);
            vkt_compare_with_reference(name, draw, (struct vkt_tolerance){0, 25});
        }
    }
    current_scene.image =
        (struct vkt_image_info){.format = VK_FORMAT_R16_SINT, .width = 20, .height = 20, .array = true, .layers = 4};
    current_scene.texel_B = 2;
    current_scene.fs = VKT_SHADER(sample_2d_array_int_frag);
    current_scene.mode = TEXTURE;
    current_scene.push[4] = 3;
    vkt_compare_with_reference("R16_SINT_array", draw, (struct vkt_tolerance){0, 25});
    current_scene.image =
        (struct vkt_image_info){.format = VK_FORMAT_R32G32_UINT, .width = 20, .height = 12, .depth = 9};
    current_scene.texel_B = 8;
    current_scene.fs = VKT_SHADER(sample_3d_uint_frag);
    current_scene.push[4] = 0.9f;
    vkt_compare_with_reference("R32G32_UINT_3d", draw, (struct vkt_tolerance){0, 25});
}

/* ---------------------------------------------------------------- linear tiling */

static bool is_sampled_in_rows(VkFormat format, bool filtered)
{
    const VkFormatFeatureFlags wanted =
        filtered ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT : VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(vkt_device(VKT_TESTED)->physical, format, &properties);
    return properties.linearTilingFeatures & wanted;
}

static void sample_rows(const struct format *format, struct vkt_shader fs, bool filtered, enum mode mode, unsigned off)
{
    char name[64];
    const uint32_t width = format->texel_B == 4 ? 77 : 64; /* powers of two and others */
    current_scene = (struct scene){.image = {.format = format->format, .width = width, .height = 20},
                                   .texel_B = format->texel_B,
                                   .fs = fs,
                                   .mode = mode,
                                   .push = {1.31f, 1.57f, -0.21f, -0.13f},
                                   .is_linear = true};
    current_scene.sampler = sampler(filtered ? VK_FILTER_LINEAR : VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    snprintf(name, sizeof name, "rows_%s_%d%s", format->name, (int)mode, filtered ? "_linear" : "");
    vkt_compare_with_reference(name, draw, (struct vkt_tolerance){off, 25});
}

/* Images with linear tiling, in every color format that can be sampled with optimal tiling. */
static void formats_in_rows(void **state)
{
    for (size_t i = 0; i < VKT_COUNT(numbers); i++) {
        if (strchr("DX", numbers[i].name[0]) || numbers[i].texel_B == 12) /* depth; three words */
            continue;
        assert_true(is_sampled_in_rows(numbers[i].format, false) && is_sampled_in_rows(numbers[i].format, true));
        if (!reports(vkt_device(VKT_REFERENCE), numbers[i].format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT))
            continue;
        sample_rows(&numbers[i], VKT_SHADER(sample_2d_frag), false, FETCH, 1);
        sample_rows(&numbers[i], VKT_SHADER(sample_2d_frag), false, TEXTURE, 1);
        if (reports(vkt_device(VKT_REFERENCE), numbers[i].format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT))
            sample_rows(&numbers[i], VKT_SHADER(sample_2d_frag), true, TEXTURE, 6);
    }
    for (size_t i = 0; i < VKT_COUNT(integers); i++) {
        const bool is_signed = strstr(integers[i].name, "SINT") != NULL;
        if (integers[i].texel_B == 12)
            continue;
        assert_true(is_sampled_in_rows(integers[i].format, false) && !is_sampled_in_rows(integers[i].format, true));
        if (reports(vkt_device(VKT_REFERENCE), integers[i].format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT))
            sample_rows(&integers[i], is_signed ? VKT_SHADER(sample_2d_int_frag) : VKT_SHADER(sample_2d_uint_frag),
                        false, FETCH, 0);
    }
}

/* Levels, layers and slices in rows, of texels of every size. */
static void texels_of_kinds_in_rows(void **state)
{
    static const struct format sizes[] = {FORMAT(R8_UNORM, 1), FORMAT(R8G8_UNORM, 2), FORMAT(R5G6B5_UNORM_PACK16, 2),
                                          FORMAT(R16G16B16A16_SFLOAT, 8), FORMAT(R32G32B32A32_SFLOAT, 16)};
    for (size_t k = 0; k < VKT_COUNT(kinds); k++)
        for (size_t f = 0; f < VKT_COUNT(sizes); f++) {
            char name[64];
            const struct kind *kind = &kinds[k];
            if (!can_make(vkt_device(VKT_TESTED), kind))
                continue;
            current_scene = (struct scene){.image = kind->image,
                                           .texel_B = sizes[f].texel_B,
                                           .fs = {kind->spv, kind->spv_B},
                                           .mode = TEXTURE_LOD,
                                           .push = {1.31f, 1.57f, -0.21f, -0.13f, kind->w_scale, kind->w_offset, 1},
                                           .is_linear = true};
            current_scene.image.format = sizes[f].format;
            current_scene.sampler = sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 16);
            snprintf(name, sizeof name, "rows_%s_%s", kind->name, sizes[f].name);
            vkt_compare_with_reference(name, draw, (struct vkt_tolerance){1, kind->image.cube ? 120 : 25});
        }
}

/* ---------------------------------------------------------------- comparisons */

static void shadows(void **state)
{
    (void)state;
    static const struct kind shadow_kinds[] = {
        KIND("2d", sample_2d_shadow_frag, 0, 0, .width = 20, .height = 20),
        KIND("2d_array", sample_2d_array_shadow_frag, 2.9f, -0.4f, .width = 20, .height = 20, .array = true,
             .layers = 4),
        KIND("cube", sample_cube_shadow_frag, 0, 0, .width = 32, .height = 32, .cube = true),
        KIND("cube_array", sample_cube_array_shadow_frag, 1.4f, -0.4f, .width = 32, .height = 32, .cube = true,
             .layers = 12),
    };
    static const VkCompareOp ops[] = {VK_COMPARE_OP_LESS, VK_COMPARE_OP_GREATER_OR_EQUAL};
    for (size_t k = 0; k < VKT_COUNT(shadow_kinds); k++)
        for (size_t op = 0; op < VKT_COUNT(ops); op++)
            for (int way = 0; way < 3; way++) { /* nearest, linear, gather */
                char name[64];
                const struct kind *kind = &shadow_kinds[k];
                if (!can_make(vkt_device(VKT_TESTED), kind) || (way == 2 && k == 3))
                    continue;
                current_scene =
                    (struct scene){.image = kind->image,
                                   .texel_B = 2,
                                   .fs = {kind->spv, kind->spv_B},
                                   .mode = way == 2 ? GATHER : TEXTURE,
                                   .push = {1.31f, 1.57f, -0.21f, -0.13f, kind->w_scale, kind->w_offset, 0, 0.45f}};
                current_scene.image.format = VK_FORMAT_D16_UNORM;
                current_scene.sampler =
                    sampler(way ? VK_FILTER_LINEAR : VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
                current_scene.sampler.compareEnable = VK_TRUE;
                current_scene.sampler.compareOp = ops[op];
                snprintf(name, sizeof name, "shadow_%s_%d_%d", kind->name, (int)op, way);
                vkt_compare_with_reference(name, draw, (struct vkt_tolerance){4, 30});
            }
}

/* ---------------------------------------------------------------- different filters, blended levels */

static void filters_of_raw_texels(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        VkFilter mag, min;
        VkSamplerMipmapMode mip;
        float scale, bias;
    } cases[] = {
        {"raw_mag_linear", VK_FILTER_LINEAR, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, 0.4f, 0},
        {"raw_min_linear", VK_FILTER_NEAREST, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 9.1f, 0},
        {"raw_trilinear", VK_FILTER_LINEAR, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, 7.3f, 0},
        {"raw_mip_linear", VK_FILTER_NEAREST, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_LINEAR, 7.3f, 0},
        {"raw_bias", VK_FILTER_LINEAR, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 2.2f, 1.2f},
    };
    for (size_t i = 0; i < VKT_COUNT(cases); i++)
        for (int array = 0; array < 2; array++) {
            char name[64];
            current_scene = (struct scene){.image = {.format = VK_FORMAT_R16G16B16A16_SFLOAT,
                                                     .width = 32,
                                                     .height = 32,
                                                     .levels = 6,
                                                     .array = array,
                                                     .layers = array ? 2 : 1},
                                           .texel_B = 8,
                                           .fs = array ? VKT_SHADER(sample_2d_array_frag) : VKT_SHADER(sample_2d_frag),
                                           .push = {cases[i].scale, cases[i].scale, -0.21f, -0.13f, 1.9f, -0.4f}};
            current_scene.sampler = sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 16);
            current_scene.sampler.magFilter = cases[i].mag;
            current_scene.sampler.minFilter = cases[i].min;
            current_scene.sampler.mipmapMode = cases[i].mip;
            current_scene.sampler.mipLodBias = cases[i].bias;
            snprintf(name, sizeof name, "%s_%s", cases[i].name, array ? "array" : "2d");
            vkt_compare_with_reference(name, draw, (struct vkt_tolerance){8, 30});
        }
}

/* ---------------------------------------------------------------- larger than the texture unit supports */

static void large_images(void **state)
{
    (void)state;
    static const struct {
        uint32_t width, height, levels;
        enum mode mode;
        const char *name;
    } cases[] = {
        {4096, 24, 1, TEXTURE, "large_4096x24"}, {16384, 5, 1, TEXTURE, "large_16384x5"},
        {6, 16384, 1, FETCH, "large_6x16384"},   {16384, 8, 15, TEXTURE_LOD, "large_16384x8_levels"},
        {20, 3000, 1, FETCH, "large_20x3000"},   {3000, 40, 12, TEXTURE_LOD, "large_3000x40_levels"},
    };
    for (size_t i = 0; i < VKT_COUNT(cases); i++) {
        current_scene = (struct scene){
            .image = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                      .width = cases[i].width,
                      .height = cases[i].height,
                      .levels = cases[i].levels},
            .texel_B = 4,
            .sampler = sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT, 16),
            .fs = VKT_SHADER(sample_2d_frag),
            .mode = cases[i].mode,
            .push = {0.07f, 0.09f, 0.91f, 0.87f},
        };
        vkt_compare_with_reference(cases[i].name, draw, (struct vkt_tolerance){12, 40});
        if (cases[i].levels > 1)
            continue;
        char name[64];
        snprintf(name, sizeof name, "%s_rows", cases[i].name);
        current_scene.is_linear = true;
        vkt_compare_with_reference(name, draw, (struct vkt_tolerance){12, 40});
    }
}

/* The longest rows in bytes: a descriptor counts their words in 16 bits. */
static void longest_rows(void **state)
{
    (void)state;
    VkImageFormatProperties limits;
    const VkResult result = vkGetPhysicalDeviceImageFormatProperties(
        vkt_device(VKT_TESTED)->physical, VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_LINEAR,
        VK_IMAGE_USAGE_SAMPLED_BIT, 0, &limits);
    assert_int_equal(result, VK_SUCCESS);
    assert_int_equal(limits.maxExtent.width, 8192);
    current_scene = (struct scene){
        .image = {.format = VK_FORMAT_R32G32B32A32_SFLOAT, .width = 8192, .height = 3, .levels = 1},
        .texel_B = 16,
        .sampler = sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 16),
        .fs = VKT_SHADER(sample_2d_frag),
        .mode = FETCH,
        .push = {0.07f, 0.09f, 0.91f, 0.87f},
        .is_linear = true,
    };
    vkt_compare_with_reference("longest_rows", draw, (struct vkt_tolerance){1, 25});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(all_kinds, vkt_check_messages),
        cmocka_unit_test_teardown(all_kinds_in_rows, vkt_check_messages),
        cmocka_unit_test_teardown(wraps_and_borders, vkt_check_messages),
        cmocka_unit_test_teardown(gathers_of_mirrored_images, vkt_check_messages),
        cmocka_unit_test_teardown(number_formats, vkt_check_messages),
        cmocka_unit_test_teardown(integer_formats, vkt_check_messages),
        cmocka_unit_test_teardown(formats_in_rows, vkt_check_messages),
        cmocka_unit_test_teardown(texels_of_kinds_in_rows, vkt_check_messages),
        cmocka_unit_test_teardown(shadows, vkt_check_messages),
        cmocka_unit_test_teardown(filters_of_raw_texels, vkt_check_messages),
        cmocka_unit_test_teardown(large_images, vkt_check_messages),
        cmocka_unit_test_teardown(longest_rows, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("texture_direct", tests, NULL, vkt_teardown);
}
