/* SPDX-License-Identifier: MIT
 *
 * Arrays of descriptors in memory of a set: placed by the layout, allocated with the set, written with its entries.
 */
#include <inttypes.h>
#include <string.h>
#include "descriptor/vc4vk_buffer_set.h"
#include "descriptor/vc4vk_descriptor_set.h"
#include "descriptor/vc4vk_engine_descriptor.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_multialloc.h"
#include "kmd/kmd.h"

#define CHUNK_STATES                                                                                                   \
    ((1u << VC4VK_STATE_MAX_LOG2) / VC4VK_SURFACE_STATE_B) /* surface states that are allocated together */
#define MEMORY_ALIGN_B 64u
#define MAX_MEMORY_B   (UINT64_C(1) << 30)

/* ---------------------------------------------------------------- layouts */

/* Bindings that may be written while they are bound, or whose elements may be invalid. */
#define MEMORY_FLAGS                                                                                                   \
    (VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT |             \
     VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT | VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT)

static bool belongs_in_memory(const struct vc4vk_set_binding *b)
{
    if (!b->count || b->element_entries == VC4VK_PLANAR_ENTRIES)
        return false;
    return (b->flags & MEMORY_FLAGS) || b->count > VC4VK_MAX_TABLE_ELEMENTS;
}

void vc4vk_set_layout_place_arrays(struct vc4vk_set_layout *layout)
{
    for (uint32_t i = 0; i < layout->binding_count; i++) {
        struct vc4vk_set_binding *b = &layout->bindings[i];
        if (vc4vk_descriptor_is_dynamic(b->type) && (b->flags & VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT))
            layout->held_count = layout->dynamic_count;
        if (!belongs_in_memory(b))
            continue;
        b->memory_B = vc4vk_descriptor_memory_B(b->type);
        if (!b->memory_B)
            continue;
        b->first_memory_B = (uint32_t)layout->memory_B;
        b->array = layout->array_count++;
        layout->memory_B = util_align64(layout->memory_B + (uint64_t)b->count * b->memory_B, MEMORY_ALIGN_B);
    }
}

/* ---------------------------------------------------------------- sets */

static void point_to_arrays(struct vc4vk_set *set)
{
    for (uint32_t i = 0; i < set->layout->binding_count; i++) {
        const struct vc4vk_set_binding *b = &set->layout->bindings[i];
        if (!b->memory_B)
            continue;
        struct vc4vk_surface_state *state =
            vc4vk_state_ptr(set->states, vc4vk_set_array_state(set, VC4VK_ARRAY_ENTRY | b->array));
        const uint32_t count = vc4vk_set_binding_count(set, i);
        state->kind = VC4VK_STATE_BUFFER;
        state->buffer = (struct vc4vk_buffer_state){
            .bo = set->arrays->bo, .base_B = b->first_memory_B, .size_B = count * b->memory_B, .texels = count};
        for (uint32_t e = 0; b->immutable && e < count; e++)
            vc4vk_set_array_write(set, b, e, VK_DESCRIPTOR_TYPE_SAMPLER);
    }
}

/* Frees what has been allocated so far. */
static void free_arrays(struct vc4vk_descriptor_pool *pool, struct vc4vk_set_arrays *a)
{
    for (uint32_t i = 0; i < a->held_count; i++)
        kmd_bo_unref(a->held[i]);
    for (uint32_t i = 0; i < a->chunk_count; i++)
        vc4vk_state_put(pool->states, a->states[i]);
    kmd_bo_unref(a->bo);
    vc4vk_free(pool->device->alloc, a);
}

static bool allocate(struct vc4vk_descriptor_pool *pool, struct vc4vk_set_arrays *a, uint32_t count, uint64_t size_B)
{
    if (!count)
        return true;
    if (size_B > MAX_MEMORY_B || kmd_bo_create(pool->device->kmd, size_B, "descriptors", &a->bo))
        return false;
    a->map = kmd_bo_map(a->bo);
    if (!a->map)
        return false;
    for (; count; count -= MIN2(count, CHUNK_STATES), a->chunk_count++)
        if (!vc4vk_state_get(pool->states, MIN2(count, CHUNK_STATES) * VC4VK_SURFACE_STATE_B,
                             &a->states[a->chunk_count]))
            return false;
    memset(a->map, 0, size_B); /* the memory may have been used before */
    return true;
}

VkResult vc4vk_set_arrays_create(struct vc4vk_set *set, uint64_t memory_B)
{
    struct vc4vk_descriptor_pool *pool = set->pool;
    const uint32_t count = set->layout->array_count, held_count = set->layout->held_count;
    const uint64_t size_B = MAX2(memory_B, (uint64_t)MEMORY_ALIGN_B);
    struct vc4vk_set_arrays *a;
    struct kmd_bo **held;
    struct vc4vk_state *states;
    struct vc4vk_multialloc ma = {0};
    if (!count && !held_count)
        return VK_SUCCESS;
    vc4vk_multialloc_add(&ma, &a, 1);
    vc4vk_multialloc_add(&ma, &held, held_count);
    vc4vk_multialloc_add(&ma, &states, util_div_round_up(count, CHUNK_STATES));
    if (!vc4vk_multialloc_alloc(&ma, pool->device->alloc, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT))
        return vc4vk_oom(pool);
    a->held = held;
    a->held_count = held_count;
    a->states = states;
    if (!allocate(pool, a, count, size_B)) {
        free_arrays(pool, a);
        return vc4vk_errorf(pool, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                            "descriptor set: %" PRIu64 " B of descriptors cannot be allocated", size_B);
    }
    util_list_add_tail(&pool->arrays, &a->link);
    set->arrays = a;
    point_to_arrays(set);
    return VK_SUCCESS;
}

