/* SPDX-License-Identifier: MIT
 *
 * Fences and events; semaphores have a header of their own. A fence is signalled when its payload, a set of timestamps,
 * has retired; a fence without a payload is not signalled. The entry points of the device module unpack their arguments
 * and call these functions. `device` is the struct embedded in the logical device, `alloc` the entry point's argument
 * (NULL: the device's).
 */
#ifndef VC4VK_SYNC_H
#define VC4VK_SYNC_H

#include "queue/vc4vk_queue.h"
#include "queue/vc4vk_semaphore.h"

struct vc4vk_fence {
    bool has_payload; /* under the store's lock, like the payload */
    struct vc4vk_timestamp_set payload;
    struct vc4vk_shared shared; /* replaces the payload; a reset drops a temporary import */
    vc4vk_private_number private_number;
};

struct vc4vk_event {
    struct vc4vk_queue_device *device;
    _Atomic bool is_set;
    vc4vk_private_number private_number;
};

VC4VK_DEFINE_HANDLE_CASTS(vc4vk_fence, VkFence)
VC4VK_DEFINE_HANDLE_CASTS(vc4vk_event, VkEvent)

VkResult vc4vk_fence_create(struct vc4vk_queue_device *device, const VkFenceCreateInfo *info,
                            const VkAllocationCallbacks *alloc, VkFence *fence_out);
void vc4vk_fence_destroy(struct vc4vk_queue_device *device, VkFence fence, const VkAllocationCallbacks *alloc);
VkResult vc4vk_fences_reset(struct vc4vk_queue_device *device, uint32_t count, const VkFence *fences);
VkResult vc4vk_fence_status(struct vc4vk_queue_device *device, VkFence fence);
VkResult vc4vk_fences_wait(struct vc4vk_queue_device *device, uint32_t count, const VkFence *fences, VkBool32 wait_all,
                           uint64_t timeout_ns);

VkResult vc4vk_event_create(struct vc4vk_queue_device *device, const VkEventCreateInfo *info,
                            const VkAllocationCallbacks *alloc, VkEvent *event_out);
void vc4vk_event_destroy(struct vc4vk_queue_device *device, VkEvent event, const VkAllocationCallbacks *alloc);
VkResult vc4vk_event_set(struct vc4vk_queue_device *device, VkEvent event);
VkResult vc4vk_event_reset(struct vc4vk_queue_device *device, VkEvent event);
VkResult vc4vk_event_status(struct vc4vk_queue_device *device, VkEvent event);

/* VK_KHR_external_fence_fd. */
VkResult vc4vk_fence_import(struct vc4vk_queue_device *device, const VkImportFenceFdInfoKHR *info);
VkResult vc4vk_fence_export(struct vc4vk_queue_device *device, const VkFenceGetFdInfoKHR *info, int *fd_out);
/* A new reference to the fence's external payload, or NULL; VK_NULL_HANDLE is accepted. */
struct vc4vk_external *vc4vk_fence_external_locked(VkFence fence);

/* -- for the modules above ---------------------------------------------------------------------------------------- */

/* Signals the fence when `set` has retired; for acquired swapchain images. It may be VK_NULL_HANDLE. */
void vc4vk_fence_signal_at(struct vc4vk_queue_device *device, VkFence fence, const struct vc4vk_timestamp_set *set);
/* The same under the store's lock, for submissions. */
void vc4vk_fence_signal_at_locked(VkFence fence, const struct vc4vk_timestamp_set *set);

/* Operations of command buffers. The recording module owns `events`, which lives as long as the operation. */
struct vc4vk_event_list {
    uint32_t count;
    struct vc4vk_event *const *events;
};
void vc4vk_cpu_op_init_event_set(struct vc4vk_cpu_op *op, struct vc4vk_event *event);
void vc4vk_cpu_op_init_event_reset(struct vc4vk_cpu_op *op, struct vc4vk_event *event);
void vc4vk_cpu_op_init_events_wait(struct vc4vk_cpu_op *op, struct vc4vk_event_list *events);

#endif
