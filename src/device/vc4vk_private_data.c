/* SPDX-License-Identifier: MIT
 *
 * Slots of private data. Entries are allocated under the lock, so from the C library.
 */
#include <stdlib.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_multialloc.h"
#include "queue/vc4vk_query.h"
#include "queue/vc4vk_sync.h"

struct vc4vk_private_slot {
    struct vc4vk_object base;
    struct util_list link;
    struct util_hash_table values; /* from numbers of objects to a uint64_t each; under the device's lock */
    struct vc4vk_util_alloc alloc;
};

VC4VK_DEFINE_HANDLE(vc4vk_private_slot, VkPrivateDataSlot, VK_OBJECT_TYPE_PRIVATE_DATA_SLOT)

void vc4vk_private_slots_init(struct vc4vk_private_slots *slots)
{
    pthread_mutex_init(&slots->lock, NULL);
    util_list_init(&slots->slots);
}

void vc4vk_private_slots_finish(struct vc4vk_private_slots *slots)
{
    pthread_mutex_destroy(&slots->lock);
}

/* The number of an object. Objects of the queue module have no common base. */
static vc4vk_private_number *number_of(VkObjectType type, uint64_t handle)
{
    void *object = (void *)(uintptr_t)handle;
    switch (type) {
    case VK_OBJECT_TYPE_QUEUE:
        return &((struct vc4vk_queue *)object)->private_number;
    case VK_OBJECT_TYPE_COMMAND_BUFFER:
        return &((struct vc4vk_recorded *)object)->private_number;
    case VK_OBJECT_TYPE_FENCE:
        return &((struct vc4vk_fence *)object)->private_number;
    case VK_OBJECT_TYPE_SEMAPHORE:
        return &((struct vc4vk_semaphore *)object)->private_number;
    case VK_OBJECT_TYPE_EVENT:
        return &((struct vc4vk_event *)object)->private_number;
    case VK_OBJECT_TYPE_QUERY_POOL:
        return &((struct vc4vk_query_pool *)object)->private_number;
    default:
        return &((struct vc4vk_object *)object)->private_number;
    }
}

static void drop_locked(struct vc4vk_private_slot *slot, uint32_t number)
{
    free(util_hash_table_remove(&slot->values, &number, sizeof number));
}

void vc4vk_private_data_drop(struct vc4vk_device *device, uint32_t number)
{
    pthread_mutex_lock(&device->private_slots.lock);
    util_list_for_each(struct vc4vk_private_slot, slot, &device->private_slots.slots, link)
        drop_locked(slot, number);
    pthread_mutex_unlock(&device->private_slots.lock);
}

/* Returns the object's number, a new one if it has none. 0: there are no more. */
static uint32_t ensure_number_locked(struct vc4vk_private_slots *slots, vc4vk_private_number *number)
{
    uint32_t value = atomic_load_explicit(number, memory_order_relaxed);
    if (value || slots->last_number == UINT32_MAX)
        return value;
    value = ++slots->last_number;
    atomic_store_explicit(number, value, memory_order_relaxed);
    return value;
}

static bool set_locked(struct vc4vk_private_slot *slot, uint32_t number, uint64_t data)
{
    uint64_t *value = util_hash_table_lookup(&slot->values, &number, sizeof number);
    if (!value) {
        value = malloc(sizeof *value);
        if (!value || !util_hash_table_insert(&slot->values, &number, sizeof number, value)) {
            free(value);
            return false;
        }
    }
    *value = data;
    return true;
}

/* ---------------------------------------------------------------- entry points */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreatePrivateDataSlotEXT(VkDevice _device,
                                                              const VkPrivateDataSlotCreateInfo *pCreateInfo,
                                                              const VkAllocationCallbacks *pAllocator,
                                                              VkPrivateDataSlot *pPrivateDataSlot)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct vc4vk_private_slot *slot = vc4vk_new(vc4vk_alloc_choose(device->alloc, pAllocator),
                                                struct vc4vk_private_slot, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!slot)
        return vc4vk_oom(device);
    vc4vk_object_init(&slot->base, VK_OBJECT_TYPE_PRIVATE_DATA_SLOT);
    vc4vk_util_alloc_init(&slot->alloc, VC4VK_ALLOC_INTERNAL, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    util_hash_table_init(&slot->values, &slot->alloc.base);
    pthread_mutex_lock(&device->private_slots.lock);
    util_list_add_tail(&device->private_slots.slots, &slot->link);
    pthread_mutex_unlock(&device->private_slots.lock);
    *pPrivateDataSlot = vc4vk_private_slot_to_handle(slot);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyPrivateDataSlotEXT(VkDevice _device, VkPrivateDataSlot privateDataSlot,
                                                           const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_private_slot, slot, privateDataSlot);
    if (!slot)
        return;
    vc4vk_private_data_forget(device, &slot->base.private_number);
    pthread_mutex_lock(&device->private_slots.lock);
    util_list_del(&slot->link);
    pthread_mutex_unlock(&device->private_slots.lock);
    util_hash_table_for_each(entry, &slot->values) free(entry->value);
    util_hash_table_finish(&slot->values);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, pAllocator), slot);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_SetPrivateDataEXT(VkDevice _device, VkObjectType objectType, uint64_t objectHandle,
                                                       VkPrivateDataSlot privateDataSlot, uint64_t data)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_private_slot, slot, privateDataSlot);
    pthread_mutex_lock(&device->private_slots.lock);
    const uint32_t number = ensure_number_locked(&device->private_slots, number_of(objectType, objectHandle));
    const bool good = number && set_locked(slot, number, data);
    pthread_mutex_unlock(&device->private_slots.lock);
    return good ? VK_SUCCESS : vc4vk_oom(device);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPrivateDataEXT(VkDevice _device, VkObjectType objectType, uint64_t objectHandle,
                                                   VkPrivateDataSlot privateDataSlot, uint64_t *pData)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_private_slot, slot, privateDataSlot);
    pthread_mutex_lock(&device->private_slots.lock);
    const uint32_t number = atomic_load_explicit(number_of(objectType, objectHandle), memory_order_relaxed);
    const uint64_t *value = number ? util_hash_table_lookup(&slot->values, &number, sizeof number) : NULL;
    *pData = value ? *value : 0;
    pthread_mutex_unlock(&device->private_slots.lock);
}
