/* SPDX-License-Identifier: MIT
 *
 * Pipeline layouts: creation, limits and reference counting.
 */
#include <inttypes.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "pipeline/vc4vk_pipeline_layout.h"

void vc4vk_pipeline_layout_unref(struct vc4vk_device *device, struct vc4vk_pipeline_layout *layout)
{
    if (!layout || atomic_fetch_sub_explicit(&layout->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < layout->set_count; i++)
        if (layout->sets[i])
            vc4vk_set_layout_unref(device, layout->sets[i]);
    vc4vk_free(device->alloc, layout);
}

/* Allocated with the device's callbacks, not the call's: pipelines may keep the layout after its destruction. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreatePipelineLayout(VkDevice device_h, const VkPipelineLayoutCreateInfo *info,
                                                          const VkAllocationCallbacks *alloc, VkPipelineLayout *out)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    if (info->setLayoutCount > VC4VK_MAX_SETS)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN,
                            "pipeline layout of %u sets: at most %u can be bound (maxBoundDescriptorSets)",
                            info->setLayoutCount, VC4VK_MAX_SETS);
    uint64_t push_B = 0;
    for (uint32_t i = 0; i < info->pushConstantRangeCount; i++)
        push_B = MAX2(push_B, (uint64_t)info->pPushConstantRanges[i].offset + info->pPushConstantRanges[i].size);
    if (push_B > VC4VK_MAX_PUSH_B)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN,
                            "pipeline layout with %" PRIu64 " B of push constants: at most %u (maxPushConstantsSize)",
                            push_B, VC4VK_MAX_PUSH_B);

    struct vc4vk_pipeline_layout *layout =
        vc4vk_new(device->alloc, struct vc4vk_pipeline_layout, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!layout)
        return vc4vk_oom(device);
    vc4vk_object_init(&layout->base, VK_OBJECT_TYPE_PIPELINE_LAYOUT);
    atomic_init(&layout->refs, 1);
    layout->push_B = (uint32_t)push_B;
    layout->set_count = info->setLayoutCount;
    for (uint32_t i = 0; i < info->setLayoutCount; i++)
        layout->sets[i] =
            info->pSetLayouts[i] ? vc4vk_set_layout_ref(vc4vk_set_layout_from_handle(info->pSetLayouts[i])) : NULL;
    *out = vc4vk_pipeline_layout_to_handle(layout);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyPipelineLayout(VkDevice device_h, VkPipelineLayout layout_h,
                                                       const VkAllocationCallbacks *alloc)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    vc4vk_pipeline_layout_unref(device, vc4vk_pipeline_layout_from_handle(layout_h));
}
