/* SPDX-License-Identifier: MIT
 *
 * Descriptor set layouts, pools and sets: numbering of entries, exact pool accounting, updates that continue in the
 * next binding, copies. Also the binding tables written from sets.
 */
#include "descriptor/vc4vk_binding_table.h"
#include "descriptor/vc4vk_view.h"
#include "harness.h"
#include "util/log.h"

static VkDescriptorSetLayout make_layout(const struct harness *h, const VkDescriptorSetLayoutBinding *bindings,
                                         uint32_t count)
{
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = bindings};
    VkDescriptorSetLayout layout;
    assert_int_equal(vc4vk_CreateDescriptorSetLayout(h->device, &info, NULL, &layout), VK_SUCCESS);
    return layout;
}

static VkDescriptorPool make_pool(const struct harness *h, uint32_t sets, const VkDescriptorPoolSize *sizes,
                                  uint32_t count)
{
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                             .maxSets = sets,
                                             .poolSizeCount = count,
                                             .pPoolSizes = sizes};
    VkDescriptorPool pool;
    assert_int_equal(vc4vk_CreateDescriptorPool(h->device, &info, NULL, &pool), VK_SUCCESS);
    return pool;
}

static VkResult allocate(const struct harness *h, VkDescriptorPool pool, VkDescriptorSetLayout layout, uint32_t count,
                         VkDescriptorSet *out)
{
    VkDescriptorSetLayout layouts[16];
    for (uint32_t i = 0; i < count; i++)
        layouts[i] = layout;
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = pool,
                                              .descriptorSetCount = count,
                                              .pSetLayouts = layouts};
    return vc4vk_AllocateDescriptorSets(h->device, &info, out);
}

static struct vc4vk_state_pool *states_of(const struct harness *h)
{
    struct vc4vk_state_pool *pool;
    assert_int_equal(vc4vk_device_state_pool(vc4vk_device_from_handle(h->device), &pool), VK_SUCCESS);
    return pool;
}

static VkSampler make_sampler(const struct harness *h)
{
    const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    VkSampler sampler;
    assert_int_equal(vc4vk_CreateSampler(h->device, &info, NULL, &sampler), VK_SUCCESS);
    return sampler;
}

static int32_t offset_of(VkSampler sampler)
{
    return vc4vk_sampler_from_handle(sampler)->state.offset_B;
}

static void numbering(void **state)
{
    const struct harness *h = *state;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {5, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2, VK_SHADER_STAGE_ALL, NULL}, /* out of order on purpose */
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3, VK_SHADER_STAGE_ALL, NULL},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_ALL, NULL},
        {3, VK_DESCRIPTOR_TYPE_SAMPLER, 1, VK_SHADER_STAGE_ALL, NULL},
        {4, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0, VK_SHADER_STAGE_ALL, NULL},
    };
    VkDescriptorSetLayout handle = make_layout(h, bindings, ARRAY_SIZE(bindings));
    const struct vc4vk_set_layout *l = vc4vk_set_layout_from_handle(handle);
    assert_int_equal(l->binding_count, 6);
    assert_int_equal(l->entry_count, 6 + 1 + 1 + 2);
    assert_int_equal(l->buffer_count, 3);
    assert_int_equal(l->dynamic_count, 3);
    assert_int_equal(vc4vk_set_layout_entry(l, 0, 2, VC4VK_PART_VIEW), 4);
    assert_int_equal(vc4vk_set_layout_entry(l, 0, 2, VC4VK_PART_SAMPLER), 5);
    assert_int_equal(vc4vk_set_layout_entry(l, 2, 0, VC4VK_PART_BUFFER), 6);
    assert_int_equal(vc4vk_set_layout_entry(l, 3, 0, VC4VK_PART_SAMPLER), 7);
    assert_int_equal(vc4vk_set_layout_entry(l, 5, 1, VC4VK_PART_BUFFER), 9);
    assert_int_equal(vc4vk_set_layout_dynamic(l, 2, 0), 0);
    assert_int_equal(vc4vk_set_layout_dynamic(l, 5, 1), 2);
    assert_int_equal(vc4vk_set_layout_dynamic(l, 3, 0), VC4VK_NO_ENTRY);
    static const struct {
        uint32_t binding, element;
        enum vc4vk_entry_part part;
    } absent[] = {{0, 3, VC4VK_PART_VIEW},   {1, 0, VC4VK_PART_VIEW},   {4, 0, VC4VK_PART_BUFFER},
                  {6, 0, VC4VK_PART_VIEW},   {0, 0, VC4VK_PART_BUFFER}, {3, 0, VC4VK_PART_VIEW},
                  {5, 0, VC4VK_PART_SAMPLER}};
    for (uint32_t i = 0; i < ARRAY_SIZE(absent); i++)
        assert_int_equal(vc4vk_set_layout_entry(l, absent[i].binding, absent[i].element, absent[i].part),
                         VC4VK_NO_ENTRY);
    vc4vk_DestroyDescriptorSetLayout(h->device, handle, NULL);
}

/* A pool allocates exactly the descriptors and sets it was created for, whatever the order of frees, and recovers all
 * of them. */
