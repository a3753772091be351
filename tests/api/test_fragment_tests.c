/* SPDX-License-Identifier: MIT
 *
 * Shaders that meet the depth and stencil tests. VK_EXT_shader_stencil_export: rectangles whose stencil reference
 * differs from fragment to fragment, with all comparisons and operations, masks, faces, depth tests, discarded
 * fragments, points of polygons and four samples. The stencil that results is held to a computed one, of the reference
 * as well. VK_EXT_post_depth_coverage: the samples that are left where a rectangle lies behind others.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "post_depth_early.frag.h"
#include "post_depth_post.frag.h"
#include "post_depth_stores.frag.h"
#include "stencil_export.frag.h"
#include "stencil_export.vert.h"
#include "stencil_export_depth.frag.h"
#include "stencil_export_samples.frag.h"

enum { SIZE = 48, CLEAR = 100 };

static struct vkt devices[2];

static int open_devices(void **state)
{
    static const char *const extensions[] = {VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME,
                                             VK_EXT_POST_DEPTH_COVERAGE_EXTENSION_NAME};
    for (int which = 0; which < 2; which++)
        devices[which] = vkt_device_create_with(vkt_device((enum vkt_which)which), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_devices(void **state)
{
    for (int which = 0; which < 2; which++)
        vkt_device_close(&devices[which]);
    return vkt_teardown(state);
}

struct push {
    int32_t per_x, per_y, constant, discard_every;
};

struct draw {
    struct push push;
    VkStencilOpState front, back;
    float z;
    VkCompareOp depth_compare;
    bool depth_test, depth_write, is_back, writes_depth, points;
    uint32_t x0, y0, x1, y1; /* the rectangle; 0: all */
};

struct pixel {
    uint8_t stencil;
    float depth;
    uint32_t colored;
};

/* ---------------------------------------------------------------- what should happen */

static bool compare(VkCompareOp op, double a, double b)
{
    switch (op) {
    case VK_COMPARE_OP_NEVER:
        return false;
    case VK_COMPARE_OP_LESS:
        return a < b;
    case VK_COMPARE_OP_EQUAL:
        return a == b;
    case VK_COMPARE_OP_LESS_OR_EQUAL:
        return a <= b;
    case VK_COMPARE_OP_GREATER:
        return a > b;
    case VK_COMPARE_OP_NOT_EQUAL:
        return a != b;
    case VK_COMPARE_OP_GREATER_OR_EQUAL:
        return a >= b;
    default:
        return true;
    }
}

static uint8_t operate(VkStencilOp op, uint8_t stored, uint8_t reference)
{
    switch (op) {
    case VK_STENCIL_OP_ZERO:
        return 0;
    case VK_STENCIL_OP_REPLACE:
        return reference;
    case VK_STENCIL_OP_INCREMENT_AND_CLAMP:
        return stored == 255 ? 255 : (uint8_t)(stored + 1);
    case VK_STENCIL_OP_DECREMENT_AND_CLAMP:
        return stored == 0 ? 0 : (uint8_t)(stored - 1);
    case VK_STENCIL_OP_INVERT:
        return (uint8_t)~stored;
    case VK_STENCIL_OP_INCREMENT_AND_WRAP:
        return (uint8_t)(stored + 1);
    case VK_STENCIL_OP_DECREMENT_AND_WRAP:
        return (uint8_t)(stored - 1);
    default:
        return stored;
    }
}

static void draw_pixel(const struct draw *d, uint32_t x, uint32_t y, uint32_t sample, struct pixel *p)
{
    const VkStencilOpState *face = d->is_back ? &d->back : &d->front;
    const int32_t sum = (int32_t)x * d->push.per_x + (int32_t)y * d->push.per_y + d->push.constant;
    const uint8_t reference = (uint8_t)(sum + (int32_t)sample * 37);
    const float z = d->writes_depth ? ((x + y) & 1 ? 0.75f : 0.25f) : d->z;
    if (d->push.discard_every && (x + 3 * y) % (uint32_t)d->push.discard_every == 0)
        return;
    VkStencilOp op = face->passOp;
    bool passes = true;
    if (!compare(face->compareOp, reference & face->compareMask, p->stencil & face->compareMask)) {
        op = face->failOp;
        passes = false;
    } else if (d->depth_test && !compare(d->depth_compare, z, p->depth)) {
        op = face->depthFailOp;
        passes = false;
    }
    const uint8_t changed = operate(op, p->stencil, reference);
    p->stencil = (uint8_t)((p->stencil & ~face->writeMask) | (changed & face->writeMask));
    if (passes && d->depth_test && d->depth_write)
        p->depth = z;
    p->colored += passes;
}

