/* SPDX-License-Identifier: MIT
 *
 * Multiview: each draw is drawn once for each view, into the view's own layer of every attachment, with either way of
 * creating the pass and the framebuffer. Also tests what queries count, and what vertex shaders store.
 */
#include <string.h>
#include "vkt.h"
#include "full.vert.h"
#include "multiview.frag.h"
#include "multiview.vert.h"
#include "multiview_read.frag.h"
#include "multiview_store.vert.h"

enum { W = 64, H = 64, LAYERS = 3, VIEWS = 0x5 };

/* How the pass and framebuffer are created. */
enum how { OLD_STRUCTS, NEW_STRUCTS_IMAGELESS };

struct scene {
    struct vkt_image drawn, read; /* drawn by the first subpass; drawn by the second, which reads `drawn` */
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet set;
    struct vkt_pipeline draw, reread;
};

/* Subpass 1 reads the first attachment and stores it at its end. */
#define READ_AND_STORE_STAGES (VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT)
#define READ_AND_STORE_ACCESS (VK_ACCESS_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT)

#define ENTRY(t, name) ((PFN_##name)vkGetDeviceProcAddr((t)->device, #name))

static VkRenderPass pass_create(struct vkt *t)
{
    const VkAttachmentDescription description = {
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .initialLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
    };
    const VkAttachmentReference drawn = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                input = {0, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
                                read = {1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpasses[] = {
        {.colorAttachmentCount = 1, .pColorAttachments = &drawn},
        {.colorAttachmentCount = 1, .pColorAttachments = &read, .inputAttachmentCount = 1, .pInputAttachments = &input},
    };
    const VkSubpassDependency dependency = {0,
                                            1,
                                            VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                            READ_AND_STORE_STAGES,
                                            VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                            READ_AND_STORE_ACCESS,
                                            VK_DEPENDENCY_BY_REGION_BIT | VK_DEPENDENCY_VIEW_LOCAL_BIT};
    const VkRenderPassMultiviewCreateInfo multiview = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
        .subpassCount = 2,
        .pViewMasks = (uint32_t[]){VIEWS, VIEWS},
    };
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .pNext = &multiview,
                                  .attachmentCount = 2,
                                  .pAttachments = (VkAttachmentDescription[]){description, description},
                                  .subpassCount = 2,
                                  .pSubpasses = subpasses,
                                  .dependencyCount = 1,
                                  .pDependencies = &dependency,
                              },
                              NULL, &pass));
    return pass;
}

static VkAttachmentReference2 reference2(uint32_t attachment, VkImageLayout layout)
{
    return (VkAttachmentReference2){.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
                                    .attachment = attachment,
                                    .layout = layout,
                                    .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
}

static VkRenderPass pass2_create(struct vkt *t)
{
    const VkAttachmentDescription2 description = {
        .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .initialLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
    };
    const VkAttachmentReference2 drawn = reference2(0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL),
                                 input = reference2(0, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL),
                                 read = reference2(1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    const VkSubpassDescription2 subpasses[] = {
        {.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
         .viewMask = VIEWS,
         .colorAttachmentCount = 1,
         .pColorAttachments = &drawn},
        {.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
         .viewMask = VIEWS,
         .colorAttachmentCount = 1,
         .pColorAttachments = &read,
         .inputAttachmentCount = 1,
         .pInputAttachments = &input},
    };
    const VkSubpassDependency2 dependency = {
        .sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
        .srcSubpass = 0,
        .dstSubpass = 1,
        .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
        .dstStageMask = READ_AND_STORE_STAGES,
        .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .dstAccessMask = READ_AND_STORE_ACCESS,
        .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT | VK_DEPENDENCY_VIEW_LOCAL_BIT,
    };
    VkRenderPass pass;
    vkt_ok(ENTRY(t, vkCreateRenderPass2KHR)(t->device,
                                            &(VkRenderPassCreateInfo2){
                                                .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
                                                .attachmentCount = 2,
                                                .pAttachments = (VkAttachmentDescription2[]){description, description},
                                                .subpassCount = 2,
                                                .pSubpasses = subpasses,
                                                .dependencyCount = 1,
                                                .pDependencies = &dependency,
                                            },
                                            NULL, &pass));
    return pass;
}

static const VkImageUsageFlags drawn_usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
                                             VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
static const VkImageUsageFlags read_usage =
    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

static VkFramebuffer framebuffer_create(struct vkt *t, const struct scene *s, enum how how)
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkFramebufferAttachmentImageInfo image = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO,
        .usage = drawn_usage,
        .width = W,
        .height = H,
        .layerCount = LAYERS,
        .viewFormatCount = 1,
        .pViewFormats = &format,
    };
    VkFramebufferAttachmentImageInfo images[] = {image, image};
    images[1].usage = read_usage;
    const VkFramebufferAttachmentsCreateInfo attachments = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO,
        .attachmentImageInfoCount = 2,
        .pAttachmentImageInfos = images,
    };
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(
        t->device,
        &(VkFramebufferCreateInfo){
            .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
            .pNext = how == NEW_STRUCTS_IMAGELESS ? &attachments : NULL,
            .flags = how == NEW_STRUCTS_IMAGELESS ? VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT : 0,
            .renderPass = s->pass,
            .attachmentCount = 2,
            .pAttachments = how == NEW_STRUCTS_IMAGELESS ? NULL : (VkImageView[]){s->drawn.view, s->read.view},
            .width = W,
            .height = H,
            .layers = 1,
        },
        NULL, &framebuffer));
    return framebuffer;
}

