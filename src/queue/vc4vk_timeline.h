/* SPDX-License-Identifier: MIT
 *
 * Timestamps: a point on a queue's timeline. A fence, a semaphore payload, the last use of a buffer, the reuse of a
 * command buffer are all a (timeline, value) and are retired when the timeline's end word has reached the value.
 */
#ifndef VC4VK_TIMELINE_H
#define VC4VK_TIMELINE_H

#include <vulkan/vulkan_core.h>
#include "kmd/kmd.h"
#include "util/thread.h"

struct vc4vk_timestamp {
    struct kmd_timeline *timeline; /* NULL: retired since ever */
    uint64_t value;
};

#define VC4VK_TIMESTAMP_RETIRED ((struct vc4vk_timestamp){NULL, 0})

/* On a lost device everything counts as retired: nobody waits for what never comes. */
static inline bool vc4vk_timestamp_is_retired(struct vc4vk_timestamp ts)
{
    return !ts.timeline || kmd_timeline_is_retired(ts.timeline, ts.value) || kmd_device_is_lost(ts.timeline->dev);
}

static inline bool vc4vk_timestamp_equals(struct vc4vk_timestamp a, struct vc4vk_timestamp b)
{
    return a.timeline == b.timeline && a.value == b.value;
}

enum vc4vk_wait_mode { VC4VK_WAIT_ALL, VC4VK_WAIT_ANY };

/* Sleeps until all (any) of them have retired: VK_SUCCESS; VK_TIMEOUT past the deadline (CLOCK_MONOTONIC);
 * VK_ERROR_DEVICE_LOST. All belong to `kmd`. */
VkResult vc4vk_timestamps_wait(struct kmd_device *kmd, const struct vc4vk_timestamp *timestamps, uint32_t count,
                               enum vc4vk_wait_mode mode, uint64_t deadline_ns);

static inline VkResult vc4vk_timestamp_wait(struct kmd_device *kmd, struct vc4vk_timestamp ts, uint64_t deadline_ns)
{
    return vc4vk_timestamps_wait(kmd, &ts, 1, VC4VK_WAIT_ALL, deadline_ns);
}

#endif
