/* SPDX-License-Identifier: MIT
 *
 * Set heap: allocation from the end of the used range, bins of holes by size, and coalescing of adjacent holes.
 */
#include "descriptor/vc4vk_set_heap.h"

/* A free range. The struct is stored in the free memory itself. */
struct vc4vk_set_hole {
    struct vc4vk_set_hole *next;
    uint32_t size_B;
};
_Static_assert(sizeof(struct vc4vk_set_hole) <= VC4VK_SET_HEAP_ALIGN_B, "the struct fits the smallest hole");

static struct vc4vk_set_hole **bin_of(struct vc4vk_set_heap *heap, uint32_t size_B)
{
    return &heap->bins[MIN2(size_B / VC4VK_SET_HEAP_ALIGN_B, VC4VK_SET_HEAP_BINS - 1)];
}

static void add_hole(struct vc4vk_set_heap *heap, void *at, uint32_t size_B)
{
    struct vc4vk_set_hole *hole = at, **bin = bin_of(heap, size_B);
    *hole = (struct vc4vk_set_hole){*bin, size_B};
    *bin = hole;
}

void vc4vk_set_heap_put(struct vc4vk_set_heap *heap, void *at, uint32_t size_B)
{
    add_hole(heap, at, size_B);
    heap->may_coalesce = true;
}

static void *take_same_size(struct vc4vk_set_heap *heap, uint32_t size_B)
{
    struct vc4vk_set_hole **link = bin_of(heap, size_B);
    while (*link && (*link)->size_B != size_B)
        link = &(*link)->next;
    struct vc4vk_set_hole *hole = *link;
    if (hole)
        *link = hole->next;
    return hole;
}

static void *take_new(struct vc4vk_set_heap *heap, uint32_t size_B)
{
    if (size_B > heap->size_B - heap->next_B)
        return NULL;
    void *at = heap->memory + heap->next_B;
    heap->next_B += size_B;
    return at;
}

/* -- coalescing --------------------------------------------------------------------------------------------------- */

static struct vc4vk_set_hole *merge(struct vc4vk_set_hole *a, struct vc4vk_set_hole *b)
{
    struct vc4vk_set_hole *first = NULL, **end = &first;
    while (a && b) {
        struct vc4vk_set_hole **lower = (uintptr_t)a < (uintptr_t)b ? &a : &b;
        *end = *lower;
        end = &(*lower)->next;
        *lower = *end;
    }
    *end = a ? a : b;
    return first;
}

/* Sorts by address: a bottom-up merge sort that keeps a sorted run of 2^n holes in runs[n], like a binary counter. */
static struct vc4vk_set_hole *sort(struct vc4vk_set_hole *holes)
{
    struct vc4vk_set_hole *runs[32] = {0}, *sorted = NULL;
    while (holes) {
        struct vc4vk_set_hole *run = holes;
        holes = holes->next;
        run->next = NULL;
        uint32_t n = 0;
        for (; runs[n]; n++) {
            run = merge(runs[n], run);
            runs[n] = NULL;
        }
        runs[n] = run;
    }
    for (uint32_t n = 0; n < ARRAY_SIZE(runs); n++)
        sorted = merge(runs[n], sorted);
    return sorted;
}

static void coalesce_holes(struct vc4vk_set_heap *heap)
{
    struct vc4vk_set_hole *all = NULL;
    for (uint32_t i = 0; i < VC4VK_SET_HEAP_BINS; i++) {
        while (heap->bins[i]) {
            struct vc4vk_set_hole *hole = heap->bins[i];
            heap->bins[i] = hole->next;
            hole->next = all;
            all = hole;
        }
    }
    all = sort(all);
    while (all) {
        struct vc4vk_set_hole *hole = all;
        all = hole->next;
        while (all && (uint8_t *)hole + hole->size_B == (uint8_t *)all) {
            hole->size_B += all->size_B;
            all = all->next;
        }
        if ((uint8_t *)hole + hole->size_B == heap->memory + heap->next_B)
            heap->next_B -= hole->size_B;
        else
            add_hole(heap, hole, hole->size_B);
    }
    heap->may_coalesce = false;
}

/* First fit; the rest of the hole stays free. */
static void *take_from_larger(struct vc4vk_set_heap *heap, uint32_t size_B)
{
    for (struct vc4vk_set_hole **bin = bin_of(heap, size_B); bin < heap->bins + VC4VK_SET_HEAP_BINS; bin++) {
        for (struct vc4vk_set_hole **link = bin; *link; link = &(*link)->next) {
            struct vc4vk_set_hole *hole = *link;
            if (hole->size_B < size_B)
                continue;
            *link = hole->next;
            if (hole->size_B > size_B)
                add_hole(heap, (uint8_t *)hole + size_B, hole->size_B - size_B);
            return hole;
        }
    }
    return NULL;
}

void *vc4vk_set_heap_take(struct vc4vk_set_heap *heap, uint32_t size_B)
{
    assert(size_B && size_B % VC4VK_SET_HEAP_ALIGN_B == 0);
    void *at = take_same_size(heap, size_B);
    if (!at)
        at = take_new(heap, size_B);
    if (at)
        return at;
    if (heap->may_coalesce) {
        coalesce_holes(heap);
        at = take_new(heap, size_B);
    }
    return at ? at : take_from_larger(heap, size_B);
}
