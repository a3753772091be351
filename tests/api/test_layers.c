/* SPDX-License-Identifier: MIT
 *
 * Layered framebuffers. Draws go to the first layer unless a geometry shader selects others (see also
 * test_viewports.c), while load operations, clears of attachments and resolves affect all layers. Attachments are
 * arrays, or slices of a 3D image's level.
 */
#include <string.h>
#include "vkt.h"
#include "full.vert.h"
#include "push.frag.h"
#include "layers.vert.h"
#include "layers.geom.h"
#include "layers.frag.h"

enum { W = 64, H = 64, MANY = 2048 };

static const float white[4] = {1, 1, 1, 1}, blue[4] = {0, 0, 1, 1}, red[4] = {1, 0, 0, 1}, green[4] = {0, 1, 0, 1};

struct scene {
    /* parameters */
    VkFormat format, depth_format; /* none: VK_FORMAT_UNDEFINED */
    bool samples, slices, remaining;
    bool in_all_layers; /* a geometry shader draws in each layer; otherwise draws go to the first one */
    uint32_t width, height, layers;
    VkRect2D area;
    VkAttachmentLoadOp load;
    /* results */
    /* The images have layers + 1 layers, or twice as many slices in level 0; framebuffers begin at layer 1. */
    struct vkt_image color, depth, resolved;
    VkImageView color_view, depth_view, resolve_view;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    struct vkt_pipeline pipeline;
};

enum { FIRST_LAYER = 1, SLICE_LEVEL = 1 };

/* ---------------------------------------------------------------- attachments */

static const VkImageUsageFlags transfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

static struct vkt_image image_create(struct vkt *t, const struct scene *s, VkFormat format, bool samples,
                                     VkImageUsageFlags usage)
{
    struct vkt_image_info info = {
        .format = format,
        .width = s->width,
        .height = s->height,
        .layers = s->layers + FIRST_LAYER,
        .array = true,
        .usage = usage | transfers,
        .samples = samples ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT,
    };
    if (s->slices) {
        info.layers = 1;
        info.array = false;
        info.flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
        info.levels = SLICE_LEVEL + 1;
        info.width <<= SLICE_LEVEL;
        info.height <<= SLICE_LEVEL;
        info.depth = (s->layers + FIRST_LAYER) << SLICE_LEVEL;
    }
    return vkt_image_create(t, &info);
}

static VkImageView view_create(struct vkt *t, const struct scene *s, const struct vkt_image *image)
{
    VkImageView view;
    vkt_ok(vkCreateImageView(t->device,
                             &(VkImageViewCreateInfo){
                                 .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                 .image = image->image,
                                 .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                                 .format = image->format,
                                 .subresourceRange = {image->aspect, s->slices ? SLICE_LEVEL : 0, 1, FIRST_LAYER,
                                                      s->remaining ? VK_REMAINING_ARRAY_LAYERS : s->layers},
                             },
                             NULL, &view));
    return view;
}

static void clear_image(VkCommandBuffer cmd, const struct vkt_image *image)
{
    const VkImageSubresourceRange all = {image->aspect, 0, image->levels, 0, image->layers};
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    if (image->aspect == VK_IMAGE_ASPECT_COLOR_BIT)
        vkCmdClearColorImage(cmd, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                             &(VkClearColorValue){.float32 = {white[0], white[1], white[2], white[3]}}, 1, &all);
    else
        vkCmdClearDepthStencilImage(cmd, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    &(VkClearDepthStencilValue){0, 0}, 1, &all);
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
}

/* ---------------------------------------------------------------- passes */

static VkRenderPass pass_create(struct vkt *t, const struct scene *s)
{
    VkAttachmentDescription attachments[3];
    uint32_t count = 0;
    const VkAttachmentDescription common = {
        .format = s->format,
        .samples = s->samples ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT,
        .loadOp = s->load,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
        .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
    };
    attachments[count++] = common;
    if (s->depth_format) {
        attachments[count] = common;
        attachments[count++].format = s->depth_format;
    }
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_GENERAL}, depth = {1, VK_IMAGE_LAYOUT_GENERAL},
                                resolve = {count, VK_IMAGE_LAYOUT_GENERAL};
    if (s->samples) {
        attachments[count] = common;
        attachments[count].loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
        attachments[count++].samples = VK_SAMPLE_COUNT_1_BIT;
    }
    const VkSubpassDescription subpass = {
        .colorAttachmentCount = 1,
        .pColorAttachments = &color,
        .pResolveAttachments = s->samples ? &resolve : NULL,
        .pDepthStencilAttachment = s->depth_format ? &depth : NULL,
    };
    const VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkSubpassDependency dependencies[] = {
        {VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, all, all, 0},
        {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, all, all, 0},
    };
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .attachmentCount = count,
                                  .pAttachments = attachments,
                                  .subpassCount = 1,
                                  .pSubpasses = &subpass,
                                  .dependencyCount = VKT_COUNT(dependencies),
                                  .pDependencies = dependencies,
                              },
                              NULL, &pass));
    return pass;
}