static struct draw completed(struct draw d)
{
    d.x1 = d.x1 ? d.x1 : SIZE;
    d.y1 = d.y1 ? d.y1 : SIZE;
    d.z = d.z != 0 ? d.z : 0.5f;
    return d;
}

/* The corners of the two triangles, in the order that gives the face. */
static void corners(const struct draw *d, uint32_t x[6], uint32_t y[6])
{
    static const uint8_t right[] = {0, 1, 0, 0, 1, 1}, low[] = {0, 0, 1, 1, 0, 1};
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t k = d->is_back ? 5 - i : i;
        x[i] = right[k] ? d->x1 : d->x0;
        y[i] = low[k] ? d->y1 : d->y0;
    }
}

static void draw_computed(const struct draw *draws, uint32_t count, uint32_t samples, struct pixel *p)
{
    for (uint32_t i = 0; i < SIZE * SIZE * samples; i++)
        p[i] = (struct pixel){.stencil = CLEAR, .depth = 0.5f};
    for (uint32_t i = 0; i < count; i++) {
        const struct draw d = completed(draws[i]);
        uint32_t x[6], y[6];
        corners(&d, x, y);
        for (uint32_t k = 0; k < 6 && d.points; k++)
            draw_pixel(&d, x[k], y[k], 0, &p[y[k] * SIZE + x[k]]);
        for (uint32_t k = 0; k < SIZE * SIZE * samples && !d.points; k++) {
            const uint32_t px = k / samples % SIZE, py = k / samples / SIZE;
            if (px >= d.x0 && px < d.x1 && py >= d.y0 && py < d.y1)
                draw_pixel(&d, px, py, samples > 1 ? k % samples : 0, &p[k]);
        }
    }
}

/* ---------------------------------------------------------------- drawing */

static struct vkt_buffer vertices_of(struct vkt *t, const struct draw *d)
{
    float v[6][3];
    uint32_t x[6], y[6];
    corners(d, x, y);
    const float centre = d->points ? 0.5f : 0;
    for (uint32_t i = 0; i < 6; i++) {
        v[i][0] = ((float)x[i] + centre) * 2 / SIZE - 1;
        v[i][1] = ((float)y[i] + centre) * 2 / SIZE - 1;
        v[i][2] = d->z;
    }
    return vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
}

static struct vkt_pipeline pipeline_of(struct vkt *t, const struct draw *d, VkRenderPass pass, uint32_t samples)
{
    static const VkVertexInputBindingDescription binding = {0, 12, VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32B32_SFLOAT, 0};
    const VkPipelineMultisampleStateCreateInfo multisample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = (VkSampleCountFlagBits)samples};
    return vkt_pipeline_create(
        t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(stencil_export_vert),
                                       .fs = samples > 1       ? VKT_SHADER(stencil_export_samples_frag)
                                             : d->writes_depth ? VKT_SHADER(stencil_export_depth_frag)
                                                               : VKT_SHADER(stencil_export_frag),
                                       .pass = pass,
                                       .bindings = &binding,
                                       .binding_count = 1,
                                       .attributes = &attribute,
                                       .attribute_count = 1,
                                       .topology = VKT_TRIANGLES,
                                       .front_face = VK_FRONT_FACE_CLOCKWISE,
                                       .polygon_mode = d->points ? VK_POLYGON_MODE_POINT : VK_POLYGON_MODE_FILL,
                                       .depth_test = d->depth_test,
                                       .depth_write = d->depth_write,
                                       .depth_compare = d->depth_compare,
                                       .stencil_test = true,
                                       .stencil = d->front,
                                       .stencil_back = &d->back,
                                       /* adds one to red each time that the fragment passes */
                                       .blend = {.blendEnable = VK_TRUE,
                                                 .srcColorBlendFactor = VK_BLEND_FACTOR_CONSTANT_COLOR,
                                                 .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                 .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                 .colorWriteMask = 15},
                                       .blend_constants = {16.0f / 255, 0, 0, 0},
                                       .width = SIZE,
                                       .height = SIZE,
                                       .multisample = &multisample,
                                       .push_size_B = sizeof(struct push)});
}

enum { MAX_DRAWS = 16 };

