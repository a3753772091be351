/* SPDX-License-Identifier: MIT
 *
 * Sampling: filters, wrap modes, mip levels, cubes, formats, texel fetches.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "fetch.frag.h"
#include "full.vert.h"
#include "texture.frag.h"
#include "texture_centres.frag.h"
#include "texture_cube.frag.h"
#include "texture_lod.frag.h"
#include "texture_scaled.frag.h"

#define W 64
#define H 64

static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static void random_texels(void *out, size_t size_B, uint32_t seed)
{
    uint8_t *bytes = out;
    for (size_t i = 0; i < size_B; i++)
        bytes[i] = (uint8_t)hash((uint32_t)i + seed * 7919u);
}

static uint32_t format_texel_B;

struct sampled {
    struct vkt_image *image;
    VkSampler sampler;
    struct vkt_shader fs;
    float push[4];
    VkFormat target_format; /* default R8G8B8A8_UNORM */
    uint32_t width, height; /* of the target; 0: W, H */
};

/* Draws the whole target with one quad that samples the image. Destroys the image and the sampler. */
static void draw_sampled(struct vkt *t, struct sampled s, struct vkt_picture *out)
{
    VkFormat format = s.target_format ? s.target_format : VK_FORMAT_R8G8B8A8_UNORM;
    const uint32_t width = s.width ? s.width : W, height = s.height ? s.height : H;
    struct vkt_target target = vkt_target_create(t, width, height, format, VK_FORMAT_UNDEFINED);
    struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    VkDescriptorSetLayout set_layout = vkt_set_layout_create(t, &binding, 1);
    VkDescriptorSet set = vkt_set_alloc(t, set_layout);
    vkt_set_texture(t, set, 0, s.image->view, s.sampler);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                           .fs = s.fs,
                                                           .pass = target.pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = width,
                                                           .height = height,
                                                           .set_layouts = {set_layout},
                                                           .set_layout_count = 1,
                                                           .push_size_B = 16});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16, s.push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
    vkt_target_destroy(t, &target);
    vkDestroySampler(t->device, s.sampler, NULL);
    vkt_image_destroy(t, s.image);
}

/* Random bits are mostly very large or small floats: keeps the mantissas and sets exponents for values from 0 to 1. */
static void limit_exponents(VkFormat format, uint32_t *words, size_t count)
{
    static const struct {
        VkFormat format;
        uint32_t mantissas, exponents;
    } floats[] = {
        {VK_FORMAT_R16G16_SFLOAT, 0x03ff03ff, 0x38003400},
        {VK_FORMAT_R32_SFLOAT, 0x007fffff, 0x3f000000},
        {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 0x07c1f83f, 14u << 27 | 14u << 17 | 14u << 6},
        {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 0x07ffffff, 15u << 27},
    };
    for (size_t f = 0; f < VKT_COUNT(floats); f++)
        for (size_t i = 0; i < count && floats[f].format == format; i++)
            words[i] = (words[i] & floats[f].mantissas) | floats[f].exponents;
}

static struct vkt_image random_image(struct vkt *t, VkFormat format, uint32_t texel_B, uint32_t width, uint32_t height)
{
    struct vkt_image image =
        vkt_image_create(t, &(struct vkt_image_info){
                                .format = format,
                                .width = width,
                                .height = height,
                                .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                            });
    uint32_t size_B = width * height * texel_B;
    uint8_t *texels = malloc(size_B);
    assert_non_null(texels);
    random_texels(texels, size_B, width);
    limit_exponents(format, (uint32_t *)(void *)texels, size_B / 4);
    vkt_image_upload(t, &image, 0, 0, texels, size_B);
    free(texels);
    return image;
}

/* With one texel per pixel the result equals the image. */
static uint8_t expected_texels[W * H * 4];

static void expected_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    memcpy(rgba, expected_texels + 4 * (y * W + x), 4);
}

