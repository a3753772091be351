/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "queue/vc4vk_alloc.h"
#include "queue/vc4vk_performance.h"
#include "util/log.h"

/* -- pools -------------------------------------------------------------------------------------------------------- */

VkResult vc4vk_query_pool_set_counters(VkQueryPool _pool, const uint8_t *events, uint32_t count,
                                       const VkAllocationCallbacks *alloc)
{
    VC4VK_FROM_HANDLE(vc4vk_query_pool, pool, _pool);
    struct vc4vk_performance *performance;
    const uint64_t values_B = (uint64_t)pool->count * count * sizeof performance->values[0];
    const uint64_t size_B = sizeof *performance + values_B + (uint64_t)pool->count * sizeof performance->queries[0];
    if (size_B <= SIZE_MAX / 2)
        pool->performance = vc4vk_zalloc(vc4vk_alloc_choose(pool->device->alloc, alloc), (size_t)size_B,
                                         VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    performance = pool->performance;
    if (!performance)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    performance->counter_count = count;
    performance->pass_count = vc4vk_performance_pass_count(count);
    memcpy(performance->events, events, count);
    performance->values = (uint64_t *)(performance + 1);
    performance->queries = (struct vc4vk_performance_query *)((uint8_t *)performance->values + values_B);
    return VK_SUCCESS;
}

_Static_assert(sizeof(struct vc4vk_performance) % sizeof(uint64_t) == 0, "the values that follow are aligned");

void vc4vk_performance_reset_locked(struct vc4vk_performance *performance, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        performance->queries[i].passes = 0;
    memset(performance->values + (size_t)first * performance->counter_count, 0,
           (size_t)count * performance->counter_count * sizeof performance->values[0]);
}

/* -- operations --------------------------------------------------------------------------------------------------- */

/* How many events the pass counts; 0 for a pass that the pool does not have. */
static uint32_t events_of_pass(const struct vc4vk_performance *performance, uint32_t pass)
{
    const uint32_t first = pass * KMD_PERFMON_EVENTS;
    return pass < performance->pass_count ? MIN2(performance->counter_count - first, KMD_PERFMON_EVENTS) : 0;
}

static VkResult prepare_begin(struct vc4vk_context *context, uint32_t pass, void *arguments)
{
    const struct vc4vk_query_range *range = arguments;
    const struct vc4vk_performance *performance = range->pool->performance;
    struct vc4vk_performance_query *query = &performance->queries[range->first];
    const uint32_t count = events_of_pass(performance, pass);
    query->pass = pass;
    query->perfmon = 0;
    if (!count)
        return VK_SUCCESS;
    int err = kmd_perfmon_create(context->scheduler->kmd, performance->events + pass * KMD_PERFMON_EVENTS, count,
                                 &query->perfmon);
    if (err) {
        util_error("performance query: the kernel created no performance monitor: %s", strerror(-err));
        return VK_ERROR_DEVICE_LOST;
    }
    context->perfmon = query->perfmon;
    return VK_SUCCESS;
}

static VkResult prepare_end(struct vc4vk_context *context, uint32_t pass, void *arguments)
{
    context->perfmon = 0;
    return VK_SUCCESS;
}

/* Runs when all counted jobs have finished. */
static VkResult run_end(void *arguments)
{
    const struct vc4vk_query_range *range = arguments;
    struct kmd_device *kmd = range->pool->device->kmd;
    const struct vc4vk_performance *performance = range->pool->performance;
    struct vc4vk_performance_query *query = &performance->queries[range->first];
    const uint32_t count = events_of_pass(performance, query->pass);
    uint64_t values[KMD_PERFMON_EVENTS];
    if (!count || !query->perfmon)
        return VK_SUCCESS;
    int err = kmd_perfmon_get_values(kmd, query->perfmon, values);
    kmd_perfmon_destroy(kmd, query->perfmon);
    query->perfmon = 0;
    if (err)
        return VK_ERROR_DEVICE_LOST;
    struct kmd_store *store = kmd_device_store(kmd);
    pthread_mutex_lock(&store->mutex);
    memcpy(performance->values + (size_t)range->first * performance->counter_count + query->pass * KMD_PERFMON_EVENTS,
           values, count * sizeof values[0]);
    query->passes |= BIT(query->pass);
    range->pool->queries[range->first].is_available = query->passes == BIT(performance->pass_count) - 1;
    pthread_cond_broadcast(&store->cond);
    pthread_mutex_unlock(&store->mutex);
    return VK_SUCCESS;
}

void vc4vk_cpu_op_init_performance_begin(struct vc4vk_cpu_op *op, struct vc4vk_query_range *query)
{
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_HOST, "begin performance query", NULL, query);
    op->prepare = prepare_begin;
}

void vc4vk_cpu_op_init_performance_end(struct vc4vk_cpu_op *op, struct vc4vk_query_range *query)
{
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_HOST, "end performance query", run_end, query);
    op->prepare = prepare_end;
}
