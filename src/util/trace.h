/* SPDX-License-Identifier: MIT
 *
 * VC4VK_TRACE=FILE.json: spans of time in the Chrome trace format, which Perfetto and chrome://tracing open. The file
 * is complete JSON after every event, so a process that dies leaves a readable trace. Thread safe.
 */
#ifndef UTIL_TRACE_H
#define UTIL_TRACE_H

#include "util/macros.h"

/* The variable is set and the file can be written: one line on stderr says why when it cannot. */
bool util_trace_is_on(void);

/* A track of its own with this name; any number when tracing is off. */
uint32_t util_trace_track(const char *name);

/* The track is called that from now on. */
void util_trace_rename_track(uint32_t track, const char *name);

/* A span on a track, CLOCK_MONOTONIC. Spans of one track nest or follow each other. `args`: members of a JSON object
 * ("\"a\": 1, \"b\": 2"), or NULL. */
void util_trace_span(uint32_t track, const char *name, uint64_t start_ns, uint64_t end_ns, const char *args);

/* The text as a JSON string with its quotes, cut where `out_B` ends it (then between two characters). `out_B` >= 3. */
void util_trace_quote(char *out, size_t out_B, const char *text);

/* A span that may overlap others of its track: the viewer gives it a row of its own under the track's name. */
void util_trace_overlapping_span(uint32_t track, const char *track_name, const char *name, uint64_t start_ns,
                                 uint64_t end_ns, const char *args);

#endif
