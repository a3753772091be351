/* SPDX-License-Identifier: MIT
 *
 * Public header of kmd: the kernel interface that the driver uses, over one of two backends (the model, the vc4 DRM
 * driver).
 *
 * Its objects are the kernel's: buffer objects and submissions, and timelines whose words tell how far the device has
 * come. No other module asks a kernel whether a job is done: when a job retires, the backend's thread stores the
 * timeline words and wakes the waiters. All functions are thread safe unless they say otherwise. Errors are negative
 * errno values.
 */
#ifndef KMD_KMD_H
#define KMD_KMD_H

#include <pthread.h>
#include <stdatomic.h>
#include "util/list.h"
#include "util/macros.h"

struct model_stats; /* model/model_stats.h */
struct kmd_backend;
struct kmd_device;
struct kmd_bo;

/* -- devices ------------------------------------------------------------------------------------------------------ */

#define KMD_MAX_DEVICES 4

struct kmd_info {
    bool is_model;           /* the functional model on the CPU (also behind the DRM shim), otherwise the chip */
    char name[64];           /* "model", or the DRM driver with its node */
    uint32_t ident[3];       /* V3D_IDENT0..2 */
    uint64_t memory_B;       /* limit for all buffer objects together: the size of the memory heap */
    bool has_sync_files;     /* a real kernel exports the fences of jobs */
    bool has_dma_bufs;       /* buffer objects are exported and imported as dma-bufs */
    uint64_t dma_buf_max_B;  /* the largest that can be exported; 0: no limit, or unknown */
    uint32_t host_align_B;   /* of host memory to import; 0: it cannot be imported */
    uint32_t sparse_block_B; /* size and alignment of blocks of sparse BOs; 0: there are none */
    uint8_t device_uuid[16]; /* the same for the same device in every process of one boot */
};

/* A device found by enumeration, which can be opened. Plain data: may be copied. */
struct kmd_physical {
    const struct kmd_backend *backend;
    char path[64]; /* of the device node; "" for the model */
    struct kmd_info info;
    /* Set by the caller before kmd_open(), to create sparse BOs. On the model the first touch of a page of any BO then
     * takes about twice as long. */
    bool wants_sparse;
};

/* Fills `out` with the chips or, if there are none, the model, and returns the number of devices.
 * VC4VK_DEVICE=drm|model|/dev/dri/renderDN restricts the choice; if it names a device that does not exist, there are
 * none, and one line on stderr (once per process) says so. */
uint32_t kmd_enumerate(struct kmd_physical out[KMD_MAX_DEVICES]);

int kmd_open(const struct kmd_physical *physical, struct kmd_device **out) UTIL_MUST_CHECK;
/* All buffer objects must have been released and all jobs finished. NULL is accepted. */
void kmd_close(struct kmd_device *dev);

/* Memory of all referenced buffer objects. Cached ones do not count: they are freed when memory is short. */
uint64_t kmd_memory_used_B(const struct kmd_device *dev);
/* Memory that the system still has for buffer objects of all processes. */
uint64_t kmd_memory_free_B(const struct kmd_info *info);

/* -- timelines ---------------------------------------------------------------------------------------------------- */

#define KMD_MAX_TIMELINES 32

/* The progress of one queue's work. Both words only ever grow. Only kmd stores them; any thread may read them without a
 * lock. */
struct kmd_timeline {
    struct kmd_device *dev;
    uint32_t index;         /* in the device's store */
    _Atomic uint64_t start; /* highest value whose work has reached the head of the device */
    _Atomic uint64_t end;   /* everything up to this value has finished */
    uint64_t pending_end;   /* value for `end` once kmd_test_hold_retire() ends; under the store's lock */
};

/* -ENOSPC when all KMD_MAX_TIMELINES are in use. Both words start at 0, or at the final value of a destroyed timeline
 * in the same slot: the first value to use is end + 1. */
int kmd_timeline_create(struct kmd_device *dev, struct kmd_timeline **out) UTIL_MUST_CHECK;
/* All its work must have finished. NULL is accepted. */
void kmd_timeline_destroy(struct kmd_timeline *timeline);

