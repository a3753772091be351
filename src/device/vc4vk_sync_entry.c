/* SPDX-License-Identifier: MIT
 *
 * Entry points of fences, semaphores, events and query pools: they unpack their arguments and call the queue module.
 */
#include "device/vc4vk_counters.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "queue/vc4vk_performance.h"
#include "queue/vc4vk_query.h"
#include "queue/vc4vk_sync.h"

static struct vc4vk_queue_device *queues_of(VkDevice device)
{
    return &vc4vk_device_from_handle(device)->queue_device;
}

static void forget(VkDevice device, vc4vk_private_number *number)
{
    vc4vk_private_data_forget(vc4vk_device_from_handle(device), number);
}

/* -- fences ------------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateFence(VkDevice device, const VkFenceCreateInfo *pCreateInfo,
                                                 const VkAllocationCallbacks *pAllocator, VkFence *pFence)
{
    return vc4vk_fence_create(queues_of(device), pCreateInfo, pAllocator, pFence);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyFence(VkDevice device, VkFence fence, const VkAllocationCallbacks *pAllocator)
{
    if (fence)
        forget(device, &vc4vk_fence_from_handle(fence)->private_number);
    vc4vk_fence_destroy(queues_of(device), fence, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_ResetFences(VkDevice device, uint32_t fenceCount, const VkFence *pFences)
{
    return vc4vk_fences_reset(queues_of(device), fenceCount, pFences);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetFenceStatus(VkDevice device, VkFence fence)
{
    return vc4vk_fence_status(queues_of(device), fence);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_WaitForFences(VkDevice device, uint32_t fenceCount, const VkFence *pFences,
                                                   VkBool32 waitAll, uint64_t timeout)
{
    return vc4vk_fences_wait(queues_of(device), fenceCount, pFences, waitAll, timeout);
}

/* -- semaphores --------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo *pCreateInfo,
                                                     const VkAllocationCallbacks *pAllocator, VkSemaphore *pSemaphore)
{
    return vc4vk_semaphore_create(queues_of(device), pCreateInfo, pAllocator, pSemaphore);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroySemaphore(VkDevice device, VkSemaphore semaphore,
                                                  const VkAllocationCallbacks *pAllocator)
{
    if (semaphore)
        forget(device, &vc4vk_semaphore_from_handle(semaphore)->private_number);
    vc4vk_semaphore_destroy(queues_of(device), semaphore, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetSemaphoreCounterValueKHR(VkDevice device, VkSemaphore semaphore,
                                                                 uint64_t *pValue)
{
    return vc4vk_semaphore_counter(queues_of(device), semaphore, pValue);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_WaitSemaphoresKHR(VkDevice device, const VkSemaphoreWaitInfo *pWaitInfo,
                                                       uint64_t timeout)
{
    return vc4vk_semaphores_wait(queues_of(device), pWaitInfo, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_SignalSemaphoreKHR(VkDevice device, const VkSemaphoreSignalInfo *pSignalInfo)
{
    return vc4vk_semaphore_signal(queues_of(device), pSignalInfo);
}

/* -- payloads shared by file descriptors -------------------------------------------------------------------------- */

