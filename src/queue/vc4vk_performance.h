/* SPDX-License-Identifier: MIT
 *
 * Performance queries: sums of the chip's counters over the jobs that are issued between a query's begin and end. Every
 * job names one performance monitor of the kernel, which has no more than KMD_PERFMON_EVENTS counters: a pool with more
 * of them takes as many passes, each a submission of the same command buffer.
 *
 * A query has a monitor of its own from its begin to its end. What the CPU does, or the CPU engine, is not counted.
 */
#ifndef VC4VK_PERFORMANCE_H
#define VC4VK_PERFORMANCE_H

#include "queue/vc4vk_query.h"

/* What a query has counted, under the store's lock. */
struct vc4vk_performance_query {
    uint32_t passes;  /* that have ended, a bit for each */
    uint32_t pass;    /* that was begun last; who issues and runs operations has this and the next */
    uint32_t perfmon; /* 0: none, or handed to the kernel again */
};

/* The part of a pool that counts; what it points to lies behind it. */
struct vc4vk_performance {
    uint32_t counter_count, pass_count;
    uint8_t events[KMD_EVENTS]; /* in the order of results; each once */
    struct vc4vk_performance_query *queries;
    uint64_t *values; /* counter_count for each query; under the store's lock */
};

static inline uint32_t vc4vk_performance_pass_count(uint32_t counter_count)
{
    return (counter_count + KMD_PERFMON_EVENTS - 1) / KMD_PERFMON_EVENTS;
}

/* Lets a pool that was made for performance queries count these events. */
VkResult vc4vk_query_pool_set_counters(VkQueryPool pool, const uint8_t *events, uint32_t count,
                                       const VkAllocationCallbacks *alloc);
void vc4vk_performance_reset_locked(struct vc4vk_performance *performance, uint32_t first, uint32_t count);

static inline const uint64_t *vc4vk_performance_values(const struct vc4vk_performance *performance, uint32_t query)
{
    return performance->values + (size_t)query * performance->counter_count;
}

/* Operations of command buffers: as those of vc4vk_query.h. Jobs between the two are counted. */
void vc4vk_cpu_op_init_performance_begin(struct vc4vk_cpu_op *op, struct vc4vk_query_range *query);
void vc4vk_cpu_op_init_performance_end(struct vc4vk_cpu_op *op, struct vc4vk_query_range *query);

#endif
