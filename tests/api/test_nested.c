/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_nested_command_buffer: secondary command buffers that execute others, three deep, within passes with and
 * without a render pass, and outside of passes; inherited occlusion queries and conditions; several uses of the same
 * one.
 */
#include <string.h>
#include "vkt.h"
#include "push.frag.h"
#include "push.vert.h"

enum { W = 64, H = 64, COLUMNS = 8, LEVELS = 3 };

#define COLOR VK_FORMAT_R8G8B8A8_UNORM

static struct vkt device;
static VkCommandBuffer secondaries[LEVELS];

static int open_device(void **state)
{
    static const char *const extensions[] = {VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME,
                                             VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME};
    VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
        .conditionalRendering = VK_TRUE,
        .inheritedConditionalRendering = VK_TRUE};
    VkPhysicalDeviceNestedCommandBufferFeaturesEXT nested = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT,
        .pNext = &conditional,
        .nestedCommandBuffer = VK_TRUE,
        .nestedCommandBufferRendering = VK_TRUE,
        .nestedCommandBufferSimultaneousUse = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &nested);
    vkt_ok(vkAllocateCommandBuffers(device.device,
                                    &(VkCommandBufferAllocateInfo){
                                        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = device.pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                        .commandBufferCount = LEVELS,
                                    },
                                    secondaries));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

static void begin(VkCommandBuffer cmd, VkCommandBufferUsageFlags usage, const VkCommandBufferInheritanceInfo *inherits)
{
    vkt_ok(vkBeginCommandBuffer(cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                                 .flags = usage,
                                                                 .pInheritanceInfo = inherits}));
}

static void properties(void **state)
{
    VkPhysicalDeviceNestedCommandBufferPropertiesEXT nested = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &nested};
    vkGetPhysicalDeviceProperties2(device.physical, &properties);
    assert_true(nested.maxCommandBufferNestingLevel >= LEVELS);
}

/* ---------------------------------------------------------------- passes */

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

/* The pixels that a column covers when it is drawn. */
static uint32_t pixels_of(uint32_t column)
{
    return (W - column * W / COLUMNS) * (H - column * H / (2 * COLUMNS));
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

/* The columns come from secondaries of which each executes the next one between its own draws: 0 1 (2 3 (4 5) 6) 7.
 * Returns the outermost. */
static VkCommandBuffer record_columns(const struct vkt_pipeline *p, const VkCommandBufferInheritanceInfo *inherits)
{
    static const uint32_t before[] = {2, 2, 2}, after[] = {1, 1, 0};
    uint32_t first[LEVELS], last[LEVELS];
    for (uint32_t i = 0, column = 0, end = COLUMNS; i < LEVELS; i++) {
        first[i] = column;
        last[i] = end - after[i];
        column += before[i];
        end -= after[i];
    }
    for (uint32_t i = LEVELS; i--;) {
        begin(secondaries[i], VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, inherits);
        for (uint32_t c = 0; c < before[i]; c++)
            draw(secondaries[i], p, first[i] + c);
        if (i + 1 < LEVELS)
            vkCmdExecuteCommands(secondaries[i], 1, &secondaries[i + 1]);
        for (uint32_t c = 0; c < after[i]; c++)
            draw(secondaries[i], p, last[i] + c);
        vkt_ok(vkEndCommandBuffer(secondaries[i]));
    }
    return secondaries[0];
}

static struct vkt_pipeline pipeline_create(const void *next, VkRenderPass pass)
{
    return vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                                    .fs = VKT_SHADER(push_frag),
                                                                    .pass = pass,
                                                                    .next = next,
                                                                    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                    .push_size_B = sizeof(struct push),
                                                                    .width = W,
                                                                    .height = H});
}

static void render_passes(void **state)
{
    struct vkt_target target = vkt_target_create(&device, W, H, COLOR, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = pipeline_create(NULL, target.pass);
    const VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                     .renderPass = target.pass};
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = target.pass,
                                                  .framebuffer = target.framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}},
                                                  .clearValueCount = 1,
                                                  .pClearValues = &(VkClearValue){.color.uint32 = {0}}},
                         VK_SUBPASS_CONTENTS_INLINE_AND_SECONDARY_COMMAND_BUFFERS_EXT);
    VkCommandBuffer outer = record_columns(&p, &inherits);
    vkCmdExecuteCommands(cmd, 1, &outer);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&device, cmd);
    check(&target.color);
    vkt_pipeline_destroy(&device, &p);
    vkt_target_destroy(&device, &target);
}

