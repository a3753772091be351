/* SPDX-License-Identifier: MIT
 *
 * Limits: each limit that Vulkan requires is at least (or at most) what the specification's table of required limits
 * says [Vulkan 1.1, "Limit Requirements"]; and a pipeline can use as many descriptors as the limits promise.
 */
#include <string.h>
#include "vkt.h"
#include "cover.vert.h"
#include "limits_descriptors_0.comp.h"
#include "limits_descriptors_0.frag.h"
#include "limits_descriptors_0.vert.h"
#include "limits_descriptors_1.comp.h"
#include "limits_descriptors_1.frag.h"
#include "limits_descriptors_1.vert.h"
#include "limits_lod.frag.h"

/* ---------------------------------------------------------------- the table */

#define STAGES 3 /* vertex, fragment, compute */

enum type { U32, I32, F32, SIZE, SIZE_T };
enum rule { AT_LEAST, AT_MOST, HAS_BITS };

struct row {
    const char *name;
    size_t offset_B;
    enum type type;
    uint32_t elements;
    enum rule rule;
    double values[3];
};

#define FIELD(name, type, rule, value) {#name, offsetof(VkPhysicalDeviceLimits, name), type, 1, rule, {value}}
#define ARRAY(name, type, rule, count, ...) \
    {#name, offsetof(VkPhysicalDeviceLimits, name), type, count, rule, {__VA_ARGS__}}

/* maxFramebufferLayers is not in the table: test_layers.c checks it. */
static const struct row rows[] = {
    FIELD(maxImageDimension1D, U32, AT_LEAST, 4096),
    FIELD(maxImageDimension2D, U32, AT_LEAST, 4096),
    FIELD(maxImageDimension3D, U32, AT_LEAST, 256),
    FIELD(maxImageDimensionCube, U32, AT_LEAST, 4096),
    FIELD(maxImageArrayLayers, U32, AT_LEAST, 256),
    FIELD(maxTexelBufferElements, U32, AT_LEAST, 65536),
    FIELD(maxUniformBufferRange, U32, AT_LEAST, 16384),
    FIELD(maxStorageBufferRange, U32, AT_LEAST, 1 << 27),
    FIELD(maxPushConstantsSize, U32, AT_LEAST, 128),
    FIELD(maxMemoryAllocationCount, U32, AT_LEAST, 4096),
    FIELD(maxSamplerAllocationCount, U32, AT_LEAST, 4000),
    FIELD(bufferImageGranularity, SIZE, AT_MOST, 131072),
    FIELD(maxBoundDescriptorSets, U32, AT_LEAST, 4),
    FIELD(maxPerStageDescriptorSamplers, U32, AT_LEAST, 16),
    FIELD(maxPerStageDescriptorUniformBuffers, U32, AT_LEAST, 12),
    FIELD(maxPerStageDescriptorStorageBuffers, U32, AT_LEAST, 4),
    FIELD(maxPerStageDescriptorSampledImages, U32, AT_LEAST, 16),
    FIELD(maxPerStageDescriptorStorageImages, U32, AT_LEAST, 4),
    FIELD(maxPerStageDescriptorInputAttachments, U32, AT_LEAST, 4),
    FIELD(maxPerStageResources, U32, AT_LEAST, 128),
    FIELD(maxDescriptorSetSamplers, U32, AT_LEAST, 96),
    FIELD(maxDescriptorSetUniformBuffers, U32, AT_LEAST, 72),
    FIELD(maxDescriptorSetUniformBuffersDynamic, U32, AT_LEAST, 8),
    FIELD(maxDescriptorSetStorageBuffers, U32, AT_LEAST, 24),
    FIELD(maxDescriptorSetStorageBuffersDynamic, U32, AT_LEAST, 4),
    FIELD(maxDescriptorSetSampledImages, U32, AT_LEAST, 96),
    FIELD(maxDescriptorSetStorageImages, U32, AT_LEAST, 24),
    FIELD(maxDescriptorSetInputAttachments, U32, AT_LEAST, 4),
    FIELD(maxVertexInputAttributes, U32, AT_LEAST, 16),
    FIELD(maxVertexInputBindings, U32, AT_LEAST, 16),
    FIELD(maxVertexInputAttributeOffset, U32, AT_LEAST, 2047),
    FIELD(maxVertexInputBindingStride, U32, AT_LEAST, 2048),
    FIELD(maxVertexOutputComponents, U32, AT_LEAST, 64),
    FIELD(maxFragmentInputComponents, U32, AT_LEAST, 64),
    FIELD(maxFragmentOutputAttachments, U32, AT_LEAST, 4),
    FIELD(maxFragmentDualSrcAttachments, U32, AT_LEAST, 1),
    FIELD(maxFragmentCombinedOutputResources, U32, AT_LEAST, 4),
    FIELD(maxComputeSharedMemorySize, U32, AT_LEAST, 16384),
    ARRAY(maxComputeWorkGroupCount, U32, AT_LEAST, 3, 65535, 65535, 65535),
    FIELD(maxComputeWorkGroupInvocations, U32, AT_LEAST, 128),
    ARRAY(maxComputeWorkGroupSize, U32, AT_LEAST, 3, 128, 128, 64),
    FIELD(subPixelPrecisionBits, U32, AT_LEAST, 4),
    FIELD(subTexelPrecisionBits, U32, AT_LEAST, 4),
    FIELD(mipmapPrecisionBits, U32, AT_LEAST, 4),
    FIELD(maxDrawIndexedIndexValue, U32, AT_LEAST, UINT32_MAX),
    FIELD(maxDrawIndirectCount, U32, AT_LEAST, 65535),
    FIELD(maxSamplerLodBias, F32, AT_LEAST, 2),
    FIELD(maxSamplerAnisotropy, F32, AT_LEAST, 16),
    FIELD(maxViewports, U32, AT_LEAST, 1),
    ARRAY(maxViewportDimensions, U32, AT_LEAST, 2, 4096, 4096),
    FIELD(viewportBoundsRange, F32, AT_MOST, -8192),
    FIELD(minMemoryMapAlignment, SIZE_T, AT_LEAST, 64),
    FIELD(minTexelBufferOffsetAlignment, SIZE, AT_MOST, 256),
    FIELD(minUniformBufferOffsetAlignment, SIZE, AT_MOST, 256),
    FIELD(minStorageBufferOffsetAlignment, SIZE, AT_MOST, 256),
    FIELD(minTexelOffset, I32, AT_MOST, -8),
    FIELD(maxTexelOffset, U32, AT_LEAST, 7),
    FIELD(minTexelGatherOffset, I32, AT_MOST, -8),
    FIELD(maxTexelGatherOffset, U32, AT_LEAST, 7),
    FIELD(minInterpolationOffset, F32, AT_MOST, -0.5),
    FIELD(maxInterpolationOffset, F32, AT_LEAST, 0.4375),
    FIELD(subPixelInterpolationOffsetBits, U32, AT_LEAST, 4),
    FIELD(maxFramebufferWidth, U32, AT_LEAST, 4096),
    FIELD(maxFramebufferHeight, U32, AT_LEAST, 4096),
    FIELD(framebufferColorSampleCounts, U32, HAS_BITS, 1 | 4),
    FIELD(framebufferDepthSampleCounts, U32, HAS_BITS, 1 | 4),
    FIELD(framebufferStencilSampleCounts, U32, HAS_BITS, 1 | 4),
    FIELD(framebufferNoAttachmentsSampleCounts, U32, HAS_BITS, 1 | 4),
    FIELD(maxColorAttachments, U32, AT_LEAST, 4),
    FIELD(sampledImageColorSampleCounts, U32, HAS_BITS, 1 | 4),
    FIELD(sampledImageIntegerSampleCounts, U32, HAS_BITS, 1),
    FIELD(sampledImageDepthSampleCounts, U32, HAS_BITS, 1 | 4),
    FIELD(sampledImageStencilSampleCounts, U32, HAS_BITS, 1 | 4),
    FIELD(storageImageSampleCounts, U32, HAS_BITS, 1 | 4),
    FIELD(maxSampleMaskWords, U32, AT_LEAST, 1),
    FIELD(maxClipDistances, U32, AT_LEAST, 8),
    FIELD(discreteQueuePriorities, U32, AT_LEAST, 2),
    FIELD(pointSizeRange, F32, AT_MOST, 1),
    FIELD(lineWidthRange, F32, AT_MOST, 1),
    FIELD(pointSizeGranularity, F32, AT_MOST, 1),
    FIELD(lineWidthGranularity, F32, AT_MOST, 1),
    FIELD(nonCoherentAtomSize, SIZE, AT_MOST, 256),
};

static double value_of(const VkPhysicalDeviceLimits *limits, const struct row *row, uint32_t element)
{
    static const size_t sizes_B[] = {sizeof(uint32_t), sizeof(int32_t), sizeof(float), sizeof(VkDeviceSize),
                                     sizeof(size_t)};
    union {
        uint32_t u32;
        int32_t i32;
        float f32;
        VkDeviceSize size;
        size_t size_t_;
    } v;
    memcpy(&v, (const char *)limits + row->offset_B + element * sizes_B[row->type], sizes_B[row->type]);
    switch (row->type) {
    case U32:
        return v.u32;
    case I32:
        return v.i32;
    case F32:
        return v.f32;
    case SIZE:
        return (double)v.size;
    default:
        return (double)v.size_t_;
    }
}

static bool is_met(const struct row *row, double value, double required)
{
    switch (row->rule) {
    case AT_LEAST:
        return value >= required;
    case AT_MOST:
        return value <= required;
    default:
        return ((uint32_t)value & (uint32_t)required) == (uint32_t)required;
    }
}

static void required_limits_are_met(void **state)
{
    const VkPhysicalDeviceLimits *limits = &vkt_device(VKT_TESTED)->properties.limits;
    uint32_t missed = 0;
    for (uint32_t i = 0; i < VKT_COUNT(rows); i++)
        for (uint32_t e = 0; e < rows[i].elements; e++) {
            const double value = value_of(limits, &rows[i], e);
            if (is_met(&rows[i], value, rows[i].values[e]))
                continue;
            print_message("# %s[%u] is %g, the specification requires %g\n", rows[i].name, e, value,
                          rows[i].values[e]);
            missed++;
        }
    assert_int_equal(missed, 0);
}

/* Limits that depend on other limits, and the far ends of ranges. */
static void limits_agree(void **state)
{
    const VkPhysicalDeviceLimits *l = &vkt_device(VKT_TESTED)->properties.limits;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t side = i ? l->maxFramebufferHeight : l->maxFramebufferWidth;
        assert_true(l->maxViewportDimensions[i] >= side);
        assert_true(l->viewportBoundsRange[0] <= -2.0f * (float)l->maxViewportDimensions[i]);
        assert_true(l->viewportBoundsRange[1] >= 2.0f * (float)l->maxViewportDimensions[i] - 1);
    }
    assert_true(l->pointSizeRange[1] >= 64 - l->pointSizeGranularity);
    assert_true(l->lineWidthRange[1] >= 8 - l->lineWidthGranularity);
    assert_true(l->maxDescriptorSetSamplers >= STAGES * l->maxPerStageDescriptorSamplers);
    assert_true(l->maxDescriptorSetUniformBuffers >= STAGES * l->maxPerStageDescriptorUniformBuffers);
    assert_true(l->maxDescriptorSetStorageBuffers >= STAGES * l->maxPerStageDescriptorStorageBuffers);
    assert_true(l->maxDescriptorSetSampledImages >= STAGES * l->maxPerStageDescriptorSampledImages);
    assert_true(l->maxDescriptorSetStorageImages >= STAGES * l->maxPerStageDescriptorStorageImages);
    assert_true(l->maxCombinedClipAndCullDistances >= l->maxClipDistances);
    assert_int_equal(l->minMemoryMapAlignment & (l->minMemoryMapAlignment - 1), 0);
    assert_int_equal(l->nonCoherentAtomSize & (l->nonCoherentAtomSize - 1), 0);
}

