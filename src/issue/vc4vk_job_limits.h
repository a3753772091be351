/* SPDX-License-Identifier: MIT
 *
 * Limits of the kernel and the chip on one job, and estimates of what draws take of them. Recording splits a pass by
 * these; issue splits jobs whose draws are indirect.
 */
#ifndef ISSUE_VC4VK_JOB_LIMITS_H
#define ISSUE_VC4VK_JOB_LIMITS_H

#include <vulkan/vulkan.h>
#include "util/macros.h"

/* Limits of a job; smaller ones with VC4VK_DEBUG=tiny. */
struct vc4vk_job_limits {
    uint32_t chunk_B;
    uint32_t chip_draws; /* HW-2116: state counters wrap [hardware notes 7.5] */
    uint64_t bytes_B;
    uint64_t binner_B;
};
const struct vc4vk_job_limits *vc4vk_job_limits(void);

/* Estimates of a draw's size in the tile lists: of its state alone, and of all of it. */
static inline uint64_t vc4vk_binner_state_B(uint32_t tiles)
{
    return UINT64_C(48) * tiles;
}
uint64_t vc4vk_binner_estimate_B(uint32_t tiles, VkPrimitiveTopology topology, uint64_t vertices);

#endif
