/* SPDX-License-Identifier: MIT
 *
 * Arrays of descriptors in memory of sets: which bindings have them, what writes and copies store, how tables lead to
 * them, limits, and allocations that fail.
 */
#include "descriptor/vc4vk_binding_table.h"
#include "descriptor/vc4vk_view.h"
#include "harness.h"
#include "kmd/kmd_backend.h"
#include "util/log.h"

#define FREE VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT

static void discard_log(void *data, enum util_log_level level, const char *line)
{
}

/* Bindings and their flags, at most MAX_BINDINGS. */
#define MAX_BINDINGS 700u
static VkResult create_layout(const struct harness *h, const VkDescriptorSetLayoutBinding *bindings, uint32_t count,
                              const VkDescriptorBindingFlags *flags, VkDescriptorSetLayoutCreateFlags layout_flags,
                              const VkAllocationCallbacks *alloc, VkDescriptorSetLayout *out)
{
    const VkDescriptorSetLayoutBindingFlagsCreateInfo flag_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = count,
        .pBindingFlags = flags};
    const VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .pNext = &flag_info,
                                                  .flags = layout_flags,
                                                  .bindingCount = count,
                                                  .pBindings = bindings};
    return vc4vk_CreateDescriptorSetLayout(h->device, &info, alloc, out);
}

static VkResult create_pool(const struct harness *h, uint32_t sets, const VkDescriptorPoolSize *sizes, uint32_t count,
                            const VkAllocationCallbacks *alloc, VkDescriptorPool *out)
{
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                             .maxSets = sets,
                                             .poolSizeCount = count,
                                             .pPoolSizes = sizes};
    return vc4vk_CreateDescriptorPool(h->device, &info, alloc, out);
}

static VkResult allocate(const struct harness *h, VkDescriptorPool pool, VkDescriptorSetLayout layout,
                         const uint32_t *variable, VkDescriptorSet *out)
{
    const VkDescriptorSetVariableDescriptorCountAllocateInfo counts = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
        .descriptorSetCount = 1,
        .pDescriptorCounts = variable};
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .pNext = variable ? &counts : NULL,
                                              .descriptorPool = pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &layout};
    return vc4vk_AllocateDescriptorSets(h->device, &info, out);
}

static struct vc4vk_state_pool *states_of(const struct harness *h)
{
    struct vc4vk_state_pool *pool;
    assert_int_equal(vc4vk_device_state_pool(vc4vk_device_from_handle(h->device), &pool), VK_SUCCESS);
    return pool;
}

/* ---------------------------------------------------------------- layouts */

static void placement(void **state)
{
    const struct harness *h = *state;
    static const struct row {
        VkDescriptorType type;
        uint32_t count;
        VkDescriptorBindingFlags flags;
        uint32_t memory_B;
    } rows[] = {
        {VK_DESCRIPTOR_TYPE_SAMPLER, 3, FREE, 52},
        {VK_DESCRIPTOR_TYPE_SAMPLER, 3, 0, 0},
        {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 256, 0, 0},
        {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 257, 0, 132},
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT, 184},
        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 2, VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT, 40},
        {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 2, FREE, 132},
        {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 2, FREE, 40},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2, FREE, 40},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2, FREE, 0},
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 2, FREE, 0},
        {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 2, FREE, 0},
        {VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 2, FREE, 224},
        {VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 16, FREE, 0},
        {VK_DESCRIPTOR_TYPE_SAMPLER, 0, FREE, 0},
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 5, VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT, 40},
    };
    VkDescriptorSetLayoutBinding bindings[ARRAY_SIZE(rows)];
    VkDescriptorBindingFlags flags[ARRAY_SIZE(rows)];
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){i, rows[i].type, rows[i].count, VK_SHADER_STAGE_ALL, NULL};
        flags[i] = rows[i].flags;
    }
    VkDescriptorSetLayout layout;
    assert_int_equal(create_layout(h, bindings, ARRAY_SIZE(rows), flags, 0, NULL, &layout), VK_SUCCESS);
    const struct vc4vk_set_layout *l = vc4vk_set_layout_from_handle(layout);
    uint64_t end_B = 0;
    uint32_t arrays = 0;
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct vc4vk_set_binding *b = &l->bindings[i];
        struct vc4vk_table_slot slot;
        assert_int_equal(b->memory_B, rows[i].memory_B);
        assert_int_equal(vc4vk_table_slot_init(&slot, l, 0, i, 0, VC4VK_PART_ARRAY), b->memory_B > 0);
        if (!b->memory_B)
            continue;
        assert_int_equal(slot.entry, VC4VK_ARRAY_ENTRY | arrays);
        assert_int_equal(b->array, arrays++);
        assert_true(b->first_memory_B >= end_B);
        end_B = b->first_memory_B + (uint64_t)b->count * b->memory_B;
    }
    assert_int_equal(l->array_count, arrays);
    assert_true(l->memory_B >= end_B);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);

    /* Push descriptors are recorded into command buffers. */
    assert_int_equal(
        create_layout(h, bindings, 1, flags, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR, NULL, &layout),
        VK_SUCCESS);
    assert_int_equal(vc4vk_set_layout_from_handle(layout)->array_count, 0);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
}

