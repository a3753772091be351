/* SPDX-License-Identifier: MIT
 *
 * Extensions that became others with the same meaning: VK_KHR_index_type_uint8, VK_KHR_vertex_attribute_divisor,
 * VK_KHR_load_store_op_none; and VK_EXT_pipeline_protected_access, whose flags mean nothing without protected memory.
 */
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "instance.vert.h"

enum { W = 80, H = 80, INSTANCES = 4 };

#define COLOR VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH VK_FORMAT_D16_UNORM

static struct vkt device;

static int open_device(void **state)
{
    static const char *const extensions[] = {
        VK_KHR_INDEX_TYPE_UINT8_EXTENSION_NAME, VK_KHR_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME,
        VK_KHR_LOAD_STORE_OP_NONE_EXTENSION_NAME, VK_EXT_PIPELINE_PROTECTED_ACCESS_EXTENSION_NAME};
    VkPhysicalDevicePipelineProtectedAccessFeaturesEXT access = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_PROTECTED_ACCESS_FEATURES_EXT,
        .pipelineProtectedAccess = VK_TRUE};
    VkPhysicalDeviceIndexTypeUint8FeaturesKHR bytes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_KHR,
        .pNext = &access,
        .indexTypeUint8 = VK_TRUE};
    VkPhysicalDeviceVertexAttributeDivisorFeaturesKHR divisors = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_KHR,
        .pNext = &bytes,
        .vertexAttributeInstanceRateDivisor = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &divisors);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

static VkRenderingAttachmentInfo attachment(const struct vkt_image *image, VkImageLayout layout, bool is_kept)
{
    return (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = image->view,
                                       .imageLayout = layout,
                                       .loadOp = is_kept ? VK_ATTACHMENT_LOAD_OP_NONE_KHR : VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .storeOp =
                                           is_kept ? VK_ATTACHMENT_STORE_OP_NONE_KHR : VK_ATTACHMENT_STORE_OP_STORE,
                                       .clearValue.depthStencil.depth = 0.75f};
}

/* Squares at places that two instances share; the first instance is the third. Depth is neither loaded nor stored. */
static void draw_places(uint32_t first_instance, struct vkt_picture *out)
{
    static const float corners[4][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    static const float places[6][2] = {{-0.7f, -0.7f}, {0.7f, -0.7f}, {0, 0}, {-0.7f, 0.7f}, {0.7f, 0.7f}, {0, 0.7f}};
    static const uint8_t indices[6] = {0, 1, 2, 2, 1, 3};
    const VkFormat format = COLOR;
    const VkVertexInputBindingDescription bindings[] = {{0, 8, VK_VERTEX_INPUT_RATE_VERTEX},
                                                        {1, 8, VK_VERTEX_INPUT_RATE_INSTANCE}};
    const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
                                                            {1, 1, VK_FORMAT_R32G32_SFLOAT, 0}};
    const VkVertexInputBindingDivisorDescriptionKHR divisor = {1, 2};
    const VkPipelineVertexInputDivisorStateCreateInfoKHR divisors = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_KHR,
        .vertexBindingDivisorCount = 1,
        .pVertexBindingDivisors = &divisor};
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = 1,
                                                     .pColorAttachmentFormats = &format,
                                                     .depthAttachmentFormat = DEPTH};
    struct vkt_target target = vkt_target_create(&device, W, H, COLOR, DEPTH);
    struct vkt_buffer vertices = vkt_buffer_create(&device, sizeof corners, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners);
    struct vkt_buffer offsets = vkt_buffer_create(&device, sizeof places, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, places);
    struct vkt_buffer bytes = vkt_buffer_create(&device, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    struct vkt_pipeline p = vkt_pipeline_create(
        &device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(instance_vert),
                                             .fs = VKT_SHADER(color_frag),
                                             .next = &rendering,
                                             .flags = VK_PIPELINE_CREATE_NO_PROTECTED_ACCESS_BIT_EXT,
                                             .bindings = bindings,
                                             .binding_count = 2,
                                             .attributes = attributes,
                                             .attribute_count = 2,
                                             .vertex_input_next = &divisors,
                                             .topology = VKT_TRIANGLES,
                                             .width = W,
                                             .height = H});
    const VkImageLayout in_color = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        in_depth = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &target.color, VK_IMAGE_LAYOUT_UNDEFINED, in_color);
    vkt_image_barrier(cmd, &target.depth, VK_IMAGE_LAYOUT_UNDEFINED, in_depth);
    for (uint32_t i = 0; i < 2; i++) {
        const VkRenderingAttachmentInfo color = attachment(&target.color, in_color, false),
                                        depth = attachment(&target.depth, in_depth, i > 0);
        vkCmdBeginRendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                    .renderArea = {{0, 0}, {W, H}},
                                                    .layerCount = 1,
                                                    .colorAttachmentCount = 1,
                                                    .pColorAttachments = &color,
                                                    .pDepthAttachment = &depth});
        if (i > 0) {
            vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
            vkCmdBindVertexBuffers(cmd, 0, 2, (const VkBuffer[]){vertices.buffer, offsets.buffer},
                                   (const VkDeviceSize[]){0, 0});
            vkCmdBindIndexBuffer(cmd, bytes.buffer, 0, VK_INDEX_TYPE_UINT8_KHR);
            vkCmdDrawIndexed(cmd, 6, INSTANCES, 0, 0, first_instance);
        }
        vkCmdEndRendering(cmd);
        vkt_barrier_all(cmd);
    }
    vkt_image_barrier(cmd, &target.color, in_color, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_image_barrier(cmd, &target.depth, in_depth, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&device, cmd);
    uint16_t depths[W * H];
    vkt_read_image(&device, &target.depth, 0, 0, depths, sizeof depths);
    for (uint32_t i = 0; i < W * H; i++)
        assert_in_range(depths[i], 49151, 49152); /* 0.75 */
    *out = vkt_read_target(&device, &target);
    vkt_pipeline_destroy(&device, &p);
    vkt_buffer_destroy(&device, &vertices);
    vkt_buffer_destroy(&device, &offsets);
    vkt_buffer_destroy(&device, &bytes);
    vkt_target_destroy(&device, &target);
}

static bool is_drawn(const struct vkt_picture *picture, float x, float y)
{
    return picture->rgba[4 * ((uint32_t)((y + 1) * H / 2) * W + (uint32_t)((x + 1) * W / 2)) + 3] == 255;
}

/* The first two places of four instances from number 0; places 2 and 3 of those from number 2, since the first place is
 * that of the first instance. */
static void promoted_extensions_draw(void **state)
{
    VkPhysicalDeviceVertexAttributeDivisorPropertiesKHR divisors = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &divisors};
    struct vkt_picture picture;
    vkGetPhysicalDeviceProperties2(device.physical, &all);
    assert_true(divisors.maxVertexAttribDivisor >= 0xffff);
    draw_places(0, &picture);
    assert_true(is_drawn(&picture, -0.7f, -0.7f) && is_drawn(&picture, 0.7f, -0.7f));
    assert_false(is_drawn(&picture, 0, 0) || is_drawn(&picture, -0.7f, 0.7f));
    vkt_picture_free(&picture);
    if (!divisors.supportsNonZeroFirstInstance)
        return;
    draw_places(2, &picture);
    assert_true(is_drawn(&picture, 0, 0) && is_drawn(&picture, -0.7f, 0.7f));
    assert_false(is_drawn(&picture, -0.7f, -0.7f) || is_drawn(&picture, 0.7f, 0.7f));
    vkt_picture_free(&picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(promoted_extensions_draw, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests_name("api_promoted", tests, open_device, close_device);
}
