/* SPDX-License-Identifier: MIT
 *
 * The chip engine: builds jobs and submits them to the kernel or its model. It does not wait for a submitted job: the
 * backend stores the ring's word when the job has finished. Jobs follow each other without a pause, up to a limit of
 * jobs in flight.
 *
 * A job in parts is submitted part by part: the next one is built when the one before has finished. When memory is
 * short an entry is submitted again after a job has retired; only when nothing is left to wait for is the device lost.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "engine/vc4vk_engine_private.h"
#include "util/debug.h"
#include "util/log.h"

/* Enough to keep the device busy; each holds kernel memory for its lists. */
#define MAX_JOBS_IN_FLIGHT 32
/* For contexts below the highest priority: no job can overtake those that the device has already. */
#define MAX_LOW_JOBS_IN_FLIGHT 3
/* Building a job whose list is longer would keep the application's thread from its own work. */
#define MAX_SHORT_CL_B UINT32_C(1024)

static const struct vc4vk_job *job_of(const struct vc4vk_command *command)
{
    return container_of(command, const struct vc4vk_job, command);
}

static uint32_t max_jobs_in_flight(const struct vc4vk_context *context)
{
    return context->priority < context->scheduler->contexts[0]->priority ? MAX_LOW_JOBS_IN_FLIGHT : MAX_JOBS_IN_FLIGHT;
}

static bool chip_can_take(const struct vc4vk_ring *ring, const struct vc4vk_entry *entry)
{
    const struct vc4vk_engine *engine = ring->engine;
    if (entry->next_part && !entry->job_times.finished_ns)
        return false; /* an earlier part is still on the chip */
    if (kmd_device_is_lost(ring->context->scheduler->kmd))
        return true;
    return ring->running_count < max_jobs_in_flight(ring->context) &&
           (engine->retry_after == UINT64_MAX || engine->retired > engine->retry_after || !engine->running);
}

static bool chip_is_short(const struct vc4vk_command *command)
{
    /* A job that reads memory when it is built may have much to read. */
    return !command->waits_for_ring && job_of(command)->list_B <= MAX_SHORT_CL_B;
}

static const char *chip_describe(const struct vc4vk_command *command)
{
    return job_of(command)->name;
}

/* -- one part ----------------------------------------------------------------------------------------------------- */

static VkResult submit_build(struct vc4vk_ring *ring, struct vc4vk_entry *entry, const struct vc4vk_job *job,
                             struct vc4vk_job_build *build)
{
    struct kmd_device *kmd = ring->context->scheduler->kmd;
    struct kmd_submit submit = {
        .bin_cl = build->bin_cl.data,
        .bin_cl_B = build->bin_cl.size_B,
        .shader_rec = build->shader_rec.data,
        .shader_rec_B = build->shader_rec.size_B,
        .shader_rec_count = build->shader_rec_count,
        .uniforms = build->uniforms.data,
        .uniforms_B = build->uniforms.size_B,
        .bos = build->bos,
        .bo_count = build->bo_count,
        .render = build->render,
        .timeline = ring->timeline,
        .value = entry->value,
        .times = &entry->job_times,
        /* The inspector reads the job's results before anything else learns that it has finished. */
        .is_part = build->next_from != 0 || entry->frame,
        .perfmon = ring->context->perfmon,
    };
    const struct kmd_job_times times = entry->job_times; /* of the part before */
    entry->job_times.finished_ns = 0;
    free(entry->kept); /* of an earlier part, or try */
    entry->kept = vc4vk_keep_job(job, build);
    vc4vk_inspect_begin_job(ring, entry, job, &submit);
    int err = kmd_submit(kmd, &submit);
    if (err)
        entry->job_times = times;
    switch (err) {
    case 0:
        vc4vk_inspect_end_job(ring, entry);
        return VK_SUCCESS;
    case -ENOMEM:
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    case -EIO:
        return VK_ERROR_DEVICE_LOST;
    default:
        util_error("job %" PRIu64 " (%s) was refused: %s: %s", entry->value, job->name, strerror(-err),
                   kmd_last_refusal(kmd));
        vc4vk_print_job(ring->context, entry->value, job, build);
        vc4vk_print_bin_cl(build);
        return VK_ERROR_DEVICE_LOST;
    }
}

