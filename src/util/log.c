/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include "util/debug.h"
#include "util/log.h"

static void (*log_sink)(void *data, enum util_log_level level, const char *line);
static void *log_sink_data;

/* Of the process, like stderr: who logs knows no instance. */
static pthread_mutex_t listeners_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct util_list listeners = {&listeners, &listeners};
static _Atomic uint32_t listener_count, perf_listener_count;
static _Thread_local bool is_hearing;

void util_log_set_sink(void (*sink)(void *data, enum util_log_level level, const char *line), void *data)
{
    log_sink = sink;
    log_sink_data = data;
}

bool util_log_wants_perf(void)
{
    return util_debug(UTIL_DEBUG_PERF) || atomic_load_explicit(&perf_listener_count, memory_order_relaxed);
}

void util_log_listen(struct util_log_listener *listener)
{
    pthread_mutex_lock(&listeners_mutex);
    util_list_add_tail(&listeners, &listener->link);
    listener_count++;
    perf_listener_count += listener->wants_perf;
    pthread_mutex_unlock(&listeners_mutex);
}

void util_log_unlisten(struct util_log_listener *listener)
{
    pthread_mutex_lock(&listeners_mutex);
    util_list_del(&listener->link);
    listener_count--;
    perf_listener_count -= listener->wants_perf;
    pthread_mutex_unlock(&listeners_mutex);
}

static void tell_listeners(enum util_log_level level, const char *line)
{
    if (is_hearing || !atomic_load_explicit(&listener_count, memory_order_relaxed))
        return;
    is_hearing = true;
    pthread_mutex_lock(&listeners_mutex);
    util_list_for_each (struct util_log_listener, listener, &listeners, link)
        if (level != UTIL_LOG_PERF || listener->wants_perf)
            listener->hear(listener, level, line);
    pthread_mutex_unlock(&listeners_mutex);
    is_hearing = false;
}

void util_logv(enum util_log_level level, const char *fmt, va_list va)
{
    static const char *const names[] = {[UTIL_LOG_ERROR] = "error",
                                        [UTIL_LOG_WARN] = "warning",
                                        [UTIL_LOG_PERF] = "perf",
                                        [UTIL_LOG_INFO] = "info"};
    char line[1024];
    vsnprintf(line, sizeof line, fmt, va);
    if (log_sink)
        log_sink(log_sink_data, level, line);
    else if (level != UTIL_LOG_PERF || util_debug(UTIL_DEBUG_PERF))
        fprintf(stderr, "vc4vk %s: %s\n", names[level], line);
    tell_listeners(level, line);
}

void util_log(enum util_log_level level, const char *fmt, ...)
{
    va_list va;
    va_start(va, fmt);
    util_logv(level, fmt, va);
    va_end(va);
}
