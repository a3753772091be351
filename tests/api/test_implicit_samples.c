/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_multisampled_render_to_single_sampled: passes that draw with four samples to attachments of one. Every byte is
 * compared with what the same draws leave in attachments of four samples that are resolved, and a picture with the
 * reference's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "samples.vert.h"
#include "samples_three.frag.h"
#include "subpass.frag.h"
#include "targets_float.frag.h"
#include "targets_uint.frag.h"

enum { W = 100, H = 70, LAYERS = 2, MAX_COLORS = 3, TEXEL_B = 8 };

#define ENTRY(t, name)    ((PFN_##name)vkGetDeviceProcAddr((t)->device, #name))
#define COLOR_LAYOUT      VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
#define READ_DEPTH_LAYOUT VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL
#define DEPTH_LAYOUT      VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL

/* As samples.vert reads it. */
struct push {
    float scale[4], offset[4], corners[6], depth;
};

static const struct push triangles[] = {
    {{0, 0, 0, 0}, {0.9f, 0.3f, 0.1f, 0.6f}, {-0.93f, -0.87f, 0.81f, -0.37f, -0.21f, 0.94f}, 0.4f},
    {{0, 0, 0, 0}, {0.1f, 0.7f, 0.8f, 1}, {0.97f, -0.91f, 0.57f, 0.83f, -0.77f, 0.11f}, 0.6f},
    {{0, 0, 0, 0}, {0.4f, 0.2f, 1, 0.2f}, {-0.3f, -0.6f, 0.4f, -0.5f, 0.05f, 0.7f}, 0.2f},
};

struct variant {
    const char *name;
    VkFormat colors[MAX_COLORS]; /* up to the first VK_FORMAT_UNDEFINED */
    VkFormat depth;
    VkResolveModeFlagBits depth_mode, stencil_mode;
    VkAttachmentLoadOp load;
    VkAttachmentStoreOp store;
    VkRect2D area;
    uint32_t views;
    bool clears;   /* a part of the attachments between two draws */
    bool suspends; /* goes on in another command buffer */
};

#define ALL_PX                                                                                                         \
    {                                                                                                                  \
        {0, 0},                                                                                                        \
        {                                                                                                              \
            W, H                                                                                                       \
        }                                                                                                              \
    }
#define PART_PX                                                                                                        \
    {                                                                                                                  \
        {7, 5},                                                                                                        \
        {                                                                                                              \
            67, 40                                                                                                     \
        }                                                                                                              \
    }

struct scene {
    struct vkt t;
    const struct variant *v;
    uint32_t color_count;
    struct vkt_image pixels[MAX_COLORS + 1], samples[MAX_COLORS + 1]; /* colours, then depth */
    struct vkt_pipeline pipeline;
};

/* ---------------------------------------------------------------- scenes */

static struct vkt open_device(enum vkt_which which)
{
    static const char *const extensions[] = {VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
                                             VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
                                             VK_EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXTENSION_NAME};
    VkPhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT implicit = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT,
        .multisampledRenderToSingleSampled = VK_TRUE};
    VkPhysicalDeviceDynamicRenderingFeatures features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
        .pNext = &implicit,
        .dynamicRendering = VK_TRUE};
    return vkt_device_create_chain(vkt_device(which), extensions, VKT_COUNT(extensions), &features);
}

static struct vkt_image image_create(struct vkt *t, VkFormat format, VkSampleCountFlagBits samples, uint32_t layers,
                                     bool is_depth, VkImageUsageFlags more)
{
    return vkt_image_create(
        t, &(struct vkt_image_info){
               .format = format,
               .width = W,
               .height = H,
               .layers = layers,
               .array = layers > 1,
               .samples = samples,
               .flags = samples == 1 ? VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT : 0,
               .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | more |
                        (is_depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT),
           });
}

static const VkPipelineMultisampleStateCreateInfo four_samples = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT};

