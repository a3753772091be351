/* SPDX-License-Identifier: MIT
 *
 * Upload ring: device memory for data that is created when a job is issued and used once: rewritten indices, pulled
 * vertices, uniform streams of the CPU engine. (The kernel takes the chip's uniforms from host memory, and the CPU
 * copies inline data from where it was recorded: neither needs device memory.) Blocks go FREE -> IN_USE (recorded) ->
 * FREE_PENDING_TIMESTAMP (submitted; free when the timestamp has passed) -> FREE.
 *
 * The ring allocates forward through a BO; a block that does not fit before the end leaves a padding block behind. A
 * full ring first reuses retired blocks. Then it grows to a BO of twice the size up to a maximum, or to a smaller one
 * when memory is short. Then it waits for the oldest timestamp, never for the whole queue. When the oldest block is
 * still being recorded there is nothing to wait for, and the ring adds another BO of the maximum size.
 *
 * Thread safe.
 */
#ifndef DESCRIPTOR_VC4VK_UPLOAD_RING_H
#define DESCRIPTOR_VC4VK_UPLOAD_RING_H

#include <pthread.h>
#include "engine/vc4vk_timeline.h"
#include "util/list.h"
#include "util/macros.h"

#define VC4VK_UPLOAD_MIN_B (64u << 10)
#define VC4VK_UPLOAD_MAX_B (16u << 20) /* of one BO of the ring */

enum vc4vk_upload_state { VC4VK_UPLOAD_FREE, VC4VK_UPLOAD_IN_USE, VC4VK_UPLOAD_FREE_PENDING_TIMESTAMP };

struct vc4vk_upload_buffer; /* one BO of the ring */

/* A piece of the ring. The struct stays valid until the block is released. */
struct vc4vk_upload_block {
    struct util_list link;           /* in its buffer's blocks, by age, or in the ring's spare list */
    struct vc4vk_upload_block *next; /* for the owner's use */
    struct vc4vk_upload_ring *ring;
    struct vc4vk_upload_buffer *buffer;
    struct kmd_bo *bo;
    uint32_t offset_B, size_B;
    void *map;
    enum vc4vk_upload_state state;
    struct vc4vk_timestamp timestamp; /* in state FREE_PENDING_TIMESTAMP: free once it has retired */
};

struct vc4vk_upload_ring {
    struct kmd_device *kmd;
    const VkAllocationCallbacks *alloc; /* not owned */
    pthread_mutex_t lock;
    struct util_list buffers; /* of vc4vk_upload_buffer; the first is in use, others are destroyed once empty */
    uint32_t next_size_B;     /* of the next BO */
    struct util_list spare;   /* unused block structs, kept for reuse */
    uint64_t wait_count;      /* how often a full ring had to wait */
};

/* Allocates no device memory yet. */
void vc4vk_upload_ring_init(struct vc4vk_upload_ring *ring, struct kmd_device *kmd, const VkAllocationCallbacks *alloc);
/* The caller guarantees that no block is in use, even if some still have the state FREE_PENDING_TIMESTAMP. */
void vc4vk_upload_ring_finish(struct vc4vk_upload_ring *ring);

/* Takes a block of at most VC4VK_UPLOAD_MAX_B / 2 bytes; `align_B` is a power of two up to 4096. The block is IN_USE.
 */
VkResult vc4vk_upload_take(struct vc4vk_upload_ring *ring, uint32_t size_B, uint32_t align_B,
                           struct vc4vk_upload_block **out);
/* As vc4vk_upload_take, but never waits. False when the ring is full at its maximum size or memory is short: the caller
 * must have a fallback. */
bool vc4vk_upload_try_take(struct vc4vk_upload_ring *ring, uint32_t size_B, uint32_t align_B,
                           struct vc4vk_upload_block **out) UTIL_MUST_CHECK;
/* Frees everything behind the first `size_B` bytes (at least 1), provided that no later block was taken. */
void vc4vk_upload_shrink(struct vc4vk_upload_ring *ring, struct vc4vk_upload_block *block, uint32_t size_B);
/* The commands that use the block were submitted: it becomes free once `timestamp` has retired. */
void vc4vk_upload_retire_at(struct vc4vk_upload_ring *ring, struct vc4vk_upload_block *block,
                            struct vc4vk_timestamp timestamp);
/* Frees a block that nothing uses (never submitted, or known to be finished). */
void vc4vk_upload_release(struct vc4vk_upload_ring *ring, struct vc4vk_upload_block *block);

#endif
