/* SPDX-License-Identifier: MIT
 *
 * Recording: secondary command buffers, partial render areas, subpasses, indirect draws, restarted strips, dynamic
 * state, points and lines, passes of many jobs, blits and image copies, events. Results are compared with the reference
 * driver's. Every edge lies between pixels, so that the images are equal.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "color.vert.h"
#include "instance.vert.h"
#include "points.vert.h"
#include "push.frag.h"
#include "push.vert.h"

#define W 160
#define H 96

static const struct vkt_tolerance exact = {1, 0};

/* ---------------------------------------------------------------- rectangles */

struct rect_draw {
    float color[4], rect[4], depth;
};

static struct vkt_pipeline_info rect_pipeline(const struct vkt_target *target)
{
    return (struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                      .fs = VKT_SHADER(push_frag),
                                      .pass = target->pass,
                                      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                      .width = target->width,
                                      .height = target->height,
                                      .push_size_B = 36};
}

/* Pixels [x0, x1) x [y0, y1) of a W x H target. */
static struct rect_draw px_rect(uint32_t rgb, int x0, int y0, int x1, int y1, float depth)
{
    return (struct rect_draw){
        {(float)(rgb >> 16 & 255) / 255, (float)(rgb >> 8 & 255) / 255, (float)(rgb & 255) / 255, 1},
        {(float)x0 * 2 / W - 1, (float)y0 * 2 / H - 1, (float)x1 * 2 / W - 1, (float)y1 * 2 / H - 1},
        depth};
}

static void push_rect(VkCommandBuffer cmd, const struct vkt_pipeline *p, struct rect_draw d)
{
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 36, &d);
}

static void draw_rect(VkCommandBuffer cmd, const struct vkt_pipeline *p, struct rect_draw d)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    push_rect(cmd, p, d);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

static struct vkt_target target_with_depth(struct vkt *t)
{
    return vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT);
}

/* ---------------------------------------------------------------- secondaries */

/* Executes two secondaries, one of them twice; the other one clears between its draws. */
static void secondary_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = target_with_depth(t);
    struct vkt_pipeline_info info = rect_pipeline(&target);
    info.depth_test = info.depth_write = true;
    info.depth_compare = VK_COMPARE_OP_LESS;
    struct vkt_pipeline p = vkt_pipeline_create(t, &info);
    VkCommandBuffer first = vkt_begin_secondary(t, target.pass, 0), second = vkt_begin_secondary(t, target.pass, 0);
    draw_rect(first, &p, px_rect(0xff0000, 10, 10, 80, 60, 0.5f));
    draw_rect(first, &p, px_rect(0x00ff00, 40, 30, 120, 80, 0.7f));
    vkt_ok(vkEndCommandBuffer(first));
    draw_rect(second, &p, px_rect(0x0000ff, 0, 0, 160, 40, 0.6f));
    const VkClearAttachment clear = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil = {1, 0}}};
    vkCmdClearAttachments(second, 1, &clear, 1, &(VkClearRect){{{0, 0}, {60, 96}}, 0, 1});
    draw_rect(second, &p, px_rect(0xffff00, 20, 20, 140, 34, 0.9f));
    vkt_ok(vkEndCommandBuffer(second));

    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBeginRenderPass(
        cmd,
        &(VkRenderPassBeginInfo){
            .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
            .renderPass = target.pass,
            .framebuffer = target.framebuffer,
            .renderArea = {{0, 0}, {W, H}},
            .clearValueCount = 2,
            .pClearValues = (VkClearValue[]){{.color.float32 = {0.2f, 0.2f, 0.2f, 1}}, {.depthStencil = {1, 0}}},
        },
        VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(cmd, 2, (VkCommandBuffer[]){first, second});
    vkCmdExecuteCommands(cmd, 1, &first);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkFreeCommandBuffers(t->device, t->pool, 2, (VkCommandBuffer[]){first, second});
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void secondaries_draw(void **state)
{
    vkt_compare_with_reference("secondaries", secondary_scene, exact);
}

/* ---------------------------------------------------------------- render areas */

/* A pass over part of the target leaves the rest unchanged, also where the area ends inside a tile. */
static void area_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = target_with_depth(t);
    struct vkt_pipeline_info info = rect_pipeline(&target);
    info.depth_test = info.depth_write = true;
    info.depth_compare = VK_COMPARE_OP_LESS;
    struct vkt_pipeline p = vkt_pipeline_create(t, &info);
    static const VkRect2D areas[] = {
        {{0, 0}, {W, H}}, {{64, 0}, {96, 64}}, {{10, 20}, {70, 50}}, {{100, 70}, {60, 26}}};
    static const float colors[][4] = {{0.2f, 0.2f, 0.2f, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}};
    VkCommandBuffer cmd = vkt_begin(t);
    for (uint32_t i = 0; i < VKT_COUNT(areas); i++) {
        VkClearValue clears[2] = {{.depthStencil = {0}}, {.depthStencil = {0.9f - 0.1f * (float)i, 0}}};
        memcpy(clears[0].color.float32, colors[i], sizeof colors[i]);
        vkCmdBeginRenderPass(cmd,
                             &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                      .renderPass = target.pass,
                                                      .framebuffer = target.framebuffer,
                                                      .renderArea = areas[i],
                                                      .clearValueCount = 2,
                                                      .pClearValues = clears},
                             VK_SUBPASS_CONTENTS_INLINE);
        vkCmdEndRenderPass(cmd);
    }
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = target.pass_load,
                                                  .framebuffer = target.framebuffer,
                                                  .renderArea = areas[0]},
                         VK_SUBPASS_CONTENTS_INLINE);
    draw_rect(cmd, &p, px_rect(0xffff00, 0, 30, 160, 34, 0.75f)); /* shows the depth of each area */
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void areas_are_kept_to(void **state)
{
    vkt_compare_with_reference("render_areas", area_scene, exact);
}