static void accounting(void **state)
{
    const struct harness *h = *state;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2, VK_SHADER_STAGE_ALL, NULL},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_ALL, NULL},
    };
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 5},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 9},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 3}}; /* 8 in all */
    VkDescriptorSetLayout layout = make_layout(h, bindings, 2), other = make_layout(h, &bindings[1], 1);
    uint64_t live = atomic_load(&states_of(h)->live);
    VkDescriptorPool pool = make_pool(h, 5, sizes, ARRAY_SIZE(sizes));
    VkDescriptorSet sets[5], more[2];
    assert_int_equal(allocate(h, pool, layout, 4, sets), VK_SUCCESS);
    assert_int_equal(atomic_load(&states_of(h)->live), live + 1); /* one state block for all eight buffers */
    assert_int_equal(allocate(h, pool, layout, 1, more), VK_ERROR_OUT_OF_POOL_MEMORY); /* no buffers left */
    assert_true(more[0] == VK_NULL_HANDLE);
    assert_int_equal(allocate(h, pool, other, 1, &sets[4]), VK_SUCCESS);
    assert_int_equal(allocate(h, pool, other, 1, more), VK_ERROR_OUT_OF_POOL_MEMORY); /* no sets left */
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t i = round * 7 % 4;
        assert_int_equal(vc4vk_FreeDescriptorSets(h->device, pool, 1, &sets[i]), VK_SUCCESS);
        assert_int_equal(allocate(h, pool, layout, 2, more), VK_ERROR_OUT_OF_POOL_MEMORY); /* all or nothing */
        assert_true(more[0] == VK_NULL_HANDLE && more[1] == VK_NULL_HANDLE);
        assert_int_equal(allocate(h, pool, layout, 1, &sets[i]), VK_SUCCESS);
    }
    /* No two sets share a buffer state. */
    for (uint32_t a = 0; a < 8; a++)
        for (uint32_t b = 0; b < a; b++)
            assert_int_not_equal(vc4vk_set_from_handle(sets[a / 2])->buffer_states[a % 2],
                                 vc4vk_set_from_handle(sets[b / 2])->buffer_states[b % 2]);
    for (uint32_t round = 0; round < 3; round++) {
        assert_int_equal(vc4vk_ResetDescriptorPool(h->device, pool, 0), VK_SUCCESS);
        assert_int_equal(allocate(h, pool, layout, 4, sets), VK_SUCCESS);
        assert_int_equal(allocate(h, pool, other, 1, &sets[4]), VK_SUCCESS);
        assert_int_equal(allocate(h, pool, other, 1, more), VK_ERROR_OUT_OF_POOL_MEMORY);
        assert_int_equal(atomic_load(&states_of(h)->live), live + 1);
    }
    assert_int_equal(vc4vk_set_layout_from_handle(layout)->refs, 2); /* independent of the number of sets */
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL); /* the sets still use it */
    vc4vk_DestroyDescriptorSetLayout(h->device, other, NULL);
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    assert_int_equal(atomic_load(&states_of(h)->live), live);
}

/* A pool has one descriptor for each set of types that it was not created for, and recovers them. GStreamer 1.22 creates a
 * pool of combined image samplers for sets that have a uniform buffer, too. */
static void forgotten_types(void **state)
{
    const struct harness *h = *state;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_ALL, NULL},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL},
    };
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 4};
    VkDescriptorSetLayout one = make_layout(h, bindings, 2), two = make_layout(h, bindings, 3);
    VkDescriptorPool pool = make_pool(h, 4, &size, 1);
    VkDescriptorSet sets[4], more;
    for (uint32_t round = 0; round < 3; round++) {
        assert_int_equal(allocate(h, pool, one, 4, sets), VK_SUCCESS);
        for (uint32_t a = 0; a < 4; a++)
            for (uint32_t b = 0; b < a; b++)
                assert_int_not_equal(vc4vk_set_from_handle(sets[a])->buffer_states[0],
                                     vc4vk_set_from_handle(sets[b])->buffer_states[0]);
        assert_int_equal(vc4vk_FreeDescriptorSets(h->device, pool, 1, &sets[0]), VK_SUCCESS);
        assert_int_equal(allocate(h, pool, two, 1, &more), VK_ERROR_OUT_OF_POOL_MEMORY); /* one is left */
        assert_int_equal(vc4vk_FreeDescriptorSets(h->device, pool, 1, &sets[1]), VK_SUCCESS);
        if (round)
            assert_int_equal(vc4vk_ResetDescriptorPool(h->device, pool, 0), VK_SUCCESS);
        else
            assert_int_equal(vc4vk_FreeDescriptorSets(h->device, pool, 2, &sets[2]), VK_SUCCESS);
        assert_int_equal(allocate(h, pool, two, 2, sets), VK_SUCCESS);
        assert_int_equal(allocate(h, pool, one, 1, &more), VK_ERROR_OUT_OF_POOL_MEMORY);
        assert_int_equal(vc4vk_ResetDescriptorPool(h->device, pool, 0), VK_SUCCESS);
    }
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, one, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, two, NULL);
}

