/* SPDX-License-Identifier: MIT
 *
 * Shader reads other than sampled images: texel buffers, input attachments, storage buffers, arrays of descriptors.
 * Also gathers with offsets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "buffer_beyond.frag.h"
#include "descriptor_arrays.frag.h"
#include "full.vert.h"
#include "gather_far_offsets.frag.h"
#include "gather_offsets.frag.h"
#include "push.frag.h"
#include "push.vert.h"
#include "subpass.frag.h"
#include "texel_buffer_beyond.frag.h"
#include "texel_buffer_float.frag.h"
#include "texel_buffer_int.frag.h"
#include "texel_buffer_uint.frag.h"

#define W 64
#define H 64

static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Draws the whole target with one set bound and 16 bytes of push constants. Destroys the layout. */
static void draw(struct vkt *t, struct vkt_shader fs, VkDescriptorSetLayout set_layout, VkDescriptorSet set,
                 const void *push, uint32_t width, uint32_t height, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, width, height, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                           .fs = fs,
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
    vkCmdPushConstants(cmd, pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16, push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
    vkt_target_destroy(t, &target);
}

/* ---------------------------------------------------------------- texel buffers */

static VkBufferView create_buffer_view(struct vkt *t, VkBuffer buffer, VkFormat format, VkDeviceSize offset_B,
                                       VkDeviceSize range_B)
{
    VkBufferView view;
    vkt_ok(vkCreateBufferView(t->device,
                              &(VkBufferViewCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                                        .buffer = buffer,
                                                        .format = format,
                                                        .offset = offset_B,
                                                        .range = range_B},
                              NULL, &view));
    return view;
}

static void set_views(struct vkt *t, VkDescriptorSet set, uint32_t binding, const VkBufferView *views, uint32_t count)
{
    vkUpdateDescriptorSets(t->device, 1,
                           &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                   .dstSet = set,
                                                   .dstBinding = binding,
                                                   .descriptorCount = count,
                                                   .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                                   .pTexelBufferView = views},
                           0, NULL);
}

static struct {
    VkFormat format;
    uint32_t texel_B;
    struct vkt_shader fs;
    uint32_t mantissas, exponents; /* masks that turn random bits into floats from 0 to 1 */
} texels;

#define TEXELS 240 /* fewer than the 256 pixels */

static void texel_scene(struct vkt *t, struct vkt_picture *out)
{
    uint32_t words[TEXELS * 4 + 64];
    for (uint32_t i = 0; i < VKT_COUNT(words); i++) {
        words[i] = hash(i);
        if (texels.mantissas)
            words[i] = (words[i] & texels.mantissas) | texels.exponents;
    }
    struct vkt_buffer buffer = vkt_buffer_create(t, sizeof words, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, words);
    VkBufferView view = create_buffer_view(t, buffer.buffer, texels.format, 64, TEXELS * texels.texel_B);
    struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, &binding, 1);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    set_views(t, set, 0, &view, 1);
    draw(t, texels.fs, layout, set, (int32_t[4]){0}, 16, 16, out);
    vkDestroyBufferView(t->device, view, NULL);
    vkt_buffer_destroy(t, &buffer);
}

static bool reports(struct vkt *t, VkFormat format)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(t->physical, format, &properties);
    return properties.bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
}

