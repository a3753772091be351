/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_maintenance7: draws of the primary and of secondary command buffers in one subpass, with and without a render
 * pass; results of queries in 32 bits; its properties.
 */
#include <string.h>
#include "vkt.h"
#include "push.frag.h"
#include "push.vert.h"

enum { W = 64, H = 64, COLUMNS = 8 };

#define COLOR VK_FORMAT_R8G8B8A8_UNORM

static struct vkt device;

static int open_device(void **state)
{
    static const char *const extension = VK_KHR_MAINTENANCE_7_EXTENSION_NAME;
    VkPhysicalDeviceMaintenance7FeaturesKHR maintenance7 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_FEATURES_KHR, .maintenance7 = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), &extension, 1, &maintenance7);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

struct push {
    float color[4], rect[4], depth;
};

/* A column from the top to its own height, over those to its left. */
static void draw(VkCommandBuffer cmd, const struct vkt_pipeline *p, uint32_t column)
{
    const struct push push = {{(float)column / COLUMNS, 1, 0, 1},
                              {-1 + 2.0f * (float)column / COLUMNS, -1, 1, 1 - (float)column / COLUMNS},
                              0};
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push,
                       &push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

static void check(const struct vkt_image *image)
{
    static uint8_t got[H][W][4];
    vkt_read_image(&device, image, 0, 0, got, sizeof got);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            uint32_t top = 0; /* the last column that covers the pixel */
            for (uint32_t i = 0; i < COLUMNS; i++)
                if (x >= i * W / COLUMNS && y < H - i * H / (2 * COLUMNS))
                    top = i;
            assert_in_range(got[y][x][0], top * 255 / COLUMNS > 0 ? top * 255 / COLUMNS - 1 : 0,
                            top * 255 / COLUMNS + 1);
            assert_int_equal(got[y][x][1], 255);
        }
}

/* The columns come from the primary and from secondaries in turns. `pass`: VK_NULL_HANDLE for a dynamic pass. */
static void record(VkCommandBuffer cmd, VkCommandBuffer secondaries[COLUMNS / 2], const struct vkt_pipeline *p,
                   VkRenderPass pass)
{
    const VkFormat format = COLOR;
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .flags = VK_RENDERING_CONTENTS_INLINE_BIT_KHR,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                     .pNext = pass ? NULL : &rendering,
                                                     .renderPass = pass};
    for (uint32_t i = 0; i < COLUMNS; i++) {
        if (i % 2 == 0) {
            draw(cmd, p, i);
            continue;
        }
        VkCommandBuffer secondary = secondaries[i / 2];
        vkt_ok(vkBeginCommandBuffer(
            secondary, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                   .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                                   .pInheritanceInfo = &inherits}));
        draw(secondary, p, i);
        vkt_ok(vkEndCommandBuffer(secondary));
        vkCmdExecuteCommands(cmd, 1, &secondary);
    }
}

