/* SPDX-License-Identifier: MIT
 *
 * The host engine: commands that take no time and touch no memory of the device: waits for semaphores and events,
 * signals, query words, markers. They run on the thread that schedules. A wait is a command that starts when its
 * `is_ready` returns true; the commands after it wait for it as for any other.
 */
#include "engine/vc4vk_engine_private.h"
#include "util/debug.h"
#include "util/log.h"

static bool host_can_take(const struct vc4vk_ring *ring, const struct vc4vk_entry *entry)
{
    const struct vc4vk_scheduler *scheduler = ring->context->scheduler;
    const struct vc4vk_cpu_op *op = vc4vk_cpu_op_of(entry->command);
    return !op->is_ready || op->is_ready(op->arguments) || scheduler->stop || kmd_device_is_lost(scheduler->kmd);
}

static bool host_is_short(const struct vc4vk_command *command)
{
    return true;
}

static VkResult run(struct vc4vk_ring *ring, struct vc4vk_entry *entry, struct vc4vk_cpu_op *op)
{
    VkResult result = op->prepare ? op->prepare(ring->context, entry->counter_pass, op->arguments) : VK_SUCCESS;
    if (!op->run || result != VK_SUCCESS)
        return result;
    if (util_debug(UTIL_DEBUG_JOBS))
        vc4vk_print_cpu_op(ring->context, entry->value, op);
    result = op->run(op->arguments);
    if (result != VK_SUCCESS)
        util_error("CPU operation %llu (%s) failed (VkResult %d)", (unsigned long long)entry->value, op->name, result);
    return result;
}

/* The time at which everything that the entry could wait for had finished. */
static uint64_t finished_ns_locked(const struct vc4vk_context *context, const struct vc4vk_entry *entry)
{
    uint64_t time_ns = entry->times.queued_ns;
    for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++)
        time_ns = MAX2(time_ns, context->rings[e].finished_ns);
    return time_ns;
}

static enum vc4vk_submit_result host_submit(struct vc4vk_ring *ring, struct vc4vk_entry *entry)
{
    struct vc4vk_cpu_op *op = vc4vk_cpu_op_of(entry->command);
    const VkResult result = run(ring, entry, op);
    struct kmd_store *store = vc4vk_scheduler_lock(ring->context->scheduler);
    if (op->observe)
        op->observe(op->arguments, finished_ns_locked(ring->context, entry));
    else
        entry->times.finished_ns = util_now_ns();
    entry->command = NULL;
    if (op->release) {
        vc4vk_scheduler_unlock(store);
        op->release(op);
        vc4vk_scheduler_lock(ring->context->scheduler);
    }
    if (result == VK_SUCCESS)
        vc4vk_ring_complete_locked(ring, entry);
    vc4vk_scheduler_unlock(store);
    return result == VK_SUCCESS ? VC4VK_SUBMIT_TAKEN : VC4VK_SUBMIT_FAILED;
}

const struct vc4vk_engine_ops vc4vk_host_engine = {
    .name = "host",
    .can_take = host_can_take,
    .submit = host_submit,
    .cancel = vc4vk_cpu_op_cancel,
    .is_short = host_is_short,
    .describe = vc4vk_cpu_op_describe,
};
