/* SPDX-License-Identifier: MIT
 *
 * Transform feedback: the state of a vkCmdBeginTransformFeedbackEXT, which its draws share, and the operations that run
 * where it begins and ends. How far the buffers are filled changes when draws are issued, in their order.
 */
#ifndef ISSUE_VC4VK_CAPTURE_H
#define ISSUE_VC4VK_CAPTURE_H

#include "pipeline/vc4vk_pipeline.h"

struct vc4vk_capture_place {
    struct kmd_bo *bo; /* NULL: none */
    uint64_t offset_B; /* in the BO */
};

struct vc4vk_capture {
    struct {
        struct vc4vk_capture_place at;
        uint64_t size_B;
    } buffers[VC4C_MAX_CAPTURE_BUFFERS];
    uint32_t written_B[VC4C_MAX_CAPTURE_BUFFERS]; /* of each buffer; changes when commands run */
};

/* Arguments of the operations below: where the buffers' fill levels are read from or written to. */
struct vc4vk_capture_counters {
    struct vc4vk_capture *capture;
    struct vc4vk_capture_place counters[VC4C_MAX_CAPTURE_BUFFERS];
};
VkResult vc4vk_run_begin_capture(void *arguments); /* levels without a counter are 0 */
VkResult vc4vk_run_end_capture(void *arguments);

#endif
