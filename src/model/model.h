/* SPDX-License-Identifier: MIT
 *
 * Public header of the model, which emulates VideoCore IV and its kernel driver on the CPU.
 *
 * The interface is the kernel's: files, ioctls with the structs of vc4_drm.h, GEM handles, mappings, sequence numbers.
 * The model does not depend on the driver that uses it. All functions are thread safe. Errors are negative errno
 * values.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "model/model_stats.h"
#include "util/macros.h"

struct model_device; /* an emulated machine: memory, kernel, chip */
struct model_file;   /* an open file of its render node, with a GEM handle space */

struct model_options {
    unsigned threads;        /* rendering threads; 0 = VC4VK_MODEL_THREADS, else one per processor */
    uint64_t memory_limit_B; /* for all buffer objects together; 0 = what 32-bit bus addresses allow */
    uint64_t job_timeout_ns; /* a job that runs longer is a hang; 0 = VC4VK_HANG_MS, else 10 s */
    bool is_private;         /* memory is mapped only through model_bo_map() and exported BOs: makes it cheaper */
    bool checks_addresses;   /* pointers in arguments may be bad; they give -EFAULT, for a system call each */
};

int model_create(const struct model_options *options, struct model_device **out) UTIL_MUST_CHECK;
/* All files must be closed and all jobs finished. NULL is accepted. */
void model_destroy(struct model_device *dev);

int model_open(struct model_device *dev, struct model_file **out) UTIL_MUST_CHECK;
/* Waits for the file's jobs, drops its handles. NULL is accepted. */
void model_close(struct model_file *file);

/* `request` is a DRM_IOCTL_VC4_* or DRM_IOCTL_GEM_CLOSE code. 0, or the negative errno that the kernel would return. */
int model_ioctl(struct model_file *file, unsigned long request, void *arg);

/* Pointer to a BO's memory, valid until its last handle is closed. NULL for a bad handle, for a BO marked DONTNEED, and
 * for a shader BO, which is read-only. `size_B_out` may be NULL. */
void *model_bo_map(struct model_file *file, uint32_t handle, uint64_t *size_B_out);

/* Where in the device's address space a BO lies. The ioctl takes the lowest free addresses. A driver that gives some
 * BOs to others by address can keep them apart in the upper part; imported BOs lie there too, unless it is full. */
enum model_place {
    MODEL_PLACE_LOWEST,
    MODEL_PLACE_UPPER, /* the lowest address in the upper part */
    MODEL_PLACE_TOP,   /* the highest address in the upper part */
};
/* As DRM_IOCTL_VC4_CREATE_BO. `addr`: exactly there, if it is not 0. -ENOMEM also if the place has no room. */
int model_bo_create(struct model_file *file, uint32_t size_B, enum model_place where, uint32_t addr,
                    uint32_t *handle_out) UTIL_MUST_CHECK;
uint32_t model_upper_addr(const struct model_file *file); /* its first address */

/* The memfd and offset that back a BO, for sharing and for uses such as MIT-SHM. 0, -ENOENT, or -EINVAL for a shader BO
 * or private memory. The descriptor belongs to the model and lives as long as the device. */
int model_bo_fd(struct model_file *file, uint32_t handle, int *fd_out, uint64_t *offset_B_out);

/* The memfd, which belongs to the model, and the offset in it to map for an offset that MMAP_BO returned. -EINVAL if no
 * BO starts there, the size exceeds it, or the mapping is not allowed (of a shader BO for writing, for example);
 * -EACCES if the BO is of another file. The BO's memory is reused once its last handle is closed, so unmap it before.
 */
int model_map_offset(struct model_file *file, uint64_t offset_B, uint64_t size_B, bool is_writable, int *fd_out,
                     uint64_t *fd_offset_B_out);

/* PRIME export: moves the BO to a memfd of its own, if it has none yet, and returns a descriptor that the caller
 * closes. From then on the BO shares the memfd's memory with every process that imports it. `is_read_only` counts at
 * the first export: descriptors can then not be mapped for writing. -ENOENT for a bad handle, -EINVAL for a shader BO.
 */
