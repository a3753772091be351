/* SPDX-License-Identifier: MIT
 *
 * Descriptor pools: creation, and allocation and freeing of sets. A pool counts sets and descriptors of each type
 * exactly; exceeding a count is VK_ERROR_OUT_OF_POOL_MEMORY. Programs that forget a type when they create a pool work on
 * most drivers, because these count bytes. So a pool has one descriptor more for each set, of any type that it was not
 * created for [vkAllocateDescriptorSets allows the error and does not demand it]. Within the counts an allocation succeeds unless sets of
 * different sizes were freed one by one and only small holes are left: VK_ERROR_FRAGMENTED_POOL.
 */
#include <inttypes.h>
#include <string.h>
#include "descriptor/vc4vk_binding_table.h"
#include "descriptor/vc4vk_descriptor_set.h"
#include "descriptor/vc4vk_descriptor_type.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "kmd/kmd.h"

#define CHUNK_STATES (VC4VK_STATE_BLOCK_B / VC4VK_SURFACE_STATE_B)

/* -- buffer states ------------------------------------------------------------------------------------------------ */

static bool add_state_chunk(struct vc4vk_descriptor_pool *pool)
{
    struct vc4vk_pool_buffers *b = &pool->buffers;
    uint32_t states = MIN2(b->count - b->chunk_count * CHUNK_STATES, CHUNK_STATES);
    if (!vc4vk_state_get(pool->states, states * VC4VK_SURFACE_STATE_B, &b->chunks[b->chunk_count]))
        return false;
    b->chunk_count++;
    return true;
}

/* Ensures that `count` buffer states can be taken. */
static bool ensure_buffer_states(struct vc4vk_descriptor_pool *pool, uint32_t count)
{
    const struct vc4vk_pool_buffers *b = &pool->buffers;
    while (b->free_count + (b->chunk_count * CHUNK_STATES - b->next) < count)
        if (!add_state_chunk(pool))
            return false;
    return true;
}

static int32_t take_buffer_state(struct vc4vk_pool_buffers *b)
{
    if (b->free_count)
        return b->free[--b->free_count];
    uint32_t i = b->next++;
    return b->chunks[i / CHUNK_STATES].offset_B + (int32_t)(i % CHUNK_STATES * VC4VK_SURFACE_STATE_B);
}

/* -- layouts ------------------------------------------------------------------------------------------------------ */

static struct vc4vk_pool_layout *find_layout(struct vc4vk_descriptor_pool *pool, const struct vc4vk_set_layout *layout)
{
    for (uint32_t i = pool->layout_count; i-- > 0;)
        if (pool->layouts[i].layout == layout)
            return &pool->layouts[i];
    return NULL;
}

