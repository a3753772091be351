/* SPDX-License-Identifier: MIT
 *
 * Logical devices: checks the requested extensions and features, opens the kernel device and its queues, and holds the
 * opaque slots in which other modules keep their per-device state.
 */
#include <errno.h>
#include <string.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_extension_list.h"
#include "device/vc4vk_physical_device.h"

static const VkExtensionProperties device_extensions[] = {
#define X(name, version, supported) {"VK_" #name, version},
    VC4VK_DEVICE_EXTENSIONS(X)
#undef X
};

_Static_assert(sizeof(struct vc4vk_device_extensions) == ARRAY_SIZE(device_extensions), "one bool per row");

static struct vc4vk_device_extensions extensions_of(const struct vc4vk_physical_device *physical)
{
    struct vc4vk_device_extensions has = {
#define X(name, version, supported) .name = supported,
        VC4VK_DEVICE_EXTENSIONS(X)
#undef X
    };
    has.EXT_external_memory_dma_buf = has.EXT_image_drm_format_modifier = physical->kmd.info.has_dma_bufs;
    has.EXT_external_memory_host = physical->kmd.info.host_align_B != 0;
    return has;
}

static struct vc4vk_extension_list list_of(const struct vc4vk_device_extensions *has)
{
    return (struct vc4vk_extension_list){device_extensions, (const bool *)has, ARRAY_SIZE(device_extensions)};
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_EnumerateDeviceExtensionProperties(VkPhysicalDevice physicalDevice,
                                                                        const char *pLayerName,
                                                                        uint32_t *pPropertyCount,
                                                                        VkExtensionProperties *pProperties)
{
    if (pLayerName)
        return VK_ERROR_LAYER_NOT_PRESENT;
    const struct vc4vk_device_extensions has = extensions_of(vc4vk_physical_device_from_handle(physicalDevice));
    const struct vc4vk_extension_list list = list_of(&has);
    return vc4vk_extension_list_enumerate(&list, pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_EnumerateDeviceLayerProperties(VkPhysicalDevice physicalDevice,
                                                                    uint32_t *pPropertyCount,
                                                                    VkLayerProperties *pProperties)
{
    *pPropertyCount = 0;
    return VK_SUCCESS;
}

/* -- creation ----------------------------------------------------------------------------------------------------- */

/* VkPhysicalDeviceFeatures consists of VkBool32 members only, so it is read as an array. */
static VkResult check_features(const struct vc4vk_physical_device *physical, const VkPhysicalDeviceFeatures *wanted)
{
    const VkBool32 *has = (const VkBool32 *)&physical->features, *wants = (const VkBool32 *)wanted;
    for (uint32_t i = 0; i < sizeof *wanted / sizeof *wants; i++)
        if (wants[i] && !has[i])
            return vc4vk_errorf(physical, VK_ERROR_FEATURE_NOT_PRESENT,
                                "device: the %u. feature of VkPhysicalDeviceFeatures is not supported", i + 1);
    return VK_SUCCESS;
}

static const VkPhysicalDeviceFeatures *wanted_features(const VkDeviceCreateInfo *info)
{
    const VkPhysicalDeviceFeatures2 *features2 =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    return features2 ? &features2->features : info->pEnabledFeatures;
}

static bool wants_local_reads(const void *chain)
{
    bool wants = false;
#ifdef VK_KHR_dynamic_rendering_local_read
    const VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR *own =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR);
    wants |= own && own->dynamicRenderingLocalRead;
#endif
#ifdef VK_VERSION_1_4
    const VkPhysicalDeviceVulkan14Features *version =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES);
    wants |= version && version->dynamicRenderingLocalRead;
#endif
    return wants;
}

/* VK_KHR_global_priority: orders queues before their own priority does, which is at most 1. It reaches no other device
 * of the machine. */
static VkResult find_priority(const struct vc4vk_device *device, const VkDeviceQueueCreateInfo *info, uint32_t index,
                              float *out)
{
    const VkDeviceQueueGlobalPriorityCreateInfoKHR *global =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR);
    const VkQueueGlobalPriorityKHR level = global ? global->globalPriority : VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR;
    *out = (float)level + info->pQueuePriorities[index];
    if (level > VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR)
        return vc4vk_errorf(device, VK_ERROR_NOT_PERMITTED_KHR, "device: a queue of global priority %d", (int)level);
    return VK_SUCCESS;
}

