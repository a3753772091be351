/* SPDX-License-Identifier: MIT
 *
 * Suballocates small memory from slabs: BOs with up to 64 slots of one size. A slab is created when no other slab of
 * its size has a free slot, and is released (to the BO cache) when all its slots are free. A BO costs a handle, a
 * mapping and a row in the tables of jobs, and Linux rounds it up to whole pages, while applications make thousands of
 * small allocations.
 */
#include <errno.h>
#include <stdlib.h>
#include "kmd/kmd_backend.h"

#define MAX_SLAB_B 262144u

struct kmd_slab {
    struct util_list link; /* in with_free_slot while it has a free slot */
    struct kmd_bo *bo;
    uint64_t free; /* a bit for each slot */
    uint32_t size_class, slot_B;
};

int kmd_part_heap_init(struct kmd_part_heap *heap)
{
    for (uint32_t i = 0; i < KMD_PART_CLASSES; i++)
        util_list_init(&heap->with_free_slot[i]);
    return -pthread_mutex_init(&heap->mutex, NULL);
}

void kmd_part_heap_finish(struct kmd_part_heap *heap)
{
    pthread_mutex_destroy(&heap->mutex);
}

static uint32_t slot_count(const struct kmd_slab *slab)
{
    return MIN2(MAX_SLAB_B / slab->slot_B, 64u);
}

static uint64_t all_slots(const struct kmd_slab *slab)
{
    return UINT64_MAX >> (64 - slot_count(slab));
}

/* The used memory includes allocated slots, not the slabs that contain them. */
static void count_used(struct kmd_device *dev, int64_t change_B)
{
    atomic_fetch_add_explicit(&dev->used_B, (uint64_t)change_B, memory_order_relaxed);
}

static int slab_create(struct kmd_device *dev, uint32_t size_class, struct kmd_slab **out)
{
    struct kmd_slab *slab = calloc(1, sizeof *slab);
    if (!slab)
        return -ENOMEM;
    util_list_init(&slab->link);
    slab->size_class = size_class;
    slab->slot_B = KMD_PAGE_B << size_class;
    slab->free = all_slots(slab);
    const uint64_t size_B = (uint64_t)slot_count(slab) * slab->slot_B;
    int err = kmd_bo_create_at(dev, size_B, KMD_PLACE_MEMORY, 0, "small memory", &slab->bo);
    if (err) {
        free(slab);
        return err;
    }
    count_used(dev, -(int64_t)slab->bo->size_B);
    *out = slab;
    return 0;
}

static void slab_destroy(struct kmd_slab *slab)
{
    count_used(slab->bo->dev, slab->bo->size_B);
    kmd_bo_unref(slab->bo);
    free(slab);
}

/* False: no slab of this size has a free slot. */
static bool take_slot_locked(struct kmd_device *dev, uint32_t size_class, struct kmd_part *out)
{
    struct util_list *with_free_slot = &dev->parts.with_free_slot[size_class];
    if (util_list_is_empty(with_free_slot))
        return false;
    struct kmd_slab *slab = util_list_first(with_free_slot, struct kmd_slab, link);
    const uint32_t slot = (uint32_t)__builtin_ctzll(slab->free);
    slab->free &= slab->free - 1;
    if (!slab->free)
        util_list_del(&slab->link);
    count_used(dev, slab->slot_B);
    *out = (struct kmd_part){.bo = slab->bo, .offset_B = slot * slab->slot_B, .size_B = slab->slot_B, .slab = slab};
    return true;
}

/* Creates a slab without holding the lock, as that may wait for memory. So two threads may create one each. */
static int take_slot(struct kmd_device *dev, uint32_t size_class, struct kmd_part *out)
{
    struct kmd_part_heap *heap = &dev->parts;
    pthread_mutex_lock(&heap->mutex);
    bool has_slot = take_slot_locked(dev, size_class, out);
    pthread_mutex_unlock(&heap->mutex);
    if (has_slot)
        return 0;
    struct kmd_slab *slab;
    int err = slab_create(dev, size_class, &slab);
    pthread_mutex_lock(&heap->mutex);
    if (!err)
        util_list_add_head(&heap->with_free_slot[size_class], &slab->link);
    if (take_slot_locked(dev, size_class, out)) /* even if creation failed, another thread may have freed a slot */
        err = 0;
    pthread_mutex_unlock(&heap->mutex);
    return err;
}

int kmd_part_create(struct kmd_device *dev, uint64_t size_B, const char *label, struct kmd_part *out)
{
    int err = -ENOMEM;
    *out = (struct kmd_part){0};
    if (size_B && size_B <= KMD_PART_MAX_B) {
        uint32_t size_class = 0;
        while (KMD_PAGE_B << size_class < size_B)
            size_class++;
        err = take_slot(dev, size_class, out);
    }
    if (err != -ENOMEM) /* a BO of its own may still fit, as it is smaller than a slab */
        return err;
    err = kmd_bo_create_at(dev, size_B, KMD_PLACE_MEMORY, 0, label, &out->bo);
    out->size_B = err ? 0 : out->bo->size_B;
    return err;
}

void kmd_part_destroy(struct kmd_part *part)
{
    struct kmd_slab *slab = part->slab;
    if (slab) {
        struct kmd_part_heap *heap = &slab->bo->dev->parts;
        bool is_unused;
        pthread_mutex_lock(&heap->mutex);
        if (!slab->free)
            util_list_add_head(&heap->with_free_slot[slab->size_class], &slab->link);
        slab->free |= UINT64_C(1) << part->offset_B / slab->slot_B;
        count_used(slab->bo->dev, -(int64_t)slab->slot_B);
        is_unused = slab->free == all_slots(slab);
        if (is_unused)
            util_list_del(&slab->link);
        pthread_mutex_unlock(&heap->mutex);
        if (is_unused)
            slab_destroy(slab);
    } else {
        kmd_bo_unref(part->bo);
    }
    *part = (struct kmd_part){0};
}
