/* SPDX-License-Identifier: MIT
 *
 * Buffer objects and their cache.
 *
 * A released BO stays in the cache, in a bucket by size, until it is reused, or for about a second. After a tenth of
 * that it is marked purgeable, if the kernel supports it. A BO that the device still uses is neither reused nor freed
 * before its last use has retired. Shader BOs cannot be written again, the addresses of replayable ones may be asked
 * for again, and sparse ones show memory of others, so they are in no bucket and only wait for their last use.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#include "kmd/kmd_backend.h"
#include "kmd/kmd_udmabuf.h"
#include "util/thread.h"

#define CACHE_AGE_NS UINT64_C(1000000000)
#define PURGE_AGE_NS UINT64_C(100000000)  /* most reuse happens earlier, and then needs no madvise ioctl */
#define OOM_WAIT_NS  UINT64_C(1000000000) /* how long to wait for busy cached BOs when memory is short */
#define MAX_BO_B     (UINT64_C(0xffffffff) & ~(uint64_t)(KMD_PAGE_B - 1)) /* the kernel's size field has 32 bits */

/* -- cache -------------------------------------------------------------------------------------------------------- */

int kmd_bo_cache_init(struct kmd_bo_cache *cache)
{
    for (uint32_t i = 0; i < KMD_CACHE_BUCKETS; i++)
        util_list_init(&cache->buckets[i]);
    util_list_init(&cache->by_age);
    return -pthread_mutex_init(&cache->mutex, NULL);
}

/* Four buckets per power of two pages: the bucket with the largest lower bound not above the size. */
static uint32_t bucket_of(uint32_t size_B)
{
    uint32_t pages = MAX2(size_B / KMD_PAGE_B, 1u);
    uint32_t log2_pages = util_log2(pages);
    uint32_t quarter = log2_pages >= 2 ? (pages >> (log2_pages - 2)) & 3 : (pages << (2 - log2_pages)) & 3;
    return log2_pages * 4 + quarter;
}

/* BOs that are in no bucket and only wait for their last use. */
static bool is_never_reused(const struct kmd_bo *bo)
{
    return bo->is_shader || bo->is_sparse || bo->place == KMD_PLACE_REPLAY;
}

static void free_bo(struct kmd_bo *bo)
{
    if (bo->owns_dma_buf_fd)
        close(atomic_load_explicit(&bo->dma_buf_fd, memory_order_relaxed));
    bo->dev->bo_ops->destroy(bo);
    free(bo);
}

static void remove_locked(struct kmd_bo_cache *cache, struct kmd_bo *bo)
{
    util_list_del(&bo->bucket_link);
    util_list_del(&bo->age_link);
    cache->count--;
}

/* Moves idle BOs that were cached up to `before_ns` to `out`. */
static void collect_locked(struct kmd_bo_cache *cache, uint64_t before_ns, struct util_list *out)
{
    util_list_for_each_safe(struct kmd_bo, bo, &cache->by_age, age_link) {
        if (bo->cached_ns > before_ns)
            break;
        if (kmd_bo_is_busy(bo))
            continue;
        remove_locked(cache, bo);
        util_list_add_tail(out, &bo->age_link);
    }
}

static void free_list(struct util_list *list)
{
    util_list_for_each_safe(struct kmd_bo, bo, list, age_link)
        free_bo(bo);
}

/* Marks idle BOs of at least PURGE_AGE_NS as purgeable. Returns when to call it again. */
static uint64_t mark_purgeable_locked(struct kmd_bo_cache *cache, uint64_t now_ns)
{
    util_list_for_each(struct kmd_bo, bo, &cache->by_age, age_link) {
        bool retained, is_busy = kmd_bo_is_busy(bo);
        if (bo->is_purgeable || is_never_reused(bo))
            continue;
        if (cache->cannot_purge)
            break;
        if (is_busy || bo->cached_ns + PURGE_AGE_NS > now_ns)
            return MAX2(bo->cached_ns, is_busy ? now_ns : 0) + PURGE_AGE_NS;
        cache->cannot_purge = kmd_bo_madvise(bo, false, &retained) != 0;
        bo->is_purgeable = !cache->cannot_purge;
    }
    return UTIL_FOREVER_NS;
}

