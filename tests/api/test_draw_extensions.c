/* SPDX-License-Identifier: MIT
 *
 * Extensions of pipelines, passes and descriptors:
 * - depths of programs that are clamped (VK_EXT_depth_clamp_zero_one),
 * - attachments that are neither loaded nor stored (VK_EXT_load_store_op_none),
 * - pipelines that must not be compiled (VK_EXT_pipeline_creation_cache_control),
 * - views of texel buffers at any word (VK_EXT_texel_buffer_alignment).
 */
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "compute_add.comp.h"
#include "cover.vert.h"
#include "depth_wild.frag.h"
#include "parameters.vert.h"
#include "texel_buffers.comp.h"

#define SIDE 64u

static struct vkt device;

static int open_device(void **state)
{
    const char *const extensions[] = {
        VK_EXT_LOAD_STORE_OP_NONE_EXTENSION_NAME,
        VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME,
        VK_EXT_TEXEL_BUFFER_ALIGNMENT_EXTENSION_NAME,
        VK_KHR_SHADER_DRAW_PARAMETERS_EXTENSION_NAME,
    };
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- VK_EXT_load_store_op_none */

/* A pass that touches neither of its attachments unless something draws to them. */
static VkRenderPass create_untouching_pass(VkAttachmentLoadOp load)
{
    const VkAttachmentDescription attachments[] = {
        {.format = VK_FORMAT_R8G8B8A8_UNORM,
         .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = load,
         .storeOp = VK_ATTACHMENT_STORE_OP_NONE_EXT,
         .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .initialLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
         .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
        {.format = VK_FORMAT_D24_UNORM_S8_UINT,
         .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = load,
         .storeOp = VK_ATTACHMENT_STORE_OP_NONE_EXT,
         .stencilLoadOp = load,
         .stencilStoreOp = VK_ATTACHMENT_STORE_OP_NONE_EXT,
         .initialLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
         .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
    };
    const VkSubpassDescription subpass = {
        .colorAttachmentCount = 1,
        .pColorAttachments = &(VkAttachmentReference){0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
        .pDepthStencilAttachment = &(VkAttachmentReference){1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL}};
    const VkSubpassDependency around[] = {
        {VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
         VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, 0},
        {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
         VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, 0}};
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(device.device,
                              &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                        .attachmentCount = 2,
                                                        .pAttachments = attachments,
                                                        .subpassCount = 1,
                                                        .pSubpasses = &subpass,
                                                        .dependencyCount = 2,
                                                        .pDependencies = around},
                              NULL, &pass));
    return pass;
}

static VkFramebuffer create_framebuffer(const struct vkt_target *target, VkRenderPass pass)
{
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(
        device.device,
        &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = pass,
                                   .attachmentCount = 2,
                                   .pAttachments = (const VkImageView[]){target->color.view, target->depth.view},
                                   .width = SIDE,
                                   .height = SIDE,
                                   .layers = 1},
        NULL, &framebuffer));
    return framebuffer;
}

