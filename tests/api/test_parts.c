/* SPDX-License-Identifier: MIT
 *
 * Proves that the driver really uses its four main mechanisms (chained control lists, binding tables, compiled
 * programs, timestamps), and that the chip's renderer reads nothing but tile lists. A test hook disturbs each of them,
 * and the image (or the wait) must show it.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "vkt.h"
#include "color.frag.h"
#include "color.vert.h"
#include "full.vert.h"
#include "push.frag.h"
#include "push.vert.h"
#include "texture.frag.h"
#include "ubo.frag.h"

#define W 128
#define H 128

static struct vkt_pipeline quad_pipeline(struct vkt *t, const struct vkt_target *target, struct vkt_shader vs,
                                         struct vkt_shader fs, VkDescriptorSetLayout set_layout)
{
    return vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = vs,
                                                              .fs = fs,
                                                              .pass = target->pass,
                                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                              .width = W,
                                                              .height = H,
                                                              .set_layouts = {set_layout},
                                                              .set_layout_count = set_layout ? 1 : 0,
                                                              .push_size_B = 36});
}

static void push(VkCommandBuffer cmd, const struct vkt_pipeline *p, const float values[9])
{
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 36, values);
}

static const float red_quad[9] = {1, 0, 0, 1, -1, -1, 1, 1, 0.5f};

static bool pixel_is(const struct vkt_picture *p, uint32_t x, uint32_t y, const uint8_t rgba[4])
{
    return !memcmp(p->rgba + 4 * (y * p->width + x), rgba, 4);
}

/* ---------------------------------------------------------------- chained control lists */

/* 7168 draws in one pass, each with its own viewport and scissor: one list of very many chunks or, with the debug word
 * "tiny", very many jobs that store and load the image between them. */
static void lists_chain(void **state)
{
    enum { COLUMNS = W, ROWS = 56 };
    struct vkt *t = vkt_device(VKT_TESTED);
    uint32_t (*count_chunks)(VkCommandBuffer) = (uint32_t(*)(VkCommandBuffer))vkt_hook(t, "vc4vk_test_chunk_count");
    uint32_t (*count_jobs)(VkCommandBuffer) = (uint32_t(*)(VkCommandBuffer))vkt_hook(t, "vc4vk_test_job_count");
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                       .vs = VKT_SHADER(push_vert),
                                                       .fs = VKT_SHADER(push_frag),
                                                       .pass = target.pass,
                                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                       .dynamic = dynamic,
                                                       .dynamic_count = 2,
                                                       .push_size_B = 36,
                                                   });
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    for (uint32_t i = 0; i < COLUMNS * ROWS; i++) {
        uint32_t x = i % COLUMNS, y = i / COLUMNS;
        float values[9] = {(float)x / 255.0f, (float)y / 255.0f, 1, 1, -1, -1, 1, 1, 0.5f};
        VkViewport viewport = {(float)x, (float)(2 * y), 1, 2, 0, 1};
        VkRect2D scissor = {{(int32_t)x, (int32_t)(2 * y)}, {1, 2}};
        vkCmdSetViewport(cmd, 0, 1, &viewport);
        vkCmdSetScissor(cmd, 0, 1, &scissor);
        push(cmd, &p, values);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    uint32_t chunks = count_chunks(cmd), jobs = count_jobs(cmd);
    vkt_submit(t, cmd);
    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);
    struct vkt_picture got = vkt_read_target(t, &target);
    for (uint32_t y = 0; y < 2 * ROWS; y++)
        for (uint32_t x = 0; x < COLUMNS; x++)
            if (!pixel_is(&got, x, y, (uint8_t[]){(uint8_t)x, (uint8_t)(y / 2), 255, 255}))
                fail_msg("pixel (%u,%u) does not show its own draw", x, y);
    const char *words = getenv("VC4VK_DEBUG");
    print_message("# %u chunks, %u jobs\n", chunks, jobs);
    assert_true(chunks > 100);
    if (words && strstr(words, "tiny"))
        assert_true(jobs > 100);
    else /* the CPU engine runs passes without jobs */
        assert_int_equal(jobs, words && strstr(words, "force-cpu-engine") ? 0 : 1);
    vkt_picture_free(&got);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

/* ---------------------------------------------------------------- binding tables */

static struct vkt_image solid_image(struct vkt *t, const uint8_t rgba[4])
{
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = 4,
                                    .height = 4,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    uint8_t texels[16][4];
    for (int i = 0; i < 16; i++)
        memcpy(texels[i], rgba, 4);
    vkt_image_upload(t, &image, 0, 0, texels, sizeof texels);
    return image;
}