/* ---------------------------------------------------------------- contents */

static const void *element(VkDescriptorSet handle, uint32_t binding, uint32_t i)
{
    const struct vc4vk_set *set = vc4vk_set_from_handle(handle);
    const struct vc4vk_set_binding *b = &set->layout->bindings[binding];
    return set->arrays->map + b->first_memory_B + i * b->memory_B;
}

static void write(const struct harness *h, VkDescriptorSet set, uint32_t binding, uint32_t i, VkDescriptorType type,
                  VkSampler sampler, VkBuffer buffer)
{
    const VkDescriptorImageInfo image = {sampler, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL};
    const VkDescriptorBufferInfo info = {buffer, 256, 100};
    const VkWriteDescriptorSet w = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                    .dstSet = set,
                                    .dstBinding = binding,
                                    .dstArrayElement = i,
                                    .descriptorCount = 1,
                                    .descriptorType = type,
                                    .pImageInfo = &image,
                                    .pBufferInfo = &info};
    vc4vk_UpdateDescriptorSets(h->device, 1, &w, 0, NULL);
}

static void copy(const struct harness *h, VkDescriptorSet set, uint32_t from_binding, uint32_t from,
                 uint32_t to_binding, uint32_t to)
{
    const VkCopyDescriptorSet c = {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                   .srcSet = set,
                                   .srcBinding = from_binding,
                                   .srcArrayElement = from,
                                   .dstSet = set,
                                   .dstBinding = to_binding,
                                   .dstArrayElement = to,
                                   .descriptorCount = 1};
    vc4vk_UpdateDescriptorSets(h->device, 0, NULL, 1, &c);
}

static bool is_zero(const void *p, uint32_t size_B)
{
    const uint8_t *bytes = p;
    bool is = true;
    for (uint32_t i = 0; i < size_B; i++)
        is &= !bytes[i];
    return is;
}

