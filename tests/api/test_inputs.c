/* SPDX-License-Identifier: MIT
 *
 * Input attachments. If the input is also the subpass's only color attachment, with one word per pixel and one sample,
 * the shader reads it from the tile buffer: both subpasses become one job, which stores once. Every other input
 * attachment is stored by one job and sampled by a later one. The tests count jobs, loads and stores, and check that
 * both ways draw the same pixels.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "inputs_many.frag.h"
#include "own_input.frag.h"
#include "own_input_odd.frag.h"
#include "own_input_uint.frag.h"
#include "targets.vert.h"
#include "targets_float.frag.h"
#include "targets_uint.frag.h"

enum { W = 64, H = 64, QUADS = 3, ADDED = 4 };

struct push {
    float scale[4], offset[4], rect[4], depth;
};

/* Overlapping quads in pixels: left, top, right, bottom. */
static const int quads[QUADS][4] = {{0, 0, 64, 48}, {16, 8, 64, 64}, {24, 0, 40, 56}};

/* What the second subpass reads: its own color attachment, or the other one. */
enum reads { OWN, OTHER };

/* The first subpass draws into the first of two attachments. The second subpass reads the first attachment and draws
 * into it (OWN) or into the second (OTHER). */
struct scene {
    struct vkt *t;
    VkFormat format;
    struct vkt_image images[2];
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet set;
    struct vkt_pipeline write, read;
};

/* ---------------------------------------------------------------- set-up */

static VkRenderPass pass_create(struct vkt *t, VkFormat format, enum reads reads)
{
    const VkAttachmentDescription attachment = {
        .format = format,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
    };
    const VkAttachmentReference first = {0, VK_IMAGE_LAYOUT_GENERAL}, second = {1, VK_IMAGE_LAYOUT_GENERAL};
    const VkSubpassDescription subpasses[] = {
        {.colorAttachmentCount = 1, .pColorAttachments = &first},
        {.colorAttachmentCount = 1,
         .pColorAttachments = reads == OWN ? &first : &second,
         .inputAttachmentCount = 1,
         .pInputAttachments = &first},
    };
    const VkPipelineStageFlags drawn = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                               read = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
    const VkAccessFlags written = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, input = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT;
    const VkSubpassDependency dependencies[] = {
        {0, 1, drawn, read | drawn, written, input | written, VK_DEPENDENCY_BY_REGION_BIT},
        {1, 1, drawn, read, written, input, VK_DEPENDENCY_BY_REGION_BIT},
        {1, VK_SUBPASS_EXTERNAL, drawn, VK_PIPELINE_STAGE_TRANSFER_BIT, written, VK_ACCESS_TRANSFER_READ_BIT, 0},
        {0, VK_SUBPASS_EXTERNAL, drawn, VK_PIPELINE_STAGE_TRANSFER_BIT, written, VK_ACCESS_TRANSFER_READ_BIT, 0},
    };
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .attachmentCount = 2,
                                  .pAttachments = (VkAttachmentDescription[]){attachment, attachment},
                                  .subpassCount = 2,
                                  .pSubpasses = subpasses,
                                  .dependencyCount = VKT_COUNT(dependencies),
                                  .pDependencies = dependencies,
                              },
                              NULL, &pass));
    return pass;
}

static void set_create(struct scene *s)
{
    static const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    s->set_layout = vkt_set_layout_create(s->t, &binding, 1);
    s->set = vkt_set_alloc(s->t, s->set_layout);
    vkUpdateDescriptorSets(s->t->device, 1,
                           &(VkWriteDescriptorSet){
                               .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                               .dstSet = s->set,
                               .descriptorCount = 1,
                               .descriptorType = binding.type,
                               .pImageInfo = &(VkDescriptorImageInfo){.imageView = s->images[0].view,
                                                                      .imageLayout = VK_IMAGE_LAYOUT_GENERAL},
                           },
                           0, NULL);
}

/* `made_for`: the kind of render pass that the pipelines are created with; it is compatible with the one that is drawn
 * in. */
