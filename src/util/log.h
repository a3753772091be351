/* SPDX-License-Identifier: MIT
 *
 * Messages to people, one line each on stderr with the prefix "vc4vk". Listeners, which are application code, receive
 * them as well.
 *
 * Each listener belongs to a log domain, a Vulkan instance, and receives the messages of that domain only. A thread
 * works for one domain at a time, or for none: an application thread during a call into the domain
 * (util_log_call_begin), a driver thread from its start (util_thread_create passes on the domain of its creator).
 *
 * A listener may take any lock of the application and may call the driver. It therefore never runs where the message is
 * raised, which may be under a lock or on a thread that others wait for. A message raised on an application thread is
 * delivered there when the call ends; a message raised on a driver thread is delivered by a thread of the domain.
 */
#ifndef UTIL_LOG_H
#define UTIL_LOG_H

#include <stdarg.h>
#include "util/list.h"
#include "util/macros.h"

enum util_log_level {
    UTIL_LOG_ERROR,
    UTIL_LOG_WARN,
    UTIL_LOG_PERF,    /* avoidable cost: on stderr only under VC4VK_DEBUG=perf */
    UTIL_LOG_IGNORED, /* the driver ignores something it was asked for: on stderr only under VC4VK_DEBUG=perf */
    UTIL_LOG_INFO,
    UTIL_LOG_PRINT /* what shaders print: on stderr only under VC4VK_DEBUG=printf */
};

#define UTIL_LOG_LINE_B 1024 /* longer messages are cut off */

void util_log(enum util_log_level level, const char *fmt, ...) UTIL_PRINTF(2, 3);
void util_logv(enum util_log_level level, const char *fmt, va_list va) UTIL_PRINTF(2, 0);

#define util_error(...)   util_log(UTIL_LOG_ERROR, __VA_ARGS__)
#define util_warn(...)    util_log(UTIL_LOG_WARN, __VA_ARGS__)
#define util_info(...)    util_log(UTIL_LOG_INFO, __VA_ARGS__)
#define util_ignored(...) util_log(UTIL_LOG_IGNORED, __VA_ARGS__)
#define util_perf(...)    (util_log_wants_perf() ? util_log(UTIL_LOG_PERF, __VA_ARGS__) : (void)0)

/* Whether stderr or any listener takes messages of UTIL_LOG_PERF. */
bool util_log_wants_perf(void);

struct util_log_domain;
/* Whether stderr or a listener of the domain (NULL: none) takes messages of UTIL_LOG_PRINT. */
bool util_log_wants_prints(const struct util_log_domain *domain);

/* -- domains ------------------------------------------------------------------------------------------------------ */

/* NULL when out of memory. */
struct util_log_domain *util_log_domain_create(void);
/* All listeners must have been removed; their last calls may still run. NULL is accepted. */
void util_log_domain_destroy(struct util_log_domain *domain);

/* The domain that the calling thread works for, or NULL. */
struct util_log_domain *util_log_domain_current(void);
/* Sets the domain of the calling driver thread, NULL for none. The domain must outlive the setting. Returns the
 * previous domain. */
struct util_log_domain *util_log_domain_set(struct util_log_domain *domain);
/* Stands for all domains: for work that the whole process shares, such as compiling programs. */
struct util_log_domain *util_log_domain_all(void);

/* Takes and drops a reference, for a thread that is about to start. NULL is accepted. */
struct util_log_domain *util_log_domain_ref(struct util_log_domain *domain);
void util_log_domain_unref(struct util_log_domain *domain);

/* An application's call into the driver. Messages raised on this thread during the call are delivered at its end, where
 * the thread must hold no driver lock. With domain NULL this does nothing. */
struct util_log_call {
    struct util_log_domain *domain, *domain_before;
    struct util_log_call *call_before;
    struct util_list messages;
};
void util_log_call_begin(struct util_log_call *call, struct util_log_domain *domain);
void util_log_call_end(struct util_log_call *call);
/* In between, messages of this thread are delivered like a driver thread's: it does work that a driver thread may do as
 * well. */
struct util_log_call *util_log_call_suspend(void);
void util_log_call_resume(struct util_log_call *call);

/* -- listeners ---------------------------------------------------------------------------------------------------- */

/* Messages that the driver raises while `hear` runs are not delivered. */
struct util_log_listener {
    void (*hear)(struct util_log_listener *listener, enum util_log_level level, const char *line);
    void (*release)(struct util_log_listener *listener); /* called when the listener is no longer used; may be NULL */
    bool wants_perf, wants_prints;

    /* Private to log.c, guarded by the domain's lock. */
    struct util_list link;
    uint32_t refs, active_calls;
    bool is_removed;
};
void util_log_listen(struct util_log_domain *domain, struct util_log_listener *listener);
/* No call of `hear` begins after the return. Waits up to a second for messages that are not delivered yet and for calls
 * on other threads, not longer because they may wait for a lock that the caller holds. `release` is called here, or
 * when the last `hear` has returned. */
void util_log_unlisten(struct util_log_domain *domain, struct util_log_listener *listener);
/* Whether the domain has listeners. Cheap, and only a hint. */
bool util_log_has_listeners(const struct util_log_domain *domain);
/* Calls `each` for each current listener, without holding a lock. */
void util_log_for_each_listener(struct util_log_domain *domain,
                                void (*each)(struct util_log_listener *listener, void *data), void *data);

/* For tests: messages go to `sink` instead of stderr; NULL restores stderr. Must not change while other threads log. */
void util_log_set_sink(void (*sink)(void *data, enum util_log_level level, const char *line), void *data);

#endif
