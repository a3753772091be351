/* SPDX-License-Identifier: MIT
 *
 * Addresses of buffers and of memory, and the list of memory that programs may find by address.
 *
 * Jobs collect that memory when they are issued, not when they are recorded: a command buffer may reach buffers that
 * were created after its recording, as it finds their addresses in memory.
 */
#include "device/vc4vk_buffer_address.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_memory.h"

/* ---------------------------------------------------------------- the list */

void vc4vk_addressed_memory_init(struct vc4vk_addressed_memory *addressed)
{
    pthread_mutex_init(&addressed->mutex, NULL);
    util_list_init(&addressed->list);
}

void vc4vk_addressed_memory_finish(struct vc4vk_addressed_memory *addressed)
{
    pthread_mutex_destroy(&addressed->mutex);
}

void vc4vk_addressed_memory_add(struct vc4vk_device *device, struct vc4vk_memory *memory)
{
    struct vc4vk_addressed_memory *addressed = &device->addressed_memory;
    pthread_mutex_lock(&addressed->mutex);
    util_list_add_tail(&addressed->list, &memory->address_link);
    pthread_mutex_unlock(&addressed->mutex);
}

void vc4vk_addressed_memory_bind(struct vc4vk_device *device, struct vc4vk_memory *memory)
{
    struct vc4vk_addressed_memory *addressed = &device->addressed_memory;
    pthread_mutex_lock(&addressed->mutex);
    memory->has_addresses = true;
    pthread_mutex_unlock(&addressed->mutex);
}

void vc4vk_addressed_memory_remove(struct vc4vk_device *device, struct vc4vk_memory *memory)
{
    struct vc4vk_addressed_memory *addressed = &device->addressed_memory;
    pthread_mutex_lock(&addressed->mutex);
    util_list_del(&memory->address_link);
    pthread_mutex_unlock(&addressed->mutex);
}

void vc4vk_addressed_memory_for_each(struct vc4vk_device *device, bool has_addresses,
                                     void (*use)(void *data, struct kmd_bo *bo), void *data)
{
    struct vc4vk_addressed_memory *addressed = &device->addressed_memory;
    pthread_mutex_lock(&addressed->mutex);
    util_list_for_each(struct vc4vk_memory, memory, &addressed->list, address_link)
        if (memory->has_addresses || !has_addresses)
            use(data, memory->part.bo);
    pthread_mutex_unlock(&addressed->mutex);
}

bool vc4vk_addressed_memory_find(struct vc4vk_device *device, uint64_t address, struct vc4vk_memory_place *out)
{
    struct vc4vk_addressed_memory *addressed = &device->addressed_memory;
    *out = (struct vc4vk_memory_place){0};
    pthread_mutex_lock(&addressed->mutex);
    util_list_for_each(struct vc4vk_memory, memory, &addressed->list, address_link) {
        const uint64_t begin = vc4vk_memory_address(memory);
        if (out->bo || !begin || address < begin || address - begin >= memory->part.size_B)
            continue;
        out->bo = kmd_bo_ref(memory->part.bo);
        out->offset_B = memory->part.offset_B + (uint32_t)(address - begin);
        out->end_B = memory->part.offset_B + memory->part.size_B;
    }
    pthread_mutex_unlock(&addressed->mutex);
    return out->bo != NULL;
}

/* ---------------------------------------------------------------- entry points */

/* The memory has no address if it is not bound, or if the engine's address space was full. */
uint64_t vc4vk_memory_address(const struct vc4vk_memory *memory)
{
    uint32_t addr;
    if (!memory || kmd_bo_engine_addr(memory->part.bo, &addr))
        return 0;
    return (uint64_t)addr + memory->part.offset_B;
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL vc4vk_GetBufferDeviceAddressKHR(VkDevice device,
                                                                      const VkBufferDeviceAddressInfo *pInfo)
{
    VC4VK_FROM_HANDLE(vc4vk_buffer, buffer, pInfo->buffer);
    const uint64_t address = vc4vk_memory_address(buffer->memory);
    return address ? address + (buffer->offset_B - buffer->memory->part.offset_B) : 0;
}

VKAPI_ATTR uint64_t VKAPI_CALL vc4vk_GetBufferOpaqueCaptureAddressKHR(VkDevice device,
                                                                      const VkBufferDeviceAddressInfo *pInfo)
{
    return vc4vk_GetBufferDeviceAddressKHR(device, pInfo); /* the memory's address decides it */
}

VKAPI_ATTR uint64_t VKAPI_CALL
vc4vk_GetDeviceMemoryOpaqueCaptureAddressKHR(VkDevice device, const VkDeviceMemoryOpaqueCaptureAddressInfo *pInfo)
{
    return vc4vk_memory_address(vc4vk_memory_from_handle(pInfo->memory));
}
