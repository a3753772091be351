/* SPDX-License-Identifier: MIT
 *
 * The door of the model: VideoCore IV and the kernel driver in front of it, on the CPU.
 *
 * It speaks the kernel's language: files, ioctls with the structs of vc4_drm.h, GEM handles, mappings, sequence
 * numbers. It knows nothing of the driver that uses it. All functions are thread safe. Errors are negative errno
 * values.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "model/model_stats.h"
#include "util/macros.h"

struct model_device; /* one machine: memory, kernel, chip */
struct model_file;   /* one open file of its render node: a GEM handle space */

struct model_options {
    unsigned threads;        /* that render at the same time; 0 = VC4VK_MODEL_THREADS, else one per processor */
    uint64_t memory_limit_B; /* of all buffer objects; 0 = what 32-bit bus addresses allow */
    uint64_t job_timeout_ns; /* a job past this is a hang; 0 = VC4VK_HANG_MS, else 10 s */
    bool is_private; /* nobody maps its memory but through model_bo_map and what model_bo_export gives: it is cheaper */
};

int model_create(const struct model_options *options, struct model_device **out) UTIL_MUST_CHECK;
/* All files are closed, all jobs finished. NULL is accepted. */
void model_destroy(struct model_device *dev);

int model_open(struct model_device *dev, struct model_file **out) UTIL_MUST_CHECK;
/* Waits for the file's jobs, drops its handles. NULL is accepted. */
void model_close(struct model_file *file);

/* `request` is a DRM_IOCTL_VC4_* or DRM_IOCTL_GEM_CLOSE code. 0, or a negative errno as the kernel would give. */
int model_ioctl(struct model_file *file, unsigned long request, void *arg);

/* The memory of a BO, valid until its last handle is closed. NULL for a bad handle, for a BO that is advised as not
 * needed, and for a shader BO, which nobody may write. `size_B_out` may be NULL. */
void *model_bo_map(struct model_file *file, uint32_t handle, uint64_t *size_B_out);

/* Where a BO lies: the memfd and offset that back it, for sharing and for MIT-SHM-like uses. 0, -ENOENT, or -EINVAL for
 * a program or private memory. The descriptor belongs to the model and lives as long as the device. */
int model_bo_fd(struct model_file *file, uint32_t handle, int *fd_out, uint64_t *offset_B_out);

/* What a mapping of the render node shows at an offset that MMAP_BO gave: the memfd and the offset in it, which belong
 * to the model. -EINVAL when the file has no BO there, or it may not be mapped so (a program, to be written). The BO's
 * memory is handed out again when its last handle is closed: unmap before. */
int model_map_offset(struct model_file *file, uint64_t offset_B, uint64_t size_B, bool is_writable, int *fd_out,
                     uint64_t *fd_offset_B_out);

/* PRIME: a BO as a memfd of its own, which the caller closes. From then on the BO and the memfd's first bytes are the
 * same memory, in every process that imports it. -ENOENT for a bad handle, -EINVAL for a program. */
int model_bo_export(struct model_file *file, uint32_t handle, int *fd_out);
/* Whether a descriptor is such memory, and of how many bytes. */
bool model_is_shared_memory(int fd, uint64_t *size_out_B);
/* The handle of such memory: the one that the file has for it, or a new one. -EINVAL for any other descriptor. */
int model_bo_import(struct model_file *file, int fd, uint32_t *handle_out);

/* Called from the model's own threads, without locks held, when a job of this file starts and when it has finished
 * (its fence is signalled and its sequence number completed). `time_ns` is CLOCK_MONOTONIC. Set before the first
 * submission. Jobs finish in order; a job may start (binning) before an older one that only renders. */
struct model_job_hooks {
    void *data;
    void (*started)(void *data, uint64_t seqno, uint64_t time_ns);
    void (*finished)(void *data, uint64_t seqno, uint64_t time_ns, int status); /* 0 or -ETIMEDOUT for a hang */
};
void model_file_set_job_hooks(struct model_file *file, const struct model_job_hooks *hooks);

/* What the next job that the file submits costs is added to `stats`, until it has finished; NULL: it is not counted
 * after all. One thread submits at a time. */
void model_file_count_next_job(struct model_file *file, struct model_stats *stats);

/* Performance counters that the chip of the model counts as the real one does, a bit for each VC4_PERFCNT_*. It has no
 * cycles and no caches: the others stay 0. */
#define MODEL_COUNTED_EVENTS 0x1e6fu

/* The last reason why an ioctl of this thread was refused, naming the rule; "" when there is none. */
const char *model_last_refusal(void);

