/* SPDX-License-Identifier: MIT
 *
 * VC4VK_TRACE=FILE.json: spans of time in the Chrome trace format, which Perfetto and chrome://tracing open. The file
 * is complete JSON after every event, so a process that dies leaves a readable trace. Thread safe.
 */
#ifndef UTIL_TRACE_H
#define UTIL_TRACE_H

#include "util/macros.h"

/* Whether the variable is set and the file can be written. If it cannot, one line on stderr says why. */
bool util_trace_is_on(void);

/* Creates a track with this name and returns its number. */
uint32_t util_trace_track(const char *name);

void util_trace_rename_track(uint32_t track, const char *name);

/* Writes a span on a track, in CLOCK_MONOTONIC. Spans of one track must nest or follow each other. `args`: members of a
 * JSON object ("\"a\": 1, \"b\": 2", see UTIL_JSON_MEMBERS), or NULL. */
void util_trace_span(uint32_t track, const char *name, uint64_t start_ns, uint64_t end_ns, const char *args);

/* A span that may overlap others of its track: the viewer gives it a row of its own under the track's name. */
void util_trace_overlapping_span(uint32_t track, const char *track_name, const char *name, uint64_t start_ns,
                                 uint64_t end_ns, const char *args);

#endif
