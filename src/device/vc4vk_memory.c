/* SPDX-License-Identifier: MIT
 *
 * Device memory: a buffer object or a part of one, mapped as long as it exists. All memory is coherent, so flushing
 * does nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_external_memory.h"
#include "device/vc4vk_memory.h"

/* Counts one more allocation. False when maxMemoryAllocationCount is reached. */
static bool count_allocation(struct vc4vk_device *device)
{
    if (atomic_fetch_add(&device->memory_count, 1) < VC4VK_MAX_ALLOCATIONS)
        return true;
    atomic_fetch_sub(&device->memory_count, 1);
    return false;
}

/* What the chain of VkMemoryAllocateInfo asks for. */
struct wanted {
    VkExternalMemoryHandleTypeFlags exports; /* 0: none */
    bool has_address;   /* buffers with addresses may be bound */
    bool is_replayable; /* a later run may ask for the same address */
    uint64_t address;   /* of an earlier run; 0: any */
};

/* Memory that is shared or has a lasting address gets a BO of its own; other memory may be a part of a larger BO. */
static int create_part(struct vc4vk_device *device, struct vc4vk_memory *memory, const struct wanted *wanted)
{
    struct kmd_part *part = &memory->part;
    if (!wanted->exports && !wanted->is_replayable)
        return kmd_part_create(device->kmd, memory->size_B, "memory", part);
    int err = kmd_bo_create_at(device->kmd, memory->size_B, wanted->is_replayable ? KMD_PLACE_REPLAY : KMD_PLACE_MEMORY,
                               (uint32_t)wanted->address, wanted->exports ? "shared memory" : "memory", &part->bo);
    part->size_B = err ? 0 : part->bo->size_B;
    return err;
}

static VkResult create_memory(struct vc4vk_device *device, struct vc4vk_memory *memory, const struct wanted *wanted)
{
    if (memory->size_B > device->physical->memory.memoryHeaps[0].size || memory->size_B > UINT32_MAX - (1u << 20))
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                            "memory of %" PRIu64 " B: larger than the heap or than 4 GiB - 1 MiB", memory->size_B);
    const uint64_t limit_B = device->physical->kmd.info.dma_buf_max_B;
    if ((wanted->exports & VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT) && limit_B && memory->size_B > limit_B)
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                            "memory of %" PRIu64 " B: the kernel makes dma-bufs of at most %" PRIu64
                            " B (size_limit_mb, a parameter of its module udmabuf)",
                            memory->size_B, limit_B);
    int err = wanted->address > UINT32_MAX ? -EADDRINUSE : create_part(device, memory, wanted);
    if (err == -EADDRINUSE)
        return vc4vk_errorf(device, VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS,
                            "memory of %" PRIu64 " B: address 0x%" PRIx64 " is not free", memory->size_B,
                            wanted->address);
    if (err)
        return vc4vk_errorf(device, vc4vk_result_from_errno(err), "memory of %" PRIu64 " B: %s", memory->size_B,
                            strerror(-err));
    return VK_SUCCESS;
}

/* Exports the BO once at allocation, while nothing uses it yet, so that it is set up for sharing. */
static VkResult prepare_export(struct vc4vk_device *device, struct vc4vk_memory *memory,
                               VkExternalMemoryHandleTypeFlags types)
{
    int fd, err = vc4vk_export_bo(memory->part.bo, types, &fd);
    if (err)
        return vc4vk_errorf(device, err == -EMFILE ? VK_ERROR_TOO_MANY_OBJECTS : VK_ERROR_OUT_OF_DEVICE_MEMORY,
                            "memory of %" PRIu64 " B: cannot be shared: %s", memory->size_B, strerror(-err));
    close(fd);
    return VK_SUCCESS;
}

static VkResult map_memory(struct vc4vk_device *device, struct vc4vk_memory *memory)
{
    memory->map = kmd_part_map(&memory->part);
    if (memory->map)
        return VK_SUCCESS;
    return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "memory of %" PRIu64 " B: cannot be mapped",
                        memory->size_B);
}

static struct wanted read_chain(const void *chain)
{
    const VkMemoryAllocateFlagsInfo *flags = vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
    const VkMemoryOpaqueCaptureAddressAllocateInfo *capture =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO);
    const VkExportMemoryAllocateInfo *export =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);
    struct wanted wanted = {.exports = export ? export->handleTypes : 0};
    wanted.is_replayable = flags && (flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT);
    wanted.has_address = flags && (flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT);
    wanted.address = capture && wanted.is_replayable ? capture->opaqueCaptureAddress : 0;
    return wanted;
}

/* After a failure memory->part is empty or must be destroyed by the caller. The file descriptor of an import is closed
 * at the very end, when nothing else can fail. */