static struct vkt_pipeline pipeline_create(struct scene *s)
{
    static const VkStencilOpState stencil = {.compareOp = VK_COMPARE_OP_ALWAYS,
                                             .passOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                             .compareMask = 0xff,
                                             .writeMask = 0xff};
    const struct variant *v = s->v;
    const VkFormat stencil_format = s->pixels[MAX_COLORS].aspect & VK_IMAGE_ASPECT_STENCIL_BIT ? v->depth : 0;
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .viewMask = v->views,
                                                     .colorAttachmentCount = s->color_count,
                                                     .pColorAttachmentFormats = v->colors,
                                                     .depthAttachmentFormat = v->depth,
                                                     .stencilAttachmentFormat = stencil_format};
    return vkt_pipeline_create(
        &s->t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(samples_vert),
                                           .fs = v->colors[0] == VK_FORMAT_R8G8B8A8_UINT ? VKT_SHADER(targets_uint_frag)
                                                 : s->color_count > 1 ? VKT_SHADER(samples_three_frag)
                                                                      : VKT_SHADER(targets_float_frag),
                                           .next = &rendering,
                                           .topology = VKT_TRIANGLES,
                                           .push_size_B = sizeof(struct push),
                                           .color_count = s->color_count,
                                           .multisample = &four_samples,
                                           .depth_test = v->depth != VK_FORMAT_UNDEFINED,
                                           .depth_write = true,
                                           .depth_compare = VK_COMPARE_OP_LESS,
                                           .stencil_test = stencil_format != VK_FORMAT_UNDEFINED,
                                           .stencil = stencil,
                                           .width = W,
                                           .height = H});
}

static struct scene scene_open(const struct variant *v)
{
    struct scene s = {.t = open_device(VKT_TESTED), .v = v};
    const uint32_t layers = v->views ? LAYERS : 1;
    for (; s.color_count < MAX_COLORS && v->colors[s.color_count]; s.color_count++) {
        s.pixels[s.color_count] = image_create(&s.t, v->colors[s.color_count], VK_SAMPLE_COUNT_1_BIT, layers, false, 0);
        s.samples[s.color_count] =
            image_create(&s.t, v->colors[s.color_count], VK_SAMPLE_COUNT_4_BIT, layers, false, 0);
    }
    if (v->depth) {
        s.pixels[MAX_COLORS] = image_create(&s.t, v->depth, VK_SAMPLE_COUNT_1_BIT, layers, true, 0);
        s.samples[MAX_COLORS] = image_create(&s.t, v->depth, VK_SAMPLE_COUNT_4_BIT, layers, true, 0);
    }
    s.pipeline = pipeline_create(&s);
    return s;
}

static void scene_close(struct scene *s)
{
    vkt_pipeline_destroy(&s->t, &s->pipeline);
    for (uint32_t i = 0; i <= MAX_COLORS; i++) {
        vkt_image_destroy(&s->t, &s->pixels[i]);
        vkt_image_destroy(&s->t, &s->samples[i]);
    }
    vkt_device_close(&s->t);
}

/* ---------------------------------------------------------------- passes */

static VkClearColorValue clear_of(VkFormat format, float r, float g, float b, float a)
{
    if (format == VK_FORMAT_R8G8B8A8_UINT)
        return (VkClearColorValue){
            .uint32 = {(uint32_t)(200 * r), (uint32_t)(200 * g), (uint32_t)(200 * b), (uint32_t)(200 * a)}};
    return (VkClearColorValue){.float32 = {r, g, b, a}};
}

/* How the images are attached. */
enum how {
    PIXELS,   /* those of one sample, drawn with one */
    SAMPLES,  /* those of four samples */
    RESOLVED, /* the same, resolved to those of one */
    IMPLICIT, /* those of one sample, drawn with four */
};

