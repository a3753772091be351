/* SPDX-License-Identifier: MIT
 *
 * Pipeline caches: creation, data export and import, merging.
 */
#include <string.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "pipeline/vc4vk_pipeline_cache.h"

/* Identifies vendor, device and build of the driver: cache data with another header is ignored. */
static VkPipelineCacheHeaderVersionOne make_header(const struct vc4vk_device *device)
{
    const VkPhysicalDeviceProperties *properties = &device->physical->properties;
    VkPipelineCacheHeaderVersionOne header = {
        .headerSize = sizeof header,
        .headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
        .vendorID = properties->vendorID,
        .deviceID = properties->deviceID,
    };
    memcpy(header.pipelineCacheUUID, properties->pipelineCacheUUID, VK_UUID_SIZE);
    return header;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreatePipelineCache(VkDevice device_h, const VkPipelineCacheCreateInfo *info,
                                                         const VkAllocationCallbacks *alloc, VkPipelineCache *out)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    const VkPipelineCacheHeaderVersionOne header = make_header(device);
    struct vc4vk_pipeline_cache *cache = vc4vk_new(vc4vk_alloc_choose(device->alloc, alloc),
                                                   struct vc4vk_pipeline_cache, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!cache)
        return vc4vk_oom(device);
    vc4vk_object_init(&cache->base, VK_OBJECT_TYPE_PIPELINE_CACHE);
    cache->store = vc4vk_program_store_create(device);
    if (!cache->store) {
        vc4vk_free(vc4vk_alloc_choose(device->alloc, alloc), cache);
        return vc4vk_oom(device);
    }
    if (info->initialDataSize >= sizeof header && !memcmp(info->pInitialData, &header, sizeof header))
        vc4vk_program_store_read(cache->store, (const char *)info->pInitialData + sizeof header,
                                 info->initialDataSize - sizeof header);
    *out = vc4vk_pipeline_cache_to_handle(cache);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyPipelineCache(VkDevice device_h, VkPipelineCache cache_h,
                                                      const VkAllocationCallbacks *alloc)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    VC4VK_FROM_HANDLE(vc4vk_pipeline_cache, cache, cache_h);
    if (!cache)
        return;
    vc4vk_program_store_unref(cache->store);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, alloc), cache);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPipelineCacheData(VkDevice device_h, VkPipelineCache cache_h, size_t *size_B,
                                                          void *data)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    VC4VK_FROM_HANDLE(vc4vk_pipeline_cache, cache, cache_h);
    const VkPipelineCacheHeaderVersionOne header = make_header(device);
    if (data && *size_B < sizeof header) { /* a partial header would be useless */
        *size_B = 0;
        return VK_INCOMPLETE;
    }
    size_t rows_B = data ? *size_B - sizeof header : 0;
    bool all = vc4vk_program_store_write(cache->store, data ? (char *)data + sizeof header : NULL, &rows_B);
    if (data)
        memcpy(data, &header, sizeof header);
    *size_B = sizeof header + rows_B;
    return all ? VK_SUCCESS : VK_INCOMPLETE;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_MergePipelineCaches(VkDevice device_h, VkPipelineCache to, uint32_t count,
                                                         const VkPipelineCache *from)
{
    bool good = true;
    for (uint32_t i = 0; i < count; i++)
        good &= vc4vk_program_store_merge(vc4vk_pipeline_cache_store(to), vc4vk_pipeline_cache_store(from[i]));
    return good ? VK_SUCCESS : vc4vk_oom(vc4vk_device_from_handle(device_h));
}