static void record(struct vkt *t, VkCommandBuffer cmd, const struct draw *draws, uint32_t count, VkRenderPass pass,
                   uint32_t samples, struct vkt_pipeline pipelines[MAX_DRAWS], struct vkt_buffer vertices[MAX_DRAWS])
{
    for (uint32_t i = 0; i < count; i++) {
        const struct draw d = completed(draws[i]);
        pipelines[i] = pipeline_of(t, &d, pass, samples);
        vertices[i] = vertices_of(t, &d);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[i].pipeline);
        vkCmdBindVertexBuffers(cmd, 0, 1, &vertices[i].buffer, &(VkDeviceSize){0});
        vkCmdPushConstants(cmd, pipelines[i].layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                           sizeof d.push, &d.push);
        vkCmdDraw(cmd, 6, 1, 0, 0);
    }
}

static void release(struct vkt *t, uint32_t count, struct vkt_pipeline pipelines[MAX_DRAWS],
                    struct vkt_buffer vertices[MAX_DRAWS])
{
    for (uint32_t i = 0; i < count; i++) {
        vkt_pipeline_destroy(t, &pipelines[i]);
        vkt_buffer_destroy(t, &vertices[i]);
    }
}

static void read_stencil(struct vkt *t, const struct vkt_image *image, uint8_t out[SIZE * SIZE])
{
    struct vkt_buffer buffer = vkt_buffer_create(t, SIZE * SIZE, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdCopyImageToBuffer(cmd, image->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer.buffer, 1,
                           &(VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0, 1},
                                                .imageExtent = {SIZE, SIZE, 1}});
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                            .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT},
                         0, NULL, 0, NULL);
    vkt_end_submit(t, cmd);
    memcpy(out, buffer.map, SIZE * SIZE);
    vkt_buffer_destroy(t, &buffer);
}

/* D24_UNORM_S8_UINT, or what else the device has. */
static VkFormat stencil_format(struct vkt *t)
{
    VkFormatProperties has;
    vkGetPhysicalDeviceFormatProperties(t->physical, VK_FORMAT_D24_UNORM_S8_UINT, &has);
    return has.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT ? VK_FORMAT_D24_UNORM_S8_UINT
                                                                                      : VK_FORMAT_D32_SFLOAT_S8_UINT;
}

static void check_on(struct vkt *t, const char *device, const struct draw *draws, uint32_t count)
{
    static struct pixel expected[SIZE * SIZE];
    static uint8_t got[SIZE * SIZE];
    struct vkt_pipeline pipelines[MAX_DRAWS];
    struct vkt_buffer vertices[MAX_DRAWS];
    struct vkt_target target = vkt_target_create(t, SIZE, SIZE, VK_FORMAT_R8G8B8A8_UNORM, stencil_format(t));
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[4]){0}, 0.5f, CLEAR);
    record(t, cmd, draws, count, target.pass, 1, pipelines, vertices);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture picture = vkt_read_target(t, &target);
    read_stencil(t, &target.depth, got);
    draw_computed(draws, count, 1, expected);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        if (got[i] != expected[i].stencil || picture.rgba[4 * i] != 16 * expected[i].colored)
            fail_msg("%s: pixel %u,%u: stencil %u, passed %u/16 times, instead of %u, %u", device, i % SIZE, i / SIZE,
                     got[i], picture.rgba[4 * i], expected[i].stencil, expected[i].colored);
    vkt_picture_free(&picture);
    release(t, count, pipelines, vertices);
    vkt_target_destroy(t, &target);
}

static void check(const struct draw *draws, uint32_t count)
{
    bool has_points = false; /* of which the reference draws all as front faces */
    assert_true(count <= MAX_DRAWS);
    for (uint32_t i = 0; i < count; i++)
        has_points |= draws[i].points;
    if (!has_points)
        check_on(&devices[VKT_REFERENCE], "reference", draws, count);
    check_on(&devices[VKT_TESTED], "tested", draws, count);
}

/* ---------------------------------------------------------------- cases */

static VkStencilOpState op_of(VkCompareOp compare_op, VkStencilOp fail, VkStencilOp z_fail, VkStencilOp pass)
{
    return (VkStencilOpState){.failOp = fail,
                              .passOp = pass,
                              .depthFailOp = z_fail,
                              .compareOp = compare_op,
                              .compareMask = 255,
                              .writeMask = 255,
                              .reference = 3};
}