int model_bo_export(struct model_file *file, uint32_t handle, bool is_read_only, int *fd_out);
/* Whether a descriptor is such a memfd, and the size of the memory. */
bool model_is_shared_memory(int fd, uint64_t *size_out_B);
/* Whether a range of such a memfd may be mapped. */
bool model_may_map_shared(int fd, uint64_t offset_B, uint64_t size_B);
/* PRIME import: returns the handle that the file already has for the memory, or a new one. -EBADF if the
 * descriptor is not open, -EINVAL for any other descriptor. */
int model_bo_import(struct model_file *file, int fd, uint32_t *handle_out);

/* A buffer whose memory is the program's own, at `host`; address and size are multiples of model_host_align_B().
 * -EINVAL for others and for memory of the device, -EFAULT if the program may not read and write all of it. Another
 * thread that writes to the memory during the call may lose what it writes. */
uint32_t model_host_align_B(void);
int model_bo_import_host(struct model_file *file, void *host, uint32_t size_B, uint32_t *handle_out);
/* Waits for the jobs that use such a buffer and gives the memory back; the buffer then has zeros. */
void model_bo_end_host(struct model_file *file, uint32_t handle);

/* Called from the model's own threads, without locks held, when a job of this file starts and when it has finished
 * (its fence is signalled and its sequence number completed). `time_ns` is CLOCK_MONOTONIC. Set before the first
 * submission. Jobs finish in order; a job may start (binning) before an older one that only renders. */
struct model_job_hooks {
    void *data;
    void (*started)(void *data, uint64_t seqno, uint64_t time_ns);
    void (*finished)(void *data, uint64_t seqno, uint64_t time_ns, int status); /* 0, -ETIMEDOUT: hang, -ENOMEM */
    /* For syncobjs, which the model leaves to its owner; called by the submitting thread. Without them no handle is
     * valid. The first waits for in_sync's fence: 0, -ENOENT for a bad handle, or -EINVAL if there is no fence. */
    int (*wait_sync)(void *data, uint32_t handle);
    bool (*has_sync)(void *data, uint32_t handle);
};
void model_file_set_job_hooks(struct model_file *file, const struct model_job_hooks *hooks);

/* Adds the costs of the next job that the file submits to `stats`, which is in use until the job has finished. NULL
 * cancels the request. Only one thread may submit at a time while it is pending. */
void model_file_count_next_job(struct model_file *file, struct model_stats *stats);

/* The performance counters that the model implements, a bit for each VC4_PERFCNT_*. It has no cycles and no caches, so
 * the others stay 0. */
#define MODEL_COUNTED_EVENTS 0x1e6fu

/* Why the last ioctl of this thread was refused, starting with the rule; "" if it was not. */
const char *model_last_refusal(void);

/* User programs: run on the QPUs without control lists, as code with access to the chip's registers can (the kernel has
 * no such ioctl). Code and uniforms are bus addresses; programs can access every buffer of the device. See gpu.h for
 * the meaning of requests. */
struct model_user_request {
    uint32_t code_addr, uniforms_addr;
    uint32_t uniforms_count; /* reading more is a fault; 0 or more than 1023: no limit */
};
struct model_user_result {
    unsigned completed;      /* number of finished requests */
    uint32_t interrupts;     /* a bit for each QPU that raised the host interrupt */
    uint32_t stray_accesses; /* VPM DMA accesses to unmapped memory */
    uint64_t run_ns;         /* CPU engine only: the largest processor time of any thread */
    const char *message;     /* static text: why it failed, or NULL */
};
/* Runs the programs to completion, concurrently with any jobs. 0, -ETIMEDOUT for a hang or a fault, -ENOMEM. */
int model_run_user_programs(struct model_file *file, const struct model_user_request *requests, unsigned count,
                            struct model_user_result *result_out) UTIL_MUST_CHECK;
