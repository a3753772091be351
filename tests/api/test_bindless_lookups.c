/* SPDX-License-Identifier: MIT
 *
 * Lookups by the addresses of descriptors: what they give is compared with the same lookups through ordinary
 * descriptors, for many kinds of images and samplers; and lookups of which only the image or only the sampler is in
 * memory of a set, or where there are too many pairs of them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt_arrays.h"
#include "bindless_mixed.comp.h"
#include "bindless_pairs.comp.h"
#include "bindless_same_2d.comp.h"
#include "bindless_same_2d.frag.h"
#include "bindless_same_2d_uint.comp.h"
#include "bindless_same_array.comp.h"
#include "bindless_same_cube.comp.h"
#include "bindless_same_cube.frag.h"
#include "bindless_same_cubes.comp.h"
#include "bindless_same_line.comp.h"
#include "bindless_same_shadow.comp.h"
#include "bindless_same_volume.comp.h"
#include "bindless_triangle.vert.h"

#define STORAGE  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
#define COMBINED VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER
#define COMPUTE  VK_SHADER_STAGE_COMPUTE_BIT
#define FRAGMENT VK_SHADER_STAGE_FRAGMENT_BIT

/* ---------------------------------------------------------------- images and samplers */

struct same_case {
    const char *name;
    struct vkt_shader shader;
    VkShaderStageFlagBits stage;
    uint32_t texel_B; /* of blocks, the size of a block */
    struct vkt_image_info image;
    bool is_integer, compares;
    float tolerance;
};

#define SAMPLED_USAGE (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)
#define POINTS        64u /* lanes; of the fragment shader, 8 rows of 8 pixels */
#define LOOKUPS       8u

/* Samplers that are tried with images. */
static const struct {
    VkFilter filter;
    VkSamplerMipmapMode mip;
    VkSamplerAddressMode wrap;
    float bias, anisotropy;
} sampler_cases[] = {
    {VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0, 0},
    {VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, 0.3f, 0},
    {VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, -0.5f, 0},
    {VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, 0, 0},
    {VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE, 0, 0},
    {VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0, 4},
};

static uint32_t random_word(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static bool has_blocks(VkFormat format)
{
    return format == VK_FORMAT_BC1_RGBA_UNORM_BLOCK;
}

static uint32_t level_B(const struct vkt_image *image, uint32_t level, uint32_t texel_B)
{
    const uint32_t w = image->width >> level ? image->width >> level : 1;
    const uint32_t h = image->height >> level ? image->height >> level : 1;
    const uint32_t d = image->depth >> level ? image->depth >> level : 1;
    return has_blocks(image->format) ? (w + 3) / 4 * ((h + 3) / 4) * texel_B : w * h * d * texel_B;
}

static void fill_image(struct vkt *t, struct vkt_image *image, uint32_t texel_B)
{
    const bool is_float = image->format == VK_FORMAT_D32_SFLOAT || image->format == VK_FORMAT_R32G32B32A32_SFLOAT;
    uint32_t seed = 5;
    for (uint32_t level = 0; level < image->levels; level++)
        for (uint32_t layer = 0; layer < image->layers; layer++) {
            const uint32_t size_B = level_B(image, level, texel_B);
            uint8_t *texels = malloc(size_B + 3);
            assert_non_null(texels);
            for (uint32_t i = 0; i < size_B; i += 4) {
                const float unit = (float)(random_word(&seed) % 1000) / 1000.0f;
                const uint32_t word = random_word(&seed) * 2654435761u;
                memcpy(texels + i, is_float ? (const void *)&unit : &word, 4);
            }
            vkt_image_upload(t, image, level, layer, texels, size_B);
            free(texels);
        }
}

static VkSampler same_sampler(struct vkt *t, uint32_t i, const struct same_case *c)
{
    VkSampler sampler;
    const VkFilter filter = c->is_integer ? VK_FILTER_NEAREST : sampler_cases[i].filter;
    const bool is_anisotropic = sampler_cases[i].anisotropy > 0 && !c->is_integer;
    vkt_ok(vkCreateSampler(
        t->device,
        &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                               .magFilter = filter,
                               .minFilter = filter,
                               .mipmapMode = c->is_integer ? VK_SAMPLER_MIPMAP_MODE_NEAREST : sampler_cases[i].mip,
                               .addressModeU = sampler_cases[i].wrap,
                               .addressModeV = sampler_cases[i].wrap,
                               .addressModeW = sampler_cases[i].wrap,
                               .mipLodBias = sampler_cases[i].bias,
                               .anisotropyEnable = is_anisotropic,
                               .maxAnisotropy = is_anisotropic ? sampler_cases[i].anisotropy : 1,
                               .compareEnable = c->compares,
                               .compareOp = VK_COMPARE_OP_LESS,
                               .maxLod = 4,
                               .borderColor = c->is_integer ? VK_BORDER_COLOR_INT_OPAQUE_WHITE
                                                            : VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE},
        NULL, &sampler));
    return sampler;
}

