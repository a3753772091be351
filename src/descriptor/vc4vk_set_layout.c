/* SPDX-License-Identifier: MIT
 *
 * Descriptor set layouts: assigns entries, buffer states and dynamic offsets to the bindings.
 */
#include <inttypes.h>
#include <string.h>
#include "descriptor/vc4vk_buffer_set.h"
#include "descriptor/vc4vk_descriptor_set.h"
#include "descriptor/vc4vk_descriptor_type.h"
#include "descriptor/vc4vk_view.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"

/* Limit for descriptors and for binding numbers of a layout: counts of four entries each cannot overflow. No pool is
 * large enough for such sets. */
#define MAX_DESCRIPTORS (1u << 24)

static bool takes_sampler(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

static bool has_conversion(const struct vc4vk_sampler *sampler)
{
    return ((const struct vc4vk_surface_state *)sampler->state.map)->sampler.conversion.planes > 0;
}

/* Bindings may be listed in any order. Indices are assigned in order of binding numbers, as Vulkan counts dynamic
 * offsets. */
static void number_bindings(struct vc4vk_set_layout *layout)
{
    layout->variable_binding = VC4VK_NO_ENTRY;
    for (uint32_t i = 0; i < layout->binding_count; i++) {
        struct vc4vk_set_binding *b = &layout->bindings[i];
        b->first_entry = layout->entry_count;
        b->first_buffer = layout->buffer_count;
        b->first_dynamic = layout->dynamic_count;
        b->first_inline_B = layout->inline_B;
        layout->entry_count += b->count * b->element_entries;
        layout->buffer_count += vc4vk_descriptor_owns_state(b->type) && b->element_entries ? b->count : 0;
        layout->dynamic_count += vc4vk_descriptor_is_dynamic(b->type) ? b->count : 0;
        layout->inline_B += util_align(b->inline_B, VC4VK_INLINE_ALIGN_B);
        layout->type_counts[vc4vk_descriptor_type_index(b->type)] += b->inline_B ? b->inline_B : b->count;
        if (b->count && (b->flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) &&
            i + 1 == layout->binding_count)
            layout->variable_binding = i;
    }
}

struct vc4vk_set_size vc4vk_set_layout_size(const struct vc4vk_set_layout *layout, uint32_t variable_count)
{
    struct vc4vk_set_size size = {.entry_count = layout->entry_count,
                                  .buffer_count = layout->buffer_count,
                                  .inline_B = layout->inline_B,
                                  .memory_B = layout->memory_B};
    memcpy(size.type_counts, layout->type_counts, sizeof size.type_counts);
    if (layout->variable_binding == VC4VK_NO_ENTRY)
        return size;
    const struct vc4vk_set_binding *b = &layout->bindings[layout->variable_binding];
    const uint32_t declared = b->inline_B ? b->inline_B : b->count, count = MIN2(variable_count, declared);
    size.variable_count = count;
    size.type_counts[vc4vk_descriptor_type_index(b->type)] -= declared - count;
    if (b->inline_B) {
        size.inline_B = b->first_inline_B + util_align(count, VC4VK_INLINE_ALIGN_B);
        return size;
    }
    size.entry_count = b->first_entry + count * b->element_entries;
    size.buffer_count = b->first_buffer + (vc4vk_descriptor_owns_state(b->type) ? count : 0);
    if (b->memory_B) /* the last one in memory */
        size.memory_B = b->first_memory_B + (uint64_t)count * b->memory_B;
    return size;
}

/* -- creation ----------------------------------------------------------------------------------------------------- */

/* The mask of types that elements of mutable binding number `i` of the list may have. Without a list it may have any. */
static uint32_t mutable_types(const VkMutableDescriptorTypeCreateInfoEXT *info, uint32_t i)
{
    const uint32_t any = BIT(VC4VK_TYPE_INLINE) - 1;
    if (!info || i >= info->mutableDescriptorTypeListCount)
        return any;
    const VkMutableDescriptorTypeListEXT *list = &info->pMutableDescriptorTypeLists[i];
    uint32_t mask = 0;
    for (uint32_t t = 0; t < list->descriptorTypeCount; t++) {
        const uint32_t index = vc4vk_descriptor_type_index(list->pDescriptorTypes[t]);
        if (index < VC4VK_TYPE_INLINE && !vc4vk_descriptor_is_dynamic(list->pDescriptorTypes[t]))
            mask |= BIT(index);
    }
    return mask;
}

static void init_binding(struct vc4vk_set_binding *b, const VkDescriptorSetLayoutCreateInfo *info, uint32_t i)
{
    const VkDescriptorSetLayoutBinding *in = &info->pBindings[i];
    const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags = vc4vk_find_in_chain(
        info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    b->type = in->descriptorType;
    b->stages = in->stageFlags;
    b->count = in->descriptorCount;
    b->element_entries = vc4vk_descriptor_entries(b->type);
    if (flags && i < flags->bindingCount)
        b->flags = flags->pBindingFlags[i];
    if (b->type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT)
        b->mutable_types = mutable_types(
            vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT), i);
    if (b->type != VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        return;
    b->inline_B = in->descriptorCount;
    b->count = b->inline_B > 0;
}

static enum vc4vk_set_kind kind_of(VkDescriptorSetLayoutCreateFlags flags)
{
    if (flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR)
        return VC4VK_SET_PUSHED;
    if (flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT)
        return VC4VK_SET_EMBEDDED;
    return flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT ? VC4VK_SET_IN_BUFFER : VC4VK_SET_OF_POOL;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateDescriptorSetLayout(VkDevice _device,
                                                               const VkDescriptorSetLayoutCreateInfo *pCreateInfo,
                                                               const VkAllocationCallbacks *pAllocator,
                                                               VkDescriptorSetLayout *pSetLayout)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    uint64_t binding_count = 0, descriptor_count = 0;
    size_t immutable_count = 0;
    for (uint32_t i = 0; i < pCreateInfo->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *b = &pCreateInfo->pBindings[i];
        if (vc4vk_descriptor_type_index(b->descriptorType) == VC4VK_NO_TYPE)
            return vc4vk_errorf(device, VK_ERROR_FEATURE_NOT_PRESENT, "set layout: unknown descriptor type %d",
                                b->descriptorType);
        binding_count = MAX2(binding_count, (uint64_t)b->binding + 1);
        descriptor_count += b->descriptorCount;
        if (takes_sampler(b->descriptorType) && b->pImmutableSamplers)
            immutable_count += b->descriptorCount;
    }
    if (descriptor_count > MAX_DESCRIPTORS || binding_count > MAX_DESCRIPTORS)
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_HOST_MEMORY,
                            "set layout of %" PRIu64 " descriptors, %" PRIu64 " binding numbers: each is limited to %u",
                            descriptor_count, binding_count, MAX_DESCRIPTORS);

    /* A layout lives on after vkDestroyDescriptorSetLayout while it is referenced, so it uses the device's callbacks.
     */
    struct vc4vk_set_layout *layout;
    struct vc4vk_set_binding *bindings;
    int32_t *immutable;
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &layout, 1);
    vc4vk_multialloc_add(&ma, &bindings, (size_t)binding_count);
    vc4vk_multialloc_add(&ma, &immutable, immutable_count);
    if (!vc4vk_multialloc_alloc(&ma, device->alloc, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT))
        return vc4vk_oom(device);
    vc4vk_object_init(&layout->base, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT);
    atomic_init(&layout->refs, 1);
    layout->kind = kind_of(pCreateInfo->flags);
    layout->bindings = bindings;
    layout->binding_count = (uint32_t)binding_count;
    for (uint32_t i = 0; i < pCreateInfo->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *in = &pCreateInfo->pBindings[i];
        struct vc4vk_set_binding *b = &bindings[in->binding];
        init_binding(b, pCreateInfo, i);
        if (!takes_sampler(in->descriptorType) || !in->pImmutableSamplers)
            continue;
        b->immutable = immutable;
        for (uint32_t e = 0; e < b->count; e++) {
            const struct vc4vk_sampler *sampler = vc4vk_sampler_from_handle(in->pImmutableSamplers[e]);
            *immutable++ = sampler ? sampler->state.offset_B : 0;
            if (sampler && b->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER && has_conversion(sampler))
                b->element_entries = VC4VK_PLANAR_ENTRIES;
        }
    }
    if (layout->kind == VC4VK_SET_IN_BUFFER) {
        VkResult result = vc4vk_set_layout_place_in_buffer(device, layout);
        if (result != VK_SUCCESS) {
            vc4vk_free(device->alloc, layout);
            return result;
        }
    }
    number_bindings(layout);
    if (layout->kind == VC4VK_SET_OF_POOL)
        vc4vk_set_layout_place_arrays(layout);
    *pSetLayout = vc4vk_set_layout_to_handle(layout);
    return VK_SUCCESS;
}

