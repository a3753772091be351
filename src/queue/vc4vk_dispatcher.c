/* SPDX-License-Identifier: MIT
 *
 * The dispatcher: one thread per device that issues the items of all queues, retires them in order and returns what
 * they held. It sleeps on the memory store, so that new submissions, words of the device and host events all wake it.
 *
 * A thread that submits a little work to an idle device does the same itself (vc4vk_dispatch_or_wake_locked): to wake
 * another thread takes longer than the work, and much longer when the processors are busy. So does a worker that has
 * finished an operation, for its own queue alone and while no other queue has work. One thread at a time dispatches.
 *
 * Long operations are started by three threads: the one that dispatches, the worker that has just become free, and the
 * one that submits. The last two do not wait for the first, which may be building another queue's job: a worker is
 * never idle while one of its operations may go.
 *
 * A job is built, submitted and forgotten: the backend stores its word when it finishes. Jobs without needs_idle follow
 * each other without a pause. Syncs, markers and CPU operations have no one else to store their word, so the dispatcher
 * does, as soon as all before them has retired; and that of a job which may finish before an earlier CPU operation.
 * Where no barrier stands between them, jobs and the operations of a worker run beside each other. On a lost device
 * nothing is issued any more: what waits retires without having run, what the device has retires when the backend says
 * so.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "queue/vc4vk_item.h"
#include "queue/vc4vk_semaphore.h"
#include "util/debug.h"
#include "util/log.h"

/* Enough to keep the device busy; each holds kernel memory for its lists. */
#define MAX_JOBS_IN_FLIGHT 32
/* Of queues that are not of the highest priority: what the device has already, nothing can overtake. */
#define MAX_LOW_JOBS_IN_FLIGHT 3
/* A queue that could have gone so often goes first once. */
#define MAX_PASSED_OVER 16

static void lock(struct vc4vk_queue_device *device)
{
    pthread_mutex_lock(&kmd_device_store(device->kmd)->mutex);
}

static void unlock(struct vc4vk_queue_device *device)
{
    pthread_mutex_unlock(&kmd_device_store(device->kmd)->mutex);
}

/* -- retiring ----------------------------------------------------------------------------------------------------- */

static bool has_finished_locked(const struct vc4vk_queue *queue, const struct vc4vk_item *item)
{
    switch (item->finish) {
    case VC4VK_FINISH_AT_ONCE:
        return true;
    case VC4VK_FINISH_BY_WORD:
        return kmd_timeline_is_retired(queue->timeline, item->value);
    case VC4VK_FINISH_BY_TIME:
        return item->job_times.finished_ns != 0;
    case VC4VK_FINISH_BY_WORKER:
        break;
    }
    return false;
}

/* The device was lost while it had this job, the first of those that nobody has told of. */
static void report_hang_locked(struct vc4vk_queue *queue, const struct vc4vk_item *item)
{
    if (!item->kept || !kmd_device_is_lost(queue->device->kmd) || queue->device->has_reported_hang)
        return;
    queue->device->has_reported_hang = true;
    vc4vk_print_kept_job(queue, item->value, item->kept);
}

static void retire_item_locked(struct vc4vk_queue *queue, struct vc4vk_item *item)
{
    if (item->is_on_device) {
        if (!item->times.started_ns)
            item->times.started_ns = item->job_times.started_ns;
        item->times.finished_ns = item->job_times.finished_ns;
        queue->jobs_in_flight--;
    }
    free(item->kept);
    inspect_frame_put(item->frame);
    item->frame = NULL;
    item->times.retired_ns = util_now_ns();
    if (item->kind == VC4VK_ITEM_COMMAND && !item->retire_op)
        queue->last_command_times = item->times;
    vc4vk_trace_item_locked(queue, item);
    vc4vk_perf_item_locked(queue->device, item);
    vc4vk_external_unref(item->wait.external);
    vc4vk_external_unref(item->signal);
    util_list_del(&item->link);
    util_list_add_tail(&queue->device->free_items, &item->link);
}