/* Builds and submits the job, or its next part. *is_nothing_out: the chip has nothing to do for it. */
static VkResult submit_part(struct vc4vk_ring *ring, struct vc4vk_entry *entry, const struct vc4vk_job *job,
                            bool *is_nothing_out)
{
    struct vc4vk_job_build *build = &ring->context->scheduler->build;
    VkResult result = vc4vk_job_build_begin(build, job);
    build->from = entry->next_part;
    build->retires = (struct vc4vk_timestamp){ring->timeline, entry->value};
    if (result == VK_SUCCESS)
        result = job->build ? job->build(job, build) : VK_SUCCESS;
    *is_nothing_out = build->is_nothing;
    if (result == VK_SUCCESS && !build->is_nothing) {
        if (util_debug(UTIL_DEBUG_JOBS))
            vc4vk_print_job(ring->context, entry->value, job, build);
        if (util_debug(UTIL_DEBUG_CL))
            vc4vk_print_bin_cl(build);
        result = submit_build(ring, entry, job, build);
        build->is_submitted = result == VK_SUCCESS;
    }
    if (result == VK_SUCCESS)
        entry->next_part = build->next_from;
    vc4vk_job_build_end(build);
    return result;
}

/* -- entries ------------------------------------------------------------------------------------------------------ */

static void count_job_locked(struct vc4vk_job_counts *counts, enum vc4vk_job_class class)
{
    switch (class) {
    case VC4VK_JOB_NATIVE:
        counts->native++;
        break;
    case VC4VK_JOB_LOWERED:
        counts->lowered++;
        break;
    case VC4VK_JOB_CPU:
        counts->cpu++;
        break;
    }
}

static bool is_out_of_memory(VkResult result)
{
    return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Out of memory when issuing the entry. AGAIN: it is tried again after another job has retired. FAILED: no other job is
 * left to wait for. */
static enum vc4vk_submit_result wait_for_memory(struct vc4vk_ring *ring, const struct vc4vk_entry *entry,
                                                const struct vc4vk_job *job)
{
    struct vc4vk_scheduler *scheduler = ring->context->scheduler;
    struct vc4vk_engine *engine = ring->engine;
    kmd_bo_cache_drop(scheduler->kmd);
    struct kmd_store *store = vc4vk_scheduler_lock(scheduler);
    const bool is_alone = engine->running <= 1; /* the entry itself is counted */
    const bool was_alone = is_alone && engine->retry_after == engine->retired;
    engine->retry_after = engine->retired;
    vc4vk_scheduler_unlock(store);
    if (!was_alone)
        return VC4VK_SUBMIT_AGAIN;
    util_error("job %" PRIu64 " (%s): no memory to issue it, although nothing else runs", entry->value, job->name);
    return VC4VK_SUBMIT_FAILED;
}

static enum vc4vk_submit_result chip_submit(struct vc4vk_ring *ring, struct vc4vk_entry *entry)
{
    struct vc4vk_scheduler *scheduler = ring->context->scheduler;
    const struct vc4vk_job *job = job_of(entry->command);
    const enum vc4vk_job_class class = job->class; /* read now: once the kernel has the job, its owner may free it */
    const bool had_part = entry->next_part != 0, is_inspected = entry->frame != NULL;
    bool is_nothing;
    if (had_part && !entry->times.started_ns)
        entry->times.started_ns = entry->job_times.started_ns; /* of the first part */
    const VkResult result = submit_part(ring, entry, job, &is_nothing);
    if (is_out_of_memory(result))
        return wait_for_memory(ring, entry, job);
    if (result != VK_SUCCESS)
        return VC4VK_SUBMIT_FAILED;
    struct kmd_store *store = vc4vk_scheduler_lock(scheduler);
    ring->engine->retry_after = UINT64_MAX;
    if (!had_part)
        count_job_locked(&scheduler->counts, class);
    const bool is_whole = !entry->next_part;
    entry->is_on_chip = is_whole && !is_nothing;
    entry->has_kernel_word = entry->is_on_chip && !is_inspected;
    if (is_whole)
        entry->command = NULL;
    if (is_whole && !entry->has_kernel_word)
        vc4vk_ring_complete_locked(ring, entry);
    vc4vk_scheduler_unlock(store);
    if (is_whole && util_debug(UTIL_DEBUG_SYNC))
        (void)vc4vk_timestamp_wait(scheduler->kmd, (struct vc4vk_timestamp){ring->timeline, entry->value},
                                   UTIL_FOREVER_NS);
    return is_whole ? VC4VK_SUBMIT_TAKEN : VC4VK_SUBMIT_AGAIN;
}

static void chip_cancel(struct vc4vk_ring *ring, struct vc4vk_entry *entry)
{
}

const struct vc4vk_engine_ops vc4vk_chip_engine = {
    .name = "chip",
    .can_take = chip_can_take,
    .submit = chip_submit,
    .cancel = chip_cancel,
    .is_short = chip_is_short,
    .describe = chip_describe,
};