static struct scene scene_create(struct vkt *t, enum how how)
{
    struct scene s;
    struct vkt_image_info info = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                  .width = W,
                                  .height = H,
                                  .layers = LAYERS,
                                  .array = true,
                                  .usage = drawn_usage};
    const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    s.drawn = vkt_image_create(t, &info);
    info.usage = read_usage;
    s.read = vkt_image_create(t, &info);
    s.pass = how == OLD_STRUCTS ? pass_create(t) : pass2_create(t);
    s.framebuffer = framebuffer_create(t, &s, how);
    s.set_layout = vkt_set_layout_create(t, &binding, 1);
    s.set = vkt_set_alloc(t, s.set_layout);
    vkUpdateDescriptorSets(t->device, 1,
                           &(VkWriteDescriptorSet){
                               .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                               .dstSet = s.set,
                               .descriptorCount = 1,
                               .descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                               .pImageInfo = &(VkDescriptorImageInfo){VK_NULL_HANDLE, s.drawn.view,
                                                                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
                           },
                           0, NULL);
    struct vkt_pipeline_info pipeline = {.vs = VKT_SHADER(multiview_vert),
                                         .fs = VKT_SHADER(multiview_frag),
                                         .pass = s.pass,
                                         .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                         .width = W,
                                         .height = H};
    s.draw = vkt_pipeline_create(t, &pipeline);
    pipeline.vs = VKT_SHADER(full_vert);
    pipeline.fs = VKT_SHADER(multiview_read_frag);
    pipeline.subpass = 1;
    pipeline.set_layouts[0] = s.set_layout;
    pipeline.set_layout_count = 1;
    s.reread = vkt_pipeline_create(t, &pipeline);
    return s;
}

static void scene_destroy(struct vkt *t, struct scene *s)
{
    vkt_pipeline_destroy(t, &s->draw);
    vkt_pipeline_destroy(t, &s->reread);
    vkDestroyDescriptorSetLayout(t->device, s->set_layout, NULL);
    vkDestroyFramebuffer(t->device, s->framebuffer, NULL);
    vkDestroyRenderPass(t->device, s->pass, NULL);
    vkt_image_destroy(t, &s->drawn);
    vkt_image_destroy(t, &s->read);
}

static void clear_all_layers(VkCommandBuffer cmd, const struct vkt_image *image)
{
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(cmd, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         &(VkClearColorValue){.float32 = {1, 1, 1, 1}}, 1,
                         &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, LAYERS});
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

/* Records both subpasses, the first inside a query unless `queries` is NULL. */
static void record(struct vkt *t, VkCommandBuffer cmd, const struct scene *s, enum how how, VkQueryPool queries)
{
    const VkClearValue clears[] = {{.color = {.float32 = {0, 0, 1, 1}}}, {.color = {.float32 = {0, 0, 0, 0}}}};
    const VkRenderPassAttachmentBeginInfo attachments = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO,
        .attachmentCount = 2,
        .pAttachments = (VkImageView[]){s->drawn.view, s->read.view},
    };
    const VkRenderPassBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .pNext = how == NEW_STRUCTS_IMAGELESS ? &attachments : NULL,
        .renderPass = s->pass,
        .framebuffer = s->framebuffer,
        .renderArea = {{0, 0}, {W, H}},
        .clearValueCount = 2,
        .pClearValues = clears,
    };
    const VkSubpassBeginInfo subpass = {.sType = VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO};
    const VkSubpassEndInfo end = {.sType = VK_STRUCTURE_TYPE_SUBPASS_END_INFO};
    if (how == OLD_STRUCTS)
        vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    else
        ENTRY(t, vkCmdBeginRenderPass2KHR)(cmd, &begin, &subpass);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->draw.pipeline);
    if (queries)
        vkCmdBeginQuery(cmd, queries, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    if (queries)
        vkCmdEndQuery(cmd, queries, 0);
    if (how == OLD_STRUCTS)
        vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    else
        ENTRY(t, vkCmdNextSubpass2KHR)(cmd, &subpass, &end);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->reread.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->reread.layout, 0, 1, &s->set, 0, NULL);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    if (how == OLD_STRUCTS)
        vkCmdEndRenderPass(cmd);
    else
        ENTRY(t, vkCmdEndRenderPass2KHR)(cmd, &end);
}