/* With an occlusion query that all of them inherit. */
static void dynamic_passes(void **state)
{
    const VkFormat format = COLOR;
    const VkPipelineRenderingCreateInfo formats = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                   .colorAttachmentCount = 1,
                                                   .pColorAttachmentFormats = &format};
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .flags = VK_RENDERING_CONTENTS_INLINE_BIT_EXT,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                     .pNext = &rendering,
                                                     .occlusionQueryEnable = VK_TRUE,
                                                     .queryFlags = VK_QUERY_CONTROL_PRECISE_BIT};
    struct vkt_target target = vkt_target_create(&device, W, H, COLOR, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = pipeline_create(&formats, VK_NULL_HANDLE);
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = target.color.view,
                                             .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    VkQueryPool pool;
    vkt_ok(vkCreateQueryPool(device.device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = 1},
                             NULL, &pool));
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    vkt_image_barrier(cmd, &target.color, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vkCmdBeginRendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                .flags = VK_RENDERING_CONTENTS_INLINE_BIT_EXT |
                                                         VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT,
                                                .renderArea = {{0, 0}, {W, H}},
                                                .layerCount = 1,
                                                .colorAttachmentCount = 1,
                                                .pColorAttachments = &color});
    VkCommandBuffer outer = record_columns(&p, &inherits);
    vkCmdBeginQuery(cmd, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    vkCmdExecuteCommands(cmd, 1, &outer);
    vkCmdEndQuery(cmd, pool, 0);
    vkCmdEndRendering(cmd);
    vkt_image_barrier(cmd, &target.color, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&device, cmd);
    check(&target.color);
    uint64_t samples = 0, expected = 0;
    for (uint32_t i = 0; i < COLUMNS; i++)
        expected += pixels_of(i);
    vkt_ok(vkGetQueryPoolResults(device.device, pool, 0, 1, sizeof samples, &samples, sizeof samples,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    assert_int_equal(samples, expected);
    vkDestroyQueryPool(device.device, pool, NULL);
    vkt_pipeline_destroy(&device, &p);
    vkt_target_destroy(&device, &target);
}

static void begin_condition(VkCommandBuffer cmd, const struct vkt_buffer *buffer)
{
    const PFN_vkCmdBeginConditionalRenderingEXT begin_in =
        (PFN_vkCmdBeginConditionalRenderingEXT)vkGetDeviceProcAddr(device.device, "vkCmdBeginConditionalRenderingEXT");
    begin_in(cmd, &(VkConditionalRenderingBeginInfoEXT){.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
                                                        .buffer = buffer->buffer});
}

static void end_condition(VkCommandBuffer cmd)
{
    ((PFN_vkCmdEndConditionalRenderingEXT)vkGetDeviceProcAddr(device.device, "vkCmdEndConditionalRenderingEXT"))(cmd);
}

/* The innermost one draws on the left and clears on the right. The condition is that of the primary, or begins in the
 * outer one. */
static void conditions(void **state)
{
    static uint8_t got[H][W][4];
    struct vkt_target target = vkt_target_create(&device, W, H, COLOR, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = pipeline_create(NULL, target.pass);
    struct vkt_buffer value = vkt_buffer_create(&device, 4, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT, NULL);
    const VkCommandBufferInheritanceConditionalRenderingInfoEXT condition = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_CONDITIONAL_RENDERING_INFO_EXT,
        .conditionalRenderingEnable = VK_TRUE};
    const VkCommandBufferInheritanceInfo inherits = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &condition, .renderPass = target.pass};
    const struct push left = {{0, 1, 0, 1}, {-1, -1, 0, 1}, 0};
    const VkClearAttachment green = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color.float32 = {0, 1, 0, 1}}};
    for (uint32_t i = 0; i < 4; i++) {
        const bool is_primarys = i & 1;
        *(uint32_t *)value.map = i >> 1;
        begin(secondaries[1], VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inherits);
        vkCmdBindPipeline(secondaries[1], VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
        vkCmdPushConstants(secondaries[1], p.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                           sizeof left, &left);
        vkCmdDraw(secondaries[1], 4, 1, 0, 0);
        vkCmdClearAttachments(secondaries[1], 1, &green, 1, &(VkClearRect){{{W / 2, 0}, {W / 2, H}}, 0, 1});
        vkt_ok(vkEndCommandBuffer(secondaries[1]));
        begin(secondaries[0], VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inherits);
        if (!is_primarys)
            begin_condition(secondaries[0], &value);
        vkCmdExecuteCommands(secondaries[0], 1, &secondaries[1]);
        if (!is_primarys)
            end_condition(secondaries[0]);
        vkt_ok(vkEndCommandBuffer(secondaries[0]));
        VkCommandBuffer cmd = vkt_begin(&device);
        if (is_primarys)
            begin_condition(cmd, &value);
        vkCmdBeginRenderPass(cmd,
                             &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                      .renderPass = target.pass,
                                                      .framebuffer = target.framebuffer,
                                                      .renderArea = {{0, 0}, {W, H}},
                                                      .clearValueCount = 1,
                                                      .pClearValues = &(VkClearValue){.color.uint32 = {0}}},
                             VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
        vkCmdExecuteCommands(cmd, 1, &secondaries[0]);
        vkCmdEndRenderPass(cmd);
        if (is_primarys)
            end_condition(cmd);
        vkt_end_submit(&device, cmd);
        vkt_read_image(&device, &target.color, 0, 0, got, sizeof got);
        for (uint32_t k = 0; k < W * H; k++)
            assert_int_equal(got[k / W][k % W][1], i >> 1 ? 255 : 0);
    }
    vkt_buffer_destroy(&device, &value);
    vkt_pipeline_destroy(&device, &p);
    vkt_target_destroy(&device, &target);
}