/* Makes a BO from the cache usable again. False: the kernel has purged it. */
static bool reclaim(struct kmd_bo *bo)
{
    bool retained = true;
    int err = bo->is_purgeable ? kmd_bo_madvise(bo, true, &retained) : 0;
    bo->is_purgeable = false;
    return !err && retained;
}

uint64_t kmd_bo_cache_trim(struct kmd_device *dev)
{
    struct kmd_bo_cache *cache = &dev->cache;
    struct util_list old;
    util_list_init(&old);
    uint64_t now_ns = util_now_ns();
    uint64_t next_ns = UTIL_FOREVER_NS;
    pthread_mutex_lock(&cache->mutex);
    collect_locked(cache, now_ns - MIN2(now_ns, CACHE_AGE_NS), &old);
    uint64_t next_purge_ns = mark_purgeable_locked(cache, now_ns);
    if (!util_list_is_empty(&cache->by_age)) {
        next_ns = util_list_first(&cache->by_age, struct kmd_bo, age_link)->cached_ns + CACHE_AGE_NS;
        next_ns = MAX2(next_ns, now_ns + CACHE_AGE_NS / 10); /* the oldest is busy: check again soon */
    }
    pthread_mutex_unlock(&cache->mutex);
    free_list(&old);
    return MIN2(next_ns, next_purge_ns);
}

bool kmd_bo_cache_is_empty(struct kmd_device *dev)
{
    pthread_mutex_lock(&dev->cache.mutex);
    bool is_empty = util_list_is_empty(&dev->cache.by_age);
    pthread_mutex_unlock(&dev->cache.mutex);
    return is_empty;
}

void kmd_bo_cache_drop(struct kmd_device *dev)
{
    struct util_list idle;
    util_list_init(&idle);
    pthread_mutex_lock(&dev->cache.mutex);
    collect_locked(&dev->cache, UINT64_MAX, &idle);
    pthread_mutex_unlock(&dev->cache.mutex);
    free_list(&idle);
}

void kmd_bo_cache_finish(struct kmd_bo_cache *cache)
{
    free_list(&cache->by_age);
    pthread_mutex_destroy(&cache->mutex);
}

/* An idle BO of at least `size_B` and at most a quarter more; NULL when there is none. */
static struct kmd_bo *take_cached(struct kmd_bo_cache *cache, uint32_t size_B, enum kmd_place place)
{
    uint32_t limit_B = size_B + MIN2(size_B / 4, UINT32_MAX - size_B);
    struct kmd_bo *found = NULL;
    pthread_mutex_lock(&cache->mutex);
    for (uint32_t bucket = bucket_of(size_B); bucket <= bucket_of(limit_B) && !found; bucket++) {
        util_list_for_each(struct kmd_bo, bo, &cache->buckets[bucket], bucket_link) {
            if (bo->place != place || bo->size_B < size_B || bo->size_B > limit_B || kmd_bo_is_busy(bo))
                continue;
            remove_locked(cache, bo);
            found = bo;
            break;
        }
    }
    pthread_mutex_unlock(&cache->mutex);
    return found;
}

static void give_to_cache(struct kmd_bo_cache *cache, struct kmd_bo *bo)
{
    pthread_mutex_lock(&cache->mutex);
    bo->cached_ns = util_now_ns();
    if (!is_never_reused(bo))
        util_list_add_tail(&cache->buckets[bucket_of(bo->size_B)], &bo->bucket_link);
    util_list_add_tail(&cache->by_age, &bo->age_link);
    cache->count++;
    pthread_mutex_unlock(&cache->mutex);
}