/* Texels that nothing draws to keep their colour, depth and stencil, whether the pass draws to others or not. */
static void untouched_texels_stay(void **state)
{
    static const VkAttachmentLoadOp loads[] = {VK_ATTACHMENT_LOAD_OP_NONE_EXT, VK_ATTACHMENT_LOAD_OP_LOAD};
    for (uint32_t i = 0; i < VKT_COUNT(loads); i++) {
        struct vkt_target target =
            vkt_target_create(&device, SIDE, SIDE, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT);
        VkRenderPass pass = create_untouching_pass(loads[i]);
        VkFramebuffer framebuffer = create_framebuffer(&target, pass);
        struct vkt_pipeline pipeline =
            vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(parameters_vert),
                                                                     .fs = VKT_SHADER(color_frag),
                                                                     .pass = pass,
                                                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                     .depth_test = true,
                                                                     .depth_compare = VK_COMPARE_OP_NEVER,
                                                                     .width = SIDE,
                                                                     .height = SIDE});
        VkCommandBuffer cmd = vkt_begin(&device);
        vkt_begin_pass(cmd, &target, (const float[]){1, 0, 1, 1}, 0.25f, 77);
        vkCmdEndRenderPass(cmd);
        for (uint32_t draws = 0; draws < 2; draws++) {
            vkCmdBeginRenderPass(cmd,
                                 &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                          .renderPass = pass,
                                                          .framebuffer = framebuffer,
                                                          .renderArea = {{0}, {SIDE, SIDE}}},
                                 VK_SUBPASS_CONTENTS_INLINE);
            vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
            if (draws)
                vkCmdDraw(cmd, 4, 1, 0, 0); /* fails the depth test everywhere */
            vkCmdEndRenderPass(cmd);
        }
        vkt_end_submit(&device, cmd);
        struct vkt_picture got = vkt_read_target(&device, &target);
        for (uint32_t p = 0; p < SIDE * SIDE; p++)
            assert_memory_equal(&got.rgba[p * 4], ((const uint8_t[]){255, 0, 255, 255}), 4);
        vkt_picture_free(&got);
        struct vkt_buffer depth = vkt_buffer_create(&device, SIDE * SIDE * 5, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
        const VkBufferImageCopy aspects[] = {
            {.imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1}, .imageExtent = {SIDE, SIDE, 1}},
            {.bufferOffset = SIDE * SIDE * 4,
             .imageSubresource = {VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0, 1},
             .imageExtent = {SIDE, SIDE, 1}}};
        cmd = vkt_begin(&device);
        vkCmdCopyImageToBuffer(cmd, target.depth.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, depth.buffer, 2, aspects);
        vkt_end_submit(&device, cmd);
        for (uint32_t p = 0; p < SIDE * SIDE; p++) {
            assert_int_equal(((const uint32_t *)depth.map)[p] & 0xffffff, 0x400000);
            assert_int_equal(((const uint8_t *)depth.map)[SIDE * SIDE * 4 + p], 77);
        }
        vkt_buffer_destroy(&device, &depth);
        vkt_pipeline_destroy(&device, &pipeline);
        vkDestroyFramebuffer(device.device, framebuffer, NULL);
        vkDestroyRenderPass(device.device, pass, NULL);
        vkt_target_destroy(&device, &target);
    }
}

/* ---------------------------------------------------------------- VK_EXT_pipeline_creation_cache_control */

static VkShaderModule create_module(struct vkt_shader shader)
{
    VkShaderModule module;
    vkt_ok(vkCreateShaderModule(device.device,
                                &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                            .codeSize = shader.size_B,
                                                            .pCode = shader.words},
                                NULL, &module));
    return module;
}

static VkPipelineCache create_cache(void)
{
    VkPipelineCache cache;
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                            .flags = VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT};
    vkt_ok(vkCreatePipelineCache(device.device, &info, NULL, &cache));
    return cache;
}

#define FAIL VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT
#define STOP VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT

/* Programs that no cache has are not compiled: the others of the call are created, unless it is to stop there. */
static void compute_is_compiled_only_when_allowed(void **state)
{
    const VkDescriptorSetLayout set = vkt_set_layout_create(
        &device,
        (const struct vkt_binding[]){{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                     {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                     {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1}},
        3);
    VkPipelineLayout layout;
    vkt_ok(vkCreatePipelineLayout(device.device,
                                  &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                                .setLayoutCount = 1,
                                                                .pSetLayouts = &set},
                                  NULL, &layout));
    VkShaderModule module = create_module(VKT_SHADER(compute_add_comp));
    VkPipelineCache cache = create_cache();
    VkComputePipelineCreateInfo infos[3];
    VkPipeline made[3];
    for (uint32_t i = 0; i < 3; i++)
        infos[i] = (VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                                 .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                           .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                           .module = module,
                                                           .pName = "main"},
                                                 .layout = layout};
    infos[0].flags = FAIL | STOP;
    assert_int_equal(vkCreateComputePipelines(device.device, cache, 3, infos, NULL, made),
                     VK_PIPELINE_COMPILE_REQUIRED);
    assert_true(!made[0] && !made[1] && !made[2]);
    infos[0].flags = FAIL;
    assert_int_equal(vkCreateComputePipelines(device.device, cache, 2, infos, NULL, made),
                     VK_PIPELINE_COMPILE_REQUIRED);
    assert_true(!made[0] && made[1]);
    vkDestroyPipeline(device.device, made[1], NULL);
    vkt_ok(
        vkCreateComputePipelines(device.device, cache, 1, infos, NULL, made)); /* the other one has filled the cache */
    vkDestroyPipeline(device.device, made[0], NULL);
    vkDestroyPipelineCache(device.device, cache, NULL);
    vkDestroyShaderModule(device.device, module, NULL);
    vkDestroyPipelineLayout(device.device, layout, NULL);
    vkDestroyDescriptorSetLayout(device.device, set, NULL);
}