static void destroy(struct vc4vk_descriptor_pool *pool, struct vc4vk_set_arrays *a)
{
    util_list_del(&a->link);
    free_arrays(pool, a);
}

void vc4vk_set_arrays_destroy(struct vc4vk_set *set)
{
    if (set->arrays)
        destroy(set->pool, set->arrays);
    set->arrays = NULL;
}

void vc4vk_set_arrays_destroy_all(struct vc4vk_descriptor_pool *pool)
{
    util_list_for_each_safe(struct vc4vk_set_arrays, a, &pool->arrays, link)
        destroy(pool, a);
}

void vc4vk_set_hold(const struct vc4vk_set *set, uint32_t dynamic, struct kmd_bo *bo)
{
    if (!set->arrays || dynamic >= set->arrays->held_count)
        return;
    struct kmd_bo *before = set->arrays->held[dynamic];
    set->arrays->held[dynamic] = bo ? kmd_bo_ref(bo) : NULL;
    kmd_bo_unref(before);
}

int32_t vc4vk_set_array_state(const struct vc4vk_set *set, uint32_t entry)
{
    const uint32_t array = entry & ~VC4VK_ARRAY_ENTRY;
    if (!(entry & VC4VK_ARRAY_ENTRY) || array >= set->layout->array_count)
        return 0;
    if (set->in_buffer)
        return set->in_buffer->array_states[array];
    if (!set->arrays)
        return 0;
    return set->arrays->states[array / CHUNK_STATES].offset_B + (int32_t)(array % CHUNK_STATES * VC4VK_SURFACE_STATE_B);
}

/* ---------------------------------------------------------------- descriptors */

static uint8_t *element_at(const struct vc4vk_set *set, const struct vc4vk_set_binding *b, uint32_t element)
{
    return set->arrays->map + b->first_memory_B + element * b->memory_B;
}

/* The parts of an element: offset and size, which is 0 if the binding has no such part. */
struct part {
    uint32_t at_B, size_B;
};

static struct part view_part(const struct vc4vk_set_binding *b)
{
    switch (b->type) {
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_MUTABLE_EXT:
        return (struct part){0, sizeof(struct hw_view_descriptor)};
    default:
        return (struct part){0};
    }
}

static struct part sampler_part(const struct vc4vk_set_binding *b)
{
    switch (b->type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
        return (struct part){0, sizeof(struct hw_sampler_descriptor)};
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_MUTABLE_EXT:
        return (struct part){HW_SAMPLER_OFFSET_B, sizeof(struct hw_sampler_descriptor)};
    default:
        return (struct part){0};
    }
}

/* Buffers and storage images. */
static struct part engine_part(const struct vc4vk_set_binding *b)
{
    const bool is_mutable = b->type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
    if (!is_mutable && (view_part(b).size_B || sampler_part(b).size_B))
        return (struct part){0};
    return (struct part){is_mutable ? HW_ENGINE_OFFSET_B : 0, sizeof(struct hw_engine_descriptor)};
}

static const struct vc4vk_surface_state *state_of(const struct vc4vk_set *set, const struct vc4vk_set_binding *b,
                                                  uint32_t element, uint32_t part)
{
    return vc4vk_state_ptr(set->states, set->entries[b->first_entry + element * b->element_entries + part]);
}

static void write_view(const struct vc4vk_surface_state *state, uint8_t *out, struct part part)
{
    const struct hw_view_descriptor view = vc4vk_view_descriptor(state, vc4vk_surface_state_addr(state));
    memcpy(out + part.at_B, &view, part.size_B);
}

static void write_sampler(const struct vc4vk_surface_state *state, uint8_t *out, struct part part)
{
    const struct hw_sampler_descriptor sampler = vc4vk_sampler_descriptor(state);
    memcpy(out + part.at_B, &sampler, part.size_B);
}

static void write_engine(const struct vc4vk_surface_state *state, uint8_t *out, struct part part)
{
    const struct hw_engine_descriptor d = vc4vk_engine_descriptor(state, vc4vk_surface_state_addr(state));
    memcpy(out + part.at_B, &d, part.size_B);
}

/* A mutable element that was copied from a binding table may be of any type: all parts are written then. */
void vc4vk_set_array_write(const struct vc4vk_set *set, const struct vc4vk_set_binding *b, uint32_t element,
                           VkDescriptorType type)
{
    const struct vc4vk_surface_state *first = state_of(set, b, element, 0),
                                     *last = state_of(set, b, element, b->element_entries - 1);
    const bool is_any = type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
    const bool is_combined = is_any || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    const bool has_sampler = is_combined || type == VK_DESCRIPTOR_TYPE_SAMPLER;
    const bool has_view =
        is_combined || type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE || type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    uint8_t *out = element_at(set, b, element);
    if (has_view)
        write_view(first, out, view_part(b));
    if (has_sampler)
        write_sampler(last, out, sampler_part(b));
    if (is_any || (!has_view && !has_sampler))
        write_engine(first, out, engine_part(b));
}

static void copy_part(uint8_t *out, struct part to, const uint8_t *in, struct part from)
{
    memmove(out + to.at_B, in + from.at_B, MIN2(to.size_B, from.size_B));
}

void vc4vk_set_array_copy(const struct vc4vk_set *to, const struct vc4vk_set_binding *to_b, uint32_t to_element,
                          const struct vc4vk_set *from, const struct vc4vk_set_binding *from_b, uint32_t from_element)
{
    uint8_t *out = element_at(to, to_b, to_element);
    const uint8_t *in = element_at(from, from_b, from_element);
    copy_part(out, view_part(to_b), in, view_part(from_b));
    copy_part(out, engine_part(to_b), in, engine_part(from_b));
    if (!to_b->immutable)
        copy_part(out, sampler_part(to_b), in, sampler_part(from_b));
}
