/* SPDX-License-Identifier: MIT
 *
 * Query pools. A query's words change under the store's lock when the command that writes them retires, in the order of
 * its queue; readers on the host sleep on the store. Timestamps are taken from the times of items; what occlusion
 * queries have counted is added to their value by operations, until one says that they are available.
 */
#ifndef VC4VK_QUERY_H
#define VC4VK_QUERY_H

#include "queue/vc4vk_queue.h"

struct vc4vk_query {
    uint64_t value; /* a time in ns, CLOCK_MONOTONIC; samples counted so far */
    bool is_available;
};

struct vc4vk_performance;

struct vc4vk_query_pool {
    struct vc4vk_queue_device *device;
    uint32_t count;
    struct vc4vk_performance *performance; /* NULL: other queries than of performance (vc4vk_performance.h) */
    struct vc4vk_query queries[];          /* under the store's lock */
};

VC4VK_DEFINE_HANDLE_CASTS(vc4vk_query_pool, VkQueryPool)

/* Whether the pool has these queries. */
static inline bool vc4vk_query_pool_has(const struct vc4vk_query_pool *pool, uint32_t first, uint32_t count)
{
    return pool && first <= pool->count && count <= pool->count - first;
}

/* VK_ERROR_FEATURE_NOT_PRESENT for types other than timestamps, occlusion and performance, the last without counters.
 */
VkResult vc4vk_query_pool_create(struct vc4vk_queue_device *device, const VkQueryPoolCreateInfo *info,
                                 const VkAllocationCallbacks *alloc, VkQueryPool *pool_out);
void vc4vk_query_pool_destroy(struct vc4vk_queue_device *device, VkQueryPool pool, const VkAllocationCallbacks *alloc);
/* vkResetQueryPool: from the host, now. Queries that the pool does not have are left out. */
void vc4vk_query_pool_reset(struct vc4vk_queue_device *device, VkQueryPool pool, uint32_t first, uint32_t count);
/* vkGetQueryPoolResults; VK_ERROR_UNKNOWN for queries that the pool does not have. What does not fit `data_B` is left
 * out. */
VkResult vc4vk_query_pool_results(struct vc4vk_queue_device *device, VkQueryPool pool, uint32_t first, uint32_t count,
                                  size_t data_B, void *data, uint64_t stride_B, VkQueryResultFlags flags);

/* -- operations of command buffers: the struct and what it points to live as long as the operation ----------------- */

struct vc4vk_query_range {
    struct vc4vk_query_pool *pool;
    uint32_t first, count;
};

void vc4vk_cpu_op_init_query_reset(struct vc4vk_cpu_op *op, struct vc4vk_query_range *range);
/* The queries' values are complete: everything before it on its queue has finished. */
void vc4vk_cpu_op_init_query_available(struct vc4vk_cpu_op *op, struct vc4vk_query_range *range);
/* Adds to the value of a query; takes the store's lock. */
void vc4vk_query_add(const struct vc4vk_query_range *query, uint64_t count);
/* The time at which everything before it on its queue had finished. */
void vc4vk_cpu_op_init_timestamp(struct vc4vk_cpu_op *op, struct vc4vk_query_range *query);

#endif
