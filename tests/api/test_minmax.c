/* SPDX-License-Identifier: MIT
 *
 * Samplers that take the least or the greatest texel (samplerFilterMinmax), of every format that reports it, on one and
 * on several levels: in fragment shaders, in compute shaders, and in compute shaders with the descriptor in memory of
 * the set. Shaders compute the same from single texels.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "cover.vert.h"
#include "minmax_comp.h"
#include "minmax_frag.h"

enum { SIDE = 16, POINTS = 32 * 32 };

struct test {
    struct vkt *t;
    VkDescriptorSetLayout ordinary, in_memory, results_layout;
    VkPipelineLayout ordinary_layout, in_memory_layout;
    VkPipeline compute, compute_in_memory;
    struct vkt_buffer results;
    struct vkt_target target;
    struct vkt_pipeline graphics;
    VkSampler samplers[2]; /* least, greatest */
};

struct push {
    uint32_t is_max, levels;
};

/* ---------------------------------------------------------------- what is reported */

/* With filterMinmaxSingleComponentFormats. */
static const VkFormat mandatory[] = {
    VK_FORMAT_R8_UNORM,   VK_FORMAT_R8_SNORM,          VK_FORMAT_R16_UNORM,         VK_FORMAT_R16_SNORM,
    VK_FORMAT_R16_SFLOAT, VK_FORMAT_R32_SFLOAT,        VK_FORMAT_D16_UNORM,         VK_FORMAT_X8_D24_UNORM_PACK32,
    VK_FORMAT_D32_SFLOAT, VK_FORMAT_D16_UNORM_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_D32_SFLOAT_S8_UINT,
};

static VkFormatFeatureFlags features_of(struct vkt *t, VkFormat format)
{
    VkFormatProperties p;
    vkGetPhysicalDeviceFormatProperties(t->physical, format, &p);
    return p.optimalTilingFeatures;
}

static void mandatory_formats_report_it(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceVulkan12Properties p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
    vkGetPhysicalDeviceProperties2(
        t->physical,
        &(VkPhysicalDeviceProperties2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p});
    assert_true(p.filterMinmaxSingleComponentFormats && p.filterMinmaxImageComponentMapping);
    for (uint32_t i = 0; i < VKT_COUNT(mandatory); i++) {
        const VkFormatFeatureFlags has = features_of(t, mandatory[i]);
        if ((has & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) && !(has & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_MINMAX_BIT))
            fail_msg("format %d", mandatory[i]);
    }
}

/* ---------------------------------------------------------------- pipelines */

static VkDescriptorSetLayout create_layout(struct vkt *t, VkDescriptorBindingFlags flags)
{
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                                                  VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
    const VkDescriptorSetLayoutBindingFlagsCreateInfo flags_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = 1,
        .pBindingFlags = &flags};
    VkDescriptorSetLayout layout;
    vkt_ok(vkCreateDescriptorSetLayout(
        t->device,
        &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .pNext = &flags_info,
                                           .bindingCount = 1,
                                           .pBindings = &binding},
        NULL, &layout));
    return layout;
}

static VkPipeline create_compute(struct test *s, VkDescriptorSetLayout layout, VkPipelineLayout *layout_out)
{
    struct vkt *t = s->t;
    const struct vkt_shader shader = VKT_SHADER(minmax_comp);
    VkShaderModule module;
    VkPipeline pipeline;
    vkt_ok(vkCreatePipelineLayout(
        t->device,
        &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                      .setLayoutCount = 2,
                                      .pSetLayouts = (VkDescriptorSetLayout[2]){layout, s->results_layout},
                                      .pushConstantRangeCount = 1,
                                      .pPushConstantRanges =
                                          &(VkPushConstantRange){VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct push)}},
        NULL, layout_out));
    vkt_ok(vkCreateShaderModule(t->device,
                                &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                            .codeSize = shader.size_B,
                                                            .pCode = shader.words},
                                NULL, &module));
    const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                        .module = module,
                                                        .pName = "main"},
                                              .layout = *layout_out};
    vkt_ok(vkCreateComputePipelines(t->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    vkDestroyShaderModule(t->device, module, NULL);
    return pipeline;
}

static VkSampler create_sampler(struct vkt *t, VkSamplerReductionMode mode)
{
    const VkSamplerReductionModeCreateInfo reduction = {.sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO,
                                                        .reductionMode = mode};
    const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                      .pNext = &reduction,
                                      .magFilter = VK_FILTER_LINEAR,
                                      .minFilter = VK_FILTER_LINEAR,
                                      .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                      .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                      .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                      .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                      .maxLod = VK_LOD_CLAMP_NONE};
    VkSampler sampler;
    vkt_ok(vkCreateSampler(t->device, &info, NULL, &sampler));
    return sampler;
}

