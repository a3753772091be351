/* SPDX-License-Identifier: MIT
 *
 * State pools: power-of-two buckets of small states on the front of the block pool, and fixed blocks for binding tables
 * on its back. Freed states go to a lock-free free list of their bucket and are handed out again.
 */
#ifndef DESCRIPTOR_VC4VK_STATE_POOL_H
#define DESCRIPTOR_VC4VK_STATE_POOL_H

#include "descriptor/vc4vk_block_pool.h"

#define VC4VK_STATE_MIN_LOG2 6 /* 64 bytes: a surface state */
#define VC4VK_STATE_MAX_LOG2 16
#define VC4VK_STATE_BUCKETS  (VC4VK_STATE_MAX_LOG2 - VC4VK_STATE_MIN_LOG2 + 1)
#define VC4VK_STATE_BLOCK_B  65536u /* taken from the block pool at once */
#define VC4VK_TABLE_BLOCK_B  32768u /* a block of binding tables: offsets within it fit 16 bits */

struct vc4vk_state {
    int32_t offset_B; /* in the block pool; 0 is never a state: it is the null state */
    uint32_t size_B;
    void *map;
};

struct vc4vk_state_bucket {
    _Atomic uint64_t free_list; /* tag << 32 | offset of the first free state, 0 = empty */
    _Atomic uint64_t run;       /* offset of the next fresh state << 32 | end of its block */
    pthread_mutex_t refill_lock;
};

struct vc4vk_state_pool {
    struct vc4vk_block_pool blocks;
    struct vc4vk_state_bucket front[VC4VK_STATE_BUCKETS];
    _Atomic uint64_t free_tables; /* free list of table blocks, by -offset */
    _Atomic uint64_t live;        /* states and blocks that are out: 0 when all was given back */
};

VkResult vc4vk_state_pool_init(struct vc4vk_state_pool *pool, uint64_t reserve_B);
void vc4vk_state_pool_finish(struct vc4vk_state_pool *pool);

/* Zeroed, aligned to the size rounded up to a power of two (at most 64 KiB). */
bool vc4vk_state_get(struct vc4vk_state_pool *pool, uint32_t size_B, struct vc4vk_state *out) UTIL_MUST_CHECK;
void vc4vk_state_put(struct vc4vk_state_pool *pool, struct vc4vk_state state); /* size 0 is accepted */

/* A whole block for binding tables, on the negative side; its lowest byte is at *offset_B_out. */
bool vc4vk_table_block_get(struct vc4vk_state_pool *pool, int32_t *offset_B_out) UTIL_MUST_CHECK;
void vc4vk_table_block_put(struct vc4vk_state_pool *pool, int32_t offset_B);

static inline void *vc4vk_state_ptr(const struct vc4vk_state_pool *pool, int32_t offset_B)
{
    return vc4vk_block_pool_ptr(&pool->blocks, offset_B);
}

#endif
