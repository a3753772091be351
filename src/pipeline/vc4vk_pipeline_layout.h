/* SPDX-License-Identifier: MIT
 *
 * Pipeline layouts: references to set layouts, and the total size of the push constant ranges. Only validation needs
 * the single ranges.
 */
#ifndef UTIL_PIPELINE_LAYOUT_H
#define UTIL_PIPELINE_LAYOUT_H

#include "descriptor/vc4vk_descriptor_set.h"
#include "device/vc4vk_device.h"

struct vc4vk_pipeline_layout {
    struct vc4vk_object base;
    _Atomic uint32_t refs; /* pipelines hold a reference */
    uint32_t set_count;
    uint32_t push_B; /* end of the last push constant range */
    struct vc4vk_set_layout *sets[VC4VK_MAX_SETS]; /* NULL: only stages of other libraries use the set */
};

VC4VK_DEFINE_HANDLE(vc4vk_pipeline_layout, VkPipelineLayout, VK_OBJECT_TYPE_PIPELINE_LAYOUT)

static inline struct vc4vk_pipeline_layout *vc4vk_pipeline_layout_ref(struct vc4vk_pipeline_layout *layout)
{
    atomic_fetch_add_explicit(&layout->refs, 1, memory_order_relaxed);
    return layout;
}

void vc4vk_pipeline_layout_unref(struct vc4vk_device *device, struct vc4vk_pipeline_layout *layout);

#endif
