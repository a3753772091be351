/* SPDX-License-Identifier: MIT
 *
 * Reserves the device's address space, and allocates and frees ranges of it (first fit, by address, or last fit).
 *
 * Freed memory is cleared at once. Small ranges are overwritten; large ones return their pages to the system.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "model/kernel/krn_memory.h"

#define EDGE_B          UINT32_C(0x10000)    /* reserved at both ends: address 0 and overflows are always invalid */
#define SPACE_64_B      UINT64_C(0xff000000) /* the 32-bit address space without the top 16 MiB */
#define SPACE_32_B      UINT64_C(0x40000000)
#define SMALLEST_B      UINT64_C(0x04000000)
#define ZERO_BY_WRITE_B (128u * 1024)
#define LARGE_PAGE_B    UINT32_C(0x200000)

struct krn_range {
    struct util_list link;
    uint32_t addr, size_B;
};

static bool is_mapped(const struct gpu_memory *gpu, uint32_t addr, uint32_t size_B)
{
    const struct krn_memory *mem = container_of(gpu, struct krn_memory, gpu);
    if (!size_B)
        return true;
    if (addr >= gpu->size_B || size_B > gpu->size_B - addr)
        return false;
    for (uint32_t page = addr / KRN_PAGE_B; page <= (addr + size_B - 1) / KRN_PAGE_B; page++) {
        if (!(__atomic_load_n(&mem->mapped[page / 32], __ATOMIC_RELAXED) >> page % 32 & 1))
            return false;
    }
    return true;
}

static void set_mapped(struct krn_memory *mem, uint32_t addr, uint32_t size_B, bool mapped)
{
    for (uint32_t page = addr / KRN_PAGE_B; page < (addr + size_B) / KRN_PAGE_B; page++) {
        uint32_t *word = &mem->mapped[page / 32];
        uint32_t bit = BIT(page % 32);
        __atomic_store_n(word, mapped ? *word | bit : *word & ~bit, __ATOMIC_RELAXED);
    }
}

