/* SPDX-License-Identifier: MIT
 *
 * Engines, their rings, and the scheduler.
 *
 * An engine executes commands. Every VkQueue is a context with one in-order ring for each engine. What is submitted
 * becomes an entry of a ring; an entry has a value, and it has retired when the ring's end-of-pipe word has reached the
 * value. The engine itself stores the word. Entries of different rings are ordered by waits alone: each entry names,
 * for every ring of its context, the value that must have retired before it starts. A wait for something outside
 * of the context is a command of the host engine that polls.
 *
 * The scheduler is one thread per device. It hands entries whose waits have passed to their engines, by priority, and
 * removes entries that have retired. A thread that submits a little work to an idle device runs the scheduler itself:
 * waking another thread takes longer than the work. One thread at a time schedules.
 */
#ifndef ENGINE_VC4VK_ENGINE_H
#define ENGINE_VC4VK_ENGINE_H

#include "engine/vc4vk_command.h"
#include "engine/vc4vk_job.h"
#include "engine/vc4vk_timeline.h"

#define VC4VK_MAX_CONTEXTS 8
#define VC4VK_MAX_NAME_B   200u /* of names and labels of the application */

struct vc4vk_entry;
struct vc4vk_ring;
struct vc4vk_scheduler;
struct vc4vk_worker;

/* When an entry passed each stage, CLOCK_MONOTONIC; 0: not yet, or never (commands of the host engine do not start). */
struct vc4vk_entry_times {
    uint64_t queued_ns;    /* vkQueueSubmit */
    uint64_t submitted_ns; /* given to the engine */
    uint64_t started_ns, finished_ns;
    uint64_t retired_ns; /* seen as retired by the scheduler */
};

/* -- engines ------------------------------------------------------------------------------------------------------ */

enum vc4vk_submit_result {
    VC4VK_SUBMIT_TAKEN,  /* the engine has it, or has finished it, and stores the word */
    VC4VK_SUBMIT_AGAIN,  /* to be submitted again when can_take returns true: out of memory, or there is another part */
    VC4VK_SUBMIT_FAILED, /* the device is lost; the engine has cancelled it */
};

struct vc4vk_engine_ops {
    const char *name;
    /* Whether `submit`, or on a lost device `cancel`, may be called for the oldest pending entry of the ring. Under the
     * store's lock. */
    bool (*can_take)(const struct vc4vk_ring *ring, const struct vc4vk_entry *entry);
    /* Starts the entry. Without locks; one call at a time for the whole device; never waits for other work. */
    enum vc4vk_submit_result (*submit)(struct vc4vk_ring *ring, struct vc4vk_entry *entry);
    /* The device is lost and the entry has not started: releases its command. Without locks. */
    void (*cancel)(struct vc4vk_ring *ring, struct vc4vk_entry *entry);
    /* Whether `submit` takes so little time that the submitting thread of an application may call it. */
    bool (*is_short)(const struct vc4vk_command *command);
    /* Static text for people. */
    const char *(*describe)(const struct vc4vk_command *command);
};

struct vc4vk_engine {
    const struct vc4vk_engine_ops *ops;
    enum vc4vk_engine_id id;
    /* Under the store's lock: */
    uint32_t running;      /* entries that it has, of all rings */
    uint64_t retired;      /* entries that have left it */
    uint64_t retry_after;  /* out of memory: nothing is submitted until `retired` is more than this; UINT64_MAX: none */
    uint32_t track;        /* of VC4VK_TRACE */
    uint64_t track_end_ns; /* end of the last entry on the track */
};

/* -- rings -------------------------------------------------------------------------------------------------------- */

/* Under the store's lock, except as marked. */
struct vc4vk_ring {
    struct vc4vk_engine *engine; /* constant, as the next two */
    struct vc4vk_context *context;
    struct kmd_timeline *timeline; /* the start and end-of-pipe words */
    uint64_t last_value;           /* of the newest entry */
    uint64_t retired_value;        /* of the newest entry that the scheduler has seen retire */
    uint64_t finished_ns;          /* when that had finished */
    struct util_list pending;      /* entries that the engine does not have yet, oldest first */
    struct util_list running;      /* entries that the engine has or has finished, oldest first */
    uint32_t running_count;
    uint32_t passed_over;        /* how often another ring went first since its next entry was ready */
    uint64_t turn;               /* its last turn: a value of vc4vk_scheduler.turns */
    struct vc4vk_worker *worker; /* CPU and copy engines: created when first needed, by the thread that schedules */
};