/* ---------------------------------------------------------------- outside of passes */

/* Doubles the filled part of the buffer each time. */
static void copies(void **state)
{
    enum { WORDS = 16 };
    const VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    struct vkt_buffer b = vkt_buffer_create(&device, WORDS * 4,
                                            VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    memset(b.map, 0, WORDS * 4);
    /* innermost: words 0 to 3 become 4 to 7; then the middle one overwrites words 0 to 1 */
    begin(secondaries[2], VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, &inherits);
    vkCmdCopyBuffer(secondaries[2], b.buffer, b.buffer, 1, &(VkBufferCopy){0, 16, 16});
    vkt_barrier_all(secondaries[2]);
    vkt_ok(vkEndCommandBuffer(secondaries[2]));
    begin(secondaries[1], 0, &inherits);
    vkCmdFillBuffer(secondaries[1], b.buffer, 0, 16, 7);
    vkt_barrier_all(secondaries[1]);
    vkCmdExecuteCommands(secondaries[1], 1, &secondaries[2]);
    vkCmdFillBuffer(secondaries[1], b.buffer, 0, 8, 9);
    vkt_barrier_all(secondaries[1]);
    vkt_ok(vkEndCommandBuffer(secondaries[1]));
    begin(secondaries[0], 0, &inherits);
    vkCmdExecuteCommands(secondaries[0], 1, &secondaries[1]);
    vkCmdCopyBuffer(secondaries[0], b.buffer, b.buffer, 1, &(VkBufferCopy){0, 32, 32});
    vkt_barrier_all(secondaries[0]);
    vkCmdExecuteCommands(secondaries[0], 1, &secondaries[2]); /* again */
    vkt_ok(vkEndCommandBuffer(secondaries[0]));
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdExecuteCommands(cmd, 1, &secondaries[0]);
    vkt_end_submit(&device, cmd);
    static const uint32_t expected[WORDS] = {9, 9, 7, 7, 9, 9, 7, 7, 9, 9, 7, 7, 7, 7, 7, 7};
    assert_memory_equal(b.map, expected, sizeof expected);
    vkt_buffer_destroy(&device, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(properties, vkt_check_messages),
        cmocka_unit_test_teardown(render_passes, vkt_check_messages),
        cmocka_unit_test_teardown(dynamic_passes, vkt_check_messages),
        cmocka_unit_test_teardown(conditions, vkt_check_messages),
        cmocka_unit_test_teardown(copies, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests_name("api_nested", tests, open_device, close_device);
}
