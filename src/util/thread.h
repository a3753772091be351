/* SPDX-License-Identifier: MIT
 *
 * Time, waits with a deadline on the monotonic clock, and thread creation. Modules use pthreads directly for the rest.
 */
#ifndef UTIL_THREAD_H
#define UTIL_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include "util/macros.h"

#define UTIL_FOREVER_NS UINT64_MAX

/* CLOCK_MONOTONIC. */
uint64_t util_now_ns(void);

/* now + timeout, UTIL_FOREVER_NS on overflow. */
uint64_t util_deadline_ns(uint64_t timeout_ns);

/* CLOCK_THREAD_CPUTIME_ID: the processor time of the calling thread, without what was excluded. */
uint64_t util_thread_time_ns(void);
/* Excludes processor time that the calling thread has spent on something that does not count as its work. */
void util_thread_exclude_ns(uint64_t ns);

/* The processor time of one thread for work in short pieces. A reading of the thread's clock is a system call; for the
 * next millisecond the time that has passed on the monotonic clock is added to it. */
struct util_work_clock {
    uint64_t thread_ns, now_ns; /* util_thread_time_ns() and util_now_ns() of the last reading */
};

/* Starts for the calling thread, and returns its processor time. Only that thread may use the clock. */
uint64_t util_work_clock_begin(struct util_work_clock *clock);
/* The thread's processor time, at most a millisecond too much. */
uint64_t util_work_clock_ns(struct util_work_clock *clock);

/* A limit on the processor time of one thread, so that slow work on a loaded machine does not count as a hang. Checking
 * is cheap: the limit cannot be reached before as much time has passed on the monotonic clock. */
struct util_work_limit {
    uint64_t next_check_ns; /* util_now_ns() before which the limit cannot be reached */
    uint64_t end_ns;        /* util_thread_time_ns() at which it is reached */
    const atomic_bool *cancelled; /* the limit is reached as soon as it is true; NULL: nobody cancels */
};

/* Starts now, for the calling thread, with `cancelled` NULL. Only that thread may check the limit. */
void util_work_limit_begin(struct util_work_limit *limit, uint64_t limit_ns);
/* The same for a caller that has just read the thread's time: util_thread_time_ns() or util_work_clock_ns(). */
void util_work_limit_begin_at(struct util_work_limit *limit, uint64_t thread_ns, uint64_t limit_ns);
uint64_t util_work_limit_left_ns(const struct util_work_limit *limit);
bool util_work_limit_is_reached(struct util_work_limit *limit);

/* A condition variable whose timed waits use CLOCK_MONOTONIC. Returns 0 or an errno. */
int util_cond_init(pthread_cond_t *cond) UTIL_MUST_CHECK;

/* Waits until signalled or until the absolute deadline; false when the deadline has passed. */
bool util_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline_ns);

/* Starts a thread with the log domain of the caller (util/log.h). All signals are blocked, so that the application's
 * handlers never run on our threads. Returns 0 or an errno. */
int util_thread_create(pthread_t *thread, const char *name, void *(*main)(void *), void *arg) UTIL_MUST_CHECK;

/* Number of processors this process may run on, at least 1. */
unsigned util_cpu_count(void);

#endif