static void contents(void **state)
{
    const struct harness *h = *state;
    VkDeviceMemory memory;
    VkBuffer buffer = harness_buffer(h, 4096, &memory);
    const VkSamplerCreateInfo sampler_info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .maxLod = 3};
    VkSampler sampler;
    assert_int_equal(vc4vk_CreateSampler(h->device, &sampler_info, NULL, &sampler), VK_SUCCESS);
    const VkSampler fixed[2] = {sampler, sampler};
    const VkDescriptorType combined = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                           storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    const VkDescriptorSetLayoutBinding bindings[] = {{0, storage, 3, VK_SHADER_STAGE_ALL, NULL},
                                                     {1, storage, 2, VK_SHADER_STAGE_ALL, NULL},
                                                     {2, VK_DESCRIPTOR_TYPE_SAMPLER, 2, VK_SHADER_STAGE_ALL, NULL},
                                                     {3, combined, 2, VK_SHADER_STAGE_ALL, fixed},
                                                     {4, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 2, VK_SHADER_STAGE_ALL, NULL},
                                                     {5, storage, 100, VK_SHADER_STAGE_ALL, NULL}};
    const VkDescriptorBindingFlags flags[] = {FREE, 0,    FREE,
                                              FREE, FREE, VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT};
    const VkDescriptorPoolSize sizes[] = {
        {storage, 12}, {VK_DESCRIPTOR_TYPE_SAMPLER, 2}, {combined, 2}, {VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 2}};
    const uint32_t variable = 4;
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    assert_int_equal(create_layout(h, bindings, 6, flags, 0, NULL, &layout), VK_SUCCESS);
    assert_int_equal(create_pool(h, 1, sizes, 4, NULL, &pool), VK_SUCCESS);
    const uint64_t live = atomic_load(&states_of(h)->live);
    assert_int_equal(allocate(h, pool, layout, &variable, &set), VK_SUCCESS);

    /* All is null, except immutable samplers. */
    assert_true(is_zero(element(set, 0, 0), 3 * 40));
    assert_true(is_zero(element(set, 5, 0), 4 * 40));
    const struct hw_sampler_descriptor *s = (const void *)((const uint8_t *)element(set, 3, 1) + HW_SAMPLER_OFFSET_B);
    assert_true(is_zero(element(set, 3, 1), HW_SAMPLER_OFFSET_B));
    assert_float_equal(s->lod_max, 3, 0);

    write(h, set, 0, 1, storage, VK_NULL_HANDLE, buffer);
    const struct hw_engine_descriptor *d = element(set, 0, 1);
    assert_int_equal(d->size_B, 100);
    assert_int_equal(d->limit_B, 100);
    assert_int_not_equal(d->address, 0);
    assert_true(is_zero(element(set, 0, 0), 40) && is_zero(element(set, 0, 2), 40));
    const uint32_t address = d->address;

    /* To an ordinary binding and from there to another element. */
    copy(h, set, 0, 1, 1, 1);
    copy(h, set, 1, 1, 0, 2);
    d = element(set, 0, 2);
    assert_int_equal(d->address, address);
    copy(h, set, 0, 0, 0, 1); /* a null descriptor */
    assert_true(is_zero(element(set, 0, 1), 40));
    copy(h, set, 0, 2, 4, 0); /* to a mutable one */
    d = (const void *)((const uint8_t *)element(set, 4, 0) + HW_ENGINE_OFFSET_B);
    assert_int_equal(d->address, address);
    write(h, set, 0, 2, storage, VK_NULL_HANDLE, VK_NULL_HANDLE);
    assert_true(is_zero(element(set, 0, 2), 40));

    write(h, set, 2, 1, VK_DESCRIPTOR_TYPE_SAMPLER, sampler, VK_NULL_HANDLE);
    s = element(set, 2, 1);
    assert_float_equal(s->lod_max, 3, 0);
    copy(h, set, 2, 1, 4, 1); /* behind the place of a view */
    s = (const void *)((const uint8_t *)element(set, 4, 1) + HW_SAMPLER_OFFSET_B);
    assert_float_equal(s->lod_max, 3, 0);
    copy(h, set, 4, 1, 2, 0);
    s = element(set, 2, 0);
    assert_float_equal(s->lod_max, 3, 0);
    write(h, set, 3, 0, combined, VK_NULL_HANDLE, VK_NULL_HANDLE); /* keeps the immutable sampler */
    s = (const void *)((const uint8_t *)element(set, 3, 0) + HW_SAMPLER_OFFSET_B);
    assert_float_equal(s->lod_max, 3, 0);

    /* The table has a buffer of as many descriptors as the set has. */
    struct vc4vk_table_slot slots[2];
    struct vc4vk_table_writer writer;
    struct vc4vk_binding_table table;
    const struct vc4vk_bound_set bound = {vc4vk_set_from_handle(set), NULL};
    assert_true(vc4vk_table_slot_init(&slots[0], bound.set->layout, 0, 5, 0, VC4VK_PART_ARRAY));
    assert_true(
        vc4vk_table_slot_init(&slots[1], bound.set->layout, 1, 5, 0, VC4VK_PART_ARRAY)); /* no such set is bound */
    assert_int_equal(vc4vk_table_writer_init(&writer, vc4vk_device_from_handle(h->device)), VK_SUCCESS);
    assert_int_equal(vc4vk_binding_table_write(&writer, slots, 2, &bound, 1, &table), VK_SUCCESS);
    const struct vc4vk_surface_state *state_of = vc4vk_binding_table_resolve(writer.pool, &table, 0);
    assert_int_equal(state_of->kind, VC4VK_STATE_BUFFER);
    assert_int_equal(state_of->buffer.texels, 4);
    assert_int_equal(state_of->buffer.size_B, 4 * 40);
    assert_ptr_equal(state_of->buffer.bo, bound.set->arrays->bo);
    assert_int_equal(state_of->buffer.base_B, bound.set->layout->bindings[5].first_memory_B);
    assert_int_equal(vc4vk_binding_table_resolve(writer.pool, &table, 1)->kind, VC4VK_STATE_NULL);
    vc4vk_table_writer_finish(&writer);

    /* The count of the set, not of the layout, is the end. */
    write(h, set, 5, 3, storage, VK_NULL_HANDLE, buffer);
    write(h, set, 5, 4, storage, VK_NULL_HANDLE, buffer);
    d = element(set, 5, 3);
    assert_int_equal(d->address, address);

    assert_int_equal(vc4vk_ResetDescriptorPool(h->device, pool, 0), VK_SUCCESS);
    assert_int_equal(allocate(h, pool, layout, &variable, &set), VK_SUCCESS);
    assert_true(is_zero(element(set, 5, 3), 40));
    assert_int_equal(vc4vk_FreeDescriptorSets(h->device, pool, 1, &set), VK_SUCCESS);
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    assert_true(atomic_load(&states_of(h)->live) <= live);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
    vc4vk_DestroySampler(h->device, sampler, NULL);
    harness_buffer_destroy(h, buffer, memory);
}

