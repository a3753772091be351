/* SPDX-License-Identifier: MIT
 *
 * Queues: submission into rings of items, and one dispatcher thread per device that issues and retires them.
 *
 * An item is a command (a job or a CPU operation), a sync (waits for timestamps of other queues) or a marker (retires
 * without work). Every item has a timestamp; items of a queue retire in order. `struct vc4vk_queue_device` is embedded
 * in the logical device; the functions here take Vulkan-typed arguments so that entry points only unpack and call.
 */
#ifndef VC4VK_QUEUE_H
#define VC4VK_QUEUE_H

#include <stdatomic.h>
#include <vulkan/vulkan_core.h>
#include <vulkan/vk_icd.h>
#include "queue/vc4vk_external.h"
#include "queue/vc4vk_handle.h"
#include "queue/vc4vk_job.h"
#include "queue/vc4vk_parallel.h"
#include "queue/vc4vk_timeline.h"
#include "util/hash.h"

#define VC4VK_MAX_QUEUES 8

struct util_log_domain;
struct vc4vk_queue_device;

/* When an item passed each station, CLOCK_MONOTONIC; 0 = not yet, or never (markers do not start). */
struct vc4vk_item_times {
    uint64_t queued_ns;    /* vkQueueSubmit */
    uint64_t submitted_ns; /* given to the device or engine */
    uint64_t started_ns, finished_ns;
    uint64_t retired_ns; /* seen as retired by the dispatcher, in order */
};

/* What a sync item waits for: a timestamp, or a value of a timeline semaphore that need not have been submitted yet. */
struct vc4vk_semaphore;
struct vc4vk_wait {
    struct vc4vk_timestamp timestamp;
    struct vc4vk_semaphore *semaphore; /* NULL: the timestamp */
    uint64_t value;
    struct vc4vk_external *external; /* or this payload: its signal, which is then taken, or `value`; referenced */
    bool is_over;                    /* of an external: seen, and taken */
};

struct vc4vk_queue_label;

/* A VkQueue. Lists and values are under the store's lock. */
struct vc4vk_queue {
    VK_LOADER_DATA loader; /* first: the loader writes here */
    struct vc4vk_queue_device *device;
    uint32_t family, index;
    float priority;
    struct kmd_timeline *timeline;
    uint64_t last_value;                        /* of the newest item */
    struct util_list waiting;                   /* items not yet issued, oldest first */
    struct util_list issued;                    /* items issued and not yet retired, oldest first */
    bool is_issuing;                            /* a thread issues its next item, which is in neither list meanwhile */
    uint32_t jobs_in_flight;                    /* jobs in `issued` */
    uint64_t barrier_value;                     /* what is issued next comes after everything up to this value */
    bool is_at_barrier;                         /* the next item to be submitted comes after everything before it */
    uint32_t passed_over;                       /* how often another queue went first since it could go */
    struct vc4vk_worker *worker;                /* of its family */
    uint32_t track;                             /* of VC4VK_TRACE */
    const char *name;                           /* of the application, for the trace, or NULL; under the lock */
    struct vc4vk_queue_label *label;            /* innermost of those that are open; of the submitting thread */
    struct vc4vk_item_times last_command_times; /* of the newest command that has retired */
    uint32_t counter_pass;                      /* of the batch that is being submitted */
    uint32_t perfmon; /* of a performance query: jobs that are issued now count for it; who issues has it. 0: none */
};

VC4VK_DEFINE_HANDLE_CASTS(vc4vk_queue, VkQueue)

struct vc4vk_job_counts {
    uint64_t native, lowered, cpu; /* jobs */
    uint64_t cpu_ops;              /* CPU operations */
};

#define VC4VK_MAX_FAMILIES 2

/* The thread that runs the CPU operations of a queue family, one at a time. Under the store's lock. */
struct vc4vk_worker {
    struct vc4vk_queue_device *device;
    pthread_t thread;
    bool is_running, stop;
    pthread_cond_t wake;
    struct vc4vk_queue *queue; /* of the item */
    struct vc4vk_item *item;   /* being worked on, or NULL */
    bool is_reserved;          /* a thread is about to give it an item */
    struct vc4vk_cpu_op *op;   /* of the item, which the dispatcher no longer looks at */
};

/* What works: tracks of VC4VK_TRACE. */
enum vc4vk_engine {
    VC4VK_ENGINE_CHIP,
    VC4VK_ENGINE_DISPATCHER,
    VC4VK_ENGINE_WORKER, /* + family */
    VC4VK_ENGINES = VC4VK_ENGINE_WORKER + VC4VK_MAX_FAMILIES
};

struct vc4vk_engine_track {
    uint32_t track;
    uint64_t end_ns; /* of what it was shown to work on last */
};

/* Where the time went (vc4vk_perf.c). */
enum vc4vk_perf_engine { VC4VK_PERF_CHIP, VC4VK_PERF_CPU_OPERATIONS, VC4VK_PERF_CPU_ENGINE, VC4VK_PERF_ENGINES };
struct vc4vk_perf {
    uint64_t first_ns, last_ns; /* from the first command's begin to the last one's end */
    uint64_t engine_ns[VC4VK_PERF_ENGINES], engine_until_ns[VC4VK_PERF_ENGINES];
    uint64_t busy_ns, busy_until_ns;       /* any of them */
    _Atomic uint64_t presents, present_ns; /* without any lock */
};

