/* SPDX-License-Identifier: MIT
 *
 * Queues: start and end of the dispatcher, submission, idle waits.
 *
 * A submission first takes all the items it needs, which can fail, and then appends them under one lock, which cannot.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "queue/vc4vk_item.h"
#include "queue/vc4vk_label.h"
#include "queue/vc4vk_sync.h"
#include "util/debug.h"
#include "util/log.h"

/* -- init and finish ---------------------------------------------------------------------------------------------- */

static VkResult init_queue(struct vc4vk_queue *queue, struct vc4vk_queue_device *device,
                           const struct vc4vk_queue_create *create)
{
    *queue = (struct vc4vk_queue){
        .device = device,
        .family = create->family,
        .index = create->index,
        .priority = create->priority,
    };
    set_loader_magic_value(&queue->loader);
    util_list_init(&queue->waiting);
    util_list_init(&queue->issued);
    if (kmd_timeline_create(device->kmd, &queue->timeline))
        return VK_ERROR_TOO_MANY_OBJECTS;
    queue->last_value = atomic_load(&queue->timeline->end);
    return VK_SUCCESS;
}

/* The worker of the queue's family, started by the family's first queue. */
static VkResult start_worker(struct vc4vk_queue *queue)
{
    queue->worker = &queue->device->workers[queue->family];
    if (queue->worker->is_running || !vc4vk_worker_init(queue->worker, queue->device))
        return VK_SUCCESS;
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Highest priority first; equal ones keep their order. */
static void sort_queues(struct vc4vk_queue_create *queues, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t j = i; j > 0 && queues[j].priority > queues[j - 1].priority; j--) {
            struct vc4vk_queue_create swap = queues[j];
            queues[j] = queues[j - 1];
            queues[j - 1] = swap;
        }
    }
}

VkResult vc4vk_queue_device_init(struct vc4vk_queue_device *device, struct kmd_device *kmd,
                                 const VkAllocationCallbacks *alloc, const struct vc4vk_queue_create *queues,
                                 uint32_t queue_count)
{
    *device = (struct vc4vk_queue_device){.kmd = kmd, .alloc = alloc, .build = {.kmd = kmd}};
    util_list_init(&device->free_items);
    vc4vk_labels_init(device);
    vc4vk_watcher_init(&device->watcher);
    if (queue_count > VC4VK_MAX_QUEUES)
        return VK_ERROR_INITIALIZATION_FAILED;
    struct vc4vk_queue_create sorted[VC4VK_MAX_QUEUES];
    for (uint32_t i = 0; i < queue_count; i++) {
        if (queues[i].family >= VC4VK_MAX_FAMILIES)
            return VK_ERROR_INITIALIZATION_FAILED;
        sorted[i] = queues[i];
    }
    sort_queues(sorted, queue_count);
    vc4vk_parallel_init(&device->parallel);
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < queue_count && result == VK_SUCCESS; i++) {
        result = init_queue(&device->queues[i], device, &sorted[i]);
        device->queue_count += result == VK_SUCCESS;
    }
    for (uint32_t i = 0; i < device->queue_count && result == VK_SUCCESS; i++)
        result = start_worker(&device->queues[i]);
    vc4vk_trace_init(device);
    device->inspect = inspect_create(kmd_device_is_model(kmd));
    if (result == VK_SUCCESS) {
        device->thread_is_running =
            !util_thread_create(&device->thread, "vc4vk-dispatch", vc4vk_dispatcher_main, device);
        if (!device->thread_is_running)
            result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result != VK_SUCCESS)
        vc4vk_queue_device_finish(device);
    return result;
}

static bool is_issuing_locked(const struct vc4vk_queue_device *device)
{
    for (uint32_t i = 0; i < device->queue_count; i++)
        if (device->queues[i].is_issuing)
            return true;
    return false;
}

void vc4vk_queue_device_wait_issued(struct vc4vk_queue_device *device)
{
    if (!device->kmd)
        return;
    struct kmd_store *store = kmd_device_store(device->kmd);
    pthread_mutex_lock(&store->mutex);
    device->issue_waiters++;
    while (is_issuing_locked(device))
        kmd_store_wait_locked(store, UTIL_FOREVER_NS);
    device->issue_waiters--;
    pthread_mutex_unlock(&store->mutex);
}

static void stop_dispatcher(struct vc4vk_queue_device *device)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    kmd_test_hold_retire(device->kmd, false);
    pthread_mutex_lock(&store->mutex);
    device->stop = true;
    pthread_cond_broadcast(&store->cond);
    pthread_mutex_unlock(&store->mutex);
    pthread_join(device->thread, NULL);
    device->thread_is_running = false;
}