static struct scene scene_create(struct vkt *t, VkFormat format, enum reads reads, enum reads made_for,
                                 struct vkt_shader write, struct vkt_shader read,
                                 VkPipelineColorBlendAttachmentState blend)
{
    struct scene s = {.t = t, .format = format, .pass = pass_create(t, format, reads)};
    VkRenderPass compatible_pass = pass_create(t, format, made_for);
    for (uint32_t i = 0; i < 2; i++)
        s.images[i] = vkt_image_create(
            t, &(struct vkt_image_info){.format = format,
                                        .width = W,
                                        .height = H,
                                        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                 VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT});
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){
                                   .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = s.pass,
                                   .attachmentCount = 2,
                                   .pAttachments = (VkImageView[]){s.images[0].view, s.images[1].view},
                                   .width = W,
                                   .height = H,
                                   .layers = 1,
                               },
                               NULL, &s.framebuffer));
    set_create(&s);
    struct vkt_pipeline_info info = {
        .vs = VKT_SHADER(targets_vert),
        .fs = write,
        .pass = compatible_pass,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
        .width = W,
        .height = H,
        .push_size_B = sizeof(struct push),
        .set_layouts = {s.set_layout},
        .set_layout_count = 1,
    };
    s.write = vkt_pipeline_create(t, &info);
    info.fs = read;
    info.subpass = 1;
    info.blend = blend;
    s.read = vkt_pipeline_create(t, &info);
    vkDestroyRenderPass(t->device, compatible_pass, NULL);
    return s;
}

static struct scene uint_scene_create(enum reads reads, enum reads made_for)
{
    return scene_create(vkt_device(VKT_TESTED), VK_FORMAT_R8G8B8A8_UINT, reads, made_for, VKT_SHADER(targets_uint_frag),
                        VKT_SHADER(own_input_uint_frag), (VkPipelineColorBlendAttachmentState){0});
}

static void scene_destroy(struct scene *s)
{
    vkt_pipeline_destroy(s->t, &s->write);
    vkt_pipeline_destroy(s->t, &s->read);
    vkDestroyDescriptorSetLayout(s->t->device, s->set_layout, NULL);
    vkDestroyFramebuffer(s->t->device, s->framebuffer, NULL);
    vkDestroyRenderPass(s->t->device, s->pass, NULL);
    for (uint32_t i = 0; i < 2; i++)
        vkt_image_destroy(s->t, &s->images[i]);
}

/* ---------------------------------------------------------------- drawing */

static void draw(VkCommandBuffer cmd, const struct vkt_pipeline *pipeline, const struct push *push)
{
    vkCmdPushConstants(cmd, pipeline->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                       sizeof *push, push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

static void barrier(VkCommandBuffer cmd)
{
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                         VK_DEPENDENCY_BY_REGION_BIT, 1,
                         &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                            .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                            .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT},
                         0, NULL, 0, NULL);
}

static void draw_first(VkCommandBuffer cmd, const struct scene *s, float scale)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->write.pipeline);
    draw(cmd, &s->write, &(struct push){.scale = {scale, scale, scale, scale}, .rect = {-1, -1, 1, 1}});
}

static void draw_quads(VkCommandBuffer cmd, const struct scene *s, float scale)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->read.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->read.layout, 0, 1, &s->set, 0, NULL);
    for (uint32_t i = 0; i < QUADS; i++) {
        const int *q = quads[i];
        draw(cmd, &s->read,
             &(struct push){.scale = {(float)(ADDED * i + 1) * scale, 2 * scale, 3 * scale, 4 * scale},
                            .rect = {(float)q[0] / 32 - 1, (float)q[1] / 32 - 1, (float)q[2] / 32 - 1,
                                     (float)q[3] / 32 - 1}});
        barrier(cmd);
    }
}

static void begin(VkCommandBuffer cmd, const struct scene *s)
{
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){
                             .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                             .renderPass = s->pass,
                             .framebuffer = s->framebuffer,
                             .renderArea = {{0, 0}, {W, H}},
                             .clearValueCount = 2,
                             .pClearValues = (VkClearValue[2]){{{{0}}}},
                         },
                         VK_SUBPASS_CONTENTS_INLINE);
}

