/* SPDX-License-Identifier: MIT
 *
 * Update templates: creation, destruction and vkUpdateDescriptorSetWithTemplateKHR.
 */
#include "descriptor/vc4vk_update_template.h"
#include <string.h>
#include "descriptor/vc4vk_descriptor_set.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"

VKAPI_ATTR VkResult VKAPI_CALL
vc4vk_CreateDescriptorUpdateTemplateKHR(VkDevice _device, const VkDescriptorUpdateTemplateCreateInfo *pCreateInfo,
                                        const VkAllocationCallbacks *pAllocator,
                                        VkDescriptorUpdateTemplate *pDescriptorUpdateTemplate)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct vc4vk_update_template *template;
    VkDescriptorUpdateTemplateEntry *entries;
    const uint32_t count = pCreateInfo->descriptorUpdateEntryCount;
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &template, 1);
    vc4vk_multialloc_add(&ma, &entries, count);
    if (!vc4vk_multialloc_alloc(&ma, vc4vk_alloc_choose(device->alloc, pAllocator), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT))
        return vc4vk_oom(device);
    vc4vk_object_init(&template->base, VK_OBJECT_TYPE_DESCRIPTOR_UPDATE_TEMPLATE);
    template->bind_point = pCreateInfo->pipelineBindPoint;
    template->entry_count = count;
    template->entries = entries;
    memcpy(entries, pCreateInfo->pDescriptorUpdateEntries, count * sizeof *entries);
    *pDescriptorUpdateTemplate = vc4vk_update_template_to_handle(template);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyDescriptorUpdateTemplateKHR(VkDevice _device,
                                                                    VkDescriptorUpdateTemplate _template,
                                                                    const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, pAllocator), vc4vk_update_template_from_handle(_template));
}

VKAPI_ATTR void VKAPI_CALL vc4vk_UpdateDescriptorSetWithTemplateKHR(VkDevice device, VkDescriptorSet set,
                                                                    VkDescriptorUpdateTemplate template,
                                                                    const void *pData)
{
    vc4vk_set_write_template(vc4vk_set_from_handle(set), vc4vk_update_template_from_handle(template), pData);
}