static void nearest_is_exact(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_image image = random_image(t, VK_FORMAT_R8G8B8A8_UNORM, 4, W, H);
    random_texels(expected_texels, sizeof expected_texels, W);
    struct vkt_picture got, expected = vkt_picture_compute(W, H, expected_pixel);
    draw_sampled(t,
                 (struct sampled){&image,
                                  vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                     VK_SAMPLER_ADDRESS_MODE_REPEAT, 0),
                                  VKT_SHADER(texture_frag)},
                 &got);
    vkt_compare("nearest", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
}

static void fetch_is_exact(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_image image = random_image(t, VK_FORMAT_R8G8B8A8_UNORM, 4, W, H);
    random_texels(expected_texels, sizeof expected_texels, W);
    struct vkt_picture got, expected = vkt_picture_compute(W, H, expected_pixel);
    draw_sampled(t,
                 (struct sampled){&image,
                                  vkt_sampler_create(t, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                     VK_SAMPLER_ADDRESS_MODE_REPEAT, 0),
                                  VKT_SHADER(fetch_frag)},
                 &got);
    vkt_compare("fetch", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
}

#define CENTRE_W 500 /* texel centers have no exact coordinates at this width */
#define CENTRE_H 37

static uint8_t centre_texels[CENTRE_H][CENTRE_W][4];
static VkSamplerAddressMode centre_wrap;
static VkFormat centre_format;
static bool centre_gathers;

/* A byte of the image as a UNORM target shows it. */
static uint8_t shown_byte(uint8_t byte)
{
    if (centre_format == VK_FORMAT_R8G8B8A8_UNORM)
        return byte;
    return byte < 128 ? (uint8_t)((byte * 255 + 63) / 127) : 0; /* SNORM */
}

static uint8_t green_at(uint32_t x, uint32_t y)
{
    if (x == CENTRE_W)
        x = centre_wrap == VK_SAMPLER_ADDRESS_MODE_REPEAT ? 0 : CENTRE_W - 1;
    if (y == CENTRE_H)
        y = centre_wrap == VK_SAMPLER_ADDRESS_MODE_REPEAT ? 0 : CENTRE_H - 1;
    return shown_byte(centre_texels[y][x][1]);
}

static void centre_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    for (uint32_t i = 0; i < 4; i++)
        rgba[i] = centre_gathers ? green_at(x + (i & 1), y + (i >> 1)) : shown_byte(centre_texels[y][x][i]);
}

/* Shaders such as FXAA and SMAA sample texel centers at interpolated coordinates and rely on getting that texel. */
static void middles_of_texels(void **state)
{
    static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SNORM};
    static const VkSamplerAddressMode wraps[] = {VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
                                                 VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t i = 0; i < 2 * VKT_COUNT(formats) * VKT_COUNT(wraps); i++) {
        char name[64];
        centre_gathers = i & 1;
        centre_format = formats[i / 2 % VKT_COUNT(formats)];
        centre_wrap = wraps[i / 2 / VKT_COUNT(formats)];
        random_texels(centre_texels, sizeof centre_texels, CENTRE_W); /* same contents as random_image() makes */
        struct vkt_image image = random_image(t, centre_format, 4, CENTRE_W, CENTRE_H);
        struct vkt_picture got, expected = vkt_picture_compute(CENTRE_W, CENTRE_H, centre_pixel);
        draw_sampled(t,
                     (struct sampled){.image = &image,
                                      .sampler = vkt_sampler_create(t, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                                    centre_wrap, 0),
                                      .fs = VKT_SHADER(texture_centres_frag),
                                      .push = {centre_gathers ? 1.0f : 0.0f},
                                      .width = CENTRE_W,
                                      .height = CENTRE_H},
                     &got);
        snprintf(name, sizeof name, "middles_%u", i);
        vkt_compare(name, &expected, &got, (struct vkt_tolerance){centre_format != VK_FORMAT_R8G8B8A8_UNORM, 0});
        vkt_picture_free(&got);
        vkt_picture_free(&expected);
    }
}

