/* SPDX-License-Identifier: MIT
 *
 * What VC4VK_TRACE shows of a device: for each queue its entries from submission to retirement, which overlap, and
 * for each engine what it worked on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "engine/vc4vk_engine_private.h"
#include "util/json.h"
#include "util/trace.h"

#define MAX_TRACK_NAME_B (64 + VC4VK_MAX_NAME_B)
#define MAX_ARGS_B       (512 + 3 * 6 * VC4VK_MAX_NAME_B) /* an escaped byte has at most six */

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

struct args {
    char text[MAX_ARGS_B];
    size_t used_B;
};

static void put_to_args(void *data, const char *text, size_t size_B)
{
    struct args *args = data;
    assert(size_B < sizeof args->text - args->used_B);
    memcpy(args->text + args->used_B, text, size_B);
    args->used_B += size_B;
}

static void put_name(struct util_json *json, const char *key, const char *name)
{
    char cut[VC4VK_MAX_NAME_B]; /* `struct args` has room for no more */
    if (!name)
        return;
    snprintf(cut, sizeof cut, "%s", name);
    util_json_string(json, key, cut);
}

static void write_args(const struct vc4vk_entry *entry, struct args *args)
{
    const struct vc4vk_entry_times *t = &entry->times;
    struct util_json json = {.put = put_to_args, .data = args, .depth = UTIL_JSON_MEMBERS};
    args->used_B = 0;
    util_json_number(&json, "value", "%" PRIu64, entry->value);
    util_json_number(&json, "queued_ns", "%" PRIu64, t->queued_ns);
    util_json_number(&json, "submitted_ns", "%" PRIu64, t->submitted_ns);
    util_json_number(&json, "started_ns", "%" PRIu64, t->started_ns);
    util_json_number(&json, "finished_ns", "%" PRIu64, t->finished_ns);
    util_json_number(&json, "retired_ns", "%" PRIu64, t->retired_ns);
    put_name(&json, "label", entry->label);
    put_name(&json, "command_buffer", entry->command_buffer);
    put_name(&json, "queue_label", entry->queue_label);
    args->text[args->used_B] = 0;
}

void vc4vk_trace_entry_locked(struct vc4vk_ring *ring, const struct vc4vk_entry *entry)
{
    char track_name[MAX_TRACK_NAME_B];
    const struct vc4vk_entry_times *t = &entry->times;
    struct args args;
    if (!util_trace_is_on())
        return;
    write_args(entry, &args);
    name_context(ring->context, track_name, sizeof track_name);
    util_trace_overlapping_span(ring->context->track, track_name, entry->name, t->queued_ns, t->retired_ns, args.text);
    if (!t->started_ns)
        return;
    /* The chip bins a job while it renders the one before: each is shown from where the other ends. */
    struct vc4vk_engine *engine = ring->engine;
    util_trace_span(engine->track, entry->name, MAX2(t->started_ns, engine->track_end_ns), t->finished_ns, args.text);
    engine->track_end_ns = MAX2(engine->track_end_ns, t->finished_ns);
}