/* Waits until a cached BO is idle. False: the cache is empty, or none became idle in time. */
static bool wait_for_cached(struct kmd_device *dev)
{
    struct kmd_store *store = &dev->store;
    uint64_t deadline_ns = util_deadline_ns(OOM_WAIT_NS);
    bool is_idle = false, has_cached = true, in_time = true;
    pthread_mutex_lock(&store->mutex);
    while (!is_idle && has_cached && in_time) {
        pthread_mutex_lock(&dev->cache.mutex);
        has_cached = !util_list_is_empty(&dev->cache.by_age);
        util_list_for_each(struct kmd_bo, bo, &dev->cache.by_age, age_link)
            is_idle |= !kmd_bo_is_busy(bo);
        pthread_mutex_unlock(&dev->cache.mutex);
        if (!is_idle && has_cached)
            in_time = kmd_store_wait_locked(store, deadline_ns);
    }
    pthread_mutex_unlock(&store->mutex);
    return is_idle;
}

/* -- buffer objects ----------------------------------------------------------------------------------------------- */

static struct kmd_bo *new_bo(struct kmd_device *dev)
{
    struct kmd_bo *bo = calloc(1, sizeof *bo);
    if (!bo)
        return NULL;
    bo->dev = dev;
    atomic_init(&bo->refs, 1);
    atomic_init(&bo->dma_buf_fd, -1);
    util_list_init(&bo->bucket_link);
    util_list_init(&bo->age_link);
    util_list_init(&bo->shared_link);
    return bo;
}

/* Calls the backend. If memory is short, frees idle cached BOs, waiting for one if necessary, and tries again. */
static int create_with_retries(struct kmd_device *dev, struct kmd_bo *bo, const uint64_t *code, uint32_t size_B)
{
    for (;;) {
        bo->size_B = size_B;
        int err = code            ? dev->ops->bo_create_shader(dev, bo, code, size_B)
                  : bo->is_sparse ? dev->ops->bo_create_sparse(dev, bo)
                                  : dev->ops->bo_create(dev, bo);
        if (err != -ENOMEM || !wait_for_cached(dev))
            return err;
        kmd_bo_cache_drop(dev);
    }
}

/* Creates a BO that is not from the cache. */
static int create(struct kmd_device *dev, uint32_t size_B, bool is_sparse, enum kmd_place place, uint32_t addr,
                  struct kmd_bo **out)
{
    struct kmd_bo *bo = new_bo(dev);
    if (!bo)
        return -ENOMEM;
    bo->is_sparse = is_sparse;
    bo->place = (uint8_t)place;
    bo->place_addr = addr;
    int err = create_with_retries(dev, bo, NULL, size_B);
    if (err) {
        free(bo);
        return err == -ENOMEM && addr ? -EADDRINUSE : err;
    }
    uint32_t got;
    if (addr && (kmd_bo_engine_addr(bo, &got) || got != addr)) {
        free_bo(bo);
        return -EADDRINUSE;
    }
    *out = bo;
    return 0;
}

int kmd_bo_create_at(struct kmd_device *dev, uint64_t size_B, enum kmd_place place, uint32_t addr, const char *label,
                     struct kmd_bo **out)
{
    if (size_B == 0)
        return -EINVAL;
    if (size_B > MAX_BO_B)
        return -ENOMEM;
    uint32_t aligned_B = (uint32_t)util_align64(size_B, KMD_PAGE_B);
    kmd_bo_cache_trim(dev);
    struct kmd_bo *bo = addr ? NULL : take_cached(&dev->cache, aligned_B, place);
    while (bo && !reclaim(bo)) {
        free_bo(bo);
        bo = take_cached(&dev->cache, aligned_B, place);
    }
    if (bo) {
        atomic_store_explicit(&bo->refs, 1, memory_order_relaxed);
    } else {
        int err = create(dev, aligned_B, /* is_sparse */ false, place, addr, &bo);
        if (err)
            return err;
    }
    atomic_fetch_add_explicit(&dev->used_B, bo->size_B, memory_order_relaxed);
    kmd_bo_label(bo, label);
    *out = bo;
    return 0;
}

int kmd_bo_create(struct kmd_device *dev, uint64_t size_B, const char *label, struct kmd_bo **out)
{
    return kmd_bo_create_at(dev, size_B, KMD_PLACE_DRIVER, 0, label, out);
}