static void begin(struct scene *s, VkCommandBuffer cmd, enum how how, VkAttachmentLoadOp load, const VkRect2D *area,
                  VkRenderingFlags flags)
{
    const struct variant *v = s->v;
    const bool of_pixels = how == PIXELS || how == IMPLICIT;
    const bool has_stencil = s->pixels[MAX_COLORS].aspect & VK_IMAGE_ASPECT_STENCIL_BIT;
    const struct vkt_image *images = of_pixels ? s->pixels : s->samples;
    VkRenderingAttachmentInfo a[MAX_COLORS + 2];
    for (uint32_t i = 0; i < MAX_COLORS + 2; i++) {
        const uint32_t at = i < MAX_COLORS ? i : MAX_COLORS;
        const bool is_depth = at == MAX_COLORS, is_int = !is_depth && v->colors[i] == VK_FORMAT_R8G8B8A8_UINT;
        a[i] = (VkRenderingAttachmentInfo){
            .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
            .imageView = images[at].view,
            .imageLayout = is_depth ? DEPTH_LAYOUT : COLOR_LAYOUT,
            .loadOp = load,
            .storeOp = how == IMPLICIT ? v->store : VK_ATTACHMENT_STORE_OP_STORE,
            .resolveMode = how < RESOLVED ? VK_RESOLVE_MODE_NONE
                           : is_depth     ? (i == MAX_COLORS ? v->depth_mode : v->stencil_mode)
                           : is_int       ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT
                                          : VK_RESOLVE_MODE_AVERAGE_BIT,
            .resolveImageView = how == RESOLVED ? s->pixels[at].view : VK_NULL_HANDLE,
            .resolveImageLayout = is_depth ? DEPTH_LAYOUT : COLOR_LAYOUT,
        };
        if (is_depth)
            a[i].clearValue.depthStencil = (VkClearDepthStencilValue){0.7f, 5};
        else
            a[i].clearValue.color = clear_of(v->colors[i], 0.2f, 0.5f, 0.3f, 0.8f);
    }
    const VkMultisampledRenderToSingleSampledInfoEXT implicit = {
        .sType = VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT,
        .multisampledRenderToSingleSampledEnable = VK_TRUE,
        .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT};
    ENTRY(&s->t, vkCmdBeginRenderingKHR)
    (cmd, &(VkRenderingInfo){
              .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
              .pNext = how == IMPLICIT ? &implicit : NULL,
              .flags = flags,
              .renderArea = *area,
              .layerCount = 1,
              .viewMask = v->views,
              .colorAttachmentCount = s->color_count,
              .pColorAttachments = a,
              .pDepthAttachment = v->depth ? &a[MAX_COLORS] : NULL,
              .pStencilAttachment = has_stencil ? &a[MAX_COLORS + 1] : NULL,
          });
}

static void clear_rect(struct scene *s, VkCommandBuffer cmd, VkRect2D rect)
{
    VkClearAttachment clears[MAX_COLORS + 1];
    const VkClearRect where = {rect, 0, 1};
    for (uint32_t i = 0; i < s->color_count; i++)
        clears[i] = (VkClearAttachment){
            VK_IMAGE_ASPECT_COLOR_BIT, i, {.color = clear_of(s->v->colors[i], 0.9f, 0.1f, 0.6f, 0.4f)}};
    clears[s->color_count] = (VkClearAttachment){s->pixels[MAX_COLORS].aspect, 0, {.depthStencil = {0.5f, 9}}};
    vkCmdClearAttachments(cmd, s->color_count + (s->v->depth != 0), clears, 1, &where);
}

/* Both kinds of images get the same contents: two areas. */
static void fill(struct scene *s, VkCommandBuffer cmd, enum how how)
{
    begin(s, cmd, how, VK_ATTACHMENT_LOAD_OP_CLEAR, &(VkRect2D)ALL_PX, 0);
    clear_rect(s, cmd, (VkRect2D){{W / 3, H / 4}, {W / 2, H / 2}});
    ENTRY(&s->t, vkCmdEndRenderingKHR)(cmd);
}

static void transitions(struct scene *s, VkCommandBuffer cmd, bool begins, VkImageLayout to)
{
    for (uint32_t i = 0; i <= MAX_COLORS; i++) {
        const VkImageLayout own = i == MAX_COLORS ? DEPTH_LAYOUT : COLOR_LAYOUT;
        const VkImageLayout from = begins ? VK_IMAGE_LAYOUT_UNDEFINED : own;
        if (!s->pixels[i].image)
            continue;
        vkt_image_barrier(cmd, &s->pixels[i], from, to ? to : own);
        vkt_image_barrier(cmd, &s->samples[i], from, to ? to : own);
    }
}