#define REPLACES op_of(VK_COMPARE_OP_ALWAYS, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE)

static void values_are_written(void **state)
{
    check(&(struct draw){.push = {5, 7, 0, 0}, .front = REPLACES}, 1);
    check(&(struct draw){.push = {0, 0, 255, 0}, .front = REPLACES}, 1);
    check(&(struct draw){.push = {1, 0, 3, 0}, .front = REPLACES, .x0 = 3, .y0 = 5, .x1 = 30, .y1 = 41}, 1);
}

static void values_are_compared(void **state)
{
    for (VkCompareOp op = VK_COMPARE_OP_NEVER; op <= VK_COMPARE_OP_ALWAYS; op++) {
        const struct draw draws[] = {
            {.push = {5, 7, 0, 0}, .front = REPLACES},
            {.push = {3, 11, 30, 0},
             .front = op_of(op, VK_STENCIL_OP_INCREMENT_AND_WRAP, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE)},
            {.push = {13, 2, 70, 0},
             .front = op_of(op, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_DECREMENT_AND_CLAMP)}};
        check(draws, VKT_COUNT(draws));
    }
}

static void masks_apply(void **state)
{
    struct draw draws[] = {
        {.push = {5, 7, 0, 0}, .front = REPLACES},
        {.push = {3, 11, 30, 0},
         .front = op_of(VK_COMPARE_OP_LESS, VK_STENCIL_OP_INVERT, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE)},
        {.push = {9, 1, 12, 0},
         .front = op_of(VK_COMPARE_OP_GREATER, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_ZERO)}};
    draws[1].front.compareMask = 0x3c;
    draws[1].front.writeMask = 0x0f;
    draws[2].front.compareMask = 0xf1;
    draws[2].front.writeMask = 0xa5; /* which the chip has no code for */
    check(draws, VKT_COUNT(draws));
}

/* The later draws fail the depth test in part, one of them with the reference value as the result. */
static void depth_is_tested(void **state)
{
    const VkStencilOpState z_fails =
        op_of(VK_COMPARE_OP_NOT_EQUAL, VK_STENCIL_OP_ZERO, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_INVERT);
    const struct draw draws[] = {
        {.push = {5, 7, 0, 0}, .front = REPLACES, .x1 = 24, .z = 0.25f, .depth_test = true, .depth_write = true},
        {.push = {3, 11, 30, 0},
         .front = z_fails,
         .z = 0.375f,
         .depth_test = true,
         .depth_write = true,
         .depth_compare = VK_COMPARE_OP_LESS},
        {.push = {7, 3, 9, 0},
         .front = z_fails,
         .depth_test = true,
         .depth_write = true,
         .writes_depth = true,
         .depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL},
        {.push = {0, 5, 60, 5},
         .front = z_fails,
         .depth_test = true,
         .z = 0.25f,
         .depth_compare = VK_COMPARE_OP_GREATER_OR_EQUAL}};
    struct draw all[VKT_COUNT(draws)];
    memcpy(all, draws, sizeof all);
    all[0].depth_compare = VK_COMPARE_OP_ALWAYS;
    check(all, VKT_COUNT(all));
}

static void discarded_fragments_change_nothing(void **state)
{
    const struct draw draws[] = {{.push = {5, 7, 0, 2}, .front = REPLACES},
                                 {.push = {9, 4, 11, 7}, .front = REPLACES},
                                 {.push = {1, 1, 1, 1}, .front = REPLACES}};
    check(draws, VKT_COUNT(draws));
}

static void faces_differ(void **state)
{
    const VkStencilOpState front =
        op_of(VK_COMPARE_OP_LESS, VK_STENCIL_OP_INCREMENT_AND_CLAMP, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE);
    VkStencilOpState back =
        op_of(VK_COMPARE_OP_GREATER_OR_EQUAL, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_INVERT);
    back.writeMask = 0x7e;
    for (int points = 0; points < 2; points++) {
        const struct draw draws[] = {
            {.push = {5, 7, 0, 0}, .front = REPLACES, .back = REPLACES},
            {.push = {3, 11, 30, 0}, .front = front, .back = back, .x1 = 31, .y1 = 40, .points = points},
            {.push = {13, 2, 70, 0},
             .front = front,
             .back = back,
             .x0 = 12,
             .x1 = 47,
             .y1 = 40,
             .is_back = true,
             .points = points},
            {.push = {4, 9, 7, 3},
             .front = front,
             .back = back,
             .x0 = 12,
             .y0 = 9,
             .x1 = 31,
             .y1 = 40,
             .points = points}};
        check(draws, VKT_COUNT(draws));
    }
}

