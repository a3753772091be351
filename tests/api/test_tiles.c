/* SPDX-License-Identifier: MIT
 *
 * Which operations become jobs. Copies and clears of whole levels run in the tile buffer, without a draw, where the
 * device's memory is slow to read (with VC4VK_DEBUG=tile-copies: always); those of parts of a level run on the CPU. A
 * pass that changes nothing makes no job.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "push.frag.h"
#include "push.vert.h"

enum { W = 100, H = 70, MAX_B = 8 };

struct counts {
    uint32_t jobs, loads, stores, operations;
};

static bool has_word(const char *word)
{
    const char *debug = getenv("VC4VK_DEBUG");
    return debug && strstr(debug, word);
}

static struct counts count_recorded(struct vkt *t, VkCommandBuffer cmd)
{
    void (*recorded)(VkCommandBuffer, uint32_t *) =
        (void (*)(VkCommandBuffer, uint32_t *))vkt_hook(t, "vc4vk_test_recorded");
    uint32_t c[4];
    recorded(cmd, c);
    return (struct counts){c[0], c[1], c[2], c[3]};
}

static void assert_counts(struct counts got, struct counts expected)
{
    assert_int_equal(got.jobs, expected.jobs);
    assert_int_equal(got.loads, expected.loads);
    assert_int_equal(got.stores, expected.stores);
    assert_int_equal(got.operations, expected.operations);
}

/* Expects `jobs` jobs with "tile-copies", else one operation on the CPU. */
static void assert_by_tiles(struct vkt *t, VkCommandBuffer cmd, uint32_t jobs, bool loads)
{
    const struct counts got = count_recorded(t, cmd);
    if (has_word("tile-copies"))
        assert_counts(got, (struct counts){jobs, loads ? jobs : 0, jobs, 0});
    else
        assert_counts(got, (struct counts){0, 0, 0, 1});
}

/* ---------------------------------------------------------------- copies and clears */

static const struct form {
    VkFormat format;
    VkImageAspectFlags aspects;
    VkSampleCountFlagBits samples;
    uint32_t jobs, texel_B;
} forms[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, VK_SAMPLE_COUNT_1_BIT, 1, 4},
    {VK_FORMAT_R5G6B5_UNORM_PACK16, VK_IMAGE_ASPECT_COLOR_BIT, VK_SAMPLE_COUNT_1_BIT, 1, 2},
    {VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_ASPECT_COLOR_BIT, VK_SAMPLE_COUNT_1_BIT, 2, 8},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, VK_SAMPLE_COUNT_4_BIT, 1, 4},
    {VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_DEPTH_BIT, VK_SAMPLE_COUNT_1_BIT, 1, 2},
};

static struct vkt_image image_create(struct vkt *t, const struct form *f)
{
    const bool is_color = f->aspects & VK_IMAGE_ASPECT_COLOR_BIT;
    return vkt_image_create(
        t, &(struct vkt_image_info){.format = f->format,
                                    .width = W,
                                    .height = H,
                                    .samples = f->samples,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                             (is_color ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                                       : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT)});
}

/* Clears every channel to 1 or to 0. */
static void record_clear(VkCommandBuffer cmd, const struct form *f, const struct vkt_image *image, bool to_one)
{
    const VkImageSubresourceRange range = {f->aspects, 0, 1, 0, 1};
    const float value = to_one ? 1 : 0;
    if (f->aspects & VK_IMAGE_ASPECT_COLOR_BIT)
        vkCmdClearColorImage(cmd, image->image, VK_IMAGE_LAYOUT_GENERAL,
                             &(VkClearColorValue){{value, value, value, value}}, 1, &range);
    else
        vkCmdClearDepthStencilImage(cmd, image->image, VK_IMAGE_LAYOUT_GENERAL,
                                    &(VkClearDepthStencilValue){.depth = value}, 1, &range);
}

static void record_copy(VkCommandBuffer cmd, const struct form *f, const struct vkt_image *from,
                        const struct vkt_image *to, uint32_t width)
{
    const VkImageSubresourceLayers layers = {f->aspects, 0, 0, 1};
    vkCmdCopyImage(cmd, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &(VkImageCopy){layers, {0, 0, 0}, layers, {0, 0, 0}, {width, H, 1}});
}

static void to_general(struct vkt *t, const struct vkt_image *a, const struct vkt_image *b)
{
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, a, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, b, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_end_submit(t, cmd);
}

