/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_robustness2, VK_EXT_image_robustness and VK_EXT_pipeline_robustness: what is read outside of buffers and images
 * is zero, and so is everything that is read from null descriptors. One shader reads all kinds of descriptors with an
 * index, in a fragment and in a compute program; every value that it reads is computed here as well. Another one shows
 * vertex attributes, of which some lie beyond their buffer.
 */
#include <string.h>
#include "vkt.h"
#include "beyond_buffers.frag.h"
#include "beyond_buffers.vert.h"
#include "full.vert.h"
#include "robust_comp.h"
#include "robust_frag.h"

#define BUFFER_WORDS 14u /* of the ranges that are bound */
#define BUFFER_B     (4u * BUFFER_WORDS + 2) /* with half a word, where numbers of 8 and 16 bits are read as well */
#define ROOM_WORDS   64u /* of the buffers behind them */
#define SIZE         4u  /* of images, with two levels */
#define LAYERS       3u
#define SLICES       2u
#define LOOKS        28u
#define COMPUTE_LOOKS 2u /* the last ones: in the compute shader only */
#define BINDINGS     14u

enum { UNIFORM, STORAGE, TEXELS, PICTURE, PICTURES, VOLUME, SEEN, WRITTEN, STORED, BYTES, CUBE, BORDERED, SAMPLED, DEEP };

static const VkDescriptorType types[BINDINGS] = {
    VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,   VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,          VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,          VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
};

struct robust {
    struct vkt t;
    struct vkt_buffer uniform, storage, seen, written;
    VkBufferView texels, bytes;
    struct vkt_image picture, pictures, volume, stored, cube, sampled;
    struct vkt_target target;
    VkSampler sampler, with_border;
    VkDescriptorSetLayout layout;
    struct vkt_pipeline graphics;
    VkPipeline compute;
    bool binds_null;
};

/* ---------------------------------------------------------------- what is expected */

/* No value is zero, and none of another kind of descriptor is equal. */
static uint8_t buffer_value(uint32_t word)
{
    return (uint8_t)(word % 100 + 1);
}

static uint8_t texel_value(uint32_t x, uint32_t y, uint32_t z, uint32_t level)
{
    return (uint8_t)(128 + x + 4 * y + 16 * z + 64 * level);
}

static uint32_t expect_buffer(const struct robust *r, int64_t word)
{
    return r->binds_null || word < 0 || word >= BUFFER_WORDS ? 0 : buffer_value((uint32_t)word);
}

/* A number of `size_B` bytes at byte `at_B`. All words are below 256. */
static uint32_t expect_part(const struct robust *r, int64_t at_B, uint32_t size_B)
{
    if (r->binds_null || at_B < 0 || at_B + size_B > BUFFER_B)
        return 0;
    return at_B % 4 ? 0 : buffer_value((uint32_t)at_B / 4);
}

static uint32_t expect_texel(const struct robust *r, int32_t x, int32_t y, int32_t z, int32_t level, uint32_t layers,
                             uint32_t levels)
{
    if (r->binds_null || level < 0 || (uint32_t)level >= levels)
        return 0;
    const int32_t size = (int32_t)SIZE >> level;
    const bool inside = x >= 0 && y >= 0 && z >= 0 && x < size && y < size && z < (int32_t)layers;
    return inside ? texel_value((uint32_t)x, (uint32_t)y, (uint32_t)z, (uint32_t)level) : 0;
}

/* The size of a level that does not exist is undefined: the caller skips it. */
static uint32_t expect_size(const struct robust *r, uint32_t size)
{
    return r->binds_null ? 0 : size;
}