/* ---------------------------------------------------------------- four samples */

static VkRenderPass samples_pass(struct vkt *t, VkFormat format)
{
    const VkAttachmentDescription attachments[] = {{.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                    .samples = VK_SAMPLE_COUNT_4_BIT,
                                                    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                    .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                                    .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                                   {.format = format,
                                                    .samples = VK_SAMPLE_COUNT_4_BIT,
                                                    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                    .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                    .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                                    .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                                    .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
                                                   {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                                    .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                                    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                    .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL}};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
                                resolved = {2, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = 1,
                                          .pColorAttachments = &color,
                                          .pResolveAttachments = &resolved,
                                          .pDepthStencilAttachment = &depth};
    const VkSubpassDependency end = {0,
                                     VK_SUBPASS_EXTERNAL,
                                     VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
                                     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                     VK_ACCESS_MEMORY_WRITE_BIT,
                                     VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                     0};
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                        .attachmentCount = VKT_COUNT(attachments),
                                                        .pAttachments = attachments,
                                                        .subpassCount = 1,
                                                        .pSubpasses = &subpass,
                                                        .dependencyCount = 1,
                                                        .pDependencies = &end},
                              NULL, &pass));
    return pass;
}

/* Two attachments of four samples, and the one that colour is resolved to. */
struct samples_target {
    struct vkt_image images[3];
    VkRenderPass pass;
    VkFramebuffer framebuffer;
};

static void begin_samples(struct vkt *t, struct samples_target *out, VkCommandBuffer cmd, uint32_t clear_stencil,
                          float clear_depth)
{
    VkImageView views[3];
    for (uint32_t i = 0; i < 3; i++) {
        out->images[i] = vkt_image_create(
            t, &(struct vkt_image_info){.format = i == 1 ? stencil_format(t) : VK_FORMAT_R8G8B8A8_UNORM,
                                        .width = SIZE,
                                        .height = SIZE,
                                        .samples = i == 2 ? 0 : VK_SAMPLE_COUNT_4_BIT,
                                        .usage = i == 1   ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                                 : i == 2 ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                VK_IMAGE_USAGE_TRANSFER_SRC_BIT
                                                          : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
        views[i] = out->images[i].view;
    }
    out->pass = samples_pass(t, out->images[1].format);
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = out->pass,
                                                          .attachmentCount = 3,
                                                          .pAttachments = views,
                                                          .width = SIZE,
                                                          .height = SIZE,
                                                          .layers = 1},
                               NULL, &out->framebuffer));
    const VkClearValue clears[] = {{.color = {.float32 = {0}}}, {.depthStencil = {clear_depth, clear_stencil}}};
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = out->pass,
                                                  .framebuffer = out->framebuffer,
                                                  .renderArea = {{0, 0}, {SIZE, SIZE}},
                                                  .clearValueCount = VKT_COUNT(clears),
                                                  .pClearValues = clears},
                         VK_SUBPASS_CONTENTS_INLINE);
}

/* Reads the resolved colours, and releases everything. */
static void end_samples(struct vkt *t, struct samples_target *target, VkCommandBuffer cmd, uint8_t out[4 * SIZE * SIZE])
{
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &target->images[2], 0, 0, out, 4 * SIZE * SIZE);
    vkDestroyFramebuffer(t->device, target->framebuffer, NULL);
    vkDestroyRenderPass(t->device, target->pass, NULL);
    for (uint32_t i = 0; i < 3; i++)
        vkt_image_destroy(t, &target->images[i]);
}

static void check_samples_on(struct vkt *t, const char *device, const struct draw *draws, uint32_t count)
{
    static struct pixel expected[4 * SIZE * SIZE];
    static uint8_t got[4 * SIZE * SIZE];
    struct vkt_pipeline pipelines[MAX_DRAWS];
    struct vkt_buffer vertices[MAX_DRAWS];
    struct samples_target target;
    VkCommandBuffer cmd = vkt_begin(t);
    begin_samples(t, &target, cmd, CLEAR, 0.5f);
    record(t, cmd, draws, count, target.pass, 4, pipelines, vertices);
    end_samples(t, &target, cmd, got);
    draw_computed(draws, count, 4, expected);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t sum = 0;
        for (uint32_t s = 0; s < 4; s++)
            sum += 16 * expected[4 * i + s].colored;
        if (got[4 * i] != sum / 4)
            fail_msg("%s: pixel %u,%u: %u instead of %u", device, i % SIZE, i / SIZE, got[4 * i], sum / 4);
    }
    release(t, count, pipelines, vertices);
}

