/* SPDX-License-Identifier: MIT
 *
 * Reports entries to the frame inspector: the frame that an entry belongs to, the inputs of a job, and when another
 * command ran. Jobs of an inspected frame are waited for one by one, so that the inspector can read their results
 * before anything else learns that they have finished.
 */
#include "engine/vc4vk_engine_private.h"

static const char *const class_names[] = {
    [VC4VK_JOB_NATIVE] = "native", [VC4VK_JOB_LOWERED] = "lowered", [VC4VK_JOB_CPU] = "CPU"};

struct inspect_job vc4vk_inspect_describe(const struct vc4vk_job *job, const struct kmd_submit *submit)
{
    return (struct inspect_job){
        .name = job->name,
        .class = class_names[job->class],
        .submit = submit,
        .notes = job->notes,
    };
}

static struct inspect_origin origin_of(const struct vc4vk_ring *ring, const struct vc4vk_entry *entry)
{
    return (struct inspect_origin){
        .label = entry->label,
        .command_buffer = entry->command_buffer,
        .queue_label = entry->queue_label,
        .queue_family = ring->context->family,
        .queue_index = ring->context->index,
        .value = entry->value,
        .queued_ns = entry->times.queued_ns,
        .submitted_ns = entry->times.submitted_ns,
    };
}

void vc4vk_inspect_begin_job(const struct vc4vk_ring *ring, struct vc4vk_entry *entry, const struct vc4vk_job *job,
                             struct kmd_submit *submit)
{
    if (!entry->frame)
        return;
    if (!entry->work) { /* not set by an earlier try */
        struct inspect_job info = vc4vk_inspect_describe(job, submit);
        info.origin = origin_of(ring, entry);
        entry->work = inspect_begin_job(entry->frame, &info);
    }
    submit->stats = inspect_stats(entry->work);
}

void vc4vk_inspect_end_job(const struct vc4vk_ring *ring, struct vc4vk_entry *entry)
{
    struct kmd_device *kmd = ring->context->scheduler->kmd;
    struct kmd_store *store = kmd_device_store(kmd);
    if (!entry->work)
        return;
    pthread_mutex_lock(&store->mutex);
    while (!entry->job_times.finished_ns && !kmd_device_is_lost(kmd))
        util_cond_wait_until(&store->cond, &store->mutex, UTIL_FOREVER_NS);
    pthread_mutex_unlock(&store->mutex);
    inspect_end_work(entry->work, entry->job_times.started_ns, entry->job_times.finished_ns);
    entry->work = NULL;
}

void vc4vk_inspect_begin_op(const struct vc4vk_ring *ring, struct vc4vk_entry *entry, struct vc4vk_cpu_op *op)
{
    char text[160] = "";
    if (!entry->frame)
        return;
    if (op->describe)
        op->describe(op->arguments, text, sizeof text);
    const struct inspect_op info = {.name = op->name,
                                    .text = text,
                                    .origin = origin_of(ring, entry),
                                    .is_engine = op->command.engine == VC4VK_ENGINE_CPU};
    entry->work = inspect_begin_op(entry->frame, &info);
    inspect_enter(entry->work);
}

void vc4vk_inspect_end_op(struct vc4vk_entry *entry)
{
    if (!entry->frame)
        return;
    inspect_leave();
    inspect_end_work(entry->work, entry->times.started_ns, entry->times.finished_ns);
    entry->work = NULL;
}
