/* SPDX-License-Identifier: MIT
 *
 * Occlusion queries: every count equals that of a simulation with its own depth and stencil buffer, and counting does
 * not change what is drawn.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "engine_store.frag.h"
#include "push.frag.h"
#include "push.vert.h"
#include "query_depth.frag.h"
#include "query_discard.frag.h"
#include "query_early.frag.h"

#define W         96
#define H         80
#define QUERIES   48
#define STEPS     400
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define STAGES    (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT)

/* ---------------------------------------------------------------- random scenes */

enum kind { DRAW, CLEAR, BEGIN, END };
/* What a draw does: depth test LESS with and without writing; depth test ALWAYS with writing; stencil test "at least
 * 2", incrementing. */
enum test { LESS_WRITE, LESS, ALWAYS_WRITE, STENCIL, TESTS };

struct step {
    enum kind kind;
    enum test test;
    uint32_t query;
    uint32_t x0, y0, x1, y1, depth_16;
};

struct scene {
    struct step steps[STEPS];
    uint32_t count, queries;
};

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

static void random_rect(struct step *s)
{
    s->x0 = random_below(W);
    s->y0 = random_below(H);
    s->x1 = s->x0 + 1 + random_below(W - s->x0);
    s->y1 = s->y0 + 1 + random_below(H - s->y0);
    s->depth_16 = 1 + random_below(15);
}

/* Makes queries with few and with many draws, draws between the queries, and depth clears in between. */
static struct scene random_scene(uint32_t first_seed)
{
    struct scene scene = {.count = 0};
    bool active = false;
    seed = first_seed;
    while (scene.count < STEPS - 1) {
        struct step *s = &scene.steps[scene.count++];
        uint32_t what = random_below(16);
        *s = (struct step){.kind = DRAW, .test = (enum test)random_below(TESTS), .query = scene.queries - active};
        random_rect(s);
        if (what == 0) {
            s->kind = CLEAR;
        } else if (what < 5 && (active || scene.queries < QUERIES)) {
            s->kind = active ? END : BEGIN;
            scene.queries += !active;
            active = !active;
        }
    }
    if (active)
        scene.steps[scene.count++] = (struct step){.kind = END, .query = scene.queries - 1};
    return scene;
}

/* `all`: the samples of all draws, including those outside queries. */
static void simulate(const struct scene *scene, uint64_t counts[QUERIES], uint64_t *all)
{
    static uint32_t depth[H][W], stencil[H][W];
    uint64_t ignored = 0, *count = &ignored;
    *all = 0;
    memset(counts, 0, QUERIES * sizeof *counts);
    memset(stencil, 0, sizeof stencil);
    for (uint32_t i = 0; i < W * H; i++)
        depth[i / W][i % W] = 16;
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct step *s = &scene->steps[i];
        if (s->kind == BEGIN || s->kind == END)
            count = s->kind == BEGIN ? &counts[s->query] : &ignored;
        for (uint32_t y = s->y0; y < s->y1; y++)
            for (uint32_t x = s->x0; x < s->x1; x++) {
                bool passes =
                    s->test == STENCIL ? stencil[y][x] >= 2 : s->test == ALWAYS_WRITE || s->depth_16 < depth[y][x];
                if (s->kind == CLEAR) {
                    depth[y][x] = s->depth_16;
                } else if (s->kind == DRAW) {
                    *count += passes;
                    *all += passes;
                    if (passes && s->test != LESS && s->test != STENCIL)
                        depth[y][x] = s->depth_16;
                    if (s->test == STENCIL || s->test == ALWAYS_WRITE)
                        stencil[y][x]++;
                }
            }
    }
}

/* ---------------------------------------------------------------- drawing */

enum manner { INLINE, INDIRECT, SECONDARY_DRAWS, SECONDARY_QUERIES, UNCOUNTED, MANNERS };

struct canvas {
    struct vkt_target target;
    struct vkt_pipeline pipelines[TESTS];
    struct vkt_buffer indirect;
    VkQueryPool pool;
};