static void samples_have_their_own(void **state)
{
    const struct draw draws[] = {
        {.push = {5, 7, 0, 0}, .front = REPLACES},
        {.push = {3, 11, 30, 0},
         .front =
             op_of(VK_COMPARE_OP_LESS, VK_STENCIL_OP_INCREMENT_AND_WRAP, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE)},
        {.push = {13, 2, 70, 3},
         .front = op_of(VK_COMPARE_OP_GREATER, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_INVERT)}};
    check_samples_on(&devices[VKT_REFERENCE], "reference", draws, VKT_COUNT(draws));
    check_samples_on(&devices[VKT_TESTED], "tested", draws, VKT_COUNT(draws));
}

/* ---------------------------------------------------------------- coverage after the tests */

/* Rectangles in front, whose sides cut pixels, in sixteenths of a pixel. */
static const uint32_t in_front[][4] = {{16 * 5 + 8, 16 * 4, 16 * 20 + 4, 16 * 15 + 8},
                                       {16 * 24, 16 * 3 + 4, 16 * 40 + 12, 16 * 30},
                                       {16 * 2 + 12, 16 * 33 + 4, 16 * 44 + 8, 16 * 44 + 12}};

/* The samples of the pixel that no rectangle covers. */
static uint32_t samples_left(uint32_t x, uint32_t y)
{
    static const uint32_t at[][2] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
    uint32_t mask = 15;
    for (uint32_t i = 0; i < VKT_COUNT(in_front); i++)
        for (uint32_t s = 0; s < 4; s++) {
            const uint32_t *r = in_front[i], sx = 16 * x + at[s][0], sy = 16 * y + at[s][1];
            if (sx >= r[0] && sx < r[2] && sy >= r[1] && sy < r[3])
                mask &= ~(1u << s);
        }
    return mask;
}

static struct vkt_buffer rectangle(struct vkt *t, const uint32_t r[4], float z)
{
    static const uint8_t right[] = {0, 1, 0, 0, 1, 1}, low[] = {0, 0, 1, 1, 0, 1};
    float v[6][3];
    for (uint32_t i = 0; i < 6; i++) {
        v[i][0] = (float)(right[i] ? r[2] : r[0]) * 2 / (16 * SIZE) - 1;
        v[i][1] = (float)(low[i] ? r[3] : r[1]) * 2 / (16 * SIZE) - 1;
        v[i][2] = z;
    }
    return vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
}

enum what_tests { BY_DEPTH, BY_STENCIL, BY_MASK_TOO };

static struct vkt_pipeline coverage_pipeline(struct vkt *t, VkRenderPass pass, struct vkt_shader fs, bool is_first,
                                             enum what_tests what, VkDescriptorSetLayout layout)
{
    static const VkVertexInputBindingDescription binding = {0, 12, VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32B32_SFLOAT, 0};
    static const VkSampleMask mask = 0xd;
    VkStencilOpState stencil =
        is_first ? REPLACES
                 : op_of(VK_COMPARE_OP_NOT_EQUAL, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_KEEP);
    const VkPipelineMultisampleStateCreateInfo multisample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT,
        .pSampleMask = !is_first && what == BY_MASK_TOO ? &mask : NULL};
    return vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(stencil_export_vert),
                                                              .fs = fs,
                                                              .pass = pass,
                                                              .bindings = &binding,
                                                              .binding_count = 1,
                                                              .attributes = &attribute,
                                                              .attribute_count = 1,
                                                              .topology = VKT_TRIANGLES,
                                                              .depth_test = what != BY_STENCIL,
                                                              .depth_write = what != BY_STENCIL,
                                                              .depth_compare = VK_COMPARE_OP_LESS,
                                                              .stencil_test = what == BY_STENCIL,
                                                              .stencil = stencil,
                                                              .stencil_back = &stencil,
                                                              .blend = {.colorWriteMask = is_first ? 8 : 15},
                                                              .width = SIZE,
                                                              .height = SIZE,
                                                              .multisample = &multisample,
                                                              .set_layouts = {layout},
                                                              .set_layout_count = layout ? 1 : 0});
}

