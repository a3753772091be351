/* SPDX-License-Identifier: MIT
 *
 * Runs jobs: one thread drives the chip's binning, one its rendering, so job N + 1 may be binned while N is rendered.
 * Both keep the order of submission. Waits for sequence numbers and buffers end here.
 *
 * A job whose binning reads what an older job stores is binned after that one is finished. (The kernel blocks in the
 * ioctl for it; here the binning thread waits, which looks the same to the chip.)
 *
 * A hang costs its own job only: it is finished with an error for the hooks; waiters see success, as on the classic
 * kernel [notes 9.8].
 */
#include <errno.h>
#include "model/kernel/krn_job.h"
#include "util/log.h"

static struct krn_job *pop(struct model_device *dev, struct krn_queue *queue)
{
    pthread_mutex_lock(&dev->lock);
    while (util_list_is_empty(&queue->jobs) && !dev->stopping)
        pthread_cond_wait(&queue->changed, &dev->lock);
    struct krn_job *job = NULL;
    if (!util_list_is_empty(&queue->jobs)) {
        job = util_list_first(&queue->jobs, struct krn_job, link);
        util_list_del(&job->link);
    }
    pthread_mutex_unlock(&dev->lock);
    return job;
}

static void push_locked(struct krn_queue *queue, struct krn_job *job)
{
    util_list_add_tail(&queue->jobs, &job->link);
    pthread_cond_signal(&queue->changed);
}

static void report_start(struct krn_job *job)
{
    const struct model_job_hooks *hooks = &job->file->hooks;
    if (hooks->started)
        hooks->started(hooks->data, job->seqno, util_now_ns());
}

static void note_status(struct krn_job *job, const char *stage, enum gpu_status status, const char *message)
{
    if (status == GPU_OK)
        return;
    job->status = status == GPU_HANG ? -ETIMEDOUT : -ENOMEM;
    util_error("model: job %llu: %s: %s", (unsigned long long)job->seqno, stage,
               message              ? message
               : status == GPU_HANG ? "hang"
                                    : "out of memory");
}

/* -- binning -- */

static bool overspill(void *data, uint32_t *addr_out, uint32_t *size_B_out)
{
    struct krn_job *job = data;
    if (krn_job_get_bin_slot(job, &job->dev->rendering_jobs, addr_out))
        return false;
    *size_B_out = KRN_BIN_SLOT_B;
    return true;
}

static void wait_for_inputs(struct krn_job *job)
{
    struct model_device *dev = job->dev;
    pthread_mutex_lock(&dev->lock);
    while (dev->finished_seqno < job->bin_waits_for)
        pthread_cond_wait(&dev->finished, &dev->lock);
    pthread_mutex_unlock(&dev->lock);
}

static void call_bin_done_hook(struct krn_job *job)
{
    struct model_device *dev = job->dev;
    pthread_mutex_lock(&dev->lock);
    void (*hook)(void *, uint8_t *, uint32_t, uint32_t) = dev->bin_done;
    void *data = dev->bin_done_data;
    pthread_mutex_unlock(&dev->lock);
    if (hook)
        hook(data, krn_memory_ptr(&dev->mem, job->tile_alloc_addr),
             KRN_BIN_SLOT_B - (job->tile_alloc_addr - job->bin_slot_addr),
             (uint32_t)__builtin_popcount(job->bin_slots));
}

static void *binning_main(void *arg)
{
    struct model_device *dev = arg;
    struct krn_job *job;
    while ((job = pop(dev, &dev->binning))) {
        if (job->ct0ca) {
            wait_for_inputs(job);
            report_start(job);
            struct gpu_bin_job bin = {
                .ct0ca = job->ct0ca,
                .ct0ea = job->ct0ea,
                .overspill = {job, overspill},
                .deadline_ns = util_deadline_ns(dev->job_timeout_ns),
                .counts = job->args.perfmonid ? job->counts : NULL,
                .stats = job->stats,
            };
            const char *message = NULL;
            enum gpu_status status = gpu_run_bin(dev->gpu, &bin, &message);
            note_status(job, "binning", status, message);
            call_bin_done_hook(job);
        }
        pthread_mutex_lock(&dev->lock);
        dev->rendering_jobs++;
        push_locked(&dev->rendering, job);
        pthread_mutex_unlock(&dev->lock);
    }
    return NULL;
}

/* -- rendering -- */

static void finish(struct krn_job *job)
{
    struct model_device *dev = job->dev;
    struct model_file *file = job->file;
    uint64_t seqno = job->seqno;
    int status = job->status;
    if (job->args.perfmonid)
        krn_perfmon_add(file, job->args.perfmonid, job->counts);
    krn_job_destroy(job); /* before anybody learns that it is done, so that its memory is free then */

    pthread_mutex_lock(&dev->lock);
    dev->finished_seqno = seqno;
    dev->rendering_jobs--;
    dev->unfinished_jobs--;
    pthread_cond_broadcast(&dev->finished);
    pthread_mutex_unlock(&dev->lock);

    if (file->hooks.finished)
        file->hooks.finished(file->hooks.data, seqno, util_now_ns(), status);

    pthread_mutex_lock(&dev->lock);
    file->unfinished_jobs--;
    pthread_cond_broadcast(&dev->finished);
    pthread_mutex_unlock(&dev->lock);
}

