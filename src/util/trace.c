/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "util/environment.h"
#include "util/log.h"
#include "util/trace.h"

static struct trace {
    pthread_once_t once;
    pthread_mutex_t mutex;
    FILE *file; /* NULL: off */
    bool is_child; /* forked after the parent opened the file */
    bool has_events;
    uint32_t track_count;
    uint64_t span_count;
} trace = {.once = PTHREAD_ONCE_INIT, .mutex = PTHREAD_MUTEX_INITIALIZER};

static const char tail[] = "\n]\n";

/* The parent keeps writing to its file, and a lock that one of its threads held would stay locked in the child. */
static void reset_after_fork(void)
{
    if (trace.file)
        close(fileno(trace.file));
    trace = (struct trace){.once = PTHREAD_ONCE_INIT, .mutex = PTHREAD_MUTEX_INITIALIZER, .is_child = true};
}

static void install_fork_handler(void)
{
    if (pthread_atfork(NULL, NULL, reset_after_fork))
        util_warn("VC4VK_TRACE: pthread_atfork failed: child processes write to the file of their parent");
}

static void open_file(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char own[PATH_MAX];
    const char *path = util_environment("VC4VK_TRACE");
    if (!path)
        return;
    pthread_once(&once, install_fork_handler);
    if (trace.is_child && snprintf(own, sizeof own, "%s.%ld", path, (long)getpid()) < (int)sizeof own)
        path = own;
    trace.file = fopen(path, "we");
    if (!trace.file) {
        util_error("VC4VK_TRACE: cannot write %s: %s", path, strerror(errno));
        return;
    }
    fputs("[", trace.file);
    fputs(tail, trace.file);
    fflush(trace.file);
}

bool util_trace_is_on(void)
{
    pthread_once(&trace.once, open_file);
    return trace.file != NULL;
}

/* Overwrites the tail, which end_event_locked writes again. */
static void begin_event_locked(void)
{
    fseek(trace.file, -(long)(sizeof tail - 1), SEEK_END);
    fputs(trace.has_events ? ",\n" : "\n", trace.file);
    trace.has_events = true;
}

static void end_event_locked(void)
{
    fputs(tail, trace.file);
    fflush(trace.file);
}

/* One byte of a JSON string, escaped if necessary. At most 6 bytes and the terminating 0. */
static int quote_char(char out[8], unsigned char c)
{
    if (c == '"' || c == '\\')
        return snprintf(out, 8, "\\%c", c);
    return snprintf(out, 8, c < 0x20 ? "\\u%04x" : "%c", c);
}

static void put_string_locked(const char *text)
{
    char quoted[8];
    fputc('"', trace.file);
    for (; *text; text++) {
        quote_char(quoted, (unsigned char)*text);
        fputs(quoted, trace.file);
    }
    fputc('"', trace.file);
}

void util_trace_quote(char *out, size_t out_B, const char *text)
{
    size_t used_B = 0;
    char quoted[8];
    out[used_B++] = '"';
    for (; *text; text++) {
        size_t size_B = (size_t)quote_char(quoted, (unsigned char)*text);
        if (used_B + size_B + 2 > out_B)
            break;
        memcpy(out + used_B, quoted, size_B);
        used_B += size_B;
    }
    while (*text && used_B > 1 && ((unsigned char)*text & 0xc0) == 0x80) { /* in the middle of a UTF-8 character */
        used_B--;
        text--;
    }
    out[used_B++] = '"';
    out[used_B] = 0;
}

static void put_time_locked(const char *key, uint64_t time_ns)
{
    fprintf(trace.file, ", \"%s\": %" PRIu64 ".%03u", key, time_ns / 1000, (unsigned)(time_ns % 1000));
}

static void put_track_name_locked(uint32_t track, const char *name)
{
    begin_event_locked();
    fprintf(trace.file,
            "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %ld, \"tid\": %" PRIu32 ", \"args\": {\"name\": ",
            (long)getpid(), track);
    put_string_locked(name);
    fputs("}}", trace.file);
    end_event_locked();
}

uint32_t util_trace_track(const char *name)
{
    if (!util_trace_is_on())
        return 0;
    pthread_mutex_lock(&trace.mutex);
    uint32_t track = ++trace.track_count;
    put_track_name_locked(track, name);
    pthread_mutex_unlock(&trace.mutex);
    return track;
}

void util_trace_rename_track(uint32_t track, const char *name)
{
    if (!util_trace_is_on())
        return;
    pthread_mutex_lock(&trace.mutex);
    put_track_name_locked(track, name);
    pthread_mutex_unlock(&trace.mutex);
}

static void put_head_locked(const char *phase, uint32_t track, const char *name, uint64_t time_ns)
{
    begin_event_locked();
    fprintf(trace.file, "{\"ph\": \"%s\", \"pid\": %ld, \"tid\": %" PRIu32 ", \"name\": ", phase, (long)getpid(),
            track);
    put_string_locked(name);
    put_time_locked("ts", time_ns);
}

static void put_end_locked(const char *args)
{
    if (args)
        fprintf(trace.file, ", \"args\": {%s}", args);
    fputs("}", trace.file);
    end_event_locked();
}

void util_trace_span(uint32_t track, const char *name, uint64_t start_ns, uint64_t end_ns, const char *args)
{
    if (!util_trace_is_on())
        return;
    pthread_mutex_lock(&trace.mutex);
    put_head_locked("X", track, name, start_ns);
    put_time_locked("dur", end_ns > start_ns ? end_ns - start_ns : 0);
    put_end_locked(args);
    pthread_mutex_unlock(&trace.mutex);
}

static void put_async_event_locked(const char *phase, uint32_t track, const char *track_name, const char *name,
                                   uint64_t time_ns)
{
    put_head_locked(phase, track, name, time_ns);
    fputs(", \"cat\": ", trace.file);
    put_string_locked(track_name);
    fprintf(trace.file, ", \"id\": %" PRIu64, trace.span_count);
}

void util_trace_overlapping_span(uint32_t track, const char *track_name, const char *name, uint64_t start_ns,
                                 uint64_t end_ns, const char *args)
{
    if (!util_trace_is_on())
        return;
    pthread_mutex_lock(&trace.mutex);
    trace.span_count++;
    put_async_event_locked("b", track, track_name, name, start_ns);
    put_end_locked(args);
    put_async_event_locked("e", track, track_name, name, MAX2(start_ns, end_ns));
    put_end_locked(NULL);
    pthread_mutex_unlock(&trace.mutex);
}