static void texel_formats(void **state)
{
    (void)state;
#define FORMAT(name, bytes, ...)                                                                                       \
    {                                                                                                                  \
        VK_FORMAT_##name, bytes, #name, __VA_ARGS__                                                                    \
    }
    static const struct {
        VkFormat format;
        uint32_t texel_B;
        const char *name;
        uint32_t mantissas, exponents;
    } formats[] = {
        /* required by Vulkan */
        FORMAT(R8_UNORM, 1),
        FORMAT(R8_SNORM, 1),
        FORMAT(R8_UINT, 1),
        FORMAT(R8_SINT, 1),
        FORMAT(R8G8_UNORM, 2),
        FORMAT(R8G8_SNORM, 2),
        FORMAT(R8G8_UINT, 2),
        FORMAT(R8G8_SINT, 2),
        FORMAT(R8G8B8A8_UNORM, 4),
        FORMAT(R8G8B8A8_SNORM, 4),
        FORMAT(R8G8B8A8_UINT, 4),
        FORMAT(R8G8B8A8_SINT, 4),
        FORMAT(B8G8R8A8_UNORM, 4),
        FORMAT(A8B8G8R8_UNORM_PACK32, 4),
        FORMAT(A8B8G8R8_SNORM_PACK32, 4),
        FORMAT(A8B8G8R8_UINT_PACK32, 4),
        FORMAT(A8B8G8R8_SINT_PACK32, 4),
        FORMAT(A2B10G10R10_UNORM_PACK32, 4),
        FORMAT(A2B10G10R10_UINT_PACK32, 4),
        FORMAT(R16_UINT, 2),
        FORMAT(R16_SINT, 2),
        FORMAT(R16_SFLOAT, 2, 0x03ff03ff, 0x38003400),
        FORMAT(R16G16_UINT, 4),
        FORMAT(R16G16_SINT, 4),
        FORMAT(R16G16_SFLOAT, 4, 0x03ff03ff, 0x38003400),
        FORMAT(R16G16B16A16_UINT, 8),
        FORMAT(R16G16B16A16_SINT, 8),
        FORMAT(R16G16B16A16_SFLOAT, 8, 0x03ff03ff, 0x38003400),
        FORMAT(R32_UINT, 4),
        FORMAT(R32_SINT, 4),
        FORMAT(R32_SFLOAT, 4, 0x007fffff, 0x3f000000),
        FORMAT(R32G32_UINT, 8),
        FORMAT(R32G32_SINT, 8),
        FORMAT(R32G32_SFLOAT, 8, 0x007fffff, 0x3f000000),
        FORMAT(R32G32B32A32_UINT, 16),
        FORMAT(R32G32B32A32_SINT, 16),
        FORMAT(R32G32B32A32_SFLOAT, 16, 0x007fffff, 0x3f000000),
        FORMAT(B10G11R11_UFLOAT_PACK32, 4, 0x07c1f83f, 14u << 27 | 14u << 17 | 14u << 6),
        /* optional */
        FORMAT(R16_UNORM, 2),
        FORMAT(R16G16_SNORM, 4),
        FORMAT(R16G16B16A16_UNORM, 8),
        FORMAT(R8_SRGB, 1),
        FORMAT(R8G8_SRGB, 2),
        FORMAT(R8G8B8A8_SRGB, 4),
        FORMAT(B8G8R8A8_SRGB, 4),
        FORMAT(A8B8G8R8_SRGB_PACK32, 4),
        FORMAT(R32G32B32_UINT, 12),
        FORMAT(R32G32B32_SINT, 12),
        FORMAT(R32G32B32_SFLOAT, 12, 0x007fffff, 0x3f000000),
    };
    for (size_t i = 0; i < VKT_COUNT(formats); i++) {
        assert_true(reports(vkt_device(VKT_TESTED), formats[i].format));
        if (!reports(vkt_device(VKT_REFERENCE), formats[i].format))
            continue;
        char name[64];
        texels.format = formats[i].format;
        texels.texel_B = formats[i].texel_B;
        texels.fs = strstr(formats[i].name, "UINT")   ? VKT_SHADER(texel_buffer_uint_frag)
                    : strstr(formats[i].name, "SINT") ? VKT_SHADER(texel_buffer_int_frag)
                                                      : VKT_SHADER(texel_buffer_float_frag);
        texels.mantissas = formats[i].mantissas;
        texels.exponents = formats[i].exponents;
        snprintf(name, sizeof name, "texels_%s", formats[i].name);
        vkt_compare_with_reference(name, texel_scene, (struct vkt_tolerance){1, 0});
    }
}

static void expect_green(const struct vkt_picture *picture)
{
    for (uint32_t i = 0; i < picture->width * picture->height; i++)
        if (memcmp(picture->rgba + 4 * i, (uint8_t[]){0, 255, 0, 255}, 4))
            fail_msg("pixel (%u,%u): %u %u %u", i % picture->width, i / picture->width, picture->rgba[4 * i],
                     picture->rgba[4 * i + 1], picture->rgba[4 * i + 2]);
}

/* The view's range is red and the buffer around it white. A shader must see neither the white nor single words of a
 * texel that is partly outside. */