static inline bool kmd_timeline_is_retired(const struct kmd_timeline *timeline, uint64_t value)
{
    return atomic_load_explicit(&timeline->end, memory_order_acquire) >= value;
}

/* For work that does not go to a kernel (CPU operations, markers): stores the word; the end word also wakes all
 * waiters. All earlier work on this timeline must have finished. */
void kmd_timeline_store_start(struct kmd_timeline *timeline, uint64_t value);
void kmd_timeline_store_end(struct kmd_timeline *timeline, uint64_t value);
/* The same with the store's lock held, and without waking waiters. */
void kmd_timeline_store_start_locked(struct kmd_timeline *timeline, uint64_t value);
void kmd_timeline_store_end_locked(struct kmd_timeline *timeline, uint64_t value);

/* The timelines of a device, with the lock and condition for all waits on words or on anything that changes along with
 * them: lock, check, wait, check again. The lock is never held while a kernel is called. */
struct kmd_store {
    pthread_mutex_t mutex;
    pthread_cond_t cond;       /* anything has changed. Timed waits use CLOCK_MONOTONIC (util_cond_wait_until) */
    pthread_cond_t words_cond; /* for threads that wait for words only */
    bool is_held;              /* test hook: end words do not advance */
    uint32_t general_waiters;  /* threads in kmd_store_wait_locked() */
    uint64_t wanted[KMD_MAX_TIMELINES]; /* smallest end word that a thread waits for; UINT64_MAX: none */
    struct kmd_timeline timelines[KMD_MAX_TIMELINES];
    uint32_t used_timelines; /* bit per timeline */
    const struct kmd_timeline *hung_timeline; /* of the first job that hung; NULL: none has */
    uint64_t hung_value;
};

struct kmd_store *kmd_device_store(struct kmd_device *dev);

/* Waits until anything changes. False when the deadline has passed. */
bool kmd_store_wait_locked(struct kmd_store *store, uint64_t deadline_ns);
/* Waits for timeline words only, so that other changes need not wake the thread. Call kmd_timeline_watch_locked() for
 * each end word before every wait. */
void kmd_timeline_watch_locked(struct kmd_timeline *timeline, uint64_t value);
bool kmd_store_wait_for_words_locked(struct kmd_store *store, uint64_t deadline_ns);
/* Wakes the threads that wait for words if the timeline's new end word may concern one of them, and those in
 * kmd_store_wait_locked(). */
void kmd_timeline_wake_locked(struct kmd_timeline *timeline);
/* Wakes every thread that waits on the store: what words mean has changed. */
void kmd_store_wake_all_locked(struct kmd_store *store);

/* A job hung or the device is gone. Setting it wakes all waiters; it is never cleared. */
bool kmd_device_is_lost(const struct kmd_device *dev);
void kmd_device_set_lost(struct kmd_device *dev);

/* -- buffer objects ----------------------------------------------------------------------------------------------- */

/* Where a BO lies in the CPU engine's address space. The upper seven eighths are for memory of the application, so
 * that programs with 64-bit addresses reach nothing else (docs/cpu-engine.md). */
enum kmd_place {
    KMD_PLACE_DRIVER, /* the lowest free address */
    KMD_PLACE_MEMORY, /* the lowest free address in the upper part; kmd_part_create() and imports too */
    KMD_PLACE_REPLAY, /* the highest free address. A later run may ask for it, so these BOs keep apart, and are not
                       * cached */
};

struct kmd_bo {
    struct kmd_device *dev;
    _Atomic uint32_t refs;
    uint32_t handle;
    uint32_t size_B; /* as allocated: whole pages, may exceed the requested size */
    bool is_shader;
    bool is_sparse;
    uint8_t place;       /* enum kmd_place */
    uint32_t place_addr; /* asked for; 0: none */
    _Atomic bool is_shared; /* exported or imported: never recycled */
    /* Of the model, whose dma-bufs are not its own objects: that of the BO, once it has been exported or if it was
     * imported; else -1. Set once, under kmd_device.shared_mutex; lives as long as the BO. */
    _Atomic int dma_buf_fd;
    bool owns_dma_buf_fd;   /* closed with the BO; else the model does it */
    void *_Atomic map;      /* NULL until mapped (kmd_bo_map); readable and writable, lives as long as the BO */
    _Atomic uint64_t last_use[KMD_MAX_TIMELINES]; /* value per timeline; not recycled before all of them retire */
    struct util_list bucket_link; /* while cached: in its bucket. This and the next three are under the cache's lock */
    struct util_list age_link;    /* while cached: in the list by age */
    uint64_t cached_ns;           /* when it was given to the cache */
    bool is_purgeable;            /* while cached: marked DONTNEED, so the kernel may purge it */
    struct util_list shared_link; /* in kmd_device.shared while is_shared */
};

