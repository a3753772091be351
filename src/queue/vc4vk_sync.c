/* SPDX-License-Identifier: MIT
 *
 * Fences and events. A change of a payload is made under the store's lock and wakes the store's sleepers, so a thread
 * may wait for a fence that another thread has not submitted yet.
 */
#include "queue/vc4vk_alloc.h"
#include "queue/vc4vk_sync.h"

static struct kmd_store *lock_store(struct vc4vk_queue_device *device)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    pthread_mutex_lock(&store->mutex);
    return store;
}

static void unlock_store(struct kmd_store *store)
{
    pthread_mutex_unlock(&store->mutex);
}

static void wake_and_unlock_store(struct kmd_store *store)
{
    kmd_store_wake_all_locked(store);
    pthread_mutex_unlock(&store->mutex);
}

static void *new_object(const struct vc4vk_queue_device *device, const VkAllocationCallbacks *alloc, size_t size_B)
{
    return vc4vk_zalloc(vc4vk_alloc_choose(device->alloc, alloc), size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
}

static void free_object(const struct vc4vk_queue_device *device, const VkAllocationCallbacks *alloc, void *object)
{
    vc4vk_free(vc4vk_alloc_choose(device->alloc, alloc), object);
}

/* -- fences ------------------------------------------------------------------------------------------------------- */

static bool is_exportable(const VkFenceCreateInfo *info)
{
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO)
            return ((const VkExportFenceCreateInfo *)s)->handleTypes & VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT;
    return false;
}

