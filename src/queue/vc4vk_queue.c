/* SPDX-License-Identifier: MIT
 *
 * Queues: init and finish, submission, idle waits.
 *
 * A submission first allocates everything that it needs, which can fail, and then appends its commands under one lock,
 * which cannot. Each command buffer begins a segment: its commands come after everything that was submitted before.
 */
#include <errno.h>
#include <stdlib.h>
#include "queue/vc4vk_label.h"
#include "queue/vc4vk_queue.h"
#include "queue/vc4vk_sync.h"
#include "util/log.h"

/* -- init and finish ---------------------------------------------------------------------------------------------- */

/* Sorts by priority, highest first. Stable. */
static void sort_queues(struct vc4vk_context_create *queues, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t j = i; j > 0 && queues[j].priority > queues[j - 1].priority; j--) {
            struct vc4vk_context_create swap = queues[j];
            queues[j] = queues[j - 1];
            queues[j - 1] = swap;
        }
    }
}

VkResult vc4vk_queue_device_init(struct vc4vk_queue_device *device, struct kmd_device *kmd,
                                 const VkAllocationCallbacks *alloc, const struct vc4vk_context_create *queues,
                                 uint32_t queue_count)
{
    struct vc4vk_context_create sorted[VC4VK_MAX_QUEUES];
    struct vc4vk_context *contexts[VC4VK_MAX_QUEUES];
    *device = (struct vc4vk_queue_device){.kmd = kmd, .alloc = alloc};
    util_list_init(&device->waits);
    util_list_init(&device->free_syncs);
    vc4vk_labels_init(device);
    vc4vk_watcher_init(&device->watcher);
    if (queue_count > VC4VK_MAX_QUEUES)
        return VK_ERROR_INITIALIZATION_FAILED;
    for (uint32_t i = 0; i < queue_count; i++) {
        if (queues[i].family >= VC4VK_MAX_FAMILIES)
            return VK_ERROR_INITIALIZATION_FAILED;
        sorted[i] = queues[i];
        contexts[i] = &device->queues[i].context;
        device->queues[i].device = device;
        set_loader_magic_value(&device->queues[i].loader);
    }
    sort_queues(sorted, queue_count);
    vc4vk_parallel_init(&device->parallel);
    device->queue_count = queue_count;
    VkResult result = vc4vk_scheduler_init(&device->scheduler, kmd, contexts, sorted, queue_count);
    if (result != VK_SUCCESS)
        vc4vk_queue_device_finish(device);
    return result;
}

void vc4vk_queue_device_finish(struct vc4vk_queue_device *device)
{
    if (!device->kmd)
        return;
    vc4vk_scheduler_stop(&device->scheduler);
    vc4vk_parallel_finish(&device->parallel);
    vc4vk_watcher_finish(&device->watcher);
    vc4vk_labels_finish(device);
    vc4vk_scheduler_finish(&device->scheduler);
    util_list_for_each_safe(struct vc4vk_sync_op, sync, &device->free_syncs, link)
        free(sync);
    *device = (struct vc4vk_queue_device){0};
}

struct vc4vk_queue *vc4vk_queue_device_get(struct vc4vk_queue_device *device, uint32_t family, uint32_t index)
{
    for (uint32_t i = 0; i < device->queue_count; i++)
        if (device->queues[i].context.family == family && device->queues[i].context.index == index)
            return &device->queues[i];
    return NULL;
}

/* -- waits and signals -------------------------------------------------------------------------------------------- */

static bool is_over_locked(void *arguments)
{
    struct vc4vk_sync_op *sync = arguments;
    return vc4vk_wait_is_over_locked(&sync->wait);
}

static VkResult run_signal(void *arguments)
{
    struct vc4vk_sync_op *sync = arguments;
    vc4vk_external_signal(sync->signal, sync->signal_value);
    return VK_SUCCESS;
}