static VkCommandBuffer record(const struct scene *s, float scale)
{
    VkCommandBuffer cmd = vkt_begin(s->t);
    begin(cmd, s);
    draw_first(cmd, s, scale);
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    draw_quads(cmd, s, scale);
    vkCmdEndRenderPass(cmd);
    return cmd;
}

/* The same with the second subpass in a secondary command buffer. A secondary may run in any compatible pass, so its
 * shader reads the input from memory. */
static VkCommandBuffer record_secondary(const struct scene *s, float scale)
{
    VkCommandBuffer cmd = vkt_begin(s->t), secondary = vkt_begin_secondary(s->t, s->pass, 1);
    draw_quads(secondary, s, scale);
    vkt_ok(vkEndCommandBuffer(secondary));
    begin(cmd, s);
    draw_first(cmd, s, scale);
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    vkCmdEndRenderPass(cmd);
    return cmd;
}

/* ---------------------------------------------------------------- expected pixels */

static bool covers(uint32_t quad, int x, int y)
{
    const int *q = quads[quad];
    return x >= q[0] && y >= q[1] && x < q[2] && y < q[3];
}

static void first_value(int x, int y, uint8_t out[4])
{
    const int value[] = {x, y, x + y, 63 - x};
    for (uint32_t c = 0; c < 4; c++)
        out[c] = (uint8_t)value[c];
}

/* Computes the pixel of the attachment that the second subpass draws into. */
static void expect(enum reads reads, int x, int y, uint8_t out[4])
{
    uint8_t old[4], first[4];
    first_value(x, y, first);
    memcpy(out, reads == OWN ? first : (uint8_t[4]){0}, 4);
    for (uint32_t i = 0; i < QUADS; i++) {
        if (!covers(i, x, y))
            continue;
        memcpy(old, reads == OWN ? out : first, 4);
        out[0] = (uint8_t)(old[1] + ADDED * i + 1);
        out[1] = (uint8_t)(old[2] + 2);
        out[2] = (uint8_t)(old[0] + 3);
        out[3] = (uint8_t)(old[3] + 4);
    }
}

static void check_uint(const struct scene *s, enum reads reads)
{
    static uint8_t got[2][W * H][4];
    for (uint32_t i = 0; i < 2; i++)
        vkt_read_image(s->t, &s->images[i], 0, 0, got[i], sizeof got[i]);
    for (int i = 0; i < W * H; i++) {
        uint8_t expected[4], first[4];
        expect(reads, i % W, i / W, expected);
        first_value(i % W, i / W, first);
        assert_memory_equal(got[reads == OWN ? 0 : 1][i], expected, 4);
        if (reads == OTHER)
            assert_memory_equal(got[0][i], first, 4);
    }
}

static void assert_counts(struct vkt *t, VkCommandBuffer cmd, uint32_t jobs, uint32_t loads, uint32_t stores)
{
    void (*recorded)(VkCommandBuffer, uint32_t *) =
        (void (*)(VkCommandBuffer, uint32_t *))vkt_hook(t, "vc4vk_test_recorded");
    uint32_t counts[4];
    const char *debug = getenv("VC4VK_DEBUG");
    if (debug && (strstr(debug, "tiny") || strstr(debug, "force-cpu-engine"))) /* "tiny" makes one job per draw,
                                                                                * "force-cpu-engine" none */
        return;
    recorded(cmd, counts);
    assert_int_equal(counts[0], jobs);
    assert_int_equal(counts[1], loads);
    assert_int_equal(counts[2], stores);
}

/* ---------------------------------------------------------------- tests */

static void run_case(enum reads reads, enum reads made_for, uint32_t jobs, uint32_t loads, uint32_t stores)
{
    struct scene s = uint_scene_create(reads, made_for);
    VkCommandBuffer cmd = record(&s, 1);
    vkt_ok(vkEndCommandBuffer(cmd));
    assert_counts(s.t, cmd, jobs, loads, stores);
    vkt_submit(s.t, cmd);
    check_uint(&s, reads);
    scene_destroy(&s);
}