/* The same for graphics; the pipeline from the cache draws. */
static void graphics_are_compiled_only_when_allowed(void **state)
{
    struct vkt_target target = vkt_target_create(&device, SIDE, SIDE, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline_info info = {.vs = VKT_SHADER(parameters_vert),
                                     .fs = VKT_SHADER(color_frag),
                                     .pass = target.pass,
                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                     .width = SIDE,
                                     .height = SIDE,
                                     .flags = FAIL,
                                     .cache = create_cache(),
                                     .may_fail = true};
    struct vkt_pipeline refused = vkt_pipeline_create(&device, &info);
    assert_true(!refused.pipeline);
    vkt_pipeline_destroy(&device, &refused);
    info.flags = 0;
    struct vkt_pipeline compiled = vkt_pipeline_create(&device, &info);
    assert_true(compiled.pipeline);
    info.flags = FAIL;
    struct vkt_pipeline found = vkt_pipeline_create(&device, &info);
    assert_true(found.pipeline);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_begin_pass(cmd, &target, (const float[]){1, 1, 1, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, found.pipeline);
    vkCmdDraw(cmd, 4, 1, 0, 9);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&device, cmd);
    struct vkt_picture got = vkt_read_target(&device, &target);
    assert_memory_equal(got.rgba, ((const uint8_t[]){0, 9, 0, 255}), 4);
    vkt_picture_free(&got);
    vkt_pipeline_destroy(&device, &compiled);
    vkt_pipeline_destroy(&device, &found);
    vkDestroyPipelineCache(device.device, info.cache, NULL);
    vkt_target_destroy(&device, &target);
}

/* ---------------------------------------------------------------- VK_EXT_texel_buffer_alignment */

#define TEXELS 37u

static VkBufferView create_view(const struct vkt_buffer *buffer, VkFormat format, VkDeviceSize offset_B,
                                VkDeviceSize size_B)
{
    VkBufferView view;
    vkt_ok(vkCreateBufferView(device.device,
                              &(VkBufferViewCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                                        .buffer = buffer->buffer,
                                                        .format = format,
                                                        .offset = offset_B,
                                                        .range = size_B},
                              NULL, &view));
    return view;
}

/* Copies texels from one offset to another, and nothing else. */
static void check_offsets(const struct vkt_compute *c, VkFormat format, uint32_t texel_B, uint32_t from_B,
                          uint32_t to_B)
{
    uint8_t bytes[1024], expected[1024];
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 % 109 + 8); /* as halves and floats, neither denormal nor NaN */
    memset(expected, 0xee, sizeof expected);
    memcpy(&expected[to_B], &bytes[from_B], TEXELS * texel_B);
    struct vkt_buffer from = vkt_buffer_create(&device, sizeof bytes, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, bytes);
    struct vkt_buffer to = vkt_buffer_create(&device, sizeof bytes, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT, NULL);
    memset(to.map, 0xee, sizeof bytes);
    VkBufferView views[] = {create_view(&from, format, from_B, TEXELS * texel_B),
                            create_view(&to, format, to_B, TEXELS * texel_B)};
    VkDescriptorSet set = vkt_set_alloc(&device, c->set_layouts[0]);
    vkt_set_texel_buffer(&device, set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, views[0]);
    vkt_set_texel_buffer(&device, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, views[1]);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_compute_bind(cmd, c, &set);
    vkCmdDispatch(cmd, (TEXELS + 15) / 16, 1, 1);
    vkt_end_submit(&device, cmd);
    for (uint32_t i = 0; i < sizeof expected; i++)
        if (((const uint8_t *)to.map)[i] != expected[i])
            fail_msg("format %d, from %u to %u: byte %u is 0x%x instead of 0x%x", format, from_B, to_B, i,
                     ((const uint8_t *)to.map)[i], expected[i]);
    for (uint32_t i = 0; i < 2; i++)
        vkDestroyBufferView(device.device, views[i], NULL);
    vkt_buffer_destroy(&device, &from);
    vkt_buffer_destroy(&device, &to);
}

