/* SPDX-License-Identifier: MIT
 *
 * Block pool: one range of memory over a memfd that reserves its address space at the start, begins in the middle and
 * grows both ways. What was handed out never moves and is never remapped, so offsets and pointers stay good for the
 * life of the pool. Offsets are signed: states live at offsets >= 0, binding-table blocks below 0. docs/block-pool.md
 * tells the whole story.
 *
 * Thread safe. Taking and giving back blocks is lock-free except when the pool grows. Free lists are tagged against
 * ABA, and hold indices, not pointers.
 */
#ifndef DESCRIPTOR_VC4VK_BLOCK_POOL_H
#define DESCRIPTOR_VC4VK_BLOCK_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <vulkan/vulkan.h>
#include "util/macros.h"

#define VC4VK_POOL_RESERVE_64BIT_B (UINT64_C(2) << 30) /* address space; tried in halves down to 16 MiB */
#define VC4VK_POOL_RESERVE_32BIT_B (UINT64_C(256) << 20)

#define VC4VK_BLOCK_MIN_LOG2 6  /* 64 bytes */
#define VC4VK_BLOCK_MAX_LOG2 20 /* 1 MiB */
#define VC4VK_BLOCK_SIZES    (VC4VK_BLOCK_MAX_LOG2 - VC4VK_BLOCK_MIN_LOG2 + 1)

enum vc4vk_pool_side { VC4VK_POOL_FRONT, VC4VK_POOL_BACK };

/* How the pool gets memory; tests have their own. Both return false when there is none. */
struct vc4vk_pool_system {
    bool (*map)(int fd, uint8_t *at, uint64_t offset_B, uint64_t size_B); /* of the file, over the reservation there */
    bool (*back)(int fd, uint64_t offset_B, uint64_t size_B);             /* pages for a piece of the file */
};

/* Lengths are counted away from zero. handed out <= backed <= mapped <= half of the reservation */
struct vc4vk_pool_half {
    _Atomic uint64_t next_B;   /* handed out */
    _Atomic uint64_t backed_B; /* has pages; grows by what is handed out */
    uint64_t mapped_B;         /* grows by doubling; under the lock */
    _Atomic uint64_t free[VC4VK_BLOCK_SIZES];
};

struct vc4vk_block_pool {
    int fd;
    uint8_t *base;   /* of the reservation */
    uint8_t *zero;   /* offset 0: the middle */
    uint64_t half_B; /* address space on each side */
    struct vc4vk_pool_half sides[2];
    pthread_mutex_t grow_lock;
    const struct vc4vk_pool_system *system;
};

VkResult vc4vk_block_pool_init(struct vc4vk_block_pool *pool, uint64_t reserve_B);
void vc4vk_block_pool_finish(struct vc4vk_block_pool *pool);

/* Takes a block of `size_B` (a power of two from 64 bytes to 1 MiB), aligned to its size. The offset of the lowest byte
 * is >= 0 for the front, < 0 for the back. False when address space or memory is exhausted: nothing is lost by that,
 * and smaller blocks may still be had. Memory that was never given back before is zero. */
bool vc4vk_block_pool_take(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_B,
                           int32_t *offset_B_out) UTIL_MUST_CHECK;
void vc4vk_block_pool_put(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_B, int32_t offset_B);
/* Gives back blocks of one size that are linked with vc4vk_free_list_link, from the first to the last. */
void vc4vk_block_pool_put_chain(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_B,
                                int32_t first_B, int32_t last_B);

static inline void *vc4vk_block_pool_ptr(const struct vc4vk_block_pool *pool, int32_t offset_B)
{
    return pool->zero + offset_B;
}

/* -- free lists: linked through the first word of what is free. A head is (tag << 32 | reference), zero is empty. ----
 */

/* False when the list is empty. */
bool vc4vk_free_list_pop(_Atomic uint64_t *head, const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side,
                         int32_t *offset_B_out) UTIL_MUST_CHECK;
static inline void vc4vk_free_list_push(_Atomic uint64_t *head, const struct vc4vk_block_pool *pool,
                                        enum vc4vk_pool_side side, int32_t offset_B);
/* Pushes a whole chain, linked with vc4vk_free_list_link from its first to its last, with one exchange. */
void vc4vk_free_list_push_chain(_Atomic uint64_t *head, const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side,
                                int32_t first_B, int32_t last_B);
/* Makes `next_B` follow `offset_B` in a chain that its owner holds. */
void vc4vk_free_list_link(const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, int32_t offset_B,
                          int32_t next_B);
int32_t vc4vk_free_list_next(const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, int32_t offset_B);

static inline void vc4vk_free_list_push(_Atomic uint64_t *head, const struct vc4vk_block_pool *pool,
                                        enum vc4vk_pool_side side, int32_t offset_B)
{
    vc4vk_free_list_push_chain(head, pool, side, offset_B, offset_B);
}

#endif
