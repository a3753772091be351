/* SPDX-License-Identifier: MIT
 *
 * Descriptor pools and the life of sets. Descriptors are counted exactly by type, so a pool never refuses what it was
 * made for and never fragments; buffer states are taken from the block pool once, when the pool is made.
 */
#include <string.h>
#include "descriptor/vc4vk_binding_table.h"
#include "descriptor/vc4vk_descriptor_set.h"
#include "descriptor/vc4vk_descriptor_type.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"

/* -- sets --------------------------------------------------------------------------------------------------------- */

static bool has_room(const struct vc4vk_descriptor_pool *pool, const struct vc4vk_set_layout *layout)
{
    for (uint32_t t = 0; t < VC4VK_DESCRIPTOR_TYPES; t++)
        if (layout->type_counts[t] > pool->free_counts[t])
            return false;
    return pool->free_sets > 0;
}

static void fill_immutable(struct vc4vk_set *set)
{
    const struct vc4vk_set_layout *layout = set->layout;
    for (uint32_t i = 0; i < layout->binding_count; i++) {
        const struct vc4vk_set_binding *b = &layout->bindings[i];
        for (uint32_t e = 0; b->immutable && e < b->count; e++)
            set->entries[vc4vk_set_layout_entry(layout, i, e, VC4VK_PART_SAMPLER)] = b->immutable[e];
    }
}

static VkResult create_set(struct vc4vk_descriptor_pool *pool, struct vc4vk_set_layout *layout, struct vc4vk_set **out)
{
    struct vc4vk_set *set;
    int32_t *entries, *buffers;
    if (!has_room(pool, layout))
        return VK_ERROR_OUT_OF_POOL_MEMORY;
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &set, 1);
    vc4vk_multialloc_add(&ma, &entries, layout->entry_count);
    vc4vk_multialloc_add(&ma, &buffers, layout->buffer_count);
    if (!vc4vk_multialloc_alloc(&ma, pool->alloc, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT))
        return vc4vk_oom(pool);
    vc4vk_object_init(&set->base, VK_OBJECT_TYPE_DESCRIPTOR_SET);
    set->pool = pool;
    set->layout = vc4vk_set_layout_ref(layout);
    set->entries = entries;
    set->buffer_states = buffers;
    for (uint32_t t = 0; t < VC4VK_DESCRIPTOR_TYPES; t++)
        pool->free_counts[t] -= layout->type_counts[t];
    pool->free_sets--;
    for (uint32_t i = 0; i < layout->buffer_count; i++)
        buffers[i] = pool->free_buffers[--pool->free_buffer_count];
    util_list_add_tail(&pool->sets, &set->link);
    fill_immutable(set);
    *out = set;
    return VK_SUCCESS;
}

static void destroy_set(struct vc4vk_device *device, struct vc4vk_set *set)
{
    struct vc4vk_descriptor_pool *pool = set->pool;
    for (uint32_t t = 0; t < VC4VK_DESCRIPTOR_TYPES; t++)
        pool->free_counts[t] += set->layout->type_counts[t];
    pool->free_sets++;
    for (uint32_t i = set->layout->buffer_count; i-- > 0;)
        pool->free_buffers[pool->free_buffer_count++] = set->buffer_states[i];
    util_list_del(&set->link);
    vc4vk_set_layout_unref(device, set->layout);
    vc4vk_free(pool->alloc, set);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_AllocateDescriptorSets(VkDevice _device,
                                                            const VkDescriptorSetAllocateInfo *pAllocateInfo,
                                                            VkDescriptorSet *pDescriptorSets)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_descriptor_pool, pool, pAllocateInfo->descriptorPool);
    VkResult result = VK_SUCCESS;
    uint32_t made = 0;
    while (made < pAllocateInfo->descriptorSetCount && result == VK_SUCCESS) {
        struct vc4vk_set *set = NULL;
        result = create_set(pool, vc4vk_set_layout_from_handle(pAllocateInfo->pSetLayouts[made]), &set);
        if (result == VK_SUCCESS)
            pDescriptorSets[made++] = vc4vk_set_to_handle(set);
    }
    if (result == VK_SUCCESS)
        return VK_SUCCESS;
    while (made > 0)
        destroy_set(device, vc4vk_set_from_handle(pDescriptorSets[--made]));
    for (uint32_t i = 0; i < pAllocateInfo->descriptorSetCount; i++)
        pDescriptorSets[i] = VK_NULL_HANDLE;
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_FreeDescriptorSets(VkDevice _device, VkDescriptorPool descriptorPool,
                                                        uint32_t descriptorSetCount,
                                                        const VkDescriptorSet *pDescriptorSets)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    for (uint32_t i = 0; i < descriptorSetCount; i++)
        if (pDescriptorSets[i])
            destroy_set(device, vc4vk_set_from_handle(pDescriptorSets[i]));
    return VK_SUCCESS;
}