static void texel_buffers_begin_at_any_word(void **state)
{
    static const struct {
        VkFormat format;
        uint32_t texel_B;
    } formats[] = {{VK_FORMAT_R8_UNORM, 1},
                   {VK_FORMAT_R8G8_UNORM, 2},
                   {VK_FORMAT_R16_UNORM, 2},
                   {VK_FORMAT_R8G8B8A8_UNORM, 4},
                   {VK_FORMAT_R32_SFLOAT, 4},
                   {VK_FORMAT_R16G16B16A16_SFLOAT, 8},
                   {VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
    VkPhysicalDeviceTexelBufferAlignmentPropertiesEXT p = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p};
    ((PFN_vkGetPhysicalDeviceProperties2KHR)vkGetInstanceProcAddr(
        device.instance, "vkGetPhysicalDeviceProperties2KHR"))(device.physical, &properties);
    assert_int_equal(p.storageTexelBufferOffsetAlignmentBytes, 4);
    assert_int_equal(p.uniformTexelBufferOffsetAlignmentBytes, 4);
    const VkDescriptorSetLayout layout = vkt_set_layout_create(
        &device,
        (const struct vkt_binding[]){{VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                     {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1}},
        2);
    struct vkt_compute c = vkt_compute_create(&device, VKT_SHADER(texel_buffers_comp), &layout, 1, 0, NULL);
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++)
        for (uint32_t word = 0; word < 5; word++)
            check_offsets(&c, formats[i].format, formats[i].texel_B, word * 4, 64 - word * 4);
    vkt_compute_destroy(&device, &c);
}

/* ---------------------------------------------------------------- VK_EXT_depth_clamp_zero_one */

static void check_clamped(struct vkt *t, VkFormat format, bool clamps)
{
    static uint32_t words[SIDE * SIDE];
    struct vkt_target target = vkt_target_create(t, SIDE, SIDE, VK_FORMAT_R8G8B8A8_UNORM, format);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(cover_vert),
                                                                               .fs = VKT_SHADER(depth_wild_frag),
                                                                               .pass = target.pass,
                                                                               .topology = VKT_TRIANGLES,
                                                                               .depth_clamp_enable = clamps,
                                                                               .depth_test = true,
                                                                               .depth_write = true,
                                                                               .depth_compare = VK_COMPARE_OP_ALWAYS,
                                                                               .width = SIDE,
                                                                               .height = SIDE});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[4]){0, 0, 0, 0}, 0.5f, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &target.depth, 0, 0, words, sizeof words);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const double wanted = (double)(i % SIDE) / 16 - 1, clamped = wanted < 0 ? 0 : wanted > 1 ? 1 : wanted;
        float f;
        memcpy(&f, &words[i], sizeof f);
        const double got = format == VK_FORMAT_D32_SFLOAT ? (double)f : (words[i] & 0xffffff) / 16777215.0;
        if (!(got > clamped - 1e-6 && got < clamped + 1e-6))
            fail_msg("format %d, column %u: depth %g instead of %g", format, i % SIDE, got, clamped);
    }
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void depths_are_clamped(void **state)
{
    const char *const extension = VK_EXT_DEPTH_CLAMP_ZERO_ONE_EXTENSION_NAME;
    VkPhysicalDeviceDepthClampZeroOneFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLAMP_ZERO_ONE_FEATURES_EXT, .depthClampZeroOne = VK_TRUE};
    struct vkt t = vkt_device_create_chain(vkt_device(VKT_TESTED), &extension, 1, &features);
    for (uint32_t clamps = 0; clamps < 2; clamps++) {
        check_clamped(&t, VK_FORMAT_X8_D24_UNORM_PACK32, clamps);
        check_clamped(&t, VK_FORMAT_D32_SFLOAT, clamps);
    }
    vkt_device_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(untouched_texels_stay, vkt_check_messages),
        cmocka_unit_test_teardown(compute_is_compiled_only_when_allowed, vkt_check_messages),
        cmocka_unit_test_teardown(graphics_are_compiled_only_when_allowed, vkt_check_messages),
        cmocka_unit_test_teardown(texel_buffers_begin_at_any_word, vkt_check_messages),
        cmocka_unit_test_teardown(depths_are_clamped, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_draw_extensions", tests, open_device, close_device);
}