static VkFramebuffer framebuffer_create(struct vkt *t, const struct scene *s)
{
    VkImageView views[3] = {s->color_view};
    uint32_t count = 1;
    if (s->depth_view)
        views[count++] = s->depth_view;
    if (s->resolve_view)
        views[count++] = s->resolve_view;
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){
                                   .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = s->pass,
                                   .attachmentCount = count,
                                   .pAttachments = views,
                                   .width = s->width,
                                   .height = s->height,
                                   .layers = s->layers,
                               },
                               NULL, &framebuffer));
    return framebuffer;
}

static void scene_init(struct vkt *t, struct scene *s)
{
    s->color = image_create(t, s, s->format, s->samples, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    s->color_view = view_create(t, s, &s->color);
    if (s->depth_format) {
        s->depth = image_create(t, s, s->depth_format, s->samples, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
        s->depth_view = view_create(t, s, &s->depth);
    }
    if (s->samples) {
        s->resolved = image_create(t, s, s->format, false, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
        s->resolve_view = view_create(t, s, &s->resolved);
    }
    s->pass = pass_create(t, s);
    s->framebuffer = framebuffer_create(t, s);
    s->pipeline = vkt_pipeline_create(
        t, &(struct vkt_pipeline_info){
               .vs = s->in_all_layers ? VKT_SHADER(layers_vert) : VKT_SHADER(full_vert),
               .gs = s->in_all_layers ? VKT_SHADER(layers_geom) : (struct vkt_shader){NULL, 0},
               .fs = s->in_all_layers ? VKT_SHADER(layers_frag) : VKT_SHADER(push_frag),
               .pass = s->pass,
               .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
               .width = s->width / 2, /* the left half */
               .height = s->height,
               .push_size_B = 16,
               .multisample = s->samples ? &(VkPipelineMultisampleStateCreateInfo){
                                               .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                               .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT}
                                         : NULL,
           });
}

static void scene_finish(struct vkt *t, struct scene *s)
{
    vkt_pipeline_destroy(t, &s->pipeline);
    vkDestroyFramebuffer(t->device, s->framebuffer, NULL);
    vkDestroyRenderPass(t->device, s->pass, NULL);
    vkDestroyImageView(t->device, s->color_view, NULL);
    vkDestroyImageView(t->device, s->depth_view, NULL);
    vkDestroyImageView(t->device, s->resolve_view, NULL);
    vkt_image_destroy(t, &s->color);
    vkt_image_destroy(t, &s->depth);
    vkt_image_destroy(t, &s->resolved);
}

static void begin(VkCommandBuffer cmd, const struct scene *s, VkSubpassContents contents)
{
    const VkClearValue values[] = {
        {.color = {.float32 = {blue[0], blue[1], blue[2], blue[3]}}},
        {.depthStencil = {1, 0}},
    };
    clear_image(cmd, &s->color);
    if (s->depth_format)
        clear_image(cmd, &s->depth);
    if (s->samples)
        clear_image(cmd, &s->resolved);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){
                             .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                             .renderPass = s->pass,
                             .framebuffer = s->framebuffer,
                             .renderArea = s->area,
                             .clearValueCount = VKT_COUNT(values),
                             .pClearValues = values,
                         },
                         contents);
}

static void draw(VkCommandBuffer cmd, const struct scene *s)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->pipeline.pipeline);
    vkCmdPushConstants(cmd, s->pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                       sizeof red, red);
    vkCmdDraw(cmd, 4, s->in_all_layers ? s->layers : 1, 0, 0);
}

/* ---------------------------------------------------------------- expected pixels */

/* The bits of 1 in one channel of the format, and the channel's size; 0 is all zero bits. */
static uint32_t one_of(VkFormat format, uint32_t *channel_B_out)
{
    switch (format) {
    case VK_FORMAT_R16G16B16A16_SFLOAT:
        *channel_B_out = 2;
        return 0x3c00;
    case VK_FORMAT_R32G32B32A32_SFLOAT:
        *channel_B_out = 4;
        return 0x3f800000;
    case VK_FORMAT_D16_UNORM:
        *channel_B_out = 2;
        return 0xffff;
    default:
        *channel_B_out = 1;
        return 0xff;
    }
}