struct vc4vk_queue_device {
    struct kmd_device *kmd;                      /* not owned */
    const VkAllocationCallbacks *alloc;          /* not owned; NULL = C library */
    struct vc4vk_queue queues[VC4VK_MAX_QUEUES]; /* by priority, highest first */
    uint32_t queue_count;
    pthread_t thread; /* the dispatcher */
    bool thread_is_running;
    struct vc4vk_worker workers[VC4VK_MAX_FAMILIES];
    struct vc4vk_parallel parallel; /* for the operations of all of them */
    struct vc4vk_watcher watcher; /* of payloads shared with other processes */
    struct vc4vk_job_build build; /* scratch of the thread that dispatches */
    pthread_mutex_t label_mutex;
    struct util_hash_table labels; /* texts that were kept (vc4vk_label.h); under label_mutex */

    /* Under the store's lock: */
    bool stop;
    bool is_dispatching; /* a thread issues and retires; no other one does then */
    bool has_no_alarm;   /* the dispatcher sleeps until it is woken */
    struct util_list free_items; /* for the next submissions */
    struct vc4vk_job_counts counts;
    bool has_reported_hang;
    uint32_t issue_waiters; /* threads that want to be woken when an item is issued */
    struct vc4vk_engine_track engine_tracks[VC4VK_ENGINES];
    struct vc4vk_perf perf;

    struct inspect *inspect; /* VC4VK_INSPECT; owned, or NULL */
};

struct vc4vk_queue_create {
    uint32_t family, index;
    float priority;
};

/* Starts the dispatcher and a worker for each family that has queues. At most VC4VK_MAX_QUEUES. */
VkResult vc4vk_queue_device_init(struct vc4vk_queue_device *device, struct kmd_device *kmd,
                                 const VkAllocationCallbacks *alloc, const struct vc4vk_queue_create *queues,
                                 uint32_t queue_count);
/* Waits until no thread is issuing an item. That is not over when all work has retired: a thread may still be giving
 * back what the build of the last job took (vc4vk_job_build.ended). A zeroed struct is accepted. */
void vc4vk_queue_device_wait_issued(struct vc4vk_queue_device *device);
/* Finishes all work first. A zeroed struct is accepted. */
void vc4vk_queue_device_finish(struct vc4vk_queue_device *device);

/* NULL when there is no such queue. */
struct vc4vk_queue *vc4vk_queue_device_get(struct vc4vk_queue_device *device, uint32_t family, uint32_t index);

/* What a VkCommandBuffer shows to queues: the first member of the recording room's struct. */
struct vc4vk_recorded {
    VK_LOADER_DATA loader;
    struct vc4vk_command *const *commands; /* in order; fixed while the command buffer is executable */
    uint32_t command_count;
    const char *name;                /* of the application, kept for the trace (vc4vk_label.h), or NULL */
    /* Of the last submission to each queue, 0: none; set by vkQueueSubmit. Reset and free wait for them. */
    uint64_t last_uses[VC4VK_MAX_QUEUES];
    struct util_log_domain *log;     /* of the instance */
};

/* -- entry points ------------------------------------------------------------------------------------------------- */

VkResult vc4vk_queue_submit(struct vc4vk_queue *queue, uint32_t submit_count, const VkSubmitInfo *submits,
                            VkFence fence);
VkResult vc4vk_queue_wait_idle(struct vc4vk_queue *queue);
VkResult vc4vk_device_wait_idle(struct vc4vk_queue_device *device);

/* -- for rooms above (presentation, internal work) ----------------------------------------------------------------- */

struct vc4vk_submission {
    const struct vc4vk_timestamp *waits; /* all must retire first */
    uint32_t wait_count;
    struct vc4vk_command *const *commands; /* none: a marker is submitted */
    uint32_t command_count;
};

/* Puts the commands behind everything submitted before; `timestamp_out` is when the last of them has retired. */
VkResult vc4vk_queue_submit_commands(struct vc4vk_queue *queue, const struct vc4vk_submission *submission,
                                     struct vc4vk_timestamp *timestamp_out);

/* Waits for binary semaphores on the queue and takes their signals: `timestamp_out` is when all of them have come. On
 * failure nothing is taken. */
VkResult vc4vk_queue_submit_waits(struct vc4vk_queue *queue, const VkSemaphore *semaphores, uint32_t count,
                                  struct vc4vk_timestamp *timestamp_out);

/* The timestamp of the newest item: when it has retired, the queue is idle. */
struct vc4vk_timestamp vc4vk_queue_last_timestamp(struct vc4vk_queue *queue);

/* All that was submitted has retired. Under the store's lock. */
bool vc4vk_queue_device_has_drained_locked(const struct vc4vk_queue_device *device);

/* -- test hooks (plain functions; the device's registry makes them reachable) -------------------------------------- */

/* VC4VK_DEBUG=perf: a picture was shown, which took so long. From any thread. */
void vc4vk_perf_present(struct vc4vk_queue_device *device, uint64_t ns);

void vc4vk_queue_test_hold_retire(struct vc4vk_queue_device *device, bool hold);
struct vc4vk_job_counts vc4vk_queue_test_job_counts(struct vc4vk_queue_device *device);
VkResult vc4vk_queue_test_set_bin_done_hook(struct vc4vk_queue_device *device,
                                            void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B,
                                                         uint32_t slots),
                                            void *data);

#endif
