/* SPDX-License-Identifier: MIT
 *
 * The threads that work: one pool for the process, as the processors are one set for the process. Whoever has work that
 * falls into many tasks (tiles, groups of programs, bands of rows) runs it here: the calling thread begins at once, and
 * helpers take tasks from it, and from each other, by halves of what is left. A helper that finds nothing more goes on
 * with the work of somebody else, another queue's or device's.
 *
 * Threads that work at the same time are no more than the processors, or than the callers if those are more: a helper
 * gives way to a caller. Helpers start when there is work for them; who cannot have them does without. Which thread does
 * which task, and in which order, is left open: tasks must not depend on each other.
 */
#ifndef UTIL_POOL_H
#define UTIL_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include "util/list.h"
#include "util/macros.h"

struct util_log_domain;

#define UTIL_POOL_MAX 64u /* threads of one work, with the caller's */

/* Tasks that a thread has before it, from `begin` in the low half to `end` in the high one. As long as a cache line, but
 * aligned as malloc aligns. */
struct util_pool_slot {
    _Atomic uint64_t tasks;
    bool has_yielded; /* of the thread in it: it gave way, and is no longer counted */
    uint8_t padding[64 - sizeof(uint64_t) - sizeof(bool)];
};

struct util_pool_work {
    /* Called by each thread that takes part, the caller of util_pool_run among them, which is in slot 0: does what
     * util_pool_take gives, until it gives nothing. A thread may leave and another, or the same one, the caller too,
     * come into its slot. */
    void (*run)(struct util_pool_work *work, unsigned slot);
    uint32_t count; /* of tasks */
    unsigned slots; /* threads at most, up to UTIL_POOL_MAX; 0, 1: the caller alone */

    /* The pool's own. */
    struct util_list link;
    struct util_log_domain *domain; /* of the caller */
    _Atomic uint32_t end; /* tasks from here on are not done any more */
    _Atomic bool is_closed;
    uint64_t taken_slots; /* these three under the pool's lock */
    unsigned helpers;
    bool is_over;
    pthread_cond_t done;
    struct util_pool_slot slot[UTIL_POOL_MAX];
};

/* Before the first work. `threads` is how many shall work, with the caller's: 0 = VC4VK_MODEL_THREADS, else one per
 * processor that the process may run on. Returns it, at least 1. */
unsigned util_pool_ref(unsigned threads);
/* The last one ends the threads. */
void util_pool_unref(void);

/* Does all tasks and returns when each thread has left the work. `run`, `count` and `slots` are set. Never called by
 * `run`. */
void util_pool_run(struct util_pool_work *work);

/* In `run`: the next task, false when there is none for this thread. */
bool util_pool_take(struct util_pool_work *work, unsigned slot, uint32_t *task_out);

/* In `run`: tasks from `task` on, which nobody has taken yet, are not done; all before it are. */
void util_pool_truncate(struct util_pool_work *work, uint32_t task);

/* In `run`, by a thread that cannot take part (it has no memory): no other one joins. */
void util_pool_close(struct util_pool_work *work);

/* For tests: threads that there are. */
unsigned util_pool_test_helpers(void);

#endif