static VkSamplerAddressMode wrap_mode;
static VkFilter wrap_filter;

static void wrap_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_image image = random_image(t, VK_FORMAT_R8G8B8A8_UNORM, 4, 8, 16);
    draw_sampled(t,
                 (struct sampled){
                     &image,
                     vkt_sampler_create(t, wrap_filter, VK_SAMPLER_MIPMAP_MODE_NEAREST, wrap_mode, 0),
                     VKT_SHADER(texture_scaled_frag),
                     {3.01f, 2.53f, -1.13f, -0.87f},
                 },
                 out);
}

static void wraps(void **state)
{
    static const struct {
        VkSamplerAddressMode mode;
        const char *nearest, *linear;
    } modes[] = {
        {VK_SAMPLER_ADDRESS_MODE_REPEAT, "wrap_repeat_nearest", "wrap_repeat_linear"},
        {VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, "wrap_mirror_nearest", "wrap_mirror_linear"},
        {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, "wrap_clamp_nearest", "wrap_clamp_linear"},
        {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, "wrap_border_nearest", "wrap_border_linear"},
    };
    for (size_t i = 0; i < VKT_COUNT(modes); i++) {
        wrap_mode = modes[i].mode;
        wrap_filter = VK_FILTER_NEAREST;
        vkt_compare_with_reference(modes[i].nearest, wrap_scene, (struct vkt_tolerance){1, 25});
        wrap_filter = VK_FILTER_LINEAR;
        vkt_compare_with_reference(modes[i].linear, wrap_scene, (struct vkt_tolerance){6, 20});
    }
}

/* Every level has its own color; the shader samples levels 0..3 from left to right. */
static const uint8_t level_colors[7][4] = {{255, 0, 0, 255},   {0, 255, 0, 255},   {0, 0, 255, 255}, {255, 255, 0, 255},
                                           {255, 0, 255, 255}, {0, 255, 255, 255}, {9, 9, 9, 255}};

static struct vkt_image level_image(struct vkt *t, VkFormat format, uint32_t width, uint32_t height, uint32_t levels)
{
    struct vkt_image image =
        vkt_image_create(t, &(struct vkt_image_info){
                                .format = format,
                                .width = width,
                                .height = height,
                                .levels = levels,
                                .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                            });
    for (uint32_t level = 0; level < levels; level++) {
        uint32_t texels[64 * 64];
        for (size_t i = 0; i < VKT_COUNT(texels); i++)
            memcpy(&texels[i], level_colors[level], 4);
        uint32_t w = width >> level ? width >> level : 1, h = height >> level ? height >> level : 1;
        vkt_image_upload(t, &image, level, 0, texels, w * h * 4);
    }
    return image;
}

static void level_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    memcpy(rgba, level_colors[x * 4 / W], 4);
}

static void explicit_levels(void **state)
{
    static const struct {
        uint32_t width, height, levels;
        const char *name;
    } sizes[] = {{64, 64, 7, "levels_64x64"}, {64, 16, 7, "levels_64x16"}, {50, 30, 6, "levels_50x30"}};
    struct vkt *t = vkt_device(VKT_TESTED);
    for (size_t i = 0; i < VKT_COUNT(sizes); i++) {
        struct vkt_image image =
            level_image(t, VK_FORMAT_R8G8B8A8_UNORM, sizes[i].width, sizes[i].height, sizes[i].levels);
        struct vkt_picture got, expected = vkt_picture_compute(W, H, level_pixel);
        draw_sampled(t,
                     (struct sampled){&image,
                                      vkt_sampler_create(t, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                         VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 16),
                                      VKT_SHADER(texture_lod_frag)},
                     &got);
        vkt_compare(sizes[i].name, &expected, &got, (struct vkt_tolerance){0, 0});
        vkt_picture_free(&got);
        vkt_picture_free(&expected);
    }
}

