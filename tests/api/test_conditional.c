/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_conditional_rendering: each kind of command that a condition applies to runs exactly if it holds when the
 * command buffer runs; all others run anyway.
 */
#include <string.h>
#include "vkt.h"
#include "compute_add.comp.h"
#include "push.frag.h"
#include "push.vert.h"

enum { W = 64, H = 48 };

enum kind { DRAW, INDEXED, INDIRECT, INSTANCED, CLEAR_ALL, CLEAR_PART, SECONDARY, SECONDARY_CLEAR, KINDS };

struct push {
    float color[4], rect[4], depth;
};

struct scene {
    struct vkt t;
    struct vkt_target target;
    struct vkt_pipeline quad;
    struct vkt_buffer condition, indices, parameters;
    PFN_vkCmdBeginConditionalRenderingEXT begin;
    PFN_vkCmdEndConditionalRenderingEXT end;
};

static const float red[4] = {1, 0, 0, 1};
static const struct push green = {{0, 1, 0, 1}, {-1, -1, 1, 1}, 0.5f}, blue = {{0, 0, 1, 1}, {-1, -1, -0.5f, 1}, 0.5f};

static struct vkt_pipeline quad_create(struct vkt *t, VkRenderPass pass, const void *next)
{
    return vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                              .fs = VKT_SHADER(push_frag),
                                                              .pass = pass,
                                                              .next = next,
                                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                              .push_size_B = sizeof(struct push),
                                                              .width = W,
                                                              .height = H});
}

static struct scene scene_open(void)
{
    static const char *const extensions[] = {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
                                             VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
                                             VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME};
    VkPhysicalDeviceDynamicRenderingFeatures rendering = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, .dynamicRendering = VK_TRUE};
    VkPhysicalDeviceConditionalRenderingFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
        .pNext = &rendering,
        .conditionalRendering = VK_TRUE,
        .inheritedConditionalRendering = VK_TRUE};
    struct scene s = {
        .t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &features)};
    const uint16_t indices[] = {0, 1, 2, 3};
    const VkDrawIndirectCommand parameters = {4, 1, 0, 0};
    s.target = vkt_target_create(&s.t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    s.quad = quad_create(&s.t, s.target.pass, NULL);
    s.condition = vkt_buffer_create(&s.t, 64,
                                    VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                    NULL);
    s.indices = vkt_buffer_create(&s.t, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    s.parameters = vkt_buffer_create(&s.t, sizeof parameters, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, &parameters);
    s.begin =
        (PFN_vkCmdBeginConditionalRenderingEXT)vkGetDeviceProcAddr(s.t.device, "vkCmdBeginConditionalRenderingEXT");
    s.end = (PFN_vkCmdEndConditionalRenderingEXT)vkGetDeviceProcAddr(s.t.device, "vkCmdEndConditionalRenderingEXT");
    return s;
}

static void scene_close(struct scene *s)
{
    vkt_pipeline_destroy(&s->t, &s->quad);
    vkt_buffer_destroy(&s->t, &s->condition);
    vkt_buffer_destroy(&s->t, &s->indices);
    vkt_buffer_destroy(&s->t, &s->parameters);
    vkt_target_destroy(&s->t, &s->target);
    vkt_device_close(&s->t);
}

static void begin_at(struct scene *s, VkCommandBuffer cmd, VkDeviceSize offset_B, bool inverted)
{
    s->begin(cmd,
             &(VkConditionalRenderingBeginInfoEXT){.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
                                                   .buffer = s->condition.buffer,
                                                   .offset = offset_B,
                                                   .flags = inverted ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0u});
}

static void bind(struct scene *s, VkCommandBuffer cmd, const struct push *push)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->quad.pipeline);
    vkCmdPushConstants(cmd, s->quad.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof *push,
                       push);
}

static void clear(VkCommandBuffer cmd, VkRect2D rect)
{
    const VkClearAttachment attachment = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color.float32 = {0, 1, 0, 1}}};
    vkCmdClearAttachments(cmd, 1, &attachment, 1, &(VkClearRect){rect, 0, 1});
}