static VkResult create_queues(struct vc4vk_device *device, const VkDeviceCreateInfo *info)
{
    struct vc4vk_context_create queues[VC4VK_QUEUE_FAMILY_COUNT * VC4VK_QUEUES_PER_FAMILY];
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++) {
        const VkDeviceQueueCreateInfo *q = &info->pQueueCreateInfos[i];
        for (uint32_t j = 0; j < q->queueCount; j++) {
            if (q->queueFamilyIndex >= VC4VK_QUEUE_FAMILY_COUNT || count == ARRAY_SIZE(queues))
                return vc4vk_errorf(device, VK_ERROR_INITIALIZATION_FAILED,
                                    "device: queue %u of family %u does not exist", j, q->queueFamilyIndex);
            float priority;
            VkResult result = find_priority(device, q, j, &priority);
            if (result != VK_SUCCESS)
                return result;
            queues[count++] = (struct vc4vk_context_create){q->queueFamilyIndex, j, priority};
        }
    }
    VkResult result = vc4vk_queue_device_init(&device->queue_device, device->kmd, device->alloc, queues, count);
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++)
        set_loader_magic_value(
            &vc4vk_queue_device_get(&device->queue_device, queues[i].family, queues[i].index)->loader);
    return result;
}

static VkResult check_group(const struct vc4vk_physical_device *physical, const void *chain)
{
    const VkDeviceGroupDeviceCreateInfo *group =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
    if (group && group->physicalDeviceCount > 1)
        return vc4vk_errorf(physical, VK_ERROR_INITIALIZATION_FAILED,
                            "device: a group of %u physical devices, each group has exactly 1",
                            group->physicalDeviceCount);
    return VK_SUCCESS;
}

/* Also cleans up after a creation that failed half-way. */
static void destroy_device(struct vc4vk_device *device, const VkAllocationCallbacks *given)
{
    vc4vk_scheduler_wait_submitted(&device->queue_device.scheduler); /* issuing jobs return memory to pools held by the slots */
    for (int i = VC4VK_SLOT_COUNT - 1; i >= 0; i--)
        if (vc4vk_device_slot_peek(device, i))
            device->slots[i].ops->destroy(device, vc4vk_device_slot_peek(device, i));
    vc4vk_queue_device_finish(&device->queue_device);
    pthread_mutex_lock(&device->physical->lock);
    util_list_del(&device->physical_link);
    pthread_mutex_unlock(&device->physical->lock);
    kmd_close(device->kmd);
    pthread_cond_destroy(&device->swapchain_unused);
    pthread_mutex_destroy(&device->swapchain_lock);
    pthread_mutex_destroy(&device->shader_lock);
    vc4vk_addressed_memory_finish(&device->addressed_memory);
    vc4vk_private_slots_finish(&device->private_slots);
    pthread_mutex_destroy(&device->slot_lock);
    vc4vk_free_self(device->alloc, given, device);
}

static bool wants_fault_reports(const void *chain)
{
    const VkPhysicalDeviceFaultFeaturesEXT *features =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT);
    return features && features->deviceFault;
}

