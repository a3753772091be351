/* SPDX-License-Identifier: MIT
 *
 * Devices and submission: the part common to both backends. Jobs in flight form one queue per device, because the chip
 * runs them in order. A backend reports when the next job has started and when the oldest one has finished.
 */
#include <errno.h>
#include <stdlib.h>
#include "kmd/kmd_backend.h"
#include "util/log.h"

/* A job that is, or is about to be, with the kernel. */
struct job_in_flight {
    struct util_list link;
    struct kmd_timeline *timeline;
    uint64_t value;
    uint64_t seqno;              /* 0 until the kernel has assigned it, which is possible for the newest job only */
    struct kmd_job_times *times; /* not owned; NULL: not requested */
    bool has_started;
    bool is_part; /* not the last job with its value */
};

int kmd_device_init(struct kmd_device *dev, const struct kmd_device_ops *ops, const struct kmd_bo_ops *bo_ops,
                    const struct kmd_engine_ops *engine_ops)
{
    *dev = (struct kmd_device){.bo_ops = bo_ops, .engine_ops = engine_ops};
    util_list_init(&dev->in_flight);
    util_list_init(&dev->shared);
    int err = kmd_store_init(&dev->store, dev);
    if (err)
        return err;
    err = kmd_bo_cache_init(&dev->cache);
    if (err)
        goto fail_store;
    err = kmd_part_heap_init(&dev->parts);
    if (err)
        goto fail_cache;
    err = -pthread_mutex_init(&dev->submit_mutex, NULL);
    if (err)
        goto fail_parts;
    err = -pthread_mutex_init(&dev->shared_mutex, NULL);
    if (err)
        goto fail_submit;
    err = kmd_engine_init(dev);
    if (err)
        goto fail_shared;
    dev->ops = ops;
    return 0;

fail_shared:
    pthread_mutex_destroy(&dev->shared_mutex);
fail_submit:
    pthread_mutex_destroy(&dev->submit_mutex);
fail_parts:
    kmd_part_heap_finish(&dev->parts);
fail_cache:
    kmd_bo_cache_finish(&dev->cache);
fail_store:
    kmd_store_finish(&dev->store);
    return err;
}

void kmd_device_finish(struct kmd_device *dev)
{
    if (!dev->ops)
        return;
    kmd_engine_finish(dev);
    kmd_part_heap_finish(&dev->parts);
    kmd_bo_cache_finish(&dev->cache);
    util_list_for_each_safe(struct job_in_flight, job, &dev->in_flight, link)
        free(job);
    free(dev->handles);
    pthread_mutex_destroy(&dev->shared_mutex);
    pthread_mutex_destroy(&dev->submit_mutex);
    kmd_store_finish(&dev->store);
    dev->ops = NULL;
}

int kmd_open(const struct kmd_physical *physical, struct kmd_device **out)
{
    return physical->backend->open(physical, out);
}

void kmd_close(struct kmd_device *dev)
{
    if (dev)
        dev->ops->close(dev);
}

const char *kmd_last_refusal(struct kmd_device *dev)
{
    return dev->ops->last_refusal ? dev->ops->last_refusal(dev) : "";
}

int kmd_test_set_bin_done_hook(struct kmd_device *dev,
                               void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots),
                               void *data)
{
    return dev->ops->set_bin_done_hook ? dev->ops->set_bin_done_hook(dev, hook, data) : -ENOTSUP;
}

/* -- jobs --------------------------------------------------------------------------------------------------------- */

void kmd_render_init(struct kmd_render *render)
{
    const struct kmd_surface absent = {.bo_index = KMD_NO_BO};
    *render = (struct kmd_render){
        .color_read = absent,
        .color_write = absent,
        .zs_read = absent,
        .zs_write = absent,
        .msaa_color_write = absent,
        .msaa_zs_write = absent,
    };
}

void kmd_device_job_started(struct kmd_device *dev, uint64_t seqno, uint64_t time_ns)
{
    pthread_mutex_lock(&dev->store.mutex);
    util_list_for_each(struct job_in_flight, job, &dev->in_flight, link) {
        if (job->seqno && job->seqno != seqno)
            continue;
        job->has_started = true;
        if (job->times)
            job->times->started_ns = time_ns;
        kmd_timeline_store_start_locked(job->timeline, job->value);
        break;
    }
    pthread_mutex_unlock(&dev->store.mutex);
}