/* Mutable elements have the parts that the types in their list have; an inline uniform block is one buffer. */
static void mutable_and_inline_bindings(void **state)
{
    const struct harness *h = *state;
    static const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_SAMPLER};
    const VkMutableDescriptorTypeListEXT lists[] = {{2, types}};
    const VkMutableDescriptorTypeCreateInfoEXT mutable = {
        .sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
        .mutableDescriptorTypeListCount = 1,
        .pMutableDescriptorTypeLists = lists};
    const VkDescriptorSetLayoutBinding bindings[] = {
        {1, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 2, VK_SHADER_STAGE_ALL, NULL},
        {0, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 20, VK_SHADER_STAGE_ALL, NULL},
        {2, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 1, VK_SHADER_STAGE_ALL, NULL}, /* beyond the lists: any type */
        {3, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 4, VK_SHADER_STAGE_ALL, NULL},
    };
    const VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .pNext = &mutable,
                                                  .bindingCount = ARRAY_SIZE(bindings),
                                                  .pBindings = bindings};
    VkDescriptorSetLayout handle;
    assert_int_equal(vc4vk_CreateDescriptorSetLayout(h->device, &info, NULL, &handle), VK_SUCCESS);
    const struct vc4vk_set_layout *l = vc4vk_set_layout_from_handle(handle);
    assert_int_equal(l->entry_count, 1 + 2 * 2 + 2 + 1);
    assert_int_equal(l->buffer_count, 1 + 2 + 1 + 1);
    assert_int_equal(l->inline_B, 32 + 16);
    assert_int_equal(l->type_counts[VC4VK_TYPE_INLINE], 24);
    assert_int_equal(l->type_counts[VC4VK_TYPE_MUTABLE], 3);
    assert_int_equal(vc4vk_set_layout_entry(l, 0, 0, VC4VK_PART_BUFFER), 0);
    assert_int_equal(vc4vk_set_layout_entry(l, 0, 1, VC4VK_PART_BUFFER), VC4VK_NO_ENTRY);
    assert_int_equal(vc4vk_set_layout_entry(l, 1, 1, VC4VK_PART_BUFFER), 3);
    assert_int_equal(vc4vk_set_layout_entry(l, 1, 1, VC4VK_PART_SAMPLER), 4);
    assert_int_equal(vc4vk_set_layout_entry(l, 1, 1, VC4VK_PART_VIEW), VC4VK_NO_ENTRY);
    assert_int_equal(vc4vk_set_layout_entry(l, 2, 0, VC4VK_PART_VIEW), 5);
    vc4vk_DestroyDescriptorSetLayout(h->device, handle, NULL);
}

static VkResult allocate_variable(const struct harness *h, VkDescriptorPool pool, VkDescriptorSetLayout layout,
                                  uint32_t count, VkDescriptorSet *out)
{
    const VkDescriptorSetVariableDescriptorCountAllocateInfo counts = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
        .descriptorSetCount = 1,
        .pDescriptorCounts = &count};
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .pNext = &counts,
                                              .descriptorPool = pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &layout};
    return vc4vk_AllocateDescriptorSets(h->device, &info, out);
}

/* The last binding's count is given for each set. A set takes from the pool, and holds, no more than that. */
static void variable_counts(void **state)
{
    const struct harness *h = *state;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_SAMPLER, 1, VK_SHADER_STAGE_ALL, NULL},
        {1, VK_DESCRIPTOR_TYPE_SAMPLER, 100, VK_SHADER_STAGE_ALL, NULL},
    };
    const VkDescriptorBindingFlags flags[] = {0, VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT};
    const VkDescriptorSetLayoutBindingFlagsCreateInfo flag_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = 2,
        .pBindingFlags = flags};
    const VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .pNext = &flag_info,
                                                  .bindingCount = 2,
                                                  .pBindings = bindings};
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_SAMPLER, 10};
    VkDescriptorSetLayout layout;
    assert_int_equal(vc4vk_CreateDescriptorSetLayout(h->device, &info, NULL, &layout), VK_SUCCESS);
    VkDescriptorPool pool = make_pool(h, 3, &size, 1);
    VkDescriptorSet sets[3];
    assert_int_equal(allocate_variable(h, pool, layout, 2, &sets[0]), VK_SUCCESS);
    assert_int_equal(allocate_variable(h, pool, layout, 7, &sets[1]), VK_ERROR_OUT_OF_POOL_MEMORY);
    assert_int_equal(allocate_variable(h, pool, layout, 5, &sets[1]), VK_SUCCESS);
    assert_int_equal(allocate(h, pool, layout, 1, &sets[2]), VK_SUCCESS); /* without a count there is none */
    assert_int_equal(vc4vk_set_from_handle(sets[0])->entry_count, 1 + 2);
    assert_int_equal(vc4vk_set_from_handle(sets[1])->entry_count, 1 + 5);
    assert_int_equal(vc4vk_set_from_handle(sets[2])->entry_count, 1);

    /* What is written beyond the count is left out. */
    VkSampler sampler = make_sampler(h);
    VkDescriptorImageInfo infos[8];
    for (uint32_t i = 0; i < ARRAY_SIZE(infos); i++)
        infos[i] = (VkDescriptorImageInfo){.sampler = sampler};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = sets[0],
                                        .dstBinding = 1,
                                        .descriptorCount = ARRAY_SIZE(infos),
                                        .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER,
                                        .pImageInfo = infos};
    vc4vk_UpdateDescriptorSets(h->device, 1, &write, 0, NULL);
    for (uint32_t i = 1; i < 3; i++)
        assert_int_equal(vc4vk_set_from_handle(sets[0])->entries[i], offset_of(sampler));
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(vc4vk_set_from_handle(sets[1])->entries[i], 0);

    assert_int_equal(vc4vk_FreeDescriptorSets(h->device, pool, 2, sets), VK_SUCCESS);
    assert_int_equal(allocate_variable(h, pool, layout, 8, &sets[0]), VK_SUCCESS);
    vc4vk_DestroySampler(h->device, sampler, NULL);
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
}