/* ---------------------------------------------------------------- the same lookups */

static void compare_results(const struct same_case *c, uint32_t sampler, const float *plain, const float *array)
{
    uint32_t bad = 0, zeros = 0;
    for (uint32_t i = 0; i < POINTS * LOOKUPS * 4; i++) {
        const bool equal = !memcmp(&plain[i], &array[i], 4) || fabsf(plain[i] - array[i]) <= c->tolerance;
        zeros += plain[i] == 0;
        if (!equal && bad++ < 5)
            printf("# %s, sampler %u: point %u, lookup %u, component %u: %g by the table, %g by address\n", c->name,
                   sampler, i / (4 * LOOKUPS), i / 4 % LOOKUPS, i % 4, (double)plain[i], (double)array[i]);
    }
    /* Where a coordinate is at the edge of a texel, or a level of detail between two levels, the last bit decides. */
    assert_true(bad <= POINTS * LOOKUPS * 4 / 50);
    assert_true(zeros < POINTS * LOOKUPS * 4 * 7 / 8);
}

/* Draws or dispatches one of the shaders. Sets 0 and 1 have the image, as an ordinary descriptor and as element 2 of an
 * array; set 2 has the points and the results. */
struct runner {
    struct vkt t;
    VkShaderStageFlagBits stage;
    struct vkt_arrays a;
    VkDescriptorSetLayout layouts[3];
    VkDescriptorSet sets[3];
    struct vkt_compute compute;
    struct vkt_target target;
    struct vkt_pipeline graphics;
    struct vkt_buffer points, results;
};

static void open_runner(struct runner *r, const struct same_case *c)
{
    const struct vkt_array array = {COMBINED, 4, VKT_FREE_FLAGS, NULL};
    const struct vkt_binding plain = {COMBINED, c->stage, 1}, own[2] = {{STORAGE, c->stage, 1}, {STORAGE, c->stage, 1}};
    *r = (struct runner){.t = vkt_open_indexing(), .stage = c->stage};
    struct vkt *t = &r->t;
    r->a = vkt_arrays_create(t, &array, 1, c->stage, 0);
    r->layouts[0] = vkt_set_layout_create(t, &plain, 1);
    r->layouts[1] = r->a.layout;
    r->layouts[2] = vkt_set_layout_create(t, own, 2);
    r->points = vkt_storage_buffer(t, POINTS * 4, 0);
    r->results = vkt_storage_buffer(t, 2 * POINTS * LOOKUPS * 4, 0);
    uint32_t seed = 9;
    for (uint32_t i = 0; i < POINTS * 4; i++)
        ((float *)r->points.map)[i] = (float)(random_word(&seed) % 4001) / 2000.0f - (i % 4 == 2 ? 0.0f : 0.5f);
    r->sets[0] = vkt_set_alloc(t, r->layouts[0]);
    r->sets[1] = r->a.set;
    r->sets[2] = vkt_set_alloc(t, r->layouts[2]);
    vkt_set_buffer(t, r->sets[2], 0, STORAGE, r->points.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(t, r->sets[2], 1, STORAGE, r->results.buffer, 0, VK_WHOLE_SIZE);
    if (c->stage == COMPUTE) {
        r->compute = vkt_compute_create(t, c->shader, r->layouts, 3, 4, NULL);
        return;
    }
    r->target = vkt_target_create(t, 8, 8, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    r->graphics =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(bindless_triangle_vert),
                                                           .fs = c->shader,
                                                           .pass = r->target.pass,
                                                           .topology = VKT_TRIANGLES,
                                                           .width = 8,
                                                           .height = 8,
                                                           .set_layouts = {r->layouts[0], r->layouts[1], r->layouts[2]},
                                                           .set_layout_count = 3,
                                                           .push_size_B = 4});
}

