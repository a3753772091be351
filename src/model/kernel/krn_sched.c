/* SPDX-License-Identifier: MIT
 *
 * Runs jobs, and implements the waits for sequence numbers and buffers. Job N + 1 may be binned while job N is
 * rendered, as on the chip; each stage takes jobs in the order of submission. Two threads run both stages: a thread
 * that has binned a job goes on to render it, and the second thread is woken only if there is work besides that.
 *
 * If the binning of a job reads what an older job stores, it starts after the older job has finished. (The kernel
 * blocks in the ioctl for this. Here the job waits in its queue, which looks the same to the chip.)
 *
 * A hang affects its own job only. The hooks get an error; waiters see success, as with the real kernel [notes 9.8].
 */
#include <errno.h>
#include "model/kernel/krn_job.h"
#include "util/log.h"

static void report_start(struct krn_job *job)
{
    const struct model_job_hooks *hooks = &job->file->hooks;
    if (hooks->started)
        hooks->started(hooks->data, job->seqno, util_now_ns());
}

static void record_status(struct krn_job *job, const char *stage, enum gpu_status status, const char *message)
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
    if (krn_binner_get_slot(job->dev, &job->dev->rendering_jobs, &job->bin_slots, addr_out))
        return false;
    *size_B_out = KRN_BIN_SLOT_B;
    return true;
}

static void call_bin_done_hook(struct krn_job *job)
{
    struct model_device *dev = job->dev;
    pthread_mutex_lock(&dev->lock);
    void (*hook)(void *, uint8_t *, uint32_t, uint32_t) = dev->bin_done;
    void *data = dev->bin_done_data;
    pthread_mutex_unlock(&dev->lock);
    if (hook)
        hook(data, krn_memory_ptr(&dev->mem, job->lists.tile_alloc_addr),
             KRN_BIN_SLOT_B - (job->lists.tile_alloc_addr - job->lists.bin_slot_addr),
             (uint32_t)__builtin_popcount(job->bin_slots));
}

static void bin(struct krn_job *job)
{
    struct model_device *dev = job->dev;
    if (!job->lists.ct0ca)
        return;
    report_start(job);
    struct gpu_bin_job bin = {
        .ct0ca = job->lists.ct0ca,
        .ct0ea = job->lists.ct0ea,
        .overspill = {job, overspill},
        .limit_ns = dev->job_timeout_ns,
        .counts = job->perfmon ? job->counts : NULL,
        .stats = job->stats,
    };
    const char *message = NULL;
    enum gpu_status status = gpu_run_bin(dev->gpu, &bin, &message);
    record_status(job, "binning", status, message);
    call_bin_done_hook(job);
}

/* -- rendering -- */

