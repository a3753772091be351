/* SPDX-License-Identifier: MIT
 *
 * 128 components between the vertex and fragment stage, using all kinds of interpolation at once, compared with the
 * reference driver. The cases are clipped triangles, lines, points, indexed strips, instances, either provoking vertex,
 * clip distances in addition, and one and four samples. Each pixel shows one component, so every component is judged
 * separately over the whole image.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "interfaces.frag.h"
#include "interfaces.vert.h"
#include "interfaces_clip.vert.h"
#include "interfaces_indexed.frag.h"
#include "interfaces_sample.frag.h"
#include "interfaces_sample.vert.h"

#define W          200 /* more than one tile each way: 64 pixels, 32 with four samples */
#define H          180
#define COMPONENTS 128u

struct vertex {
    float position[4];
    uint32_t number;
};

/* The case being drawn. */
static struct {
    VkPrimitiveTopology topology;
    VkPolygonMode polygon;
    uint32_t vertices, instances;
    bool is_indexed, last_provokes, clips, reads_indexed, is_sample_shaded;
    VkSampleCountFlagBits samples;
    float point_size;
} draw_case;

static struct vkt devices[2]; /* tested and reference, with VK_EXT_provoking_vertex */

static int open_devices(void **state)
{
    static const char *const extensions[] = {VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME};
    for (int which = 0; which < 2; which++)
        devices[which] = vkt_device_create_with(vkt_device(which), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_devices(void **state)
{
    for (int which = 0; which < 2; which++)
        vkt_device_close(&devices[which]);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- drawing */

/* Two triangles over most of the target, which leave the view at the left, at the top and through the near plane. Other
 * topologies draw the same vertices. */
static const struct vertex vertices[] = {
    {{-1.9f, -0.8f, 0.3f, 1.1f}, 0}, {{1.6f, -1.5f, 1.0f, 2.1f}, 1},  {{-0.5f, 0.9f, 0.2f, 1.0f}, 2},
    {{0.9f, 0.85f, -0.1f, 1.0f}, 3}, {{-0.45f, 1.0f, 0.5f, 1.2f}, 4}, {{1.5f, -1.3f, 0.9f, 2.0f}, 5},
};

/* Positions for points, none near the border. */
static const struct vertex points[] = {
    {{-0.55f, -0.5f, 0.5f, 1.0f}, 0},
    {{0.42f, -0.44f, 0.5f, 1.0f}, 1},
    {{-0.44f, 0.52f, 0.5f, 1.0f}, 2},
    {{0.41f, 0.46f, 0.5f, 1.0f}, 3},
};

static const uint16_t indices[] = {1, 0, 3, 2, 5, 4};

struct pass {
    struct vkt_image samples, color; /* `color` has one sample: the resolve target if `samples` is used */
    VkRenderPass pass;
    VkFramebuffer framebuffer;
};

static struct pass pass_create(struct vkt *t)
{
    const bool resolves = draw_case.samples != VK_SAMPLE_COUNT_1_BIT;
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    struct pass p = {.color =
                         vkt_image_create(t, &(struct vkt_image_info){.format = format,
                                                                      .width = W,
                                                                      .height = H,
                                                                      .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                               VK_IMAGE_USAGE_TRANSFER_SRC_BIT})};
    if (resolves)
        p.samples = vkt_image_create(t, &(struct vkt_image_info){.format = format,
                                                                 .width = W,
                                                                 .height = H,
                                                                 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                                                 .samples = draw_case.samples});
    const VkAttachmentDescription one = {.format = format,
                                         .samples = VK_SAMPLE_COUNT_1_BIT,
                                         .loadOp =
                                             resolves ? VK_ATTACHMENT_LOAD_OP_DONT_CARE : VK_ATTACHMENT_LOAD_OP_CLEAR,
                                         .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                         .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                         .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                         .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    VkAttachmentDescription attachments[2] = {one, one};
    attachments[1].samples = draw_case.samples;
    attachments[1].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachments[1].finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                samples = {1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = 1,
                                          .pColorAttachments = resolves ? &samples : &color,
                                          .pResolveAttachments = resolves ? &color : NULL};
    const VkSubpassDependency dependency = {.dstSubpass = VK_SUBPASS_EXTERNAL,
                                            .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                            .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                            .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                            .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                        .attachmentCount = resolves ? 2 : 1,
                                                        .pAttachments = attachments,
                                                        .subpassCount = 1,
                                                        .pSubpasses = &subpass,
                                                        .dependencyCount = 1,
                                                        .pDependencies = &dependency},
                              NULL, &p.pass));
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = p.pass,
                                                          .attachmentCount = resolves ? 2 : 1,
                                                          .pAttachments = (VkImageView[]){p.color.view, p.samples.view},
                                                          .width = W,
                                                          .height = H,
                                                          .layers = 1},
                               NULL, &p.framebuffer));
    return p;
}