VkResult vc4vk_fence_create(struct vc4vk_queue_device *device, const VkFenceCreateInfo *info,
                            const VkAllocationCallbacks *alloc, VkFence *fence_out)
{
    struct vc4vk_fence *fence = new_object(device, alloc, sizeof *fence);
    if (!fence)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    fence->has_payload = (info->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0;
    fence->payload = VC4VK_TIMESTAMPS_RETIRED;
    VkResult result = VK_SUCCESS;
    if (is_exportable(info))
        result = vc4vk_external_create(device, VC4VK_EXTERNAL_SIGNAL, fence->has_payload, &fence->shared.permanent);
    if (result != VK_SUCCESS) {
        free_object(device, alloc, fence);
        return result;
    }
    *fence_out = vc4vk_fence_to_handle(fence);
    return VK_SUCCESS;
}

void vc4vk_fence_destroy(struct vc4vk_queue_device *device, VkFence _fence, const VkAllocationCallbacks *alloc)
{
    VC4VK_FROM_HANDLE(vc4vk_fence, fence, _fence);
    if (!fence)
        return;
    vc4vk_shared_finish(&fence->shared);
    free_object(device, alloc, fence);
}

VkResult vc4vk_fence_import(struct vc4vk_queue_device *device, const VkImportFenceFdInfoKHR *info)
{
    VC4VK_FROM_HANDLE(vc4vk_fence, fence, info->fence);
    const bool is_temporary = info->flags & VK_FENCE_IMPORT_TEMPORARY_BIT;
    if (info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT)
        return vc4vk_shared_import(device, &fence->shared, VC4VK_EXTERNAL_SIGNAL, info->fd, is_temporary);
    /* Temporary even without the flag: a sync file can be signalled only once. */
    if (info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT)
        return vc4vk_shared_import(device, &fence->shared, VC4VK_EXTERNAL_SYNC_FILE, info->fd, true);
    return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

struct vc4vk_external *vc4vk_fence_external_locked(VkFence _fence)
{
    VC4VK_FROM_HANDLE(vc4vk_fence, fence, _fence);
    if (!fence)
        return NULL;
    return vc4vk_external_ref(vc4vk_shared_current(&fence->shared));
}

static void reset_locked(struct vc4vk_fence *fence)
{
    fence->has_payload = false;
    vc4vk_shared_drop_temporary_locked(&fence->shared); /* ORDER: first, as it restores a payload to be reset */
    if (fence->shared.permanent)
        vc4vk_external_take(fence->shared.permanent);
}

/* Exporting a sync file resets the fence, but only after the export has succeeded. The export may sleep, so the lock is
 * dropped meanwhile, and a payload that the fence got in that time is not reset. */
static VkResult export_sync_file(struct vc4vk_queue_device *device, struct vc4vk_fence *fence, int *fd_out)
{
    struct kmd_store *store = lock_store(device);
    const bool is_shared = vc4vk_shared_current(&fence->shared) != NULL, has_payload = fence->has_payload;
    const struct vc4vk_timestamp_set set = fence->payload;
    unlock_store(store);
    VkResult result = VK_ERROR_INVALID_EXTERNAL_HANDLE;
    if (is_shared)
        result = vc4vk_shared_export_sync_file(device, &fence->shared, fd_out);
    else if (has_payload)
        result = vc4vk_timestamps_export(device, &set, fd_out);
    if (result != VK_SUCCESS)
        return result;
    store = lock_store(device);
    if (is_shared || (fence->has_payload && vc4vk_timestamps_equal(&fence->payload, &set)))
        reset_locked(fence);
    unlock_store(store);
    return VK_SUCCESS;
}

VkResult vc4vk_fence_export(struct vc4vk_queue_device *device, const VkFenceGetFdInfoKHR *info, int *fd_out)
{
    VC4VK_FROM_HANDLE(vc4vk_fence, fence, info->fence);
    return info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT
               ? export_sync_file(device, fence, fd_out)
               : vc4vk_shared_export(device, &fence->shared, fd_out);
}

VkResult vc4vk_fences_reset(struct vc4vk_queue_device *device, uint32_t count, const VkFence *fences)
{
    struct kmd_store *store = lock_store(device);
    for (uint32_t i = 0; i < count; i++)
        reset_locked(vc4vk_fence_from_handle(fences[i]));
    unlock_store(store);
    return VK_SUCCESS;
}

static bool is_signalled_locked(const struct vc4vk_fence *fence)
{
    struct vc4vk_external *external = vc4vk_shared_current(&fence->shared);
    if (external)
        return vc4vk_external_is_signalled_locked(external);
    return fence->has_payload && vc4vk_timestamps_are_retired(&fence->payload);
}

VkResult vc4vk_fence_status(struct vc4vk_queue_device *device, VkFence fence)
{
    struct kmd_store *store = lock_store(device);
    bool is_signalled = is_signalled_locked(vc4vk_fence_from_handle(fence));
    unlock_store(store);
    if (kmd_device_is_lost(device->kmd))
        return VK_ERROR_DEVICE_LOST;
    return is_signalled ? VK_SUCCESS : VK_NOT_READY;
}

static bool are_signalled_locked(const VkFence *fences, uint32_t count, bool wait_all)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_signalled = is_signalled_locked(vc4vk_fence_from_handle(fences[i]));
        if (is_signalled != wait_all)
            return is_signalled;
    }
    return wait_all;
}

/* Watches the timelines of all fences that have a payload. False when a fence also depends on something else: on a
 * submission to come, or on another process. */
static bool watch_timelines_locked(const VkFence *fences, uint32_t count)
{
    bool timelines_suffice = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct vc4vk_fence *fence = vc4vk_fence_from_handle(fences[i]);
        if (vc4vk_shared_current(&fence->shared) || !fence->has_payload)
            timelines_suffice = false;
        for (uint32_t j = 0; fence->has_payload && j < fence->payload.count; j++)
            if (!vc4vk_timestamp_is_retired(fence->payload.at[j]))
                kmd_timeline_watch_locked(fence->payload.at[j].timeline, fence->payload.at[j].value);
    }
    return timelines_suffice;
}

