/* SPDX-License-Identifier: MIT
 *
 * What a device keeps for issue: the vertex numbers, and an upload ring for each timeline that work retires on.
 */
#include <string.h>
#include "issue/vc4vk_issue_device.h"
#include "issue/vc4vk_draw_job.h"
#include "queue/vc4vk_queue.h"

struct issue_state {
    struct kmd_bo *ramp;
    pthread_mutex_t ring_lock;
    uint32_t ring_count;
    struct {
        const struct kmd_timeline *timeline; /* of a queue; NULL: for work that has finished when its build ends */
        struct vc4vk_upload_ring ring;
    } rings[VC4VK_MAX_QUEUES + 1];
};

static VkResult issue_state_create(struct vc4vk_device *device, void **out)
{
    struct issue_state *state =
        vc4vk_new(VC4VK_ALLOC_INTERNAL, struct issue_state, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!state)
        return vc4vk_oom(device);
    int err = kmd_bo_create(device->kmd, VC4VK_ZEROS_AT_B + VC4VK_ZEROS_B, "vertex numbers", &state->ramp);
    uint32_t *words = err ? NULL : kmd_bo_map(state->ramp);
    if (!words) {
        kmd_bo_unref(state->ramp);
        vc4vk_free(VC4VK_ALLOC_INTERNAL, state);
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "vertex number BO: out of device memory");
    }
    for (uint32_t i = 0; i < VC4VK_RAMP_COUNT; i++)
        words[i] = i;
    memset(words + VC4VK_RAMP_COUNT, 0, VC4VK_ZEROS_B);
    pthread_mutex_init(&state->ring_lock, NULL);
    *out = state;
    return VK_SUCCESS;
}

static void issue_state_destroy(struct vc4vk_device *device, void *data)
{
    struct issue_state *state = data;
    for (uint32_t i = 0; i < state->ring_count; i++)
        vc4vk_upload_ring_finish(&state->rings[i].ring);
    pthread_mutex_destroy(&state->ring_lock);
    kmd_bo_unref(state->ramp);
    vc4vk_free(VC4VK_ALLOC_INTERNAL, state);
}

static VkResult get_state(struct vc4vk_device *device, struct issue_state **out)
{
    static const struct vc4vk_slot_ops ops = {issue_state_create, issue_state_destroy};
    return vc4vk_device_slot(device, VC4VK_SLOT_ISSUE, &ops, (void **)out);
}

VkResult vc4vk_device_ramp(struct vc4vk_device *device, struct kmd_bo **out)
{
    struct issue_state *state;
    VkResult result = get_state(device, &state);
    if (result == VK_SUCCESS)
        *out = state->ramp;
    return result;
}

struct vc4vk_upload_ring *vc4vk_device_upload_ring(struct vc4vk_device *device, const struct kmd_timeline *timeline)
{
    struct issue_state *state;
    struct vc4vk_upload_ring *ring = NULL;
    if (get_state(device, &state) != VK_SUCCESS)
        return NULL;
    pthread_mutex_lock(&state->ring_lock);
    for (uint32_t i = 0; i < state->ring_count && !ring; i++)
        if (state->rings[i].timeline == timeline)
            ring = &state->rings[i].ring;
    if (!ring && state->ring_count < ARRAY_SIZE(state->rings)) {
        ring = &state->rings[state->ring_count].ring;
        state->rings[state->ring_count++].timeline = timeline;
        vc4vk_upload_ring_init(ring, device->kmd, VC4VK_ALLOC_INTERNAL);
    }
    pthread_mutex_unlock(&state->ring_lock);
    return ring;
}