/* What a VkQueue is to the engines. */
struct vc4vk_context {
    struct vc4vk_scheduler *scheduler;
    uint32_t family, index;
    float priority;
    struct vc4vk_ring rings[VC4VK_ENGINE_COUNT];
    uint32_t track;   /* of VC4VK_TRACE */
    const char *name; /* of the application, for the trace, or NULL; under the store's lock */
    uint32_t perfmon; /* of the active performance query, which jobs submitted now count for. 0: none. Accessed by the
                         thread that schedules alone */
    struct vc4vk_entry_times last_command_times; /* of the newest command that has retired; under the store's lock */
    /* Of the open segment; under the store's lock: */
    uint64_t segment_waits[VC4VK_ENGINE_COUNT]; /* the values that everything in it waits for */
    uint64_t segment_begin[VC4VK_ENGINE_COUNT]; /* the values that its counts are relative to */
    uint64_t host_wait;                         /* the newest entry of the host ring that others wait for */
};

/* Everything submitted to the context so far. */
struct vc4vk_timestamp_set vc4vk_context_last_locked(const struct vc4vk_context *context);
struct vc4vk_timestamp_set vc4vk_context_last(struct vc4vk_context *context);

/* -- submission --------------------------------------------------------------------------------------------------- */

/* Entries are allocated before anything is submitted, which can fail, and then appended, which cannot. When out of
 * memory it returns false and takes none. */
bool vc4vk_entries_take(struct vc4vk_scheduler *scheduler, uint32_t count, struct util_list *out);
void vc4vk_entries_return_locked(struct vc4vk_scheduler *scheduler, struct util_list *entries);

/* Names for debug output: texts of vc4vk_label_keep, or NULL. */
struct vc4vk_entry_names {
    const char *command_buffer, *queue_label;
};

/* Begins a segment: entries appended later come after everything before it. */
void vc4vk_context_begin_segment_locked(struct vc4vk_context *context);
/* Appends the command with the first of `entries`. A command of VC4VK_ENGINE_NONE begins a segment and takes none. */
void vc4vk_context_append_locked(struct vc4vk_context *context, struct util_list *entries,
                                 struct vc4vk_command *command, const struct vc4vk_entry_names *names,
                                 uint32_t counter_pass);

/* Whether nothing is pending, running or being scheduled. To be called before something is appended. */
bool vc4vk_scheduler_is_idle_locked(const struct vc4vk_scheduler *scheduler);
/* Schedules the appended entries: on this thread if the device was idle and they are few and short, else by waking the
 * scheduler's thread. Drops the lock meanwhile. */
void vc4vk_scheduler_kick_locked(struct vc4vk_context *context, bool was_idle);

/* -- the scheduler ------------------------------------------------------------------------------------------------ */

/* Jobs by implementation level, and commands of the CPU and copy engines. */
struct vc4vk_job_counts {
    uint64_t native, lowered, cpu; /* jobs */
    uint64_t cpu_ops;              /* other commands */
};

/* How the time was spent (vc4vk_perf.c). */
struct vc4vk_perf {
    uint64_t first_ns, last_ns; /* from the first command's start to the last one's end */
    uint64_t engine_ns[VC4VK_ENGINE_COUNT], engine_until_ns[VC4VK_ENGINE_COUNT];
    uint64_t busy_ns, busy_until_ns;       /* any of them */
    _Atomic uint64_t presents, present_ns; /* without any lock */
};

enum vc4vk_fault_kind {
    VC4VK_FAULT_NONE,
    VC4VK_FAULT_HANG,    /* a job of the chip ran past its time limit */
    VC4VK_FAULT_REFUSED, /* a command could not be submitted */
    VC4VK_FAULT_FAILED,  /* a command of another engine failed; hangs of the CPU engine too */
};