static void draw(VkCommandBuffer cmd, const struct vkt_pipeline *p, const struct push *triangle, float scale)
{
    struct push push = *triangle;
    for (uint32_t i = 0; i < 4; i++)
        push.offset[i] *= scale;
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push,
                       &push);
    vkCmdDraw(cmd, 3, 1, 0, 0);
}

static void draw_with(struct scene *s, VkCommandBuffer cmd, uint32_t triangle)
{
    draw(cmd, &s->pipeline, &triangles[triangle], s->v->colors[0] == VK_FORMAT_R8G8B8A8_UINT ? 200 : 1);
}

static uint32_t texel_B(VkFormat format)
{
    return format == VK_FORMAT_R16G16B16A16_SFLOAT ? 8 : format == VK_FORMAT_R5G6B5_UNORM_PACK16 ? 2 : 4;
}

/* Draws into the attachments, and reads those of one sample: all colours, depth and stencil, layer by layer. */
static uint8_t *draw_and_read(struct scene *s, bool is_implicit)
{
    const enum how how = is_implicit ? IMPLICIT : RESOLVED;
    const struct variant *v = s->v;
    const uint32_t layers = v->views ? LAYERS : 1, plane_B = W * H * TEXEL_B;
    uint8_t *out = calloc((MAX_COLORS + 2) * layers, plane_B), *at = out;
    assert_non_null(out);
    VkCommandBuffer cmd = vkt_begin(&s->t), more = VK_NULL_HANDLE;
    transitions(s, cmd, true, 0);
    fill(s, cmd, PIXELS);
    fill(s, cmd, SAMPLES);
    transitions(s, cmd, false, 0);
    begin(s, cmd, how, v->load, &v->area, v->suspends ? VK_RENDERING_SUSPENDING_BIT : 0);
    draw_with(s, cmd, 0);
    if (v->suspends) {
        ENTRY(&s->t, vkCmdEndRenderingKHR)(cmd);
        vkt_ok(vkEndCommandBuffer(cmd));
        more = cmd;
        cmd = vkt_begin(&s->t);
        begin(s, cmd, how, v->load, &v->area, VK_RENDERING_RESUMING_BIT);
    }
    if (v->clears)
        clear_rect(s, cmd, (VkRect2D){{W / 4, H / 5}, {W / 8, H / 6}});
    draw_with(s, cmd, 1);
    draw_with(s, cmd, 2);
    ENTRY(&s->t, vkCmdEndRenderingKHR)(cmd);
    transitions(s, cmd, false, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    if (more) {
        vkt_ok(vkEndCommandBuffer(cmd));
        vkt_ok(vkQueueSubmit(s->t.queue, 1,
                             &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                             .commandBufferCount = 2,
                                             .pCommandBuffers = (VkCommandBuffer[]){more, cmd}},
                             VK_NULL_HANDLE));
        vkt_ok(vkQueueWaitIdle(s->t.queue));
        vkFreeCommandBuffers(s->t.device, s->t.pool, 2, (VkCommandBuffer[]){more, cmd});
    } else {
        vkt_end_submit(&s->t, cmd);
    }
    for (uint32_t i = 0; i <= MAX_COLORS; i++)
        for (uint32_t layer = 0; layer < layers && s->pixels[i].image; layer++) {
            struct vkt_image stencil = s->pixels[i];
            stencil.aspect = VK_IMAGE_ASPECT_STENCIL_BIT;
            vkt_read_image(&s->t, &s->pixels[i], 0, layer, at, W * H * texel_B(s->pixels[i].format));
            at += plane_B;
            if (!(s->pixels[i].aspect & VK_IMAGE_ASPECT_STENCIL_BIT))
                continue;
            vkt_read_image(&s->t, &stencil, 0, layer, at, W * H);
            at += plane_B;
        }
    return out;
}

