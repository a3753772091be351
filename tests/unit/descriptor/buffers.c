/* SPDX-License-Identifier: MIT
 *
 * Sets in descriptor buffers: where layouts place bindings and how they are read, which layouts are refused, sets that
 * reach beyond the memory, and allocations that fail.
 */
#include <string.h>
#include "descriptor/vc4vk_buffer_set.h"
#include "harness.h"
#include "util/log.h"

#define IN_BUFFER VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT
#define TYPE(t)   VK_DESCRIPTOR_TYPE_##t

static void discard_log(void *data, enum util_log_level level, const char *line)
{
}

/* `types`: of binding 0, if it is mutable; count 0: there is no list. */
static VkResult create_layout(const struct harness *h, const VkDescriptorSetLayoutBinding *bindings, uint32_t count,
                              const VkMutableDescriptorTypeListEXT *types, VkDescriptorSetLayout *out, bool *supported)
{
    const VkMutableDescriptorTypeCreateInfoEXT lists = {.sType =
                                                            VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
                                                        .mutableDescriptorTypeListCount = types ? 1 : 0,
                                                        .pMutableDescriptorTypeLists = types};
    const VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .pNext = &lists,
                                                  .flags = IN_BUFFER,
                                                  .bindingCount = count,
                                                  .pBindings = bindings};
    VkDescriptorSetLayoutSupport support = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT};
    vc4vk_GetDescriptorSetLayoutSupportKHR(h->device, &info, &support);
    *supported = support.supported;
    return vc4vk_CreateDescriptorSetLayout(h->device, &info, NULL, out);
}

/* ---------------------------------------------------------------- layouts */

static void placement(void **state)
{
    const struct harness *h = *state;
    static const struct row {
        VkDescriptorType type;
        uint32_t count, memory_B, issue_B, size_B;
    } rows[] = {
        {TYPE(SAMPLER), 3, 52, 0, 3 * 52},
        {TYPE(COMBINED_IMAGE_SAMPLER), 2, 184, 0, 2 * 184},
        {TYPE(SAMPLED_IMAGE), 1000, 132, 0, 132000},
        {TYPE(STORAGE_IMAGE), 1, 40, 0, 40},
        {TYPE(UNIFORM_TEXEL_BUFFER), 1, 132, 0, 132},
        {TYPE(STORAGE_TEXEL_BUFFER), 5, 40, 0, 200},
        {TYPE(UNIFORM_BUFFER), 1, 40, 0, 40},
        {TYPE(STORAGE_BUFFER), 1, 40, 0, 40},
        {TYPE(INPUT_ATTACHMENT), 2, 0, 132, 2 * 132},
        {TYPE(INLINE_UNIFORM_BLOCK), 20, 0, 0, 20},
        {TYPE(STORAGE_BUFFER), 0, 0, 0, 0},
        {TYPE(SAMPLER), 1, 52, 0, 52},
    };
    VkDescriptorSetLayoutBinding bindings[ARRAY_SIZE(rows)];
    VkDescriptorSetLayout layout;
    bool supported;
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){i, rows[i].type, rows[i].count, VK_SHADER_STAGE_ALL, NULL};
    assert_int_equal(create_layout(h, bindings, ARRAY_SIZE(rows), NULL, &layout, &supported), VK_SUCCESS);
    assert_true(supported);
    const struct vc4vk_set_layout *l = vc4vk_set_layout_from_handle(layout);
    VkDeviceSize end_B = 0, size_B;
    uint32_t arrays = 0, entries = 0;
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct vc4vk_set_binding *b = &l->bindings[i];
        struct vc4vk_table_slot slot;
        VkDeviceSize offset_B;
        assert_int_equal(b->memory_B, rows[i].memory_B);
        assert_int_equal(b->issue_B, rows[i].issue_B);
        assert_int_equal(vc4vk_table_slot_init(&slot, l, 0, i, 0, VC4VK_PART_ARRAY), b->memory_B > 0);
        if (b->memory_B) {
            assert_int_equal(slot.entry, VC4VK_ARRAY_ENTRY | arrays++);
            assert_false(vc4vk_table_slot_init(&slot, l, 0, i, 0, VC4VK_PART_VIEW)); /* programs read it themselves */
            assert_false(vc4vk_table_slot_init(&slot, l, 0, i, 0, VC4VK_PART_BUFFER));
        } else if (rows[i].count) {
            entries += b->count;
        }
        vc4vk_GetDescriptorSetLayoutBindingOffsetEXT(h->device, layout, i, &offset_B);
        if (!rows[i].count)
            continue;
        assert_int_equal(offset_B % 16, 0);
        assert_true(offset_B >= end_B);
        end_B = offset_B + rows[i].size_B;
    }
    assert_int_equal(l->array_count, arrays);
    assert_int_equal(l->entry_count, entries); /* a set of thousands of descriptors has few */
    vc4vk_GetDescriptorSetLayoutSizeEXT(h->device, layout, &size_B);
    assert_int_equal(size_B, end_B);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
}

