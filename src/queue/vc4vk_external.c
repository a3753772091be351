/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "queue/vc4vk_external.h"
#include "queue/vc4vk_queue.h"

/* -- the watcher -------------------------------------------------------------------------------------------------- */

enum { WAKE, STOP };

/* An event may be of a payload that is gone by now, so nothing is looked at but its kind. */
static void *watcher_main(void *arg)
{
    struct vc4vk_queue_device *device = arg;
    struct kmd_store *store = kmd_device_store(device->kmd);
    for (;;) {
        struct epoll_event events[16];
        int count = epoll_wait(device->watcher.epoll_fd, events, ARRAY_SIZE(events), -1);
        if (count < 0 && errno != EINTR)
            return NULL;
        for (int i = 0; i < count; i++)
            if (events[i].data.u32 == STOP)
                return NULL;
        pthread_mutex_lock(&store->mutex);
        device->watcher.wakes++;
        pthread_cond_broadcast(&store->cond);
        pthread_mutex_unlock(&store->mutex);
    }
}

static bool start_watcher(struct vc4vk_queue_device *device)
{
    struct vc4vk_watcher *watcher = &device->watcher;
    struct epoll_event stop = {.events = EPOLLIN, .data.u32 = STOP};
    watcher->wakes = 1;
    watcher->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    watcher->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (watcher->epoll_fd >= 0 && watcher->stop_fd >= 0 &&
        !epoll_ctl(watcher->epoll_fd, EPOLL_CTL_ADD, watcher->stop_fd, &stop) &&
        !util_thread_create(&watcher->thread, "vc4vk-watch", watcher_main, device))
        return true;
    if (watcher->epoll_fd >= 0)
        close(watcher->epoll_fd);
    if (watcher->stop_fd >= 0)
        close(watcher->stop_fd);
    return false;
}

static bool need_watcher(struct vc4vk_queue_device *device)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    pthread_mutex_lock(&store->mutex);
    if (!device->watcher.is_running)
        device->watcher.is_running = start_watcher(device);
    bool is_running = device->watcher.is_running;
    pthread_mutex_unlock(&store->mutex);
    return is_running;
}

void vc4vk_watcher_finish(struct vc4vk_queue_device *device)
{
    struct vc4vk_watcher *watcher = &device->watcher;
    if (!watcher->is_running)
        return;
    eventfd_write(watcher->stop_fd, 1);
    pthread_join(watcher->thread, NULL);
    close(watcher->epoll_fd);
    close(watcher->stop_fd);
    watcher->is_running = false;
}

void vc4vk_external_watch_locked(struct vc4vk_queue_device *device, struct vc4vk_external *external)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.u32 = WAKE};
    if (external->watched_at == device->watcher.wakes)
        return;
    external->watched_at = device->watcher.wakes;
    epoll_ctl(device->watcher.epoll_fd, EPOLL_CTL_MOD, external->fd, &event);
}

/* -- payloads ----------------------------------------------------------------------------------------------------- */

/* Takes over `fd` on success. */
static VkResult wrap(struct vc4vk_queue_device *device, int fd, struct vc4vk_external **out)
{
    struct vc4vk_external *external = malloc(sizeof *external);
    if (!external || !need_watcher(device)) {
        free(external);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    *external = (struct vc4vk_external){.refs = 1, .fd = fd, .device = device};
    struct epoll_event event = {.data.u32 = WAKE};
    if (epoll_ctl(device->watcher.epoll_fd, EPOLL_CTL_ADD, fd, &event)) {
        free(external);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    *out = external;
    return VK_SUCCESS;
}

VkResult vc4vk_external_create(struct vc4vk_queue_device *device, bool is_signalled, struct vc4vk_external **out)
{
    int fd = eventfd(is_signalled, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return errno == ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_TOO_MANY_OBJECTS;
    VkResult result = wrap(device, fd, out);
    if (result != VK_SUCCESS)
        close(fd);
    return result;
}

/* Only an eventfd can be one of ours. */
static bool is_eventfd(int fd)
{
    char path[40], target[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return false;
    target[length] = 0;
    return !strcmp(target, "anon_inode:[eventfd]");
}

VkResult vc4vk_external_import(struct vc4vk_queue_device *device, int fd, struct vc4vk_external **out)
{
    if (fd < 0 || !is_eventfd(fd))
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    return wrap(device, fd, out);
}

int vc4vk_external_export(const struct vc4vk_external *external)
{
    return fcntl(external->fd, F_DUPFD_CLOEXEC, 0);
}

struct vc4vk_external *vc4vk_external_ref(struct vc4vk_external *external)
{
    if (external)
        atomic_fetch_add_explicit(&external->refs, 1, memory_order_relaxed);
    return external;
}

void vc4vk_external_unref(struct vc4vk_external *external)
{
    if (!external || atomic_fetch_sub_explicit(&external->refs, 1, memory_order_acq_rel) != 1)
        return;
    /* Other descriptors of the same eventfd may live on, so closing this one does not end the watch. */
    epoll_ctl(external->device->watcher.epoll_fd, EPOLL_CTL_DEL, external->fd, NULL);
    close(external->fd);
    free(external);
}

void vc4vk_external_signal(struct vc4vk_external *external)
{
    eventfd_write(external->fd, 1);
}

bool vc4vk_external_is_signalled(const struct vc4vk_external *external)
{
    struct pollfd poll_fd = {.fd = external->fd, .events = POLLIN};
    return poll(&poll_fd, 1, 0) == 1;
}

bool vc4vk_external_take(struct vc4vk_external *external)
{
    eventfd_t value;
    return !eventfd_read(external->fd, &value);
}

/* -- what fences and semaphores have of them ---------------------------------------------------------------------- */

VkResult vc4vk_shared_import(struct vc4vk_queue_device *device, struct vc4vk_shared *shared, int fd, bool is_temporary)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    struct vc4vk_external *external, **place = is_temporary ? &shared->temporary : &shared->lasting;
    VkResult result = vc4vk_external_import(device, fd, &external);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&store->mutex);
    vc4vk_external_unref(*place);
    *place = external;
    pthread_cond_broadcast(&store->cond); /* who waits for a fence looks at the new payload */
    pthread_mutex_unlock(&store->mutex);
    return VK_SUCCESS;
}

VkResult vc4vk_shared_export(struct vc4vk_queue_device *device, const struct vc4vk_shared *shared, int *fd_out)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    pthread_mutex_lock(&store->mutex);
    struct vc4vk_external *external = vc4vk_shared_current(shared);
    *fd_out = external ? vc4vk_external_export(external) : -1;
    pthread_mutex_unlock(&store->mutex);
    if (!external)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE; /* not allowed: it was not made to be exported */
    return *fd_out < 0 ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
}

void vc4vk_shared_drop_temporary_locked(struct vc4vk_shared *shared)
{
    vc4vk_external_unref(shared->temporary);
    shared->temporary = NULL;
}

void vc4vk_shared_finish(struct vc4vk_shared *shared)
{
    vc4vk_external_unref(shared->lasting);
    vc4vk_external_unref(shared->temporary);
}