/* Takes a BO from the cache if possible. The contents are undefined, but never another process's. `label` is static
 * text for debugging. */
int kmd_bo_create(struct kmd_device *dev, uint64_t size_B, const char *label, struct kmd_bo **out) UTIL_MUST_CHECK;
/* A BO with a program, which the kernel validates; `size_B` is a multiple of 8. -EINVAL: the program breaks a rule,
 * which kmd_last_refusal() names. */
int kmd_bo_create_shader(struct kmd_device *dev, const uint64_t *code, uint32_t size_B,
                         struct kmd_bo **out) UTIL_MUST_CHECK;

static inline struct kmd_bo *kmd_bo_ref(struct kmd_bo *bo)
{
    atomic_fetch_add_explicit(&bo->refs, 1, memory_order_relaxed);
    return bo;
}

/* Dropping the last reference moves the BO to the cache, even if the device still uses it, or closes it if it is
 * shared. NULL is accepted. */
void kmd_bo_unref(struct kmd_bo *bo);

/* The mapping, created on first use and kept. NULL if mapping fails, and for a shader BO. */
void *kmd_bo_map(struct kmd_bo *bo);
void kmd_bo_label(struct kmd_bo *bo, const char *label);

/* A suballocation: small ones are slots of a shared BO (a slab), larger ones have a BO of their own. */
struct kmd_slab;
struct kmd_part {
    struct kmd_bo *bo;     /* must not be exported if slab is set */
    uint32_t offset_B;     /* multiple of 4096 */
    uint32_t size_B;       /* whole pages, may exceed the requested size */
    struct kmd_slab *slab; /* NULL: it has a BO of its own */
};

/* As kmd_bo_create(). `out` is zeroed on failure. */
int kmd_part_create(struct kmd_device *dev, uint64_t size_B, const char *label, struct kmd_part *out) UTIL_MUST_CHECK;
/* The device must not use it any more, as its slot may be reused at once. Zeroes the struct; a zeroed one is
 * accepted. */
void kmd_part_destroy(struct kmd_part *part);
/* NULL if mapping fails. */
static inline void *kmd_part_map(const struct kmd_part *part)
{
    uint8_t *map = kmd_bo_map(part->bo);
    return map ? map + part->offset_B : NULL;
}

/* As kmd_bo_create(). `addr`: exactly there, if it is not 0; -EADDRINUSE if that is not free. */
int kmd_bo_create_at(struct kmd_device *dev, uint64_t size_B, enum kmd_place place, uint32_t addr, const char *label,
                     struct kmd_bo **out) UTIL_MUST_CHECK;

/* A BO without memory of its own: its blocks (kmd_info.sparse_block_B) show memory of other BOs. It does not count as
 * used memory. `addr` as above. -ENOTSUP if the backend cannot or the device was opened without wants_sparse. */
int kmd_bo_create_sparse(struct kmd_device *dev, uint64_t size_B, enum kmd_place place, uint32_t addr,
                         const char *label, struct kmd_bo **out) UTIL_MUST_CHECK;
/* Lets a range of whole pages of a sparse BO show memory of another BO, at once: no work may use the range, nor rely on
 * what it showed. NULL: no memory; what is written there is kept until the next binding, or not. A failure changes
 * nothing: -ENOMEM if the process has too many mappings, -EINVAL for a range outside of a BO, and if `memory` is sparse
 * or the process's own. */
int kmd_bo_bind_sparse(struct kmd_bo *bo, uint32_t offset_B, uint32_t size_B, const struct kmd_bo *memory,
                       uint32_t memory_offset_B) UTIL_MUST_CHECK;