static void release_sync(struct vc4vk_cpu_op *op)
{
    struct vc4vk_sync_op *sync = container_of(op, struct vc4vk_sync_op, op);
    struct kmd_store *store = kmd_device_store(sync->device->kmd);
    pthread_mutex_lock(&store->mutex);
    vc4vk_external_unref(sync->wait.external);
    vc4vk_external_unref(sync->signal);
    util_list_del(&sync->link);
    util_list_add_tail(&sync->device->free_syncs, &sync->link);
    pthread_mutex_unlock(&store->mutex);
}

/* -- allocations of a submission ---------------------------------------------------------------------------------- */

/* The allocations that appending uses up. What it does not use is returned. */
struct supplies {
    struct util_list entries; /* of vc4vk_entry */
    struct util_list syncs;   /* of vc4vk_sync_op */
    struct util_list points;  /* of vc4vk_point, one for each signal of a timeline semaphore */
};

/* Adds `count` operations to the list, free ones first. False when out of memory: the list may then hold some. */
static bool take_syncs(struct vc4vk_queue_device *device, uint32_t count, struct util_list *syncs)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    uint32_t taken = 0;
    if (!count)
        return true;
    pthread_mutex_lock(&store->mutex);
    for (; taken < count && !util_list_is_empty(&device->free_syncs); taken++) {
        struct util_list *link = device->free_syncs.next;
        util_list_del(link);
        util_list_add_tail(syncs, link);
    }
    pthread_mutex_unlock(&store->mutex);
    for (; taken < count; taken++) {
        struct vc4vk_sync_op *sync = malloc(sizeof *sync);
        if (!sync)
            return false;
        util_list_add_tail(syncs, &sync->link);
    }
    return true;
}

/* False when out of memory: the list may then hold some. */
static bool take_points(uint32_t count, struct util_list *points)
{
    for (uint32_t i = 0; i < count; i++) {
        struct vc4vk_point *point = malloc(sizeof *point);
        if (!point)
            return false;
        util_list_add_tail(points, &point->link);
    }
    return true;
}

static void return_supplies_locked(struct vc4vk_queue_device *device, struct supplies *supplies)
{
    vc4vk_entries_return_locked(&device->scheduler, &supplies->entries);
    util_list_splice_tail(&device->free_syncs, &supplies->syncs);
    util_list_for_each_safe(struct vc4vk_point, point, &supplies->points, link)
        free(point);
}

/* On VK_ERROR_OUT_OF_HOST_MEMORY everything has been returned. */
static VkResult take_supplies(struct vc4vk_queue_device *device, uint32_t commands, uint32_t syncs, uint32_t points,
                              struct supplies *out)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    util_list_init(&out->entries);
    util_list_init(&out->syncs);
    util_list_init(&out->points);
    if (take_syncs(device, syncs, &out->syncs) && take_points(points, &out->points) &&
        vc4vk_entries_take(&device->scheduler, commands + syncs, &out->entries))
        return VK_SUCCESS;
    pthread_mutex_lock(&store->mutex);
    return_supplies_locked(device, out);
    pthread_mutex_unlock(&store->mutex);
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* -- appending ---------------------------------------------------------------------------------------------------- */

static const struct vc4vk_entry_names no_names;

static struct vc4vk_sync_op *next_sync(struct vc4vk_queue_device *device, struct supplies *supplies)
{
    struct vc4vk_sync_op *sync = util_list_first(&supplies->syncs, struct vc4vk_sync_op, link);
    util_list_del(&sync->link);
    *sync = (struct vc4vk_sync_op){.device = device};
    util_list_init(&sync->link);
    vc4vk_cpu_op_init(&sync->op, VC4VK_ENGINE_HOST, "", NULL, sync);
    sync->op.release = release_sync;
    return sync;
}

/* False for a wait for timestamps that have retired or are of the same queue: the next command begins a segment, which
 * waits for everything before it anyway. */