/* ---------------------------------------------------------------- descriptors */

#define PER_STAGE 200
#define OUTPUTS   4 /* images to which the first compute program stores */
#define W         16
#define H         4

enum set { UNIFORM_BUFFERS, TEXTURES, STORAGE_BUFFERS, IMAGES, FEW_IMAGES, SETS };

/* Two programs a stage, whose sets together have no more descriptors than one stage may use. */
static const struct mode {
    uint32_t set_count; /* of graphics pipelines; those of compute pipelines have one more, of images */
    enum set sets[3];
    uint32_t images;
} modes[2] = {{2, {UNIFORM_BUFFERS, TEXTURES, FEW_IMAGES}, OUTPUTS}, {1, {STORAGE_BUFFERS, IMAGES}, PER_STAGE}};

/* Each set has as many descriptors of its kind as the limits allow for each of the three stages. A binding that no stage
 * uses fills it up to the limit of a set. */
struct scene {
    struct vkt_buffer uniforms, storage;
    struct vkt_image textures[STAGES * PER_STAGE], images[PER_STAGE];
    VkSampler sampler;
    VkDescriptorPool pool;
    VkDescriptorSetLayout layouts[SETS];
    VkDescriptorSet sets[SETS];
};

#define STEP_B 256u /* offset between the values in a buffer */

