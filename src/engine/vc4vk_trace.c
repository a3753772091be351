/* SPDX-License-Identifier: MIT
 *
 * What VC4VK_TRACE shows of a device: for each queue its entries from submission to retirement, which overlap, and
 * for each engine what it worked on.
 */
#include <inttypes.h>
#include <stdio.h>
#include "engine/vc4vk_engine_private.h"
#include "util/trace.h"

#define MAX_TRACK_NAME_B (64 + VC4VK_MAX_NAME_B)
#define MAX_QUOTED_B     (6 * VC4VK_MAX_NAME_B + 3)
#define MAX_NAMES_B      (3 * (MAX_QUOTED_B + 24))

static void name_context(const struct vc4vk_context *context, char *out, size_t out_B)
{
    snprintf(out, out_B, "device %p queue %" PRIu32 ".%" PRIu32 "%s%s", (void *)context->scheduler, context->family,
             context->index, context->name ? " " : "", context->name ? context->name : "");
}

void vc4vk_trace_init(struct vc4vk_scheduler *scheduler)
{
    char name[MAX_TRACK_NAME_B];
    if (!util_trace_is_on())
        return;
    for (uint32_t i = 0; i < scheduler->context_count; i++) {
        name_context(scheduler->contexts[i], name, sizeof name);
        scheduler->contexts[i]->track = util_trace_track(name);
    }
    for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++) {
        snprintf(name, sizeof name, "device %p %s", (void *)scheduler, scheduler->engines[e].ops->name);
        scheduler->engines[e].track = util_trace_track(name);
    }
}

void vc4vk_trace_context_name_locked(const struct vc4vk_context *context)
{
    char name[MAX_TRACK_NAME_B];
    name_context(context, name, sizeof name);
    util_trace_rename_track(context->track, name);
}

void vc4vk_trace_context_label(const struct vc4vk_context *context, const char *text, uint64_t begin_ns,
                               uint64_t end_ns)
{
    char track_name[MAX_TRACK_NAME_B];
    name_context(context, track_name, sizeof track_name);
    util_trace_overlapping_span(context->track, track_name, text, begin_ns, end_ns, NULL);
}

/* Appends `, "key": "text"` to the members of a JSON object, of which `used_B` bytes are there. */
static size_t put_member(char *out, size_t out_B, size_t used_B, const char *key, const char *text)
{
    char quoted[MAX_QUOTED_B];
    if (!text)
        return used_B;
    util_trace_quote(quoted, sizeof quoted, text);
    return used_B + (size_t)snprintf(out + used_B, out_B - used_B, "%s\"%s\": %s", used_B ? ", " : "", key, quoted);
}

static void put_names(const struct vc4vk_entry *entry, char out[MAX_NAMES_B])
{
    out[0] = 0;
    size_t used_B = put_member(out, MAX_NAMES_B, 0, "label", entry->label);
    used_B = put_member(out, MAX_NAMES_B, used_B, "command_buffer", entry->command_buffer);
    put_member(out, MAX_NAMES_B, used_B, "queue_label", entry->queue_label);
}

void vc4vk_trace_entry_locked(struct vc4vk_ring *ring, const struct vc4vk_entry *entry)
{
    char track_name[MAX_TRACK_NAME_B], names[MAX_NAMES_B], args[320 + MAX_NAMES_B];
    const struct vc4vk_entry_times *t = &entry->times;
    if (!util_trace_is_on())
        return;
    put_names(entry, names);
    snprintf(args, sizeof args,
             "\"value\": %" PRIu64 ", \"queued_ns\": %" PRIu64 ", \"submitted_ns\": %" PRIu64
             ", \"started_ns\": %" PRIu64 ", \"finished_ns\": %" PRIu64 ", \"retired_ns\": %" PRIu64 "%s%s",
             entry->value, t->queued_ns, t->submitted_ns, t->started_ns, t->finished_ns, t->retired_ns,
             names[0] ? ", " : "", names);
    name_context(ring->context, track_name, sizeof track_name);
    util_trace_overlapping_span(ring->context->track, track_name, entry->name, t->queued_ns, t->retired_ns, args);
    if (!t->started_ns)
        return;
    /* The chip bins a job while it renders the one before: each is shown from where the other ends. */
    struct vc4vk_engine *engine = ring->engine;
    util_trace_span(engine->track, entry->name, MAX2(t->started_ns, engine->track_end_ns), t->finished_ns, args);
    engine->track_end_ns = MAX2(engine->track_end_ns, t->finished_ns);
}
