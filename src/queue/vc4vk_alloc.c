/* SPDX-License-Identifier: MIT
 *
 * Host memory through VkAllocationCallbacks.
 */
#include <stdlib.h>
#include <string.h>
#include "queue/vc4vk_alloc.h"

#define ANY_ALIGN _Alignof(max_align_t)

void *vc4vk_alloc(const VkAllocationCallbacks *alloc, size_t size_B, VkSystemAllocationScope scope)
{
    return alloc ? alloc->pfnAllocation(alloc->pUserData, size_B, ANY_ALIGN, scope) : malloc(size_B);
}

void *vc4vk_zalloc(const VkAllocationCallbacks *alloc, size_t size_B, VkSystemAllocationScope scope)
{
    if (!alloc)
        return calloc(1, size_B);
    void *ptr = vc4vk_alloc(alloc, size_B, scope);
    if (ptr)
        memset(ptr, 0, size_B);
    return ptr;
}

void *vc4vk_realloc(const VkAllocationCallbacks *alloc, void *ptr, size_t size_B, VkSystemAllocationScope scope)
{
    return alloc ? alloc->pfnReallocation(alloc->pUserData, ptr, size_B, ANY_ALIGN, scope) : realloc(ptr, size_B);
}

void vc4vk_free(const VkAllocationCallbacks *alloc, void *ptr)
{
    if (alloc && ptr)
        alloc->pfnFree(alloc->pUserData, ptr);
    else if (!alloc)
        free(ptr);
}
