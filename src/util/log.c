/* SPDX-License-Identifier: MIT
 *
 * Messages, log domains and listeners (log.h). A domain's lock is the innermost of all: nothing is called under it.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/debug.h"
#include "util/log.h"
#include "util/thread.h"

#define LINE_B       1024
#define MOST_PENDING 256 /* messages of a domain that nobody has heard yet; more are dropped */
#define PATIENCE_NS  UINT64_C(1000000000)

struct message {
    struct util_list link;
    enum util_log_level level;
    char line[]; /* with its 0 */
};

struct util_log_domain {
    struct util_list link; /* in `domains` */
    pthread_mutex_t mutex; /* of what follows, and of the listeners' own fields */
    pthread_cond_t changed;
    _Atomic uint32_t listener_count;
    uint32_t refs; /* the creator's and one of each thread that works for it */
    struct util_list listeners;
    struct util_list pending; /* of struct message: said by the driver's threads */
    uint32_t pending_count;
    pthread_t thread; /* tells them */
    bool thread_is_there, stop, thread_has_ended;
};

/* Of the calling thread. */
static _Thread_local struct {
    struct util_log_domain *domain;
    struct util_log_call *call; /* innermost */
    bool is_hearing;            /* a listener runs */
} own;

static void (*log_sink)(void *data, enum util_log_level level, const char *line);
static void *log_sink_data;

static pthread_mutex_t domains_mutex = PTHREAD_MUTEX_INITIALIZER; /* taken before a domain's */
static struct util_list domains = {&domains, &domains};
static struct util_log_domain all; /* stands for all of them */
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

bool util_log_has_listeners(const struct util_log_domain *domain)
{
    return domain && atomic_load_explicit(&domain->listener_count, memory_order_relaxed);
}

/* -- listeners ---------------------------------------------------------------------------------------------------- */

void util_log_listen(struct util_log_domain *domain, struct util_log_listener *listener)
{
    listener->refs = 1;
    listener->hearing = 0;
    listener->is_gone = false;
    pthread_mutex_lock(&domain->mutex);
    util_list_add_tail(&domain->listeners, &listener->link);
    domain->listener_count++;
    pthread_mutex_unlock(&domain->mutex);
    listener_count++;
    perf_listener_count += listener->wants_perf;
}

/* Drops a reference and the lock. */
static void put_and_unlock(struct util_log_domain *domain, struct util_log_listener *listener)
{
    const bool is_last = --listener->refs == 0;
    pthread_mutex_unlock(&domain->mutex);
    if (is_last && listener->release)
        listener->release(listener);
}

void util_log_unlisten(struct util_log_domain *domain, struct util_log_listener *listener)
{
    const uint64_t deadline_ns = util_deadline_ns(PATIENCE_NS);
    listener_count--;
    perf_listener_count -= listener->wants_perf;
    pthread_mutex_lock(&domain->mutex);
    util_list_del(&listener->link);
    domain->listener_count--;
    listener->is_gone = true;
    bool in_time = !own.is_hearing; /* a listener that ends itself, or another one, waits for nobody */
    while (listener->hearing && in_time)
        in_time = util_cond_wait_until(&domain->changed, &domain->mutex, deadline_ns);
    put_and_unlock(domain, listener);
}

/* The listeners that are there, each with a reference; to be freed. NULL: none, or out of memory. */
static struct util_log_listener **hold_listeners(struct util_log_domain *domain, uint32_t *count_out)
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
    struct util_log_listener **held = hold_listeners(domain, &count);
    for (uint32_t i = 0; i < count; i++) {
        pthread_mutex_lock(&domain->mutex);
        const bool is_there = !held[i]->is_gone;
        held[i]->hearing += is_there;
        pthread_mutex_unlock(&domain->mutex);
        if (is_there)
            each(held[i], data);
        pthread_mutex_lock(&domain->mutex);
        held[i]->hearing -= is_there;
        pthread_cond_broadcast(&domain->changed);
        put_and_unlock(domain, held[i]);
    }
    free(held);
}

