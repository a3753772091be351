/* SPDX-License-Identifier: MIT
 *
 * Messages, log domains and listeners (log.h). A domain's lock is the innermost lock: no callback runs while it is
 * held.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/debug.h"
#include "util/log_domain.h"
#include "util/thread.h"

#define MAX_PENDING 256                  /* undelivered messages of a domain; further ones are dropped */
#define MAX_PRINTS  20000 /* the same when they are what shaders print: about as many as a job may have */
#define TIMEOUT_NS  UINT64_C(1000000000) /* for a listener or the domain's thread to return */

static void (*log_sink)(void *data, enum util_log_level level, const char *line);
static void *log_sink_data;

static pthread_mutex_t domains_mutex = PTHREAD_MUTEX_INITIALIZER; /* taken before a domain's */
static struct util_list domains = {&domains, &domains};
static _Atomic uint32_t listener_count, perf_listener_count;

void util_log_set_sink(void (*sink)(void *data, enum util_log_level level, const char *line), void *data)
{
    log_sink = sink;
    log_sink_data = data;
}

bool util_log_wants_perf(void)
{
    return util_debug(UTIL_DEBUG_PERF) || atomic_load_explicit(&perf_listener_count, memory_order_relaxed);
}

bool util_log_wants_prints(const struct util_log_domain *domain)
{
    return util_debug(UTIL_DEBUG_PRINTF) ||
           (domain && atomic_load_explicit(&domain->print_listener_count, memory_order_relaxed));
}

bool util_log_has_listeners(const struct util_log_domain *domain)
{
    return domain && atomic_load_explicit(&domain->listener_count, memory_order_relaxed);
}

/* -- listeners ---------------------------------------------------------------------------------------------------- */

void util_log_listen(struct util_log_domain *domain, struct util_log_listener *listener)
{
    listener->refs = 1;
    listener->active_calls = 0;
    listener->is_removed = false;
    pthread_mutex_lock(&domain->mutex);
    util_list_add_tail(&domain->listeners, &listener->link);
    domain->listener_count++;
    domain->print_listener_count += listener->wants_prints;
    pthread_mutex_unlock(&domain->mutex);
    listener_count++;
    perf_listener_count += listener->wants_perf;
}

static void unref_and_unlock(struct util_log_domain *domain, struct util_log_listener *listener)
{
    const bool is_last = --listener->refs == 0;
    pthread_mutex_unlock(&domain->mutex);
    if (is_last && listener->release)
        listener->release(listener);
}

void util_log_unlisten(struct util_log_domain *domain, struct util_log_listener *listener)
{
    const uint64_t deadline_ns = util_deadline_ns(TIMEOUT_NS);
    listener_count--;
    perf_listener_count -= listener->wants_perf;
    bool in_time = !util_log_this_thread.in_listener; /* a listener that removes itself or another one must not wait */
    pthread_mutex_lock(&domain->mutex);
    while (domain->thread_exists && (!util_list_is_empty(&domain->pending) || domain->is_delivering) && in_time)
        in_time = util_cond_wait_until(&domain->changed, &domain->mutex, deadline_ns);
    util_list_del(&listener->link);
    domain->listener_count--;
    domain->print_listener_count -= listener->wants_prints;
    listener->is_removed = true;
    while (listener->active_calls && in_time)
        in_time = util_cond_wait_until(&domain->changed, &domain->mutex, deadline_ns);
    unref_and_unlock(domain, listener);
}

/* A malloc'ed array of the domain's listeners, with a reference to each. NULL: no listeners, or out of memory. */
static struct util_log_listener **ref_listeners(struct util_log_domain *domain, uint32_t *count_out)
{
    struct util_log_listener **held = NULL;
    uint32_t count = 0;
    pthread_mutex_lock(&domain->mutex);
    if (domain->listener_count)
        held = malloc(domain->listener_count * sizeof *held);
    if (held)
        util_list_for_each(struct util_log_listener, listener, &domain->listeners, link) {
            listener->refs++;
            held[count++] = listener;
        }
    pthread_mutex_unlock(&domain->mutex);
    *count_out = count;
    return held;
}

void util_log_for_each_listener(struct util_log_domain *domain,
                                void (*each)(struct util_log_listener *listener, void *data), void *data)
{
    uint32_t count;
    struct util_log_listener **held = ref_listeners(domain, &count);
    for (uint32_t i = 0; i < count; i++) {
        pthread_mutex_lock(&domain->mutex);
        const bool is_active = !held[i]->is_removed;
        held[i]->active_calls += is_active;
        pthread_mutex_unlock(&domain->mutex);
        if (is_active)
            each(held[i], data);
        pthread_mutex_lock(&domain->mutex);
        held[i]->active_calls -= is_active;
        pthread_cond_broadcast(&domain->changed);
        unref_and_unlock(domain, held[i]);
    }
    free(held);
}