static VkQueryPool create_pool(struct vkt *t, uint32_t count)
{
    VkQueryPool pool;
    vkt_ok(vkCreateQueryPool(t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = count},
                             NULL, &pool));
    return pool;
}

static struct canvas canvas_create(struct vkt *t, VkFormat color, VkFormat depth)
{
    struct canvas c = {.target = vkt_target_create(t, W, H, color, depth), .pool = create_pool(t, QUERIES)};
    const VkDrawIndirectCommand command = {4, 1, 0, 0};
    c.indirect = vkt_buffer_create(t, sizeof command, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, &command);
    for (enum test test = 0; test < TESTS; test++) {
        const bool stencils = test == STENCIL || test == ALWAYS_WRITE;
        c.pipelines[test] = vkt_pipeline_create(
            t, &(struct vkt_pipeline_info){
                   .vs = VKT_SHADER(push_vert),
                   .fs = color ? VKT_SHADER(push_frag) : (struct vkt_shader){NULL, 0},
                   .pass = c.target.pass,
                   .no_color = !color,
                   .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                   .width = W,
                   .height = H,
                   .push_size_B = 36,
                   .depth_test = test != STENCIL,
                   .depth_write = test == LESS_WRITE || test == ALWAYS_WRITE,
                   .depth_compare = test == ALWAYS_WRITE ? VK_COMPARE_OP_ALWAYS : VK_COMPARE_OP_LESS,
                   .stencil_test = stencils,
                   .stencil = {.failOp = VK_STENCIL_OP_INCREMENT_AND_WRAP,
                               .passOp = VK_STENCIL_OP_INCREMENT_AND_WRAP,
                               .depthFailOp = VK_STENCIL_OP_INCREMENT_AND_WRAP,
                               .compareOp = test == STENCIL ? VK_COMPARE_OP_LESS_OR_EQUAL : VK_COMPARE_OP_ALWAYS,
                               .compareMask = 0xff,
                               .writeMask = 0xff,
                               .reference = 2},
               });
    }
    return c;
}

static void canvas_destroy(struct vkt *t, struct canvas *c)
{
    for (enum test test = 0; test < TESTS; test++)
        vkt_pipeline_destroy(t, &c->pipelines[test]);
    vkDestroyQueryPool(t->device, c->pool, NULL);
    vkt_buffer_destroy(t, &c->indirect);
    vkt_target_destroy(t, &c->target);
}

static void record_step(VkCommandBuffer cmd, const struct canvas *c, const struct step *s, uint32_t number,
                        enum manner manner)
{
    const float step = 1.0f / 16;
    const float push[9] = {(float)(number % 16) * step,
                           (float)(number / 16 % 16) * step,
                           0.5f,
                           1,
                           (float)s->x0 * 2 / W - 1,
                           (float)s->y0 * 2 / H - 1,
                           (float)s->x1 * 2 / W - 1,
                           (float)s->y1 * 2 / H - 1,
                           (float)s->depth_16 * step};
    const struct vkt_pipeline *p = &c->pipelines[s->test];
    switch (s->kind) {
    case DRAW:
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
        vkCmdPushConstants(cmd, p->layout, STAGES, 0, sizeof push, push);
        if (manner == INDIRECT)
            vkCmdDrawIndirect(cmd, c->indirect.buffer, 0, 1, 0);
        else
            vkCmdDraw(cmd, 4, 1, 0, 0);
        break;
    case CLEAR:
        vkCmdClearAttachments(
            cmd, 1,
            &(VkClearAttachment){VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil = {(float)s->depth_16 * step, 0}}}, 1,
            &(VkClearRect){{{(int32_t)s->x0, (int32_t)s->y0}, {s->x1 - s->x0, s->y1 - s->y0}}, 0, 1});
        break;
    case BEGIN:
        if (manner != UNCOUNTED)
            vkCmdBeginQuery(cmd, c->pool, s->query, VK_QUERY_CONTROL_PRECISE_BIT);
        break;
    case END:
        if (manner != UNCOUNTED)
            vkCmdEndQuery(cmd, c->pool, s->query);
        break;
    }
}