/* Exports a descriptor for kmd_bo_import_fd(), which the caller closes: a dma-buf, or shared memory of the model.
 * -EINVAL for a shader BO and a sparse one, -ENOTSUP if the backend cannot. */
int kmd_bo_export_fd(struct kmd_bo *bo, int *fd_out) UTIL_MUST_CHECK;
/* The same, but always a dma-buf (kmd_info.has_dma_bufs). -EINVAL also for more than kmd_info.dma_buf_max_B. */
int kmd_bo_export_dma_buf(struct kmd_bo *bo, int *fd_out) UTIL_MUST_CHECK;
/* Imports what either function exports, or a dma-buf of another driver. The descriptor stays the caller's. Returns
 * another reference if the device has the BO already. */
int kmd_bo_import_fd(struct kmd_device *dev, int fd, struct kmd_bo **out) UTIL_MUST_CHECK;

/* Whether accesses of the CPU to the BO must begin and end with these calls when other drivers use it as well. */
bool kmd_bo_has_cpu_access(const struct kmd_bo *bo);
/* Waits for the fences of other drivers. Both may be called in any order; a failure is ignored, as in the kernel only
 * an interrupted wait fails. */
void kmd_bo_begin_cpu_access(struct kmd_bo *bo);
void kmd_bo_end_cpu_access(struct kmd_bo *bo);

/* A BO whose memory is the process's own (kmd_info.host_align_B). -EINVAL and -EFAULT as of model_bo_import_host(),
 * -ENOTSUP if the backend cannot. */
int kmd_bo_import_host(struct kmd_device *dev, void *host, uint64_t size_B, struct kmd_bo **out) UTIL_MUST_CHECK;
/* The memory is the process's alone again, which may free it; the BO has zeros as long as it exists. No effect on other
 * BOs. */
void kmd_bo_end_host(struct kmd_bo *bo);

/* The layout that importers of the BO should assume, a DRM format modifier. No effect on jobs. */
int kmd_bo_set_tiling(struct kmd_bo *bo, uint64_t modifier) UTIL_MUST_CHECK;
int kmd_bo_get_tiling(struct kmd_bo *bo, uint64_t *modifier_out) UTIL_MUST_CHECK;
/* `is_needed` false: the kernel may drop the contents when memory is short, and refuses jobs that use the BO.
 * `retained_out`: the contents still exist. */
int kmd_bo_madvise(struct kmd_bo *bo, bool is_needed, bool *retained_out) UTIL_MUST_CHECK;
/* Waits until the kernel has finished all jobs that use the BO, including those of other processes. 0 or -ETIME. */
int kmd_bo_wait(struct kmd_bo *bo, uint64_t timeout_ns) UTIL_MUST_CHECK;

/* Records that work up to (timeline, value) uses the BO. kmd_submit() does this for the BOs of a job. */
void kmd_bo_mark_use(struct kmd_bo *bo, const struct kmd_timeline *timeline, uint64_t value);
bool kmd_bo_is_busy(const struct kmd_bo *bo);

/* Frees BOs that have been in the cache for more than a second. Returns when to call it again; UTIL_FOREVER_NS: never,
 * the cache is empty. */
uint64_t kmd_bo_cache_trim(struct kmd_device *dev);
bool kmd_bo_cache_is_empty(struct kmd_device *dev);
/* Frees all idle BOs of the cache, when memory is short. */
void kmd_bo_cache_drop(struct kmd_device *dev);

/* -- submission --------------------------------------------------------------------------------------------------- */

#define KMD_NO_BO UINT32_MAX

/* A surface to load or store. `bits` and `flags` are those of drm_vc4_submit_rcl_surface. */
struct kmd_surface {
    uint32_t bo_index; /* in the job's BO table; KMD_NO_BO = absent */
    uint32_t offset_B;
    uint16_t bits;
    uint16_t flags; /* enum kmd_surface_flags */
};

enum kmd_surface_flags {
    KMD_SURFACE_FULL_RES = BIT(0), /* loads all samples, as stored by msaa_*_write; bits must be 0 */
};