static bool wants_address_reports(const void *chain)
{
    const VkPhysicalDeviceAddressBindingReportFeaturesEXT *features =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ADDRESS_BINDING_REPORT_FEATURES_EXT);
    return features && features->reportAddressBinding;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateDevice(VkPhysicalDevice physicalDevice,
                                                  const VkDeviceCreateInfo *pCreateInfo,
                                                  const VkAllocationCallbacks *pAllocator, VkDevice *pDevice)
{
    VC4VK_FROM_HANDLE(vc4vk_physical_device, physical, physicalDevice);
    const VkPhysicalDeviceFeatures *features = wanted_features(pCreateInfo);
    VkResult result = features ? check_features(physical, features) : VK_SUCCESS;
    if (result == VK_SUCCESS)
        result = vc4vk_check_feature_structs(physical, pCreateInfo->pNext);
    if (result == VK_SUCCESS)
        result = check_group(physical, pCreateInfo->pNext);
    if (result != VK_SUCCESS)
        return result;
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(physical->instance->alloc, pAllocator);
    struct vc4vk_device *device = vc4vk_new(alloc, struct vc4vk_device, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!device)
        return vc4vk_oom(physical);
    vc4vk_object_init(&device->base, VK_OBJECT_TYPE_DEVICE);
    device->physical = physical;
    util_list_init(&device->physical_link);
    if (alloc) {
        device->alloc_storage = *alloc;
        device->alloc = &device->alloc_storage;
    }
    if (features)
        device->features = *features;
    device->robustness = vc4vk_wanted_robustness(pCreateInfo->pNext);
    device->local_reads = wants_local_reads(pCreateInfo->pNext);
    device->reports_addresses = wants_address_reports(pCreateInfo->pNext);
    pthread_mutex_init(&device->slot_lock, NULL);
    pthread_mutex_init(&device->shader_lock, NULL);
    pthread_mutex_init(&device->swapchain_lock, NULL);
    vc4vk_addressed_memory_init(&device->addressed_memory);
    vc4vk_private_slots_init(&device->private_slots);
    pthread_cond_init(&device->swapchain_unused, NULL);
    util_list_init(&device->swapchains);
    const struct vc4vk_device_extensions has = extensions_of(physical);
    const struct vc4vk_extension_list list = list_of(&has);
    result = vc4vk_extension_list_enable(&list, pCreateInfo->enabledExtensionCount,
                                         pCreateInfo->ppEnabledExtensionNames, "device", (bool *)&device->enabled);
    if (result == VK_SUCCESS) {
        struct kmd_physical kmd = physical->kmd;
        kmd.wants_sparse = device->features.sparseBinding;
        int err = kmd_open(&kmd, &device->kmd);
        if (err)
            result =
                vc4vk_errorf(physical, err == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INITIALIZATION_FAILED,
                             "device: cannot open %s: %s", physical->kmd.info.name, strerror(-err));
    }
    if (result == VK_SUCCESS) {
        pthread_mutex_lock(&physical->lock);
        util_list_add_tail(&physical->devices, &device->physical_link);
        pthread_mutex_unlock(&physical->lock);
        result = create_queues(device, pCreateInfo);
        device->queue_device.keeps_names = wants_fault_reports(pCreateInfo->pNext);
    }
    if (result != VK_SUCCESS) {
        destroy_device(device, pAllocator);
        return result;
    }
    *pDevice = vc4vk_device_to_handle(device);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyDevice(VkDevice _device, const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    if (!device)
        return;
    vc4vk_device_wait_idle(&device->queue_device);
    destroy_device(device, pAllocator);
}

/* -- slots ------------------------------------------------------------------------------------------------ */

VkResult vc4vk_device_slot(struct vc4vk_device *device, enum vc4vk_slot slot, const struct vc4vk_slot_ops *ops,
                           void **state_out)
{
    *state_out = vc4vk_device_slot_peek(device, slot);
    if (*state_out)
        return VK_SUCCESS;
    pthread_mutex_lock(&device->slot_lock);
    VkResult result = VK_SUCCESS;
    *state_out = vc4vk_device_slot_peek(device, slot);
    if (!*state_out) {
        result = ops->create(device, state_out);
        if (result == VK_SUCCESS) {
            device->slots[slot].ops = ops;
            atomic_store_explicit(&device->slots[slot].state, *state_out, memory_order_release);
        }
    }
    pthread_mutex_unlock(&device->slot_lock);
    return result;
}

/* -- queues ------------------------------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL vc4vk_GetDeviceQueue(VkDevice _device, uint32_t queueFamilyIndex, uint32_t queueIndex,
                                                VkQueue *pQueue)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    *pQueue = vc4vk_queue_to_handle(vc4vk_queue_device_get(&device->queue_device, queueFamilyIndex, queueIndex));
}

/* Queues are created without flags only: protected queues do not exist. */
VKAPI_ATTR void VKAPI_CALL vc4vk_GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *pQueueInfo, VkQueue *pQueue)
{
    *pQueue = VK_NULL_HANDLE;
    if (!pQueueInfo->flags)
        vc4vk_GetDeviceQueue(device, pQueueInfo->queueFamilyIndex, pQueueInfo->queueIndex, pQueue);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_DeviceWaitIdle(VkDevice _device)
{
    return vc4vk_device_wait_idle(&vc4vk_device_from_handle(_device)->queue_device);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_QueueWaitIdle(VkQueue queue)
{
    return vc4vk_queue_wait_idle(vc4vk_queue_from_handle(queue));
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_QueueSubmit(VkQueue queue, uint32_t submitCount, const VkSubmitInfo *pSubmits,
                                                 VkFence fence)
{
    return vc4vk_queue_submit(vc4vk_queue_from_handle(queue), submitCount, pSubmits, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_QueueSubmit2KHR(VkQueue queue, uint32_t submitCount, const VkSubmitInfo2 *pSubmits,
                                                     VkFence fence)
{
    return vc4vk_queue_submit2(vc4vk_queue_from_handle(queue), submitCount, pSubmits, fence);
}