static VkResult allocate(struct vc4vk_device *device, struct vc4vk_memory *memory, const void *chain)
{
    const VkImportMemoryFdInfoKHR *import = vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
    const VkImportMemoryHostPointerInfoEXT *host =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
    const struct wanted wanted = read_chain(chain);
    const bool is_fd = import && import->handleType, is_host = !is_fd && host && host->handleType;
    VkResult result;
    if (is_fd)
        result = vc4vk_import_memory(device, import, memory->size_B, &memory->part.bo);
    else if (is_host)
        result = vc4vk_import_host_memory(device, host, memory->size_B, &memory->part.bo);
    else
        result = create_memory(device, memory, &wanted);
    if (result == VK_SUCCESS && !is_fd && !is_host && wanted.exports)
        result = prepare_export(device, memory, wanted.exports);
    if (result == VK_SUCCESS)
        result = map_memory(device, memory);
    if (result == VK_SUCCESS && (is_fd || is_host))
        memory->part.size_B = memory->part.bo->size_B;
    memory->is_host = is_host && result == VK_SUCCESS;
    if (result == VK_SUCCESS && is_fd)
        close(import->fd); /* a successful import takes ownership of the descriptor */
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_AllocateMemory(VkDevice _device, const VkMemoryAllocateInfo *pAllocateInfo,
                                                    const VkAllocationCallbacks *pAllocator, VkDeviceMemory *pMemory)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(device->alloc, pAllocator);
    if (!count_allocation(device))
        return vc4vk_errorf(device, VK_ERROR_TOO_MANY_OBJECTS,
                            "memory: more than %u allocations (maxMemoryAllocationCount)", VC4VK_MAX_ALLOCATIONS);
    struct vc4vk_memory *memory = vc4vk_new(alloc, struct vc4vk_memory, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    VkResult result = memory ? VK_SUCCESS : vc4vk_oom(device);
    if (memory) {
        vc4vk_object_init(&memory->base, VK_OBJECT_TYPE_DEVICE_MEMORY);
        memory->size_B = pAllocateInfo->allocationSize;
        memory->type_index = pAllocateInfo->memoryTypeIndex;
        result = allocate(device, memory, pAllocateInfo->pNext);
    }
    if (result != VK_SUCCESS) {
        if (memory)
            kmd_part_destroy(&memory->part);
        vc4vk_free(alloc, memory);
        atomic_fetch_sub(&device->memory_count, 1);
        return result;
    }
    vc4vk_addressed_memory_add(device, memory);
    if (device->reports_addresses && read_chain(pAllocateInfo->pNext).has_address) {
        memory->reported = (struct vc4vk_address_range){vc4vk_memory_address(memory), memory->size_B};
        vc4vk_report_address(device, VK_OBJECT_TYPE_DEVICE_MEMORY, (uint64_t)(uintptr_t)memory, &memory->reported,
                             VK_DEVICE_ADDRESS_BINDING_TYPE_BIND_EXT);
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
    vc4vk_addressed_memory_remove(device, memory);
    vc4vk_private_data_forget(device, &memory->base.private_number);
    vc4vk_report_address(device, VK_OBJECT_TYPE_DEVICE_MEMORY, (uint64_t)(uintptr_t)memory, &memory->reported,
                         VK_DEVICE_ADDRESS_BINDING_TYPE_UNBIND_EXT);
    if (memory->is_host)
        kmd_bo_end_host(memory->part.bo);
    kmd_part_destroy(&memory->part);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, pAllocator), memory);
    atomic_fetch_sub(&device->memory_count, 1);
}

VkResult vc4vk_memory_check_binding(struct vc4vk_device *device, const struct vc4vk_memory *memory,
                                    VkDeviceSize offset_B, uint64_t size_B, uint32_t align_B)
{
    if (!memory)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "bind: the memory is VK_NULL_HANDLE");
    const uint64_t has_B = memory->part.size_B;
    if (offset_B % align_B)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "bind: offset %" PRIu64 " is not a multiple of %u", offset_B,
                            align_B);
    if (offset_B > has_B || size_B > has_B - offset_B)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN,
                            "bind: %" PRIu64 " B at offset %" PRIu64 " exceed the memory of %" PRIu64 " B", size_B,
                            offset_B, has_B);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_MapMemory(VkDevice device, VkDeviceMemory _memory, VkDeviceSize offset,
                                               VkDeviceSize size, VkMemoryMapFlags flags, void **ppData)
{
    VC4VK_FROM_HANDLE(vc4vk_memory, memory, _memory);
    const uint64_t has_B = memory ? MAX2(memory->size_B, memory->part.size_B) : 0;
    if (!memory || offset > has_B || (size != VK_WHOLE_SIZE && size > has_B - offset))
        return vc4vk_errorf(vc4vk_device_from_handle(device), VK_ERROR_MEMORY_MAP_FAILED,
                            "map: %" PRIu64 " B at offset %" PRIu64 " exceed the memory of %" PRIu64 " B", size, offset,
                            has_B);
    *ppData = (char *)memory->map + offset;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_UnmapMemory(VkDevice device, VkDeviceMemory memory)
{
}

#ifdef VK_KHR_map_memory2
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_MapMemory2KHR(VkDevice device, const VkMemoryMapInfoKHR *pMemoryMapInfo,
                                                   void **ppData)
{
    return vc4vk_MapMemory(device, pMemoryMapInfo->memory, pMemoryMapInfo->offset, pMemoryMapInfo->size,
                           pMemoryMapInfo->flags, ppData);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_UnmapMemory2KHR(VkDevice device, const VkMemoryUnmapInfoKHR *pMemoryUnmapInfo)
{
    return VK_SUCCESS;
}
#endif

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
    *pCommittedMemoryInBytes = memory ? vc4vk_memory_from_handle(memory)->size_B : 0;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_SetDeviceMemoryPriorityEXT(VkDevice device, VkDeviceMemory memory, float priority)
{
    /* a hint which memory to keep in a heap; nothing is ever moved out of the only one */
}

void vc4vk_fill_dedicated_requirements(void *chain)
{
    vc4vk_for_each_in_chain(s, chain)
    {
        if (s->sType != VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS)
            continue;
        VkMemoryDedicatedRequirements *dedicated = (VkMemoryDedicatedRequirements *)s;
        dedicated->prefersDedicatedAllocation = VK_FALSE;
        dedicated->requiresDedicatedAllocation = VK_FALSE;
    }
}

void vc4vk_fill_bind_status(const void *chain, VkResult result)
{
#ifdef VK_KHR_maintenance6
    const VkBindMemoryStatusKHR *status = vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR);
    if (status && status->pResult)
        *status->pResult = result;
#endif
}
