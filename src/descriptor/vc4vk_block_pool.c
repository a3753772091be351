/* SPDX-License-Identifier: MIT
 *
 * Block pool: growth, free lists, and allocation of blocks. Growth maps the next piece of the memfd at its place in the
 * reservation and never changes existing mappings; each side doubles its mapped size. Pages are allocated before a
 * block is handed out, and only as many as needed. Lack of memory is therefore an error here instead of a SIGBUS later.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "descriptor/vc4vk_block_pool.h"
#include "device/vc4vk_error.h"

#define MIN_RESERVE_B (UINT64_C(16) << 20)
#define GROW_STEP_B   (UINT64_C(64) << 10) /* granularity of mapping and of page allocation */
#define UNIT_B        (1u << VC4VK_BLOCK_MIN_LOG2)

/* -- system memory ------------------------------------------------------------------------------------------------ */

static bool map_memory(int fd, uint8_t *at, uint64_t offset_B, uint64_t size_B)
{
    return mmap(at, size_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset_B) != MAP_FAILED;
}

static bool back_memory(int fd, uint64_t offset_B, uint64_t size_B)
{
    int err;
    do {
        err = posix_fallocate(fd, (off_t)offset_B, (off_t)size_B);
    } while (err == EINTR);
    return !err;
}

static const struct vc4vk_pool_system memory_system = {map_memory, back_memory};

/* -- init and finish ---------------------------------------------------------------------------------------------- */

VkResult vc4vk_block_pool_init(struct vc4vk_block_pool *pool, uint64_t reserve_B)
{
    *pool = (struct vc4vk_block_pool){.fd = -1, .system = &memory_system};
    for (; reserve_B >= MIN_RESERVE_B; reserve_B /= 2) {
        void *base = mmap(NULL, reserve_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base != MAP_FAILED) {
            pool->base = base;
            break;
        }
    }
    if (!pool->base)
        return vc4vk_errorf(NULL, VK_ERROR_OUT_OF_HOST_MEMORY,
                            "block pool: cannot reserve %" PRIu64 " MiB of address space",
                            (uint64_t)(MIN_RESERVE_B >> 20));
    pool->half_B = reserve_B / 2;
    pool->zero = pool->base + pool->half_B;
    pool->fd = memfd_create("vc4vk-block-pool", MFD_CLOEXEC);
    if (pool->fd < 0 || ftruncate(pool->fd, (off_t)reserve_B)) {
        int err = errno;
        munmap(pool->base, reserve_B);
        if (pool->fd >= 0)
            close(pool->fd);
        *pool = (struct vc4vk_block_pool){.fd = -1};
        return vc4vk_errorf(NULL, VK_ERROR_OUT_OF_HOST_MEMORY, "block pool: cannot create the memfd: %s",
                            strerror(err));
    }
    pthread_mutex_init(&pool->grow_lock, NULL);
    return VK_SUCCESS;
}

void vc4vk_block_pool_finish(struct vc4vk_block_pool *pool)
{
    if (!pool->base)
        return;
    munmap(pool->base, pool->half_B * 2);
    close(pool->fd);
    pthread_mutex_destroy(&pool->grow_lock);
    *pool = (struct vc4vk_block_pool){.fd = -1};
}

/* -- free lists ---------------------------------------------------------------------------------------------------
 *
 * A reference is the distance from offset 0 in units of the smallest block, plus 1; reference 0 ends a list. A head
 * holds a reference and a tag. Every push and pop increments the tag, so a head that was popped and pushed again
 * meanwhile is not mistaken for the old one (ABA). A thread may read the link of a block that another thread has
 * already taken; the changed tag then makes its exchange fail. */

static uint32_t reference_of(enum vc4vk_pool_side side, int32_t offset_B)
{
    return (uint32_t)(side == VC4VK_POOL_FRONT ? offset_B : -offset_B) / UNIT_B + 1;
}

