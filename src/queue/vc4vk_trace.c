/* SPDX-License-Identifier: MIT
 *
 * What VC4VK_TRACE shows of a device: for each queue its items from submission to retirement, which overlap, and for
 * each engine (the chip, the CPU threads) what it worked on.
 */
#include <inttypes.h>
#include <stdio.h>
#include "queue/vc4vk_item.h"
#include "queue/vc4vk_label.h"
#include "util/trace.h"

#define MAX_TRACK_NAME_B (64 + VC4VK_MAX_LABEL_B)
#define MAX_QUOTED_B     (6 * VC4VK_MAX_LABEL_B + 3)
#define MAX_NAMES_B      (3 * (MAX_QUOTED_B + 24))

static void name_queue(const struct vc4vk_queue *queue, char *out, size_t out_B)
{
    snprintf(out, out_B, "device %p queue %" PRIu32 ".%" PRIu32 "%s%s", (void *)queue->device, queue->family,
             queue->index, queue->name ? " " : "", queue->name ? queue->name : "");
}

static void name_engine(const struct vc4vk_queue_device *device, enum vc4vk_engine engine, char *out, size_t out_B)
{
    static const char *const names[] = {[VC4VK_ENGINE_CHIP] = "chip",
                                        [VC4VK_ENGINE_DISPATCHER] = "CPU: dispatcher",
                                        [VC4VK_ENGINE_WORKER] = "CPU: worker of family 0",
                                        [VC4VK_ENGINE_WORKER + 1] = "CPU: worker of family 1"};
    snprintf(out, out_B, "device %p %s", (void *)device, names[engine]);
}

void vc4vk_trace_init(struct vc4vk_queue_device *device)
{
    char name[MAX_TRACK_NAME_B];
    if (!util_trace_is_on())
        return;
    for (uint32_t i = 0; i < device->queue_count; i++) {
        name_queue(&device->queues[i], name, sizeof name);
        device->queues[i].track = util_trace_track(name);
    }
    for (uint32_t i = 0; i < VC4VK_ENGINES; i++) {
        name_engine(device, i, name, sizeof name);
        device->engine_tracks[i].track = util_trace_track(name);
    }
}

static enum vc4vk_engine engine_of(const struct vc4vk_queue *queue, const struct vc4vk_item *item)
{
    if (item->is_on_device)
        return VC4VK_ENGINE_CHIP;
    return item->is_long ? VC4VK_ENGINE_WORKER + queue->family : VC4VK_ENGINE_DISPATCHER;
}

void vc4vk_trace_queue_name_locked(const struct vc4vk_queue *queue)
{
    char name[MAX_TRACK_NAME_B];
    name_queue(queue, name, sizeof name);
    util_trace_rename_track(queue->track, name);
}

void vc4vk_trace_queue_label(const struct vc4vk_queue *queue, const char *text, uint64_t begin_ns, uint64_t end_ns)
{
    char track_name[MAX_TRACK_NAME_B];
    name_queue(queue, track_name, sizeof track_name);
    util_trace_overlapping_span(queue->track, track_name, text, begin_ns, end_ns, NULL);
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

static void put_names(const struct vc4vk_item *item, char out[MAX_NAMES_B])
{
    out[0] = 0;
    size_t used_B = put_member(out, MAX_NAMES_B, 0, "label", item->label);
    used_B = put_member(out, MAX_NAMES_B, used_B, "command_buffer", item->command_buffer);
    put_member(out, MAX_NAMES_B, used_B, "queue_label", item->queue_label);
}

void vc4vk_trace_item_locked(struct vc4vk_queue *queue, const struct vc4vk_item *item)
{
    char track_name[MAX_TRACK_NAME_B], names[MAX_NAMES_B], args[320 + MAX_NAMES_B];
    const struct vc4vk_item_times *t = &item->times;
    if (!util_trace_is_on())
        return;
    put_names(item, names);
    snprintf(args, sizeof args,
             "\"value\": %" PRIu64 ", \"queued_ns\": %" PRIu64 ", \"submitted_ns\": %" PRIu64
             ", \"started_ns\": %" PRIu64 ", \"finished_ns\": %" PRIu64 ", \"retired_ns\": %" PRIu64 "%s%s",
             item->value, t->queued_ns, t->submitted_ns, t->started_ns, t->finished_ns, t->retired_ns,
             names[0] ? ", " : "", names);
    name_queue(queue, track_name, sizeof track_name);
    util_trace_overlapping_span(queue->track, track_name, item->name, t->queued_ns, t->retired_ns, args);
    if (!t->started_ns)
        return;
    /* The chip bins a job while it renders the one before: each is shown from where the other ends. */
    struct vc4vk_engine_track *engine = &queue->device->engine_tracks[engine_of(queue, item)];
    util_trace_span(engine->track, item->name, MAX2(t->started_ns, engine->end_ns), t->finished_ns, args);
    engine->end_ns = MAX2(engine->end_ns, t->finished_ns);
}