/* One write that spans three bindings, a copy of it, and immutable samplers, which neither may change. */
static void updates(void **state)
{
    const struct harness *h = *state;
    VkSampler s[5];
    for (uint32_t i = 0; i < 5; i++)
        s[i] = make_sampler(h);
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_SAMPLER, 2, VK_SHADER_STAGE_ALL, NULL},
        {1, VK_DESCRIPTOR_TYPE_SAMPLER, 0, VK_SHADER_STAGE_ALL, NULL},
        {2, VK_DESCRIPTOR_TYPE_SAMPLER, 1, VK_SHADER_STAGE_ALL, NULL},
        {3, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_ALL, &s[4]},
    };
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_SAMPLER, 6},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2}};
    VkDescriptorSetLayout layout = make_layout(h, bindings, ARRAY_SIZE(bindings));
    VkDescriptorPool pool = make_pool(h, 2, sizes, 2);
    VkDescriptorSet sets[2];
    assert_int_equal(allocate(h, pool, layout, 2, sets), VK_SUCCESS);
    const VkDescriptorImageInfo samplers[] = {{s[0], VK_NULL_HANDLE, 0}, {s[1], VK_NULL_HANDLE, 0}};
    const VkDescriptorImageInfo ignored = {s[3], VK_NULL_HANDLE, 0};
    const VkWriteDescriptorSet writes[] = {
        {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstSet = sets[0],
         .dstBinding = 0,
         .dstArrayElement = 1,
         .descriptorCount = 2, /* element 1 of binding 0, then binding 2 */
         .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER,
         .pImageInfo = samplers},
        {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstSet = sets[0],
         .dstBinding = 3,
         .descriptorCount = 1,
         .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
         .pImageInfo = &ignored},
    };
    vc4vk_UpdateDescriptorSets(h->device, 2, writes, 0, NULL);
    const struct vc4vk_set *a = vc4vk_set_from_handle(sets[0]), *b = vc4vk_set_from_handle(sets[1]);
    assert_int_equal(a->entries[0], 0);
    assert_int_equal(a->entries[1], offset_of(s[0]));
    assert_int_equal(a->entries[2], offset_of(s[1]));
    assert_int_equal(a->entries[4], offset_of(s[4]));
    const VkCopyDescriptorSet copy = {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                      .srcSet = sets[0],
                                      .srcBinding = 0,
                                      .srcArrayElement = 1,
                                      .dstSet = sets[1],
                                      .dstBinding = 0,
                                      .descriptorCount = 2};
    vc4vk_UpdateDescriptorSets(h->device, 0, NULL, 1, &copy);
    assert_int_equal(b->entries[0], offset_of(s[0]));
    assert_int_equal(b->entries[1], offset_of(s[1]));
    assert_int_equal(b->entries[2], 0);
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
    for (uint32_t i = 0; i < 5; i++)
        vc4vk_DestroySampler(h->device, s[i], NULL);
}

/* A set that fits in no hole returns VK_ERROR_FRAGMENTED_POOL; neighbouring free ranges are merged. */
static void fragmentation(void **state)
{
    const struct harness *h = *state;
    const VkDescriptorSetLayoutBinding small = {0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 40, VK_SHADER_STAGE_ALL, NULL},
                                       large = {0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 200, VK_SHADER_STAGE_ALL, NULL};
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 400};
    VkDescriptorSetLayout small_layout = make_layout(h, &small, 1), large_layout = make_layout(h, &large, 1);
    VkDescriptorPool pool = make_pool(h, 10, &size, 1);
    VkDescriptorSet sets[10], set;
    assert_int_equal(allocate(h, pool, small_layout, 10, sets), VK_SUCCESS);
    for (uint32_t i = 0; i < 10; i += 2)
        assert_int_equal(vc4vk_FreeDescriptorSets(h->device, pool, 1, &sets[i]), VK_SUCCESS);
    assert_int_equal(allocate(h, pool, large_layout, 1, &set), VK_ERROR_FRAGMENTED_POOL);
    assert_true(set == VK_NULL_HANDLE);
    for (uint32_t i = 0; i < 10; i += 2) /* sets of the freed size still fit */
        assert_int_equal(allocate(h, pool, small_layout, 1, &sets[i]), VK_SUCCESS);
    static const uint32_t order[] = {4, 2, 6, 3, 5};
    for (uint32_t i = 0; i < ARRAY_SIZE(order); i++)
        assert_int_equal(vc4vk_FreeDescriptorSets(h->device, pool, 1, &sets[order[i]]), VK_SUCCESS);
    assert_int_equal(allocate(h, pool, large_layout, 1, &set), VK_SUCCESS);
    assert_int_equal(allocate(h, pool, small_layout, 1, &set), VK_ERROR_OUT_OF_POOL_MEMORY);
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, small_layout, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, large_layout, NULL);
}

