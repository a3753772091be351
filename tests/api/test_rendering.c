/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_dynamic_rendering: what passes without a render pass draw, load, store and resolve; passes that are suspended
 * and resumed; secondary command buffers; and how many jobs they become.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "multiview.frag.h"
#include "multiview.vert.h"
#include "push.frag.h"
#include "push.vert.h"

enum { W = 128, H = 64 };

#define COLOR  VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH  VK_FORMAT_D24_UNORM_S8_UINT
#define ALL_PX ((VkRect2D){{0, 0}, {W, H}})
#define STRIP  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP

#define ENTRY(t, name) ((PFN_##name)vkGetDeviceProcAddr((t)->device, #name))

static const float red[4] = {1, 0, 0, 1}, green[4] = {0, 1, 0, 1}, blue[4] = {0, 0, 1, 1}, black[4] = {0, 0, 0, 0};
static const float everything[4] = {-1, -1, 1, 1}, left[4] = {-1, -1, 0, 1}, right[4] = {0, -1, 1, 1},
                   top[4] = {-1, -1, 1, 0};

struct push {
    float color[4], rect[4], depth;
};

struct scene {
    struct vkt t;
    struct vkt_image color, depth;
    struct vkt_pipeline draw; /* with a depth test */
    PFN_vkCmdBeginRenderingKHR begin;
    PFN_vkCmdEndRenderingKHR end;
};

/* ---------------------------------------------------------------- scenes */

static struct vkt open_device(void)
{
    static const char *const extensions[] = {VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
                                             VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME};
    VkPhysicalDeviceDynamicRenderingFeatures features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, .dynamicRendering = VK_TRUE};
    return vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &features);
}

static VkPipelineRenderingCreateInfo formats(const VkFormat *color, VkFormat depth, VkFormat stencil)
{
    return (VkPipelineRenderingCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                           .colorAttachmentCount = color ? 1 : 0,
                                           .pColorAttachmentFormats = color,
                                           .depthAttachmentFormat = depth,
                                           .stencilAttachmentFormat = stencil};
}

static struct vkt_pipeline_info quad_info(const VkPipelineRenderingCreateInfo *rendering)
{
    return (struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                      .fs = VKT_SHADER(push_frag),
                                      .next = rendering,
                                      .topology = STRIP,
                                      .push_size_B = sizeof(struct push),
                                      .no_color = !rendering->colorAttachmentCount,
                                      .width = W,
                                      .height = H};
}

static struct vkt_image image_create(struct vkt *t, VkFormat format, uint32_t layers, VkSampleCountFlagBits samples)
{
    return vkt_image_create(t, &(struct vkt_image_info){
                                   .format = format,
                                   .width = W,
                                   .height = H,
                                   .layers = layers,
                                   .array = layers > 0,
                                   .samples = samples,
                                   .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                            (format == COLOR ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                                             : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT),
                               });
}

static struct scene scene_open(void)
{
    struct scene s = {.t = open_device()};
    const VkFormat color = COLOR;
    const VkPipelineRenderingCreateInfo rendering = formats(&color, DEPTH, DEPTH);
    struct vkt_pipeline_info info = quad_info(&rendering);
    info.depth_test = info.depth_write = true;
    info.depth_compare = VK_COMPARE_OP_LESS;
    s.color = image_create(&s.t, COLOR, 0, 0);
    s.depth = image_create(&s.t, DEPTH, 0, 0);
    s.draw = vkt_pipeline_create(&s.t, &info);
    s.begin = ENTRY(&s.t, vkCmdBeginRenderingKHR);
    s.end = ENTRY(&s.t, vkCmdEndRenderingKHR);
    return s;
}

static void scene_close(struct scene *s)
{
    vkt_pipeline_destroy(&s->t, &s->draw);
    vkt_image_destroy(&s->t, &s->color);
    vkt_image_destroy(&s->t, &s->depth);
    vkt_device_close(&s->t);
}

static VkRenderingAttachmentInfo attachment(const struct vkt_image *image, VkAttachmentLoadOp load,
                                            VkAttachmentStoreOp store)
{
    return (VkRenderingAttachmentInfo){
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = image->view,
        .imageLayout = image->aspect == VK_IMAGE_ASPECT_COLOR_BIT ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
                                                                  : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        .loadOp = load,
        .storeOp = store,
    };
}