/* One job runs both subpasses. The second attachment is not drawn into, so no job clears it. */
static void its_own_color_stays_in_the_tile_buffer(void **state)
{
    run_case(OWN, OWN, 1, 0, 1);
}

/* The first subpass's job stores its color and the second's samples it. Each job stores once. */
static void another_color_is_stored_and_sampled(void **state)
{
    run_case(OTHER, OTHER, 2, 0, 2);
}

/* The render pass in use decides whether the input is the subpass's own color, not the compatible pass that the
 * pipelines were created with. */
static void compatible_passes_may_read_others(void **state)
{
    run_case(OWN, OTHER, 1, 0, 1);
    run_case(OTHER, OWN, 2, 0, 2);
}

static void secondaries_read_memory(void **state)
{
    struct scene s = uint_scene_create(OWN, OWN);
    vkt_end_submit(s.t, record_secondary(&s, 1));
    check_uint(&s, OWN);
    scene_destroy(&s);
}

/* A program that counts samples for a query finds counters in the tile buffer and must not read them as color. */
static void queries_count_what_the_input_lets_through(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s = scene_create(t, VK_FORMAT_R8G8B8A8_UINT, OWN, OWN, VKT_SHADER(targets_uint_frag),
                                  VKT_SHADER(own_input_odd_frag), (VkPipelineColorBlendAttachmentState){0});
    VkQueryPool pool;
    vkt_ok(vkCreateQueryPool(t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = 1},
                             NULL, &pool));
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    begin(cmd, &s);
    draw_first(cmd, &s, 1);
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s.read.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s.read.layout, 0, 1, &s.set, 0, NULL);
    const struct push all = {.scale = {1, 0, 0, 0}, .rect = {-1, -1, 1, 1}};
    draw(cmd, &s.read, &all); /* keeps the even columns, whose red becomes y + 1 */
    barrier(cmd);
    vkCmdBeginQuery(cmd, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    draw(cmd, &s.read, &all); /* keeps those with an even value: the odd rows */
    vkCmdEndQuery(cmd, pool, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    uint64_t count;
    vkt_ok(vkGetQueryPoolResults(t->device, pool, 0, 1, sizeof count, &count, sizeof count,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    assert_int_equal(count, W / 2 * H / 2);
    vkDestroyQueryPool(t->device, pool, NULL);
    scene_destroy(&s);
}

/* Both ways decode every format alike, with and without blending. */
static void all_formats_read_the_same_either_way(void **state)
{
    static const VkFormat formats[] = {
        VK_FORMAT_R8G8B8A8_UNORM,     VK_FORMAT_R8G8B8A8_SRGB,    VK_FORMAT_B8G8R8A8_UNORM,
        VK_FORMAT_B8G8R8A8_SRGB,      VK_FORMAT_R8G8B8A8_SNORM,   VK_FORMAT_R5G6B5_UNORM_PACK16,
        VK_FORMAT_R8_UNORM,           VK_FORMAT_R8G8_UNORM,       VK_FORMAT_A2B10G10R10_UNORM_PACK32,
        VK_FORMAT_R16G16_SFLOAT,      VK_FORMAT_R16_SFLOAT,       VK_FORMAT_R32_SFLOAT,
        VK_FORMAT_A1R5G5B5_UNORM_PACK16,
    };
    static const VkPipelineColorBlendAttachmentState blends[] = {
        {0},
        {.blendEnable = VK_TRUE,
         .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
         .dstColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
         .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
         .dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO,
         .colorWriteMask = 0xf},
    };
    static uint8_t texels[2][W * H * 4];
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t f = 0; f < VKT_COUNT(formats) * VKT_COUNT(blends); f++) {
        struct scene s = scene_create(t, formats[f / 2], OWN, OWN, VKT_SHADER(targets_float_frag),
                                      VKT_SHADER(own_input_frag), blends[f % 2]);
        VkFormatProperties features;
        vkGetPhysicalDeviceFormatProperties(t->physical, formats[f / 2], &features);
        const bool can_blend = features.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT;
        for (uint32_t way = 0; way < 2 && (can_blend || f % 2 == 0); way++) {
            const float scale = 1 / 128.0f;
            memset(texels[way], 0, sizeof texels[way]);
            vkt_end_submit(t, way ? record_secondary(&s, scale) : record(&s, scale));
            const bool is_narrow = formats[f / 2] == VK_FORMAT_R8_UNORM;
            const bool is_half = formats[f / 2] == VK_FORMAT_R5G6B5_UNORM_PACK16 ||
                                 formats[f / 2] == VK_FORMAT_R8G8_UNORM || formats[f / 2] == VK_FORMAT_R16_SFLOAT ||
                                 formats[f / 2] == VK_FORMAT_A1R5G5B5_UNORM_PACK16;
            vkt_read_image(t, &s.images[0], 0, 0, texels[way], W * H * (is_narrow ? 1 : is_half ? 2 : 4));
        }
        if (memcmp(texels[0], texels[1], sizeof texels[0]))
            fail_msg("format %d, blend %u: the two ways differ", formats[f / 2], f % 2);
        scene_destroy(&s);
    }
}

#define MANY    64u  /* maxPerStageDescriptorInputAttachments */
#define IN_SET  256u /* maxDescriptorSetInputAttachments */
#define MANY_PX 8u

static VkRenderPass many_pass_create(struct vkt *t)
{
    VkAttachmentDescription attachments[MANY + 1];
    VkAttachmentReference inputs[MANY];
    for (uint32_t i = 0; i <= MANY; i++)
        attachments[i] = (VkAttachmentDescription){
            .format = VK_FORMAT_R8G8B8A8_UNORM,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = i < MANY ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .initialLayout = i < MANY ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_UNDEFINED,
            .finalLayout = i < MANY ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    for (uint32_t i = 0; i < MANY; i++)
        inputs[i] = (VkAttachmentReference){i, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .inputAttachmentCount = MANY,
                                          .pInputAttachments = inputs,
                                          .colorAttachmentCount = 1,
                                          .pColorAttachments =
                                              &(VkAttachmentReference){MANY, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}};
    const VkSubpassDependency after = {0,
                                       VK_SUBPASS_EXTERNAL,
                                       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                       VK_PIPELINE_STAGE_TRANSFER_BIT,
                                       VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                       VK_ACCESS_TRANSFER_READ_BIT,
                                       0};
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                        .attachmentCount = MANY + 1,
                                                        .pAttachments = attachments,
                                                        .subpassCount = 1,
                                                        .pSubpasses = &subpass,
                                                        .dependencyCount = 1,
                                                        .pDependencies = &after},
                              NULL, &pass));
    return pass;
}

