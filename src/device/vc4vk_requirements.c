/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_maintenance4: requirements of buffers and images that do not exist, and VK_KHR_maintenance5: layouts of such
 * images. The object is created, asked and destroyed, so the answer is always that of such an object. Descriptions that
 * cannot be created require nothing. A sparse object is created without its address range, as none may be
 * free.
 */
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_sparse.h"

static const VkMemoryRequirements no_requirements = {.alignment = 1};

VKAPI_ATTR void VKAPI_CALL vc4vk_GetDeviceBufferMemoryRequirementsKHR(VkDevice device,
                                                                      const VkDeviceBufferMemoryRequirements *pInfo,
                                                                      VkMemoryRequirements2 *pMemoryRequirements)
{
    VkBuffer buffer;
    VkBufferCreateInfo create_info = *pInfo->pCreateInfo;
    const bool is_sparse = create_info.flags & vc4vk_sparse_buffer_flags(vc4vk_device_from_handle(device));
    create_info.flags &= ~vc4vk_sparse_buffer_flags(vc4vk_device_from_handle(device));
    create_info.size = is_sparse ? 1 : create_info.size; /* a sparse buffer may be larger than the heap */
    pMemoryRequirements->memoryRequirements = no_requirements;
    if ((is_sparse && pInfo->pCreateInfo->size > VC4VK_MAX_SPARSE_B) ||
        vc4vk_CreateBuffer(device, &create_info, NULL, &buffer) != VK_SUCCESS)
        return;
    const VkBufferMemoryRequirementsInfo2 info = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
                                                  .buffer = buffer};
    vc4vk_GetBufferMemoryRequirements2KHR(device, &info, pMemoryRequirements);
    if (is_sparse) {
        pMemoryRequirements->memoryRequirements.size = pInfo->pCreateInfo->size;
        vc4vk_sparse_round_requirements(vc4vk_device_from_handle(device), &pMemoryRequirements->memoryRequirements);
    }
    vc4vk_DestroyBuffer(device, buffer, NULL);
}

/* Images that cannot be sparse keep the flags, and cannot be created. */
static VkImageCreateInfo without_range(VkDevice _device, const VkImageCreateInfo *info)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VkImageCreateInfo out = *info;
    if (device->features.sparseBinding && !(info->flags & VK_IMAGE_CREATE_DISJOINT_BIT))
        out.flags &= ~(VkImageCreateFlags)VC4VK_SPARSE_IMAGE_FLAGS;
    return out;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetDeviceImageMemoryRequirementsKHR(VkDevice device,
                                                                     const VkDeviceImageMemoryRequirements *pInfo,
                                                                     VkMemoryRequirements2 *pMemoryRequirements)
{
    VkImage image;
    VkImageCreateInfo create_info = without_range(device, pInfo->pCreateInfo);
    pMemoryRequirements->memoryRequirements = no_requirements;
    if (vc4vk_CreateImage(device, &create_info, NULL, &image) != VK_SUCCESS)
        return;
    const VkImagePlaneMemoryRequirementsInfo plane = {.sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO,
                                                      .planeAspect = pInfo->planeAspect};
    const bool is_disjoint = pInfo->pCreateInfo->flags & VK_IMAGE_CREATE_DISJOINT_BIT;
    const VkImageMemoryRequirementsInfo2 info = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                                 .pNext = is_disjoint ? &plane : NULL,
                                                 .image = image};
    vc4vk_GetImageMemoryRequirements2KHR(device, &info, pMemoryRequirements);
    if (create_info.flags != pInfo->pCreateInfo->flags)
        vc4vk_sparse_round_requirements(vc4vk_device_from_handle(device), &pMemoryRequirements->memoryRequirements);
    vc4vk_DestroyImage(device, image, NULL);
}

/* No image has sparse residency. */
VKAPI_ATTR void VKAPI_CALL vc4vk_GetDeviceImageSparseMemoryRequirementsKHR(
    VkDevice device, const VkDeviceImageMemoryRequirements *pInfo, uint32_t *pSparseMemoryRequirementCount,
    VkSparseImageMemoryRequirements2 *pSparseMemoryRequirements)
{
    *pSparseMemoryRequirementCount = 0;
}

#ifdef VK_KHR_maintenance5
VKAPI_ATTR void VKAPI_CALL vc4vk_GetDeviceImageSubresourceLayoutKHR(VkDevice device,
                                                                    const VkDeviceImageSubresourceInfoKHR *pInfo,
                                                                    VkSubresourceLayout2KHR *pLayout)
{
    VkImage image;
    const VkImageCreateInfo create_info = without_range(device, pInfo->pCreateInfo);
    pLayout->subresourceLayout = (VkSubresourceLayout){0};
    if (vc4vk_CreateImage(device, &create_info, NULL, &image) != VK_SUCCESS)
        return;
    vc4vk_GetImageSubresourceLayout2KHR(device, image, pInfo->pSubresource, pLayout);
    vc4vk_DestroyImage(device, image, NULL);
}
#endif