static VkCommandBuffer begin_counted_secondary(struct vkt *t, const struct canvas *c)
{
    return vkt_begin_inheriting(t, &(VkCommandBufferInheritanceInfo){
                                       .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                       .renderPass = c->target.pass,
                                       .occlusionQueryEnable = VK_TRUE,
                                       .queryFlags = VK_QUERY_CONTROL_PRECISE_BIT,
                                   });
}

static void begin_pass(VkCommandBuffer cmd, const struct canvas *c, bool with_secondaries)
{
    const VkClearValue clears[] = {{.color.float32 = {0.25f, 0.5f, 0.75f, 1}}, {.depthStencil = {1, 0}}};
    const bool has_color = c->target.color.image != VK_NULL_HANDLE;
    vkCmdBeginRenderPass(
        cmd,
        &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                 .renderPass = c->target.pass,
                                 .framebuffer = c->target.framebuffer,
                                 .renderArea = {{0, 0}, {W, H}},
                                 .clearValueCount = 2,
                                 .pClearValues = has_color ? clears : (VkClearValue[]){clears[1], clears[1]}},
        with_secondaries ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE);
}

/* Records secondaries of a few draws each; the caller has begun one query around all of them. */
static void record_with_secondaries(struct vkt *t, VkCommandBuffer cmd, const struct canvas *c,
                                    const struct scene *scene, VkCommandBuffer *secondaries, uint32_t *count)
{
    for (uint32_t i = 0; i < scene->count;) {
        VkCommandBuffer secondary = begin_counted_secondary(t, c);
        for (uint32_t end = MIN(i + 1 + i % 5, scene->count); i < end; i++)
            record_step(secondary, c, &scene->steps[i], i, UNCOUNTED);
        vkt_ok(vkEndCommandBuffer(secondary));
        vkCmdExecuteCommands(cmd, 1, &secondary);
        secondaries[(*count)++] = secondary;
    }
}

static void draw_scene(struct vkt *t, const struct canvas *c, const struct scene *scene, enum manner manner,
                       uint64_t counts[QUERIES], void *texels, uint32_t texels_B)
{
    VkCommandBuffer secondaries[STEPS];
    uint32_t secondary_count = 0;
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdResetQueryPool(cmd, c->pool, 0, QUERIES);
    if (manner == SECONDARY_DRAWS)
        vkCmdBeginQuery(cmd, c->pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    begin_pass(cmd, c, manner == SECONDARY_DRAWS || manner == SECONDARY_QUERIES);
    if (manner == SECONDARY_DRAWS) {
        record_with_secondaries(t, cmd, c, scene, secondaries, &secondary_count);
    } else if (manner == SECONDARY_QUERIES) {
        secondaries[secondary_count++] = vkt_begin_secondary(t, c->target.pass, 0);
        for (uint32_t i = 0; i < scene->count; i++)
            record_step(secondaries[0], c, &scene->steps[i], i, INLINE);
        vkt_ok(vkEndCommandBuffer(secondaries[0]));
        vkCmdExecuteCommands(cmd, 1, secondaries);
    } else {
        for (uint32_t i = 0; i < scene->count; i++)
            record_step(cmd, c, &scene->steps[i], i, manner);
    }
    vkCmdEndRenderPass(cmd);
    if (manner == SECONDARY_DRAWS)
        vkCmdEndQuery(cmd, c->pool, 0);
    vkt_ok(vkEndCommandBuffer(cmd));
    vkt_submit(t, cmd); /* twice: the second submission resets the queries */
    vkt_submit(t, cmd);
    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);
    if (secondary_count)
        vkFreeCommandBuffers(t->device, t->pool, secondary_count, secondaries);
    if (manner != UNCOUNTED)
        vkt_ok(vkGetQueryPoolResults(t->device, c->pool, 0, manner == SECONDARY_DRAWS ? 1 : scene->queries,
                                     sizeof(uint64_t) * QUERIES, counts, sizeof *counts, VK_QUERY_RESULT_64_BIT));
    if (texels_B)
        vkt_read_image(t, &c->target.color, 0, 0, texels, texels_B);
}

