/* SPDX-License-Identifier: MIT
 *
 * The CPU engine and the copy engine: functions on mapped memory. Short commands run on the thread that schedules,
 * which costs no switch of threads. Long ones run on a thread of their ring, so that the scheduler goes on feeding the
 * chip and the other rings; the thread is started when the ring needs it first.
 *
 * The CPU engine runs one command at a time for the whole device: a dispatch uses all processors already.
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

struct vc4vk_worker {
    struct vc4vk_ring *ring;
    pthread_t thread;
    /* Under the store's lock: */
    pthread_cond_t wake;
    struct vc4vk_entry *entry; /* being run, or NULL */
    bool stop;
};

static struct vc4vk_cpu_op *op_of(const struct vc4vk_command *command)
{
    return container_of((struct vc4vk_command *)command, struct vc4vk_cpu_op, command);
}

static bool is_long(const struct vc4vk_command *command)
{
    const uint64_t work_B = op_of(command)->work_B;
    return !work_B || work_B >= LONG_B;
}

static bool is_short(const struct vc4vk_command *command)
{
    /* A long command only wakes a worker, which takes no time on this thread. */
    return is_long(command) || op_of(command)->work_B <= MAX_SHORT_B;
}

static const char *describe(const struct vc4vk_command *command)
{
    return op_of(command)->name;
}

/* -- running ------------------------------------------------------------------------------------------------------ */

/* Without locks. */
static void run(struct vc4vk_ring *ring, struct vc4vk_entry *entry)
{
    struct vc4vk_cpu_op *op = op_of(entry->command);
    struct kmd_device *kmd = ring->context->scheduler->kmd;
    if (util_debug(UTIL_DEBUG_JOBS))
        vc4vk_print_cpu_op(ring->context, entry->value, op);
    vc4vk_inspect_begin_op(ring, entry, op);
    entry->times.started_ns = util_now_ns();
    const VkResult result = op->run(op->arguments);
    entry->times.finished_ns = util_now_ns();
    vc4vk_inspect_end_op(entry);
    if (result != VK_SUCCESS)
        util_error("CPU operation %llu (%s) failed (VkResult %d)", (unsigned long long)entry->value, op->name, result);
    if (result != VK_SUCCESS && !kmd_device_is_lost(kmd))
        kmd_device_set_lost(kmd);
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
        while (!worker->entry && !worker->stop)
            pthread_cond_wait(&worker->wake, &store->mutex);
        if (!worker->entry)
            break;
        vc4vk_scheduler_unlock(store);
        run(ring, worker->entry);
        vc4vk_scheduler_lock(scheduler);
        struct vc4vk_entry *entry = worker->entry;
        worker->entry = NULL;
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

static enum vc4vk_submit_result submit(struct vc4vk_ring *ring, struct vc4vk_entry *entry)
{
    struct vc4vk_scheduler *scheduler = ring->context->scheduler;
    struct vc4vk_job_counts *counts = &scheduler->counts;
    const bool is_for_worker = is_long(entry->command);
    struct vc4vk_worker *worker = ring->worker;
    if (is_for_worker && !worker)
        worker = worker_create(ring);
    struct kmd_store *store = vc4vk_scheduler_lock(scheduler);
    ring->worker = worker;
    ++*(ring->engine->id == VC4VK_ENGINE_CPU ? &counts->cpu : &counts->cpu_ops);
    kmd_timeline_store_start_locked(ring->timeline, entry->value);
    if (is_for_worker && worker) {
        worker->entry = entry;
        pthread_cond_signal(&worker->wake);
        vc4vk_scheduler_unlock(store);
        return VC4VK_SUBMIT_TAKEN;
    }
    vc4vk_scheduler_unlock(store);
    run(ring, entry);
    vc4vk_scheduler_lock(scheduler);
    vc4vk_ring_complete_locked(ring, entry);
    vc4vk_scheduler_unlock(store);
    return VC4VK_SUBMIT_TAKEN;
}

static void cancel(struct vc4vk_ring *ring, struct vc4vk_entry *entry)
{
    struct vc4vk_cpu_op *op = op_of(entry->command);
    if (op->release)
        op->release(op);
    entry->command = NULL;
}

static bool has_free_worker(const struct vc4vk_ring *ring)
{
    return !ring->worker || !ring->worker->entry;
}

static bool cpu_can_take(const struct vc4vk_ring *ring, const struct vc4vk_entry *entry)
{
    return !ring->engine->running || kmd_device_is_lost(ring->context->scheduler->kmd);
}

static bool copy_can_take(const struct vc4vk_ring *ring, const struct vc4vk_entry *entry)
{
    return has_free_worker(ring) || !is_long(entry->command) || kmd_device_is_lost(ring->context->scheduler->kmd);
}

const struct vc4vk_engine_ops vc4vk_cpu_engine = {
    .name = "CPU engine",
    .can_take = cpu_can_take,
    .submit = submit,
    .cancel = cancel,
    .is_short = is_short,
    .describe = describe,
};

const struct vc4vk_engine_ops vc4vk_copy_engine = {
    .name = "copy engine",
    .can_take = copy_can_take,
    .submit = submit,
    .cancel = cancel,
    .is_short = is_short,
    .describe = describe,
};
