/* SPDX-License-Identifier: MIT
 *
 * Descriptor set layouts, pools and sets.
 *
 * A set is an array of entries, each the block-pool offset of a surface state (0: the null state). A binding has
 * consecutive entries: a combined image sampler has two per array element (view, then sampler), and two more views, of
 * the second and third plane, if one of its immutable samplers has a YCbCr conversion. Every other type has one.
 * Buffers have no view object that could own a state: their states belong to the descriptor pool, which counts them
 * exactly, so updating a set never allocates.
 *
 * An inline uniform block is a binding of one element, whose buffer state leads to bytes in a buffer object of the
 * pool. Each element of a mutable binding has two entries and a buffer state of its own, so it can hold any type.
 *
 * Bindings whose descriptors may be updated while they are bound or may be invalid, and large arrays, also lie in
 * memory of the set as descriptors that programs read (hw/descriptor.h, docs/descriptor-arrays.md).
 *
 * Layouts for descriptor buffers (VK_EXT_descriptor_buffer) place all bindings in the application's memory
 * (vc4vk_buffer_set.h). Sets of such layouts are made where they are bound, and belong to the command buffer.
 *
 * A pool owns the memory for all its sets from the start, except those descriptors. Resetting it is independent of the
 * number of sets without such descriptors.
 */
#ifndef DESCRIPTOR_VC4VK_DESCRIPTOR_SET_H
#define DESCRIPTOR_VC4VK_DESCRIPTOR_SET_H

#include "descriptor/vc4vk_descriptor_type.h"
#include "descriptor/vc4vk_set_arrays.h"
#include "descriptor/vc4vk_set_heap.h"
#include "descriptor/vc4vk_state_pool.h"
#include "device/vc4vk_object.h"

struct kmd_bo;

#define VC4VK_INLINE_ALIGN_B 16u /* of inline uniform blocks */
#define VC4VK_NO_ENTRY       UINT32_MAX

struct vc4vk_set_binding {
    VkDescriptorType type;
    VkShaderStageFlags stages;
    uint32_t count;           /* array elements; 0: the binding does not exist */
    uint32_t first_entry;     /* in the set's entries */
    uint32_t first_buffer;    /* in the set's buffer states; types that own their states only */
    uint32_t first_dynamic;   /* in the set's dynamic offsets; dynamic types only */
    const int32_t *immutable; /* per element: offset of the sampler's state; NULL: none */
    uint32_t element_entries; /* entries per array element */
    uint32_t inline_B;        /* inline uniform blocks: size; `count` is 1 */
    uint32_t first_inline_B;  /* in the set's inline bytes */
    uint32_t mutable_types;   /* mutable bindings: mask of the types, by index, that elements may have */
    VkDescriptorBindingFlags flags;
    uint32_t memory_B;       /* bytes of each descriptor in memory of the set; 0: they are not there */
    uint32_t first_memory_B; /* of element 0 in that memory; of all bindings of sets in descriptor buffers */
    uint32_t array;          /* index among the set's arrays in memory */
    uint32_t issue_B; /* sets in descriptor buffers: bytes of each descriptor that is read when a job is issued; or 0 */
};

/* Where the descriptors of a layout's sets come from. */
enum vc4vk_set_kind {
    VC4VK_SET_OF_POOL,
    VC4VK_SET_PUSHED,
    VC4VK_SET_IN_BUFFER, /* in descriptor buffers */
    VC4VK_SET_EMBEDDED,  /* immutable samplers of the layout itself */
};

struct vc4vk_set_layout {
    struct vc4vk_object base;
    _Atomic uint32_t refs;  /* pools and pipeline layouts hold references; allocated with the device's callbacks */
    enum vc4vk_set_kind kind;
    bool is_read_at_issue;  /* some bindings have issue_B, or storage images whose formats are read then */
    uint32_t binding_count; /* highest binding + 1 */
    uint32_t entry_count, buffer_count, dynamic_count;
    uint32_t inline_B; /* bytes of all inline uniform blocks, each aligned */
    uint32_t array_count; /* bindings whose descriptors are in memory of the set */
    uint64_t memory_B;    /* of that memory */
    uint32_t held_count;  /* dynamic buffers whose memory sets hold: all, if some are partially bound */
    uint32_t type_counts[VC4VK_DESCRIPTOR_TYPES];
    uint32_t variable_binding; /* its count is given when a set is allocated; VC4VK_NO_ENTRY: none */
    struct vc4vk_set_binding *bindings; /* by binding number */
};

/* What a set of a layout consists of. A variable count makes it smaller than the layout says. */
struct vc4vk_set_size {
    uint32_t variable_count;
    uint32_t entry_count, buffer_count, inline_B;
    uint64_t memory_B;
    uint32_t type_counts[VC4VK_DESCRIPTOR_TYPES];
};
/* `variable_count` is ignored by layouts without such a binding, and clamped to what the layout has. */
struct vc4vk_set_size vc4vk_set_layout_size(const struct vc4vk_set_layout *layout, uint32_t variable_count);

