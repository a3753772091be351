/* SPDX-License-Identifier: MIT
 *
 * The creation flags of pipelines. VK_KHR_maintenance5 has a struct with 64 bits that replaces the flags of the create
 * info. The bits of both have the same values; none beyond the first 32 belongs to a supported extension.
 */
#ifndef PIPELINE_VC4VK_PIPELINE_FLAGS_H
#define PIPELINE_VC4VK_PIPELINE_FLAGS_H

#include "device/vc4vk_object.h"

/* `flags` and `chain`: of the create info. */
static inline VkPipelineCreateFlags vc4vk_pipeline_flags(VkPipelineCreateFlags flags, const void *chain)
{
#ifdef VK_KHR_maintenance5
    const VkPipelineCreateFlags2CreateInfoKHR *wide =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);
    if (wide)
        return (VkPipelineCreateFlags)wide->flags;
#endif
    return flags;
}

#endif