static uint32_t expect(const struct robust *r, uint32_t what, int32_t index, int32_t level)
{
    switch (what) {
    case 0:
        return expect_buffer(r, 4 * (int64_t)index + 1);
    case 1:
        return expect_buffer(r, 4 * ((int64_t)index + 1));
    case 2:
    case 3:
        return expect_buffer(r, index);
    case 4:
        return expect_texel(r, index, 1, 0, level, 1, 2);
    case 5:
        return expect_texel(r, 0, index, 0, level, 1, 2);
    case 6:
        return expect_texel(r, 0, 1, index, level, LAYERS, 1);
    case 7:
        return expect_texel(r, index, 0, 1, level, LAYERS, 1);
    case 8:
        return expect_texel(r, 1, 0, index, 0, SLICES, 1);
    case 9:
        return expect_size(r, SIZE >> (level & 31));
    case 10:
        return expect_size(r, LAYERS);
    case 11:
    case 13:
        return expect_size(r, BUFFER_WORDS);
    case 12:
        return expect_size(r, 2);
    case 14:
        return expect_size(r, SLICES);
    case 15:
        return expect_buffer(r, 4 * (int64_t)index) + expect_buffer(r, 4 * (int64_t)index + 2);
    case 16:
        return expect_buffer(r, 4 * (int64_t)index + 1) + expect_buffer(r, 4 * (int64_t)index + 3);
    case 17:
        return expect_part(r, 2 * (int64_t)index, 2);
    case 18:
        return expect_part(r, index, 1);
    case 19:
    case 21:
    case 22:
        return expect_texel(r, 1, 1, 5, 0, 6, 1); /* of face -Z */
    case 20:
    case 23:
    case 24:
        return expect_size(r, 1); /* the border */
    case 25:
        return expect_size(r, 1); /* the image has a size, and several texels lie under a pixel */
    case 27:
        return expect_size(r, 4);
    default:
        return expect_texel(r, index, 1, 0, 0, 1, 1);
    }
}

/* ---------------------------------------------------------------- resources */

static struct vkt_image make_image(struct vkt *t, struct vkt_image_info info)
{
    info.format = VK_FORMAT_R32_UINT;
    info.width = info.height = SIZE;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    struct vkt_image image = vkt_image_create(t, &info);
    const uint32_t depth = info.depth ? info.depth : 1;
    for (uint32_t level = 0; level < image.levels; level++)
        for (uint32_t layer = 0; layer < image.layers; layer++) {
            uint32_t texels[SLICES * SIZE * SIZE], size = SIZE >> level;
            for (uint32_t i = 0; i < depth * size * size; i++)
                texels[i] = texel_value(i % size, i / size % size, i / (size * size) + layer, level);
            vkt_image_upload(t, &image, level, layer, texels, depth * size * size * 4);
        }
    return image;
}

static struct vkt_buffer make_buffer(struct vkt *t, VkBufferUsageFlags usage)
{
    uint32_t words[ROOM_WORDS];
    for (uint32_t i = 0; i < ROOM_WORDS; i++)
        words[i] = buffer_value(i);
    return vkt_buffer_create(t, sizeof words, usage, words);
}

static VkBufferView make_view(struct robust *r, VkFormat format, uint32_t size_B)
{
    VkBufferView view;
    vkt_ok(vkCreateBufferView(r->t.device,
                              &(VkBufferViewCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                                        .buffer = r->storage.buffer,
                                                        .format = format,
                                                        .range = size_B},
                              NULL, &view));
    return view;
}

