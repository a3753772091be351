/* SPDX-License-Identifier: MIT
 *
 * External payloads: payloads of fences and semaphores that processes share through file descriptors.
 *
 * Opaque descriptors of fences and binary semaphores are eventfds. An eventfd is signalled while its counter is not
 * zero. A semaphore wait takes the signal by reading the eventfd, so exactly one of several waiters gets it, in any
 * process. The kernel keeps the state, so no process can harm another by dying or by misusing the descriptor. Opaque
 * descriptors of timeline semaphores are memfds (vc4vk_counter.h). A sync file is the kernel's fence of a job of any
 * driver: it can be waited for, but not signalled or reset. Watcher threads of the device wake the threads that sleep
 * on the store when a payload changes (vc4vk_watcher.c).
 */
#ifndef VC4VK_EXTERNAL_H
#define VC4VK_EXTERNAL_H

#include <vulkan/vulkan_core.h>
#include "engine/vc4vk_timeline.h"
#include "util/list.h"

struct vc4vk_counter;
struct vc4vk_queue_device;

enum vc4vk_external_kind {
    VC4VK_EXTERNAL_SIGNAL,    /* eventfd */
    VC4VK_EXTERNAL_COUNTER,   /* memfd */
    VC4VK_EXTERNAL_SYNC_FILE, /* fd -1: has always been signalled */
};

struct vc4vk_external {
    struct vc4vk_queue_device *device;
    _Atomic uint32_t refs;
    enum vc4vk_external_kind kind;
    int fd;
    uint64_t watched_at; /* the watcher's `wakes` when the descriptor was last armed; under the store's lock */
    /* Only for VC4VK_EXTERNAL_COUNTER: */
    struct vc4vk_counter *counter;
    struct util_list link; /* in the watcher's `counters`, under its mutex */
    pthread_t thread;
    uint64_t seen_value; /* the last value for which the thread woke the store's sleepers; accessed by it alone */
    _Atomic bool stop;
};

/* -- payloads (vc4vk_external.c) ---------------------------------------------------------------------------------- */

/* Creates a payload. `value` is a counter's first value; for an eventfd, not 0 = signalled. VK_ERROR_TOO_MANY_OBJECTS
 * or _OUT_OF_HOST_MEMORY when a descriptor, memory or a thread cannot be had. */
VkResult vc4vk_external_create(struct vc4vk_queue_device *device, enum vc4vk_external_kind kind, uint64_t value,
                               struct vc4vk_external **out);
struct vc4vk_external *vc4vk_external_ref(struct vc4vk_external *external); /* NULL is accepted */
void vc4vk_external_unref(struct vc4vk_external *external);                 /* NULL is accepted */

/* Signals an eventfd, or raises a counter to `value`. Does nothing to a sync file. */
void vc4vk_external_signal(struct vc4vk_external *external, uint64_t value);
/* Takes the signal of an eventfd, if it is signalled. */
void vc4vk_external_take(struct vc4vk_external *external);
uint64_t vc4vk_external_value(const struct vc4vk_external *external); /* of a counter */

/* These two do not sleep. When they return false, the store's sleepers are woken once the answer may be true. */
bool vc4vk_external_is_signalled_locked(struct vc4vk_external *external);
/* Whether a semaphore wait may go on: takes the signal of an eventfd; checks whether a counter has reached `value`. */
bool vc4vk_external_wait_is_over_locked(struct vc4vk_external *external, uint64_t value);

/* -- external payloads of fences and semaphores ------------------------------------------------------------------- */

/* The external payloads of one fence or semaphore, used instead of its own payload. A temporary import replaces the
 * permanent payload until it is dropped. Under the store's lock. */
struct vc4vk_shared {
    struct vc4vk_external *permanent, *temporary; /* referenced; may be NULL */
};

/* The payload in use, or NULL. Adds no reference. */
static inline struct vc4vk_external *vc4vk_shared_current(const struct vc4vk_shared *shared)
{
    return shared->temporary ? shared->temporary : shared->permanent;
}

/* These two take the lock. Import takes over `fd` on success; VK_ERROR_INVALID_EXTERNAL_HANDLE when it is not of this
 * kind. Export gives the caller a descriptor of the payload in use; the same error when there is none. */
VkResult vc4vk_shared_import(struct vc4vk_queue_device *device, struct vc4vk_shared *shared,
                             enum vc4vk_external_kind kind, int fd, bool is_temporary);
VkResult vc4vk_shared_export(struct vc4vk_queue_device *device, const struct vc4vk_shared *shared, int *fd_out);
/* Exports an imported sync file again and drops the import. *fd_out is -1 when it has always been signalled. */
VkResult vc4vk_shared_export_sync_file(struct vc4vk_queue_device *device, struct vc4vk_shared *shared, int *fd_out);
/* Drops the temporary import, which brings the permanent payload back into use. */
void vc4vk_shared_drop_temporary_locked(struct vc4vk_shared *shared);
void vc4vk_shared_finish(struct vc4vk_shared *shared);

/* -- sync files of this device's jobs (vc4vk_sync_file.c) --------------------------------------------------------- */

/* Exports a sync file that signals when `set` has retired; the caller owns it, and it is -1 when `set` has retired
 * already. Only a job that the kernel has can have a sync file, so the function sleeps until all of `set` has retired
 * but one such job, or all of it. VK_ERROR_TOO_MANY_OBJECTS. */
VkResult vc4vk_timestamps_export(struct vc4vk_queue_device *device, const struct vc4vk_timestamp_set *set, int *fd_out);

/* -- the watcher (vc4vk_watcher.c) -------------------------------------------------------------------------------- */

/* One thread for all descriptors that can be polled, started for the first of them, and one thread per counter. */
struct vc4vk_watcher {
    pthread_mutex_t mutex;     /* of `counters` */
    struct util_list counters; /* of vc4vk_external */
    pthread_t thread;
    bool is_running; /* under the store's lock */
    int epoll_fd, stop_fd;
    uint64_t wakes; /* how often the watcher has woken the store's sleepers, from 1; under the store's lock */
};

void vc4vk_watcher_init(struct vc4vk_watcher *watcher);
/* Ends all threads of the watcher, and frees the counters that are left. */
void vc4vk_watcher_finish(struct vc4vk_watcher *watcher);

/* Registers the payload; false when a thread or memory for it cannot be had. A counter is watched from here on. */
bool vc4vk_watcher_add(struct vc4vk_external *external);
/* Frees a payload without references: now, or for a counter after its thread has ended. */
void vc4vk_watcher_remove(struct vc4vk_external *external);
/* Wakes the store's sleepers once when the descriptor becomes readable. No effect on counters: always watched. */
void vc4vk_watcher_watch_locked(struct vc4vk_external *external);

#endif
