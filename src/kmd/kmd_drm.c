/* SPDX-License-Identifier: MIT
 *
 * The DRM backend: the kernel's vc4 driver, through libdrm.
 *
 * The kernel does not notify user space when a job has finished. So the retire thread waits for the sequence numbers of
 * the jobs in order and reports the jobs. The start time of a job is not known; it is estimated as the end of the
 * previous job, or the time of submission to an idle device.
 *
 * Hangs: kernels with the scheduler set an error on the job's fence, which the retire thread reads through a syncobj.
 * Older kernels report hung jobs as success, so there only the time limit detects a hang [kernel vc4_gem.c,
 * vc4_sched.c, notes 9.8].
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/sync_file.h>
#include <vc4_drm.h>
#include <xf86drm.h>
#include "kmd/kmd_drm.h"
#include "util/environment.h"
#include "util/thread.h"

struct drm_job {
    struct util_list link;
    uint64_t seqno;
    uint64_t submitted_ns;
    uint32_t fence; /* syncobj; 0 = none */
};

struct drm_device {
    struct kmd_device base;
    int fd;
    struct kmd_drm_window window;
    bool has_syncobj;
    /* Counts from the end of the previous job. The kernel resets a chip that makes no progress within 0.1 to 0.5 s, so
     * a job that exceeds this limit never ends. */
    uint64_t job_timeout_ns;
    pthread_t retire_thread;
    pthread_mutex_t mutex; /* protects the fields below; never held during an ioctl that may sleep */
    pthread_cond_t changed;
    struct util_list jobs; /* of struct drm_job, oldest first: submitted and not reported yet */
    bool stopping;
};

static struct drm_device *drm_device(struct kmd_device *dev)
{
    return container_of(dev, struct drm_device, base);
}

/* -- calls -------------------------------------------------------------------------------------------------------- */

/* Made from the errno: the kernel gives no other reason. */
static _Thread_local char last_refusal[96];

static const char *name_of_request(unsigned long request)
{
    static const char *const names[] = {
        "SUBMIT_CL",        "WAIT_SEQNO",     "WAIT_BO",        "CREATE_BO",       "MMAP_BO",
        "CREATE_SHADER_BO", "GET_HANG_STATE", "GET_PARAM",      "SET_TILING",      "GET_TILING",
        "LABEL_BO",         "GEM_MADVISE",    "PERFMON_CREATE", "PERFMON_DESTROY", "PERFMON_GET_VALUES",
    };
    unsigned long number = (request & 0xff) - DRM_COMMAND_BASE;
    return number < ARRAY_SIZE(names) ? names[number] : "DRM core";
}

int kmd_drm_ioctl(int fd, unsigned long request, void *arg)
{
    last_refusal[0] = '\0';
    if (!drmIoctl(fd, request, arg))
        return 0;
    int err = errno;
    if (err != ETIME)
        snprintf(last_refusal, sizeof last_refusal, "the kernel refused %s: %s", name_of_request(request),
                 strerror(err));
    return -err;
}

static int drm_backend_ioctl(struct kmd_device *dev, unsigned long request, void *arg)
{
    return kmd_drm_ioctl(drm_device(dev)->fd, request, arg);
}

static const char *drm_backend_last_refusal(struct kmd_device *dev)
{
    return last_refusal;
}

/* -- buffer objects ----------------------------------------------------------------------------------------------- */

static void *drm_bo_map(struct kmd_bo *bo)
{
    struct drm_vc4_mmap_bo arg = {.handle = bo->handle};
    if (drm_backend_ioctl(bo->dev, DRM_IOCTL_VC4_MMAP_BO, &arg))
        return NULL;
    struct drm_device *device = drm_device(bo->dev);
    return kmd_drm_window_map(&device->window, device->fd, arg.offset, bo);
}

static uint32_t drm_backend_upper_addr(struct kmd_device *dev)
{
    return kmd_drm_window_upper_addr(&drm_device(dev)->window);
}

static int drm_bo_engine_addr(struct kmd_bo *bo, uint32_t *addr_out)
{
    return kmd_drm_window_addr(&drm_device(bo->dev)->window, kmd_bo_map(bo), addr_out) ? 0 : -ENOMEM;
}

static void drm_bo_destroy(struct kmd_bo *bo)
{
    void *map = atomic_load_explicit(&bo->map, memory_order_acquire);
    if (map)
        kmd_drm_window_unmap(&drm_device(bo->dev)->window, map, bo->size_B);
    kmd_vc4_bo_destroy(bo);
}

