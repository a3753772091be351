/* SPDX-License-Identifier: MIT
 *
 * The CPU engine and the copy engine: functions on mapped memory. Short commands run on the thread that schedules,
 * which costs no switch of threads. Long ones run on a thread of their ring, so that the scheduler goes on feeding the
 * chip and the other rings; the thread is started when the ring needs it first. It is handed several entries ahead, so
 * that it goes from one to the next without waking the scheduler.
 *
 * Dispatches of several queues take turns: a dispatch uses all processors already (model_engine_run).
 */
#include <errno.h>
#include <stdlib.h>
#include "engine/vc4vk_engine_private.h"
#include "util/debug.h"
#include "util/log.h"

/* Below this size a copy is cheaper than waking another thread. */
#define LONG_B (UINT64_C(128) << 10)
/* A longer copy would keep the application's thread from its own work. */
#define MAX_SHORT_B (UINT64_C(16) << 10)

/* Entries that a ring's thread may have at a time: enough that it need not wait for the scheduler between two of them.
 */
#define MAX_QUEUED 64u

struct vc4vk_worker {
    struct vc4vk_ring *ring;
    pthread_t thread;
    /* Under the store's lock: */
    pthread_cond_t wake;
    struct vc4vk_entry *queue[MAX_QUEUED]; /* from `first` on, modulo its size; the first one is being run */
    uint32_t first, count;
    bool is_full; /* no more are taken before half of them have run, so that the scheduler is not woken for each */
    bool stop;
};

static bool is_long(const struct vc4vk_command *command)
{
    const uint64_t work_B = vc4vk_cpu_op_of(command)->work_B;
    return !work_B || work_B >= LONG_B;
}

static bool is_short(const struct vc4vk_command *command)
{
    /* A long command only wakes a worker, which takes no time on this thread. */
    return is_long(command) || vc4vk_cpu_op_of(command)->work_B <= MAX_SHORT_B;
}

/* -- running ------------------------------------------------------------------------------------------------------ */

/* Without locks. `now_ns` is the time. */
static void run(struct vc4vk_ring *ring, struct vc4vk_entry *entry, uint64_t now_ns)
{
    struct vc4vk_cpu_op *op = vc4vk_cpu_op_of(entry->command);
    struct kmd_device *kmd = ring->context->scheduler->kmd;
    if (kmd_device_is_lost(kmd)) { /* since it was handed over */
        vc4vk_cpu_op_cancel(ring, entry);
        return;
    }
    if (util_debug(UTIL_DEBUG_JOBS))
        vc4vk_print_cpu_op(ring->context, entry->value, op);
    vc4vk_inspect_begin_op(ring, entry, op);
    entry->times.started_ns = now_ns;
    const VkResult result = op->run(op->arguments);
    entry->times.finished_ns = util_now_ns();
    vc4vk_inspect_end_op(entry);
    if (result != VK_SUCCESS)
        util_error("CPU operation %llu (%s) failed (VkResult %d)", (unsigned long long)entry->value, op->name, result);
    if (result != VK_SUCCESS && !kmd_device_is_lost(kmd)) {
        struct kmd_store *store = vc4vk_scheduler_lock(ring->context->scheduler);
        vc4vk_record_fault_locked(ring, entry, VC4VK_FAULT_FAILED);
        vc4vk_scheduler_unlock(store);
        kmd_device_set_lost(kmd);
    }
    if (op->release)
        op->release(op);
    entry->command = NULL;
}

static void *worker_main(void *arg)
{
    struct vc4vk_worker *worker = arg;
    struct vc4vk_ring *ring = worker->ring;
    struct vc4vk_scheduler *scheduler = ring->context->scheduler;
    struct kmd_store *store = vc4vk_scheduler_lock(scheduler);
    for (;;) {
        while (!worker->count && !worker->stop)
            pthread_cond_wait(&worker->wake, &store->mutex);
        if (!worker->count)
            break;
        struct vc4vk_entry *entry = worker->queue[worker->first];
        kmd_timeline_store_start_locked(ring->timeline, entry->value);
        vc4vk_scheduler_unlock(store);
        run(ring, entry, util_now_ns());
        vc4vk_scheduler_lock(scheduler);
        worker->first = (worker->first + 1) % MAX_QUEUED;
        worker->count--;
        worker->is_full &= worker->count > MAX_QUEUED / 2;
        vc4vk_ring_complete_locked(ring, entry);
        vc4vk_scheduler_completed_locked(scheduler);
    }
    vc4vk_scheduler_unlock(store);
    return NULL;
}