static bool needs_command(const struct vc4vk_queue *queue, const struct vc4vk_wait *wait)
{
    if (wait->semaphore || wait->external)
        return true;
    for (uint32_t i = 0; i < wait->timestamps.count; i++) {
        const struct vc4vk_timestamp ts = wait->timestamps.at[i];
        bool is_own = false;
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++)
            is_own |= ts.timeline == queue->context.rings[e].timeline;
        if (!is_own && !vc4vk_timestamp_is_retired(ts))
            return true;
    }
    return false;
}

static void append_wait_locked(struct vc4vk_queue *queue, struct supplies *supplies, const struct vc4vk_wait *wait)
{
    if (!needs_command(queue, wait))
        return;
    struct vc4vk_sync_op *sync = next_sync(queue->device, supplies);
    sync->wait = *wait;
    sync->op.name = "wait for semaphore";
    sync->op.is_ready = is_over_locked;
    util_list_add_tail(&queue->device->waits, &sync->link);
    vc4vk_context_append_locked(&queue->context, &supplies->entries, &sync->op.command, &no_names, 0);
}

/* Appends a command that signals the external payload and takes over the reference to it. False when it is NULL. */
static bool signal_external_locked(struct vc4vk_queue *queue, struct supplies *supplies,
                                   struct vc4vk_external *external, uint64_t value)
{
    if (!external)
        return false;
    struct vc4vk_sync_op *sync = next_sync(queue->device, supplies);
    sync->op.name = "signal";
    sync->op.run = run_signal;
    sync->signal = external;
    sync->signal_value = value;
    vc4vk_context_append_locked(&queue->context, &supplies->entries, &sync->op.command, &no_names, 0);
    return true;
}

static void append_commands_locked(struct vc4vk_queue *queue, struct supplies *supplies,
                                   struct vc4vk_command *const *commands, uint32_t count, const char *command_buffer,
                                   uint32_t counter_pass)
{
    const struct vc4vk_entry_names names = {command_buffer, vc4vk_queue_label(queue)};
    vc4vk_context_begin_segment_locked(&queue->context);
    for (uint32_t i = 0; i < count; i++)
        vc4vk_context_append_locked(&queue->context, &supplies->entries, commands[i], &names, counter_pass);
}

static void signal_locked(struct vc4vk_queue *queue, struct supplies *supplies, VkSemaphore semaphore, uint64_t value)
{
    struct vc4vk_point *point = NULL;
    if (signal_external_locked(queue, supplies, vc4vk_semaphore_external_locked(semaphore), value))
        return;
    if (vc4vk_semaphore_is_timeline(semaphore)) {
        point = util_list_first(&supplies->points, struct vc4vk_point, link);
        util_list_del(&point->link);
    }
    const struct vc4vk_timestamp_set set = vc4vk_context_last_locked(&queue->context);
    vc4vk_semaphore_signal_at_locked(semaphore, &set, value, point);
}

/* -- submission --------------------------------------------------------------------------------------------------- */

static struct vc4vk_recorded *recorded_of(const VkCommandBufferSubmitInfo *info)
{
    return (struct vc4vk_recorded *)info->commandBuffer;
}

static uint32_t counter_pass_of(const VkSubmitInfo2 *submit)
{
    for (const VkBaseInStructure *s = submit->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR)
            return ((const VkPerformanceQuerySubmitInfoKHR *)s)->counterPassIndex;
    return 0;
}

static VkResult take_for_submits(struct vc4vk_queue_device *device, uint32_t submit_count, const VkSubmitInfo2 *submits,
                                 VkFence fence, struct supplies *out)
{
    uint32_t commands = 0, syncs = fence ? 1 : 0, points = 0;
    for (uint32_t i = 0; i < submit_count; i++) {
        syncs += submits[i].waitSemaphoreInfoCount + submits[i].signalSemaphoreInfoCount;
        for (uint32_t j = 0; j < submits[i].signalSemaphoreInfoCount; j++)
            points += vc4vk_semaphore_is_timeline(submits[i].pSignalSemaphoreInfos[j].semaphore);
        for (uint32_t j = 0; j < submits[i].commandBufferInfoCount; j++)
            commands += recorded_of(&submits[i].pCommandBufferInfos[j])->command_count;
    }
    return take_supplies(device, commands, syncs, points, out);
}

