/* SPDX-License-Identifier: MIT
 *
 * Queries: sums up the counters of occlusion queries, and writes results to buffers.
 */
#include "transfer/vc4vk_transfer.h"
#include "kmd/kmd.h"

/* Counters lie in rows of pixels, or with several samples in rows of blocks. The counters of a block outside of the
 * area are 0, since no draw reaches them. */
static uint64_t sum_of(const struct vc4vk_sum_counters *sum, const uint32_t *words, const struct vc4vk_counter *counter)
{
    const bool has_blocks = sum->samples > 1;
    const uint32_t unit_px = has_blocks ? HW_MS_TILE_PX : 1, unit_words = has_blocks ? HW_MS_TILE_B / sizeof *words : 1;
    const uint32_t left = (uint32_t)sum->area.offset.x, top = (uint32_t)sum->area.offset.y;
    const uint32_t begin = left / unit_px * unit_words,
                   end = util_div_round_up(left + sum->area.extent.width, unit_px) * unit_words;
    const uint32_t last_row = util_div_round_up(top + sum->area.extent.height, unit_px);
    const uint32_t mask = (uint32_t)(UINT64_C(0xffffffff) >> (32 - counter->bits));
    uint64_t all = 0;
    for (uint32_t y = top / unit_px; y < last_row; y++) {
        const uint32_t *row = words + (size_t)y * (sum->stride_B / sizeof *words);
        for (uint32_t i = begin; i < end; i++)
            all += row[i] >> counter->shift & mask;
    }
    return all;
}

VkResult vc4vk_run_sum_counters(void *arguments)
{
    const struct vc4vk_sum_counters *sum = arguments;
    const uint32_t *words = kmd_bo_map(sum->bo);
    if (!words)
        return VK_ERROR_MEMORY_MAP_FAILED;
    for (uint32_t i = 0; i < sum->count; i++)
        vc4vk_query_add(&sum->counters[i].query, sum_of(sum, words, &sum->counters[i]));
    return VK_SUCCESS;
}

VkResult vc4vk_run_copy_query_results(void *arguments)
{
    const struct vc4vk_copy_query_results *copy = arguments;
    uint8_t *map = copy->to->bo ? kmd_bo_map(copy->to->bo) : NULL;
    if (!map || copy->offset_B >= copy->to->size_B)
        return VK_SUCCESS;
    /* Everything before this has retired, so queries that are not available now were never begun. */
    VkResult result = vc4vk_query_pool_results(
        copy->range.pool->device, vc4vk_query_pool_to_handle(copy->range.pool), copy->range.first, copy->range.count,
        (size_t)(copy->to->size_B - copy->offset_B), map + copy->to->offset_B + copy->offset_B, copy->stride_B,
        copy->flags & ~(uint32_t)VK_QUERY_RESULT_WAIT_BIT);
    return result == VK_NOT_READY ? VK_SUCCESS : result;
}
