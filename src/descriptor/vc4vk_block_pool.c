/* SPDX-License-Identifier: MIT
 *
 * Growth maps the next piece of the memfd at its place in the reservation; nothing that is mapped is touched again.
 * Backing pages are allocated when the pool grows, so that a full tmpfs is an error here and not a SIGBUS later.
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
#define GROW_MIN_B    (UINT64_C(64) << 10)
#define GROW_MAX_B    (UINT64_C(4) << 20)
#define MAX_BLOCK_B   (1u << 20)

VkResult vc4vk_block_pool_init(struct vc4vk_block_pool *pool, uint64_t reserve_B)
{
    *pool = (struct vc4vk_block_pool){.fd = -1};
    for (; reserve_B >= MIN_RESERVE_B; reserve_B /= 2) {
        void *base = mmap(NULL, reserve_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base != MAP_FAILED) {
            pool->base = base;
            break;
        }
    }
    if (!pool->base)
        return vc4vk_errorf(NULL, VK_ERROR_OUT_OF_HOST_MEMORY, "block pool: no %" PRIu64 " MiB of address space",
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
        return vc4vk_errorf(NULL, VK_ERROR_OUT_OF_HOST_MEMORY, "block pool: no memory file: %s", strerror(err));
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

/* Maps [end, end + size) of a side, counted away from zero. */
static bool map_piece(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint64_t end_B, uint64_t size_B)
{
    uint64_t at_B = side == VC4VK_POOL_FRONT ? pool->half_B + end_B : pool->half_B - end_B - size_B;
    int err;
    do {
        err = posix_fallocate(pool->fd, (off_t)at_B, (off_t)size_B);
    } while (err == EINTR);
    return !err && mmap(pool->base + at_B, size_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pool->fd,
                        (off_t)at_B) != MAP_FAILED;
}

/* Makes the side at least `needed_B` large. Each step is as large as what is there, within bounds. */
static bool grow(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint64_t needed_B)
{
    _Atomic uint64_t *end = side == VC4VK_POOL_FRONT ? &pool->front_end_B : &pool->back_end_B;
    if (needed_B > pool->half_B)
        return false;
    pthread_mutex_lock(&pool->grow_lock);
    uint64_t end_B = atomic_load_explicit(end, memory_order_relaxed);
    bool ok = true;
    if (end_B < needed_B) {
        uint64_t step_B = MAX2(CLAMP(end_B, GROW_MIN_B, GROW_MAX_B), util_align64(needed_B - end_B, GROW_MIN_B));
        step_B = MIN2(step_B, pool->half_B - end_B);
        ok = map_piece(pool, side, end_B, step_B);
        if (ok)
            atomic_store_explicit(end, end_B + step_B, memory_order_release);
    }
    pthread_mutex_unlock(&pool->grow_lock);
    return ok;
}

bool vc4vk_block_pool_take(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_B,
                           int32_t *offset_B_out)
{
    assert(util_is_pow2(size_B) && size_B >= 64 && size_B <= MAX_BLOCK_B);
    _Atomic uint64_t *next = side == VC4VK_POOL_FRONT ? &pool->front_next_B : &pool->back_next_B;
    _Atomic uint64_t *end = side == VC4VK_POOL_FRONT ? &pool->front_end_B : &pool->back_end_B;
    uint64_t at_B = atomic_load_explicit(next, memory_order_relaxed), start_B;
    do {
        start_B = util_align64(at_B, size_B);
        if (start_B + size_B > atomic_load_explicit(end, memory_order_acquire) && !grow(pool, side, start_B + size_B))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(next, &at_B, start_B + size_B, memory_order_relaxed,
                                                    memory_order_relaxed));
    *offset_B_out = side == VC4VK_POOL_FRONT ? (int32_t)start_B : -(int32_t)(start_B + size_B);
    return true;
}
