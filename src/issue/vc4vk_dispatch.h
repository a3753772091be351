/* SPDX-License-Identifier: MIT
 *
 * A recorded dispatch, and its execution: one function builds descriptors and requests from the binding table and runs
 * them on the CPU engine (docs/cpu-engine.md).
 */
#ifndef ISSUE_VC4VK_DISPATCH_H
#define ISSUE_VC4VK_DISPATCH_H

#include "device/vc4vk_condition.h"
#include "issue/vc4vk_counted.h"
#include "issue/vc4vk_issue_descriptors.h"
#include "pipeline/vc4vk_pipeline.h"

/* What only stages that write records have. */
struct vc4vk_dispatch_records {
    struct kmd_bo *bo; /* holds the records; `words` has addresses in it */
    uint32_t words[VC4C_RECORDS_KINDS];
    uint32_t draw[3]; /* BaseVertex, BaseInstance, DrawIndex */
    uint32_t view;
    bool drops_stores; /* to memory of the application: an earlier run has done them */
    uint64_t *left_ns; /* that the dispatches of one job may still take together */
};

struct vc4vk_dispatch {
    struct vc4vk_device *device;
    const struct vc4vk_state_pool *pool;
    const struct vc4vk_variant *variant;
    struct vc4vk_binding_table table;
    const struct vc4vk_issue_sets *sets; /* if descriptors are read when the dispatch is issued; or NULL */
    uint32_t base[3], workgroups[3]; /* the first workgroup, and how many */
    const struct vc4vk_buffer *indirect; /* `workgroups` is read from here when the dispatch is issued; or NULL */
    VkDeviceSize indirect_offset_B;
    const struct vc4vk_condition *condition; /* or NULL */
    const struct vc4vk_dispatch_records *records; /* or NULL */
    const struct vc4vk_counted *counted;          /* queries that count its invocations; or NULL */
    uint32_t push[VC4VK_MAX_PUSH_B / 4];
};

/* The function of a CPU operation; `arguments` is a struct vc4vk_dispatch. */
VkResult vc4vk_issue_dispatch(void *arguments);

#endif
