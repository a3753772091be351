/* SPDX-License-Identifier: MIT
 *
 * Query pools. Commands change a query under the store's lock, in the order of their queue; host readers sleep on the
 * store. A timestamp is the time at which everything before it on its queue had finished. Operations add the samples
 * that an occlusion query has counted to its value, until another operation marks the query as available. Queries of
 * primitives and pipeline statistics are added to by the jobs and dispatches that they count (struct vc4vk_counted).
 */
#ifndef VC4VK_QUERY_H
#define VC4VK_QUERY_H

#include "queue/vc4vk_queue.h"

struct vc4vk_query {
    uint64_t value;  /* timestamp: a time in ns, CLOCK_MONOTONIC; occlusion: the samples counted so far; transform
                      * feedback: the primitives written; primitives generated: their number */
    uint64_t needed; /* transform feedback: the primitives that were to be written */
    bool is_available;
};

struct vc4vk_performance;

/* ORDER: as the bits of VkQueryPipelineStatisticFlags. */
enum vc4vk_statistic {
    VC4VK_STATISTIC_VERTICES,
    VC4VK_STATISTIC_PRIMITIVES,
    VC4VK_STATISTIC_VERTEX_RUNS,
    VC4VK_STATISTIC_GEOMETRY_RUNS,
    VC4VK_STATISTIC_GEOMETRY_PRIMITIVES,
    VC4VK_STATISTIC_CLIPPING_RUNS,
    VC4VK_STATISTIC_CLIPPED_PRIMITIVES,
    VC4VK_STATISTIC_FRAGMENT_RUNS,
    VC4VK_STATISTIC_PATCHES,
    VC4VK_STATISTIC_EVALUATION_RUNS,
    VC4VK_STATISTIC_COMPUTE_RUNS,
    VC4VK_STATISTIC_TASK_RUNS,
    VC4VK_STATISTIC_MESH_RUNS,
    VC4VK_STATISTICS
};

struct vc4vk_query_pool {
    struct vc4vk_queue_device *device;
    uint32_t count;
    vc4vk_private_number private_number;
    VkQueryType type;
    uint32_t value_count;                  /* words of a result; not of performance queries */
    uint32_t statistics;                   /* VkQueryPipelineStatisticFlags; 0: another type */
    uint64_t *statistic_values;            /* VC4VK_STATISTICS for each query of that type; behind `queries` */
    struct vc4vk_performance *performance; /* NULL: not a pool of performance queries (vc4vk_performance.h) */
    struct vc4vk_query queries[];          /* under the store's lock */
};

VC4VK_DEFINE_HANDLE_CASTS(vc4vk_query_pool, VkQueryPool)

/* Whether the pool has these queries. */
static inline bool vc4vk_query_pool_has(const struct vc4vk_query_pool *pool, uint32_t first, uint32_t count)
{
    return pool && first <= pool->count && count <= pool->count - first;
}

/* Whether the pool's queries are struct vc4vk_counted's. */
static inline bool vc4vk_query_pool_counts(const struct vc4vk_query_pool *pool)
{
    return pool->statistics || pool->type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT ||
           pool->type == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT ||
           pool->type == VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT;
}

/* Creates a pool of queries of any type that the driver has, else VK_ERROR_FEATURE_NOT_PRESENT. A performance pool has
 * no counters until vc4vk_query_pool_set_counters. */
VkResult vc4vk_query_pool_create(struct vc4vk_queue_device *device, const VkQueryPoolCreateInfo *info,
                                 const VkAllocationCallbacks *alloc, VkQueryPool *pool_out);
void vc4vk_query_pool_destroy(struct vc4vk_queue_device *device, VkQueryPool pool, const VkAllocationCallbacks *alloc);
/* vkResetQueryPool: a reset by the host, at once. Does nothing when the range exceeds the pool. */
void vc4vk_query_pool_reset(struct vc4vk_queue_device *device, VkQueryPool pool, uint32_t first, uint32_t count);
/* vkGetQueryPoolResults; VK_ERROR_UNKNOWN when the range exceeds the pool. Writes nothing beyond `data_B`. */
VkResult vc4vk_query_pool_results(struct vc4vk_queue_device *device, VkQueryPool pool, uint32_t first, uint32_t count,
                                  size_t data_B, void *data, uint64_t stride_B, VkQueryResultFlags flags);

/* -- operations of command buffers: the struct and what it points to live as long as the operation ----------------- */

struct vc4vk_query_range {
    struct vc4vk_query_pool *pool;
    uint32_t first, count;
};

void vc4vk_cpu_op_init_query_reset(struct vc4vk_cpu_op *op, struct vc4vk_query_range *range);
/* Marks the queries as available: everything before the operation on its queue has finished. */
void vc4vk_cpu_op_init_query_available(struct vc4vk_cpu_op *op, struct vc4vk_query_range *range);
/* Adds to the value of a query; takes the store's lock. */
void vc4vk_query_add(const struct vc4vk_query_range *query, uint64_t count);
void vc4vk_query_add_primitives(const struct vc4vk_query_range *query, uint64_t written, uint64_t needed);
void vc4vk_query_add_statistics(const struct vc4vk_query_range *query, const uint64_t values[VC4VK_STATISTICS]);
/* Writes the time at which everything before the operation on its queue had finished. */
void vc4vk_cpu_op_init_timestamp(struct vc4vk_cpu_op *op, struct vc4vk_query_range *query);

#endif
