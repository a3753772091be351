/* SPDX-License-Identifier: MIT
 *
 * Draws frames for some seconds, as a streaming application does: two frames in flight, uploads, new sets, and now and
 * then new objects, pipelines and memory of changing sizes. Resident memory, but for some slack, and file descriptors
 * must not exceed their maximum of the second fifth of the time.
 *
 *   soak SECONDS
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "vkt.h"
#include "full.vert.h"
#include "push.frag.h"
#include "push.vert.h"
#include "texture.frag.h"

enum { SIDE = 128, IN_FLIGHT = 2, STAGE_B = SIDE * SIDE * 4 };

/* Allowed growth. Allocators keep and return pages by their own rules, and a run of a few seconds may reach its full
 * use of memory late. */
#define SLACK_B       (UINT64_C(4) << 20)
#define SHORT_SLACK_B (UINT64_C(16) << 20) /* for runs below a minute */

/* By then all programs are compiled, for the host as well. A number and no time, because machines may be loaded. */
#define WARM_UP_FRAMES 200

struct frame {
    VkCommandBuffer cmd;
    VkFence fence;
    VkDescriptorPool sets;
    struct vkt_buffer stage, extra;
    struct vkt_pipeline pipeline; /* recreated now and then */
};

struct soak {
    struct vkt *t;
    struct vkt_target target;
    struct vkt_image texture;
    VkSampler sampler;
    VkDescriptorSetLayout set_layout;
    struct vkt_pipeline textured;
    struct frame frames[IN_FLIGHT];
};

/* ---------------------------------------------------------------- process statistics */

static uint64_t resident_B(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long total, resident = 0;
    if (!file || fscanf(file, "%lu %lu", &total, &resident) != 2)
        fail_msg("cannot read /proc/self/statm");
    fclose(file);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static unsigned descriptors(void)
{
    unsigned count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---------------------------------------------------------------- frames */

static struct vkt_pipeline make_rect_pipeline(struct soak *s)
{
    return vkt_pipeline_create(s->t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                                 .fs = VKT_SHADER(push_frag),
                                                                 .pass = s->target.pass,
                                                                 .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                 .width = SIDE,
                                                                 .height = SIDE,
                                                                 .push_size_B = 36});
}

static void start(struct soak *s)
{
    struct vkt *t = s->t = vkt_device(VKT_TESTED);
    s->target = vkt_target_create(t, SIDE, SIDE, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT);
    s->texture = vkt_image_create(t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                              .width = SIDE,
                                                              .height = SIDE,
                                                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT |
                                                                       VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    s->sampler = vkt_sampler_create(t, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                    VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    s->set_layout = vkt_set_layout_create(
        t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1}, 1);
    s->textured = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                                     .fs = VKT_SHADER(texture_frag),
                                                                     .pass = s->target.pass,
                                                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                     .set_layouts = {s->set_layout},
                                                                     .set_layout_count = 1,
                                                                     .width = SIDE,
                                                                     .height = SIDE});
    for (uint32_t i = 0; i < IN_FLIGHT; i++) {
        struct frame *f = &s->frames[i];
        const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 64};
        vkt_ok(vkAllocateCommandBuffers(t->device,
                                        &(VkCommandBufferAllocateInfo){
                                            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = t->pool,
                                            .commandBufferCount = 1,
                                        },
                                        &f->cmd));
        vkt_ok(vkCreateFence(t->device,
                             &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                                  .flags = VK_FENCE_CREATE_SIGNALED_BIT},
                             NULL, &f->fence));
        vkt_ok(
            vkCreateDescriptorPool(t->device,
                                   &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                                 .maxSets = 64,
                                                                 .poolSizeCount = 1,
                                                                 .pPoolSizes = &size},
                                   NULL, &f->sets));
        f->stage = vkt_buffer_create(t, STAGE_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
        f->pipeline = make_rect_pipeline(s);
    }
}

static void draw_textured(struct soak *s, struct frame *f)
{
    VkDescriptorSet set;
    vkt_ok(
        vkAllocateDescriptorSets(s->t->device,
                                 &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                                .descriptorPool = f->sets,
                                                                .descriptorSetCount = 1,
                                                                .pSetLayouts = &s->set_layout},
                                 &set));
    vkt_set_texture(s->t, set, 0, s->texture.view, s->sampler);
    vkCmdBindPipeline(f->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->textured.pipeline);
    vkCmdBindDescriptorSets(f->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->textured.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(f->cmd, 4, 1, 0, 0);
}

static void draw_rects(struct frame *f, uint32_t number)
{
    const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    vkCmdBindPipeline(f->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, f->pipeline.pipeline);
    for (uint32_t i = 0; i < 50; i++) {
        const float x = (float)((number + i * 7) % 100) / 50 - 1;
        const float push[9] = {x, 0.5f, 1, 1, x, x, x + 0.1f, x + 0.1f, 0.5f};
        vkCmdPushConstants(f->cmd, f->pipeline.layout, stages, 0, sizeof push, push);
        vkCmdDraw(f->cmd, 4, 1, 0, 0);
    }
}

