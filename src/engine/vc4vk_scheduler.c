/* SPDX-License-Identifier: MIT
 *
 * The scheduler: hands entries whose waits have passed to their engines, and removes entries that have retired.
 *
 * It does one thing at a time and then starts over. First it submits a command of the host engine, so that timestamps
 * are taken as soon as their time is known. Otherwise it removes the entry that has finished earliest. Otherwise it
 * submits the next entry, contexts of the highest priority first. It sleeps on the memory store, so that submissions,
 * end-of-pipe words and host events all wake it. It holds no lock while it calls an engine.
 *
 * On a lost device nothing is submitted any more: pending entries are cancelled, and entries that an engine has retire
 * when the engine completes them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "engine/vc4vk_engine_private.h"
#include "util/debug.h"
#include "util/log.h"

/* A ring that was passed over so often, although its next entry was ready, goes first once. */
#define MAX_PASSED_OVER 16
/* A submission of more entries than this would keep the application's thread from its own work. */
#define MAX_DIRECT_ENTRIES 8

/* -- retiring ----------------------------------------------------------------------------------------------------- */

/* Prints the first job that retires from a lost device: the one that hung. */
static void report_hang_locked(const struct vc4vk_ring *ring, const struct vc4vk_entry *entry)
{
    struct vc4vk_scheduler *scheduler = ring->context->scheduler;
    if (!entry->kept || !kmd_device_is_lost(scheduler->kmd) || scheduler->has_reported_hang)
        return;
    scheduler->has_reported_hang = true;
    vc4vk_print_kept_job(ring->context, entry->value, entry->kept);
}

static void retire_locked(struct vc4vk_ring *ring, struct vc4vk_entry *entry)
{
    struct vc4vk_context *context = ring->context;
    report_hang_locked(ring, entry);
    vc4vk_record_hang_locked(ring, entry);
    free(entry->kept);
    inspect_frame_put(entry->frame);
    entry->times.retired_ns = util_now_ns();
    if (!entry->observes && ring->engine->id != VC4VK_ENGINE_HOST)
        context->last_command_times = entry->times;
    ring->retired_value = entry->value;
    ring->finished_ns = MAX2(ring->finished_ns, entry->times.finished_ns);
    ring->running_count--;
    ring->engine->running--;
    ring->engine->retired++;
    context->scheduler->running_count--;
    vc4vk_trace_entry_locked(ring, entry);
    vc4vk_perf_entry_locked(ring, entry);
    util_list_del(&entry->link);
    util_list_add_tail(&context->scheduler->free_entries, &entry->link);
}

/* The oldest entry that the ring's engine has, if its word is stored; otherwise NULL. */
static struct vc4vk_entry *first_retired_locked(struct vc4vk_ring *ring)
{
    if (util_list_is_empty(&ring->running))
        return NULL;
    struct vc4vk_entry *entry = util_list_first(&ring->running, struct vc4vk_entry, link);
    if (entry->is_complete && ring->timeline->pending_end < entry->value)
        vc4vk_ring_complete_locked(ring, entry); /* the kernel has stored the word of the entry before meanwhile */
    if (!kmd_timeline_is_retired(ring->timeline, entry->value))
        return NULL;
    if (entry->is_on_chip) {
        if (!entry->times.started_ns)
            entry->times.started_ns = entry->job_times.started_ns;
        entry->times.finished_ns = entry->job_times.finished_ns;
    }
    return entry;
}

/* Removes the entry that has finished earliest. False: none has. */
static bool retire_earliest_locked(struct vc4vk_scheduler *scheduler)
{
    struct vc4vk_entry *earliest = NULL;
    struct vc4vk_ring *ring = NULL;
    for (uint32_t i = 0; i < scheduler->context_count && scheduler->running_count; i++) {
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++) {
            struct vc4vk_ring *other = &scheduler->contexts[i]->rings[e];
            struct vc4vk_entry *entry = first_retired_locked(other);
            if (entry && (!earliest || entry->times.finished_ns < earliest->times.finished_ns)) {
                earliest = entry;
                ring = other;
            }
        }
    }
    if (earliest)
        retire_locked(ring, earliest);
    return earliest != NULL;
}

/* -- submission to engines ---------------------------------------------------------------------------------------- */

static bool have_waits_passed_locked(const struct vc4vk_context *context, const struct vc4vk_entry *entry)
{
    for (uint32_t i = 0; i < VC4VK_ENGINE_COUNT; i++)
        if (entry->waits[i] > context->rings[i].retired_value)
            return false;
    return true;
}

/* The oldest pending entry if it may be submitted, or on a lost device cancelled; otherwise NULL. */
static struct vc4vk_entry *first_ready_locked(const struct vc4vk_ring *ring)
{
    if (util_list_is_empty(&ring->pending))
        return NULL;
    struct vc4vk_entry *entry = util_list_first(&ring->pending, struct vc4vk_entry, link);
    const bool is_lost = kmd_device_is_lost(ring->context->scheduler->kmd);
    if (!is_lost && !have_waits_passed_locked(ring->context, entry))
        return NULL;
    return ring->engine->ops->can_take(ring, entry) ? entry : NULL;
}