static void close_runner(struct runner *r)
{
    struct vkt *t = &r->t;
    if (r->stage == COMPUTE) {
        vkt_compute_destroy(t, &r->compute);
    } else {
        vkt_pipeline_destroy(t, &r->graphics);
        vkt_target_destroy(t, &r->target);
        for (uint32_t i = 0; i < 3; i++)
            vkDestroyDescriptorSetLayout(t->device, r->layouts[i], NULL);
    }
    vkt_buffer_destroy(t, &r->points);
    vkt_buffer_destroy(t, &r->results);
    vkt_arrays_destroy_pool(t, &r->a);
    vkt_device_close(t);
}

static void run(struct runner *r)
{
    const uint32_t element = 2;
    VkCommandBuffer cmd = vkt_begin(&r->t);
    memset(r->results.map, 0, r->results.size_B);
    if (r->stage == COMPUTE) {
        vkt_compute_bind(cmd, &r->compute, r->sets);
        vkCmdPushConstants(cmd, r->compute.layout, COMPUTE, 0, 4, &element);
        vkCmdDispatch(cmd, POINTS / 16, 1, 1);
    } else {
        vkt_begin_pass(cmd, &r->target, (float[4]){0}, 1, 0);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, r->graphics.pipeline);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, r->graphics.layout, 0, 3, r->sets, 0, NULL);
        vkCmdPushConstants(cmd, r->graphics.layout, VK_SHADER_STAGE_VERTEX_BIT | FRAGMENT, 0, 4, &element);
        vkCmdDraw(cmd, 3, 1, 0, 0);
        vkCmdEndRenderPass(cmd);
    }
    vkt_barrier_all(cmd);
    vkt_end_submit(&r->t, cmd);
}

/* Tries every `step`-th sampler. Each makes another program, so where LLVM compiles them all, there are fewer. */
static void run_same(const struct same_case *c, uint32_t first, uint32_t step)
{
    const char *debug = getenv("VC4VK_DEBUG");
    struct runner r;
    if (debug && strstr(debug, "jit-now"))
        step *= 3;
    open_runner(&r, c);
    struct vkt_image image = vkt_image_create(&r.t, &c->image);
    fill_image(&r.t, &image, c->texel_B);
    for (uint32_t i = first; i < VKT_COUNT(sampler_cases); i += step) {
        VkSampler sampler = same_sampler(&r.t, i, c);
        vkt_set_texture(&r.t, r.sets[0], 0, image.view, sampler);
        vkt_write_image(&r.t, r.a.set, 0, 2, COMBINED, image.view, sampler);
        run(&r);
        const float *words = r.results.map;
        compare_results(c, i, words, words + POINTS * LOOKUPS * 4);
        vkDestroySampler(r.t.device, sampler, NULL);
    }
    vkt_image_destroy(&r.t, &image);
    close_runner(&r);
}

/* The texture unit filters bytes, and blends levels with four bits. */
#define UNIT  0.05f
#define BYTES (1.5f / 255)
#define EXACT 1e-3f

#define IMAGE(vk, w, h, l, ...)                                                                                        \
    {                                                                                                                  \
        .format = VK_FORMAT_##vk, .width = w, .height = h, .levels = l, .usage = SAMPLED_USAGE, __VA_ARGS__            \
    }