static VkRenderingInfo rendering(const VkRenderingAttachmentInfo *color, const VkRenderingAttachmentInfo *depth,
                                 const VkRenderingAttachmentInfo *stencil)
{
    return (VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = ALL_PX,
                             .layerCount = 1,
                             .colorAttachmentCount = color ? 1 : 0,
                             .pColorAttachments = color,
                             .pDepthAttachment = depth,
                             .pStencilAttachment = stencil};
}

/* Both images of the scene: colour is cleared to black, depth to 1. */
static void begin(struct scene *s, VkCommandBuffer cmd, VkAttachmentLoadOp load, VkAttachmentStoreOp store_depth,
                  VkRenderingFlags flags)
{
    const VkRenderingAttachmentInfo color = attachment(&s->color, load, VK_ATTACHMENT_STORE_OP_STORE);
    VkRenderingAttachmentInfo depth = attachment(&s->depth, load, store_depth);
    depth.clearValue.depthStencil.depth = 1;
    VkRenderingInfo info = rendering(&color, &depth, &depth);
    info.flags = flags;
    s->begin(cmd, &info);
}

static void draw(VkCommandBuffer cmd, const struct vkt_pipeline *p, const float color[4], const float rect[4],
                 float depth)
{
    struct push push = {.depth = depth};
    memcpy(push.color, color, sizeof push.color);
    memcpy(push.rect, rect, sizeof push.rect);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push,
                       &push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

static void make_attachments(const struct scene *s, VkCommandBuffer cmd)
{
    vkt_image_barrier(cmd, &s->color, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vkt_image_barrier(cmd, &s->depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
}

/* A barrier between attachments of successive passes. */
static void attachment_barrier(VkCommandBuffer cmd)
{
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                        VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                        VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
    const VkAccessFlags writes = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    const VkMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = writes,
                               .dstAccessMask = writes | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT |
                                                VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT};
    vkCmdPipelineBarrier(cmd, stages, stages, 0, 1, &b, 0, NULL, 0, NULL);
}

static void make_readable(VkCommandBuffer cmd, const struct vkt_image *image)
{
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

static void read_layer(struct vkt *t, const struct vkt_image *image, uint32_t layer, uint8_t out[H][W][4])
{
    vkt_read_image(t, image, 0, layer, out, H * W * 4);
}

static void assert_color(const uint8_t got[4], const float expected[4])
{
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(got[i], expected[i] * 255 > 1 ? expected[i] * 255 - 1 : 0, expected[i] * 255 + 1);
}

/* "tiny" makes a job of each draw, "force-cpu-engine" none. */
static bool has_usual_jobs(void)
{
    const char *debug = getenv("VC4VK_DEBUG");
    return !debug || (!strstr(debug, "tiny") && !strstr(debug, "force-cpu-engine"));
}

/* Jobs, and the surfaces that they load and store. */
static void assert_recorded(struct vkt *t, VkCommandBuffer cmd, uint32_t jobs, uint32_t loads, uint32_t stores)
{
    void (*recorded)(VkCommandBuffer, uint32_t *) =
        (void (*)(VkCommandBuffer, uint32_t *))vkt_hook(t, "vc4vk_test_recorded");
    uint32_t counts[4];
    recorded(cmd, counts);
    if (!has_usual_jobs())
        return;
    assert_int_equal(counts[0], jobs);
    assert_int_equal(counts[1], loads);
    assert_int_equal(counts[2], stores);
}

/* ---------------------------------------------------------------- successive passes */

/* Left is red at depth 0.25. Then green everywhere at 0.5, and blue on top at 0.4. */
static void assert_picture(struct scene *s)
{
    uint8_t got[H][W][4];
    read_layer(&s->t, &s->color, 0, got);
    assert_color(got[5][5], red);
    assert_color(got[H - 5][5], red);
    assert_color(got[5][W - 5], blue);
    assert_color(got[H - 5][W - 5], green);
}

enum between { ATTACHMENT_BARRIER, FULL_BARRIER, TRANSFER };

static void draw_twice(enum between between, uint32_t jobs, uint32_t loads, uint32_t stores)
{
    struct scene s = scene_open();
    struct vkt_buffer buffer = vkt_buffer_create(&s.t, 16, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    make_attachments(&s, cmd);
    begin(&s, cmd, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE, 0);
    draw(cmd, &s.draw, red, left, 0.25f);
    draw(cmd, &s.draw, green, everything, 0.5f);
    s.end(cmd);
    if (between == TRANSFER)
        vkCmdFillBuffer(cmd, buffer.buffer, 0, 16, 1);
    if (between == FULL_BARRIER)
        vkt_barrier_all(cmd);
    else
        attachment_barrier(cmd);
    begin(&s, cmd, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_DONT_CARE, 0);
    draw(cmd, &s.draw, blue, top, 0.4f);
    s.end(cmd);
    make_readable(cmd, &s.color);
    vkt_ok(vkEndCommandBuffer(cmd));
    assert_recorded(&s.t, cmd, jobs, loads, stores);
    vkt_submit(&s.t, cmd);
    assert_picture(&s);
    vkt_submit(&s.t, cmd); /* again: nothing recorded has changed */
    assert_picture(&s);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &cmd);
    vkt_buffer_destroy(&s.t, &buffer);
    scene_close(&s);
}

static void successive_passes_become_one_job(void **state)
{
    draw_twice(ATTACHMENT_BARRIER, 1, 0, 1);
}

static void other_work_ends_the_job(void **state)
{
    draw_twice(FULL_BARRIER, 2, 2, 3);
    draw_twice(TRANSFER, 2, 2, 3);
}

/* Store operation NONE of the second pass does not drop what the first one stores. */
static void store_none_keeps_what_was_stored(void **state)
{
    struct scene s = scene_open();
    uint8_t got[H][W][4];
    const VkFormat format = COLOR;
    const VkPipelineRenderingCreateInfo only_color = formats(&format, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
    const struct vkt_pipeline_info info = quad_info(&only_color);
    struct vkt_pipeline p = vkt_pipeline_create(&s.t, &info);
    VkRenderingAttachmentInfo color =
        attachment(&s.color, VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_STORE);
    VkRenderingInfo first = rendering(&color, NULL, NULL);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    make_attachments(&s, cmd);
    s.begin(cmd, &first);
    draw(cmd, &p, green, everything, 0.5f);
    s.end(cmd);
    attachment_barrier(cmd);
    color.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    color.storeOp = VK_ATTACHMENT_STORE_OP_NONE;
    s.begin(cmd, &first);
    s.end(cmd);
    make_readable(cmd, &s.color);
    vkt_end_submit(&s.t, cmd);
    read_layer(&s.t, &s.color, 0, got);
    assert_color(got[5][5], green);
    vkt_pipeline_destroy(&s.t, &p);
    scene_close(&s);
}

/* A part of the area keeps what surrounds it. */
static void area_keeps_its_surroundings(void **state)
{
    struct scene s = scene_open();
    uint8_t got[H][W][4];
    VkRenderingAttachmentInfo color = attachment(&s.color, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE);
    VkRenderingInfo info = rendering(&color, NULL, NULL);
    memcpy(color.clearValue.color.float32, red, sizeof red);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    make_attachments(&s, cmd);
    s.begin(cmd, &info);
    s.end(cmd);
    attachment_barrier(cmd);
    memcpy(color.clearValue.color.float32, green, sizeof green);
    info.renderArea = (VkRect2D){{10, 20}, {30, 7}};
    s.begin(cmd, &info);
    s.end(cmd);
    make_readable(cmd, &s.color);
    vkt_end_submit(&s.t, cmd);
    read_layer(&s.t, &s.color, 0, got);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++)
            assert_color(got[y][x], x >= 10 && x < 40 && y >= 20 && y < 27 ? green : red);
    scene_close(&s);
}

/* ---------------------------------------------------------------- suspended passes */

static void first_half(struct scene *s, VkCommandBuffer cmd)
{
    begin(s, cmd, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_RENDERING_SUSPENDING_BIT);
    draw(cmd, &s->draw, red, left, 0.25f);
    s->end(cmd);
}

/* Its load operations are ignored. */
static void second_half(struct scene *s, VkCommandBuffer cmd, VkRenderingFlags flags)
{
    begin(s, cmd, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_RENDERING_RESUMING_BIT | flags);
    draw(cmd, &s->draw, green, everything, 0.5f);
    draw(cmd, &s->draw, blue, top, 0.4f);
    s->end(cmd);
}

static void suspended_pass_is_one_job(void **state)
{
    struct scene s = scene_open();
    VkCommandBuffer cmd = vkt_begin(&s.t);
    make_attachments(&s, cmd);
    first_half(&s, cmd);
    begin(&s, cmd, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE,
          VK_RENDERING_RESUMING_BIT | VK_RENDERING_SUSPENDING_BIT);
    s.end(cmd);
    second_half(&s, cmd, 0);
    make_readable(cmd, &s.color);
    vkt_ok(vkEndCommandBuffer(cmd));
    assert_recorded(&s.t, cmd, 1, 0, 1);
    vkt_submit(&s.t, cmd);
    assert_picture(&s);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &cmd);
    scene_close(&s);
}

static void pass_goes_on_in_another_command_buffer(void **state)
{
    struct scene s = scene_open();
    VkCommandBuffer cmds[] = {vkt_begin(&s.t), vkt_begin(&s.t)};
    make_attachments(&s, cmds[0]);
    first_half(&s, cmds[0]);
    second_half(&s, cmds[1], 0);
    make_readable(cmds[1], &s.color);
    vkt_ok(vkEndCommandBuffer(cmds[0]));
    vkt_ok(vkEndCommandBuffer(cmds[1]));
    assert_recorded(&s.t, cmds[0], 1, 0, 2);
    assert_recorded(&s.t, cmds[1], 1, 2, 1);
    vkt_ok(vkQueueSubmit(
        s.t.queue, 1,
        &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 2, .pCommandBuffers = cmds},
        VK_NULL_HANDLE));
    vkt_ok(vkQueueWaitIdle(s.t.queue));
    assert_picture(&s);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 2, cmds);
    scene_close(&s);
}

