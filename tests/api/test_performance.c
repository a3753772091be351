/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_performance_query: which counters exist, and that a query counts everything between its begin and its end and
 * nothing else, wherever the two stand.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "push.frag.h"
#include "push.vert.h"

#define W            96
#define H            80
#define MAX_COUNTERS 32
#define QUERIES      8
#define STAGES       (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT)

static struct vkt device;
static uint32_t counter_count;
static VkPerformanceCounterKHR counters[MAX_COUNTERS];
static VkPerformanceCounterDescriptionKHR descriptions[MAX_COUNTERS];
static PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR enumerate;
static PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR get_passes;
static PFN_vkAcquireProfilingLockKHR acquire_lock;
static PFN_vkReleaseProfilingLockKHR release_lock;

/* Asks for the number of counters first and then for the counters; the validation layer learns them from these
 * calls. */
static void list_counters(void)
{
    vkt_ok(enumerate(device.physical, 0, &counter_count, NULL, NULL));
    assert_true(counter_count <= MAX_COUNTERS);
    vkt_ok(enumerate(device.physical, 0, &counter_count, counters, descriptions));
}

static int open_device(void **state)
{
    static const char *const extensions[] = {VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME};
    struct vkt *t = vkt_device(VKT_TESTED);
    device = vkt_device_create_with(t, extensions, VKT_COUNT(extensions));
    enumerate = (PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR)vkGetInstanceProcAddr(
        t->instance, "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR");
    get_passes = (PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR)vkGetInstanceProcAddr(
        t->instance, "vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR");
    acquire_lock = (PFN_vkAcquireProfilingLockKHR)vkGetDeviceProcAddr(device.device, "vkAcquireProfilingLockKHR");
    release_lock = (PFN_vkReleaseProfilingLockKHR)vkGetDeviceProcAddr(device.device, "vkReleaseProfilingLockKHR");
    for (uint32_t i = 0; i < MAX_COUNTERS; i++) {
        counters[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR;
        descriptions[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR;
    }
    list_counters();
    vkt_ok(acquire_lock(device.device,
                        &(VkAcquireProfilingLockInfoKHR){.sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR,
                                                         .timeout = UINT64_MAX}));
    return 0;
}

static int close_device(void **state)
{
    release_lock(device.device);
    vkt_device_close(&device);
    return vkt_teardown(state);
}

static uint32_t counter(const char *name)
{
    for (uint32_t i = 0; i < counter_count; i++)
        if (!strcmp(descriptions[i].name, name))
            return i;
    fail_msg("no counter %s", name);
    return 0;
}

/* ---------------------------------------------------------------- counters */

static void counters_have_names(void **state)
{
    assert_true(counter_count >= 10);
    for (uint32_t i = 0; i < counter_count; i++) {
        assert_int_equal(counters[i].storage, VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR);
        assert_int_equal(counters[i].scope, VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR);
        assert_true(descriptions[i].category[0] && descriptions[i].description[0]);
        for (uint32_t k = 0; k < i; k++) {
            assert_true(memcmp(counters[i].uuid, counters[k].uuid, VK_UUID_SIZE) != 0);
            assert_string_not_equal(descriptions[i].name, descriptions[k].name);
        }
    }
    /* The model has no clock, so it offers no counters of time or cycles. */
    if (device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
        for (uint32_t i = 0; i < counter_count; i++)
            assert_int_equal(counters[i].unit, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR);
}

static void lists_may_be_short(void **state)
{
    VkPerformanceCounterKHR few[2] = {{.sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR},
                                      {.sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR}};
    uint32_t count = 0;
    vkt_ok(enumerate(device.physical, 0, &count, NULL, NULL));
    assert_int_equal(count, counter_count);
    count = 2;
    assert_int_equal(enumerate(device.physical, 0, &count, few, NULL), VK_INCOMPLETE);
    assert_int_equal(count, 2);
    assert_memory_equal(few[1].uuid, counters[1].uuid, VK_UUID_SIZE);
    vkt_ok(enumerate(device.physical, 1, &count, NULL, NULL)); /* the transfer family */
    assert_int_equal(count, 0);
    list_counters();
}

static void features_and_properties(void **state)
{
    VkPhysicalDevicePerformanceQueryFeaturesKHR features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR};
    vkGetPhysicalDeviceFeatures2(
        device.physical,
        &(VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features});
    assert_true(features.performanceCounterQueryPools && features.performanceCounterMultipleQueryPools);
    VkPhysicalDevicePerformanceQueryPropertiesKHR properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_PROPERTIES_KHR};
    vkGetPhysicalDeviceProperties2(
        device.physical,
        &(VkPhysicalDeviceProperties2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &properties});
    assert_true(properties.allowCommandBufferQueryCopies);
}

/* ---------------------------------------------------------------- counting */

struct canvas {
    struct vkt_target target;
    struct vkt_pipeline pipeline;
    VkQueryPool pool;
    uint32_t counter_count, pass_count;
};

/* The chip's counters count only what the chip draws. */
static void skip_on_cpu_engine(const char *name)
{
    const char *words = getenv("VC4VK_DEBUG");
    if (words && strstr(words, "force-cpu-engine")) {
        vkt_skip_because(name, "force-cpu-engine: the chip's counters count only what the chip draws");
        skip();
    }
}

static VkQueryPool pool_create(const uint32_t *indices, uint32_t count, uint32_t *pass_count_out)
{
    const VkQueryPoolPerformanceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
        .counterIndexCount = count,
        .pCounterIndices = indices,
    };
    VkQueryPool pool;
    get_passes(device.physical, &info, pass_count_out);
    assert_int_equal(*pass_count_out, (count + 15) / 16);
    vkt_ok(vkCreateQueryPool(device.device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .pNext = &info,
                                                      .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
                                                      .queryCount = QUERIES},
                             NULL, &pool));
    return pool;
}

