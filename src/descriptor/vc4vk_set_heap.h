/* SPDX-License-Identifier: MIT
 *
 * The memory of a descriptor pool's sets: one range, handed out from its start. Freed sets are kept in bins by size, so
 * sets of equal size never fragment the heap. Adjacent holes are coalesced only when no hole of the size is left and
 * the range is used up. A reset takes constant time.
 */
#ifndef DESCRIPTOR_VC4VK_SET_HEAP_H
#define DESCRIPTOR_VC4VK_SET_HEAP_H

#include "util/macros.h"

#define VC4VK_SET_HEAP_ALIGN_B 16u
#define VC4VK_SET_HEAP_BINS    32u

struct vc4vk_set_hole;

struct vc4vk_set_heap {
    uint8_t *memory; /* not owned, aligned */
    uint32_t size_B, next_B;
    struct vc4vk_set_hole *bins[VC4VK_SET_HEAP_BINS]; /* by size / alignment; the last bin: all larger holes */
    bool may_coalesce;                                /* something was freed since holes were last coalesced */
};

static inline void vc4vk_set_heap_reset(struct vc4vk_set_heap *heap)
{
    *heap = (struct vc4vk_set_heap){.memory = heap->memory, .size_B = heap->size_B};
}

/* Sizes are multiples of the alignment. NULL: no contiguous space is left. */
void *vc4vk_set_heap_take(struct vc4vk_set_heap *heap, uint32_t size_B) UTIL_MUST_CHECK;
void vc4vk_set_heap_put(struct vc4vk_set_heap *heap, void *at, uint32_t size_B);

#endif
