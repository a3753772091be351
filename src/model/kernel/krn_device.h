/* SPDX-License-Identifier: MIT
 *
 * Private header of the model's kernel half: the device (memory, chip, binner memory, job queues), open files with
 * their handles, and buffer objects.
 */
#ifndef KRN_DEVICE_H
#define KRN_DEVICE_H

#include <sys/stat.h>
#include <vc4_drm.h>
#include "model/kernel/krn_memory.h"
#include "model/kernel/krn_refuse.h"
#include "model/kernel/krn_shader.h"
#include "model/model.h"
#include "util/thread.h"

#define KRN_BIN_SLOTS  32u
#define KRN_MAX_QUEUED 8u /* unfinished jobs; each holds a binner slot, and slots must be left for overflow */

enum krn_bo_kind {
    KRN_BO_USER,
    KRN_BO_SHADER,
    KRN_BO_KERNEL, /* control lists, binner memory: has no handle */
};

/* A value of krn_bo.madv: the contents are lost. */
#define KRN_MADV_PURGED 2

struct krn_bo {
    struct model_device *dev;
    struct util_list link; /* in model_device.bos, unless it is of KRN_BO_KERNEL; under dev->lock */
    uint32_t addr, size_B;
    enum krn_bo_kind kind;
    unsigned refs;             /* atomic */
    struct krn_shader *shader; /* of KRN_BO_SHADER, owned */
    /* Under dev->lock: */
    uint64_t last_seqno;  /* of the last job that has it in its table; 0: none */
    uint64_t write_seqno; /* of the last job that stores to it */
    uint64_t modifier;
    uint8_t madv;                 /* VC4_MADV_*, KRN_MADV_PURGED */
    uint32_t job_users;           /* jobs being validated, queued or run that use it */
    uint64_t table;               /* number of the last table of buffers that it was found in */
    struct util_list purge_link;  /* in the device's list while madv is DONTNEED */
    bool is_read_only;            /* exports are; if shared_fd >= 0 */
    int shared_fd;                /* its own memfd once it is shared (krn_share.c), owned; -1: in the device's memory */
    struct util_list shared_link; /* in model_device.shared if shared_fd >= 0 */
    void *host;                   /* where the program has this memory, if it is its own (krn_host.c); NULL otherwise */
    bool is_sparse;               /* its blocks show memory of other BOs (krn_sparse.c); constant */
    bool keeps_range;             /* its address range cannot be given back; set by `end` */
    void (*end)(struct krn_bo *bo); /* called before the BO is freed, if its memory is not the device's; or NULL */
    char label[32];
};

struct krn_perfmon {
    struct util_list link;
    uint32_t id;
    uint32_t refs; /* the file's, and one per job that counts with it; under the file's lock */
    uint32_t counters;
    uint8_t event[DRM_VC4_MAX_PERF_COUNTERS];
    uint64_t value[DRM_VC4_MAX_PERF_COUNTERS]; /* sums over finished jobs */
};

struct krn_job;

/* A stage of the chip's job pipeline, like one thread of its control-list executor. Jobs pass through `binning`, then
 * `rendering`; each stage runs one job at a time. All fields under dev->lock. */
struct krn_stage {
    struct util_list jobs; /* of struct krn_job, oldest first */
    bool is_busy;          /* it runs a job, which is no longer in the list */
};

struct model_device {
    struct krn_memory mem;
    struct gpu *gpu;
    uint64_t job_timeout_ns;
    bool checks_addresses;
    struct util_list bos;    /* of krn_bo.link, under the lock */
    struct util_list shared; /* of krn_bo.shared_link, under the lock */
    struct krn_bo *binner;   /* created on first use, under the lock */

    pthread_mutex_t lock;
    pthread_cond_t finished; /* a job is finished, a binner slot is free */
    struct krn_stage binning, rendering;
    pthread_t threads[2]; /* each runs either stage; the second is started when it is first useful */
    uint32_t thread_count, idle_threads;
    pthread_cond_t work;       /* idle threads wait here */
    bool has_no_second_thread; /* it could not be started */
    bool stopping;
    uint64_t last_seqno; /* of the last job that was queued */
    uint64_t finished_seqno;
    uint64_t write_seqno, sparse_write_seqno; /* of the last job that stores to any BO, to a sparse one; 0: none */
    uint32_t unfinished_jobs;
    uint32_t rendering_jobs;    /* those of them that are past binning */
    uint32_t busy_slots;        /* one bit per binner slot */
    uint64_t last_table;        /* see krn_bo.table */
    struct util_list purgeable; /* of struct krn_bo, the one marked first comes first */
    void (*bin_done)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots);
    void *bin_done_data;
};

struct model_file {
    struct model_device *dev;
    struct model_job_hooks hooks;

    pthread_mutex_t lock;
    struct krn_bo **handles; /* handle h is handles[h - 1]; NULL = free */
    uint32_t handle_capacity;
    uint32_t first_free;       /* no free handle index below it */
    struct util_list perfmons; /* by id */

    uint32_t unfinished_jobs;       /* under dev->lock; decremented after the finished hook has returned */
    struct model_stats *count_next; /* statistics of the next job, or NULL; used by the submitting thread */
};

