/* SPDX-License-Identifier: MIT
 *
 * Queues: what Vulkan submits becomes entries of the rings of a queue's context (engine/vc4vk_engine.h). Semaphore
 * waits and signals of payloads that other processes see are commands of the host engine. `struct vc4vk_queue_device`
 * is embedded in the logical device; the functions here take Vulkan-typed arguments, so that entry points only unpack
 * and call.
 */
#ifndef VC4VK_QUEUE_H
#define VC4VK_QUEUE_H

#include <vulkan/vulkan_core.h>
#include <vulkan/vk_icd.h>
#include "engine/vc4vk_engine.h"
#include "engine/vc4vk_parallel.h"
#include "queue/vc4vk_external.h"
#include "queue/vc4vk_handle.h"
#include "util/hash.h"

#define VC4VK_MAX_QUEUES VC4VK_MAX_CONTEXTS

struct util_log_domain;
struct vc4vk_queue_device;
struct vc4vk_queue_label;
struct vc4vk_semaphore;

/* What a submission waits for: timestamps, or a value of a timeline semaphore that need not have been submitted yet. */
struct vc4vk_wait {
    struct vc4vk_timestamp_set timestamps;
    struct vc4vk_semaphore *semaphore; /* NULL: the timestamps */
    uint64_t value;
    struct vc4vk_external *external; /* or this payload: its signal, which is then taken, or `value`; referenced */
    bool is_over;                    /* of an external: seen, and taken */
};

/* A command of the host engine that a submission makes: a wait, or the signal of a payload that processes share. */
struct vc4vk_sync_op {
    struct vc4vk_cpu_op op;
    struct util_list link; /* in a list of vc4vk_queue_device, or alone */
    struct vc4vk_queue_device *device;
    struct vc4vk_wait wait;
    struct vc4vk_external *signal; /* referenced; NULL: none */
    uint64_t signal_value;         /* of a counter */
};

/* A VkQueue. */
struct vc4vk_queue {
    VK_LOADER_DATA loader; /* first: the loader writes here */
    struct vc4vk_queue_device *device;
    struct vc4vk_context context;
    struct vc4vk_queue_label *label; /* innermost of those that are open; of the submitting thread */
};

VC4VK_DEFINE_HANDLE_CASTS(vc4vk_queue, VkQueue)

struct vc4vk_queue_device {
    struct kmd_device *kmd;                      /* not owned */
    const VkAllocationCallbacks *alloc;          /* not owned; NULL: the C library */
    struct vc4vk_queue queues[VC4VK_MAX_QUEUES]; /* by priority, highest first */
    uint32_t queue_count;
    struct vc4vk_scheduler scheduler;
    struct vc4vk_parallel parallel; /* for the operations of all of them */
    struct vc4vk_watcher watcher;   /* of payloads shared with other processes */
    /* Of vc4vk_sync_op, under the store's lock: */
    struct util_list waits;      /* submitted and not over */
    struct util_list free_syncs; /* for the next submissions */
    pthread_mutex_t label_mutex;
    struct util_hash_table labels; /* texts that were kept (vc4vk_label.h); under label_mutex */
};

#define VC4VK_MAX_FAMILIES 2

/* Starts the scheduler. At most VC4VK_MAX_QUEUES. */
VkResult vc4vk_queue_device_init(struct vc4vk_queue_device *device, struct kmd_device *kmd,
                                 const VkAllocationCallbacks *alloc, const struct vc4vk_context_create *queues,
                                 uint32_t queue_count);
/* Finishes all work first. A zeroed struct is accepted. */
void vc4vk_queue_device_finish(struct vc4vk_queue_device *device);

/* NULL when there is no such queue. */
struct vc4vk_queue *vc4vk_queue_device_get(struct vc4vk_queue_device *device, uint32_t family, uint32_t index);

/* What a VkCommandBuffer shows to queues: the first member of the recording module's struct. */
struct vc4vk_recorded {
    VK_LOADER_DATA loader;
    struct vc4vk_command *const *commands; /* in order; fixed while the command buffer is executable */
    uint32_t command_count;
    const char *name; /* of the application, kept for the trace (vc4vk_label.h), or NULL */
    /* Of the last submission to each queue, 0: none; set by vkQueueSubmit. Reset and free wait for them. */
    uint64_t last_uses[VC4VK_MAX_QUEUES][VC4VK_ENGINE_COUNT];
    struct util_log_domain *log; /* of the instance */
};

/* Waits until nothing uses the command buffer any more, on any queue, and forgets its uses. */
VkResult vc4vk_recorded_wait(struct vc4vk_queue_device *device, struct vc4vk_recorded *recorded);

/* -- entry points ------------------------------------------------------------------------------------------------- */

VkResult vc4vk_queue_submit(struct vc4vk_queue *queue, uint32_t submit_count, const VkSubmitInfo *submits,
                            VkFence fence);
VkResult vc4vk_queue_wait_idle(struct vc4vk_queue *queue);
VkResult vc4vk_device_wait_idle(struct vc4vk_queue_device *device);

/* -- for the modules above (presentation, internal work) ----------------------------------------------------------- */

struct vc4vk_submission {
    const struct vc4vk_timestamp_set *waits; /* all must retire first */
    uint32_t wait_count;
    struct vc4vk_command *const *commands;
    uint32_t command_count;
};

/* Puts the commands behind everything submitted before; `set_out`: they and that have retired. */
VkResult vc4vk_queue_submit_commands(struct vc4vk_queue *queue, const struct vc4vk_submission *submission,
                                     struct vc4vk_timestamp_set *set_out);

/* Waits for binary semaphores on the queue and takes their signals: `set_out` is when all of them have come. On failure
 * nothing is taken. */
VkResult vc4vk_queue_submit_waits(struct vc4vk_queue *queue, const VkSemaphore *semaphores, uint32_t count,
                                  struct vc4vk_timestamp_set *set_out);

/* When it has retired, the queue is idle. */
struct vc4vk_timestamp_set vc4vk_queue_last_timestamps(struct vc4vk_queue *queue);

/* -- test hooks (plain functions; the device's registry makes them reachable) -------------------------------------- */

void vc4vk_queue_test_hold_retire(struct vc4vk_queue_device *device, bool hold);
struct vc4vk_job_counts vc4vk_queue_test_job_counts(struct vc4vk_queue_device *device);
VkResult vc4vk_queue_test_set_bin_done_hook(struct vc4vk_queue_device *device,
                                            void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B,
                                                         uint32_t slots),
                                            void *data);

#endif
