/* SPDX-License-Identifier: MIT
 *
 * Layouts for descriptor buffers: where the bindings of a set lie in the application's memory.
 */
#include <inttypes.h>
#include "descriptor/vc4vk_buffer_set.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"

/* Bindings begin at a multiple of this, counted from the begin of the set. */
#define BINDING_ALIGN_B 16u

#define MAX_FORMATS 16u /* elements of an array whose formats are read */

#define TYPE(type) BIT(VK_DESCRIPTOR_TYPE_##type)

/* A sampler's descriptor begins at the element, but behind the view where the elements may be combined image samplers.
 * Input attachments are read when a job is issued, other descriptors by programs. */
bool vc4vk_mutable_fits_buffer(uint32_t types)
{
    return !(types & TYPE(INPUT_ATTACHMENT)) && !((types & TYPE(SAMPLER)) && (types & TYPE(COMBINED_IMAGE_SAMPLER)));
}

static uint32_t largest_B(uint32_t types)
{
    uint32_t largest = 0;
    for (uint32_t t = 0; t < VC4VK_TYPE_INLINE; t++) /* of these, the index is the type */
        if (types & BIT(t))
            largest = MAX2(largest, vc4vk_descriptor_memory_B((VkDescriptorType)t));
    return largest;
}

/* Decides whether programs or the driver read the descriptors of the binding, and their size. False: they cannot be in
 * a descriptor buffer. */
static bool choose_reader(struct vc4vk_set_binding *b)
{
    if (b->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        return true;
    if (b->type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT)
        b->issue_B = sizeof(struct hw_view_descriptor);
    else if (b->element_entries == VC4VK_PLANAR_ENTRIES)
        b->issue_B = sizeof(struct vc4vk_planar_descriptor);
    else if (b->type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT)
        b->memory_B = vc4vk_mutable_fits_buffer(b->mutable_types) ? largest_B(b->mutable_types) : 0;
    else
        b->memory_B = vc4vk_descriptor_memory_B(b->type);
    if (b->memory_B)
        b->element_entries = 0;
    return b->memory_B || b->issue_B;
}

bool vc4vk_formats_are_read(const struct vc4vk_set_binding *binding)
{
    return binding->memory_B && binding->count <= MAX_FORMATS &&
           (binding->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ||
            binding->type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER);
}

VkResult vc4vk_set_layout_place_in_buffer(struct vc4vk_device *device, struct vc4vk_set_layout *layout)
{
    for (uint32_t i = 0; i < layout->binding_count; i++) {
        struct vc4vk_set_binding *b = &layout->bindings[i];
        if (!b->count)
            continue;
        if (!choose_reader(b))
            return vc4vk_errorf(device, VK_ERROR_FEATURE_NOT_PRESENT,
                                "set layout: binding %u of type %d (mutable: types 0x%x) cannot be in a descriptor "
                                "buffer (vkGetDescriptorSetLayoutSupport)",
                                i, b->type, b->mutable_types);
        const uint64_t first_B = util_align64(layout->memory_B, BINDING_ALIGN_B);
        const uint64_t size_B = b->inline_B ? b->inline_B : (uint64_t)b->count * (b->memory_B + b->issue_B);
        if (first_B + size_B > VC4VK_MAX_DESCRIPTOR_RANGE_B)
            return vc4vk_errorf(device, VK_ERROR_OUT_OF_HOST_MEMORY,
                                "set layout: %" PRIu64 " B of descriptors, a descriptor buffer has at most %u B "
                                "(maxResourceDescriptorBufferRange)",
                                first_B + size_B, VC4VK_MAX_DESCRIPTOR_RANGE_B);
        b->first_memory_B = (uint32_t)first_B;
        if (b->memory_B)
            b->array = layout->array_count++;
        layout->memory_B = first_B + size_B;
        layout->is_read_at_issue |= b->issue_B > 0 || vc4vk_formats_are_read(b);
    }
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetDescriptorSetLayoutSizeEXT(VkDevice device, VkDescriptorSetLayout layout,
                                                               VkDeviceSize *pLayoutSizeInBytes)
{
    const struct vc4vk_set_layout *l = vc4vk_set_layout_from_handle(layout);
    *pLayoutSizeInBytes =
        l->kind == VC4VK_SET_IN_BUFFER ? util_align64(l->memory_B, VC4VK_DESCRIPTOR_BUFFER_ALIGN_B) : 0;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetDescriptorSetLayoutBindingOffsetEXT(VkDevice device, VkDescriptorSetLayout layout,
                                                                        uint32_t binding, VkDeviceSize *pOffset)
{
    const struct vc4vk_set_layout *l = vc4vk_set_layout_from_handle(layout);
    *pOffset = l->kind == VC4VK_SET_IN_BUFFER && binding < l->binding_count ? l->bindings[binding].first_memory_B : 0;
}
