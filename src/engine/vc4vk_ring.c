/* SPDX-License-Identifier: MIT
 *
 * Rings and contexts: entries from their submission until they retire.
 */
#include <stdlib.h>
#include <string.h>
#include "engine/vc4vk_engine_private.h"

void vc4vk_cpu_op_init(struct vc4vk_cpu_op *op, enum vc4vk_engine_id engine, const char *name,
                       VkResult (*run)(void *arguments), void *arguments)
{
    *op = (struct vc4vk_cpu_op){.command = {.engine = engine}, .run = run, .arguments = arguments, .name = name};
}

void vc4vk_cpu_op_cancel(struct vc4vk_ring *ring, struct vc4vk_entry *entry)
{
    struct vc4vk_cpu_op *op = vc4vk_cpu_op_of(entry->command);
    if (op->release)
        op->release(op);
    entry->command = NULL;
}

const char *vc4vk_cpu_op_describe(const struct vc4vk_command *command)
{
    return vc4vk_cpu_op_of(command)->name;
}

/* -- entries ------------------------------------------------------------------------------------------------------ */

bool vc4vk_entries_take(struct vc4vk_scheduler *scheduler, uint32_t count, struct util_list *out)
{
    uint32_t taken = 0;
    struct kmd_store *store = vc4vk_scheduler_lock(scheduler);
    for (; taken < count && !util_list_is_empty(&scheduler->free_entries); taken++) {
        struct util_list *link = scheduler->free_entries.next;
        util_list_del(link);
        util_list_add_tail(out, link);
    }
    vc4vk_scheduler_unlock(store);
    for (; taken < count; taken++) {
        struct vc4vk_entry *entry = malloc(sizeof *entry);
        if (!entry)
            break;
        util_list_add_tail(out, &entry->link);
    }
    if (taken == count)
        return true;
    util_list_for_each_safe(struct vc4vk_entry, entry, out, link)
        free(entry);
    util_list_init(out);
    return false;
}

void vc4vk_entries_return_locked(struct vc4vk_scheduler *scheduler, struct util_list *entries)
{
    util_list_splice_tail(&scheduler->free_entries, entries);
}

/* -- dependencies ------------------------------------------------------------------------------------------------- */

void vc4vk_context_begin_segment_locked(struct vc4vk_context *context)
{
    for (uint32_t i = 0; i < VC4VK_ENGINE_COUNT; i++)
        context->segment_waits[i] = context->segment_begin[i] = context->rings[i].last_value;
    context->segment_waits[VC4VK_ENGINE_HOST] = context->host_wait;
}

static void find_waits(const struct vc4vk_context *context, const struct vc4vk_command *command,
                       uint64_t waits_out[VC4VK_ENGINE_COUNT])
{
    const bool is_chip = command->engine == VC4VK_ENGINE_CHIP;
    for (uint32_t i = 0; i < VC4VK_ENGINE_COUNT; i++) {
        if (command->order == VC4VK_ORDER_QUEUE)
            waits_out[i] = context->rings[i].last_value;
        else
            waits_out[i] =
                command->waits[i] ? context->segment_begin[i] + command->waits[i] : context->segment_waits[i];
    }
    if (command->order == VC4VK_ORDER_QUEUE && is_chip)
        waits_out[VC4VK_ENGINE_HOST] = context->host_wait;
    if (!is_chip || !command->waits_for_ring) /* the ring's own order is enough */
        waits_out[command->engine] = 0;
}

void vc4vk_context_append_locked(struct vc4vk_context *context, struct util_list *entries,
                                 struct vc4vk_command *command, const struct vc4vk_entry_names *names,
                                 uint32_t counter_pass)
{
    if (command->engine == VC4VK_ENGINE_NONE) {
        vc4vk_context_begin_segment_locked(context);
        return;
    }
    struct vc4vk_ring *ring = &context->rings[command->engine];
    struct vc4vk_entry *entry = util_list_first(entries, struct vc4vk_entry, link);
    util_list_del(&entry->link);
    *entry = (struct vc4vk_entry){
        .command = command,
        .observes =
            command->engine != VC4VK_ENGINE_CHIP && container_of(command, struct vc4vk_cpu_op, command)->observe,
        .name = ring->engine->ops->describe(command),
        .label = command->label,
        .command_buffer = names->command_buffer,
        .queue_label = names->queue_label,
        .counter_pass = counter_pass,
        .times.queued_ns = util_now_ns(),
        .frame = inspect_frame_get(context->scheduler->inspect),
    };
    find_waits(context, command, entry->waits);
    entry->value = ++ring->last_value;
    if (command->engine == VC4VK_ENGINE_HOST && !entry->observes)
        context->host_wait = entry->value;
    util_list_add_tail(&ring->pending, &entry->link);
    context->scheduler->pending_count++;
}

struct vc4vk_timestamp_set vc4vk_context_last_locked(const struct vc4vk_context *context)
{
    struct vc4vk_timestamp_set set = {0};
    for (uint32_t i = 0; i < VC4VK_ENGINE_COUNT; i++) {
        const struct vc4vk_ring *ring = &context->rings[i];
        if (!kmd_timeline_is_retired(ring->timeline, ring->last_value))
            set.at[set.count++] = (struct vc4vk_timestamp){ring->timeline, ring->last_value};
    }
    return set;
}

struct vc4vk_timestamp_set vc4vk_context_last(struct vc4vk_context *context)
{
    struct kmd_store *store = vc4vk_scheduler_lock(context->scheduler);
    const struct vc4vk_timestamp_set set = vc4vk_context_last_locked(context);
    vc4vk_scheduler_unlock(store);
    return set;
}

/* -- retiring ----------------------------------------------------------------------------------------------------- */

void vc4vk_ring_complete_locked(struct vc4vk_ring *ring, struct vc4vk_entry *complete)
{
    bool has_advanced = false;
    complete->is_complete = true;
    util_list_for_each(struct vc4vk_entry, entry, &ring->running, link) {
        if (!entry->is_complete && !kmd_timeline_is_retired(ring->timeline, entry->value))
            break;
        if (!entry->is_complete || entry->value <= ring->timeline->pending_end)
            continue;
        kmd_timeline_store_start_locked(ring->timeline, entry->value);
        kmd_timeline_store_end_locked(ring->timeline, entry->value);
        has_advanced = true;
    }
    if (has_advanced)
        kmd_timeline_wake_locked(ring->timeline);
}

bool vc4vk_ring_has_kernel_job_locked(const struct vc4vk_ring *ring, uint64_t value)
{
    util_list_for_each(struct vc4vk_entry, entry, &ring->running, link)
        if (entry->value == value)
            return entry->has_kernel_word;
    return false;
}
