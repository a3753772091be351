/* SPDX-License-Identifier: MIT
 *
 * Performance queries: sums of the chip's counters over the jobs that are issued between a query's begin and end. Every
 * job names one performance monitor of the kernel. A monitor has at most KMD_PERFMON_EVENTS counters, so a pool with
 * more counters needs several passes, each a submission of the same command buffer.
 *
 * A query has its own monitor from its begin to its end. Work of the CPU and of the CPU engine is not counted.
 */
#ifndef VC4VK_PERFORMANCE_H
#define VC4VK_PERFORMANCE_H

#include "queue/vc4vk_query.h"

struct vc4vk_performance_query {
    uint32_t passes;  /* a bit for each pass that has ended; under the store's lock */
    uint32_t pass;    /* begun last; this and the next are accessed by the thread that schedules alone */
    uint32_t perfmon; /* the kernel's monitor while the query is active; 0: none */
};

/* The counters of a performance query pool. The arrays it points to follow it in the same allocation. */
struct vc4vk_performance {
    uint32_t counter_count, pass_count;
    uint8_t events[KMD_EVENTS]; /* in the order of results, without duplicates */
    struct vc4vk_performance_query *queries;
    uint64_t *values; /* counter_count for each query; under the store's lock */
};

static inline uint32_t vc4vk_performance_pass_count(uint32_t counter_count)
{
    return (counter_count + KMD_PERFMON_EVENTS - 1) / KMD_PERFMON_EVENTS;
}

/* Sets the counters of a pool created for performance queries. VK_ERROR_OUT_OF_HOST_MEMORY. */
VkResult vc4vk_query_pool_set_counters(VkQueryPool pool, const uint8_t *events, uint32_t count,
                                       const VkAllocationCallbacks *alloc);
void vc4vk_performance_reset_locked(struct vc4vk_performance *performance, uint32_t first, uint32_t count);

static inline const uint64_t *vc4vk_performance_values(const struct vc4vk_performance *performance, uint32_t query)
{
    return performance->values + (size_t)query * performance->counter_count;
}

/* Operations of command buffers, as in vc4vk_query.h. The jobs between the two are counted. */
void vc4vk_cpu_op_init_performance_begin(struct vc4vk_cpu_op *op, struct vc4vk_query_range *query);
void vc4vk_cpu_op_init_performance_end(struct vc4vk_cpu_op *op, struct vc4vk_query_range *query);

#endif
