/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_maintenance4: requirements of buffers and images that do not exist, and VK_KHR_maintenance5: layouts of such
 * images. The object is created, asked and destroyed, so the answer is always that of such an object. Descriptions that
 * cannot be created require nothing.
 */
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"

static const VkMemoryRequirements no_requirements = {.alignment = 1};

VKAPI_ATTR void VKAPI_CALL vc4vk_GetDeviceBufferMemoryRequirementsKHR(VkDevice device,
                                                                      const VkDeviceBufferMemoryRequirements *pInfo,
                                                                      VkMemoryRequirements2 *pMemoryRequirements)
{
    VkBuffer buffer;
    pMemoryRequirements->memoryRequirements = no_requirements;
    if (vc4vk_CreateBuffer(device, pInfo->pCreateInfo, NULL, &buffer) != VK_SUCCESS)
        return;
    const VkBufferMemoryRequirementsInfo2 info = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
                                                  .buffer = buffer};
    vc4vk_GetBufferMemoryRequirements2KHR(device, &info, pMemoryRequirements);
    vc4vk_DestroyBuffer(device, buffer, NULL);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetDeviceImageMemoryRequirementsKHR(VkDevice device,
                                                                     const VkDeviceImageMemoryRequirements *pInfo,
                                                                     VkMemoryRequirements2 *pMemoryRequirements)
{
    VkImage image;
    pMemoryRequirements->memoryRequirements = no_requirements;
    if (vc4vk_CreateImage(device, pInfo->pCreateInfo, NULL, &image) != VK_SUCCESS)
        return;
    const VkImagePlaneMemoryRequirementsInfo plane = {.sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO,
                                                      .planeAspect = pInfo->planeAspect};
    const bool is_disjoint = pInfo->pCreateInfo->flags & VK_IMAGE_CREATE_DISJOINT_BIT;
    const VkImageMemoryRequirementsInfo2 info = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                                 .pNext = is_disjoint ? &plane : NULL,
                                                 .image = image};
    vc4vk_GetImageMemoryRequirements2KHR(device, &info, pMemoryRequirements);
    vc4vk_DestroyImage(device, image, NULL);
}

/* There are no sparse images. */
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
    pLayout->subresourceLayout = (VkSubresourceLayout){0};
    if (vc4vk_CreateImage(device, pInfo->pCreateInfo, NULL, &image) != VK_SUCCESS)
        return;
    vc4vk_GetImageSubresourceLayout2KHR(device, image, pInfo->pSubresource, pLayout);
    vc4vk_DestroyImage(device, image, NULL);
}
#endif