static void a_changed_binding_table_entry_shows_the_other_texture(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    uint32_t (*swap_view)(VkDevice, VkImageView, VkImageView) =
        (uint32_t(*)(VkDevice, VkImageView, VkImageView))vkt_hook(t, "vc4vk_test_swap_view");
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_image red = solid_image(t, (uint8_t[]){255, 0, 0, 255});
    struct vkt_image green = solid_image(t, (uint8_t[]){0, 255, 0, 255});
    VkSampler sampler =
        vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    VkDescriptorSetLayout set_layout = vkt_set_layout_create(t, &binding, 1);
    VkDescriptorSet set = vkt_set_alloc(t, set_layout);
    vkt_set_texture(t, set, 0, red.view, sampler);
    struct vkt_pipeline p = quad_pipeline(t, &target, VKT_SHADER(full_vert), VKT_SHADER(texture_frag), set_layout);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));

    assert_int_equal(swap_view(t->device, red.view, green.view), 1);
    vkt_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target);
    assert_true(pixel_is(&got, W / 2, H / 2, (uint8_t[]){0, 255, 0, 255}));
    vkt_picture_free(&got);
    assert_int_equal(swap_view(t->device, green.view, red.view), 1);
    vkt_submit(t, cmd);
    got = vkt_read_target(t, &target);
    assert_true(pixel_is(&got, W / 2, H / 2, (uint8_t[]){255, 0, 0, 255}));
    vkt_picture_free(&got);

    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);
    vkt_pipeline_destroy(t, &p);
    vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
    vkDestroySampler(t->device, sampler, NULL);
    vkt_image_destroy(t, &red);
    vkt_image_destroy(t, &green);
    vkt_target_destroy(t, &target);
}

/* Alternating pipelines reuse the binding table that one of them has written, and so do sets that are bound again. */
static void pipelines_in_turn_share_a_table(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    uint32_t (*swap_view)(VkDevice, VkImageView, VkImageView) =
        (uint32_t(*)(VkDevice, VkImageView, VkImageView))vkt_hook(t, "vc4vk_test_swap_view");
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_image images[2] = {solid_image(t, (uint8_t[]){255, 0, 0, 255}),
                                  solid_image(t, (uint8_t[]){0, 255, 0, 255})};
    VkSampler sampler =
        vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    VkDescriptorSetLayout set_layout = vkt_set_layout_create(t, &binding, 1);
    VkDescriptorSet sets[2];
    struct vkt_pipeline p[2];
    for (uint32_t i = 0; i < 2; i++) {
        sets[i] = vkt_set_alloc(t, set_layout);
        vkt_set_texture(t, sets[i], 0, images[i].view, sampler);
        p[i] = quad_pipeline(t, &target, VKT_SHADER(full_vert), VKT_SHADER(texture_frag), set_layout);
    }
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    for (uint32_t turn = 0; turn < 3; turn++) {
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p[0].layout, 0, 1, &sets[turn % 2], 0, NULL);
        for (uint32_t i = 0; i < 6; i++) {
            vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p[i % 2].pipeline);
            vkCmdDraw(cmd, 4, 1, 0, 0);
        }
    }
    vkCmdEndRenderPass(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    vkt_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target);
    assert_true(pixel_is(&got, W / 2, H / 2, (uint8_t[]){255, 0, 0, 255}));
    vkt_picture_free(&got);
    assert_int_equal(swap_view(t->device, images[1].view, images[0].view), 1); /* one table per set */
    assert_int_equal(swap_view(t->device, images[0].view, images[1].view), 2); /* the swapped entry and the other
                                                                                * table's */
    vkt_submit(t, cmd);
    got = vkt_read_target(t, &target);
    assert_true(pixel_is(&got, W / 2, H / 2, (uint8_t[]){0, 255, 0, 255}));
    vkt_picture_free(&got);

    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);
    for (uint32_t i = 0; i < 2; i++) {
        vkt_pipeline_destroy(t, &p[i]);
        vkt_image_destroy(t, &images[i]);
    }
    vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
    vkDestroySampler(t->device, sampler, NULL);
    vkt_target_destroy(t, &target);
}