static void expect_red_texels(VkFormat format, const uint32_t *red, uint32_t texel_words)
{
    static const int32_t steps[] = {1, 16, 1000, 1 << 20, 1 << 26, 1 << 28};
    struct vkt *t = vkt_device(VKT_TESTED);
    uint32_t words[64];
    memset(words, 0xff, sizeof words);
    const uint32_t range = 8 - 8 % texel_words;
    for (uint32_t i = 0; i < range; i++)
        words[16 + i] = red[i % texel_words];
    struct vkt_buffer buffer = vkt_buffer_create(t, sizeof words, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, words);
    VkBufferView view = create_buffer_view(t, buffer.buffer, format, 64, 4 * range);
    for (size_t i = 0; i < VKT_COUNT(steps); i++) {
        struct vkt_picture got;
        struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
        VkDescriptorSetLayout layout = vkt_set_layout_create(t, &binding, 1);
        VkDescriptorSet set = vkt_set_alloc(t, layout);
        set_views(t, set, 0, &view, 1);
        draw(t, VKT_SHADER(texel_buffer_beyond_frag), layout, set, (int32_t[4]){steps[i]}, 16, 16, &got);
        expect_green(&got);
        vkt_picture_free(&got);
    }
    vkDestroyBufferView(t->device, view, NULL);
    vkt_buffer_destroy(t, &buffer);
}

static void texels_beyond(void **state)
{
    (void)state;
    expect_red_texels(VK_FORMAT_R8G8B8A8_UNORM, (uint32_t[]){0xff0000ff}, 1);
    expect_red_texels(VK_FORMAT_R16G16B16A16_SFLOAT, (uint32_t[]){0x00003c00, 0x3c000000}, 2);
    expect_red_texels(VK_FORMAT_R32G32B32_SFLOAT, (uint32_t[]){0x3f800000, 0, 0}, 3);
    expect_red_texels(VK_FORMAT_R32G32B32A32_SFLOAT, (uint32_t[]){0x3f800000, 0, 0, 0x3f800000}, 4);
}

/* Constant and computed offsets beyond the bound range of uniform and storage buffers. */
static void buffers_beyond(void **state)
{
    (void)state;
    static const int32_t steps[] = {1, 3, 1000, 1 << 20, 1 << 27};
    struct vkt *t = vkt_device(VKT_TESTED);
    float contents[256];
    for (uint32_t i = 0; i < VKT_COUNT(contents); i++)
        contents[i] = i >= 128 && i < 136 ? 0.25f : 0.75f;
    struct vkt_buffer buffer = vkt_buffer_create(
        t, sizeof contents, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, contents);
    static const struct vkt_binding bindings[] = {
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 1},
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 1},
    };
    for (size_t i = 0; i < VKT_COUNT(steps); i++) {
        struct vkt_picture got;
        VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 2);
        VkDescriptorSet set = vkt_set_alloc(t, layout);
        vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, buffer.buffer, 512, 32);
        vkt_set_buffer(t, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffer.buffer, 512, 32);
        draw(t, VKT_SHADER(buffer_beyond_frag), layout, set, (int32_t[4]){steps[i]}, 16, 16, &got);
        expect_green(&got);
        vkt_picture_free(&got);
    }
    vkt_buffer_destroy(t, &buffer);
}

/* ---------------------------------------------------------------- arrays of descriptors */

static struct vkt_image plain_image(struct vkt *t, uint32_t size_px, uint32_t seed)
{
    uint32_t words[16 * 16];
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = size_px,
                                    .height = size_px,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    for (uint32_t i = 0; i < VKT_COUNT(words); i++)
        words[i] = hash(i + 1000 * seed);
    vkt_image_upload(t, &image, 0, 0, words, size_px * size_px * 4);
    return image;
}

static void set_buffers(struct vkt *t, VkDescriptorSet set, uint32_t binding, VkDescriptorType type, uint32_t count,
                        const VkDescriptorBufferInfo *infos)
{
    vkUpdateDescriptorSets(t->device, 1,
                           &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                   .dstSet = set,
                                                   .dstBinding = binding,
                                                   .descriptorCount = count,
                                                   .descriptorType = type,
                                                   .pBufferInfo = infos},
                           0, NULL);
}

static void set_images(struct vkt *t, VkDescriptorSet set, uint32_t binding, VkDescriptorType type, uint32_t count,
                       const VkDescriptorImageInfo *infos)
{
    vkUpdateDescriptorSets(t->device, 1,
                           &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                   .dstSet = set,
                                                   .dstBinding = binding,
                                                   .descriptorCount = count,
                                                   .descriptorType = type,
                                                   .pImageInfo = infos},
                           0, NULL);
}

static int32_t array_index;