/* The bytes of a texel whose channels are all 1. */
static void one_texel(const struct form *f, uint8_t out[MAX_B])
{
    static const uint8_t half_one[] = {0x00, 0x3c, 0x00, 0x3c, 0x00, 0x3c, 0x00, 0x3c};
    memset(out, 0xff, MAX_B);
    if (f->format == VK_FORMAT_R16G16B16A16_SFLOAT)
        memcpy(out, half_one, sizeof half_one);
}

/* Checks that the first `width` columns are 1 and the others 0. Multisampled images are resolved first. */
static void check(struct vkt *t, const struct form *f, struct vkt_image *image, uint32_t width)
{
    static uint8_t got[W * H * MAX_B];
    uint8_t one[MAX_B];
    const uint8_t zero[MAX_B] = {0};
    struct vkt_image resolved = *image;
    VkCommandBuffer cmd = vkt_begin(t);
    if (f->samples > 1) {
        const VkImageSubresourceLayers layers = {f->aspects, 0, 0, 1};
        struct form single = *f;
        single.samples = VK_SAMPLE_COUNT_1_BIT;
        resolved = image_create(t, &single);
        vkt_image_barrier(cmd, &resolved, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        vkCmdResolveImage(cmd, image->image, VK_IMAGE_LAYOUT_GENERAL, resolved.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                          &(VkImageResolve){layers, {0, 0, 0}, layers, {0, 0, 0}, {W, H, 1}});
    }
    vkt_image_barrier(cmd, &resolved, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &resolved, 0, 0, got, W * H * f->texel_B);
    if (f->samples > 1)
        vkt_image_destroy(t, &resolved);
    one_texel(f, one);
    for (uint32_t i = 0; i < W * H; i++)
        if (memcmp(got + (size_t)i * f->texel_B, i % W < width ? one : zero, f->texel_B))
            fail_msg("format %d, %u samples: texel (%u, %u) is wrong", f->format, f->samples, i % W, i / W);
}

static void run_form(const struct form *f, uint32_t copied, uint32_t jobs)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_image from = image_create(t, f), to = image_create(t, f);
    to_general(t, &from, &to);
    VkCommandBuffer cmd = vkt_begin(t);
    record_clear(cmd, f, &from, true);
    vkt_ok(vkEndCommandBuffer(cmd));
    assert_by_tiles(t, cmd, f->jobs, false);
    vkt_submit(t, cmd);
    cmd = vkt_begin(t);
    record_clear(cmd, f, &to, false);
    vkt_end_submit(t, cmd);

    cmd = vkt_begin(t);
    record_copy(cmd, f, &from, &to, copied);
    vkt_ok(vkEndCommandBuffer(cmd));
    if (jobs)
        assert_by_tiles(t, cmd, jobs, true);
    else
        assert_counts(count_recorded(t, cmd), (struct counts){0, 0, 0, 1});
    vkt_submit(t, cmd);
    check(t, f, &to, copied);
    vkt_image_destroy(t, &from);
    vkt_image_destroy(t, &to);
}

static void whole_levels_are_jobs_without_draws(void **state)
{
    for (uint32_t i = 0; i < VKT_COUNT(forms); i++)
        run_form(&forms[i], W, forms[i].jobs);
}

static void parts_of_levels_are_the_cpus(void **state)
{
    for (uint32_t i = 0; i < VKT_COUNT(forms); i++)
        run_form(&forms[i], W - 1, 0);
}

/* ---------------------------------------------------------------- passes */

struct scene {
    struct vkt *t;
    struct vkt_image color;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    struct vkt_pipeline pipeline;
};

static struct scene scene_create(VkAttachmentLoadOp load, VkAttachmentStoreOp store, VkColorComponentFlags mask)
{
    struct scene s = {.t = vkt_device(VKT_TESTED), .color = image_create(vkt_device(VKT_TESTED), &forms[0])};
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_SCISSOR};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_GENERAL};
    const VkPipelineColorBlendAttachmentState blend = {.colorWriteMask = mask};
    vkt_ok(vkCreateRenderPass(
        s.t->device,
        &(VkRenderPassCreateInfo){
            .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
            .attachmentCount = 1,
            .pAttachments = &(VkAttachmentDescription){.format = forms[0].format,
                                                       .samples = VK_SAMPLE_COUNT_1_BIT,
                                                       .loadOp = load,
                                                       .storeOp = store,
                                                       .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                       .finalLayout = VK_IMAGE_LAYOUT_GENERAL},
            .subpassCount = 1,
            .pSubpasses = &(VkSubpassDescription){.colorAttachmentCount = 1, .pColorAttachments = &color},
        },
        NULL, &s.pass));
    vkt_ok(vkCreateFramebuffer(s.t->device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = s.pass,
                                                          .attachmentCount = 1,
                                                          .pAttachments = &s.color.view,
                                                          .width = W,
                                                          .height = H,
                                                          .layers = 1},
                               NULL, &s.framebuffer));
    s.pipeline = vkt_pipeline_create(s.t, &(struct vkt_pipeline_info){
                                              .vs = VKT_SHADER(push_vert),
                                              .fs = VKT_SHADER(push_frag),
                                              .pass = s.pass,
                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                              .width = W,
                                              .height = H,
                                              .dynamic = dynamic,
                                              .dynamic_count = 1,
                                              .push_size_B = 9 * sizeof(float),
                                              .blends = &blend,
                                          });
    return s;
}

