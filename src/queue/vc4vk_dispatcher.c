/* SPDX-License-Identifier: MIT
 *
 * The dispatcher: one thread per device that issues the items of all queues, retires them in order and returns what
 * they held. It sleeps on the memory store, so that new submissions, words of the device and host events all wake it.
 *
 * A job is built, submitted and forgotten: the backend stores its word when it finishes. Jobs without needs_idle follow
 * each other without a pause. Syncs, markers and CPU operations have no one else to store their word, so the dispatcher
 * does, as soon as all before them has retired. On a lost device nothing is issued any more: what waits retires without
 * having run, what the device has retires when the backend says so.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "queue/vc4vk_item.h"
#include "util/debug.h"
#include "util/log.h"

/* Enough to keep the device busy; each holds kernel memory for its lists. */
#define MAX_JOBS_IN_FLIGHT 32

static void lock(struct vc4vk_queue_device *device)
{
    pthread_mutex_lock(&kmd_device_store(device->kmd)->mutex);
}

static void unlock(struct vc4vk_queue_device *device)
{
    pthread_mutex_unlock(&kmd_device_store(device->kmd)->mutex);
}

/* -- retiring ----------------------------------------------------------------------------------------------------- */

static void retire_item_locked(struct vc4vk_queue *queue, struct vc4vk_item *item)
{
    if (item->is_on_device) {
        if (!item->times.started_ns)
            item->times.started_ns = item->job_times.started_ns;
        item->times.finished_ns = item->job_times.finished_ns;
        queue->jobs_in_flight--;
    }
    item->times.retired_ns = util_now_ns();
    if (item->kind == VC4VK_ITEM_COMMAND)
        queue->last_command_times = item->times;
    util_list_del(&item->link);
    util_list_add_tail(&queue->device->free_items, &item->link);
}

/* Retires what can be, oldest first. Whether anything changed. */
static bool retire_locked(struct vc4vk_queue *queue)
{
    bool changed = false;
    util_list_for_each_safe (struct vc4vk_item, item, &queue->issued, link) {
        if (!kmd_timeline_is_retired(queue->timeline, item->value) && !item->is_on_device && !item->is_stored) {
            /* Everything before it has retired, or the loop would have ended. */
            item->is_stored = true;
            kmd_timeline_store_start_locked(queue->timeline, item->value);
            kmd_timeline_store_end_locked(queue->timeline, item->value);
            pthread_cond_broadcast(&kmd_device_store(queue->device->kmd)->cond);
        }
        if (!kmd_timeline_is_retired(queue->timeline, item->value))
            break;
        retire_item_locked(queue, item);
        changed = true;
    }
    return changed;
}

/* -- jobs --------------------------------------------------------------------------------------------------------- */

/* Memory is short: sleeps until a job of any queue has finished, drops the BO cache. False when none is in flight. */
static bool wait_for_memory(struct vc4vk_queue_device *device)
{
    struct vc4vk_timestamp oldest = VC4VK_TIMESTAMP_RETIRED;
    lock(device);
    for (uint32_t i = 0; i < device->queue_count && !oldest.timeline; i++) {
        util_list_for_each (struct vc4vk_item, item, &device->queues[i].issued, link) {
            if (!item->is_on_device || kmd_timeline_is_retired(device->queues[i].timeline, item->value))
                continue;
            oldest = (struct vc4vk_timestamp){device->queues[i].timeline, item->value};
            break;
        }
    }
    unlock(device);
    VkResult result = vc4vk_timestamp_wait(device->kmd, oldest, UTIL_FOREVER_NS);
    kmd_bo_cache_drop(device->kmd);
    return oldest.timeline && result == VK_SUCCESS;
}

