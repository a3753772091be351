/* SPDX-License-Identifier: MIT
 *
 * Buffers. A bound buffer is a range of a memory object.
 */
#include <inttypes.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_ignored_bits.h"
#include "device/vc4vk_memory.h"

/* The bits of both usage fields have the same values. No bit beyond the first 32 belongs to a supported extension. */
static VkBufferUsageFlags usage_of(const VkBufferCreateInfo *info)
{
#ifdef VK_KHR_maintenance5
    const VkBufferUsageFlags2CreateInfoKHR *wide =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);
    if (wide)
        return (VkBufferUsageFlags)wide->usage;
#endif
    return info->usage;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateBuffer(VkDevice _device, const VkBufferCreateInfo *pCreateInfo,
                                                  const VkAllocationCallbacks *pAllocator, VkBuffer *pBuffer)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    if (vc4vk_drop_unknown_bits(device, VC4VK_BITS_BUFFER_FLAGS, pCreateInfo->flags) &
        ~(uint32_t)VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT)
        return vc4vk_errorf(device, VK_ERROR_FEATURE_NOT_PRESENT,
                            "buffer with flags 0x%x: neither sparse nor protected buffers are supported",
                            pCreateInfo->flags);
    if (pCreateInfo->size > device->physical->memory.memoryHeaps[0].size)
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                            "buffer of %" PRIu64 " B: larger than the heap of %" PRIu64 " B", pCreateInfo->size,
                            device->physical->memory.memoryHeaps[0].size);
    struct vc4vk_buffer *buffer = vc4vk_new(vc4vk_alloc_choose(device->alloc, pAllocator), struct vc4vk_buffer,
                                            VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!buffer)
        return vc4vk_oom(device);
    vc4vk_object_init(&buffer->base, VK_OBJECT_TYPE_BUFFER);
    buffer->size_B = pCreateInfo->size;
    buffer->usage = vc4vk_drop_unknown_bits(device, VC4VK_BITS_BUFFER_USAGE, usage_of(pCreateInfo));
    *pBuffer = vc4vk_buffer_to_handle(buffer);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyBuffer(VkDevice _device, VkBuffer _buffer,
                                               const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_buffer, buffer, _buffer);
    if (buffer) {
        vc4vk_private_data_forget(device, &buffer->base.private_number);
        vc4vk_report_address(device, VK_OBJECT_TYPE_BUFFER, (uint64_t)(uintptr_t)buffer, &buffer->reported,
                             VK_DEVICE_ADDRESS_BINDING_TYPE_UNBIND_EXT);
    }
    vc4vk_free(vc4vk_alloc_choose(device->alloc, pAllocator), buffer);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetBufferMemoryRequirements(VkDevice device, VkBuffer _buffer,
                                                             VkMemoryRequirements *pMemoryRequirements)
{
    VC4VK_FROM_HANDLE(vc4vk_buffer, buffer, _buffer);
    *pMemoryRequirements = (VkMemoryRequirements){
        .size = util_align64(buffer->size_B, VC4VK_BUFFER_ALIGN_B),
        .alignment = VC4VK_BUFFER_ALIGN_B,
        .memoryTypeBits = vc4vk_memory_type_bits(vc4vk_device_from_handle(device)),
    };
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetBufferMemoryRequirements2KHR(VkDevice device,
                                                                 const VkBufferMemoryRequirementsInfo2 *pInfo,
                                                                 VkMemoryRequirements2 *pMemoryRequirements)
{
    vc4vk_GetBufferMemoryRequirements(device, pInfo->buffer, &pMemoryRequirements->memoryRequirements);
    vc4vk_fill_dedicated_requirements(pMemoryRequirements->pNext);
}

static void report_bound(VkDevice _device, struct vc4vk_buffer *buffer)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    if (!device->reports_addresses)
        return;
    const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                            .buffer = vc4vk_buffer_to_handle(buffer)};
    buffer->reported = (struct vc4vk_address_range){vc4vk_GetBufferDeviceAddressKHR(_device, &info), buffer->size_B};
    vc4vk_report_address(device, VK_OBJECT_TYPE_BUFFER, (uint64_t)(uintptr_t)buffer, &buffer->reported,
                         VK_DEVICE_ADDRESS_BINDING_TYPE_BIND_EXT);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_BindBufferMemory(VkDevice device, VkBuffer _buffer, VkDeviceMemory _memory,
                                                      VkDeviceSize memoryOffset)
{
    VC4VK_FROM_HANDLE(vc4vk_buffer, buffer, _buffer);
    VC4VK_FROM_HANDLE(vc4vk_memory, memory, _memory);
    VkResult result = vc4vk_memory_check_binding(vc4vk_device_from_handle(device), memory, memoryOffset, buffer->size_B,
                                                 VC4VK_BUFFER_ALIGN_B);
    if (result != VK_SUCCESS)
        return result;
    buffer->memory = memory;
    buffer->bo = memory->part.bo;
    buffer->offset_B = memory->part.offset_B + memoryOffset;
    if (buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) {
        vc4vk_addressed_memory_bind(vc4vk_device_from_handle(device), memory);
        report_bound(device, buffer);
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_BindBufferMemory2KHR(VkDevice device, uint32_t bindInfoCount,
                                                          const VkBindBufferMemoryInfo *pBindInfos)
{
    VkResult first = VK_SUCCESS;
    for (uint32_t i = 0; i < bindInfoCount; i++) { /* a failure does not affect the other buffers */
        const VkResult result =
            vc4vk_BindBufferMemory(device, pBindInfos[i].buffer, pBindInfos[i].memory, pBindInfos[i].memoryOffset);
        vc4vk_fill_bind_status(pBindInfos[i].pNext, result);
        first = first == VK_SUCCESS ? result : first;
    }
    return first;
}