static float minify_scale;

static void minify_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_image image = level_image(t, VK_FORMAT_R8G8B8A8_UNORM, 64, 64, 7);
    draw_sampled(t,
                 (struct sampled){&image,
                                  vkt_sampler_create(t, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                     VK_SAMPLER_ADDRESS_MODE_REPEAT, 16),
                                  VKT_SHADER(texture_scaled_frag),
                                  {minify_scale, minify_scale, 0, 0}},
                 out);
}

static void automatic_levels(void **state)
{
    static const char *const names[] = {"minify_1", "minify_2", "minify_4", "minify_8"};
    for (int i = 0; i < 4; i++) {
        minify_scale = (float)(1 << i) * 1.1f;
        vkt_compare_with_reference(names[i], minify_scene, (struct vkt_tolerance){1, 0});
    }
}

/* Levels are blended after the sRGB decoding, not before. */
static void srgb_levels_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_image image = level_image(t, VK_FORMAT_R8G8B8A8_SRGB, 64, 64, 7);
    draw_sampled(t,
                 (struct sampled){&image,
                                  vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                                     VK_SAMPLER_ADDRESS_MODE_REPEAT, 16),
                                  VKT_SHADER(texture_scaled_frag),
                                  {2.83f, 2.83f, 0, 0}},
                 out);
}

static void srgb_levels(void **state)
{
    vkt_compare_with_reference("srgb_levels", srgb_levels_scene, (struct vkt_tolerance){3, 0});
}

/* sRGB with one and two channels, which have no linear alpha. */
static void srgb_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    const float code = (float)((y * W + x) % 256) / 255;
    const float number = code <= 0.04045f ? code / 12.92f : powf((code + 0.055f) / 1.055f, 2.4f);
    rgba[0] = (uint8_t)(number * 255 + 0.5f);
    rgba[1] = format_texel_B > 1 ? rgba[0] : 0;
    rgba[2] = 0;
    rgba[3] = 255;
}

static void srgb_of_few_channels(void **state)
{
    static const VkFormat formats[] = {VK_FORMAT_R8_SRGB, VK_FORMAT_R8G8_SRGB};
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++) {
        uint8_t texels[W * H * 2];
        format_texel_B = i + 1;
        for (uint32_t k = 0; k < W * H * format_texel_B; k++)
            texels[k] = (uint8_t)(k / format_texel_B);
        struct vkt_image image = vkt_image_create(
            t, &(struct vkt_image_info){.format = formats[i],
                                        .width = W,
                                        .height = H,
                                        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
        struct vkt_picture got, expected = vkt_picture_compute(W, H, srgb_pixel);
        vkt_image_upload(t, &image, 0, 0, texels, W * H * format_texel_B);
        draw_sampled(t,
                     (struct sampled){&image,
                                      vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                         VK_SAMPLER_ADDRESS_MODE_REPEAT, 0),
                                      VKT_SHADER(texture_frag)},
                     &got);
        vkt_compare(i ? "r8g8_srgb" : "r8_srgb", &expected, &got, (struct vkt_tolerance){1, 0});
        vkt_picture_free(&got);
        vkt_picture_free(&expected);
    }
}

static VkSampler anisotropic_sampler(struct vkt *t, float anisotropy)
{
    VkSampler sampler;
    vkt_ok(vkCreateSampler(t->device,
                           &(VkSamplerCreateInfo){
                               .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                               .magFilter = VK_FILTER_LINEAR,
                               .minFilter = VK_FILTER_LINEAR,
                               .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
                               .maxLod = 16,
                               .anisotropyEnable = anisotropy > 0,
                               .maxAnisotropy = anisotropy,
                           },
                           NULL, &sampler));
    return sampler;
}

static uint8_t plain[4];

static void plain_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    memcpy(rgba, plain, 4);
}

