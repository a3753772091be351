/* SPDX-License-Identifier: MIT
 *
 * Device groups: each physical device is a group of its own. Device masks, device indices and memory instances can
 * therefore only name that one device, and the driver ignores most of the extension's structs.
 */
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_physical_device.h"

static void fill_group(struct vc4vk_physical_device *physical, VkPhysicalDeviceGroupProperties *out)
{
    out->physicalDeviceCount = 1;
    out->physicalDevices[0] = vc4vk_physical_device_to_handle(physical);
    for (uint32_t i = 1; i < VK_MAX_DEVICE_GROUP_SIZE; i++)
        out->physicalDevices[i] = VK_NULL_HANDLE;
    out->subsetAllocation = VK_FALSE;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_EnumeratePhysicalDeviceGroupsKHR(
    VkInstance _instance, uint32_t *pPhysicalDeviceGroupCount,
    VkPhysicalDeviceGroupProperties *pPhysicalDeviceGroupProperties)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    uint32_t count;
    VkResult result = vc4vk_EnumeratePhysicalDevices(_instance, &count, NULL);
    if (result != VK_SUCCESS)
        return result;
    if (!pPhysicalDeviceGroupProperties) {
        *pPhysicalDeviceGroupCount = count;
        return VK_SUCCESS;
    }
    *pPhysicalDeviceGroupCount = MIN2(*pPhysicalDeviceGroupCount, count);
    for (uint32_t i = 0; i < *pPhysicalDeviceGroupCount; i++)
        fill_group(instance->physical[i], &pPhysicalDeviceGroupProperties[i]);
    return *pPhysicalDeviceGroupCount < count ? VK_INCOMPLETE : VK_SUCCESS;
}

/* No device has a peer, so both indices name the device itself and its own memory. */
VKAPI_ATTR void VKAPI_CALL vc4vk_GetDeviceGroupPeerMemoryFeaturesKHR(VkDevice device, uint32_t heapIndex,
                                                                     uint32_t localDeviceIndex,
                                                                     uint32_t remoteDeviceIndex,
                                                                     VkPeerMemoryFeatureFlags *pPeerMemoryFeatures)
{
    *pPeerMemoryFeatures = VK_PEER_MEMORY_FEATURE_COPY_SRC_BIT | VK_PEER_MEMORY_FEATURE_COPY_DST_BIT |
                           VK_PEER_MEMORY_FEATURE_GENERIC_SRC_BIT | VK_PEER_MEMORY_FEATURE_GENERIC_DST_BIT;
}
