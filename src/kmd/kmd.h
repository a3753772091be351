/* SPDX-License-Identifier: MIT
 *
 * The door of kmd: the kernel interface as the driver sees it, over one of two backends (the model, the vc4 DRM
 * driver).
 *
 * It speaks the kernel's language: buffer objects, submissions, and words that tell how far the device has come.
 * Nothing above it asks a kernel whether a job is done: the backend's retire path stores the timeline words and wakes
 * whoever waits. All functions are thread safe unless they say otherwise. Errors are negative errno values.
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
    char name[64];           /* of the driver behind: "model" or the DRM driver with its node */
    uint32_t ident[3];       /* V3D_IDENT0..2 */
    uint64_t memory_B;       /* what all buffer objects together may take: the size of the memory heap */
    bool has_sync_files;     /* a real kernel gives out the fences of jobs */
    bool has_dma_bufs;       /* a real kernel exports and imports buffer objects as dma-bufs */
    uint8_t device_uuid[16]; /* the same for the same device in every process of one boot */
};

/* One device that can be opened, as enumeration found it. Plain data: may be copied. */
struct kmd_physical {
    const struct kmd_backend *backend;
    char path[64]; /* of the device node; "" for the model */
    struct kmd_info info;
};

/* Fills `out` and returns how many there are: the chips, or else the model. VC4VK_DEVICE=drm|model|/dev/dri/renderDN
 * restricts the choice; when it names what does not exist, there are none, and one line on stderr (once per process)
 * says so. */
uint32_t kmd_enumerate(struct kmd_physical out[KMD_MAX_DEVICES]);

int kmd_open(const struct kmd_physical *physical, struct kmd_device **out) UTIL_MUST_CHECK;
/* All buffer objects have been released, all jobs are finished. NULL is accepted. */
void kmd_close(struct kmd_device *dev);

/* Of all buffer objects that somebody holds; those in the cache are not counted, they are given back when needed. */
uint64_t kmd_memory_used_B(const struct kmd_device *dev);
/* What the system still has for buffer objects, of any process. */
uint64_t kmd_memory_free_B(const struct kmd_info *info);

/* -- timelines ---------------------------------------------------------------------------------------------------- */

#define KMD_MAX_TIMELINES 8

/* A queue's line of work. Both words only ever grow; they are stored by kmd alone, read by anybody without a lock. */
struct kmd_timeline {
    struct kmd_device *dev;
    uint32_t index;         /* in the device's store */
    _Atomic uint64_t start; /* highest value whose work has reached the head of the device */
    _Atomic uint64_t end;   /* everything up to this value has finished */
    uint64_t pending_end;   /* what `end` becomes when retirement is no longer held; under the store's lock */
};

/* -ENOSPC when all KMD_MAX_TIMELINES are taken. Both words start at 0, or where a destroyed timeline in the same place
 * has ended: the first value to use is end + 1. */
int kmd_timeline_create(struct kmd_device *dev, struct kmd_timeline **out) UTIL_MUST_CHECK;
/* Its work has finished. NULL is accepted. */
void kmd_timeline_destroy(struct kmd_timeline *timeline);

static inline bool kmd_timeline_is_retired(const struct kmd_timeline *timeline, uint64_t value)
{
    return atomic_load_explicit(&timeline->end, memory_order_acquire) >= value;
}

/* For work that no kernel sees (CPU operations, markers): stores the word and wakes. Everything before `value` on this
 * timeline has finished. */
void kmd_timeline_store_start(struct kmd_timeline *timeline, uint64_t value);
void kmd_timeline_store_end(struct kmd_timeline *timeline, uint64_t value);
/* The same under the store's lock, without the wake. */
void kmd_timeline_store_start_locked(struct kmd_timeline *timeline, uint64_t value);
void kmd_timeline_store_end_locked(struct kmd_timeline *timeline, uint64_t value);

/* Everybody who waits for words, or for anything that changes along with them, waits here: lock, look, wait, look
 * again. Never held while a kernel is called. */
struct kmd_store {
    pthread_mutex_t mutex;
    pthread_cond_t cond; /* timed waits use CLOCK_MONOTONIC (util_cond_wait_until) */
    bool is_held;        /* test hook: words are kept back */
    uint32_t open_sleepers;             /* in kmd_store_wait_locked */
    uint64_t wanted[KMD_MAX_TIMELINES]; /* the least word that somebody sleeps for; UINT64_MAX: none */
    struct kmd_timeline timelines[KMD_MAX_TIMELINES];
    uint32_t used_timelines; /* bit per timeline */
};