/* A mutable element of a binding table does not tell its type. */
static void mutable_elements_are_copied(void **state)
{
    const struct harness *h = *state;
    const VkDescriptorType storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, mutable = VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
    VkDeviceMemory memory;
    VkBuffer buffer = harness_buffer(h, 4096, &memory);
    const VkSamplerCreateInfo sampler_info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .maxLod = 3};
    VkSampler sampler;
    assert_int_equal(vc4vk_CreateSampler(h->device, &sampler_info, NULL, &sampler), VK_SUCCESS);
    const VkDescriptorSetLayoutBinding bindings[] = {{0, mutable, 2, VK_SHADER_STAGE_ALL, NULL},
                                                     {1, mutable, 2, VK_SHADER_STAGE_ALL, NULL},
                                                     {2, storage, 1, VK_SHADER_STAGE_ALL, NULL},
                                                     {3, VK_DESCRIPTOR_TYPE_SAMPLER, 1, VK_SHADER_STAGE_ALL, NULL}};
    const VkDescriptorBindingFlags flags[] = {0, FREE, FREE, FREE};
    const VkDescriptorPoolSize sizes[] = {{mutable, 4}, {storage, 1}, {VK_DESCRIPTOR_TYPE_SAMPLER, 1}};
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    assert_int_equal(create_layout(h, bindings, 4, flags, 0, NULL, &layout), VK_SUCCESS);
    assert_int_equal(create_pool(h, 1, sizes, 3, NULL, &pool), VK_SUCCESS);
    assert_int_equal(allocate(h, pool, layout, NULL, &set), VK_SUCCESS);
    write(h, set, 0, 0, storage, VK_NULL_HANDLE, buffer);
    write(h, set, 0, 1, VK_DESCRIPTOR_TYPE_SAMPLER, sampler, VK_NULL_HANDLE);
    for (uint32_t i = 0; i < 2; i++) {
        copy(h, set, 0, i, 1, i);
        copy(h, set, 1, i, 2 + i, 0);
    }
    const struct hw_engine_descriptor *d = element(set, 2, 0);
    assert_int_equal(d->size_B, 100);
    assert_memory_equal((const uint8_t *)element(set, 1, 0) + HW_ENGINE_OFFSET_B, d, sizeof *d);
    const struct hw_sampler_descriptor *s = element(set, 3, 0);
    assert_float_equal(s->lod_max, 3, 0);
    assert_memory_equal((const uint8_t *)element(set, 1, 1) + HW_SAMPLER_OFFSET_B, s, sizeof *s);
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
    vc4vk_DestroySampler(h->device, sampler, NULL);
    harness_buffer_destroy(h, buffer, memory);
}