/* Two sets with dynamic offsets and two pipelines are bound in turn: each draw has the color of its own bindings. */
static void what_is_bound_again_says_the_same(void **state)
{
    enum { STEP_B = 256, COLORS = 3 };
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    float colors[COLORS * STEP_B / 4] = {0};
    for (uint32_t i = 0; i < COLORS; i++)
        colors[i * STEP_B / 4 + i] = 1;
    struct vkt_buffer buffer = vkt_buffer_create(t, sizeof colors, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, colors);
    const VkDescriptorType type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
    VkDescriptorSetLayout set_layout =
        vkt_set_layout_create(t, &(struct vkt_binding){type, VK_SHADER_STAGE_FRAGMENT_BIT, 1}, 1);
    VkDescriptorSet sets[2];
    struct vkt_pipeline p[2];
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_SCISSOR};
    for (uint32_t i = 0; i < 2; i++) {
        sets[i] = vkt_set_alloc(t, set_layout);
        vkt_set_buffer(t, sets[i], 0, type, buffer.buffer, i ? 2 * STEP_B : 0, 16);
        p[i] = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                                  .fs = VKT_SHADER(ubo_frag),
                                                                  .pass = target.pass,
                                                                  .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                  .width = W,
                                                                  .height = H,
                                                                  .dynamic = dynamic,
                                                                  .dynamic_count = 1,
                                                                  .set_layouts = {set_layout},
                                                                  .set_layout_count = 1});
    }
    static const struct {
        uint32_t set, offset_B, color;
    } draws[] = {{0, 0, 0}, {0, STEP_B, 1}, {0, 0, 0}, {1, 0, 2}, {0, 0, 0}, {1, 0, 2}, {0, STEP_B, 1}, {0, STEP_B, 1}};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    for (uint32_t i = 0; i < VKT_COUNT(draws); i++) {
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p[i / 2 % 2].pipeline);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p[0].layout, 0, 1, &sets[draws[i].set], 1,
                                &draws[i].offset_B);
        vkCmdSetScissor(cmd, 0, 1, &(VkRect2D){{(int32_t)i, 0}, {1, H}});
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target);
    for (uint32_t i = 0; i < VKT_COUNT(draws); i++) {
        uint8_t rgba[4] = {0};
        rgba[draws[i].color] = 255;
        assert_true(pixel_is(&got, i, H / 2, rgba));
    }
    vkt_picture_free(&got);
    for (uint32_t i = 0; i < 2; i++)
        vkt_pipeline_destroy(t, &p[i]);
    vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
    vkt_buffer_destroy(t, &buffer);
    vkt_target_destroy(t, &target);
}

/* ---------------------------------------------------------------- compiled programs */

typedef VkResult patch_fn(VkPipeline pipeline, uint32_t kind, uint32_t instruction, uint64_t *word);
typedef uint32_t words_fn(VkPipeline pipeline, uint32_t kind, uint64_t *words, uint32_t capacity);
#define KIND_FRAGMENT 2

