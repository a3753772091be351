/* SPDX-License-Identifier: MIT
 *
 * Entries of rings, and what the scheduler, the engines and the debug output share. Private to engine/.
 */
#ifndef ENGINE_VC4VK_ENGINE_PRIVATE_H
#define ENGINE_VC4VK_ENGINE_PRIVATE_H

#include "engine/vc4vk_engine.h"
#include "inspect/inspect.h"

struct vc4vk_entry {
    struct util_list link;              /* in pending, running or free_entries */
    uint64_t value;                     /* on the ring's timeline */
    struct vc4vk_command *command;      /* until the engine has finished with it: its owner may free it then */
    uint64_t waits[VC4VK_ENGINE_COUNT]; /* for each ring of the context, the value that must have retired; 0: none */
    bool is_complete; /* the engine has finished it; the word is stored when the entries before it have finished */
    bool observes;    /* its command had `observe` */
    const char *name; /* for debug output; static, or from vc4vk_label_keep */
    const char *label, *command_buffer, *queue_label; /* the application's, from vc4vk_label_keep; each may be NULL */
    struct vc4vk_entry_times times;
    uint32_t counter_pass;       /* of VkPerformanceQuerySubmitInfoKHR */
    struct inspect_frame *frame; /* the frame that it belongs to, referenced; NULL: not inspected */
    struct inspect_work *work;   /* of the frame, while it is submitted */
    /* Only for the chip engine: */
    bool is_on_chip;                /* the kernel has it, all of it */
    bool has_kernel_word;           /* ... and stores the word */
    uint64_t next_part;             /* a job in parts: where the next one begins; 0: none, or none yet */
    struct kmd_job_times job_times; /* written by the backend before the word is stored */
    struct vc4vk_kept_job *kept;    /* VC4VK_DEBUG=hang: what was submitted; owned */
};

static inline struct kmd_store *vc4vk_scheduler_lock(struct vc4vk_scheduler *scheduler)
{
    struct kmd_store *store = kmd_device_store(scheduler->kmd);
    pthread_mutex_lock(&store->mutex);
    return store;
}

static inline void vc4vk_scheduler_unlock(struct kmd_store *store)
{
    pthread_mutex_unlock(&store->mutex);
}

/* -- for engines -------------------------------------------------------------------------------------------------- */

static inline struct vc4vk_cpu_op *vc4vk_cpu_op_of(const struct vc4vk_command *command)
{
    return container_of((struct vc4vk_command *)command, struct vc4vk_cpu_op, command);
}

/* What the engines other than the chip have in common: operations of vc4vk_engine_ops. */
void vc4vk_cpu_op_cancel(struct vc4vk_ring *ring, struct vc4vk_entry *entry);
const char *vc4vk_cpu_op_describe(const struct vc4vk_command *command);

extern const struct vc4vk_engine_ops vc4vk_chip_engine, vc4vk_cpu_engine, vc4vk_copy_engine, vc4vk_host_engine;

/* The engine has finished the entry and no longer accesses its command. Stores the end-of-pipe word once the entries
 * before it have finished, and wakes the waiters. */
void vc4vk_ring_complete_locked(struct vc4vk_ring *ring, struct vc4vk_entry *entry);
/* Called by an engine's thread that has completed an entry: removes what has retired, and wakes the scheduler if that
 * made something ready. */
void vc4vk_scheduler_completed_locked(struct vc4vk_scheduler *scheduler);
/* Main function of the scheduler's thread; `arg` is the scheduler. */
void *vc4vk_scheduler_main(void *arg);

/* Remembers the entry as the one that made the device lost, unless there is one already. */
void vc4vk_record_fault_locked(const struct vc4vk_ring *ring, const struct vc4vk_entry *entry,
                               enum vc4vk_fault_kind kind);
/* The same if the entry is the job that hung. */
void vc4vk_record_hang_locked(const struct vc4vk_ring *ring, const struct vc4vk_entry *entry);

/* Ends the ring's thread, if it has one. */
void vc4vk_worker_destroy(struct vc4vk_worker *worker);

/* -- debug output (vc4vk_engine_print.c) ----------------------------------------------------------------------------
 */

/* One line per command, under VC4VK_DEBUG=jobs. */
void vc4vk_print_job(const struct vc4vk_context *context, uint64_t value, const struct vc4vk_job *job,
                     const struct vc4vk_job_build *build);
void vc4vk_print_cpu_op(const struct vc4vk_context *context, uint64_t value, const struct vc4vk_cpu_op *op);
/* VC4VK_DEBUG=hang: keeps what a submission looked like until its entry retires. NULL when that is off, or when memory
 * is short. */
struct vc4vk_kept_job *vc4vk_keep_job(const struct vc4vk_job *job, const struct vc4vk_job_build *build);
/* The job that hung. */
void vc4vk_print_kept_job(const struct vc4vk_context *context, uint64_t value, const struct vc4vk_kept_job *kept);
/* The binning list, packet by packet. */
void vc4vk_print_bin_cl(const struct vc4vk_job_build *build);

/* VC4VK_TRACE: tracks for contexts and engines; an entry that has retired (vc4vk_trace.c). */
void vc4vk_trace_init(struct vc4vk_scheduler *scheduler);
void vc4vk_trace_entry_locked(struct vc4vk_ring *ring, const struct vc4vk_entry *entry);
/* VC4VK_DEBUG=perf: an entry that has retired; the sums (vc4vk_perf.c). */
void vc4vk_perf_entry_locked(struct vc4vk_ring *ring, const struct vc4vk_entry *entry);
void vc4vk_perf_print(const struct vc4vk_scheduler *scheduler);

/* The frame inspector (vc4vk_inspect.c): around the submission of a job, which is waited for, and around another
 * command. Entries of frames that are not inspected are left alone. */
void vc4vk_inspect_begin_job(const struct vc4vk_ring *ring, struct vc4vk_entry *entry, const struct vc4vk_job *job,
                             struct kmd_submit *submit);
void vc4vk_inspect_end_job(const struct vc4vk_ring *ring, struct vc4vk_entry *entry);
void vc4vk_inspect_begin_op(const struct vc4vk_ring *ring, struct vc4vk_entry *entry, struct vc4vk_cpu_op *op);
void vc4vk_inspect_end_op(struct vc4vk_entry *entry);

#endif