/* ---------------------------------------------------------------- secondaries */

static void secondaries_continue_passes(void **state)
{
    struct scene s = scene_open();
    const VkFormat format = COLOR;
    const VkCommandBufferInheritanceRenderingInfo rendering_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .depthAttachmentFormat = DEPTH,
        .stencilAttachmentFormat = DEPTH,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkCommandBuffer secondary;
    vkt_ok(
        vkAllocateCommandBuffers(s.t.device,
                                 &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                                .commandPool = s.t.pool,
                                                                .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                                                .commandBufferCount = 1},
                                 &secondary));
    vkt_ok(vkBeginCommandBuffer(
        secondary, &(VkCommandBufferBeginInfo){
                       .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                       .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                       .pInheritanceInfo = &(VkCommandBufferInheritanceInfo){
                           .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering_info}}));
    draw(secondary, &s.draw, red, left, 0.25f);
    draw(secondary, &s.draw, green, everything, 0.5f);
    vkt_ok(vkEndCommandBuffer(secondary));
    VkCommandBuffer cmd = vkt_begin(&s.t);
    make_attachments(&s, cmd);
    begin(&s, cmd, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
          VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    s.end(cmd);
    attachment_barrier(cmd);
    begin(&s, cmd, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_DONT_CARE, 0);
    draw(cmd, &s.draw, blue, top, 0.4f);
    s.end(cmd);
    make_readable(cmd, &s.color);
    vkt_end_submit(&s.t, cmd);
    assert_picture(&s);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    scene_close(&s);
}

