/* SPDX-License-Identifier: MIT
 *
 * Queues: a queue submission appends entries to the rings of the queue's context (engine/vc4vk_engine.h). Semaphore
 * waits, and signals of external payloads, become commands of the host engine. `struct vc4vk_queue_device` is embedded
 * in the logical device. The functions here take Vulkan-typed arguments, so that entry points only unpack and call.
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

/* What a submission waits for: timestamps, a value of a timeline semaphore, or an external payload. The signal of the
 * timeline value need not have been submitted yet. */
struct vc4vk_wait {
    struct vc4vk_timestamp_set timestamps;
    struct vc4vk_semaphore *semaphore; /* timeline, waits for `value`; or NULL */
    uint64_t value;                    /* of the semaphore, or of an external counter */
    struct vc4vk_external *external;   /* waits for `value`, or takes the signal of an eventfd; referenced, or NULL */
    bool is_over;                      /* the external payload was signalled, and an eventfd's signal was taken */
};

/* A command of the host engine that belongs to a submission: a wait, or the signal of an external payload. */
struct vc4vk_sync_op {
    struct vc4vk_cpu_op op;
    struct util_list link; /* in `waits` or `free_syncs` of vc4vk_queue_device, or in no list */
    struct vc4vk_queue_device *device;
    struct vc4vk_wait wait;
    struct vc4vk_external *signal; /* referenced; NULL: none */
    uint64_t signal_value;         /* for a counter */
};

/* A VkQueue. */
struct vc4vk_queue {
    VK_LOADER_DATA loader; /* first: the loader writes here */
    struct vc4vk_queue_device *device;
    struct vc4vk_context context;
    struct vc4vk_queue_label *label; /* innermost open label; accessed by the submitting thread alone */
    vc4vk_private_number private_number;
};

VC4VK_DEFINE_HANDLE_CASTS(vc4vk_queue, VkQueue)

struct vc4vk_queue_device {
    struct kmd_device *kmd;                      /* not owned */
    const VkAllocationCallbacks *alloc;          /* not owned; NULL: the C library */
    struct vc4vk_queue queues[VC4VK_MAX_QUEUES]; /* by priority, highest first */
    uint32_t queue_count;
    struct vc4vk_scheduler scheduler;
    struct vc4vk_parallel parallel; /* shared by the CPU operations of all queues */
    struct vc4vk_watcher watcher;   /* of external payloads */
    /* Lists of vc4vk_sync_op, under the store's lock: */
    struct util_list waits;      /* submitted and not over */
    struct util_list free_syncs; /* to be reused by later submissions */
    pthread_mutex_t label_mutex;
    struct util_hash_table labels; /* the texts of vc4vk_label_keep; under label_mutex */
    bool keeps_names;              /* of command buffers, also without VC4VK_TRACE */
};

#define VC4VK_MAX_FAMILIES 2

/* Creates the queues, at most VC4VK_MAX_QUEUES, and starts the scheduler. */
VkResult vc4vk_queue_device_init(struct vc4vk_queue_device *device, struct kmd_device *kmd,
                                 const VkAllocationCallbacks *alloc, const struct vc4vk_context_create *queues,
                                 uint32_t queue_count);
/* Waits for all work first. A zeroed struct is accepted. */
void vc4vk_queue_device_finish(struct vc4vk_queue_device *device);

/* NULL when there is no such queue. */
struct vc4vk_queue *vc4vk_queue_device_get(struct vc4vk_queue_device *device, uint32_t family, uint32_t index);

/* What a queue reads of a VkCommandBuffer: the first member of the recording module's struct. */
struct vc4vk_recorded {
    VK_LOADER_DATA loader;
    struct vc4vk_command *const *commands; /* in order; fixed while the command buffer is executable */
    uint32_t command_count;
    const char *name; /* the application's, for the trace (vc4vk_label_keep), or NULL */
    /* The values of the last submission to each queue, 0: none; set by vkQueueSubmit. Reset and free wait for them. */
    uint64_t last_uses[VC4VK_MAX_QUEUES][VC4VK_ENGINE_COUNT];
    struct util_log_domain *log; /* the instance's */
    vc4vk_private_number private_number;
};

/* Waits until no queue uses the command buffer any more, and clears `last_uses`. */
VkResult vc4vk_recorded_wait(struct vc4vk_queue_device *device, struct vc4vk_recorded *recorded);

/* -- entry points ------------------------------------------------------------------------------------------------- */

VkResult vc4vk_queue_submit2(struct vc4vk_queue *queue, uint32_t submit_count, const VkSubmitInfo2 *submits,
                             VkFence fence);
/* The same with the structs of Vulkan 1.0 (vc4vk_submit.c). */
VkResult vc4vk_queue_submit(struct vc4vk_queue *queue, uint32_t submit_count, const VkSubmitInfo *submits,
                            VkFence fence);
/* vkQueueBindSparse: command `i` is the work of batch `i`, or NULL if it has none. The engine owns the commands after
 * VK_SUCCESS, the caller after a failure (vc4vk_submit.c). */
VkResult vc4vk_queue_bind_sparse(struct vc4vk_queue *queue, uint32_t batch_count, const VkBindSparseInfo *batches,
                                 struct vc4vk_command *const *commands, VkFence fence);
VkResult vc4vk_queue_wait_idle(struct vc4vk_queue *queue);
VkResult vc4vk_device_wait_idle(struct vc4vk_queue_device *device);

/* -- for the modules above (presentation, internal work) ----------------------------------------------------------- */

struct vc4vk_submission {
    const struct vc4vk_timestamp_set *waits; /* all must retire first */
    uint32_t wait_count;
    struct vc4vk_command *const *commands;
    uint32_t command_count;
};

/* Submits the commands after everything submitted before. `set_out` retires when both have finished. */
VkResult vc4vk_queue_submit_commands(struct vc4vk_queue *queue, const struct vc4vk_submission *submission,
                                     struct vc4vk_timestamp_set *set_out);

/* Submits waits for binary semaphores, which take their signals. `set_out` retires when all of them have been
 * signalled. On failure no signal is taken. */
VkResult vc4vk_queue_submit_waits(struct vc4vk_queue *queue, const VkSemaphore *semaphores, uint32_t count,
                                  struct vc4vk_timestamp_set *set_out);

/* Retires when everything submitted to the queue so far has finished. */
struct vc4vk_timestamp_set vc4vk_queue_last_timestamps(struct vc4vk_queue *queue);

/* -- test hooks (plain functions; the device's registry makes them reachable) -------------------------------------- */

void vc4vk_queue_test_hold_retire(struct vc4vk_queue_device *device, bool hold);
struct vc4vk_job_counts vc4vk_queue_test_job_counts(struct vc4vk_queue_device *device);
VkResult vc4vk_queue_test_set_bin_done_hook(struct vc4vk_queue_device *device,
                                            void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B,
                                                         uint32_t slots),
                                            void *data);

#endif
