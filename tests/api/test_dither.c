/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_legacy_dithering: ramps are drawn to formats of 16 bits, with and without dithering, in subpasses, in dynamic
 * passes and in secondary command buffers. Dithered, each channel is one of the two values next to the colour's, by the
 * pattern that the driver has; without, and in formats of more bits, it is the nearest value.
 */
#include <math.h>
#include <string.h>
#include "vkt.h"
#include "dither.frag.h"
#include "full.vert.h"

enum { SIZE = 64 };

static struct vkt device;
static PFN_vkCmdBeginRenderingKHR begin_rendering;
static PFN_vkCmdEndRenderingKHR end_rendering;
static PFN_vkCreateRenderPass2KHR create_pass2;

static int open_device(void **state)
{
    static const char *const extensions[] = {VK_EXT_LEGACY_DITHERING_EXTENSION_NAME,
                                             VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
                                             VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME};
    VkPhysicalDeviceDynamicRenderingFeatures rendering = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, .dynamicRendering = VK_TRUE};
    VkPhysicalDeviceLegacyDitheringFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LEGACY_DITHERING_FEATURES_EXT,
        .pNext = &rendering,
        .legacyDithering = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &features);
    begin_rendering = (PFN_vkCmdBeginRenderingKHR)vkGetDeviceProcAddr(device.device, "vkCmdBeginRenderingKHR");
    end_rendering = (PFN_vkCmdEndRenderingKHR)vkGetDeviceProcAddr(device.device, "vkCmdEndRenderingKHR");
    create_pass2 = (PFN_vkCreateRenderPass2KHR)vkGetDeviceProcAddr(device.device, "vkCreateRenderPass2KHR");
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- drawing */

enum way { SUBPASS, SUBPASS_2, RENDERING, SECONDARY, WAYS };

static VkRenderPass make_pass(VkFormat format, bool dithers)
{
    const VkAttachmentDescription attachment = {.format = format,
                                                .samples = VK_SAMPLE_COUNT_1_BIT,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_GENERAL};
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(
        device.device,
        &(VkRenderPassCreateInfo){
            .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
            .attachmentCount = 1,
            .pAttachments = &attachment,
            .subpassCount = 1,
            .pSubpasses =
                &(VkSubpassDescription){.flags = dithers ? VK_SUBPASS_DESCRIPTION_ENABLE_LEGACY_DITHERING_BIT_EXT : 0,
                                        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                        .colorAttachmentCount = 1,
                                        .pColorAttachments = &color},
        },
        NULL, &pass));
    return pass;
}

static VkRenderPass make_pass2(VkFormat format, bool dithers)
{
    const VkAttachmentDescription2 attachment = {.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
                                                 .format = format,
                                                 .samples = VK_SAMPLE_COUNT_1_BIT,
                                                 .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                 .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                 .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                 .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
    const VkAttachmentReference2 color = {.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
                                          .layout = VK_IMAGE_LAYOUT_GENERAL,
                                          .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    VkRenderPass pass;
    vkt_ok(create_pass2(
        device.device,
        &(VkRenderPassCreateInfo2){
            .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
            .attachmentCount = 1,
            .pAttachments = &attachment,
            .subpassCount = 1,
            .pSubpasses =
                &(VkSubpassDescription2){.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
                                         .flags = dithers ? VK_SUBPASS_DESCRIPTION_ENABLE_LEGACY_DITHERING_BIT_EXT : 0,
                                         .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                         .colorAttachmentCount = 1,
                                         .pColorAttachments = &color},
        },
        NULL, &pass));
    return pass;
}

static struct vkt_pipeline make_pipeline(VkFormat format, VkRenderPass pass)
{
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = 1,
                                                     .pColorAttachmentFormats = &format};
    return vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                                    .fs = VKT_SHADER(dither_frag),
                                                                    .pass = pass,
                                                                    .next = pass ? NULL : &rendering,
                                                                    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                    .width = SIZE,
                                                                    .height = SIZE});
}

static void draw_in_pass(VkCommandBuffer cmd, const struct vkt_image *image, VkRenderPass pass,
                         const struct vkt_pipeline *p, VkFramebuffer *framebuffer)
{
    vkt_ok(vkCreateFramebuffer(device.device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = pass,
                                                          .attachmentCount = 1,
                                                          .pAttachments = &image->view,
                                                          .width = SIZE,
                                                          .height = SIZE,
                                                          .layers = 1},
                               NULL, framebuffer));
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = pass,
                                                  .framebuffer = *framebuffer,
                                                  .renderArea = {{0, 0}, {SIZE, SIZE}},
                                                  .clearValueCount = 1,
                                                  .pClearValues = &(VkClearValue){.color = {{0}}}},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
}

static VkCommandBuffer record_secondary(VkFormat format, bool dithers, const struct vkt_pipeline *p)
{
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .flags = dithers ? VK_RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT : 0,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkCommandBuffer cmd;
    vkt_ok(
        vkAllocateCommandBuffers(device.device,
                                 &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                                .commandPool = device.pool,
                                                                .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                                                .commandBufferCount = 1},
                                 &cmd));
    vkt_ok(vkBeginCommandBuffer(
        cmd, &(VkCommandBufferBeginInfo){
                 .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                 .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                 .pInheritanceInfo = &(VkCommandBufferInheritanceInfo){
                     .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering}}));
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkt_ok(vkEndCommandBuffer(cmd));
    return cmd;
}

