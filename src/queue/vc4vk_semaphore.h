/* SPDX-License-Identifier: MIT
 *
 * Semaphores. A binary semaphore is signalled when its payload, a set of timestamps, has retired. A timeline semaphore
 * has a counter and a list of points. A point is a value that the counter takes when a set of timestamps has retired. A
 * wait for a value whose signal has not been submitted yet waits for the counter.
 */
#ifndef VC4VK_SEMAPHORE_H
#define VC4VK_SEMAPHORE_H

#include "queue/vc4vk_queue.h"

struct vc4vk_semaphore {
    VkSemaphoreType type;
    /* The rest is under the store's lock. Binary: */
    bool has_payload;
    struct vc4vk_timestamp_set payload; /* a wait takes it and clears has_payload */
    /* Timeline: */
    uint64_t counter;           /* without the points that have retired since the last update */
    struct util_list points;    /* of vc4vk_point: submitted, not yet in `counter`; lowest value first */
    struct vc4vk_shared shared; /* replaces payload, counter and points; a wait drops a temporary import */
    vc4vk_private_number private_number;
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

/* -- for the modules above: binary semaphores --------------------------------------------------------------------- */

/* Signals the semaphore when `set` has retired; for acquired swapchain images. It may be VK_NULL_HANDLE. */
void vc4vk_semaphore_signal_at(struct vc4vk_queue_device *device, VkSemaphore semaphore,
                               const struct vc4vk_timestamp_set *set);
/* Takes the payload, as a wait does. Returns an empty set when there is none. */
struct vc4vk_timestamp_set vc4vk_semaphore_take(struct vc4vk_queue_device *device, VkSemaphore semaphore);

/* -- for submissions, under the store's lock ---------------------------------------------------------------------- */

/* Whether the wait is over. Takes the signal of an external payload once, and stays true then. */
bool vc4vk_wait_is_over_locked(struct vc4vk_wait *wait);
/* Makes a wait for the semaphore, and takes the payload of a binary one. `value` is for timeline semaphores. */
struct vc4vk_wait vc4vk_semaphore_wait_locked(VkSemaphore semaphore, uint64_t value);
/* Signals the semaphore when `set` has retired. A timeline semaphore takes over `point` and frees it later. */
void vc4vk_semaphore_signal_at_locked(VkSemaphore semaphore, const struct vc4vk_timestamp_set *set, uint64_t value,
                                      struct vc4vk_point *point);

/* A new reference to the semaphore's external payload, or NULL. */
struct vc4vk_external *vc4vk_semaphore_external_locked(VkSemaphore semaphore);
/* Whether the semaphore has an external payload: a wait for it is then more than a wait for timestamps. */
bool vc4vk_semaphore_is_shared(struct vc4vk_queue_device *device, VkSemaphore semaphore);

/* VK_KHR_external_semaphore_fd. Whether semaphores of this type can have opaque descriptors on this host. */
bool vc4vk_semaphore_is_shareable(VkSemaphoreType type);
VkResult vc4vk_semaphore_import(struct vc4vk_queue_device *device, const VkImportSemaphoreFdInfoKHR *info);
VkResult vc4vk_semaphore_export(struct vc4vk_queue_device *device, const VkSemaphoreGetFdInfoKHR *info, int *fd_out);

static inline bool vc4vk_semaphore_is_timeline(VkSemaphore semaphore)
{
    return semaphore && vc4vk_semaphore_from_handle(semaphore)->type == VK_SEMAPHORE_TYPE_TIMELINE;
}

#endif
