/* SPDX-License-Identifier: MIT
 *
 * Starts and stops a device's engines, and waits for them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "engine/vc4vk_engine_private.h"
#include "util/debug.h"
#include "util/log.h"

static int init_context(struct vc4vk_context *context, struct vc4vk_scheduler *scheduler,
                        const struct vc4vk_context_create *create)
{
    *context = (struct vc4vk_context){
        .scheduler = scheduler, .family = create->family, .index = create->index, .priority = create->priority};
    for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++) {
        struct vc4vk_ring *ring = &context->rings[e];
        util_list_init(&ring->pending);
        util_list_init(&ring->running);
        ring->context = context;
        int err = kmd_timeline_create(scheduler->kmd, &ring->timeline);
        if (err)
            return err;
        ring->last_value = ring->retired_value = atomic_load(&ring->timeline->end);
        ring->engine = &scheduler->engines[e];
    }
    return 0;
}

VkResult vc4vk_scheduler_init(struct vc4vk_scheduler *scheduler, struct kmd_device *kmd,
                              struct vc4vk_context *const *contexts, const struct vc4vk_context_create *creates,
                              uint32_t count)
{
    static const struct vc4vk_engine_ops *const engines[] = {[VC4VK_ENGINE_CHIP] = &vc4vk_chip_engine,
                                                             [VC4VK_ENGINE_CPU] = &vc4vk_cpu_engine,
                                                             [VC4VK_ENGINE_COPY] = &vc4vk_copy_engine,
                                                             [VC4VK_ENGINE_HOST] = &vc4vk_host_engine};
    *scheduler = (struct vc4vk_scheduler){.kmd = kmd, .build = {.kmd = kmd}};
    util_list_init(&scheduler->free_entries);
    for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++)
        scheduler->engines[e] =
            (struct vc4vk_engine){.ops = engines[e], .id = (enum vc4vk_engine_id)e, .retry_after = UINT64_MAX};
    if (count > VC4VK_MAX_CONTEXTS)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        scheduler->contexts[scheduler->context_count++] = contexts[i];
        if (init_context(contexts[i], scheduler, &creates[i]))
            result = VK_ERROR_TOO_MANY_OBJECTS;
    }
    vc4vk_trace_init(scheduler);
    scheduler->inspect = inspect_create(kmd_device_is_model(kmd));
    if (result == VK_SUCCESS && util_thread_create(&scheduler->thread, "vc4vk-sched", vc4vk_scheduler_main, scheduler))
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    scheduler->thread_is_running = result == VK_SUCCESS;
    if (result != VK_SUCCESS)
        vc4vk_scheduler_finish(scheduler);
    return result;
}

void vc4vk_scheduler_stop(struct vc4vk_scheduler *scheduler)
{
    if (!scheduler->thread_is_running)
        return;
    kmd_test_hold_retire(scheduler->kmd, false);
    struct kmd_store *store = vc4vk_scheduler_lock(scheduler);
    scheduler->stop = true;
    pthread_cond_broadcast(&store->cond);
    vc4vk_scheduler_unlock(store);
    pthread_join(scheduler->thread, NULL);
    scheduler->thread_is_running = false;
    for (uint32_t i = 0; i < scheduler->context_count; i++)
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++) {
            vc4vk_worker_destroy(scheduler->contexts[i]->rings[e].worker);
            scheduler->contexts[i]->rings[e].worker = NULL;
        }
}

void vc4vk_scheduler_finish(struct vc4vk_scheduler *scheduler)
{
    if (!scheduler->kmd)
        return;
    vc4vk_scheduler_stop(scheduler);
    for (uint32_t i = 0; i < scheduler->context_count; i++)
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++)
            kmd_timeline_destroy(scheduler->contexts[i]->rings[e].timeline);
    const struct vc4vk_job_counts *counts = &scheduler->counts;
    if (util_debug(UTIL_DEBUG_PERF))
        util_info("jobs: %" PRIu64 " native, %" PRIu64 " lowered, %" PRIu64 " CPU; CPU operations: %" PRIu64,
                  counts->native, counts->lowered, counts->cpu, counts->cpu_ops);
    vc4vk_perf_print(scheduler);
    inspect_destroy(scheduler->inspect);
    util_list_for_each_safe(struct vc4vk_entry, entry, &scheduler->free_entries, link)
        free(entry);
    vc4vk_job_build_finish(&scheduler->build);
    *scheduler = (struct vc4vk_scheduler){0};
}

void vc4vk_scheduler_wait_submitted(struct vc4vk_scheduler *scheduler)
{
    if (!scheduler->kmd)
        return;
    struct kmd_store *store = vc4vk_scheduler_lock(scheduler);
    scheduler->submit_waiters++;
    while (scheduler->is_submitting)
        kmd_store_wait_locked(store, UTIL_FOREVER_NS);
    scheduler->submit_waiters--;
    vc4vk_scheduler_unlock(store);
}

bool vc4vk_scheduler_has_drained_locked(const struct vc4vk_scheduler *scheduler)
{
    for (uint32_t i = 0; i < scheduler->context_count; i++)
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++) {
            const struct vc4vk_ring *ring = &scheduler->contexts[i]->rings[e];
            if (!kmd_timeline_is_retired(ring->timeline, ring->last_value))
                return false;
        }
    return true;
}