static void draw_frame(struct soak *s, uint32_t number)
{
    struct vkt *t = s->t;
    struct frame *f = &s->frames[number % IN_FLIGHT];
    vkt_ok(vkWaitForFences(t->device, 1, &f->fence, VK_TRUE, UINT64_MAX));
    vkt_ok(vkResetFences(t->device, 1, &f->fence));
    vkt_ok(vkResetDescriptorPool(t->device, f->sets, 0));
    if (f->extra.buffer)
        vkt_buffer_destroy(t, &f->extra);
    f->extra = vkt_buffer_create(t, 1000 + number * 977 % 300000, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    if (number % 16 < IN_FLIGHT) {
        vkt_pipeline_destroy(t, &f->pipeline);
        f->pipeline = make_rect_pipeline(s);
    }
    memset(f->stage.map, (int)number, STAGE_B);
    vkt_ok(vkBeginCommandBuffer(f->cmd,
                                &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
    vkt_image_barrier(f->cmd, &s->texture, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(f->cmd, f->stage.buffer, s->texture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                           &(VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                                .imageExtent = {SIDE, SIDE, 1}});
    vkt_image_barrier(f->cmd, &s->texture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkCmdUpdateBuffer(f->cmd, f->extra.buffer, 0, 16, &(uint32_t[4]){number, number, number, number});
    vkt_begin_pass(f->cmd, &s->target, (float[4]){0, 0, 0, 1}, 1, 0);
    draw_textured(s, f);
    draw_rects(f, number);
    vkCmdEndRenderPass(f->cmd);
    vkt_ok(vkEndCommandBuffer(f->cmd));
    vkt_ok(vkQueueSubmit(t->queue, 1,
                         &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                         .commandBufferCount = 1,
                                         .pCommandBuffers = &f->cmd},
                         f->fence));
}

static void finish(struct soak *s)
{
    struct vkt *t = s->t;
    vkt_ok(vkDeviceWaitIdle(t->device));
    for (uint32_t i = 0; i < IN_FLIGHT; i++) {
        struct frame *f = &s->frames[i];
        vkFreeCommandBuffers(t->device, t->pool, 1, &f->cmd);
        vkDestroyFence(t->device, f->fence, NULL);
        vkDestroyDescriptorPool(t->device, f->sets, NULL);
        vkt_buffer_destroy(t, &f->stage);
        if (f->extra.buffer)
            vkt_buffer_destroy(t, &f->extra);
        vkt_pipeline_destroy(t, &f->pipeline);
    }
    vkt_pipeline_destroy(t, &s->textured);
    vkDestroyDescriptorSetLayout(t->device, s->set_layout, NULL);
    vkDestroySampler(t->device, s->sampler, NULL);
    vkt_image_destroy(t, &s->texture);
    vkt_target_destroy(t, &s->target);
}

static double seconds = 3;

static void frames_take_no_more_and_more(void **state)
{
#if defined(__SANITIZE_THREAD__)
    vkt_skip("ThreadSanitizer keeps memory of its own for every thread there was");
#endif
    static struct soak s;
    start(&s);
    uint64_t early_B = 0, late_B = 0;
    unsigned early_fds = 0, late_fds = 0;
    uint32_t number = 0;
    while (number < WARM_UP_FRAMES)
        draw_frame(&s, number++);
    const double begin_s = now_s();
    double next_s = begin_s + seconds / 5;
    for (double at_s = begin_s; at_s < begin_s + seconds; at_s = now_s()) {
        draw_frame(&s, number++);
        if (at_s < next_s)
            continue;
        next_s += seconds / 40;
        uint64_t B = resident_B();
        unsigned fds = descriptors();
        if (at_s < begin_s + seconds * 0.4) {
            early_B = B > early_B ? B : early_B;
            early_fds = fds > early_fds ? fds : early_fds;
        }
        late_B = B > late_B ? B : late_B;
        late_fds = fds > late_fds ? fds : late_fds;
    }
    print_message("# %u frames in %.0f s; %.1f MB and %u descriptors at first, at most %.1f MB and %u later\n", number,
                  seconds, (double)early_B / 1e6, early_fds, (double)late_B / 1e6, late_fds);
    assert_true(number > WARM_UP_FRAMES + 10);
    assert_true(early_B && late_B <= early_B + (seconds < 60 ? SHORT_SLACK_B : SLACK_B));
    assert_int_equal(late_fds, early_fds);
    finish(&s);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        seconds = atof(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(frames_take_no_more_and_more, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("soak", tests, NULL, vkt_teardown);
}
