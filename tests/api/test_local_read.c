/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_dynamic_rendering_local_read: programs read what the same dynamic pass has drawn, as input attachments and
 * from storage buffers; output locations and input attachment indices that are exchanged. The only colour attachment is
 * read from the tile buffer, so all draws are one job.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "local_read_0.frag.h"
#include "local_read_1.frag.h"
#include "local_read_depth.frag.h"
#include "local_store.frag.h"
#include "local_store_read.frag.h"
#include "local_write.frag.h"
#include "local_write_second.frag.h"
#include "push.frag.h"
#include "push.vert.h"
#include "samples_input.frag.h"

enum { W = 64, H = 64, MAX_COLORS = 3 };

#define COLOR  VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH  VK_FORMAT_D24_UNORM_S8_UINT
#define STRIP  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP
#define UNUSED VK_ATTACHMENT_UNUSED
#define LOCAL  VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR

#define ENTRY(t, name) ((PFN_##name)vkGetDeviceProcAddr((t)->device, #name))

static const float everything[4] = {-1, -1, 1, 1}, left[4] = {-1, -1, 0, 1};
static const float first[4] = {0.2f, 0.4f, 0.8f, 1}, added[4] = {0.1f, 0, 0.2f, 0}, nothing[4] = {0, 0, 0, 0};

struct push {
    float color[4], rect[4], depth;
};

struct scene {
    struct vkt t;
    uint32_t color_count;
    VkSampleCountFlagBits samples;
    struct vkt_image colors[MAX_COLORS], depth, resolved; /* images that are VK_NULL_HANDLE are not attached */
    VkFormat formats[MAX_COLORS];
    VkPipelineRenderingCreateInfo rendering;
    VkPipelineMultisampleStateCreateInfo multisample;
    const void *mapping; /* of pipelines and of inheritance: locations and indices */
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet set;
};

/* ---------------------------------------------------------------- scenes */

static struct vkt open_device(void)
{
    static const char *const extensions[] = {VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
                                             VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
                                             VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME};
    VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR reads = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR,
        .dynamicRenderingLocalRead = VK_TRUE};
    VkPhysicalDeviceDynamicRenderingFeatures features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
        .pNext = &reads,
        .dynamicRendering = VK_TRUE};
    return vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &features);
}

static struct vkt_image image_create(struct vkt *t, VkFormat format, VkSampleCountFlagBits samples)
{
    return vkt_image_create(
        t, &(struct vkt_image_info){.format = format,
                                    .width = W,
                                    .height = H,
                                    .samples = samples,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
                                             (format == COLOR ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                                              : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT)});
}

/* `colors`: bit mask of those that are attached; the highest determines their number. */
static struct scene scene_open(uint32_t colors, bool has_depth, VkSampleCountFlagBits samples)
{
    static const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    struct scene s = {.t = open_device(), .samples = samples};
    for (uint32_t i = 0; i < MAX_COLORS; i++)
        if (colors >> i & 1) {
            s.colors[i] = image_create(&s.t, COLOR, samples);
            s.formats[i] = COLOR;
            s.color_count = i + 1;
        }
    if (has_depth)
        s.depth = image_create(&s.t, DEPTH, samples);
    if (samples > 1)
        s.resolved = image_create(&s.t, COLOR, VK_SAMPLE_COUNT_1_BIT);
    s.set_layout = vkt_set_layout_create(&s.t, &binding, 1);
    s.set = vkt_set_alloc(&s.t, s.set_layout);
    return s;
}

static void scene_close(struct scene *s)
{
    vkDestroyDescriptorSetLayout(s->t.device, s->set_layout, NULL);
    for (uint32_t i = 0; i < MAX_COLORS; i++)
        vkt_image_destroy(&s->t, &s->colors[i]);
    vkt_image_destroy(&s->t, &s->depth);
    vkt_image_destroy(&s->t, &s->resolved);
    vkt_device_close(&s->t);
}

static void set_input(struct scene *s, VkImageView view)
{
    vkUpdateDescriptorSets(s->t.device, 1,
                           &(VkWriteDescriptorSet){
                               .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                               .dstSet = s->set,
                               .descriptorCount = 1,
                               .descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                               .pImageInfo = &(VkDescriptorImageInfo){.imageView = view, .imageLayout = LOCAL},
                           },
                           0, NULL);
}

