/* SPDX-License-Identifier: MIT
 *
 * Device memory: one buffer object each, mapped for life. All memory is coherent, so flushing does nothing.
 */
#include <inttypes.h>
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_memory.h"

/* Reserves a place among the 4096 allocations that are promised. */
static bool count_allocation(struct vc4vk_device *device)
{
    if (atomic_fetch_add(&device->memory_count, 1) < VC4VK_MAX_ALLOCATIONS)
        return true;
    atomic_fetch_sub(&device->memory_count, 1);
    return false;
}

static VkResult allocate_bo(struct vc4vk_device *device, struct vc4vk_memory *memory)
{
    if (memory->size_B > device->physical->memory.memoryHeaps[0].size || memory->size_B > UINT32_MAX - (1u << 20))
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "memory of %" PRIu64 " B: larger than the heap",
                            memory->size_B);
    int err = kmd_bo_create(device->kmd, memory->size_B, "memory", &memory->bo);
    if (err)
        return vc4vk_errorf(device, vc4vk_result_from_errno(err), "memory of %" PRIu64 " B: %s", memory->size_B,
                            strerror(-err));
    memory->map = kmd_bo_map(memory->bo);
    if (memory->map)
        return VK_SUCCESS;
    kmd_bo_unref(memory->bo);
    return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "memory of %" PRIu64 " B: cannot be mapped",
                        memory->size_B);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_AllocateMemory(VkDevice _device, const VkMemoryAllocateInfo *pAllocateInfo,
                                                    const VkAllocationCallbacks *pAllocator, VkDeviceMemory *pMemory)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(device->alloc, pAllocator);
    if (!count_allocation(device))
        return vc4vk_errorf(device, VK_ERROR_TOO_MANY_OBJECTS, "more than %u memory allocations",
                            VC4VK_MAX_ALLOCATIONS);
    struct vc4vk_memory *memory = vc4vk_new(alloc, struct vc4vk_memory, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    VkResult result = memory ? VK_SUCCESS : vc4vk_oom(device);
    if (memory) {
        vc4vk_object_init(&memory->base, VK_OBJECT_TYPE_DEVICE_MEMORY);
        memory->size_B = pAllocateInfo->allocationSize;
        memory->type_index = pAllocateInfo->memoryTypeIndex;
        result = allocate_bo(device, memory);
    }
    if (result != VK_SUCCESS) {
        vc4vk_free(alloc, memory);
        atomic_fetch_sub(&device->memory_count, 1);
        return result;
    }
    *pMemory = vc4vk_memory_to_handle(memory);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_FreeMemory(VkDevice _device, VkDeviceMemory _memory,
                                            const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_memory, memory, _memory);
    if (!memory)
        return;
    kmd_bo_unref(memory->bo);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, pAllocator), memory);
    atomic_fetch_sub(&device->memory_count, 1);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_MapMemory(VkDevice device, VkDeviceMemory _memory, VkDeviceSize offset,
                                               VkDeviceSize size, VkMemoryMapFlags flags, void **ppData)
{
    VC4VK_FROM_HANDLE(vc4vk_memory, memory, _memory);
    *ppData = (char *)memory->map + offset;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_UnmapMemory(VkDevice device, VkDeviceMemory memory)
{
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_FlushMappedMemoryRanges(VkDevice device, uint32_t memoryRangeCount,
                                                             const VkMappedMemoryRange *pMemoryRanges)
{
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_InvalidateMappedMemoryRanges(VkDevice device, uint32_t memoryRangeCount,
                                                                  const VkMappedMemoryRange *pMemoryRanges)
{
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetDeviceMemoryCommitment(VkDevice device, VkDeviceMemory memory,
                                                           VkDeviceSize *pCommittedMemoryInBytes)
{
    *pCommittedMemoryInBytes = vc4vk_memory_from_handle(memory)->size_B;
}