void vc4vk_queue_device_finish(struct vc4vk_queue_device *device)
{
    if (!device->kmd)
        return;
    if (device->thread_is_running)
        stop_dispatcher(device);
    for (uint32_t i = 0; i < VC4VK_MAX_FAMILIES; i++)
        vc4vk_worker_finish(&device->workers[i]);
    vc4vk_parallel_finish(&device->parallel);
    vc4vk_watcher_finish(&device->watcher);
    const struct vc4vk_job_counts *counts = &device->counts;
    if (util_debug(UTIL_DEBUG_PERF))
        util_info("jobs: %" PRIu64 " native, %" PRIu64 " lowered, %" PRIu64 " CPU; CPU operations: %" PRIu64,
                  counts->native, counts->lowered, counts->cpu, counts->cpu_ops);
    vc4vk_perf_print(device);
    inspect_destroy(device->inspect);
    vc4vk_labels_finish(device);
    for (uint32_t i = 0; i < device->queue_count; i++)
        kmd_timeline_destroy(device->queues[i].timeline);
    util_list_for_each_safe (struct vc4vk_item, item, &device->free_items, link)
        free(item);
    vc4vk_job_build_finish(&device->build);
    *device = (struct vc4vk_queue_device){0};
}

struct vc4vk_queue *vc4vk_queue_device_get(struct vc4vk_queue_device *device, uint32_t family, uint32_t index)
{
    for (uint32_t i = 0; i < device->queue_count; i++)
        if (device->queues[i].family == family && device->queues[i].index == index)
            return &device->queues[i];
    return NULL;
}

/* -- items -------------------------------------------------------------------------------------------------------- */

/* `count` items for one submission, from what was used before where possible. False, and none, when out of memory. */
static bool take_items(struct vc4vk_queue_device *device, uint32_t count, struct util_list *out)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    uint32_t taken = 0;
    pthread_mutex_lock(&store->mutex);
    for (; taken < count && !util_list_is_empty(&device->free_items); taken++) {
        struct util_list *link = device->free_items.next;
        util_list_del(link);
        util_list_add_tail(out, link);
    }
    pthread_mutex_unlock(&store->mutex);
    for (; taken < count; taken++) {
        struct vc4vk_item *item = malloc(sizeof *item);
        if (!item)
            break;
        util_list_add_tail(out, &item->link);
    }
    if (taken == count)
        return true;
    util_list_for_each_safe (struct vc4vk_item, item, out, link)
        free(item);
    util_list_init(out);
    return false;
}

static void return_items_locked(struct vc4vk_queue_device *device, struct util_list *items)
{
    util_list_splice_tail(&device->free_items, items);
}

/* Appends the first of `items` to the queue as `init` says, with the next value. */
static void append_locked(struct vc4vk_queue *queue, struct util_list *items, const struct vc4vk_item *init)
{
    struct vc4vk_item *item = util_list_first(items, struct vc4vk_item, link);
    util_list_del(&item->link);
    *item = *init;
    item->value = ++queue->last_value;
    item->times.queued_ns = util_now_ns();
    if (queue->device->inspect && item->kind == VC4VK_ITEM_COMMAND)
        item->frame = inspect_frame_get(queue->device->inspect);
    util_list_add_tail(&queue->waiting, &item->link);
}

/* A wait for what the same queue does earlier, or for what has retired, needs no item: items of a queue are in order.
 */
static void append_wait_locked(struct vc4vk_queue *queue, struct util_list *items, const struct vc4vk_wait *wait)
{
    queue->is_at_barrier = true;
    if (wait->semaphore || wait->external ||
        (wait->timestamp.timeline != queue->timeline && !vc4vk_timestamp_is_retired(wait->timestamp)))
        append_locked(queue, items, &(struct vc4vk_item){.kind = VC4VK_ITEM_SYNC, .wait = *wait});
}

static void append_commands_locked(struct vc4vk_queue *queue, struct util_list *items,
                                   struct vc4vk_command *const *commands, uint32_t count, const char *command_buffer)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct vc4vk_item init = {.kind = VC4VK_ITEM_COMMAND,
                                        .command = commands[i],
                                        .label = commands[i]->label,
                                        .command_buffer = command_buffer,
                                        .queue_label = vc4vk_queue_label(queue),
                                        .counter_pass = queue->counter_pass,
                                        .is_unordered = commands[i]->is_unordered && !queue->is_at_barrier};
        append_locked(queue, items, &init);
        queue->is_at_barrier = false;
    }
}

static struct vc4vk_timestamp last_timestamp_locked(const struct vc4vk_queue *queue)
{
    return (struct vc4vk_timestamp){queue->timeline, queue->last_value};
}