/* The layout's row in the pool; a new layout gets a row and a reference. NULL when out of memory. */
static struct vc4vk_pool_layout *ensure_layout(struct vc4vk_descriptor_pool *pool, struct vc4vk_set_layout *layout)
{
    struct vc4vk_pool_layout *row = find_layout(pool, layout);
    if (row)
        return row;
    if (pool->layout_count == pool->layout_capacity) {
        uint32_t capacity = MAX2(2 * pool->layout_capacity, 4u);
        void *grown = vc4vk_realloc(pool->alloc, pool->layouts, capacity * sizeof *pool->layouts,
                                    VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
        if (!grown)
            return NULL;
        pool->layouts = grown;
        pool->layout_capacity = capacity;
    }
    row = &pool->layouts[pool->layout_count++];
    *row = (struct vc4vk_pool_layout){vc4vk_set_layout_ref(layout), 0};
    return row;
}

static void drop_layout(struct vc4vk_descriptor_pool *pool, struct vc4vk_set_layout *layout)
{
    struct vc4vk_pool_layout *row = find_layout(pool, layout);
    if (--row->sets)
        return;
    vc4vk_set_layout_unref(pool->device, layout);
    *row = pool->layouts[--pool->layout_count];
}

/* -- sets --------------------------------------------------------------------------------------------------------- */

/* Inline uniform blocks need memory of their own and are never spare descriptors. */
static bool is_spare_type(const struct vc4vk_descriptor_pool *pool, uint32_t type)
{
    return !pool->max_counts[type] && type != VC4VK_TYPE_INLINE;
}

static bool has_free_descriptors(const struct vc4vk_descriptor_pool *pool, const struct vc4vk_set_size *size)
{
    uint64_t spares = 0;
    for (uint32_t t = 0; t < VC4VK_DESCRIPTOR_TYPES; t++)
        if (is_spare_type(pool, t))
            spares += size->type_counts[t];
        else if (size->type_counts[t] > pool->free_counts[t])
            return false;
    return pool->free_sets > 0 && spares <= pool->free_spares;
}

/* Counts the descriptors of a set that was made, or is destroyed. */
static void take_descriptors(struct vc4vk_descriptor_pool *pool, const struct vc4vk_set_size *size)
{
    for (uint32_t t = 0; t < VC4VK_DESCRIPTOR_TYPES; t++)
        *(is_spare_type(pool, t) ? &pool->free_spares : &pool->free_counts[t]) -= size->type_counts[t];
    pool->free_sets--;
}

static void put_descriptors(struct vc4vk_descriptor_pool *pool, const struct vc4vk_set_size *size)
{
    for (uint32_t t = 0; t < VC4VK_DESCRIPTOR_TYPES; t++)
        *(is_spare_type(pool, t) ? &pool->free_spares : &pool->free_counts[t]) += size->type_counts[t];
    pool->free_sets++;
}

static uint64_t set_size_B(uint64_t entries, uint64_t buffers)
{
    return util_align64(sizeof(struct vc4vk_set) + (entries + buffers) * sizeof(int32_t), VC4VK_SET_HEAP_ALIGN_B);
}

void vc4vk_set_fill(struct vc4vk_set *set, struct vc4vk_set_layout *layout, struct vc4vk_state_pool *states)
{
    vc4vk_object_init(&set->base, VK_OBJECT_TYPE_DESCRIPTOR_SET);
    set->states = states;
    set->layout = layout;
    set->dynamic_count = layout->dynamic_count;
    memset(set->entries, 0, set->entry_count * sizeof *set->entries);
    for (uint32_t i = 0; i < layout->binding_count; i++) {
        const struct vc4vk_set_binding *b = &layout->bindings[i];
        for (uint32_t e = 0; b->immutable && e < vc4vk_set_binding_count(set, i); e++)
            set->entries[vc4vk_set_layout_entry(layout, i, e, VC4VK_PART_SAMPLER)] = b->immutable[e];
    }
}

/* Points the buffer states of inline uniform blocks to their bytes. */
static void fill_inline_blocks(struct vc4vk_set *set)
{
    struct vc4vk_descriptor_pool *pool = set->pool;
    for (uint32_t i = 0; i < set->layout->binding_count && set->inline_map; i++) {
        const struct vc4vk_set_binding *b = &set->layout->bindings[i];
        if (!b->inline_B)
            continue;
        struct vc4vk_surface_state *state = vc4vk_state_ptr(set->states, set->buffer_states[b->first_buffer]);
        state->kind = VC4VK_STATE_BUFFER;
        state->buffer = (struct vc4vk_buffer_state){
            .bo = pool->inline_bo,
            .base_B = (uint32_t)(set->inline_map - pool->inline_heap.memory) + b->first_inline_B,
            .size_B = vc4vk_set_binding_count(set, i),
        };
        set->entries[b->first_entry] = set->buffer_states[b->first_buffer];
    }
}

static struct vc4vk_set_size size_of_set(const struct vc4vk_set *set)
{
    return vc4vk_set_layout_size(set->layout, set->variable_count);
}

/* Takes the set's memory. NULL: no contiguous space is left. */
static struct vc4vk_set *take_memory(struct vc4vk_descriptor_pool *pool, const struct vc4vk_set_size *size)
{
    const uint32_t size_B = (uint32_t)set_size_B(size->entry_count, size->buffer_count);
    struct vc4vk_set *set = vc4vk_set_heap_take(&pool->heap, size_B);
    if (!set)
        return NULL;
    set->inline_map = NULL;
    set->arrays = NULL;
    set->in_buffer = NULL;
    if (size->inline_B && pool->inline_bo) {
        set->inline_map = vc4vk_set_heap_take(&pool->inline_heap, size->inline_B);
        if (!set->inline_map) {
            vc4vk_set_heap_put(&pool->heap, set, size_B);
            return NULL;
        }
        memset(set->inline_map, 0, size->inline_B);
    }
    return set;
}

static void destroy_set(struct vc4vk_set *set)
{
    struct vc4vk_descriptor_pool *pool = set->pool;
    struct vc4vk_set_layout *layout = set->layout;
    const struct vc4vk_set_size size = size_of_set(set);
    put_descriptors(pool, &size);
    for (uint32_t i = size.buffer_count; i-- > 0;)
        pool->buffers.free[pool->buffers.free_count++] = set->buffer_states[i];
    vc4vk_set_arrays_destroy(set);
    if (set->inline_map)
        vc4vk_set_heap_put(&pool->inline_heap, set->inline_map, size.inline_B);
    vc4vk_set_heap_put(&pool->heap, set, (uint32_t)set_size_B(size.entry_count, size.buffer_count));
    drop_layout(pool, layout);
}

static VkResult create_set(struct vc4vk_descriptor_pool *pool, struct vc4vk_set_layout *layout, uint32_t variable_count,
                           struct vc4vk_set **out)
{
    const struct vc4vk_set_size size = vc4vk_set_layout_size(layout, variable_count);
    if (layout->kind == VC4VK_SET_IN_BUFFER || layout->kind == VC4VK_SET_EMBEDDED)
        return vc4vk_errorf(pool, VK_ERROR_UNKNOWN,
                            "descriptor set: the layout is for descriptor buffers, not for pools");
    if (!has_free_descriptors(pool, &size))
        return VK_ERROR_OUT_OF_POOL_MEMORY;
    if (!ensure_buffer_states(pool, size.buffer_count))
        return vc4vk_errorf(pool, VK_ERROR_OUT_OF_DEVICE_MEMORY, "descriptor set: the block pool is full");
    struct vc4vk_pool_layout *row = ensure_layout(pool, layout);
    if (!row)
        return vc4vk_oom(pool);
    row->sets++;
    struct vc4vk_set *set = take_memory(pool, &size);
    if (!set) {
        drop_layout(pool, layout);
        return VK_ERROR_FRAGMENTED_POOL;
    }
    take_descriptors(pool, &size);
    set->pool = pool;
    set->entry_count = size.entry_count;
    set->variable_count = size.variable_count;
    set->entries = (int32_t *)(set + 1);
    set->buffer_states = set->entries + size.entry_count;
    for (uint32_t i = 0; i < size.buffer_count; i++)
        set->buffer_states[i] = take_buffer_state(&pool->buffers);
    vc4vk_set_fill(set, layout, pool->states);
    fill_inline_blocks(set);
    VkResult result = vc4vk_set_arrays_create(set, size.memory_B);
    if (result == VK_SUCCESS)
        *out = set;
    else
        destroy_set(set);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_AllocateDescriptorSets(VkDevice _device,
                                                            const VkDescriptorSetAllocateInfo *pAllocateInfo,
                                                            VkDescriptorSet *pDescriptorSets)
{
    VC4VK_FROM_HANDLE(vc4vk_descriptor_pool, pool, pAllocateInfo->descriptorPool);
    const VkDescriptorSetVariableDescriptorCountAllocateInfo *counts = vc4vk_find_in_chain(
        pAllocateInfo->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
    VkResult result = VK_SUCCESS;
    uint32_t made = 0;
    while (made < pAllocateInfo->descriptorSetCount && result == VK_SUCCESS) {
        struct vc4vk_set *set = NULL;
        const uint32_t count = counts && made < counts->descriptorSetCount ? counts->pDescriptorCounts[made] : 0;
        result = create_set(pool, vc4vk_set_layout_from_handle(pAllocateInfo->pSetLayouts[made]), count, &set);
        if (result == VK_SUCCESS)
            pDescriptorSets[made++] = vc4vk_set_to_handle(set);
    }
    if (result == VK_SUCCESS)
        return VK_SUCCESS;
    while (made > 0)
        destroy_set(vc4vk_set_from_handle(pDescriptorSets[--made]));
    for (uint32_t i = 0; i < pAllocateInfo->descriptorSetCount; i++)
        pDescriptorSets[i] = VK_NULL_HANDLE;
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_FreeDescriptorSets(VkDevice _device, VkDescriptorPool descriptorPool,
                                                        uint32_t descriptorSetCount,
                                                        const VkDescriptorSet *pDescriptorSets)
{
    for (uint32_t i = 0; i < descriptorSetCount; i++)
        if (pDescriptorSets[i]) {
            struct vc4vk_set *set = vc4vk_set_from_handle(pDescriptorSets[i]);
            vc4vk_private_data_forget(vc4vk_device_from_handle(_device), &set->base.private_number);
            destroy_set(set);
        }
    return VK_SUCCESS;
}

/* -- pools -------------------------------------------------------------------------------------------------------- */

/* Frees all sets at once. The cost depends on the number of distinct layouts, not on the number of sets. */
static void free_all_sets(struct vc4vk_descriptor_pool *pool)
{
    for (uint32_t i = 0; i < pool->layout_count; i++)
        vc4vk_set_layout_unref(pool->device, pool->layouts[i].layout);
    pool->layout_count = 0;
    vc4vk_set_arrays_destroy_all(pool);
    pool->free_sets = pool->free_spares = pool->max_sets;
    memcpy(pool->free_counts, pool->max_counts, sizeof pool->free_counts);
    pool->buffers.next = pool->buffers.free_count = 0;
    vc4vk_set_heap_reset(&pool->heap);
    vc4vk_set_heap_reset(&pool->inline_heap);
}

/* Creates the memory for `bytes` bytes of inline uniform blocks, each of which may need more to be aligned. */
static VkResult create_inline_memory(struct vc4vk_device *device, struct vc4vk_descriptor_pool *pool,
                                     const VkDescriptorPoolCreateInfo *info, uint64_t bytes)
{
    const VkDescriptorPoolInlineUniformBlockCreateInfo *blocks = vc4vk_find_in_chain(
        info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO);
    const uint64_t block_count = (uint64_t)info->maxSets + (blocks ? blocks->maxInlineUniformBlockBindings : 0);
    const uint64_t size_B = util_align64(bytes, VC4VK_INLINE_ALIGN_B) + block_count * VC4VK_INLINE_ALIGN_B;
    if (!bytes)
        return VK_SUCCESS;
    if (size_B > INT32_MAX || kmd_bo_create(device->kmd, size_B, "inline uniform blocks", &pool->inline_bo))
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                            "descriptor pool: %" PRIu64 " B of inline uniform blocks cannot be allocated", size_B);
    pool->inline_heap.memory = kmd_bo_map(pool->inline_bo);
    pool->inline_heap.size_B = (uint32_t)size_B;
    return pool->inline_heap.memory ? VK_SUCCESS
                                    : vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                                   "descriptor pool: inline uniform blocks cannot be mapped");
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateDescriptorPool(VkDevice _device,
                                                          const VkDescriptorPoolCreateInfo *pCreateInfo,
                                                          const VkAllocationCallbacks *pAllocator,
                                                          VkDescriptorPool *pDescriptorPool)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(device->alloc, pAllocator);
    struct vc4vk_state_pool *states;
    VkResult result = vc4vk_device_state_pool(device, &states);
    if (result != VK_SUCCESS)
        return result;
    const uint64_t spares = pCreateInfo->maxSets;
    uint64_t entries = spares * VC4VK_PLANAR_ENTRIES, buffers = spares, inline_B = 0;
    for (uint32_t i = 0; i < pCreateInfo->poolSizeCount; i++) {
        const VkDescriptorPoolSize *size = &pCreateInfo->pPoolSizes[i];
        uint64_t count = size->descriptorCount;
        if (vc4vk_descriptor_type_index(size->type) == VC4VK_NO_TYPE)
            continue; /* layouts cannot have unknown types */
        if (size->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
            inline_B += count;
            count = count / 4; /* the smallest block has four bytes */
        }
        entries += count * vc4vk_descriptor_max_entries(size->type);
        buffers += vc4vk_descriptor_owns_state(size->type) ? count : 0;
    }
    uint64_t heap_B = pCreateInfo->maxSets * (set_size_B(0, 0) + VC4VK_SET_HEAP_ALIGN_B) + 4 * (entries + buffers);
    if (heap_B > INT32_MAX)
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_HOST_MEMORY,
                            "descriptor pool of %u sets: %" PRIu64 " B needed, at most 2 GiB are supported",
                            pCreateInfo->maxSets, heap_B);

