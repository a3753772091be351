/* SPDX-License-Identifier: MIT
 *
 * State pools. Hot: taking a state or a binding-table block is one compare-and-swap.
 */
#include <string.h>
#include "descriptor/vc4vk_state_pool.h"
#include "descriptor/vc4vk_surface_state.h"

/* -- states ------------------------------------------------------------------------------------------------------- */

static uint32_t bucket_log2(uint32_t size_B)
{
    return MAX2(util_log2(util_next_pow2(size_B)), VC4VK_STATE_MIN_LOG2);
}

/* Cuts a state from the bucket's block. False when the block is used up. */
static bool run_take(struct vc4vk_state_bucket *bucket, uint32_t size_B, uint32_t *offset_B_out)
{
    uint64_t run = atomic_load_explicit(&bucket->run, memory_order_acquire);
    do {
        if ((run >> 32) >= (uint32_t)run)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&bucket->run, &run, run + ((uint64_t)size_B << 32),
                                                    memory_order_acquire, memory_order_acquire));
    *offset_B_out = (uint32_t)(run >> 32);
    return true;
}

static bool refill(struct vc4vk_state_pool *pool, struct vc4vk_state_bucket *bucket, uint32_t size_B,
                   uint32_t *offset_B_out)
{
    pthread_mutex_lock(&bucket->refill_lock);
    bool ok = run_take(bucket, size_B, offset_B_out); /* another thread may have refilled the bucket */
    int32_t block_B;
    for (uint32_t run_B = VC4VK_STATE_BLOCK_B; !ok && run_B >= size_B; run_B /= 2) { /* smaller when memory is short */
        if (!vc4vk_block_pool_take(&pool->blocks, VC4VK_POOL_FRONT, run_B, &block_B))
            continue;
        uint64_t start_B = (uint32_t)block_B;
        *offset_B_out = (uint32_t)start_B;
        atomic_store_explicit(&bucket->run, (start_B + size_B) << 32 | (start_B + run_B), memory_order_release);
        ok = true;
    }
    pthread_mutex_unlock(&bucket->refill_lock);
    return ok;
}

bool vc4vk_state_get(struct vc4vk_state_pool *pool, uint32_t size_B, struct vc4vk_state *out)
{
    uint32_t log2 = bucket_log2(size_B), fresh_B;
    assert(size_B && log2 <= VC4VK_STATE_MAX_LOG2);
    struct vc4vk_state_bucket *bucket = &pool->front[log2 - VC4VK_STATE_MIN_LOG2];
    if (!vc4vk_free_list_pop(&bucket->free_list, &pool->blocks, VC4VK_POOL_FRONT, &out->offset_B)) {
        if (!run_take(bucket, 1u << log2, &fresh_B) && !refill(pool, bucket, 1u << log2, &fresh_B))
            return false;
        out->offset_B = (int32_t)fresh_B;
    }
    out->size_B = 1u << log2;
    out->map = vc4vk_state_ptr(pool, out->offset_B);
    memset(out->map, 0, out->size_B);
    atomic_fetch_add_explicit(&pool->live, 1, memory_order_relaxed);
    return true;
}

void vc4vk_state_put(struct vc4vk_state_pool *pool, struct vc4vk_state state)
{
    if (!state.size_B)
        return;
    vc4vk_free_list_push(&pool->front[util_log2(state.size_B) - VC4VK_STATE_MIN_LOG2].free_list, &pool->blocks,
                         VC4VK_POOL_FRONT, state.offset_B);
    atomic_fetch_sub_explicit(&pool->live, 1, memory_order_relaxed);
}

/* -- init and finish ---------------------------------------------------------------------------------------------- */

VkResult vc4vk_state_pool_init(struct vc4vk_state_pool *pool, uint64_t reserve_B)
{
    memset(pool, 0, sizeof *pool);
    VkResult result = vc4vk_block_pool_init(&pool->blocks, reserve_B);
    if (result != VK_SUCCESS)
        return result;
    for (uint32_t i = 0; i < VC4VK_STATE_BUCKETS; i++)
        pthread_mutex_init(&pool->front[i].refill_lock, NULL);
    /* The first state has offset 0 and stays zero: it is the null state. */
    struct vc4vk_state null_state;
    if (!vc4vk_state_get(pool, VC4VK_SURFACE_STATE_B, &null_state)) {
        vc4vk_state_pool_finish(pool);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    assert(null_state.offset_B == 0);
    atomic_store(&pool->live, 0);
    return VK_SUCCESS;
}

void vc4vk_state_pool_finish(struct vc4vk_state_pool *pool)
{
    if (!pool->blocks.base)
        return;
    for (uint32_t i = 0; i < VC4VK_STATE_BUCKETS; i++)
        pthread_mutex_destroy(&pool->front[i].refill_lock);
    vc4vk_block_pool_finish(&pool->blocks);
}