/* ---------------------------------------------------------------- subpasses */

/* Two subpasses use the same attachments; a third uses another color attachment and the same depth. */
static void subpass_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = target_with_depth(t);
    struct vkt_image other = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = W,
                                    .height = H,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    VkAttachmentDescription attachments[3];
    for (int i = 0; i < 3; i++)
        attachments[i] = (VkAttachmentDescription){
            .format = i == 1 ? VK_FORMAT_D24_UNORM_S8_UINT : VK_FORMAT_R8G8B8A8_UNORM,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .storeOp = i == 1 ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .finalLayout =
                i == 1 ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        };
    const VkAttachmentReference colors[] = {{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                            {2, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}};
    const VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpasses[3];
    VkSubpassDependency dependencies[2];
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                        VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                        VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
    const VkAccessFlags access = VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT |
                                 VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
                                 VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    for (uint32_t i = 0; i < 3; i++) {
        subpasses[i] = (VkSubpassDescription){
            .colorAttachmentCount = 1, .pColorAttachments = &colors[i == 2], .pDepthStencilAttachment = &depth};
        if (i < 2)
            dependencies[i] =
                (VkSubpassDependency){i, i + 1, stages, stages, access, access, VK_DEPENDENCY_BY_REGION_BIT};
    }
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                        .attachmentCount = 3,
                                                        .pAttachments = attachments,
                                                        .subpassCount = 3,
                                                        .pSubpasses = subpasses,
                                                        .dependencyCount = 2,
                                                        .pDependencies = dependencies},
                              NULL, &pass));
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(
        t->device,
        &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = pass,
                                   .attachmentCount = 3,
                                   .pAttachments = (VkImageView[]){target.color.view, target.depth.view, other.view},
                                   .width = W,
                                   .height = H,
                                   .layers = 1},
        NULL, &framebuffer));
    struct vkt_pipeline p[3];
    for (uint32_t i = 0; i < 3; i++) {
        struct vkt_pipeline_info info = rect_pipeline(&target);
        info.pass = pass;
        info.subpass = i;
        info.depth_test = info.depth_write = true;
        info.depth_compare = VK_COMPARE_OP_LESS;
        p[i] = vkt_pipeline_create(t, &info);
    }
    VkCommandBuffer cmd = vkt_begin(t);
    const VkClearValue clears[] = {
        {.color.float32 = {0, 0, 0.5f, 1}}, {.depthStencil = {1, 0}}, {.color.float32 = {0.5f, 0, 0, 1}}};
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = pass,
                                                  .framebuffer = framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}},
                                                  .clearValueCount = 3,
                                                  .pClearValues = clears},
                         VK_SUBPASS_CONTENTS_INLINE);
    draw_rect(cmd, &p[0], px_rect(0xff0000, 10, 10, 80, 60, 0.5f));
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    draw_rect(cmd, &p[1], px_rect(0x00ff00, 40, 30, 120, 80, 0.7f));
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    draw_rect(cmd, &p[2], px_rect(0xffff00, 0, 20, 160, 70, 0.6f)); /* behind the red, before the green */
    vkCmdEndRenderPass(cmd);
    /* The result shows both color attachments: its right half comes from the other one. */
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL,
                         0, NULL, 2,
                         (VkImageMemoryBarrier[]){{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                                   .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                                   .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
                                                   .oldLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                                   .newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                                   .image = other.image,
                                                   .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}},
                                                  {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                                   .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                                   .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
                                                   .oldLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                                   .newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                                   .image = target.color.image,
                                                   .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}}});
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    uint32_t *second = malloc(W * H * 4);
    assert_non_null(second);
    vkt_read_image(t, &other, 0, 0, second, W * H * 4);
    for (uint32_t y = 0; y < H; y++)
        memcpy(out->rgba + (y * W + W / 2) * 4, second + y * W + W / 2, W / 2 * 4);
    free(second);
    for (uint32_t i = 0; i < 3; i++)
        vkt_pipeline_destroy(t, &p[i]);
    vkDestroyFramebuffer(t->device, framebuffer, NULL);
    vkDestroyRenderPass(t->device, pass, NULL);
    vkt_image_destroy(t, &other);
    vkt_target_destroy(t, &target);
}