/* Retires what can be, oldest first. Whether anything changed. */
static bool retire_locked(struct vc4vk_queue *queue)
{
    bool changed = false;
    util_list_for_each_safe (struct vc4vk_item, item, &queue->issued, link) {
        if (!has_finished_locked(queue, item))
            break;
        report_hang_locked(queue, item);
        if (item->finish != VC4VK_FINISH_BY_WORD && !item->is_stored) {
            /* Everything before it has retired, or the loop would have ended. */
            item->is_stored = true;
            if (item->signal)
                vc4vk_external_signal(item->signal, item->signal_value);
            if (item->retire_op)
                item->retire_op->retire(item->retire_op->arguments,
                                        MAX2(item->times.submitted_ns, queue->last_command_times.finished_ns));
            kmd_timeline_store_start_locked(queue->timeline, item->value);
            kmd_timeline_store_end_locked(queue->timeline, item->value);
            kmd_timeline_wake_locked(queue->timeline); /* the dispatcher knows */
        }
        if (!kmd_timeline_is_retired(queue->timeline, item->value)) /* held back by a test */
            break;
        retire_item_locked(queue, item);
        changed = true;
    }
    return changed;
}

/* -- jobs --------------------------------------------------------------------------------------------------------- */

/* The oldest job of any queue that the device has not finished, or NULL. */
static struct vc4vk_item *oldest_job_locked(struct vc4vk_queue_device *device, struct vc4vk_queue **queue_out)
{
    for (uint32_t i = 0; i < device->queue_count; i++) {
        *queue_out = &device->queues[i];
        util_list_for_each (struct vc4vk_item, item, &device->queues[i].issued, link)
            if (item->is_on_device && !has_finished_locked(&device->queues[i], item))
                return item;
    }
    return NULL;
}

/* Memory is short: sleeps until a job has finished, drops the BO cache. False when none is in flight. */
static bool wait_for_memory(struct vc4vk_queue_device *device)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    struct vc4vk_queue *queue;
    lock(device);
    struct vc4vk_item *oldest = oldest_job_locked(device, &queue);
    while (oldest && !has_finished_locked(queue, oldest) && !kmd_device_is_lost(device->kmd))
        kmd_store_wait_locked(store, UTIL_FOREVER_NS);
    unlock(device);
    kmd_bo_cache_drop(device->kmd);
    return oldest && !kmd_device_is_lost(device->kmd);
}

static VkResult submit_build(struct vc4vk_queue *queue, struct vc4vk_item *item, const struct vc4vk_job *job,
                             struct vc4vk_job_build *build)
{
    struct vc4vk_queue_device *device = queue->device;
    struct kmd_submit submit = {
        .bin_cl = build->bin_cl.data,
        .bin_cl_B = build->bin_cl.size_B,
        .shader_rec = build->shader_rec.data,
        .shader_rec_B = build->shader_rec.size_B,
        .shader_rec_count = build->shader_rec_count,
        .uniforms = build->uniforms.data,
        .uniforms_B = build->uniforms.size_B,
        .bos = build->bos,
        .bo_count = build->bo_count,
        .render = build->render,
        .timeline = queue->timeline,
        .value = item->value,
        .times = &item->job_times,
        .is_part = build->next_from != 0 || item->finish == VC4VK_FINISH_BY_TIME,
        .perfmon = queue->perfmon,
    };
    item->job_times.finished_ns = 0;
    free(item->kept); /* of an earlier part, or try */
    item->kept = vc4vk_keep_job(job, build);
    vc4vk_inspect_begin_job(queue, item, job, &submit);
    int err = kmd_submit(device->kmd, &submit);
    switch (err) {
    case 0:
        item->is_on_device = !build->next_from;
        vc4vk_inspect_end_job(queue, item);
        return VK_SUCCESS;
    case -ENOMEM:
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    case -EIO:
        return VK_ERROR_DEVICE_LOST;
    default:
        util_error("job %" PRIu64 " (%s) was refused: %s: %s", item->value, job->name, strerror(-err),
                   kmd_last_refusal(device->kmd));
        vc4vk_print_job(queue, item->value, job, build);
        vc4vk_print_bin_cl(build);
        return VK_ERROR_DEVICE_LOST;
    }
}

