/* SPDX-License-Identifier: MIT
 *
 * Pipeline statistics and primitives generated. The counts are exact: each is compared with what the draws of the case
 * must do. Vertices of incomplete primitives count as vertices, a vertex program runs once for each vertex that
 * primitives use, and a fragment is a covered pixel.
 */
#include <string.h>
#include "vkt.h"
#include "statistics.comp.h"
#include "statistics.frag.h"
#include "statistics.geom.h"
#include "statistics.tesc.h"
#include "statistics.tese.h"
#include "statistics.vert.h"

enum { W = 64, H = 48, COUNTERS = 11, ALL = (1 << COUNTERS) - 1 };
enum counter { VERTICES, PRIMITIVES, VS, GS, GS_PRIMITIVES, CLIPPING, CLIPPED, FS, PATCHES, TES, CS };

/* Half of the target's width and a quarter of its height, in two triangles; and a triangle to the right of it. */
#define COVERED (W / 2 * H / 4)
static const float positions[12][4] = {
    {-1, -1, 0.5f, 1},   {0, -1, 0.5f, 1},     {-1, -0.5f, 0.5f, 1}, {0, -1, 0.5f, 1},
    {0, -0.5f, 0.5f, 1}, {-1, -0.5f, 0.5f, 1}, {2, 0, 0.5f, 1},      {3, 0, 0.5f, 1},
    {2, 1, 0.5f, 1},     {0, 0, 0, 1},         {0, 0, 0, 1},         {0, 0, 0, 1},
};
/* The same two triangles as a strip, a restart, and one of them again. */
static const uint16_t strip[] = {2, 0, 4, 1, 0xffff, 0, 1, 2};

static const VkVertexInputBindingDescription binding = {0, 16, VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};

static VkQueryPool pool_create(struct vkt *t, VkQueryType type, uint32_t count, VkQueryPipelineStatisticFlags flags)
{
    VkQueryPool pool;
    vkt_ok(vkCreateQueryPool(t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = type,
                                                      .queryCount = count,
                                                      .pipelineStatistics = flags},
                             NULL, &pool));
    return pool;
}

/* ---------------------------------------------------------------- draws */

enum manner { INLINE, SECONDARY, IN_SECONDARY };

static struct scene {
    VkFormat format;
    uint32_t width, instances;
    bool emits, tessellates, indexed, discards, indirect, no_fragments, lines;
    enum manner manner;
} scene;

struct objects {
    struct vkt *t;
    struct vkt_target target;
    struct vkt_buffer vertices, indices, indirect;
    struct vkt_pipeline pipeline;
    VkQueryPool pool;
};

static void create(struct objects *o, struct vkt *t)
{
    o->t = t;
    o->target = vkt_target_create(t, scene.width, H, scene.format, VK_FORMAT_UNDEFINED);
    o->vertices = vkt_buffer_create(t, sizeof positions, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, positions);
    o->indices = vkt_buffer_create(t, sizeof strip, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, strip);
    const VkDrawIndirectCommand indirect = {11, scene.instances, 0, 0};
    o->indirect = vkt_buffer_create(t, sizeof indirect, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, &indirect);
    const VkPipelineTessellationStateCreateInfo patches = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO, .patchControlPoints = 3};
    struct vkt_pipeline_info info = {
        .vs = VKT_SHADER(statistics_vert),
        .pass = o->target.pass,
        .bindings = &binding,
        .binding_count = 1,
        .attributes = &attribute,
        .attribute_count = 1,
        .topology = scene.indexed ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP : VKT_TRIANGLES,
        .primitive_restart = scene.indexed,
        .rasterizer_discard = scene.discards,
        .polygon_mode = scene.lines ? VK_POLYGON_MODE_LINE : VK_POLYGON_MODE_FILL,
        .width = scene.width,
        .height = H,
    };
    if (!scene.discards && !scene.no_fragments)
        info.fs = VKT_SHADER(statistics_frag);
    if (scene.emits)
        info.gs = VKT_SHADER(statistics_geom);
    if (scene.tessellates) {
        info.tcs = VKT_SHADER(statistics_tesc);
        info.tes = VKT_SHADER(statistics_tese);
        info.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
        info.tessellation = &patches;
    }
    o->pipeline = vkt_pipeline_create(t, &info);
    o->pool = pool_create(t, VK_QUERY_TYPE_PIPELINE_STATISTICS, 3, ALL);
}