static void check_counts(uint32_t count, enum manner manner, const uint64_t *expected, const uint64_t *got)
{
    for (uint32_t i = 0; i < count; i++)
        if (got[i] != expected[i])
            fail_msg("manner %d, query %u of %u: expected %u, got %u", (int)manner, i, count, (uint32_t)expected[i],
                     (uint32_t)got[i]);
}

static void check_scenes(VkFormat color, VkFormat depth, uint32_t texel_B)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct canvas c = canvas_create(t, color, depth);
    const uint32_t texels_B = W * H * texel_B;
    uint8_t *expected = malloc(2 * (texels_B + 1)), *got = expected + texels_B;
    for (uint32_t i = 0; i < 3; i++) {
        struct scene scene = random_scene(i + texel_B * 16);
        uint64_t expected_counts[QUERIES], counts[QUERIES], all;
        simulate(&scene, expected_counts, &all);
        assert_true(scene.queries > QUERIES / 2);
        draw_scene(t, &c, &scene, UNCOUNTED, counts, expected, texels_B);
        for (enum manner manner = 0; manner < UNCOUNTED; manner++) {
            draw_scene(t, &c, &scene, manner, counts, got, texels_B);
            if (manner == SECONDARY_DRAWS)
                check_counts(1, manner, &all, counts);
            else
                check_counts(scene.queries, manner, expected_counts, counts);
            if (texels_B && memcmp(expected, got, texels_B) != 0)
                fail_msg("manner %d: the image differs when samples are counted", (int)manner);
        }
    }
    free(expected);
    canvas_destroy(t, &c);
}

static void counts_are_exact(void **state)
{
    check_scenes(VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT, 4);
}

static void counts_are_exact_without_color(void **state)
{
    check_scenes(VK_FORMAT_UNDEFINED, VK_FORMAT_D24_UNORM_S8_UINT, 0);
}

static void counts_are_exact_with_wide_colors(void **state)
{
    check_scenes(VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_D32_SFLOAT_S8_UINT, 16);
}

/* ---------------------------------------------------------------- one draw each */

/* A target, a pipeline and a query pool for a single draw. */
struct single {
    struct vkt_target target;
    struct vkt_pipeline pipeline;
    VkQueryPool pool;
};

static struct single single_create_sized(struct vkt *t, struct vkt_shader fs, VkDescriptorSetLayout layout,
                                         bool depth_test, uint32_t width, uint32_t height)
{
    struct single single = {.target =
                                vkt_target_create(t, width, height, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D32_SFLOAT),
                            .pool = create_pool(t, 8)};
    single.pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                           .fs = fs,
                                                           .pass = single.target.pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = width,
                                                           .height = height,
                                                           .depth_test = depth_test,
                                                           .depth_write = depth_test,
                                                           .depth_compare = VK_COMPARE_OP_LESS,
                                                           .set_layouts = {layout},
                                                           .set_layout_count = layout != VK_NULL_HANDLE,
                                                           .push_size_B = 36});
    return single;
}

static struct single single_create(struct vkt *t, struct vkt_shader fs, VkDescriptorSetLayout layout, bool depth_test)
{
    return single_create_sized(t, fs, layout, depth_test, 64, 64);
}

static void single_destroy(struct vkt *t, struct single *single)
{
    vkt_pipeline_destroy(t, &single->pipeline);
    vkDestroyQueryPool(t->device, single->pool, NULL);
    vkt_target_destroy(t, &single->target);
}