static VkResult submit_build(struct vc4vk_queue *queue, struct vc4vk_item *item, const struct vc4vk_job *job,
                             struct vc4vk_job_build *build)
{
    struct vc4vk_queue_device *device = queue->device;
    const struct kmd_submit submit = {
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
        .is_part = build->next_from != 0,
    };
    item->job_times.finished_ns = 0;
    int err = kmd_submit(device->kmd, &submit);
    switch (err) {
    case 0:
        item->is_on_device = !build->next_from;
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
    if (result == VK_SUCCESS)
        result = job->build ? job->build(job, build) : vc4vk_job_build_streams(job, build);
    if (result == VK_SUCCESS && !build->is_nothing) {
        if (util_debug(UTIL_DEBUG_JOBS))
            vc4vk_print_job(queue, item->value, job, build);
        if (util_debug(UTIL_DEBUG_CL))
            vc4vk_print_bin_cl(build);
        result = submit_build(queue, item, job, build);
    }
    if (result == VK_SUCCESS)
        item->next_from = build->next_from;
    vc4vk_job_build_end(build);
    return result;
}

static void count_job(struct vc4vk_queue_device *device, const struct vc4vk_job *job)
{
    uint32_t chunks = MAX2(job->bin_cl.chunk_count, MAX2(job->shader_rec.chunk_count, job->uniforms.chunk_count));
    lock(device);
    device->longest_chunk_count = chunks;
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
    if (util_debug(UTIL_DEBUG_JOBS))
        vc4vk_print_cpu_op(queue, item->value, op);
    lock(queue->device);
    queue->device->counts.cpu_ops++;
    unlock(queue->device);
    kmd_timeline_store_start(queue->timeline, item->value);
    item->times.started_ns = util_now_ns();
    VkResult result = op->run(op->arguments);
    item->times.finished_ns = util_now_ns();
    if (result != VK_SUCCESS)
        util_error("CPU operation %" PRIu64 " (%s) failed (VkResult %d)", item->value, op->name, result);
    if (op->release)
        op->release(op);
    return result;
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

static bool can_issue_locked(const struct vc4vk_queue *queue, const struct vc4vk_item *item)
{
    if (item->next_from && !item->job_times.finished_ns)
        return false; /* a part of it is on the device */
    if (kmd_device_is_lost(queue->device->kmd))
        return true; /* to be cancelled */
    if (item->kind == VC4VK_ITEM_SYNC)
        return vc4vk_timestamp_is_retired(item->wait);
    if (item->kind == VC4VK_ITEM_MARKER)
        return true;
    if (item->command->needs_idle && !kmd_timeline_is_retired(queue->timeline, item->value - 1))
        return false;
    if (item->command->kind == VC4VK_COMMAND_JOB)
        return queue->jobs_in_flight < MAX_JOBS_IN_FLIGHT;
    const struct vc4vk_cpu_op *op = container_of(item->command, struct vc4vk_cpu_op, command);
    return !op->is_ready || op->is_ready(op->arguments) || queue->device->stop;
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
    if (item->is_on_device && util_debug(UTIL_DEBUG_SYNC))
        (void)vc4vk_timestamp_wait(device->kmd, (struct vc4vk_timestamp){queue->timeline, item->value},
                                   UTIL_FOREVER_NS);
}

/* Issues the queue's oldest waiting item if it may go; of one in parts, the next part. The lock is dropped meanwhile.
 */
static bool try_issue_locked(struct vc4vk_queue *queue)
{
    if (util_list_is_empty(&queue->waiting))
        return false;
    struct vc4vk_item *item = util_list_first(&queue->waiting, struct vc4vk_item, link);
    if (!can_issue_locked(queue, item))
        return false;
    util_list_del(&item->link);
    unlock(queue->device);
    issue(queue, item);
    lock(queue->device);
    if (item->next_from) { /* ORDER: what was submitted meanwhile comes after it */
        util_list_add_head(&queue->waiting, &item->link);
        return true;
    }
    item->command = NULL;
    if (item->is_on_device)
        queue->jobs_in_flight++;
    util_list_add_tail(&queue->issued, &item->link);
    return true;
}

/* -- the thread --------------------------------------------------------------------------------------------------- */

/* One round over all queues; whether anything changed. After each issue it starts again, so that a queue of higher
 * priority goes first. */
static bool work_locked(struct vc4vk_queue_device *device)
{
    bool changed = false;
    for (uint32_t i = 0; i < device->queue_count; i++) {
        changed |= retire_locked(&device->queues[i]);
        if (try_issue_locked(&device->queues[i]))
            return true;
    }
    return changed;
}

static bool is_idle_locked(const struct vc4vk_queue_device *device)
{
    for (uint32_t i = 0; i < device->queue_count; i++)
        if (!util_list_is_empty(&device->queues[i].waiting) || !util_list_is_empty(&device->queues[i].issued))
            return false;
    return true;
}

void *vc4vk_dispatcher_main(void *arg)
{
    struct vc4vk_queue_device *device = arg;
    struct kmd_store *store = kmd_device_store(device->kmd);
    lock(device);
    for (;;) {
        if (work_locked(device))
            continue;
        if (device->stop && is_idle_locked(device))
            break;
        unlock(device);
        uint64_t trim_ns = kmd_bo_cache_trim(device->kmd);
        lock(device);
        if (work_locked(device)) /* something may have come while the lock was dropped */
            continue;
        if (device->stop && is_idle_locked(device))
            break;
        util_cond_wait_until(&store->cond, &store->mutex, trim_ns);
    }
    unlock(device);
    return NULL;
}