int kmd_bo_create_sparse(struct kmd_device *dev, uint64_t size_B, enum kmd_place place, uint32_t addr,
                         const char *label, struct kmd_bo **out)
{
    if (!dev->ops->bo_create_sparse)
        return -ENOTSUP;
    if (size_B == 0)
        return -EINVAL;
    if (size_B > MAX_BO_B)
        return -ENOMEM;
    kmd_bo_cache_trim(dev);
    int err = create(dev, (uint32_t)size_B, /* is_sparse */ true, place, addr, out);
    if (!err)
        kmd_bo_label(*out, label);
    return err;
}

int kmd_bo_bind_sparse(struct kmd_bo *bo, uint32_t offset_B, uint32_t size_B, const struct kmd_bo *memory,
                       uint32_t memory_offset_B)
{
    return bo->is_sparse ? bo->dev->bo_ops->bind_sparse(bo, offset_B, size_B, memory, memory_offset_B) : -EINVAL;
}

int kmd_bo_create_shader(struct kmd_device *dev, const uint64_t *code, uint32_t size_B, struct kmd_bo **out)
{
    if (size_B == 0 || size_B % 8)
        return -EINVAL;
    struct kmd_bo *bo = new_bo(dev);
    if (!bo)
        return -ENOMEM;
    bo->is_shader = true;
    int err = create_with_retries(dev, bo, code, size_B);
    if (err) {
        free(bo);
        return err;
    }
    atomic_fetch_add_explicit(&dev->used_B, bo->size_B, memory_order_relaxed);
    *out = bo;
    return 0;
}

/* Subtracts an unreferenced BO from the used memory. */
static void uncharge(const struct kmd_bo *bo)
{
    if (!bo->is_sparse)
        atomic_fetch_sub_explicit(&bo->dev->used_B, bo->size_B, memory_order_relaxed);
}

/* Under the lock, because the kernel has one handle per memory and file: no thread may import the memory between the
 * removal from the list and the close. A busy BO may be closed, as the kernel's jobs hold references. */
static void free_shared_locked(struct kmd_bo *bo)
{
    util_list_del(&bo->shared_link);
    uncharge(bo);
    free_bo(bo);
}

static void unref_shared(struct kmd_bo *bo)
{
    struct kmd_device *dev = bo->dev;
    pthread_mutex_lock(&dev->shared_mutex);
    if (atomic_fetch_sub_explicit(&bo->refs, 1, memory_order_acq_rel) == 1)
        free_shared_locked(bo);
    pthread_mutex_unlock(&dev->shared_mutex);
}

void kmd_bo_unref(struct kmd_bo *bo)
{
    if (!bo)
        return;
    if (atomic_load_explicit(&bo->is_shared, memory_order_acquire)) {
        unref_shared(bo);
        return;
    }
    if (atomic_fetch_sub_explicit(&bo->refs, 1, memory_order_acq_rel) != 1)
        return;
    struct kmd_device *dev = bo->dev;
    if (atomic_load_explicit(&bo->is_shared, memory_order_acquire)) { /* exported since the check above */
        pthread_mutex_lock(&dev->shared_mutex);
        free_shared_locked(bo);
        pthread_mutex_unlock(&dev->shared_mutex);
        return;
    }
    uncharge(bo);
    if (is_never_reused(bo) && !kmd_bo_is_busy(bo))
        free_bo(bo);
    else
        give_to_cache(&dev->cache, bo);
    kmd_bo_cache_trim(dev);
}

void *kmd_bo_map(struct kmd_bo *bo)
{
    void *map = atomic_load_explicit(&bo->map, memory_order_acquire);
    if (map || bo->is_shader)
        return map;
    pthread_mutex_lock(&bo->dev->cache.mutex); /* slow path: the backend did not map the BO at creation */
    map = atomic_load_explicit(&bo->map, memory_order_acquire);
    if (!map) {
        map = bo->dev->bo_ops->map(bo);
        atomic_store_explicit(&bo->map, map, memory_order_release);
    }
    pthread_mutex_unlock(&bo->dev->cache.mutex);
    return map;
}

