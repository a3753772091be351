/* SPDX-License-Identifier: MIT
 *
 * Semaphores. All state changes under the store's lock, and changes that a thread may wait for wake the store's
 * sleepers. A timeline counter is updated from its retired points whenever it is read.
 */
#include <stdlib.h>
#include "queue/vc4vk_alloc.h"
#include "queue/vc4vk_counter.h"
#include "queue/vc4vk_semaphore.h"

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

static const void *find_in_chain(const void *chain, VkStructureType type)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (s->sType == type)
            return s;
    return NULL;
}

/* The kind of external payload behind the semaphore's opaque descriptors. */
static enum vc4vk_external_kind kind_of(const struct vc4vk_semaphore *semaphore)
{
    return semaphore->type == VK_SEMAPHORE_TYPE_TIMELINE ? VC4VK_EXTERNAL_COUNTER : VC4VK_EXTERNAL_SIGNAL;
}

static bool is_shareable(enum vc4vk_external_kind kind)
{
    return kind != VC4VK_EXTERNAL_COUNTER || vc4vk_counter_is_supported();
}

bool vc4vk_semaphore_is_shareable(VkSemaphoreType type)
{
    return is_shareable(kind_of(&(struct vc4vk_semaphore){.type = type}));
}

VkResult vc4vk_semaphore_create(struct vc4vk_queue_device *device, const VkSemaphoreCreateInfo *info,
                                const VkAllocationCallbacks *alloc, VkSemaphore *semaphore_out)
{
    const VkSemaphoreTypeCreateInfo *type = find_in_chain(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    const VkExportSemaphoreCreateInfo *share =
        find_in_chain(info->pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO);
    struct vc4vk_semaphore *semaphore =
        vc4vk_zalloc(vc4vk_alloc_choose(device->alloc, alloc), sizeof *semaphore, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!semaphore)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    util_list_init(&semaphore->points);
    semaphore->type = type ? type->semaphoreType : VK_SEMAPHORE_TYPE_BINARY;
    semaphore->counter = type ? type->initialValue : 0;
    const enum vc4vk_external_kind kind = kind_of(semaphore);
    VkResult result = VK_SUCCESS;
    if (share && (share->handleTypes & VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT) && is_shareable(kind))
        result = vc4vk_external_create(device, kind, semaphore->counter, &semaphore->shared.permanent);
    if (result != VK_SUCCESS) {
        vc4vk_free(vc4vk_alloc_choose(device->alloc, alloc), semaphore);
        return result;
    }
    *semaphore_out = vc4vk_semaphore_to_handle(semaphore);
    return VK_SUCCESS;
}

/* Ends all waits for the semaphore before it is destroyed. Destroying a semaphore that is waited for is invalid usage,
 * but the scheduler must not access freed memory even then. */
static void end_waits(struct vc4vk_queue_device *device, const struct vc4vk_semaphore *semaphore)
{
    struct kmd_store *store = lock_store(device);
    bool was_waited_for = false;
    util_list_for_each(struct vc4vk_sync_op, sync, &device->waits, link) {
        if (sync->wait.semaphore != semaphore)
            continue;
        sync->wait = (struct vc4vk_wait){0};
        was_waited_for = true;
    }
    if (was_waited_for)
        pthread_cond_broadcast(&store->cond);
    unlock_store(store);
}

void vc4vk_semaphore_destroy(struct vc4vk_queue_device *device, VkSemaphore _semaphore,
                             const VkAllocationCallbacks *alloc)
{
    VC4VK_FROM_HANDLE(vc4vk_semaphore, semaphore, _semaphore);
    if (!semaphore)
        return;
    if (semaphore->type == VK_SEMAPHORE_TYPE_TIMELINE)
        end_waits(device, semaphore);
    util_list_for_each_safe(struct vc4vk_point, point, &semaphore->points, link)
        free(point);
    vc4vk_shared_finish(&semaphore->shared);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, alloc), semaphore);
}

/* -- shared payloads ---------------------------------------------------------------------------------------------- */

