/* SPDX-License-Identifier: MIT
 *
 * Sync objects (binary ones: the vc4 driver has no timelines) and sync files.
 *
 * An object holds no fence, the fence of a job (its sequence number), or a fence that has signalled. The model's thread
 * reports finished jobs. Exporting a sync file waits until the fence has signalled.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <drm.h>
#include "shim/shim.h"
#include "util/fault.h"
#include "util/thread.h"

enum fence { FENCE_NONE, FENCE_JOB, FENCE_SIGNALLED };

/* Contents of the memfd of an exported object. The object can only be imported in the process that owns it. */
struct shared_name {
    uint64_t process, number;
};

struct shim_syncobj {
    struct util_list link; /* in `objects` */
    uint32_t refs;         /* one per handle; one more after an export */
    bool is_exported;
    enum fence fence;
    uint64_t seqno; /* for FENCE_JOB */
    int status;     /* for FENCE_SIGNALLED: 0 or a negative errno */
    struct shared_name name;
};

#define MAX_FAILED 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* signalled when a job finishes or an object gets a fence */
static struct util_list objects = {&objects, &objects};
static uint64_t object_number;
static uint64_t submitted_seqno, finished_seqno;
static struct {
    uint64_t seqno;
    int status;
} failed[MAX_FAILED]; /* ring of the last failed jobs */
static uint32_t failed_count;

__attribute__((constructor)) static void init(void)
{
    int err = util_cond_init(&changed);
    assert(!err);
    (void)err;
}

void shim_sync_lock(void)
{
    pthread_mutex_lock(&lock);
}

void shim_sync_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* A forked child starts with a model device of its own. */
void shim_sync_after_fork(void)
{
    util_list_init(&objects);
    submitted_seqno = finished_seqno = 0;
    failed_count = 0;
    init();
}

void shim_sync_job_submitted(uint64_t seqno)
{
    pthread_mutex_lock(&lock);
    submitted_seqno = MAX2(submitted_seqno, seqno);
    pthread_mutex_unlock(&lock);
}

