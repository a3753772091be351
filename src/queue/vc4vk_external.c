/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>
#include "queue/vc4vk_counter.h"
#include "queue/vc4vk_external.h"
#include "queue/vc4vk_queue.h"

/* -- creation, import, reference counts --------------------------------------------------------------------------- */

/* Takes over `fd` and `counter` on success. */
static VkResult wrap(struct vc4vk_queue_device *device, enum vc4vk_external_kind kind, int fd,
                     struct vc4vk_counter *counter, struct vc4vk_external **out)
{
    struct vc4vk_external *external = malloc(sizeof *external);
    if (!external)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    *external = (struct vc4vk_external){.device = device, .refs = 1, .kind = kind, .fd = fd, .counter = counter};
    if (!vc4vk_watcher_add(external)) {
        free(external);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    *out = external;
    return VK_SUCCESS;
}

VkResult vc4vk_external_create(struct vc4vk_queue_device *device, enum vc4vk_external_kind kind, uint64_t value,
                               struct vc4vk_external **out)
{
    struct vc4vk_counter *counter = NULL;
    int fd = -1;
    VkResult result = VK_SUCCESS;
    if (kind == VC4VK_EXTERNAL_COUNTER) {
        result = vc4vk_counter_create(value, &fd, &counter);
    } else {
        fd = eventfd(value != 0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (fd < 0)
            result = errno == ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_TOO_MANY_OBJECTS;
    }
    if (result != VK_SUCCESS)
        return result;
    result = wrap(device, kind, fd, counter, out);
    if (result != VK_SUCCESS) {
        if (counter)
            vc4vk_counter_unmap(counter);
        close(fd);
    }
    return result;
}

/* Also sets O_NONBLOCK, which another program's eventfd may lack. The flag belongs to the open file, so this changes it
 * for every process that has the eventfd. */
static bool is_eventfd(int fd)
{
    char path[40], target[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return false;
    target[length] = 0;
    int flags = fcntl(fd, F_GETFL);
    return !strcmp(target, "anon_inode:[eventfd]") && flags >= 0 && !fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

static VkResult import(struct vc4vk_queue_device *device, enum vc4vk_external_kind kind, int fd,
                       struct vc4vk_external **out)
{
    struct vc4vk_counter *counter = NULL;
    VkResult result = VK_SUCCESS;
    switch (kind) {
    case VC4VK_EXTERNAL_SIGNAL:
        result = is_eventfd(fd) ? VK_SUCCESS : VK_ERROR_INVALID_EXTERNAL_HANDLE;
        break;
    case VC4VK_EXTERNAL_COUNTER:
        result = vc4vk_counter_import(fd, &counter);
        break;
    case VC4VK_EXTERNAL_SYNC_FILE:
        if (fd >= 0 && kmd_sync_file_check(device->kmd, fd))
            result = VK_ERROR_INVALID_EXTERNAL_HANDLE;
        break;
    }
    if (result == VK_SUCCESS)
        result = wrap(device, kind, fd, counter, out);
    if (result != VK_SUCCESS && counter)
        vc4vk_counter_unmap(counter);
    return result;
}

struct vc4vk_external *vc4vk_external_ref(struct vc4vk_external *external)
{
    if (external)
        atomic_fetch_add_explicit(&external->refs, 1, memory_order_relaxed);
    return external;
}

void vc4vk_external_unref(struct vc4vk_external *external)
{
    if (external && atomic_fetch_sub_explicit(&external->refs, 1, memory_order_acq_rel) == 1)
        vc4vk_watcher_remove(external);
}

/* -- signals and queries ------------------------------------------------------------------------------------------ */

static bool is_readable(const struct vc4vk_external *external)
{
    struct pollfd poll_fd = {.fd = external->fd, .events = POLLIN};
    return external->fd < 0 || poll(&poll_fd, 1, 0) == 1;
}

void vc4vk_external_signal(struct vc4vk_external *external, uint64_t value)
{
    if (external->kind == VC4VK_EXTERNAL_COUNTER)
        vc4vk_counter_raise(external->counter, value);
    else if (external->kind == VC4VK_EXTERNAL_SIGNAL && !is_readable(external)) /* full, it would block */
        eventfd_write(external->fd, 1);
}

/* Must not block even if another process has cleared O_NONBLOCK of the shared eventfd, hence RWF_NOWAIT, which eventfds
 * support from kernel 5.8 on. Older kernels read only when there is a signal. */
static bool take(struct vc4vk_external *external)
{
    uint64_t value;
    const struct iovec into = {&value, sizeof value};
    ssize_t got_B = preadv2(external->fd, &into, 1, -1, RWF_NOWAIT);
    if (got_B < 0 && errno != EAGAIN && is_readable(external))
        got_B = read(external->fd, &value, sizeof value);
    return got_B == sizeof value;
}

void vc4vk_external_take(struct vc4vk_external *external)
{
    if (external->kind == VC4VK_EXTERNAL_SIGNAL)
        take(external);
}

uint64_t vc4vk_external_value(const struct vc4vk_external *external)
{
    return vc4vk_counter_value(external->counter);
}

bool vc4vk_external_is_signalled_locked(struct vc4vk_external *external)
{
    bool is_signalled = is_readable(external);
    if (!is_signalled)
        vc4vk_watcher_watch_locked(external);
    return is_signalled;
}

bool vc4vk_external_wait_is_over_locked(struct vc4vk_external *external, uint64_t value)
{
    bool is_over = false;
    switch (external->kind) {
    case VC4VK_EXTERNAL_SIGNAL:
        is_over = take(external);
        break;
    case VC4VK_EXTERNAL_COUNTER:
        is_over = vc4vk_external_value(external) >= value;
        break;
    case VC4VK_EXTERNAL_SYNC_FILE:
        is_over = is_readable(external);
        break;
    }
    if (!is_over)
        vc4vk_watcher_watch_locked(external);
    return is_over;
}

/* -- external payloads of fences and semaphores ------------------------------------------------------------------- */

VkResult vc4vk_shared_import(struct vc4vk_queue_device *device, struct vc4vk_shared *shared,
                             enum vc4vk_external_kind kind, int fd, bool is_temporary)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    struct vc4vk_external *external, **slot = is_temporary ? &shared->temporary : &shared->permanent;
    VkResult result = import(device, kind, fd, &external);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&store->mutex);
    vc4vk_external_unref(*slot);
    *slot = external;
    kmd_store_wake_all_locked(store); /* threads that wait for the fence check the new payload */
    pthread_mutex_unlock(&store->mutex);
    return VK_SUCCESS;
}

VkResult vc4vk_shared_export(struct vc4vk_queue_device *device, const struct vc4vk_shared *shared, int *fd_out)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    pthread_mutex_lock(&store->mutex);
    struct vc4vk_external *external = vc4vk_shared_current(shared);
    *fd_out = external ? fcntl(external->fd, F_DUPFD_CLOEXEC, 0) : -1;
    pthread_mutex_unlock(&store->mutex);
    if (!external)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE; /* invalid usage: it was not created for export */
    return *fd_out < 0 ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
}

VkResult vc4vk_shared_export_sync_file(struct vc4vk_queue_device *device, struct vc4vk_shared *shared, int *fd_out)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    VkResult result = VK_ERROR_INVALID_EXTERNAL_HANDLE; /* invalid usage: incompatible with opaque payloads */
    *fd_out = -1;
    pthread_mutex_lock(&store->mutex);
    if (shared->temporary && shared->temporary->kind == VC4VK_EXTERNAL_SYNC_FILE) {
        const int fd = shared->temporary->fd;
        *fd_out = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
        result = fd >= 0 && *fd_out < 0 ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
        if (result == VK_SUCCESS)
            vc4vk_shared_drop_temporary_locked(shared);
    }
    pthread_mutex_unlock(&store->mutex);
    return result;
}

void vc4vk_shared_drop_temporary_locked(struct vc4vk_shared *shared)
{
    vc4vk_external_unref(shared->temporary);
    shared->temporary = NULL;
}

void vc4vk_shared_finish(struct vc4vk_shared *shared)
{
    vc4vk_external_unref(shared->permanent);
    vc4vk_external_unref(shared->temporary);
}