static VkResult try_job(struct vc4vk_queue *queue, struct vc4vk_item *item, const struct vc4vk_job *job)
{
    struct vc4vk_job_build *build = &queue->device->build;
    VkResult result = vc4vk_job_build_begin(build, job);
    build->from = item->next_from;
    build->retires = (struct vc4vk_timestamp){queue->timeline, item->value};
    if (result == VK_SUCCESS)
        result = job->build ? job->build(job, build) : VK_SUCCESS;
    if (result == VK_SUCCESS && !build->is_nothing) {
        if (util_debug(UTIL_DEBUG_JOBS))
            vc4vk_print_job(queue, item->value, job, build);
        if (util_debug(UTIL_DEBUG_CL))
            vc4vk_print_bin_cl(build);
        result = submit_build(queue, item, job, build);
        build->is_submitted = result == VK_SUCCESS;
    }
    if (result == VK_SUCCESS)
        item->next_from = build->next_from;
    vc4vk_job_build_end(build);
    return result;
}

static void count_job(struct vc4vk_queue_device *device, const struct vc4vk_job *job)
{
    lock(device);
    switch (job->class) {
    case VC4VK_JOB_NATIVE:
        device->counts.native++;
        break;
    case VC4VK_JOB_LOWERED:
        device->counts.lowered++;
        break;
    case VC4VK_JOB_CPU:
        device->counts.cpu++;
        break;
    }
    unlock(device);
}

static VkResult issue_job(struct vc4vk_queue *queue, struct vc4vk_item *item)
{
    const struct vc4vk_job *job = container_of(item->command, struct vc4vk_job, command);
    bool was_alone = false; /* tried with nothing else on the device */
    if (!item->next_from)
        count_job(queue->device, job);
    else if (!item->times.started_ns)
        item->times.started_ns = item->job_times.started_ns; /* of the first part */
    for (;;) {
        VkResult result = try_job(queue, item, job);
        if (result != VK_ERROR_OUT_OF_DEVICE_MEMORY && result != VK_ERROR_OUT_OF_HOST_MEMORY)
            return result;
        if (!wait_for_memory(queue->device)) {
            if (was_alone) {
                util_error("job %" PRIu64 " (%s): no memory to issue it, although nothing else runs", item->value,
                           job->name);
                return VK_ERROR_DEVICE_LOST;
            }
            was_alone = true;
        }
    }
}

/* -- CPU operations ----------------------------------------------------------------------------------------------- */

static VkResult issue_cpu_op(struct vc4vk_queue *queue, struct vc4vk_item *item)
{
    struct vc4vk_cpu_op *op = container_of(item->command, struct vc4vk_cpu_op, command);
    VkResult result = op->issue ? op->issue(queue, item->counter_pass, op->arguments) : VK_SUCCESS;
    if (result != VK_SUCCESS)
        return result;
    if (op->retire) {
        item->retire_op = op;
        return VK_SUCCESS;
    }
    bool is_long = item->is_long = vc4vk_cpu_op_is_long(op);
    item->is_engine_job = op->is_engine_job;
    lock(queue->device);
    if (op->is_engine_job)
        queue->device->counts.cpu++;
    else
        queue->device->counts.cpu_ops++;
    kmd_timeline_store_start_locked(queue->timeline, item->value);
    if (is_long)
        vc4vk_worker_start_locked(queue->worker, queue, item);
    unlock(queue->device);
    return is_long ? VK_SUCCESS : vc4vk_cpu_op_run(queue, item, op);
}

static void cancel(struct vc4vk_item *item)
{
    if (item->kind != VC4VK_ITEM_COMMAND || item->command->kind != VC4VK_COMMAND_CPU_OP)
        return;
    struct vc4vk_cpu_op *op = container_of(item->command, struct vc4vk_cpu_op, command);
    if (op->release)
        op->release(op);
}