static void test_formats(void **state)
{
    const struct vkt_shader floats = VKT_SHADER(bindless_same_2d_comp), uints = VKT_SHADER(bindless_same_2d_uint_comp);
    const struct same_case cases[] = {
        {"rgba8", floats, COMPUTE, 4, IMAGE(R8G8B8A8_UNORM, 16, 16, 3, ), false, false, UNIT},
        {"odd size", floats, COMPUTE, 4, IMAGE(R8G8B8A8_UNORM, 13, 7, 2, ), false, false, UNIT},
        {"large", floats, COMPUTE, 4, IMAGE(R8G8B8A8_UNORM, 256, 128, 4, ), false, false, UNIT},
        {"wide", floats, COMPUTE, 4, IMAGE(R8G8B8A8_UNORM, 2500, 4, 2, ), false, false, 2 * BYTES},
        {"linear tiling", floats, COMPUTE, 4, IMAGE(R8G8B8A8_UNORM, 20, 12, 1, .tiling = VK_IMAGE_TILING_LINEAR), false,
         false, 2 * BYTES},
        {"srgb", floats, COMPUTE, 4, IMAGE(R8G8B8A8_SRGB, 16, 16, 3, ), false, false, 2 * BYTES},
        {"bgra8", floats, COMPUTE, 4, IMAGE(B8G8R8A8_UNORM, 16, 16, 3, ), false, false, UNIT},
        {"r8 snorm", floats, COMPUTE, 1, IMAGE(R8_SNORM, 16, 16, 2, ), false, false, EXACT},
        {"r5g6b5", floats, COMPUTE, 2, IMAGE(R5G6B5_UNORM_PACK16, 16, 16, 2, ), false, false, UNIT},
        {"a2b10g10r10", floats, COMPUTE, 4, IMAGE(A2B10G10R10_UNORM_PACK32, 16, 16, 2, ), false, false, EXACT},
        {"r16g16", floats, COMPUTE, 4, IMAGE(R16G16_UNORM, 16, 8, 2, ), false, false, EXACT},
        {"rgba32f", floats, COMPUTE, 16, IMAGE(R32G32B32A32_SFLOAT, 16, 8, 2, ), false, false, EXACT},
        {"bc1", floats, COMPUTE, 8, IMAGE(BC1_RGBA_UNORM_BLOCK, 16, 16, 2, ), false, false, UNIT},
        {"rgba8ui", uints, COMPUTE, 4, IMAGE(R8G8B8A8_UINT, 16, 16, 3, ), true, false, 0},
        {"s8", uints, COMPUTE, 1, IMAGE(S8_UINT, 16, 16, 1, ), true, false, 0},
        {"r16ui", uints, COMPUTE, 2, IMAGE(R16_UINT, 16, 16, 2, ), true, false, 0},
    };
    for (uint32_t i = 0; i < VKT_COUNT(cases); i++)
        run_same(&cases[i], i % 2, 2);
}

static void test_dimensions(void **state)
{
    const struct same_case cases[] = {
        {"line", VKT_SHADER(bindless_same_line_comp), COMPUTE, 4, IMAGE(R8G8B8A8_UNORM, 32, 1, 2, .line = true), false,
         false, UNIT},
        {"array", VKT_SHADER(bindless_same_array_comp), COMPUTE, 4,
         IMAGE(R8G8B8A8_UNORM, 16, 16, 3, .layers = 3, .array = true), false, false, 2 * BYTES},
        {"volume", VKT_SHADER(bindless_same_volume_comp), COMPUTE, 4, IMAGE(R8G8B8A8_UNORM, 8, 16, 2, .depth = 4),
         false, false, 2 * BYTES},
        {"cube", VKT_SHADER(bindless_same_cube_comp), COMPUTE, 4, IMAGE(R8G8B8A8_UNORM, 16, 16, 3, .cube = true), false,
         false, 2 * BYTES},
        {"cubes", VKT_SHADER(bindless_same_cubes_comp), COMPUTE, 4,
         IMAGE(R8G8B8A8_UNORM, 16, 16, 2, .cube = true, .layers = 12), false, false, 2 * BYTES},
        {"shadow", VKT_SHADER(bindless_same_shadow_comp), COMPUTE, 4, IMAGE(D32_SFLOAT, 16, 16, 1, ), false, true,
         EXACT},
        {"16-bit shadow", VKT_SHADER(bindless_same_shadow_comp), COMPUTE, 2, IMAGE(D16_UNORM, 16, 16, 1, ), false, true,
         EXACT},
    };
    for (uint32_t i = 0; i < VKT_COUNT(cases); i++)
        run_same(&cases[i], 0, 1);
}