/* Submits the command buffer once for each counter pass. */
static void end_and_submit_passes(const struct canvas *c, VkCommandBuffer cmd)
{
    vkt_ok(vkEndCommandBuffer(cmd));
    for (uint32_t pass = 0; pass < c->pass_count; pass++) {
        const VkPerformanceQuerySubmitInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR,
                                                      .counterPassIndex = pass};
        vkt_ok(vkQueueSubmit(device.queue, 1,
                             &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                             .pNext = &info,
                                             .commandBufferCount = 1,
                                             .pCommandBuffers = &cmd},
                             VK_NULL_HANDLE));
        vkt_ok(vkQueueWaitIdle(device.queue));
    }
    vkFreeCommandBuffers(device.device, device.pool, 1, &cmd);
}

static struct canvas canvas_create(const uint32_t *indices, uint32_t count)
{
    struct canvas c = {.target = vkt_target_create(&device, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED),
                       .counter_count = count};
    c.pool = pool_create(indices, count, &c.pass_count);
    c.pipeline = vkt_pipeline_create(&device, &(struct vkt_pipeline_info){
                                                  .vs = VKT_SHADER(push_vert),
                                                  .fs = VKT_SHADER(push_frag),
                                                  .pass = c.target.pass,
                                                  .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                  .width = W,
                                                  .height = H,
                                                  .push_size_B = 36,
                                              });
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdResetQueryPool(cmd, c.pool, 0, QUERIES);
    end_and_submit_passes(&c, cmd); /* the validation layer requires a reset in each pass */
    return c;
}

static void canvas_destroy(struct canvas *c)
{
    vkt_pipeline_destroy(&device, &c->pipeline);
    vkDestroyQueryPool(device.device, c->pool, NULL);
    vkt_target_destroy(&device, &c->target);
}

static void rect(VkCommandBuffer cmd, const struct canvas *c, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
{
    const float push[9] = {
        1,   0.5f, 0.25f, 1, (float)x0 * 2 / W - 1, (float)y0 * 2 / H - 1, (float)x1 * 2 / W - 1, (float)y1 * 2 / H - 1,
        0.5f};
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, c->pipeline.pipeline);
    vkCmdPushConstants(cmd, c->pipeline.layout, STAGES, 0, sizeof push, push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

static void begin_pass(VkCommandBuffer cmd, const struct canvas *c, bool with_secondaries)
{
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = c->target.pass,
                                                  .framebuffer = c->target.framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}},
                                                  .clearValueCount = 1,
                                                  .pClearValues = &(VkClearValue){.color.float32 = {0}}},
                         with_secondaries ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE);
}

static uint64_t result(const struct canvas *c, uint32_t query, uint32_t index)
{
    VkPerformanceCounterResultKHR results[MAX_COUNTERS];
    vkt_ok(vkGetQueryPoolResults(device.device, c->pool, query, 1, c->counter_count * sizeof *results, results,
                                 c->counter_count * sizeof *results, VK_QUERY_RESULT_WAIT_BIT));
    return results[index].uint64;
}