static void deliver_one(struct util_log_listener *listener, void *data)
{
    const struct util_log_message *message = data;
    if ((message->level != UTIL_LOG_PERF || listener->wants_perf) &&
        (message->level != UTIL_LOG_PRINT || listener->wants_prints))
        listener->hear(listener, message->level, message->line);
}

/* Delivers the messages to the domain's listeners and frees them. */
static void deliver(struct util_log_domain *domain, struct util_list *messages)
{
    const bool was_hearing = util_log_this_thread.in_listener;
    util_log_this_thread.in_listener = true;
    util_list_for_each_safe(struct util_log_message, message, messages, link) {
        util_log_for_each_listener(domain, deliver_one, message);
        free(message);
    }
    util_log_this_thread.in_listener = was_hearing;
}

/* -- messages ----------------------------------------------------------------------------------------------------- */

static struct util_log_message *make_message(enum util_log_level level, const char *line)
{
    const size_t line_B = strlen(line) + 1;
    struct util_log_message *message = malloc(sizeof *message + line_B);
    if (!message)
        return NULL;
    message->level = level;
    memcpy(message->line, line, line_B);
    return message;
}

/* Shaders print faster than a callback may take messages. */
static void add_lost_prints_locked(struct util_log_domain *domain, struct util_list *messages)
{
    char line[80];
    snprintf(line, sizeof line, "(%u messages of shaders are lost: too many at once)", domain->lost_prints);
    struct util_log_message *message = domain->lost_prints ? make_message(UTIL_LOG_PRINT, line) : NULL;
    domain->lost_prints = 0;
    if (message)
        util_list_add_tail(messages, &message->link);
}

/* The main function of the domain's thread. */
static void *deliver_pending(void *arg)
{
    struct util_log_domain *domain = arg;
    struct util_list taken;
    pthread_mutex_lock(&domain->mutex);
    for (;;) {
        while (util_list_is_empty(&domain->pending) && !domain->stop)
            pthread_cond_wait(&domain->changed, &domain->mutex);
        if (util_list_is_empty(&domain->pending))
            break;
        util_list_init(&taken);
        util_list_splice_tail(&taken, &domain->pending);
        add_lost_prints_locked(domain, &taken);
        domain->pending_count = domain->pending_prints = 0;
        domain->is_delivering = true;
        pthread_mutex_unlock(&domain->mutex);
        deliver(domain, &taken);
        pthread_mutex_lock(&domain->mutex);
        domain->is_delivering = false;
        pthread_cond_broadcast(&domain->changed);
    }
    domain->thread_has_ended = true;
    pthread_cond_broadcast(&domain->changed);
    pthread_mutex_unlock(&domain->mutex);
    util_log_domain_unref(domain);
    return NULL;
}

/* Runs outside the domain, so that messages from here do not lead back to it. */
static void start_thread_locked(struct util_log_domain *domain)
{
    struct util_log_domain *before = util_log_domain_set(NULL);
    domain->thread_exists = !util_thread_create(&domain->thread, "vc4vk-messages", deliver_pending, domain);
    domain->refs += domain->thread_exists;
    util_log_domain_set(before);
}

/* Queues a message for the domain's thread. The first message starts the thread. */
static void add_pending(struct util_log_domain *domain, enum util_log_level level, const char *line)
{
    if (!util_log_has_listeners(domain))
        return;
    struct util_log_message *message = make_message(level, line);
    const bool is_print = level == UTIL_LOG_PRINT;
    uint32_t *count = is_print ? &domain->pending_prints : &domain->pending_count;
    pthread_mutex_lock(&domain->mutex);
    if (message && *count < (is_print ? MAX_PRINTS : MAX_PENDING) && !domain->stop) {
        util_list_add_tail(&domain->pending, &message->link);
        ++*count;
        message = NULL;
        if (!domain->thread_exists)
            start_thread_locked(domain);
        pthread_cond_broadcast(&domain->changed);
    }
    domain->lost_prints += message && is_print;
    pthread_mutex_unlock(&domain->mutex);
    free(message);
}

static void queue_message(enum util_log_level level, const char *line)
{
    if (!util_log_this_thread.domain || util_log_this_thread.in_listener ||
        !atomic_load_explicit(&listener_count, memory_order_relaxed))
        return;
    if (util_log_this_thread.domain == &util_log_all_domains) {
        pthread_mutex_lock(&domains_mutex);
        util_list_for_each(struct util_log_domain, domain, &domains, link)
            add_pending(domain, level, line);
        pthread_mutex_unlock(&domains_mutex);
    } else if (util_log_this_thread.call) {
        struct util_log_message *message = make_message(level, line);
        if (message)
            util_list_add_tail(&util_log_this_thread.call->messages, &message->link);
    } else {
        add_pending(util_log_this_thread.domain, level, line);
    }
}

static bool is_for_stderr(enum util_log_level level)
{
    switch (level) {
    case UTIL_LOG_PERF:
    case UTIL_LOG_IGNORED:
        return util_debug(UTIL_DEBUG_PERF);
    case UTIL_LOG_PRINT:
        return util_debug(UTIL_DEBUG_PRINTF);
    default:
        return true;
    }
}

