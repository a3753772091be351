/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "util/environment.h"
#include "util/json.h"
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

static void put_to_file(void *data, const char *text, size_t size_B)
{
    fwrite(text, 1, size_B, trace.file);
}

/* Overwrites the tail of the file, which end_event_locked writes again, and opens the object of an event. */
static struct util_json begin_event_locked(const char *phase, uint32_t track, const char *name)
{
    struct util_json event = {.put = put_to_file};
    fseek(trace.file, -(long)(sizeof tail - 1), SEEK_END);
    fputs(trace.has_events ? ",\n" : "\n", trace.file);
    trace.has_events = true;
    util_json_object(&event, NULL, UTIL_JSON_INLINE);
    util_json_string(&event, "ph", phase);
    util_json_string(&event, "name", name);
    util_json_number(&event, "pid", "%ld", (long)getpid());
    util_json_number(&event, "tid", "%" PRIu32, track);
    return event;
}

static void end_event_locked(struct util_json *event)
{
    util_json_end(event);
    fputs(tail, trace.file);
    fflush(trace.file);
}

/* The format's unit is the microsecond. */
static void put_time_locked(struct util_json *event, const char *key, uint64_t time_ns)
{
    util_json_number(event, key, "%" PRIu64 ".%03u", time_ns / 1000, (unsigned)(time_ns % 1000));
}

static void put_args_locked(struct util_json *event, const char *args)
{
    if (!args)
        return;
    util_json_object(event, "args", UTIL_JSON_INLINE);
    util_json_raw(event, args);
    util_json_end(event);
}

static void put_track_name_locked(uint32_t track, const char *name)
{
    struct util_json event = begin_event_locked("M", track, "thread_name");
    util_json_object(&event, "args", UTIL_JSON_INLINE);
    util_json_string(&event, "name", name);
    util_json_end(&event);
    end_event_locked(&event);
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

void util_trace_span(uint32_t track, const char *name, uint64_t start_ns, uint64_t end_ns, const char *args)
{
    if (!util_trace_is_on())
        return;
    pthread_mutex_lock(&trace.mutex);
    struct util_json event = begin_event_locked("X", track, name);
    put_time_locked(&event, "ts", start_ns);
    put_time_locked(&event, "dur", end_ns > start_ns ? end_ns - start_ns : 0);
    put_args_locked(&event, args);
    end_event_locked(&event);
    pthread_mutex_unlock(&trace.mutex);
}

static void put_async_event_locked(const char *phase, uint32_t track, const char *track_name, const char *name,
                                   uint64_t time_ns, const char *args)
{
    struct util_json event = begin_event_locked(phase, track, name);
    put_time_locked(&event, "ts", time_ns);
    util_json_string(&event, "cat", track_name);
    util_json_number(&event, "id", "%" PRIu64, trace.span_count);
    put_args_locked(&event, args);
    end_event_locked(&event);
}

void util_trace_overlapping_span(uint32_t track, const char *track_name, const char *name, uint64_t start_ns,
                                 uint64_t end_ns, const char *args)
{
    if (!util_trace_is_on())
        return;
    pthread_mutex_lock(&trace.mutex);
    trace.span_count++;
    put_async_event_locked("b", track, track_name, name, start_ns, args);
    put_async_event_locked("e", track, track_name, name, MAX2(start_ns, end_ns), NULL);
    pthread_mutex_unlock(&trace.mutex);
}
