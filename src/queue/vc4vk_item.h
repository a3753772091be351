/* SPDX-License-Identifier: MIT
 *
 * Items of a queue, and the dispatcher. Private to this room.
 */
#ifndef VC4VK_ITEM_H
#define VC4VK_ITEM_H

#include "queue/vc4vk_queue.h"

enum vc4vk_item_kind {
    VC4VK_ITEM_COMMAND, /* goes to the device, or to the CPU */
    VC4VK_ITEM_SYNC,    /* waits for a timestamp of another queue */
    VC4VK_ITEM_MARKER,  /* retires when everything before it has */
};

/* How an issued item finishes. */
enum vc4vk_item_finish {
    VC4VK_FINISH_AT_ONCE,   /* it has done its work: the dispatcher stores its word when its turn comes */
    VC4VK_FINISH_BY_WORD,   /* a job: the backend stores its word */
    VC4VK_FINISH_BY_TIME,   /* a job behind a CPU operation that has not finished, or is still to be called when it
                             * retires: its times tell, the dispatcher stores its word */
    VC4VK_FINISH_BY_WORKER, /* a CPU operation on a worker, which makes it FINISH_AT_ONCE when it has run */
};

struct vc4vk_item {
    struct util_list link; /* in waiting, issued or free_items */
    enum vc4vk_item_kind kind;
    enum vc4vk_item_finish finish;
    uint64_t value;                 /* on the queue's timeline */
    struct vc4vk_command *command;  /* not looked at after issue: its owner may be gone */
    struct vc4vk_cpu_op *retire_op; /* issued, to be called when the item retires; its owner is still there */
    struct vc4vk_wait wait;         /* of a sync */
    struct vc4vk_external *signal;  /* of a marker: signalled when it retires; referenced; may be NULL */
    uint64_t signal_value;          /* ... of a counter */
    bool is_unordered;              /* see vc4vk_command */
    bool is_long;                   /* a CPU operation on a worker */
    bool is_engine_job;             /* ... or one that runs programs on the CPU engine */
    const char *name;               /* static or kept text for people */
    /* Of the application, kept (vc4vk_label.h), each may be NULL: */
    const char *label, *command_buffer, *queue_label;
    bool is_on_device;              /* a job that the kernel has, all of it */
    bool is_stored;                 /* the dispatcher has stored its word */
    uint64_t next_from;             /* a job in parts: where the next one begins; 0 = none, or none yet */
    struct vc4vk_kept_job *kept;    /* VC4VK_DEBUG=hang: what was submitted; owned */
    uint32_t counter_pass;          /* of VkPerformanceQuerySubmitInfoKHR */
    struct kmd_job_times job_times; /* written by the backend before the word is stored */
    struct vc4vk_item_times times;
    struct inspect_frame *frame; /* that it belongs to, with a reference; NULL: it is not inspected */
    struct inspect_work *work;   /* of the frame, while it is issued */
};

/* Main function of the dispatcher's thread; `arg` is the queue device. */
void *vc4vk_dispatcher_main(void *arg);

/* By a worker that has finished an operation: starts its next one if that may go, whatever other threads are doing.
 * Otherwise goes on with the queue of the operation, as long as no other queue has anything to do. */
void vc4vk_dispatch_on_worker_locked(struct vc4vk_worker *worker, struct vc4vk_queue *queue);
/* A submission asks the first before it appends its items, and lets the second have them issued: by itself when the
 * device was idle and there is little to do, otherwise by the dispatcher, but for an operation that a worker can begin
 * at once. The lock is dropped meanwhile. */
bool vc4vk_is_idle_locked(const struct vc4vk_queue_device *device);
void vc4vk_dispatch_or_wake_locked(struct vc4vk_queue *queue, bool was_idle);

/* -- CPU operations (vc4vk_worker.c) --------------------------------------------------------------------------------
 */

/* Runs the item's operation and fills its times in; without the lock. */
VkResult vc4vk_cpu_op_run(struct vc4vk_queue *queue, struct vc4vk_item *item, struct vc4vk_cpu_op *op);
/* Is it worth a worker? */
bool vc4vk_cpu_op_is_long(const struct vc4vk_cpu_op *op);
bool vc4vk_worker_is_free_locked(const struct vc4vk_worker *worker);
/* Gives the operation to the free worker: the item's finish is BY_WORKER until it has run. */
void vc4vk_worker_start_locked(struct vc4vk_worker *worker, struct vc4vk_queue *queue, struct vc4vk_item *item);

/* Starts the thread. 0 or a negative errno. */
int vc4vk_worker_init(struct vc4vk_worker *worker, struct vc4vk_queue_device *device);
/* It has nothing to do any more. A zeroed struct is accepted. */
void vc4vk_worker_finish(struct vc4vk_worker *worker);

/* -- debug output (vc4vk_queue_print.c) ---------------------------------------------------------------------------- */

/* One line per issued command, under VC4VK_DEBUG=jobs. */
void vc4vk_print_job(const struct vc4vk_queue *queue, uint64_t value, const struct vc4vk_job *job,
                     const struct vc4vk_job_build *build);
void vc4vk_print_cpu_op(const struct vc4vk_queue *queue, uint64_t value, const struct vc4vk_cpu_op *op);
/* VC4VK_DEBUG=hang: keeps what a submission looked like until its item retires. NULL when that is off, or when memory
 * is short. */
struct vc4vk_kept_job *vc4vk_keep_job(const struct vc4vk_job *job, const struct vc4vk_job_build *build);
/* The job that hung. */
void vc4vk_print_kept_job(const struct vc4vk_queue *queue, uint64_t value, const struct vc4vk_kept_job *kept);
/* VC4VK_TRACE: tracks for the device's queues and engines; an item that has retired (vc4vk_trace.c). */
void vc4vk_trace_init(struct vc4vk_queue_device *device);
void vc4vk_trace_queue_name_locked(const struct vc4vk_queue *queue);
void vc4vk_trace_queue_label(const struct vc4vk_queue *queue, const char *text, uint64_t begin_ns, uint64_t end_ns);
void vc4vk_trace_item_locked(struct vc4vk_queue *queue, const struct vc4vk_item *item);
/* VC4VK_DEBUG=perf: a command that has retired; the sums (vc4vk_perf.c). */
void vc4vk_perf_item_locked(struct vc4vk_queue_device *device, const struct vc4vk_item *item);
void vc4vk_perf_print(const struct vc4vk_queue_device *device);
/* The frame inspector (vc4vk_inspect.c): around the submission of a job, which is waited for, and around an operation.
 * Items of frames that are not inspected are left alone. */
void vc4vk_inspect_begin_job(const struct vc4vk_queue *queue, struct vc4vk_item *item, const struct vc4vk_job *job,
                             struct kmd_submit *submit);
void vc4vk_inspect_end_job(const struct vc4vk_queue *queue, struct vc4vk_item *item);
void vc4vk_inspect_begin_op(const struct vc4vk_queue *queue, struct vc4vk_item *item, struct vc4vk_cpu_op *op);
void vc4vk_inspect_end_op(struct vc4vk_item *item);
/* The binning list, packet by packet. */
void vc4vk_print_bin_cl(const struct vc4vk_job_build *build);

#endif