static void expect_layer(struct vkt *t, const struct vkt_image *image, uint32_t layer, bool is_reread)
{
    static uint8_t got[W * H * 4];
    vkt_read_image(t, image, 0, layer, got, sizeof got);
    for (uint32_t i = 0; i < W * H; i++) {
        const bool is_drawn = (i % W < W / 2) == (layer == 0);
        uint8_t expected[4] = {255, 255, 255, 255}; /* layers without a view are unchanged */
        if (VIEWS >> layer & 1) {
            expected[0] = is_drawn ? (uint8_t)(layer * 255 / 4) : 0;
            expected[1] = is_drawn ? 255 : 0;
            expected[2] = is_drawn ? 0 : 255;
        }
        if (is_reread) {
            const uint8_t red = expected[0];
            expected[0] = expected[2];
            expected[2] = red;
        }
        for (unsigned k = 0; k < 4; k++)
            if (got[4 * i + k] + 1 < expected[k] || got[4 * i + k] > expected[k] + 1)
                fail_msg("%s, layer %u, pixel (%u, %u), channel %u: %u instead of %u", is_reread ? "read" : "drawn",
                         layer, i % W, i / W, k, got[4 * i + k], expected[k]);
    }
}

static void views_have_layers(enum how how)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s = scene_create(t, how);
    VkCommandBuffer cmd = vkt_begin(t);
    clear_all_layers(cmd, &s.drawn);
    clear_all_layers(cmd, &s.read);
    record(t, cmd, &s, how, VK_NULL_HANDLE);
    vkt_end_submit(t, cmd);
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        expect_layer(t, &s.drawn, layer, false);
        expect_layer(t, &s.read, layer, true);
    }
    scene_destroy(t, &s);
}

static void views_of_old_structs(void **state)
{
    views_have_layers(OLD_STRUCTS);
}

static void views_of_new_structs(void **state)
{
    views_have_layers(NEW_STRUCTS_IMAGELESS);
}

/* A query uses one query slot per view; their sum is what all views count. */
static void queries_count_all_views(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s = scene_create(t, OLD_STRUCTS);
    VkQueryPool pool;
    uint64_t results[2] = {7, 7};
    vkt_ok(vkCreateQueryPool(t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = 2},
                             NULL, &pool));
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdResetQueryPool(cmd, pool, 0, 2);
    clear_all_layers(cmd, &s.drawn);
    clear_all_layers(cmd, &s.read);
    record(t, cmd, &s, OLD_STRUCTS, pool);
    vkt_end_submit(t, cmd);
    vkt_ok(vkGetQueryPoolResults(t->device, pool, 0, 2, sizeof results, results, sizeof results[0],
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    assert_int_equal(results[0] + results[1], W / 2 * H * 2);
    vkDestroyQueryPool(t->device, pool, NULL);
    scene_destroy(t, &s);
}

/* ---------------------------------------------------------------- stores of vertices */

static VkRenderPass empty_pass_create(struct vkt *t)
{
    const VkSubpassDescription subpass = {0};
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .pNext = &(VkRenderPassMultiviewCreateInfo){
                                      .sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
                                      .subpassCount = 1,
                                      .pViewMasks = &(uint32_t){VIEWS},
                                  },
                                  .subpassCount = 1,
                                  .pSubpasses = &subpass,
                              },
                              NULL, &pass));
    return pass;
}

/* The vertex shader runs for each view. */
static void vertices_store_in_all_views(void **state)
{
    enum { VERTICES = 5 };
    struct vkt *t = vkt_device(VKT_TESTED);
    const VkDescriptorType storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    VkRenderPass pass = empty_pass_create(t);
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = pass,
                                                          .width = W,
                                                          .height = H,
                                                          .layers = 1},
                               NULL, &framebuffer));
    struct vkt_buffer counts = vkt_storage_buffer(t, LAYERS, 0);
    VkDescriptorSetLayout layout =
        vkt_set_layout_create(t, &(struct vkt_binding){storage, VK_SHADER_STAGE_VERTEX_BIT, 1}, 1);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_buffer(t, set, 0, storage, counts.buffer, 0, VK_WHOLE_SIZE);
    struct vkt_pipeline p =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(multiview_store_vert),
                                                           .pass = pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                           .rasterizer_discard = true,
                                                           .no_color = true,
                                                           .set_layouts = {layout},
                                                           .set_layout_count = 1,
                                                           .width = W,
                                                           .height = H});
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = pass,
                                                  .framebuffer = framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}}},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, VERTICES, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < LAYERS; i++)
        assert_int_equal(((const uint32_t *)counts.map)[i], VIEWS >> i & 1 ? VERTICES * (VERTICES + 1) / 2 : 0);
    vkt_pipeline_destroy(t, &p);
    vkt_buffer_destroy(t, &counts);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkDestroyFramebuffer(t->device, framebuffer, NULL);
    vkDestroyRenderPass(t->device, pass, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(views_of_old_structs, vkt_check_messages),
        cmocka_unit_test_teardown(views_of_new_structs, vkt_check_messages),
        cmocka_unit_test_teardown(queries_count_all_views, vkt_check_messages),
        cmocka_unit_test_teardown(vertices_store_in_all_views, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