static void submit_recorded_locked(struct vc4vk_queue *queue, struct supplies *supplies,
                                   struct vc4vk_recorded *recorded, uint32_t counter_pass)
{
    uint64_t *last_uses = recorded->last_uses[queue - queue->device->queues];
    append_commands_locked(queue, supplies, recorded->commands, recorded->command_count, recorded->name, counter_pass);
    for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++)
        last_uses[e] = queue->context.rings[e].last_value;
}

/* The stages of semaphores are not looked at: everything behind a wait waits, and a signal follows everything before. A
 * mask that leaves out a stage is a common mistake, and a chain of barriers may lead from the stages of a signal to
 * engines that those stages do not name. */
static void submit_batch_locked(struct vc4vk_queue *queue, struct supplies *supplies, const VkSubmitInfo2 *submit)
{
    const uint32_t counter_pass = counter_pass_of(submit);
    for (uint32_t i = 0; i < submit->waitSemaphoreInfoCount; i++) {
        const VkSemaphoreSubmitInfo *info = &submit->pWaitSemaphoreInfos[i];
        const struct vc4vk_wait wait = vc4vk_semaphore_wait_locked(info->semaphore, info->value);
        append_wait_locked(queue, supplies, &wait);
    }
    for (uint32_t i = 0; i < submit->commandBufferInfoCount; i++)
        submit_recorded_locked(queue, supplies, recorded_of(&submit->pCommandBufferInfos[i]), counter_pass);
    for (uint32_t i = 0; i < submit->signalSemaphoreInfoCount; i++) {
        const VkSemaphoreSubmitInfo *info = &submit->pSignalSemaphoreInfos[i];
        signal_locked(queue, supplies, info->semaphore, info->value);
    }
}

VkResult vc4vk_queue_submit2(struct vc4vk_queue *queue, uint32_t submit_count, const VkSubmitInfo2 *submits,
                             VkFence fence)
{
    struct vc4vk_queue_device *device = queue->device;
    struct kmd_store *store = kmd_device_store(device->kmd);
    struct supplies supplies;
    if (kmd_device_is_lost(device->kmd))
        return VK_ERROR_DEVICE_LOST;
    VkResult result = take_for_submits(device, submit_count, submits, fence, &supplies);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&store->mutex);
    const bool was_idle = vc4vk_scheduler_is_idle_locked(&device->scheduler);
    for (uint32_t i = 0; i < submit_count; i++)
        submit_batch_locked(queue, &supplies, &submits[i]);
    if (!signal_external_locked(queue, &supplies, vc4vk_fence_external_locked(fence), 0)) {
        const struct vc4vk_timestamp_set set = vc4vk_context_last_locked(&queue->context);
        vc4vk_fence_signal_at_locked(fence, &set);
    }
    return_supplies_locked(device, &supplies);
    vc4vk_scheduler_kick_locked(&queue->context, was_idle);
    pthread_mutex_unlock(&store->mutex);
    inspect_end_by_submit(device->scheduler.inspect);
    return VK_SUCCESS;
}

VkResult vc4vk_queue_submit_commands(struct vc4vk_queue *queue, const struct vc4vk_submission *submission,
                                     struct vc4vk_timestamp_set *set_out)
{
    struct vc4vk_queue_device *device = queue->device;
    struct kmd_store *store = kmd_device_store(device->kmd);
    struct supplies supplies;
    if (kmd_device_is_lost(device->kmd))
        return VK_ERROR_DEVICE_LOST;
    VkResult result = take_supplies(device, submission->command_count, submission->wait_count, 0, &supplies);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&store->mutex);
    for (uint32_t i = 0; i < submission->wait_count; i++)
        append_wait_locked(queue, &supplies, &(struct vc4vk_wait){.timestamps = submission->waits[i]});
    append_commands_locked(queue, &supplies, submission->commands, submission->command_count, NULL, 0);
    *set_out = vc4vk_context_last_locked(&queue->context);
    return_supplies_locked(device, &supplies);
    pthread_cond_broadcast(&store->cond);
    pthread_mutex_unlock(&store->mutex);
    return VK_SUCCESS;
}