struct vc4vk_set {
    struct vc4vk_object base;
    struct vc4vk_descriptor_pool *pool; /* NULL: the set belongs to a command buffer */
    struct vc4vk_state_pool *states;
    struct vc4vk_set_layout *layout;      /* the pool holds a reference */
    uint32_t entry_count, dynamic_count;
    uint32_t variable_count;              /* elements of layout->variable_binding */
    int32_t *entries;                     /* entry_count */
    int32_t *buffer_states;               /* offsets of the surface states that the set writes */
    uint8_t *inline_map;                  /* bytes of the inline uniform blocks; NULL: none */
    struct vc4vk_set_arrays *arrays;      /* NULL: no descriptors are in memory of the set */
    const struct vc4vk_set_in_buffer *in_buffer; /* NULL: the set is not in a descriptor buffer */
};

/* Elements of a binding of this set; bytes of an inline uniform block. */
static inline uint32_t vc4vk_set_binding_count(const struct vc4vk_set *set, uint32_t binding)
{
    const struct vc4vk_set_binding *b = &set->layout->bindings[binding];
    if (binding == set->layout->variable_binding)
        return set->variable_count;
    return b->inline_B ? b->inline_B : b->count;
}

/* A layout in use by sets of a pool. */
struct vc4vk_pool_layout {
    struct vc4vk_set_layout *layout; /* referenced */
    uint32_t sets;                   /* number of sets with it */
};

/* A pool's buffer states: an array of `count` states in chunks, which are taken from the block pool on demand, and a
 * stack of freed states. */
struct vc4vk_pool_buffers {
    struct vc4vk_state *chunks;
    uint32_t chunk_count, count; /* chunks taken so far; states in all chunks that may be taken */
    uint32_t next;               /* first state that was not handed out since the last reset */
    int32_t *free;               /* stack of block-pool offsets */
    uint32_t free_count;
};

struct vc4vk_descriptor_pool {
    struct vc4vk_object base;
    struct vc4vk_device *device;
    struct vc4vk_state_pool *states;
    uint32_t max_sets, free_sets;
    uint32_t max_counts[VC4VK_DESCRIPTOR_TYPES], free_counts[VC4VK_DESCRIPTOR_TYPES];
    uint32_t free_spares; /* of `max_sets` descriptors of types whose max_counts is 0 */
    struct vc4vk_set_heap heap; /* sets with their entries */
    struct vc4vk_pool_buffers buffers;
    struct kmd_bo *inline_bo;          /* bytes of inline uniform blocks; NULL: none */
    struct vc4vk_set_heap inline_heap; /* hands out its mapping */
    struct util_list arrays;           /* of vc4vk_set_arrays.link */
    struct vc4vk_pool_layout *layouts;
    uint32_t layout_count, layout_capacity;
    const VkAllocationCallbacks *alloc; /* of `layouts` */
    VkAllocationCallbacks alloc_storage;
};

VC4VK_DEFINE_HANDLE(vc4vk_set_layout, VkDescriptorSetLayout, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT)
VC4VK_DEFINE_HANDLE(vc4vk_set, VkDescriptorSet, VK_OBJECT_TYPE_DESCRIPTOR_SET)
VC4VK_DEFINE_HANDLE(vc4vk_descriptor_pool, VkDescriptorPool, VK_OBJECT_TYPE_DESCRIPTOR_POOL)

static inline struct vc4vk_set_layout *vc4vk_set_layout_ref(struct vc4vk_set_layout *layout)
{
    atomic_fetch_add_explicit(&layout->refs, 1, memory_order_relaxed);
    return layout;
}

struct vc4vk_device;
/* Frees the layout with its last reference. NULL is accepted. */
void vc4vk_set_layout_unref(struct vc4vk_device *device, struct vc4vk_set_layout *layout);

/* Initialises a set: all entries become null states, or immutable samplers where the layout has them. The caller has
 * set `entries`, and `buffer_states` to states owned by the set. */
void vc4vk_set_fill(struct vc4vk_set *set, struct vc4vk_set_layout *layout, struct vc4vk_state_pool *states);

/* Applies one write to this set; ignores `dstSet`. */
void vc4vk_set_write(const struct vc4vk_set *set, const VkWriteDescriptorSet *write);

struct vc4vk_update_template;
void vc4vk_set_write_template(const struct vc4vk_set *set, const struct vc4vk_update_template *template,
                              const void *data);

enum vc4vk_entry_part {
    VC4VK_PART_VIEW,
    VC4VK_PART_SAMPLER,
    VC4VK_PART_BUFFER,
    VC4VK_PART_CHROMA_0,
    VC4VK_PART_CHROMA_1,
    VC4VK_PART_ARRAY
};

/* Added to the number of an array in memory of the set, which is what PART_ARRAY has instead of an entry. */
#define VC4VK_ARRAY_ENTRY 0x80000000u

/* Index of an element's entry in its set, or VC4VK_NO_ENTRY when the layout has no such binding, element or part. */
uint32_t vc4vk_set_layout_entry(const struct vc4vk_set_layout *layout, uint32_t binding, uint32_t element,
                                enum vc4vk_entry_part part);
/* Index in the set's dynamic offsets, or VC4VK_NO_ENTRY when the binding is not dynamic. */
uint32_t vc4vk_set_layout_dynamic(const struct vc4vk_set_layout *layout, uint32_t binding, uint32_t element);

#endif