/* Levels of detail that follow from derivatives. */
static void test_derivatives(void **state)
{
    const struct same_case cases[] = {
        {"drawn rgba8", VKT_SHADER(bindless_same_2d_frag), FRAGMENT, 4, IMAGE(R8G8B8A8_UNORM, 16, 16, 4, ), false,
         false, UNIT},
        {"drawn rgba32f", VKT_SHADER(bindless_same_2d_frag), FRAGMENT, 16, IMAGE(R32G32B32A32_SFLOAT, 16, 16, 4, ),
         false, false, 1e-2f},
        {"drawn cube", VKT_SHADER(bindless_same_cube_frag), FRAGMENT, 4, IMAGE(R8G8B8A8_UNORM, 16, 16, 4, .cube = true),
         false, false, UNIT},
    };
    for (uint32_t i = 0; i < VKT_COUNT(cases); i++)
        run_same(&cases[i], 0, 1);
}

/* ---------------------------------------------------------------- one half in memory */

static struct vkt_image two_texels(struct vkt *t, uint8_t first, uint8_t second)
{
    const uint8_t texels[2][4] = {{first, 0, 0, 255}, {second, 0, 0, 255}};
    struct vkt_image image = vkt_image_create(
        t,
        &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM, .width = 2, .height = 1, .usage = SAMPLED_USAGE});
    vkt_image_upload(t, &image, 0, 0, texels, sizeof texels);
    return image;
}

static void assert_byte(float got, uint32_t byte)
{
    assert_true(fabsf(got * 255.0f - (float)byte) < 0.01f);
}

/* At 1.25, samplers that repeat find the first texel and samplers that clamp the second one. The images get into the
 * array by copies from the ordinary binding and back. */
static void test_mixed(void **state)
{
    const VkDescriptorType image_type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, sampler_type = VK_DESCRIPTOR_TYPE_SAMPLER;
    struct vkt t = vkt_open_indexing();
    const VkSampler samplers[2] = {
        vkt_sampler_create(&t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0),
        vkt_sampler_create(&t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                           0)};
    const VkDescriptorBindingFlags flags = VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT;
    const struct vkt_array arrays[3] = {
        {image_type, 30, flags, NULL}, {sampler_type, 30, flags, NULL}, {sampler_type, 2, flags, samplers}};
    struct vkt_arrays a = vkt_arrays_create(&t, arrays, 3, COMPUTE, 0);
    const struct vkt_binding plain[2] = {{image_type, COMPUTE, 2}, {sampler_type, COMPUTE, 1}},
                             own[2] = {{STORAGE, COMPUTE, 1}, {STORAGE, COMPUTE, 1}};
    const VkDescriptorSetLayout layouts[3] = {a.layout, vkt_set_layout_create(&t, plain, 2),
                                              vkt_set_layout_create(&t, own, 2)};
    struct vkt_compute c = vkt_compute_create(&t, VKT_SHADER(bindless_mixed_comp), layouts, 3, 0, NULL);
    const VkDescriptorSet sets[3] = {a.set, vkt_set_alloc(&t, layouts[1]), vkt_set_alloc(&t, layouts[2])};
    struct vkt_buffer index = vkt_storage_buffer(&t, 16, 0), results = vkt_storage_buffer(&t, 16 * 4 * 4, 0);
    struct vkt_image images[2] = {two_texels(&t, 10, 20), two_texels(&t, 30, 40)};
    vkt_set_buffer(&t, sets[2], 0, STORAGE, index.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(&t, sets[2], 1, STORAGE, results.buffer, 0, VK_WHOLE_SIZE);
    vkt_write_image(&t, sets[1], 1, 0, sampler_type, VK_NULL_HANDLE, samplers[0]);
    for (uint32_t i = 0; i < 2; i++) {
        vkt_write_image(&t, sets[1], 0, i, image_type, images[1 - i].view, VK_NULL_HANDLE);
        vkt_copy_descriptor(&t, sets[1], 0, i, a.set, 0, 25 + i);
        vkt_write_image(&t, a.set, 0, 10, image_type, images[i].view, VK_NULL_HANDLE);
        vkt_copy_descriptor(&t, a.set, 0, 10, sets[1], 0, i);
        vkt_write_image(&t, a.set, 1, 25 + i, sampler_type, VK_NULL_HANDLE, samplers[i]);
    }
    for (uint32_t i = 0; i < 16; i++)
        ((uint32_t *)index.map)[i] = 25 + i / 2 % 2;
    VkCommandBuffer cmd = vkt_begin(&t);
    vkt_compute_bind(cmd, &c, sets);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(&t, cmd);
    const float(*got)[4][4] = results.map;
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t n = i / 2 % 2; /* the array's image n is images[1 - n], its sampler n is samplers[n] */
        assert_byte(got[i][0][0], n ? 10 : 30);
        assert_byte(got[i][1][0], n ? 20 : 30); /* the ordinary image is that of (25 + n) & 1 */
        assert_byte(got[i][2][0], (n ? 10 : 30) + (i & 1 ? 10 : 0));
        assert_byte(got[i][3][0], 30);
    }
    for (uint32_t i = 0; i < 2; i++) {
        vkt_image_destroy(&t, &images[i]);
        vkDestroySampler(t.device, samplers[i], NULL);
    }
    vkt_buffer_destroy(&t, &index);
    vkt_buffer_destroy(&t, &results);
    vkt_compute_destroy(&t, &c);
    vkt_arrays_destroy_pool(&t, &a);
    vkt_device_close(&t);
}

