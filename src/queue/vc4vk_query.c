/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "queue/vc4vk_alloc.h"
#include "queue/vc4vk_performance.h"
#include "queue/vc4vk_query.h"

#define STATISTICS_MASK (BIT(VC4VK_STATISTICS) - 1)

/* The number of words of a result; 0: the type is not supported. */
static uint32_t values_of(const VkQueryPoolCreateInfo *info)
{
    switch ((int)info->queryType) {
    case VK_QUERY_TYPE_TIMESTAMP:
    case VK_QUERY_TYPE_OCCLUSION:
    case VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR:
    case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
    case VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT:
        return 1;
    case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
        return 2;
    case VK_QUERY_TYPE_PIPELINE_STATISTICS:
        return (uint32_t)__builtin_popcount(info->pipelineStatistics & STATISTICS_MASK);
    default:
        return 0;
    }
}

VkResult vc4vk_query_pool_create(struct vc4vk_queue_device *device, const VkQueryPoolCreateInfo *info,
                                 const VkAllocationCallbacks *alloc, VkQueryPool *pool_out)
{
    const uint32_t value_count = values_of(info);
    if (!value_count)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    const bool is_statistics = info->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS;
    const uint64_t statistics_B = is_statistics ? VC4VK_STATISTICS * sizeof(uint64_t) : 0;
    const uint64_t size_B =
        sizeof(struct vc4vk_query_pool) + info->queryCount * (sizeof(struct vc4vk_query) + statistics_B);
    struct vc4vk_query_pool *pool =
        size_B > SIZE_MAX / 2
            ? NULL
            : vc4vk_zalloc(vc4vk_alloc_choose(device->alloc, alloc), (size_t)size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!pool)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pool->device = device;
    pool->count = info->queryCount;
    pool->type = info->queryType;
    pool->value_count = value_count;
    pool->statistics = is_statistics ? info->pipelineStatistics & STATISTICS_MASK : 0;
    pool->statistic_values = is_statistics ? (uint64_t *)(void *)(pool->queries + info->queryCount) : NULL;
    *pool_out = vc4vk_query_pool_to_handle(pool);
    return VK_SUCCESS;
}

void vc4vk_query_pool_destroy(struct vc4vk_queue_device *device, VkQueryPool pool, const VkAllocationCallbacks *alloc)
{
    alloc = vc4vk_alloc_choose(device->alloc, alloc);
    if (pool)
        vc4vk_free(alloc, vc4vk_query_pool_from_handle(pool)->performance);
    vc4vk_free(alloc, vc4vk_query_pool_from_handle(pool));
}

static void reset_locked(struct vc4vk_query_pool *pool, uint32_t first, uint32_t count)
{
    memset(&pool->queries[first], 0, count * sizeof pool->queries[0]);
    if (pool->statistics)
        memset(&pool->statistic_values[(size_t)first * VC4VK_STATISTICS], 0,
               (size_t)count * VC4VK_STATISTICS * sizeof pool->statistic_values[0]);
    if (pool->performance)
        vc4vk_performance_reset_locked(pool->performance, first, count);
}

void vc4vk_query_pool_reset(struct vc4vk_queue_device *device, VkQueryPool _pool, uint32_t first, uint32_t count)
{
    VC4VK_FROM_HANDLE(vc4vk_query_pool, pool, _pool);
    struct kmd_store *store = kmd_device_store(device->kmd);
    if (!vc4vk_query_pool_has(pool, first, count))
        return;
    pthread_mutex_lock(&store->mutex);
    reset_locked(pool, first, count);
    pthread_mutex_unlock(&store->mutex);
}

/* -- results ------------------------------------------------------------------------------------------------------ */

/* Stores word `index` of a result if it fits into `room_B`. */
static void put(uint8_t *result, size_t room_B, uint32_t index, uint64_t value, VkQueryResultFlags flags)
{
    const size_t word_B = flags & VK_QUERY_RESULT_64_BIT ? 8 : 4;
    const uint32_t low = (uint32_t)value;
    if ((index + 1) * word_B > room_B)
        return;
    memcpy(result + index * word_B, word_B == 8 ? (const void *)&value : (const void *)&low, word_B);
}

/* VkPerformanceCounterResultKHR is a union of 8 bytes. */
static void put_counters(const struct vc4vk_performance *performance, uint32_t query, uint8_t *result, size_t room_B)
{
    const uint64_t *values = vc4vk_performance_values(performance, query);
    for (uint32_t i = 0; i < performance->counter_count; i++)
        put(result, room_B, i, values[i], VK_QUERY_RESULT_64_BIT);
}

static void put_statistics(const struct vc4vk_query_pool *pool, uint32_t query, uint8_t *result, size_t room_B,
                           VkQueryResultFlags flags)
{
    const uint64_t *values = &pool->statistic_values[(size_t)query * VC4VK_STATISTICS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < VC4VK_STATISTICS; i++)
        if (pool->statistics & BIT(i))
            put(result, room_B, n++, values[i], flags);
}

