/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "pipeline/vc4vk_pipeline_cache.h"

struct vc4vk_program *vc4vk_pipeline_cache_lookup(struct vc4vk_pipeline_cache *cache, const void *key, size_t key_B)
{
    pthread_mutex_lock(&cache->lock);
    struct vc4vk_program *program = util_hash_table_lookup(&cache->programs, key, key_B);
    if (program)
        vc4vk_program_ref(program);
    pthread_mutex_unlock(&cache->lock);
    return program;
}

static void add_locked(struct vc4vk_pipeline_cache *cache, const void *key, size_t key_B, struct vc4vk_program *program)
{
    if (util_hash_table_lookup(&cache->programs, key, key_B))
        return;
    if (util_hash_table_insert(&cache->programs, key, key_B, program))
        vc4vk_program_ref(program);
}

void vc4vk_pipeline_cache_add(struct vc4vk_pipeline_cache *cache, const void *key, size_t key_B,
                              struct vc4vk_program *program)
{
    pthread_mutex_lock(&cache->lock);
    add_locked(cache, key, key_B, program);
    pthread_mutex_unlock(&cache->lock);
}

/* ---------------------------------------------------------------- entry points */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreatePipelineCache(VkDevice device_h, const VkPipelineCacheCreateInfo *info,
                                                         const VkAllocationCallbacks *alloc, VkPipelineCache *out)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    struct vc4vk_pipeline_cache *cache = vc4vk_new(vc4vk_alloc_choose(device->alloc, alloc),
                                                   struct vc4vk_pipeline_cache, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!cache)
        return vc4vk_oom(device);
    vc4vk_object_init(&cache->base, VK_OBJECT_TYPE_PIPELINE_CACHE);
    cache->device = device;
    pthread_mutex_init(&cache->lock, NULL);
    util_hash_table_init(&cache->programs, NULL);
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
    util_hash_table_for_each(entry, &cache->programs) vc4vk_program_unref(entry->value);
    util_hash_table_finish(&cache->programs);
    pthread_mutex_destroy(&cache->lock);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, alloc), cache);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPipelineCacheData(VkDevice device_h, VkPipelineCache cache_h, size_t *size_B,
                                                          void *data)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    const VkPhysicalDeviceProperties *properties = &device->physical->properties;
    VkPipelineCacheHeaderVersionOne header = {
        .headerSize = sizeof header,
        .headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
        .vendorID = properties->vendorID,
        .deviceID = properties->deviceID,
    };
    memcpy(header.pipelineCacheUUID, properties->pipelineCacheUUID, VK_UUID_SIZE);
    if (!data) {
        *size_B = sizeof header;
        return VK_SUCCESS;
    }
    if (*size_B < sizeof header) { /* no part of a header is of use */
        *size_B = 0;
        return VK_INCOMPLETE;
    }
    memcpy(data, &header, sizeof header);
    *size_B = sizeof header;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_MergePipelineCaches(VkDevice device_h, VkPipelineCache to_h, uint32_t count,
                                                         const VkPipelineCache *from_hs)
{
    VC4VK_FROM_HANDLE(vc4vk_pipeline_cache, to, to_h);
    for (uint32_t i = 0; i < count; i++) { /* the specification lets no call be in use elsewhere; the source may be */
        VC4VK_FROM_HANDLE(vc4vk_pipeline_cache, from, from_hs[i]);
        if (from == to)
            continue;
        struct vc4vk_pipeline_cache *first = from < to ? from : to, *second = from < to ? to : from;
        pthread_mutex_lock(&first->lock);
        pthread_mutex_lock(&second->lock);
        util_hash_table_for_each(entry, &from->programs) add_locked(to, entry->key, entry->key_B, entry->value);
        pthread_mutex_unlock(&second->lock);
        pthread_mutex_unlock(&first->lock);
    }
    return VK_SUCCESS;
}