static void finish(struct krn_job *job)
{
    struct model_device *dev = job->dev;
    struct model_file *file = job->file;
    uint64_t seqno = job->seqno;
    int status = job->status;
    if (job->perfmon)
        krn_perfmon_add(file, job->perfmon, job->counts);
    krn_job_destroy(job); /* before the job is reported as finished, so that its memory is free by then */

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

static void render(struct krn_job *job)
{
    struct model_device *dev = job->dev;
    if (!job->lists.ct0ca)
        report_start(job);
    if (!job->status) { /* after a hang in binning there are no lists to render */
        struct gpu_render_job render = {
            .ct1ca = job->lists.ct1ca,
            .ct1ea = job->lists.ct1ea,
            .limit_ns = dev->job_timeout_ns,
            .counts = job->perfmon ? job->counts : NULL,
            .stats = job->stats,
        };
        const char *message = NULL;
        enum gpu_status status = gpu_run_render(dev->gpu, &render, &message);
        record_status(job, "rendering", status, message);
    }
    finish(job);
}

/* -- the two threads -- */

/* A stage that can run its next job, or NULL. Rendering comes first, as it frees binner slots that binning may have to
 * wait for. Otherwise a single thread could wait for itself. */
static struct krn_stage *ready_stage_locked(struct model_device *dev)
{
    struct krn_stage *binning = &dev->binning, *rendering = &dev->rendering;
    if (!rendering->is_busy && !util_list_is_empty(&rendering->jobs))
        return rendering;
    if (binning->is_busy || util_list_is_empty(&binning->jobs))
        return NULL;
    const struct krn_job *job = util_list_first(&binning->jobs, struct krn_job, link);
    return !job->lists.ct0ca || dev->finished_seqno >= job->bin_waits_for ? binning : NULL;
}

static void *chip_main(void *arg);

static int start_thread_locked(struct model_device *dev)
{
    int err = util_thread_create(&dev->threads[dev->thread_count], "vc4vk-chip", chip_main, dev);
    dev->thread_count += !err;
    return err;
}

/* If a stage can run, wakes an idle thread or starts the second one. */
static void wake_thread_locked(struct model_device *dev)
{
    if (!ready_stage_locked(dev))
        return;
    if (dev->idle_threads)
        pthread_cond_signal(&dev->work);
    else if (dev->thread_count < ARRAY_SIZE(dev->threads) && !dev->has_no_second_thread)
        dev->has_no_second_thread = start_thread_locked(dev) != 0;
}

static void run_stage(struct model_device *dev, struct krn_stage *stage, struct krn_job *job)
{
    if (stage == &dev->rendering) {
        render(job);
        return;
    }
    bin(job);
    pthread_mutex_lock(&dev->lock);
    dev->rendering_jobs++;
    util_list_add_tail(&dev->rendering.jobs, &job->link);
    pthread_mutex_unlock(&dev->lock);
}

static void *chip_main(void *arg)
{
    struct model_device *dev = arg;
    pthread_mutex_lock(&dev->lock);
    for (;;) {
        struct krn_stage *stage = ready_stage_locked(dev);
        if (stage) {
            struct krn_job *job = util_list_first(&stage->jobs, struct krn_job, link);
            util_list_del(&job->link);
            stage->is_busy = true;
            wake_thread_locked(dev);
            pthread_mutex_unlock(&dev->lock);
            run_stage(dev, stage, job);
            pthread_mutex_lock(&dev->lock);
            stage->is_busy = false;
        } else if (dev->stopping) {
            break;
        } else {
            dev->idle_threads++;
            pthread_cond_wait(&dev->work, &dev->lock);
            dev->idle_threads--;
        }
    }
    pthread_mutex_unlock(&dev->lock);
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
    for (uint32_t i = 0; i < job->lists.args.bo_handle_count; i++)
        job->bos[i]->last_seqno = seqno;
    for (int i = KRN_COLOR_WRITE; i < KRN_SURFACE_COUNT; i++) {
        const struct krn_buffer *surface = job->lists.surface[i];
        if (!surface)
            continue;
        struct krn_bo *bo = job->bos[krn_lists_index(&job->lists, surface)];
        bo->write_seqno = dev->write_seqno = seqno;
        dev->sparse_write_seqno = bo->is_sparse ? seqno : dev->sparse_write_seqno;
    }
    dev->unfinished_jobs++;
    job->file->unfinished_jobs++;
    util_list_add_tail(&dev->binning.jobs, &job->link);
    wake_thread_locked(dev);
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
    err = util_cond_init(&dev->work);
    if (err)
        goto fail_finished;
    pthread_mutex_lock(&dev->lock);
    err = start_thread_locked(dev);
    pthread_mutex_unlock(&dev->lock);
    if (err)
        goto fail_work;
    return 0;

fail_work:
    pthread_cond_destroy(&dev->work);
fail_finished:
    pthread_cond_destroy(&dev->finished);
fail_lock:
    pthread_mutex_destroy(&dev->lock);
    return -err;
}

void krn_sched_finish(struct model_device *dev)
{
    pthread_mutex_lock(&dev->lock);
    dev->stopping = true;
    pthread_cond_broadcast(&dev->work);
    pthread_mutex_unlock(&dev->lock);
    for (uint32_t i = 0; i < dev->thread_count; i++) /* all jobs are finished, so no thread is started meanwhile */
        pthread_join(dev->threads[i], NULL);
    pthread_cond_destroy(&dev->work);
    pthread_cond_destroy(&dev->finished);
    pthread_mutex_destroy(&dev->lock);
}