static uint32_t value_at(enum set set, uint32_t element)
{
    return set == TEXTURES ? (element * 5 + 3) % 256 : set == UNIFORM_BUFFERS ? element * element + 1 : element * 7 + 2;
}

static uint32_t sum_of(enum set set, uint32_t stage)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < PER_STAGE; i++)
        sum += (i + 1) * value_at(set, stage * PER_STAGE + i);
    return sum % 251;
}

static struct vkt_buffer buffer_of(struct vkt *t, enum set set, VkBufferUsageFlags usage)
{
    struct vkt_buffer b = vkt_buffer_create(t, STAGES * PER_STAGE * STEP_B, usage, NULL);
    for (uint32_t i = 0; i < STAGES * PER_STAGE; i++)
        memcpy((char *)b.map + i * STEP_B, &(uint32_t){value_at(set, i)}, sizeof(uint32_t));
    return b;
}

static VkDescriptorSetLayout stage_layout(struct vkt *t, VkDescriptorType type, uint32_t most)
{
    const struct vkt_binding bindings[] = {
        {type, VK_SHADER_STAGE_VERTEX_BIT, PER_STAGE},
        {type, VK_SHADER_STAGE_FRAGMENT_BIT, PER_STAGE},
        {type, VK_SHADER_STAGE_COMPUTE_BIT, PER_STAGE},
        {type, 0, most - STAGES * PER_STAGE},
    };
    return vkt_set_layout_create(t, bindings, 4);
}

