/* SPDX-License-Identifier: MIT
 *
 * Shared memory: reports the supported handle types, exports and imports memory, also the application's own.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_external_memory.h"
#include "device/vc4vk_ignored_bits.h"
#include "device/vc4vk_sparse.h"

static VkExternalMemoryHandleTypeFlags handle_types(const struct vc4vk_physical_device *physical)
{
    return VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT |
           (physical->kmd.info.has_dma_bufs ? VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT : 0);
}

void vc4vk_external_memory_properties(const struct vc4vk_physical_device *physical,
                                      VkExternalMemoryHandleTypeFlagBits type, VkExternalMemoryProperties *out)
{
    *out = (VkExternalMemoryProperties){0};
    if (type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT && physical->kmd.info.host_align_B) {
        out->externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
        out->compatibleHandleTypes = type;
    }
    if (!(handle_types(physical) & type))
        return;
    out->externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    out->exportFromImportedHandleTypes = out->compatibleHandleTypes = handle_types(physical);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceExternalBufferPropertiesKHR(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalBufferInfo *pExternalBufferInfo,
    VkExternalBufferProperties *pExternalBufferProperties)
{
    VC4VK_FROM_HANDLE(vc4vk_physical_device, physical, physicalDevice);
    const VkBufferCreateFlags flags = vc4vk_known_bits(VC4VK_BITS_BUFFER_FLAGS, pExternalBufferInfo->flags);
    /* The pages of the program's own memory must be its alone again when the memory object is freed, but a sparse
     * buffer may still show them then. */
    const bool has_sparse = physical->features.sparseBinding &&
                            pExternalBufferInfo->handleType != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    const bool is_refused =
        flags & ~(VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT | (has_sparse ? VC4VK_SPARSE_BUFFER_FLAGS : 0u));
    vc4vk_external_memory_properties(physical, is_refused ? 0 : pExternalBufferInfo->handleType,
                                     &pExternalBufferProperties->externalMemoryProperties);
}

int vc4vk_export_bo(struct kmd_bo *bo, VkExternalMemoryHandleTypeFlags types, int *fd_out)
{
    return types & VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT ? kmd_bo_export_dma_buf(bo, fd_out)
                                                                  : kmd_bo_export_fd(bo, fd_out);
}

static VkResult import_error(struct vc4vk_device *device, int err)
{
    VkResult result = err == -ENOMEM   ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                      : err == -EMFILE ? VK_ERROR_TOO_MANY_OBJECTS
                                       : VK_ERROR_INVALID_EXTERNAL_HANDLE;
    return vc4vk_errorf(device, result, "memory: cannot import the descriptor: %s", strerror(-err));
}

VkResult vc4vk_import_memory(struct vc4vk_device *device, const VkImportMemoryFdInfoKHR *info, VkDeviceSize size_B,
                             struct kmd_bo **out)
{
    if (!(handle_types(device->physical) & info->handleType))
        return vc4vk_errorf(device, VK_ERROR_INVALID_EXTERNAL_HANDLE,
                            "memory: import of handle type 0x%x is not supported", info->handleType);
    int err = kmd_bo_import_fd(device->kmd, info->fd, out);
    if (err)
        return import_error(device, err);
    if ((*out)->size_B < size_B)
        return vc4vk_errorf(device, VK_ERROR_INVALID_EXTERNAL_HANDLE,
                            "memory: import of %" PRIu64 " B, the descriptor has %u B", size_B, (*out)->size_B);
    return VK_SUCCESS;
}

/* -- memory of the application ------------------------------------------------------------------------------------ */

static VkResult host_import_error(struct vc4vk_device *device, const void *host, VkDeviceSize size_B, int err)
{
    const VkResult result = err == -ENOMEM ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_ERROR_INVALID_EXTERNAL_HANDLE;
    return vc4vk_errorf(device, result,
                        "memory: cannot import %" PRIu64 " B at %p: %s (both must be multiples of %u, and all of the "
                        "memory readable and writable)",
                        size_B, host, strerror(-err), device->physical->kmd.info.host_align_B);
}

VkResult vc4vk_import_host_memory(struct vc4vk_device *device, const VkImportMemoryHostPointerInfoEXT *info,
                                  VkDeviceSize size_B, struct kmd_bo **out)
{
    int err = info->handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT
                  ? kmd_bo_import_host(device->kmd, info->pHostPointer, size_B, out)
                  : -ENOTSUP;
    return err ? host_import_error(device, info->pHostPointer, size_B, err) : VK_SUCCESS;
}

/* Any memory of the process can be tried. Whether an import succeeds is known when it is made. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetMemoryHostPointerPropertiesEXT(
    VkDevice _device, VkExternalMemoryHandleTypeFlagBits handleType, const void *pHostPointer,
    VkMemoryHostPointerPropertiesEXT *pMemoryHostPointerProperties)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const uint32_t align_B = device->physical->kmd.info.host_align_B;
    pMemoryHostPointerProperties->memoryTypeBits = 0;
    if (handleType != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT || !align_B ||
        (uintptr_t)pHostPointer % align_B)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    pMemoryHostPointerProperties->memoryTypeBits = vc4vk_memory_type_bits(device);
    return VK_SUCCESS;
}

/* -- descriptors -------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetMemoryFdKHR(VkDevice _device, const VkMemoryGetFdInfoKHR *pGetFdInfo, int *pFd)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_memory, memory, pGetFdInfo->memory);
    int err = vc4vk_export_bo(memory->part.bo, pGetFdInfo->handleType, pFd);
    if (err)
        return vc4vk_errorf(device, err == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_TOO_MANY_OBJECTS,
                            "memory of %" PRIu64 " B: cannot export: %s", memory->size_B, strerror(-err));
    return VK_SUCCESS;
}

/* Vulkan allows this query for dma-bufs only, not for opaque descriptors. A dma-buf of another driver can be imported
 * by the chip only when its memory is contiguous, by the model only when it can be mapped. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetMemoryFdPropertiesKHR(VkDevice _device,
                                                              VkExternalMemoryHandleTypeFlagBits handleType, int fd,
                                                              VkMemoryFdPropertiesKHR *pMemoryFdProperties)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct kmd_bo *bo = NULL;
    pMemoryFdProperties->memoryTypeBits = 0;
    if (handleType != VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT || !(handle_types(device->physical) & handleType))
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    int err = kmd_bo_import_fd(device->kmd, fd, &bo);
    if (err)
        return import_error(device, err);
    kmd_bo_unref(bo);
    pMemoryFdProperties->memoryTypeBits = vc4vk_memory_type_bits(device);
    return VK_SUCCESS;
}
