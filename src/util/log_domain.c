/* SPDX-License-Identifier: MIT
 *
 * Which log domain a thread works for, and references to domains. New threads inherit it (thread.c), so this file must
 * start none.
 */
#include <stdlib.h>
#include "util/log_domain.h"

_Thread_local struct util_log_thread util_log_this_thread;
struct util_log_domain util_log_all_domains;

struct util_log_domain *util_log_domain_current(void)
{
    return util_log_this_thread.domain;
}

struct util_log_domain *util_log_domain_set(struct util_log_domain *domain)
{
    struct util_log_domain *before = util_log_this_thread.domain;
    util_log_this_thread.domain = domain;
    return before;
}

struct util_log_domain *util_log_domain_all(void)
{
    return &util_log_all_domains;
}

struct util_log_domain *util_log_domain_ref(struct util_log_domain *domain)
{
    if (domain && domain != &util_log_all_domains) {
        pthread_mutex_lock(&domain->mutex);
        domain->refs++;
        pthread_mutex_unlock(&domain->mutex);
    }
    return domain;
}

void util_log_domain_unref(struct util_log_domain *domain)
{
    if (!domain || domain == &util_log_all_domains)
        return;
    pthread_mutex_lock(&domain->mutex);
    const bool is_last = --domain->refs == 0;
    pthread_mutex_unlock(&domain->mutex);
    if (!is_last)
        return;
    util_list_for_each_safe(struct util_log_message, message, &domain->pending, link)
        free(message);
    pthread_cond_destroy(&domain->changed);
    pthread_mutex_destroy(&domain->mutex);
    free(domain);
}