/* -- submission --------------------------------------------------------------------------------------------------- */

static const void *find_info(const VkSubmitInfo *submit, VkStructureType type)
{
    for (const VkBaseInStructure *s = submit->pNext; s; s = s->pNext)
        if (s->sType == type)
            return s;
    return NULL;
}

static uint32_t count_items(uint32_t submit_count, const VkSubmitInfo *submits)
{
    uint32_t count = 1; /* of the fence */
    for (uint32_t i = 0; i < submit_count; i++) {
        count += submits[i].waitSemaphoreCount + submits[i].signalSemaphoreCount;
        for (uint32_t j = 0; j < submits[i].commandBufferCount; j++)
            count += ((const struct vc4vk_recorded *)submits[i].pCommandBuffers[j])->command_count;
    }
    return count;
}

static void free_points(struct util_list *points)
{
    util_list_for_each_safe (struct vc4vk_point, point, points, link)
        free(point);
}

/* A point for each signal of a timeline semaphore. False, and none, when out of memory. */
static bool take_points(uint32_t submit_count, const VkSubmitInfo *submits, struct util_list *points)
{
    util_list_init(points);
    for (uint32_t i = 0; i < submit_count; i++) {
        for (uint32_t j = 0; j < submits[i].signalSemaphoreCount; j++) {
            if (!vc4vk_semaphore_is_timeline(submits[i].pSignalSemaphores[j]))
                continue;
            struct vc4vk_point *point = malloc(sizeof *point);
            if (!point) {
                free_points(points);
                return false;
            }
            util_list_add_tail(points, &point->link);
        }
    }
    return true;
}

/* A payload that other processes wait for is signalled by an item of its own; takes over the reference. */
static bool signal_external_locked(struct vc4vk_queue *queue, struct util_list *items, struct vc4vk_external *external,
                                   uint64_t value)
{
    const struct vc4vk_item marker = {.kind = VC4VK_ITEM_MARKER, .signal = external, .signal_value = value};
    if (external)
        append_locked(queue, items, &marker);
    return external != NULL;
}

static void signal_locked(struct vc4vk_queue *queue, struct util_list *items, VkSemaphore semaphore, uint64_t value,
                          struct util_list *points)
{
    struct vc4vk_point *point = NULL;
    if (signal_external_locked(queue, items, vc4vk_semaphore_external_locked(semaphore), value))
        return;
    if (vc4vk_semaphore_is_timeline(semaphore)) {
        point = util_list_first(points, struct vc4vk_point, link);
        util_list_del(&point->link);
    }
    vc4vk_semaphore_signal_at_locked(semaphore, last_timestamp_locked(queue), value, point);
}

