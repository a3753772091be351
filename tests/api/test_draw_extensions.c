/* SPDX-License-Identifier: MIT
 *
 * Extensions of pipelines, passes and descriptors:
 * - attachments that are neither loaded nor stored (VK_EXT_load_store_op_none),
 */
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "parameters.vert.h"

#define SIDE 64u

static struct vkt device;

static int open_device(void **state)
{
    const char *const extensions[] = {
        VK_EXT_LOAD_STORE_OP_NONE_EXTENSION_NAME,
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(untouched_texels_stay, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_draw_extensions", tests, open_device, close_device);
}
