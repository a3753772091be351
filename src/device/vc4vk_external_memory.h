/* SPDX-License-Identifier: MIT
 *
 * Memory shared with other devices and processes. Opaque descriptors are whatever the kernel interface exports:
 * dma-bufs with the DRM driver, memfds with the model. The dma-buf handle type exists with the DRM driver, and with the
 * model where the kernel makes dma-bufs of memfds (kmd_info.has_dma_bufs).
 */
#ifndef DEVICE_VC4VK_EXTERNAL_MEMORY_H
#define DEVICE_VC4VK_EXTERNAL_MEMORY_H

#include "device/vc4vk_memory.h"

struct vc4vk_device;
struct vc4vk_physical_device;

/* Fills in what memory of a handle type supports; all zero for an unsupported type. */
void vc4vk_external_memory_properties(const struct vc4vk_physical_device *physical,
                                      VkExternalMemoryHandleTypeFlagBits type, VkExternalMemoryProperties *out);

/* Exports a descriptor, which the caller closes: a dma-buf if `types` has it. 0 or a negative errno. */
int vc4vk_export_bo(struct kmd_bo *bo, VkExternalMemoryHandleTypeFlags types, int *fd_out) UTIL_MUST_CHECK;

/* Imports info's file descriptor and stores a reference to its BO in *out. The descriptor stays the caller's. After a
 * failure *out is NULL, or a reference to a BO smaller than `size_B`, which the caller must drop. */
VkResult vc4vk_import_memory(struct vc4vk_device *device, const VkImportMemoryFdInfoKHR *info, VkDeviceSize size_B,
                             struct kmd_bo **out);

/* The same for memory of the application. kmd_bo_end_host() must be called before it may free that memory. */
VkResult vc4vk_import_host_memory(struct vc4vk_device *device, const VkImportMemoryHostPointerInfoEXT *info,
                                  VkDeviceSize size_B, struct kmd_bo **out);

#endif
