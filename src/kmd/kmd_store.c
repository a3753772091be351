/* SPDX-License-Identifier: MIT
 *
 * The store of timeline words. Words are stored under the store's lock, so that a waiter that has checked them under
 * the lock misses no wakeup. They are read without it.
 */
#include <errno.h>
#include "kmd/kmd_backend.h"
#include "util/thread.h"

int kmd_store_init(struct kmd_store *store, struct kmd_device *dev)
{
    int err = pthread_mutex_init(&store->mutex, NULL);
    if (err)
        return -err;
    err = util_cond_init(&store->cond);
    if (err) {
        pthread_mutex_destroy(&store->mutex);
        return -err;
    }
    err = util_cond_init(&store->words_cond);
    if (err) {
        pthread_cond_destroy(&store->cond);
        pthread_mutex_destroy(&store->mutex);
        return -err;
    }
    for (uint32_t i = 0; i < KMD_MAX_TIMELINES; i++) {
        store->wanted[i] = UINT64_MAX;
        store->timelines[i].dev = dev;
        store->timelines[i].index = i;
    }
    return 0;
}

void kmd_store_finish(struct kmd_store *store)
{
    pthread_cond_destroy(&store->words_cond);
    pthread_cond_destroy(&store->cond);
    pthread_mutex_destroy(&store->mutex);
}

struct kmd_store *kmd_device_store(struct kmd_device *dev)
{
    return &dev->store;
}

bool kmd_store_wait_locked(struct kmd_store *store, uint64_t deadline_ns)
{
    store->general_waiters++;
    const bool in_time = util_cond_wait_until(&store->cond, &store->mutex, deadline_ns);
    store->general_waiters--;
    return in_time;
}

void kmd_timeline_watch_locked(struct kmd_timeline *timeline, uint64_t value)
{
    uint64_t *wanted = &timeline->dev->store.wanted[timeline->index];
    *wanted = MIN2(*wanted, value);
}

bool kmd_store_wait_for_words_locked(struct kmd_store *store, uint64_t deadline_ns)
{
    return util_cond_wait_until(&store->words_cond, &store->mutex, deadline_ns);
}

static void wake_for_words_locked(struct kmd_store *store)
{
    for (uint32_t i = 0; i < KMD_MAX_TIMELINES; i++) /* threads that go on waiting set theirs again */
        store->wanted[i] = UINT64_MAX;
    pthread_cond_broadcast(&store->words_cond);
}

void kmd_timeline_wake_locked(struct kmd_timeline *timeline)
{
    struct kmd_store *store = &timeline->dev->store;
    if (kmd_timeline_is_retired(timeline, store->wanted[timeline->index]))
        wake_for_words_locked(store);
    if (store->general_waiters)
        pthread_cond_broadcast(&store->cond);
}

void kmd_store_wake_all_locked(struct kmd_store *store)
{
    wake_for_words_locked(store);
    pthread_cond_broadcast(&store->cond);
}

int kmd_timeline_create(struct kmd_device *dev, struct kmd_timeline **out)
{
    struct kmd_store *store = &dev->store;
    int err = -ENOSPC;
    pthread_mutex_lock(&store->mutex);
    for (uint32_t i = 0; i < KMD_MAX_TIMELINES && err; i++) {
        if (store->used_timelines & BIT(i))
            continue;
        store->used_timelines |= BIT(i);
        *out = &store->timelines[i];
        err = 0;
    }
    pthread_mutex_unlock(&store->mutex);
    return err;
}

void kmd_timeline_destroy(struct kmd_timeline *timeline)
{
    if (!timeline)
        return;
    struct kmd_store *store = &timeline->dev->store;
    pthread_mutex_lock(&store->mutex);
    store->used_timelines &= ~BIT(timeline->index);
    pthread_mutex_unlock(&store->mutex);
}

void kmd_timeline_store_start_locked(struct kmd_timeline *timeline, uint64_t value)
{
    if (atomic_load_explicit(&timeline->start, memory_order_relaxed) < value)
        atomic_store_explicit(&timeline->start, value, memory_order_release);
}

void kmd_timeline_store_end_locked(struct kmd_timeline *timeline, uint64_t value)
{
    timeline->pending_end = MAX2(timeline->pending_end, value);
    if (!timeline->dev->store.is_held)
        atomic_store_explicit(&timeline->end, timeline->pending_end, memory_order_release);
}

void kmd_timeline_store_start(struct kmd_timeline *timeline, uint64_t value)
{
    struct kmd_store *store = &timeline->dev->store;
    pthread_mutex_lock(&store->mutex);
    kmd_timeline_store_start_locked(timeline, value);
    pthread_mutex_unlock(&store->mutex);
}

void kmd_timeline_store_end(struct kmd_timeline *timeline, uint64_t value)
{
    struct kmd_store *store = &timeline->dev->store;
    pthread_mutex_lock(&store->mutex);
    kmd_timeline_store_end_locked(timeline, value);
    kmd_store_wake_all_locked(store);
    pthread_mutex_unlock(&store->mutex);
}

bool kmd_device_is_lost(const struct kmd_device *dev)
{
    return atomic_load_explicit(&dev->lost, memory_order_acquire);
}

void kmd_device_set_lost(struct kmd_device *dev)
{
    pthread_mutex_lock(&dev->store.mutex);
    atomic_store_explicit(&dev->lost, true, memory_order_release);
    kmd_store_wake_all_locked(&dev->store);
    pthread_mutex_unlock(&dev->store.mutex);
}

void kmd_test_hold_retire(struct kmd_device *dev, bool hold)
{
    struct kmd_store *store = &dev->store;
    pthread_mutex_lock(&store->mutex);
    store->is_held = hold;
    for (uint32_t i = 0; i < KMD_MAX_TIMELINES && !hold; i++)
        atomic_store_explicit(&store->timelines[i].end, store->timelines[i].pending_end, memory_order_release);
    kmd_store_wake_all_locked(store);
    pthread_mutex_unlock(&store->mutex);
}
