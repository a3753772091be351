/* SPDX-License-Identifier: MIT
 *
 * Waiting for timestamps: asleep on the memory store until words change.
 */
#include "queue/vc4vk_timeline.h"

/* On a lost device, too, this is when nobody uses what the work used: the dispatcher cancels what waits, the workers
 * end what they do, the backend reports what the device has. */
static bool has_retired(struct vc4vk_timestamp ts)
{
    return !ts.timeline || kmd_timeline_is_retired(ts.timeline, ts.value);
}

static bool have_retired(const struct vc4vk_timestamp *timestamps, uint32_t count, enum vc4vk_wait_mode mode)
{
    for (uint32_t i = 0; i < count; i++) {
        bool retired = has_retired(timestamps[i]);
        if (retired && mode == VC4VK_WAIT_ANY)
            return true;
        if (!retired && mode == VC4VK_WAIT_ALL)
            return false;
    }
    return mode == VC4VK_WAIT_ALL;
}

VkResult vc4vk_timestamps_wait(struct kmd_device *kmd, const struct vc4vk_timestamp *timestamps, uint32_t count,
                               enum vc4vk_wait_mode mode, uint64_t deadline_ns)
{
    struct kmd_store *store = kmd_device_store(kmd);
    bool retired = have_retired(timestamps, count, mode);
    if (!retired) {
        bool in_time = true;
        pthread_mutex_lock(&store->mutex);
        while (!(retired = have_retired(timestamps, count, mode)) && in_time) {
            for (uint32_t i = 0; i < count; i++)
                if (!has_retired(timestamps[i]))
                    kmd_timeline_watch_locked(timestamps[i].timeline, timestamps[i].value);
            in_time = kmd_store_wait_for_words_locked(store, deadline_ns);
        }
        pthread_mutex_unlock(&store->mutex);
    }
    if (kmd_device_is_lost(kmd))
        return VK_ERROR_DEVICE_LOST;
    return retired ? VK_SUCCESS : VK_TIMEOUT;
}