static void draws_alternate(void **state)
{
    struct vkt_target target = vkt_target_create(&device, W, H, COLOR, VK_FORMAT_UNDEFINED);
    VkCommandBuffer secondaries[COLUMNS / 2];
    vkt_ok(vkAllocateCommandBuffers(device.device,
                                    &(VkCommandBufferAllocateInfo){
                                        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = device.pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                        .commandBufferCount = VKT_COUNT(secondaries),
                                    },
                                    secondaries));
    for (uint32_t dynamic = 0; dynamic < 2; dynamic++) {
        const VkFormat format = COLOR;
        const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                         .colorAttachmentCount = 1,
                                                         .pColorAttachmentFormats = &format};
        struct vkt_pipeline p =
            vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                                     .fs = VKT_SHADER(push_frag),
                                                                     .pass = dynamic ? VK_NULL_HANDLE : target.pass,
                                                                     .next = dynamic ? &rendering : NULL,
                                                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                     .push_size_B = sizeof(struct push),
                                                                     .width = W,
                                                                     .height = H});
        const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                                 .imageView = target.color.view,
                                                 .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                                 .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                 .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
        VkCommandBuffer cmd = vkt_begin(&device);
        if (dynamic) {
            vkt_image_barrier(cmd, &target.color, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
            vkCmdBeginRendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                        .flags = VK_RENDERING_CONTENTS_INLINE_BIT_KHR |
                                                                 VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT,
                                                        .renderArea = {{0, 0}, {W, H}},
                                                        .layerCount = 1,
                                                        .colorAttachmentCount = 1,
                                                        .pColorAttachments = &color});
            record(cmd, secondaries, &p, VK_NULL_HANDLE);
            vkCmdEndRendering(cmd);
            vkt_image_barrier(cmd, &target.color, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                              VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        } else {
            vkCmdBeginRenderPass(cmd,
                                 &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                          .renderPass = target.pass,
                                                          .framebuffer = target.framebuffer,
                                                          .renderArea = {{0, 0}, {W, H}},
                                                          .clearValueCount = 1,
                                                          .pClearValues = &(VkClearValue){.color.uint32 = {0}}},
                                 VK_SUBPASS_CONTENTS_INLINE_AND_SECONDARY_COMMAND_BUFFERS_KHR);
            record(cmd, secondaries, &p, target.pass);
            vkCmdEndRenderPass(cmd);
        }
        vkt_end_submit(&device, cmd);
        check(&target.color);
        vkt_pipeline_destroy(&device, &p);
    }
    vkFreeCommandBuffers(device.device, device.pool, VKT_COUNT(secondaries), secondaries);
    vkt_target_destroy(&device, &target);
}

/* The lower half of a result of 64 bits. */
static void results_of_32_bits_are_halves(void **state)
{
    VkQueryPool pool;
    uint64_t whole[2];
    uint32_t half[2];
    vkt_ok(vkCreateQueryPool(device.device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                                      .queryCount = 2},
                             NULL, &pool));
    struct vkt_buffer copy = vkt_buffer_create(&device, sizeof half, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdResetQueryPool(cmd, pool, 0, 2);
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
    vkCmdCopyQueryPoolResults(cmd, pool, 0, 2, copy.buffer, 0, 4, VK_QUERY_RESULT_WAIT_BIT);
    vkt_barrier_all(cmd);
    vkt_end_submit(&device, cmd);
    vkt_ok(vkGetQueryPoolResults(device.device, pool, 0, 2, sizeof whole, whole, 8, VK_QUERY_RESULT_64_BIT));
    vkt_ok(vkGetQueryPoolResults(device.device, pool, 0, 2, sizeof half, half, 4, 0));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(half[i], (uint32_t)whole[i]);
        assert_int_equal(((const uint32_t *)copy.map)[i], (uint32_t)whole[i]);
    }
    vkt_buffer_destroy(&device, &copy);
    vkDestroyQueryPool(device.device, pool, NULL);
}

static void properties_are_consistent(void **state)
{
    VkPhysicalDeviceLayeredApiPropertiesListKHR layered = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_API_PROPERTIES_LIST_KHR, .layeredApiCount = 7};
    VkPhysicalDeviceMaintenance7PropertiesKHR own = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_PROPERTIES_KHR, .pNext = &layered};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &own};
    vkGetPhysicalDeviceProperties2(device.physical, &all);
    const VkPhysicalDeviceLimits *l = &all.properties.limits;
    assert_int_equal(layered.layeredApiCount, 0);
    assert_true(own.maxDescriptorSetTotalUniformBuffersDynamic >= l->maxDescriptorSetUniformBuffersDynamic);
    assert_true(own.maxDescriptorSetTotalStorageBuffersDynamic >= l->maxDescriptorSetStorageBuffersDynamic);
    assert_true(own.maxDescriptorSetTotalBuffersDynamic >= 12);
    assert_true(own.maxDescriptorSetUpdateAfterBindTotalBuffersDynamic >= 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(draws_alternate, vkt_check_messages),
        cmocka_unit_test_teardown(results_of_32_bits_are_halves, vkt_check_messages),
        cmocka_unit_test_teardown(properties_are_consistent, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests_name("api_maintenance7", tests, open_device, close_device);
}