/* A view of the depth alone. */
static VkImageView depth_view(struct scene *s)
{
    VkImageView view;
    vkt_ok(vkCreateImageView(s->t.device,
                             &(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                                      .image = s->depth.image,
                                                      .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                                      .format = DEPTH,
                                                      .subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1}},
                             NULL, &view));
    return view;
}

/* `writes`: bit mask of the attachments whose write mask is not 0. */
static struct vkt_pipeline pipeline_create(struct scene *s, struct vkt_shader fs, uint32_t writes)
{
    static const VkPipelineColorBlendAttachmentState all = {.colorWriteMask = 0xf}, none = {.colorWriteMask = 0};
    VkPipelineColorBlendAttachmentState blends[MAX_COLORS];
    for (uint32_t i = 0; i < MAX_COLORS; i++)
        blends[i] = writes >> i & 1 ? all : none;
    s->rendering = (VkPipelineRenderingCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                   .pNext = s->mapping,
                                                   .colorAttachmentCount = s->color_count,
                                                   .pColorAttachmentFormats = s->formats,
                                                   .depthAttachmentFormat = s->depth.image ? DEPTH : 0,
                                                   .stencilAttachmentFormat = s->depth.image ? DEPTH : 0};
    s->multisample = (VkPipelineMultisampleStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = s->samples};
    return vkt_pipeline_create(&s->t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                                  .fs = fs,
                                                                  .next = &s->rendering,
                                                                  .topology = STRIP,
                                                                  .push_size_B = sizeof(struct push),
                                                                  .set_layouts = {s->set_layout},
                                                                  .set_layout_count = 1,
                                                                  .blends = blends,
                                                                  .color_count = s->color_count,
                                                                  .no_color = !s->color_count,
                                                                  .multisample = &s->multisample,
                                                                  .depth_test = s->depth.image != VK_NULL_HANDLE,
                                                                  .depth_write = s->depth.image != VK_NULL_HANDLE,
                                                                  .depth_compare = VK_COMPARE_OP_ALWAYS,
                                                                  .width = W,
                                                                  .height = H});
}

/* ---------------------------------------------------------------- commands */

static void begin(struct scene *s, VkCommandBuffer cmd, VkRenderingFlags flags)
{
    VkRenderingAttachmentInfo colors[MAX_COLORS], depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    for (uint32_t i = 0; i < s->color_count; i++) {
        if (s->colors[i].image)
            vkt_image_barrier(cmd, &s->colors[i], VK_IMAGE_LAYOUT_UNDEFINED, LOCAL);
        colors[i] = (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                                .imageView = s->colors[i].view,
                                                .imageLayout = s->colors[i].image ? LOCAL : VK_IMAGE_LAYOUT_UNDEFINED,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    }
    if (s->resolved.image) {
        vkt_image_barrier(cmd, &s->resolved, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
        colors[0].resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
        colors[0].resolveImageView = s->resolved.view;
        colors[0].resolveImageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    }
    if (s->depth.image) {
        vkt_image_barrier(cmd, &s->depth, VK_IMAGE_LAYOUT_UNDEFINED, LOCAL);
        depth.imageView = s->depth.view;
        depth.imageLayout = LOCAL;
        depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
        depth.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    }
    ENTRY(&s->t, vkCmdBeginRenderingKHR)
    (cmd, &(VkRenderingInfo){
              .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
              .flags = flags,
              .renderArea = {{0, 0}, {W, H}},
              .layerCount = 1,
              .colorAttachmentCount = s->color_count,
              .pColorAttachments = colors,
              .pDepthAttachment = s->depth.image ? &depth : NULL,
              .pStencilAttachment = s->depth.image ? &depth : NULL,
          });
}

static void end(struct scene *s, VkCommandBuffer cmd)
{
    ENTRY(&s->t, vkCmdEndRenderingKHR)(cmd);
}

static void draw(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const float color[4],
                 const float rect[4], float depth)
{
    struct push push = {.depth = depth};
    memcpy(push.color, color, sizeof push.color);
    memcpy(push.rect, rect, sizeof push.rect);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &s->set, 0, NULL);
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push,
                       &push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

/* Between a write and a read of the same pixel, inside the pass. */
static void local_barrier(VkCommandBuffer cmd)
{
    const VkPipelineStageFlags written =
        VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
        VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
    const VkMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT |
                                                VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT |
                                                VK_ACCESS_SHADER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_SHADER_READ_BIT};
    vkCmdPipelineBarrier(cmd, written, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_DEPENDENCY_BY_REGION_BIT, 1, &b, 0,
                         NULL, 0, NULL);
}

/* ---------------------------------------------------------------- checks */

static bool has_usual_jobs(void)
{
    const char *debug = getenv("VC4VK_DEBUG");
    return !debug || (!strstr(debug, "tiny") && !strstr(debug, "force-cpu-engine"));
}

static void assert_jobs(struct scene *s, VkCommandBuffer cmd, uint32_t jobs, uint32_t loads, uint32_t stores)
{
    void (*recorded)(VkCommandBuffer, uint32_t *) =
        (void (*)(VkCommandBuffer, uint32_t *))vkt_hook(&s->t, "vc4vk_test_recorded");
    uint32_t counts[4];
    recorded(cmd, counts);
    if (!has_usual_jobs())
        return;
    assert_int_equal(counts[0], jobs);
    assert_int_equal(counts[1], loads);
    assert_int_equal(counts[2], stores);
}

/* What local_read.frag makes of a colour. */
static void read_of(const float old[4], const float more[4], float out[4])
{
    for (uint32_t i = 0; i < 4; i++)
        out[i] = old[i < 3 ? (i + 1) % 3 : 3] * 0.5f + more[i];
}

static void assert_image(struct scene *s, const struct vkt_image *image, const float in_left[4],
                         const float in_right[4])
{
    static uint8_t got[H][W][4];
    vkt_read_image(&s->t, image, 0, 0, got, sizeof got);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++)
            for (uint32_t i = 0; i < 4; i++) {
                const float want = 255 * (x < W / 2 ? in_left : in_right)[i], is = got[y][x][i];
                if (is < want - 2 || is > want + 2)
                    fail_msg("pixel %u,%u: component %u is %g instead of %g", x, y, i, (double)is, (double)want);
            }
}