static void record_kind(struct scene *s, VkCommandBuffer cmd, enum kind kind)
{
    bind(s, cmd, &green);
    switch (kind) {
    case INDEXED:
        vkCmdBindIndexBuffer(cmd, s->indices.buffer, 0, VK_INDEX_TYPE_UINT16);
        vkCmdDrawIndexed(cmd, 4, 1, 0, 0, 0);
        break;
    case INDIRECT:
        vkCmdDrawIndirect(cmd, s->parameters.buffer, 0, 1, 16);
        break;
    case INSTANCED:
        vkCmdDraw(cmd, 4, 5, 0, 0);
        break;
    case CLEAR_ALL:
        clear(cmd, (VkRect2D){{0, 0}, {W, H}});
        break;
    case CLEAR_PART:
    case SECONDARY_CLEAR:
        clear(cmd, (VkRect2D){{W / 4, 0}, {W / 2 + 4, H}});
        break;
    default:
        vkCmdDraw(cmd, 4, 1, 0, 0);
        break;
    }
}

/* In the primary the condition is active around the pass or, `within`, in it. A blue quad on the left is drawn whatever
 * the condition says. */
static VkCommandBuffer record(struct scene *s, enum kind kind, VkDeviceSize offset_B, bool inverted, bool within,
                              VkCommandBuffer *secondary)
{
    const bool has_secondary = kind == SECONDARY || kind == SECONDARY_CLEAR;
    *secondary = VK_NULL_HANDLE;
    if (has_secondary) {
        *secondary = vkt_begin_secondary(&s->t, s->target.pass, 0);
        begin_at(s, *secondary, offset_B, inverted);
        record_kind(s, *secondary, kind);
        s->end(*secondary);
        bind(s, *secondary, &blue);
        vkCmdDraw(*secondary, 4, 1, 0, 0);
        vkt_ok(vkEndCommandBuffer(*secondary));
    }
    VkCommandBuffer cmd = vkt_begin(&s->t);
    if (!within && !has_secondary)
        begin_at(s, cmd, offset_B, inverted);
    vkCmdBeginRenderPass(
        cmd,
        &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                 .renderPass = s->target.pass,
                                 .framebuffer = s->target.framebuffer,
                                 .renderArea = {{0, 0}, {W, H}},
                                 .clearValueCount = 1,
                                 .pClearValues = &(VkClearValue){.color.float32 = {red[0], red[1], red[2], 1}}},
        has_secondary ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE);
    if (has_secondary) {
        vkCmdExecuteCommands(cmd, 1, secondary);
    } else {
        if (within)
            begin_at(s, cmd, offset_B, inverted);
        record_kind(s, cmd, kind);
        if (within) {
            s->end(cmd);
            bind(s, cmd, &blue);
            vkCmdDraw(cmd, 4, 1, 0, 0);
        }
    }
    vkCmdEndRenderPass(cmd);
    if (!within && !has_secondary)
        s->end(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    return cmd;
}

static void expect(struct scene *s, bool is_green, bool has_blue)
{
    struct vkt_picture p = vkt_read_target(&s->t, &s->target);
    const uint8_t *middle = p.rgba + (H / 2 * W + W / 2) * 4, *left = p.rgba + (H / 2 * W + 2) * 4;
    assert_int_equal(middle[0], is_green ? 0 : 255);
    assert_int_equal(middle[1], is_green ? 255 : 0);
    assert_int_equal(left[2], has_blue ? 255 : 0);
    vkt_picture_free(&p);
}

/* One recording, submitted with several values: the value counts that is there when it runs. All 32 bits count. */
static void each_kind(void **state)
{
    static const uint32_t values[] = {0, 1, 0x100, 0x80000000, 0};
    struct scene s = scene_open();
    for (uint32_t i = 0; i < 4 * KINDS; i++) {
        const enum kind kind = i / 4;
        const bool inverted = i & 1, within = (i & 2) || kind >= SECONDARY;
        const uint32_t word = 3 + i % 2;
        VkCommandBuffer secondary, cmd = record(&s, kind, word * 4, inverted, within, &secondary);
        for (uint32_t v = 0; v < VKT_COUNT(values); v++) {
            uint32_t *map = s.condition.map;
            for (uint32_t w = 0; w < 16; w++)
                map[w] = w == word ? values[v] : !values[v]; /* the neighbours say the opposite */
            vkt_submit(&s.t, cmd);
            expect(&s, (values[v] != 0) != inverted, within);
        }
        vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &cmd);
        if (secondary)
            vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    }
    scene_close(&s);
}

