/* SPDX-License-Identifier: MIT
 *
 * The interface that a backend implements: a table of operations per object. The functions of kmd.h do the common work
 * (checks, cache, timeline words, use tracking) and call the table. Included by backends and test doubles only, not by
 * other modules.
 */
#ifndef KMD_BACKEND_H
#define KMD_BACKEND_H

#include "kmd/kmd.h"

struct drm_vc4_submit_cl;

struct kmd_backend {
    const char *name;
    /* Finds the devices that can be opened, at most `capacity`. */
    uint32_t (*enumerate)(struct kmd_physical *out, uint32_t capacity);
    int (*open)(const struct kmd_physical *physical, struct kmd_device **out);
};

extern const struct kmd_backend kmd_model_backend;
extern const struct kmd_backend kmd_drm_backend;

struct kmd_device_ops {
    /* Waits for the device's jobs, reports them as finished, calls kmd_device_finish() and frees the device. */
    void (*close)(struct kmd_device *dev);
    /* An ioctl of vc4_drm.h or DRM_IOCTL_GEM_CLOSE, restarted if interrupted. 0 or a negative errno. */
    int (*ioctl)(struct kmd_device *dev, unsigned long request, void *arg);
    /* Sets handle, size_B (in: whole pages) and, if it is free of cost, map. Obeys place and place_addr then, or when
     * the BO is mapped. */
    int (*bo_create)(struct kmd_device *dev, struct kmd_bo *bo);
    /* The first address of the upper part of the CPU engine's address space. NULL: there is no such space. */
    uint32_t (*upper_addr)(struct kmd_device *dev);
    int (*bo_create_shader)(struct kmd_device *dev, struct kmd_bo *bo, const uint64_t *code, uint32_t size_B);
    /* As bo_create, of a sparse BO. NULL: not supported. */
    int (*bo_create_sparse)(struct kmd_device *dev, struct kmd_bo *bo);
    /* Sets handle and size_B to those of a descriptor's BO; the handle is the existing one if there is one. May set
     * dma_buf_fd, if the handle is new. Called under shared_mutex. NULL: not supported. */
    int (*bo_import)(struct kmd_device *dev, int fd, struct kmd_bo *bo);
    /* Returns the handle of a BO that consists of memory of the process. NULL: not supported. */
    int (*bo_import_host)(struct kmd_device *dev, void *host, uint32_t size_B, uint32_t *handle_out);
    /* Called by one thread at a time; handles[i] is the handle of submit->bos[i]. Returns the kernel's sequence number.
     * Must report each accepted job with kmd_device_job_started() and kmd_device_job_finished(), from any thread,
     * possibly before the return. */
    int (*submit)(struct kmd_device *dev, const struct kmd_submit *submit, const uint32_t *handles,
                  uint64_t *seqno_out);
    /* A sync file for the job with this sequence number; -ENOENT once it was reported as finished. NULL: not
     * supported. */
    int (*job_sync_file)(struct kmd_device *dev, uint64_t seqno, int *fd_out);
    int (*sync_file_check)(struct kmd_device *dev, int fd); /* NULL: not supported */
    const char *(*last_refusal)(struct kmd_device *dev);
    int (*set_bin_done_hook)(struct kmd_device *dev,
                             void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots),
                             void *data); /* NULL: not supported */
};

struct kmd_bo_ops {
    /* destroy and map are required; the others may be NULL: not supported. */
    void (*destroy)(struct kmd_bo *bo); /* closes the handle; does not free the struct */
    void *(*map)(struct kmd_bo *bo);    /* returns NULL on failure */
    void (*label)(struct kmd_bo *bo, const char *label);
    int (*export_fd)(struct kmd_bo *bo, int *fd_out);
    /* Makes a dma-buf of a BO without dma_buf_fd. NULL: export_fd does it. */
    int (*make_dma_buf)(struct kmd_bo *bo, int *fd_out);
    void (*end_host)(struct kmd_bo *bo);
    /* As kmd_bo_bind_sparse(), of a sparse BO. */
    int (*bind_sparse)(struct kmd_bo *bo, uint32_t offset_B, uint32_t size_B, const struct kmd_bo *memory,
                       uint32_t memory_offset_B);
    int (*madvise)(struct kmd_bo *bo, bool is_needed, bool *retained_out);
    /* Address of a mapped BO for the CPU engine; (map - address) is the same for all BOs of the device. */
    int (*engine_addr)(struct kmd_bo *bo, uint32_t *addr_out);
    int (*model_addr)(struct kmd_bo *bo, uint32_t *addr_out); /* NULL: not the model */
};

/* The CPU engine of a device (kmd.h). It knows no buffer objects: kmd_engine.c translates a job's BOs to ranges of
 * addresses and allocates the memory that a job needs besides. Functions are called from any thread, also at once. */
struct kmd_engine; /* the implementation's */

struct kmd_engine_map { /* the memory that a job may access */
    void *memory;       /* address A lies at memory + A, within the ranges */
    const struct kmd_engine_range *ranges; /* of the job's BOs in their order, {0} for shader BOs; then, of a job with
                                            * lists, the range of its own memory */
    uint32_t range_count;
};

/* Two ranges within the last range of the map, for one job with lists alone. */
struct kmd_engine_list_memory {
    struct kmd_engine_range lists, binner;
};