static void single_draw(VkCommandBuffer cmd, const struct single *single, float depth)
{
    const float push[9] = {1, 1, 1, 1, -1, -1, 1, 1, depth};
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, single->pipeline.pipeline);
    vkCmdPushConstants(cmd, single->pipeline.layout, STAGES, 0, sizeof push, push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

/* Counts the draw by a query around the whole pass. */
static uint32_t count_single(struct vkt *t, const struct single *single, VkDescriptorSet set, float depth)
{
    uint32_t count;
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdResetQueryPool(cmd, single->pool, 0, 1);
    vkCmdBeginQuery(cmd, single->pool, 0, 0);
    vkt_begin_pass(cmd, &single->target, (float[]){0, 0, 0, 0}, 0.5f, 0);
    if (set)
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, single->pipeline.layout, 0, 1, &set, 0, NULL);
    single_draw(cmd, single, depth);
    vkCmdEndRenderPass(cmd);
    vkCmdEndQuery(cmd, single->pool, 0);
    vkt_end_submit(t, cmd);
    vkt_ok(vkGetQueryPoolResults(t->device, single->pool, 0, 1, sizeof count, &count, sizeof count, 0));
    return count;
}

static void shaders_decide_what_counts(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct {
        struct vkt_shader fs;
        uint32_t near, far;
    } cases[] = {{VKT_SHADER(query_discard_frag), 64 * 32, 0},
                 {VKT_SHADER(query_early_frag), 64 * 64, 0},
                 {VKT_SHADER(query_depth_frag), 64 * 32, 64 * 32}};
    for (uint32_t i = 0; i < VKT_COUNT(cases); i++) {
        struct single single = single_create(t, cases[i].fs, VK_NULL_HANDLE, true);
        assert_int_equal(count_single(t, &single, VK_NULL_HANDLE, 0.25f), cases[i].near);
        assert_int_equal(count_single(t, &single, VK_NULL_HANDLE, 0.75f), cases[i].far);
        single_destroy(t, &single);
    }
}

/* The targets are wider or higher than the chip's largest job. */
static void counts_of_large_targets_are_exact(void **state)
{
    static const uint32_t sizes[][2] = {{2500, 70}, {16384, 70}, {3, 16384}};
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t i = 0; i < VKT_COUNT(sizes); i++) {
        struct single single =
            single_create_sized(t, VKT_SHADER(push_frag), VK_NULL_HANDLE, true, sizes[i][0], sizes[i][1]);
        assert_int_equal(count_single(t, &single, VK_NULL_HANDLE, 0.25f), sizes[i][0] * sizes[i][1]);
        assert_int_equal(count_single(t, &single, VK_NULL_HANDLE, 0.75f), 0);
        single_destroy(t, &single);
    }
}

/* A shader's stores happen once, however often its draw is replayed. */
static void stores_happen_once(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkDescriptorSetLayout layout = vkt_set_layout_create(
        t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 1}, 1);
    struct single single = single_create(t, VKT_SHADER(engine_store_frag), layout, true);
    struct vkt_buffer counts = vkt_storage_buffer(t, 2 + 64 * 64, 0);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counts.buffer, 0, counts.size_B);
    assert_int_equal(count_single(t, &single, set, 0.25f), 64 * 64);
    assert_int_equal(*(const uint32_t *)counts.map, 64 * 64);
    assert_int_equal(count_single(t, &single, set, 0.75f), 0);
    vkt_buffer_destroy(t, &counts);
    single_destroy(t, &single);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
}

/* ---------------------------------------------------------------- results */