static void create_sets(struct vkt *t, struct scene *s)
{
    const VkPhysicalDeviceLimits *l = &t->properties.limits;
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, l->maxDescriptorSetUniformBuffers},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, l->maxDescriptorSetSampledImages},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, l->maxDescriptorSetStorageBuffers},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, PER_STAGE + OUTPUTS}};
    assert_int_equal(l->maxPerStageDescriptorUniformBuffers, PER_STAGE);
    assert_int_equal(l->maxPerStageDescriptorSampledImages, PER_STAGE);
    assert_int_equal(l->maxPerStageDescriptorSamplers, PER_STAGE);
    assert_int_equal(l->maxPerStageDescriptorStorageBuffers, PER_STAGE);
    assert_int_equal(l->maxPerStageDescriptorStorageImages, PER_STAGE);
    vkt_ok(vkCreateDescriptorPool(t->device,
                                  &(VkDescriptorPoolCreateInfo){
                                      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                      .maxSets = SETS,
                                      .poolSizeCount = VKT_COUNT(sizes),
                                      .pPoolSizes = sizes,
                                  },
                                  NULL, &s->pool));
    s->layouts[UNIFORM_BUFFERS] = stage_layout(t, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, l->maxDescriptorSetUniformBuffers);
    s->layouts[TEXTURES] = stage_layout(t, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, l->maxDescriptorSetSampledImages);
    s->layouts[STORAGE_BUFFERS] = stage_layout(t, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, l->maxDescriptorSetStorageBuffers);
    for (uint32_t i = 0; i < 2; i++)
        s->layouts[i ? FEW_IMAGES : IMAGES] =
            vkt_set_layout_create(t,
                                  &(struct vkt_binding){VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_SHADER_STAGE_COMPUTE_BIT,
                                                        i ? OUTPUTS : PER_STAGE},
                                  1);
    vkt_ok(vkAllocateDescriptorSets(t->device,
                                    &(VkDescriptorSetAllocateInfo){
                                        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = s->pool,
                                        .descriptorSetCount = SETS,
                                        .pSetLayouts = s->layouts,
                                    },
                                    s->sets));
}

static void write_element(struct vkt *t, struct scene *s, enum set set, uint32_t i)
{
    const VkDescriptorBufferInfo buffer = {set == UNIFORM_BUFFERS ? s->uniforms.buffer : s->storage.buffer, i * STEP_B,
                                           sizeof(uint32_t)};
    const VkDescriptorImageInfo image = {s->sampler, s->textures[i].view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    const VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = s->sets[set],
        .dstBinding = i / PER_STAGE,
        .dstArrayElement = i % PER_STAGE,
        .descriptorCount = 1,
        .descriptorType = types[set],
        .pBufferInfo = &buffer,
        .pImageInfo = &image,
    };
    vkUpdateDescriptorSets(t->device, 1, &write, 0, NULL);
}

