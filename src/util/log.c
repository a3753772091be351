/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include "util/log.h"

static void (*log_sink)(void *data, enum util_log_level level, const char *line);
static void *log_sink_data;

void util_log_set_sink(void (*sink)(void *data, enum util_log_level level, const char *line), void *data)
{
    log_sink = sink;
    log_sink_data = data;
}

void util_logv(enum util_log_level level, const char *fmt, va_list va)
{
    static const char *const names[] = {[UTIL_LOG_ERROR] = "error", [UTIL_LOG_WARN] = "warning", [UTIL_LOG_INFO] = "info"};
    char line[1024];
    vsnprintf(line, sizeof line, fmt, va);
    if (log_sink)
        log_sink(log_sink_data, level, line);
    else
        fprintf(stderr, "vc4vk %s: %s\n", names[level], line);
}

void util_log(enum util_log_level level, const char *fmt, ...)
{
    va_list va;
    va_start(va, fmt);
    util_logv(level, fmt, va);
    va_end(va);
}
