/* SPDX-License-Identifier: MIT
 *
 * Performance queries with more counters than a monitor has: each pass fills its part, and results are available when
 * all passes have been submitted. Runs on the model, whose kernel accepts every event and counts those that its chip
 * has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "queue/vc4vk_performance.h"
#include "queue/vc4vk_sync.h"
#include "util/thread.h"

#define COUNTERS (KMD_PERFMON_EVENTS + 4)
#define QUERIES  3

static struct bench {
    struct kmd_device *kmd;
    struct vc4vk_queue_device device;
    struct vc4vk_queue *queue;
    VkQueryPool pool;
} b;

static int set_up(void **state)
{
    struct kmd_physical physical[KMD_MAX_DEVICES];
    setenv("VC4VK_DEVICE", "model", 1);
    const struct vc4vk_context_create queue = {0, 0, 1.0f};
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
                                        .queryCount = QUERIES};
    uint8_t events[COUNTERS];
    for (uint32_t i = 0; i < COUNTERS; i++)
        events[i] = (uint8_t)i;
    if (kmd_enumerate(physical) < 1 || kmd_open(&physical[0], &b.kmd) ||
        vc4vk_queue_device_init(&b.device, b.kmd, NULL, &queue, 1) ||
        vc4vk_query_pool_create(&b.device, &info, NULL, &b.pool) ||
        vc4vk_query_pool_set_counters(b.pool, events, COUNTERS, NULL))
        return 1;
    b.queue = vc4vk_queue_device_get(&b.device, 0, 0);
    return 0;
}

static int tear_down(void **state)
{
    vc4vk_query_pool_destroy(&b.device, b.pool, NULL);
    vc4vk_queue_device_finish(&b.device);
    kmd_close(b.kmd);
    return 0;
}

/* Begins and ends a query in a submission for this pass. */
static void submit_pass(uint32_t query, uint32_t pass)
{
    struct vc4vk_query_range range = {vc4vk_query_pool_from_handle(b.pool), query, 1};
    struct vc4vk_cpu_op begin, end;
    vc4vk_cpu_op_init_performance_begin(&begin, &range);
    vc4vk_cpu_op_init_performance_end(&end, &range);
    struct vc4vk_command *commands[] = {&begin.command, &end.command};
    struct vc4vk_recorded recorded = {.commands = commands, .command_count = 2};
    VkCommandBuffer cmd = (VkCommandBuffer)&recorded;
    const VkPerformanceQuerySubmitInfoKHR counting = {.sType = VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR,
                                                      .counterPassIndex = pass};
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &counting, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    assert_int_equal(vc4vk_queue_submit(b.queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(vc4vk_queue_wait_idle(b.queue), VK_SUCCESS);
}

static VkResult results(uint32_t query, uint64_t values[COUNTERS])
{
    return vc4vk_query_pool_results(&b.device, b.pool, query, 1, COUNTERS * sizeof values[0], values,
                                    COUNTERS * sizeof values[0], 0);
}

static void results_need_every_pass(void **state)
{
    uint64_t values[COUNTERS];
    assert_int_equal(vc4vk_performance_pass_count(COUNTERS), 2);
    submit_pass(1, 1);
    assert_int_equal(results(1, values), VK_NOT_READY);
    submit_pass(1, 0);
    memset(values, 0xff, sizeof values);
    assert_int_equal(results(1, values), VK_SUCCESS);
    for (uint32_t i = 0; i < COUNTERS; i++)
        assert_int_equal(values[i], 0); /* no job was issued */
    assert_int_equal(results(0, values), VK_NOT_READY);
    assert_int_equal(results(2, values), VK_NOT_READY);
}

static void a_reset_forgets_passes(void **state)
{
    uint64_t values[COUNTERS];
    submit_pass(2, 0);
    vc4vk_query_pool_reset(&b.device, b.pool, 2, 1);
    submit_pass(2, 1);
    assert_int_equal(results(2, values), VK_NOT_READY);
    submit_pass(2, 0);
    assert_int_equal(results(2, values), VK_SUCCESS);
}

/* Pass indices beyond the pool's passes are invalid usage, but must not access memory outside of the pool. */
static void a_pass_too_many_counts_nothing(void **state)
{
    uint64_t values[COUNTERS];
    submit_pass(0, 2);
    submit_pass(0, UINT32_MAX / KMD_PERFMON_EVENTS + 1);
    assert_int_equal(results(0, values), VK_NOT_READY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_need_every_pass),
        cmocka_unit_test(a_reset_forgets_passes),
        cmocka_unit_test(a_pass_too_many_counts_nothing),
    };
    return cmocka_run_group_tests_name("queue performance", tests, set_up, tear_down);
}
