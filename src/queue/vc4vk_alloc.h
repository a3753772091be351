/* SPDX-License-Identifier: MIT
 *
 * Host memory for Vulkan objects: from the application's callbacks where it gave some, otherwise from the C library.
 */
#ifndef VC4VK_ALLOC_H
#define VC4VK_ALLOC_H

#include <stddef.h>
#include <vulkan/vulkan_core.h>

/* The callbacks that an entry point was given, else its parent's. Either may be NULL; NULL = C library. */
static inline const VkAllocationCallbacks *vc4vk_alloc_choose(const VkAllocationCallbacks *parent,
                                                              const VkAllocationCallbacks *given)
{
    return given ? given : parent;
}

/* For what objects or threads share, and is made under a lock of the driver: the C library, since an application's
 * callback may wait for a lock of its own, which a thread may hold that waits for the driver's. */
#define VC4VK_ALLOC_INTERNAL ((const VkAllocationCallbacks *)NULL)

/* Memory for an object, aligned for any type. NULL when there is none. zalloc clears it. */
void *vc4vk_alloc(const VkAllocationCallbacks *alloc, size_t size_B, VkSystemAllocationScope scope);
void *vc4vk_zalloc(const VkAllocationCallbacks *alloc, size_t size_B, VkSystemAllocationScope scope);
/* Grows or shrinks; ptr may be NULL. The old memory stays valid on failure. */
void *vc4vk_realloc(const VkAllocationCallbacks *alloc, void *ptr, size_t size_B, VkSystemAllocationScope scope);
void vc4vk_free(const VkAllocationCallbacks *alloc, void *ptr);

#endif