static void subpasses_follow(void **state)
{
    vkt_compare_with_reference("subpasses", subpass_scene, exact);
}

/* ---------------------------------------------------------------- attachments of different size */

/* The depth attachment is far larger than the color attachment and the framebuffer. A second pass reads the first's
 * depth. */
static void sizes_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = target_with_depth(t);
    struct vkt_image large =
        vkt_image_create(t, &(struct vkt_image_info){.format = VK_FORMAT_D24_UNORM_S8_UINT,
                                                     .width = 2 * W,
                                                     .height = 2 * H,
                                                     .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                                              VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    VkFramebuffer framebuffer;
    vkt_ok(
        vkCreateFramebuffer(t->device,
                            &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                       .renderPass = target.pass,
                                                       .attachmentCount = 2,
                                                       .pAttachments = (VkImageView[]){target.color.view, large.view},
                                                       .width = W - 10,
                                                       .height = H - 6,
                                                       .layers = 1},
                            NULL, &framebuffer));
    struct vkt_pipeline_info info = rect_pipeline(&target);
    info.depth_test = info.depth_write = true;
    info.depth_compare = VK_COMPARE_OP_LESS;
    struct vkt_pipeline p = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0.5f, 1}, 1, 0); /* clears all of the color, using the target's own
                                                                   * depth */
    vkCmdEndRenderPass(cmd);
    for (int i = 0; i < 2; i++) {
        const VkClearValue clears[] = {{.color.float32 = {0.2f, 0.2f, 0.2f, 1}}, {.depthStencil = {0.9f, 0}}};
        vkCmdBeginRenderPass(cmd,
                             &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                      .renderPass = i ? target.pass_load : target.pass,
                                                      .framebuffer = framebuffer,
                                                      .renderArea = {{0, 0}, {W - 10, H - 6}},
                                                      .clearValueCount = i ? 0 : 2,
                                                      .pClearValues = clears},
                             VK_SUBPASS_CONTENTS_INLINE);
        if (!i)
            draw_rect(cmd, &p, px_rect(0xff0000, 10, 10, 80, 60, 0.5f));
        else
            draw_rect(cmd, &p, px_rect(0x00ff00, 40, 30, 120, 80, 0.7f));
        vkCmdEndRenderPass(cmd);
    }
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &p);
    vkDestroyFramebuffer(t->device, framebuffer, NULL);
    vkt_image_destroy(t, &large);
    vkt_target_destroy(t, &target);
}

static void attachments_of_different_size(void **state)
{
    vkt_compare_with_reference("attachment_sizes", sizes_scene, exact);
}

/* ---------------------------------------------------------------- many jobs */

