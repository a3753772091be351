/* SPDX-License-Identifier: MIT
 *
 * Arrays of descriptors in memory of a set, where programs of the CPU engine read them (docs/descriptor-arrays.md). A
 * write to a descriptor stores what programs need of the resource. Programs see it whenever they read it, so it may
 * come after the set has been bound. Descriptors that no program reads may name resources that are gone.
 *
 * Dynamic buffers stay in binding tables, and jobs use the memory that a table leads to. So a set holds the memory of
 * partially bound ones.
 */
#ifndef DESCRIPTOR_VC4VK_SET_ARRAYS_H
#define DESCRIPTOR_VC4VK_SET_ARRAYS_H

#include "descriptor/vc4vk_state_pool.h"
#include "util/list.h"

struct kmd_bo;
struct vc4vk_descriptor_pool;
struct vc4vk_set;
struct vc4vk_set_binding;
struct vc4vk_set_layout;

/* Larger arrays are in memory, whatever their flags: no other program could choose among so many. */
#define VC4VK_MAX_TABLE_ELEMENTS 256u

struct vc4vk_set_arrays {
    struct util_list link; /* in vc4vk_descriptor_pool.arrays */
    struct kmd_bo *bo;     /* NULL: no arrays */
    uint8_t *map;
    struct kmd_bo **held; /* memory of dynamic buffers, by their number among them */
    uint32_t held_count;
    uint32_t chunk_count;
    struct vc4vk_state *states; /* chunks of surface states, one state for each array: a buffer of its descriptors */
};

/* Places the arrays of a layout for sets of pools; called once its bindings are complete. */
void vc4vk_set_layout_place_arrays(struct vc4vk_set_layout *layout);

/* Allocates the set's arrays, with null descriptors, if its layout has any, and what it may have to hold. The set and
 * its size are complete. */
VkResult vc4vk_set_arrays_create(struct vc4vk_set *set, uint64_t memory_B);
/* NULL is accepted. */
void vc4vk_set_arrays_destroy(struct vc4vk_set *set);
void vc4vk_set_arrays_destroy_all(struct vc4vk_descriptor_pool *pool);

/* Holds the BO of dynamic buffer number `dynamic` instead of the one before; NULL: none. */
void vc4vk_set_hold(const struct vc4vk_set *set, uint32_t dynamic, struct kmd_bo *bo);

/* The offset of the surface state of an array; 0, the null state, if there is none. `entry`: with VC4VK_ARRAY_ENTRY. */
int32_t vc4vk_set_array_state(const struct vc4vk_set *set, uint32_t entry);

/* Stores the element of a binding in memory, as its entries say. `type`: of the descriptor in a mutable binding;
 * MUTABLE_EXT if it is not known. */
void vc4vk_set_array_write(const struct vc4vk_set *set, const struct vc4vk_set_binding *b, uint32_t element,
                           VkDescriptorType type);
/* Copies an element. Both bindings are in memory. */
void vc4vk_set_array_copy(const struct vc4vk_set *to, const struct vc4vk_set_binding *to_b, uint32_t to_element,
                          const struct vc4vk_set *from, const struct vc4vk_set_binding *from_b, uint32_t from_element);

#endif