/* Drops the lock while it calls the engine. */
static void submit_locked(struct vc4vk_ring *ring, struct vc4vk_entry *entry)
{
    struct vc4vk_scheduler *scheduler = ring->context->scheduler;
    struct kmd_store *store = kmd_device_store(scheduler->kmd);
    const bool is_lost = kmd_device_is_lost(scheduler->kmd);
    enum vc4vk_submit_result result = VC4VK_SUBMIT_FAILED;
    /* An engine may finish the entry before `submit` returns, but no other thread removes it meanwhile. */
    util_list_del(&entry->link);
    util_list_add_tail(&ring->running, &entry->link);
    ring->running_count++;
    ring->engine->running++;
    scheduler->pending_count--;
    scheduler->running_count++;
    scheduler->is_submitting = true;
    pthread_mutex_unlock(&store->mutex);
    entry->times.submitted_ns = util_now_ns();
    if (is_lost)
        ring->engine->ops->cancel(ring, entry);
    else
        result = ring->engine->ops->submit(ring, entry);
    if (result == VC4VK_SUBMIT_FAILED && !is_lost)
        kmd_device_set_lost(scheduler->kmd);
    pthread_mutex_lock(&store->mutex);
    if (result == VC4VK_SUBMIT_FAILED && !is_lost)
        vc4vk_record_fault_locked(ring, entry, VC4VK_FAULT_REFUSED);
    scheduler->is_submitting = false;
    if (result == VC4VK_SUBMIT_AGAIN) {
        util_list_del(&entry->link);
        util_list_add_head(&ring->pending, &entry->link);
        ring->running_count--;
        ring->engine->running--;
        scheduler->pending_count++;
        scheduler->running_count--;
    } else if (result == VC4VK_SUBMIT_FAILED) {
        vc4vk_ring_complete_locked(ring, entry);
    }
    if (scheduler->submit_waiters)
        pthread_cond_broadcast(&store->cond);
}

/* A ring of the host engine whose next entry is ready, with that entry; otherwise NULL. */
static struct vc4vk_ring *ready_host_ring_locked(const struct vc4vk_scheduler *scheduler, struct vc4vk_entry **out)
{
    for (uint32_t i = 0; i < scheduler->context_count && scheduler->pending_count; i++) {
        struct vc4vk_ring *ring = &scheduler->contexts[i]->rings[VC4VK_ENGINE_HOST];
        *out = first_ready_locked(ring);
        if (*out)
            return ring;
    }
    return NULL;
}

/* Whether to submit from `ring` before `other`; both have a ready entry. */
static bool goes_before(const struct vc4vk_ring *ring, const struct vc4vk_ring *other)
{
    const bool is_starved = ring->passed_over >= MAX_PASSED_OVER,
               is_other_starved = other->passed_over >= MAX_PASSED_OVER;
    if (is_starved != is_other_starved)
        return is_starved;
    if (!is_starved && ring->context->priority != other->context->priority)
        return ring->context->priority > other->context->priority;
    return ring->turn < other->turn;
}

/* Chooses the ring to submit from. Of the rings with a ready entry it takes one that was passed over too often, else
 * the one of the highest priority; of equals the one that has waited for its turn longest. */
static struct vc4vk_ring *choose_ring_locked(struct vc4vk_scheduler *scheduler, struct vc4vk_entry **entry_out)
{
    static const enum vc4vk_engine_id engines[] = {VC4VK_ENGINE_CPU, VC4VK_ENGINE_COPY, VC4VK_ENGINE_CHIP};
    struct vc4vk_ring *ready[VC4VK_MAX_CONTEXTS * ARRAY_SIZE(engines)], *chosen = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scheduler->context_count; i++) {
        for (uint32_t e = 0; e < ARRAY_SIZE(engines); e++) {
            struct vc4vk_ring *ring = &scheduler->contexts[i]->rings[engines[e]];
            struct vc4vk_entry *entry = first_ready_locked(ring);
            if (!entry)
                continue;
            ready[count++] = ring;
            if (!chosen || goes_before(ring, chosen)) {
                chosen = ring;
                *entry_out = entry;
            }
        }
    }
    for (uint32_t i = 0; i < count; i++)
        ready[i]->passed_over = ready[i] == chosen ? 0 : ready[i]->passed_over + 1;
    if (chosen)
        chosen->turn = ++scheduler->turns;
    return chosen;
}