static void put_values(const struct vc4vk_query_pool *pool, uint32_t query, uint8_t *result, size_t room_B,
                       VkQueryResultFlags flags)
{
    if (pool->statistics) {
        put_statistics(pool, query, result, room_B, flags);
        return;
    }
    put(result, room_B, 0, pool->queries[query].value, flags);
    if (pool->type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT)
        put(result, room_B, 1, pool->queries[query].needed, flags);
}

/* Sleeps until the query is available or the device lost. */
static void wait_locked(struct vc4vk_queue_device *device, const struct vc4vk_query *query)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    while (!query->is_available && !kmd_device_is_lost(device->kmd))
        kmd_store_wait_locked(store, UTIL_FOREVER_NS);
}

VkResult vc4vk_query_pool_results(struct vc4vk_queue_device *device, VkQueryPool _pool, uint32_t first, uint32_t count,
                                  size_t data_B, void *data, uint64_t stride_B, VkQueryResultFlags flags)
{
    VC4VK_FROM_HANDLE(vc4vk_query_pool, pool, _pool);
    struct kmd_store *store = kmd_device_store(device->kmd);
    VkResult result = VK_SUCCESS;
    if (!vc4vk_query_pool_has(pool, first, count))
        return VK_ERROR_UNKNOWN;
    pthread_mutex_lock(&store->mutex);
    for (uint32_t i = 0; i < count && (!i || stride_B < data_B / i + (data_B % i != 0)); i++) {
        const struct vc4vk_query *query = &pool->queries[first + i];
        if (flags & VK_QUERY_RESULT_WAIT_BIT)
            wait_locked(device, query);
        uint8_t *at = (uint8_t *)data + i * stride_B;
        size_t room_B = data_B - (size_t)(i * stride_B);
        if (query->is_available && pool->performance)
            put_counters(pool->performance, first + i, at, room_B);
        else if (query->is_available || flags & VK_QUERY_RESULT_PARTIAL_BIT)
            put_values(pool, first + i, at, room_B, flags);
        else
            result = VK_NOT_READY;
        if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)
            put(at, room_B, pool->value_count, query->is_available, flags);
    }
    pthread_mutex_unlock(&store->mutex);
    return kmd_device_is_lost(device->kmd) ? VK_ERROR_DEVICE_LOST : result;
}

/* -- operations --------------------------------------------------------------------------------------------------- */

static void observe_reset(void *arguments, uint64_t time_ns)
{
    const struct vc4vk_query_range *range = arguments;
    reset_locked(range->pool, range->first, range->count);
}

static void observe_available(void *arguments, uint64_t time_ns)
{
    const struct vc4vk_query_range *range = arguments;
    for (uint32_t i = 0; i < range->count; i++)
        range->pool->queries[range->first + i].is_available = true;
}

static void observe_timestamp(void *arguments, uint64_t time_ns)
{
    const struct vc4vk_query_range *query = arguments;
    for (uint32_t i = 0; i < query->count; i++)
        query->pool->queries[query->first + i] = (struct vc4vk_query){.value = time_ns, .is_available = true};
}

void vc4vk_cpu_op_init_query_reset(struct vc4vk_cpu_op *op, struct vc4vk_query_range *range)
{
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_HOST, "reset queries", NULL, range);
    op->observe = observe_reset;
}

void vc4vk_cpu_op_init_query_available(struct vc4vk_cpu_op *op, struct vc4vk_query_range *range)
{
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_HOST, "query available", NULL, range);
    op->observe = observe_available;
}

void vc4vk_query_add(const struct vc4vk_query_range *query, uint64_t count)
{
    struct kmd_store *store = kmd_device_store(query->pool->device->kmd);
    pthread_mutex_lock(&store->mutex);
    query->pool->queries[query->first].value += count;
    pthread_mutex_unlock(&store->mutex);
}

void vc4vk_query_add_primitives(const struct vc4vk_query_range *query, uint64_t written, uint64_t needed)
{
    struct kmd_store *store = kmd_device_store(query->pool->device->kmd);
    pthread_mutex_lock(&store->mutex);
    query->pool->queries[query->first].value += written;
    query->pool->queries[query->first].needed += needed;
    pthread_mutex_unlock(&store->mutex);
}

void vc4vk_query_add_statistics(const struct vc4vk_query_range *query, const uint64_t values[VC4VK_STATISTICS])
{
    struct kmd_store *store = kmd_device_store(query->pool->device->kmd);
    uint64_t *to = &query->pool->statistic_values[(size_t)query->first * VC4VK_STATISTICS];
    pthread_mutex_lock(&store->mutex);
    for (uint32_t i = 0; i < VC4VK_STATISTICS; i++)
        to[i] += values[i];
    pthread_mutex_unlock(&store->mutex);
}

void vc4vk_cpu_op_init_timestamp(struct vc4vk_cpu_op *op, struct vc4vk_query_range *query)
{
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_HOST, "timestamp", NULL, query);
    op->observe = observe_timestamp;
}