static void destroy(struct objects *o)
{
    vkDestroyQueryPool(o->t->device, o->pool, NULL);
    vkt_pipeline_destroy(o->t, &o->pipeline);
    vkt_buffer_destroy(o->t, &o->indirect);
    vkt_buffer_destroy(o->t, &o->indices);
    vkt_buffer_destroy(o->t, &o->vertices);
    vkt_target_destroy(o->t, &o->target);
}

static void draw(const struct objects *o, VkCommandBuffer cmd)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, o->pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &o->vertices.buffer, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(cmd, o->indices.buffer, 0, VK_INDEX_TYPE_UINT16);
    if (scene.indexed)
        vkCmdDrawIndexed(cmd, 8, scene.instances, 0, 0, 0);
    else if (scene.indirect)
        vkCmdDrawIndirect(cmd, o->indirect.buffer, 0, 1, 0);
    else
        vkCmdDraw(cmd, 11, scene.instances, 0, 0);
}

static VkCommandBuffer begin_secondary(const struct objects *o, bool inherits)
{
    return vkt_begin_inheriting(
        o->t, &(VkCommandBufferInheritanceInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                .renderPass = o->target.pass,
                                                .pipelineStatistics = inherits ? ALL : 0});
}

/* A pass with a draw in the query, and without secondaries one before and one behind it. */
static void record_pass(const struct objects *o, VkCommandBuffer cmd)
{
    const bool in_secondaries = scene.manner != INLINE;
    const VkClearValue clear = {.color = {.float32 = {0.2f, 0.2f, 0.2f, 1}}};
    VkCommandBuffer secondary = VK_NULL_HANDLE;
    if (in_secondaries) {
        secondary = begin_secondary(o, scene.manner == SECONDARY);
        if (scene.manner == IN_SECONDARY)
            vkCmdBeginQuery(secondary, o->pool, 1, 0);
        draw(o, secondary);
        if (scene.manner == IN_SECONDARY)
            vkCmdEndQuery(secondary, o->pool, 1);
        vkt_ok(vkEndCommandBuffer(secondary));
    }
    if (scene.manner == SECONDARY)
        vkCmdBeginQuery(cmd, o->pool, 1, 0);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = o->target.pass,
                                                  .framebuffer = o->target.framebuffer,
                                                  .renderArea = {.extent = {scene.width, H}},
                                                  .clearValueCount = 1,
                                                  .pClearValues = &clear},
                         in_secondaries ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE);
    if (!in_secondaries)
        draw(o, cmd);
    if (!in_secondaries)
        vkCmdBeginQuery(cmd, o->pool, 1, 0);
    if (in_secondaries)
        vkCmdExecuteCommands(cmd, 1, &secondary);
    else
        draw(o, cmd);
    if (!in_secondaries) {
        vkCmdEndQuery(cmd, o->pool, 1);
        draw(o, cmd);
    }
    vkCmdEndRenderPass(cmd);
    if (scene.manner == SECONDARY)
        vkCmdEndQuery(cmd, o->pool, 1);
}

static void count(struct vkt *t, const struct scene *s, uint64_t out[COUNTERS])
{
    struct objects o;
    uint64_t results[COUNTERS + 1];
    scene = *s;
    scene.format = scene.format ? scene.format : VK_FORMAT_R8G8B8A8_UNORM;
    scene.width = scene.width ? scene.width : W;
    scene.instances = scene.instances ? scene.instances : 1;
    create(&o, t);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdResetQueryPool(cmd, o.pool, 0, 3);
    record_pass(&o, cmd);
    vkt_end_submit(t, cmd);
    vkt_ok(vkGetQueryPoolResults(t->device, o.pool, 1, 1, sizeof results, results, sizeof results,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT));
    assert_int_equal(results[COUNTERS], 1);
    memcpy(out, results, sizeof results[0] * COUNTERS);
    assert_int_equal(
        vkGetQueryPoolResults(t->device, o.pool, 0, 1, sizeof results, results, sizeof results, VK_QUERY_RESULT_64_BIT),
        VK_NOT_READY);
    destroy(&o);
}

