/* SPDX-License-Identifier: MIT
 *
 * Messages to people, one line each on stderr, with the prefix "vc4vk". Whoever listens gets them as well.
 */
#ifndef UTIL_LOG_H
#define UTIL_LOG_H

#include <stdarg.h>
#include "util/list.h"
#include "util/macros.h"

enum util_log_level {
    UTIL_LOG_ERROR,
    UTIL_LOG_WARN,
    UTIL_LOG_PERF, /* something costs time that need not: on stderr under VC4VK_DEBUG=perf only */
    UTIL_LOG_INFO
};

void util_log(enum util_log_level level, const char *fmt, ...) UTIL_PRINTF(2, 3);
void util_logv(enum util_log_level level, const char *fmt, va_list va) UTIL_PRINTF(2, 0);

#define util_error(...) util_log(UTIL_LOG_ERROR, __VA_ARGS__)
#define util_warn(...)  util_log(UTIL_LOG_WARN, __VA_ARGS__)
#define util_info(...)  util_log(UTIL_LOG_INFO, __VA_ARGS__)
#define util_perf(...)  (util_log_wants_perf() ? util_log(UTIL_LOG_PERF, __VA_ARGS__) : (void)0)

/* Somebody would see a message of UTIL_LOG_PERF. */
bool util_log_wants_perf(void);

/* Hears every message of the process, from the thread it comes from, one at a time. What `hear` logs itself is not
 * heard. */
struct util_log_listener {
    struct util_list link;
    void (*hear)(struct util_log_listener *listener, enum util_log_level level, const char *line);
    bool wants_perf;
};
void util_log_listen(struct util_log_listener *listener);
/* `hear` does not run any more afterwards. */
void util_log_unlisten(struct util_log_listener *listener);

/* Tests: messages go to `sink` instead of stderr; NULL restores stderr. Not to be changed while others log. */
void util_log_set_sink(void (*sink)(void *data, enum util_log_level level, const char *line), void *data);

#endif
