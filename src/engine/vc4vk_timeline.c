/* SPDX-License-Identifier: MIT
 *
 * Waiting for timestamps: sleeps on the memory store until end-of-pipe words change.
 */
#include "engine/vc4vk_timeline.h"

/* Also on a lost device this means that the work's resources are no longer in use: the scheduler cancels pending
 * entries, workers finish what they run, and the backend reports the jobs that the device has. */
static bool has_retired(struct vc4vk_timestamp ts)
{
    return !ts.timeline || kmd_timeline_is_retired(ts.timeline, ts.value);
}

static bool have_retired(const struct vc4vk_timestamp *timestamps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!has_retired(timestamps[i]))
            return false;
    return true;
}

bool vc4vk_timestamps_equal(const struct vc4vk_timestamp_set *a, const struct vc4vk_timestamp_set *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->at[i].timeline != b->at[i].timeline || a->at[i].value != b->at[i].value)
            return false;
    return true;
}

VkResult vc4vk_timestamps_wait(struct kmd_device *kmd, const struct vc4vk_timestamp *timestamps, uint32_t count,
                               uint64_t deadline_ns)
{
    struct kmd_store *store = kmd_device_store(kmd);
    bool retired = have_retired(timestamps, count);
    if (!retired) {
        bool in_time = true;
        pthread_mutex_lock(&store->mutex);
        while (!(retired = have_retired(timestamps, count)) && in_time) {
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