/* Dispatches, and what is no draw: fills. */
static void dispatches(void **state)
{
    struct scene s = scene_open();
    struct vkt_compute c = vkt_compute_create_simple(&s.t, VKT_SHADER(compute_add_comp), 3, 4, NULL);
    struct vkt_buffer buffers[3];
    for (uint32_t i = 0; i < 3; i++)
        buffers[i] = vkt_storage_buffer(&s.t, 1024, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    VkDescriptorSet set = vkt_compute_set(&s.t, &c, buffers, 3);
    for (uint32_t value = 0; value < 2; value++) {
        memset(buffers[2].map, 0, 4096);
        for (uint32_t i = 0; i < 1024; i++)
            ((uint32_t *)buffers[0].map)[i] = ((uint32_t *)buffers[1].map)[i] = 0x3f800000; /* 1.0 */
        ((uint32_t *)s.condition.map)[0] = value;
        VkCommandBuffer cmd = vkt_begin(&s.t);
        vkt_compute_bind(cmd, &c, &set);
        vkCmdPushConstants(cmd, c.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &(uint32_t){16});
        begin_at(&s, cmd, 0, false);
        vkCmdDispatch(cmd, 1, 1, 1);
        vkt_barrier_all(cmd);
        vkCmdFillBuffer(cmd, buffers[2].buffer, 4092, 4, 7);
        s.end(cmd);
        vkt_end_submit(&s.t, cmd);
        assert_int_equal(((uint32_t *)buffers[2].map)[0] != 0, value);
        assert_int_equal(((uint32_t *)buffers[2].map)[1023], 7);
    }
    for (uint32_t i = 0; i < 3; i++)
        vkt_buffer_destroy(&s.t, &buffers[i]);
    vkt_compute_destroy(&s.t, &c);
    scene_close(&s);
}

/* The value comes from an earlier command of the same command buffer, as zink and vkd3d-proton have it. */
static void computed_condition(void **state)
{
    struct scene s = scene_open();
    for (uint32_t value = 0; value < 2; value++) {
        *(uint32_t *)s.condition.map = !value;
        VkCommandBuffer cmd = vkt_begin(&s.t);
        vkCmdFillBuffer(cmd, s.condition.buffer, 0, 4, value);
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_CONDITIONAL_RENDERING_BIT_EXT, 0, 1,
                             &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                                .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                                .dstAccessMask = VK_ACCESS_CONDITIONAL_RENDERING_READ_BIT_EXT},
                             0, NULL, 0, NULL);
        begin_at(&s, cmd, 0, false);
        vkt_begin_pass(cmd, &s.target, red, 1, 0);
        bind(&s, cmd, &green);
        vkCmdDraw(cmd, 4, 1, 0, 0);
        vkCmdEndRenderPass(cmd);
        s.end(cmd);
        vkt_end_submit(&s.t, cmd);
        expect(&s, value, false);
    }
    scene_close(&s);
}

/* ---------------------------------------------------------------- inherited conditions */

/* A secondary that may inherit a condition; it continues the pass if there is one. */
static VkCommandBuffer begin_inheriting(struct scene *s, VkRenderPass pass)
{
    const VkCommandBufferInheritanceConditionalRenderingInfoEXT condition = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_CONDITIONAL_RENDERING_INFO_EXT,
        .conditionalRenderingEnable = VK_TRUE};
    return vkt_begin_inheriting(
        &s->t, &(VkCommandBufferInheritanceInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                 .pNext = &condition,
                                                 .renderPass = pass});
}