static void create_resources(struct robust *r)
{
    struct vkt *t = &r->t;
    r->uniform = make_buffer(t, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
    r->storage = make_buffer(t, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
    r->written = make_buffer(t, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    r->seen = vkt_storage_buffer(t, LOOKS, 0);
    r->texels = make_view(r, VK_FORMAT_R32_UINT, BUFFER_WORDS * 4);
    r->bytes = make_view(r, VK_FORMAT_R8_UINT, BUFFER_B);
    r->picture = make_image(t, (struct vkt_image_info){.levels = 2});
    r->pictures = make_image(t, (struct vkt_image_info){.layers = LAYERS, .array = true});
    r->volume = make_image(t, (struct vkt_image_info){.depth = SLICES});
    r->stored = make_image(t, (struct vkt_image_info){0});
    r->cube = make_image(t, (struct vkt_image_info){.cube = true});
    r->sampled = vkt_image_create(t, &(struct vkt_image_info){.format = VK_FORMAT_R32_UINT,
                                                              .width = SIZE,
                                                              .height = SIZE,
                                                              .samples = VK_SAMPLE_COUNT_4_BIT,
                                                              .usage = VK_IMAGE_USAGE_STORAGE_BIT});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &r->sampled, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_end_submit(t, cmd);
    r->target = vkt_target_create(t, LOOKS, 1, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    r->sampler =
        vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 4);
    vkt_ok(vkCreateSampler(t->device,
                           &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                                  .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                  .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                  .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                  .borderColor = VK_BORDER_COLOR_INT_OPAQUE_WHITE},
                           NULL, &r->with_border));
    struct vkt_binding bindings[BINDINGS];
    for (uint32_t i = 0; i < BINDINGS; i++)
        bindings[i] = (struct vkt_binding){types[i], VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT, 1};
    r->layout = vkt_set_layout_create(t, bindings, BINDINGS);
}

static void destroy_resources(struct robust *r)
{
    struct vkt *t = &r->t;
    vkDestroyDescriptorSetLayout(t->device, r->layout, NULL);
    vkDestroySampler(t->device, r->with_border, NULL);
    vkDestroySampler(t->device, r->sampler, NULL);
    vkt_target_destroy(t, &r->target);
    vkt_image_destroy(t, &r->sampled);
    vkt_image_destroy(t, &r->cube);
    vkt_image_destroy(t, &r->stored);
    vkt_image_destroy(t, &r->volume);
    vkt_image_destroy(t, &r->pictures);
    vkt_image_destroy(t, &r->picture);
    vkDestroyBufferView(t->device, r->bytes, NULL);
    vkDestroyBufferView(t->device, r->texels, NULL);
    vkt_buffer_destroy(t, &r->seen);
    vkt_buffer_destroy(t, &r->written);
    vkt_buffer_destroy(t, &r->storage);
    vkt_buffer_destroy(t, &r->uniform);
}

static VkDescriptorSet make_set(struct robust *r)
{
    struct vkt *t = &r->t;
    VkDescriptorSet set = vkt_set_alloc(t, r->layout);
    const bool null = r->binds_null;
    const struct vkt_image *images[BINDINGS] = {
        [PICTURE] = &r->picture, [PICTURES] = &r->pictures, [VOLUME] = &r->volume,    [STORED] = &r->stored,
        [CUBE] = &r->cube,       [BORDERED] = &r->picture,  [SAMPLED] = &r->sampled,
        [DEEP] = &r->volume};
    const struct vkt_buffer *buffers[BINDINGS] = {
        [UNIFORM] = &r->uniform, [STORAGE] = &r->storage, [SEEN] = &r->seen, [WRITTEN] = &r->written};
    const uint32_t sizes_B[BINDINGS] = {[UNIFORM] = BUFFER_WORDS * 4,
                                        [STORAGE] = BUFFER_B,
                                        [SEEN] = LOOKS * 4,
                                        [WRITTEN] = BUFFER_WORDS * 4};
    for (uint32_t i = 0; i < BINDINGS; i++) {
        const bool is_null = null && i != SEEN;
        if (buffers[i])
            vkt_set_buffer(t, set, i, types[i], is_null ? VK_NULL_HANDLE : buffers[i]->buffer, 0,
                           is_null ? VK_WHOLE_SIZE : sizes_B[i]);
        else if (i == TEXELS || i == BYTES)
            vkt_set_texel_buffer(t, set, i, types[i], is_null ? VK_NULL_HANDLE : i == TEXELS ? r->texels : r->bytes);
        else if (i == STORED || i == SAMPLED)
            vkt_set_image(t, set, i, 0, is_null ? VK_NULL_HANDLE : images[i]->view);
        else
            vkt_set_texture(t, set, i, is_null ? VK_NULL_HANDLE : images[i]->view,
                            i == CUBE || i == BORDERED || i == DEEP ? r->with_border : r->sampler);
    }
    return set;
}

/* ---------------------------------------------------------------- pipelines */

static void create_pipelines(struct robust *r, const void *chain)
{
    struct vkt *t = &r->t;
    VkShaderModule module;
    r->graphics = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                                     .fs = VKT_SHADER(robust_frag),
                                                                     .pass = r->target.pass,
                                                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                     .width = LOOKS,
                                                                     .height = 1,
                                                                     .set_layouts = {r->layout},
                                                                     .set_layout_count = 1,
                                                                     .push_stages = VK_SHADER_STAGE_COMPUTE_BIT,
                                                                     .push_size_B = 8,
                                                                     .next = chain});
    vkt_ok(vkCreateShaderModule(t->device,
                                &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                            .codeSize = sizeof robust_comp,
                                                            .pCode = robust_comp},
                                NULL, &module));
    const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .pNext = chain,
                                              .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                        .module = module,
                                                        .pName = "main"},
                                              .layout = r->graphics.layout};
    vkt_ok(vkCreateComputePipelines(t->device, VK_NULL_HANDLE, 1, &info, NULL, &r->compute));
    vkDestroyShaderModule(t->device, module, NULL);
}

