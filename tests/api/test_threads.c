/* SPDX-License-Identifier: MIT
 *
 * Recording from several threads at once. Each thread has its own command pool and records its own band of the image,
 * over and over, while the others do the same. They share pipelines, sets and the first compilation of a variant. The
 * test is also run under ThreadSanitizer.
 */
#include <pthread.h>
#include <string.h>
#include "vkt.h"
#include "full.vert.h"
#include "push.frag.h"
#include "push.vert.h"
#include "texture.frag.h"

#define THREADS 4
#define ROUNDS  100
#define W       128
#define BAND    16 /* rows per thread */
#define H       (THREADS * BAND)

struct scene {
    struct vkt *t;
    struct vkt_target target;
    struct vkt_pipeline texture, rect; /* the texture's format causes a shader variant to be compiled at the first
                                        * draw */
    VkDescriptorSet set;
};

struct recorder {
    const struct scene *scene;
    uint32_t band;
    pthread_t thread;
    VkCommandPool pool;
    VkCommandBuffer cmd;
    VkResult result;
};

static VkResult begin(const struct recorder *r)
{
    const VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                        .renderPass = r->scene->target.pass};
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                           .pInheritanceInfo = &inheritance};
    return vkBeginCommandBuffer(r->cmd, &info);
}

/* Draws the texture over the whole band, then a column with its own color at every other pixel of the left half. */
static void record_band(const struct recorder *r)
{
    const struct scene *s = r->scene;
    const VkViewport viewport = {0, 0, W, H, 0, 1};
    const VkRect2D scissor = {{0, (int32_t)(r->band * BAND)}, {W, BAND}};
    vkCmdSetViewport(r->cmd, 0, 1, &viewport);
    vkCmdSetScissor(r->cmd, 0, 1, &scissor);
    vkCmdBindPipeline(r->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->texture.pipeline);
    vkCmdBindDescriptorSets(r->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->texture.layout, 0, 1, &s->set, 0, NULL);
    vkCmdDraw(r->cmd, 4, 1, 0, 0);
    vkCmdBindPipeline(r->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->rect.pipeline);
    for (uint32_t x = 0; x < W / 2; x += 2) {
        const float values[9] = {
            (float)x / 255, (float)r->band / 255, 1, 1, (float)x * 2 / W - 1, -1, (float)(x + 1) * 2 / W - 1, 1, 0.5f};
        vkCmdPushConstants(r->cmd, s->rect.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                           sizeof values, values);
        vkCmdDraw(r->cmd, 4, 1, 0, 0);
    }
}

/* No assertions here: cmocka supports them only on the thread that runs the test. */
static void *record(void *arg)
{
    struct recorder *r = arg;
    for (uint32_t i = 0; i < ROUNDS && r->result == VK_SUCCESS; i++) {
        r->result = vkResetCommandPool(r->scene->t->device, r->pool,
                                       i % 5 == 4 ? VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT : 0);
        if (r->result == VK_SUCCESS)
            r->result = begin(r);
        if (r->result != VK_SUCCESS)
            break;
        record_band(r);
        r->result = vkEndCommandBuffer(r->cmd);
    }
    return NULL;
}

static void start(struct recorder *r)
{
    struct vkt *t = r->scene->t;
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    vkt_ok(vkCreateCommandPool(t->device, &pool_info, NULL, &r->pool));
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = r->pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                              .commandBufferCount = 1};
    vkt_ok(vkAllocateCommandBuffers(t->device, &info, &r->cmd));
    assert_int_equal(pthread_create(&r->thread, NULL, record, r), 0);
}

static void expect_bands(const struct vkt_picture *got, const uint8_t texture[4])
{
    for (uint32_t y = 0; y < H; y++) {
        for (uint32_t x = 0; x < W; x++) {
            const uint8_t column[4] = {(uint8_t)x, (uint8_t)(y / BAND), 255, 255};
            const bool is_column = x < W / 2 && x % 2 == 0;
            if (memcmp(got->rgba + 4 * (y * W + x), is_column ? column : texture, 4))
                fail_msg("pixel (%u,%u) does not show what its thread recorded", x, y);
        }
    }
}

static void execute(const struct scene *s, const struct recorder *recorders)
{
    VkCommandBuffer cmds[THREADS];
    for (uint32_t i = 0; i < THREADS; i++)
        cmds[i] = recorders[i].cmd;
    const VkClearValue clear = {.color.float32 = {0, 0, 0, 0}};
    VkCommandBuffer cmd = vkt_begin(s->t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = s->target.pass,
                                                  .framebuffer = s->target.framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}},
                                                  .clearValueCount = 1,
                                                  .pClearValues = &clear},
                         VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(cmd, THREADS, cmds);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(s->t, cmd);
}

static struct vkt_pipeline pipeline(struct scene *s, struct vkt_shader vs, struct vkt_shader fs,
                                    VkDescriptorSetLayout set_layout)
{
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    return vkt_pipeline_create(s->t, &(struct vkt_pipeline_info){.vs = vs,
                                                                 .fs = fs,
                                                                 .pass = s->target.pass,
                                                                 .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                 .dynamic = dynamic,
                                                                 .dynamic_count = VKT_COUNT(dynamic),
                                                                 .set_layouts = {set_layout},
                                                                 .set_layout_count = set_layout != VK_NULL_HANDLE,
                                                                 .push_size_B = 36});
}

static void pools_are_independent(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s = {.t = t, .target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED)};
    const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    VkDescriptorSetLayout set_layout = vkt_set_layout_create(t, &binding, 1);
    s.texture = pipeline(&s, VKT_SHADER(full_vert), VKT_SHADER(texture_frag), set_layout);
    s.rect = pipeline(&s, VKT_SHADER(push_vert), VKT_SHADER(push_frag), VK_NULL_HANDLE);
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R16G16B16A16_UNORM,
                                    .width = 1,
                                    .height = 1,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    static const uint16_t texel[4] = {51 * 257, 102 * 257, 153 * 257, 204 * 257};
    vkt_image_upload(t, &image, 0, 0, texel, sizeof texel);
    VkSampler sampler = vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                           VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    s.set = vkt_set_alloc(t, set_layout);
    vkt_set_texture(t, s.set, 0, image.view, sampler);

    struct recorder recorders[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        recorders[i] = (struct recorder){.scene = &s, .band = i};
        start(&recorders[i]);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(recorders[i].thread, NULL), 0);
        vkt_ok(recorders[i].result);
    }
    execute(&s, recorders);
    struct vkt_picture got = vkt_read_target(t, &s.target);
    expect_bands(&got, (uint8_t[]){51, 102, 153, 204});
    vkt_picture_free(&got);

    for (uint32_t i = 0; i < THREADS; i++)
        vkDestroyCommandPool(t->device, recorders[i].pool, NULL);
    vkDestroySampler(t->device, sampler, NULL);
    vkt_image_destroy(t, &image);
    vkt_pipeline_destroy(t, &s.rect);
    vkt_pipeline_destroy(t, &s.texture);
    vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
    vkt_target_destroy(t, &s.target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(pools_are_independent, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, vkt_teardown);
}
