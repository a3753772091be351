/* SPDX-License-Identifier: MIT
 *
 * The memory of a descriptor pool's sets: one range that is handed out from its start. What is given back is kept by
 * size, so that sets of one size never fragment it; only where nothing of the size is left and the range has ended,
 * neighbours are joined. Emptied in constant time.
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
    struct vc4vk_set_hole
        *bins[VC4VK_SET_HEAP_BINS]; /* by size in units of the alignment; the last: all that is larger */
    bool may_join;                                    /* something was given back since neighbours were joined */
};

static inline void vc4vk_set_heap_reset(struct vc4vk_set_heap *heap)
{
    *heap = (struct vc4vk_set_heap){.memory = heap->memory, .size_B = heap->size_B};
}

/* Sizes are multiples of the alignment. NULL: no place in one piece. */
void *vc4vk_set_heap_take(struct vc4vk_set_heap *heap, uint32_t size_B) UTIL_MUST_CHECK;
void vc4vk_set_heap_put(struct vc4vk_set_heap *heap, void *at, uint32_t size_B);

#endif
