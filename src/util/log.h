/* SPDX-License-Identifier: MIT
 *
 * Messages to people, one line each on stderr, with the prefix "vc4vk". A sink may be set by tests.
 */
#ifndef UTIL_LOG_H
#define UTIL_LOG_H

#include <stdarg.h>
#include "util/macros.h"

enum util_log_level { UTIL_LOG_ERROR, UTIL_LOG_WARN, UTIL_LOG_INFO };

void util_log(enum util_log_level level, const char *fmt, ...) UTIL_PRINTF(2, 3);
void util_logv(enum util_log_level level, const char *fmt, va_list va) UTIL_PRINTF(2, 0);

#define util_error(...) util_log(UTIL_LOG_ERROR, __VA_ARGS__)
#define util_warn(...)  util_log(UTIL_LOG_WARN, __VA_ARGS__)
#define util_info(...)  util_log(UTIL_LOG_INFO, __VA_ARGS__)

/* Tests: messages go to `sink` instead of stderr; NULL restores stderr. Not to be changed while others log. */
void util_log_set_sink(void (*sink)(void *data, enum util_log_level level, const char *line), void *data);

#endif