static void array_scene(struct vkt *t, struct vkt_picture *out)
{
    static const struct vkt_binding bindings[] = {
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 3},
        {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_SHADER_STAGE_FRAGMENT_BIT, 3},
        {VK_DESCRIPTOR_TYPE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 2},
        {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 2},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 3},
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 2},
    };
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, VKT_COUNT(bindings));
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    struct vkt_image images[3];
    VkSampler samplers[2];
    VkDescriptorImageInfo image_infos[3], sampler_infos[2];
    VkDescriptorBufferInfo uniform_infos[3], storage_infos[2];
    VkBufferView views[2];
    float contents[1024];
    for (uint32_t i = 0; i < VKT_COUNT(contents); i++)
        contents[i] = (float)(hash(i) & 255) / 255.0f;
    struct vkt_buffer buffer =
        vkt_buffer_create(t, sizeof contents,
                          VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                              VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
                          contents);
    for (uint32_t i = 0; i < 2; i++) {
        samplers[i] = vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                         i ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE : VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
        sampler_infos[i] = (VkDescriptorImageInfo){.sampler = samplers[i]};
        storage_infos[i] = (VkDescriptorBufferInfo){buffer.buffer, 2048 + 256 * i, 64 + 32 * i};
        views[i] = create_buffer_view(t, buffer.buffer, VK_FORMAT_R32G32B32A32_SFLOAT, 3072 + 256 * i, 256);
    }
    for (uint32_t i = 0; i < 3; i++) {
        images[i] = plain_image(t, 8 + 4 * i, i);
        image_infos[i] =
            (VkDescriptorImageInfo){samplers[i & 1], images[i].view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        uniform_infos[i] = (VkDescriptorBufferInfo){buffer.buffer, 256 * i, 64};
    }
    set_images(t, set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3, image_infos);
    set_images(t, set, 1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 3, image_infos);
    set_images(t, set, 2, VK_DESCRIPTOR_TYPE_SAMPLER, 2, sampler_infos);
    set_views(t, set, 3, views, 2);
    set_buffers(t, set, 4, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 3, uniform_infos);
    set_buffers(t, set, 5, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, storage_infos);
    draw(t, VKT_SHADER(descriptor_arrays_frag), layout, set, (int32_t[4]){array_index}, W, H, out);
    for (uint32_t i = 0; i < 3; i++)
        vkt_image_destroy(t, &images[i]);
    for (uint32_t i = 0; i < 2; i++) {
        vkDestroySampler(t->device, samplers[i], NULL);
        vkDestroyBufferView(t->device, views[i], NULL);
    }
    vkt_buffer_destroy(t, &buffer);
}

static void descriptor_arrays(void **state)
{
    (void)state;
    for (array_index = 0; array_index < 3; array_index++) {
        char name[32];
        snprintf(name, sizeof name, "descriptor_arrays_%d", array_index);
        vkt_compare_with_reference(name, array_scene, (struct vkt_tolerance){1, 20});
    }
}

/* ---------------------------------------------------------------- gathers with offsets */

static bool offsets_are_far;

static void gather_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_image image = plain_image(t, 16, 7);
    VkSampler sampler =
        vkt_sampler_create(t, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, &binding, 1);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_texture(t, set, 0, image.view, sampler);
    draw(t, offsets_are_far ? VKT_SHADER(gather_far_offsets_frag) : VKT_SHADER(gather_offsets_frag), layout, set,
         (int32_t[4]){0}, W, H, out);
    vkDestroySampler(t->device, sampler, NULL);
    vkt_image_destroy(t, &image);
}

static void gather_offsets(void **state)
{
    (void)state;
    const VkPhysicalDeviceLimits *l = &vkt_device(VKT_TESTED)->properties.limits;
    assert_true(l->minTexelOffset == -32 && l->maxTexelOffset == 31);
    assert_true(l->minTexelGatherOffset == -32 && l->maxTexelGatherOffset == 31);
    for (int far = 0; far < 2; far++) {
        offsets_are_far = far;
        vkt_compare_with_reference(far ? "gather_far_offsets" : "gather_offsets", gather_scene,
                                   (struct vkt_tolerance){1, 30});
    }
}

/* ---------------------------------------------------------------- input attachments */

