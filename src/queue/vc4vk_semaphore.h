/* SPDX-License-Identifier: MIT
 *
 * Semaphores. A binary one is signalled when its payload, a set of timestamps, has retired. A timeline semaphore has a
 * counter and a list of points, each a value that the counter takes when a timestamp retires; who waits for a value
 * that nobody has submitted yet waits for the counter.
 */
#ifndef VC4VK_SEMAPHORE_H
#define VC4VK_SEMAPHORE_H

#include "queue/vc4vk_queue.h"

struct vc4vk_semaphore {
    VkSemaphoreType type;
    /* Under the store's lock; binary: */
    bool has_payload;
    struct vc4vk_timestamp_set payload; /* taken by the wait, which leaves the semaphore without payload */
    /* Timeline: */
    uint64_t counter;           /* as of the last look */
    struct util_list points;    /* of vc4vk_point: submitted, not seen as retired yet; lowest value first */
    struct vc4vk_shared shared; /* instead of the payload, or of counter and points; a wait drops a temporary import */
};

/* One signal operation that has been submitted. */
struct vc4vk_point {
    struct util_list link;
    uint64_t value;
    struct vc4vk_timestamp_set timestamps;
};

VC4VK_DEFINE_HANDLE_CASTS(vc4vk_semaphore, VkSemaphore)

VkResult vc4vk_semaphore_create(struct vc4vk_queue_device *device, const VkSemaphoreCreateInfo *info,
                                const VkAllocationCallbacks *alloc, VkSemaphore *semaphore_out);
void vc4vk_semaphore_destroy(struct vc4vk_queue_device *device, VkSemaphore semaphore,
                             const VkAllocationCallbacks *alloc);

/* -- timeline semaphores: entry points ---------------------------------------------------------------------------- */

VkResult vc4vk_semaphore_counter(struct vc4vk_queue_device *device, VkSemaphore semaphore, uint64_t *value_out);
VkResult vc4vk_semaphore_signal(struct vc4vk_queue_device *device, const VkSemaphoreSignalInfo *info);
VkResult vc4vk_semaphores_wait(struct vc4vk_queue_device *device, const VkSemaphoreWaitInfo *info, uint64_t timeout_ns);

/* -- for rooms above: binary semaphores --------------------------------------------------------------------------- */

/* Signals when `set` has retired: presentation hands out images with it. The handle may be VK_NULL_HANDLE. */
void vc4vk_semaphore_signal_at(struct vc4vk_queue_device *device, VkSemaphore semaphore,
                               const struct vc4vk_timestamp_set *set);
/* Takes the payload, as a wait does; an empty set when there is none. */
struct vc4vk_timestamp_set vc4vk_semaphore_take(struct vc4vk_queue_device *device, VkSemaphore semaphore);

/* -- for submissions, under the store's lock ---------------------------------------------------------------------- */

/* Takes the signal of a shared payload, once: it stays over. */
bool vc4vk_wait_is_over_locked(struct vc4vk_wait *wait);
/* The wait for a semaphore; takes a binary one's payload. `value` of a timeline semaphore. */
struct vc4vk_wait vc4vk_semaphore_wait_locked(VkSemaphore semaphore, uint64_t value);
/* Signals when `set` has retired. A timeline semaphore takes `point` for it, which it frees in the end. */
void vc4vk_semaphore_signal_at_locked(VkSemaphore semaphore, const struct vc4vk_timestamp_set *set, uint64_t value,
                                      struct vc4vk_point *point);

/* The shared payload that a signal goes to, referenced, or NULL. */
struct vc4vk_external *vc4vk_semaphore_external_locked(VkSemaphore semaphore);
/* Waiting for it takes more than a timestamp. */
bool vc4vk_semaphore_is_shared(struct vc4vk_queue_device *device, VkSemaphore semaphore);

/* VK_KHR_external_semaphore_fd. Whether opaque descriptors of this type can be had on this host. */
bool vc4vk_semaphore_is_shareable(VkSemaphoreType type);
VkResult vc4vk_semaphore_import(struct vc4vk_queue_device *device, const VkImportSemaphoreFdInfoKHR *info);
VkResult vc4vk_semaphore_export(struct vc4vk_queue_device *device, const VkSemaphoreGetFdInfoKHR *info, int *fd_out);

static inline bool vc4vk_semaphore_is_timeline(VkSemaphore semaphore)
{
    return semaphore && vc4vk_semaphore_from_handle(semaphore)->type == VK_SEMAPHORE_TYPE_TIMELINE;
}

#endif