static struct test open_test(void)
{
    struct test s = {.t = vkt_device(VKT_TESTED)};
    struct vkt *t = s.t;
    s.ordinary = create_layout(t, 0);
    s.in_memory = create_layout(t, VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT);
    s.results_layout = vkt_set_layout_create(
        t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1}, 1);
    s.results = vkt_storage_buffer(t, POINTS * 8, 0);
    s.compute = create_compute(&s, s.ordinary, &s.ordinary_layout);
    s.compute_in_memory = create_compute(&s, s.in_memory, &s.in_memory_layout);
    s.target = vkt_target_create(t, 32, 32, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    s.graphics = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(cover_vert),
                                                                    .fs = VKT_SHADER(minmax_frag),
                                                                    .pass = s.target.pass,
                                                                    .topology = VKT_TRIANGLES,
                                                                    .width = 32,
                                                                    .height = 32,
                                                                    .push_size_B = sizeof(struct push),
                                                                    .set_layouts = {s.ordinary},
                                                                    .set_layout_count = 1});
    s.samplers[0] = create_sampler(t, VK_SAMPLER_REDUCTION_MODE_MIN);
    s.samplers[1] = create_sampler(t, VK_SAMPLER_REDUCTION_MODE_MAX);
    return s;
}

static void close_test(struct test *s)
{
    VkDevice device = s->t->device;
    for (uint32_t i = 0; i < 2; i++)
        vkDestroySampler(device, s->samplers[i], NULL);
    vkt_pipeline_destroy(s->t, &s->graphics);
    vkt_target_destroy(s->t, &s->target);
    vkt_buffer_destroy(s->t, &s->results);
    vkDestroyPipeline(device, s->compute, NULL);
    vkDestroyPipeline(device, s->compute_in_memory, NULL);
    vkDestroyPipelineLayout(device, s->ordinary_layout, NULL);
    vkDestroyPipelineLayout(device, s->in_memory_layout, NULL);
    vkDestroyDescriptorSetLayout(device, s->ordinary, NULL);
    vkDestroyDescriptorSetLayout(device, s->in_memory, NULL);
    vkDestroyDescriptorSetLayout(device, s->results_layout, NULL);
}

/* ---------------------------------------------------------------- images */

static uint32_t random_word(void)
{
    static uint32_t state = 0x1234567;
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

static bool has_depth(VkFormat format)
{
    return format >= VK_FORMAT_D16_UNORM && format <= VK_FORMAT_D32_SFLOAT_S8_UINT && format != VK_FORMAT_S8_UINT;
}

/* A buffer with texels of a depth aspect. */
static struct vkt_buffer depth_texels(struct vkt *t, VkFormat format)
{
    static uint8_t bytes[SIDE * SIDE * 4];
    const bool is_short = format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D16_UNORM_S8_UINT;
    const bool is_float = format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t word = random_word() >> 8;
        const float depth = (float)word / 16777216.0f;
        if (is_short)
            ((uint16_t *)(void *)bytes)[i] = (uint16_t)word;
        else
            memcpy(bytes + 4 * i, is_float ? (const void *)&depth : &word, 4);
    }
    return vkt_buffer_create(t, sizeof bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, bytes);
}

static void fill_depth(struct vkt *t, const struct vkt_image *image)
{
    VkCommandBuffer cmd = vkt_begin(t);
    struct vkt_buffer texels = depth_texels(t, image->format);
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    for (uint32_t level = 0; level < image->levels; level++)
        vkCmdCopyBufferToImage(cmd, texels.buffer, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                               &(VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, level, 0, 1},
                                                    .imageExtent = {SIDE >> level, SIDE >> level, 1}});
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_buffer_destroy(t, &texels);
}

