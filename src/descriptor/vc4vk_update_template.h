/* SPDX-License-Identifier: MIT
 *
 * Update templates: describe where the application's memory holds the descriptors of a set.
 */
#ifndef DESCRIPTOR_VC4VK_UPDATE_TEMPLATE_H
#define DESCRIPTOR_VC4VK_UPDATE_TEMPLATE_H

#include "device/vc4vk_object.h"

struct vc4vk_update_template {
    struct vc4vk_object base;
    VkPipelineBindPoint bind_point; /* for push descriptors only */
    uint32_t entry_count;
    const VkDescriptorUpdateTemplateEntry *entries;
};

VC4VK_DEFINE_HANDLE(vc4vk_update_template, VkDescriptorUpdateTemplate, VK_OBJECT_TYPE_DESCRIPTOR_UPDATE_TEMPLATE)

#endif
