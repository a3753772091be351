/* SPDX-License-Identifier: MIT
 *
 * Draws with arrays of descriptors in memory of sets, whose levels follow from derivatives, and with arrays of input
 * attachments.
 */
#include <string.h>
#include "vkt_arrays.h"
#include "bindless_draw.frag.h"
#include "bindless_draw.vert.h"
#include "bindless_input.frag.h"
#include "bindless_triangle.vert.h"

#define COMBINED VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER

/* ---------------------------------------------------------------- graphics */

#define PICTURE_PX 48u

static void expected_pixel(uint32_t x, uint32_t y, uint8_t out[4])
{
    out[0] = (uint8_t)(50 * (1 + x / 4 % 3)); /* red tells the image, green its level */
    out[1] = 200;
    out[2] = 77; /* of the provoking vertex's image */
    out[3] = 255;
}

/* Levels 0 and 1 have different greens. The coordinate advances by 32 images of four texels in 48 pixels: 2.7 texels a
 * pixel, which is level 1. */
static struct vkt_image solid_image(struct vkt *t, uint8_t red, uint8_t blue)
{
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = 4,
                                    .height = 4,
                                    .levels = 2,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    for (uint32_t level = 0; level < 2; level++) {
        uint8_t texels[16][4];
        for (uint32_t i = 0; i < 16; i++)
            memcpy(texels[i], (uint8_t[4]){red, (uint8_t)(120 + 80 * level), blue, 255}, 4);
        vkt_image_upload(t, &image, level, 0, texels, 64 >> 2 * level);
    }
    return image;
}