static void *rendering_main(void *arg)
{
    struct model_device *dev = arg;
    struct krn_job *job;
    while ((job = pop(dev, &dev->rendering))) {
        if (!job->ct0ca)
            report_start(job);
        if (!job->status) { /* a hung binner leaves no lists to render */
            struct gpu_render_job render = {
                .ct1ca = job->ct1ca,
                .ct1ea = job->ct1ea,
                .deadline_ns = util_deadline_ns(dev->job_timeout_ns),
                .counts = job->args.perfmonid ? job->counts : NULL,
                .stats = job->stats,
            };
            const char *message = NULL;
            enum gpu_status status = gpu_run_render(dev->gpu, &render, &message);
            note_status(job, "rendering", status, message);
        }
        finish(job);
    }
    return NULL;
}

/* -- submission and waiting -- */

uint64_t krn_sched_queue(struct krn_job *job)
{
    struct model_device *dev = job->dev;
    pthread_mutex_lock(&dev->lock);
    while (dev->unfinished_jobs >= KRN_MAX_QUEUED)
        pthread_cond_wait(&dev->finished, &dev->lock);
    uint64_t seqno = ++dev->last_seqno;
    job->seqno = seqno;
    for (uint32_t i = 0; i < job->args.bo_handle_count; i++)
        job->bos[i]->last_seqno = seqno;
    for (int i = KRN_COLOR_WRITE; i < KRN_SURFACE_COUNT; i++) {
        if (job->surface[i])
            job->surface[i]->write_seqno = seqno;
    }
    dev->unfinished_jobs++;
    job->file->unfinished_jobs++;
    push_locked(&dev->binning, job);
    pthread_mutex_unlock(&dev->lock);
    return seqno;
}

static int wait_for(struct model_device *dev, uint64_t seqno, uint64_t timeout_ns)
{
    uint64_t deadline_ns = util_deadline_ns(timeout_ns);
    int err = 0;
    pthread_mutex_lock(&dev->lock);
    while (!err && dev->finished_seqno < seqno) {
        if (!timeout_ns || !util_cond_wait_until(&dev->finished, &dev->lock, deadline_ns))
            err = dev->finished_seqno < seqno ? -ETIME : 0;
    }
    pthread_mutex_unlock(&dev->lock);
    return err;
}

int krn_ioctl_wait_seqno(struct model_file *file, const struct drm_vc4_wait_seqno *args)
{
    return wait_for(file->dev, args->seqno, args->timeout_ns);
}

int krn_ioctl_wait_bo(struct model_file *file, const struct drm_vc4_wait_bo *args)
{
    if (args->pad)
        return -EINVAL;
    struct krn_bo *bo = krn_handle_lookup(file, args->handle);
    if (!bo)
        return -EINVAL;
    pthread_mutex_lock(&file->dev->lock);
    uint64_t seqno = bo->last_seqno;
    pthread_mutex_unlock(&file->dev->lock);
    krn_bo_unref(bo);
    return wait_for(file->dev, seqno, args->timeout_ns);
}

void krn_sched_drain(struct model_file *file)
{
    struct model_device *dev = file->dev;
    pthread_mutex_lock(&dev->lock);
    while (file->unfinished_jobs)
        pthread_cond_wait(&dev->finished, &dev->lock);
    pthread_mutex_unlock(&dev->lock);
}

/* -- set-up -- */

static void stop_thread(struct model_device *dev, struct krn_queue *queue)
{
    pthread_mutex_lock(&dev->lock);
    dev->stopping = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&dev->lock);
    pthread_join(queue->thread, NULL);
}

static void destroy_conds(struct model_device *dev)
{
    pthread_cond_destroy(&dev->rendering.changed);
    pthread_cond_destroy(&dev->binning.changed);
    pthread_cond_destroy(&dev->finished);
    pthread_mutex_destroy(&dev->lock);
}

int krn_sched_init(struct model_device *dev)
{
    util_list_init(&dev->binning.jobs);
    util_list_init(&dev->rendering.jobs);
    int err = pthread_mutex_init(&dev->lock, NULL);
    if (err)
        return -err;
    err = util_cond_init(&dev->finished);
    if (err)
        goto fail_lock;
    err = util_cond_init(&dev->binning.changed);
    if (err)
        goto fail_finished;
    err = util_cond_init(&dev->rendering.changed);
    if (err)
        goto fail_binning;
    err = util_thread_create(&dev->binning.thread, "vc4vk-bin", binning_main, dev);
    if (err)
        goto fail_conds;
    err = util_thread_create(&dev->rendering.thread, "vc4vk-render", rendering_main, dev);
    if (err) {
        stop_thread(dev, &dev->binning);
        goto fail_conds;
    }
    return 0;

fail_conds:
    destroy_conds(dev);
    return -err;
fail_binning:
    pthread_cond_destroy(&dev->binning.changed);
fail_finished:
    pthread_cond_destroy(&dev->finished);
fail_lock:
    pthread_mutex_destroy(&dev->lock);
    return -err;
}

void krn_sched_finish(struct model_device *dev)
{
    stop_thread(dev, &dev->binning);
    stop_thread(dev, &dev->rendering);
    destroy_conds(dev);
}
