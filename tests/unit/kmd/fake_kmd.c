/* SPDX-License-Identifier: MIT
 *
 * Implements the test backend declared in fake_kmd.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include "fake_kmd.h"
#include "util/thread.h"

static struct fake_kmd *fake_of(struct kmd_device *dev)
{
    return container_of(dev, struct fake_kmd, base);
}

static void sleep_1ms(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void wait_while_held(struct fake_kmd *fake)
{
    atomic_fetch_add(&fake->held, 1);
    while (atomic_load(&fake->holds))
        sleep_1ms();
    atomic_fetch_sub(&fake->held, 1);
}

bool fake_kmd_wait_held(struct fake_kmd *fake, uint32_t count)
{
    for (uint32_t ms = 0; ms < 60000 && atomic_load(&fake->held) < count; ms++)
        sleep_1ms();
    return atomic_load(&fake->held) >= count;
}

static int fake_bo_create(struct kmd_device *dev, struct kmd_bo *bo)
{
    struct fake_kmd *fake = fake_of(dev);
    int err = 0;
    wait_while_held(fake);
    pthread_mutex_lock(&fake->mutex);
    if (fake->memory_limit_B && fake->memory_used_B + bo->size_B > fake->memory_limit_B)
        err = -ENOMEM;
    void *map = err || bo->is_shader ? NULL : calloc(1, bo->size_B);
    if (!err && !map && !bo->is_shader)
        err = -ENOMEM;
    if (!err) {
        fake->memory_used_B += bo->size_B;
        fake->live_bos++;
        fake->created_bos++;
        bo->handle = ++fake->next_handle;
        atomic_store(&bo->map, map);
    }
    pthread_mutex_unlock(&fake->mutex);
    return err;
}

static int fake_bo_create_shader(struct kmd_device *dev, struct kmd_bo *bo, const uint64_t *code, uint32_t size_B)
{
    return fake_bo_create(dev, bo);
}

static void fake_bo_destroy(struct kmd_bo *bo)
{
    struct fake_kmd *fake = fake_of(bo->dev);
    pthread_mutex_lock(&fake->mutex);
    fake->memory_used_B -= bo->size_B;
    fake->live_bos--;
    pthread_mutex_unlock(&fake->mutex);
    free(atomic_load(&bo->map));
}

static int fake_submit(struct kmd_device *dev, const struct kmd_submit *submit, const uint32_t *handles,
                       uint64_t *seqno_out)
{
    struct fake_kmd *fake = fake_of(dev);
    pthread_mutex_lock(&fake->mutex);
    int err = 0;
    if (fake->submit_error_count) {
        fake->submit_error_count--;
        err = fake->submit_error;
    } else {
        struct fake_job *job = &fake->jobs[fake->submitted++ % FAKE_MAX_JOBS];
        *job = (struct fake_job){
            .timeline = submit->timeline,
            .value = submit->value,
            .bin_cl_B = submit->bin_cl_B,
            .uniforms_B = submit->uniforms_B,
            .bo_count = submit->bo_count,
            .first_byte = submit->bin_cl_B ? *(const uint8_t *)submit->bin_cl : 0,
        };
    }
    *seqno_out = fake->submitted;
    pthread_mutex_unlock(&fake->mutex);
    if (!err && fake->finish_at_once)
        fake_kmd_finish_jobs(fake, 1, 0);
    return err;
}

static int fake_job_sync_file(struct kmd_device *dev, uint64_t seqno, int *fd_out)
{
    struct fake_kmd *fake = fake_of(dev);
    int err = -ENOENT;
    pthread_mutex_lock(&fake->mutex);
    if (!fake->has_sync_files) {
        err = -ENOTSUP;
    } else if (seqno > fake->finished && fake->sync_file_count < FAKE_MAX_SYNC_FILES) {
        int fd = eventfd(0, EFD_CLOEXEC);
        *fd_out = fd < 0 ? -1 : dup(fd);
        err = *fd_out < 0 ? -errno : 0;
        if (err && fd >= 0)
            close(fd);
        if (!err) {
            fake->sync_files[fake->sync_file_count].seqno = seqno;
            fake->sync_files[fake->sync_file_count++].fd = fd;
        }
    }
    pthread_mutex_unlock(&fake->mutex);
    return err;
}

static int fake_sync_file_check(struct kmd_device *dev, int fd)
{
    char path[40], target[40] = "";
    if (!fake_of(dev)->has_sync_files)
        return -ENOTSUP;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return readlink(path, target, sizeof target - 1) > 0 && !strcmp(target, "anon_inode:[eventfd]") ? 0 : -EINVAL;
}

static void signal_sync_files(struct fake_kmd *fake, uint64_t seqno)
{
    pthread_mutex_lock(&fake->mutex);
    for (uint32_t i = 0; i < fake->sync_file_count; i++) {
        if (fake->sync_files[i].seqno != seqno)
            continue;
        eventfd_write(fake->sync_files[i].fd, 1);
        close(fake->sync_files[i].fd);
        fake->sync_files[i--] = fake->sync_files[--fake->sync_file_count];
    }
    pthread_mutex_unlock(&fake->mutex);
}

void fake_kmd_finish_jobs(struct fake_kmd *fake, uint32_t count, int status)
{
    for (uint32_t i = 0; i < count; i++) {
        signal_sync_files(fake, fake->finished + 1);
        kmd_device_job_started(&fake->base, ++fake->finished, util_now_ns());
        kmd_device_job_finished(&fake->base, util_now_ns(), status);
    }
}

bool fake_kmd_wait_submitted(struct fake_kmd *fake, uint32_t count)
{
    for (int i = 0; i < 5000 && atomic_load(&fake->submitted) < count; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(&fake->submitted) >= count;
}

static const char *fake_last_refusal(struct kmd_device *dev)
{
    return "a made-up rule";
}

static void fake_close(struct kmd_device *dev)
{
    struct fake_kmd *fake = fake_of(dev);
    kmd_device_finish(dev);
    pthread_mutex_destroy(&fake->mutex);
    while (fake->sync_file_count)
        close(fake->sync_files[--fake->sync_file_count].fd);
    free(fake);
}

static const struct kmd_device_ops fake_device_ops = {
    .close = fake_close,
    .bo_create = fake_bo_create,
    .bo_create_shader = fake_bo_create_shader,
    .submit = fake_submit,
    .job_sync_file = fake_job_sync_file,
    .sync_file_check = fake_sync_file_check,
    .last_refusal = fake_last_refusal,
};

static int fake_bo_madvise(struct kmd_bo *bo, bool is_needed, bool *retained_out)
{
    struct fake_kmd *fake = fake_of(bo->dev);
    if (!fake->can_purge)
        return -ENOTTY;
    fake->madvise_calls++;
    fake->offered_bos += is_needed ? -1 : 1;
    *retained_out = !fake->has_purged;
    return 0;
}

static int fake_bo_export_fd(struct kmd_bo *bo, int *fd_out)
{
    wait_while_held(fake_of(bo->dev));
    *fd_out = eventfd(0, EFD_CLOEXEC);
    return *fd_out < 0 ? -errno : 0;
}

static const struct kmd_bo_ops fake_bo_ops = {
    .destroy = fake_bo_destroy, .madvise = fake_bo_madvise, .export_fd = fake_bo_export_fd};

struct kmd_device *fake_kmd_create(struct fake_kmd **fake_out)
{
    struct fake_kmd *fake = calloc(1, sizeof *fake);
    if (!fake || kmd_device_init(&fake->base, &fake_device_ops, &fake_bo_ops, NULL) ||
        pthread_mutex_init(&fake->mutex, NULL))
        abort();
    *fake_out = fake;
    return &fake->base;
}
