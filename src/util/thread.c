/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include "util/thread.h"

#define NS_PER_S UINT64_C(1000000000)

uint64_t util_now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t util_deadline_ns(uint64_t timeout_ns)
{
    uint64_t now_ns = util_now_ns();
    return timeout_ns > UTIL_FOREVER_NS - now_ns ? UTIL_FOREVER_NS : now_ns + timeout_ns;
}

int util_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    int err = pthread_condattr_init(&attr);
    if (err)
        return err;
    err = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    if (!err)
        err = pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
    return err;
}

bool util_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline_ns)
{
    /* Far deadlines would not fit time_t on 32-bit machines; nobody notices the difference. */
    if (deadline_ns / NS_PER_S >= INT32_MAX) {
        pthread_cond_wait(cond, mutex);
        return true;
    }
    struct timespec ts = {.tv_sec = (time_t)(deadline_ns / NS_PER_S), .tv_nsec = (long)(deadline_ns % NS_PER_S)};
    return pthread_cond_timedwait(cond, mutex, &ts) != ETIMEDOUT;
}

int util_thread_create(pthread_t *thread, const char *name, void *(*main)(void *), void *arg)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int err = pthread_create(thread, NULL, main, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!err)
        pthread_setname_np(*thread, name);
    return err;
}

unsigned util_cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}