/* The QPUs without control lists, as who may write the chip's registers can use them (the kernel lets nobody). Code and
 * uniforms are bus addresses; programs reach every buffer of the machine. See gpu.h for what requests mean. */
struct model_user_request {
    uint32_t code_addr, uniforms_addr;
    uint32_t uniforms_count; /* reading more of them is a fault; 0 and more than 1023: any number */
};
struct model_user_result {
    unsigned completed;      /* requests */
    uint32_t interrupts;     /* a bit for each QPU that raised the host interrupt */
    uint32_t stray_accesses; /* of VPM DMA, to memory that is not there */
    uint64_t run_ns;         /* of an engine: the most processor time that a thread has spent on it */
    const char *message;     /* static text: why it failed, or NULL */
};
/* Runs the programs to their ends, at the same time as jobs if there are any. 0, -ETIMEDOUT for a hang or a fault,
 * -ENOMEM. */
int model_run_user_programs(struct model_file *file, const struct model_user_request *requests, unsigned count,
                            struct model_user_result *result_out) UTIL_MUST_CHECK;
/* Bus address of a BO, valid until its last handle is closed. 0 or -ENOENT. */
int model_bo_address(struct model_file *file, uint32_t handle, uint32_t *addr_out) UTIL_MUST_CHECK;

/* -- the CPU engine ----------------------------------------------------------------------------------------------- */

/* The same QPUs without a machine around them, on any memory of this process: jobs that the chip cannot run
 * (docs/cpu-engine.md). An engine runs one job at a time, on threads of the pool; callers wait for their turn. */
struct model_engine;

#define MODEL_ENGINE_QPUS 16u /* of each thread of an engine */

struct model_engine_range { /* may be touched */
    uint32_t addr, size_B;
};

struct model_engine_job {
    void *memory; /* address A lies at memory + A, within the ranges */
    const struct model_engine_range *ranges; /* in any order, apart from each other */
    unsigned range_count;
    const struct model_user_request *requests; /* no program writes the 4 kB pages that code lies in */
    unsigned request_count;
    unsigned group; /* so many requests, one behind the other, run together and share semaphores; 0, 1: none do. At most
                       12 */
    /* Limits of the processor time of each thread that runs it. */
    uint64_t group_timeout_ns; /* of a group, or of 16 requests without one */
    uint64_t timeout_ns;       /* of all that the thread runs of it */
    struct model_stats *stats; /* what it costs is added; NULL: nothing is counted */
};

/* `threads`: 0 = VC4VK_MODEL_THREADS, else one per processor. 0 or -ENOMEM. */
int model_engine_create(unsigned threads, struct model_engine **out) UTIL_MUST_CHECK;
/* Programs may read any QPU number below this. */
unsigned model_engine_qpu_count(const struct model_engine *engine);
void model_engine_destroy(struct model_engine *engine); /* NULL is accepted */
/* Runs a job to its end. 0, -ETIMEDOUT for a hang or a fault, -ENOMEM, -EINVAL for a group that is too large. */
int model_engine_run(struct model_engine *engine, const struct model_engine_job *job,
                     struct model_user_result *result_out) UTIL_MUST_CHECK;

/* A job with control lists whose programs may do all that requests may. What the kernel does for a job is done here, by
 * the same rules, but for those about programs, their texture words and stores: code lies in ordinary memory, so do
 * uniforms, whose addresses the records hold, and the job may store no surface. */
struct drm_vc4_submit_cl;
struct model_engine_lists {
    void *memory;
    const struct model_engine_range *ranges; /* first the BO table */
    unsigned range_count;
    const struct drm_vc4_submit_cl *submit; /* handles and synchronisation are not looked at */
    const struct model_engine_range *kept_stores; /* of programs: elsewhere they are dropped; NULL: all are kept */
    unsigned kept_count;
    bool drops_binning_stores_only; /* ... of coordinate programs, only */
    struct model_engine_range lists,
        binner; /* memory for the job alone, not touched by others while it runs; in ranges */
    uint64_t timeout_ns;
    struct model_stats *stats; /* as above */
};

/* Bytes that `lists` must have. */
uint32_t model_engine_lists_B(const struct drm_vc4_submit_cl *submit);
#define MODEL_ENGINE_BINNER_B (16u << 20) /* for the largest jobs */
/* As model_engine_run; -EINVAL with model_last_refusal for lists that break a rule, -ENOMEM also when binner memory is
 * too small. */
int model_engine_run_lists(struct model_engine *engine, const struct model_engine_lists *job,
                           struct model_user_result *result_out) UTIL_MUST_CHECK;

/* Tests: called between binning and rendering of every job, with the used part of tile allocation memory. */
void model_set_bin_done_hook(struct model_device *dev,
                             void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots),
                             void *data);

#endif