/* ---------------------------------------------------------------- many pairs */

#define PAIR_IMAGES   24u
#define PAIR_SAMPLERS 12u

/* As in test_mixed, odd samplers clamp and even ones repeat. Image i holds 2 i and 2 i + 1. */
static void test_many_pairs(void **state)
{
    const VkDescriptorType image_type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, sampler_type = VK_DESCRIPTOR_TYPE_SAMPLER;
    struct vkt t = vkt_open_indexing();
    const struct vkt_binding bindings[3] = {
        {image_type, COMPUTE, PAIR_IMAGES}, {sampler_type, COMPUTE, PAIR_SAMPLERS}, {STORAGE, COMPUTE, 1}};
    const VkDescriptorSetLayout layout = vkt_set_layout_create(&t, bindings, 3);
    struct vkt_compute c = vkt_compute_create(&t, VKT_SHADER(bindless_pairs_comp), &layout, 1, 0, NULL);
    const VkDescriptorSet set = vkt_set_alloc(&t, layout);
    struct vkt_buffer results = vkt_storage_buffer(&t, PAIR_IMAGES * PAIR_SAMPLERS * 2 * 4 * sizeof(float), 0);
    struct vkt_image images[PAIR_IMAGES];
    VkSampler samplers[PAIR_SAMPLERS];
    vkt_set_buffer(&t, set, 2, STORAGE, results.buffer, 0, VK_WHOLE_SIZE);
    for (uint32_t i = 0; i < PAIR_IMAGES; i++) {
        images[i] = two_texels(&t, (uint8_t)(2 * i), (uint8_t)(2 * i + 1));
        vkt_write_image(&t, set, 0, i, image_type, images[i].view, VK_NULL_HANDLE);
    }
    for (uint32_t i = 0; i < PAIR_SAMPLERS; i++) {
        samplers[i] =
            vkt_sampler_create(&t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                               i & 1 ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE : VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
        vkt_write_image(&t, set, 1, i, sampler_type, VK_NULL_HANDLE, samplers[i]);
    }
    VkCommandBuffer cmd = vkt_begin(&t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, (PAIR_IMAGES * PAIR_SAMPLERS + 63) / 64, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(&t, cmd);
    const float(*got)[2][4] = results.map;
    for (uint32_t i = 0; i < PAIR_IMAGES * PAIR_SAMPLERS; i++) {
        const uint32_t image = i % PAIR_IMAGES, with = i / PAIR_IMAGES;
        assert_byte(got[i][0][0], 2 * image + (with & 1));
        assert_byte(got[i][1][0], 2 * (PAIR_IMAGES - 1 - image) + 1);
    }
    for (uint32_t i = 0; i < PAIR_IMAGES; i++)
        vkt_image_destroy(&t, &images[i]);
    for (uint32_t i = 0; i < PAIR_SAMPLERS; i++)
        vkDestroySampler(t.device, samplers[i], NULL);
    vkt_buffer_destroy(&t, &results);
    vkt_compute_destroy(&t, &c);
    vkt_device_close(&t);
}

int main(void)
{
    vkt_request_version(VK_API_VERSION_1_1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_formats, vkt_check_messages),
        cmocka_unit_test_teardown(test_dimensions, vkt_check_messages),
        cmocka_unit_test_teardown(test_derivatives, vkt_check_messages),
        cmocka_unit_test_teardown(test_mixed, vkt_check_messages),
        cmocka_unit_test_teardown(test_many_pairs, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