/* ---------------------------------------------------------------- dynamic buffers */

#define OWN_BO_B (2u * KMD_PART_MAX_B) /* such memory shares no BO */

static struct kmd_bo *bo_of(VkBuffer buffer)
{
    return vc4vk_buffer_from_handle(buffer)->bo;
}

static int refs_of(const struct kmd_bo *bo)
{
    return (int)atomic_load(&bo->refs);
}

/* A set holds the memory of partially bound ones: tables still lead to it when the application has freed it. */
static void dynamic_buffers_are_held(void **state)
{
    const struct harness *h = *state;
    const VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    const VkDescriptorSetLayoutBinding bindings[] = {{0, type, 1, VK_SHADER_STAGE_ALL, NULL},
                                                     {1, type, 2, VK_SHADER_STAGE_ALL, NULL}};
    const VkDescriptorBindingFlags flags[] = {0, FREE};
    const VkDescriptorPoolSize size = {type, 3};
    VkDeviceMemory memory[2];
    const VkBuffer buffers[2] = {harness_buffer(h, OWN_BO_B, &memory[0]), harness_buffer(h, OWN_BO_B, &memory[1])};
    struct kmd_bo *bo = bo_of(buffers[0]), *other = bo_of(buffers[1]);
    const int before = refs_of(bo), other_before = refs_of(other);
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    assert_ptr_not_equal(bo, other);
    assert_int_equal(create_layout(h, bindings, 2, flags, 0, NULL, &layout), VK_SUCCESS);
    assert_int_equal(create_pool(h, 1, &size, 1, NULL, &pool), VK_SUCCESS);
    assert_int_equal(allocate(h, pool, layout, NULL, &set), VK_SUCCESS);
    write(h, set, 1, 1, type, VK_NULL_HANDLE, buffers[0]);
    assert_int_equal(refs_of(bo), before + 1);
    write(h, set, 1, 1, type, VK_NULL_HANDLE, buffers[1]);
    assert_int_equal(refs_of(bo), before);
    copy(h, set, 1, 1, 1, 0);
    assert_int_equal(refs_of(other), other_before + 2);
    write(h, set, 1, 1, type, VK_NULL_HANDLE, VK_NULL_HANDLE);
    assert_int_equal(refs_of(other), other_before + 1);
    harness_buffer_destroy(h, buffers[1], memory[1]);
    assert_int_equal(refs_of(other), 1);
    write(h, set, 1, 0, type, VK_NULL_HANDLE, buffers[0]);
    assert_int_equal(vc4vk_ResetDescriptorPool(h->device, pool, 0), VK_SUCCESS);
    assert_int_equal(refs_of(bo), before);
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
    harness_buffer_destroy(h, buffers[0], memory[0]);
}

/* ---------------------------------------------------------------- limits */

/* More arrays than have their surface states in one allocation. */
static void many_arrays(void **state)
{
    const struct harness *h = *state;
    static VkDescriptorSetLayoutBinding bindings[MAX_BINDINGS];
    static VkDescriptorBindingFlags flags[MAX_BINDINGS];
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_SAMPLER, MAX_BINDINGS};
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet handle;
    for (uint32_t i = 0; i < MAX_BINDINGS; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_SAMPLER, 1, VK_SHADER_STAGE_ALL, NULL};
        flags[i] = FREE;
    }
    const uint64_t live = atomic_load(&states_of(h)->live);
    assert_int_equal(create_layout(h, bindings, MAX_BINDINGS, flags, 0, NULL, &layout), VK_SUCCESS);
    assert_int_equal(create_pool(h, 1, &size, 1, NULL, &pool), VK_SUCCESS);
    assert_int_equal(allocate(h, pool, layout, NULL, &handle), VK_SUCCESS);
    const struct vc4vk_set *set = vc4vk_set_from_handle(handle);
    for (uint32_t i = 0; i < MAX_BINDINGS; i++) {
        const struct vc4vk_surface_state *s =
            vc4vk_state_ptr(set->states, vc4vk_set_array_state(set, VC4VK_ARRAY_ENTRY | i));
        assert_int_equal(s->kind, VC4VK_STATE_BUFFER);
        assert_int_equal(s->buffer.base_B, set->layout->bindings[i].first_memory_B);
    }
    assert_int_equal(vc4vk_set_array_state(set, VC4VK_ARRAY_ENTRY | MAX_BINDINGS), 0);
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
    assert_int_equal(atomic_load(&states_of(h)->live), live);
}