/* -- issuing ------------------------------------------------------------------------------------------------------ */

/* What has to come before the item, as a value of its queue. */
static uint64_t barrier_of(const struct vc4vk_queue *queue, const struct vc4vk_item *item)
{
    return item->is_unordered ? queue->barrier_value : item->value - 1;
}

/* A CPU operation of the queue, up to `value`, that has not finished. */
static bool has_unfinished_op_locked(const struct vc4vk_queue *queue, uint64_t value)
{
    util_list_for_each (struct vc4vk_item, item, &queue->issued, link) {
        if (item->value > value)
            break;
        if (item->finish == VC4VK_FINISH_BY_WORKER)
            return true;
    }
    return false;
}

/* An operation of the queue that is still to be called when all before it has retired (vc4vk_cpu_op.retire). */
static bool has_op_to_retire_locked(const struct vc4vk_queue *queue)
{
    util_list_for_each (struct vc4vk_item, item, &queue->issued, link)
        if (item->retire_op && !item->is_stored)
            return true;
    return false;
}

static uint32_t max_jobs_in_flight(const struct vc4vk_queue *queue)
{
    return queue->priority < queue->device->queues[0].priority ? MAX_LOW_JOBS_IN_FLIGHT : MAX_JOBS_IN_FLIGHT;
}

static bool can_issue_command_locked(const struct vc4vk_queue *queue, const struct vc4vk_item *item)
{
    uint64_t barrier = barrier_of(queue, item);
    bool is_job = item->command->kind == VC4VK_COMMAND_JOB;
    if (!is_job && container_of(item->command, struct vc4vk_cpu_op, command)->retire)
        return true;
    if ((!is_job || item->command->needs_idle) && !kmd_timeline_is_retired(queue->timeline, barrier))
        return false;
    if (is_job)
        return queue->jobs_in_flight < max_jobs_in_flight(queue) && !has_unfinished_op_locked(queue, barrier);
    const struct vc4vk_cpu_op *op = container_of(item->command, struct vc4vk_cpu_op, command);
    if (vc4vk_cpu_op_is_long(op) && !vc4vk_worker_is_free_locked(queue->worker))
        return false;
    return !op->is_ready || op->is_ready(op->arguments) || queue->device->stop;
}

static bool can_issue_locked(const struct vc4vk_queue *queue, struct vc4vk_item *item)
{
    if (item->next_from && !item->job_times.finished_ns)
        return false; /* a part of it is on the device */
    if (kmd_device_is_lost(queue->device->kmd))
        return true; /* to be cancelled */
    if (item->kind == VC4VK_ITEM_SYNC)
        return vc4vk_wait_is_over_locked(&item->wait);
    if (item->kind == VC4VK_ITEM_MARKER)
        return true;
    return can_issue_command_locked(queue, item);
}

/* Without locks: builds and kernel calls take their time. */
static void issue(struct vc4vk_queue *queue, struct vc4vk_item *item)
{
    struct vc4vk_queue_device *device = queue->device;
    item->times.submitted_ns = util_now_ns();
    if (kmd_device_is_lost(device->kmd)) {
        item->next_from = 0;
        cancel(item);
        return;
    }
    if (item->kind != VC4VK_ITEM_COMMAND)
        return;
    bool is_job = item->command->kind == VC4VK_COMMAND_JOB;
    VkResult result = is_job ? issue_job(queue, item) : issue_cpu_op(queue, item);
    if (result != VK_SUCCESS)
        item->next_from = 0;
    if (result != VK_SUCCESS && !kmd_device_is_lost(device->kmd))
        kmd_device_set_lost(device->kmd);
    if (item->is_on_device && item->finish != VC4VK_FINISH_BY_TIME && util_debug(UTIL_DEBUG_SYNC))
        (void)vc4vk_timestamp_wait(device->kmd, (struct vc4vk_timestamp){queue->timeline, item->value},
                                   UTIL_FOREVER_NS);
}