static struct scene scene_create(struct vkt *t)
{
    struct scene s = {
        .uniforms = buffer_of(t, UNIFORM_BUFFERS, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT),
        .storage = buffer_of(t, STORAGE_BUFFERS, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
        .sampler = vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                      VK_SAMPLER_ADDRESS_MODE_REPEAT, 0),
    };
    create_sets(t, &s);
    for (uint32_t i = 0; i < STAGES * PER_STAGE; i++) {
        s.textures[i] = vkt_image_create(
            t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                        .width = 1,
                                        .height = 1,
                                        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
        vkt_image_upload(t, &s.textures[i], 0, 0, (uint8_t[4]){(uint8_t)value_at(TEXTURES, i)}, 4);
        for (uint32_t set = 0; set < IMAGES; set++)
            write_element(t, &s, set, i);
    }
    return s;
}

static void scene_destroy(struct vkt *t, struct scene *s)
{
    vkt_buffer_destroy(t, &s->uniforms);
    vkt_buffer_destroy(t, &s->storage);
    for (uint32_t i = 0; i < STAGES * PER_STAGE; i++)
        vkt_image_destroy(t, &s->textures[i]);
    vkDestroySampler(t->device, s->sampler, NULL);
    vkDestroyDescriptorPool(t->device, s->pool, NULL);
    for (uint32_t i = 0; i < SETS; i++)
        vkDestroyDescriptorSetLayout(t->device, s->layouts[i], NULL);
}

static bool has_set(const struct mode *m, enum set set)
{
    return m->sets[0] == set || (m->set_count > 1 && m->sets[1] == set);
}

static const struct mode *mode;

static void sums_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    for (uint32_t i = 0; i < 3; i++)
        rgba[i] = has_set(mode, (enum set)i) ? (uint8_t)sum_of((enum set)i, x < 8) : 0;
    rgba[3] = 255;
}