static void expect_plain(const char *name, struct vkt_picture *got, uint8_t tolerance)
{
    struct vkt_picture expected = vkt_picture_compute(W, H, plain_pixel);
    vkt_compare(name, &expected, got, (struct vkt_tolerance){tolerance, 0});
    vkt_picture_free(&expected);
    vkt_picture_free(got);
}

/* A pixel covers 8.8 texels along one axis and 1.1 along the other: more lookups allow a finer level. */
static void anisotropy_takes_finer_levels(void **state)
{
    static const struct {
        float anisotropy;
        uint32_t level;
    } cases[] = {{0, 3}, {1, 3}, {2, 2}, {4, 1}, {7.5f, 0}, {16, 0}};
    struct vkt *t = vkt_device(VKT_TESTED);
    for (size_t i = 0; i < 2 * VKT_COUNT(cases); i++) {
        char name[64];
        const bool along_y = i % 2;
        struct vkt_image image = level_image(t, VK_FORMAT_R8G8B8A8_UNORM, 64, 64, 7);
        struct vkt_picture got;
        draw_sampled(t,
                     (struct sampled){&image,
                                      anisotropic_sampler(t, cases[i / 2].anisotropy),
                                      VKT_SHADER(texture_scaled_frag),
                                      {along_y ? 1.1f : 8.8f, along_y ? 8.8f : 1.1f, 0, 0}},
                     &got);
        memcpy(plain, level_colors[cases[i / 2].level], 4);
        snprintf(name, sizeof name, "anisotropy_%g_%c", (double)cases[i / 2].anisotropy, along_y ? 'y' : 'x');
        expect_plain(name, &got, 0);
    }
}

/* Level 0 has black and white columns, each four texels wide. Eight lookups, one texel apart, see as much black as
 * white. */
static void anisotropy_averages(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_image image = level_image(t, VK_FORMAT_R8G8B8A8_UNORM, 64, 64, 7);
    struct vkt_picture got;
    uint32_t texels[64 * 64];
    for (uint32_t i = 0; i < VKT_COUNT(texels); i++)
        texels[i] = i % 8 < 4 ? 0xffffffff : 0xff000000;
    vkt_image_upload(t, &image, 0, 0, texels, sizeof texels);
    draw_sampled(t,
                 (struct sampled){&image, anisotropic_sampler(t, 8), VKT_SHADER(texture_scaled_frag), {8, 1, 0, 0}},
                 &got);
    memcpy(plain, (uint8_t[]){128, 128, 128, 255}, 4);
    expect_plain("anisotropy_averages", &got, 4);
}

static void cube_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_image image =
        vkt_image_create(t, &(struct vkt_image_info){
                                .format = VK_FORMAT_R8G8B8A8_UNORM,
                                .width = 32,
                                .height = 32,
                                .cube = true,
                                .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                            });
    for (uint32_t face = 0; face < 6; face++) {
        uint8_t texels[32 * 32][4];
        for (uint32_t i = 0; i < 32 * 32; i++)
            memcpy(texels[i],
                   (uint8_t[]){(uint8_t)(40 * face), (uint8_t)(i % 32 / 8 * 64), (uint8_t)(i / 256 * 64), 255}, 4);
        vkt_image_upload(t, &image, 0, face, texels, sizeof texels);
    }
    draw_sampled(t,
                 (struct sampled){&image,
                                  vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                     VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0),
                                  VKT_SHADER(texture_cube_frag)},
                 out);
}

static void cube_faces(void **state)
{
    vkt_compare_with_reference("cube", cube_scene, (struct vkt_tolerance){2, 25});
}

static VkFormat format_under_test;
static VkFormat format_target;

static void format_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_image image = random_image(t, format_under_test, format_texel_B, W, H);
    draw_sampled(t,
                 (struct sampled){&image,
                                  vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                     VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0),
                                  VKT_SHADER(texture_frag),
                                  .target_format = format_target},
                 out);
}