typedef const float *(*pixel_fn)(const struct scene *s, uint32_t layer, uint32_t x, uint32_t y);

/* Compares all layers of the image. Layers of the framebuffer must be as `pixel` says, given the framebuffer's layer
 * index; the layers before them must be untouched. */
static void expect(struct vkt *t, const struct scene *s, const struct vkt_image *image, pixel_fn pixel)
{
    const uint32_t channels = image->aspect == VK_IMAGE_ASPECT_COLOR_BIT ? 4 : 1;
    const uint32_t image_layers = s->layers + FIRST_LAYER, level = s->slices ? SLICE_LEVEL : 0;
    uint32_t channel_B;
    const uint32_t one = one_of(image->format, &channel_B);
    const size_t layer_B = (size_t)s->width * s->height * channels * channel_B;
    uint8_t *got = test_malloc(layer_B * image_layers);
    if (s->slices)
        vkt_read_image(t, image, level, 0, got, (uint32_t)(layer_B * image_layers));
    for (uint32_t layer = 0; layer < image_layers && !s->slices; layer++)
        vkt_read_image(t, image, level, layer, got + layer * layer_B, (uint32_t)layer_B);
    const uint8_t *at = got;
    for (uint32_t layer = 0; layer < image_layers; layer++)
        for (uint32_t i = 0; i < s->width * s->height * channels; i++, at += channel_B) {
            const uint32_t x = i / channels % s->width, y = i / channels / s->width;
            const float *color = layer >= FIRST_LAYER ? pixel(s, layer - FIRST_LAYER, x, y)
                                 : channels == 1      ? NULL
                                                      : white;
            const uint32_t expected = color && color[i % channels] != 0.0f ? one : 0;
            uint32_t value = 0;
            memcpy(&value, at, channel_B); /* little-endian */
            if (value != expected)
                fail_msg("format %d, layer %u, pixel (%u, %u), channel %u: %x instead of %x", image->format, layer, x,
                         y, i % channels, value, expected);
        }
    test_free(got);
}

static bool is_in(const VkRect2D *rect, uint32_t x, uint32_t y)
{
    return x >= (uint32_t)rect->offset.x && x < (uint32_t)rect->offset.x + rect->extent.width &&
           y >= (uint32_t)rect->offset.y && y < (uint32_t)rect->offset.y + rect->extent.height;
}

static const float *background(const struct scene *s, uint32_t x, uint32_t y)
{
    return s->load == VK_ATTACHMENT_LOAD_OP_CLEAR && is_in(&s->area, x, y) ? blue : white;
}

static const float *drawn_pixel(const struct scene *s, uint32_t layer, uint32_t x, uint32_t y)
{
    return (s->in_all_layers || layer == 0) && x < s->width / 2 && is_in(&s->area, x, y) ? red : background(s, x, y);
}

static const float *depth_pixel(const struct scene *s, uint32_t layer, uint32_t x, uint32_t y)
{
    return is_in(&s->area, x, y) ? white : NULL;
}

/* ---------------------------------------------------------------- tests */

static void draw_and_expect(struct scene s)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    scene_init(t, &s);
    VkCommandBuffer cmd = vkt_begin(t);
    begin(cmd, &s, VK_SUBPASS_CONTENTS_INLINE);
    draw(cmd, &s);
    vkCmdEndRenderPass(cmd);
    struct vkt_image *const images[] = {&s.color, &s.depth, &s.resolved};
    for (uint32_t i = 0; i < VKT_COUNT(images); i++)
        if (images[i]->image)
            vkt_image_barrier(cmd, images[i], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    expect(t, &s, s.samples ? &s.resolved : &s.color, drawn_pixel);
    if (s.depth_format && !s.samples)
        expect(t, &s, &s.depth, depth_pixel);
    scene_finish(t, &s);
}

static const struct scene plain = {
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .width = W,
    .height = H,
    .layers = 3,
    .area = {{0, 0}, {W, H}},
    .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
};
static const VkRect2D part = {{5, 7}, {50, 30}};

static void loads_clear_all_layers(void **state)
{
    struct scene s = plain;
    s.depth_format = VK_FORMAT_D16_UNORM;
    draw_and_expect(s);
    s.area = part;
    draw_and_expect(s);
    s.format = VK_FORMAT_R32G32B32A32_SFLOAT;
    draw_and_expect(s);
    s.area = plain.area;
    s.remaining = true;
    draw_and_expect(s);
}

static void loads_keep_all_layers(void **state)
{
    struct scene s = plain;
    s.load = VK_ATTACHMENT_LOAD_OP_LOAD;
    draw_and_expect(s);
    s.format = VK_FORMAT_R16G16B16A16_SFLOAT;
    s.area = part;
    draw_and_expect(s);
}

