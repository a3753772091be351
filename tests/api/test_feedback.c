/* SPDX-License-Identifier: MIT
 *
 * Attachments that draws of the same pass sample (VK_EXT_attachment_feedback_loop_layout): after a barrier a draw finds
 * what the draws before it have left at its own pixels. Formats of one and of several words, from which each replay
 * must read the same; primary and secondary command buffers. With loops that commands allow
 * (VK_EXT_attachment_feedback_loop_dynamic_state) the same.
 */
#include <string.h>
#include "vkt.h"
#include "feedback.frag.h"
#include "full.vert.h"

enum { SIDE = 40, DRAWS = 5 };

#define LOOP VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT

struct loop {
    struct vkt t;
    struct vkt_image image;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkDescriptorSetLayout layout;
    VkDescriptorSet set;
    struct vkt_pipeline pipeline;
    bool is_dynamic; /* a command allows the loop, not the pipeline */
};

static VkRenderPass pass_create(struct vkt *t, VkFormat format)
{
    const VkAttachmentDescription attachment = {.format = format,
                                                .samples = VK_SAMPLE_COUNT_1_BIT,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                                .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    const VkSubpassDescription subpass = {.colorAttachmentCount = 1,
                                          .pColorAttachments = &(VkAttachmentReference){0, LOOP}};
    const VkSubpassDependency dependencies[] = {
        {0, 0, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
         VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT,
         VK_DEPENDENCY_BY_REGION_BIT | VK_DEPENDENCY_FEEDBACK_LOOP_BIT_EXT},
        {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
         VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT, 0}};
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                        .attachmentCount = 1,
                                                        .pAttachments = &attachment,
                                                        .subpassCount = 1,
                                                        .pSubpasses = &subpass,
                                                        .dependencyCount = 2,
                                                        .pDependencies = dependencies},
                              NULL, &pass));
    return pass;
}

static void loop_create(struct loop *l, VkFormat format)
{
    const char *extensions[2] = {VK_EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_EXTENSION_NAME};
    VkPhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT,
        .attachmentFeedbackLoopLayout = VK_TRUE};
    const VkDynamicState *states = NULL;
#ifdef VK_EXT_attachment_feedback_loop_dynamic_state
    static const VkDynamicState state = VK_DYNAMIC_STATE_ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT;
    VkPhysicalDeviceAttachmentFeedbackLoopDynamicStateFeaturesEXT dynamic = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE_FEATURES_EXT,
        .attachmentFeedbackLoopDynamicState = VK_TRUE};
    if (l->is_dynamic) {
        extensions[1] = VK_EXT_ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE_EXTENSION_NAME;
        features.pNext = &dynamic;
        states = &state;
    }
#endif
    l->t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, l->is_dynamic ? 2 : 1, &features);
    struct vkt *t = &l->t;
    l->image = vkt_image_create(t, &(struct vkt_image_info){.format = format,
                                                            .width = SIDE,
                                                            .height = SIDE,
                                                            .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                     VK_IMAGE_USAGE_SAMPLED_BIT |
                                                                     VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT |
                                                                     VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    l->pass = pass_create(t, format);
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = l->pass,
                                                          .attachmentCount = 1,
                                                          .pAttachments = &l->image.view,
                                                          .width = SIDE,
                                                          .height = SIDE,
                                                          .layers = 1},
                               NULL, &l->framebuffer));
    const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    l->layout = vkt_set_layout_create(t, &binding, 1);
    l->set = vkt_set_alloc(t, l->layout);
    l->pipeline = vkt_pipeline_create(
        t, &(struct vkt_pipeline_info){
               .vs = VKT_SHADER(full_vert),
               .fs = VKT_SHADER(feedback_frag),
               .pass = l->pass,
               .flags = l->is_dynamic ? 0u : VK_PIPELINE_CREATE_COLOR_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT,
               .dynamic = states,
               .dynamic_count = l->is_dynamic ? 1 : 0,
               .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
               .width = SIDE,
               .height = SIDE,
               .set_layouts = {l->layout},
               .set_layout_count = 1});
}

static void loop_destroy(struct loop *l)
{
    struct vkt *t = &l->t;
    vkt_pipeline_destroy(t, &l->pipeline);
    vkDestroyDescriptorSetLayout(t->device, l->layout, NULL);
    vkDestroyFramebuffer(t->device, l->framebuffer, NULL);
    vkDestroyRenderPass(t->device, l->pass, NULL);
    vkt_image_destroy(t, &l->image);
    vkt_device_close(t);
}

static void record_draws(const struct loop *l, VkCommandBuffer cmd)
{
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                          .dstAccessMask = VK_ACCESS_SHADER_READ_BIT,
                                          .oldLayout = LOOP,
                                          .newLayout = LOOP,
                                          .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .image = l->image.image,
                                          .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, l->pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, l->pipeline.layout, 0, 1, &l->set, 0, NULL);