/* More draws than one job holds: each column is drawn about 130 times, and the last color wins. */
static void many_draws_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = target_with_depth(t);
    struct vkt_pipeline_info info = rect_pipeline(&target);
    struct vkt_pipeline p = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.2f, 0.2f, 0.2f, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    for (uint32_t i = 0; i < 20000; i++) {
        int x = (int)(i % W);
        push_rect(cmd, &p, px_rect(i * 2654435761u >> 8, x, x % 5, x + 1, 90 - x % 7, 0));
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void many_draws_split(void **state)
{
    vkt_compare_with_reference("many_draws", many_draws_scene, exact);
}

/* ---------------------------------------------------------------- draws */

struct vertex {
    float position[4];
    uint8_t color[4];
};

static const VkVertexInputBindingDescription vertex_binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription vertex_attributes[] = {
    {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
    {1, 0, VK_FORMAT_R8G8B8A8_UNORM, 16},
};

/* The vertices of a row of squares: vertex 2 i is at the top, 2 i + 1 below it. */
static void fill_vertices(struct vertex *v, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        v[i] = (struct vertex){.position = {(float)(i / 2 * 8 + 8) * 2 / W - 1, i % 2 ? 0.5f : -0.5f, 0, 1}};
        memcpy(v[i].color, (uint8_t[]){255, 0, 255, 255}, 4);
    }
}

struct color_draw {
    VkPrimitiveTopology topology;
    bool restart;
    void (*record)(struct vkt *t, VkCommandBuffer cmd, VkBuffer indices, VkBuffer indirect);
};

static const struct color_draw *color_draw;

static void color_scene(struct vkt *t, struct vkt_picture *out)
{
    static const uint16_t indices[] = {0, 1, 2, 3, 0xffff, 6, 7, 8, 9, 10, 11, 0xffff, 14, 15, 16};
    static const uint32_t indirect[] = {6, 1, 8, 0, 0, /**/ 6, 1, 5, 2, 0};
    struct vertex v[40];
    fill_vertices(v, 40);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(color_vert),
                                                                               .fs = VKT_SHADER(color_frag),
                                                                               .pass = target.pass,
                                                                               .bindings = &vertex_binding,
                                                                               .binding_count = 1,
                                                                               .attributes = vertex_attributes,
                                                                               .attribute_count = 2,
                                                                               .topology = color_draw->topology,
                                                                               .primitive_restart = color_draw->restart,
                                                                               .width = W,
                                                                               .height = H});
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    struct vkt_buffer index_buffer = vkt_buffer_create(t, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    struct vkt_buffer indirect_buffer =
        vkt_buffer_create(t, sizeof indirect, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, indirect);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.2f, 0.2f, 0.2f, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    color_draw->record(t, cmd, index_buffer.buffer, indirect_buffer.buffer);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &vertices);
    vkt_buffer_destroy(t, &index_buffer);
    vkt_buffer_destroy(t, &indirect_buffer);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void record_restart(struct vkt *t, VkCommandBuffer cmd, VkBuffer indices, VkBuffer indirect)
{
    vkCmdBindIndexBuffer(cmd, indices, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(cmd, 15, 1, 0, 0, 0);
}

static void strips_restart(void **state)
{
    color_draw = &(struct color_draw){VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, true, record_restart};
    vkt_compare_with_reference("restart_triangles", color_scene, exact);
    color_draw = &(struct color_draw){VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, true, record_restart};
    vkt_compare_with_reference("restart_fans", color_scene, (struct vkt_tolerance){1, 10});
}

static void record_indirect(struct vkt *t, VkCommandBuffer cmd, VkBuffer indices, VkBuffer indirect)
{
    vkCmdDrawIndirect(cmd, indirect, 0, 1, 0);
    vkCmdBindIndexBuffer(cmd, indices, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexedIndirect(cmd, indirect, 20, 1, 0);
}

static void indirect_draws(void **state)
{
    color_draw = &(struct color_draw){VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, false, record_indirect};
    vkt_compare_with_reference("indirect", color_scene, exact);
}

static void record_offsets(struct vkt *t, VkCommandBuffer cmd, VkBuffer indices, VkBuffer indirect)
{
    vkCmdBindIndexBuffer(cmd, indices, 10, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(cmd, 6, 1, 0, -6, 0);
    vkCmdDrawIndexed(cmd, 3, 1, 7, 20, 0);
}

static void negative_vertex_offsets(void **state)
{
    color_draw = &(struct color_draw){VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, false, record_offsets};
    vkt_compare_with_reference("vertex_offsets", color_scene, (struct vkt_tolerance){1, 10});
}

/* ---------------------------------------------------------------- points and lines */

static VkPrimitiveTopology point_or_line_topology;

/* Points at pixel centers; lines through the centers of rows and columns. */
static void point_or_line_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vertex v[48];
    for (uint32_t i = 0; i < VKT_COUNT(v); i++) {
        bool points = point_or_line_topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST, across = i / 2 % 2;
        float x = points ? (float)(i * 3 + 5) + 0.5f : across ? (float)(i % 2 * 70 + 4) : (float)(i * 3 + 8) + 0.5f;
        float y = points ? (float)(i * 37 % 90) + 0.5f : across ? (float)(i + 6) + 0.5f : (float)(i % 2 * 80 + 9);
        v[i] = (struct vertex){.position = {x * 2 / W - 1, y * 2 / H - 1, 0, 1}};
        if (!points && !across && i % 2)
            v[i].position[0] = v[i - 1].position[0];
        if (!points && across && i % 2)
            v[i].position[1] = v[i - 1].position[1];
        memcpy(v[i].color, (uint8_t[]){255, (uint8_t)(i / 2 * 10), 0, 255}, 4);
    }
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(points_vert),
                                                                               .fs = VKT_SHADER(color_frag),
                                                                               .pass = target.pass,
                                                                               .bindings = &vertex_binding,
                                                                               .binding_count = 1,
                                                                               .attributes = vertex_attributes,
                                                                               .attribute_count = 2,
                                                                               .topology = point_or_line_topology,
                                                                               .width = W,
                                                                               .height = H});
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.2f, 0.2f, 0.2f, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, VKT_COUNT(v), 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &vertices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void points_and_lines(void **state)
{
    point_or_line_topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    vkt_compare_with_reference("points", point_or_line_scene, exact);
    point_or_line_topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    vkt_compare_with_reference("lines", point_or_line_scene, (struct vkt_tolerance){1, 3}); /* ends of lines */
}

/* ---------------------------------------------------------------- dynamic state */

static void dynamic_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = target_with_depth(t);
    static const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT,           VK_DYNAMIC_STATE_SCISSOR,
                                            VK_DYNAMIC_STATE_BLEND_CONSTANTS,    VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK,
                                            VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, VK_DYNAMIC_STATE_STENCIL_REFERENCE};
    struct vkt_pipeline_info info = rect_pipeline(&target);
    info.dynamic = states;
    info.dynamic_count = VKT_COUNT(states);
    info.stencil_test = true;
    info.stencil = (VkStencilOpState){.failOp = VK_STENCIL_OP_KEEP,
                                      .passOp = VK_STENCIL_OP_REPLACE,
                                      .depthFailOp = VK_STENCIL_OP_KEEP,
                                      .compareOp = VK_COMPARE_OP_GREATER_OR_EQUAL};
    info.blend = (VkPipelineColorBlendAttachmentState){true,
                                                       VK_BLEND_FACTOR_CONSTANT_COLOR,
                                                       VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR,
                                                       VK_BLEND_OP_ADD,
                                                       VK_BLEND_FACTOR_ONE,
                                                       VK_BLEND_FACTOR_ZERO,
                                                       VK_BLEND_OP_ADD,
                                                       0xf};
    struct vkt_pipeline p = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.2f, 0.2f, 0.2f, 1}, 1, 3);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    for (uint32_t i = 0; i < 12; i++) {
        VkViewport viewport = {(float)(i % 4 * 40), (float)(i / 4 * 32), 40, 32, 0, 1};
        VkRect2D scissor = {{(int32_t)(i % 4 * 40 + i), (int32_t)(i / 4 * 32 + 3)}, {24, 20 + i}};
        vkCmdSetViewport(cmd, 0, 1, &viewport);
        vkCmdSetScissor(cmd, 0, 1, &scissor);
        vkCmdSetBlendConstants(cmd, (float[]){(float)i / 12, 1 - (float)i / 12, 0.5f, 1});
        vkCmdSetStencilCompareMask(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, i % 3 ? 0xff : 0x02);
        vkCmdSetStencilWriteMask(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, i % 2 ? 0xff : 0x5a);
        vkCmdSetStencilReference(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, i);
        push_rect(cmd, &p, (struct rect_draw){{1, 1, 1, 1}, {-1, -1, 1, 1}, 0});
        vkCmdDraw(cmd, 4, 1, 0, 0);
        vkCmdSetStencilReference(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, 4); /* shows the stencil that the first draw
                                                                           * wrote */
        push_rect(cmd, &p, (struct rect_draw){{1, 0, 0, 1}, {-0.5f, -0.5f, 0.5f, 0.5f}, 0});
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void dynamic_state(void **state)
{
    vkt_compare_with_reference("dynamic", dynamic_scene, (struct vkt_tolerance){2, 0});
}

/* ---------------------------------------------------------------- instances */

static void instance_scene(struct vkt *t, struct vkt_picture *out)
{
    static const VkVertexInputBindingDescription bindings[] = {{0, 8, VK_VERTEX_INPUT_RATE_VERTEX},
                                                               {3, 300, VK_VERTEX_INPUT_RATE_INSTANCE}};
    static const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
                                                                   {1, 3, VK_FORMAT_R32G32_SFLOAT, 4}};
    static const float corners[] = {-1, -1, 1, -1, -1, 1, 1, 1};
    float offsets[8 * 75] = {0};
    for (int i = 0; i < 8; i++) {
        offsets[i * 75 + 1] = (float)(i % 4) * 0.5f - 0.75f;
        offsets[i * 75 + 2] = (float)(i / 4) * 0.9f - 0.45f;
    }
    struct vkt_target target = vkt_target_create(t, 104, 120, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(instance_vert),
                                                           .fs = VKT_SHADER(color_frag),
                                                           .pass = target.pass,
                                                           .bindings = bindings,
                                                           .binding_count = 2,
                                                           .attributes = attributes,
                                                           .attribute_count = 2,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = 104,
                                                           .height = 120});
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof corners, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners);
    struct vkt_buffer instances = vkt_buffer_create(t, sizeof offsets, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, offsets);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    vkCmdBindVertexBuffers(cmd, 3, 1, &instances.buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, 4, 6, 0, 2); /* without the first two */
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &vertices);
    vkt_buffer_destroy(t, &instances);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void instances_from_buffers(void **state)
{
    vkt_compare_with_reference("instance_buffers", instance_scene, exact);
}