/* NULL without memory or a thread. */
static struct vc4vk_worker *worker_create(struct vc4vk_ring *ring)
{
    struct vc4vk_worker *worker = malloc(sizeof *worker);
    if (!worker)
        return NULL;
    *worker = (struct vc4vk_worker){.ring = ring};
    if (pthread_cond_init(&worker->wake, NULL))
        goto fail;
    if (util_thread_create(&worker->thread, ring->engine->id == VC4VK_ENGINE_CPU ? "vc4vk-cpu" : "vc4vk-copy",
                           worker_main, worker))
        goto fail_cond;
    return worker;

fail_cond:
    pthread_cond_destroy(&worker->wake);
fail:
    free(worker);
    return NULL;
}

void vc4vk_worker_destroy(struct vc4vk_worker *worker)
{
    if (!worker)
        return;
    struct kmd_store *store = vc4vk_scheduler_lock(worker->ring->context->scheduler);
    worker->stop = true;
    pthread_cond_signal(&worker->wake);
    vc4vk_scheduler_unlock(store);
    pthread_join(worker->thread, NULL);
    pthread_cond_destroy(&worker->wake);
    free(worker);
}

/* -- the engines -------------------------------------------------------------------------------------------------- */

static void count_locked(const struct vc4vk_ring *ring)
{
    struct vc4vk_job_counts *counts = &ring->context->scheduler->counts;
    ++*(ring->engine->id == VC4VK_ENGINE_CPU ? &counts->cpu : &counts->cpu_ops);
}

/* Hands the entry to the ring's thread if it is long, or must wait for what that thread has: entries of a ring run one
 * after another. False: it is to run on this thread, also because no other can be had. */
static bool hand_over(struct vc4vk_ring *ring, struct vc4vk_entry *entry)
{
    struct vc4vk_scheduler *scheduler = ring->context->scheduler;
    const bool is_for_worker = is_long(entry->command);
    struct vc4vk_worker *worker = ring->worker ? ring->worker : is_for_worker ? worker_create(ring) : NULL;
    if (!worker)
        return false;
    struct kmd_store *store = vc4vk_scheduler_lock(scheduler);
    const bool hands_over = is_for_worker || worker->count;
    ring->worker = worker;
    if (hands_over) {
        count_locked(ring);
        worker->queue[(worker->first + worker->count++) % MAX_QUEUED] = entry;
        worker->is_full = worker->count == MAX_QUEUED;
        if (worker->count == 1)
            pthread_cond_signal(&worker->wake);
    }
    vc4vk_scheduler_unlock(store);
    return hands_over;
}

static enum vc4vk_submit_result submit(struct vc4vk_ring *ring, struct vc4vk_entry *entry)
{
    if (hand_over(ring, entry))
        return VC4VK_SUBMIT_TAKEN;
    if (is_long(entry->command))
        kmd_timeline_store_start(ring->timeline, entry->value);
    run(ring, entry, entry->times.submitted_ns);
    struct kmd_store *store = vc4vk_scheduler_lock(ring->context->scheduler);
    count_locked(ring);
    vc4vk_ring_complete_locked(ring, entry);
    vc4vk_scheduler_unlock(store);
    return VC4VK_SUBMIT_TAKEN;
}

static bool can_take(const struct vc4vk_ring *ring, const struct vc4vk_entry *entry)
{
    return !ring->worker || !ring->worker->is_full || kmd_device_is_lost(ring->context->scheduler->kmd);
}

const struct vc4vk_engine_ops vc4vk_cpu_engine = {
    .name = "CPU engine",
    .can_take = can_take,
    .submit = submit,
    .cancel = vc4vk_cpu_op_cancel,
    .is_short = is_short,
    .describe = vc4vk_cpu_op_describe,
};

const struct vc4vk_engine_ops vc4vk_copy_engine = {
    .name = "copy engine",
    .can_take = can_take,
    .submit = submit,
    .cancel = vc4vk_cpu_op_cancel,
    .is_short = is_short,
    .describe = vc4vk_cpu_op_describe,
};
