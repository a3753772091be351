/* SPDX-License-Identifier: MIT
 *
 * Why a device was lost: the first command that failed is remembered with its names, for VK_EXT_device_fault.
 */
#include <stdio.h>
#include "engine/vc4vk_engine_private.h"
#include "util/thread.h"

/* The scheduler needs this long at most to remove what a lost device has left. Nothing wakes waiters for that. */
#define SETTLE_NS UINT64_C(1000000000)
#define POLL_NS   UINT64_C(1000000)

static void copy_text(char *out, size_t out_B, const char *text)
{
    snprintf(out, out_B, "%s", text ? text : "");
}

void vc4vk_record_fault_locked(const struct vc4vk_ring *ring, const struct vc4vk_entry *entry,
                               enum vc4vk_fault_kind kind)
{
    struct vc4vk_fault *fault = &ring->context->scheduler->fault;
    if (fault->kind != VC4VK_FAULT_NONE)
        return;
    fault->kind = kind;
    fault->engine = ring->engine->id;
    fault->family = ring->context->family;
    fault->index = ring->context->index;
    fault->value = entry->value;
    copy_text(fault->name, sizeof fault->name, entry->name);
    copy_text(fault->label, sizeof fault->label, entry->label);
    copy_text(fault->command_buffer, sizeof fault->command_buffer, entry->command_buffer);
}

void vc4vk_record_hang_locked(const struct vc4vk_ring *ring, const struct vc4vk_entry *entry)
{
    const struct kmd_store *store = kmd_device_store(ring->context->scheduler->kmd);
    if (store->hung_timeline == ring->timeline && store->hung_value == entry->value)
        vc4vk_record_fault_locked(ring, entry, VC4VK_FAULT_HANG);
}

struct vc4vk_fault vc4vk_scheduler_fault(struct vc4vk_scheduler *scheduler)
{
    const uint64_t deadline_ns = util_deadline_ns(SETTLE_NS);
    struct kmd_store *store = vc4vk_scheduler_lock(scheduler);
    while (kmd_device_is_lost(scheduler->kmd) && scheduler->fault.kind == VC4VK_FAULT_NONE &&
           scheduler->pending_count + scheduler->running_count && util_now_ns() < deadline_ns)
        (void)kmd_store_wait_locked(store, util_deadline_ns(POLL_NS));
    const struct vc4vk_fault fault = scheduler->fault;
    vc4vk_scheduler_unlock(store);
    return fault;
}