static struct vkt_picture draw_once(struct vkt *t, const struct vkt_target *target, const struct vkt_pipeline *p)
{
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, target, (float[]){0, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    push(cmd, p, red_quad);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    return vkt_read_target(t, target);
}

/* Checks that clearing the write conditions of some instruction word changes the image, as the driver runs the words
 * that it has uploaded. */
static void a_changed_instruction_word_changes_the_picture(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    patch_fn *patch = (patch_fn *)vkt_hook(t, "vc4vk_test_patch_program");
    words_fn *program = (words_fn *)vkt_hook(t, "vc4vk_test_program_words");
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = quad_pipeline(t, &target, VKT_SHADER(push_vert), VKT_SHADER(push_frag), VK_NULL_HANDLE);
    struct vkt_picture before = draw_once(t, &target, &p);
    assert_true(pixel_is(&before, 5, 5, (uint8_t[]){255, 0, 0, 255}));

    uint64_t words[256];
    uint32_t count = program(p.pipeline, KIND_FRAGMENT, words, VKT_COUNT(words)), changed = 0;
    assert_in_range(count, 3, VKT_COUNT(words));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sig = (uint32_t)(words[i] >> 60);
        if (sig == 14 || sig == 15 || !(words[i] >> 46 & 0x3f))
            continue;
        uint64_t word = words[i] & ~(UINT64_C(0x3f) << 46); /* both write conditions: never */
        if (patch(p.pipeline, KIND_FRAGMENT, i, &word))
            continue; /* the kernel part refuses programs that break its rules */
        assert_int_equal(word, words[i]);
        struct vkt_picture after = draw_once(t, &target, &p);
        changed += memcmp(before.rgba, after.rgba, (size_t)W * H * 4) != 0;
        vkt_picture_free(&after);
        word = words[i];
        vkt_ok(patch(p.pipeline, KIND_FRAGMENT, i, &word));
    }
    assert_true(changed > 0);
    struct vkt_picture restored = draw_once(t, &target, &p);
    assert_memory_equal(before.rgba, restored.rgba, (size_t)W * H * 4);
    vkt_picture_free(&before);
    vkt_picture_free(&restored);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

/* ---------------------------------------------------------------- timestamps */

/* A call that must not return while the retire thread is held. */
struct blocked_call {
    struct vkt *t;
    VkCommandPool pool; /* VK_NULL_HANDLE: wait for the queue or the device */
    bool device;
    atomic_bool has_returned;
};

static void *make_call(void *arg)
{
    struct blocked_call *call = arg;
    if (call->pool)
        vkResetCommandPool(call->t->device, call->pool, 0);
    else if (call->device)
        vkDeviceWaitIdle(call->t->device);
    else
        vkQueueWaitIdle(call->t->queue);
    atomic_store(&call->has_returned, true);
    return NULL;
}

/* It reads pixels that the model may be writing, on purpose. */
__attribute__((no_sanitize("thread"))) static void nothing_retires_without_the_retire_thread(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    void (*hold)(VkDevice, VkBool32) = (void (*)(VkDevice, VkBool32))vkt_hook(t, "vc4vk_test_hold_retire");
    VkImageFormatProperties limits;
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = quad_pipeline(t, &target, VKT_SHADER(push_vert), VKT_SHADER(push_frag), VK_NULL_HANDLE);
    vkt_ok(vkGetPhysicalDeviceImageFormatProperties(t->physical, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D,
                                                    VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 0,
                                                    &limits));
    VkFence fence;
    vkt_ok(vkCreateFence(t->device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
    /* This pool is reset while its command buffer is pending. The validation layer is right to object; the driver
     * waits. */
    VkCommandPool shared_pool = t->pool;
    vkt_ok(vkCreateCommandPool(
        t->device, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO}, NULL, &t->pool));
    VkCommandBuffer cmd = vkt_begin(t);
    VkCommandPool pool = t->pool;
    t->pool = shared_pool;
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    push(cmd, &p, red_quad);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    /* Reads the color target's memory without telling the driver. */
    volatile uint8_t *pixels;
    vkt_ok(vkMapMemory(t->device, target.color.memory, 0, VK_WHOLE_SIZE, 0, (void **)&pixels));
    memset((void *)pixels, 0, W * H * 4);

    hold(t->device, VK_TRUE);
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    vkt_ok(vkQueueSubmit(t->queue, 1, &submit, fence));
    /* If the job had not run, the fence would prove nothing: wait until the pixels are there. */
    unsigned waited_ms = 0;
    while (!(pixels[0] == 255 && pixels[3] == 255 && pixels[W * H * 4 - 1] == 255) && waited_ms < 10000) {
        VkResult res = vkWaitForFences(t->device, 1, &fence, VK_TRUE, 10 * 1000000);
        assert_int_equal(res, VK_TIMEOUT);
        waited_ms += 10;
    }
    assert_int_equal(pixels[0], 255);
    for (int i = 0; i < 10; i++)
        assert_int_equal(vkWaitForFences(t->device, 1, &fence, VK_TRUE, 10 * 1000000), VK_TIMEOUT);
    assert_int_equal(vkGetFenceStatus(t->device, fence), VK_NOT_READY);

    unsigned messages = t->validation_messages;
    struct blocked_call calls[3] = {{.t = t}, {.t = t, .device = true}, {.t = t, .pool = pool}};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_call, &calls[i]), 0);
    nanosleep(&(struct timespec){.tv_nsec = 100 * 1000000}, NULL);
    for (int i = 0; i < 3; i++)
        assert_false(atomic_load(&calls[i].has_returned));

    hold(t->device, VK_FALSE);
    vkt_ok(vkWaitForFences(t->device, 1, &fence, VK_TRUE, 10000000000ull));
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        assert_true(atomic_load(&calls[i].has_returned));
    }
    t->validation_messages = messages;
    vkUnmapMemory(t->device, target.color.memory);
    vkDestroyCommandPool(t->device, pool, NULL);
    vkDestroyFence(t->device, fence, NULL);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