/* Executes the secondary under the condition, which begins before the pass or within it, or under none. */
static void submit_executing(struct scene *s, VkCommandBuffer secondary, bool has_condition, bool inverted, bool within)
{
    VkCommandBuffer cmd = vkt_begin(&s->t);
    if (has_condition && !within)
        begin_at(s, cmd, 4, inverted);
    vkCmdBeginRenderPass(
        cmd,
        &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                 .renderPass = s->target.pass,
                                 .framebuffer = s->target.framebuffer,
                                 .renderArea = {{0, 0}, {W, H}},
                                 .clearValueCount = 1,
                                 .pClearValues = &(VkClearValue){.color.float32 = {red[0], red[1], red[2], 1}}},
        VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    if (has_condition && within)
        begin_at(s, cmd, 4, inverted);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    if (has_condition && within)
        s->end(cmd);
    vkCmdEndRenderPass(cmd);
    if (has_condition && !within)
        s->end(cmd);
    vkt_end_submit(&s->t, cmd);
}

/* Draws and clears of a secondary that continues the pass. */
static void secondaries_inherit(void **state)
{
    struct scene s = scene_open();
    for (uint32_t kind = DRAW; kind < KINDS; kind++) {
        VkCommandBuffer secondary = begin_inheriting(&s, s.target.pass);
        record_kind(&s, secondary, kind);
        vkt_ok(vkEndCommandBuffer(secondary));
        for (uint32_t i = 0; i < 16; i++) {
            const bool value = i & 1, inverted = i & 2, within = i & 4, has_condition = i & 8;
            ((uint32_t *)s.condition.map)[1] = value;
            submit_executing(&s, secondary, has_condition, inverted, within);
            expect(&s, !has_condition || value != inverted, false);
        }
        vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    }
    scene_close(&s);
}

/* The same secondary in two passes of one primary, under different conditions. The second pass clears what the first
 * one has drawn. */
static void uses_have_their_own_conditions(void **state)
{
    struct scene s = scene_open();
    VkCommandBuffer secondary = begin_inheriting(&s, s.target.pass), cmd = vkt_begin(&s.t);
    record_kind(&s, secondary, DRAW);
    vkt_ok(vkEndCommandBuffer(secondary));
    for (uint32_t pass = 0; pass < 2; pass++) {
        begin_at(&s, cmd, pass * 8, false);
        vkCmdBeginRenderPass(
            cmd,
            &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                     .renderPass = s.target.pass,
                                     .framebuffer = s.target.framebuffer,
                                     .renderArea = {{0, 0}, {W, H}},
                                     .clearValueCount = 1,
                                     .pClearValues = &(VkClearValue){.color.float32 = {red[0], red[1], red[2], 1}}},
            VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
        vkCmdExecuteCommands(cmd, 1, &secondary);
        vkCmdEndRenderPass(cmd);
        s.end(cmd);
        vkt_barrier_all(cmd);
    }
    vkt_ok(vkEndCommandBuffer(cmd));
    for (uint32_t i = 0; i < 4; i++) {
        ((uint32_t *)s.condition.map)[0] = i & 1;
        ((uint32_t *)s.condition.map)[2] = i >> 1;
        vkt_submit(&s.t, cmd);
        expect(&s, i >> 1, false);
    }
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &cmd);
    scene_close(&s);
}