#define INSTANCE_COUNT    8300u /* more than one job of the chip holds */
#define INSTANCES_PER_ROW 100u

/* An indirect draw of many small instances in a secondary. Each instance covers one pixel. */
static void many_instances_scene(struct vkt *t, struct vkt_picture *out)
{
    static const VkVertexInputBindingDescription bindings[] = {{0, 8, VK_VERTEX_INPUT_RATE_VERTEX},
                                                               {1, 8, VK_VERTEX_INPUT_RATE_INSTANCE}};
    static const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
                                                                   {1, 1, VK_FORMAT_R32G32_SFLOAT, 0}};
    static const float corners[] = {-0.05f, -0.05f, 0.05f, -0.05f, -0.05f, 0.05f, 0.05f, 0.05f};
    static const VkDrawIndirectCommand counts = {.vertexCount = 4, .instanceCount = INSTANCE_COUNT};
    static float offsets[INSTANCE_COUNT][2];
    for (uint32_t i = 0; i < INSTANCE_COUNT; i++) {
        offsets[i][0] = ((float)(i % INSTANCES_PER_ROW) + 2.5f) * 2 / 104 - 1;
        offsets[i][1] = ((float)(i / INSTANCES_PER_ROW) + 2.5f) * 2 / 104 - 1;
    }
    struct vkt_target target = vkt_target_create(t, 104, 104, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(instance_vert),
                                                           .fs = VKT_SHADER(color_frag),
                                                           .pass = target.pass,
                                                           .bindings = bindings,
                                                           .binding_count = 2,
                                                           .attributes = attributes,
                                                           .attribute_count = 2,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = 104,
                                                           .height = 104});
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof corners, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners);
    struct vkt_buffer instances = vkt_buffer_create(t, sizeof offsets, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, offsets);
    struct vkt_buffer indirect = vkt_buffer_create(t, sizeof counts, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, &counts);
    VkCommandBuffer draws = vkt_begin_secondary(t, target.pass, 0);
    vkCmdBindPipeline(draws, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindVertexBuffers(draws, 0, 2, (VkBuffer[]){vertices.buffer, instances.buffer}, (VkDeviceSize[]){0, 0});
    vkCmdDraw(draws, 4, 8, 0, 0);
    vkCmdDrawIndirect(draws, indirect.buffer, 0, 1, 0);
    vkCmdDraw(draws, 4, 8, 0, 0);
    vkt_ok(vkEndCommandBuffer(draws));
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){
                             .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                             .renderPass = target.pass,
                             .framebuffer = target.framebuffer,
                             .renderArea = {{0, 0}, {104, 104}},
                             .clearValueCount = 1,
                             .pClearValues = &(VkClearValue){.color = {.float32 = {0, 0, 0, 1}}},
                         },
                         VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(cmd, 1, &draws);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkFreeCommandBuffers(t->device, t->pool, 1, &draws);
    vkt_buffer_destroy(t, &vertices);
    vkt_buffer_destroy(t, &instances);
    vkt_buffer_destroy(t, &indirect);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void indirect_instances_are_all_drawn(void **state)
{
    vkt_compare_with_reference("indirect_instances", many_instances_scene, exact);
}