/* The first command that made the device lost (vc4vk_fault.c). */
struct vc4vk_fault {
    enum vc4vk_fault_kind kind;
    enum vc4vk_engine_id engine;
    uint32_t family, index; /* of the queue */
    uint64_t value;         /* on the ring's timeline */
    char name[64];
    char label[VC4VK_MAX_NAME_B], command_buffer[VC4VK_MAX_NAME_B]; /* the application's; "": none */
};

struct vc4vk_scheduler {
    struct kmd_device *kmd;                             /* not owned */
    struct vc4vk_context *contexts[VC4VK_MAX_CONTEXTS]; /* by priority, highest first; not owned */
    uint32_t context_count;
    struct vc4vk_engine engines[VC4VK_ENGINE_COUNT];
    pthread_t thread;
    bool thread_is_running;
    struct vc4vk_job_build build; /* scratch of the chip engine's submit */
    struct inspect *inspect;      /* VC4VK_INSPECT; owned, or NULL */

    /* Under the store's lock: */
    bool stop;
    bool is_scheduling;                    /* a thread schedules; no other may */
    bool is_submitting;                    /* ... and is in an engine's submit or cancel */
    bool is_asleep;                        /* the scheduler's thread sleeps, and no engine has woken it */
    bool sleeps_without_timeout;           /* ... without a timeout */
    uint32_t pending_count, running_count; /* of all rings */
    bool has_reported_hang;
    struct vc4vk_fault fault;
    uint64_t turns;                /* entries that were submitted to engines, the host's excepted */
    struct util_list free_entries; /* for the next submissions */
    uint32_t submit_waiters;       /* threads that want to be woken when an engine has taken an entry */
    struct vc4vk_job_counts counts;
    struct vc4vk_perf perf;
};

struct vc4vk_context_create {
    uint32_t family, index;
    float priority;
};

/* `contexts` has an element for each of `creates`; the scheduler sorts neither. */
VkResult vc4vk_scheduler_init(struct vc4vk_scheduler *scheduler, struct kmd_device *kmd,
                              struct vc4vk_context *const *contexts, const struct vc4vk_context_create *creates,
                              uint32_t count);
/* Finishes all work and ends the threads. A zeroed struct is accepted, and one that has stopped already. */
void vc4vk_scheduler_stop(struct vc4vk_scheduler *scheduler);
/* Stops it first. A zeroed struct is accepted. */
void vc4vk_scheduler_finish(struct vc4vk_scheduler *scheduler);
/* Waits until no thread is in an engine's submit. That may be later than the retirement of all work: a thread may still
 * be returning what the build of the last job took (vc4vk_job_build.ended). */
void vc4vk_scheduler_wait_submitted(struct vc4vk_scheduler *scheduler);
/* Whether everything that was submitted has retired. Under the store's lock. */
bool vc4vk_scheduler_has_drained_locked(const struct vc4vk_scheduler *scheduler);

/* Why the device is lost. Right after the loss it waits until that is known. */
struct vc4vk_fault vc4vk_scheduler_fault(struct vc4vk_scheduler *scheduler);

/* Whether the kernel has the job of this value, so that its fence signals exactly when the value retires. Under the
 * store's lock. */
bool vc4vk_ring_has_kernel_job_locked(const struct vc4vk_ring *ring, uint64_t value);

/* -- debug output ------------------------------------------------------------------------------------------------- */

/* VC4VK_DEBUG=perf: counts a present and its duration. From any thread. */
void vc4vk_perf_present(struct vc4vk_scheduler *scheduler, uint64_t ns);
/* VC4VK_TRACE: renames the context's track; adds a label of the queue. */
void vc4vk_trace_context_name_locked(const struct vc4vk_context *context);
void vc4vk_trace_context_label(const struct vc4vk_context *context, const char *text, uint64_t begin_ns,
                               uint64_t end_ns);
/* Describes to the frame inspector a job that the recording module itself submits to the CPU engine. */
struct inspect_job vc4vk_inspect_describe(const struct vc4vk_job *job, const struct kmd_submit *submit);

#endif
