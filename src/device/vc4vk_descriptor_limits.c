/* SPDX-License-Identifier: MIT
 *
 * What is reported about descriptors and about robustness in property structs, and the robustness that an application
 * enables with its device.
 */
#include "device/vc4vk_physical_device.h"
#include "hw/descriptor.h"

static void fill_inline(VkPhysicalDeviceInlineUniformBlockProperties *p)
{
    p->maxInlineUniformBlockSize = VC4VK_MAX_INLINE_B;
    p->maxPerStageDescriptorInlineUniformBlocks = VC4VK_MAX_INLINE_BLOCKS;
    p->maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = VC4VK_MAX_INLINE_BLOCKS;
    p->maxDescriptorSetInlineUniformBlocks = VC4VK_MAX_INLINE_BLOCKS;
    p->maxDescriptorSetUpdateAfterBindInlineUniformBlocks = VC4VK_MAX_INLINE_BLOCKS;
}

/* Descriptors in memory of sets: only that memory limits their number, so several sets with 500,000 of a type may be
 * bound. Input attachments and dynamic buffers are never there. */
static void fill_indexing(VkPhysicalDeviceDescriptorIndexingProperties *p)
{
    const uint32_t most = VC4VK_MAX_SET_DESCRIPTORS;
    p->maxUpdateAfterBindDescriptorsInAllPools = 4 * most;
    p->shaderUniformBufferArrayNonUniformIndexingNative = VK_FALSE;
    p->shaderSampledImageArrayNonUniformIndexingNative = VK_FALSE;
    p->shaderStorageBufferArrayNonUniformIndexingNative = VK_FALSE;
    p->shaderStorageImageArrayNonUniformIndexingNative = VK_FALSE;
    p->shaderInputAttachmentArrayNonUniformIndexingNative = VK_FALSE;
    p->robustBufferAccessUpdateAfterBind = VK_TRUE;
    p->quadDivergentImplicitLod = VK_FALSE; /* of small arrays, which the texture unit looks up one after the other */
    p->maxPerStageDescriptorUpdateAfterBindSamplers = most;
    p->maxPerStageDescriptorUpdateAfterBindUniformBuffers = most;
    p->maxPerStageDescriptorUpdateAfterBindStorageBuffers = most;
    p->maxPerStageDescriptorUpdateAfterBindSampledImages = most;
    p->maxPerStageDescriptorUpdateAfterBindStorageImages = most;
    p->maxPerStageDescriptorUpdateAfterBindInputAttachments = VC4VK_MAX_INPUTS; /* as without */
    p->maxPerStageUpdateAfterBindResources = most;
    p->maxDescriptorSetUpdateAfterBindSamplers = most;
    p->maxDescriptorSetUpdateAfterBindUniformBuffers = most;
    p->maxDescriptorSetUpdateAfterBindUniformBuffersDynamic = 8;
    p->maxDescriptorSetUpdateAfterBindStorageBuffers = most;
    p->maxDescriptorSetUpdateAfterBindStorageBuffersDynamic = 8;
    p->maxDescriptorSetUpdateAfterBindSampledImages = most;
    p->maxDescriptorSetUpdateAfterBindStorageImages = most;
    p->maxDescriptorSetUpdateAfterBindInputAttachments = VC4VK_MAX_SET_INPUTS;
}

/* The sizes are those of hw/descriptor.h. Uniform texel buffers are looked up as images, storage texel buffers accessed
 * as buffers. There are no acceleration structures, and no capture and replay. Samplers may be in the same buffers as
 * other descriptors. Image views and samplers need not exist before descriptors are written, as nothing else refers to
 * them. */
static void fill_descriptor_buffers(VkPhysicalDeviceDescriptorBufferPropertiesEXT *p)
{
    p->combinedImageSamplerDescriptorSingleArray = VK_TRUE;
    p->bufferlessPushDescriptors = VK_TRUE;
    p->allowSamplerImageViewPostSubmitCreation = VK_TRUE;
    p->descriptorBufferOffsetAlignment = VC4VK_DESCRIPTOR_BUFFER_ALIGN_B;
    p->maxDescriptorBufferBindings = VC4VK_MAX_DESCRIPTOR_BUFFERS;
    p->maxResourceDescriptorBufferBindings = VC4VK_MAX_DESCRIPTOR_BUFFERS;
    p->maxSamplerDescriptorBufferBindings = VC4VK_MAX_DESCRIPTOR_BUFFERS;
    p->maxEmbeddedImmutableSamplerBindings = VC4VK_MAX_SETS;
    p->maxEmbeddedImmutableSamplers = VC4VK_MAX_EMBEDDED_SAMPLERS;
    p->bufferCaptureReplayDescriptorDataSize = 0;
    p->imageCaptureReplayDescriptorDataSize = 0;
    p->imageViewCaptureReplayDescriptorDataSize = 0;
    p->samplerCaptureReplayDescriptorDataSize = 0;
    p->accelerationStructureCaptureReplayDescriptorDataSize = 0;
    p->samplerDescriptorSize = sizeof(struct hw_sampler_descriptor);
    p->combinedImageSamplerDescriptorSize = HW_ENGINE_OFFSET_B;
    p->sampledImageDescriptorSize = sizeof(struct hw_view_descriptor);
    p->storageImageDescriptorSize = sizeof(struct hw_engine_descriptor);
    p->uniformTexelBufferDescriptorSize = sizeof(struct hw_view_descriptor);
    p->robustUniformTexelBufferDescriptorSize = sizeof(struct hw_view_descriptor);
    p->storageTexelBufferDescriptorSize = sizeof(struct hw_engine_descriptor);
    p->robustStorageTexelBufferDescriptorSize = sizeof(struct hw_engine_descriptor);
    p->uniformBufferDescriptorSize = sizeof(struct hw_engine_descriptor);
    p->robustUniformBufferDescriptorSize = sizeof(struct hw_engine_descriptor);
    p->storageBufferDescriptorSize = sizeof(struct hw_engine_descriptor);
    p->robustStorageBufferDescriptorSize = sizeof(struct hw_engine_descriptor);
    p->inputAttachmentDescriptorSize = sizeof(struct hw_view_descriptor);
    p->accelerationStructureDescriptorSize = 0;
    p->maxSamplerDescriptorBufferRange = VC4VK_MAX_DESCRIPTOR_RANGE_B;
    p->maxResourceDescriptorBufferRange = VC4VK_MAX_DESCRIPTOR_RANGE_B;
    p->samplerDescriptorBufferAddressSpaceSize = VC4VK_MAX_DESCRIPTOR_RANGE_B;
    p->resourceDescriptorBufferAddressSpaceSize = VC4VK_MAX_DESCRIPTOR_RANGE_B;
    p->descriptorBufferAddressSpaceSize = VC4VK_MAX_DESCRIPTOR_RANGE_B;
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
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_FILTER_MINMAX_PROPERTIES:
        ((VkPhysicalDeviceSamplerFilterMinmaxProperties *)s)->filterMinmaxSingleComponentFormats = VK_TRUE;
        ((VkPhysicalDeviceSamplerFilterMinmaxProperties *)s)->filterMinmaxImageComponentMapping = VK_TRUE;
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES:
        fill_inline((VkPhysicalDeviceInlineUniformBlockProperties *)s);
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES:
        fill_indexing((VkPhysicalDeviceDescriptorIndexingProperties *)s);
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT:
        fill_descriptor_buffers((VkPhysicalDeviceDescriptorBufferPropertiesEXT *)s);
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