VkResult vc4vk_semaphore_import(struct vc4vk_queue_device *device, const VkImportSemaphoreFdInfoKHR *info)
{
    VC4VK_FROM_HANDLE(vc4vk_semaphore, semaphore, info->semaphore);
    const bool is_temporary = info->flags & VK_SEMAPHORE_IMPORT_TEMPORARY_BIT;
    if (info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT && is_shareable(kind_of(semaphore)))
        return vc4vk_shared_import(device, &semaphore->shared, kind_of(semaphore), info->fd, is_temporary);
    /* Temporary even without the flag: a sync file can be signalled only once. */
    if (info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT &&
        semaphore->type == VK_SEMAPHORE_TYPE_BINARY)
        return vc4vk_shared_import(device, &semaphore->shared, VC4VK_EXTERNAL_SYNC_FILE, info->fd, true);
    return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

/* Exporting a sync file takes the semaphore's signal, as a wait does, but only after the export has succeeded. The
 * export may sleep, so the lock is dropped meanwhile, and a signal that was submitted in that time is not taken. */
static VkResult export_sync_file(struct vc4vk_queue_device *device, struct vc4vk_semaphore *semaphore, int *fd_out)
{
    struct kmd_store *store = lock_store(device);
    const bool is_shared = vc4vk_shared_current(&semaphore->shared) != NULL;
    /* Having no payload is invalid usage: the signal must have been submitted before. */
    const struct vc4vk_timestamp_set set = semaphore->has_payload ? semaphore->payload : VC4VK_TIMESTAMPS_RETIRED;
    unlock_store(store);
    if (is_shared)
        return vc4vk_shared_export_sync_file(device, &semaphore->shared, fd_out);
    VkResult result = vc4vk_timestamps_export(device, &set, fd_out);
    if (result != VK_SUCCESS)
        return result;
    store = lock_store(device);
    if (semaphore->has_payload && vc4vk_timestamps_equal(&semaphore->payload, &set))
        semaphore->has_payload = false;
    unlock_store(store);
    return VK_SUCCESS;
}

VkResult vc4vk_semaphore_export(struct vc4vk_queue_device *device, const VkSemaphoreGetFdInfoKHR *info, int *fd_out)
{
    VC4VK_FROM_HANDLE(vc4vk_semaphore, semaphore, info->semaphore);
    if (info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT &&
        semaphore->type != VK_SEMAPHORE_TYPE_BINARY)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    return info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT
               ? export_sync_file(device, semaphore, fd_out)
               : vc4vk_shared_export(device, &semaphore->shared, fd_out);
}

struct vc4vk_external *vc4vk_semaphore_external_locked(VkSemaphore _semaphore)
{
    VC4VK_FROM_HANDLE(vc4vk_semaphore, semaphore, _semaphore);
    return semaphore ? vc4vk_external_ref(vc4vk_shared_current(&semaphore->shared)) : NULL;
}

bool vc4vk_semaphore_is_shared(struct vc4vk_queue_device *device, VkSemaphore _semaphore)
{
    VC4VK_FROM_HANDLE(vc4vk_semaphore, semaphore, _semaphore);
    struct kmd_store *store = lock_store(device);
    bool is_shared = semaphore && vc4vk_shared_current(&semaphore->shared);
    unlock_store(store);
    return is_shared;
}

/* -- timeline ----------------------------------------------------------------------------------------------------- */

/* Applies the points that have retired and returns the counter. An external counter is always up to date. */
static uint64_t counter_locked(struct vc4vk_semaphore *semaphore)
{
    struct vc4vk_external *external = vc4vk_shared_current(&semaphore->shared);
    if (external)
        return vc4vk_external_value(external);
    util_list_for_each_safe(struct vc4vk_point, point, &semaphore->points, link) {
        if (!vc4vk_timestamps_are_retired(&point->timestamps))
            break;
        semaphore->counter = MAX2(semaphore->counter, point->value);
        util_list_del(&point->link);
        free(point);
    }
    return semaphore->counter;
}

VkResult vc4vk_semaphore_counter(struct vc4vk_queue_device *device, VkSemaphore semaphore, uint64_t *value_out)
{
    struct kmd_store *store = lock_store(device);
    *value_out = counter_locked(vc4vk_semaphore_from_handle(semaphore));
    unlock_store(store);
    return kmd_device_is_lost(device->kmd) ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

VkResult vc4vk_semaphore_signal(struct vc4vk_queue_device *device, const VkSemaphoreSignalInfo *info)
{
    VC4VK_FROM_HANDLE(vc4vk_semaphore, semaphore, info->semaphore);
    struct kmd_store *store = lock_store(device);
    struct vc4vk_external *external = vc4vk_shared_current(&semaphore->shared);
    if (external)
        vc4vk_external_signal(external, info->value);
    else
        semaphore->counter = MAX2(counter_locked(semaphore), info->value);
    pthread_cond_broadcast(&store->cond);
    unlock_store(store);
    return VK_SUCCESS;
}

static bool have_reached_locked(const VkSemaphoreWaitInfo *info)
{
    bool any = info->flags & VK_SEMAPHORE_WAIT_ANY_BIT;
    for (uint32_t i = 0; i < info->semaphoreCount; i++) {
        bool has_reached = counter_locked(vc4vk_semaphore_from_handle(info->pSemaphores[i])) >= info->pValues[i];
        if (has_reached == any)
            return any;
    }
    return !any;
}

VkResult vc4vk_semaphores_wait(struct vc4vk_queue_device *device, const VkSemaphoreWaitInfo *info, uint64_t timeout_ns)
{
    uint64_t deadline_ns = util_deadline_ns(timeout_ns);
    bool have_reached, in_time = timeout_ns != 0;
    struct kmd_store *store = lock_store(device);
    while (!(have_reached = have_reached_locked(info)) && in_time && !kmd_device_is_lost(device->kmd))
        in_time = kmd_store_wait_locked(store, deadline_ns);
    unlock_store(store);
    if (kmd_device_is_lost(device->kmd))
        return VK_ERROR_DEVICE_LOST;
    return have_reached ? VK_SUCCESS : VK_TIMEOUT;
}

/* -- submissions -------------------------------------------------------------------------------------------------- */

bool vc4vk_wait_is_over_locked(struct vc4vk_wait *wait)
{
    if (wait->external)
        return wait->is_over = wait->is_over || vc4vk_external_wait_is_over_locked(wait->external, wait->value);
    return wait->semaphore ? counter_locked(wait->semaphore) >= wait->value
                           : vc4vk_timestamps_are_retired(&wait->timestamps);
}

static struct vc4vk_timestamp_set take_locked(struct vc4vk_semaphore *semaphore)
{
    if (!semaphore || !semaphore->has_payload)
        return VC4VK_TIMESTAMPS_RETIRED; /* invalid usage: its signal must have been submitted before */
    semaphore->has_payload = false;
    return semaphore->payload;
}

struct vc4vk_wait vc4vk_semaphore_wait_locked(VkSemaphore _semaphore, uint64_t value)
{
    VC4VK_FROM_HANDLE(vc4vk_semaphore, semaphore, _semaphore);
    if (!semaphore)
        return (struct vc4vk_wait){0};
    if (vc4vk_shared_current(&semaphore->shared)) {
        struct vc4vk_wait wait = {.external = vc4vk_semaphore_external_locked(_semaphore), .value = value};
        vc4vk_shared_drop_temporary_locked(&semaphore->shared);
        return wait;
    }
    if (semaphore->type == VK_SEMAPHORE_TYPE_BINARY)
        return (struct vc4vk_wait){.timestamps = take_locked(semaphore)};
    if (counter_locked(semaphore) >= value)
        return (struct vc4vk_wait){0};
    /* Waiting for a point of a higher value could be too late: this value may still be submitted or signalled by the
     * host before. */
    util_list_for_each(struct vc4vk_point, point, &semaphore->points, link)
        if (point->value == value)
            return (struct vc4vk_wait){.timestamps = point->timestamps};
    return (struct vc4vk_wait){.semaphore = semaphore, .value = value};
}

/* Inserts the point by value: submissions that wait may be submitted out of order. */
static void insert_locked(struct vc4vk_semaphore *semaphore, struct vc4vk_point *point)
{
    struct util_list *before = &semaphore->points;
    util_list_for_each(struct vc4vk_point, other, &semaphore->points, link) {
        if (other->value > point->value) {
            before = &other->link;
            break;
        }
    }
    util_list_add_tail(before, &point->link);
}

void vc4vk_semaphore_signal_at_locked(VkSemaphore _semaphore, const struct vc4vk_timestamp_set *set, uint64_t value,
                                      struct vc4vk_point *point)
{
    VC4VK_FROM_HANDLE(vc4vk_semaphore, semaphore, _semaphore);
    if (!semaphore)
        return;
    if (semaphore->type == VK_SEMAPHORE_TYPE_BINARY) {
        semaphore->has_payload = true;
        semaphore->payload = *set;
        return;
    }
    if (!point)
        return; /* presentation signals binary semaphores only */
    *point = (struct vc4vk_point){.value = value, .timestamps = *set};
    insert_locked(semaphore, point);
}

void vc4vk_semaphore_signal_at(struct vc4vk_queue_device *device, VkSemaphore semaphore,
                               const struct vc4vk_timestamp_set *set)
{
    struct kmd_store *store = lock_store(device);
    struct vc4vk_external *external = semaphore ? vc4vk_semaphore_external_locked(semaphore) : NULL;
    if (external)
        vc4vk_external_signal(external, 0); /* presentation's timestamps have always retired */
    else
        vc4vk_semaphore_signal_at_locked(semaphore, set, 0, NULL);
    vc4vk_external_unref(external);
    unlock_store(store);
}

struct vc4vk_timestamp_set vc4vk_semaphore_take(struct vc4vk_queue_device *device, VkSemaphore semaphore)
{
    struct kmd_store *store = lock_store(device);
    struct vc4vk_timestamp_set set = take_locked(vc4vk_semaphore_from_handle(semaphore));
    unlock_store(store);
    return set;
}