static VkFramebuffer many_framebuffer_create(struct vkt *t, VkRenderPass pass, const struct vkt_image images[MANY + 1])
{
    VkImageView views[MANY + 1];
    VkFramebuffer framebuffer;
    for (uint32_t i = 0; i <= MANY; i++)
        views[i] = images[i].view;
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = pass,
                                                          .attachmentCount = MANY + 1,
                                                          .pAttachments = views,
                                                          .width = MANY_PX,
                                                          .height = MANY_PX,
                                                          .layers = 1},
                               NULL, &framebuffer));
    return framebuffer;
}

/* A set with as many input attachments as a set may have, of which the stage has as many as a stage may have. */
static VkDescriptorSet many_set_create(struct vkt *t, const struct vkt_image images[MANY + 1],
                                       VkDescriptorSetLayout *layout_out, VkDescriptorPool *pool_out)
{
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_SHADER_STAGE_FRAGMENT_BIT, MANY},
                                           {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 0, IN_SET - MANY}};
    VkDescriptorImageInfo infos[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        infos[i] = (VkDescriptorImageInfo){VK_NULL_HANDLE, images[i].view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    *layout_out = vkt_set_layout_create(t, bindings, 2);
    vkt_ok(vkCreateDescriptorPool(t->device,
                                  &(VkDescriptorPoolCreateInfo){
                                      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                      .maxSets = 1,
                                      .poolSizeCount = 1,
                                      .pPoolSizes = &(VkDescriptorPoolSize){bindings[0].type, IN_SET},
                                  },
                                  NULL, pool_out));
    VkDescriptorSet set;
    vkt_ok(vkAllocateDescriptorSets(t->device,
                                    &(VkDescriptorSetAllocateInfo){
                                        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = *pool_out,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = layout_out,
                                    },
                                    &set));
    vkUpdateDescriptorSets(t->device, 1,
                           &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                   .dstSet = set,
                                                   .descriptorCount = MANY,
                                                   .descriptorType = bindings[0].type,
                                                   .pImageInfo = infos},
                           0, NULL);
    return set;
}

