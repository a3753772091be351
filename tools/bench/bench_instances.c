/* SPDX-License-Identifier: MIT
 *
 * Instancing lines: a thousand instances of a mesh, from recording until the rendering has finished.
 */
#include <stdio.h>
#include "bench_scene.h"
#include "instances.vert.h"

#define INSTANCES    1000
#define ROUNDS       20
#define MAX_VERTICES 96

struct instances {
    struct scene s;
    struct pipeline p;
    struct buffer vertices;
    VkDescriptorSet set;
};

static bool open_instances(struct bench_device *d, struct instances *n)
{
    if (!bench_make_scene(d, &n->s) || !bench_make_pipeline(d, &n->s, instances_vert, sizeof instances_vert, &n->p) ||
        !bench_make_buffer(d, MAX_VERTICES * 2 * sizeof(float), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, &n->vertices))
        return false;
    float *corners;
    n->set = bench_make_set(d, &n->s, 0);
    if (vkMapMemory(d->device, n->vertices.memory, 0, VK_WHOLE_SIZE, 0, (void **)&corners) != VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < MAX_VERTICES; i++) { /* triangles of a few pixels */
        corners[2 * i] = i % 3 == 1 ? 1.0f : 0.0f;
        corners[2 * i + 1] = i % 3 == 2 ? 1.0f : 0.0f;
    }
    vkUnmapMemory(d->device, n->vertices.memory);
    return n->set;
}

static void close_instances(struct bench_device *d, struct instances *n)
{
    bench_finish_buffer(d, &n->vertices);
    bench_finish_pipeline(d, &n->p);
    bench_finish_scene(d, &n->s);
}

static void record(const struct instances *n, uint32_t vertices)
{
    const VkCommandBuffer cmd = n->s.c.cmd;
    const VkClearValue clear = {0};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = n->p.pass,
                                        .framebuffer = n->p.framebuffer,
                                        .renderArea = {{0, 0}, {TARGET_PX, TARGET_PX}},
                                        .clearValueCount = 1,
                                        .pClearValues = &clear};
    bench_begin(&n->s.c);
    vkCmdBeginRenderPass(cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, n->p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, n->p.layout, 0, 1, &n->set, 0, NULL);
    vkCmdBindVertexBuffers(cmd, 0, 1, &n->vertices.buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, vertices, INSTANCES, 0, 0);
    vkCmdEndRenderPass(cmd);
}

static bool run_instances(struct bench_device *d)
{
    static const uint32_t meshes[] = {6, 12, 24, 96};
    struct instances n = {0};
    bool good = open_instances(d, &n);
    for (uint32_t m = 0; good && m < sizeof meshes / sizeof meshes[0]; m++) {
        uint64_t start_ns = 0;
        char name[32];
        for (uint32_t round = 0; good && round <= ROUNDS; round++) {
            if (round == 1) /* the first round compiles shaders */
                start_ns = bench_now_ns();
            record(&n, meshes[m]);
            good = bench_submit_and_wait(d, &n.s.c);
        }
        snprintf(name, sizeof name, "1000-of-%u", meshes[m]);
        if (good)
            bench_item(name, (bench_now_ns() - start_ns) / ROUNDS);
    }
    close_instances(d, &n);
    return good;
}

const struct bench_line bench_instances[] = {
    {"instances", "1000 instances of meshes of 6 to 96 vertices", run_instances},
    {NULL, NULL, NULL},
};