void kmd_device_job_finished(struct kmd_device *dev, uint64_t time_ns, int status)
{
    pthread_mutex_lock(&dev->store.mutex);
    assert(!util_list_is_empty(&dev->in_flight));
    struct job_in_flight *job = util_list_first(&dev->in_flight, struct job_in_flight, link);
    util_list_del(&job->link);
    if (job->times) {
        if (!job->has_started)
            job->times->started_ns = time_ns;
        job->times->finished_ns = time_ns;
    }
    if (status && !dev->store.hung_timeline) {
        dev->store.hung_timeline = job->timeline;
        dev->store.hung_value = job->value;
    }
    if (status)
        atomic_store_explicit(&dev->lost, true, memory_order_release);
    kmd_timeline_store_start_locked(job->timeline, job->value);
    if (!job->is_part)
        kmd_timeline_store_end_locked(job->timeline, job->value);
    if (status)
        kmd_store_wake_all_locked(&dev->store);
    else
        kmd_timeline_wake_locked(job->timeline);
    pthread_cond_broadcast(&dev->store.cond); /* the scheduler */
    pthread_mutex_unlock(&dev->store.mutex);
    if (status)
        util_error("a job hung (%d): the device is lost", status);
    free(job);
}

/* Fills dev->handles, the array of handles for the kernel. Under the submit lock. */
static int gather_handles(struct kmd_device *dev, const struct kmd_submit *submit)
{
    if (submit->bo_count > dev->handle_capacity) {
        uint32_t capacity = util_next_pow2(submit->bo_count);
        uint32_t *handles = realloc(dev->handles, (size_t)capacity * sizeof *handles);
        if (!handles)
            return -ENOMEM;
        dev->handles = handles;
        dev->handle_capacity = capacity;
    }
    for (uint32_t i = 0; i < submit->bo_count; i++)
        dev->handles[i] = submit->bos[i]->handle;
    return 0;
}

/* Looks the job up first: it may have finished and been freed already. */
static void set_seqno_locked(struct kmd_device *dev, const struct job_in_flight *submitted, uint64_t seqno)
{
    util_list_for_each(struct job_in_flight, job, &dev->in_flight, link)
        if (job == submitted)
            job->seqno = seqno;
}

static int submit_locked(struct kmd_device *dev, const struct kmd_submit *submit)
{
    int err = gather_handles(dev, submit);
    if (err)
        return err;
    struct job_in_flight *job = malloc(sizeof *job);
    if (!job)
        return -ENOMEM;
    *job = (struct job_in_flight){
        .timeline = submit->timeline, .value = submit->value, .times = submit->times, .is_part = submit->is_part};
    for (uint32_t i = 0; i < submit->bo_count; i++)
        kmd_bo_mark_use(submit->bos[i], submit->timeline, submit->value);

    /* Must be in the list before the kernel gets it: it may finish before the call returns. */
    pthread_mutex_lock(&dev->store.mutex);
    util_list_add_tail(&dev->in_flight, &job->link);
    pthread_mutex_unlock(&dev->store.mutex);
    uint64_t seqno = 0;
    err = dev->ops->submit(dev, submit, dev->handles, &seqno);
    pthread_mutex_lock(&dev->store.mutex);
    if (err) {
        util_list_del(&job->link);
        free(job);
    } else {
        set_seqno_locked(dev, job, seqno);
    }
    pthread_mutex_unlock(&dev->store.mutex);
    return err;
}

int kmd_job_sync_file(struct kmd_device *dev, const struct kmd_timeline *timeline, uint64_t value, int *fd_out)
{
    uint64_t seqno = 0;
    pthread_mutex_lock(&dev->store.mutex);
    util_list_for_each(struct job_in_flight, job, &dev->in_flight, link)
        if (job->timeline == timeline && job->value == value && !job->is_part)
            seqno = job->seqno;
    pthread_mutex_unlock(&dev->store.mutex);
    if (!dev->ops->job_sync_file)
        return -ENOTSUP;
    return seqno ? dev->ops->job_sync_file(dev, seqno, fd_out) : -ENOENT;
}

int kmd_sync_file_check(struct kmd_device *dev, int fd)
{
    return dev->ops->sync_file_check ? dev->ops->sync_file_check(dev, fd) : -ENOTSUP;
}

int kmd_submit(struct kmd_device *dev, const struct kmd_submit *submit)
{
    if (kmd_device_is_lost(dev))
        return -EIO;
    pthread_mutex_lock(&dev->submit_mutex);
    int err = submit_locked(dev, submit);
    pthread_mutex_unlock(&dev->submit_mutex);
    return err;
}