static void pass_destroy(struct vkt *t, struct pass *p)
{
    vkDestroyFramebuffer(t->device, p->framebuffer, NULL);
    vkDestroyRenderPass(t->device, p->pass, NULL);
    vkt_image_destroy(t, &p->color);
    if (p->samples.image)
        vkt_image_destroy(t, &p->samples);
}

static struct vkt_pipeline make_pipeline(struct vkt *t, const struct pass *p)
{
    static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attributes[] = {
        {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(struct vertex, position)},
        {1, 0, VK_FORMAT_R32_UINT, offsetof(struct vertex, number)}};
    const VkPipelineMultisampleStateCreateInfo multisample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = draw_case.samples};
    const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
        .provokingVertexMode = draw_case.last_provokes ? VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT
                                                       : VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT};
    return vkt_pipeline_create(
        t, &(struct vkt_pipeline_info){.vs = draw_case.is_sample_shaded ? VKT_SHADER(interfaces_sample_vert)
                                             : draw_case.clips          ? VKT_SHADER(interfaces_clip_vert)
                                                                        : VKT_SHADER(interfaces_vert),
                                       .fs = draw_case.is_sample_shaded ? VKT_SHADER(interfaces_sample_frag)
                                             : draw_case.reads_indexed  ? VKT_SHADER(interfaces_indexed_frag)
                                                                        : VKT_SHADER(interfaces_frag),
                                       .pass = p->pass,
                                       .bindings = &binding,
                                       .binding_count = 1,
                                       .attributes = attributes,
                                       .attribute_count = 2,
                                       .topology = draw_case.topology,
                                       .polygon_mode = draw_case.polygon,
                                       .multisample = &multisample,
                                       .rasterization_next = &provoking,
                                       .push_size_B = 4,
                                       .width = W,
                                       .height = H});
}

static struct vkt_picture draw(int which)
{
    struct vkt *t = &devices[which];
    const bool draws_points = draw_case.topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    struct pass p = pass_create(t);
    struct vkt_pipeline pipeline = make_pipeline(t, &p);
    struct vkt_buffer vertex_buffer =
        vkt_buffer_create(t, draws_points ? sizeof points : sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
                          draws_points ? points : vertices);
    struct vkt_buffer index_buffer = vkt_buffer_create(t, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = p.pass,
                                                  .framebuffer = p.framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}},
                                                  .clearValueCount = 2,
                                                  .pClearValues = (VkClearValue[2]){{{{0}}}}},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertex_buffer.buffer, &(VkDeviceSize){0});
    vkCmdPushConstants(cmd, pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 4,
                       &draw_case.point_size);
    if (draw_case.is_indexed) {
        vkCmdBindIndexBuffer(cmd, index_buffer.buffer, 0, VK_INDEX_TYPE_UINT16);
        vkCmdDrawIndexed(cmd, draw_case.vertices, draw_case.instances, 0, 0, 0);
    } else {
        vkCmdDraw(cmd, draw_case.vertices, draw_case.instances, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture out = {W, H, malloc(W * H * 4)};
    assert_non_null(out.rgba);
    vkt_read_image(t, &p.color, 0, 0, out.rgba, W * H * 4);
    vkt_buffer_destroy(t, &vertex_buffer);
    vkt_buffer_destroy(t, &index_buffer);
    vkt_pipeline_destroy(t, &pipeline);
    pass_destroy(t, &p);
    return out;
}

/* ---------------------------------------------------------------- judging */

static uint32_t component_at(uint32_t x, uint32_t y)
{
    return (x + 37 * y) % COMPONENTS;
}

/* The reference's coverage, with the values that the reference draws without clip distances: where it clips a triangle
 * by them, its flat inputs are wrong. */
static struct vkt_picture draw_expected(void)
{
    struct vkt_picture out = draw(VKT_REFERENCE);
    if (!draw_case.clips)
        return out;
    draw_case.clips = false;
    struct vkt_picture whole = draw(VKT_REFERENCE);
    draw_case.clips = true;
    for (uint32_t i = 0; i < W * H; i++)
        if (out.rgba[4 * i + 3])
            memcpy(out.rgba + 4 * i, whole.rgba + 4 * i, 4);
    vkt_picture_free(&whole);
    return out;
}

/* Drivers may differ in the coverage of edge pixels. Where both draw, each component must have the same value. `shown`:
 * the number of pixels that each component must have at least. */
static void compare(const char *name, uint32_t shown)
{
    uint32_t both[COMPONENTS] = {0}, bad[COMPONENTS] = {0}, either = 0, one = 0;
    struct vkt_picture expected = draw_expected(), got = draw(VKT_TESTED);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            const uint8_t *a = expected.rgba + 4 * (y * W + x), *b = got.rgba + 4 * (y * W + x);
            const uint32_t component = component_at(x, y);
            either += a[3] || b[3];
            one += (a[3] != 0) != (b[3] != 0);
            if (a[3] != 255 || b[3] != 255)
                continue;
            both[component]++;
            bad[component] += abs(a[0] - b[0]) > 2 || a[1] != b[1] || a[2] != b[2];
        }
    for (uint32_t i = 0; i < COMPONENTS; i++)
        if (both[i] < shown || bad[i] * 20 > both[i] + 19) { /* allow 5 % plus one: pixels beside the edge between two
                                                              * triangles */
            printf("# %s: component %u: %u of %u pixels differ, at least %u wanted\n", name, i, bad[i], both[i], shown);
            vkt_compare(name, &expected, &got, (struct vkt_tolerance){2, 0}); /* writes both images to files */
            fail();
        }
    const bool lines =
        draw_case.topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST || draw_case.polygon == VK_POLYGON_MODE_LINE;
    if (one > either / (lines ? 3 : 50))
        fail_msg("%s: %u of %u pixels are covered by only one of the two drivers", name, one, either);
    vkt_picture_free(&expected);
    vkt_picture_free(&got);
}

