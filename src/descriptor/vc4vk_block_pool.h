/* SPDX-License-Identifier: MIT
 *
 * Block pool: one range of memory over a memfd that reserves its address space at the start, begins in the middle and
 * grows both ways. What was handed out never moves and is never remapped, so offsets and pointers stay good for the
 * life of the pool. Offsets are signed: states live at offsets >= 0, binding-table blocks below 0.
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

struct vc4vk_block_pool {
    int fd;
    uint8_t *base;                              /* of the reservation */
    uint8_t *zero;                              /* offset 0: the middle */
    uint64_t half_B;                            /* address space on each side */
    _Atomic uint64_t front_next_B, back_next_B; /* handed out on each side */
    _Atomic uint64_t front_end_B, back_end_B;   /* backed by memory on each side */
    pthread_mutex_t grow_lock;
};

VkResult vc4vk_block_pool_init(struct vc4vk_block_pool *pool, uint64_t reserve_B);
void vc4vk_block_pool_finish(struct vc4vk_block_pool *pool);

enum vc4vk_pool_side { VC4VK_POOL_FRONT, VC4VK_POOL_BACK };

/* Takes `size_B` new bytes (a power of two, multiple of 64, at most 1 MiB), aligned to their size. The offset of the
 * lowest byte is >= 0 for the front, < 0 for the back. False when address space or memory is exhausted. New memory is
 * zero. */
bool vc4vk_block_pool_take(struct vc4vk_block_pool *pool, enum vc4vk_pool_side side, uint32_t size_B,
                           int32_t *offset_B_out) UTIL_MUST_CHECK;

static inline void *vc4vk_block_pool_ptr(const struct vc4vk_block_pool *pool, int32_t offset_B)
{
    return pool->zero + offset_B;
}

#endif