/* A rectangle is two triangles: blocks of 2 x 2 pixels on their diagonal may count twice. */
static void expect_quads_of_rect(uint64_t quads, uint32_t width, uint32_t height)
{
    assert_in_range(quads, width * height / 4, width * height / 4 + width / 2 + height / 2);
}

static void what_lies_between_is_counted(void **state)
{
    skip_on_cpu_engine(__func__);
    const uint32_t written = counter("Quads written");
    struct canvas c = canvas_create(&written, 1);
    VkCommandBuffer cmd = vkt_begin(&device);
    begin_pass(cmd, &c, false);
    rect(cmd, &c, 0, 0, W, H);
    vkCmdBeginQuery(cmd, c.pool, 0, 0); /* within the pass */
    rect(cmd, &c, 8, 4, 40, 20);
    vkCmdEndQuery(cmd, c.pool, 0);
    rect(cmd, &c, 0, 0, W, H);
    vkCmdBeginQuery(cmd, c.pool, 1, 0); /* nothing */
    vkCmdEndQuery(cmd, c.pool, 1);
    vkCmdBeginQuery(cmd, c.pool, 2, 0); /* a second query in the same pass */
    rect(cmd, &c, 50, 30, 90, 70);
    vkCmdEndQuery(cmd, c.pool, 2);
    vkCmdEndRenderPass(cmd);
    vkCmdBeginQuery(cmd, c.pool, 3, 0); /* around a pass that draws both rectangles */
    begin_pass(cmd, &c, false);
    rect(cmd, &c, 8, 4, 40, 20);
    rect(cmd, &c, 50, 30, 90, 70);
    vkCmdEndRenderPass(cmd);
    vkCmdEndQuery(cmd, c.pool, 3);
    begin_pass(cmd, &c, false);
    rect(cmd, &c, 0, 0, W, H);
    vkCmdEndRenderPass(cmd);
    end_and_submit_passes(&c, cmd);
    expect_quads_of_rect(result(&c, 0, 0), 32, 16);
    assert_int_equal(result(&c, 1, 0), 0);
    expect_quads_of_rect(result(&c, 2, 0), 40, 40);
    assert_int_equal(result(&c, 3, 0), result(&c, 0, 0) + result(&c, 2, 0));
    uint64_t ignored;
    assert_int_equal(vkGetQueryPoolResults(device.device, c.pool, 4, 1, sizeof ignored, &ignored, sizeof ignored, 0),
                     VK_NOT_READY);
    canvas_destroy(&c);
}

static void secondaries_are_counted_and_count(void **state)
{
    skip_on_cpu_engine(__func__);
    const uint32_t written = counter("Quads written");
    struct canvas c = canvas_create(&written, 1);
    VkCommandBuffer secondary = vkt_begin_secondary(&device, c.target.pass, 0);
    rect(secondary, &c, 0, 0, W, H);
    vkCmdBeginQuery(secondary, c.pool, 0, 0);
    rect(secondary, &c, 8, 4, 40, 20);
    vkCmdEndQuery(secondary, c.pool, 0);
    rect(secondary, &c, 8, 4, 40, 20);
    vkt_ok(vkEndCommandBuffer(secondary));
    VkCommandBuffer cmd = vkt_begin(&device);
    begin_pass(cmd, &c, true);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    vkCmdEndRenderPass(cmd);
    end_and_submit_passes(&c, cmd);
    expect_quads_of_rect(result(&c, 0, 0), 32, 16);
    vkFreeCommandBuffers(device.device, device.pool, 1, &secondary);
    canvas_destroy(&c);
}

