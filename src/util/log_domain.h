/* SPDX-License-Identifier: MIT
 *
 * Log domains, and what a thread knows of its own. Private to log.c and log_domain.c.
 */
#ifndef UTIL_LOG_DOMAIN_H
#define UTIL_LOG_DOMAIN_H

#include <pthread.h>
#include <stdatomic.h>
#include "util/log.h"

struct util_log_message {
    struct util_list link;
    enum util_log_level level;
    char line[]; /* zero-terminated */
};

struct util_log_domain {
    struct util_list link; /* in `domains` */
    pthread_mutex_t mutex; /* guards the fields below and the private fields of listeners */
    pthread_cond_t changed;
    _Atomic uint32_t listener_count, print_listener_count;
    uint32_t refs; /* one of the creator, one per thread that works for it */
    struct util_list listeners;
    struct util_list pending; /* struct util_log_message, raised on driver threads */
    uint32_t pending_count, pending_prints; /* what shaders print counts by itself, so that it displaces nothing */
    uint32_t lost_prints;                   /* messages of shaders that there was no room for */
    bool is_delivering;                     /* the thread has taken messages that were pending */
    pthread_t thread; /* delivers `pending` */
    bool thread_exists, stop, thread_has_ended;
};

struct util_log_thread {
    struct util_log_domain *domain;
    struct util_log_call *call; /* innermost */
    bool in_listener;           /* a listener's `hear` runs */
};
extern _Thread_local struct util_log_thread util_log_this_thread;
extern struct util_log_domain util_log_all_domains; /* pseudo-domain, see util_log_domain_all */

#endif