/* ---------------------------------------------------------------- dynamic passes */

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define D24S8 VK_FORMAT_D24_UNORM_S8_UINT
#define ZERO  VK_RESOLVE_MODE_SAMPLE_ZERO_BIT
#define LEAST VK_RESOLVE_MODE_MIN_BIT
#define MOST  VK_RESOLVE_MODE_MAX_BIT
#define LOAD  VK_ATTACHMENT_LOAD_OP_LOAD
#define CLEAR VK_ATTACHMENT_LOAD_OP_CLEAR
#define STORE VK_ATTACHMENT_STORE_OP_STORE

static const struct variant variants[] = {
    {"loaded", {RGBA8}, 0, 0, 0, LOAD, STORE, ALL_PX, 0, false, false},
    {"cleared", {RGBA8}, 0, 0, 0, CLEAR, STORE, ALL_PX, 0, false, false},
    {"a loaded part", {RGBA8}, 0, 0, 0, LOAD, STORE, PART_PX, 0, false, false},
    {"a cleared part", {RGBA8}, 0, 0, 0, CLEAR, STORE, PART_PX, 0, false, false},
    {"loaded depth", {RGBA8}, D24S8, ZERO, ZERO, LOAD, STORE, ALL_PX, 0, false, false},
    {"the least depth", {RGBA8}, D24S8, LEAST, LEAST, CLEAR, STORE, ALL_PX, 0, false, false},
    {"the most depth in a part", {RGBA8}, D24S8, MOST, MOST, LOAD, STORE, PART_PX, 0, false, false},
    {"float depth", {RGBA8}, VK_FORMAT_D32_SFLOAT, LEAST, 0, LOAD, STORE, ALL_PX, 0, false, false},
    {"halves", {VK_FORMAT_R16G16B16A16_SFLOAT}, D24S8, MOST, ZERO, LOAD, STORE, ALL_PX, 0, false, false},
    {"halves cleared", {VK_FORMAT_R16G16B16A16_SFLOAT}, 0, 0, 0, CLEAR, STORE, PART_PX, 0, false, false},
    {"sRGB", {VK_FORMAT_B8G8R8A8_SRGB}, 0, 0, 0, LOAD, STORE, ALL_PX, 0, false, false},
    {"16 bits", {VK_FORMAT_R5G6B5_UNORM_PACK16}, 0, 0, 0, LOAD, STORE, ALL_PX, 0, false, false},
    {"integers", {VK_FORMAT_R8G8B8A8_UINT}, 0, 0, 0, LOAD, STORE, ALL_PX, 0, false, false},
    {"three colours",
     {RGBA8, VK_FORMAT_R16G16B16A16_SFLOAT, RGBA8},
     D24S8,
     ZERO,
     ZERO,
     LOAD,
     STORE,
     ALL_PX,
     0,
     false,
     false},
    {"three cleared", {RGBA8, RGBA8, RGBA8}, D24S8, LEAST, MOST, CLEAR, STORE, PART_PX, 0, false, false},
    {"clears", {RGBA8}, D24S8, ZERO, LEAST, LOAD, STORE, ALL_PX, 0, true, false},
    {"clears of three", {RGBA8, RGBA8, RGBA8}, 0, 0, 0, LOAD, STORE, ALL_PX, 0, true, false},
    {"views", {RGBA8}, D24S8, ZERO, ZERO, LOAD, STORE, ALL_PX, 3, false, false},
    {"a view", {RGBA8}, D24S8, LEAST, ZERO, CLEAR, STORE, PART_PX, 2, false, false},
    {"suspended", {RGBA8}, D24S8, ZERO, ZERO, LOAD, STORE, ALL_PX, 0, false, true},
    {"suspended part", {RGBA8}, D24S8, LEAST, ZERO, CLEAR, STORE, PART_PX, 0, true, true},
};