static int drm_bo_export_fd(struct kmd_bo *bo, int *fd_out)
{
    return drmPrimeHandleToFD(drm_device(bo->dev)->fd, bo->handle, DRM_CLOEXEC | DRM_RDWR, fd_out) ? -errno : 0;
}

static int drm_bo_import(struct kmd_device *dev, int fd, struct kmd_bo *bo)
{
    off_t size_B = lseek(fd, 0, SEEK_END);
    if (size_B <= 0 || size_B > UINT32_MAX)
        return -EINVAL;
    if (drmPrimeFDToHandle(drm_device(dev)->fd, fd, &bo->handle))
        return -errno;
    bo->size_B = (uint32_t)size_B;
    return 0;
}

static const struct kmd_bo_ops drm_bo_ops = {
    .engine_addr = drm_bo_engine_addr,
    .destroy = drm_bo_destroy,
    .map = drm_bo_map,
    .label = kmd_vc4_bo_label,
    .madvise = kmd_vc4_bo_madvise,
    .export_fd = drm_bo_export_fd,
};

/* -- retirement --------------------------------------------------------------------------------------------------- */

/* The status of the job's fence: 0, or the error with which the kernel ended the job. */
static int fence_status(struct drm_device *device, uint32_t fence)
{
    int file = -1;
    if (!fence || drmSyncobjExportSyncFile(device->fd, fence, &file))
        return 0;
    struct sync_file_info info = {0};
    int err = ioctl(file, SYNC_IOC_FILE_INFO, &info) ? 0 : MIN2(info.status, 0);
    close(file);
    return err;
}

static int wait_for_seqno(struct drm_device *device, uint64_t seqno, uint64_t timeout_ns)
{
    struct drm_vc4_wait_seqno arg = {.seqno = seqno, .timeout_ns = timeout_ns};
    return kmd_drm_ioctl(device->fd, DRM_IOCTL_VC4_WAIT_SEQNO, &arg);
}

/* All processes share the device's sequence numbers. A job's time starts when the previous job is done, whichever
 * process it belongs to. The kernel resets hangs of other processes' jobs; if it has not done so in ten limits, it
 * never will. */
static int wait_for_job(struct drm_device *device, const struct drm_job *job)
{
    int err = job->seqno > 1 ? wait_for_seqno(device, job->seqno - 1, 10 * device->job_timeout_ns) : 0;
    if (!err)
        err = wait_for_seqno(device, job->seqno, device->job_timeout_ns);
    if (err == -ETIME)
        return -ETIMEDOUT;
    return err ? err : fence_status(device, job->fence);
}

static struct drm_job *wait_for_oldest(struct drm_device *device)
{
    pthread_mutex_lock(&device->mutex);
    while (util_list_is_empty(&device->jobs) && !device->stopping)
        pthread_cond_wait(&device->changed, &device->mutex);
    struct drm_job *job =
        util_list_is_empty(&device->jobs) ? NULL : util_list_first(&device->jobs, struct drm_job, link);
    pthread_mutex_unlock(&device->mutex);
    return job;
}

static void destroy_job(struct drm_device *device, struct drm_job *job)
{
    if (job->fence)
        drmSyncobjDestroy(device->fd, job->fence);
    free(job);
}

/* After the first failure the device is lost, and all other jobs are reported at once, without waiting for them. */
static void *retire_main(void *arg)
{
    struct drm_device *device = arg;
    uint64_t finished_ns = 0;
    int status = 0;
    struct drm_job *job;
    while ((job = wait_for_oldest(device))) {
        kmd_device_job_started(&device->base, job->seqno, MAX2(job->submitted_ns, finished_ns));
        if (!status)
            status = wait_for_job(device, job);
        finished_ns = util_now_ns();
        pthread_mutex_lock(&device->mutex);
        util_list_del(&job->link);
        pthread_mutex_unlock(&device->mutex);
        kmd_device_job_finished(&device->base, finished_ns, status);
        destroy_job(device, job);
    }
    return NULL;
}

/* -- submission --------------------------------------------------------------------------------------------------- */

static int drm_submit(struct kmd_device *dev, const struct kmd_submit *submit, const uint32_t *handles,
                      uint64_t *seqno_out)
{
    struct drm_device *device = drm_device(dev);
    struct drm_job *job = calloc(1, sizeof *job);
    if (!job)
        return -ENOMEM;
    if (device->has_syncobj && drmSyncobjCreate(device->fd, 0, &job->fence))
        job->fence = 0; /* hangs are still detected by the time limit */
    int err = kmd_vc4_submit(dev, submit, handles, job->fence, &job->seqno);
    if (err) {
        destroy_job(device, job);
        return err;
    }
    *seqno_out = job->seqno;
    job->submitted_ns = util_now_ns();
    pthread_mutex_lock(&device->mutex);
    util_list_add_tail(&device->jobs, &job->link);
    pthread_cond_signal(&device->changed);
    pthread_mutex_unlock(&device->mutex);
    return 0;
}