static const char *name_of(const struct vc4vk_item *item)
{
    if (item->kind == VC4VK_ITEM_SYNC)
        return "wait for semaphore";
    if (item->kind == VC4VK_ITEM_MARKER)
        return "marker";
    return item->command->kind == VC4VK_COMMAND_JOB
               ? container_of(item->command, struct vc4vk_job, command)->name
               : container_of(item->command, struct vc4vk_cpu_op, command)->name;
}

static bool is_long(const struct vc4vk_item *item)
{
    if (item->kind != VC4VK_ITEM_COMMAND || item->command->kind != VC4VK_COMMAND_CPU_OP)
        return false;
    const struct vc4vk_cpu_op *op = container_of(item->command, struct vc4vk_cpu_op, command);
    return !op->retire && vc4vk_cpu_op_is_long(op);
}

/* Issues the queue's oldest waiting item, which may go; of one in parts, the next part. The lock is dropped meanwhile.
 */
static void issue_locked(struct vc4vk_queue *queue, struct vc4vk_item *item)
{
    util_list_del(&item->link);
    queue->is_issuing = true;
    item->name = name_of(item);
    if (item->kind == VC4VK_ITEM_COMMAND) {
        queue->barrier_value = barrier_of(queue, item);
        /* The backend's word would say that the operations before it have finished, too; or it would come before the
         * inspector has seen what the job has left. */
        if (item->command->kind == VC4VK_COMMAND_JOB &&
            (has_unfinished_op_locked(queue, UINT64_MAX) || has_op_to_retire_locked(queue) || item->frame))
            item->finish = VC4VK_FINISH_BY_TIME;
    }
    const bool reserves = is_long(item);
    if (reserves)
        queue->worker->is_reserved = true;
    unlock(queue->device);
    issue(queue, item);
    lock(queue->device);
    queue->is_issuing = false;
    if (reserves && !item->is_long)
        queue->worker->is_reserved = false; /* the item was cancelled, or failed before the worker had it */
    if (item->next_from) { /* ORDER: what was submitted meanwhile comes after it */
        util_list_add_head(&queue->waiting, &item->link);
        return;
    }
    item->command = NULL;
    if (item->is_on_device) {
        queue->jobs_in_flight++;
        if (item->finish == VC4VK_FINISH_AT_ONCE)
            item->finish = VC4VK_FINISH_BY_WORD;
    } else if (item->finish == VC4VK_FINISH_BY_TIME) { /* the device had nothing to do */
        item->finish = VC4VK_FINISH_AT_ONCE;
    }
    util_list_add_tail(&queue->issued, &item->link);
    if (queue->device->issue_waiters)
        pthread_cond_broadcast(&kmd_device_store(queue->device->kmd)->cond);
}

static struct vc4vk_item *first_ready_locked(const struct vc4vk_queue *queue)
{
    if (queue->is_issuing || util_list_is_empty(&queue->waiting))
        return NULL;
    struct vc4vk_item *item = util_list_first(&queue->waiting, struct vc4vk_item, link);
    return can_issue_locked(queue, item) ? item : NULL;
}

/* -- the thread --------------------------------------------------------------------------------------------------- */

/* The queue to issue from: of those with ready work the one of the highest priority, unless another has been passed
 * over too often. */
static struct vc4vk_queue *choose_queue_locked(struct vc4vk_queue_device *device, struct vc4vk_item **item_out)
{
    struct vc4vk_queue *chosen = NULL;
    for (uint32_t i = 0; i < device->queue_count; i++) {
        struct vc4vk_queue *queue = &device->queues[i];
        struct vc4vk_item *item = first_ready_locked(queue);
        if (!item) {
            queue->passed_over = 0;
        } else if (!chosen || (queue->passed_over >= MAX_PASSED_OVER && queue->passed_over > chosen->passed_over)) {
            if (chosen)
                chosen->passed_over++;
            chosen = queue;
            *item_out = item;
        } else {
            queue->passed_over++;
        }
    }
    if (chosen)
        chosen->passed_over = 0;
    return chosen;
}