static void destroy_pipelines(struct robust *r)
{
    vkDestroyPipeline(r->t.device, r->compute, NULL);
    vkt_pipeline_destroy(&r->t, &r->graphics);
}

/* ---------------------------------------------------------------- looking */

static void run(struct robust *r, VkDescriptorSet set, int32_t index, int32_t level, uint32_t seen[2][LOOKS])
{
    struct vkt *t = &r->t;
    const int32_t push[2] = {index, level};
    const VkShaderStageFlags stages =
        VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdPushConstants(cmd, r->graphics.layout, stages, 0, sizeof push, push);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, r->graphics.layout, 0, 1, &set, 0, NULL);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, r->graphics.pipeline);
    vkt_begin_pass(cmd, &r->target, (float[4]){1, 1, 1, 1}, 1, 0);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_image_barrier(cmd, &r->stored, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, r->graphics.layout, 0, 1, &set, 0, NULL);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, r->compute);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_image_barrier(cmd, &r->stored, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkt_end_submit(t, cmd);
    struct vkt_picture picture = vkt_read_target(t, &r->target);
    for (uint32_t i = 0; i < LOOKS; i++)
        seen[0][i] = picture.rgba[4 * i];
    vkt_picture_free(&picture);
    memcpy(seen[1], r->seen.map, sizeof seen[1]);
}

/* Values of `what` that this index and level leave undefined. */
static bool is_undefined(const struct robust *r, uint32_t what, int32_t level)
{
    return what == 9 && !r->binds_null && (level < 0 || level > 1);
}

static void look_at(struct robust *r, int32_t index, int32_t level)
{
    static const char *const stages[2] = {"fragment", "compute"};
    uint32_t seen[2][LOOKS];
    VkDescriptorSet set = make_set(r);
    run(r, set, index, level, seen);
    for (uint32_t stage = 0; stage < 2; stage++)
        for (uint32_t what = 0; what < LOOKS - (stage ? 0 : COMPUTE_LOOKS); what++)
            if (!is_undefined(r, what, level) && seen[stage][what] != expect(r, what, index, level))
                fail_msg("%s, look %u with index %d, level %d: %u instead of %u", stages[stage], what, index, level,
                         seen[stage][what], expect(r, what, index, level));
}

/* Stores of look_at outside of what is bound must have changed nothing. */
static void check_stores(struct robust *r, const int32_t *indices, uint32_t count)
{
    uint32_t texels[SIZE * SIZE];
    const uint32_t *words = r->written.map;
    vkt_read_image(&r->t, &r->stored, 0, 0, texels, sizeof texels);
    for (uint32_t i = 0; i < ROOM_WORDS; i++) {
        bool stored = false;
        for (uint32_t k = 0; k < count; k++)
            stored |= indices[k] == (int32_t)i && i < BUFFER_WORDS && !r->binds_null;
        assert_int_equal(words[i], stored ? 77 : buffer_value(i));
    }
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        bool stored = false;
        for (uint32_t k = 0; k < count; k++)
            stored |= indices[k] == (int32_t)(i / SIZE) && i % SIZE == 0 && !r->binds_null;
        assert_int_equal(texels[i], stored ? 99 : texel_value(i % SIZE, i / SIZE, 0, 0));
    }
}