static int32_t offset_of(enum vc4vk_pool_side side, uint32_t reference)
{
    int32_t distance_B = (int32_t)((reference - 1) * UNIT_B);
    return side == VC4VK_POOL_FRONT ? distance_B : -distance_B;
}

/* Another thread may have taken the block meanwhile and may be writing to it. The value is then discarded, because the
 * head's tag has changed. */
UTIL_NO_TSAN static uint32_t read_link(const uint32_t *link)
{
    return __atomic_load_n(link, __ATOMIC_RELAXED);
}

bool vc4vk_free_list_pop(_Atomic uint64_t *head, const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side,
                         int32_t *offset_B_out)
{
    uint64_t old = atomic_load_explicit(head, memory_order_acquire), new;
    do {
        if (!(uint32_t)old)
            return false;
        *offset_B_out = offset_of(side, (uint32_t)old);
        new = ((old >> 32) + 1) << 32 | read_link(vc4vk_block_pool_ptr(pool, *offset_B_out));
    } while (!atomic_compare_exchange_weak_explicit(head, &old, new, memory_order_acquire, memory_order_acquire));
    return true;
}

void vc4vk_free_list_push_chain(_Atomic uint64_t *head, const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side,
                                int32_t first_B, int32_t last_B)
{
    uint32_t *link = vc4vk_block_pool_ptr(pool, last_B), first = reference_of(side, first_B);
    uint64_t old = atomic_load_explicit(head, memory_order_relaxed), new;
    do {
        __atomic_store_n(link, (uint32_t)old, __ATOMIC_RELAXED);
        new = ((old >> 32) + 1) << 32 | first;
    } while (!atomic_compare_exchange_weak_explicit(head, &old, new, memory_order_release, memory_order_relaxed));
}

void vc4vk_free_list_link(const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, int32_t offset_B,
                          int32_t next_B)
{
    uint32_t *link = vc4vk_block_pool_ptr(pool, offset_B);
    __atomic_store_n(link, reference_of(side, next_B), __ATOMIC_RELAXED);
}

int32_t vc4vk_free_list_next(const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, int32_t offset_B)
{
    return offset_of(side, read_link(vc4vk_block_pool_ptr(pool, offset_B)));
}

/* -- growth ------------------------------------------------------------------------------------------------------- */

/* Offset, in the reservation and in the file, of the range [from, from + size) of a side. `from_B` is a distance from
 * the pool's offset 0. */
static uint64_t file_offset_of(const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint64_t from_B,
                               uint64_t size_B)
{
    return side == VC4VK_POOL_FRONT ? pool->half_B + from_B : pool->half_B - from_B - size_B;
}

/* Doubles the mapped size of a side. When that fails it tries smaller steps, down to a mapped size of `needed_B`. */
static bool map_more(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint64_t needed_B)
{
    struct vc4vk_pool_half *half = &pool->sides[side];
    uint64_t least_B = needed_B - half->mapped_B;
    uint64_t step_B = MIN2(MAX2(MAX2(half->mapped_B, GROW_STEP_B), least_B), pool->half_B - half->mapped_B);
    for (;;) {
        uint64_t at_B = file_offset_of(pool, side, half->mapped_B, step_B);
        if (pool->system->map(pool->fd, pool->base + at_B, at_B, step_B)) {
            half->mapped_B += step_B;
            return true;
        }
        if (step_B == least_B)
            return false;
        step_B = MAX2(util_align64(step_B / 2, GROW_STEP_B), least_B);
    }
}