/* Random allocations and frees: no two overlap, and in the end the free memory is one range again. */
static void heap_owns_every_byte_once(void **state)
{
    enum { UNITS = 512, HELD = 64 };
    _Alignas(16) static uint8_t memory[UNITS * VC4VK_SET_HEAP_ALIGN_B];
    static uint8_t owner[UNITS];
    struct {
        uint8_t *at;
        uint32_t units;
    } held[HELD] = {0};
    struct vc4vk_set_heap heap = {.memory = memory, .size_B = sizeof memory};
    uint32_t random = 1, taken = 0;
    for (uint32_t step = 0; step < 200000; step++) {
        random = random * 1664525u + 1013904223u;
        uint32_t i = (random >> 16) % HELD;
        if (held[i].units) {
            memset(held[i].at, 0xa5, held[i].units * VC4VK_SET_HEAP_ALIGN_B);
            for (uint32_t u = 0; u < held[i].units; u++)
                assert_int_equal(owner[(held[i].at - memory) / VC4VK_SET_HEAP_ALIGN_B + u], i + 1);
            memset(owner + (held[i].at - memory) / VC4VK_SET_HEAP_ALIGN_B, 0, held[i].units);
            vc4vk_set_heap_put(&heap, held[i].at, held[i].units * VC4VK_SET_HEAP_ALIGN_B);
            taken -= held[i].units;
            held[i].units = 0;
            continue;
        }
        uint32_t units = 1 + (random >> 8) % (random & 0x400000 ? 40 : 8);
        held[i].at = vc4vk_set_heap_take(&heap, units * VC4VK_SET_HEAP_ALIGN_B);
        if (!held[i].at) {
            assert_true(taken + units > 64); /* must not fail while nearly everything is free */
            continue;
        }
        assert_true(held[i].at >= memory && held[i].at + units * VC4VK_SET_HEAP_ALIGN_B <= memory + sizeof memory);
        for (uint32_t u = 0; u < units; u++)
            assert_int_equal(owner[(held[i].at - memory) / VC4VK_SET_HEAP_ALIGN_B + u], 0);
        memset(owner + (held[i].at - memory) / VC4VK_SET_HEAP_ALIGN_B, (int)i + 1, units);
        held[i].units = units;
        taken += units;
    }
    for (uint32_t i = 0; i < HELD; i++)
        if (held[i].units)
            vc4vk_set_heap_put(&heap, held[i].at, held[i].units * VC4VK_SET_HEAP_ALIGN_B);
    assert_ptr_equal(vc4vk_set_heap_take(&heap, sizeof memory), memory);
}

/* An update template has the same effect as a write, with any stride. */
static void templates(void **state)
{
    const struct harness *h = *state;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_SAMPLER, 3, VK_SHADER_STAGE_ALL, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, VK_SHADER_STAGE_ALL, NULL},
    };
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_SAMPLER, 3}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}};
    VkDescriptorSetLayout layout = make_layout(h, bindings, 2);
    VkDescriptorPool pool = make_pool(h, 1, sizes, 2);
    VkDescriptorSet handle;
    assert_int_equal(allocate(h, pool, layout, 1, &handle), VK_SUCCESS);
    const struct vc4vk_set *set = vc4vk_set_from_handle(handle);
    VkDeviceMemory memory;
    VkBuffer buffer = harness_buffer(h, 4096, &memory);
    VkSampler sampler = make_sampler(h);
    struct {
        uint32_t pad;
        struct {
            VkDescriptorImageInfo image;
            uint64_t more[3];
        } samplers[2];
        VkDescriptorBufferInfo buffers[2];
    } data = {.samplers = {{.image = {sampler}}, {.image = {sampler}}},
              .buffers = {{buffer, 256, 64}, {buffer, 512, VK_WHOLE_SIZE}}};
    const VkDescriptorUpdateTemplateEntry entries[] = {
        {0, 1, 2, VK_DESCRIPTOR_TYPE_SAMPLER, offsetof(__typeof__(data), samplers), sizeof data.samplers[0]},
        {1, 0, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, offsetof(__typeof__(data), buffers), sizeof data.buffers[0]},
    };
    const VkDescriptorUpdateTemplateCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
        .descriptorUpdateEntryCount = 2,
        .pDescriptorUpdateEntries = entries,
        .descriptorSetLayout = layout};
    VkDescriptorUpdateTemplate template;
    assert_int_equal(vc4vk_CreateDescriptorUpdateTemplateKHR(h->device, &info, NULL, &template), VK_SUCCESS);
    vc4vk_UpdateDescriptorSetWithTemplateKHR(h->device, handle, template, &data);
    assert_int_equal(set->entries[0], 0);
    assert_int_equal(set->entries[1], offset_of(sampler));
    assert_int_equal(set->entries[2], offset_of(sampler));
    const struct vc4vk_surface_state *first = vc4vk_state_ptr(states_of(h), set->entries[3]),
                                     *second = vc4vk_state_ptr(states_of(h), set->entries[4]);
    assert_int_equal(first->buffer.base_B, 256);
    assert_int_equal(first->buffer.size_B, 64);
    assert_true(first->buffer.storage);
    assert_int_equal(second->buffer.base_B, 512);
    assert_int_equal(second->buffer.size_B, 4096 - 512);
    vc4vk_DestroyDescriptorUpdateTemplateKHR(h->device, template, NULL);
    vc4vk_DestroyDescriptorUpdateTemplateKHR(h->device, VK_NULL_HANDLE, NULL);

    VkDescriptorSetLayoutBinding huge = {0, VK_DESCRIPTOR_TYPE_SAMPLER, VC4VK_MAX_SET_DESCRIPTORS, VK_SHADER_STAGE_ALL, NULL};
    const VkDescriptorSetLayoutCreateInfo huge_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &huge};
    VkDescriptorSetLayoutSupport support = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT};
    vc4vk_GetDescriptorSetLayoutSupportKHR(h->device, &huge_info, &support);
    assert_true(support.supported);
    huge.descriptorCount++;
    vc4vk_GetDescriptorSetLayoutSupportKHR(h->device, &huge_info, &support);
    assert_false(support.supported);
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
    vc4vk_DestroySampler(h->device, sampler, NULL);
    harness_buffer_destroy(h, buffer, memory);
}