struct kmd_store *kmd_device_store(struct kmd_device *dev);

/* Sleeps until anything changes: false when the deadline has passed. */
bool kmd_store_wait_locked(struct kmd_store *store, uint64_t deadline_ns);
/* Sleeps as well, but need not be woken before one of the words that it wants: those are told before each sleep. */
void kmd_timeline_watch_locked(struct kmd_timeline *timeline, uint64_t value);
bool kmd_store_wait_for_words_locked(struct kmd_store *store, uint64_t deadline_ns);
/* Wakes those whom a new end word of the timeline may concern, with all who sleep there, or nobody. */
void kmd_timeline_wake_locked(struct kmd_timeline *timeline);

/* A job hung or the device is gone: set once, with a wake, and never taken back. */
bool kmd_device_is_lost(const struct kmd_device *dev);
void kmd_device_set_lost(struct kmd_device *dev);

/* -- buffer objects ----------------------------------------------------------------------------------------------- */

struct kmd_bo {
    struct kmd_device *dev;
    _Atomic uint32_t refs;
    uint32_t handle;
    uint32_t size_B; /* as allocated: whole pages, may exceed what was asked for */
    bool is_shader;
    _Atomic bool is_shared; /* exported or imported: never recycled */
    void *_Atomic map;      /* NULL until mapped (kmd_bo_map); readable and writable, lives as long as the BO */
    _Atomic uint64_t last_use[KMD_MAX_TIMELINES]; /* value per timeline; not recycled before all of them retire */
    struct util_list bucket_link; /* while cached: in its bucket, under the cache's lock as the next two */
    struct util_list age_link;    /* while cached: oldest first */
    uint64_t cached_ns;           /* when it was given to the cache */
    bool is_purgeable;            /* while cached: the kernel may take its memory */
    struct util_list shared_link; /* in kmd_device.shared while is_shared */
};

/* From the cache where possible. Contents are undefined, but never another process's. `label` is static text for
 * people. */
int kmd_bo_create(struct kmd_device *dev, uint64_t size_B, const char *label, struct kmd_bo **out) UTIL_MUST_CHECK;
/* A validated program: `size_B` is a multiple of 8. -EINVAL: kmd_last_refusal says which rule it breaks. */
int kmd_bo_create_shader(struct kmd_device *dev, const uint64_t *code, uint32_t size_B,
                         struct kmd_bo **out) UTIL_MUST_CHECK;

static inline struct kmd_bo *kmd_bo_ref(struct kmd_bo *bo)
{
    atomic_fetch_add_explicit(&bo->refs, 1, memory_order_relaxed);
    return bo;
}

/* The last reference gives it to the cache, where it waits for its last use. NULL is accepted. */
void kmd_bo_unref(struct kmd_bo *bo);

/* The mapping, made on first use and kept; NULL when it cannot be had (or for a shader BO). */
void *kmd_bo_map(struct kmd_bo *bo);
void kmd_bo_label(struct kmd_bo *bo, const char *label);

/* Small memory lies in slots of objects that serve many; what is larger has an object of its own. */
struct kmd_slab;
struct kmd_part {
    struct kmd_bo *bo; /* not to be exported, when it has slots */
    uint32_t offset_B; /* multiple of 4096 */
    uint32_t size_B;   /* whole pages, may exceed what was asked for */
    struct kmd_slab *slab;
};

/* As kmd_bo_create; zeroed on failure. */
int kmd_part_create(struct kmd_device *dev, uint64_t size_B, const char *label, struct kmd_part *out) UTIL_MUST_CHECK;
/* Nothing uses it any more: the next may have it at once. A zeroed struct is accepted, and left. */
void kmd_part_destroy(struct kmd_part *part);
/* NULL when it cannot be mapped. */
static inline void *kmd_part_map(const struct kmd_part *part)
{
    uint8_t *map = kmd_bo_map(part->bo);
    return map ? map + part->offset_B : NULL;
}

/* A dma-buf of it, which the caller closes; -EINVAL for a program, -ENOTSUP where the backend cannot. */
int kmd_bo_export_fd(struct kmd_bo *bo, int *fd_out) UTIL_MUST_CHECK;
/* The BO behind a dma-buf (which stays the caller's); a further reference if the device has it already. */
int kmd_bo_import_fd(struct kmd_device *dev, int fd, struct kmd_bo **out) UTIL_MUST_CHECK;

