/* SPDX-License-Identifier: MIT
 *
 * Properties of descriptor types, shared by layouts, pools and updates.
 */
#ifndef DESCRIPTOR_VC4VK_DESCRIPTOR_TYPE_H
#define DESCRIPTOR_VC4VK_DESCRIPTOR_TYPE_H

#include <stdbool.h>
#include <vulkan/vulkan.h>

/* With a YCbCr conversion: view, sampler, and the views of two more planes. */
#define VC4VK_PLANAR_ENTRIES 4u

/* Maximum number of entries of one descriptor. */
static inline uint32_t vc4vk_descriptor_max_entries(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER ? VC4VK_PLANAR_ENTRIES : 1;
}

/* Entries of one descriptor without YCbCr conversion. */
static inline uint32_t vc4vk_descriptor_entries(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER ? 2 : 1;
}

static inline bool vc4vk_descriptor_is_dynamic(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

/* Uniform and storage buffers: their surface state belongs to the descriptor pool. */
static inline bool vc4vk_descriptor_is_buffer(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ||
           vc4vk_descriptor_is_dynamic(type);
}

/* Texel buffers: their surface state belongs to the buffer view. */
static inline bool vc4vk_descriptor_is_texel_buffer(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

#endif
