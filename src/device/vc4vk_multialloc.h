/* SPDX-License-Identifier: MIT
 *
 * Host memory through the application's allocation callbacks, on top of queue/vc4vk_alloc.h. struct vc4vk_multialloc
 * gets an object and its arrays from one allocation, so that there is one point of failure and one free. struct
 * vc4vk_util_alloc wraps the callbacks in the form that util, hw and compiler take.
 */
#ifndef DEVICE_VC4VK_MULTIALLOC_H
#define DEVICE_VC4VK_MULTIALLOC_H

#include "queue/vc4vk_alloc.h"
#include "util/alloc.h"

#define vc4vk_new(alloc, type, scope) ((type *)vc4vk_zalloc(alloc, sizeof(type), scope))

/* Frees an object that holds its own copy of the callbacks it was made with. */
static inline void vc4vk_free_self(const VkAllocationCallbacks *own, const VkAllocationCallbacks *given, void *object)
{
    VkAllocationCallbacks copy;
    if (own) {
        copy = *own;
        own = &copy;
    }
    vc4vk_free(vc4vk_alloc_choose(own, given), object);
}

/* The callbacks as a struct util_alloc with a fixed scope. `callbacks` (NULL: the C library) must outlive it. */
struct vc4vk_util_alloc {
    struct util_alloc base; /* pass &x.base to users of util_alloc */
    const VkAllocationCallbacks *callbacks;
    VkSystemAllocationScope scope;
};
void vc4vk_util_alloc_init(struct vc4vk_util_alloc *out, const VkAllocationCallbacks *callbacks,
                           VkSystemAllocationScope scope);

/* One zeroed allocation for several arrays. Add each part, then allocate: this sets the pointers of all parts.
 *     struct vc4vk_multialloc ma = {0};
 *     vc4vk_multialloc_add(&ma, &pool, 1);
 *     vc4vk_multialloc_add(&ma, &items, item_count);
 *     if (!vc4vk_multialloc_alloc(&ma, alloc, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT)) ... out of host memory
 * The first part's pointer is the one to free. Parts with 0 elements get a valid pointer that must not be read. */
#define VC4VK_MULTIALLOC_MAX 8
struct vc4vk_multialloc {
    size_t size_B;
    uint32_t count;
    bool overflow;
    struct {
        void **ptr;
        size_t offset_B;
    } parts[VC4VK_MULTIALLOC_MAX];
};
#define vc4vk_multialloc_add(ma, ptr, n) vc4vk_multialloc_add_part(ma, (void **)(ptr), sizeof **(ptr), n)
void vc4vk_multialloc_add_part(struct vc4vk_multialloc *ma, void **ptr, size_t element_B, size_t count);
void *vc4vk_multialloc_alloc(struct vc4vk_multialloc *ma, const VkAllocationCallbacks *alloc,
                             VkSystemAllocationScope scope) UTIL_MUST_CHECK;

#endif