/* Maps the device's memory from an offset on, at `at`, or anywhere if it is NULL. */
static void *map(const struct krn_memory *mem, void *at, size_t size_B, uint64_t offset_B)
{
    const int flags = (mem->fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | (at ? MAP_FIXED : 0);
    void *base = mmap(at, size_B, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, mem->fd, (off_t)offset_B);
    if (base != MAP_FAILED)
        madvise(base, size_B, MADV_DONTDUMP);
    return base;
}

/* Reserves as much address space as possible, halving the size until it works. The memfd is as large, but sparse. */
static int reserve(struct krn_memory *mem, bool is_private)
{
    mem->fd = is_private ? -1 : memfd_create("vc4vk-memory", MFD_CLOEXEC);
    if (mem->fd < 0 && !is_private)
        return -errno;
    for (uint64_t size_B = sizeof(void *) > 4 ? SPACE_64_B : SPACE_32_B; size_B >= SMALLEST_B; size_B /= 2) {
        size_B &= ~(uint64_t)(KRN_PAGE_B - 1);
        if (mem->fd >= 0 && ftruncate(mem->fd, (off_t)size_B) < 0)
            continue;
        void *base = map(mem, NULL, (size_t)size_B, 0);
        if (base == MAP_FAILED)
            continue;
        mem->gpu.base = base;
        mem->gpu.size_B = (uint32_t)size_B;
        mem->reserved_B = size_B;
        return 0;
    }
    if (mem->fd >= 0)
        close(mem->fd);
    return -ENOMEM;
}

static void release(struct krn_memory *mem)
{
    munmap(mem->gpu.base, (size_t)mem->reserved_B);
    if (mem->fd >= 0)
        close(mem->fd);
}

int krn_memory_init(struct krn_memory *mem, uint64_t limit_B, bool is_private)
{
    memset(mem, 0, sizeof *mem);
    util_list_init(&mem->free_list);
    int err = reserve(mem, is_private);
    if (err)
        return err;
    mem->gpu.is_mapped = is_mapped;
    mem->limit_B = limit_B ? MIN2(limit_B, mem->reserved_B) : mem->reserved_B;
    mem->mapped = calloc(mem->reserved_B / KRN_PAGE_B / 32 + 1, sizeof *mem->mapped);
    struct krn_range *all = malloc(sizeof *all);
    err = mem->mapped && all ? pthread_mutex_init(&mem->lock, NULL) : ENOMEM;
    if (err) {
        free(all);
        free(mem->mapped);
        release(mem);
        return -err;
    }
    all->addr = EDGE_B;
    all->size_B = (uint32_t)(mem->reserved_B - 2 * EDGE_B);
    util_list_add_tail(&mem->free_list, &all->link);
    return 0;
}

void krn_memory_finish(struct krn_memory *mem)
{
    util_list_for_each_safe(struct krn_range, range, &mem->free_list, link)
        free(range);
    pthread_mutex_destroy(&mem->lock);
    free(mem->mapped);
    release(mem);
}

/* Takes [addr, addr + size_B) out of a free range. False: out of memory for the second part. */
static bool cut(struct krn_range *range, uint32_t addr, uint32_t size_B)
{
    uint32_t before_B = addr - range->addr, after_B = range->size_B - before_B - size_B;
    if (before_B && after_B) {
        struct krn_range *tail = malloc(sizeof *tail);
        if (!tail)
            return false;
        tail->addr = addr + size_B;
        tail->size_B = after_B;
        util_list_add_after(&range->link, &tail->link);
        range->size_B = before_B;
    } else if (before_B) {
        range->size_B = before_B;
    } else if (after_B) {
        range->addr += size_B;
        range->size_B = after_B;
    } else {
        util_list_del(&range->link);
        free(range);
    }
    return true;
}

/* Asks for large pages for buffers of at least one: the system call costs little compared with touching the memory. */
static void advise_large_pages(const struct krn_memory *mem, uint32_t addr, uint32_t size_B)
{
#ifdef MADV_HUGEPAGE
    if (mem->fd < 0 && size_B >= LARGE_PAGE_B)
        madvise(krn_memory_ptr(mem, addr), size_B / LARGE_PAGE_B * LARGE_PAGE_B, MADV_HUGEPAGE);
#endif
}

uint32_t krn_memory_upper_addr(const struct krn_memory *mem)
{
    return (uint32_t)(mem->reserved_B / 8 & ~(uint64_t)(LARGE_PAGE_B - 1));
}

/* The address that an allocation would get in a free range; 0: it does not fit. */
static uint32_t fit(const struct krn_memory *mem, const struct krn_range *range, uint32_t size_B, uint32_t align_B,
                    const struct krn_place *place)
{
    const uint64_t end = (uint64_t)range->addr + range->size_B;
    uint64_t first = range->addr, addr;
    if (place->where != MODEL_PLACE_LOWEST)
        first = MAX2(first, (uint64_t)krn_memory_upper_addr(mem));
    if (end < first + size_B)
        return 0;
    if (place->addr)
        addr = place->addr;
    else if (place->where == MODEL_PLACE_TOP)
        addr = (end - size_B) & ~(uint64_t)(align_B - 1);
    else
        addr = util_align64(first, align_B);
    return addr >= first && addr + size_B <= end ? (uint32_t)addr : 0;
}

/* The free range for an allocation: the last one that has room for those at the top, otherwise the first. */
static struct krn_range *find_range(const struct krn_memory *mem, uint32_t size_B, uint32_t align_B,
                                    const struct krn_place *place, uint32_t *addr_out)
{
    struct krn_range *found = NULL;
    util_list_for_each(struct krn_range, range, &mem->free_list, link) {
        const uint32_t addr = fit(mem, range, size_B, align_B, place);
        if (!addr)
            continue;
        found = range;
        *addr_out = addr;
        if (place->where != MODEL_PLACE_TOP)
            break;
    }
    return found;
}

int krn_memory_alloc(struct krn_memory *mem, uint32_t size_B, uint32_t align_B, const struct krn_place *place,
                     uint32_t *addr_out)
{
    assert(util_is_pow2(align_B) && align_B >= KRN_PAGE_B);
    if (mem->fd < 0 && size_B >= LARGE_PAGE_B)
        align_B = MAX2(align_B, LARGE_PAGE_B);
    if (!size_B || size_B > mem->reserved_B - 2 * EDGE_B || place->addr % KRN_PAGE_B)
        return -ENOMEM;
    size_B = util_align(size_B, KRN_PAGE_B);
    int err = -ENOMEM;
    pthread_mutex_lock(&mem->lock);
    uint32_t addr = 0;
    const bool is_allowed = place->is_uncharged || size_B <= mem->limit_B - mem->used_B;
    struct krn_range *range = is_allowed ? find_range(mem, size_B, align_B, place, &addr) : NULL;
    if (range && cut(range, addr, size_B)) {
        set_mapped(mem, addr, size_B, true);
        mem->used_B += place->is_uncharged ? 0 : size_B;
        *addr_out = addr;
        err = 0;
    }
    pthread_mutex_unlock(&mem->lock);
    if (!err)
        advise_large_pages(mem, *addr_out, size_B);
    return err;
}

static bool release_pages(const struct krn_memory *mem, uint32_t addr, uint32_t size_B)
{
    if (mem->fd < 0)
        return !madvise(krn_memory_ptr(mem, addr), size_B, MADV_DONTNEED);
    return !fallocate(mem->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)addr, (off_t)size_B);
}