/* Retires and issues once; whether anything changed. After each issue it starts again, so that a queue of higher
 * priority goes first. */
static bool work_locked(struct vc4vk_queue_device *device)
{
    bool changed = false;
    struct vc4vk_item *item = NULL;
    for (uint32_t i = 0; i < device->queue_count; i++)
        changed |= retire_locked(&device->queues[i]);
    struct vc4vk_queue *queue = choose_queue_locked(device, &item);
    if (queue)
        issue_locked(queue, item);
    return changed || queue;
}

static bool is_idle_locked(const struct vc4vk_queue_device *device)
{
    for (uint32_t i = 0; i < device->queue_count; i++) {
        const struct vc4vk_queue *queue = &device->queues[i];
        if (queue->is_issuing || !util_list_is_empty(&queue->waiting) || !util_list_is_empty(&queue->issued))
            return false;
    }
    return true;
}

/* Works until nothing can be done, unless another thread is at it; whether anything changed. */
static bool dispatch_locked(struct vc4vk_queue_device *device)
{
    bool changed = false;
    if (device->is_dispatching)
        return false;
    device->is_dispatching = true;
    while (work_locked(device))
        changed = true;
    device->is_dispatching = false;
    return changed;
}

/* Nobody cuts down the BO cache unless the dispatcher looks at it. */
static bool needs_alarm_locked(const struct vc4vk_queue_device *device)
{
    return device->has_no_alarm && !kmd_bo_cache_is_empty(device->kmd);
}

/* Starts the next operation of the worker, if it is free and there is one that may go. Needs not be the thread that
 * dispatches: a long operation is handed over and takes no time here. The lock is dropped meanwhile. */
static void start_long_locked(struct vc4vk_worker *worker)
{
    struct vc4vk_queue_device *device = worker->device;
    if (!vc4vk_worker_is_free_locked(worker) || kmd_device_is_lost(device->kmd))
        return;
    for (uint32_t i = 0; i < device->queue_count; i++) {
        struct vc4vk_queue *queue = &device->queues[i];
        struct vc4vk_item *item = queue->worker == worker ? first_ready_locked(queue) : NULL;
        if (item && is_long(item)) {
            issue_locked(queue, item);
            return;
        }
    }
}

/* Some item can be issued, or retired. */
static bool has_work_locked(const struct vc4vk_queue_device *device)
{
    for (uint32_t i = 0; i < device->queue_count; i++) {
        const struct vc4vk_queue *queue = &device->queues[i];
        if (first_ready_locked(queue) ||
            (!util_list_is_empty(&queue->issued) &&
             has_finished_locked(queue, util_list_first(&queue->issued, struct vc4vk_item, link))))
            return true;
    }
    return false;
}

/* As work_locked, for this queue alone; false as well when another one has something to be issued. */
static bool work_alone_locked(struct vc4vk_queue *queue)
{
    struct vc4vk_queue_device *device = queue->device;
    bool changed = false;
    for (uint32_t i = 0; i < device->queue_count; i++)
        changed |= retire_locked(&device->queues[i]);
    for (uint32_t i = 0; i < device->queue_count; i++)
        if (&device->queues[i] != queue && first_ready_locked(&device->queues[i]))
            return false;
    struct vc4vk_item *item = first_ready_locked(queue);
    if (item)
        issue_locked(queue, item);
    return changed || item;
}

void vc4vk_dispatch_on_worker_locked(struct vc4vk_worker *worker, struct vc4vk_queue *queue)
{
    struct vc4vk_queue_device *device = worker->device;
    retire_locked(queue); /* what its next operation may wait for */
    start_long_locked(worker);
    if (vc4vk_worker_is_free_locked(worker) && !device->is_dispatching) {
        device->is_dispatching = true;
        while (vc4vk_worker_is_free_locked(worker) && work_alone_locked(queue))
            ;
        device->is_dispatching = false;
    }
    if (has_work_locked(device) || needs_alarm_locked(device) || device->stop || kmd_device_is_lost(device->kmd))
        pthread_cond_broadcast(&kmd_device_store(device->kmd)->cond);
}