    struct vc4vk_descriptor_pool *pool;
    struct vc4vk_set *heap;
    struct vc4vk_state *chunks;
    int32_t *free_buffers;
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &pool, 1);
    vc4vk_multialloc_add(&ma, &heap, (size_t)heap_B / sizeof *heap + 2); /* the excess leaves space to align it */
    vc4vk_multialloc_add(&ma, &chunks, (size_t)(buffers + CHUNK_STATES - 1) / CHUNK_STATES);
    vc4vk_multialloc_add(&ma, &free_buffers, (size_t)buffers);
    if (!vc4vk_multialloc_alloc(&ma, alloc, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT))
        return vc4vk_oom(device);
    vc4vk_object_init(&pool->base, VK_OBJECT_TYPE_DESCRIPTOR_POOL);
    pool->device = device;
    pool->states = states;
    pool->max_sets = pCreateInfo->maxSets;
    for (uint32_t i = 0; i < pCreateInfo->poolSizeCount; i++)
        if (vc4vk_descriptor_type_index(pCreateInfo->pPoolSizes[i].type) != VC4VK_NO_TYPE)
            pool->max_counts[vc4vk_descriptor_type_index(pCreateInfo->pPoolSizes[i].type)] +=
                pCreateInfo->pPoolSizes[i].descriptorCount;
    pool->heap.memory = (uint8_t *)(uintptr_t)util_align64((uintptr_t)heap, VC4VK_SET_HEAP_ALIGN_B);
    pool->heap.size_B = (uint32_t)heap_B;
    pool->buffers = (struct vc4vk_pool_buffers){.chunks = chunks, .count = (uint32_t)buffers, .free = free_buffers};
    if (alloc) {
        pool->alloc_storage = *alloc;
        pool->alloc = &pool->alloc_storage;
    }
    util_list_init(&pool->arrays);
    free_all_sets(pool);
    result = create_inline_memory(device, pool, pCreateInfo, inline_B);
    if (result != VK_SUCCESS) {
        kmd_bo_unref(pool->inline_bo);
        vc4vk_free_self(pool->alloc, pAllocator, pool);
        return result;
    }
    *pDescriptorPool = vc4vk_descriptor_pool_to_handle(pool);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyDescriptorPool(VkDevice _device, VkDescriptorPool descriptorPool,
                                                       const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_descriptor_pool, pool, descriptorPool);
    if (!pool)
        return;
    free_all_sets(pool);
    for (uint32_t i = 0; i < pool->buffers.chunk_count; i++)
        vc4vk_state_put(pool->states, pool->buffers.chunks[i]);
    kmd_bo_unref(pool->inline_bo);
    vc4vk_free(pool->alloc, pool->layouts);
    vc4vk_free_self(pool->alloc, pAllocator, pool);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_ResetDescriptorPool(VkDevice _device, VkDescriptorPool descriptorPool,
                                                         VkDescriptorPoolResetFlags flags)
{
    free_all_sets(vc4vk_descriptor_pool_from_handle(descriptorPool));
    return VK_SUCCESS;
}