/* ---------------------------------------------------------------- blits and image copies */

static void blit_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_image from = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = 37,
                                    .height = 29,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    uint8_t texels[37 * 29 * 4];
    for (uint32_t i = 0; i < sizeof texels; i++)
        texels[i] = i % 4 == 3 ? 255 : (uint8_t)(i * 37 / 5 + i / 148 * 16);
    struct vkt_buffer staging = vkt_buffer_create(t, sizeof texels, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, texels);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_image to = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_B8G8R8A8_UNORM,
                                    .width = W,
                                    .height = H,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    VkCommandBuffer cmd = vkt_begin(t);
    VkImageMemoryBarrier barriers[2];
    for (int i = 0; i < 2; i++)
        barriers[i] = (VkImageMemoryBarrier){.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                             .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                             .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                             .image = i ? to.image : from.image,
                                             .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 2,
                         barriers);
    const VkMemoryBarrier again = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                   .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    vkCmdCopyBufferToImage(
        cmd, staging.buffer, from.image, VK_IMAGE_LAYOUT_GENERAL, 1,
        &(VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {37, 29, 1}});
    vkCmdClearColorImage(cmd, to.image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){.float32 = {0, 0.5f, 1, 1}}, 1,
                         &barriers[1].subresourceRange);
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &again, 0, NULL, 0,
                         NULL);
    const VkImageSubresourceLayers color = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageBlit nearest[] = {
        {color, {{0, 0, 0}, {37, 29, 1}}, color, {{2, 3, 0}, {76, 61, 1}}},   /* twice as large */
        {color, {{30, 4, 0}, {6, 20, 1}}, color, {{80, 8, 0}, {104, 24, 1}}}, /* mirrored */
    };
    vkCmdBlitImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 2, nearest,
                   VK_FILTER_NEAREST);
    const VkImageBlit linear = {color, {{2, 2, 0}, {34, 26, 1}}, color, {{110, 20, 0}, {158, 92, 1}}};
    vkCmdBlitImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &linear,
                   VK_FILTER_LINEAR);
    const VkImageCopy copy = {color, {5, 6, 0}, color, {10, 64, 0}, {30, 20, 1}};
    vkCmdCopyImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &again, 0, NULL, 1,
                         &(VkImageMemoryBarrier){.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                                 .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                                 .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
                                                 .oldLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                 .newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                                 .image = to.image,
                                                 .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}});
    vkt_end_submit(t, cmd);
    *out = (struct vkt_picture){W, H, malloc(W * H * 4)};
    assert_non_null(out->rgba);
    vkt_read_image(t, &to, 0, 0, out->rgba, W * H * 4);
    vkt_buffer_destroy(t, &staging);
    vkt_image_destroy(t, &from);
    vkt_image_destroy(t, &to);
    vkt_target_destroy(t, &target);
}