void shim_sync_wait_idle(void)
{
    pthread_mutex_lock(&lock);
    const uint64_t seqno = submitted_seqno;
    while (finished_seqno < seqno)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

void shim_sync_job_finished(uint64_t seqno, int status)
{
    pthread_mutex_lock(&lock);
    finished_seqno = MAX2(finished_seqno, seqno);
    if (status) {
        failed[failed_count % MAX_FAILED].seqno = seqno;
        failed[failed_count++ % MAX_FAILED].status = status;
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static bool has_signalled_locked(struct shim_syncobj *object)
{
    if (object->fence == FENCE_JOB && object->seqno <= finished_seqno) {
        object->fence = FENCE_SIGNALLED;
        object->status = 0;
        for (uint32_t i = 0; i < MIN2(failed_count, MAX_FAILED); i++)
            if (failed[i].seqno == object->seqno)
                object->status = failed[i].status;
    }
    return object->fence == FENCE_SIGNALLED;
}

/* -- handles ------------------------------------------------------------------------------------------------------ */

static struct shim_syncobj *lookup_locked(const struct shim_file *file, uint32_t handle)
{
    return handle && handle <= file->syncobj_capacity ? file->syncobjs[handle - 1] : NULL;
}

static void unref_locked(struct shim_syncobj *object)
{
    if (!object || --object->refs)
        return;
    util_list_del(&object->link);
    free(object);
}

static int add_handle_locked(struct shim_file *file, struct shim_syncobj *object, uint32_t *handle_out)
{
    uint32_t index = 0;
    while (index < file->syncobj_capacity && file->syncobjs[index])
        index++;
    if (index == file->syncobj_capacity) {
        uint32_t capacity = MAX2(2 * index, 16);
        struct shim_syncobj **grown = realloc(file->syncobjs, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        for (uint32_t i = index; i < capacity; i++)
            grown[i] = NULL;
        file->syncobjs = grown;
        file->syncobj_capacity = capacity;
    }
    file->syncobjs[index] = object;
    object->refs++;
    *handle_out = index + 1;
    return 0;
}

void shim_sync_close(struct shim_file *file)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < file->syncobj_capacity; i++)
        unref_locked(file->syncobjs[i]);
    free(file->syncobjs);
    pthread_mutex_unlock(&lock);
}

bool shim_sync_is_handle(void *data, uint32_t handle)
{
    const struct shim_file *file = data;
    pthread_mutex_lock(&lock);
    bool is_handle = lookup_locked(file, handle) != NULL;
    pthread_mutex_unlock(&lock);
    return is_handle;
}

void shim_sync_attach(struct shim_file *file, uint32_t handle, uint64_t seqno)
{
    pthread_mutex_lock(&lock);
    struct shim_syncobj *object = lookup_locked(file, handle);
    if (object) {
        object->fence = FENCE_JOB;
        object->seqno = seqno;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
}

int shim_sync_wait_in(void *data, uint32_t handle)
{
    const struct shim_file *file = data;
    pthread_mutex_lock(&lock);
    struct shim_syncobj *object = lookup_locked(file, handle);
    int err = !object ? -ENOENT : object->fence != FENCE_NONE ? 0 : -EINVAL;
    uint64_t seqno = !err && object->fence == FENCE_JOB ? object->seqno : 0;
    while (finished_seqno < seqno)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return err;
}

/* -- ioctls ------------------------------------------------------------------------------------------------------- */

static int create(struct shim_file *file, struct drm_syncobj_create *args)
{
    if (args->flags & ~DRM_SYNCOBJ_CREATE_SIGNALED)
        return -EINVAL;
    struct shim_syncobj *object = calloc(1, sizeof *object);
    if (!object)
        return -ENOMEM;
    object->fence = args->flags & DRM_SYNCOBJ_CREATE_SIGNALED ? FENCE_SIGNALLED : FENCE_NONE;
    pthread_mutex_lock(&lock);
    object->name = (struct shared_name){(uint64_t)getpid(), ++object_number};
    int err = add_handle_locked(file, object, &args->handle);
    if (!err)
        util_list_add_tail(&objects, &object->link);
    pthread_mutex_unlock(&lock);
    if (err)
        free(object);
    return err;
}

static int destroy(struct shim_file *file, const struct drm_syncobj_destroy *args)
{
    if (args->pad)
        return -EINVAL;
    pthread_mutex_lock(&lock);
    struct shim_syncobj *object = lookup_locked(file, args->handle);
    if (object)
        file->syncobjs[args->handle - 1] = NULL;
    unref_locked(object);
    pthread_mutex_unlock(&lock);
    return object ? 0 : -EINVAL;
}

/* Nobody tells when the last descriptor is closed, so the object stays until the process ends. */
static int export_object(struct shim_syncobj *object)
{
    int fd = shim_fd_create(SHIM_SYNCOBJ, &object->name, sizeof object->name);
    if (fd >= 0 && !object->is_exported) {
        object->is_exported = true;
        object->refs++;
    }
    return fd;
}

static int export_sync_file(struct shim_syncobj *object)
{
    object->refs++;
    while (object->fence == FENCE_JOB && !has_signalled_locked(object))
        pthread_cond_wait(&changed, &lock);
    int fd = -EINVAL;
    if (object->fence != FENCE_NONE)
        fd = shim_fd_create_sync_file(object->status ? object->status : 1);
    unref_locked(object);
    return fd;
}

static int handle_to_fd(struct shim_file *file, struct drm_syncobj_handle *args)
{
    if (args->pad || args->flags & ~DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)
        return -EINVAL;
    pthread_mutex_lock(&lock);
    struct shim_syncobj *object = lookup_locked(file, args->handle);
    int fd = !object       ? (args->flags ? -ENOENT : -EINVAL)
             : args->flags ? export_sync_file(object)
                           : export_object(object);
    pthread_mutex_unlock(&lock);
    if (fd < 0)
        return fd;
    args->fd = fd;
    return 0;
}

static int import_sync_file(const struct shim_file *file, uint32_t handle, int fd)
{
    int32_t status;
    if (!shim_fd_is(fd, SHIM_SYNC_FILE) || pread(fd, &status, sizeof status, 0) != sizeof status)
        return -EINVAL;
    struct shim_syncobj *object = lookup_locked(file, handle);
    if (!object)
        return -ENOENT;
    object->fence = FENCE_SIGNALLED;
    object->status = MIN2(status, 0);
    pthread_cond_broadcast(&changed);
    return 0;
}

static int import_object(struct shim_file *file, int fd, uint32_t *handle_out)
{
    struct shared_name name;
    if (!shim_fd_is(fd, SHIM_SYNCOBJ) || pread(fd, &name, sizeof name, 0) != sizeof name)
        return -EINVAL;
    util_list_for_each(struct shim_syncobj, object, &objects, link)
        if (object->name.process == name.process && object->name.number == name.number)
            return add_handle_locked(file, object, handle_out);
    return -EINVAL;
}

static int fd_to_handle(struct shim_file *file, struct drm_syncobj_handle *args)
{
    if (args->pad || args->flags & ~DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE)
        return -EINVAL;
    pthread_mutex_lock(&lock);
    int err =
        args->flags ? import_sync_file(file, args->handle, args->fd) : import_object(file, args->fd, &args->handle);
    pthread_mutex_unlock(&lock);
    return err;
}

/* The caller's array of handles; the caller frees it. */
static int copy_handles(uint64_t from, uint32_t count, uint32_t **out)
{
    *out = calloc(count, sizeof **out);
    if (!*out)
        return -ENOMEM;
    int err = util_read_or_fault(*out, (const void *)(uintptr_t)from, count * sizeof **out);
    if (err)
        free(*out);
    return err;
}

static int check_handles_locked(const struct shim_file *file, const uint32_t *handles, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!lookup_locked(file, handles[i]))
            return -ENOENT;
    return 0;
}

static int set_all(struct shim_file *file, const struct drm_syncobj_array *args, enum fence fence)
{
    uint32_t *handles;
    if (args->pad || !args->count_handles)
        return -EINVAL;
    int err = copy_handles(args->handles, args->count_handles, &handles);
    if (err)
        return err;
    pthread_mutex_lock(&lock);
    err = check_handles_locked(file, handles, args->count_handles);
    for (uint32_t i = 0; i < args->count_handles && !err; i++) {
        struct shim_syncobj *object = lookup_locked(file, handles[i]);
        object->fence = fence;
        object->status = 0;
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    free(handles);
    return err;
}

/* 0: keep waiting; 1: the wait is satisfied; or a negative errno. `first_out`: the first object that has signalled;
 * unchanged if none has. */
static int check_wait_locked(const struct shim_file *file, const struct drm_syncobj_wait *args, const uint32_t *handles,
                             uint32_t *first_out)
{
    uint32_t signalled = 0;
    int err = check_handles_locked(file, handles, args->count_handles);
    for (uint32_t i = 0; i < args->count_handles && !err; i++) {
        struct shim_syncobj *object = lookup_locked(file, handles[i]);
        if (object->fence == FENCE_NONE && !(args->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT))
            return -EINVAL;
        if (has_signalled_locked(object) && !signalled++)
            *first_out = i;
    }
    bool wants_all = args->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
    return err ? err : signalled && (!wants_all || signalled == args->count_handles);
}

#define WAIT_DEADLINE 8u /* in newer headers; a hint of when the caller wants it */

/* The deadline is absolute, on the monotonic clock. */
static int wait(struct shim_file *file, struct drm_syncobj_wait *args)
{
    uint32_t *handles, first = UINT32_MAX;
    if (args->flags & ~(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | WAIT_DEADLINE))
        return -EINVAL;
    if (!args->count_handles)
        return 0;
    int err = copy_handles(args->handles, args->count_handles, &handles);
    if (err)
        return err;
    uint64_t deadline_ns = args->timeout_nsec > 0 ? (uint64_t)args->timeout_nsec : 0;
    pthread_mutex_lock(&lock);
    int done = check_wait_locked(file, args, handles, &first);
    while (!done) {
        bool in_time = deadline_ns && util_cond_wait_until(&changed, &lock, deadline_ns);
        done = check_wait_locked(file, args, handles, &first);
        if (!done && !in_time)
            done = -ETIME;
    }
    pthread_mutex_unlock(&lock);
    free(handles);
    if (done < 0)
        return done;
    args->first_signaled = first;
    return 0;
}

int shim_sync_ioctl(struct shim_file *file, unsigned number, void *arg)
{
    switch (number) {
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE):
        return create(file, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
        return destroy(file, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD):
        return handle_to_fd(file, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE):
        return fd_to_handle(file, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT):
        return wait(file, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET):
        return set_all(file, arg, FENCE_NONE);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
        return set_all(file, arg, FENCE_SIGNALLED);
    default:
        return -EOPNOTSUPP; /* timeline ioctls */
    }
}
