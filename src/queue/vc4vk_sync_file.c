/* SPDX-License-Identifier: MIT
 *
 * Sync files of our own jobs. A timestamp has a fence in the kernel only while it stands for a job that the kernel has
 * and that nothing of the driver's own comes before: everything else is waited for, so that a sync file never promises
 * what only this process could keep.
 */
#include <errno.h>
#include "queue/vc4vk_external.h"
#include "queue/vc4vk_item.h"

/* The kernel's fence of this item is signalled exactly when it retires. */
static bool is_job_of_kernel_locked(struct vc4vk_queue_device *device, struct vc4vk_timestamp ts)
{
    for (uint32_t i = 0; i < device->queue_count; i++) {
        if (device->queues[i].timeline != ts.timeline)
            continue;
        util_list_for_each(struct vc4vk_item, item, &device->queues[i].issued, link)
            if (item->value == ts.value)
                return item->is_on_device && item->finish == VC4VK_FINISH_BY_WORD;
    }
    return false;
}

VkResult vc4vk_timestamp_export(struct vc4vk_queue_device *device, struct vc4vk_timestamp ts, int *fd_out)
{
    struct kmd_store *store = kmd_device_store(device->kmd);
    int err = -ENOENT;
    bool was_asked = false;
    *fd_out = -1;
    pthread_mutex_lock(&store->mutex);
    device->issue_waiters++;
    while (err && err != -EMFILE && err != -ENFILE && !vc4vk_timestamp_is_retired(ts)) {
        if (!was_asked && is_job_of_kernel_locked(device, ts)) {
            was_asked = true;
            pthread_mutex_unlock(&store->mutex);
            err = kmd_job_sync_file(device->kmd, ts.timeline, ts.value, fd_out);
            pthread_mutex_lock(&store->mutex);
        } else {
            kmd_store_wait_locked(store, UTIL_FOREVER_NS);
        }
    }
    device->issue_waiters--;
    pthread_mutex_unlock(&store->mutex);
    return err == -EMFILE || err == -ENFILE ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
}
