/* SPDX-License-Identifier: MIT
 *
 * A work-stealing thread pool, one per process. A caller runs a work of many tasks here (tiles, groups of programs,
 * bands of rows): its own thread begins at once, and helper threads steal half of the remaining tasks from it and from
 * each other. A helper that finds nothing more to steal joins another work, possibly of another queue or device.
 *
 * No more threads work at the same time than there are processors, unless there are more callers: helpers yield to
 * callers. Helper threads start when there is work for them. If none can be started, the caller does all tasks. Tasks
 * must not depend on each other: which thread runs a task, and in which order, is undefined.
 */
#ifndef UTIL_POOL_H
#define UTIL_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include "util/list.h"
#include "util/macros.h"

struct util_log_domain;

#define UTIL_POOL_MAX 64u /* threads of one work, including the caller's */

/* The tasks that a thread has left: the first in the low half of `tasks`, the end in the high half. As long as a cache
 * line, but aligned as malloc aligns. */
struct util_pool_slot {
    _Atomic uint64_t tasks;
    bool has_yielded; /* the thread in this slot has yielded and no longer counts as working */
    uint8_t padding[64 - sizeof(uint64_t) - sizeof(bool)];
};

struct util_pool_work {
    /* Called on each participating thread, among them the caller of util_pool_run, which has slot 0. Runs the tasks
     * that util_pool_take returns until it returns false. It can be called for a slot again, on the same thread (also
     * on the caller's) or on another. */
    void (*run)(struct util_pool_work *work, unsigned slot);
    uint32_t count; /* number of tasks */
    unsigned slots; /* maximum number of threads, up to UTIL_POOL_MAX; 0, 1: the caller alone */

    /* Private to pool.c. */
    struct util_list link;
    struct util_log_domain *domain; /* of the caller */
    _Atomic uint32_t end; /* tasks from here on are skipped */
    _Atomic bool is_closed;
    uint64_t taken_slots; /* bit mask; this and the next two are guarded by the pool's lock */
    unsigned helpers;
    bool is_finished;
    pthread_cond_t done;
    struct util_pool_slot slot[UTIL_POOL_MAX];
};

/* Takes a reference; needed before the first work. `threads` is the number of threads that may work at the same time,
 * including the caller's. 0 means VC4VK_MODEL_THREADS or, if that is unset, one per processor that the process may run
 * on. Returns the number, at least 1. */
unsigned util_pool_ref(unsigned threads);
/* Dropping the last reference ends the threads. */
void util_pool_unref(void);

/* Runs all tasks and returns when every thread has left the work. The caller has set `run`, `count` and `slots`. Must
 * not be called from `run`. */
void util_pool_run(struct util_pool_work *work);

/* Called in `run`: gets the next task. False when there is none for this thread. */
bool util_pool_take(struct util_pool_work *work, unsigned slot, uint32_t *task_out);

/* Called in `run`: skips the tasks from `task` on that no thread has taken yet. All earlier tasks still run. */
void util_pool_truncate(struct util_pool_work *work, uint32_t task);

/* Called in `run` by a thread that cannot take part (out of memory): no further helper joins the work. */
void util_pool_close(struct util_pool_work *work);

/* For tests: number of helper threads. */
unsigned util_pool_test_helpers(void);

#endif
