/* SPDX-License-Identifier: MIT
 *
 * Long CPU operations on all cores: copies, clears and blits are cut into bands, which the thread that runs the
 * operation and a few helpers take in turn. The helpers start with the first operation that wants them, and sleep
 * between operations. One operation has them at a time; another one that comes meanwhile runs on its own thread.
 */
#ifndef QUEUE_VC4VK_PARALLEL_H
#define QUEUE_VC4VK_PARALLEL_H

#include <pthread.h>
#include <stdatomic.h>
#include "util/macros.h"

#define VC4VK_MAX_HELPERS 15u

struct vc4vk_parallel {
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    pthread_t helpers[VC4VK_MAX_HELPERS];
    uint32_t helper_count;
    bool is_ready, has_started, is_taken, stop;
    bool is_open;     /* there may be bands left of the operation */
    uint32_t round;   /* counts operations */
    uint32_t working; /* helpers that have begun with this one and have not finished */
    uint32_t count;   /* bands */
    void (*run)(void *data, uint32_t band);
    void *data;
    atomic_uint next; /* band that nobody has taken */
};

/* 0 or an errno. */
int vc4vk_parallel_init(struct vc4vk_parallel *parallel) UTIL_MUST_CHECK;
/* Nobody runs anything any more. A zeroed struct is accepted. */
void vc4vk_parallel_finish(struct vc4vk_parallel *parallel);

/* Calls `run` once for each band in [0, count), from several threads and in any order, and returns when all are done.
 */
void vc4vk_parallel_for(struct vc4vk_parallel *parallel, uint32_t count, void (*run)(void *data, uint32_t band),
                        void *data);

#endif