/* ---------------------------------------------------------------- tile lists */

typedef void bin_done_fn(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots);

/* Installs `hook`, which is called with the tile lists of every job; NULL removes it. A kernel gives no access to tile
 * lists: the driver's hook works only with the built-in model, and a model behind the DRM shim has a hook in the shim.
 * Returns false if no hook is possible. */
static bool set_bin_done_hook(struct vkt *t, bin_done_fn *hook, void *data)
{
    const char *words = getenv("VC4VK_DEBUG");
    if (words && strstr(words, "force-cpu-engine"))
        return false; /* the CPU engine bins nothing */
    VkResult (*driver_hook)(VkDevice, bin_done_fn *, void *) =
        (VkResult(*)(VkDevice, bin_done_fn *, void *))vkt_hook(t, "vc4vk_test_set_bin_done_hook");
    VkResult res = driver_hook(t->device, hook, data);
    if (res == VK_ERROR_FEATURE_NOT_PRESENT) {
        int (*shim_hook)(bin_done_fn *, void *) =
            (int (*)(bin_done_fn *, void *))dlsym(RTLD_DEFAULT, "vc4_shim_set_bin_done_hook");
        return shim_hook && shim_hook(hook, data) == 0;
    }
    vkt_ok(res);
    return true;
}

struct flip {
    uint32_t at;     /* byte of the first tile's clip window to change; 8 and above: none */
    bool found;      /* there was a clip window */
    uint32_t size_B; /* size of the tile lists' memory */
    uint32_t slots;  /* largest slot count of a job */
};

/* Offset of the clip window's fields in the list of the first tile: eight bytes in which every value is valid. The list
 * begins with the state that the draw has set. 0: no clip window. */
static uint32_t find_clip_window(const uint8_t *list)
{
    static const uint8_t size_B[256] = {[56] = 2, [96] = 4, [97] = 5, [98] = 5, [99] = 5, [101] = 5, [103] = 5};
    uint32_t at = 0;
    while (at < 23 && size_B[list[at]])
        at += size_B[list[at]];
    return list[at] == 102 ? at + 1 : 0;
}

static void flip_byte(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots)
{
    struct flip *f = data;
    f->size_B = size_B;
    f->slots = slots > f->slots ? slots : f->slots;
    uint32_t window = find_clip_window(tile_alloc);
    f->found |= window != 0;
    if (window && f->at < 8)
        tile_alloc[window + f->at] ^= 0xff;
}

