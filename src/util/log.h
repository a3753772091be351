/* SPDX-License-Identifier: MIT
 *
 * Messages to people, one line each on stderr, with the prefix "vc4vk". Listeners, which are the application's code,
 * get them as well.
 *
 * Each listener belongs to a log domain, a Vulkan instance, and hears the messages of that domain alone. A thread works
 * for one domain at a time, or for none: an application's thread while it is in a call of the domain
 * (util_log_call_begin), a thread of the driver from its start (util_thread_create hands on the domain of its creator).
 *
 * A listener may take any lock of the application, and may call the driver, so it never runs where the message comes
 * up, which may be under a lock or on a thread that others wait for. What an application's thread says it hears when
 * its call ends; what the driver's threads say is told by a thread of the domain's own.
 */
#ifndef UTIL_LOG_H
#define UTIL_LOG_H

#include <stdarg.h>
#include "util/list.h"
#include "util/macros.h"

enum util_log_level {
    UTIL_LOG_ERROR,
    UTIL_LOG_WARN,
    UTIL_LOG_PERF,    /* something costs time that need not: on stderr under VC4VK_DEBUG=perf only */
    UTIL_LOG_IGNORED, /* the driver leaves out something it was asked for: on stderr under VC4VK_DEBUG=perf only */
    UTIL_LOG_INFO
};

void util_log(enum util_log_level level, const char *fmt, ...) UTIL_PRINTF(2, 3);
void util_logv(enum util_log_level level, const char *fmt, va_list va) UTIL_PRINTF(2, 0);

#define util_error(...)   util_log(UTIL_LOG_ERROR, __VA_ARGS__)
#define util_warn(...)    util_log(UTIL_LOG_WARN, __VA_ARGS__)
#define util_info(...)    util_log(UTIL_LOG_INFO, __VA_ARGS__)
#define util_ignored(...) util_log(UTIL_LOG_IGNORED, __VA_ARGS__)
#define util_perf(...)    (util_log_wants_perf() ? util_log(UTIL_LOG_PERF, __VA_ARGS__) : (void)0)

/* Somebody would see a message of UTIL_LOG_PERF. */
bool util_log_wants_perf(void);

/* -- domains ------------------------------------------------------------------------------------------------------ */

struct util_log_domain;

/* NULL when out of memory. */
struct util_log_domain *util_log_domain_create(void);
/* Its listeners are gone, but for their last calls. NULL is accepted. */
void util_log_domain_destroy(struct util_log_domain *domain);

/* What this thread works for, or NULL. */
struct util_log_domain *util_log_domain_current(void);
/* From here on a thread of the driver works for this domain, which outlives that; NULL: for none. The one before. */
struct util_log_domain *util_log_domain_set(struct util_log_domain *domain);
/* In place of a domain: what this thread says concerns all of them, as compiled programs are the whole process's. */
struct util_log_domain *util_log_domain_all(void);

/* A reference, for a thread that is about to start; taken back by the second. NULL is accepted. */
struct util_log_domain *util_log_domain_ref(struct util_log_domain *domain);
void util_log_domain_unref(struct util_log_domain *domain);

/* An application's call: the caller holds no lock of the driver, and what is said meanwhile on this thread is heard
 * when the call ends. Domain NULL: nothing is heard. */
struct util_log_call {
    struct util_log_domain *domain, *domain_before;
    struct util_log_call *call_before;
    struct util_list messages;
};
void util_log_call_begin(struct util_log_call *call, struct util_log_domain *domain);
void util_log_call_end(struct util_log_call *call);
/* The thread does in between what a thread of the driver may do as well, and is heard as that. */
struct util_log_call *util_log_call_suspend(void);
void util_log_call_resume(struct util_log_call *call);

/* -- listeners ---------------------------------------------------------------------------------------------------- */

/* What `hear` itself makes the driver say is not heard. */
struct util_log_listener {
    void (*hear)(struct util_log_listener *listener, enum util_log_level level, const char *line);
    void (*release)(struct util_log_listener *listener); /* nobody uses it any more; may be NULL */
    bool wants_perf;

    /* The log's own, under the domain's lock. */
    struct util_list link;
    uint32_t refs, hearing;
    bool is_gone;
};
void util_log_listen(struct util_log_domain *domain, struct util_log_listener *listener);
/* A `hear` that runs on another thread ends before the return, unless it takes longer than a second: it may wait for a
 * lock that the caller holds. None begins afterwards. `release` is called here, or when the last one has ended. */
void util_log_unlisten(struct util_log_domain *domain, struct util_log_listener *listener);
/* Any listener hears something? Cheap, and only a hint. */
bool util_log_has_listeners(const struct util_log_domain *domain);
/* Calls `each` for each listener that is there now, without any lock. */
void util_log_for_each_listener(struct util_log_domain *domain,
                                void (*each)(struct util_log_listener *listener, void *data), void *data);

/* Tests: messages go to `sink` instead of stderr; NULL restores stderr. Not to be changed while others log. */
void util_log_set_sink(void (*sink)(void *data, enum util_log_level level, const char *line), void *data);

#endif