/* A pass inside a secondary command buffer. */
static void secondaries_have_passes(void **state)
{
    struct scene s = scene_open();
    VkCommandBuffer secondary = vkt_begin_inheriting(
        &s.t, &(VkCommandBufferInheritanceInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO});
    make_attachments(&s, secondary);
    begin(&s, secondary, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE, 0);
    draw(secondary, &s.draw, red, left, 0.25f);
    draw(secondary, &s.draw, green, everything, 0.5f);
    s.end(secondary);
    vkt_ok(vkEndCommandBuffer(secondary));
    VkCommandBuffer cmd = vkt_begin(&s.t);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    attachment_barrier(cmd);
    begin(&s, cmd, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_DONT_CARE, 0);
    draw(cmd, &s.draw, blue, top, 0.4f);
    s.end(cmd);
    make_readable(cmd, &s.color);
    vkt_end_submit(&s.t, cmd);
    assert_picture(&s);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    scene_close(&s);
}

/* ---------------------------------------------------------------- resolves */

#define EDGE_PX 10 /* the column of pixels whose left half is drawn to */

struct multisampled {
    struct vkt_image color, depth;
    struct vkt_pipeline draw;
};

static struct multisampled multisampled_create(struct vkt *t)
{
    const VkFormat format = COLOR;
    const VkPipelineRenderingCreateInfo info = formats(&format, DEPTH, DEPTH);
    const VkPipelineMultisampleStateCreateInfo four = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                       .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT};
    struct vkt_pipeline_info p = quad_info(&info);
    p.multisample = &four;
    p.depth_test = p.depth_write = true;
    p.depth_compare = VK_COMPARE_OP_LESS;
    return (struct multisampled){image_create(t, COLOR, 0, VK_SAMPLE_COUNT_4_BIT),
                                 image_create(t, DEPTH, 0, VK_SAMPLE_COUNT_4_BIT), vkt_pipeline_create(t, &p)};
}