static void the_renderer_reads_tile_lists(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct flip flip = {.at = UINT32_MAX};
    if (!set_bin_done_hook(t, flip_byte, &flip))
        vkt_skip("tile lists cannot be changed before rendering: the kernel hides them, the CPU engine has none");
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = quad_pipeline(t, &target, VKT_SHADER(push_vert), VKT_SHADER(push_frag), VK_NULL_HANDLE);
    struct vkt_picture before = draw_once(t, &target, &p);
    assert_true(flip.size_B >= 4 * 32); /* four tiles */
    assert_true(flip.found);
    uint32_t changed = 0;
    for (flip.at = 0; flip.at < 8; flip.at++) {
        struct vkt_picture after = draw_once(t, &target, &p);
        changed += memcmp(before.rgba, after.rgba, (size_t)W * H * 4) != 0;
        vkt_picture_free(&after);
    }
    assert_true(set_bin_done_hook(t, NULL, NULL));
    print_message("# %u of 8 flipped bytes change the picture\n", changed);
    assert_true(changed > 0);
    struct vkt_picture restored = draw_once(t, &target, &p);
    assert_memory_equal(before.rgba, restored.rgba, (size_t)W * H * 4);
    vkt_picture_free(&before);
    vkt_picture_free(&restored);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

/* Draws 600,000 small triangles: two for each square of a 1000 x 300 grid. */
static void many_triangles_take_overflow_slots(void **state)
{
    /* A square is at least one pixel large. */
    enum { COLUMNS = 1000, ROWS = 300, BAND_ROWS = 60, WIDTH = 1024, HEIGHT = 320 };
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_target target = vkt_target_create(t, WIDTH, HEIGHT, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    static const VkVertexInputBindingDescription binding = {0, 12, VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attributes[] = {
        {0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
        {1, 0, VK_FORMAT_R8G8B8A8_UNORM, 8},
    };
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(color_vert),
                                                                               .fs = VKT_SHADER(color_frag),
                                                                               .pass = target.pass,
                                                                               .bindings = &binding,
                                                                               .binding_count = 1,
                                                                               .attributes = attributes,
                                                                               .attribute_count = 2,
                                                                               .topology = VKT_TRIANGLES,
                                                                               .width = WIDTH,
                                                                               .height = HEIGHT});
    /* Five meshes of 61 rows of vertices each, so that 16-bit indices reach every vertex. */
    struct {
        float x, y;
        uint8_t color[4];
    } *vertices = malloc((COLUMNS + 1) * (BAND_ROWS + 1) * sizeof *vertices);
    uint16_t *indices = malloc(COLUMNS * BAND_ROWS * 6 * sizeof *indices);
    assert_non_null(vertices);
    assert_non_null(indices);
    uint32_t n = 0;
    for (uint32_t y = 0; y < BAND_ROWS; y++)
        for (uint32_t x = 0; x < COLUMNS; x++) {
            uint32_t a = y * (COLUMNS + 1) + x, b = a + COLUMNS + 1;
            const uint32_t corners[] = {a, a + 1, b, b, a + 1, b + 1};
            for (int i = 0; i < 6; i++)
                indices[n++] = (uint16_t)corners[i];
        }
    struct vkt_buffer index_buffer =
        vkt_buffer_create(t, n * sizeof *indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    struct vkt_buffer vertex_buffers[ROWS / BAND_ROWS];
    struct flip flip = {.at = UINT32_MAX};
    bool counts_slots = set_bin_done_hook(t, flip_byte, &flip);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindIndexBuffer(cmd, index_buffer.buffer, 0, VK_INDEX_TYPE_UINT16);
    for (uint32_t band = 0; band < ROWS / BAND_ROWS; band++) {
        for (uint32_t y = 0; y <= BAND_ROWS; y++)
            for (uint32_t x = 0; x <= COLUMNS; x++) {
                uint32_t i = y * (COLUMNS + 1) + x;
                vertices[i].x = (float)x / COLUMNS * 2 - 1;
                vertices[i].y = (float)(band * BAND_ROWS + y) / ROWS * 2 - 1;
                memcpy(vertices[i].color, (uint8_t[]){0, 255, (uint8_t)band, 255}, 4);
            }
        vertex_buffers[band] = vkt_buffer_create(t, (COLUMNS + 1) * (BAND_ROWS + 1) * sizeof *vertices,
                                                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
        vkCmdBindVertexBuffers(cmd, 0, 1, &vertex_buffers[band].buffer, &(VkDeviceSize){0});
        vkCmdDrawIndexed(cmd, n, 1, 0, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    if (counts_slots) {
        assert_true(set_bin_done_hook(t, NULL, NULL));
        print_message("# %u binner slots\n", flip.slots);
        const char *debug = getenv("VC4VK_DEBUG");
        if (!debug || !strstr(debug, "tiny")) /* "tiny" jobs need only one */
            assert_true(flip.slots > 1);
    }
    /* Every pixel is covered, so no triangle was lost. */
    struct vkt_picture got = vkt_read_target(t, &target);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const uint8_t *rgba = got.rgba + 4 * (y * WIDTH + x);
            if (rgba[1] != 255 || rgba[2] > ROWS / BAND_ROWS)
                fail_msg("pixel (%u,%u) is %u %u %u", x, y, rgba[0], rgba[1], rgba[2]);
        }
    vkt_picture_free(&got);
    for (uint32_t band = 0; band < ROWS / BAND_ROWS; band++)
        vkt_buffer_destroy(t, &vertex_buffers[band]);
    vkt_buffer_destroy(t, &index_buffer);
    free(vertices);
    free(indices);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lists_chain, vkt_check_messages),
        cmocka_unit_test_teardown(a_changed_binding_table_entry_shows_the_other_texture, vkt_check_messages),
        cmocka_unit_test_teardown(pipelines_in_turn_share_a_table, vkt_check_messages),
        cmocka_unit_test_teardown(what_is_bound_again_says_the_same, vkt_check_messages),
        cmocka_unit_test_teardown(a_changed_instruction_word_changes_the_picture, vkt_check_messages),
        cmocka_unit_test_teardown(nothing_retires_without_the_retire_thread, vkt_check_messages),
        cmocka_unit_test_teardown(the_renderer_reads_tile_lists, vkt_check_messages),
        cmocka_unit_test_teardown(many_triangles_take_overflow_slots, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("parts", tests, NULL, vkt_teardown);
}