/* The validation layer also counts built-in variables, which takes the total over its limit. */
static void accept_built_ins(void)
{
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-RuntimeSpirv-Location-06272");
}

static void begin(VkPrimitiveTopology topology, uint32_t count)
{
    memset(&draw_case, 0, sizeof draw_case);
    draw_case.topology = topology;
    draw_case.vertices = count;
    draw_case.instances = 1;
    draw_case.samples = VK_SAMPLE_COUNT_1_BIT;
    draw_case.point_size = 1;
    accept_built_ins();
}

static void clipped_triangles(void **state)
{
    for (uint32_t i = 0; i < 4; i++) {
        char name[64];
        begin(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 6);
        draw_case.last_provokes = i & 1;
        draw_case.reads_indexed = i & 2;
        snprintf(name, sizeof name, "interfaces_triangles_%u", i);
        compare(name, 80);
    }
}

static void strips_with_indices_and_instances(void **state)
{
    for (uint32_t i = 0; i < 4; i++) {
        char name[64];
        begin(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, 6);
        draw_case.is_indexed = i & 1;
        draw_case.last_provokes = i & 2;
        draw_case.instances = 3;
        snprintf(name, sizeof name, "interfaces_strip_%u", i);
        compare(name, 80);
    }
}

static void lines(void **state)
{
    for (uint32_t i = 0; i < 2; i++) {
        char name[64];
        begin(VK_PRIMITIVE_TOPOLOGY_LINE_LIST, 6);
        draw_case.last_provokes = i;
        draw_case.instances = 9;
        snprintf(name, sizeof name, "interfaces_lines_%u", i);
        compare(name, 1);
    }
}

/* Their vertex shaders are given all three vertices. */
static void outlines_of_triangles(void **state)
{
    for (uint32_t i = 0; i < 2; i++) {
        begin(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 6);
        draw_case.polygon = VK_POLYGON_MODE_LINE;
        draw_case.last_provokes = i;
        draw_case.instances = 5;
        compare(i ? "interfaces_outlines_last" : "interfaces_outlines", 1);
    }
}

static void points_of_a_size(void **state)
{
    begin(VK_PRIMITIVE_TOPOLOGY_POINT_LIST, VKT_COUNT(points));
    draw_case.point_size = 60;
    compare("interfaces_points", 60);
}

static void clip_distances_beside_them(void **state)
{
    begin(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 6);
    draw_case.clips = true;
    compare("interfaces_clip", 40);
}

static void four_samples(void **state)
{
    for (uint32_t i = 0; i < 2; i++) {
        begin(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 6);
        draw_case.samples = VK_SAMPLE_COUNT_4_BIT;
        draw_case.is_sample_shaded = i;
        compare(i ? "interfaces_sample_shaded" : "interfaces_four_samples", 80);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(clipped_triangles, vkt_check_messages),
        cmocka_unit_test_teardown(strips_with_indices_and_instances, vkt_check_messages),
        cmocka_unit_test_teardown(lines, vkt_check_messages),
        cmocka_unit_test_teardown(outlines_of_triangles, vkt_check_messages),
        cmocka_unit_test_teardown(points_of_a_size, vkt_check_messages),
        cmocka_unit_test_teardown(clip_distances_beside_them, vkt_check_messages),
        cmocka_unit_test_teardown(four_samples, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("interfaces", tests, open_devices, close_devices);
}