static bool reports(struct vkt *t, VkFormat format, VkFormatFeatureFlags feature)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(t->physical, format, &properties);
    return (properties.optimalTilingFeatures & feature) == feature;
}

/* Every listed format that both drivers can sample gives the reference's texels. */
static void sampled_formats(void **state)
{
    static const struct {
        VkFormat format;
        uint32_t texel_B;
        const char *name;
    } formats[] = {
        {VK_FORMAT_R8_UNORM, 1, "r8"},
        {VK_FORMAT_R8_SNORM, 1, "r8_snorm"},
        {VK_FORMAT_R8G8_UNORM, 2, "r8g8"},
        {VK_FORMAT_R8G8_SNORM, 2, "r8g8_snorm"},
        {VK_FORMAT_R8G8B8A8_UNORM, 4, "r8g8b8a8"},
        {VK_FORMAT_R8G8B8A8_SNORM, 4, "r8g8b8a8_snorm"},
        {VK_FORMAT_R8G8B8A8_SRGB, 4, "r8g8b8a8_srgb"},
        {VK_FORMAT_B8G8R8A8_UNORM, 4, "b8g8r8a8"},
        {VK_FORMAT_B8G8R8A8_SRGB, 4, "b8g8r8a8_srgb"},
        {VK_FORMAT_A8B8G8R8_UNORM_PACK32, 4, "a8b8g8r8"},
        {VK_FORMAT_A8B8G8R8_SRGB_PACK32, 4, "a8b8g8r8_srgb"},
        {VK_FORMAT_R5G6B5_UNORM_PACK16, 2, "r5g6b5"},
        {VK_FORMAT_B4G4R4A4_UNORM_PACK16, 2, "b4g4r4a4"},
        {VK_FORMAT_R4G4B4A4_UNORM_PACK16, 2, "r4g4b4a4"},
        {VK_FORMAT_A1R5G5B5_UNORM_PACK16, 2, "a1r5g5b5"},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, "a2b10g10r10"},
        {VK_FORMAT_A2R10G10B10_UNORM_PACK32, 4, "a2r10g10b10"},
        {VK_FORMAT_A8B8G8R8_SNORM_PACK32, 4, "a8b8g8r8_snorm"},
        {VK_FORMAT_R16G16_UNORM, 4, "r16g16"},
        {VK_FORMAT_R16G16_SNORM, 4, "r16g16_snorm"},
        {VK_FORMAT_R16G16_SFLOAT, 4, "r16g16_sfloat"},
        {VK_FORMAT_R32_SFLOAT, 4, "r32_sfloat"},
        {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, "b10g11r11"},
        {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4, "e5b9g9r9"},
    };
    struct vkt *t = vkt_device(VKT_TESTED);
    unsigned tested = 0;
    format_target = VK_FORMAT_R8G8B8A8_UNORM;
    for (size_t i = 0; i < VKT_COUNT(formats); i++) {
        if (!reports(t, formats[i].format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) ||
            !reports(vkt_device(VKT_REFERENCE), formats[i].format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT))
            continue;
        format_under_test = formats[i].format;
        format_texel_B = formats[i].texel_B;
        vkt_compare_with_reference(formats[i].name, format_scene, (struct vkt_tolerance){1, 0});
        tested++;
    }
    printf("# %u formats sampled\n", tested);
    assert_true(tested >= 5);
}

static VkImageUsageFlags depth_usage;