/* -- sync files --------------------------------------------------------------------------------------------------- */

static int drm_job_sync_file(struct kmd_device *dev, uint64_t seqno, int *fd_out)
{
    struct drm_device *device = drm_device(dev);
    int err = -ENOENT;
    pthread_mutex_lock(&device->mutex); /* keeps the retire thread from destroying the fence */
    util_list_for_each (struct drm_job, job, &device->jobs, link)
        if (job->seqno == seqno && job->fence)
            err = drmSyncobjExportSyncFile(device->fd, job->fence, fd_out) ? -errno : 0;
    pthread_mutex_unlock(&device->mutex);
    return err;
}

/* Only a sync file can be imported into a syncobj. */
static int drm_sync_file_check(struct kmd_device *dev, int fd)
{
    struct drm_device *device = drm_device(dev);
    uint32_t syncobj;
    if (!device->has_syncobj)
        return -ENOTSUP;
    if (drmSyncobjCreate(device->fd, 0, &syncobj))
        return -errno;
    int err = drmSyncobjImportSyncFile(device->fd, syncobj, fd) ? -EINVAL : 0;
    drmSyncobjDestroy(device->fd, syncobj);
    return err;
}

/* -- devices ------------------------------------------------------------------------------------------------------ */

static void drm_backend_close(struct kmd_device *dev)
{
    struct drm_device *device = drm_device(dev);
    pthread_mutex_lock(&device->mutex);
    device->stopping = true;
    pthread_cond_signal(&device->changed);
    pthread_mutex_unlock(&device->mutex);
    pthread_join(device->retire_thread, NULL);
    kmd_device_finish(dev);
    pthread_cond_destroy(&device->changed);
    pthread_mutex_destroy(&device->mutex);
    kmd_drm_window_finish(&device->window);
    close(device->fd);
    free(device);
}

static const struct kmd_device_ops drm_device_ops = {
    .close = drm_backend_close,
    .ioctl = drm_backend_ioctl,
    .bo_create = kmd_vc4_bo_create,
    .upper_addr = drm_backend_upper_addr,
    .bo_create_shader = kmd_vc4_bo_create_shader,
    .bo_import = drm_bo_import,
    .submit = drm_submit,
    .job_sync_file = drm_job_sync_file,
    .sync_file_check = drm_sync_file_check,
    .last_refusal = drm_backend_last_refusal,
};

static int drm_backend_open(const struct kmd_physical *physical, struct kmd_device **out)
{
    struct drm_device *device = calloc(1, sizeof *device);
    if (!device)
        return -ENOMEM;
    device->fd = open(physical->path, O_RDWR | O_CLOEXEC);
    int err = device->fd < 0 ? -errno : 0;
    if (err)
        goto fail_alloc;
    device->job_timeout_ns = util_hang_limit_ns();
    kmd_drm_window_init(&device->window);
    uint64_t has_syncobj = 0;
    device->has_syncobj = !drmGetCap(device->fd, DRM_CAP_SYNCOBJ, &has_syncobj) && has_syncobj;
    util_list_init(&device->jobs);
    err = -pthread_mutex_init(&device->mutex, NULL);
    if (err)
        goto fail_fd;
    err = -util_cond_init(&device->changed);
    if (err)
        goto fail_mutex;
    err = kmd_device_init(&device->base, &drm_device_ops, &drm_bo_ops, &kmd_engine_model_ops);
    if (err)
        goto fail_cond;
    err = -util_thread_create(&device->retire_thread, "vc4vk-retire", retire_main, device);
    if (err)
        goto fail_device;
    *out = &device->base;
    return 0;

fail_device:
    kmd_device_finish(&device->base);
fail_cond:
    pthread_cond_destroy(&device->changed);
fail_mutex:
    pthread_mutex_destroy(&device->mutex);
fail_fd:
    kmd_drm_window_finish(&device->window);
    close(device->fd);
fail_alloc:
    free(device);
    return err;
}

const struct kmd_backend kmd_drm_backend = {
    .name = "drm",
    .enumerate = kmd_drm_enumerate,
    .open = drm_backend_open,
};