static void as_many_as_the_limit_says(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    assert_true(t->properties.limits.maxFramebufferLayers >= MANY);
    struct scene s = plain;
    s.layers = MANY - FIRST_LAYER;
    s.width = s.height = 16;
    s.area.extent = (VkExtent2D){16, 16};
    draw_and_expect(s);
}

static void slices_of_a_volume(void **state)
{
    struct scene s = plain;
    s.slices = true;
    draw_and_expect(s);
    s.remaining = true;
    s.format = VK_FORMAT_R16G16B16A16_SFLOAT;
    draw_and_expect(s);
    s.area = part;
    draw_and_expect(s);
}

/* Resolves in the tile buffer, on the CPU where the area does not fill tiles, and with several words per pixel. */
static void resolves_reach_all_layers(void **state)
{
    struct scene s = plain;
    s.samples = true;
    s.depth_format = VK_FORMAT_D16_UNORM;
    draw_and_expect(s);
    s.area = part;
    s.load = VK_ATTACHMENT_LOAD_OP_CLEAR;
    draw_and_expect(s);
    s.area = plain.area;
    s.format = VK_FORMAT_R16G16B16A16_SFLOAT;
    draw_and_expect(s);
}

/* ViewIndex is 0 in all layers of a pass without multiview, in each stage that reads it; Layer is the layer. */
static void view_index_is_zero_without_multiview(void **state)
{
    struct scene s = plain;
    s.in_all_layers = true;
    draw_and_expect(s);
    s.area = part;
    s.format = VK_FORMAT_R32G32B32A32_SFLOAT;
    draw_and_expect(s);
}

/* First clears all of the first two layers; then, after a draw, a rectangle in the last two. */
static const VkClearRect everything = {{{0, 0}, {W, H}}, 0, 2}, some = {{{10, 3}, {40, 50}}, 1, 2};

static const float *cleared_pixel(const struct scene *s, uint32_t layer, uint32_t x, uint32_t y)
{
    if (layer >= some.baseArrayLayer && is_in(&some.rect, x, y))
        return red;
    if (layer == 0 && x < s->width / 2)
        return red;
    return layer < everything.layerCount ? green : background(s, x, y);
}

static void record_clears(VkCommandBuffer cmd, const struct scene *s)
{
    const VkClearAttachment to_green = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {0, 1, 0, 1}}}},
                            to_red = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {1, 0, 0, 1}}}};
    vkCmdClearAttachments(cmd, 1, &to_green, 1, &everything);
    draw(cmd, s);
    vkCmdClearAttachments(cmd, 1, &to_red, 1, &some);
}

static VkCommandBuffer secondary_of(struct vkt *t, const struct scene *s)
{
    VkCommandBuffer cmd = vkt_begin_secondary(t, s->pass, 0);
    record_clears(cmd, s);
    vkt_ok(vkEndCommandBuffer(cmd));
    return cmd;
}

static void clear_and_expect(struct scene s, bool in_secondary)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    scene_init(t, &s);
    VkCommandBuffer cmd = vkt_begin(t), secondary = in_secondary ? secondary_of(t, &s) : NULL;
    begin(cmd, &s, in_secondary ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE);
    if (in_secondary)
        vkCmdExecuteCommands(cmd, 1, &secondary);
    else
        record_clears(cmd, &s);
    vkCmdEndRenderPass(cmd);
    vkt_image_barrier(cmd, &s.color, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    expect(t, &s, &s.color, cleared_pixel);
    if (in_secondary)
        vkFreeCommandBuffers(t->device, t->pool, 1, &secondary);
    scene_finish(t, &s);
}

static void clears_reach_their_layers(void **state)
{
    struct scene s = plain;
    for (uint32_t in_secondary = 0; in_secondary < 2; in_secondary++) {
        s.format = VK_FORMAT_R8G8B8A8_UNORM;
        clear_and_expect(s, in_secondary);
        s.format = VK_FORMAT_R32G32B32A32_SFLOAT;
        clear_and_expect(s, in_secondary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(loads_clear_all_layers, vkt_check_messages),
        cmocka_unit_test_teardown(loads_keep_all_layers, vkt_check_messages),
        cmocka_unit_test_teardown(as_many_as_the_limit_says, vkt_check_messages),
        cmocka_unit_test_teardown(slices_of_a_volume, vkt_check_messages),
        cmocka_unit_test_teardown(resolves_reach_all_layers, vkt_check_messages),
        cmocka_unit_test_teardown(view_index_is_zero_without_multiview, vkt_check_messages),
        cmocka_unit_test_teardown(clears_reach_their_layers, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