/* Where the last word that a program may look up begins. A range may end within it. */
static void last_words_of_buffers(void **state)
{
    static const uint32_t cases[][2] = {{0, 0}, {1, 0}, {3, 0}, {4, 0}, {5, 4}, {6, 4}, {8, 4}, {100, 96}, {102, 100}};
    for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct vc4vk_surface_state s = {.kind = VC4VK_STATE_BUFFER, .buffer = {.size_B = cases[i][0]}};
        assert_int_equal(vc4vk_buffer_word(&s, VC4VK_BUFFER_LIMIT), cases[i][1]);
        assert_int_equal(vc4vk_buffer_word(&s, VC4VK_BUFFER_SIZE), cases[i][0]);
        assert_int_equal(vc4vk_tex_word(&s, NULL, VC4VK_TEX_DIRECT_LIMIT, 0), cases[i][1]);
    }
}

static void discard_log(void *data, enum util_log_level level, const char *line)
{
}

/* A binding table keeps the descriptors that were bound when it was written. Dynamic offsets move buffers without
 * changing the set. */
static void tables(void **state)
{
    const struct harness *h = *state;
    struct vc4vk_device *device = vc4vk_device_from_handle(h->device);
    const struct vc4vk_state_pool *states = states_of(h);
    VkSampler sampler = make_sampler(h), second = make_sampler(h);
    VkDeviceMemory memory;
    VkBuffer buffer = harness_buffer(h, 4096, &memory);
    uint32_t *map;
    assert_int_equal(vc4vk_MapMemory(h->device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&map), VK_SUCCESS);
    for (uint32_t i = 0; i < 1024; i++)
        map[i] = i;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_ALL, NULL},
        {1, VK_DESCRIPTOR_TYPE_SAMPLER, 1, VK_SHADER_STAGE_ALL, NULL},
    };
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1},
                                          {VK_DESCRIPTOR_TYPE_SAMPLER, 1}};
    VkDescriptorSetLayout layout = make_layout(h, bindings, 2);
    VkDescriptorPool pool = make_pool(h, 1, sizes, 2);
    VkDescriptorSet set;
    assert_int_equal(allocate(h, pool, layout, 1, &set), VK_SUCCESS);
    const VkDescriptorBufferInfo buffer_info = {buffer, 256, 100};
    VkDescriptorImageInfo image_info = {sampler, VK_NULL_HANDLE, 0};
    const VkWriteDescriptorSet writes[] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = set,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
                                            .pBufferInfo = &buffer_info},
                                           {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = set,
                                            .dstBinding = 1,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER,
                                            .pImageInfo = &image_info}};
    vc4vk_UpdateDescriptorSets(h->device, 2, writes, 0, NULL);

    struct vc4vk_table_slot slots[3];
    const struct vc4vk_set_layout *l = vc4vk_set_layout_from_handle(layout);
    assert_true(vc4vk_table_slot_init(&slots[0], l, 1, 1, 0, VC4VK_PART_SAMPLER));
    assert_true(vc4vk_table_slot_init(&slots[1], l, 1, 0, 0, VC4VK_PART_BUFFER));
    assert_true(vc4vk_table_slot_init(&slots[2], l, 0, 0, 0, VC4VK_PART_BUFFER)); /* a set that is not bound */
    assert_false(vc4vk_table_slot_init(&(struct vc4vk_table_slot){0}, l, 0, 1, 0, VC4VK_PART_VIEW));
    uint64_t live = atomic_load(&states->live);
    struct vc4vk_table_writer writer;
    assert_int_equal(vc4vk_table_writer_init(&writer, device), VK_SUCCESS);
    const uint32_t none = 0, moved = 512;
    struct vc4vk_bound_set bound[2] = {{NULL, NULL}, {vc4vk_set_from_handle(set), &none}};
    struct vc4vk_binding_table first, dynamic;
    assert_int_equal(vc4vk_binding_table_write(&writer, slots, 3, bound, 2, &first), VK_SUCCESS);
    bound[1].dynamic_offsets = &moved;
    assert_int_equal(vc4vk_binding_table_write(&writer, slots, 3, bound, 2, &dynamic), VK_SUCCESS);
    assert_true(first.block_B < 0 && first.block_B == dynamic.block_B && first.offset_B < dynamic.offset_B);

    /* An entry is relative to its own block. */
    const uint32_t *words = vc4vk_state_ptr(states, first.block_B + first.offset_B);
    assert_int_equal(words[0], offset_of(sampler) - first.block_B);

    image_info.sampler = second;
    vc4vk_UpdateDescriptorSets(h->device, 1, &writes[1], 0, NULL);
    assert_ptr_equal(vc4vk_binding_table_resolve(states, &first, 0), vc4vk_sampler_from_handle(sampler)->state.map);
    uint32_t size_B;
    const uint32_t *contents = vc4vk_buffer_contents(vc4vk_binding_table_resolve(states, &first, 1), &size_B);
    assert_int_equal(size_B, 100);
    assert_int_equal(contents[0], 256 / 4);
    const struct vc4vk_surface_state *b = vc4vk_binding_table_resolve(states, &dynamic, 1);
    contents = vc4vk_buffer_contents(b, &size_B);
    assert_int_equal(contents[0], (256 + 512) / 4);
    assert_int_equal(vc4vk_buffer_word(b, VC4VK_BUFFER_LIMIT), 96);
    assert_int_equal(vc4vk_buffer_word(b, VC4VK_BUFFER_BASE), 768);
    assert_int_equal(vc4vk_binding_table_resolve(states, &first, 2)->kind, VC4VK_STATE_NULL);
    assert_int_equal(vc4vk_binding_table_resolve(states, &first, 99)->kind, VC4VK_STATE_NULL);
    assert_null(vc4vk_surface_state_bo(vc4vk_binding_table_resolve(states, &first, 2)));

    /* After a change of one set, the update copies the entries of all other sets, including poked ones. */
    struct vc4vk_binding_table kept = first, copied;
    assert_int_equal(vc4vk_binding_table_update(&writer, slots, 3, bound, 2, 1u << 2, &first, &kept), VK_SUCCESS);
    assert_memory_equal(&kept, &first, sizeof kept);
    assert_int_equal(vc4vk_binding_table_update(&writer, slots, 3, bound, 2, 1u << 0, &first, &copied), VK_SUCCESS);
    assert_int_not_equal(copied.offset_B, first.offset_B);
    assert_ptr_equal(vc4vk_binding_table_resolve(states, &copied, 0), vc4vk_sampler_from_handle(sampler)->state.map);
    assert_ptr_equal(vc4vk_binding_table_resolve(states, &copied, 1), vc4vk_binding_table_resolve(states, &first, 1));
    assert_int_equal(vc4vk_binding_table_update(&writer, slots, 3, bound, 2, 1u << 1, &first, &copied), VK_SUCCESS);
    assert_ptr_equal(vc4vk_binding_table_resolve(states, &copied, 0), vc4vk_sampler_from_handle(second)->state.map);

    vc4vk_binding_table_poke(states, &first, 0, offset_of(second));
    assert_ptr_equal(vc4vk_binding_table_resolve(states, &first, 0), vc4vk_sampler_from_handle(second)->state.map);

    /* More tables than one block holds. */
    struct vc4vk_table_slot many[64];
    for (uint32_t i = 0; i < 64; i++)
        many[i] = slots[i % 2];
    for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(vc4vk_binding_table_write(&writer, many, 64, bound, 2, &dynamic), VK_SUCCESS);
    assert_int_not_equal(dynamic.block_B, first.block_B);
    /* Entries copied into another block are relative to that block. */
    assert_int_equal(vc4vk_binding_table_update(&writer, slots, 3, bound, 2, 1u << 0, &first, &copied), VK_SUCCESS);
    assert_int_equal(copied.block_B, dynamic.block_B);
    assert_ptr_equal(vc4vk_binding_table_resolve(states, &copied, 0), vc4vk_sampler_from_handle(second)->state.map);
    assert_ptr_equal(vc4vk_binding_table_resolve(states, &copied, 1), vc4vk_binding_table_resolve(states, &first, 1));
    /* Entries are found again in another order, also twice; others are refused. */
    struct vc4vk_binding_table arranged;
    const struct vc4vk_table_slot other[] = {slots[1], slots[0], slots[1], slots[2]};
    assert_int_equal(vc4vk_binding_table_rearrange(&writer, &first, slots, other, 4, &arranged), VK_SUCCESS);
    assert_int_equal(arranged.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_ptr_equal(vc4vk_binding_table_resolve(states, &arranged, i),
                         vc4vk_binding_table_resolve(states, &first, i == 3 ? 2 : !(i & 1)));
    assert_int_equal(vc4vk_binding_table_rearrange(&writer, &first, slots, other, 0, &arranged), VK_SUCCESS);
    assert_int_equal(arranged.count, 0);
    const struct vc4vk_binding_table shorter = {first.block_B, first.offset_B, 2};
    util_log_set_sink(discard_log, NULL);
    assert_int_equal(vc4vk_binding_table_rearrange(&writer, &shorter, slots, other, 4, &arranged), VK_ERROR_UNKNOWN);
    util_log_set_sink(NULL, NULL);
    assert_int_equal(arranged.count, 0);
    /* A table larger than a block is refused. */
    static struct vc4vk_table_slot all[VC4VK_TABLE_MAX_SLOTS + 1];
    for (uint32_t i = 0; i <= VC4VK_TABLE_MAX_SLOTS; i++)
        all[i] = slots[0];
    assert_int_equal(vc4vk_binding_table_write(&writer, all, VC4VK_TABLE_MAX_SLOTS, bound, 2, &dynamic), VK_SUCCESS);
    assert_int_equal(dynamic.count, VC4VK_TABLE_MAX_SLOTS);
    assert_ptr_equal(vc4vk_binding_table_resolve(states, &dynamic, VC4VK_TABLE_MAX_SLOTS - 1),
                     vc4vk_sampler_from_handle(second)->state.map);
    util_log_set_sink(discard_log, NULL);
    assert_int_equal(vc4vk_binding_table_write(&writer, all, VC4VK_TABLE_MAX_SLOTS + 1, bound, 2, &dynamic),
                     VK_ERROR_OUT_OF_DEVICE_MEMORY);
    util_log_set_sink(NULL, NULL);
    assert_int_equal(dynamic.count, 0);
    vc4vk_table_writer_reset(&writer);
    assert_int_equal(atomic_load(&states->live), live);
    vc4vk_table_writer_finish(&writer);
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
    vc4vk_DestroySampler(h->device, sampler, NULL);
    vc4vk_DestroySampler(h->device, second, NULL);
    harness_buffer_destroy(h, buffer, memory);
}