/* Counts all counters at once, in reverse order, and reads the results on the host and by a device copy. */
static void all_counters_at_once(void **state)
{
    skip_on_cpu_engine(__func__);
    uint32_t reversed[MAX_COUNTERS];
    uint64_t copied[MAX_COUNTERS];
    for (uint32_t i = 0; i < counter_count; i++)
        reversed[i] = counter_count - 1 - i;
    struct canvas c = canvas_create(reversed, counter_count);
    struct vkt_buffer out = vkt_buffer_create(&device, sizeof copied, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdBeginQuery(cmd, c.pool, 5, 0);
    begin_pass(cmd, &c, false);
    rect(cmd, &c, 8, 4, 40, 20);
    rect(cmd, &c, 2 * W, 4, 2 * W + 8, 20); /* outside */
    vkCmdEndRenderPass(cmd);
    vkCmdEndQuery(cmd, c.pool, 5);
    end_and_submit_passes(&c, cmd);
    cmd = vkt_begin(&device);
    vkCmdCopyQueryPoolResults(cmd, c.pool, 5, 1, out.buffer, 0, sizeof copied, VK_QUERY_RESULT_WAIT_BIT);
    vkt_end_submit(&device, cmd);
    memcpy(copied, out.map, sizeof copied);
    for (uint32_t i = 0; i < counter_count; i++)
        assert_int_equal(copied[i], result(&c, 5, i));
    expect_quads_of_rect(result(&c, 5, counter_count - 1 - counter("Quads")), 32, 16);
    assert_int_equal(result(&c, 5, counter_count - 1 - counter("Primitives outside")), 2);
    assert_int_equal(result(&c, 5, counter_count - 1 - counter("Quads failing depth and stencil")), 0);
    assert_in_range(result(&c, 5, counter_count - 1 - counter("Primitives")), 2, 8);
    vkt_buffer_destroy(&device, &out);
    canvas_destroy(&c);
}

/* More counters than one performance monitor has, with repetitions: each pass fills its own results. */
static void later_passes_fill_their_own(void **state)
{
    skip_on_cpu_engine(__func__);
    uint32_t indices[20];
    const uint32_t quads = counter("Quads"), outside = counter("Primitives outside");
    for (uint32_t i = 0; i < VKT_COUNT(indices); i++)
        indices[i] = i % 5 ? quads : outside;
    struct canvas c = canvas_create(indices, VKT_COUNT(indices));
    assert_int_equal(c.pass_count, 2);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdBeginQuery(cmd, c.pool, 3, 0);
    begin_pass(cmd, &c, false);
    rect(cmd, &c, 8, 4, 40, 20);
    rect(cmd, &c, 2 * W, 4, 2 * W + 8, 20); /* outside */
    vkCmdEndRenderPass(cmd);
    vkCmdEndQuery(cmd, c.pool, 3);
    end_and_submit_passes(&c, cmd);
    for (uint32_t i = 0; i < VKT_COUNT(indices); i++)
        assert_int_equal(result(&c, 3, i), i % 5 ? result(&c, 3, 1) : 2);
    expect_quads_of_rect(result(&c, 3, 1), 32, 16);
    canvas_destroy(&c);
}

/* Counts again after each reset of the query. */
static void reset_queries_count_anew(void **state)
{
    skip_on_cpu_engine(__func__);
    const uint32_t written = counter("Quads written");
    struct canvas c = canvas_create(&written, 1);
    for (uint32_t i = 0; i < 3; i++) {
        VkCommandBuffer cmd = vkt_begin(&device);
        vkCmdResetQueryPool(cmd, c.pool, 0, 1);
        vkt_end_submit(&device, cmd);
        cmd = vkt_begin(&device);
        vkCmdBeginQuery(cmd, c.pool, 0, 0);
        begin_pass(cmd, &c, false);
        for (uint32_t k = 0; k <= i; k++)
            rect(cmd, &c, 8, 4, 40, 20);
        vkCmdEndRenderPass(cmd);
        vkCmdEndQuery(cmd, c.pool, 0);
        end_and_submit_passes(&c, cmd);
        static uint64_t one;
        one = i ? one : result(&c, 0, 0);
        assert_int_equal(result(&c, 0, 0), (i + 1) * one);
    }
    canvas_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(counters_have_names, vkt_check_messages),
        cmocka_unit_test_teardown(lists_may_be_short, vkt_check_messages),
        cmocka_unit_test_teardown(features_and_properties, vkt_check_messages),
        cmocka_unit_test_teardown(what_lies_between_is_counted, vkt_check_messages),
        cmocka_unit_test_teardown(secondaries_are_counted_and_count, vkt_check_messages),
        cmocka_unit_test_teardown(all_counters_at_once, vkt_check_messages),
        cmocka_unit_test_teardown(later_passes_fill_their_own, vkt_check_messages),
        cmocka_unit_test_teardown(reset_queries_count_anew, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("performance", tests, open_device, close_device);
}