/* What others that import it shall take its layout for; a DRM format modifier. Changes nothing in how jobs see it. */
int kmd_bo_set_tiling(struct kmd_bo *bo, uint64_t modifier) UTIL_MUST_CHECK;
int kmd_bo_get_tiling(struct kmd_bo *bo, uint64_t *modifier_out) UTIL_MUST_CHECK;
/* Not needed: the kernel may drop the contents when memory is short, and refuses jobs with it. `retained_out`: it still
 * has them. */
int kmd_bo_madvise(struct kmd_bo *bo, bool is_needed, bool *retained_out) UTIL_MUST_CHECK;
/* Waits until the kernel has finished all jobs that name it, those of other processes too. 0 or -ETIME. */
int kmd_bo_wait(struct kmd_bo *bo, uint64_t timeout_ns) UTIL_MUST_CHECK;

/* The BO is used by work up to (timeline, value). kmd_submit does it for the BOs of a job. */
void kmd_bo_mark_use(struct kmd_bo *bo, const struct kmd_timeline *timeline, uint64_t value);
bool kmd_bo_is_busy(const struct kmd_bo *bo);

/* Frees what has been in the cache for more than a second; returns when to come again (UTIL_FOREVER_NS: cache empty).
 */
uint64_t kmd_bo_cache_trim(struct kmd_device *dev);
bool kmd_bo_cache_is_empty(struct kmd_device *dev);
/* Frees all that is idle: memory is short. */
void kmd_bo_cache_drop(struct kmd_device *dev);

/* -- submission --------------------------------------------------------------------------------------------------- */

#define KMD_NO_BO UINT32_MAX

/* A surface to load or store. `bits` and `flags` as the kernel has them (drm_vc4_submit_rcl_surface). */
struct kmd_surface {
    uint32_t bo_index; /* in the job's BO table; KMD_NO_BO = absent */
    uint32_t offset_B;
    uint16_t bits;
    uint16_t flags; /* enum kmd_surface_flags */
};

enum kmd_surface_flags {
    KMD_SURFACE_FULL_RES = BIT(0), /* what is read are all samples, as msaa_*_write stores them; bits are 0 */
};

enum kmd_render_flags {
    KMD_RENDER_USE_CLEAR_COLOR = BIT(0),
    KMD_RENDER_FIXED_ORDER = BIT(1),
    KMD_RENDER_INCREASING_X = BIT(2),
    KMD_RENDER_INCREASING_Y = BIT(3),
};

/* What the kernel makes the render list from. */
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
    struct kmd_bo *const *bos; /* the BO table: all references are indices into it; at least one */
    uint32_t bo_count;
    struct kmd_render render;
    struct kmd_timeline *timeline; /* `start` becomes `value` when the job starts, `end` when it has finished */
    uint64_t value;
    struct kmd_job_times *times; /* may be NULL; must live until the job has retired */
    bool is_part; /* more jobs of the same `value` follow: `end` is left to the last of them */
    uint32_t perfmon;            /* that counts while it runs; 0 = none */
    struct model_stats *stats;   /* what it costs is added before the end word is stored; model only. NULL: none */
};

/* Jobs of a device run in the order of submission. Nothing of `submit` is needed after the return. -EINVAL: the job
 * breaks a rule of the kernel, kmd_last_refusal names it. -ENOMEM: try again later. -EIO: the device is lost. */
int kmd_submit(struct kmd_device *dev, const struct kmd_submit *submit) UTIL_MUST_CHECK;

/* A sync file (descriptor of a kernel's fence), the caller's, that signals when the job with this value has finished.
 * -ENOENT when the kernel has no such job (any more), -EMFILE, -ENOTSUP where jobs have no fences. */
int kmd_job_sync_file(struct kmd_device *dev, const struct kmd_timeline *timeline, uint64_t value,
                      int *fd_out) UTIL_MUST_CHECK;
/* 0 when the descriptor is a sync file, of whatever driver: it can be polled. -EINVAL, -ENOTSUP. */
int kmd_sync_file_check(struct kmd_device *dev, int fd) UTIL_MUST_CHECK;

/* Why the last call of this thread was refused, "" when it was not. */
const char *kmd_last_refusal(struct kmd_device *dev);

/* -- the CPU engine ----------------------------------------------------------------------------------------------- */