/* -- krn_bo.c -- */

int krn_bo_create(struct model_device *dev, uint32_t size_B, enum krn_bo_kind kind, const struct krn_place *place,
                  struct krn_bo **out) UTIL_MUST_CHECK;
int krn_bo_create_aligned(struct model_device *dev, uint32_t size_B, uint32_t align_B, enum krn_bo_kind kind,
                          const struct krn_place *place, struct krn_bo **out) UTIL_MUST_CHECK;
struct krn_bo *krn_bo_ref(struct krn_bo *bo);
void krn_bo_unref(struct krn_bo *bo); /* NULL is accepted */
void *krn_bo_ptr(const struct krn_bo *bo);
/* Whether a job may use its contents: it is needed, or something else keeps it from being purged. Under dev->lock. */
bool krn_bo_is_kept_locked(const struct krn_bo *bo);

/* Takes over the caller's reference, also on failure. 0 or -ENOMEM. */
int krn_handle_create(struct model_file *file, struct krn_bo *bo, uint32_t *handle_out) UTIL_MUST_CHECK;
/* A new reference, or NULL for a bad handle. */
struct krn_bo *krn_handle_lookup(struct model_file *file, uint32_t handle);
/* The handle of a BO, 0 when the file has none; the BO at a bus address, with a reference, or NULL. */
uint32_t krn_handle_find(struct model_file *file, const struct krn_bo *bo);
struct krn_bo *krn_handle_find_addr(struct model_file *file, uint32_t addr);
int krn_handle_close(struct model_file *file, uint32_t handle);
void krn_handles_finish(struct model_file *file);

int krn_ioctl_create_bo(struct model_file *file, struct drm_vc4_create_bo *args);
int krn_ioctl_create_shader_bo(struct model_file *file, struct drm_vc4_create_shader_bo *args);
int krn_ioctl_mmap_bo(struct model_file *file, struct drm_vc4_mmap_bo *args);
int krn_ioctl_set_tiling(struct model_file *file, struct drm_vc4_set_tiling *args);
int krn_ioctl_get_tiling(struct model_file *file, struct drm_vc4_get_tiling *args);
int krn_ioctl_label_bo(struct model_file *file, struct drm_vc4_label_bo *args);
int krn_ioctl_gem_madvise(struct model_file *file, struct drm_vc4_gem_madvise *args);

/* -- krn_share.c -- */

/* Write and read what other objects of the same memory must know: the modifier and madv. Under dev->lock. */
void krn_share_store_locked(const struct krn_bo *bo);
void krn_share_load_locked(struct krn_bo *bo);
/* The buffer's memory is a file from now on, a memfd or a dma-buf, which is already mapped. The buffer owns `fd`. Under
 * dev->lock. */
void krn_share_add_locked(struct krn_bo *bo, int fd, bool is_read_only);
/* A reference to the buffer whose memory is this file, or NULL. */
struct krn_bo *krn_share_find(struct model_device *dev, const struct stat *wanted);

/* -- krn_binner.c -- */

int krn_binner_ensure(struct model_device *dev) UTIL_MUST_CHECK;
/* Allocates a slot: returns its bus address and sets its bit in `slots`. If none is free, waits for finishing jobs to
 * free theirs, as long as the job counter `*jobs` of `dev` is not 0; then fails with -ENOMEM. */
int krn_binner_get_slot(struct model_device *dev, const uint32_t *jobs, uint32_t *slots,
                        uint32_t *addr_out) UTIL_MUST_CHECK;
void krn_binner_put_slots(struct model_device *dev, uint32_t slots);

/* -- krn_perfmon.c -- */

int krn_ioctl_perfmon_create(struct model_file *file, struct drm_vc4_perfmon_create *args);
int krn_ioctl_perfmon_destroy(struct model_file *file, struct drm_vc4_perfmon_destroy *args);
int krn_ioctl_perfmon_get_values(struct model_file *file, struct drm_vc4_perfmon_get_values *args);
/* A reference to a monitor of the file, or NULL. */
struct krn_perfmon *krn_perfmon_get(struct model_file *file, uint32_t id);
/* Adds a job's event counts. */
void krn_perfmon_add(struct model_file *file, struct krn_perfmon *perfmon,
                     const uint64_t counts[VC4_PERFCNT_NUM_EVENTS]);
void krn_perfmon_put(struct model_file *file, struct krn_perfmon *perfmon); /* NULL is accepted */
void krn_perfmons_finish(struct model_file *file);

/* -- krn_submit.c, krn_sched.c -- */

int krn_ioctl_submit_cl(struct model_file *file, struct drm_vc4_submit_cl *args);
int krn_ioctl_wait_seqno(struct model_file *file, const struct drm_vc4_wait_seqno *args);
int krn_ioctl_wait_bo(struct model_file *file, const struct drm_vc4_wait_bo *args);
int krn_sched_init(struct model_device *dev) UTIL_MUST_CHECK;
void krn_sched_finish(struct model_device *dev);
/* Waits until all jobs of the file are finished and their hooks have returned. */
void krn_sched_drain(struct model_file *file);

#endif