static void draw_rendering(VkCommandBuffer cmd, const struct vkt_image *image, bool dithers,
                           const struct vkt_pipeline *p, VkCommandBuffer secondary)
{
    const VkRenderingAttachmentInfo attachment = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                                  .imageView = image->view,
                                                  .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                  .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                  .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    const VkRenderingFlags flags = (dithers ? VK_RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT : 0) |
                                   (secondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0);
    begin_rendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                            .flags = flags,
                                            .renderArea = {{0, 0}, {SIZE, SIZE}},
                                            .layerCount = 1,
                                            .colorAttachmentCount = 1,
                                            .pColorAttachments = &attachment});
    if (secondary) {
        vkCmdExecuteCommands(cmd, 1, &secondary);
    } else {
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
    end_rendering(cmd);
}

static void draw(enum way way, VkFormat format, bool dithers, void *texels, uint32_t texel_B)
{
    struct vkt_image image =
        vkt_image_create(&device, &(struct vkt_image_info){.format = format,
                                                           .width = SIZE,
                                                           .height = SIZE,
                                                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                    VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    const VkRenderPass pass = way == SUBPASS     ? make_pass(format, dithers)
                              : way == SUBPASS_2 ? make_pass2(format, dithers)
                                                 : VK_NULL_HANDLE;
    struct vkt_pipeline p = make_pipeline(format, pass);
    VkFramebuffer framebuffer = VK_NULL_HANDLE;
    VkCommandBuffer cmd = vkt_begin(&device),
                    secondary = way == SECONDARY ? record_secondary(format, dithers, &p) : NULL;
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    if (pass)
        draw_in_pass(cmd, &image, pass, &p, &framebuffer);
    else
        draw_rendering(cmd, &image, dithers, &p, secondary);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&device, cmd);
    vkt_read_image(&device, &image, 0, 0, texels, SIZE * SIZE * texel_B);
    if (secondary)
        vkFreeCommandBuffers(device.device, device.pool, 1, &secondary);
    vkDestroyFramebuffer(device.device, framebuffer, NULL);
    vkDestroyRenderPass(device.device, pass, NULL);
    vkt_pipeline_destroy(&device, &p);
    vkt_image_destroy(&device, &image);
}

/* ---------------------------------------------------------------- what is expected */

struct packing {
    VkFormat format;
    uint32_t texel_B;
    struct {
        uint32_t shift, bits;
    } channels[4]; /* R, G, B, A */
};

static const struct packing packings[] = {
    {VK_FORMAT_R5G6B5_UNORM_PACK16, 2, {{11, 5}, {5, 6}, {0, 5}, {0, 0}}},
    {VK_FORMAT_A1R5G5B5_UNORM_PACK16, 2, {{10, 5}, {5, 5}, {0, 5}, {15, 1}}},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, {{0, 8}, {8, 8}, {16, 8}, {24, 8}}},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, {{0, 10}, {10, 10}, {20, 10}, {30, 2}}},
};

static const uint32_t bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

static void check(const struct packing *packing, bool dithers)
{
    static uint8_t texels[WAYS][SIZE * SIZE * 4];
    for (uint32_t way = 0; way < WAYS; way++)
        draw((enum way)way, packing->format, dithers, texels[way], packing->texel_B);
    for (uint32_t way = 1; way < WAYS; way++)
        assert_memory_equal(texels[0], texels[way], SIZE * SIZE * packing->texel_B);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const double x = i % SIZE + 0.5, y = i / SIZE + 0.5;
        const double color[] = {x / SIZE, y / SIZE, (x + y) / 2 / SIZE, 1 - x / SIZE};
        uint32_t texel = 0;
        memcpy(&texel, texels[0] + i * packing->texel_B, packing->texel_B);
        for (uint32_t c = 0; c < 4; c++) {
            const uint32_t bits = packing->channels[c].bits;
            if (!bits)
                continue;
            const double limit = (double)((1u << bits) - 1), value = color[c] * limit;
            const bool is_dithered = dithers && packing->texel_B == 2;
            const double up = is_dithered ? (bayer[i / SIZE % 4][i % 4] + 0.5) / 16 : 0.5;
            const double got = texel >> packing->channels[c].shift & (uint32_t)limit;
            if (got != floor(value + up - 0.02) && got != floor(value + up + 0.02))
                fail_msg("format %d, pixel %u,%u, channel %u: %g of %g became %g", packing->format, i % SIZE, i / SIZE,
                         c, value, limit, got);
        }
    }
}

static void few_bits_are_dithered(void **state)
{
    /* Later versions of the extension want a flag of pipelines, too, which earlier headers do not have. */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-vkCmdDraw-None-09642");
    for (uint32_t i = 0; i < VKT_COUNT(packings); i++)
        check(&packings[i], true);
}

static void nothing_is_dithered_unasked(void **state)
{
    for (uint32_t i = 0; i < VKT_COUNT(packings); i++)
        check(&packings[i], false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(few_bits_are_dithered, vkt_check_messages),
        cmocka_unit_test_teardown(nothing_is_dithered_unasked, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("dither", tests, open_device, close_device);
}