/* Clears the target to red in a pass without a render pass, whose contents a condition applies to. */
static void record_dynamic_pass(struct scene *s, VkCommandBuffer cmd, enum kind kind)
{
    const PFN_vkCmdBeginRenderingKHR begin =
        (PFN_vkCmdBeginRenderingKHR)vkGetDeviceProcAddr(s->t.device, "vkCmdBeginRenderingKHR");
    const PFN_vkCmdEndRenderingKHR end =
        (PFN_vkCmdEndRenderingKHR)vkGetDeviceProcAddr(s->t.device, "vkCmdEndRenderingKHR");
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = s->target.color.view,
                                             .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                             .clearValue.color.float32 = {red[0], red[1], red[2], 1}};
    vkt_image_barrier(cmd, &s->target.color, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    begin(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .renderArea = {{0, 0}, {W, H}},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 1,
                                  .pColorAttachments = &color});
    record_kind(s, cmd, kind);
    end(cmd);
    vkt_image_barrier(cmd, &s->target.color, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

/* A secondary with dispatches, fills, which no condition applies to, and a pass of its own. */
static void commands_outside_of_passes_inherit(void **state)
{
    static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkPipelineRenderingCreateInfo formats = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                   .colorAttachmentCount = 1,
                                                   .pColorAttachmentFormats = &format};
    struct scene s = scene_open();
    vkt_pipeline_destroy(&s.t, &s.quad);
    s.quad = quad_create(&s.t, VK_NULL_HANDLE, &formats);
    struct vkt_compute c = vkt_compute_create_simple(&s.t, VKT_SHADER(compute_add_comp), 3, 4, NULL);
    struct vkt_buffer buffers[3];
    for (uint32_t i = 0; i < 3; i++)
        buffers[i] = vkt_storage_buffer(&s.t, 1024, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    VkDescriptorSet set = vkt_compute_set(&s.t, &c, buffers, 3);
    for (uint32_t i = 0; i < 1024; i++)
        ((uint32_t *)buffers[0].map)[i] = ((uint32_t *)buffers[1].map)[i] = 0x3f800000; /* 1.0 */
    for (uint32_t kind = DRAW; kind < SECONDARY; kind++) {
        VkCommandBuffer secondary = begin_inheriting(&s, VK_NULL_HANDLE);
        vkt_compute_bind(secondary, &c, &set);
        vkCmdPushConstants(secondary, c.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &(uint32_t){16});
        vkCmdDispatch(secondary, 1, 1, 1);
        vkt_barrier_all(secondary);
        vkCmdFillBuffer(secondary, buffers[2].buffer, 4092, 4, 7);
        record_dynamic_pass(&s, secondary, kind);
        vkt_ok(vkEndCommandBuffer(secondary));
        for (uint32_t i = 0; i < 8; i++) {
            const bool value = i & 1, inverted = i & 2, has_condition = i & 4,
                       runs = !has_condition || value != inverted;
            memset(buffers[2].map, 0, 4096);
            ((uint32_t *)s.condition.map)[1] = value;
            VkCommandBuffer cmd = vkt_begin(&s.t);
            if (has_condition)
                begin_at(&s, cmd, 4, inverted);
            vkCmdExecuteCommands(cmd, 1, &secondary);
            if (has_condition)
                s.end(cmd);
            vkt_end_submit(&s.t, cmd);
            expect(&s, runs, false);
            assert_int_equal(((uint32_t *)buffers[2].map)[0] != 0, runs);
            assert_int_equal(((uint32_t *)buffers[2].map)[1023], 7);
        }
        vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    }
    for (uint32_t i = 0; i < 3; i++)
        vkt_buffer_destroy(&s.t, &buffers[i]);
    vkt_compute_destroy(&s.t, &c);
    scene_close(&s);
}

/* A condition that has not ended does not reach the next recording. */
static void ends_with_the_recording(void **state)
{
    struct scene s = scene_open();
    VkCommandBuffer cmd = vkt_begin(&s.t);
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-vkEndCommandBuffer-None-01978");
    begin_at(&s, cmd, 0, false);
    vkEndCommandBuffer(cmd);
    vkt_ok(
        vkBeginCommandBuffer(cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
    vkt_begin_pass(cmd, &s.target, red, 1, 0);
    bind(&s, cmd, &green);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&s.t, cmd);
    expect(&s, true, false);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_kind, vkt_check_messages),
        cmocka_unit_test_teardown(dispatches, vkt_check_messages),
        cmocka_unit_test_teardown(computed_condition, vkt_check_messages),
        cmocka_unit_test_teardown(secondaries_inherit, vkt_check_messages),
        cmocka_unit_test_teardown(uses_have_their_own_conditions, vkt_check_messages),
        cmocka_unit_test_teardown(commands_outside_of_passes_inherit, vkt_check_messages),
        cmocka_unit_test_teardown(ends_with_the_recording, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