static void look_everywhere(struct robust *r, const void *chain)
{
    static const int32_t indices[] = {0,         1,         2,       3,       13,       14, 28, 29, 56, 57, 58, 1000, -1,
                                      INT32_MIN, INT32_MAX, 1 << 28, 1 << 24, (1 << 24) + 1};
    create_resources(r);
    create_pipelines(r, chain);
    for (uint32_t i = 0; i < VKT_COUNT(indices); i++)
        for (int32_t level = 0; level < (i < 2 ? 4 : 1); level++)
            look_at(r, indices[i], i == 1 && level == 3 ? -1 : level);
    vkt_ok(vkDeviceWaitIdle(r->t.device));
    {
        VkCommandBuffer cmd = vkt_begin(&r->t);
        vkt_image_barrier(cmd, &r->stored, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                          VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        vkt_end_submit(&r->t, cmd);
    }
    check_stores(r, indices, VKT_COUNT(indices));
    destroy_pipelines(r);
    destroy_resources(r);
}

/* ---------------------------------------------------------------- cases */

static void accesses_beyond_give_zero(void **state)
{
    static const char *const extensions[] = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
    VkPhysicalDeviceRobustness2FeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
        .robustBufferAccess2 = VK_TRUE,
        .robustImageAccess2 = VK_TRUE};
    struct robust r = {.t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, 1, &features)};
    look_everywhere(&r, NULL);
    vkt_device_close(&r.t);
}

static void null_descriptors_give_zero(void **state)
{
    static const char *const extensions[] = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
    VkPhysicalDeviceRobustness2FeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, .nullDescriptor = VK_TRUE};
    struct robust r = {.t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, 1, &features),
                       .binds_null = true};
    look_everywhere(&r, NULL);
    vkt_device_close(&r.t);
}

static void pipelines_ask_for_robustness(void **state)
{
    static const char *const extensions[] = {VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME,
                                             VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
    VkPhysicalDevicePipelineRobustnessFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT, .pipelineRobustness = VK_TRUE};
    const VkPipelineRobustnessCreateInfoEXT wanted = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
        .storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT,
        .uniformBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT,
        .vertexInputs = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT,
        .images = VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_2_EXT};
    struct robust r = {.t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, 2, &features)};
    look_everywhere(&r, &wanted);
    vkt_device_close(&r.t);
}

/* Fetches of compute programs outside of an image, on a device without any feature of robustness. Vulkan leaves them
 * undefined; programs that people run count on zero. */
static void compute_programs_fetch_zero(void **state)
{
    static const int32_t indices[] = {0, 3, 4, 5, 7, 58, 1000, -1, -7, INT32_MIN, INT32_MAX, 1 << 28};
    struct robust r = {.t = vkt_device_create(vkt_device(VKT_TESTED))};
    create_resources(&r);
    create_pipelines(&r, NULL);
    for (uint32_t i = 0; i < VKT_COUNT(indices); i++)
        for (int32_t level = 0; level < (i == 0 ? 4 : 1); level++) {
            uint32_t seen[2][LOOKS];
            VkDescriptorSet set = make_set(&r);
            run(&r, set, indices[i], level, seen);
            for (uint32_t what = 4; what <= 8; what++) /* the fetches from images */
                if (seen[1][what] != expect(&r, what, indices[i], level))
                    fail_msg("look %u with index %d, level %d: %u instead of %u", what, indices[i], level,
                             seen[1][what], expect(&r, what, indices[i], level));
        }
    destroy_pipelines(&r);
    destroy_resources(&r);
    vkt_device_close(&r.t);
}

/* ---------------------------------------------------------------- vertex attributes */

#define MANY       11u /* attributes of one word each, next to each other: more than the chip has arrays */
#define ATTRIBUTES (MANY + 3)
#define SHOWN      16u /* numbers that the shader shows */
#define COLUMNS    8u
#define INSTANCES  3u

/* What the buffers hold: four vertices and a part of the fifth, three and half an attribute, two instances. */
#define MANY_B     (4 * MANY * 4 + 5 * 4)
#define WIDE_B     (4 * 16 + 12)
#define NARROW_B   (3 * 4 + 2)
#define INSTANCE_B (2 * 4)