VkResult vc4vk_queue_submit_waits(struct vc4vk_queue *queue, const VkSemaphore *semaphores, uint32_t count,
                                  struct vc4vk_timestamp_set *set_out)
{
    struct vc4vk_queue_device *device = queue->device;
    struct kmd_store *store = kmd_device_store(device->kmd);
    struct supplies supplies;
    if (kmd_device_is_lost(device->kmd))
        return VK_ERROR_DEVICE_LOST;
    VkResult result = take_supplies(device, 0, count, 0, &supplies);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&store->mutex);
    for (uint32_t i = 0; i < count; i++) {
        const struct vc4vk_wait wait = vc4vk_semaphore_wait_locked(semaphores[i], 0);
        append_wait_locked(queue, &supplies, &wait);
    }
    *set_out = vc4vk_context_last_locked(&queue->context);
    return_supplies_locked(device, &supplies);
    pthread_cond_broadcast(&store->cond);
    pthread_mutex_unlock(&store->mutex);
    return VK_SUCCESS;
}

/* -- idle waits --------------------------------------------------------------------------------------------------- */

struct vc4vk_timestamp_set vc4vk_queue_last_timestamps(struct vc4vk_queue *queue)
{
    return vc4vk_context_last(&queue->context);
}

VkResult vc4vk_queue_wait_idle(struct vc4vk_queue *queue)
{
    const struct vc4vk_timestamp_set set = vc4vk_context_last(&queue->context);
    return vc4vk_timestamp_set_wait(queue->device->kmd, &set, UTIL_FOREVER_NS);
}

VkResult vc4vk_device_wait_idle(struct vc4vk_queue_device *device)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < device->queue_count && result == VK_SUCCESS; i++)
        result = vc4vk_queue_wait_idle(&device->queues[i]);
    return result;
}

VkResult vc4vk_recorded_wait(struct vc4vk_queue_device *device, struct vc4vk_recorded *recorded)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < device->queue_count; i++) {
        struct vc4vk_timestamp_set set = {0};
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++) {
            const uint64_t value = recorded->last_uses[i][e];
            if (value)
                set.at[set.count++] = (struct vc4vk_timestamp){device->queues[i].context.rings[e].timeline, value};
            recorded->last_uses[i][e] = 0;
        }
        /* also after a failure: the commands of a lost device are still cancelled one by one, by the engines */
        const VkResult waited = vc4vk_timestamp_set_wait(device->kmd, &set, UTIL_FOREVER_NS);
        result = result == VK_SUCCESS ? waited : result;
    }
    return result;
}

/* -- test hooks --------------------------------------------------------------------------------------------------- */

void vc4vk_queue_test_hold_retire(struct vc4vk_queue_device *device, bool hold)
{
    kmd_test_hold_retire(device->kmd, hold);
}

struct vc4vk_job_counts vc4vk_queue_test_job_counts(struct vc4vk_queue_device *device)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    pthread_mutex_lock(&store->mutex);
    struct vc4vk_job_counts counts = device->scheduler.counts;
    pthread_mutex_unlock(&store->mutex);
    return counts;
}

VkResult vc4vk_queue_test_set_bin_done_hook(struct vc4vk_queue_device *device,
                                            void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B,
                                                         uint32_t slots),
                                            void *data)
{
    return kmd_test_set_bin_done_hook(device->kmd, hook, data) ? VK_ERROR_FEATURE_NOT_PRESENT : VK_SUCCESS;
}