enum kmd_render_flags {
    KMD_RENDER_USE_CLEAR_COLOR = BIT(0),
    KMD_RENDER_FIXED_ORDER = BIT(1),
    KMD_RENDER_INCREASING_X = BIT(2),
    KMD_RENDER_INCREASING_Y = BIT(3),
};

/* The parameters from which the kernel generates the render list. */
struct kmd_render {
    uint16_t width_px, height_px;
    uint8_t min_x_tl, min_y_tl, max_x_tl, max_y_tl; /* inclusive; tiles of 64x64, 32x32 with 4 samples */
    struct kmd_surface color_read, color_write, zs_read, zs_write, msaa_color_write, msaa_zs_write;
    uint32_t clear_color[2];
    uint32_t clear_z; /* 24 bits */
    uint8_t clear_s;
    uint32_t flags; /* enum kmd_render_flags */
};

/* All surfaces absent, everything else 0. */
void kmd_render_init(struct kmd_render *render);

/* Written by the backend before the end word is stored. */
struct kmd_job_times {
    uint64_t started_ns, finished_ns; /* CLOCK_MONOTONIC; the start is an estimate on hardware */
};

struct kmd_submit {
    const void *bin_cl; /* contiguous; size 0 = render only */
    const void *shader_rec;
    const void *uniforms;
    uint32_t bin_cl_B, shader_rec_B, shader_rec_count, uniforms_B;
    struct kmd_bo *const *bos; /* the BO table, into which all references are indices; not empty */
    uint32_t bo_count;
    struct kmd_render render;
    struct kmd_timeline *timeline; /* `start` becomes `value` when the job starts, `end` when it has finished */
    uint64_t value;
    struct kmd_job_times *times; /* may be NULL; must live until the job has retired */
    bool is_part;                /* more jobs with the same `value` follow, and the last of them stores `end` */
    uint32_t perfmon;            /* performance monitor that counts while the job runs; 0 = none */
    struct model_stats *stats;   /* the job's costs are added before `end` is stored; model only. NULL: not counted */
};

/* Jobs of a device run in the order of submission. `submit`, except its timeline, times and stats, may be freed after
 * the return. -EINVAL: the job breaks a rule of the kernel, which kmd_last_refusal() names. -ENOMEM: try again later.
 * -EIO: the device is lost. */
int kmd_submit(struct kmd_device *dev, const struct kmd_submit *submit) UTIL_MUST_CHECK;

/* A sync file (descriptor of a kernel's fence) that signals when the job with this value has finished. The caller
 * closes it. -ENOENT if the kernel has no such job (any more), -EMFILE, -ENOTSUP if jobs have no fences. */
int kmd_job_sync_file(struct kmd_device *dev, const struct kmd_timeline *timeline, uint64_t value,
                      int *fd_out) UTIL_MUST_CHECK;
/* 0 if the descriptor is a sync file, of any driver, and so can be polled. Otherwise -EINVAL or -ENOTSUP. */
int kmd_sync_file_check(struct kmd_device *dev, int fd) UTIL_MUST_CHECK;

/* Why the last call of this thread was refused; "" if it was not. */
const char *kmd_last_refusal(struct kmd_device *dev);

/* -- the CPU engine ----------------------------------------------------------------------------------------------- */

/* The address of a BO for programs of the CPU engine, fixed for the BO's lifetime. Maps the BO. -EINVAL for a shader
 * BO, -ENOMEM if the engine's address space is full, -ENOTSUP if there is no engine. */
int kmd_bo_engine_addr(struct kmd_bo *bo, uint32_t *addr_out) UTIL_MUST_CHECK;

/* The lowest address of memory of the application. */
uint32_t kmd_engine_memory_addr(struct kmd_device *dev);

bool kmd_device_is_model(const struct kmd_device *dev);
/* The bus address of a BO, which may be a shader BO, on the model; fixed for its lifetime. Otherwise -ENOTSUP. */
int kmd_bo_model_addr(struct kmd_bo *bo, uint32_t *addr_out) UTIL_MUST_CHECK;

struct kmd_engine_request {
    uint32_t code_addr, uniforms_addr; /* in BOs of the table */
};

struct kmd_engine_range {
    uint32_t addr, size_B;
};

