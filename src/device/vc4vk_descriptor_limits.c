/* SPDX-License-Identifier: MIT
 *
 * What is reported about descriptors and about robustness in property structs, and the robustness that an application
 * enables with its device.
 */
#include "device/vc4vk_physical_device.h"

static void fill_inline(VkPhysicalDeviceInlineUniformBlockProperties *p)
{
    p->maxInlineUniformBlockSize = VC4VK_MAX_INLINE_B;
    p->maxPerStageDescriptorInlineUniformBlocks = VC4VK_MAX_INLINE_BLOCKS;
    p->maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = VC4VK_MAX_INLINE_BLOCKS;
    p->maxDescriptorSetInlineUniformBlocks = VC4VK_MAX_INLINE_BLOCKS;
    p->maxDescriptorSetUpdateAfterBindInlineUniformBlocks = VC4VK_MAX_INLINE_BLOCKS;
}

/* Every number is checked by itself against the end of the range. */
static void fill_robustness2(VkPhysicalDeviceRobustness2PropertiesEXT *p)
{
    p->robustStorageBufferAccessSizeAlignment = 1;
    p->robustUniformBufferAccessSizeAlignment = 1;
}

static void fill_pipeline_robustness(VkPhysicalDevicePipelineRobustnessPropertiesEXT *p)
{
    p->defaultRobustnessStorageBuffers = p->defaultRobustnessUniformBuffers = p->defaultRobustnessVertexInputs =
        VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT;
    p->defaultRobustnessImages = VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DISABLED_EXT;
}

/* Texels are read and stored word by word, so that a view may begin at any word. Smaller texels must begin at one too.
 */
static void fill_texel_buffers(VkPhysicalDeviceTexelBufferAlignmentProperties *p)
{
    p->storageTexelBufferOffsetAlignmentBytes = p->uniformTexelBufferOffsetAlignmentBytes = 4;
    p->storageTexelBufferOffsetSingleTexelAlignment = p->uniformTexelBufferOffsetSingleTexelAlignment = VK_FALSE;
}

void vc4vk_fill_descriptor_properties(VkBaseOutStructure *s)
{
    switch (s->sType) {
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES:
        fill_inline((VkPhysicalDeviceInlineUniformBlockProperties *)s);
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT:
        fill_robustness2((VkPhysicalDeviceRobustness2PropertiesEXT *)s);
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES:
        fill_texel_buffers((VkPhysicalDeviceTexelBufferAlignmentProperties *)s);
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_PROPERTIES_EXT:
        fill_pipeline_robustness((VkPhysicalDevicePipelineRobustnessPropertiesEXT *)s);
        break;
    default:
        break;
    }
}

struct vc4vk_robustness vc4vk_wanted_robustness(const void *chain)
{
    const VkPhysicalDeviceRobustness2FeaturesEXT *two =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT);
    const VkPhysicalDeviceImageRobustnessFeatures *images =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES);
    const VkPhysicalDeviceVulkan13Features *version =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    return (struct vc4vk_robustness){
        .buffers = two && two->robustBufferAccess2,
        .images = (two && two->robustImageAccess2) || (images && images->robustImageAccess) ||
                  (version && version->robustImageAccess),
        .nulls = two && two->nullDescriptor,
    };
}
