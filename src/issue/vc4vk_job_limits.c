/* SPDX-License-Identifier: MIT */
#include "issue/vc4vk_job_limits.h"
#include "util/debug.h"

/* The kernel has 16 MiB of binner memory for all processes, in slots of 512 KiB. A job that needs more fails [hardware
 * notes 9.8]. */
static const struct vc4vk_job_limits normal_limits = {
    .chunk_B = 2048, .chip_draws = 7900, .bytes_B = 4u << 20, .binner_B = 12u << 20};
static const struct vc4vk_job_limits tiny_limits = {
    .chunk_B = 64, .chip_draws = 7900, .bytes_B = 1024, .binner_B = 12u << 20};

const struct vc4vk_job_limits *vc4vk_job_limits(void)
{
    return util_debug(UTIL_DEBUG_TINY) ? &tiny_limits : &normal_limits;
}

/* Tile lists hold the state once per tile that a draw enters, and up to 7 bytes per primitive and tile. The estimate is
 * for many small primitives, which enter one tile each, or for few that are as large as the window. */
uint64_t vc4vk_binner_estimate_B(uint32_t tiles, VkPrimitiveTopology topology, uint64_t vertices)
{
    const uint64_t primitives = topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST ? vertices / 3
                                : topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST   ? vertices / 2
                                                                                : vertices;
    const uint64_t small_B = 8 * primitives, large_B = UINT64_C(7) * tiles * MIN2(primitives, 4u);
    return vc4vk_binner_state_B(tiles) + MAX2(small_B, large_B);
}