static void scene_destroy(struct scene *s)
{
    vkt_pipeline_destroy(s->t, &s->pipeline);
    vkDestroyFramebuffer(s->t->device, s->framebuffer, NULL);
    vkDestroyRenderPass(s->t->device, s->pass, NULL);
    vkt_image_destroy(s->t, &s->color);
}

enum drawn { NOTHING, CUT_AWAY, A_QUAD, CLEARED, CLEARED_IN_PART };

static void record_pass(VkCommandBuffer cmd, const struct scene *s, enum drawn drawn)
{
    const struct {
        float color[4], rect[4], depth;
    } push = {{1, 1, 1, 1}, {-1, -1, 1, 1}, 0};
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = s->pass,
                                                  .framebuffer = s->framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}},
                                                  .clearValueCount = 1,
                                                  .pClearValues = &(VkClearValue){{{0}}}},
                         VK_SUBPASS_CONTENTS_INLINE);
    if (drawn >= CLEARED)
        vkCmdClearAttachments(cmd, 1, &(VkClearAttachment){VK_IMAGE_ASPECT_COLOR_BIT, 0, {{{1, 1, 1, 1}}}}, 1,
                              &(VkClearRect){{{0, 0}, {drawn == CLEARED ? W : W / 2, H}}, 0, 1});
    if (drawn == A_QUAD || drawn == CUT_AWAY) {
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->pipeline.pipeline);
        vkCmdSetScissor(cmd, 0, 1, &(VkRect2D){{0, 0}, {drawn == A_QUAD ? W : 0, H}});
        vkCmdPushConstants(cmd, s->pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                           sizeof push, &push);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
}

static void what_changes_nothing_is_no_job(void **state)
{
    static const struct row {
        VkAttachmentLoadOp load;
        VkAttachmentStoreOp store;
        VkColorComponentFlags mask;
        enum drawn drawn;
        struct counts expected;
    } rows[] = {
        {VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE, 0xf, NOTHING, {0, 0, 0, 0}},
        {VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_STORE, 0xf, NOTHING, {0, 0, 0, 0}},
        {VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE, 0xf, NOTHING, {0, 0, 0, 0}},
        {VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE, 0xf, A_QUAD, {0, 0, 0, 0}},
        {VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE, 0, A_QUAD, {0, 0, 0, 0}},
        {VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE, 0xf, CUT_AWAY, {0, 0, 0, 0}},
        {VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE, 0xf, NOTHING, {1, 0, 1, 0}},
        {VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE, 0xf, A_QUAD, {1, 0, 1, 0}},
        {VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE, 0xf, A_QUAD, {1, 1, 1, 0}},
        {VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE, 0xf, CLEARED, {1, 0, 1, 0}},
        {VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE, 0xf, CLEARED_IN_PART, {0, 0, 0, 1}},
    };
    if (has_word("force-cpu-engine"))
        vkt_skip("force-cpu-engine: the CPU engine runs passes without jobs");
    for (uint32_t i = 0; i < VKT_COUNT(rows); i++) {
        struct scene s = scene_create(rows[i].load, rows[i].store, rows[i].mask);
        VkCommandBuffer cmd = vkt_begin(s.t);
        vkt_image_barrier(cmd, &s.color, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        record_pass(cmd, &s, rows[i].drawn);
        vkt_ok(vkEndCommandBuffer(cmd));
        assert_counts(count_recorded(s.t, cmd), rows[i].expected);
        vkt_submit(s.t, cmd);
        scene_destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(whole_levels_are_jobs_without_draws, vkt_check_messages),
        cmocka_unit_test_teardown(parts_of_levels_are_the_cpus, vkt_check_messages),
        cmocka_unit_test_teardown(what_changes_nothing_is_no_job, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