static void check(const struct scene *s, const uint64_t expected[COUNTERS])
{
    uint64_t got[COUNTERS];
    count(vkt_device(VKT_TESTED), s, got);
    for (uint32_t i = 0; i < COUNTERS; i++)
        if (got[i] != expected[i])
            fail_msg("counter %u: %llu instead of %llu", i, (unsigned long long)got[i],
                     (unsigned long long)expected[i]);
}

static const uint64_t of_list[COUNTERS] = {
    [VERTICES] = 11, [PRIMITIVES] = 3, [VS] = 9, [CLIPPING] = 3, [CLIPPED] = 2, [FS] = COVERED};

static void draws_are_counted(void **state)
{
    check(&(struct scene){0}, of_list);
    check(&(struct scene){.indirect = true}, of_list);
    check(&(struct scene){.instances = 3},
          (const uint64_t[COUNTERS]){
              [VERTICES] = 33, [PRIMITIVES] = 9, [VS] = 27, [CLIPPING] = 9, [CLIPPED] = 6, [FS] = 3 * COVERED});
    check(&(struct scene){.indexed = true},
          (const uint64_t[COUNTERS]){
              [VERTICES] = 8, [PRIMITIVES] = 3, [VS] = 4, [CLIPPING] = 3, [CLIPPED] = 3, [FS] = COVERED * 3 / 2});
}

static void without_rasteriser_or_fragments(void **state)
{
    check(&(struct scene){.discards = true}, (const uint64_t[COUNTERS]){[VERTICES] = 11, [PRIMITIVES] = 3, [VS] = 9});
    check(&(struct scene){.no_fragments = true},
          (const uint64_t[COUNTERS]){[VERTICES] = 11, [PRIMITIVES] = 3, [VS] = 9, [CLIPPING] = 3, [CLIPPED] = 2});
}

/* A pixel of two words is drawn twice, a wide target in two ranges. */
static void replays_count_once(void **state)
{
    check(&(struct scene){.format = VK_FORMAT_R16G16B16A16_SFLOAT}, of_list);
    check(&(struct scene){.width = 4096},
          (const uint64_t[COUNTERS]){
              [VERTICES] = 11, [PRIMITIVES] = 3, [VS] = 9, [CLIPPING] = 3, [CLIPPED] = 2, [FS] = COVERED * 64});
}

static void secondaries_are_counted(void **state)
{
    check(&(struct scene){.manner = SECONDARY}, of_list);
    check(&(struct scene){.manner = IN_SECONDARY}, of_list);
    check(&(struct scene){.manner = SECONDARY, .discards = true},
          (const uint64_t[COUNTERS]){[VERTICES] = 11, [PRIMITIVES] = 3, [VS] = 9});
}

static void geometry_is_counted(void **state)
{
    check(&(struct scene){.emits = true}, (const uint64_t[COUNTERS]){[VERTICES] = 11,
                                                                     [PRIMITIVES] = 3,
                                                                     [VS] = 9,
                                                                     [GS] = 6,
                                                                     [GS_PRIMITIVES] = 18,
                                                                     [CLIPPING] = 18,
                                                                     [CLIPPED] = 12,
                                                                     [FS] = 6 * COVERED});
    check(&(struct scene){.emits = true, .discards = true, .format = VK_FORMAT_R16G16B16A16_SFLOAT},
          (const uint64_t[COUNTERS]){[VERTICES] = 11, [PRIMITIVES] = 3, [VS] = 9, [GS] = 6, [GS_PRIMITIVES] = 18});
}

static void tessellation_is_counted(void **state)
{
    uint64_t expected[COUNTERS];
    memcpy(expected, of_list, sizeof expected);
    expected[PATCHES] = 3;
    expected[TES] = 9;
    check(&(struct scene){.tessellates = true}, expected);
}

/* Lines of triangles: the counts of the stages before them are the same. */
static void outlines_are_counted(void **state)
{
    uint64_t got[COUNTERS];
    count(vkt_device(VKT_TESTED), &(struct scene){.lines = true}, got);
    assert_int_equal(got[VERTICES], 11);
    assert_int_equal(got[PRIMITIVES], 3);
    assert_int_equal(got[CLIPPING], 3);
    assert_in_range(got[FS], W / 2, COVERED);
}

/* ---------------------------------------------------------------- dispatches */