static void refused(void **state)
{
    const struct harness *h = *state;
    static const VkDescriptorType required[] = {TYPE(SAMPLED_IMAGE),        TYPE(STORAGE_IMAGE),
                                                TYPE(UNIFORM_TEXEL_BUFFER), TYPE(STORAGE_TEXEL_BUFFER),
                                                TYPE(UNIFORM_BUFFER),       TYPE(STORAGE_BUFFER)},
                                  both[] = {TYPE(SAMPLER), TYPE(COMBINED_IMAGE_SAMPLER)},
                                  one[] = {TYPE(UNIFORM_BUFFER), TYPE(COMBINED_IMAGE_SAMPLER)},
                                  samplers[] = {TYPE(SAMPLER), TYPE(SAMPLED_IMAGE)},
                                  input[] = {TYPE(UNIFORM_BUFFER), TYPE(INPUT_ATTACHMENT)};
    static const struct {
        VkDescriptorType type;
        VkMutableDescriptorTypeListEXT list;
        uint32_t memory_B; /* 0: refused */
    } rows[] = {
        {TYPE(MUTABLE_EXT), {6, required}, 132},      {TYPE(MUTABLE_EXT), {2, one}, 184},
        {TYPE(MUTABLE_EXT), {2, samplers}, 132},      {TYPE(MUTABLE_EXT), {2, both}, 0},
        {TYPE(MUTABLE_EXT), {2, input}, 0},           {TYPE(MUTABLE_EXT), {0, NULL}, 0},
        {TYPE(UNIFORM_BUFFER_DYNAMIC), {0, NULL}, 0}, {TYPE(STORAGE_BUFFER_DYNAMIC), {0, NULL}, 0},
    };
    util_log_set_sink(discard_log, NULL);
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const VkDescriptorSetLayoutBinding binding = {0, rows[i].type, 4, VK_SHADER_STAGE_ALL, NULL};
        VkDescriptorSetLayout layout;
        bool supported;
        const VkResult result =
            create_layout(h, &binding, 1, rows[i].list.descriptorTypeCount ? &rows[i].list : NULL, &layout, &supported);
        assert_int_equal(result, rows[i].memory_B ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT);
        if (rows[i].type == TYPE(MUTABLE_EXT)) /* the others are not allowed to be asked for */
            assert_int_equal(supported, rows[i].memory_B > 0);
        if (result != VK_SUCCESS)
            continue;
        assert_int_equal(vc4vk_set_layout_from_handle(layout)->bindings[0].memory_B, rows[i].memory_B);
        vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
    }
    /* More memory than a descriptor buffer has. */
    const VkDescriptorSetLayoutBinding large = {0, TYPE(COMBINED_IMAGE_SAMPLER), 6000000, VK_SHADER_STAGE_ALL, NULL};
    VkDescriptorSetLayout layout;
    bool supported;
    assert_int_equal(create_layout(h, &large, 1, NULL, &layout, &supported), VK_ERROR_OUT_OF_HOST_MEMORY);
    assert_false(supported);
    util_log_set_sink(NULL, NULL);
}

/* ---------------------------------------------------------------- sets */