/* Samples depth values in [0,1]. With depth-attachment usage the driver stores the image in another format. */
static void depth_scene(struct vkt *t, struct vkt_picture *out)
{
    static uint32_t words[W * H];
    struct vkt_image image =
        vkt_image_create(t, &(struct vkt_image_info){.format = format_under_test,
                                                     .width = W,
                                                     .height = H,
                                                     .usage = VK_IMAGE_USAGE_SAMPLED_BIT |
                                                              VK_IMAGE_USAGE_TRANSFER_DST_BIT | depth_usage});
    random_texels(words, sizeof words, 5);
    for (uint32_t i = 0; i < W * H && format_under_test == VK_FORMAT_D32_SFLOAT; i++) {
        float depth = (float)(words[i] >> 8) / 16777215.0f;
        memcpy(&words[i], &depth, sizeof depth);
    }
    vkt_image_upload(t, &image, 0, 0, words, W * H * format_texel_B);
    draw_sampled(t,
                 (struct sampled){&image,
                                  vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                     VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0),
                                  VKT_SHADER(texture_frag)},
                 out);
}

static void depth_is_sampled(void **state)
{
    static const struct {
        VkFormat format;
        uint32_t texel_B;
        VkImageUsageFlags usage;
        const char *name;
    } cases[] = {
        {VK_FORMAT_D16_UNORM, 2, 0, "sample_d16"},
        {VK_FORMAT_X8_D24_UNORM_PACK32, 4, 0, "sample_x8d24"},
        {VK_FORMAT_D32_SFLOAT, 4, 0, "sample_d32"},
        {VK_FORMAT_D32_SFLOAT, 4, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, "sample_d32_lowered"},
    };
    unsigned tested = 0;
    for (size_t i = 0; i < VKT_COUNT(cases); i++) {
        format_under_test = cases[i].format;
        format_texel_B = cases[i].texel_B;
        depth_usage = cases[i].usage;
        assert_true(reports(vkt_device(VKT_TESTED), format_under_test, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT));
        if (!reports(vkt_device(VKT_REFERENCE), format_under_test, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT))
            continue;
        vkt_compare_with_reference(cases[i].name, depth_scene, (struct vkt_tolerance){1, 0});
        tested++;
    }
    assert_true(tested >= 3);
}

/* Targets with other channel orders and encodings. */
static void target_formats(void **state)
{
    static const struct {
        VkFormat format;
        const char *name;
    } targets[] = {
        {VK_FORMAT_B8G8R8A8_UNORM, "target_b8g8r8a8"},
        {VK_FORMAT_R8G8B8A8_SRGB, "target_r8g8b8a8_srgb"},
        {VK_FORMAT_B8G8R8A8_SRGB, "target_b8g8r8a8_srgb"},
    };
    format_under_test = VK_FORMAT_R8G8B8A8_UNORM;
    format_texel_B = 4;
    for (size_t i = 0; i < VKT_COUNT(targets); i++) {
        assert_true(reports(vkt_device(VKT_TESTED), targets[i].format, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT));
        format_target = targets[i].format;
        vkt_compare_with_reference(targets[i].name, format_scene, (struct vkt_tolerance){1, 0});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nearest_is_exact, vkt_check_messages),
        cmocka_unit_test_teardown(fetch_is_exact, vkt_check_messages),
        cmocka_unit_test_teardown(middles_of_texels, vkt_check_messages),
        cmocka_unit_test_teardown(wraps, vkt_check_messages),
        cmocka_unit_test_teardown(explicit_levels, vkt_check_messages),
        cmocka_unit_test_teardown(automatic_levels, vkt_check_messages),
        cmocka_unit_test_teardown(anisotropy_takes_finer_levels, vkt_check_messages),
        cmocka_unit_test_teardown(anisotropy_averages, vkt_check_messages),
        cmocka_unit_test_teardown(srgb_levels, vkt_check_messages),
        cmocka_unit_test_teardown(srgb_of_few_channels, vkt_check_messages),
        cmocka_unit_test_teardown(cube_faces, vkt_check_messages),
        cmocka_unit_test_teardown(sampled_formats, vkt_check_messages),
        cmocka_unit_test_teardown(depth_is_sampled, vkt_check_messages),
        cmocka_unit_test_teardown(target_formats, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("texture", tests, NULL, vkt_teardown);
}