/* Query 0 spans two passes, query 1 has no draws, query 2 lies inside a pass, and query 3 never begins. */
static void record_results(VkCommandBuffer cmd, const struct single *single)
{
    vkCmdResetQueryPool(cmd, single->pool, 0, 4);
    vkCmdBeginQuery(cmd, single->pool, 0, 0);
    for (int i = 0; i < 2; i++) {
        vkt_begin_pass(cmd, &single->target, (float[]){0, 0, 0, 0}, 1, 0);
        single_draw(cmd, single, 0.5f);
        single_draw(cmd, single, 0.75f);
        single_draw(cmd, single, 0.25f);
        vkCmdEndRenderPass(cmd);
    }
    vkCmdEndQuery(cmd, single->pool, 0);
    vkCmdBeginQuery(cmd, single->pool, 1, 0);
    vkCmdEndQuery(cmd, single->pool, 1);
    vkt_begin_pass(cmd, &single->target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBeginQuery(cmd, single->pool, 2, 0);
    single_draw(cmd, single, 0.5f);
    vkCmdEndQuery(cmd, single->pool, 2);
    vkCmdEndRenderPass(cmd);
}

static void results_come_in_every_form(void **state)
{
    static const uint64_t expected[4][2] = {{4 * 64 * 64, 1}, {0, 1}, {64 * 64, 1}, {0, 0}};
    struct vkt *t = vkt_device(VKT_TESTED);
    struct single single = single_create(t, VKT_SHADER(push_frag), VK_NULL_HANDLE, true);
    struct vkt_buffer copies = vkt_buffer_create(t, 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    memset(copies.map, 0xee, 4096);
    VkCommandBuffer cmd = vkt_begin(t);
    record_results(cmd, &single);
    vkCmdCopyQueryPoolResults(cmd, single.pool, 0, 4, copies.buffer, 64, 24,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    vkCmdCopyQueryPoolResults(cmd, single.pool, 0, 4, copies.buffer, 512, 4, VK_QUERY_RESULT_PARTIAL_BIT);
    vkCmdCopyQueryPoolResults(cmd, single.pool, 0, 3, copies.buffer, 1024, 8, VK_QUERY_RESULT_WAIT_BIT);
    vkt_end_submit(t, cmd);
    uint64_t results_64[4][2] = {{0}};
    uint32_t results_32[4];
    assert_int_equal(vkGetQueryPoolResults(t->device, single.pool, 0, 4, sizeof results_64, results_64, 16,
                                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
                     VK_NOT_READY);
    assert_memory_equal(results_64, expected, sizeof expected);
    vkt_ok(vkGetQueryPoolResults(t->device, single.pool, 0, 4, sizeof results_32, results_32, 4,
                                 VK_QUERY_RESULT_PARTIAL_BIT));
    const uint8_t *bytes = copies.map;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(results_32[i], expected[i][0]);
        assert_memory_equal(bytes + 512 + 4 * i, &results_32[i], 4);
        if (i < 3) /* of an unavailable result only the availability is written */
            assert_memory_equal(bytes + 64 + 24 * i, expected[i], 16);
        if (i < 3)
            assert_memory_equal(bytes + 1024 + 8 * i, &results_32[i], 4);
        assert_int_equal(bytes[64 + 24 * i + 16], 0xee);
    }
    assert_int_equal(bytes[64 + 24 * 3], 0xee);
    assert_memory_equal(bytes + 64 + 24 * 3 + 8, &expected[3][1], 8);
    vkt_buffer_destroy(t, &copies);
    single_destroy(t, &single);
}

static void the_host_resets(void **state)
{
    static const char *const names[] = {VK_EXT_HOST_QUERY_RESET_EXTENSION_NAME};
    static const float priority = 1;
    struct vkt *t = vkt_device(VKT_TESTED), own = *t;
    VkPhysicalDeviceHostQueryResetFeatures features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, .hostQueryReset = VK_TRUE};
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    vkt_ok(vkCreateDevice(t->physical,
                          &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                                .pNext = &features,
                                                .queueCreateInfoCount = 1,
                                                .pQueueCreateInfos = &queue,
                                                .enabledExtensionCount = 1,
                                                .ppEnabledExtensionNames = names},
                          NULL, &own.device));
    vkGetDeviceQueue(own.device, 0, 0, &own.queue);
    vkt_ok(vkCreateCommandPool(
        own.device, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO}, NULL, &own.pool));
    PFN_vkResetQueryPoolEXT reset = (PFN_vkResetQueryPoolEXT)vkGetDeviceProcAddr(own.device, "vkResetQueryPoolEXT");
    struct single single = single_create(&own, VKT_SHADER(push_frag), VK_NULL_HANDLE, true);
    reset(own.device, single.pool, 0, 8);
    for (uint32_t round = 0; round < 3; round++) {
        uint32_t result[2] = {7, 7};
        assert_int_equal(vkGetQueryPoolResults(own.device, single.pool, 3, 1, sizeof result, result, sizeof result,
                                               VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
                         VK_NOT_READY);
        assert_int_equal(result[1], 0);
        VkCommandBuffer cmd = vkt_begin(&own);
        vkt_begin_pass(cmd, &single.target, (float[]){0, 0, 0, 0}, 1, 0);
        vkCmdBeginQuery(cmd, single.pool, 3, 0);
        single_draw(cmd, &single, 0.5f);
        vkCmdEndQuery(cmd, single.pool, 3);
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(&own, cmd);
        vkt_ok(vkGetQueryPoolResults(own.device, single.pool, 3, 1, sizeof result, result, sizeof result,
                                     VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | VK_QUERY_RESULT_WAIT_BIT));
        assert_int_equal(result[0], 64 * 64);
        assert_int_equal(result[1], 1);
        reset(own.device, single.pool, 3, 1);
    }
    single_destroy(&own, &single);
    vkDestroyCommandPool(own.device, own.pool, NULL);
    vkDestroyDevice(own.device, NULL);
}

/* A timestamp in a secondary that runs inside a pass is taken between the secondary's draws. */
static void timestamps_of_secondaries_are_in_order(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct canvas c = canvas_create(t, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT);
    VkQueryPool pool;
    vkt_ok(vkCreateQueryPool(t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                                      .queryCount = 3},
                             NULL, &pool));
    const struct step step = {.kind = DRAW, .test = LESS, .x1 = W, .y1 = H, .depth_16 = 8};
    VkCommandBuffer cmd = vkt_begin(t), secondary = vkt_begin_secondary(t, c.target.pass, 0);
    for (uint32_t i = 0; i < 2; i++) {
        record_step(secondary, &c, &step, 0, INLINE);
        vkCmdWriteTimestamp(secondary, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, i + 1);
    }
    vkt_ok(vkEndCommandBuffer(secondary));
    vkCmdResetQueryPool(cmd, pool, 0, 3);
    begin_pass(cmd, &c, true);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    vkCmdEndRenderPass(cmd);
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
    vkt_end_submit(t, cmd);
    vkFreeCommandBuffers(t->device, t->pool, 1, &secondary);
    uint64_t times[3];
    vkt_ok(vkGetQueryPoolResults(t->device, pool, 0, 3, sizeof times, times, 8, VK_QUERY_RESULT_64_BIT));
    assert_true(times[1] < times[2] && times[2] <= times[0]);
    vkDestroyQueryPool(t->device, pool, NULL);
    canvas_destroy(t, &c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(counts_are_exact, vkt_check_messages),
        cmocka_unit_test_teardown(counts_are_exact_without_color, vkt_check_messages),
        cmocka_unit_test_teardown(counts_are_exact_with_wide_colors, vkt_check_messages),
        cmocka_unit_test_teardown(shaders_decide_what_counts, vkt_check_messages),
        cmocka_unit_test_teardown(counts_of_large_targets_are_exact, vkt_check_messages),
        cmocka_unit_test_teardown(stores_happen_once, vkt_check_messages),
        cmocka_unit_test_teardown(results_come_in_every_form, vkt_check_messages),
        cmocka_unit_test_teardown(the_host_resets, vkt_check_messages),
        cmocka_unit_test_teardown(timestamps_of_secondaries_are_in_order, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
