/* SPDX-License-Identifier: MIT
 *
 * Descriptor and upload lines: allocating and writing sets, draws with a new set each, and uploads by each of the ways
 * that applications use.
 */
#include <stdlib.h>
#include <string.h>
#include "bench_scene.h"

/* ---------------------------------------------------------------- sets and draws */

/* Measures a thousand sets that are allocated, written and freed by a pool reset. */
static bool run_sets(struct bench_device *d)
{
    enum { ROUNDS = 200 };
    struct scene s = {0};
    bool good = bench_make_scene(d, &s);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t round = 0; good && round < ROUNDS; round++) {
        for (uint32_t i = 0; i < SETS; i++)
            good = bench_make_set(d, &s, i) != VK_NULL_HANDLE && good;
        vkResetDescriptorPool(d->device, s.pool, 0);
    }
    if (good)
        bench_item("1000-sets", (bench_now_ns() - start_ns) / ROUNDS);
    bench_finish_scene(d, &s);
    return good;
}

static bool draw_frame(struct bench_device *d, const struct scene *s, const struct pipeline *p)
{
    const VkClearValue clear = {0};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = p->pass,
                                        .framebuffer = p->framebuffer,
                                        .renderArea = {{0, 0}, {TARGET_PX, TARGET_PX}},
                                        .clearValueCount = 1,
                                        .pClearValues = &clear};
    bench_begin(&s->c);
    vkCmdBeginRenderPass(s->c.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    for (uint32_t i = 0; i < SETS; i++) {
        VkDescriptorSet set = bench_make_set(d, s, i);
        if (!set)
            return false;
        vkCmdBindDescriptorSets(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &set, 0, NULL);
        vkCmdDraw(s->c.cmd, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(s->c.cmd);
    bool good = bench_submit_and_wait(d, &s->c);
    vkResetDescriptorPool(d->device, s->pool, 0);
    return good;
}

/* Measures a frame of a thousand draws with a new set each, until its rendering has finished. */
static bool run_draws(struct bench_device *d)
{
    enum { FRAMES = 40 };
    struct scene s = {0};
    struct pipeline p = {0};
    bool good = bench_make_scene(d, &s) && bench_make_pipeline(d, &s, NULL, 0, &p) && draw_frame(d, &s, &p);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t frame = 0; good && frame < FRAMES; frame++)
        good = draw_frame(d, &s, &p);
    if (good)
        bench_item("1000-draws", (bench_now_ns() - start_ns) / FRAMES);
    bench_finish_pipeline(d, &p);
    bench_finish_scene(d, &s);
    return good;
}

/* A thousand draws that alternate between two pipelines, all with the same set: only the pipeline changes. */
static bool alternating_frame(struct bench_device *d, const struct scene *s, const struct pipeline p[2],
                              VkDescriptorSet set)
{
    const VkClearValue clear = {0};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = p->pass,
                                        .framebuffer = p->framebuffer,
                                        .renderArea = {{0, 0}, {TARGET_PX, TARGET_PX}},
                                        .clearValueCount = 1,
                                        .pClearValues = &clear};
    bench_begin(&s->c);
    vkCmdBeginRenderPass(s->c.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindDescriptorSets(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &set, 0, NULL);
    for (uint32_t i = 0; i < SETS; i++) {
        vkCmdBindPipeline(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p[i % 2].pipeline);
        vkCmdDraw(s->c.cmd, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(s->c.cmd);
    return bench_submit_and_wait(d, &s->c);
}

static bool run_alternating(struct bench_device *d)
{
    enum { FRAMES = 40 };
    struct scene s = {0};
    struct pipeline p[2];
    memset(p, 0, sizeof p);
    bool good = bench_make_scene(d, &s) && bench_make_pipeline(d, &s, NULL, 0, &p[0]) &&
                bench_make_pipeline(d, &s, NULL, 0, &p[1]);
    VkDescriptorSet set = good ? bench_make_set(d, &s, 0) : VK_NULL_HANDLE;
    good = set && alternating_frame(d, &s, p, set);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t frame = 0; good && frame < FRAMES; frame++)
        good = alternating_frame(d, &s, p, set);
    if (good)
        bench_item("1000-draws", (bench_now_ns() - start_ns) / FRAMES);
    bench_finish_pipeline(d, &p[0]);
    bench_finish_pipeline(d, &p[1]);
    bench_finish_scene(d, &s);
    return good;
}

/* A hundred passes of ten draws each, with 32-bit indices. Each pass is a small job, and a driver that rewrites indices
 * needs memory for each. */
static bool indexed_frame(struct bench_device *d, const struct scene *s, const struct pipeline *p, VkDescriptorSet set,
                          VkBuffer indices)
{
    const VkClearValue clear = {0};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = p->pass,
                                        .framebuffer = p->framebuffer,
                                        .renderArea = {{0, 0}, {TARGET_PX, TARGET_PX}},
                                        .clearValueCount = 1,
                                        .pClearValues = &clear};
    bench_begin(&s->c);
    vkCmdBindPipeline(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBindDescriptorSets(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &set, 0, NULL);
    vkCmdBindIndexBuffer(s->c.cmd, indices, 0, VK_INDEX_TYPE_UINT32);
    for (uint32_t i = 0; i < 100; i++) {
        vkCmdBeginRenderPass(s->c.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
        for (uint32_t k = 0; k < 10; k++)
            vkCmdDrawIndexed(s->c.cmd, 3, 1, k * 3, 0, 0);
        vkCmdEndRenderPass(s->c.cmd);
    }
    return bench_submit_and_wait(d, &s->c);
}

static bool run_indices(struct bench_device *d)
{
    enum { FRAMES = 10, INDICES = 1000 };
    struct scene s = {0};
    struct pipeline p = {0};
    struct buffer indices = {0};
    uint32_t *map;
    bool good = bench_make_scene(d, &s) && bench_make_pipeline(d, &s, NULL, 0, &p) &&
                bench_make_buffer(d, INDICES * sizeof *map, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, &indices) &&
                vkMapMemory(d->device, indices.memory, 0, VK_WHOLE_SIZE, 0, (void **)&map) == VK_SUCCESS;
    for (uint32_t i = 0; good && i < INDICES; i++)
        map[i] = i % 3;
    VkDescriptorSet set = good ? bench_make_set(d, &s, 0) : VK_NULL_HANDLE;
    good = set && indexed_frame(d, &s, &p, set, indices.buffer);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t frame = 0; good && frame < FRAMES; frame++)
        good = indexed_frame(d, &s, &p, set, indices.buffer);
    if (good)
        bench_item("100-passes", (bench_now_ns() - start_ns) / FRAMES);
    bench_finish_buffer(d, &indices);
    bench_finish_pipeline(d, &p);
    bench_finish_scene(d, &s);
    return good;
}

/* ---------------------------------------------------------------- uploads */

/* Measures an upload of 1 MiB with vkCmdUpdateBuffer, in pieces of `piece_B`. */
static bool update_buffer(struct bench_device *d, const char *name, uint32_t piece_B)
{
    enum { ROUNDS = 100, SIZE_B = 1 << 20 };
    static uint8_t data[65536];
    struct buffer to = {0};
    struct commands c = {0};
    bool good = bench_make_buffer(d, SIZE_B, VK_BUFFER_USAGE_TRANSFER_DST_BIT, &to) && bench_make_commands(d, &c);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t round = 0; good && round < ROUNDS; round++) {
        bench_begin(&c);
        for (uint32_t at_B = 0; at_B < SIZE_B; at_B += piece_B)
            vkCmdUpdateBuffer(c.cmd, to.buffer, at_B, piece_B, data);
        good = bench_submit_and_wait(d, &c);
    }
    if (good)
        bench_item(name, (bench_now_ns() - start_ns) / ROUNDS);
    bench_finish_commands(d, &c);
    bench_finish_buffer(d, &to);
    return good;
}

static bool run_update(struct bench_device *d)
{
    return update_buffer(d, "1-MiB-by-64-KiB", 65536);
}

static bool run_update_small(struct bench_device *d)
{
    return update_buffer(d, "1-MiB-by-256-B", 256);
}

/* Writes to the whole buffer, because on most systems memory that was never written is one shared page of zeros. */
static void fill(struct bench_device *d, const struct buffer *b)
{
    void *map;
    if (vkMapMemory(d->device, b->memory, 0, VK_WHOLE_SIZE, 0, &map) != VK_SUCCESS)
        return;
    memset(map, 0x55, (size_t)b->size_B);
    vkUnmapMemory(d->device, b->memory);
}

/* Measures a copy of 4 MiB from a buffer into an image with optimal tiling. */
static bool run_to_image(struct bench_device *d)
{
    enum { ROUNDS = 40, SIZE_PX = 1024 };
    struct buffer from = {0};
    struct image to = {0};
    struct commands c = {0};
    bool good = bench_make_buffer(d, 4 * SIZE_PX * SIZE_PX, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, &from) &&
                bench_make_plain_image(d, SIZE_PX, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, &to) &&
                bench_make_commands(d, &c);
    if (good)
        fill(d, &from);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t round = 0; good && round < ROUNDS; round++) {
        const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                          .imageExtent = {SIZE_PX, SIZE_PX, 1}};
        bench_begin(&c);
        bench_to_layout(&c, to.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdCopyBufferToImage(c.cmd, from.buffer, to.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        bench_to_layout(&c, to.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        good = bench_submit_and_wait(d, &c);
    }
    if (good)
        bench_item("4-MiB", (bench_now_ns() - start_ns) / ROUNDS);
    bench_finish_commands(d, &c);
    bench_finish_image(d, &to);
    bench_finish_buffer(d, &from);
    return good;
}

/* Measures mapping memory, writing 16 MiB to it and unmapping it. */
static bool run_mapped(struct bench_device *d)
{
    enum { ROUNDS = 40, SIZE_B = 16 << 20 };
    struct buffer to = {0};
    uint8_t *data = malloc(SIZE_B), *map;
    bool good = data && bench_make_buffer(d, SIZE_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, &to);
    if (data)
        memset(data, 1, SIZE_B);
    uint64_t start_ns = bench_now_ns();
    for (uint32_t round = 0; good && round < ROUNDS; round++) {
        good = vkMapMemory(d->device, to.memory, 0, VK_WHOLE_SIZE, 0, (void **)&map) == VK_SUCCESS;
        if (!good)
            break;
        memcpy(map, data, SIZE_B);
        vkUnmapMemory(d->device, to.memory);
    }
    if (good)
        bench_item("16-MiB", (bench_now_ns() - start_ns) / ROUNDS);
    bench_finish_buffer(d, &to);
    free(data);
    return good;
}

const struct bench_line bench_descriptors[] = {
    {"sets", "1000 descriptor sets allocated and written", run_sets},
    {"draws-sets", "1000 draws with a new descriptor set each", run_draws},
    {"draws-turns", "1000 draws that alternate between two pipelines, with one set", run_alternating},
    {"indices", "100 small passes of draws with 32-bit indices", run_indices},
    {"update", "vkCmdUpdateBuffer, 1 MiB in large pieces", run_update},
    {"update-small", "vkCmdUpdateBuffer, 1 MiB in small pieces", run_update_small},
    {"to-image", "4 MiB from a buffer to an image", run_to_image},
    {"mapped", "16 MiB written to mapped memory", run_mapped},
    {NULL, NULL, NULL},
};