static void as_resolved(void **state)
{
    for (uint32_t i = 0; i < VKT_COUNT(variants); i++) {
        struct scene s = scene_open(&variants[i]);
        const size_t size_B = (size_t)(MAX_COLORS + 2) * (variants[i].views ? LAYERS : 1) * W * H * TEXEL_B;
        uint8_t *want = draw_and_read(&s, false), *got = draw_and_read(&s, true);
        size_t first = 0;
        while (first < size_B && want[first] == got[first])
            first++;
        if (first < size_B)
            fail_msg("%s: byte %zu is %u instead of %u", variants[i].name, first, got[first], want[first]);
        free(want);
        free(got);
        scene_close(&s);
    }
}

/* What is not stored is not resolved either: the attachment may keep what it had. Here it does. */
static void not_stored(void **state)
{
    static const struct variant v = {"not stored", {RGBA8}, 0,     0,    0, LOAD, VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                     ALL_PX,       0,       false, false};
    struct scene s = scene_open(&v);
    uint8_t *got = draw_and_read(&s, true);
    assert_int_equal(got[0], 51);
    free(got);
    scene_close(&s);
}

static bool has_usual_jobs(void)
{
    const char *debug = getenv("VC4VK_DEBUG");
    return !debug || (!strstr(debug, "tiny") && !strstr(debug, "force-cpu-engine"));
}

/* Bytes are loaded and resolved by the tile buffer: one job, and nothing in memory but the pixels. */
static void in_tiles(void **state)
{
    static const struct variant v = {"in tiles", {RGBA8}, 0, 0, 0, LOAD, STORE, ALL_PX, 0, false, false};
    struct scene s = scene_open(&v);
    void (*recorded)(VkCommandBuffer, uint32_t *) =
        (void (*)(VkCommandBuffer, uint32_t *))vkt_hook(&s.t, "vc4vk_test_recorded");
    uint32_t counts[4];
    VkCommandBuffer cmd = vkt_begin(&s.t);
    transitions(&s, cmd, true, 0);
    begin(&s, cmd, IMPLICIT, LOAD, &v.area, 0);
    draw_with(&s, cmd, 0);
    draw_with(&s, cmd, 1);
    ENTRY(&s.t, vkCmdEndRenderingKHR)(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    recorded(cmd, counts);
    if (has_usual_jobs()) {
        assert_int_equal(counts[0], 1);
        assert_int_equal(counts[1], 1);
        assert_int_equal(counts[2], 1);
        assert_int_equal(counts[3], 0);
    }
    vkt_submit(&s.t, cmd);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &cmd);
    scene_close(&s);
}

/* ---------------------------------------------------------------- render passes */

static VkAttachmentReference2 reference(uint32_t attachment, VkImageLayout layout, VkImageAspectFlags aspect)
{
    return (VkAttachmentReference2){.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
                                    .attachment = attachment,
                                    .layout = layout,
                                    .aspectMask = aspect};
}

static VkAttachmentDescription2 attachment(VkFormat format, VkAttachmentLoadOp load, VkImageLayout from,
                                           VkImageLayout to)
{
    return (VkAttachmentDescription2){.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
                                      .format = format,
                                      .samples = VK_SAMPLE_COUNT_1_BIT,
                                      .loadOp = load,
                                      .storeOp = STORE,
                                      .stencilLoadOp = load,
                                      .stencilStoreOp = STORE,
                                      .initialLayout = from,
                                      .finalLayout = to};
}