static void hear(struct util_log_listener *listener, void *data)
{
    const struct message *message = data;
    if (message->level != UTIL_LOG_PERF || listener->wants_perf)
        listener->hear(listener, message->level, message->line);
}

/* Tells the domain's listeners, and frees the messages. */
static void tell(struct util_log_domain *domain, struct util_list *messages)
{
    const bool was_hearing = own.is_hearing;
    own.is_hearing = true;
    util_list_for_each_safe(struct message, message, messages, link) {
        util_log_for_each_listener(domain, hear, message);
        free(message);
    }
    own.is_hearing = was_hearing;
}

/* -- messages ----------------------------------------------------------------------------------------------------- */

static struct message *make_message(enum util_log_level level, const char *line)
{
    const size_t line_B = strlen(line) + 1;
    struct message *message = malloc(sizeof *message + line_B);
    if (!message)
        return NULL;
    message->level = level;
    memcpy(message->line, line, line_B);
    return message;
}

static void *tell_pending(void *arg)
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
        domain->pending_count = 0;
        pthread_mutex_unlock(&domain->mutex);
        tell(domain, &taken);
        pthread_mutex_lock(&domain->mutex);
    }
    domain->thread_has_ended = true;
    pthread_cond_broadcast(&domain->changed);
    pthread_mutex_unlock(&domain->mutex);
    util_log_domain_unref(domain);
    return NULL;
}

/* Says nothing itself that would be heard. */
static void start_thread_locked(struct util_log_domain *domain)
{
    struct util_log_domain *before = util_log_domain_set(NULL);
    domain->thread_is_there = !util_thread_create(&domain->thread, "vc4vk-messages", tell_pending, domain);
    domain->refs += domain->thread_is_there;
    util_log_domain_set(before);
}

/* Starts the domain's thread with the first message. */
static void add_pending(struct util_log_domain *domain, enum util_log_level level, const char *line)
{
    if (!util_log_has_listeners(domain))
        return;
    struct message *message = make_message(level, line);
    pthread_mutex_lock(&domain->mutex);
    if (message && domain->pending_count < MOST_PENDING && !domain->stop) {
        util_list_add_tail(&domain->pending, &message->link);
        domain->pending_count++;
        message = NULL;
        if (!domain->thread_is_there)
            start_thread_locked(domain);
        pthread_cond_broadcast(&domain->changed);
    }
    pthread_mutex_unlock(&domain->mutex);
    free(message);
}

static void tell_listeners(enum util_log_level level, const char *line)
{
    if (!own.domain || own.is_hearing || !atomic_load_explicit(&listener_count, memory_order_relaxed))
        return;
    if (own.domain == &all) {
        pthread_mutex_lock(&domains_mutex);
        util_list_for_each(struct util_log_domain, domain, &domains, link)
            add_pending(domain, level, line);
        pthread_mutex_unlock(&domains_mutex);
    } else if (own.call) {
        struct message *message = make_message(level, line);
        if (message)
            util_list_add_tail(&own.call->messages, &message->link);
    } else {
        add_pending(own.domain, level, line);
    }
}

