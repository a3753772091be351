/* SPDX-License-Identifier: MIT
 *
 * State streams. A stream's blocks are chained like those of a free list, so that freeing them all is one exchange.
 */
#include "descriptor/vc4vk_state_pool.h"

#define ALIGN_B 16u

void vc4vk_state_stream_init(struct vc4vk_state_stream *stream, struct vc4vk_state_pool *pool,
                             enum vc4vk_pool_side side, uint32_t block_B)
{
    *stream = (struct vc4vk_state_stream){.pool = pool, .side = side, .block_B = block_B};
}

static bool add_block(struct vc4vk_state_stream *stream)
{
    struct vc4vk_block_pool *blocks = &stream->pool->blocks;
    int32_t offset_B;
    if (!vc4vk_block_pool_take(blocks, stream->side, stream->block_B, &offset_B))
        return false;
    if (stream->block_count)
        vc4vk_free_list_link(blocks, stream->side, offset_B, stream->newest_B);
    else
        stream->oldest_B = offset_B;
    stream->newest_B = offset_B;
    stream->block_count++;
    stream->used_B = VC4VK_STREAM_FIRST_B;
    atomic_fetch_add_explicit(&stream->pool->live, 1, memory_order_relaxed);
    return true;
}

bool vc4vk_state_stream_take(struct vc4vk_state_stream *stream, uint32_t size_B, uint32_t *in_block_B_out)
{
    size_B = util_align(size_B, ALIGN_B);
    assert(size_B <= stream->block_B - VC4VK_STREAM_FIRST_B);
    if ((!stream->block_count || size_B > stream->block_B - stream->used_B) && !add_block(stream))
        return false;
    *in_block_B_out = stream->used_B;
    stream->used_B += size_B;
    return true;
}

void vc4vk_state_stream_reset(struct vc4vk_state_stream *stream)
{
    if (!stream->block_count)
        return;
    struct vc4vk_block_pool *blocks = &stream->pool->blocks;
    vc4vk_block_pool_put_chain(blocks, stream->side, stream->block_B, stream->newest_B, stream->oldest_B);
    atomic_fetch_sub_explicit(&stream->pool->live, stream->block_count, memory_order_relaxed);
    stream->block_count = stream->used_B = 0;
}