void util_logv(enum util_log_level level, const char *fmt, va_list va)
{
    static const char *const names[] = {
        [UTIL_LOG_ERROR] = "error",     [UTIL_LOG_WARN] = "warning", [UTIL_LOG_PERF] = "perf",
        [UTIL_LOG_IGNORED] = "ignored", [UTIL_LOG_INFO] = "info",    [UTIL_LOG_PRINT] = "printf"};
    char line[UTIL_LOG_LINE_B];
    vsnprintf(line, sizeof line, fmt, va);
    if (log_sink)
        log_sink(log_sink_data, level, line);
    else if (is_for_stderr(level))
        fprintf(stderr, "vc4vk %s: %s\n", names[level], line);
    queue_message(level, line);
}

void util_log(enum util_log_level level, const char *fmt, ...)
{
    va_list va;
    va_start(va, fmt);
    util_logv(level, fmt, va);
    va_end(va);
}

/* -- calls -------------------------------------------------------------------------------------------------------- */

void util_log_call_begin(struct util_log_call *call, struct util_log_domain *domain)
{
    call->domain = domain;
    if (!domain)
        return;
    call->domain_before = util_log_this_thread.domain;
    call->call_before = util_log_this_thread.call;
    util_list_init(&call->messages);
    util_log_this_thread.domain = domain;
    util_log_this_thread.call = call;
}

void util_log_call_end(struct util_log_call *call)
{
    if (!call->domain)
        return;
    util_log_this_thread.domain = call->domain_before;
    util_log_this_thread.call = call->call_before;
    if (!util_list_is_empty(&call->messages))
        deliver(call->domain, &call->messages);
}

struct util_log_call *util_log_call_suspend(void)
{
    struct util_log_call *call = util_log_this_thread.call;
    util_log_this_thread.call = NULL;
    return call;
}

void util_log_call_resume(struct util_log_call *call)
{
    util_log_this_thread.call = call;
}

/* -- domains ------------------------------------------------------------------------------------------------------ */

/* The child has neither the listeners nor the domain's thread, and a lock that another thread held would stay locked.
 * So each domain is reset and delivers nothing any more. Its link stays valid for util_log_domain_destroy. */
static void reset_after_fork(void)
{
    domains_mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    util_list_for_each_safe (struct util_log_domain, domain, &domains, link) {
        util_list_del(&domain->link);
        util_list_init(&domain->link);
        pthread_mutex_init(&domain->mutex, NULL);
        (void)!util_cond_init(&domain->changed);
        util_list_init(&domain->pending);
        domain->pending_count = domain->pending_prints = 0;
        domain->thread_exists = domain->is_delivering = false;
        domain->stop = true;
    }
}

static void install_fork_handler(void)
{
    if (pthread_atfork(NULL, NULL, reset_after_fork))
        util_warn("pthread_atfork failed: child processes cannot deliver messages to debug messengers");
}

struct util_log_domain *util_log_domain_create(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_fork_handler);
    struct util_log_domain *domain = calloc(1, sizeof *domain);
    if (!domain || pthread_mutex_init(&domain->mutex, NULL)) {
        free(domain);
        return NULL;
    }
    if (util_cond_init(&domain->changed)) {
        pthread_mutex_destroy(&domain->mutex);
        free(domain);
        return NULL;
    }
    domain->refs = 1;
    util_list_init(&domain->listeners);
    util_list_init(&domain->pending);
    pthread_mutex_lock(&domains_mutex);
    util_list_add_tail(&domains, &domain->link);
    pthread_mutex_unlock(&domains_mutex);
    return domain;
}

/* Waits at most TIMEOUT_NS for the thread to end, as a listener may wait for a lock that the caller holds. Returns
 * whether it has ended. */
static bool stop_thread(struct util_log_domain *domain)
{
    const uint64_t deadline_ns = util_deadline_ns(TIMEOUT_NS);
    bool in_time = true;
    pthread_mutex_lock(&domain->mutex);
    domain->stop = true;
    pthread_cond_broadcast(&domain->changed);
    while (domain->thread_exists && !domain->thread_has_ended && in_time)
        in_time = util_cond_wait_until(&domain->changed, &domain->mutex, deadline_ns);
    pthread_mutex_unlock(&domain->mutex);
    return in_time;
}

/* Keeps the loader from unloading the library while a thread still runs in it. */
static void pin_library(void)
{
    Dl_info info;
    if (dladdr(&util_log_all_domains, &info) && info.dli_fname)
        (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

void util_log_domain_destroy(struct util_log_domain *domain)
{
    if (!domain)
        return;
    pthread_mutex_lock(&domains_mutex);
    util_list_del(&domain->link);
    pthread_mutex_unlock(&domains_mutex);
    const bool has_ended = stop_thread(domain);
    if (domain->thread_exists && has_ended) {
        pthread_join(domain->thread, NULL);
    } else if (domain->thread_exists) {
        pin_library();
        pthread_detach(domain->thread);
    }
    util_log_domain_unref(domain);
}
