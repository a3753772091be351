/* SPDX-License-Identifier: MIT
 *
 * Host memory for Vulkan objects: from the application's VkAllocationCallbacks if it passed any, otherwise from the C
 * library.
 */
#ifndef VC4VK_ALLOC_H
#define VC4VK_ALLOC_H

#include <stddef.h>
#include <vulkan/vulkan_core.h>

/* The callbacks passed to an entry point, else those of the parent object. Either may be NULL; NULL = C library. */
static inline const VkAllocationCallbacks *vc4vk_alloc_choose(const VkAllocationCallbacks *parent,
                                                              const VkAllocationCallbacks *given)
{
    return given ? given : parent;
}

/* The allocator for memory that objects or threads share and that is allocated under a lock of the driver: always the
 * C library. An application's callback might wait for a lock of the application whose holder waits for the driver's. */
#define VC4VK_ALLOC_INTERNAL ((const VkAllocationCallbacks *)NULL)

/* Allocates memory aligned for any type; NULL when out of memory. zalloc zeroes it. */
void *vc4vk_alloc(const VkAllocationCallbacks *alloc, size_t size_B, VkSystemAllocationScope scope);
void *vc4vk_zalloc(const VkAllocationCallbacks *alloc, size_t size_B, VkSystemAllocationScope scope);
/* Resizes an allocation; ptr may be NULL. The old memory stays valid on failure. */
void *vc4vk_realloc(const VkAllocationCallbacks *alloc, void *ptr, size_t size_B, VkSystemAllocationScope scope);
void vc4vk_free(const VkAllocationCallbacks *alloc, void *ptr);

#endif
