/* SPDX-License-Identifier: MIT
 *
 * Block pool: one range of memory backed by a memfd. It reserves its address space when it is created, starts in the
 * middle and grows in both directions. Blocks never move and are never remapped, so offsets and pointers stay valid as
 * long as the pool exists. Offsets are signed: surface states have offsets >= 0, binding-table blocks offsets < 0.
 * docs/block-pool.md describes the design.
 *
 * Thread safe. Taking and freeing blocks is lock-free except when the pool grows. Free lists have tags against ABA and
 * hold indices, not pointers.
 */
#ifndef DESCRIPTOR_VC4VK_BLOCK_POOL_H
#define DESCRIPTOR_VC4VK_BLOCK_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <vulkan/vulkan.h>
#include "util/macros.h"

#define VC4VK_POOL_RESERVE_64BIT_B (UINT64_C(2) << 30) /* address space; halved on failure, down to 16 MiB */
#define VC4VK_POOL_RESERVE_32BIT_B (UINT64_C(256) << 20)

#define VC4VK_BLOCK_MIN_LOG2 6  /* 64 bytes */
#define VC4VK_BLOCK_MAX_LOG2 20 /* 1 MiB */
#define VC4VK_BLOCK_SIZES    (VC4VK_BLOCK_MAX_LOG2 - VC4VK_BLOCK_MIN_LOG2 + 1)

enum vc4vk_pool_side { VC4VK_POOL_FRONT, VC4VK_POOL_BACK };

/* The system calls through which the pool gets memory; tests replace them. Both return false on failure. */
struct vc4vk_pool_system {
    bool (*map)(int fd, uint8_t *at, uint64_t offset_B, uint64_t size_B); /* maps a range of the file at `at` */
    bool (*back)(int fd, uint64_t offset_B, uint64_t size_B);             /* allocates pages for a range of the file */
};

/* One side of the pool. Sizes are distances from offset 0: next_B <= backed_B <= mapped_B <= half_B. */
struct vc4vk_pool_half {
    _Atomic uint64_t next_B;   /* handed out so far */
    _Atomic uint64_t backed_B; /* has pages; grows as blocks are handed out */
    uint64_t mapped_B;         /* grows by doubling; guarded by grow_lock */
    _Atomic uint64_t free[VC4VK_BLOCK_SIZES];
};

struct vc4vk_block_pool {
    int fd;
    uint8_t *base;   /* of the reservation */
    uint8_t *zero;   /* address of offset 0, the middle of the reservation */
    uint64_t half_B; /* address space on each side */
    struct vc4vk_pool_half sides[2];
    pthread_mutex_t grow_lock;
    const struct vc4vk_pool_system *system;
};

VkResult vc4vk_block_pool_init(struct vc4vk_block_pool *pool, uint64_t reserve_B);
void vc4vk_block_pool_finish(struct vc4vk_block_pool *pool);

/* Takes a block of `size_B` (a power of two from 64 bytes to 1 MiB), aligned to its size. The offset of its lowest byte
 * is >= 0 on the front and < 0 on the back. False when address space or memory is exhausted: the pool is unchanged
 * then, and a smaller block may still be available. A block that was never freed before is zeroed. */
bool vc4vk_block_pool_take(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_B,
                           int32_t *offset_B_out) UTIL_MUST_CHECK;
void vc4vk_block_pool_put(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_B, int32_t offset_B);
/* Frees a chain of blocks of one size, linked with vc4vk_free_list_link from the first to the last. */
void vc4vk_block_pool_put_chain(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_B,
                                int32_t first_B, int32_t last_B);

static inline void *vc4vk_block_pool_ptr(const struct vc4vk_block_pool *pool, int32_t offset_B)
{
    return pool->zero + offset_B;
}

/* -- free lists: linked through the first word of each free block. A head is (tag << 32 | reference), 0 if empty. ----
 */

/* False when the list is empty. */
bool vc4vk_free_list_pop(_Atomic uint64_t *head, const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side,
                         int32_t *offset_B_out) UTIL_MUST_CHECK;
static inline void vc4vk_free_list_push(_Atomic uint64_t *head, const struct vc4vk_block_pool *pool,
                                        enum vc4vk_pool_side side, int32_t offset_B);
/* Pushes a chain, linked with vc4vk_free_list_link from the first to the last, with one atomic exchange. */
void vc4vk_free_list_push_chain(_Atomic uint64_t *head, const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side,
                                int32_t first_B, int32_t last_B);
/* Links `next_B` behind `offset_B` in a chain that the caller owns. */
void vc4vk_free_list_link(const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, int32_t offset_B,
                          int32_t next_B);
int32_t vc4vk_free_list_next(const struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, int32_t offset_B);

static inline void vc4vk_free_list_push(_Atomic uint64_t *head, const struct vc4vk_block_pool *pool,
                                        enum vc4vk_pool_side side, int32_t offset_B)
{
    vc4vk_free_list_push_chain(head, pool, side, offset_B, offset_B);
}

#endif
