/* SPDX-License-Identifier: MIT
 *
 * Instances and the enumeration of physical devices: one for each device that the kernel interface finds.
 */
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_extension_list.h"
#include "device/vc4vk_physical_device.h"

static const VkExtensionProperties instance_extensions[] = {
#define X(name, version, supported) {"VK_" #name, version},
    VC4VK_INSTANCE_EXTENSIONS(X)
#undef X
};

static const bool instance_extension_supported[] = {
#define X(name, version, supported) supported,
    VC4VK_INSTANCE_EXTENSIONS(X)
#undef X
};

_Static_assert(sizeof(struct vc4vk_instance_extensions) == ARRAY_SIZE(instance_extensions), "one bool per row");

static const struct vc4vk_extension_list instance_list = {instance_extensions, instance_extension_supported,
                                                          ARRAY_SIZE(instance_extensions)};

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_EnumerateInstanceExtensionProperties(const char *pLayerName,
                                                                          uint32_t *pPropertyCount,
                                                                          VkExtensionProperties *pProperties)
{
    if (pLayerName)
        return VK_ERROR_LAYER_NOT_PRESENT;
    return vc4vk_extension_list_enumerate(&instance_list, pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_EnumerateInstanceLayerProperties(uint32_t *pPropertyCount,
                                                                      VkLayerProperties *pProperties)
{
    *pPropertyCount = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_EnumerateInstanceVersion(uint32_t *pApiVersion)
{
    *pApiVersion = vc4vk_api_version();
    return VK_SUCCESS;
}

static void free_instance(struct vc4vk_instance *instance, const VkAllocationCallbacks *given)
{
    vc4vk_creation_messengers_finish(instance);
    util_log_domain_destroy(instance->log);
    pthread_mutex_destroy(&instance->lock);
    vc4vk_free_self(instance->alloc, given, instance);
}

static VkResult init_instance(struct vc4vk_instance *instance, const VkInstanceCreateInfo *info)
{
    if (info->enabledLayerCount)
        return vc4vk_errorf(NULL, VK_ERROR_LAYER_NOT_PRESENT, "instance: layer %s is missing, the driver has no layers",
                            info->ppEnabledLayerNames[0]);
    /* Every application version is accepted; applications that ask for a later one get the driver's own. */
    instance->api_version = VK_API_VERSION_1_0;
    if (info->pApplicationInfo && info->pApplicationInfo->apiVersion)
        instance->api_version = info->pApplicationInfo->apiVersion;
    return vc4vk_extension_list_enable(&instance_list, info->enabledExtensionCount, info->ppEnabledExtensionNames,
                                       "instance", (bool *)&instance->enabled);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateInstance(const VkInstanceCreateInfo *pCreateInfo,
                                                    const VkAllocationCallbacks *pAllocator, VkInstance *pInstance)
{
    struct vc4vk_instance *instance = vc4vk_new(pAllocator, struct vc4vk_instance, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    if (!instance)
        return vc4vk_oom(NULL);
    vc4vk_object_init(&instance->base, VK_OBJECT_TYPE_INSTANCE);
    if (pAllocator) {
        instance->alloc_storage = *pAllocator;
        instance->alloc = &instance->alloc_storage;
    }
    pthread_mutex_init(&instance->lock, NULL);
    instance->log = util_log_domain_create();
    if (!vc4vk_creation_messengers_init(instance, pCreateInfo->pNext) || !instance->log) {
        free_instance(instance, pAllocator);
        return vc4vk_oom(NULL);
    }
    struct util_log_call call;
    vc4vk_creation_messengers_begin(instance, &call);
    VkResult result = init_instance(instance, pCreateInfo);
    vc4vk_creation_messengers_end(instance, &call);
    if (result != VK_SUCCESS) {
        free_instance(instance, pAllocator);
        return result;
    }
    *pInstance = vc4vk_instance_to_handle(instance);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyInstance(VkInstance _instance, const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    struct util_log_call call;
    if (!instance)
        return;
    vc4vk_creation_messengers_begin(instance, &call);
    for (uint32_t i = 0; i < instance->physical_count; i++)
        vc4vk_physical_device_destroy(instance->physical[i]);
    vc4vk_creation_messengers_end(instance, &call);
    free_instance(instance, pAllocator);
}

static VkResult enumerate_locked(struct vc4vk_instance *instance)
{
    struct kmd_physical found[KMD_MAX_DEVICES];
    uint32_t count = kmd_enumerate(found);
    for (uint32_t i = 0; i < count; i++) {
        VkResult result =
            vc4vk_physical_device_create(instance, &found[i], &instance->physical[instance->physical_count]);
        if (result != VK_SUCCESS) {
            while (instance->physical_count)
                vc4vk_physical_device_destroy(instance->physical[--instance->physical_count]);
            return result;
        }
        instance->physical_count++;
    }
    instance->enumerated = true;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_EnumeratePhysicalDevices(VkInstance _instance, uint32_t *pPhysicalDeviceCount,
                                                              VkPhysicalDevice *pPhysicalDevices)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    pthread_mutex_lock(&instance->lock);
    VkResult result = instance->enumerated ? VK_SUCCESS : enumerate_locked(instance);
    pthread_mutex_unlock(&instance->lock);
    if (result != VK_SUCCESS)
        return result;
    if (!pPhysicalDevices) {
        *pPhysicalDeviceCount = instance->physical_count;
        return VK_SUCCESS;
    }
    *pPhysicalDeviceCount = MIN2(*pPhysicalDeviceCount, instance->physical_count);
    for (uint32_t i = 0; i < *pPhysicalDeviceCount; i++)
        pPhysicalDevices[i] = vc4vk_physical_device_to_handle(instance->physical[i]);
    return *pPhysicalDeviceCount < instance->physical_count ? VK_INCOMPLETE : VK_SUCCESS;
}
