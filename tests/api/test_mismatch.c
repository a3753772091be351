/* SPDX-License-Identifier: MIT
 *
 * Pipelines drawn with in dynamic passes whose attachments are not those that the pipeline was created for, which the
 * specification forbids: other formats, fewer or more attachments, a depth attachment that the pipeline does not know
 * of. The draws do what lavapipe's do, except that nothing is written to colour attachments that the pipeline lacks:
 * this is what VK_EXT_dynamic_rendering_unused_attachments asks for. The validation layer is not asked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "far_location.vert.h"
#include "geometry.frag.h"
#include "geometry_triangles.geom.h"
#include "mismatch.frag.h"
#include "push.vert.h"

enum { W = 32, H = 16 };

#define NONE  VK_FORMAT_UNDEFINED
#define RGBA  VK_FORMAT_R8G8B8A8_UNORM
#define BGRA  VK_FORMAT_B8G8R8A8_UNORM
#define HALF  VK_FORMAT_R16G16B16A16_SFLOAT
#define FULL  VK_FORMAT_R32G32B32A32_SFLOAT
#define RED   VK_FORMAT_R8_UNORM
#define D24S8 VK_FORMAT_D24_UNORM_S8_UINT
#define D32   VK_FORMAT_D32_SFLOAT
#define D16   VK_FORMAT_D16_UNORM

struct attachments {
    uint32_t color_count;
    VkFormat colors[2], depth;
};

struct push {
    float color[4], rect[4], depth;
};

struct result {
    uint32_t texels_B[2];
    uint8_t texels[2][W * H * 16];
};

static uint32_t texel_B(VkFormat format)
{
    return format == FULL ? 16 : format == HALF ? 8 : format == RED ? 1 : 4;
}

static struct vkt_pipeline create_pipeline(struct vkt *t, const struct attachments *a, uint32_t blend_count,
                                           bool blends)
{
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = a->color_count,
                                                     .pColorAttachmentFormats = a->colors,
                                                     .depthAttachmentFormat = a->depth};
    const VkPipelineColorBlendAttachmentState blend = {.blendEnable = blends,
                                                       .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                       .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                       .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                       .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                       .colorWriteMask = 0xf};
    return vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                              .fs = VKT_SHADER(mismatch_frag),
                                                              .next = &rendering,
                                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                              .push_size_B = sizeof(struct push),
                                                              .no_color = !blend_count,
                                                              .color_count = blend_count,
                                                              .blend = blend,
                                                              .depth_test = true,
                                                              .depth_write = true,
                                                              .depth_compare = VK_COMPARE_OP_LESS,
                                                              .width = W,
                                                              .height = H});
}

static struct vkt_image create_attachment(struct vkt *t, VkFormat format, VkImageUsageFlags usage)
{
    return vkt_image_create(
        t, &(struct vkt_image_info){
               .format = format, .width = W, .height = H, .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
}

static VkRenderingAttachmentInfo attachment(const struct vkt_image *image, VkImageLayout layout)
{
    return (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = image->view,
                                       .imageLayout = layout,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
}

static void draw(VkCommandBuffer cmd, const struct vkt_pipeline *p, struct push push)
{
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push,
                       &push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

/* Green on the left, near; then red everywhere, behind it. */
static void draw_pass(struct vkt *t, const struct vkt_pipeline *p, bool bind_first, const struct attachments *a,
                      struct result *out)
{
    struct vkt_image colors[2] = {0}, depth = {0};
    VkRenderingAttachmentInfo color_infos[2], depth_info;
    VkCommandBuffer cmd = vkt_begin(t);
    for (uint32_t i = 0; i < a->color_count; i++) {
        colors[i] = create_attachment(t, a->colors[i], VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
        vkt_image_barrier(cmd, &colors[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
        color_infos[i] = attachment(&colors[i], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    }
    if (a->depth) {
        depth = create_attachment(t, a->depth, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
        vkt_image_barrier(cmd, &depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
        depth_info = attachment(&depth, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
        depth_info.clearValue.depthStencil.depth = 1;
    }
    if (bind_first)
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBeginRendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                .renderArea = {{0, 0}, {W, H}},
                                                .layerCount = 1,
                                                .colorAttachmentCount = a->color_count,
                                                .pColorAttachments = color_infos,
                                                .pDepthAttachment = a->depth ? &depth_info : NULL});
    if (!bind_first)
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    draw(cmd, p, (struct push){{0, 1, 0, 1}, {-1, -1, 0, 1}, 0.25f});
    draw(cmd, p, (struct push){{1, 0, 0, 0.5f}, {-1, -1, 1, 1}, 0.5f});
    vkCmdEndRendering(cmd);
    for (uint32_t i = 0; i < a->color_count; i++)
        vkt_image_barrier(cmd, &colors[i], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                          VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < a->color_count; i++) {
        out->texels_B[i] = W * H * texel_B(a->colors[i]);
        vkt_read_image(t, &colors[i], 0, 0, out->texels[i], out->texels_B[i]);
        vkt_image_destroy(t, &colors[i]);
    }
    if (a->depth)
        vkt_image_destroy(t, &depth);
}

static const struct mismatch {
    const char *name;
    struct attachments pipeline, pass;
    uint32_t blend_count; /* attachments that the blend state of the pipeline names */
    /* Bit masks of colour attachments: those that are compared with lavapipe's, and those that the pipeline lacks,
     * which remain cleared. Versions of lavapipe draw to the latter or not. */
    uint32_t compared, cleared;
    bool blends;
} cases[] = {
    {"other order of channels", {1, {RGBA}, 0}, {1, {BGRA}, 0}, 1, 1, 0, false},
    {"halves for bytes", {1, {RGBA}, 0}, {1, {HALF}, 0}, 1, 1, 0, false},
    {"bytes for halves", {1, {HALF}, 0}, {1, {RGBA}, 0}, 1, 1, 0, true},
    {"floats for a byte", {1, {RED}, 0}, {1, {FULL}, 0}, 1, 1, 0, false},
    {"a byte for floats", {1, {FULL}, 0}, {1, {RED}, 0}, 1, 1, 0, true},
    {"swapped formats", {2, {RGBA, HALF}, 0}, {2, {HALF, RGBA}, 0}, 2, 3, 0, true},
    {"the pipeline has one more", {2, {RGBA, RGBA}, 0}, {1, {RGBA}, 0}, 2, 1, 0, false},
    {"the pass has one more", {1, {RGBA}, 0}, {2, {RGBA, RGBA}, 0}, 1, 1, 2, false},
    {"an undefined one", {2, {RGBA, NONE}, 0}, {2, {RGBA, RGBA}, 0}, 2, 1, 2, false},
    {"an undefined first one", {2, {NONE, RGBA}, 0}, {2, {RGBA, RGBA}, 0}, 2, 2, 1, true},
    {"depth that the pipeline does not know of", {1, {RGBA}, 0}, {1, {RGBA}, D24S8}, 1, 1, 0, false},
    {"depth that the pass does not have", {1, {RGBA}, D24S8}, {1, {RGBA}, 0}, 1, 1, 0, false},
    {"another format of depth", {1, {RGBA}, D32}, {1, {RGBA}, D24S8}, 1, 1, 0, false},
    {"less exact depth", {1, {RGBA}, D24S8}, {1, {HALF}, D16}, 1, 1, 0, false},
    {"a pipeline without colour", {0, {0}, 0}, {1, {RGBA}, 0}, 0, 0, 1, false},
};

static void draws_are_those_of_lavapipe(void **state)
{
    static struct result got, expected;
    struct vkt *t = vkt_device(VKT_TESTED), *reference = vkt_device(VKT_REFERENCE);
    for (uint32_t i = 0; i < VKT_COUNT(cases); i++) {
        const struct mismatch *m = &cases[i];
        struct vkt_pipeline p = create_pipeline(t, &m->pipeline, m->blend_count, m->blends),
                            r = create_pipeline(reference, &m->pipeline, m->blend_count, m->blends);
        draw_pass(reference, &r, true, &m->pass, &expected);
        for (uint32_t first = 0; first < 2; first++) {
            draw_pass(t, &p, first, &m->pass, &got);
            for (uint32_t k = 0; k < m->pass.color_count; k++) {
                const bool is_cleared = m->cleared >> k & 1;
                if ((m->compared >> k & 1) && memcmp(got.texels[k], expected.texels[k], expected.texels_B[k]))
                    fail_msg("%s: colour attachment %u differs", m->name, k);
                for (uint32_t byte = 0; byte < got.texels_B[k] && is_cleared; byte++)
                    if (got.texels[k][byte])
                        fail_msg("%s: byte %u of colour attachment %u has been written", m->name, byte, k);
            }
        }
        vkt_pipeline_destroy(t, &p);
        vkt_pipeline_destroy(reference, &r);
    }
}

/* ---------------------------------------------------------------- one pipeline, several passes */

static void begin_pass(VkCommandBuffer cmd, const struct vkt_image *image, VkRenderingFlags flags)
{
    const VkRenderingAttachmentInfo info = attachment(image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vkCmdBeginRendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                .flags = flags,
                                                .renderArea = {{0, 0}, {W, H}},
                                                .layerCount = 1,
                                                .colorAttachmentCount = 1,
                                                .pColorAttachments = &info});
}

/* A secondary command buffer that inherits a format which is not the pipeline's. */
static VkCommandBuffer record_secondary(struct vkt *t, const struct vkt_pipeline *p, VkFormat format)
{
    const VkCommandBufferInheritanceRenderingInfo formats = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                     .pNext = &formats};
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = t->pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                                  .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                            .pInheritanceInfo = &inherits};
    VkCommandBuffer cmd;
    vkt_ok(vkAllocateCommandBuffers(t->device, &allocate, &cmd));
    vkt_ok(vkBeginCommandBuffer(cmd, &begin));
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    draw(cmd, p, (struct push){{0, 0, 1, 1}, {-1, -1, 1, 1}, 0.5f});
    vkt_ok(vkEndCommandBuffer(cmd));
    return cmd;
}

/* The pipeline is bound once, and draws to one format after the other: its own at last. */
static void programs_follow_the_pass(void **state)
{
    static const VkFormat formats[] = {HALF, RGBA, FULL, HALF, RGBA};
    static const uint16_t half_blue[4] = {0, 0, 0x3c00, 0x3c00};
    static const float full_blue[4] = {0, 0, 1, 1};
    static const uint8_t blue[4] = {0, 0, 255, 255};
    static uint8_t got[W * H * 16];
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_pipeline p = create_pipeline(t, &(struct attachments){1, {RGBA}, 0}, 1, false);
    struct vkt_image images[VKT_COUNT(formats)],
        other = create_attachment(t, HALF, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    VkCommandBuffer secondary = record_secondary(t, &p, HALF), cmd = vkt_begin(t);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++) {
        images[i] = create_attachment(t, formats[i], VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
        vkt_image_barrier(cmd, &images[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
        begin_pass(cmd, &images[i], 0);
        draw(cmd, &p, (struct push){{0, 0, 1, 1}, {-1, -1, 1, 1}, 0.5f});
        vkCmdEndRendering(cmd);
        vkt_image_barrier(cmd, &images[i], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                          VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    }
    vkt_image_barrier(cmd, &other, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    begin_pass(cmd, &other, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    vkCmdEndRendering(cmd);
    vkt_image_barrier(cmd, &other, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i <= VKT_COUNT(formats); i++) {
        struct vkt_image *image = i < VKT_COUNT(formats) ? &images[i] : &other;
        const uint32_t size_B = texel_B(image->format);
        const void *expected = size_B == 16 ? (const void *)full_blue : size_B == 8 ? (const void *)half_blue : blue;
        vkt_read_image(t, image, 0, 0, got, W * H * size_B);
        for (uint32_t k = 0; k < W * H; k++)
            assert_memory_equal(got + k * size_B, expected, size_B);
        vkt_image_destroy(t, image);
    }
    vkFreeCommandBuffers(t->device, t->pool, 1, &secondary);
    vkt_pipeline_destroy(t, &p);
}

/* Locations beyond the limit are not those of words that the driver has for itself. */
static void far_locations_are_refused(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_target target = vkt_target_create(t, W, H, RGBA, VK_FORMAT_UNDEFINED);
    for (uint32_t i = 0; i < 2; i++) {
        struct vkt_pipeline_info info = {.vs = VKT_SHADER(far_location_vert),
                                         .fs = VKT_SHADER(geometry_frag),
                                         .pass = target.pass,
                                         .width = W,
                                         .height = H,
                                         .may_fail = true};
        if (i)
            info.gs = VKT_SHADER(geometry_triangles_geom);
        struct vkt_pipeline p = vkt_pipeline_create(t, &info);
        assert_true(p.pipeline == VK_NULL_HANDLE);
        vkt_pipeline_destroy(t, &p);
    }
    vkt_target_destroy(t, &target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(draws_are_those_of_lavapipe, vkt_check_messages),
        cmocka_unit_test_teardown(programs_follow_the_pass, vkt_check_messages),
        cmocka_unit_test_teardown(far_locations_are_refused, vkt_check_messages),
    };
    setenv("VKT_NO_VALIDATION", "1", 1);
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