void util_logv(enum util_log_level level, const char *fmt, va_list va)
{
    static const char *const names[] = {[UTIL_LOG_ERROR] = "error",
                                        [UTIL_LOG_WARN] = "warning",
                                        [UTIL_LOG_PERF] = "perf",
                                        [UTIL_LOG_IGNORED] = "ignored",
                                        [UTIL_LOG_INFO] = "info"};
    char line[LINE_B];
    vsnprintf(line, sizeof line, fmt, va);
    if (log_sink)
        log_sink(log_sink_data, level, line);
    else if ((level != UTIL_LOG_PERF && level != UTIL_LOG_IGNORED) || util_debug(UTIL_DEBUG_PERF))
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

/* -- calls -------------------------------------------------------------------------------------------------------- */

void util_log_call_begin(struct util_log_call *call, struct util_log_domain *domain)
{
    call->domain = domain;
    if (!domain)
        return;
    call->domain_before = own.domain;
    call->call_before = own.call;
    util_list_init(&call->messages);
    own.domain = domain;
    own.call = call;
}

void util_log_call_end(struct util_log_call *call)
{
    if (!call->domain)
        return;
    own.domain = call->domain_before;
    own.call = call->call_before;
    if (!util_list_is_empty(&call->messages))
        tell(call->domain, &call->messages);
}

struct util_log_call *util_log_call_suspend(void)
{
    struct util_log_call *call = own.call;
    own.call = NULL;
    return call;
}

void util_log_call_resume(struct util_log_call *call)
{
    own.call = call;
}

/* -- domains ------------------------------------------------------------------------------------------------------ */

struct util_log_domain *util_log_domain_current(void)
{
    return own.domain;
}

struct util_log_domain *util_log_domain_set(struct util_log_domain *domain)
{
    struct util_log_domain *before = own.domain;
    own.domain = domain;
    return before;
}

struct util_log_domain *util_log_domain_all(void)
{
    return &all;
}

struct util_log_domain *util_log_domain_ref(struct util_log_domain *domain)
{
    if (domain && domain != &all) {
        pthread_mutex_lock(&domain->mutex);
        domain->refs++;
        pthread_mutex_unlock(&domain->mutex);
    }
    return domain;
}

void util_log_domain_unref(struct util_log_domain *domain)
{
    if (!domain || domain == &all)
        return;
    pthread_mutex_lock(&domain->mutex);
    const bool is_last = --domain->refs == 0;
    pthread_mutex_unlock(&domain->mutex);
    if (!is_last)
        return;
    util_list_for_each_safe(struct message, message, &domain->pending, link)
        free(message);
    pthread_cond_destroy(&domain->changed);
    pthread_mutex_destroy(&domain->mutex);
    free(domain);
}

/* Listeners and their thread are the parent's, and a lock that one of its threads had would stay locked: these domains
 * are nobody's any more. Links stay good for those who end them. */
static void begin_again_in_child(void)
{
    domains_mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    util_list_for_each_safe (struct util_log_domain, domain, &domains, link) {
        util_list_del(&domain->link);
        util_list_init(&domain->link);
        pthread_mutex_init(&domain->mutex, NULL);
        (void)!util_cond_init(&domain->changed);
        util_list_init(&domain->pending);
        domain->pending_count = 0;
        domain->thread_is_there = false;
        domain->stop = true;
    }
}

static void watch_forks(void)
{
    if (pthread_atfork(NULL, NULL, begin_again_in_child))
        util_warn("children of this process cannot tell their messengers of errors");
}

struct util_log_domain *util_log_domain_create(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
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

/* Whether its thread has ended, for which it has a second: a listener may wait for a lock that the caller holds. */
static bool stop_thread(struct util_log_domain *domain)
{
    const uint64_t deadline_ns = util_deadline_ns(PATIENCE_NS);
    bool in_time = true;
    pthread_mutex_lock(&domain->mutex);
    domain->stop = true;
    pthread_cond_broadcast(&domain->changed);
    while (domain->thread_is_there && !domain->thread_has_ended && in_time)
        in_time = util_cond_wait_until(&domain->changed, &domain->mutex, deadline_ns);
    pthread_mutex_unlock(&domain->mutex);
    return in_time;
}

/* The loader may unload the library, which a thread still runs in. */
static void keep_library(void)
{
    Dl_info info;
    if (dladdr(&all, &info) && info.dli_fname)
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
    if (domain->thread_is_there && has_ended) {
        pthread_join(domain->thread, NULL);
    } else if (domain->thread_is_there) {
        keep_library();
        pthread_detach(domain->thread);
    }
    util_log_domain_unref(domain);
}
