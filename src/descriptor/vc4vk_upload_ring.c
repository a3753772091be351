/* SPDX-License-Identifier: MIT
 *
 * Upload ring: allocation of blocks, growth by new BOs, and reuse of blocks whose timestamps have retired.
 */
#include "descriptor/vc4vk_upload_ring.h"
#include "device/vc4vk_error.h"
#include "device/vc4vk_multialloc.h"

/* One BO of the ring. Blocks are ordered by age, from the oldest block up to `next_B`, and wrap around at the end. */
struct vc4vk_upload_buffer {
    struct util_list link;
    struct kmd_bo *bo;
    uint8_t *map;
    uint32_t size_B;
    uint32_t next_B;
    struct util_list blocks; /* of vc4vk_upload_block, oldest first */
};

/* Moves a block struct to the spare list for reuse; vc4vk_upload_ring_finish frees it. */
static void put_block(struct vc4vk_upload_ring *ring, struct vc4vk_upload_block *block)
{
    util_list_del(&block->link);
    util_list_add_head(&ring->spare, &block->link);
}

static struct vc4vk_upload_block *get_block(struct vc4vk_upload_ring *ring)
{
    if (util_list_is_empty(&ring->spare))
        return vc4vk_new(ring->alloc, struct vc4vk_upload_block, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    struct vc4vk_upload_block *block = util_list_first(&ring->spare, struct vc4vk_upload_block, link);
    util_list_del(&block->link);
    return block;
}

/* -- buffers ------------------------------------------------------------------------------------------------------ */

static void destroy_buffer(struct vc4vk_upload_ring *ring, struct vc4vk_upload_buffer *buffer)
{
    util_list_for_each_safe(struct vc4vk_upload_block, block, &buffer->blocks, link)
        put_block(ring, block);
    util_list_del(&buffer->link);
    kmd_bo_unref(buffer->bo);
    vc4vk_free(ring->alloc, buffer);
}

static bool add_buffer(struct vc4vk_upload_ring *ring, uint32_t size_B)
{
    struct vc4vk_upload_buffer *buffer =
        vc4vk_new(ring->alloc, struct vc4vk_upload_buffer, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!buffer)
        return false;
    pthread_mutex_unlock(&ring->lock); /* kmd_bo_create may wait for memory */
    int err = kmd_bo_create(ring->kmd, size_B, "upload", &buffer->bo);
    pthread_mutex_lock(&ring->lock);
    if (err) {
        vc4vk_free(ring->alloc, buffer);
        return false;
    }
    buffer->size_B = size_B;
    util_list_init(&buffer->blocks);
    util_list_add_head(&ring->buffers, &buffer->link);
    buffer->map = kmd_bo_map(buffer->bo);
    if (buffer->map)
        return true;
    destroy_buffer(ring, buffer);
    return false;
}

/* Adds a BO of twice the previous size, or a smaller one when memory is short, but large enough for `needed_B`. Drops
 * the lock temporarily. */
static bool grow(struct vc4vk_upload_ring *ring, uint32_t needed_B)
{
    uint32_t least_B = MAX2(util_next_pow2(needed_B), VC4VK_UPLOAD_MIN_B);
    uint32_t size_B = MAX2(ring->next_size_B, least_B);
    for (; size_B >= least_B; size_B /= 2) {
        if (!add_buffer(ring, size_B))
            continue;
        ring->next_size_B = MIN2(size_B * 2, VC4VK_UPLOAD_MAX_B);
        return true;
    }
    return false;
}

/* -- blocks ------------------------------------------------------------------------------------------------------- */

static bool is_free(const struct vc4vk_upload_block *block)
{
    return block->state == VC4VK_UPLOAD_FREE ||
           (block->state == VC4VK_UPLOAD_FREE_PENDING_TIMESTAMP && vc4vk_timestamp_is_retired(block->timestamp));
}

/* Removes free blocks from the old end of a BO. */
static void reclaim(struct vc4vk_upload_ring *ring, struct vc4vk_upload_buffer *buffer)
{
    util_list_for_each_safe(struct vc4vk_upload_block, block, &buffer->blocks, link) {
        if (!is_free(block))
            return;
        put_block(ring, block);
    }
    buffer->next_B = 0;
}

static struct vc4vk_upload_block *add_block(struct vc4vk_upload_ring *ring, struct vc4vk_upload_buffer *buffer,
                                            uint32_t offset_B, uint32_t size_B, enum vc4vk_upload_state state)
{
    struct vc4vk_upload_block *block = get_block(ring);
    if (!block)
        return NULL;
    *block = (struct vc4vk_upload_block){
        .ring = ring,
        .buffer = buffer,
        .bo = buffer->bo,
        .offset_B = offset_B,
        .size_B = size_B,
        .map = buffer->map + offset_B,
        .state = state,
    };
    util_list_add_tail(&buffer->blocks, &block->link);
    buffer->next_B = offset_B + size_B;
    return block;
}

/* Finds space for a block of this size; false when there is none. One byte stays free between the newest and the oldest
 * block, so that next_B == oldest means empty and never full. `wraps_out`: the rest of the BO must be padded. */
static bool find_space(const struct vc4vk_upload_buffer *buffer, uint32_t size_B, uint32_t align_B,
                       uint32_t *offset_B_out, bool *wraps_out)
{
    uint32_t at_B = util_align(buffer->next_B, align_B);
    bool is_empty = util_list_is_empty(&buffer->blocks);
    uint32_t oldest_B = is_empty ? 0 : util_list_first(&buffer->blocks, struct vc4vk_upload_block, link)->offset_B;
    bool wrapped = !is_empty && buffer->next_B <= oldest_B;
    uint32_t end_B = wrapped ? oldest_B - 1 : buffer->size_B;
    *offset_B_out = at_B;
    *wraps_out = false;
    if (at_B <= end_B && size_B <= end_B - at_B)
        return true;
    *offset_B_out = 0;
    *wraps_out = true;
    return !wrapped && size_B < oldest_B;
}

static struct vc4vk_upload_block *take_from(struct vc4vk_upload_ring *ring, struct vc4vk_upload_buffer *buffer,
                                            uint32_t size_B, uint32_t align_B)
{
    uint32_t offset_B;
    bool wraps;
    reclaim(ring, buffer);
    if (!find_space(buffer, size_B, align_B, &offset_B, &wraps))
        return NULL;
    if (wraps && buffer->next_B < buffer->size_B &&
        !add_block(ring, buffer, buffer->next_B, buffer->size_B - buffer->next_B, VC4VK_UPLOAD_FREE))
        return NULL;
    return add_block(ring, buffer, offset_B, size_B, VC4VK_UPLOAD_IN_USE);
}

/* -- the ring ----------------------------------------------------------------------------------------------------- */

void vc4vk_upload_ring_init(struct vc4vk_upload_ring *ring, struct kmd_device *kmd, const VkAllocationCallbacks *alloc)
{
    *ring = (struct vc4vk_upload_ring){.kmd = kmd, .alloc = alloc, .next_size_B = VC4VK_UPLOAD_MIN_B};
    util_list_init(&ring->buffers);
    util_list_init(&ring->spare);
    pthread_mutex_init(&ring->lock, NULL);
}

void vc4vk_upload_ring_finish(struct vc4vk_upload_ring *ring)
{
    if (!ring->kmd)
        return;
    util_list_for_each_safe(struct vc4vk_upload_buffer, buffer, &ring->buffers, link)
        destroy_buffer(ring, buffer);
    util_list_for_each_safe(struct vc4vk_upload_block, block, &ring->spare, link)
        vc4vk_free(ring->alloc, block);
    pthread_mutex_destroy(&ring->lock);
    ring->kmd = NULL;
}

/* Destroys outgrown BOs that have no blocks left. The first BO of the list is the one in use. */
static void destroy_outgrown(struct vc4vk_upload_ring *ring)
{
    util_list_for_each_safe(struct vc4vk_upload_buffer, buffer, &ring->buffers, link) {
        if (buffer->link.prev == &ring->buffers)
            continue;
        reclaim(ring, buffer);
        if (util_list_is_empty(&buffer->blocks))
            destroy_buffer(ring, buffer);
    }
}

static struct vc4vk_upload_block *oldest_pending(const struct vc4vk_upload_ring *ring)
{
    const struct vc4vk_upload_buffer *current = util_list_first(&ring->buffers, struct vc4vk_upload_buffer, link);
    if (util_list_is_empty(&current->blocks)) /* the BO had space, but host memory for a block struct ran out */
        return NULL;
    struct vc4vk_upload_block *oldest = util_list_first(&current->blocks, struct vc4vk_upload_block, link);
    return oldest->state == VC4VK_UPLOAD_FREE_PENDING_TIMESTAMP ? oldest : NULL;
}

/* Whether another thread has added a BO since `current` (NULL: none) was the one in use. */
static bool has_grown(const struct vc4vk_upload_ring *ring, const struct vc4vk_upload_buffer *current)
{
    return !util_list_is_empty(&ring->buffers) &&
           util_list_first(&ring->buffers, struct vc4vk_upload_buffer, link) != current;
}

/* Takes a block from the BO in use, or from a new BO when the ring may grow. On failure returns NULL, and *oldest_out
 * is the block to wait for, or NULL when waiting does not help. */
static struct vc4vk_upload_block *take_now_locked(struct vc4vk_upload_ring *ring, uint32_t size_B, uint32_t align_B,
                                                  struct vc4vk_upload_block **oldest_out)
{
    *oldest_out = NULL;
    for (;;) {
        bool is_empty = util_list_is_empty(&ring->buffers);
        struct vc4vk_upload_buffer *current = util_list_first(&ring->buffers, struct vc4vk_upload_buffer, link);
        struct vc4vk_upload_block *block = is_empty ? NULL : take_from(ring, current, size_B, align_B);
        if (block) {
            destroy_outgrown(ring);
            return block;
        }
        bool may_grow = is_empty || current->size_B < VC4VK_UPLOAD_MAX_B || !oldest_pending(ring);
        if (may_grow && (grow(ring, size_B + align_B) || has_grown(ring, is_empty ? NULL : current)))
            continue;
        *oldest_out = util_list_is_empty(&ring->buffers) ? NULL : oldest_pending(ring);
        return NULL;
    }
}

VkResult vc4vk_upload_take(struct vc4vk_upload_ring *ring, uint32_t size_B, uint32_t align_B,
                           struct vc4vk_upload_block **out)
{
    assert(size_B && size_B <= VC4VK_UPLOAD_MAX_B / 2 && util_is_pow2(align_B) && align_B <= 4096);
    VkResult result = VK_SUCCESS;
    struct vc4vk_upload_block *oldest;
    pthread_mutex_lock(&ring->lock);
    while (!(*out = take_now_locked(ring, size_B, align_B, &oldest)) && result == VK_SUCCESS) {
        if (!oldest) {
            result = vc4vk_errorf(NULL, VK_ERROR_OUT_OF_DEVICE_MEMORY, "upload ring: no memory for %u B", size_B);
            break;
        }
        struct vc4vk_timestamp timestamp = oldest->timestamp;
        ring->wait_count++;
        pthread_mutex_unlock(&ring->lock);
        result = vc4vk_timestamp_wait(ring->kmd, timestamp, UTIL_FOREVER_NS);
        pthread_mutex_lock(&ring->lock);
    }
    pthread_mutex_unlock(&ring->lock);
    return result;
}

bool vc4vk_upload_try_take(struct vc4vk_upload_ring *ring, uint32_t size_B, uint32_t align_B,
                           struct vc4vk_upload_block **out)
{
    struct vc4vk_upload_block *oldest;
    *out = NULL;
    if (!size_B || size_B > VC4VK_UPLOAD_MAX_B / 2)
        return false;
    assert(util_is_pow2(align_B) && align_B <= 4096);
    pthread_mutex_lock(&ring->lock);
    *out = take_now_locked(ring, size_B, align_B, &oldest);
    pthread_mutex_unlock(&ring->lock);
    return *out != NULL;
}

void vc4vk_upload_shrink(struct vc4vk_upload_ring *ring, struct vc4vk_upload_block *block, uint32_t size_B)
{
    pthread_mutex_lock(&ring->lock);
    if (size_B && size_B < block->size_B && block->buffer->next_B == block->offset_B + block->size_B) {
        block->size_B = size_B;
        block->buffer->next_B = block->offset_B + size_B;
    }
    pthread_mutex_unlock(&ring->lock);
}

void vc4vk_upload_retire_at(struct vc4vk_upload_ring *ring, struct vc4vk_upload_block *block,
                            struct vc4vk_timestamp timestamp)
{
    pthread_mutex_lock(&ring->lock);
    block->timestamp = timestamp;
    block->state = VC4VK_UPLOAD_FREE_PENDING_TIMESTAMP;
    pthread_mutex_unlock(&ring->lock);
}

void vc4vk_upload_release(struct vc4vk_upload_ring *ring, struct vc4vk_upload_block *block)
{
    pthread_mutex_lock(&ring->lock);
    block->state = VC4VK_UPLOAD_FREE;
    pthread_mutex_unlock(&ring->lock);
}