static void blits_and_copies(void **state)
{
    vkt_compare_with_reference("blits", blit_scene, (struct vkt_tolerance){2, 0});
}

/* The size of a texel, derived from the row pitch of a linear image. */
static uint32_t texel_size_B(struct vkt *t, VkFormat format)
{
    VkImage image;
    vkt_ok(vkCreateImage(t->device,
                         &(VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                              .imageType = VK_IMAGE_TYPE_2D,
                                              .format = format,
                                              .extent = {64, 1, 1},
                                              .mipLevels = 1,
                                              .arrayLayers = 1,
                                              .samples = VK_SAMPLE_COUNT_1_BIT,
                                              .tiling = VK_IMAGE_TILING_LINEAR,
                                              .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT},
                         NULL, &image));
    VkSubresourceLayout layout;
    vkGetImageSubresourceLayout(t->device, image, &(VkImageSubresource){VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, &layout);
    vkDestroyImage(t->device, image, NULL);
    return (uint32_t)(layout.rowPitch / 64);
}

/* Blits to twice the size with the nearest filter, which repeats every texel four times in any format. */
static void blit_format(struct vkt *t, VkFormat format, uint32_t texel_B)
{
    enum { SIZE = 9 };
    uint8_t texels[SIZE * SIZE * 16], got[4 * SIZE * SIZE * 16];
    for (uint32_t i = 0; i < sizeof texels; i++)
        texels[i] = (uint8_t)(0x10 + i * 7 % 0x10); /* neither NaN nor infinity */
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    struct vkt_image from =
        vkt_image_create(t, &(struct vkt_image_info){.format = format, .width = SIZE, .height = SIZE, .usage = usage});
    struct vkt_image to = vkt_image_create(
        t, &(struct vkt_image_info){.format = format, .width = 2 * SIZE, .height = 2 * SIZE, .usage = usage});
    struct vkt_buffer staging = vkt_buffer_create(t, SIZE * SIZE * texel_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, texels);
    VkCommandBuffer cmd = vkt_begin(t);
    VkImageMemoryBarrier barriers[2];
    for (int i = 0; i < 2; i++)
        barriers[i] = (VkImageMemoryBarrier){.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                             .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                             .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                             .image = i ? to.image : from.image,
                                             .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 2,
                         barriers);
    vkCmdCopyBufferToImage(
        cmd, staging.buffer, from.image, VK_IMAGE_LAYOUT_GENERAL, 1,
        &(VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {SIZE, SIZE, 1}});
    barriers[0].srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barriers[0].dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    barriers[0].oldLayout = VK_IMAGE_LAYOUT_GENERAL;
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1,
                         barriers);
    const VkImageSubresourceLayers color = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    vkCmdBlitImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &(VkImageBlit){color, {{0, 0, 0}, {SIZE, SIZE, 1}}, color, {{0, 0, 0}, {2 * SIZE, 2 * SIZE, 1}}},
                   VK_FILTER_NEAREST);
    barriers[1].srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barriers[1].dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    barriers[1].oldLayout = VK_IMAGE_LAYOUT_GENERAL;
    barriers[1].newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1,
                         &barriers[1]);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &to, 0, 0, got, 4 * SIZE * SIZE * texel_B);
    for (uint32_t y = 0; y < 2 * SIZE; y++)
        for (uint32_t x = 0; x < 2 * SIZE; x++)
            if (memcmp(got + (y * 2 * SIZE + x) * texel_B, texels + (y / 2 * SIZE + x / 2) * texel_B, texel_B) != 0)
                fail_msg("format %d: texel (%u,%u) is wrong", format, x, y);
    vkt_buffer_destroy(t, &staging);
    vkt_image_destroy(t, &from);
    vkt_image_destroy(t, &to);
}

static void formats_blit(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    uint32_t tested = 0;
    /* Without VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, which has several encodings of one value. */
    for (VkFormat format = VK_FORMAT_R4G4_UNORM_PACK8; format < VK_FORMAT_E5B9G9R9_UFLOAT_PACK32; format++) {
        VkFormatProperties p;
        VkImageFormatProperties image;
        const VkFormatFeatureFlags blit = VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT;
        vkGetPhysicalDeviceFormatProperties(t->physical, format, &p);
        if ((p.optimalTilingFeatures & blit) != blit)
            continue;
        vkt_ok(vkGetPhysicalDeviceImageFormatProperties(
            t->physical, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
            VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, 0, &image));
        blit_format(t, format, texel_size_B(t, format));
        tested++;
    }
    print_message("# %u formats\n", tested);
    assert_true(tested > 0);
}

