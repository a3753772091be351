/* SPDX-License-Identifier: MIT
 *
 * Payloads of fences and semaphores that processes share by file descriptors.
 *
 * Opaque descriptors of fences and binary semaphores are eventfds: signalled while the counter is not zero, and a wait
 * of a semaphore takes the signal by reading it, so that of several waiters one gets it, in whatever process. The
 * kernel keeps the state, so no process can harm another by dying or by misusing the descriptor. Those of timeline
 * semaphores are memfds (vc4vk_counter.h). A sync file is the kernel's fence of somebody's job: it is waited for, and
 * never signalled or reset. Threads of the device wake sleepers of the store when something happens to a payload
 * (vc4vk_watcher.c).
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
    VC4VK_EXTERNAL_SYNC_FILE, /* fd -1: signalled since ever */
};

struct vc4vk_external {
    struct vc4vk_queue_device *device;
    _Atomic uint32_t refs;
    enum vc4vk_external_kind kind;
    int fd;
    uint64_t watched_at; /* the watcher's `wakes` when it was last asked to watch; under the store's lock */
    /* A counter's: */
    struct vc4vk_counter *counter;
    struct util_list link; /* in the watcher's, under its mutex */
    pthread_t thread;
    uint64_t seen_value; /* of the thread */
    _Atomic bool stop;
};

/* -- payloads (vc4vk_external.c) ---------------------------------------------------------------------------------- */

/* A new one; `value` of a counter, or whether it is signalled. VK_ERROR_TOO_MANY_OBJECTS or _OUT_OF_HOST_MEMORY without
 * a descriptor, memory or a thread. */
VkResult vc4vk_external_create(struct vc4vk_queue_device *device, enum vc4vk_external_kind kind, uint64_t value,
                               struct vc4vk_external **out);
struct vc4vk_external *vc4vk_external_ref(struct vc4vk_external *external); /* NULL is accepted */
void vc4vk_external_unref(struct vc4vk_external *external);                 /* NULL is accepted */

/* Signals it, or raises the counter to `value`. Sync files are left alone. */
void vc4vk_external_signal(struct vc4vk_external *external, uint64_t value);
/* Takes the signal of an eventfd, if there is one. */
void vc4vk_external_take(struct vc4vk_external *external);
uint64_t vc4vk_external_value(const struct vc4vk_external *external); /* of a counter */

/* These two look, and when the answer is no, the store's sleepers are woken when it may be yes. */
bool vc4vk_external_is_signalled_locked(struct vc4vk_external *external);
/* Takes the signal; of a counter, whether it has reached `value`. */
bool vc4vk_external_wait_is_over_locked(struct vc4vk_external *external, uint64_t value);

/* -- what fences and semaphores have of them ---------------------------------------------------------------------- */

/* Instead of a payload of their own. An import may be temporary: it then stands in for the lasting one until it is
 * dropped. Under the store's lock. */
struct vc4vk_shared {
    struct vc4vk_external *lasting, *temporary; /* referenced; may be NULL */
};

/* The payload in force, or NULL. Not a reference of its own. */
static inline struct vc4vk_external *vc4vk_shared_current(const struct vc4vk_shared *shared)
{
    return shared->temporary ? shared->temporary : shared->lasting;
}

/* These two take the lock. Import takes over `fd` on success; VK_ERROR_INVALID_EXTERNAL_HANDLE when it is not of this
 * kind. Export gives the caller a descriptor of the payload in force; the same error when nothing is shared. */
VkResult vc4vk_shared_import(struct vc4vk_queue_device *device, struct vc4vk_shared *shared,
                             enum vc4vk_external_kind kind, int fd, bool is_temporary);
VkResult vc4vk_shared_export(struct vc4vk_queue_device *device, const struct vc4vk_shared *shared, int *fd_out);
/* A sync file that was imported, further to the next: the import ends. -1: signalled since ever. */
VkResult vc4vk_shared_export_sync_file(struct vc4vk_queue_device *device, struct vc4vk_shared *shared, int *fd_out);
/* What was there before the temporary import is there again. */
void vc4vk_shared_drop_temporary_locked(struct vc4vk_shared *shared);
void vc4vk_shared_finish(struct vc4vk_shared *shared);

/* -- sync files of our own jobs (vc4vk_sync_file.c) --------------------------------------------------------------- */

/* A sync file that signals when `set` has retired; the caller's, -1 when it has retired. Sleeps until nothing but one
 * job of the kernel's is left of it, or nothing at all: what has no fence in the kernel gets none.
 * VK_ERROR_TOO_MANY_OBJECTS. */
VkResult vc4vk_timestamps_export(struct vc4vk_queue_device *device, const struct vc4vk_timestamp_set *set, int *fd_out);

/* -- the watcher (vc4vk_watcher.c) -------------------------------------------------------------------------------- */

/* One thread for all descriptors that can be polled, started with the first, and one for each counter. */
struct vc4vk_watcher {
    pthread_mutex_t mutex;     /* of the list */
    struct util_list counters; /* of vc4vk_external */
    pthread_t thread;
    bool is_running; /* under the store's lock */
    int epoll_fd, stop_fd;
    uint64_t wakes; /* how often something was signalled, from 1; under the store's lock */
};

void vc4vk_watcher_init(struct vc4vk_watcher *watcher);
/* Nothing is watched any more. */
void vc4vk_watcher_finish(struct vc4vk_watcher *watcher);

/* From here on changes of the payload may be watched; false without the thread or memory for it. */
bool vc4vk_watcher_add(struct vc4vk_external *external);
/* Nobody has a reference any more: frees it, now or as soon as its thread has ended. */
void vc4vk_watcher_remove(struct vc4vk_external *external);
/* The store's sleepers are woken when the descriptor becomes readable. Counters are watched always. */
void vc4vk_watcher_watch_locked(struct vc4vk_external *external);

#endif
