/* SPDX-License-Identifier: MIT
 *
 * Free lists are linked through the first word of what is free. A head holds a tag beside the offset, and every push
 * and pop moves it on, so a head that was popped and pushed again in between is not mistaken for the old one (ABA).
 * A link may be read after its state was handed out again; the tag then makes the exchange fail.
 *
 * Hot: taking a binding-table block or a state is one compare-and-swap.
 */
#include <string.h>
#include "descriptor/vc4vk_state_pool.h"
#include "descriptor/vc4vk_surface_state.h"

/* -- free lists of 32-bit references (offsets on the front, distances on the back); 0 = end --------------------------
 */

struct free_list_side {
    const struct vc4vk_state_pool *pool;
    int sign; /* of the offsets that references stand for */
};

static uint32_t *link_of(const struct free_list_side *side, uint32_t reference)
{
    return vc4vk_state_ptr(side->pool, side->sign * (int32_t)reference);
}

/* The state may have been handed out meanwhile, and its owner may be writing: what is read is then thrown away, because
 * the head's tag has moved on. */
UTIL_NO_TSAN static uint32_t read_link(const uint32_t *link)
{
    return __atomic_load_n(link, __ATOMIC_RELAXED);
}

static uint32_t list_pop(_Atomic uint64_t *head, const struct free_list_side *side)
{
    uint64_t old = atomic_load_explicit(head, memory_order_acquire), new;
    do {
        if (!(uint32_t)old)
            return 0;
        uint32_t next = read_link(link_of(side, (uint32_t)old));
        new = ((old >> 32) + 1) << 32 | next;
    } while (!atomic_compare_exchange_weak_explicit(head, &old, new, memory_order_acquire, memory_order_acquire));
    return (uint32_t)old;
}

static void list_push(_Atomic uint64_t *head, const struct free_list_side *side, uint32_t reference)
{
    uint64_t old = atomic_load_explicit(head, memory_order_relaxed), new;
    do {
        __atomic_store_n(link_of(side, reference), (uint32_t)old, __ATOMIC_RELAXED);
        new = ((old >> 32) + 1) << 32 | reference;
    } while (!atomic_compare_exchange_weak_explicit(head, &old, new, memory_order_release, memory_order_relaxed));
}

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
    bool ok = run_take(bucket, size_B, offset_B_out); /* somebody else may have refilled */
    int32_t block_B;
    if (!ok && vc4vk_block_pool_take(&pool->blocks, VC4VK_POOL_FRONT, VC4VK_STATE_BLOCK_B, &block_B)) {
        uint64_t start_B = (uint32_t)block_B;
        *offset_B_out = (uint32_t)start_B;
        atomic_store_explicit(&bucket->run, (start_B + size_B) << 32 | (start_B + VC4VK_STATE_BLOCK_B),
                              memory_order_release);
        ok = true;
    }
    pthread_mutex_unlock(&bucket->refill_lock);
    return ok;
}

bool vc4vk_state_get(struct vc4vk_state_pool *pool, uint32_t size_B, struct vc4vk_state *out)
{
    uint32_t log2 = bucket_log2(size_B);
    assert(size_B && log2 <= VC4VK_STATE_MAX_LOG2);
    struct vc4vk_state_bucket *bucket = &pool->front[log2 - VC4VK_STATE_MIN_LOG2];
    const struct free_list_side front = {pool, 1};
    uint32_t offset_B = list_pop(&bucket->free_list, &front);
    if (!offset_B && !run_take(bucket, 1u << log2, &offset_B) && !refill(pool, bucket, 1u << log2, &offset_B))
        return false;
    out->offset_B = (int32_t)offset_B;
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
    const struct free_list_side front = {pool, 1};
    list_push(&pool->front[util_log2(state.size_B) - VC4VK_STATE_MIN_LOG2].free_list, &front, (uint32_t)state.offset_B);
    atomic_fetch_sub_explicit(&pool->live, 1, memory_order_relaxed);
}

/* -- blocks of binding tables ---------------------------------------------------------------------------------------
 */

bool vc4vk_table_block_get(struct vc4vk_state_pool *pool, int32_t *offset_B_out)
{
    const struct free_list_side back = {pool, -1};
    uint32_t distance_B = list_pop(&pool->free_tables, &back);
    *offset_B_out = -(int32_t)distance_B;
    if (!distance_B && !vc4vk_block_pool_take(&pool->blocks, VC4VK_POOL_BACK, VC4VK_TABLE_BLOCK_B, offset_B_out))
        return false;
    atomic_fetch_add_explicit(&pool->live, 1, memory_order_relaxed);
    return true;
}

void vc4vk_table_block_put(struct vc4vk_state_pool *pool, int32_t offset_B)
{
    const struct free_list_side back = {pool, -1};
    list_push(&pool->free_tables, &back, (uint32_t)-offset_B);
    atomic_fetch_sub_explicit(&pool->live, 1, memory_order_relaxed);
}

/* -- life --------------------------------------------------------------------------------------------------------- */

VkResult vc4vk_state_pool_init(struct vc4vk_state_pool *pool, uint64_t reserve_B)
{
    memset(pool, 0, sizeof *pool);
    VkResult result = vc4vk_block_pool_init(&pool->blocks, reserve_B);
    if (result != VK_SUCCESS)
        return result;
    for (uint32_t i = 0; i < VC4VK_STATE_BUCKETS; i++)
        pthread_mutex_init(&pool->front[i].refill_lock, NULL);
    /* The first state of all lies at offset 0 and stays zero: the null state. */
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