static void clear(struct krn_memory *mem, uint32_t addr, uint32_t size_B)
{
    if (size_B > ZERO_BY_WRITE_B && release_pages(mem, addr, size_B))
        return;
    memset(krn_memory_ptr(mem, addr), 0, size_B);
}

static void uncharge(struct krn_memory *mem, uint32_t size_B)
{
    pthread_mutex_lock(&mem->lock);
    mem->used_B -= util_align(size_B, KRN_PAGE_B);
    pthread_mutex_unlock(&mem->lock);
}

void krn_memory_discard(struct krn_memory *mem, uint32_t addr, uint32_t size_B)
{
    clear(mem, addr, util_align(size_B, KRN_PAGE_B));
    uncharge(mem, size_B);
}

void krn_memory_free(struct krn_memory *mem, uint32_t addr, uint32_t size_B)
{
    uncharge(mem, size_B);
    krn_memory_free_discarded(mem, addr, size_B);
}

/* Clears the memory again: a process that has it mapped may have written to it since the discard. */
void krn_memory_free_discarded(struct krn_memory *mem, uint32_t addr, uint32_t size_B)
{
    size_B = util_align(size_B, KRN_PAGE_B);
    clear(mem, addr, size_B);

    pthread_mutex_lock(&mem->lock);
    set_mapped(mem, addr, size_B, false);
    struct util_list *at = mem->free_list.next; /* the first range after it */
    while (at != &mem->free_list && util_list_entry(at, struct krn_range, link)->addr < addr)
        at = at->next;
    struct krn_range *next = at != &mem->free_list ? util_list_entry(at, struct krn_range, link) : NULL;
    struct krn_range *prev = at->prev != &mem->free_list ? util_list_entry(at->prev, struct krn_range, link) : NULL;
    bool joins_next = next && addr + size_B == next->addr;
    bool joins_prev = prev && prev->addr + prev->size_B == addr;
    if (joins_prev && joins_next) {
        prev->size_B += size_B + next->size_B;
        util_list_del(&next->link);
        free(next);
    } else if (joins_prev) {
        prev->size_B += size_B;
    } else if (joins_next) {
        next->addr = addr;
        next->size_B += size_B;
    } else {
        struct krn_range *range = malloc(sizeof *range);
        if (range) { /* on failure the range leaks until the device is destroyed */
            range->addr = addr;
            range->size_B = size_B;
            util_list_add_before(at, &range->link);
        }
    }
    pthread_mutex_unlock(&mem->lock);
}

int krn_memory_map_file(struct krn_memory *mem, uint32_t addr, uint32_t size_B, int fd, uint64_t offset_B)
{
    void *at = krn_memory_ptr(mem, addr);
    if (mmap(at, size_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset_B) == MAP_FAILED)
        return -errno;
    if (mem->fd >= 0) /* the pages that the mapping hides must be zero when the range is freed and allocated again */
        release_pages(mem, addr, size_B);
    return 0;
}

int krn_memory_unmap_file(struct krn_memory *mem, uint32_t addr, uint32_t size_B)
{
    return map(mem, krn_memory_ptr(mem, addr), size_B, addr) == MAP_FAILED ? -errno : 0;
}