static void check_coverage_on(struct vkt *t, const char *device, struct vkt_shader fs, bool is_post, bool stores,
                              enum what_tests what)
{
    static uint8_t got[4 * SIZE * SIZE];
    static const uint32_t all[] = {0, 0, 16 * SIZE, 16 * SIZE};
    struct samples_target target;
    struct vkt_buffer front[VKT_COUNT(in_front)], behind = rectangle(t, all, 0.5f);
    struct vkt_buffer masks = vkt_storage_buffer(t, SIZE * SIZE, 0);
    VkDescriptorSetLayout layout = vkt_set_layout_create(
        t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 0}, 1);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, masks.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    begin_samples(t, &target, cmd, 0, 1);
    struct vkt_pipeline first =
        coverage_pipeline(t, target.pass, VKT_SHADER(post_depth_early_frag), true, what, VK_NULL_HANDLE);
    struct vkt_pipeline second = coverage_pipeline(t, target.pass, fs, false, what, layout);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, first.pipeline);
    for (uint32_t i = 0; i < VKT_COUNT(in_front); i++) {
        front[i] = rectangle(t, in_front[i], 0.25f);
        vkCmdBindVertexBuffers(cmd, 0, 1, &front[i].buffer, &(VkDeviceSize){0});
        vkCmdDraw(cmd, 6, 1, 0, 0);
    }
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, second.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, second.layout, 0, 1, &set, 0, NULL);
    vkCmdBindVertexBuffers(cmd, 0, 1, &behind.buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, 3, 1, 0, 0); /* a triangle: no pixel belongs to two */
    end_samples(t, &target, cmd, got);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        if (i % SIZE + i / SIZE >= SIZE - 1) /* the other half, and the pixels that the triangle's side cuts */
            continue;
        const uint32_t allowed = what == BY_MASK_TOO ? 0xd : 15, left = samples_left(i % SIZE, i / SIZE) & allowed;
        const uint32_t read = left ? (is_post ? left : allowed) : 0;
        uint32_t count = 0;
        for (uint32_t s = 0; s < 4; s++)
            count += left >> s & 1;
        if (got[4 * i] != read * 16 * count / 4)
            fail_msg("%s: pixel %u,%u: %u instead of mask %u with %u samples", device, i % SIZE, i / SIZE, got[4 * i],
                     read, count);
        if (stores && ((uint32_t *)masks.map)[i] != (left ? read + 1 : 0))
            fail_msg("%s: pixel %u,%u stored %u instead of %u", device, i % SIZE, i / SIZE, ((uint32_t *)masks.map)[i],
                     left ? read + 1 : 0);
    }
    vkt_pipeline_destroy(t, &first);
    vkt_pipeline_destroy(t, &second);
    for (uint32_t i = 0; i < VKT_COUNT(in_front); i++)
        vkt_buffer_destroy(t, &front[i]);
    vkt_buffer_destroy(t, &behind);
    vkt_buffer_destroy(t, &masks);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
}

static void coverage_is_that_after_the_tests(void **state)
{
    for (enum what_tests what = BY_DEPTH; what <= BY_MASK_TOO; what++) {
        check_coverage_on(&devices[VKT_TESTED], "tested", VKT_SHADER(post_depth_early_frag), false, false, what);
        check_coverage_on(&devices[VKT_TESTED], "tested", VKT_SHADER(post_depth_post_frag), true, false, what);
        check_coverage_on(&devices[VKT_TESTED], "tested", VKT_SHADER(post_depth_stores_frag), true, true, what);
    }
    check_coverage_on(&devices[VKT_REFERENCE], "reference", VKT_SHADER(post_depth_post_frag), true, false, BY_DEPTH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(values_are_written, vkt_check_messages),
        cmocka_unit_test_teardown(values_are_compared, vkt_check_messages),
        cmocka_unit_test_teardown(masks_apply, vkt_check_messages),
        cmocka_unit_test_teardown(depth_is_tested, vkt_check_messages),
        cmocka_unit_test_teardown(discarded_fragments_change_nothing, vkt_check_messages),
        cmocka_unit_test_teardown(faces_differ, vkt_check_messages),
        cmocka_unit_test_teardown(samples_have_their_own, vkt_check_messages),
        cmocka_unit_test_teardown(coverage_is_that_after_the_tests, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("fragment_tests", tests, open_devices, close_devices);
}
