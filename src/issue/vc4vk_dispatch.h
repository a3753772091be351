/* SPDX-License-Identifier: MIT
 *
 * A recorded dispatch, and its execution: one function builds descriptors and requests from the binding table and runs
 * them on the CPU engine (docs/cpu-engine.md).
 */
#ifndef ISSUE_VC4VK_DISPATCH_H
#define ISSUE_VC4VK_DISPATCH_H

#include "device/vc4vk_condition.h"
#include "pipeline/vc4vk_pipeline.h"

struct vc4vk_dispatch {
    struct vc4vk_device *device;
    const struct vc4vk_state_pool *pool;
    const struct vc4vk_variant *variant;
    struct vc4vk_binding_table table;
    uint32_t base[3], workgroups[3]; /* the first workgroup, and how many */
    const struct vc4vk_buffer *indirect; /* `workgroups` is read from here when the dispatch is issued; or NULL */
    VkDeviceSize indirect_offset_B;
    const struct vc4vk_condition *condition; /* or NULL */
    uint32_t push[VC4VK_MAX_PUSH_B / 4];
};

/* The function of a CPU operation; `arguments` is a struct vc4vk_dispatch. */
VkResult vc4vk_issue_dispatch(void *arguments);

#endif
