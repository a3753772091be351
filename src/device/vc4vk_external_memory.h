/* SPDX-License-Identifier: MIT
 *
 * Memory that other devices and processes share: by opaque descriptors, which are what the kernel interface exports
 * (dma-bufs of the DRM driver, memfds of the model), and by dma-bufs where a real kernel makes them.
 */
#ifndef DEVICE_VC4VK_EXTERNAL_MEMORY_H
#define DEVICE_VC4VK_EXTERNAL_MEMORY_H

#include "device/vc4vk_memory.h"

struct vc4vk_device;
struct vc4vk_physical_device;

/* What can be done with memory of a handle type: all zero when nothing can. */
void vc4vk_external_memory_properties(const struct vc4vk_physical_device *physical,
                                      VkExternalMemoryHandleTypeFlagBits type, VkExternalMemoryProperties *out);

/* A reference to the BO behind a descriptor, which stays the caller's. After a failure *out is NULL or such a reference
 * (to memory that is too small). */
VkResult vc4vk_import_memory(struct vc4vk_device *device, const VkImportMemoryFdInfoKHR *info, VkDeviceSize size_B,
                             struct kmd_bo **out);

#endif