static VkRenderPass two_subpasses(struct vkt *t)
{
    const VkAttachmentDescription attachments[] = {
        {.format = VK_FORMAT_R8G8B8A8_UNORM,
         .samples = 1,
         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
         .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .finalLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
        {.format = VK_FORMAT_D16_UNORM,
         .samples = 1,
         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
         .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL},
        {.format = VK_FORMAT_R8G8B8A8_UNORM,
         .samples = 1,
         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
         .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
         .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
    };
    const VkAttachmentReference first_color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
                                second_color = {2, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference inputs[] = {{0, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
                                            {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL}};
    const VkSubpassDescription subpasses[] = {
        {.colorAttachmentCount = 1, .pColorAttachments = &first_color, .pDepthStencilAttachment = &depth},
        {.colorAttachmentCount = 1,
         .pColorAttachments = &second_color,
         .inputAttachmentCount = 2,
         .pInputAttachments = inputs},
    };
    const VkSubpassDependency dependency = {
        .srcSubpass = 0,
        .dstSubpass = 1,
        .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
        /* The second subpass reads both attachments, and their store operations run at its end. */
        .dstStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                        VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
        .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT |
                         VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
        .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT,
    };
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                        .attachmentCount = VKT_COUNT(attachments),
                                                        .pAttachments = attachments,
                                                        .subpassCount = VKT_COUNT(subpasses),
                                                        .pSubpasses = subpasses,
                                                        .dependencyCount = 1,
                                                        .pDependencies = &dependency},
                              NULL, &pass));
    return pass;
}

static struct vkt_image attachment(struct vkt *t, VkFormat format, VkImageUsageFlags usage)
{
    return vkt_image_create(t, &(struct vkt_image_info){.format = format, .width = W, .height = H, .usage = usage});
}

static void subpass_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_image images[3] = {
        attachment(t, VK_FORMAT_R8G8B8A8_UNORM,
                   VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT),
        attachment(t, VK_FORMAT_D16_UNORM,
                   VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT),
        attachment(t, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT),
    };
    VkRenderPass pass = two_subpasses(t);
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(
        t->device,
        &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = pass,
                                   .attachmentCount = 3,
                                   .pAttachments = (VkImageView[]){images[0].view, images[1].view, images[2].view},
                                   .width = W,
                                   .height = H,
                                   .layers = 1},
        NULL, &framebuffer));
    static const struct vkt_binding bindings[] = {
        {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_SHADER_STAGE_FRAGMENT_BIT, 1},
        {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_SHADER_STAGE_FRAGMENT_BIT, 1},
    };
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 2);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    for (uint32_t i = 0; i < 2; i++)
        set_images(t, set, i, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1,
                   &(VkDescriptorImageInfo){.imageView = images[i].view,
                                            .imageLayout = i ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL
                                                             : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL});
    struct vkt_pipeline_info info = {.vs = VKT_SHADER(push_vert),
                                     .fs = VKT_SHADER(push_frag),
                                     .pass = pass,
                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                     .depth_test = true,
                                     .depth_write = true,
                                     .depth_compare = VK_COMPARE_OP_LESS,
                                     .width = W,
                                     .height = H,
                                     .push_size_B = 36};
    struct vkt_pipeline first = vkt_pipeline_create(t, &info);
    info = (struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                      .fs = VKT_SHADER(subpass_frag),
                                      .pass = pass,
                                      .subpass = 1,
                                      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                      .width = W,
                                      .height = H,
                                      .set_layouts = {layout},
                                      .set_layout_count = 1};
    struct vkt_pipeline second = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    const VkClearValue clears[3] = {{.color.float32 = {0.2f, 0.4f, 0.6f, 1}}, {.depthStencil.depth = 1}, {{{0}}}};
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = pass,
                                                  .framebuffer = framebuffer,
                                                  .renderArea.extent = {W, H},
                                                  .clearValueCount = 3,
                                                  .pClearValues = clears},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, first.pipeline);
    for (int i = 0; i < 3; i++) {
        float x = -0.8f + 0.4f * (float)i;
        const float push[9] = {0.3f * (float)i, 0.9f, 0.1f, 1, x, -0.7f, x + 0.7f, 0.6f, 0.25f + 0.2f * (float)i};
        vkCmdPushConstants(cmd, first.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push,
                           push);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, second.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, second.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_target target = {.color = images[2], .width = W, .height = H};
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &first);
    vkt_pipeline_destroy(t, &second);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkDestroyFramebuffer(t->device, framebuffer, NULL);
    vkDestroyRenderPass(t->device, pass, NULL);
    for (uint32_t i = 0; i < 3; i++)
        vkt_image_destroy(t, &images[i]);
}

static void input_attachments(void **state)
{
    (void)state;
    vkt_compare_with_reference("input_attachments", subpass_scene, (struct vkt_tolerance){1, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(texel_formats, vkt_check_messages),
        cmocka_unit_test_teardown(texels_beyond, vkt_check_messages),
        cmocka_unit_test_teardown(buffers_beyond, vkt_check_messages),
        cmocka_unit_test_teardown(descriptor_arrays, vkt_check_messages),
        cmocka_unit_test_teardown(gather_offsets, vkt_check_messages),
        cmocka_unit_test_teardown(input_attachments, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("resources", tests, NULL, vkt_teardown);
}