/* Bus address of a BO, valid until its last handle is closed. 0 or -ENOENT. */
int model_bo_address(struct model_file *file, uint32_t handle, uint32_t *addr_out) UTIL_MUST_CHECK;

/* -- the CPU engine ----------------------------------------------------------------------------------------------- */

/* Runs QPU programs on any memory of this process, without a device: jobs that the chip cannot run
 * (docs/cpu-engine.md). An engine runs one job at a time, on threads of the pool; other callers wait for their turn. */
struct model_engine;

struct model_engine_range { /* memory that programs may access */
    uint32_t addr, size_B;
};

struct model_engine_job {
    void *memory; /* address A lies at memory + A, within the ranges */
    const struct model_engine_range *ranges; /* in any order, disjoint */
    unsigned range_count;
    const struct model_user_request *requests; /* programs must not write the 4 kB pages that contain code */
    unsigned request_count;
    unsigned group; /* so many consecutive requests run together and share semaphores; at most 64; 0, 1: no groups */
    /* Limits of the processor time of each thread. */
    uint64_t group_timeout_ns; /* for a group, or for 16 requests without groups */
    uint64_t timeout_ns;       /* for everything that the thread runs of the job */
    const struct model_engine_range *kept_stores; /* programs' stores elsewhere are dropped; NULL: all are kept */
    unsigned kept_count;
    struct model_stats *stats; /* the costs are added to it; NULL: not counted */
};

/* `threads`: 0 = VC4VK_MODEL_THREADS, else one per processor. 0 or -ENOMEM. */
int model_engine_create(unsigned threads, struct model_engine **out) UTIL_MUST_CHECK;
/* The QPU numbers that programs can read are below this; with groups of more than 16 requests, below this times a
 * sixteenth of the group's size, rounded up. */
unsigned model_engine_qpu_count(const struct model_engine *engine);
void model_engine_destroy(struct model_engine *engine); /* NULL is accepted */
/* Runs a job to completion. 0, -ETIMEDOUT for a hang or a fault, -ENOMEM, -EINVAL for a group that is too large. */
int model_engine_run(struct model_engine *engine, const struct model_engine_job *job,
                     struct model_user_result *result_out) UTIL_MUST_CHECK;

/* A job with control lists, whose programs may do everything that requests may. It is validated and relocated by the
 * kernel's rules, except those about programs, their texture words and stores: code and uniforms are in ordinary
 * memory, the shader records contain the uniforms' addresses, and the job need not store a surface. */
struct drm_vc4_submit_cl;
struct model_engine_lists {
    void *memory;
    const struct model_engine_range *ranges; /* the first ones are the BO table */
    unsigned range_count;
    const struct drm_vc4_submit_cl *submit;       /* handles and synchronisation are ignored */
    const struct model_engine_range *kept_stores; /* programs' stores elsewhere are dropped; NULL: all are kept */
    unsigned kept_count;
    bool drops_binning_stores_only;             /* drop stores of coordinate programs only */
    struct model_engine_range lists, binner; /* memory for this job's exclusive use while it runs; within `ranges` */
    uint64_t timeout_ns;
    struct model_stats *stats;   /* as above */
    struct model_counts *counts; /* is added to; or NULL */
};

/* The size that `lists` must have. */
uint32_t model_engine_lists_B(const struct drm_vc4_submit_cl *submit);
#define MODEL_ENGINE_BINNER_B (16u << 20) /* for the largest jobs */
/* As model_engine_run(). Also -EINVAL, with model_last_refusal(), for lists that break a rule, and -ENOMEM if the
 * binner memory is too small. */
int model_engine_run_lists(struct model_engine *engine, const struct model_engine_lists *job,
                           struct model_user_result *result_out) UTIL_MUST_CHECK;

/* For tests: the hook is called between binning and rendering of every job, with the tile allocation memory and the
 * number of binner slots used. */
void model_set_bin_done_hook(struct model_device *dev,
                             void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots),
                             void *data);

#endif