/* -- allocation failures --------------------------------------------------------------------------------------------
 */

/* Creates one of each object, until memory runs out, and destroys them again. */
static VkResult one_of_each(const struct harness *h, const VkAllocationCallbacks *alloc)
{
    const VkSamplerCreateInfo sampler_info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 3, VK_SHADER_STAGE_ALL,
                                                  NULL};
    const VkDescriptorSetLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 6};
    const VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 2, .poolSizeCount = 1, .pPoolSizes = &size};
    VkSampler sampler = VK_NULL_HANDLE;
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorSet sets[2];
    VkResult result = vc4vk_CreateSampler(h->device, &sampler_info, alloc, &sampler);
    if (result == VK_SUCCESS)
        result = vc4vk_CreateDescriptorSetLayout(h->device, &layout_info, alloc, &layout);
    if (result == VK_SUCCESS)
        result = vc4vk_CreateDescriptorPool(h->device, &pool_info, alloc, &pool);
    if (result == VK_SUCCESS)
        result = allocate(h, pool, layout, 2, sets);
    if (result == VK_SUCCESS) {
        struct vc4vk_table_slot slot;
        struct vc4vk_table_writer writer;
        struct vc4vk_binding_table table;
        const uint32_t offsets[3] = {256, 256, 256};
        const struct vc4vk_bound_set bound = {vc4vk_set_from_handle(sets[1]), offsets};
        assert_true(vc4vk_table_slot_init(&slot, bound.set->layout, 0, 0, 1, VC4VK_PART_BUFFER));
        assert_int_equal(vc4vk_table_writer_init(&writer, vc4vk_device_from_handle(h->device)), VK_SUCCESS);
        bound.set->entries[1] = bound.set->buffer_states[1]; /* as if written: the dynamic offset needs a state */
        result = vc4vk_binding_table_write(&writer, &slot, 1, &bound, 1, &table);
        vc4vk_table_writer_finish(&writer);
    }
    vc4vk_DestroyDescriptorPool(h->device, pool, alloc);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, alloc);
    vc4vk_DestroySampler(h->device, sampler, alloc);
    return result;
}