void *vc4vk_dispatcher_main(void *arg)
{
    struct vc4vk_queue_device *device = arg;
    struct kmd_store *store = kmd_device_store(device->kmd);
    lock(device);
    for (;;) {
        dispatch_locked(device);
        if (device->stop && is_idle_locked(device))
            break;
        unlock(device);
        uint64_t trim_ns = kmd_bo_cache_trim(device->kmd);
        lock(device);
        if (dispatch_locked(device)) /* something may have come while the lock was dropped */
            continue;
        if (device->stop && is_idle_locked(device))
            break;
        device->has_no_alarm = trim_ns == UTIL_FOREVER_NS;
        util_cond_wait_until(&store->cond, &store->mutex, trim_ns);
    }
    unlock(device);
    return NULL;
}

/* -- on the thread that submits ----------------------------------------------------------------------------------- */

/* More than this would keep the application's thread from its own work. */
#define MAX_DIRECT_ITEMS 8
#define MAX_DIRECT_B     (UINT32_C(16) << 10) /* touched by CPU operations */
#define MAX_DIRECT_CL_B  UINT32_C(1024)       /* of a job's binning list */

/* A job that reads memory when it is built may have much to read; an operation that does not say what it touches, too.
 * Long ones are the worker's. */
static bool is_little(const struct vc4vk_item *item)
{
    if (item->kind != VC4VK_ITEM_COMMAND)
        return item->kind == VC4VK_ITEM_MARKER;
    if (item->command->kind == VC4VK_COMMAND_JOB) {
        const struct vc4vk_job *job = container_of(item->command, struct vc4vk_job, command);
        return !job->command.needs_idle && job->list_B <= MAX_DIRECT_CL_B;
    }
    const struct vc4vk_cpu_op *op = container_of(item->command, struct vc4vk_cpu_op, command);
    return op->retire || (!op->is_ready && (vc4vk_cpu_op_is_long(op) || (op->work_B && op->work_B <= MAX_DIRECT_B)));
}

/* Nothing is left, or nothing that could go on before the end of an operation on a worker, which wakes everybody. */
static bool waits_for_worker_locked(const struct vc4vk_queue_device *device)
{
    for (uint32_t i = 0; i < device->queue_count; i++) {
        const struct vc4vk_queue *queue = &device->queues[i];
        const bool has_op = !util_list_is_empty(&queue->issued) &&
                            util_list_first(&queue->issued, struct vc4vk_item, link)->finish == VC4VK_FINISH_BY_WORKER;
        if (!util_list_is_empty(&queue->waiting) || (!util_list_is_empty(&queue->issued) && !has_op))
            return false;
    }
    return true;
}

bool vc4vk_is_idle_locked(const struct vc4vk_queue_device *device)
{
    return !device->is_dispatching && is_idle_locked(device);
}

void vc4vk_dispatch_or_wake_locked(struct vc4vk_queue *queue, bool was_idle)
{
    struct vc4vk_queue_device *device = queue->device;
    struct util_log_call *call = util_log_call_suspend(); /* the work need not be the caller's */
    uint32_t count = 0;
    bool directly = was_idle && !util_list_is_empty(&queue->waiting); /* without items, others may still wait */
    util_list_for_each (struct vc4vk_item, item, &queue->waiting, link)
        directly = directly && ++count <= MAX_DIRECT_ITEMS && is_little(item);
    if (directly) {
        device->is_dispatching = true;
        for (uint32_t i = 0; i <= count && work_locked(device); i++)
            ;
        device->is_dispatching = false;
    } else {
        start_long_locked(queue->worker);
    }
    util_log_call_resume(call);
    /* The dispatcher has nothing to do before a worker is done, but it is the one that trims the cache. */
    if (!directly || !waits_for_worker_locked(device) || needs_alarm_locked(device))
        pthread_cond_broadcast(&kmd_device_store(device->kmd)->cond);
}