struct fetch {
    struct vkt t;
    struct vkt_buffer buffers[4];
    struct vkt_target target;
    struct vkt_pipeline pipeline;
};

static const uint32_t strides_B[4] = {MANY * 4, 16, 4, 4};

/* Buffer contents: byte 0 of each word, or of each half word, is different; the rest is zero. */
static uint32_t attribute_number(uint32_t buffer, uint32_t at)
{
    return 1 + (buffer * 60 + at) % 250;
}

static struct vkt_buffer attribute_buffer(struct vkt *t, uint32_t buffer, uint32_t size_B, uint32_t number_B)
{
    uint8_t bytes[256] = {0};
    for (uint32_t i = 0; i < size_B / number_B; i++)
        bytes[i * number_B] = (uint8_t)attribute_number(buffer, i);
    return vkt_buffer_create(t, size_B, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, bytes);
}

static uint32_t fetched(uint32_t buffer, int64_t element, uint32_t at_B, uint32_t attribute_B, uint32_t number_B,
                        uint32_t size_B)
{
    const int64_t begin_B = element * strides_B[buffer] + at_B - at_B % attribute_B;
    if (begin_B < 0 || begin_B + attribute_B > size_B)
        return 0;
    return attribute_number(buffer, (uint32_t)(element * strides_B[buffer] + at_B) / number_B);
}

static uint32_t expect_number(uint32_t what, int64_t vertex, uint32_t instance)
{
    if (what < MANY)
        return fetched(0, vertex, 4 * what, 4, 4, MANY_B);
    switch (what - MANY) {
    case 0:
        return fetched(1, vertex, 0, 16, 4, WIDE_B);
    case 1:
        return fetched(1, vertex, 12, 16, 4, WIDE_B);
    case 2:
        return fetched(2, vertex, 2, 4, 2, NARROW_B);
    case 3:
        return 1; /* the format has no fourth component */
    default:
        return fetched(3, instance, 2, 4, 1, INSTANCE_B);
    }
}

static struct fetch open_fetch(void *features, const char *extension, const void *chain)
{
    const char *const extensions[] = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, extension};
    struct fetch f = {.t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, extension ? 2 : 1, features)};
    struct vkt *t = &f.t;
    VkVertexInputBindingDescription bindings[4];
    VkVertexInputAttributeDescription attributes[ATTRIBUTES];
    for (uint32_t i = 0; i < 4; i++)
        bindings[i] = (VkVertexInputBindingDescription){
            i, strides_B[i], i == 3 ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX};
    for (uint32_t i = 0; i < MANY; i++)
        attributes[i] = (VkVertexInputAttributeDescription){i, 0, VK_FORMAT_R32_UINT, 4 * i};
    attributes[MANY] = (VkVertexInputAttributeDescription){MANY, 1, VK_FORMAT_R32G32B32A32_UINT, 0};
    attributes[MANY + 1] = (VkVertexInputAttributeDescription){MANY + 1, 2, VK_FORMAT_R16G16_UINT, 0};
    attributes[MANY + 2] = (VkVertexInputAttributeDescription){MANY + 2, 3, VK_FORMAT_R8G8B8A8_UINT, 0};
    f.buffers[0] = attribute_buffer(t, 0, MANY_B, 4);
    f.buffers[1] = attribute_buffer(t, 1, WIDE_B, 4);
    f.buffers[2] = attribute_buffer(t, 2, NARROW_B, 2);
    f.buffers[3] = attribute_buffer(t, 3, INSTANCE_B, 1);
    f.target = vkt_target_create(t, COLUMNS, SHOWN * INSTANCES, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    f.pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(beyond_buffers_vert),
                                                                    .fs = VKT_SHADER(beyond_buffers_frag),
                                                                    .pass = f.target.pass,
                                                                    .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                                    .bindings = bindings,
                                                                    .binding_count = 4,
                                                                    .attributes = attributes,
                                                                    .attribute_count = ATTRIBUTES,
                                                                    .width = COLUMNS,
                                                                    .height = SHOWN * INSTANCES,
                                                                    .push_size_B = 4,
                                                                    .next = chain});
    return f;
}