/* Does one step. False: there is nothing to do. */
static bool step_locked(struct vc4vk_scheduler *scheduler)
{
    struct vc4vk_entry *entry = NULL;
    struct vc4vk_ring *ring = ready_host_ring_locked(scheduler, &entry);
    if (!ring && retire_earliest_locked(scheduler))
        return true;
    if (!ring && scheduler->pending_count)
        ring = choose_ring_locked(scheduler, &entry);
    if (ring)
        submit_locked(ring, entry);
    return ring != NULL;
}

/* -- the thread --------------------------------------------------------------------------------------------------- */

static bool is_idle_locked(const struct vc4vk_scheduler *scheduler)
{
    return !scheduler->pending_count && !scheduler->running_count;
}

/* Schedules until nothing can be done, unless another thread already does. Returns whether anything was done. */
static bool schedule_locked(struct vc4vk_scheduler *scheduler, uint32_t max_steps)
{
    bool has_worked = false;
    if (scheduler->is_scheduling)
        return false;
    scheduler->is_scheduling = true;
    for (uint32_t i = 0; i < max_steps && step_locked(scheduler); i++)
        has_worked = true;
    scheduler->is_scheduling = false;
    return has_worked;
}

void *vc4vk_scheduler_main(void *arg)
{
    struct vc4vk_scheduler *scheduler = arg;
    struct kmd_store *store = vc4vk_scheduler_lock(scheduler);
    for (;;) {
        schedule_locked(scheduler, UINT32_MAX);
        if (scheduler->stop && is_idle_locked(scheduler))
            break;
        vc4vk_scheduler_unlock(store);
        const uint64_t trim_ns = kmd_bo_cache_trim(scheduler->kmd);
        vc4vk_scheduler_lock(scheduler);
        if (schedule_locked(scheduler, UINT32_MAX)) /* there may be new work since the lock was dropped */
            continue;
        if (scheduler->stop && is_idle_locked(scheduler))
            break;
        scheduler->sleeps_without_timeout = trim_ns == UTIL_FOREVER_NS;
        scheduler->is_asleep = true;
        util_cond_wait_until(&store->cond, &store->mutex, trim_ns);
        scheduler->is_asleep = false;
    }
    vc4vk_scheduler_unlock(store);
    return NULL;
}

/* -- on the thread that submits ----------------------------------------------------------------------------------- */

bool vc4vk_scheduler_is_idle_locked(const struct vc4vk_scheduler *scheduler)
{
    return !scheduler->is_scheduling && is_idle_locked(scheduler);
}

/* Whether something can be done now. */
static bool has_work_locked(const struct vc4vk_scheduler *scheduler)
{
    for (uint32_t i = 0; i < scheduler->context_count && !is_idle_locked(scheduler); i++)
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++) {
            struct vc4vk_ring *ring = &scheduler->contexts[i]->rings[e];
            if (first_ready_locked(ring) || first_retired_locked(ring))
                return true;
        }
    return false;
}

static bool is_little_locked(const struct vc4vk_context *context)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++) {
        const struct vc4vk_ring *ring = &context->rings[e];
        util_list_for_each(struct vc4vk_entry, entry, &ring->pending, link)
            if (++count > MAX_DIRECT_ENTRIES || !ring->engine->ops->is_short(entry->command))
                return false;
    }
    return count > 0;
}

void vc4vk_scheduler_kick_locked(struct vc4vk_context *context, bool was_idle)
{
    struct vc4vk_scheduler *scheduler = context->scheduler;
    struct kmd_store *store = kmd_device_store(scheduler->kmd);
    struct util_log_call *call = util_log_call_suspend(); /* the work may be of other calls */
    const bool is_direct = was_idle && is_little_locked(context);
    if (is_direct)
        schedule_locked(scheduler, 2 * MAX_DIRECT_ENTRIES);
    util_log_call_resume(call);
    /* Only the scheduler's thread trims the BO cache: it must not sleep without a timeout unless the cache is empty. */
    if (!is_direct || store->general_waiters || has_work_locked(scheduler) ||
        (scheduler->sleeps_without_timeout && !kmd_bo_cache_is_empty(scheduler->kmd)))
        pthread_cond_broadcast(&store->cond);
}

/* -- on the threads of engines ------------------------------------------------------------------------------------ */

void vc4vk_scheduler_completed_locked(struct vc4vk_scheduler *scheduler)
{
    if (scheduler->is_scheduling) /* that thread looks again before it stops */
        return;
    /* As in step_locked(), a timestamp is taken before what comes after it is removed. */
    for (struct vc4vk_entry *entry; !ready_host_ring_locked(scheduler, &entry) && retire_earliest_locked(scheduler);)
        ;
    if (!scheduler->is_asleep)
        return;
    if (scheduler->stop || has_work_locked(scheduler) ||
        (scheduler->sleeps_without_timeout && !kmd_bo_cache_is_empty(scheduler->kmd))) {
        scheduler->is_asleep = false; /* once is enough: it may take a while until it runs */
        pthread_cond_broadcast(&kmd_device_store(scheduler->kmd)->cond);
    }
}
