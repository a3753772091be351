/* SPDX-License-Identifier: MIT
 *
 * Upload ring: device memory for what is made when a job is issued and used once: rewritten indices, pulled vertices,
 * uniform streams of the CPU engine. (Uniforms of the chip go to the kernel from host memory, and the CPU copies inline
 * data from where it was recorded: neither needs device memory of its own.) Blocks go FREE -> IN_USE (recorded) ->
 * FREE_PENDING_TIMESTAMP (submitted; free when the timestamp has passed) -> FREE.
 *
 * The ring allocates forward through a BO; what wraps leaves a padding block behind. A full ring takes back what has
 * retired; then it grows to a BO of twice the size up to a maximum, and to smaller ones when memory is short; then it
 * waits for the oldest timestamp, never for the whole queue. Where the oldest block is still being recorded there is
 * nothing to wait for, and the ring takes another BO of the maximum size.
 *
 * Thread safe.
 */
#ifndef DESCRIPTOR_VC4VK_UPLOAD_RING_H
#define DESCRIPTOR_VC4VK_UPLOAD_RING_H

#include <pthread.h>
#include "queue/vc4vk_timeline.h"
#include "util/list.h"
#include "util/macros.h"

#define VC4VK_UPLOAD_MIN_B (64u << 10)
#define VC4VK_UPLOAD_MAX_B (16u << 20) /* of one BO of the ring */

enum vc4vk_upload_state { VC4VK_UPLOAD_FREE, VC4VK_UPLOAD_IN_USE, VC4VK_UPLOAD_FREE_PENDING_TIMESTAMP };

struct vc4vk_upload_buffer; /* one BO of the ring */

/* A piece of the ring. The caller keeps it until it is released. */
struct vc4vk_upload_block {
    struct util_list link; /* in its buffer, by age; or with the ring's spare ones */
    struct vc4vk_upload_block *next; /* the owner's own */
    struct vc4vk_upload_ring *ring;
    struct vc4vk_upload_buffer *buffer;
    struct kmd_bo *bo;
    uint32_t offset_B, size_B;
    void *map;
    enum vc4vk_upload_state state;
    struct vc4vk_timestamp timestamp; /* of FREE_PENDING_TIMESTAMP */
};

struct vc4vk_upload_ring {
    struct kmd_device *kmd;
    const VkAllocationCallbacks *alloc; /* not owned */
    pthread_mutex_t lock;
    struct util_list buffers; /* of vc4vk_upload_buffer, the one in use first; others go when they are empty */
    uint32_t next_size_B;     /* of the next BO */
    struct util_list spare;   /* blocks without memory, for the next ones */
    uint64_t wait_count;      /* how often a full ring had to wait */
};

/* Takes no memory yet. */
void vc4vk_upload_ring_init(struct vc4vk_upload_ring *ring, struct kmd_device *kmd, const VkAllocationCallbacks *alloc);
/* Nothing is in use any more; timestamps may still be pending in name. */
void vc4vk_upload_ring_finish(struct vc4vk_upload_ring *ring);

/* At most VC4VK_UPLOAD_MAX_B / 2; `align_B` a power of two up to 4096. The block is IN_USE. */
VkResult vc4vk_upload_take(struct vc4vk_upload_ring *ring, uint32_t size_B, uint32_t align_B,
                           struct vc4vk_upload_block **out);
/* The same without waiting. False when the ring is full and as large as it gets, or memory is short: the caller has
 * another way. */
bool vc4vk_upload_try_take(struct vc4vk_upload_ring *ring, uint32_t size_B, uint32_t align_B,
                           struct vc4vk_upload_block **out) UTIL_MUST_CHECK;
/* Gives back what lies behind the first `size_B` bytes (at least 1), where nothing was taken after the block. */
void vc4vk_upload_shrink(struct vc4vk_upload_ring *ring, struct vc4vk_upload_block *block, uint32_t size_B);
/* The commands that use it were submitted: free once `timestamp` has retired. */
void vc4vk_upload_retire_at(struct vc4vk_upload_ring *ring, struct vc4vk_upload_block *block,
                            struct vc4vk_timestamp timestamp);
/* Nothing uses it (never submitted, or known to be finished). */
void vc4vk_upload_release(struct vc4vk_upload_ring *ring, struct vc4vk_upload_block *block);

#endif