/* Fails the n-th allocation after device creation, for each n: must return an error and leak no memory or states. */
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
    int live = c.live, n = 0;
    util_log_set_sink(discard_log, NULL);
    for (VkResult result = VK_NOT_READY; result != VK_SUCCESS; n++) {
        c.budget = n;
        result = one_of_each(&own, &alloc);
        assert_true(result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY);
        c.budget = -1;
        struct vc4vk_state_pool *states =
            vc4vk_device_slot_peek(vc4vk_device_from_handle(own.device), VC4VK_SLOT_DESCRIPTOR);
        assert_true(!states || atomic_load(&states->live) == 0);
        assert_int_equal(c.live, live); /* the state pool, made under a lock, never uses application callbacks */
    }
    util_log_set_sink(NULL, NULL);
    assert_true(n > 4);
    vc4vk_DestroyDevice(own.device, &alloc);
    assert_int_equal(c.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbering),
        cmocka_unit_test(accounting),
        cmocka_unit_test(forgotten_types),
        cmocka_unit_test(mutable_and_inline_bindings),
        cmocka_unit_test(variable_counts),
        cmocka_unit_test(updates),
        cmocka_unit_test(fragmentation),
        cmocka_unit_test(heap_owns_every_byte_once),
        cmocka_unit_test(templates),
        cmocka_unit_test(last_words_of_buffers),
        cmocka_unit_test(tables),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("sets", tests, harness_set_up, harness_tear_down);
}