static bool has_sync_files(VkPhysicalDevice physical)
{
    return vc4vk_physical_device_from_handle(physical)->kmd.info.has_sync_files;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceExternalFencePropertiesKHR(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalFenceInfo *pExternalFenceInfo,
    VkExternalFenceProperties *pExternalFenceProperties)
{
    const VkExternalFenceHandleTypeFlagBits type = pExternalFenceInfo->handleType;
    const bool is_there =
        type == VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT ||
        (type == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT && has_sync_files(physicalDevice));
    const VkExternalFenceHandleTypeFlags types = is_there ? type : 0;
    pExternalFenceProperties->exportFromImportedHandleTypes = types;
    pExternalFenceProperties->compatibleHandleTypes = types;
    pExternalFenceProperties->externalFenceFeatures =
        is_there ? VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT : 0;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_ImportFenceFdKHR(VkDevice device, const VkImportFenceFdInfoKHR *pImportFenceFdInfo)
{
    return vc4vk_fence_import(queues_of(device), pImportFenceFdInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetFenceFdKHR(VkDevice device, const VkFenceGetFdInfoKHR *pGetFdInfo, int *pFd)
{
    return vc4vk_fence_export(queues_of(device), pGetFdInfo, pFd);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceExternalSemaphorePropertiesKHR(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalSemaphoreInfo *pExternalSemaphoreInfo,
    VkExternalSemaphoreProperties *pExternalSemaphoreProperties)
{
    const VkSemaphoreTypeCreateInfo *type =
        vc4vk_find_in_chain(pExternalSemaphoreInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    const VkSemaphoreType kind = type ? type->semaphoreType : VK_SEMAPHORE_TYPE_BINARY;
    const VkExternalSemaphoreHandleTypeFlagBits handle = pExternalSemaphoreInfo->handleType;
    const bool is_there =
        (handle == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT && vc4vk_semaphore_is_shareable(kind)) ||
        (handle == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT && kind == VK_SEMAPHORE_TYPE_BINARY &&
         has_sync_files(physicalDevice));
    const VkExternalSemaphoreHandleTypeFlags types = is_there ? handle : 0;
    pExternalSemaphoreProperties->exportFromImportedHandleTypes = types;
    pExternalSemaphoreProperties->compatibleHandleTypes = types;
    pExternalSemaphoreProperties->externalSemaphoreFeatures =
        is_there ? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT : 0;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_ImportSemaphoreFdKHR(VkDevice device,
                                                          const VkImportSemaphoreFdInfoKHR *pImportSemaphoreFdInfo)
{
    return vc4vk_semaphore_import(queues_of(device), pImportSemaphoreFdInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetSemaphoreFdKHR(VkDevice device, const VkSemaphoreGetFdInfoKHR *pGetFdInfo,
                                                       int *pFd)
{
    return vc4vk_semaphore_export(queues_of(device), pGetFdInfo, pFd);
}

/* -- events ------------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateEvent(VkDevice device, const VkEventCreateInfo *pCreateInfo,
                                                 const VkAllocationCallbacks *pAllocator, VkEvent *pEvent)
{
    return vc4vk_event_create(queues_of(device), pCreateInfo, pAllocator, pEvent);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyEvent(VkDevice device, VkEvent event, const VkAllocationCallbacks *pAllocator)
{
    if (event)
        forget(device, &vc4vk_event_from_handle(event)->private_number);
    vc4vk_event_destroy(queues_of(device), event, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetEventStatus(VkDevice device, VkEvent event)
{
    return vc4vk_event_status(queues_of(device), event);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_SetEvent(VkDevice device, VkEvent event)
{
    return vc4vk_event_set(queues_of(device), event);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_ResetEvent(VkDevice device, VkEvent event)
{
    return vc4vk_event_reset(queues_of(device), event);
}

/* -- query pools -------------------------------------------------------------------------------------------------- */

static VkResult choose_counters(struct vc4vk_device *device, const VkQueryPoolCreateInfo *info,
                                const VkAllocationCallbacks *alloc, VkQueryPool pool)
{
    const VkQueryPoolPerformanceCreateInfoKHR *counters =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR);
    uint8_t events[KMD_EVENTS];
    const uint32_t count = counters ? vc4vk_counter_events(device->physical, counters, events) : 0;
    if (!count || count != counters->counterIndexCount)
        return vc4vk_errorf(device, VK_ERROR_INITIALIZATION_FAILED,
                            "query pool: the queue family does not have these performance counters");
    return vc4vk_query_pool_set_counters(pool, events, count, alloc);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateQueryPool(VkDevice device, const VkQueryPoolCreateInfo *pCreateInfo,
                                                     const VkAllocationCallbacks *pAllocator, VkQueryPool *pQueryPool)
{
    *pQueryPool = VK_NULL_HANDLE;
    VkResult result = vc4vk_query_pool_create(queues_of(device), pCreateInfo, pAllocator, pQueryPool);
    if (result == VK_ERROR_FEATURE_NOT_PRESENT)
        return vc4vk_errorf(vc4vk_device_from_handle(device), result,
                            "query pool: queries of type %d are not supported yet", pCreateInfo->queryType);
    if (result != VK_SUCCESS || pCreateInfo->queryType != VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR)
        return result;
    result = choose_counters(vc4vk_device_from_handle(device), pCreateInfo, pAllocator, *pQueryPool);
    if (result != VK_SUCCESS) {
        vc4vk_query_pool_destroy(queues_of(device), *pQueryPool, pAllocator);
        *pQueryPool = VK_NULL_HANDLE;
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyQueryPool(VkDevice device, VkQueryPool queryPool,
                                                  const VkAllocationCallbacks *pAllocator)
{
    if (queryPool)
        forget(device, &vc4vk_query_pool_from_handle(queryPool)->private_number);
    vc4vk_query_pool_destroy(queues_of(device), queryPool, pAllocator);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_ResetQueryPoolEXT(VkDevice device, VkQueryPool queryPool, uint32_t firstQuery,
                                                   uint32_t queryCount)
{
    vc4vk_query_pool_reset(queues_of(device), queryPool, firstQuery, queryCount);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetQueryPoolResults(VkDevice device, VkQueryPool queryPool, uint32_t firstQuery,
                                                         uint32_t queryCount, size_t dataSize, void *pData,
                                                         VkDeviceSize stride, VkQueryResultFlags flags)
{
    return vc4vk_query_pool_results(queues_of(device), queryPool, firstQuery, queryCount, dataSize, pData, stride,
                                    flags);
}
