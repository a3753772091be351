/* SPDX-License-Identifier: MIT
 *
 * Allocation of an object and its arrays at once, and util_alloc on top of VkAllocationCallbacks.
 */
#include <string.h>
#include "device/vc4vk_multialloc.h"

static void *alloc_through_callbacks(void *data, size_t size_B, size_t align_B)
{
    const struct vc4vk_util_alloc *a = data;
    return vc4vk_alloc(a->callbacks, size_B, a->scope);
}

static void free_through_callbacks(void *data, void *ptr)
{
    const struct vc4vk_util_alloc *a = data;
    vc4vk_free(a->callbacks, ptr);
}

void vc4vk_util_alloc_init(struct vc4vk_util_alloc *out, const VkAllocationCallbacks *callbacks,
                           VkSystemAllocationScope scope)
{
    *out = (struct vc4vk_util_alloc){
        .base = {out, alloc_through_callbacks, free_through_callbacks}, .callbacks = callbacks, .scope = scope};
}

void vc4vk_multialloc_add_part(struct vc4vk_multialloc *ma, void **ptr, size_t element_B, size_t count)
{
    assert(ma->count < VC4VK_MULTIALLOC_MAX);
    size_t part_B, end_B;
    size_t start_B = (ma->size_B + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
    if (start_B < ma->size_B || __builtin_mul_overflow(element_B, count, &part_B) ||
        __builtin_add_overflow(start_B, part_B, &end_B)) {
        ma->overflow = true;
        return;
    }
    ma->parts[ma->count].ptr = ptr;
    ma->parts[ma->count++].offset_B = start_B;
    ma->size_B = end_B;
}

void *vc4vk_multialloc_alloc(struct vc4vk_multialloc *ma, const VkAllocationCallbacks *alloc,
                             VkSystemAllocationScope scope)
{
    char *memory = ma->overflow ? NULL : vc4vk_zalloc(alloc, MAX2(ma->size_B, 1), scope);
    if (!memory)
        return NULL;
    for (uint32_t i = 0; i < ma->count; i++)
        *ma->parts[i].ptr = memory + ma->parts[i].offset_B;
    return memory;
}
