/* SPDX-License-Identifier: MIT
 *
 * Recording lines: the time that recording commands takes. Nothing is submitted.
 */
#include "bench_scene.h"
#include "record.vert.h"

#define DRAWS  10000
#define ROUNDS 20

struct recording {
    struct scene s;
    struct pipeline p[2]; /* two different pipelines with the same state */
    struct buffer vertices;
    VkDescriptorSet sets[2];
    VkCommandBuffer secondary;
};

static bool open_recording(struct bench_device *d, struct recording *r)
{
    if (!bench_make_scene(d, &r->s) || !bench_make_pipeline(d, &r->s, record_vert, sizeof record_vert, &r->p[0]) ||
        !bench_make_pipeline(d, &r->s, record_vert, sizeof record_vert, &r->p[1]) ||
        !bench_make_buffer(d, 4096, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, &r->vertices))
        return false;
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = r->s.c.pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                              .commandBufferCount = 1};
    r->sets[0] = bench_make_set(d, &r->s, 0);
    r->sets[1] = bench_make_set(d, &r->s, 1);
    return r->sets[0] && r->sets[1] && vkAllocateCommandBuffers(d->device, &info, &r->secondary) == VK_SUCCESS;
}

static void close_recording(struct bench_device *d, struct recording *r)
{
    bench_finish_buffer(d, &r->vertices);
    bench_finish_pipeline(d, &r->p[0]);
    bench_finish_pipeline(d, &r->p[1]);
    bench_finish_scene(d, &r->s);
}

static void begin_pass(const struct recording *r, VkSubpassContents contents)
{
    const VkClearValue clear = {0};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = r->p[0].pass,
                                        .framebuffer = r->p[0].framebuffer,
                                        .renderArea = {{0, 0}, {TARGET_PX, TARGET_PX}},
                                        .clearValueCount = 1,
                                        .pClearValues = &clear};
    vkCmdBeginRenderPass(r->s.c.cmd, &pass, contents);
}

static void bind_pipeline(VkCommandBuffer cmd, const struct recording *r, uint32_t which)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, r->p[which].pipeline);
}

static void bind_set(VkCommandBuffer cmd, const struct recording *r, uint32_t which)
{
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, r->p[0].layout, 0, 1, &r->sets[which], 0, NULL);
}

static void bind_vertices(VkCommandBuffer cmd, const struct recording *r, uint32_t which)
{
    vkCmdBindVertexBuffers(cmd, 0, 1, &r->vertices.buffer, &(VkDeviceSize){1024 * which});
}

static void bind_all(VkCommandBuffer cmd, const struct recording *r)
{
    bind_pipeline(cmd, r, 0);
    bind_set(cmd, r, 0);
    bind_vertices(cmd, r, 0);
}

/* Measures the mean of several recordings. bench.c takes the median over the rounds. */
static bool record(struct bench_device *d, const char *name, void (*commands)(const struct recording *r))
{
    struct recording r = {0};
    bool good = open_recording(d, &r);
    uint64_t start_ns = 0;
    for (uint32_t round = 0; good && round <= ROUNDS; round++) {
        if (round == 1) /* the first round touches memory for the first time */
            start_ns = bench_now_ns();
        bench_begin(&r.s.c);
        commands(&r);
        good = vkEndCommandBuffer(r.s.c.cmd) == VK_SUCCESS;
    }
    if (good)
        bench_item(name, (bench_now_ns() - start_ns) / ROUNDS);
    close_recording(d, &r);
    return good;
}

/* Records the draws of one pass, with a bind before each draw, or none if `bind` is NULL. */
static void draws(const struct recording *r,
                  void (*bind)(VkCommandBuffer cmd, const struct recording *r, uint32_t which))
{
    const VkCommandBuffer cmd = r->s.c.cmd;
    begin_pass(r, VK_SUBPASS_CONTENTS_INLINE);
    bind_all(cmd, r);
    for (uint32_t i = 0; i < DRAWS; i++) {
        if (bind)
            bind(cmd, r, i & 1);
        vkCmdDraw(cmd, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
}

static void plain(const struct recording *r)
{
    draws(r, NULL);
}

static void with_sets(const struct recording *r)
{
    draws(r, bind_set);
}

static void with_pipelines(const struct recording *r)
{
    draws(r, bind_pipeline);
}

static void with_vertices(const struct recording *r)
{
    draws(r, bind_vertices);
}

static void passes(const struct recording *r)
{
    bind_all(r->s.c.cmd, r);
    for (uint32_t i = 0; i < 1000; i++) {
        begin_pass(r, VK_SUBPASS_CONTENTS_INLINE);
        vkCmdDraw(r->s.c.cmd, 3, 1, 0, 0);
        vkCmdEndRenderPass(r->s.c.cmd);
    }
}

/* Records a secondary command buffer of a hundred draws and executes it a hundred times. */
static void secondaries(const struct recording *r)
{
    const VkCommandBufferInheritanceInfo inherited = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                      .renderPass = r->p[0].pass};
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT |
                                                    VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                           .pInheritanceInfo = &inherited};
    vkBeginCommandBuffer(r->secondary, &info);
    bind_all(r->secondary, r);
    for (uint32_t i = 0; i < 100; i++)
        vkCmdDraw(r->secondary, 3, 1, 0, 0);
    vkEndCommandBuffer(r->secondary);
    begin_pass(r, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    for (uint32_t i = 0; i < 100; i++)
        vkCmdExecuteCommands(r->s.c.cmd, 1, &r->secondary);
    vkCmdEndRenderPass(r->s.c.cmd);
}

static bool run_plain(struct bench_device *d)
{
    return record(d, "10000-draws", plain);
}

static bool run_sets(struct bench_device *d)
{
    return record(d, "10000-draws", with_sets);
}

static bool run_pipelines(struct bench_device *d)
{
    return record(d, "10000-draws", with_pipelines);
}

static bool run_vertices(struct bench_device *d)
{
    return record(d, "10000-draws", with_vertices);
}

static bool run_passes(struct bench_device *d)
{
    return record(d, "1000-passes", passes);
}

static bool run_secondaries(struct bench_device *d)
{
    return record(d, "100-executions", secondaries);
}

const struct bench_line bench_record[] = {
    {"record", "10000 draws recorded", run_plain},
    {"record-sets", "10000 draws recorded, a descriptor set bound before each", run_sets},
    {"record-pipelines", "10000 draws recorded, a pipeline bound before each", run_pipelines},
    {"record-vertices", "10000 draws recorded, a vertex buffer bound before each", run_vertices},
    {"record-passes", "1000 render passes of one draw each recorded", run_passes},
    {"record-secondary", "a secondary of 100 draws recorded and executed 100 times", run_secondaries},
    {NULL, NULL, NULL},
};
