/* SPDX-License-Identifier: MIT
 *
 * What a backend implements: a table of operations per object. The thin functions of kmd.h do what is common (checks,
 * cache, words, marks) and call the table. Included by backends and by test doubles, by no other room.
 */
#ifndef KMD_BACKEND_H
#define KMD_BACKEND_H

#include "kmd/kmd.h"

struct model_engine;
struct drm_vc4_submit_cl;

struct kmd_backend {
    const char *name;
    /* Devices that can be opened, at most `capacity`. */
    uint32_t (*enumerate)(struct kmd_physical *out, uint32_t capacity);
    int (*open)(const struct kmd_physical *physical, struct kmd_device **out);
};

extern const struct kmd_backend kmd_model_backend;
extern const struct kmd_backend kmd_drm_backend;

struct kmd_device_ops {
    /* Waits for its jobs (their finish is reported first) and frees the device, kmd_device_finish included. */
    void (*close)(struct kmd_device *dev);
    /* One of vc4_drm.h or DRM_IOCTL_GEM_CLOSE, not interrupted. 0 or a negative errno. */
    int (*ioctl)(struct kmd_device *dev, unsigned long request, void *arg);
    /* Fills handle, size_B (in: whole pages) and, where it costs nothing, map. */
    int (*bo_create)(struct kmd_device *dev, struct kmd_bo *bo);
    int (*bo_create_shader)(struct kmd_device *dev, struct kmd_bo *bo, const uint64_t *code, uint32_t size_B);
    /* Gives handle and size of a dma-buf's BO: of the BO that has it already, if there is one. NULL: cannot. */
    int (*bo_import)(struct kmd_device *dev, int fd, uint32_t *handle_out, uint32_t *size_B_out);
    /* One call at a time; handles[i] is the handle of submit->bos[i]. Gives the kernel's sequence number. Each accepted
     * job is reported with kmd_device_job_started and _finished, from any thread, possibly before the return. */
    int (*submit)(struct kmd_device *dev, const struct kmd_submit *submit, const uint32_t *handles,
                  uint64_t *seqno_out);
    /* A sync file of the job with this sequence number; -ENOENT when it has been reported as finished. NULL: cannot. */
    int (*job_sync_file)(struct kmd_device *dev, uint64_t seqno, int *fd_out);
    int (*sync_file_check)(struct kmd_device *dev, int fd); /* NULL: cannot */
    const char *(*last_refusal)(struct kmd_device *dev);
    int (*set_bin_done_hook)(struct kmd_device *dev,
                             void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots),
                             void *data); /* NULL: cannot */
};

struct kmd_bo_ops {
    void (*destroy)(struct kmd_bo *bo);                  /* the handle only */
    void *(*map)(struct kmd_bo *bo);                     /* NULL when it cannot */
    void (*label)(struct kmd_bo *bo, const char *label); /* NULL: cannot */
    int (*export_fd)(struct kmd_bo *bo, int *fd_out);    /* NULL: cannot */
    int (*madvise)(struct kmd_bo *bo, bool is_needed, bool *retained_out); /* NULL: cannot */
    /* Address of a BO that is mapped, for the CPU engine; map - address is the same for all. NULL: cannot */
    int (*engine_addr)(struct kmd_bo *bo, uint32_t *addr_out);
    int (*model_addr)(struct kmd_bo *bo, uint32_t *addr_out); /* NULL: it is no model */
};

/* Four buckets per power of two, from one page up. */
#define KMD_PAGE_B        4096u
#define KMD_CACHE_BUCKETS (4 * 20)

struct kmd_bo_cache {
    pthread_mutex_t mutex;
    struct util_list buckets[KMD_CACHE_BUCKETS]; /* of kmd_bo.bucket_link, oldest first */
    struct util_list by_age;                     /* of kmd_bo.age_link, oldest first; programs are in no bucket */
    uint32_t count;
    bool cannot_offer; /* the kernel does not take memory back (kmd_bo_madvise) */
};

/* Slots of one, two and four pages. */
#define KMD_PART_CLASSES 3
#define KMD_PART_MAX_B   (KMD_PAGE_B << (KMD_PART_CLASSES - 1))

struct kmd_part_heap {
    pthread_mutex_t mutex;                         /* taken before the cache's */
    struct util_list with_room[KMD_PART_CLASSES]; /* of struct kmd_slab, those with a free slot */
};

/* A backend's device starts with it. */
struct kmd_device {
    const struct kmd_device_ops *ops;
    const struct kmd_bo_ops *bo_ops;
    struct kmd_store store;
    struct kmd_bo_cache cache;
    struct kmd_part_heap parts;
    pthread_mutex_t shared_mutex; /* taken before the cache's; held while a shared BO gets or loses its handle */
    struct util_list shared;      /* of kmd_bo.shared_link: exported or imported */
    pthread_mutex_t submit_mutex; /* taken before the store's */
    struct util_list in_flight;   /* jobs in order of submission; under the store's lock */
    uint32_t *handles;            /* scratch of kmd_submit, under submit_mutex */
    uint32_t handle_capacity;
    _Atomic uint64_t used_B; /* of all buffer objects and parts that somebody holds */
    _Atomic bool lost;
    pthread_mutex_t engine_mutex; /* of the pointer */
    struct model_engine *engine;  /* NULL until it is needed */
};

int kmd_device_init(struct kmd_device *dev, const struct kmd_device_ops *ops, const struct kmd_bo_ops *bo_ops);
/* Empties the cache; a zeroed struct is accepted. */
void kmd_device_finish(struct kmd_device *dev);

/* A job has reached the head of the device. Two may be there: one is binned while the other renders. */
void kmd_device_job_started(struct kmd_device *dev, uint64_t seqno, uint64_t time_ns);
/* The oldest job has finished; `status` not 0: it hung. */
void kmd_device_job_finished(struct kmd_device *dev, uint64_t time_ns, int status);

/* -- the ioctls of vc4_drm.h, through kmd_device_ops.ioctl -------------------------------------------------------- */

int kmd_vc4_bo_create(struct kmd_device *dev, struct kmd_bo *bo);
int kmd_vc4_bo_create_shader(struct kmd_device *dev, struct kmd_bo *bo, const uint64_t *code, uint32_t size_B);
void kmd_vc4_bo_destroy(struct kmd_bo *bo);
int kmd_vc4_bo_madvise(struct kmd_bo *bo, bool is_needed, bool *retained_out);
void kmd_vc4_bo_label(struct kmd_bo *bo, const char *label);
/* But for handles and synchronisation. */
void kmd_vc4_fill_submit(const struct kmd_submit *submit, struct drm_vc4_submit_cl *out);
/* `out_sync` is a syncobj that gets the job's fence, or 0. */
int kmd_vc4_submit(struct kmd_device *dev, const struct kmd_submit *submit, const uint32_t *handles, uint32_t out_sync,
                   uint64_t *seqno_out);

/* -- between the files of this room ------------------------------------------------------------------------------- */

int kmd_store_init(struct kmd_store *store, struct kmd_device *dev);
void kmd_store_finish(struct kmd_store *store);

int kmd_engine_init(struct kmd_device *dev);
void kmd_engine_finish(struct kmd_device *dev);

int kmd_part_heap_init(struct kmd_part_heap *heap);
void kmd_part_heap_finish(struct kmd_part_heap *heap);

int kmd_bo_cache_init(struct kmd_bo_cache *cache);
void kmd_bo_cache_finish(struct kmd_bo_cache *cache);

#endif