/* The set's memory ends within its bindings: what is beyond has no descriptors and no bytes. */
static void clipped(void **state)
{
    const struct harness *h = *state;
    struct vc4vk_device *device = vc4vk_device_from_handle(h->device);
    const VkDescriptorSetLayoutBinding bindings[] = {{0, TYPE(STORAGE_BUFFER), 10, VK_SHADER_STAGE_ALL, NULL},
                                                     {1, TYPE(INLINE_UNIFORM_BLOCK), 64, VK_SHADER_STAGE_ALL, NULL},
                                                     {2, TYPE(SAMPLER), 2, VK_SHADER_STAGE_ALL, NULL}};
    VkDescriptorSetLayout layout;
    bool supported;
    struct vc4vk_table_writer writer;
    assert_int_equal(vc4vk_table_writer_init(&writer, device), VK_SUCCESS);
    assert_int_equal(create_layout(h, bindings, 3, NULL, &layout, &supported), VK_SUCCESS);
    struct vc4vk_set_layout *l = vc4vk_set_layout_from_handle(layout);
    static const struct {
        uint32_t room_B, count, bytes, samplers;
    } rows[] = {{0, 0, 0, 0},     {39, 0, 0, 0},    {40, 1, 0, 0},    {401, 10, 1, 0},
                {464, 10, 64, 0}, {516, 10, 64, 1}, {9999, 10, 64, 2}};
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct vc4vk_memory_place at = {NULL, 4096, 4096 + rows[i].room_B};
        struct vc4vk_set *set = calloc(1, vc4vk_buffer_set_size_B(l));
        assert_non_null(set);
        assert_int_equal(vc4vk_buffer_set_init(set, l, &writer, &at), VK_SUCCESS);
        const struct vc4vk_surface_state *buffers =
            vc4vk_state_ptr(writer.pool, vc4vk_set_array_state(set, VC4VK_ARRAY_ENTRY | 0));
        const struct vc4vk_surface_state *samplers =
            vc4vk_state_ptr(writer.pool, vc4vk_set_array_state(set, VC4VK_ARRAY_ENTRY | 1));
        const struct vc4vk_surface_state *block =
            vc4vk_state_ptr(writer.pool, set->entries[vc4vk_set_layout_entry(l, 1, 0, VC4VK_PART_BUFFER)]);
        assert_int_equal(buffers->buffer.texels, rows[i].count);
        assert_int_equal(buffers->buffer.size_B, 40 * rows[i].count);
        assert_int_equal(buffers->buffer.base_B, 4096);
        assert_int_equal(block->buffer.size_B, rows[i].bytes);
        assert_int_equal(samplers->buffer.texels, rows[i].samplers);
        assert_int_equal(vc4vk_set_array_state(set, VC4VK_ARRAY_ENTRY | 2), 0); /* there is no such binding */
        assert_false(vc4vk_buffer_set_is_read(set, 0));
        free(set);
    }
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
    vc4vk_table_writer_finish(&writer);
}

/* Pools have no memory for such sets. */
static void not_of_pools(void **state)
{
    const struct harness *h = *state;
    const VkDescriptorSetLayoutBinding binding = {0, TYPE(STORAGE_BUFFER), 1, VK_SHADER_STAGE_ALL, NULL};
    const VkDescriptorPoolSize size = {TYPE(STORAGE_BUFFER), 1};
    const VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    bool supported;
    assert_int_equal(create_layout(h, &binding, 1, NULL, &layout, &supported), VK_SUCCESS);
    assert_int_equal(vc4vk_CreateDescriptorPool(h->device, &pool_info, NULL, &pool), VK_SUCCESS);
    util_log_set_sink(discard_log, NULL);
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &layout};
    assert_int_equal(vc4vk_AllocateDescriptorSets(h->device, &info, &set), VK_ERROR_UNKNOWN);
    util_log_set_sink(NULL, NULL);
    vc4vk_DestroyDescriptorPool(h->device, pool, NULL);
    vc4vk_DestroyDescriptorSetLayout(h->device, layout, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placement),
        cmocka_unit_test(refused),
        cmocka_unit_test(clipped),
        cmocka_unit_test(not_of_pools),
    };
    return cmocka_run_group_tests_name("buffers", tests, harness_set_up, harness_tear_down);
}