/* Depth is 0.75, and 0.25 where red is drawn over black. */
static void draw_and_resolve(VkResolveModeFlagBits depth_mode, float edge_depth)
{
    struct scene s = scene_open();
    struct multisampled m = multisampled_create(&s.t);
    uint8_t got[H][W][4];
    uint32_t depths[H][W];
    const float rect[4] = {-1, -1, -1 + (EDGE_PX + 0.5f) * 2 / W, 1}, half_red[4] = {0.5f, 0, 0, 0.5f};
    VkRenderingAttachmentInfo color =
                                  attachment(&m.color, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE),
                              depth =
                                  attachment(&m.depth, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE);
    color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
    color.resolveImageView = s.color.view;
    color.resolveImageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    depth.resolveMode = depth_mode;
    depth.resolveImageView = s.depth.view;
    depth.resolveImageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    depth.clearValue.depthStencil = (VkClearDepthStencilValue){0.75f, 7};
    VkRenderingAttachmentInfo stencil = depth;
    stencil.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
    const VkRenderingInfo info = rendering(&color, &depth, &stencil);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    make_attachments(&s, cmd);
    vkt_image_barrier(cmd, &m.color, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vkt_image_barrier(cmd, &m.depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    s.begin(cmd, &info);
    draw(cmd, &m.draw, red, rect, 0.25f);
    s.end(cmd);
    make_readable(cmd, &s.color);
    vkt_image_barrier(cmd, &s.depth, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&s.t, cmd);
    read_layer(&s.t, &s.color, 0, got);
    assert_color(got[H / 2][EDGE_PX - 1], red);
    assert_color(got[H / 2][EDGE_PX], half_red);
    assert_color(got[H / 2][EDGE_PX + 1], black);
    vkt_read_image(&s.t, &s.depth, 0, 0, depths, sizeof depths);
    const float expected[] = {0.25f, edge_depth, 0.75f};
    for (uint32_t i = 0; i < VKT_COUNT(expected); i++)
        assert_in_range(depths[H / 2][EDGE_PX - 1 + i] & 0xffffff, expected[i] * 0xffffff - 1,
                        expected[i] * 0xffffff + 1);
    vkt_pipeline_destroy(&s.t, &m.draw);
    vkt_image_destroy(&s.t, &m.color);
    vkt_image_destroy(&s.t, &m.depth);
    scene_close(&s);
}

static void passes_resolve(void **state)
{
    draw_and_resolve(VK_RESOLVE_MODE_MIN_BIT, 0.25f);
    draw_and_resolve(VK_RESOLVE_MODE_MAX_BIT, 0.75f);
    draw_and_resolve(VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, 0.25f);
    draw_and_resolve(VK_RESOLVE_MODE_AVERAGE_BIT, 0.5f);
}

/* ---------------------------------------------------------------- depth or stencil alone */

/* A pass that attaches depth alone keeps the stencil of the same image, and the other way round. */
static void aspects_are_attached_alone(void **state)
{
    struct scene s = scene_open();
    const VkFormat format = COLOR;
    const VkPipelineRenderingCreateInfo with_depth = formats(&format, DEPTH, VK_FORMAT_UNDEFINED),
                                        with_stencil = formats(&format, VK_FORMAT_UNDEFINED, DEPTH);
    struct vkt_pipeline_info info = quad_info(&with_depth);
    uint8_t got[H][W][4];
    info.depth_test = info.depth_write = true;
    info.depth_compare = VK_COMPARE_OP_LESS;
    struct vkt_pipeline tests_depth = vkt_pipeline_create(&s.t, &info);
    info = quad_info(&with_stencil);
    info.stencil_test = true;
    info.stencil = (VkStencilOpState){.compareOp = VK_COMPARE_OP_EQUAL,
                                      .passOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                      .compareMask = 0xff,
                                      .writeMask = 0xff,
                                      .reference = 5};
    struct vkt_pipeline tests_stencil = vkt_pipeline_create(&s.t, &info);
    VkRenderingAttachmentInfo color = attachment(&s.color, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE),
                              depth = attachment(&s.depth, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE);
    depth.clearValue.depthStencil = (VkClearDepthStencilValue){1, 5};
    VkCommandBuffer cmd = vkt_begin(&s.t);
    make_attachments(&s, cmd);
    const VkRenderingInfo both = rendering(&color, &depth, &depth), depth_only = rendering(&color, &depth, NULL),
                          stencil_only = rendering(&color, NULL, &depth);
    s.begin(cmd, &both);
    s.end(cmd);
    attachment_barrier(cmd);
    color.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    depth.clearValue.depthStencil = (VkClearDepthStencilValue){0.5f, 99}; /* the stencil value means nothing */
    s.begin(cmd, &depth_only);
    draw(cmd, &tests_depth, red, left, 0.25f);
    draw(cmd, &tests_depth, green, everything, 0.75f); /* hidden: depth is 0.5 or less */
    s.end(cmd);
    attachment_barrier(cmd);
    depth.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    s.begin(cmd, &stencil_only);
    draw(cmd, &tests_stencil, blue, top, 0.9f); /* stencil is 5 everywhere, then 6 on top */
    draw(cmd, &tests_stencil, red, top, 0.9f);
    s.end(cmd);
    attachment_barrier(cmd);
    s.begin(cmd, &depth_only);
    draw(cmd, &tests_depth, green, everything, 0.4f); /* in front of 0.5, behind 0.25 */
    s.end(cmd);
    make_readable(cmd, &s.color);
    vkt_end_submit(&s.t, cmd);
    read_layer(&s.t, &s.color, 0, got);
    assert_color(got[5][5], blue);
    assert_color(got[H - 5][5], red);
    assert_color(got[5][W - 5], green);
    assert_color(got[H - 5][W - 5], green);
    vkt_pipeline_destroy(&s.t, &tests_depth);
    vkt_pipeline_destroy(&s.t, &tests_stencil);
    scene_close(&s);
}

/* ---------------------------------------------------------------- layers and views */

static void every_layer_is_cleared(void **state)
{
    struct scene s = scene_open();
    struct vkt_image layers = image_create(&s.t, COLOR, 3, 0);
    uint8_t got[H][W][4];
    VkRenderingAttachmentInfo color = attachment(&layers, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE);
    VkRenderingInfo info = rendering(&color, NULL, NULL);
    info.layerCount = 3;
    memcpy(color.clearValue.color.float32, green, sizeof green);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    vkt_image_barrier(cmd, &layers, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    s.begin(cmd, &info);
    s.end(cmd);
    make_readable(cmd, &layers);
    vkt_end_submit(&s.t, cmd);
    for (uint32_t layer = 0; layer < 3; layer++) {
        read_layer(&s.t, &layers, layer, got);
        assert_color(got[H / 2][W / 2], green);
    }
    vkt_image_destroy(&s.t, &layers);
    scene_close(&s);
}

/* View 0 draws its left half, view 2 its right half; there is no view 1. */
static void views_are_drawn_one_by_one(void **state)
{
    struct scene s = scene_open();
    struct vkt_image layers = image_create(&s.t, COLOR, 3, 0);
    const VkFormat format = COLOR;
    VkPipelineRenderingCreateInfo with_views = formats(&format, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
    with_views.viewMask = 5;
    struct vkt_pipeline_info p_info = quad_info(&with_views);
    p_info.vs = VKT_SHADER(multiview_vert);
    p_info.fs = VKT_SHADER(multiview_frag);
    p_info.push_size_B = 0;
    struct vkt_pipeline p = vkt_pipeline_create(&s.t, &p_info);
    uint8_t got[H][W][4];
    VkRenderingAttachmentInfo color = attachment(&layers, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE);
    VkRenderingInfo info = rendering(&color, NULL, NULL);
    info.layerCount = 0;
    info.viewMask = 5;
    memcpy(color.clearValue.color.float32, blue, sizeof blue);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    vkt_image_barrier(cmd, &layers, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    s.begin(cmd, &info);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    s.end(cmd);
    make_readable(cmd, &layers);
    vkt_end_submit(&s.t, cmd);
    for (uint32_t layer = 0; layer < 3; layer += 2) {
        const float drawn[4] = {(float)layer / 4, 1, 0, 1};
        read_layer(&s.t, &layers, layer, got);
        assert_color(got[H / 2][5], layer ? blue : drawn);
        assert_color(got[H / 2][W - 5], layer ? drawn : blue);
    }
    vkt_pipeline_destroy(&s.t, &p);
    vkt_image_destroy(&s.t, &layers);
    scene_close(&s);
}

/* ---------------------------------------------------------------- no attachments */

static void pass_without_attachments_counts(void **state)
{
    struct scene s = scene_open();
    const VkPipelineRenderingCreateInfo nothing = formats(NULL, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline_info p_info = quad_info(&nothing);
    p_info.fs = (struct vkt_shader){0};
    struct vkt_pipeline p = vkt_pipeline_create(&s.t, &p_info);
    const VkRenderingInfo info = rendering(NULL, NULL, NULL);
    VkQueryPool pool;
    uint64_t samples = 0;
    vkt_ok(vkCreateQueryPool(s.t.device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = 1},
                             NULL, &pool));
    VkCommandBuffer cmd = vkt_begin(&s.t);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    vkCmdBeginQuery(cmd, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    for (uint32_t i = 0; i < 2; i++) { /* the query counts for both passes */
        s.begin(cmd, &info);
        draw(cmd, &p, red, i ? right : everything, 0.5f);
        s.end(cmd);
    }
    vkCmdEndQuery(cmd, pool, 0);
    vkt_end_submit(&s.t, cmd);
    vkt_ok(vkGetQueryPoolResults(s.t.device, pool, 0, 1, sizeof samples, &samples, sizeof samples,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    assert_int_equal(samples, W * H + W * H / 2);
    vkDestroyQueryPool(s.t.device, pool, NULL);
    vkt_pipeline_destroy(&s.t, &p);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(successive_passes_become_one_job, vkt_check_messages),
        cmocka_unit_test_teardown(other_work_ends_the_job, vkt_check_messages),
        cmocka_unit_test_teardown(store_none_keeps_what_was_stored, vkt_check_messages),
        cmocka_unit_test_teardown(area_keeps_its_surroundings, vkt_check_messages),
        cmocka_unit_test_teardown(suspended_pass_is_one_job, vkt_check_messages),
        cmocka_unit_test_teardown(pass_goes_on_in_another_command_buffer, vkt_check_messages),
        cmocka_unit_test_teardown(secondaries_continue_passes, vkt_check_messages),
        cmocka_unit_test_teardown(secondaries_have_passes, vkt_check_messages),
        cmocka_unit_test_teardown(passes_resolve, vkt_check_messages),
        cmocka_unit_test_teardown(aspects_are_attached_alone, vkt_check_messages),
        cmocka_unit_test_teardown(every_layer_is_cleared, vkt_check_messages),
        cmocka_unit_test_teardown(views_are_drawn_one_by_one, vkt_check_messages),
        cmocka_unit_test_teardown(pass_without_attachments_counts, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