static void invocations_are_counted(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(statistics_comp), NULL, 0, 0, NULL);
    const VkDispatchIndirectCommand size = {3, 1, 5};
    struct vkt_buffer indirect = vkt_buffer_create(t, sizeof size, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, &size);
    VkQueryPool pool = pool_create(t, VK_QUERY_TYPE_PIPELINE_STATISTICS, 2,
                                   VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT);
    VkCommandBuffer secondary =
        vkt_begin_inheriting(t, &(VkCommandBufferInheritanceInfo){
                                    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                    .pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT});
    vkCmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_COMPUTE, c.pipeline);
    vkCmdDispatch(secondary, 1, 2, 3);
    vkt_ok(vkEndCommandBuffer(secondary));
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdResetQueryPool(cmd, pool, 0, 2);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c.pipeline);
    vkCmdDispatch(cmd, 9, 9, 9);
    vkCmdBeginQuery(cmd, pool, 0, 0);
    vkCmdDispatch(cmd, 2, 3, 1);
    vkCmdDispatchIndirect(cmd, indirect.buffer, 0);
    vkCmdDispatch(cmd, 0, 3, 1);
    vkCmdEndQuery(cmd, pool, 0);
    vkCmdBeginQuery(cmd, pool, 1, 0);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    vkCmdEndQuery(cmd, pool, 1);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    vkt_end_submit(t, cmd);
    uint32_t results[2];
    vkt_ok(vkGetQueryPoolResults(t->device, pool, 0, 2, sizeof results, results, 4, 0));
    assert_int_equal(results[0], 30 * (6 + 15));
    assert_int_equal(results[1], 30 * 6);
    vkDestroyQueryPool(t->device, pool, NULL);
    vkt_buffer_destroy(t, &indirect);
    vkt_compute_destroy(t, &c);
}

/* ---------------------------------------------------------------- results */

static void results_are_packed(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct objects o;
    const VkQueryPipelineStatisticFlags flags = 1 << VERTICES | 1 << VS | 1 << FS;
    struct vkt_buffer copied = vkt_buffer_create(t, 256, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    scene = (struct scene){.format = VK_FORMAT_R8G8B8A8_UNORM, .width = W, .instances = 1};
    create(&o, t);
    vkDestroyQueryPool(t->device, o.pool, NULL);
    o.pool = pool_create(t, VK_QUERY_TYPE_PIPELINE_STATISTICS, 3, flags);
    memset(copied.map, 0xcc, 256);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdResetQueryPool(cmd, o.pool, 0, 3);
    record_pass(&o, cmd);
    vkt_barrier_all(cmd);
    vkCmdCopyQueryPoolResults(cmd, o.pool, 0, 2, copied.buffer, 0, 20, VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    vkCmdCopyQueryPoolResults(cmd, o.pool, 1, 1, copied.buffer, 64, 32,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    vkCmdResetQueryPool(cmd, o.pool, 1, 1);
    vkt_barrier_all(cmd);
    vkCmdCopyQueryPoolResults(cmd, o.pool, 1, 1, copied.buffer, 128, 32,
                              VK_QUERY_RESULT_PARTIAL_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    vkt_end_submit(t, cmd);
    const uint32_t *words = copied.map;
    assert_int_equal(words[0], 0xcccccccc); /* not available: only that is written */
    assert_int_equal(words[3], 0);
    const uint32_t expected[] = {11, 9, COVERED, 1};
    assert_memory_equal(words + 5, expected, sizeof expected);
    assert_int_equal(words[9], 0xcccccccc);
    const uint64_t wide[] = {11, 9, COVERED};
    assert_memory_equal(words + 16, wide, sizeof wide);
    const uint32_t reset[] = {0, 0, 0, 0};
    assert_memory_equal(words + 32, reset, sizeof reset);
    vkt_buffer_destroy(t, &copied);
    destroy(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(draws_are_counted, vkt_check_messages),
        cmocka_unit_test_teardown(without_rasteriser_or_fragments, vkt_check_messages),
        cmocka_unit_test_teardown(replays_count_once, vkt_check_messages),
        cmocka_unit_test_teardown(secondaries_are_counted, vkt_check_messages),
        cmocka_unit_test_teardown(geometry_is_counted, vkt_check_messages),
        cmocka_unit_test_teardown(tessellation_is_counted, vkt_check_messages),
        cmocka_unit_test_teardown(outlines_are_counted, vkt_check_messages),
        cmocka_unit_test_teardown(invocations_are_counted, vkt_check_messages),
        cmocka_unit_test_teardown(results_are_packed, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