/* A BO is marked before its descriptor exists, because that may be imported at once. If the export fails, the mark only
 * keeps the BO out of the cache. */
static void mark_shared(struct kmd_bo *bo)
{
    struct kmd_device *dev = bo->dev;
    pthread_mutex_lock(&dev->shared_mutex);
    if (!atomic_load_explicit(&bo->is_shared, memory_order_relaxed)) {
        util_list_add_tail(&dev->shared, &bo->shared_link);
        atomic_store_explicit(&bo->is_shared, true, memory_order_release);
    }
    pthread_mutex_unlock(&dev->shared_mutex);
}

int kmd_bo_export_fd(struct kmd_bo *bo, int *fd_out)
{
    if (!bo->dev->bo_ops->export_fd)
        return -ENOTSUP;
    if (bo->is_shader || bo->is_sparse)
        return -EINVAL;
    mark_shared(bo);
    return bo->dev->bo_ops->export_fd(bo, fd_out); /* may wait for the BO's jobs */
}

/* -- dma-bufs of the model ---------------------------------------------------------------------------------------- */

/* Ensures that the BO has a dma-buf. Of two threads that make one, the second drops its own. */
static int ensure_dma_buf(struct kmd_bo *bo)
{
    int fd;
    if (atomic_load_explicit(&bo->dma_buf_fd, memory_order_acquire) >= 0)
        return 0;
    int err = bo->dev->bo_ops->make_dma_buf(bo, &fd); /* may wait for the BO's jobs */
    if (err)
        return err;
    pthread_mutex_lock(&bo->dev->shared_mutex);
    const bool is_first = atomic_load_explicit(&bo->dma_buf_fd, memory_order_relaxed) < 0;
    if (is_first) {
        bo->owns_dma_buf_fd = true;
        atomic_store_explicit(&bo->dma_buf_fd, fd, memory_order_release);
    }
    pthread_mutex_unlock(&bo->dev->shared_mutex);
    if (!is_first)
        close(fd);
    return 0;
}

int kmd_bo_export_dma_buf(struct kmd_bo *bo, int *fd_out)
{
    if (!bo->dev->bo_ops->make_dma_buf)
        return kmd_bo_export_fd(bo, fd_out);
    if (bo->is_shader || bo->is_sparse)
        return -EINVAL;
    mark_shared(bo);
    int err = ensure_dma_buf(bo);
    if (err)
        return err;
    *fd_out = fcntl(atomic_load_explicit(&bo->dma_buf_fd, memory_order_acquire), F_DUPFD_CLOEXEC, 0);
    return *fd_out < 0 ? -errno : 0;
}

bool kmd_bo_has_cpu_access(const struct kmd_bo *bo)
{
    return atomic_load_explicit(&bo->dma_buf_fd, memory_order_acquire) >= 0;
}

void kmd_bo_begin_cpu_access(struct kmd_bo *bo)
{
    if (kmd_bo_has_cpu_access(bo))
        (void)kmd_dma_buf_begin_cpu_access(atomic_load_explicit(&bo->dma_buf_fd, memory_order_relaxed));
}

void kmd_bo_end_cpu_access(struct kmd_bo *bo)
{
    if (kmd_bo_has_cpu_access(bo))
        (void)kmd_dma_buf_end_cpu_access(atomic_load_explicit(&bo->dma_buf_fd, memory_order_relaxed));
}

/* -- imports ------------------------------------------------------------------------------------------------------ */

enum import_step { IMPORT_DONE, IMPORT_AGAIN };