/* More descriptors than can be in memory. The pool can be used afterwards. */
static void too_large(void **state)
{
    const struct harness *h = *state;
    const uint32_t most = 1u << 23, few = 3;
    const VkDescriptorType type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    const VkDescriptorSetLayoutBinding binding = {0, type, most, VK_SHADER_STAGE_ALL, NULL};
    const VkDescriptorBindingFlags flags = FREE | VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    const VkDescriptorPoolSize size = {type, most};
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    const uint64_t live = atomic_load(&states_of(h)->live);
    assert_int_equal(create_layout(h, &binding, 1, &flags, 0, NULL, &layout), VK_SUCCESS);
    assert_int_equal(create_pool(h, 1, &size, 1, NULL, &pool), VK_SUCCESS);
    util_log_set_sink(discard_log, NULL);
    assert_int_equal(allocate(h, pool, layout, &most, &set), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    util_log_set_sink(NULL, NULL);
    assert_null(set);
    assert_int_equal(atomic_load(&states_of(h)->live), live);
    assert_int_equal(allocate(h, pool, layout, &few, &set), VK_SUCCESS);
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
}

/* ---------------------------------------------------------------- allocation failures */

static VkResult create_set(const struct harness *h, const VkAllocationCallbacks *alloc)
{
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3, VK_SHADER_STAGE_ALL, NULL};
    const VkDescriptorBindingFlags flags = FREE;
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3};
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorSet set;
    VkResult result = create_layout(h, &binding, 1, &flags, 0, alloc, &layout);
    if (result == VK_SUCCESS)
        result = create_pool(h, 1, &size, 1, alloc, &pool);
    if (result == VK_SUCCESS)
        result = allocate(h, pool, layout, NULL, &set);
    vc4vk_DestroyDescriptorPool(h->device, pool, alloc);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, alloc);
    return result;
}

/* Fails the n-th allocation after device creation, for each n. */
static void every_allocation_may_fail(void **state)
{
    const struct harness *h = *state;
    struct harness_counter c = {.budget = -1};
    const VkAllocationCallbacks alloc = harness_counting_alloc(&c);
    const VkDeviceQueueCreateInfo queue_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = (float[]){1}};
    const VkDeviceCreateInfo device_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
    struct harness own = *h;
    assert_int_equal(vc4vk_CreateDevice(h->physical, &device_info, &alloc, &own.device), VK_SUCCESS);
    const int live = c.live;
    int n = 0;
    util_log_set_sink(discard_log, NULL);
    for (VkResult result = VK_NOT_READY; result != VK_SUCCESS; n++) {
        c.budget = n;
        result = create_set(&own, &alloc);
        assert_true(result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY);
        c.budget = -1;
        struct vc4vk_state_pool *states =
            vc4vk_device_slot_peek(vc4vk_device_from_handle(own.device), VC4VK_SLOT_DESCRIPTOR);
        assert_true(!states || atomic_load(&states->live) == 0);
        assert_int_equal(c.live, live);
    }
    util_log_set_sink(NULL, NULL);
    assert_true(n > 3); /* layout, pool, its list of layouts, the set's arrays */
    vc4vk_DestroyDevice(own.device, &alloc);
    assert_int_equal(c.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placement),
        cmocka_unit_test(contents),
        cmocka_unit_test(mutable_elements_are_copied),
        cmocka_unit_test(dynamic_buffers_are_held),
        cmocka_unit_test(many_arrays),
        cmocka_unit_test(too_large),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("arrays", tests, harness_set_up, harness_tear_down);
}
