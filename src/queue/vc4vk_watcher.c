/* SPDX-License-Identifier: MIT
 *
 * Waits for other processes, so that the scheduler and waiting threads need to sleep on one thing only, the store. One
 * thread polls all eventfds and sync files. A futex cannot be polled, so each counter has its own thread.
 *
 * The last reference to a payload is dropped under the store's lock. The thread of a counter takes that lock, so it
 * cannot be joined there: it is told to stop, and joined when the next counter is created or the device is destroyed.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "queue/vc4vk_counter.h"
#include "queue/vc4vk_external.h"
#include "queue/vc4vk_queue.h"

enum { WAKE, STOP };

static void wake_sleepers(struct vc4vk_queue_device *device)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    pthread_mutex_lock(&store->mutex);
    device->watcher.wakes++;
    pthread_cond_broadcast(&store->cond);
    pthread_mutex_unlock(&store->mutex);
}

/* -- descriptors that can be polled ------------------------------------------------------------------------------- */

/* The payload of an event may have been freed by now, so only the kind of the event is evaluated. */
static void *poll_main(void *arg)
{
    struct vc4vk_queue_device *device = arg;
    for (;;) {
        struct epoll_event events[16];
        int count = epoll_wait(device->watcher.epoll_fd, events, ARRAY_SIZE(events), -1);
        if (count < 0 && errno != EINTR)
            return NULL;
        for (int i = 0; i < count; i++)
            if (events[i].data.u32 == STOP)
                return NULL;
        wake_sleepers(device);
    }
}

static bool start_polling(struct vc4vk_queue_device *device)
{
    struct vc4vk_watcher *watcher = &device->watcher;
    struct epoll_event stop = {.events = EPOLLIN, .data.u32 = STOP};
    watcher->wakes = 1;
    watcher->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    watcher->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (watcher->epoll_fd >= 0 && watcher->stop_fd >= 0 &&
        !epoll_ctl(watcher->epoll_fd, EPOLL_CTL_ADD, watcher->stop_fd, &stop) &&
        !util_thread_create(&watcher->thread, "vc4vk-watch", poll_main, device))
        return true;
    if (watcher->epoll_fd >= 0)
        close(watcher->epoll_fd);
    if (watcher->stop_fd >= 0)
        close(watcher->stop_fd);
    return false;
}

static bool add_polled(struct vc4vk_external *external)
{
    struct vc4vk_watcher *watcher = &external->device->watcher;
    struct kmd_store *store = kmd_device_store(external->device->kmd);
    struct epoll_event event = {.data.u32 = WAKE};
    pthread_mutex_lock(&store->mutex);
    if (!watcher->is_running)
        watcher->is_running = start_polling(external->device);
    bool is_running = watcher->is_running;
    pthread_mutex_unlock(&store->mutex);
    return is_running && (external->fd < 0 || !epoll_ctl(watcher->epoll_fd, EPOLL_CTL_ADD, external->fd, &event));
}

void vc4vk_watcher_watch_locked(struct vc4vk_external *external)
{
    struct vc4vk_watcher *watcher = &external->device->watcher;
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.u32 = WAKE};
    if (external->kind == VC4VK_EXTERNAL_COUNTER || external->watched_at == watcher->wakes)
        return;
    external->watched_at = watcher->wakes;
    epoll_ctl(watcher->epoll_fd, EPOLL_CTL_MOD, external->fd, &event);
}

/* -- counters ----------------------------------------------------------------------------------------------------- */

static void *counter_main(void *arg)
{
    struct vc4vk_external *external = arg;
    while (!atomic_load(&external->stop)) {
        uint32_t changes = vc4vk_counter_changes(external->counter);
        uint64_t value = vc4vk_counter_value(external->counter);
        if (value != external->seen_value) {
            external->seen_value = value;
            wake_sleepers(external->device);
        }
        vc4vk_counter_wait(external->counter, changes);
    }
    return NULL;
}

static void free_counter(struct vc4vk_external *external)
{
    pthread_join(external->thread, NULL);
    vc4vk_counter_unmap(external->counter);
    close(external->fd);
    free(external);
}

/* Removes from the list a counter whose thread has been told to stop; NULL when there is none. */
static struct vc4vk_external *next_stopped(struct vc4vk_watcher *watcher)
{
    struct vc4vk_external *found = NULL;
    pthread_mutex_lock(&watcher->mutex);
    util_list_for_each(struct vc4vk_external, external, &watcher->counters, link)
        if (!found && atomic_load(&external->stop))
            found = external;
    if (found)
        util_list_del(&found->link);
    pthread_mutex_unlock(&watcher->mutex);
    return found;
}

static bool add_counter(struct vc4vk_external *external)
{
    struct vc4vk_watcher *watcher = &external->device->watcher;
    for (struct vc4vk_external *old; (old = next_stopped(watcher));)
        free_counter(old);
    external->seen_value = vc4vk_counter_value(external->counter);
    if (util_thread_create(&external->thread, "vc4vk-counter", counter_main, external))
        return false;
    pthread_mutex_lock(&watcher->mutex);
    util_list_add_tail(&watcher->counters, &external->link);
    pthread_mutex_unlock(&watcher->mutex);
    return true;
}

/* ORDER: the wake comes after `stop`, or the thread could miss it. It comes before the unlock, as another thread may
 * free the counter after that. */
static void stop_counter(struct vc4vk_external *external)
{
    struct vc4vk_watcher *watcher = &external->device->watcher;
    pthread_mutex_lock(&watcher->mutex);
    atomic_store(&external->stop, true);
    vc4vk_counter_wake(external->counter);
    pthread_mutex_unlock(&watcher->mutex);
}

/* -- both --------------------------------------------------------------------------------------------------------- */

bool vc4vk_watcher_add(struct vc4vk_external *external)
{
    return external->kind == VC4VK_EXTERNAL_COUNTER ? add_counter(external) : add_polled(external);
}

void vc4vk_watcher_remove(struct vc4vk_external *external)
{
    if (external->kind == VC4VK_EXTERNAL_COUNTER) {
        stop_counter(external);
        return;
    }
    if (external->fd >= 0) {
        /* Closing the descriptor does not end the watch when other descriptors of the same file stay open. */
        epoll_ctl(external->device->watcher.epoll_fd, EPOLL_CTL_DEL, external->fd, NULL);
        close(external->fd);
    }
    free(external);
}

void vc4vk_watcher_init(struct vc4vk_watcher *watcher)
{
    pthread_mutex_init(&watcher->mutex, NULL);
    util_list_init(&watcher->counters);
}

void vc4vk_watcher_finish(struct vc4vk_watcher *watcher)
{
    /* Also stops the threads of semaphores that the application has not destroyed. */
    util_list_for_each_safe(struct vc4vk_external, external, &watcher->counters, link) {
        stop_counter(external);
        free_counter(external);
    }
    pthread_mutex_destroy(&watcher->mutex);
    if (!watcher->is_running)
        return;
    eventfd_write(watcher->stop_fd, 1);
    pthread_join(watcher->thread, NULL);
    close(watcher->epoll_fd);
    close(watcher->stop_fd);
    watcher->is_running = false;
}
