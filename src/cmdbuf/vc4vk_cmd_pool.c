/* SPDX-License-Identifier: MIT
 *
 * Command pools, from which command buffers take their memory. The memory of a recording is returned to the pool once
 * its last submission has retired, and the pool keeps it for later recordings.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_lifetime.h"
#include "device/vc4vk_entrypoints_gen.h"

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateCommandPool(VkDevice device_h, const VkCommandPoolCreateInfo *info,
                                                       const VkAllocationCallbacks *alloc, VkCommandPool *out)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    const VkAllocationCallbacks *chosen = vc4vk_alloc_choose(device->alloc, alloc);
    struct vc4vk_cmd_pool *pool = vc4vk_new(chosen, struct vc4vk_cmd_pool, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!pool)
        return vc4vk_oom(device);
    vc4vk_object_init(&pool->base, VK_OBJECT_TYPE_COMMAND_POOL);
    pool->device = device;
    pool->callbacks = alloc ? *alloc : (VkAllocationCallbacks){0};
    pool->alloc = alloc ? &pool->callbacks : device->alloc;
    pool->flags = info->flags;
    vc4vk_util_alloc_init(&pool->util_alloc, pool->alloc, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    util_arena_cache_init(&pool->memory, &pool->util_alloc.base);
    util_list_init(&pool->buffers);
    *out = vc4vk_cmd_pool_to_handle(pool);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyCommandPool(VkDevice device_h, VkCommandPool pool_h,
                                                    const VkAllocationCallbacks *alloc)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_pool, pool, pool_h);
    if (!pool)
        return;
    util_list_for_each_safe(struct vc4vk_cmd_buffer, cmd, &pool->buffers, pool_link)
        vc4vk_cmd_buffer_destroy(cmd);
    util_arena_cache_drop(&pool->memory);
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, alloc), pool);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_ResetCommandPool(VkDevice device_h, VkCommandPool pool_h,
                                                      VkCommandPoolResetFlags flags)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_pool, pool, pool_h);
    util_list_for_each(struct vc4vk_cmd_buffer, cmd, &pool->buffers, pool_link) {
        VkResult result = vc4vk_cmd_buffer_reset(cmd);
        if (result != VK_SUCCESS)
            return result;
    }
    if (flags & VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT)
        util_arena_cache_drop(&pool->memory);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_AllocateCommandBuffers(VkDevice device_h, const VkCommandBufferAllocateInfo *info,
                                                            VkCommandBuffer *out)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_pool, pool, info->commandPool);
    VkResult result = VK_SUCCESS;
    uint32_t made = 0;
    for (; made < info->commandBufferCount && result == VK_SUCCESS; made++) {
        struct vc4vk_cmd_buffer *cmd = NULL;
        result = vc4vk_cmd_buffer_create(pool, info->level, &cmd);
        out[made] = vc4vk_cmd_buffer_to_handle(cmd);
    }
    if (result == VK_SUCCESS)
        return VK_SUCCESS;
    for (uint32_t i = 0; i < info->commandBufferCount; i++) { /* all or nothing */
        if (i < made)
            vc4vk_cmd_buffer_destroy(vc4vk_cmd_buffer_from_handle(out[i]));
        out[i] = VK_NULL_HANDLE;
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_FreeCommandBuffers(VkDevice device_h, VkCommandPool pool_h, uint32_t count,
                                                    const VkCommandBuffer *buffers)
{
    for (uint32_t i = 0; i < count; i++)
        vc4vk_cmd_buffer_destroy(vc4vk_cmd_buffer_from_handle(buffers[i]));
}

VKAPI_ATTR void VKAPI_CALL vc4vk_TrimCommandPoolKHR(VkDevice device_h, VkCommandPool pool_h,
                                                    VkCommandPoolTrimFlags flags)
{
    util_arena_cache_drop(&vc4vk_cmd_pool_from_handle(pool_h)->memory);
}