/* Maps and backs a side with pages up to `needed_B`. */
static bool grow(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint64_t needed_B)
{
    struct vc4vk_pool_half *half = &pool->sides[side];
    if (needed_B > pool->half_B)
        return false;
    needed_B = util_align64(needed_B, GROW_STEP_B);
    pthread_mutex_lock(&pool->grow_lock);
    uint64_t backed_B = atomic_load_explicit(&half->backed_B, memory_order_relaxed);
    bool ok = needed_B <= half->mapped_B || map_more(pool, side, needed_B);
    if (ok && backed_B < needed_B) {
        uint64_t step_B = needed_B - backed_B;
        ok = pool->system->back(pool->fd, file_offset_of(pool, side, backed_B, step_B), step_B);
        if (ok)
            atomic_store_explicit(&half->backed_B, needed_B, memory_order_release);
    }
    pthread_mutex_unlock(&pool->grow_lock);
    return ok;
}

/* -- blocks ------------------------------------------------------------------------------------------------------- */

static _Atomic uint64_t *free_list(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_log2)
{
    return &pool->sides[side].free[size_log2 - VC4VK_BLOCK_MIN_LOG2];
}

/* The offset of the lowest byte of [from, from + size). */
static int32_t lowest_byte(enum vc4vk_pool_side side, uint64_t from_B, uint64_t size_B)
{
    return side == VC4VK_POOL_FRONT ? (int32_t)from_B : (int32_t)-(int64_t)(from_B + size_B);
}

/* Cuts the gap that alignment has left into blocks, each aligned to its size, and frees them. */
static void put_gap(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint64_t from_B, uint64_t end_B)
{
    while (from_B < end_B) {
        uint64_t size_B = from_B & -from_B; /* ORDER: end_B has a higher alignment than from_B */
        vc4vk_block_pool_put(pool, side, (uint32_t)size_B, lowest_byte(side, from_B, size_B));
        from_B += size_B;
    }
}

static bool take_new(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_B, int32_t *offset_B_out)
{
    struct vc4vk_pool_half *half = &pool->sides[side];
    uint64_t at_B = atomic_load_explicit(&half->next_B, memory_order_relaxed), start_B;
    do {
        start_B = util_align64(at_B, size_B);
        if (start_B + size_B > atomic_load_explicit(&half->backed_B, memory_order_acquire) &&
            !grow(pool, side, start_B + size_B))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&half->next_B, &at_B, start_B + size_B, memory_order_relaxed,
                                                    memory_order_relaxed));
    put_gap(pool, side, at_B, start_B);
    *offset_B_out = lowest_byte(side, start_B, size_B);
    return true;
}

/* Fallback when the pool cannot grow: splits a larger free block. */
static bool split_larger(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_log2,
                         int32_t *offset_B_out)
{
    uint32_t log2 = size_log2 + 1;
    while (log2 <= VC4VK_BLOCK_MAX_LOG2 &&
           !vc4vk_free_list_pop(free_list(pool, side, log2), pool, side, offset_B_out))
        log2++;
    if (log2 > VC4VK_BLOCK_MAX_LOG2)
        return false;
    while (log2-- > size_log2)
        vc4vk_block_pool_put(pool, side, 1u << log2, *offset_B_out + (int32_t)(1u << log2));
    return true;
}

bool vc4vk_block_pool_take(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_B,
                           int32_t *offset_B_out)
{
    uint32_t log2 = util_log2(size_B);
    assert(util_is_pow2(size_B) && log2 >= VC4VK_BLOCK_MIN_LOG2 && log2 <= VC4VK_BLOCK_MAX_LOG2);
    return vc4vk_free_list_pop(free_list(pool, side, log2), pool, side, offset_B_out) ||
           take_new(pool, side, size_B, offset_B_out) || split_larger(pool, side, log2, offset_B_out);
}

void vc4vk_block_pool_put_chain(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_B,
                                int32_t first_B, int32_t last_B)
{
    vc4vk_free_list_push_chain(free_list(pool, side, util_log2(size_B)), pool, side, first_B, last_B);
}

void vc4vk_block_pool_put(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_B, int32_t offset_B)
{
    vc4vk_block_pool_put_chain(pool, side, size_B, offset_B, offset_B);
}
