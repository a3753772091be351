/* SPDX-License-Identifier: MIT
 *
 * The window: address space of this process that is reserved for the mappings of a DRM device's BOs, so that each BO
 * has a 32-bit address (its offset in the window) for the CPU engine. Ranges are allocated first fit, or last fit, from a
 * list of gaps sorted by address.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include "kmd/kmd_drm.h"

#define LARGEST_B  (sizeof(void *) >= 8 ? UINT64_C(0xffff0000) : UINT64_C(512) << 20)
#define SMALLEST_B (UINT64_C(32) << 20)
#define FIRST_B    0x10000u /* the lowest addresses stay unmapped */

struct gap {
    struct util_list link;
    uint32_t addr, size_B;
};

static int add_gap(struct util_list *before, uint32_t addr, uint32_t size_B)
{
    struct gap *gap = malloc(sizeof *gap);
    if (!gap)
        return -1;
    *gap = (struct gap){.addr = addr, .size_B = size_B};
    util_list_add_before(before, &gap->link);
    return 0;
}

void kmd_drm_window_init(struct kmd_drm_window *w)
{
    *w = (struct kmd_drm_window){0};
    util_list_init(&w->gaps);
    pthread_mutex_init(&w->mutex, NULL);
    for (uint64_t size_B = LARGEST_B; size_B >= SMALLEST_B && !w->base; size_B /= 2) {
        size_B &= ~(uint64_t)(KMD_PAGE_B - 1);
        void *base = mmap(NULL, size_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED)
            continue;
        w->base = base;
        w->size_B = size_B;
    }
    if (w->base)
        add_gap(&w->gaps, FIRST_B, (uint32_t)(w->size_B - FIRST_B));
}

void kmd_drm_window_finish(struct kmd_drm_window *w)
{
    util_list_for_each_safe(struct gap, gap, &w->gaps, link)
        free(gap);
    if (w->base)
        munmap(w->base, w->size_B);
    pthread_mutex_destroy(&w->mutex);
}

uint32_t kmd_drm_window_upper_addr(const struct kmd_drm_window *w)
{
    return (uint32_t)(w->size_B / 8 & ~(uint64_t)(KMD_PAGE_B - 1));
}

/* The address that a BO would get in a gap; 0: it does not fit. */
static uint32_t fit(const struct kmd_drm_window *w, const struct gap *gap, const struct kmd_bo *bo)
{
    const uint64_t end = (uint64_t)gap->addr + gap->size_B;
    uint64_t first = gap->addr, addr;
    if (bo->place != KMD_PLACE_DRIVER)
        first = MAX2(first, (uint64_t)kmd_drm_window_upper_addr(w));
    if (end < first + bo->size_B)
        return 0;
    addr = bo->place_addr ? bo->place_addr : bo->place == KMD_PLACE_REPLAY ? end - bo->size_B : first;
    return addr >= first && addr + bo->size_B <= end ? (uint32_t)addr : 0;
}

/* Takes [addr, addr + size_B) out of a gap. False: no memory for the second part. */
static bool cut(struct gap *gap, uint32_t addr, uint32_t size_B)
{
    const uint32_t before_B = addr - gap->addr, after_B = gap->size_B - before_B - size_B;
    if (before_B && after_B && add_gap(gap->link.next, addr + size_B, after_B))
        return false;
    if (before_B) {
        gap->size_B = before_B;
    } else if (after_B) {
        gap->addr += size_B;
        gap->size_B = after_B;
    } else {
        util_list_del(&gap->link);
        free(gap);
    }
    return true;
}

/* Returns 0, which is no buffer's address, if no gap fits or there is no memory for a list entry. */
static uint32_t alloc_range(struct kmd_drm_window *w, const struct kmd_bo *bo)
{
    struct gap *found = NULL;
    uint32_t found_addr = 0;
    pthread_mutex_lock(&w->mutex);
    util_list_for_each(struct gap, gap, &w->gaps, link) {
        const uint32_t addr = fit(w, gap, bo);
        if (!addr)
            continue;
        found = gap;
        found_addr = addr;
        if (bo->place != KMD_PLACE_REPLAY)
            break;
    }
    if (found && !cut(found, found_addr, bo->size_B))
        found_addr = 0;
    pthread_mutex_unlock(&w->mutex);
    return found_addr;
}

/* Leaks the range if there is no memory for a list entry. */
static void free_range(struct kmd_drm_window *w, uint32_t addr, uint32_t size_B)
{
    pthread_mutex_lock(&w->mutex);
    struct gap *before = NULL, *after = NULL;
    util_list_for_each(struct gap, gap, &w->gaps, link) {
        if (gap->addr > addr) {
            after = gap;
            break;
        }
        before = gap;
    }
    bool joins_before = before && before->addr + before->size_B == addr;
    bool joins_after = after && addr + size_B == after->addr;
    if (joins_before && joins_after) {
        before->size_B += size_B + after->size_B;
        util_list_del(&after->link);
        free(after);
    } else if (joins_before) {
        before->size_B += size_B;
    } else if (joins_after) {
        after->addr = addr;
        after->size_B += size_B;
    } else {
        add_gap(after ? &after->link : &w->gaps, addr, size_B);
    }
    pthread_mutex_unlock(&w->mutex);
}

void *kmd_drm_window_map(struct kmd_drm_window *w, int fd, uint64_t offset_B, const struct kmd_bo *bo)
{
    const uint32_t size_B = bo->size_B;
    const uint32_t addr = w->base ? alloc_range(w, bo) : 0;
    if (addr) {
        void *map = mmap(w->base + addr, size_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset_B);
        if (map != MAP_FAILED)
            return map;
        free_range(w, addr, size_B);
    }
    if (bo->place_addr)
        return NULL;
    void *map = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset_B);
    return map == MAP_FAILED ? NULL : map;
}

bool kmd_drm_window_addr(const struct kmd_drm_window *w, const void *map, uint32_t *addr_out)
{
    if (!w->base || (const uint8_t *)map < w->base || (const uint8_t *)map >= w->base + w->size_B)
        return false;
    *addr_out = (uint32_t)((const uint8_t *)map - w->base);
    return true;
}

void kmd_drm_window_unmap(struct kmd_drm_window *w, void *map, uint32_t size_B)
{
    uint32_t addr;
    if (!kmd_drm_window_addr(w, map, &addr)) {
        munmap(map, size_B);
        return;
    }
    if (mmap(map, size_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED)
        free_range(w, addr, size_B);
}