static void close_fetch(struct fetch *f)
{
    struct vkt *t = &f->t;
    vkt_pipeline_destroy(t, &f->pipeline);
    vkt_target_destroy(t, &f->target);
    for (uint32_t i = 0; i < 4; i++)
        vkt_buffer_destroy(t, &f->buffers[i]);
    vkt_device_close(t);
}

/* Draws eight vertices from `first` on, by indices in descending order if there is an index buffer. */
static void check_fetch(struct fetch *f, int32_t first, const struct vkt_buffer *indices, bool binds_null)
{
    struct vkt *t = &f->t;
    VkBuffer buffers[4];
    for (uint32_t i = 0; i < 4; i++)
        buffers[i] = binds_null ? VK_NULL_HANDLE : f->buffers[i].buffer;
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, f->pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 4, buffers, (VkDeviceSize[4]){0});
    if (indices)
        vkCmdBindIndexBuffer(cmd, indices->buffer, 0, VK_INDEX_TYPE_UINT16);
    vkt_begin_pass(cmd, &f->target, (float[4]){1, 1, 1, 1}, 1, 0);
    for (uint32_t what = 0; what < SHOWN; what++) {
        vkCmdPushConstants(cmd, f->pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 4,
                           &what);
        if (indices)
            vkCmdDrawIndexed(cmd, COLUMNS, INSTANCES, 0, first, 0);
        else
            vkCmdDraw(cmd, COLUMNS, INSTANCES, (uint32_t)first, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture picture = vkt_read_target(t, &f->target);
    for (uint32_t row = 0; row < SHOWN * INSTANCES; row++)
        for (int32_t vertex = first; vertex < first + (int32_t)COLUMNS; vertex++) {
            const uint32_t seen = picture.rgba[4 * (row * COLUMNS + (uint32_t)vertex % COLUMNS)];
            const uint32_t no_fourth = row / INSTANCES == MANY + 3;
            const uint32_t wanted = binds_null && !no_fourth
                                        ? 0
                                        : expect_number(row / INSTANCES, vertex, row % INSTANCES);
            if (seen != wanted)
                fail_msg("number %u of vertex %d, instance %u: %u instead of %u", row / INSTANCES, vertex,
                         row % INSTANCES, seen, wanted);
        }
    vkt_picture_free(&picture);
}

static void fetch_everywhere(struct fetch *f, bool binds_null)
{
    uint16_t numbers[COLUMNS];
    for (uint32_t i = 0; i < COLUMNS; i++)
        numbers[i] = (uint16_t)(COLUMNS - 1 - i);
    struct vkt_buffer indices = vkt_buffer_create(&f->t, sizeof numbers, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, numbers);
    static const int32_t firsts[] = {0, 2, 4, 5, 1000, 1 << 24};
    for (uint32_t i = 0; i < VKT_COUNT(firsts); i++) {
        check_fetch(f, firsts[i], NULL, binds_null);
        check_fetch(f, firsts[i], &indices, binds_null);
    }
    check_fetch(f, -3, &indices, binds_null);
    vkt_buffer_destroy(&f->t, &indices);
}

static void attributes_beyond_their_buffer_are_zero(void **state)
{
    VkPhysicalDeviceRobustness2FeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, .robustBufferAccess2 = VK_TRUE};
    struct fetch f = open_fetch(&features, NULL, NULL);
    fetch_everywhere(&f, false);
    close_fetch(&f);
}