static void make_readable(VkCommandBuffer cmd, const struct vkt_image *image)
{
    vkt_image_barrier(cmd, image, LOCAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

/* ---------------------------------------------------------------- one colour attachment */

/* Draws, reads and draws again `times` times, in one job. `number`: of the attachment. */
static void read_in_tiles(uint32_t number, const void *mapping, const VkRenderingInputAttachmentIndexInfoKHR *indices,
                          uint32_t times)
{
    struct scene s = scene_open(1u << number, false, VK_SAMPLE_COUNT_1_BIT);
    s.mapping = mapping;
    struct vkt_pipeline write =
        pipeline_create(&s, number ? VKT_SHADER(local_write_second_frag) : VKT_SHADER(push_frag), 7);
    struct vkt_pipeline read =
        pipeline_create(&s, number ? VKT_SHADER(local_read_1_frag) : VKT_SHADER(local_read_0_frag), 7);
    set_input(&s, s.colors[number].view);
    float in_left[4], in_right[4] = {0, 0, 0, 0}, next[4];
    const float second[4] = {first[2], first[0], first[1], first[3]};
    memcpy(in_left, number ? second : first, sizeof in_left);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    begin(&s, cmd, 0);
    if (indices)
        ENTRY(&s.t, vkCmdSetRenderingInputAttachmentIndicesKHR)(cmd, indices);
    draw(&s, cmd, &write, first, left, 0);
    for (uint32_t i = 0; i < times; i++) {
        local_barrier(cmd);
        draw(&s, cmd, &read, added, everything, 0);
        read_of(in_left, added, next);
        memcpy(in_left, next, sizeof next);
        read_of(in_right, added, next);
        memcpy(in_right, next, sizeof next);
    }
    end(&s, cmd);
    make_readable(cmd, &s.colors[number]);
    vkt_ok(vkEndCommandBuffer(cmd));
    assert_jobs(&s, cmd, 1, 0, 1);
    vkt_submit(&s.t, cmd);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &cmd);
    assert_image(&s, &s.colors[number], in_left, in_right);
    vkt_pipeline_destroy(&s.t, &write);
    vkt_pipeline_destroy(&s.t, &read);
    scene_close(&s);
}

static void only_attachment_is_read_in_tiles(void **state)
{
    read_in_tiles(0, NULL, NULL, 1);
    read_in_tiles(0, NULL, NULL, 3);
}

/* The only attachment is the second; programs read it as input attachment 0. */
static void index_of_only_attachment_is_exchanged(void **state)
{
    const uint32_t to[] = {UNUSED, 0};
    const VkRenderingInputAttachmentIndexInfoKHR indices = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
        .colorAttachmentCount = 2,
        .pColorAttachmentInputIndices = to};
    read_in_tiles(1, &indices, &indices, 2);
}