static void draw_with_all_descriptors(struct vkt *t, const struct scene *s)
{
    const bool second = mode == &modes[1];
    VkDescriptorSet sets[2];
    for (uint32_t i = 0; i < mode->set_count; i++)
        sets[i] = s->sets[mode->sets[i]];
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(
        t, &(struct vkt_pipeline_info){
               .vs = second ? VKT_SHADER(limits_descriptors_1_vert) : VKT_SHADER(limits_descriptors_0_vert),
               .fs = second ? VKT_SHADER(limits_descriptors_1_frag) : VKT_SHADER(limits_descriptors_0_frag),
               .pass = target.pass,
               .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
               .width = W,
               .height = H,
               .set_layouts = {s->layouts[mode->sets[0]], s->layouts[mode->sets[1]]},
               .set_layout_count = mode->set_count,
           });
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, mode->set_count, sets, 0, NULL);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target), expected = vkt_picture_compute(W, H, sums_pixel);
    vkt_compare("limits_descriptors", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void graphics_stages_read_all_descriptors(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s = scene_create(t);
    for (mode = modes; mode < modes + 2; mode++)
        draw_with_all_descriptors(t, &s);
    scene_destroy(t, &s);
}

static void compute_with_all_descriptors(struct vkt *t, struct scene *s)
{
    const uint32_t set_count = mode->set_count + 1;
    VkDescriptorSetLayout layouts[3];
    VkDescriptorSet sets[3];
    for (uint32_t i = 0; i < set_count; i++) {
        layouts[i] = s->layouts[mode->sets[i]];
        sets[i] = s->sets[mode->sets[i]];
    }
    struct vkt_compute c = vkt_compute_create(
        t, mode == modes ? VKT_SHADER(limits_descriptors_0_comp) : VKT_SHADER(limits_descriptors_1_comp), layouts,
        set_count, 0, NULL);
    uint32_t images = 0;
    VkCommandBuffer cmd = vkt_begin(t);
    for (uint32_t i = 0; i < mode->images; i++) {
        s->images[i] = vkt_image_create(t, &(struct vkt_image_info){.format = VK_FORMAT_R32_UINT,
                                                                    .width = 1,
                                                                    .height = 1,
                                                                    .usage = VK_IMAGE_USAGE_STORAGE_BIT |
                                                                             VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                                             VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
        vkt_set_image(t, sets[mode->set_count], 0, i, s->images[i].view);
        vkt_image_barrier(cmd, &s->images[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        vkCmdClearColorImage(cmd, s->images[i].image, VK_IMAGE_LAYOUT_GENERAL,
                             &(VkClearColorValue){.uint32 = {i * 11 + 1}}, 1,
                             &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
        images += (i + 1) * (i * 11 + 1);
    }
    vkt_barrier_all(cmd);
    vkt_compute_bind(cmd, &c, sets);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    for (uint32_t i = 0; i < mode->images; i++)
        vkt_image_barrier(cmd, &s->images[i], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < mode->images; i++) {
        const enum set set = (enum set)(i - 1);
        uint32_t word;
        vkt_read_image(t, &s->images[i], 0, 0, &word, sizeof word);
        assert_int_equal(word, i == 0 ? images % 251 : i > 3 ? i : has_set(mode, set) ? sum_of(set, 2) : 0);
        vkt_image_destroy(t, &s->images[i]);
    }
    vkDestroyPipeline(t->device, c.pipeline, NULL);
    vkDestroyPipelineLayout(t->device, c.layout, NULL);
}

static void compute_reads_all_descriptors(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s = scene_create(t);
    for (mode = modes; mode < modes + 2; mode++)
        compute_with_all_descriptors(t, &s);
    scene_destroy(t, &s);
}

/* ---------------------------------------------------------------- mip levels */

#define STEPS 64 /* 1 << mipmapPrecisionBits */

/* Level 0 is black, level 1 is white: column x is x / STEPS of the way between them. */
static void blend_levels(struct vkt *t, VkFormat format, const uint8_t white[8], uint32_t texel_B)
{
    const uint8_t black[4 * 8] = {0};
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = format,
                                    .width = 2,
                                    .height = 2,
                                    .levels = 2,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    vkt_image_upload(t, &image, 0, 0, black, 4 * texel_B);
    vkt_image_upload(t, &image, 1, 0, white, texel_B);
    VkSampler sampler = vkt_sampler_create(t, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                           VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 1);
    struct vkt_target target = vkt_target_create(t, STEPS, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    VkDescriptorSetLayout layout = vkt_set_layout_create(
        t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1}, 1);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_texture(t, set, 0, image.view, sampler);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                       .vs = VKT_SHADER(cover_vert),
                                                       .fs = VKT_SHADER(limits_lod_frag),
                                                       .pass = target.pass,
                                                       .topology = VKT_TRIANGLES,
                                                       .width = STEPS,
                                                       .height = H,
                                                       .set_layouts = {layout},
                                                       .set_layout_count = 1,
                                                   });
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target);
    for (uint32_t x = 0; x < STEPS; x++) {
        const int red = got.rgba[4 * x], expected = (int)(x * 255 + STEPS / 2) / STEPS;
        if (red < expected - 1 || red > expected + 1)
            fail_msg("format %d: step %u of %u between the levels is %d, not %d", (int)format, x, STEPS, red, expected);
    }
    vkt_picture_free(&got);
    vkt_pipeline_destroy(t, &p);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkt_target_destroy(t, &target);
    vkDestroySampler(t->device, sampler, NULL);
    vkt_image_destroy(t, &image);
}

static void mip_levels_blend_in_steps(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    assert_true(1u << t->properties.limits.mipmapPrecisionBits <= STEPS);
    blend_levels(t, VK_FORMAT_R8G8B8A8_UNORM, (const uint8_t[8]){255, 255, 255, 255}, 4);
    blend_levels(t, VK_FORMAT_R8G8B8A8_SRGB, (const uint8_t[8]){255, 255, 255, 255}, 4);
    blend_levels(t, VK_FORMAT_R16G16B16A16_UNORM, (const uint8_t[8]){255, 255, 255, 255, 255, 255, 255, 255}, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(required_limits_are_met, vkt_check_messages),
        cmocka_unit_test_teardown(limits_agree, vkt_check_messages),
        cmocka_unit_test_teardown(graphics_stages_read_all_descriptors, vkt_check_messages),
        cmocka_unit_test_teardown(compute_reads_all_descriptors, vkt_check_messages),
        cmocka_unit_test_teardown(mip_levels_blend_in_steps, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, vkt_teardown);
}
