/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include "util/log.h"
#include "util/thread.h"

#define NS_PER_S        UINT64_C(1000000000)
#define MAX_ESTIMATE_NS UINT64_C(1000000)

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

static _Thread_local uint64_t excluded_ns; /* util_thread_exclude_ns() */

uint64_t util_thread_time_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec - excluded_ns;
}

void util_thread_exclude_ns(uint64_t ns)
{
    excluded_ns += ns;
}

uint64_t util_work_clock_begin(struct util_work_clock *clock)
{
    clock->now_ns = util_now_ns();
    clock->thread_ns = util_thread_time_ns();
    return clock->thread_ns;
}

uint64_t util_work_clock_ns(struct util_work_clock *clock)
{
    const uint64_t passed_ns = util_now_ns() - clock->now_ns;
    return passed_ns < MAX_ESTIMATE_NS ? clock->thread_ns + passed_ns : util_work_clock_begin(clock);
}

void util_work_limit_begin_at(struct util_work_limit *limit, uint64_t thread_ns, uint64_t limit_ns)
{
    limit->next_check_ns = util_deadline_ns(limit_ns);
    limit->end_ns = limit_ns > UTIL_FOREVER_NS - thread_ns ? UTIL_FOREVER_NS : thread_ns + limit_ns;
    limit->cancelled = NULL;
}

void util_work_limit_begin(struct util_work_limit *limit, uint64_t limit_ns)
{
    util_work_limit_begin_at(limit, util_thread_time_ns(), limit_ns);
}

uint64_t util_work_limit_left_ns(const struct util_work_limit *limit)
{
    const uint64_t now_ns = util_thread_time_ns();
    return limit->end_ns > now_ns ? limit->end_ns - now_ns : 0;
}

bool util_work_limit_is_reached(struct util_work_limit *limit)
{
    if (limit->cancelled && atomic_load_explicit(limit->cancelled, memory_order_relaxed))
        return true;
    if (util_now_ns() < limit->next_check_ns)
        return false;
    const uint64_t left_ns = util_work_limit_left_ns(limit);
    limit->next_check_ns = util_deadline_ns(left_ns);
    return !left_ns;
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
    /* The deadline would overflow a 32-bit time_t: wait without one. */
    if (deadline_ns / NS_PER_S >= INT32_MAX) {
        pthread_cond_wait(cond, mutex);
        return true;
    }
    struct timespec ts = {.tv_sec = (time_t)(deadline_ns / NS_PER_S), .tv_nsec = (long)(deadline_ns % NS_PER_S)};
    return pthread_cond_timedwait(cond, mutex, &ts) != ETIMEDOUT;
}

struct start {
    void *(*main)(void *arg);
    void *arg;
    struct util_log_domain *domain; /* owns a reference */
};

static void *start_main(void *arg)
{
    const struct start start = *(const struct start *)arg;
    free(arg);
    util_log_domain_set(start.domain);
    void *result = start.main(start.arg);
    util_log_domain_set(NULL);
    util_log_domain_unref(start.domain);
    return result;
}

int util_thread_create(pthread_t *thread, const char *name, void *(*main)(void *), void *arg)
{
    struct start *start = malloc(sizeof *start);
    if (!start)
        return ENOMEM;
    *start = (struct start){main, arg, util_log_domain_ref(util_log_domain_current())};
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int err = pthread_create(thread, NULL, start_main, start);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (err) {
        util_log_domain_unref(start->domain);
        free(start);
        return err;
    }
    pthread_setname_np(*thread, name);
    return 0;
}

unsigned util_cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}