struct kmd_engine_job {
    struct kmd_bo *const *bos; /* everything that it may access; duplicates are allowed */
    uint32_t bo_count;
    const struct kmd_engine_request *requests;
    uint32_t request_count;
    uint32_t group; /* so many consecutive requests run together and share semaphores; at most 64; 0, 1: no groups */
    /* Limits of the processor time of each thread. */
    uint64_t group_timeout_ns; /* for a group, or for 16 requests without groups */
    uint64_t timeout_ns;       /* for everything that the thread runs of the job */
    bool drops_stores;         /* drop programs' stores outside of the `kept` ranges */
    const struct kmd_engine_range *kept;
    uint32_t kept_count;
    struct model_stats *stats; /* the costs are added to it; NULL: not counted */
};

struct kmd_engine_result {
    uint32_t completed;      /* number of finished requests */
    uint32_t stray_accesses; /* accesses to words outside of all BOs: they read zero, writes are dropped */
    const char *message;     /* static text: why it failed, or NULL */
    uint64_t run_ns;         /* the largest processor time of any thread */
    /* Of draws whose shader records ask for it, by a number in cs_uniforms or vs_uniforms: primitives, and parts of
     * them, that clipping has left; covered pixels for which fragment programs have run. */
    uint64_t clipped, fragments;
};

/* Runs a job at once, on the calling thread and others, concurrently with the device's jobs: the caller must order
 * them. -ETIMEDOUT for a hang or a fault, -ENOTSUP if there is no engine. */
int kmd_engine_run(struct kmd_device *dev, const struct kmd_engine_job *job,
                   struct kmd_engine_result *result_out) UTIL_MUST_CHECK;

/* A job with control lists, as for kmd_submit(), whose programs may do everything that requests may. Code is in
 * ordinary BOs, not shader BOs, and shader records contain the addresses of uniforms in BOs. The timeline fields of
 * `submit` are ignored. Runs as kmd_engine_run(); -EINVAL if the lists break a rule, which the message names. */
struct kmd_engine_lists {
    const struct kmd_submit *submit;
    uint64_t timeout_ns;       /* as above */
    uint32_t binner_B;         /* memory for the binner; limited to what the largest jobs need */
    bool drops_stores;         /* drop programs' stores outside of the `kept` ranges */
    bool drops_binning_stores; /* drop those of coordinate programs only */
    const struct kmd_engine_range *kept;
    uint32_t kept_count;
    struct model_stats *stats; /* as above */
};
int kmd_engine_run_lists(struct kmd_device *dev, const struct kmd_engine_lists *lists,
                         struct kmd_engine_result *result_out) UTIL_MUST_CHECK;
/* The QPU numbers that programs see are below this: scratch memory needs as many parts. With groups of more than 16
 * requests they are below this times a sixteenth of the group's size, rounded up. */
int kmd_engine_qpu_count(struct kmd_device *dev, uint32_t *count_out) UTIL_MUST_CHECK;

/* -- performance monitors ----------------------------------------------------------------------------------------- */

#define KMD_EVENTS         30u /* performance events of the chip */
#define KMD_PERFMON_EVENTS 16u /* per monitor */

/* The events that the device counts, a bit for each. */
uint32_t kmd_counted_events(const struct kmd_info *info);
/* A monitor for up to 16 events, by their numbers in vc4_drm.h. Its values add up over the jobs that name it. */
int kmd_perfmon_create(struct kmd_device *dev, const uint8_t *events, uint32_t count, uint32_t *id_out) UTIL_MUST_CHECK;
void kmd_perfmon_destroy(struct kmd_device *dev, uint32_t id);
/* One value per event, from retired jobs. */
int kmd_perfmon_get_values(struct kmd_device *dev, uint32_t id, uint64_t *values_out) UTIL_MUST_CHECK;

/* -- test hooks --------------------------------------------------------------------------------------------------- */

/* While held, jobs run and write their results, but no end word advances. */
void kmd_test_hold_retire(struct kmd_device *dev, bool hold);
/* Called between binning and rendering of every job; model only, -ENOTSUP otherwise. */
int kmd_test_set_bin_done_hook(struct kmd_device *dev,
                               void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots),
                               void *data);

#endif