#ifdef VK_EXT_attachment_feedback_loop_dynamic_state
    PFN_vkCmdSetAttachmentFeedbackLoopEnableEXT enable =
        (PFN_vkCmdSetAttachmentFeedbackLoopEnableEXT)vkGetDeviceProcAddr(l->t.device,
                                                                         "vkCmdSetAttachmentFeedbackLoopEnableEXT");
    if (l->is_dynamic)
        enable(cmd, VK_IMAGE_ASPECT_COLOR_BIT);
#endif
    for (uint32_t i = 0; i < DRAWS; i++) {
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                             VK_DEPENDENCY_BY_REGION_BIT | VK_DEPENDENCY_FEEDBACK_LOOP_BIT_EXT, 0, NULL, 0, NULL, 1,
                             &barrier);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
}

static void check(VkFormat format, bool in_secondary, bool is_dynamic)
{
    static const float clear[4] = {0.125f, 0.5f, 0.75f, 1};
    static float floats[SIDE * SIDE * 4];
    static uint8_t bytes[SIDE * SIDE * 4];
    const bool is_float = format == VK_FORMAT_R32G32B32A32_SFLOAT;
    struct loop l = {.is_dynamic = is_dynamic};
    loop_create(&l, format);
    VkSampler sampler = vkt_sampler_create(&l.t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                           VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    vkUpdateDescriptorSets(l.t.device, 1,
                           &(VkWriteDescriptorSet){
                               .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                               .dstSet = l.set,
                               .descriptorCount = 1,
                               .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                               .pImageInfo = &(VkDescriptorImageInfo){sampler, l.image.view, LOOP},
                           },
                           0, NULL);
    VkClearValue value = {0};
    memcpy(value.color.float32, clear, sizeof clear);
    VkCommandBuffer cmd = vkt_begin(&l.t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = l.pass,
                                                  .framebuffer = l.framebuffer,
                                                  .renderArea = {{0, 0}, {SIDE, SIDE}},
                                                  .clearValueCount = 1,
                                                  .pClearValues = &value},
                         in_secondary ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE);
    if (in_secondary) {
        VkCommandBuffer secondary = vkt_begin_secondary(&l.t, l.pass, 0);
        record_draws(&l, secondary);
        vkt_ok(vkEndCommandBuffer(secondary));
        vkCmdExecuteCommands(cmd, 1, &secondary);
    } else {
        record_draws(&l, cmd);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&l.t, cmd);
    if (is_float)
        vkt_read_image(&l.t, &l.image, 0, 0, floats, sizeof floats);
    else
        vkt_read_image(&l.t, &l.image, 0, 0, bytes, sizeof bytes);
    float want[4];
    memcpy(want, clear, sizeof want);
    for (uint32_t i = 0; i < DRAWS; i++) {
        const float next[4] = {want[2], want[0] + 0.25f, want[1], want[3]};
        for (uint32_t c = 0; c < 4; c++)
            want[c] = is_float || next[c] < 1 ? next[c] : 1;
    }
    for (uint32_t i = 0; i < SIDE * SIDE * 4; i++) {
        const float got = is_float ? floats[i] : (float)bytes[i] / 255;
        if (!(got > want[i % 4] - 0.02f && got < want[i % 4] + 0.02f))
            fail_msg("format %d, pixel %u, channel %u: %g instead of %g", format, i / 4, i % 4, (double)got,
                     (double)want[i % 4]);
    }
    vkDestroySampler(l.t.device, sampler, NULL);
    loop_destroy(&l);
}

static void draws_see_earlier_ones(void **state)
{
    check(VK_FORMAT_R8G8B8A8_UNORM, false, false);
    check(VK_FORMAT_R32G32B32A32_SFLOAT, false, false);
}

static void draws_of_secondaries_see_earlier_ones(void **state)
{
    check(VK_FORMAT_R8G8B8A8_UNORM, true, false);
    check(VK_FORMAT_R32G32B32A32_SFLOAT, true, false);
}

#ifdef VK_EXT_attachment_feedback_loop_dynamic_state
static void commands_allow_loops(void **state)
{
    check(VK_FORMAT_R8G8B8A8_UNORM, false, true);
    check(VK_FORMAT_R32G32B32A32_SFLOAT, true, true);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(draws_see_earlier_ones, vkt_check_messages),
        cmocka_unit_test_teardown(draws_of_secondaries_see_earlier_ones, vkt_check_messages),
#ifdef VK_EXT_attachment_feedback_loop_dynamic_state
        cmocka_unit_test_teardown(commands_allow_loops, vkt_check_messages),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
