/* SPDX-License-Identifier: MIT
 *
 * State pools: small states in power-of-two buckets on the front of the block pool. Freed states go to the lock-free
 * free list of their bucket and are reused.
 *
 * State streams: linear allocators for one owner that takes memory piece by piece and frees it all at once. A command
 * buffer has two: states with dynamic offsets on the front, binding tables on the back.
 */
#ifndef DESCRIPTOR_VC4VK_STATE_POOL_H
#define DESCRIPTOR_VC4VK_STATE_POOL_H

#include "descriptor/vc4vk_block_pool.h"

#define VC4VK_STATE_MIN_LOG2 6 /* 64 bytes */
#define VC4VK_STATE_MAX_LOG2 16
#define VC4VK_STATE_BUCKETS  (VC4VK_STATE_MAX_LOG2 - VC4VK_STATE_MIN_LOG2 + 1)
#define VC4VK_STATE_BLOCK_B  65536u /* taken from the block pool at once */

struct vc4vk_state {
    int32_t offset_B; /* in the block pool; never 0, the offset of the null state */
    uint32_t size_B;
    void *map;
};

struct vc4vk_state_bucket {
    _Atomic uint64_t free_list;
    _Atomic uint64_t run; /* block that is being cut: offset of the next new state << 32 | end of the block */
    pthread_mutex_t refill_lock;
};

struct vc4vk_state_pool {
    struct vc4vk_block_pool blocks;
    struct vc4vk_state_bucket front[VC4VK_STATE_BUCKETS];
    _Atomic uint64_t live; /* states and stream blocks in use; 0 when everything is freed */
};

VkResult vc4vk_state_pool_init(struct vc4vk_state_pool *pool, uint64_t reserve_B);
void vc4vk_state_pool_finish(struct vc4vk_state_pool *pool);

/* Takes a zeroed state, aligned to its size, which is rounded up to a power of two (at most 64 KiB). */
bool vc4vk_state_get(struct vc4vk_state_pool *pool, uint32_t size_B, struct vc4vk_state *out) UTIL_MUST_CHECK;
void vc4vk_state_put(struct vc4vk_state_pool *pool, struct vc4vk_state state); /* size 0 is accepted */

/* -- streams ------------------------------------------------------------------------------------------------------ */

/* The first bytes of a block hold its link; allocations begin behind them. */
#define VC4VK_STREAM_FIRST_B 64u

/* Not thread safe, like its owner. */
struct vc4vk_state_stream {
    struct vc4vk_state_pool *pool;
    enum vc4vk_pool_side side;
    uint32_t block_B;
    uint32_t block_count;
    int32_t newest_B, oldest_B; /* offsets of the blocks' lowest bytes, when there are blocks */
    uint32_t used_B;            /* of the newest block */
};

/* Allocates nothing yet. `block_B`: a block size of the block pool. */
void vc4vk_state_stream_init(struct vc4vk_state_stream *stream, struct vc4vk_state_pool *pool,
                             enum vc4vk_pool_side side, uint32_t block_B);
/* Takes `size_B` bytes (at most block_B - VC4VK_STREAM_FIRST_B) from one block, rounded up to a multiple of 16;
 * contents are undefined. They are at *in_block_B_out in the block at stream->newest_B. False when the pool is full;
 * earlier allocations stay valid. */
bool vc4vk_state_stream_take(struct vc4vk_state_stream *stream, uint32_t size_B,
                             uint32_t *in_block_B_out) UTIL_MUST_CHECK;
/* Frees all blocks in constant time. A zeroed stream is accepted. */
void vc4vk_state_stream_reset(struct vc4vk_state_stream *stream);

static inline void *vc4vk_state_ptr(const struct vc4vk_state_pool *pool, int32_t offset_B)
{
    return vc4vk_block_pool_ptr(&pool->blocks, offset_B);
}

#endif
