/* SPDX-License-Identifier: MIT
 *
 * Payloads of fences and binary semaphores that processes share by opaque file descriptors. The descriptor is an eventfd:
 * signalled while its counter is not zero, and a wait of a semaphore takes the signal by reading it, so that of several
 * waiters one gets it, in whatever process. A thread per device, started with the first payload, wakes sleepers of the
 * store when an awaited descriptor becomes readable.
 */
#ifndef VC4VK_EXTERNAL_H
#define VC4VK_EXTERNAL_H

#include <vulkan/vulkan_core.h>
#include "queue/vc4vk_timeline.h"

struct vc4vk_queue_device;

struct vc4vk_external {
    struct vc4vk_queue_device *device;
    _Atomic uint32_t refs;
    int fd;
    uint64_t watched_at; /* the watcher's `wakes` when it was last asked to watch; under the store's lock */
};

/* The thread that waits for other processes. */
struct vc4vk_watcher {
    pthread_t thread;
    bool is_running;
    int epoll_fd, stop_fd;
    uint64_t wakes; /* how often something was signalled, from 1; under the store's lock */
};

/* VK_ERROR_TOO_MANY_OBJECTS or _OUT_OF_HOST_MEMORY without a descriptor, memory or the thread. */
VkResult vc4vk_external_create(struct vc4vk_queue_device *device, bool is_signalled, struct vc4vk_external **out);
/* Takes the descriptor over on success; VK_ERROR_INVALID_EXTERNAL_HANDLE when it is none of ours. */
VkResult vc4vk_external_import(struct vc4vk_queue_device *device, int fd, struct vc4vk_external **out);
/* A further descriptor of the payload, the caller's; -1 when there is none to be had. */
int vc4vk_external_export(const struct vc4vk_external *external);
struct vc4vk_external *vc4vk_external_ref(struct vc4vk_external *external); /* NULL is accepted */
void vc4vk_external_unref(struct vc4vk_external *external);                 /* NULL is accepted */

void vc4vk_external_signal(struct vc4vk_external *external);
bool vc4vk_external_is_signalled(const struct vc4vk_external *external);
/* Takes the signal, if there is one. */
bool vc4vk_external_take(struct vc4vk_external *external);

/* What a fence or semaphore shares instead of a payload of its own. An import may be temporary: it then stands in for the
 * lasting one until it is dropped. Under the store's lock. */
struct vc4vk_shared {
    struct vc4vk_external *lasting, *temporary; /* referenced; may be NULL */
};

/* The payload in force, or NULL. Not a reference of its own. */
static inline struct vc4vk_external *vc4vk_shared_current(const struct vc4vk_shared *shared)
{
    return shared->temporary ? shared->temporary : shared->lasting;
}

/* These two take the lock. Import takes over `fd` on success; VK_ERROR_INVALID_EXTERNAL_HANDLE when it is none of ours.
 * Export gives the caller a descriptor of the payload in force; the same error when nothing is shared. */
VkResult vc4vk_shared_import(struct vc4vk_queue_device *device, struct vc4vk_shared *shared, int fd, bool is_temporary);
VkResult vc4vk_shared_export(struct vc4vk_queue_device *device, const struct vc4vk_shared *shared, int *fd_out);
/* What was there before the temporary import is there again. */
void vc4vk_shared_drop_temporary_locked(struct vc4vk_shared *shared);
void vc4vk_shared_finish(struct vc4vk_shared *shared);

/* The store's sleepers are woken when it is signalled. */
void vc4vk_external_watch_locked(struct vc4vk_queue_device *device, struct vc4vk_external *external);
void vc4vk_watcher_finish(struct vc4vk_queue_device *device);

#endif
