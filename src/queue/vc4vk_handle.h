/* SPDX-License-Identifier: MIT
 *
 * Casts between Vulkan handles and the driver's structs. Non-dispatchable handles are 64-bit integers on 32-bit hosts,
 * hence the casts by way of uintptr_t. queue/ is the lowest module with Vulkan objects; the modules above include this
 * header.
 */
#ifndef VC4VK_HANDLE_H
#define VC4VK_HANDLE_H

#include <stdint.h>
#include <vulkan/vulkan_core.h>

/* By which VK_EXT_private_data knows an object (device/vc4vk_private_data.h). 0 in a new object. */
typedef _Atomic uint32_t vc4vk_private_number;

/* vc4vk_fence_from_handle(VkFence), vc4vk_fence_to_handle(struct vc4vk_fence *) */
#define VC4VK_DEFINE_HANDLE_CASTS(type, VkType)                                                                        \
    static inline struct type *type##_from_handle(VkType handle)                                                       \
    {                                                                                                                  \
        return (struct type *)(uintptr_t)handle;                                                                       \
    }                                                                                                                  \
    static inline VkType type##_to_handle(const struct type *object)                                                   \
    {                                                                                                                  \
        return (VkType)(uintptr_t)object;                                                                              \
    }

/* Declares a local variable: VC4VK_FROM_HANDLE(vc4vk_fence, fence, _fence); */
#define VC4VK_FROM_HANDLE(type, name, handle) struct type *name = type##_from_handle(handle)

#endif