/* At first no index belongs to the attachment; it gets one after it has been drawn to and after the barrier. */
static void index_comes_late(void **state)
{
    const uint32_t none = UNUSED, zero = 0;
    VkRenderingInputAttachmentIndexInfoKHR indices = {.sType =
                                                          VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
                                                      .colorAttachmentCount = 1,
                                                      .pColorAttachmentInputIndices = &none};
    struct scene s = scene_open(1, false, VK_SAMPLE_COUNT_1_BIT);
    s.mapping = &indices;
    struct vkt_pipeline write = pipeline_create(&s, VKT_SHADER(push_frag), 7);
    indices.pColorAttachmentInputIndices = &zero;
    struct vkt_pipeline read = pipeline_create(&s, VKT_SHADER(local_read_0_frag), 7);
    float in_left[4], in_right[4];
    set_input(&s, s.colors[0].view);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    begin(&s, cmd, 0);
    indices.pColorAttachmentInputIndices = &none;
    ENTRY(&s.t, vkCmdSetRenderingInputAttachmentIndicesKHR)(cmd, &indices);
    draw(&s, cmd, &write, first, left, 0);
    local_barrier(cmd);
    indices.pColorAttachmentInputIndices = &zero;
    ENTRY(&s.t, vkCmdSetRenderingInputAttachmentIndicesKHR)(cmd, &indices);
    draw(&s, cmd, &read, added, everything, 0);
    end(&s, cmd);
    make_readable(cmd, &s.colors[0]);
    vkt_end_submit(&s.t, cmd);
    read_of(first, added, in_left);
    read_of(nothing, added, in_right);
    assert_image(&s, &s.colors[0], in_left, in_right);
    vkt_pipeline_destroy(&s.t, &write);
    vkt_pipeline_destroy(&s.t, &read);
    scene_close(&s);
}

/* ---------------------------------------------------------------- several attachments */

/* Two attachments are drawn to; then the second is written from what the first, or the second, has. */
static void read_from_memory(uint32_t from, const void *mapping, const VkRenderingInputAttachmentIndexInfoKHR *indices)
{
    struct scene s = scene_open(3, false, VK_SAMPLE_COUNT_1_BIT);
    s.mapping = mapping;
    struct vkt_pipeline write = pipeline_create(&s, VKT_SHADER(local_write_frag), 3);
    struct vkt_pipeline read = pipeline_create(&s, VKT_SHADER(local_read_1_frag), 2);
    const float second[4] = {first[2], first[0], first[1], first[3]};
    float in_left[4], in_right[4];
    set_input(&s, s.colors[from].view);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    begin(&s, cmd, 0);
    if (indices)
        ENTRY(&s.t, vkCmdSetRenderingInputAttachmentIndicesKHR)(cmd, indices);
    draw(&s, cmd, &write, first, left, 0);
    local_barrier(cmd);
    draw(&s, cmd, &read, added, everything, 0);
    end(&s, cmd);
    make_readable(cmd, &s.colors[0]);
    make_readable(cmd, &s.colors[1]);
    vkt_end_submit(&s.t, cmd);
    read_of(from ? second : first, added, in_left);
    read_of(nothing, added, in_right);
    assert_image(&s, &s.colors[0], first, nothing);
    assert_image(&s, &s.colors[1], in_left, in_right);
    vkt_pipeline_destroy(&s.t, &write);
    vkt_pipeline_destroy(&s.t, &read);
    scene_close(&s);
}

static void one_of_two_attachments_is_read(void **state)
{
    const uint32_t to[] = {UNUSED, 0};
    const VkRenderingInputAttachmentIndexInfoKHR indices = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
        .colorAttachmentCount = 2,
        .pColorAttachmentInputIndices = to};
    read_from_memory(0, NULL, NULL);
    read_from_memory(1, &indices, &indices);
}