/* Indices that the index buffer does not hold are zero. */
static void indices_beyond_their_buffer_are_zero(void **state)
{
    static const uint16_t held[] = {6, 5, 3};
    VkPhysicalDeviceRobustness2FeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, .robustBufferAccess2 = VK_TRUE};
    struct fetch f = open_fetch(&features, NULL, NULL);
    struct vkt *t = &f.t;
    struct vkt_buffer indices = vkt_buffer_create(t, sizeof held, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, held);
    for (uint32_t first = 0; first < 5; first++) {
        const uint32_t what = 1;
        const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
        VkCommandBuffer cmd = vkt_begin(t);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, f.pipeline.pipeline);
        for (uint32_t i = 0; i < 4; i++)
            vkCmdBindVertexBuffers(cmd, i, 1, &f.buffers[i].buffer, &(VkDeviceSize){0});
        vkCmdBindIndexBuffer(cmd, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
        vkt_begin_pass(cmd, &f.target, (float[4]){1, 1, 1, 1}, 1, 0);
        vkCmdPushConstants(cmd, f.pipeline.layout, stages, 0, 4, &what);
        vkCmdDrawIndexed(cmd, 5, 1, first, 0, 0);
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(t, cmd);
        bool is_drawn[COLUMNS] = {true}; /* vertex 0, by the indices beyond */
        for (uint32_t i = first; i < VKT_COUNT(held); i++)
            is_drawn[held[i]] = true;
        struct vkt_picture picture = vkt_read_target(t, &f.target);
        for (uint32_t i = 0; i < COLUMNS; i++)
            assert_int_equal(picture.rgba[4 * (what * INSTANCES * COLUMNS + i)],
                             is_drawn[i] ? expect_number(what, i, 0) : 255);
        vkt_picture_free(&picture);
    }
    vkt_buffer_destroy(t, &indices);
    close_fetch(&f);
}

static void pipelines_ask_for_exact_attributes(void **state)
{
    VkPhysicalDevicePipelineRobustnessFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT, .pipelineRobustness = VK_TRUE};
    const VkPipelineRobustnessCreateInfoEXT wanted = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
        .vertexInputs = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT};
    struct fetch f = open_fetch(&features, VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME, &wanted);
    fetch_everywhere(&f, false);
    close_fetch(&f);
}

static void null_vertex_buffers_give_zero(void **state)
{
    VkPhysicalDeviceRobustness2FeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, .nullDescriptor = VK_TRUE};
    struct fetch f = open_fetch(&features, NULL, NULL);
    fetch_everywhere(&f, true);
    close_fetch(&f);
}

/* ---------------------------------------------------------------- reports */

static void properties_and_features_are_reported(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    PFN_vkGetPhysicalDeviceFeatures2KHR get_features = (PFN_vkGetPhysicalDeviceFeatures2KHR)vkGetInstanceProcAddr(
        t->instance, "vkGetPhysicalDeviceFeatures2KHR");
    PFN_vkGetPhysicalDeviceProperties2KHR get_properties =
        (PFN_vkGetPhysicalDeviceProperties2KHR)vkGetInstanceProcAddr(t->instance, "vkGetPhysicalDeviceProperties2KHR");
    VkPhysicalDeviceImageRobustnessFeatures images = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES};
    VkPhysicalDeviceRobustness2FeaturesEXT two = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, .pNext = &images};
    get_features(t->physical,
                 &(VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &two});
    assert_true(images.robustImageAccess && two.robustBufferAccess2 && two.robustImageAccess2 && two.nullDescriptor);
    VkPhysicalDeviceRobustness2PropertiesEXT alignments = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT};
    get_properties(t->physical, &(VkPhysicalDeviceProperties2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                                               .pNext = &alignments});
    assert_int_equal(alignments.robustStorageBufferAccessSizeAlignment, 1);
    assert_int_equal(alignments.robustUniformBufferAccessSizeAlignment, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(accesses_beyond_give_zero, vkt_check_messages),
        cmocka_unit_test_teardown(null_descriptors_give_zero, vkt_check_messages),
        cmocka_unit_test_teardown(pipelines_ask_for_robustness, vkt_check_messages),
        cmocka_unit_test_teardown(compute_programs_fetch_zero, vkt_check_messages),
        cmocka_unit_test_teardown(attributes_beyond_their_buffer_are_zero, vkt_check_messages),
        cmocka_unit_test_teardown(indices_beyond_their_buffer_are_zero, vkt_check_messages),
        cmocka_unit_test_teardown(pipelines_ask_for_exact_attributes, vkt_check_messages),
        cmocka_unit_test_teardown(null_vertex_buffers_give_zero, vkt_check_messages),
        cmocka_unit_test_teardown(properties_and_features_are_reported, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("robustness", tests, NULL, vkt_teardown);
}