/* Converts random bytes to the format by blits. */
static void fill_color(struct vkt *t, const struct vkt_image *image)
{
    uint32_t words[SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        words[i] = random_word();
    struct vkt_image from = vkt_image_create(t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                                         .width = SIDE,
                                                                         .height = SIDE,
                                                                         .usage = VK_IMAGE_USAGE_SAMPLED_BIT |
                                                                                  VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                                                  VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    vkt_image_upload(t, &from, 0, 0, words, sizeof words);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &from, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    for (uint32_t level = 0; level < image->levels; level++) {
        const int32_t side = SIDE >> level;
        vkCmdBlitImage(cmd, from.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image->image,
                       VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                       &(VkImageBlit){.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .srcOffsets = {{0, 0, 0}, {side, side, 1}},
                                      .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
                                      .dstOffsets = {{0, 0, 0}, {side, side, 1}}},
                       VK_FILTER_NEAREST);
    }
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_image_destroy(t, &from);
}

/* Of the depth or colour aspect, with another order of channels. */
static VkImageView create_view(struct vkt *t, const struct vkt_image *image)
{
    const bool depth = has_depth(image->format);
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = image->format,
        .components = {depth ? VK_COMPONENT_SWIZZLE_R : VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_R,
                       VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_ONE},
        .subresourceRange = {depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, 0, image->levels, 0, 1}};
    VkImageView view;
    vkt_ok(vkCreateImageView(t->device, &info, NULL, &view));
    return view;
}

/* ---------------------------------------------------------------- filters */

static void check_compute(struct test *s, const struct vkt_image *image, VkImageView view, uint32_t is_max,
                          bool in_memory)
{
    struct vkt *t = s->t;
    VkPipelineLayout layout = in_memory ? s->in_memory_layout : s->ordinary_layout;
    VkDescriptorSet sets[2] = {vkt_set_alloc(t, in_memory ? s->in_memory : s->ordinary),
                               vkt_set_alloc(t, s->results_layout)};
    const struct push push = {is_max, image->levels};
    vkt_set_texture(t, sets[0], 0, view, s->samplers[is_max]);
    vkt_set_buffer(t, sets[1], 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, s->results.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, in_memory ? s->compute_in_memory : s->compute);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2, sets, 0, NULL);
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vkCmdDispatch(cmd, POINTS / 16, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
    const float *v = s->results.map;
    bool differ = false; /* a filter that returned a constant would pass, too */
    for (uint32_t i = 0; i < POINTS; i++, v += 8) {
        if (memcmp(v, v + 4, 16))
            fail_msg("format %d, %s, point %u: %g %g %g %g instead of %g %g %g %g", image->format,
                     in_memory ? "in memory" : "ordinary", i, (double)v[0], (double)v[1], (double)v[2], (double)v[3],
                     (double)v[4], (double)v[5], (double)v[6], (double)v[7]);
        differ |= i && v[1] != v[-7];
    }
    assert_true(differ);
}

static void check_fragments(struct test *s, const struct vkt_image *image, VkImageView view, uint32_t is_max)
{
    struct vkt *t = s->t;
    VkDescriptorSet set = vkt_set_alloc(t, s->ordinary);
    const struct push push = {is_max, image->levels};
    vkt_set_texture(t, set, 0, view, s->samplers[is_max]);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &s->target, (const float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->graphics.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->graphics.layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, s->graphics.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                       sizeof push, &push);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture out = vkt_read_target(t, &s->target);
    for (uint32_t i = 0; i < POINTS; i++)
        if (out.rgba[4 * i] != 255)
            fail_msg("format %d, fragment %u of %s", image->format, i, is_max ? "the greatest" : "the least");
    vkt_picture_free(&out);
}

/* `everywhere`: also in shaders that are compiled for the format. */
static void check_format(struct test *s, VkFormat format, uint32_t levels, bool everywhere)
{
    struct vkt *t = s->t;
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = format,
                                    .width = SIDE,
                                    .height = SIDE,
                                    .levels = levels,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    (has_depth(format) ? fill_depth : fill_color)(t, &image);
    VkImageView view = create_view(t, &image);
    for (uint32_t is_max = 0; is_max < 2; is_max++) {
        check_compute(s, &image, view, is_max, true);
        if (!everywhere)
            continue;
        check_compute(s, &image, view, is_max, false);
        check_fragments(s, &image, view, is_max);
    }
    vkResetDescriptorPool(t->device, t->descriptors, 0);
    vkDestroyImageView(t->device, view, NULL);
    vkt_image_destroy(t, &image);
}

static void filters_of_all_formats(void **state)
{
    struct test s = open_test();
    uint32_t count = 0;
    for (VkFormat format = 1; format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; format++)
        if (features_of(s.t, format) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_MINMAX_BIT) {
            check_format(&s, format, 1, false);
            count++;
        }
    assert_true(count >= VKT_COUNT(mandatory) / 2);
    close_test(&s);
}

static void filters_of_mandatory_formats(void **state)
{
    static const VkFormat more[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R5G6B5_UNORM_PACK16,
                                    VK_FORMAT_R16G16B16A16_SFLOAT};
    struct test s = open_test();
    for (uint32_t i = 0; i < VKT_COUNT(mandatory); i++)
        if (features_of(s.t, mandatory[i]) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)
            check_format(&s, mandatory[i], 1, true);
    for (uint32_t i = 0; i < VKT_COUNT(more); i++)
        check_format(&s, more[i], 1, true);
    close_test(&s);
}

static void filters_of_several_levels(void **state)
{
    static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D16_UNORM};
    struct test s = open_test();
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++)
        check_format(&s, formats[i], 2, true);
    close_test(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(mandatory_formats_report_it, vkt_check_messages),
        cmocka_unit_test_teardown(filters_of_all_formats, vkt_check_messages),
        cmocka_unit_test_teardown(filters_of_mandatory_formats, vkt_check_messages),
        cmocka_unit_test_teardown(filters_of_several_levels, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