/* -- pools -------------------------------------------------------------------------------------------------------- */

static void destroy_sets(struct vc4vk_device *device, struct vc4vk_descriptor_pool *pool)
{
    util_list_for_each_safe(struct vc4vk_set, set, &pool->sets, link)
        destroy_set(device, set);
}

/* `taken`: how many of its buffer states it has by now. */
static void destroy_pool(struct vc4vk_device *device, struct vc4vk_descriptor_pool *pool, uint32_t taken,
                         const VkAllocationCallbacks *given)
{
    destroy_sets(device, pool);
    for (uint32_t i = 0; i < taken; i++)
        vc4vk_state_put(pool->states, (struct vc4vk_state){pool->buffers[i], VC4VK_SURFACE_STATE_B, NULL});
    vc4vk_free_self(pool->alloc, given, pool);
}

static uint32_t count_buffers(const VkDescriptorPoolCreateInfo *info)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->poolSizeCount; i++)
        if (vc4vk_descriptor_is_buffer(info->pPoolSizes[i].type))
            count += info->pPoolSizes[i].descriptorCount;
    return count;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateDescriptorPool(VkDevice _device,
                                                          const VkDescriptorPoolCreateInfo *pCreateInfo,
                                                          const VkAllocationCallbacks *pAllocator,
                                                          VkDescriptorPool *pDescriptorPool)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(device->alloc, pAllocator);
    struct vc4vk_state_pool *states;
    VkResult result = vc4vk_device_state_pool(device, &states);
    if (result != VK_SUCCESS)
        return result;
    struct vc4vk_descriptor_pool *pool;
    int32_t *buffers, *free_buffers;
    uint32_t buffer_count = count_buffers(pCreateInfo);
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &pool, 1);
    vc4vk_multialloc_add(&ma, &buffers, buffer_count);
    vc4vk_multialloc_add(&ma, &free_buffers, buffer_count);
    if (!vc4vk_multialloc_alloc(&ma, alloc, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT))
        return vc4vk_oom(device);
    vc4vk_object_init(&pool->base, VK_OBJECT_TYPE_DESCRIPTOR_POOL);
    pool->states = states;
    pool->free_sets = pCreateInfo->maxSets;
    pool->buffers = buffers;
    pool->free_buffers = free_buffers;
    util_list_init(&pool->sets);
    if (alloc) {
        pool->alloc_storage = *alloc;
        pool->alloc = &pool->alloc_storage;
    }
    for (uint32_t i = 0; i < pCreateInfo->poolSizeCount; i++)
        if ((uint32_t)pCreateInfo->pPoolSizes[i].type < VC4VK_DESCRIPTOR_TYPES)
            pool->free_counts[pCreateInfo->pPoolSizes[i].type] += pCreateInfo->pPoolSizes[i].descriptorCount;
    for (; pool->buffer_count < buffer_count; pool->buffer_count++) {
        struct vc4vk_state state;
        if (!vc4vk_state_get(states, VC4VK_SURFACE_STATE_B, &state)) {
            destroy_pool(device, pool, pool->buffer_count, pAllocator);
            return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "descriptor pool: the block pool is full");
        }
        pool->buffers[pool->buffer_count] = pool->free_buffers[pool->free_buffer_count++] = state.offset_B;
    }
    *pDescriptorPool = vc4vk_descriptor_pool_to_handle(pool);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyDescriptorPool(VkDevice _device, VkDescriptorPool descriptorPool,
                                                       const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_descriptor_pool, pool, descriptorPool);
    if (pool)
        destroy_pool(vc4vk_device_from_handle(_device), pool, pool->buffer_count, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_ResetDescriptorPool(VkDevice _device, VkDescriptorPool descriptorPool,
                                                         VkDescriptorPoolResetFlags flags)
{
    destroy_sets(vc4vk_device_from_handle(_device), vc4vk_descriptor_pool_from_handle(descriptorPool));
    return VK_SUCCESS;
}
