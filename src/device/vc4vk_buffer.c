/* SPDX-License-Identifier: MIT
 *
 * Buffers. A bound buffer is a range of a memory object; a sparse buffer is bound to its address range from the
 * beginning (vc4vk_sparse.h).
 */
#include <inttypes.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_ignored_bits.h"
#include "device/vc4vk_memory.h"
#include "device/vc4vk_sparse.h"

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

static VkResult check_create_info(struct vc4vk_device *device, const VkBufferCreateInfo *info, bool is_sparse)
{
    if (vc4vk_known_bits(VC4VK_BITS_BUFFER_FLAGS, info->flags) &
        ~(VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT | vc4vk_sparse_buffer_flags(device)))
        return vc4vk_errorf(device, VK_ERROR_FEATURE_NOT_PRESENT,
                            "buffer with flags 0x%x: protected buffers are not supported, sparse buffers need an "
                            "enabled feature",
                            info->flags);
    if (!is_sparse && info->size > device->physical->memory.memoryHeaps[0].size)
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                            "buffer of %" PRIu64 " B: larger than the heap of %" PRIu64 " B", info->size,
                            device->physical->memory.memoryHeaps[0].size);
    return VK_SUCCESS;
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

static void bind(VkDevice device, struct vc4vk_buffer *buffer, struct vc4vk_memory *memory, VkDeviceSize offset_B)
{
    buffer->memory = memory;
    buffer->bo = memory->part.bo;
    buffer->offset_B = memory->part.offset_B + offset_B;
    if (buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) {
        vc4vk_addressed_memory_bind(vc4vk_device_from_handle(device), memory);
        report_bound(device, buffer);
    }
}

static VkResult make_sparse(VkDevice device, struct vc4vk_buffer *buffer, const VkBufferCreateInfo *info,
                            const VkAllocationCallbacks *alloc)
{
    const VkBufferOpaqueCaptureAddressCreateInfo *capture =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO);
    const bool is_replayable = info->flags & VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
    const struct vc4vk_sparse_info range = {
        .size_B = info->size,
        .is_replayable = is_replayable,
        .address = is_replayable && capture ? capture->opaqueCaptureAddress : 0,
    };
    VkResult result = vc4vk_sparse_create(vc4vk_device_from_handle(device), &range, alloc, &buffer->sparse);
    if (result == VK_SUCCESS)
        bind(device, buffer, buffer->sparse, 0);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateBuffer(VkDevice _device, const VkBufferCreateInfo *pCreateInfo,
                                                  const VkAllocationCallbacks *pAllocator, VkBuffer *pBuffer)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(device->alloc, pAllocator);
    const VkBufferCreateFlags flags = vc4vk_drop_unknown_bits(device, VC4VK_BITS_BUFFER_FLAGS, pCreateInfo->flags);
    const bool is_sparse = flags & VC4VK_SPARSE_BUFFER_FLAGS;
    VkResult result = check_create_info(device, pCreateInfo, is_sparse);
    if (result != VK_SUCCESS)
        return result;
    struct vc4vk_buffer *buffer = vc4vk_new(alloc, struct vc4vk_buffer, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!buffer)
        return vc4vk_oom(device);
    vc4vk_object_init(&buffer->base, VK_OBJECT_TYPE_BUFFER);
    buffer->size_B = pCreateInfo->size;
    buffer->usage = vc4vk_drop_unknown_bits(device, VC4VK_BITS_BUFFER_USAGE, usage_of(pCreateInfo));
    if (is_sparse)
        result = make_sparse(_device, buffer, pCreateInfo, alloc);
    if (result != VK_SUCCESS) {
        vc4vk_free(alloc, buffer);
        return result;
    }
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
        vc4vk_sparse_destroy(device, buffer->sparse, vc4vk_alloc_choose(device->alloc, pAllocator));
    }
    vc4vk_free(vc4vk_alloc_choose(device->alloc, pAllocator), buffer);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetBufferMemoryRequirements(VkDevice _device, VkBuffer _buffer,
                                                             VkMemoryRequirements *pMemoryRequirements)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_buffer, buffer, _buffer);
    *pMemoryRequirements = (VkMemoryRequirements){
        .size = util_align64(buffer->size_B, VC4VK_BUFFER_ALIGN_B),
        .alignment = VC4VK_BUFFER_ALIGN_B,
        .memoryTypeBits = vc4vk_memory_type_bits(device),
    };
    if (buffer->sparse)
        vc4vk_sparse_round_requirements(device, pMemoryRequirements);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetBufferMemoryRequirements2KHR(VkDevice device,
                                                                 const VkBufferMemoryRequirementsInfo2 *pInfo,
                                                                 VkMemoryRequirements2 *pMemoryRequirements)
{
    vc4vk_GetBufferMemoryRequirements(device, pInfo->buffer, &pMemoryRequirements->memoryRequirements);
    vc4vk_fill_dedicated_requirements(pMemoryRequirements->pNext);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_BindBufferMemory(VkDevice device, VkBuffer _buffer, VkDeviceMemory _memory,
                                                      VkDeviceSize memoryOffset)
{
    VC4VK_FROM_HANDLE(vc4vk_buffer, buffer, _buffer);
    VC4VK_FROM_HANDLE(vc4vk_memory, memory, _memory);
    if (buffer->sparse)
        return vc4vk_errorf(vc4vk_device_from_handle(device), VK_ERROR_UNKNOWN,
                            "bind: memory is bound to sparse buffers by vkQueueBindSparse");
    VkResult result = vc4vk_memory_check_binding(vc4vk_device_from_handle(device), memory, memoryOffset, buffer->size_B,
                                                 VC4VK_BUFFER_ALIGN_B);
    if (result == VK_SUCCESS)
        bind(device, buffer, memory, memoryOffset);
    return result;
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