/* Where programs of the CPU engine see a BO; the same as long as it lives. Maps it. -EINVAL for a program, -ENOMEM when
 * the engine's address space has no room, -ENOTSUP where there is no engine. */
int kmd_bo_engine_addr(struct kmd_bo *bo, uint32_t *addr_out) UTIL_MUST_CHECK;

bool kmd_device_is_model(const struct kmd_device *dev);
/* Where the model's chip sees a BO, a program, too; the same as long as it lives. -ENOTSUP elsewhere. */
int kmd_bo_model_addr(struct kmd_bo *bo, uint32_t *addr_out) UTIL_MUST_CHECK;

struct kmd_engine_request {
    uint32_t code_addr, uniforms_addr; /* in BOs of the table */
};

struct kmd_engine_job {
    struct kmd_bo *const *bos; /* all that it may touch; one may stand there more than once */
    uint32_t bo_count;
    const struct kmd_engine_request *requests;
    uint32_t request_count;
    uint32_t group; /* so many requests, one behind the other, run together and share semaphores; 0, 1: none do. At most
                       12 */
    /* Limits of the processor time of each thread that runs it. */
    uint64_t group_timeout_ns; /* of a group, or of 16 requests without one */
    uint64_t timeout_ns;       /* of all that the thread runs of it */
    struct model_stats *stats; /* what it costs is added; NULL: nobody asks */
};

struct kmd_engine_result {
    uint32_t completed;      /* requests */
    uint32_t stray_accesses; /* words outside of all BOs: read as zero, not written */
    const char *message;     /* static text: why it failed, or NULL */
    uint64_t run_ns;         /* the most processor time that a thread has spent on it */
};

/* Runs a job on the calling thread and others, now, beside what the device does: order is the caller's matter.
 * -ETIMEDOUT for a hang or a fault. */
int kmd_engine_run(struct kmd_device *dev, const struct kmd_engine_job *job,
                   struct kmd_engine_result *result_out) UTIL_MUST_CHECK;
struct kmd_engine_range {
    uint32_t addr, size_B;
};

/* A job with control lists, as kmd_submit takes it, whose programs may do what requests may. Code lies in BOs that are
 * no shader BOs, and records hold the addresses of uniforms in BOs. The timeline and what belongs to it are not looked
 * at. As kmd_engine_run; -EINVAL when the lists break a rule, which the message names. */
struct kmd_engine_lists {
    const struct kmd_submit *submit;
    uint64_t timeout_ns; /* as above */
    uint32_t binner_B; /* memory for the binner: what the largest jobs may want is given at most */
    bool drops_stores; /* of programs, but for those to these bytes */
    bool drops_binning_stores; /* the same of coordinate programs alone */
    const struct kmd_engine_range *kept;
    uint32_t kept_count;
    struct model_stats *stats; /* as above */
};
int kmd_engine_run_lists(struct kmd_device *dev, const struct kmd_engine_lists *lists,
                         struct kmd_engine_result *result_out) UTIL_MUST_CHECK;
/* Programs see QPU numbers below this: so many parts scratch memory must have. */
int kmd_engine_qpu_count(struct kmd_device *dev, uint32_t *count_out) UTIL_MUST_CHECK;

/* -- performance monitors ----------------------------------------------------------------------------------------- */

#define KMD_EVENTS         30u /* counters of the chip */
#define KMD_PERFMON_EVENTS 16u /* of one monitor */

/* Those that are counted, a bit for each. */
uint32_t kmd_counted_events(const struct kmd_info *info);
/* Up to 16 counters of the chip, by their numbers in vc4_drm.h, that add up over the jobs that name the monitor. */
int kmd_perfmon_create(struct kmd_device *dev, const uint8_t *events, uint32_t count, uint32_t *id_out) UTIL_MUST_CHECK;
void kmd_perfmon_destroy(struct kmd_device *dev, uint32_t id);
/* One value per counter; of jobs that have retired. */
int kmd_perfmon_get_values(struct kmd_device *dev, uint32_t id, uint64_t *values_out) UTIL_MUST_CHECK;

/* -- test hooks --------------------------------------------------------------------------------------------------- */

/* While held, jobs run and pixels arrive, but no timeline word moves. */
void kmd_test_hold_retire(struct kmd_device *dev, bool hold);
/* Called between binning and rendering of every job; model only, -ENOTSUP otherwise. */
int kmd_test_set_bin_done_hook(struct kmd_device *dev,
                               void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots),
                               void *data);

#endif