/* ---------------------------------------------------------------- events */

/* The device waits for the host's event; the fill after the wait must not happen before it. */
static void events_order(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_buffer b = vkt_buffer_create(t, 16, VK_BUFFER_USAGE_TRANSFER_DST_BIT, (uint32_t[4]){1, 1, 1, 1});
    VkEvent host, device;
    const VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    vkt_ok(vkCreateEvent(t->device, &info, NULL, &host));
    vkt_ok(vkCreateEvent(t->device, &info, NULL, &device));
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdSetEvent(cmd, device, VK_PIPELINE_STAGE_TRANSFER_BIT);
    vkCmdWaitEvents(cmd, 1, &host, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, NULL, 0, NULL, 0,
                    NULL);
    vkCmdFillBuffer(cmd, b.buffer, 0, 16, 7);
    vkt_ok(vkEndCommandBuffer(cmd));
    VkFence fence;
    vkt_ok(vkCreateFence(t->device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
    vkt_ok(vkQueueSubmit(
        t->queue, 1,
        &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd},
        fence));
    while (vkGetEventStatus(t->device, device) != VK_EVENT_SET)
        ;
    assert_int_equal(vkWaitForFences(t->device, 1, &fence, true, 20000000), VK_TIMEOUT);
    assert_int_equal(*(const volatile uint32_t *)b.map, 1);
    /* Vulkan 1.0 allowed this, newer versions do not; applications may still do it. */
    vkt_accept_message(t, "VUID-vkSetEvent-event-09543");
    vkt_ok(vkSetEvent(t->device, host));
    vkt_ok(vkWaitForFences(t->device, 1, &fence, true, UINT64_C(5000000000)));
    assert_int_equal(*(const volatile uint32_t *)b.map, 7);
    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);
    vkDestroyFence(t->device, fence, NULL);
    vkDestroyEvent(t->device, host, NULL);
    vkDestroyEvent(t->device, device, NULL);
    vkt_buffer_destroy(t, &b);
}

/* A secondary command buffer that contains only a barrier separates the primary's commands around it: the long fill
 * ends before the short one begins. */
static void a_secondary_with_a_barrier_alone_is_one(void **state)
{
    enum { BIG_B = 16 << 20 };
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_buffer b = vkt_buffer_create(t, BIG_B, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkCommandBuffer secondary = vkt_begin_inheriting(
        t, &(VkCommandBufferInheritanceInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO});
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT};
    vkCmdPipelineBarrier(secondary, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
    vkt_ok(vkEndCommandBuffer(secondary));
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdFillBuffer(cmd, b.buffer, 0, BIG_B, 1);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    vkCmdFillBuffer(cmd, b.buffer, BIG_B - 64, 64, 2);
    vkt_ok(vkEndCommandBuffer(cmd));
    for (uint32_t i = 0; i < 5; i++) {
        memset(b.map, 0, BIG_B);
        vkt_submit(t, cmd);
        assert_int_equal(((uint32_t *)b.map)[0], 1);
        assert_int_equal(((uint32_t *)b.map)[BIG_B / 4 - 1], 2);
    }
    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);
    vkFreeCommandBuffers(t->device, t->pool, 1, &secondary);
    vkt_buffer_destroy(t, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_secondary_with_a_barrier_alone_is_one, vkt_check_messages),
        cmocka_unit_test_teardown(secondaries_draw, vkt_check_messages),
        cmocka_unit_test_teardown(areas_are_kept_to, vkt_check_messages),
        cmocka_unit_test_teardown(subpasses_follow, vkt_check_messages),
        cmocka_unit_test_teardown(attachments_of_different_size, vkt_check_messages),
        cmocka_unit_test_teardown(many_draws_split, vkt_check_messages),
        cmocka_unit_test_teardown(strips_restart, vkt_check_messages),
        cmocka_unit_test_teardown(indirect_draws, vkt_check_messages),
        cmocka_unit_test_teardown(negative_vertex_offsets, vkt_check_messages),
        cmocka_unit_test_teardown(points_and_lines, vkt_check_messages),
        cmocka_unit_test_teardown(dynamic_state, vkt_check_messages),
        cmocka_unit_test_teardown(instances_from_buffers, vkt_check_messages),
        cmocka_unit_test_teardown(indirect_instances_are_all_drawn, vkt_check_messages),
        cmocka_unit_test_teardown(blits_and_copies, vkt_check_messages),
        cmocka_unit_test_teardown(formats_blit, vkt_check_messages),
        cmocka_unit_test_teardown(events_order, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, vkt_teardown);
}