VkResult vc4vk_fences_wait(struct vc4vk_queue_device *device, uint32_t count, const VkFence *fences, VkBool32 wait_all,
                           uint64_t timeout_ns)
{
    uint64_t deadline_ns = util_deadline_ns(timeout_ns);
    bool are_signalled = false, in_time = timeout_ns != 0, is_lost;
    struct kmd_store *store = lock_store(device);
    for (;;) {
        is_lost = kmd_device_is_lost(device->kmd);
        are_signalled = are_signalled_locked(fences, count, wait_all);
        if ((is_lost ? vc4vk_scheduler_has_drained_locked(&device->scheduler) : are_signalled) || !in_time)
            break; /* a lost device must have drained: the application may now destroy what its work used */
        in_time = watch_timelines_locked(fences, count) && !is_lost
                      ? kmd_store_wait_for_words_locked(store, deadline_ns)
                      : kmd_store_wait_locked(store, deadline_ns);
    }
    unlock_store(store);
    if (is_lost)
        return VK_ERROR_DEVICE_LOST;
    return are_signalled ? VK_SUCCESS : VK_TIMEOUT;
}

void vc4vk_fence_signal_at_locked(VkFence _fence, const struct vc4vk_timestamp_set *set)
{
    VC4VK_FROM_HANDLE(vc4vk_fence, fence, _fence);
    if (!fence)
        return;
    fence->has_payload = true;
    fence->payload = *set;
}

void vc4vk_fence_signal_at(struct vc4vk_queue_device *device, VkFence fence, const struct vc4vk_timestamp_set *set)
{
    struct kmd_store *store = lock_store(device);
    struct vc4vk_external *external = vc4vk_fence_external_locked(fence);
    if (external)
        vc4vk_external_signal(external, 0); /* presentation's timestamps have always retired */
    else
        vc4vk_fence_signal_at_locked(fence, set);
    vc4vk_external_unref(external);
    wake_and_unlock_store(store);
}

/* -- events ------------------------------------------------------------------------------------------------------- */

VkResult vc4vk_event_create(struct vc4vk_queue_device *device, const VkEventCreateInfo *info,
                            const VkAllocationCallbacks *alloc, VkEvent *event_out)
{
    struct vc4vk_event *event = new_object(device, alloc, sizeof *event);
    if (!event)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    event->device = device;
    *event_out = vc4vk_event_to_handle(event);
    return VK_SUCCESS;
}

void vc4vk_event_destroy(struct vc4vk_queue_device *device, VkEvent event, const VkAllocationCallbacks *alloc)
{
    free_object(device, alloc, vc4vk_event_from_handle(event));
}

static void change_event(struct vc4vk_event *event, bool set)
{
    struct kmd_store *store = lock_store(event->device);
    atomic_store(&event->is_set, set);
    wake_and_unlock_store(store);
}

VkResult vc4vk_event_set(struct vc4vk_queue_device *device, VkEvent event)
{
    change_event(vc4vk_event_from_handle(event), true);
    return VK_SUCCESS;
}

VkResult vc4vk_event_reset(struct vc4vk_queue_device *device, VkEvent event)
{
    change_event(vc4vk_event_from_handle(event), false);
    return VK_SUCCESS;
}

VkResult vc4vk_event_status(struct vc4vk_queue_device *device, VkEvent event)
{
    if (kmd_device_is_lost(device->kmd))
        return VK_ERROR_DEVICE_LOST;
    return atomic_load(&vc4vk_event_from_handle(event)->is_set) ? VK_EVENT_SET : VK_EVENT_RESET;
}

static VkResult run_event_set(void *arguments)
{
    change_event(arguments, true);
    return VK_SUCCESS;
}

static VkResult run_event_reset(void *arguments)
{
    change_event(arguments, false);
    return VK_SUCCESS;
}

static bool are_events_set(void *arguments)
{
    const struct vc4vk_event_list *list = arguments;
    for (uint32_t i = 0; i < list->count; i++)
        if (!atomic_load(&list->events[i]->is_set))
            return false;
    return true;
}

void vc4vk_cpu_op_init_event_set(struct vc4vk_cpu_op *op, struct vc4vk_event *event)
{
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_HOST, "set event", run_event_set, event);
}

void vc4vk_cpu_op_init_event_reset(struct vc4vk_cpu_op *op, struct vc4vk_event *event)
{
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_HOST, "reset event", run_event_reset, event);
}

void vc4vk_cpu_op_init_events_wait(struct vc4vk_cpu_op *op, struct vc4vk_event_list *events)
{
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_HOST, "wait for events", NULL, events);
    op->is_ready = are_events_set;
}
