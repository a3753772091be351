/* SPDX-License-Identifier: MIT
 *
 * Properties of descriptor types, shared by layouts, pools and updates.
 */
#ifndef DESCRIPTOR_VC4VK_DESCRIPTOR_TYPE_H
#define DESCRIPTOR_VC4VK_DESCRIPTOR_TYPE_H

#include <stdbool.h>
#include <vulkan/vulkan.h>
#include "hw/descriptor.h"

/* Types are counted and listed in bit masks by their index: Vulkan 1.0's SAMPLER to INPUT_ATTACHMENT have their value. */
#define VC4VK_TYPE_INLINE      11u /* VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK; counted in bytes */
#define VC4VK_TYPE_MUTABLE     12u /* VK_DESCRIPTOR_TYPE_MUTABLE_EXT */
#define VC4VK_DESCRIPTOR_TYPES 13u
#define VC4VK_NO_TYPE          UINT32_MAX

/* VC4VK_NO_TYPE for types that the driver does not know. */
static inline uint32_t vc4vk_descriptor_type_index(VkDescriptorType type)
{
    if ((uint32_t)type <= VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT)
        return (uint32_t)type;
    return type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ? VC4VK_TYPE_INLINE
           : type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT        ? VC4VK_TYPE_MUTABLE
                                                           : VC4VK_NO_TYPE;
}

/* With a YCbCr conversion: view, sampler, and the views of two more planes. */
#define VC4VK_PLANAR_ENTRIES 4u

/* Entries of one descriptor without YCbCr conversion. A mutable one may be a combined image sampler. */
static inline uint32_t vc4vk_descriptor_entries(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT ? 2 : 1;
}

/* Maximum number of entries of one descriptor. */
static inline uint32_t vc4vk_descriptor_max_entries(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER ? VC4VK_PLANAR_ENTRIES : vc4vk_descriptor_entries(type);
}

static inline bool vc4vk_descriptor_is_dynamic(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

/* Uniform and storage buffers, which VkDescriptorBufferInfo describes. */
static inline bool vc4vk_descriptor_is_buffer(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ||
           vc4vk_descriptor_is_dynamic(type);
}

/* Whether the surface state of such a descriptor belongs to the descriptor pool. A mutable one may be a buffer. */
static inline bool vc4vk_descriptor_owns_state(VkDescriptorType type)
{
    return vc4vk_descriptor_is_buffer(type) || type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ||
           type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
}

/* Bytes of one descriptor in an array in memory of the set, as programs read it (hw/descriptor.h). 0: descriptors of
 * this type are never there. */
static inline uint32_t vc4vk_descriptor_memory_B(VkDescriptorType type)
{
    switch (type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
        return sizeof(struct hw_sampler_descriptor);
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
        return sizeof(struct hw_view_descriptor);
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        return HW_SAMPLER_OFFSET_B + sizeof(struct hw_sampler_descriptor);
    case VK_DESCRIPTOR_TYPE_MUTABLE_EXT:
        return HW_ENGINE_OFFSET_B + sizeof(struct hw_engine_descriptor);
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        return sizeof(struct hw_engine_descriptor);
    default:
        return 0;
    }
}

/* Texel buffers: their surface state belongs to the buffer view. */
static inline bool vc4vk_descriptor_is_texel_buffer(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

#endif