/* Under shared_mutex no shared BO is added or freed, so a handle in the list stays valid. */
static enum import_step import_locked(struct kmd_device *dev, int fd, struct kmd_bo *fresh, struct kmd_bo **out,
                                      int *err_out)
{
    *err_out = dev->ops->bo_import(dev, fd, fresh);
    if (*err_out)
        return IMPORT_DONE;
    util_list_for_each(struct kmd_bo, bo, &dev->shared, shared_link) {
        if (bo->handle != fresh->handle)
            continue;
        uint32_t refs = atomic_load_explicit(&bo->refs, memory_order_relaxed);
        while (refs && !atomic_compare_exchange_weak_explicit(&bo->refs, &refs, refs + 1, memory_order_relaxed,
                                                              memory_order_relaxed)) {
        }
        *out = bo;
        return refs ? IMPORT_DONE : IMPORT_AGAIN; /* refs 0: another thread waits for the lock to free it */
    }
    util_list_add_tail(&dev->shared, &fresh->shared_link);
    atomic_fetch_add_explicit(&dev->used_B, fresh->size_B, memory_order_relaxed);
    *out = fresh;
    return IMPORT_DONE;
}

int kmd_bo_import_fd(struct kmd_device *dev, int fd, struct kmd_bo **out)
{
    if (!dev->ops->bo_import)
        return -ENOTSUP;
    struct kmd_bo *fresh = new_bo(dev);
    if (!fresh)
        return -ENOMEM;
    atomic_init(&fresh->is_shared, true);
    fresh->place = KMD_PLACE_MEMORY;
    struct kmd_bo *found = NULL;
    enum import_step step;
    int err;
    do {
        pthread_mutex_lock(&dev->shared_mutex);
        step = import_locked(dev, fd, fresh, &found, &err);
        pthread_mutex_unlock(&dev->shared_mutex);
        if (step == IMPORT_AGAIN)
            sched_yield();
    } while (step == IMPORT_AGAIN);
    if (err || found != fresh)
        free(fresh);
    if (!err)
        *out = found;
    return err;
}

int kmd_bo_import_host(struct kmd_device *dev, void *host, uint64_t size_B, struct kmd_bo **out)
{
    if (!dev->ops->bo_import_host)
        return -ENOTSUP;
    if (size_B == 0)
        return -EINVAL;
    if (size_B > MAX_BO_B)
        return -ENOMEM;
    struct kmd_bo *bo = new_bo(dev);
    if (!bo)
        return -ENOMEM;
    bo->size_B = (uint32_t)size_B;
    bo->place = KMD_PLACE_MEMORY;
    int err = dev->ops->bo_import_host(dev, host, bo->size_B, &bo->handle);
    if (err) {
        free(bo);
        return err;
    }
    atomic_init(&bo->is_shared, true); /* never recycled */
    pthread_mutex_lock(&dev->shared_mutex);
    util_list_add_tail(&dev->shared, &bo->shared_link);
    pthread_mutex_unlock(&dev->shared_mutex);
    atomic_fetch_add_explicit(&dev->used_B, bo->size_B, memory_order_relaxed);
    *out = bo;
    return 0;
}

void kmd_bo_end_host(struct kmd_bo *bo)
{
    if (bo->dev->bo_ops->end_host)
        bo->dev->bo_ops->end_host(bo);
}

int kmd_bo_madvise(struct kmd_bo *bo, bool is_needed, bool *retained_out)
{
    return bo->dev->bo_ops->madvise ? bo->dev->bo_ops->madvise(bo, is_needed, retained_out) : -ENOTSUP;
}

void kmd_bo_label(struct kmd_bo *bo, const char *label)
{
    if (label && bo->dev->bo_ops->label)
        bo->dev->bo_ops->label(bo, label);
}

void kmd_bo_mark_use(struct kmd_bo *bo, const struct kmd_timeline *timeline, uint64_t value)
{
    _Atomic uint64_t *last = &bo->last_use[timeline->index];
    uint64_t seen = atomic_load_explicit(last, memory_order_relaxed);
    while (seen < value &&
           !atomic_compare_exchange_weak_explicit(last, &seen, value, memory_order_release, memory_order_relaxed)) {
    }
}

bool kmd_bo_is_busy(const struct kmd_bo *bo)
{
    const struct kmd_store *store = &bo->dev->store;
    for (uint32_t i = 0; i < KMD_MAX_TIMELINES; i++) {
        uint64_t value = atomic_load_explicit(&bo->last_use[i], memory_order_acquire);
        if (!kmd_timeline_is_retired(&store->timelines[i], value))
            return true;
    }
    return false;
}