static void as_many_as_the_limit_says(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_image images[MANY + 1];
    uint8_t texels[MANY_PX * MANY_PX][4] = {{0}};
    uint32_t sum = 0;
    assert_int_equal(t->properties.limits.maxPerStageDescriptorInputAttachments, MANY);
    assert_int_equal(t->properties.limits.maxDescriptorSetInputAttachments, IN_SET);
    for (uint32_t i = 0; i <= MANY; i++) {
        images[i] =
            vkt_image_create(t, &(struct vkt_image_info){
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = MANY_PX,
                                    .height = MANY_PX,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
                                             VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
        for (uint32_t j = 0; j < MANY_PX * MANY_PX; j++)
            texels[j][0] = (uint8_t)(i * 37 + 11);
        if (i < MANY)
            vkt_image_upload(t, &images[i], 0, 0, texels, sizeof texels);
        sum += i < MANY ? (i + 1) * texels[0][0] : 0;
    }
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    const VkDescriptorSet set = many_set_create(t, images, &layout, &pool);
    VkRenderPass pass = many_pass_create(t);
    VkFramebuffer framebuffer = many_framebuffer_create(t, pass, images);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                              .vs = VKT_SHADER(targets_vert),
                                                              .fs = VKT_SHADER(inputs_many_frag),
                                                              .pass = pass,
                                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                              .width = MANY_PX,
                                                              .height = MANY_PX,
                                                              .push_size_B = sizeof(struct push),
                                                              .set_layouts = {layout},
                                                              .set_layout_count = 1,
                                                          });
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = pass,
                                                  .framebuffer = framebuffer,
                                                  .renderArea = {{0, 0}, {MANY_PX, MANY_PX}}},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    draw(cmd, &pipeline, &(struct push){.rect = {-1, -1, 1, 1}});
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &images[MANY], 0, 0, texels, sizeof texels);
    for (uint32_t j = 0; j < MANY_PX * MANY_PX; j++) {
        assert_int_equal(texels[j][0], sum % 251);
        assert_int_equal(texels[j][1], sum / 251 % 251);
    }
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyFramebuffer(t->device, framebuffer, NULL);
    vkDestroyRenderPass(t->device, pass, NULL);
    vkDestroyDescriptorPool(t->device, pool, NULL);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    for (uint32_t i = 0; i <= MANY; i++)
        vkt_image_destroy(t, &images[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(its_own_color_stays_in_the_tile_buffer, vkt_check_messages),
        cmocka_unit_test_teardown(another_color_is_stored_and_sampled, vkt_check_messages),
        cmocka_unit_test_teardown(compatible_passes_may_read_others, vkt_check_messages),
        cmocka_unit_test_teardown(secondaries_read_memory, vkt_check_messages),
        cmocka_unit_test_teardown(queries_count_what_the_input_lets_through, vkt_check_messages),
        cmocka_unit_test_teardown(all_formats_read_the_same_either_way, vkt_check_messages),
        cmocka_unit_test_teardown(as_many_as_the_limit_says, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