/* A set is just entries in its pool's memory, so only the number of descriptors matters, not their types. */
VKAPI_ATTR void VKAPI_CALL vc4vk_GetDescriptorSetLayoutSupportKHR(VkDevice device,
                                                                  const VkDescriptorSetLayoutCreateInfo *pCreateInfo,
                                                                  VkDescriptorSetLayoutSupport *pSupport)
{
    const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags = vc4vk_find_in_chain(
        pCreateInfo->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    const VkMutableDescriptorTypeCreateInfoEXT *types =
        vc4vk_find_in_chain(pCreateInfo->pNext, VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT);
    uint64_t descriptors = 0, variable = 0;
    bool are_known = true, is_variable = false, has_variable_inline = false;
    for (uint32_t i = 0; i < pCreateInfo->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *b = &pCreateInfo->pBindings[i];
        const bool is_inline = b->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
        const uint32_t elements = is_inline ? b->descriptorCount > 0 : b->descriptorCount;
        are_known &= vc4vk_descriptor_type_index(b->descriptorType) != VC4VK_NO_TYPE;
        are_known &= !is_inline || b->descriptorCount <= VC4VK_MAX_INLINE_B;
        are_known &= kind_of(pCreateInfo->flags) != VC4VK_SET_IN_BUFFER ||
                     b->descriptorType != VK_DESCRIPTOR_TYPE_MUTABLE_EXT ||
                     vc4vk_mutable_fits_buffer(mutable_types(types, i));
        descriptors += elements;
        if (!flags || i >= flags->bindingCount ||
            !(flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT))
            continue;
        is_variable = true;
        variable = elements;
        has_variable_inline = is_inline;
    }
    pSupport->supported = are_known && descriptors <= VC4VK_MAX_SET_DESCRIPTORS;
    const uint64_t others = descriptors - variable;
    vc4vk_for_each_in_chain(s, pSupport->pNext)
    {
        if (s->sType != VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT)
            continue;
        uint32_t *count = &((VkDescriptorSetVariableDescriptorCountLayoutSupport *)s)->maxVariableDescriptorCount;
        *count = 0;
        if (is_variable && are_known && others <= VC4VK_MAX_SET_DESCRIPTORS)
            *count = has_variable_inline ? VC4VK_MAX_INLINE_B : (uint32_t)(VC4VK_MAX_SET_DESCRIPTORS - others);
    }
}

void vc4vk_set_layout_unref(struct vc4vk_device *device, struct vc4vk_set_layout *layout)
{
    if (layout && atomic_fetch_sub_explicit(&layout->refs, 1, memory_order_acq_rel) == 1)
        vc4vk_free(device->alloc, layout);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyDescriptorSetLayout(VkDevice _device, VkDescriptorSetLayout layout,
                                                            const VkAllocationCallbacks *pAllocator)
{
    vc4vk_set_layout_unref(vc4vk_device_from_handle(_device), vc4vk_set_layout_from_handle(layout));
}

static bool type_has_part(VkDescriptorType type, enum vc4vk_entry_part part)
{
    switch (part) {
    case VC4VK_PART_CHROMA_0:
    case VC4VK_PART_CHROMA_1:
    case VC4VK_PART_ARRAY:
        return false;
    case VC4VK_PART_SAMPLER:
        return takes_sampler(type);
    case VC4VK_PART_BUFFER:
        return vc4vk_descriptor_is_buffer(type) || vc4vk_descriptor_is_texel_buffer(type) ||
               type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
    case VC4VK_PART_VIEW:
        return type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE ||
               type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE || type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT ||
               type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER; /* sampled like a view, by direct lookups */
    }
    return false;
}

static bool part_exists(const struct vc4vk_set_binding *binding, enum vc4vk_entry_part part)
{
    bool exists = false;
    if (part == VC4VK_PART_ARRAY)
        return binding->memory_B > 0;
    if (part == VC4VK_PART_CHROMA_0 || part == VC4VK_PART_CHROMA_1)
        return binding->element_entries == VC4VK_PLANAR_ENTRIES;
    if (binding->type != VK_DESCRIPTOR_TYPE_MUTABLE_EXT)
        return type_has_part(binding->type, part);
    for (uint32_t t = 0; t < VC4VK_TYPE_INLINE; t++) /* of these, the index is the type */
        exists |= (binding->mutable_types & BIT(t)) && type_has_part((VkDescriptorType)t, part);
    return exists;
}

uint32_t vc4vk_set_layout_entry(const struct vc4vk_set_layout *layout, uint32_t binding, uint32_t element,
                                enum vc4vk_entry_part part)
{
    if (binding >= layout->binding_count || element >= layout->bindings[binding].count ||
        !part_exists(&layout->bindings[binding], part))
        return VC4VK_NO_ENTRY;
    const struct vc4vk_set_binding *b = &layout->bindings[binding];
    if (part == VC4VK_PART_ARRAY)
        return VC4VK_ARRAY_ENTRY | b->array;
    if (!b->element_entries) /* in a descriptor buffer, where programs read them */
        return VC4VK_NO_ENTRY;
    uint32_t at = b->element_entries > 1 && part == VC4VK_PART_SAMPLER;
    if (part == VC4VK_PART_CHROMA_0 || part == VC4VK_PART_CHROMA_1)
        at = 2 + (part - VC4VK_PART_CHROMA_0);
    return b->first_entry + element * b->element_entries + at;
}

uint32_t vc4vk_set_layout_dynamic(const struct vc4vk_set_layout *layout, uint32_t binding, uint32_t element)
{
    if (binding >= layout->binding_count || element >= layout->bindings[binding].count ||
        !vc4vk_descriptor_is_dynamic(layout->bindings[binding].type))
        return VC4VK_NO_ENTRY;
    return layout->bindings[binding].first_dynamic + element;
}