static void test_graphics(void **state)
{
    static const float corners[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    const struct vkt_array arrays[2] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 300, VKT_FREE_FLAGS, NULL},
                                        {COMBINED, 400, VKT_FREE_FLAGS, NULL}};
    struct vkt t = vkt_open_indexing();
    struct vkt_arrays a =
        vkt_arrays_create(&t, arrays, 2, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0);
    struct vkt_target target =
        vkt_target_create(&t, PICTURE_PX, PICTURE_PX, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(&t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(bindless_draw_vert),
                                                                                .fs = VKT_SHADER(bindless_draw_frag),
                                                                                .pass = target.pass,
                                                                                .topology = VKT_TRIANGLES,
                                                                                .width = PICTURE_PX,
                                                                                .height = PICTURE_PX,
                                                                                .set_layouts = {a.layout},
                                                                                .set_layout_count = 1});
    VkSampler sampler =
        vkt_sampler_create(&t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 1);
    VkCommandBuffer cmd = vkt_begin(&t);
    vkt_begin_pass(cmd, &target, (float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &a.set, 0, NULL);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    struct vkt_buffer buffers[3];
    struct vkt_image images[6];
    for (uint32_t i = 0; i < 3; i++) {
        buffers[i] = vkt_buffer_create(&t, 16, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, corners[i]);
        vkt_write_buffer(&t, a.set, 0, 7 * i, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &buffers[i]);
        images[i] = solid_image(&t, (uint8_t)(50 * (1 + i)), 0);
        images[3 + i] = solid_image(&t, 0, (uint8_t)(77 + i));
        vkt_write_image(&t, a.set, 1, 100 * i, COMBINED, images[i].view, sampler);
        vkt_write_image(&t, a.set, 1, 300 + i, COMBINED, images[3 + i].view, sampler);
    }
    vkt_submit(&t, cmd);
    struct vkt_picture got = vkt_read_target(&t, &target);
    struct vkt_picture expected = vkt_picture_compute(PICTURE_PX, PICTURE_PX, expected_pixel);
    vkt_compare("bindless", &expected, &got, (struct vkt_tolerance){1, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
    vkFreeCommandBuffers(t.device, t.pool, 1, &cmd);
    for (uint32_t i = 0; i < 3; i++)
        vkt_buffer_destroy(&t, &buffers[i]);
    for (uint32_t i = 0; i < 6; i++)
        vkt_image_destroy(&t, &images[i]);
    vkDestroySampler(t.device, sampler, NULL);
    vkt_pipeline_destroy(&t, &p);
    vkt_target_destroy(&t, &target);
    vkt_arrays_destroy(&t, &a);
    vkt_device_close(&t);
}

/* ---------------------------------------------------------------- input attachments */

static VkRenderPass create_input_pass(struct vkt *t)
{
    VkAttachmentDescription attachments[4];
    VkAttachmentReference inputs[3], color = {3, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkRenderPass pass;
    for (uint32_t i = 0; i < 4; i++) {
        const VkImageLayout read = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
        attachments[i] =
            (VkAttachmentDescription){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                      .samples = VK_SAMPLE_COUNT_1_BIT,
                                      .loadOp = i < 3 ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                      .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                      .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                      .initialLayout = i < 3 ? read : VK_IMAGE_LAYOUT_UNDEFINED,
                                      .finalLayout = i < 3 ? read : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
        if (i < 3)
            inputs[i] = (VkAttachmentReference){i, read};
    }
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .inputAttachmentCount = 3,
                                          .pInputAttachments = inputs,
                                          .colorAttachmentCount = 1,
                                          .pColorAttachments = &color};
    const VkSubpassDependency after = {.srcSubpass = 0,
                                       .dstSubpass = VK_SUBPASS_EXTERNAL,
                                       .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                       .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                       .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                       .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                        .attachmentCount = 4,
                                                        .pAttachments = attachments,
                                                        .subpassCount = 1,
                                                        .pSubpasses = &subpass,
                                                        .dependencyCount = 1,
                                                        .pDependencies = &after},
                              NULL, &pass));
    return pass;
}

static void expected_input(uint32_t x, uint32_t y, uint8_t out[4])
{
    memcpy(out, (uint8_t[4]){(uint8_t)(40 * (1 + x / 3 % 3)), (uint8_t)(3 * x), (uint8_t)(5 * y), 255}, 4);
}

static void test_inputs(void **state)
{
    enum { SIZE_PX = 24 };
    struct vkt t = vkt_open_indexing();
    const struct vkt_array array = {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 3, 0, NULL};
    struct vkt_arrays a = vkt_arrays_create(&t, &array, 1, VK_SHADER_STAGE_FRAGMENT_BIT, 0);
    struct vkt_target target = {.width = SIZE_PX, .height = SIZE_PX, .pass = create_input_pass(&t)};
    struct vkt_image inputs[3];
    VkImageView views[4];
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t texels[SIZE_PX][SIZE_PX][4];
        for (uint32_t y = 0; y < SIZE_PX; y++)
            for (uint32_t x = 0; x < SIZE_PX; x++)
                memcpy(texels[y][x], (uint8_t[4]){(uint8_t)(40 * (1 + i)), (uint8_t)(3 * x), (uint8_t)(5 * y), 255}, 4);
        inputs[i] = vkt_image_create(&t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                                  .width = SIZE_PX,
                                                                  .height = SIZE_PX,
                                                                  .usage = VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
                                                                           VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                                           VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
        vkt_image_upload(&t, &inputs[i], 0, 0, texels, sizeof texels);
        vkt_write_image(&t, a.set, 0, i, array.type, inputs[i].view, VK_NULL_HANDLE);
        views[i] = inputs[i].view;
    }
    target.color = vkt_image_create(
        &t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                     .width = SIZE_PX,
                                     .height = SIZE_PX,
                                     .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    views[3] = target.color.view;
    vkt_ok(vkCreateFramebuffer(t.device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = target.pass,
                                                          .attachmentCount = 4,
                                                          .pAttachments = views,
                                                          .width = SIZE_PX,
                                                          .height = SIZE_PX,
                                                          .layers = 1},
                               NULL, &target.framebuffer));
    struct vkt_pipeline p =
        vkt_pipeline_create(&t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(bindless_triangle_vert),
                                                            .fs = VKT_SHADER(bindless_input_frag),
                                                            .pass = target.pass,
                                                            .topology = VKT_TRIANGLES,
                                                            .width = SIZE_PX,
                                                            .height = SIZE_PX,
                                                            .set_layouts = {a.layout},
                                                            .set_layout_count = 1});
    VkCommandBuffer cmd = vkt_begin(&t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = target.pass,
                                                  .framebuffer = target.framebuffer,
                                                  .renderArea = {{0, 0}, {SIZE_PX, SIZE_PX}}},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &a.set, 0, NULL);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&t, cmd);
    struct vkt_picture got = vkt_read_target(&t, &target);
    struct vkt_picture expected = vkt_picture_compute(SIZE_PX, SIZE_PX, expected_input);
    vkt_compare("bindless_inputs", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
    vkt_pipeline_destroy(&t, &p);
    vkDestroyFramebuffer(t.device, target.framebuffer, NULL);
    vkDestroyRenderPass(t.device, target.pass, NULL);
    vkt_image_destroy(&t, &target.color);
    for (uint32_t i = 0; i < 3; i++)
        vkt_image_destroy(&t, &inputs[i]);
    vkt_arrays_destroy(&t, &a);
    vkt_device_close(&t);
}

int main(void)
{
    vkt_request_version(VK_API_VERSION_1_1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_graphics, vkt_check_messages),
        cmocka_unit_test_teardown(test_inputs, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