/* Location 0 is written to attachment 2 and location 1 to attachment 0; nothing is written to attachment 1. */
static void locations_are_exchanged(void **state)
{
    const uint32_t to[] = {1, UNUSED, 0};
    const VkRenderingAttachmentLocationInfoKHR locations = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
        .colorAttachmentCount = 3,
        .pColorAttachmentLocations = to};
    struct scene s = scene_open(7, false, VK_SAMPLE_COUNT_1_BIT);
    const float second[4] = {first[2], first[0], first[1], first[3]};
    s.mapping = &locations;
    struct vkt_pipeline write = pipeline_create(&s, VKT_SHADER(local_write_frag), 7);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    set_input(&s, s.colors[0].view);
    begin(&s, cmd, 0);
    ENTRY(&s.t, vkCmdSetRenderingAttachmentLocationsKHR)(cmd, &locations);
    draw(&s, cmd, &write, first, left, 0);
    end(&s, cmd);
    for (uint32_t i = 0; i < 3; i++)
        make_readable(cmd, &s.colors[i]);
    vkt_end_submit(&s.t, cmd);
    assert_image(&s, &s.colors[0], second, nothing);
    assert_image(&s, &s.colors[1], nothing, nothing);
    assert_image(&s, &s.colors[2], first, nothing);
    vkt_pipeline_destroy(&s.t, &write);
    scene_close(&s);
}

/* ---------------------------------------------------------------- depth, samples, buffers, secondaries */

static void depth_is_read(void **state)
{
    const uint32_t index = 3, none = UNUSED;
    const VkRenderingInputAttachmentIndexInfoKHR indices = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
        .colorAttachmentCount = 1,
        .pColorAttachmentInputIndices = &none,
        .pDepthInputAttachmentIndex = &index,
        .pStencilInputAttachmentIndex = &none};
    struct scene s = scene_open(1, true, VK_SAMPLE_COUNT_1_BIT);
    s.mapping = &indices;
    struct vkt_pipeline write = pipeline_create(&s, VKT_SHADER(push_frag), 1);
    struct vkt_pipeline read = pipeline_create(&s, VKT_SHADER(local_read_depth_frag), 1);
    VkImageView view = depth_view(&s);
    const float in_left[4] = {added[0], added[1], added[2] + 0.4f, 0.5f},
                in_right[4] = {added[0], added[1], added[2], 0.5f};
    set_input(&s, view);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    begin(&s, cmd, 0);
    ENTRY(&s.t, vkCmdSetRenderingInputAttachmentIndicesKHR)(cmd, &indices);
    draw(&s, cmd, &write, first, left, 0.8f);
    local_barrier(cmd);
    draw(&s, cmd, &read, added, everything, 0.3f);
    end(&s, cmd);
    make_readable(cmd, &s.colors[0]);
    vkt_end_submit(&s.t, cmd);
    assert_image(&s, &s.colors[0], in_left, in_right);
    vkDestroyImageView(s.t.device, view, NULL);
    vkt_pipeline_destroy(&s.t, &write);
    vkt_pipeline_destroy(&s.t, &read);
    scene_close(&s);
}

static void samples_are_read(void **state)
{
    struct scene s = scene_open(1, false, VK_SAMPLE_COUNT_4_BIT);
    struct vkt_pipeline write = pipeline_create(&s, VKT_SHADER(push_frag), 1);
    struct vkt_pipeline read = pipeline_create(&s, VKT_SHADER(samples_input_frag), 1);
    set_input(&s, s.colors[0].view);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    begin(&s, cmd, 0);
    draw(&s, cmd, &write, first, left, 0);
    local_barrier(cmd);
    draw(&s, cmd, &read, added, everything, 0);
    end(&s, cmd);
    vkt_image_barrier(cmd, &s.resolved, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&s.t, cmd);
    assert_image(&s, &s.resolved, first, nothing);
    vkt_pipeline_destroy(&s.t, &write);
    vkt_pipeline_destroy(&s.t, &read);
    scene_close(&s);
}

