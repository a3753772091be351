/* SPDX-License-Identifier: MIT
 *
 * Sync files of this device's jobs. A timestamp has a fence in the kernel only while the kernel has its job. An export
 * waits for all other timestamps, so the signal of a sync file never depends on this process.
 */
#include <errno.h>
#include "queue/vc4vk_external.h"
#include "queue/vc4vk_queue.h"

static const struct vc4vk_ring *find_ring(const struct vc4vk_queue_device *device, const struct kmd_timeline *timeline)
{
    for (uint32_t i = 0; i < device->queue_count; i++)
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++)
            if (device->queues[i].context.rings[e].timeline == timeline)
                return &device->queues[i].context.rings[e];
    return NULL;
}

/* The timestamp of the set that has not retired, if it is the only one and the kernel has its job; otherwise NULL. */
static const struct vc4vk_timestamp *last_job_locked(const struct vc4vk_queue_device *device,
                                                     const struct vc4vk_timestamp_set *set)
{
    const struct vc4vk_timestamp *left = NULL;
    for (uint32_t i = 0; i < set->count; i++) {
        if (vc4vk_timestamp_is_retired(set->at[i]))
            continue;
        if (left)
            return NULL;
        left = &set->at[i];
    }
    const struct vc4vk_ring *ring = left ? find_ring(device, left->timeline) : NULL;
    return ring && vc4vk_ring_has_kernel_job_locked(ring, left->value) ? left : NULL;
}

VkResult vc4vk_timestamps_export(struct vc4vk_queue_device *device, const struct vc4vk_timestamp_set *set, int *fd_out)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    int err = -ENOENT;
    bool was_asked = false;
    *fd_out = -1;
    pthread_mutex_lock(&store->mutex);
    device->scheduler.submit_waiters++;
    while (err && err != -EMFILE && err != -ENFILE && !vc4vk_timestamps_are_retired(set)) {
        const struct vc4vk_timestamp *job = was_asked ? NULL : last_job_locked(device, set);
        if (job) {
            was_asked = true;
            pthread_mutex_unlock(&store->mutex);
            err = kmd_job_sync_file(device->kmd, job->timeline, job->value, fd_out);
            pthread_mutex_lock(&store->mutex);
        } else {
            kmd_store_wait_locked(store, UTIL_FOREVER_NS);
        }
    }
    device->scheduler.submit_waiters--;
    pthread_mutex_unlock(&store->mutex);
    return err == -EMFILE || err == -ENFILE ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
}
