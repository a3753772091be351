/* SPDX-License-Identifier: MIT
 *
 * Timestamps: a point on a ring. A fence, a semaphore payload, the last use of a buffer, the reuse of a command buffer
 * are sets of timestamps, one per ring at most, and have retired when the end-of-pipe word of each ring has reached its
 * value.
 */
#ifndef ENGINE_VC4VK_TIMELINE_H
#define ENGINE_VC4VK_TIMELINE_H

#include <vulkan/vulkan_core.h>
#include "engine/vc4vk_command.h"
#include "kmd/kmd.h"
#include "util/thread.h"

struct vc4vk_timestamp {
    struct kmd_timeline *timeline; /* NULL: it has always been retired */
    uint64_t value;
};

#define VC4VK_TIMESTAMP_RETIRED ((struct vc4vk_timestamp){NULL, 0})

/* Of one context: at most one timestamp per ring. */
struct vc4vk_timestamp_set {
    uint32_t count; /* 0: it has always been retired */
    struct vc4vk_timestamp at[VC4VK_ENGINE_COUNT];
};

#define VC4VK_TIMESTAMPS_RETIRED ((struct vc4vk_timestamp_set){0})

/* On a lost device everything counts as retired, so that no thread waits forever. */
static inline bool vc4vk_timestamp_is_retired(struct vc4vk_timestamp ts)
{
    return !ts.timeline || kmd_timeline_is_retired(ts.timeline, ts.value) || kmd_device_is_lost(ts.timeline->dev);
}

static inline bool vc4vk_timestamps_are_retired(const struct vc4vk_timestamp_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (!vc4vk_timestamp_is_retired(set->at[i]))
            return false;
    return true;
}

bool vc4vk_timestamps_equal(const struct vc4vk_timestamp_set *a, const struct vc4vk_timestamp_set *b);

/* Sleeps until all of them have retired: VK_SUCCESS; VK_TIMEOUT past the deadline (CLOCK_MONOTONIC);
 * VK_ERROR_DEVICE_LOST. All belong to `kmd`. */
VkResult vc4vk_timestamps_wait(struct kmd_device *kmd, const struct vc4vk_timestamp *timestamps, uint32_t count,
                               uint64_t deadline_ns);

static inline VkResult vc4vk_timestamp_wait(struct kmd_device *kmd, struct vc4vk_timestamp ts, uint64_t deadline_ns)
{
    return vc4vk_timestamps_wait(kmd, &ts, 1, deadline_ns);
}

static inline VkResult vc4vk_timestamp_set_wait(struct kmd_device *kmd, const struct vc4vk_timestamp_set *set,
                                                uint64_t deadline_ns)
{
    return vc4vk_timestamps_wait(kmd, set->at, set->count, deadline_ns);
}

#endif