/* Fragments read from a storage buffer what an earlier fragment of the same pixel has stored. */
static void buffers_are_read(void **state)
{
    static const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    static uint8_t got[H][W][4];
    const float one[4] = {1, 0.5f, 0.25f, 1};
    struct scene s = scene_open(1, false, VK_SAMPLE_COUNT_1_BIT);
    struct vkt_buffer words = vkt_storage_buffer(&s.t, 4096, 0);
    vkDestroyDescriptorSetLayout(s.t.device, s.set_layout, NULL);
    s.set_layout = vkt_set_layout_create(&s.t, &binding, 1);
    s.set = vkt_set_alloc(&s.t, s.set_layout);
    vkt_set_buffer(&s.t, s.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, words.buffer, 0, VK_WHOLE_SIZE);
    struct vkt_pipeline write = pipeline_create(&s, VKT_SHADER(local_store_frag), 1);
    struct vkt_pipeline read = pipeline_create(&s, VKT_SHADER(local_store_read_frag), 1);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    begin(&s, cmd, 0);
    const float corner[4] = {-1, -1, -0.5f, -0.5f}; /* 16 x 16 pixels, whose words all differ */
    draw(&s, cmd, &write, one, corner, 0);
    local_barrier(cmd);
    draw(&s, cmd, &read, one, corner, 0);
    end(&s, cmd);
    make_readable(cmd, &s.colors[0]);
    vkt_end_submit(&s.t, cmd);
    vkt_read_image(&s.t, &s.colors[0], 0, 0, got, sizeof got);
    for (uint32_t y = 0; y < 16; y++)
        for (uint32_t x = 0; x < 16; x++)
            for (uint32_t i = 0; i < 4; i++) {
                const float want = 255 * one[i] * ((float)x + 0.5f) / 32;
                assert_true(got[y][x][i] >= want - 2 && got[y][x][i] <= want + 2);
            }
    vkt_pipeline_destroy(&s.t, &write);
    vkt_pipeline_destroy(&s.t, &read);
    vkt_buffer_destroy(&s.t, &words);
    scene_close(&s);
}

/* The draws and the barrier are in a secondary command buffer, which inherits exchanged indices. */
static void secondaries_read(void **state)
{
    const uint32_t to[] = {UNUSED, 0};
    const VkRenderingInputAttachmentIndexInfoKHR indices = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
        .colorAttachmentCount = 2,
        .pColorAttachmentInputIndices = to};
    struct scene s = scene_open(2, false, VK_SAMPLE_COUNT_1_BIT);
    s.mapping = &indices;
    struct vkt_pipeline write = pipeline_create(&s, VKT_SHADER(local_write_second_frag), 3);
    struct vkt_pipeline read = pipeline_create(&s, VKT_SHADER(local_read_1_frag), 3);
    const float second[4] = {first[2], first[0], first[1], first[3]};
    float in_left[4], in_right[4];
    set_input(&s, s.colors[1].view);
    const VkCommandBufferInheritanceRenderingInfo inherited = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .pNext = &indices,
        .colorAttachmentCount = s.color_count,
        .pColorAttachmentFormats = s.formats,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                        .pNext = &inherited};
    VkCommandBuffer secondary;
    vkt_ok(vkAllocateCommandBuffers(s.t.device,
                                    &(VkCommandBufferAllocateInfo){
                                        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = s.t.pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                        .commandBufferCount = 1,
                                    },
                                    &secondary));
    vkt_ok(vkBeginCommandBuffer(secondary,
                                &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                            .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                                            .pInheritanceInfo = &inheritance}));
    draw(&s, secondary, &write, first, left, 0);
    local_barrier(secondary);
    draw(&s, secondary, &read, added, everything, 0);
    vkt_ok(vkEndCommandBuffer(secondary));
    VkCommandBuffer cmd = vkt_begin(&s.t);
    begin(&s, cmd, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    ENTRY(&s.t, vkCmdSetRenderingInputAttachmentIndicesKHR)(cmd, &indices);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    end(&s, cmd);
    make_readable(cmd, &s.colors[1]);
    vkt_end_submit(&s.t, cmd);
    read_of(second, added, in_left);
    read_of(nothing, added, in_right);
    assert_image(&s, &s.colors[1], in_left, in_right);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &secondary);
    vkt_pipeline_destroy(&s.t, &write);
    vkt_pipeline_destroy(&s.t, &read);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(only_attachment_is_read_in_tiles, vkt_check_messages),
        cmocka_unit_test_teardown(index_of_only_attachment_is_exchanged, vkt_check_messages),
        cmocka_unit_test_teardown(index_comes_late, vkt_check_messages),
        cmocka_unit_test_teardown(one_of_two_attachments_is_read, vkt_check_messages),
        cmocka_unit_test_teardown(locations_are_exchanged, vkt_check_messages),
        cmocka_unit_test_teardown(depth_is_read, vkt_check_messages),
        cmocka_unit_test_teardown(samples_are_read, vkt_check_messages),
        cmocka_unit_test_teardown(buffers_are_read, vkt_check_messages),
        cmocka_unit_test_teardown(secondaries_read, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_local_read", tests, NULL, vkt_teardown);
}