/* Three subpasses: plain draws, draws with four samples that go on from there, and one that reads the result. */
static VkRenderPass subpasses_create(struct vkt *t)
{
    const VkAttachmentDescription2 attachments[] = {
        attachment(RGBA8, CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL),
        attachment(VK_FORMAT_D16_UNORM, CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, READ_DEPTH_LAYOUT),
        attachment(RGBA8, CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL)};
    const VkAttachmentReference2 color = reference(0, COLOR_LAYOUT, VK_IMAGE_ASPECT_COLOR_BIT),
                                 depth = reference(1, DEPTH_LAYOUT, VK_IMAGE_ASPECT_DEPTH_BIT),
                                 shown = reference(2, COLOR_LAYOUT, VK_IMAGE_ASPECT_COLOR_BIT),
                                 inputs[] = {
                                     reference(0, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_ASPECT_COLOR_BIT),
                                     reference(1, READ_DEPTH_LAYOUT, VK_IMAGE_ASPECT_DEPTH_BIT)};
    const VkSubpassDescriptionDepthStencilResolve resolve = {
        .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE,
        .depthResolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
        .stencilResolveMode = VK_RESOLVE_MODE_NONE};
    const VkMultisampledRenderToSingleSampledInfoEXT implicit = {
        .sType = VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT,
        .pNext = &resolve,
        .multisampledRenderToSingleSampledEnable = VK_TRUE,
        .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT};
    const VkSubpassDescription2 subpasses[] = {{.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
                                                .colorAttachmentCount = 1,
                                                .pColorAttachments = &color,
                                                .pDepthStencilAttachment = &depth},
                                               {.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
                                                .pNext = &implicit,
                                                .colorAttachmentCount = 1,
                                                .pColorAttachments = &color,
                                                .pDepthStencilAttachment = &depth},
                                               {.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
                                                .inputAttachmentCount = VKT_COUNT(inputs),
                                                .pInputAttachments = inputs,
                                                .colorAttachmentCount = 1,
                                                .pColorAttachments = &shown}};
    VkSubpassDependency2 dependencies[2];
    for (uint32_t i = 0; i < 2; i++)
        dependencies[i] =
            (VkSubpassDependency2){.sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
                                   .srcSubpass = i,
                                   .dstSubpass = i + 1,
                                   .srcStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
                                   .dstStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
                                   .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                   .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                   .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT};
    VkRenderPass pass;
    vkt_ok(ENTRY(t, vkCreateRenderPass2KHR)(t->device,
                                            &(VkRenderPassCreateInfo2){
                                                .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
                                                .attachmentCount = VKT_COUNT(attachments),
                                                .pAttachments = attachments,
                                                .subpassCount = VKT_COUNT(subpasses),
                                                .pSubpasses = subpasses,
                                                .dependencyCount = VKT_COUNT(dependencies),
                                                .pDependencies = dependencies,
                                            },
                                            NULL, &pass));
    return pass;
}

