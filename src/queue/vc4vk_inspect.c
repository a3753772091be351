/* SPDX-License-Identifier: MIT
 *
 * What queues tell the frame inspector: which frame an item belongs to, what a job was given, when an operation ran.
 * Jobs of an inspected frame are waited for one by one, so that what they have stored can be looked at before anybody
 * learns that they have finished.
 */
#include "queue/vc4vk_item.h"

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

static struct inspect_origin origin_of(const struct vc4vk_queue *queue, const struct vc4vk_item *item)
{
    return (struct inspect_origin){
        .label = item->label,
        .command_buffer = item->command_buffer,
        .queue_label = item->queue_label,
        .queue_family = queue->family,
        .queue_index = queue->index,
        .value = item->value,
        .queued_ns = item->times.queued_ns,
        .submitted_ns = item->times.submitted_ns,
    };
}

void vc4vk_inspect_begin_job(const struct vc4vk_queue *queue, struct vc4vk_item *item, const struct vc4vk_job *job,
                             struct kmd_submit *submit)
{
    if (!item->frame)
        return;
    if (!item->work) { /* not of an earlier try */
        struct inspect_job info = vc4vk_inspect_describe(job, submit);
        info.origin = origin_of(queue, item);
        item->work = inspect_begin_job(item->frame, &info);
    }
    submit->stats = inspect_stats(item->work);
}

void vc4vk_inspect_end_job(const struct vc4vk_queue *queue, struct vc4vk_item *item)
{
    struct kmd_device *kmd = queue->device->kmd;
    struct kmd_store *store = kmd_device_store(kmd);
    if (!item->work)
        return;
    pthread_mutex_lock(&store->mutex);
    while (!item->job_times.finished_ns && !kmd_device_is_lost(kmd))
        util_cond_wait_until(&store->cond, &store->mutex, UTIL_FOREVER_NS);
    pthread_mutex_unlock(&store->mutex);
    inspect_end_work(item->work, item->job_times.started_ns, item->job_times.finished_ns);
    item->work = NULL;
}

void vc4vk_inspect_begin_op(const struct vc4vk_queue *queue, struct vc4vk_item *item, struct vc4vk_cpu_op *op)
{
    char text[160] = "";
    if (!item->frame)
        return;
    if (op->describe)
        op->describe(op->arguments, text, sizeof text);
    const struct inspect_op info = {
        .name = op->name, .text = text, .origin = origin_of(queue, item), .is_engine = op->is_engine_job};
    item->work = inspect_begin_op(item->frame, &info);
    inspect_enter(item->work);
}

void vc4vk_inspect_end_op(struct vc4vk_item *item)
{
    if (!item->frame)
        return;
    inspect_leave();
    inspect_end_work(item->work, item->times.started_ns, item->times.finished_ns);
    item->work = NULL;
}