static void submit_batch_locked(struct vc4vk_queue *queue, struct util_list *items, struct util_list *points,
                                const VkSubmitInfo *submit)
{
    const VkTimelineSemaphoreSubmitInfo *values = find_info(submit, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    const VkPerformanceQuerySubmitInfoKHR *counting =
        find_info(submit, VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR);
    queue->counter_pass = counting ? counting->counterPassIndex : 0;
    for (uint32_t i = 0; i < submit->waitSemaphoreCount; i++) {
        uint64_t value = values && i < values->waitSemaphoreValueCount ? values->pWaitSemaphoreValues[i] : 0;
        struct vc4vk_wait wait = vc4vk_semaphore_wait_locked(submit->pWaitSemaphores[i], value);
        append_wait_locked(queue, items, &wait);
    }
    for (uint32_t i = 0; i < submit->commandBufferCount; i++) {
        struct vc4vk_recorded *recorded = (struct vc4vk_recorded *)submit->pCommandBuffers[i];
        append_commands_locked(queue, items, recorded->commands, recorded->command_count, recorded->name);
        recorded->last_uses[queue - queue->device->queues] = queue->last_value;
    }
    for (uint32_t i = 0; i < submit->signalSemaphoreCount; i++) {
        uint64_t value = values && i < values->signalSemaphoreValueCount ? values->pSignalSemaphoreValues[i] : 0;
        signal_locked(queue, items, submit->pSignalSemaphores[i], value, points);
    }
}

VkResult vc4vk_queue_submit(struct vc4vk_queue *queue, uint32_t submit_count, const VkSubmitInfo *submits,
                            VkFence fence)
{
    struct vc4vk_queue_device *device = queue->device;
    struct kmd_store *store = kmd_device_store(device->kmd);
    if (kmd_device_is_lost(device->kmd))
        return VK_ERROR_DEVICE_LOST;
    struct util_list items, points;
    util_list_init(&items);
    if (!take_points(submit_count, submits, &points))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (!take_items(device, count_items(submit_count, submits), &items)) {
        free_points(&points);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_lock(&store->mutex);
    const bool was_idle = vc4vk_is_idle_locked(device);
    queue->is_at_barrier = true;
    for (uint32_t i = 0; i < submit_count; i++)
        submit_batch_locked(queue, &items, &points, &submits[i]);
    if (!signal_external_locked(queue, &items, vc4vk_fence_external_locked(fence), 0))
        vc4vk_fence_signal_at_locked(fence, last_timestamp_locked(queue));
    return_items_locked(device, &items);
    vc4vk_dispatch_or_wake_locked(queue, was_idle);
    pthread_mutex_unlock(&store->mutex);
    free_points(&points); /* shared semaphores have taken none */
    inspect_end_by_submit(device->inspect);
    return VK_SUCCESS;
}

VkResult vc4vk_queue_submit_commands(struct vc4vk_queue *queue, const struct vc4vk_submission *submission,
                                     struct vc4vk_timestamp *timestamp_out)
{
    struct vc4vk_queue_device *device = queue->device;
    struct kmd_store *store = kmd_device_store(device->kmd);
    if (kmd_device_is_lost(device->kmd))
        return VK_ERROR_DEVICE_LOST;
    struct util_list items;
    util_list_init(&items);
    if (!take_items(device, submission->wait_count + submission->command_count + 1, &items))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&store->mutex);
    queue->is_at_barrier = true;
    for (uint32_t i = 0; i < submission->wait_count; i++)
        append_wait_locked(queue, &items, &(struct vc4vk_wait){.timestamp = submission->waits[i]});
    append_commands_locked(queue, &items, submission->commands, submission->command_count, NULL);
    if (submission->command_count == 0)
        append_locked(queue, &items, &(struct vc4vk_item){.kind = VC4VK_ITEM_MARKER});
    *timestamp_out = last_timestamp_locked(queue);
    return_items_locked(device, &items);
    pthread_cond_broadcast(&store->cond);
    pthread_mutex_unlock(&store->mutex);
    return VK_SUCCESS;
}

VkResult vc4vk_queue_submit_waits(struct vc4vk_queue *queue, const VkSemaphore *semaphores, uint32_t count,
                                  struct vc4vk_timestamp *timestamp_out)
{
    struct vc4vk_queue_device *device = queue->device;
    struct kmd_store *store = kmd_device_store(device->kmd);
    if (kmd_device_is_lost(device->kmd))
        return VK_ERROR_DEVICE_LOST;
    struct util_list items;
    util_list_init(&items);
    if (!take_items(device, count + 1, &items))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&store->mutex);
    for (uint32_t i = 0; i < count; i++) {
        const struct vc4vk_wait wait = vc4vk_semaphore_wait_locked(semaphores[i], 0);
        append_wait_locked(queue, &items, &wait);
    }
    append_locked(queue, &items, &(struct vc4vk_item){.kind = VC4VK_ITEM_MARKER});
    *timestamp_out = last_timestamp_locked(queue);
    return_items_locked(device, &items);
    pthread_cond_broadcast(&store->cond);
    pthread_mutex_unlock(&store->mutex);
    return VK_SUCCESS;
}

/* -- idle waits --------------------------------------------------------------------------------------------------- */

struct vc4vk_timestamp vc4vk_queue_last_timestamp(struct vc4vk_queue *queue)
{
    struct kmd_store *store = kmd_device_store(queue->device->kmd);
    pthread_mutex_lock(&store->mutex);
    struct vc4vk_timestamp ts = last_timestamp_locked(queue);
    pthread_mutex_unlock(&store->mutex);
    return ts;
}

bool vc4vk_queue_device_has_drained_locked(const struct vc4vk_queue_device *device)
{
    for (uint32_t i = 0; i < device->queue_count; i++)
        if (!kmd_timeline_is_retired(device->queues[i].timeline, device->queues[i].last_value))
            return false;
    return true;
}

VkResult vc4vk_queue_wait_idle(struct vc4vk_queue *queue)
{
    return vc4vk_timestamp_wait(queue->device->kmd, vc4vk_queue_last_timestamp(queue), UTIL_FOREVER_NS);
}

VkResult vc4vk_device_wait_idle(struct vc4vk_queue_device *device)
{
    struct vc4vk_timestamp last[VC4VK_MAX_QUEUES];
    for (uint32_t i = 0; i < device->queue_count; i++)
        last[i] = vc4vk_queue_last_timestamp(&device->queues[i]);
    return vc4vk_timestamps_wait(device->kmd, last, device->queue_count, VC4VK_WAIT_ALL, UTIL_FOREVER_NS);
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
    struct vc4vk_job_counts counts = device->counts;
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