struct kmd_engine_ops {
    int (*create)(struct kmd_engine **out);
    void (*destroy)(struct kmd_engine *engine); /* NULL is accepted */
    uint32_t (*qpu_count)(const struct kmd_engine *engine);
    /* Runs a job to completion, as kmd_engine_run(). `out` is zeroed by the caller. */
    int (*run)(struct kmd_engine *engine, const struct kmd_engine_map *map, const struct kmd_engine_job *job,
               struct kmd_engine_result *out);
    /* The memory that run_lists() needs for the lists and, at most, for the binner. */
    void (*list_sizes)(const struct kmd_submit *submit, uint32_t *lists_B_out, uint32_t *max_binner_B_out);
    /* As kmd_engine_run_lists(); `out` as above. */
    int (*run_lists)(struct kmd_engine *engine, const struct kmd_engine_map *map, const struct kmd_engine_lists *lists,
                     const struct kmd_engine_list_memory *memory, struct kmd_engine_result *out);
};

/* The engine of both backends: the GPU half of the model. */
extern const struct kmd_engine_ops kmd_engine_model_ops;

/* Four buckets per power of two, from one page up. */
#define KMD_PAGE_B        4096u
#define KMD_CACHE_BUCKETS (4 * 20)

struct kmd_bo_cache {
    pthread_mutex_t mutex;
    struct util_list buckets[KMD_CACHE_BUCKETS]; /* of kmd_bo.bucket_link, oldest first */
    struct util_list by_age;                     /* of kmd_bo.age_link, oldest first; shader BOs are in no bucket */
    uint32_t count;
    bool cannot_purge; /* the kernel does not support kmd_bo_madvise() */
};

/* Slots of one, two and four pages. */
#define KMD_PART_CLASSES 3
#define KMD_PART_MAX_B   (KMD_PAGE_B << (KMD_PART_CLASSES - 1))

struct kmd_part_heap {
    pthread_mutex_t mutex;                         /* taken before the cache's */
    struct util_list with_free_slot[KMD_PART_CLASSES]; /* of struct kmd_slab, those with a free slot */
};

/* Embedded in the backend's own struct. */
struct kmd_device {
    const struct kmd_device_ops *ops;
    const struct kmd_bo_ops *bo_ops;
    const struct kmd_engine_ops *engine_ops; /* NULL: no CPU engine */
    struct kmd_store store;
    struct kmd_bo_cache cache;
    struct kmd_part_heap parts;
    pthread_mutex_t shared_mutex; /* taken before the cache's; held while a shared BO gets or loses its handle */
    struct util_list shared;      /* of kmd_bo.shared_link: exported or imported */
    pthread_mutex_t submit_mutex; /* taken before the store's */
    struct util_list in_flight;   /* jobs in order of submission; under the store's lock */
    uint32_t *handles;            /* scratch of kmd_submit, under submit_mutex */
    uint32_t handle_capacity;
    _Atomic uint64_t used_B; /* of all referenced buffer objects and suballocations */
    _Atomic bool lost;
    pthread_mutex_t engine_mutex; /* protects the pointer */
    struct kmd_engine *engine;    /* NULL until first used */
};

/* `engine_ops` may be NULL. */
int kmd_device_init(struct kmd_device *dev, const struct kmd_device_ops *ops, const struct kmd_bo_ops *bo_ops,
                    const struct kmd_engine_ops *engine_ops);
/* Frees the cached BOs. Accepts a zeroed struct. */
void kmd_device_finish(struct kmd_device *dev);

/* Report that a job has started. Two jobs may run at once: one is binned while the other renders. */
void kmd_device_job_started(struct kmd_device *dev, uint64_t seqno, uint64_t time_ns);
/* Report that the oldest job has finished; `status` not 0: it hung or failed, and the device is lost. */
void kmd_device_job_finished(struct kmd_device *dev, uint64_t time_ns, int status);

/* -- the ioctls of vc4_drm.h, through kmd_device_ops.ioctl -------------------------------------------------------- */

int kmd_vc4_bo_create(struct kmd_device *dev, struct kmd_bo *bo);
int kmd_vc4_bo_create_shader(struct kmd_device *dev, struct kmd_bo *bo, const uint64_t *code, uint32_t size_B);
void kmd_vc4_bo_destroy(struct kmd_bo *bo);
int kmd_vc4_bo_madvise(struct kmd_bo *bo, bool is_needed, bool *retained_out);
void kmd_vc4_bo_label(struct kmd_bo *bo, const char *label);
/* Fills everything except handles and synchronisation. */
void kmd_vc4_fill_submit(const struct kmd_submit *submit, struct drm_vc4_submit_cl *out);
/* `out_sync`: a syncobj for the job's fence, or 0. */
int kmd_vc4_submit(struct kmd_device *dev, const struct kmd_submit *submit, const uint32_t *handles, uint32_t out_sync,
                   uint64_t *seqno_out);

/* -- internal to this module --------------------------------------------------------------------------------------- */

int kmd_store_init(struct kmd_store *store, struct kmd_device *dev);
void kmd_store_finish(struct kmd_store *store);

int kmd_engine_init(struct kmd_device *dev);
void kmd_engine_finish(struct kmd_device *dev);

/* The size of the memory heap: half of the machine's memory, at least 64 MiB and at most `most_B`. */
uint64_t kmd_heap_size_B(uint64_t most_B);
/* What the chip's buffer objects may use: three quarters of the kernel's contiguous memory (CmaTotal), because its own
 * lists and the display need some, too. */
uint64_t kmd_chip_heap_size_B(void);
/* The most that the model has room for. The chip's addresses have 32 bits, and the lowest eighth of them is not for
 * memory of the application; the rest is a little larger than the heap, so that fragments of it may stay free. */
#define KMD_MODEL_HEAP_B (sizeof(void *) >= 8 ? UINT64_C(3328) << 20 : UINT64_C(256) << 20)

int kmd_part_heap_init(struct kmd_part_heap *heap);
void kmd_part_heap_finish(struct kmd_part_heap *heap);

int kmd_bo_cache_init(struct kmd_bo_cache *cache);
void kmd_bo_cache_finish(struct kmd_bo_cache *cache);

#endif