static void subpasses(struct vkt *of, struct vkt_picture *out)
{
    static const struct vkt_binding bindings[] = {
        {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_SHADER_STAGE_FRAGMENT_BIT, 1},
        {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_SHADER_STAGE_FRAGMENT_BIT, 1}};
    struct vkt device = open_device(of == vkt_device(VKT_TESTED) ? VKT_TESTED : VKT_REFERENCE), *t = &device;
    struct vkt_image color =
                         image_create(t, RGBA8, VK_SAMPLE_COUNT_1_BIT, 1, false, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT),
                     depth = image_create(t, VK_FORMAT_D16_UNORM, VK_SAMPLE_COUNT_1_BIT, 1, true,
                                          VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
    struct vkt_target shown = {
        .color = image_create(t, RGBA8, VK_SAMPLE_COUNT_1_BIT, 1, false, 0), .width = W, .height = H};
    const VkImageView views[] = {color.view, depth.view, shown.color.view};
    VkRenderPass pass = subpasses_create(t);
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = pass,
                                                          .attachmentCount = VKT_COUNT(views),
                                                          .pAttachments = views,
                                                          .width = W,
                                                          .height = H,
                                                          .layers = 1},
                               NULL, &framebuffer));
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, VKT_COUNT(bindings));
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    for (uint32_t i = 0; i < VKT_COUNT(bindings); i++)
        vkUpdateDescriptorSets(
            t->device, 1,
            &(VkWriteDescriptorSet){
                .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                .dstSet = set,
                .dstBinding = i,
                .descriptorCount = 1,
                .descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                .pImageInfo = &(VkDescriptorImageInfo){.imageView = views[i],
                                                       .imageLayout = i ? READ_DEPTH_LAYOUT
                                                                        : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}},
            0, NULL);
    struct vkt_pipeline_info info = {.vs = VKT_SHADER(samples_vert),
                                     .fs = VKT_SHADER(targets_float_frag),
                                     .pass = pass,
                                     .topology = VKT_TRIANGLES,
                                     .push_size_B = sizeof(struct push),
                                     .depth_test = true,
                                     .depth_write = true,
                                     .depth_compare = VK_COMPARE_OP_LESS,
                                     .width = W,
                                     .height = H};
    struct vkt_pipeline plain = vkt_pipeline_create(t, &info);
    info.multisample = &four_samples;
    info.subpass = 1;
    struct vkt_pipeline sampled = vkt_pipeline_create(t, &info);
    info.multisample = NULL;
    info.subpass = 2;
    info.fs = VKT_SHADER(subpass_frag);
    info.depth_test = info.depth_write = false;
    info.set_layouts[0] = layout;
    info.set_layout_count = 1;
    struct vkt_pipeline show = vkt_pipeline_create(t, &info);

    static const struct push everything = {.corners = {-1, -1, 3, -1, -1, 3}};
    const VkClearValue clears[] = {{.color.float32 = {0.1f, 0.1f, 0.3f, 1}}, {.depthStencil.depth = 1}, {{{0}}}};
    VkCommandBuffer cmd = vkt_begin(t);
    ENTRY(t, vkCmdBeginRenderPass2KHR)
    (cmd,
     &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                              .renderPass = pass,
                              .framebuffer = framebuffer,
                              .renderArea = ALL_PX,
                              .clearValueCount = VKT_COUNT(clears),
                              .pClearValues = clears},
     &(VkSubpassBeginInfo){.sType = VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO});
    draw(cmd, &plain, &triangles[0], 1);
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    draw(cmd, &sampled, &triangles[1], 1);
    draw(cmd, &sampled, &triangles[2], 1);
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, show.layout, 0, 1, &set, 0, NULL);
    draw(cmd, &show, &everything, 1);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &shown);

    vkt_pipeline_destroy(t, &plain);
    vkt_pipeline_destroy(t, &sampled);
    vkt_pipeline_destroy(t, &show);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkDestroyFramebuffer(t->device, framebuffer, NULL);
    vkDestroyRenderPass(t->device, pass, NULL);
    vkt_image_destroy(t, &color);
    vkt_image_destroy(t, &depth);
    vkt_image_destroy(t, &shown.color);
    vkt_device_close(t);
}

static void as_reference(void **state)
{
    vkt_compare_with_reference("implicit_samples", subpasses, (struct vkt_tolerance){4, 10});
}

/* ---------------------------------------------------------------- queries */

static VkBool32 is_optimal(struct vkt *t, VkFormat format)
{
    VkSubpassResolvePerformanceQueryEXT query = {.sType = VK_STRUCTURE_TYPE_SUBPASS_RESOLVE_PERFORMANCE_QUERY_EXT,
                                                 .optimal = 2};
    VkFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &query};
    ((PFN_vkGetPhysicalDeviceFormatProperties2KHR)vkGetInstanceProcAddr(
        t->instance, "vkGetPhysicalDeviceFormatProperties2KHR"))(t->physical, format, &properties);
    return query.optimal;
}

static void queries(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkImageFormatProperties limits;
    assert_int_equal(is_optimal(t, RGBA8), VK_TRUE);
    assert_int_equal(is_optimal(t, VK_FORMAT_R16G16B16A16_SFLOAT), VK_FALSE);
    assert_int_equal(is_optimal(t, D24S8), VK_FALSE);
    vkt_ok(vkGetPhysicalDeviceImageFormatProperties(
        t->physical, RGBA8, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
        VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT, &limits));
    assert_int_equal(vkGetPhysicalDeviceImageFormatProperties(
                         t->physical, RGBA8, VK_IMAGE_TYPE_3D, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT,
                         VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT, &limits),
                     VK_ERROR_FORMAT_NOT_SUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(queries, vkt_check_messages),
        cmocka_unit_test_teardown(as_resolved, vkt_check_messages),
        cmocka_unit_test_teardown(not_stored, vkt_check_messages),
        cmocka_unit_test_teardown(in_tiles, vkt_check_messages),
        cmocka_unit_test_teardown(as_reference, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("implicit_samples", tests, NULL, vkt_teardown);
}
